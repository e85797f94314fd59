//! JSON documents, one after the other, with or without `---` between them.

use super::{Document, Malformed, Place};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

pub(super) fn read(text: &str, each: &mut dyn FnMut(Place, Value)) -> Result<(), Malformed> {
    let mut number = 0;
    let mut rest = skip_separators(text);
    while !rest.is_empty() {
        number += 1;
        let mut reader = serde_json::Deserializer::from_str(rest);
        let begun = text.len() - rest.len();
        Root(Document::new(number, each))
            .deserialize(&mut reader)
            .map_err(|error| {
                let line = text[..begun].matches('\n').count() + error.line();
                Malformed::Syntax {
                    document: number,
                    line,
                    column: error.column(),
                    message: reason(&error),
                }
            })?;
        // Where the reader stopped is told by the stream over it alone.
        rest = skip_separators(&rest[reader.into_iter::<Value>().byte_offset()..]);
    }
    Ok(())
}

fn skip_separators(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        match text.strip_prefix("---") {
            Some(rest) => text = rest,
            None => return text,
        }
    }
}

/// serde_json's sentence without the position, which is counted from the document.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ")
        .map_or(text.clone(), |(reason, _)| reason.into())
}

/// The outermost value, whose items are handed on one by one instead of being gathered.
struct Root<'a>(Document<'a>);

impl<'de> DeserializeSeed<'de> for Root<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Root<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object or a list of objects")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut access: A) -> Result<(), A::Error> {
        let mut members = Map::new();
        while let Some(member) = access.next_key::<String>()? {
            if member == "items" {
                self.0.has_list = true;
                access.next_value_seed(Items(&mut self.0))?;
            } else {
                members.insert(member, access.next_value()?);
            }
        }
        if self.0.has_list {
            self.0.list(&members)
        } else {
            self.0.single(None, members)
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut access: A) -> Result<(), A::Error> {
        while let Some(value) = access.next_element()? {
            self.0.item(None, value);
        }
        self.0.list(&Map::new());
        Ok(())
    }
}

struct Items<'a, 'b>(&'a mut Document<'b>);

impl<'de> DeserializeSeed<'de> for Items<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Items<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        while let Some(value) = access.next_element()? {
            self.0.item(None, value);
        }
        Ok(())
    }

    /// An empty list of some clients.
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}
