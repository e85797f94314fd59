//! Request bodies, read as leniently as the contract asks: any content type, letter case and unknown member will do.

use super::{Error, ask::Ask};
use opsdeck_api::StringMap;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The members of a JSON body, or of an object inside one.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// Where in the body it stands: empty, or `trigger.`.
    within: String,
    members: Map<String, Value>,
}

/// The values of one member.
pub(super) type Texts<'a> = Vec<Cow<'a, str>>;

// === impl Ask ===

impl Ask {
    /// What was given where the contract ignores a body that cannot be read; the answer warns of that.
    pub(super) fn leniently<T: Default>(&self, body: &[u8], read: impl FnOnce(&Members) -> Result<T, Error>) -> T {
        Members::parse(body)
            .and_then(|members| read(&members))
            .unwrap_or_else(|error| {
                self.params.ignored("the body", error.message());
                T::default()
            })
    }
}

// === impl Members ===

impl Members {
    /// Nothing and `null` are an object without members. Of a member given twice the last counts.
    pub(super) fn parse(body: &[u8]) -> Result<Self, Error> {
        if body.trim_ascii().is_empty() {
            return Ok(Self::default());
        }
        match serde_json::from_slice(body) {
            Ok(Value::Object(members)) => Ok(Self {
                within: String::new(),
                members,
            }),
            Ok(Value::Null) => Ok(Self::default()),
            Ok(_) => Err(malformed("body", "it is not a JSON object")),
            Err(error) => Err(malformed("body", &error.to_string())),
        }
    }

    /// As it was given, were it empty.
    pub(super) fn given(&self, member: &str) -> Result<Option<String>, Error> {
        let is_given = self.get(member).is_some_and(|value| !value.is_null());
        let text = self.text(member)?;
        Ok(is_given.then_some(text))
    }

    /// Empty where there is none.
    pub(super) fn text(&self, member: &str) -> Result<String, Error> {
        match self.get(member) {
            None | Some(Value::Null) => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(self.wrong(member, "a string")),
        }
    }

    /// False where there is none.
    pub(super) fn flag(&self, member: &str) -> Result<bool, Error> {
        match self.get(member) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.wrong(member, "true or false")),
        }
    }

    /// A whole number of 32 bits, which may be written as `2.0` too; none where there is none.
    pub(super) fn integer(&self, member: &str) -> Result<Option<i32>, Error> {
        match self.get(member) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match whole(value).and_then(|number| i32::try_from(number).ok()) {
                Some(number) => Ok(Some(number)),
                None => Err(self.wrong(member, "a whole number of 32 bits")),
            },
        }
    }

    /// An object inside this one.
    pub(super) fn object(&self, member: &str) -> Result<Option<Members>, Error> {
        match self.get(member) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(members)) => Ok(Some(Self {
                within: format!("{}{member}.", self.within),
                members: members.clone(),
            })),
            Some(_) => Err(self.wrong(member, "an object")),
        }
    }

    /// A list of objects; a `null` in it is one without members.
    pub(super) fn objects(&self, member: &str) -> Result<Option<Vec<Members>>, Error> {
        let list = match self.get(member) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Array(list)) => list,
            Some(_) => return Err(self.wrong(member, "a list")),
        };
        let objects = list.iter().enumerate().map(|(at, value)| {
            let members = match value {
                Value::Null => Map::new(),
                Value::Object(members) => members.clone(),
                _ => return Err(self.wrong(&format!("{member}[{at}]"), "an object")),
            };
            Ok(Self {
                within: format!("{}{member}[{at}].", self.within),
                members,
            })
        });
        objects.collect::<Result<_, _>>().map(Some)
    }

    /// Text by key; the keys in the letter case in which they are given.
    pub(super) fn texts(&self, member: &str) -> Result<Option<StringMap>, Error> {
        let Some(object) = self.object(member)? else {
            return Ok(None);
        };
        let texts = object.members.iter().map(|(key, value)| match value {
            Value::Null => Ok((key.clone(), String::new())),
            Value::String(text) => Ok((key.clone(), text.clone())),
            _ => Err(object.wrong(key, "a string")),
        });
        texts.collect::<Result<_, _>>().map(Some)
    }

    /// Every member with those of its values that are not blank, as the query of a list would say them: scalars as text.
    pub(super) fn values(&self) -> Result<Vec<(&str, Texts<'_>)>, Error> {
        let text = |name: &str, value| match value {
            &Value::Null => Ok(None),
            Value::String(text) => Ok(Some(Cow::Borrowed(text.as_str())).filter(|text| !text.trim().is_empty())),
            Value::Bool(_) | Value::Number(_) => Ok(Some(Cow::Owned(value.to_string()))),
            _ => Err(self.wrong(name, "a text, true or false, or a list of these")),
        };
        let mut members = Vec::new();
        for (name, value) in &self.members {
            let values = match value {
                Value::Array(values) => values.as_slice(),
                one => std::slice::from_ref(one),
            };
            let texts: Result<Texts<'_>, _> = values
                .iter()
                .filter_map(|value| text(name, value).transpose())
                .collect();
            members.push((name.as_str(), texts?));
        }
        Ok(members)
    }

    /// The member as it is called from the top of the body.
    pub(super) fn name_of(&self, member: &str) -> String {
        format!("{}{member}", self.within)
    }

    fn wrong(&self, member: &str, expected: &str) -> Error {
        let name = self.name_of(member);
        malformed(&name, &format!("{name} is not {expected}"))
    }

    /// Upstream takes any letter case.
    fn get(&self, member: &str) -> Option<&Value> {
        let any_case = || {
            let same = |(name, _): &(&String, &Value)| name.eq_ignore_ascii_case(member);
            self.members.iter().find(same).map(|(_, value)| value)
        };
        self.members.get(member).or_else(any_case)
    }
}

fn whole(value: &Value) -> Option<i64> {
    let written_with_a_point = || {
        value
            .as_f64()
            .filter(|number| number.fract() == 0.0 && number.abs() <= f64::from(u32::MAX))
    };
    value
        .as_i64()
        .or_else(|| written_with_a_point().map(|number| number as i64))
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
    fn a_whole_number_is_one_however_it_is_written() {
        let number = |text: &str| {
            let members = Members::parse(format!(r#"{{"n":{text}}}"#).as_bytes()).unwrap();
            members.integer("n").map_err(|error| error.message().to_owned())
        };
        for (text, read) in [("2", 2), ("2.0", 2), ("-3e1", -30), ("2147483647.0", i32::MAX)] {
            assert_eq!(number(text), Ok(Some(read)), "{text}");
        }
        for text in ["2.5", "2147483648", "1e300", "true", "\"2\""] {
            assert!(number(text).is_err(), "{text}");
        }
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
