//! Credentials in the texts of objects: no answer of the API has one, whatever is asked and in which form.

use crate::{
    console::{TestConsole, VIEWER},
    openapi::addresses,
};
use http::Method;
use opsdeck::rest;
use serde_json::{Value, json};

/// Never to be seen.
const PLANTED: &str = "S3CR3T";

fn object(kind: &str, name: &str, spec: Value, status: Value) -> Value {
    json!({
        "apiVersion": "platform.chatcli.io/v1alpha1", "kind": kind,
        "metadata": {
            "name": name, "namespace": "default", "creationTimestamp": "2026-09-23T12:00:00Z",
            "labels": {"team": "shop", "api-token": PLANTED},
            "annotations": {"team": "shop", "deploy-token": PLANTED, "note": format!("login --password {PLANTED}")},
        },
        "spec": spec, "status": status,
    })
}

fn objects() -> Vec<Value> {
    let at = "2026-09-23T12:00:00Z";
    let header = format!("curl -H 'Authorization: Bearer {PLANTED}' failed");
    let dsn = format!("dial postgres://app:{PLANTED}@db/shop refused");
    let resource = json!({"kind": "Deployment", "name": "web", "namespace": "default"});
    let action = json!({"type": "ExecDiagnostic", "params": {"pod": "web-0", "command": format!("psql password={PLANTED}"), "apiKey": PLANTED}});
    let step = json!({"name": "look", "action": "ExecDiagnostic", "description": header, "params": action["params"]});
    let full_spec =
        json!({"containers": [{"env": [{"name": "DB_PASSWORD", "value": PLANTED}], "args": ["--token", PLANTED]}]});
    let snapshot = json!({
        "resourceKind": "Deployment", "resourceName": "web", "namespace": "default", "capturedAt": at,
        "annotations": {"vault-token": PLANTED}, "fullSpec": full_spec.to_string(),
    });
    vec![
        object(
            "Issue",
            "issue",
            json!({"severity": "high", "source": "watcher", "resource": resource, "description": header}),
            json!({"state": "Resolved", "resolution": dsn, "remediationAttempts": 1}),
        ),
        object(
            "RemediationPlan",
            "plan",
            json!({
                "issueRef": {"name": "issue"}, "attempt": 1, "strategy": "retry", "actions": [action], "agenticMode": true,
                "agenticHistory": [{"stepNumber": 1, "aiMessage": header, "action": action, "observation": dsn, "timestamp": at}],
            }),
            json!({
                "state": "Failed", "result": header, "evidence": [{"type": "log", "data": dsn, "timestamp": at}],
                "preflightSnapshot": snapshot, "rollbackResult": dsn,
                "actionCheckpoints": [{"actionIndex": 0, "actionType": "ExecDiagnostic", "success": true, "snapshotBefore": snapshot, "timestamp": at}],
            }),
        ),
        object(
            "ApprovalRequest",
            "request",
            json!({
                "issueRef": {"name": "issue"}, "remediationPlanRef": "plan", "policyRef": "p", "ruleName": "r", "requester": "operator",
                "requestedActions": [action], "timeoutMinutes": 30, "requiredApprovers": 1,
                "evidence": {"aiConfidence": 0.5, "aiAnalysis": header, "historicalSuccessRate": 0.5, "previousAttempts": 1},
                "blastRadius": {"affectedPods": 1, "affectedServices": 1, "riskLevel": "low", "description": dsn},
            }),
            json!({"state": "Rejected", "autoApproved": false, "decisions": [{"approver": "mira", "decision": "rejected", "reason": header, "timestamp": at}]}),
        ),
        object(
            "PostMortem",
            "review",
            json!({"issueRef": {"name": "issue"}, "resource": resource, "severity": "high"}),
            json!({
                "state": "Open", "summary": header, "rootCause": dsn, "lessonsLearned": [header], "timeline": [{"timestamp": at, "type": "detected", "detail": dsn}],
                "actionsExecuted": [{"action": "ExecDiagnostic", "params": action["params"], "result": "failed", "detail": header, "timestamp": at}],
            }),
        ),
        object(
            "Runbook",
            "runbook",
            json!({"description": header, "trigger": {"signalType": "latency", "severity": "high", "resourceKind": "Deployment"}, "steps": [step], "maxAttempts": 3}),
            Value::Null,
        ),
        object(
            "Issue",
            "shapes",
            json!({"severity": "high", "source": "watcher", "resource": resource, "description": format!("env:\n- name: DB_PASSWORD\n  value: {PLANTED}\n")}),
            json!({
                "state": "Resolved", "remediationAttempts": 1,
                "resolution": format!("-----BEGIN RSA PRIVATE KEY-----\n{PLANTED}\n-----END RSA PRIVATE KEY-----\n"),
            }),
        ),
        object(
            "PostMortem",
            "shapes",
            json!({"issueRef": {"name": "shapes"}, "resource": resource, "severity": "high"}),
            json!({
                "state": "Open", "summary": format!("it answered eyJhbGci.{PLANTED}.c"), "rootCause": format!("curl -u admin:{PLANTED} failed"),
                "lessonsLearned": [format!("Cookie: theme=dark; session={PLANTED}"), format!("Set-Cookie: session={PLANTED}")],
                "preventionActions": [
                    format!("Digest username=\"app\", response=\"{PLANTED}\""), format!("Authorization: Custom {PLANTED}"), format!("authorization={PLANTED} user=app"),
                    format!("request {{\"password\":\"{PLANTED}\"}} failed"), format!("curl \\\n  -sSu admin:{PLANTED} \\\n  https://api\n"),
                    format!("step: web\ntoken: no,{PLANTED}\n"),
                ],
            }),
        ),
        object(
            "AIInsight",
            "insight",
            json!({"issueRef": {"name": "issue"}, "provider": "OPENAI", "model": "m"}),
            json!({"analysis": header, "confidence": 0.5, "recommendations": [dsn], "suggestedActions": [step], "logAnalysis": format!("a\n  token: {PLANTED}\nb")}),
        ),
        object(
            "NotificationPolicy",
            "channels",
            json!({
                "enabled": true, "rules": [{"name": "all", "channels": [format!("https://h.example/{PLANTED}")]}],
                "channels": [{"name": "sre", "type": "slack", "config": {"webhook_url": format!("https://h.example/{PLANTED}")}, "url": format!("https://h.example/{PLANTED}"), "token": PLANTED}],
            }),
            json!({"totalSent": 0, "failedCount": 1, "lastError": format!("h.example/{PLANTED}: EOF"), "recentDeliveries": [{"channel": format!("https://h.example/{PLANTED}"), "sentAt": at, "success": true}, {"channel": "sre", "target": format!("https://h.example/{PLANTED}"), "sentAt": at, "success": false, "error": format!("Post \"https://h.example/{PLANTED}\": EOF")}]}),
        ),
        object(
            "AuditEvent",
            "event",
            json!({
                "eventType": "config_changed", "severity": "info", "timestamp": at, "actor": {"type": "user", "name": "mira"},
                "resource": {"kind": "Issue", "name": "issue", "namespace": "default"},
                "details": {"after": json!({"steps": [step]}).to_string(), "error": dsn, "password": PLANTED, "command": header},
            }),
            Value::Null,
        ),
    ]
}

