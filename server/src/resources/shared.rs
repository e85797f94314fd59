//! Small types that several kinds have in common, and the two rules by which members are written.

use super::{
    moment,
    vocabulary::{ActionType, ConditionStatus},
};
use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{borrow::Cow, collections::BTreeMap};

/// Text by key.
pub type TextMap = BTreeMap<String, String>;

// How the structs of this module's siblings are to be read. Every struct takes `#[serde(default)]`, so that an object of
// an older release reads; its `Default` is the empty object. A member that may be left out is skipped when it is
// `absent`, one with a default of its own is `never` skipped, and whatever has neither mark is required in the schema.

/// True of what an optional member is when nobody gave it: empty, zero, false.
pub(super) fn absent<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// For members that may be left out by an author, because the schema fills them in, but are always written by us: their
/// zero is not their default.
pub(super) fn never<T>(_: &T) -> bool {
    false
}

/// The schema's default of a whole number.
pub(super) fn number<const N: i32>() -> i32 {
    N
}

/// The schema's default of a switch that is on.
pub(super) fn yes() -> bool {
    true
}

/// The schema's default of a list of working days.
pub(super) fn weekdays() -> Vec<String> {
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]
        .map(Into::into)
        .into()
}

/// A moment as it was written. Upstream passes the text of these on unchanged, offset and fraction included.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(transparent)]
pub struct TimeText(String);

/// How an object was written: `spec` and `status` word for word, for kinds that the API passes on unread. What two objects
/// say is compared without it.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    pub spec: Value,
    pub status: Value,
}

/// Names a workload, a node or another object in this cluster.
#[derive(Clone, Debug, Default, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ResourceRef {
    /// Kind of the object, such as `Deployment`.
    pub kind: String,
    /// Name of the object.
    pub name: String,
    /// Namespace of the object.
    pub namespace: String,
}

/// Names an Issue of the same namespace.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct IssueRef {
    /// Name of the Issue.
    pub name: String,
}

/// Names a Secret of the same namespace.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct SecretRef {
    /// Name of the Secret.
    pub name: String,
}

/// Names one entry of a Secret of the same namespace.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct SecretKeyRef {
    /// Name of the Secret.
    pub name: String,
    /// Entry inside it.
    pub key: String,
}

/// One executable step: what to do, and how.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Action {
    /// What to do.
    #[serde(rename = "type")]
    pub action: ActionType,
    /// How; which keys count depends on the type.
    #[serde(skip_serializing_if = "absent")]
    pub params: TextMap,
}

/// A step that people or the model wrote down. Its action is free text that should name an action type.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct NamedStep {
    /// Short title.
    pub name: String,
    /// Action type to run.
    pub action: String,
    /// What it is meant to achieve.
    #[serde(skip_serializing_if = "absent")]
    pub description: String,
    /// How to run it.
    #[serde(skip_serializing_if = "absent")]
    pub params: TextMap,
}

/// One observed aspect of an object, as everywhere in Kubernetes.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Condition {
    /// The aspect.
    #[serde(rename = "type")]
    #[schemars(length(max = 316), regex(pattern = CONDITION_TYPE))]
    pub aspect: String,
    /// Whether it holds.
    pub status: ConditionStatus,
    /// Generation of the object that was observed.
    #[serde(skip_serializing_if = "absent")]
    #[schemars(range(min = 0))]
    pub observed_generation: i64,
    /// When the status last changed.
    pub last_transition_time: Option<Timestamp>,
    /// Why, as one word.
    #[schemars(
        length(min = 1, max = 1024),
        regex(pattern = r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$")
    )]
    pub reason: String,
    /// Why, for people.
    #[schemars(length(max = 32768))]
    pub message: String,
}

const CONDITION_TYPE: &str =
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$";

// === impl Stored ===

impl Stored {
    pub(super) fn of(object: &Value) -> Self {
        Self {
            spec: object["spec"].clone(),
            status: object["status"].clone(),
        }
    }
}

impl PartialEq for Stored {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

// === impl TimeText ===

impl TimeText {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The moment itself; none where the text is no time.
    pub fn moment(&self) -> Option<Timestamp> {
        moment::read(&self.0)
    }
}

impl From<&str> for TimeText {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl JsonSchema for TimeText {
    fn schema_name() -> Cow<'static, str> {
        Timestamp::schema_name()
    }

    fn inline_schema() -> bool {
        Timestamp::inline_schema()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Timestamp::json_schema(generator)
    }
}
