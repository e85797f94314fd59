//! Taking back an acknowledgement or a snooze, and one deed to many incidents.

use crate::{
    console::{ADMIN, Answered, OPERATOR, TestConsole, VIEWER},
    interference::{Interference, Log, Mishap, Sort},
    objects::{issue, write_of_another},
};
use http::Method;
use opsdeck::{
    resources::{Issue, Kind, Typed as _},
    source::Verb,
};
use serde_json::{Value, json};
use std::time::Duration;

async fn bulk(console: &TestConsole, body: &Value) -> Answered {
    console.post("/incidents/bulk", OPERATOR, &body.to_string()).await
}

/// Who did what to what.
fn trail(console: &TestConsole) -> Vec<(String, String, String)> {
    let mut told = console.told(|spec| {
        (
            spec.event_type.clone(),
            spec.resource.name.clone(),
            spec.actor.name.clone(),
        )
    });
    told.sort();
    told
}

/// `code` and `reason` of each line, by name.
fn lines(answered: &Answered) -> Vec<(String, u64, String)> {
    let body = answered.json();
    let items = body["items"].as_array().expect("lines");
    let line = |item: &Value| {
        (
            item["name"].as_str().unwrap_or_default().to_owned(),
            item["code"].as_u64().unwrap_or_default(),
            item["reason"].as_str().unwrap_or_default().to_owned(),
        )
    };
    items.iter().map(line).collect()
}

#[tokio::test]
async fn an_acknowledgement_can_be_taken_back_once() {
    let console = TestConsole::over(vec![issue("checkout-oom", "shop")]).await;
    let refused = console
        .post("/incidents/checkout-oom/unacknowledge", OPERATOR, "")
        .await;
    let message = refused.assert_error(409, "nothing_to_undo");
    assert!(message.contains("not acknowledged"), "{message}");
    let seen = console
        .post("/incidents/checkout-oom/acknowledge", ADMIN, "")
        .await
        .json();
    let undone = console
        .post("/incidents/checkout-oom/unacknowledge", OPERATOR, "{ not read")
        .await;
    assert_eq!(undone.status, 200, "{}", undone.text);
    assert_eq!(undone.json()["spec"]["acknowledged"], Value::Null);
    let read = console
        .get("/api/v1/incidents/checkout-oom")
        .key(VIEWER)
        .await_ok()
        .await;
    assert_eq!(undone.text, read.text, "answered as a GET would");
    assert_eq!(
        console.annotations::<Issue>("shop", "checkout-oom"),
        json!({"team": "shop"})
    );
    console
        .post("/incidents/checkout-oom/unacknowledge", OPERATOR, "")
        .await
        .assert_error(409, "nothing_to_undo");
    let trail = console.trail();
    let [_, event] = &*trail else {
        panic!("two events: {trail:?}")
    };
    assert_eq!(
        (&*event.spec.event_type, json!(event.spec.details)),
        (
            "issue_unacknowledged",
            json!({"acknowledgedBy": "sre-tomasz", "acknowledgedAt": seen["spec"]["acknowledged"]["at"]})
        )
    );
}

