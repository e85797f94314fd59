//! The small incidents that show every other state, and the signals that became none.

use super::{
    audit::{self, Actor},
    clock::{Clock, Moment, NOW},
    draft::Draft,
    gate::Gate,
    incident::{Incident, Insight, Report},
    plan::{Decision, action, step},
    signal::{Signal, Target},
};
use serde_json::json;

/// An objective burns its budget too fast; the model is still thinking.
pub(super) fn storefront_objective(clock: Clock, objective: &Draft) -> Incident {
    let begun = Moment::today("11:57");
    let mut incident = Incident::missed(
        clock,
        begun,
        Target::new("Deployment", "shop", "storefront-web"),
        objective,
        "1h/6h",
        Report {
            source: "watcher",
            signal: "slo_violation",
            severity: "high",
            risk: 50,
            headline: "SLO storefront-availability burns its error budget 7.8 times faster than planned (windows \
                       1h/6h, threshold 6)",
        },
    );
    incident.issue.annotate("burn-rate", "7.8");
    incident.audit.push(audit::entry(
        clock,
        begun,
        objective,
        "slo_violation",
        Actor::Objectives,
        json!({"window": "1h/6h", "burn_rate": "7.80"}),
        objective.name(),
    ));
    incident.at("0:02").analysing();
    incident
}

/// A budget is gone, nobody reacted, and the ladder stands at its top.
pub(super) fn payout_objective(clock: Clock, objective: &Draft) -> Incident {
    let mut incident = Incident::missed(
        clock,
        Moment::today("6:44"),
        Target::new("Deployment", "payments", "payout-worker"),
        objective,
        "budget-exhausted",
        Report {
            source: "watcher",
            signal: "slo_violation",
            severity: "critical",
            risk: 100,
            headline: "SLO payout-availability has spent its whole error budget (833.3 % of 30d)",
        },
    );
    incident.issue.annotate("burn-rate", "1000.0");
    incident.at("0:02").analysing();
    incident.at("0:50").analysed(Insight {
        confidence: 0.64,
        runbook: "critical-deployment-page-only",
        analysis: "The budget was spent by the memory leak of payout-worker, which has been open since 44 minutes \
                   before this alert. There is nothing to repair here that is not already tried there: the service is \
                   being stopped on purpose.\n\n\
                   The only runbook for a critical Deployment in this namespace looks and calls people. Confidence is \
                   low because no action on this incident can bring the objective back.",
        recommendations: &[
            "Treat this as one incident with the memory leak of \
                            payout-worker.",
            "Tell finance that payouts are late.",
        ],
        suggestions: vec![step(
            "Look",
            "ExecDiagnostic",
            [("command", "df -h"), ("container", "worker")],
            "What \
                                                                                                           on-call \
                                                                                                           will ask \
                                                                                                           for first",
        )],
        metrics: "Burn rate 1000 over 1h and 6h, 250 over 24h, 83.3 over 72h. Budget consumed 833.3 %.",
        blast_radius: "None: the action only reads.",
        ..Insight::default()
    });
    incident.at("1:00").planned(
        "critical-deployment-page-only",
        1,
        vec![action(
            "ExecDiagnostic",
            [("command", "df -h"), ("container", "worker")],
        )],
    );
    incident.parked(Gate {
        policy: "payments-strict",
        rule: "all-quorum",
        mode: "quorum",
        required: 2,
        minutes: 20,
        pods: 4,
        services: 1,
        reach: "ExecDiagnostic in a pod of Deployment payments/payout-worker: reads only",
        history: (0.0, 0),
    });
    incident
        .at("21:00")
        .expired()
        .failed("Approval expired: nobody decided within 20 minutes");
    incident.at("21:05").escalated();
    incident.at("36:05").escalated_to(1);
    incident.at("66:05").escalated_to(2);
    incident
}

/// Seconds old: not looked at yet.
pub(super) fn ingress(clock: Clock) -> Incident {
    let mut incident = Incident::watched(
        clock,
        NOW.plus("-0:08"),
        Target::new("Deployment", "edge", "edge-proxy"),
        &[Signal(
            "IngressError",
            "host docs.shop.example has no backend",
            "502 for 1 of 41 hosts",
        )],
    );
    incident.at("0:02").detected();
    incident
}

