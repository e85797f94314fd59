//! Incidents: the `Issue` resource as the API shows it.

use crate::{ResourceRef, StringMap};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct IncidentItem {
    pub name: String,
    pub namespace: String,
    pub severity: String,
    pub source: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub signal_type: String,
    pub resource: ResourceRef,
    pub description: String,
    pub risk_score: i32,
    /// Empty until a controller has seen the object.
    pub state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detected_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub resolution: String,
    pub remediation_attempts: i32,
    pub max_remediation_attempts: i32,
    pub creation_timestamp: String,
    #[serde(default, skip_serializing_if = "StringMap::is_empty")]
    pub labels: StringMap,
    #[serde(default, skip_serializing_if = "StringMap::is_empty")]
    pub annotations: StringMap,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chaos_induced: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub chaos_experiment: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requires_human_action: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub required_action: String,
    #[serde(default)]
    pub acknowledged: Option<Acknowledged>,
    #[serde(default)]
    pub snoozed: Option<Snoozed>,
}

/// Somebody has seen it.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Acknowledged {
    pub by: String,
    pub at: String,
}

/// Kept quiet until then; absent once the time has passed.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Snoozed {
    pub by: String,
    pub until: String,
}

/// What happened when, as the post-mortem tells it.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimelineItem {
    pub timestamp: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub detail: String,
}