#[tokio::test]
async fn a_snooze_can_be_taken_back_while_it_lasts() {
    let mut slept = issue("over", "shop");
    slept["metadata"]["annotations"] = json!({
        "aiops.chatcli.io/snoozed-until": "2026-09-23T12:00:00Z", "aiops.chatcli.io/snoozed-by": "zoe",
    });
    let console = TestConsole::over(vec![issue("checkout-oom", "shop"), slept]).await;
    for name in ["checkout-oom", "over"] {
        let refused = console.post(&format!("/incidents/{name}/unsnooze"), OPERATOR, "").await;
        refused.assert_error(409, "nothing_to_undo");
    }
    let snoozed = console
        .post("/incidents/checkout-oom/snooze", ADMIN, r#"{"duration":"1h"}"#)
        .await
        .json();
    let woken = console.post("/incidents/checkout-oom/unsnooze", OPERATOR, "").await;
    assert_eq!(
        (woken.status.as_u16(), &woken.json()["spec"]["snoozed"]),
        (200, &Value::Null)
    );
    assert_eq!(
        console.annotations::<Issue>("shop", "checkout-oom"),
        json!({"team": "shop"})
    );
    assert_eq!(console.total("/api/v1/incidents?snoozed=true").await, 0);
    let trail = console.trail();
    let [_, event] = &*trail else {
        panic!("two events: {trail:?}")
    };
    assert_eq!(
        json!(event.spec.details),
        json!({"snoozedBy": "sre-tomasz", "snoozedUntil": snoozed["spec"]["snoozed"]["until"]})
    );
}

#[tokio::test]
async fn each_of_many_has_its_own_answer_and_its_own_event() {
    let mut over = issue("over", "shop");
    over["status"] = json!({"state": "Resolved", "remediationAttempts": 0, "maxRemediationAttempts": 3});
    let log = Log::listen();
    let twins = [issue("twin", "east"), issue("twin", "west")];
    let console =
        TestConsole::over([vec![issue("one", "shop"), issue("two", "shop"), over], twins.into()].concat()).await;
    let answered = bulk(
        &console,
        &json!({"action": "resolve", "resolution": "rolled back", "items": [
            {"namespace": "shop", "name": "two"},
            {"namespace": "shop", "name": "over"},
            {"namespace": "shop", "name": "absent"},
            {"name": "one"},
            {"name": "twin"},
            {"namespace": "shop", "name": "two"},
        ]}),
    )
    .await;
    assert_eq!(answered.status, 200, "{}", answered.text);
    assert!(answered.text.starts_with(
        r#"{"apiVersion":"v1","kind":"BulkResult","metadata":{"totalCount":5,"succeeded":2,"failed":3},"items":[{"namespace":"shop","name":"two","code":200},"#
    ), "{}", answered.text);
    assert_eq!(
        lines(&answered),
        [
            ("two".into(), 200, String::new()),
            ("over".into(), 409, "already_resolved".into()),
            ("absent".into(), 404, "not_found".into()),
            ("one".into(), 200, String::new()),
            ("twin".into(), 409, "ambiguous".into()),
        ],
        "in the order in which they were named, each once"
    );
    assert_eq!(answered.json()["items"][3]["namespace"], "shop");
    assert_eq!(answered.json()["items"][1]["message"], "issue is already resolved");
    for name in ["one", "two"] {
        let issue = console.object::<Issue>("shop", name).unwrap();
        assert_eq!(issue.status.as_ref().unwrap().resolution, "rolled back");
        assert_eq!(issue.annotation("aiops.chatcli.io/resolved-by"), Some("sre-mira"));
    }
    let refused = log.lines("write refused");
    assert_eq!(refused.len(), 3, "{refused:?}");
    let of_over = log.lines("name=\"over\"");
    assert!(
        matches!(&*of_over, [line] if line.contains("sre-mira") && line.contains("409")),
        "{refused:?}"
    );
    let event = |name: &str| ("issue_resolved".to_owned(), name.to_owned(), "sre-mira".to_owned());
    assert_eq!(trail(&console), [event("one"), event("two")]);
}

#[tokio::test]
async fn every_action_can_be_done_to_many() {
    let console = TestConsole::over(vec![issue("one", "shop")]).await;
    let items = json!([{"namespace": "shop", "name": "one"}]);
    for (action, code) in [
        ("unacknowledge", 409),
        ("acknowledge", 200),
        ("unacknowledge", 200),
        ("unsnooze", 409),
        ("snooze", 200),
        ("unsnooze", 200),
        ("resolve", 200),
        ("resolve", 409),
    ] {
        let body = json!({"action": action, "items": items, "duration": "30m"});
        let answered = bulk(&console, &body).await;
        assert_eq!(lines(&answered)[0].1, code, "{action}: {}", answered.text);
    }
    assert_eq!(console.trail().len(), 5);
}

#[tokio::test]
async fn a_filter_means_what_the_list_would_show() {
    let mut calm = issue("calm", "shop");
    calm["spec"]["severity"] = json!("low");
    let objects = vec![issue("one", "shop"), issue("two", "shop"), issue("far", "web"), calm];
    let console = TestConsole::over(objects).await;
    let body = json!({"action": "acknowledge", "filter": {"namespace": "shop", "severity": ["high", "critical"], "acknowledged": false}});
    // A list of one value may be that value.
    let asking = || {
        let asked = console.ask(Method::POST, "/api/v1/incidents/bulk").key(OPERATOR);
        asked.body(body.to_string()).loosely()
    };
    let answered = asking().answer().await;
    assert_eq!(
        lines(&answered),
        [("one".into(), 200, String::new()), ("two".into(), 200, String::new())]
    );
    assert_eq!(
        asking().answer().await.json()["metadata"]["totalCount"],
        0,
        "they are acknowledged now"
    );
    assert_eq!(console.total("/api/v1/incidents?acknowledged=true").await, 2);
    let found = bulk(&console, &json!({"action": "acknowledge", "filter": {"q": "far"}})).await;
    assert_eq!(lines(&found), [("far".into(), 200, String::new())]);
}

#[tokio::test]
async fn what_would_change_more_than_was_meant_is_refused_as_a_whole() {
    let many: Vec<_> = (0..501)
        .map(|number| issue(&format!("i-{number:03}"), "shop"))
        .collect();
    let named = |count: usize| -> Vec<_> { many[..count].iter().map(|issue| issue["metadata"].clone()).collect() };
    let console = TestConsole::over(many.clone()).await;
    let one = json!([{"name": "i-000"}]);
    for (body, field) in [
        (json!({"action": "acknowledge", "items": named(501)}), "items"),
        (json!({"action": "acknowledge", "filter": {}}), "filter"),
        (
            json!({"action": "acknowledge", "filter": {"severty": "high"}}),
            "filter.severty",
        ),
        (json!({"action": "acknowledge", "filter": {"page": 2}}), "filter.page"),
        (
            json!({"action": "acknowledge", "filter": {"acknowledged": "perhaps"}}),
            "filter",
        ),
        (
            json!({"action": "acknowledge", "filter": {"from": "yesterday"}}),
            "filter",
        ),
        (
            json!({"action": "acknowledge", "filter": {"severity": {"not": "high"}}}),
            "filter.severity",
        ),
        (
            json!({"action": "resolve", "filter": {"severity": []}}),
            "filter.severity",
        ),
        (
            json!({"action": "resolve", "filter": {"severity": null, "q": "i-000"}}),
            "filter.severity",
        ),
        (
            json!({"action": "resolve", "filter": {"namespace": ["", null]}}),
            "filter.namespace",
        ),
        (json!({"action": "resolve", "filter": {"q": " "}}), "filter.q"),
        (json!({"action": "resolve", "filter": {"from": ""}}), "filter.from"),
        (
            json!({"action": "resolve", "filter": {"acknowledged": [false, true]}}),
            "filter.acknowledged",
        ),
        (
            json!({"action": "resolve", "filter": {"q": ["i-000", "i-001"]}}),
            "filter.q",
        ),
        (json!({"action": "acknowledge", "filter": [], "items": one}), "filter"),
        (
            json!({"action": "acknowledge", "filter": {"q": "i-000"}, "items": one}),
            "filter",
        ),
        (json!({"action": "acknowledge"}), "items"),
        (json!({"action": "acknowledge", "items": null}), "items"),
        (json!({"action": "acknowledge", "items": {"name": "i-000"}}), "items"),
        (json!({"action": "acknowledge", "items": ["i-000"]}), "items[0]"),
        (
            json!({"action": "acknowledge", "items": [{"namespace": "shop"}]}),
            "items[0].name",
        ),
        (json!({"action": "forget", "items": one}), "action"),
        (json!({"items": one}), "action"),
        (json!({"action": "snooze", "items": one}), "duration"),
        (
            json!({"action": "resolve", "resolution": 7, "items": one}),
            "resolution",
        ),
    ] {
        let refused = bulk(&console, &body).await;
        refused.assert_error(400, "invalid");
        assert_eq!(refused.json()["fields"][0]["field"], field, "{}", refused.text);
    }
    for body in [
        json!({"action": "acknowledge", "items": named(501)}),
        json!({"action": "acknowledge", "filter": {}}),
    ] {
        let message = bulk(&console, &body).await.assert_error(400, "invalid");
        assert!(message.contains("501") && message.contains("500"), "{message}");
    }
    console
        .post("/incidents/bulk", OPERATOR, "{")
        .await
        .assert_error(400, "invalid");
    assert!(console.trail().is_empty());
    let answered = bulk(&console, &json!({"action": "acknowledge", "items": named(500)})).await;
    assert_eq!(
        answered.json()["metadata"],
        json!({"totalCount": 500, "succeeded": 500, "failed": 0})
    );
    assert_eq!(
        (
            console.trail().len(),
            console.total("/api/v1/incidents?acknowledged=true").await
        ),
        (500, 500)
    );
}

/// A connection is cut after a minute without a byte, and the last that was begun may take most of it.
#[tokio::test(start_paused = true)]
async fn what_would_outlast_the_connection_is_not_begun() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "late", "aside"];
    let annotate = Verb::Patch(json!({"metadata": {"annotations": {"team": "web"}}}));
    let aside = write_of_another(Kind::Issue, "shop", "aside", annotate);
    let slow = Mishap::SlowRival(Box::new(aside), Duration::from_secs(16));
    let objects = names.iter().map(|name| issue(name, "shop")).collect();
    let console = TestConsole::around(objects, Interference::planned(vec![(Sort::Patches, slow)])).await;
    let items: Vec<_> = names[..9].iter().map(|name| json!({"name": name})).collect();
    let answered = bulk(&console, &json!({"action": "acknowledge", "items": items})).await;
    let lines = lines(&answered);
    assert_eq!(
        (lines[0].1, &lines[8]),
        (200, &("late".into(), 503, "unavailable".into()))
    );
    assert!(console.trail().iter().all(|event| event.spec.resource.name != "late"));
}
