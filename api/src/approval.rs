//! Approvals: the `ApprovalRequest` resource with everything a person needs in order to decide.

use crate::{Number, ResourceRef, StringMap};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalItem {
    pub name: String,
    pub namespace: String,
    /// The Issue's name: upstream's member, misnamed there. See `issue`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub resource: String,
    /// Type of the first action. See `actions`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// The policy's name: upstream's member, misnamed there. See `policy`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub requested_by: String,
    pub state: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub approved_by: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rejected_by: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub decision_reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_approvers: Option<i32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decision>,
    pub creation_timestamp: String,
    #[serde(default, skip_serializing_if = "StringMap::is_empty")]
    pub labels: StringMap,
    #[serde(default, skip_serializing_if = "StringMap::is_empty")]
    pub annotations: StringMap,

    // Added by Opsdeck: never absent, null or empty where there is no value.
    #[serde(default)]
    pub issue: Option<IssueName>,
    #[serde(default)]
    pub plan: Option<String>,
    #[serde(default)]
    pub policy: Option<String>,
    #[serde(default)]
    pub rule: Option<String>,
    #[serde(default)]
    pub actions: Vec<RequestedAction>,
    #[serde(default)]
    pub blast_radius: Option<BlastRadius>,
    #[serde(default)]
    pub evidence: Option<Evidence>,
    /// The analysis' own confidence, 0–1.
    #[serde(default)]
    pub confidence: Option<Number>,
    /// What happens if it goes wrong, in words.
    #[serde(default)]
    pub rollback: Option<String>,
    /// Null where a change window that never opens leaves no such moment.
    #[serde(default)]
    pub expires_at: Option<String>,
    #[serde(default)]
    pub expired: bool,
    #[serde(default)]
    pub votes: Vec<Vote>,
    #[serde(default)]
    pub required: i32,
    #[serde(default)]
    pub change_window: Option<ChangeWindow>,
    /// First 16 hex digits of SHA-256 over what was read; a decision that sends it is refused when it differs.
    #[serde(default)]
    pub plan_hash: Option<String>,
}

/// A vote in upstream's words.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Decision {
    pub approver: String,
    /// `approved` or `rejected`.
    pub decision: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub timestamp: String,
}

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IssueName {
    pub namespace: String,
    pub name: String,
}

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequestedAction {
    /// From 1, in the order of execution.
    pub order: u32,
    #[serde(rename = "type")]
    pub kind: String,
    pub target: Option<ResourceRef>,
    /// All of them; values of secrets masked as `***`.
    #[serde(default)]
    pub params: StringMap,
    /// What the cluster says now, by the names of `params`; of a rollback also the images (`image`, or `image <container>`).
    /// Null where it cannot be told.
    #[serde(default)]
    pub before: Option<StringMap>,
}

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BlastRadius {
    pub affected_pods: i32,
    pub affected_services: i32,
    #[serde(default)]
    pub affected_namespaces: Vec<String>,
    pub risk_level: String,
    pub description: String,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    pub ai_confidence: Number,
    pub ai_analysis: String,
    /// Share of finished plans of this kind that worked, 0–1.
    pub historical_success_rate: Number,
    /// How many plans that share was taken from.
    pub previous_attempts: i32,
}

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Vote {
    pub approver: String,
    /// `approved` or `rejected`.
    pub decision: String,
    pub reason: Option<String>,
    pub at: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChangeWindow {
    pub open: bool,
    /// While closed: when it opens next; absent if it never does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opens_at: Option<String>,
}
