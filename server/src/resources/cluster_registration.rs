//! ClusterRegistration: another cluster that is watched.

use super::{
    shared::{Condition, SecretRef, TextMap, TimeText, absent, never, number},
    vocabulary::{Environment, Tier},
};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Another cluster that is watched.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(
    group = "platform.chatcli.io",
    version = "v1alpha1",
    kind = "ClusterRegistration",
    plural = "clusterregistrations",
    shortname = "cr"
)]
#[kube(
    namespaced,
    status = "ClusterRegistrationStatus",
    derive = "PartialEq",
    schema = "disabled"
)]
#[kube(printcolumn(name = "DisplayName", type_ = "string", json_path = ".spec.displayName"))]
#[kube(printcolumn(name = "Region", type_ = "string", json_path = ".spec.region"))]
#[kube(printcolumn(name = "Environment", type_ = "string", json_path = ".spec.environment"))]
#[kube(printcolumn(name = "Connected", type_ = "boolean", json_path = ".status.connected"))]
#[kube(printcolumn(name = "Nodes", type_ = "integer", json_path = ".status.nodeCount"))]
#[kube(printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"))]
#[serde(default, rename_all = "camelCase")]
pub struct ClusterRegistrationSpec {
    /// The name that people see.
    pub display_name: String,
    /// Secret whose entry `kubeconfig` opens it.
    pub kubeconfig_secret_ref: SecretRef,
    /// Where it is.
    #[serde(skip_serializing_if = "absent")]
    pub region: String,
    /// What it is for.
    #[serde(default = "dev")]
    pub environment: Environment,
    /// How careful to be with it.
    #[serde(default = "standard")]
    pub tier: Tier,
    /// Free tags.
    #[serde(skip_serializing_if = "absent")]
    pub labels: TextMap,
    /// How often it is looked at.
    #[serde(default = "thirty_seconds", skip_serializing_if = "never")]
    pub health_check_interval: String,
    /// For information only.
    #[serde(skip_serializing_if = "absent")]
    pub capabilities: Vec<String>,
    /// For information only.
    #[serde(default = "number::<3>", skip_serializing_if = "never")]
    pub max_concurrent_remediations: i32,
}

/// What was seen of it.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ClusterRegistrationStatus {
    /// The last look succeeded.
    pub connected: bool,
    /// When that was.
    #[serde(skip_serializing_if = "absent")]
    pub last_health_check: Option<TimeText>,
    /// Its version.
    #[serde(skip_serializing_if = "absent")]
    pub kubernetes_version: String,
    /// Its nodes.
    pub node_count: i32,
    /// Its namespaces.
    pub namespace_count: i32,
    /// Incidents there that have not ended.
    pub active_issues: i32,
    /// Attempts there that have not ended.
    pub active_remediations: i32,
    /// Observed aspects.
    #[serde(skip_serializing_if = "absent")]
    pub conditions: Vec<Condition>,
}

fn dev() -> Environment {
    Environment::Dev
}

fn standard() -> Tier {
    Tier::Standard
}

fn thirty_seconds() -> String {
    "30s".into()
}
