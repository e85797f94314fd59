//! Moments and spans. The first rendering uses the server's clock, which travels with the page; after that the page ticks by itself, corrected by
//! the difference between the two clocks. All of it is UTC, and says so.

use crate::components::words::plural;
use crate::view;
use leptos::prelude::*;

const MINUTE: i64 = 60;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// The server's time, ticking.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    now: RwSignal<i64>,
}

// === impl Clock ===

impl Clock {
    /// Starts at the moment of rendering, so that the first rendering in the browser says what the server said.
    pub(crate) fn provide(rendered_at: i64) -> Self {
        let clock = Self {
            now: RwSignal::new(rendered_at),
        };
        provide_context(clock);
        #[cfg(not(feature = "ssr"))]
        clock.tick(rendered_at);
        clock
    }

    pub(crate) fn current() -> Self {
        expect_context()
    }

    pub(crate) fn now(self) -> i64 {
        self.now.get()
    }

    /// Without becoming dependent on it.
    pub(crate) fn at_once(self) -> i64 {
        self.now.get_untracked()
    }

    #[cfg(not(feature = "ssr"))]
    fn tick(self, rendered_at: i64) {
        // The page was rendered just before its first byte arrived: what our clock said then is what it is ahead or behind by.
        let arrived = window()
            .performance()
            .map_or_else(js_sys::Date::now, |performance| performance.timing().response_start());
        let ahead = arrived - rendered_at as f64 * 1000.0;
        let now = self.now;
        Effect::new(move || {
            let every_second = set_interval_with_handle(
                move || now.set(((js_sys::Date::now() - ahead) / 1000.0) as i64),
                std::time::Duration::from_secs(1),
            );
            on_cleanup(move || {
                if let Ok(handle) = every_second {
                    handle.clear();
                }
            });
        });
    }
}

/// How long ago, in a table or a list: `12 m`.
#[component]
pub(crate) fn Age(
    /// RFC 3339.
    #[prop(into)]
    at: String,
) -> impl IntoView {
    let clock = Clock::current();
    let Some(unix) = parse(&at) else {
        return view! { <span class="faint">"unknown"</span> };
    };
    view! { <time datetime=at title=stamp(unix)>{move || span(clock.now() - unix)}</time> }
}

/// How long ago, in a sentence: `12 m ago`.
#[component]
pub(crate) fn Ago(#[prop(into)] at: String) -> impl IntoView {
    let clock = Clock::current();
    let Some(unix) = parse(&at) else {
        return "at an unknown time".into_any();
    };
    view! {
        <time datetime=at title=stamp(unix)>
            {move || match clock.now() - unix {
                ..5 => "just now".to_owned(),
                seconds => format!("{} ago", span(seconds)),
            }}
        </time>
    }
}

/// How long until then: `4 m 12 s`, or what to say once it has passed.
#[component]
pub(crate) fn Until(#[prop(into)] at: String, passed: &'static str) -> impl IntoView {
    let clock = Clock::current();
    let Some(unix) = parse(&at) else {
        return "unknown".into_any();
    };
    view! {
        <time datetime=at title=stamp(unix)>
            {move || match unix - clock.now() {
                ..=0 => passed.to_owned(),
                seconds => fine_span(seconds),
            }}
        </time>
    }
}

/// A moment with its date and zone, and how long ago that was.
#[component]
pub(crate) fn Moment(#[prop(into)] at: String) -> impl IntoView {
    let Some(unix) = parse(&at) else {
        return view! { <span class="faint">"unknown"</span> };
    };
    view! {
        <span class="moment">
            <time datetime=at.clone()>{stamp(unix)}</time>
            " "
            <span class="faint"><Ago at=at /></span>
        </span>
    }
}

/// Unix seconds of an RFC 3339 text; a fraction is dropped.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = text.get(from..to)?;
        digits
            .bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| digits.parse().ok())?
    };
    let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if separators.into_iter().any(|(at, byte)| bytes.get(at) != Some(&byte)) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let zone = text
        .get(19..)?
        .trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    let offset = match zone.as_bytes() {
        [b'Z'] => 0,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let hours: i64 = zone.get(1..3)?.parse().ok()?;
            let minutes: i64 = zone.get(4..6)?.parse().ok()?;
            (hours * HOUR + minutes * MINUTE) * if *sign == b'-' { -1 } else { 1 }
        }
        _ => return None,
    };
    Some(days_from_civil(year, month, day) * DAY + hour * HOUR + minute * MINUTE + second - offset)
}

/// `2026-09-23T12:00:00Z`, as the API wants it.
pub(crate) fn rfc3339(unix: i64) -> String {
    format!("{}T{}Z", date(unix), time_of_day(unix))
}

