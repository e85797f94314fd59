//! The figures of a time as a report: nine answers of the API, each in its own section. It is made by the server alone and needs no script, so
//! nothing of it is in the bundle.

use crate::{
    components::{
        ask::{Asked, ask},
        chart::{Bar, Bars},
        field::{count, list, text},
        filter::{One, Typed},
        link::{href, object_href, use_query},
        mark::Severity,
        notice::Empty,
        time::{Ago, Clock, DAY, HOUR, fine_span, parse, rfc3339, short_date, stamp},
        words::{action, listed, percent, plural, thousands},
    },
    view,
};
use leptos::prelude::*;
use leptos_meta::Title;
use opsdeck_api::Query;
use serde_json::Value;

pub(crate) const PATH: &str = "/analytics";
const PRESETS: [(&str, i64); 4] = [
    ("24 hours", DAY),
    ("7 days", 7 * DAY),
    ("30 days", 30 * DAY),
    ("90 days", 90 * DAY),
];
const SEVERITIES: [&str; 4] = ["critical", "high", "medium", "low"];
/// More bars than these say nothing on a phone.
const MOST_BARS: usize = 92;

#[component]
pub(crate) fn Analytics() -> impl IntoView {
    let query = use_query().get_untracked();
    let report = Report::of(&query);
    view! {
        <Title text="Analytics" />
        <div class="title">
            <h1>"Analytics"</h1>
            <span class="dim">{report.subject()}</span>
        </div>
        <div class="chips" role="group" aria-label="Filters">
            {presets(&query)}
            <Typed path=PATH name="namespace" label="Namespace" hint="shop" />
            <One path=PATH name="groupBy" label="Arrivals" choices=&[("", "by day"), ("week", "by week")] />
        </div>
        {report.section("In short", "summary", "the summary", summary)}
        {report.section("Arrivals", "trends", "the arrivals", arrivals)}
        <div class="two">
            {report.section("Time to detect", "mttd", "the times to detect", mean_times)}
            {report.section("Time to resolve", "mttr", "the times to resolve", mean_times)}
        </div>
        {report.section("What breaks most", "top-resources", "the resources", top_resources)}
        {report.section("What was tried", "remediation-stats", "the remediations", remediations)}
        {report.section("Promises kept", "compliance", "the report of promises", promises)}
        {report.section("Room to grow", "capacity", "the capacity", capacity)}
        {report.section("What the models cost", "cost", "the cost", cost)}
    }
}

/// What is asked of every figure.
struct Report {
    query: Query,
}

// === impl Report ===

impl Report {
    fn of(page: &Query) -> Self {
        Self {
            query: page.clone().without("theme"),
        }
    }

    /// Of when and of where.
    fn subject(&self) -> String {
        let at = |name| self.query.first(name).and_then(parse).map(stamp);
        let when = match (at("from"), at("to")) {
            (Some(from), Some(to)) => format!("{from} to {to}"),
            (Some(from), None) => format!("since {from}"),
            (None, Some(to)) => format!("until {to}"),
            (None, None) => "of all time".to_owned(),
        };
        let namespaces: Vec<_> = self.query.all("namespace").filter(|name| !name.is_empty()).collect();
        match namespaces.as_slice() {
            [] => format!("{when} · all namespaces"),
            some => format!("{when} · {}", listed(some)),
        }
    }

    fn section(
        &self,
        heading: &'static str,
        name: &'static str,
        what: &'static str,
        body: fn(&Value) -> AnyView,
    ) -> AnyView {
        let path = self.query.on(&format!("/analytics/{name}"));
        let answer: Asked<Value> = ask(move || path.clone());
        view! {
            <section class="panel report" aria-label=heading>
                <header><h2>{heading}</h2></header>
                {answer.show(what, move |answer| body(&answer))}
            </section>
        }
    }
}

/// A time that ends now, as an address: it begins at a full hour, so that the same choice is the same address for a while.
fn presets(query: &Query) -> AnyView {
    let now = Clock::current().at_once();
    let bare = query.clone().without("from").without("to");
    let chosen = query.first("from").unwrap_or_default();
    let chip = |label: &str, from: String| {
        let is_chosen = query.first("to").is_none() && from == chosen;
        let to = href(&bare.clone().with("from", &from).on(PATH));
        view! {
            <a class="chip" class:on=is_chosen href=to aria-current=is_chosen.then_some("true")>
                {label.to_owned()}
            </a>
        }
    };
    let presets = PRESETS
        .into_iter()
        .map(|(label, length)| chip(label, rfc3339((now - length).div_euclid(HOUR) * HOUR)));
    let all = chip("All time", String::new());
    view! { {presets.collect_view()} {all} }
}

