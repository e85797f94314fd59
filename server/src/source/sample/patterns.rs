//! What made-up incidents are made of: teams, workloads, and fourteen ways to fail.

/// One way to fail, with a `{}` in its texts where the measured amount goes.
pub(super) struct Pattern {
    pub(super) signal: &'static str,
    pub(super) weight: i32,
    /// How common it is among the others.
    pub(super) share: u32,
    pub(super) kind: &'static str,
    pub(super) headline: &'static str,
    pub(super) value: &'static str,
    pub(super) amounts: (u64, u64),
    pub(super) analysis: &'static str,
    pub(super) advice: &'static str,
    pub(super) action: &'static str,
    pub(super) params: &'static [(&'static str, &'static str)],
    pub(super) outcome: &'static str,
}

/// Namespaces, none of which the scenarios use.
pub(super) const TEAMS: [&str; 40] = [
    "accounts",
    "ads",
    "analytics",
    "auth",
    "billing",
    "bookings",
    "campaigns",
    "catalog",
    "chat",
    "content",
    "crm",
    "data-lake",
    "delivery",
    "devices",
    "documents",
    "email",
    "events",
    "experiments",
    "feeds",
    "fleet",
    "fraud",
    "geo",
    "identity",
    "imports",
    "inventory",
    "invoicing",
    "loyalty",
    "maps",
    "messaging",
    "mobile",
    "orders",
    "partners",
    "pricing",
    "profiles",
    "reporting",
    "returns",
    "reviews",
    "routing",
    "subscriptions",
    "warehouse",
];

/// Workloads, each with its main container.
pub(super) const WORKLOADS: [(&str, &str); 24] = [
    ("api", "api"),
    ("gateway", "proxy"),
    ("web", "web"),
    ("worker", "worker"),
    ("scheduler", "scheduler"),
    ("ingest", "ingest"),
    ("indexer", "indexer"),
    ("exporter", "exporter"),
    ("consumer", "consumer"),
    ("publisher", "publisher"),
    ("cache", "redis"),
    ("store", "postgres"),
    ("search", "search"),
    ("aggregator", "app"),
    ("notifier", "app"),
    ("renderer", "renderer"),
    ("sync", "sync"),
    ("importer", "app"),
    ("mailer", "mailer"),
    ("resolver", "app"),
    ("uploader", "app"),
    ("validator", "app"),
    ("webhooks", "app"),
    ("admin", "web"),
];

