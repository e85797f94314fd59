//! Scenario 5: a node drops off the network and cannot be drained; two attempts fail and people take over. Still open.

use super::{
    clock::{Clock, Moment},
    gate::Gate,
    incident::{Incident, Insight},
    plan::{Decision, action, step},
    signal::{Signal, Target},
};
use serde_json::json;

const NODE: (&str, &str) = ("node", "worker-eu-07");

pub(super) fn tell(clock: Clock) -> Incident {
    let mut incident = Incident::watched(
        clock,
        Moment::today("11:10"),
        Target::new("Node", "platform", "worker-eu-07"),
        &[
            Signal("NodeNotReady", "the kubelet is silent", "no status for 4m40s"),
            Signal(
                "NetworkUnavailable",
                "the network plugin's pod on the node restarts",
                "6 restarts in 10 minutes",
            ),
            Signal("PodCapacityHigh", "pods pile up in Terminating", "104 of 110 pods"),
        ],
    );
    incident.at("0:02").analysing();
    incident.at("0:39").analysed(Insight {
        confidence: 0.87,
        runbook: "node-evacuate",
        analysis: "worker-eu-07 comes and goes: its kubelet has been silent for 4 min 40 s, reported for nine seconds, \
                   and went silent again. The network plugin's pod restarts whenever the interface loses its link, \
                   which the kernel log shows six times in ten minutes. This points at the network card or its cable, \
                   not at software.\n\n\
                   A node that flaps is worse than one that is gone: pods are neither served nor moved. Cordon it so \
                   that nothing new lands there, then drain it while it is reachable. The other 13 nodes have room for \
                   what it carries.",
        recommendations: &[
            "Replace the node once it is empty; a flapping link does not heal.",
            "Ask the data centre to check port and cable before the machine goes back into the pool.",
        ],
        suggestions: vec![
            step(
                "Keep new pods away",
                "CordonNode",
                [NODE],
                "Marks the node unschedulable",
            ),
            step(
                "Move the pods",
                "DrainNode",
                [NODE, ("timeout", "5m")],
                "By eviction: disruption budgets hold",
            ),
        ],
        logs: "kernel: `ens5: Link is Down` 6 times in 10 minutes, up again after 8 to 40 seconds. network-agent: \
               `liveness probe failed: dial tcp 10.42.7.1:9099: i/o timeout`.",
        metrics: "node_network_up{device=\"ens5\"} toggles; node_load1 0.8 (idle); 104 of 110 pods, 23 of them \
                  Terminating.",
        cascade: "Two search pods and one DNS cache pod run on the node; search-index already misses one of two pods.",
        blast_radius: "104 pods on one node. 13 other nodes are ready and have 31 % of their CPU free.",
        ..Insight::default()
    });
    incident.at("0:45").planned(
        "node-evacuate",
        2,
        vec![
            action("CordonNode", [NODE]),
            action("DrainNode", [NODE, ("timeout", "5m")]),
        ],
    );
    incident.weighed(Decision {
        mode: "auto-notify",
        confidence: 0.87,
        risk: "medium",
        reason: "confidence 0.87 is enough for medium severity; people are told",
    });
    incident.executing(json!({"nodeUnschedulable": false}));
    incident.at("1:02").acted("worker-eu-07 is unschedulable");
    incident
        .at("6:10")
        .action_failed(
            "eviction of search-index-1 refused for 5m: disruption budget search-index allows 0 disruptions \
                        (1 of 2 pods is down already)",
        )
        .undone(
            "DrainNode failed: 1 of 104 pods could not be evicted within 5m",
            "worker-eu-07 made schedulable again; the node is still not ready",
        )
        .reanalysing(
            "Plan 1 (node-evacuate) failed at DrainNode: the disruption budget of search-index refuses the eviction of \
             search-index-1. CordonNode was undone. The node is still not ready.",
        );
    incident.at("7:20").analysed(Insight {
        confidence: 0.74,
        analysis: "The drain is blocked by the disruption budget of `search-index`: it wants one of two pods, one is \
                   down already, and the other is search-index-1 on this very node. Evicting it would take the index \
                   away; the budget does what it is there for.\n\n\
                   The pod that is down, search-index-0, waits for its volume, which the silent kubelet of \
                   worker-eu-07 has not released. So the node must come back for a moment, or the volume must be \
                   detached by a person. Restarting the network pod may give the kubelet the seconds it needs. This is \
                   less certain than before: it depends on a link that does not hold.",
        recommendations: &[
            "Detach the volume of search-index-0 by hand if the node does not come back: it is the knot that holds \
             everything.",
            "Do not lower the disruption budget: the second pod is the last copy that serves.",
        ],
        suggestions: vec![
            step(
                "Restart the network pod",
                "DeleteDaemonSetPod",
                [NODE],
                "May bring the kubelet back long enough to release the volume",
            ),
            step(
                "Keep new pods away",
                "CordonNode",
                [NODE],
                "Marks the node unschedulable",
            ),
            step(
                "Move the pods",
                "DrainNode",
                [NODE, ("timeout", "5m")],
                "Only once search-index-0 is back",
            ),
        ],
        logs: "attach-detach controller: `volume pvc-5d0f is attached to worker-eu-07, cannot attach to worker-eu-03`. \
               kernel: `ens5: Link is Down` 3 more times.",
        cascade: "Two search pods and one DNS cache pod on the node; if search-index-1 stops, search answers from \
                  cache only.",
        blast_radius: "The node itself. search-index stays at one of two pods.",
        ..Insight::default()
    });
    incident.at("7:30").planned_agentic(10);
    incident.weighed(Decision {
        mode: "manual",
        confidence: 0.74,
        risk: "medium",
        reason: "confidence 0.74 is below 0.85 for medium severity: a person decides",
    });
    incident.parked(Gate {
        policy: "decision-engine",
        rule: "decision-engine",
        mode: "manual",
        required: 1,
        minutes: 30,
        pods: 0,
        services: 0,
        reach: "Step by step on Node worker-eu-07, at most 10 steps; no workload is changed directly",
        history: (0.67, 3),
    });
    incident
        .at("12:05")
        .approves("oksana", "try it, data centre needs an hour anyway")
        .approved();
    incident.executing(json!({"nodeUnschedulable": false}));
    wrestle(&mut incident);
    incident
        .at("22:00")
        .failed("Agentic loop stopped: step ceiling of 10 reached, worker-eu-07 is cordoned and not drained");
    incident.at("22:05").escalated();
    incident.at("27:00").acknowledged();
    incident
}

