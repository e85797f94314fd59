//! What Kubernetes' API server makes of a write, over plain JSON: who owns which member, what counts as a change.
//! No I/O, and no reading of the object as its kind.

use crate::{
    resources::{Kind, moment},
    source::{Address, WriteError},
};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Members that neither a patch nor an import may move.
const SERVERS_OWN: [&str; 5] = [
    "generation",
    "resourceVersion",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
];

/// What the store gives to a new object.
pub(super) struct Birth {
    pub(super) uid: String,
    /// RFC 3339, whole seconds.
    pub(super) at: String,
}

impl Birth {
    pub(super) fn now() -> Result<Birth, WriteError> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|cause| WriteError::Unavailable(cause.into()))?;
        // RFC 9562: version 4 in the seventh byte, the variant in the ninth.
        let bits = u128::from_be_bytes(bytes) & !(0xf000 << 64 | 0xc000 << 48) | 0x4000 << 64 | 0x8000 << 48;
        let hex = format!("{bits:032x}");
        let uid = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-");
        Ok(Birth {
            uid,
            at: moment::written(Timestamp::now()),
        })
    }
}

/// The object that a create stores.
pub(super) fn created(address: &Address, object: Value, birth: Birth) -> Result<Value, WriteError> {
    let mut object = into_members(object, "")?;
    if address.kind.has_status() {
        object.remove("status");
    }
    for (member, own) in [
        ("apiVersion", address.kind.api_version()),
        ("kind", address.kind.as_str()),
    ] {
        claim(&mut object, member, member, own)?;
    }
    let metadata = metadata_of(&mut object)?;
    claim(metadata, "name", "metadata.name", &address.name)?;
    claim(metadata, "namespace", "metadata.namespace", &address.namespace)?;
    for member in SERVERS_OWN {
        metadata.remove(member);
    }
    metadata.insert("uid".into(), birth.uid.into());
    metadata.insert("creationTimestamp".into(), birth.at.into());
    if counts_generations(address.kind) {
        metadata.insert("generation".into(), 1.into());
    }
    drop_bookkeeping(metadata);
    Ok(Value::Object(object))
}

/// The object after a merge patch. Status is another door's where the kind has a status sub-resource.
pub(super) fn patched(address: &Address, stored: &Value, patch: Value) -> Result<Value, WriteError> {
    let mut patch = into_members(patch, "")?;
    if address.kind.has_status() {
        patch.remove("status");
    }
    expect_version(
        address,
        stored,
        patch
            .get("metadata")
            .and_then(|metadata| metadata.get("resourceVersion")),
    )?;
    let mut next = stored.clone();
    merge(&mut next, Value::Object(patch));
    let mut next = into_members(next, "")?;
    for member in ["apiVersion", "kind"] {
        keep(&mut next, &stored[member], member, member)?;
    }
    let metadata = metadata_of(&mut next)?;
    for member in ["name", "namespace", "uid", "creationTimestamp"] {
        keep(
            metadata,
            &stored["metadata"][member],
            member,
            &format!("metadata.{member}"),
        )?;
    }
    for member in SERVERS_OWN {
        restore(metadata, &stored["metadata"][member], member);
    }
    drop_bookkeeping(metadata);
    let mut next = Value::Object(next);
    if counts_generations(address.kind) && !same_intent(address.kind, &next, stored) {
        next["metadata"]["generation"] = (generation(stored) + 1).into();
    }
    Ok(next)
}

/// The object after a merge patch of its status; whatever else the patch names stays as it is.
pub(super) fn status_patched(address: &Address, stored: &Value, patch: Value) -> Result<Value, WriteError> {
    if !address.kind.has_status() {
        let message = format!("{} has no status sub-resource", address.kind.as_str());
        return Err(WriteError::Invalid {
            field: "status".into(),
            message,
        });
    }
    let mut patch = into_members(patch, "")?;
    expect_version(
        address,
        stored,
        patch
            .get("metadata")
            .and_then(|metadata| metadata.get("resourceVersion")),
    )?;
    let mut next = stored.clone();
    if let Some(status) = patch.remove("status") {
        merge(&mut next, json!({ "status": status }));
    }
    Ok(next)
}

