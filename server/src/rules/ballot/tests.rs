//! Votes, one by one and in every order.

use super::*;
use crate::{
    fixtures::{Fixture, action, at, noon, plan, policy, request, texts},
    resources::{ActionType, ApprovalMode, Kind, Object},
    rules::approval,
};
use jiff::ToSpan;
use proptest::prelude::*;

const WHEN: &str = "2026-09-23T12:01:00Z";

fn ballot(verdict: Verdict, name: &str, key: &str) -> Ballot {
    Ballot {
        verdict,
        approver: signature(name, key).unwrap(),
        reason: String::new(),
        plan_hash: None,
    }
}

fn status(decision: Decision) -> Value {
    let Verb::PatchStatus(patch) = decision.verb else {
        panic!("a vote is a matter of the status")
    };
    assert!(decision.then.is_none());
    patch["status"].clone()
}

/// The request with the vote in it, as the store would have it.
fn after(request: &ApprovalRequest, decision: Decision) -> ApprovalRequest {
    let mut object = serde_json::to_value(request).unwrap();
    object["status"] = status(decision);
    let Ok(Object::ApprovalRequest(request)) = Object::parse(Kind::ApprovalRequest, object) else {
        panic!("still a request")
    };
    (*request).clone()
}

#[test]
fn a_signature_is_the_typed_name_and_the_key_that_stands_for_it() {
    let signed = |typed: &str| signature(typed, "sre-mira");
    assert_eq!(signed(" Mira\t\u{7}K. \n"), Some("MiraK. (api-key: sre-mira)".into()));
    assert_eq!(
        signed(&format!("{}  x", "é".repeat(127))),
        Some(format!("{} (api-key: sre-mira)", "é".repeat(127))),
        "cut at 128 characters, and trimmed again"
    );
    for nothing in ["", "  ", "\u{0}\u{1b}", "\n \t"] {
        assert_eq!(signed(nothing), None, "{nothing:?}");
    }
    let forged = signed("boss (api-key: ceo)").unwrap();
    assert_eq!(principal(&forged), "api-key:sre-mira");
}

#[test]
fn a_first_vote_gives_the_request_all_that_a_status_needs() {
    let vote = Ballot {
        reason: "looks right".into(),
        ..ballot(Verdict::Approved, "Mira", "sre-mira")
    };
    let asked = request().asks(action(ActionType::DeletePod, &[])).needs(2);
    let decision = vote.cast(&asked, Matter::default(), at(WHEN)).unwrap();
    let hash = plan_hash(&asked.spec.requested_actions, None::<&()>);
    assert_eq!(
        decision.details,
        texts(&[
            ("decision", "approved"),
            ("approver", "Mira (api-key: sre-mira)"),
            ("reason", "looks right"),
            ("issue", "checkout-oom"),
            ("plan", "checkout-oom-plan-1"),
            ("planHash", &hash),
            ("before", "0 of 2 approvals"),
            ("after", "1 of 2 approvals"),
        ])
    );
    assert_eq!(
        status(decision),
        json!({"state": "Pending", "autoApproved": false, "decisions": [{
            "approver": "Mira (api-key: sre-mira)", "decision": "approved", "reason": "looks right", "timestamp": WHEN,
        }]})
    );
}

#[test]
fn earlier_votes_stay_as_they_were_written() {
    let odd = "2026-09-23T14:00:30.5+02:00";
    let voted = request().needs(3).vote("zoe", "approved", "go", odd);
    let decision = ballot(Verdict::Rejected, "Ben", "ben")
        .cast(&voted, Matter::default(), at(WHEN))
        .unwrap();
    assert_eq!(decision.details["after"], "rejected, 1 of 3 approvals");
    assert_eq!(
        status(decision)["decisions"],
        json!([
            {"approver": "zoe", "decision": "approved", "reason": "go", "timestamp": odd},
            {"approver": "Ben (api-key: ben)", "decision": "rejected", "timestamp": WHEN},
        ])
    );
}

