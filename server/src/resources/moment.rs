//! Moments as text: read over the whole range that RFC 3339 has years for, and written so that every client reads them.
//! Which members hold moments is said by the types of the kinds.

use jiff::Timestamp;
use serde::{
    Deserialize as _, Deserializer,
    de::{DeserializeOwned, Error as _},
};
use serde_json::Value;
use std::borrow::Cow;

/// The first moment of year 0, the earliest that can be written without a sign.
const FIRST: Timestamp = Timestamp::constant(-62_167_219_200, 0);

/// Moments that are looked at closely in one object. Beyond, all that look like one count as one.
const MOST_FAR: usize = 64;

/// The moment that a text names. One beyond those that can be reckoned with counts as the last or the first of these:
/// "the end of 9999" is how many say "never".
pub fn read(text: &str) -> Option<Timestamp> {
    match text.parse() {
        Ok(at) => Some(FIRST.max(at)),
        Err(_) => is_past_the_last(text).then_some(Timestamp::MAX),
    }
}

/// RFC 3339 in whole seconds and UTC, as upstream and its readers write times.
pub fn written(at: Timestamp) -> String {
    FIRST.max(at).strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// RFC 3339 in UTC with whatever fraction it has.
pub fn written_exactly(at: Timestamp) -> String {
    FIRST.max(at).to_string()
}

/// As `read`, for members of what is read by serde.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    let text = Option::<Cow<'de, str>>::deserialize(deserializer)?;
    text.map(|text| read(&text).ok_or_else(|| D::Error::custom("is not an RFC 3339 time")))
        .transpose()
}

/// What stands for a text that names a moment beyond; none where it is no moment, or one that can be reckoned with.
fn nearest(text: &str) -> Option<String> {
    let before_the_first = || {
        ["0000-01-01", "-"].iter().any(|start| text.starts_with(start))
            && text.parse().is_ok_and(|at: Timestamp| at < FIRST)
    };
    (is_past_the_last(text) || before_the_first()).then(|| read(text).map(written_exactly))?
}

/// A moment beyond those that can be reckoned with becomes the nearest, where the type holds a moment: there it refuses an empty text.
/// Elsewhere a text stays as it is, because it is passed on word for word.
pub(super) fn bring_near<T: DeserializeOwned>(value: &mut Value) {
    if !has_far(value) {
        return;
    }
    let mut far = Vec::new();
    replace_far(value, "", &mut far);
    for (pointer, text) in far.into_iter().take(MOST_FAR) {
        let put = |value: &mut Value, text: &str| {
            value
                .pointer_mut(&pointer)
                .map_or(Value::Null, |slot| std::mem::replace(slot, text.into()))
        };
        let near = put(value, "");
        if T::deserialize(&*value).is_ok() {
            put(value, &text);
        } else {
            put(value, near.as_str().unwrap_or_default());
        }
    }
}

fn has_far(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.values().any(has_far),
        Value::Array(items) => items.iter().any(has_far),
        Value::String(text) => nearest(text).is_some(),
        _ => false,
    }
}

/// Puts the nearest moment in place of each that is beyond, and notes what stood where, as a JSON pointer.
fn replace_far(value: &mut Value, at: &str, far: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                replace_far(member, &format!("{at}/{name}"), far);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                replace_far(item, &format!("{at}/{index}"), far);
            }
        }
        Value::String(text) => {
            if let Some(near) = nearest(text) {
                far.push((at.to_owned(), std::mem::replace(text, near)));
            }
        }
        _ => {}
    }
}

/// The last hours of year 9999, which are moments in the year before.
fn is_past_the_last(text: &str) -> bool {
    let in_9998 = || {
        let rest = text.strip_prefix("9999-12-3")?;
        format!("9998-12-3{rest}").parse::<Timestamp>().ok()
    };
    in_9998().is_some() && text.parse::<Timestamp>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_end_of_9999_is_a_moment() {
        for text in [
            "9999-12-31T23:59:59Z",
            "9999-12-30T23:00:00.5Z",
            "9999-12-31T23:59:59+02:00",
            "9999-12-31T23:59:59-12:00",
        ] {
            assert_eq!(read(text), Some(Timestamp::MAX), "{text}");
        }
        assert_eq!(written(Timestamp::MAX), "9999-12-30T22:00:00Z");
        assert_eq!(
            read("9999-12-30T12:00:00Z").map(written).as_deref(),
            Some("9999-12-30T12:00:00Z")
        );
        for text in [
            "9999-12-32T23:59:59Z",
            "9999-12-31",
            "9999-12-31T25:00:00Z",
            "9999-12-3",
            "",
            "soon",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_moment_before_year_0_is_written_without_a_sign() {
        let before: Timestamp = "0000-01-01T00:00:00+02:00".parse().unwrap();
        for shown in [written(before), written_exactly(before), written(Timestamp::MIN)] {
            assert_eq!(shown, "0000-01-01T00:00:00Z");
        }
        assert_eq!(read("0000-01-01T00:00:00+02:00"), Some(FIRST));
        assert_eq!(written("0001-01-01T00:00:00Z".parse().unwrap()), "0001-01-01T00:00:00Z");
    }

    proptest! {
        #[test]
        fn whatever_is_written_is_read_as_the_same_moment(second in -377_705_023_201_i64..=253_402_207_200, nanosecond in 0..1_000_000_000_i32) {
            let at = Timestamp::new(second, nanosecond).unwrap_or(Timestamp::MAX);
            let (whole, exact) = (written(at), written_exactly(at));
            prop_assert!(whole.len() == 20 && whole.as_bytes()[0].is_ascii_digit(), "{whole}");
            prop_assert_eq!(read(&exact), Some(FIRST.max(at)));
            prop_assert_eq!(read(&whole).map(|at| at.as_second()), Some(FIRST.max(at).as_nanosecond().div_euclid(1_000_000_000) as i64));
        }
    }
}
