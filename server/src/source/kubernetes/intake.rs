//! Where the objects of one kind come in: from its watches, and from the answers to our own writes. These two tell of one
//! object in either order; what reaches the sink is always the newer. No I/O.

use crate::{
    resources::{Kind, Object},
    source::{Address, Sink},
};
use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Namespace and name.
type Place = (String, String);

/// What a watch tells after its list.
#[derive(Debug)]
pub(super) enum News {
    Applied(Object),
    /// The last that there was of it.
    Deleted {
        place: Place,
        uid: Option<String>,
        /// That of the deletion itself.
        version: Option<u64>,
    },
}

/// One kind's way into the sink.
pub(super) struct Intake {
    kind: Kind,
    sink: Arc<dyn Sink>,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// Writes of ours that no watch has shown yet.
    ours: HashMap<Place, Ours>,
    /// What each watched namespace holds, where not all of them are watched as one: a list of one must not clear another.
    known: HashMap<String, BTreeSet<String>>,
    /// How far the watch of each scope has told: the answer to a write of ours that comes later than that is no news any more,
    /// and its object may be gone.
    heard: HashMap<Option<String>, u64>,
}

#[derive(Debug)]
enum Ours {
    Written(Object),
    Deleted { uid: Option<String> },
}

// === impl Intake ===

impl Intake {
    pub(super) fn new(kind: Kind, sink: Arc<dyn Sink>) -> Self {
        Self {
            kind,
            sink,
            inner: Mutex::default(),
        }
    }

    /// A list is about to be asked for: it will hold everything that was written before.
    pub(super) fn listing(&self, scope: Option<&str>) {
        self.lock()
            .ours
            .retain(|(namespace, _), _| scope.is_some_and(|scope| scope != namespace));
    }

    /// A list is in. It is right about what there is; what was written since it was asked for is newer than what it shows.
    pub(super) fn listed(&self, scope: Option<&str>, mut objects: Vec<Object>) {
        let mut inner = self.lock();
        let mut ahead = HashMap::new();
        objects.retain_mut(|object| match inner.ours.remove(&place(object)) {
            Some(ours) if ours.outlasts(object) => {
                let place = place(object);
                let stays = matches!(&ours, Ours::Written(_));
                if let Ours::Written(newer) = &ours {
                    *object = newer.clone();
                }
                ahead.insert(place, ours);
                stays
            }
            _ => true,
        });
        inner.ours.retain(|place, _| !within(scope, place));
        inner.ours.extend(ahead);
        let Some(scope) = scope else {
            return self.sink.reset(self.kind, objects);
        };
        let names = objects.iter().map(|object| place(object).1).collect();
        let before = inner.known.insert(scope.to_owned(), names).unwrap_or_default();
        let gone: Vec<_> = (before.difference(&inner.known[scope]))
            .map(|name| self.address(scope, name))
            .collect();
        if !gone.is_empty() {
            self.sink.delete(gone);
        }
        if !objects.is_empty() {
            self.sink.apply(objects);
        }
    }

    /// What the watch of one scope told, in its order.
    pub(super) fn changed(&self, scope: Option<&str>, news: Vec<News>) {
        let mut inner = self.lock();
        let (mut applied, mut deleted) = (Vec::new(), Vec::new());
        for one in news {
            inner.hears(scope, &one);
            match one {
                News::Applied(object) => {
                    if inner.shows(&object) {
                        self.delete(&mut deleted);
                        inner.remember(scope, &place(&object));
                        applied.push(object);
                    }
                }
                News::Deleted { place, uid, .. } => {
                    if inner.loses(&place, uid.as_deref()) {
                        self.apply(&mut applied);
                        inner.forget(scope, &place);
                        deleted.push(self.address(&place.0, &place.1));
                    }
                }
            }
        }
        self.apply(&mut applied);
        self.delete(&mut deleted);
    }

    /// The kind is no more.
    pub(super) fn emptied(&self, scope: Option<&str>) {
        self.listing(scope);
        self.listed(scope, Vec::new());
    }

    /// A write of ours, or a look at the object in the course of one, has shown it so.
    pub(super) fn written(&self, scope: Option<&str>, object: Object) {
        let mut inner = self.lock();
        let heard = inner.heard.get(&scope.map(str::to_owned)).copied();
        if version(&object) <= heard {
            return;
        }
        let place = place(&object);
        inner.remember(scope, &place);
        inner.ours.insert(place, Ours::Written(object.clone()));
        self.sink.apply(vec![object]);
    }

    /// A write of ours has deleted the object of this uid.
    pub(super) fn deleted(&self, scope: Option<&str>, address: &Address, uid: Option<String>) {
        let mut inner = self.lock();
        let place = (address.namespace.clone(), address.name.clone());
        inner.forget(scope, &place);
        inner.ours.insert(place, Ours::Deleted { uid });
        self.sink.delete(vec![address.clone()]);
    }

    fn apply(&self, objects: &mut Vec<Object>) {
        if !objects.is_empty() {
            self.sink.apply(std::mem::take(objects));
        }
    }

    fn delete(&self, addresses: &mut Vec<Address>) {
        if !addresses.is_empty() {
            self.sink.delete(std::mem::take(addresses));
        }
    }

