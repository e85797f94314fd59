//! What people decide through the API, on a real API server: its schema and its conflicts are the ones that count.

use crate::{
    bed::{ADMIN, Bed},
    load::objects,
    reading::access,
    served::{Answer, MIRA, Served},
    shown::{address, issue},
};
use kube::api::ListParams;
use opsdeck::{
    catalog::Catalog,
    resources::{Kind, refusals},
    source::{Change, Source as _, Verb, WriteError, kubernetes::Kubernetes},
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, sync::Arc};

fn object(kind: Kind, name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": kind.api_version(), "kind": kind.as_str(),
        "metadata": {"name": name, "namespace": "shop"}, "spec": spec,
    })
}

fn runbook() -> Value {
    json!({
        "trigger": {"signalType": "oom_kill", "severity": "high", "resourceKind": "Deployment"},
        "steps": [{"name": "Restart", "action": "RestartDeployment"}],
    })
}

fn fields(answer: &Answer) -> BTreeSet<&str> {
    let fields = answer.body["fields"].as_array().into_iter().flatten();
    fields.filter_map(|field| field["field"].as_str()).collect()
}

fn ok(answer: Answer, status: u16) -> Value {
    assert_eq!(answer.status, status, "{answer:?}");
    answer.body["spec"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_people_decide_is_stored_as_the_operator_reads_it() {
    let Some(bed) = Bed::start().await else { return };
    bed.define(|_| true).await;
    let incident = object(Kind::Issue, "checkout-oom", issue()["spec"].clone());
    let postmortem = json!({
        "issueRef": {"name": "checkout-oom"}, "severity": "high",
        "resource": {"kind": "Deployment", "name": "checkout", "namespace": "shop"},
    });
    let mut owing = object(Kind::PostMortem, "owing", postmortem.clone());
    owing["status"] = json!({"state": "Open", "requiresHumanAction": true});
    bed.load(vec![
        incident,
        object(Kind::PostMortem, "bare", postmortem),
        owing,
        object(
            Kind::ApprovalRequest,
            "approval-p",
            json!({
                "issueRef": {"name": "checkout-oom"}, "remediationPlanRef": "p", "policyRef": "none", "ruleName": "none",
                "requestedActions": [{"type": "DeletePod"}], "requester": "chatcli-operator", "timeoutMinutes": 30,
                "requiredApprovers": 1,
            }),
        ),
        object(Kind::Instance, "main", json!({"provider": "OLLAMA"})),
    ])
    .await;
    let served = Served::start(&bed.kubeconfig(ADMIN)).await;
    served
        .until("it is ready", "/readyz", |answer| answer.status == 200)
        .await;
    let send =
        |method: &str, path: &str, body: Value| served.send(MIRA, method, &format!("/api/v1{path}"), &body.to_string());
    let post = |path: &str, body: Value| send("POST", path, body);

    // A vote on a request without status; who settles is another.
    let voter = json!({"approver": "Mira"});
    let voted = ok(post("/approvals/approval-p/approve", voter.clone()), 200);
    assert_eq!(
        (&voted["state"], &voted["approvedBy"]),
        (&json!("Pending"), &json!("Mira (api-key: sre-mira)"))
    );
    let again = post("/approvals/approval-p/reject", voter);
    assert_eq!((again.status, again.reason()), (409, "already_decided"));

    ok(post("/incidents/checkout-oom/acknowledge", Value::Null), 200);
    let undone = ok(post("/incidents/checkout-oom/unacknowledge", Value::Null), 200);
    assert_eq!(undone["acknowledged"], Value::Null);
    let bulk = post(
        "/incidents/bulk",
        json!({"action": "resolve", "filter": {"namespace": "shop"}}),
    );
    assert_eq!(bulk.body["metadata"]["succeeded"], 1, "{bulk:?}");

    // Half of it is stored before the other half, and each half is on the version that it was decided on.
    for reviewer in ["ana", "bo", "cy"] {
        let reviewed = ok(
            post("/postmortems/bare/review?namespace=shop", json!({"reviewer": reviewer})),
            200,
        );
        assert_eq!(reviewed["state"], "InReview");
    }
    let rating = json!({"providedBy": "mira", "remediationAccuracy": 4, "comments": "good"});
    ok(post("/postmortems/owing/feedback?namespace=shop", rating), 200);
    let rating = json!({"providedBy": "mira", "remediationAccuracy": 2});
    let rated = ok(post("/postmortems/owing/feedback?namespace=shop", rating), 200);
    assert_eq!(rated["feedback"].get("comments"), None, "{rated}");
    let refused = post("/postmortems/owing/close?namespace=shop", Value::Null);
    assert_eq!((refused.status, refused.reason()), (409, "human_action_required"));
    let acknowledged = ok(
        post("/postmortems/owing/ack-human-action?namespace=shop", Value::Null),
        200,
    );
    assert_eq!(acknowledged.get("requiresHumanAction"), None);
    ok(post("/postmortems/owing/close?namespace=shop", Value::Null), 200);

    ok(post("/instances/main/reprobe", Value::Null), 200);

    let mut written = runbook();
    written["name"] = "restart".into();
    written["namespace"] = "shop".into();
    written["labels"] = json!({"team": "shop"});
    written["description"] = "restart it".into();
    assert_eq!(ok(post("/runbooks", written.clone()), 201)["maxAttempts"], 3);
    let taken = post("/runbooks", written.clone());
    assert_eq!((taken.status, taken.reason()), (409, "exists"));
    written["namespace"] = "nowhere".into();
    let nowhere = post("/runbooks", written);
    assert_eq!(nowhere.status, 404, "{nowhere:?}");
    assert_eq!(
        nowhere.body["message"],
        "failed to create runbook: there is no namespace nowhere"
    );
    let mut bare = runbook();
    bare["labels"] = json!({});
    let replaced = send("PUT", "/runbooks/restart?namespace=shop", bare);
    assert_eq!(replaced.body["resourceMeta"].get("labels"), None, "{replaced:?}");
    assert_eq!(ok(replaced, 200).get("description"), None);
    let broken = send("PUT", "/runbooks/restart?namespace=shop", json!({"steps": []}));
    assert_eq!(broken.status, 422, "{broken:?}");
    assert_eq!(
        fields(&broken),
        BTreeSet::from(["spec.steps", "spec.trigger.severity", "spec.trigger.signalType"])
    );

    let client = bed.client(ADMIN).await;
    let trail = objects(&client, Kind::AuditEvent, Some("shop"));
    let trail = trail.list(&ListParams::default()).await.unwrap();
    let mut events: Vec<_> = (trail.items.iter())
        .map(|event| event.data["spec"]["eventType"].as_str().unwrap().to_owned())
        .collect();
    events.sort();
    assert_eq!(
        events,
        [
            "approval_voted",
            "human_action_acknowledged",
            "instance_reprobed",
            "issue_acknowledged",
            "issue_resolved",
            "issue_unacknowledged",
            "postmortem_closed",
            "postmortem_feedback",
            "postmortem_feedback",
            "postmortem_reviewed",
            "postmortem_reviewed",
            "postmortem_reviewed",
            "runbook_created",
            "runbook_updated",
        ],
        "one for each that was done, none for one that was refused"
    );
}

/// The embedded store refuses what a cluster does: the same members of the same objects.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_refuses_the_same_members_as_the_embedded_store() {
    let Some(bed) = Bed::start().await else { return };
    bed.define(|_| true).await;
    bed.namespace("shop").await;
    let access = access(bed.kubeconfig(ADMIN));
    let source = Kubernetes::connect(&access, Vec::new(), Arc::new(Catalog::new(1)));
    let source = source.await.unwrap();
    let with = |pointer: &str, value: Value| {
        let mut object = object(Kind::Runbook, "restart", runbook());
        let (parent, member) = pointer.rsplit_once('/').unwrap();
        let parent = object.pointer_mut(parent).unwrap();
        match value {
            Value::Null => drop(parent.as_object_mut().unwrap().remove(member)),
            value => parent[member] = value,
        }
        object
    };
    for object in [
        with("/spec/steps", Value::Null),
        with("/spec/steps", json!([{}])),
        with(
            "/spec/steps",
            json!([{"name": "", "action": "", "params": {"a": "b"}}, {"name": "x"}]),
        ),
        with("/spec/trigger", Value::Null),
        with("/spec/trigger", json!({})),
        with("/spec/trigger/severity", json!("dreadful")),
        with("/spec/trigger/signalType", json!("")),
        with("/spec/trigger/resourceKind", json!("")),
        with("/spec/maxAttempts", json!(-2)),
        with("/spec/unknown", json!({"member": 1})),
        with("/metadata/labels", json!({"team": "a b"})),
        with("/metadata/labels", json!({"-team": ""})),
        with("/metadata/labels", json!({"example.com/team": "x_Y.z", "Team": ""})),
        with("/metadata/labels", json!({"Example.com/team": "x"})),
        with("/metadata/annotations", json!({"a/b/c": ""})),
        with("/metadata/annotations", json!({"Team_1": "any text at all"})),
    ] {
        let change = Change {
            address: address(Kind::Runbook, "restart"),
            precondition: None,
            verb: Verb::Create(object.clone()),
        };
        let ours: BTreeSet<_> = (refusals(Kind::Runbook, &object).into_iter())
            .map(|refused| refused.field)
            .collect();
        let theirs: BTreeSet<_> = match source.write(change.clone()).await {
            Ok(_) => {
                let verb = Verb::Delete;
                source.write(Change { verb, ..change }).await.unwrap();
                BTreeSet::new()
            }
            Err(WriteError::Rejected(causes)) => causes.into_iter().map(|cause| cause.field).collect(),
            Err(other) => panic!("{other:?}"),
        };
        assert_eq!(ours, theirs, "{object}");
    }
    for name in ["Restart", "re start", "-restart", "restart.", "a..b"] {
        let change = Change {
            address: address(Kind::Runbook, name),
            precondition: None,
            verb: Verb::Create(object(Kind::Runbook, name, runbook())),
        };
        let refused = source.write(change).await;
        let Err(WriteError::Rejected(causes)) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(causes[0].field, "metadata.name");
        assert_eq!(
            refusals(Kind::Runbook, &object(Kind::Runbook, name, runbook()))[0].field,
            "metadata.name"
        );
    }
}
