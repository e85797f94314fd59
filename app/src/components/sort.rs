//! Column headers that sort: links, so that the order is part of the address.

use crate::components::link::{href, use_query};
use crate::view;
use leptos::prelude::*;
use opsdeck_api::Query;

/// A header whose link sorts by `member`; pressed again, the other way round.
#[component]
pub(crate) fn SortHeader(
    path: &'static str,
    /// The item's member, as the API calls it.
    member: &'static str,
    label: &'static str,
    /// The direction of the first press is downwards: worst, highest or newest first.
    #[prop(optional)]
    descending_first: bool,
    #[prop(optional)] class: &'static str,
    /// The column counts the other way: an age rises as its timestamp falls.
    #[prop(optional)]
    inverted: bool,
) -> impl IntoView {
    let query = use_query();
    let direction = Memo::new(move |_| query.with(|query| direction_of(query, member)));
    let aria_sort = move || {
        direction.get().map(|descending| {
            if descending == inverted {
                "ascending"
            } else {
                "descending"
            }
        })
    };
    let target = move || {
        let descending = direction.get().map_or(descending_first, |descending| !descending);
        let sort = if descending {
            format!("-{member}")
        } else {
            member.to_owned()
        };
        href(&query.get().without("page").with("sort", &sort).on(path))
    };
    view! {
        <th scope="col" class=class aria-sort=aria_sort>
            <a href=target data-noscroll="">
                {label}
                {move || {
                    aria_sort()
                        .map(|order| {
                            view! { <span aria-hidden="true">{if order == "ascending" { " ↑" } else { " ↓" }}</span> }
                        })
                }}
            </a>
        </th>
    }
}

/// Whether the list is sorted by this member, and if so whether downwards.
fn direction_of(query: &Query, member: &str) -> Option<bool> {
    let first = query.first("sort")?.split(',').next()?;
    match first.strip_prefix('-') {
        Some(name) => (name == member).then_some(true),
        None => (first == member).then_some(false),
    }
}
