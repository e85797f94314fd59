//! The time that a report is about when nobody says it whole: so many days that end now. Such a report changes as time passes, and this
//! knows when.

use super::{Scope, created};
use crate::resources::{Typed, moment::written_exactly};
use jiff::{SignedDuration, Timestamp};
use opsdeck_api::analytics;

const NANOSECOND: SignedDuration = SignedDuration::from_nanos(1);

/// Both ends included. An end that nobody gave moves on with the clock.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Period {
    pub start: Timestamp,
    pub end: Timestamp,
    start_moves: bool,
    end_moves: bool,
}

// === impl Period ===

impl Period {
    /// From and to as given; up to now from what is given; so many days up to what is given; so many days up to now.
    pub fn of(scope: &Scope, days: i64, now: Timestamp) -> Self {
        let length = SignedDuration::from_hours(24 * days);
        let end = scope.to.unwrap_or(now);
        Self {
            start: scope.from.unwrap_or_else(|| before(end, length)),
            end,
            start_moves: scope.from.is_none() && scope.to.is_none(),
            end_moves: scope.to.is_none(),
        }
    }

    /// As long as from `from` to `to`, else so many days; up to now in any case.
    pub fn until_now(scope: &Scope, days: i64, now: Timestamp) -> Self {
        let length = match (scope.from, scope.to) {
            (Some(from), Some(to)) => to.duration_since(from),
            _ => SignedDuration::from_hours(24 * days),
        };
        Self {
            start: before(now, length),
            end: now,
            start_moves: true,
            end_moves: true,
        }
    }

    pub fn holds(&self, at: Timestamp) -> bool {
        self.start <= at && at <= self.end
    }

    /// The objects of the scope's namespaces that were made in this period.
    pub(super) fn of_objects(&self, scope: &Scope) -> Scope {
        Scope {
            namespaces: scope.namespaces.clone(),
            from: Some(self.start),
            to: Some(self.end),
        }
    }

    /// When the first of these objects comes into the period or leaves it by the passing of time alone.
    pub fn next_change<'a, K: Typed>(
        &self,
        objects: impl IntoIterator<Item = &'a K>,
        scope: &Scope,
    ) -> Option<Timestamp> {
        self.next_change_at(
            (objects.into_iter())
                .filter(|object| scope.covers(*object))
                .map(|object| created(object)),
        )
    }

    /// The same for things that happened at these times.
    pub(super) fn next_change_at(&self, times: impl Iterator<Item = Timestamp>) -> Option<Timestamp> {
        if !self.end_moves {
            return None;
        }
        let length = self.end.duration_since(self.start);
        let change = |at: Timestamp| {
            if at > self.end {
                let arrives = self.end_moves
                    && (if self.start_moves {
                        !length.is_negative()
                    } else {
                        self.start <= at
                    });
                arrives.then_some(at)
            } else if at >= self.start && self.start_moves {
                at.checked_add(length).ok()?.checked_add(NANOSECOND).ok()
            } else {
                None
            }
        };
        times.filter_map(change).min()
    }

    /// As a report says it: exactly, so that asking for these times brings the same report.
    pub(super) fn stamp(&self) -> analytics::Period {
        analytics::Period {
            start: written_exactly(self.start),
            end: written_exactly(self.end),
        }
    }
}

fn before(end: Timestamp, length: SignedDuration) -> Timestamp {
    end.checked_sub(length).unwrap_or(if length.is_negative() {
        Timestamp::MAX
    } else {
        Timestamp::MIN
    })
}

#[cfg(test)]
mod tests {
    use super::Period;
    use crate::{
        fixtures::{at, incident, noon},
        resources::moment,
        rules::analytics::{Scope, worlds},
    };
    use jiff::{SignedDuration, Timestamp, ToSpan as _};
    use proptest::prelude::*;

    fn scope(from: Option<&str>, to: Option<&str>) -> Scope {
        Scope {
            from: from.map(at),
            to: to.map(at),
            ..Scope::default()
        }
    }

    #[test]
    fn what_is_not_given_follows_from_the_rest_and_from_now() {
        let (early, late) = ("2026-08-01T00:00:00Z", "2026-08-15T00:00:00Z");
        for (from, to, start, end) in [
            (None, None, "2026-09-16T12:00:00Z", "2026-09-23T12:00:00Z"),
            (Some(early), None, early, "2026-09-23T12:00:00Z"),
            (None, Some(late), "2026-08-08T00:00:00Z", late),
            (Some(early), Some(late), early, late),
            (Some(late), Some(early), late, early),
        ] {
            let period = Period::of(&scope(from, to), 7, noon());
            assert_eq!((period.start, period.end), (at(start), at(end)), "{from:?} {to:?}");
        }
    }

