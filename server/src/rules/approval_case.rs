//! From a stored approval request to the case that is judged.

use super::approval::{Case, Verdict, principal};
use super::change_window::Window;
use crate::resources::{
    ApprovalMode, ApprovalPolicy, ApprovalRequest, ApprovalState, Issue, Severity, Typed,
    approval_policy::{ApprovalRule, AutoApproveConditions},
};
use jiff::{SignedDuration, Timestamp};

/// Reads the request under the rule that it was raised under. Where policy or rule are gone, or were never objects, its own numbers hold,
/// without window and without automatic approval.
pub fn case(request: &ApprovalRequest, policy: Option<&ApprovalPolicy>, issue: Option<&Issue>) -> Case {
    let rule = policy.and_then(|policy| {
        policy
            .spec
            .rules
            .iter()
            .find(|rule| rule.name == request.spec.rule_name)
    });
    let votes = |verdict: &'static str| {
        let decisions = request.status.iter().flat_map(|status| &status.decisions);
        decisions.filter(move |decision| decision.decision == verdict)
    };
    Case {
        raised: request.created().unwrap_or(Timestamp::UNIX_EPOCH),
        timeout: SignedDuration::from_mins(request.spec.timeout_minutes.into()),
        required: required(request, rule),
        approvals: votes("approved")
            .map(|decision| principal(&decision.approver))
            .collect(),
        rejected: votes("rejected").next().is_some(),
        automatic: rule.is_some_and(|rule| decides_itself(rule, request, issue)),
        window: rule.and_then(|rule| rule.change_window.as_deref()).map(|window| {
            Window::new(
                &window.timezone,
                &window.allowed_days,
                window.start_hour,
                window.end_hour,
            )
        }),
    }
}

/// Where the request stands as stored; no word counts as Pending.
pub fn state(request: &ApprovalRequest) -> ApprovalState {
    match request.status.as_ref().map(|status| &status.state) {
        Some(state) if !state.as_str().is_empty() => state.clone(),
        _ => ApprovalState::Pending,
    }
}

/// Expired as stored, or undecided past its time although nobody has noted it yet.
pub fn expired(request: &ApprovalRequest, case: &Case, now: Timestamp) -> bool {
    match state(request) {
        ApprovalState::Expired => true,
        ApprovalState::Pending => case.verdict(now) == Verdict::Expired,
        _ => false,
    }
}

/// Only a quorum needs more than one.
fn required(request: &ApprovalRequest, rule: Option<&ApprovalRule>) -> usize {
    match rule.map(|rule| &rule.mode) {
        Some(ApprovalMode::Auto | ApprovalMode::Manual) => 1,
        _ => usize::try_from(request.spec.required_approvers).unwrap_or(0).max(1),
    }
}

fn decides_itself(rule: &ApprovalRule, request: &ApprovalRequest, issue: Option<&Issue>) -> bool {
    let (ApprovalMode::Auto, Some(conditions), Some(issue)) = (&rule.mode, &rule.auto_approve_conditions, issue) else {
        return false;
    };
    let AutoApproveConditions {
        min_confidence,
        max_severity,
        historical_success_rate,
    } = conditions;
    let evidence = request.spec.evidence.as_deref();
    // No evidence is evidence of nothing.
    evidence.map_or(0.0, |evidence| evidence.ai_confidence) >= *min_confidence
        && evidence.map_or(0.0, |evidence| evidence.historical_success_rate) >= *historical_success_rate
        && issue.spec.severity.is_known()
        && at_most(&issue.spec.severity, max_severity)
}

/// The known words are declared worst first.
fn at_most(severity: &Severity, worst: &Severity) -> bool {
    worst.is_known() && severity >= worst
}
