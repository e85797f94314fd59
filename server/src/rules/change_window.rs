//! Change windows: when an approval may take effect. Whole hours of a time zone's days; daylight saving moves them with the wall clock.

use jiff::{SignedDuration, Timestamp, civil::Date, civil::Weekday, tz::TimeZone};

/// A window that does open at times.
#[derive(Clone, Debug)]
pub struct Window {
    zone: TimeZone,
    /// One bit a weekday, Monday first.
    days: u8,
    start: i8,
    end: i8,
}

/// One opening: from `opens` (inclusive) to `closes` (exclusive).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Opening {
    pub opens: Timestamp,
    pub closes: Timestamp,
}

/// Why a window can never open. No approval takes effect in such a window.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum NeverOpens {
    #[error("unknown time zone {0:?}")]
    Zone(String),
    #[error("no valid day is allowed")]
    Day,
    #[error("the hours {0} to {1} leave no time")]
    Hours(i32, i32),
}

/// About eleven years of daily openings: what lies beyond is never, as far as a person is concerned.
const HORIZON: usize = 4096;

// === impl Window ===

impl Window {
    /// Days by their full English names in any case, as upstream reads them; others are ignored.
    pub fn new<D: AsRef<str>>(zone: &str, days: &[D], start: i32, end: i32) -> Result<Self, NeverOpens> {
        let zone = match zone {
            "" | "Local" => TimeZone::UTC,
            name => TimeZone::get(name).map_err(|_| NeverOpens::Zone(name.to_owned()))?,
        };
        let hour = |hour: i32| i8::try_from(hour).ok().filter(|hour| (0..=23).contains(hour));
        let (start, end) = match (hour(start), hour(end)) {
            (Some(start), Some(end)) if start != end => (start, end),
            _ => return Err(NeverOpens::Hours(start, end)),
        };
        let days = days
            .iter()
            .filter_map(|day| weekday(day.as_ref()))
            .fold(0, |days, day| days | bit(day));
        if days == 0 {
            return Err(NeverOpens::Day);
        }
        Ok(Self { zone, days, start, end })
    }

    pub fn is_open(&self, at: Timestamp) -> bool {
        self.openings(at).next().is_some_and(|opening| opening.opens <= at)
    }

    /// When the window, closed at that moment, opens next.
    pub fn opens_after(&self, at: Timestamp) -> Option<Timestamp> {
        self.openings(at).map(|opening| opening.opens).find(|opens| *opens > at)
    }

    /// The first moment from then on at which it opens or closes.
    pub fn next_change(&self, at: Timestamp) -> Option<Timestamp> {
        let opening = self.openings(at).next()?;
        Some(if opening.opens > at {
            opening.opens
        } else {
            opening.closes
        })
    }

    /// The moment at which it has been open for that long since `from`; none if that lies more than a decade ahead.
    pub fn elapsed(&self, from: Timestamp, mut time: SignedDuration) -> Option<Timestamp> {
        if time <= SignedDuration::ZERO {
            return Some(from);
        }
        for opening in self.openings(from).take(HORIZON) {
            let opens = opening.opens.max(from);
            let length = opening.closes.duration_since(opens);
            if time <= length {
                return opens.checked_add(time).ok();
            }
            time -= length;
        }
        None
    }

    /// The openings that end after that moment, in order of time.
    pub fn openings(&self, after: Timestamp) -> impl Iterator<Item = Opening> + '_ {
        // One that spans midnight belongs to the day on which it opens, so the first may be yesterday's.
        let today = after.to_zoned(self.zone.clone()).date();
        let first = today.yesterday().unwrap_or(today);
        std::iter::successors(Some(first), |day| day.tomorrow().ok())
            .filter(|day| self.days & bit(day.weekday()) != 0)
            .filter_map(|day| self.opening(day))
            .filter(move |opening| opening.closes > after)
    }

    /// None where the clock jumps over the whole of it.
    fn opening(&self, day: Date) -> Option<Opening> {
        let last = if self.start < self.end {
            day
        } else {
            day.tomorrow().ok()?
        };
        let at = |day: Date, hour| {
            self.zone
                .to_ambiguous_timestamp(day.at(hour, 0, 0, 0))
                .compatible()
                .ok()
        };
        let (opens, closes) = (at(day, self.start)?, at(last, self.end)?);
        (opens < closes).then_some(Opening { opens, closes })
    }
}

