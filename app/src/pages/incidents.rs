//! All incidents, filtered, sorted and paged by the address alone.
//!
//! The address uses the API's own names. Where it says nothing, the page asks for less than the API would give: drills and snoozed incidents stay
//! out (`all` lets them in), those in need come first. `range` is the page's own: a window that slides along.

use crate::{
    client::{ApiError, read},
    components::{
        ask::{Asked, ask_with, read_total, shown, total},
        filter::{Choice, One, Several, Typed},
        frame::unresolved,
        incident::{IncidentTable, PATH},
        link::{api_href, href, use_query},
        notice::{Empty, Failed},
        pager::Pager,
        search::Search,
        time::{Clock, parse, rfc3339, stamp},
        words::thousands,
    },
    view,
};
use leptos::prelude::*;
use leptos_meta::Title;
use opsdeck_api::{List, Query, incident::IncidentItem};

const SEVERITIES: &[Choice] = &[
    ("critical", "Critical"),
    ("high", "High"),
    ("medium", "Medium"),
    ("low", "Low"),
];
const STATES: &[Choice] = &[
    ("Detected", "Detected"),
    ("Analyzing", "Analyzing"),
    ("Remediating", "Remediating"),
    ("Contained", "Contained"),
    ("Escalated", "Escalated"),
    ("Failed", "Failed"),
    ("Resolved", "Resolved"),
];
const KINDS: &[Choice] = &[
    ("Deployment", "Deployment"),
    ("StatefulSet", "StatefulSet"),
    ("DaemonSet", "DaemonSet"),
    ("Job", "Job"),
    ("CronJob", "CronJob"),
    ("Node", "Node"),
];
const DRILLS: &[Choice] = &[("", "hidden"), ("all", "shown"), ("true", "only")];
const SNOOZED: &[Choice] = &[("", "hidden"), ("all", "shown"), ("true", "only")];
const SEEN: &[Choice] = &[("", "any"), ("false", "by nobody"), ("true", "by somebody")];
pub(crate) const RANGES: &[Choice] = &[
    ("", "any time"),
    ("1h", "last hour"),
    ("6h", "last 6 hours"),
    ("24h", "last 24 hours"),
    ("7d", "last 7 days"),
    ("30d", "last 30 days"),
];
/// Parameters that narrow the list; the rest only order and page it.
const NARROWING: [&str; 11] = [
    "q",
    "severity",
    "state",
    "namespace",
    "kind",
    "acknowledged",
    "range",
    "from",
    "to",
    "issue",
    "chaos",
];

#[component]
pub(crate) fn Incidents() -> impl IntoView {
    let query = use_query();
    let list: Asked<List<IncidentItem>> = ask_with(
        move || asked(&query.get()).to_string(),
        |api, question, now| {
            let path = slid(Query::parse(&question), now).on("/incidents");
            Box::pin(async move { Ok(vec![api.text(&path).await?]) })
        },
        |texts| read(texts.first().map_or("", String::as_str)),
    );
    let people = counted(move || {
        let query = asked(&query.get());
        let query = if query.first("state").is_some() {
            query
        } else {
            query
                .and("state", "Contained")
                .and("state", "Escalated")
                .and("state", "Failed")
        };
        query.to_string()
    });
    let hidden = counted(move || asked(&query.get()).without("chaos").without("snoozed").to_string());
    view! {
        <Title text="Incidents" />
        <div class="title">
            <h1>"Incidents"</h1>
            {shown(move || async move {
                let (Ok(list), Ok(people), Ok(all)) = (list.get().await, people.get().await, hidden.get().await) else {
                    return ().into_any();
                };
                summary(&query.get_untracked(), list.metadata.total_count, people, all)
            })}
            {order()}
        </div>
        <div class="search-phone">
            <Search id="search-here" />
        </div>
        {filters()}
        {shown(move || async move {
            match list.get().await {
                Ok(list) => rows(list, &query.get_untracked()),
                Err(error) => refused(error, &query.get_untracked()),
            }
        })}
    }
}

/// How many there are of a question that may hold a sliding range.
fn counted(question: impl Fn() -> String + Send + Sync + 'static) -> Asked<u64> {
    ask_with(
        question,
        |api, question, now| {
            let query = slid(Query::parse(&question), now)
                .without("page")
                .without("sort")
                .with("pageSize", "1");
            Box::pin(async move { total(&api, &query.on("/incidents")).await })
        },
        read_total,
    )
}

