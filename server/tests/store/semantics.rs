//! A write does to an object what Kubernetes' API server would have done.

use crate::notebook::{Notebook, address, issue};
use opsdeck::{
    resources::{Kind, Object},
    source::{
        Address, Change, Source, Verb, WriteError,
        embedded::{Embedded, Judge},
    },
};
use serde_json::{Value, json};
use std::sync::Arc;

struct Bench {
    source: Embedded,
    notebook: Arc<Notebook>,
}

impl Bench {
    fn new() -> Bench {
        let notebook = Arc::new(Notebook::default());
        Bench {
            source: Embedded::in_memory(notebook.clone()).unwrap(),
            notebook,
        }
    }

    async fn write(&self, address: &Address, verb: Verb) -> Result<Value, WriteError> {
        self.write_if(address, None, verb).await
    }

    async fn write_if(&self, address: &Address, version: Option<&str>, verb: Verb) -> Result<Value, WriteError> {
        let change = Change {
            address: address.clone(),
            precondition: version.map(str::to_owned),
            verb,
        };
        let outcome = self.source.write(change).await;
        if let Ok(object) = &outcome {
            let told = self.notebook.versions().get(address).cloned();
            let stored = object["metadata"]["resourceVersion"].as_str().map(str::to_owned);
            assert!(told.is_none() || told == stored, "the sink is told before the answer");
        }
        outcome
    }

    async fn issue(&self, name: &str) -> (Address, Value) {
        let address = address(Kind::Issue, name);
        let object = self.write(&address, Verb::Create(issue())).await.unwrap();
        (address, object)
    }
}

fn version(object: &Value) -> &str {
    object["metadata"]["resourceVersion"].as_str().unwrap()
}

fn invalid_field(outcome: Result<Value, WriteError>) -> String {
    match outcome {
        Err(WriteError::Invalid { field, .. }) => field,
        Err(WriteError::Rejected(causes)) if causes.len() == 1 => causes[0].field.clone(),
        other => panic!("{other:?} is not a refusal of the object"),
    }
}

#[tokio::test]
async fn a_create_gives_identity_and_drops_what_is_the_servers() {
    let bench = Bench::new();
    let address = address(Kind::Issue, "one");
    let mut given = issue();
    given["status"] = json!({"state": "Resolved", "remediationAttempts": 1, "maxRemediationAttempts": 3});
    given["metadata"] = json!({
        "name": "one", "uid": "mine", "generation": 7, "resourceVersion": "99", "managedFields": [{}],
        "creationTimestamp": "2020-01-01T00:00:00Z", "deletionTimestamp": "2020-01-01T00:00:00Z",
        "labels": {"team": "kelp"},
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"},
    });
    let object = bench.write(&address, Verb::Create(given)).await.unwrap();
    assert_eq!(object["apiVersion"], "platform.chatcli.io/v1alpha1");
    assert_eq!(object["kind"], "Issue");
    assert!(object.get("status").is_none());
    let metadata = object["metadata"].as_object().unwrap();
    let members: Vec<_> = metadata.keys().map(String::as_str).collect();
    assert_eq!(
        members,
        [
            "creationTimestamp",
            "generation",
            "labels",
            "name",
            "namespace",
            "resourceVersion",
            "uid"
        ]
    );
    assert_eq!(metadata["namespace"], "shop");
    assert_eq!(metadata["generation"], 1);
    assert_ne!(metadata["creationTimestamp"], "2020-01-01T00:00:00Z");
    let uid = metadata["uid"].as_str().unwrap();
    assert_eq!((uid.len(), &uid[14..15]), (36, "4"));
    assert!(matches!(&uid[19..20], "8" | "9" | "a" | "b"));
    assert!(matches!(bench.write(&address, Verb::Create(issue())).await, Err(WriteError::Exists(at)) if at == address));
}

