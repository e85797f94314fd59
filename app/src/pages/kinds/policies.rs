//! Policies of four kinds, shown as they are stored. They are changed where they are kept, not here.

use super::{AGE, CREATED, Column, Kind, NAMESPACE, POLICIES, WORDS};
use crate::{
    components::{
        field::{Field, Show, count, is_true, list, text},
        mark::StateWord,
        tree,
        words::{capitalised, figure, plural, thousands},
    },
    view,
};
use leptos::prelude::*;
use serde_json::Value;

const ENABLED: Show = Show::State(|item| Some(StateWord::enabled(is_true(item, "/spec/enabled"))));
const STATE: Column = Column::new("State", "", "c-state", "", ENABLED);
const NAME: Column = Column::name("Policy").below("/namespace", Show::Text);
const RULES: Column = Column::new("Rules", "", "c-fact num", "/spec/rules", Show::Count);

const POLICY: Kind = Kind {
    path: POLICIES,
    heading: "Policies",
    one: "policy",
    many: "policies",
    these: "the policies",
    this: "this policy",
    order: "Changed with kubectl or GitOps, not here",
    filters: &[NAMESPACE, WORDS],
    marks: &[Field::new("", "", ENABLED)],
    body: |item| {
        view! {
            {tree::panels(&item["spec"])}
            {tree::panels(&item["status"])}
        }
    },
    facts: &[CREATED],
    more_facts: |item| {
        view! {
            <dl class="facts body">{tree::lines(&item["spec"])} {tree::lines(&item["status"])}</dl>
        }
    },
    ..Kind::PLAIN
};

const fn total(label: &'static str, at: &'static str) -> Column {
    Column::new(label, "", "c-fact num", at, Show::Number(""))
}

fn length(item: &Value, at: &str, one: &str, many: &str) -> String {
    plural(list(item, at).len() as u64, one, many)
}

/// A policy that is switched off does nothing, whatever stands in it.
fn unless_off(item: &Value, words: String) -> String {
    if is_true(item, "/spec/enabled") {
        words
    } else {
        "It is switched off and does nothing.".to_owned()
    }
}

fn joined(item: &Value, at: &str, names: &str) -> Option<AnyView> {
    let texts: Vec<_> = list(item, at)
        .iter()
        .map(|item| {
            if names.is_empty() {
                item.as_str().unwrap_or_default()
            } else {
                text(item, names)
            }
        })
        .collect();
    (!texts.is_empty()).then(|| texts.join(", ").into_any())
}

pub(super) const APPROVAL: Kind = Kind {
    api: "/policies/approval",
    tab: Some("approval"),
    title: "Approval policies",
    empty: (
        "There is no approval policy.",
        "Without one the operator asks nobody before it acts.",
    ),
    columns: &[
        STATE,
        NAME,
        RULES,
        total("Approved", "/status/totalApproved"),
        total("By rule", "/status/totalAutoApproved"),
        total("Rejected", "/status/totalRejected"),
        AGE,
    ],
    lead: |item| {
        let rules = length(item, "/spec/rules", "rule", "rules");
        unless_off(
            item,
            format!("{rules}, tried from the top: the first that matches a plan decides who must allow it."),
        )
    },
    ..POLICY
};

pub(super) const NOTIFICATION: Kind = Kind {
    api: "/policies/notification",
    tab: Some("notification"),
    title: "Notification policies",
    empty: (
        "There is no notification policy.",
        "Without one nobody is told of anything.",
    ),
    columns: &[
        STATE,
        NAME,
        Column::new(
            "Channels",
            "",
            "c-for",
            "",
            Show::Of(|item| joined(item, "/spec/channels", "/name")),
        ),
        RULES,
        total("Sent", "/status/totalSent"),
        total("Failed", "/status/failedCount"),
        AGE,
    ],
    lead: |item| {
        let words = format!(
            "It tells {} by {}; {} were sent, {} failed.",
            length(item, "/spec/channels", "channel", "channels"),
            length(item, "/spec/rules", "rule", "rules"),
            plural(count(item, "/status/totalSent"), "message", "messages"),
            thousands(count(item, "/status/failedCount")),
        );
        unless_off(item, words)
    },
    ..POLICY
};

pub(super) const ESCALATION: Kind = Kind {
    api: "/policies/escalation",
    tab: Some("escalation"),
    title: "Escalation policies",
    empty: (
        "There is no escalation policy.",
        "Without one an incident that nobody takes stays where it is.",
    ),
    columns: &[
        STATE,
        NAME,
        Column::new(
            "For",
            "",
            "c-for",
            "",
            Show::Of(|item| joined(item, "/spec/severities", "")),
        ),
        Column::new("Levels", "", "c-fact num", "/spec/levels", Show::Count),
        Column::new("Now on it", "", "c-fact num", "/status/activeEscalations", Show::Count),
        total("Ever", "/status/totalEscalations"),
        AGE,
    ],
    lead: |item| {
        let words = format!(
            "An incident that nobody takes climbs {}; {} on it now.{}",
            length(item, "/spec/levels", "level", "levels"),
            length(item, "/status/activeEscalations", "is", "are"),
            if is_true(item, "/spec/defaultPolicy") {
                " It holds where no other does."
            } else {
                ""
            },
        );
        unless_off(item, words)
    },
    ..POLICY
};

const SEVERITY: Field = Field::new("Severity", "/spec/severity", Show::Severity);

pub(super) const SLA: Kind = Kind {
    api: "/policies/sla",
    tab: Some("sla"),
    title: "SLA policies",
    empty: (
        "There is no SLA.",
        "Create an IncidentSLA to promise how soon incidents are answered and over.",
    ),
    columns: &[
        Column {
            field: SEVERITY,
            ..Column::new("", "", "c-sev", "", Show::Severity)
        },
        NAME,
        Column::new("Response", "", "c-fact num", "/spec/responseTime", Show::Text),
        Column::new("Resolution", "", "c-fact num", "/spec/resolutionTime", Show::Text),
        Column::new(
            "Broken now",
            "",
            "c-fact num",
            "/status/activeViolations",
            Show::Number(""),
        ),
        Column::new(
            "Kept",
            "",
            "c-fact num",
            "/status/compliancePercentage",
            Show::Number("\u{202f}%"),
        ),
        AGE,
    ],
    marks: &[SEVERITY],
    lead: |item| {
        let kept = match item.pointer("/status/compliancePercentage").and_then(Value::as_f64) {
            Some(kept) => format!(
                " Kept for {}\u{202f}% of {}.",
                figure(kept),
                plural(count(item, "/status/totalIssuesTracked"), "incident", "incidents")
            ),
            None => " Nothing was measured yet.".to_owned(),
        };
        format!(
            "{} incidents get an answer within {} and end within {}.{kept}",
            capitalised(text(item, "/spec/severity")),
            text(item, "/spec/responseTime"),
            text(item, "/spec/resolutionTime"),
        )
    },
    ..POLICY
};
