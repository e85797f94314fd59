//! The settler's loop over a store that others write to as well, and that fails now and then.

use crate::{
    catalog::Catalog,
    resources::{ApprovalPolicy, ApprovalRequest, AuditEvent, Kind, Typed as _, moment},
    source::{
        Address, Batch, Change, Committing, Source, Verb, WriteError,
        embedded::Embedded,
        settler::{Bench, settle},
    },
};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::task::JoinHandle;

const COUNTED: &str = "platform.chatcli.io/policy-counted";

/// What happens to the next write of one kind, before it reaches the store.
enum Mishap {
    Outage,
    /// Somebody else writes to the same object.
    Rival,
}

struct Moody {
    store: Embedded,
    plan: Mutex<Vec<(Kind, Mishap)>>,
}

/// A store, the loop that settles in it, and what the catalog shows of both.
struct Court {
    catalog: Arc<Catalog>,
    source: Arc<Moody>,
    settling: JoinHandle<()>,
}

// === impl Moody ===

impl Moody {
    /// What happens now to a write of these.
    async fn befall(&self, addresses: &[&Address]) -> Result<(), WriteError> {
        let next = {
            let mut plan = self.plan.lock().unwrap();
            let hit = |kind: Kind| addresses.iter().find(|address| address.kind == kind);
            let at = plan.iter().position(|(kind, _)| hit(*kind).is_some());
            at.map(|at| plan.remove(at))
                .and_then(|(kind, mishap)| Some((*hit(kind)?, mishap)))
        };
        match next {
            Some((_, Mishap::Outage)) => return Err(WriteError::Unavailable("disk full".into())),
            Some((address, Mishap::Rival)) => {
                let rival = Change {
                    address: address.clone(),
                    precondition: None,
                    verb: Verb::Patch(json!({"metadata": {"annotations": {"seen-by": "somebody else"}}})),
                };
                self.store.write(rival).await.unwrap();
            }
            None => {}
        }
        Ok(())
    }
}

impl Source for Moody {
    fn commit(&self, batch: Batch) -> Committing<'_> {
        Box::pin(async move {
            // Nothing that the settler writes is told from what was stored before.
            let rest = (batch.then)(&Value::Null);
            let all = [&batch.first].into_iter().chain(&rest);
            let addresses: Vec<_> = all.map(|change| &change.address).collect();
            self.befall(&addresses).await?;
            self.store.commit(Batch::new(batch.first, rest)).await
        })
    }
}

// === impl Court ===

impl Court {
    /// In session over these objects and one policy, whose rule approves by itself.
    async fn over(objects: Vec<Value>, plan: Vec<(Kind, Mishap)>) -> Self {
        let catalog = Arc::new(Catalog::new(1));
        let store = Embedded::in_memory(catalog.clone()).unwrap();
        store.judge_with(Bench::new(catalog.clone(), Timestamp::now));
        let conditions = json!({"minConfidence": 0.5, "maxSeverity": "low", "historicalSuccessRate": 0.5});
        let rule = json!({
            "name": "auto", "mode": "auto", "timeoutMinutes": 30, "match": {}, "autoApproveConditions": conditions,
        });
        let policy = json!({"enabled": true, "rules": [rule]});
        let issue = json!({
            "severity": "low", "source": "prometheus", "description": "", "riskScore": 1,
            "resource": {"kind": "Deployment", "name": "checkout", "namespace": "shop"},
        });
        let mut all = vec![
            object(Kind::ApprovalPolicy, "shop-changes", policy),
            object(Kind::Issue, "i", issue),
        ];
        all.extend(objects);
        store.load(all).await.unwrap();
        let source = Arc::new(Moody {
            store,
            plan: Mutex::new(plan),
        });
        let settling = tokio::spawn(settle(catalog.clone(), source.clone()));
        Self {
            catalog,
            source,
            settling,
        }
    }

