//! Moves the approvals of the embedded source, as the operator's controller does on Kubernetes: verdicts by the rules
//! of `rules/approval.rs`, and what follows. Inside the write that brings a vote, and when nobody writes.

mod aftermath;

use crate::{
    catalog::{Catalog, Selection, Snapshot},
    resources::{ApprovalPolicy, ApprovalRequest, ApprovalState, Condition, Issue, Kind, Object, Typed, moment},
    rules::{
        approval::{AUTOMATIC, Case, Verdict},
        approval_case::{case, state},
    },
    source::{Address, Batch, Change, Source, Verb, WriteError, embedded::Judge},
};
use aftermath::Owed;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

const WINDOW: &str = "ChangeWindow";

/// Judges a request inside the write that changes it.
#[derive(Debug)]
pub struct Bench<C> {
    catalog: Arc<Catalog>,
    clock: C,
}

// === impl Bench ===

impl<C: Fn() -> Timestamp> Bench<C> {
    pub fn new(catalog: Arc<Catalog>, clock: C) -> Self {
        Self { catalog, clock }
    }
}

impl<C: Fn() -> Timestamp + Send> Judge for Bench<C> {
    fn judge(&mut self, object: &Object) -> Option<Value> {
        let Object::ApprovalRequest(request) = object else {
            return None;
        };
        ruling(&self.catalog.snapshot(), request, (self.clock)())
    }

    fn consequences(&mut self, before: Option<&Value>, now: &Object) -> Vec<Change> {
        match now {
            Object::ApprovalRequest(request) if before.is_none_or(is_open) => {
                aftermath::of(&self.catalog.snapshot(), request)
            }
            _ => Vec::new(),
        }
    }
}

/// Whether nobody has decided it, as far as it can be read.
fn is_open(request: &Value) -> bool {
    let request = Object::parse(Kind::ApprovalRequest, request.clone());
    matches!(request, Ok(Object::ApprovalRequest(request)) if state(&request) == ApprovalState::Pending)
}

/// Follows the catalog for as long as it lives: judges requests when their time comes, and has policies count the verdicts.
/// The source has to have transactions, since a count cannot be repeated.
pub async fn settle(catalog: Arc<Catalog>, source: Arc<dyn Source>) {
    /// With nothing due, a change of the catalog wakes us.
    const FAR: Duration = Duration::from_secs(3600);
    /// After a write that failed.
    const AGAIN: Duration = Duration::from_secs(5);
    let mut changes = catalog.subscribe();
    loop {
        changes.borrow_and_update();
        let now = Timestamp::now();
        let done = round(&catalog, &*source, now).await;
        let wait = match next_moment(&catalog.snapshot(), now) {
            _ if !done => AGAIN,
            Some(moment) => Duration::try_from(moment.duration_since(now))
                .unwrap_or_default()
                .min(FAR),
            None => FAR,
        };
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            changed = changes.changed() => if changed.is_err() { return },
        }
    }
}

/// Has it written, by us or by somebody who was quicker.
async fn write(source: &dyn Source, change: Change) -> Result<(), WriteError> {
    match source.write(change).await {
        Ok(_) | Err(WriteError::Conflict(..) | WriteError::NotFound(_) | WriteError::Exists(_)) => Ok(()),
        Err(error) => {
            tracing::warn!(%error, "an approval cannot be settled");
            Err(error)
        }
    }
}

/// Whether it is done, or never will be.
fn settled(outcome: Result<(), WriteError>) -> bool {
    !outcome.is_err_and(|error| passes(&error))
}

/// Whether the same write may succeed a moment later.
fn passes(error: &WriteError) -> bool {
    matches!(error, WriteError::Unavailable(_) | WriteError::Timeout(_))
}

/// Gives the verdicts whose time has come, and has those counted that were given, whenever that was.
/// Answers whether nothing is left that has to be tried again.
pub(super) async fn round(catalog: &Catalog, source: &dyn Source, now: Timestamp) -> bool {
    let mut done = true;
    for change in rulings(&catalog.snapshot(), now) {
        done &= write(source, change).await.is_ok();
    }
    // One after the other, each from what is there by then: two may be counted by one policy.
    for address in aftermath::uncounted(&catalog.snapshot()) {
        done &= counted(catalog, source, &address).await;
    }
    done
}

/// The verdicts whose time has come.
fn rulings(snapshot: &Snapshot, now: Timestamp) -> Vec<Change> {
    pending(snapshot)
        .filter_map(|request| Some(status_patch(request, ruling(snapshot, request, now)?)))
        .collect()
}

