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

/// A write of ours under way, from before it is sent until its answer has been told or none has come.
///
/// Its answer may come late: when a list has been completed meanwhile, that list or the watch that goes on from it tells of the
/// write and of all that came after, so the answer counts for nothing. Else it counts unless something later was heard of the place.
pub(super) struct Ticket<'a> {
    intake: &'a Intake,
    scope: Option<String>,
    place: Place,
    /// How many lists of the scope were in when it began.
    lists: u64,
}

#[derive(Debug, Default)]
struct Inner {
    /// Writes of ours that no watch has shown yet.
    ours: HashMap<Place, Ours>,
    /// What each watched namespace holds, where not all of them are watched as one: a list of one must not clear another.
    known: HashMap<String, BTreeSet<String>>,
    /// How many lists of each scope have been completed.
    lists: HashMap<Option<String>, u64>,
    /// The places that are being written to.
    flights: HashMap<Place, Flight>,
}

#[derive(Debug, Default)]
struct Flight {
    writes: usize,
    /// The latest that was heard of the place since the first of them began, from a watch or by an answer.
    heard: Option<Sight>,
}

/// What there was at a place at some moment.
#[derive(Clone, Debug)]
struct Sight {
    /// Of the object; of one that is gone, its last that is known or that of the deletion itself.
    version: Option<u64>,
    uid: Option<String>,
    gone: bool,
}

#[derive(Debug)]
struct Ours {
    sight: Sight,
    /// None where we have deleted it.
    object: Option<Object>,
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
        *inner.lists.entry(scope.map(str::to_owned)).or_default() += 1;
        let mut ahead = HashMap::new();
        objects.retain_mut(|object| match inner.ours.remove(&place(object)) {
            Some(ours) if Sight::of(object).precedes(&ours.sight) => {
                let place = place(object);
                let stays = ours.object.is_some();
                if let Some(newer) = &ours.object {
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
            let (place, sight) = one.sight();
            inner.hear(&place, &sight);
            if !inner.is_news(&place, &sight) {
                continue;
            }
            match one {
                News::Applied(object) => {
                    self.delete(&mut deleted);
                    inner.remember(scope, &place);
                    applied.push(object);
                }
                News::Deleted { .. } => {
                    self.apply(&mut applied);
                    inner.forget(scope, &place);
                    deleted.push(self.address(&place.0, &place.1));
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

    /// To be called before the write is sent.
    pub(super) fn begin(&self, scope: Option<&str>, address: &Address) -> Ticket<'_> {
        let place = (address.namespace.clone(), address.name.clone());
        let mut inner = self.lock();
        inner.flights.entry(place.clone()).or_default().writes += 1;
        let scope = scope.map(str::to_owned);
        Ticket {
            intake: self,
            lists: inner.lists.get(&scope).copied().unwrap_or_default(),
            scope,
            place,
        }
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

// === impl Ticket ===

impl Ticket<'_> {
    /// The write, or a look at the object in the course of it, has shown it so.
    pub(super) fn written(&self, object: Object) {
        let mut inner = self.intake.lock();
        if inner.takes(self, Sight::of(&object), Some(&object)) {
            inner.remember(self.scope.as_deref(), &self.place);
            self.intake.sink.apply(vec![object]);
        }
    }

    /// The write has deleted the object that was last seen in this version.
    pub(super) fn deleted(&self, uid: Option<String>, version: Option<u64>) {
        let mut inner = self.intake.lock();
        let gone = Sight {
            version,
            uid,
            gone: true,
        };
        if inner.takes(self, gone, None) {
            inner.forget(self.scope.as_deref(), &self.place);
            let (namespace, name) = &self.place;
            self.intake.sink.delete(vec![self.intake.address(namespace, name)]);
        }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let mut inner = self.intake.lock();
        if let Some(flight) = inner.flights.get_mut(&self.place) {
            flight.writes -= 1;
            if flight.writes == 0 {
                inner.flights.remove(&self.place);
            }
        }
    }
}

// === impl News ===

impl News {
    fn sight(&self) -> (Place, Sight) {
        match self {
            Self::Applied(object) => (place(object), Sight::of(object)),
            Self::Deleted { place, uid, version } => {
                let (version, uid) = (*version, uid.clone());
                let gone = true;
                (place.clone(), Sight { version, uid, gone })
            }
        }
    }
}

// === impl Sight ===

impl Sight {
    fn of(object: &Object) -> Self {
        let meta = object.meta();
        Self {
            // Kubernetes calls it opaque, and compares it so in its own clients since 1.35.
            version: meta
                .resource_version
                .as_deref()
                .and_then(|version| version.parse().ok()),
            uid: meta.uid.clone(),
            gone: false,
        }
    }

    /// Whether it is certainly from before the other. Versions grow over all objects of a kind, and no object comes back.
    fn precedes(&self, other: &Self) -> bool {
        if self.uid == other.uid && self.gone != other.gone {
            other.gone
        } else if self.uid == other.uid && self.gone {
            false
        } else {
            self.version < other.version
        }
    }
}

// === impl Inner ===

impl Inner {
    /// Whether what a watch shows is news. A write of ours that it has caught up with is forgotten.
    fn is_news(&mut self, place: &Place, sight: &Sight) -> bool {
        if self.ours.get(place).is_some_and(|ours| sight.precedes(&ours.sight)) {
            return false;
        }
        self.ours.remove(place);
        true
    }

    /// Whether the answer to a write is news still. If it is, it is kept until a watch shows it.
    fn takes(&mut self, ticket: &Ticket<'_>, sight: Sight, object: Option<&Object>) -> bool {
        let lists = self.lists.get(&ticket.scope).copied().unwrap_or_default();
        let heard = (self.flights.get(&ticket.place)).and_then(|flight| flight.heard.as_ref());
        if lists != ticket.lists || heard.is_some_and(|heard| !heard.precedes(&sight)) {
            return false;
        }
        self.hear(&ticket.place, &sight);
        let object = object.cloned();
        self.ours.insert(ticket.place.clone(), Ours { sight, object });
        true
    }

    fn hear(&mut self, place: &Place, sight: &Sight) {
        if let Some(Flight { heard, .. }) = self.flights.get_mut(place)
            && heard.as_ref().is_none_or(|heard| heard.precedes(sight))
        {
            *heard = Some(sight.clone());
        }
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

#[cfg(test)]
mod interleaved;
#[cfg(test)]
mod tests;
