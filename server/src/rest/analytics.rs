//! Analytics: figures over whole kinds.

use super::{Error, answer::json, ask::Ask};
use crate::{
    catalog::{Held, Snapshot},
    resources::{
        ApprovalRequest, AuditEvent, ConfigMap, Deployment, IncidentSLA, Issue, Kind, PostMortem, RemediationPlan,
        Runbook, ServiceLevelObjective,
    },
    rules::analytics::{
        self, Bucket, DAYS_OF_CAPACITY, DAYS_OF_COMPLIANCE, DAYS_OF_COST, Objects, Period, Records, Scope,
    },
};
use axum::response::Response;
use opsdeck_api::{List, Single};

const RESOURCES_AT_THE_TOP: usize = 10;

pub(super) async fn get_summary(ask: Ask) -> Result<Response, Error> {
    const MADE_FROM: [Kind; 6] = [
        Kind::Issue,
        Kind::RemediationPlan,
        Kind::PostMortem,
        Kind::Runbook,
        Kind::ServiceLevelObjective,
        Kind::ApprovalRequest,
    ];
    ask.conditional(&MADE_FROM, |snapshot| {
        let objects = Objects {
            issues: all::<Issue>(snapshot),
            plans: all::<RemediationPlan>(snapshot),
            postmortems: all::<PostMortem>(snapshot),
            runbooks: all::<Runbook>(snapshot),
            objectives: all::<ServiceLevelObjective>(snapshot),
            approvals: all::<ApprovalRequest>(snapshot),
        };
        let figures = analytics::summary(objects, one::<Issue>(snapshot), &scope(&ask));
        json(&Single::<_, ()>::report("AnalyticsSummary", figures))
    })
}

pub(super) async fn get_mttd(ask: Ask) -> Result<Response, Error> {
    ask.conditional(&[Kind::Issue], |snapshot| {
        let points = analytics::mttd(all(snapshot), &scope(&ask));
        json(&List::whole("MTTDMetrics", points))
    })
}

pub(super) async fn get_mttr(ask: Ask) -> Result<Response, Error> {
    ask.conditional(&[Kind::Issue], |snapshot| {
        let points = analytics::mttr(all(snapshot), &scope(&ask));
        json(&List::whole("MTTRMetrics", points))
    })
}

pub(super) async fn get_trends(ask: Ask) -> Result<Response, Error> {
    ask.conditional(&[Kind::Issue], |snapshot| {
        let bucket = match ask.params.either("groupBy", ["day", "week"]) {
            Some("week") => Bucket::Week,
            _ => Bucket::Day,
        };
        let points = analytics::trends(all::<Issue>(snapshot), bucket, &scope(&ask));
        json(&List::whole("IssueTrends", points))
    })
}

pub(super) async fn get_top_resources(ask: Ask) -> Result<Response, Error> {
    ask.conditional(&[Kind::Issue], |snapshot| {
        let limit = ask.params.whole("limit").map_or(RESOURCES_AT_THE_TOP, |limit| {
            usize::try_from(limit).unwrap_or(usize::MAX)
        });
        let rows = analytics::top_resources(all(snapshot), limit, &scope(&ask));
        json(&List::whole("TopResources", rows))
    })
}

pub(super) async fn get_remediation_stats(ask: Ask) -> Result<Response, Error> {
    ask.conditional(&[Kind::RemediationPlan, Kind::Issue], |snapshot| {
        let rows = analytics::remediation_stats(all(snapshot), one(snapshot), &scope(&ask));
        json(&List::whole("RemediationStats", rows))
    })
}