/// The object that an import stores: what was given, and what only the store can know where nothing was.
pub(super) fn imported(
    address: &Address,
    object: Value,
    stored: Option<&Value>,
    birth: impl FnOnce() -> Result<Birth, WriteError>,
) -> Result<Value, WriteError> {
    let mut object = into_members(object, "")?;
    object.insert("apiVersion".into(), address.kind.api_version().into());
    object.insert("kind".into(), address.kind.as_str().into());
    let metadata = metadata_of(&mut object)?;
    metadata.insert("name".into(), address.name.as_str().into());
    metadata.insert("namespace".into(), address.namespace.as_str().into());
    metadata.remove("resourceVersion");
    metadata.remove("selfLink");
    drop_bookkeeping(metadata);
    metadata.retain(|member, value| !(value.is_null() && is_birth_mark(member)));
    if let Some(stored) = stored {
        for member in ["uid", "creationTimestamp"] {
            if !metadata.contains_key(member) {
                restore(metadata, &stored["metadata"][member], member);
            }
        }
    }
    if !(metadata.contains_key("uid") && metadata.contains_key("creationTimestamp")) {
        let Birth { uid, at } = birth()?;
        metadata.entry("uid").or_insert_with(|| uid.into());
        metadata.entry("creationTimestamp").or_insert_with(|| at.into());
    }
    let given = metadata.contains_key("generation");
    // A manifest without status says nothing about it, as with `kubectl apply`; a dump of an object that has one brings it.
    if let Some(status) = stored.and_then(|stored| stored.get("status"))
        && address.kind.has_status()
    {
        object.entry("status").or_insert_with(|| status.clone());
    }
    let mut object = Value::Object(object);
    if !given && counts_generations(address.kind) {
        let next = stored.map_or(1, |stored| {
            generation(stored) + i64::from(!same_intent(address.kind, &object, stored))
        });
        object["metadata"]["generation"] = next.into();
    }
    Ok(object)
}

/// Fails where the decision was based on another version than the stored one.
pub(super) fn expect_version(address: &Address, stored: &Value, version: Option<&Value>) -> Result<(), WriteError> {
    match version {
        Some(version) if !version.is_null() && *version != stored["metadata"]["resourceVersion"] => {
            Err(WriteError::Conflict(address.clone(), Box::new(stored.clone())))
        }
        _ => Ok(()),
    }
}

/// Whether two objects are the same but for the version under which they are stored.
pub(super) fn same(left: &Value, right: &Value) -> bool {
    same_without(left, right, &["metadata"])
        && same_without(&left["metadata"], &right["metadata"], &["resourceVersion"])
}

/// RFC 7386.
pub(super) fn merge(target: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(target) = target else { return };
    for (member, value) in patch {
        if value.is_null() {
            target.remove(&member);
        } else {
            merge(target.entry(member).or_insert(Value::Null), value);
        }
    }
}

/// A ConfigMap has no generation.
fn counts_generations(kind: Kind) -> bool {
    kind != Kind::ConfigMap
}

fn is_birth_mark(member: &str) -> bool {
    matches!(member, "uid" | "creationTimestamp" | "generation")
}

fn generation(object: &Value) -> i64 {
    object["metadata"]["generation"].as_i64().unwrap_or(0)
}

/// What makes a new generation: neither metadata nor, where the kind has a sub-resource for it, status.
fn same_intent(kind: Kind, left: &Value, right: &Value) -> bool {
    same_without(
        left,
        right,
        if kind.has_status() {
            &["metadata", "status"]
        } else {
            &["metadata"]
        },
    )
}

fn same_without(left: &Value, right: &Value, ignored: &[&str]) -> bool {
    let (Some(left), Some(right)) = (left.as_object(), right.as_object()) else {
        return left == right;
    };
    let counted =
        |members: &Map<String, Value>| members.keys().filter(|name| !ignored.contains(&name.as_str())).count();
    counted(left) == counted(right)
        && left
            .iter()
            .filter(|(name, _)| !ignored.contains(&name.as_str()))
            .all(|(name, value)| right.get(name) == Some(value))
}

fn into_members(value: Value, field: &str) -> Result<Map<String, Value>, WriteError> {
    match value {
        Value::Object(members) => Ok(members),
        _ => Err(invalid(field, "an object is expected")),
    }
}

fn metadata_of(object: &mut Map<String, Value>) -> Result<&mut Map<String, Value>, WriteError> {
    object
        .entry("metadata")
        .or_insert_with(|| Value::Object(Map::new()))
        .as_object_mut()
        .ok_or_else(|| invalid("metadata", "an object is expected"))
}

/// Fills a member that must have this value.
fn claim(members: &mut Map<String, Value>, member: &str, field: &str, own: &str) -> Result<(), WriteError> {
    match members.insert(member.into(), own.into()) {
        Some(given) if !given.is_null() && given != own => Err(invalid(field, &format!("is not {own:?}"))),
        _ => Ok(()),
    }
}

/// Takes back that a member was removed; refuses that it was changed.
fn keep(members: &mut Map<String, Value>, stored: &Value, member: &str, field: &str) -> Result<(), WriteError> {
    match members.get(member) {
        Some(value) if value != stored => Err(invalid(field, "cannot be changed")),
        _ => {
            restore(members, stored, member);
            Ok(())
        }
    }
}

fn restore(members: &mut Map<String, Value>, stored: &Value, member: &str) {
    if stored.is_null() {
        members.remove(member);
    } else {
        members.insert(member.into(), stored.clone());
    }
}

fn drop_bookkeeping(metadata: &mut Map<String, Value>) {
    metadata.remove("managedFields");
    if let Some(Value::Object(annotations)) = metadata.get_mut("annotations")
        && annotations.remove(LAST_APPLIED).is_some()
        && annotations.is_empty()
    {
        metadata.remove("annotations");
    }
}

fn invalid(field: &str, message: &str) -> WriteError {
    WriteError::Invalid {
        field: field.into(),
        message: message.into(),
    }
}
