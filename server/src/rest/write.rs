//! The one door through which people change things: read, decide by rule, write on the condition that nothing has moved
//! meanwhile, and with it one audit event. What is legal, and what changes then, stands in `rules`.

use super::{
    Error,
    answer::json_bytes,
    ask::Ask,
    freshness::Freshness,
    listing::{Single, envelope},
};
use crate::{
    catalog::{Held, project::resource_meta},
    console::SharedConsole,
    hex,
    resources::{Object, TextMap},
    rules::{
        audit::{Deed, Entry},
        decision::{Decision, Hand},
    },
    source::{Address, Batch, Change, Committed, Verb, WriteError},
};
use axum::response::Response;
use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

/// After this, no further try is begun. Every round that is lost was won by somebody, so the others get on.
const PATIENCE: Duration = Duration::from_secs(5);

/// A kind that people change through the API.
pub(super) trait Subject: Held {
    /// Who was the last to change it, where the object tells.
    fn last_hand(&self) -> Option<Hand> {
        None
    }

    /// Name of the incident that it belongs to.
    fn incident(&self) -> Option<&str> {
        None
    }

    /// Whether what this merge patch was to bring is in the object as stored.
    fn shows(stored: &Value, patch: &Value) -> bool {
        includes(stored, patch)
    }
}

/// One deed, from the decision to the trail.
struct Doing {
    console: SharedConsole,
    by: String,
    deed: Deed,
    single: Single,
}

// === impl Ask ===

impl Ask {
    /// Does to the named object what `rule` decides, and answers it as stored (after a deletion, as it last was).
    ///
    /// When somebody else was quicker, the rule is asked again about what is there now. What was begun is finished even if
    /// the client goes away: a deed without its audit event would be nobody's.
    pub(super) async fn change<K: Subject, D: Into<Option<Decision>>>(
        &self,
        single: &Single,
        name: &str,
        deed: Deed,
        rule: impl Fn(&K, Timestamp) -> Result<D, Error> + Send + Sync + 'static,
    ) -> Result<Arc<K>, Error> {
        let object = self.subject(single, name)?;
        self.change_object(single, object, deed, rule).await
    }

    /// What is to be changed, as it is now.
    pub(super) fn subject<K: Subject>(&self, single: &Single, name: &str) -> Result<Arc<K>, Error> {
        self.must_be_read::<K>()?;
        let snapshot = self.console.catalog.snapshot();
        Ok(self.find::<K>(&snapshot, single, name)?.object.clone())
    }

    /// What has not been read, or cannot be, is not missing.
    pub(super) fn must_be_read<K: Subject>(&self) -> Result<(), Error> {
        Freshness::of(&[K::KIND], &*self.console.source).map(drop)
    }

    /// The same to an object that was found already.
    pub(super) async fn change_object<K: Subject, D: Into<Option<Decision>>>(
        &self,
        single: &Single,
        object: Arc<K>,
        deed: Deed,
        rule: impl Fn(&K, Timestamp) -> Result<D, Error> + Send + Sync + 'static,
    ) -> Result<Arc<K>, Error> {
        let doing = self.doing(single, deed);
        self.console
            .writes
            .spawn(async move { doing.run(object, rule).await })
            .await
            .map_err(Error::internal)?
    }

    /// Makes a new object, and answers it as stored.
    pub(super) async fn create<K: Subject>(
        &self,
        single: &Single,
        address: Address,
        deed: Deed,
        decision: Decision,
    ) -> Result<Arc<K>, Error> {
        let doing = self.doing(single, deed);
        let snapshot = self.console.catalog.snapshot();
        let before = snapshot.table::<K>().get(&address.namespace, &address.name);
        let before = before.and_then(|row| row.object.meta().uid.clone());
        let begun = async move {
            let entry = doing.entry(&address, Timestamp::now(), decision.details);
            let first = Change {
                address,
                precondition: None,
                verb: decision.verb,
            };
            let made = doing.make(&first, before.as_deref(), trail::<K>(entry)).await;
            let Committed { stored, left } = made.map_err(|error| Error::from(error).failing_to(deed.infinitive()))?;
            doing.finish(&first.address, Some(&stored), left).await;
            // It is done, whether or not it can be read.
            read::<K>(stored)
        };
        self.console.writes.spawn(begun).await.map_err(Error::internal)?
    }

    fn doing(&self, single: &Single, deed: Deed) -> Doing {
        Doing {
            console: self.console.clone(),
            by: self.caller.identity.clone(),
            deed,
            single: *single,
        }
    }

    /// The object as a GET would show it, after a write.
    pub(super) fn written<K: Held>(&self, single: &Single, object: &K) -> Response {
        let item = self.item(object);
        let meta = resource_meta(object.meta());
        let mut response = json_bytes(envelope(single.kind, &item, Some(&item), Some(&meta)));
        self.warn(&mut response);
        response
    }

