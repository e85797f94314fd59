//! Scenario 1: a cache outgrows its container; the limit is raised without a person.

use super::{
    clock::{Clock, Moment},
    gate::Gate,
    incident::{Incident, Insight},
    plan::{action, step},
    post_mortem::Narrative,
    signal::{Signal, Target},
};
use serde_json::json;

pub(super) fn tell(clock: Clock) -> Incident {
    let begun = Moment::today("8:50");
    let mut incident = Incident::watched(
        clock,
        begun,
        Target::new("Deployment", "shop", "checkout-api"),
        &[
            Signal(
                "OOMKilled",
                "container api was killed at its limit of 512Mi",
                "4 kills in 9 minutes",
            ),
            Signal(
                "HighRestartCount",
                "container api restarts again and again",
                "4 restarts in 9 minutes",
            ),
            Signal("PodNotReady", "pods do not become ready", "2 of 6 pods"),
        ],
    );
    incident.at("0:02").analysing();
    incident.at("0:44").analysed(Insight {
        confidence: 0.93,
        runbook: "oom-raise-memory",
        analysis: "Container `api` is killed at 512Mi about 70 seconds after it starts. The cart pricing cache is \
                   filled at start-up, and the promotion catalogue it holds has tripled since the autumn campaign was \
                   published, so the resident set now settles at about 430Mi and touches the limit whenever two large \
                   carts are priced at once.\n\n\
                   This is not a leak: in the pods that survive, memory rises during warm-up and is flat after that, \
                   and the heap profile is dominated by one cache. The limit is simply too small for what the service \
                   is asked to hold. Raising it to 768Mi leaves a third of headroom; the nodes of the pool have 11Gi \
                   to spare.",
        recommendations: &[
            "Give the pricing cache an upper bound and an eviction rule, so that the next catalogue cannot outgrow the \
             container.",
            "Alert at 85 % of the memory limit for five minutes, before the kernel decides.",
            "Add the size of the promotion catalogue to the release checklist of the campaign team.",
        ],
        suggestions: vec![step(
            "Raise the memory limit",
            "AdjustResources",
            [
                ("container", "api"),
                ("memory_limit", "768Mi"),
                ("memory_request", "512Mi"),
            ],
            "Lifts the limit by half and makes the scheduler reserve what the service really uses",
        )],
        logs: "4 containers ended with exit code 137 within nine minutes. The last line before each is the same: \
               `pricing: warmed 61 284 promotions in 48.2s`. No error is logged; the process is stopped from outside.",
        metrics: "container_memory_working_set_bytes: 505Mi at the kill (98.6 % of the limit), 428Mi in the \
                  longest-lived pod. http_requests_in_flight: 34 a pod, usual. Ready pods: 6 → 4.",
        source_code: "Commit 9c41e7a, two days old, doubled `PRICING_CACHE_ENTRIES` from 32 768 to 65 536 in \
                      `pricing/cache.go` and removed the comment that tied it to the container's limit.",
        gitops: "Last sync of the application 41 hours ago, healthy. No manifest changed since; the growth comes with \
                 the data.",
        blast_radius: "6 pods of checkout-api roll one by one; services checkout and cart-summary stay up with 5 of 6 \
                       pods.",
        ..Insight::default()
    });
    incident.at("0:50").planned(
        "oom-raise-memory",
        3,
        vec![action(
            "AdjustResources",
            [
                ("container", "api"),
                ("memory_limit", "768Mi"),
                ("memory_request", "512Mi"),
            ],
        )],
    );
    incident.parked(Gate {
        policy: "shop-changes",
        rule: "resources-auto",
        mode: "auto",
        required: 1,
        minutes: 30,
        pods: 6,
        services: 2,
        reach: "AdjustResources on Deployment shop/checkout-api restarts 6 pods one by one behind 2 services \
                (checkout, cart-summary)",
        history: (0.88, 17),
    });
    incident.at("1:01").approved_by_rule();
    incident.at("1:10").executing(json!({
        "replicas": 6,
        "containerImages": {"api": "registry.shop.example/checkout-api:3.41.2"},
        "containerResources": {"api": {"cpuRequest": "250m", "cpuLimit": "1", "memoryRequest": "384Mi",
                "memoryLimit": "512Mi"}},
    }));
    incident
        .at("1:35")
        .acted("container api: memory limit 512Mi → 768Mi, request 384Mi → 512Mi")
        .verifying();
    incident
        .at("2:28")
        .completed("6 of 6 pods ready, working set 410–450Mi, no restart since the roll-out");
    incident.resolved("Memory limit of container api raised to 768Mi; all 6 pods are ready and steady at 410–450Mi");
    incident.post_mortem(Narrative {
        summary: "Checkout lost two of its six pods for two and a half minutes because container `api` no longer \
                  fitted into 512Mi. The limit was raised automatically under the rule `resources-auto`; no person was \
                  involved and no order was lost.",
        root_cause: "The cart pricing cache holds the whole promotion catalogue. Its capacity was doubled two days \
                     earlier (9c41e7a), and the catalogue tripled when the autumn campaign was published. Together \
                     they need about 430Mi at rest, too close to a limit that dated from the old size.",
        impact: "4 container restarts; a third of the pods unready for 2 min 28 s. p95 of POST /checkout rose from 310 \
                 ms to 920 ms. No request failed for good: the gateway retried 212 of them.",
        lessons: &[
            "A cache without an upper bound makes the memory limit depend on somebody else's data.",
            "The alert came from the kill, not from the approach to it: nine minutes of warning were not used.",
        ],
        prevention: &[
            "Bound the pricing cache by bytes and evict the least used promotions.",
            "Alert at 85 % of the memory limit.",
            "Review memory limits when a cache size changes: put both in the same manifest.",
        ],
        duration: "2m28s",
        metrics: &[
            ("memory working set, worst pod", "431Mi", "before", "-10:00"),
            ("memory working set, worst pod", "505Mi", "during", "0:00"),
            ("memory working set, worst pod", "448Mi", "after", "2:28"),
            ("restarts in 10 minutes", "0", "before", "-10:00"),
            ("restarts in 10 minutes", "4", "during", "0:00"),
            ("restarts in 10 minutes", "0", "after", "12:28"),
            ("ready pods", "6/6", "before", "-10:00"),
            ("ready pods", "4/6", "during", "0:00"),
            ("ready pods", "6/6", "after", "2:28"),
        ],
        neighbours: &[(
            "Deployment",
            "cart-summary",
            "waited longer for prices, no errors",
            "low",
        )],
        commit: Some(json!({
            "commitSHA": "9c41e7a", "commitMessage": "pricing: double the cache for the autumn \
                                                      campaign", "author": "Lena Hoffmann",
            "timestamp": clock.text(begun.plus("-47:20:00")), "confidence": 0.81,
            "filesChanged": ["pricing/cache.go", "deploy/values.yaml"],
        })),
        sli_impact: "Checkout error rate stayed at 0.4 % (objective 1 %).",
        trending: Some((
            2,
            "Second out-of-memory loop of a shop service after a catalogue import",
        )),
        gitops: "No sync in the 41 hours before; the manifest was in order and out of date.",
        logs: "4 × exit code 137, each right after the pricing cache reported itself warm.",
        ..Narrative::default()
    });
    incident.at("1:40:00").reviewed(
        "mira",
        "Agreed with the analysis. Cache bound is planned for the next sprint.",
    );
    incident.at("2:04:30").judged(
        "mira",
        5,
        "Right cause, smallest sensible change, and faster than I would have been.",
    );
    incident.at("2:05:00").closed();
    incident
}
