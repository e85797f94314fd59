//! Figures as clients see them: envelopes, periods, namespaces, what is ignored and what is unknown. The formulas are tested in `rules`.

use crate::console::{ODD, TestConsole, VIEWER};
use http::Method;
use serde_json::{Value, json};

/// A name of a figure, the `kind` of its answer, and whether it is a list.
const FIGURES: [(&str, &str, bool); 9] = [
    ("summary", "AnalyticsSummary", false),
    ("mttd", "MTTDMetrics", true),
    ("mttr", "MTTRMetrics", true),
    ("trends", "IssueTrends", true),
    ("top-resources", "TopResources", true),
    ("remediation-stats", "RemediationStats", true),
    ("compliance", "ComplianceReport", false),
    ("capacity", "CapacityForecastList", true),
    ("cost", "CostSummary", false),
];

fn object(kind: &str, namespace: &str, name: &str, born: &str, rest: Value) -> Value {
    let api_version = match kind {
        "Deployment" => "apps/v1",
        "ConfigMap" => "v1",
        _ => "platform.chatcli.io/v1alpha1",
    };
    let mut object = rest;
    object["apiVersion"] = api_version.into();
    object["kind"] = kind.into();
    for (member, value) in [("namespace", namespace), ("name", name), ("creationTimestamp", born)] {
        object["metadata"][member] = value.into();
    }
    object
}

fn issue(namespace: &str, name: &str, born: &str, severity: &str, status: Value) -> Value {
    let spec = json!({
        "severity": severity, "source": "watcher", "description": name, "riskScore": 40,
        "resource": {"kind": "Deployment", "name": "checkout", "namespace": namespace},
    });
    object("Issue", namespace, name, born, json!({"spec": spec, "status": status}))
}

fn plan(namespace: &str, name: &str, issue: &str, state: &str) -> Value {
    let spec = json!({"issueRef": {"name": issue}, "attempt": 1, "strategy": "scale", "actions": [{"type": "ScaleDeployment"}]});
    let status = json!({"state": state, "startedAt": "2026-09-21T10:05:00Z", "completedAt": "2026-09-21T10:15:00Z"});
    let rest = json!({"spec": spec, "status": status});
    object("RemediationPlan", namespace, name, "2026-09-21T10:04:00Z", rest)
}

fn ledger(namespace: &str, dollars: f64) -> Value {
    let entry =
        json!({"issueName": "slow", "llmCosts": {"estimatedCostUSD": dollars}, "recordedAt": "2026-09-21T11:00:00Z"});
    let rest = json!({
        "metadata": {"labels": {"app.kubernetes.io/managed-by": "chatcli-operator"}},
        "data": {"slow": entry.to_string()},
    });
    object(
        "ConfigMap",
        namespace,
        "chatcli-cost-ledger",
        "2026-09-01T00:00:00Z",
        rest,
    )
}

/// Two namespaces, in which an incident of the same name was resolved and was not.
async fn two_tenants() -> TestConsole {
    TestConsole::over(objects()).await
}

