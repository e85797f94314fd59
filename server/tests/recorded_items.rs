//! The items and figures over the recorded objects, against what upstream's server answered. Members may be added, none may differ.

#![expect(clippy::unwrap_used, reason = "what was recorded is there, or the test is to fail")]

use jiff::Timestamp;
use opsdeck::{
    catalog::{Catalog, Snapshot, project},
    json,
    resources::{
        AIInsight, ApprovalRequest, AuditEvent, ClusterRegistration, IncidentSLA, Issue, Kind, Object, PostMortem,
        RemediationPlan, Runbook, ServiceLevelObjective,
    },
    rules::analytics::{Bucket, Objects, Scope, summary, trends},
};
use serde_json::Value;
use std::{fs, path::Path, sync::Arc};

/// After everything that was recorded; no snooze of it is still on.
fn now() -> Timestamp {
    "2026-11-30T00:00:00Z".parse().unwrap()
}

fn recorded(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance").join(file)).unwrap()
}

fn snapshot() -> Arc<Snapshot> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(&recorded("dump.yaml")).unwrap();
    let objects = documents
        .into_iter()
        .flat_map(|mut document| match document.get_mut("items").map(Value::take) {
            Some(Value::Array(items)) => items,
            _ => vec![document],
        });
    let objects = objects.filter_map(|object| {
        let text = |member: &str| object[member].as_str().unwrap_or_default();
        let kind = Kind::from_api(text("apiVersion"), text("kind"))?;
        Some(Object::parse(kind, object).unwrap())
    });
    let catalog = Catalog::new(1);
    catalog.apply(objects.collect(), now());
    catalog.snapshot()
}

/// Every recorded answer to one route.
fn answers(route: &str) -> Vec<Value> {
    let recorded: Value = serde_json::from_str(&recorded("expected.json")).unwrap();
    let answers = recorded["results"].as_array().unwrap().iter();
    let answers: Vec<_> = answers
        .filter(|answer| answer["route"] == route && answer["status"] == 200)
        .cloned()
        .collect();
    assert!(!answers.is_empty(), "{route}");
    answers
}

/// All items that the recorded answers to these routes hold.
fn items(routes: &[&str]) -> Vec<Value> {
    let bodies = routes
        .iter()
        .flat_map(|route| answers(route))
        .map(|mut answer| answer["body"].take());
    bodies
        .flat_map(|mut body| match body.get_mut("items").map(Value::take) {
            Some(Value::Array(items)) => items,
            Some(_) => Vec::new(),
            None => vec![body["spec"].take()],
        })
        .collect()
}

fn parsed(item: &impl serde::Serialize) -> Value {
    serde_json::from_slice(&json::to_bytes(item)).unwrap()
}

/// What upstream said and we do not: the path of each member.
fn missing(upstream: &Value, ours: &Value, path: &str, found: &mut Vec<String>) {
    match (upstream, ours) {
        (Value::Object(upstream), Value::Object(ours)) => {
            for (name, value) in upstream {
                missing(
                    value,
                    ours.get(name).unwrap_or(&Value::Null),
                    &format!("{path}.{name}"),
                    found,
                );
            }
        }
        (Value::Array(upstream), Value::Array(ours)) if upstream.len() == ours.len() => {
            for (value, ours) in upstream.iter().zip(ours) {
                missing(value, ours, path, found);
            }
        }
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => {}
        (a, b) if a == b => {}
        (a, b) => found.push(format!("{path}: {a} became {b}")),
    }
}

/// Members that we show beside upstream's own.
fn added(upstream: &Value, ours: &Value) -> Vec<String> {
    let (Some(upstream), Some(ours)) = (upstream.as_object(), ours.as_object()) else {
        return Vec::new();
    };
    ours.keys()
        .filter(|name| !upstream.contains_key(*name))
        .cloned()
        .collect()
}

fn compare(recorded: &[Value], ours: impl Fn(&str, &str) -> Value, additions: &[&str]) {
    assert!(!recorded.is_empty());
    for upstream in recorded {
        let name = |member: &str| upstream[member].as_str().unwrap();
        let ours = ours(name("namespace"), name("name"));
        let mut differences = Vec::new();
        missing(upstream, &ours, "", &mut differences);
        assert!(
            differences.is_empty(),
            "{}/{}: {differences:#?}",
            name("namespace"),
            name("name")
        );
        let odd: Vec<_> = added(upstream, &ours)
            .into_iter()
            .filter(|member| !additions.contains(&member.as_str()))
            .collect();
        assert!(odd.is_empty(), "{}/{}: {odd:?}", name("namespace"), name("name"));
    }
}

fn row(item: &[u8]) -> Value {
    serde_json::from_slice(item).unwrap()
}

#[test]
fn incidents() {
    let snapshot = snapshot();
    compare(
        &items(&["incidents", "incidents/{name}"]),
        |namespace, name| row(&snapshot.table::<Issue>().get(namespace, name).unwrap().item),
        &["acknowledged", "snoozed"],
    );
}

#[test]
fn approvals() {
    let snapshot = snapshot();
    compare(
        &items(&["approvals", "approvals/{name}"]),
        |namespace, name| row(&snapshot.table::<ApprovalRequest>().get(namespace, name).unwrap().item),
        &[
            "issue",
            "plan",
            "policy",
            "rule",
            "actions",
            "blastRadius",
            "evidence",
            "confidence",
            "rollback",
            "expiresAt",
            "expired",
            "votes",
            "required",
            "changeWindow",
            "planHash",
        ],
    );
}

