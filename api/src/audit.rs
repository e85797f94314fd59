//! Audit events: who did what to what, and when.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuditEventItem {
    pub name: String,
    pub namespace: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub event_type: String,
    /// `info`, `warning` or `critical`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub severity: String,
    /// The incident that it belongs to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub correlation_id: String,
    /// `system`, `user` or `controller`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub actor_type: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub actor_name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub resource_kind: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub resource_name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub resource_namespace: String,
    /// `key=value`, joined with `; `, by key. Values of secrets are masked as `***`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// As it was written, offset and fraction included.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub timestamp: String,
    pub creation_timestamp: String,
}
