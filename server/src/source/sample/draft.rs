//! An object while it is being written: metadata in order, members that have no value left out.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

#[derive(Clone, Debug)]
pub(super) struct Draft(Value);

/// Puts upstream's prefix before a bare key.
pub(super) fn key(bare: &str) -> String {
    if bare.contains('/') {
        bare.to_owned()
    } else {
        format!("platform.chatcli.io/{bare}")
    }
}

/// What a hash of that text makes of itself: the same each time, different from the next.
pub(super) fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

// === impl Draft ===

impl Draft {
    pub(super) fn new(kind: &str, namespace: &str, name: &str, created: String) -> Self {
        let api_version = match kind {
            "Deployment" => "apps/v1",
            "ConfigMap" => "v1",
            _ => "platform.chatcli.io/v1alpha1",
        };
        Self(json!({
            "apiVersion": api_version,
            "kind": kind,
            "metadata": {
                "name": name, "namespace": namespace, "uid": uid(kind, namespace, name), "generation": 1,
                "creationTimestamp": created,
            },
        }))
    }

    pub(super) fn spec(mut self, spec: Value) -> Self {
        self.0["spec"] = pruned(spec);
        self
    }

    pub(super) fn status(mut self, status: Value) -> Self {
        self.0["status"] = pruned(status);
        self
    }

    pub(super) fn label(mut self, bare: &str, value: &str) -> Self {
        self.relabel(bare, value);
        self
    }

    pub(super) fn data(mut self, data: Value) -> Self {
        self.0["data"] = data;
        self
    }

    pub(super) fn annotation(mut self, bare: &str, value: &str) -> Self {
        self.annotate(bare, value);
        self
    }

    pub(super) fn owned_by(mut self, owner: &Self) -> Self {
        self.0["metadata"]["ownerReferences"] = json!([{
            "apiVersion": owner.0["apiVersion"], "kind": owner.0["kind"], "name": owner.name(),
            "uid": owner.0["metadata"]["uid"],
            "controller": true, "blockOwnerDeletion": true,
        }]);
        self
    }

    pub(super) fn finalizer(mut self, bare: &str) -> Self {
        self.0["metadata"]["finalizers"] = json!([key(bare)]);
        self
    }

    pub(super) fn relabel(&mut self, bare: &str, value: &str) {
        self.0["metadata"]["labels"][key(bare)] = value.into();
    }

    pub(super) fn label_of(&self, bare: &str) -> Option<&str> {
        self.0["metadata"]["labels"][key(bare)].as_str()
    }

    pub(super) fn annotate(&mut self, bare: &str, value: &str) {
        self.0["metadata"]["annotations"][key(bare)] = value.into();
    }

    pub(super) fn unannotate(&mut self, bare: &str) {
        if let Some(annotations) = self.0["metadata"]["annotations"].as_object_mut() {
            annotations.remove(&key(bare));
            if annotations.is_empty()
                && let Some(metadata) = self.0["metadata"].as_object_mut()
            {
                metadata.remove("annotations");
            }
        }
    }

    pub(super) fn name(&self) -> &str {
        self.0["metadata"]["name"].as_str().unwrap_or_default()
    }

    pub(super) fn namespace(&self) -> &str {
        self.0["metadata"]["namespace"].as_str().unwrap_or_default()
    }

    pub(super) fn created(&self) -> &str {
        self.0["metadata"]["creationTimestamp"].as_str().unwrap_or_default()
    }

    /// Writes some members of the status over.
    pub(super) fn report(&mut self, members: Value) {
        merge(&mut self.0["status"], members);
    }

    /// Writes some members of the spec over.
    pub(super) fn amend(&mut self, members: Value) {
        merge(&mut self.0["spec"], members);
    }

    /// Adds to a list of the status.
    pub(super) fn append(&mut self, list: &str, entry: Value) {
        push(&mut self.0["status"][list], entry);
    }

    /// Adds to a list of the spec.
    pub(super) fn extend_spec(&mut self, list: &str, entry: Value) {
        push(&mut self.0["spec"][list], entry);
    }

    /// Sets the condition of that type.
    pub(super) fn condition(&mut self, kind: &str, status: &str, reason: &str, message: &str, at: &str) {
        if let Some(conditions) = self.0["status"]["conditions"].as_array_mut() {
            conditions.retain(|condition| condition["type"] != kind);
        }
        self.append("conditions", condition(kind, status, reason, message, at));
    }

    pub(super) fn get(&self, pointer: &str) -> &Value {
        self.0.pointer(pointer).unwrap_or(&Value::Null)
    }

    pub(super) fn into_value(self) -> Value {
        self.0
    }
}

pub(super) fn condition(kind: &str, status: &str, reason: &str, message: &str, at: &str) -> Value {
    json!({"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": at})
}

fn uid(kind: &str, namespace: &str, name: &str) -> String {
    let mut bytes = digest(&format!("{kind}/{namespace}/{name}"));
    bytes[6] = bytes[6] & 0x0f | 0x50;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

fn push(list: &mut Value, entry: Value) {
    let entry = pruned(entry);
    match list.as_array_mut() {
        Some(entries) => entries.push(entry),
        None => *list = Value::Array(vec![entry]),
    }
}

fn merge(target: &mut Value, members: Value) {
    let Value::Object(members) = members else { return };
    for (name, value) in members {
        match value {
            Value::Null => target
                .as_object_mut()
                .map(|object| object.remove(&name))
                .map_or((), drop),
            value => target[name] = pruned(value),
        }
    }
}

/// Without members that are null or an empty text: an API server stores none of these for optional fields.
fn pruned(value: Value) -> Value {
    let blank = |value: &Value| value.is_null() || value == "";
    match value {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .map(|(name, value)| (name, pruned(value)))
                .filter(|(_, value)| !blank(value))
                .collect::<Map<_, _>>(),
        ),
        Value::Array(entries) => Value::Array(entries.into_iter().map(pruned).collect()),
        value => value,
    }
}
