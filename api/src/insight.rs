//! AI insights: the model's reading of one incident.

use crate::{Number, StringMap};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InsightItem {
    pub name: String,
    pub namespace: String,
    pub issue_ref: String,
    pub provider: String,
    pub model: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub analysis: String,
    /// 0–1.
    pub confidence: Number,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recommendations: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggested_actions: Vec<SuggestedAction>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub log_analysis: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub metrics_context: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source_code_context: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub git_ops_context: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cascade_analysis: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub blast_radius_prediction: String,
    /// Absent while the analysis is pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generated_at: Option<String>,
    pub creation_timestamp: String,
}

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SuggestedAction {
    pub name: String,
    pub action: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(default, skip_serializing_if = "StringMap::is_empty")]
    pub params: StringMap,
}
