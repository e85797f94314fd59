//! Issue → incident.

use super::{Context, Project, Projection, wire};
use crate::{
    catalog::{Row, SortKey},
    resources::{
        ConditionStatus, Issue, IssueState, Severity, Typed,
        issue::mark::{ACKNOWLEDGED_AT, ACKNOWLEDGED_BY, SNOOZED_BY, SNOOZED_UNTIL},
        moment,
    },
    rules::triage::{is_acknowledged, snoozed_until},
};
use jiff::Timestamp;
use opsdeck_api::incident::{Acknowledged, IncidentItem, Snoozed};

const REQUIRES_HUMAN_ACTION: &str = "RequiresHumanAction";

/// The item as it is at that moment: a snooze that is over no longer shows.
pub fn incident_item(issue: &Issue, now: Timestamp) -> IncidentItem {
    let (meta, spec) = (&issue.metadata, &issue.spec);
    let status = issue.status.clone().unwrap_or_default();
    let (requires_human_action, required_action) = human_action(issue);
    let chaos_experiment = chaos_experiment(issue);
    IncidentItem {
        name: wire::name(meta),
        namespace: wire::namespace(meta),
        severity: spec.severity.to_string(),
        source: spec.source.to_string(),
        signal_type: spec.signal_type.clone(),
        resource: wire::resource(&spec.resource),
        description: spec.description.clone(),
        risk_score: spec.risk_score,
        state: status.state.to_string(),
        detected_at: status.detected_at.map(moment::written),
        resolved_at: status.resolved_at.map(moment::written),
        resolution: status.resolution,
        remediation_attempts: status.remediation_attempts,
        max_remediation_attempts: status.max_remediation_attempts,
        creation_timestamp: wire::created_or_zero(meta),
        labels: wire::labels(meta),
        annotations: wire::annotations(meta),
        chaos_induced: chaos_experiment.is_some(),
        chaos_experiment: chaos_experiment.unwrap_or_default().to_owned(),
        requires_human_action,
        required_action,
        acknowledged: acknowledged(issue),
        snoozed: snoozed_until(issue, now).map(|until| Snoozed {
            by: issue.annotation(SNOOZED_BY).unwrap_or_default().to_owned(),
            until: moment::written(until),
        }),
    }
}

/// Raised by an experiment: the name of that experiment, which may be missing.
pub(super) fn chaos_experiment(object: &impl Typed) -> Option<&str> {
    (object.label("platform.chatcli.io/source") == Some("chaos-experiment"))
        .then(|| object.label("platform.chatcli.io/chaos-experiment").unwrap_or_default())
}

/// Places in the sort `need`: open ones by severity, then closed ones by severity.
pub(super) fn need(closed: bool, severity: &Severity) -> u8 {
    let rank = Severity::KNOWN
        .iter()
        .position(|known| *known == severity.as_str())
        .unwrap_or(Severity::KNOWN.len());
    rank as u8 + if closed { Severity::KNOWN.len() as u8 + 1 } else { 0 }
}

/// Worse is more, so that `-severity` lists the worst first; unknown words are least.
pub(super) fn severity_key(severity: &Severity) -> SortKey<'static> {
    SortKey::Number(-f64::from(need(false, severity)))
}

fn acknowledged(issue: &Issue) -> Option<Acknowledged> {
    let text = |key| issue.annotation(key).unwrap_or_default().to_owned();
    is_acknowledged(issue).then(|| Acknowledged {
        by: text(ACKNOWLEDGED_BY),
        at: text(ACKNOWLEDGED_AT),
    })
}

/// Whether a person has to act, and on what. Older releases say it in a condition only.
fn human_action(issue: &Issue) -> (bool, String) {
    let Some(status) = &issue.status else {
        return (false, String::new());
    };
    let stated = status.required_action.clone();
    if status.requires_human_action || status.state == IssueState::Contained {
        return (true, stated);
    }
    let condition = status
        .conditions
        .iter()
        .find(|condition| condition.aspect == REQUIRES_HUMAN_ACTION && condition.status == ConditionStatus::True);
    match condition {
        Some(condition) if stated.is_empty() => (true, condition.message.clone()),
        found => (found.is_some(), stated),
    }
}

