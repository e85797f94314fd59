//! Request bodies, read as leniently as the contract asks: any content type, letter case and unknown member will do.

use super::Error;
use serde_json::{Map, Value};

/// The members of a JSON body.
#[derive(Debug, Default)]
pub(super) struct Members(Map<String, Value>);

// === impl Members ===

impl Members {
    /// Nothing and `null` are an object without members. Of a member given twice the last counts.
    pub(super) fn parse(body: &[u8]) -> Result<Self, Error> {
        if body.trim_ascii().is_empty() {
            return Ok(Self::default());
        }
        match serde_json::from_slice(body) {
            Ok(Value::Object(members)) => Ok(Self(members)),
            Ok(Value::Null) => Ok(Self::default()),
            Ok(_) => Err(malformed("body", "it is not a JSON object")),
            Err(error) => Err(malformed("body", &error.to_string())),
        }
    }

    /// Empty where there is none.
    pub(super) fn text(&self, member: &str) -> Result<String, Error> {
        match self.get(member) {
            None | Some(Value::Null) => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(malformed(member, &format!("{member} is not a string"))),
        }
    }

    /// False where there is none.
    pub(super) fn flag(&self, member: &str) -> Result<bool, Error> {
        match self.get(member) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(malformed(member, &format!("{member} is not true or false"))),
        }
    }

    /// Upstream takes any letter case.
    fn get(&self, member: &str) -> Option<&Value> {
        let any_case = || {
            let same = |(name, _): &(&String, &Value)| name.eq_ignore_ascii_case(member);
            self.0.iter().find(same).map(|(_, value)| value)
        };
        self.0.get(member).or_else(any_case)
    }
}

fn malformed(field: &str, message: &str) -> Error {
    Error::invalid(field, format!("invalid request body: {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn duration(body: &str) -> Result<String, String> {
        Members::parse(body.as_bytes())
            .and_then(|members| members.text("duration"))
            .map_err(|error| error.message().to_owned())
    }

    #[test]
    fn what_says_nothing_is_empty() {
        for body in ["", " \n", "null", "{}", r#"{"duration":null}"#, r#"{"other":[1,{}]}"#] {
            assert_eq!(duration(body), Ok(String::new()), "{body}");
        }
    }

    #[test]
    fn members_are_found_in_any_case_and_the_last_counts() {
        assert_eq!(duration(r#"{"duration":"1h","duration":"2h"}"#), Ok("2h".into()));
        assert_eq!(duration(r#"{"Duration":"1h"}"#), Ok("1h".into()));
        assert_eq!(duration(r#"{"DURATION":"1h","duration":"2h"}"#), Ok("2h".into()));
    }

    #[test]
    fn everything_else_is_no_body() {
        for body in [
            "[]",
            "1",
            "\"1h\"",
            "{",
            r#"{"duration":"1h"} x"#,
            "\u{feff}{}",
            r#"{"duration":1}"#,
            r#"{"duration":["1h"]}"#,
        ] {
            let message = duration(body).unwrap_err();
            assert!(message.starts_with("invalid request body: "), "{body}: {message}");
        }
    }
}
