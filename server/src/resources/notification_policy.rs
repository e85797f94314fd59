//! NotificationPolicy: who is told of what.

use super::{
    shared::{Condition, SecretRef, Stored, TextMap, absent, never, number, yes},
    vocabulary::{ChannelType, IssueState, Severity},
};
use jiff::Timestamp;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who is told of what, in the whole cluster.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(
    group = "platform.chatcli.io",
    version = "v1alpha1",
    kind = "NotificationPolicy",
    plural = "notificationpolicies",
    shortname = "np"
)]
#[kube(
    namespaced,
    status = "NotificationPolicyStatus",
    derive = "PartialEq",
    schema = "disabled"
)]
#[kube(printcolumn(name = "Enabled", type_ = "boolean", json_path = ".spec.enabled"))]
#[kube(printcolumn(name = "Sent", type_ = "integer", json_path = ".status.totalSent"))]
#[kube(printcolumn(name = "Failed", type_ = "integer", json_path = ".status.failedCount"))]
#[kube(printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"))]
#[serde(default, rename_all = "camelCase")]
pub struct NotificationPolicySpec {
    /// The policy counts.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Where messages can go.
    pub channels: Vec<NotificationChannel>,
    /// Which go where.
    pub rules: Vec<NotificationRule>,
    /// How many may go.
    #[serde(skip_serializing_if = "absent")]
    pub throttle: Option<Throttle>,
    /// Their texts, by event.
    #[serde(skip_serializing_if = "absent")]
    pub templates: TextMap,
    /// The policy as it is stored, which is what the API shows.
    #[serde(skip)]
    pub stored: Stored,
}

/// One destination.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct NotificationChannel {
    /// What rules call it.
    pub name: String,
    /// The service that carries it.
    #[serde(rename = "type")]
    pub kind: ChannelType,
    /// What that service needs. May hold secrets.
    pub config: TextMap,
    /// Secret whose entries take precedence.
    #[serde(skip_serializing_if = "absent")]
    pub secret_ref: Option<SecretRef>,
}

/// Which messages go where; an empty list takes all.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct NotificationRule {
    /// What it is called.
    pub name: String,
    /// Severities of the incident.
    #[serde(skip_serializing_if = "absent")]
    pub severities: Vec<Severity>,
    /// Its signals.
    #[serde(skip_serializing_if = "absent")]
    pub signal_types: Vec<String>,
    /// Its namespaces.
    #[serde(skip_serializing_if = "absent")]
    pub namespaces: Vec<String>,
    /// Kinds of the object that it is on.
    #[serde(skip_serializing_if = "absent")]
    pub resource_kinds: Vec<String>,
    /// Where it stands.
    #[serde(skip_serializing_if = "absent")]
    pub states: Vec<IssueState>,
    /// Destinations, by name.
    pub channels: Vec<String>,
}

/// How many messages may go.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Throttle {
    /// Messages an hour.
    #[serde(default = "number::<10>", skip_serializing_if = "never")]
    pub max_per_hour: i32,
    /// Time in which the same message is not sent again.
    #[serde(default = "five_minutes", skip_serializing_if = "never")]
    pub deduplication_window: String,
    /// Reserved.
    #[serde(default = "one_minute", skip_serializing_if = "never")]
    pub grouping_window: String,
}

/// What was sent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct NotificationPolicyStatus {
    /// When a message last went out.
    #[serde(skip_serializing_if = "absent")]
    pub last_notified_at: Option<Timestamp>,
    /// Messages sent.
    pub total_sent: i64,
    /// Messages that failed.
    pub failed_count: i64,
    /// The newest ones.
    #[serde(skip_serializing_if = "absent")]
    pub recent_deliveries: Vec<Delivery>,
    /// Observed aspects.
    #[serde(skip_serializing_if = "absent")]
    pub conditions: Vec<Condition>,
}

/// One message that was sent, or was meant to be.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Delivery {
    /// Where it went.
    pub channel: String,
    /// When.
    pub sent_at: Option<Timestamp>,
    /// Whether it arrived.
    pub success: bool,
    /// Why it did not. May quote a secret address.
    #[serde(skip_serializing_if = "absent")]
    pub error: String,
}

fn five_minutes() -> String {
    "5m".into()
}

fn one_minute() -> String {
    "1m".into()
}
