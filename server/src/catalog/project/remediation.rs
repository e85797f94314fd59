//! RemediationPlan → remediation.

use super::{Context, Project, Projection, wire};
use crate::{
    catalog::{Row, SortKey},
    resources::{
        moment,
        remediation_plan::{RemediationPlan, RemediationPlanStatus},
        shared,
        vocabulary::PlanState,
    },
    rules::masking,
};
use opsdeck_api::{
    Action,
    remediation::{AgenticStep, EvidenceItem, RemediationDetail, RemediationItem},
};

pub fn remediation_item(plan: &RemediationPlan) -> RemediationItem {
    let (meta, spec) = (&plan.metadata, &plan.spec);
    let status = remediation_status(plan);
    RemediationItem {
        name: wire::name(meta),
        namespace: wire::namespace(meta),
        issue_ref: spec.issue_ref.name.clone(),
        attempt: spec.attempt,
        strategy: spec.strategy.clone(),
        state: status.state.to_string(),
        started_at: status.started_at.map(moment::written),
        completed_at: status.completed_at.map(moment::written),
        result: status.result,
        agentic_mode: spec.agentic_mode,
        agentic_step_count: status.agentic_step_count,
        actions: spec.actions.iter().map(action).collect(),
        creation_timestamp: wire::created_or_zero(meta),
    }
}

/// The item and what only the single object shows.
pub fn remediation_detail(plan: &RemediationPlan) -> RemediationDetail {
    let status = remediation_status(plan);
    RemediationDetail {
        item: remediation_item(plan),
        safety_constraints: plan.spec.safety_constraints.clone(),
        evidence: status
            .evidence
            .into_iter()
            .map(|evidence| EvidenceItem {
                kind: evidence.kind,
                data: evidence.data,
                timestamp: wire::time_or_zero(evidence.timestamp),
            })
            .collect(),
        rollback_performed: status.rollback_performed,
        rollback_result: status.rollback_result,
        agentic_history: plan
            .spec
            .agentic_history
            .iter()
            .map(|step| AgenticStep {
                step_number: step.step_number,
                ai_message: step.ai_message.clone(),
                action: step.action.as_ref().map(action),
                observation: step.observation.clone(),
                timestamp: wire::time_or_zero(step.timestamp),
            })
            .collect(),
    }
}

/// The status as a single object shows it: what the schema knows, with what its snapshots hold under names of others masked;
/// `{"state":""}` where there is none.
pub fn remediation_status(plan: &RemediationPlan) -> RemediationPlanStatus {
    let mut status = plan.status.clone().unwrap_or_default();
    let before_steps = status
        .action_checkpoints
        .iter_mut()
        .map(|checkpoint| &mut checkpoint.snapshot_before);
    for snapshot in before_steps.chain([&mut status.preflight_snapshot]).flatten() {
        snapshot.annotations = masking::entries(&snapshot.annotations);
    }
    status
}

/// Masked by the type of the action.
pub(super) fn action(action: &shared::Action) -> Action {
    Action {
        kind: action.action.to_string(),
        params: masking::params(action.action.as_str(), &action.params),
    }
}

