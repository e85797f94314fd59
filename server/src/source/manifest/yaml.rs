//! YAML documents, composed from the parser's events. Reading the events ourselves lets the items of a list go one by
//! one, and lets plain scalars mean what they mean to kubectl: what it prints without quotes is read back as it was.

use super::{Document, Malformed, Place};
use serde_json::{Map, Number, Value};
use serde_saphyr::granit_parser::{self, Event, Marker, Parser, ScalarStyle, Span, StrInput, Tag};
use std::collections::HashMap;

/// serde_json reads back no deeper than 128.
const DEPTH: usize = 100;

/// What all aliases of a document may add up to, so that a few lines cannot unfold into gigabytes.
const UNFOLDED: usize = 1_000_000;

pub(super) fn read(text: &str, each: &mut dyn FnMut(Place, Value)) -> Result<(), Malformed> {
    let options = granit_parser::options! { emit_comments: false };
    let parser = Parser::new_from_str_with_options(text, options);
    let mut composer = Composer {
        parser,
        document: 0,
        anchors: HashMap::new(),
        unfolded: 0,
    };
    loop {
        match composer.next()?.0 {
            Event::DocumentStart(..) => {
                composer.document += 1;
                composer.anchors.clear();
                composer.unfolded = 0;
                let document = Document::new(composer.document, each);
                composer.document(document)?;
            }
            Event::StreamEnd => return Ok(()),
            _ => {}
        }
    }
}

struct Composer<'a> {
    parser: Parser<'a, StrInput<'a>>,
    document: usize,
    anchors: HashMap<usize, Value>,
    unfolded: usize,
}

impl<'a> Composer<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), Malformed> {
        match self.parser.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(self.refuse(*error.marker(), error.info())),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn refuse(&self, at: Marker, message: impl Into<String>) -> Malformed {
        Malformed::Syntax {
            document: self.document.max(1),
            line: at.line(),
            column: at.col() + 1,
            message: message.into(),
        }
    }

    fn document(&mut self, mut document: Document<'_>) -> Result<(), Malformed> {
        let (event, span) = self.next()?;
        match event {
            Event::MappingStart(..) => {
                let members = self.mapping(1, Some(&mut document))?;
                if document.has_list {
                    document.list(&members)
                } else {
                    document.single(line(&span), members)
                }
            }
            Event::SequenceStart(..) => {
                self.items(&mut document)?;
                document.list(&Map::new());
            }
            event => {
                // A separator with nothing behind it, or only comments, leaves a null.
                if !self.value(event, &span, 1)?.is_null() {
                    return Err(self.refuse(span.start, "an object is expected"));
                }
            }
        }
        Ok(())
    }

    fn items(&mut self, document: &mut Document<'_>) -> Result<(), Malformed> {
        document.has_list = true;
        loop {
            let (event, span) = self.next()?;
            if let Event::SequenceEnd = event {
                return Ok(());
            }
            let item = self.value(event, &span, 3)?;
            document.item(line(&span), item);
        }
    }

    fn value(&mut self, event: Event<'a>, span: &Span, depth: usize) -> Result<Value, Malformed> {
        if depth > DEPTH {
            return Err(self.refuse(span.start, format!("more than {DEPTH} levels deep")));
        }
        let (anchor, value) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let value = scalar(&text, style, tag.as_deref()).map_err(|reason| self.refuse(span.start, reason))?;
                (anchor, value)
            }
            Event::SequenceStart(_, anchor, _) => {
                let mut elements = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => break,
                        (event, span) => elements.push(self.value(event, &span, depth + 1)?),
                    }
                }
                (anchor, Value::Array(elements))
            }
            Event::MappingStart(_, anchor, _) => (anchor, Value::Object(self.mapping(depth, None)?)),
            Event::Alias(anchor) => return self.alias(anchor, span, depth),
            _ => return Err(self.refuse(span.start, "a value is expected")),
        };
        if anchor != 0 {
            self.anchors.insert(anchor, value.clone());
        }
        Ok(value)
    }

    /// The members up to the mapping's end. Of a document's own mapping the items are handed on instead.
    fn mapping(
        &mut self,
        depth: usize,
        mut document: Option<&mut Document<'_>>,
    ) -> Result<Map<String, Value>, Malformed> {
        let mut members = Map::new();
        let mut merged = Vec::new();
        loop {
            let (event, span) = self.next()?;
            let (name, plain) = match event {
                Event::MappingEnd => break,
                Event::Scalar(text, style, _, _) => (text.into_owned(), style == ScalarStyle::Plain),
                _ => return Err(self.refuse(span.start, "the name of a member must be text")),
            };
            if members.contains_key(&name) {
                let message = format!("{name} is given twice; is a line with --- missing before it?");
                return Err(self.refuse(span.start, message));
            }
            let (event, span) = self.next()?;
            match (event, &mut document) {
                (Event::SequenceStart(..), Some(document)) if name == "items" => {
                    self.items(document)?;
                    members.insert(name, Value::Null);
                }
                (event, _) => {
                    let value = self.value(event, &span, depth + 1)?;
                    if plain && name == "<<" {
                        merged.push((value, span));
                    } else {
                        members.insert(name, value);
                    }
                }
            }
        }
        for (value, span) in merged {
            let sources = if let Value::Array(sources) = value {
                sources
            } else {
                vec![value]
            };
            for source in sources {
                let Value::Object(source) = source else {
                    return Err(self.refuse(span.start, "<< can only bring in the members of a mapping"));
                };
                for (name, value) in source {
                    members.entry(name).or_insert(value);
                }
            }
        }
        Ok(members)
    }

    fn alias(&mut self, anchor: usize, span: &Span, depth: usize) -> Result<Value, Malformed> {
        let Some(value) = self.anchors.get(&anchor) else {
            return Err(self.refuse(span.start, "this alias stands inside of what it names"));
        };
        let (nodes, levels) = extent(value);
        let value = value.clone();
        self.unfolded += nodes;
        if self.unfolded > UNFOLDED || depth + levels > DEPTH {
            return Err(self.refuse(span.start, "the aliases of this document unfold into too much"));
        }
        Ok(value)
    }
}

