//! Runbooks: procedures that can be used again.

use super::{
    Error,
    answer::{json, json_bytes},
    ask::Ask,
    body::Members,
    listing::{Listing, Single, Unqualified, envelope},
    write::Subject,
};
use crate::{
    catalog::project::{resource_meta, runbook_item},
    json::shown,
    resources::{Kind, NamedStep, Runbook, Severity, Signal, Typed as _, runbook::RunbookTrigger},
    rules::{
        audit::Deed,
        runbook::{self, Draft},
    },
    source::Address,
};
use axum::{body::Bytes, extract::Path, response::Response};
use http::StatusCode;
use opsdeck_api::{ResourceMeta, Status};

pub(super) const RUNBOOKS: Listing = Listing {
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

pub(super) const RUNBOOK: Single = Single {
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

/// The body says where; the query is not asked.
pub(super) async fn create_runbook(ask: Ask, body: Bytes) -> Result<Response, Error> {
    let members = Members::parse(&body)?;
    let (draft, name, namespace) = (draft(&members)?, members.text("name")?, members.text("namespace")?);
    if name.is_empty() {
        return Err(Error::invalid("name", "name is required"));
    }
    let namespace = if namespace.is_empty() {
        "default".into()
    } else {
        namespace
    };
    let address = Address {
        kind: Kind::Runbook,
        namespace,
        name,
    };
    let decision = draft.create(&address)?;
    let created = ask.create(&RUNBOOK, address, Deed::RunbookCreated, decision).await?;
    let mut response = written(&ask, &created);
    *response.status_mut() = StatusCode::CREATED;
    Ok(response)
}

pub(super) async fn update_runbook(Path(name): Path<String>, ask: Ask, body: Bytes) -> Result<Response, Error> {
    let draft = draft(&Members::parse(&body)?)?;
    let rule = move |runbook: &Runbook, _| Ok(draft.replace(runbook)?);
    let updated = ask.change(&RUNBOOK, &name, Deed::RunbookUpdated, rule).await?;
    Ok(written(&ask, &updated))
}

fn draft(members: &Members) -> Result<Draft, Error> {
    let trigger = members.object("trigger")?.unwrap_or_default();
    let steps = members.objects("steps")?.unwrap_or_default();
    Ok(Draft {
        description: members.text("description")?,
        trigger: RunbookTrigger {
            signal_type: Signal::from(&*trigger.text("signalType")?),
            severity: Severity::from(&*trigger.text("severity")?),
            resource_kind: trigger.text("resourceKind")?,
        },
        steps: steps.iter().map(step).collect::<Result<_, _>>()?,
        max_attempts: members.integer("maxAttempts")?.unwrap_or_default(),
        labels: members.texts("labels")?,
    })
}

fn step(members: &Members) -> Result<NamedStep, Error> {
    Ok(NamedStep {
        name: members.text("name")?,
        action: members.text("action")?,
        description: members.text("description")?,
        params: members.texts("params")?.unwrap_or_default(),
    })
}

/// After a write: without annotations, as upstream has it.
fn written(ask: &Ask, runbook: &Runbook) -> Response {
    let meta = ResourceMeta {
        annotations: Default::default(),
        ..resource_meta(runbook.meta())
    };
    let item = shown(&runbook_item(runbook));
    let mut response = json_bytes(envelope(RUNBOOK.kind, &item, None, Some(&meta)));
    ask.warn(&mut response);
    response
}

pub(super) async fn delete_runbook(Path(name): Path<String>, ask: Ask) -> Result<Response, Error> {
    let rule = |runbook: &Runbook, _| Ok(runbook::delete(runbook));
    let deleted = ask.change(&RUNBOOK, &name, Deed::RunbookDeleted, rule).await?;
    json(&Status::deleted(deleted.name()))
}

impl Subject for Runbook {}
