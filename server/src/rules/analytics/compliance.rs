//! The report for an auditor. Experiments count here. Its times are upstream's own, which differ from the daily means: repair is counted
//! from detection, and the mean resolution divides all resolutions by those that were detected as well.

use super::{Mean, Period, Scope, created, elapsed};
use crate::resources::{
    ApprovalRequest, ApprovalState, AuditEvent, IncidentSLA, Issue, IssueState, PlanState, RemediationPlan, Typed,
};
use opsdeck_api::{
    Number,
    analytics::{
        ActionOutcome, ApprovalMetrics, AuditSummary, ComplianceReport, IncidentMetrics, IncidentSla,
        RemediationMetrics, SlaMetrics,
    },
};
use std::collections::BTreeMap;

/// What the report is about when nobody says.
pub const DAYS_OF_COMPLIANCE: i64 = 7;

/// Written by the operator: `response`, `resolution` or both.
const VIOLATED: &str = "platform.chatcli.io/sla-violated";

/// The objects that the report is made from; each list whole and in any order.
#[derive(Clone, Debug)]
pub struct Records<I, R, A, E, S> {
    pub issues: I,
    pub plans: R,
    pub approvals: A,
    pub events: E,
    pub slas: S,
}

pub fn compliance<'a>(
    records: Records<
        impl IntoIterator<Item = &'a Issue>,
        impl IntoIterator<Item = &'a RemediationPlan>,
        impl IntoIterator<Item = &'a ApprovalRequest>,
        impl IntoIterator<Item = &'a AuditEvent>,
        impl IntoIterator<Item = &'a IncidentSLA>,
    >,
    scope: &Scope,
    period: &Period,
) -> ComplianceReport {
    let during = period.of_objects(scope);
    let slas = records.slas.into_iter().filter(|sla| scope.covers(*sla));
    let mut incident_slas: Vec<_> = slas.map(incident_sla).collect();
    incident_slas.sort_by(|a, b| (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name)));
    let (incident_metrics, sla_metrics) = incidents(records.issues, &during, !incident_slas.is_empty());
    ComplianceReport {
        period: period.stamp(),
        incident_metrics,
        remediation_metrics: remediations(records.plans, &during),
        sla_metrics,
        approval_metrics: approvals(records.approvals, &during),
        audit_summary: events(records.events, &during),
        incident_slas,
    }
}

/// With promises, the operator marks what broke one; without any, an incident that was escalated was not resolved in time.
fn incidents<'a>(
    issues: impl IntoIterator<Item = &'a Issue>,
    during: &Scope,
    promised: bool,
) -> (IncidentMetrics, SlaMetrics) {
    let mut incidents = IncidentMetrics::default();
    let mut slas = SlaMetrics::default();
    let (mut attempts, mut violating, mut detected_and_resolved) = (0, 0, 0);
    let (mut detection, mut repair, mut resolution) = (Mean::default(), Mean::default(), Mean::default());
    for issue in issues.into_iter().filter(|issue| during.holds(*issue)) {
        let status = issue.status.as_ref();
        let state = status.map(|status| &status.state);
        incidents.total_incidents += 1;
        tally(&mut incidents.by_severity, issue.spec.severity.as_str());
        tally(&mut incidents.by_state, state.map_or("", |state| state.as_str()));
        attempts += status.map_or(0, |status| i64::from(status.remediation_attempts));
        let detected = status.and_then(|status| status.detected_at);
        let resolved = status.and_then(|status| status.resolved_at);
        if let Some(detected) = detected {
            detection.add(elapsed(created(issue), detected));
        }
        if let Some(resolved) = resolved {
            resolution.add(elapsed(created(issue), resolved));
        }
        if let (Some(detected), Some(resolved)) = (detected, resolved) {
            repair.add(elapsed(detected, resolved));
            detected_and_resolved += 1;
        }
        let broken = if promised {
            broken(issue)
        } else {
            [false, state == Some(&IssueState::Escalated)]
        };
        slas.response_sla_violations += u64::from(broken[0]);
        slas.resolution_sla_violations += u64::from(broken[1]);
        violating += u64::from(broken[0] || broken[1]);
    }
    let total = incidents.total_incidents;
    incidents.mttd = detection.nanoseconds();
    incidents.mttr = repair.nanoseconds();
    incidents.mean_remediation_attempts = share(attempts as f64, total, 1.0, 0.0);
    slas.compliance_percentage = share((total - violating) as f64, total, 100.0, 100.0);
    slas.average_response_time = detection.nanoseconds();
    slas.average_resolution_time = Mean {
        count: detected_and_resolved,
        ..resolution
    }
    .nanoseconds();
    (incidents, slas)
}

