//! Votes on approvals: what is recorded, what is answered, who is too late and to whom; and many who vote at once.

use crate::{
    console::{ADMIN, Answered, KEYS, OPERATOR, TestConsole, VIEWER},
    interference::{Interference, Log, Mishap, Sort},
    objects::write_of_another,
};
use http::Method;
use jiff::{SignedDuration, Timestamp};
use opsdeck::{
    resources::{ApprovalRequest, ApprovalState, AuditEvent, Kind, Typed as _},
    rules::approval::principal,
    source::Verb,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, sync::Arc};

const REQUEST: &str = "approval-checkout-oom-plan-1";

fn object(kind: &str, name: &str, spec: Value) -> Value {
    let raised = Timestamp::now() - SignedDuration::from_secs(60);
    json!({
        "apiVersion": "platform.chatcli.io/v1alpha1", "kind": kind,
        "metadata": {"name": name, "namespace": "shop", "creationTimestamp": raised.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()},
        "spec": spec,
    })
}

fn request(required: i32) -> Value {
    object(
        "ApprovalRequest",
        REQUEST,
        json!({
            "issueRef": {"name": "checkout-oom"}, "remediationPlanRef": "checkout-oom-plan-1", "policyRef": "shop-changes",
            "ruleName": "the-rule", "requestedActions": [{"type": "DeletePod", "params": {"pod": "checkout-1"}}],
            "requester": "chatcli-operator", "timeoutMinutes": 30, "requiredApprovers": required,
        }),
    )
}

fn plan(attempt: i32) -> Value {
    object(
        "RemediationPlan",
        "checkout-oom-plan-1",
        json!({"issueRef": {"name": "checkout-oom"}, "attempt": attempt, "strategy": "restart", "actions": [{"type": "DeletePod"}]}),
    )
}

/// One request that takes so many approvals, judged as soon as votes come in.
async fn console(required: i32) -> TestConsole {
    TestConsole::judging(vec![request(required), plan(1)], KEYS).await
}

/// What the trail tells of votes; of the verdict it tells as well.
fn votes(console: &TestConsole) -> Vec<Arc<AuditEvent>> {
    let mut trail = console.trail();
    trail.retain(|event| event.spec.event_type == "approval_voted");
    trail
}

async fn vote(console: &TestConsole, verdict: &str, key: &str, body: &str) -> Answered {
    let target = format!("/approvals/{REQUEST}/{verdict}");
    console.post(&target, key, body).await
}

fn stored(console: &TestConsole) -> Arc<ApprovalRequest> {
    console.object("shop", REQUEST).expect("the request")
}