/// `2026-09-23 12:00:00 UTC`, for people.
pub(crate) fn stamp(unix: i64) -> String {
    format!("{} {} UTC", date(unix), time_of_day(unix))
}

/// `2026-09-23`.
pub(crate) fn date(unix: i64) -> String {
    let (year, month, day) = civil_from_days(unix.div_euclid(DAY));
    format!("{year:04}-{month:02}-{day:02}")
}

/// `23 Sep`.
pub(crate) fn short_date(unix: i64) -> String {
    let (_, month, day) = civil_from_days(unix.div_euclid(DAY));
    format!("{day} {}", MONTHS[(month - 1) as usize])
}

/// `12:00:00`.
pub(crate) fn time_of_day(unix: i64) -> String {
    let seconds = unix.rem_euclid(DAY);
    format!("{:02}:{:02}:{:02}", seconds / HOUR, seconds / MINUTE % 60, seconds % 60)
}

/// `12:00`.
pub(crate) fn hour_and_minute(unix: i64) -> String {
    let seconds = unix.rem_euclid(DAY);
    format!("{:02}:{:02}", seconds / HOUR, seconds / MINUTE % 60)
}

/// One unit: `45 s`, `12 m`, `5 h`, `3 d`. Times to come count as now.
pub(crate) fn span(seconds: i64) -> String {
    match seconds.max(0) {
        s @ ..MINUTE => format!("{s} s"),
        s @ ..HOUR => format!("{} m", s / MINUTE),
        s @ ..DAY => format!("{} h", s / HOUR),
        s => format!("{} d", s / DAY),
    }
}

/// Two units: `4 m 12 s`, `2 h 40 m`, `1 d 3 h`.
pub(crate) fn fine_span(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let (large, small, rest) = match seconds {
        s @ ..MINUTE => return format!("{s} s"),
        s @ ..HOUR => (format!("{} m", s / MINUTE), "s", s % MINUTE),
        s @ ..DAY => (format!("{} h", s / HOUR), "m", s % HOUR / MINUTE),
        s => (format!("{} d", s / DAY), "h", s % DAY / HOUR),
    };
    if rest == 0 {
        large
    } else {
        format!("{large} {rest} {small}")
    }
}

/// Hands of a clock that runs out: `4:12`, `1:04:12`, `2 days`.
pub(crate) fn countdown(seconds: i64) -> String {
    let seconds = seconds.max(0);
    match seconds {
        s @ ..HOUR => format!("{}:{:02}", s / MINUTE, s % MINUTE),
        s if s < 2 * DAY => format!("{}:{:02}:{:02}", s / HOUR, s / MINUTE % 60, s % 60),
        s => plural((s / DAY) as u64, "day", "days"),
    }
}

/// Days since 1 January 1970 in the Gregorian calendar, counted in eras of 400 years that begin on 1 March.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::{countdown, fine_span, parse, rfc3339, short_date, span, stamp};

    #[test]
    fn reading_and_writing_agree() {
        for unix in [0, 951_782_400, 1_790_164_800, 4_107_542_399, -1] {
            assert_eq!(parse(&rfc3339(unix)), Some(unix));
        }
    }

    #[test]
    fn offsets_and_fractions_are_read() {
        assert_eq!(parse("2026-09-23T12:00:00Z"), Some(1_790_164_800));
        assert_eq!(parse("2026-09-23T14:00:00.25+02:00"), Some(1_790_164_800));
        assert_eq!(parse("2026-09-23T08:30:00-03:30"), Some(1_790_164_800));
        assert_eq!(parse("2026-09-23"), None);
        assert_eq!(parse("2026-09-23T1a:00:00Z"), None);
    }

    #[test]
    fn moments_say_their_zone() {
        assert_eq!(stamp(1_790_164_800), "2026-09-23 12:00:00 UTC");
        assert_eq!(short_date(1_790_164_800), "23 Sep");
    }

    #[test]
    fn spans_use_the_unit_that_fits() {
        assert_eq!(span(-3), "0 s");
        assert_eq!(span(59), "59 s");
        assert_eq!(span(12 * 60), "12 m");
        assert_eq!(span(26 * 3600), "1 d");
        assert_eq!(fine_span(252), "4 m 12 s");
        assert_eq!(fine_span(9_600), "2 h 40 m");
        assert_eq!(fine_span(3_600), "1 h");
    }

    #[test]
    fn a_countdown_reads_like_a_clock() {
        assert_eq!(countdown(252), "4:12");
        assert_eq!(countdown(3_852), "1:04:12");
        assert_eq!(countdown(3 * 86_400 + 5), "3 days");
    }
}
