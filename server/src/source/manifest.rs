//! Reads what `kubectl get … -o yaml|json` prints, object by object: documents, lists, and where each object stood.
//! Which objects are wanted belongs to `import`.

mod json;
mod yaml;

use serde_json::{Map, Value};
use std::{borrow::Cow, fmt};

/// Where an object stood in its input. Documents and items count from 1.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Place {
    pub document: usize,
    pub item: Option<usize>,
    /// Unknown for JSON.
    pub line: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "document {}", self.document)?;
        if let Some(item) = self.item {
            write!(formatter, ", item {item}")?;
        }
        if let Some(line) = self.line {
            write!(formatter, " (line {line})")?;
        }
        Ok(())
    }
}

/// The input is neither YAML nor JSON.
#[derive(Debug, thiserror::Error)]
pub enum Malformed {
    #[error("the input is not text: {0}")]
    Encoding(&'static str),
    #[error("document {document}, line {line}, column {column}: {message}")]
    Syntax {
        document: usize,
        line: usize,
        column: usize,
        message: String,
    },
}

/// Calls `each` with every object of the input. Objects of a list are given as they are read, without the list.
pub fn read(input: &[u8], mut each: impl FnMut(Place, Value)) -> Result<(), Malformed> {
    let text = decode(input)?;
    let text = without_inner_marks(text);
    if is_json(&text) {
        json::read(&text, &mut each)
    } else {
        yaml::read(&text, &mut each)
    }
}

/// UTF-8, or what PowerShell's `>` makes of it.
fn decode(input: &[u8]) -> Result<Cow<'_, str>, Malformed> {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let (pairs, rest) = bytes.as_chunks::<2>();
        let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
        let text = String::from_utf16(&units).ok().filter(|_| rest.is_empty());
        text.map(Cow::Owned)
            .ok_or(Malformed::Encoding("it begins as UTF-16 and does not go on so"))
    };
    match input {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] | rest => std::str::from_utf8(rest)
            .map(Cow::Borrowed)
            .map_err(|_| Malformed::Encoding("it is not UTF-8")),
    }
}

/// Files put one behind the other each bring their byte order mark.
fn without_inner_marks(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.contains("\n\u{feff}") {
        text.replace("\n\u{feff}", "\n").into()
    } else {
        text
    }
}

/// A YAML flow mapping may open like JSON; only JSON quotes its first member.
fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    match text.as_bytes().first() {
        Some(b'{') => matches!(text[1..].trim_start().as_bytes().first(), Some(b'"' | b'}')),
        Some(b'[') => matches!(text[1..].trim_start().as_bytes().first(), Some(b'{' | b']')),
        _ => false,
    }
}

/// One document on its way in. A list says only after its items what they are a list of, and the items of some say
/// nothing of themselves: those wait here.
struct Document<'a> {
    number: usize,
    items: usize,
    /// Whether it brought items, were it none.
    has_list: bool,
    waiting: Vec<(Place, Map<String, Value>)>,
    each: &'a mut dyn FnMut(Place, Value),
}

