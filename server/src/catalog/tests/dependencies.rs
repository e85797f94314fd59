//! Rows that are made from several objects are always what a fresh load would make of them.

use super::{at, publishing};
use crate::{
    catalog::{Catalog, Held, Snapshot},
    resources::{
        AIInsight, ApprovalPolicy, ApprovalRequest, Deployment, Instance, Issue, Kind, Object, RemediationPlan,
    },
    source::Address,
};
use bytes::Bytes;
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Two names per kind, so that they refer to one another, or to what is not there.
fn spec(kind: Kind, number: u8, variant: u8) -> Value {
    let issue = json!({ "name": format!("issue-{}", variant % 2) });
    let action = json!({ "type": "ScaleDeployment", "params": { "replicas": variant.to_string() } });
    match kind {
        Kind::Issue => json!({
            "severity": "high", "source": "prometheus", "description": format!("text {variant}"),
            "resource": { "kind": "Deployment", "name": format!("deployment-{number}"), "namespace": "shop" },
        }),
        Kind::AIInsight => json!({ "issueRef": issue, "provider": "OPENAI", "model": format!("model-{variant}") }),
        Kind::RemediationPlan => json!({ "issueRef": issue, "attempt": 1, "strategy": "scale", "actions": [action] }),
        Kind::ApprovalRequest => json!({
            "issueRef": issue, "remediationPlanRef": format!("remediationplan-{number}"),
            "policyRef": format!("approvalpolicy-{}", variant % 2), "ruleName": "prod", "requester": "chatcli-operator",
            "requestedActions": [action], "timeoutMinutes": 1, "requiredApprovers": 1,
        }),
        Kind::ApprovalPolicy => json!({
            "enabled": true,
            "rules": [{ "name": "prod", "match": {}, "mode": "manual", "requiredApprovers": 1, "timeoutMinutes": 1,
                "changeWindow": { "timezone": "UTC", "allowedDays": ["Monday", "Tuesday"], "startHour": variant, "endHour": 20 } }],
        }),
        Kind::Instance => json!({ "provider": "OPENAI", "replicas": variant }),
        _ => json!({
            "replicas": variant, "selector": {},
            "template": { "spec": { "containers": [{ "name": "main", "image": format!("shop:{variant}") }] } },
        }),
    }
}

const KINDS: [Kind; 7] = [
    Kind::Issue,
    Kind::AIInsight,
    Kind::RemediationPlan,
    Kind::ApprovalRequest,
    Kind::ApprovalPolicy,
    Kind::Instance,
    Kind::Deployment,
];

fn name(kind: Kind, number: u8) -> String {
    match kind {
        Kind::Issue => format!("issue-{number}"),
        _ => format!("{}-{number}", kind.as_str().to_lowercase()),
    }
}

/// Labels and status are what the rules look at most.
fn object(kind: Kind, number: u8, variant: u8, version: u64) -> Object {
    let status = match kind {
        Kind::Instance => json!({
            "ready": variant.is_multiple_of(2), "replicas": 1, "readyReplicas": 1,
            "conditions": [{ "type": "Available", "status": "True", "reason": "Up", "message": "",
                "lastTransitionTime": at(0) }],
        }),
        Kind::ApprovalRequest => json!({ "state": "Pending", "autoApproved": false }),
        Kind::Deployment => json!({ "replicas": variant, "readyReplicas": variant }),
        _ => Value::Null,
    };
    let mut value = json!({
        "apiVersion": kind.api_version(),
        "kind": kind.as_str(),
        "metadata": {
            "namespace": "shop", "name": name(kind, number), "creationTimestamp": at(i64::from(number)),
            "resourceVersion": version.to_string(),
            "labels": {
                "platform.chatcli.io/instance": name(Kind::Instance, variant % 2),
                "platform.chatcli.io/instance-namespace": "shop",
            },
        },
        "spec": spec(kind, number, variant),
    });
    if !status.is_null() {
        value["status"] = status;
    }
    Object::parse(kind, value).expect("the tests' own objects are of their kind")
}

/// What each table shows, with all that is computed.
fn contents(snapshot: &Snapshot) -> BTreeMap<Kind, Vec<(Bytes, String)>> {
    fn rows<K: Held>(snapshot: &Snapshot) -> (Kind, Vec<(Bytes, String)>) {
        let rows = snapshot.table::<K>().iter();
        (
            K::KIND,
            rows.map(|row| (row.item.clone(), format!("{row:?} {}", row.text)))
                .collect(),
        )
    }
    BTreeMap::from([
        rows::<Issue>(snapshot),
        rows::<AIInsight>(snapshot),
        rows::<RemediationPlan>(snapshot),
        rows::<ApprovalRequest>(snapshot),
        rows::<ApprovalPolicy>(snapshot),
        rows::<Instance>(snapshot),
        rows::<Deployment>(snapshot),
    ])
}

fn fresh(objects: &BTreeMap<(Kind, u8), Object>, now: Timestamp) -> BTreeMap<Kind, Vec<(Bytes, String)>> {
    let catalog = Catalog::new(1);
    catalog.apply(objects.values().cloned().collect(), now);
    contents(&catalog.snapshot())
}

#[derive(Clone, Debug)]
enum Step {
    Apply(Vec<(Kind, u8, u8)>),
    Delete(Kind, u8),
    Wait,
}

fn steps() -> impl Strategy<Value = Step> {
    let kinds = || prop::sample::select(KINDS.to_vec());
    prop_oneof![
        4 => prop::collection::vec((kinds(), 0..2u8, 0..4u8), 1..4).prop_map(Step::Apply),
        2 => (kinds(), 0..2u8).prop_map(|(kind, number)| Step::Delete(kind, number)),
        1 => Just(Step::Wait),
    ]
}

proptest! {
    #[test]
    fn rows_follow_what_they_were_made_from(steps in prop::collection::vec(steps(), 1..25)) {
        let catalog = Catalog::new(1);
        let mut left = BTreeMap::new();
        let mut now = at(60);
        for (version, step) in (1u64..).zip(steps) {
            match step {
                Step::Apply(told) => {
                    let objects: BTreeMap<_, _> = (told.into_iter())
                        .map(|(kind, number, variant)| ((kind, number), object(kind, number, variant, version)))
                        .collect();
                    left.extend(objects.clone());
                    catalog.apply(objects.into_values().collect(), now);
                }
                Step::Delete(kind, number) => {
                    left.remove(&(kind, number));
                    catalog.delete(vec![Address { kind, namespace: "shop".into(), name: name(kind, number) }], now);
                }
                Step::Wait => {
                    // On to the next moment at which anything changes by itself, as the clock that drives `tick` does.
                    now = catalog.next_change().unwrap_or(now);
                    catalog.tick(now);
                }
            }
            prop_assert_eq!(contents(&catalog.snapshot()), fresh(&left, now));
        }
    }
}

#[test]
fn a_row_that_says_the_same_is_not_published_again() {
    let catalog = Catalog::new(1);
    catalog.apply(vec![publishing::issue("a", 1, 1, "x")], at(2));
    let before = catalog.snapshot();
    catalog.tick(at(1_000_000));
    assert_eq!(catalog.snapshot().revision(), before.revision());
}
