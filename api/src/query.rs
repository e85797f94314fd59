//! A query string as an ordered list of pairs, read as leniently as upstream's server reads it.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use std::fmt;

const RESERVED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'&')
    .add(b'+')
    .add(b';')
    .add(b'<')
    .add(b'=')
    .add(b'>')
    .add(b'?')
    .add(b'`');

/// The parameters of a request or of a page's address.
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
pub struct Query(Vec<(String, String)>);

// === impl Query ===

impl Query {
    /// Reads what stands behind the `?`. A pair with `;`, a bad percent escape or bytes that are not UTF-8 is dropped, the others count.
    pub fn parse(text: &str) -> Self {
        Self(text.trim_start_matches('?').split('&').filter_map(pair).collect())
    }

    /// The pairs that `parse` drops, as they were sent.
    pub fn unread(text: &str) -> impl Iterator<Item = &str> {
        let pairs = text.trim_start_matches('?').split('&');
        pairs.filter(|text| !text.is_empty() && pair(text).is_none())
    }

    /// The first value of a name; an empty one counts as given.
    pub fn first(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// Every value of a name, in the order sent.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0
            .iter()
            .filter(move |(n, _)| n == name)
            .map(|(_, value)| value.as_str())
    }

    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Replaces every value of the name by this one; an empty value removes it.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.0.retain(|(n, _)| n != name);
        if !value.is_empty() {
            self.0.push((name.into(), value.into()));
        }
        self
    }

    /// Adds one more value of a name that may be repeated.
    #[must_use]
    pub fn and(mut self, name: &str, value: &str) -> Self {
        self.0.push((name.into(), value.into()));
        self
    }

    #[must_use]
    pub fn without(self, name: &str) -> Self {
        self.with(name, "")
    }

    /// Adds the value if it is absent, removes it if it is there: what a press on a filter chip does.
    #[must_use]
    pub fn toggled(mut self, name: &str, value: &str) -> Self {
        let before = self.0.len();
        self.0.retain(|(n, v)| !(n == name && v == value));
        if self.0.len() == before {
            self.and(name, value)
        } else {
            self
        }
    }

    /// `path`, followed by `?` and this query if there is one.
    pub fn on(&self, path: &str) -> String {
        if self.is_empty() {
            path.to_owned()
        } else {
            format!("{path}?{self}")
        }
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "&" };
            write!(
                f,
                "{separator}{}={}",
                utf8_percent_encode(name, RESERVED),
                utf8_percent_encode(value, RESERVED)
            )?;
        }
        Ok(())
    }
}

fn pair(text: &str) -> Option<(String, String)> {
    if text.is_empty() || text.contains(';') {
        return None;
    }
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    Some((decode(name)?, decode(value)?))
}

fn decode(text: &str) -> Option<String> {
    let well_formed = text.match_indices('%').all(|(at, _)| {
        text.as_bytes()
            .get(at + 1..at + 3)
            .is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit))
    });
    let text = text.replace('+', " ");
    well_formed
        .then(|| {
            percent_decode_str(&text)
                .decode_utf8()
                .ok()
                .map(|text| text.into_owned())
        })
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::Query;

    #[test]
    fn a_bad_pair_is_dropped_and_the_others_count() {
        let query = Query::parse("&from=2026&namespace=a;severity=b&bad=%zz&state=Resolved&state=Failed");
        assert_eq!(
            query.pairs().collect::<Vec<_>>(),
            [("from", "2026"), ("state", "Resolved"), ("state", "Failed")]
        );
    }

    #[test]
    fn printing_and_reading_agree() {
        let query = Query::default()
            .with("q", "100% of 40Gi & more")
            .and("namespace", "a b")
            .and("namespace", "c+d");
        assert_eq!(Query::parse(&query.to_string()), query);
    }

    #[test]
    fn a_chip_pressed_twice_leaves_nothing() {
        let query = Query::parse("severity=high");
        assert_eq!(
            query.clone().toggled("state", "Failed").toggled("state", "Failed"),
            query
        );
    }
}