#[test]
fn postmortems() {
    let snapshot = snapshot();
    let table = snapshot.table::<PostMortem>();
    compare(
        &items(&["postmortems", "postmortems/{name}"]),
        |namespace, name| row(&table.get(namespace, name).unwrap().item),
        &[],
    );
}

#[test]
fn objectives() {
    let snapshot = snapshot();
    let table = snapshot.table::<ServiceLevelObjective>();
    compare(
        &items(&["slos", "slos/{name}"]),
        |namespace, name| row(&table.get(namespace, name).unwrap().item),
        &["activeAlerts"],
    );
}

/// No steps at all are null upstream.
#[test]
fn runbooks() {
    let snapshot = snapshot();
    let table = snapshot.table::<Runbook>();
    let mut recorded = items(&["runbooks", "runbooks/{name}"]);
    for runbook in recorded.iter_mut().filter(|runbook| runbook["steps"].is_null()) {
        runbook["steps"] = Value::Array(Vec::new());
    }
    compare(
        &recorded,
        |namespace, name| row(&table.get(namespace, name).unwrap().item),
        &[],
    );
}

#[test]
fn clusters() {
    let snapshot = snapshot();
    let table = snapshot.table::<ClusterRegistration>();
    compare(
        &items(&["clusters", "federation/clusters"]),
        |namespace, name| row(&table.get(namespace, name).unwrap().item),
        &[],
    );
}

#[test]
fn policies_word_for_word() {
    let snapshot = snapshot();
    let table = snapshot.table::<IncidentSLA>();
    compare(
        &items(&["policies/{kind}"]),
        |namespace, name| row(&table.get(namespace, name).unwrap().item),
        &[],
    );
}

#[test]
fn audit_events() {
    let snapshot = snapshot();
    let table = snapshot.table::<AuditEvent>();
    compare(
        &items(&["audit"]),
        |namespace, name| row(&table.get(namespace, name).unwrap().item),
        &[],
    );
}

#[test]
fn insights_with_their_status() {
    let snapshot = snapshot();
    let table = snapshot.table::<AIInsight>();
    compare(
        &items(&["aiinsights"]),
        |namespace, name| row(&table.get(namespace, name).unwrap().item),
        &[],
    );
    for answer in answers("aiinsights/{name}") {
        let spec = &answer["body"]["spec"];
        let insight = &table
            .get(spec["namespace"].as_str().unwrap(), spec["name"].as_str().unwrap())
            .unwrap()
            .object;
        assert_eq!(parsed(&project::insight_item(insight)), *spec);
        assert_eq!(parsed(&project::insight_status(insight)), answer["body"]["status"]);
    }
}

#[test]
fn remediations_with_their_status() {
    let snapshot = snapshot();
    let table = snapshot.table::<RemediationPlan>();
    compare(
        &items(&["remediations", "incidents/{name}/remediation"]),
        |namespace, name| row(&table.get(namespace, name).unwrap().item),
        &[],
    );
    for answer in answers("remediations/{name}") {
        let spec = &answer["body"]["spec"];
        let plan = &table
            .get(spec["namespace"].as_str().unwrap(), spec["name"].as_str().unwrap())
            .unwrap()
            .object;
        assert_eq!(parsed(&project::remediation_detail(plan)), *spec);
        assert_eq!(parsed(&project::remediation_status(plan)), answer["body"]["status"]);
    }
}

/// The period of a recorded request; what is no time does not count.
fn scope(answer: &Value) -> Scope {
    let query = answer["path"]
        .as_str()
        .unwrap()
        .split_once('?')
        .map_or("", |(_, query)| query);
    let query = opsdeck_api::Query::parse(query);
    let time = |name: &str| query.first(name).and_then(|text| text.parse().ok());
    Scope {
        from: time("from"),
        to: time("to"),
        ..Scope::default()
    }
}

#[test]
fn the_overviews_figures() {
    let snapshot = snapshot();
    fn all<K: opsdeck::catalog::Held>(snapshot: &Snapshot) -> impl Iterator<Item = &K> {
        snapshot.table::<K>().iter().map(|row| row.object.as_ref())
    }
    for answer in answers("analytics/summary") {
        let objects = Objects {
            issues: all::<Issue>(&snapshot),
            plans: all::<RemediationPlan>(&snapshot),
            postmortems: all::<PostMortem>(&snapshot),
            runbooks: all::<Runbook>(&snapshot),
            objectives: all::<ServiceLevelObjective>(&snapshot),
            approvals: all::<ApprovalRequest>(&snapshot),
        };
        let issue = |namespace: &str, name: &str| {
            snapshot
                .table::<Issue>()
                .get(namespace, name)
                .map(|row| row.object.as_ref())
        };
        let mut upstream = answer["body"]["spec"].clone();
        let mut ours = parsed(&summary(objects, issue, &scope(&answer)));
        let (theirs, mean) = (
            upstream["avgRiskScore"].take().as_f64().unwrap(),
            ours["avgRiskScore"].take().as_f64().unwrap(),
        );
        assert!((theirs - mean).abs() < 1e-9);
        assert_eq!(ours, upstream, "{}", answer["request"]);
    }
}

#[test]
fn arrivals() {
    let snapshot = snapshot();
    for answer in answers("analytics/trends") {
        let issues = snapshot.table::<Issue>().iter().map(|row| row.object.as_ref());
        assert_eq!(
            parsed(&trends(issues, Bucket::Day, &scope(&answer))),
            answer["body"]["items"],
            "{}",
            answer["request"]
        );
    }
}
