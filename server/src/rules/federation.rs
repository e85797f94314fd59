//! How clusters stand, one by one and together, and which incidents belong to the same trouble in several of them.

use crate::resources::{ClusterRegistration, ConditionStatus, Issue, IssueState, Typed as _};
use std::collections::BTreeMap;

/// States in which an incident no longer counts as active in the federation.
pub static ENDED: [IssueState; 2] = [IssueState::Resolved, IssueState::Failed];

const CORRELATION: [&str; 2] = [
    "platform.chatcli.io/cross-cluster-correlation",
    "platform.chatcli.io/correlation-id",
];
const CLUSTERS: [&str; 2] = [
    "platform.chatcli.io/affected-clusters",
    "platform.chatcli.io/correlated-clusters",
];
const ELEVATED: &str = "platform.chatcli.io/elevated-severity";
const CASCADE: &str = "platform.chatcli.io/cascade-detected";

/// How one cluster stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Health {
    Healthy,
    /// Connected, and some of its nodes are not ready.
    Degraded,
    Offline,
}

/// How many stand how.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Tally {
    pub healthy: u64,
    pub degraded: u64,
    pub offline: u64,
}

/// An incident that stands for a trouble of several clusters.
#[derive(Clone, Copy, Debug)]
pub struct Correlation<'a> {
    pub id: &'a str,
    pub issue: &'a Issue,
}

pub fn health(cluster: &ClusterRegistration) -> Health {
    let Some(status) = cluster.status.as_ref().filter(|status| status.connected) else {
        return Health::Offline;
    };
    let degraded = status
        .conditions
        .iter()
        .any(|condition| condition.aspect == "Degraded" && condition.status == ConditionStatus::True);
    if degraded { Health::Degraded } else { Health::Healthy }
}

pub fn tally<'a>(clusters: impl IntoIterator<Item = &'a ClusterRegistration>) -> Tally {
    let mut tally = Tally::default();
    for cluster in clusters {
        match health(cluster) {
            Health::Healthy => tally.healthy += 1,
            Health::Degraded => tally.degraded += 1,
            Health::Offline => tally.offline += 1,
        }
    }
    tally
}

/// One per id: the oldest incident that carries it, then the first by namespace and name. Newest first.
pub fn correlations<'a>(issues: impl IntoIterator<Item = &'a Issue>) -> Vec<Correlation<'a>> {
    let age = |issue: &Issue| issue.created();
    let mut oldest = BTreeMap::<&str, &Issue>::new();
    for issue in issues {
        let Some(id) = annotated(issue, CORRELATION) else {
            continue;
        };
        let place = |issue: &'a Issue| (age(issue), issue.name(), issue.namespace());
        oldest
            .entry(id)
            .and_modify(|held| {
                if place(issue) < place(held) {
                    *held = issue;
                }
            })
            .or_insert(issue);
    }
    let mut found: Vec<_> = oldest
        .into_iter()
        .map(|(id, issue)| Correlation { id, issue })
        .collect();
    found.sort_by_key(|correlation| std::cmp::Reverse(age(correlation.issue)));
    found
}

/// The newer annotation, else the one of older releases.
fn annotated<'a>(issue: &'a Issue, keys: [&str; 2]) -> Option<&'a str> {
    keys.into_iter()
        .find_map(|key| issue.annotation(key).filter(|text| !text.is_empty()))
}

// === impl Tally ===

impl Tally {
    pub fn connected(self) -> u64 {
        self.healthy + self.degraded
    }

    pub fn total(self) -> u64 {
        self.connected() + self.offline
    }
}

// === impl Correlation ===

