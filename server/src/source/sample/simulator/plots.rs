//! What the simulator plays: incidents that begin while somebody watches.

use super::plot::{Pass, Plot, Step, engine};
use crate::source::sample::{gate::Gate, signal::Signal};
use serde_json::json;

/// The rule of the shop that decides by itself.
const fn by_rule(pods: i32, services: i32, reach: &'static str) -> Pass {
    let gate = Gate {
        policy: "shop-changes",
        rule: "resources-auto",
        mode: "auto",
        required: 1,
        minutes: 30,
        pods,
        services,
        reach,
        history: (0.89, 19),
    };
    Pass::Gate(gate, &[])
}

pub(super) static PLOTS: [Plot; 8] = [
    CATALOG,
    GIFTS,
    RETURNS,
    PREVIEWS,
    INVOICES,
    STATUS_PAGE,
    NODE,
    PAYOUT_API,
];

const CATALOG: Plot = Plot {
    kind: "Deployment",
    namespace: "shop",
    workload: "catalog-api",
    signals: &[
        Signal(
            "OOMKilled",
            "container api was killed at its limit of 1Gi",
            "2 kills in 4 minutes",
        ),
        Signal("PodNotReady", "pods do not become ready", "1 of 5 pods"),
    ],
    confidence: 0.92,
    analysis: "Container `api` is killed at 1Gi while it answers exports of the whole catalogue: two partners began to \
               fetch it in parallel a quarter of an hour ago, and each export is built in memory. Between exports the \
               pods use 600Mi.\n\n\
               A limit of 1536Mi holds two exports a pod. The lasting cure is to stream them.",
    advice: &[
        "Stream exports instead of building them in memory.",
        "Allow one export a partner at a time.",
    ],
    logs: "2 × exit code 137, each within a minute of `export: 184 201 products`.",
    metrics: "Working set 1 011Mi at the kill, 600Mi between exports. Ready pods 4 of 5.",
    reach: "5 pods roll one by one behind 2 services (catalog, catalog-export).",
    runbook: Some(("oom-raise-memory", 3)),
    actions: &[Step(
        "AdjustResources",
        &[
            ("container", "api"),
            ("memory_limit", "1536Mi"),
            ("memory_request", "1Gi"),
        ],
        "Raise the memory limit",
        "container api: memory limit 1Gi → 1536Mi, request 768Mi → 1Gi",
    )],
    pass: by_rule(
        5,
        2,
        "AdjustResources on Deployment shop/catalog-api restarts 5 pods one by one behind 2 services (catalog, \
         catalog-export)",
    ),
    before: || {
        json!({
            "replicas": 5,
            "containerImages": {"api": "registry.shop.example/catalog-api:9.2.0"},
            "containerResources": {"api": {"cpuRequest": "500m", "cpuLimit": "2", "memoryRequest": "768Mi",
                    "memoryLimit": "1Gi"}},
        })
    },
    observed: "5 of 5 pods ready, working set at most 1 180Mi during an export",
    resolution: "Memory limit of container api raised to 1536Mi; exports no longer end the pods that build them",
    cause: "Exports of the whole catalogue are built in memory, and two partners began to fetch them in parallel.",
    impact: "2 container restarts; two exports had to be started again. Shoppers saw nothing.",
    lesson: "A batch job inside a serving pod sets the memory limit for all of them.",
    prevention: "Stream the export.",
    after: None,
};

const GIFTS: Plot = Plot {
    kind: "Deployment",
    namespace: "shop",
    workload: "gift-cards",
    signals: &[
        Signal("HPAMaxedOut", "the autoscaler stands at its ceiling", "8 of 8 replicas"),
        Signal("HighLatency", "requests are slow", "p95 1.3s"),
        Signal("CPUHigh", "every replica is busy", "CPU 97 % of target"),
    ],
    confidence: 0.90,
    analysis: "Balance checks have tripled within five minutes; the referrers are the cards' own QR codes, so these \
               are people with new cards. All eight replicas are healthy and evenly loaded, and the autoscaler wants \
               eleven.\n\n\
               A ceiling of 14 covers that. The database behind it answers in 3 ms and is not the limit.",
    advice: &[
        "Cache balance checks for ten seconds.",
        "Raise the ceiling before the season begins.",
    ],
    logs: "No errors. `slow request` 60 times a minute, spread over all replicas.",
    metrics: "Requests 910 a second (300 before). CPU 97 % of target. p95 1.3 s.",
    reach: "8 pods behind 1 service (gift-cards); pods are added, none is restarted.",
    runbook: Some(("hpa-raise-ceiling", 3)),
    actions: &[Step(
        "AdjustHPA",
        &[("maxReplicas", "14")],
        "Raise the ceiling",
        "HPA gift-cards: maxReplicas 8 → 14, 11 replicas wanted",
    )],
    pass: by_rule(
        8,
        1,
        "AdjustHPA on Deployment shop/gift-cards: 8 pods behind 1 service (gift-cards); pods are added, none is \
         restarted",
    ),
    before: || json!({"replicas": 8, "hpaMinReplicas": 3, "hpaMaxReplicas": 8}),
    observed: "11 of 11 wanted pods ready, CPU 71 % of target, p95 220 ms",
    resolution: "Autoscaler ceiling raised to 14; 11 pods share the load and p95 is back to 220 ms",
    cause: "A wave of new gift cards whose QR codes ask for the balance.",
    impact: "Balance checks took up to 1.3 s for a few minutes. None failed.",
    lesson: "The ceiling dates from a quieter year.",
    prevention: "Cache balance checks.",
    after: None,
};

