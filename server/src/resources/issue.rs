//! Issue: one incident on one resource.

use super::{
    shared::{Condition, ResourceRef, absent, number},
    vocabulary::{IssueState, Severity, SignalSource},
};
use jiff::Timestamp;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Annotations in which it is kept what people did to an incident.
pub mod mark {
    pub const ACKNOWLEDGED: &str = "aiops.chatcli.io/acknowledged";
    pub const ACKNOWLEDGED_AT: &str = "aiops.chatcli.io/acknowledged-at";
    pub const ACKNOWLEDGED_BY: &str = "aiops.chatcli.io/acknowledged-by";
    pub const SNOOZED_UNTIL: &str = "aiops.chatcli.io/snoozed-until";
    pub const SNOOZED_BY: &str = "aiops.chatcli.io/snoozed-by";
    pub const RESOLVED_AT: &str = "aiops.chatcli.io/resolved-at";
    pub const RESOLVED_BY: &str = "aiops.chatcli.io/resolved-by";
    pub const MANUAL_RESOLUTION: &str = "aiops.chatcli.io/manual-resolution";
    /// Written by the operator when an incident ends after its containment.
    pub const ENDED_BY: &str = "platform.chatcli.io/resolved-by";
}

/// One incident on one resource.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(
    group = "platform.chatcli.io",
    version = "v1alpha1",
    kind = "Issue",
    plural = "issues",
    shortname = "iss"
)]
#[kube(namespaced, status = "IssueStatus", derive = "PartialEq", schema = "disabled")]
#[kube(printcolumn(name = "Severity", type_ = "string", json_path = ".spec.severity"))]
#[kube(printcolumn(name = "State", type_ = "string", json_path = ".status.state"))]
#[kube(printcolumn(name = "Risk", type_ = "integer", json_path = ".spec.riskScore"))]
#[kube(printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"))]
#[serde(default, rename_all = "camelCase")]
pub struct IssueSpec {
    /// How bad it is.
    pub severity: Severity,
    /// Where its first signal came from.
    pub source: SignalSource,
    /// The first signal, free text; `slo_violation` for broken objectives.
    #[serde(skip_serializing_if = "absent")]
    pub signal_type: String,
    /// The affected object.
    pub resource: ResourceRef,
    /// The headline.
    pub description: String,
    /// Groups incidents that belong together.
    #[serde(skip_serializing_if = "absent")]
    pub correlation_id: String,
    /// Summed weight of the signals.
    #[serde(skip_serializing_if = "absent")]
    #[schemars(range(min = 0, max = 100))]
    pub risk_score: i32,
}

/// How far the incident has got.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct IssueStatus {
    /// Where it stands.
    pub state: IssueState,
    /// When it was first seen.
    #[serde(skip_serializing_if = "absent")]
    pub detected_at: Option<Timestamp>,
    /// How it ended; starts with `CONTAINED` when the symptom was silenced only.
    #[serde(skip_serializing_if = "absent")]
    pub resolution: String,
    /// When it ended.
    #[serde(skip_serializing_if = "absent")]
    pub resolved_at: Option<Timestamp>,
    /// Attempts made so far.
    pub remediation_attempts: i32,
    /// Attempts allowed before it is escalated.
    #[serde(default = "number::<3>")]
    pub max_remediation_attempts: i32,
    /// A person has to act.
    #[serde(skip_serializing_if = "absent")]
    pub requires_human_action: bool,
    /// What that person has to do.
    #[serde(skip_serializing_if = "absent")]
    pub required_action: String,
    /// Observed aspects.
    #[serde(skip_serializing_if = "absent")]
    pub conditions: Vec<Condition>,
}
