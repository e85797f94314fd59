//! The trail: one AuditEvent beside the object that a person changed through this console, naming the key identity that did it.

use super::masking;
use crate::{
    resources::{Kind, TextMap, moment},
    source::{Address, Change, Verb},
};
use jiff::Timestamp;
use serde_json::json;

/// What a person did.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Deed {
    IssueAcknowledged,
    IssueSnoozed,
    IssueResolved,
    RunbookDeleted,
    ApprovalVoted,
    IssueUnacknowledged,
    IssueUnsnoozed,
    InstanceReprobed,
    PostMortemReviewed,
    PostMortemClosed,
    PostMortemRated,
    HumanActionAcknowledged,
    RunbookCreated,
    RunbookUpdated,
}

/// More than this of one detail is cut: a trail is no archive. In characters.
const LONGEST_DETAIL: usize = 4096;

/// One line of the trail.
#[derive(Clone, Debug)]
pub struct Entry {
    pub deed: Deed,
    pub by: String,
    pub at: Timestamp,
    pub on: Address,
    /// Of the object, so that a namesake made later is not taken for it.
    pub uid: String,
    /// Name of the incident that it belongs to, where it belongs to one.
    pub incident: Option<String>,
    pub details: TextMap,
}

// === impl Deed ===

impl Deed {
    pub fn event_type(self) -> &'static str {
        self.words().0
    }

    /// What was to be done, in upstream's words: `failed to …`.
    pub fn infinitive(self) -> &'static str {
        self.words().1
    }

    fn severity(self) -> &'static str {
        self.words().2
    }

    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::IssueAcknowledged => ("issue_acknowledged", "acknowledge", "info"),
            Self::IssueSnoozed => ("issue_snoozed", "snooze", "info"),
            Self::IssueResolved => ("issue_resolved", "resolve", "info"),
            Self::RunbookDeleted => ("runbook_deleted", "delete runbook", "warning"),
            Self::ApprovalVoted => ("approval_voted", "record decision", "info"),
            Self::IssueUnacknowledged => ("issue_unacknowledged", "unacknowledge", "info"),
            Self::IssueUnsnoozed => ("issue_unsnoozed", "unsnooze", "info"),
            Self::InstanceReprobed => ("instance_reprobed", "reprobe", "info"),
            Self::PostMortemReviewed => ("postmortem_reviewed", "review postmortem", "info"),
            Self::PostMortemClosed => ("postmortem_closed", "close postmortem", "info"),
            Self::PostMortemRated => ("postmortem_feedback", "record feedback", "info"),
            Self::HumanActionAcknowledged => ("human_action_acknowledged", "acknowledge human action", "info"),
            Self::RunbookCreated => ("runbook_created", "create runbook", "info"),
            Self::RunbookUpdated => ("runbook_updated", "update runbook", "info"),
        }
    }
}

// === impl Entry ===

impl Entry {
    /// The event, in the namespace of what it is about. `suffix`, six characters, keeps apart what happened in one nanosecond.
    pub fn change(&self, suffix: &str) -> Change {
        let (event_type, severity) = (self.deed.event_type(), self.deed.severity());
        let name = format!("audit-{}-{suffix}", self.at.as_nanosecond());
        let mut spec = json!({
            "eventType": event_type,
            "actor": { "type": "user", "name": self.by, "controller": "opsdeck" },
            "resource": {
                "kind": self.on.kind.as_str(),
                "name": self.on.name,
                "namespace": self.on.namespace,
                "uid": self.uid,
            },
            "details": details(&self.details),
            "severity": severity,
            "timestamp": moment::written(self.at),
        });
        if let Some(incident) = &self.incident {
            spec["correlationId"] = incident.as_str().into();
        }
        let event = json!({
            "apiVersion": Kind::AuditEvent.api_version(),
            "kind": "AuditEvent",
            "metadata": {
                "name": name,
                "namespace": self.on.namespace,
                "labels": {
                    "platform.chatcli.io/event-type": event_type,
                    "platform.chatcli.io/severity": severity,
                },
                "annotations": { "platform.chatcli.io/immutable": "true" },
            },
            "spec": spec,
        });
        Change {
            address: Address {
                kind: Kind::AuditEvent,
                namespace: self.on.namespace.clone(),
                name,
            },
            precondition: None,
            verb: Verb::Create(event),
        }
    }
}

