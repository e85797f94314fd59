//! Runbook: a procedure that can be used again.

use super::{
    shared::{NamedStep, absent, never, number},
    vocabulary::{Severity, Signal},
};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A procedure that can be used again.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(
    group = "platform.chatcli.io",
    version = "v1alpha1",
    kind = "Runbook",
    plural = "runbooks",
    shortname = "rb"
)]
#[kube(namespaced, derive = "PartialEq", schema = "disabled")]
#[kube(printcolumn(name = "Signal", type_ = "string", json_path = ".spec.trigger.signalType"))]
#[kube(printcolumn(name = "Severity", type_ = "string", json_path = ".spec.trigger.severity"))]
#[kube(printcolumn(name = "ResourceKind", type_ = "string", json_path = ".spec.trigger.resourceKind"))]
#[kube(printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"))]
#[serde(default, rename_all = "camelCase")]
pub struct RunbookSpec {
    /// What it is for.
    #[serde(skip_serializing_if = "absent")]
    pub description: String,
    /// What it answers.
    pub trigger: RunbookTrigger,
    /// What to do, in order.
    pub steps: Vec<NamedStep>,
    /// Attempts that an incident is granted once this procedure is chosen.
    #[serde(default = "number::<3>", skip_serializing_if = "never")]
    pub max_attempts: i32,
}

/// The incidents that a procedure answers.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RunbookTrigger {
    /// Their symptom.
    pub signal_type: Signal,
    /// Their severity.
    pub severity: Severity,
    /// The kind of object that they are on.
    pub resource_kind: String,
}
