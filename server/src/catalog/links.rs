//! Which rows were made from which other objects.

use crate::{resources::Kind, source::Address};
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

/// Something that a projection looked at, whether it was there or not.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) enum Target {
    Object(Address),
    Newest(Kind),
    Any(Kind),
}

/// Both directions of "was made from".
#[derive(Debug, Default)]
pub(super) struct Links {
    sources: HashMap<Arc<Address>, Box<[Target]>>,
    dependents: HashMap<Target, BTreeSet<Arc<Address>>>,
}

// === impl Links ===

impl Links {
    pub(super) fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    pub(super) fn dependents(&self, target: &Target) -> impl Iterator<Item = &Arc<Address>> {
        self.dependents.get(target).into_iter().flatten()
    }

    /// Sets what a row was made from; nothing when it is gone.
    pub(super) fn set(&mut self, row: Address, sources: Vec<Target>) {
        match self.sources.get_key_value(&row) {
            Some((_, held)) if **held == *sources => return,
            None if sources.is_empty() => return,
            _ => {}
        }
        if let Some((row, held)) = self.sources.remove_entry(&row) {
            for target in held {
                if let Some(rows) = self.dependents.get_mut(&target) {
                    rows.remove(&row);
                    if rows.is_empty() {
                        self.dependents.remove(&target);
                    }
                }
            }
        }
        if !sources.is_empty() {
            let row = Arc::new(row);
            for target in &sources {
                self.dependents.entry(target.clone()).or_default().insert(row.clone());
            }
            self.sources.insert(row, sources.into());
        }
    }
}
