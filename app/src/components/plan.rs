//! A plan: what it means to do and why, how it went, and what it was decided on.

use crate::{
    components::{
        action::{parameters, planned},
        approval::{self, verdict},
        link::{name_link, object_href},
        mark::{State, StateWord},
        time::{Ago, fine_span, parse},
        words::{action, capitalised},
    },
    view,
};
use leptos::prelude::*;
use opsdeck_api::{
    approval::ApprovalItem,
    remediation::{AgenticStep, EvidenceItem, RemediationDetail, RemediationItem},
};

pub(crate) fn plan_panel(plan: RemediationDetail, approval: Option<ApprovalItem>) -> AnyView {
    let item = plan.item;
    view! {
        <section class="panel">
            <header>
                <h2>{format!("Plan {}", item.attempt)} {name_link("/remediations", &item.namespace, &item.name)}</h2>
                <span class="dim">
                    {took(&item).map(|took| view! { {took} ", " })}
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
            {(!plan.agentic_history.is_empty()).then(|| agentic_steps(plan.agentic_history))}
            {(!plan.evidence.is_empty()).then(|| evidence(plan.evidence))}
            {(!plan.safety_constraints.is_empty())
                .then(|| view! { <p class="body faint small">"Limits: " {plan.safety_constraints.join(" · ")}</p> })}
        </section>
    }
}

fn took(plan: &RemediationItem) -> Option<String> {
    let from = plan.started_at.as_deref().and_then(parse)?;
    let to = plan.completed_at.as_deref().and_then(parse)?;
    Some(format!("took {}", fine_span(to - from)))
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

/// What a model decided and saw, step by step.
fn agentic_steps(steps: Vec<AgenticStep>) -> AnyView {
    let steps = steps.into_iter().map(|step| {
        let taken = step.action.map(|taken| {
            view! {
                <h3>{action(&taken.kind)} " " <span class="faint mono">{taken.kind.clone()}</span></h3>
                {parameters(taken.params)}
            }
        });
        view! {
            <li>
                <span class="n">{step.step_number.to_string()}</span>
                <div>
                    <p>{step.ai_message}</p>
                    {taken}
                    {(!step.observation.is_empty()).then(|| view! { <p class="mono small dim">{step.observation}</p> })}
                </div>
            </li>
        }
    });
    view! { <ol class="steps">{steps.collect_view()}</ol> }
}

fn evidence(pieces: Vec<EvidenceItem>) -> AnyView {
    let title = format!("Evidence ({})", pieces.len());
    let pieces = pieces.into_iter().map(|piece| {
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
    });
    view! {
        <details class="more inset">
            <summary>{title}</summary>
            <ol class="evidence">{pieces.collect_view()}</ol>
        </details>
    }
}
