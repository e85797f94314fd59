//! Lists and single objects of any kind: filters, order and page from the query, rows from the catalog, envelopes around bytes.

use super::{Error, answer::json_bytes, ask::Ask, csv};
use crate::{
    catalog::{Held, Page, Row, Selection, Snapshot, Sort, project::resource_meta},
    json,
};
use axum::response::Response;
use opsdeck_api::{API_VERSION, ListMeta, ResourceMeta};
use std::{io::Write as _, sync::Arc};

/// Facets that take several values; of the others the first counts.
pub(super) const REPEATABLE: [&str; 5] = ["namespace", "severity", "state", "kind", "issue"];
/// Facets that are yes or no.
pub(super) const FLAGS: [&str; 5] = ["acknowledged", "snoozed", "chaos", "expired", "ready"];

/// What one list is called and how it is filtered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listing {
    /// `kind` of the envelope.
    pub kind: &'static str,
    /// Whether `from` and `to` are heard.
    pub timed: bool,
    /// What a table of it is called, and its columns: the members of the item.
    pub table: (&'static str, &'static [&'static str]),
}

/// How single objects of a kind are named in words and found without a namespace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Single {
    /// `kind` of the envelope.
    pub kind: &'static str,
    /// In messages: `issue not found: …`.
    pub noun: &'static str,
    pub unqualified: Unqualified,
}

/// What a name without a namespace means.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Unqualified {
    /// The only one of that name.
    Anywhere,
    /// The one in the namespace `default`.
    Default,
}

// === impl Single ===

impl Single {
    pub(super) fn missing(&self, namespace: &str, name: &str) -> Error {
        Error::not_found(format!(
            "{} not found: there is no {name} in namespace {namespace}",
            self.noun
        ))
    }

    /// The object of that name, from a snapshot.
    pub(super) fn find<'a, K: Held>(
        &self,
        snapshot: &'a Snapshot,
        namespace: Option<&str>,
        name: &str,
    ) -> Result<&'a Arc<Row<K>>, Error> {
        let table = snapshot.table::<K>();
        let namespace = match (namespace, self.unqualified) {
            (Some(namespace), _) => namespace,
            (None, Unqualified::Default) => "default",
            (None, Unqualified::Anywhere) => {
                let rows: Vec<_> = table.named(name).collect();
                return match rows.as_slice() {
                    [row] => Ok(*row),
                    [] => Err(Error::not_found(format!(
                        "{} not found: there is no {name} in any namespace",
                        self.noun
                    ))),
                    several => Err(Error::ambiguous(
                        self.noun,
                        name,
                        several.iter().map(|row| row.namespace()),
                    )),
                };
            }
        };
        table.get(namespace, name).ok_or_else(|| self.missing(namespace, name))
    }
}

// === impl Ask ===

impl Ask {
    /// The list that the query asks for, as JSON or as a table.
    pub(super) fn list<K: Held>(&self, listing: &Listing) -> Result<Response, Error> {
        self.list_where::<K>(listing, |selection| selection)
    }

    /// As `list`, narrowed to what the path names.
    pub(super) fn list_where<K: Held>(
        &self,
        listing: &Listing,
        narrow: impl FnOnce(Selection) -> Selection,
    ) -> Result<Response, Error> {
        self.conditional(&[K::KIND], |snapshot| {
            let table = snapshot.table::<K>();
            let selection = narrow(self.selection::<K>(listing.timed));
            if self.wants_csv {
                return csv::table(listing.table, &table.all(&selection)?, self.now);
            }
            let (page, size) = (self.params.page(), self.params.page_size());
            let found = table.page(
                &selection,
                usize::try_from(page).unwrap_or(usize::MAX),
                usize::try_from(size).unwrap_or(usize::MAX),
            )?;
            Ok(json_bytes(page_of(listing.kind, &found, page, size)))
        })
    }

    /// Filters, words, time and order of the query.
    pub(super) fn selection<K: Held>(&self, timed: bool) -> Selection {
        let mut selection = Selection::default()
            .search(self.params.one("q").unwrap_or_default())
            .sorted(Sort::parse(self.params.one("sort").unwrap_or_default()));
        if timed {
            selection = selection.between(self.params.time("from"), self.params.time("to"));
        }
        for facet in ["namespace"].iter().chain(K::FACETS) {
            selection = selection.filter(facet, self.values(facet));
        }
        selection
    }

    fn values(&self, facet: &str) -> Vec<String> {
        if REPEATABLE.contains(&facet) {
            self.params.any_of(facet)
        } else if FLAGS.contains(&facet) {
            self.params
                .flag(facet)
                .map(|flag| flag.to_string())
                .into_iter()
                .collect()
        } else {
            self.params.one(facet).map(str::to_owned).into_iter().collect()
        }
    }

    /// The object that path and query name, from a snapshot.
    pub(super) fn find<'a, K: Held>(
        &self,
        snapshot: &'a Snapshot,
        single: &Single,
        name: &str,
    ) -> Result<&'a Arc<Row<K>>, Error> {
        single.find(snapshot, self.params.one("namespace"), name)
    }

    /// One object whose `spec` and `status` are its list item.
    pub(super) fn one<K: Held>(&self, single: &Single, name: &str) -> Result<Response, Error> {
        self.one_with::<K, _>(single, name, |row| Ok((row.item.to_vec(), row.item.to_vec())))
    }

    /// One object whose `spec` and `status`, if it has one, are written for the occasion.
    pub(super) fn one_with<K: Held, S: Into<Option<Vec<u8>>>>(
        &self,
        single: &Single,
        name: &str,
        write: impl FnOnce(&Row<K>) -> Result<(Vec<u8>, S), Error>,
    ) -> Result<Response, Error> {
        self.conditional(&[K::KIND], |snapshot| {
            let row = self.find::<K>(snapshot, single, name)?;
            let (spec, status) = write(row)?;
            let meta = resource_meta(row.object.meta());
            Ok(json_bytes(envelope(
                single.kind,
                &spec,
                status.into().as_deref(),
                Some(&meta),
            )))
        })
    }
}

/// The envelope around a page of rows.
pub(super) fn page_of<K>(kind: &str, found: &Page<K>, page: u64, size: u64) -> Vec<u8> {
    let meta = ListMeta {
        total_count: found.total as u64,
        page,
        page_size: size,
    };
    let mut body = Vec::with_capacity(found.size() + 256);
    // Writing to a vector cannot fail.
    let _ = write!(body, r#"{{"apiVersion":"{API_VERSION}","kind":"{kind}","metadata":"#);
    body.extend(json::to_bytes(&meta));
    body.extend(br#","items":["#);
    found.join(&mut body);
    body.extend(b"]}\n");
    body
}

/// The envelope around one object, with what the route has of it.
pub(super) fn envelope(kind: &str, spec: &[u8], status: Option<&[u8]>, meta: Option<&ResourceMeta>) -> Vec<u8> {
    let mut body = Vec::with_capacity(spec.len() + status.map_or(0, <[u8]>::len) + 512);
    let _ = write!(body, r#"{{"apiVersion":"{API_VERSION}","kind":"{kind}","spec":"#);
    body.extend(spec);
    if let Some(status) = status {
        body.extend(br#","status":"#);
        body.extend(status);
    }
    if let Some(meta) = meta {
        body.extend(br#","resourceMeta":"#);
        body.extend(json::shown(meta));
    }
    body.extend(b"}\n");
    body
}
