//! One file per view. A page asks the API through `components::ask`, and lays out what it got.

#[cfg(feature = "ssr")]
pub(crate) mod analytics;
pub(crate) mod approval;
pub(crate) mod approvals;
pub(crate) mod incident;
pub(crate) mod incidents;
pub(crate) mod instance;
pub(crate) mod instances;
pub(crate) mod kinds;
pub(crate) mod listed;
pub(crate) mod not_found;
pub(crate) mod object;
pub(crate) mod overview;
pub(crate) mod sign_in;
pub(crate) mod unavailable;
