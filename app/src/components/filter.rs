//! Filters that are links and small forms in a fold-out: they work without script, and each press is a new address.

use crate::components::link::{href, use_query};
use crate::view;
use leptos::{ev::SubmitEvent, prelude::*};
use leptos_router::hooks::use_navigate;
use opsdeck_api::Query;

#[cfg(not(feature = "ssr"))]
use leptos_router::NavigateOptions;

/// One choice of a filter: what the API calls it, and what people do.
pub(crate) type Choice = (&'static str, &'static str);

/// A filter of which several values may be chosen.
#[component]
pub(crate) fn Several(
    path: &'static str,
    name: &'static str,
    label: &'static str,
    choices: &'static [Choice],
) -> impl IntoView {
    let query = use_query();
    let chosen = Memo::new(move |_| {
        query.with(|query| {
            choices
                .iter()
                .filter(|(value, _)| query.all(name).any(|v| v == *value))
                .map(|(_, word)| *word)
                .collect::<Vec<_>>()
        })
    });
    view! {
        <Menu label=label value=Signal::derive(move || chosen.with(|words| words.join(", "))) neutral="any">
            <ul>
                <li>
                    <a
                        href=move || to(path, query.get().without(name))
                        aria-current=move || chosen.with(Vec::is_empty).then_some("true")
                        data-noscroll=""
                    >
                        "Any"
                    </a>
                </li>
                {choices
                    .iter()
                    .map(|&(value, word)| {
                        view! {
                            <li>
                                <a
                                    href=move || to(path, query.get().toggled(name, value))
                                    aria-current=move || chosen.with(|words| words.contains(&word)).then_some("true")
                                    data-noscroll=""
                                >
                                    {word}
                                </a>
                            </li>
                        }
                    })
                    .collect_view()}
            </ul>
        </Menu>
    }
}

/// A filter of which one value holds. The first choice is the default: no value in the address.
#[component]
pub(crate) fn One(
    path: &'static str,
    name: &'static str,
    label: &'static str,
    choices: &'static [Choice],
) -> impl IntoView {
    let query = use_query();
    let index = Memo::new(move |_| {
        query.with(|query| {
            let value = query.first(name).unwrap_or_default();
            choices.iter().position(|(choice, _)| *choice == value).unwrap_or(0)
        })
    });
    let default = choices[0].1;
    view! {
        <Menu
            label=label
            value=Signal::derive(move || match index.get() {
                0 => String::new(),
                chosen => choices[chosen].1.to_owned(),
            })
            neutral=default
        >
            <ul>
                {choices
                    .iter()
                    .enumerate()
                    .map(|(position, &(value, word))| {
                        view! {
                            <li>
                                <a
                                    href=move || to(path, query.get().with(name, value))
                                    aria-current=move || (index.get() == position).then_some("true")
                                    data-noscroll=""
                                >
                                    {word}
                                </a>
                            </li>
                        }
                    })
                    .collect_view()}
            </ul>
        </Menu>
    }
}

/// A filter whose value is typed.
#[component]
pub(crate) fn Typed(path: &'static str, name: &'static str, label: &'static str, hint: &'static str) -> impl IntoView {
    let query = use_query();
    let value = Memo::new(move |_| query.with(|query| query.all(name).collect::<Vec<_>>().join(", ")));
    let id = format!("filter-{name}");
    let submit = submits_to(path);
    view! {
        <Menu label=label value=Signal::derive(move || value.get()) neutral="any">
            <form class="typed" action=href(path) method="get" on:submit=submit>
                <label for=id.clone()>{label}</label>
                <input id=id name=name prop:value=move || value.get() value=value.get_untracked() placeholder=hint autocomplete="off" spellcheck="false" />
                {move || rest(&query.get(), &[name, "page"])}
                <button class="btn" type="submit">"Apply"</button>
                <a href=move || to(path, query.get().without(name)) data-noscroll="">"Any"</a>
            </form>
        </Menu>
    }
}

/// A chip that folds out what can be chosen.
#[component]
fn Menu(label: &'static str, value: Signal<String>, neutral: &'static str, children: Children) -> impl IntoView {
    let is_set = move || !value.with(String::is_empty);
    view! {
        <details class="menu" name="filter">
            <summary class="chip" class:on=is_set>
                {label} " "
                <b>{move || if is_set() { value.get() } else { neutral.to_owned() }}</b>
            </summary>
            <div class="fold">{children()}</div>
        </details>
    }
}

/// The parameters that a form must carry along so as not to lose them.
pub(crate) fn rest(query: &Query, but: &[&str]) -> impl IntoView + use<> {
    query
        .pairs()
        .filter(|(name, _)| !but.contains(name))
        .map(|(name, value)| view! { <input type="hidden" name=name.to_owned() value=value.to_owned() /> })
        .collect_view()
}

/// Sends a form as a navigation of the page: to the address it would have had, without empty fields.
pub(crate) fn submits_to(path: &'static str) -> impl Fn(SubmitEvent) + Clone {
    let navigate = use_navigate();
    move |event: SubmitEvent| {
        #[cfg(not(feature = "ssr"))]
        if let Some(query) = browser::fields(&event) {
            event.prevent_default();
            let options = NavigateOptions {
                scroll: false,
                ..NavigateOptions::default()
            };
            navigate(&query.on(path), options);
        }
        #[cfg(feature = "ssr")]
        let _ = (&navigate, event, path);
    }
}

fn to(path: &str, query: Query) -> String {
    href(&query.without("page").on(path))
}

#[cfg(not(feature = "ssr"))]
mod browser {
    use leptos::ev::SubmitEvent;
    use opsdeck_api::Query;
    use wasm_bindgen::JsCast;
    use web_sys::{FormData, HtmlFormElement};

    pub(super) fn fields(event: &SubmitEvent) -> Option<Query> {
        let form = event.target()?.dyn_into::<HtmlFormElement>().ok()?;
        let fields = FormData::new_with_form(&form).ok()?;
        let mut query = Query::default();
        for pair in js_sys::try_iter(&fields).ok()??.flatten() {
            let pair = js_sys::Array::from(&pair);
            if let (Some(name), Some(value)) = (pair.get(0).as_string(), pair.get(1).as_string())
                && !value.trim().is_empty()
            {
                query = query.and(&name, value.trim());
            }
        }
        Some(query)
    }
}
