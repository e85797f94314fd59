//! Approvals: the requests of the operator to be allowed to act.

use super::{
    Error,
    ask::Ask,
    listing::{Listing, Single, Unqualified},
};
use crate::resources::ApprovalRequest;
use axum::{extract::Path, response::Response};

const APPROVALS: Listing = Listing {
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

const APPROVAL: Single = Single {
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
