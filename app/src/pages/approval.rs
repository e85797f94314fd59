//! One request: what exactly will happen, why, and may I decide? Laid out as a review: the actions and the reasons on the left, the decision on the right.

use crate::{
    Session,
    client::{Api, ApiError, read},
    components::{
        act::actor,
        action::requested,
        approval::{PATH, Quorum, TimeLeft, approvals_given, is_open, title, verdict, window_line},
        ask::{Asked, Texts, ask_with, shown},
        copy::Command,
        decisions,
        dossier::{of_approval, of_issue, of_plan},
        link::{href, object_href, segment},
        mark::{State, StateWord},
        notice::Failed,
        situation::headline,
        time::{Ago, Moment, hour_and_minute, parse, rfc3339, stamp},
        timeline::{Event, Hand, Story, Timeline},
        words::{percent, person, plural},
    },
    view,
};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;
use opsdeck_api::{
    List, Query, Role, Single,
    approval::{ApprovalItem, BlastRadius, Vote},
    incident::IncidentItem,
    insight::InsightItem,
    remediation::RemediationDetail,
};
use serde::de::IgnoredAny;

/// The policy that stands for the chaos controller's own safety check.
const CHAOS_SAFETY: &str = "chaos-safety";

/// The request and what it came from, as far as it still exists.
struct Review {
    approval: ApprovalItem,
    incident: Option<IncidentItem>,
    insight: Option<InsightItem>,
    plan: Option<RemediationDetail>,
}

#[component]
pub(crate) fn Approval() -> impl IntoView {
    let params = use_params_map();
    let address = Memo::new(move |_| {
        params.with(|params| {
            (
                params.get("namespace").unwrap_or_default(),
                params.get("name").unwrap_or_default(),
            )
        })
    });
    let review: Asked<Review> = ask_with(
        move || address.with(|(namespace, name)| format!("{namespace}/{name}")),
        move |api, _, _| {
            let (namespace, name) = address.get_untracked();
            Box::pin(gather(api, namespace, name))
        },
        read_review,
    );
    view! {
        <Title text=move || address.with(|(_, name)| name.clone()) />
        {shown(move || async move {
            match review.get().await {
                Ok(review) => page(review),
                Err(error) => {
                    view! {
                        <div class="title">
                            <h1>{move || address.with(|(_, name)| name.clone())}</h1>
                        </div>
                        <Failed what="this request" error=error />
                        <p>
                            <a class="go" href=href(PATH)>"All approvals"</a>
                        </p>
                    }
                }
            }
        })}
    }
}

/// Four texts: the request, then incident, insights and plan, each empty where it could not be had.
async fn gather(api: Api, namespace: String, name: String) -> Result<Texts, ApiError> {
    let scoped = |namespace: &str, path: String| Query::default().with("namespace", namespace).on(&path);
    let approval = api
        .text(&scoped(&namespace, format!("/approvals/{}", segment(&name))))
        .await?;
    let item = read::<Single<ApprovalItem, IgnoredAny>>(&approval)?.spec;
    let mut texts = vec![approval];
    // The request of a drill names its experiment where others name incident and plan.
    let is_drill = item.policy.as_deref() == Some(CHAOS_SAFETY);
    let issue = item.issue.as_ref().filter(|_| !is_drill);
    let plan = item.plan.as_ref().filter(|_| !is_drill);
    let paths = [
        issue.map(|issue| scoped(&issue.namespace, format!("/incidents/{}", segment(&issue.name)))),
        issue.map(|issue| of_issue(&issue.namespace, &issue.name).on("/aiinsights")),
        plan.map(|plan| scoped(&namespace, format!("/remediations/{}", segment(plan)))),
    ];
    for path in paths {
        texts.push(match path {
            Some(path) => api.text(&path).await.unwrap_or_default(),
            None => String::new(),
        });
    }
    Ok(texts)
}

fn read_review(texts: &[String]) -> Result<Review, ApiError> {
    let text = |index: usize| texts.get(index).map_or("", String::as_str);
    Ok(Review {
        approval: read::<Single<ApprovalItem, IgnoredAny>>(text(0))?.spec,
        incident: read::<Single<IncidentItem, IgnoredAny>>(text(1))
            .ok()
            .map(|answer| answer.spec),
        insight: read::<List<InsightItem>>(text(2))
            .ok()
            .and_then(|list| list.items.into_iter().next()),
        plan: read::<Single<RemediationDetail, IgnoredAny>>(text(3))
            .ok()
            .map(|answer| answer.spec),
    })
}