fn bit(day: Weekday) -> u8 {
    1 << day.to_monday_zero_offset()
}

fn weekday(name: &str) -> Option<Weekday> {
    const NAMES: [&str; 7] = [
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
    ];
    let offset = NAMES.iter().position(|day| day.eq_ignore_ascii_case(name))?;
    Weekday::from_monday_zero_offset(i8::try_from(offset).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::{NeverOpens, Window, bit, weekday};
    use jiff::{SignedDuration, Timestamp, ToSpan, tz::TimeZone};
    use proptest::prelude::*;

    const WORKDAYS: [&str; 5] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"];

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn berlin(start: i32, end: i32) -> Window {
        Window::new("Europe/Berlin", &WORKDAYS, start, end).unwrap()
    }

    #[test]
    fn the_first_hour_is_in_and_the_last_is_out() {
        let window = berlin(6, 18);
        assert!(!window.is_open(at("2026-09-23T03:59:59Z")));
        assert!(window.is_open(at("2026-09-23T04:00:00Z")));
        assert!(window.is_open(at("2026-09-23T15:59:59Z")));
        assert!(!window.is_open(at("2026-09-23T16:00:00Z")));
        assert_eq!(
            window.opens_after(at("2026-09-25T16:00:00Z")),
            Some(at("2026-09-28T04:00:00Z")),
            "over the week-end"
        );
    }

    #[test]
    fn a_night_belongs_to_the_day_on_which_it_begins() {
        let window = Window::new("UTC", &["friday"], 22, 6).unwrap();
        assert!(
            !window.is_open(at("2026-09-25T05:00:00Z")),
            "Thursday's night is not Friday's"
        );
        assert!(window.is_open(at("2026-09-25T22:00:00Z")));
        assert!(
            window.is_open(at("2026-09-26T05:59:59Z")),
            "Saturday morning is still Friday's night"
        );
        assert!(!window.is_open(at("2026-09-26T22:00:00Z")));
    }

    #[test]
    fn what_can_never_open_says_why() {
        assert_eq!(
            Window::new("Europe/Atlantis", &WORKDAYS, 6, 18).unwrap_err(),
            NeverOpens::Zone("Europe/Atlantis".into())
        );
        assert_eq!(
            Window::new("UTC", &["Mon", "someday"], 6, 18).unwrap_err(),
            NeverOpens::Day
        );
        assert_eq!(
            Window::new("UTC", &WORKDAYS, 6, 6).unwrap_err(),
            NeverOpens::Hours(6, 6)
        );
        assert_eq!(
            Window::new("UTC", &WORKDAYS, 6, 24).unwrap_err(),
            NeverOpens::Hours(6, 24)
        );
    }

    #[test]
    fn time_counts_only_while_it_is_open() {
        let hour = SignedDuration::from_hours(1);
        assert_eq!(
            berlin(6, 18).elapsed(at("2026-09-23T03:31:00Z"), hour),
            Some(at("2026-09-23T05:00:00Z"))
        );
        assert_eq!(
            berlin(6, 18).elapsed(at("2026-09-25T15:30:00Z"), hour),
            Some(at("2026-09-28T04:30:00Z"))
        );
        assert_eq!(
            berlin(6, 18).elapsed(at("2026-09-25T15:00:00Z"), hour),
            Some(at("2026-09-25T16:00:00Z"))
        );
        assert_eq!(berlin(6, 7).elapsed(at("2026-09-25T15:00:00Z"), hour * 100_000), None);
    }

    #[test]
    fn the_wall_clock_rules_on_the_days_it_is_changed() {
        let window = Window::new("Europe/Berlin", &["Sunday"], 1, 4).unwrap();
        let length = |from: &str| {
            let opening = window.openings(at(from)).next().unwrap();
            opening.closes.duration_since(opening.opens).as_hours()
        };
        assert_eq!(length("2026-03-28T12:00:00Z"), 2, "an hour is lost in spring");
        assert_eq!(length("2026-10-24T12:00:00Z"), 4, "and found in autumn");
        let lost = Window::new("Europe/Berlin", &["Sunday"], 2, 3).unwrap();
        assert_eq!(
            lost.opens_after(at("2026-03-28T12:00:00Z")),
            Some(at("2026-04-05T00:00:00Z")),
            "2 o'clock did not happen"
        );
    }

    prop_compose! {
        fn windows()(
            zone in prop::sample::select(vec![
                "UTC", "Europe/Berlin", "America/New_York", "America/Santiago", "Africa/Cairo", "Asia/Kolkata", "Australia/Lord_Howe",
            ]),
            days in prop::sample::subsequence(&WORKDAYS[..], 1..=5),
            sunday in any::<bool>(),
            start in 0..24i32,
            length in 1..24i32,
        ) -> (&'static str, Vec<&'static str>, i32, i32) {
            let days = days.into_iter().chain(sunday.then_some("Sunday")).collect();
            (zone, days, start, (start + length) % 24)
        }
    }

    proptest! {
        /// The other way to say it: look at the wall clock and the calendar of the zone.
        #[test]
        fn open_means_that_the_wall_clock_says_so((zone, days, start, end) in windows(), second in 1_577_836_800i64..1_956_528_000) {
            let window = Window::new(zone, &days, start, end).unwrap();
            let now = Timestamp::from_second(second).unwrap();
            let local = now.to_zoned(TimeZone::get(zone).unwrap()).datetime();
            let (hour, today) = (i32::from(local.hour()), local.date());
            let opened = if start < end || hour >= start { today } else { today.yesterday().unwrap() };
            let hours = if start < end { start <= hour && hour < end } else { hour >= start || hour < end };
            let allowed = days.iter().filter_map(|day| weekday(day)).any(|day| bit(day) == bit(opened.weekday()));
            prop_assert_eq!(window.is_open(now), hours && allowed);
        }

        #[test]
        fn openings_are_apart_and_in_order((zone, days, start, end) in windows(), second in 1_577_836_800i64..1_956_528_000) {
            let window = Window::new(zone, &days, start, end).unwrap();
            let now = Timestamp::from_second(second).unwrap();
            let openings: Vec<_> = window.openings(now).take(20).collect();
            prop_assert!(openings[0].closes > now);
            prop_assert!(openings.iter().all(|opening| opening.opens < opening.closes));
            prop_assert!(openings.windows(2).all(|pair| pair[0].closes < pair[1].opens));
            let change = window.next_change(now).unwrap();
            prop_assert!(window.is_open(change) != window.is_open(change - 1.nanosecond()));
        }

        #[test]
        fn elapsed_is_where_the_open_time_adds_up((zone, days, start, end) in windows(), second in 1_577_836_800i64..1_956_528_000, minutes in 1..5000i64) {
            let window = Window::new(zone, &days, start, end).unwrap();
            let from = Timestamp::from_second(second).unwrap();
            let end = window.elapsed(from, SignedDuration::from_mins(minutes)).unwrap();
            let open: SignedDuration = window
                .openings(from)
                .take_while(|opening| opening.opens < end)
                .map(|opening| opening.closes.min(end).duration_since(opening.opens.max(from)))
                .fold(SignedDuration::ZERO, |sum, length| sum + length);
            prop_assert_eq!(open, SignedDuration::from_mins(minutes));
        }
    }
}