    #[test]
    fn a_period_is_told_in_times_that_every_client_reads() {
        let scope = Scope {
            from: moment::read("0000-01-01T00:00:00+02:00"),
            to: moment::read("9999-12-31T23:59:59Z"),
            ..Scope::default()
        };
        let stamp = Period::of(&scope, 7, noon()).stamp();
        assert_eq!(
            (&*stamp.start, &stamp.end[..20]),
            ("0000-01-01T00:00:00Z", "9999-12-30T22:00:00.")
        );
        let dawn = Scope {
            to: moment::read("0000-01-02T00:00:00Z"),
            ..Scope::default()
        };
        assert_eq!(Period::of(&dawn, 7, noon()).stamp().start, "0000-01-01T00:00:00Z");
    }

    #[test]
    fn some_reports_end_now_whatever_is_asked() {
        let asked = scope(Some("2026-08-01T00:00:00Z"), Some("2026-08-15T00:00:00Z"));
        let period = Period::until_now(&asked, 7, noon());
        assert_eq!((period.start, period.end), (at("2026-09-09T12:00:00Z"), noon()));
        for half in [
            scope(asked.from.map(|_| "2026-08-01T00:00:00Z"), None),
            Scope::default(),
        ] {
            assert_eq!(Period::until_now(&half, 7, noon()).start, at("2026-09-16T12:00:00Z"));
        }
    }

    #[test]
    fn the_ends_of_time_are_no_trouble() {
        let dawn = Scope {
            from: Some(Timestamp::MIN),
            to: Some(Timestamp::MAX),
            ..Scope::default()
        };
        assert_eq!(Period::until_now(&dawn, 7, noon()).start, Timestamp::MIN);
        let backwards = Scope {
            from: dawn.to,
            to: dawn.from,
            ..Scope::default()
        };
        let period = Period::until_now(&backwards, 7, noon());
        assert!(!period.holds(noon()) && period.start == Timestamp::MAX);
        let first = Scope {
            to: Some(Timestamp::MIN),
            ..Scope::default()
        };
        assert_eq!(Period::of(&first, 7, noon()).start, Timestamp::MIN);
        let old = incident().with(|issue| issue.metadata.creation_timestamp = None);
        assert_eq!(
            Period::of(&Scope::default(), 7, noon()).next_change([&*old], &Scope::default()),
            None
        );
    }

    #[test]
    fn an_object_leaves_just_after_the_last_moment_that_holds_it() {
        let issue = incident().created("2026-09-20T00:00:00Z");
        let change = |scope: &Scope, now| Period::of(scope, 7, now).next_change([&*issue], scope);
        let leaves = at("2026-09-27T00:00:00Z") + 1.nanosecond();
        assert_eq!(change(&Scope::default(), noon()), Some(leaves));
        assert_eq!(change(&Scope::default(), leaves), None, "it is gone for good");
        let arrives = at("2026-09-20T00:00:00Z");
        assert_eq!(
            change(&Scope::default(), arrives - 1.hour()),
            Some(arrives),
            "clocks differ"
        );
        let from = scope(Some("2026-09-01T00:00:00Z"), None);
        assert_eq!(change(&from, noon()), None, "the start stands still");
        let to = scope(None, Some("2026-09-22T00:00:00Z"));
        assert_eq!(change(&to, noon()), None, "a period with an end is over");
        let elsewhere = Scope {
            namespaces: vec!["edge".into()],
            ..Scope::default()
        };
        assert_eq!(change(&elsewhere, noon()), None);
    }

    proptest! {
        /// The law that entity tags rest on.
        #[test]
        fn nothing_comes_or_goes_before_the_next_change(
            issues in worlds::incidents(), scope in worlds::scopes(), until_now in any::<bool>(), share in 0.0..1.0f64,
        ) {
            let period = |now| if until_now { Period::until_now(&scope, 7, now) } else { Period::of(&scope, 7, now) };
            let held = |now| -> Vec<String> {
                let during = period(now).of_objects(&scope);
                let held = issues.iter().filter(|issue| during.holds(&***issue));
                held.map(|issue| format!("{:?}", issue.metadata)).collect()
            };
            let next = period(noon()).next_change(issues.iter().map(|issue| &**issue), &scope);
            prop_assert!(next.is_none_or(|next| next > noon()));
            let horizon = next.map_or(noon() + 4000.hours(), |next| next - 1.nanosecond());
            let length = horizon.duration_since(noon());
            let between = noon() + SignedDuration::from_secs((length.as_secs_f64() * share) as i64);
            prop_assert_eq!(held(noon()), held(between));
            prop_assert_eq!(held(noon()), held(horizon));
            if let Some(next) = next {
                prop_assert_ne!(held(noon()), held(next), "a change that changes nothing");
            }
        }

        #[test]
        fn a_stamped_period_asks_for_itself(scope in worlds::scopes(), later in 0..1000i64) {
            let period = Period::of(&scope, 7, noon() + 1.nanosecond());
            let stamp = period.stamp();
            let again = Scope { from: Some(at(&stamp.start)), to: Some(at(&stamp.end)), ..scope };
            prop_assert_eq!(Period::of(&again, 7, noon() + later.hours()).stamp(), stamp);
        }
    }
}
