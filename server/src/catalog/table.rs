//! The rows of one kind: held in order, found by name, indexed by facet. Cloning shares everything; a change copies what it touches.

use super::{
    index::Index,
    order::Order,
    project::{Project, Projection},
    row::{Key, Row},
};
use crate::resources::ObjectMeta;
use bytes::Bytes;
use jiff::Timestamp;
use std::{
    collections::{BTreeMap, HashSet},
    fmt,
    sync::Arc,
};

/// Namespace and name of an object whose kind is known.
pub(super) type Place = (Arc<str>, Arc<str>);

/// The number of the facet that every kind has.
pub(super) const NAMESPACE: u8 = 0;

/// Namespace and label of the rows that share a name.
type Namesakes = Arc<[(Arc<str>, u32)]>;

pub struct Table<K> {
    pub(super) order: Order<K>,
    pub(super) index: Index,
    /// By name, the labels of its rows in the order of their namespaces.
    names: imbl::HashMap<Arc<str>, Namesakes>,
    due: imbl::OrdSet<(Timestamp, Place)>,
    revision: u64,
}

/// What came of projecting a row again.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Outcome {
    Same,
    /// Facets, text or urgency differ, but not what is shown.
    Moved,
    /// The item differs.
    Shown,
}

// === impl Table ===

impl<K: Project> Table<K> {
    pub fn len(&self) -> usize {
        self.order.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, namespace: &str, name: &str) -> Option<&Arc<Row<K>>> {
        self.order.get(self.label(namespace, name)?)
    }

    /// The rows of this name, by namespace.
    pub fn named<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Arc<Row<K>>> {
        let namesakes = self.names.get(name).map_or(&[][..], |namesakes| namesakes);
        namesakes.iter().filter_map(|(_, label)| self.order.get(*label))
    }

