//! Which ways of remedying work. Judged by the incident, not by the plan: a plan that is still at work counts as failed until its
//! incident is resolved, and the time of all plans of an incident counts for each way that was tried on it.

use super::{Mean, Scope, elapsed};
use crate::resources::{Issue, IssueState, RemediationPlan, Typed};
use opsdeck_api::analytics::RemediationStat;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// What was tried on one incident.
struct Course<'a> {
    ways: BTreeSet<&'a str>,
    resolved: bool,
    took: Mean,
}

#[derive(Default)]
struct Tally {
    total: u64,
    successful: u64,
    took: Mean,
}

/// Of the plans whose incident exists; `issue` finds one wherever and whenever it was created. The way tried most often first.
pub fn remediation_stats<'a>(
    plans: impl IntoIterator<Item = &'a RemediationPlan>,
    issue: impl Fn(&str, &str) -> Option<&'a Issue>,
    scope: &Scope,
) -> Vec<RemediationStat> {
    let mut ways: BTreeMap<&str, Tally> = BTreeMap::new();
    for course in courses(plans, issue, scope) {
        for way in course.ways {
            let tally = ways.entry(way).or_default();
            tally.total += 1;
            tally.successful += u64::from(course.resolved);
            tally.took.merge(course.took);
        }
    }
    let mut ways: Vec<_> = ways.into_iter().collect();
    // Stable: what is equal stays in the order of the names.
    ways.sort_by_key(|(_, tally)| Reverse(tally.total));
    ways.into_iter()
        .map(|(way, tally)| RemediationStat {
            action: way.to_owned(),
            total: tally.total,
            successful: tally.successful,
            failed: tally.total - tally.successful,
            success_rate: (tally.successful as f64 / tally.total as f64).into(),
            avg_duration: tally.took.seconds(),
        })
        .collect()
}

fn courses<'a>(
    plans: impl IntoIterator<Item = &'a RemediationPlan>,
    issue: impl Fn(&str, &str) -> Option<&'a Issue>,
    scope: &Scope,
) -> impl Iterator<Item = Course<'a>> {
    let mut courses: BTreeMap<(&str, &str), Course<'_>> = BTreeMap::new();
    for plan in plans.into_iter().filter(|plan| scope.holds(*plan)) {
        let target = (plan.namespace(), plan.spec.issue_ref.name.as_str());
        let Some(issue) = issue(target.0, target.1) else {
            continue;
        };
        let status = issue.status.as_ref();
        let course = courses.entry(target).or_insert_with(|| Course {
            ways: BTreeSet::new(),
            resolved: status.is_some_and(|status| status.state == IssueState::Resolved),
            took: Mean::default(),
        });
        course.ways.insert(way(plan));
        let times = plan
            .status
            .as_ref()
            .map(|status| (status.started_at, status.completed_at));
        if let Some((Some(started), Some(completed))) = times {
            course.took.add(elapsed(started, completed));
        }
    }
    courses.into_values()
}

/// What a plan tries, in a word: the first thing that it does, or what the model calls its strategy.
fn way(plan: &RemediationPlan) -> &str {
    let spec = &plan.spec;
    if !spec.agentic_mode {
        return spec.actions.first().map_or("Unknown", |action| action.action.as_str());
    }
    if !spec.strategy.is_empty() {
        return &spec.strategy;
    }
    let mut done = spec.agentic_history.iter().filter_map(|step| step.action.as_ref());
    done.next().map_or("Agentic", |action| action.action.as_str())
}

#[cfg(test)]
mod tests {
    use super::{remediation_stats, way};
    use crate::{
        fixtures::{Fixture, action, at, incident, plan},
        resources::{ActionType, Issue, PlanState, RemediationPlan, Typed, remediation_plan::AgenticStep},
        rules::analytics::{Scope, worlds},
    };
    use opsdeck_api::analytics::RemediationStat;
    use proptest::prelude::*;

    fn stats(plans: &[Fixture<RemediationPlan>], issues: &[Fixture<Issue>], scope: &Scope) -> Vec<RemediationStat> {
        let issue = |namespace: &str, name: &str| {
            issues
                .iter()
                .map(|issue| &**issue)
                .find(|issue| issue.namespace() == namespace && issue.name() == name)
        };
        remediation_stats(plans.iter().map(|plan| &**plan), issue, scope)
    }

    fn does(issue: &str, what: ActionType) -> Fixture<RemediationPlan> {
        plan()
            .fixes(issue)
            .with(|plan| plan.spec.actions = vec![action(what, &[])])
    }

    fn took(plan: Fixture<RemediationPlan>, minutes: u32) -> Fixture<RemediationPlan> {
        plan.with(|plan| {
            let status = plan.status.get_or_insert_default();
            status.started_at = Some(at("2026-09-23T12:00:00Z"));
            status.completed_at = Some(at(&format!("2026-09-23T12:{minutes:02}:00Z")));
        })
    }