#[tokio::test]
async fn a_create_must_be_what_it_is_addressed_as() {
    let bench = Bench::new();
    let address = address(Kind::Issue, "one");
    for (pointer, field) in [("name", "metadata.name"), ("namespace", "metadata.namespace")] {
        let mut given = issue();
        given["metadata"] = json!({ pointer: "another" });
        assert_eq!(invalid_field(bench.write(&address, Verb::Create(given)).await), field);
    }
    let mut given = issue();
    given["kind"] = "Runbook".into();
    assert_eq!(invalid_field(bench.write(&address, Verb::Create(given)).await), "kind");
    let mut given = issue();
    given["spec"]["severity"] = 3.into();
    assert_eq!(
        invalid_field(bench.write(&address, Verb::Create(given)).await),
        "spec.severity"
    );
    assert!(bench.notebook.versions().is_empty());
}

#[tokio::test]
async fn a_kind_without_status_sub_resource_keeps_it_in_create_and_patch() {
    let bench = Bench::new();
    let address = address(Kind::Runbook, "restart");
    let runbook = json!({"spec": {
        "trigger": {"signalType": "latency", "severity": "high", "resourceKind": "Deployment"},
        "steps": [{"name": "restart", "action": "RestartDeployment"}],
    }, "status": {"kept": true}});
    let object = bench.write(&address, Verb::Create(runbook)).await.unwrap();
    assert_eq!(object["status"]["kept"], true);
    let object = bench
        .write(&address, Verb::Patch(json!({"status": {"more": 1}})))
        .await
        .unwrap();
    assert_eq!(object["status"], json!({"kept": true, "more": 1}));
    assert_eq!(object["metadata"]["generation"], 2);
    assert_eq!(
        invalid_field(bench.write(&address, Verb::PatchStatus(json!({"status": {}}))).await),
        "status"
    );
}

#[tokio::test]
async fn a_patch_is_a_merge_patch_of_all_but_status() {
    let bench = Bench::new();
    let (address, before) = bench.issue("one").await;
    let patch = json!({
        "metadata": {"annotations": {"a": "1", "b": null}, "labels": {"team": "kelp"}},
        "spec": {"riskScore": 40, "unknown": {"kept": [1, null], "dropped": null}},
        "status": {"state": "Resolved"},
    });
    let after = bench.write(&address, Verb::Patch(patch)).await.unwrap();
    assert_eq!(after["metadata"]["annotations"], json!({"a": "1"}));
    assert_eq!(after["spec"]["unknown"], json!({"kept": [1, null]}));
    assert_eq!(after["spec"]["description"], before["spec"]["description"]);
    assert!(after.get("status").is_none());
    assert_ne!(version(&after), version(&before));
    let patch = json!({"metadata": {"annotations": null}, "spec": {"unknown": "text"}});
    let last = bench.write(&address, Verb::Patch(patch)).await.unwrap();
    assert!(last["metadata"].get("annotations").is_none());
    assert_eq!(last["spec"]["unknown"], "text");
}

#[tokio::test]
async fn generation_counts_the_changes_of_intent() {
    let bench = Bench::new();
    let (address, _) = bench.issue("one").await;
    let status = json!({"status": {"state": "Detected", "remediationAttempts": 0, "maxRemediationAttempts": 3}});
    let steps = [
        (Verb::Patch(json!({"metadata": {"annotations": {"a": "1"}}})), 1),
        (Verb::Patch(json!({"spec": {"riskScore": 10}})), 2),
        (Verb::Patch(json!({"spec": {"riskScore": 10}})), 2),
        (Verb::PatchStatus(status), 2),
        (
            Verb::Patch(json!({"metadata": {"generation": 9}, "spec": {"riskScore": 11}})),
            3,
        ),
    ];
    for (verb, generation) in steps {
        let object = bench.write(&address, verb).await.unwrap();
        assert_eq!(object["metadata"]["generation"], generation);
    }
}

#[tokio::test]
async fn a_status_patch_changes_status_alone() {
    let bench = Bench::new();
    let (address, before) = bench.issue("one").await;
    let patch = json!({
        "metadata": {"labels": {"team": "kelp"}},
        "spec": {"riskScore": 40},
        "status": {"state": "Analyzing", "remediationAttempts": 0, "maxRemediationAttempts": 3},
    });
    let after = bench.write(&address, Verb::PatchStatus(patch)).await.unwrap();
    assert_eq!(after["spec"], before["spec"]);
    assert!(after["metadata"].get("labels").is_none());
    assert_eq!(after["status"]["state"], "Analyzing");
    let wrong = json!({"status": {"remediationAttempts": "two"}});
    assert_eq!(
        invalid_field(bench.write(&address, Verb::PatchStatus(wrong)).await),
        "status.remediationAttempts"
    );
    let gone = bench
        .write(&address, Verb::PatchStatus(json!({"status": null})))
        .await
        .unwrap();
    assert!(gone.get("status").is_none());
}