const RETURNS: Plot = Plot {
    kind: "Deployment",
    namespace: "shop",
    workload: "returns-web",
    signals: &[
        Signal(
            "DeploymentFailing",
            "revision 22 makes no progress",
            "1 of 4 pods updated",
        ),
        Signal("HighErrorRate", "new pods answer HTTP 502", "100 % of their requests"),
        Signal(
            "PodNotReady",
            "pods of the new revision do not become ready",
            "1 of 4 pods",
        ),
    ],
    confidence: 0.93,
    analysis: "Revision 22 listens on port 8081; the service and the readiness probe still use 8080. The pod runs and \
               is never asked. Three pods of revision 21 serve everything.\n\n\
               Roll back, and release again once the chart has the new port.",
    advice: &[
        "Change port and chart in one commit.",
        "Let the pipeline start the image with the chart's own probe.",
    ],
    logs: "returns-web-new: `listening on :8081`. kubelet: `Readiness probe failed: connect: connection refused` 14 \
           times.",
    metrics: "Ready pods 3 of 4. Error rate 0.3 %, all from the minute in which the new pod was in rotation.",
    reach: "4 pods behind 1 service (returns); 1 pod is replaced, 3 keep serving.",
    runbook: Some(("auto-deploy-failing-high-deployment-3fa91c", 3)),
    actions: &[Step(
        "RollbackDeployment",
        &[("toRevision", "healthy")],
        "Roll back the release",
        "rolled back to revision 21, image returns-web:2.8.4",
    )],
    pass: Pass::Gate(
        Gate {
            policy: "shop-changes",
            rule: "rollback-quorum",
            mode: "quorum",
            required: 2,
            minutes: 30,
            pods: 4,
            services: 1,
            reach: "RollbackDeployment on Deployment shop/returns-web: 4 pods behind 1 service (returns); 1 pod is \
                    replaced",
            history: (0.91, 11),
        },
        &[
            ("tomasz", "wrong port, seen in the diff; roll back"),
            ("mira", "agreed, three pods are enough until then"),
        ],
    ),
    before: || {
        json!({
            "replicas": 4,
            "containerImages": {"web": "registry.shop.example/returns-web:2.9.0"},
            "containerResources": {"web": {"cpuRequest": "200m", "cpuLimit": "1", "memoryRequest": "256Mi",
                    "memoryLimit": "512Mi"}},
        })
    },
    observed: "4 of 4 pods ready on returns-web:2.8.4, no errors for a minute",
    resolution: "returns-web rolled back to 2.8.4; all 4 pods are ready",
    cause: "The release moved the port and the chart did not follow.",
    impact: "0.3 % of requests failed during one minute.",
    lesson: "A probe that is only tried in production finds nothing before it.",
    prevention: "Start the image with the chart's probe in the pipeline.",
    after: None,
};

