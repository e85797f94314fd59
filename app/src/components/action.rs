//! The steps of a plan, in order, each with everything it was given: before → after where the cluster tells it.

use crate::components::words::{action, resource};
use crate::view;
use leptos::prelude::*;
use opsdeck_api::{Action, ResourceRef, StringMap, approval::RequestedAction};

/// Steps that somebody is asked to allow.
pub(crate) fn requested(actions: Vec<RequestedAction>) -> AnyView {
    let steps = actions.into_iter().map(|step| {
        step_view(
            step.order,
            &step.kind,
            step.target.as_ref(),
            step.params,
            step.before.unwrap_or_default(),
        )
    });
    view! { <ol class="steps">{steps.collect_view()}</ol> }
}

/// Steps of a plan, planned or done.
pub(crate) fn planned(actions: Vec<Action>) -> AnyView {
    let steps = actions
        .into_iter()
        .zip(1..)
        .map(|(step, order)| step_view(order, &step.kind, None, step.params, StringMap::new()));
    view! { <ol class="steps">{steps.collect_view()}</ol> }
}

fn step_view(order: u32, kind: &str, target: Option<&ResourceRef>, params: StringMap, known: StringMap) -> AnyView {
    let stops = params.get("containment").is_some_and(|value| value == "true");
    view! {
        <li>
            <span class="n">{order.to_string()}</span>
            <div>
                <h3>{action(kind)} " " <span class="faint mono">{kind.to_owned()}</span></h3>
                {target.map(|target| view! { <p class="dim">{resource(target)}</p> })}
                {stops
                    .then(|| {
                        view! {
                            <p class="warn">
                                "This stops the service on purpose. It stays stopped until a person starts it again."
                            </p>
                        }
                    })}
                {values(params, known)}
            </div>
        </li>
    }
}

/// What the step was given; parameters in the order of their names, with what the cluster has now.
pub(crate) fn parameters(params: StringMap) -> AnyView {
    values(params, StringMap::new())
}

/// `known`: what the cluster has now, where somebody looked and it tells.
fn values(params: StringMap, known: StringMap) -> AnyView {
    if params.is_empty() && known.is_empty() {
        return view! { <p class="faint small">"No parameters"</p> };
    }
    let beside: Vec<_> = known
        .iter()
        .filter(|(name, _)| !params.contains_key(*name))
        .map(|(name, now)| {
            view! {
                <div>
                    <dt>{name.clone()}</dt>
                    <dd>
                        <span class="was">{now.clone()}</span>
                        <span class="faint">" now"</span>
                    </dd>
                </div>
            }
        })
        .collect();
    let rows = params.into_iter().map(|(name, to)| {
        let was = known.get(&name).cloned().map(earlier);
        view! {
            <div>
                <dt>{name}</dt>
                <dd>{was} <span class="to">{to}</span></dd>
            </div>
        }
    });
    view! { <dl class="diff">{rows.chain(beside).collect_view()}</dl> }
}

/// What the cluster has now, and that it will change.
fn earlier(was: String) -> AnyView {
    view! {
        <span class="was">{was}</span>
        <span class="arrow">
            <span aria-hidden="true">"→"</span>
            <span class="vh">"becomes"</span>
        </span>
    }
}
