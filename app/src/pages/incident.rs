//! One incident: what is true, what is being tried, what now; then everything that is known of it.

use crate::{
    client::ApiError,
    components::{
        action::{parameters, planned},
        approval::{self, verdict},
        ask::{Asked, ask, ask_with, shown},
        decisions, dossier,
        insight::insight_panels,
        link::{href, object_href, segment},
        mark::{Severity, State, StateWord},
        notice::Failed,
        situation::{Next, Situation, headline, lasted, situation},
        time::{Ago, Moment, Until, fine_span, parse},
        timeline::Timeline,
        words::{action, capitalised, person, resource, signal},
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
                {plan_panel(plans, known_approvals)}
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
    let next = match now.next {
        Next::Decide { namespace, name, words } => view! {
            <div class="cell needs">
                <h2>"What now"</h2>
                <p>{words}</p>
                <p>
                    <a class="go" href=object_href(approval::PATH, &namespace, &name)>
                        "Review the request"
                    </a>
                </p>
            </div>
        },
        Next::Act(words) => view! {
            <div class="cell needs">
                <h2>"What now"</h2>
                <p>{words}</p>
            </div>
        },
        Next::Nothing(words) => view! {
            <div class="cell">
                <h2>"What now"</h2>
                <p>{words}</p>
            </div>
        },
    };
    view! {
        <section class="panel answer" aria-label="In short">
            <div class="cell">
                <h2>"What is true"</h2>
                <p>{now.truth}</p>
            </div>
            <div class="cell">
                <h2>"What is being tried"</h2>
                <p>{now.attempt}</p>
            </div>
            {next}
        </section>
    }
}

fn facts(incident: &IncidentItem) -> AnyView {
    let instance = {
        let label = |suffix: &str| {
            incident
                .labels
                .iter()
                .find(|(name, _)| name.ends_with(suffix))
                .map(|(_, value)| value.clone())
        };
        label("/instance-namespace").zip(label("/instance"))
    };
    view! {
        <section class="panel">
            <header>
                <h2>"Facts"</h2>
            </header>
            <dl class="facts body">
                <dt>"Resource"</dt>
                <dd>{resource(&incident.resource)}</dd>
                {(!incident.signal_type.is_empty())
                    .then(|| {
                        view! {
                            <dt>"Signal"</dt>
                            <dd>{signal(&incident.signal_type)} <span class="faint">", from " {incident.source.clone()}</span></dd>
                        }
                    })}
                <dt>"Risk"</dt>
                <dd>{incident.risk_score.to_string()} <span class="faint">" of 100"</span></dd>
                <dt>"Attempts"</dt>
                <dd>{incident.remediation_attempts.to_string()} <span class="faint">" of " {incident.max_remediation_attempts.to_string()}</span></dd>
                <dt>"Raised"</dt>
                <dd>
                    <Moment at=incident.creation_timestamp.clone() />
                </dd>
                {incident
                    .detected_at
                    .clone()
                    .filter(|at| *at != incident.creation_timestamp)
                    .map(|at| {
                        view! {
                            <dt>"Detected"</dt>
                            <dd>
                                <Moment at=at />
                            </dd>
                        }
                    })}
                {incident
                    .resolved_at
                    .clone()
                    .map(|at| {
                        view! {
                            <dt>{if incident.state == "Resolved" { "Resolved" } else { "Ended" }}</dt>
                            <dd>
                                <Moment at=at />
                                {lasted(incident).map(|time| view! { <p class="faint">"after " {time}</p> })}
                            </dd>
                        }
                    })}
                {(!incident.resolution.is_empty())
                    .then(|| {
                        view! {
                            <dt>"Resolution"</dt>
                            <dd class="pre">{incident.resolution.clone()}</dd>
                        }
                    })}
                <dt>"Seen"</dt>
                <dd>
                    {match incident.acknowledged.clone() {
                        Some(seen) => view! { "by " {person(&seen.by).to_owned()} ", " <Ago at=seen.at /> },
                        None => view! { <span class="faint">"by nobody"</span> },
                    }}
                </dd>
                {incident
                    .snoozed
                    .clone()
                    .map(|snoozed| {
                        view! {
                            <dt>"Snoozed"</dt>
                            <dd>"for " <Until at=snoozed.until passed="no longer" /> ", by " {person(&snoozed.by).to_owned()}</dd>
                        }
                    })}
                {incident
                    .chaos_induced
                    .then(|| {
                        view! {
                            <dt>"Experiment"</dt>
                            <dd class="mono">{incident.chaos_experiment.clone()}</dd>
                        }
                    })}
                {instance
                    .map(|(namespace, name)| {
                        view! {
                            <dt>"Instance"</dt>
                            <dd>
                                <a class="go mono" href=object_href("/instances", &namespace, &name)>{name.clone()}</a>
                            </dd>
                        }
                    })}
            </dl>
        </section>
    }
}

fn plan_panel(plans: Result<Vec<RemediationDetail>, ApiError>, approvals: Vec<ApprovalItem>) -> AnyView {
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
                plan_view(plan, approval)
            })
            .collect_view()
            .into_any(),
    }
}