/// What the API is asked for a page's address; the range still slides.
fn asked(page: &Query) -> Query {
    let mut query = page.clone().without("theme");
    for name in ["chaos", "snoozed"] {
        query = match page.first(name) {
            None | Some("") => query.with(name, "false"),
            Some("all") => query.without(name),
            Some(_) => query,
        };
    }
    if page.first("sort").is_none() {
        query = query.with("sort", "need");
    }
    if page.first("pageSize").is_none() {
        query = query.with("pageSize", "50");
    }
    query
}

/// Puts the window where it is now.
pub(crate) fn slid(query: Query, now: i64) -> Query {
    let seconds = query.first("range").and_then(|range| {
        let (number, unit) = range.split_at_checked(range.len().checked_sub(1)?)?;
        let number: i64 = number.parse().ok()?;
        match unit {
            "h" => number.checked_mul(3_600),
            "d" => number.checked_mul(86_400),
            _ => None,
        }
    });
    match seconds {
        Some(seconds) => query.without("range").with("from", &rfc3339(now - seconds)),
        None => query.without("range"),
    }
}

fn summary(query: &Query, total: u64, people: u64, all: u64) -> AnyView {
    let hidden = all.saturating_sub(total);
    let people_href = ["Contained", "Escalated", "Failed"]
        .into_iter()
        .fold(query.clone().without("page"), |query, state| query.and("state", state));
    let show_href = query
        .clone()
        .without("page")
        .with("chaos", "all")
        .with("snoozed", "all");
    let by_state = query.first("state").is_some();
    view! {
        <p class="dim">
            {format!("{} match", thousands(total))}
            {(!by_state && people > 0)
                .then(|| {
                    view! {
                        ", "
                        <a href=href(&people_href.on(PATH)) data-noscroll="">
                            {format!("{} in need of a person", thousands(people))}
                        </a>
                    }
                })}
            {(hidden > 0)
                .then(|| {
                    view! {
                        ", "
                        <a href=href(&show_href.on(PATH)) data-noscroll="">
                            {format!("{} hidden (drills, snoozed)", thousands(hidden))}
                        </a>
                    }
                })}
        </p>
    }
}

fn filters() -> AnyView {
    let query = use_query();
    let is_unresolved = move || {
        query.with(|query| {
            let chosen: Vec<_> = query.all("state").collect();
            let open = unresolved();
            chosen.len() == open.all("state").count() && open.all("state").all(|state| chosen.contains(&state))
        })
    };
    let toggle_unresolved = move || {
        let rest = query.get().without("state").without("page");
        let target = if is_unresolved() {
            rest
        } else {
            unresolved()
                .all("state")
                .fold(rest, |query, state| query.and("state", state))
        };
        href(&target.on(PATH))
    };
    let search = move || query.with(|query| query.first("q").filter(|q| !q.is_empty()).map(str::to_owned));
    view! {
        <div class="chips" role="group" aria-label="Filters">
            <a
                class="chip"
                class:on=is_unresolved
                href=toggle_unresolved
                aria-current=move || is_unresolved().then_some("true")
                data-noscroll=""
            >
                "Unresolved"
            </a>
            <Several path=PATH name="severity" label="Severity" choices=SEVERITIES />
            <Several path=PATH name="state" label="State" choices=STATES />
            <Typed path=PATH name="namespace" label="Namespace" hint="exact name" />
            <Several path=PATH name="kind" label="Kind" choices=KINDS />
            <One path=PATH name="range" label="Raised" choices=RANGES />
            <One path=PATH name="acknowledged" label="Seen" choices=SEEN />
            <One path=PATH name="chaos" label="Drills" choices=DRILLS />
            <One path=PATH name="snoozed" label="Snoozed" choices=SNOOZED />
            {move || {
                search()
                    .map(|text| removable(format!("“{text}”"), "the search", query.get().without("q")))
            }}
            {move || {
                let query = query.get();
                fixed_range(&query)
                    .map(|text| removable(text, "the time range", query.without("from").without("to")))
            }}
            {move || {
                is_narrowed(&query.get())
                    .then(|| {
                        view! {
                            <a class="dim" href=href(PATH) data-noscroll="">
                                "Clear all"
                            </a>
                        }
                    })
            }}
        </div>
    }
}

