//! The rows of a kind in their order, and the labels under which the bitmaps know them.
//!
//! A row's label is a `u32`, and labels ascend as the list does: newest first. So a bitmap of labels is a sorted list of rows, the
//! intersection of two filters comes out in list order, and exact totals are counts of bits. Labels start in the middle of their range;
//! a new row normally is the newest and takes the label below the smallest. A row that belongs between two others takes a label between
//! theirs; when there is none, the smallest aligned window of labels with room is spread out evenly (a packed-memory array: the
//! larger the window the emptier it must be, which keeps the moves per insert at O(log² n) even when all of them aim at one gap).
//! The two ends of the range need no care of their own: the window there grows like any other.
//!
//! Rows hang in chunks of 64 labels below a persistent map, so that a snapshot shares all but the chunks that changed.

use super::row::{Key, Row};
use roaring::RoaringBitmap;
use std::{fmt, sync::Arc};

const CHUNK: u32 = 64;
const CENTRE: u32 = 1 << 31;
/// A window this wide is the first to be tried; half of it is what a move costs at least.
const SMALLEST_WINDOW: u32 = 5;

type Chunk<K> = [Option<Arc<Row<K>>>; CHUNK as usize];

pub(super) struct Order<K> {
    chunks: imbl::OrdMap<u32, Arc<Chunk<K>>>,
    labels: Arc<RoaringBitmap>,
}

/// Where a new row goes, and which rows have to make way for it first (from, to).
#[derive(Debug)]
pub(super) struct Room {
    pub(super) label: u32,
    pub(super) moves: Vec<(u32, u32)>,
}

// === impl Order ===

impl<K> Order<K> {
    /// Lays out rows that are in order already, with a gap after every third for the latecomers.
    pub(super) fn of(rows: impl IntoIterator<Item = Arc<Row<K>>>) -> Self {
        let mut order = Self::default();
        for (index, row) in (0u32..).zip(rows) {
            order.put(CENTRE + index + index / 3, row);
        }
        order
    }

    pub(super) fn len(&self) -> usize {
        self.labels.len() as usize
    }

    pub(super) fn labels(&self) -> &RoaringBitmap {
        &self.labels
    }

    pub(super) fn get(&self, label: u32) -> Option<&Arc<Row<K>>> {
        self.chunks.get(&(label / CHUNK))?[(label % CHUNK) as usize].as_ref()
    }

    /// The rows of these labels. Neighbours mostly share a chunk, so the last one is kept at hand.
    pub(super) fn rows<'a>(&'a self, labels: impl Iterator<Item = u32> + 'a) -> impl Iterator<Item = &'a Arc<Row<K>>> {
        let mut last: Option<(u32, &Chunk<K>)> = None;
        labels.filter_map(move |label| {
            let number = label / CHUNK;
            let chunk = match last {
                Some((held, chunk)) if held == number => chunk,
                _ => self.chunks.get(&number)?,
            };
            last = Some((number, chunk));
            chunk[(label % CHUNK) as usize].as_ref()
        })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Row<K>>> {
        self.chunks.values().flat_map(|chunk| chunk.iter().flatten())
    }

    pub(super) fn first(&self) -> Option<&Arc<Row<K>>> {
        self.get(self.labels.min()?)
    }

    /// The label of the first row that is not `before`, which must hold for a prefix of the order and nothing else.
    pub(super) fn first_not(&self, before: impl Fn(&Key) -> bool) -> Option<u32> {
        let (mut low, mut high) = (self.labels.min()?, self.labels.max()?);
        while low <= high {
            let middle = low + (high - low) / 2;
            let label = self.labels.range(middle..).next()?;
            if before(&self.get(label)?.key) {
                low = label.checked_add(1)?;
            } else if middle == low {
                return Some(label);
            } else {
                high = middle - 1;
            }
        }
        self.labels.range(low..).next()
    }

    /// Finds a label for a row that is not there yet.
    pub(super) fn room(&self, key: &Key) -> Room {
        let next = self.first_not(|held| held < key);
        let previous = match next {
            Some(next) => self.labels.range(..next).next_back(),
            None => self.labels.max(),
        };
        let free = match (previous, next) {
            (None, None) => Some(CENTRE),
            (None, Some(next)) => next.checked_sub(1),
            (Some(previous), None) => previous.checked_add(1),
            (Some(previous), Some(next)) => Some(previous + (next - previous) / 2).filter(|&label| label > previous),
        };
        match (free, next.or(previous)) {
            (Some(label), _) => Room {
                label,
                moves: Vec::new(),
            },
            (None, edge) => self.spread(edge.unwrap_or(CENTRE), next),
        }
    }

    /// Spreads the smallest window around `edge` that has room, leaving one place empty before `next` or else at the end.
    fn spread(&self, edge: u32, next: Option<u32>) -> Room {
        let (mut window, mut rows, mut width) = (edge..=edge, 1, 1);
        for level in SMALLEST_WINDOW..=32 {
            width = 1u64 << level;
            let start = (u64::from(edge) & !(width - 1)) as u32;
            window = start..=start + (width - 1) as u32;
            rows = self.labels.range_cardinality(window.clone());
            if rows < width - width * u64::from(level) / 64 {
                break;
            }
        }
        let place = |index: u64| window.start() + (index * width / (rows + 1)) as u32;
        let before = match next {
            Some(next) => self.labels.range(*window.start()..next).count() as u64,
            None => rows,
        };
        let moves = (0..)
            .zip(self.labels.range(window.clone()))
            .map(|(index, label)| (label, place(if index < before { index } else { index + 1 })))
            .filter(|(from, to)| from != to)
            .collect();
        Room {
            label: place(before),
            moves,
        }
    }

    pub(super) fn put(&mut self, label: u32, row: Arc<Row<K>>) {
        Arc::make_mut(&mut self.labels).insert(label);
        let chunk = self
            .chunks
            .entry(label / CHUNK)
            .or_insert_with(|| Arc::new([const { None }; CHUNK as usize]));
        Arc::make_mut(chunk)[(label % CHUNK) as usize] = Some(row);
    }

    /// The row at a label, to be changed in place; a snapshot that shares it keeps what it had.
    pub(super) fn get_mut(&mut self, label: u32) -> Option<&mut Row<K>> {
        let chunk = self.chunks.get_mut(&(label / CHUNK))?;
        Arc::make_mut(chunk)[(label % CHUNK) as usize]
            .as_mut()
            .map(Arc::make_mut)
    }

    pub(super) fn take(&mut self, label: u32) -> Option<Arc<Row<K>>> {
        let number = label / CHUNK;
        let chunk = Arc::make_mut(self.chunks.get_mut(&number)?);
        let row = chunk[(label % CHUNK) as usize].take()?;
        if chunk.iter().all(Option::is_none) {
            self.chunks.remove(&number);
        }
        Arc::make_mut(&mut self.labels).remove(label);
        Some(row)
    }
}

impl<K> Default for Order<K> {
    fn default() -> Self {
        Self {
            chunks: imbl::OrdMap::new(),
            labels: Arc::default(),
        }
    }
}

impl<K> Clone for Order<K> {
    fn clone(&self) -> Self {
        Self {
            chunks: self.chunks.clone(),
            labels: self.labels.clone(),
        }
    }
}

impl<K> fmt::Debug for Order<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
