//! The list of any kind that `kinds` describes, filtered, sorted and paged by the address alone.

use crate::{
    client::{ApiError, member, read},
    components::{
        ask::{Asked, ask_total, ask_with, shown},
        field::{self, Show, count, text},
        filter::{One, Several, Typed},
        frame,
        link::{api_href, href, object_href, use_query},
        notice::{Empty, Failed},
        pager::Pager,
        sort::SortHeader,
        time::{Clock, parse},
        words::{plural, thousands},
    },
    pages::{
        incidents::slid,
        kinds::{self, Column, Filter, Kind, POLICIES},
    },
    view,
};
use leptos::prelude::*;
use leptos_meta::Title;
use opsdeck_api::{ListMeta, Query};
use serde_json::Value;

/// Rows whose details are open, a line each: rows move when new ones come, and what is being read stays open.
#[derive(Clone, Copy)]
pub(crate) struct Opened(RwSignal<Option<String>>);

// === impl Opened ===

impl Opened {
    pub(crate) fn holds(self, row: &str) -> bool {
        self.0
            .with(|rows| rows.iter().flat_map(|rows| rows.lines()).any(|opened| opened == row))
    }

    #[cfg(not(feature = "ssr"))]
    pub(crate) fn note(self, row: &str, open: bool) {
        let rows = self.0.get_untracked().unwrap_or_default();
        if open == rows.lines().any(|opened| opened == row) {
            return;
        }
        let mut rows: Vec<_> = rows.lines().filter(|opened| *opened != row).collect();
        if open {
            rows.push(row);
        }
        self.0.set(Some(rows.join("\n")));
    }
}

pub(crate) fn page(kind: &'static Kind) -> AnyView {
    provide_context(Opened(RwSignal::new(None)));
    let query = use_query();
    let list: Asked<Value> = ask_with(
        move || asked(kind, &query.get()).to_string(),
        move |api, question, now| {
            let path = slid(Query::parse(&question), now).on(kind.api);
            Box::pin(async move { Ok(vec![api.text(&path).await?]) })
        },
        |texts| read(texts.first().map_or("", String::as_str)),
    );
    view! {
        <Title text=kind.title />
        <div class="title">
            <h1>{kind.heading}</h1>
            {list.quietly(move |list| summary(kind, &list, &query.get_untracked()))}
        </div>
        {kind.above.map(|above| above())}
        <div class="chips" role="group" aria-label="Filters">
            {kind.tab.map(|_| tabs())}
            {kind.filters.iter().map(|filter| filter_view(kind.path, filter)).collect_view()}
            {move || query.with(|query| is_narrowed(kind, query).then(|| clear(kind, query, "Clear all")))}
        </div>
        {shown(move || async move {
            let query = query.get_untracked();
            match list.get().await {
                Ok(list) => rows(kind, list, &query),
                Err(error) => refused(kind, error, &query),
            }
        })}
    }
}

/// How many there are, in which order they stand, and the way back to the usual one.
fn summary(kind: &'static Kind, list: &Value, query: &Query) -> AnyView {
    let total = count(list, "/metadata/totalCount");
    let words = if is_narrowed(kind, query) {
        format!("{} match", thousands(total))
    } else {
        plural(total, kind.one, kind.many)
    };
    let order = match query.first("sort") {
        None => kind.order.into_any(),
        Some(_) => default_order(kind, query, ""),
    };
    view! {
        <p class="dim">{words}</p>
        <span class="dim order">{order}</span>
    }
}

fn default_order(kind: &'static Kind, query: &Query, class: &'static str) -> AnyView {
    let href = href(&query.clone().without("sort").without("page").on(kind.path));
    view! { <a class=class href=href data-noscroll="">"Use the default order"</a> }
}

/// The way out of the filters. The kind of policy and the order are none.
fn clear(kind: &'static Kind, query: &Query, words: &'static str) -> AnyView {
    let order = query.first("sort").unwrap_or_default();
    let href = href(&kind.home().with("sort", order).on(kind.path));
    view! { <a class="go" href=href data-noscroll="">{words}</a> }
}

/// What the API is asked for a page's address; the range still slides.
fn asked(kind: &Kind, page: &Query) -> Query {
    let mut query = page.clone().without("theme");
    if kind.tab.is_some() {
        query = query.without("kind");
    }
    if page.first("sort").is_none() {
        query = query.with("sort", kind.sort);
    }
    if page.first("pageSize").is_none() {
        query = query.with("pageSize", "50");
    }
    query
}

fn is_narrowed(kind: &Kind, query: &Query) -> bool {
    let is_set = |name| query.first(name).is_some_and(|value| !value.is_empty());
    kind.filters.iter().any(|filter| is_set(filter.name()))
}

/// The API passes over a time that it cannot read; the page says so.
fn unheard(query: &Query) -> Option<String> {
    let bad = ["from", "to"].into_iter().find_map(|name| {
        let value = query.first(name)?;
        (!value.is_empty() && parse(value).is_none()).then_some((name, value))
    });
    bad.map(|(name, value)| {
        format!("“{value}” filters nothing: {name} takes a time with its zone, such as 2026-09-23T12:00:00Z.")
    })
}

fn filter_view(path: &'static str, filter: &'static Filter) -> AnyView {
    match *filter {
        Filter::Several(name, label, choices) => {
            view! { <Several path=path name=name label=label choices=choices /> }
        }
        Filter::One(name, label, choices) => view! { <One path=path name=name label=label choices=choices /> },
        Filter::Typed(name, label, hint) => view! { <Typed path=path name=name label=label hint=hint /> },
    }
}