const PREVIEWS: Plot = Plot {
    kind: "Deployment",
    namespace: "media",
    workload: "video-previews",
    signals: &[
        Signal("ImagePullBackOff", "tag 3.3.0 not found in the registry", "1 of 2 pods"),
        Signal(
            "DeploymentFailing",
            "the roll-out makes no progress",
            "1 of 2 pods updated",
        ),
    ],
    confidence: 0.95,
    analysis: "The deployment asks for `video-previews:3.3.0`; the registry has `3.3.0-amd64` and `3.3.0-arm64` but no \
               index that joins them, because the last step of the build failed. The earlier image 3.2.7 is on both \
               nodes.\n\n\
               Roll back; publish the index and deploy again.",
    advice: &["Let the build fail as a whole when its last step fails."],
    logs: "kubelet: `manifest for registry.media.example/video-previews:3.3.0 not found`.",
    metrics: "Ready pods 1 of 2. Preview queue 17.",
    reach: "2 pods behind 1 service (previews).",
    runbook: Some(("image-pull-rollback", 3)),
    actions: &[Step(
        "RollbackDeployment",
        &[("toRevision", "healthy")],
        "Roll back",
        "rolled back to revision 14, image video-previews:3.2.7",
    )],
    pass: engine(
        "auto-notify",
        1.0,
        "medium",
        "0.95 from the analysis, +0.10 history (9 of 10), clamped to 1.00: runs, and people are told",
    ),
    before: || json!({"replicas": 2, "containerImages": {"previews": "registry.media.example/video-previews:3.3.0"}}),
    observed: "2 of 2 pods ready on video-previews:3.2.7, queue empty",
    resolution: "Rolled back to image 3.2.7; both pods are ready",
    cause: "The build published two images and not the index that joins them.",
    impact: "Previews were late by up to two minutes.",
    lesson: "Half a release looks like a whole one in the registry's list.",
    prevention: "Publish the index first, or nothing.",
    after: None,
};

const INVOICES: Plot = Plot {
    kind: "CronJob",
    namespace: "batch",
    workload: "invoice-export",
    signals: &[Signal("CronJobMissed", "the export did not start", "missed 1 run")],
    confidence: 0.93,
    analysis: "The run was due four minutes ago and did not start: the previous one was still going and the schedule \
               forbids two at once. It has finished since, later than usual because month-end invoices are longer.\n\n\
               Starting the job once makes up for it.",
    advice: &["Allow the job to queue instead of forbidding a second run."],
    logs: "cronjob controller: `Not starting job because prior execution is running and concurrency policy is Forbid`.",
    metrics: "Last run 61 minutes (usual 34).",
    reach: "One job, no running pods.",
    runbook: Some(("cron-retrigger", 3)),
    actions: &[Step(
        "TriggerCronJob",
        &[],
        "Start the job",
        "job invoice-export-manual started",
    )],
    pass: engine(
        "auto",
        0.98,
        "low",
        "0.93 from the analysis, +0.05 low severity: runs by itself",
    ),
    before: || json!({"schedule": "0 * * * *", "concurrencyPolicy": "Forbid", "suspend": false}),
    observed: "job invoice-export-manual is complete",
    resolution: "The missed run was made up for",
    cause: "The run before took longer than an hour.",
    impact: "Invoices arrived a few minutes late.",
    lesson: "Forbid means skip, not wait.",
    prevention: "Split the month-end run.",
    after: None,
};

const STATUS_PAGE: Plot = Plot {
    kind: "Deployment",
    namespace: "edge",
    workload: "status-page",
    signals: &[Signal(
        "HighRestartCount",
        "container page restarts now and then",
        "4 restarts in an hour",
    )],
    confidence: 0.94,
    analysis: "Container `page` ends with exit code 1 whenever its list of checks is reloaded while a check is \
               running; the reload came four times in the last hour because the list is being edited. The pod starts \
               again at once and serves from its cache meanwhile.\n\n\
               Replacing the pod that holds the old list is enough for now.",
    advice: &["Take a lock while the list is reloaded."],
    logs: "`panic: checks changed during iteration`, 4 times, each after `reload: checks.yaml`.",
    metrics: "4 restarts in an hour, 3 s each. No failed request.",
    reach: "1 pod of 2 behind 1 service (status).",
    runbook: None,
    actions: &[Step(
        "DeletePod",
        &[("pod", "status-page-7d9f4-kx2vb")],
        "One pod still has the old list. Replace it.",
        "pod status-page-7d9f4-kx2vb deleted, its replacement is Ready after 6s",
    )],
    pass: engine(
        "auto",
        0.99,
        "low",
        "0.94 from the analysis, +0.05 low severity: runs by itself",
    ),
    before: || json!({"replicas": 2, "containerImages": {"page": "registry.shop.example/status-page:1.6.1"}}),
    observed: "2 of 2 pods ready, both with the new list",
    resolution: "The pod with the old list was replaced; no restart since",
    cause: "The list of checks is changed while it is being walked through.",
    impact: "None: the page is served from a cache during a restart.",
    lesson: "An editor's afternoon found what the tests did not.",
    prevention: "Take a lock while the list is reloaded.",
    after: None,
};

