//! The search field: a form that leads to the incidents that match.

use crate::components::{
    filter::{rest, submits_to},
    link::{href, use_query},
};
use crate::view;
use leptos::{html::Input, prelude::*};
use leptos_router::hooks::use_location;

const PATH: &str = "/incidents";

#[component]
pub(crate) fn Search(
    /// Where it stands, so that two on one page can be told apart.
    id: &'static str,
) -> impl IntoView {
    let pathname = use_location().pathname;
    let query = use_query();
    let on_list = Memo::new(move |_| pathname.with(|path| *path == href(PATH)));
    let value = Memo::new(move |_| {
        query.with(|query| {
            on_list
                .get()
                .then(|| query.first("q").map(str::to_owned))
                .flatten()
                .unwrap_or_default()
        })
    });
    let field = NodeRef::<Input>::new();
    #[cfg(not(feature = "ssr"))]
    focus_on_slash(field);
    view! {
        <form class="search" role="search" action=href(PATH) method="get" on:submit=submits_to(PATH)>
            <label class="vh" for=id>"Search incidents by name, resource or text"</label>
            <input
                node_ref=field
                id=id
                type="search"
                name="q"
                value=value.get_untracked()
                prop:value=move || value.get()
                placeholder="Search incidents"
                autocomplete="off"
                spellcheck="false"
                enterkeyhint="search"
            />
            <kbd aria-hidden="true">"/"</kbd>
            {move || on_list.get().then(|| rest(&query.get(), &["q", "page"]))}
        </form>
    }
}

/// A slash pressed outside a field leads into the search.
#[cfg(not(feature = "ssr"))]
fn focus_on_slash(field: NodeRef<Input>) {
    use wasm_bindgen::JsCast;

    Effect::new(move || {
        let listener = window_event_listener(leptos::ev::keydown, move |event| {
            let typing = event
                .target()
                .and_then(|target| target.dyn_into::<web_sys::Element>().ok())
                .is_some_and(|element| {
                    element
                        .closest("input, textarea, select, [contenteditable]")
                        .ok()
                        .flatten()
                        .is_some()
                });
            if event.key() != "/" || typing || event.ctrl_key() || event.meta_key() || event.alt_key() {
                return;
            }
            if let Some(field) = field.get_untracked() {
                event.prevent_default();
                // A field that cannot be focused is not there to be searched with.
                let _ = field.focus();
                field.select();
            }
        });
        on_cleanup(move || listener.remove());
    });
}
