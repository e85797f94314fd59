//! The wire contract of Opsdeck: what travels between the REST API and its clients, the dashboard among them.
//! Types, and the table of the kinds: no I/O, no clock, nothing of Kubernetes. Compiles for the server and for the browser.

mod envelope;
mod error;
mod number;
mod query;
mod role;

pub mod analytics;
pub mod approval;
pub mod audit;
pub mod bulk;
pub mod cluster;
pub mod incident;
pub mod insight;
pub mod instance;
pub mod kinds;
pub mod policy;
pub mod postmortem;
pub mod remediation;
#[cfg(feature = "schema")]
pub mod request;
pub mod runbook;
pub mod search;
pub mod slo;
pub mod whoami;

pub use envelope::{API_VERSION, List, ListMeta, ResourceMeta, Single, Status};
pub use error::{ErrorBody, FieldError, Reason};
pub use number::Number;
pub use query::Query;
pub use role::Role;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Labels and annotations: sorted, so that the same object always has the same bytes.
pub type StringMap = BTreeMap<String, String>;

/// A Kubernetes object that another one is about.
#[derive(Clone, Debug, Default, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResourceRef {
    pub kind: String,
    pub name: String,
    #[serde(default)]
    pub namespace: String,
}

/// One step that would be, or was, done to the cluster. Values of secrets are masked as `***`.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Action {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: StringMap,
}
