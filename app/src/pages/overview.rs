//! What needs me? Then what is open, how it comes in, and how automation does.

use crate::client::read;
use crate::components::{
    approval::waiting_line,
    ask::{Asked, ask, ask_total, ask_with, shown},
    chart::{Bar, Bars, Shares},
    frame::unresolved,
    incident::IncidentTable,
    link::href,
    mark::Severity,
    notice::{Empty, Failed},
    time::{Age, Clock, DAY, Until, date, rfc3339, short_date},
    words::{percent, plural, thousands},
};
use crate::view;
use leptos::prelude::*;
use leptos_meta::Title;
use opsdeck_api::{
    List, Query, Single,
    analytics::{AnalyticsSummary, TrendPoint},
    approval::ApprovalItem,
    incident::IncidentItem,
    instance::{DrivesAiops, InstanceItem},
};

const DAYS: i64 = 14;
const SEVERITIES: [&str; 4] = ["critical", "high", "medium", "low"];

#[component]
pub(crate) fn Overview() -> impl IntoView {
    let waiting: Asked<List<ApprovalItem>> =
        ask(|| Query::parse("state=Pending&expired=false&sort=expiresAt&pageSize=5").on("/approvals"));
    view! {
        <Title text="Overview" />
        <div class="title">
            <h1>"What needs you"</h1>
            <span class="dim">"all namespaces"</span>
        </div>
        {needs(waiting)}
        {waiting_panel(waiting)}
        {open_panel()}
        <div class="two">{arrivals_panel()} {automation_panel()}</div>
    }
}

/// Four questions, each with a number that leads to the list behind it.
fn needs(waiting: Asked<List<ApprovalItem>>) -> AnyView {
    let critical_query = unresolved().with("severity", "critical").with("acknowledged", "false");
    let critical_href = href(
        &critical_query
            .clone()
            .with("chaos", "all")
            .with("snoozed", "all")
            .on("/incidents"),
    );
    let critical: Asked<List<IncidentItem>> = ask(move || {
        critical_query
            .clone()
            .with("sort", "creationTimestamp")
            .with("pageSize", "1")
            .on("/incidents")
    });
    let contained = ask_total(|| "/incidents?state=Contained&pageSize=1".into());
    let unready = ask_total(|| "/instances?ready=false&pageSize=1".into());
    let instances: Asked<List<InstanceItem>> = ask(|| "/instances?pageSize=100".into());
    view! {
        <section class="panel needsme" aria-label="What needs you">
            <a href=href("/approvals?state=Pending")>
                <span class="dim">"Approvals waiting"</span>
                {shown(move || async move {
                    let Ok(list) = waiting.get().await else { return unknown() };
                    let next = list.items.first().and_then(|item| item.expires_at.clone());
                    tile(list.metadata.total_count, "needs", match next {
                        Some(at) => view! { "next expires in " <Until at=at passed="no time" /> },
                        None => "nothing to decide".into_any(),
                    })
                })}
            </a>
            <a href=critical_href>
                <span class="dim">"Critical, unacknowledged"</span>
                {shown(move || async move {
                    let Ok(list) = critical.get().await else { return unknown() };
                    tile(list.metadata.total_count, "bad", match list.items.into_iter().next() {
                        Some(oldest) => view! { "oldest " <Age at=oldest.creation_timestamp /> },
                        None => "somebody has seen every one".into_any(),
                    })
                })}
            </a>
            <a href=href("/incidents?state=Contained&chaos=all&snoozed=all")>
                <span class="dim">"Contained, needs a person"</span>
                {shown(move || async move {
                    let Ok(total) = contained.get().await else { return unknown() };
                    tile(total, "needs", if total > 0 { "automation has stopped" } else { "nothing is stopped" }.into_any())
                })}
            </a>
            <a href=href("/instances?ready=false")>
                <span class="dim">"Instances not ready"</span>
                {shown(move || async move {
                    let (Ok(unready), Ok(list)) = (unready.get().await, instances.get().await) else { return unknown() };
                    let all = list.metadata.total_count;
                    let driver = list.items.iter().find(|item| item.drives_aiops == DrivesAiops::Yes);
                    let note = match driver {
                        Some(item) => format!("AIOps runs on {}", item.name),
                        None if all == 0 => "there is no Instance".into(),
                        None => "no Instance is known to drive AIOps".into(),
                    };
                    view! {
                        <div class=value_class(unready, "")>
                            {thousands(unready)} <span class="of">{format!(" of {}", thousands(all))}</span>
                        </div>
                        <span class="faint">{note}</span>
                    }
                })}
            </a>
        </section>
    }
}

