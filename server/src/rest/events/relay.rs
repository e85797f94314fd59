//! One task that turns what the catalog publishes into events, gathered over a moment and written once, for however many readers.
//! Readers share one short buffer: who falls behind by more than it holds is cut, and a reader costs no memory for what it has not read.

use crate::{
    access::{keys::KeySet, session::SessionId},
    catalog::{Catalog, RowChange, Since},
    console::Console,
    json,
    resources::Kind,
    rest::freshness::data_as_of,
    source::Source,
    telemetry::metrics::EventStreams,
};
use arc_swap::ArcSwap;
use bytes::Bytes;
use prometheus_client::metrics::gauge::Gauge;
use serde::Serialize;
use serde_json::Value;
use std::{
    collections::HashMap,
    io::Write as _,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{
        OwnedSemaphorePermit, Semaphore,
        broadcast::{Receiver, Sender},
        watch,
    },
    time::{MissedTickBehavior, interval, sleep},
};

/// Changes of one object within this time are one event.
const GATHERING: Duration = Duration::from_millis(100);
/// Events that a reader may be behind.
const BEHIND: usize = 256;
/// More changes at once are told as `reset`: to ask again is cheaper than to patch so many rows.
const LARGEST: usize = 256;
/// Open streams at a time. The listener has room for more connections, so that requests get in beside them.
const SEATS: usize = 1024;
/// As many of them by one key, so that no key takes all.
const SEATS_OF_A_KEY: usize = 256;
/// How often keys and source are looked at, for what streams should know of them.
const LOOK: Duration = Duration::from_secs(1);

/// Everything that open streams share.
#[derive(Debug)]
pub struct Events {
    signals: Sender<Signal>,
    /// Events that were sent so far.
    sent: Arc<AtomicUsize>,
    seats: Arc<Semaphore>,
    taken: Arc<Mutex<HashMap<String, usize>>>,
    open: Gauge,
    relaying: OnceLock<()>,
}

/// Tells all readers what has been published.
struct Relay {
    signals: Sender<Signal>,
    sent: Arc<AtomicUsize>,
    catalog: Arc<Catalog>,
    source: Arc<dyn Source>,
    keys: Arc<ArcSwap<KeySet>>,
    frames: Frames,
    /// Everything up to this revision was passed on.
    told: u64,
}

/// What all readers are told at once.
#[derive(Clone, Debug)]
pub(super) enum Signal {
    Changes(Arc<Batch>),
    /// Too much has changed; up to this revision.
    Reset(u64),
    /// Some key came, went or changed its role.
    KeysChanged,
    SignedOut(SessionId),
    /// The source has gone away, or has come back.
    Standing,
}

/// What has changed since the batch before, oldest first, each object once.
#[derive(Debug)]
pub(super) struct Batch {
    pub events: Vec<Event>,
    pub upto: u64,
    /// Events that were sent up to the end of this.
    sent: usize,
}

#[derive(Debug)]
pub(super) struct Event {
    pub revision: u64,
    pub kind: Kind,
    pub namespace: Arc<str>,
    pub frame: Bytes,
}

/// One of the places there are, given back when the stream ends.
#[derive(Debug)]
pub(super) struct Seat {
    open: Gauge,
    key_id: String,
    taken: Arc<Mutex<HashMap<String, usize>>>,
    _permit: OwnedSemaphorePermit,
}

/// Writes events as they travel (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).
#[derive(Clone, Copy, Debug)]
pub(super) struct Frames {
    epoch: u64,
}

/// What an event says of a row beside its item, which is written already.
#[derive(Serialize)]
struct Head<'a> {
    kind: &'a str,
    namespace: &'a str,
    name: &'a str,
    deleted: bool,
}

// === impl Events ===

impl Events {
    pub fn new(metrics: &EventStreams) -> Self {
        Self {
            signals: Sender::new(BEHIND),
            sent: Arc::default(),
            seats: Arc::new(Semaphore::new(SEATS)),
            taken: Arc::default(),
            open: metrics.open.clone(),
            relaying: OnceLock::new(),
        }
    }

    /// Ends the streams of a browser session, whose cookie is gone.
    pub fn sign_out(&self, session: SessionId) {
        // Without readers there is nobody to tell.
        let _ = self.signals.send(Signal::SignedOut(session));
    }

    pub(super) fn sit_down(&self, key_id: &str) -> Option<Seat> {
        let permit = self.seats.clone().try_acquire_owned().ok()?;
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let of_this_key = taken.entry(key_id.to_owned()).or_default();
        if *of_this_key >= SEATS_OF_A_KEY {
            return None;
        }
        *of_this_key += 1;
        self.open.inc();
        Some(Seat {
            open: self.open.clone(),
            key_id: key_id.to_owned(),
            taken: self.taken.clone(),
            _permit: permit,
        })
    }

    /// Whoever gets to a batch only after so many others were sent reads too slowly.
    pub(super) fn is_too_far_behind(&self, batch: &Batch) -> bool {
        self.sent.load(Ordering::Relaxed).saturating_sub(batch.sent) > BEHIND
    }

