//! Why a request was made: the analysis, how far it reaches, the way back, and what became of plans like it.

use super::Review;
use crate::{
    components::{
        approval::window_line,
        words::{percent, plural},
    },
    view,
};
use leptos::prelude::*;
use opsdeck_api::approval::{ApprovalItem, BlastRadius, Evidence};

pub(super) fn reasons(review: &Review) -> AnyView {
    let approval = &review.approval;
    let evidence = approval.evidence.clone().unwrap_or_default();
    let confidence = approval
        .confidence
        .map(|confidence| format!("confidence {}", percent(confidence.0)));
    let model = review.insight.as_ref().map(|insight| insight.model.clone());
    let incident = review.incident.as_ref();
    view! {
        <section class="panel">
            <header>
                <h2>"Why"</h2>
                <span class="dim">{[confidence, model].into_iter().flatten().collect::<Vec<_>>().join(", ")}</span>
            </header>
            <div class="body prose">
                {incident.map(|incident| view! { <p class="dim">{incident.description.clone()}</p> })}
                {analysis(review, &evidence)} {facts(approval, &evidence)} {own_words(review)}
            </div>
        </section>
    }
}

fn analysis(review: &Review, evidence: &Evidence) -> AnyView {
    let of_insight = review.insight.as_ref().map(|insight| &insight.analysis);
    let analysis = Some(&evidence.ai_analysis)
        .filter(|text| !text.is_empty())
        .or(of_insight);
    match analysis.filter(|text| !text.is_empty()) {
        Some(analysis) => view! { <p class="pre">{analysis.clone()}</p> },
        None => view! { <p class="faint">"There is no analysis: whoever asked gave no reason in words."</p> },
    }
}

fn facts(approval: &ApprovalItem, evidence: &Evidence) -> AnyView {
    let unknown = || view! { <span class="faint">"unknown"</span> };
    let policy = approval.policy.clone().unwrap_or_else(|| "none".into());
    view! {
        <dl class="facts">
            <dt>"Blast radius"</dt>
            <dd>{approval.blast_radius.clone().map_or_else(unknown, blast_radius)}</dd>
            <dt>"If it goes wrong"</dt>
            <dd>{approval.rollback.clone().map_or_else(unknown, IntoAny::into_any)}</dd>
            <dt>"History"</dt>
            <dd>{history(evidence)}</dd>
            <dt>"Policy"</dt>
            <dd>
                <span class="mono">{policy}</span>
                {approval.rule.clone().map(|rule| view! { ", rule " <span class="mono">{rule}</span> })}
            </dd>
            {window_line(approval).map(|window| view! { <dt>"Change window"</dt> <dd>{window}</dd> })}
            {approval.plan.clone().map(|plan| view! { <dt>"Plan"</dt> <dd class="mono">{plan}</dd> })}
        </dl>
    }
}

fn history(evidence: &Evidence) -> String {
    match evidence.previous_attempts {
        ..=0 => "No finished plan of this kind to compare with".to_owned(),
        tries => format!(
            "{} of {} worked",
            percent(evidence.historical_success_rate.0),
            plural(tries as u64, "earlier plan of this kind", "earlier plans of this kind")
        ),
    }
}

fn own_words(review: &Review) -> Option<AnyView> {
    let plan = review.plan.as_ref().filter(|plan| !plan.item.strategy.is_empty())?;
    Some(view! {
        <details class="more">
            <summary>"The plan in its own words"</summary>
            <p class="pre">{plan.item.strategy.clone()}</p>
        </details>
    })
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
