//! Which rows have which value of a facet, as bitmaps of labels.

use roaring::RoaringBitmap;
use std::{borrow::Borrow, sync::Arc};

/// The rows of each value. Values come and go with their last row; a snapshot shares the bitmaps that did not change.
#[derive(Clone, Debug, Default)]
pub(super) struct Postings<V: Ord + Clone>(imbl::OrdMap<V, Arc<RoaringBitmap>>);

#[derive(Clone, Debug)]
pub(super) struct Index {
    /// By number of the facet.
    facets: Box<[Postings<Arc<str>>]>,
    /// The groups of the sort `need`, most urgent first.
    needs: Postings<u8>,
}

// === impl Postings ===

impl<V: Ord + Clone> Postings<V> {
    pub(super) fn get<Q: Ord + ?Sized>(&self, value: &Q) -> Option<&RoaringBitmap>
    where
        V: Borrow<Q>,
    {
        self.0.get(value).map(AsRef::as_ref)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&V, &RoaringBitmap)> {
        self.0.iter().map(|(value, labels)| (value, labels.as_ref()))
    }

    fn insert(&mut self, value: &V, label: u32) {
        match self.0.get_mut(value) {
            Some(labels) => {
                Arc::make_mut(labels).insert(label);
            }
            None => {
                self.0
                    .insert(value.clone(), Arc::new(RoaringBitmap::from_iter([label])));
            }
        }
    }

    fn remove(&mut self, value: &V, label: u32) {
        if let Some(labels) = self.0.get_mut(value) {
            let labels = Arc::make_mut(labels);
            labels.remove(label);
            if labels.is_empty() {
                self.0.remove(value);
            }
        }
    }
}

// === impl Index ===

impl Index {
    pub(super) fn new(facets: usize) -> Self {
        Self {
            facets: vec![Postings::default(); facets].into(),
            needs: Postings::default(),
        }
    }

    pub(super) fn facet(&self, number: usize) -> Option<&Postings<Arc<str>>> {
        self.facets.get(number)
    }

    pub(super) fn needs(&self) -> &Postings<u8> {
        &self.needs
    }

    /// The text that rows with this value share.
    pub(super) fn intern(&self, facet: u8, value: &str) -> Arc<str> {
        match self.facets[usize::from(facet)].0.get_key_value(value) {
            Some((held, _)) => held.clone(),
            None => value.into(),
        }
    }

    pub(super) fn insert(&mut self, label: u32, facets: &[(u8, Arc<str>)], need: u8) {
        for (facet, value) in facets {
            self.facets[usize::from(*facet)].insert(value, label);
        }
        self.needs.insert(&need, label);
    }

    pub(super) fn remove(&mut self, label: u32, facets: &[(u8, Arc<str>)], need: u8) {
        for (facet, value) in facets {
            self.facets[usize::from(*facet)].remove(value, label);
        }
        self.needs.remove(&need, label);
    }

    /// Touches only the bitmaps of values that differ.
    pub(super) fn replace(&mut self, label: u32, old: (&[(u8, Arc<str>)], u8), new: (&[(u8, Arc<str>)], u8)) {
        for (facet, value) in old.0.iter().filter(|held| !new.0.contains(held)) {
            self.facets[usize::from(*facet)].remove(value, label);
        }
        for (facet, value) in new.0.iter().filter(|given| !old.0.contains(given)) {
            self.facets[usize::from(*facet)].insert(value, label);
        }
        if old.1 != new.1 {
            self.needs.remove(&old.1, label);
            self.needs.insert(&new.1, label);
        }
    }
}
