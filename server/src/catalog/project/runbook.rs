//! Runbook → runbook.

use super::wire;
use crate::{resources::Runbook, rules::masking};
use opsdeck_api::runbook::{RunbookItem, Step, Trigger};

pub fn runbook_item(runbook: &Runbook) -> RunbookItem {
    let (meta, spec) = (&runbook.metadata, &runbook.spec);
    RunbookItem {
        name: wire::name(meta),
        namespace: wire::namespace(meta),
        description: spec.description.clone(),
        trigger: Trigger {
            signal_type: spec.trigger.signal_type.to_string(),
            severity: spec.trigger.severity.to_string(),
            resource_kind: spec.trigger.resource_kind.clone(),
        },
        steps: spec
            .steps
            .iter()
            .map(|step| Step {
                name: step.name.clone(),
                action: step.action.clone(),
                description: step.description.clone(),
                params: masking::params(&step.action, &step.params),
            })
            .collect(),
        max_attempts: spec.max_attempts,
        creation_timestamp: wire::created_or_zero(meta),
    }
}

#[cfg(test)]
mod tests {
    use super::runbook_item;
    use crate::{
        fixtures::{runbook, texts},
        resources::{NamedStep, Severity, Signal},
    };
    use serde_json::json;

    #[test]
    fn an_item_tells_all_but_credentials() {
        let patch = runbook().with(|runbook| {
            runbook.spec.trigger.signal_type = Signal::OomKill;
            runbook.spec.trigger.severity = Severity::High;
            runbook.spec.trigger.resource_kind = "Deployment".into();
            runbook.spec.max_attempts = 2;
            runbook.spec.steps = vec![NamedStep {
                name: "Log more".into(),
                action: "PatchConfig".into(),
                description: String::new(),
                params: texts(&[("LOG_LEVEL", "debug"), ("API_TOKEN", "t")]),
            }];
        });
        assert_eq!(
            serde_json::to_value(runbook_item(&patch)).unwrap(),
            json!({
                "name": "restart", "namespace": "shop",
                "trigger": {"signalType": "oom_kill", "severity": "high", "resourceKind": "Deployment"},
                "steps": [{"name": "Log more", "action": "PatchConfig", "params": {"LOG_LEVEL": "debug", "API_TOKEN": "***"}}],
                "maxAttempts": 2, "creationTimestamp": "2026-09-23T12:00:00Z",
            })
        );
    }

    #[test]
    fn one_without_steps_says_so() {
        let item = serde_json::to_value(runbook_item(&runbook())).unwrap();
        assert_eq!((&item["steps"], item.get("description")), (&json!([]), None));
    }
}