pub(super) async fn get_compliance(ask: Ask) -> Result<Response, Error> {
    const MADE_FROM: [Kind; 5] = [
        Kind::Issue,
        Kind::RemediationPlan,
        Kind::ApprovalRequest,
        Kind::AuditEvent,
        Kind::IncidentSLA,
    ];
    let scope = scope(&ask);
    let period = Period::of(&scope, DAYS_OF_COMPLIANCE, ask.now);
    let until = |snapshot: &Snapshot| {
        let changes = [
            period.next_change(all::<Issue>(snapshot), &scope),
            period.next_change(all::<RemediationPlan>(snapshot), &scope),
            period.next_change(all::<ApprovalRequest>(snapshot), &scope),
            period.next_change(all::<AuditEvent>(snapshot), &scope),
        ];
        changes.into_iter().flatten().min()
    };
    ask.conditional_until(&MADE_FROM, until, |snapshot| {
        let records = Records {
            issues: all::<Issue>(snapshot),
            plans: all::<RemediationPlan>(snapshot),
            approvals: all::<ApprovalRequest>(snapshot),
            events: all::<AuditEvent>(snapshot),
            slas: all::<IncidentSLA>(snapshot),
        };
        let report = analytics::compliance(records, &scope, &period);
        json(&Single::<_, ()>::report("ComplianceReport", report))
    })
}

pub(super) async fn get_capacity(ask: Ask) -> Result<Response, Error> {
    let scope = scope(&ask);
    let period = Period::until_now(&scope, DAYS_OF_CAPACITY, ask.now);
    // Incidents of all namespaces: a resource may be in another one than the incident on it.
    let until = |snapshot: &Snapshot| period.next_change(all::<Issue>(snapshot), &Scope::default());
    ask.conditional_until(&[Kind::Issue, Kind::Deployment], until, |snapshot| {
        let forecasts = analytics::capacity(all(snapshot), one::<Deployment>(snapshot), &scope, &period);
        json(&List::whole("CapacityForecastList", forecasts))
    })
}

pub(super) async fn get_cost(ask: Ask) -> Result<Response, Error> {
    let scope = scope(&ask);
    let period = Period::of(&scope, DAYS_OF_COST, ask.now);
    let until = |snapshot: &Snapshot| analytics::next_change_of_cost(all(snapshot), &scope, &period);
    ask.conditional_until(&[Kind::ConfigMap], until, |snapshot| {
        let summary = analytics::cost(all::<ConfigMap>(snapshot), &scope, &period);
        json(&Single::<_, ()>::report("CostSummary", summary))
    })
}

fn all<K: Held>(snapshot: &Snapshot) -> impl Iterator<Item = &K> {
    snapshot.table::<K>().iter().map(|row| &*row.object)
}

/// Finds an object by namespace and name.
fn one<'a, K: Held>(snapshot: &'a Snapshot) -> impl Fn(&str, &str) -> Option<&'a K> {
    |namespace, name| snapshot.table::<K>().get(namespace, name).map(|row| &*row.object)
}

