//! One object of any kind that `kinds` describes: what is so, in a sentence; then everything that is known of it.

use crate::{
    client::{ApiError, member},
    components::{
        act::{Subject, unsent},
        ask::{Asked, ask, shown},
        field::{facts, list, text},
        link::{href, segment, use_query},
        notice::Failed,
    },
    pages::kinds::{Kind, parts},
    view,
};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;
use opsdeck_api::Query;
use serde_json::Value;

pub(crate) fn page(kind: &'static Kind) -> AnyView {
    let params = use_params_map();
    let query = use_query();
    // While the page is being left it shows what it showed.
    let address = Memo::new(move |before: Option<&(String, String)>| {
        let address = params.with(|params| params.get("address").unwrap_or_default());
        let object = query.with(|query| {
            parts(&address, query)
                .and_then(|(_, object)| object.map(|(namespace, name)| (namespace.to_owned(), name.to_owned())))
        });
        object.or_else(|| before.cloned()).unwrap_or_default()
    });
    let name = move || address.with(|(_, name)| name.clone());
    let answer: Asked<Value> = ask(move || {
        address.with(|(namespace, name)| {
            let query = Query::default().with("namespace", namespace);
            if kind.is_only_listed {
                query.with("q", name).with("pageSize", "100").on(kind.api)
            } else {
                query.on(&format!("{}/{}", kind.api, segment(name)))
            }
        })
    });
    view! {
        <Title text=name />
        {shown(move || async move {
            let item = answer.get().await.and_then(|answer| item(kind, answer, &name()));
            match item {
                Ok(item) => found(kind, item),
                Err(error) => {
                    view! {
                        <div class="title">
                            <h1 class="mono">{name}</h1>
                        </div>
                        <Failed what=kind.this error=error />
                        {address.with_untracked(|(namespace, name)| unsent(Subject::new(kind.path, namespace, name), Vec::new()))}
                        <p>
                            <a class="go" href=href(&kind.home().on(kind.path))>
                                {format!("All {}", kind.many)}
                            </a>
                        </p>
                    }
                }
            }
        })}
    }
}

/// Policies are answered as they are stored, the others as in their list.
fn item(kind: &Kind, mut answer: Value, name: &str) -> Result<Value, ApiError> {
    if kind.is_only_listed {
        let item = list(&answer, "/items").iter().find(|item| text(item, "/name") == name);
        return item.cloned().ok_or_else(ApiError::gone);
    }
    let mut meta: Value = member(&mut answer, "resourceMeta");
    if kind.tab.is_none() {
        let mut item: Value = member(&mut answer, "spec");
        if let Some(members) = item.as_object_mut() {
            members.insert("annotations".to_owned(), member(&mut meta, "annotations"));
        }
        return Ok(item);
    }
    if let Some(members) = answer.as_object_mut() {
        for name in ["name", "namespace", "creationTimestamp"] {
            members.insert(name.to_owned(), member(&mut meta, name));
        }
    }
    Ok(answer)
}

fn found(kind: &'static Kind, item: Value) -> AnyView {
    let namespace = text(&item, "/namespace").to_owned();
    let related: Vec<_> = kind
        .related
        .iter()
        .map(|related| (related.label, text(&item, related.at), related))
        .filter(|(_, value, _)| !value.is_empty())
        .map(|(label, value, related)| {
            let query = Query::parse(related.query).with(related.param, value);
            view! { <li><a class="go" href=href(&query.on(related.path))>{label}</a></li> }
        })
        .collect();
    view! {
        <div class="head">
            <p class="crumbs">
                <a href=href(&kind.home().on(kind.path))>{kind.heading}</a>
                " / "
                <a href=href(&kind.home().with("namespace", &namespace).on(kind.path))>{namespace.clone()}</a>
            </p>
            <div class="title">
                <h1 class="mono">{text(&item, "/name").to_owned()}</h1>
                {kind.marks.iter().map(|mark| mark.view(&item)).collect_view()}
            </div>
            <p class="lead">{(kind.lead)(&item)}</p>
        </div>
        <div class="two">
            <div class="stack">{(kind.body)(&item)}</div>
            <aside class="stack">
                <section class="panel">
                    <header>
                        <h2>"Facts"</h2>
                    </header>
                    {facts(kind.facts, &item)}
                    {(kind.more_facts)(&item)}
                </section>
                {(!related.is_empty())
                    .then(|| {
                        view! {
                            <section class="panel">
                                <header>
                                    <h2>"Related"</h2>
                                </header>
                                <ul class="body related">{related}</ul>
                            </section>
                        }
                    })}
            </aside>
        </div>
    }
}
