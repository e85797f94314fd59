//! The settler against a catalog, and inside the embedded store's writes.

mod looping;

use super::{Bench, aftermath, next_moment, round, ruling, rulings};
use crate::{
    catalog::Catalog,
    fixtures::{Fixture, at, incident, noon, plan, policy, request},
    resources::{
        ApprovalMode, ApprovalPolicy, ApprovalRequest, ApprovalState, AuditEvent, Kind, Object, RemediationPlan,
        Severity, Typed, approval_policy::AutoApproveConditions,
    },
    source::{Change, Source, Verb, WriteError, embedded::Embedded},
};
use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};
use std::sync::Arc;

const WHEN: &str = "2026-09-23T12:01:00Z";
const WAITING: &str = "platform.chatcli.io/approval-pending";
const COUNTED: &str = "platform.chatcli.io/policy-counted";

fn catalog(objects: impl IntoIterator<Item = Object>) -> Catalog {
    let catalog = Catalog::new(1);
    catalog.apply(objects.into_iter().collect(), noon());
    catalog
}

fn judged(request: Fixture<ApprovalRequest>, policy: Fixture<ApprovalPolicy>, now: Timestamp) -> Option<Value> {
    let catalog = catalog([
        request.clone().object(),
        policy.object(),
        incident().severity(Severity::Low).object(),
    ]);
    ruling(&catalog.snapshot(), &request, now)
}

fn approved(request: Fixture<ApprovalRequest>) -> Fixture<ApprovalRequest> {
    request.vote("Ana (api-key: ana)", "approved", "go", WHEN)
}

#[test]
fn a_vote_that_is_enough_approves() {
    assert_eq!(judged(request(), policy(ApprovalMode::Manual), noon()), None);
    assert_eq!(
        judged(
            approved(request()),
            policy(ApprovalMode::Manual),
            at("2026-09-23T12:01:00.5Z")
        ),
        Some(json!({"status": {"state": "Approved", "approvedAt": WHEN}}))
    );
    assert_eq!(
        judged(approved(request()).needs(2), policy(ApprovalMode::Quorum), noon()),
        None
    );
}

#[test]
fn a_request_without_status_gets_all_that_a_status_needs() {
    assert_eq!(
        judged(request(), policy(ApprovalMode::Manual), noon() + 30.minutes()),
        Some(json!({"status": {"state": "Expired", "expiredAt": "2026-09-23T12:30:00Z", "autoApproved": false}}))
    );
}

#[test]
fn a_rejection_ends_it() {
    let rejected = approved(request()).vote("Bo", "rejected", "no", WHEN);
    assert_eq!(
        judged(rejected, policy(ApprovalMode::Manual), noon()),
        Some(json!({"status": {"state": "Rejected", "rejectedAt": "2026-09-23T12:00:00Z"}}))
    );
}

#[test]
fn what_is_decided_stays() {
    for state in [ApprovalState::Approved, ApprovalState::Rejected, ApprovalState::Expired] {
        let decided = request().state(state).vote("Bo", "rejected", "late", WHEN);
        assert_eq!(judged(decided, policy(ApprovalMode::Manual), noon() + 9.hours()), None);
    }
}

#[test]
fn an_approval_outside_the_window_waits_and_says_so_once() {
    let night = || policy(ApprovalMode::Manual).window(6, 7);
    let held = judged(approved(request()), night(), noon()).unwrap();
    let condition = &held["status"]["conditions"][0];
    assert_eq!(
        (&held["status"]["state"], &condition["reason"]),
        (&json!("Pending"), &json!("OutsideChangeWindow"))
    );
    let noted = approved(request()).with(|request| {
        let status = request.status.get_or_insert_default();
        status.conditions = serde_json::from_value(held["status"]["conditions"].clone()).unwrap();
    });
    assert_eq!(judged(noted.clone(), night(), noon() + 1.hour()), None);
    let open = at("2026-09-24T04:00:00Z");
    let catalog = catalog([noted.clone().object(), night().object()]);
    assert_eq!(next_moment(&catalog.snapshot(), noon()), Some(open));
    let status = &judged(noted, night(), open).unwrap()["status"];
    assert_eq!(
        (&status["state"], status["conditions"].as_array().unwrap().len()),
        (&json!("Approved"), 1)
    );
    assert_eq!(status["conditions"][0]["reason"], "WithinChangeWindow");
}

