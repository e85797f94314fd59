//! ApprovalPolicy, NotificationPolicy, EscalationPolicy, IncidentSLA → policy.

use super::{Context, Project, Projection, wire};
use crate::{
    resources::{ApprovalPolicy, EscalationPolicy, IncidentSLA, NotificationPolicy, Stored, Typed},
    rules::masking,
};
use opsdeck_api::{Number, policy::PolicyItem};
use serde_json::{Value, json};

/// A kind that is shown as it is stored.
pub trait Policy: Typed {
    fn stored(&self) -> &Stored;

    /// What free text finds it by, beside its name.
    fn words(&self) -> Vec<&str>;
}

pub fn policy_item<P: Policy>(policy: &P) -> PolicyItem {
    let stored = policy.stored();
    let mut shown = json!({"spec": stored.spec, "status": stored.status});
    masking::policy(&mut shown);
    print_whole(&mut shown);
    let mut part = |name: &str| Some(shown[name].take()).filter(|part| *part != Value::Null);
    PolicyItem {
        name: wire::name(policy.meta()),
        namespace: wire::namespace(policy.meta()),
        kind: P::KIND.to_string(),
        creation_timestamp: wire::created(policy.meta()),
        spec: part("spec"),
        status: part("status"),
    }
}

/// Whole numbers have no fraction anywhere in the API, however they were stored.
fn print_whole(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => *value = json!(Number(number.as_f64().unwrap_or_default())),
        Value::Array(items) => items.iter_mut().for_each(print_whole),
        Value::Object(members) => members.values_mut().for_each(print_whole),
        _ => {}
    }
}

fn projection(policy: &impl Policy) -> Projection {
    Projection::of(&policy_item(policy)).text(policy.words())
}

impl Policy for ApprovalPolicy {
    fn stored(&self) -> &Stored {
        &self.spec.stored
    }

    fn words(&self) -> Vec<&str> {
        self.spec.rules.iter().map(|rule| &*rule.name).collect()
    }
}

impl Policy for NotificationPolicy {
    fn stored(&self) -> &Stored {
        &self.spec.stored
    }

    fn words(&self) -> Vec<&str> {
        let spec = &self.spec;
        let channels = spec.channels.iter().map(|channel| &*channel.name);
        channels.chain(spec.rules.iter().map(|rule| &*rule.name)).collect()
    }
}

impl Policy for EscalationPolicy {
    fn stored(&self) -> &Stored {
        &self.spec.stored
    }

    fn words(&self) -> Vec<&str> {
        let levels = self.spec.levels.iter();
        levels
            .flat_map(|level| {
                [&*level.name]
                    .into_iter()
                    .chain(level.targets.iter().map(|target| &*target.name))
            })
            .collect()
    }
}

impl Policy for IncidentSLA {
    fn stored(&self) -> &Stored {
        &self.spec.stored
    }

    fn words(&self) -> Vec<&str> {
        vec![self.spec.severity.as_str()]
    }
}

impl Project for ApprovalPolicy {
    fn project(&self, _context: &Context<'_>) -> Projection {
        projection(self)
    }
}

impl Project for NotificationPolicy {
    fn project(&self, _context: &Context<'_>) -> Projection {
        projection(self)
    }
}

impl Project for EscalationPolicy {
    fn project(&self, _context: &Context<'_>) -> Projection {
        projection(self)
    }
}

impl Project for IncidentSLA {
    fn project(&self, _context: &Context<'_>) -> Projection {
        projection(self)
    }
}

#[cfg(test)]
mod tests {
    use super::{Policy, policy_item};
    use crate::resources::{EscalationPolicy, IncidentSLA, Kind, NotificationPolicy, Object, Typed};
    use serde_json::{Value, json};
    use std::sync::Arc;

    fn read<K: Typed>(spec: &Value, status: &Value) -> Arc<K> {
        let object = json!({
            "apiVersion": "platform.chatcli.io/v1alpha1", "kind": K::KIND.as_str(),
            "metadata": {"name": "p", "namespace": "shop"}, "spec": spec, "status": status,
        });
        K::of(&Object::parse(K::KIND, object).unwrap()).unwrap().clone()
    }

    #[test]
    fn what_is_stored_is_shown_word_for_word() {
        let spec = json!({
            "severity": "critical", "responseTime": "15m", "resolutionTime": "4h", "businessHoursOnly": false, "ofANewerRelease": {"x": [1, 0.5]},
        });
        let status =
            json!({"complianceNote": "odd", "lastViolationAt": "2026-09-23T14:00:00.25+02:00", "recentViolations": []});
        let item = policy_item(&*read::<IncidentSLA>(&spec, &status));
        assert_eq!(
            (&*item.kind, item.spec, item.status),
            ("IncidentSLA", Some(spec), Some(status))
        );
    }

    #[test]
    fn a_whole_number_has_no_fraction() {
        let spec = json!({"severity": "low", "responseTime": "4h", "resolutionTime": "72h"});
        let status = json!({"compliancePercentage": 100.0, "odd": [99.5, {"deep": -2.0}]});
        let item = policy_item(&*read::<IncidentSLA>(&spec, &status));
        assert_eq!(
            item.status,
            Some(json!({"compliancePercentage": 100, "odd": [99.5, {"deep": -2}]}))
        );
    }

    #[test]
    fn one_without_status_or_creation_time_leaves_them_out() {
        let ladder = read::<EscalationPolicy>(&json!({"enabled": true, "levels": []}), &Value::Null);
        assert_eq!(
            serde_json::to_value(policy_item(&*ladder)).unwrap(),
            json!({"name": "p", "namespace": "shop", "kind": "EscalationPolicy", "spec": {"enabled": true, "levels": []}})
        );
    }

    #[test]
    fn a_channel_keeps_its_secret_to_itself() {
        let policy = read::<NotificationPolicy>(
            &json!({
                "enabled": true, "rules": [],
                "channels": [{"name": "sre", "type": "slack", "config": {"webhook_url": "https://h.example/S3CR3T"}}],
            }),
            &json!({"recentDeliveries": [{"channel": "sre", "success": false, "error": "Post \"https://h.example/S3CR3T\": EOF"}]}),
        );
        let shown = serde_json::to_string(&policy_item(&*policy)).unwrap();
        assert!(!shown.contains("S3CR3T") && shown.contains("webhook_url"), "{shown}");
        assert_eq!(policy.words(), ["sre"]);
    }

    #[test]
    fn the_kinds_that_are_kept_word_for_word_are_the_policies() {
        for kind in Kind::ALL {
            let named = kind.as_str().ends_with("Policy") || kind == Kind::IncidentSLA;
            assert_eq!(Kind::POLICIES.contains(&kind), named, "{kind}");
        }
    }
}
