//! Remediation plans: one attempt to fix one incident.

use crate::Action;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RemediationItem {
    pub name: String,
    pub namespace: String,
    pub issue_ref: String,
    pub attempt: i32,
    pub strategy: String,
    pub state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub result: String,
    pub agentic_mode: bool,
    pub agentic_step_count: i32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<Action>,
    pub creation_timestamp: String,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RemediationDetail {
    #[serde(flatten)]
    pub item: RemediationItem,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub safety_constraints: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<EvidenceItem>,
    pub rollback_performed: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rollback_result: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agentic_history: Vec<AgenticStep>,
}

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvidenceItem {
    #[serde(rename = "type")]
    pub kind: String,
    pub data: String,
    pub timestamp: String,
}

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgenticStep {
    pub step_number: i32,
    pub ai_message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    #[serde(default)]
    pub observation: String,
    pub timestamp: String,
}
