//! What breaks most.

use super::{Scope, created};
use crate::resources::{Issue, moment};
use jiff::Timestamp;
use opsdeck_api::analytics::TopResource;
use std::{cmp::Reverse, collections::BTreeMap};

/// The resources with most incidents; of the same number first by kind, namespace and name.
pub fn top_resources<'a>(issues: impl IntoIterator<Item = &'a Issue>, limit: usize, scope: &Scope) -> Vec<TopResource> {
    let mut resources: BTreeMap<(&str, &str, &str), (u64, Timestamp)> = BTreeMap::new();
    for issue in issues.into_iter().filter(|issue| scope.holds(*issue)) {
        let resource = &issue.spec.resource;
        let (count, last) = resources
            .entry((&resource.kind, &resource.namespace, &resource.name))
            .or_insert((0, created(issue)));
        *count += 1;
        *last = created(issue).max(*last);
    }
    let mut resources: Vec<_> = resources.into_iter().collect();
    // Stable: what is equal stays in the order of the map.
    resources.sort_by_key(|(_, (count, _))| Reverse(*count));
    resources.truncate(limit);
    resources
        .into_iter()
        .map(|((kind, namespace, name), (count, last))| TopResource {
            kind: kind.to_owned(),
            name: name.to_owned(),
            namespace: namespace.to_owned(),
            incident_count: count,
            last_incident: moment::written(last),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::top_resources;
    use crate::{
        fixtures::{Fixture, incident},
        resources::Issue,
        rules::analytics::{Scope, worlds},
    };
    use proptest::prelude::*;

    fn all(issues: &[Fixture<Issue>]) -> impl Iterator<Item = &Issue> {
        issues.iter().map(|issue| &**issue)
    }

    #[test]
    fn what_breaks_most_comes_first() {
        let issues = [
            incident().on("Deployment", "checkout").created("2026-09-20T00:00:00Z"),
            incident().on("StatefulSet", "ledger").created("2026-09-22T00:00:00Z"),
            incident().on("StatefulSet", "ledger").created("2026-09-21T00:00:00Z"),
            incident().on("Service", "checkout").created("2026-09-23T00:00:00Z"),
        ];
        let top = top_resources(all(&issues), 10, &Scope::default());
        let said: Vec<_> = top
            .iter()
            .map(|row| {
                (
                    &*row.kind,
                    &*row.name,
                    &*row.namespace,
                    row.incident_count,
                    &*row.last_incident,
                )
            })
            .collect();
        assert_eq!(
            said,
            [
                ("StatefulSet", "ledger", "shop", 2, "2026-09-22T00:00:00Z"),
                ("Deployment", "checkout", "shop", 1, "2026-09-20T00:00:00Z"),
                ("Service", "checkout", "shop", 1, "2026-09-23T00:00:00Z"),
            ]
        );
        assert_eq!(top_resources(all(&issues), 1, &Scope::default()), top[..1]);
        assert_eq!(top_resources([], 10, &Scope::default()), []);
    }

    #[test]
    fn the_namespace_is_the_incidents_and_not_the_resources() {
        let node = incident().with(|issue| {
            issue.spec.resource.kind = "Node".into();
            issue.spec.resource.namespace.clear();
        });
        let within = |namespace: &str| Scope {
            namespaces: vec![namespace.into()],
            ..Scope::default()
        };
        assert_eq!(top_resources([&*node], 10, &within("shop"))[0].namespace, "");
        assert_eq!(top_resources([&*node], 10, &within("edge")), []);
    }

    proptest! {
        #[test]
        fn a_shorter_list_begins_a_longer_one(issues in worlds::incidents(), scope in worlds::scopes(), limit in 0..6usize) {
            let whole = top_resources(all(&issues), usize::MAX, &scope);
            let counted = issues.iter().filter(|issue| scope.holds(&***issue)).count() as u64;
            prop_assert_eq!(whole.iter().map(|row| row.incident_count).sum::<u64>(), counted);
            prop_assert!(whole.is_sorted_by(|a, b| a.incident_count >= b.incident_count));
            prop_assert_eq!(&top_resources(all(&issues), limit, &scope)[..], &whole[..limit.min(whole.len())]);
        }
    }
}
