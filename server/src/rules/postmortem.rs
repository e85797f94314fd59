//! What a person may do to a post-mortem: review it, close it, rate the machine's work, say that what it left to people is done.

use super::decision::{Decision, Hand, annotations};
use crate::{
    resources::{PostMortem, PostMortemState, Typed as _, moment, post_mortem::mark},
    source::Verb,
};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// What somebody says who has read it. Notes count only together with a reviewer.
#[derive(Clone, Debug, Default)]
pub struct Remark {
    pub reviewer: String,
    pub notes: String,
}

/// How well the machine did.
#[derive(Clone, Debug, Default)]
pub struct Rating {
    pub override_root_cause: String,
    pub remediation_accuracy: i32,
    pub comments: String,
    pub provided_by: String,
}

/// Who has done what the machine could not.
#[derive(Clone, Debug, Default)]
pub struct Acknowledgement {
    pub by: String,
    pub note: String,
}

/// Something that was typed and is not what it has to be.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Misfit {
    pub field: &'static str,
    pub message: String,
}

/// Why it is not done.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Refusal {
    #[error("a human action is required first: acknowledge it, then close")]
    HumanActionRequired,
    #[error("no human action is required")]
    NothingRequired,
}

/// In characters.
const NAME: usize = 253;
const NOTE: usize = 1024;
const TEXT: usize = 4096;

// === impl Remark ===

impl Remark {
    pub fn check(&self) -> Result<(), Misfit> {
        at_most(NAME, "reviewer", &self.reviewer)?;
        at_most(TEXT, "notes", &self.notes)
    }

    /// In any state: a closed one is opened again by it.
    pub fn review(&self, postmortem: &PostMortem, now: Timestamp) -> Decision {
        self.moving(postmortem, PostMortemState::InReview, now)
    }

    /// Not while it leaves something to people: the operator would open it again, and without an operator it would be lost from sight.
    pub fn close(&self, postmortem: &PostMortem, now: Timestamp) -> Result<Decision, Refusal> {
        if requires_action(postmortem) && !is_acknowledged(postmortem) {
            return Err(Refusal::HumanActionRequired);
        }
        Ok(self.moving(postmortem, PostMortemState::Closed, now))
    }

    fn moving(&self, postmortem: &PostMortem, to: PostMortemState, now: Timestamp) -> Decision {
        let status = json!({ "state": to.as_str(), "reviewedAt": moment::written(now) });
        let decision = Decision::new(Verb::PatchStatus(json!({ "status": status })))
            .telling("before", state(postmortem))
            .telling("after", to.as_str());
        if self.reviewer.is_empty() {
            return decision;
        }
        let mut marks = json!({ mark::REVIEWED_BY: self.reviewer });
        if !self.notes.is_empty() {
            marks[mark::REVIEW_NOTES] = self.notes.as_str().into();
        }
        decision
            .marked(annotations(marks))
            .telling("reviewer", &*self.reviewer)
            .telling("notes", &*self.notes)
    }
}

// === impl Rating ===

impl Rating {
    pub fn check(&self) -> Result<(), Misfit> {
        if self.provided_by.is_empty() {
            return Err(Misfit {
                field: "providedBy",
                message: "providedBy is required".into(),
            });
        }
        at_most(NAME, "providedBy", &self.provided_by)?;
        if !(1..=5).contains(&self.remediation_accuracy) {
            return Err(Misfit {
                field: "remediationAccuracy",
                message: "remediationAccuracy must be from 1 to 5".into(),
            });
        }
        at_most(TEXT, "overrideRootCause", &self.override_root_cause)?;
        at_most(TEXT, "comments", &self.comments)
    }

    /// Takes the place of an earlier one as a whole.
    pub fn give(&self, postmortem: &PostMortem, now: Timestamp) -> Decision {
        let given = |text: &str| match text {
            "" => Value::Null,
            text => text.into(),
        };
        let mut status = json!({ "feedback": {
            "overrideRootCause": given(&self.override_root_cause),
            "remediationAccuracy": self.remediation_accuracy,
            "comments": given(&self.comments),
            "providedBy": self.provided_by,
            "providedAt": moment::written(now),
        }});
        if state(postmortem).is_empty() {
            // The schema demands one.
            status["state"] = PostMortemState::Open.as_str().into();
        }
        let before = postmortem.status.as_ref().and_then(|status| status.feedback.as_deref());
        Decision::new(Verb::PatchStatus(json!({ "status": status })))
            .telling(
                "before",
                before
                    .map(|rated| stars(rated.remediation_accuracy, &rated.provided_by))
                    .unwrap_or_default(),
            )
            .telling("after", stars(self.remediation_accuracy, &self.provided_by))
            .telling("overrideRootCause", &*self.override_root_cause)
            .telling("comments", &*self.comments)
    }
}

