//! The trail: who did what to what, and when. Its rows open where they stand.

use super::{Column, Filter, ISSUE, Kind, NAMESPACE, WORDS, page_of};
use crate::{
    components::{
        field::{Field, Show, text},
        filter::Choice,
        link::{href, object_href},
        time::Moment,
        words::{capitalised, person, signal},
    },
    pages::{incidents::RANGES, listed::Opened},
    view,
};
use leptos::prelude::*;
use opsdeck_api::Query;
use serde_json::Value;

const TYPES: &[Choice] = &[
    ("", "any"),
    ("issue_created", "Issue created"),
    ("issue_acknowledged", "Issue acknowledged"),
    ("issue_unacknowledged", "Issue unacknowledged"),
    ("issue_snoozed", "Issue snoozed"),
    ("issue_unsnoozed", "Issue unsnoozed"),
    ("issue_contained", "Issue contained"),
    ("issue_escalated", "Issue escalated"),
    ("issue_resolved", "Issue resolved"),
    ("remediation_started", "Remediation started"),
    ("remediation_completed", "Remediation completed"),
    ("remediation_failed", "Remediation failed"),
    ("approval_requested", "Approval requested"),
    ("approval_voted", "Approval voted"),
    ("approval_approved", "Approval approved"),
    ("approval_rejected", "Approval rejected"),
    ("approval_expired", "Approval expired"),
    ("escalation_triggered", "Escalation triggered"),
    ("notification_sent", "Notification sent"),
    ("slo_violation", "SLO violation"),
    ("sla_breach", "SLA breach"),
    ("postmortem_created", "Post-mortem created"),
    ("postmortem_reviewed", "Post-mortem reviewed"),
    ("postmortem_closed", "Post-mortem closed"),
    ("postmortem_feedback", "Post-mortem feedback"),
    ("human_action_acknowledged", "Human action acknowledged"),
    ("runbook_generated", "Runbook generated"),
    ("runbook_created", "Runbook created"),
    ("runbook_updated", "Runbook updated"),
    ("runbook_deleted", "Runbook deleted"),
    ("instance_reprobed", "Instance reprobed"),
    ("cluster_connected", "Cluster connected"),
    ("cluster_disconnected", "Cluster disconnected"),
    ("pattern_learned", "Pattern learned"),
    ("config_changed", "Configuration changed"),
];

pub(super) const AUDIT: Kind = Kind {
    path: "/audit",
    api: "/audit",
    title: "Audit",
    heading: "Audit",
    one: "event",
    many: "events",
    these: "the audit events",
    this: "this event",
    empty: (
        "Nothing is recorded.",
        "Whatever the operator and people do from now on leaves an event here.",
    ),
    filters: &[
        Filter::One("type", "Type", TYPES),
        Filter::Several(
            "severity",
            "Severity",
            &[("critical", "Critical"), ("warning", "Warning"), ("info", "Info")],
        ),
        Filter::One("range", "Time", RANGES),
        Filter::Typed("from", "From", "2026-09-23T12:00:00Z"),
        Filter::Typed("to", "To", "2026-09-23T13:00:00Z"),
        ISSUE,
        Filter::Typed("resource", "Object", "exact name"),
        NAMESPACE,
        WORDS,
    ],
    columns: &[
        Column::new("Severity", "severity", "c-sev", "/severity", Show::Severity),
        Column::new("Event", "eventType", "c-name", "/eventType", Show::Of(event)),
        Column::new("Object", "resourceName", "c-for", "/resourceName", Show::Of(object)),
        Column::new("By", "actorName", "c-fact", "/actorName", Show::Of(actor)).below("/actorType", Show::Text),
        Column::new("When", "timestamp", "c-age num dim", "/timestamp", Show::Age),
    ],
    is_only_listed: true,
    export: "/audit/export",
    marks: &[Field::new("", "/severity", Show::Severity)],
    lead: |item| capitalised(&signal(text(item, "/eventType"))),
    body: |item| {
        view! {
            <section class="panel">
                <header>
                    <h2>"What was recorded"</h2>
                </header>
                <div class="body">{recorded(item)}</div>
            </section>
        }
    },
    facts: &[Field::new("Object", "/resourceName", Show::Of(object))],
    ..Kind::PLAIN
};