    /// Others keep writing meanwhile, so that the loop looks again at once.
    async fn until_counted(&self, request: &str) {
        let touch = |round: u32| Change {
            address: Address {
                kind: Kind::Issue,
                namespace: "shop".into(),
                name: "i".into(),
            },
            precondition: None,
            verb: Verb::Patch(json!({"metadata": {"annotations": {"round": round.to_string()}}})),
        };
        let counted = || {
            let snapshot = self.catalog.snapshot();
            let row = snapshot.table::<ApprovalRequest>().get("shop", request);
            row.is_some_and(|row| row.object.annotation(COUNTED) == Some("approved"))
        };
        let wait = async {
            let mut round = 0;
            while !counted() {
                round += 1;
                self.source.store.write(touch(round)).await.unwrap();
            }
        };
        tokio::time::timeout(Duration::from_secs(10), wait)
            .await
            .expect("all that follows is done");
    }

    /// Approved in all, and by the rule alone.
    fn totals(&self) -> (i64, i64) {
        let snapshot = self.catalog.snapshot();
        let row = snapshot.table::<ApprovalPolicy>().get("shop", "shop-changes").unwrap();
        let status = row.object.status.clone().unwrap_or_default();
        (status.total_approved, status.total_auto_approved)
    }

    fn events(&self) -> usize {
        self.catalog.snapshot().table::<AuditEvent>().len()
    }
}

impl Drop for Court {
    fn drop(&mut self) {
        self.settling.abort();
    }
}

fn object(kind: Kind, name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": kind.api_version(), "kind": kind.as_str(), "spec": spec,
        "metadata": {"name": name, "namespace": "shop", "creationTimestamp": now()},
    })
}

fn now() -> String {
    moment::written(Timestamp::now())
}

/// Asks to carry out the plan `p`.
fn open(name: &str) -> Value {
    let evidence = json!({"aiConfidence": 0.9, "historicalSuccessRate": 0.9, "previousAttempts": 0});
    object(
        Kind::ApprovalRequest,
        name,
        json!({
            "issueRef": {"name": "i"}, "remediationPlanRef": "p", "policyRef": "shop-changes", "ruleName": "auto",
            "requestedActions": [], "requester": "chatcli-operator", "timeoutMinutes": 30, "requiredApprovers": 1,
            "evidence": evidence,
        }),
    )
}

/// Decided by a server that was killed before it counted.
fn approved(name: &str) -> Value {
    let mut request = open(name);
    request["metadata"]["annotations"] = json!({COUNTED: "owed"});
    request["status"] = json!({"state": "Approved", "approvedAt": now(), "autoApproved": false});
    request
}

#[tokio::test]
async fn two_that_one_policy_approves_at_once_are_both_counted() {
    let court = Court::over(vec![approved("a"), approved("b")], Vec::new()).await;
    for request in ["a", "b"] {
        court.until_counted(request).await;
    }
    assert_eq!(court.totals(), (2, 0));
}

#[tokio::test]
async fn a_policy_that_somebody_else_changes_meanwhile_counts_all_the_same() {
    let rivals = vec![
        (Kind::ApprovalPolicy, Mishap::Rival),
        (Kind::ApprovalPolicy, Mishap::Rival),
    ];
    let court = Court::over(vec![approved("a")], rivals).await;
    court.until_counted("a").await;
    assert_eq!(court.totals(), (1, 0));
}

#[tokio::test]
async fn what_could_not_be_counted_at_first_is_counted_later_and_once() {
    for failing in [Kind::ApprovalPolicy, Kind::ApprovalRequest] {
        let outages = vec![(failing, Mishap::Outage), (failing, Mishap::Outage)];
        let court = Court::over(vec![approved("a")], outages).await;
        court.until_counted("a").await;
        assert_eq!(court.totals(), (1, 0), "{failing} failed");
    }
}

#[tokio::test]
async fn what_is_decided_between_two_looks_is_counted_too() {
    let court = Court::over(vec![approved("first")], Vec::new()).await;
    court.until_counted("first").await;
    let address = Address {
        kind: Kind::ApprovalRequest,
        namespace: "shop".into(),
        name: "at-once".into(),
    };
    let created = Change {
        address,
        precondition: None,
        verb: Verb::Create(open("at-once")),
    };
    let stored = court.source.write(created).await.unwrap();
    assert_eq!(
        stored["status"]["state"], "Approved",
        "decided by the write that makes it"
    );
    court.until_counted("at-once").await;
    assert_eq!((court.totals(), court.events()), ((2, 1), 1));

    court.source.store.load(vec![approved("imported")]).await.unwrap();
    court.until_counted("imported").await;
    assert_eq!(court.totals(), (3, 1));
}
