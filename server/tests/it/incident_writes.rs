//! Acknowledge, snooze, resolve: what is written, what is answered, what is refused, and the trail of it.

use crate::{
    console::{ADMIN, Answered, OPERATOR, TestConsole, VIEWER},
    interference::Log,
    objects::issue,
};
use http::Method;
use jiff::{SignedDuration, Timestamp};
use opsdeck::resources::{Issue, IssueState, Typed as _};
use serde_json::{Value, json};

fn in_state(state: &str) -> Value {
    let mut issue = issue("checkout-oom", "shop");
    issue["status"] = json!({
        "state": state, "detectedAt": "2026-09-23T12:00:05Z", "remediationAttempts": 2, "maxRemediationAttempts": 5,
        "requiresHumanAction": true, "requiredAction": "scale back",
    });
    issue
}

async fn console() -> TestConsole {
    TestConsole::over(vec![issue("checkout-oom", "shop")]).await
}

async fn triage(console: &TestConsole, action: &str, key: &str, body: &str) -> Answered {
    let target = format!("/incidents/checkout-oom/{action}");
    console.post(&target, key, body).await
}

fn annotations(console: &TestConsole) -> Value {
    console.annotations::<Issue>("shop", "checkout-oom")
}

/// Who did what, with the details, from the trail.
fn trail(console: &TestConsole) -> Vec<(String, String, Value)> {
    console.told(|spec| (spec.actor.name.clone(), spec.event_type.clone(), json!(spec.details)))
}

#[tokio::test]
async fn an_acknowledgement_names_the_key_and_shows_at_once() {
    let console = console().await;
    let answered = triage(&console, "acknowledge", OPERATOR, "{ not read").await;
    assert_eq!(answered.status, 200, "{}", answered.text);
    let read = console
        .get("/api/v1/incidents/checkout-oom?namespace=shop")
        .key(VIEWER)
        .await_ok()
        .await;
    assert_eq!(answered.text, read.text, "answered as a GET would");
    assert_eq!(answered.header("content-type"), Some("application/json; charset=utf-8"));
    let incident = answered.json();
    let at = incident["spec"]["acknowledged"]["at"].clone();
    assert_eq!(
        (
            &incident["kind"],
            &incident["spec"]["acknowledged"]["by"],
            &incident["spec"]["snoozed"]
        ),
        (&json!("Incident"), &json!("sre-mira"), &Value::Null)
    );
    assert_eq!(
        annotations(&console),
        json!({
            "team": "shop", "aiops.chatcli.io/acknowledged": "true",
            "aiops.chatcli.io/acknowledged-by": "sre-mira", "aiops.chatcli.io/acknowledged-at": at,
        })
    );
    assert_eq!(console.total("/api/v1/incidents?acknowledged=true").await, 1);
    let stored = console.object::<Issue>("shop", "checkout-oom").unwrap();
    assert_eq!(stored.status, None, "state is no matter of an acknowledgement");
}

#[tokio::test]
async fn a_later_acknowledgement_replaces_an_earlier_one_and_both_are_in_the_trail() {
    let console = TestConsole::over(vec![in_state("Resolved")]).await;
    for key in [OPERATOR, ADMIN] {
        assert_eq!(triage(&console, "acknowledge", key, "").await.status, 200);
    }
    assert_eq!(annotations(&console)["aiops.chatcli.io/acknowledged-by"], "sre-tomasz");
    assert_eq!(
        trail(&console),
        [
            (
                "sre-mira".into(),
                "issue_acknowledged".into(),
                json!({"state": "Resolved"})
            ),
            (
                "sre-tomasz".into(),
                "issue_acknowledged".into(),
                json!({"state": "Resolved", "inPlaceOf": "sre-mira"})
            ),
        ]
    );
}