/// An action is running.
pub(super) fn transcoder(clock: Clock) -> Incident {
    let mut incident = Incident::watched(
        clock,
        NOW.plus("-2:10"),
        Target::new("StatefulSet", "media", "transcoder"),
        &[
            Signal("HighLatency", "jobs wait for a long time", "p95 14m in the queue"),
            Signal("CPUHigh", "container transcode is throttled", "71 % of periods"),
        ],
    );
    incident.at("0:02").analysing();
    incident.at("0:35").analysed(Insight {
        confidence: 0.89,
        runbook: "queue-cpu-raise",
        analysis: "The transcoder takes 14 minutes for a job that took four yesterday. The jobs are the same; the \
                   container is throttled in 71 % of its periods because the new codec uses twice the threads and the \
                   CPU limit is still 2. The nodes have 9 free cores.\n\n\
                   Raising the limit to 4 takes the throttle off. The queue of 212 jobs should be gone after about \
                   half an hour.",
        recommendations: &["Set the codec's thread count from the limit instead of from the node's cores."],
        suggestions: vec![step(
            "Raise the CPU limit",
            "AdjustStatefulSetResources",
            [("container", "transcode"), ("cpu_limit", "4")],
            "Twice the old limit",
        )],
        metrics: "container_cpu_cfs_throttled_periods: 71 %. Queue 212 jobs, +6 a minute.",
        blast_radius: "2 pods restart one after the other; a job that is cut off starts again.",
        ..Insight::default()
    });
    incident
        .at("0:42")
        .planned(
            "queue-cpu-raise",
            3,
            vec![action(
                "AdjustStatefulSetResources",
                [("container", "transcode"), ("cpu_limit", "4")],
            )],
        )
        .weighed(Decision {
            mode: "auto-notify",
            confidence: 0.89,
            risk: "medium",
            reason: "confidence 0.89 is enough for medium severity; people are told",
        });
    incident.at("0:48").executing(json!({
        "replicas": 2,
        "containerImages": {"transcode": "registry.media.example/transcoder:8.1.0"},
        "containerResources": {"transcode": {"cpuRequest": "1", "cpuLimit": "2", "memoryRequest": "2Gi",
                "memoryLimit": "4Gi"}},
        "updateStrategyType": "RollingUpdate",
        "partition": 0,
    }));
    incident
}

/// A gate that cannot be read holds a plan back.
pub(super) fn nightly_export(clock: Clock) -> Incident {
    let mut incident = Incident::watched(
        clock,
        NOW.plus("-6:00"),
        Target::new("CronJob", "batch", "nightly-export"),
        &[Signal("CronJobMissed", "the export did not start", "missed 1 run")],
    );
    incident.at("0:02").analysing();
    incident.at("0:40").analysed(Insight {
        confidence: 0.88,
        runbook: "cron-retrigger",
        analysis: "The export should have started ten minutes ago and did not: the CronJob's controller was restarted \
                   at that very minute, and the starting deadline of 60 seconds had passed when it came back. Nothing \
                   is wrong with the job itself.\n\n\
                   Starting it once by hand catches up. The consumers of the export read it in the evening, so there \
                   is no hurry.",
        recommendations: &[
            "Raise startingDeadlineSeconds to 600, so that a restart of the controller does not lose a \
                            run.",
        ],
        suggestions: vec![step(
            "Start the job",
            "TriggerCronJob",
            [],
            "One run, outside the schedule",
        )],
        blast_radius: "One job, no running pods.",
        ..Insight::default()
    });
    incident
        .at("0:50")
        .planned("cron-retrigger", 3, vec![action("TriggerCronJob", [])]);
    incident.current_plan().report(
        json!({"result": "Approval gate cannot be evaluated: listing the ApprovalPolicies of namespace batch \
                                  timed out; asked again every 30s"}),
    );
    incident
}

/// Put in by another tool in a state that no controller sets.
pub(super) fn legacy_bridge(clock: Clock) -> Incident {
    let begun = Moment::days_ago(4, "12:00");
    let mut incident = Incident::reported(
        clock,
        begun,
        Target::new("Deployment", "staging", "legacy-bridge"),
        Report {
            source: "webhook",
            signal: "helm_release_failed",
            severity: "low",
            risk: 20,
            headline: "Helm release legacy-bridge 0.4.2 failed: pre-upgrade hook timed out (imported from the old \
                       ticket queue)",
        },
    );
    let time = clock.text(begun);
    incident
        .issue
        .report(json!({"state": "Failed", "detectedAt": time, "remediationAttempts": 0, "maxRemediationAttempts": 3}));
    incident.record(
        "issue_created",
        Actor::Issues,
        json!({"severity": "low", "resource": "Deployment staging/legacy-bridge"}),
    );
    incident
}

