//! Acknowledging, snoozing and resolving, on incidents of every state.

use super::*;
use crate::{
    fixtures::{Fixture, at, incident, noon, texts},
    resources::{Kind, Object},
};
use proptest::prelude::*;
use serde_json::Value;

/// The object after what was decided, as the store would have it.
fn after(issue: &Issue, decision: Decision) -> Issue {
    let mut object = serde_json::to_value(issue).unwrap();
    match decision.verb {
        Verb::Patch(patch) => {
            assert_eq!(members(&patch), ["metadata"], "nothing but annotations");
            assert_eq!(members(&patch["metadata"]), ["annotations"]);
            merge(&mut object, patch);
        }
        Verb::PatchStatus(patch) => {
            assert_eq!(members(&patch), ["status"]);
            merge(&mut object, patch);
        }
        other => panic!("an incident is changed, not {other:?}"),
    }
    if let Some(then) = decision.then {
        let Verb::Patch(marks) = then else {
            panic!("annotations, not {then:?}")
        };
        assert_eq!(members(&marks), ["metadata"]);
        merge(&mut object, marks);
    }
    let Ok(Object::Issue(issue)) = Object::parse(Kind::Issue, object) else {
        panic!("still an issue")
    };
    (*issue).clone()
}

fn members(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn merge(target: &mut Value, patch: Value) {
    match patch {
        Value::Object(patch) => {
            if !target.is_object() {
                *target = json!({});
            }
            for (member, value) in patch {
                if value.is_null() {
                    target.as_object_mut().unwrap().remove(&member);
                } else {
                    merge(&mut target[member], value);
                }
            }
        }
        value => *target = value,
    }
}

fn annotations_of(issue: &Issue) -> Vec<(&str, &str)> {
    let annotations = issue.metadata.annotations.iter().flatten();
    annotations.map(|(key, value)| (key.as_str(), value.as_str())).collect()
}

#[test]
fn an_acknowledgement_is_three_annotations_and_replaces_an_earlier_one() {
    let seen = after(&incident(), acknowledge(&incident(), "ana", noon()));
    assert_eq!(
        annotations_of(&seen),
        [
            ("aiops.chatcli.io/acknowledged", "true"),
            ("aiops.chatcli.io/acknowledged-at", "2026-09-23T12:00:00Z"),
            ("aiops.chatcli.io/acknowledged-by", "ana"),
        ]
    );
    let again = acknowledge(&seen, "ben", at("2026-09-23T12:01:00Z"));
    assert_eq!(again.details, texts(&[("inPlaceOf", "ana")]));
    let seen = after(&seen, again);
    assert_eq!(
        last_hand(&seen),
        Some(Hand {
            by: "ben".into(),
            at: Some(at("2026-09-23T12:01:00Z")),
        })
    );
}

#[test]
fn a_snooze_is_two_annotations_and_a_short_one_ends_a_long_one() {
    let long = snooze(&incident(), SignedDuration::from_hours(8), "ana", noon());
    assert_eq!(long.details, texts(&[("until", "2026-09-23T20:00:00Z")]));
    let quiet = after(&incident(), long);
    let quiet = after(&quiet, snooze(&quiet, SignedDuration::from_secs(1), "ben", noon()));
    assert_eq!(
        annotations_of(&quiet),
        [
            ("aiops.chatcli.io/snoozed-by", "ben"),
            ("aiops.chatcli.io/snoozed-until", "2026-09-23T12:00:01Z"),
        ]
    );
}

#[test]
fn what_was_typed_is_a_length_or_says_what_is_wrong() {
    assert_eq!(snooze_length("1h30m"), Ok(SignedDuration::from_mins(90)));
    assert_eq!(snooze_length("2562047h"), Ok(SignedDuration::from_hours(2_562_047)));
    for (text, refusal) in [
        ("", BadSnooze::NotADuration),
        ("1d", BadSnooze::NotADuration),
        ("30", BadSnooze::NotADuration),
        (" 1h", BadSnooze::NotADuration),
        ("0", BadSnooze::NotPositive),
        ("-5m", BadSnooze::NotPositive),
    ] {
        assert_eq!(snooze_length(text), Err(refusal), "{text}");
    }
}

#[test]
fn a_resolution_is_state_text_and_time_then_who() {
    let decision = resolve(&incident(), "", "ana", noon()).unwrap();
    assert_eq!(
        decision.details,
        texts(&[("attempts", "0"), ("resolution", "Manually resolved via dashboard")])
    );
    let Verb::PatchStatus(patch) = &decision.verb else {
        panic!("of the status")
    };
    assert_eq!(
        *patch,
        json!({"status": {
            "state": "Resolved", "resolution": "Manually resolved via dashboard", "resolvedAt": "2026-09-23T12:00:00Z",
            "remediationAttempts": 0, "maxRemediationAttempts": 0,
        }})
    );
    assert_eq!(
        annotations_of(&after(&incident(), decision)),
        [
            ("aiops.chatcli.io/manual-resolution", "true"),
            ("aiops.chatcli.io/resolved-at", "2026-09-23T12:00:00Z"),
            ("aiops.chatcli.io/resolved-by", "ana"),
        ]
    );
}

#[test]
fn what_is_resolved_stays_resolved_by_whoever_it_was() {
    let over = incident().resolved();
    assert_eq!(
        resolve(&over, "again", "ben", noon()).unwrap_err(),
        AlreadyResolved { by: None, at: None }
    );
    let contained = over
        .annotated("platform.chatcli.io/resolved-by", "human-action-after-containment")
        .with(|issue| issue.status.get_or_insert_default().resolved_at = Some(noon()));
    assert_eq!(
        resolve(&contained, "again", "ben", noon()).unwrap_err(),
        AlreadyResolved {
            by: Some("human-action-after-containment".into()),
            at: Some(noon()),
        }
    );
}

#[test]
fn only_what_is_in_effect_can_be_undone() {
    let undone = |issue: &Issue, what: Triage| what.decide(issue, "ben", noon()).map(|_| ());
    let seen = Err(Refusal::NothingToUndo("acknowledged"));
    let quiet = Err(Refusal::NothingToUndo("snoozed"));
    assert_eq!(undone(&incident(), Triage::Unacknowledge), seen);
    assert_eq!(undone(&incident(), Triage::Unsnooze), quiet);
    let (past, future) = ("2026-09-23T12:00:00Z", "2026-09-23T12:00:01Z");
    for (until, outcome) in [(past, quiet.clone()), ("soon", quiet), (future, Ok(()))] {
        let snoozed = incident().annotated(mark::SNOOZED_UNTIL, until);
        assert_eq!(undone(&snoozed, Triage::Unsnooze), outcome, "{until}");
    }
    for (word, outcome) in [("false", seen), (" TRUE ", Ok(()))] {
        let marked = incident().annotated(mark::ACKNOWLEDGED, word);
        assert_eq!(undone(&marked, Triage::Unacknowledge), outcome, "{word}");
    }
}

#[test]
fn what_was_undone_is_told_of() {
    let seen = after(&incident(), acknowledge(&incident(), "ana", noon()));
    let quiet = after(&seen, snooze(&seen, SignedDuration::from_hours(1), "ana", noon()));
    assert_eq!(
        unacknowledge(&quiet).unwrap().details,
        texts(&[("acknowledgedBy", "ana"), ("acknowledgedAt", "2026-09-23T12:00:00Z")])
    );
    assert_eq!(
        unsnooze(&quiet, noon()).unwrap().details,
        texts(&[("snoozedBy", "ana"), ("snoozedUntil", "2026-09-23T13:00:00Z")])
    );
}

fn incidents() -> impl Strategy<Value = Fixture<Issue>> {
    let states = prop::sample::select(vec![
        "",
        "Detected",
        "Analyzing",
        "Remediating",
        "Contained",
        "Escalated",
        "Failed",
    ]);
    (prop::option::of((states, any::<bool>(), 0..9i32)), any::<bool>()).prop_map(|(status, marked)| {
        let mut issue = incident();
        if marked {
            issue = issue.annotated("team", "shop").annotated(mark::ACKNOWLEDGED_BY, "zoe");
        }
        issue.with(|issue| {
            if let Some((state, human, attempts)) = status {
                let status = issue.status.get_or_insert_default();
                status.state = state.into();
                status.requires_human_action = human;
                status.required_action = "scale back".into();
                status.remediation_attempts = attempts;
            }
        })
    })
}

fn moments() -> impl Strategy<Value = Timestamp> {
    (0..4_000_000_000i64, 0..1_000_000_000i32).prop_map(|(seconds, nanos)| Timestamp::new(seconds, nanos).unwrap())
}

proptest! {
    #[test]
    fn resolving_once_is_all_and_touches_nothing_else(issue in incidents(), how in "\\PC{0,20}", by in "[a-z]{1,8}", now in moments()) {
        let over = after(&issue, resolve(&issue, &how, &by, now).unwrap());
        let (before, status) = (issue.status.clone().unwrap_or_default(), over.status.clone().unwrap());
        prop_assert_eq!(status.state, IssueState::Resolved);
        prop_assert_eq!(&status.resolution, if how.is_empty() { DEFAULT_RESOLUTION } else { &how });
        prop_assert_eq!(status.requires_human_action, before.requires_human_action);
        prop_assert_eq!(status.required_action, before.required_action);
        prop_assert_eq!(status.remediation_attempts, before.remediation_attempts);
        prop_assert_eq!(&over.spec, &issue.spec);
        let second = resolve(&over, "again", "somebody else", now).unwrap_err();
        prop_assert_eq!(second.by, Some(by));
        prop_assert_eq!(second.at.map(moment::written), Some(moment::written(now)));
    }

    #[test]
    fn seeing_and_quieting_change_neither_state_nor_each_other(issue in incidents(), by in "[a-z]{1,8}", now in moments(), seconds in 1..2_592_000i64) {
        let seen = after(&issue, acknowledge(&issue, &by, now));
        let quiet = after(&seen, snooze(&seen, SignedDuration::from_secs(seconds), &by, now));
        prop_assert_eq!((&quiet.spec, &quiet.status), (&issue.spec, &issue.status));
        prop_assert_eq!(quiet.annotation(mark::ACKNOWLEDGED_BY), Some(&*by));
        let before = annotations_of(&issue);
        for (key, value) in before.iter().filter(|(key, _)| !key.starts_with("aiops.chatcli.io/")) {
            prop_assert_eq!(quiet.annotation(key), Some(*value));
        }
        let until: Timestamp = quiet.annotation(mark::SNOOZED_UNTIL).unwrap().parse().unwrap();
        prop_assert_eq!(until.as_second() - now.as_second(), seconds);
    }

    /// Whatever was done to it before, undoing both leaves no trace on it.
    #[test]
    fn undoing_takes_back_all_that_was_written(issue in incidents(), by in "[a-z]{1,8}", now in moments(), seconds in 1..2_592_000i64) {
        let seen = after(&issue, acknowledge(&issue, &by, now));
        let quiet = after(&seen, snooze(&seen, SignedDuration::from_secs(seconds + 1), &by, now));
        let loud = after(&quiet, unsnooze(&quiet, now).unwrap());
        let undone = after(&loud, unacknowledge(&loud).unwrap());
        let ours = annotations_of(&undone).into_iter().filter(|(key, _)| key.starts_with("aiops.chatcli.io/")).count();
        prop_assert_eq!(ours, 0);
        prop_assert_eq!((&undone.spec, &undone.status), (&issue.spec, &issue.status));
        prop_assert_eq!(undone.annotation("team"), issue.annotation("team"));
    }

    #[test]
    fn a_length_is_taken_exactly_when_time_would_pass(minutes in -100_000..100_000i64) {
        let taken = snooze_length(&format!("{minutes}m"));
        prop_assert_eq!(taken.is_ok(), minutes > 0);
    }
}
