//! Post-mortems: what happened, why, and what to change.

use super::{
    Error,
    ask::Ask,
    listing::{Listing, Single, Unqualified},
};
use crate::resources::PostMortem;
use axum::{extract::Path, response::Response};

const POSTMORTEMS: Listing = Listing {
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

const POSTMORTEM: Single = Single {
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
