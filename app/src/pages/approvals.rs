//! What waits for a decision, first; what was decided, after it.

use crate::components::{
    approval::{ApprovalTable, PATH},
    ask::{Asked, ask, ask_total, shown},
    filter::Typed,
    link::{href, use_query},
    notice::{Empty, Failed},
    pager::Pager,
    words::{plural, thousands},
};
use crate::view;
use leptos::prelude::*;
use leptos_meta::Title;
use opsdeck_api::{List, Query, approval::ApprovalItem};

const STATES: [&str; 4] = ["Pending", "Approved", "Rejected", "Expired"];
const DECIDED: [&str; 3] = ["Approved", "Rejected", "Expired"];

#[component]
pub(crate) fn Approvals() -> impl IntoView {
    let query = use_query();
    let waiting: Asked<List<ApprovalItem>> = ask(move || waiting_query(&query.get()).on(PATH));
    let undecided = ask_total(move || {
        waiting_query(&query.get())
            .with("expired", "false")
            .with("pageSize", "1")
            .on(PATH)
    });
    let listed: Asked<List<ApprovalItem>> = ask(move || listed_query(&query.get()).on(PATH));
    let by_state = Memo::new(move |_| query.with(|query| query.first("state").is_some_and(|state| !state.is_empty())));
    view! {
        <Title text="Approvals" />
        <div class="title">
            <h1>"Approvals"</h1>
            {shown(move || async move {
                let Ok(count) = undecided.get().await else { return ().into_any() };
                let words = match count {
                    0 => "Nothing waits for a decision".to_owned(),
                    1 => "1 request waits for a decision".to_owned(),
                    count => format!("{} wait for a decision", plural(count, "request", "requests")),
                };
                view! { <p class="dim">{words}</p> }
            })}
        </div>
        {tabs()}
        {move || (!by_state.get()).then(|| {
            waiting.quietly(|list| {
                if list.items.is_empty() {
                    return ().into_any();
                }
                view! {
                    <section class="panel">
                        <header>
                            <h2>"Waiting"</h2>
                            <span class="dim">"first to expire first"</span>
                        </header>
                        <ApprovalTable items=list.items caption="Requests that wait for a decision" />
                    </section>
                }
            })
        })}
        {shown(move || async move {
            match listed.get().await {
                Ok(list) => rows(list, &query.get_untracked()),
                Err(error) => view! { <Failed what="the approvals" error=error /> },
            }
        })}
    }
}

/// One tab per state, each with the server's own count.
fn tabs() -> AnyView {
    let query = use_query();
    let scope = move |state: &'static str| {
        move || {
            let mut count = Query::default().with("pageSize", "1").with("state", state);
            for name in ["namespace", "issue"] {
                count = count.with(
                    name,
                    query
                        .with(|query| query.first(name).map(str::to_owned))
                        .as_deref()
                        .unwrap_or_default(),
                );
            }
            count.on(PATH)
        }
    };
    let tab = move |state: &'static str, label: &'static str| {
        let count = ask_total(scope(state));
        let is_here = move || query.with(|query| query.first("state").unwrap_or_default() == state);
        view! {
            <a
                href=move || href(&query.get().with("state", state).without("page").on(PATH))
                aria-current=move || is_here().then_some("true")
                data-noscroll=""
            >
                {label} " " {count.quietly(|count| view! { <span class="count">{thousands(count)}</span> })}
            </a>
        }
    };
    view! {
        <div class="chips">
            <div class="tabs" role="group" aria-label="State">
                {tab("", "All")} {STATES.map(|state| tab(state, state)).collect_view()}
            </div>
            <Typed path=PATH name="namespace" label="Namespace" hint="exact name" />
            <Typed path=PATH name="issue" label="Incident" hint="exact name" />
        </div>
    }
}

fn waiting_query(page: &Query) -> Query {
    page.clone()
        .without("page")
        .without("theme")
        .with("state", "Pending")
        .with("sort", "expiresAt")
        .with("pageSize", "100")
}

/// With a state in the address: all in that state. Without: what is decided, as what waits stands above.
fn listed_query(page: &Query) -> Query {
    let query = page.clone().without("theme");
    if page.first("state").is_some_and(|state| !state.is_empty()) {
        return query;
    }
    DECIDED
        .into_iter()
        .fold(query.without("state"), |query, state| query.and("state", state))
}

fn rows(list: List<ApprovalItem>, query: &Query) -> AnyView {
    let by_state = query.first("state").filter(|state| !state.is_empty());
    if list.items.is_empty() {
        let narrowed = ["namespace", "issue"]
            .iter()
            .any(|name| query.first(name).is_some_and(|value| !value.is_empty()));
        return match (by_state, narrowed) {
            (_, true) => view! {
                <section class="panel">
                    <Empty why="No request matches these filters.">
                        <a class="go" href=href(PATH)>"Clear the filters"</a>
                    </Empty>
                </section>
            },
            (Some("Pending"), _) => view! {
                <section class="panel">
                    <Empty why="Nothing waits for a decision.">"A plan that needs approval appears here, and in the navigation."</Empty>
                </section>
            },
            _ => view! {
                <section class="panel">
                    <Empty why="No request has been decided.">"Policies decide which plans need approval."</Empty>
                </section>
            },
        };
    }
    let shown = list.items.len();
    view! {
        <section class="panel">
            {by_state.is_none().then(|| view! { <header><h2>"Decided"</h2><span class="dim">"newest first"</span></header> })}
            <ApprovalTable items=list.items caption="Requests, newest first" />
        </section>
        <Pager path=PATH meta=list.metadata shown=shown />
    }
}