fn objects() -> Vec<Value> {
    let resolved = json!({
        "state": "Resolved", "detectedAt": "2026-09-21T10:00:30Z", "resolvedAt": "2026-09-21T10:30:00Z", "resolution": "scaled",
        "remediationAttempts": 1,
    });
    let escalated = json!({"state": "Escalated", "detectedAt": "2026-09-22T10:01:30Z", "remediationAttempts": 2});
    let sla = json!({
        "spec": {"severity": "high", "responseTime": "15m", "resolutionTime": "4h"},
        "status": {"activeViolations": 0, "totalViolations": 1, "totalIssuesTracked": 4, "compliancePercentage": 75},
    });
    let request = json!({
        "spec": {
            "issueRef": {"name": "slow"}, "remediationPlanRef": "slow-plan-1", "policyRef": "careful", "ruleName": "all",
            "requestedActions": [{"type": "ScaleDeployment"}], "requester": "operator",
        },
        "status": {"state": "Approved", "approvedAt": "2026-09-21T10:10:00Z", "autoApproved": false},
    });
    let event = json!({"spec": {
        "eventType": "issue_resolved", "severity": "info", "timestamp": "2026-09-21T10:30:00Z",
        "actor": {"type": "system", "name": "operator"}, "resource": {"kind": "Issue", "name": "slow", "namespace": "shop"},
    }});
    let resources = json!({"requests": {"cpu": "850m", "memory": "512Mi"}, "limits": {"cpu": "1", "memory": "1Gi"}});
    let workload = json!({"spec": {
        "selector": {"matchLabels": {"app": "checkout"}},
        "template": {"metadata": {"labels": {"app": "checkout"}}, "spec": {"containers": [
            {"name": "api", "image": "reg.example/checkout:1", "resources": resources},
        ]}},
    }});
    vec![
        issue("shop", "slow", "2026-09-21T10:00:00Z", "high", resolved),
        issue("edge", "slow", "2026-09-22T10:00:00Z", "low", escalated),
        plan("shop", "slow-plan-1", "slow", "Completed"),
        plan("edge", "slow-plan-1", "slow", "RolledBack"),
        object("IncidentSLA", "shop", "sla-high", "2026-09-01T00:00:00Z", sla),
        object(
            "ApprovalRequest",
            "shop",
            "slow-approval",
            "2026-09-21T10:05:00Z",
            request,
        ),
        object("AuditEvent", "shop", "slow-resolved", "2026-09-21T10:30:00Z", event),
        object("Deployment", "shop", "checkout", "2026-09-01T00:00:00Z", workload),
        ledger("shop", 0.5),
        ledger("edge", 0.25),
    ]
}

/// Answers that do not depend on today.
const OF_OLD: &str = "from=1900-01-01T00:00:00Z&to=2100-01-01T00:00:00Z";

async fn figure(console: &TestConsole, figure: &str, query: &str) -> Value {
    console
        .get(&format!("/api/v1/analytics/{figure}?{query}"))
        .key(VIEWER)
        .await_ok()
        .await
        .json()
}

#[tokio::test]
async fn every_figure_has_its_envelope_and_is_not_sent_twice() {
    let console = TestConsole::over_the_sample().await;
    for (name, kind, is_list) in FIGURES {
        let answer = figure(&console, name, "").await;
        assert_eq!(answer["kind"], kind);
        if is_list {
            let count = answer["items"].as_array().expect("a list").len();
            assert!(count > 0, "{name} has something to say about the sample");
            assert_eq!(
                answer["metadata"],
                json!({"totalCount": count, "page": 1, "pageSize": count})
            );
        } else {
            assert!(answer["spec"].is_object());
        }
        console
            .get(&format!("/api/v1/analytics/{name}"))
            .key(VIEWER)
            .assert_not_modified()
            .await;
        console
            .get(&format!("/api/v1/analytics/{name}?{OF_OLD}"))
            .key(VIEWER)
            .assert_not_modified()
            .await;
    }
}

#[tokio::test]
async fn the_answers_letter_by_letter() {
    let console = two_tenants().await;
    for (name, ..) in FIGURES {
        let answered = console
            .get(&format!("/api/v1/analytics/{name}?{OF_OLD}"))
            .key(VIEWER)
            .await_ok()
            .await;
        assert!(answered.text.ends_with("}\n") && answered.text.matches('\n').count() == 1);
        insta::assert_snapshot!(format!("analytics_{name}"), answered.text.trim_end());
    }
}

#[tokio::test]
async fn of_nothing_every_list_and_map_is_empty_and_none_is_null() {
    let console = TestConsole::over(Vec::new()).await;
    for (name, _, is_list) in FIGURES {
        let answered = console
            .get(&format!("/api/v1/analytics/{name}"))
            .key(VIEWER)
            .await_ok()
            .await;
        assert!(!answered.text.contains("null"), "{}", answered.text);
        assert!(!is_list || answered.json()["items"] == json!([]));
    }
    let report = figure(&console, "compliance", "").await;
    assert_eq!(report["spec"]["AuditSummary"]["ByEventType"], json!({}));
    assert_eq!(report["spec"]["SLAMetrics"]["CompliancePercentage"], 100);
    assert!(report["spec"].get("IncidentSLAs").is_none());
}

