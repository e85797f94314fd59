//! Review, close, feedback, and the acknowledgement of what was left to people.

use crate::{
    console::{ADMIN, Answered, OPERATOR, TestConsole, VIEWER},
    interference::{Interference, Log, Mishap, Sort},
    objects::write_of_another,
};
use http::Method;
use opsdeck::{
    resources::{Kind, PostMortem, PostMortemState},
    source::Verb,
};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

fn postmortem(namespace: &str, status: Value) -> Value {
    let mut object = json!({
        "apiVersion": "platform.chatcli.io/v1alpha1", "kind": "PostMortem",
        "metadata": {"name": "pm-checkout-oom", "namespace": namespace, "creationTimestamp": "2026-09-23T12:00:00Z"},
        "spec": {
            "issueRef": {"name": "checkout-oom"}, "severity": "high",
            "resource": {"kind": "Deployment", "name": "checkout", "namespace": namespace},
        },
    });
    if !status.is_null() {
        object["status"] = status;
    }
    object
}

async fn console(status: Value) -> TestConsole {
    TestConsole::over(vec![postmortem("default", status)]).await
}

async fn act(console: &TestConsole, action: &str, key: &str, body: &str) -> Answered {
    let target = format!("/postmortems/pm-checkout-oom/{action}");
    console.post(&target, key, body).await
}

fn stored(console: &TestConsole) -> Arc<PostMortem> {
    console.object("default", "pm-checkout-oom").expect("the post-mortem")
}

fn annotations(console: &TestConsole) -> Value {
    console.annotations::<PostMortem>("default", "pm-checkout-oom")
}

/// Kinds of event with their details.
fn trail(console: &TestConsole) -> Vec<(String, Value)> {
    console.told(|spec| (spec.event_type.clone(), json!(spec.details)))
}

fn rival(verb: Verb) -> Mishap {
    let write = write_of_another(Kind::PostMortem, "default", "pm-checkout-oom", verb);
    Mishap::Rival(Box::new(write))
}

#[tokio::test]
async fn review_and_close_move_the_state_and_sign_it() {
    let console = console(json!({"state": "Open", "summary": "slow"})).await;
    let reviewed = act(
        &console,
        "review",
        OPERATOR,
        r#"{"reviewer":"web-ui","notes":"see https://a:b@wiki/x"}"#,
    )
    .await;
    assert_eq!(reviewed.status, 200, "{}", reviewed.text);
    let read = console
        .get("/api/v1/postmortems/pm-checkout-oom")
        .key(VIEWER)
        .await_ok()
        .await;
    assert_eq!(reviewed.text, read.text, "answered as a GET would");
    let item = reviewed.json()["spec"].clone();
    assert_eq!((&item["state"], &item["summary"]), (&json!("InReview"), &json!("slow")));
    assert!(item["reviewedAt"].is_string());
    assert_eq!(
        annotations(&console),
        json!({"aiops.chatcli.io/reviewed-by": "web-ui", "aiops.chatcli.io/review-notes": "see https://a:b@wiki/x"})
    );
    let closed = act(&console, "close", ADMIN, "").await.json();
    assert_eq!(closed["spec"]["state"], "Closed");
    assert_eq!(act(&console, "close", ADMIN, "").await.status, 200, "twice is no harm");
    assert_eq!(
        act(&console, "review", ADMIN, "").await.json()["spec"]["state"],
        "InReview"
    );
    assert_eq!(
        trail(&console)[..2],
        [
            (
                "postmortem_reviewed".into(),
                json!({"before": "Open", "after": "InReview", "reviewer": "web-ui", "notes": "see ***"})
            ),
            (
                "postmortem_closed".into(),
                json!({"before": "InReview", "after": "Closed"})
            ),
        ]
    );
    let [first, ..] = &*console.trail() else {
        panic!("a trail")
    };
    assert_eq!(
        (&*first.spec.actor.name, &*first.spec.correlation_id),
        ("sre-mira", "checkout-oom")
    );
}

#[tokio::test]
async fn a_body_that_cannot_be_read_is_none_but_a_long_one_is_refused() {
    let console = console(json!({"state": "Open"})).await;
    for body in ["{", "[]", r#"{"reviewer":7}"#, r#"{"notes":"of nobody"}"#] {
        let answered = act(&console, "review", OPERATOR, body).await;
        assert_eq!(answered.status, 200, "{body}");
        assert!(answered.header("warning").is_some(), "{body}");
        assert_eq!(annotations(&console), Value::Null, "{body}");
    }
    let before = console.trail().len();
    for (action, member, length) in [
        ("review", "reviewer", 254),
        ("close", "notes", 4097),
        ("ack-human-action", "acknowledgedBy", 254),
        ("ack-human-action", "note", 1025),
    ] {
        let body = json!({ member: "é".repeat(length) }).to_string();
        let refused = act(&console, action, OPERATOR, &body).await;
        let message = refused.assert_error(400, "invalid");
        assert!(
            message.contains(member) && message.contains(&length.to_string()),
            "{message}"
        );
        assert_eq!(refused.json()["fields"][0]["field"], member);
    }
    assert_eq!(console.trail().len(), before);
}

