//! Post-mortems: what happened, why, and what to change.

use super::{
    Error,
    answer::json_bytes,
    ask::Ask,
    body::Members,
    listing::{Listing, Single, Unqualified, envelope},
    write::Subject,
};
use crate::{
    resources::PostMortem,
    rules::{
        audit::Deed,
        decision::Hand,
        postmortem::{self, Acknowledgement, Rating, Remark},
    },
};
use axum::{body::Bytes, extract::Path, response::Response};

pub(super) const POSTMORTEMS: Listing = Listing {
    kind: "PostMortemList",
    timed: true,
    table: (
        "postmortems",
        &[
            "name",
            "namespace",
            "issueRef",
            "resource",
            "severity",
            "state",
            "summary",
            "rootCause",
            "impact",
            "duration",
            "lessonsLearned",
            "preventionActions",
            "timeline",
            "actionsExecuted",
            "feedback",
            "requiresHumanAction",
            "requiredAction",
            "chaosInduced",
            "chaosExperiment",
            "generatedAt",
            "reviewedAt",
            "creationTimestamp",
        ],
    ),
};

pub(super) const POSTMORTEM: Single = Single {
    kind: "PostMortem",
    noun: "postmortem",
    unqualified: Unqualified::Default,
};

pub(super) async fn list_postmortems(ask: Ask) -> Result<Response, Error> {
    ask.list::<PostMortem>(&POSTMORTEMS)
}

pub(super) async fn get_postmortem(Path(name): Path<String>, ask: Ask) -> Result<Response, Error> {
    ask.one::<PostMortem>(&POSTMORTEM, &name)
}

pub(super) async fn review_postmortem(Path(name): Path<String>, ask: Ask, body: Bytes) -> Result<Response, Error> {
    let remark = remark(&ask, &body)?;
    let rule = move |postmortem: &PostMortem, now| Ok(remark.review(postmortem, now));
    let postmortem = ask.change(&POSTMORTEM, &name, Deed::PostMortemReviewed, rule).await?;
    Ok(ask.written(&POSTMORTEM, &*postmortem))
}

pub(super) async fn close_postmortem(Path(name): Path<String>, ask: Ask, body: Bytes) -> Result<Response, Error> {
    let remark = remark(&ask, &body)?;
    let rule = move |postmortem: &PostMortem, now| Ok(remark.close(postmortem, now)?);
    let postmortem = ask.change(&POSTMORTEM, &name, Deed::PostMortemClosed, rule).await?;
    Ok(ask.written(&POSTMORTEM, &*postmortem))
}

/// How well the machine did, in somebody's opinion.
pub(super) async fn rate_postmortem(Path(name): Path<String>, ask: Ask, body: Bytes) -> Result<Response, Error> {
    let members = Members::parse(&body)?;
    let rating = Rating {
        override_root_cause: members.text("overrideRootCause")?,
        remediation_accuracy: members.integer("remediationAccuracy")?.unwrap_or_default(),
        comments: members.text("comments")?,
        provided_by: members.text("providedBy")?,
    };
    rating.check()?;
    let rule = move |postmortem: &PostMortem, now| Ok(rating.give(postmortem, now));
    let postmortem = ask.change(&POSTMORTEM, &name, Deed::PostMortemRated, rule).await?;
    Ok(ask.written(&POSTMORTEM, &*postmortem))
}

/// What was left to people is done.
pub(super) async fn acknowledge_human_action(
    Path(name): Path<String>,
    ask: Ask,
    body: Bytes,
) -> Result<Response, Error> {
    let acknowledgement = ask.leniently(&body, |members| {
        Ok(Acknowledgement {
            by: members.text("acknowledgedBy")?,
            note: members.text("note")?,
        })
    });
    acknowledgement.check()?;
    let rule = move |postmortem: &PostMortem, now| Ok(acknowledgement.record(postmortem, now)?);
    let deed = Deed::HumanActionAcknowledged;
    let postmortem = ask.change(&POSTMORTEM, &name, deed, rule).await?;
    let item = ask.item(&*postmortem);
    let mut response = json_bytes(envelope(POSTMORTEM.kind, &item, Some(&item), None));
    ask.warn(&mut response);
    Ok(response)
}

fn remark(ask: &Ask, body: &[u8]) -> Result<Remark, Error> {
    let remark = ask.leniently(body, |members| {
        Ok(Remark {
            reviewer: members.text("reviewer")?,
            notes: members.text("notes")?,
        })
    });
    if remark.reviewer.is_empty() && !remark.notes.is_empty() {
        ask.params.ignored("notes", "they are kept together with a reviewer");
    }
    remark.check()?;
    Ok(remark)
}

impl Subject for PostMortem {
    fn last_hand(&self) -> Option<Hand> {
        postmortem::last_hand(self)
    }

    fn incident(&self) -> Option<&str> {
        Some(self.spec.issue_ref.name.as_str()).filter(|name| !name.is_empty())
    }
}