fn actor(item: &Value) -> Option<AnyView> {
    let name = text(item, "/actorName");
    (!name.is_empty()).then(|| person(name).to_owned().into_any())
}

/// The object that it is about, and the way to it while there is a page for its kind.
fn object(item: &Value) -> Option<AnyView> {
    let (kind, name) = (text(item, "/resourceKind"), text(item, "/resourceName"));
    if name.is_empty() {
        return None;
    }
    let name = name.to_owned();
    let link = match page_of(kind) {
        Some((list, suffix)) => {
            let href = format!("{}{suffix}", object_href(list, text(item, "/resourceNamespace"), &name));
            view! { <a class="mono clip" href=href>{name}</a> }
        }
        None => view! { <span class="mono clip">{name}</span> },
    };
    Some(view! { {link} <p>{kind.to_owned()} " in " {text(item, "/resourceNamespace").to_owned()}</p> })
}

/// What happened, folded; opened, everything that was recorded of it.
fn event(item: &Value) -> Option<AnyView> {
    let opened: Opened = expect_context();
    let row = format!("{}/{}", text(item, "/namespace"), text(item, "/name"));
    let is_open = {
        let row = row.clone();
        move || opened.holds(&row)
    };
    Some(view! {
        <details
            class="event"
            open=is_open
            on:toggle=move |event| {
                #[cfg(not(feature = "ssr"))]
                opened.note(&row, is_unfolded(&event));
                #[cfg(feature = "ssr")]
                let _ = (&row, &event);
            }
        >
            <summary>
                <b>{capitalised(&signal(text(item, "/eventType")))}</b>
                <span class="clip faint">{text(item, "/detail").to_owned()}</span>
            </summary>
            {recorded(item)}
        </details>
    })
}

/// Everything that the event says.
fn recorded(item: &Value) -> AnyView {
    let incident = text(item, "/correlationId").to_owned();
    view! {
        <dl class="facts">
            <dt>"When"</dt>
            <dd>
                <Moment at=text(item, "/timestamp") />
            </dd>
            <dt>"By"</dt>
            <dd>{text(item, "/actorName").to_owned()}</dd>
            {details(text(item, "/detail"))
                .into_iter()
                .map(|(name, value)| {
                    view! {
                        <dt>{name}</dt>
                        <dd class="pre">{value}</dd>
                    }
                })
                .collect_view()}
            <dt>"Event"</dt>
            <dd class="mono">{text(item, "/name").to_owned()}</dd>
            {(!incident.is_empty())
                .then(|| {
                    let all = href(&Query::default().with("issue", &incident).on("/audit"));
                    view! {
                        <dt>"Belongs to"</dt>
                        <dd>
                            <a class="go mono" href=all>{incident}</a>
                        </dd>
                    }
                })}
        </dl>
    }
}

#[cfg(not(feature = "ssr"))]
fn is_unfolded(event: &leptos::ev::Event) -> bool {
    use wasm_bindgen::JsCast;

    let details = event
        .target()
        .and_then(|target| target.dyn_into::<web_sys::HtmlDetailsElement>().ok());
    details.is_some_and(|details| details.open())
}

/// `key=value; key=value` as pairs. A value may hold semicolons of its own: what does not begin like a pair belongs to the one before.
fn details(text: &str) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for part in text.split("; ") {
        let pair = part
            .split_once('=')
            .filter(|(key, _)| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
        match (pair, pairs.last_mut()) {
            (Some((key, value)), _) => pairs.push((signal(key), value.to_owned())),
            (None, Some((_, before))) => {
                before.push_str("; ");
                before.push_str(part);
            }
            (None, None) if part.is_empty() => {}
            (None, None) => pairs.push(("Detail".to_owned(), part.to_owned())),
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::details;

    fn told(text: &str) -> Vec<(String, String)> {
        details(text)
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn details_are_pairs_whatever_stands_in_their_values() {
        assert_eq!(
            told("attempt=1; result=done; all pods ready; required_action=scale up"),
            [
                pair("Attempt", "1"),
                pair("Result", "done; all pods ready"),
                pair("Required action", "scale up")
            ]
        );
        assert_eq!(told("by hand"), [pair("Detail", "by hand")]);
        assert_eq!(told(""), []);
    }
}
