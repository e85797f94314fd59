//! What reaches the sink when watches, lists and the answers to our writes tell of one object in any order.

use super::*;
use crate::{
    fixtures::{Fixture, incident},
    resources::Issue,
};

/// What the sink was told to hold: name and version.
#[derive(Default)]
pub(super) struct Held(Mutex<BTreeSet<(String, String)>>);

impl Sink for Held {
    fn apply(&self, objects: Vec<Object>) {
        for object in &objects {
            self.drop_name(object.meta().name.as_deref().unwrap());
            self.0.lock().unwrap().insert(entry(object));
        }
    }

    fn delete(&self, addresses: Vec<Address>) {
        for address in addresses {
            self.drop_name(&address.name);
        }
    }

    fn reset(&self, _: Kind, objects: Vec<Object>) {
        *self.0.lock().unwrap() = objects.iter().map(entry).collect();
    }
}

impl Held {
    fn drop_name(&self, name: &str) {
        self.0.lock().unwrap().retain(|(held, _)| held != name);
    }

    pub(super) fn text(&self) -> String {
        let held = self.0.lock().unwrap();
        let words: Vec<_> = held.iter().map(|(name, version)| format!("{name}@{version}")).collect();
        words.join(" ")
    }
}

fn entry(object: &Object) -> (String, String) {
    let meta = object.meta();
    (meta.name.clone().unwrap(), meta.resource_version.clone().unwrap())
}

fn issue(name: &str, uid: &str, version: u64) -> Fixture<Issue> {
    incident().named(name).with(|issue| {
        issue.metadata.uid = Some(uid.into());
        issue.metadata.resource_version = Some(version.to_string());
    })
}

pub(super) fn object(name: &str, uid: &str, version: u64) -> Object {
    issue(name, uid, version).object()
}

fn gone(name: &str, uid: &str) -> News {
    News::Deleted {
        place: ("shop".into(), name.into()),
        uid: Some(uid.into()),
        version: None,
    }
}

pub(super) fn address(name: &str) -> Address {
    Address {
        kind: Kind::Issue,
        namespace: "shop".into(),
        name: name.into(),
    }
}

fn wrote(intake: &Intake, scope: Option<&str>, object: Object) {
    intake.begin(scope, &object.address()).written(object);
}

pub(super) fn ended(name: &str, uid: &str, version: u64) -> News {
    News::Deleted {
        place: ("shop".into(), name.into()),
        uid: Some(uid.into()),
        version: Some(version),
    }
}

pub(super) fn intake() -> (Arc<Held>, Intake) {
    let held = Arc::new(Held::default());
    (held.clone(), Intake::new(Kind::Issue, held))
}

#[test]
fn a_watch_that_lags_behind_our_write_takes_nothing_back() {
    let (held, intake) = intake();
    intake.listed(None, vec![object("a", "1", 5)]);
    wrote(&intake, None, object("a", "1", 9));
    intake.changed(None, vec![News::Applied(object("a", "1", 7))]);
    assert_eq!(held.text(), "a@9");
    intake.changed(
        None,
        vec![News::Applied(object("a", "1", 9)), News::Applied(object("a", "1", 12))],
    );
    assert_eq!(held.text(), "a@12");
}

#[test]
fn what_we_deleted_does_not_come_back_until_it_is_made_again() {
    let (held, intake) = intake();
    intake.listed(None, vec![object("a", "1", 5)]);
    intake.begin(None, &address("a")).deleted(Some("1".into()), Some(5));
    intake.changed(None, vec![News::Applied(object("a", "1", 7))]);
    assert_eq!(held.text(), "");
    intake.changed(None, vec![gone("a", "1"), News::Applied(object("a", "2", 11))]);
    assert_eq!(held.text(), "a@11");
}

#[test]
fn the_end_of_an_older_object_does_not_end_the_one_we_made() {
    let (held, intake) = intake();
    wrote(&intake, None, object("a", "2", 11));
    intake.changed(None, vec![gone("a", "1")]);
    assert_eq!(held.text(), "a@11");
    intake.changed(None, vec![News::Applied(object("a", "2", 11)), gone("a", "2")]);
    assert_eq!(held.text(), "");
}

