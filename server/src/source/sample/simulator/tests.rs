//! The simulator over a store in memory, on a clock that is moved by hand.

use super::Simulator;
use crate::{
    catalog::{Catalog, Snapshot},
    resources::{
        ApprovalRequest, ApprovalState, AuditEvent, ChaosExperiment, ChaosState, Issue, IssueState, PlanState,
        PostMortem, RemediationPlan, Typed,
    },
    rules::approval_case::state,
    source::{
        Change, Source, Verb, WriteError,
        embedded::Embedded,
        sample,
        settler::{self, Bench},
    },
};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

struct Stage {
    catalog: Arc<Catalog>,
    store: Embedded,
    simulator: Simulator,
    clock: Arc<AtomicI64>,
    /// What became of each plan, in order.
    plans: BTreeMap<String, Vec<String>>,
    changes: usize,
}

impl Stage {
    async fn set(seed: u64) -> Self {
        let now = Timestamp::from_second(Timestamp::now().as_second()).unwrap();
        let catalog = Arc::new(Catalog::new(1));
        let store = Embedded::in_memory(catalog.clone()).unwrap();
        store.load(sample::objects(now)).await.unwrap();
        let clock = Arc::new(AtomicI64::new(now.as_second()));
        let judges = clock.clone();
        let time = move || Timestamp::from_second(judges.load(Ordering::Relaxed)).unwrap();
        store.judge_with(Bench::new(catalog.clone(), time));
        let simulator = Simulator::new(seed, now);
        Self {
            catalog,
            store,
            simulator,
            clock,
            plans: BTreeMap::new(),
            changes: 0,
        }
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_second(self.clock.load(Ordering::Relaxed)).unwrap()
    }

    async fn play(&mut self, minutes: i64) {
        let end = self.now() + SignedDuration::from_mins(minutes);
        while self.now() < end {
            self.clock.fetch_add(2, Ordering::Relaxed);
            let changes = self.simulator.step(self.now(), &self.catalog.snapshot());
            for change in changes {
                self.changes += 1;
                match self.store.write(change.clone()).await {
                    Ok(_) | Err(WriteError::Conflict(..)) => {}
                    Err(error) => panic!("{change:?}: {error}"),
                }
            }
            let now = self.now();
            assert!(settler::round(&self.catalog, &self.store, now).await);
            self.watch();
        }
    }

    fn watch(&mut self) {
        for row in self.catalog.snapshot().table::<RemediationPlan>().iter() {
            let now = row
                .object
                .status
                .as_ref()
                .map_or("", |status| status.state.as_str())
                .to_owned();
            let past = self.plans.entry(row.object.name().to_owned()).or_default();
            if past.last() != Some(&now) {
                past.push(now);
            }
        }
    }

    fn issue(&self, prefix: &str) -> Arc<Issue> {
        let snapshot = self.catalog.snapshot();
        snapshot
            .table::<Issue>()
            .iter()
            .find(|row| row.object.name().starts_with(prefix))
            .unwrap()
            .object
            .clone()
    }
}

fn open(snapshot: &Snapshot) -> usize {
    let ended = |issue: &Issue| {
        matches!(
            issue.status.as_ref().map(|status| &status.state),
            Some(IssueState::Resolved | IssueState::Contained | IssueState::Failed)
        )
    };
    snapshot
        .table::<Issue>()
        .iter()
        .filter(|row| !ended(&row.object))
        .count()
}

fn state_of(issue: &Issue) -> &str {
    issue.status.as_ref().map_or("", |status| status.state.as_str())
}

#[tokio::test]
async fn half_an_hour_goes_by() {
    let mut stage = Stage::set(5).await;
    let before = stage.catalog.snapshot().table::<Issue>().len();
    for _ in 0..6 {
        stage.play(5).await;
        assert!(open(&stage.catalog.snapshot()) <= 14, "what is open stays bounded");
    }
    let snapshot = stage.catalog.snapshot();
    assert!(snapshot.table::<Issue>().len() >= before + 10, "new incidents begin");
    assert!(snapshot.table::<PostMortem>().len() >= 14, "and end");
    assert!(stage.changes > 250);
    let legal: BTreeSet<(&str, &str)> = [
        ("Pending", "WaitingApproval"),
        ("Pending", "Executing"),
        ("WaitingApproval", "Executing"),
        ("WaitingApproval", "Failed"),
        ("Executing", "Verifying"),
        ("Verifying", "Completed"),
    ]
    .into();
    for (plan, states) in &stage.plans {
        for pair in states.windows(2) {
            assert!(
                legal.contains(&(pair[0].as_str(), pair[1].as_str())),
                "{plan}: {states:?}"
            );
        }
    }
    let done = |state: &PlanState| {
        snapshot
            .table::<RemediationPlan>()
            .iter()
            .filter(|row| row.object.status.as_ref().is_some_and(|status| status.state == *state))
            .count()
    };
    assert!(done(&PlanState::Completed) > 14);
    let voted = snapshot.table::<ApprovalRequest>().iter().filter(|row| {
        let status = row.object.status.as_ref();
        row.object.name().contains("returns-web")
            && status.is_some_and(|status| status.decisions.len() == 2 && status.state == ApprovalState::Approved)
    });
    assert!(voted.count() >= 1, "people voted, and their votes decided");
    let numbers: Vec<_> = snapshot
        .table::<Issue>()
        .iter()
        .filter_map(|row| {
            let number = row
                .object
                .metadata
                .labels
                .as_ref()?
                .get("platform.chatcli.io/inc-id")?
                .clone();
            Some((row.object.namespace().to_owned(), number))
        })
        .collect();
    assert_eq!(
        numbers.iter().collect::<BTreeSet<_>>().len(),
        numbers.len(),
        "numbers are given once"
    );
}

