//! What a rule answers when a person may do what they ask: what is written, and what the trail says of it.

use crate::{resources::TextMap, source::Verb};
use jiff::Timestamp;
use serde_json::{Value, json};

/// A legal change of one object.
#[derive(Clone, Debug)]
pub struct Decision {
    pub verb: Verb,
    /// What belongs to it and is another write. On a cluster the thing is done once the verb is written, whatever becomes of this.
    pub then: Option<Verb>,
    /// What the audit event tells beside who, what and when.
    pub details: TextMap,
}

/// Whose writing stands on an object.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Hand {
    pub by: String,
    pub at: Option<Timestamp>,
}

// === impl Decision ===

impl Decision {
    pub fn new(verb: Verb) -> Self {
        Self {
            verb,
            then: None,
            details: TextMap::new(),
        }
    }

    /// Annotations and the like: a merge patch beside the status.
    #[must_use]
    pub fn marked(self, marks: Value) -> Self {
        self.and_then(Verb::Patch(marks))
    }

    #[must_use]
    pub fn and_then(mut self, verb: Verb) -> Self {
        self.then = Some(verb);
        self
    }

    /// Adds to what the audit event tells; nothing where there is nothing to tell.
    #[must_use]
    pub fn telling(mut self, key: &str, value: impl Into<String>) -> Self {
        let value = value.into();
        if !value.is_empty() {
            self.details.insert(key.to_owned(), value);
        }
        self
    }
}

/// The merge patch that sets these annotations; null removes one.
pub fn annotations(marks: Value) -> Value {
    json!({ "metadata": { "annotations": marks } })
}