/// Has one verdict counted, as far as it is not. Answers whether that is all.
async fn counted(catalog: &Catalog, source: &dyn Source, address: &Address) -> bool {
    /// Whoever changes a policy that often at a time may go first.
    const TRIES: usize = 5;
    for _ in 0..TRIES {
        let snapshot = catalog.snapshot();
        let request = (snapshot.table::<ApprovalRequest>()).get(&address.namespace, &address.name);
        let Some(Owed { count, mark }) = request.and_then(|row| aftermath::owed(&snapshot, &row.object)) else {
            return true;
        };
        let Some(count) = count else {
            return settled(write(source, mark).await);
        };
        // Together, so that nothing is counted twice.
        match source.commit(Batch::new(count, vec![mark.clone()])).await {
            Ok(committed) => {
                // A count whose mark is still to be written would be done again after a kill.
                assert!(committed.left.is_empty(), "the source has transactions");
                return true;
            }
            Err(WriteError::Conflict(..)) => {}
            Err(error) => {
                tracing::warn!(%error, "an approval cannot be counted");
                return !passes(&error) && settled(write(source, mark).await);
            }
        }
    }
    false
}

/// The first moment at which a request is decided without a vote.
pub fn next_moment(snapshot: &Snapshot, now: Timestamp) -> Option<Timestamp> {
    pending(snapshot)
        .filter_map(|request| case_of(snapshot, request).next_change(now))
        .min()
}

/// The merge patch by which the request's status says what is true of it now; none if it does.
fn ruling(snapshot: &Snapshot, request: &ApprovalRequest, now: Timestamp) -> Option<Value> {
    if state(request) != ApprovalState::Pending {
        return None;
    }
    let case = case_of(snapshot, request);
    let time = moment::written(now);
    let mut status = match case.verdict(now) {
        Verdict::Open => return None,
        Verdict::Held => return held(request, &case, &time),
        Verdict::Rejected => json!({"state": "Rejected", "rejectedAt": time}),
        Verdict::Expired => json!({"state": "Expired", "expiredAt": time}),
        Verdict::Approved { automatic } => {
            let mut status = json!({"state": "Approved", "approvedAt": time});
            if automatic {
                let reason = "All conditions of the rule hold";
                let vote = json!({"approver": AUTOMATIC, "decision": "approved", "reason": reason, "timestamp": time});
                status["autoApproved"] = true.into();
                status["decisions"] = Value::Array(decisions(request).chain([vote]).collect());
            }
            if case.window.is_some() {
                status["conditions"] = with_window(
                    request,
                    "True",
                    "WithinChangeWindow",
                    "Approved inside the change window",
                    &time,
                );
            }
            status
        }
    };
    // Members that the schema requires, on a request that nobody has written to before.
    if request.status.is_none() && status.get("autoApproved").is_none() {
        status["autoApproved"] = false.into();
    }
    Some(json!({"status": status}))
}

/// A request that waits for its window says so once.
fn held(request: &ApprovalRequest, case: &Case, time: &str) -> Option<Value> {
    let says = |condition: &Condition| condition.aspect == WINDOW && condition.status.as_str() == "False";
    if conditions(request).any(says) {
        return None;
    }
    let message = match &case.window {
        Some(Err(never)) => format!("Approved, but the change window never opens: {never}"),
        _ => format!(
            "Approved by {} of {} required approvers; waits for the change window",
            case.approvals.len(),
            case.required
        ),
    };
    let conditions = with_window(request, "False", "OutsideChangeWindow", &message, time);
    let automatic = request.status.as_ref().is_some_and(|status| status.auto_approved);
    Some(json!({"status": {"state": "Pending", "autoApproved": automatic, "conditions": conditions}}))
}

/// The request's conditions with the one about its window replaced.
fn with_window(request: &ApprovalRequest, status: &str, reason: &str, message: &str, time: &str) -> Value {
    let kept = conditions(request)
        .filter(|condition| condition.aspect != WINDOW)
        .filter_map(|kept| serde_json::to_value(kept).ok());
    let window =
        json!({"type": WINDOW, "status": status, "reason": reason, "message": message, "lastTransitionTime": time});
    Value::Array(kept.chain([window]).collect())
}

fn conditions(request: &ApprovalRequest) -> impl Iterator<Item = &Condition> {
    request.status.iter().flat_map(|status| &status.conditions)
}

fn decisions(request: &ApprovalRequest) -> impl Iterator<Item = Value> {
    let decisions = request.status.iter().flat_map(|status| &status.decisions);
    decisions.filter_map(|decision| serde_json::to_value(decision).ok())
}

fn pending(snapshot: &Snapshot) -> impl Iterator<Item = &ApprovalRequest> {
    let pending = Selection::default().filter("state", ["Pending"]);
    let rows: Vec<_> = snapshot.table::<ApprovalRequest>().matching(&pending).collect();
    rows.into_iter().map(|row| &*row.object)
}

fn case_of(snapshot: &Snapshot, request: &ApprovalRequest) -> Case {
    let namespace = request.namespace();
    let policy = snapshot
        .table::<ApprovalPolicy>()
        .get(namespace, &request.spec.policy_ref);
    let issue = snapshot.table::<Issue>().get(namespace, &request.spec.issue_ref.name);
    case(request, policy.map(|row| &*row.object), issue.map(|row| &*row.object))
}

fn status_patch(object: &impl Typed, patch: Value) -> Change {
    Change {
        address: object.address(),
        precondition: object.meta().resource_version.clone(),
        verb: Verb::PatchStatus(patch),
    }
}

#[cfg(test)]
mod tests;
