//! Chaos experiments: one that was approved begins, one that runs ends when its time is over.

use crate::{
    catalog::Snapshot,
    resources::{ApprovalRequest, ApprovalState, ChaosExperiment, ChaosState, Typed, moment},
    rules::{approval_case::state, duration},
    source::{Change, Verb},
};
use jiff::Timestamp;
use serde_json::{Value, json};

pub(super) fn due(now: Timestamp, world: &Snapshot) -> Vec<Change> {
    let experiments = world.table::<ChaosExperiment>().iter().map(|row| &*row.object);
    experiments
        .filter_map(|experiment| Some(change(experiment, next(experiment, now, world)?)))
        .collect()
}

fn next(experiment: &ChaosExperiment, now: Timestamp, world: &Snapshot) -> Option<Value> {
    let status = experiment.status.as_ref()?;
    let time = moment::written(now);
    match status.state {
        ChaosState::Pending => {
            let request = format!("chaos-{}", experiment.name());
            let request = &world
                .table::<ApprovalRequest>()
                .get(experiment.namespace(), &request)?
                .object;
            match state(request) {
                ApprovalState::Approved => {
                    Some(json!({"state": "Running", "startedAt": time, "podsAffected": 1, "result": null}))
                }
                ApprovalState::Rejected => {
                    Some(json!({"state": "Failed", "completedAt": time, "result": "Approval rejected"}))
                }
                ApprovalState::Expired => {
                    Some(json!({"state": "Failed", "completedAt": time, "result": "Approval expired"}))
                }
                _ => None,
            }
        }
        ChaosState::Running => {
            let end = status.started_at? + duration::parse(&experiment.spec.duration).ok()?;
            (end <= now).then(|| {
                json!({
                    "state": "Completed", "completedAt": time, "recoveryVerified": true, "recoveryTime": "12.4s",
                    "result": "The fault is over; the workload was whole again 12.4s later",
                    "postExperimentSnapshot": status.pre_experiment_snapshot,
                })
            })
        }
        _ => None,
    }
}

fn change(experiment: &ChaosExperiment, status: Value) -> Change {
    Change {
        address: experiment.address(),
        precondition: experiment.meta().resource_version.clone(),
        verb: Verb::PatchStatus(json!({"status": status})),
    }
}
