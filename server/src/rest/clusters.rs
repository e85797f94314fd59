//! Clusters: the registered ones, and how they stand together.

use super::{
    Error,
    answer::json,
    ask::Ask,
    listing::{Listing, Single, Unqualified},
};
use crate::{
    catalog::project::cluster_item,
    resources::{ClusterRegistration, Kind},
    rules::federation,
};
use axum::{extract::Path, response::Response};
use opsdeck_api::cluster::GlobalClusterStatus;

pub(super) const CLUSTERS: Listing = Listing {
    kind: "ClusterRegistrationList",
    timed: false,
    table: (
        "clusters",
        &[
            "name",
            "namespace",
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
            "creationTimestamp",
            "labels",
        ],
    ),
};

pub(super) const CLUSTER: Single = Single {
    kind: "ClusterRegistration",
    noun: "cluster",
    unqualified: Unqualified::Anywhere,
};

/// `tier` filters in the federation only.
pub(super) async fn list_clusters(ask: Ask) -> Result<Response, Error> {
    ask.list_where::<ClusterRegistration>(&CLUSTERS, |selection| selection.without("tier"))
}

/// Of all namespaces, whichever is asked for.
pub(super) async fn get_global_status(ask: Ask) -> Result<Response, Error> {
    ask.conditional(&[Kind::ClusterRegistration], |snapshot| {
        let clusters = || {
            let rows = snapshot.table::<ClusterRegistration>().iter();
            rows.map(|row| &*row.object)
        };
        let tally = federation::tally(clusters());
        let status = GlobalClusterStatus {
            total_clusters: tally.total(),
            healthy_clusters: tally.healthy,
            degraded_clusters: tally.degraded,
            offline_clusters: tally.offline,
            clusters: clusters().map(cluster_item).collect(),
        };
        json(&opsdeck_api::Single::<_, ()>::report("GlobalClusterStatus", status))
    })
}

pub(super) async fn get_cluster(Path(name): Path<String>, ask: Ask) -> Result<Response, Error> {
    ask.one::<ClusterRegistration>(&CLUSTER, &name)
}
