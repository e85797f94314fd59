//! What must not be shown: credentials inside objects. Lists, single objects, CSV, audit details, search and events all go through here.
//! Names of Secret objects stay readable, because an approver has to know which one is meant.

mod names;
mod policy;
mod prose;
#[cfg(test)]
mod tests;

pub use names::names_credential;
pub use policy::{policy, without_urls};

use names::{counts_tokens, names_object};
use serde_json::Value;
use std::{borrow::Cow, collections::BTreeMap};

/// Stands where a secret was.
pub const MASK: &str = "***";

/// Whether a text, or JSON, may quote anything that has to go: quick, and wrong to the safe side.
pub fn is_suspicious(text: &[u8]) -> bool {
    prose::is_suspicious(text)
}

/// A text without the credentials that it quotes. One that is JSON is looked at member by member.
pub fn text(text: &str) -> Cow<'_, str> {
    let is_json = text.trim_start().starts_with(['{', '[']) && prose::is_suspicious(text.as_bytes());
    if let Some(held) = is_json.then(|| serde_json::from_str::<Value>(text).ok()).flatten() {
        let mut shown = held.clone();
        document(&mut shown);
        return if shown == held {
            text.into()
        } else {
            shown.to_string().into()
        };
    }
    prose::masked(text)
}

/// Any part of an object that others have named: what stands under the name of a credential goes, however deep.
pub fn document(value: &mut Value) {
    match value {
        Value::Object(members) => {
            let is_secret = members.get("kind").is_some_and(|kind| kind == "Secret");
            let named = members
                .get("name")
                .and_then(Value::as_str)
                .is_some_and(names_credential);
            for (name, member) in members {
                let entries = is_secret && ["data", "stringData"].contains(&name.as_str());
                if entries || names_credential(name) || (named && name == "value") {
                    conceal(name, member);
                } else {
                    document(member);
                }
            }
        }
        Value::Array(values) => {
            // A command as a list has the value of a flag behind it.
            let mut after_flag = false;
            for value in values {
                if after_flag && value.as_str().is_some_and(|text| !text.starts_with('-')) {
                    conceal("", value);
                } else {
                    document(value);
                }
                let is_flag =
                    |text: &&str| text.starts_with('-') && names_credential(text) && !text.contains(['=', ' ']);
                after_flag = value.as_str().as_ref().is_some_and(is_flag);
            }
        }
        Value::String(held) => {
            if let Cow::Owned(shown) = text(held) {
                *held = shown;
            }
        }
        _ => {}
    }
}

/// Everything below a name, but for switches, numbers of tokens, and the name of the object that holds it.
fn conceal(name: &str, value: &mut Value) {
    match value {
        Value::Object(members) => {
            let names_object = members
                .keys()
                .all(|name| ["name", "key", "namespace", "optional"].contains(&name.as_str()));
            if !names_object {
                members.values_mut().for_each(|member| conceal(name, member));
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| conceal(name, value)),
        Value::String(text) if text.is_empty() => {}
        Value::Number(_) if counts_tokens(name) => {}
        Value::String(_) | Value::Number(_) => *value = MASK.into(),
        Value::Bool(_) | Value::Null => {}
    }
}

/// The parameters of an action of that type.
pub fn params(action: &str, params: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    masked_where(params, |key| hides(action, key))
}

/// Annotations and the like: text under names that others chose.
pub fn entries(entries: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    masked_where(entries, names_credential)
}

/// Whether a text has something hidden in it, which whoever sends it back has not seen.
pub fn is_masked(shown: &str) -> bool {
    // Whatever stood there would be hidden again.
    shown.contains(MASK) && text(&shown.replace(MASK, "S0mething.else")).contains(MASK)
}

/// Whether the value under that key is hidden in an action of that type.
pub fn hides(action: &str, key: &str) -> bool {
    // Whatever else this action is given becomes the content of a Secret.
    if action == "RotateSecret" {
        !names_object(key)
    } else {
        names_credential(key)
    }
}

/// What an audit event tells: a failed delivery quotes the address of its channel.
pub fn details(details: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    entries(details)
        .into_iter()
        .map(|(key, value)| (key, without_urls(&value)))
        .collect()
}

fn masked_where(values: &BTreeMap<String, String>, hidden: impl Fn(&str) -> bool) -> BTreeMap<String, String> {
    let shown = |key: &str, value: &String| {
        if hidden(key) {
            MASK.to_owned()
        } else {
            text(value).into_owned()
        }
    };
    values
        .iter()
        .map(|(key, value)| (key.clone(), shown(key, value)))
        .collect()
}