impl Project for RemediationPlan {
    const FACETS: &'static [&'static str] = &["state", "issue"];

    const SORTABLE: &'static [&'static str] = &[
        "issueRef",
        "attempt",
        "strategy",
        "state",
        "startedAt",
        "completedAt",
        "agenticMode",
        "agenticStepCount",
    ];

    fn project(&self, _context: &Context<'_>) -> Projection {
        let item = remediation_item(self);
        let need = match self.status.as_ref().map(|status| &status.state) {
            Some(PlanState::WaitingApproval) => 0,
            Some(PlanState::Completed | PlanState::Failed | PlanState::RolledBack) => 2,
            _ => 1,
        };
        Projection::of(&item)
            .text([&*item.issue_ref, &item.strategy])
            .need(need)
            .facet("state", item.state)
            .facet("issue", item.issue_ref)
    }

    fn sort_key<'a>(row: &'a Row<Self>, member: &str) -> SortKey<'a> {
        let (spec, status) = (&row.object.spec, row.object.status.as_ref());
        match member {
            "issueRef" => spec.issue_ref.name.as_str().into(),
            "attempt" => spec.attempt.into(),
            "strategy" => spec.strategy.as_str().into(),
            "state" => status.map_or("", |status| status.state.as_str()).into(),
            "startedAt" => status.and_then(|status| status.started_at).into(),
            "completedAt" => status.and_then(|status| status.completed_at).into(),
            "agenticMode" => spec.agentic_mode.into(),
            "agenticStepCount" => status.map_or(0, |status| status.agentic_step_count).into(),
            _ => SortKey::Absent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{remediation_detail, remediation_item, remediation_status};
    use crate::{
        fixtures::{action, noon, plan, texts},
        json,
        resources::{
            ActionType, PlanState,
            remediation_plan::{ActionCheckpoint, AgenticStep, Evidence, ResourceSnapshot},
        },
    };
    use serde_json::{Value, json};

    #[test]
    fn a_plan_without_status_has_an_empty_state() {
        let item = json!({
            "name": "checkout-oom-plan-1", "namespace": "shop", "issueRef": "checkout-oom", "attempt": 1, "strategy": "", "state": "",
            "agenticMode": false, "agenticStepCount": 0, "creationTimestamp": "2026-09-23T12:00:00Z",
        });
        assert_eq!(serde_json::to_value(remediation_item(&plan())).unwrap(), item);
        let mut detail = item;
        detail["rollbackPerformed"] = false.into();
        assert_eq!(serde_json::to_value(remediation_detail(&plan())).unwrap(), detail);
        assert_eq!(
            serde_json::to_value(remediation_status(&plan())).unwrap(),
            json!({"state": ""})
        );
    }

    #[test]
    fn the_detail_tells_the_trail_and_hides_credentials() {
        let plan = plan().state(PlanState::RolledBack).with(|plan| {
            plan.spec.actions = vec![action(
                ActionType::RotateSecret,
                &[("secret", "tls"), ("key.pem", "PEM")],
            )];
            plan.spec.agentic_history = vec![AgenticStep {
                step_number: 1,
                ai_message: "look".into(),
                action: Some(action(ActionType::PatchConfig, &[("API_TOKEN", "t")])),
                timestamp: Some(noon()),
                ..AgenticStep::default()
            }];
            let status = plan.status.get_or_insert_default();
            status.evidence = vec![Evidence {
                kind: "rollback".into(),
                data: "back".into(),
                timestamp: Some(noon()),
            }];
            status.rollback_performed = true;
        });
        let detail = serde_json::to_value(remediation_detail(&plan)).unwrap();
        assert_eq!(
            detail["actions"],
            json!([{"type": "RotateSecret", "params": {"secret": "tls", "key.pem": "***"}}])
        );
        assert_eq!(
            detail["agenticHistory"],
            json!([{
                "stepNumber": 1, "aiMessage": "look", "action": {"type": "PatchConfig", "params": {"API_TOKEN": "***"}},
                "observation": "", "timestamp": "2026-09-23T12:00:00Z",
            }])
        );
        assert_eq!(
            detail["evidence"],
            json!([{"type": "rollback", "data": "back", "timestamp": "2026-09-23T12:00:00Z"}])
        );
        assert_eq!(detail["rollbackPerformed"], true);
    }

    #[test]
    fn what_a_snapshot_holds_of_credentials_is_hidden() {
        let plan = plan().with(|plan| {
            let snapshot = ResourceSnapshot {
                annotations: texts(&[("team", "shop"), ("vault/token", "S3CR3T"), ("note", "password=S3CR3T")]),
                full_spec: json!({"env": [{"name": "DB_PASSWORD", "value": "S3CR3T"}], "dsn": "amqp://u:S3CR3T@mq"})
                    .to_string(),
                ..ResourceSnapshot::default()
            };
            let status = plan.status.get_or_insert_default();
            status.result = "gave up: Authorization: Bearer S3CR3T".into();
            status.preflight_snapshot = Some(Box::new(snapshot.clone()));
            status.action_checkpoints = vec![ActionCheckpoint {
                snapshot_before: Some(Box::new(snapshot)),
                ..ActionCheckpoint::default()
            }];
            plan.spec.agentic_history = vec![AgenticStep {
                observation: "FAILED: --token S3CR3T".into(),
                ..AgenticStep::default()
            }];
        });
        for shown in [
            json::shown(&remediation_status(&plan)),
            json::shown(&remediation_detail(&plan)),
        ] {
            let shown = String::from_utf8(shown).unwrap();
            assert!(!shown.contains("S3CR3T") && shown.contains("***"), "{shown}");
        }
        let status: Value = serde_json::from_slice(&json::shown(&remediation_status(&plan))).unwrap();
        assert_eq!(
            status["preflightSnapshot"]["annotations"],
            json!({"team": "shop", "vault/token": "***", "note": "password=***"})
        );
    }

    #[test]
    fn the_status_leaves_out_what_is_empty_down_to_the_snapshots() {
        let plan = plan().with(|plan| {
            plan.status.get_or_insert_default().action_checkpoints = vec![ActionCheckpoint {
                action_type: ActionType::CordonNode,
                snapshot_before: Some(Box::new(ResourceSnapshot {
                    resource_kind: "Node".into(),
                    resource_name: "a".into(),
                    captured_at: Some(noon()),
                    ..ResourceSnapshot::default()
                })),
                timestamp: Some(noon()),
                ..ActionCheckpoint::default()
            }];
        });
        let noon = "2026-09-23T12:00:00Z";
        assert_eq!(
            serde_json::to_value(remediation_status(&plan)).unwrap(),
            json!({"state": "", "actionCheckpoints": [{
                "actionIndex": 0, "actionType": "CordonNode", "success": false, "timestamp": noon,
                "snapshotBefore": {"resourceKind": "Node", "resourceName": "a", "namespace": "", "capturedAt": noon},
            }]})
        );
    }
}
