//! Incidents: the Issues of the cluster.

use super::{
    Error,
    answer::json,
    ask::Ask,
    listing::{Listing, Single, Unqualified},
    remediations,
};
use crate::{
    catalog::{Selection, project},
    resources::{Issue, PostMortem, RemediationPlan, Typed as _},
};
use axum::{extract::Path, response::Response};
use opsdeck_api::List;

const INCIDENTS: Listing = Listing {
    kind: "IncidentList",
    timed: true,
    table: (
        "incidents",
        &[
            "name",
            "namespace",
            "severity",
            "state",
            "source",
            "signalType",
            "resource",
            "description",
            "riskScore",
            "detectedAt",
            "resolvedAt",
            "resolution",
            "remediationAttempts",
            "maxRemediationAttempts",
            "acknowledged",
            "snoozed",
            "requiresHumanAction",
            "requiredAction",
            "chaosInduced",
            "chaosExperiment",
            "creationTimestamp",
            "labels",
            "annotations",
        ],
    ),
};

const INCIDENT: Single = Single {
    kind: "Incident",
    noun: "issue",
    unqualified: Unqualified::Anywhere,
};

pub(super) async fn list_incidents(ask: Ask) -> Result<Response, Error> {
    ask.list::<Issue>(&INCIDENTS)
}

pub(super) async fn get_incident(Path(name): Path<String>, ask: Ask) -> Result<Response, Error> {
    ask.one::<Issue>(&INCIDENT, &name)
}

/// The timeline of the post-mortem that is about the incident.
pub(super) async fn get_incident_timeline(Path(name): Path<String>, ask: Ask) -> Result<Response, Error> {
    ask.conditional(&[PostMortem::KIND], |snapshot| {
        let about = of_issue(&ask, &name);
        let rows: Vec<_> = snapshot.table::<PostMortem>().matching(&about).collect();
        unambiguous(&name, rows.iter().map(|row| row.namespace()))?;
        let row = rows
            .first()
            .ok_or_else(|| Error::not_found(format!("no timeline found for issue: {name}")))?;
        json(&List::whole("IncidentTimeline", project::timeline(&row.object)))
    })
}

/// The plans that were made for the incident; none for one that does not exist.
pub(super) async fn list_incident_remediations(Path(name): Path<String>, ask: Ask) -> Result<Response, Error> {
    let plans = of_issue(&ask, &name);
    let snapshot = ask.console.catalog.snapshot();
    unambiguous(
        &name,
        snapshot
            .table::<RemediationPlan>()
            .matching(&plans)
            .map(|row| row.namespace()),
    )?;
    ask.list_where::<RemediationPlan>(&remediations::REMEDIATIONS, |_| plans)
}

fn of_issue(ask: &Ask, name: &str) -> Selection {
    Selection::default()
        .filter("issue", [name])
        .filter("namespace", ask.params.one("namespace"))
}

/// Issues of one name in several namespaces have nothing to do with each other.
fn unambiguous<'a>(name: &str, namespaces: impl Iterator<Item = &'a str>) -> Result<(), Error> {
    let mut distinct: Vec<&str> = namespaces.collect();
    distinct.sort_unstable();
    distinct.dedup();
    if distinct.len() > 1 {
        Err(Error::ambiguous(INCIDENT.noun, name, distinct.into_iter()))
    } else {
        Ok(())
    }
}