#[tokio::test]
async fn a_snooze_lasts_as_long_as_was_said() {
    let console = console().await;
    let before = Timestamp::now();
    let answered = triage(&console, "snooze", OPERATOR, r#"{"duration":"1h30m","unknown":1}"#).await;
    let after = Timestamp::now();
    assert_eq!(answered.status, 200, "{}", answered.text);
    let snoozed = answered.json()["spec"]["snoozed"].clone();
    assert_eq!(snoozed["by"], "sre-mira");
    let until: Timestamp = snoozed["until"].as_str().unwrap().parse().unwrap();
    let length = SignedDuration::from_mins(90);
    assert!(
        until.as_second() >= (before + length).as_second() && until <= after + length,
        "{until}"
    );
    assert_eq!(
        annotations(&console),
        json!({
            "team": "shop", "aiops.chatcli.io/snoozed-by": "sre-mira",
            "aiops.chatcli.io/snoozed-until": snoozed["until"],
        })
    );
    assert_eq!(console.total("/api/v1/incidents?snoozed=true").await, 1);
    assert_eq!(
        trail(&console),
        [(
            "sre-mira".into(),
            "issue_snoozed".into(),
            json!({"until": snoozed["until"]})
        )]
    );
    let ended = triage(&console, "snooze", ADMIN, r#"{"duration":"1ns"}"#).await.json();
    assert_eq!(ended["spec"]["snoozed"], Value::Null, "a short one ends a long one");
}

#[tokio::test]
async fn a_snooze_that_cannot_be_is_refused_before_anything_is_looked_up() {
    let console = console().await;
    for (body, message, field) in [
        ("", "invalid duration", "duration"),
        ("null", "invalid duration", "duration"),
        (r#"{"duration":""}"#, "invalid duration", "duration"),
        (r#"{"duration":null}"#, "invalid duration", "duration"),
        (r#"{"duration":"0"}"#, "invalid duration", "duration"),
        (r#"{"duration":"-5m"}"#, "invalid duration", "duration"),
        (r#"{"duration":"1d"}"#, "invalid duration", "duration"),
        (r#"{"duration":"2562048h"}"#, "invalid duration", "duration"),
        (r#"{"duration":5}"#, "invalid request body", "duration"),
        ("{", "invalid request body", "body"),
        ("[]", "invalid request body", "body"),
        (r#"{"duration":"1h"} more"#, "invalid request body", "body"),
    ] {
        for name in ["checkout-oom", "nothing-of-that-name"] {
            let asked = console
                .ask(Method::POST, &format!("/api/v1/incidents/{name}/snooze"))
                .key(OPERATOR)
                .body(body);
            let refused = asked.answer().await;
            let told = refused.assert_error(400, "invalid");
            assert_eq!(told.split(": ").next(), Some(message), "{body}");
            assert_eq!(refused.json()["fields"][0]["field"], field, "{body}");
        }
    }
    assert_eq!(annotations(&console), json!({"team": "shop"}));
    assert_eq!(trail(&console), []);
}

#[tokio::test]
async fn a_resolution_is_kept_as_typed_and_what_is_left_to_do_stays() {
    let console = TestConsole::over(vec![in_state("Contained")]).await;
    let answered = triage(&console, "resolve", OPERATOR, r#"{"resolution":" "}"#).await;
    assert_eq!(answered.status, 200, "{}", answered.text);
    let item = answered.json()["spec"].clone();
    assert_eq!(
        (
            &item["state"],
            &item["resolution"],
            &item["requiresHumanAction"],
            &item["requiredAction"]
        ),
        (&json!("Resolved"), &json!(" "), &json!(true), &json!("scale back"))
    );
    let at = item["resolvedAt"].clone();
    assert_eq!(
        annotations(&console),
        json!({
            "team": "shop", "aiops.chatcli.io/resolved-by": "sre-mira", "aiops.chatcli.io/resolved-at": at,
            "aiops.chatcli.io/manual-resolution": "true",
        })
    );
    let status = console
        .object::<Issue>("shop", "checkout-oom")
        .unwrap()
        .status
        .clone()
        .unwrap();
    assert_eq!((status.remediation_attempts, status.max_remediation_attempts), (2, 5));
    let second = triage(&console, "resolve", ADMIN, "").await;
    assert_eq!(
        second.assert_error(409, "already_resolved"),
        "issue is already resolved"
    );
    assert_eq!((&second.json()["by"], &second.json()["at"]), (&json!("sre-mira"), &at));
    assert_eq!(
        trail(&console),
        [(
            "sre-mira".into(),
            "issue_resolved".into(),
            json!({"attempts": "2", "resolution": " "})
        )]
    );
}

#[tokio::test]
async fn a_resolution_without_words_gets_upstreams() {
    for (body, warned) in [
        ("", false),
        ("null", false),
        (r#"{"resolution":""}"#, false),
        ("{", true),
        ("[]", true),
        (r#"{"resolution":7}"#, true),
    ] {
        let console = console().await;
        let answered = triage(&console, "resolve", OPERATOR, body).await;
        assert_eq!(answered.status, 200, "{}", answered.text);
        let item = answered.json()["spec"].clone();
        assert_eq!(item["resolution"], "Manually resolved via dashboard", "{body}");
        assert_eq!(
            (&item["remediationAttempts"], &item["maxRemediationAttempts"]),
            (&json!(0), &json!(0))
        );
        assert_eq!(answered.header("warning").is_some(), warned, "{body}");
    }
}

#[tokio::test]
async fn what_a_controller_resolved_cannot_be_resolved_again() {
    let mut over = in_state("Resolved");
    over["status"]["resolvedAt"] = json!("2026-09-23T12:30:00Z");
    let console = TestConsole::over(vec![over]).await;
    let refused = triage(&console, "resolve", OPERATOR, "").await;
    refused.assert_error(409, "already_resolved");
    let told = refused.json();
    assert_eq!((told.get("by"), &told["at"]), (None, &json!("2026-09-23T12:30:00Z")));
    assert_eq!(trail(&console), []);
}

#[tokio::test]
async fn the_right_incident_is_meant_or_none() {
    let console = TestConsole::over(vec![issue("twin", "east"), issue("twin", "west")]).await;
    for (action, body) in [
        ("acknowledge", ""),
        ("snooze", r#"{"duration":"30m"}"#),
        ("resolve", ""),
    ] {
        let ask = |name: &str| {
            console
                .ask(
                    Method::POST,
                    &format!("/api/v1/incidents/{}", name.replace("{}", action)),
                )
                .key(OPERATOR)
                .body(body)
        };
        let message = ask("twin/{}").answer().await.assert_error(409, "ambiguous");
        assert!(message.contains("east, west"), "{message}");
        for absent in ["x/{}", "twin/{}?namespace=north"] {
            let message = ask(absent).answer().await.assert_error(404, "not_found");
            assert!(message.starts_with("issue not found: "), "{message}");
        }
        let done = ask("twin/{}?namespace=west").answer().await;
        assert_eq!(
            (done.status.as_u16(), &done.json()["spec"]["namespace"]),
            (200, &json!("west"))
        );
    }
    let east = console.object::<Issue>("east", "twin").unwrap();
    assert_eq!(
        (east.annotation("aiops.chatcli.io/acknowledged"), &east.status),
        (None, &None)
    );
    let west = console.object::<Issue>("west", "twin").unwrap();
    assert_eq!(
        west.status.as_ref().map(|status| &status.state),
        Some(&IssueState::Resolved)
    );
    let trail = console.trail();
    assert!(trail.len() == 3 && trail.iter().all(|event| event.namespace() == "west"));
}

#[tokio::test]
async fn the_trail_names_the_object_and_hides_addresses() {
    let console = console().await;
    let how = r#"{"resolution":"see https://ana:secret@wiki/x for why"}"#;
    let answered = triage(&console, "resolve", OPERATOR, how).await.json();
    assert_eq!(answered["spec"]["resolution"], "see https://***@wiki/x for why");
    let [event] = &*console.trail() else {
        panic!("one event for one write")
    };
    let (meta, spec) = (&event.metadata, &event.spec);
    assert_eq!(
        json!({"labels": meta.labels, "annotations": meta.annotations, "spec": spec}),
        json!({
            "labels": {"platform.chatcli.io/event-type": "issue_resolved", "platform.chatcli.io/severity": "info"},
            "annotations": {"platform.chatcli.io/immutable": "true"},
            "spec": {
                "eventType": "issue_resolved",
                "actor": {"type": "user", "name": "sre-mira", "controller": "opsdeck"},
                "resource": {
                    "kind": "Issue", "name": "checkout-oom", "namespace": "shop", "uid": answered["resourceMeta"]["uid"],
                },
                "details": {"attempts": "0", "resolution": "see *** for why"},
                "severity": "info",
                "correlationId": "checkout-oom",
                "timestamp": answered["spec"]["resolvedAt"],
            },
        })
    );
    let name = event.name().strip_prefix("audit-").unwrap();
    let (nanoseconds, suffix) = name.split_once('-').unwrap();
    assert!(nanoseconds.parse::<u128>().is_ok() && suffix.len() == 6, "{name}");
}

#[tokio::test]
async fn who_may_not_changes_nothing_and_is_logged() {
    let log = Log::listen();
    let console = console().await;
    let before = console.catalog().snapshot().revision();
    for (action, body) in [("acknowledge", ""), ("snooze", "{"), ("resolve", "")] {
        let refused = triage(&console, action, VIEWER, body).await;
        assert_eq!(refused.assert_error(403, "forbidden"), "insufficient permissions");
        let id = refused.header("x-request-id").unwrap();
        let lines = log.lines(&format!("write refused request.id={id:?}"));
        assert!(
            matches!(&*lines, [line] if line.contains("wallboard") && line.contains("403") && line.contains(action)),
            "{lines:?}"
        );
        let stranger = console.ask(Method::POST, &format!("/api/v1/incidents/checkout-oom/{action}"));
        stranger.answer().await.assert_error(401, "unauthorized");
    }
    assert_eq!(console.catalog().snapshot().revision(), before);
    triage(&console, "resolve", OPERATOR, "").await;
    triage(&console, "resolve", OPERATOR, "")
        .await
        .assert_error(409, "already_resolved");
    let lines = log.lines("already resolved");
    assert!(
        matches!(&*lines, [line] if line.contains("sre-mira") && line.contains("409")),
        "{lines:?}"
    );
}

#[tokio::test]
async fn a_body_without_end_is_cut_off() {
    let console = console().await;
    let endless = format!(r#"{{"duration":"{}"}}"#, "1".repeat(3 << 20));
    triage(&console, "snooze", OPERATOR, &endless)
        .await
        .assert_error(413, "too_large");
}