// === the sections ===

fn summary(answer: &Value) -> AnyView {
    let of = |at| count(answer, &format!("/spec/{at}"));
    let incidents = |query: &str| {
        let query = Query::parse(query).with("chaos", "all").with("snoozed", "all");
        Some(href(&query.on("/incidents")))
    };
    let risk = number(answer, "/spec/avgRiskScore");
    let facts = [
        fact("Incidents", thousands(of("totalIssues")), incidents("")),
        fact(
            "Resolved",
            share(of("resolvedIssues"), of("totalIssues")),
            incidents("state=Resolved"),
        ),
        fact(
            "Contained",
            thousands(of("containedIssues")),
            incidents("state=Contained"),
        ),
        fact(
            "Critical",
            thousands(of("criticalIssues")),
            incidents("severity=critical"),
        ),
        fact(
            "Made by chaos drills",
            thousands(of("chaosInducedIssues")),
            Some(href("/incidents?chaos=true&snoozed=all")),
        ),
        fact(
            "Mean risk, of 100",
            if of("totalIssues") == 0 {
                unknown()
            } else {
                format!("{risk:.0}")
            },
            None,
        ),
        fact("Plans", thousands(of("totalRemediations")), Some(href("/remediations"))),
        fact(
            "Plans that worked",
            share(
                of("successfulRemediations"),
                of("successfulRemediations") + of("failedRemediations"),
            ),
            None,
        ),
        fact(
            "Resolved after a plan",
            share(of("resolvedByRemediation"), of("remediatedIssues")),
            None,
        ),
        fact(
            "Waiting for a decision",
            thousands(of("pendingApprovals")),
            Some(href("/approvals?state=Pending")),
        ),
        fact(
            "Post-mortems that owe an action",
            share(of("postMortemsRequiringHumanAction"), of("totalPostMortems")),
            Some(href("/postmortems")),
        ),
        fact(
            "SLOs at risk",
            share(of("slosAtRisk"), of("totalSLOs")),
            Some(href("/slos")),
        ),
    ];
    view! { <dl class="facts body">{facts.into_iter().collect_view()}</dl> }
}

fn arrivals(answer: &Value) -> AnyView {
    let points = items(answer);
    if points.is_empty() {
        return nothing("No incident came in this time.");
    }
    let severity = |point: &Value, name: &str| count(point, &format!("/bySeverity/{name}"));
    let bars = points.iter().take(MOST_BARS).enumerate().map(|(index, point)| {
        let day = text(point, "/date");
        let start = parse(&format!("{day}T00:00:00Z")).unwrap_or_default();
        let (whole, part) = (count(point, "/total"), severity(point, "critical"));
        let query = Query::parse("chaos=all&snoozed=all").with("from", &rfc3339(start));
        Bar {
            label: format!(
                "{}: {}, {part} critical",
                short_date(start),
                plural(whole, "incident", "incidents")
            ),
            tick: if index == 0 { short_date(start) } else { String::new() },
            part,
            whole,
            href: href(&query.with("to", &rfc3339(start + DAY - 1)).on("/incidents")),
        }
    });
    let bars: Vec<_> = bars.collect();
    let rows = points.iter().rev().map(|point| {
        let mut cells = vec![words(text(point, "/date")), number_of(count(point, "/total"))];
        cells.extend(SEVERITIES.map(|name| number_of(severity(point, name))));
        cells
    });
    let columns = [
        ("Begins", false),
        ("Incidents", true),
        ("Critical", true),
        ("High", true),
        ("Medium", true),
        ("Low", true),
    ];
    view! {
        {(points.len() <= MOST_BARS)
            .then(|| view! { <div class="body"><Bars bars=bars label="Incidents by when they came in, UTC" /></div> })}
        {folded("As a table", table(&columns, rows.collect()))}
    }
}

fn mean_times(answer: &Value) -> AnyView {
    let points = items(answer);
    let all: u64 = points.iter().map(|point| count(point, "/count")).sum();
    if all == 0 {
        return nothing("No incident of this time has both ends of it.");
    }
    let sum: f64 = points
        .iter()
        .map(|point| number(point, "/value") * number(point, "/count"))
        .sum();
    let rows = points.iter().rev().map(|point| {
        vec![
            words(text(point, "/date")),
            words(lasting(number(point, "/value"))),
            number_of(count(point, "/count")),
        ]
    });
    let table = table(&[("Day", false), ("Mean", true), ("Incidents", true)], rows.collect());
    view! {
        <div class="body">
            <p class="figure">
                <b>{lasting(sum / all as f64)}</b>
                {format!(" is the mean of {}, drills left out", plural(all, "incident", "incidents"))}
            </p>
        </div>
        {folded("Day by day", table)}
    }
}

