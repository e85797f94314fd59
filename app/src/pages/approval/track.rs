//! The way of a plan from the first signal to its proof, and where on it a request stands.

use super::Review;
use crate::{
    components::{
        approval::{approvals_given, is_open},
        mark::StateWord,
        time::{hour_and_minute, parse, rfc3339, stamp},
        words::plural,
    },
    view,
};
use leptos::prelude::*;
use opsdeck_api::approval::ApprovalItem;

/// A word, when it was reached, and how far it is: `done`, `now`, `stopped`, `failed`, or nothing yet.
type Step<'a> = (String, Option<&'a str>, &'static str);

pub(super) fn track(review: &Review) -> AnyView {
    let approval = &review.approval;
    let incident = review.incident.as_ref();
    let insight = review.insight.as_ref();
    let detected = incident.map(|incident| incident.detected_at.as_deref().unwrap_or(&incident.creation_timestamp));
    let analyzed = insight.and_then(|insight| insight.generated_at.as_deref());
    let [run, verified] = run(review);
    let steps = [
        ("Detected".to_owned(), detected, "done"),
        ("Analyzed".to_owned(), analyzed, "done"),
        ("Planned".to_owned(), Some(approval.creation_timestamp.as_str()), "done"),
        decision(approval),
        run,
        verified,
    ];
    view! { <ol class="track">{steps.into_iter().map(step).collect_view()}</ol> }
}

fn step((word, at, class): Step) -> AnyView {
    let at = at.and_then(parse);
    view! {
        <li class=class aria-current=(class == "now").then_some("step")>
            {word} " "
            {at.map(|at| view! { <time datetime=rfc3339(at) title=stamp(at)>{hour_and_minute(at)}</time> })}
        </li>
    }
}

fn decision(approval: &ApprovalItem) -> Step<'_> {
    let (given, required) = approvals_given(approval);
    let missing = required.saturating_sub(given) as u64;
    let word = match approval.state.as_str() {
        "Approved" => "Approved".to_owned(),
        "Rejected" => "Rejected".to_owned(),
        "Expired" => "Expired".to_owned(),
        _ if approval.expired => "Past its time".to_owned(),
        _ if missing == 0 => "Waiting for its window".to_owned(),
        _ => format!("Waiting for {}", plural(missing, "approval", "approvals")),
    };
    let class = match (is_open(approval), approval.state.as_str()) {
        (true, _) => "now",
        (_, "Approved") => "done",
        _ => "stopped",
    };
    (word, approval.decided_at.as_deref(), class)
}

fn run(review: &Review) -> [Step<'_>; 2] {
    let plan = review.plan.as_ref().map(|plan| &plan.item);
    let started = plan.and_then(|plan| plan.started_at.as_deref());
    let ended = plan.and_then(|plan| plan.completed_at.as_deref());
    let result = plan
        .filter(|_| started.is_some())
        .and_then(|plan| StateWord::plan(&plan.state))
        .map_or("Verify", |state| state.word());
    let class = match plan.map(|plan| plan.state.as_str()) {
        Some("Completed") => "done",
        Some("Failed" | "RolledBack") if started.is_some() => "failed",
        _ => "",
    };
    [
        ("Run".to_owned(), started, if started.is_some() { "done" } else { "" }),
        (result.to_owned(), ended, class),
    ]
}
