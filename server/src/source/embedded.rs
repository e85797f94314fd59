//! The embedded source: one thread owns the store, commits, tells the sink, and only then answers. So the order of
//! commits is the order of the catalog, whoever has an answer finds it there, and a batch is there as a whole or not at
//! all. What a write means is in `embedded/`.

mod schema;
mod semantics;
mod store;

pub use schema::OpenError;
pub(crate) use store::{Session, Upserted};
pub use store::{Store, StoreError};

use crate::{
    resources::Object,
    source::{Address, Batch, Change, Committed, Committing, Sink, Source, WriteError, import},
};
use serde_json::Value;
use std::{
    fmt,
    path::Path,
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};
use store::News;
use tokio::sync::oneshot;

/// How long a change by another process may stay unseen.
const POLL: Duration = Duration::from_millis(200);

/// Longer than this no request waits for another process that holds the file.
const PATIENCE: Duration = Duration::from_secs(5);

/// Batches that wait while one is being written share the next transaction; an answer waits for at most this many.
const GROUP: usize = 64;

/// Judges an object inside the write that changes it, so that the answer already shows the verdict.
pub trait Judge: Send {
    /// The merge patch of the status, `{"status": {…}}`, that the write shall also make.
    fn judge(&mut self, object: &Object) -> Option<Value>;

    /// What follows from the object as it is now, and is written with it. What is there already, or has nothing left to be
    /// written to, is passed over.
    fn consequences(&mut self, _before: Option<&Value>, _now: &Object) -> Vec<Change> {
        Vec::new()
    }
}

/// Objects in one SQLite file, or in memory.
pub struct Embedded {
    jobs: Sender<Job>,
    thread: Option<JoinHandle<()>>,
}

type Answer<T> = oneshot::Sender<Result<T, WriteError>>;

enum Job {
    Commit(Batch, Answer<Value>),
    Load(Vec<Value>, Answer<()>),
    Judge(Box<dyn Judge>),
    Close,
}

impl Embedded {
    /// Opens the store in `path`, made if absent, and resets every kind of the sink to what it holds.
    pub fn open(path: &Path, sink: Arc<dyn Sink>) -> Result<Embedded, OpenError> {
        let store = Store::open(path)?;
        (store.wait_for_others(PATIENCE)).map_err(|cause| schema::unreadable(path, cause))?;
        Embedded::over(store, Some(POLL), sink).map_err(|cause| schema::unreadable(path, cause))
    }

    pub fn in_memory(sink: Arc<dyn Sink>) -> Result<Embedded, OpenError> {
        let store = Store::in_memory()?;
        Embedded::over(store, None, sink).map_err(|cause| schema::unreadable(Path::new(":memory:"), cause))
    }

    fn over(
        mut store: Store,
        poll: Option<Duration>,
        sink: Arc<dyn Sink>,
    ) -> Result<Embedded, Box<dyn std::error::Error + Send + Sync>> {
        let (jobs, queue) = mpsc::channel();
        let mut news = Vec::new();
        let looked = store.data_version()?;
        store.tell(&mut news)?;
        tell(&*sink, news);
        let keeper = Keeper {
            store,
            sink,
            judge: None,
            looked,
        };
        let thread = std::thread::Builder::new()
            .name("store".into())
            .spawn(move || keeper.run(&queue, poll))?;
        Ok(Embedded {
            jobs,
            thread: Some(thread),
        })
    }

    /// Puts `judge` into every create and patch from now on.
    pub fn judge_with(&self, judge: impl Judge + 'static) {
        // A thread that is gone answers the writes, which is where it matters.
        let _ = self.jobs.send(Job::Judge(Box::new(judge)));
    }

    /// Upserts objects as an import does: status, uid and times are kept where given. All of them or none.
    pub async fn load(&self, objects: Vec<Value>) -> Result<(), WriteError> {
        let (answer, answered) = oneshot::channel();
        self.ask(Job::Load(objects, answer), answered).await
    }

    async fn ask<T>(&self, job: Job, answered: oneshot::Receiver<Result<T, WriteError>>) -> Result<T, WriteError> {
        let gone = || WriteError::Unavailable("the store has stopped".into());
        self.jobs.send(job).map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }
}

impl Source for Embedded {
    fn commit(&self, batch: Batch) -> Committing<'_> {
        let (answer, answered) = oneshot::channel();
        Box::pin(async move {
            let stored = self.ask(Job::Commit(batch, answer), answered).await?;
            let left = Vec::new();
            Ok(Committed { stored, left })
        })
    }
}

