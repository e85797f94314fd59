//! `/analytics/compliance`: what an auditor asks of one period. Every time is in nanoseconds, every rate in percent.

use crate::Number;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct ComplianceReport {
    pub period: Period,
    pub incident_metrics: IncidentMetrics,
    pub remediation_metrics: RemediationMetrics,
    #[serde(rename = "SLAMetrics")]
    pub sla_metrics: SlaMetrics,
    pub approval_metrics: ApprovalMetrics,
    pub audit_summary: AuditSummary,
    /// Absent when there are none.
    #[serde(rename = "IncidentSLAs", default, skip_serializing_if = "Vec::is_empty")]
    pub incident_slas: Vec<IncidentSla>,
}

/// Both ends included; the times may have fractions of a second.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct Period {
    pub start: String,
    pub end: String,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct IncidentMetrics {
    pub total_incidents: u64,
    pub by_severity: BTreeMap<String, u64>,
    pub by_state: BTreeMap<String, u64>,
    #[serde(rename = "MTTD")]
    pub mttd: i64,
    /// From detection, unlike `/analytics/mttr`.
    #[serde(rename = "MTTR")]
    pub mttr: i64,
    pub mean_remediation_attempts: Number,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct RemediationMetrics {
    pub total_remediations: u64,
    pub success_rate: Number,
    pub by_action_type: BTreeMap<String, ActionOutcome>,
    pub auto_remediated_count: u64,
    pub agentic_count: u64,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct ActionOutcome {
    pub count: u64,
    pub success: u64,
    pub failed: u64,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct SlaMetrics {
    pub compliance_percentage: Number,
    #[serde(rename = "ResponseSLAViolations")]
    pub response_sla_violations: u64,
    #[serde(rename = "ResolutionSLAViolations")]
    pub resolution_sla_violations: u64,
    pub average_response_time: i64,
    pub average_resolution_time: i64,
}

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct ApprovalMetrics {
    pub total_requests: u64,
    pub auto_approved: u64,
    pub manual_approved: u64,
    pub rejected: u64,
    pub expired: u64,
    pub average_decision_time: i64,
}

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct AuditSummary {
    pub total_events: u64,
    pub by_severity: BTreeMap<String, u64>,
    pub by_event_type: BTreeMap<String, u64>,
}

/// One IncidentSLA, with the counts that the operator keeps of it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct IncidentSla {
    pub name: String,
    pub namespace: String,
    pub severity: String,
    /// As written, such as `15m`.
    pub response_time: String,
    /// As written, such as `1d4h`.
    pub resolution_time: String,
    pub compliance_percentage: Number,
    pub active_violations: i64,
    pub total_violations: i64,
    pub total_issues_tracked: i64,
}
