//! IncidentSLA: how soon incidents of one severity are answered and resolved.

use super::{
    shared::{Condition, Stored, absent, number, weekdays},
    vocabulary::Severity,
};
use jiff::Timestamp;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const DURATION: &str = r"^([0-9]+d)?([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))*$";

/// How soon incidents of one severity are answered and resolved.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(
    group = "platform.chatcli.io",
    version = "v1alpha1",
    kind = "IncidentSLA",
    plural = "incidentslas",
    shortname = "sla"
)]
#[kube(namespaced, status = "IncidentSLAStatus", derive = "PartialEq", schema = "disabled")]
#[kube(printcolumn(name = "Severity", type_ = "string", json_path = ".spec.severity"))]
#[kube(printcolumn(name = "ResponseTime", type_ = "string", json_path = ".spec.responseTime"))]
#[kube(printcolumn(name = "ResolutionTime", type_ = "string", json_path = ".spec.resolutionTime"))]
#[kube(printcolumn(name = "Compliance%", type_ = "number", json_path = ".status.compliancePercentage"))]
#[kube(printcolumn(name = "Violations", type_ = "integer", json_path = ".status.totalViolations"))]
#[kube(printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"))]
#[serde(default, rename_all = "camelCase")]
pub struct IncidentSLASpec {
    /// The incidents that it covers.
    pub severity: Severity,
    /// Time until somebody looks at it, such as `15m` or `1d`.
    #[schemars(length(min = 2), regex(pattern = DURATION))]
    pub response_time: String,
    /// Time until it is resolved, such as `4h` or `2d12h`.
    #[schemars(length(min = 2), regex(pattern = DURATION))]
    pub resolution_time: String,
    /// The clock runs in business hours only.
    #[serde(skip_serializing_if = "absent")]
    pub business_hours_only: bool,
    /// Those hours.
    #[serde(skip_serializing_if = "absent")]
    pub business_hours: Option<Box<BusinessHours>>,
    /// Reserved.
    #[serde(skip_serializing_if = "absent")]
    pub escalation_policy_ref: String,
    /// Reserved.
    #[serde(skip_serializing_if = "absent")]
    pub notification_policy_ref: String,
    /// The policy as it is stored, which is what the API shows.
    #[serde(skip)]
    pub stored: Stored,
}

/// Hours of the week in which people work.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct BusinessHours {
    /// Time zone of the hours, by its IANA name.
    #[serde(default = "utc")]
    pub timezone: String,
    /// First hour.
    #[schemars(range(min = 0, max = 23))]
    #[serde(default = "number::<9>")]
    pub start_hour: i32,
    /// First hour after them.
    #[schemars(range(min = 0, max = 23))]
    #[serde(default = "number::<18>")]
    pub end_hour: i32,
    /// Days, in English.
    #[serde(default = "weekdays")]
    pub work_days: Vec<String>,
}

/// How well the promise is kept.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct IncidentSLAStatus {
    /// Open incidents in breach.
    pub active_violations: i32,
    /// Breaches so far.
    pub total_violations: i64,
    /// Incidents so far.
    pub total_issues_tracked: i64,
    /// Share without a breach, in percent.
    pub compliance_percentage: f64,
    /// Average time until somebody looked, as text.
    #[serde(skip_serializing_if = "absent")]
    pub average_response_time: String,
    /// Average time until it was resolved, as text.
    #[serde(skip_serializing_if = "absent")]
    pub average_resolution_time: String,
    /// The newest breaches.
    #[serde(skip_serializing_if = "absent")]
    pub recent_violations: Vec<SlaViolation>,
    /// The last breach.
    #[serde(skip_serializing_if = "absent")]
    pub last_violation_at: Option<Timestamp>,
    /// Observed aspects.
    #[serde(skip_serializing_if = "absent")]
    pub conditions: Vec<Condition>,
}

/// One breach.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct SlaViolation {
    /// The incident.
    pub issue_name: String,
    /// `response` or `resolution`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Time that it took.
    pub elapsed: String,
    /// Time that it may take.
    pub threshold: String,
    /// When it was noticed.
    pub violated_at: Option<Timestamp>,
}

fn utc() -> String {
    "UTC".into()
}
