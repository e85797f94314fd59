//! Objects made from the schemas of the manifests: with nothing that may be left out, and with everything.

use opsdeck::resources::crds;
use serde_json::{Map, Value, json};

const NOON: &str = "2026-09-23T12:00:00Z";

/// How much an object says.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Says {
    /// What its author has to give: no status, no entry in a list, no letter in a text.
    Least,
    /// Every part is there and every list has an entry, but none of these says more than it has to.
    Hollow,
    /// Every member.
    Most,
}

/// One object of each custom resource, Instances apart: the page knows nothing of them.
pub(super) fn of_every_kind(says: Says) -> Vec<Value> {
    let manifests = crds()
        .into_iter()
        .map(|crd| serde_json::to_value(crd).expect("plain data"));
    manifests
        .filter(|manifest| manifest["spec"]["names"]["kind"] != "Instance")
        .map(|manifest| object(&manifest["spec"], says))
        .collect()
}

fn object(manifest: &Value, says: Says) -> Value {
    let parts = &manifest["versions"][0]["schema"]["openAPIV3Schema"]["properties"];
    let mut object = json!({
        "apiVersion": "platform.chatcli.io/v1alpha1", "kind": manifest["names"]["kind"],
        "metadata": {"name": manifest["names"]["singular"], "namespace": "shop"},
        "spec": value(&parts["spec"], says, true),
    });
    if says == Says::Most {
        object["metadata"]["creationTimestamp"] = NOON.into();
        object["metadata"]["annotations"] = json!({"platform.chatcli.io/blast-risk-level": "high"});
    }
    // What controllers write may be of another release: nothing of it is demanded.
    if says != Says::Least && parts["status"].is_object() {
        object["status"] = value(&parts["status"], says, false);
    }
    object
}

fn value(schema: &Value, says: Says, demanding: bool) -> Value {
    let most = says == Says::Most;
    if let Some(word) = schema["enum"].get(0) {
        return word.clone();
    }
    match schema["type"].as_str() {
        Some("string") if schema["format"] == "date-time" => NOON.into(),
        Some("string") => if most { "text" } else { "" }.into(),
        Some("integer" | "number") if most => 1.into(),
        Some("integer" | "number") => schema["minimum"].as_i64().unwrap_or_default().into(),
        Some("boolean") => most.into(),
        Some("array") if says == Says::Least => json!([]),
        Some("array") => json!([value(&schema["items"], says, demanding)]),
        _ => members(schema, says, demanding).into(),
    }
}

fn members(schema: &Value, says: Says, demanding: bool) -> Map<String, Value> {
    let mut members = Map::new();
    for (name, schema_of_member) in schema["properties"].as_object().into_iter().flatten() {
        let required = schema["required"]
            .as_array()
            .is_some_and(|names| names.contains(&json!(name)));
        let demanded = demanding && required && schema_of_member.get("default").is_none();
        let holds_more = matches!(schema_of_member["type"].as_str(), Some("object" | "array"));
        if demanded || says == Says::Most || (says == Says::Hollow && holds_more) {
            members.insert(name.clone(), value(schema_of_member, says, demanding));
        }
    }
    if schema["additionalProperties"].is_object() && says != Says::Least {
        members.insert("key".into(), value(&schema["additionalProperties"], says, demanding));
    }
    members
}
