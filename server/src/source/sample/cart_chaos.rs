//! Scenario 10: a drill on the staging cart, healed step by step by the model.

use super::{
    clock::{Clock, Moment},
    incident::{Incident, Insight},
    plan::{Decision, action, step},
    post_mortem::Narrative,
    signal::{Signal, Target},
};
use serde_json::json;

pub(super) const BEGUN: Moment = Moment::today("7:00");

pub(super) fn tell(clock: Clock) -> Incident {
    let mut incident = Incident::watched(
        clock,
        BEGUN,
        Target::new("Deployment", "staging", "cart-service"),
        &[
            Signal("PodNotReady", "pods do not become ready", "2 of 5 pods"),
            Signal("HighRestartCount", "pods were replaced at once", "2 pods in 5 seconds"),
        ],
    );
    incident.issue = incident
        .issue
        .label("source", "chaos-experiment")
        .label("chaos-experiment", "cart-pod-kill");
    incident.at("0:02").analysing();
    incident.at("0:33").analysed(Insight {
        confidence: 0.90,
        analysis: "Two of five pods of cart-service were removed within the same second, on different nodes and \
                   without a message of their own: somebody or something deleted them. The replica set is already \
                   replacing them. One of the new pods is ready; the other stands in its start-up call, which warms \
                   the price cache from a service that answers slowly in staging.\n\n\
                   If that call does not return within a minute, deleting the one stuck pod is quicker than waiting \
                   for its probe to give up.",
        recommendations: &[
            "Give the warm-up call a deadline of ten seconds and start without it when it does not \
                            answer.",
        ],
        suggestions: vec![step(
            "Replace the stuck pod",
            "DeletePod",
            [],
            "The sickest pod is picked",
        )],
        logs: "cart-service-6c9f-q8m2t: `warmup: waiting for prices` for 31 s. The others: no errors.",
        metrics: "Ready pods 3 of 5, then 4 of 5. Requests served without errors by the rest.",
        blast_radius: "1 pod of 5 in staging.",
        ..Insight::default()
    });
    incident.at("0:35").planned_agentic(10).weighed(Decision {
        mode: "auto-notify",
        confidence: 0.88,
        risk: "medium",
        reason: "0.90 from the analysis, -0.05 outside 09-18 UTC, +0.03 learned pattern: runs, and people are told",
    });
    incident.executing(json!({
        "replicas": 5,
        "containerImages": {"cart": "registry.shop.example/cart-service:2.19.0-staging.4"},
        "containerResources": {"cart": {"cpuRequest": "100m", "cpuLimit": "500m", "memoryRequest": "128Mi",
                "memoryLimit": "256Mi"}},
    }));
    incident.at("0:50").stepped(
        "Read the events first: are the pods coming back by themselves?",
        None,
        "Observed 2 pods Killing, 2 pods Created; cart-service-6c9f-q8m2t is Running and not Ready for 48s",
    );
    incident.at("1:30").stepped(
        "Four of five are ready. The last one is stuck in its warm-up call; replace it.",
        Some(action("DeletePod", [("pod", "cart-service-6c9f-q8m2t")])),
        "SUCCESS: pod cart-service-6c9f-q8m2t deleted, its replacement is Ready after 21s",
    );
    incident.at("2:10").stepped(
        "5 of 5 pods are ready. Nothing else to do.",
        None,
        "Observed 5 of 5 pods Ready for 15s",
    );
    incident.current_plan().annotate("postmortem-summary", SUMMARY);
    incident.current_plan().annotate("root-cause", CAUSE);
    incident.current_plan().annotate("impact", IMPACT);
    incident.current_plan().annotate("lessons-learned", LESSON);
    incident.current_plan().annotate("prevention-actions", PREVENTION);
    incident.verifying();
    incident.at("2:20").completed("5 of 5 pods ready");
    incident.resolved("cart-service recovered from the drill: 5 of 5 pods ready, one stuck pod was replaced");
    incident.post_mortem(Narrative {
        summary: SUMMARY,
        root_cause: CAUSE,
        impact: IMPACT,
        lessons: &[LESSON],
        prevention: &[PREVENTION],
        duration: "2m20s",
        ..Narrative::default()
    });
    incident
        .at("2:10:00")
        .reviewed("oksana", "Drill went as planned.")
        .closed();
    incident
}

const SUMMARY: &str = "Drill cart-pod-kill removed two of five pods. One replacement hung in its warm-up call and was \
                       deleted; the service never stopped.";
const CAUSE: &str = "Planned: chaos experiment cart-pod-kill.";
const IMPACT: &str = "None outside staging; 3 of 5 pods kept serving.";
const LESSON: &str = "The warm-up call decides how fast the cart recovers.";
const PREVENTION: &str = "Give the warm-up call a deadline.";