#[tokio::test]
async fn a_patch_that_changes_nothing_makes_no_version() {
    let bench = Bench::new();
    let (address, before) = bench.issue("one").await;
    for verb in [
        Verb::Patch(json!({})),
        Verb::Patch(json!({"spec": {"severity": "high", "absent": null}})),
        Verb::Patch(json!({"status": {"state": "Resolved"}})),
        Verb::PatchStatus(json!({"spec": {"severity": "low"}})),
        Verb::Patch(json!({"metadata": {"uid": before["metadata"]["uid"], "creationTimestamp": null, "name": null}})),
    ] {
        assert_eq!(bench.write(&address, verb).await.unwrap(), before);
    }
}

#[tokio::test]
async fn identity_cannot_be_patched() {
    let bench = Bench::new();
    let (address, before) = bench.issue("one").await;
    for (patch, field) in [
        (json!({"metadata": {"name": "two"}}), "metadata.name"),
        (json!({"metadata": {"namespace": "two"}}), "metadata.namespace"),
        (json!({"metadata": {"uid": "two"}}), "metadata.uid"),
        (
            json!({"metadata": {"creationTimestamp": "2020-01-01T00:00:00Z"}}),
            "metadata.creationTimestamp",
        ),
        (json!({"kind": "Runbook"}), "kind"),
        (json!({"apiVersion": "v1"}), "apiVersion"),
        (json!({"metadata": "text"}), "metadata"),
        (json!({"spec": null}), "spec"),
        (json!([]), ""),
    ] {
        assert_eq!(invalid_field(bench.write(&address, Verb::Patch(patch)).await), field);
    }
    assert_eq!(bench.write(&address, Verb::Patch(json!({}))).await.unwrap(), before);
}

#[tokio::test]
async fn a_stale_decision_is_refused_with_the_object_that_won() {
    let bench = Bench::new();
    let (address, first) = bench.issue("one").await;
    let patch = |risk: i32| Verb::Patch(json!({"spec": {"riskScore": risk}}));
    let second = bench.write_if(&address, Some(version(&first)), patch(1)).await.unwrap();
    let mut in_patch = json!({"spec": {"riskScore": 2}});
    in_patch["metadata"]["resourceVersion"] = version(&first).into();
    for outcome in [
        bench.write_if(&address, Some(version(&first)), patch(2)).await,
        bench
            .write_if(
                &address,
                Some(version(&first)),
                Verb::PatchStatus(json!({"status": null})),
            )
            .await,
        bench.write_if(&address, Some(version(&first)), Verb::Delete).await,
        bench.write(&address, Verb::Patch(in_patch)).await,
    ] {
        match outcome {
            Err(WriteError::Conflict(at, stored)) => assert_eq!((at, *stored), (address.clone(), second.clone())),
            other => panic!("{other:?} is not a conflict"),
        }
    }
    let gone = bench
        .write_if(&address, Some(version(&second)), Verb::Delete)
        .await
        .unwrap();
    assert_eq!(gone, second);
    assert!(bench.notebook.versions().is_empty());
    for verb in [Verb::Delete, patch(3), Verb::PatchStatus(json!({}))] {
        assert!(matches!(bench.write(&address, verb).await, Err(WriteError::NotFound(at)) if at == address));
    }
}

#[tokio::test]
async fn one_counter_numbers_every_change() {
    let bench = Bench::new();
    let mut last = 0;
    for round in 0..20 {
        let (address, object) = bench.issue(&format!("issue-{}", round % 3)).await;
        let patched = bench
            .write(&address, Verb::Patch(json!({"spec": {"riskScore": round}})))
            .await
            .unwrap();
        bench.write(&address, Verb::Delete).await.unwrap();
        for object in [object, patched] {
            let version: u64 = version(&object).parse().unwrap();
            assert!(version > last);
            last = version;
        }
    }
}