impl<'a> Document<'a> {
    fn new(number: usize, each: &'a mut dyn FnMut(Place, Value)) -> Document<'a> {
        Document {
            number,
            items: 0,
            has_list: false,
            waiting: Vec::new(),
            each,
        }
    }

    fn item(&mut self, line: Option<usize>, value: Value) {
        self.items += 1;
        let place = Place {
            document: self.number,
            item: Some(self.items),
            line,
        };
        match value {
            Value::Object(members) if !members.contains_key("kind") => self.waiting.push((place, members)),
            value => (self.each)(place, value),
        }
    }

    /// The end of a document with items: `list` is what else it had.
    fn list(self, list: &Map<String, Value>) {
        let kind = list
            .get("kind")
            .and_then(Value::as_str)
            .and_then(|kind| kind.strip_suffix("List"));
        for (place, mut members) in self.waiting {
            if let (Some(kind), Some(version)) = (kind.filter(|kind| !kind.is_empty()), list.get("apiVersion")) {
                members.insert("kind".into(), kind.into());
                members.insert("apiVersion".into(), version.clone());
            }
            (self.each)(place, Value::Object(members));
        }
    }

    /// The end of a document that is one object.
    fn single(self, line: Option<usize>, members: Map<String, Value>) {
        (self.each)(
            Place {
                document: self.number,
                item: None,
                line,
            },
            Value::Object(members),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn values(text: &str) -> Vec<Value> {
        let mut values = Vec::new();
        read(text.as_bytes(), |_, value| values.push(value)).expect("a well-formed manifest");
        values
    }

    fn members(text: &str) -> Value {
        values(text).pop().expect("one object")
    }

    #[test]
    fn plain_scalars_mean_what_they_mean_to_kubectl() {
        for (text, expected) in [
            ("", json!(null)),
            ("~", json!(null)),
            ("null", json!(null)),
            ("true", json!(true)),
            ("False", json!(false)),
            ("yes", json!("yes")),
            ("Off", json!("Off")),
            ("12", json!(12)),
            ("-7", json!(-7)),
            ("+7", json!(7)),
            ("0", json!(0)),
            ("0644", json!(420)),
            ("0o17", json!(15)),
            ("0x1F", json!(31)),
            ("-9223372036854775808", json!(i64::MIN)),
            ("18446744073709551615", json!(u64::MAX)),
            ("0.875", json!(0.875)),
            ("1e+06", json!(1e6)),
            ("-.5", json!(-0.5)),
            ("1.", json!(1.0)),
            ("12e45678", json!("12e45678")),
            ("7e", json!("7e")),
            (".inf", json!(".inf")),
            ("-", json!("-")),
            ("1_000", json!("1_000")),
            ("12:30", json!("12:30")),
            ("2026-11-28", json!("2026-11-28")),
            ("2026-11-28T10:00:20Z", json!("2026-11-28T10:00:20Z")),
            ("706c96c7", json!("706c96c7")),
            ("0x", json!("0x")),
            ("1.2.3", json!("1.2.3")),
            ("<none>", json!("<none>")),
            ("'12'", json!("12")),
            ("\"true\"", json!("true")),
            ("!!str 12", json!("12")),
            ("!!int '12'", json!(12)),
            ("! 12", json!("12")),
        ] {
            // A lone dash would begin a list.
            let text = if text == "-" {
                "x: '-'".to_owned()
            } else {
                format!("x: {text}")
            };
            assert_eq!(members(&text)["x"], expected, "{text}");
        }
    }

    #[test]
    fn white_space_and_comments_are_not_content() {
        let expected = json!({"a": "b c", "d": ["e", {"f": "g\n  h\n"}], "i": "j"});
        for text in [
            "a:\tb c\t\nd:\n- e\n- f: |\n    g\n      h\ni: j",
            "# x\r\na: b c # y\r\nd:\r\n  - e\r\n  - f: |\r\n      g\r\n        h\r\ni: j  \r\n\r\n",
            "\u{feff}--- # x\na: b\n  c\n\n\nd:\n  - e\n  -   f: |\n        g\n          h\ni:    'j'\n...\n",
            "{a: b c, d: [e, {f: \"g\\n  h\\n\"}], i: j}",
        ] {
            assert_eq!(members(text), expected, "{text:?}");
        }
    }

    /// kubectl wraps long text.
    #[test]
    fn wrapped_text_is_put_together() {
        let text = "a: \"one two\\\n  \\ three\\n\\\n  four\"\nb: one\n  two\n\n  three\nc: 'one\n\n  two'\nd: |2-\n   one\n\n  two\n";
        let expected = json!({"a": "one two three\nfour", "b": "one two\nthree", "c": "one\ntwo", "d": " one\n\ntwo"});
        assert_eq!(members(text), expected);
    }

    #[test]
    fn concatenated_dumps_may_each_have_their_mark() {
        assert_eq!(
            values("\u{feff}a: 1\n---\n\u{feff}a: 2\n"),
            [json!({"a": 1}), json!({"a": 2})]
        );
    }

    #[test]
    fn names_of_members_are_text() {
        assert_eq!(
            members("1: a\ntrue: b\n'x y': c\n? d\n: e\n"),
            json!({"1": "a", "true": "b", "x y": "c", "d": "e"})
        );
    }

    #[test]
    fn aliases_unfold_within_reason() {
        let text = "base: &b {x: 1, y: 2}\nsame: *b\nmore:\n  <<: *b\n  y: 3\n";
        assert_eq!(members(text)["more"], json!({"x": 1, "y": 3}));
        assert_eq!(members(text)["same"], json!({"x": 1, "y": 2}));
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..10 {
            let above = format!("*a{}, ", level - 1).repeat(10);
            bomb += &format!("a{level}: &a{level} [{above}]\n");
        }
        let refusal = read(bomb.as_bytes(), |_, _| {}).map_err(|error| error.to_string());
        assert!(refusal.is_err_and(|text| text.contains("unfold into too much")));
        assert!(read(b"a: &a [*a]\n", |_, _| {}).is_err());
    }

    #[test]
    fn every_object_has_a_place() {
        let mut places = Vec::new();
        let text = "a: 1\n---\nitems:\n- a: 1\n- a: 2\n---\n---\n[a: 3]\n";
        read(text.as_bytes(), |place, _| places.push(place.to_string())).expect("a well-formed manifest");
        let expected = [
            "document 1 (line 1)",
            "document 2, item 1 (line 4)",
            "document 2, item 2 (line 5)",
            "document 4, item 1 (line 8)",
        ];
        assert_eq!(places, expected);
    }
}
