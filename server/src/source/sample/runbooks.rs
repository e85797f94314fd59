//! The runbooks: eleven written by hand, three that came out of incidents.

use super::{
    clock::{Clock, Moment},
    draft::Draft,
    plan::step,
};
use serde_json::{Value, json};

pub(super) const ROLL_BACK: &str = "auto-deploy-failing-high-deployment-3fa91c";
pub(super) const STOP_WORKER: &str = "auto-memory-high-high-deployment-b07d2e";
const REPLACE_POD: &str = "agentic-pod-not-ready-medium-deployment";

/// Signal, severity and kind that a runbook answers.
type Trigger = (&'static str, &'static str, &'static str);

fn runbook(
    clock: Clock,
    at: (&str, Moment),
    name: &str,
    trigger: Trigger,
    attempts: i32,
    purpose: &str,
    steps: Vec<Value>,
) -> Draft {
    let (namespace, created) = at;
    let (signal, severity, kind) = trigger;
    Draft::new("Runbook", namespace, name, clock.text(created)).spec(json!({
        "description": purpose,
        "trigger": {"signalType": signal, "severity": severity, "resourceKind": kind},
        "steps": steps,
        "maxAttempts": attempts,
    }))
}

pub(super) fn written(clock: Clock) -> Vec<Draft> {
    let write = |namespace, days, name, trigger, attempts, purpose, steps| {
        runbook(
            clock,
            (namespace, Moment::days_ago(days, "9:30")),
            name,
            trigger,
            attempts,
            purpose,
            steps,
        )
    };
    vec![
        write(
            "shop",
            96,
            "oom-raise-memory",
            ("oom_kill", "critical", "Deployment"),
            3,
            "A container outgrew its memory limit and is not leaking: raise limit and request by half.",
            vec![step(
                "Raise the memory limit",
                "AdjustResources",
                [
                    ("container", "api"),
                    ("memory_limit", "768Mi"),
                    ("memory_request", "512Mi"),
                ],
                "One and a half times the old limit; the request follows what is used",
            )],
        ),
        write(
            "shop",
            96,
            "hpa-raise-ceiling",
            ("hpa_maxed", "medium", "Deployment"),
            3,
            "An autoscaler stands at its ceiling while every replica is busy and healthy: allow more.",
            vec![step(
                "Raise the ceiling",
                "AdjustHPA",
                [("maxReplicas", "26")],
                "About 40 % above the old ceiling, within what the nodes can hold",
            )],
        ),
        write(
            "edge",
            140,
            "tls-secret-rotate",
            ("certificate_expiring", "high", "Deployment"),
            3,
            "A certificate runs out and a renewed one is at hand: put it where the proxy reads it.",
            vec![
                step(
                    "Replace the Secret",
                    "RotateSecret",
                    [
                        ("secret", "edge-wildcard-tls"),
                        ("sourceSecret", "edge-wildcard-tls-renewed"),
                    ],
                    "Compare the host names of both certificates first",
                ),
                step(
                    "Restart the proxy",
                    "RestartDeployment",
                    [],
                    "It reads its certificates at start only",
                ),
            ],
        ),
        write(
            "payments",
            118,
            "pvc-grow",
            ("crashloop_backoff", "high", "StatefulSet"),
            3,
            "A database cannot write because its volume is full: grow the volume online, then start the pod again.",
            vec![
                step(
                    "Grow the volume",
                    "ResizePVC",
                    [("pvc", "data-ledger-db-0"), ("size", "80Gi")],
                    "Twice the old size; the storage class must allow it",
                ),
                step(
                    "Start the pod again",
                    "DeleteStatefulSetPod",
                    [("pod", "ledger-db-0")],
                    "It comes back on the same volume",
                ),
            ],
        ),
        write(
            "platform",
            160,
            "node-evacuate",
            ("node_not_ready", "medium", "Node"),
            2,
            "A node comes and goes: keep new pods away and move the others while it can be reached.",
            vec![
                step(
                    "Keep new pods away",
                    "CordonNode",
                    [("node", "worker-eu-07")],
                    "Marks the node unschedulable",
                ),
                step(
                    "Move the pods",
                    "DrainNode",
                    [("node", "worker-eu-07"), ("timeout", "5m")],
                    "By eviction: disruption budgets hold",
                ),
            ],
        ),
        write(
            "platform",
            75,
            "dns-rollback",
            ("error_rate", "critical", "DaemonSet"),
            3,
            "Lookups fail after a change of the node cache: go back by one revision.",
            vec![step(
                "Roll back the cache",
                "RollbackDaemonSet",
                [("toRevision", "previous")],
                "Node by node; the cluster resolver stands in meanwhile",
            )],
        ),
        write(
            "media",
            64,
            "image-pull-rollback",
            ("image_pull_error", "medium", "Deployment"),
            3,
            "An image cannot be pulled and an earlier one is still there: go back to it.",
            vec![step(
                "Roll back",
                "RollbackDeployment",
                [("toRevision", "healthy")],
                "The last revision whose pods all became ready",
            )],
        ),
        write(
            "media",
            64,
            "restart-flapping",
            ("pod_restart", "low", "Deployment"),
            1,
            "Pods restart now and then without a pattern: one clean restart, then leave it to people.",
            vec![step("Restart", "RestartDeployment", [], "Once, pod by pod")],
        ),
        write(
            "media",
            51,
            "queue-cpu-raise",
            ("latency", "medium", "StatefulSet"),
            3,
            "A queue worker is throttled while its queue grows: give it more CPU.",
            vec![step(
                "Raise the CPU limit",
                "AdjustStatefulSetResources",
                [("container", "transcode"), ("cpu_limit", "4")],
                "Twice the old limit",
            )],
        ),
        write(
            "batch",
            40,
            "cron-retrigger",
            ("cronjob_missed", "low", "CronJob"),
            3,
            "A scheduled run was missed and the job may run late: start it once.",
            vec![step(
                "Start the job",
                "TriggerCronJob",
                [],
                "One run, outside the schedule",
            )],
        ),
        write(
            "payments",
            118,
            "critical-deployment-page-only",
            ("error_rate", "critical", "Deployment"),
            1,
            "Payments are never repaired by machine when they are critical: look, and call people.",
            vec![step(
                "Look",
                "ExecDiagnostic",
                [("command", "df -h"), ("container", "worker")],
                "Collects what on-call will ask for",
            )],
        ),
    ]
}

/// What the incidents left behind, given the names of the three that did.
pub(super) fn generated(clock: Clock, rollout: &str, leak: &str, drill: &str) -> Vec<Draft> {
    vec![
        runbook(
            clock,
            ("shop", Moment::today("11:46").plus("0:58")),
            ROLL_BACK,
            ("deploy_failing", "high", "Deployment"),
            3,
            "Made from the analysis of storefront-web: a release that cannot become ready goes back to the last \
             healthy revision.",
            vec![step(
                "Roll back the release",
                "RollbackDeployment",
                [("toRevision", "healthy")],
                "The last revision \
                                                                                                   whose pods all \
                                                                                                   became ready",
            )],
        )
        .label("auto-generated", "true")
        .label("source-issue", rollout),
        runbook(
            clock,
            ("payments", Moment::today("6:00").plus("0:48")),
            STOP_WORKER,
            ("memory_high", "high", "Deployment"),
            3,
            "Made from the analysis of payout-worker and revised with each attempt: a worker that repeats its payouts \
             at every start is stopped.",
            vec![step(
                "Stop the worker",
                "ScaleDeployment",
                [("replicas", "0"), ("containment", "true")],
                "Containment: \
                                                                                                           a person \
                                                                                                           has to \
                                                                                                           bring it \
                                                                                                           back",
            )],
        )
        .label("auto-generated", "true")
        .label("source-issue", leak),
        runbook(
            clock,
            ("staging", Moment::today("7:00").plus("2:20")),
            REPLACE_POD,
            ("pod_not_ready", "medium", "Deployment"),
            3,
            "Learned from a drill: a pod that hangs in its start-up call is deleted once the others are ready.",
            vec![step(
                "Replace the stuck pod",
                "DeletePod",
                [],
                "The sickest pod is picked",
            )],
        )
        .label("auto-generated", "true")
        .label("source-issue", drill)
        .label("source", "agentic"),
    ]
}
