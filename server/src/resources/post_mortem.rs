//! PostMortem: what was learned from one incident.

use super::{
    shared::{IssueRef, ResourceRef, TextMap, absent},
    vocabulary::{PostMortemState, Severity},
};
use jiff::Timestamp;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Annotations in which it is kept what people did to a post-mortem.
pub mod mark {
    pub const REVIEWED_BY: &str = "aiops.chatcli.io/reviewed-by";
    pub const REVIEW_NOTES: &str = "aiops.chatcli.io/review-notes";
    pub const ACKNOWLEDGED: &str = "aiops.chatcli.io/human-action-acknowledged";
    pub const ACKNOWLEDGED_AT: &str = "aiops.chatcli.io/human-action-acknowledged-at";
    pub const ACKNOWLEDGED_BY: &str = "aiops.chatcli.io/human-action-acknowledged-by";
    pub const ACTION_NOTE: &str = "aiops.chatcli.io/human-action-note";
}

/// What was learned from one incident.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(
    group = "platform.chatcli.io",
    version = "v1alpha1",
    kind = "PostMortem",
    plural = "postmortems",
    shortname = "pm"
)]
#[kube(namespaced, status = "PostMortemStatus", derive = "PartialEq", schema = "disabled")]
#[kube(printcolumn(name = "Issue", type_ = "string", json_path = ".spec.issueRef.name"))]
#[kube(printcolumn(name = "Severity", type_ = "string", json_path = ".spec.severity"))]
#[kube(printcolumn(name = "State", type_ = "string", json_path = ".status.state"))]
#[kube(printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"))]
#[serde(default, rename_all = "camelCase")]
pub struct PostMortemSpec {
    /// The incident.
    pub issue_ref: IssueRef,
    /// The object that it was on.
    pub resource: ResourceRef,
    /// How bad it was.
    pub severity: Severity,
}

/// The findings, and how far their review has got.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PostMortemStatus {
    /// Where the review stands.
    pub state: PostMortemState,
    /// What happened, in short.
    #[serde(skip_serializing_if = "absent")]
    pub summary: String,
    /// Why it happened.
    #[serde(skip_serializing_if = "absent")]
    pub root_cause: String,
    /// Whom it hurt.
    #[serde(skip_serializing_if = "absent")]
    pub impact: String,
    /// What happened when.
    #[serde(skip_serializing_if = "absent")]
    pub timeline: Vec<TimelineEntry>,
    /// What was done about it.
    #[serde(skip_serializing_if = "absent")]
    pub actions_executed: Vec<ExecutedAction>,
    /// What to remember.
    #[serde(skip_serializing_if = "absent")]
    pub lessons_learned: Vec<String>,
    /// What to change.
    #[serde(skip_serializing_if = "absent")]
    pub prevention_actions: Vec<String>,
    /// From detection to end, as text.
    #[serde(skip_serializing_if = "absent")]
    pub duration: String,
    /// When this was written.
    #[serde(skip_serializing_if = "absent")]
    pub generated_at: Option<Timestamp>,
    /// When it was put in review.
    #[serde(skip_serializing_if = "absent")]
    pub reviewed_at: Option<Timestamp>,
    /// Readings around the incident.
    #[serde(skip_serializing_if = "absent")]
    pub metric_snapshots: Vec<MetricSnapshot>,
    /// What else was hit.
    #[serde(skip_serializing_if = "absent")]
    pub blast_radius: Vec<Collateral>,
    /// The commit under suspicion.
    #[serde(skip_serializing_if = "absent")]
    pub git_correlation: Option<Box<GitCorrelation>>,
    /// What it did to service levels.
    #[serde(skip_serializing_if = "absent")]
    pub sli_impact: String,
    /// Share of the error budget that it spent.
    #[serde(skip_serializing_if = "absent")]
    pub error_budget_burned: f64,
    /// Whether it keeps coming back.
    #[serde(skip_serializing_if = "absent")]
    pub trending: Option<Box<Trend>>,
    /// What people say of the machine's work.
    #[serde(skip_serializing_if = "absent")]
    pub feedback: Option<Box<Feedback>>,
    /// What the delivery pipeline said.
    #[serde(skip_serializing_if = "absent")]
    pub git_ops_context: String,
    /// What the logs said.
    #[serde(skip_serializing_if = "absent")]
    pub log_analysis_summary: String,
    /// What failed after what.
    #[serde(skip_serializing_if = "absent")]
    pub cascade_chain: Vec<String>,
    /// A person still has to act.
    #[serde(skip_serializing_if = "absent")]
    pub requires_human_action: bool,
    /// What that person has to do.
    #[serde(skip_serializing_if = "absent")]
    pub required_action: String,
}

/// One moment of the incident.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct TimelineEntry {
    /// When.
    pub timestamp: Option<Timestamp>,
    /// What sort of moment.
    #[serde(rename = "type")]
    pub kind: String,
    /// What happened.
    pub detail: String,
}

/// One step that was taken.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ExecutedAction {
    /// What was done.
    pub action: String,
    /// How.
    #[serde(skip_serializing_if = "absent")]
    pub params: TextMap,
    /// `success` or `failed`.
    pub result: String,
    /// What came of it.
    pub detail: String,
    /// When.
    pub timestamp: Option<Timestamp>,
}

/// One reading.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct MetricSnapshot {
    /// What was measured.
    pub name: String,
    /// The reading.
    pub value: String,
    /// When.
    pub timestamp: Option<Timestamp>,
    /// `before`, `during` or `after` the incident.
    pub phase: String,
}

/// Another object that was hit.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Collateral {
    /// The object.
    pub resource: ResourceRef,
    /// What it suffered.
    pub impact: String,
    /// How badly.
    pub severity: String,
}

/// A commit under suspicion.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct GitCorrelation {
    /// Its hash.
    #[serde(rename = "commitSHA")]
    pub commit_sha: String,
    /// Its message.
    pub commit_message: String,
    /// Who wrote it.
    pub author: String,
    /// When it was made.
    pub timestamp: Option<Timestamp>,
    /// How likely it is the cause, from 0 to 1.
    pub confidence: f64,
    /// What it touched.
    #[serde(skip_serializing_if = "absent")]
    pub files_changed: Vec<String>,
}

/// How often such an incident has happened.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Trend {
    /// Times in the window.
    pub occurrence_count: i32,
    /// Length of the window.
    pub window_days: i32,
    /// Post-mortems of the others.
    #[serde(skip_serializing_if = "absent")]
    pub related_post_mortems: Vec<String>,
    /// What they have in common.
    #[serde(skip_serializing_if = "absent")]
    pub pattern: String,
}

/// What people say of the machine's work.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Feedback {
    /// The root cause, where the machine was wrong.
    #[serde(skip_serializing_if = "absent")]
    pub override_root_cause: String,
    /// How well the remediation did, from 1 to 5.
    #[schemars(range(min = 1, max = 5))]
    #[serde(skip_serializing_if = "absent")]
    pub remediation_accuracy: i32,
    /// Anything else.
    #[serde(skip_serializing_if = "absent")]
    pub comments: String,
    /// Who says so.
    #[serde(skip_serializing_if = "absent")]
    pub provided_by: String,
    /// When.
    #[serde(skip_serializing_if = "absent")]
    pub provided_at: Option<Timestamp>,
}