const NODE: Plot = Plot {
    kind: "Node",
    namespace: "platform",
    workload: "worker-eu-11",
    signals: &[
        Signal("NodeNotReady", "the kubelet is silent", "no status for 70s"),
        Signal("NetworkUnavailable", "the network plugin's pod is not ready", "1 pod"),
        Signal("PodCapacityHigh", "pods pile up in Terminating", "98 of 110 pods"),
    ],
    confidence: 0.91,
    analysis: "worker-eu-11 stopped reporting while its disk was being written at 400 MB/s by a log shipper that had \
               lost its place and read everything again. The node is reachable and slow. Its neighbours are well.\n\n\
               Keep new pods away and move the others; the shipper's pod goes with them and starts with a clean \
               position elsewhere.",
    advice: &[
        "Limit the shipper's read rate.",
        "Keep its position on the node, not in the pod.",
    ],
    logs: "log-shipper: `position lost, reading from the start` on this node only.",
    metrics: "Disk 100 % busy, load 61, memory well.",
    reach: "98 pods on one node; 13 other nodes are ready.",
    runbook: Some(("node-evacuate", 2)),
    actions: &[
        Step(
            "CordonNode",
            &[("node", "worker-eu-11")],
            "Keep new pods away",
            "worker-eu-11 is unschedulable",
        ),
        Step(
            "DrainNode",
            &[("node", "worker-eu-11"), ("timeout", "5m")],
            "Move the pods",
            "97 pods evicted, 1 finished by itself",
        ),
    ],
    pass: engine(
        "auto-notify",
        0.91,
        "medium",
        "confidence 0.91 is enough for medium severity; people are told",
    ),
    before: || json!({"nodeUnschedulable": false}),
    observed: "Node ready again and empty, load 0.4",
    resolution: "worker-eu-11 was emptied and is ready again; it stays cordoned until somebody has looked at it",
    cause: "A log shipper lost its position and read 600 GB again.",
    impact: "98 pods moved within two minutes; services kept at least half of theirs.",
    lesson: "One greedy pod can silence a kubelet.",
    prevention: "Limit the shipper's read rate.",
    after: None,
};

const PAYOUT_API: Plot = Plot {
    kind: "Deployment",
    namespace: "payments",
    workload: "payout-api",
    signals: &[
        Signal(
            "OOMKilled",
            "container api was killed at its limit of 512Mi",
            "3 kills in 6 minutes",
        ),
        Signal("HighErrorRate", "requests fail with HTTP 503", "11 % of requests"),
    ],
    confidence: 0.89,
    analysis: "Since the payout worker was stopped, people ask again and again where their money is, and each request \
               loads all payouts that wait in order to count them: 2 900 entries, 40Mi a request. A dozen at once is \
               enough to reach 512Mi.\n\n\
               A limit of 1Gi ends the kills. Letting the database count would make it unnecessary.",
    advice: &[
        "Let the database count.",
        "Say on the page that payouts are late, so that people stop asking.",
    ],
    logs: "3 × exit code 137; `count: loaded 2 914 entries` on each request before.",
    metrics: "Requests 240 a second (90 before), 11 % answered 503. Working set 180Mi to 512Mi within seconds.",
    reach: "3 pods restart one by one behind 1 service (payouts).",
    runbook: Some(("oom-raise-memory", 3)),
    actions: &[Step(
        "AdjustResources",
        &[
            ("container", "api"),
            ("memory_limit", "1Gi"),
            ("memory_request", "512Mi"),
        ],
        "Raise the memory limit",
        "container api: memory limit 512Mi → 1Gi, request 256Mi → 512Mi",
    )],
    pass: Pass::Gate(
        Gate {
            policy: "payments-strict",
            rule: "all-quorum",
            mode: "quorum",
            required: 2,
            minutes: 20,
            pods: 3,
            services: 1,
            reach: "AdjustResources on Deployment payments/payout-api restarts 3 pods one by one behind 1 service \
                    (payouts)",
            history: (0.72, 11),
        },
        &[
            ("ines", "harmless, and it stops the 503s"),
            ("noor", "fine, watch the database"),
        ],
    ),
    before: || {
        json!({
            "replicas": 3,
            "containerImages": {"api": "registry.pay.example/payout-api:4.0.2"},
            "containerResources": {"api": {"cpuRequest": "500m", "cpuLimit": "1", "memoryRequest": "256Mi",
                    "memoryLimit": "512Mi"}},
        })
    },
    observed: "3 of 3 pods ready, no 503 for a minute, working set at most 640Mi",
    resolution: "Memory limit of container api raised to 1Gi; requests are answered again",
    cause: "Every request loads the waiting payouts in order to count them, and there are many while the worker is \
            stopped.",
    impact: "11 % of status requests failed for some minutes. No payout was affected.",
    lesson: "A stopped worker moves the load to whoever shows its queue.",
    prevention: "Let the database count.",
    after: None,
};
