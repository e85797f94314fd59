//! The server as it runs in a pod: it finds the API server by its environment, and goes on when its token is replaced.

use crate::{
    bed::{ADMIN, Bed, until},
    load::{objects, put},
    rights::{NAMESPACE, give_rights, token},
    served::{INES, Served},
    shown::{address, issue},
};
use k8s_openapi::api::core::v1::Secret;
use kube::{
    Api, Client,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams},
};
use opsdeck::resources::Kind;
use serde_json::json;
use std::{fs, path::Path};
use tempfile::TempDir;

/// A token that is worth nothing once the Secret of that name is gone.
async fn token_bound_to(client: &Client, name: &str) -> String {
    let secrets: Api<Secret> = Api::namespaced(client.clone(), NAMESPACE);
    let secret: Secret = serde_json::from_value(json!({"metadata": {"name": name}})).unwrap();
    let uid = secrets
        .create(&PostParams::default(), &secret)
        .await
        .unwrap()
        .metadata
        .uid;
    token(
        client,
        json!({"apiVersion": "v1", "kind": "Secret", "name": name, "uid": uid}),
    )
    .await
}

/// As the kubelet does it: readers find the old file or the new one.
fn mount(account: &Path, token: &str) {
    let fresh = account.join("..token");
    fs::write(&fresh, token).unwrap();
    fs::rename(fresh, account.join("token")).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pod_goes_on_with_its_new_token_when_the_old_one_holds_no_more() {
    let Some(bed) = Bed::start().await else { return };
    bed.define(|_| true).await;
    bed.namespace("shop").await;
    give_rights(&bed).await;
    let admin = bed.client(ADMIN).await;
    put(&admin, &address(Kind::Issue, "one"), issue()).await;
    let account = TempDir::new().unwrap();
    let old = token_bound_to(&admin, "first").await;
    mount(account.path(), &old);
    fs::copy(bed.authority(), account.path().join("ca.crt")).unwrap();
    fs::write(account.path().join("namespace"), NAMESPACE).unwrap();
    let Some(served) = Served::start_in_a_pod(account.path(), bed.ports.api).await else {
        return;
    };
    const INCIDENTS: &str = "/api/v1/incidents";
    served
        .until("it is ready", "/readyz", |answer| answer.status == 200)
        .await;
    let acknowledge = || served.post(INES, "/api/v1/incidents/one/acknowledge?namespace=shop", "");
    assert_eq!(acknowledge().status, 200);

    mount(account.path(), &token_bound_to(&admin, "second").await);
    let secrets: Api<Secret> = Api::namespaced(admin.clone(), NAMESPACE);
    secrets.delete("first", &DeleteParams::default()).await.unwrap();
    let by_the_old = bed.client(&old).await;
    until("the old token holds no more", async || {
        let refused = objects(&by_the_old, Kind::Issue, None)
            .list(&ListParams::default())
            .await;
        matches!(refused, Err(kube::Error::Api(status)) if status.code == 401)
    })
    .await;
    until("writes go on with the new one", async || {
        assert_eq!(served.get(INCIDENTS).status, 200);
        assert_eq!(served.get("/readyz").status, 200, "readiness does not flap");
        acknowledge().status == 200
    })
    .await;
    let note = Patch::Merge(json!({"metadata": {"annotations": {"example.com/note": "rotated"}}}));
    objects(&admin, Kind::Issue, Some("shop"))
        .patch("one", &PatchParams::default(), &note)
        .await
        .unwrap();
    served
        .until("watches go on with the new one", INCIDENTS, |answer| {
            answer.body["items"][0]["annotations"]["example.com/note"] == "rotated"
                && answer.header("x-data-as-of").is_none()
        })
        .await;
}