    #[test]
    fn a_way_is_judged_by_the_incidents_it_was_tried_on() {
        let issues = [
            incident().named("a").resolved(),
            incident().named("b"),
            incident().named("c").within("edge").resolved(),
        ];
        let plans = [
            took(does("a", ActionType::RestartDeployment).state(PlanState::Failed), 10),
            took(does("a", ActionType::ScaleDeployment).state(PlanState::Completed), 20),
            // A second time on the same incident, and not yet ended.
            does("a", ActionType::ScaleDeployment),
            took(does("b", ActionType::ScaleDeployment).state(PlanState::Completed), 3),
            does("gone", ActionType::ScaleDeployment),
            // The incident of that name is in another namespace.
            does("c", ActionType::ScaleDeployment),
        ];
        let said: Vec<_> = stats(&plans, &issues, &Scope::default())
            .into_iter()
            .map(|row| {
                (
                    row.action,
                    [row.total, row.successful, row.failed],
                    row.success_rate.0,
                    row.avg_duration.0,
                )
            })
            .collect();
        // Restarting: (10 + 20) / 2 minutes on a. Scaling: (10 + 20 + 3) / 3 minutes on a and b.
        assert_eq!(
            said,
            [
                ("ScaleDeployment".to_owned(), [2, 1, 1], 0.5, 660.0),
                ("RestartDeployment".to_owned(), [1, 1, 0], 1.0, 900.0),
            ]
        );
        assert_eq!(stats(&[], &issues, &Scope::default()), []);
    }

    #[test]
    fn plans_that_never_ended_took_no_time() {
        let row = &stats(&[plan().fixes("a")], &[incident().named("a")], &Scope::default())[0];
        assert_eq!(
            (row.action.as_str(), row.avg_duration.0, row.failed),
            ("Unknown", 0.0, 1)
        );
    }

    #[test]
    fn the_plans_time_and_namespace_count_and_not_the_incidents() {
        let issues = [incident().named("a").created("2020-01-01T00:00:00Z")];
        let plans = [
            does("a", ActionType::DeletePod),
            does("a", ActionType::DrainNode).created("2026-09-01T00:00:00Z"),
        ];
        let scope = |namespace: &str| Scope {
            namespaces: vec![namespace.into()],
            from: Some(at("2026-09-20T00:00:00Z")),
            ..Scope::default()
        };
        let rows = stats(&plans, &issues, &scope("shop"));
        assert_eq!(
            rows.iter().map(|row| row.action.as_str()).collect::<Vec<_>>(),
            ["DeletePod"]
        );
        assert_eq!(stats(&plans, &issues, &scope("edge")), []);
    }

    #[test]
    fn what_the_model_tries_is_its_strategy_or_its_first_step() {
        let step = |what: Option<ActionType>| AgenticStep {
            action: what.map(|what| action(what, &[])),
            ..AgenticStep::default()
        };
        let agentic = does("a", ActionType::DeletePod).with(|plan| plan.spec.agentic_mode = true);
        assert_eq!(way(&agentic), "Agentic", "the list of actions is not the model's");
        let looked = agentic.with(|plan| plan.spec.agentic_history = vec![step(None)]);
        assert_eq!(way(&looked), "Agentic");
        let acted = looked.with(|plan| {
            let history = &mut plan.spec.agentic_history;
            history.extend([step(Some(ActionType::AdjustHpa)), step(Some(ActionType::DeletePod))]);
        });
        assert_eq!(way(&acted), "AdjustHPA");
        assert_eq!(
            way(&acted.with(|plan| plan.spec.strategy = "raise the ceiling".into())),
            "raise the ceiling"
        );
        assert_eq!(
            way(&plan().with(|plan| plan.spec.strategy = "unheard".into())),
            "Unknown"
        );
    }

    proptest! {
        #[test]
        fn each_incident_counts_once_for_each_way(
            issues in worlds::incidents(), plans in worlds::plans(), scope in worlds::scopes(),
        ) {
            let rows = stats(&plans, &issues, &scope);
            for row in &rows {
                prop_assert_eq!(row.successful + row.failed, row.total);
                prop_assert!(0.0 <= row.success_rate.0 && row.success_rate.0 <= 1.0);
                prop_assert!(0 < row.total && row.total <= issues.len() as u64);
            }
            prop_assert!(rows.is_sorted_by(|a, b| a.total > b.total || (a.total == b.total && a.action < b.action)));
            let mut others = plans.clone();
            others.reverse();
            prop_assert_eq!(stats(&others, &issues, &scope), rows);
        }

        /// No plan and no incident of one namespace says anything about the other, whatever their names.
        #[test]
        fn namespaces_do_not_meet(issues in worlds::incidents(), plans in worlds::plans()) {
            let shop = Scope { namespaces: vec!["shop".into()], ..Scope::default() };
            let of_shop = |namespace: &str| namespace == "shop";
            let own_issues: Vec<_> = issues.iter().filter(|issue| of_shop(issue.namespace())).cloned().collect();
            let own_plans: Vec<_> = plans.iter().filter(|plan| of_shop(plan.namespace())).cloned().collect();
            prop_assert_eq!(stats(&plans, &issues, &shop), stats(&own_plans, &own_issues, &Scope::default()));
        }
    }
}
