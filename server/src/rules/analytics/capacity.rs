//! How close workloads that had incidents are to their limits, by what they request: nobody keeps a history of what they use.

use super::{Period, Scope};
use crate::{
    resources::{Deployment, Issue, Typed as _},
    rules::quantity,
};
use k8s_openapi::{api::core::v1::ResourceRequirements, apimachinery::pkg::api::resource::Quantity};
use opsdeck_api::{
    ResourceRef,
    analytics::{CapacityForecast, Compute, Forecast, IncidentCorrelation, Trend, UsagePercentage},
};
use std::collections::{BTreeMap, BTreeSet};

/// Incidents of so many days count when nobody says.
pub const DAYS_OF_CAPACITY: i64 = 7;

/// Percent of a limit from which something should be planned.
const HIGH: f64 = 80.0;
/// A workload with more incidents is in the way.
const FEW: u64 = 2;

/// By namespace and name. `deployment` finds one; incidents on anything else are passed over.
pub fn capacity<'a>(
    issues: impl IntoIterator<Item = &'a Issue>,
    deployment: impl Fn(&str, &str) -> Option<&'a Deployment>,
    scope: &Scope,
    period: &Period,
) -> Vec<CapacityForecast> {
    let mut candidates = BTreeSet::new();
    let mut in_namespace: BTreeMap<&str, u64> = BTreeMap::new();
    let mut on_resource: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    let elsewhere = Scope::default();
    let during = period.of_objects(&elsewhere);
    for issue in issues {
        let resource = &issue.spec.resource;
        let place = (resource.namespace.as_str(), resource.name.as_str());
        if resource.kind == "Deployment" && scope.covers(issue) {
            candidates.insert(place);
        }
        if during.holds(issue) {
            *in_namespace.entry(issue.namespace()).or_default() += 1;
            if resource.namespace == issue.namespace() {
                *on_resource.entry(place).or_default() += 1;
            }
        }
    }
    let count = |found: Option<&u64>| found.copied().unwrap_or_default();
    (candidates.into_iter())
        .filter_map(|place| {
            let deployment = deployment(place.0, place.1)?;
            let incidents = (count(in_namespace.get(place.0)), count(on_resource.get(&place)));
            Some(forecast(place, deployment, incidents))
        })
        .collect()
}

fn forecast((namespace, name): (&str, &str), deployment: &Deployment, incidents: (u64, u64)) -> CapacityForecast {
    let pod = deployment.spec.as_ref().and_then(|spec| spec.template.spec.as_ref());
    let resources = pod.and_then(|pod| pod.containers.first()?.resources.as_ref());
    let of = |part: fn(&ResourceRequirements) -> Option<&BTreeMap<String, Quantity>>| {
        resources.and_then(part).map(compute).unwrap_or_default()
    };
    let requests = of(|resources| resources.requests.as_ref());
    let limits = of(|resources| resources.limits.as_ref());
    let cpu = percentage(requests.cpu_millicores, limits.cpu_millicores);
    let memory = percentage(requests.memory_bytes, limits.memory_bytes);
    let bottleneck = incidents.1 > FEW;
    let urgent = cpu >= HIGH || memory >= HIGH || bottleneck;
    CapacityForecast {
        resource: ResourceRef {
            kind: "Deployment".into(),
            name: name.to_owned(),
            namespace: namespace.to_owned(),
        },
        current_usage: requests,
        limits,
        usage_percentage: UsagePercentage {
            cpu: cpu.into(),
            memory: memory.into(),
        },
        trend: Trend {
            direction: "insufficient_history".into(),
            ..Trend::default()
        },
        forecast: Forecast {
            recommendation: recommendation(cpu, memory, incidents.1),
            ..Forecast::default()
        },
        incident_correlation: IncidentCorrelation {
            incidents_in_window: incidents.0,
            resource_related_incidents: incidents.1,
            resource_is_bottleneck: bottleneck,
        },
        usage_source: "requests".into(),
        history_available: false,
        urgency: if urgent { "plan" } else { "none" }.into(),
    }
}

