//! How many incidents arrived when.

use super::{Scope, created, day};
use crate::resources::Issue;
use jiff::{ToSpan as _, civil::Date};
use opsdeck_api::analytics::TrendPoint;
use std::collections::BTreeMap;

/// Width of a bucket.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Bucket {
    #[default]
    Day,
    Week,
}

/// How many incidents arrived when. Buckets without any are left out; ascending.
pub fn trends<'a>(issues: impl IntoIterator<Item = &'a Issue>, bucket: Bucket, scope: &Scope) -> Vec<TrendPoint> {
    let mut buckets: BTreeMap<Date, BTreeMap<String, u64>> = BTreeMap::new();
    for issue in issues.into_iter().filter(|issue| scope.holds(*issue)) {
        let day = day(created(issue));
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

#[cfg(test)]
mod tests {
    use super::{Bucket, trends};
    use crate::{
        fixtures::incident,
        resources::Issue,
        rules::analytics::{Scope, worlds},
    };
    use proptest::prelude::*;

    #[test]
    fn arrivals_by_day_leave_empty_days_out() {
        let issues = [
            incident().created("2026-11-28T23:59:59Z").critical(),
            incident().created("2026-11-28T00:00:00Z"),
            incident().created("2026-11-26T12:00:00Z").raised_by_experiment("kill"),
        ];
        let points = trends(issues.iter().map(|issue| &**issue), Bucket::Day, &Scope::default());
        let said: Vec<_> = points.iter().map(|point| (&*point.date, point.total)).collect();
        assert_eq!(said, [("2026-11-26", 1), ("2026-11-28", 2)]);
        assert_eq!(
            points[1].by_severity,
            [("critical".to_owned(), 1), ("low".to_owned(), 1)].into()
        );
    }

    #[test]
    fn weeks_begin_where_upstream_lets_them() {
        let start = |created| {
            trends([&*incident().created(created)], Bucket::Week, &Scope::default())[0]
                .date
                .clone()
        };
        assert_eq!(start("2025-12-30T06:00:00Z"), "2026-01-01");
        assert_eq!(start("2026-11-28T10:00:00Z"), "2026-11-26");
    }

    proptest! {
        #[test]
        fn everybody_arrives_once(issues in worlds::incidents(), scope in worlds::scopes()) {
            let held = issues.iter().filter(|issue| scope.holds(&***issue)).count() as u64;
            for bucket in [Bucket::Day, Bucket::Week] {
                let points = trends(issues.iter().map(|issue| &**issue), bucket, &scope);
                prop_assert_eq!(points.iter().map(|point| point.total).sum::<u64>(), held);
                prop_assert!(points.iter().all(|point| point.total == point.by_severity.values().sum::<u64>() && point.total > 0));
                prop_assert!(points.is_sorted_by(|a, b| a.date < b.date));
            }
        }

        #[test]
        fn the_order_of_the_incidents_is_no_matter(issues in worlds::incidents()) {
            let forth: Vec<&Issue> = issues.iter().map(|issue| &**issue).collect();
            let back = forth.iter().rev().copied();
            let scope = Scope::default();
            prop_assert_eq!(trends(forth.iter().copied(), Bucket::Week, &scope), trends(back, Bucket::Week, &scope));
        }
    }
}