// === impl Acknowledgement ===

impl Acknowledgement {
    pub fn check(&self) -> Result<(), Misfit> {
        at_most(NAME, "acknowledgedBy", &self.by)?;
        at_most(NOTE, "note", &self.note)
    }

    /// The mark first, so that whoever repeats it after half of it failed completes it. None where all of it is done.
    pub fn record(&self, postmortem: &PostMortem, now: Timestamp) -> Result<Option<Decision>, Refusal> {
        if !requires_action(postmortem) {
            return match is_acknowledged(postmortem) {
                true => Ok(None),
                false => Err(Refusal::NothingRequired),
            };
        }
        let mut marks = Map::from_iter([
            (mark::ACKNOWLEDGED.to_owned(), Value::from("true")),
            (mark::ACKNOWLEDGED_AT.to_owned(), moment::written(now).into()),
        ]);
        for (key, text) in [(mark::ACKNOWLEDGED_BY, &self.by), (mark::ACTION_NOTE, &self.note)] {
            if !text.is_empty() {
                marks.insert(key.to_owned(), text.as_str().into());
            }
        }
        let required = postmortem.status.as_ref().map_or("", |status| &status.required_action);
        let done = json!({ "status": { "requiresHumanAction": false } });
        let decision = Decision::new(Verb::Patch(annotations(marks.into())))
            .and_then(Verb::PatchStatus(done))
            .telling("before", "human action required")
            .telling("after", "acknowledged")
            .telling("requiredAction", required)
            .telling("acknowledgedBy", &*self.by)
            .telling("note", &*self.note);
        Ok(Some(decision))
    }
}

/// The last of those who reviewed it or acknowledged its action.
pub fn last_hand(postmortem: &PostMortem) -> Option<Hand> {
    let acknowledged = postmortem.annotation(mark::ACKNOWLEDGED_BY).map(|by| Hand {
        by: by.to_owned(),
        at: (postmortem.annotation(mark::ACKNOWLEDGED_AT)).and_then(moment::read),
    });
    let reviewed = postmortem.annotation(mark::REVIEWED_BY).map(|by| Hand {
        by: by.to_owned(),
        at: postmortem.status.as_ref().and_then(|status| status.reviewed_at),
    });
    [acknowledged, reviewed]
        .into_iter()
        .flatten()
        .max_by_key(|hand| hand.at)
}

fn requires_action(postmortem: &PostMortem) -> bool {
    postmortem
        .status
        .as_ref()
        .is_some_and(|status| status.requires_human_action)
}

/// In the words that the operator takes for it.
fn is_acknowledged(postmortem: &PostMortem) -> bool {
    let word = postmortem.annotation(mark::ACKNOWLEDGED).unwrap_or_default();
    ["true", "True", "yes", "ack", "acknowledged"].contains(&word)
}

fn at_most(limit: usize, field: &'static str, text: &str) -> Result<(), Misfit> {
    let length = text.chars().count();
    if length > limit {
        let message = format!("{field} may be {limit} characters long, and is {length}");
        return Err(Misfit { field, message });
    }
    Ok(())
}

fn stars(accuracy: i32, by: &str) -> String {
    format!("{accuracy} of 5 by {by}")
}

