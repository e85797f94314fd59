//! Figures over whole kinds. Upstream's formulas, but within a namespace, and joined by namespace and name.

use crate::{
    resources::{
        ApprovalRequest, ApprovalState, Issue, IssueState, PlanState, PostMortem, PostMortemState, RemediationPlan,
        Runbook, ServiceLevelObjective, Severity, Typed,
    },
    rules::{approval_case::state, slo},
};
use jiff::{Timestamp, ToSpan, civil::Date, tz::TimeZone};
use opsdeck_api::analytics::{AnalyticsSummary, TrendPoint};
use std::collections::{BTreeMap, BTreeSet};

const SOURCE: &str = "platform.chatcli.io/source";
const CHAOS: &str = "chaos-experiment";

/// Which objects count.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Any of these; all when there are none.
    pub namespaces: Vec<String>,
    /// Both ends included.
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
}

/// The objects that figures are made from; each list whole and in any order.
#[derive(Clone, Debug)]
pub struct Objects<I, R, P, B, S, A> {
    pub issues: I,
    pub plans: R,
    pub postmortems: P,
    pub runbooks: B,
    pub objectives: S,
    pub approvals: A,
}

/// Width of a bucket.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Bucket {
    #[default]
    Day,
    Week,
}

/// The overview's figures. `issue` finds one wherever and whenever it was created.
pub fn summary<'a>(
    objects: Objects<
        impl IntoIterator<Item = &'a Issue>,
        impl IntoIterator<Item = &'a RemediationPlan>,
        impl IntoIterator<Item = &'a PostMortem>,
        impl IntoIterator<Item = &'a Runbook>,
        impl IntoIterator<Item = &'a ServiceLevelObjective>,
        impl IntoIterator<Item = &'a ApprovalRequest>,
    >,
    issue: impl Fn(&str, &str) -> Option<&'a Issue>,
    scope: &Scope,
) -> AnalyticsSummary {
    let mut figures = AnalyticsSummary::default();
    count_issues(objects.issues, scope, &mut figures);
    count_plans(objects.plans, issue, scope, &mut figures);
    for postmortem in objects
        .postmortems
        .into_iter()
        .filter(|postmortem| scope.holds(*postmortem))
    {
        let owed = postmortem
            .status
            .as_ref()
            .is_some_and(|status| status.requires_human_action && status.state != PostMortemState::Closed);
        figures.total_post_mortems += 1;
        figures.post_mortems_requiring_human_action += u64::from(owed);
    }
    figures.total_runbooks = count(objects.runbooks.into_iter().filter(|runbook| scope.covers(*runbook)));
    for objective in objects
        .objectives
        .into_iter()
        .filter(|objective| scope.covers(*objective))
    {
        figures.total_slos += 1;
        figures.slos_at_risk += u64::from(slo::at_risk(objective));
    }
    let pending = |request: &&ApprovalRequest| scope.covers(*request) && state(request) == ApprovalState::Pending;
    figures.pending_approvals = count(objects.approvals.into_iter().filter(pending));
    figures
}

/// How many incidents arrived when. Buckets without any are left out; ascending.
pub fn trends<'a>(issues: impl IntoIterator<Item = &'a Issue>, bucket: Bucket, scope: &Scope) -> Vec<TrendPoint> {
    let mut buckets: BTreeMap<Date, BTreeMap<String, u64>> = BTreeMap::new();
    for issue in issues.into_iter().filter(|issue| scope.holds(*issue)) {
        let day = created(issue).to_zoned(TimeZone::UTC).date();
        let start = match bucket {
            Bucket::Day => day,
            Bucket::Week => upstream_week(day),
        };
        *buckets
            .entry(start)
            .or_default()
            .entry(issue.spec.severity.to_string())
            .or_default() += 1;
    }
    buckets
        .into_iter()
        .map(|(date, by_severity)| TrendPoint {
            date: date.to_string(),
            total: by_severity.values().sum(),
            by_severity,
        })
        .collect()
}

/// Not the Monday, but as many weeks after New Year as the ISO week says: upstream's axis, kept so that both consoles agree.
fn upstream_week(day: Date) -> Date {
    let week = day.iso_week_date();
    let weeks = i64::from(week.week()) - 1;
    Date::new(week.year(), 1, 1)
        .and_then(|new_year| new_year.checked_add(weeks.weeks()))
        .unwrap_or(day)
}

fn count_issues<'a>(issues: impl IntoIterator<Item = &'a Issue>, scope: &Scope, figures: &mut AnalyticsSummary) {
    let mut risk = 0.0;
    for issue in issues.into_iter().filter(|issue| scope.holds(*issue)) {
        let state = issue.status.as_ref().map(|status| &status.state);
        risk += f64::from(issue.spec.risk_score);
        figures.total_issues += 1;
        figures.resolved_issues += u64::from(state == Some(&IssueState::Resolved));
        figures.contained_issues += u64::from(state == Some(&IssueState::Contained));
        figures.open_issues += u64::from(state != Some(&IssueState::Resolved));
        figures.critical_issues += u64::from(issue.spec.severity == Severity::Critical);
        figures.chaos_induced_issues += u64::from(issue.label(SOURCE) == Some(CHAOS));
        match figures.severity_breakdown.get_mut(issue.spec.severity.as_str()) {
            Some(count) => *count += 1,
            None => {
                figures.severity_breakdown.insert(issue.spec.severity.to_string(), 1);
            }
        }
    }
    if figures.total_issues > 0 {
        figures.avg_risk_score = (risk / figures.total_issues as f64).into();
    }
}

fn count_plans<'a>(
    plans: impl IntoIterator<Item = &'a RemediationPlan>,
    issue: impl Fn(&str, &str) -> Option<&'a Issue>,
    scope: &Scope,
    figures: &mut AnalyticsSummary,
) {
    let mut remedied = BTreeSet::new();
    for plan in plans.into_iter().filter(|plan| scope.holds(*plan)) {
        let state = plan.status.as_ref().map(|status| &status.state);
        figures.total_remediations += 1;
        figures.successful_remediations += u64::from(state == Some(&PlanState::Completed));
        figures.failed_remediations += u64::from(matches!(state, Some(PlanState::Failed | PlanState::RolledBack)));
        let target = (plan.namespace(), plan.spec.issue_ref.name.as_str());
        if remedied.insert(target)
            && let Some(issue) = issue(target.0, target.1)
        {
            figures.remediated_issues += 1;
            figures.resolved_by_remediation += u64::from(
                issue
                    .status
                    .as_ref()
                    .is_some_and(|status| status.state == IssueState::Resolved),
            );
        }
    }
}

fn count<T>(things: impl Iterator<Item = T>) -> u64 {
    things.count() as u64
}

/// Go's zero time where there is none, as upstream compares it.
fn created(object: &impl Typed) -> Timestamp {
    object.created().unwrap_or(Timestamp::constant(-62_135_596_800, 0))
}

// === impl Scope ===

impl Scope {
    /// By namespace and time.
    fn holds(&self, object: &impl Typed) -> bool {
        let created = created(object);
        self.covers(object) && self.from.is_none_or(|from| from <= created) && self.to.is_none_or(|to| created <= to)
    }

    /// By namespace alone.
    fn covers(&self, object: &impl Typed) -> bool {
        self.namespaces.is_empty() || self.namespaces.iter().any(|namespace| namespace == object.namespace())
    }
}