#[test]
fn one_key_is_one_vote_under_whatever_name() {
    let voted = request()
        .needs(3)
        .vote("Mira (api-key: SRE-mira)", "approved", "", WHEN);
    for (verdict, name) in [(Verdict::Approved, "Tomasz"), (Verdict::Rejected, "Mira")] {
        let refused = ballot(verdict, name, "sre-mira").cast(&voted, Matter::default(), noon());
        assert_eq!(
            refused.unwrap_err(),
            Refusal::Voted(Hand {
                by: "Mira (api-key: SRE-mira)".into(),
                at: Some(at(WHEN)),
            })
        );
    }
    assert!(
        ballot(Verdict::Approved, "Mira", "sre-tomasz")
            .cast(&voted, Matter::default(), noon())
            .is_ok()
    );
}

#[test]
fn what_is_decided_says_by_whom_and_when() {
    let decided = |state: ApprovalState, verdict: &str| {
        request()
            .state(state)
            .vote("Ana (api-key: ana)", "approved", "", WHEN)
            .vote("Bo (api-key: bo)", verdict, "", WHEN)
            .with(|request| {
                let status = request.status.get_or_insert_default();
                status.approved_at = Some("2026-09-23T12:02:00Z".into());
                status.rejected_at = Some("2026-09-23T12:03:00Z".into());
                status.expired_at = Some("2026-09-23T12:04:00Z".into());
            })
    };
    let refused = |request: Fixture<ApprovalRequest>| {
        ballot(Verdict::Approved, "Cy", "cy")
            .cast(&request, Matter::default(), noon())
            .unwrap_err()
    };
    let approved = refused(decided(ApprovalState::Approved, "approved"));
    assert_eq!(
        approved.to_string(),
        "approval is already Approved by Ana (api-key: ana), Bo (api-key: bo)"
    );
    assert!(matches!(approved, Refusal::Decided { at: Some(moment), .. } if moment == at("2026-09-23T12:02:00Z")));
    let rejected = refused(decided(ApprovalState::Rejected, "rejected"));
    assert_eq!(rejected.to_string(), "approval is already Rejected by Bo (api-key: bo)");
    assert!(matches!(rejected, Refusal::Decided { at: Some(moment), .. } if moment == at("2026-09-23T12:03:00Z")));
    assert_eq!(
        refused(decided(ApprovalState::Expired, "approved")),
        Refusal::Expired {
            at: Some(at("2026-09-23T12:04:00Z"))
        }
    );
    assert_eq!(
        refused(request().state(ApprovalState::from("Odd"))).to_string(),
        "approval is already Odd"
    );
}

#[test]
fn time_that_is_over_counts_before_anybody_has_noted_it() {
    let vote = ballot(Verdict::Rejected, "Mira", "sre-mira");
    let end = noon() + 30.minutes();
    assert!(vote.cast(&request(), Matter::default(), end - 1.nanosecond()).is_ok());
    assert_eq!(
        vote.cast(&request(), Matter::default(), end).unwrap_err(),
        Refusal::Expired { at: Some(end) }
    );
    // Its clock stands still while the window is closed.
    let night = policy(ApprovalMode::Manual).window(20, 21);
    let matter = Matter {
        policy: Some(&night),
        ..Matter::default()
    };
    assert!(vote.cast(&request(), matter, end).is_ok());
}

#[test]
fn whoever_says_what_they_have_read_is_told_when_it_is_something_else() {
    let asked = request().asks(action(ActionType::DeletePod, &[]));
    let (first, second) = (plan(), plan().with(|plan| plan.spec.attempt = 2));
    let hash = plan_hash(&asked.spec.requested_actions, Some(&first.spec));
    let vote = Ballot {
        plan_hash: Some(hash.clone()),
        ..ballot(Verdict::Approved, "Mira", "sre-mira")
    };
    let with = |plan: Option<&RemediationPlan>| {
        let matter = Matter {
            plan,
            ..Matter::default()
        };
        vote.cast(&asked, matter, noon())
    };
    assert!(with(Some(&first)).is_ok());
    for changed in [Some(&*second), None] {
        let Err(Refusal::PlanChanged { hash: now }) = with(changed) else {
            panic!("it has changed")
        };
        assert_eq!(
            now,
            plan_hash(&asked.spec.requested_actions, changed.map(|plan| &plan.spec))
        );
        assert_ne!(now, hash);
    }
}

