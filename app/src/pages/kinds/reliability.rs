//! What is promised, and where it runs: objectives and clusters.

use super::{CREATED, Column, Kind, NAMESPACE, Related, WORDS};
use crate::{
    components::{
        ask::{Asked, ask, shown_over},
        field::{self, Field, Show, count, is_true, text},
        link::object_href,
        mark::{Severity, StateWord},
        words::{capitalised, figure, plural, signal, thousands},
    },
    view,
};
use leptos::prelude::*;
use serde_json::Value;

const SLO_STATE: Show = Show::State(|item| StateWord::objective(text(item, "/state")));

pub(super) const SLOS: Kind = Kind {
    path: "/slos",
    api: "/slos",
    title: "SLOs",
    heading: "SLOs",
    one: "objective",
    many: "objectives",
    these: "the SLOs",
    this: "this SLO",
    empty: (
        "There are no objectives.",
        "Create a ServiceLevelObjective for a service whose promise you want to keep.",
    ),
    sort: "errorBudgetRemaining",
    order: "Least error budget first",
    filters: &[NAMESPACE, WORDS],
    columns: &[
        Column::new("State", "state", "c-state", "/state", SLO_STATE),
        Column::name("Objective").below("", Show::Of(|item| Some(promise(item).into_any()))),
        Column::new("Target", "target", "c-fact num", "/target", Show::Number("\u{202f}%")),
        Column::new("Now", "currentValue", "c-fact num", "/currentValue", NOW),
        Column::new(
            "Budget left",
            "errorBudgetRemaining",
            "c-fact num",
            "/errorBudgetRemaining",
            LEFT,
        ),
        Column::new(
            "Burn, 1 h",
            "burnRate1h",
            "c-fact num",
            "/burnRate1h",
            Show::Of(|item| measured(item, "/burnRate1h", "×")),
        ),
        Column::new(
            "Alerts",
            "activeAlerts",
            "c-fact c-wide num",
            "/activeAlerts",
            Show::Number(""),
        ),
    ],
    marks: &[Field::new("", "/state", SLO_STATE)],
    lead: slo_lead,
    body: slo_body,
    facts: &[
        Field::new("Service", "/service", Show::Text),
        Field::new("Indicator", "/sli", Show::Words),
        Field::new("Target", "/target", Show::Number("\u{202f}%")),
        Field::new("Window", "/window", Show::Text),
        Field::new("Alerts firing", "/activeAlerts", Show::Number("")),
        CREATED,
    ],
    related: &[
        Related {
            label: "Incidents of this service",
            at: "/service",
            path: "/incidents",
            query: "chaos=all&snoozed=all",
            param: "q",
        },
        Related {
            label: "What was recorded of it",
            at: "/name",
            path: "/audit",
            query: "",
            param: "issue",
        },
    ],
    ..Kind::PLAIN
};

const NOW: Show = Show::Of(|item| measured(item, "/currentValue", "\u{202f}%"));
const LEFT: Show = Show::Of(|item| measured(item, "/errorBudgetRemaining", "\u{202f}%"));

fn promise(item: &Value) -> String {
    let parts = [
        text(item, "/service").to_owned(),
        signal(text(item, "/sli")),
        text(item, "/window").to_owned(),
    ];
    let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}

/// Until it was calculated, its zeros say nothing.
fn measured(item: &Value, at: &'static str, unit: &'static str) -> Option<AnyView> {
    if text(item, "/state").is_empty() {
        return None;
    }
    Field::new("", at, Show::Number(unit)).view(item)
}

fn number(item: &Value, at: &str) -> f64 {
    item.pointer(at).and_then(Value::as_f64).unwrap_or_default()
}

