//! ApprovalRequest: one plan that waits for a decision.

use super::{
    shared::{Action, Condition, IssueRef, TimeText, absent, number},
    vocabulary::ApprovalState,
};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One plan that waits for a decision.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(
    group = "platform.chatcli.io",
    version = "v1alpha1",
    kind = "ApprovalRequest",
    plural = "approvalrequests",
    shortname = "ar"
)]
#[kube(
    namespaced,
    status = "ApprovalRequestStatus",
    derive = "PartialEq",
    schema = "disabled"
)]
#[kube(printcolumn(name = "Issue", type_ = "string", json_path = ".spec.issueRef.name"))]
#[kube(printcolumn(name = "Plan", type_ = "string", json_path = ".spec.remediationPlanRef"))]
#[kube(printcolumn(name = "State", type_ = "string", json_path = ".status.state"))]
#[kube(printcolumn(name = "Rule", type_ = "string", json_path = ".spec.ruleName"))]
#[kube(printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"))]
#[serde(default, rename_all = "camelCase")]
pub struct ApprovalRequestSpec {
    /// The incident.
    pub issue_ref: IssueRef,
    /// The plan, by name.
    pub remediation_plan_ref: String,
    /// The policy that asks, or the gate.
    pub policy_ref: String,
    /// The rule that matched.
    pub rule_name: String,
    /// What would be done.
    pub requested_actions: Vec<Action>,
    /// Who asks.
    pub requester: String,
    /// How far it would reach.
    #[serde(skip_serializing_if = "absent")]
    pub blast_radius: Option<Box<BlastRadius>>,
    /// What speaks for it.
    #[serde(skip_serializing_if = "absent")]
    pub evidence: Option<Box<ApprovalEvidence>>,
    /// Minutes until the request expires.
    #[serde(default = "number::<30>")]
    pub timeout_minutes: i32,
    /// Approvals that it needs.
    #[serde(default = "number::<1>")]
    pub required_approvers: i32,
}

/// How far a plan would reach.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct BlastRadius {
    /// Pods.
    pub affected_pods: i32,
    /// Services.
    pub affected_services: i32,
    /// Namespaces.
    #[serde(skip_serializing_if = "absent")]
    pub affected_namespaces: Vec<String>,
    /// `low`, `medium`, `high`, `critical` or `unknown`.
    pub risk_level: String,
    /// In words.
    pub description: String,
}

/// What speaks for a plan.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ApprovalEvidence {
    /// Confidence of the analysis, from 0 to 1.
    pub ai_confidence: f64,
    /// The analysis.
    #[serde(skip_serializing_if = "absent")]
    pub ai_analysis: String,
    /// Share of such plans that went well, from 0 to 1.
    pub historical_success_rate: f64,
    /// Plans behind that share.
    pub previous_attempts: i32,
    /// The target before the plan; unused.
    #[serde(skip_serializing_if = "absent")]
    pub preflight_snapshot: String,
}

/// How far the decision has got.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ApprovalRequestStatus {
    /// Where it stands.
    pub state: ApprovalState,
    /// The votes so far.
    #[serde(skip_serializing_if = "absent")]
    pub decisions: Vec<Decision>,
    /// When it was approved.
    #[serde(skip_serializing_if = "absent")]
    pub approved_at: Option<TimeText>,
    /// When it was rejected.
    #[serde(skip_serializing_if = "absent")]
    pub rejected_at: Option<TimeText>,
    /// When it expired.
    #[serde(skip_serializing_if = "absent")]
    pub expired_at: Option<TimeText>,
    /// A rule decided, not people.
    pub auto_approved: bool,
    /// Observed aspects.
    #[serde(skip_serializing_if = "absent")]
    pub conditions: Vec<Condition>,
}

/// One vote.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Decision {
    /// Who voted.
    pub approver: String,
    /// `approved` or `rejected`.
    pub decision: String,
    /// Why.
    #[serde(skip_serializing_if = "absent")]
    pub reason: String,
    /// When.
    pub timestamp: Option<TimeText>,
}
