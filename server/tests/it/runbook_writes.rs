//! Runbooks: written and replaced by operators, as far as their schema takes it; deleted by an admin alone, and only once.

use crate::{
    console::{ADMIN, Answered, Asking, OPERATOR, TestConsole, VIEWER},
    interference::{Interference, Log, Mishap, Sort},
    objects::write_of_another,
};
use http::Method;
use opsdeck::{
    resources::{Kind, Runbook, Typed as _},
    source::Verb,
};
use serde_json::{Value, json};

fn runbook(namespace: &str) -> Value {
    json!({
        "apiVersion": "platform.chatcli.io/v1alpha1", "kind": "Runbook",
        "metadata": {"name": "restart", "namespace": namespace, "creationTimestamp": "2026-09-23T12:00:00Z"},
        "spec": {
            "trigger": {"signalType": "oom_kill", "severity": "high", "resourceKind": "Deployment"},
            "steps": [{"name": "restart", "action": "RestartDeployment"}],
        },
    })
}

#[tokio::test]
async fn an_admin_deletes_it_once() {
    let console = TestConsole::over(vec![runbook("default"), runbook("shop")]).await;
    for key in [VIEWER, OPERATOR] {
        let refused = console
            .ask(Method::DELETE, "/api/v1/runbooks/restart")
            .key(key)
            .answer()
            .await;
        assert_eq!(refused.assert_error(403, "forbidden"), "insufficient permissions");
    }
    assert!(console.object::<Runbook>("default", "restart").is_some() && console.trail().is_empty());
    let deleted = console
        .ask(Method::DELETE, "/api/v1/runbooks/restart")
        .key(ADMIN)
        .await_ok()
        .await;
    assert_eq!(
        deleted.text,
        "{\"apiVersion\":\"v1\",\"kind\":\"Status\",\"name\":\"restart\",\"status\":\"deleted\"}\n"
    );
    assert_eq!(deleted.header("content-type"), Some("application/json; charset=utf-8"));
    assert!(console.object::<Runbook>("default", "restart").is_none());
    assert!(
        console.object::<Runbook>("shop", "restart").is_some(),
        "no namespace means `default`"
    );
    let again = console
        .ask(Method::DELETE, "/api/v1/runbooks/restart")
        .key(ADMIN)
        .answer()
        .await;
    assert_eq!(
        again.assert_error(404, "not_found"),
        "runbook not found: there is no restart in namespace default"
    );
    let [event] = &*console.trail() else {
        panic!("one event for one deletion")
    };
    assert_eq!(
        (
            &*event.spec.event_type,
            &*event.spec.actor.name,
            &*event.spec.severity,
            &*event.spec.correlation_id
        ),
        ("runbook_deleted", "sre-tomasz", "warning", "")
    );
    assert_eq!(
        json!(event.spec.details),
        json!({"signalType": "oom_kill", "severity": "high", "resourceKind": "Deployment", "steps": "1"})
    );
}

#[tokio::test]
async fn the_namespace_may_be_said() {
    let console = TestConsole::over(vec![runbook("default"), runbook("shop")]).await;
    console
        .ask(Method::DELETE, "/api/v1/runbooks/restart?namespace=shop")
        .key(ADMIN)
        .await_ok()
        .await;
    assert!(console.object::<Runbook>("default", "restart").is_some());
    assert!(console.object::<Runbook>("shop", "restart").is_none());
    assert_eq!(console.trail()[0].metadata.namespace.as_deref(), Some("shop"));
}

fn body() -> Value {
    json!({
        "name": "restart", "description": "restart it", "unknown": [1],
        "trigger": {"signalType": "oom_kill", "severity": "high", "resourceKind": "Deployment"},
        "steps": [
            {"name": "Restart", "action": "RestartDeployment"},
            {"name": "Log more", "action": "PatchConfig", "description": "for a while", "params": {"configmap": "app", "API_TOKEN": "t0p"}},
        ],
        "labels": {"team": "shop"},
    })
}

/// The body with some of its members given otherwise, or with `null` not at all.
fn but(changes: Value) -> Value {
    let mut body = body();
    for (member, value) in changes.as_object().expect("members") {
        body[member] = value.clone();
    }
    body
}

