//! The federation: what several clusters have in common. No namespace narrows it.

use super::{
    Error,
    answer::{json, json_bytes},
    ask::Ask,
    clusters::CLUSTERS,
    csv,
    listing::page_of,
};
use crate::{
    catalog::{Page, Selection},
    resources::{ClusterRegistration, Issue, Kind, Typed as _},
    rules::federation::{self, Correlation},
};
use axum::response::Response;
use opsdeck_api::{
    List, Single,
    cluster::{CorrelationItem, FederationStatus},
};

pub(super) async fn get_federation_status(ask: Ask) -> Result<Response, Error> {
    ask.conditional(&[Kind::ClusterRegistration, Kind::Issue], |snapshot| {
        let clusters = snapshot.table::<ClusterRegistration>().iter();
        let tally = federation::tally(clusters.map(|row| &*row.object));
        let issues = snapshot.table::<Issue>();
        let ended = federation::ENDED.iter().map(|state| state.as_str());
        let ended = issues.count(&Selection::default().filter("state", ended));
        let status = FederationStatus {
            total_clusters: tally.total(),
            connected_clusters: tally.connected(),
            degraded_clusters: tally.degraded,
            disconnected_clusters: tally.offline,
            total_active_issues: (issues.len() - ended) as u64,
        };
        json(&Single::<_, ()>::report("FederationStatus", status))
    })
}

/// All on one page.
pub(super) async fn list_federation_clusters(ask: Ask) -> Result<Response, Error> {
    ask.conditional(&[Kind::ClusterRegistration], |snapshot| {
        let selection = ask.selection::<ClusterRegistration>(false).without("namespace");
        let rows = snapshot.table::<ClusterRegistration>().all(&selection)?;
        if ask.wants_csv {
            return csv::table(CLUSTERS.table, &rows, ask.now);
        }
        let total = rows.len();
        let all = Page { total, rows };
        Ok(json_bytes(page_of(CLUSTERS.kind, &all, 1, total as u64)))
    })
}

pub(super) async fn list_correlations(ask: Ask) -> Result<Response, Error> {
    ask.conditional(&[Kind::Issue], |snapshot| {
        let issues = snapshot.table::<Issue>().iter().map(|row| &*row.object);
        let items = federation::correlations(issues).iter().map(item).collect();
        json(&List::whole("FederationCorrelations", items))
    })
}

fn item(correlation: &Correlation<'_>) -> CorrelationItem {
    let issue = correlation.issue;
    CorrelationItem {
        correlation_id: correlation.id.to_owned(),
        issue: issue.name().to_owned(),
        namespace: issue.namespace().to_owned(),
        severity: issue.spec.severity.to_string(),
        signal_type: issue.spec.signal_type.clone(),
        correlated_clusters: correlation.clusters().to_owned(),
        elevated: correlation.elevated(),
        cascade: correlation.cascade(),
    }
}