/// Who votes what, under which of two names.
fn votes() -> impl Strategy<Value = Vec<(usize, bool, bool)>> {
    prop::collection::vec((0..5usize, prop::bool::weighted(0.8), any::<bool>()), 0..12)
}

proptest! {
    /// The whole life of a request: each vote is cast, then judged, as the embedded store does both.
    #[test]
    fn distinct_principals_decide_and_one_rejection_rejects(required in 1..4i32, votes in votes()) {
        const KEYS: [&str; 5] = ["ana", "bo", "cy", "di", "ED"];
        let quorum = policy(ApprovalMode::Quorum);
        let matter = Matter { policy: Some(&quorum), ..Matter::default() };
        let mut now = noon();
        let mut current = (*request().needs(required)).clone();
        let (mut approvals, mut rejected) = (std::collections::BTreeSet::new(), false);
        for (voter, approves, other_name) in votes {
            now += 1.second();
            let verdict = if approves { Verdict::Approved } else { Verdict::Rejected };
            let key = if other_name { KEYS[voter].to_uppercase() } else { KEYS[voter].to_owned() };
            let cast = ballot(verdict, if other_name { "Somebody" } else { "Me" }, &key).cast(&current, matter, now);
            let decided = rejected || approvals.len() >= required as usize;
            if decided {
                let told = matches!(cast, Err(Refusal::Decided { by: Some(_), at: Some(_), .. }));
                prop_assert!(told, "{:?}", cast.map(|_| ()));
                continue;
            }
            if approvals.contains(&voter) {
                let told = matches!(cast, Err(Refusal::Voted(_)));
                prop_assert!(told, "{:?}", cast.map(|_| ()));
                continue;
            }
            current = after(&current, cast.unwrap());
            if approves { approvals.insert(voter); } else { rejected = true; }
            let verdict = case(&current, matter.policy, None).verdict(now);
            let status = current.status.as_mut().unwrap();
            match verdict {
                approval::Verdict::Rejected => {
                    status.state = ApprovalState::Rejected;
                    status.rejected_at = Some(moment::written(now).as_str().into());
                }
                approval::Verdict::Approved { automatic } => {
                    prop_assert!(!automatic);
                    status.state = ApprovalState::Approved;
                    status.approved_at = Some(moment::written(now).as_str().into());
                }
                other => prop_assert_eq!(other, approval::Verdict::Open),
            }
        }
        let expected = match (rejected, approvals.len() >= required as usize) {
            (true, _) => ApprovalState::Rejected,
            (false, true) => ApprovalState::Approved,
            (false, false) => ApprovalState::Pending,
        };
        prop_assert_eq!(state(&current), expected);
        let stored = current.status.map(|status| status.decisions).unwrap_or_default();
        prop_assert_eq!(stored.len(), approvals.len() + usize::from(rejected), "no vote is lost, none is doubled");
        let principals: std::collections::BTreeSet<_> = stored.iter().map(|vote| principal(&vote.approver)).collect();
        prop_assert_eq!(principals.len(), stored.len());
    }

    /// Whatever is typed, it is the key that votes.
    #[test]
    fn nobody_votes_in_anothers_name(typed in "\\PC{0,40}", key in "[a-z][a-z0-9-]{0,10}") {
        if let Some(signed) = signature(&typed, &key) {
            prop_assert_eq!(principal(&signed), format!("api-key:{key}"));
            prop_assert!(!signed.chars().any(char::is_control));
        }
    }
}
