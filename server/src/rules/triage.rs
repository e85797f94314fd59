//! What a person may do to an incident, and what of it changes: acknowledge, snooze, resolve.

use super::{
    decision::{Decision, Hand, written},
    duration,
};
use crate::{
    resources::{Issue, IssueState, Typed as _, issue::mark},
    source::Verb,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// What the resolution says where nobody wrote one.
const DEFAULT_RESOLUTION: &str = "Manually resolved via dashboard";

/// There is nothing left to resolve.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("issue is already resolved")]
pub struct AlreadyResolved {
    pub by: Option<String>,
    pub at: Option<Timestamp>,
}

/// Why a text is not the length of a snooze.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum BadSnooze {
    #[error("say it with units, such as 30m, 1h or 1h30m")]
    NotADuration,
    #[error("it must be longer than nothing, such as 30m")]
    NotPositive,
}

/// Somebody has seen it. In any state, and over any earlier acknowledgement.
pub fn acknowledge(issue: &Issue, by: &str, now: Timestamp) -> Decision {
    Decision::new(Verb::Patch(annotations(json!({
        mark::ACKNOWLEDGED: "true",
        mark::ACKNOWLEDGED_AT: written(now),
        mark::ACKNOWLEDGED_BY: by,
    }))))
    .telling("state", state(issue))
    .telling("inPlaceOf", text(issue, mark::ACKNOWLEDGED_BY))
}

/// Keep quiet about it until then. In any state; a short one ends a long one.
pub fn snooze(issue: &Issue, length: SignedDuration, by: &str, now: Timestamp) -> Decision {
    let until = written(now.saturating_add(length).unwrap_or(Timestamp::MAX));
    Decision::new(Verb::Patch(annotations(json!({
        mark::SNOOZED_UNTIL: until,
        mark::SNOOZED_BY: by,
    }))))
    .telling("state", state(issue))
    .telling("until", until)
    .telling("inPlaceOf", text(issue, mark::SNOOZED_UNTIL))
}

/// Reads what was typed as the length of a snooze.
pub fn snooze_length(text: &str) -> Result<SignedDuration, BadSnooze> {
    let length = duration::parse(text).ok_or(BadSnooze::NotADuration)?;
    // However long, as upstream has it: 292 years are what its durations hold.
    if length <= SignedDuration::ZERO {
        Err(BadSnooze::NotPositive)
    } else {
        Ok(length)
    }
}

/// It is over. The text is kept as it was typed; what a person still has to do stays written.
pub fn resolve(issue: &Issue, how: &str, by: &str, now: Timestamp) -> Result<Decision, AlreadyResolved> {
    if let Some(resolved) = resolved(issue) {
        return Err(resolved);
    }
    let resolution = if how.is_empty() { DEFAULT_RESOLUTION } else { how };
    let mut status = json!({
        "state": IssueState::Resolved.as_str(),
        "resolution": resolution,
        "resolvedAt": written(now),
    });
    if issue.status.is_none() {
        // The schema demands them of a first status; upstream writes them so.
        status["remediationAttempts"] = 0.into();
        status["maxRemediationAttempts"] = 0.into();
    }
    let attempts = issue.status.as_ref().map_or(0, |status| status.remediation_attempts);
    Ok(Decision::new(Verb::PatchStatus(json!({ "status": status })))
        .marked(annotations(json!({
            mark::RESOLVED_BY: by,
            mark::RESOLVED_AT: written(now),
            mark::MANUAL_RESOLUTION: "true",
        })))
        .telling("resolution", resolution)
        .telling("attempts", attempts.to_string()))
}

/// By whom and when, if it is over. State and marks are stored one after the other, so whoever resolved it this moment may not have signed yet.
pub fn resolved(issue: &Issue) -> Option<AlreadyResolved> {
    let status = issue
        .status
        .as_ref()
        .filter(|status| status.state == IssueState::Resolved)?;
    let by = [mark::RESOLVED_BY, mark::ENDED_BY]
        .into_iter()
        .find_map(|key| issue.annotation(key));
    Some(AlreadyResolved {
        by: by.map(str::to_owned),
        at: status.resolved_at,
    })
}

/// The last of those who acknowledged or resolved it.
pub fn last_hand(issue: &Issue) -> Option<Hand> {
    [
        (mark::ACKNOWLEDGED_BY, mark::ACKNOWLEDGED_AT),
        (mark::RESOLVED_BY, mark::RESOLVED_AT),
    ]
    .into_iter()
    .filter_map(|(by, at)| {
        Some(Hand {
            by: issue.annotation(by)?.to_owned(),
            at: issue.annotation(at).and_then(|at| at.parse().ok()),
        })
    })
    .max_by_key(|hand| hand.at)
}

fn state(issue: &Issue) -> &str {
    issue.status.as_ref().map_or("", |status| status.state.as_str())
}

fn text<'a>(issue: &'a Issue, key: &str) -> &'a str {
    issue.annotation(key).unwrap_or_default()
}

fn annotations(marks: Value) -> Value {
    json!({ "metadata": { "annotations": marks } })
}

#[cfg(test)]
mod tests;
