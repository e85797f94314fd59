//! The rights in `deploy/rbac.yaml` are enough, and no more than that; the keys come from the cluster and go with it.

use crate::{
    bed::{ADMIN, Bed, until},
    load::{objects, put},
    reading::access,
    shown::{Shown, address, issue},
};
use arc_swap::ArcSwap;
use jiff::Timestamp;
use k8s_openapi::api::{
    authentication::v1::TokenRequest,
    core::v1::{ConfigMap, Secret, ServiceAccount},
};
use kube::{
    Api, Client,
    api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, Patch, PatchParams, PostParams},
};
use opsdeck::{
    access::{key_cluster, keys::KeySet},
    resources::Kind,
    source::{Change, Source as _, Standing, Verb, WriteError, kubernetes::Kubernetes},
    telemetry::metrics::Keys,
};
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) const NAMESPACE: &str = "chatcli-system";
const RIGHTS: &str = include_str!("../../../deploy/rbac.yaml");

/// Applies the manifests and answers a token of the service account.
pub(crate) async fn give_rights(bed: &Bed) -> String {
    bed.namespace(NAMESPACE).await;
    let client = bed.client(ADMIN).await;
    let documents: Vec<Value> = serde_saphyr::from_multiple(RIGHTS).unwrap();
    assert_eq!(documents.len(), 5);
    for document in documents {
        let object: DynamicObject = serde_json::from_value(document).unwrap();
        let types = object.types.clone().unwrap();
        let (group, version) = types.api_version.split_once('/').unwrap_or(("", &types.api_version));
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, &types.kind));
        let api: Api<DynamicObject> = match &object.metadata.namespace {
            Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
            None => Api::all_with(client.clone(), &resource),
        };
        api.create(&PostParams::default(), &object).await.unwrap();
    }
    token(&client, Value::Null).await
}

