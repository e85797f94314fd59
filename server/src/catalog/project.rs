//! How an object becomes a row: what a kind has to say about itself. One file per kind below.

mod approval;
mod audit;
mod cluster;
mod incident;
mod insight;
mod instance;
mod policy;
mod postmortem;
mod remediation;
mod runbook;
mod slo;
mod wire;

pub use approval::{Related, approval_item};
pub use audit::audit_item;
pub use cluster::cluster_item;
pub use incident::incident_item;
pub use insight::{insight_item, insight_status};
pub use instance::{instance_detail, instance_item};
pub use policy::{Policy, policy_item};
pub use postmortem::{postmortem_item, timeline};
pub use remediation::{remediation_detail, remediation_item, remediation_status};
pub use runbook::runbook_item;
pub use slo::{slo_budget, slo_item};
pub use wire::resource_meta;

use super::{
    kinds::Tables,
    links::Target,
    row::{Row, SortKey},
    table::Table,
};
use crate::{
    json,
    resources::{Typed, moment},
    rules::masking,
    source::Address,
};
use bytes::Bytes;
use jiff::Timestamp;
use serde::Serialize;
use std::{borrow::Cow, cell::RefCell, sync::Arc};

/// What the catalog computes from an object of this kind.
pub trait Project: Typed {
    /// What rows can be filtered by, beside `namespace`, which every kind has.
    const FACETS: &'static [&'static str] = &[];

    /// Members of the item that a list can be sorted by, beside `name`, `namespace` and `creationTimestamp`, which every kind has.
    const SORTABLE: &'static [&'static str] = &[];

    /// The time that orders the list and that `from` and `to` are compared with.
    fn time(&self) -> Timestamp {
        created(self)
    }

    /// Pure: the same object, the same objects behind `context` and the same time give the same projection.
    fn project(&self, context: &Context<'_>) -> Projection;

    /// Asked only for members named in `SORTABLE`.
    fn sort_key<'a>(_row: &'a Row<Self>, _member: &str) -> SortKey<'a> {
        SortKey::Absent
    }
}

/// A kind that has a table; implemented by the registry in `kinds.rs`.
pub trait Held: Project {
    fn table(tables: &Tables) -> &Table<Self>;
}

/// A row's computed part.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Projection {
    pub(super) item: Bytes,
    pub(super) text: Box<str>,
    pub(super) facets: Vec<(&'static str, Cow<'static, str>)>,
    pub(super) need: u8,
    moments: Vec<Timestamp>,
}

/// The other objects at the time of a projection. What is asked of it is remembered: when the answer changes, the row is projected again.
#[derive(Debug)]
pub struct Context<'a> {
    pub now: Timestamp,
    tables: &'a Tables,
    read: RefCell<Vec<Target>>,
}

/// The epoch of Go's zero time, which upstream prints for an object without creationTimestamp.
const NEVER: Timestamp = Timestamp::constant(-62_135_596_800, 0);

/// When the object was made, as the API shows it.
pub fn created(object: &impl Typed) -> Timestamp {
    object.created().unwrap_or(NEVER)
}

// === impl Projection ===

impl Projection {
    /// Renders the item of the REST list, as anybody may see it.
    pub fn of(item: &impl Serialize) -> Self {
        Self {
            item: json::shown(item).into_boxed_slice().into(),
            ..Self::default()
        }
    }

    /// Adds a value of a facet; a facet may have several.
    #[must_use]
    pub fn facet(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        self.facets.push((name, value.into()));
        self
    }

    #[must_use]
    pub fn flag(self, name: &'static str, value: bool) -> Self {
        self.facet(name, if value { "true" } else { "false" })
    }

    /// What `q` searches beside namespace and name: what is hidden is not found either.
    #[must_use]
    pub fn text<'t>(mut self, parts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut text = self.text.into_string();
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            text.push_str(&masking::text(part).to_lowercase());
            text.push('\n');
        }
        self.text = text.into();
        self
    }

    /// The place of the row in the sort `need`: groups ascend, newest first within each.
    #[must_use]
    pub fn need(mut self, group: u8) -> Self {
        self.need = group;
        self
    }

    /// A moment at which this projection stops being true; the earliest of several that is still to come counts.
    #[must_use]
    pub fn until(mut self, at: impl Into<Option<Timestamp>>) -> Self {
        self.moments.extend(at.into());
        self
    }

    /// The item of the REST list, as JSON.
    pub fn into_item(self) -> Bytes {
        self.item
    }

    pub(super) fn next_change(&self, now: Timestamp) -> Option<Timestamp> {
        self.moments.iter().copied().filter(|at| *at > now).min()
    }
}

// === impl Context ===

impl<'a> Context<'a> {
    pub(super) fn new(tables: &'a Tables, now: Timestamp) -> Self {
        Self {
            now,
            tables,
            read: RefCell::default(),
        }
    }

    pub fn get<K: Held>(&self, namespace: &str, name: &str) -> Option<&'a Arc<K>> {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        let row = K::table(self.tables).get(&namespace, &name);
        self.note(Target::Object(Address {
            kind: K::KIND,
            namespace,
            name,
        }));
        row.map(|row| &row.object)
    }

    /// The newest of a kind.
    pub fn newest<K: Held>(&self) -> Option<&'a Arc<K>> {
        self.note(Target::Newest(K::KIND));
        K::table(self.tables).newest().map(|row| &row.object)
    }

    /// All of a kind, newest first, for readers that stop early: the row is projected again only when another one is the newest.
    pub fn newest_first<K: Held>(&self) -> impl Iterator<Item = &'a Arc<K>> + use<'a, K> {
        self.note(Target::Newest(K::KIND));
        K::table(self.tables).iter().map(|row| &row.object)
    }

    /// All of a kind, newest first. For kinds of few objects: any change of any of them projects the row again.
    pub fn all<K: Held>(&self) -> impl Iterator<Item = &'a Arc<K>> + use<'a, K> {
        self.note(Target::Any(K::KIND));
        K::table(self.tables).iter().map(|row| &row.object)
    }

    pub(super) fn into_read(self) -> Vec<Target> {
        let mut read = self.read.into_inner();
        read.sort_unstable();
        read.dedup();
        read
    }

    fn note(&self, target: Target) {
        self.read.borrow_mut().push(target);
    }
}

/// The item of a kind that has no page of its own.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Minimal<'a> {
    name: &'a str,
    namespace: &'a str,
    creation_timestamp: String,
}

pub(super) fn minimal(object: &impl Typed) -> Projection {
    Projection::of(&Minimal {
        name: object.name(),
        namespace: object.namespace(),
        creation_timestamp: moment::written(created(object)),
    })
}