fn top_resources(answer: &Value) -> AnyView {
    let resources = items(answer);
    if resources.is_empty() {
        return nothing("No incident came in this time.");
    }
    let rows = resources.iter().map(|item| {
        let (name, namespace) = (text(item, "/name"), text(item, "/namespace"));
        let query = Query::parse("chaos=all&snoozed=all")
            .with("q", name)
            .with("namespace", namespace);
        vec![
            view! {
                <a class="go" href=href(&query.on("/incidents"))>{format!("{} {name}", text(item, "/kind"))}</a>
                <span class="faint">{format!(" in {namespace}")}</span>
            },
            number_of(count(item, "/incidentCount")),
            view! { <Ago at=text(item, "/lastIncident") /> },
        ]
    });
    table(
        &[("Resource", false), ("Incidents", true), ("Last one", true)],
        rows.collect(),
    )
}

fn remediations(answer: &Value) -> AnyView {
    let ways = items(answer);
    if ways.is_empty() {
        return nothing("No plan was made in this time.");
    }
    let rows = ways.iter().map(|way| {
        let took = number(way, "/avgDuration");
        vec![
            words(action(text(way, "/action"))),
            number_of(count(way, "/total")),
            number_of(count(way, "/successful")),
            words(percent(number(way, "/successRate"))),
            words(if took > 0.0 { lasting(took) } else { unknown() }),
        ]
    });
    let columns = [
        ("Way", false),
        ("Incidents", true),
        ("Resolved", true),
        ("Share", true),
        ("Mean time", true),
    ];
    table(&columns, rows.collect())
}

fn promises(answer: &Value) -> AnyView {
    let at = |at: &str| format!("/spec/{at}");
    let of = |member: &str| count(answer, &at(member));
    // In nanoseconds, as upstream writes durations there.
    let time = |member: &str| match number(answer, &at(member)) {
        0.0 => unknown(),
        nanoseconds => lasting(nanoseconds / 1e9),
    };
    let incidents = of("IncidentMetrics/TotalIncidents");
    let kept = number(answer, &at("SLAMetrics/CompliancePercentage"));
    let requests = of("ApprovalMetrics/TotalRequests");
    let facts = [
        fact("Of", period(answer, "/spec/Period/Start", "/spec/Period/End"), None),
        fact(
            "Kept",
            if incidents == 0 {
                unknown()
            } else {
                percent(kept / 100.0)
            },
            None,
        ),
        fact(
            "Answered too late",
            share(of("SLAMetrics/ResponseSLAViolations"), incidents),
            None,
        ),
        fact(
            "Resolved too late",
            share(of("SLAMetrics/ResolutionSLAViolations"), incidents),
            None,
        ),
        fact("Mean time to an answer", time("SLAMetrics/AverageResponseTime"), None),
        fact(
            "Mean time to resolution",
            time("SLAMetrics/AverageResolutionTime"),
            None,
        ),
        fact("Requests to approve", thousands(requests), Some(href("/approvals"))),
        fact(
            "Approved by a rule",
            share(of("ApprovalMetrics/AutoApproved"), requests),
            None,
        ),
        fact(
            "Approved by people",
            share(of("ApprovalMetrics/ManualApproved"), requests),
            None,
        ),
        fact("Rejected", share(of("ApprovalMetrics/Rejected"), requests), None),
        fact("Expired", share(of("ApprovalMetrics/Expired"), requests), None),
        fact(
            "Mean time to a decision",
            time("ApprovalMetrics/AverageDecisionTime"),
            None,
        ),
        fact(
            "Events in the trail",
            thousands(of("AuditSummary/TotalEvents")),
            Some(href("/audit")),
        ),
    ];
    let slas = list(answer, "/spec/IncidentSLAs").iter();
    let rows: Vec<_> = slas
        .map(|sla| {
            let link = object_href("/policies", text(sla, "/Namespace"), text(sla, "/Name")) + "?kind=sla";
            vec![
                view! { <a class="go" href=link>{text(sla, "/Name").to_owned()}</a> },
                view! { <Severity severity=text(sla, "/Severity").to_owned() /> },
                words(format!(
                    "{} / {}",
                    text(sla, "/ResponseTime"),
                    text(sla, "/ResolutionTime")
                )),
                words(percent(number(sla, "/CompliancePercentage") / 100.0)),
                number_of(count(sla, "/TotalViolations")),
            ]
        })
        .collect();
    let columns = [
        ("Promise", false),
        ("For", false),
        ("Answer / resolution", true),
        ("Kept", true),
        ("Broken", true),
    ];
    view! {
        <dl class="facts body">{facts.into_iter().collect_view()}</dl>
        {(!rows.is_empty()).then(|| table(&columns, rows))}
    }
}

