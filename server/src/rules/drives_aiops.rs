//! Which Instance feeds the incident pipeline. The operator uses the first ready one that it finds and leaves no note of it, so this is a reading of traces.

use jiff::{SignedDuration, Timestamp};
use opsdeck_api::instance::DrivesAiops;

/// How old a trace may be.
pub const MEMORY: SignedDuration = SignedDuration::from_hours(24);

/// Names an Instance.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Name {
    pub namespace: String,
    pub name: String,
}

/// An Issue or insight that carries the labels of the Instance it came through.
#[derive(Clone, Debug)]
pub struct Trace {
    /// As a person would name it: `incident shop/checkout`.
    pub left_by: String,
    pub at: Timestamp,
    pub instance: Name,
}

/// What the traces and the readiness of all Instances say together.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Driver {
    /// The newest trace leads to it, and it is ready.
    Traced {
        instance: Name,
        left_by: String,
    },
    /// No trace leads to a ready one, and no other is ready.
    OnlyReady(Name),
    /// Several are ready.
    Undecided(usize),
    NoneReady,
}

// === impl Driver ===

impl Driver {
    /// `newest` is the newest trace there is, whatever its age and wherever it leads.
    pub fn find(ready: &[Name], newest: Option<&Trace>, now: Timestamp) -> Self {
        let traced = newest
            .filter(|trace| now.duration_since(trace.at) <= MEMORY)
            .filter(|trace| ready.contains(&trace.instance));
        match (traced, ready) {
            (Some(trace), _) => Self::Traced {
                instance: trace.instance.clone(),
                left_by: trace.left_by.clone(),
            },
            (None, []) => Self::NoneReady,
            (None, [only]) => Self::OnlyReady(only.clone()),
            (None, several) => Self::Undecided(several.len()),
        }
    }

    /// What that means for one Instance, and why.
    pub fn verdict(&self, instance: &Name, ready: bool) -> (DrivesAiops, String) {
        match self {
            Self::Traced { instance: it, left_by } if it == instance => (
                DrivesAiops::Yes,
                format!("It is ready, and the newest trace of the last 24 hours, {left_by}, came through it."),
            ),
            Self::Traced { instance: it, left_by } => (
                DrivesAiops::No,
                format!("The newest trace of the last 24 hours, {left_by}, came through {it}, which is ready."),
            ),
            Self::OnlyReady(it) if it == instance => (DrivesAiops::Yes, "No other Instance is ready.".into()),
            Self::OnlyReady(it) => (DrivesAiops::No, format!("Only {it} is ready.")),
            Self::Undecided(_) if !ready => (DrivesAiops::No, "It is not ready, and others are.".into()),
            Self::Undecided(count) => (
                DrivesAiops::Unknown,
                format!(
                    "{count} Instances are ready, and no trace of the last 24 hours tells which of them the operator uses."
                ),
            ),
            Self::NoneReady => (DrivesAiops::No, "No Instance is ready.".into()),
        }
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::{Driver, MEMORY, Name, Trace};
    use jiff::{Timestamp, ToSpan};
    use opsdeck_api::instance::DrivesAiops::{No, Unknown, Yes};
    use proptest::prelude::*;

    fn named(name: &str) -> Name {
        Name {
            namespace: "ops".into(),
            name: name.into(),
        }
    }

    fn now() -> Timestamp {
        "2026-09-23T12:00:00Z".parse().unwrap()
    }

    fn trace(hours: i64, name: &str) -> Trace {
        Trace {
            left_by: "incident shop/checkout".into(),
            at: now() - hours.hours(),
            instance: named(name),
        }
    }

    #[test]
    fn the_newest_trace_decides_while_it_leads_to_a_ready_one() {
        let ready = [named("a"), named("b")];
        let driver = Driver::find(&ready, Some(&trace(23, "b")), now());
        assert_eq!(driver.verdict(&named("b"), true).0, Yes);
        assert_eq!(
            driver.verdict(&named("a"), true),
            (
                No,
                "The newest trace of the last 24 hours, incident shop/checkout, came through ops/b, which is ready."
                    .into()
            )
        );
    }

    #[test]
    fn a_trace_that_is_old_or_leads_nowhere_says_nothing() {
        let ready = [named("a"), named("b")];
        for trace in [trace(25, "b"), trace(1, "gone")] {
            let driver = Driver::find(&ready, Some(&trace), now());
            assert_eq!(driver, Driver::Undecided(2));
            assert_eq!(driver.verdict(&named("a"), true).0, Unknown);
            assert_eq!(
                driver.verdict(&named("c"), false).0,
                No,
                "one that is not ready is never used"
            );
        }
    }

    #[test]
    fn the_only_ready_one_it_must_be() {
        let driver = Driver::find(&[named("a")], None, now());
        assert_eq!(driver.verdict(&named("a"), true).0, Yes);
        assert_eq!(driver.verdict(&named("b"), false), (No, "Only ops/a is ready.".into()));
        assert_eq!(
            Driver::find(&[], Some(&trace(1, "a")), now()).verdict(&named("a"), false),
            (No, "No Instance is ready.".into())
        );
    }

    proptest! {
        #[test]
        fn at_most_one_drives(ready in prop::collection::vec(any::<bool>(), 0..5), leads_to in prop::option::of(0..6usize), age in 0..30i64) {
            let all: Vec<Name> = (0..ready.len()).map(|index| named(&index.to_string())).collect();
            let ready_ones: Vec<Name> = all.iter().zip(&ready).filter(|(_, ready)| **ready).map(|(name, _)| name.clone()).collect();
            let newest = leads_to.map(|index| trace(age, &index.to_string()));
            let driver = Driver::find(&ready_ones, newest.as_ref(), now());
            let verdicts: Vec<_> = all.iter().zip(&ready).map(|(name, ready)| (driver.verdict(name, *ready).0, *ready)).collect();
            let yes = verdicts.iter().filter(|(verdict, _)| *verdict == Yes).count();
            prop_assert!(yes <= 1);
            prop_assert!(verdicts.iter().all(|(verdict, ready)| *ready || *verdict == No));
            prop_assert_eq!(yes == 0 && verdicts.iter().any(|(verdict, _)| *verdict == Unknown), matches!(driver, Driver::Undecided(_)));
            let old = age > MEMORY.as_hours();
            prop_assert!(!(old && matches!(driver, Driver::Traced { .. })), "an old trace counted");
        }
    }
}