#[tokio::test]
async fn the_deciding_vote_shows_the_verdict_and_the_next_voter_learns_of_it() {
    let console = console(2).await;
    let first = vote(
        &console,
        "approve",
        OPERATOR,
        r#"{"approver":" Mira\tK. ","reason":" looks right "}"#,
    )
    .await;
    assert_eq!(first.status, 200, "{}", first.text);
    let item = first.json()["spec"].clone();
    assert_eq!(
        (
            &item["state"],
            &item["approvedBy"],
            &item["decisionReason"],
            &item["required"]
        ),
        (
            &json!("Pending"),
            &json!("MiraK. (api-key: sre-mira)"),
            &json!("looks right"),
            &json!(2)
        )
    );
    assert_eq!(first.json()["status"], item);
    let read = console
        .get(&format!("/api/v1/approvals/{REQUEST}"))
        .key(VIEWER)
        .await_ok()
        .await;
    assert_eq!(first.text, read.text, "answered as a GET would");
    let status = stored(&console).status.clone().unwrap();
    assert_eq!(
        (status.state, status.auto_approved, status.decisions.len()),
        (ApprovalState::Pending, false, 1)
    );

    let second = vote(&console, "approve", ADMIN, r#"{"approver":"Tomasz"}"#)
        .await
        .json();
    assert_eq!(second["spec"]["state"], "Approved");
    let decided = second["spec"]["decidedAt"].clone();
    assert!(decided.is_string());

    let third = console
        .ask(Method::POST, &format!("/api/v1/approvals/{REQUEST}/reject"))
        .key(OPERATOR)
        .body(r#"{"approver":"Mira"}"#);
    let late = third.answer().await;
    let message = late.assert_error(409, "already_decided");
    assert!(message.contains("Approved"), "{message}");
    let by = "MiraK. (api-key: sre-mira), Tomasz (api-key: sre-tomasz)";
    assert_eq!((&late.json()["by"], &late.json()["at"]), (&json!(by), &decided));
}

#[tokio::test]
async fn every_vote_is_in_the_trail_and_no_refused_one() {
    let log = Log::listen();
    let console = console(2).await;
    vote(
        &console,
        "approve",
        OPERATOR,
        r#"{"approver":"Mira","reason":"see https://ana:pw@wiki/x"}"#,
    )
    .await;
    vote(&console, "approve", OPERATOR, r#"{"approver":"Mira"}"#)
        .await
        .assert_error(409, "already_decided");
    vote(
        &console,
        "reject",
        ADMIN,
        r#"{"approver":"Tomasz","reason":"wrong pod"}"#,
    )
    .await;
    let [vote, verdict] = &*votes(&console) else {
        panic!("one event for each vote")
    };
    let hash = console
        .get(&format!("/api/v1/approvals/{REQUEST}"))
        .key(VIEWER)
        .await_ok()
        .await
        .json()["spec"]["planHash"]
        .clone();
    assert_eq!(
        json!(vote.spec),
        json!({
            "eventType": "approval_voted",
            "actor": {"type": "user", "name": "sre-mira", "controller": "opsdeck"},
            "resource": {"kind": "ApprovalRequest", "name": REQUEST, "namespace": "shop", "uid": stored(&console).meta().uid},
            "details": {
                "decision": "approved", "approver": "Mira (api-key: sre-mira)", "reason": "see ***", "issue": "checkout-oom",
                "plan": "checkout-oom-plan-1", "planHash": hash, "before": "0 of 2 approvals", "after": "1 of 2 approvals",
            },
            "severity": "info",
            "correlationId": "checkout-oom",
            "timestamp": json!(stored(&console).status)["decisions"][0]["timestamp"],
        })
    );
    assert_eq!(
        (&verdict.spec.details["decision"], &verdict.spec.details["after"]),
        (&"rejected".to_owned(), &"rejected, 1 of 2 approvals".to_owned())
    );
    let refused = log.lines("write refused");
    assert!(
        matches!(&*refused, [line] if line.contains("sre-mira") && line.contains("409") && line.contains("/approve")),
        "{refused:?}"
    );
}

#[tokio::test]
async fn what_is_no_vote_is_refused_before_anything_is_looked_up() {
    let console = console(1).await;
    for (body, message, field) in [
        ("", "approver is required", "approver"),
        ("null", "approver is required", "approver"),
        (r#"{"approver":""}"#, "approver is required", "approver"),
        (r#"{"approver":" \u0007\n "}"#, "approver is required", "approver"),
        (r#"{"approver":7}"#, "invalid request body", "approver"),
        (r#"{"approver":"Mira","reason":[]}"#, "invalid request body", "reason"),
        (
            r#"{"approver":"Mira","planHash":1}"#,
            "invalid request body",
            "planHash",
        ),
        ("{", "invalid request body", "body"),
        ("[]", "invalid request body", "body"),
    ] {
        for name in [REQUEST, "nothing-of-that-name"] {
            for verdict in ["approve", "reject"] {
                let asked = console.ask(Method::POST, &format!("/api/v1/approvals/{name}/{verdict}"));
                let refused = asked.key(OPERATOR).body(body).answer().await;
                let told = refused.assert_error(400, "invalid");
                assert_eq!(told.split(": ").next(), Some(message), "{body}");
                assert_eq!(refused.json()["fields"][0]["field"], field, "{body}");
            }
        }
    }
    let missing = console.ask(Method::POST, "/api/v1/approvals/nothing-of-that-name/approve");
    let missing = missing.key(OPERATOR).body(r#"{"approver":"Mira"}"#).answer().await;
    let message = missing.assert_error(404, "not_found");
    assert!(message.starts_with("approval not found: "), "{message}");
    vote(&console, "approve", VIEWER, "{")
        .await
        .assert_error(403, "forbidden");
    assert_eq!(stored(&console).status, None);
    assert!(console.trail().is_empty());
}

#[tokio::test]
async fn one_key_votes_once_whatever_name_it_types() {
    let console = console(2).await;
    let first = vote(&console, "approve", OPERATOR, r#"{"approver":"Mira"}"#).await;
    let at = first.json()["spec"]["decisions"][0]["timestamp"].clone();
    for (verdict, body) in [
        ("approve", r#"{"approver":"Tomasz"}"#),
        ("reject", r#"{"approver":"Mira"}"#),
    ] {
        let refused = vote(&console, verdict, OPERATOR, body).await;
        let message = refused.assert_error(409, "already_decided");
        assert!(message.contains("Mira (api-key: sre-mira)"), "{message}");
        assert_eq!(
            (&refused.json()["by"], &refused.json()["at"]),
            (&json!("Mira (api-key: sre-mira)"), &at)
        );
    }
    let decided = vote(&console, "reject", ADMIN, r#"{"approver":"Tomasz"}"#).await.json();
    assert_eq!(
        decided["spec"]["state"], "Rejected",
        "a rejection after an approval counts while it is pending"
    );
}

#[tokio::test]
async fn a_vote_after_its_time_is_refused_although_it_is_stored_as_pending() {
    let mut old = request(1);
    old["metadata"]["creationTimestamp"] = json!("2026-09-23T12:00:00Z");
    let console = TestConsole::over(vec![old]).await;
    let refused = vote(&console, "approve", OPERATOR, r#"{"approver":"Mira"}"#).await;
    refused.assert_error(409, "expired");
    assert_eq!(refused.json()["at"], "2026-09-23T12:30:00Z");
    let read = console.get(&format!("/api/v1/approvals/{REQUEST}")).key(VIEWER);
    let item = read.await_ok().await.json()["spec"].clone();
    assert_eq!((&item["state"], &item["expired"]), (&json!("Pending"), &json!(true)));
    assert!(stored(&console).status.is_none() && console.trail().is_empty());
}

#[tokio::test]
async fn whoever_read_another_plan_is_told_the_new_hash() {
    let console = console(1).await;
    let get = || async {
        let read = console.get(&format!("/api/v1/approvals/{REQUEST}")).key(VIEWER);
        read.await_ok().await.json()["spec"]["planHash"].clone()
    };
    let read = get().await;
    let second = Verb::Patch(json!({"spec": {"attempt": 2}}));
    let change = write_of_another(Kind::RemediationPlan, "shop", "checkout-oom-plan-1", second);
    console.console.source.write(change).await.expect("another plan");
    let body = |hash: &Value| json!({"approver": "Mira", "planHash": hash}).to_string();
    let refused = vote(&console, "approve", OPERATOR, &body(&read)).await;
    let message = refused.assert_error(409, "plan_changed");
    let now = get().await;
    assert_ne!(now, read);
    assert!(message.contains(now.as_str().unwrap()), "{message}");
    assert_eq!(refused.json()["planHash"], now);
    let nothing_read = vote(&console, "approve", OPERATOR, &body(&json!(""))).await;
    nothing_read.assert_error(409, "plan_changed");
    assert!(console.trail().is_empty());
    assert_eq!(
        vote(&console, "approve", OPERATOR, &body(&now)).await.json()["spec"]["state"],
        "Approved"
    );
}

#[tokio::test]
async fn without_a_settler_votes_are_recorded_and_the_state_stays() {
    let console = TestConsole::over(vec![request(1), plan(1)]).await;
    let approved = vote(&console, "approve", OPERATOR, r#"{"approver":"Mira"}"#)
        .await
        .json();
    assert_eq!(approved["spec"]["state"], "Pending");
    let rejected = vote(&console, "reject", ADMIN, r#"{"approver":"Tomasz"}"#).await.json();
    let item = &rejected["spec"];
    assert_eq!(
        (
            &item["state"],
            &item["votes"].as_array().map(Vec::len),
            item.get("decidedAt")
        ),
        (&json!("Pending"), &Some(2), None)
    );
}

#[tokio::test]
async fn a_vote_that_meets_another_is_judged_again() {
    let rival = json!({"status": {
        "state": "Rejected", "autoApproved": false, "rejectedAt": "2026-09-23T12:10:00Z",
        "decisions": [{"approver": "zoe", "decision": "rejected", "timestamp": "2026-09-23T12:10:00Z"}],
    }});
    let rival = write_of_another(Kind::ApprovalRequest, "shop", REQUEST, Verb::PatchStatus(rival));
    let rival = Mishap::Rival(Box::new(rival));
    let console = TestConsole::around(
        vec![request(1)],
        Interference::planned(vec![(Sort::StatusPatches, rival)]),
    )
    .await;
    let refused = vote(&console, "approve", OPERATOR, r#"{"approver":"Mira"}"#).await;
    refused.assert_error(409, "already_decided");
    assert_eq!(
        (&refused.json()["by"], &refused.json()["at"]),
        (&json!("zoe"), &json!("2026-09-23T12:10:00Z"))
    );
    assert_eq!(stored(&console).status.as_ref().unwrap().decisions.len(), 1);
}

/// Three keys, each of which approves and rejects at once, ten times over or as often as `OPSDECK_ROUNDS` says.
#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_vote_at_once_no_vote_is_lost_or_doubled() {
    const THIRD: &str = "key-of-another-operator";
    let keys = format!("{KEYS}- {{key: {THIRD}, role: operator, name: sre-noor}}\n");
    let rounds = std::env::var("OPSDECK_ROUNDS").map_or(10, |rounds| rounds.parse().expect("a number of rounds"));
    for round in 0..rounds {
        let required = 1 + round % 3;
        let console = TestConsole::judging(vec![request(required), plan(1)], &keys).await;
        let cast = |verdict, key, name: &str| {
            let body = json!({ "approver": name }).to_string();
            let console = &console;
            async move { vote(console, verdict, key, &body).await }
        };
        // Every other round nobody rejects, so that the quorum is reached at times.
        let against = if round % 2 == 0 { "reject" } else { "approve" };
        let (a, b, c, d, e, f) = tokio::join!(
            cast("approve", OPERATOR, "Mira"),
            cast(against, OPERATOR, "Mira again"),
            cast("approve", ADMIN, "Tomasz"),
            cast(against, ADMIN, "Tomasz again"),
            cast("approve", THIRD, "Noor"),
            cast(against, THIRD, "Noor again"),
        );
        let (counted, refused): (Vec<_>, Vec<_>) =
            [a, b, c, d, e, f].into_iter().partition(|answer| answer.status == 200);
        let request = stored(&console);
        let status = request.status.clone().expect("votes");
        let principals: BTreeSet<_> = status.decisions.iter().map(|vote| principal(&vote.approver)).collect();
        assert_eq!(
            principals.len(),
            status.decisions.len(),
            "one key, one vote: {status:?}"
        );
        assert_eq!(
            counted.len(),
            status.decisions.len(),
            "what was answered is stored: {status:?}"
        );
        assert_eq!(votes(&console).len(), counted.len(), "one event for each vote");
        assert_eq!(console.trail().len(), counted.len() + 1, "and one for the verdict");

        let rejected = status
            .decisions
            .iter()
            .filter(|vote| vote.decision == "rejected")
            .count();
        let approved = status.decisions.len() - rejected;
        let expected = match (rejected, approved) {
            (1, _) => ApprovalState::Rejected,
            (0, approved) if approved == usize::try_from(required).unwrap() => ApprovalState::Approved,
            other => panic!("more votes than it takes, or fewer: {other:?} of {required}"),
        };
        assert_eq!(status.state, expected, "round {round}");
        let verdicts: Vec<_> = (counted.iter())
            .filter(|answer| answer.json()["spec"]["state"] != "Pending")
            .collect();
        assert_eq!(
            verdicts.len(),
            1,
            "the deciding voter alone sees the verdict in the answer"
        );
        for late in refused {
            late.assert_error(409, "already_decided");
            let by = late.json()["by"].as_str().expect("who decided").to_owned();
            assert!(status.decisions.iter().any(|vote| by.contains(&vote.approver)), "{by}");
        }
        // Everybody who comes now learns who decided, and when.
        let late = cast("approve", OPERATOR, "Mira").await;
        let message = late.assert_error(409, "already_decided");
        assert!(message.contains(expected.as_str()), "{message}");
        let deciding = status.decisions.last().unwrap();
        assert!(late.json()["by"].as_str().unwrap().contains(&deciding.approver));
        assert!(late.json()["at"].is_string());
    }
}

/// The operator moves the state at once, and a repetition would be told that the voter has voted.
#[tokio::test]
async fn a_vote_whose_answer_was_lost_is_answered_and_told_although_it_has_decided() {
    let approved = json!({"status": {"state": "Approved", "approvedAt": "2026-09-23T12:00:00Z"}});
    let verdict = write_of_another(Kind::ApprovalRequest, "shop", REQUEST, Verb::PatchStatus(approved));
    let plan = vec![
        (Sort::StatusPatches, Mishap::LostAnswer),
        (Sort::StatusPatches, Mishap::Rival(Box::new(verdict))),
    ];
    let console = TestConsole::around(vec![request(1), self::plan(1)], Interference::planned(plan)).await;
    let answered = vote(&console, "approve", OPERATOR, r#"{"approver":"Mira"}"#).await;
    assert_eq!(
        (answered.status.as_u16(), &answered.json()["spec"]["state"]),
        (200, &json!("Approved")),
        "{}",
        answered.text
    );
    assert_eq!(stored(&console).status.as_ref().unwrap().decisions.len(), 1);
    assert!(
        matches!(&*console.trail(), [event] if event.spec.event_type == "approval_voted"),
        "{:?}",
        console.trail()
    );
}
