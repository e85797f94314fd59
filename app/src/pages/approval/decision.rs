//! The decision on a request: time left, who has voted, who may, and the forms to do it with.

use crate::{
    Session,
    components::{
        act::actor,
        approval::{Quorum, TimeLeft, approvals_given, is_open, verdict},
        copy::Command,
        decisions,
        mark::{State, StateWord},
        time::{Ago, Moment},
        words::person,
    },
    view,
};
use leptos::prelude::*;
use opsdeck_api::{
    Role,
    approval::{ApprovalItem, Vote},
};

pub(super) fn decision(approval: &ApprovalItem) -> AnyView {
    let (given, required) = approvals_given(approval);
    let open = is_open(approval);
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
                {(!approval.votes.is_empty()).then(|| ballots(&approval.votes))}
                {if open { who_may_decide(approval) } else { outcome(approval) }}
                {decisions::of_approval(approval, own_vote(approval).is_some())}
                {open.then(|| from_the_cluster(approval))}
            </div>
        </section>
    }
}

fn ballots(votes: &[Vote]) -> AnyView {
    let votes = votes.iter().map(|vote| {
        let who = match vote.approver.as_str() {
            "auto-policy" => "The policy's rule".to_owned(),
            recorded => person(recorded).to_owned(),
        };
        let did = if vote.decision == "rejected" {
            " rejected "
        } else {
            " approved "
        };
        let reason = vote.reason.clone().filter(|reason| !reason.is_empty());
        view! {
            <li title=vote.approver.clone()>
                <p>
                    <b>{who}</b>
                    {did}
                    {vote.at.clone().map(|at| view! { <span class="faint"><Ago at=at /></span> })}
                </p>
                {reason.map(|reason| view! { <p class="dim">"“" {reason} "”"</p> })}
            </li>
        }
    });
    view! { <ul class="ballots">{votes.collect_view()}</ul> }
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
