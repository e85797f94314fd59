//! One incident: what is true, what is being tried, what now; then everything that is known of it.

use crate::{
    client::ApiError,
    components::{
        act::{Subject, unsent},
        approval,
        ask::{Asked, ask, ask_with, shown},
        decisions, dossier,
        insight::insight_panels,
        link::{href, object_href, segment},
        mark::{Severity, State, StateWord},
        notice::Failed,
        plan::plan_panel,
        post_mortem::post_mortem_panel,
        situation::{Next, Situation, headline, lasted, situation},
        time::{Ago, Moment, Until},
        timeline::Timeline,
        words::{person, resource, signal},
    },
    view,
};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;
use opsdeck_api::{
    List, Query, Single,
    approval::ApprovalItem,
    incident::{IncidentItem, TimelineItem},
    insight::InsightItem,
    postmortem::PostMortemItem,
    remediation::{RemediationDetail, RemediationItem},
};
use serde::de::IgnoredAny;

/// What was asked; a part that could not be had does not take the others with it.
struct Answers {
    incident: IncidentItem,
    insights: Result<List<InsightItem>, ApiError>,
    plans: Result<Vec<RemediationDetail>, ApiError>,
    approvals: Result<List<ApprovalItem>, ApiError>,
    post_mortems: Result<List<PostMortemItem>, ApiError>,
    told: Result<Vec<TimelineItem>, ApiError>,
}

#[component]
pub(crate) fn Incident() -> impl IntoView {
    let params = use_params_map();
    let address = Memo::new(move |_| {
        params.with(|params| {
            (
                params.get("namespace").unwrap_or_default(),
                params.get("name").unwrap_or_default(),
            )
        })
    });
    let of_issue =
        move |path: &'static str| move || address.with(|(namespace, name)| dossier::of_issue(namespace, name).on(path));
    let question = move || address.with(|(namespace, name)| format!("{namespace}/{name}"));
    let incident: Asked<Single<IncidentItem, IgnoredAny>> = ask(move || {
        address.with(|(namespace, name)| {
            Query::default()
                .with("namespace", namespace)
                .on(&format!("/incidents/{}", segment(name)))
        })
    });
    let insights: Asked<List<InsightItem>> = ask(of_issue("/aiinsights"));
    let plans = ask_with(
        question,
        move |api, _, _| {
            let (namespace, name) = address.get_untracked();
            Box::pin(dossier::fetch_plans(api, namespace, name))
        },
        dossier::read_plans,
    );
    let approvals: Asked<List<ApprovalItem>> = ask(of_issue("/approvals"));
    let post_mortems: Asked<List<PostMortemItem>> = ask(of_issue("/postmortems"));
    let told = ask_with(
        question,
        move |api, _, _| {
            let (namespace, name) = address.get_untracked();
            Box::pin(dossier::fetch_timeline(api, namespace, name))
        },
        dossier::read_timeline,
    );
    view! {
        <Title text=move || address.with(|(_, name)| name.clone()) />
        {shown(move || async move {
            match incident.get().await {
                Ok(answer) => {
                    page(Answers {
                        incident: answer.spec,
                        insights: insights.get().await,
                        plans: plans.get().await,
                        approvals: approvals.get().await,
                        post_mortems: post_mortems.get().await,
                        told: told.get().await,
                    })
                }
                Err(error) => {
                    view! {
                        <div class="title">
                            <h1>{move || address.with(|(_, name)| name.clone())}</h1>
                        </div>
                        <Failed what="this incident" error=error />
                        {address.with_untracked(|(namespace, name)| unsent(Subject::new("/incidents", namespace, name), Vec::new()))}
                        <p>
                            <a class="go" href=href("/incidents")>"All incidents"</a>
                        </p>
                    }
                }
            }
        })}
    }
}