fn tile(count: u64, class: &'static str, note: AnyView) -> AnyView {
    view! {
        <div class=value_class(count, class)>{thousands(count)}</div>
        <span class="faint">{note}</span>
    }
}

fn unknown() -> AnyView {
    view! {
        <div class="v zero">"unknown"</div>
        <span class="faint">"the server did not say"</span>
    }
}

/// Zero is grey: it needs nobody.
fn value_class(count: u64, class: &str) -> String {
    format!("v {}", if count == 0 { "zero" } else { class })
}

/// The requests themselves, where there are any: they run out.
fn waiting_panel(waiting: Asked<List<ApprovalItem>>) -> AnyView {
    waiting.quietly(|list| {
        if list.items.is_empty() {
            return ().into_any();
        }
        let more = list.metadata.total_count.saturating_sub(list.items.len() as u64);
        view! {
            <section class="panel">
                <header>
                    <h2>"Waiting for a decision"</h2>
                    <a class="dim" href=href("/approvals")>
                        {if more > 0 { format!("{} more", thousands(more)) } else { "All approvals".into() }}
                    </a>
                </header>
                <ul class="waiting">{list.items.into_iter().map(waiting_line).collect_view()}</ul>
            </section>
        }
    })
}

fn open_panel() -> AnyView {
    let open: Asked<List<IncidentItem>> =
        ask(|| unresolved().with("sort", "need").with("pageSize", "8").on("/incidents"));
    let counts = SEVERITIES.map(|severity| {
        ask_total(move || {
            unresolved()
                .with("severity", severity)
                .with("pageSize", "1")
                .on("/incidents")
        })
    });
    view! {
        <section class="panel">
            <header>
                <h2>"Open now"</h2>
                <a class="dim" href=href("/incidents")>
                    "All incidents"
                </a>
            </header>
            {shown(move || async move {
                let mut parts = Vec::new();
                for (severity, count) in SEVERITIES.into_iter().zip(counts) {
                    let Ok(count) = count.get().await else { return ().into_any() };
                    parts.push((severity, count));
                }
                distribution(parts)
            })}
            {open.show("the open incidents", |list| {
                if list.items.is_empty() {
                    return view! { <Empty why="No incident is open.">"What is over stands under all incidents."</Empty> };
                }
                view! { <IncidentTable items=list.items caption="Open incidents, those in need first" /> }
            })}
        </section>
    }
}

