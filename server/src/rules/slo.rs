//! How a service level objective stands.

use crate::resources::ServiceLevelObjective;

/// In the units of the API: percent for what is reached and what is left, fractions for the budget and what is spent of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    pub current_value: f64,
    pub error_budget_total: f64,
    pub error_budget_used: f64,
    pub error_budget_remaining: f64,
}

/// All zero until it was calculated for the first time.
pub fn figures(objective: &ServiceLevelObjective) -> Figures {
    let Some(status) = &objective.status else {
        return Figures::default();
    };
    Figures {
        current_value: status.current_value * 100.0,
        error_budget_total: status.error_budget_total,
        error_budget_used: status.error_budget_total * status.error_budget_consumed_percentage / 100.0,
        error_budget_remaining: status.error_budget_remaining * 100.0,
    }
}

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
    use super::{Figures, at_risk, figures, state};
    use crate::{
        fixtures::{Fixture, objective},
        resources::ServiceLevelObjective,
    };
    use proptest::prelude::*;

    /// Calculated, with that share of a budget spent.
    fn spent(total: f64, consumed: f64) -> Fixture<ServiceLevelObjective> {
        objective().kept(1.0 - consumed).with(|objective| {
            let status = objective.status.get_or_insert_default();
            status.error_budget_total = total;
            status.error_budget_consumed_percentage = consumed * 100.0;
            status.current_value = 1.0 - total * consumed;
            status.target_met = consumed <= 1.0;
        })
    }

    /// 99.9 % leave 0.001 for failures. A fifth of it is spent: 0.0002, so that 80 % are left and 99.98 % were reached.
    #[test]
    fn a_fifth_of_the_budget_is_spent() {
        let calm = spent(0.001, 0.2);
        assert_eq!(
            figures(&calm),
            Figures {
                current_value: 99.98,
                error_budget_total: 0.001,
                error_budget_used: 0.0002,
                error_budget_remaining: 80.0,
            }
        );
        assert_eq!(state(&calm), "Healthy");
        assert_eq!(state(&spent(0.001, 0.2).alerting()), "AtRisk");
        assert_eq!(
            (state(&spent(0.001, 2.5)), state(&spent(0.001, 1.0))),
            ("Breached", "Breached")
        );
        assert_eq!(figures(&objective()), Figures::default());
    }

    proptest! {
        #[test]
        fn what_is_spent_and_what_is_left_are_the_budget(total in 1e-6..1.0, consumed in 0.0..3.0) {
            let objective = spent(total, consumed);
            let figures = figures(&objective);
            let left = figures.error_budget_remaining / 100.0 * figures.error_budget_total;
            prop_assert!((figures.error_budget_used + left - total).abs() < 1e-12);
            prop_assert!((100.0 - figures.current_value - figures.error_budget_used * 100.0).abs() < 1e-9);
            prop_assert_eq!(state(&objective) == "Breached", figures.error_budget_remaining <= 0.0);
            prop_assert_eq!(figures.error_budget_used > total, consumed > 1.0);
        }
    }

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
