//! How current what a source tells of a kind is. A source that owns its objects is always current.

use jiff::Timestamp;

/// How far the objects of one kind can be trusted to be what the source has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Standing {
    Current,
    /// The source cannot be asked: this is how it was then.
    AsOf(Timestamp),
    /// The first list is not in yet.
    Syncing,
    Unavailable(Absence),
}

/// Why a kind cannot be had although the source can.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Absence {
    /// The cluster does not know the kind: its CustomResourceDefinition is missing.
    NotInstalled,
    /// The cluster does not let us read it.
    Forbidden,
}
