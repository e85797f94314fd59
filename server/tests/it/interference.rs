//! A source in which others are quicker, or that fails, exactly when a test says so; and a log that can be read.

use opsdeck::source::{Change, Source, Verb, WriteError, Written, embedded::Embedded};
use std::{
    io,
    sync::{Arc, Mutex},
};
use tokio::sync::oneshot;
use tracing::subscriber::DefaultGuard;

/// Something that happens just before a write reaches the store.
pub(crate) enum Mishap {
    /// Somebody else writes this.
    Rival(Box<Change>),
    /// The store is away.
    Outage,
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

/// What was logged on this thread while this lives.
pub(crate) struct Log {
    text: Arc<Mutex<Vec<u8>>>,
    _listening: DefaultGuard,
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
}

impl Source for Interference {
    fn write(&self, change: Change) -> Written<'_> {
        let mishap = self.next(&change.verb);
        Box::pin(async move {
            match mishap {
                Some(Mishap::Rival(rival)) => {
                    self.store.write(*rival).await.expect("a rival that may");
                }
                Some(Mishap::Outage) => return Err(WriteError::Unavailable("disk full".into())),
                Some(Mishap::Hold(sign)) => sign.await.expect("a sign"),
                None => {}
            }
            self.store.write(change).await
        })
    }
}

// === impl Log ===

impl Log {
    pub(crate) fn listen() -> Self {
        let text = Arc::new(Mutex::new(Vec::new()));
        let ours = Line(text.clone());
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(move || ours.clone());
        Self {
            text,
            _listening: tracing::subscriber::set_default(subscriber.finish()),
        }
    }

    /// The lines that hold this.
    pub(crate) fn lines(&self, part: &str) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.text.lock().expect("a log")).into_owned();
        text.lines()
            .filter(|line| line.contains(part))
            .map(str::to_owned)
            .collect()
    }
}

#[derive(Clone)]
struct Line(Arc<Mutex<Vec<u8>>>);

impl io::Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("a log").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
