//! What readers of the catalog get to know, and when.

use super::at;
use crate::{
    catalog::{Catalog, RowChange, Since},
    resources::{Issue, Kind, Object, Runbook, Typed},
    source::Address,
};
use bytes::Bytes;
use proptest::prelude::*;
use serde_json::json;
use std::{collections::BTreeMap, sync::Arc};

pub(super) fn issue(name: &str, second: i64, version: u64, description: &str) -> Object {
    object(
        Kind::Issue,
        name,
        second,
        version,
        json!({
            "severity": "high",
            "source": "prometheus",
            "resource": { "kind": "Deployment", "name": "checkout", "namespace": "shop" },
            "description": description,
        }),
    )
}

pub(super) fn object(kind: Kind, name: &str, second: i64, version: u64, spec: serde_json::Value) -> Object {
    let value = json!({
        "apiVersion": kind.api_version(),
        "kind": kind.as_str(),
        "metadata": {
            "namespace": "shop",
            "name": name,
            "creationTimestamp": at(second),
            "resourceVersion": version.to_string(),
        },
        "spec": spec,
    });
    Object::parse(kind, value).expect("the tests' own objects are of their kind")
}

fn address(name: &str) -> Address {
    Address {
        kind: Kind::Issue,
        namespace: "shop".into(),
        name: name.into(),
    }
}

fn names(since: Since) -> Vec<(String, bool)> {
    match since {
        Since::Gap => panic!("the feed holds more than a test makes"),
        Since::Changes(changes) => changes
            .into_iter()
            .map(|change| (change.name.to_string(), change.item.is_none()))
            .collect(),
    }
}

#[test]
fn a_change_is_published_once() {
    let catalog = Catalog::new(7);
    let mut published = catalog.subscribe();
    catalog.apply(
        vec![issue("a", 1, 1, "disk full"), issue("b", 2, 2, "disk full")],
        at(3),
    );
    assert!(published.has_changed().unwrap());
    assert_eq!(*published.borrow_and_update(), 1);
    let held = catalog.snapshot();

    catalog.apply(vec![issue("a", 1, 1, "disk full")], at(4));
    assert!(!published.has_changed().unwrap(), "the same version is no news");
    assert_eq!(catalog.snapshot().revision(), 1);

    catalog.delete(vec![address("b"), address("unknown")], at(5));
    assert_eq!(*published.borrow_and_update(), 2);
    assert_eq!(names(catalog.changes_since(1)), [("b".to_owned(), true)]);
    assert_eq!(held.table::<Issue>().len(), 2, "a snapshot stays as it was");
    assert_eq!(catalog.snapshot().table::<Issue>().len(), 1);
    assert_eq!(catalog.snapshot().epoch(), 7);
}

#[test]
fn a_kind_has_the_revision_of_its_own_last_change() {
    let catalog = Catalog::new(1);
    catalog.apply(vec![issue("a", 1, 1, "disk full")], at(3));
    let runbook = json!({
        "trigger": { "signalType": "disk_pressure", "severity": "high", "resourceKind": "Deployment" },
        "steps": [{ "name": "grow", "action": "ScaleDeployment" }],
    });
    catalog.apply(vec![object(Kind::Runbook, "grow", 2, 2, runbook)], at(3));
    let snapshot = catalog.snapshot();
    assert_eq!(
        (
            snapshot.table::<Issue>().revision(),
            snapshot.table::<Runbook>().revision()
        ),
        (1, 2)
    );
    assert_eq!((snapshot.revision_of(Kind::Anomaly), snapshot.revision()), (0, 2));
}

#[test]
fn a_list_of_all_removes_the_others() {
    let catalog = Catalog::new(1);
    catalog.reset(
        Kind::Issue,
        vec![issue("a", 1, 1, "x"), issue("b", 2, 2, "x"), issue("c", 3, 3, "x")],
        at(4),
    );
    catalog.reset(Kind::Issue, vec![issue("b", 2, 2, "x"), issue("d", 4, 5, "x")], at(4));
    let mut changed = names(catalog.changes_since(1));
    changed.sort();
    assert_eq!(
        changed,
        [("a".to_owned(), true), ("c".to_owned(), true), ("d".to_owned(), false)]
    );
}

