//! A source in which others are quicker, or that fails, exactly when a test says so; and a log that can be read.

use opsdeck::source::{Batch, Change, Committed, Committing, Source, Verb, WriteError, embedded::Embedded};
use serde_json::Value;
use std::{
    cell::RefCell,
    io,
    sync::{Arc, Mutex, Once},
    time::Duration,
};
use tokio::{sync::oneshot, time::advance};

/// Something that happens just before a write reaches the store.
pub(crate) enum Mishap {
    /// Somebody else writes this.
    Rival(Box<Change>),
    /// The same, while the time of a test that has stopped it goes on by this.
    SlowRival(Box<Change>, Duration),
    /// Somebody else deletes it and makes this under the same name.
    Namesake(Box<Value>),
    /// The store is away.
    Outage,
    /// It is written, and the answer is lost.
    LostAnswer,
    /// It never arrives, and nobody says so.
    LostRequest,
    /// It is written, and the answer makes no sense.
    OddAnswer,
    /// The write waits for a sign.
    Hold(oneshot::Receiver<()>),
}

/// The store, and what happens to writes of which sort; each happens once, in this order.
pub(crate) struct Interference {
    store: Arc<Embedded>,
    plan: Mutex<Vec<(Sort, Mishap)>>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Sort {
    Creates,
    Patches,
    StatusPatches,
    Deletes,
}

/// What is logged on this thread from now on.
pub(crate) struct Log;

thread_local! {
    static LOGGED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

// === impl Interference ===

impl Interference {
    pub(crate) fn planned(plan: Vec<(Sort, Mishap)>) -> impl FnOnce(Arc<Embedded>) -> Arc<Self> {
        |store| {
            Arc::new(Self {
                store,
                plan: Mutex::new(plan),
            })
        }
    }

    fn next(&self, verb: &Verb) -> Option<Mishap> {
        let sort = match verb {
            Verb::Create(_) => Sort::Creates,
            Verb::Patch(_) => Sort::Patches,
            Verb::PatchStatus(_) => Sort::StatusPatches,
            Verb::Delete => Sort::Deletes,
        };
        let mut plan = self.plan.lock().expect("a plan");
        let at = plan.iter().position(|(planned, _)| *planned == sort)?;
        Some(plan.remove(at).1)
    }

    /// What the plan says of a change, then the change itself.
    async fn write_amid(&self, mishap: Option<Mishap>, change: Change) -> Result<Value, WriteError> {
        match mishap {
            Some(Mishap::Rival(rival)) => {
                self.store.write(*rival).await.expect("a rival that may");
            }
            Some(Mishap::SlowRival(rival, took)) => {
                advance(took).await;
                self.store.write(*rival).await.expect("a rival that may");
            }
            Some(Mishap::Namesake(object)) => {
                let verbs = [Verb::Delete, Verb::Create(*object)];
                for verb in verbs {
                    let change = Change {
                        address: change.address.clone(),
                        precondition: None,
                        verb,
                    };
                    self.store.write(change).await.expect("a rival that may");
                }
            }
            Some(Mishap::LostAnswer) => {
                let address = change.address.clone();
                self.store.write(change).await.expect("a write that may");
                return Err(WriteError::Timeout(address));
            }
            Some(Mishap::LostRequest) => return Err(WriteError::Timeout(change.address)),
            Some(Mishap::OddAnswer) => {
                let mut stored = self.store.write(change).await?;
                stored["spec"] = Value::from(7);
                return Ok(stored);
            }
            Some(Mishap::Outage) => return Err(WriteError::Unavailable("disk full".into())),
            Some(Mishap::Hold(sign)) => sign.await.expect("a sign"),
            None => {}
        }
        self.store.write(change).await
    }
}

/// On purpose without the store's transactions: as on a cluster, what belongs to a change is left to the caller, and each write of it
/// meets mishaps of its own.
impl Source for Interference {
    fn commit(&self, Batch { first, then }: Batch) -> Committing<'_> {
        let mishap = self.next(&first.verb);
        Box::pin(async move {
            let stored = self.write_amid(mishap, first).await?;
            let left = then(&stored);
            Ok(Committed { stored, left })
        })
    }
}

// === impl Log ===

impl Log {
    /// One subscriber for all threads, as in the server: what a thread without one calls first, is off for the others as well.
    pub(crate) fn listen() -> Self {
        static LISTENING: Once = Once::new();
        LISTENING.call_once(|| {
            let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(|| Line);
            tracing::subscriber::set_global_default(subscriber.finish()).expect("nobody else listens");
        });
        LOGGED.with_borrow_mut(Vec::clear);
        Self
    }

    /// The lines that hold this.
    pub(crate) fn lines(&self, part: &str) -> Vec<String> {
        let text = LOGGED.with_borrow(|logged| String::from_utf8_lossy(logged).into_owned());
        text.lines()
            .filter(|line| line.contains(part))
            .map(str::to_owned)
            .collect()
    }
}

struct Line;

impl io::Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOGGED.with_borrow_mut(|logged| logged.extend(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