    /// The item of that very object, whatever has become of it since, among what else is true now.
    pub(super) fn item<K: Held>(&self, object: &K) -> Bytes {
        let snapshot = self.console.catalog.snapshot();
        object.project(&snapshot.context(Timestamp::now())).into_item()
    }
}

// === impl Doing ===

impl Doing {
    async fn run<K: Subject, D: Into<Option<Decision>>>(
        &self,
        mut object: Arc<K>,
        rule: impl Fn(&K, Timestamp) -> Result<D, Error>,
    ) -> Result<Arc<K>, Error> {
        let (begun, address, known) = (Instant::now(), object.address(), object.last_hand());
        loop {
            let now = Timestamp::now();
            // It is as it should be already.
            let Some(Decision { verb, then, details }) = rule(&object, now)?.into() else {
                return Ok(object);
            };
            let change = |precondition, verb| Change {
                address: address.clone(),
                precondition,
                verb,
            };
            let entry = Entry {
                uid: object.meta().uid.clone().unwrap_or_default(),
                incident: object.incident().map(str::to_owned),
                ..self.entry(&address, now, details)
            };
            let marks = then.map(|verb| change(None, verb));
            let rest: Vec<_> = marks.into_iter().chain([entry.change(&hex::random::<3>())]).collect();
            let first = change(object.meta().resource_version.clone(), verb);
            match self.surely::<K>(&first, rest, &object).await {
                Ok((stored, left)) => {
                    let completed = self.finish(&address, stored.as_ref(), left).await;
                    return completed.or(stored).map_or(Ok(object), read);
                }
                Err(WriteError::Conflict(_, stored)) if uid_of(&stored) != object.meta().uid.as_deref() => {
                    return Err(Error::replaced().failing_to(self.deed.infinitive()));
                }
                Err(WriteError::Conflict(_, stored)) => object = read(*stored)?,
                Err(WriteError::NotFound(gone)) => return Err(self.single.missing(&gone.namespace, &gone.name)),
                Err(error) => return Err(Error::from(error).failing_to(self.deed.infinitive())),
            }
            if begun.elapsed() > PATIENCE {
                break;
            }
        }
        let winner = object.last_hand().filter(|hand| Some(hand) != known.as_ref());
        Err(Error::conflict(winner).failing_to(self.deed.infinitive()))
    }

    /// Writes on the condition that the object is as it was. When it is not known what became of that, it is written once more:
    /// it cannot be done twice, and the conflict tells whether it was done. None where a deletion left nothing to show; and
    /// what is left to be written.
    async fn surely<K: Subject>(
        &self,
        first: &Change,
        rest: Vec<Change>,
        object: &K,
    ) -> Result<(Option<Value>, Vec<Change>), WriteError> {
        let commit = || self.commit(Batch::new(first.clone(), rest.clone()));
        let unknown = match commit().await {
            Err(unknown @ WriteError::Timeout(_)) if first.precondition.is_some() => unknown,
            told => return told.map(|Committed { stored, left }| (Some(stored), left)),
        };
        match commit().await {
            Err(WriteError::NotFound(_)) if matches!(first.verb, Verb::Delete) => Ok((None, rest)),
            Err(WriteError::Conflict(at, stored)) => {
                let same = uid_of(&stored) == object.meta().uid.as_deref();
                let shows = match &first.verb {
                    Verb::Patch(patch) | Verb::PatchStatus(patch) => K::shows(&stored, patch),
                    Verb::Delete => stored["metadata"]["deletionTimestamp"].is_string(),
                    Verb::Create(_) => false,
                };
                if same && shows {
                    Ok((Some(*stored), rest))
                } else {
                    Err(WriteError::Conflict(at, stored))
                }
            }
            Ok(Committed { stored, left }) => Ok((Some(stored), left)),
            // The second try may well have been refused for want of the API server, which tells nothing of the first.
            Err(WriteError::Timeout(_) | WriteError::Unavailable(_)) => Err(unknown),
            Err(error) => Err(error),
        }
    }

    /// The same for a new object: what stands there in the end is ours if it is as we wanted it and was not there `before`.
    async fn make(
        &self,
        first: &Change,
        before: Option<&str>,
        trail: impl FnOnce(&Value) -> Vec<Change> + Clone + Send + 'static,
    ) -> Result<Committed, WriteError> {
        let commit = || {
            self.commit(Batch {
                first: first.clone(),
                then: Box::new(trail.clone()),
            })
        };
        let unknown = match commit().await {
            Err(unknown @ WriteError::Timeout(_)) => unknown,
            told => return told,
        };
        match commit().await {
            Err(WriteError::Exists(at)) => {
                // Changes nothing, and answers what is stored.
                let look = Change {
                    verb: Verb::Patch(json!({})),
                    ..first.clone()
                };
                let stored = self.write(look).await.map_err(|_| unknown)?;
                let ours = matches!(&first.verb, Verb::Create(object) if includes(&stored, object));
                if ours && uid_of(&stored) != before {
                    let left = trail(&stored);
                    Ok(Committed { stored, left })
                } else {
                    Err(WriteError::Exists(at))
                }
            }
            Err(WriteError::Timeout(_) | WriteError::Unavailable(_)) => Err(unknown),
            told => told,
        }
    }

