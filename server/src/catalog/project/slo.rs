//! ServiceLevelObjective → objective.

use super::{Context, Project, Projection, wire};
use crate::{
    catalog::{Row, SortKey},
    resources::ServiceLevelObjective,
    rules::slo::{self, Figures},
};
use opsdeck_api::slo::{SloBudget, SloItem};

pub fn slo_item(objective: &ServiceLevelObjective) -> SloItem {
    let (meta, spec) = (&objective.metadata, &objective.spec);
    let status = objective.status.clone().unwrap_or_default();
    let figures = slo::figures(objective);
    SloItem {
        name: wire::name(meta),
        namespace: wire::namespace(meta),
        service: spec.service_name.clone(),
        sli: spec.indicator.kind.to_string(),
        target: spec.target.percentage.into(),
        window: spec.target.window.clone(),
        current_value: figures.current_value.into(),
        error_budget_total: figures.error_budget_total.into(),
        error_budget_used: figures.error_budget_used.into(),
        error_budget_remaining: figures.error_budget_remaining.into(),
        burn_rate_1h: status.burn_rate_1h.into(),
        burn_rate_6h: status.burn_rate_6h.into(),
        burn_rate_24h: status.burn_rate_24h.into(),
        burn_rate_72h: status.burn_rate_72h.into(),
        active_alerts: status.active_alerts.len() as u64,
        state: slo::state(objective).to_owned(),
        creation_timestamp: wire::created(meta),
    }
}

pub fn slo_budget(objective: &ServiceLevelObjective) -> SloBudget {
    let Figures {
        current_value,
        error_budget_total,
        error_budget_used,
        error_budget_remaining,
    } = slo::figures(objective);
    let last_hour = objective.status.as_ref().map_or(0.0, |status| status.burn_rate_1h);
    SloBudget {
        name: wire::name(&objective.metadata),
        target: objective.spec.target.percentage.into(),
        current_value: current_value.into(),
        error_budget_total: error_budget_total.into(),
        error_budget_used: error_budget_used.into(),
        error_budget_remaining: error_budget_remaining.into(),
        burn_rate: last_hour.into(),
        window: objective.spec.target.window.clone(),
        state: slo::state(objective).to_owned(),
    }
}

impl Project for ServiceLevelObjective {
    const SORTABLE: &'static [&'static str] = &[
        "service",
        "sli",
        "target",
        "currentValue",
        "errorBudgetTotal",
        "errorBudgetUsed",
        "errorBudgetRemaining",
        "burnRate1h",
        "burnRate6h",
        "burnRate24h",
        "burnRate72h",
        "activeAlerts",
        "state",
    ];

    fn project(&self, _context: &Context<'_>) -> Projection {
        let item = slo_item(self);
        let need = match &*item.state {
            "Breached" => 0,
            "AtRisk" => 1,
            "" => 2,
            _ => 3,
        };
        Projection::of(&item)
            .text([&*item.service, &item.sli, &self.spec.description])
            .need(need)
    }

    fn sort_key<'a>(row: &'a Row<Self>, member: &str) -> SortKey<'a> {
        let (spec, status) = (&row.object.spec, row.object.status.as_ref());
        let figures = slo::figures(&row.object);
        match member {
            "service" => spec.service_name.as_str().into(),
            "sli" => spec.indicator.kind.as_str().into(),
            "target" => spec.target.percentage.into(),
            "currentValue" => figures.current_value.into(),
            "errorBudgetTotal" => figures.error_budget_total.into(),
            "errorBudgetUsed" => figures.error_budget_used.into(),
            "errorBudgetRemaining" => figures.error_budget_remaining.into(),
            "burnRate1h" => status.map_or(0.0, |status| status.burn_rate_1h).into(),
            "burnRate6h" => status.map_or(0.0, |status| status.burn_rate_6h).into(),
            "burnRate24h" => status.map_or(0.0, |status| status.burn_rate_24h).into(),
            "burnRate72h" => status.map_or(0.0, |status| status.burn_rate_72h).into(),
            "activeAlerts" => SortKey::Number(status.map_or(0, |status| status.active_alerts.len()) as f64),
            "state" => slo::state(&row.object).into(),
            _ => SortKey::Absent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{slo_budget, slo_item};
    use crate::fixtures::{noon, objective};
    use serde_json::json;

    #[test]
    fn one_that_was_never_calculated_says_zero_and_no_state() {
        assert_eq!(
            serde_json::to_value(slo_item(&objective())).unwrap(),
            json!({
                "name": "checkout-availability", "namespace": "shop", "target": 0, "currentValue": 0,
                "errorBudgetTotal": 0, "errorBudgetUsed": 0, "errorBudgetRemaining": 0,
                "burnRate1h": 0, "burnRate6h": 0, "burnRate24h": 0, "burnRate72h": 0,
                "activeAlerts": 0, "state": "", "creationTimestamp": "2026-09-23T12:00:00Z",
            })
        );
    }

    #[test]
    fn percent_and_fractions_stay_as_upstream_mixes_them() {
        let objective = objective().kept(0.8).alerting().with(|objective| {
            objective.spec.service_name = "checkout".into();
            objective.spec.target.percentage = 99.9;
            objective.spec.target.window = "30d".into();
            let status = objective.status.get_or_insert_default();
            status.current_value = 0.9998;
            status.error_budget_total = 0.001;
            status.error_budget_consumed_percentage = 20.0;
            status.burn_rate_1h = 1.5;
            status.last_calculated_at = Some(noon());
        });
        let budget = json!({
            "name": "checkout-availability", "target": 99.9, "currentValue": 99.98, "errorBudgetTotal": 0.001,
            "errorBudgetUsed": 0.0002, "errorBudgetRemaining": 80, "burnRate": 1.5, "window": "30d", "state": "AtRisk",
        });
        assert_eq!(serde_json::to_value(slo_budget(&objective)).unwrap(), budget);
        let item = serde_json::to_value(slo_item(&objective)).unwrap();
        for member in [
            "currentValue",
            "errorBudgetUsed",
            "errorBudgetRemaining",
            "target",
            "window",
            "state",
        ] {
            assert_eq!(item[member], budget[member], "{member}");
        }
        assert_eq!((&item["burnRate1h"], &item["activeAlerts"]), (&json!(1.5), &json!(1)));
    }
}
