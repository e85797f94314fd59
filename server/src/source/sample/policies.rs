//! What governs the incidents: who must approve, how fast things must end, who is told.

use super::{
    audit::{self, Actor},
    clock::{Clock, Moment, NOW},
    draft::{Draft, condition},
};
use serde_json::{Value, json};

/// The names that the policies' reports refer to.
pub(super) struct Incidents<'a> {
    /// Scenario 3, over its time.
    pub(super) late: &'a str,
    /// Scenario 5, escalated and acknowledged.
    pub(super) node: &'a str,
    /// The spent budget, escalated to the top.
    pub(super) budget: &'a str,
}

/// Masked wherever it is shown.
const HOOK: &str = "https://hooks.slack.example/services/T000/B000/demo";

pub(super) fn all(clock: Clock, incidents: &Incidents<'_>) -> Vec<Draft> {
    let mut policies = approval(clock);
    policies.extend(sla(clock, incidents.late));
    policies.push(escalation(clock, incidents));
    policies.extend(notification(clock));
    policies
}

fn approval(clock: Clock) -> Vec<Draft> {
    let write =
        |namespace, days, name, enabled: bool, rules: Value, [approved, rejected, expired, automatic]: [i32; 4]| {
            Draft::new(
                "ApprovalPolicy",
                namespace,
                name,
                clock.text(Moment::days_ago(days, "10:00")),
            )
            .spec(json!({"enabled": enabled, "defaultMode": "manual", "rules": rules}))
            .status(json!({
                "totalApproved": approved, "totalRejected": rejected, "totalExpired": expired,
                "totalAutoApproved": automatic,
            }))
        };
    let window = json!({
        "timezone": "Europe/Berlin", "allowedDays": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"],
        "startHour": 6, "endHour": 18,
    });
    vec![
        write(
            "shop",
            96,
            "shop-changes",
            true,
            json!([
                {
                    "name": "rollback-quorum", "mode": "quorum", "requiredApprovers": 2, "timeoutMinutes": 30,
                    "match": {
                        "severities": ["critical", "high"],
                        "actionTypes": ["RollbackDeployment", "RollbackStatefulSet", "RollbackDaemonSet",
                            "HelmRollback"],
                    },
                },
                {
                    "name": "resources-auto", "mode": "auto", "requiredApprovers": 1, "timeoutMinutes": 30,
                    "match": {"actionTypes": ["AdjustResources", "RestartDeployment", "AdjustHPA"]},
                    "autoApproveConditions": {"minConfidence": 0.85, "maxSeverity": "critical",
                        "historicalSuccessRate": 0.75},
                },
                {"name": "rest-manual", "mode": "manual", "requiredApprovers": 1, "timeoutMinutes": 45, "match": {}},
            ]),
            [11, 2, 1, 23],
        ),
        write(
            "payments",
            118,
            "payments-strict",
            true,
            json!([
                {
                    "name": "storage-window", "mode": "manual", "requiredApprovers": 1, "timeoutMinutes": 60,
                    "changeWindow": window,
                    "match": {"actionTypes": ["ResizePVC", "RecreateStatefulSetPVC"]},
                },
                {"name": "all-quorum", "mode": "quorum", "requiredApprovers": 2, "timeoutMinutes": 20, "match": {}},
            ]),
            [9, 3, 4, 0],
        ),
        write(
            "edge",
            140,
            "edge-secrets",
            true,
            json!([{
                "name": "secrets-manual", "mode": "manual", "requiredApprovers": 1, "timeoutMinutes": 240,
                "match": {"actionTypes": ["RotateSecret"]},
            }]),
            [5, 1, 0, 0],
        ),
        write(
            "staging",
            80,
            "staging-open",
            false,
            json!([{"name": "everything", "mode": "auto", "requiredApprovers": 1, "timeoutMinutes": 30, "match": {}}]),
            [0, 0, 0, 0],
        ),
    ]
}

