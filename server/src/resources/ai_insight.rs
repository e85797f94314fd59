//! AIInsight: the model's analysis of one incident.

use super::shared::{IssueRef, NamedStep, absent};
use jiff::Timestamp;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The model's analysis of one incident.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(
    group = "platform.chatcli.io",
    version = "v1alpha1",
    kind = "AIInsight",
    plural = "aiinsights",
    shortname = "ai"
)]
#[kube(namespaced, status = "AIInsightStatus", derive = "PartialEq", schema = "disabled")]
#[kube(printcolumn(name = "Issue", type_ = "string", json_path = ".spec.issueRef.name"))]
#[kube(printcolumn(name = "Provider", type_ = "string", json_path = ".spec.provider"))]
#[kube(printcolumn(name = "Confidence", type_ = "number", json_path = ".status.confidence"))]
#[kube(printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"))]
#[serde(default, rename_all = "camelCase")]
pub struct AIInsightSpec {
    /// The incident.
    pub issue_ref: IssueRef,
    /// Vendor of the model that answers.
    pub provider: String,
    /// The model that answers.
    pub model: String,
}

/// What the model answered.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AIInsightStatus {
    /// The analysis; may carry the verdict on a runbook in a line of its own.
    #[serde(skip_serializing_if = "absent")]
    pub analysis: String,
    /// How sure the model is, from 0 to 1.
    #[serde(skip_serializing_if = "absent")]
    pub confidence: f64,
    /// Advice for people.
    #[serde(skip_serializing_if = "absent")]
    pub recommendations: Vec<String>,
    /// Steps that a machine could take.
    #[serde(skip_serializing_if = "absent")]
    pub suggested_actions: Vec<NamedStep>,
    /// When the answer came; none yet while it is awaited.
    #[serde(skip_serializing_if = "absent")]
    pub generated_at: Option<Timestamp>,
    /// What the logs say.
    #[serde(skip_serializing_if = "absent")]
    pub log_analysis: String,
    /// What the metrics say.
    #[serde(skip_serializing_if = "absent")]
    pub metrics_context: String,
    /// What the source code says.
    #[serde(skip_serializing_if = "absent")]
    pub source_code_context: String,
    /// What the delivery pipeline says.
    #[serde(skip_serializing_if = "absent")]
    pub git_ops_context: String,
    /// What may have failed first.
    #[serde(skip_serializing_if = "absent")]
    pub cascade_analysis: String,
    /// What may fail next.
    #[serde(skip_serializing_if = "absent")]
    pub blast_radius_prediction: String,
}
