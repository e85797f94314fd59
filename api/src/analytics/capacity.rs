//! `/analytics/capacity`: what the workloads that had incidents ask for and may have. There is no history behind it, and it says so.

use crate::{Number, ResourceRef};
use serde::{Deserialize, Serialize};

/// One Deployment.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct CapacityForecast {
    pub resource: ResourceRef,
    /// What the first container requests.
    pub current_usage: Compute,
    /// What it is limited to; 0 where there is no limit.
    pub limits: Compute,
    pub usage_percentage: UsagePercentage,
    pub trend: Trend,
    pub forecast: Forecast,
    pub incident_correlation: IncidentCorrelation,
    /// `requests`.
    pub usage_source: String,
    pub history_available: bool,
    /// `plan` or `none`.
    pub urgency: String,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct Compute {
    #[serde(rename = "CPUMillicores")]
    pub cpu_millicores: i64,
    pub memory_bytes: i64,
}

/// 0 where there is no limit.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct UsagePercentage {
    #[serde(rename = "CPU")]
    pub cpu: Number,
    pub memory: Number,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct Trend {
    #[serde(rename = "CPUTrendPerDay")]
    pub cpu_trend_per_day: Number,
    pub memory_trend_per_day: Number,
    /// `insufficient_history`.
    pub direction: String,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct Forecast {
    #[serde(rename = "CPUExhaustionDate")]
    pub cpu_exhaustion_date: Option<String>,
    pub memory_exhaustion_date: Option<String>,
    #[serde(rename = "DaysUntilCPUExhaustion")]
    pub days_until_cpu_exhaustion: i64,
    pub days_until_memory_exhaustion: i64,
    /// A sentence.
    pub recommendation: String,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct IncidentCorrelation {
    /// Of the namespace.
    pub incidents_in_window: u64,
    /// Those of them on this workload.
    pub resource_related_incidents: u64,
    pub resource_is_bottleneck: bool,
}
