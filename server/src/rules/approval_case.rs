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

#[cfg(test)]
mod tests {
    use super::{case, expired, state};
    use crate::{
        fixtures::{Fixture, at, incident, noon, policy, request},
        resources::{ApprovalMode, ApprovalPolicy, ApprovalState, Severity, approval_policy::AutoApproveConditions},
        rules::approval::Verdict,
    };

    #[test]
    fn votes_are_counted_by_principal() {
        let when = "2026-09-23T12:01:00Z";
        let voted = request()
            .needs(2)
            .vote("Ana (api-key: ana)", "approved", "", when)
            .vote("A. (api-key: ANA)", "approved", "", when);
        let quorum = policy(ApprovalMode::Quorum);
        assert_eq!(case(&voted, Some(&quorum), None).verdict(noon()), Verdict::Open);
        let enough = voted.vote("Bo (api-key: bo)", "approved", "", when);
        assert_eq!(
            case(&enough, Some(&quorum), None).verdict(noon()),
            Verdict::Approved { automatic: false }
        );
        assert_eq!(
            case(&enough.vote("Cy", "rejected", "", when), Some(&quorum), None).verdict(noon()),
            Verdict::Rejected
        );
    }

    #[test]
    fn a_rule_that_is_gone_leaves_the_requests_own_numbers() {
        let renamed = policy(ApprovalMode::Manual)
            .window(0, 1)
            .with(|policy| policy.spec.rules[0].name = "other".into());
        for policy in [None, Some(&*renamed)] {
            let case = case(&request().needs(2), policy, None);
            assert_eq!((case.required, case.window.is_none(), case.automatic), (2, true, false));
            assert_eq!(case.expires_at(), Some(at("2026-09-23T12:30:00Z")));
        }
        assert_eq!(case(&request().needs(-1), None, None).required, 1);
    }

    fn automatic() -> Fixture<ApprovalPolicy> {
        policy(ApprovalMode::Auto).with(|policy| {
            policy.spec.rules[0].auto_approve_conditions = Some(AutoApproveConditions {
                min_confidence: 0.85,
                max_severity: Severity::Medium,
                historical_success_rate: 0.75,
            });
        })
    }

    #[test]
    fn a_rule_decides_itself_when_all_its_conditions_hold() {
        let rule = automatic();
        let decides = |confidence, success, severity| {
            case(
                &request().evidence(confidence, success),
                Some(&rule),
                Some(&incident().severity(severity)),
            )
            .automatic
        };
        assert!(decides(0.85, 0.75, Severity::Medium));
        assert!(decides(0.9, 0.8, Severity::Low));
        assert!(!decides(0.84, 0.75, Severity::Medium));
        assert!(!decides(0.85, 0.74, Severity::Medium));
        assert!(!decides(0.85, 0.75, Severity::High));
        assert!(!decides(0.85, 0.75, Severity::from("odd")));
        assert!(
            !case(&request(), Some(&rule), Some(&incident())).automatic,
            "no evidence counts as none"
        );
        assert!(
            !case(&request().evidence(1.0, 1.0), Some(&rule), None).automatic,
            "nor does an incident that is gone"
        );
        assert!(
            !case(
                &request().evidence(1.0, 1.0),
                Some(&policy(ApprovalMode::Auto)),
                Some(&incident())
            )
            .automatic
        );
    }

    #[test]
    fn what_is_decided_does_not_expire() {
        let late = at("2026-10-01T00:00:00Z");
        let is_expired =
            |request: &crate::resources::ApprovalRequest| expired(request, &case(request, None, None), late);
        assert!(is_expired(&request()));
        assert!(is_expired(&request().state(ApprovalState::Expired)));
        assert!(!is_expired(&request().state(ApprovalState::Approved)));
        assert!(!is_expired(&request().state(ApprovalState::from("Odd"))));
        assert_eq!(state(&request().state(ApprovalState::from(""))), ApprovalState::Pending);
    }
}
