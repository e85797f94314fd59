//! The error envelope and the fixed words in it.

use serde::{Deserialize, Serialize};

/// What a client is told when a request fails.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ErrorBody {
    pub api_version: String,
    /// Always `Error`.
    pub kind: String,
    /// The reason phrase of the status code.
    pub error: String,
    pub code: u16,
    /// For people; the part before the first colon is stable.
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Who won, for a lost race.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// What would be done now, for `plan_changed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_hash: Option<String>,
    /// What is wrong with which field, for `invalid`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldError>,
    /// Equals the `X-Request-Id` header of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FieldError {
    pub field: String,
    pub message: String,
}

/// Why, as a word that programs can compare.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    AlreadyDecided,
    AlreadyResolved,
    Ambiguous,
    Conflict,
    Exists,
    Expired,
    Forbidden,
    ForbiddenByCluster,
    HumanActionRequired,
    Internal,
    Invalid,
    KindUnavailable,
    MethodNotAllowed,
    NotFound,
    NothingToUndo,
    PlanChanged,
    RateLimited,
    Timeout,
    TooLarge,
    Unauthorized,
    Unavailable,
    /// A word of a newer server.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Other,
}
