//! `opsdeck import`: objects of a dump into a store, all of them or none. How dumps are written belongs to `manifest`.

use super::{
    Address, WriteError,
    embedded::{Session, Store, StoreError, Upserted},
    manifest::{self, Malformed, Place},
};
use crate::resources::{self, Invalid, Kind, Object};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fmt,
    io::{self, Read},
};

/// So many invalid objects are named; the rest are counted.
const NAMED: usize = 20;

#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Leave invalid objects out instead of refusing the input.
    pub skip_invalid: bool,
}

/// What an import did.
#[derive(Debug, Default)]
pub struct Report {
    pub created: usize,
    pub updated: usize,
    pub unchanged: usize,
    /// Objects of kinds that are not kept.
    pub skipped_kinds: BTreeMap<String, usize>,
    pub skipped_invalid: Rejects,
    /// What is strange about the objects, and how often. Such objects are kept.
    pub warnings: BTreeMap<String, usize>,
}

/// Objects that cannot be of their kind.
#[derive(Debug, Default)]
pub struct Rejects {
    pub count: usize,
    /// The first of them.
    pub named: Vec<Reject>,
}

/// One object that cannot be of its kind.
#[derive(Clone, Debug)]
pub struct Reject {
    pub place: Place,
    /// Empty where the object does not say.
    pub kind: String,
    pub namespace: String,
    pub name: String,
    pub why: Invalid,
}

