//! Durations as people type them and upstream reads them: `30s`, `1h30m`, `0.5h`.

use jiff::SignedDuration;

/// Reads signed decimal numbers with units from `ns` to `h`, written together. None when it is not one, or beyond about 292 years.
pub fn parse(text: &str) -> Option<SignedDuration> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if digits == "0" {
        return Some(SignedDuration::ZERO);
    }
    let mut rest = digits;
    let mut total: i128 = 0;
    loop {
        let (nanoseconds, tail) = term(rest)?;
        total = total.checked_add(nanoseconds)?;
        rest = tail;
        if rest.is_empty() {
            break;
        }
    }
    let total = if negative { -total } else { total };
    i64::try_from(total).ok().map(SignedDuration::from_nanos)
}

/// One number with its unit, and what follows it.
fn term(text: &str) -> Option<(i128, &str)> {
    let (whole, rest) = digits(text);
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => digits(rest),
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
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
        _ => return None,
    };
    let number = |digits: &str| {
        if digits.is_empty() {
            Some(0)
        } else {
            digits.parse::<i128>().ok()
        }
    };
    // An hour has fewer nanoseconds than 10^13: what comes after that many digits is less than one of them.
    let fraction = &fraction[..fraction.len().min(18)];
    let scale = 10i128.pow(u32::try_from(fraction.len()).ok()?);
    let nanoseconds = number(whole)?
        .checked_mul(unit)?
        .checked_add(number(fraction)? * unit / scale)?;
    Some((nanoseconds, rest))
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::parse;
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
            assert_eq!(parse(text), Some(SignedDuration::from_nanos(nanoseconds)), "{text}");
        }
    }

    #[test]
    fn refuses_the_rest() {
        for text in [
            "",
            "+",
            "1",
            "1d",
            "1 h",
            "1H",
            "h",
            ".h",
            "1e3s",
            "--1s",
            "1h-5m",
            "2600000h",
            "1h.",
            "999999999999999999999999999999999999999999h",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