#[tokio::test]
async fn no_answer_has_a_credential_that_a_text_quotes() {
    let console = TestConsole::over(objects()).await;
    let mut masked = 0;
    for route in rest::routes().iter().filter(|route| route.method == Method::GET) {
        // The stream has no end; its rows are those of the lists.
        if route.path == "/events" {
            continue;
        }
        for target in addresses(&console, route.path).await {
            for accept in ["application/json", "text/csv"] {
                let answered = console.get(&target).key(VIEWER).header("accept", accept).answer().await;
                assert!(!answered.text.contains(PLANTED), "{accept} {target}: {}", answered.text);
                masked += usize::from(answered.text.contains("***"));
            }
        }
    }
    assert!(masked >= 20, "only {masked} answers had anything to hide");
}

#[tokio::test]
async fn what_is_hidden_is_not_found_by_searching_for_it() {
    let console = TestConsole::over(objects()).await;
    for (target, found) in [
        ("/api/v1/search?q=authorization", true),
        ("/api/v1/search?q=s3cr3t", false),
        ("/api/v1/incidents?q=authorization", true),
        ("/api/v1/incidents?q=s3cr3t", false),
    ] {
        assert_eq!(console.total(target).await > 0, found, "{target}");
    }
}

#[tokio::test]
async fn what_is_hidden_is_not_told_by_the_order_of_a_list() {
    let told = |name: &str, token: &str| {
        let spec = json!({
            "severity": "high", "source": "watcher", "description": format!("login --token {token}"),
            "resource": {"kind": "Deployment", "name": "web", "namespace": "default"},
        });
        object("Issue", name, spec, Value::Null)
    };
    let console = TestConsole::over(vec![told("a", "zzz"), told("b", "aaa")]).await;
    for sort in ["description", "-description"] {
        let list = console
            .get(&format!("/api/v1/incidents?sort={sort}"))
            .key(VIEWER)
            .await_ok()
            .await
            .json();
        let names: Vec<_> = list["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| &item["name"])
            .collect();
        assert_eq!(names, ["a", "b"], "{sort}: to whoever reads them they are the same");
    }
}
