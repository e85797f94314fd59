//! The seven service level objectives.

use super::{
    clock::{Clock, Moment, NOW},
    draft::{Draft, condition},
};
use serde_json::{Value, json};

struct Objective<'a> {
    name: &'a str,
    namespace: &'a str,
    workload: (&'a str, &'a str),
    description: &'a str,
    indicator: Value,
    target: f64,
    window: &'a str,
    alerts: Value,
    days: i64,
}

pub(super) fn all(clock: Clock) -> Vec<Draft> {
    let issues = || json!({"type": "availability", "metricSource": "issues"});
    vec![
        storefront(clock),
        Objective {
            name: "payout-availability",
            namespace: "payments",
            workload: ("Deployment", "payout-worker"),
            description: "Payouts leave the ledger within the hour",
            indicator: issues(),
            target: 99.9,
            window: "30d",
            alerts: json!({"pageOnBudgetExhausted": true}),
            days: 90,
        }
        .measured(clock, 0.99167, 0.0, 833.3, [1000.0, 1000.0, 250.0, 83.3]),
        Objective {
            name: "ledger-availability",
            namespace: "payments",
            workload: ("StatefulSet", "ledger-db"),
            description: "The ledger accepts writes",
            indicator: issues(),
            target: 99.9,
            window: "30d",
            alerts: Value::Null,
            days: 90,
        }
        .measured(clock, 0.99924, 24.2, 75.8, [0.0, 0.0, 22.7, 7.6]),
        Objective {
            name: "node-local-dns-availability",
            namespace: "platform",
            workload: ("DaemonSet", "node-local-dns"),
            description: "Names resolve on every node",
            indicator: issues(),
            target: 99.9,
            window: "30d",
            alerts: Value::Null,
            days: 75,
        }
        .measured(clock, 0.99932, 31.9, 68.1, [0.0, 0.0, 0.0, 6.8]),
        Objective {
            name: "checkout-errors",
            namespace: "shop",
            workload: ("Deployment", "checkout-api"),
            description: "Checkout answers without errors",
            indicator: json!({"type": "error_rate", "metricSource": "watcher"}),
            target: 99.0,
            window: "7d",
            alerts: Value::Null,
            days: 96,
        }
        .measured(clock, 0.99153, 15.3, 84.7, [0.0; 4]),
        search(clock),
        Objective {
            name: "thumbnail-throughput",
            namespace: "media",
            workload: ("Deployment", "thumbnailer"),
            description: "Thumbnails keep up with uploads; switched off until the new queue is measured",
            indicator: json!({"type": "throughput", "metricSource": "watcher"}),
            target: 98.0,
            window: "7d",
            alerts: Value::Null,
            days: 51,
        }
        .draft(clock, false),
    ]
}

/// At risk: an alert fires.
fn storefront(clock: Clock) -> Draft {
    let mut storefront = Objective {
        name: "storefront-availability",
        namespace: "shop",
        workload: ("Deployment", "storefront-web"),
        description: "The shop front can be reached",
        indicator: json!({"type": "availability", "metricSource": "issues"}),
        target: 99.5,
        window: "30d",
        alerts: json!({"burnRateWindows": [
            {"shortWindow": "1h", "longWindow": "6h", "burnRateThreshold": 6, "severity": "high"},
        ]}),
        days: 90,
    }
    .measured(clock, 0.99968, 93.5, 6.5, [46.7, 7.8, 1.9, 0.6]);
    storefront.report(json!({"activeAlerts": [{
        "window": "1h/6h", "burnRate": 7.8, "severity": "high", "firedAt": clock.text(Moment::today("11:57")),
    }]}));
    storefront
}

/// Asks for a source that is not evaluated.
fn search(clock: Clock) -> Draft {
    let mut search = Objective {
        name: "search-latency",
        namespace: "shop",
        workload: ("Deployment", "search-api"),
        description: "Searches answer within 800 ms",
        indicator: json!({
            "type": "latency", "metricSource": "prometheus", "latencyPercentile": "p95", "latencyThresholdMs": 800,
            "prometheusQuery": "histogram_quantile(0.95, sum by (le) (rate(search_request_seconds_bucket[5m])))",
        }),
        target: 99.0,
        window: "7d",
        alerts: Value::Null,
        days: 96,
    }
    .measured(clock, 0.9962, 62.0, 38.0, [0.4, 0.3, 0.5, 0.4]);
    search.condition(
        "MetricSourceSupported",
        "False",
        "PrometheusNotEvaluated",
        "The query is stored and not evaluated; the figures come from anomalies",
        &clock.text(Moment::days_ago(96, "9:00")),
    );
    search
}

// === impl Objective ===

impl Objective<'_> {
    fn draft(self, clock: Clock, enabled: bool) -> Draft {
        let (kind, workload) = self.workload;
        let mut indicator = self.indicator;
        indicator["resource"] = json!({"kind": kind, "name": workload, "namespace": self.namespace});
        Draft::new(
            "ServiceLevelObjective",
            self.namespace,
            self.name,
            clock.text(Moment::days_ago(self.days, "9:00")),
        )
        .spec(json!({
            "serviceName": workload, "description": self.description, "enabled": enabled, "indicator": indicator,
            "target": {"percentage": self.target, "window": self.window}, "alertPolicy": self.alerts,
        }))
    }

    /// `left` and `spent` in per cent of the budget; burn rates over 1h, 6h, 24h and 72h.
    fn measured(self, clock: Clock, current: f64, left: f64, spent: f64, burn: [f64; 4]) -> Draft {
        let total = 1.0 - self.target / 100.0;
        let met = current * 100.0 >= self.target;
        let (status, reason) = if met {
            ("True", "SLOMet")
        } else {
            ("False", "SLONotMet")
        };
        let message = format!("{:.3} % of {} % over {}", current * 100.0, self.target, self.window);
        let since = clock.text(if met {
            Moment::days_ago(self.days, "9:01")
        } else {
            Moment::today("6:44")
        });
        self.draft(clock, true).status(json!({
            "currentValue": current, "targetMet": met, "errorBudgetTotal": total, "errorBudgetRemaining": left / 100.0,
            "errorBudgetRemainingPercentage": left, "errorBudgetConsumedPercentage": spent, "burnRate1h": burn[0],
            "burnRate6h": burn[1],
            "burnRate24h": burn[2], "burnRate72h": burn[3], "lastCalculatedAt": clock.text(NOW.plus("-0:31")),
            "conditions": [condition("Ready", status, reason, &message, &since)],
        }))
    }
}
