//! Forms of decisions, rule by rule.

use super::{Subject, draft::Drafts, outcome::explain};
use crate::{
    Acted,
    client::{ApiError, Hand},
};

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

#[test]
fn a_refused_form_that_stands_no_more_leaves_its_words() {
    let subject = Subject::new("/approvals", "shop", "ask");
    let typed = [("approver", "Mira"), ("reason", "seen it"), ("planHash", "00")];
    let refused = Acted {
        path: subject.path("approve"),
        error: Some(ApiError::default()),
        typed: typed.map(|(name, text)| (name.to_owned(), text.to_owned())).into(),
    };
    let unsent = |acted: &Acted, offered: &[&str]| {
        let owner = leptos::prelude::Owner::new();
        owner.with(|| Drafts::of(Some(acted)).unsent(&subject, offered))
    };
    let [(verb, texts)] = unsent(&refused, &["reject"]).try_into().expect("one of them");
    assert_eq!(verb, "approve");
    assert!(texts.contains(&("reason".into(), "seen it".into())));
    assert_eq!(unsent(&refused, &["approve"]), [], "its form stands and holds them");
    let of_another = Acted {
        path: "/approvals/other/approve?namespace=shop".into(),
        ..refused.clone()
    };
    assert_eq!(unsent(&of_another, &[]), []);
    let done = Acted {
        error: None,
        ..refused.clone()
    };
    assert_eq!(unsent(&done, &[]), []);
    let unwritten = Acted {
        typed: [("approver".to_owned(), "Mira".to_owned())].into(),
        ..refused
    };
    assert_eq!(unsent(&unwritten, &[]), [], "a name alone is soon typed again");
}