#[tokio::test]
async fn the_scenarios_go_on_and_the_open_decision_is_left_to_whoever_watches() {
    let mut stage = Stage::set(1).await;
    stage.play(10).await;
    for prefix in [
        "search-api-hpa-maxed",
        "transcoder-latency",
        "nightly-export",
        "edge-proxy-ingress-error",
    ] {
        assert_eq!(state_of(&stage.issue(prefix)), "Resolved", "{prefix}");
    }
    assert_eq!(state_of(&stage.issue("slo-storefront")), "Analyzing");
    let request = stage.issue("storefront-web-deploy-failing").name().to_owned();
    let request = format!("approval-{request}-plan-1");
    let row = stage
        .catalog
        .snapshot()
        .table::<ApprovalRequest>()
        .get("shop", &request)
        .cloned()
        .unwrap();
    assert_eq!(
        (state(&row.object), row.object.status.as_ref().unwrap().decisions.len()),
        (ApprovalState::Pending, 1)
    );

    let mut decisions: Vec<_> = row
        .object
        .status
        .iter()
        .flat_map(|status| &status.decisions)
        .map(|decision| json!(decision))
        .collect();
    decisions.push(
        json!({"approver": "ana (api-key: preview)", "decision": "approved", "timestamp": stage.now().to_string()}),
    );
    let vote = json!({"status": {"decisions": decisions}});
    let precondition = row.object.meta().resource_version.clone();
    let answer = stage
        .store
        .write(Change {
            address: row.object.address(),
            precondition,
            verb: Verb::PatchStatus(vote),
        })
        .await
        .unwrap();
    assert_eq!(answer["status"]["state"], "Approved");
    stage.play(4).await;
    assert_eq!(state_of(&stage.issue("storefront-web-deploy-failing")), "Resolved");
    assert_eq!(
        state_of(&stage.issue("slo-storefront")),
        "Resolved",
        "it ends with what caused it"
    );
    let events = stage.catalog.snapshot();
    let decided = events
        .table::<AuditEvent>()
        .iter()
        .filter(|row| row.object.spec.event_type == "approval_approved");
    assert!(
        decided
            .map(|row| &row.object.spec.actor.name)
            .any(|name| name.contains("ana (api-key: preview)"))
    );
}

#[tokio::test]
async fn what_nobody_decides_expires_and_is_escalated() {
    let mut stage = Stage::set(2).await;
    stage.play(19).await;
    let storefront = stage.issue("storefront-web-deploy-failing");
    assert_eq!(state_of(&storefront), "Escalated");
    let plan = stage.plans.get(&format!("{}-plan-1", storefront.name())).unwrap();
    assert_eq!(plan, &["WaitingApproval", "Failed"]);
    stage.play(6).await;
    let drill = stage
        .catalog
        .snapshot()
        .table::<ChaosExperiment>()
        .get("staging", "ledger-pod-failure")
        .cloned()
        .unwrap();
    assert_eq!(drill.object.status.as_ref().unwrap().state, ChaosState::Failed);
}

#[tokio::test]
async fn the_same_for_the_same_seed() {
    let world = Catalog::new(1).snapshot();
    let now: Timestamp = "2026-09-23T12:00:00Z".parse().unwrap();
    let script = |seed| {
        let mut simulator = Simulator::new(seed, now);
        let steps = (0..60).map(|step| simulator.step(now + SignedDuration::from_secs(step), &world));
        format!("{:?}", steps.collect::<Vec<_>>())
    };
    assert_eq!(script(3), script(3));
    assert_ne!(script(3), script(4));
}

#[tokio::test]
async fn what_a_person_resolves_is_left_alone() {
    let mut stage = Stage::set(1).await;
    stage.play(1).await;
    let issue = stage.issue("transcoder-latency");
    let resolved = json!({"status": {"state": "Resolved", "resolution": "by hand"}});
    stage
        .store
        .write(Change {
            address: issue.address(),
            precondition: None,
            verb: Verb::PatchStatus(resolved),
        })
        .await
        .unwrap();
    stage.play(5).await;
    let issue = stage.issue("transcoder-latency");
    assert_eq!(issue.status.as_ref().unwrap().resolution, "by hand");
}
