//! What the source tells of a cluster is what a fresh list says.

use crate::{
    bed::{ADMIN, Bed, until},
    load::{objects, put},
    served::{MIRA, Served},
    shown::{Shown, address, issue},
};
use jiff::Timestamp;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api,
    api::{DeleteParams, Patch, PatchParams},
};
use opsdeck::{
    resources::Kind,
    source::{
        Address, Source as _, Standing,
        kubernetes::{Access, Kubernetes},
        sample,
    },
};
use serde_json::json;
use std::{collections::BTreeMap, path::PathBuf};

pub(crate) fn access(kubeconfig: PathBuf) -> Access {
    Access {
        kubeconfig: Some(kubeconfig),
        context: None,
    }
}

async fn everything(bed: &Bed) -> BTreeMap<Address, String> {
    let mut versions = BTreeMap::new();
    for kind in Kind::ALL {
        versions.extend(bed.versions(kind).await);
    }
    versions
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_kind_is_read_as_a_fresh_list_has_it_and_followed() {
    let Some(bed) = Bed::start().await else { return };
    bed.define(|_| true).await;
    bed.load(sample::objects(Timestamp::now())).await;
    let (all, some) = (Shown::nothing(), Shown::nothing());
    let access = access(bed.kubeconfig(ADMIN));
    let source = Kubernetes::connect(&access, Vec::new(), all.0.clone()).await.unwrap();
    let narrow = Kubernetes::connect(&access, vec!["edge".into(), "shop".into()], some.0.clone())
        .await
        .unwrap();
    until("everything is read", async || source.is_filled() && narrow.is_filled()).await;

    let fresh = everything(&bed).await;
    for kind in Kind::ALL {
        assert!(
            fresh.keys().any(|address| address.kind == kind),
            "{kind}: the sample has one"
        );
        assert_eq!(source.standing(kind), Standing::Current);
    }
    assert_eq!(all.versions(), fresh);
    let watched = |address: &Address| ["edge", "shop"].contains(&address.namespace.as_str());
    let narrowed = |mut versions: BTreeMap<Address, String>| {
        versions.retain(|address, _| watched(address));
        versions
    };
    assert_eq!(some.versions(), narrowed(fresh.clone()));

    let client = bed.client(ADMIN).await;
    let issues: Vec<_> = fresh
        .keys()
        .filter(|address| address.kind == Kind::Issue)
        .cloned()
        .collect();
    let api = |address: &Address| objects(&client, address.kind, Some(&address.namespace));
    let annotate = Patch::Merge(json!({"metadata": {"annotations": {"example.com/touched": "yes"}}}));
    api(&issues[0])
        .patch(&issues[0].name, &PatchParams::default(), &annotate)
        .await
        .unwrap();
    api(&issues[1])
        .delete(&issues[1].name, &DeleteParams::default())
        .await
        .unwrap();
    put(&client, &address(Kind::Issue, "fresh-from-the-watch"), issue()).await;
    let changed = everything(&bed).await;
    assert_ne!(changed, fresh);
    until("the changes come by the watches", async || {
        all.versions() == changed && some.versions() == narrowed(changed.clone())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kind_that_is_missing_says_so_and_is_found_when_it_comes() {
    let Some(bed) = Bed::start().await else { return };
    bed.define(|kind| kind != Kind::Instance && kind != Kind::Runbook).await;
    let served = Served::start(&bed.kubeconfig(ADMIN)).await;
    served
        .until("the rest is ready", "/readyz", |answer| answer.status == 200)
        .await;
    assert_eq!(served.get("/api/v1/incidents").status, 200);
    let refused = served.get("/api/v1/instances");
    assert_eq!(
        (refused.status, refused.reason()),
        (503, "kind_unavailable"),
        "{refused:?}"
    );
    assert!(refused.header("retry-after").is_some());
    assert!(
        refused.body["message"]
            .as_str()
            .unwrap()
            .contains("instances.platform.chatcli.io")
    );
    let refused = served.send(MIRA, "DELETE", "/api/v1/runbooks/one", "");
    assert_eq!(
        (refused.status, refused.reason()),
        (503, "kind_unavailable"),
        "{refused:?}"
    );

    bed.define(|kind| kind == Kind::Instance || kind == Kind::Runbook).await;
    served
        .until("the kind is found", "/api/v1/instances", |answer| answer.status == 200)
        .await;
    until("writes of the kind are looked for", async || {
        served.send(MIRA, "DELETE", "/api/v1/runbooks/one", "").status == 404
    })
    .await;

    let definitions: Api<CustomResourceDefinition> = Api::all(bed.client(ADMIN).await);
    definitions
        .delete("instances.platform.chatcli.io", &DeleteParams::default())
        .await
        .unwrap();
    served
        .until("the kind is missed", "/api/v1/instances", |answer| {
            answer.reason() == "kind_unavailable"
        })
        .await;
    assert_eq!(served.get("/readyz").status, 200, "readiness does not flap");
}
