//! One request: what exactly will happen, why, and may I decide? Laid out as a review: the actions and the reasons on the left, the decision on the right.

mod decision;
mod reasons;
mod track;

use crate::{
    client::{Api, ApiError, read},
    components::{
        act::{Subject, unsent},
        action::requested,
        approval::{PATH, is_open, title},
        ask::{Asked, Texts, ask_with, shown},
        dossier::{of_approval, of_issue, of_plan},
        link::{href, object_href, segment},
        mark::{State, StateWord},
        notice::Failed,
        situation::headline,
        time::Ago,
        timeline::{Event, Hand, Story, Timeline},
        words::{percent, plural},
    },
    view,
};
use decision::decision;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;
use opsdeck_api::{
    List, Query, Single, approval::ApprovalItem, incident::IncidentItem, insight::InsightItem,
    remediation::RemediationDetail,
};
use reasons::reasons;
use serde::de::IgnoredAny;
use track::track;

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
                        {address.with_untracked(|(namespace, name)| unsent(Subject::new(PATH, namespace, name), Vec::new()))}
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
    view! {
        {head(&review)}
        {track(&review)}
        <div class="two review">
            <div class="stack">
                {asked_for(&review.approval)} {reasons(&review)}
                <section class="panel">
                    <header>
                        <h2>"Timeline"</h2>
                        <span class="dim">"UTC"</span>
                    </header>
                    <div class="body">
                        <Timeline events=story(&review) />
                    </div>
                </section>
            </div>
            <aside>{decision(&review.approval)}</aside>
        </div>
    }
}

fn asked_for(approval: &ApprovalItem) -> AnyView {
    let count = approval.actions.len();
    let actions = match count {
        0 => {
            view! { <p class="body dim">"The request names no action. The plan decides step by step as it runs."</p> }
        }
        _ => requested(approval.actions.clone()),
    };
    view! {
        <section class="panel">
            <header>
                <h2>{if is_open(approval) { "What will happen" } else { "What was asked for" }}</h2>
                <span class="dim">
                    {plural(count as u64, "action", "actions")} {(count > 1).then_some(", in this order")}
                </span>
            </header>
            {actions}
        </section>
    }
}

fn head(review: &Review) -> AnyView {
    let approval = &review.approval;
    let issue = approval.issue.clone().map(|issue| {
        let words = review.incident.as_ref().map_or_else(|| issue.name.clone(), headline);
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

fn story(review: &Review) -> Vec<Event> {
    let mut story = Story::default();
    if let Some(incident) = &review.incident {
        let at = incident.detected_at.as_deref().unwrap_or(&incident.creation_timestamp);
        story.tell(Some(at), Hand::Bad, "Incident detected", "");
    }
    if let Some(insight) = &review.insight {
        story.tell(
            insight.generated_at.as_deref(),
            Hand::Automation,
            "Analysis finished",
            percent(insight.confidence.0),
        );
    }
    of_approval(&mut story, &review.approval);
    if let Some(plan) = &review.plan {
        of_plan(&mut story, plan);
    }
    story.in_order()
}
