//! Runbooks: procedures that can be used again.

use crate::StringMap;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunbookItem {
    pub name: String,
    pub namespace: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    pub trigger: Trigger,
    pub steps: Vec<Step>,
    pub max_attempts: i32,
    pub creation_timestamp: String,
}

/// The incidents that a procedure answers.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Trigger {
    pub signal_type: String,
    pub severity: String,
    pub resource_kind: String,
}

/// One step, in the order of execution. Values of secrets are masked as `***`.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Step {
    pub name: String,
    pub action: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(default, skip_serializing_if = "StringMap::is_empty")]
    pub params: StringMap,
}