#[tokio::test]
async fn a_namespace_narrows_every_figure_and_several_are_any_of_them() {
    let console = two_tenants().await;
    for (name, ..) in FIGURES {
        let of = async |query: &str| figure(&console, name, &format!("{OF_OLD}&{query}")).await;
        let (shop, whole) = (of("namespace=shop").await, of("").await);
        assert_eq!(of("namespace=shop&namespace=edge").await, whole, "{name}");
        assert_eq!(of("namespace=").await, whole, "{name}");
        assert_ne!(shop, of("namespace=edge").await, "{name}");
        let nowhere = of("namespace=nowhere").await;
        assert_ne!(nowhere, whole, "{name}");
        assert!(nowhere.get("items").is_none_or(|items| *items == json!([])), "{name}");
    }
}

#[tokio::test]
async fn namesakes_of_two_namespaces_are_two_incidents() {
    let console = two_tenants().await;
    let rows = figure(&console, "remediation-stats", OF_OLD).await["items"].clone();
    assert_eq!(
        rows,
        json!([{"action": "ScaleDeployment", "total": 2, "successful": 1, "failed": 1, "successRate": 0.5, "avgDuration": 600}])
    );
    let of_edge = figure(&console, "remediation-stats", &format!("{OF_OLD}&namespace=edge")).await;
    assert_eq!(of_edge["items"][0]["successful"], 0);
    let summary = figure(&console, "summary", OF_OLD).await;
    assert_eq!(
        (
            &summary["spec"]["remediatedIssues"],
            &summary["spec"]["resolvedByRemediation"]
        ),
        (&json!(2), &json!(1))
    );
}

#[tokio::test]
async fn what_a_figure_cannot_read_it_ignores_and_warns_of() {
    let console = TestConsole::over_the_sample().await;
    for (target, ignored) in [
        ("mttd?from=yesterday&to=2026-09-01", vec!["from", "to"]),
        ("trends?groupBy=month", vec!["groupBy"]),
        ("trends?groupBy=Week", vec!["groupBy"]),
        ("top-resources?limit=0", vec!["limit"]),
        ("top-resources?limit=-1&from=x", vec!["limit", "from"]),
        ("compliance?to=soon", vec!["to"]),
        ("capacity?from=1", vec!["from"]),
        ("cost?from=2026-09-01T00:00:00", vec!["from"]),
        ("trends?groupBy=week&from=2026-09-01T00:00:00Z", vec![]),
    ] {
        let answered = console
            .get(&format!("/api/v1/analytics/{target}"))
            .key(VIEWER)
            .await_ok()
            .await;
        let warnings: Vec<_> = answered
            .headers
            .get_all("warning")
            .into_iter()
            .map(|text| text.to_str().unwrap())
            .collect();
        assert_eq!(warnings.len(), ignored.len(), "{target}: {warnings:?}");
        for (warning, parameter) in warnings.iter().zip(ignored) {
            assert!(
                warning.starts_with(&format!("299 - \"{parameter} was ignored")),
                "{target}: {warning}"
            );
        }
        let plain = target.split('?').next().unwrap();
        if plain == "top-resources" {
            assert_eq!(answered.json(), figure(&console, plain, "").await);
        }
    }
}

#[tokio::test]
async fn the_list_of_top_resources_is_as_long_as_asked_for() {
    let console = TestConsole::over_the_sample().await;
    assert_eq!(console.total("/api/v1/analytics/top-resources").await, 10);
    assert_eq!(console.total("/api/v1/analytics/top-resources?limit=%2B3").await, 3);
    let whole = console
        .total("/api/v1/analytics/top-resources?limit=9223372036854775807")
        .await;
    assert!(whole > 10, "no maximum");
}