fn compute(quantities: &BTreeMap<String, Quantity>) -> Compute {
    let read = |resource: &str, read: fn(&str) -> Option<i64>| {
        quantities
            .get(resource)
            .and_then(|quantity| read(&quantity.0))
            .unwrap_or_default()
    };
    Compute {
        cpu_millicores: read("cpu", quantity::thousandths),
        memory_bytes: read("memory", quantity::units),
    }
}

/// 0 where there is no limit to be near to.
fn percentage(request: i64, limit: i64) -> f64 {
    if limit == 0 {
        0.0
    } else {
        request as f64 / limit as f64 * 100.0
    }
}

fn recommendation(cpu: f64, memory: f64, related: u64) -> String {
    if cpu > HIGH {
        format!("The first container requests {cpu:.0} % of its CPU limit: raise the limit or add replicas.")
    } else if memory > HIGH {
        format!("The first container requests {memory:.0} % of its memory limit: raise the limit or add replicas.")
    } else if related > FEW {
        format!("{related} incidents in the window are on this workload: look for the cause before giving it more.")
    } else {
        "There is no history of its usage; its requests are within its limits.".into()
    }
}

#[cfg(test)]
mod tests {
    use super::capacity;
    use crate::{
        fixtures::{Fixture, deployment, incident, noon},
        resources::{Deployment, Issue, Typed as _},
        rules::analytics::{Period, Scope, worlds},
    };
    use k8s_openapi::{api::core::v1::ResourceRequirements, apimachinery::pkg::api::resource::Quantity};
    use opsdeck_api::analytics::{CapacityForecast, Compute, IncidentCorrelation};
    use proptest::prelude::*;

    fn forecasts(
        issues: &[Fixture<Issue>],
        deployments: &[Fixture<Deployment>],
        scope: &Scope,
    ) -> Vec<CapacityForecast> {
        let deployment = |namespace: &str, name: &str| {
            deployments
                .iter()
                .map(|deployment| &**deployment)
                .find(|deployment| deployment.namespace() == namespace && deployment.name() == name)
        };
        capacity(
            issues.iter().map(|issue| &**issue),
            deployment,
            scope,
            &Period::until_now(scope, 7, noon()),
        )
    }

    /// Processors and memory, requested and allowed.
    fn sized(requests: [&str; 2], limits: [&str; 2]) -> Fixture<Deployment> {
        let quantities = |[cpu, memory]: [&str; 2]| {
            let quantities = [("cpu", cpu), ("memory", memory)]
                .into_iter()
                .filter(|(_, text)| !text.is_empty());
            Some(
                quantities
                    .map(|(name, text)| (name.to_owned(), Quantity(text.to_owned())))
                    .collect(),
            )
        };
        deployment(1, &["api", "sidecar"]).with(|deployment| {
            let pod = deployment.spec.as_mut().unwrap().template.spec.as_mut().unwrap();
            pod.containers[0].resources = Some(ResourceRequirements {
                requests: quantities(requests),
                limits: quantities(limits),
                ..ResourceRequirements::default()
            });
        })
    }

    fn only(issues: &[Fixture<Issue>], deployment: Fixture<Deployment>) -> CapacityForecast {
        let mut forecasts = forecasts(issues, &[deployment], &Scope::default());
        assert_eq!(forecasts.len(), 1);
        forecasts.remove(0)
    }

    #[test]
    fn the_first_container_is_measured_against_its_limits() {
        let forecast = only(&[incident()], sized(["850m", "100Mi"], ["1", "200Mi"]));
        assert_eq!(
            (forecast.current_usage, forecast.limits),
            (
                Compute {
                    cpu_millicores: 850,
                    memory_bytes: 104_857_600
                },
                Compute {
                    cpu_millicores: 1000,
                    memory_bytes: 209_715_200
                }
            )
        );
        assert_eq!(
            (forecast.usage_percentage.cpu.0, forecast.usage_percentage.memory.0),
            (85.0, 50.0)
        );
        assert_eq!(forecast.urgency, "plan");
        assert!(forecast.forecast.recommendation.contains("85 % of its CPU limit"));
    }

