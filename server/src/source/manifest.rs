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
    Syntax { document: usize, line: usize, column: usize, message: String },
}

/// Calls `each` with every object of the input. Objects of a list are given as they are read, without the list.
pub fn read(input: &[u8], mut each: impl FnMut(Place, Value)) -> Result<(), Malformed> {
    let text = decode(input)?;
    if is_json(&text) { json::read(&text, &mut each) } else { yaml::read(&text, &mut each) }
}

/// UTF-8, or what PowerShell's `>` makes of it.
fn decode(input: &[u8]) -> Result<Cow<'_, str>, Malformed> {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let (pairs, rest) = bytes.as_chunks::<2>();
        let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
        let text = String::from_utf16(&units).ok().filter(|_| rest.is_empty());
        text.map(Cow::Owned).ok_or(Malformed::Encoding("it begins as UTF-16 and does not go on so"))
    };
    match input {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] | rest => {
            std::str::from_utf8(rest).map(Cow::Borrowed).map_err(|_| Malformed::Encoding("it is not UTF-8"))
        }
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
        Document { number, items: 0, has_list: false, waiting: Vec::new(), each }
    }

    fn item(&mut self, line: Option<usize>, value: Value) {
        self.items += 1;
        let place = Place { document: self.number, item: Some(self.items), line };
        match value {
            Value::Object(members) if !members.contains_key("kind") => self.waiting.push((place, members)),
            value => (self.each)(place, value),
        }
    }

    /// The end of a document with items: `list` is what else it had.
    fn list(self, list: &Map<String, Value>) {
        let kind = list.get("kind").and_then(Value::as_str).and_then(|kind| kind.strip_suffix("List"));
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
        (self.each)(Place { document: self.number, item: None, line }, Value::Object(members));
    }
}
