//! One deed to many incidents: what became of each.

use crate::{API_VERSION, Reason};
use serde::{Deserialize, Serialize};

/// How many objects one request may name.
pub const MOST: usize = 500;

#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BulkResult {
    pub api_version: String,
    /// Always `BulkResult`.
    pub kind: String,
    pub metadata: BulkMeta,
    /// In the order in which they were named, or in the list's.
    pub items: Vec<BulkItem>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BulkMeta {
    pub total_count: u64,
    pub succeeded: u64,
    pub failed: u64,
}

/// What the route of the single object would have answered.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BulkItem {
    pub namespace: String,
    pub name: String,
    pub code: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

// === impl BulkResult ===

impl BulkResult {
    pub fn of(items: Vec<BulkItem>) -> Self {
        let succeeded = items.iter().filter(|item| item.code < 400).count() as u64;
        let total_count = items.len() as u64;
        Self {
            api_version: API_VERSION.into(),
            kind: "BulkResult".into(),
            metadata: BulkMeta {
                total_count,
                succeeded,
                failed: total_count - succeeded,
            },
            items,
        }
    }
}
