//! What is true now: typed rows, indexes, revision, change feed. Knows nothing of HTTP, nor of where objects come from.

mod feed;
mod index;
mod kinds;
mod links;
mod order;
pub mod project;
mod row;
mod select;
mod table;
#[cfg(test)]
mod tests;

pub use feed::{RowChange, Since};
pub use kinds::Tables;
pub use project::{Context, Held, Project, Projection, created};
pub use row::{Key, Row, SortKey};
pub use select::{COMMON, Page, Selection, Sort, Unsortable};
pub use table::Table;

use crate::{
    resources::{Kind, Object},
    source::Address,
};
use arc_swap::ArcSwap;
use feed::Feed;
use jiff::Timestamp;
use links::{Links, Target};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use table::{Outcome, Place};
use tokio::sync::watch;

/// Rows that the feed keeps for streams that resume.
const FEED: usize = 4096;
/// Rows that are projected before any of them is stored, which bounds what a bulk load holds twice.
const STRIDE: usize = 1024;

/// One writer at a time; readers take the last snapshot and are never waited for.
#[derive(Debug)]
pub struct Catalog {
    snapshot: ArcSwap<Snapshot>,
    writer: Mutex<Writer>,
    feed: Mutex<Feed>,
    published: watch::Sender<u64>,
}

/// Everything as of one revision. Cheap to hold: it shares all that has not changed since.
#[derive(Clone, Debug)]
pub struct Snapshot {
    epoch: u64,
    revision: u64,
    tables: Tables,
}

#[derive(Debug, Default)]
struct Writer {
    tables: Tables,
    links: Links,
    revision: u64,
}

/// What an edit did to the objects, before anything was computed from them.
#[derive(Debug, Default)]
struct Edit {
    placed: BTreeSet<(Kind, Place)>,
    gone: BTreeSet<(Kind, Place)>,
    /// Rows to be projected although their objects are the same.
    due: BTreeSet<(Kind, Place)>,
}

// === impl Catalog ===

impl Catalog {
    /// An empty catalog. `epoch` tells this process from the one before: revisions of different epochs do not compare.
    pub fn new(epoch: u64) -> Self {
        Self {
            snapshot: ArcSwap::from_pointee(Snapshot {
                epoch,
                revision: 0,
                tables: Tables::default(),
            }),
            writer: Mutex::default(),
            feed: Mutex::new(Feed::new(FEED)),
            published: watch::Sender::new(0),
        }
    }

    /// Takes over objects as they are now. One that is older than the held one, or the same, changes nothing.
    pub fn apply(&self, objects: Vec<Object>, now: Timestamp) {
        self.edit(now, |tables| Edit {
            placed: place(tables, objects),
            ..Edit::default()
        });
    }

    pub fn delete(&self, addresses: Vec<Address>, now: Timestamp) {
        self.edit(now, |tables| Edit {
            gone: (addresses.into_iter())
                .map(|address| (address.kind, (address.namespace.into(), address.name.into())))
                .filter(|(kind, place)| tables.any_mut(*kind).remove(place))
                .collect(),
            ..Edit::default()
        });
    }

    /// Takes over the complete list of a kind: what is not in it is gone.
    pub fn reset(&self, kind: Kind, objects: Vec<Object>, now: Timestamp) {
        self.edit(now, |tables| {
            let kept: BTreeSet<_> = (objects.iter().filter(|object| object.kind() == kind))
                .map(|object| {
                    let meta = object.meta();
                    (
                        meta.namespace.clone().unwrap_or_default(),
                        meta.name.clone().unwrap_or_default(),
                    )
                })
                .collect();
            let gone = (tables.any(kind).places().into_iter())
                .filter(|(namespace, name)| !kept.contains(&(namespace.to_string(), name.to_string())))
                .collect::<Vec<_>>();
            for place in &gone {
                tables.any_mut(kind).remove(place);
            }
            tables.any_mut(kind).give_up_newer(&objects);
            Edit {
                gone: gone.into_iter().map(|place| (kind, place)).collect(),
                placed: place(tables, objects),
                ..Edit::default()
            }
        });
    }

    /// Projects the rows whose next moment of change has come.
    pub fn tick(&self, now: Timestamp) {
        self.edit(now, |tables| Edit {
            due: (Kind::ALL.iter())
                .flat_map(|&kind| tables.any(kind).due(now).into_iter().map(move |place| (kind, place)))
                .collect(),
            ..Edit::default()
        });
    }

    /// When `tick` has something to do.
    pub fn next_change(&self) -> Option<Timestamp> {
        self.snapshot().next_change()
    }

    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Tells the revision of each publication; the changes themselves are asked from `changes_since`.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.published.subscribe()
    }

    pub fn changes_since(&self, revision: u64) -> Since {
        lock(&self.feed).since(revision)
    }

    fn edit(&self, now: Timestamp, edit: impl FnOnce(&mut Tables) -> Edit) {
        let mut writer = lock(&self.writer);
        let before = self.snapshot();
        let edit = edit(&mut writer.tables);
        let shown = writer.project(&before, &edit, now);
        let revision = writer.revision;
        self.snapshot.store(Arc::new(Snapshot {
            epoch: before.epoch,
            revision,
            tables: writer.tables.clone(),
        }));
        if revision != before.revision {
            lock(&self.feed).push(revision, shown.len(), || writer.changes(&shown));
            self.published.send_replace(revision);
        }
    }
}

