//! What a write means on a real API server: conditional, seen at once by whoever made it, refused in words.

use crate::{
    bed::{ADMIN, Bed, OPSDECK, until},
    load::objects,
    reading::access,
    shown::{address, issue},
};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use kube::{Api, api::PostParams};
use opsdeck::{
    catalog::Catalog,
    resources::{Issue, Kind, Typed as _},
    source::{Address, Change, Source, Standing, Verb, WriteError, kubernetes::Kubernetes},
};
use serde_json::{Value, json};
use std::sync::Arc;

struct Bench {
    catalog: Arc<Catalog>,
    source: Arc<Kubernetes>,
}

impl Bench {
    async fn over(bed: &Bed, token: &str) -> Self {
        let catalog = Arc::new(Catalog::new(1));
        let access = access(bed.kubeconfig(token));
        let source = Arc::new(Kubernetes::connect(&access, Vec::new(), catalog.clone()).await.unwrap());
        until("everything is read", async || source.is_filled()).await;
        Self { catalog, source }
    }

    async fn write(&self, address: &Address, precondition: Option<&str>, verb: Verb) -> Result<Value, WriteError> {
        let change = Change {
            address: address.clone(),
            precondition: precondition.map(str::to_owned),
            verb,
        };
        self.source.write(change).await
    }

    /// The version that a reader sees.
    fn seen(&self, address: &Address) -> Option<String> {
        let snapshot = self.catalog.snapshot();
        let row = snapshot.table::<Issue>().get(&address.namespace, &address.name)?;
        row.object.meta().resource_version.clone()
    }
}

fn version(object: &Value) -> &str {
    object["metadata"]["resourceVersion"].as_str().unwrap()
}

