//! Whether an answer is what the OpenAPI document says of it. Every answer that any test here gets is held against it.

use http::{HeaderMap, Method, StatusCode, Uri, header};
use opsdeck::rest;
use serde_json::Value;
use std::sync::LazyLock;

pub(crate) static DOCUMENT: LazyLock<Value> = LazyLock::new(|| rest::document(""));

/// Fails where the document says otherwise, and where it says nothing of what the API has done.
pub(crate) fn assert_as_described(method: &Method, target: &str, status: StatusCode, headers: &HeaderMap, body: &str) {
    let asked = format!("{method} {target}");
    let target = normalized(target);
    let Some(operation) = operation(method, &target) else {
        let refused = status.is_client_error() || *method == Method::OPTIONS;
        assert!(
            refused || !rest::is_api(&target),
            "{asked}: answered {status}, and the document does not know it"
        );
        return;
    };
    let answer = &operation["responses"][status.as_str()];
    assert!(answer.is_object(), "{asked}: {status} is not described: {body}");
    let answer = match answer["$ref"].as_str() {
        Some(reference) => referred(reference),
        None => answer,
    };
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = media_type.map(|text| text.split(';').next().unwrap_or_default());
    let Some(described) = answer["content"].as_object() else {
        assert_eq!(
            (media_type, body),
            (None, ""),
            "{asked}: {status} has no body by its description"
        );
        return;
    };
    if *method == Method::HEAD {
        return;
    }
    let media_type = media_type.unwrap_or_else(|| panic!("{asked}: {status} is without content type"));
    let described = described
        .get(media_type)
        .unwrap_or_else(|| panic!("{asked}: {media_type} is not described"));
    if media_type == "application/json" {
        let value = serde_json::from_str(body).unwrap_or_else(|error| panic!("{asked}: {error}"));
        let mut faults = Vec::new();
        check(&described["schema"], &value, "", &mut faults);
        assert!(faults.is_empty(), "{asked}: {}", faults.join("; "));
    }
}

/// Fails where the document would not let a client send this body, although the server has taken it. Blank and null are none; what is no JSON
/// is ignored where a body is not needed, and any where none is read.
pub(crate) fn assert_body_as_described(method: &Method, target: &str, body: &[u8]) {
    let asked = format!("{method} {target}");
    let described = operation(method, &normalized(target)).map(|operation| &operation["requestBody"]);
    let Some(described) = described.filter(|described| described.is_object()) else {
        return;
    };
    let value = serde_json::from_slice(body).unwrap_or_default();
    if value == Value::Null {
        assert_eq!(described["required"], false, "{asked}: taken without its body");
        return;
    }
    let mut faults = Vec::new();
    check(
        &described["content"]["application/json"]["schema"],
        &value,
        "",
        &mut faults,
    );
    assert!(
        faults.is_empty(),
        "{asked}: the body was taken, but {}",
        faults.join("; ")
    );
}

/// The one spelling that the document has.
fn normalized(target: &str) -> String {
    let address: Uri = target.parse().unwrap_or_default();
    rest::normalized(&address).unwrap_or(address).to_string()
}

/// What is said of the operation at an address, if it is one.
pub(crate) fn operation(method: &Method, target: &str) -> Option<&'static Value> {
    let path = target.split('?').next()?.strip_prefix("/api/v1")?;
    let asked: Vec<_> = path.split('/').collect();
    let fits = |template: &str| {
        let template: Vec<_> = template.split('/').collect();
        template.len() == asked.len()
            && template
                .iter()
                .zip(&asked)
                .all(|(expected, given)| expected == given || (expected.starts_with('{') && !given.is_empty()))
    };
    let paths = DOCUMENT["paths"].as_object()?;
    // What stands there word for word goes before what has a name in it.
    let literal = paths.get(path);
    let template = || {
        paths
            .iter()
            .find(|(template, _)| fits(template))
            .map(|(_, operations)| operations)
    };
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    literal.or_else(template)?.get(method.as_str().to_lowercase())
}

pub(crate) fn referred(reference: &str) -> &'static Value {
    let pointer = reference.strip_prefix('#').expect("a reference inside the document");
    DOCUMENT
        .pointer(pointer)
        .unwrap_or_else(|| panic!("{reference} leads nowhere"))
}