impl Project for Issue {
    const FACETS: &'static [&'static str] = &["severity", "state", "kind", "chaos", "acknowledged", "snoozed"];

    const SORTABLE: &'static [&'static str] = &[
        "severity",
        "source",
        "signalType",
        "resource",
        "description",
        "riskScore",
        "state",
        "detectedAt",
        "resolvedAt",
        "remediationAttempts",
        "acknowledged",
        "snoozed",
    ];

    fn project(&self, context: &Context<'_>) -> Projection {
        let item = incident_item(self, context.now);
        let resolved = item.state == IssueState::Resolved.as_str();
        Projection::of(&item)
            .text([
                &*item.description,
                &format!("{}/{}", item.resource.kind, item.resource.name),
            ])
            .need(need(resolved, &self.spec.severity))
            .until(snoozed_until(self, context.now))
            .flag("chaos", item.chaos_induced)
            .flag("acknowledged", item.acknowledged.is_some())
            .flag("snoozed", item.snoozed.is_some())
            .facet("severity", item.severity)
            .facet("state", item.state)
            .facet("kind", item.resource.kind)
    }

    fn sort_key<'a>(row: &'a Row<Self>, member: &str) -> SortKey<'a> {
        let issue = &row.object;
        let (spec, status) = (&issue.spec, issue.status.as_ref());
        match member {
            "severity" => severity_key(&spec.severity),
            "source" => spec.source.as_str().into(),
            "signalType" => spec.signal_type.as_str().into(),
            "resource" => SortKey::Text(format!("{}/{}", spec.resource.kind, spec.resource.name).into()),
            "description" => spec.description.as_str().into(),
            "riskScore" => spec.risk_score.into(),
            "state" => status.map_or("", |status| status.state.as_str()).into(),
            "detectedAt" => status.and_then(|status| status.detected_at).into(),
            "resolvedAt" => status.and_then(|status| status.resolved_at).into(),
            "remediationAttempts" => status.map_or(0, |status| status.remediation_attempts).into(),
            "acknowledged" => acknowledged(issue)
                .and_then(|acknowledged| moment::read(&acknowledged.at))
                .into(),
            "snoozed" => issue.annotation(SNOOZED_UNTIL).and_then(moment::read).into(),
            _ => SortKey::Absent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{incident_item, severity_key};
    use crate::{
        fixtures::{Fixture, at, incident, noon},
        resources::{
            ConditionStatus::{False, True},
            Issue, IssueState, Severity,
        },
    };
    use opsdeck_api::incident::{Acknowledged, Snoozed};
    use std::cmp::Ordering::Less;

    #[test]
    fn a_fresh_incident_says_what_it_has() {
        let fresh = incident().critical().with(|issue| issue.spec.risk_score = 85);
        assert_eq!(
            serde_json::to_value(incident_item(&fresh, noon())).unwrap(),
            serde_json::json!({
                "name": "checkout-oom", "namespace": "shop", "severity": "critical", "source": "",
                "resource": {"kind": "Deployment", "name": "checkout", "namespace": "shop"}, "description": "", "riskScore": 85, "state": "",
                "remediationAttempts": 0, "maxRemediationAttempts": 0, "creationTimestamp": "2026-09-23T12:00:00Z",
                "acknowledged": null, "snoozed": null,
            })
        );
        let undated = incident().with(|issue| issue.metadata.creation_timestamp = None);
        assert_eq!(
            incident_item(&undated, noon()).creation_timestamp,
            "0001-01-01T00:00:00Z"
        );
    }

    #[test]
    fn a_person_has_to_act_when_status_state_or_condition_says_so() {
        let stated = |issue: Fixture<Issue>| {
            let item = incident_item(&issue, noon());
            (item.requires_human_action, item.required_action)
        };
        let asks = |text: &str| {
            let text = text.to_owned();
            incident().with(move |issue| issue.status.get_or_insert_default().required_action = text)
        };
        let aspect = "RequiresHumanAction";
        assert_eq!(
            stated(asks("scale back").with(|issue| issue.status.get_or_insert_default().requires_human_action = true)),
            (true, "scale back".into())
        );
        assert_eq!(
            stated(
                incident()
                    .state(IssueState::Contained)
                    .condition(aspect, True, "not this")
            ),
            (true, String::new())
        );
        assert_eq!(
            stated(incident().condition(aspect, True, "fix the leak")),
            (true, "fix the leak".into())
        );
        assert_eq!(
            stated(asks("scale back").condition(aspect, True, "not this")),
            (true, "scale back".into())
        );
        assert_eq!(
            stated(
                incident()
                    .condition(aspect, False, "done")
                    .condition("Analyzing", True, "")
            ),
            (false, String::new())
        );
        assert_eq!(stated(incident()), (false, String::new()));
    }

    #[test]
    fn acknowledged_by_any_spelling_of_true() {
        let marked = |value: &str| {
            incident()
                .annotated("aiops.chatcli.io/acknowledged", value)
                .annotated("aiops.chatcli.io/acknowledged-by", "ana")
                .annotated("aiops.chatcli.io/acknowledged-at", "2026-09-23T12:05:00Z")
        };
        let ana = Acknowledged {
            by: "ana".into(),
            at: "2026-09-23T12:05:00Z".into(),
        };
        assert_eq!(incident_item(&marked(" True "), noon()).acknowledged, Some(ana));
        assert_eq!(incident_item(&marked("yes"), noon()).acknowledged, None);
    }

    #[test]
    fn a_snooze_ends_by_itself() {
        let quiet = incident()
            .annotated("aiops.chatcli.io/snoozed-until", "2026-09-23T15:00:00+02:00")
            .annotated("aiops.chatcli.io/snoozed-by", "ana");
        let until = at("2026-09-23T13:00:00Z");
        let snoozed = Snoozed {
            by: "ana".into(),
            until: "2026-09-23T13:00:00Z".into(),
        };
        assert_eq!(incident_item(&quiet, noon()).snoozed, Some(snoozed));
        assert_eq!(incident_item(&quiet, until).snoozed, None);
        assert_eq!(
            incident_item(&incident().annotated("aiops.chatcli.io/snoozed-until", "soon"), noon()).snoozed,
            None
        );
    }

    #[test]
    fn only_the_label_of_an_experiment_makes_it_chaos() {
        let drill = incident_item(&incident().raised_by_experiment("pod-kill"), noon());
        assert_eq!((drill.chaos_induced, &*drill.chaos_experiment), (true, "pod-kill"));
        let other = incident_item(
            &incident().labelled("platform.chatcli.io/chaos-experiment", "pod-kill"),
            noon(),
        );
        assert_eq!((other.chaos_induced, &*other.chaos_experiment), (false, ""));
    }

    #[test]
    fn worse_sorts_above() {
        let ascending = [
            Severity::from("odd"),
            Severity::Low,
            Severity::Medium,
            Severity::High,
            Severity::Critical,
        ];
        assert!(
            ascending
                .windows(2)
                .all(|pair| severity_key(&pair[0]).compare(&severity_key(&pair[1])) == Less)
        );
    }
}
