//! What can be decided about an incident, a request, a post-mortem and an Instance as they stand, and in which words it is asked.

use crate::{
    components::{
        act::{Act, Field, Form, Subject, actor, acts},
        approval::{approvals_given, is_open, title, verdict},
        time::{parse, stamp},
        words::{action, person, plural, resource, uncapitalised},
    },
    view,
};
use leptos::prelude::*;
use opsdeck_api::{approval::ApprovalItem, incident::IncidentItem, instance::InstanceItem, postmortem::PostMortemItem};

pub(crate) fn of_incident(incident: &IncidentItem) -> AnyView {
    let subject = Subject::new("/incidents", &incident.namespace, &incident.name);
    if incident.state == "Resolved" {
        return acts(subject, "", over(incident), Vec::new());
    }
    let what = resource(&incident.resource);
    let (verb, label) = match incident.acknowledged {
        None => ("acknowledge", "Acknowledge"),
        Some(_) => ("unacknowledge", "Undo acknowledge"),
    };
    let is_snoozed = incident.snoozed.is_some();
    let snooze = Form {
        consequence: view! { <p>{format!("Keeps quiet about {what} for a while. It goes on being worked on.")}</p> },
        fields: vec![Field::Choice {
            name: "duration",
            label: "For",
            options: &[
                ("30m", "30 minutes"),
                ("1h", "1 hour"),
                ("4h", "4 hours"),
                ("8h", "8 hours"),
                ("24h", "1 day"),
            ],
            other: "or for as long as you write, such as 1h30m",
        }],
        button: "Snooze incident".into(),
    };
    let resolve = Form {
        consequence: view! {
            <p>{format!("Ends the incident on {what} in your name. The operator works on it no longer, and it is not opened again.")}</p>
        },
        fields: vec![Field::Text {
            name: "resolution",
            label: "Resolution",
            hint: "What cured it, for those who read this later",
        }],
        button: "Resolve incident".into(),
    };
    let choices = vec![
        Act::at_once(verb, label),
        Act::with_form("snooze", if is_snoozed { "Snooze anew" } else { "Snooze" }, "", snooze),
        Act::at_once("unsnooze", "End snooze").filter(|_| is_snoozed),
        Act::with_form("resolve", "Resolve", "", resolve),
    ];
    let truth = "That does not apply to it any more.".to_owned();
    acts(subject, "acknowledge, snooze and resolve", truth, choices)
}

/// Who ended it, where its annotations tell: the operator's are of one group, ours of another.
fn over(incident: &IncidentItem) -> String {
    let mut annotations = incident.annotations.iter();
    let by = annotations.find(|(name, by)| name.ends_with("/resolved-by") && !by.is_empty());
    let by = by.map_or_else(String::new, |(_, by)| format!(" by {}", person(by)));
    format!("It was resolved{by}{}.", at(incident.resolved_at.as_deref()))
}

fn at(time: Option<&str>) -> String {
    let time = time.and_then(parse);
    time.map_or_else(String::new, |time| format!(", at {}", stamp(time)))
}

/// `voted`: with this key already.
pub(crate) fn of_approval(approval: &ApprovalItem, voted: bool) -> AnyView {
    let subject = Subject::new("/approvals", &approval.namespace, &approval.name);
    let (identity, _) = actor();
    let may_be_decided = is_open(approval) && !voted;
    let (given, required) = approvals_given(approval);
    let missing = required.saturating_sub(given);
    let steps = plural(approval.actions.len() as u64, "action", "actions");
    let after = match missing {
        0 | 1 if approval.change_window.as_ref().is_some_and(|window| !window.open) => {
            "It is the last one needed: the plan runs when its change window opens.".to_owned()
        }
        0 | 1 => "It is the last one needed: the plan runs at once.".to_owned(),
        _ => format!(
            "{} by other people must follow before anything runs.",
            plural(missing as u64 - 1, "approval", "approvals")
        ),
    };
    let approve = Form {
        consequence: view! {
            <p>{format!("You approve {steps}:")}</p>
            <ol class="bullets">
                {approval
                    .actions
                    .iter()
                    .map(|step| {
                        let on = step.target.as_ref().map(|target| format!(": {}", resource(target))).unwrap_or_default();
                        view! { <li>{format!("{}{on}", action(&step.kind))}</li> }
                    })
                    .collect_view()}
            </ol>
            <p>{format!("{given} of {required} approved so far. {after}")}</p>
        },
        fields: ballot(approval, &identity),
        button: format!("Approve {steps}"),
    };
    let reject = Form {
        consequence: view! {
            <p>{format!("“{}” does not happen. One rejection ends the request for everybody.", title(approval))}</p>
        },
        fields: ballot(approval, &identity),
        button: "Reject the request".into(),
    };
    let choices = vec![
        Act::with_form("approve", format!("Approve as {identity}"), "go", approve)
            .filter(|_| may_be_decided && missing > 0),
        Act::with_form("reject", "Reject", "no", reject).filter(|_| may_be_decided),
    ];
    acts(subject, "", stands(approval, voted), choices)
}

