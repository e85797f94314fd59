//! One Instance: is it serving, and if not, which condition failed first?

use crate::components::{
    ask::{Asked, ask, shown},
    condition::{Conditions, condition_name, start_at},
    decisions,
    link::{href, segment},
    mark::{State, StateWord},
    notice::Failed,
    time::Moment,
};
use crate::view;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;
use opsdeck_api::{
    Query, Single, StringMap,
    instance::{DrivesAiops, InstanceDetail, InstanceItem, Tls},
};
use serde::de::IgnoredAny;

const PATH: &str = "/instances";

#[component]
pub(crate) fn Instance() -> impl IntoView {
    let params = use_params_map();
    let address = Memo::new(move |_| {
        params.with(|params| {
            (
                params.get("namespace").unwrap_or_default(),
                params.get("name").unwrap_or_default(),
            )
        })
    });
    let instance: Asked<Single<InstanceDetail, IgnoredAny>> = ask(move || {
        address.with(|(namespace, name)| {
            Query::default()
                .with("namespace", namespace)
                .on(&format!("{PATH}/{}", segment(name)))
        })
    });
    view! {
        <Title text=move || address.with(|(_, name)| name.clone()) />
        {shown(move || async move {
            match instance.get().await {
                Ok(answer) => page(answer.spec),
                Err(error) => {
                    view! {
                        <div class="title">
                            <h1 class="mono">{move || address.with(|(_, name)| name.clone())}</h1>
                        </div>
                        <Failed what="this Instance" error=error />
                        <p>
                            <a class="go" href=href(PATH)>"All Instances"</a>
                        </p>
                    }
                }
            }
        })}
    }
}

fn page(detail: InstanceDetail) -> AnyView {
    let item = detail.item.clone();
    view! {
        <div class="head">
            <p class="crumbs">
                <a href=href(PATH)>"Instances"</a>
                " / "
                <a href=href(&Query::default().with("namespace", &item.namespace).on(PATH))>{item.namespace.clone()}</a>
            </p>
            <div class="title">
                <h1 class="mono">{item.name.clone()}</h1>
                <State known=Some(StateWord::instance(item.ready)) word="" />
            </div>
            <p class="lead">{serving(&item)}</p>
            {decisions::of_instance(&item)}
        </div>
        <div class="two">
            <div class="stack">
                <section class="panel">
                    <header>
                        <h2>"Conditions"</h2>
                        <span class="dim">"each needs the ones before it"</span>
                    </header>
                    <Conditions conditions=item.conditions.clone() start=start_at(&item).map(|condition| condition.kind.clone()) />
                </section>
                {map_panel("Environment", "literal values are masked", detail.env.clone())}
                {map_panel("Settings", "what else is set", detail.settings.clone())}
            </div>
            <aside class="stack">{drives(&item)} {facts(&detail)}</aside>
        </div>
    }
}

/// The answer in one sentence.
fn serving(item: &InstanceItem) -> String {
    let start = start_at(item);
    let failed = start.map(|condition| {
        (
            condition.kind.as_str(),
            condition_name(&condition.kind).to_ascii_lowercase(),
        )
    });
    let why = start
        .and_then(|condition| condition.message.as_deref())
        .filter(|message| !message.is_empty())
        .map(|message| format!(": {}", message.trim_end_matches('.')))
        .unwrap_or_default();
    match (item.ready, failed) {
        (true, None) => "It serves, and every condition holds.".into(),
        (true, Some(("OperatorCredentialConfigured" | "ServerReachable", name))) => {
            format!("Its pods are ready, but the operator cannot use it. First to fail: {name}{why}.")
        }
        (true, Some((_, name))) => format!("Its pods are ready. First condition that does not hold: {name}{why}."),
        (false, Some((_, name))) => format!("It does not serve. First to fail: {name}{why}."),
        (false, None) => "It is not ready, and no condition says why.".into(),
    }
}

fn drives(item: &InstanceItem) -> AnyView {
    let (headline, class) = match item.drives_aiops {
        DrivesAiops::Yes => ("This Instance drives AIOps", "body"),
        DrivesAiops::No => ("This Instance does not drive AIOps", "body dim"),
        DrivesAiops::Unknown => ("Whether it drives AIOps is not known", "body"),
    };
    view! {
        <section class="panel">
            <header>
                <h2>{headline}</h2>
            </header>
            <p class=class>{item.drives_aiops_reason.clone()}</p>
        </section>
    }
}

fn facts(detail: &InstanceDetail) -> AnyView {
    let item = &detail.item;
    let or_unknown = |text: Option<String>| match text {
        Some(text) => view! { <span class="mono">{text}</span> },
        None => view! { <span class="faint">"unknown"</span> },
    };
    view! {
        <section class="panel">
            <header>
                <h2>"Facts"</h2>
            </header>
            <dl class="facts body">
                <dt>"Replicas"</dt>
                <dd>{format!("{} of {} ready", item.ready_replicas, item.replicas)}</dd>
                <dt>"Provider"</dt>
                <dd>{item.provider.clone()}</dd>
                <dt>"Model"</dt>
                <dd>{item.model.clone().unwrap_or_else(|| "not set: the provider's default".into())}</dd>
                <dt>"Version"</dt>
                <dd>{or_unknown(item.version.clone())}</dd>
                <dt>"Image"</dt>
                <dd>{or_unknown(detail.image.clone())}</dd>
                <dt>"Endpoint"</dt>
                <dd class="mono">{detail.endpoint.clone()}</dd>
                <dt>"TLS"</dt>
                <dd>{tls(&detail.tls)}</dd>
                <dt>"Probed"</dt>
                <dd>
                    {match detail.probed_at.clone() {
                        Some(at) => view! { <Moment at=at /> },
                        None => view! { <span class="faint">"never"</span> },
                    }}
                </dd>
                <dt>"Created"</dt>
                <dd>
                    <Moment at=item.creation_timestamp.clone() />
                </dd>
                {detail
                    .resources
                    .iter()
                    .map(|(name, value)| {
                        view! {
                            <dt class="mono">{name.clone()}</dt>
                            <dd class="mono">{value.clone()}</dd>
                        }
                    })
                    .collect_view()}
            </dl>
        </section>
    }
}

fn tls(tls: &Tls) -> String {
    match (tls.enabled, &tls.secret_name, &tls.client_ca_secret_name) {
        (false, ..) => "off".into(),
        (true, None, _) => "on, without a certificate".into(),
        (true, Some(secret), None) => format!("certificate in {secret}"),
        (true, Some(secret), Some(authority)) => {
            format!("certificate in {secret}; callers must show one signed by {authority}")
        }
    }
}

fn map_panel(title: &'static str, note: &'static str, entries: StringMap) -> Option<AnyView> {
    if entries.is_empty() {
        return None;
    }
    Some(view! {
        <section class="panel">
            <header>
                <h2>{title}</h2>
                <span class="dim">{note}</span>
            </header>
            <dl class="facts body mono">
                {entries
                    .into_iter()
                    .map(|(name, value)| {
                        view! {
                            <dt>{name}</dt>
                            <dd>{value}</dd>
                        }
                    })
                    .collect_view()}
            </dl>
        </section>
    })
}
