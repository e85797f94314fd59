//! What clients send: the bodies of the writing routes, as the document that describes the API tells them. The server reads them by member
//! and more leniently than this.

use crate::StringMap;
use schemars::JsonSchema;
use serde::Deserialize;

/// How long to keep quiet.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SnoozeBody {
    /// Whole numbers with units, such as `30m` or `1h30m`. Go's other forms (`0.5h`, `90us`) are taken too.
    #[schemars(length(max = 16), regex(pattern = r"^([1-9][0-9]{0,5}(ms|s|m|h))+$"))]
    pub duration: String,
}

/// How it ended.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ResolveBody {
    /// In words of yours; without it, that somebody did it by hand.
    pub resolution: Option<String>,
}

/// A vote.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VoteBody {
    /// Who decides; the identity of the key is added to it. Cut after 128 characters.
    #[schemars(length(min = 1, max = 128), regex(pattern = r"[^\s\u0000-\u001f\u007f-\u009f]"))]
    pub approver: String,
    pub reason: Option<String>,
    /// `planHash` of the request as it was read: the vote is refused when the plan has changed since.
    #[schemars(regex(pattern = "^[0-9a-f]{16}$"))]
    pub plan_hash: Option<String>,
}

/// A runbook that is not there yet.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct NewRunbookBody {
    #[schemars(length(min = 1, max = 253), regex(pattern = r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"))]
    pub name: String,
    /// `default` unless given.
    #[schemars(length(min = 1, max = 63), regex(pattern = r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"))]
    pub namespace: Option<String>,
    #[serde(flatten)]
    pub content: RunbookBody,
}

/// What a runbook says. An update replaces description, trigger and steps as a whole.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunbookBody {
    pub description: Option<String>,
    pub trigger: TriggerBody,
    #[schemars(length(min = 1))]
    pub steps: Vec<StepBody>,
    /// 3 for a new one that does not say; an update that does not say keeps it.
    #[schemars(range(min = 1, max = 2_147_483_647))]
    pub max_attempts: Option<i32>,
    /// Replace the labels as a whole; those that it has are kept without.
    pub labels: Option<Labels>,
}

/// The incidents that a runbook is for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TriggerBody {
    pub signal_type: String,
    pub severity: String,
    /// Any kind where empty.
    pub resource_kind: String,
}

/// What to do.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct StepBody {
    pub name: String,
    pub action: String,
    pub description: Option<String>,
    /// A value that is shown masked must be written out.
    pub params: Option<StringMap>,
}

/// Kubernetes labels.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(
    inline,
    extend(
        "propertyNames" = { "pattern": r"^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$" },
        "additionalProperties" = { "type": "string", "pattern": r"^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$" }
    )
)]
pub struct Labels(pub StringMap);

/// Who has looked at the post-mortem.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ReviewBody {
    #[schemars(length(max = 253))]
    pub reviewer: Option<String>,
    /// Kept together with a reviewer.
    #[schemars(length(max = 4096))]
    pub notes: Option<String>,
}

/// How well the machine did. Takes the place of an earlier one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeedbackBody {
    #[schemars(length(min = 1, max = 253))]
    pub provided_by: String,
    #[schemars(range(min = 1, max = 5))]
    pub remediation_accuracy: i32,
    /// What the cause really was.
    #[schemars(length(max = 4096))]
    pub override_root_cause: Option<String>,
    #[schemars(length(max = 4096))]
    pub comments: Option<String>,
}

/// That what was left to people is done.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HumanActionBody {
    #[schemars(length(max = 253))]
    pub acknowledged_by: Option<String>,
    #[schemars(length(max = 1024))]
    pub note: Option<String>,
}

/// One deed and the incidents to do it to.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct BulkBody {
    #[serde(flatten)]
    pub deed: BulkDeed,
    #[serde(flatten)]
    pub which: BulkChoice,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "lowercase")]
pub enum BulkDeed {
    Acknowledge,
    Unacknowledge,
    Snooze(SnoozeBody),
    Unsnooze,
    Resolve(ResolveBody),
}

/// At most 500 incidents either way.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BulkChoice {
    /// These.
    Items(#[schemars(length(max = 500))] Vec<ObjectName>),
    /// Those that the list would show.
    Filter(BulkFilter),
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ObjectName {
    /// Not needed where the name is the only one of its kind.
    pub namespace: Option<String>,
    #[schemars(length(min = 1))]
    pub name: String,
}

/// Members of the list's query. One that says nothing is refused: it would change more than was meant.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkFilter {
    #[schemars(length(min = 1), inner(regex(pattern = r"\S")), transform = not_null)]
    pub namespace: Option<Vec<String>>,
    #[schemars(length(min = 1), inner(regex(pattern = r"\S")), transform = not_null)]
    pub severity: Option<Vec<String>>,
    #[schemars(length(min = 1), inner(regex(pattern = r"\S")), transform = not_null)]
    pub state: Option<Vec<String>>,
    /// Of the resource that the incident is about.
    #[schemars(length(min = 1), inner(regex(pattern = r"\S")), transform = not_null)]
    pub kind: Option<Vec<String>>,
    #[schemars(transform = not_null)]
    pub acknowledged: Option<bool>,
    #[schemars(transform = not_null)]
    pub snoozed: Option<bool>,
    #[schemars(transform = not_null)]
    pub chaos: Option<bool>,
    #[schemars(extend("format" = "date-time"), transform = not_null)]
    pub from: Option<String>,
    #[schemars(extend("format" = "date-time"), transform = not_null)]
    pub to: Option<String>,
    #[schemars(regex(pattern = r"\S"), transform = not_null)]
    pub q: Option<String>,
}

fn not_null(schema: &mut schemars::Schema) {
    if let Some(types) = schema.get_mut("type").and_then(|types| types.as_array_mut()) {
        types.retain(|name| name != "null");
    }
}

/// What kind of session.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SessionBody {
    /// For 30 days rather than until the browser is closed.
    pub remember: Option<bool>,
}
