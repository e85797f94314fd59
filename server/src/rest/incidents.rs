//! Incidents: the Issues of the cluster.

use super::{
    Error,
    answer::json,
    ask::Ask,
    body::Members,
    listing::{Listing, Single, Unqualified},
    remediations,
    write::Subject,
};
use crate::{
    catalog::{Selection, project},
    resources::{Issue, PostMortem, RemediationPlan, Typed as _},
    rules::{
        decision::Hand,
        triage::{self, AlreadyResolved, Triage},
    },
    source::Address,
};
use axum::{body::Bytes, extract::Path, response::Response};
use jiff::SignedDuration;
use opsdeck_api::{List, Reason};
use std::{sync::Arc, time::Duration};

pub(super) const INCIDENTS: Listing = Listing {
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

pub(super) const INCIDENT: Single = Single {
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

/// Somebody has seen it. Whatever the body says.
pub(super) async fn acknowledge_incident(Path(name): Path<String>, ask: Ask) -> Result<Response, Error> {
    triage_one(&ask, &name, Triage::Acknowledge).await
}

pub(super) async fn unacknowledge_incident(Path(name): Path<String>, ask: Ask) -> Result<Response, Error> {
    triage_one(&ask, &name, Triage::Unacknowledge).await
}

/// Keep quiet about it for a while.
pub(super) async fn snooze_incident(Path(name): Path<String>, ask: Ask, body: Bytes) -> Result<Response, Error> {
    let length = triage::snooze_length(&Members::parse(&body)?.text("duration")?)?;
    triage_one(&ask, &name, Triage::Snooze(length)).await
}

pub(super) async fn unsnooze_incident(Path(name): Path<String>, ask: Ask) -> Result<Response, Error> {
    triage_one(&ask, &name, Triage::Unsnooze).await
}

/// It is over. A body that cannot be read counts as none, as upstream has it, and the answer warns of that.
pub(super) async fn resolve_incident(Path(name): Path<String>, ask: Ask, body: Bytes) -> Result<Response, Error> {
    let how = ask.leniently(&body, |members| members.text("resolution"));
    triage_one(&ask, &name, Triage::Resolve(how)).await
}

async fn triage_one(ask: &Ask, name: &str, what: Triage) -> Result<Response, Error> {
    let issue = ask.subject::<Issue>(&INCIDENT, name)?;
    let issue = triage_issue(ask, issue, what).await?;
    Ok(ask.written(&INCIDENT, &*issue))
}

/// Does it to that incident, in the asker's name.
pub(super) async fn triage_issue(ask: &Ask, issue: Arc<Issue>, what: Triage) -> Result<Arc<Issue>, Error> {
    let (address, deed, by) = (issue.address(), what.deed(), ask.caller.identity.clone());
    let rule = move |issue: &Issue, now| Ok(what.decide(issue, &by, now)?);
    match ask.change_object(&INCIDENT, issue, deed, rule).await {
        Err(lost) if lost.reason() == Reason::AlreadyResolved && lost.by().is_none() => {
            Err(signed(ask, &address).await.map_or(lost, Error::from))
        }
        done => done,
    }
}

/// Who resolved it this very moment: on a cluster the state is stored first, the name right after it.
async fn signed(ask: &Ask, at: &Address) -> Option<AlreadyResolved> {
    const JUST_NOW: SignedDuration = SignedDuration::from_secs(10);
    const PATIENCE: Duration = Duration::from_millis(300);
    let mut changes = ask.console.catalog.subscribe();
    let look = async {
        loop {
            changes.borrow_and_update();
            let snapshot = ask.console.catalog.snapshot();
            let issue = &snapshot.table::<Issue>().get(&at.namespace, &at.name)?.object;
            let resolved = triage::resolved(issue)?;
            let age = resolved.at.map(|at| ask.now.duration_since(at));
            let recent = age.is_some_and(|age| age.abs() < JUST_NOW);
            if resolved.by.is_some() || !recent {
                return Some(resolved);
            }
            changes.changed().await.ok()?;
        }
    };
    tokio::time::timeout(PATIENCE, look).await.ok().flatten()
}

impl Subject for Issue {
    fn last_hand(&self) -> Option<Hand> {
        triage::last_hand(self)
    }

    fn incident(&self) -> Option<&str> {
        Some(self.name())
    }
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
