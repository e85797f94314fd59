//! What a list shows: filters, free text, time, order and page.

use super::{
    project::Project,
    row::{Row, SortKey},
    table::Table,
};
use crate::rules::{masking, search::MOST_WORDS};
use jiff::Timestamp;
use roaring::RoaringBitmap;
use std::{borrow::Cow, cmp::Ordering, sync::Arc};

/// What any list can be sorted by.
pub const COMMON: [&str; 3] = ["name", "namespace", "creationTimestamp"];

/// Which rows of a kind, in which order.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Selection {
    filters: Vec<(&'static str, Vec<String>)>,
    from: Option<Timestamp>,
    to: Option<Timestamp>,
    words: Vec<String>,
    pub sort: Sort,
}

#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum Sort {
    /// The order of the table: newest first, then namespace and name.
    #[default]
    Newest,
    /// What needs somebody first, by the groups of [`super::Projection::need`].
    Need,
    /// Members of the item and whether they descend; ties in the order of the table.
    Members(Vec<(String, bool)>),
}

/// One page of a list.
#[derive(Debug)]
pub struct Page<K> {
    /// Rows of the whole list.
    pub total: usize,
    pub rows: Vec<Arc<Row<K>>>,
}

/// A list was to be sorted by something that its items do not have.
#[derive(Debug, thiserror::Error)]
#[error("cannot sort by {member:?}; possible are {}", allowed.join(", "))]
pub struct Unsortable {
    pub member: String,
    pub allowed: Vec<&'static str>,
}

// === impl Selection ===

impl Selection {
    /// Keeps the rows that have any of these values; all when there are none.
    #[must_use]
    pub fn filter<V: Into<String>>(mut self, facet: &'static str, values: impl IntoIterator<Item = V>) -> Self {
        let values: Vec<_> = values.into_iter().map(Into::into).collect();
        if !values.is_empty() {
            self.filters.push((facet, values));
        }
        self
    }

    /// Takes back what `filter` set for a facet, as for counting the alternatives that a filter has.
    #[must_use]
    pub fn without(mut self, facet: &str) -> Self {
        self.filters.retain(|(held, _)| *held != facet);
        self
    }

    /// Keeps the rows of a time, both ends included.
    #[must_use]
    pub fn between(mut self, from: Option<Timestamp>, to: Option<Timestamp>) -> Self {
        self.from = from;
        self.to = to;
        self
    }

    /// Keeps the rows whose text has all of these words, whatever their case.
    #[must_use]
    pub fn search(mut self, text: &str) -> Self {
        self.words
            .extend(text.split_whitespace().take(MOST_WORDS).map(str::to_lowercase));
        self
    }

    #[must_use]
    pub fn sorted(mut self, sort: Sort) -> Self {
        self.sort = sort;
        self
    }
}

impl Sort {
    /// Reads `-riskScore,name`, or `need`.
    pub fn parse(text: &str) -> Self {
        let members: Vec<_> = (text.split(','))
            .filter(|member| !member.is_empty())
            .map(|member| match member.strip_prefix('-') {
                Some(member) => (member.to_owned(), true),
                None => (member.to_owned(), false),
            })
            .collect();
        match &members[..] {
            [] => Self::Newest,
            [(member, false)] if member == "need" => Self::Need,
            _ => Self::Members(members),
        }
    }
}

// === impl Page ===

impl<K> Page<K> {
    /// Bytes that `join` writes, or one more.
    pub fn size(&self) -> usize {
        self.rows.iter().map(|row| row.item.len() + 1).sum()
    }

    /// The items of the page as they stand between the brackets of a JSON list.
    pub fn join(&self, out: &mut Vec<u8>) {
        out.reserve(self.size());
        for (index, row) in self.rows.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(&row.item);
        }
    }
}

// === impl Table ===

impl<K: Project> Table<K> {
    /// A page of a list; `page` counts from 1, and one past the end is empty.
    pub fn page(&self, selection: &Selection, page: usize, size: usize) -> Result<Page<K>, Unsortable> {
        let labels = self.labels(selection);
        let skip = page.saturating_sub(1).saturating_mul(size);
        let wanted = self.cut(&labels, &selection.sort, skip, size)?;
        let rows = self.order.rows(wanted.into_iter()).cloned().collect();
        Ok(Page {
            total: labels.len() as usize,
            rows,
        })
    }

    /// The whole list, in its order.
    pub fn all(&self, selection: &Selection) -> Result<Vec<Arc<Row<K>>>, Unsortable> {
        Ok(self.page(selection, 1, usize::MAX)?.rows)
    }

    /// The rows of the list in the order of the table, whatever the selection's sort.
    pub fn matching(&self, selection: &Selection) -> impl Iterator<Item = &Arc<Row<K>>> {
        let labels = self.labels(selection).into_owned();
        self.order.rows(labels.into_iter())
    }

    pub fn count(&self, selection: &Selection) -> usize {
        self.labels(selection).len() as usize
    }

    /// How many rows of the list have each value of a facet, by value; values that none has are absent.
    pub fn counts(&self, selection: &Selection, facet: &str) -> Vec<(Arc<str>, usize)> {
        let labels = self.labels(selection);
        let postings = Self::facet(facet).and_then(|number| self.index.facet(number.into()));
        (postings.into_iter().flat_map(|postings| postings.iter()))
            .map(|(value, held)| (value.clone(), held.intersection_len(&labels) as usize))
            .filter(|(_, count)| *count > 0)
            .collect()
    }

