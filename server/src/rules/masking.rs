//! What must not be shown: credentials inside objects. Lists, single objects, CSV, audit details, search and events all go through here.
//! Names of Secret objects stay readable, because an approver has to know which one is meant.

mod names;
mod policy;
mod prose;
#[cfg(test)]
mod tests;

pub use names::names_credential;
pub use policy::{policy, without_urls};

use names::counts_tokens;
use serde_json::Value;
use std::{borrow::Cow, collections::BTreeMap};

/// Stands where a secret was.
pub const MASK: &str = "***";

/// Whether a text, or JSON, may quote anything that has to go: quick, and wrong to the safe side.
pub fn is_suspicious(text: &[u8]) -> bool {
    prose::is_suspicious(text)
}

/// A text without the credentials that it quotes. JSON in it is looked at member by member.
pub fn text(text: &str) -> Cow<'_, str> {
    if !prose::is_suspicious(text.as_bytes()) {
        return text.into();
    }
    match documents(text) {
        (shown, true) => shown.into(),
        (shown, false) if shown == text => prose::masked(text),
        (shown, false) => prose::masked(&shown).into_owned().into(),
    }
}

/// The text with its JSON documents masked, and whether one of them is all of it.
fn documents(text: &str) -> (String, bool) {
    // What only begins like one is read in vain.
    const TRIES: usize = 16;
    let (mut shown, mut rest) = (String::with_capacity(text.len()), text);
    for _ in 0..TRIES {
        let Some(start) = rest.find(['{', '[']) else { break };
        let (before, from) = rest.split_at(start);
        shown.push_str(before);
        let mut found = serde_json::Deserializer::from_str(from).into_iter::<Value>();
        let Some(Ok(held)) = found.next() else {
            shown.push_str(&from[..1]);
            rest = &from[1..];
            continue;
        };
        let (json, after) = from.split_at(found.byte_offset());
        let is_all = shown.trim().is_empty() && after.trim().is_empty();
        match without_credentials(&held) {
            None => shown.push_str(json),
            Some(masked) if is_all => shown.push_str(&masked.to_string()),
            Some(masked) => {
                // Where words are enough, the members keep their order and their blanks.
                let by_words = prose::masked(json);
                let is_enough = serde_json::from_str(&by_words).is_ok_and(|read| without_credentials(&read).is_none());
                shown.push_str(&if is_enough { by_words } else { masked.to_string().into() });
            }
        }
        if is_all {
            return (shown + after, true);
        }
        rest = after;
    }
    (shown + rest, false)
}

/// None where there are none.
fn without_credentials(held: &Value) -> Option<Value> {
    let mut shown = held.clone();
    document(&mut shown);
    (shown != *held).then_some(shown)
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
    const STOOD: [&str; 3] = ["S0mething.else", "s0me:thing", "response=\"x\""];
    shown.contains(MASK)
        && STOOD
            .iter()
            .any(|stood| text(&shown.replace(MASK, stood)).contains(MASK))
}

/// Whether the value under that key is hidden in an action of that type.
pub fn hides(action: &str, key: &str) -> bool {
    // Whatever else this action is given becomes the content of a Secret.
    if action == "RotateSecret" {
        !["secret", "sourceSecret"].contains(&key)
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
