//! Reads objects from JSON, and says what is wrong or strange about them. What each kind demands is taken from the same
//! schemas that its manifest carries.

use super::{Invalid, Kind, Typed, manifests};
use serde_json::{Map, Value};
use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::LazyLock,
};

/// Reads one object, or names the member that makes it impossible.
pub(super) fn read<T: Typed>(mut value: Value) -> Result<T, Invalid> {
    drop_nulls(&mut value);
    let Some(object) = value.as_object() else {
        return Err(Invalid {
            field: "object".into(),
            message: "must be an object".into(),
        });
    };
    check_name(object)?;
    if let Some(Shape::Members(root)) = SHAPES.get(&T::KIND)
        && let Some(field) = missing_spec(root, object)
    {
        return Err(Invalid {
            field,
            message: "is required".into(),
        });
    }
    serde_path_to_error::deserialize(value).map_err(|error| Invalid {
        field: error.path().to_string(),
        message: error.into_inner().to_string(),
    })
}

/// What is strange about an object that can be read all the same: words and members that its schema does not know.
pub fn warnings(kind: Kind, object: &Value) -> Vec<String> {
    let mut found = Vec::new();
    if let (Some(Shape::Members(root)), Some(object)) = (SHAPES.get(&kind), object.as_object()) {
        for part in ["spec", "status"] {
            if let (Some(member), Some(value)) = (root.get(part), object.get(part)) {
                member.shape.strange(
                    value,
                    &Path {
                        above: None,
                        step: Step::Member(part),
                    },
                    &mut found,
                );
            }
        }
    }
    found
}

/// A null says that there is no value, wherever it stands, as in Kubernetes.
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, value| !value.is_null());
            members.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

fn check_name(object: &Map<String, Value>) -> Result<(), Invalid> {
    let invalid = |message: &str| {
        Err(Invalid {
            field: "metadata.name".into(),
            message: message.into(),
        })
    };
    match object.get("metadata").and_then(|metadata| metadata.get("name")) {
        Some(Value::String(name)) if !name.is_empty() => Ok(()),
        Some(Value::String(_)) | None => invalid("is required"),
        Some(_) => invalid("must be a string"),
    }
}

/// The first member that the spec lacks. Only the spec is asked: what controllers write may be of an older release.
fn missing_spec(root: &BTreeMap<Box<str>, Member>, object: &Map<String, Value>) -> Option<String> {
    let path = Path {
        above: None,
        step: Step::Member("spec"),
    };
    match (root.get("spec"), object.get("spec")) {
        (Some(_), None) => Some(path.to_string()),
        (Some(member), Some(spec)) => member.shape.missing(spec, &path),
        (None, _) => None,
    }
}

static SHAPES: LazyLock<HashMap<Kind, Shape>> = LazyLock::new(|| {
    Kind::ALL
        .into_iter()
        .filter_map(|kind| Some((kind, Shape::from_schema(&manifests::schema(kind)?))))
        .collect()
});

/// As much of a schema as reading needs.
#[derive(Debug)]
enum Shape {
    /// Members by name.
    Members(BTreeMap<Box<str>, Member>),
    /// Any number of values by key.
    Values(Box<Shape>),
    /// Any number of values in a row.
    Items(Box<Shape>),
    /// One of these words.
    Word(Box<[Box<str>]>),
    /// Anything: numbers, texts, free parts.
    Any,
}

#[derive(Debug)]
struct Member {
    /// An author has to give it: it is required and nothing fills it in.
    demanded: bool,
    shape: Shape,
}

impl Shape {
    fn from_schema(schema: &Value) -> Self {
        let texts = |key: &str| schema[key].as_array().into_iter().flatten().filter_map(Value::as_str);
        if let Some(properties) = schema["properties"].as_object() {
            let members = properties.iter().map(|(name, schema)| {
                let demanded = texts("required").any(|required| required == name) && schema.get("default").is_none();
                (
                    name.as_str().into(),
                    Member {
                        demanded,
                        shape: Self::from_schema(schema),
                    },
                )
            });
            Self::Members(members.collect())
        } else if schema["additionalProperties"].is_object() {
            Self::Values(Box::new(Self::from_schema(&schema["additionalProperties"])))
        } else if schema["items"].is_object() {
            Self::Items(Box::new(Self::from_schema(&schema["items"])))
        } else if schema["enum"].is_array() {
            Self::Word(texts("enum").map(Into::into).collect())
        } else {
            Self::Any
        }
    }

    fn missing(&self, value: &Value, path: &Path<'_>) -> Option<String> {
        match (self, value) {
            (Self::Members(members), Value::Object(object)) => members.iter().find_map(|(name, member)| {
                let path = path.then(Step::Member(name));
                match object.get(&**name) {
                    Some(value) => member.shape.missing(value, &path),
                    None => member.demanded.then(|| path.to_string()),
                }
            }),
            (Self::Values(shape), Value::Object(object)) => object
                .iter()
                .find_map(|(name, value)| shape.missing(value, &path.then(Step::Member(name)))),
            (Self::Items(shape), Value::Array(items)) => items
                .iter()
                .enumerate()
                .find_map(|(at, value)| shape.missing(value, &path.then(Step::Item(at)))),
            _ => None,
        }
    }

    fn strange(&self, value: &Value, path: &Path<'_>, found: &mut Vec<String>) {
        match (self, value) {
            (Self::Members(members), Value::Object(object)) => {
                for (name, value) in object {
                    let path = path.then(Step::Member(name));
                    match members.get(name.as_str()) {
                        Some(member) => member.shape.strange(value, &path, found),
                        None => found.push(format!("{path} is unknown")),
                    }
                }
            }
            (Self::Values(shape), Value::Object(object)) => {
                for (name, value) in object {
                    shape.strange(value, &path.then(Step::Member(name)), found);
                }
            }
            (Self::Items(shape), Value::Array(items)) => {
                for (at, value) in items.iter().enumerate() {
                    shape.strange(value, &path.then(Step::Item(at)), found);
                }
            }
            (Self::Word(known), Value::String(word)) if !known.iter().any(|known| **known == **word) => {
                found.push(format!("{path} has the unknown value {word:?}"));
            }
            _ => {}
        }
    }
}

/// Where in an object a value stands; written out only when there is something to say about it.
struct Path<'a> {
    above: Option<&'a Path<'a>>,
    step: Step<'a>,
}

enum Step<'a> {
    Member(&'a str),
    Item(usize),
}

impl Path<'_> {
    fn then<'a>(&'a self, step: Step<'a>) -> Path<'a> {
        Path {
            above: Some(self),
            step,
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(above) = self.above {
            above.fmt(f)?;
        }
        match self.step {
            Step::Member(name) if self.above.is_some() => write!(f, ".{name}"),
            Step::Member(name) => f.write_str(name),
            Step::Item(at) => write!(f, "[{at}]"),
        }
    }
}
