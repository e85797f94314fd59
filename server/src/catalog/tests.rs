//! A small kind of our own, so that the tables are tested without regard to what the real kinds show.

mod dependencies;
mod listing;
mod placing;
mod publishing;

use super::{Context, Project, Projection, Row, SortKey, Table, Tables, table::Place};
use crate::resources::{Kind, Object, ObjectMeta, Typed};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::Arc};

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct Thing {
    pub(super) metadata: ObjectMeta,
    pub(super) severity: String,
    pub(super) score: i32,
    pub(super) text: String,
    pub(super) quiet_until: Option<Timestamp>,
}

// === impl Thing ===

impl Thing {
    pub(super) fn named(namespace: &str, name: &str, second: i64) -> Self {
        let metadata = ObjectMeta {
            namespace: Some(namespace.into()),
            name: Some(name.into()),
            creation_timestamp: Some(Time(at(second))),
            ..ObjectMeta::default()
        };
        Self {
            metadata,
            severity: "low".into(),
            score: 0,
            text: String::new(),
            quiet_until: None,
        }
    }

    pub(super) fn version(mut self, version: u64) -> Self {
        self.metadata.resource_version = Some(version.to_string());
        self
    }

    pub(super) fn place(&self) -> Place {
        (self.namespace().into(), self.name().into())
    }

    pub(super) fn quiet(&self, now: Timestamp) -> bool {
        self.quiet_until.is_some_and(|until| now < until)
    }

    pub(super) fn need_group(&self) -> u8 {
        match &*self.severity {
            "critical" => 0,
            "high" => 1,
            _ => 2,
        }
    }
}

impl Typed for Thing {
    const KIND: Kind = Kind::Issue;

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn of(_: &Object) -> Option<&Arc<Self>> {
        None
    }

    fn into_object(self: Arc<Self>) -> Object {
        unimplemented!("a thing is none of the kinds that can be stored")
    }
}

impl Project for Thing {
    const FACETS: &'static [&'static str] = &["severity", "quiet"];
    const SORTABLE: &'static [&'static str] = &["score", "severity"];

    fn project(&self, context: &Context<'_>) -> Projection {
        Projection::of(self)
            .facet("severity", self.severity.clone())
            .flag("quiet", self.quiet(context.now))
            .text([&*self.text])
            .need(self.need_group())
            .until(self.quiet_until)
    }

    fn sort_key<'a>(row: &'a Row<Self>, member: &str) -> SortKey<'a> {
        match member {
            "score" => row.object.score.into(),
            "severity" => row.object.severity.as_str().into(),
            _ => SortKey::Absent,
        }
    }
}

pub(super) fn at(second: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_secs(1_790_000_000 + second)
}

// === What the catalog does with a table, without the other kinds ===

pub(super) fn project(table: &mut Table<Thing>, places: impl IntoIterator<Item = Place>, now: Timestamp) {
    let none = Tables::default();
    for place in places {
        let Some(object) = table.get(&place.0, &place.1).map(|row| row.object.clone()) else {
            continue;
        };
        table.project(&place, object.project(&Context::new(&none, now)), now);
    }
}

pub(super) fn apply(table: &mut Table<Thing>, things: Vec<Thing>, now: Timestamp) {
    let places = table.place(things.into_iter().map(Arc::new).collect());
    project(table, places, now);
}

pub(super) fn loaded(things: impl IntoIterator<Item = Thing>, now: Timestamp) -> Table<Thing> {
    let mut table = Table::default();
    apply(&mut table, things.into_iter().collect(), now);
    table
}

/// A row as it can be told from outside.
pub(super) type Content = (Thing, String, Vec<String>, u8, Option<Timestamp>);

/// All rows of a table, in order.
pub(super) fn contents(table: &Table<Thing>) -> Vec<Content> {
    (table.iter())
        .map(|row| {
            let facets = row
                .facets
                .iter()
                .map(|(facet, value)| format!("{facet}={value}"))
                .collect();
            let item = String::from_utf8_lossy(&row.item).into_owned();
            ((*row.object).clone(), item, facets, row.need, row.next_change)
        })
        .collect()
}

/// Labels, names and bitmaps say the same.
pub(super) fn assert_sound(table: &Table<Thing>) {
    let rows: Vec<_> = table.iter().collect();
    assert!(
        rows.is_sorted_by(|a, b| a.key() < b.key()),
        "rows are in order, each once"
    );
    assert_eq!(rows.len(), table.len());
    for row in &rows {
        let held = table
            .get(row.namespace(), row.name())
            .expect("a row is found by its name");
        assert!(Arc::ptr_eq(held, row));
        assert!(table.named(row.name()).any(|named| Arc::ptr_eq(named, row)));
    }
    let mut indexed = BTreeMap::<(String, String), usize>::new();
    for (number, name) in ["namespace", "severity", "quiet"].into_iter().enumerate() {
        let postings = table.index.facet(number).expect("every facet has an index");
        for (value, labels) in postings.iter() {
            assert!(labels.is_subset(table.order.labels()) && !labels.is_empty());
            indexed.insert((name.into(), value.to_string()), labels.len() as usize);
        }
    }
    let mut scanned = BTreeMap::<(String, String), usize>::new();
    for (facet, value) in rows.iter().flat_map(|row| row.facets.iter()) {
        let name = ["namespace", "severity", "quiet"][usize::from(*facet)];
        *scanned.entry((name.into(), value.to_string())).or_default() += 1;
    }
    assert_eq!(indexed, scanned);
}

// === Generated things ===

pub(super) fn namespaces() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["edge", "ops", "shop"]).prop_map(str::to_owned)
}

/// Few names and few seconds, so that namesakes, bursts within a second and replacements are common.
pub(super) fn things() -> impl Strategy<Value = Thing> {
    let severity = prop::sample::select(vec!["critical", "high", "medium", "low"]);
    let text = prop::sample::select(vec!["", "Disk full", "disk slow", "Pod evicted"]);
    let name = (0..30u8).prop_map(|number| format!("thing-{number}"));
    (
        namespaces(),
        name,
        0..6i64,
        severity,
        0..4i32,
        text,
        prop::option::of(0..20i64),
    )
        .prop_map(|(namespace, name, second, severity, score, text, quiet)| Thing {
            severity: severity.into(),
            score,
            text: text.into(),
            quiet_until: quiet.map(at),
            ..Thing::named(&namespace, &name, second)
        })
}
