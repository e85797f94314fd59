//! AuditEvent: one thing that was done, by whom and to what.

use super::shared::{TextMap, TimeText, absent};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One thing that was done, by whom and to what.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(
    group = "platform.chatcli.io",
    version = "v1alpha1",
    kind = "AuditEvent",
    plural = "auditevents",
    shortname = "ae"
)]
#[kube(namespaced, derive = "PartialEq", schema = "disabled")]
#[kube(printcolumn(name = "EventType", type_ = "string", json_path = ".spec.eventType"))]
#[kube(printcolumn(name = "Actor", type_ = "string", json_path = ".spec.actor.name"))]
#[kube(printcolumn(name = "Resource", type_ = "string", json_path = ".spec.resource.name"))]
#[kube(printcolumn(name = "Severity", type_ = "string", json_path = ".spec.severity"))]
#[kube(printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"))]
#[serde(default, rename_all = "camelCase")]
pub struct AuditEventSpec {
    /// What was done.
    pub event_type: String,
    /// By whom.
    pub actor: Actor,
    /// To what.
    pub resource: AuditedResource,
    /// More about it; which keys depends on the event.
    #[serde(skip_serializing_if = "absent")]
    pub details: TextMap,
    /// `info`, `warning` or `critical`.
    #[serde(default = "info")]
    pub severity: String,
    /// The incident that it belongs to.
    #[serde(skip_serializing_if = "absent")]
    pub correlation_id: String,
    /// When.
    pub timestamp: Option<TimeText>,
}

/// Who did something.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Actor {
    /// `system`, `user` or `controller`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Their name.
    pub name: String,
    /// The controller that acted for them.
    #[serde(skip_serializing_if = "absent")]
    pub controller: String,
}

/// What something was done to.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AuditedResource {
    /// Kind of the object.
    pub kind: String,
    /// Name of the object.
    pub name: String,
    /// Namespace of the object.
    pub namespace: String,
    /// Uid of the object.
    #[serde(skip_serializing_if = "absent")]
    pub uid: String,
}

fn info() -> String {
    "info".into()
}
