//! Instance: one managed ChatCLI server. The larger parts of its settings are in the sibling files.

use super::{
    instance_pipeline::{Aiops, Fallback, Mcp, Watcher},
    instance_pod::{Features, Image, InstanceServer, Persistence, Scheduling, ServiceAccount, bare},
    shared::{Condition, SecretRef, absent, never, number},
};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{EnvVar, PodSecurityContext, ResourceRequirements};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One managed ChatCLI server.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(
    group = "platform.chatcli.io",
    version = "v1alpha1",
    kind = "Instance",
    plural = "instances",
    shortname = "inst"
)]
#[kube(namespaced, status = "InstanceStatus", derive = "PartialEq", schema = "disabled")]
#[kube(printcolumn(name = "Ready", type_ = "boolean", json_path = ".status.ready"))]
#[kube(printcolumn(name = "Replicas", type_ = "integer", json_path = ".status.replicas"))]
#[kube(printcolumn(name = "Provider", type_ = "string", json_path = ".spec.provider"))]
#[kube(printcolumn(name = "Version", type_ = "string", json_path = ".status.serverVersion"))]
#[kube(printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"))]
#[serde(default, rename_all = "camelCase")]
pub struct InstanceSpec {
    /// Pods that it runs in.
    #[schemars(range(min = 0))]
    #[serde(default = "number::<1>", skip_serializing_if = "never")]
    pub replicas: i32,
    /// Vendor of the model.
    pub provider: String,
    /// The model.
    #[serde(skip_serializing_if = "absent")]
    pub model: String,
    /// What the pods run.
    #[serde(skip_serializing_if = "absent")]
    pub image: Option<Image>,
    /// How it listens.
    #[serde(skip_serializing_if = "absent")]
    pub server: Option<Box<InstanceServer>>,
    /// What it watches.
    #[serde(skip_serializing_if = "absent")]
    pub watcher: Option<Box<Watcher>>,
    /// What its container may use.
    #[schemars(schema_with = "bare::<ResourceRequirements>")]
    #[serde(skip_serializing_if = "absent")]
    pub resources: Option<Box<ResourceRequirements>>,
    /// Where its sessions are kept.
    #[serde(skip_serializing_if = "absent")]
    pub persistence: Option<Persistence>,
    /// What its pods may do.
    #[schemars(schema_with = "bare::<PodSecurityContext>")]
    #[serde(skip_serializing_if = "absent")]
    pub security_context: Option<Box<PodSecurityContext>>,
    /// Which vendor answers when the first does not.
    #[serde(skip_serializing_if = "absent")]
    pub fallback: Option<Box<Fallback>>,
    /// How incidents are handled.
    #[serde(skip_serializing_if = "absent")]
    pub aiops: Option<Box<Aiops>>,
    /// Keys of the vendors.
    #[serde(skip_serializing_if = "absent")]
    pub api_keys: Option<SecretRef>,
    /// Agents and skills that it is given.
    #[serde(skip_serializing_if = "absent")]
    pub agents: Option<AgentFiles>,
    /// Plug-ins that it is given.
    #[serde(skip_serializing_if = "absent")]
    pub plugins: Option<PluginFiles>,
    /// Tool servers that it may call.
    #[serde(skip_serializing_if = "absent")]
    pub mcp: Option<Box<Mcp>>,
    /// Environment of its container. May hold secrets.
    #[schemars(schema_with = "bare::<Vec<EnvVar>>")]
    #[serde(skip_serializing_if = "absent")]
    pub extra_env: Vec<EnvVar>,
    /// Where its pods may run.
    #[serde(skip_serializing_if = "absent")]
    pub scheduling: Option<Box<Scheduling>>,
    /// The identity that it runs under.
    #[serde(skip_serializing_if = "absent")]
    pub service_account: Option<ServiceAccount>,
    /// Optional parts of the server.
    #[serde(skip_serializing_if = "absent")]
    pub features: Option<Box<Features>>,
    /// The whole engine inside the server.
    #[serde(skip_serializing_if = "absent")]
    pub pipeline: Option<Pipeline>,
}

/// Agents and skills that an instance is given.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AgentFiles {
    /// ConfigMap with the agents.
    #[serde(skip_serializing_if = "absent")]
    pub config_map_ref: String,
    /// ConfigMap with the skills.
    #[serde(skip_serializing_if = "absent")]
    pub skills_config_map_ref: String,
}

/// Plug-ins that an instance is given.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PluginFiles {
    /// Image that holds them.
    #[serde(skip_serializing_if = "absent")]
    pub image: String,
    /// Volume that holds them.
    #[serde(skip_serializing_if = "absent")]
    pub pvc_name: String,
}

/// The whole engine inside the server.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Pipeline {
    /// It is on.
    #[serde(skip_serializing_if = "absent")]
    pub enabled: bool,
}

/// How the instance is doing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct InstanceStatus {
    /// Every replica is available.
    pub ready: bool,
    /// Replicas asked for.
    pub replicas: i32,
    /// Replicas that are ready.
    pub ready_replicas: i32,
    /// The last generation that was acted upon.
    #[serde(skip_serializing_if = "absent")]
    pub observed_generation: i64,
    /// Version that the running server told.
    #[serde(skip_serializing_if = "absent")]
    pub server_version: String,
    /// When it was last asked.
    #[serde(skip_serializing_if = "absent")]
    pub server_probe_time: Option<Timestamp>,
    /// Observed aspects.
    #[serde(skip_serializing_if = "absent")]
    pub conditions: Vec<Condition>,
}
