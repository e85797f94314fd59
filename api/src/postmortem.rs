//! Post-mortems: what happened, why, and what to change.

use crate::{Number, ResourceRef, StringMap, incident::TimelineItem};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PostMortemItem {
    pub name: String,
    pub namespace: String,
    pub issue_ref: String,
    pub resource: ResourceRef,
    pub severity: String,
    pub state: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub root_cause: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub impact: String,
    /// Text such as `12m34s`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub duration: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lessons_learned: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prevention_actions: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timeline: Vec<TimelineItem>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions_executed: Vec<ExecutedAction>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<Feedback>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generated_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewed_at: Option<String>,
    pub creation_timestamp: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requires_human_action: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub required_action: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chaos_induced: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub chaos_experiment: String,
}

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExecutedAction {
    pub action: String,
    #[serde(default, skip_serializing_if = "StringMap::is_empty")]
    pub params: StringMap,
    /// `success` or `failed`.
    pub result: String,
    pub detail: String,
    pub timestamp: String,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Feedback {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub override_root_cause: String,
    /// 1–5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remediation_accuracy: Option<Number>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comments: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub provided_by: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provided_at: Option<String>,
}