/// A token of the service account. It holds as long as the object that it is bound to is there.
pub(crate) async fn token(client: &Client, bound_to: Value) -> String {
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), NAMESPACE);
    let spec = json!({"audiences": [], "boundObjectRef": bound_to});
    let request: TokenRequest = serde_json::from_value(json!({ "spec": spec })).unwrap();
    let answer = accounts
        .create_token_request("opsdeck", &PostParams::default(), &request)
        .await
        .unwrap();
    answer.status.unwrap().token
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rights_that_are_deployed_are_enough_and_no_more() {
    let Some(bed) = Bed::start().await else { return };
    bed.define(|_| true).await;
    bed.namespace("shop").await;
    let token = give_rights(&bed).await;
    let admin = bed.client(ADMIN).await;
    put(&admin, &address(Kind::Issue, "one"), issue()).await;
    let shown = Shown::nothing();
    let access = access(bed.kubeconfig(&token));
    let source = Kubernetes::connect(&access, Vec::new(), shown.0.clone()).await.unwrap();
    until("everything is read", async || source.is_filled()).await;
    for kind in Kind::ALL {
        until("the kind may be watched", async || {
            source.standing(kind) == Standing::Current
        })
        .await;
    }

    let write = async |kind, name: &str, verb| {
        let change = Change {
            address: address(kind, name),
            precondition: None,
            verb,
        };
        source.write(change).await
    };
    let mark = || Verb::Patch(json!({"metadata": {"annotations": {"aiops.chatcli.io/acknowledged": "true"}}}));
    write(Kind::Issue, "one", mark()).await.unwrap();
    let resolve = Verb::PatchStatus(json!({"status": {"state": "Resolved", "remediationAttempts": 0}}));
    write(Kind::Issue, "one", resolve).await.unwrap();
    // Allowed, so that the API server looks for the object and finds none.
    let votes = Verb::PatchStatus(json!({"status": {"state": "Pending"}}));
    let absent = [
        write(Kind::ApprovalRequest, "none", votes.clone()).await,
        write(Kind::PostMortem, "none", votes).await,
        write(Kind::PostMortem, "none", mark()).await,
        write(Kind::Instance, "none", mark()).await,
        write(Kind::Runbook, "none", mark()).await,
        write(Kind::Runbook, "none", Verb::Delete).await,
    ];
    for outcome in absent {
        assert!(matches!(outcome, Err(WriteError::NotFound(_))), "{outcome:?}");
    }
    for kind in [Kind::Runbook, Kind::AuditEvent] {
        let empty = write(kind, "new", Verb::Create(json!({"spec": {}}))).await;
        assert!(
            matches!(empty, Ok(_) | Err(WriteError::Rejected(_))),
            "{kind}: {empty:?}"
        );
    }

    let beyond = [
        write(Kind::Issue, "two", Verb::Create(issue())).await,
        write(Kind::Issue, "one", Verb::Delete).await,
        write(Kind::ApprovalRequest, "none", mark()).await,
        write(Kind::RemediationPlan, "none", mark()).await,
        write(Kind::AuditEvent, "none", mark()).await,
        write(Kind::Deployment, "cart", mark()).await,
        write(Kind::ConfigMap, "chatcli-cost-ledger", mark()).await,
    ];
    for outcome in beyond {
        assert!(matches!(outcome, Err(WriteError::ForbiddenByCluster(_))), "{outcome:?}");
    }
    let client = bed.client(&token).await;
    let secrets: Api<Secret> = Api::namespaced(client.clone(), NAMESPACE);
    assert!(secrets.list(&Default::default()).await.is_err() && secrets.get("another").await.is_err());
    let maps: Api<ConfigMap> = Api::all(client.clone());
    assert!(maps.list(&Default::default()).await.is_err());
    assert!(
        objects(&client, Kind::Issue, None)
            .list(&Default::default())
            .await
            .is_ok()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_come_from_the_secret_else_from_the_config_map_and_are_revoked_with_them() {
    let Some(bed) = Bed::start().await else { return };
    let token = give_rights(&bed).await;
    let admin = bed.client(ADMIN).await;
    let shown = Shown::nothing();
    let access = access(bed.kubeconfig(&token));
    let mut source = Kubernetes::connect(&access, Vec::new(), shown.0.clone()).await.unwrap();
    let keys: Arc<ArcSwap<KeySet>> = Arc::default();
    let taken = keys.clone();
    source.follow_keys(NAMESPACE, move |text| {
        key_cluster::take_over(&taken, text, None, &Keys::default())
    });
    let until_known = async |wanted: &[&str]| {
        let known = || {
            let set = keys.load();
            set.len() == wanted.len() && wanted.iter().all(|key| set.find(key, Timestamp::UNIX_EPOCH).is_some())
        };
        until(&format!("the keys are {wanted:?}"), async || known()).await;
    };

    let maps = stored::<ConfigMap>(&admin);
    let secrets = stored::<Secret>(&admin);
    let map = |yaml: &str| json!({"metadata": {"name": "chatcli-operator-config"}, "data": {"api-keys": yaml}});
    let secret =
        |yaml: &str| json!({"metadata": {"name": "chatcli-operator-secrets"}, "stringData": {"api-keys": yaml}});
    create(&maps, map("- {key: m, role: viewer}")).await;
    until_known(&["m"]).await;
    create(&secrets, secret("- {key: s, role: viewer}\n- {key: t, role: admin}")).await;
    until_known(&["s", "t"]).await;
    patch(&secrets, secret("- {key: ["), "chatcli-operator-secrets").await;
    patch(&secrets, secret("- {key: u, role: viewer}"), "chatcli-operator-secrets").await;
    until_known(&["u"]).await;
    patch(&secrets, secret(" "), "chatcli-operator-secrets").await;
    until_known(&["m"]).await;
    secrets
        .delete("chatcli-operator-secrets", &DeleteParams::default())
        .await
        .unwrap();
    maps.delete("chatcli-operator-config", &DeleteParams::default())
        .await
        .unwrap();
    until_known(&[]).await;
}

fn stored<K: kube::Resource<DynamicType = (), Scope = k8s_openapi::NamespaceResourceScope>>(client: &Client) -> Api<K> {
    Api::namespaced(client.clone(), NAMESPACE)
}

async fn create<K>(api: &Api<K>, object: Value)
where
    K: kube::Resource + Clone + std::fmt::Debug + serde::de::DeserializeOwned + serde::Serialize,
{
    let object: K = serde_json::from_value(object).unwrap();
    api.create(&PostParams::default(), &object).await.unwrap();
}

async fn patch<K>(api: &Api<K>, object: Value, name: &str)
where
    K: kube::Resource + Clone + std::fmt::Debug + serde::de::DeserializeOwned,
{
    api.patch(name, &PatchParams::default(), &Patch::Merge(object))
        .await
        .unwrap();
}