fn line(span: &Span) -> Option<usize> {
    Some(span.start.line())
}

/// How many values there are in this one, and how deep.
fn extent(value: &Value) -> (usize, usize) {
    let of_all = |values: &mut dyn Iterator<Item = &Value>| {
        values.map(extent).fold((1, 1), |(nodes, levels), (more, depth)| {
            (nodes + more, levels.max(depth + 1))
        })
    };
    match value {
        Value::Array(elements) => of_all(&mut elements.iter()),
        Value::Object(members) => of_all(&mut members.values()),
        _ => (1, 1),
    }
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, String> {
    match tag {
        None if style == ScalarStyle::Plain => Ok(plain(text)),
        None => Ok(text.into()),
        Some(tag) => match tag.core_suffix() {
            Some("null" | "bool" | "int" | "float") => Ok(plain(text)),
            Some("str") => Ok(text.into()),
            _ if tag.handle().is_empty() && tag.suffix() == "!" => Ok(text.into()),
            _ => Err(format!(
                "the tag {}{} means nothing here",
                tag.original_handle(),
                tag.suffix()
            )),
        },
    }
}

/// What text without quotes stands for. Of YAML 1.1 only what kubectl itself writes plain: its strings `yes`, `on`,
/// `0o7`, `1_000` or `12:30` come in quotes, but a commit like `12e45678` does not, as no float is that large.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    if !text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '+' | '-' | '.')) {
        return text.into();
    }
    integer(text)
        .or_else(|| float(text))
        .map_or_else(|| text.into(), Value::Number)
}

fn integer(text: &str) -> Option<Number> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (digits, radix) = if let Some(digits) = digits.strip_prefix("0x") {
        (digits, 16)
    } else if let Some(digits) = digits.strip_prefix("0o") {
        (digits, 8)
    } else if digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|digit| matches!(digit, b'0'..=b'7')) {
        // File modes, as people write them.
        (digits, 8)
    } else {
        (digits, 10)
    };
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let magnitude = u64::from_str_radix(digits, radix).ok()?;
    if negative {
        0_i64.checked_sub_unsigned(magnitude).map(Number::from)
    } else {
        Some(magnitude.into())
    }
}

fn float(text: &str) -> Option<Number> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let written = digits(whole) && digits(fraction) && whole.len() + fraction.len() > 0;
    if !(written && digits(exponent) && !exponent.is_empty()) {
        return None;
    }
    Number::from_f64(text.parse().ok()?)
}
