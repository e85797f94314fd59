//! From what the store was told last to what it is told now, as small writes.

use crate::{
    catalog::{Held, Snapshot},
    resources::{Issue, Kind},
    source::{Address, Change, Verb, sample::draft::Draft},
};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// New objects are created, changed ones patched: status first, for it is what people act on. Requests that exist are
/// left to their voters.
pub(super) fn changes(before: &[Draft], after: &[Draft], world: &Snapshot) -> Vec<Change> {
    let known: BTreeMap<_, _> = before.iter().map(|draft| (identity(draft), draft)).collect();
    let mut changes = vec![];
    for draft in after {
        let Some(address) = address(draft) else { continue };
        match known.get(&identity(draft)) {
            None => {
                changes.push(change(&address, Verb::Create(draft.clone().into_value())));
                let status = draft.get("/status");
                if address.kind.has_status() && !status.is_null() {
                    changes.push(change(&address, Verb::PatchStatus(json!({"status": status}))));
                }
            }
            Some(_) if address.kind == Kind::ApprovalRequest => {}
            Some(old) => {
                if let Some(status) = difference(old.get("/status"), draft.get("/status")) {
                    let mut patch = change(&address, Verb::PatchStatus(json!({"status": status})));
                    if address.kind == Kind::Issue {
                        patch.precondition = version::<Issue>(world, &address);
                    }
                    changes.push(patch);
                }
                let patch: Map<_, _> = ["metadata", "spec"]
                    .into_iter()
                    .filter_map(|part| {
                        let pointer = format!("/{part}");
                        Some((part.to_owned(), difference(old.get(&pointer), draft.get(&pointer))?))
                    })
                    .collect();
                if !patch.is_empty() {
                    changes.push(change(&address, Verb::Patch(Value::Object(patch))));
                }
            }
        }
    }
    changes
}

fn change(address: &Address, verb: Verb) -> Change {
    Change {
        address: address.clone(),
        precondition: None,
        verb,
    }
}

fn identity(draft: &Draft) -> (&str, &str) {
    (draft.get("/kind").as_str().unwrap_or_default(), draft.name())
}

fn address(draft: &Draft) -> Option<Address> {
    let text = |pointer| draft.get(pointer).as_str();
    let kind = Kind::from_api(text("/apiVersion")?, text("/kind")?)?;
    Some(Address {
        kind,
        namespace: draft.namespace().to_owned(),
        name: draft.name().to_owned(),
    })
}

fn version<K: Held>(world: &Snapshot, address: &Address) -> Option<String> {
    world
        .table::<K>()
        .get(&address.namespace, &address.name)?
        .object
        .meta()
        .resource_version
        .clone()
}

/// The merge patch (RFC 7386) that makes `after` of `before`.
fn difference(before: &Value, after: &Value) -> Option<Value> {
    if before == after {
        return None;
    }
    let (Value::Object(old), Value::Object(new)) = (before, after) else {
        return Some(after.clone());
    };
    let gone = old
        .keys()
        .filter(|name| !new.contains_key(*name))
        .map(|name| (name.clone(), Value::Null));
    let changed = new.iter().filter_map(|(name, value)| {
        let patch = match old.get(name) {
            Some(old) => difference(old, value)?,
            None => value.clone(),
        };
        Some((name.clone(), patch))
    });
    Some(Value::Object(gone.chain(changed).collect()))
}

/// A vote is withdrawn when somebody was quicker: the next look decides anew.
pub(super) fn is_ours(change: &Change) -> bool {
    change.address.kind != Kind::ApprovalRequest
}

/// The uid that a new object was told with.
pub(super) fn uid(change: &Change) -> Option<String> {
    match &change.verb {
        Verb::Create(object) => object["metadata"]["uid"].as_str().map(str::to_owned),
        _ => None,
    }
}

/// Puts stored uids in the place of told ones, wherever a new object names another by it.
pub(super) fn rename(change: &mut Change, uids: &BTreeMap<String, String>) {
    let Verb::Create(object) = &mut change.verb else { return };
    let put = |place: &mut Value| {
        if let Some(stored) = place.as_str().and_then(|uid| uids.get(uid)) {
            *place = stored.as_str().into();
        }
    };
    for owner in object["metadata"]["ownerReferences"]
        .as_array_mut()
        .into_iter()
        .flatten()
    {
        put(&mut owner["uid"]);
    }
    if let Some(uid) = object.pointer_mut("/spec/resource/uid") {
        put(uid);
    }
}

#[cfg(test)]
mod tests {
    use super::difference;
    use serde_json::json;

    #[test]
    fn only_what_changed_is_patched() {
        let before = json!({"state": "Pending", "result": "waiting", "steps": [1], "same": {"a": 1}});
        let after = json!({"state": "Executing", "steps": [1, 2], "same": {"a": 1}, "startedAt": "now"});
        assert_eq!(
            difference(&before, &after),
            Some(json!({"result": null, "state": "Executing", "steps": [1, 2], "startedAt": "now"}))
        );
        assert_eq!(difference(&after, &after), None);
    }
}