#[tokio::test]
async fn one_that_leaves_something_to_people_is_closed_after_they_have_acted() {
    let console = console(json!({"state": "Open", "requiresHumanAction": true, "requiredAction": "scale back"})).await;
    let message = act(&console, "close", OPERATOR, "")
        .await
        .assert_error(409, "human_action_required");
    assert!(message.contains("human action"), "{message}");
    assert_eq!(stored(&console).status.as_ref().unwrap().state, PostMortemState::Open);
    let done = act(
        &console,
        "ack-human-action",
        OPERATOR,
        r#"{"acknowledgedBy":"web-ui","note":"scaled"}"#,
    )
    .await;
    assert_eq!(done.status, 200, "{}", done.text);
    let body = done.json();
    assert_eq!(body.get("resourceMeta"), None);
    assert_eq!(body["spec"], body["status"]);
    assert_eq!(
        (body["spec"].get("requiresHumanAction"), &body["spec"]["requiredAction"]),
        (None, &json!("scale back")),
        "what was asked for stays written"
    );
    let marks = annotations(&console);
    let at = marks["aiops.chatcli.io/human-action-acknowledged-at"].clone();
    assert_eq!(
        marks,
        json!({
            "aiops.chatcli.io/human-action-acknowledged": "true", "aiops.chatcli.io/human-action-acknowledged-at": at,
            "aiops.chatcli.io/human-action-acknowledged-by": "web-ui", "aiops.chatcli.io/human-action-note": "scaled",
        })
    );
    let again = act(&console, "ack-human-action", ADMIN, "{").await;
    assert_eq!(again.status, 200, "{}", again.text);
    assert_eq!(
        (annotations(&console), console.trail().len()),
        (marks, 1),
        "nothing is left to do"
    );
    assert_eq!(
        act(&console, "close", OPERATOR, "").await.json()["spec"]["state"],
        "Closed"
    );
    assert_eq!(
        trail(&console)[0],
        (
            "human_action_acknowledged".into(),
            json!({
                "before": "human action required", "after": "acknowledged", "requiredAction": "scale back",
                "acknowledgedBy": "web-ui", "note": "scaled",
            })
        )
    );
}

#[tokio::test]
async fn an_action_that_nobody_asked_for_cannot_be_acknowledged() {
    for status in [Value::Null, json!({"state": "Open"})] {
        let console = console(status).await;
        act(&console, "ack-human-action", OPERATOR, "")
            .await
            .assert_error(400, "invalid");
        assert!(console.trail().is_empty() && annotations(&console).is_null());
    }
}

#[tokio::test]
async fn what_failed_half_way_is_completed_by_whoever_repeats_it() {
    let outages = vec![
        (Sort::StatusPatches, Mishap::Outage),
        (Sort::StatusPatches, Mishap::Outage),
    ];
    let objects = vec![postmortem(
        "default",
        json!({"state": "Open", "requiresHumanAction": true}),
    )];
    let log = Log::listen();
    let console = TestConsole::around(objects, Interference::planned(outages)).await;
    let half = act(&console, "ack-human-action", OPERATOR, "").await;
    assert_eq!(half.json()["spec"]["requiresHumanAction"], true);
    assert_eq!(log.lines("marks could not be written").len(), 2);
    let whole = act(&console, "ack-human-action", OPERATOR, "").await.json();
    assert_eq!(whole["spec"].get("requiresHumanAction"), None);
    assert_eq!(console.trail().len(), 2);
}

#[tokio::test]
async fn feedback_is_kept_whole_and_replaces_an_earlier_one() {
    let console = console(Value::Null).await;
    let first = act(
        &console,
        "feedback",
        OPERATOR,
        r#"{"providedBy":"mira","remediationAccuracy":5,"comments":"good","overrideRootCause":"a leak"}"#,
    )
    .await;
    assert_eq!(first.status, 200, "{}", first.text);
    let item = first.json()["spec"].clone();
    let at = item["feedback"]["providedAt"].clone();
    assert_eq!(
        (&item["state"], &item["feedback"]),
        (
            &json!("Open"),
            &json!({"overrideRootCause": "a leak", "remediationAccuracy": 5, "comments": "good", "providedBy": "mira", "providedAt": at})
        ),
        "one without a state gets one"
    );
    let second = act(
        &console,
        "feedback",
        ADMIN,
        r#"{"providedBy":" ","remediationAccuracy":1}"#,
    )
    .await;
    let feedback = second.json()["spec"]["feedback"].clone();
    assert_eq!(
        (
            feedback.get("comments"),
            feedback.get("overrideRootCause"),
            &feedback["remediationAccuracy"]
        ),
        (None, None, &json!(1))
    );
    let Some((kind, details)) = trail(&console).pop() else {
        panic!("a trail")
    };
    assert_eq!(
        (kind.as_str(), &details["before"], &details["after"]),
        ("postmortem_feedback", &json!("5 of 5 by mira"), &json!("1 of 5 by  "))
    );
}