    #[test]
    fn what_has_no_limit_is_near_to_none() {
        for sizes in [
            sized(["2", "4Gi"], ["", ""]),
            sized(["", ""], ["1", "1Gi"]),
            sized(["", ""], ["0", "0"]),
        ] {
            let forecast = only(&[incident()], sizes);
            assert_eq!(
                (forecast.usage_percentage.cpu.0, forecast.usage_percentage.memory.0),
                (0.0, 0.0)
            );
            assert_eq!(forecast.urgency, "none");
        }
        let bare = only(&[incident()], deployment(1, &[]));
        assert_eq!((bare.current_usage, bare.limits), Default::default());
    }

    #[test]
    fn four_fifths_are_urgent_but_not_yet_worth_words() {
        let forecast = only(&[incident()], sized(["800m", ""], ["1", ""]));
        assert_eq!(forecast.urgency, "plan");
        assert!(
            forecast.forecast.recommendation.contains("no history"),
            "{}",
            forecast.forecast.recommendation
        );
        let memory = only(&[incident()], sized(["", "81Mi"], ["", "100Mi"]));
        assert!(memory.forecast.recommendation.contains("81 % of its memory limit"));
    }

    #[test]
    fn three_incidents_in_the_window_make_a_bottleneck() {
        let of_checkout = |count: usize| {
            let recent = (0..count).map(|_| incident().on("Service", "checkout"));
            recent.chain([
                incident().created("2026-09-01T00:00:00Z"),
                incident().on("Deployment", "cart"),
                incident().within("edge"),
            ])
        };
        for (count, bottleneck) in [(2, false), (3, true)] {
            let issues: Vec<_> = of_checkout(count).collect();
            let forecast = only(&issues, sized(["", ""], ["", ""]));
            assert_eq!(
                forecast.incident_correlation,
                IncidentCorrelation {
                    incidents_in_window: count as u64 + 1,
                    resource_related_incidents: count as u64,
                    resource_is_bottleneck: bottleneck,
                }
            );
            assert_eq!(forecast.urgency == "plan", bottleneck);
            assert_eq!(forecast.forecast.recommendation.contains("3 incidents"), bottleneck);
        }
    }

    #[test]
    fn only_deployments_that_exist_and_had_an_incident_are_told_of() {
        let issues = [
            incident().created("2020-01-01T00:00:00Z"),
            incident().on("StatefulSet", "cart"),
            incident().on("Deployment", "gone"),
        ];
        let deployments = [
            deployment(1, &["api"]),
            deployment(1, &["api"]).named("cart"),
            deployment(1, &["api"]).named("calm"),
        ];
        let told = forecasts(&issues, &deployments, &Scope::default());
        let names: Vec<_> = told.iter().map(|forecast| &*forecast.resource.name).collect();
        assert_eq!(names, ["checkout"], "however long ago");
        let edge = Scope {
            namespaces: vec!["edge".into()],
            ..Scope::default()
        };
        assert_eq!(forecasts(&issues, &deployments, &edge), []);
    }

    proptest! {
        #[test]
        fn a_part_is_no_more_than_the_whole(issues in worlds::incidents(), scope in worlds::scopes()) {
            let deployments = ["shop", "edge"].map(|namespace| {
                ["checkout", "cart"].map(|name| sized(["900m", "1Gi"], ["1", "2Gi"]).named(name).within(namespace))
            });
            let told = forecasts(&issues, deployments.as_flattened(), &scope);
            for forecast in &told {
                let incidents = forecast.incident_correlation;
                prop_assert!(incidents.resource_related_incidents <= incidents.incidents_in_window);
                prop_assert_eq!(incidents.resource_is_bottleneck, incidents.resource_related_incidents > 2);
            }
            let places: Vec<_> = told.iter().map(|forecast| (&forecast.resource.namespace, &forecast.resource.name)).collect();
            prop_assert!(places.is_sorted_by(|a, b| a < b), "each once, in order");
        }
    }
}
