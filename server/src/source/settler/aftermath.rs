//! What follows once a request is decided: an audit event, the plan's annotations and the note that its policy owes a count,
//! written with the verdict; the policy's counters, written later with the note that this was done.

use super::status_patch;
use crate::{
    catalog::Snapshot,
    hex,
    resources::{
        ApprovalPolicy, ApprovalRequest, ApprovalState, Kind, RemediationPlan, Typed, approval_request::Decision,
        moment,
    },
    rules::approval_case::state,
    source::{Address, Change, Verb},
};
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Holds the verdict once it is counted, and [`OWED`] before. What was decided elsewhere and comes with a dump has no such note
/// of ours: whoever decided it has counted it.
const COUNTED: &str = "platform.chatcli.io/policy-counted";
const OWED: &str = "owed";
const WAITING: &str = "platform.chatcli.io/approval-pending";
const REJECTION: &str = "platform.chatcli.io/rejection-reason";

/// What is still to be written after a verdict.
pub(super) struct Owed {
    /// Is right only if nobody has counted since.
    pub(super) count: Option<Change>,
    /// Says that it was counted. Belongs to the count.
    pub(super) mark: Change,
}

/// Those that were decided here, and not counted so far.
pub(super) fn uncounted(snapshot: &Snapshot) -> Vec<Address> {
    let requests = snapshot.table::<ApprovalRequest>().iter();
    requests
        .filter(|row| row.object.annotation(COUNTED) == Some(OWED))
        .map(|row| row.object.address())
        .collect()
}

/// None where nothing is owed.
pub(super) fn owed(snapshot: &Snapshot, request: &ApprovalRequest) -> Option<Owed> {
    let (verdict, _) = outcome(request).filter(|_| request.annotation(COUNTED) == Some(OWED))?;
    let policy = snapshot
        .table::<ApprovalPolicy>()
        .get(request.namespace(), &request.spec.policy_ref);
    Some(Owed {
        count: policy.map(|row| count(&row.object, request, verdict)),
        mark: note(request, verdict),
    })
}

/// What is written with a verdict: what others see of it, and that it is to be counted. Nothing for a request that is open.
pub(super) fn of(snapshot: &Snapshot, request: &ApprovalRequest) -> Vec<Change> {
    let Some((verdict, at)) = outcome(request) else {
        return Vec::new();
    };
    let plan = snapshot
        .table::<RemediationPlan>()
        .get(request.namespace(), &request.spec.remediation_plan_ref);
    let release = plan.and_then(|row| release(&row.object, request, verdict));
    [audit(request, verdict, at), note(request, OWED)]
        .into_iter()
        .chain(release)
        .collect()
}

fn note(request: &ApprovalRequest, says: &str) -> Change {
    Change {
        address: request.address(),
        precondition: None,
        verb: Verb::Patch(json!({"metadata": {"annotations": {COUNTED: says}}})),
    }
}

/// The verdict as the field writes it, and when it was given.
fn outcome(request: &ApprovalRequest) -> Option<(&'static str, Timestamp)> {
    let status = request.status.as_ref()?;
    match state(request) {
        ApprovalState::Approved => Some(("approved", status.approved_at.as_ref()?.moment()?)),
        ApprovalState::Rejected => Some(("rejected", status.rejected_at.as_ref()?.moment()?)),
        ApprovalState::Expired => Some(("expired", status.expired_at.as_ref()?.moment()?)),
        _ => None,
    }
}

/// Named after the request and the moment, so that it cannot be written twice.
fn audit(request: &ApprovalRequest, verdict: &str, at: Timestamp) -> Change {
    let uid = request.meta().uid.clone().unwrap_or_default();
    let hash = Sha256::digest(format!("{uid}/{verdict}"));
    let nanos = u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]) % 1_000_000_000;
    let name = format!("audit-{}{nanos:09}-{}", at.as_second(), hex::encode(&hash[4..7]));
    let automatic = request.status.as_ref().is_some_and(|status| status.auto_approved);
    let approvers: Vec<_> = votes(request, verdict).map(|vote| vote.approver.as_str()).collect();
    let approvers = approvers.join(", ");
    let actor = match approvers.as_str() {
        names if !names.is_empty() && !automatic => json!({"type": "user", "name": names}),
        _ => json!({"type": "controller", "name": "ApprovalReconciler", "controller": "approval-controller"}),
    };
    let (event, severity) = (
        format!("approval_{verdict}"),
        if verdict == "approved" { "info" } else { "warning" },
    );
    let namespace = request.namespace();
    let event = json!({
        "apiVersion": Kind::AuditEvent.api_version(),
        "kind": "AuditEvent",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {"platform.chatcli.io/event-type": event, "platform.chatcli.io/severity": severity},
            "annotations": {"platform.chatcli.io/immutable": "true"},
        },
        "spec": {
            "eventType": event,
            "actor": actor,
            "resource": {"kind": "ApprovalRequest", "name": request.name(), "namespace": namespace, "uid": uid},
            "details": {
                "issue": request.spec.issue_ref.name, "decision": verdict, "auto": automatic.to_string(),
                "approvers": approvers,
            },
            "severity": severity,
            "correlationId": request.spec.issue_ref.name,
            "timestamp": moment::written(at),
        },
    });
    let address = Address {
        kind: Kind::AuditEvent,
        namespace: namespace.to_owned(),
        name,
    };
    Change {
        address,
        precondition: None,
        verb: Verb::Create(event),
    }
}

/// The plan does not wait any more, and says why if it was turned down.
fn release(plan: &RemediationPlan, request: &ApprovalRequest, verdict: &str) -> Option<Change> {
    let mut annotations = serde_json::Map::new();
    if verdict != "expired" && plan.annotation(WAITING).is_some() {
        annotations.insert(WAITING.into(), Value::Null);
    }
    if verdict == "rejected" {
        let reasons: Vec<_> = votes(request, verdict)
            .map(|vote| format!("{}: {}", vote.approver, vote.reason))
            .collect();
        annotations.insert(REJECTION.into(), reasons.join("; ").into());
    }
    (!annotations.is_empty()).then(|| Change {
        address: plan.address(),
        precondition: None,
        verb: Verb::Patch(json!({"metadata": {"annotations": annotations}})),
    })
}

fn count(policy: &ApprovalPolicy, request: &ApprovalRequest, verdict: &str) -> Change {
    let mut totals = policy.status.clone().unwrap_or_default();
    match verdict {
        "approved" => {
            totals.total_approved += 1;
            totals.total_auto_approved += i64::from(request.status.as_ref().is_some_and(|status| status.auto_approved));
        }
        "rejected" => totals.total_rejected += 1,
        _ => totals.total_expired += 1,
    }
    status_patch(
        policy,
        json!({"status": {
            "totalApproved": totals.total_approved, "totalRejected": totals.total_rejected,
            "totalExpired": totals.total_expired, "totalAutoApproved": totals.total_auto_approved,
        }}),
    )
}

fn votes<'a>(request: &'a ApprovalRequest, verdict: &str) -> impl Iterator<Item = &'a Decision> {
    let decisions = request.status.iter().flat_map(|status| &status.decisions);
    decisions.filter(move |decision| decision.decision == verdict)
}