/// JSON Schema as far as the document uses it: a keyword that is not known here is a fault too.
pub(crate) fn check(schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    let keywords = match schema {
        Value::Bool(true) => return,
        Value::Object(keywords) => keywords,
        other => return faults.push(format!("{at}: {other} is no schema")),
    };
    let holds = |schema: &Value| {
        let mut faults = Vec::new();
        check(schema, value, at, &mut faults);
        faults.is_empty()
    };
    for (keyword, expected) in keywords {
        let fine = match (keyword.as_str(), expected, value) {
            // No regular expressions here: the contract tests from outside have them.
            ("title" | "description" | "default" | "x-extensible-enum" | "pattern" | "propertyNames", ..) => true,
            ("$ref", Value::String(reference), _) => {
                check(referred(reference), value, at, faults);
                true
            }
            ("type", Value::String(name), _) => is(name, value),
            ("type", Value::Array(names), _) => names.iter().filter_map(Value::as_str).any(|name| is(name, value)),
            ("const", ..) => expected == value,
            ("enum", Value::Array(words), _) => words.contains(value),
            ("anyOf", Value::Array(schemas), _) => schemas.iter().any(holds),
            ("allOf", Value::Array(schemas), _) => {
                schemas.iter().for_each(|schema| check(schema, value, at, faults));
                true
            }
            ("oneOf", Value::Array(schemas), _) => schemas.iter().filter(|schema| holds(schema)).count() == 1,
            ("minimum", _, Value::Number(number)) => number.as_f64() >= expected.as_f64(),
            ("maximum", _, Value::Number(number)) => number.as_f64() <= expected.as_f64(),
            ("minLength", _, Value::String(text)) => expected.as_u64() <= Some(text.chars().count() as u64),
            ("maxLength", _, Value::String(text)) => expected.as_u64() >= Some(text.chars().count() as u64),
            ("minItems", _, Value::Array(items)) => expected.as_u64() <= Some(items.len() as u64),
            ("maxItems", _, Value::Array(items)) => expected.as_u64() >= Some(items.len() as u64),
            ("format", Value::String(format), _) => formed(format, value),
            ("items", _, Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    check(expected, item, &format!("{at}/{index}"), faults);
                }
                true
            }
            ("properties", Value::Object(members), Value::Object(object)) => {
                for (name, schema) in members {
                    if let Some(member) = object.get(name) {
                        check(schema, member, &format!("{at}/{name}"), faults);
                    }
                }
                true
            }
            ("additionalProperties", _, Value::Object(object)) => {
                let named = |name: &&String| {
                    keywords
                        .get("properties")
                        .is_some_and(|named| named.get(name).is_some())
                };
                for name in object.keys().filter(|name| !named(name)) {
                    check(expected, &object[name], &format!("{at}/{name}"), faults);
                }
                true
            }
            ("required", Value::Array(names), Value::Object(object)) => names
                .iter()
                .filter_map(Value::as_str)
                .all(|name| object.contains_key(name)),
            // About a type that the value is not of.
            ("minLength" | "maxLength" | "minItems" | "maxItems", ..) => true,
            ("minimum" | "maximum" | "items" | "properties" | "additionalProperties" | "required", ..) => true,
            _ => return faults.push(format!("{at}: the keyword {keyword} is unknown to this check")),
        };
        if !fine {
            faults.push(format!("{at}: {value} is not {keyword} {expected}"));
        }
    }
}

fn is(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

fn formed(format: &str, value: &Value) -> bool {
    match (format, value) {
        ("date-time", Value::String(text)) => text.parse::<jiff::Timestamp>().is_ok(),
        ("int32", Value::Number(number)) => number.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
        ("uint16", Value::Number(number)) => number.as_u64().is_some_and(|number| u16::try_from(number).is_ok()),
        ("uint32", Value::Number(number)) => number.as_u64().is_some_and(|number| u32::try_from(number).is_ok()),
        ("int64", Value::Number(number)) => number.is_i64(),
        ("uint64", Value::Number(number)) => number.is_u64(),
        ("double", Value::Number(_)) => true,
        ("date-time" | "int32" | "uint16" | "uint32" | "int64" | "uint64" | "double", Value::Null) => true,
        _ => false,
    }
}
