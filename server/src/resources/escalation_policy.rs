//! EscalationPolicy: who is told next when nobody answers.

use super::{
    shared::{Condition, Stored, absent, never, number, yes},
    vocabulary::{Severity, TargetType},
};
use jiff::Timestamp;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who is told next when nobody answers.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(
    group = "platform.chatcli.io",
    version = "v1alpha1",
    kind = "EscalationPolicy",
    plural = "escalationpolicies",
    shortname = "ep"
)]
#[kube(
    namespaced,
    status = "EscalationPolicyStatus",
    derive = "PartialEq",
    schema = "disabled"
)]
#[kube(printcolumn(name = "Default", type_ = "boolean", json_path = ".spec.defaultPolicy"))]
#[kube(printcolumn(name = "Enabled", type_ = "boolean", json_path = ".spec.enabled"))]
#[kube(printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"))]
#[serde(default, rename_all = "camelCase")]
pub struct EscalationPolicySpec {
    /// The policy counts.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// It is used where no other matches.
    #[serde(skip_serializing_if = "absent")]
    pub default_policy: bool,
    /// Severities that it covers.
    #[serde(skip_serializing_if = "absent")]
    pub severities: Vec<Severity>,
    /// The ladder, from the bottom.
    pub levels: Vec<EscalationLevel>,
    /// The policy as it is stored, which is what the API shows.
    #[serde(skip)]
    pub stored: Stored,
}

/// One rung.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct EscalationLevel {
    /// What it is called.
    pub name: String,
    /// Minutes until the next one.
    #[serde(default = "number::<15>")]
    pub timeout_minutes: i32,
    /// Who is told.
    pub targets: Vec<EscalationTarget>,
    /// Destinations, by name.
    #[serde(skip_serializing_if = "absent")]
    pub notify_channels: Vec<String>,
    /// Minutes until they are told again; never at 0.
    #[schemars(extend("x-default" = 0))]
    #[serde(skip_serializing_if = "never")]
    pub repeat_interval_minutes: i32,
}

/// Somebody who is told.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct EscalationTarget {
    /// What sort of recipient.
    #[serde(rename = "type")]
    pub kind: TargetType,
    /// Its name.
    pub name: String,
}

/// What is climbing now.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct EscalationPolicyStatus {
    /// The incidents.
    #[serde(skip_serializing_if = "absent")]
    pub active_escalations: Vec<ActiveEscalation>,
    /// How many there have been.
    pub total_escalations: i64,
    /// Observed aspects.
    #[serde(skip_serializing_if = "absent")]
    pub conditions: Vec<Condition>,
}

/// One incident that is climbing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ActiveEscalation {
    /// The incident.
    pub issue_name: String,
    /// The rung, from 0.
    pub current_level: i32,
    /// When it got there.
    pub escalated_at: Option<Timestamp>,
    /// When somebody answered.
    #[serde(skip_serializing_if = "absent")]
    pub acknowledged_at: Option<Timestamp>,
    /// Who answered.
    #[serde(skip_serializing_if = "absent")]
    pub acknowledged_by: String,
}
