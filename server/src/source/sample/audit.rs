//! The audit trail that follows from what happens.

use super::{
    clock::{Clock, Moment},
    draft::{Draft, digest},
    incident::Incident,
};
use serde_json::{Value, json};

/// Who did it.
#[derive(Clone, Debug)]
pub(super) enum Actor {
    Issues,
    Plans,
    Approvals,
    Objectives,
    Sla,
    Notifications,
    /// The names of the approvers.
    People(String),
}

// === impl Actor ===

impl Actor {
    fn value(&self) -> Value {
        let (name, controller) = match self {
            Self::Issues => ("IssueReconciler", "issue-controller"),
            Self::Plans => ("RemediationReconciler", "remediation-controller"),
            Self::Approvals => ("ApprovalReconciler", "approval-controller"),
            Self::Objectives => ("SLOReconciler", "slo-controller"),
            Self::Sla => ("SLAReconciler", "sla-controller"),
            Self::Notifications => ("NotificationReconciler", "notification-controller"),
            Self::People(names) => return json!({"type": "user", "name": names}),
        };
        json!({"type": "controller", "name": name, "controller": controller})
    }
}

// === impl Incident ===

impl Incident {
    /// An event about the incident itself.
    pub(super) fn record(&mut self, event: &str, actor: Actor, details: Value) -> &mut Self {
        let about = self.issue.clone();
        self.record_about(&about, event, actor, details)
    }

    /// An event about one of its objects.
    pub(super) fn record_about(&mut self, about: &Draft, event: &str, actor: Actor, details: Value) -> &mut Self {
        let correlation = self.name().to_owned();
        self.audit
            .push(entry(self.clock, self.now, about, event, actor, details, &correlation));
        self
    }
}

/// One audit event; its details are texts whatever they were.
pub(super) fn entry(
    clock: Clock,
    at: Moment,
    about: &Draft,
    event: &str,
    actor: Actor,
    details: Value,
    correlation: &str,
) -> Draft {
    let hash = digest(&format!(
        "{event}/{}/{}/{}",
        about.get("/metadata/uid"),
        clock.unix(at),
        correlation
    ));
    let nanos = u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]) % 1_000_000_000;
    let suffix: String = hash[4..7].iter().map(|byte| format!("{byte:02x}")).collect();
    let text = |name: &str| about.get(name).as_str().unwrap_or_default();
    let namespace = text("/metadata/namespace");
    let severity = severity(event, &details);
    Draft::new(
        "AuditEvent",
        namespace,
        &format!("audit-{}{nanos:09}-{suffix}", clock.unix(at)),
        clock.text(at),
    )
    .label("event-type", event)
    .label("severity", severity)
    .annotation("immutable", "true")
    .spec(json!({
        "eventType": event,
        "actor": actor.value(),
        "resource": {"kind": text("/kind"), "name": about.name(), "namespace": namespace, "uid": text("/metadata/uid")},
        "details": texts(details),
        "severity": severity,
        "correlationId": correlation,
        "timestamp": clock.text(at),
    }))
}

fn severity(event: &str, details: &Value) -> &'static str {
    match event {
        "sla_breach" => "critical",
        "notification_sent" if details["success"] == false => "warning",
        "issue_escalated" | "issue_contained" | "remediation_failed" | "approval_rejected" | "approval_expired"
        | "slo_violation" => "warning",
        _ => "info",
    }
}

fn texts(details: Value) -> Value {
    match details {
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| match value {
                Value::String(_) => (name, value),
                other => (name, other.to_string().into()),
            })
            .collect(),
        other => other,
    }
}
