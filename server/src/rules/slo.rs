//! How a service level objective stands.

use crate::resources::ServiceLevelObjective;

/// In one word; empty until it was calculated for the first time.
pub fn state(objective: &ServiceLevelObjective) -> &'static str {
    match &objective.status {
        Some(status) if status.last_calculated_at.is_some() => match () {
            () if !status.target_met || status.error_budget_remaining <= 0.0 => "Breached",
            () if !status.active_alerts.is_empty() => "AtRisk",
            () => "Healthy",
        },
        _ => "",
    }
}

/// Its promise is broken, or soon may be.
pub fn at_risk(objective: &ServiceLevelObjective) -> bool {
    matches!(state(objective), "Breached" | "AtRisk")
}