fn creating<'a>(console: &'a TestConsole, body: &Value) -> Asking<'a> {
    let asked = console
        .ask(Method::POST, "/api/v1/runbooks?namespace=not-asked")
        .key(OPERATOR);
    asked.body(body.to_string())
}

async fn create(console: &TestConsole, body: &Value) -> Answered {
    creating(console, body).answer().await
}

fn replacing<'a>(console: &'a TestConsole, target: &str, body: &Value) -> Asking<'a> {
    let asked = console
        .ask(Method::PUT, &format!("/api/v1/runbooks/{target}"))
        .key(OPERATOR);
    asked.body(body.to_string())
}

async fn replace(console: &TestConsole, target: &str, body: &Value) -> Answered {
    replacing(console, target, body).answer().await
}

fn stored(console: &TestConsole) -> std::sync::Arc<Runbook> {
    console.object("default", "restart").expect("the runbook")
}

#[tokio::test]
async fn an_operator_writes_one_and_what_they_left_out_is_filled_in() {
    let console = TestConsole::over(Vec::new()).await;
    let created = create(&console, &body()).await;
    assert_eq!(created.status, 201, "{}", created.text);
    assert_eq!(created.header("content-type"), Some("application/json; charset=utf-8"));
    let made = stored(&console);
    let at = made
        .metadata
        .creation_timestamp
        .as_ref()
        .map(|time| time.0.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
    assert_eq!(
        created.json(),
        json!({
            "apiVersion": "v1", "kind": "Runbook",
            "spec": {
                "name": "restart", "namespace": "default", "description": "restart it",
                "trigger": {"signalType": "oom_kill", "severity": "high", "resourceKind": "Deployment"},
                "steps": [
                    {"name": "Restart", "action": "RestartDeployment"},
                    {"name": "Log more", "action": "PatchConfig", "description": "for a while", "params": {"configmap": "app", "API_TOKEN": "***"}},
                ],
                "maxAttempts": 3, "creationTimestamp": at,
            },
            "resourceMeta": {
                "name": "restart", "namespace": "default", "uid": made.meta().uid, "creationTimestamp": at, "labels": {"team": "shop"},
            },
        })
    );
    assert_eq!(
        made.spec.steps[1].params["API_TOKEN"], "t0p",
        "it is stored as it was given"
    );
    let [event] = &*console.trail() else {
        panic!("one event")
    };
    assert_eq!(
        (
            &*event.spec.event_type,
            &*event.spec.actor.name,
            event.spec.resource.uid.as_str()
        ),
        ("runbook_created", "sre-mira", made.meta().uid.as_deref().unwrap())
    );
    let after: Value = serde_json::from_str(&event.spec.details["after"]).unwrap();
    assert_eq!(
        (
            &after["steps"][1]["params"]["API_TOKEN"],
            &after["maxAttempts"],
            event.spec.details.get("before")
        ),
        (&json!("***"), &json!(3), None)
    );
}

#[tokio::test]
async fn a_namespace_and_attempts_are_taken_as_given() {
    let console = TestConsole::over(Vec::new()).await;
    for (given, stored) in [(json!(-4), -4), (json!(0), 3), (Value::Null, 3), (json!(7), 7)] {
        let body = but(
            json!({"maxAttempts": given, "namespace": "shop", "name": format!("r{stored}{}", given.is_null()), "labels": null}),
        );
        let created = creating(&console, &body).loosely().answer().await;
        assert_eq!(created.status, 201, "{}", created.text);
        let created = created.json();
        assert_eq!(
            (&created["spec"]["maxAttempts"], &created["spec"]["namespace"]),
            (&json!(stored), &json!("shop"))
        );
        assert_eq!(created["resourceMeta"].get("labels"), None);
    }
    let odd = but(
        json!({"trigger": {"signalType": "latency", "severity": "low"}, "steps": [null, {"name": null}], "name": "odd"}),
    );
    let created = creating(&console, &odd).loosely().answer().await;
    assert_eq!(
        created.status, 201,
        "an empty kind, name and action pass: {}",
        created.text
    );
    assert_eq!(
        created.json()["spec"]["steps"],
        json!([{"name": "", "action": ""}, {"name": "", "action": ""}])
    );
}

#[tokio::test]
async fn what_is_no_runbook_body_is_refused_first() {
    let log = Log::listen();
    let console = TestConsole::over(Vec::new()).await;
    for (body, field, message) in [
        (json!([]), "body", "invalid request body"),
        (json!({}), "name", "name is required"),
        (but(json!({"name": ""})), "name", "name is required"),
        (but(json!({"name": 3})), "name", "invalid request body"),
        (but(json!({"trigger": "oom_kill"})), "trigger", "invalid request body"),
        (
            but(json!({"trigger": {"severity": 1}})),
            "trigger.severity",
            "invalid request body",
        ),
        (but(json!({"steps": {}})), "steps", "invalid request body"),
        (
            but(json!({"steps": [{}, {"params": {"a": 1}}]})),
            "steps[1].params.a",
            "invalid request body",
        ),
        (but(json!({"steps": [7]})), "steps[0]", "invalid request body"),
        (but(json!({"maxAttempts": 2.5})), "maxAttempts", "invalid request body"),
        (
            but(json!({"maxAttempts": 2_147_483_648_u64})),
            "maxAttempts",
            "invalid request body",
        ),
        (but(json!({"labels": {"a": []}})), "labels.a", "invalid request body"),
        (
            but(json!({"steps": [{"action": "PatchConfig", "params": {"API_TOKEN": "***"}}]})),
            "steps[0].params.API_TOKEN",
            "steps[0].params.API_TOKEN is hidden where it is shown; write the value itself",
        ),
    ] {
        let refused = create(&console, &body).await;
        let told = refused.assert_error(400, "invalid");
        assert_eq!(told.split(": ").next(), Some(message), "{body}");
        assert_eq!(refused.json()["fields"][0]["field"], field, "{body}");
    }
    assert!(console.trail().is_empty());
    let stranger = console.ask(Method::POST, "/api/v1/runbooks").key(VIEWER).body("{");
    stranger.answer().await.assert_error(403, "forbidden");
    assert!(!log.lines("write refused").is_empty());
}

#[tokio::test]
async fn what_the_schema_refuses_is_named_member_by_member() {
    let console = TestConsole::over(vec![runbook("default")]).await;
    let before = stored(&console);
    let no_steps = [json!({"steps": []}), json!({"steps": null})];
    let refusals = [
        (
            json!({"trigger": {"signalType": "tired", "severity": "awful"}}),
            vec!["spec.trigger.severity", "spec.trigger.signalType"],
        ),
        (
            json!({"trigger": null}),
            vec!["spec.trigger.severity", "spec.trigger.signalType"],
        ),
        (
            json!({"labels": {"-team": "shop", "tier": "a b"}}),
            vec!["metadata.labels", "metadata.labels"],
        ),
    ];
    let no_steps = no_steps.map(|changes| (changes, vec!["spec.steps"]));
    for (changes, fields) in refusals.into_iter().chain(no_steps) {
        let named = but(json!({"name": "another"}));
        let mut body = named.clone();
        for (member, value) in changes.as_object().unwrap() {
            body[member] = value.clone();
        }
        for (answered, prefix) in [
            (create(&console, &body).await, "failed to create runbook: "),
            (replace(&console, "restart", &body).await, "failed to update runbook: "),
        ] {
            let message = answered.assert_error(422, "invalid");
            assert!(message.starts_with(prefix), "{message}");
            let told = answered.json()["fields"].as_array().unwrap().clone();
            let told: Vec<_> = told
                .iter()
                .map(|told| told["field"].as_str().unwrap().to_owned())
                .collect();
            assert_eq!(told, fields, "{}", answered.text);
        }
    }
    let misnamed = create(&console, &but(json!({"name": "Re start"}))).await;
    misnamed.assert_error(422, "invalid");
    assert_eq!(misnamed.json()["fields"][0]["field"], "metadata.name");
    assert_eq!(stored(&console), before);
    assert!(console.object::<Runbook>("default", "another").is_none() && console.trail().is_empty());
}

#[tokio::test]
async fn a_name_that_is_taken_is_a_conflict() {
    let console = TestConsole::over(vec![runbook("default")]).await;
    let message = create(&console, &body()).await.assert_error(409, "exists");
    assert_eq!(
        message,
        "failed to create runbook: Runbook restart exists already in namespace default"
    );
    assert!(console.trail().is_empty());
}

#[tokio::test]
async fn what_a_replacement_does_not_say_is_cleared_but_for_attempts_labels_and_annotations() {
    let mut old = runbook("default");
    old["metadata"]["labels"] = json!({"team": "shop", "tier": "web"});
    old["metadata"]["annotations"] = json!({"kept": "yes"});
    old["spec"]["description"] = json!("old words");
    old["spec"]["maxAttempts"] = json!(5);
    let console = TestConsole::over(vec![old, runbook("shop")]).await;
    let bare = json!({
        "name": "ignored", "namespace": "shop", "maxAttempts": -1,
        "trigger": {"signalType": "latency", "severity": "low"}, "steps": [{"name": "Wait", "action": "Custom"}],
    });
    let answered = replacing(&console, "restart", &bare).loosely().answer().await;
    assert_eq!(answered.status, 200, "{}", answered.text);
    let replaced = answered.json();
    assert_eq!(
        replaced["spec"],
        json!({
            "name": "restart", "namespace": "default", "trigger": {"signalType": "latency", "severity": "low", "resourceKind": ""},
            "steps": [{"name": "Wait", "action": "Custom"}], "maxAttempts": 5, "creationTimestamp": "2026-09-23T12:00:00Z",
        })
    );
    assert_eq!(replaced.get("status"), None);
    assert_eq!(
        (
            &replaced["resourceMeta"]["labels"],
            replaced["resourceMeta"].get("annotations")
        ),
        (&json!({"team": "shop", "tier": "web"}), None)
    );
    assert_eq!(stored(&console).annotation("kept"), Some("yes"));
    let labelled = |labels: Value| {
        let mut body = bare.clone();
        body["labels"] = labels;
        body["maxAttempts"] = json!(2);
        body["trigger"]["resourceKind"] = json!("");
        body
    };
    let relabelled = replace(&console, "restart", &labelled(json!({"team": "web"})))
        .await
        .json();
    assert_eq!(
        (
            &relabelled["resourceMeta"]["labels"],
            &relabelled["spec"]["maxAttempts"]
        ),
        (&json!({"team": "web"}), &json!(2))
    );
    let bared = replace(&console, "restart", &labelled(json!({}))).await.json();
    assert_eq!(bared["resourceMeta"].get("labels"), None);
    let untouched = console.object::<Runbook>("shop", "restart").unwrap();
    assert_eq!(untouched.spec.trigger.resource_kind, "Deployment");

    let trail = console.trail();
    let told = |key: &str| serde_json::from_str::<Value>(&trail[1].spec.details[key]).unwrap();
    assert_eq!(trail[1].spec.event_type, "runbook_updated");
    assert_eq!(
        (told("before"), told("after")),
        (
            json!({"labels": {"team": "shop", "tier": "web"}, "maxAttempts": 5}),
            json!({"labels": {"team": "web"}, "maxAttempts": 2}),
        )
    );
}

#[tokio::test]
async fn what_was_read_can_be_written_back_without_losing_what_is_hidden() {
    let console = TestConsole::over(Vec::new()).await;
    let read = create(&console, &body()).await.json()["spec"].clone();
    assert_eq!(read["steps"][1]["params"]["API_TOKEN"], "***");
    assert_eq!(replace(&console, "restart", &read).await.status, 200);
    assert_eq!(stored(&console).spec.steps[1].params["API_TOKEN"], "t0p");
}

#[tokio::test]
async fn only_what_is_there_can_be_replaced() {
    let console = TestConsole::over(vec![runbook("shop")]).await;
    assert_eq!(
        replace(&console, "restart", &body())
            .await
            .assert_error(404, "not_found"),
        "runbook not found: there is no restart in namespace default"
    );
    assert_eq!(replace(&console, "restart?namespace=shop", &body()).await.status, 200);
    replace(&console, "nothing", &json!({"steps": 7}))
        .await
        .assert_error(400, "invalid");
    let stranger = console
        .ask(Method::PUT, "/api/v1/runbooks/restart")
        .key(VIEWER)
        .body("{");
    stranger.answer().await.assert_error(403, "forbidden");
}

#[tokio::test]
async fn a_replacement_that_meets_another_is_made_of_what_is_there_now() {
    let late = Verb::Patch(json!({"metadata": {"labels": {"late": "yes"}}, "spec": {"maxAttempts": 9}}));
    let rival = write_of_another(Kind::Runbook, "default", "restart", late);
    let rival = Mishap::Rival(Box::new(rival));
    let console = TestConsole::around(
        vec![runbook("default")],
        Interference::planned(vec![(Sort::Patches, rival)]),
    )
    .await;
    let replaced = replace(&console, "restart", &body()).await.json();
    assert_eq!(
        (&replaced["resourceMeta"]["labels"], &replaced["spec"]["maxAttempts"]),
        (&json!({"team": "shop"}), &json!(9))
    );
    assert_eq!(console.trail().len(), 1);
}

#[tokio::test]
async fn what_was_imported_with_unknown_words_can_still_be_written_on() {
    let mut odd = runbook("default");
    odd["spec"]["trigger"]["signalType"] = json!("of_a_newer_release");
    let console = TestConsole::over(vec![odd]).await;
    let write = |verb| {
        let change = write_of_another(Kind::Runbook, "default", "restart", verb);
        console.console.source.write(change)
    };
    write(Verb::Patch(json!({"metadata": {"labels": {"team": "shop"}}})))
        .await
        .expect("an old sin is no new one");
    write(Verb::Patch(json!({"spec": {"trigger": {"severity": "awful"}}})))
        .await
        .expect_err("a new one is");
}

async fn around(sort: Sort, mishap: Mishap, objects: Vec<Value>) -> TestConsole {
    TestConsole::around(objects, Interference::planned(vec![(sort, mishap)])).await
}

#[tokio::test]
async fn one_whose_answer_was_lost_is_made_and_told_once() {
    for mishap in [Mishap::LostAnswer, Mishap::LostRequest] {
        let console = around(Sort::Creates, mishap, Vec::new()).await;
        let created = create(&console, &body()).await;
        assert_eq!(created.status, 201, "{}", created.text);
        let uid = stored(&console).meta().uid.clone().expect("a uid");
        assert!(
            matches!(&*console.trail(), [event] if event.spec.resource.uid == uid),
            "{:?}",
            console.trail()
        );
    }
}

#[tokio::test]
async fn what_stood_there_before_is_not_taken_for_ones_own() {
    let twin = TestConsole::over(Vec::new()).await;
    create(&twin, &body()).await;
    let before = serde_json::to_value(&*stored(&twin)).unwrap();
    let console = around(Sort::Creates, Mishap::LostRequest, vec![before]).await;
    create(&console, &body()).await.assert_error(409, "exists");
    assert!(console.trail().is_empty());
}

#[tokio::test]
async fn one_whose_deletion_was_lost_on_the_way_back_is_gone_and_told() {
    for mishap in [Mishap::LostAnswer, Mishap::LostRequest] {
        let console = around(Sort::Deletes, mishap, vec![runbook("default")]).await;
        let asked = console.ask(Method::DELETE, "/api/v1/runbooks/restart").key(ADMIN);
        asked.await_ok().await;
        assert!(console.object::<Runbook>("default", "restart").is_none());
        assert_eq!(console.trail().len(), 1);
    }
}

#[tokio::test]
async fn one_that_was_made_is_told_although_it_cannot_be_read() {
    let console = around(Sort::Creates, Mishap::OddAnswer, Vec::new()).await;
    create(&console, &body()).await.assert_error(500, "internal");
    assert!(
        matches!(&*console.trail(), [event] if event.spec.event_type == "runbook_created"),
        "{:?}",
        console.trail()
    );
}
