//! Query parameters, read as leniently as the contract asks: what cannot be read counts as not given and is named in a `Warning`.

use crate::resources::moment;
use jiff::Timestamp;
use opsdeck_api::Query;
use std::sync::Mutex;

const DEFAULT_PAGE_SIZE: u64 = 20;
const MAX_PAGE_SIZE: u64 = 100;
/// Parts of a query that are named because they cannot be read, and characters of each.
const UNREAD: usize = 4;
const LONGEST_SHOWN: usize = 64;

/// The parameters of one request, and what was wrong with them.
#[derive(Debug, Default)]
pub(super) struct Params {
    query: Query,
    warnings: Mutex<Vec<String>>,
}

// === impl Params ===

impl Params {
    pub(super) fn parse(query: &str) -> Self {
        let params = Self::of(Query::parse(query));
        for unread in Query::unread(query).take(UNREAD) {
            let shown: String = unread.chars().take(LONGEST_SHOWN).collect();
            params.ignored(&shown, "parameters are separated by & and escaped as UTF-8 in percent");
        }
        params
    }

    /// As if they had been given in a query.
    pub(super) fn of(query: Query) -> Self {
        Self {
            query,
            warnings: Mutex::default(),
        }
    }

    /// The first value that is not blank.
    pub(super) fn one(&self, name: &str) -> Option<&str> {
        self.query.first(name).filter(|value| !value.is_empty())
    }

    /// All values of a filter: any of them may match.
    pub(super) fn any_of(&self, name: &str) -> Vec<String> {
        self.query
            .all(name)
            .filter(|value| !value.is_empty())
            .map(str::to_owned)
            .collect()
    }

    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        self.read(name, "true or false", |text| match text {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        })
    }

    /// One of two words.
    pub(super) fn either(&self, name: &str, words: [&'static str; 2]) -> Option<&'static str> {
        self.one(name)?;
        self.read(name, &words.join(" or "), |text| {
            words.into_iter().find(|word| *word == text)
        })
    }

    /// RFC 3339 with seconds and zone, in capitals: what upstream's parser takes.
    pub(super) fn time(&self, name: &str) -> Option<Timestamp> {
        self.read(name, "an RFC 3339 time such as 2026-09-23T12:00:00Z", time)
    }

    /// From 1.
    pub(super) fn page(&self) -> u64 {
        self.whole("page").unwrap_or(1)
    }

    pub(super) fn page_size(&self) -> u64 {
        self.whole("pageSize")
            .map_or(DEFAULT_PAGE_SIZE, |size| size.min(MAX_PAGE_SIZE))
    }

    /// A whole number from 1.
    pub(super) fn whole(&self, name: &str) -> Option<u64> {
        self.read(name, "a whole number from 1", |text| {
            integer(text)
                .and_then(|number| u64::try_from(number).ok())
                .filter(|number| *number >= 1)
        })
    }

    /// Everything that was given and could not be read.
    pub(super) fn warnings(&self) -> Vec<String> {
        self.warnings
            .lock()
            .map(|warnings| warnings.clone())
            .unwrap_or_default()
    }

    fn read<T>(&self, name: &str, expected: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let text = self.one(name)?;
        let value = parse(text);
        if value.is_none() {
            self.ignored(name, &format!("it is not {expected}"));
        }
        value
    }

    /// Notes something that was given and does not count, for the `Warning` of the answer.
    pub(super) fn ignored(&self, what: &str, why: &str) {
        if let Ok(mut warnings) = self.warnings.lock() {
            warnings.push(format!("{what} was ignored: {why}"));
        }
    }
}

/// Decimal digits with an optional sign, within 64 bits.
fn integer(text: &str) -> Option<i64> {
    text.parse().ok()
}

fn time(text: &str) -> Option<Timestamp> {
    let bytes = text.as_bytes();
    let shaped = bytes.len() >= 20 && bytes[10] == b'T' && bytes[16] == b':' && bytes.get(17..19) != Some(b"60");
    let offset = match bytes.last()? {
        b'Z' => true,
        _ => bytes.len() >= 25 && matches!(bytes[bytes.len() - 6], b'+' | b'-') && bytes[bytes.len() - 3] == b':',
    };
    (shaped && offset).then(|| moment::read(text)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_upstream_reads_them() {
        let page = |text: &str| Params::parse(&format!("page={text}")).page();
        assert_eq!(
            [page("%2B2"), page("002"), page("9223372036854775807")],
            [2, 2, 9_223_372_036_854_775_807]
        );
        for ignored in ["1.5", "1_0", "0x1", "%201", "", "99999999999999999999", "0", "-3", "x"] {
            assert_eq!(page(ignored), 1, "{ignored}");
        }
        assert_eq!(Params::parse("pageSize=101").page_size(), 100);
        assert_eq!(Params::parse("page=2&page=3").page(), 2);
    }

    #[test]
    fn what_is_no_parameter_is_named() {
        let warnings = |query: &str| Params::parse(query).warnings();
        assert!(warnings("").is_empty() && warnings("page=2&&q=a%3Bb&x").is_empty());
        for unread in ["namespace=a;severity=b", "%zz=1", "q=%ff"] {
            let told = warnings(&format!("page=2&{unread}"));
            assert!(
                matches!(&*told, [one] if one.starts_with(&format!("{unread} was ignored"))),
                "{told:?}"
            );
        }
        assert_eq!(warnings(&"%zz&".repeat(1000)).len(), UNREAD);
    }

    #[test]
    fn times_need_seconds_and_a_zone_in_capitals() {
        let from = |text: &str| Params::parse(&format!("from={text}")).time("from");
        for accepted in [
            "2026-09-23T12:00:00Z",
            "2026-09-23T12:00:00.25Z",
            "2026-09-23T14:00:00%2B02:00",
            "9999-12-31T23:59:59Z",
            "9999-12-31T23:59:59-12:00",
            "0000-01-01T00:00:00%2B02:00",
        ] {
            assert!(from(accepted).is_some(), "{accepted}");
        }
        for ignored in [
            "2026-09-23",
            "2026-09-23T12:00:00",
            "2026-09-23t12:00:00z",
            "1790164800",
            "2026-09-23T14:00:00+02:00",
            "2026-09-23T12:00Z",
        ] {
            assert!(from(ignored).is_none(), "{ignored}");
        }
    }

    #[test]
    fn what_was_ignored_is_named() {
        let params = Params::parse("page=x&from=yesterday&acknowledged=maybe&groupBy=Week");
        assert_eq!(
            (params.page(), params.time("from"), params.flag("acknowledged")),
            (1, None, None)
        );
        assert_eq!(params.either("groupBy", ["day", "week"]), None);
        let warnings = params.warnings();
        assert_eq!(warnings.len(), 4);
        assert!(warnings[0].starts_with("page was ignored"));
    }
}