#[tokio::test]
async fn feedback_has_bounds_that_come_before_the_lookup() {
    let console = console(json!({"state": "Open"})).await;
    let long = |length: usize| "x".repeat(length);
    for (body, field) in [
        (json!({}), "providedBy"),
        (json!({"providedBy": "", "remediationAccuracy": 3}), "providedBy"),
        (json!({"providedBy": long(254), "remediationAccuracy": 0}), "providedBy"),
        (json!({"providedBy": "mira"}), "remediationAccuracy"),
        (
            json!({"providedBy": "mira", "remediationAccuracy": 0}),
            "remediationAccuracy",
        ),
        (
            json!({"providedBy": "mira", "remediationAccuracy": 6}),
            "remediationAccuracy",
        ),
        (
            json!({"providedBy": "mira", "remediationAccuracy": 2.5}),
            "remediationAccuracy",
        ),
        (
            json!({"providedBy": "mira", "remediationAccuracy": 4_294_967_299_u64}),
            "remediationAccuracy",
        ),
        (
            json!({"providedBy": "mira", "remediationAccuracy": "3"}),
            "remediationAccuracy",
        ),
        (
            json!({"providedBy": "mira", "remediationAccuracy": 3, "overrideRootCause": long(4097)}),
            "overrideRootCause",
        ),
        (
            json!({"providedBy": "mira", "remediationAccuracy": 3, "comments": long(4097)}),
            "comments",
        ),
    ] {
        for name in ["pm-checkout-oom", "nothing-of-that-name"] {
            let asked = console.ask(Method::POST, &format!("/api/v1/postmortems/{name}/feedback"));
            let refused = asked.key(OPERATOR).body(body.to_string()).answer().await;
            refused.assert_error(400, "invalid");
            assert_eq!(refused.json()["fields"][0]["field"], field, "{}", refused.text);
        }
    }
    for accuracy in [1, 5] {
        let body =
            json!({"providedBy": long(253), "remediationAccuracy": accuracy, "comments": long(4096)}).to_string();
        assert_eq!(act(&console, "feedback", OPERATOR, &body).await.status, 200);
    }
}

#[tokio::test]
async fn no_namespace_means_the_default_one() {
    let console = TestConsole::over(vec![postmortem("shop", json!({"state": "Open"}))]).await;
    for (action, body) in [
        ("review", ""),
        ("close", ""),
        ("feedback", r#"{"providedBy":"mira","remediationAccuracy":3}"#),
        ("ack-human-action", ""),
    ] {
        let message = act(&console, action, OPERATOR, body)
            .await
            .assert_error(404, "not_found");
        assert_eq!(
            message,
            "postmortem not found: there is no pm-checkout-oom in namespace default"
        );
    }
    let there = act(&console, "review?namespace=shop", OPERATOR, "").await;
    assert_eq!(there.json()["spec"]["namespace"], "shop");
    act(&console, "review?namespace=shop", VIEWER, "")
        .await
        .assert_error(403, "forbidden");
}

#[tokio::test]
async fn a_reviewer_who_meets_a_controller_is_answered_at_once() {
    let summary = json!({"status": {"state": "Open", "summary": "written meanwhile"}});
    let mishaps = vec![
        (Sort::StatusPatches, rival(Verb::PatchStatus(summary))),
        (
            Sort::Patches,
            rival(Verb::Patch(json!({"metadata": {"annotations": {"team": "shop"}}}))),
        ),
    ];
    let objects = vec![postmortem("default", json!({"state": "Open"}))];
    let console = TestConsole::around(objects, Interference::planned(mishaps)).await;
    let reviewed = act(&console, "review", OPERATOR, r#"{"reviewer":"mira"}"#).await;
    assert_eq!(reviewed.status, 200, "{}", reviewed.text);
    let item = reviewed.json()["spec"].clone();
    assert_eq!(
        (&item["state"], &item["summary"]),
        (&json!("InReview"), &json!("written meanwhile"))
    );
    assert_eq!(
        annotations(&console),
        json!({"team": "shop", "aiops.chatcli.io/reviewed-by": "mira"})
    );
    assert_eq!(console.trail().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn whoever_is_always_too_late_is_told_of_a_conflict() {
    let change = |round: usize| match rival(Verb::PatchStatus(json!({"status": {"summary": format!("{round}")}}))) {
        Mishap::Rival(change) => (
            Sort::StatusPatches,
            Mishap::SlowRival(change, Duration::from_millis(200)),
        ),
        _ => unreachable!("a rival"),
    };
    let objects = vec![postmortem("default", json!({"state": "Open"}))];
    let console = TestConsole::around(objects, Interference::planned((0..60).map(change).collect())).await;
    let feedback = r#"{"providedBy":"mira","remediationAccuracy":3}"#;
    let message = act(&console, "feedback", OPERATOR, feedback)
        .await
        .assert_error(409, "conflict");
    assert!(message.starts_with("failed to record feedback: "), "{message}");
    assert!(console.trail().is_empty());
}