fn page(review: Review) -> AnyView {
    let Review {
        approval,
        incident,
        insight,
        plan,
    } = review;
    let count = approval.actions.len();
    view! {
        {head(&approval, incident.as_ref())}
        {track(&approval, incident.as_ref(), insight.as_ref(), plan.as_ref())}
        <div class="two review">
            <div class="stack">
                <section class="panel">
                    <header>
                        <h2>{if is_open(&approval) { "What will happen" } else { "What was asked for" }}</h2>
                        <span class="dim">
                            {plural(count as u64, "action", "actions")} {(count > 1).then_some(", in this order")}
                        </span>
                    </header>
                    {if count == 0 {
                        view! { <p class="body dim">"The request names no action. The plan decides step by step as it runs."</p> }
                    } else {
                        requested(approval.actions.clone())
                    }}
                </section>
                {why(&approval, incident.as_ref(), insight.as_ref(), plan.as_ref())}
                <section class="panel">
                    <header>
                        <h2>"Timeline"</h2>
                        <span class="dim">"UTC"</span>
                    </header>
                    <div class="body">
                        <Timeline events=story(&approval, incident.as_ref(), insight.as_ref(), plan.as_ref()) />
                    </div>
                </section>
            </div>
            <aside>{decide(&approval)}</aside>
        </div>
    }
}

fn head(approval: &ApprovalItem, incident: Option<&IncidentItem>) -> AnyView {
    let issue = approval.issue.clone().map(|issue| {
        let words = incident.map_or_else(|| issue.name.clone(), headline);
        view! { " for " <a class="go" href=object_href("/incidents", &issue.namespace, &issue.name)>{words}</a> }
    });
    view! {
        <div class="head">
            <p class="crumbs">
                <a href=href(PATH)>"Approvals"</a>
                " / "
                <a href=href(&Query::default().with("namespace", &approval.namespace).on(PATH))>{approval.namespace.clone()}</a>
            </p>
            <div class="title">
                <h1>{title(approval)}</h1>
                <State known=StateWord::approval(&approval.state, approval.expired) word=approval.state.clone() />
                {approval.policy.clone().map(|policy| view! { <span class="tag">{policy}</span> })}
            </div>
            <p class="dim">"Asked by " {approval.requested_by.clone()} " " <Ago at=approval.creation_timestamp.clone() /> {issue}</p>
        </div>
    }
}

/// The way of a plan from the first signal to its proof, and where on it this request stands.
fn track(
    approval: &ApprovalItem,
    incident: Option<&IncidentItem>,
    insight: Option<&InsightItem>,
    plan: Option<&RemediationDetail>,
) -> AnyView {
    let (given, required) = approvals_given(approval);
    let missing = required.saturating_sub(given) as u64;
    let open = is_open(approval);
    let approved = approval.state == "Approved";
    let run = plan.map(|plan| &plan.item);
    let started = run.and_then(|plan| plan.started_at.as_deref());
    let ended = run.and_then(|plan| plan.completed_at.as_deref());
    let decision = match approval.state.as_str() {
        "Approved" => "Approved".to_owned(),
        "Rejected" => "Rejected".to_owned(),
        "Expired" => "Expired".to_owned(),
        _ if approval.expired => "Past its time".to_owned(),
        _ if missing == 0 => "Waiting for its window".to_owned(),
        _ => format!("Waiting for {}", plural(missing, "approval", "approvals")),
    };
    let detected = incident.map(|incident| incident.detected_at.as_deref().unwrap_or(&incident.creation_timestamp));
    let steps = [
        ("Detected".to_owned(), detected, "done"),
        (
            "Analyzed".to_owned(),
            insight.and_then(|insight| insight.generated_at.as_deref()),
            "done",
        ),
        ("Planned".to_owned(), Some(approval.creation_timestamp.as_str()), "done"),
        (
            decision,
            approval.decided_at.as_deref(),
            match (open, approved) {
                (true, _) => "now",
                (_, true) => "done",
                _ => "stopped",
            },
        ),
        ("Run".to_owned(), started, if started.is_some() { "done" } else { "" }),
        (
            run.filter(|_| started.is_some())
                .and_then(|plan| StateWord::plan(&plan.state))
                .map_or("Verify", |state| state.word())
                .to_owned(),
            ended,
            match run.map(|plan| plan.state.as_str()) {
                Some("Completed") => "done",
                Some("Failed" | "RolledBack") if started.is_some() => "failed",
                _ => "",
            },
        ),
    ];
    view! {
        <ol class="track">
            {steps
                .into_iter()
                .map(|(word, at, class)| {
                    let at = at.and_then(parse);
                    view! {
                        <li class=class aria-current=(class == "now").then_some("step")>
                            {word} " "
                            {at.map(|at| view! { <time datetime=rfc3339(at) title=stamp(at)>{hour_and_minute(at)}</time> })}
                        </li>
                    }
                })
                .collect_view()}
        </ol>
    }
}