    /// The first reader starts the relay: without readers nothing is written.
    pub(super) fn subscribe(&self, console: &Console) -> Receiver<Signal> {
        self.relaying.get_or_init(|| {
            // Here and not in the task: what is published before the task begins is for this reader already.
            let published = console.catalog.subscribe();
            let relay = Relay {
                signals: self.signals.clone(),
                sent: self.sent.clone(),
                told: console.catalog.snapshot().revision(),
                frames: Frames::new(console.catalog.snapshot().epoch()),
                catalog: console.catalog.clone(),
                source: console.source.clone(),
                keys: console.door.keys.clone(),
            };
            tokio::spawn(relay.run(published));
        });
        self.signals.subscribe()
    }
}

// === impl Relay ===

impl Relay {
    async fn run(mut self, mut published: watch::Receiver<u64>) {
        let mut known = self.keys.load_full();
        let mut is_away = data_as_of(&*self.source).is_some();
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                changed = published.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    sleep(GATHERING).await;
                    let upto = *published.borrow_and_update();
                    self.pass_on(upto);
                }
                _ = look.tick() => {
                    let now = self.keys.load_full();
                    if !Arc::ptr_eq(&known, &now) {
                        known = now;
                        self.send(Signal::KeysChanged);
                    }
                    if is_away != data_as_of(&*self.source).is_some() {
                        is_away = !is_away;
                        self.send(Signal::Standing);
                    }
                }
            }
        }
    }

    /// `upto` was read before it is looked whether there are readers: one that comes later begins with a snapshot that has it.
    fn pass_on(&mut self, upto: u64) {
        let from = std::mem::replace(&mut self.told, upto);
        if self.signals.receiver_count() == 0 {
            return;
        }
        let batch = match self.catalog.changes_since(from) {
            Since::Gap => None,
            Since::Changes(changes) => {
                self.told = changes.last().map_or(upto, |change| change.revision.max(upto));
                Batch::of(changes, from, self.told, self.frames)
            }
        };
        match batch {
            None => self.send(Signal::Reset(self.told)),
            Some(batch) if batch.events.is_empty() => {}
            Some(mut batch) => {
                let count = batch.events.len();
                batch.sent = self.sent.fetch_add(count, Ordering::Relaxed) + count;
                self.send(Signal::Changes(Arc::new(batch)));
            }
        }
    }

    fn send(&self, signal: Signal) {
        // Without readers there is nobody to tell.
        let _ = self.signals.send(signal);
    }
}

// === impl Batch ===

impl Batch {
    /// The last change of each object; nothing when there are too many. `changes` are those after `from` up to `upto`, in order.
    ///
    /// The id of an event is a revision up to which everything has been told by then: who resumes from it misses nothing.
    pub(super) fn of(mut changes: Vec<RowChange>, from: u64, upto: u64, frames: Frames) -> Option<Self> {
        changes.retain(|change| change.kind.listed().is_some());
        let mut last = HashMap::new();
        for (index, change) in changes.iter().enumerate() {
            last.insert((change.kind, &change.namespace, &change.name), index);
        }
        if last.len() > LARGEST {
            return None;
        }
        let mut indexes: Vec<_> = last.into_values().collect();
        indexes.sort_unstable();
        let kept: Vec<_> = indexes.into_iter().filter_map(|index| changes.get(index)).collect();
        let (mut events, mut complete) = (Vec::with_capacity(kept.len()), from);
        for (index, change) in kept.iter().enumerate() {
            let is_last = kept.get(index + 1).is_none_or(|next| next.revision > change.revision);
            if is_last {
                complete = change.revision;
            }
            events.push(Event {
                revision: change.revision,
                kind: change.kind,
                namespace: change.namespace.clone(),
                frame: frames.change(complete, change),
            });
        }
        Some(Self { events, upto, sent: 0 })
    }
}

// === impl Seat ===

impl Drop for Seat {
    fn drop(&mut self) {
        self.open.dec();
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(of_this_key) = taken.get_mut(&self.key_id) {
            *of_this_key -= 1;
            if *of_this_key == 0 {
                taken.remove(&self.key_id);
            }
        }
    }
}

// === impl Frames ===

impl Frames {
    pub(super) fn new(epoch: u64) -> Self {
        Self { epoch }
    }

    pub(super) fn epoch_text(self) -> String {
        format!("{:08x}", self.epoch)
    }

    /// The revision of an id of this epoch.
    pub(super) fn revision_of(self, id: &str) -> Option<u64> {
        let (epoch, revision) = id.trim().split_once('-')?;
        (epoch == self.epoch_text()).then(|| revision.parse().ok())?
    }

    pub(super) fn event(self, name: &str, id: Option<u64>, data: &Value) -> Bytes {
        self.frame(name, id, &json::to_bytes(data))
    }

    pub(super) fn id(self, revision: u64) -> String {
        format!("{}-{revision}", self.epoch_text())
    }