/// Voters who read again after a conflict lose no vote.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_vote_is_lost() {
    let bench = Arc::new(Bench::new());
    let (address, first) = bench.issue("one").await;
    let voters: Vec<_> = (0..8)
        .map(|voter| {
            let (bench, address, mut seen) = (bench.clone(), address.clone(), first.clone());
            tokio::spawn(async move {
                for vote in 0..25 {
                    loop {
                        let mut votes = seen["spec"]["votes"].as_array().cloned().unwrap_or_default();
                        votes.push(format!("{voter}-{vote}").into());
                        let patch = Verb::Patch(json!({"spec": {"votes": votes}}));
                        match bench.source.write(change(&address, version(&seen), patch)).await {
                            Ok(object) => {
                                seen = object;
                                break;
                            }
                            Err(WriteError::Conflict(_, stored)) => seen = *stored,
                            Err(other) => panic!("{other}"),
                        }
                    }
                }
            })
        })
        .collect();
    for voter in voters {
        voter.await.unwrap();
    }
    let object = bench.write(&address, Verb::Patch(json!({}))).await.unwrap();
    let mut votes: Vec<_> = object["spec"]["votes"]
        .as_array()
        .unwrap()
        .iter()
        .map(Value::to_string)
        .collect();
    votes.sort_unstable();
    votes.dedup();
    assert_eq!(votes.len(), 200);
}

fn change(address: &Address, version: &str, verb: Verb) -> Change {
    Change {
        address: address.clone(),
        precondition: Some(version.into()),
        verb,
    }
}

#[derive(Debug)]
struct Escalates;

impl Judge for Escalates {
    fn judge(&mut self, object: &Object) -> Option<Value> {
        let Object::Issue(issue) = object else { return None };
        (issue.spec.risk_score > 90)
            .then(|| json!({"status": {"state": "Escalated", "remediationAttempts": 0, "maxRemediationAttempts": 3}}))
    }
}

#[tokio::test]
async fn the_answer_already_shows_the_verdict() {
    let bench = Bench::new();
    let (address, before) = bench.issue("one").await;
    bench.source.judge_with(Escalates);
    let calm = bench
        .write(&address, Verb::Patch(json!({"spec": {"riskScore": 50}})))
        .await
        .unwrap();
    assert!(calm.get("status").is_none());
    let judged = bench
        .write(&address, Verb::Patch(json!({"spec": {"riskScore": 95}})))
        .await
        .unwrap();
    assert_eq!(judged["status"]["state"], "Escalated");
    let versions = [&before, &calm, &judged].map(|object| version(object).parse::<u64>().unwrap());
    assert_eq!(versions[2] - versions[0], 2, "one write, one version");
}

#[tokio::test]
async fn what_is_loaded_keeps_its_past() {
    let bench = Bench::new();
    let mut object = issue();
    object["apiVersion"] = "platform.chatcli.io/v1alpha1".into();
    object["kind"] = "Issue".into();
    object["metadata"] = json!({"name": "old", "uid": "u-1", "creationTimestamp": "2020-01-01T00:00:00Z"});
    object["status"] = json!({"state": "Resolved", "remediationAttempts": 1, "maxRemediationAttempts": 3});
    bench.source.load(vec![object.clone()]).await.unwrap();
    let address = Address {
        kind: Kind::Issue,
        namespace: "default".into(),
        name: "old".into(),
    };
    let stored = bench.write(&address, Verb::Patch(json!({}))).await.unwrap();
    assert_eq!(stored["status"], object["status"]);
    assert_eq!(stored["metadata"]["uid"], "u-1");
    assert_eq!(stored["metadata"]["creationTimestamp"], "2020-01-01T00:00:00Z");
    let mut nameless = object;
    nameless["metadata"] = json!({});
    let fine = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "chatcli-cost-ledger"}});
    let refused = bench.source.load(vec![fine, nameless]).await;
    assert!(matches!(refused, Err(WriteError::Invalid { field, .. }) if field == "metadata.name"));
    assert_eq!(bench.notebook.versions().len(), 1, "all or none");
}
