//! The fingerprint of what an approver has read: a decision that names another one is refused.

use crate::hex;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// First 16 hex digits of SHA-256 over the canonical JSON of the requested actions and the plan's specification.
/// What cannot be written as JSON counts as null; the types here always can.
pub fn plan_hash(requested_actions: &impl Serialize, plan: Option<&impl Serialize>) -> String {
    let mut text = String::from("{");
    if let Some(plan) = plan {
        text.push_str("\"plan\":");
        canonical(&json(plan), &mut text);
        text.push(',');
    }
    text.push_str("\"requestedActions\":");
    canonical(&json(requested_actions), &mut text);
    text.push('}');
    hex::encode(&Sha256::digest(text)[..8])
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// No spaces, members sorted by name, whatever order the parser kept.
fn canonical(value: &Value, text: &mut String) {
    match value {
        Value::Array(elements) => {
            text.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                canonical(element, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            text.push('{');
            for (index, (name, member)) in members.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                canonical(member, text);
            }
            text.push('}');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::plan_hash;
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    #[test]
    fn the_plan_counts_where_there_is_one() {
        let actions = json!([{"type": "ScaleDeployment", "params": {"replicas": "4"}}]);
        let alone = plan_hash(&actions, None::<&Value>);
        assert_eq!(alone.len(), 16);
        assert!(
            alone
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase())
        );
        let with_plan = plan_hash(&actions, Some(&json!({"attempt": 1})));
        assert_ne!(alone, with_plan);
        assert_ne!(with_plan, plan_hash(&actions, Some(&json!({"attempt": 2}))));
    }

    #[test]
    fn the_value_is_pinned() {
        // printf '{"plan":{"attempt":1},"requestedActions":[{"type":"DeletePod"}]}' | sha256sum
        assert_eq!(
            plan_hash(&json!([{"type": "DeletePod"}]), Some(&json!({"attempt": 1}))),
            "d403ad54a9ad5798"
        );
    }

    proptest! {
        #[test]
        fn the_order_of_members_does_not_count(members in prop::collection::btree_map("[a-z\"é]{1,4}", 0..9u8, 0..6)) {
            let forward: Map<String, Value> = members.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
            let backward: Map<String, Value> = members.iter().rev().map(|(name, value)| (name.clone(), json!(value))).collect();
            prop_assert_eq!(plan_hash(&json!([forward]), None::<&Value>), plan_hash(&json!([backward]), None::<&Value>));
        }
    }
}