impl Drop for Embedded {
    /// Waits for what was asked before, and leaves the file closed.
    fn drop(&mut self) {
        let _ = self.jobs.send(Job::Close);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Embedded {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Embedded")
    }
}

/// What the thread holds.
struct Keeper {
    store: Store,
    sink: Arc<dyn Sink>,
    judge: Option<Box<dyn Judge>>,
    /// SQLite's count of foreign commits when the store was last looked into.
    looked: i64,
}

impl Keeper {
    fn run(mut self, jobs: &Receiver<Job>, poll: Option<Duration>) {
        let mut due = Instant::now();
        let mut next = None;
        loop {
            let job = match (next.take(), poll) {
                (Some(job), _) => Ok(job),
                (None, Some(poll)) => jobs.recv_timeout(poll),
                (None, None) => jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match job {
                Ok(Job::Commit(batch, answer)) => {
                    let mut group = vec![(batch, answer)];
                    while group.len() < GROUP && next.is_none() {
                        match jobs.try_recv() {
                            Ok(Job::Commit(batch, answer)) => group.push((batch, answer)),
                            Ok(other) => next = Some(other),
                            Err(_) => break,
                        }
                    }
                    self.commit(group);
                }
                Ok(Job::Load(objects, answer)) => {
                    let outcome = self.load(objects);
                    let _ = answer.send(outcome);
                }
                Ok(Job::Judge(judge)) => self.judge = Some(judge),
                Ok(Job::Close) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Some(poll) = poll.filter(|_| due <= Instant::now()) {
                if let Err(error) = self.look() {
                    tracing::warn!(%error, "changes by other processes cannot be read");
                }
                due = Instant::now() + poll;
            }
        }
    }

    fn commit(&mut self, group: Vec<(Batch, Answer<Value>)>) {
        let (batches, answers): (Vec<_>, Vec<_>) = group.into_iter().unzip();
        let mut news = Vec::new();
        let judge = &mut self.judge;
        let outcome = self.store.transact(&mut news, |session, news| {
            let mut outcomes = Vec::with_capacity(batches.len());
            for batch in batches {
                match session.write(batch, judge.as_deref_mut(), news) {
                    // What is wrong with one object is its own affair; the file is everybody's.
                    Err(refusal @ WriteError::Unavailable(_)) => return Err(refusal),
                    outcome => outcomes.push(outcome),
                }
            }
            Ok(outcomes)
        });
        match outcome {
            Ok(outcomes) => {
                tell(&*self.sink, news);
                for (answer, outcome) in answers.into_iter().zip(outcomes) {
                    // Whoever asked may have gone away meanwhile.
                    let _ = answer.send(outcome);
                }
            }
            Err(cause) => {
                tracing::error!(error = %cause, "the store cannot be written");
                for answer in answers {
                    let _ = answer.send(Err(WriteError::Unavailable(cause.to_string().into())));
                }
            }
        }
    }

    fn load(&mut self, objects: Vec<Value>) -> Result<(), WriteError> {
        let mut news = Vec::new();
        self.store.transact(&mut news, |session, news| {
            for object in objects {
                let address = import::address(&object)?;
                if let Upserted::Created(object) | Upserted::Updated(object) = session.upsert(&address, object)? {
                    news.push(News::Applied(Object::parse(address.kind, object)?));
                }
            }
            Ok::<_, WriteError>(())
        })?;
        tell(&*self.sink, news);
        Ok(())
    }

    fn look(&mut self) -> Result<(), StoreError> {
        let now = self.store.data_version()?;
        if now != self.looked {
            let mut news = Vec::new();
            self.store.tell(&mut news)?;
            self.looked = now;
            tell(&*self.sink, news);
        }
        Ok(())
    }
}

/// Hands on what happened, neighbours of one sort together.
fn tell(sink: &dyn Sink, news: Vec<News>) {
    let (mut applied, mut deleted) = (Vec::new(), Vec::new());
    let flush = |applied: &mut Vec<Object>, deleted: &mut Vec<Address>| {
        if !applied.is_empty() {
            sink.apply(std::mem::take(applied));
        }
        if !deleted.is_empty() {
            sink.delete(std::mem::take(deleted));
        }
    };
    for one in news {
        match one {
            News::Applied(object) => {
                if !deleted.is_empty() {
                    flush(&mut applied, &mut deleted);
                }
                applied.push(object);
            }
            News::Deleted(address) => {
                if !applied.is_empty() {
                    flush(&mut applied, &mut deleted);
                }
                deleted.push(address);
            }
            News::Everything(kind, objects) => {
                flush(&mut applied, &mut deleted);
                sink.reset(kind, objects);
            }
        }
    }
    flush(&mut applied, &mut deleted);
}
