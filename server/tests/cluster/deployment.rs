//! The manifests of `deploy/` are taken by a real API server to the letter, in a namespace whose pods are restricted. What they say
//! in themselves is in `tests/it/deployment.rs`.

use crate::bed::{ADMIN, Bed};
use k8s_openapi::api::core::v1::{Namespace, Pod};
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams, PostParams, ValidationDirective},
};
use serde_json::{Value, json};
use std::{fs, path::Path};

const NAMESPACE: &str = "chatcli-system";

/// What the kustomization names.
fn manifests() -> Vec<Value> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy");
    let read = |file: &str| fs::read_to_string(directory.join(file)).unwrap();
    let kustomization: Value = serde_saphyr::from_str(&read("kustomization.yaml")).unwrap();
    assert_eq!(kustomization["namespace"], NAMESPACE);
    let files = kustomization["resources"].as_array().unwrap();
    let documents =
        |file: &Value| -> Vec<Value> { serde_saphyr::from_multiple(&read(file.as_str().unwrap())).unwrap() };
    files.iter().flat_map(documents).collect()
}

/// As `kubectl apply --server-side` does it: a member that the API server does not know is an error.
async fn apply(client: &Client, object: &Value) -> Result<DynamicObject, kube::Error> {
    let object: DynamicObject = serde_json::from_value(object.clone()).unwrap();
    let types = object.types.clone().unwrap();
    let (group, version) = types.api_version.split_once('/').unwrap_or(("", &types.api_version));
    let mut resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, &types.kind));
    if types.kind == "NetworkPolicy" {
        resource.plural = "networkpolicies".into();
    }
    let api: Api<DynamicObject> = if types.kind.starts_with("Cluster") {
        Api::all_with(client.clone(), &resource)
    } else {
        Api::namespaced_with(client.clone(), NAMESPACE, &resource)
    };
    let strict = PatchParams {
        field_validation: Some(ValidationDirective::Strict),
        ..PatchParams::apply("deployment")
    };
    api.patch(&object.metadata.name.clone().unwrap(), &strict, &Patch::Apply(&object))
        .await
}

async fn restricted(client: &Client) {
    let namespace: Namespace = serde_json::from_value(json!({
        "metadata": {"name": NAMESPACE, "labels": {"pod-security.kubernetes.io/enforce": "restricted"}},
    }))
    .unwrap();
    let namespaces: Api<Namespace> = Api::all(client.clone());
    namespaces.create(&PostParams::default(), &namespace).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_manifests_are_taken_and_their_pods_are_restricted() {
    let Some(bed) = Bed::start().await else { return };
    let client = bed.client(ADMIN).await;
    restricted(&client).await;
    let manifests = manifests();
    for manifest in &manifests {
        let applied = apply(&client, manifest).await;
        applied.unwrap_or_else(|error| panic!("{} {}: {error}", manifest["kind"], manifest["metadata"]["name"]));
    }
    let deployment = manifests
        .iter()
        .find(|manifest| manifest["kind"] == "Deployment")
        .unwrap();
    let mut misspelt = deployment.clone();
    misspelt["spec"]["template"]["spec"]["terminationGracePeriod"] = 30.into();
    let refused = apply(&client, &misspelt).await.unwrap_err().to_string();
    assert!(refused.contains("terminationGracePeriod"), "{refused}");

    let pods: Api<Pod> = Api::namespaced(client, NAMESPACE);
    let mut template = deployment["spec"]["template"].clone();
    template["metadata"]["name"] = "opsdeck-1".into();
    let create = async |template: &Value| {
        let pod: Pod = serde_json::from_value(template.clone()).unwrap();
        pods.create(&PostParams::default(), &pod).await
    };
    create(&template).await.unwrap();
    template["metadata"]["name"] = "opsdeck-2".into();
    for loosened in [
        json!({"privileged": true, "allowPrivilegeEscalation": true}),
        json!({"allowPrivilegeEscalation": true}),
        json!({"capabilities": {"drop": []}}),
        json!({"runAsUser": 0}),
        json!({"seccompProfile": {"type": "Unconfined"}}),
    ] {
        let mut loose = template.clone();
        let context = loose["spec"]["containers"][0]["securityContext"]
            .as_object_mut()
            .unwrap();
        context.extend(loosened.as_object().unwrap().clone());
        let refused = create(&loose).await.unwrap_err().to_string();
        assert!(
            refused.contains("violates PodSecurity \"restricted"),
            "{loosened}: {refused}"
        );
    }
}