pub(crate) fn plan_view(plan: RemediationDetail, approval: Option<ApprovalItem>) -> AnyView {
    let item = plan.item;
    let took = item
        .started_at
        .as_deref()
        .and_then(parse)
        .zip(item.completed_at.as_deref().and_then(parse))
        .map(|(from, to)| format!("took {}", fine_span(to - from)));
    view! {
        <section class="panel">
            <header>
                <h2>
                    {format!("Plan {}", item.attempt)} " "
                    <a class="go mono small" href=object_href("/remediations", &item.namespace, &item.name)>
                        {item.name.clone()}
                    </a>
                </h2>
                <span class="dim">
                    {took.map(|took| view! { {took} ", " })}
                    <State known=StateWord::plan(&item.state) word=item.state.clone() />
                </span>
            </header>
            <div class="body prose">
                {strategy(&item.strategy)}
                {(!item.result.is_empty()).then(|| view! { <p><span class="faint">"Result: "</span> {item.result}</p> })}
                {approval.map(|approval| view! { <p><span class="faint">"Approval: "</span> {approval_line(&approval)}</p> })}
                {plan
                    .rollback_performed
                    .then(|| view! { <p><span class="faint">"Rolled back: "</span> {plan.rollback_result}</p> })}
            </div>
            {(!item.actions.is_empty()).then(|| planned(item.actions))}
            {(!plan.agentic_history.is_empty())
                .then(|| {
                    view! {
                        <ol class="steps">
                            {plan
                                .agentic_history
                                .into_iter()
                                .map(|step| {
                                    view! {
                                        <li>
                                            <span class="n">{step.step_number.to_string()}</span>
                                            <div>
                                                <p>{step.ai_message}</p>
                                                {step
                                                    .action
                                                    .map(|taken| {
                                                        view! {
                                                            <h3>{action(&taken.kind)} " " <span class="faint mono">{taken.kind.clone()}</span></h3>
                                                            {parameters(taken.params)}
                                                        }
                                                    })}
                                                {(!step.observation.is_empty())
                                                    .then(|| view! { <p class="mono small dim">{step.observation}</p> })}
                                            </div>
                                        </li>
                                    }
                                })
                                .collect_view()}
                        </ol>
                    }
                })}
            {(!plan.evidence.is_empty())
                .then(|| {
                    view! {
                        <details class="more inset">
                            <summary>{format!("Evidence ({})", plan.evidence.len())}</summary>
                            <ol class="evidence">
                                {plan
                                    .evidence
                                    .into_iter()
                                    .map(|piece| {
                                        view! {
                                            <li>
                                                <p>
                                                    {capitalised(&piece.kind.replace('_', " "))} " "
                                                    <span class="faint">
                                                        <Ago at=piece.timestamp />
                                                    </span>
                                                </p>
                                                <p class="mono small dim pre">{piece.data}</p>
                                            </li>
                                        }
                                    })
                                    .collect_view()}
                            </ol>
                        </details>
                    }
                })}
            {(!plan.safety_constraints.is_empty())
                .then(|| view! { <p class="body faint small">"Limits: " {plan.safety_constraints.join(" · ")}</p> })}
        </section>
    }
}

/// Plans of a runbook repeat the analysis in their strategy; it stands above already.
fn strategy(text: &str) -> Option<AnyView> {
    let (strategy, analysis) = text.split_once(" AI analysis: ").unwrap_or((text, ""));
    (!text.is_empty()).then(|| {
        view! {
            <p class="pre">{strategy.to_owned()}</p>
            {(!analysis.is_empty())
                .then(|| {
                    view! {
                        <details class="more">
                            <summary>"The analysis it was made from"</summary>
                            <p class="pre">{analysis.to_owned()}</p>
                        </details>
                    }
                })}
        }
    })
}

fn approval_line(approval: &ApprovalItem) -> AnyView {
    view! {
        <a class="go" href=object_href(approval::PATH, &approval.namespace, &approval.name)>
            <State known=StateWord::approval(&approval.state, approval.expired) word=approval.state.clone() />
        </a>
        ", "
        {verdict(approval)}
    }
}

fn post_mortem_panels(post_mortems: Result<List<PostMortemItem>, ApiError>) -> AnyView {
    match post_mortems {
        Err(error) => {
            view! { <section class="panel"><Failed what="the post-mortem" error=error /></section> }
        }
        Ok(list) => list.items.into_iter().map(post_mortem_panel).collect_view().into_any(),
    }
}

pub(crate) fn post_mortem_panel(post_mortem: PostMortemItem) -> AnyView {
    let state = match post_mortem.state.as_str() {
        "InReview" => "In review".to_owned(),
        "" => "Open".to_owned(),
        other => other.to_owned(),
    };
    let decisions = decisions::of_post_mortem(&post_mortem);
    let texts = [
        ("Summary", post_mortem.summary),
        ("Root cause", post_mortem.root_cause),
        ("Impact", post_mortem.impact),
    ];
    let lists = [
        ("Lessons", post_mortem.lessons_learned),
        ("To prevent it", post_mortem.prevention_actions),
    ];
    view! {
        <section class="panel">
            <header>
                <h2>
                    "Post-mortem "
                    <a class="go mono small" href=object_href("/postmortems", &post_mortem.namespace, &post_mortem.name)>
                        {post_mortem.name.clone()}
                    </a>
                </h2>
                <span class="dim">
                    {(!post_mortem.duration.is_empty()).then(|| view! { {post_mortem.duration} ", " })} {state}
                </span>
            </header>
            <div class="body prose">
                {post_mortem
                    .requires_human_action
                    .then(|| view! { <p class="warn">"Owed by a person: " {post_mortem.required_action}</p> })}
                {texts
                    .into_iter()
                    .filter(|(_, text)| !text.is_empty())
                    .map(|(label, text)| {
                        view! {
                            <h3>{label}</h3>
                            <p class="pre">{text}</p>
                        }
                    })
                    .collect_view()}
                {lists
                    .into_iter()
                    .filter(|(_, items)| !items.is_empty())
                    .map(|(label, items)| {
                        view! {
                            <h3>{label}</h3>
                            <ul class="bullets">{items.into_iter().map(|text| view! { <li>{text}</li> }).collect_view()}</ul>
                        }
                    })
                    .collect_view()}
                {decisions}
            </div>
        </section>
    }
}
