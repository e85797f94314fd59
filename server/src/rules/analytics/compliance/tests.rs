//! A week calculated by hand, and the laws that hold in any.

use super::{Records, compliance};
use crate::{
    fixtures::{Fixture, action, at, incident, noon, plan, request},
    resources::{
        ActionType, ApprovalRequest, ApprovalState, AuditEvent, IncidentSLA, Issue, IssueState, PlanState,
        RemediationPlan, Severity, incident_sla::IncidentSLAStatus,
    },
    rules::analytics::{Period, Scope, worlds},
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use opsdeck_api::{
    Number,
    analytics::{ActionOutcome, ComplianceReport, IncidentMetrics, IncidentSla, SlaMetrics},
};
use proptest::prelude::*;

const SECOND: i64 = 1_000_000_000;

#[derive(Default)]
struct World {
    issues: Vec<Fixture<Issue>>,
    plans: Vec<Fixture<RemediationPlan>>,
    approvals: Vec<Fixture<ApprovalRequest>>,
    events: Vec<AuditEvent>,
    slas: Vec<IncidentSLA>,
}

impl World {
    fn report(&self, scope: &Scope) -> ComplianceReport {
        let records = Records {
            issues: self.issues.iter().map(|issue| &**issue),
            plans: self.plans.iter().map(|plan| &**plan),
            approvals: self.approvals.iter().map(|request| &**request),
            events: &self.events,
            slas: &self.slas,
        };
        compliance(records, scope, &Period::of(scope, 7, noon()))
    }

    fn this_week(&self) -> ComplianceReport {
        self.report(&Scope::default())
    }
}

fn of_issues(issues: Vec<Fixture<Issue>>) -> World {
    World {
        issues,
        ..World::default()
    }
}

/// Made at noon, detected and resolved so many seconds later.
fn course(detected: Option<i64>, resolved: Option<i64>) -> Fixture<Issue> {
    let after = |seconds: i64| noon() + jiff::SignedDuration::from_secs(seconds);
    incident().with(|issue| {
        let status = issue.status.get_or_insert_default();
        status.detected_at = detected.map(after);
        status.resolved_at = resolved.map(after);
    })
}

fn sla(namespace: &str) -> IncidentSLA {
    let mut sla = IncidentSLA::new("sla-critical", Default::default());
    sla.metadata.namespace = Some(namespace.into());
    sla.spec.severity = Severity::Critical;
    sla.spec.response_time = "15m".into();
    sla.spec.resolution_time = "1d4h".into();
    sla
}

fn event(namespace: &str, kind: &str, severity: &str) -> AuditEvent {
    let mut event = AuditEvent::new("event", Default::default());
    event.metadata.namespace = Some(namespace.into());
    event.metadata.creation_timestamp = Some(Time(noon()));
    event.spec.event_type = kind.into();
    event.spec.severity = severity.into();
    event
}

fn violating(what: &str) -> Fixture<Issue> {
    incident().annotated("platform.chatcli.io/sla-violated", what)
}

#[test]
fn of_nothing_everything_was_kept() {
    let report = World::default().this_week();
    assert_eq!(
        (report.period.start.as_str(), report.period.end.as_str()),
        ("2026-09-16T12:00:00Z", "2026-09-23T12:00:00Z")
    );
    assert_eq!(
        report,
        ComplianceReport {
            period: report.period.clone(),
            sla_metrics: SlaMetrics {
                compliance_percentage: Number(100.0),
                ..SlaMetrics::default()
            },
            ..ComplianceReport::default()
        }
    );
}

#[test]
fn incidents_are_counted_and_their_times_taken_from_where_upstream_takes_them() {
    let world = of_issues(vec![
        course(Some(10), Some(610)).critical().resolved(),
        course(Some(20), None)
            .with(|issue| issue.status.get_or_insert_default().remediation_attempts = 3)
            .raised_by_experiment("kill"),
        // Resolved, though nobody noted that it was detected.
        course(None, Some(300)).resolved(),
        incident().severity(Severity::High),
        incident().created("2026-09-16T11:59:59Z"),
    ]);
    let report = world.this_week();
    assert_eq!(
        report.incident_metrics,
        IncidentMetrics {
            total_incidents: 4,
            by_severity: [("critical".into(), 1), ("high".into(), 1), ("low".into(), 2)].into(),
            by_state: [(String::new(), 2), ("Resolved".into(), 2)].into(),
            mttd: 15 * SECOND,
            mttr: 600 * SECOND,
            mean_remediation_attempts: Number(0.75),
        }
    );
    let times = (
        report.sla_metrics.average_response_time,
        report.sla_metrics.average_resolution_time,
    );
    // (610 + 300) / 1: two resolutions, one of which was detected.
    assert_eq!(times, (15 * SECOND, 910 * SECOND));
}

#[test]
fn a_mean_may_be_negative_where_clocks_differ() {
    let report = of_issues(vec![course(Some(-10), None), course(Some(0), None)]).this_week();
    assert_eq!(report.incident_metrics.mttd, -5 * SECOND);
}

#[test]
fn without_promises_an_escalation_breaks_one() {
    let issues = || {
        vec![
            incident().state(IssueState::Escalated),
            incident(),
            incident(),
            violating("response"),
        ]
    };
    let report = of_issues(issues()).this_week();
    let figures = |report: &ComplianceReport| {
        let slas = &report.sla_metrics;
        (
            slas.compliance_percentage.0,
            slas.response_sla_violations,
            slas.resolution_sla_violations,
        )
    };
    assert_eq!(figures(&report), (75.0, 0, 1));
    assert_eq!(report.incident_slas, []);

    let promised = World {
        slas: vec![sla("shop")],
        ..of_issues(issues())
    };
    assert_eq!(
        figures(&promised.this_week()),
        (75.0, 1, 0),
        "the escalation alone is no violation"
    );
    let promised_elsewhere = World {
        slas: vec![sla("edge")],
        ..of_issues(issues())
    };
    let shop = Scope {
        namespaces: vec!["shop".into()],
        ..Scope::default()
    };
    assert_eq!(
        figures(&promised_elsewhere.report(&shop)),
        (75.0, 0, 1),
        "promises of the namespace alone"
    );
}

#[test]
fn who_broke_both_promises_counts_once() {
    let world = World {
        slas: vec![sla("shop")],
        ..of_issues(vec![
            violating("response,resolution"),
            violating("resolution, response"),
            violating("resolution"),
            violating("unheard-of"),
            violating(""),
        ])
    };
    let slas = world.this_week().sla_metrics;
    assert_eq!((slas.response_sla_violations, slas.resolution_sla_violations), (2, 3));
    assert_eq!(slas.compliance_percentage, Number(40.0));
}

#[test]
fn promises_are_told_as_the_operator_keeps_them() {
    let mut kept = sla("shop");
    kept.status = Some(IncidentSLAStatus {
        active_violations: 1,
        total_violations: 2,
        total_issues_tracked: 8,
        compliance_percentage: 75.0,
        ..IncidentSLAStatus::default()
    });
    let world = World {
        slas: vec![kept, sla("zoo"), sla("edge")],
        ..World::default()
    };
    let told = world.this_week().incident_slas;
    let names: Vec<_> = told.iter().map(|sla| &*sla.namespace).collect();
    assert_eq!(names, ["edge", "shop", "zoo"], "by namespace and name");
    assert_eq!(
        told[1],
        IncidentSla {
            name: "sla-critical".into(),
            namespace: "shop".into(),
            severity: "critical".into(),
            response_time: "15m".into(),
            resolution_time: "1d4h".into(),
            compliance_percentage: Number(75.0),
            active_violations: 1,
            total_violations: 2,
            total_issues_tracked: 8,
        }
    );
    assert_eq!(told[0].compliance_percentage, Number(0.0), "nothing was kept yet");
}

#[test]
fn what_was_rolled_back_did_not_succeed_and_its_actions_did_not_fail() {
    let does = |state, actions: &[ActionType]| {
        plan().state(state).with(|plan| {
            plan.spec.actions = actions.iter().map(|what| action(what.clone(), &[])).collect();
        })
    };
    let (scale, delete) = (ActionType::ScaleDeployment, ActionType::DeletePod);
    let world = World {
        plans: vec![
            does(PlanState::Completed, &[scale.clone(), scale.clone(), delete.clone()]),
            does(PlanState::Failed, std::slice::from_ref(&scale)),
            does(PlanState::RolledBack, std::slice::from_ref(&delete)),
            does(PlanState::Executing, std::slice::from_ref(&delete)),
            plan()
                .state(PlanState::Completed)
                .with(|plan| plan.spec.agentic_mode = true),
        ],
        ..World::default()
    };
    let metrics = world.this_week().remediation_metrics;
    assert_eq!(
        (
            metrics.total_remediations,
            metrics.auto_remediated_count,
            metrics.agentic_count
        ),
        (5, 2, 1)
    );
    assert_eq!(metrics.success_rate, Number(50.0), "two of the four that ended");
    let outcome = |count, success, failed| ActionOutcome { count, success, failed };
    assert_eq!(
        metrics.by_action_type,
        [
            ("DeletePod".to_owned(), outcome(3, 1, 0)),
            ("ScaleDeployment".to_owned(), outcome(3, 2, 1))
        ]
        .into()
    );
}

#[test]
fn decisions_are_counted_by_who_made_them() {
    let approved = |automatic: bool, at: Option<&str>| {
        request().state(ApprovalState::Approved).with(|request| {
            let status = request.status.get_or_insert_default();
            status.auto_approved = automatic;
            status.approved_at = at.map(Into::into);
        })
    };
    let world = World {
        approvals: vec![
            approved(true, Some("2026-09-23T12:00:02Z")),
            approved(false, Some("2026-09-23T14:00:10+02:00")),
            approved(false, None),
            approved(false, Some("soon")),
            request().state(ApprovalState::Rejected),
            request().state(ApprovalState::Expired),
            request(),
            request().created("2026-09-01T00:00:00Z"),
        ],
        ..World::default()
    };
    let metrics = world.this_week().approval_metrics;
    assert_eq!(
        (metrics.total_requests, metrics.auto_approved, metrics.manual_approved),
        (7, 1, 3)
    );
    assert_eq!((metrics.rejected, metrics.expired), (1, 1));
    assert_eq!(metrics.average_decision_time, 6 * SECOND);
}

#[test]
fn the_trail_is_counted_by_when_it_was_written() {
    let mut old = event("shop", "issue_created", "info");
    old.metadata.creation_timestamp = Some(Time(at("2026-09-01T00:00:00Z")));
    let world = World {
        events: vec![
            event("shop", "issue_created", "info"),
            event("shop", "sla_breach", "critical"),
            event("edge", "sla_breach", ""),
            old,
        ],
        ..World::default()
    };
    let summary = world.this_week().audit_summary;
    assert_eq!(summary.total_events, 3);
    assert_eq!(
        summary.by_severity,
        [(String::new(), 1), ("critical".into(), 1), ("info".into(), 1)].into()
    );
    assert_eq!(
        summary.by_event_type,
        [("issue_created".to_owned(), 1), ("sla_breach".to_owned(), 2)].into()
    );
    let shop = Scope {
        namespaces: vec!["shop".into()],
        ..Scope::default()
    };
    assert_eq!(world.report(&shop).audit_summary.total_events, 2);
}

proptest! {
    #[test]
    fn whatever_the_breakdown_the_parts_are_the_whole(
        issues in worlds::incidents(), plans in worlds::plans(), scope in worlds::scopes(), promised in any::<bool>(),
    ) {
        let slas = if promised { vec![sla("shop"), sla("edge"), sla("nowhere")] } else { Vec::new() };
        let report = World { issues, plans, slas, ..World::default() }.report(&scope);
        let incidents = &report.incident_metrics;
        prop_assert_eq!(incidents.by_severity.values().sum::<u64>(), incidents.total_incidents);
        prop_assert_eq!(incidents.by_state.values().sum::<u64>(), incidents.total_incidents);
        let kept = report.sla_metrics.compliance_percentage.0;
        prop_assert!((0.0..=100.0).contains(&kept));
        prop_assert!((0.0..=100.0).contains(&report.remediation_metrics.success_rate.0));
        let violations = report.sla_metrics.response_sla_violations + report.sla_metrics.resolution_sla_violations;
        prop_assert_eq!(kept == 100.0, violations == 0);
        for outcome in report.remediation_metrics.by_action_type.values() {
            prop_assert!(outcome.success + outcome.failed <= outcome.count);
        }
    }

    #[test]
    fn two_halves_of_a_period_are_the_period(
        issues in worlds::incidents(), plans in worlds::plans(), scope in worlds::scopes(), hours in 0..500i64,
    ) {
        let middle = noon() - jiff::SignedDuration::from_hours(hours);
        let world = World { issues, plans, ..World::default() };
        let total = |from, to| {
            let report = world.report(&Scope { from: Some(from), to: Some(to), ..scope.clone() });
            (report.incident_metrics.total_incidents, report.remediation_metrics.total_remediations)
        };
        let (start, end) = (at("2026-01-01T00:00:00Z"), at("2027-01-01T00:00:00Z"));
        let (early, late) = (total(start, middle), total(middle + jiff::SignedDuration::from_nanos(1), end));
        prop_assert_eq!((early.0 + late.0, early.1 + late.1), total(start, end));
    }
}
