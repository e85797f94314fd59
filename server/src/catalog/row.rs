//! One object of the catalog together with everything that was computed from it.

use bytes::Bytes;
use jiff::Timestamp;
use std::{borrow::Cow, cmp::Ordering, fmt, sync::Arc};

/// The place of a row in its list: newest first, then namespace, then name. No two rows of a kind share one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Key {
    pub time: Timestamp,
    pub namespace: Arc<str>,
    pub name: Arc<str>,
}

/// What a list shows of an object, rendered once per change instead of once per request.
pub struct Row<K> {
    pub object: Arc<K>,
    /// The item of the REST list, as JSON; empty until the row was projected for the first time.
    pub item: Bytes,
    pub(super) key: Key,
    /// What free text is searched in, lower-cased.
    pub(super) text: Box<str>,
    /// Number of the facet in [`super::Project::FACETS`] (0 is the namespace, which every kind has) and its value.
    pub(super) facets: Box<[(u8, Arc<str>)]>,
    pub(super) need: u8,
    pub(super) next_change: Option<Timestamp>,
}

/// A member of a row to sort by. Values of one member are of one variant, or absent.
#[derive(Clone, Debug, PartialEq)]
pub enum SortKey<'a> {
    Absent,
    Flag(bool),
    Number(f64),
    Time(Timestamp),
    Text(Cow<'a, str>),
}

// === impl Key ===

impl Key {
    pub(super) fn place(&self) -> (Arc<str>, Arc<str>) {
        (self.namespace.clone(), self.name.clone())
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.time.cmp(&self.time))
            .then_with(|| self.namespace.cmp(&other.namespace))
            .then_with(|| self.name.cmp(&other.name))
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

// === impl Row ===

impl<K> Row<K> {
    pub fn key(&self) -> &Key {
        &self.key
    }

    pub fn namespace(&self) -> &str {
        &self.key.namespace
    }

    pub fn name(&self) -> &str {
        &self.key.name
    }

    /// What free text is searched in, in lower case: name, namespace, and what the kind adds, each on a line.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// When the row itself says something else although nothing was written.
    pub fn next_change(&self) -> Option<Timestamp> {
        self.next_change
    }

    pub(super) fn contains_all(&self, words: &[String]) -> bool {
        words.iter().all(|word| self.text.contains(word.as_str()))
    }
}

impl<K> Clone for Row<K> {
    fn clone(&self) -> Self {
        Self {
            object: self.object.clone(),
            item: self.item.clone(),
            key: self.key.clone(),
            text: self.text.clone(),
            facets: self.facets.clone(),
            need: self.need,
            next_change: self.next_change,
        }
    }
}

impl<K> fmt::Debug for Row<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Row")
            .field("key", &self.key)
            .field("facets", &self.facets)
            .field("need", &self.need)
            .field("next_change", &self.next_change)
            .finish_non_exhaustive()
    }
}

// === impl SortKey ===

impl SortKey<'_> {
    /// What is absent comes first; numbers by `total_cmp`, so that this is a total order whatever a status holds.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Flag(a), Self::Flag(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Time(a), Self::Time(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            _ => self.variant().cmp(&other.variant()),
        }
    }

    fn variant(&self) -> u8 {
        match self {
            Self::Absent => 0,
            Self::Flag(_) => 1,
            Self::Number(_) => 2,
            Self::Time(_) => 3,
            Self::Text(_) => 4,
        }
    }
}

impl<'a> From<&'a str> for SortKey<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<bool> for SortKey<'_> {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<f64> for SortKey<'_> {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<i32> for SortKey<'_> {
    fn from(number: i32) -> Self {
        Self::Number(number.into())
    }
}

impl From<Timestamp> for SortKey<'_> {
    fn from(time: Timestamp) -> Self {
        Self::Time(time)
    }
}

impl<'a, T: Into<SortKey<'a>>> From<Option<T>> for SortKey<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Into::into)
    }
}