    /// Writes what the source has left of the deed, which is done by now: a failure is tried once more, logged, and that is all.
    /// Answers the object, where that has changed it.
    async fn finish(&self, on: &Address, stored: Option<&Value>, left: Vec<Change>) -> Option<Value> {
        let mut completed = None;
        for change in left {
            match change.verb {
                Verb::Create(_) => self.record(on, change).await,
                _ => completed = self.complete(change, stored).await,
            }
        }
        completed
    }

    /// Writes the marks, on nothing but the object to which it was done.
    async fn complete(&self, mut change: Change, stored: Option<&Value>) -> Option<Value> {
        let (begun, uid) = (Instant::now(), stored.and_then(uid_of));
        change.precondition = stored.and_then(version_of);
        let mut failed = false;
        loop {
            let error = match self.write(change.clone()).await {
                Ok(stored) => return Some(stored),
                Err(error) => error,
            };
            let namesake = match &error {
                WriteError::Conflict(_, now) if uid_of(now) == uid && begun.elapsed() < PATIENCE => {
                    change.precondition = version_of(now);
                    continue;
                }
                WriteError::Conflict(_, now) => uid_of(now) != uid,
                _ => false,
            };
            let given_up = failed || namesake;
            tracing::error!(
                %error,
                by = self.by,
                event = self.deed.event_type(),
                kind = %change.address.kind,
                namespace = change.address.namespace,
                name = change.address.name,
                given_up,
                "done, but its marks could not be written"
            );
            if given_up {
                return None;
            }
            failed = true;
        }
    }

    /// Leaves the trail. The log keeps what the store does not take.
    async fn record(&self, on: &Address, event: Change) {
        let mut written = self.write(event.clone()).await;
        if let Err(WriteError::Timeout(_)) = written {
            written = self.write(event).await;
        }
        match written {
            // Its name is its own: if it exists, an earlier try has written it.
            Ok(_) | Err(WriteError::Exists(_)) => {}
            Err(error) => tracing::error!(
                %error,
                by = self.by,
                event = self.deed.event_type(),
                kind = %on.kind,
                namespace = on.namespace,
                name = on.name,
                "done, but its audit event could not be written"
            ),
        }
    }

    /// For the trail, without what only the object tells.
    fn entry(&self, on: &Address, at: Timestamp, details: TextMap) -> Entry {
        Entry {
            deed: self.deed,
            by: self.by.clone(),
            at,
            on: on.clone(),
            uid: String::new(),
            incident: None,
            details,
        }
    }

    async fn write(&self, change: Change) -> Result<Value, WriteError> {
        self.console.source.write(change).await
    }

    async fn commit(&self, batch: Batch) -> Result<Committed, WriteError> {
        self.console.source.commit(batch).await
    }
}

/// What is told of an object that was made: who it is, and to which incident it belongs, it tells itself. Under one name, however
/// often it is tried.
fn trail<K: Subject>(entry: Entry) -> impl FnOnce(&Value) -> Vec<Change> + Clone + Send + 'static {
    let suffix = hex::random::<3>();
    move |stored| {
        let object = read::<K>(stored.clone()).ok();
        let entry = Entry {
            uid: uid_of(stored).unwrap_or_default().to_owned(),
            incident: object.and_then(|object| object.incident().map(str::to_owned)),
            ..entry
        };
        vec![entry.change(&suffix)]
    }
}

fn read<K: Subject>(stored: Value) -> Result<Arc<K>, Error> {
    let object = Object::parse(K::KIND, stored).map_err(Error::internal)?;
    Ok(K::of(&object)
        .expect("what was parsed as a kind is of that kind")
        .clone())
}

fn uid_of(stored: &Value) -> Option<&str> {
    stored["metadata"]["uid"].as_str()
}

fn version_of(stored: &Value) -> Option<String> {
    stored["metadata"]["resourceVersion"].as_str().map(str::to_owned)
}

/// Whether merging the patch would change nothing.
fn includes(stored: &Value, patch: &Value) -> bool {
    match patch {
        Value::Object(members) => members.iter().all(|(name, member)| includes(&stored[name], member)),
        other => stored == other,
    }
}