/// One tab per kind of policy, each with the server's own count.
fn tabs() -> AnyView {
    let query = use_query();
    let tabs = kinds::ALL.iter().filter_map(|kind| {
        let tab = kind.tab?;
        let total = ask_total(move || {
            asked(kind, &query.get())
                .without("page")
                .with("pageSize", "1")
                .on(kind.api)
        });
        let is_here = move || query.with(|query| kinds::tab_of(query) == tab);
        Some(view! {
            <a
                href=move || href(&query.get().with("kind", tab).without("page").without("sort").on(POLICIES))
                aria-current=move || is_here().then_some("true")
                data-noscroll=""
            >
                {kind.tab_label()}
                " "
                {frame::count(total, "", "")}
            </a>
        })
    });
    view! {
        <div class="tabs" role="group" aria-label="Kind">
            {tabs.collect_view()}
        </div>
    }
}

fn rows(kind: &'static Kind, mut list: Value, query: &Query) -> AnyView {
    let meta: ListMeta = member(&mut list, "metadata");
    let items = field::list(&list, "/items");
    let unheard = unheard(query).map(|words| view! { <p class="notice">{words}</p> });
    if items.is_empty() {
        return view! {
            {unheard}
            <section class="panel">{nothing(kind, meta.total_count, query)}</section>
        };
    }
    let now = Clock::current().at_once();
    let export = slid(asked(kind, query), now).without("page").without("pageSize");
    let csv = api_href(&export.clone().with("format", "csv").on(kind.api));
    let json = match kind.export {
        "" => api_href(&export.with("pageSize", "100").on(kind.api)),
        path => api_href(&export.on(path)),
    };
    let shown = items.len();
    view! {
        {unheard}
        <section class="panel">
            <table class="rows">
                <caption class="vh">{kind.title}</caption>
                <thead>
                    <tr>{kind.columns.iter().map(|column| header(kind.path, column)).collect_view()}</tr>
                </thead>
                <tbody>
                    {items
                        .iter()
                        .map(|item| {
                            view! { <tr>{kind.columns.iter().map(|column| cell(kind, column, item)).collect_view()}</tr> }
                        })
                        .collect_view()}
                </tbody>
            </table>
        </section>
        <Pager path=kind.path meta=meta shown=shown>
            <a href=csv rel="external" download="">
                "CSV"
            </a>
            " · "
            <a href=json rel="external">
                "JSON"
            </a>
        </Pager>
    }
}

fn header(path: &'static str, column: &'static Column) -> AnyView {
    let class = if column.class == "c-name" { "" } else { column.class };
    let label = column.field.label;
    if column.sort.is_empty() {
        return view! { <th scope="col" class=class>{label}</th> };
    }
    let is_age = matches!(column.field.show, Show::Age);
    let is_big_first = is_age || matches!(column.field.show, Show::Severity | Show::Number(_) | Show::Share);
    view! {
        <SortHeader
            path=path
            member=column.sort
            label=label
            descending_first=is_big_first
            class=class
            inverted=is_age
        />
    }
}

fn cell(kind: &'static Kind, column: &'static Column, item: &Value) -> AnyView {
    let field = &column.field;
    let main = if column.is_name {
        let (namespace, name) = (text(item, "/namespace"), text(item, "/name"));
        let href = format!("{}{}", object_href(kind.path, namespace, name), kind.suffix());
        view! { <a class="mono" href=href>{field.view_or_unknown(item)}</a> }
    } else {
        field.view_or_unknown(item)
    };
    let below = column.below.and_then(|field| field.view(item));
    view! {
        <td class=column.class data-label=field.label>
            {main}
            {below.map(|below| view! { <p>{below}</p> })}
        </td>
    }
}

fn nothing(kind: &'static Kind, total: u64, query: &Query) -> AnyView {
    if total > 0 {
        let first = href(&query.clone().without("page").on(kind.path));
        return view! { <Empty why="This page is past the end of the list."><a class="go" href=first>"Go to the first page"</a></Empty> };
    }
    if is_narrowed(kind, query) {
        let way_out = clear(kind, query, "Clear the filters");
        return view! { <Empty why="Nothing matches these filters.">{way_out}</Empty> };
    }
    let (why, how) = kind.empty;
    view! { <Empty why=why>{how}</Empty> }
}

/// A query that the API refuses, such as an unknown member to sort by, has a way back.
fn refused(kind: &'static Kind, error: ApiError, query: &Query) -> AnyView {
    let way_back = (error.status == 400).then(|| default_order(kind, query, "go"));
    view! {
        <Failed what=kind.these error=error />
        <p>{way_back}</p>
    }
}

#[cfg(test)]
mod tests {
    use super::{asked, unheard};
    use crate::pages::kinds;
    use opsdeck_api::Query;

    fn question(list: &str, page: &str) -> String {
        let page = Query::parse(page);
        let (kind, _) = kinds::parts(list, &page).unwrap();
        asked(&kinds::ALL[kind], &page).to_string()
    }

    #[test]
    fn an_address_asks_with_the_names_of_the_api() {
        assert_eq!(question("slos", ""), "sort=errorBudgetRemaining&pageSize=50");
        assert_eq!(
            question("audit", "type=sla_breach&page=2&theme=dark"),
            "type=sla_breach&page=2&pageSize=50"
        );
        assert_eq!(
            question("policies", "kind=sla&namespace=shop&sort=-name"),
            "namespace=shop&sort=-name&pageSize=50"
        );
    }

    #[test]
    fn a_time_that_is_none_is_named() {
        let told = |query: &str| unheard(&Query::parse(query)).is_some();
        assert!(told("from=yesterday"));
        assert!(told("from=2026-09-23T12:00:00Z&to=2026-09-24"));
        assert!(!told("from=2026-09-23T12:00:00Z&to="));
    }
}