    fn change(self, id: u64, change: &RowChange) -> Bytes {
        let mut data = json::to_bytes(&Head {
            kind: change.kind.as_str(),
            namespace: &change.namespace,
            name: &change.name,
            deleted: change.item.is_none(),
        });
        data.pop();
        data.extend(br#","item":"#);
        data.extend(change.item.as_deref().unwrap_or(b"null"));
        data.push(b'}');
        self.frame("change", Some(id), &data)
    }

    /// `data` is JSON, and so of one line.
    fn frame(self, name: &str, id: Option<u64>, data: &[u8]) -> Bytes {
        let mut frame = Vec::with_capacity(data.len() + 64);
        // Writing to a vector cannot fail.
        let _ = writeln!(frame, "event: {name}");
        if let Some(revision) = id {
            let _ = writeln!(frame, "id: {}", self.id(revision));
        }
        frame.extend(b"data: ");
        frame.extend(data);
        frame.extend(b"\n\n");
        frame.into()
    }
}

/// Some number of milliseconds in between, another for each.
pub(super) fn between((least, most): (u64, u64)) -> u64 {
    let mut bytes = [0; 4];
    // Without chance all get the least.
    let _ = getrandom::fill(&mut bytes);
    least + u64::from(u32::from_ne_bytes(bytes)) % (most - least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const FRAMES: Frames = Frames { epoch: 7 };

    fn change(revision: u64, name: &str, item: Option<usize>) -> RowChange {
        RowChange {
            revision,
            kind: Kind::Issue,
            namespace: "shop".into(),
            name: name.into(),
            item: item.map(|item| item.to_string().into()),
        }
    }

    /// Name, item and id of an event as a reader reads it.
    fn read(event: &Event) -> (String, Value, u64) {
        let text = std::str::from_utf8(&event.frame).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!((lines[0], lines[3]), ("event: change", ""));
        let data: Value = serde_json::from_str(lines[2].strip_prefix("data: ").unwrap()).unwrap();
        let id = FRAMES.revision_of(lines[1].strip_prefix("id: ").unwrap()).unwrap();
        assert_eq!(data["deleted"], data["item"].is_null());
        (data["name"].as_str().unwrap().to_owned(), data["item"].clone(), id)
    }

    #[test]
    fn an_id_counts_in_its_own_epoch_alone() {
        assert_eq!(FRAMES.revision_of("00000007-12"), Some(12));
        assert_eq!(FRAMES.revision_of("00000008-12"), None);
        assert_eq!(FRAMES.revision_of("7-12"), None);
        assert_eq!(FRAMES.revision_of("00000007--1"), None);
    }

    #[test]
    fn names_are_text() {
        let batch = Batch::of(vec![change(1, "a\"\nb", None)], 0, 1, FRAMES).unwrap();
        assert_eq!(read(&batch.events[0]), ("a\"\nb".into(), Value::Null, 1));
    }

    #[test]
    fn too_many_are_no_batch() {
        let changes = |count| {
            (0..count)
                .map(|index| change(1, &format!("issue-{index}"), None))
                .collect()
        };
        assert!(Batch::of(changes(LARGEST), 0, 1, FRAMES).is_some());
        assert!(Batch::of(changes(LARGEST + 1), 0, 1, FRAMES).is_none());
    }

    proptest! {
        /// Whoever is cut after any event and resumes from its id knows the same in the end as if nothing had happened.
        #[test]
        fn whoever_resumes_misses_nothing(
            steps in prop::collection::vec((0_u64..2, 0_u8..4, any::<bool>()), 1..24),
            gathered in 0_usize..24,
            cut in 0_usize..24,
        ) {
            let mut revision = 1;
            let changes: Vec<_> = steps.iter().enumerate().map(|(index, (step, name, there))| {
                revision += step;
                change(revision, &format!("issue-{name}"), there.then_some(index))
            }).collect();
            let mut truth = BTreeMap::new();
            for change in &changes {
                truth.insert(change.name.to_string(), change.item.as_ref().map_or(Value::Null, |item| serde_json::from_slice(item).unwrap()));
            }
            // The relay gathers whole publications.
            let upto = changes[gathered.min(changes.len() - 1)].revision;
            let after = |from: u64, upto: u64| changes.iter().filter(|change| change.revision > from && change.revision <= upto).cloned().collect::<Vec<_>>();
            let first = Batch::of(after(0, upto), 0, upto, FRAMES).unwrap();

            let (mut known, mut last) = (BTreeMap::new(), 0);
            for event in first.events.iter().take(cut) {
                let (name, item, id) = read(event);
                known.insert(name, item);
                prop_assert!(id >= last && id <= event.revision);
                last = id;
            }
            for event in &Batch::of(after(last, revision), last, revision, FRAMES).unwrap().events {
                let (name, item, _) = read(event);
                known.insert(name, item);
            }
            prop_assert_eq!(known, truth);
        }
    }
}