#[test]
fn a_rule_votes_when_its_conditions_hold() {
    let automatic = policy(ApprovalMode::Auto).with(|policy| {
        policy.spec.rules[0].auto_approve_conditions = Some(AutoApproveConditions {
            min_confidence: 0.8,
            max_severity: Severity::Low,
            historical_success_rate: 0.5,
        });
    });
    let status = &judged(request().evidence(0.9, 0.9), automatic.clone(), noon()).unwrap()["status"];
    assert_eq!(
        (&status["state"], &status["autoApproved"]),
        (&json!("Approved"), &json!(true))
    );
    assert_eq!(status["decisions"][0]["approver"], "auto-policy");
    assert_eq!(judged(request().evidence(0.7, 0.9), automatic, noon()), None);
}

#[test]
fn a_rejection_is_told_to_the_plan_and_owed_to_the_policy_until_it_is_counted() {
    let decided = request()
        .state(ApprovalState::Rejected)
        .vote("Bo (api-key: bo)", "rejected", "wrong name", WHEN)
        .with(|request| {
            request.status.get_or_insert_default().rejected_at = Some(WHEN.into());
        });
    let waiting = plan().annotated(WAITING, "approval-checkout-oom-plan-1");
    let catalog = catalog([
        decided.clone().object(),
        waiting.object(),
        policy(ApprovalMode::Manual).object(),
    ]);
    let with_the_verdict = aftermath::of(&catalog.snapshot(), &decided);
    let kinds: Vec<_> = with_the_verdict.iter().map(|change| change.address.kind).collect();
    assert_eq!(kinds, [Kind::AuditEvent, Kind::ApprovalRequest, Kind::RemediationPlan]);
    let Verb::Patch(patch) = &with_the_verdict[2].verb else {
        panic!("the plan is patched")
    };
    assert_eq!(
        patch["metadata"]["annotations"],
        json!({
            "platform.chatcli.io/approval-pending": null,
            "platform.chatcli.io/rejection-reason": "Bo (api-key: bo): wrong name",
        })
    );
    assert_eq!(
        aftermath::uncounted(&catalog.snapshot()),
        [],
        "whoever decides without a note counts"
    );
    let owed = decided.clone().annotated(COUNTED, "owed");
    catalog.apply(vec![owed.clone().object()], noon());
    assert_eq!(aftermath::uncounted(&catalog.snapshot()), [decided.address()]);
    assert!(aftermath::owed(&catalog.snapshot(), &owed).unwrap().count.is_some());
    let counted = decided.annotated(COUNTED, "rejected");
    catalog.apply(vec![counted.clone().object()], noon());
    assert_eq!(aftermath::uncounted(&catalog.snapshot()), []);
    assert!(aftermath::owed(&catalog.snapshot(), &counted).is_none());
}

/// A store that judges, filled with one open request for two voters.
async fn store() -> (Arc<Catalog>, Embedded) {
    let catalog = Arc::new(Catalog::new(1));
    let store = Embedded::in_memory(catalog.clone()).unwrap();
    store.judge_with(Bench::new(catalog.clone(), || at(WHEN)));
    let value = |kind: Kind, spec: Value, name: &str| {
        json!({
            "apiVersion": kind.api_version(), "kind": kind.as_str(), "spec": spec,
            "metadata": {"name": name, "namespace": "shop", "creationTimestamp": "2026-09-23T12:00:00Z"},
        })
    };
    let rule = json!({"name": "two", "mode": "quorum", "requiredApprovers": 2, "timeoutMinutes": 30, "match": {}});
    let asked = json!({
        "issueRef": {"name": "i"}, "remediationPlanRef": "p", "policyRef": "shop-changes", "ruleName": "two",
        "requestedActions": [],
        "requester": "chatcli-operator", "timeoutMinutes": 30, "requiredApprovers": 2,
    });
    let plan = json!({"issueRef": {"name": "i"}, "attempt": 1, "strategy": "", "actions": []});
    let mut plan = value(Kind::RemediationPlan, plan, "p");
    plan["metadata"]["annotations"] = json!({WAITING: "approval-p"});
    store
        .load(vec![
            value(
                Kind::ApprovalPolicy,
                json!({"enabled": true, "rules": [rule]}),
                "shop-changes",
            ),
            plan,
            value(Kind::ApprovalRequest, asked, "approval-p"),
        ])
        .await
        .unwrap();
    (catalog, store)
}

fn trail(catalog: &Catalog) -> Vec<String> {
    let snapshot = catalog.snapshot();
    let events = snapshot.table::<AuditEvent>().iter();
    events.map(|row| row.object.spec.event_type.clone()).collect()
}

fn plan_waits(catalog: &Catalog) -> Option<bool> {
    let snapshot = catalog.snapshot();
    let plan = snapshot.table::<RemediationPlan>().get("shop", "p")?;
    Some(plan.object.annotation(WAITING).is_some())
}

