//! Figures over the whole filtered set.

mod capacity;
mod compliance;

pub use capacity::{CapacityForecast, Compute, Forecast, IncidentCorrelation, Trend, UsagePercentage};
pub use compliance::{
    ActionOutcome, ApprovalMetrics, AuditSummary, ComplianceReport, IncidentMetrics, IncidentSla, Period,
    RemediationMetrics, SlaMetrics,
};

use crate::Number;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `/analytics/summary`: every member is always there.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AnalyticsSummary {
    pub total_issues: u64,
    pub resolved_issues: u64,
    pub contained_issues: u64,
    pub open_issues: u64,
    pub critical_issues: u64,
    pub chaos_induced_issues: u64,
    pub avg_risk_score: Number,
    pub severity_breakdown: BTreeMap<String, u64>,
    pub total_remediations: u64,
    pub successful_remediations: u64,
    pub failed_remediations: u64,
    pub remediated_issues: u64,
    pub resolved_by_remediation: u64,
    pub total_post_mortems: u64,
    pub post_mortems_requiring_human_action: u64,
    pub total_runbooks: u64,
    #[serde(rename = "totalSLOs")]
    pub total_slos: u64,
    #[serde(rename = "slosAtRisk")]
    pub slos_at_risk: u64,
    pub pending_approvals: u64,
}

/// One bucket of `/analytics/trends`.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TrendPoint {
    pub date: String,
    pub total: u64,
    pub by_severity: BTreeMap<String, u64>,
}

/// One day of `/analytics/mttd` or `/analytics/mttr`: the mean in seconds of that many incidents.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MeanPoint {
    pub date: String,
    pub value: Number,
    pub count: u64,
}

/// One row of `/analytics/top-resources`.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TopResource {
    pub kind: String,
    pub name: String,
    pub namespace: String,
    pub incident_count: u64,
    pub last_incident: String,
}

/// One row of `/analytics/remediation-stats`: what came of the incidents on which one strategy was tried.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RemediationStat {
    pub action: String,
    pub total: u64,
    pub successful: u64,
    pub failed: u64,
    /// From 0 to 1.
    pub success_rate: Number,
    /// Seconds.
    pub avg_duration: Number,
}

/// `/analytics/cost`: what the models have cost.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CostSummary {
    pub period_start: String,
    pub period_end: String,
    /// Dollars.
    #[serde(rename = "totalLLMCost")]
    pub total_llm_cost: Number,
    pub incident_count: u64,
    /// Dollars.
    pub cost_per_incident: Number,
}
