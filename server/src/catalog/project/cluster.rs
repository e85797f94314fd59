//! ClusterRegistration → cluster.

use super::{Context, Project, Projection, wire};
use crate::{
    catalog::{Row, SortKey},
    resources::{ClusterRegistration, shared::TimeText},
    rules::federation::{self, Health},
};
use opsdeck_api::cluster::ClusterItem;

pub fn cluster_item(cluster: &ClusterRegistration) -> ClusterItem {
    let (meta, spec) = (&cluster.metadata, &cluster.spec);
    let status = cluster.status.clone().unwrap_or_default();
    ClusterItem {
        name: wire::name(meta),
        namespace: wire::namespace(meta),
        display_name: spec.display_name.clone(),
        region: spec.region.clone(),
        environment: spec.environment.to_string(),
        tier: spec.tier.to_string(),
        connected: status.connected,
        degraded: federation::health(cluster) == Health::Degraded,
        version: status.kubernetes_version,
        node_count: status.node_count,
        namespace_count: status.namespace_count,
        active_issues: status.active_issues,
        active_remediations: status.active_remediations,
        // An import may bring a text that is no time, which nobody could count from.
        last_health_check: status
            .last_health_check
            .filter(|at| at.moment().is_some())
            .map(|at| at.as_str().to_owned())
            .unwrap_or_default(),
        creation_timestamp: wire::created(meta),
        labels: wire::labels(meta),
    }
}

impl Project for ClusterRegistration {
    const FACETS: &'static [&'static str] = &["tier"];

    const SORTABLE: &'static [&'static str] = &[
        "displayName",
        "region",
        "environment",
        "tier",
        "connected",
        "degraded",
        "version",
        "nodeCount",
        "namespaceCount",
        "activeIssues",
        "activeRemediations",
        "lastHealthCheck",
    ];

    fn project(&self, _context: &Context<'_>) -> Projection {
        let item = cluster_item(self);
        let need = match federation::health(self) {
            Health::Offline => 0,
            Health::Degraded => 1,
            Health::Healthy => 2,
        };
        Projection::of(&item)
            .text([
                &*item.display_name,
                &item.region,
                &item.environment,
                &item.tier,
                &item.version,
            ])
            .need(need)
            .facet("tier", item.tier)
    }

    fn sort_key<'a>(row: &'a Row<Self>, member: &str) -> SortKey<'a> {
        let (spec, status) = (&row.object.spec, row.object.status.as_ref());
        match member {
            "displayName" => spec.display_name.as_str().into(),
            "region" => spec.region.as_str().into(),
            "environment" => spec.environment.as_str().into(),
            "tier" => spec.tier.as_str().into(),
            "connected" => status.is_some_and(|status| status.connected).into(),
            "degraded" => (federation::health(&row.object) == Health::Degraded).into(),
            "version" => status.map_or("", |status| status.kubernetes_version.as_str()).into(),
            "nodeCount" => status.map_or(0, |status| status.node_count).into(),
            "namespaceCount" => status.map_or(0, |status| status.namespace_count).into(),
            "activeIssues" => status.map_or(0, |status| status.active_issues).into(),
            "activeRemediations" => status.map_or(0, |status| status.active_remediations).into(),
            "lastHealthCheck" => status
                .and_then(|status| status.last_health_check.as_ref())
                .and_then(TimeText::moment)
                .into(),
            _ => SortKey::Absent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::cluster_item;
    use crate::{fixtures::cluster, resources::ConditionStatus};
    use serde_json::json;

    #[test]
    fn what_was_never_looked_at_is_offline_and_says_no_more() {
        assert_eq!(
            serde_json::to_value(cluster_item(&cluster("east"))).unwrap(),
            json!({
                "name": "east", "namespace": "shop", "connected": false, "degraded": false,
                "creationTimestamp": "2026-09-23T12:00:00Z",
            })
        );
    }

    #[test]
    fn the_last_look_is_passed_on_as_it_was_written() {
        let cluster = cluster("east")
            .connected()
            .condition("Degraded", ConditionStatus::True, "worker-1 is not ready")
            .with(|cluster| {
                let status = cluster.status.get_or_insert_default();
                status.last_health_check = Some("2026-09-23T14:00:00.25+02:00".into());
                status.node_count = 3;
            });
        assert_eq!(
            serde_json::to_value(cluster_item(&cluster)).unwrap(),
            json!({
                "name": "east", "namespace": "shop", "connected": true, "degraded": true, "nodeCount": 3,
                "lastHealthCheck": "2026-09-23T14:00:00.25+02:00", "creationTimestamp": "2026-09-23T12:00:00Z",
            })
        );
    }

    #[test]
    fn a_last_look_that_is_no_time_is_none() {
        let cluster = cluster("east").with(|cluster| {
            cluster.status.get_or_insert_default().last_health_check = Some("yesterday".into());
        });
        let item = serde_json::to_value(cluster_item(&cluster)).unwrap();
        assert_eq!(item.get("lastHealthCheck"), None);
    }
}
