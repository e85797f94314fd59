//! What happens if it goes wrong: one sentence, made of what plan and actions say. Nothing where they say nothing.

use crate::resources::{
    ActionType, RemediationPlan,
    approval_request::ApprovalRequestSpec,
    remediation_plan::{RemediationPlanStatus, ResourceSnapshot},
};

pub(super) fn sentence(spec: &ApprovalRequestSpec, plan: Option<&RemediationPlan>) -> Option<String> {
    let status = plan.and_then(|plan| plan.status.as_ref());
    let done = status.filter(|status| status.rollback_performed).map(undone);
    let sentences = done.or_else(|| planned(plan?)).into_iter().chain(
        spec.requested_actions
            .iter()
            .find_map(|action| final_step(&action.action)),
    );
    Some(sentences.collect::<Vec<_>>().join(" ")).filter(|text| !text.is_empty())
}

fn undone(status: &RemediationPlanStatus) -> String {
    match &*status.rollback_result {
        "" => "Was rolled back.".into(),
        result => format!("Was rolled back: {}.", result.trim_end_matches('.')),
    }
}

fn planned(plan: &RemediationPlan) -> Option<String> {
    let snapshot = plan
        .status
        .as_ref()
        .and_then(|status| status.preflight_snapshot.as_deref());
    let promised = plan
        .spec
        .safety_constraints
        .iter()
        .any(|constraint| constraint.eq_ignore_ascii_case("rollback on failure"));
    match snapshot.and_then(known_state) {
        Some(state) => Some(format!("Goes back to the state before the first action: {state}.")),
        None if promised => Some("Is rolled back on failure, as the plan demands.".into()),
        None => None,
    }
}

/// What a person would recognise of a snapshot. A zero in it is as good as nothing: it cannot be told from a member that was left out.
fn known_state(snapshot: &ResourceSnapshot) -> Option<String> {
    let mut parts = Vec::new();
    match snapshot.replicas {
        0 => {}
        1 => parts.push("1 replica".to_owned()),
        replicas => parts.push(format!("{replicas} replicas")),
    }
    parts.extend(
        snapshot
            .container_images
            .iter()
            .map(|(container, image)| format!("{container} {image}")),
    );
    for (container, resources) in &snapshot.container_resources {
        let figures = [
            ("memory limit", &resources.memory_limit),
            ("memory request", &resources.memory_request),
            ("CPU limit", &resources.cpu_limit),
            ("CPU request", &resources.cpu_request),
        ];
        parts.extend(
            figures
                .into_iter()
                .filter(|(_, value)| !value.is_empty())
                .map(|(name, value)| format!("{container} {name} {value}")),
        );
    }
    if snapshot.hpa_max_replicas > 0 {
        parts.push(format!(
            "autoscaler {} to {}",
            snapshot.hpa_min_replicas, snapshot.hpa_max_replicas
        ));
    }
    if snapshot.resource_kind == "Node" {
        parts.push(
            if snapshot.node_unschedulable {
                "the node takes no new pods"
            } else {
                "the node takes new pods"
            }
            .to_owned(),
        );
    }
    Some(parts.join(", ")).filter(|state| !state.is_empty())
}

/// Steps that nothing can take back, by what they do to Kubernetes' own objects.
fn final_step(action: &ActionType) -> Option<String> {
    use ActionType as A;
    let why = match action {
        A::ResizePvc => "a volume claim cannot be made smaller again",
        A::RecreateStatefulSetPvc => "what was on the old volume claim is not brought back",
        A::DeletePod
        | A::DeleteStatefulSetPod
        | A::ForceDeleteStatefulSetPod
        | A::DeleteDaemonSetPod
        | A::CordonAndDeleteDaemonSetPod => "a deleted pod does not come back, its owner starts another",
        A::DeleteFailedJob => "a deleted job does not come back",
        A::ForceDeleteJobPods | A::DeleteCronJobActiveJobs => "work that was under way is lost",
        _ => return None,
    };
    Some(format!("{action} cannot be undone: {why}."))
}
