//! PostMortem → post-mortem.

use super::{
    Context, Project, Projection,
    incident::{chaos_experiment, need, severity_key},
    wire,
};
use crate::{
    catalog::{Row, SortKey},
    resources::{moment, post_mortem::PostMortem, vocabulary::PostMortemState},
    rules::masking,
};
use opsdeck_api::{
    incident::TimelineItem,
    postmortem::{ExecutedAction, Feedback, PostMortemItem},
};

pub fn postmortem_item(postmortem: &PostMortem) -> PostMortemItem {
    let (meta, spec) = (&postmortem.metadata, &postmortem.spec);
    let status = postmortem.status.clone().unwrap_or_default();
    let chaos_experiment = chaos_experiment(postmortem);
    PostMortemItem {
        name: wire::name(meta),
        namespace: wire::namespace(meta),
        issue_ref: spec.issue_ref.name.clone(),
        resource: wire::resource(&spec.resource),
        severity: spec.severity.to_string(),
        state: status.state.to_string(),
        summary: status.summary,
        root_cause: status.root_cause,
        impact: status.impact,
        duration: status.duration,
        lessons_learned: status.lessons_learned,
        prevention_actions: status.prevention_actions,
        timeline: timeline(postmortem),
        actions_executed: status
            .actions_executed
            .into_iter()
            .map(|executed| ExecutedAction {
                params: masking::params(&executed.action, &executed.params),
                action: executed.action,
                result: executed.result,
                detail: executed.detail,
                timestamp: wire::time_or_zero(executed.timestamp),
            })
            .collect(),
        feedback: status.feedback.map(|feedback| Feedback {
            override_root_cause: feedback.override_root_cause,
            // What was imported may say what no schema takes; upstream's page would break over a sixth star.
            remediation_accuracy: Some(feedback.remediation_accuracy)
                .filter(|stars| (1..=5).contains(stars))
                .map(|stars| f64::from(stars).into()),
            comments: feedback.comments,
            provided_by: feedback.provided_by,
            provided_at: feedback.provided_at.map(moment::written),
        }),
        generated_at: status.generated_at.map(moment::written),
        reviewed_at: status.reviewed_at.map(moment::written),
        creation_timestamp: wire::created_or_zero(meta),
        requires_human_action: status.requires_human_action,
        required_action: status.required_action,
        chaos_induced: chaos_experiment.is_some(),
        chaos_experiment: chaos_experiment.unwrap_or_default().to_owned(),
    }
}

/// What happened when; also the whole answer to an incident's timeline.
pub fn timeline(postmortem: &PostMortem) -> Vec<TimelineItem> {
    let entries = postmortem.status.iter().flat_map(|status| &status.timeline);
    entries
        .map(|entry| TimelineItem {
            timestamp: wire::time_or_zero(entry.timestamp),
            kind: entry.kind.clone(),
            detail: entry.detail.clone(),
        })
        .collect()
}

impl Project for PostMortem {
    const FACETS: &'static [&'static str] = &["severity", "state", "issue"];

    const SORTABLE: &'static [&'static str] = &[
        "issueRef",
        "resource",
        "severity",
        "state",
        "summary",
        "generatedAt",
        "reviewedAt",
        "requiresHumanAction",
    ];

    fn project(&self, _context: &Context<'_>) -> Projection {
        let item = postmortem_item(self);
        let closed = item.state == PostMortemState::Closed.as_str() && !item.requires_human_action;
        Projection::of(&item)
            .text([
                &*item.issue_ref,
                &item.summary,
                &format!("{}/{}", item.resource.kind, item.resource.name),
            ])
            .need(need(closed, &self.spec.severity))
            .facet("severity", item.severity)
            .facet("state", item.state)
            .facet("issue", item.issue_ref)
    }

    fn sort_key<'a>(row: &'a Row<Self>, member: &str) -> SortKey<'a> {
        let (spec, status) = (&row.object.spec, row.object.status.as_ref());
        match member {
            "issueRef" => spec.issue_ref.name.as_str().into(),
            "resource" => SortKey::Text(format!("{}/{}", spec.resource.kind, spec.resource.name).into()),
            "severity" => severity_key(&spec.severity),
            "state" => status.map_or("", |status| status.state.as_str()).into(),
            "summary" => status.map_or("", |status| status.summary.as_str()).into(),
            "generatedAt" => status.and_then(|status| status.generated_at).into(),
            "reviewedAt" => status.and_then(|status| status.reviewed_at).into(),
            "requiresHumanAction" => status.is_some_and(|status| status.requires_human_action).into(),
            _ => SortKey::Absent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::postmortem_item;
    use crate::{
        fixtures::{noon, postmortem, texts},
        resources::post_mortem::{ExecutedAction, Feedback, TimelineEntry},
    };
    use serde_json::json;

    #[test]
    fn one_without_status_has_an_empty_state() {
        assert_eq!(
            serde_json::to_value(postmortem_item(&postmortem())).unwrap(),
            json!({
                "name": "pm-checkout-oom", "namespace": "shop", "issueRef": "checkout-oom", "resource": {"kind": "", "name": "", "namespace": ""},
                "severity": "high", "state": "", "creationTimestamp": "2026-09-23T12:00:00Z",
            })
        );
    }

    #[test]
    fn it_tells_what_was_done_without_credentials() {
        let written = postmortem().with(|postmortem| {
            let status = postmortem.status.get_or_insert_default();
            status.timeline = vec![TimelineEntry {
                timestamp: Some(noon()),
                kind: "detected".into(),
                detail: "slow".into(),
            }];
            status.actions_executed = vec![ExecutedAction {
                action: "PatchConfig".into(),
                params: texts(&[("replicas", "4"), ("token", "t")]),
                result: "success".into(),
                timestamp: Some(noon()),
                ..ExecutedAction::default()
            }];
            status.feedback = Some(Box::new(Feedback {
                remediation_accuracy: 2,
                provided_by: "bo".into(),
                ..Feedback::default()
            }));
        });
        let item = serde_json::to_value(postmortem_item(&written)).unwrap();
        let noon = "2026-09-23T12:00:00Z";
        assert_eq!(
            item["timeline"],
            json!([{"timestamp": noon, "type": "detected", "detail": "slow"}])
        );
        assert_eq!(
            item["actionsExecuted"],
            json!([{"action": "PatchConfig", "params": {"replicas": "4", "token": "***"}, "result": "success", "detail": "", "timestamp": noon}])
        );
        assert_eq!(item["feedback"], json!({"remediationAccuracy": 2, "providedBy": "bo"}));
    }

    #[test]
    fn a_rating_is_of_one_to_five_stars_or_none() {
        for (stored, shown) in [(-1, None), (0, None), (1, Some(1)), (5, Some(5)), (6, None)] {
            let rated = postmortem().with(|postmortem| {
                postmortem.status.get_or_insert_default().feedback = Some(Box::new(Feedback {
                    remediation_accuracy: stored,
                    ..Feedback::default()
                }));
            });
            let item = serde_json::to_value(postmortem_item(&rated)).unwrap();
            assert_eq!(
                item["feedback"].get("remediationAccuracy"),
                shown.map(|stars| json!(stars)).as_ref(),
                "{stored}"
            );
        }
    }
}
