//! What becomes of an approval request: votes, quorum, automatic approval, change window, expiry. Who moves the stored state is not its matter.

use super::change_window::{NeverOpens, Window};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeSet;

/// Signs the approvals that a rule's own conditions gave.
pub const AUTOMATIC: &str = "auto-policy";

/// An undecided request with the rule it was raised under.
#[derive(Clone, Debug)]
pub struct Case {
    pub raised: Timestamp,
    /// Decision time: it runs while the window is open.
    pub timeout: SignedDuration,
    /// Approvals by distinct principals that it takes.
    pub required: usize,
    /// The principals that approved so far.
    pub approvals: BTreeSet<String>,
    pub rejected: bool,
    /// The rule decides by itself, and its conditions hold.
    pub automatic: bool,
    pub window: Option<Result<Window, NeverOpens>>,
}

/// What is true of an undecided request at some moment.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// It waits for votes.
    Open,
    /// It has what it needs and waits for its window.
    Held,
    Approved {
        /// By the rule's conditions, not by people.
        automatic: bool,
    },
    Rejected,
    Expired,
}

// === impl Case ===

impl Case {
    pub fn verdict(&self, now: Timestamp) -> Verdict {
        let expired = || self.deadline().is_some_and(|deadline| deadline <= now);
        if self.rejected {
            return Verdict::Rejected;
        }
        match self.approved() {
            true if self.window_open(now) => Verdict::Approved {
                automatic: !self.quorum(),
            },
            // A window that never opens would hold it for ever.
            true if matches!(self.window, Some(Err(_))) && expired() => Verdict::Expired,
            true => Verdict::Held,
            false if expired() => Verdict::Expired,
            false => Verdict::Open,
        }
    }

    /// When it expires if nothing more happens; none if it then would not, or not within a decade.
    pub fn expires_at(&self) -> Option<Timestamp> {
        let held = self.approved() && !matches!(self.window, Some(Err(_)));
        if self.rejected || held { None } else { self.deadline() }
    }

    /// The first moment after `now` at which the verdict, or whether the window is open, may change by itself.
    pub fn next_change(&self, now: Timestamp) -> Option<Timestamp> {
        let window = self.usable_window().and_then(|window| window.next_change(now));
        [window, self.expires_at()]
            .into_iter()
            .flatten()
            .filter(|moment| *moment > now)
            .min()
    }

    /// Whether an approval could take effect now; always, where the rule has no window.
    pub fn window_open(&self, now: Timestamp) -> bool {
        self.window
            .as_ref()
            .is_none_or(|window| window.as_ref().is_ok_and(|window| window.is_open(now)))
    }

    /// While the window is closed: when it opens.
    pub fn opens_at(&self, now: Timestamp) -> Option<Timestamp> {
        self.usable_window()
            .filter(|window| !window.is_open(now))?
            .opens_after(now)
    }

    fn deadline(&self) -> Option<Timestamp> {
        match self.usable_window() {
            Some(window) => window.elapsed(self.raised, self.timeout),
            None => self.raised.checked_add(self.timeout).ok(),
        }
    }

    fn usable_window(&self) -> Option<&Window> {
        self.window.as_ref()?.as_ref().ok()
    }

    fn quorum(&self) -> bool {
        self.approvals.len() >= self.required
    }

    fn approved(&self) -> bool {
        self.quorum() || self.automatic
    }
}