fn stands(approval: &ApprovalItem, voted: bool) -> String {
    let at = at(approval.decided_at.as_deref());
    match approval.state.as_str() {
        "Approved" => format!("It was approved {}{at}.", verdict(approval)),
        "Rejected" => format!("It was rejected {}{at}.", verdict(approval)),
        _ if !is_open(approval) => format!("Its time to be decided ran out{at}."),
        _ if voted => "This key has voted already: one key is one vote.".to_owned(),
        _ => "It has its approvals and waits for its change window.".to_owned(),
    }
}

fn ballot(approval: &ApprovalItem, identity: &str) -> Vec<Field> {
    let mut fields = vec![
        Field::Line {
            name: "approver",
            label: "Your name",
            value: identity.to_owned(),
            required: true,
        },
        Field::Text {
            name: "reason",
            label: "Reason",
            hint: "Recorded with your vote",
        },
    ];
    fields.extend(approval.plan_hash.clone().map(|value| Field::Read {
        name: "planHash",
        value,
    }));
    fields
}

/// `reviewer`: who moved it last, where that is known.
pub(crate) fn of_post_mortem(post_mortem: &PostMortemItem, reviewer: Option<&str>) -> AnyView {
    let subject = Subject::new("/postmortems", &post_mortem.namespace, &post_mortem.name);
    let (identity, _) = actor();
    let by = |name| Field::Line {
        name,
        label: "Your name",
        value: identity.clone(),
        required: true,
    };
    let owes = post_mortem.requires_human_action;
    let is_closed = post_mortem.state == "Closed";
    let remark = |consequence: &'static str, button: &str| Form {
        consequence: view! { <p>{consequence}</p> },
        fields: vec![
            by("reviewer"),
            Field::Text {
                name: "notes",
                label: "Notes",
                hint: "Kept with the post-mortem",
            },
        ],
        button: button.to_owned(),
    };
    let owed = Form {
        consequence: view! {
            <p>
                {match post_mortem.required_action.as_str() {
                    "" => "You say that what was left to people is done.".to_owned(),
                    required => format!("You say that this is done: {}", uncapitalised(required)),
                }}
            </p>
        },
        fields: vec![
            by("acknowledgedBy"),
            Field::Text {
                name: "note",
                label: "Note",
                hint: "What was done",
            },
        ],
        button: "Acknowledge the action".into(),
    };
    let review = match is_closed {
        true => (
            "Review again",
            remark("It is opened again, and you review it.", "Open it again"),
        ),
        false => (
            "Review",
            remark("It is marked as being reviewed, by you.", "Start the review"),
        ),
    };
    let close = remark(
        "It has been read and nothing is left to do. A later review opens it again.",
        "Close it",
    );
    let choices = vec![
        Act::with_form("ack-human-action", "Acknowledge human action", "", owed).filter(|_| owes),
        Act::with_form("review", review.0, "", review.1).filter(|_| post_mortem.state != "InReview"),
        Act::with_form("close", "Close", "", close).filter(|_| !owes && !is_closed),
    ];
    let by = reviewer.map_or_else(String::new, |by| format!(" by {}", person(by)));
    let at = at(post_mortem.reviewed_at.as_deref());
    let truth = match post_mortem.state.as_str() {
        "Closed" => format!("It was closed{by}{at}."),
        "InReview" => format!("It is in review{by}{at}."),
        _ => "That does not apply to it any more.".to_owned(),
    };
    acts(subject, "review and close it", truth, choices)
}

pub(crate) fn of_instance(instance: &InstanceItem) -> AnyView {
    let subject = Subject::new("/instances", &instance.namespace, &instance.name);
    acts(
        subject,
        "have it probed again",
        String::new(),
        vec![Act::at_once("reprobe", "Probe again")],
    )
}
