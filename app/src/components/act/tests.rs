//! Forms of decisions, rule by rule.

use super::{ApiError, Subject, explain};
use crate::client::Hand;

#[test]
fn what_was_done_to_another_object_is_not_told_of_this_one() {
    let subject = Subject {
        list: "/incidents",
        namespace: "shop".into(),
        name: "web".into(),
    };
    assert_eq!(subject.path("resolve"), "/incidents/web/resolve?namespace=shop");
    assert_eq!(
        subject.verb_of("/incidents/web/resolve?namespace=shop"),
        Some("resolve")
    );
    for other in [
        "/incidents/web/resolve?namespace=bank",
        "/incidents/web2/resolve?namespace=shop",
        "/approvals/web/resolve?namespace=shop",
        "/incidents",
        "",
    ] {
        assert_eq!(subject.verb_of(other), None, "{other}");
    }
}

#[test]
fn a_lost_race_says_who_won_and_when() {
    let lost = ApiError {
        status: 409,
        message: "approval is already Rejected by tomasz (api-key: sre-tomasz)".into(),
        reason: Some("already_decided".into()),
        hand: Some(Box::new(Hand {
            by: Some("tomasz (api-key: sre-tomasz), ana (api-key: ana)".into()),
            at: Some("2026-09-23T12:00:00Z".into()),
        })),
        request_id: None,
    };
    assert_eq!(
        explain(&lost),
        "It is decided already by tomasz and ana, at 2026-09-23 12:00:00 UTC."
    );
    let conflict = ApiError {
        status: 409,
        reason: Some("conflict".into()),
        ..ApiError::default()
    };
    assert_eq!(explain(&conflict), "Somebody else changed it at the same moment.");
}
