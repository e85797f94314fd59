//! What the models have cost, from the ledgers that the operator keeps: one ConfigMap a namespace, one entry an incident.

use super::{Period, Scope};
use crate::resources::{COST_LEDGER, ConfigMap, Typed as _, moment};
use jiff::Timestamp;
use opsdeck_api::analytics::CostSummary;
use serde::Deserialize;

/// What the summary is about when nobody says.
pub const DAYS_OF_COST: i64 = 30;

const MANAGER: &str = "app.kubernetes.io/managed-by";
const OPERATOR: &str = "chatcli-operator";

/// As much of an entry as counts here.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Entry {
    llm_costs: Option<Costs>,
    #[serde(deserialize_with = "moment::deserialize")]
    recorded_at: Option<Timestamp>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Costs {
    #[serde(rename = "estimatedCostUSD")]
    estimated_cost_usd: Option<f64>,
}

pub fn cost<'a>(ledgers: impl IntoIterator<Item = &'a ConfigMap>, scope: &Scope, period: &Period) -> CostSummary {
    let counted = entries(ledgers, scope).filter(|entry| entry.time().is_none_or(|time| period.holds(time)));
    let (count, total) = counted.fold((0, 0.0), |(count, total), entry| (count + 1, total + entry.dollars()));
    let stamp = period.stamp();
    CostSummary {
        period_start: stamp.start,
        period_end: stamp.end,
        total_llm_cost: total.into(),
        incident_count: count,
        cost_per_incident: if count == 0 { 0.0 } else { total / count as f64 }.into(),
    }
}

/// When the first entry comes into the period or leaves it by the passing of time alone.
pub fn next_change_of_cost<'a>(
    ledgers: impl IntoIterator<Item = &'a ConfigMap>,
    scope: &Scope,
    period: &Period,
) -> Option<Timestamp> {
    period.next_change_at(entries(ledgers, scope).filter_map(|entry| entry.time()))
}

/// The entries that can be read. A namespace that is asked for has its ledger whoever made it; otherwise only the operator's count.
fn entries<'a>(ledgers: impl IntoIterator<Item = &'a ConfigMap>, scope: &Scope) -> impl Iterator<Item = Entry> {
    let asked_for = !scope.namespaces.is_empty();
    (ledgers.into_iter())
        .filter(|ledger| ledger.name() == COST_LEDGER && scope.covers(*ledger))
        .filter(move |ledger| asked_for || ledger.label(MANAGER) == Some(OPERATOR))
        .flat_map(|ledger| ledger.data.iter().flatten())
        .filter_map(|(_, text)| serde_json::from_str(text).ok())
}

// === impl Entry ===

impl Entry {
    /// Absent where nobody noted one, Go's zero time included: such an entry always counts.
    fn time(&self) -> Option<Timestamp> {
        const ZERO: Timestamp = Timestamp::constant(-62_135_596_800, 0);
        self.recorded_at.filter(|time| *time != ZERO)
    }

