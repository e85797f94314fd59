//! One deed to many incidents. Each goes through the rule, the write and the trail of the single route.

use super::{
    Error,
    answer::json,
    ask::Ask,
    body::Members,
    incidents::{INCIDENT, triage_issue},
    listing::REPEATABLE,
    params::Params,
    route::Attempt,
};
use crate::{
    catalog::Project as _,
    resources::Issue,
    rules::triage::{self, Triage},
};
use axum::{Extension, body::Bytes, response::Response};
use futures_util::{StreamExt as _, stream};
use opsdeck_api::{
    Query,
    bulk::{BulkItem, BulkResult, MOST},
};
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use tokio::time::Instant;

/// How many are under way at a time.
const ABREAST: usize = 8;
/// After this, no further one is begun. Those under way may need most of a minute, and a connection is cut after one of silence.
const PATIENCE: Duration = Duration::from_secs(10);

/// An incident that is to be changed, or what its line of the answer says instead.
type Named = (String, String, Result<Arc<Issue>, Error>);

pub(super) async fn change_incidents(
    Extension(attempt): Extension<Attempt>,
    mut ask: Ask,
    body: Bytes,
) -> Result<Response, Error> {
    let members = Members::parse(&body)?;
    let what = deed(&members)?;
    ask.must_be_read::<Issue>()?;
    let named = match (members.objects("items")?, members.object("filter")?) {
        (Some(items), None) => listed(&ask, &items)?,
        (None, Some(filter)) => matching(&mut ask, &filter)?,
        (Some(_), Some(_)) => return Err(Error::invalid("filter", "give items or filter, not both")),
        (None, None) => {
            let message =
                "say which incidents: items, a list of namespace and name, or filter, members of the list's query";
            return Err(Error::invalid("items", message));
        }
    };
    let (ask, attempt, begun) = (&ask, &attempt, Instant::now());
    let results = stream::iter(named).map(|(namespace, name, issue)| {
        let what = what.clone();
        async move {
            let done = match issue {
                Ok(_) if begun.elapsed() > PATIENCE => Err(Error::unavailable("not begun: the others took too long")),
                Ok(issue) => triage_issue(ask, issue, what).await.map(drop),
                Err(error) => Err(error),
            };
            line(attempt, namespace, name, done)
        }
    });
    let items = results.buffered(ABREAST).collect().await;
    json(&BulkResult::of(items))
}

fn deed(members: &Members) -> Result<Triage, Error> {
    Ok(match members.text("action")?.as_str() {
        "acknowledge" => Triage::Acknowledge,
        "unacknowledge" => Triage::Unacknowledge,
        "snooze" => Triage::Snooze(triage::snooze_length(&members.text("duration")?)?),
        "unsnooze" => Triage::Unsnooze,
        "resolve" => Triage::Resolve(members.text("resolution")?),
        _ => {
            let message = "action must be acknowledge, unacknowledge, snooze, unsnooze or resolve";
            return Err(Error::invalid("action", message));
        }
    })
}

/// Those that the body lists, each once.
fn listed(ask: &Ask, items: &[Members]) -> Result<Vec<Named>, Error> {
    few(items.len(), "items")?;
    let snapshot = ask.console.catalog.snapshot();
    let mut seen = BTreeSet::new();
    let mut named = Vec::new();
    for item in items {
        let (namespace, name) = (item.text("namespace")?, item.text("name")?);
        if name.is_empty() {
            let field = item.name_of("name");
            return Err(Error::invalid(&field, format!("{field} is required")));
        }
        let within = Some(namespace.as_str()).filter(|namespace| !namespace.is_empty());
        let found = INCIDENT.find::<Issue>(&snapshot, within, &name);
        let found = found.map(|row| row.object.clone());
        let namespace = match &found {
            Ok(issue) => issue.metadata.namespace.clone().unwrap_or_default(),
            Err(_) => namespace,
        };
        if seen.insert((namespace.clone(), name.clone())) {
            named.push((namespace, name, found));
        }
    }
    Ok(named)
}

/// Those that the list would show. What the list would ignore is refused: it would change more than was meant.
fn matching(ask: &mut Ask, filter: &Members) -> Result<Vec<Named>, Error> {
    let known: Vec<_> = ["namespace", "from", "to", "q"]
        .iter()
        .chain(Issue::FACETS)
        .copied()
        .collect();
    let mut query = Query::default();
    for (name, values) in filter.values()? {
        let refuse = |message| Err(Error::invalid(&filter.name_of(name), message));
        if !known.contains(&name) {
            let possible = known.join(", ");
            return refuse(format!("the list has no filter {name:?}; possible are {possible}"));
        }
        if values.is_empty() {
            return refuse(format!("{name} is given without a value; leave it out to mean all"));
        }
        if values.len() > 1 && !REPEATABLE.contains(&name) {
            return refuse(format!("{name} takes one value"));
        }
        query = values.iter().fold(query, |query, value| query.and(name, value));
    }
    ask.params = Params::of(query);
    let selection = ask.selection::<Issue>(true);
    if let Some(warning) = ask.params.warnings().first() {
        return Err(Error::invalid("filter", format!("invalid filter: {warning}")));
    }
    let snapshot = ask.console.catalog.snapshot();
    let table = snapshot.table::<Issue>();
    few(table.count(&selection), "filter")?;
    let rows = table.matching(&selection);
    Ok(rows
        .map(|row| {
            (
                row.namespace().to_owned(),
                row.name().to_owned(),
                Ok(row.object.clone()),
            )
        })
        .collect())
}

fn few(count: usize, field: &str) -> Result<(), Error> {
    if count > MOST {
        let message = format!("{count} incidents at once are too many: at most {MOST}");
        return Err(Error::invalid(field, message));
    }
    Ok(())
}

/// Like the single route, it logs what was not done.
fn line(attempt: &Attempt, namespace: String, name: String, done: Result<(), Error>) -> BulkItem {
    let error = done.err();
    if let Some(error) = &error {
        attempt.refused(Some((&namespace, &name)), error);
    }
    BulkItem {
        namespace,
        name,
        code: error.as_ref().map_or(200, |error| error.status().as_u16()),
        reason: error.as_ref().map(Error::reason),
        message: error.map(|error| error.message().to_owned()),
    }
}