fn page(answers: Answers) -> AnyView {
    let Answers {
        incident,
        insights,
        plans,
        approvals,
        post_mortems,
        told,
    } = answers;
    let items: Vec<RemediationItem> = plans.iter().flatten().map(|plan| plan.item.clone()).collect();
    let known_approvals = approvals.as_ref().map(|list| list.items.clone()).unwrap_or_default();
    let events = dossier::story(
        &incident,
        insights.as_ref().map(|list| list.items.as_slice()).unwrap_or_default(),
        plans.as_deref().unwrap_or_default(),
        &known_approvals,
        post_mortems
            .as_ref()
            .map(|list| list.items.as_slice())
            .unwrap_or_default(),
        told.as_deref().unwrap_or_default(),
    );
    let now = situation(&incident, &items, &known_approvals);
    view! {
        {title(&incident)}
        {answer(now)}
        <div class="two">
            <div class="stack">
                {insight_panels(insights)}
                {plan_panels(plans, known_approvals)}
                {approvals.err().map(|error| view! { <section class="panel"><Failed what="the approvals" error=error /></section> })}
                {post_mortem_panels(post_mortems)}
            </div>
            <aside class="stack">
                {facts(&incident)}
                <section class="panel">
                    <header>
                        <h2>"Timeline"</h2>
                        <span class="dim">"UTC"</span>
                    </header>
                    <div class="body">
                        <Timeline events=events />
                    </div>
                    {told.err().map(|error| view! { <Failed what="the post-mortem's timeline" error=error /> })}
                </section>
            </aside>
        </div>
    }
}

fn title(incident: &IncidentItem) -> AnyView {
    let number = incident
        .labels
        .iter()
        .find(|(name, _)| name.ends_with("inc-id"))
        .map(|(_, number)| number.clone());
    view! {
        <div class="head">
            <p class="crumbs">
                <a href=href("/incidents")>"Incidents"</a>
                " / "
                <a href=href(&Query::default().with("namespace", &incident.namespace).on("/incidents"))>{incident.namespace.clone()}</a>
            </p>
            <div class="title">
                <h1>{headline(incident)}</h1>
                <Severity severity=incident.severity.clone() />
                <State known=StateWord::incident(&incident.state) word=incident.state.clone() />
                {number.map(|number| view! { <span class="tag">{number}</span> })}
                {incident.chaos_induced.then(|| view! { <span class="tag">"chaos drill"</span> })}
            </div>
            <p class="mono faint small">{incident.name.clone()}</p>
            <p class="lead">{incident.description.clone()}</p>
            {decisions::of_incident(incident)}
        </div>
    }
}

fn answer(now: Situation) -> AnyView {
    let (class, words, request) = match now.next {
        Next::Decide { namespace, name, words } => {
            let href = object_href(approval::PATH, &namespace, &name);
            let request = view! { <p><a class="go" href=href>"Review the request"</a></p> };
            ("cell needs", words, Some(request))
        }
        Next::Act(words) => ("cell needs", words, None),
        Next::Nothing(words) => ("cell", words, None),
    };
    view! {
        <section class="panel answer" aria-label="In short">
            {cell("cell", "What is true", now.truth, None)} {cell("cell", "What is being tried", now.attempt, None)}
            {cell(class, "What now", words, request)}
        </section>
    }
}

fn cell(class: &'static str, question: &'static str, words: String, more: Option<AnyView>) -> AnyView {
    view! { <div class=class><h2>{question}</h2> <p>{words}</p> {more}</div> }
}

fn plan_panels(plans: Result<Vec<RemediationDetail>, ApiError>, approvals: Vec<ApprovalItem>) -> AnyView {
    match plans {
        Err(error) => view! { <section class="panel"><Failed what="the plans" error=error /></section> },
        Ok(plans) if plans.is_empty() => view! {
            <section class="panel">
                <header>
                    <h2>"Plans"</h2>
                </header>
                <p class="body dim">"No plan was made for this incident."</p>
            </section>
        },
        Ok(plans) => plans
            .into_iter()
            .map(|plan| {
                let approval = approvals
                    .iter()
                    .find(|approval| approval.plan.as_ref() == Some(&plan.item.name))
                    .cloned();
                plan_panel(plan, approval)
            })
            .collect_view()
            .into_any(),
    }
}

