//! Where objects come from and where changes go. The kinds of source live below; handlers cannot tell which one they have.

pub mod sample;

use crate::resources::Kind;
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

pub type Written<'a> = Pin<Box<dyn Future<Output = Result<Value, WriteError>> + Send + 'a>>;

/// The one seam between Opsdeck and the place where its objects live.
pub trait Source: Send + Sync {
    /// Writes, and puts the outcome in the catalog before it answers, so that the caller's next read shows it.
    /// Answers the object as stored (for a deletion, as it last was).
    fn write(&self, change: Change) -> Written<'_>;
}