#[rustfmt::skip]
pub(super) const PATTERNS: [Pattern; 14] = [
    Pattern {
        signal: "oom_kill", weight: 40, share: 10, kind: "Deployment",
        headline: "main container was killed at its memory limit", value: "{} kills in 10 minutes", amounts: (2, 9),
        analysis: "The container is killed {} times in ten minutes, always at the same size and soon after its start. The working set is flat \
                   after warm-up, so this is a limit that is too small and not a leak.",
        advice: "Alert at 85 % of the memory limit.",
        action: "AdjustResources", params: &[("memory_limit", "1Gi")], outcome: "memory limit raised; all pods are ready and steady",
    },
    Pattern {
        signal: "error_rate", weight: 30, share: 12, kind: "Deployment",
        headline: "requests fail", value: "{} % of requests", amounts: (3, 45),
        analysis: "{} % of the requests fail since the last roll-out, all of them in pods of the new revision. The old revision's pods answer \
                   normally. Rolling back is the quickest way to a healthy state.",
        advice: "Let the release stop by itself when the error rate of new pods differs from that of old ones.",
        action: "RollbackDeployment", params: &[("toRevision", "healthy")], outcome: "rolled back; the error rate is below 0.1 %",
    },
    Pattern {
        signal: "latency", weight: 20, share: 13, kind: "Deployment",
        headline: "requests are slow", value: "p95 {}00 ms", amounts: (9, 48),
        analysis: "p95 has reached {}00 ms in all pods alike. They are throttled in most periods while the nodes are idle: the CPU limit is what \
                   makes them slow.",
        advice: "Set requests from what was used over the last two weeks.",
        action: "AdjustResources", params: &[("cpu_limit", "2")], outcome: "CPU limit raised; p95 is back under its objective",
    },
    Pattern {
        signal: "pod_restart", weight: 25, share: 11, kind: "Deployment",
        headline: "main container restarts now and then", value: "{} restarts in an hour", amounts: (3, 14),
        analysis: "{} restarts in an hour, without a pattern in time or node. The last lines are the same each time: a connection of the pool was \
                   closed by the other side and taken for a fatal error.",
        advice: "Treat a closed connection as a reason to connect again.",
        action: "RestartDeployment", params: &[], outcome: "restarted pod by pod; no restart since",
    },
    Pattern {
        signal: "deploy_failing", weight: 25, share: 9, kind: "Deployment",
        headline: "the roll-out makes no progress", value: "{} pods updated", amounts: (1, 4),
        analysis: "The roll-out has stood at {} pods for ten minutes. New pods end at once because a setting that the release needs is missing in \
                   this environment. The old pods serve.",
        advice: "Check settings before the roll-out begins.",
        action: "RollbackDeployment", params: &[("toRevision", "healthy")], outcome: "rolled back to the last healthy revision",
    },
    Pattern {
        signal: "pod_not_ready", weight: 20, share: 10, kind: "Deployment",
        headline: "pods do not become ready", value: "{} pods", amounts: (1, 5),
        analysis: "{} pods are running and not ready: their start-up call waits for a service that answers slowly. The others serve.",
        advice: "Give the start-up call a deadline.",
        action: "DeletePod", params: &[], outcome: "the stuck pods were replaced; all are ready",
    },
    Pattern {
        signal: "cpu_high", weight: 15, share: 8, kind: "StatefulSet",
        headline: "every replica is busy", value: "CPU {} %", amounts: (91, 100),
        analysis: "All replicas are at {} % of their CPU limit since the import began. The work is real and evenly spread; more CPU shortens it.",
        advice: "Run the import in the night.",
        action: "AdjustStatefulSetResources", params: &[("cpu_limit", "4")], outcome: "CPU limit raised; the queue is empty",
    },
    Pattern {
        signal: "memory_high", weight: 15, share: 7, kind: "StatefulSet",
        headline: "memory grows without levelling off", value: "{} % of the limit", amounts: (88, 99),
        analysis: "Memory has reached {} % of the limit and grows by about one per cent a minute. A restart one by one gives time; the growth itself \
                   needs a look at the session table.",
        advice: "Expire sessions that nobody uses.",
        action: "RestartStatefulSet", params: &[], outcome: "restarted one by one; memory is at a third of the limit",
    },
    Pattern {
        signal: "hpa_maxed", weight: 10, share: 5, kind: "Deployment",
        headline: "the autoscaler stands at its ceiling", value: "{} of {} replicas", amounts: (6, 30),
        analysis: "All {} replicas are busy and healthy and the autoscaler wants more than it may have. The nodes have room.",
        advice: "Review ceilings with each season.",
        action: "AdjustHPA", params: &[("maxReplicas", "40")], outcome: "ceiling raised; the new pods took the load",
    },
    Pattern {
        signal: "image_pull_error", weight: 10, share: 5, kind: "Deployment",
        headline: "an image cannot be pulled", value: "{} pods", amounts: (1, 3),
        analysis: "{} pods cannot pull their image: the tag is gone from the registry. The image of the earlier revision is still on the nodes.",
        advice: "Do not deploy tags that the registry cleans up.",
        action: "RollbackDeployment", params: &[("toRevision", "healthy")], outcome: "rolled back to the image of the earlier revision",
    },
    Pattern {
        signal: "crashloop_backoff", weight: 10, share: 6, kind: "StatefulSet",
        headline: "a replica ends right after its start", value: "{} starts", amounts: (4, 20),
        analysis: "One replica has ended {} times right after its start. Its volume is full, the others' are not: its segment files were not removed \
                   after the last compaction.",
        advice: "Alert when a volume is 80 % full.",
        action: "ResizePVC", params: &[("pvc", "data-0"), ("size", "40Gi")], outcome: "volume grown; the replica has caught up",
    },
    Pattern {
        signal: "cronjob_missed", weight: 10, share: 3, kind: "CronJob",
        headline: "a scheduled run did not start", value: "missed {} runs", amounts: (1, 3),
        analysis: "{} runs were missed while the controller restarted. Nothing is wrong with the job; starting it once catches up.",
        advice: "Raise startingDeadlineSeconds.",
        action: "TriggerCronJob", params: &[], outcome: "the run was made up for",
    },
    Pattern {
        signal: "job_failed", weight: 10, share: 3, kind: "Job",
        headline: "a job failed", value: "{} failed pods", amounts: (1, 6),
        analysis: "The job gave up after {} pods, each ended by a time-out of the same upstream, which is well again.",
        advice: "Let the job try for longer than the upstream's usual outage.",
        action: "RetryJob", params: &[], outcome: "retried; the job is complete",
    },
    Pattern {
        signal: "node_not_ready", weight: 10, share: 3, kind: "Node",
        headline: "the kubelet is silent", value: "no status for {}0s", amounts: (5, 40),
        analysis: "The node has not reported for {}0 seconds. Its neighbours in the rack are well, so the machine itself is the likely cause.",
        advice: "Replace the node.",
        action: "CordonNode", params: &[], outcome: "cordoned; the pods run elsewhere",
    },
];
