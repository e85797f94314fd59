//! What the indexes find is what a scan of all rows would find.

use super::{Thing, at, loaded, namespaces, project, things};
use crate::{
    catalog::{Selection, Sort},
    resources::Typed,
};
use proptest::prelude::*;
use std::{cmp::Reverse, collections::BTreeMap};

#[derive(Clone, Debug)]
struct Asked {
    namespaces: Vec<String>,
    severities: Vec<String>,
    quiet: Option<bool>,
    from: Option<i64>,
    to: Option<i64>,
    text: &'static str,
    sort: &'static str,
}

const SORTS: [&str; 8] = [
    "",
    "need",
    "score",
    "-score",
    "-severity,name",
    "namespace,-creationTimestamp",
    "-name,score",
    "creationTimestamp",
];

fn asked() -> impl Strategy<Value = Asked> {
    let severities = prop::sample::subsequence(vec!["critical", "high", "none"], 0..3);
    (
        prop::collection::vec(namespaces(), 0..3),
        severities,
        prop::option::of(any::<bool>()),
        prop::option::of(-1..7i64),
        prop::option::of(-1..7i64),
        prop::sample::select(vec!["", "", "DISK", "thing-1 disk", "ops", "nowhere"]),
        prop::sample::select(SORTS.to_vec()),
    )
        .prop_map(|(namespaces, severities, quiet, from, to, text, sort)| Asked {
            namespaces,
            severities: severities.into_iter().map(str::to_owned).collect(),
            quiet,
            from,
            to,
            text,
            sort,
        })
}

impl Asked {
    fn selection(&self) -> Selection {
        Selection::default()
            .filter("namespace", self.namespaces.clone())
            .filter("severity", self.severities.clone())
            .filter("quiet", self.quiet.map(|quiet| quiet.to_string()))
            .between(self.from.map(at), self.to.map(at))
            .search(self.text)
            .sorted(Sort::parse(self.sort))
    }

    fn scan(
        &self,
        things: &BTreeMap<(std::sync::Arc<str>, std::sync::Arc<str>), Thing>,
        now: jiff::Timestamp,
    ) -> Vec<Thing> {
        let any = |values: &[String], value: &str| values.is_empty() || values.iter().any(|other| other == value);
        let mut found: Vec<_> = (things.values())
            .filter(|thing| any(&self.namespaces, thing.namespace()) && any(&self.severities, &thing.severity))
            .filter(|thing| self.quiet.is_none_or(|quiet| thing.quiet(now) == quiet))
            .filter(|thing| self.from.is_none_or(|from| thing.created() >= Some(at(from))))
            .filter(|thing| self.to.is_none_or(|to| thing.created() <= Some(at(to))))
            .filter(|thing| {
                let text = format!("{} {} {}", thing.name(), thing.namespace(), thing.text).to_lowercase();
                self.text.to_lowercase().split(' ').all(|word| text.contains(word))
            })
            .cloned()
            .collect();
        found.sort_by_cached_key(|thing| (Reverse(thing.created()), thing.place()));
        match self.sort {
            "need" => found.sort_by_key(Thing::need_group),
            "score" => found.sort_by_key(|thing| thing.score),
            "-score" => found.sort_by_key(|thing| -thing.score),
            "-severity,name" => {
                found.sort_by_cached_key(|thing| (Reverse(thing.severity.clone()), thing.name().to_owned()))
            }
            "namespace,-creationTimestamp" => {
                found.sort_by_cached_key(|thing| (thing.namespace().to_owned(), Reverse(thing.created())));
            }
            "-name,score" => found.sort_by_cached_key(|thing| (Reverse(thing.name().to_owned()), thing.score)),
            "creationTimestamp" => found.sort_by_key(|thing| thing.created()),
            _ => {}
        }
        found
    }
}

proptest! {
    #[test]
    fn a_list_is_what_a_scan_finds(
        things in prop::collection::vec(things(), 0..120),
        asked in prop::collection::vec(asked(), 1..8),
        size in 1..30usize,
        seconds in 0..20i64,
    ) {
        let things: BTreeMap<_, _> = things.into_iter().map(|thing| (thing.place(), thing)).collect();
        let mut table = loaded(things.values().cloned(), at(0));
        let now = at(seconds);
        let due = table.due(now);
        project(&mut table, due, now);
        for asked in asked {
            let selection = asked.selection();
            let expected = asked.scan(&things, now);
            let all: Vec<_> = table.all(&selection).unwrap().iter().map(|row| (*row.object).clone()).collect();
            prop_assert_eq!(&all, &expected);
            prop_assert_eq!(table.count(&selection), expected.len());

            let mut pages = Vec::new();
            for number in 1..=expected.len() / size + 2 {
                let page = table.page(&selection, number, size).unwrap();
                prop_assert_eq!(page.total, expected.len());
                prop_assert!(page.rows.len() <= size);
                pages.extend(page.rows.iter().map(|row| (*row.object).clone()));
            }
            prop_assert_eq!(&pages, &expected);

            let mut counts = BTreeMap::new();
            for thing in &expected {
                *counts.entry(thing.severity.as_str().into()).or_insert(0) += 1;
            }
            prop_assert_eq!(table.counts(&selection, "severity"), Vec::from_iter(counts));

            let mut matching: Vec<_> = table.matching(&selection).map(|row| row.object.place()).collect();
            let mut places: Vec<_> = expected.iter().map(Thing::place).collect();
            matching.sort();
            places.sort();
            prop_assert_eq!(matching, places);
        }
    }
}

#[test]
fn a_page_past_every_number_is_empty() {
    let table = loaded([Thing::named("ops", "a", 1)], at(0));
    let page = table.page(&Selection::default(), usize::MAX, 100).unwrap();
    assert_eq!((page.total, page.rows.len()), (1, 0));
}

#[test]
fn an_unknown_member_names_the_known_ones() {
    let table = loaded([Thing::named("ops", "a", 1)], at(0));
    let error = table
        .all(&Selection::default().sorted(Sort::parse("-score,age")))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot sort by \"age\"; possible are name, namespace, creationTimestamp, score, severity"
    );
}

#[test]
fn a_page_joins_its_items() {
    let table = loaded([Thing::named("ops", "a", 1), Thing::named("ops", "b", 1)], at(0));
    let mut joined = vec![b'['];
    table.page(&Selection::default(), 1, 10).unwrap().join(&mut joined);
    joined.push(b']');
    let names: Vec<Thing> = serde_json::from_slice(&joined).unwrap();
    assert_eq!(names.iter().map(Typed::name).collect::<Vec<_>>(), ["a", "b"]);
}
