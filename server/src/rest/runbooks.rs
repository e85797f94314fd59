//! Runbooks: procedures that can be used again.

use super::{
    Error,
    answer::json,
    ask::Ask,
    listing::{Single, Unqualified},
    write::Subject,
};
use crate::{
    resources::{Runbook, Typed as _},
    rules::{audit::Deed, runbook},
};
use axum::{extract::Path, response::Response};
use opsdeck_api::Status;

const RUNBOOK: Single = Single {
    kind: "Runbook",
    noun: "runbook",
    unqualified: Unqualified::Default,
};

pub(super) async fn delete_runbook(Path(name): Path<String>, ask: Ask) -> Result<Response, Error> {
    let rule = |runbook: &Runbook, _| Ok(runbook::delete(runbook));
    let deleted = ask.change(&RUNBOOK, &name, Deed::RunbookDeleted, rule).await?;
    json(&Status::deleted(deleted.name()))
}

impl Subject for Runbook {}
