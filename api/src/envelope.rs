//! The shapes around every answer: a list, a single object, and what an object says of itself.

use crate::StringMap;
use serde::{Deserialize, Serialize};

/// `apiVersion` of every answer.
pub const API_VERSION: &str = "v1";

/// A page of items and the size of the whole they were taken from.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct List<T> {
    pub api_version: String,
    pub kind: String,
    pub metadata: ListMeta,
    // Upstream's server may say `null` where there is nothing.
    #[serde(
        default,
        deserialize_with = "null_as_empty",
        bound(deserialize = "T: Deserialize<'de>")
    )]
    pub items: Vec<T>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListMeta {
    /// After filters, before paging.
    pub total_count: u64,
    pub page: u64,
    pub page_size: u64,
}

/// One object.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Single<S, T = S> {
    pub api_version: String,
    pub kind: String,
    pub spec: S,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<T>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_meta: Option<ResourceMeta>,
}

/// Upstream's name for an object's metadata; `metadata` stands on lists only.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResourceMeta {
    pub name: String,
    pub namespace: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub uid: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub creation_timestamp: String,
    #[serde(default, skip_serializing_if = "StringMap::is_empty")]
    pub labels: StringMap,
    #[serde(default, skip_serializing_if = "StringMap::is_empty")]
    pub annotations: StringMap,
}

/// What became of an object that is there no longer.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Status {
    pub api_version: String,
    /// Always `Status`.
    pub kind: String,
    pub name: String,
    pub status: String,
}

// === impl Status ===

impl Status {
    pub fn deleted(name: &str) -> Self {
        Self {
            api_version: API_VERSION.into(),
            kind: "Status".into(),
            name: name.into(),
            status: "deleted".into(),
        }
    }
}

// === impl Single ===

impl<S> Single<S, S> {
    /// The usual shape: `spec` and `status` say the same.
    pub fn new(kind: &str, item: S, meta: ResourceMeta) -> Self
    where
        S: Clone,
    {
        Self {
            api_version: API_VERSION.into(),
            kind: kind.into(),
            status: Some(item.clone()),
            spec: item,
            resource_meta: Some(meta),
        }
    }
}

impl<S, T> Single<S, T> {
    /// A report: nothing but a `spec`.
    pub fn report(kind: &str, spec: S) -> Self {
        Self {
            api_version: API_VERSION.into(),
            kind: kind.into(),
            spec,
            status: None,
            resource_meta: None,
        }
    }
}

// === impl List ===

impl<T> List<T> {
    /// A list that is not paged: one page that holds everything.
    pub fn whole(kind: &str, items: Vec<T>) -> Self {
        let count = items.len() as u64;
        Self {
            api_version: API_VERSION.into(),
            kind: kind.into(),
            metadata: ListMeta {
                total_count: count,
                page: 1,
                page_size: count,
            },
            items,
        }
    }
}

fn null_as_empty<'de, D: serde::Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
