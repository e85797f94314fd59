//! The scenarios that are open when the preview starts, and how they go on.

use super::{
    plot::{Pass, Plot, Step, engine},
    story::{Stage, Story},
};
use crate::source::sample::{clock::Clock, objectives, runbooks, search_ceiling, small_stories, storefront_rollout};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// Told for the moment at which the preview's objects were made.
pub(super) fn open(started: Timestamp) -> Vec<Story> {
    let clock = Clock::new(started);
    let after = |seconds| started + SignedDuration::from_secs(seconds);
    let storefront = storefront_rollout::tell(clock);
    let cause = storefront.name().to_owned();
    let mut stories = vec![
        Story::resume(small_stories::ingress(clock), &INGRESS, Stage::Detected, after(4)),
        Story::resume(
            small_stories::transcoder(clock),
            &TRANSCODER,
            Stage::Executing(0),
            after(18),
        ),
        Story::resume(search_ceiling::tell(clock), &SEARCH, Stage::Verifying, after(40)),
        Story::resume(
            small_stories::nightly_export(clock),
            &NIGHTLY,
            Stage::Blocked,
            after(75),
        ),
        Story::resume(storefront, &STOREFRONT, Stage::Waiting(0), after(1)),
    ];
    let objectives = objectives::all(clock);
    if let Some(objective) = objectives
        .iter()
        .find(|objective| objective.name() == "storefront-availability")
    {
        let incident = small_stories::storefront_objective(clock, objective);
        let mut story = Story::resume(incident, &OBJECTIVE, Stage::Analysing, after(27));
        story.cause = Some(cause);
        stories.push(story);
    }
    stories
}

/// What the plots of open scenarios leave to the scenario: all that has happened already.
const TOLD: Plot = Plot {
    kind: "Deployment",
    namespace: "shop",
    workload: "",
    signals: &[],
    confidence: 0.0,
    analysis: "",
    advice: &[],
    logs: "",
    metrics: "",
    reach: "",
    runbook: None,
    actions: &[],
    pass: Pass::Follow,
    before: || json!({}),
    observed: "",
    resolution: "",
    cause: "",
    impact: "",
    lesson: "",
    prevention: "",
    after: None,
};

static STOREFRONT: Plot = Plot {
    workload: "storefront-web",
    confidence: 0.94,
    analysis: "Release 4.12.0 still cannot start here, and the roll-back did not run. The six pods of revision 47 \
               carry all traffic.\n\n\
               There is no other plan that helps: either the setting FLAGS_URL is added by hand, or the release is \
               taken back by whoever made it.",
    advice: &["Add FLAGS_URL to the values of this environment, or take the release back."],
    reach: "9 pods behind 3 services.",
    runbook: Some((runbooks::ROLL_BACK, 3)),
    actions: &[Step(
        "RollbackDeployment",
        &[("toRevision", "healthy")],
        "Roll back the release",
        "rolled back to revision 47 as revision 49, image storefront-web:4.11.3",
    )],
    before: || {
        json!({
            "replicas": 9,
            "containerImages": {"web": "registry.shop.example/storefront-web:4.12.0"},
            "containerResources": {"web": {"cpuRequest": "400m", "cpuLimit": "1", "memoryRequest": "512Mi",
                    "memoryLimit": "1Gi"}},
        })
    },
    observed: "9 of 9 pods ready on storefront-web:4.11.3, error rate 0.2 %",
    resolution: "Release 4.12.0 rolled back; all 9 pods serve 4.11.3",
    cause: "Release 4.12.0 needs a feature-flag endpoint whose address is not set in this environment, and counts its \
            absence as unready.",
    impact: "A third of the pods was unready until the roll-back. The old pods served everybody; 0.9 % of requests \
             failed in the first minutes.",
    lesson: "A setting that only staging has is found in production.",
    prevention: "Compare the values of all environments in the release job.",
    after: Some(|| deployment(49, "web", "registry.shop.example/storefront-web:4.11.3", 9)),
    ..TOLD
};

static SEARCH: Plot = Plot {
    workload: "search-api",
    observed: "24 of 24 wanted pods ready, CPU 74 % of target, p95 640 ms",
    resolution: "Autoscaler ceiling raised to 26; 24 pods share the load and p95 is under 800 ms again",
    cause: "A mail campaign doubled the query rate, and the autoscaler stood at its ceiling of 18.",
    impact: "Searches took up to 1.9 s for about four minutes. None failed.",
    lesson: "The campaign was known for a week, to everybody but the platform.",
    prevention: "Tell the platform when a campaign is sent, and scale before it.",
    after: Some(|| deployment(112, "search", "registry.shop.example/search-api:7.3.5", 24)),
    ..TOLD
};

