//! The items and figures over the recorded objects, against what upstream's server answered. Members may be added, none may differ.

#![expect(clippy::unwrap_used, reason = "what was recorded is there, or the test is to fail")]

use jiff::Timestamp;
use opsdeck::{
    catalog::{Catalog, Snapshot, project},
    json,
    resources::{
        AIInsight, ApprovalRequest, AuditEvent, ClusterRegistration, ConfigMap, Deployment, IncidentSLA, Issue, Kind,
        Object, PostMortem, RemediationPlan, Runbook, ServiceLevelObjective,
    },
    rules::analytics::{
        Bucket, Objects, Period, Records, Scope, capacity, compliance, cost, mttd, mttr, remediation_stats, summary,
        top_resources, trends,
    },
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

/// What a recorded request asks for.
fn query(answer: &Value) -> opsdeck_api::Query {
    let path = answer["path"].as_str().unwrap();
    opsdeck_api::Query::parse(path.split_once('?').map_or("", |(_, query)| query))
}

/// Namespace and period of a recorded request; what is no time does not count.
fn scope(answer: &Value) -> Scope {
    let query = query(answer);
    let time = |name: &str| query.first(name).and_then(|text| text.parse().ok());
    Scope {
        namespaces: query.all("namespace").map(str::to_owned).collect(),
        from: time("from"),
        to: time("to"),
    }
}

fn all<K: opsdeck::catalog::Held>(snapshot: &Snapshot) -> impl Iterator<Item = &K> {
    snapshot.table::<K>().iter().map(|row| row.object.as_ref())
}

fn one<'a, K: opsdeck::catalog::Held>(snapshot: &'a Snapshot) -> impl Fn(&str, &str) -> Option<&'a K> {
    |namespace, name| {
        snapshot
            .table::<K>()
            .get(namespace, name)
            .map(|row| row.object.as_ref())
    }
}

fn assert_same(ours: &impl serde::Serialize, upstream: &Value, request: &Value) {
    let mut differences = Vec::new();
    missing(upstream, &parsed(ours), "", &mut differences);
    assert!(differences.is_empty(), "{request}: {differences:#?}");
}

#[test]
fn the_overviews_figures() {
    let snapshot = snapshot();
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

#[test]
fn daily_means() {
    let snapshot = snapshot();
    for answer in answers("analytics/mttd") {
        assert_same(
            &mttd(all(&snapshot), &scope(&answer)),
            &answer["body"]["items"],
            &answer["request"],
        );
    }
    for answer in answers("analytics/mttr") {
        assert_same(
            &mttr(all(&snapshot), &scope(&answer)),
            &answer["body"]["items"],
            &answer["request"],
        );
    }
}

/// Of equal numbers upstream shows any first.
#[test]
fn what_breaks_most() {
    let snapshot = snapshot();
    for answer in answers("analytics/top-resources") {
        let limit = query(&answer)
            .first("limit")
            .and_then(|text| text.parse().ok())
            .filter(|limit| *limit > 0);
        let ours = parsed(&top_resources(all(&snapshot), limit.unwrap_or(10), &scope(&answer)));
        let counts = |rows: &Value| {
            let counts = rows
                .as_array()
                .unwrap()
                .iter()
                .map(|row| row["incidentCount"].as_u64().unwrap());
            counts.collect::<Vec<_>>()
        };
        let upstream = &answer["body"]["items"];
        assert_eq!(counts(&ours), counts(upstream), "{}", answer["request"]);
        let every = parsed(&top_resources(all(&snapshot), usize::MAX, &scope(&answer)));
        for row in upstream.as_array().unwrap() {
            assert!(every.as_array().unwrap().contains(row), "{}: {row}", answer["request"]);
        }
    }
}

#[test]
fn ways_of_remedying() {
    let snapshot = snapshot();
    for answer in answers("analytics/remediation-stats") {
        let ours = remediation_stats(all(&snapshot), one(&snapshot), &scope(&answer));
        assert_same(&ours, &answer["body"]["items"], &answer["request"]);
    }
}

#[test]
fn reports_of_a_period_that_is_told() {
    let snapshot = snapshot();
    for answer in answers("analytics/compliance")
        .iter()
        .filter(|answer| scope(answer).to.is_some())
    {
        let scope = scope(answer);
        let records = Records {
            issues: all::<Issue>(&snapshot),
            plans: all::<RemediationPlan>(&snapshot),
            approvals: all::<ApprovalRequest>(&snapshot),
            events: all::<AuditEvent>(&snapshot),
            slas: all::<IncidentSLA>(&snapshot),
        };
        let report = compliance(records, &scope, &Period::of(&scope, 7, now()));
        assert_same(&report, &answer["body"]["spec"], &answer["request"]);
    }
    for answer in answers("analytics/cost")
        .iter()
        .filter(|answer| scope(answer).to.is_some())
    {
        let scope = scope(answer);
        let mut upstream = answer["body"]["spec"].clone();
        for stamped in ["periodStart", "periodEnd"] {
            upstream.as_object_mut().unwrap().remove(stamped);
        }
        let summary = cost(all::<ConfigMap>(&snapshot), &scope, &Period::of(&scope, 30, now()));
        assert_same(&summary, &upstream, &answer["request"]);
    }
}

/// As it was on the day of the recording; the words of the recommendation are our own.
#[test]
fn room_that_is_left() {
    let snapshot = snapshot();
    let day = "2026-11-30T09:55:00Z".parse().unwrap();
    for answer in answers("analytics/capacity") {
        let scope = scope(&answer);
        let mut upstream = answer["body"]["items"].clone();
        for forecast in upstream.as_array_mut().unwrap() {
            forecast["Forecast"].as_object_mut().unwrap().remove("Recommendation");
        }
        let ours = capacity(
            all(&snapshot),
            one::<Deployment>(&snapshot),
            &scope,
            &Period::until_now(&scope, 7, day),
        );
        assert_same(&ours, &upstream, &answer["request"]);
    }
}
