//! Quantities as Kubernetes writes them (`250m`, `1.5Gi`, `2e3`), as whole numbers.

/// In thousandths, as processors are counted. Rounded away from 0; none where the text is no quantity.
pub fn thousandths(text: &str) -> Option<i64> {
    scaled(text, 3)
}

/// In units, as memory is counted. Rounded away from 0; none where the text is no quantity.
pub fn units(text: &str) -> Option<i64> {
    scaled(text, 0)
}

/// So many times a power of ten. What is too large for 64 bits is the largest number that is not.
fn scaled(text: &str, power: i32) -> Option<i64> {
    let (negative, text) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let (ten, thousand_and_24) = magnitude(suffix)?;
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some(0);
    }
    let power = ten
        .saturating_add(power)
        .saturating_sub(i32::try_from(fraction.len()).ok()?);
    let shift = |digits: u128| {
        let digits = digits.checked_mul(1024u128.pow(thousand_and_24))?;
        match (u32::try_from(power), 10u128.checked_pow(power.unsigned_abs())) {
            (Ok(_), by) => digits.checked_mul(by?),
            (Err(_), Some(by)) => Some(digits.div_ceil(by)),
            (Err(_), None) => Some(1),
        }
    };
    // Nobody writes more digits than 128 bits hold.
    let size = shift(digits.parse().ok()?).map_or(i64::MAX, |size| i64::try_from(size).unwrap_or(i64::MAX));
    Some(if negative { -size } else { size })
}

/// A suffix as powers of 10 and of 1024.
fn magnitude(suffix: &str) -> Option<(i32, u32)> {
    Some(match suffix {
        "" => (0, 0),
        "n" => (-9, 0),
        "u" => (-6, 0),
        "m" => (-3, 0),
        "k" => (3, 0),
        "M" => (6, 0),
        "G" => (9, 0),
        "T" => (12, 0),
        "P" => (15, 0),
        "E" => (18, 0),
        "Ki" => (0, 1),
        "Mi" => (0, 2),
        "Gi" => (0, 3),
        "Ti" => (0, 4),
        "Pi" => (0, 5),
        "Ei" => (0, 6),
        _ => (suffix.strip_prefix(['e', 'E'])?.parse().ok()?, 0),
    })
}

#[cfg(test)]
mod tests {
    use super::{thousandths, units};
    use proptest::prelude::*;

    #[test]
    fn processors_are_counted_in_thousandths() {
        for (text, expected) in [
            ("250m", 250),
            ("1", 1000),
            ("0.1", 100),
            ("1.5", 1500),
            (".5", 500),
            ("2.", 2000),
            ("+1", 1000),
            ("100u", 1),
            ("1n", 1),
            ("1e-3", 1),
            ("2k", 2_000_000),
            ("0", 0),
            ("-250m", -250),
        ] {
            assert_eq!(thousandths(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn memory_is_counted_in_bytes() {
        for (text, expected) in [
            ("512Mi", 536_870_912),
            ("1Gi", 1_073_741_824),
            ("1.5Ki", 1536),
            ("128974848", 128_974_848),
            ("129e6", 129_000_000),
            ("129E6", 129_000_000),
            ("2E", 2_000_000_000_000_000_000),
            ("7Ei", 8_070_450_532_247_928_832),
            ("100m", 1),
            ("1001m", 2),
            ("0.0000", 0),
            ("000000000000000000000000000000000000000000000001", 1),
        ] {
            assert_eq!(units(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_too_large_is_as_large_as_can_be() {
        for text in ["8Ei", "1e400", "99999999999999999999", "1e2147483647"] {
            assert_eq!(
                (units(text), thousandths(text)),
                (Some(i64::MAX), Some(i64::MAX)),
                "{text}"
            );
        }
        assert_eq!(units("1e-2147483648"), Some(1));
        assert_eq!(thousandths("0e2147483647"), Some(0));
    }

    #[test]
    fn other_texts_are_no_quantities() {
        for text in [
            "",
            ".",
            "+",
            "-",
            "m",
            "1.2.3",
            "1 Gi",
            "1gi",
            "1K",
            "1e",
            "1e1.5",
            "1mi",
            "0x10",
            "--1",
            "1GiB",
            "one",
            "1µ",
            "1e99999999999",
        ] {
            assert_eq!((units(text), thousandths(text)), (None, None), "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_same_quantity_may_be_written_in_several_ways(count in 0..1_000_000i64) {
            prop_assert_eq!(thousandths(&format!("{count}m")), Some(count));
            prop_assert_eq!(thousandths(&format!("{}.{:03}", count / 1000, count % 1000)), Some(count));
            prop_assert_eq!(units(&format!("{count}Ki")), units(&(count * 1024).to_string()));
            prop_assert_eq!(units(&format!("{count}e3")), units(&format!("{count}k")));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[-+]?[0-9.]{0,50}[numkKMGTPEei0-9+-]{0,12}") {
            if let Some(size) = units(&text) {
                prop_assert!(size == 0 || (size < 0) == text.starts_with('-'));
            }
        }
    }
}