/// In which order the rows stand, and the way back to the usual one.
fn order() -> AnyView {
    let query = use_query();
    view! {
        <span class="dim order">
            {move || match query.with(|query| query.first("sort").map(str::to_owned)) {
                None => "Sorted by need, then newest".into_any(),
                Some(_) => {
                    view! {
                        <a href=href(&query.get().without("sort").without("page").on(PATH)) data-noscroll="">
                            "Sort by need"
                        </a>
                    }
                }
            }}
        </span>
    }
}

/// A filter that is set elsewhere, and can be taken away here.
fn removable(text: String, what: &'static str, without: Query) -> AnyView {
    view! {
        <a class="chip on" href=href(&without.without("page").on(PATH)) data-noscroll="" aria-label=format!("Clear {what}: {text}")>
            {text.clone()}
            " ×"
        </a>
    }
}

pub(crate) fn fixed_range(query: &Query) -> Option<String> {
    let moment = |name| query.first(name).and_then(parse).map(stamp);
    match (moment("from"), moment("to")) {
        (None, None) => None,
        (Some(from), None) => Some(format!("since {from}")),
        (None, Some(to)) => Some(format!("until {to}")),
        (Some(from), Some(to)) => Some(format!("{from} to {to}")),
    }
}

fn is_narrowed(query: &Query) -> bool {
    NARROWING.iter().any(|name| {
        query
            .first(name)
            .is_some_and(|value| !value.is_empty() && value != "all")
    })
}

fn rows(list: List<IncidentItem>, query: &Query) -> AnyView {
    if list.items.is_empty() {
        return view! { <section class="panel">{nothing(list.metadata.total_count, query)}</section> };
    }
    let now = Clock::current().at_once();
    let export = slid(asked(query), now).without("page").without("pageSize");
    let shown = list.items.len();
    view! {
        <section class="panel">
            <IncidentTable items=list.items caption="Incidents" sortable=true />
        </section>
        <Pager path=PATH meta=list.metadata shown=shown>
            <a href=api_href(&export.clone().with("format", "csv").on("/incidents")) rel="external" download="">
                "CSV"
            </a>
            " · "
            <a href=api_href(&export.with("pageSize", "100").on("/incidents")) rel="external">
                "JSON"
            </a>
        </Pager>
    }
}

fn nothing(total: u64, query: &Query) -> AnyView {
    if total > 0 {
        let first = href(&query.clone().without("page").on(PATH));
        return view! { <Empty why="This page is past the end of the list."><a class="go" href=first>"Go to the first page"</a></Empty> };
    }
    if is_narrowed(query) {
        let everything = href("/incidents?chaos=all&snoozed=all");
        return view! {
            <Empty why="No incident matches these filters.">
                <a class="go" href=href(PATH)>"Clear the filters"</a>
                " or "
                <a class="go" href=everything>"show drills and snoozed ones too"</a>
            </Empty>
        };
    }
    view! { <Empty why="There are no incidents.">"None has been raised, or none is left."</Empty> }
}

/// A query that the API refuses, such as an unknown member to sort by, has a way back.
fn refused(error: ApiError, query: &Query) -> AnyView {
    let way_back = (error.status == 400).then(|| href(&query.clone().without("sort").without("page").on(PATH)));
    view! {
        <Failed what="the incidents" error=error />
        {way_back.map(|href| view! { <p><a class="go" href=href>"Use the default order"</a></p> })}
    }
}

#[cfg(test)]
mod tests {
    use super::{asked, slid};
    use opsdeck_api::Query;

    #[test]
    fn an_empty_address_hides_drills_and_snoozed_and_sorts_by_need() {
        assert_eq!(
            asked(&Query::default()).to_string(),
            "chaos=false&snoozed=false&sort=need&pageSize=50"
        );
    }

    #[test]
    fn all_lets_them_in_and_a_given_order_stays() {
        let page = Query::parse("chaos=all&snoozed=true&sort=-riskScore&page=2");
        assert_eq!(
            asked(&page).to_string(),
            "snoozed=true&sort=-riskScore&page=2&pageSize=50"
        );
    }

    #[test]
    fn a_range_slides() {
        let at = |now| slid(Query::parse("range=24h&state=Failed"), now).to_string();
        assert_eq!(at(1_790_164_800), "state=Failed&from=2026-09-22T12:00:00Z");
        assert_eq!(at(1_790_168_400), "state=Failed&from=2026-09-22T13:00:00Z");
    }

    #[test]
    fn a_range_that_is_none_filters_nothing() {
        assert_eq!(slid(Query::parse("range=soon"), 0).to_string(), "");
        assert_eq!(slid(Query::parse("range="), 0).to_string(), "");
    }
}