/// Who voted, apart from the name that was typed: the key of `name (api-key: key)`, else the name itself, in any case.
pub fn principal(approver: &str) -> String {
    let approver = approver.trim();
    let key = approver
        .strip_suffix(')')
        .and_then(|label| label.rsplit_once(" (api-key: "))
        .map(|(_, key)| key.trim());
    match key {
        Some(key) if !key.is_empty() => format!("api-key:{}", key.to_lowercase()),
        _ => approver.to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Case, Verdict, principal};
    use crate::rules::change_window::{NeverOpens, Window};
    use jiff::{SignedDuration, Timestamp, ToSpan};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    /// Scenario 4 of the preview: raised at 05:31 in Berlin, its window opens at six.
    fn night() -> Case {
        Case {
            raised: at("2026-09-23T03:30:58Z"),
            timeout: SignedDuration::from_mins(60),
            required: 1,
            approvals: BTreeSet::new(),
            rejected: false,
            automatic: false,
            window: Some(Window::new("Europe/Berlin", &["Wednesday", "Thursday"], 6, 18)),
        }
    }

    fn approved(mut case: Case, by: &[&str]) -> Case {
        case.approvals.extend(by.iter().map(|approver| principal(approver)));
        case
    }

    #[test]
    fn a_vote_at_night_takes_effect_when_the_window_opens() {
        let case = approved(night(), &["noor (api-key: oncall-noor)"]);
        let opens = at("2026-09-23T04:00:00Z");
        assert_eq!(case.verdict(opens - 1.second()), Verdict::Held);
        assert_eq!(case.opens_at(opens - 1.second()), Some(opens));
        assert_eq!(case.next_change(case.raised), Some(opens));
        assert_eq!(case.expires_at(), None);
        assert_eq!(case.verdict(opens), Verdict::Approved { automatic: false });
        assert_eq!(case.verdict(at("2026-09-27T12:00:00Z")), Verdict::Held, "however late");
    }

    #[test]
    fn the_clock_stands_still_while_it_is_closed() {
        let case = night();
        let end = at("2026-09-23T05:00:00Z");
        assert_eq!(case.expires_at(), Some(end));
        assert_eq!(case.verdict(end - 1.second()), Verdict::Open);
        assert_eq!(case.verdict(end), Verdict::Expired);
    }

    #[test]
    fn a_window_that_never_opens_blocks_and_ends_on_the_wall_clock() {
        let case = Case {
            window: Some(Err(NeverOpens::Day)),
            ..approved(night(), &["noor"])
        };
        let end = at("2026-09-23T04:30:58Z");
        assert_eq!(
            (case.verdict(end - 1.second()), case.verdict(end)),
            (Verdict::Held, Verdict::Expired)
        );
        assert_eq!((case.expires_at(), case.opens_at(case.raised)), (Some(end), None));
    }

    #[test]
    fn one_key_fills_one_seat() {
        let case = Case {
            required: 2,
            window: None,
            ..night()
        };
        let now = case.raised;
        let alone = approved(case, &["mira (api-key: sre-mira)", "Tomasz (api-key: SRE-Mira)"]);
        assert_eq!(alone.verdict(now), Verdict::Open);
        assert_eq!(
            approved(alone, &["tomasz (api-key: sre-tomasz)"]).verdict(now),
            Verdict::Approved { automatic: false }
        );
    }

    #[test]
    fn a_key_cannot_be_typed() {
        assert_eq!(principal("x (api-key: boss) (api-key: Intern)"), "api-key:intern");
        assert_eq!(principal(" Ana "), "ana");
        assert_eq!(principal("ana (api-key: )"), "ana (api-key: )");
    }

    prop_compose! {
        fn cases()(
            minutes in 0..5000i64,
            required in 1..4usize,
            voters in prop::collection::btree_set("[a-d]", 0..4),
            rejected in any::<bool>(),
            automatic in any::<bool>(),
            window in prop::option::of((0..24i32, 0..24i32)),
        ) -> Case {
            Case {
                timeout: SignedDuration::from_mins(minutes),
                required,
                approvals: voters,
                rejected,
                automatic,
                window: window.map(|(start, end)| Window::new("Europe/Berlin", &["Monday", "Wednesday", "Saturday"], start, end)),
                ..night()
            }
        }
    }

    proptest! {
        #[test]
        fn a_rejection_wins_at_any_hour(case in cases(), minutes in 0..20_000i64) {
            let now = case.raised + minutes.minutes();
            prop_assert_eq!(case.verdict(now) == Verdict::Rejected, case.rejected);
        }

        #[test]
        fn nothing_is_approved_while_the_window_is_closed(case in cases(), minutes in 0..20_000i64) {
            let now = case.raised + minutes.minutes();
            if let Verdict::Approved { automatic } = case.verdict(now) {
                prop_assert!(case.window_open(now));
                prop_assert!(automatic || case.approvals.len() >= case.required);
            }
        }

        /// Whoever looks again at every next change misses nothing.
        #[test]
        fn between_two_changes_nothing_changes(case in cases(), minutes in 0..20_000i64, share in 0.0..1.0f64) {
            let now = case.raised + minutes.minutes();
            let until = case.next_change(now).unwrap_or(now + 1000.hours());
            let between = now + SignedDuration::from_secs_f64(until.duration_since(now).as_secs_f64() * share * 0.999);
            prop_assert_eq!(case.verdict(between), case.verdict(now));
            prop_assert_eq!(case.window_open(between), case.window_open(now));
        }

        #[test]
        fn it_expires_when_it_said_and_not_before(case in cases()) {
            if let Some(end) = case.expires_at() {
                prop_assert_eq!(case.verdict(end), Verdict::Expired);
                prop_assert_ne!(case.verdict(end - 1.nanosecond()), Verdict::Expired);
            }
        }
    }
}