/// A cluster that was restored from a backup counts from an earlier version on.
#[test]
fn a_list_of_all_undoes_what_is_newer_than_it() {
    let catalog = Catalog::new(1);
    let held = || {
        catalog
            .snapshot()
            .table::<Issue>()
            .iter()
            .next()
            .map(|row| row.object.spec.description.clone())
    };
    catalog.apply(vec![issue("a", 1, 5, "newer")], at(4));
    catalog.apply(vec![issue("a", 1, 3, "older")], at(4));
    assert_eq!(held().as_deref(), Some("newer"));
    catalog.reset(Kind::Issue, vec![issue("a", 1, 3, "older")], at(4));
    assert_eq!(held().as_deref(), Some("older"));
    catalog.apply(vec![issue("a", 1, 4, "next")], at(4));
    assert_eq!(held().as_deref(), Some("next"));
}

#[test]
fn a_flood_leaves_a_gap() {
    let catalog = Catalog::new(1);
    let flood = (0..5000)
        .map(|number| issue(&format!("a-{number}"), number, 1, "x"))
        .collect();
    catalog.apply(flood, at(0));
    assert_eq!(catalog.changes_since(0), Since::Gap);
    assert_eq!(catalog.changes_since(1), Since::Changes(Vec::new()));
}

#[derive(Clone, Debug)]
enum Step {
    Apply(Vec<(u8, u8)>),
    Delete(u8),
    Reset(Vec<(u8, u8)>),
}

fn steps() -> impl Strategy<Value = Step> {
    let told = prop::collection::vec((0..12u8, 0..3u8), 0..6);
    prop_oneof![
        told.clone().prop_map(Step::Apply),
        (0..12u8).prop_map(Step::Delete),
        told.prop_map(Step::Reset),
    ]
}

proptest! {
    /// Who reads once and then follows the changes sees what the snapshot has.
    #[test]
    fn following_the_changes_is_as_good_as_reading_again(steps in prop::collection::vec(steps(), 1..30)) {
        let catalog = Catalog::new(1);
        let mut seen = BTreeMap::<Arc<str>, (Bytes, Option<String>)>::new();
        let mut revision = 0;
        for (version, step) in (1u64..).zip(steps) {
            let objects = |told: Vec<(u8, u8)>| -> Vec<_> {
                (told.into_iter())
                    .map(|(name, text)| issue(&format!("a-{name}"), i64::from(name), version, &format!("text {text}")))
                    .collect()
            };
            match step {
                Step::Apply(told) => catalog.apply(objects(told), at(0)),
                Step::Delete(name) => catalog.delete(vec![address(&format!("a-{name}"))], at(0)),
                Step::Reset(told) => catalog.reset(Kind::Issue, objects(told), at(0)),
            }
            let Since::Changes(changes) = catalog.changes_since(revision) else { panic!("few changes") };
            let snapshot = catalog.snapshot();
            let table = snapshot.table::<Issue>();
            let held: BTreeMap<_, _> = (table.iter())
                .map(|row| (row.object.name().into(), (row.item.clone(), row.object.meta().resource_version.clone())))
                .collect();
            for RowChange { revision: changed, name, item, .. } in changes {
                prop_assert!(changed > revision);
                match item {
                    Some(item) => {
                        prop_assert_eq!(Some(&item), held.get(&name).map(|(item, _)| item));
                        let now = held.get(&name).cloned().expect("a row that is told of");
                        prop_assert_ne!(seen.insert(name, now.clone()), Some(now), "an event without news");
                    }
                    None => prop_assert!(seen.remove(&name).is_some()),
                }
            }
            revision = snapshot.revision();
            prop_assert_eq!(&seen, &held);
        }
    }
}
