//! Runbooks: procedures that can be used again.

use crate::StringMap;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunbookItem {
    pub name: String,
    pub namespace: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    pub trigger: RunbookTrigger,
    #[serde(default)]
    pub steps: Vec<RunbookStep>,
    pub max_attempts: i32,
    pub creation_timestamp: String,
}

/// The incidents that it answers.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunbookTrigger {
    pub signal_type: String,
    pub severity: String,
    pub resource_kind: String,
}

/// One step. Values of secrets are masked as `***`.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunbookStep {
    pub name: String,
    pub action: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(default, skip_serializing_if = "StringMap::is_empty")]
    pub params: StringMap,
}
