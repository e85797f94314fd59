//! Clusters: the registered ones, and how they are taken together.

use crate::StringMap;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ClusterItem {
    pub name: String,
    pub namespace: String,
    /// The name that people see.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub display_name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub region: String,
    /// `prod`, `staging` or `dev`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub environment: String,
    /// `critical`, `standard` or `non-critical`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tier: String,
    pub connected: bool,
    /// Connected, and some of its nodes are not ready.
    #[serde(default)]
    pub degraded: bool,
    /// Of Kubernetes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub node_count: i32,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub namespace_count: i32,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub active_issues: i32,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub active_remediations: i32,
    /// As it was written, offset and fraction included.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub last_health_check: String,
    pub creation_timestamp: String,
    #[serde(default, skip_serializing_if = "StringMap::is_empty")]
    pub labels: StringMap,
}

/// `/clusters/global-status`: healthy, degraded and offline ones are all there are.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GlobalClusterStatus {
    pub total_clusters: u64,
    pub healthy_clusters: u64,
    pub degraded_clusters: u64,
    pub offline_clusters: u64,
    #[serde(default)]
    pub clusters: Vec<ClusterItem>,
}

/// `/federation/status`.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FederationStatus {
    pub total_clusters: u64,
    /// Degraded ones included.
    pub connected_clusters: u64,
    #[serde(default)]
    pub degraded_clusters: u64,
    pub disconnected_clusters: u64,
    /// Of this cluster: neither resolved nor failed.
    pub total_active_issues: u64,
}

/// One signal that appears in several clusters at once.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CorrelationItem {
    pub correlation_id: String,
    /// The oldest incident that carries the id.
    pub issue: String,
    pub namespace: String,
    pub severity: String,
    pub signal_type: String,
    /// A count, as text.
    pub correlated_clusters: String,
    /// Its severity was lifted because of that.
    pub elevated: bool,
    /// It came here from a staging cluster.
    pub cascade: bool,
}

fn is_zero(number: &i32) -> bool {
    *number == 0
}