fn sla(clock: Clock, late: &str) -> Vec<Draft> {
    let since = Moment::days_ago(120, "8:00");
    let write = |severity: &str,
                 times: [&str; 2],
                 business: bool,
                 tracked: [i64; 2],
                 compliance: f64,
                 averages: [&str; 2],
                 last: Option<Moment>| {
        let hours = json!({
            "timezone": "Europe/Berlin", "startHour": 9, "endHour": 18,
            "workDays": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"],
        });
        let quiet = last.map_or(since, |last| last.plus("10:00"));
        Draft::new(
            "IncidentSLA",
            "chatcli-system",
            &format!("sla-{severity}"),
            clock.text(since),
        )
        .spec(json!({
            "severity": severity, "responseTime": times[0], "resolutionTime": times[1],
            "businessHoursOnly": business,
            "businessHours": business.then_some(hours),
        }))
        .status(json!({
            "activeViolations": 0, "totalIssuesTracked": tracked[0], "totalViolations": tracked[1],
            "compliancePercentage": compliance,
            "averageResponseTime": averages[0], "averageResolutionTime": averages[1],
            "lastViolationAt": last.map(|last| clock.text(last)),
            "conditions": [
                condition("Ready", "True", "Valid", "Both durations are valid", &clock.text(since)),
                condition("SLAViolation", "False", "NoActiveViolation", "No incident is over its time",
                    &clock.text(quiet)),
            ],
        }))
    };
    let breach = Moment::days_ago(1, "9:00").plus("2:40:00");
    let mut high = write(
        "high",
        ["15m", "2h"],
        false,
        [21, 2],
        90.5,
        ["48s", "41m12s"],
        Some(breach),
    );
    high.report(json!({"recentViolations": [{
        "issueName": late, "type": "resolution", "elapsed": "2h40m", "threshold": "2h",
        "violatedAt": clock.text(breach),
    }]}));
    vec![
        write(
            "critical",
            ["5m", "1h"],
            false,
            [9, 1],
            88.9,
            ["44s", "18m37s"],
            Some(Moment::days_ago(19, "21:14")),
        ),
        high,
        write(
            "medium",
            ["1h", "1d"],
            true,
            [34, 1],
            97.1,
            ["51s", "22m5s"],
            Some(Moment::days_ago(26, "15:02")),
        ),
        write("low", ["4h", "3d"], false, [18, 0], 100.0, ["1m3s", "55m40s"], None),
    ]
}

fn escalation(clock: Clock, incidents: &Incidents<'_>) -> Draft {
    let node = Moment::today("11:10").plus("22:05");
    let budget = Moment::today("6:44").plus("66:05");
    Draft::new(
        "EscalationPolicy",
        "chatcli-system",
        "oncall-ladder",
        clock.text(Moment::days_ago(120, "8:00")),
    )
    .spec(json!({
        "enabled": true,
        "defaultPolicy": true,
        "severities": ["critical", "high", "medium", "low"],
        "levels": [
            {
                "name": "On-call", "timeoutMinutes": 15, "targets": [{"type": "oncall", "name": "sre-primary"}],
                "notifyChannels": ["pager"],
                "repeatIntervalMinutes": 5,
            },
            {
                "name": "Team", "timeoutMinutes": 30,
                "targets": [{"type": "team", "name": "sre"}, {"type": "channel", "name": "#sre-incidents"}],
                "notifyChannels": ["pager", "slack-incidents"], "repeatIntervalMinutes": 10,
            },
            {
                "name": "Head of platform", "timeoutMinutes": 60,
                "targets": [{"type": "user", "name": "head-of-platform"}],
                "notifyChannels": ["pager"], "repeatIntervalMinutes": 30,
            },
        ],
    }))
    .status(json!({
        "activeEscalations": [
            {
                "issueName": incidents.node, "currentLevel": 0, "escalatedAt": clock.text(node),
                "acknowledgedAt": clock.text(Moment::today("11:10").plus("27:00")), "acknowledgedBy": "operator",
            },
            {"issueName": incidents.budget, "currentLevel": 2, "escalatedAt": clock.text(budget)},
        ],
        "totalEscalations": 14,
    }))
}