    fn dollars(&self) -> f64 {
        let costs = self.llm_costs.as_ref().and_then(|costs| costs.estimated_cost_usd);
        costs.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{cost, next_change_of_cost};
    use crate::{
        fixtures::{at, noon},
        resources::{COST_LEDGER, ConfigMap},
        rules::analytics::{Period, Scope},
    };
    use jiff::{Timestamp, ToSpan as _};
    use proptest::prelude::*;

    fn ledger<E: Into<String>>(namespace: &str, entries: impl IntoIterator<Item = E>) -> ConfigMap {
        let mut ledger = ConfigMap::default();
        ledger.metadata.name = Some(COST_LEDGER.into());
        ledger.metadata.namespace = Some(namespace.into());
        ledger.metadata.labels = Some([("app.kubernetes.io/managed-by".into(), "chatcli-operator".into())].into());
        let numbered = entries.into_iter().enumerate();
        ledger.data = Some(
            numbered
                .map(|(number, entry)| (format!("incident-{number}"), entry.into()))
                .collect(),
        );
        ledger
    }

    fn entry(dollars: f64, recorded: Timestamp) -> String {
        format!(
            r#"{{"issueName":"x","llmCosts":{{"totalInputTokens":9,"estimatedCostUSD":{dollars}}},"recordedAt":"{recorded}"}}"#
        )
    }

    /// Half a dollar now and a quarter three days ago in one namespace, a dollar now in another.
    fn ledgers() -> [ConfigMap; 2] {
        let days_ago = |days: i64| noon() - (24 * days).hours();
        [
            ledger("shop", [entry(0.5, noon()), entry(0.25, days_ago(3))]),
            ledger("edge", [entry(1.0, noon())]),
        ]
    }

    fn figures(ledgers: &[ConfigMap], scope: &Scope) -> (u64, f64, f64) {
        let summary = cost(ledgers, scope, &Period::of(scope, 30, noon()));
        (
            summary.incident_count,
            summary.total_llm_cost.0,
            summary.cost_per_incident.0,
        )
    }

    fn within(namespaces: &[&str]) -> Scope {
        Scope {
            namespaces: namespaces.iter().map(|name| (*name).to_owned()).collect(),
            ..Scope::default()
        }
    }

    #[test]
    fn entries_add_up_by_namespace_and_period() {
        assert_eq!(figures(&ledgers(), &Scope::default()), (3, 1.75, 1.75 / 3.0));
        assert_eq!(figures(&ledgers(), &within(&["shop"])), (2, 0.75, 0.375));
        assert_eq!(figures(&ledgers(), &within(&["shop", "edge"])), (3, 1.75, 1.75 / 3.0));
        let last_day = Scope {
            from: Some(noon() - 24.hours()),
            ..within(&["shop"])
        };
        assert_eq!(figures(&ledgers(), &last_day), (1, 0.5, 0.5));
        assert_eq!(figures(&[], &Scope::default()), (0, 0.0, 0.0));
    }

    #[test]
    fn what_cannot_be_read_does_not_count_and_what_has_no_time_always_does() {
        let ledger = ledger(
            "shop",
            [
                "not json",
                "",
                r#"{"llmCosts":{"estimatedCostUSD":"much"}}"#,
                r#"{"llmCosts":{"estimatedCostUSD":8},"recordedAt":"yesterday"}"#,
                r#"{"llmCosts":{"estimatedCostUSD":1}}"#,
                r#"{"llmCosts":{"estimatedCostUSD":2},"recordedAt":"0001-01-01T00:00:00Z"}"#,
                r#"{"llmCosts":null,"recordedAt":null,"news":[]}"#,
                "{}",
            ],
        );
        let long_over = Scope {
            to: Some(at("2020-01-01T00:00:00Z")),
            ..Scope::default()
        };
        assert_eq!(figures(&[ledger], &long_over), (4, 3.0, 0.75));
    }

    #[test]
    fn what_is_beyond_counting_is_the_most_that_can_be_said_and_not_nothing() {
        let scope = Scope::default();
        let much = [ledger("shop", [entry(1.5e308, noon()), entry(1.5e308, noon())])];
        let told = serde_json::to_value(cost(&much, &scope, &Period::of(&scope, 30, noon()))).unwrap();
        assert_eq!(told["totalLLMCost"].as_f64(), Some(f64::MAX));
        assert_eq!(told["costPerIncident"].as_f64(), Some(f64::MAX));
    }

    #[test]
    fn an_entry_of_the_end_of_time_counts_then_alone() {
        let never = [ledger(
            "shop",
            [r#"{"llmCosts":{"estimatedCostUSD":1},"recordedAt":"9999-12-31T23:59:59Z"}"#],
        )];
        assert_eq!(figures(&never, &Scope::default()), (0, 0.0, 0.0));
        let ever = Scope {
            from: Some(noon()),
            to: Some(Timestamp::MAX),
            ..Scope::default()
        };
        assert_eq!(figures(&never, &ever), (1, 1.0, 1.0));
    }

    #[test]
    fn a_ledger_that_is_not_the_operators_counts_where_it_is_asked_for() {
        let mut own = ledger("shop", [entry(1.0, noon())]);
        own.metadata.labels = None;
        let mut other = ledger("shop", [entry(1.0, noon())]);
        other.metadata.name = Some("settings".into());
        let ledgers = [own, other];
        assert_eq!(figures(&ledgers, &Scope::default()).0, 0);
        assert_eq!(figures(&ledgers, &within(&["shop"])).0, 1);
        assert_eq!(figures(&ledgers, &within(&["edge"])).0, 0);
    }

    #[test]
    fn an_entry_leaves_after_thirty_days() {
        let period = Period::of(&Scope::default(), 30, noon());
        let change = |scope: &Scope| next_change_of_cost(&ledgers(), scope, &period);
        assert_eq!(
            change(&Scope::default()),
            Some(at("2026-10-20T12:00:00Z") + 1.nanosecond())
        );
        assert_eq!(
            change(&within(&["edge"])),
            Some(at("2026-10-23T12:00:00Z") + 1.nanosecond())
        );
    }

    proptest! {
        #[test]
        fn nothing_is_spent_twice(
            spent in prop::collection::vec((0..1000u32, 0..100i64), 0..20), middle in 0..100i64,
        ) {
            // Quarters of a dollar, so that sums are exact.
            let entries = spent.iter().map(|(quarters, hours)| entry(f64::from(*quarters) / 4.0, noon() - hours.hours()));
            let ledgers = [ledger("shop", entries)];
            let between = |from: Option<Timestamp>, to: Option<Timestamp>| figures(&ledgers, &Scope { from, to, ..Scope::default() });
            let middle = noon() - middle.hours();
            let (early, late) = (between(Some(Timestamp::MIN), Some(middle)), between(Some(middle + 1.nanosecond()), None));
            let whole = between(None, None);
            prop_assert_eq!((early.0 + late.0, early.1 + late.1), (whole.0, whole.1));
            prop_assert!((whole.2 * whole.0 as f64 - whole.1).abs() < 1e-9);
        }
    }
}