/// How bad it is, as one line whose words lead to the incidents they count.
fn distribution(parts: Vec<(&'static str, u64)>) -> AnyView {
    let all: u64 = parts.iter().map(|(_, count)| count).sum();
    if all == 0 {
        return ().into_any();
    }
    let words: Vec<_> = parts
        .iter()
        .map(|(severity, count)| format!("{count} {severity}"))
        .collect();
    view! {
        <div class="distribution">
            <Shares parts=parts.clone() label=format!("{} by severity: {}", plural(all, "open incident", "open incidents"), words.join(", ")) />
            <ul>
                {parts
                    .into_iter()
                    .map(|(severity, count)| {
                        let query = unresolved().with("severity", severity).with("chaos", "all").with("snoozed", "all");
                        view! {
                            <li>
                                <a href=href(&query.on("/incidents"))>
                                    <Severity severity=severity />
                                    <b class:zero={count == 0}>{thousands(count)}</b>
                                </a>
                            </li>
                        }
                    })
                    .collect_view()}
            </ul>
        </div>
    }
}

fn arrivals_panel() -> AnyView {
    let clock = Clock::current();
    let trends: Asked<List<TrendPoint>> = ask_with(
        String::new,
        |api, _, now| {
            let from = rfc3339(first_day(now));
            let path = Query::default().with("from", &from).on("/analytics/trends");
            Box::pin(async move { Ok(vec![api.text(&path).await?]) })
        },
        |texts| read(texts.first().map_or("", String::as_str)),
    );
    trends_view(trends, clock)
}

fn first_day(now: i64) -> i64 {
    (now.div_euclid(DAY) - DAYS + 1) * DAY
}

fn trends_view(trends: Asked<List<TrendPoint>>, clock: Clock) -> AnyView {
    shown(move || async move {
        let list = match trends.get().await {
            Ok(list) => list,
            Err(error) => {
                return view! { <section class="panel"><Failed what="the arrivals" error=error /></section> };
            }
        };
        let first = first_day(clock.at_once());
        let bars: Vec<_> = (0..DAYS)
            .map(|index| {
                let day = first + index * DAY;
                let point = list.items.iter().find(|point| point.date == date(day));
                let whole = point.map_or(0, |point| point.total);
                let part = point
                    .and_then(|point| point.by_severity.get("critical"))
                    .copied()
                    .unwrap_or(0);
                let query = Query::default()
                    .with("from", &rfc3339(day))
                    .with("to", &rfc3339(day + DAY - 1))
                    .with("chaos", "all")
                    .with("snoozed", "all");
                Bar {
                    label: format!(
                        "{}: {}, {part} critical",
                        short_date(day),
                        plural(whole, "incident", "incidents")
                    ),
                    tick: match DAYS - 1 - index {
                        0 => "today".into(),
                        left if left % 4 == 1 || left == DAYS - 1 => short_date(day),
                        _ => String::new(),
                    },
                    part,
                    whole,
                    href: href(&query.on("/incidents")),
                }
            })
            .collect();
        let all: u64 = bars.iter().map(|bar| bar.whole).sum();
        let critical: u64 = bars.iter().map(|bar| bar.part).sum();
        let summary = format!(
            "{}, {} critical",
            plural(all, "incident", "incidents"),
            thousands(critical)
        );
        view! {
            <section class="panel">
                <header>
                    <h2>{format!("Arrivals, last {DAYS} days")}</h2>
                    <span class="dim">{summary.clone()}</span>
                </header>
                <div class="body">
                    <Bars bars=bars label=format!("Incidents per day, UTC: {summary}") />
                </div>
            </section>
        }
    })
}

fn automation_panel() -> AnyView {
    let summary: Asked<Single<AnalyticsSummary>> = ask(|| "/analytics/summary".into());
    view! {
        <section class="panel">
            <header>
                <h2>"How automation does"</h2>
                <span class="dim">"all time"</span>
            </header>
            {summary.show("the figures", |answer| automation(answer.spec))}
        </section>
    }
}

fn automation(summary: AnalyticsSummary) -> AnyView {
    let of = |part: u64, whole: u64| match whole {
        0 => "none".to_owned(),
        whole => format!("{} of {}", thousands(part), thousands(whole)),
    };
    let share = (summary.remediated_issues > 0)
        .then(|| percent(summary.resolved_by_remediation as f64 / summary.remediated_issues as f64));
    let finished = summary.successful_remediations + summary.failed_remediations;
    view! {
        <div class="body">
            {share
                .map(|share| {
                    view! {
                        <p class="figure">
                            <b>{share}</b>
                            " of the incidents that got a plan are resolved"
                        </p>
                    }
                })}
            <dl class="facts">
                <dt>"Resolved after a plan"</dt>
                <dd>{of(summary.resolved_by_remediation, summary.remediated_issues)}</dd>
                <dt>"Plans that worked"</dt>
                <dd>{of(summary.successful_remediations, finished)}</dd>
                <dt>"Failed or rolled back"</dt>
                <dd>{thousands(summary.failed_remediations)}</dd>
                <dt>"Post-mortems owing action"</dt>
                <dd>{of(summary.post_mortems_requiring_human_action, summary.total_post_mortems)}</dd>
                <dt>"SLOs at risk"</dt>
                <dd>{of(summary.slos_at_risk, summary.total_slos)}</dd>
                <dt>"Chaos drills"</dt>
                <dd>
                    <a href=href("/incidents?chaos=true&snoozed=all")>{thousands(summary.chaos_induced_issues)}</a>
                </dd>
            </dl>
        </div>
    }
}
