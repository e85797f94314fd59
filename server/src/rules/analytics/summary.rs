//! The overview's figures.

use super::{Scope, induced_by_chaos};
use crate::{
    resources::{
        ApprovalRequest, ApprovalState, Issue, IssueState, PlanState, PostMortem, PostMortemState, RemediationPlan,
        Runbook, ServiceLevelObjective, Severity, Typed,
    },
    rules::{approval_case::state, slo},
};
use opsdeck_api::analytics::AnalyticsSummary;
use std::collections::BTreeSet;

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
        figures.chaos_induced_issues += u64::from(induced_by_chaos(issue));
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

#[cfg(test)]
mod tests {
    use super::{Objects, summary};
    use crate::{
        fixtures::{Fixture, at, incident, objective, plan, postmortem, request, runbook},
        resources::{
            ApprovalRequest, ApprovalState, Issue, IssueState, PlanState, PostMortem, PostMortemState, RemediationPlan,
            Runbook, ServiceLevelObjective, Severity, Typed,
        },
        rules::analytics::{Scope, worlds},
    };
    use opsdeck_api::{Number, analytics::AnalyticsSummary};
    use proptest::prelude::*;

    /// A small world; `of` gives its figures.
    #[derive(Default)]
    struct World {
        issues: Vec<Fixture<Issue>>,
        plans: Vec<Fixture<RemediationPlan>>,
        postmortems: Vec<Fixture<PostMortem>>,
        runbooks: Vec<Fixture<Runbook>>,
        objectives: Vec<Fixture<ServiceLevelObjective>>,
        approvals: Vec<Fixture<ApprovalRequest>>,
    }

    impl World {
        fn figures(&self, scope: &Scope) -> AnalyticsSummary {
            let objects = Objects {
                issues: self.issues.iter().map(|issue| &**issue),
                plans: self.plans.iter().map(|plan| &**plan),
                postmortems: self.postmortems.iter().map(|postmortem| &**postmortem),
                runbooks: self.runbooks.iter().map(|runbook| &**runbook),
                objectives: self.objectives.iter().map(|objective| &**objective),
                approvals: self.approvals.iter().map(|request| &**request),
            };
            let issue = |namespace: &str, name: &str| {
                self.issues
                    .iter()
                    .map(|issue| &**issue)
                    .find(|issue| issue.namespace() == namespace && issue.name() == name)
            };
            summary(objects, issue, scope)
        }
    }

    fn within(namespace: &str) -> Scope {
        Scope {
            namespaces: vec![namespace.into()],
            ..Scope::default()
        }
    }

    fn of_issues(issues: Vec<Fixture<Issue>>) -> AnalyticsSummary {
        World {
            issues,
            ..World::default()
        }
        .figures(&Scope::default())
    }

    #[test]
    fn an_empty_world_is_all_zero() {
        assert_eq!(World::default().figures(&Scope::default()), AnalyticsSummary::default());
    }

    #[test]
    fn open_is_whatever_is_not_resolved() {
        let states = [
            "",
            "Detected",
            "Analyzing",
            "Remediating",
            "Contained",
            "Escalated",
            "Failed",
            "Resolved",
        ];
        let figures = of_issues(
            states
                .iter()
                .map(|state| incident().state(IssueState::from(*state)))
                .chain([incident()])
                .collect(),
        );
        assert_eq!(
            (
                figures.total_issues,
                figures.open_issues,
                figures.resolved_issues,
                figures.contained_issues
            ),
            (9, 8, 1, 1)
        );
    }

    #[test]
    fn severities_are_broken_down_and_risk_is_the_mean() {
        let risky = |severity, risk| incident().severity(severity).with(|issue| issue.spec.risk_score = risk);
        let figures = of_issues(vec![
            risky(Severity::Critical, 100).resolved(),
            risky(Severity::Critical, 50),
            risky(Severity::Low, 0),
        ]);
        assert_eq!((figures.critical_issues, figures.avg_risk_score), (2, Number(50.0)));
        assert_eq!(
            figures.severity_breakdown,
            [("critical".to_owned(), 2), ("low".to_owned(), 1)].into()
        );
    }