fn post_mortem_panels(post_mortems: Result<List<PostMortemItem>, ApiError>) -> AnyView {
    match post_mortems {
        Err(error) => {
            view! { <section class="panel"><Failed what="the post-mortem" error=error /></section> }
        }
        Ok(list) => {
            let panels = list.items.into_iter().map(|item| post_mortem_panel(item, None));
            panels.collect_view().into_any()
        }
    }
}

fn facts(incident: &IncidentItem) -> AnyView {
    let facts = [
        Some(fact("Resource", resource(&incident.resource).into_any())),
        signal_fact(incident),
        Some(fact("Risk", of(incident.risk_score, "100"))),
        Some(fact(
            "Attempts",
            of(
                incident.remediation_attempts,
                &incident.max_remediation_attempts.to_string(),
            ),
        )),
        Some(fact(
            "Raised",
            view! { <Moment at=incident.creation_timestamp.clone() /> },
        )),
        detected_fact(incident),
        ended_fact(incident),
        (!incident.resolution.is_empty())
            .then(|| fact("Resolution", view! { <p class="pre">{incident.resolution.clone()}</p> })),
        Some(seen_fact(incident)),
        snoozed_fact(incident),
        (incident.chaos_induced).then(|| {
            fact(
                "Experiment",
                view! { <span class="mono">{incident.chaos_experiment.clone()}</span> },
            )
        }),
        instance_fact(incident),
    ];
    view! {
        <section class="panel">
            <header>
                <h2>"Facts"</h2>
            </header>
            <dl class="facts body">{facts.into_iter().flatten().collect_view()}</dl>
        </section>
    }
}

fn fact(label: &'static str, value: AnyView) -> AnyView {
    view! {
        <dt>{label}</dt>
        <dd>{value}</dd>
    }
}

fn of(some: i32, all: &str) -> AnyView {
    view! { {some.to_string()} <span class="faint">{format!(" of {all}")}</span> }
}

fn signal_fact(incident: &IncidentItem) -> Option<AnyView> {
    (!incident.signal_type.is_empty()).then(|| {
        let from = format!(", from {}", incident.source);
        fact(
            "Signal",
            view! { {signal(&incident.signal_type)} <span class="faint">{from}</span> },
        )
    })
}

fn detected_fact(incident: &IncidentItem) -> Option<AnyView> {
    let at = incident.detected_at.clone()?;
    (at != incident.creation_timestamp).then(|| fact("Detected", view! { <Moment at=at /> }))
}

fn ended_fact(incident: &IncidentItem) -> Option<AnyView> {
    let at = incident.resolved_at.clone()?;
    let label = match incident.state.as_str() {
        "Resolved" => "Resolved",
        "Contained" => "Contained",
        _ => "Ended",
    };
    let lasted = lasted(incident).map(|time| view! { <p class="faint">"after " {time}</p> });
    Some(fact(label, view! { <Moment at=at /> {lasted} }))
}

fn seen_fact(incident: &IncidentItem) -> AnyView {
    let seen = match incident.acknowledged.clone() {
        Some(seen) => view! { "by " {person(&seen.by).to_owned()} ", " <Ago at=seen.at /> },
        None => view! { <span class="faint">"by nobody"</span> },
    };
    fact("Seen", seen)
}

fn snoozed_fact(incident: &IncidentItem) -> Option<AnyView> {
    let snoozed = incident.snoozed.clone()?;
    let by = format!(", by {}", person(&snoozed.by));
    Some(fact(
        "Snoozed",
        view! { "for " <Until at=snoozed.until passed="no longer" /> {by} },
    ))
}

fn instance_fact(incident: &IncidentItem) -> Option<AnyView> {
    let label = |suffix: &str| {
        let mut labels = incident.labels.iter();
        labels.find(|(name, _)| name.ends_with(suffix)).map(|(_, value)| value)
    };
    let (namespace, name) = label("/instance-namespace").zip(label("/instance"))?;
    let href = object_href("/instances", namespace, name);
    Some(fact(
        "Instance",
        view! { <a class="go mono" href=href>{name.clone()}</a> },
    ))
}
