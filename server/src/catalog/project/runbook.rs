//! Runbook → runbook.

use super::{Context, Project, Projection, incident::severity_key, wire};
use crate::{
    catalog::{Row, SortKey},
    resources::Runbook,
    rules::masking,
};
use opsdeck_api::runbook::{RunbookItem, RunbookStep, RunbookTrigger};

pub fn runbook_item(runbook: &Runbook) -> RunbookItem {
    let (meta, spec) = (&runbook.metadata, &runbook.spec);
    RunbookItem {
        name: wire::name(meta),
        namespace: wire::namespace(meta),
        description: spec.description.clone(),
        trigger: RunbookTrigger {
            signal_type: spec.trigger.signal_type.to_string(),
            severity: spec.trigger.severity.to_string(),
            resource_kind: spec.trigger.resource_kind.clone(),
        },
        steps: spec
            .steps
            .iter()
            .map(|step| RunbookStep {
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

impl Project for Runbook {
    const SORTABLE: &'static [&'static str] = &["description", "trigger", "steps", "maxAttempts"];

    fn project(&self, _context: &Context<'_>) -> Projection {
        let item = runbook_item(self);
        let trigger = &item.trigger;
        let steps = item.steps.iter().flat_map(|step| [&*step.name, &*step.action]);
        Projection::of(&item).text(
            [
                &*item.description,
                &trigger.signal_type,
                &trigger.severity,
                &trigger.resource_kind,
            ]
            .into_iter()
            .chain(steps),
        )
    }

    /// A trigger sorts by its severity, the steps by how many they are.
    fn sort_key<'a>(row: &'a Row<Self>, member: &str) -> SortKey<'a> {
        let spec = &row.object.spec;
        match member {
            "description" => spec.description.as_str().into(),
            "trigger" => severity_key(&spec.trigger.severity),
            "steps" => SortKey::Number(spec.steps.len() as f64),
            "maxAttempts" => spec.max_attempts.into(),
            _ => SortKey::Absent,
        }
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
    fn one_without_steps_has_an_empty_list_of_them() {
        assert_eq!(
            serde_json::to_value(runbook_item(&runbook())).unwrap(),
            json!({
                "name": "restart", "namespace": "shop", "trigger": {"signalType": "", "severity": "", "resourceKind": ""},
                "steps": [], "maxAttempts": 0, "creationTimestamp": "2026-09-23T12:00:00Z",
            })
        );
    }

    #[test]
    fn its_steps_keep_their_order_and_hide_credentials() {
        let runbook = runbook().with(|runbook| {
            runbook.spec.description = "Rotate, then restart".into();
            runbook.spec.trigger.signal_type = Signal::OomKill;
            runbook.spec.trigger.severity = Severity::High;
            runbook.spec.steps = vec![
                NamedStep {
                    name: "rotate".into(),
                    action: "PatchConfig".into(),
                    description: "one by one".into(),
                    params: texts(&[("configmap", "app"), ("db_password", "hunter2")]),
                },
                NamedStep {
                    name: "restart".into(),
                    action: "RestartDeployment".into(),
                    ..NamedStep::default()
                },
            ];
        });
        let item = serde_json::to_value(runbook_item(&runbook)).unwrap();
        assert_eq!(
            item["steps"],
            json!([
                {"name": "rotate", "action": "PatchConfig", "description": "one by one", "params": {"configmap": "app", "db_password": "***"}},
                {"name": "restart", "action": "RestartDeployment"},
            ])
        );
        assert_eq!(
            item["trigger"],
            json!({"signalType": "oom_kill", "severity": "high", "resourceKind": ""})
        );
    }
}
