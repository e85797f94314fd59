//! Every route of the API under the rights that are deployed, those that write on objects that can be written: the cluster
//! refuses none. A route that is added is tried by itself; what it needs beside a name is said here.

use crate::{
    bed::Bed,
    rights::give_rights,
    served::{Answer, MIRA, Served, TOMASZ},
};
use jiff::Timestamp;
use opsdeck::{
    resources::Kind,
    rest::{self, Route},
    source::sample,
};
use serde_json::{Value, json};

/// Which objects a path is about, by its first segment.
const KINDS: &[(&str, Kind)] = &[
    ("incidents", Kind::Issue),
    ("instances", Kind::Instance),
    ("runbooks", Kind::Runbook),
    ("approvals", Kind::ApprovalRequest),
    ("aiinsights", Kind::AIInsight),
    ("remediations", Kind::RemediationPlan),
    ("postmortems", Kind::PostMortem),
    ("anomalies", Kind::Anomaly),
    ("slos", Kind::ServiceLevelObjective),
    ("chaos", Kind::ChaosExperiment),
    ("clusters", Kind::ClusterRegistration),
    ("audit", Kind::AuditEvent),
    ("policies", Kind::ApprovalPolicy),
];

/// Bodies of routes, by method and path, for which the usual one does not do.
const BODIES: &[(&str, &str, &str)] = &[
    (
        "POST",
        "/incidents/bulk",
        r#"{"action":"acknowledge","filter":{"namespace":"shop"}}"#,
    ),
    (
        "POST",
        "/postmortems/{name}/feedback",
        r#"{"providedBy":"mira","remediationAccuracy":4}"#,
    ),
    ("POST", "/runbooks", RUNBOOK),
    ("PUT", "/runbooks/{name}", RUNBOOK),
];

const RUNBOOK: &str = r#"{
    "name": "restart-it", "steps": [{"name": "Restart", "action": "RestartDeployment"}],
    "trigger": {"signalType": "oom_kill", "severity": "high", "resourceKind": "Deployment"}
}"#;

/// What any of the others asks for.
fn usual_body() -> Value {
    json!({
        "duration": "1h",
        "resolution": "rolled back",
        "approver": MIRA,
        "reason": "looks safe",
        "reviewer": MIRA,
        "acknowledgedBy": MIRA,
        "note": "seen",
        "notes": "seen",
    })
}

/// The addresses to try, in this order, until one is good.
fn targets(route: &Route, objects: &[Value]) -> Vec<String> {
    let path = format!("/api/v1{}", route.path);
    if !path.contains('{') {
        return vec![path];
    }
    let first = route.path.split('/').nth(1).unwrap_or_default();
    let kind = KINDS.iter().find(|(segment, _)| *segment == first);
    let (_, kind) = kind.unwrap_or_else(|| panic!("say in KINDS which objects {} is about", route.path));
    (objects.iter())
        .filter(|object| object["kind"] == kind.as_str())
        .map(|object| {
            let part = |member: &str| object["metadata"][member].as_str().unwrap_or_default();
            let path = path.replace("{name}", part("name")).replace("{kind}", "approval");
            assert!(!path.contains('{'), "say here what else {path} is about");
            format!("{path}?namespace={}", part("namespace"))
        })
        .collect()
}

fn is_refused(answer: &Answer) -> bool {
    answer.status >= 500 || answer.reason() == "forbidden_by_cluster"
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_route_is_refused_by_the_cluster() {
    let Some(bed) = Bed::start().await else { return };
    bed.define(|_| true).await;
    let objects = sample::objects(Timestamp::now());
    bed.load(objects.clone()).await;
    let token = give_rights(&bed).await;
    let served = Served::start(&bed.kubeconfig(&token)).await;
    served
        .until("it is ready", "/readyz", |answer| answer.status == 200)
        .await;
    let trail = bed.versions(Kind::AuditEvent).await.len();
    let mut deeds = 0;
    for route in rest::routes() {
        let method = route.method.as_str();
        let body = BODIES.iter().find(|(of, path, _)| (*of, *path) == (method, route.path));
        let body = match body {
            Some((_, _, body)) => (*body).to_owned(),
            None if method == "GET" => String::new(),
            None => usual_body().to_string(),
        };
        // One key is one vote, and the only request that is open has Mira's.
        let by = if route.path.ends_with("/reject") { TOMASZ } else { MIRA };
        let mut last = None;
        let good = targets(&route, &objects).into_iter().any(|target| {
            let answer = served.send(by, method, &target, &body);
            assert!(!is_refused(&answer), "{method} {target}: {answer:?}");
            let good = answer.status < 300;
            last = Some((target, answer));
            good
        });
        assert!(
            good,
            "{method} {}: on no object of the sample; say in BODIES what it needs: {last:?}",
            route.path
        );
        deeds += usize::from(method != "GET" && route.path != "/session");
    }
    assert!(
        bed.versions(Kind::AuditEvent).await.len() >= trail + deeds,
        "each deed has its audit event"
    );
    let log = served.log();
    assert!(!log.contains("ERROR") && !log.contains("does not let us read"), "{log}");
}
