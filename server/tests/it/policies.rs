//! Policies: four kinds, word for word, without their secrets.

use crate::console::{TestConsole, VIEWER};
use http::Method;
use serde_json::{Value, json};

fn policy(kind: &str, namespace: &str, spec: Value, status: Value) -> Value {
    json!({
        "apiVersion": "platform.chatcli.io/v1alpha1", "kind": kind,
        "metadata": {"name": "guard", "namespace": namespace, "creationTimestamp": "2026-09-23T12:00:00Z", "annotations": {"note": "read me"}},
        "spec": spec, "status": status,
    })
}

async fn console() -> TestConsole {
    let sla = json!({"severity": "low", "responseTime": "4h", "resolutionTime": "72h", "businessHoursOnly": false, "ofANewerRelease": [0.5]});
    TestConsole::over(vec![
        policy("ApprovalPolicy", "shop", json!({"enabled": false, "rules": []}), Value::Null),
        policy("EscalationPolicy", "shop", json!({"enabled": true, "levels": []}), json!({"totalEscalations": 7})),
        policy("IncidentSLA", "shop", sla.clone(), json!({"complianceNote": "odd"})),
        policy("IncidentSLA", "edge", sla, Value::Null),
        policy(
            "NotificationPolicy",
            "shop",
            json!({"enabled": true, "rules": [], "channels": [{"name": "sre", "type": "slack", "config": {"webhook_url": "https://h.example/S3CR3T"}}]}),
            json!({"recentDeliveries": [{"channel": "sre", "success": false, "error": "Post \"https://h.example/S3CR3T\": EOF"}]}),
        ),
    ])
    .await
}

#[tokio::test]
async fn each_kind_has_its_list_and_its_objects() {
    let console = console().await;
    for (path, kind, total) in [
        ("approval", "ApprovalPolicy", 1),
        ("notification", "NotificationPolicy", 1),
        ("escalation", "EscalationPolicy", 1),
        ("sla", "IncidentSLA", 2),
    ] {
        let list = console
            .get(&format!("/api/v1/policies/{path}"))
            .key(VIEWER)
            .await_ok()
            .await
            .json();
        assert_eq!(
            (&list["kind"], &list["metadata"]["totalCount"]),
            (&json!(format!("{kind}List")), &json!(total))
        );
        let row = &list["items"][total - 1];
        let target = format!("/api/v1/policies/{path}/guard?namespace=shop");
        console.get(&target).key(VIEWER).assert_not_modified().await;
        let object = console.get(&target).key(VIEWER).await_ok().await.json();
        assert_eq!((&object["kind"], &row["kind"]), (&json!(kind), &json!(kind)));
        assert_eq!((&object["spec"], &object["status"]), (&row["spec"], &row["status"]));
        assert_eq!(object["resourceMeta"]["annotations"], json!({"note": "read me"}));
    }
}

#[tokio::test]
async fn spec_and_status_are_passed_on_word_for_word() {
    let console = console().await;
    let sla = console
        .get("/api/v1/policies/sla/guard?namespace=shop")
        .key(VIEWER)
        .await_ok()
        .await
        .json();
    assert_eq!(
        (&sla["spec"], &sla["status"]),
        (
            &json!({"severity": "low", "responseTime": "4h", "resolutionTime": "72h", "businessHoursOnly": false, "ofANewerRelease": [0.5]}),
            &json!({"complianceNote": "odd"})
        )
    );
    let approval = console
        .get("/api/v1/policies/approval/guard")
        .key(VIEWER)
        .await_ok()
        .await;
    assert!(
        approval
            .text
            .contains(r#""spec":{"enabled":false,"rules":[]},"status":null,"#),
        "{}",
        approval.text
    );
    let ambiguous = console.get("/api/v1/policies/sla/guard").key(VIEWER).answer().await;
    assert!(ambiguous.assert_error(409, "ambiguous").contains("edge, shop"));
}

#[tokio::test]
async fn no_answer_holds_the_secret_of_a_channel() {
    let console = console().await;
    for target in [
        "/api/v1/policies/notification",
        "/api/v1/policies/notification?format=csv",
        "/api/v1/policies/notification/guard",
        "/api/v1/search?q=guard",
        "/api/v1/search?q=sre",
    ] {
        let answered = console.get(target).key(VIEWER).await_ok().await;
        assert!(
            answered.text.contains("guard") && !answered.text.contains("S3CR3T"),
            "{}",
            answered.text
        );
    }
}

#[tokio::test]
async fn an_unknown_kind_is_told_from_an_unknown_policy() {
    let console = console().await;
    for (path, told) in [
        (
            "/api/v1/policies",
            "specify a policy kind: approval, notification, escalation, sla",
        ),
        (
            "/api/v1/policies/",
            "specify a policy kind: approval, notification, escalation, sla",
        ),
        ("/api/v1/policies/bogus", "unknown policy kind: bogus"),
        ("/api/v1/policies/bogus/guard", "unknown policy kind: bogus"),
        (
            "/api/v1/policies/sla/nope",
            "IncidentSLA not found: there is no nope in any namespace",
        ),
    ] {
        assert_eq!(
            console
                .get(path)
                .key(VIEWER)
                .answer()
                .await
                .assert_error(404, "not_found"),
            told
        );
        let refused = console.ask(Method::POST, path).key(VIEWER).answer().await;
        assert_eq!(
            refused.assert_error(405, "method_not_allowed"),
            "policies endpoints only support GET"
        );
    }
}
