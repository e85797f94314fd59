//! Runbooks: only an admin deletes one, and only once.

use crate::console::{ADMIN, OPERATOR, TestConsole, VIEWER};
use http::Method;
use opsdeck::resources::Runbook;
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
