//! Where objects come from and where changes go. The kinds of source live below; handlers cannot tell which one they have.

pub mod embedded;
pub mod export;
pub mod import;
pub mod manifest;
pub mod sample;
pub mod settler;

use crate::{
    catalog::Catalog,
    resources::{Invalid, Kind, Object},
};
use jiff::Timestamp;
use serde_json::Value;
use std::{future::Future, pin::Pin};

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
    #[error("the store cannot be written: {0}")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

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

/// The one seam between Opsdeck and the place where its objects live.
pub trait Source: Send + Sync {
    /// Writes, and puts the outcome in the catalog before it answers, so that the caller's next read shows it.
    /// Answers the object as stored (for a deletion, as it last was).
    fn write(&self, change: Change) -> Written<'_>;
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
