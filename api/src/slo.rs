//! Objectives: how good a service promises to be, and what it may still spend.

use crate::Number;
use serde::{Deserialize, Serialize};

/// Units are upstream's: percent for what is reached and what is left, fractions for the budget and what is spent of it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SloItem {
    pub name: String,
    pub namespace: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub service: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sli: String,
    /// In percent, such as 99.9.
    #[serde(default)]
    pub target: Number,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub window: String,
    #[serde(default)]
    pub current_value: Number,
    #[serde(default)]
    pub error_budget_total: Number,
    #[serde(default)]
    pub error_budget_used: Number,
    pub error_budget_remaining: Number,
    #[serde(default, rename = "burnRate1h")]
    pub burn_rate_1h: Number,
    #[serde(default, rename = "burnRate6h")]
    pub burn_rate_6h: Number,
    #[serde(default, rename = "burnRate24h")]
    pub burn_rate_24h: Number,
    #[serde(default, rename = "burnRate72h")]
    pub burn_rate_72h: Number,
    #[serde(default)]
    pub active_alerts: u64,
    /// `Healthy`, `AtRisk` or `Breached`; empty until it was calculated for the first time.
    #[serde(default)]
    pub state: String,
    pub creation_timestamp: String,
}

/// What one objective may still spend. Every member is always there, in the units of [`SloItem`].
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SloBudget {
    pub name: String,
    pub target: Number,
    pub current_value: Number,
    pub error_budget_total: Number,
    pub error_budget_used: Number,
    pub error_budget_remaining: Number,
    /// Of the last hour.
    pub burn_rate: Number,
    pub window: String,
    pub state: String,
}