static TRANSCODER: Plot = Plot {
    kind: "StatefulSet",
    namespace: "media",
    workload: "transcoder",
    runbook: Some(("queue-cpu-raise", 3)),
    actions: &[Step(
        "AdjustStatefulSetResources",
        &[("container", "transcode"), ("cpu_limit", "4")],
        "Raise the CPU limit",
        "container transcode: CPU limit 2 → 4",
    )],
    observed: "2 of 2 pods ready, throttled in 3 % of periods, queue falling by 11 jobs a minute",
    resolution: "CPU limit of container transcode raised to 4; the queue is falling",
    cause: "The new codec uses twice the threads, and the CPU limit was still 2.",
    impact: "Jobs waited for up to 14 minutes.",
    lesson: "A codec change is a capacity change.",
    prevention: "Set the codec's thread count from the limit.",
    ..TOLD
};

static NIGHTLY: Plot = Plot {
    kind: "CronJob",
    namespace: "batch",
    workload: "nightly-export",
    runbook: Some(("cron-retrigger", 3)),
    actions: &[Step(
        "TriggerCronJob",
        &[],
        "Start the job",
        "job nightly-export-manual started",
    )],
    before: || json!({"schedule": "50 11 * * *", "concurrencyPolicy": "Forbid", "startingDeadlineSeconds": 60}),
    observed: "job nightly-export-manual is complete",
    resolution: "The missed run was made up for once the approval gate could be read again",
    cause: "The CronJob's controller was restarted at the very minute of the run, and its starting deadline was 60 \
            seconds.",
    impact: "The export was late; its readers come in the evening.",
    lesson: "A deadline shorter than a restart loses runs.",
    prevention: "Raise startingDeadlineSeconds to 600.",
    ..TOLD
};

static INGRESS: Plot = Plot {
    namespace: "edge",
    workload: "edge-proxy",
    confidence: 0.92,
    analysis: "Host docs.shop.example points to service `docs`, whose last pod was moved with its node a minute ago. \
               The new pod is pulling its image and will be there in seconds; the 40 other hosts are well.\n\n\
               If the proxy still has the old address then, its endpoint cache needs a reload.",
    advice: &["Run two pods of docs."],
    logs: "`no healthy upstream for docs.shop.example`, 212 times.",
    metrics: "502 for 1 of 41 hosts.",
    reach: "1 pod of 4; connections are drained.",
    actions: &[Step(
        "DeletePod",
        &[("pod", "edge-proxy-5b8c7-r2lqx")],
        "docs has a pod again; one proxy still has the old address. Replace it.",
        "pod edge-proxy-5b8c7-r2lqx deleted, its replacement is Ready after 9s",
    )],
    pass: engine(
        "auto",
        0.97,
        "low",
        "0.92 from the analysis, +0.05 low severity: runs by itself",
    ),
    before: || json!({"replicas": 4, "containerImages": {"proxy": "registry.shop.example/edge-proxy:1.29.4"}}),
    observed: "4 of 4 pods ready, all 41 hosts answer",
    resolution: "The proxy pod with the stale address was replaced; docs.shop.example answers again",
    cause: "The only pod of docs was moved, and one proxy kept its old address.",
    impact: "docs.shop.example answered 502 for about a minute.",
    lesson: "One pod is no pod while it moves.",
    prevention: "Run two pods of docs.",
    ..TOLD
};

static OBJECTIVE: Plot = Plot {
    workload: "storefront-web",
    confidence: 0.86,
    analysis: "The budget burns because revision 48 of storefront-web does not become ready; that is an incident of \
               its own, with a roll-back waiting for its second approval. Nothing else contributes.\n\n\
               No action is proposed here: when the roll-back is done, the burn rate of the last hour falls below its \
               threshold.",
    advice: &[
        "Decide the roll-back of storefront-web.",
        "At this rate the budget of the month lasts for four more days.",
    ],
    metrics: "Burn rate 46.7 over 1h, 7.8 over 6h. Budget left 93.5 %.",
    reach: "None: nothing is changed.",
    resolution: "The roll-out of storefront-web is over; the burn rate is below its threshold",
    ..TOLD
};

fn deployment(revision: i32, container: &str, image: &str, replicas: i32) -> Value {
    json!({
        "metadata": {"annotations": {"deployment.kubernetes.io/revision": revision.to_string()}},
        "spec": {"template": {"spec": {"containers": [{
            "name": container,
            "image": image,
            "resources": if container == "web" {
                json!({"requests": {"cpu": "400m", "memory": "512Mi"}, "limits": {"cpu": "1", "memory": "1Gi"}})
            } else {
                json!({"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2", "memory": "2Gi"}})
            },
        }]}}},
        "status": {"replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas,
            "availableReplicas": replicas},
    })
}