/// Response and resolution.
fn broken(issue: &Issue) -> [bool; 2] {
    let marks = issue.annotation(VIOLATED).unwrap_or_default();
    ["response", "resolution"].map(|promise| marks.split(',').any(|mark| mark.trim() == promise))
}

fn remediations<'a>(plans: impl IntoIterator<Item = &'a RemediationPlan>, during: &Scope) -> RemediationMetrics {
    let mut metrics = RemediationMetrics::default();
    let mut ended = 0;
    for plan in plans.into_iter().filter(|plan| during.holds(*plan)) {
        let state = plan.status.as_ref().map(|status| &status.state);
        let completed = state == Some(&PlanState::Completed);
        let failed = state == Some(&PlanState::Failed);
        metrics.total_remediations += 1;
        metrics.auto_remediated_count += u64::from(completed);
        metrics.agentic_count += u64::from(plan.spec.agentic_mode);
        ended += u64::from(completed || failed || state == Some(&PlanState::RolledBack));
        for action in &plan.spec.actions {
            let outcome: &mut ActionOutcome = entry(&mut metrics.by_action_type, action.action.as_str());
            outcome.count += 1;
            outcome.success += u64::from(completed);
            outcome.failed += u64::from(failed);
        }
    }
    metrics.success_rate = share(metrics.auto_remediated_count as f64, ended, 100.0, 0.0);
    metrics
}

fn approvals<'a>(requests: impl IntoIterator<Item = &'a ApprovalRequest>, during: &Scope) -> ApprovalMetrics {
    let mut metrics = ApprovalMetrics::default();
    let mut decision = Mean::default();
    for request in requests.into_iter().filter(|request| during.holds(*request)) {
        metrics.total_requests += 1;
        let Some(status) = &request.status else { continue };
        match status.state {
            ApprovalState::Approved => {
                metrics.auto_approved += u64::from(status.auto_approved);
                metrics.manual_approved += u64::from(!status.auto_approved);
                if let Some(approved) = status.approved_at.as_ref().and_then(|text| text.moment()) {
                    decision.add(elapsed(created(request), approved));
                }
            }
            ApprovalState::Rejected => metrics.rejected += 1,
            ApprovalState::Expired => metrics.expired += 1,
            _ => {}
        }
    }
    metrics.average_decision_time = decision.nanoseconds();
    metrics
}

fn events<'a>(events: impl IntoIterator<Item = &'a AuditEvent>, during: &Scope) -> AuditSummary {
    let mut summary = AuditSummary::default();
    for event in events.into_iter().filter(|event| during.holds(*event)) {
        summary.total_events += 1;
        tally(&mut summary.by_severity, &event.spec.severity);
        tally(&mut summary.by_event_type, &event.spec.event_type);
    }
    summary
}

fn incident_sla(sla: &IncidentSLA) -> IncidentSla {
    let status = sla.status.clone().unwrap_or_default();
    IncidentSla {
        name: sla.name().to_owned(),
        namespace: sla.namespace().to_owned(),
        severity: sla.spec.severity.to_string(),
        response_time: sla.spec.response_time.clone(),
        resolution_time: sla.spec.resolution_time.clone(),
        compliance_percentage: status.compliance_percentage.into(),
        active_violations: status.active_violations.into(),
        total_violations: status.total_violations,
        total_issues_tracked: status.total_issues_tracked,
    }
}

/// So many times the part of a whole; of nothing, what is said.
fn share(part: f64, whole: u64, times: f64, of_nothing: f64) -> Number {
    match whole {
        0 => of_nothing.into(),
        _ => (part / whole as f64 * times).into(),
    }
}

fn tally(counts: &mut BTreeMap<String, u64>, word: &str) {
    *entry(counts, word) += 1;
}

/// Without a copy of the word when it is there already.
fn entry<'m, V: Default>(map: &'m mut BTreeMap<String, V>, word: &str) -> &'m mut V {
    if !map.contains_key(word) {
        return map.entry(word.to_owned()).or_default();
    }
    map.get_mut(word).expect("it is there")
}

#[cfg(test)]
mod tests;
