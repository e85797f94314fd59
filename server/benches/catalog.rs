//! What reading and publishing cost as the number of incidents grows.
//!
//! `cargo bench -p opsdeck --bench catalog`. A page is 50 rows, joined to the bytes that go out.

use divan::{Bencher, black_box};
use jiff::{SignedDuration, Timestamp};
use opsdeck::{
    catalog::{Catalog, Selection, Snapshot, Sort},
    resources::{Issue, Kind, Object},
};
use serde_json::json;
use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const PAGE: usize = 50;

fn main() {
    divan::main();
}

fn now() -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_hours(500_000)
}

/// About 1 KB of JSON. The fields go round at lengths without a common divisor, so that all combinations occur.
fn incident(number: usize, version: u64) -> Object {
    let pick = |words: &[&'static str]| words[number % words.len()];
    let namespace = format!("team-{}", number % 23);
    let workload = format!("checkout-{}", number % 97);
    let name = format!("{workload}-pod-not-ready-{}", 1_800_000_000 - number);
    let created = now() - SignedDuration::from_secs(i64::try_from(number).unwrap_or_default() * 7);
    let value = json!({
        "apiVersion": Kind::Issue.api_version(),
        "kind": "Issue",
        "metadata": {
            "namespace": namespace,
            "name": name,
            "uid": format!("6d1f3f0a-52a5-4d0e-9d43-{number:012}"),
            "creationTimestamp": created,
            "resourceVersion": version.to_string(),
            "labels": {
                "platform.chatcli.io/inc-id": format!("INC-20261130-{number:03}"),
                "platform.chatcli.io/resource": workload,
                "platform.chatcli.io/signal": "pod_not_ready",
                "platform.chatcli.io/instance": "chatcli-prod",
            },
            "annotations": { "platform.chatcli.io/decision-mode": "approval" },
        },
        "spec": {
            "severity": pick(&["critical", "high", "medium", "medium", "low"]),
            "source": "watcher",
            "signalType": "pod_not_ready",
            "resource": { "kind": "Deployment", "name": workload, "namespace": namespace },
            "description": format!(
                "Auto-detected pod_not_ready anomaly: {name} has not been ready for 5 minutes (value=1, threshold=0)"
            ),
            "riskScore": number * 31 % 101,
        },
        "status": {
            "state": pick(&["Resolved", "Detected", "Analyzing", "Resolved", "Remediating", "Escalated", "Resolved"]),
            "detectedAt": created,
            "remediationAttempts": number % 3,
            "maxRemediationAttempts": 3,
            "conditions": [{
                "type": "Analyzing", "status": "True", "reason": "AIInsightCreated",
                "message": "The insight was requested", "lastTransitionTime": created,
            }],
        },
    });
    Object::parse(Kind::Issue, value).expect("the generated incidents are incidents")
}

fn incidents(size: usize) -> Vec<Object> {
    (0..size).map(|number| incident(number, 1)).collect()
}

/// Loaded once per size: a sample must not pay for it.
fn loaded(size: usize) -> Arc<Catalog> {
    static LOADED: Mutex<BTreeMap<usize, Arc<Catalog>>> = Mutex::new(BTreeMap::new());
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let load = || {
        let catalog = Catalog::new(1);
        catalog.apply(incidents(size), now());
        Arc::new(catalog)
    };
    loaded.entry(size).or_insert_with(load).clone()
}

#[divan::bench(args = SIZES, sample_count = 5)]
fn load(bencher: Bencher<'_, '_>, size: usize) {
    bencher.with_inputs(|| incidents(size)).bench_values(|incidents| {
        let catalog = Catalog::new(1);
        catalog.apply(incidents, now());
        catalog
    });
}

/// One incident in the middle of the list says something else, again and again.
#[divan::bench(args = SIZES)]
fn publish_a_change(bencher: Bencher<'_, '_>, size: usize) {
    static VERSION: AtomicU64 = AtomicU64::new(2);
    let catalog = loaded(size);
    bencher
        .with_inputs(|| {
            let version = VERSION.fetch_add(1, Ordering::Relaxed);
            let Object::Issue(issue) = incident(size / 2, version) else {
                unreachable!("it was made an incident")
            };
            let mut issue = Arc::unwrap_or_clone(issue);
            issue.spec.description = format!("Version {version}");
            Object::Issue(Arc::new(issue))
        })
        .bench_values(|changed| catalog.apply(vec![changed], now()));
}

/// A new incident, and its end: what a catalog lives on.
#[divan::bench(args = SIZES)]
fn publish_a_new_one(bencher: Bencher<'_, '_>, size: usize) {
    let catalog = loaded(size);
    bencher.with_inputs(|| incident(size + 1, 1)).bench_values(|new| {
        let address = new.address();
        catalog.apply(vec![new], now());
        catalog.delete(vec![address], now());
    });
}

fn page(bencher: Bencher<'_, '_>, size: usize, number: usize, selection: &Selection) {
    let snapshot: Arc<Snapshot> = loaded(size).snapshot();
    let mut out = Vec::with_capacity(64 << 10);
    bencher.bench_local(|| {
        out.clear();
        if let Ok(page) = snapshot.table::<Issue>().page(black_box(selection), number, PAGE) {
            page.join(&mut out);
            black_box(page.total);
        }
        black_box(out.len())
    });
}

#[divan::bench(args = SIZES)]
fn first_page(bencher: Bencher<'_, '_>, size: usize) {
    page(bencher, size, 1, &Selection::default());
}

#[divan::bench(args = SIZES)]
fn first_page_one_filter(bencher: Bencher<'_, '_>, size: usize) {
    page(bencher, size, 1, &Selection::default().filter("severity", ["critical"]));
}

#[divan::bench(args = SIZES)]
fn first_page_two_filters(bencher: Bencher<'_, '_>, size: usize) {
    let selection = Selection::default()
        .filter("severity", ["critical"])
        .filter("state", ["Resolved"]);
    page(bencher, size, 1, &selection);
}

#[divan::bench(args = SIZES)]
fn first_page_two_values_each(bencher: Bencher<'_, '_>, size: usize) {
    let selection = Selection::default()
        .filter("severity", ["critical", "high"])
        .filter("state", ["Resolved", "Detected"]);
    page(bencher, size, 1, &selection);
}

#[divan::bench(args = SIZES)]
fn first_page_of_a_time(bencher: Bencher<'_, '_>, size: usize) {
    let middle = now() - SignedDuration::from_secs(i64::try_from(size).unwrap_or_default() * 7 / 2);
    let selection = Selection::default()
        .between(None, Some(middle))
        .filter("severity", ["critical"]);
    page(bencher, size, 1, &selection);
}

#[divan::bench(args = SIZES)]
fn deep_page(bencher: Bencher<'_, '_>, size: usize) {
    page(bencher, size, size / PAGE / 2, &Selection::default());
}

#[divan::bench(args = SIZES)]
fn first_page_by_need(bencher: Bencher<'_, '_>, size: usize) {
    page(bencher, size, 1, &Selection::default().sorted(Sort::Need));
}

#[divan::bench(args = SIZES)]
fn first_page_by_risk(bencher: Bencher<'_, '_>, size: usize) {
    page(
        bencher,
        size,
        1,
        &Selection::default().sorted(Sort::parse("-riskScore,name")),
    );
}

#[divan::bench(args = SIZES)]
fn search(bencher: Bencher<'_, '_>, size: usize) {
    page(bencher, size, 1, &Selection::default().search("checkout-42 minutes"));
}

#[divan::bench(args = SIZES)]
fn count_by_state(bencher: Bencher<'_, '_>, size: usize) {
    let snapshot = loaded(size).snapshot();
    let selection = Selection::default().filter("severity", ["critical"]);
    bencher.bench_local(|| snapshot.table::<Issue>().counts(black_box(&selection), "state"));
}
