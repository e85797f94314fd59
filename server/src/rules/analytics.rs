//! Figures over whole kinds. Upstream's formulas, but within a namespace, and joined by namespace and name. One file per figure; here is
//! what they share: which objects count, and how means are made.

mod capacity;
mod compliance;
mod cost;
mod mean_times;
mod period;
mod remediation;
mod summary;
mod top_resources;
mod trends;
#[cfg(test)]
mod worlds;

pub use capacity::{DAYS_OF_CAPACITY, capacity};
pub use compliance::{DAYS_OF_COMPLIANCE, Records, compliance};
pub use cost::{DAYS_OF_COST, cost, next_change_of_cost};
pub use mean_times::{mttd, mttr};
pub use period::Period;
pub use remediation::remediation_stats;
pub use summary::{Objects, summary};
pub use top_resources::top_resources;
pub use trends::{Bucket, trends};

use crate::resources::{Issue, Typed};
use jiff::{Timestamp, civil::Date, tz::TimeZone};
use opsdeck_api::Number;

const SOURCE: &str = "platform.chatcli.io/source";
const CHAOS: &str = "chaos-experiment";

/// Which objects count.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Scope {
    /// Any of these; all when there are none.
    pub namespaces: Vec<String>,
    /// Both ends included.
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
}

/// Of spans of time, summed exactly: the order in which they come is no matter.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    nanoseconds: i128,
    count: u64,
}

/// How much time passed, in nanoseconds; less than nothing when it went the other way.
fn elapsed(from: Timestamp, to: Timestamp) -> i128 {
    to.as_nanosecond() - from.as_nanosecond()
}

/// Go's zero time where there is none, as upstream compares it.
fn created(object: &impl Typed) -> Timestamp {
    object.created().unwrap_or(Timestamp::constant(-62_135_596_800, 0))
}

fn day(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}

/// Its cause was an experiment.
fn induced_by_chaos(issue: &Issue) -> bool {
    issue.label(SOURCE) == Some(CHAOS)
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

// === impl Mean ===

impl Mean {
    fn add(&mut self, nanoseconds: i128) {
        self.nanoseconds += nanoseconds;
        self.count += 1;
    }

    fn merge(&mut self, other: Self) {
        self.nanoseconds += other.nanoseconds;
        self.count += other.count;
    }

    /// 0 of nothing.
    fn seconds(self) -> Number {
        const SECOND: i128 = 1_000_000_000;
        if self.count == 0 {
            return Number(0.0);
        }
        // Whole seconds apart: together with the rest they would be more digits than a float has.
        let (whole, rest) = (self.nanoseconds / SECOND, self.nanoseconds % SECOND);
        Number((whole as f64 + rest as f64 / SECOND as f64) / self.count as f64)
    }

    /// 0 of nothing; towards 0.
    fn nanoseconds(self) -> i64 {
        let mean = self.nanoseconds.checked_div(self.count.into()).unwrap_or(0);
        mean.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::{Mean, Scope, worlds};
    use crate::{fixtures::at, fixtures::incident};
    use opsdeck_api::Number;
    use proptest::prelude::*;

    #[test]
    fn both_ends_of_the_time_are_in() {
        let scope = Scope {
            from: Some(at("2026-09-01T00:00:00Z")),
            to: Some(at("2026-09-02T00:00:00Z")),
            ..Scope::default()
        };
        let held = |created| scope.holds(&*incident().created(created));
        assert_eq!(
            [
                "2026-08-31T23:59:59Z",
                "2026-09-01T00:00:00Z",
                "2026-09-02T00:00:00Z",
                "2026-09-02T00:00:01Z"
            ]
            .map(held),
            [false, true, true, false]
        );
    }

    #[test]
    fn a_mean_of_nothing_is_nothing() {
        let mean = Mean::default();
        assert_eq!((mean.seconds(), mean.nanoseconds()), (Number(0.0), 0));
    }

    #[test]
    fn a_mean_is_in_seconds_or_in_nanoseconds() {
        let mut mean = Mean::default();
        mean.add(1_000_000_000);
        mean.add(1_500_000_000);
        mean.add(0);
        assert_eq!(mean.nanoseconds(), 833_333_333, "cut, not rounded");
        assert_eq!(mean.seconds(), Number(2.5 / 3.0));
        let mut ages = Mean::default();
        ages.add(i128::from(i64::MAX) * 7);
        assert_eq!(ages.nanoseconds(), i64::MAX);
    }

    proptest! {
        #[test]
        fn namespaces_share_the_objects_out(issues in worlds::incidents(), scope in worlds::scopes()) {
            let count = |scope: &Scope| issues.iter().filter(|issue| scope.holds(&***issue)).count();
            let within = |namespaces: &[&str]| count(&Scope {
                namespaces: namespaces.iter().map(|name| (*name).to_owned()).collect(),
                ..scope.clone()
            });
            prop_assert_eq!(within(&["shop"]) + within(&["edge"]), within(&[]));
            prop_assert_eq!(within(&["shop", "edge", "shop"]), within(&[]));
            prop_assert_eq!(within(&["nowhere"]), 0);
        }
    }
}