fn why(
    approval: &ApprovalItem,
    incident: Option<&IncidentItem>,
    insight: Option<&InsightItem>,
    plan: Option<&RemediationDetail>,
) -> AnyView {
    let evidence = approval.evidence.clone().unwrap_or_default();
    let analysis = Some(evidence.ai_analysis)
        .filter(|text| !text.is_empty())
        .or_else(|| insight.map(|insight| insight.analysis.clone()))
        .unwrap_or_default();
    let confidence = approval
        .confidence
        .map(|confidence| format!("confidence {}", percent(confidence.0)));
    let model = insight.map(|insight| insight.model.clone());
    let history = match evidence.previous_attempts {
        ..=0 => "No finished plan of this kind to compare with".to_owned(),
        tries => format!(
            "{} of {} worked",
            percent(evidence.historical_success_rate.0),
            plural(tries as u64, "earlier plan of this kind", "earlier plans of this kind")
        ),
    };
    let unknown = || view! { <span class="faint">"unknown"</span> };
    view! {
        <section class="panel">
            <header>
                <h2>"Why"</h2>
                <span class="dim">{[confidence, model].into_iter().flatten().collect::<Vec<_>>().join(", ")}</span>
            </header>
            <div class="body prose">
                {incident.map(|incident| view! { <p class="dim">{incident.description.clone()}</p> })}
                {if analysis.is_empty() {
                    view! { <p class="faint">"There is no analysis: whoever asked gave no reason in words."</p> }
                } else {
                    view! { <p class="pre">{analysis}</p> }
                }}
                <dl class="facts">
                    <dt>"Blast radius"</dt>
                    <dd>{approval.blast_radius.clone().map_or_else(unknown, blast_radius)}</dd>
                    <dt>"If it goes wrong"</dt>
                    <dd>{approval.rollback.clone().map_or_else(unknown, IntoAny::into_any)}</dd>
                    <dt>"History"</dt>
                    <dd>{history}</dd>
                    <dt>"Policy"</dt>
                    <dd>
                        <span class="mono">{approval.policy.clone().unwrap_or_else(|| "none".into())}</span>
                        {approval.rule.clone().map(|rule| view! { ", rule " <span class="mono">{rule}</span> })}
                    </dd>
                    {window_line(approval).map(|window| view! { <dt>"Change window"</dt> <dd>{window}</dd> })}
                    {approval.plan.clone().map(|plan| view! { <dt>"Plan"</dt> <dd class="mono">{plan}</dd> })}
                </dl>
                {plan
                    .filter(|plan| !plan.item.strategy.is_empty())
                    .map(|plan| {
                        view! {
                            <details class="more">
                                <summary>"The plan in its own words"</summary>
                                <p class="pre">{plan.item.strategy.clone()}</p>
                            </details>
                        }
                    })}
            </div>
        </section>
    }
}

fn blast_radius(radius: BlastRadius) -> AnyView {
    let pods = plural(radius.affected_pods.max(0) as u64, "pod", "pods");
    let services = plural(
        radius.affected_services.max(0) as u64,
        "service depends",
        "services depend",
    );
    let namespaces = match radius.affected_namespaces.as_slice() {
        [] => String::new(),
        names => format!(" in {}", names.join(", ")),
    };
    view! {
        <b class="cap">{radius.risk_level}</b>
        {format!(": {pods}{namespaces}, {services} on it")}
        {(!radius.description.is_empty()).then(|| view! { <p class="dim">{radius.description}</p> })}
    }
}

/// Time left, who has voted, and who may.
fn decide(approval: &ApprovalItem) -> AnyView {
    let (given, required) = approvals_given(approval);
    let open = is_open(approval);
    let votes = approval.votes.clone();
    view! {
        <section class="panel decide">
            <header>
                <h2>{if open { "Decide" } else { "Decision" }}</h2>
                {match (open, approval.expires_at.clone()) {
                    (true, Some(at)) => view! { <TimeLeft at=at /> },
                    (true, None) => view! { <span class="dim">"does not expire"</span> },
                    _ => view! { <State known=StateWord::approval(&approval.state, approval.expired) word=approval.state.clone() /> },
                }}
            </header>
            <div class="body stack tight">
                <div>
                    <Quorum given=given required=required />
                    <p class="dim">{format!("{given} of {required} approved")}</p>
                </div>
                {(!votes.is_empty())
                    .then(|| {
                        view! {
                            <ul class="ballots">
                                {votes
                                    .into_iter()
                                    .map(|vote| {
                                        let rejected = vote.decision == "rejected";
                                        let who = match vote.approver.as_str() {
                                            "auto-policy" => "The policy's rule".to_owned(),
                                            recorded => person(recorded).to_owned(),
                                        };
                                        view! {
                                            <li title=vote.approver.clone()>
                                                <p>
                                                    <b>{who}</b>
                                                    {if rejected { " rejected " } else { " approved " }}
                                                    {vote.at.map(|at| view! { <span class="faint"><Ago at=at /></span> })}
                                                </p>
                                                {vote.reason.filter(|reason| !reason.is_empty()).map(|reason| view! { <p class="dim">"“" {reason} "”"</p> })}
                                            </li>
                                        }
                                    })
                                    .collect_view()}
                            </ul>
                        }
                    })}
                {if open { who_may_decide(approval) } else { outcome(approval) }}
                {decisions::of_approval(approval, own_vote(approval).is_some())}
                {open.then(|| from_the_cluster(approval))}
            </div>
        </section>
    }
}

