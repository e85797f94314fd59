//! Having an Instance looked at again.

use crate::console::{OPERATOR, TestConsole, VIEWER};
use http::Method;
use jiff::Timestamp;
use opsdeck::resources::{Instance, Typed as _};
use serde_json::{Value, json};

fn instance(namespace: &str) -> Value {
    json!({
        "apiVersion": "platform.chatcli.io/v1alpha1", "kind": "Instance",
        "metadata": {"name": "main", "namespace": namespace, "creationTimestamp": "2026-09-23T12:00:00Z"},
        "spec": {"provider": "OLLAMA", "env": [{"name": "HOME", "value": "/secret"}]},
    })
}

#[tokio::test]
async fn a_probe_is_asked_for_by_a_mark_with_the_time() {
    let console = TestConsole::over(vec![instance("shop")]).await;
    let before = Timestamp::now().as_second();
    let asked = console
        .ask(Method::POST, "/api/v1/instances/main/reprobe")
        .key(OPERATOR);
    let answered = asked.body("{ not read").await_ok().await;
    let read = console.get("/api/v1/instances/main").key(VIEWER).await_ok().await;
    assert_eq!(answered.text, read.text, "answered as a GET would");
    assert!(!answered.text.contains("/secret"));
    let stored = console.object::<Instance>("shop", "main").unwrap();
    let mark = stored.annotation("chatcli.io/reprobe").expect("a mark");
    let at: Timestamp = mark.parse().expect("a time");
    assert!((before..=Timestamp::now().as_second()).contains(&at.as_second()));
    let [event] = &*console.trail() else {
        panic!("one event")
    };
    assert_eq!(
        (
            &*event.spec.event_type,
            &*event.spec.actor.name,
            json!(event.spec.details)
        ),
        ("instance_reprobed", "sre-mira", json!({"after": mark}))
    );
}

#[tokio::test]
async fn the_right_instance_is_meant_or_none() {
    let console = TestConsole::over(vec![instance("east"), instance("west")]).await;
    let ask = |target: &str, key| {
        let asked = console.ask(Method::POST, &format!("/api/v1/instances/{target}"));
        asked.key(key).answer()
    };
    ask("main/reprobe", OPERATOR).await.assert_error(409, "ambiguous");
    ask("other/reprobe", OPERATOR).await.assert_error(404, "not_found");
    ask("main/reprobe", VIEWER).await.assert_error(403, "forbidden");
    let done = ask("main/reprobe?namespace=west", OPERATOR).await;
    assert_eq!((done.status.as_u16(), console.trail().len()), (200, 1));
    let east = console.object::<Instance>("east", "main").unwrap();
    assert_eq!(east.annotation("chatcli.io/reprobe"), None);
}