fn slo_lead(item: &Value) -> String {
    let target = number(item, "/target");
    if text(item, "/state").is_empty() {
        return format!(
            "It promises {}\u{202f}%. What was reached has not been calculated yet.",
            figure(target)
        );
    }
    let now = number(item, "/currentValue");
    let side = if now < target { "below" } else { "above" };
    let alerts = match count(item, "/activeAlerts") {
        0 => String::new(),
        alerts => format!(" {} firing.", plural(alerts, "alert is", "alerts are")),
    };
    format!(
        "It stands at {}\u{202f}%, {side} the {}\u{202f}% that are promised over {}. {}\u{202f}% of the error budget is left.{alerts}",
        figure(now),
        figure(target),
        text(item, "/window"),
        figure(number(item, "/errorBudgetRemaining")),
    )
}

fn slo_body(item: &Value) -> AnyView {
    if text(item, "/state").is_empty() {
        return view! {
            <section class="panel">
                <header>
                    <h2>"Error budget"</h2>
                </header>
                <p class="body dim">"Unknown. The operator calculates once a minute what is left of it."</p>
            </section>
        };
    }
    let left = number(item, "/errorBudgetRemaining");
    let rates = [
        ("1 hour", "/burnRate1h"),
        ("6 hours", "/burnRate6h"),
        ("24 hours", "/burnRate24h"),
        ("72 hours", "/burnRate72h"),
    ];
    view! {
        <section class="panel">
            <header>
                <h2>"Error budget"</h2>
                <span class="dim">{figure(left)} "\u{202f}% left"</span>
            </header>
            <div class="body">
                <progress class="budget" max="100" value=(left as i64).clamp(0, 100).to_string() aria-label="Error budget left, in percent"></progress>
                <p class="dim">
                    {format!(
                        "{}\u{202f}% may fail, {}\u{202f}% did.",
                        figure(number(item, "/errorBudgetTotal") * 100.0),
                        figure(number(item, "/errorBudgetUsed") * 100.0),
                    )}
                </p>
            </div>
        </section>
        <section class="panel">
            <header>
                <h2>"How fast it is spent"</h2>
                <span class="dim">"1× lasts exactly the window"</span>
            </header>
            <dl class="facts body">
                {rates
                    .into_iter()
                    .map(|(label, at)| {
                        view! {
                            <dt>"Last " {label}</dt>
                            <dd>{measured(item, at, "×")}</dd>
                        }
                    })
                    .collect_view()}
            </dl>
        </section>
    }
}

const CLUSTER_STATE: Show = Show::State(|item| {
    Some(StateWord::cluster(
        is_true(item, "/connected"),
        is_true(item, "/degraded"),
    ))
});

/// Counts of 0 are left out on the wire.
const NODES: Show = Show::Of(|item| counted(item, "/nodeCount"));
const NAMESPACES: Show = Show::Of(|item| counted(item, "/namespaceCount"));
const ISSUES: Show = Show::Of(|item| counted(item, "/activeIssues"));
const PLANS: Show = Show::Of(|item| counted(item, "/activeRemediations"));

