//! Approvals: the requests of the operator to be allowed to act, and the votes on them.

use super::{
    Error,
    ask::Ask,
    body::Members,
    listing::{Listing, Single, Unqualified},
    write::Subject,
};
use crate::{
    catalog::Snapshot,
    resources::{ApprovalPolicy, ApprovalRequest, Issue, RemediationPlan, Typed as _, vocabulary::Verdict},
    rules::{
        audit::Deed,
        ballot::{self, Ballot, Matter},
        decision::Hand,
    },
};
use axum::{body::Bytes, extract::Path, response::Response};
use serde_json::Value;

pub(super) const APPROVALS: Listing = Listing {
    kind: "ApprovalRequestList",
    timed: false,
    table: (
        "approvals",
        &[
            "name",
            "namespace",
            "state",
            "issue",
            "plan",
            "policy",
            "rule",
            "actions",
            "blastRadius",
            "evidence",
            "confidence",
            "rollback",
            "requestedBy",
            "votes",
            "required",
            "approvedBy",
            "rejectedBy",
            "decisionReason",
            "decidedAt",
            "expiresAt",
            "expired",
            "changeWindow",
            "planHash",
            "creationTimestamp",
            "labels",
            "annotations",
        ],
    ),
};

pub(super) const APPROVAL: Single = Single {
    kind: "ApprovalRequest",
    noun: "approval",
    unqualified: Unqualified::Anywhere,
};

pub(super) async fn list_approvals(ask: Ask) -> Result<Response, Error> {
    ask.list::<ApprovalRequest>(&APPROVALS)
}

pub(super) async fn get_approval(Path(name): Path<String>, ask: Ask) -> Result<Response, Error> {
    ask.one::<ApprovalRequest>(&APPROVAL, &name)
}

pub(super) async fn approve_approval(Path(name): Path<String>, ask: Ask, body: Bytes) -> Result<Response, Error> {
    vote(&ask, &name, &body, Verdict::Approved).await
}

pub(super) async fn reject_approval(Path(name): Path<String>, ask: Ask, body: Bytes) -> Result<Response, Error> {
    vote(&ask, &name, &body, Verdict::Rejected).await
}

/// One key, one vote, under whatever name. The answer shows the verdict where whoever settles gives it at once.
async fn vote(ask: &Ask, name: &str, body: &[u8], verdict: Verdict) -> Result<Response, Error> {
    let members = Members::parse(body)?;
    let ballot = Ballot {
        verdict,
        approver: ballot::signature(&members.text("approver")?, &ask.caller.identity)
            .ok_or_else(|| Error::invalid("approver", "approver is required"))?,
        reason: members.text("reason")?.trim().to_owned(),
        plan_hash: members.given("planHash")?,
    };
    let catalog = ask.console.catalog.clone();
    let rule = move |request: &ApprovalRequest, now| {
        let snapshot = catalog.snapshot();
        Ok(ballot.cast(request, matter(&snapshot, request), now)?)
    };
    let request = ask.change(&APPROVAL, name, Deed::ApprovalVoted, rule).await?;
    Ok(ask.written(&APPROVAL, &*request))
}

fn matter<'a>(snapshot: &'a Snapshot, request: &ApprovalRequest) -> Matter<'a> {
    let (namespace, spec) = (request.namespace(), &request.spec);
    let policy = snapshot.table::<ApprovalPolicy>().get(namespace, &spec.policy_ref);
    let issue = snapshot.table::<Issue>().get(namespace, &spec.issue_ref.name);
    let plan = (snapshot.table::<RemediationPlan>()).get(namespace, &spec.remediation_plan_ref);
    Matter {
        policy: policy.map(|row| &*row.object),
        issue: issue.map(|row| &*row.object),
        plan: plan.map(|row| &*row.object),
    }
}

impl Subject for ApprovalRequest {
    fn last_hand(&self) -> Option<Hand> {
        ballot::last_hand(self)
    }

    fn incident(&self) -> Option<&str> {
        Some(self.spec.issue_ref.name.as_str()).filter(|name| !name.is_empty())
    }

    /// Whoever settles moves the state at once, and others vote; the vote itself stays.
    fn shows(stored: &Value, patch: &Value) -> bool {
        let votes = |object: &Value| object["status"]["decisions"].as_array().cloned().unwrap_or_default();
        let ours = votes(patch).pop();
        ours.is_some_and(|ours| votes(stored).contains(&ours))
    }
}