/// A restart did not help, and then it recovered by itself.
pub(super) fn subtitle_sync(clock: Clock) -> Incident {
    let mut incident = Incident::watched(
        clock,
        Moment::days_ago(3, "12:00"),
        Target::new("Deployment", "media", "subtitle-sync"),
        &[Signal(
            "HighRestartCount",
            "container sync restarts now and then",
            "5 restarts in an hour",
        )],
    );
    incident.at("0:02").analysing();
    incident.at("0:30").analysed(Insight {
        confidence: 0.91,
        runbook: "restart-flapping",
        analysis: "Container `sync` ends with exit code 1 about every twelve minutes, each time after `upstream closed \
                   the stream`. The subtitle provider resets its streams; the worker treats that as fatal. A clean \
                   restart may move it to another of the provider's hosts.",
        recommendations: &["Treat a reset stream as a reason to reconnect, not to exit."],
        suggestions: vec![step("Restart", "RestartDeployment", [], "Once, pod by pod")],
        logs: "`upstream closed the stream` 5 times, always followed by exit code 1.",
        blast_radius: "2 pods, 1 service (subtitles).",
        ..Insight::default()
    });
    incident
        .at("0:36")
        .planned("restart-flapping", 1, vec![action("RestartDeployment", [])])
        .weighed(Decision {
            mode: "auto",
            confidence: 0.96,
            risk: "low",
            reason: "0.91 from the analysis, +0.05 low severity: runs by itself",
        });
    incident
        .executing(json!({"replicas": 2, "containerImages": {"sync": "registry.media.example/subtitle-sync:1.12.3"}}));
    incident
        .at("0:50")
        .acted("Deployment media/subtitle-sync restarted, 2 of 2 pods")
        .verifying();
    incident.at("2:20").rolled_back(
        "Not healthy within 90s: container sync ended with exit code 1 again",
        "Pod template put back as it was before the restart; 2 of 2 pods ready",
    );
    incident.at("4:00").escalated();
    incident
        .at("40:00")
        .recovered("Auto-resolved: Deployment media/subtitle-sync is healthy again, no restart for 30 minutes");
    incident
}

/// Snoozed, then closed by a person.
pub(super) fn recommendations(clock: Clock) -> Incident {
    let mut incident = Incident::watched(
        clock,
        Moment::days_ago(1, "6:00"),
        Target::new("Deployment", "shop", "recommend-api"),
        &[Signal("HighLatency", "recommendations are slow", "p95 1.2s")],
    );
    incident.at("0:02").analysing();
    incident.at("1:20").analysed(Insight {
        confidence: 0.58,
        analysis: "p95 has risen to 1.2 s in all three pods at once, without more traffic and without errors. The pods \
                   read a model file of 3.4Gi at this time; whether that is the reason or a coincidence cannot be told \
                   from one morning. No action is proposed with this confidence.",
        recommendations: &["Compare with the next model reload before changing anything."],
        metrics: "p95 1.2 s (usual 180 ms). Disk reads 410 MB/s a pod. CPU 35 %.",
        blast_radius: "3 pods, 1 service (recommendations); pages show without recommendations after 1.5 s.",
        ..Insight::default()
    });
    incident.at("9:00").snoozed("1:09:00");
    incident.at("1:12:00").resolved_by_hand(
        "It was the nightly model reload; p95 went back to 180 ms when it finished. Nothing to repair.",
    );
    incident
}

/// Signals that opened no incident: just arrived, within the cooldown, suppressed.
pub(super) fn stray_signals(clock: Clock, checkout: &str) -> Vec<Draft> {
    let late = Moment::today("8:50").plus("5:00");
    vec![
        Signal("HighLatency", "recommendations are slow", "p95 0.9s").anomaly(
            clock,
            NOW.plus("-0:02"),
            &Target::new("Deployment", "shop", "recommend-api"),
        ),
        Signal(
            "OOMKilled",
            "container api was killed at its limit of 512Mi",
            "1 kill in a pod of the old revision",
        )
        .anomaly(clock, late, &Target::new("Deployment", "shop", "checkout-api"))
        .status(json!({"correlated": true, "issueRef": {"name": checkout}})),
        Signal("CPUHigh", "container transcode is busy", "CPU 96 %")
            .anomaly(
                clock,
                Moment::today("0:00"),
                &Target::new("StatefulSet", "media", "transcoder"),
            )
            .status(json!({"correlated": true, "issueRef": {"name": "suppressed:seasonal"}})),
    ]
}