#[tokio::test]
async fn a_report_is_of_the_last_week_or_month_unless_it_is_told() {
    let console = two_tenants().await;
    let length = |spec: &Value, from: &str, to: &str| {
        let time = |pointer: &str| {
            spec.pointer(pointer)
                .unwrap()
                .as_str()
                .unwrap()
                .parse::<jiff::Timestamp>()
                .unwrap()
        };
        time(to).duration_since(time(from)).as_hours()
    };
    let report = figure(&console, "compliance", "").await;
    assert_eq!(length(&report["spec"], "/Period/Start", "/Period/End"), 7 * 24);
    let cost = figure(&console, "cost", "to=2026-09-30T12:00:00Z").await;
    assert_eq!(cost["spec"]["periodStart"], "2026-08-31T12:00:00Z");
    assert_eq!(cost["spec"]["incidentCount"], 2);
    let exact = figure(
        &console,
        "compliance",
        "from=2026-09-22T00:00:00.25%2B02:00&to=2026-09-23T00:00:00Z",
    )
    .await;
    assert_eq!(
        exact["spec"]["Period"],
        json!({"Start": "2026-09-21T22:00:00.25Z", "End": "2026-09-23T00:00:00Z"})
    );
    assert_eq!(exact["spec"]["IncidentMetrics"]["TotalIncidents"], 1);
    let backwards = figure(
        &console,
        "compliance",
        "from=2026-09-23T00:00:00Z&to=2026-09-20T00:00:00Z",
    )
    .await;
    assert_eq!(backwards["spec"]["IncidentMetrics"]["TotalIncidents"], 0);
}

#[tokio::test]
async fn what_follows_a_figure_means_nothing() {
    let console = two_tenants().await;
    for (name, ..) in FIGURES {
        let plain = figure(&console, name, OF_OLD).await;
        for more in ["/", "/more", "/more/and/more", "/summary"] {
            assert_eq!(
                figure(&console, &format!("{name}{more}"), OF_OLD).await,
                plain,
                "{name}{more}"
            );
        }
        let deeper = format!("/api/v1/analytics/{name}/more");
        console
            .get(&deeper)
            .key(ODD)
            .answer()
            .await
            .assert_error(403, "forbidden");
        console
            .ask(Method::POST, &deeper)
            .key(VIEWER)
            .answer()
            .await
            .assert_error(405, "method_not_allowed");
    }
}

#[tokio::test]
async fn an_unknown_figure_is_named_to_who_may_read() {
    let console = TestConsole::over_the_sample().await;
    for (target, message) in [
        ("/api/v1/analytics", "specify an analytics endpoint"),
        ("/api/v1/analytics/", "specify an analytics endpoint"),
        ("/api/v1/analytics/mttx", "unknown analytics endpoint: mttx"),
        ("/api/v1/analytics/MTTD", "unknown analytics endpoint: MTTD"),
        ("/api/v1/analytics/mttx/summary", "unknown analytics endpoint: mttx"),
    ] {
        let told = console
            .get(target)
            .key(VIEWER)
            .answer()
            .await
            .assert_error(404, "not_found");
        assert_eq!(told, message);
        console
            .get(target)
            .key(ODD)
            .answer()
            .await
            .assert_error(403, "forbidden");
        console.get(target).answer().await.assert_error(401, "unauthorized");
    }
}

#[tokio::test]
async fn chaos_is_left_out_of_the_mean_times_and_counts_everywhere_else() {
    let calm = two_tenants().await;
    let mut drilled = objects();
    for issue in drilled.iter_mut().filter(|object| object["kind"] == "Issue") {
        issue["metadata"]["labels"] = json!({"platform.chatcli.io/source": "chaos-experiment"});
    }
    let drilled = TestConsole::over(drilled).await;
    for (name, _, _) in FIGURES {
        let (mut calm, drilled) = (figure(&calm, name, OF_OLD).await, figure(&drilled, name, OF_OLD).await);
        match name {
            "mttd" | "mttr" => {
                assert_ne!(calm["items"], json!([]), "{name}");
                calm["items"] = json!([]);
                calm["metadata"] = json!({"page": 1, "pageSize": 0, "totalCount": 0});
            }
            "summary" => {
                assert_eq!(calm["spec"]["chaosInducedIssues"], 0);
                calm["spec"]["chaosInducedIssues"] = 2.into();
            }
            _ => {}
        }
        assert_eq!(drilled, calm, "{name}");
    }
}
