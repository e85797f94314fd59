//! Runbooks: procedures that can be used again.

use super::{
    Error,
    answer::json,
    ask::Ask,
    listing::{Listing, Single, Unqualified},
    write::Subject,
};
use crate::{
    resources::{Runbook, Typed as _},
    rules::{audit::Deed, runbook},
};
use axum::{extract::Path, response::Response};
use opsdeck_api::Status;

const RUNBOOKS: Listing = Listing {
    kind: "RunbookList",
    timed: false,
    table: (
        "runbooks",
        &[
            "name",
            "namespace",
            "description",
            "trigger",
            "steps",
            "maxAttempts",
            "creationTimestamp",
        ],
    ),
};

const RUNBOOK: Single = Single {
    kind: "Runbook",
    noun: "runbook",
    unqualified: Unqualified::Default,
};

pub(super) async fn list_runbooks(ask: Ask) -> Result<Response, Error> {
    ask.list::<Runbook>(&RUNBOOKS)
}

/// The kind has no status, and so has the answer.
pub(super) async fn get_runbook(Path(name): Path<String>, ask: Ask) -> Result<Response, Error> {
    ask.one_with::<Runbook, _>(&RUNBOOK, &name, |row| Ok((row.item.to_vec(), None::<Vec<u8>>)))
}

pub(super) async fn delete_runbook(Path(name): Path<String>, ask: Ask) -> Result<Response, Error> {
    let rule = |runbook: &Runbook, _| Ok(runbook::delete(runbook));
    let deleted = ask.change(&RUNBOOK, &name, Deed::RunbookDeleted, rule).await?;
    json(&Status::deleted(deleted.name()))
}

impl Subject for Runbook {}