impl Correlation<'_> {
    /// How many clusters, as text.
    pub fn clusters(&self) -> &str {
        annotated(self.issue, CLUSTERS).unwrap_or_default()
    }

    /// Its severity was lifted because of the others.
    pub fn elevated(&self) -> bool {
        self.issue.annotation(ELEVATED) == Some("true")
    }

    /// It came here from a staging cluster.
    pub fn cascade(&self) -> bool {
        self.issue.annotation(CASCADE) == Some("true")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{cluster, incident};
    use proptest::prelude::*;

    #[test]
    fn one_healthy_one_degraded_one_offline() {
        let clusters = [
            cluster("a")
                .connected()
                .condition("Degraded", ConditionStatus::False, ""),
            cluster("b")
                .connected()
                .condition("Degraded", ConditionStatus::True, "worker-1"),
            cluster("c").condition("Degraded", ConditionStatus::True, "worker-1"),
            cluster("d")
                .connected()
                .condition("Degraded", ConditionStatus::Unknown, ""),
        ];
        let seen = clusters.each_ref().map(|cluster| health(cluster));
        assert_eq!(
            seen,
            [Health::Healthy, Health::Degraded, Health::Offline, Health::Healthy]
        );
        let tally = tally(clusters[..3].iter().map(|cluster| &**cluster));
        assert_eq!(
            tally,
            Tally {
                healthy: 1,
                degraded: 1,
                offline: 1
            }
        );
        assert_eq!((tally.connected(), tally.total()), (2, 3));
    }

    #[test]
    fn the_oldest_incident_stands_for_a_correlation() {
        let marked = |name: &str, at: &str, id: &str| incident().named(name).created(at).annotated(CORRELATION[0], id);
        let issues = [
            marked("later", "2026-09-23T10:00:00Z", "x-1")
                .annotated(CLUSTERS[0], "4")
                .annotated(ELEVATED, "true"),
            marked("first", "2026-09-23T09:00:00Z", "x-1")
                .annotated(CLUSTERS[1], "3")
                .annotated(ELEVATED, "True")
                .annotated(CASCADE, "true"),
            marked("alone", "2026-09-23T11:00:00Z", "x-2").annotated(CORRELATION[1], "older-id"),
            incident()
                .named("old")
                .created("2026-09-23T08:00:00Z")
                .annotated(CORRELATION[1], "x-0"),
            incident().named("none"),
            incident().named("blank").annotated(CORRELATION[0], ""),
        ];
        let found = correlations(issues.iter().map(|issue| &**issue));
        let told: Vec<_> = (found.iter())
            .map(|found| {
                (
                    found.id,
                    found.issue.name(),
                    found.clusters(),
                    found.elevated(),
                    found.cascade(),
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                ("x-2", "alone", "", false, false),
                ("x-1", "first", "3", false, true),
                ("x-0", "old", "", false, false),
            ]
        );
    }

    proptest! {
        #[test]
        fn the_order_of_the_incidents_does_not_matter(
            drawn in prop::collection::vec((0..3_u8, 0..3_u8, 0..4_u8), 0..12).prop_flat_map(|drawn| (Just(drawn.clone()), Just(drawn).prop_shuffle()))
        ) {
            let issues = |drawn: &[(u8, u8, u8)]| -> Vec<_> {
                drawn
                    .iter()
                    .map(|(id, name, minute)| {
                        incident()
                            .named(&format!("i-{name}"))
                            .created(&format!("2026-09-23T12:0{minute}:00Z"))
                            .annotated(CORRELATION[0], &format!("x-{id}"))
                    })
                    .collect()
            };
            let (one, other) = (issues(&drawn.0), issues(&drawn.1));
            let told = |issues: &[crate::fixtures::Fixture<Issue>]| -> Vec<_> {
                let found = correlations(issues.iter().map(|issue| &**issue));
                found.iter().map(|found| (found.id.to_owned(), found.issue.name().to_owned(), found.issue.created())).collect()
            };
            prop_assert_eq!(told(&one), told(&other));
            let ids: std::collections::BTreeSet<_> = drawn.0.iter().map(|(id, ..)| id).collect();
            prop_assert_eq!(told(&one).len(), ids.len());
        }
    }
}
