//! The managed servers: which serve, and which of them does the thinking for the incidents.

use crate::components::{
    ask::{Asked, ask, ask_total, shown},
    condition::{condition_name, start_at},
    filter::{Choice, One, Typed},
    link::{href, object_href, use_query},
    mark::{State, StateWord},
    notice::{Empty, Failed},
    pager::Pager,
    time::Age,
    words::thousands,
};
use crate::view;
use leptos::prelude::*;
use leptos_meta::Title;
use opsdeck_api::{
    List, Query,
    instance::{DrivesAiops, InstanceItem},
};

const PATH: &str = "/instances";
const READY: &[Choice] = &[("", "any"), ("true", "yes"), ("false", "no")];

#[component]
pub(crate) fn Instances() -> impl IntoView {
    let query = use_query();
    let list: Asked<List<InstanceItem>> = ask(move || query.get().without("theme").on(PATH));
    let all: Asked<List<InstanceItem>> = ask(|| "/instances?pageSize=100".into());
    let ready = ask_total(|| "/instances?ready=true&pageSize=1".into());
    view! {
        <Title text="Instances" />
        <div class="title">
            <h1>"Instances"</h1>
            {shown(move || async move {
                match (all.get().await, ready.get().await) {
                    (Ok(all), Ok(ready)) => view! { <p class="dim">{summary(&all, ready)}</p> },
                    _ => ().into_any(),
                }
            })}
        </div>
        <div class="chips" role="group" aria-label="Filters">
            <One path=PATH name="ready" label="Ready" choices=READY />
            <Typed path=PATH name="namespace" label="Namespace" hint="exact name" />
            <Typed path=PATH name="provider" label="Provider" hint="such as OPENAI" />
        </div>
        {shown(move || async move {
            match list.get().await {
                Ok(list) => rows(list, &query.get_untracked()),
                Err(error) => view! { <Failed what="the Instances" error=error /> },
            }
        })}
    }
}

fn summary(all: &List<InstanceItem>, ready: u64) -> String {
    let drivers: Vec<_> = all
        .items
        .iter()
        .filter(|item| item.drives_aiops == DrivesAiops::Yes)
        .map(|item| item.name.as_str())
        .collect();
    let uncertain = all.items.iter().any(|item| item.drives_aiops == DrivesAiops::Unknown);
    let driver = match (drivers.as_slice(), uncertain) {
        ([], true) => "which of them drives AIOps is not known".to_owned(),
        ([], false) => "none drives AIOps".to_owned(),
        (names, _) => format!("AIOps runs on {}", names.join(", ")),
    };
    format!(
        "{} of {} ready, {driver}",
        thousands(ready),
        thousands(all.metadata.total_count)
    )
}

fn rows(list: List<InstanceItem>, query: &Query) -> AnyView {
    if list.items.is_empty() {
        let narrowed = ["ready", "namespace", "provider"]
            .iter()
            .any(|name| query.first(name).is_some_and(|value| !value.is_empty()));
        return if narrowed {
            view! {
                <section class="panel">
                    <Empty why="No Instance matches these filters.">
                        <a class="go" href=href(PATH)>"Clear the filters"</a>
                    </Empty>
                </section>
            }
        } else {
            view! {
                <section class="panel">
                    <Empty why="There is no Instance.">"Without one nothing analyzes incidents. Create an Instance resource for the operator."</Empty>
                </section>
            }
        };
    }
    let shown = list.items.len();
    view! {
        <section class="panel">
            <table class="rows">
                <caption class="vh">"Instances"</caption>
                <thead>
                    <tr>
                        <th scope="col">"State"</th>
                        <th scope="col">"Instance"</th>
                        <th scope="col">"Model"</th>
                        <th scope="col" class="c-drives">"Drives AIOps"</th>
                        <th scope="col" class="num">"Replicas"</th>
                        <th scope="col">"Version"</th>
                        <th scope="col" class="num">"Age"</th>
                    </tr>
                </thead>
                <tbody>{list.items.into_iter().map(row).collect_view()}</tbody>
            </table>
        </section>
        <Pager path=PATH meta=list.metadata shown=shown />
    }
}

fn row(item: InstanceItem) -> AnyView {
    let state = StateWord::instance(item.ready);
    let first_failed = start_at(&item).map(|condition| {
        let word = if condition.status == "False" { "no" } else { "unknown" };
        format!("{}: {word}", condition_name(&condition.kind))
    });
    view! {
        <tr>
            <td class="c-state">
                <State known=Some(state) word="" />
                {first_failed.map(|text| view! { <p>{text}</p> })}
            </td>
            <td class="c-name">
                <a class="mono" href=object_href(PATH, &item.namespace, &item.name)>
                    {item.name.clone()}
                </a>
                <p>{item.namespace.clone()}</p>
            </td>
            <td class="c-res">
                {item.model.clone().unwrap_or_else(|| "no model set".into())} <p>{item.provider.clone()}</p>
            </td>
            <td class="c-drives" title=item.drives_aiops_reason.clone()>
                {match item.drives_aiops {
                    DrivesAiops::Yes => view! { <b>"yes"</b> },
                    DrivesAiops::No => view! { <span class="faint">"no"</span> },
                    DrivesAiops::Unknown => view! { <span>"unknown"</span> },
                }}
            </td>
            <td class="c-tries num">
                {item.ready_replicas.to_string()} <span class="faint">"/" {item.replicas.to_string()}</span>
            </td>
            <td class="c-risk">
                {match item.version.clone() {
                    Some(version) => version.into_any(),
                    None => view! { <span class="faint">"unknown"</span> },
                }}
            </td>
            <td class="c-age num dim">
                <Age at=item.creation_timestamp.clone() />
            </td>
        </tr>
    }
}
