//! How long it takes until an incident is detected, and until it is resolved, day by day. Experiments do not count: somebody waited for
//! what they broke.

use super::{Mean, Scope, created, day, elapsed, induced_by_chaos};
use crate::resources::{Issue, IssueState};
use jiff::{Timestamp, civil::Date};
use opsdeck_api::analytics::MeanPoint;
use std::collections::BTreeMap;

/// From creation to detection. What nobody detected was detected at once.
pub fn mttd<'a>(issues: impl IntoIterator<Item = &'a Issue>, scope: &Scope) -> Vec<MeanPoint> {
    by_day(issues, scope, |issue| {
        let detected = issue.status.as_ref().and_then(|status| status.detected_at);
        Some(detected.unwrap_or_else(|| created(issue)))
    })
}

/// From creation to resolution, of those that are resolved; under the day of their creation.
pub fn mttr<'a>(issues: impl IntoIterator<Item = &'a Issue>, scope: &Scope) -> Vec<MeanPoint> {
    by_day(issues, scope, |issue| {
        let status = issue.status.as_ref()?;
        (status.state == IssueState::Resolved).then_some(status.resolved_at?)
    })
}

/// Days without any are left out; ascending. A clock that went backwards counts as no time.
fn by_day<'a>(
    issues: impl IntoIterator<Item = &'a Issue>,
    scope: &Scope,
    moment: impl Fn(&Issue) -> Option<Timestamp>,
) -> Vec<MeanPoint> {
    let mut days: BTreeMap<Date, Mean> = BTreeMap::new();
    let counted = |issue: &&Issue| scope.holds(*issue) && !induced_by_chaos(issue);
    for issue in issues.into_iter().filter(counted) {
        if let Some(moment) = moment(issue) {
            let took = elapsed(created(issue), moment).max(0);
            days.entry(day(created(issue))).or_default().add(took);
        }
    }
    days.into_iter()
        .map(|(date, mean)| MeanPoint {
            date: date.to_string(),
            value: mean.seconds(),
            count: mean.count,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{mttd, mttr};
    use crate::{
        fixtures::{Fixture, at, incident},
        resources::{Issue, IssueState},
        rules::analytics::{Scope, worlds},
    };
    use opsdeck_api::analytics::MeanPoint;
    use proptest::prelude::*;

    fn detected(issue: Fixture<Issue>, time: &str) -> Fixture<Issue> {
        issue.with(|issue| issue.status.get_or_insert_default().detected_at = Some(at(time)))
    }

    fn ended(issue: Fixture<Issue>, time: &str) -> Fixture<Issue> {
        issue.with(|issue| issue.status.get_or_insert_default().resolved_at = Some(at(time)))
    }

    fn said(points: &[MeanPoint]) -> Vec<(&str, f64, u64)> {
        points
            .iter()
            .map(|point| (&*point.date, point.value.0, point.count))
            .collect()
    }

    fn all(issues: &[Fixture<Issue>]) -> impl Iterator<Item = &Issue> {
        issues.iter().map(|issue| &**issue)
    }

    #[test]
    fn detection_is_counted_from_creation() {
        let issues = [
            detected(incident().created("2026-09-23T23:59:00Z"), "2026-09-24T00:01:00Z"),
            detected(incident().created("2026-09-23T01:00:00Z"), "2026-09-23T01:00:30Z"),
            // Nobody noted when.
            incident().created("2026-09-23T02:00:00Z"),
            // By a clock that is behind.
            detected(incident().created("2026-09-21T12:00:00Z"), "2026-09-21T11:00:00Z"),
            detected(incident().created("2026-09-21T12:00:00Z"), "2026-09-21T12:00:05Z"),
            detected(
                incident().created("2026-09-22T12:00:00Z").raised_by_experiment("kill"),
                "2026-09-22T13:00:00Z",
            ),
        ];
        // (120 + 30 + 0) / 3 and (0 + 5) / 2.
        assert_eq!(
            said(&mttd(all(&issues), &Scope::default())),
            [("2026-09-21", 2.5, 2), ("2026-09-23", 50.0, 3)]
        );
        assert_eq!(mttd([], &Scope::default()), []);
    }

    #[test]
    fn only_what_is_resolved_was_repaired() {
        let issues = [
            ended(
                incident().created("2026-09-23T23:00:00Z").resolved(),
                "2026-09-24T00:00:00Z",
            ),
            ended(
                incident().created("2026-09-23T01:00:00Z").resolved(),
                "2026-09-23T01:30:00Z",
            ),
            incident().created("2026-09-23T02:00:00Z").resolved(),
            ended(
                incident().created("2026-09-23T03:00:00Z").state(IssueState::Contained),
                "2026-09-23T04:00:00Z",
            ),
            ended(
                incident()
                    .created("2026-09-22T12:00:00Z")
                    .resolved()
                    .raised_by_experiment("kill"),
                "2026-09-22T13:00:00Z",
            ),
        ];
        // (3600 + 1800) / 2.
        assert_eq!(
            said(&mttr(all(&issues), &Scope::default())),
            [("2026-09-23", 2700.0, 2)]
        );
    }

    #[test]
    fn a_scope_narrows() {
        let issues = [
            incident().created("2026-09-23T01:00:00Z"),
            incident().created("2026-09-23T01:00:00Z").within("edge"),
            incident().created("2026-09-24T01:00:00Z"),
        ];
        let scope = Scope {
            namespaces: vec!["shop".into()],
            to: Some(at("2026-09-23T23:00:00Z")),
            ..Scope::default()
        };
        assert_eq!(said(&mttd(all(&issues), &scope)), [("2026-09-23", 0.0, 1)]);
    }

    proptest! {
        #[test]
        fn the_days_put_together_are_the_whole(issues in worlds::incidents(), scope in worlds::scopes()) {
            let detections = mttd(all(&issues), &scope);
            let repairs = mttr(all(&issues), &scope);
            let calm = issues.iter().filter(|issue| scope.holds(&***issue) && !super::induced_by_chaos(issue)).count() as u64;
            let count = |points: &[MeanPoint]| points.iter().map(|point| point.count).sum::<u64>();
            prop_assert_eq!(count(&detections), calm);
            prop_assert!(count(&repairs) <= calm);
            for points in [&detections, &repairs] {
                prop_assert!(points.is_sorted_by(|a, b| a.date < b.date));
                prop_assert!(points.iter().all(|point| point.count > 0 && point.value.0 >= 0.0));
            }
            let reversed: Vec<&Issue> = all(&issues).collect();
            prop_assert_eq!(mttd(reversed.iter().rev().copied(), &scope), detections);
        }
    }
}
