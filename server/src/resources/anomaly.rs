//! Anomaly: one raw signal, before it is folded into an incident.

use super::{
    shared::{IssueRef, ResourceRef, absent},
    vocabulary::{Signal, SignalSource},
};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One raw signal about a workload or node, before it is folded into an incident.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(
    group = "platform.chatcli.io",
    version = "v1alpha1",
    kind = "Anomaly",
    plural = "anomalies",
    shortname = "anom"
)]
#[kube(namespaced, status = "AnomalyStatus", derive = "PartialEq", schema = "disabled")]
#[kube(printcolumn(name = "Source", type_ = "string", json_path = ".spec.source"))]
#[kube(printcolumn(name = "Signal", type_ = "string", json_path = ".spec.signalType"))]
#[kube(printcolumn(name = "Correlated", type_ = "boolean", json_path = ".status.correlated"))]
#[kube(printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"))]
#[serde(default, rename_all = "camelCase")]
pub struct AnomalySpec {
    /// Where the signal came from.
    pub source: SignalSource,
    /// The symptom.
    pub signal_type: Signal,
    /// The affected workload or node.
    pub resource: ResourceRef,
    /// What was observed.
    pub value: String,
    /// The limit that it crossed.
    pub threshold: String,
    /// More about it, in free text.
    #[serde(skip_serializing_if = "absent")]
    pub description: String,
}

/// What became of the signal.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AnomalyStatus {
    /// Attached to an incident already, or suppressed on purpose.
    pub correlated: bool,
    /// That incident; `suppressed:<reason>` names none.
    #[serde(skip_serializing_if = "absent")]
    pub issue_ref: Option<IssueRef>,
}