pub(super) const CLUSTERS: Kind = Kind {
    path: "/clusters",
    api: "/clusters",
    title: "Clusters",
    heading: "Clusters",
    one: "cluster",
    many: "clusters",
    these: "the clusters",
    this: "this cluster",
    empty: (
        "No cluster is registered.",
        "Create a ClusterRegistration with the kubeconfig of another cluster to see it here.",
    ),
    sort: "name",
    order: "By name",
    filters: &[NAMESPACE, WORDS],
    columns: &[
        Column::new("State", "connected", "c-state", "", CLUSTER_STATE),
        Column::name("Cluster").below("/displayName", Show::Text),
        Column::new("Stage", "environment", "c-res", "/environment", Show::Words).below("/tier", Show::Text),
        Column::new("Region", "region", "c-fact c-wide", "/region", Show::Text),
        Column::new("Nodes", "nodeCount", "c-fact num", "", NODES),
        Column::new("Incidents", "activeIssues", "c-fact num", "", ISSUES),
        Column::new("Kubernetes", "version", "c-fact c-wide", "/version", Show::Text),
        Column::new(
            "Checked",
            "lastHealthCheck",
            "c-age num dim",
            "/lastHealthCheck",
            Show::Age,
        ),
    ],
    above: Some(together),
    marks: &[Field::new("", "", CLUSTER_STATE)],
    lead: |item| {
        let words = match (is_true(item, "/connected"), is_true(item, "/degraded")) {
            (false, _) => "It does not answer. The figures are those of the last check that it answered.",
            (true, true) => "It answers, but some of its nodes are not ready.",
            (true, false) => "It answers, and all its nodes are ready.",
        };
        words.to_owned()
    },
    body: |item| {
        view! {
            <section class="panel">
                <header>
                    <h2>"What it holds"</h2>
                </header>
                {field::facts(
                    &[
                        Field::new("Nodes", "", NODES),
                        Field::new("Namespaces", "", NAMESPACES),
                        Field::new("Open incidents", "", ISSUES),
                        Field::new("Plans under way", "", PLANS),
                    ],
                    item,
                )}
            </section>
        }
    },
    facts: &[
        Field::new("Name", "/displayName", Show::Text),
        Field::new("Region", "/region", Show::Text),
        Field::new("Stage", "/environment", Show::Words),
        Field::new("Tier", "/tier", Show::Text),
        Field::new("Kubernetes", "/version", Show::Mono),
        Field::new("Checked", "/lastHealthCheck", Show::Moment),
        Field::new("Registered", "/creationTimestamp", Show::Moment),
    ],
    ..Kind::PLAIN
};

fn counted(item: &Value, at: &str) -> Option<AnyView> {
    let count = count(item, at);
    let class = if count == 0 { "faint" } else { "" };
    Some(view! { <span class=class>{thousands(count)}</span> })
}

/// All clusters in a line, and the signals that several of them show at once.
fn together() -> AnyView {
    let status: Asked<Value> = ask(|| "/clusters/global-status".into());
    let correlations: Asked<Value> = ask(|| "/federation/correlations".into());
    shown_over(
        || ().into_any(),
        move || async move {
            let status = status.get().await.ok().map(|status| {
                let count = |at| count(&status, at);
                let words = format!(
                    "Of {}, {} healthy, {} degraded, {} offline.",
                    plural(
                        count("/spec/totalClusters"),
                        "registered cluster",
                        "registered clusters"
                    ),
                    thousands(count("/spec/healthyClusters")),
                    thousands(count("/spec/degradedClusters")),
                    thousands(count("/spec/offlineClusters")),
                );
                view! { <p class="lead">{words}</p> }
            });
            let correlations = correlations.get().await.unwrap_or_default();
            let correlations = field::list(&correlations, "/items");
            view! {
                {status}
                {(!correlations.is_empty())
                    .then(|| {
                        view! {
                            <section class="panel">
                                <header>
                                    <h2>"On several clusters at once"</h2>
                                </header>
                                <ul class="body related">{correlations.iter().map(correlation).collect_view()}</ul>
                            </section>
                        }
                    })}
            }
        },
    )
}

fn correlation(item: &Value) -> AnyView {
    let (namespace, issue) = (text(item, "/namespace"), text(item, "/issue"));
    let mut words = format!(
        "{} on {} clusters",
        signal(text(item, "/signalType")),
        text(item, "/correlatedClusters")
    );
    for (at, more) in [
        ("/elevated", ", severity lifted for it"),
        ("/cascade", ", seen on staging before"),
    ] {
        if is_true(item, at) {
            words.push_str(more);
        }
    }
    view! {
        <li>
            <Severity severity=text(item, "/severity") />
            " "
            {capitalised(&words)}
            ": "
            <a class="go mono" href=object_href("/incidents", namespace, issue)>{issue.to_owned()}</a>
        </li>
    }
}
