//! The trail: order, filters, and the file that it can be had as.

use crate::console::{TestConsole, VIEWER};
use serde_json::{Value, json};

fn event(name: &str, at: &str, spec: Value) -> Value {
    let mut event = json!({
        "apiVersion": "platform.chatcli.io/v1alpha1", "kind": "AuditEvent",
        "metadata": {"name": name, "namespace": "shop", "creationTimestamp": "2026-09-23T12:00:00Z"},
        "spec": {
            "eventType": "config_changed", "actor": {"type": "user", "name": "mira"}, "severity": "info", "timestamp": at,
            "resource": {"kind": "Instance", "name": "main", "namespace": "shop"},
        },
    });
    for (member, value) in spec.as_object().expect("members of a spec") {
        event["spec"][member] = value.clone();
    }
    event
}

async fn console() -> TestConsole {
    TestConsole::over(vec![
        event("oldest", "2026-09-23T09:00:00Z", json!({"eventType": "issue_resolved", "resource": {"kind": "Issue", "name": "checkout-oom", "namespace": "shop"}})),
        event("b", "2026-09-23T12:00:00+02:00", json!({"severity": "critical", "correlationId": "checkout-oom"})),
        event("a", "2026-09-23T10:00:00Z", json!({"details": {"reason": "a & b <c>", "api_key": "S3CR3T"}})),
        event("newest", "2026-09-23T11:00:00.5Z", json!({"severity": "warning"})),
    ])
    .await
}

fn names(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().expect("a list").iter();
    items.map(|item| item["name"].as_str().expect("a name")).collect()
}

#[tokio::test]
async fn what_happened_last_comes_first() {
    let console = console().await;
    for (query, expected) in [
        ("", &["newest", "a", "b", "oldest"][..]),
        ("?type=issue_resolved", &["oldest"]),
        ("?severity=critical&severity=warning", &["newest", "b"]),
        ("?resource=main", &["newest", "a", "b"]),
        ("?resource=Issue", &[]),
        ("?issue=checkout-oom", &["b", "oldest"]),
        ("?from=2026-09-23T10:00:00Z&to=2026-09-23T10:00:00Z", &["a", "b"]),
        ("?q=mira%20instance/main&sort=-severity", &["b", "newest", "a"]),
        ("?pageSize=2&page=2", &["b", "oldest"]),
    ] {
        let list = console
            .get(&format!("/api/v1/audit{query}"))
            .key(VIEWER)
            .await_ok()
            .await
            .json();
        assert_eq!(names(&list), expected, "{query}");
        assert_eq!(list["kind"], "AuditEventList");
    }
    let first = console
        .get("/api/v1/audit?type=issue_resolved")
        .key(VIEWER)
        .await_ok()
        .await
        .json();
    assert_eq!(
        first["items"][0],
        json!({
            "name": "oldest", "namespace": "shop", "eventType": "issue_resolved", "severity": "info", "actorType": "user", "actorName": "mira",
            "resourceKind": "Issue", "resourceName": "checkout-oom", "resourceNamespace": "shop",
            "timestamp": "2026-09-23T09:00:00Z", "creationTimestamp": "2026-09-23T12:00:00Z",
        })
    );
    let table = console
        .get("/api/v1/audit?severity=critical&format=csv")
        .key(VIEWER)
        .await_ok()
        .await;
    assert!(
        table.text.contains("\r\n2026-09-23T10:00:00Z,config_changed,critical,"),
        "in UTC: {}",
        table.text
    );
}

#[tokio::test]
async fn the_file_holds_the_filtered_trail_in_its_order() {
    let console = console().await;
    let file = console
        .get("/api/v1/audit/export?pageSize=1&to=2026-09-23T10:00:00Z&format=csv")
        .key(VIEWER)
        .await_ok()
        .await;
    assert_eq!(file.header("content-type"), Some("application/json"));
    let name = file.header("content-disposition").unwrap();
    let stamp = name
        .strip_prefix("attachment; filename=audit-events-")
        .and_then(|rest| rest.strip_suffix(".json"));
    assert!(
        stamp.is_some_and(|stamp| stamp.len() == 15 && stamp.as_bytes()[8] == b'-'),
        "{name}"
    );
    let document = file.json();
    assert_eq!(names(&document), ["a", "b", "oldest"]);
    assert_eq!(
        (&document["kind"], &document["totalCount"]),
        (&json!("AuditEventExport"), &json!(3))
    );
    let exported_at = document["exportedAt"].as_str().unwrap();
    let head = format!(
        "{{\n  \"apiVersion\": \"v1\",\n  \"exportedAt\": \"{exported_at}\",\n  \"items\": [\n    {{\n      \"name\": \"a\",\n"
    );
    assert!(file.text.starts_with(&head), "{}", file.text);
    assert!(
        file.text
            .contains(r#""detail": "api_key=***; reason=a \u0026 b \u003cc\u003e""#),
        "{}",
        file.text
    );
    assert!(file.text.contains("\n    },\n    {\n"), "{}", file.text);
    assert!(
        file.text
            .ends_with("\n    }\n  ],\n  \"kind\": \"AuditEventExport\",\n  \"totalCount\": 3\n}\n"),
        "{}",
        file.text
    );
    let listed = console
        .get("/api/v1/audit?to=2026-09-23T10:00:00Z")
        .key(VIEWER)
        .await_ok()
        .await
        .json();
    assert_eq!(document["items"], listed["items"]);
}

#[tokio::test]
async fn a_trail_of_nothing_is_a_document_all_the_same() {
    let console = console().await;
    let file = console
        .get("/api/v1/audit/export?type=none")
        .key(VIEWER)
        .await_ok()
        .await;
    assert!(file.text.contains("\n  \"items\": [],\n  \"kind\""), "{}", file.text);
    assert_eq!(file.json()["totalCount"], 0);
}

/// More than is written at a time.
#[tokio::test]
async fn a_long_trail_is_whole() {
    let events = (0..700).map(|number| event(&format!("e-{number:03}"), "2026-09-23T10:00:00Z", json!({})));
    let console = TestConsole::over(events.collect()).await;
    let document = console.get("/api/v1/audit/export").key(VIEWER).await_ok().await.json();
    let expected: Vec<_> = (0..700).map(|number| format!("e-{number:03}")).collect();
    assert_eq!(names(&document), expected);
    assert_eq!(document["totalCount"], 700);
}
