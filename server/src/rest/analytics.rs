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