/// Why an import stored nothing.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("the input cannot be read: {0}")]
    Input(#[from] io::Error),
    #[error(transparent)]
    Malformed(#[from] Malformed),
    #[error("nothing was imported: {0}")]
    Invalid(Rejects),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Upserts every object of `input` by kind, namespace and name.
pub fn import(store: &mut Store, mut input: impl Read, options: Options) -> Result<Report, ImportError> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let mut report = Report::default();
    // As text, which takes a fraction of the memory of values. The store is not locked until all of it is known to fit.
    let mut fitting: Vec<(Address, String)> = Vec::new();
    manifest::read(&bytes, |place, object| match examine(&object, &mut report.warnings) {
        Ok(address) => fitting.push((address, object.to_string())),
        Err(Unfit::OtherKind(kind)) => *report.skipped_kinds.entry(kind).or_default() += 1,
        Err(Unfit::Invalid(why)) => report.skipped_invalid.add(place, &object, why),
    })?;
    drop(bytes);
    if report.skipped_invalid.count > 0 && !options.skip_invalid {
        return Err(ImportError::Invalid(report.skipped_invalid));
    }
    store.transact(&mut Vec::new(), |session, _| {
        for (address, text) in fitting {
            let counter = match upsert(session, &address, &text)? {
                Upserted::Created(_) => &mut report.created,
                Upserted::Updated(_) => &mut report.updated,
                Upserted::Unchanged => &mut report.unchanged,
            };
            *counter += 1;
        }
        Ok::<_, ImportError>(())
    })?;
    Ok(report)
}

fn upsert(session: &mut Session<'_>, address: &Address, text: &str) -> Result<Upserted, ImportError> {
    let object = serde_json::from_str(text).map_err(io::Error::from)?;
    Ok(session.upsert(address, object)?)
}

/// Why an object of a dump is not stored.
#[derive(Debug)]
pub(super) enum Unfit {
    OtherKind(String),
    Invalid(Invalid),
}

impl From<Unfit> for WriteError {
    fn from(unfit: Unfit) -> WriteError {
        match unfit {
            Unfit::Invalid(why) => why.into(),
            Unfit::OtherKind(kind) => WriteError::Invalid {
                field: "kind".into(),
                message: format!("{kind} is not kept"),
            },
        }
    }
}

fn examine(object: &Value, warnings: &mut BTreeMap<String, usize>) -> Result<Address, Unfit> {
    let address = address(object)?;
    Object::parse(address.kind, object.clone()).map_err(Unfit::Invalid)?;
    for warning in resources::warnings(address.kind, object) {
        *warnings
            .entry(format!("{}: {warning}", address.kind.as_str()))
            .or_default() += 1;
    }
    Ok(address)
}

/// Where an object belongs, by what it says of itself.
pub(super) fn address(object: &Value) -> Result<Address, Unfit> {
    let invalid = |field: &str, message: &str| {
        Unfit::Invalid(Invalid {
            field: field.into(),
            message: message.into(),
        })
    };
    if !object.is_object() {
        return Err(invalid("", "an object is expected"));
    }
    let text = |pointer: &str, field: &str| match object.pointer(pointer) {
        Some(Value::String(text)) => Ok(text.as_str()),
        None | Some(Value::Null) => Ok(""),
        Some(_) => Err(invalid(field, "text is expected")),
    };
    let (api_version, kind) = (text("/apiVersion", "apiVersion")?, text("/kind", "kind")?);
    for (field, given) in [("kind", kind), ("apiVersion", api_version)] {
        if given.is_empty() {
            return Err(invalid(field, "is required"));
        }
    }
    let Some(kind) = Kind::from_api(api_version, kind) else {
        let known = Kind::ALL.iter().any(|known| known.as_str() == kind);
        return Err(Unfit::OtherKind(if known {
            format!("{kind} ({api_version})")
        } else {
            kind.into()
        }));
    };
    let name = text("/metadata/name", "metadata.name")?;
    if name.is_empty() {
        return Err(invalid("metadata.name", "is required"));
    }
    if !kind.keeps(name) {
        return Err(Unfit::OtherKind(kind.as_str().into()));
    }
    let namespace = Some(text("/metadata/namespace", "metadata.namespace")?).filter(|given| !given.is_empty());
    Ok(Address {
        kind,
        namespace: namespace.unwrap_or("default").into(),
        name: name.into(),
    })
}

impl Rejects {
    fn add(&mut self, place: Place, object: &Value, why: Invalid) {
        self.count += 1;
        if self.named.len() < NAMED {
            let text = |pointer| {
                object
                    .pointer(pointer)
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned()
            };
            self.named.push(Reject {
                place,
                kind: text("/kind"),
                namespace: text("/metadata/namespace"),
                name: text("/metadata/name"),
                why,
            });
        }
    }
}

impl fmt::Display for Rejects {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => write!(formatter, "1 object is invalid")?,
            count => write!(formatter, "{count} objects are invalid")?,
        }
        for reject in &self.named {
            write!(formatter, "\n  {reject}")?;
        }
        match self.count - self.named.len() {
            0 => Ok(()),
            more => write!(formatter, "\n  and {more} more"),
        }
    }
}

impl fmt::Display for Reject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reject {
            place,
            kind,
            namespace,
            name,
            why,
        } = self;
        write!(formatter, "{place}: ")?;
        match (kind.is_empty(), name.is_empty()) {
            (true, true) => write!(formatter, "an object")?,
            (true, false) => write!(formatter, "{name}")?,
            (false, true) => write!(formatter, "{kind} without a name")?,
            (false, false) if namespace.is_empty() => write!(formatter, "{kind} {name}")?,
            (false, false) => write!(formatter, "{kind} {namespace}/{name}")?,
        }
        write!(formatter, ": {why}")
    }
}

/// The counts. Warnings and what is invalid are the caller's to show.
impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skipped = self.skipped_kinds.values().sum::<usize>() + self.skipped_invalid.count;
        let Report {
            created,
            updated,
            unchanged,
            ..
        } = self;
        write!(
            formatter,
            "{created} created, {updated} updated, {unchanged} unchanged, {skipped} skipped"
        )?;
        for (kind, count) in &self.skipped_kinds {
            write!(formatter, "\n  of kind {kind}, which is not kept: {count}")?;
        }
        match self.skipped_invalid.count {
            0 => Ok(()),
            count => write!(formatter, "\n  invalid: {count}"),
        }
    }
}
