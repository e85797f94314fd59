//! AuditEvent → line of the trail.

use super::{Context, Project, Projection, created, wire};
use crate::{
    catalog::{Row, SortKey},
    resources::{AuditEvent, Kind},
    rules::masking,
};
use jiff::Timestamp;
use opsdeck_api::audit::AuditEventItem;

pub fn audit_item(event: &AuditEvent) -> AuditEventItem {
    let (meta, spec) = (&event.metadata, &event.spec);
    AuditEventItem {
        name: wire::name(meta),
        namespace: wire::namespace(meta),
        event_type: spec.event_type.clone(),
        severity: spec.severity.clone(),
        correlation_id: spec.correlation_id.clone(),
        actor_type: spec.actor.kind.clone(),
        actor_name: spec.actor.name.clone(),
        resource_kind: spec.resource.kind.clone(),
        resource_name: spec.resource.name.clone(),
        resource_namespace: spec.resource.namespace.clone(),
        detail: detail(event),
        timestamp: match &spec.timestamp {
            Some(text) if !text.as_str().is_empty() => text.as_str().to_owned(),
            _ => wire::created(meta),
        },
        creation_timestamp: wire::created(meta),
    }
}

fn detail(event: &AuditEvent) -> String {
    let details = masking::details(&event.spec.details);
    let pairs: Vec<_> = details.iter().map(|(key, value)| format!("{key}={value}")).collect();
    pairs.join("; ")
}

fn rank(severity: &str) -> SortKey<'static> {
    SortKey::Number(match severity {
        "critical" => 3.0,
        "warning" => 2.0,
        "info" => 1.0,
        _ => 0.0,
    })
}

impl Project for AuditEvent {
    const FACETS: &'static [&'static str] = &["type", "severity", "resource", "issue"];

    const SORTABLE: &'static [&'static str] = &[
        "eventType",
        "severity",
        "correlationId",
        "actorType",
        "actorName",
        "resourceKind",
        "resourceName",
        "resourceNamespace",
        "timestamp",
    ];

    /// When it happened; when it was written down, where that cannot be told.
    fn time(&self) -> Timestamp {
        let happened = self.spec.timestamp.as_ref().and_then(|text| text.moment());
        happened.unwrap_or_else(|| created(self))
    }

    /// An event belongs to the incident that it is correlated with, and to the one that it is about.
    fn project(&self, _context: &Context<'_>) -> Projection {
        let item = audit_item(self);
        let about = (item.resource_kind == Kind::Issue.as_str()).then(|| item.resource_name.clone());
        let mut incidents: Vec<_> = about.into_iter().chain([item.correlation_id.clone()]).collect();
        incidents.retain(|incident| !incident.is_empty());
        incidents.dedup();
        let projection = Projection::of(&item).text([
            &*item.event_type,
            &item.actor_name,
            &format!("{}/{}", item.resource_kind, item.resource_name),
            &item.correlation_id,
            &item.detail,
        ]);
        (incidents.into_iter())
            .fold(projection, |projection, incident| projection.facet("issue", incident))
            .facet("type", item.event_type)
            .facet("severity", item.severity)
            .facet("resource", item.resource_name)
    }

    fn sort_key<'a>(row: &'a Row<Self>, member: &str) -> SortKey<'a> {
        let spec = &row.object.spec;
        match member {
            "eventType" => spec.event_type.as_str().into(),
            "severity" => rank(&spec.severity),
            "correlationId" => spec.correlation_id.as_str().into(),
            "actorType" => spec.actor.kind.as_str().into(),
            "actorName" => spec.actor.name.as_str().into(),
            "resourceKind" => spec.resource.kind.as_str().into(),
            "resourceName" => spec.resource.name.as_str().into(),
            "resourceNamespace" => spec.resource.namespace.as_str().into(),
            "timestamp" => row.key().time.into(),
            _ => SortKey::Absent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::audit_item;
    use crate::{
        catalog::Project as _,
        fixtures::{at, event, noon, texts},
    };
    use serde_json::json;

    #[test]
    fn an_event_says_when_it_happened_in_its_own_words() {
        let late = event("issue_resolved").with(|event| {
            event.spec.timestamp = Some("2026-09-23T13:00:00.5+02:00".into());
            event.spec.actor.kind = "user".into();
            event.spec.actor.name = "sre-mira".into();
        });
        assert_eq!(
            serde_json::to_value(audit_item(&late)).unwrap(),
            json!({
                "name": "audit-1", "namespace": "shop", "eventType": "issue_resolved", "actorType": "user", "actorName": "sre-mira",
                "timestamp": "2026-09-23T13:00:00.5+02:00", "creationTimestamp": "2026-09-23T12:00:00Z",
            })
        );
        assert_eq!(late.time(), at("2026-09-23T11:00:00.5Z"));
    }

    #[test]
    fn one_that_does_not_say_happened_when_it_was_written() {
        for (text, shown) in [(None, "2026-09-23T12:00:00Z"), (Some("around noon"), "around noon")] {
            let event = event("config_changed").with(|event| event.spec.timestamp = text.map(Into::into));
            assert_eq!((&*audit_item(&event).timestamp, event.time()), (shown, noon()));
        }
    }

    #[test]
    fn details_stand_by_key_and_hide_credentials() {
        let told = event("notification_sent").with(|event| {
            event.spec.details = texts(&[
                ("error", "Post https://h.example/key: EOF"),
                ("channel", "sre"),
                ("api_key", "k"),
            ]);
        });
        assert_eq!(audit_item(&told).detail, "api_key=***; channel=sre; error=Post *** EOF");
    }
}