// === impl Snapshot ===

impl Snapshot {
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    pub fn revision(&self) -> u64 {
        self.revision
    }

    pub fn table<K: Held>(&self) -> &Table<K> {
        K::table(&self.tables)
    }

    /// As [`Table::revision`], of a kind that is known only at run time.
    pub fn revision_of(&self, kind: Kind) -> u64 {
        self.tables.any(kind).revision()
    }

    pub fn next_change(&self) -> Option<Timestamp> {
        Kind::ALL
            .iter()
            .filter_map(|&kind| self.tables.any(kind).next_change())
            .min()
    }

    /// For what is computed on request from several objects.
    pub fn context(&self, now: Timestamp) -> Context<'_> {
        Context::new(&self.tables, now)
    }
}

// === impl Writer ===

impl Writer {
    /// Projects what was placed, what is due, and what was made from any of the objects that changed. Answers the rows that show
    /// something else, are of a new version, or are gone. The revision goes up if anything at all has changed.
    fn project(&mut self, before: &Snapshot, edit: &Edit, now: Timestamp) -> Vec<(Kind, Place)> {
        let mut shown: Vec<_> = edit.gone.iter().cloned().collect();
        let mut kinds: BTreeSet<_> = edit.placed.union(&edit.gone).map(|(kind, _)| *kind).collect();
        let mut pending: Vec<_> = edit.placed.union(&edit.due).cloned().collect();
        pending.extend(self.dependents(before, edit, &kinds));
        for rows in pending.chunks(STRIDE) {
            let looks: Vec<_> = (rows.iter())
                .map(|(kind, place)| {
                    let context = Context::new(&self.tables, now);
                    let look = self.tables.any(*kind).look(place, &context);
                    (look, context.into_read())
                })
                .collect();
            for ((kind, place), (look, read)) in rows.iter().zip(looks) {
                let Some(projection) = look else { continue };
                self.links.set(address(*kind, place), read);
                let outcome = self.tables.any_mut(*kind).project(place, projection, now);
                let is_new = edit.placed.contains(&(*kind, place.clone()));
                match outcome {
                    // The list shows the same of it; the object's own page may show more.
                    Outcome::Same | Outcome::Moved if is_new => shown.push((*kind, place.clone())),
                    Outcome::Same => {}
                    Outcome::Moved => drop(kinds.insert(*kind)),
                    Outcome::Shown => {
                        kinds.insert(*kind);
                        shown.push((*kind, place.clone()));
                    }
                }
            }
        }
        for (kind, place) in &edit.gone {
            self.links.set(address(*kind, place), Vec::new());
        }
        if !kinds.is_empty() {
            self.revision += 1;
        }
        for kind in kinds {
            self.tables.any_mut(kind).touch(self.revision);
        }
        shown
    }

    /// The rows that were made from objects that changed, beside those that are projected anyway.
    fn dependents(&self, before: &Snapshot, edit: &Edit, kinds: &BTreeSet<Kind>) -> BTreeSet<(Kind, Place)> {
        if self.links.is_empty() {
            return BTreeSet::new();
        }
        let changed = || edit.placed.iter().chain(&edit.gone);
        let objects = changed().map(|(kind, place)| Target::Object(address(*kind, place)));
        let newest = (kinds.iter())
            .filter(|&&kind| {
                let newest = self.tables.any(kind).newest();
                newest != before.tables.any(kind).newest()
                    || newest.is_some_and(|newest| edit.placed.contains(&(kind, newest)))
            })
            .map(|&kind| Target::Newest(kind));
        let any = kinds.iter().map(|&kind| Target::Any(kind));
        (objects.chain(newest).chain(any))
            .flat_map(|target| self.links.dependents(&target).cloned().collect::<Vec<_>>())
            .map(|row| (row.kind, (row.namespace.as_str().into(), row.name.as_str().into())))
            .filter(|row| !edit.placed.contains(row) && !edit.due.contains(row))
            .collect()
    }

    fn changes(&self, shown: &[(Kind, Place)]) -> Vec<RowChange> {
        (shown.iter())
            .map(|(kind, place)| RowChange {
                revision: self.revision,
                kind: *kind,
                namespace: place.0.clone(),
                name: place.1.clone(),
                item: self.tables.any(*kind).item(place),
            })
            .collect()
    }
}

fn place(tables: &mut Tables, objects: Vec<Object>) -> BTreeSet<(Kind, Place)> {
    let mut by_kind = BTreeMap::<Kind, Vec<Object>>::new();
    for object in objects {
        by_kind.entry(object.kind()).or_default().push(object);
    }
    (by_kind.into_iter())
        .flat_map(|(kind, objects)| {
            tables
                .any_mut(kind)
                .place(objects)
                .into_iter()
                .map(move |place| (kind, place))
        })
        .collect()
}

fn address(kind: Kind, (namespace, name): &Place) -> Address {
    Address {
        kind,
        namespace: namespace.to_string(),
        name: name.to_string(),
    }
}

/// A panic while it was held leaves behind a batch at most half done; the next list of the source puts that right.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
