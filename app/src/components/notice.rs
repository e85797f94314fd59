//! What is said when there is nothing to show: an error names what failed, what still holds and the one thing to do; an empty list says why.

use crate::{client::ApiError, components::ask::Refresh, shell::set_status, view};
use leptos::prelude::*;

/// Part of a page could not be had.
#[component]
pub(crate) fn Failed(what: &'static str, error: ApiError) -> impl IntoView {
    let refresh = expect_context::<Refresh>();
    let (cause, advice) = explain(&error);
    if error.status >= 500 || error.status == 0 {
        set_status(502);
    } else if error.status != 401 {
        set_status(error.status);
    }
    view! {
        <div class="notice bad" role="alert">
            <p>
                <b>{format!("Could not show {what}: ")}</b>
                {cause}
            </p>
            <p class="dim">
                {advice} " "
                <a
                    class="go"
                    href=""
                    rel="external"
                    on:click=move |event| {
                        event.prevent_default();
                        refresh.now();
                    }
                >
                    "Try again"
                </a>
            </p>
            {error
                .request_id
                .map(|id| view! { <p class="faint">"Request " <span class="mono">{id}</span> ", for the server's log"</p> })}
        </div>
    }
}

/// A list without rows.
#[component]
pub(crate) fn Empty(
    /// Why: no objects, or filters.
    #[prop(into)]
    why: String,
    /// The way out.
    children: Children,
) -> impl IntoView {
    view! {
        <div class="empty">
            <p>{why}</p>
            <p class="dim">{children()}</p>
        </div>
    }
}

fn explain(error: &ApiError) -> (String, &'static str) {
    match (error.status, error.reason.as_deref()) {
        (0, _) => (format!("{}.", error.message), "What is on screen may be out of date."),
        (_, Some("kind_unavailable")) => (
            format!("{}.", error.message),
            "The cluster does not serve this kind; the rest of the console is not affected.",
        ),
        (401, _) => ("the session has ended.".into(), "Sign in again to go on."),
        (403, _) => (
            format!("{}.", error.message),
            "Ask for a key with a role that may read this.",
        ),
        (404, _) => (
            "it does not exist, or no longer.".into(),
            "It may have been deleted while this page was open.",
        ),
        (409, Some("ambiguous")) => (
            format!("{}.", error.message),
            "Open it from its list, which knows the namespace.",
        ),
        (429, _) => (
            "too many requests with this key in the last minute.".into(),
            "Wait a moment; nothing was lost.",
        ),
        (500.., _) => (
            format!("{}.", error.message),
            "Other parts of the page are not affected.",
        ),
        _ => (format!("{}.", error.message), "Check the address."),
    }
}
