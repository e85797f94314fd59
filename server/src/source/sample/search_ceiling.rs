//! Scenario 7: an autoscaler stands at its ceiling, which is raised; the new pods are just coming up. Still open.

use super::{
    clock::{Clock, Moment},
    gate::Gate,
    incident::{Incident, Insight},
    plan::{action, step},
    signal::{Signal, Target},
};
use serde_json::json;

pub(super) fn tell(clock: Clock) -> Incident {
    let mut incident = Incident::watched(
        clock,
        Moment::today("11:56"),
        Target::new("Deployment", "shop", "search-api"),
        &[
            Signal(
                "HPAMaxedOut",
                "the autoscaler stands at its ceiling",
                "18 of 18 replicas",
            ),
            Signal("HighLatency", "searches are slow", "p95 1.9s"),
            Signal("CPUHigh", "every replica is busy", "CPU 94 % of target"),
        ],
    );
    incident.at("0:02").analysing();
    incident.at("1:40").analysed(Insight {
        confidence: 0.91,
        runbook: "hpa-raise-ceiling",
        analysis: "The query rate has doubled within six minutes, from 2 100 to 4 300 a second. The referrers say why: \
                   the autumn mail campaign went out, and its links open a search. All 18 replicas are healthy and \
                   share the load evenly; none restarts, none is slow by itself. The autoscaler wants 24 and may not \
                   have more than 18.\n\n\
                   The nodes of the pool have room for ten more pods. A ceiling of 26 covers what is asked for with a \
                   little to spare, and the autoscaler takes the pods back when the campaign is over.",
        recommendations: &[
            "Tell the platform when a mail campaign is sent: a pre-scaled search would not have been slow at all.",
            "Raise the ceiling permanently to 30 and let the pool's autoscaler find the nodes.",
        ],
        suggestions: vec![step(
            "Raise the ceiling",
            "AdjustHPA",
            [("maxReplicas", "26")],
            "24 are wanted now; the minimum of 6 stays as it is",
        )],
        logs: "No errors. `slow query` warnings rose from 3 to 190 a minute, spread over all replicas.",
        metrics: "Queries 4 300 a second (2 100 before). CPU 94 % of target in every pod, spread 91–96 %. p95 1.9 s, \
                  objective 800 ms. Queue length 31 a pod.",
        gitops: "No change to search-api or search-index in three days.",
        cascade: "search-api → storefront-web (search box waits). search-index answers within 40 ms and is not the \
                  limit.",
        blast_radius: "18 pods, 2 services (search, suggest). Pods are added, none is restarted.",
        ..Insight::default()
    });
    incident.at("1:48").planned(
        "hpa-raise-ceiling",
        3,
        vec![action("AdjustHPA", [("maxReplicas", "26")])],
    );
    incident.parked(Gate {
        policy: "shop-changes",
        rule: "resources-auto",
        mode: "auto",
        required: 1,
        minutes: 30,
        pods: 18,
        services: 2,
        reach: "AdjustHPA on Deployment shop/search-api: 18 pods behind 2 services (search, suggest); pods are added, \
                none is restarted",
        history: (0.90, 20),
    });
    incident.at("2:02").approved_by_rule();
    incident.at("2:12").executing(json!({
        "replicas": 18,
        "hpaMinReplicas": 6,
        "hpaMaxReplicas": 18,
        "containerResources": {"search": {"cpuRequest": "1", "cpuLimit": "2", "memoryRequest": "1Gi",
                "memoryLimit": "2Gi"}},
    }));
    incident
        .at("3:25")
        .acted("HPA search-api: maxReplicas 18 → 26, 24 replicas wanted")
        .verifying();
    incident.prove(
        "metric_snapshot",
        "22 of 24 wanted pods ready, CPU 78 % of target, p95 1.1s and falling",
    );
    incident
}
