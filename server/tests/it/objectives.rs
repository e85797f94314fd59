//! Objectives and their budgets: units, states, and what is there before anything was calculated.

use crate::console::{ODD, TestConsole, VIEWER};
use serde_json::{Value, json};

/// A promise of 99.9 % that is evaluated as `status` says.
fn objective(name: &str, status: Value) -> Value {
    json!({
        "apiVersion": "platform.chatcli.io/v1alpha1", "kind": "ServiceLevelObjective",
        "metadata": {"name": name, "namespace": "shop", "creationTimestamp": "2026-09-23T12:00:00Z"},
        "spec": {
            "serviceName": "checkout", "indicator": {"type": "availability"}, "target": {"percentage": 99.9, "window": "30d"},
        },
        "status": status,
    })
}

fn calculated(remaining: f64, met: bool, alerts: Value) -> Value {
    json!({
        "currentValue": 0.9998, "targetMet": met, "errorBudgetTotal": 0.001, "errorBudgetRemaining": remaining,
        "errorBudgetConsumedPercentage": 100.0 - remaining * 100.0, "burnRate1h": 2.5, "burnRate6h": 1.0, "burnRate24h": 0.5, "burnRate72h": 0.25,
        "lastCalculatedAt": "2026-09-23T12:00:00Z", "activeAlerts": alerts,
    })
}

async fn console() -> TestConsole {
    let alert =
        json!([{"window": "1h/6h", "burnRate": 14.4, "severity": "critical", "firedAt": "2026-09-23T11:00:00Z"}]);
    TestConsole::over(vec![
        objective("kept", calculated(0.8, true, json!([]))),
        objective("alerting", calculated(0.8, true, alert)),
        objective("missed", calculated(0.0, false, json!([]))),
        objective("new", json!({})),
    ])
    .await
}

#[tokio::test]
async fn an_objective_says_percent_and_fractions_as_upstream_does() {
    let console = console().await;
    let kept = console.get("/api/v1/slos/kept").key(VIEWER).await_ok().await.json();
    let item = json!({
        "name": "kept", "namespace": "shop", "service": "checkout", "sli": "availability", "target": 99.9, "window": "30d",
        "currentValue": 99.98, "errorBudgetTotal": 0.001, "errorBudgetUsed": 0.0002, "errorBudgetRemaining": 80,
        "burnRate1h": 2.5, "burnRate6h": 1, "burnRate24h": 0.5, "burnRate72h": 0.25, "activeAlerts": 0, "state": "Healthy",
        "creationTimestamp": "2026-09-23T12:00:00Z",
    });
    assert_eq!((&kept["spec"], &kept["status"]), (&item, &item));
    assert_eq!(
        (&kept["kind"], &kept["resourceMeta"]["name"]),
        (&json!("ServiceLevelObjective"), &json!("kept"))
    );
    let budget = console
        .get("/api/v1/slos/kept/budget?namespace=shop")
        .key(VIEWER)
        .await_ok()
        .await;
    assert_eq!(
        budget.text,
        "{\"apiVersion\":\"v1\",\"kind\":\"SLOBudget\",\"spec\":{\"name\":\"kept\",\"target\":99.9,\"currentValue\":99.98,\"errorBudgetTotal\":0.001,\
         \"errorBudgetUsed\":0.0002,\"errorBudgetRemaining\":80,\"burnRate\":2.5,\"window\":\"30d\",\"state\":\"Healthy\"}}\n"
    );
}

#[tokio::test]
async fn the_worst_come_first_where_need_is_asked_for() {
    let console = console().await;
    let list = console
        .get("/api/v1/slos?sort=need")
        .key(VIEWER)
        .await_ok()
        .await
        .json();
    let told: Vec<_> = (list["items"].as_array().unwrap().iter())
        .map(|item| {
            (
                item["name"].as_str().unwrap(),
                item["state"].as_str().unwrap(),
                item["errorBudgetRemaining"].clone(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("missed", "Breached", json!(0)),
            ("alerting", "AtRisk", json!(80)),
            ("new", "", json!(0)),
            ("kept", "Healthy", json!(80)),
        ]
    );
    assert_eq!(list["kind"], "ServiceLevelObjectiveList");
    assert_eq!(
        console
            .total("/api/v1/slos?state=Breached&from=2030-01-01T00:00:00Z")
            .await,
        4,
        "neither is a filter here"
    );
}

#[tokio::test]
async fn what_is_below_an_objective_needs_a_role_before_it_is_unknown() {
    let console = console().await;
    for path in ["/api/v1/slos/kept/x", "/api/v1/slos/kept/budget/x"] {
        console.get(path).key(ODD).answer().await.assert_error(403, "forbidden");
        let told = console
            .get(path)
            .key(VIEWER)
            .answer()
            .await
            .assert_error(404, "not_found");
        assert_eq!(told, "unknown SLO endpoint");
    }
    let told = console
        .get("/api/v1/slos/x/budget")
        .key(VIEWER)
        .answer()
        .await
        .assert_error(404, "not_found");
    assert!(told.starts_with("SLO not found: "), "{told}");
}
