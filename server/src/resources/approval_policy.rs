//! ApprovalPolicy: which plans of its namespace need whose approval.

use super::{
    shared::{Condition, Stored, absent, never, number, weekdays, yes},
    vocabulary::{ActionType, ApprovalMode, Severity},
};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Says which plans of its namespace need whose approval.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(
    group = "platform.chatcli.io",
    version = "v1alpha1",
    kind = "ApprovalPolicy",
    plural = "approvalpolicies",
    shortname = "ap"
)]
#[kube(
    namespaced,
    status = "ApprovalPolicyStatus",
    derive = "PartialEq",
    schema = "disabled"
)]
#[kube(printcolumn(name = "DefaultMode", type_ = "string", json_path = ".spec.defaultMode"))]
#[kube(printcolumn(name = "Enabled", type_ = "boolean", json_path = ".spec.enabled"))]
#[kube(printcolumn(name = "Approved", type_ = "integer", json_path = ".status.totalApproved"))]
#[kube(printcolumn(name = "Rejected", type_ = "integer", json_path = ".status.totalRejected"))]
#[kube(printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"))]
#[serde(default, rename_all = "camelCase")]
pub struct ApprovalPolicySpec {
    /// The policy counts.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// For information only: a plan that no rule matches is not held up.
    #[serde(default = "manual_text", skip_serializing_if = "never")]
    pub default_mode: String,
    /// Rules from top to bottom; the first match counts.
    pub rules: Vec<ApprovalRule>,
    /// The policy as it is stored, which is what the API shows.
    #[serde(skip)]
    pub stored: Stored,
}

/// One rule.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ApprovalRule {
    /// What it is called.
    pub name: String,
    /// The plans that it takes.
    #[serde(rename = "match")]
    pub matches: ApprovalMatch,
    /// Who decides.
    #[serde(default = "manual")]
    pub mode: ApprovalMode,
    /// Approvals that a quorum needs.
    #[serde(default = "number::<1>", skip_serializing_if = "never")]
    pub required_approvers: i32,
    /// Minutes until the request expires.
    #[serde(default = "number::<30>", skip_serializing_if = "never")]
    pub timeout_minutes: i32,
    /// Hours in which an approval may take effect.
    #[serde(skip_serializing_if = "absent")]
    pub change_window: Option<Box<ChangeWindow>>,
    /// What has to hold for an approval without people.
    #[serde(skip_serializing_if = "absent")]
    pub auto_approve_conditions: Option<AutoApproveConditions>,
}

/// Which plans a rule takes: all lists must agree, any word of a list will do, an empty list takes all.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ApprovalMatch {
    /// Severities of the incident.
    #[serde(skip_serializing_if = "absent")]
    pub severities: Vec<Severity>,
    /// Actions of which the plan has at least one.
    #[serde(skip_serializing_if = "absent")]
    pub action_types: Vec<ActionType>,
    /// Namespaces of the target.
    #[serde(skip_serializing_if = "absent")]
    pub namespaces: Vec<String>,
    /// Kinds of the target, whatever the case.
    #[serde(skip_serializing_if = "absent")]
    pub resource_kinds: Vec<String>,
}

/// Hours of the week. A window that ends before it starts runs past midnight.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ChangeWindow {
    /// Time zone of the hours, by its IANA name.
    #[serde(default = "utc")]
    pub timezone: String,
    /// Days on which the window opens, in English.
    #[serde(default = "weekdays")]
    pub allowed_days: Vec<String>,
    /// First hour.
    #[schemars(range(min = 0, max = 23))]
    pub start_hour: i32,
    /// First hour after it.
    #[schemars(range(min = 0, max = 23))]
    pub end_hour: i32,
}

/// What has to hold, all of it, for an approval without people.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AutoApproveConditions {
    /// Least confidence of the analysis, from 0 to 1.
    pub min_confidence: f64,
    /// Worst severity.
    pub max_severity: Severity,
    /// Least share of such plans that went well, from 0 to 1.
    pub historical_success_rate: f64,
}

/// What the policy has decided so far.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ApprovalPolicyStatus {
    /// Requests approved.
    pub total_approved: i64,
    /// Requests rejected.
    pub total_rejected: i64,
    /// Requests expired.
    pub total_expired: i64,
    /// Requests approved without people.
    pub total_auto_approved: i64,
    /// Observed aspects.
    #[serde(skip_serializing_if = "absent")]
    pub conditions: Vec<Condition>,
}

fn manual() -> ApprovalMode {
    ApprovalMode::Manual
}

fn manual_text() -> String {
    "manual".into()
}

fn utc() -> String {
    "UTC".into()
}
