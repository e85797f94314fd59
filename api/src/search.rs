//! What a search over all kinds has found.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SearchResult {
    pub kind: String,
    pub namespace: String,
    pub name: String,
    /// What people call it; the name where it has no other.
    pub title: String,
    /// Where the words were found, or what else tells it from others.
    pub snippet: String,
    /// Address of its page, below the base path.
    pub href: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
}
