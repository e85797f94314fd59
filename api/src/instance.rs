//! Instances: the managed ChatCLI servers, one of which does the thinking for the incident pipeline.

use crate::StringMap;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InstanceItem {
    pub name: String,
    pub namespace: String,
    pub ready: bool,
    pub replicas: i32,
    pub ready_replicas: i32,
    pub provider: String,
    pub model: Option<String>,
    /// What the running server reports.
    pub version: Option<String>,
    /// Null where it was not probed.
    pub server_reachable: Option<bool>,
    /// The five, in the order in which one depends on the other.
    pub conditions: Vec<Condition>,
    /// Type of the first condition that is not True, be it only Unknown: see that condition's reason.
    pub first_failed: Option<String>,
    /// `yes`, `no` or `unknown`.
    #[serde(rename = "drivesAIOps")]
    pub drives_aiops: DrivesAiops,
    #[serde(rename = "drivesAIOpsReason")]
    pub drives_aiops_reason: String,
    pub creation_timestamp: String,
    #[serde(default)]
    pub labels: StringMap,
    #[serde(default)]
    pub annotations: StringMap,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DrivesAiops {
    Yes,
    No,
    #[default]
    Unknown,
}

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    #[serde(rename = "type")]
    pub kind: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    pub reason: Option<String>,
    pub message: Option<String>,
    pub last_transition_time: Option<String>,
}

/// The item and what else a person asks of one Instance.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InstanceDetail {
    #[serde(flatten)]
    pub item: InstanceItem,
    pub image: Option<String>,
    /// `host:port` inside the cluster.
    pub endpoint: String,
    pub tls: Tls,
    pub probed_at: Option<String>,
    pub observed_generation: Option<i64>,
    /// `requests.cpu`, `limits.memory` and so on.
    pub resources: StringMap,
    /// Names as they are, literal values masked, references said in words.
    pub env: StringMap,
    /// The rest of the specification, by the path of its member; secrets masked.
    pub settings: StringMap,
}

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Tls {
    pub enabled: bool,
    pub secret_name: Option<String>,
    /// Set when clients must show a certificate.
    #[serde(rename = "clientCASecretName")]
    pub client_ca_secret_name: Option<String>,
}