fn scope(ask: &Ask) -> Scope {
    Scope {
        namespaces: ask.params.any_of("namespace"),
        from: ask.params.time("from"),
        to: ask.params.time("to"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        access::{
            caller::{Caller, Door, Via},
            keys::KeySet,
        },
        catalog::Catalog,
        console::{About, Console, SharedConsole},
        fixtures::{at, deployment, incident},
        resources::Object,
        rest::params::Params,
        source::embedded::Embedded,
        telemetry::metrics::Metrics,
    };
    use http::{HeaderValue, StatusCode, header};
    use http_body_util::BodyExt as _;
    use jiff::{Timestamp, ToSpan as _};
    use opsdeck_api::Role;
    use serde_json::{Value, json};
    use std::sync::Arc;

    /// One incident and one entry of a ledger, both of the 20th of September.
    fn console() -> SharedConsole {
        let born = "2026-09-20T00:00:00Z";
        let ledger = json!({
            "metadata": {"name": "chatcli-cost-ledger", "namespace": "shop", "labels": {"app.kubernetes.io/managed-by": "chatcli-operator"}},
            "data": {"checkout-oom": json!({"llmCosts": {"estimatedCostUSD": 0.5}, "recordedAt": born}).to_string()},
        });
        let objects = vec![
            incident().created(born).object(),
            deployment(1, &["api"]).object(),
            Object::parse(Kind::ConfigMap, ledger).unwrap(),
        ];
        let catalog = Arc::new(Catalog::new(1));
        let store = Embedded::in_memory(catalog.clone()).unwrap();
        catalog.apply(objects, at(born));
        let door = Door::over(KeySet::parse("[]", None).unwrap());
        let about = About {
            source: "embedded",
            context: None,
        };
        Arc::new(Console::new(catalog, Arc::new(store), door, Metrics::default(), about))
    }

    fn ask(console: &SharedConsole, query: &str, now: Timestamp, held: Option<&HeaderValue>) -> Ask {
        Ask {
            console: console.clone(),
            caller: Arc::new(Caller {
                identity: "ana".into(),
                role: Ok(Role::Viewer),
                key_id: String::new(),
                via: Via::Key,
                expires_at: None,
                session: None,
            }),
            params: Params::parse(query),
            now,
            target: format!("/api/v1/analytics?{query}"),
            if_none_match: held.cloned(),
            wants_csv: false,
        }
    }

    /// The tag of an answer, and the answer where it was sent.
    async fn told(answer: Result<Response, Error>) -> (HeaderValue, Option<Value>) {
        let response = answer.unwrap();
        let tag = response.headers()[header::ETAG].clone();
        if response.status() == StatusCode::NOT_MODIFIED {
            return (tag, None);
        }
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (tag, Some(serde_json::from_slice(&body).unwrap()))
    }

    /// Asks again and again with the tag of the first answer: until the last moment that counts what is of the 20th, and after it.
    macro_rules! assert_sent_again_when_it_changes {
        ($get:ident, $days:literal, $pointer:literal) => {{
            let console = console();
            let (first, last) = (
                at("2026-09-23T12:00:00Z"),
                at("2026-09-20T00:00:00Z") + (24 * $days).hours(),
            );
            let (tag, answer) = told($get(ask(&console, "", first, None)).await).await;
            assert_eq!(answer.unwrap().pointer($pointer), Some(&json!(1)));
            for now in [first + 1.second(), first + 2.hours(), last] {
                assert_eq!(
                    told($get(ask(&console, "", now, Some(&tag))).await).await,
                    (tag.clone(), None),
                    "{now}"
                );
            }
            let (other, answer) = told($get(ask(&console, "", last + 1.nanosecond(), Some(&tag))).await).await;
            assert_ne!(other, tag);
            assert_eq!(answer.unwrap().pointer($pointer), Some(&json!(0)));
        }};
    }

    #[tokio::test]
    async fn a_report_of_the_last_days_is_sent_again_when_something_leaves_it_and_not_before() {
        assert_sent_again_when_it_changes!(get_compliance, 7, "/spec/IncidentMetrics/TotalIncidents");
        assert_sent_again_when_it_changes!(get_capacity, 7, "/items/0/IncidentCorrelation/IncidentsInWindow");
        assert_sent_again_when_it_changes!(get_cost, 30, "/spec/incidentCount");
    }

    #[tokio::test]
    async fn a_report_of_a_period_that_is_over_stays_as_it_is() {
        let console = console();
        let query = "from=2026-09-01T00:00:00Z&to=2026-09-22T00:00:00Z";
        let (now, later) = (at("2026-09-23T12:00:00Z"), at("2029-09-23T12:00:00Z"));
        let (tag, answer) = told(get_compliance(ask(&console, query, now, None)).await).await;
        assert!(answer.is_some());
        assert_eq!(
            told(get_compliance(ask(&console, query, later, Some(&tag))).await).await,
            (tag, None)
        );
        let (tag, _) = told(get_cost(ask(&console, query, now, None)).await).await;
        assert_eq!(
            told(get_cost(ask(&console, query, later, Some(&tag))).await).await,
            (tag, None)
        );
    }
}
