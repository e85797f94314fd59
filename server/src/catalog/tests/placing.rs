//! Rows come, change and go in any order: the table is always the one that a fresh load of what is left would give.

use super::{Thing, apply, assert_sound, at, contents, loaded, namespaces, project, things};
use crate::{
    catalog::{Table, order::Order, table::Place},
    resources::Typed,
};
use proptest::prelude::*;
use std::{collections::BTreeMap, sync::Arc};

#[derive(Clone, Debug)]
enum Step {
    Apply(Vec<Thing>),
    Delete(String, u8),
    Tick,
}

fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => prop::collection::vec(things(), 1..12).prop_map(Step::Apply),
        2 => (namespaces(), 0..30u8).prop_map(|(namespace, number)| Step::Delete(namespace, number)),
        1 => Just(Step::Tick),
    ]
}

proptest! {
    #[test]
    fn any_way_there_is_as_good_as_a_fresh_load(steps in prop::collection::vec(steps(), 1..40)) {
        let mut table = Table::default();
        let mut left = BTreeMap::<Place, Thing>::new();
        let mut earlier = Vec::new();
        let mut now = at(0);
        for (second, step) in (1i64..).zip(steps) {
            earlier.push((table.clone(), contents(&table)));
            now = at(second);
            match step {
                Step::Apply(things) => {
                    left.extend(things.iter().map(|thing| (thing.place(), thing.clone())));
                    apply(&mut table, things, now);
                }
                Step::Delete(namespace, number) => {
                    let name = format!("thing-{number}");
                    let row = table.remove(&namespace, &name);
                    let held = left.remove(&(namespace.into(), name.into()));
                    prop_assert_eq!(row.map(|row| (*row.object).clone()), held);
                }
                Step::Tick => {
                    let due = table.due(now);
                    project(&mut table, due, now);
                }
            }
            assert_sound(&table);
        }
        let due = table.due(now);
        project(&mut table, due, now);
        prop_assert_eq!(contents(&table), contents(&loaded(left.into_values(), now)));
        for (table, held) in earlier {
            prop_assert_eq!(contents(&table), held, "an earlier snapshot has changed");
        }
    }

    #[test]
    fn versions_in_any_order_end_with_the_newest(
        latest in prop::collection::vec(things(), 1..20),
        order in prop::collection::vec(any::<prop::sample::Index>(), 60),
    ) {
        let latest: BTreeMap<_, _> = latest.into_iter().map(|thing| (thing.place(), thing.version(3))).collect();
        let mut told: Vec<_> = (latest.values())
            .flat_map(|thing| (1..=3).map(|version| Thing {
                score: if version == 3 { thing.score } else { 100 },
                ..thing.clone().version(version)
            }))
            .collect();
        let mut table = Table::default();
        for pick in order {
            if !told.is_empty() {
                let thing = told.swap_remove(pick.index(told.len()));
                apply(&mut table, vec![thing], at(0));
            }
        }
        apply(&mut table, told, at(0));
        prop_assert_eq!(contents(&table), contents(&loaded(latest.into_values(), at(0))));
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn labels_ascend_whatever_comes_when(seconds in prop_oneof![
        prop::collection::vec(0..1000i64, 1..400),
        prop::collection::vec(Just(7i64), 1..400),
        (1..400i64).prop_map(|count| (0..count).collect()),
        (1..400i64).prop_map(|count| (0..count).rev().collect()),
        // Each between the last two: the gap that is aimed at halves every time.
        (1..400i64).prop_map(|count| (0..count).map(|n| if n % 2 == 0 { n } else { 1000 - n }).collect()),
    ], bulk in 0..100i64) {
        let first = (0..bulk).map(|n| Thing::named("bulk", &format!("thing-{n}"), n * 13 % 1000));
        let mut table = loaded(first, at(0));
        for (number, second) in seconds.iter().enumerate() {
            // The names of a burst in one second come in no order.
            let name = format!("thing-{}", number * 7919 % 1009);
            apply(&mut table, vec![Thing::named("ops", &name, *second)], at(0));
        }
        assert_sound(&table);
        prop_assert_eq!(table.len(), seconds.len() + bulk as usize);
    }
}

#[test]
fn an_insert_moves_few_rows_even_when_all_aim_at_one_gap() {
    let mut order = Order::default();
    let mut moved = 0;
    let count = 4000;
    for number in 0..count {
        // From both sides towards the middle.
        let second = if number % 2 == 0 { number } else { 10_000 - number };
        let table = loaded([Thing::named("ops", &format!("thing-{number}"), second)], at(0));
        let row = table.newest().expect("it was just loaded").clone();
        let room = order.room(row.key());
        moved += room.moves.len();
        let rows: Vec<_> = room
            .moves
            .iter()
            .filter_map(|(from, to)| Some((*to, order.take(*from)?)))
            .collect();
        for (label, row) in rows.into_iter().chain([(room.label, row)]) {
            order.put(label, row);
        }
    }
    assert!(order.iter().is_sorted_by(|a, b| a.key() < b.key()));
    assert_eq!(order.len(), count as usize);
    assert!(moved < 100 * count as usize, "{moved} moves for {count} rows");
}

#[test]
fn a_large_batch_finds_its_place_among_the_others() {
    let all: Vec<_> = (0..5000)
        .map(|n| Thing::named("ops", &format!("thing-{n}"), n * 7919 % 5003))
        .collect();
    let mut table = loaded(all[..1000].to_vec(), at(0));
    apply(&mut table, all[1000..].to_vec(), at(0));
    assert_sound(&table);
    assert_eq!(contents(&table), contents(&loaded(all, at(0))));
}

#[test]
fn the_same_version_is_no_news_and_another_uid_is() {
    let mut table = loaded([Thing::named("ops", "a", 1).version(5)], at(0));
    let again = Thing {
        score: 3,
        ..Thing::named("ops", "a", 1).version(5)
    };
    assert!(table.place(vec![Arc::new(again.clone())]).is_empty());
    let mut reborn = Thing {
        score: 4,
        ..Thing::named("ops", "a", 9).version(2)
    };
    reborn.metadata.uid = Some("another".into());
    apply(&mut table, vec![reborn.clone()], at(0));
    assert_eq!(table.len(), 1);
    assert_eq!(*table.get("ops", "a").expect("it was just applied").object, reborn);
    assert_eq!(table.newest().map(|row| row.object.created()), Some(Some(at(9))));
}

#[test]
fn namesakes_come_by_namespace() {
    let table = loaded(
        ["shop", "edge", "ops"].map(|namespace| Thing::named(namespace, "db", 1)),
        at(0),
    );
    let namespaces: Vec<_> = table.named("db").map(|row| row.namespace()).collect();
    assert_eq!(namespaces, ["edge", "ops", "shop"]);
    assert_eq!(table.named("other").count(), 0);
}
