//! A request for approval, as a row, and the parts of it that stand on more than one page.

use crate::components::{
    link::object_href,
    mark::{State, StateWord},
    time::{Age, Clock, Until, countdown, parse, stamp},
    words::{listed, person, plural, request_title},
};
use crate::view;
use leptos::prelude::*;
use opsdeck_api::approval::ApprovalItem;

pub(crate) const PATH: &str = "/approvals";

/// What the request asks for, in one line.
pub(crate) fn title(item: &ApprovalItem) -> String {
    let steps = item.actions.iter().map(|action| {
        let target = action.target.as_ref().map(|target| target.name.as_str());
        (action.kind.as_str(), &action.params, target)
    });
    request_title(steps, item.plan.as_deref().unwrap_or(&item.name))
}

pub(crate) fn is_open(item: &ApprovalItem) -> bool {
    matches!(item.state.as_str(), "" | "Pending") && !item.expired
}

/// How many have approved, of how many that must.
pub(crate) fn approvals_given(item: &ApprovalItem) -> (usize, usize) {
    let given = item.votes.iter().filter(|vote| vote.decision == "approved").count();
    (given, usize::try_from(item.required.max(1)).unwrap_or(1))
}

/// `1 of 2 approved: mira`.
pub(crate) fn quorum_line(item: &ApprovalItem) -> String {
    let (given, required) = approvals_given(item);
    let who: Vec<_> = item
        .votes
        .iter()
        .filter(|vote| vote.decision == "approved")
        .map(|vote| person(&vote.approver))
        .collect();
    if who.is_empty() {
        format!("{given} of {required} approved")
    } else {
        format!("{given} of {required} approved: {}", listed(&who))
    }
}

/// How a request that is over came to its end.
pub(crate) fn verdict(item: &ApprovalItem) -> String {
    match item.state.as_str() {
        "Approved" if item.approved_by.split(", ").any(|who| who == "auto-policy") => "by the policy's own rule".into(),
        "Approved" => by(&item.approved_by),
        "Rejected" => by(&item.rejected_by),
        "Expired" => match approvals_given(item) {
            (0, _) => "nobody decided in time".into(),
            (given, required) => format!("{given} of {required} approved in time"),
        },
        _ if item.expired => "its time has run out; the operator will close it".into(),
        _ => quorum_line(item),
    }
}

fn by(recorded: &str) -> String {
    let people: Vec<_> = recorded.split(", ").map(person).filter(|who| !who.is_empty()).collect();
    if people.is_empty() {
        "by an unknown person".into()
    } else {
        format!("by {}", listed(&people))
    }
}

/// Time left, running.
#[component]
pub(crate) fn TimeLeft(#[prop(into)] at: String) -> impl IntoView {
    let clock = Clock::current();
    let Some(unix) = parse(&at) else {
        return view! { <span class="faint">"unknown"</span> };
    };
    let is_short = move || unix - clock.now() < 300;
    view! {
        <time class="left mono" class:short=is_short datetime=at title=stamp(unix) role="timer">
            {move || match unix - clock.now() {
                ..=0 => "expired".to_owned(),
                seconds => format!("{} left", countdown(seconds)),
            }}
        </time>
    }
}

/// More bars than these say less than the number does.
const SEATS: usize = 12;

/// One bar per approval that is needed; none where the number has to do.
#[component]
pub(crate) fn Quorum(given: usize, required: usize) -> impl IntoView {
    let required = if required <= SEATS { required } else { 0 };
    view! {
        <div class="quorum" aria-hidden="true">
            {(0..required).map(|seat| view! { <i class:on={seat < given}></i> }).collect_view()}
        </div>
    }
}

#[component]
pub(crate) fn ApprovalTable(items: Vec<ApprovalItem>, caption: &'static str) -> impl IntoView {
    view! {
        <table class="rows">
            <caption class="vh">{caption}</caption>
            <thead>
                <tr>
                    <th scope="col">"State"</th>
                    <th scope="col">"Request"</th>
                    <th scope="col">"For incident"</th>
                    <th scope="col">"Blast radius"</th>
                    <th scope="col">"Decision"</th>
                    <th scope="col" class="num">"Asked"</th>
                </tr>
            </thead>
            <tbody>{items.into_iter().map(row).collect_view()}</tbody>
        </table>
    }
}

fn row(item: ApprovalItem) -> AnyView {
    let href = object_href(PATH, &item.namespace, &item.name);
    let policy = match (&item.policy, &item.rule) {
        (Some(policy), Some(rule)) => format!("{policy} / {rule}"),
        (Some(policy), None) => policy.clone(),
        _ => String::new(),
    };
    let decision = if is_open(&item) {
        view! {
            {match item.expires_at.clone() {
                Some(at) => view! { <TimeLeft at=at /> },
                None => view! { <span class="faint">"does not expire"</span> },
            }}
            <p>{quorum_line(&item)}</p>
        }
    } else {
        view! {
            {verdict(&item)}
            {item.decided_at.clone().map(|at| view! { <p><Age at=at /> " ago"</p> })}
        }
    };
    let reach = item.blast_radius.as_ref().map(|radius| {
        let pods = plural(radius.affected_pods.max(0) as u64, "pod", "pods");
        let services = plural(radius.affected_services.max(0) as u64, "service", "services");
        view! { <span class="cap">{radius.risk_level.clone()}</span> <p>{format!("{pods}, {services}")}</p> }
    });
    view! {
        <tr>
            <td class="c-state">
                <State known=StateWord::approval(&item.state, item.expired) word=item.state.clone() />
            </td>
            <td class="c-name">
                <a href=href>{title(&item)}</a>
                <p>{policy} " in " {item.namespace.clone()}</p>
            </td>
            <td class="c-for">
                {match &item.issue {
                    Some(issue) => {
                        view! { <a class="mono clip" href=object_href("/incidents", &issue.namespace, &issue.name)>{issue.name.clone()}</a> }
                    }
                    None => view! { <span class="faint">"none"</span> },
                }}
            </td>
            <td class="c-reach">{reach}</td>
            <td class="c-decision">{decision}</td>
            <td class="c-age num dim">
                <Age at=item.creation_timestamp.clone() />
            </td>
        </tr>
    }
}

/// What waits for a decision, in a few lines.
pub(crate) fn waiting_line(item: ApprovalItem) -> AnyView {
    let href = object_href(PATH, &item.namespace, &item.name);
    let (given, required) = approvals_given(&item);
    let risk = item
        .blast_radius
        .as_ref()
        .map(|radius| radius.risk_level.clone())
        .unwrap_or_else(|| "unknown".into());
    view! {
        <li>
            <div class="grow">
                <a href=href>{title(&item)}</a>
                <p>{format!("Blast radius {risk}, {} in {}", item.policy.clone().unwrap_or_default(), item.namespace)}</p>
            </div>
            <div class="votes">
                <Quorum given=given required=required />
                <p>{quorum_line(&item)}</p>
            </div>
            <div class="num">
                {match item.expires_at {
                    Some(at) => view! { <TimeLeft at=at /> },
                    None => view! { <span class="faint">"does not expire"</span> },
                }}
            </div>
        </li>
    }
}

/// `opens in 3 h`, while the change window is closed.
pub(crate) fn window_line(item: &ApprovalItem) -> Option<AnyView> {
    let window = item.change_window.as_ref()?;
    Some(match (&window.open, &window.opens_at) {
        (true, _) => "Open now".into_any(),
        (false, Some(at)) => view! { "Closed, opens in " <Until at=at.clone() passed="a moment" /> },
        (false, None) => "Never opens as it is written; the request can only expire".into_any(),
    })
}
