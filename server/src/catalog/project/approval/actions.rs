//! What would be done to what, and what the cluster says there now.

use crate::{
    resources::{
        ActionType, Deployment,
        approval_request::ApprovalRequestSpec,
        shared::{Action, ResourceRef, TextMap},
    },
    rules::masking,
};
use k8s_openapi::api::core::v1::Container;
use opsdeck_api::{StringMap, approval::RequestedAction};

const REVISION: &str = "deployment.kubernetes.io/revision";
/// Said of a limit or request that the container does not have.
const NONE: &str = "none";

/// `about` is what the whole plan is about, `deployment` the same as the cluster has it.
pub(super) fn requested(
    spec: &ApprovalRequestSpec,
    about: Option<&ResourceRef>,
    deployment: Option<&Deployment>,
) -> Vec<RequestedAction> {
    let numbered = (1..).zip(&spec.requested_actions);
    numbered
        .map(|(order, action)| RequestedAction {
            order,
            kind: action.action.to_string(),
            target: target(action, about),
            params: masking::params(action.action.as_str(), &action.params),
            before: deployment.and_then(|deployment| before(action, deployment)),
        })
        .collect()
}

/// The object that the parameters name, else what the plan is about; none where a manifest decides.
fn target(action: &Action, about: Option<&ResourceRef>) -> Option<opsdeck_api::ResourceRef> {
    use ActionType as A;
    let (kind, param) = match action.action {
        A::CordonNode | A::UncordonNode | A::DrainNode | A::CordonAndDeleteDaemonSetPod => ("Node", "node"),
        A::ResizePvc | A::RecreateStatefulSetPvc => ("PersistentVolumeClaim", "pvc"),
        A::RotateSecret => ("Secret", "secret"),
        A::PatchConfig => ("ConfigMap", "configmap"),
        A::AdjustHpa => ("HorizontalPodAutoscaler", "hpa"),
        A::UpdateIngress => ("Ingress", "ingress"),
        A::PatchNetworkPolicy => ("NetworkPolicy", "networkPolicy"),
        A::DeletePod
        | A::DeleteStatefulSetPod
        | A::DeleteDaemonSetPod
        | A::ForceDeleteStatefulSetPod
        | A::RestartStatefulSetPod
        | A::ExecDiagnostic => ("Pod", "pod"),
        A::ApplyManifest => return None,
        _ => ("", ""),
    };
    let about = about.map(|about| opsdeck_api::ResourceRef {
        kind: about.kind.clone(),
        name: about.name.clone(),
        namespace: about.namespace.clone(),
    });
    let named = action.params.get(param).filter(|name| !name.is_empty());
    match (named, about) {
        (Some(name), about) => Some(opsdeck_api::ResourceRef {
            kind: kind.to_owned(),
            name: name.clone(),
            namespace: about
                .filter(|_| kind != "Node")
                .map(|about| about.namespace)
                .unwrap_or_default(),
        }),
        // Without a name the ingress is the one that is called like the workload.
        (None, Some(about)) if action.action == A::UpdateIngress => Some(opsdeck_api::ResourceRef {
            kind: kind.to_owned(),
            ..about
        }),
        (None, about) => about,
    }
}

fn before(action: &Action, deployment: &Deployment) -> Option<StringMap> {
    match action.action {
        ActionType::ScaleDeployment => {
            let replicas = deployment.spec.as_ref()?.replicas.unwrap_or(1);
            Some([("replicas".to_owned(), replicas.to_string())].into())
        }
        ActionType::AdjustResources => Some(resources(&action.params, container(&action.params, deployment)?)),
        ActionType::RollbackDeployment => {
            Some(release(&action.params, deployment)).filter(|release| !release.is_empty())
        }
        _ => None,
    }
}

/// The container that is named; without a name the only one there is.
fn container<'a>(params: &TextMap, deployment: &'a Deployment) -> Option<&'a Container> {
    let containers = &deployment.spec.as_ref()?.template.spec.as_ref()?.containers;
    match (params.get("container").filter(|name| !name.is_empty()), &containers[..]) {
        (Some(name), containers) => containers.iter().find(|container| container.name == *name),
        (None, [only]) => Some(only),
        _ => None,
    }
}

/// What the container has of that which would be changed.
fn resources(params: &TextMap, container: &Container) -> StringMap {
    let resources = container.resources.as_ref();
    let limits = resources.and_then(|resources| resources.limits.as_ref());
    let requests = resources.and_then(|resources| resources.requests.as_ref());
    [
        ("memory_limit", limits, "memory"),
        ("memory_request", requests, "memory"),
        ("cpu_limit", limits, "cpu"),
        ("cpu_request", requests, "cpu"),
    ]
    .into_iter()
    .filter(|(param, ..)| params.contains_key(*param))
    .map(|(param, quantities, resource)| {
        let quantity = quantities.and_then(|quantities| quantities.get(resource));
        (
            param.to_owned(),
            quantity.map_or_else(|| NONE.to_owned(), |quantity| quantity.0.clone()),
        )
    })
    .collect()
}

/// Revision, under the name of the parameter that sets it, and the image of each container: `image` where there is one, else
/// `image <container>`.
fn release(params: &TextMap, deployment: &Deployment) -> StringMap {
    let member = if params.contains_key("toRevision") {
        "toRevision"
    } else {
        "revision"
    };
    let revision = deployment
        .metadata
        .annotations
        .as_ref()
        .and_then(|annotations| annotations.get(REVISION));
    let pod = deployment.spec.as_ref().and_then(|spec| spec.template.spec.as_ref());
    let containers = pod.map(|pod| &pod.containers[..]).unwrap_or_default();
    let images = containers.iter().filter_map(|container| {
        let member = if containers.len() == 1 {
            "image".to_owned()
        } else {
            format!("image {}", container.name)
        };
        Some((member, container.image.clone()?))
    });
    revision
        .map(|revision| (member.to_owned(), revision.clone()))
        .into_iter()
        .chain(images)
        .collect()
}