    fn labels(&self, selection: &Selection) -> Cow<'_, RoaringBitmap> {
        let mut sets: Vec<_> = selection
            .filters
            .iter()
            .map(|(facet, values)| self.having(facet, values))
            .collect();
        sets.sort_by_key(|set| set.len());
        let mut labels = (sets.into_iter())
            .reduce(|a, b| Cow::Owned(a.as_ref() & b.as_ref()))
            .unwrap_or(Cow::Borrowed(self.order.labels()));
        if let Some(to) = selection.to {
            labels = match self.order.first_not(|key| key.time > to) {
                Some(start) => cut_off(labels, ..start),
                None => Cow::default(),
            };
        }
        if let Some(from) = selection.from
            && let Some(end) = self.order.first_not(|key| key.time >= from)
        {
            labels = cut_off(labels, end..);
        }
        if !selection.words.is_empty() {
            let rows = self.order.rows(labels.iter());
            let found = (labels.iter().zip(rows))
                .filter(|(_, row)| row.contains_all(&selection.words))
                .map(|(label, _)| label);
            labels = Cow::Owned(found.collect());
        }
        labels
    }

    /// The rows that have any of these values.
    fn having(&self, facet: &str, values: &[String]) -> Cow<'_, RoaringBitmap> {
        let number = Self::facet(facet);
        debug_assert!(number.is_some(), "{facet} is no facet of {:?}", K::KIND);
        let Some(postings) = number.and_then(|number| self.index.facet(number.into())) else {
            return Cow::default();
        };
        (values.iter())
            .filter_map(|value| postings.get(value.as_str()))
            .map(Cow::Borrowed)
            .reduce(|a, b| Cow::Owned(a.as_ref() | b.as_ref()))
            .unwrap_or_default()
    }

    /// The labels of a piece of the list, in its order.
    fn cut(&self, labels: &RoaringBitmap, sort: &Sort, skip: usize, size: usize) -> Result<Vec<u32>, Unsortable> {
        match sort {
            Sort::Newest => Ok(piece(labels, skip, size)),
            Sort::Need => {
                let mut found = Vec::new();
                let mut skip = skip;
                for (_, group) in self.index.needs().iter() {
                    let group = group & labels;
                    found.extend(piece(&group, skip, size - found.len()));
                    if found.len() == size {
                        break;
                    }
                    skip = skip.saturating_sub(group.len() as usize);
                }
                Ok(found)
            }
            Sort::Members(members) => self.sort(labels, members, skip, size),
        }
    }

    fn sort(
        &self,
        labels: &RoaringBitmap,
        members: &[(String, bool)],
        skip: usize,
        size: usize,
    ) -> Result<Vec<u32>, Unsortable> {
        let allowed = || COMMON.iter().chain(K::SORTABLE).copied();
        if let Some((member, _)) = members
            .iter()
            .find(|(member, _)| !allowed().any(|other| other == member))
        {
            return Err(Unsortable {
                member: member.clone(),
                allowed: allowed().collect(),
            });
        }
        let labels: Vec<_> = labels.iter().collect();
        if skip >= labels.len() {
            return Ok(Vec::new());
        }
        let keys: Vec<_> = (self.order.rows(labels.iter().copied()))
            .flat_map(|row| members.iter().map(|(member, _)| sort_key(row, member)))
            .collect();
        let keys: Vec<_> = keys.chunks(members.len().max(1)).collect();
        // A row's number is its place in the order of the table, which so settles ties.
        let compare = |a: &usize, b: &usize| {
            (members.iter().enumerate())
                .map(|(at, (_, descending))| match descending {
                    true => keys[*b][at].compare(&keys[*a][at]),
                    false => keys[*a][at].compare(&keys[*b][at]),
                })
                .find(|ordering| ordering.is_ne())
                .unwrap_or(Ordering::Equal)
                .then(a.cmp(b))
        };
        let mut rows: Vec<_> = (0..labels.len()).collect();
        let end = skip.saturating_add(size).min(rows.len());
        if end < rows.len() {
            rows.select_nth_unstable_by(end, compare);
            rows.truncate(end);
        }
        rows.sort_unstable_by(compare);
        Ok(rows[skip..].iter().map(|&row| labels[row]).collect())
    }
}

fn sort_key<'a, K: Project>(row: &'a Row<K>, member: &str) -> SortKey<'a> {
    match member {
        "name" => row.name().into(),
        "namespace" => row.namespace().into(),
        "creationTimestamp" => super::created(&*row.object).into(),
        // The order of what is hidden would tell of it.
        _ => match K::sort_key(row, member) {
            SortKey::Text(Cow::Borrowed(text)) => SortKey::Text(masking::text(text)),
            SortKey::Text(Cow::Owned(text)) => SortKey::Text(masking::text(&text).into_owned().into()),
            key => key,
        },
    }
}

fn piece(labels: &RoaringBitmap, skip: usize, size: usize) -> Vec<u32> {
    match u32::try_from(skip).ok().and_then(|skip| labels.select(skip)) {
        Some(first) => labels.range(first..).take(size).collect(),
        None => Vec::new(),
    }
}

fn cut_off(labels: Cow<'_, RoaringBitmap>, range: impl std::ops::RangeBounds<u32>) -> Cow<'_, RoaringBitmap> {
    let mut labels = labels.into_owned();
    labels.remove_range(range);
    Cow::Owned(labels)
}
