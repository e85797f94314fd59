//! Holds the preview's objects to the data set that they are written after: totals, names, moments. That they hang
//! together is tested by the file below.

mod coherence;

use super::objects;
use serde_json::Value;
use std::collections::BTreeMap;

const REFERENCE: &str = "2026-09-23T12:00:00Z";

fn reference() -> Vec<Value> {
    objects(REFERENCE.parse().unwrap())
}

fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn of(objects: &[Value], kind: &str) -> Vec<Value> {
    objects
        .iter()
        .filter(|object| object["kind"] == kind)
        .cloned()
        .collect()
}

fn find<'a>(objects: &'a [Value], kind: &str, name: &str) -> &'a Value {
    objects
        .iter()
        .find(|object| object["kind"] == kind && object["metadata"]["name"] == name)
        .unwrap()
}

/// How often each value occurs.
fn count(objects: &[Value], pointer: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for object in objects {
        *counts.entry(text(object, pointer).to_owned()).or_default() += 1;
    }
    counts
}

fn expect<const N: usize>(counts: [(&str, usize); N]) -> BTreeMap<String, usize> {
    counts
        .into_iter()
        .map(|(name, count)| (name.to_owned(), count))
        .collect()
}

#[test]
fn totals() {
    let all = reference();
    let issues = of(&all, "Issue");
    assert_eq!(
        count(&issues, "/status/state"),
        expect([
            ("Resolved", 8),
            ("Remediating", 4),
            ("Escalated", 2),
            ("Detected", 1),
            ("Analyzing", 1),
            ("Contained", 1),
            ("Failed", 1),
        ])
    );
    assert_eq!(
        count(&issues, "/spec/severity"),
        expect([("critical", 3), ("high", 5), ("medium", 5), ("low", 5)])
    );
    let chaos = issues
        .iter()
        .filter(|issue| text(issue, "/metadata/labels/platform.chatcli.io~1source") == "chaos-experiment");
    assert_eq!(chaos.count(), 1);

    let insights = of(&all, "AIInsight");
    assert_eq!(insights.len(), 16);
    assert_eq!(
        insights
            .iter()
            .filter(|insight| text(insight, "/status/generatedAt").is_empty())
            .count(),
        1
    );
    assert_eq!(
        count(&of(&all, "RemediationPlan"), "/status/state"),
        expect([
            ("Completed", 7),
            ("Failed", 5),
            ("RolledBack", 2),
            ("WaitingApproval", 1),
            ("Executing", 1),
            ("Verifying", 1),
            ("Pending", 1),
        ])
    );
    let approvals = of(&all, "ApprovalRequest");
    assert_eq!(
        count(&approvals, "/status/state"),
        expect([("Approved", 8), ("Pending", 2), ("Expired", 2), ("Rejected", 1)])
    );
    assert_eq!(
        approvals
            .iter()
            .filter(|approval| approval["status"]["autoApproved"] == true)
            .count(),
        2
    );
    assert_eq!(
        count(&of(&all, "PostMortem"), "/status/state"),
        expect([("Open", 3), ("InReview", 2), ("Closed", 2)])
    );

    let runbooks = of(&all, "Runbook");
    assert_eq!(runbooks.len(), 14);
    let generated = |runbook: &&Value| text(runbook, "/metadata/labels/platform.chatcli.io~1auto-generated") == "true";
    assert_eq!(runbooks.iter().filter(generated).count(), 3);
    let objectives = of(&all, "ServiceLevelObjective");
    let standing = |objective: &Value| match &objective["status"] {
        Value::Null => "empty",
        status if status["targetMet"] == false || status["errorBudgetRemaining"] == 0.0 => "Breached",
        status if status["activeAlerts"].is_array() => "AtRisk",
        _ => "Healthy",
    };
    let mut standings = BTreeMap::<_, usize>::new();
    for objective in &objectives {
        *standings.entry(standing(objective).to_owned()).or_default() += 1;
    }
    assert_eq!(
        standings,
        expect([("Healthy", 4), ("AtRisk", 1), ("Breached", 1), ("empty", 1)])
    );

    let clusters = of(&all, "ClusterRegistration");
    let degraded = |cluster: &Value| {
        cluster["status"]["conditions"]
            .as_array()
            .unwrap()
            .iter()
            .any(|condition| condition["type"] == "Degraded" && condition["status"] == "True")
    };
    assert_eq!(clusters.len(), 5);
    assert_eq!(
        clusters
            .iter()
            .filter(|cluster| cluster["status"]["connected"] == false)
            .count(),
        1
    );
    assert_eq!(clusters.iter().filter(|cluster| degraded(cluster)).count(), 1);
    let instances = of(&all, "Instance");
    assert_eq!(
        (
            instances.len(),
            instances
                .iter()
                .filter(|instance| instance["status"]["ready"] == true)
                .count()
        ),
        (5, 2)
    );
    assert_eq!(
        count(&of(&all, "ChaosExperiment"), "/status/state"),
        expect([
            ("Completed", 2),
            ("Pending", 1),
            ("Running", 1),
            ("Aborted", 1),
            ("Failed", 1)
        ])
    );
    assert_eq!(of(&all, "SourceRepository").len(), 3);

    let spent: f64 = of(&all, "ConfigMap")
        .iter()
        .flat_map(|ledger| {
            ledger["data"]
                .as_object()
                .unwrap()
                .values()
                .cloned()
                .collect::<Vec<_>>()
        })
        .map(|entry| {
            serde_json::from_str::<Value>(entry.as_str().unwrap()).unwrap()["llmCosts"]["estimatedCostUSD"]
                .as_f64()
                .unwrap()
        })
        .sum();
    assert!((spent - 0.52).abs() < 1e-9);
}