    #[test]
    fn chaos_is_counted_by_its_label() {
        assert_eq!(
            of_issues(vec![incident().raised_by_experiment("kill"), incident()]).chaos_induced_issues,
            1
        );
    }

    #[test]
    fn a_remedied_incident_counts_once_and_only_while_it_exists() {
        let world = World {
            issues: vec![
                incident().named("a").resolved().created("2020-01-01T00:00:00Z"),
                incident().named("b"),
                incident().named("c").within("other").resolved(),
            ],
            plans: vec![
                plan().fixes("a").state(PlanState::Failed),
                plan().fixes("a").state(PlanState::Completed),
                plan().fixes("b").state(PlanState::RolledBack),
                plan().fixes("c").state(PlanState::Executing),
                plan().fixes("gone"),
            ],
            ..World::default()
        };
        let figures = world.figures(&Scope {
            from: Some(at("2026-01-01T00:00:00Z")),
            ..Scope::default()
        });
        assert_eq!(
            (
                figures.total_remediations,
                figures.successful_remediations,
                figures.failed_remediations
            ),
            (5, 1, 2)
        );
        assert_eq!(
            (figures.remediated_issues, figures.resolved_by_remediation),
            (2, 1),
            "the incident in the other namespace is another one"
        );
    }

    #[test]
    fn a_closed_post_mortem_owes_nothing() {
        let world = World {
            postmortems: vec![
                postmortem(),
                postmortem().owes_action(),
                postmortem().owes_action().state(PostMortemState::Closed),
            ],
            ..World::default()
        };
        let figures = world.figures(&Scope::default());
        assert_eq!(
            (figures.total_post_mortems, figures.post_mortems_requiring_human_action),
            (3, 1)
        );
    }

    #[test]
    fn runbooks_objectives_and_approvals_do_not_know_time_but_namespaces() {
        let world = World {
            runbooks: vec![runbook(), runbook().within("other")],
            objectives: vec![
                objective(),
                objective().kept(0.5).alerting(),
                objective().kept(0.0).within("other"),
            ],
            approvals: vec![
                request(),
                request().state(ApprovalState::from("")).within("other"),
                request().state(ApprovalState::Pending),
                request().state(ApprovalState::Expired),
            ],
            ..World::default()
        };
        let long_ago = Scope {
            to: Some(at("2000-01-01T00:00:00Z")),
            ..Scope::default()
        };
        let figures = world.figures(&long_ago);
        assert_eq!(
            (
                figures.total_runbooks,
                figures.total_slos,
                figures.slos_at_risk,
                figures.pending_approvals
            ),
            (2, 3, 2, 3)
        );
        let figures = world.figures(&within("shop"));
        assert_eq!(
            (
                figures.total_runbooks,
                figures.total_slos,
                figures.slos_at_risk,
                figures.pending_approvals
            ),
            (1, 2, 1, 2)
        );
    }

    proptest! {
        #[test]
        fn whatever_the_breakdown_the_parts_are_the_whole(
            issues in worlds::incidents(), plans in worlds::plans(), scope in worlds::scopes(),
        ) {
            let figures = World { issues, plans, ..World::default() }.figures(&scope);
            prop_assert_eq!(figures.open_issues + figures.resolved_issues, figures.total_issues);
            prop_assert_eq!(figures.severity_breakdown.values().sum::<u64>(), figures.total_issues);
            prop_assert!(figures.chaos_induced_issues <= figures.total_issues);
            prop_assert!(figures.resolved_by_remediation <= figures.remediated_issues);
            prop_assert!(figures.remediated_issues <= figures.total_remediations);
            prop_assert!(figures.successful_remediations + figures.failed_remediations <= figures.total_remediations);
        }
    }
}