/// Masked first: half an address would not be known for one.
fn details(details: &TextMap) -> TextMap {
    let cut = |text: String| match text.char_indices().nth(LONGEST_DETAIL) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    };
    masking::details(details)
        .into_iter()
        .map(|(key, text)| (key, cut(text)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Deed, Entry, LONGEST_DETAIL};
    use crate::{
        fixtures::{incident, noon, texts},
        resources::{Kind, Object, Typed as _, warnings},
        source::Verb,
    };
    use serde_json::{Value, json};

    fn entry(deed: Deed) -> Entry {
        Entry {
            deed,
            by: "sre-mira".into(),
            at: noon(),
            on: incident().address(),
            uid: "7f3a".into(),
            incident: Some("checkout-oom".into()),
            details: texts(&[("resolution", "rolled back, see https://u:p@wiki/x")]),
        }
    }

    fn event(entry: &Entry) -> Value {
        let change = entry.change("0a1b2c");
        let Verb::Create(event) = change.verb else {
            panic!("an event is made, not changed")
        };
        assert_eq!(event["metadata"]["name"], *change.address.name);
        assert_eq!(event["metadata"]["namespace"], *change.address.namespace);
        event
    }

    #[test]
    fn an_event_says_who_did_what_to_what_and_no_secret() {
        assert_eq!(
            event(&entry(Deed::IssueResolved)),
            json!({
                "apiVersion": "platform.chatcli.io/v1alpha1",
                "kind": "AuditEvent",
                "metadata": {
                    "name": "audit-1790164800000000000-0a1b2c",
                    "namespace": "shop",
                    "labels": {
                        "platform.chatcli.io/event-type": "issue_resolved",
                        "platform.chatcli.io/severity": "info",
                    },
                    "annotations": { "platform.chatcli.io/immutable": "true" },
                },
                "spec": {
                    "eventType": "issue_resolved",
                    "actor": { "type": "user", "name": "sre-mira", "controller": "opsdeck" },
                    "resource": { "kind": "Issue", "name": "checkout-oom", "namespace": "shop", "uid": "7f3a" },
                    "details": { "resolution": "rolled back, see ***" },
                    "severity": "info",
                    "correlationId": "checkout-oom",
                    "timestamp": "2026-09-23T12:00:00Z",
                },
            })
        );
    }

    #[test]
    fn every_deed_leaves_an_event_that_the_schema_takes() {
        for deed in [
            Deed::IssueAcknowledged,
            Deed::IssueSnoozed,
            Deed::IssueResolved,
            Deed::RunbookDeleted,
            Deed::ApprovalVoted,
            Deed::IssueUnacknowledged,
            Deed::IssueUnsnoozed,
            Deed::InstanceReprobed,
            Deed::PostMortemReviewed,
            Deed::PostMortemClosed,
            Deed::PostMortemRated,
            Deed::HumanActionAcknowledged,
            Deed::RunbookCreated,
            Deed::RunbookUpdated,
        ] {
            let event = event(&Entry {
                incident: None,
                ..entry(deed)
            });
            assert_eq!(event["spec"].get("correlationId"), None);
            assert_eq!(warnings(Kind::AuditEvent, &event), Vec::<String>::new());
            assert!(Object::parse(Kind::AuditEvent, event).is_ok(), "{deed:?}");
        }
    }

    #[test]
    fn a_detail_without_end_is_cut_after_its_secrets_are_hidden() {
        let long = format!("{}https://u:p@wiki/x", "é".repeat(LONGEST_DETAIL - 4));
        let told = event(&Entry {
            details: texts(&[("resolution", &long)]),
            ..entry(Deed::IssueResolved)
        });
        let text = told["spec"]["details"]["resolution"].as_str().unwrap();
        assert!(text.ends_with("é***"), "{text}");
        let longer = event(&Entry {
            details: texts(&[("resolution", &"é".repeat(LONGEST_DETAIL + 1))]),
            ..entry(Deed::IssueResolved)
        });
        let text = longer["spec"]["details"]["resolution"].as_str().unwrap();
        assert!(text.ends_with("é…") && text.chars().count() == LONGEST_DETAIL + 1);
    }
}