    /// Newest first, then by namespace and name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Row<K>>> {
        self.order.iter()
    }

    pub fn newest(&self) -> Option<&Arc<Row<K>>> {
        self.order.first()
    }

    /// Of the last publication in which a row of this kind came, went, or was projected differently.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// When the first of the rows says something else although nothing was written.
    pub fn next_change(&self) -> Option<Timestamp> {
        self.due.get_min().map(|(at, _)| *at)
    }

    pub(super) fn touch(&mut self, revision: u64) {
        self.revision = revision;
    }

    /// The rows whose next moment of change has come.
    pub(super) fn due(&self, now: Timestamp) -> Vec<Place> {
        self.due
            .iter()
            .take_while(|(at, _)| *at <= now)
            .map(|(_, place)| place.clone())
            .collect()
    }

    /// Puts objects in place of older ones, or among the others; answers those that were news. Their rows still have to be projected.
    pub(super) fn place(&mut self, objects: Vec<Arc<K>>) -> Vec<Place> {
        let mut news = Vec::new();
        let mut fresh = BTreeMap::<Place, (Key, Arc<K>)>::new();
        let mut namespaces = HashSet::new();
        for object in objects {
            let key = self.key(&object, &mut namespaces);
            if let Some(held) = self.get(&key.namespace, &key.name) {
                if !supersedes(object.meta(), held.object.meta()) {
                    continue;
                }
                if held.key.time != key.time {
                    self.remove(&key.namespace, &key.name);
                }
            }
            let place = key.place();
            match self
                .label(&key.namespace, &key.name)
                .and_then(|label| self.order.get_mut(label))
            {
                Some(row) => row.object = object,
                None => match fresh.get(&place) {
                    Some((_, held)) if !supersedes(object.meta(), held.meta()) => continue,
                    _ => drop(fresh.insert(place.clone(), (key, object))),
                },
            }
            news.push(place);
        }
        self.insert(
            fresh
                .into_values()
                .map(|(key, object)| Arc::new(Row::of(key, object)))
                .collect(),
        );
        news
    }

    /// Gives up the row of the object when it is of a newer version.
    pub(super) fn give_up_newer(&mut self, object: &K) {
        let newer = |held: &Arc<Row<K>>| {
            supersedes(held.object.meta(), object.meta()) && !supersedes(object.meta(), held.object.meta())
        };
        if self.get(object.namespace(), object.name()).is_some_and(newer) {
            self.remove(object.namespace(), object.name());
        }
    }

    pub(super) fn remove(&mut self, namespace: &str, name: &str) -> Option<Arc<Row<K>>> {
        let label = self.label(namespace, name)?;
        let row = self.order.take(label)?;
        self.index.remove(label, &row.facets, row.need);
        if let Some(due) = row.due() {
            self.due.remove(&due);
        }
        self.forget(&row.key);
        Some(row)
    }

    /// Takes over what was computed from an object.
    pub(super) fn project(&mut self, (namespace, name): &Place, projection: Projection, now: Timestamp) -> Outcome {
        let next_change = projection.next_change(now);
        let Some(label) = self.label(namespace, name) else {
            return Outcome::Same;
        };
        let own = [("namespace", &**namespace)];
        let given = projection.facets.iter().map(|(facet, value)| (*facet, value.as_ref()));
        let facets: Box<[_]> = (own.into_iter().chain(given))
            .map(|(facet, value)| {
                let number = Self::facet(facet).expect("a projection uses the facets that its kind declares");
                (number, self.index.intern(number, value))
            })
            .collect();
        let Some(row) = self.order.get(label) else {
            return Outcome::Same;
        };
        let text = format!(
            "{}\n{}\n{}",
            name.to_lowercase(),
            namespace.to_lowercase(),
            projection.text
        );
        let shown = row.item != projection.item;
        let moved = row.facets != facets || *row.text != *text || row.need != projection.need;
        if !shown && !moved && row.next_change == next_change {
            return Outcome::Same;
        }
        self.index
            .replace(label, (&row.facets, row.need), (&facets, projection.need));
        if let Some(due) = row.due() {
            self.due.remove(&due);
        }
        let Some(row) = self.order.get_mut(label) else {
            return Outcome::Same;
        };
        row.item = projection.item;
        row.facets = facets;
        row.text = text.into();
        row.need = projection.need;
        row.next_change = next_change;
        self.due.extend(row.due());
        match (shown, moved) {
            (true, _) => Outcome::Shown,
            (false, true) => Outcome::Moved,
            (false, false) => Outcome::Same,
        }
    }

    /// The number of a facet of this kind.
    pub(super) fn facet(name: &str) -> Option<u8> {
        match K::FACETS.iter().position(|facet| *facet == name) {
            Some(at) => u8::try_from(at + 1).ok(),
            None => (name == "namespace").then_some(NAMESPACE),
        }
    }

    fn key(&self, object: &Arc<K>, namespaces: &mut HashSet<Arc<str>>) -> Key {
        let namespace = object.namespace();
        let namespace = match namespaces.get(namespace) {
            Some(namespace) => namespace.clone(),
            None => self.index.intern(NAMESPACE, namespace),
        };
        namespaces.insert(namespace.clone());
        Key {
            time: object.time(),
            namespace,
            name: object.name().into(),
        }
    }

    fn label(&self, namespace: &str, name: &str) -> Option<u32> {
        let namesakes = self.names.get(name)?;
        let at = namesakes
            .binary_search_by(|(held, _)| held.as_ref().cmp(namespace))
            .ok()?;
        Some(namesakes[at].1)
    }

    fn insert(&mut self, mut rows: Vec<Arc<Row<K>>>) {
        rows.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        // Many at once are merged and laid out anew, which is cheaper than making room for each.
        if rows.len() > (self.len() / 4).max(1024) {
            rows.extend(self.order.iter().cloned());
            rows.sort_by(|a, b| a.key.cmp(&b.key));
            return self.lay_out(rows);
        }
        // The oldest first: each of a run of new ones then is the newest so far, and takes the next free label.
        for row in rows.into_iter().rev() {
            let room = self.order.room(&row.key);
            let moved: Vec<_> = (room.moves.into_iter())
                .filter_map(|(from, to)| {
                    let row = self.order.take(from)?;
                    self.index.remove(from, &row.facets, row.need);
                    Some((to, row))
                })
                .collect();
            for (label, row) in moved.into_iter().chain([(room.label, row)]) {
                self.index.insert(label, &row.facets, row.need);
                self.remember(&row.key, label);
                self.order.put(label, row);
            }
        }
    }

    fn lay_out(&mut self, rows: Vec<Arc<Row<K>>>) {
        self.order = Order::of(rows);
        self.index = Index::new(K::FACETS.len() + 1);
        self.names = imbl::HashMap::new();
        let order = self.order.clone();
        for (label, row) in order.labels().iter().zip(order.iter()) {
            self.index.insert(label, &row.facets, row.need);
            self.remember(&row.key, label);
        }
    }

    fn remember(&mut self, key: &Key, label: u32) {
        let namesakes = self.names.entry(key.name.clone()).or_insert_with(|| Arc::new([]));
        match namesakes.binary_search_by(|(held, _)| held.cmp(&key.namespace)) {
            Ok(at) => Arc::make_mut(namesakes)[at].1 = label,
            Err(at) => {
                let (before, after) = namesakes.split_at(at);
                *namesakes = [before, &[(key.namespace.clone(), label)], after].concat().into();
            }
        }
    }

    fn forget(&mut self, key: &Key) {
        if let Some(namesakes) = self.names.get_mut(&key.name) {
            *namesakes = namesakes
                .iter()
                .filter(|(held, _)| *held != key.namespace)
                .cloned()
                .collect();
            if namesakes.is_empty() {
                self.names.remove(&key.name);
            }
        }
    }
}

/// A watch and the answer to a write may tell of one object in either order; what is older than the held one, or the same, is no news.
fn supersedes(given: &ObjectMeta, held: &ObjectMeta) -> bool {
    let version = |meta: &ObjectMeta| meta.resource_version.as_ref()?.parse::<u64>().ok();
    match (version(given), version(held)) {
        (Some(given_version), Some(held_version)) if given.uid == held.uid => given_version > held_version,
        _ => true,
    }
}

impl<K> Row<K> {
    fn of(key: Key, object: Arc<K>) -> Self {
        Self {
            object,
            item: Bytes::new(),
            key,
            text: Box::default(),
            facets: Box::default(),
            need: 0,
            next_change: None,
        }
    }

    fn due(&self) -> Option<(Timestamp, Place)> {
        Some((self.next_change?, self.key.place()))
    }
}

impl<K: Project> Default for Table<K> {
    fn default() -> Self {
        Self {
            order: Order::default(),
            index: Index::new(K::FACETS.len() + 1),
            names: imbl::HashMap::new(),
            due: imbl::OrdSet::new(),
            revision: 0,
        }
    }
}

impl<K> Clone for Table<K> {
    fn clone(&self) -> Self {
        Self {
            order: self.order.clone(),
            index: self.index.clone(),
            names: self.names.clone(),
            due: self.due.clone(),
            revision: self.revision,
        }
    }
}

impl<K> fmt::Debug for Table<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("revision", &self.revision)
            .field("rows", &self.order)
            .finish_non_exhaustive()
    }
}