/// The ten steps of the second attempt.
fn wrestle(incident: &mut Incident) {
    let steps = [
        (
            "12:30",
            "First the kubelet's own events: is it the link, or the agent on top of it?",
            None,
            "Observed 6 NodeNotReady and 5 NodeReady events in 20 minutes, each within two seconds of a link change",
        ),
        (
            "13:20",
            "The link decides. Restart the network pod so that it binds again while the link is up.",
            Some(action("DeleteDaemonSetPod", [NODE])),
            "SUCCESS: pod network-agent-x7kqd deleted, the new one is Running after 14s",
        ),
        (
            "14:30",
            "Did that help? Wait for one probe interval and look at the node.",
            None,
            "Observed Ready=True for 52s, the longest in half an hour",
        ),
        (
            "15:10",
            "It holds for now. Keep new pods away before anything else lands here.",
            Some(action("CordonNode", [NODE])),
            "SUCCESS: worker-eu-07 is unschedulable",
        ),
        (
            "16:00",
            "Is the volume of search-index-0 released?",
            None,
            "Observed volume pvc-5d0f still attached to worker-eu-07, detach requested 40s ago",
        ),
        (
            "16:50",
            "Drain while the node answers; the budget may hold only one pod back.",
            Some(action("DrainNode", [NODE, ("timeout", "2m")])),
            "FAILED: eviction of search-index-1 refused, disruption budget allows 0 disruptions",
        ),
        (
            "19:10",
            "As feared. See whether search-index-0 has started elsewhere by now.",
            None,
            "Observed search-index-0 Pending: multi-attach error for volume pvc-5d0f",
        ),
        (
            "19:50",
            "The link went down again. Restart the network pod once more to give the detach a chance.",
            Some(action("DeleteDaemonSetPod", [NODE])),
            "FAILED: kubelet did not confirm the deletion within 30s",
        ),
        (
            "20:50",
            "Look at the node once more.",
            None,
            "Observed Ready=Unknown for 65s, link down",
        ),
        (
            "21:40",
            "Without the link the volume stays attached, and without the volume the budget stays shut. A person has to \
             detach it.",
            None,
            "Observed no change",
        ),
    ];
    for (offset, message, action, observation) in steps {
        incident.at(offset).stepped(message, action, observation);
    }
}
