//! The chaos experiments of staging, and the request that one of them waits for.

use super::{
    cart_chaos,
    clock::{Clock, Moment, NOW},
    draft::Draft,
    signal::Target,
};
use serde_json::{Value, json};

fn experiment(
    clock: Clock,
    created: Moment,
    name: &str,
    kind: &str,
    target: &Target,
    duration: &str,
    parameters: Value,
) -> Draft {
    Draft::new("ChaosExperiment", "staging", name, clock.text(created)).spec(json!({
        "experimentType": kind, "target": target.reference(), "duration": duration, "parameters": parameters,
        "enabled": true,
        "safetyChecks": {
            "minHealthyPods": 2, "maxConcurrentExperiments": 1, "abortOnIssueDetected": false, "requireApproval": false,
            "allowedNamespaces": ["staging"],
        },
        "postExperiment": {"verifyRecovery": true, "recoveryTimeout": "5m"},
    }))
}

/// A workload in one line, as the experiments note it.
fn snapshot(target: &Target, replicas: i32, ready: i32) -> String {
    format!(
        "{}: replicas={replicas} ready={ready} available={ready} updated={replicas}",
        target.path()
    )
}

pub(super) fn all(clock: Clock) -> Vec<Draft> {
    let cart = Target::new("Deployment", "staging", "cart-service");
    let search = Target::new("Deployment", "staging", "search-api");
    let ledger = Target::new("StatefulSet", "staging", "ledger-db");
    let edge = Target::new("Deployment", "staging", "edge-proxy");
    let text = |moment| clock.text(moment);

    let began = cart_chaos::BEGUN;
    let mut kill = experiment(
        clock,
        began.plus("-1:00"),
        "cart-pod-kill",
        "pod_kill",
        &cart,
        "2m",
        json!({"count": "2"}),
    )
    .status(json!({
        "state": "Completed", "startedAt": text(began.plus("-0:40")), "completedAt": text(began.plus("2:05")),
        "result": "2 pods killed; the workload was whole again 45.1s after the last kill", "recoveryVerified": true,
        "recoveryTime": "45.1s",
        "podsAffected": 2, "preExperimentSnapshot": snapshot(&cart, 5, 5),
        "postExperimentSnapshot": snapshot(&cart, 5, 5),
    }));
    kill.amend(
        json!({"postExperiment": {"verifyRecovery": true, "recoveryTimeout": "5m", "runRemediationTest": true}}),
    );

    let began = Moment::today("11:58");
    let memory = json!({"bytes": "256Mi", "workers": "2"});
    let memory = experiment(
        clock,
        began.plus("-0:20"),
        "search-memory",
        "memory_stress",
        &search,
        "5m",
        memory,
    )
    .status(json!({
        "state": "Running", "startedAt": text(began), "recoveryVerified": false, "podsAffected": 2,
        "preExperimentSnapshot": snapshot(&search, 4, 4),
    }));

    let mut failure = experiment(
        clock,
        asked(),
        "ledger-pod-failure",
        "pod_failure",
        &ledger,
        "3m",
        json!({"count": "1"}),
    );
    failure.amend(json!({"safetyChecks": {
        "minHealthyPods": 2, "maxConcurrentExperiments": 1, "abortOnIssueDetected": true, "requireApproval": true,
        "allowedNamespaces": ["staging"],
    }}));
    let failure = failure.status(json!({
        "state": "Pending", "recoveryVerified": false, "podsAffected": 0,
        "result": "Waiting for approval chaos-ledger-pod-failure",
    }));
    let request = approval(clock, &failure);

    let began = Moment::days_ago(5, "13:30");
    let stress = json!({"cores": "2", "loadPercent": "80"});
    let mut cpu = experiment(
        clock,
        began.plus("-0:30"),
        "cart-cpu",
        "cpu_stress",
        &cart,
        "10m",
        stress,
    )
    .status(json!({
        "state": "Aborted", "startedAt": text(began), "completedAt": text(began.plus("3:42")),
        "result": "Aborted: an Issue appeared on Deployment staging/cart-service", "recoveryVerified": false,
        "podsAffected": 2,
        "preExperimentSnapshot": snapshot(&cart, 5, 5), "postExperimentSnapshot": snapshot(&cart, 5, 4),
    }));
    cpu.amend(json!({"safetyChecks": {
        "minHealthyPods": 2, "maxConcurrentExperiments": 1, "abortOnIssueDetected": true,
        "allowedNamespaces": ["staging"],
    }}));

    let began = Moment::days_ago(8, "10:05");
    let delay = experiment(
        clock,
        began,
        "edge-delay",
        "network_delay",
        &edge,
        "5m",
        json!({"latency": "200ms"}),
    )
    .status(json!({
        "state": "Failed", "completedAt": text(began.plus("0:01")),
        "result": "Experiment type network_delay is not supported",
        "recoveryVerified": false, "podsAffected": 0,
    }));

    let began = Moment::days_ago(6, "15:20");
    let disk = json!({"size": "512Mi", "workers": "1"});
    let mut disk = experiment(clock, began, "cart-disk-dry", "disk_stress", &cart, "2m", disk).status(json!({
        "state": "Completed", "startedAt": text(began.plus("0:01")), "completedAt": text(began.plus("0:02")),
        "result": "Dry run: would fill 512Mi in 5 pods of Deployment staging/cart-service; nothing was touched",
        "recoveryVerified": false,
        "podsAffected": 0, "preExperimentSnapshot": snapshot(&cart, 5, 5),
    }));
    disk.amend(json!({"dryRun": true}));

    vec![kill, memory, failure, request, cpu, delay, disk]
}

/// Late enough that the request has more than a quarter of an hour left.
const fn asked() -> Moment {
    NOW.plus("-7:30")
}

fn approval(clock: Clock, experiment: &Draft) -> Draft {
    let name = experiment.name();
    Draft::new(
        "ApprovalRequest",
        "staging",
        &format!("chaos-{name}"),
        clock.text(asked().plus("0:01")),
    )
    .label("chaos-experiment", name)
    .owned_by(experiment)
    .spec(json!({
        "issueRef": {"name": format!("chaos-experiment-{name}")}, "remediationPlanRef": name,
        "policyRef": "chaos-safety",
        "ruleName": "chaos-experiment-approval",
        "requestedActions": [{
            "type": "Custom",
            "params": {"experiment": name, "experimentType": "pod_failure",
                "target": "StatefulSet staging/ledger-db", "count": "1", "duration": "3m"},
        }],
        "requester": "chaos-controller",
        "blastRadius": {
            "affectedPods": 1, "affectedServices": 0, "affectedNamespaces": ["staging"], "riskLevel": "high",
            "description": "pod_failure on StatefulSet staging/ledger-db: 1 of 3 pods for 3 minutes, 2 stay healthy",
        },
        "timeoutMinutes": 30, "requiredApprovers": 1,
    }))
    .status(json!({"state": "Pending", "autoApproved": false}))
}
