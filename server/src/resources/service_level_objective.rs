//! ServiceLevelObjective: how good a service promises to be.

use super::{
    shared::{Condition, ResourceRef, absent, yes},
    vocabulary::{IndicatorType, MetricSource, Severity},
};
use jiff::Timestamp;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How good a service promises to be.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(
    group = "platform.chatcli.io",
    version = "v1alpha1",
    kind = "ServiceLevelObjective",
    plural = "servicelevelobjectives",
    shortname = "slo"
)]
#[kube(
    namespaced,
    status = "ServiceLevelObjectiveStatus",
    derive = "PartialEq",
    schema = "disabled"
)]
#[kube(printcolumn(name = "Service", type_ = "string", json_path = ".spec.serviceName"))]
#[kube(printcolumn(name = "Target%", type_ = "number", json_path = ".spec.target.percentage"))]
#[kube(printcolumn(name = "Current", type_ = "number", json_path = ".status.currentValue"))]
#[kube(printcolumn(
    name = "BudgetRemaining%",
    type_ = "number",
    json_path = ".status.errorBudgetRemainingPercentage"
))]
#[kube(printcolumn(name = "BurnRate1h", type_ = "number", json_path = ".status.burnRate1h"))]
#[kube(printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"))]
#[serde(default, rename_all = "camelCase")]
pub struct ServiceLevelObjectiveSpec {
    /// The service.
    pub service_name: String,
    /// Why this promise.
    #[serde(skip_serializing_if = "absent")]
    pub description: String,
    /// The objective is evaluated.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// What is measured.
    pub indicator: Indicator,
    /// How good it has to be.
    pub target: Target,
    /// When to raise an incident.
    #[serde(skip_serializing_if = "absent")]
    pub alert_policy: Option<AlertPolicy>,
}

/// What is measured, and from what.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Indicator {
    /// What is measured.
    #[serde(rename = "type")]
    pub kind: IndicatorType,
    /// Where the figures come from.
    #[serde(default = "issues")]
    pub metric_source: MetricSource,
    /// Narrows it to one object.
    #[serde(skip_serializing_if = "absent")]
    pub resource: Option<ResourceRef>,
    /// Reserved.
    #[serde(skip_serializing_if = "absent")]
    pub prometheus_query: String,
    /// Reserved; `p50`, `p95` or `p99`.
    #[serde(skip_serializing_if = "absent")]
    pub latency_percentile: String,
    /// Reserved.
    #[serde(skip_serializing_if = "absent")]
    pub latency_threshold_ms: i64,
}

/// How good it has to be, and over which time.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Target {
    /// In percent, such as 99.9.
    pub percentage: f64,
    /// The rolling window, such as `30d`.
    #[serde(default = "thirty_days")]
    pub window: String,
}

/// When to raise an incident.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AlertPolicy {
    /// Speeds of spending that are too fast.
    #[serde(skip_serializing_if = "absent")]
    pub burn_rate_windows: Vec<BurnRateWindow>,
    /// One critical incident once the budget is gone.
    #[serde(skip_serializing_if = "absent")]
    pub page_on_budget_exhausted: bool,
    /// Reserved.
    #[serde(skip_serializing_if = "absent")]
    pub notification_policy_ref: String,
}

/// A speed of spending that is too fast when both windows exceed it.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct BurnRateWindow {
    /// The short window.
    pub short_window: String,
    /// The long window.
    pub long_window: String,
    /// The speed; 1 is exactly on budget.
    pub burn_rate_threshold: f64,
    /// How bad the incident then is.
    pub severity: Severity,
}

/// How good the service is.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ServiceLevelObjectiveStatus {
    /// The fraction reached: 0.9987 is 99.87 %.
    pub current_value: f64,
    /// The promise is kept.
    pub target_met: bool,
    /// The fraction that may be bad.
    pub error_budget_total: f64,
    /// Share of that budget that is left, from 0 to 1.
    pub error_budget_remaining: f64,
    /// The same in percent.
    #[serde(skip_serializing_if = "absent")]
    pub error_budget_remaining_percentage: f64,
    /// Share that is spent, in percent; may exceed 100.
    pub error_budget_consumed_percentage: f64,
    /// Speed of spending over 1 hour.
    #[serde(rename = "burnRate1h")]
    pub burn_rate_1h: f64,
    /// Speed of spending over 6 hours.
    #[serde(rename = "burnRate6h")]
    pub burn_rate_6h: f64,
    /// Speed of spending over 24 hours.
    #[serde(rename = "burnRate24h")]
    pub burn_rate_24h: f64,
    /// Speed of spending over 72 hours.
    #[serde(rename = "burnRate72h")]
    pub burn_rate_72h: f64,
    /// When this was worked out.
    #[serde(skip_serializing_if = "absent")]
    pub last_calculated_at: Option<Timestamp>,
    /// What is firing now.
    #[serde(skip_serializing_if = "absent")]
    pub active_alerts: Vec<BurnRateAlert>,
    /// Observed aspects.
    #[serde(skip_serializing_if = "absent")]
    pub conditions: Vec<Condition>,
}

/// A speed of spending that is too fast now.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct BurnRateAlert {
    /// The windows, such as `1h/6h`.
    pub window: String,
    /// The speed.
    pub burn_rate: f64,
    /// How bad it is.
    pub severity: Severity,
    /// Since when.
    pub fired_at: Option<Timestamp>,
}

fn issues() -> MetricSource {
    MetricSource::Issues
}

fn thirty_days() -> String {
    "30d".into()
}