    fn address(&self, namespace: &str, name: &str) -> Address {
        Address {
            kind: self.kind,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }

    /// A panic while it was held leaves behind at most one batch half told; the next list puts that right.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl Inner ===

impl Inner {
    /// Whether what a watch shows is news. A write of ours that it has caught up with is forgotten.
    fn shows(&mut self, object: &Object) -> bool {
        let place = place(object);
        if self.ours.get(&place).is_some_and(|ours| ours.outlasts(object)) {
            return false;
        }
        self.ours.remove(&place);
        true
    }

    /// Whether a deletion is news. It is not when we have made another object of that name since.
    fn loses(&mut self, place: &Place, uid: Option<&str>) -> bool {
        match self.ours.get(place) {
            Some(Ours::Written(object)) if object.meta().uid.as_deref() != uid => false,
            _ => {
                self.ours.remove(place);
                true
            }
        }
    }

    fn hears(&mut self, scope: Option<&str>, news: &News) {
        let version = match news {
            News::Applied(object) => version(object),
            News::Deleted { version, .. } => *version,
        };
        let heard = self.heard.entry(scope.map(str::to_owned)).or_default();
        *heard = (*heard).max(version.unwrap_or_default());
    }

    /// Before the first list too, which has to clear what is gone by then.
    fn remember(&mut self, scope: Option<&str>, (_, name): &Place) {
        if let Some(scope) = scope {
            self.known.entry(scope.to_owned()).or_default().insert(name.clone());
        }
    }

    fn forget(&mut self, scope: Option<&str>, (_, name): &Place) {
        if let Some(names) = scope.and_then(|scope| self.known.get_mut(scope)) {
            names.remove(name);
        }
    }
}

// === impl Ours ===

impl Ours {
    /// Whether the object as a watch or a list shows it is from before this write.
    fn outlasts(&self, shown: &Object) -> bool {
        match self {
            Self::Written(ours) => version(shown) < version(ours),
            Self::Deleted { uid } => *uid == shown.meta().uid,
        }
    }
}

fn place(object: &Object) -> Place {
    let meta = object.meta();
    (
        meta.namespace.clone().unwrap_or_default(),
        meta.name.clone().unwrap_or_default(),
    )
}

fn within(scope: Option<&str>, (namespace, _): &Place) -> bool {
    scope.is_none_or(|scope| scope == namespace)
}

/// Kubernetes calls it opaque, and compares it so in its own clients since 1.35.
fn version(object: &Object) -> Option<u64> {
    object.meta().resource_version.as_deref()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Fixture, incident};
    use crate::resources::Issue;

    /// What the sink was told to hold: name and version.
    #[derive(Default)]
    struct Held(Mutex<BTreeSet<(String, String)>>);

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

        fn text(&self) -> String {
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

    fn object(name: &str, uid: &str, version: u64) -> Object {
        issue(name, uid, version).object()
    }

    fn gone(name: &str, uid: &str) -> News {
        News::Deleted {
            place: ("shop".into(), name.into()),
            uid: Some(uid.into()),
            version: None,
        }
    }

    fn address(name: &str) -> Address {
        Address {
            kind: Kind::Issue,
            namespace: "shop".into(),
            name: name.into(),
        }
    }

    fn intake() -> (Arc<Held>, Intake) {
        let held = Arc::new(Held::default());
        (held.clone(), Intake::new(Kind::Issue, held))
    }

    #[test]
    fn a_watch_that_lags_behind_our_write_takes_nothing_back() {
        let (held, intake) = intake();
        intake.listed(None, vec![object("a", "1", 5)]);
        intake.written(None, object("a", "1", 9));
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
        intake.deleted(None, &address("a"), Some("1".into()));
        intake.changed(None, vec![News::Applied(object("a", "1", 7))]);
        assert_eq!(held.text(), "");
        intake.changed(None, vec![gone("a", "1"), News::Applied(object("a", "2", 11))]);
        assert_eq!(held.text(), "a@11");
    }

    #[test]
    fn the_end_of_an_older_object_does_not_end_the_one_we_made() {
        let (held, intake) = intake();
        intake.written(None, object("a", "2", 11));
        intake.changed(None, vec![gone("a", "1")]);
        assert_eq!(held.text(), "a@11");
        intake.changed(None, vec![News::Applied(object("a", "2", 11)), gone("a", "2")]);
        assert_eq!(held.text(), "");
    }

    #[test]
    fn an_answer_that_comes_after_the_end_of_its_object_brings_nothing_back() {
        let (held, intake) = intake();
        let News::Deleted { place, uid, .. } = gone("a", "1") else {
            panic!("a deletion")
        };
        let end = News::Deleted {
            place,
            uid,
            version: Some(12),
        };
        intake.listed(None, Vec::new());
        intake.changed(None, vec![News::Applied(object("a", "1", 9)), end]);
        intake.written(None, object("a", "1", 9));
        assert_eq!(held.text(), "");
        intake.written(None, object("a", "2", 13));
        assert_eq!(held.text(), "a@13");
    }

    #[test]
    fn what_we_made_before_the_first_list_and_others_ended_is_not_left_over() {
        let (held, intake) = intake();
        intake.written(Some("shop"), object("a", "1", 3));
        intake.listing(Some("shop"));
        intake.listed(Some("shop"), vec![object("b", "2", 6)]);
        assert_eq!(held.text(), "b@6");
    }

    #[test]
    fn a_list_is_right_about_what_there_is_and_our_write_about_how_it_is() {
        let (held, intake) = intake();
        intake.written(None, object("early", "1", 3));
        intake.listing(None);
        intake.written(None, object("a", "2", 9));
        intake.deleted(None, &address("b"), Some("3".into()));
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
}