fn outcome(approval: &ApprovalItem) -> AnyView {
    let what = match approval.state.as_str() {
        "Approved" => "The plan may run.",
        "Rejected" => "The plan does not run.",
        "Expired" => "Nobody can decide on it any more; the plan does not run.",
        _ => "Nobody can decide on it any more.",
    };
    view! {
        <p>{what} <span class="dim">" Ended " {verdict(approval)} "."</span></p>
        {approval.decided_at.clone().map(|at| view! { <p class="small"><Moment at=at /></p> })}
    }
}

fn own_vote(approval: &ApprovalItem) -> Option<&Vote> {
    let (identity, _) = actor();
    let key = format!("(api-key: {identity})");
    approval.votes.iter().find(|vote| vote.approver.ends_with(&key))
}

/// Who may decide, said to the person who reads it.
fn who_may_decide(approval: &ApprovalItem) -> AnyView {
    let session = expect_context::<RwSignal<Session>>();
    let who = session.get_untracked().ok();
    let role = who.as_ref().and_then(|who| who.role.parse::<Role>().ok());
    let identity = who.map(|who| who.identity).unwrap_or_default();
    let voted = own_vote(approval);
    let (given, required) = approvals_given(approval);
    let missing = required.saturating_sub(given);
    let rights = match (voted, role) {
        (Some(vote), _) => format!("You have {} already. One key is one vote.", vote.decision),
        (None, Some(role)) if role >= Role::Operator => {
            format!("You are {identity}, {role}: you may approve or reject.")
        }
        _ => format!("You are {identity}: this role reads requests and does not decide on them."),
    };
    let quorum = match missing {
        0 => "It has its approvals and waits for its change window.".to_owned(),
        1 => "One more approval lets the plan run. One rejection ends it.".to_owned(),
        count => format!("{count} more approvals, by different people, let the plan run. One rejection ends it."),
    };
    view! {
        <p>{quorum}</p>
        <p class="dim">{rights}</p>
    }
}

/// The way that works with nothing but access to the cluster.
fn from_the_cluster(approval: &ApprovalItem) -> AnyView {
    let annotate = |verb: &str| {
        format!(
            "kubectl -n {} annotate approvalrequest {} platform.chatcli.io/{verb}=\"YOUR-NAME:REASON\"",
            approval.namespace, approval.name
        )
    };
    view! {
        <details class="more">
            <summary>"Decide from the cluster instead"</summary>
            <div class="stack tight">
                <h3>"Approve"</h3>
                <Command text=annotate("approve") />
                <h3>"Reject"</h3>
                <Command text=annotate("reject") />
            </div>
        </details>
        {approval
            .plan_hash
            .clone()
            .map(|hash| {
                view! {
                    <p class="faint small">
                        "What you read is plan " <span class="mono">{hash}</span> ". If it changes before you press, nothing is recorded and you are told."
                    </p>
                }
            })}
    }
}

fn story(
    approval: &ApprovalItem,
    incident: Option<&IncidentItem>,
    insight: Option<&InsightItem>,
    plan: Option<&RemediationDetail>,
) -> Vec<Event> {
    let mut story = Story::default();
    if let Some(incident) = incident {
        let at = incident.detected_at.as_deref().unwrap_or(&incident.creation_timestamp);
        story.tell(Some(at), Hand::Bad, "Incident detected", "");
    }
    if let Some(insight) = insight {
        story.tell(
            insight.generated_at.as_deref(),
            Hand::Automation,
            "Analysis finished",
            percent(insight.confidence.0),
        );
    }
    of_approval(&mut story, approval);
    if let Some(plan) = plan {
        of_plan(&mut story, plan);
    }
    story.in_order()
}