fn state(postmortem: &PostMortem) -> &str {
    postmortem.status.as_ref().map_or("", |status| status.state.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{noon, postmortem, texts};

    const NOW: &str = "2026-09-23T12:00:00Z";

    fn patch(decision: &Decision) -> &Value {
        match &decision.verb {
            Verb::Patch(patch) | Verb::PatchStatus(patch) => patch,
            other => panic!("a patch, not {other:?}"),
        }
    }

    #[test]
    fn a_review_opens_what_was_closed_and_signs_only_for_somebody() {
        let closed = postmortem().state(PostMortemState::Closed);
        let silent = Remark {
            notes: "of nobody".into(),
            ..Remark::default()
        };
        let decision = silent.review(&closed, noon());
        assert_eq!(
            *patch(&decision),
            json!({"status": {"state": "InReview", "reviewedAt": NOW}})
        );
        assert!(decision.then.is_none());
        assert_eq!(decision.details, texts(&[("before", "Closed"), ("after", "InReview")]));

        let signed = Remark {
            reviewer: "mira".into(),
            notes: "ok".into(),
        };
        let Some(Verb::Patch(marks)) = signed.review(&postmortem(), noon()).then else {
            panic!("annotations")
        };
        assert_eq!(
            marks,
            json!({"metadata": {"annotations": {
                "aiops.chatcli.io/reviewed-by": "mira", "aiops.chatcli.io/review-notes": "ok",
            }}})
        );
    }

    #[test]
    fn it_is_not_closed_over_something_that_is_left_to_people() {
        let owing = postmortem().state(PostMortemState::Open).owes_action();
        let remark = Remark::default();
        assert_eq!(remark.close(&owing, noon()).unwrap_err(), Refusal::HumanActionRequired);
        for (word, taken) in [("true", true), ("ack", true), ("TRUE", false), ("no", false)] {
            let marked = owing.clone().annotated(mark::ACKNOWLEDGED, word);
            assert_eq!(remark.close(&marked, noon()).is_ok(), taken, "{word}");
        }
        let closed = remark.close(&postmortem(), noon()).unwrap();
        assert_eq!(patch(&closed)["status"]["state"], "Closed");
    }

    #[test]
    fn feedback_takes_the_place_of_an_earlier_one() {
        let rating = Rating {
            remediation_accuracy: 2,
            provided_by: "bo".into(),
            comments: "too slow".into(),
            ..Rating::default()
        };
        let first = rating.give(&postmortem(), noon());
        assert_eq!(
            *patch(&first),
            json!({"status": {"state": "Open", "feedback": {
                "overrideRootCause": null, "remediationAccuracy": 2, "comments": "too slow", "providedBy": "bo", "providedAt": NOW,
            }}})
        );
        let rated = postmortem().state(PostMortemState::Closed).with(|postmortem| {
            let status = postmortem.status.get_or_insert_default();
            status.feedback = Some(Box::new(crate::resources::post_mortem::Feedback {
                remediation_accuracy: 5,
                provided_by: "ana".into(),
                ..Default::default()
            }));
        });
        let second = rating.give(&rated, noon());
        assert_eq!(
            patch(&second)["status"].get("state"),
            None,
            "the state is no matter of feedback"
        );
        assert_eq!(
            second.details,
            texts(&[
                ("before", "5 of 5 by ana"),
                ("after", "2 of 5 by bo"),
                ("comments", "too slow")
            ])
        );
    }

    #[test]
    fn feedback_is_checked_in_the_order_in_which_it_is_read() {
        let refused = |by: &str, accuracy, cause: &str, comments: &str| {
            let rating = Rating {
                override_root_cause: cause.into(),
                remediation_accuracy: accuracy,
                comments: comments.into(),
                provided_by: by.into(),
            };
            rating.check().err().map(|misfit| misfit.field)
        };
        let (name, text) = ("é".repeat(253), "é".repeat(4096));
        assert_eq!(refused(&name, 1, &text, &text), None);
        assert_eq!(refused(" ", 5, "", ""), None);
        let (long, longer) = (format!("{name}x"), format!("{text}x"));
        assert_eq!(refused("", 0, &longer, &longer), Some("providedBy"));
        assert_eq!(refused(&long, 0, &longer, &longer), Some("providedBy"));
        for accuracy in [i32::MIN, 0, 6] {
            assert_eq!(refused("bo", accuracy, &longer, &longer), Some("remediationAccuracy"));
        }
        assert_eq!(refused("bo", 3, &longer, &longer), Some("overrideRootCause"));
        assert_eq!(refused("bo", 3, "", &longer), Some("comments"));
    }

    #[test]
    fn an_action_is_acknowledged_once_and_repeated_without_harm() {
        let owing = postmortem().state(PostMortemState::Open).owes_action();
        let done = Acknowledgement {
            by: "bo".into(),
            note: String::new(),
        };
        let decision = done.record(&owing, noon()).unwrap().unwrap();
        assert_eq!(
            *patch(&decision),
            json!({"metadata": {"annotations": {
                "aiops.chatcli.io/human-action-acknowledged": "true",
                "aiops.chatcli.io/human-action-acknowledged-at": NOW,
                "aiops.chatcli.io/human-action-acknowledged-by": "bo",
            }}})
        );
        let Some(Verb::PatchStatus(status)) = decision.then else {
            panic!("the status")
        };
        assert_eq!(status, json!({"status": {"requiresHumanAction": false}}));

        let half_done = owing.annotated(mark::ACKNOWLEDGED, "true");
        assert!(done.record(&half_done, noon()).unwrap().is_some(), "it is completed");
        let all_done = postmortem().annotated(mark::ACKNOWLEDGED, "true");
        assert!(done.record(&all_done, noon()).unwrap().is_none());
        assert_eq!(
            done.record(&postmortem(), noon()).unwrap_err(),
            Refusal::NothingRequired
        );
    }
}