fn vote(catalog: &Catalog, approvers: &[&str]) -> Change {
    let row = catalog
        .snapshot()
        .table::<ApprovalRequest>()
        .get("shop", "approval-p")
        .cloned()
        .unwrap();
    let decisions: Vec<_> = approvers
        .iter()
        .map(|approver| json!({"approver": approver, "decision": "approved", "timestamp": WHEN}))
        .collect();
    Change {
        address: row.object.address(),
        precondition: row.object.meta().resource_version.clone(),
        verb: Verb::PatchStatus(json!({"status": {"state": "Pending", "autoApproved": false, "decisions": decisions}})),
    }
}

#[tokio::test]
async fn the_deciding_voters_answer_shows_the_verdict() {
    let (catalog, store) = store().await;
    let first = store.write(vote(&catalog, &["ana"])).await.unwrap();
    assert_eq!(first["status"]["state"], "Pending");
    let late = vote(&catalog, &["ana", "cy"]);
    let second = store.write(vote(&catalog, &["ana", "bo"])).await.unwrap();
    assert_eq!(second["status"]["state"], "Approved");
    assert_eq!(trail(&catalog), ["approval_approved"], "written with the verdict");
    assert_eq!(plan_waits(&catalog), Some(false));
    let Err(WriteError::Conflict(_, stored)) = store.write(late).await else {
        panic!("the third voter is told")
    };
    assert_eq!(stored["status"]["state"], "Approved");
}

#[tokio::test]
async fn a_verdict_that_time_brings_comes_with_its_event() {
    let (catalog, store) = store().await;
    let verdicts = rulings(&catalog.snapshot(), at("2026-09-23T12:31:00Z"));
    let [expired] = &*verdicts else {
        panic!("one request, whose time is over: {verdicts:?}")
    };
    assert_eq!(
        store.write(expired.clone()).await.unwrap()["status"]["state"],
        "Expired"
    );
    assert_eq!(trail(&catalog), ["approval_expired"]);
    assert_eq!(plan_waits(&catalog), Some(true), "nobody has said yes");
}

#[tokio::test]
async fn what_was_decided_elsewhere_is_neither_told_nor_counted_again() {
    let (catalog, store) = store().await;
    let Change { address, .. } = vote(&catalog, &[]);
    let stored = catalog
        .snapshot()
        .table::<ApprovalRequest>()
        .newest()
        .unwrap()
        .object
        .clone();
    let mut old = serde_json::to_value(&*stored).unwrap();
    old["status"] = json!({"state": "Approved", "approvedAt": WHEN, "autoApproved": false});
    store.load(vec![old]).await.unwrap();
    let remark = Change {
        address,
        precondition: None,
        verb: Verb::Patch(json!({"metadata": {"annotations": {"team": "shop"}}})),
    };
    store.write(remark).await.unwrap();
    assert!(round(&catalog, &store, at(WHEN)).await);
    assert_eq!((trail(&catalog), plan_waits(&catalog)), (Vec::new(), Some(true)));
    assert_eq!(counts(&catalog), (0, 0), "whoever decided it has counted it");
}

/// Approved in all, and by the rule alone.
fn counts(catalog: &Catalog) -> (i64, i64) {
    let snapshot = catalog.snapshot();
    let policy = snapshot
        .table::<ApprovalPolicy>()
        .get("shop", "shop-changes")
        .unwrap()
        .object
        .clone();
    let totals = policy.status.clone().unwrap_or_default();
    (totals.total_approved, totals.total_auto_approved)
}

#[tokio::test]
async fn what_was_decided_is_counted_once_however_late() {
    let (catalog, store) = store().await;
    assert!(round(&catalog, &store, at(WHEN)).await);
    let stored = store
        .write(vote(&catalog, &["ana (api-key: a)", "bo (api-key: b)"]))
        .await
        .unwrap();
    let snapshot = catalog.snapshot();
    let known = snapshot.table::<ApprovalRequest>().newest().unwrap().object.clone();
    assert_eq!(
        stored["metadata"]["resourceVersion"].as_str(),
        known.meta().resource_version.as_deref(),
        "the answer is what is stored by then"
    );
    assert_eq!((known.annotation(COUNTED), counts(&catalog)), (Some("owed"), (0, 0)));
    // The server is killed here, and started again after the weekend.
    for _ in 0..2 {
        assert!(round(&catalog, &store, at(WHEN) + 60.hours()).await);
    }
    assert_eq!(counts(&catalog), (1, 0));
    let event = catalog
        .snapshot()
        .table::<AuditEvent>()
        .newest()
        .unwrap()
        .object
        .spec
        .clone();
    assert_eq!(
        (event.event_type.as_str(), event.actor.name.as_str()),
        ("approval_approved", "ana (api-key: a), bo (api-key: b)")
    );
    assert_eq!((trail(&catalog).len(), plan_waits(&catalog)), (1, Some(false)));
}
