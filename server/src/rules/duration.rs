//! Durations as people type them and upstream reads them: `30s`, `1h30m`, `0.5h`.

use jiff::SignedDuration;

/// Why a text is no duration.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Unreadable {
    NoDuration,
    TooLong,
}

/// Reads signed decimal numbers with units from `ns` to `h`, written together, up to about 292 years.
pub fn parse(text: &str) -> Result<SignedDuration, Unreadable> {
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if digits == "0" {
        return Ok(SignedDuration::ZERO);
    }
    let mut rest = digits;
    let mut total: i128 = 0;
    loop {
        let (nanoseconds, tail) = term(rest)?;
        total = total.saturating_add(nanoseconds);
        rest = tail;
        if rest.is_empty() {
            break;
        }
    }
    let total = if negative { -total } else { total };
    let total = i64::try_from(total).map_err(|_| Unreadable::TooLong)?;
    Ok(SignedDuration::from_nanos(total))
}

/// One number with its unit, and what follows it. One that is too large is as large as can be.
fn term(text: &str) -> Result<(i128, &str), Unreadable> {
    let (whole, rest) = digits(text);
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => digits(rest),
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return Err(Unreadable::NoDuration);
    }
    let end = rest
        .find(|c: char| c == '.' || c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (unit, rest) = rest.split_at(end);
    let unit: i128 = match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return Err(Unreadable::NoDuration),
    };
    // Nothing but digits, so that only their number can be too much.
    let number = |digits: &str| match digits {
        "" => 0,
        digits => digits.parse().unwrap_or(i128::MAX),
    };
    // An hour has fewer nanoseconds than 10^13: what comes after that many digits is less than one of them.
    let fraction = &fraction[..fraction.len().min(18)];
    let scale = 10i128.pow(fraction.len() as u32);
    let nanoseconds = number(whole)
        .saturating_mul(unit)
        .saturating_add(number(fraction) * unit / scale);
    Ok((nanoseconds, rest))
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::{Unreadable, parse};
    use jiff::SignedDuration;

    #[test]
    fn reads_what_go_reads() {
        for (text, nanoseconds) in [
            ("1h30m", 5_400_000_000_000),
            ("0.5h", 1_800_000_000_000),
            ("+2s", 2_000_000_000),
            ("-1.5s", -1_500_000_000),
            (".5h", 1_800_000_000_000),
            ("5.h", 18_000_000_000_000),
            ("1h1h", 7_200_000_000_000),
            ("3µs2ns", 3_002),
            ("0", 0),
            ("0s", 0),
            ("0.3333333333333333333h", 1_199_999_999_999),
            ("2540400h", 9_145_440_000_000_000_000),
        ] {
            assert_eq!(parse(text), Ok(SignedDuration::from_nanos(nanoseconds)), "{text}");
        }
    }

    #[test]
    fn refuses_the_rest() {
        for text in [
            "", "+", "1", "1d", "1 h", "1H", "h", ".h", "1e3s", "--1s", "1h-5m", "1h.",
        ] {
            assert_eq!(parse(text), Err(Unreadable::NoDuration), "{text}");
        }
        for text in [
            "2600000h",
            "-2600000h",
            "2540400h2540400h",
            "999999999999999999999999999999999999999999h",
        ] {
            assert_eq!(parse(text), Err(Unreadable::TooLong), "{text}");
        }
    }
}
