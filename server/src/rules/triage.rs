//! What a person may do to an incident, and what of it changes: acknowledge, snooze, take either back, resolve.

use super::{
    audit::Deed,
    decision::{Decision, Hand, annotations},
    duration,
};
use crate::{
    resources::{Issue, IssueState, Typed as _, issue::mark, moment},
    source::Verb,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

/// What the resolution says where nobody wrote one.
const DEFAULT_RESOLUTION: &str = "Manually resolved via dashboard";

/// One thing that a person does to an incident.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Triage {
    Acknowledge,
    Unacknowledge,
    /// For so long.
    Snooze(SignedDuration),
    Unsnooze,
    /// In these words.
    Resolve(String),
}

/// Why it is not done.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Refusal {
    #[error(transparent)]
    AlreadyResolved(#[from] AlreadyResolved),
    #[error("issue is not {0}: there is nothing to undo")]
    NothingToUndo(&'static str),
}

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
    #[error("it is longer than 292 years, the longest that can be said")]
    TooLong,
}

// === impl Triage ===

impl Triage {
    pub fn deed(&self) -> Deed {
        match self {
            Self::Acknowledge => Deed::IssueAcknowledged,
            Self::Unacknowledge => Deed::IssueUnacknowledged,
            Self::Snooze(_) => Deed::IssueSnoozed,
            Self::Unsnooze => Deed::IssueUnsnoozed,
            Self::Resolve(_) => Deed::IssueResolved,
        }
    }

    pub fn decide(&self, issue: &Issue, by: &str, now: Timestamp) -> Result<Decision, Refusal> {
        match self {
            Self::Acknowledge => Ok(acknowledge(issue, by, now)),
            Self::Unacknowledge => unacknowledge(issue),
            Self::Snooze(length) => Ok(snooze(issue, *length, by, now)),
            Self::Unsnooze => unsnooze(issue, now),
            Self::Resolve(how) => Ok(resolve(issue, how, by, now)?),
        }
    }
}

/// Somebody has seen it. In any state, and over any earlier acknowledgement.
pub fn acknowledge(issue: &Issue, by: &str, now: Timestamp) -> Decision {
    Decision::new(Verb::Patch(annotations(json!({
        mark::ACKNOWLEDGED: "true",
        mark::ACKNOWLEDGED_AT: moment::written(now),
        mark::ACKNOWLEDGED_BY: by,
    }))))
    .telling("state", state(issue))
    .telling("inPlaceOf", text(issue, mark::ACKNOWLEDGED_BY))
}

/// As if nobody had seen it. The trail keeps who had.
pub fn unacknowledge(issue: &Issue) -> Result<Decision, Refusal> {
    if !is_acknowledged(issue) {
        return Err(Refusal::NothingToUndo("acknowledged"));
    }
    Ok(Decision::new(Verb::Patch(annotations(json!({
        mark::ACKNOWLEDGED: null,
        mark::ACKNOWLEDGED_AT: null,
        mark::ACKNOWLEDGED_BY: null,
    }))))
    .telling("state", state(issue))
    .telling("acknowledgedBy", text(issue, mark::ACKNOWLEDGED_BY))
    .telling("acknowledgedAt", text(issue, mark::ACKNOWLEDGED_AT)))
}

/// Keep quiet about it until then. In any state; a short one ends a long one.
pub fn snooze(issue: &Issue, length: SignedDuration, by: &str, now: Timestamp) -> Decision {
    let until = moment::written(now.saturating_add(length).unwrap_or(Timestamp::MAX));
    Decision::new(Verb::Patch(annotations(json!({
        mark::SNOOZED_UNTIL: until,
        mark::SNOOZED_BY: by,
    }))))
    .telling("state", state(issue))
    .telling("until", until)
    .telling("inPlaceOf", text(issue, mark::SNOOZED_UNTIL))
}

/// Quiet no longer. A snooze that is over has undone itself.
pub fn unsnooze(issue: &Issue, now: Timestamp) -> Result<Decision, Refusal> {
    if snoozed_until(issue, now).is_none() {
        return Err(Refusal::NothingToUndo("snoozed"));
    }
    Ok(Decision::new(Verb::Patch(annotations(json!({
        mark::SNOOZED_UNTIL: null,
        mark::SNOOZED_BY: null,
    }))))
    .telling("state", state(issue))
    .telling("snoozedBy", text(issue, mark::SNOOZED_BY))
    .telling("snoozedUntil", text(issue, mark::SNOOZED_UNTIL)))
}

/// Whether somebody has seen it, as those who read the mark take it.
pub fn is_acknowledged(issue: &Issue) -> bool {
    text(issue, mark::ACKNOWLEDGED).trim().eq_ignore_ascii_case("true")
}

/// Until when it is quiet; none once that is over.
pub fn snoozed_until(issue: &Issue, now: Timestamp) -> Option<Timestamp> {
    let until = moment::read(issue.annotation(mark::SNOOZED_UNTIL)?)?;
    (until > now).then_some(until)
}

/// Reads what was typed as the length of a snooze.
pub fn snooze_length(text: &str) -> Result<SignedDuration, BadSnooze> {
    let length = duration::parse(text).map_err(|unreadable| match unreadable {
        duration::Unreadable::NoDuration => BadSnooze::NotADuration,
        duration::Unreadable::TooLong => BadSnooze::TooLong,
    })?;
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
        "resolvedAt": moment::written(now),
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
            mark::RESOLVED_AT: moment::written(now),
            mark::MANUAL_RESOLUTION: "true",
        })))
        .telling("resolution", resolution)
        .telling("attempts", attempts.to_string()))
}

/// By whom and when, if it is over. On a cluster state and marks are stored one after the other, so whoever resolved it this moment may not have signed yet.
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
            at: issue.annotation(at).and_then(moment::read),
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

#[cfg(test)]
mod tests;