fn capacity(answer: &Value) -> AnyView {
    let workloads = items(answer);
    if workloads.is_empty() {
        return nothing("No Deployment that is there had an incident in this time.");
    }
    let used = |item: &Value, limit: &str, share: &str| match number(item, limit) {
        0.0 => "no limit".to_owned(),
        _ => percent(number(item, share) / 100.0),
    };
    let rows = workloads.iter().map(|item| {
        vec![
            view! {
                {text(item, "/Resource/name").to_owned()}
                <span class="faint">{format!(" in {}", text(item, "/Resource/namespace"))}</span>
                <p>{text(item, "/Forecast/Recommendation").to_owned()}</p>
            },
            words(used(item, "/Limits/CPUMillicores", "/UsagePercentage/CPU")),
            words(used(item, "/Limits/MemoryBytes", "/UsagePercentage/Memory")),
            number_of(count(item, "/IncidentCorrelation/ResourceRelatedIncidents")),
        ]
    });
    let columns = [
        ("Deployment", false),
        ("CPU requested of limit", true),
        ("Memory requested of limit", true),
        ("Incidents", true),
    ];
    table(&columns, rows.collect())
}

fn cost(answer: &Value) -> AnyView {
    let incidents = count(answer, "/spec/incidentCount");
    if incidents == 0 {
        return nothing("The ledger has no entry of this time.");
    }
    let dollars = |at| format!("{:.2} $", number(answer, at));
    let facts = [
        fact("Of", period(answer, "/spec/periodStart", "/spec/periodEnd"), None),
        fact("All incidents", dollars("/spec/totalLLMCost"), None),
        fact("Per incident", dollars("/spec/costPerIncident"), None),
        fact("Incidents with an entry", thousands(incidents), None),
    ];
    view! { <dl class="facts body">{facts.into_iter().collect_view()}</dl> }
}

// === what they are made of ===

fn fact(label: &'static str, value: String, link: Option<String>) -> AnyView {
    let value = match link {
        Some(link) => view! { <a class="go" href=link>{value}</a> },
        None => value.into_any(),
    };
    view! {
        <dt>{label}</dt>
        <dd>{value}</dd>
    }
}

/// The columns with whether they hold figures, which stand to the right.
fn table(columns: &[(&'static str, bool)], rows: Vec<Vec<AnyView>>) -> AnyView {
    let class = |at: usize| {
        columns
            .get(at)
            .is_some_and(|(_, is_figure)| *is_figure)
            .then_some("num")
    };
    let heads = columns
        .iter()
        .enumerate()
        .map(|(at, (label, _))| view! { <th scope="col" class=class(at)>{*label}</th> });
    let rows = rows.into_iter().map(|cells| {
        let cells = cells
            .into_iter()
            .enumerate()
            .map(|(at, cell)| view! { <td class=class(at)>{cell}</td> });
        view! { <tr>{cells.collect_view()}</tr> }
    });
    view! {
        <table class="figures">
            <thead><tr>{heads.collect_view()}</tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    }
}

fn folded(label: &'static str, body: AnyView) -> AnyView {
    view! {
        <details class="more">
            <summary>{label}</summary>
            {body}
        </details>
    }
}

fn nothing(why: &'static str) -> AnyView {
    view! { <Empty why=why>"A longer time may hold more."</Empty> }
}

fn unknown() -> String {
    "unknown".to_owned()
}

fn period(answer: &Value, start: &str, end: &str) -> String {
    format!("{} to {}", moment(text(answer, start)), moment(text(answer, end)))
}

/// A part of a whole that may be nothing.
fn share(part: u64, whole: u64) -> String {
    match whole {
        0 => "none".to_owned(),
        whole => format!("{} of {}", thousands(part), thousands(whole)),
    }
}

/// Seconds.
fn lasting(seconds: f64) -> String {
    if seconds > 0.0 && seconds < 1.0 {
        return "under 1 s".to_owned();
    }
    fine_span(seconds as i64)
}

fn moment(at: &str) -> String {
    parse(at).map_or_else(unknown, stamp)
}

fn words(text: impl Into<String>) -> AnyView {
    text.into().into_any()
}

fn number_of(count: u64) -> AnyView {
    thousands(count).into_any()
}

fn items(answer: &Value) -> &[Value] {
    list(answer, "/items")
}

fn number(value: &Value, at: &str) -> f64 {
    value.pointer(at).and_then(Value::as_f64).unwrap_or_default()
}
