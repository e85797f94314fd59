//! How the last act on an object ended, in words that are spoken where they appear.

use super::{Acting, Subject};
use crate::{
    client::ApiError,
    components::{
        ask::Refresh,
        time::{parse, stamp},
        words::{capitalised, listed, person},
    },
    view,
};
use leptos::prelude::*;

/// How the last act on this object ended.
pub(super) fn outcome(subject: Subject, truth: String, offered: Vec<&'static str>) -> AnyView {
    let acting = expect_context::<Acting>();
    let refresh = expect_context::<Refresh>();
    let page = subject.page();
    let id = subject.outcome_id();
    let is_bad = move || {
        acting
            .acted
            .with(|acted| acted.as_ref().is_some_and(|acted| acted.error.is_some()))
    };
    let words = move || {
        let acted = acting.acted.get();
        let acted = acted
            .as_ref()
            .and_then(|acted| Some((subject.verb_of(&acted.path)?, acted)));
        let overtaken = || {
            let is_overtaken = !acting.unsent(&subject, &offered).is_empty();
            is_overtaken.then(|| view! { <b>"Not sent. "</b> {truth.clone()} })
        };
        if acting.is_acting_on(&subject) && acted.is_none_or(|(_, acted)| acted.error.is_none()) {
            return Some("Being sent…".into_any());
        }
        let Some((verb, acted)) = acted else {
            return overtaken();
        };
        let Some(error) = &acted.error else {
            return Some(view! { {done(verb)} " " {overtaken()} });
        };
        let again = if error.status == 401 {
            "Sign in again"
        } else {
            "Read it again"
        };
        Some(view! {
            <b>"Not done. "</b>
            {explain(error)}
            " "
            <a
                class="go"
                href=page.clone()
                rel="external"
                on:click=move |event| {
                    event.prevent_default();
                    refresh.now();
                }
            >
                {again}
            </a>
        })
    };
    view! {
        <p class="outcome" id=id class:bad=is_bad role="status" aria-live="polite">
            {words}
        </p>
    }
}

fn done(verb: &str) -> &'static str {
    match verb {
        "acknowledge" => "Acknowledged.",
        "unacknowledge" => "No longer acknowledged.",
        "snooze" => "Snoozed.",
        "unsnooze" => "No longer snoozed.",
        "resolve" => "Resolved.",
        "approve" => "Your approval is recorded.",
        "reject" => "Your rejection is recorded.",
        "reprobe" => "Asked for. What the probe finds will show here.",
        "review" => "In review.",
        "close" => "Closed.",
        "ack-human-action" => "Acknowledged: nothing is owed any more.",
        _ => "Done.",
    }
}

/// What is true now, in one or two sentences.
pub(super) fn explain(error: &ApiError) -> String {
    let hand = error.hand.as_deref();
    let who = hand
        .and_then(|hand| hand.by.as_deref())
        .map(|by| by.split(", ").map(person).collect::<Vec<_>>());
    let who = who.map(|people| listed(&people));
    let at = hand.and_then(|hand| hand.at.as_deref()).and_then(parse).map(stamp);
    let hand = [
        who.clone().map(|who| format!(" by {who}")),
        at.clone().map(|at| format!(", at {at}")),
    ];
    let hand: String = hand.into_iter().flatten().collect();
    match (error.status, error.reason.as_deref().unwrap_or_default()) {
        (0, _) => "The server did not answer, so it may have been done after all. Look before you press again.".into(),
        (401, _) => "The session has ended. What you typed is kept.".into(),
        (_, "plan_changed") => "What would be done has changed since you read it, and nothing was recorded.".into(),
        (_, "already_decided") if error.message.contains("one key is one vote") => {
            format!("This key has voted already{hand}: one key is one vote.")
        }
        (_, "already_decided") => format!("It is decided already{hand}."),
        (_, "already_resolved") => format!("It is resolved already{hand}."),
        (_, "expired") => format!(
            "Its time to be decided ran out{}.",
            at.map_or_else(String::new, |at| format!(" at {at}"))
        ),
        (_, "conflict") => format!(
            "{} changed it at the same moment{}.",
            who.unwrap_or_else(|| "Somebody else".into()),
            at.map_or_else(String::new, |at| format!(", at {at}"))
        ),
        (_, "nothing_to_undo") => "There is nothing to undo: somebody else has done so.".into(),
        (429, _) => "Too many requests with this key in the last minute. Wait a moment, then press again.".into(),
        _ => format!("{}.", capitalised(error.message.trim_end_matches('.'))),
    }
}
