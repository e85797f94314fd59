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

#[cfg(test)]
mod tests {
    use super::{at_risk, state};
    use crate::fixtures::objective;

    #[test]
    fn the_first_rule_that_holds_decides() {
        let missed = objective()
            .kept(0.8)
            .with(|objective| objective.status.get_or_insert_default().target_met = false);
        for (objective, expected) in [
            (objective(), ""),
            (objective().alerting(), ""),
            (objective().kept(0.8), "Healthy"),
            (objective().kept(0.8).alerting(), "AtRisk"),
            (objective().kept(0.0).alerting(), "Breached"),
            (missed, "Breached"),
        ] {
            assert_eq!(state(&objective), expected);
            assert_eq!(at_risk(&objective), matches!(expected, "AtRisk" | "Breached"));
        }
    }
}