#[test]
fn an_answer_that_comes_after_the_end_of_its_object_brings_nothing_back() {
    let (held, intake) = intake();
    intake.listed(None, Vec::new());
    let late = intake.begin(None, &address("a"));
    intake.changed(None, vec![News::Applied(object("a", "1", 9)), ended("a", "1", 12)]);
    late.written(object("a", "1", 9));
    assert_eq!(held.text(), "");
    late.written(object("a", "2", 13));
    assert_eq!(held.text(), "a@13");
}

#[test]
fn an_answer_that_comes_after_a_list_brings_nothing_back() {
    let (held, intake) = intake();
    intake.listed(None, Vec::new());
    let late = intake.begin(None, &address("a"));
    // Written and ended by others before the list was made: no watch will tell of it any more.
    intake.listing(None);
    intake.listed(None, vec![object("b", "2", 14)]);
    late.written(object("a", "1", 9));
    assert_eq!(held.text(), "b@14");
    drop(late);
    wrote(&intake, None, object("a", "3", 15));
    assert_eq!(held.text(), "a@15 b@14");
}

#[test]
fn a_late_answer_of_our_deletion_hides_nothing_that_was_made_since() {
    let (held, intake) = intake();
    intake.listed(None, vec![object("a", "1", 5), object("b", "2", 6)]);
    let (told, listed) = (intake.begin(None, &address("a")), intake.begin(None, &address("b")));
    intake.changed(None, vec![ended("a", "1", 8), News::Applied(object("a", "3", 9))]);
    told.deleted(Some("1".into()), Some(5));
    assert_eq!(held.text(), "a@9 b@6");
    intake.listing(None);
    intake.listed(None, vec![object("a", "3", 9), object("b", "4", 11)]);
    listed.deleted(Some("2".into()), Some(6));
    assert_eq!(held.text(), "a@9 b@11");
}

#[test]
fn of_two_writes_the_later_counts_whichever_answer_comes_first() {
    let (held, intake) = intake();
    intake.listed(None, vec![object("a", "1", 5)]);
    let [first, second, third] = [(); 3].map(|()| intake.begin(None, &address("a")));
    second.written(object("a", "1", 8));
    first.written(object("a", "1", 7));
    assert_eq!(held.text(), "a@8");
    third.deleted(Some("1".into()), Some(8));
    first.written(object("a", "1", 9));
    assert_eq!(held.text(), "");
}

#[test]
fn what_we_made_before_the_first_list_and_others_ended_is_not_left_over() {
    let (held, intake) = intake();
    wrote(&intake, Some("shop"), object("a", "1", 3));
    intake.listing(Some("shop"));
    intake.listed(Some("shop"), vec![object("b", "2", 6)]);
    assert_eq!(held.text(), "b@6");
}

#[test]
fn a_list_is_right_about_what_there_is_and_our_write_about_how_it_is() {
    let (held, intake) = intake();
    wrote(&intake, None, object("early", "1", 3));
    intake.listing(None);
    wrote(&intake, None, object("a", "2", 9));
    intake.begin(None, &address("b")).deleted(Some("3".into()), Some(6));
    intake.listed(
        None,
        vec![object("a", "2", 5), object("b", "3", 6), object("c", "4", 7)],
    );
    assert_eq!(held.text(), "a@9 c@7");
    // The watch goes on from the list.
    intake.changed(
        None,
        vec![
            News::Applied(object("a", "2", 8)),
            News::Applied(object("b", "3", 8)),
            gone("b", "3"),
        ],
    );
    assert_eq!(held.text(), "a@9 c@7");
}

#[test]
fn a_list_of_one_namespace_leaves_the_others_alone() {
    let (held, intake) = intake();
    let edge = |name: &str, version| issue(name, name, version).within("edge").object();
    intake.listed(Some("shop"), vec![object("a", "1", 5), object("b", "2", 6)]);
    intake.listed(Some("edge"), vec![edge("e", 7)]);
    intake.changed(Some("shop"), vec![News::Applied(object("c", "3", 8))]);
    intake.listed(Some("shop"), vec![object("b", "2", 6)]);
    assert_eq!(held.text(), "b@6 e@7");
    intake.emptied(Some("edge"));
    assert_eq!(held.text(), "b@6");
}
