//! Instance's settings of the incident pipeline: what it watches, which models and tools it has, its limits.

use super::{
    shared::{TextMap, absent, never, number, yes},
    vocabulary::{FallbackProviderName, Transport, WatchedKind},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an instance watches.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Watcher {
    /// It watches at all.
    #[serde(skip_serializing_if = "absent")]
    pub enabled: bool,
    /// The one workload, in the old form.
    #[serde(skip_serializing_if = "absent")]
    pub deployment: String,
    /// Its namespace, in the old form.
    #[serde(skip_serializing_if = "absent")]
    pub namespace: String,
    /// The workloads.
    #[serde(skip_serializing_if = "absent")]
    pub targets: Vec<WatchTarget>,
    /// How often it looks.
    #[serde(default = "thirty_seconds", skip_serializing_if = "never")]
    pub interval: String,
    /// How far it looks back.
    #[serde(default = "two_hours", skip_serializing_if = "never")]
    pub window: String,
    /// Log lines that it takes.
    #[serde(default = "number::<100>", skip_serializing_if = "never")]
    pub max_log_lines: i32,
    /// Characters that it passes on.
    #[serde(default = "number::<32000>", skip_serializing_if = "never")]
    pub max_context_chars: i32,
}

/// One workload that is watched.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct WatchTarget {
    /// Its name.
    #[serde(skip_serializing_if = "absent")]
    pub name: String,
    /// Its name, in the old form.
    #[serde(skip_serializing_if = "absent")]
    pub deployment: String,
    /// Its kind.
    #[serde(default = "deployment", skip_serializing_if = "never")]
    pub kind: WatchedKind,
    /// Its namespace.
    pub namespace: String,
    /// Port of its metrics.
    #[serde(skip_serializing_if = "absent")]
    pub metrics_port: i32,
    /// Path of its metrics.
    #[serde(skip_serializing_if = "absent")]
    pub metrics_path: String,
    /// Patterns of the metrics that count.
    #[serde(skip_serializing_if = "absent")]
    pub metrics_filter: Vec<String>,
}

/// Which vendor answers when the first does not.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Fallback {
    /// It is on.
    pub enabled: bool,
    /// The vendors, in order.
    pub providers: Vec<FallbackProvider>,
    /// Tries before the next one.
    #[schemars(range(min = 0))]
    #[serde(default = "number::<2>", skip_serializing_if = "never")]
    pub max_retries: i32,
    /// How long a vendor rests after its first failure.
    #[serde(default = "thirty_seconds", skip_serializing_if = "never")]
    pub cooldown_base: String,
    /// How long it rests at most.
    #[serde(default = "five_minutes", skip_serializing_if = "never")]
    pub cooldown_max: String,
}

/// One vendor.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct FallbackProvider {
    /// Its name.
    pub name: FallbackProviderName,
    /// The model to ask.
    #[serde(skip_serializing_if = "absent")]
    pub model: String,
}

/// How incidents are handled.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Aiops {
    /// Attempts before an incident is escalated.
    #[schemars(range(min = 1, max = 10))]
    #[serde(default = "number::<5>", skip_serializing_if = "never")]
    pub max_remediation_attempts: i32,
    /// Minutes of quiet after a repair; off at 0.
    #[schemars(range(min = 0, max = 120))]
    #[serde(default = "number::<10>", skip_serializing_if = "never")]
    pub resolution_cooldown_minutes: i32,
    /// Minutes for which an alert is remembered.
    #[schemars(range(min = 5, max = 1440))]
    #[serde(rename = "dedupTTLMinutes")]
    #[serde(default = "number::<30>", skip_serializing_if = "never")]
    pub dedup_ttl_minutes: i32,
    /// Close escalated incidents once they are over.
    #[serde(default = "yes", skip_serializing_if = "never")]
    pub enable_auto_resolve: bool,
    /// Steps that the model's loop may take.
    #[schemars(range(min = 3, max = 30))]
    #[serde(default = "number::<10>", skip_serializing_if = "never")]
    pub agentic_max_steps: i32,
}

/// Tool servers that the model may call.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Mcp {
    /// They are on.
    #[schemars(extend("x-default" = false))]
    pub enabled: bool,
    /// The servers.
    #[serde(skip_serializing_if = "absent")]
    pub servers: Vec<McpServer>,
    /// ConfigMap that names them instead.
    #[serde(skip_serializing_if = "absent")]
    pub existing_config_map: String,
}

/// One tool server.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct McpServer {
    /// What it is called.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
    /// Program to start.
    #[serde(skip_serializing_if = "absent")]
    pub command: String,
    /// Arguments of the program.
    #[serde(skip_serializing_if = "absent")]
    pub args: Vec<String>,
    /// Environment of the program. May hold secrets.
    #[serde(skip_serializing_if = "absent")]
    pub env: TextMap,
    /// Address to call.
    #[serde(skip_serializing_if = "absent")]
    pub url: String,
    /// It is on.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Built-in tools that it takes the place of.
    #[serde(skip_serializing_if = "absent")]
    pub overrides: Vec<String>,
}

fn thirty_seconds() -> String {
    "30s".into()
}

fn two_hours() -> String {
    "2h".into()
}

fn five_minutes() -> String {
    "5m".into()
}

fn deployment() -> WatchedKind {
    WatchedKind::Deployment
}