fn notification(clock: Clock) -> Vec<Draft> {
    let told = Moment::today("11:32").plus("0:07");
    let well = Moment::today("6:47");
    let main = Draft::new(
        "NotificationPolicy",
        "chatcli-system",
        "sre-main",
        clock.text(Moment::days_ago(120, "8:05")),
    )
    .spec(json!({
        "enabled": true,
        "channels": [
            {
                "name": "slack-incidents", "type": "slack",
                "config": {"webhook_url": HOOK, "channel": "#sre-incidents"},
            },
            {"name": "pager", "type": "pagerduty", "config": {"routing_key": "demo-routing-key"}},
        ],
        "rules": [
            {"name": "loud", "severities": ["critical", "high"], "channels": ["slack-incidents", "pager"]},
            {"name": "escalations", "states": ["Escalated", "Contained"], "channels": ["slack-incidents", "pager"]},
        ],
        "throttle": {"maxPerHour": 30, "deduplicationWindow": "5m", "groupingWindow": "1m"},
        "templates": {"issue_created": "{{severity}}: {{resource}} in {{namespace}}: {{description}}"},
    }))
    .status(json!({
        "lastNotifiedAt": clock.text(told), "totalSent": 64, "failedCount": 2,
        "recentDeliveries": [
            {"channel": "slack-incidents", "sentAt": clock.text(told), "success": true},
            {"channel": "pager", "sentAt": clock.text(told.plus("-0:01")), "success": true},
            {"channel": "pager", "sentAt": clock.text(Moment::today("7:50").plus("0:09")), "success": true},
            {"channel": "slack-incidents", "sentAt": clock.text(Moment::today("6:46")), "success": false,
             "error": format!("post {HOOK}: 429 too many requests")},
        ],
        "conditions": [condition("Ready", "True", "DeliverySucceeded", "The last delivery succeeded",
                &clock.text(well))],
    }));
    let (failed, first) = (NOW.plus("-2:15:20"), NOW.plus("-5:05:20"));
    let refused = "dial tcp 10.60.4.25:465: connection refused";
    let delivery = |at| json!({"channel": "finance", "sentAt": clock.text(at), "success": false, "error": refused});
    let unwell = "Channel finance: connection refused";
    let finance = Draft::new(
        "NotificationPolicy",
        "payments",
        "finance-mail",
        clock.text(Moment::days_ago(44, "11:20")),
    )
    .spec(json!({
        "enabled": true,
        "channels": [{
            "name": "finance", "type": "email", "secretRef": {"name": "finance-smtp"},
            "config": {
                "smtp_host": "mail.pay.example", "smtp_port": "465", "smtp_tls": "implicit", "smtp_timeout": "30s",
                "from": "incidents@pay.example", "to": "finance-ops@pay.example",
            },
        }],
        "rules": [
            {"name": "payments", "namespaces": ["payments"], "severities": ["critical", "high"],
                "channels": ["finance"]},
        ],
        "throttle": {"maxPerHour": 10, "deduplicationWindow": "30m"},
    }))
    .status(json!({
        "lastNotifiedAt": clock.text(failed), "totalSent": 3, "failedCount": 5,
        "recentDeliveries": [delivery(failed), delivery(first)],
        "conditions": [condition("Ready", "False", "DeliveryFailed", unwell, &clock.text(first))],
    }));
    let trail = audit::entry(
        clock,
        failed,
        &finance,
        "notification_sent",
        Actor::Notifications,
        json!({"channel": "finance", "success": false, "error": refused}),
        finance.name(),
    );
    vec![main, finance, trail]
}
