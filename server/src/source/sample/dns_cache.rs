//! Scenario 6: a new DNS cache image cannot find its upstreams, on three clusters; decided in the last minutes.

use super::{
    clock::{Clock, Moment},
    gate::Gate,
    incident::{Incident, Insight},
    plan::{Decision, action, step},
    post_mortem::Narrative,
    signal::{Signal, Target},
};
use serde_json::json;

pub(super) fn tell(clock: Clock) -> Incident {
    let begun = Moment::days_ago(2, "8:00");
    let mut incident = Incident::watched(
        clock,
        begun,
        Target::new("DaemonSet", "platform", "node-local-dns"),
        &[
            Signal("HighErrorRate", "lookups time out on 14 nodes", "38 % of lookups"),
            Signal("HighLatency", "successful lookups are slow", "p95 2.1s"),
            Signal("PodNotReady", "cache pods fail their health check", "9 of 14 pods"),
        ],
    );
    incident.at("0:02").analysing();
    correlate(
        &mut incident,
        &format!("node-local-dns-error-rate-{}", clock.unix(begun.plus("-2:00:00"))),
    );
    incident.at("0:52").analysed(Insight {
        confidence: 0.93,
        runbook: "dns-rollback",
        analysis: "The cache image that was rolled out 25 minutes ago reads its upstream resolvers from \
                   `/etc/node-cache/upstreams.conf`. The chart still mounts them at `/etc/resolv.upstream`, so the \
                   cache starts without any, falls back to its built-in resolver 10.0.0.2, and that address is not \
                   reachable from the nodes. Names that are still cached answer; everything else times out after two \
                   seconds.\n\n\
                   The previous image has neither the new path nor the fallback. Rolling the DaemonSet back by one \
                   revision restores the lookups node by node, in about 25 seconds for all 14. `prod-us-east` and \
                   `prod-ap-south` show the same signal from the same chart; `staging-eu` had it two hours earlier and \
                   nobody was told.",
        recommendations: &[
            "Roll back, here and on the two other clusters: they have the same chart.",
            "Move the mount in the chart before the image is tried again.",
            "Let the cache refuse to start without upstreams instead of falling back.",
        ],
        suggestions: vec![step(
            "Roll back the cache",
            "RollbackDaemonSet",
            [("toRevision", "previous")],
            "One revision back: image 1.23.1, upstreams read from the path that the chart mounts",
        )],
        logs: "node-cache on every node: `upstreams: open /etc/node-cache/upstreams.conf: no such file, using default \
               10.0.0.2`, then `forward: 10.0.0.2:53: i/o timeout`, 11 400 times in five minutes.",
        metrics: "coredns_forward_responses_total{rcode=\"SERVFAIL\"}: 38 % of lookups. p95 of the rest 2.1 s. Cache \
                  hit rate 61 %, usual 88 %.",
        gitops: "Chart node-local-dns bumped 0.14.2 → 0.15.0 (image 1.23.1 → 1.24.0) 25 minutes before the first \
                 signal, synced at once on all production clusters.",
        cascade: "node-local-dns → 11 services that look up names on each request; the loudest are edge-proxy, \
                  search-api and notifications.",
        blast_radius: "14 pods, one a node, replaced one by one. Lookups fail over to the cluster resolver while a \
                       node's cache restarts.",
        ..Insight::default()
    });
    incident
        .at("1:00")
        .planned(
            "dns-rollback",
            3,
            vec![action("RollbackDaemonSet", [("toRevision", "previous")])],
        )
        .weighed(Decision {
            mode: "manual",
            confidence: 0.78,
            risk: "critical",
            reason: "0.93 from the analysis, -0.10 critical severity, -0.05 outside 09-18 UTC: critical needs a person",
        });
    incident.parked(Gate {
        policy: "decision-engine",
        rule: "decision-engine",
        mode: "manual",
        required: 1,
        minutes: 30,
        pods: 14,
        services: 0,
        reach: "RollbackDaemonSet on DaemonSet platform/node-local-dns: 14 pods, one a node, replaced one by one",
        history: (1.0, 2),
    });
    incident
        .at("28:00")
        .approves(
            "oksana",
            "same on the other two clusters, confirmed with Asia; roll back",
        )
        .approved();
    incident.at("28:08").executing(json!({
        "containerImages": {"node-cache": "registry.platform.example/node-cache:1.24.0"},
        "containerResources": {"node-cache": {"cpuRequest": "25m", "memoryRequest": "32Mi", "memoryLimit": "128Mi"}},
        "updateStrategyType": "RollingUpdate",
        "maxUnavailable": "10%",
    }));
    incident
        .at("28:35")
        .acted("rolled back to revision 21, image node-cache:1.23.1, 14 of 14 pods replaced")
        .verifying();
    incident
        .at("29:20")
        .completed("14 of 14 pods ready, error share of lookups 0.06 %, p95 4 ms");
    incident
        .at("29:25")
        .resolved("DNS cache rolled back to 1.23.1 on 14 nodes; the error share of lookups is below 0.1 %");
    incident.post_mortem(Narrative {
        summary: "A chart update brought a DNS cache image that looks for its upstream resolvers in another place. 38 \
                  % of lookups on 14 nodes timed out for 29 minutes, on three clusters at once. The plan was ready \
                  after a minute; it waited 27 minutes for a person because the severity was critical and nobody was \
                  told that a request was waiting.",
        root_cause: "Image 1.24.0 moved the path of the upstream list. The chart mounts the old path, and the image \
                     falls back silently to a resolver that is not reachable from the nodes. The update went to all \
                     production clusters without a stage.",
        impact: "11 services failed on part of their requests for 29.4 minutes; search and the edge lost about 4 % of \
                 theirs. Two more clusters had the same incident.",
        lessons: &[
            "staging-eu showed the same signal two hours earlier. The cascade was noticed by the machine and read by \
             nobody.",
            "A critical incident that waits for approval must wake somebody: the request was three minutes from \
             expiring.",
            "A silent fallback is worse than a crash: pods stayed Running and the roll-out went on.",
        ],
        prevention: &[
            "Stage chart updates: staging, one production cluster, the rest, a day apart.",
            "Refuse to start without upstreams.",
            "Page on-call when a request of a critical incident waits for more than five minutes.",
        ],
        duration: "29m25s",
        metrics: &[
            ("failed lookups", "0.03 %", "before", "-30:00"),
            ("failed lookups", "38 %", "during", "0:00"),
            ("failed lookups", "0.06 %", "after", "29:20"),
            ("lookup p95", "4 ms", "before", "-30:00"),
            ("lookup p95", "2.1 s", "during", "0:00"),
            ("lookup p95", "4 ms", "after", "29:20"),
        ],
        neighbours: &[
            ("DaemonSet", "log-shipper", "lost 6 minutes of logs on two nodes", "low"),
            (
                "Deployment",
                "notifications",
                "one e-mail in nine was sent late",
                "medium",
            ),
        ],
        sli_impact: "29.4 min",
        budget_burned: Some(68.1),
        trending: Some((1, "First DNS incident in the window; same chart on three clusters")),
        gitops: "node-local-dns 0.14.2 → 0.15.0, 25 minutes before the first signal.",
        logs: "`no such file, using default 10.0.0.2` on every node, followed by i/o timeouts.",
        cascade: &[
            "image 1.24.0 moves the path of the upstream list",
            "cache starts without upstreams",
            "fallback resolver 10.0.0.2 is unreachable",
            "38 % of lookups time out",
            "11 services fail on part of their requests",
        ],
        ..Narrative::default()
    });
    incident.at("26:10:00").reviewed(
        "oksana",
        "Compared with the notes of the US and Asia on-call: one cause. Staging rule is being written.",
    );
    incident
}

/// The same signal on three clusters makes it critical; staging had it before.
fn correlate(incident: &mut Incident, earlier: &str) {
    incident.severity = "critical";
    incident.issue.amend(json!({"severity": "critical"}));
    for (annotation, value) in [
        ("cross-cluster-correlation", "xcluster-4e19c07b"),
        ("affected-clusters", "3"),
        ("elevated-severity", "true"),
        ("cascade-detected", "true"),
        ("cascade-source-cluster", "staging-eu"),
        ("cascade-source-issue", earlier),
        ("sla-name", "chatcli-system/sla-critical"),
    ] {
        incident.issue.annotate(annotation, value);
    }
}
