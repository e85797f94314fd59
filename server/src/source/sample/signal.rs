//! What an incident is about, and the watcher's signals of it.

use super::{
    clock::{Clock, Moment},
    draft::Draft,
};
use serde_json::{Value, json};

/// The affected object.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) kind: &'static str,
    pub(super) namespace: String,
    pub(super) name: String,
}

/// An alert of the watcher: its type, what it says, what it measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signal<'a>(pub(super) &'static str, pub(super) &'a str, pub(super) &'a str);

// === impl Target ===

impl Target {
    pub(super) fn new(kind: &'static str, namespace: &str, name: &str) -> Self {
        Self {
            kind,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }

    pub(super) fn reference(&self) -> Value {
        json!({"kind": self.kind, "name": self.name, "namespace": self.namespace})
    }

    /// As the operator's own sentences name it.
    pub(super) fn path(&self) -> String {
        format!("{} {}/{}", self.kind, self.namespace, self.name)
    }
}

// === impl Signal ===

impl Signal<'_> {
    /// The raw signal as the watcher's bridge stores it, not yet looked at.
    pub(super) fn anomaly(&self, clock: Clock, at: Moment, target: &Target) -> Draft {
        let Self(alert, text, value) = self;
        let name = format!("watcher-{}-{}-{}", alert.to_lowercase(), target.name, clock.unix(at));
        Draft::new("Anomaly", &target.namespace, &name, clock.text(at))
            .label("source", "watcher")
            .label("deployment", &target.name)
            .label("instance", "chatcli")
            .label("instance-namespace", "chatcli")
            .spec(json!({
                "source": "watcher", "signalType": self.meaning().0, "resource": target.reference(),
                "value": value, "threshold": "normal", "description": text,
            }))
            .status(json!({"correlated": false}))
    }

    /// What the alert stands for, and how much it weighs.
    pub(super) fn meaning(&self) -> (&'static str, i32) {
        match self.0 {
            "OOMKilled" => ("oom_kill", 40),
            "HighErrorRate" => ("error_rate", 30),
            "HighRestartCount" => ("pod_restart", 25),
            "DeploymentFailing" => ("deploy_failing", 25),
            "HighLatency" => ("latency", 20),
            "PodNotReady" => ("pod_not_ready", 20),
            "CPUHigh" => ("cpu_high", 15),
            "MemoryHigh" => ("memory_high", 15),
            "CrashLoopBackOff" => ("crashloop_backoff", 10),
            "NodeNotReady" => ("node_not_ready", 10),
            "NetworkUnavailable" => ("network_unavailable", 10),
            "PodCapacityHigh" => ("pod_capacity_high", 10),
            "HPAMaxedOut" => ("hpa_maxed", 10),
            "ImagePullBackOff" => ("image_pull_error", 10),
            "CronJobMissed" => ("cronjob_missed", 10),
            _ => ("ingress_error", 10),
        }
    }
}
