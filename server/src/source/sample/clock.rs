//! The reference clock of the scenarios, and how far this start's clock is ahead of it.

use jiff::Timestamp;

/// A moment on the reference clock, in Unix seconds.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Moment(i64);

/// Tells what the reference clock's moments are called on the clock of this start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    ahead: i64,
}

/// Where the reference clock stands: 2026-09-23T12:00:00Z, a Wednesday.
pub(super) const NOW: Moment = Moment(1_790_164_800);

const MIDNIGHT: Moment = Moment(NOW.0 - 12 * 3600);

// === impl Moment ===

impl Moment {
    /// On the reference day.
    pub(super) const fn today(time: &str) -> Self {
        Self::days_ago(0, time)
    }

    /// That many days before the reference day, at that time (`8:50` or `8:50:07`).
    pub(super) const fn days_ago(days: i64, time: &str) -> Self {
        let seconds = seconds(time);
        let seconds = if colons(time) == 1 { seconds * 60 } else { seconds };
        Self(MIDNIGHT.0 - days * 86_400 + seconds)
    }

    /// Later by `minutes:seconds` or `hours:minutes:seconds`; `-` in front makes it earlier.
    pub(super) const fn plus(self, offset: &str) -> Self {
        Self(self.0 + seconds(offset))
    }
}

const fn seconds(text: &str) -> i64 {
    let (bytes, mut at, mut total, mut part, mut sign) = (text.as_bytes(), 0, 0, 0, 1);
    while at < bytes.len() {
        match bytes[at] {
            b'-' if at == 0 => sign = -1,
            b':' => (total, part) = ((total + part) * 60, 0),
            digit @ b'0'..=b'9' => part = part * 10 + (digit - b'0') as i64,
            _ => panic!("a time is made of digits and colons"),
        }
        at += 1;
    }
    sign * (total + part)
}

const fn colons(text: &str) -> usize {
    let (bytes, mut at, mut count) = (text.as_bytes(), 0, 0);
    while at < bytes.len() {
        if bytes[at] == b':' {
            count += 1;
        }
        at += 1;
    }
    count
}

// === impl Clock ===

impl Clock {
    pub(super) fn new(now: Timestamp) -> Self {
        Self {
            ahead: now.as_second() - NOW.0,
        }
    }

    /// Shows the reference clock's own time, which is the world's for whatever happens live.
    pub(super) const WALL: Self = Self { ahead: 0 };

    /// What the reference clock shows at that time.
    pub(super) fn moment(self, now: Timestamp) -> Moment {
        Moment(now.as_second() - self.ahead)
    }

    pub(super) fn unix(self, moment: Moment) -> i64 {
        moment.0 + self.ahead
    }

    /// RFC 3339, whole seconds.
    pub(super) fn text(self, moment: Moment) -> String {
        self.timestamp(moment).to_string()
    }

    fn timestamp(self, moment: Moment) -> Timestamp {
        Timestamp::from_second(self.unix(moment)).unwrap_or(Timestamp::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, Moment, NOW};

    #[test]
    fn the_reference_clock_is_itself() {
        let clock = Clock::new("2026-09-23T12:00:00Z".parse().unwrap());
        assert_eq!(clock.text(NOW), "2026-09-23T12:00:00Z");
        assert_eq!(clock.text(Moment::today("8:50")), "2026-09-23T08:50:00Z");
        assert_eq!(
            clock.text(Moment::days_ago(1, "9:00").plus("2:38:00")),
            "2026-09-22T11:38:00Z"
        );
        assert_eq!(clock.text(Moment::today("7:00").plus("-0:40")), "2026-09-23T06:59:20Z");
        assert_eq!(clock.unix(Moment::today("8:50")), 1_790_153_400);
    }

    #[test]
    fn a_later_start_shifts_everything() {
        let clock = Clock::new("2026-12-01T00:30:00.75Z".parse().unwrap());
        assert_eq!(clock.text(NOW), "2026-12-01T00:30:00Z");
        assert_eq!(clock.text(Moment::today("8:50")), "2026-11-30T21:20:00Z");
    }
}
