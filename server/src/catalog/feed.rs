//! The last changes, for streams that resume.

use crate::resources::Kind;
use bytes::Bytes;
use std::{collections::VecDeque, sync::Arc};

/// A row that came, went, or shows something else.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RowChange {
    pub revision: u64,
    pub kind: Kind,
    pub namespace: Arc<str>,
    pub name: Arc<str>,
    /// What the list shows of it now; `None` when it is gone.
    pub item: Option<Bytes>,
}

/// What happened after a revision.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Since {
    /// Nobody can tell any more: read again.
    Gap,
    Changes(Vec<RowChange>),
}

#[derive(Debug)]
pub(super) struct Feed {
    ring: VecDeque<RowChange>,
    capacity: usize,
    /// Changes up to this revision may be lost.
    floor: u64,
    revision: u64,
}

// === impl Feed ===

impl Feed {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            ring: VecDeque::new(),
            capacity,
            floor: 0,
            revision: 0,
        }
    }

    /// Takes the changes of one publication; of one with more than it may hold, that there were some.
    pub(super) fn push(&mut self, revision: u64, count: usize, changes: impl FnOnce() -> Vec<RowChange>) {
        self.revision = revision;
        if count > self.capacity {
            self.ring.clear();
            self.floor = revision;
            return;
        }
        self.ring.extend(changes());
        while self.ring.len() > self.capacity {
            if let Some(lost) = self.ring.pop_front() {
                self.floor = lost.revision;
            }
        }
    }

    pub(super) fn since(&self, revision: u64) -> Since {
        if revision < self.floor || revision > self.revision {
            return Since::Gap;
        }
        let from = self.ring.partition_point(|change| change.revision <= revision);
        Since::Changes(self.ring.range(from..).cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{Feed, RowChange, Since};
    use crate::resources::Kind;

    fn change(revision: u64, name: &str) -> RowChange {
        RowChange {
            revision,
            kind: Kind::Issue,
            namespace: "shop".into(),
            name: name.into(),
            item: None,
        }
    }

    fn push(feed: &mut Feed, revision: u64, names: &[&str]) {
        feed.push(revision, names.len(), || {
            names.iter().map(|name| change(revision, name)).collect()
        });
    }

    #[test]
    fn a_reader_gets_what_came_after_its_revision() {
        let mut feed = Feed::new(3);
        push(&mut feed, 1, &["a", "b"]);
        push(&mut feed, 2, &[]);
        push(&mut feed, 3, &["c"]);
        assert_eq!(
            feed.since(0),
            Since::Changes(vec![change(1, "a"), change(1, "b"), change(3, "c")])
        );
        assert_eq!(feed.since(1), Since::Changes(vec![change(3, "c")]));
        assert_eq!(feed.since(3), Since::Changes(vec![]));
    }

    #[test]
    fn half_of_a_publication_is_a_gap() {
        let mut feed = Feed::new(3);
        push(&mut feed, 1, &["a", "b"]);
        push(&mut feed, 2, &["c", "d"]);
        assert_eq!(feed.since(0), Since::Gap);
        assert_eq!(feed.since(1), Since::Changes(vec![change(2, "c"), change(2, "d")]));
    }

    #[test]
    fn a_flood_and_a_foreign_revision_are_gaps() {
        let mut feed = Feed::new(1);
        push(&mut feed, 7, &["a", "b"]);
        assert_eq!(feed.since(6), Since::Gap);
        assert_eq!(feed.since(7), Since::Changes(vec![]));
        assert_eq!(feed.since(8), Since::Gap);
    }
}
