//! Where objects come from and where changes go. The kinds of source live below; handlers cannot tell which one they have.

pub mod embedded;
pub mod export;
pub mod import;
pub mod kubernetes;
pub mod manifest;
pub mod sample;
pub mod settler;
mod standing;

pub use standing::{Absence, Standing};

use crate::{
    catalog::Catalog,
    resources::{Invalid, Kind, Object},
};
use jiff::Timestamp;
use serde_json::Value;
use std::{fmt, future::Future, pin::Pin};

/// Names one object in the store.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Address {
    pub kind: Kind,
    pub namespace: String,
    pub name: String,
}

/// One small, conditional write in the shape of Kubernetes' own.
#[derive(Clone, Debug)]
pub struct Change {
    pub address: Address,
    /// The resourceVersion that the decision was based on; the write fails with [`WriteError::Conflict`] when the object has another.
    pub precondition: Option<String>,
    pub verb: Verb,
}

#[derive(Clone, Debug)]
pub enum Verb {
    /// The whole object. The source gives uid, creationTimestamp and resourceVersion.
    Create(Value),
    /// RFC 7386 merge patch of everything but `status` (where the kind has a status sub-resource).
    Patch(Value),
    /// RFC 7386 merge patch of `status` alone: `{"status": {…}}`.
    PatchStatus(Value),
    Delete,
}

/// A change, and what is to be written with it.
pub struct Batch {
    pub first: Change,
    /// Told from the object as the first change has left it.
    pub then: Then,
}

pub type Then = Box<dyn FnOnce(&Value) -> Vec<Change> + Send>;

/// What became of a batch.
#[derive(Debug)]
pub struct Committed {
    /// The first object as it is stored by now (after a deletion, as it last was).
    pub stored: Value,
    /// What the caller still has to write, one after the other.
    pub left: Vec<Change>,
}

/// Why a write did not happen.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("{0:?} does not exist")]
    NotFound(Address),
    #[error("{0:?} exists already")]
    Exists(Address),
    /// The stored object, so that the caller can decide again or say who won.
    #[error("{0:?} was changed by somebody else")]
    Conflict(Address, Box<Value>),
    /// The object would not be one of its kind.
    #[error("invalid: {field}: {message}")]
    Invalid { field: String, message: String },
    /// The schema, or Kubernetes' own rules, do not take the object, for these reasons.
    #[error("refused as invalid: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Rejected(Vec<Invalid>),
    /// The cluster does not let this server do it, whatever the caller may do here. The cause is for the log.
    #[error("the cluster forbids it: {0}")]
    ForbiddenByCluster(#[source] Cause),
    #[error("the namespace {0} does not exist")]
    NoNamespace(String),
    /// The cluster does not know the kind.
    #[error("the cluster has no {0}")]
    KindUnavailable(Kind),
    /// No answer came in time: it may have happened all the same.
    #[error("no answer in time about {0:?}")]
    Timeout(Address),
    /// What is stored of it cannot be read, and will not be until somebody replaces it.
    #[error("{0} is damaged: {1}")]
    Damaged(String, #[source] Cause),
    /// Nothing was written, and trying again later may help.
    #[error("the store cannot be written: {0}")]
    Unavailable(#[source] Cause),
}

/// What lies behind an error. It names addresses and people, and so is for the log alone.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

impl From<Invalid> for WriteError {
    fn from(Invalid { field, message }: Invalid) -> WriteError {
        WriteError::Invalid { field, message }
    }
}

/// Who is told what a source holds, in the order in which it came about. The catalog, or a test's notebook.
pub trait Sink: Send + Sync {
    fn apply(&self, objects: Vec<Object>);
    fn delete(&self, addresses: Vec<Address>);
    /// All there is of a kind: what is not among `objects` is gone.
    fn reset(&self, kind: Kind, objects: Vec<Object>);
}

pub type Written<'a> = Pin<Box<dyn Future<Output = Result<Value, WriteError>> + Send + 'a>>;
pub type Committing<'a> = Pin<Box<dyn Future<Output = Result<Committed, WriteError>> + Send + 'a>>;

/// The one seam between Opsdeck and the place where its objects live.
pub trait Source: Send + Sync {
    /// Writes, and puts the outcome in the catalog before it answers, so that the caller's next read shows it.
    /// Answers the object as stored (for a deletion, as it last was).
    fn write(&self, change: Change) -> Written<'_> {
        Box::pin(async move { Ok(self.commit(change.into()).await?.stored) })
    }

    /// The same for a change and what belongs to it. Where there are transactions, all of it is written or none. Elsewhere the
    /// first is, and then the rest is left to the caller.
    fn commit(&self, batch: Batch) -> Committing<'_>;

    /// How current what the catalog holds of a kind is.
    fn standing(&self, _: Kind) -> Standing {
        Standing::Current
    }

    /// Whether the catalog has been filled once. It stays true however long the source is away later.
    fn is_filled(&self) -> bool {
        true
    }
}

// === impl Batch ===

impl Batch {
    pub fn new(first: Change, rest: Vec<Change>) -> Self {
        Self {
            first,
            then: Box::new(|_| rest),
        }
    }
}

impl From<Change> for Batch {
    fn from(change: Change) -> Self {
        Self::new(change, Vec::new())
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (formatter.debug_struct("Batch").field("first", &self.first)).finish_non_exhaustive()
    }
}

/// The catalog is what every source fills.
impl Sink for Catalog {
    fn apply(&self, objects: Vec<Object>) {
        Self::apply(self, objects, Timestamp::now());
    }

    fn delete(&self, addresses: Vec<Address>) {
        Self::delete(self, addresses, Timestamp::now());
    }

    fn reset(&self, kind: Kind, objects: Vec<Object>) {
        Self::reset(self, kind, objects, Timestamp::now());
    }
}
