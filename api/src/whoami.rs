//! Who is asking, and which server answers.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WhoAmI {
    pub identity: String,
    /// Text, because a key may carry a role that does not exist; such a key may do nothing.
    pub role: String,
    /// First 12 hex digits of the key's digest.
    pub key_id: String,
    /// `key`, `session` or `dev`.
    pub via: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    pub server: ServerInfo,
}

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ServerInfo {
    pub version: String,
    /// `kubernetes`, `embedded` or `preview`.
    pub source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    pub time: String,
    /// The id of the last event at that time: a stream that begins after it misses nothing of what was read since.
    pub revision: String,
    /// When the server last heard of its cluster, where it does not hear of it now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_as_of: Option<String>,
}