fn risk(score: i32) -> Verb {
    Verb::Patch(json!({"spec": {"riskScore": score}}))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_is_conditional_and_its_outcome_is_seen_at_once() {
    let Some(bed) = Bed::start().await else { return };
    bed.define(|_| true).await;
    bed.namespace("shop").await;
    let bench = Bench::over(&bed, ADMIN).await;
    let one = address(Kind::Issue, "one");

    let created = bench.write(&one, None, Verb::Create(issue())).await.unwrap();
    assert_eq!(bench.seen(&one).as_deref(), Some(version(&created)));
    assert!(created["metadata"].get("managedFields").is_none());
    assert!(matches!(bench.write(&one, None, Verb::Create(issue())).await, Err(WriteError::Exists(at)) if at == one));

    let patched = bench.write(&one, Some(version(&created)), risk(7)).await.unwrap();
    assert_eq!(
        (&patched["spec"]["riskScore"], bench.seen(&one).as_deref()),
        (&json!(7), Some(version(&patched)))
    );
    let status = Verb::PatchStatus(
        json!({"status": {"state": "Analyzing", "remediationAttempts": 0}, "spec": {"riskScore": 1}}),
    );
    let analyzing = bench.write(&one, Some(version(&patched)), status).await.unwrap();
    assert_eq!(
        (&analyzing["status"]["state"], &analyzing["spec"]["riskScore"]),
        (&json!("Analyzing"), &json!(7))
    );

    // Somebody was quicker: the caller is told what they left, and sees it from then on.
    let late = bench.write(&one, Some(version(&created)), risk(9)).await;
    let Err(WriteError::Conflict(at, stored)) = late else {
        panic!("{late:?}")
    };
    assert_eq!((at, version(&stored)), (one.clone(), version(&analyzing)));
    let late = bench.write(&one, Some(version(&created)), Verb::Delete).await;
    assert!(matches!(late, Err(WriteError::Conflict(..))), "{late:?}");
    let held = objects(&bed.client(ADMIN).await, Kind::Issue, Some("shop"))
        .get("one")
        .await
        .unwrap();
    assert_eq!(
        held.metadata.resource_version.as_deref(),
        Some(version(&analyzing)),
        "nothing was lost"
    );
    let managers: Vec<_> = held
        .metadata
        .managed_fields
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.manager)
        .collect();
    assert!(managers.iter().all(|manager| manager == "opsdeck"), "{managers:?}");

    let gone = bench
        .write(&one, Some(version(&analyzing)), Verb::Delete)
        .await
        .unwrap();
    assert_eq!(
        (gone["metadata"]["name"].as_str(), bench.seen(&one)),
        (Some("one"), None)
    );
    assert!(matches!(bench.write(&one, None, risk(1)).await, Err(WriteError::NotFound(at)) if at == one));
    assert!(matches!(
        bench.write(&one, None, Verb::Delete).await,
        Err(WriteError::NotFound(_))
    ));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_writers_each_is_counted_once() {
    let Some(bed) = Bed::start().await else { return };
    bed.define(|kind| kind == Kind::Issue).await;
    bed.namespace("shop").await;
    let replicas = [Bench::over(&bed, ADMIN).await, Bench::over(&bed, ADMIN).await];
    let one = address(Kind::Issue, "one");
    replicas[0].write(&one, None, Verb::Create(issue())).await.unwrap();
    let writers = (replicas.iter().cycle().take(6)).map(|bench| {
        let (source, one) = (bench.source.clone(), one.clone());
        tokio::spawn(async move {
            for _ in 0..10 {
                let look = Change {
                    address: one.clone(),
                    precondition: None,
                    verb: Verb::Patch(json!({})),
                };
                let mut held = source.write(look).await.unwrap();
                loop {
                    let change = Change {
                        address: one.clone(),
                        precondition: Some(version(&held).to_owned()),
                        verb: risk(held["spec"]["riskScore"].as_i64().unwrap_or_default() as i32 + 1),
                    };
                    match source.write(change).await {
                        Ok(_) => break,
                        Err(WriteError::Conflict(_, stored)) => held = *stored,
                        Err(error) => panic!("{error}"),
                    }
                }
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let held = objects(&bed.client(ADMIN).await, Kind::Issue, Some("shop"))
        .get("one")
        .await
        .unwrap();
    assert_eq!(held.data["spec"]["riskScore"], 60);
    let last = held.metadata.resource_version;
    until("both replicas see the end", async || {
        replicas.iter().all(|bench| bench.seen(&one) == last)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_cluster_refuses_is_said_in_words() {
    let Some(mut bed) = Bed::start().await else { return };
    bed.define(|kind| kind != Kind::Runbook).await;
    bed.namespace("shop").await;
    allow_reading(&bed).await;
    let bench = Bench::over(&bed, ADMIN).await;
    let one = address(Kind::Issue, "one");

    let elsewhere = Address {
        namespace: "nowhere".into(),
        ..one.clone()
    };
    let refused = bench.write(&elsewhere, None, Verb::Create(issue())).await;
    assert!(
        matches!(&refused, Err(WriteError::NoNamespace(name)) if name == "nowhere"),
        "{refused:?}"
    );

    let mut odd = issue();
    odd["spec"]["severity"] = "dreadful".into();
    odd["spec"]["riskScore"] = "high".into();
    let refused = bench.write(&one, None, Verb::Create(odd)).await;
    let Err(WriteError::Rejected(causes)) = refused else {
        panic!("{refused:?}")
    };
    let fields: Vec<_> = causes.iter().map(|cause| cause.field.as_str()).collect();
    assert!(fields.contains(&"spec.riskScore"), "{fields:?}");

    let absent = bench
        .write(&address(Kind::Runbook, "one"), None, Verb::Create(json!({"spec": {}})))
        .await;
    assert!(
        matches!(absent, Err(WriteError::KindUnavailable(Kind::Runbook))),
        "{absent:?}"
    );
    let statusless = bench
        .write(&address(Kind::AuditEvent, "one"), None, Verb::PatchStatus(json!({})))
        .await;
    assert!(matches!(statusless, Err(WriteError::Invalid { field, .. }) if field == "status"));

    bench.write(&one, None, Verb::Create(issue())).await.unwrap();
    let reader = Bench::over(&bed, OPSDECK).await;
    assert!(reader.seen(&one).is_some());
    let refused = reader.write(&one, None, risk(1)).await;
    assert!(matches!(refused, Err(WriteError::ForbiddenByCluster(_))), "{refused:?}");
    let unread = reader.source.standing(Kind::Deployment);
    assert!(
        matches!(unread, Standing::Unavailable(opsdeck::source::Absence::Forbidden)),
        "{unread:?}"
    );

    bed.kill_api();
    let refused = bench.write(&one, None, risk(1)).await;
    assert!(matches!(refused, Err(WriteError::Unavailable(_))), "{refused:?}");
}

/// Gives the user `opsdeck` the right to look at the custom resources, and no other.
async fn allow_reading(bed: &Bed) {
    let client = bed.client(ADMIN).await;
    let role: ClusterRole = serde_json::from_value(json!({
        "metadata": {"name": "reads"},
        "rules": [{"apiGroups": ["platform.chatcli.io"], "resources": ["*"], "verbs": ["get", "list", "watch"]}],
    }))
    .unwrap();
    let binding: ClusterRoleBinding = serde_json::from_value(json!({
        "metadata": {"name": "reads"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "reads"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "opsdeck"}],
    }))
    .unwrap();
    Api::all(client.clone())
        .create(&PostParams::default(), &role)
        .await
        .unwrap();
    Api::all(client).create(&PostParams::default(), &binding).await.unwrap();
}
