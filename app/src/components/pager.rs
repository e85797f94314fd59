//! Which part of the whole is on screen, and the way to the next.

use crate::components::{
    link::{href, use_query},
    words::thousands,
};
use crate::view;
use leptos::prelude::*;
use opsdeck_api::ListMeta;

#[component]
pub(crate) fn Pager(
    path: &'static str,
    meta: ListMeta,
    /// How many rows arrived.
    shown: usize,
    /// Links to the same rows in other formats.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let query = use_query().get_untracked();
    let ListMeta {
        total_count,
        page,
        page_size,
    } = meta;
    let first = (page - 1).saturating_mul(page_size) + 1;
    let last = first + shown as u64 - u64::from(shown > 0);
    let to = move |page: u64| {
        let page = if page == 1 { String::new() } else { page.to_string() };
        href(&query.clone().with("page", &page).on(path))
    };
    let previous = (page > 1).then(|| to(page - 1));
    let next = (shown > 0 && last < total_count).then(|| to(page + 1));
    view! {
        <div class="pager">
            <nav aria-label="Pages of the list">
                <span class="dim">
                    {format!("{}–{} of {}", thousands(first), thousands(last), thousands(total_count))}
                </span>
                {previous.map(|href| view! { <a class="btn" rel="prev" href=href>"Previous"</a> })}
                {next.map(|href| view! { <a class="btn" rel="next" href=href>"Next"</a> })}
            </nav>
            {children.map(|children| view! { <p class="formats">{children()}</p> })}
        </div>
    }
}