#[test]
fn names_severities_and_numbers() {
    let all = reference();
    for (name, severity, risk, number) in [
        ("checkout-api-oom-kill-1790153400", "critical", 85, "INC-20260923-001"),
        (
            "storefront-web-deploy-failing-1790163960",
            "high",
            75,
            "INC-20260923-002",
        ),
        (
            "edge-proxy-certificate-expiring-1790067600",
            "high",
            60,
            "INC-20260922-001",
        ),
        ("ledger-db-crashloop-backoff-1790134200", "high", 60, "INC-20260923-001"),
        (
            "worker-eu-07-node-not-ready-1790161800",
            "medium",
            30,
            "INC-20260923-001",
        ),
        (
            "node-local-dns-error-rate-1789977600",
            "critical",
            70,
            "INC-20260921-001",
        ),
        ("search-api-hpa-maxed-1790164560", "medium", 45, "INC-20260923-003"),
        (
            "thumbnailer-image-pull-error-1790089200",
            "medium",
            35,
            "INC-20260922-001",
        ),
        ("payout-worker-memory-high-1790143200", "high", 60, "INC-20260923-002"),
        (
            "cart-service-pod-not-ready-1790146800",
            "medium",
            45,
            "INC-20260923-001",
        ),
        ("slo-storefront-availability-1h-6h-1790164620", "high", 50, ""),
        (
            "slo-payout-availability-budget-exhausted-1790145840",
            "critical",
            100,
            "",
        ),
        ("edge-proxy-ingress-error-1790164792", "low", 10, "INC-20260923-001"),
        ("transcoder-latency-1790164670", "medium", 35, "INC-20260923-001"),
        (
            "nightly-export-cronjob-missed-1790164440",
            "low",
            10,
            "INC-20260923-001",
        ),
        ("legacy-bridge-helm-release-failed-1789819200", "low", 20, ""),
        ("subtitle-sync-pod-restart-1789905600", "low", 25, "INC-20260920-001"),
        ("recommend-api-latency-1790056800", "low", 20, "INC-20260922-001"),
    ] {
        let issue = find(&all, "Issue", name);
        assert_eq!(text(issue, "/spec/severity"), severity, "{name}");
        assert_eq!(issue["spec"]["riskScore"], risk, "{name}");
        assert_eq!(
            text(issue, "/metadata/labels/platform.chatcli.io~1inc-id"),
            number,
            "{name}"
        );
    }
    for name in [
        "watcher-highlatency-recommend-api-1790164798",
        "watcher-oomkilled-checkout-api-1790153700",
        "watcher-cpuhigh-transcoder-1790121600",
        "watcher-oomkilled-checkout-api-1790153400",
    ] {
        find(&all, "Anomaly", name);
    }
    find(
        &all,
        "ApprovalRequest",
        "approval-payout-worker-memory-high-1790143200-plan-3",
    );
    find(&all, "PostMortem", "pm-cart-service-pod-not-ready-1790146800");
}

#[test]
fn moments_of_the_stories() {
    let all = reference();
    for (kind, name, pointer, moment) in [
        (
            "Issue",
            "checkout-api-oom-kill-1790153400",
            "/status/resolvedAt",
            "2026-09-23T08:52:28Z",
        ),
        (
            "Issue",
            "node-local-dns-error-rate-1789977600",
            "/status/resolvedAt",
            "2026-09-21T08:29:25Z",
        ),
        (
            "RemediationPlan",
            "edge-proxy-certificate-expiring-1790067600-plan-2",
            "/status/startedAt",
            "2026-09-22T11:38:00Z",
        ),
        (
            "ApprovalRequest",
            "approval-payout-worker-memory-high-1790143200-plan-2",
            "/status/expiredAt",
            "2026-09-23T06:32:45Z",
        ),
        (
            "ApprovalRequest",
            "approval-ledger-db-crashloop-backoff-1790134200-plan-1",
            "/status/approvedAt",
            "2026-09-23T04:00:35Z",
        ),
        (
            "PostMortem",
            "pm-checkout-api-oom-kill-1790153400",
            "/status/reviewedAt",
            "2026-09-23T10:30:00Z",
        ),
    ] {
        assert_eq!(text(find(&all, kind, name), pointer), moment, "{name}{pointer}");
    }
}
