//! What must not be shown: credentials inside objects. Lists, single objects, CSV, audit details, search and events all go through here.
//! Names of Secret objects stay readable, because an approver has to know which one is meant.

mod prose;
#[cfg(test)]
mod tests;

use crate::json;
use serde_json::Value;
use std::{borrow::Cow, collections::BTreeMap};

/// Stands where a secret was.
pub const MASK: &str = "***";

/// An answer of the API, as JSON in one line: every text in it without the credentials that it quotes. Members whose names say that they hold
/// one are for `document` and `entries`, where the names are not ours.
pub fn rendered(json: Vec<u8>) -> Vec<u8> {
    if !prose::is_suspicious(&json) {
        return json;
    }
    let mut shown = Vec::with_capacity(json.len());
    let mut rest = json.as_slice();
    while let Some(start) = rest.iter().position(|byte| *byte == b'"') {
        let end = start + literal(&rest[start..]);
        let is_name = rest.get(end) == Some(&b':');
        shown.extend(&rest[..start]);
        match masked_literal(&rest[start..end]).filter(|_| !is_name) {
            Some(masked) => shown.extend(masked),
            None => shown.extend(&rest[start..end]),
        }
        rest = &rest[end..];
    }
    shown.extend(rest);
    shown
}

/// How long the text is at which this begins, quotes included.
fn literal(json: &[u8]) -> usize {
    let mut escaped = false;
    let end = json.iter().skip(1).position(|byte| {
        let closes = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        closes
    });
    end.map_or(json.len(), |end| end + 2)
}

fn masked_literal(literal: &[u8]) -> Option<Vec<u8>> {
    let held: String = prose::is_suspicious(literal).then(|| serde_json::from_slice(literal).ok())??;
    let shown = text(&held);
    (shown != held).then(|| json::to_bytes(&*shown))
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

/// The stored form of a policy. Of these a NotificationPolicy has secrets: what its channels are configured with, addresses and credentials that
/// stand beside that, and both where failed deliveries quote them.
pub fn policy(policy: &mut Value) {
    // Each is looked for in every text; with more of them no text is worth its time.
    const MOST_SECRETS: usize = 256;
    let mut secrets = Vec::new();
    for channel in elements(policy.pointer_mut("/spec/channels")) {
        let Value::Object(members) = channel else { continue };
        for (name, member) in members.iter_mut().filter(|(name, _)| *name != "config") {
            let held = member.clone();
            if names_credential(name) {
                conceal(name, member);
            }
            document(member);
            without_addresses(member);
            if *member != held {
                note_texts(&held, &mut secrets);
            }
        }
        if let Some(config) = members.get("config") {
            note_texts(config, &mut secrets);
        }
        hide_values(members.get_mut("config"));
    }
    document(policy);
    // One that holds another goes first.
    secrets.sort_unstable_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
    secrets.dedup();
    let cleared = |text: &str| match secrets.len() {
        0..=MOST_SECRETS => (secrets.iter()).fold(without_urls(text), |text, secret| text.replace(secret, MASK)),
        _ => MASK.to_owned(),
    };
    for delivery in elements(policy.pointer_mut("/status/recentDeliveries")) {
        if let Some(Value::String(error)) = delivery.get_mut("error") {
            *error = cleared(error);
        }
    }
    for condition in elements(policy.pointer_mut("/status/conditions")) {
        if let Some(Value::String(message)) = condition.get_mut("message") {
            *message = cleared(message);
        }
    }
}

fn without_addresses(value: &mut Value) {
    match value {
        Value::Object(members) => members.values_mut().for_each(without_addresses),
        Value::Array(values) => values.iter_mut().for_each(without_addresses),
        Value::String(text) => *text = without_urls(text),
        _ => {}
    }
}

/// Every text in a channel's configuration that is long enough to be a secret, addresses without their scheme, too.
fn note_texts(config: &Value, texts: &mut Vec<String>) {
    const SHORTEST: usize = 6;
    match config {
        Value::String(text) if text.len() >= SHORTEST => {
            let bare = text.split_once("://").map_or(text.as_str(), |(_, rest)| rest);
            if bare.len() >= SHORTEST {
                texts.push(bare.to_owned());
            }
        }
        Value::Array(values) => values.iter().for_each(|value| note_texts(value, texts)),
        Value::Object(members) => members.values().for_each(|value| note_texts(value, texts)),
        _ => {}
    }
}

/// A text in which every address is blanked. An address ends at a space, a double quote, or what no address may hold.
pub fn without_urls(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(colon) = rest.find("://") {
        let scheme = rest[..colon].rfind(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
        let start = scheme.map_or(0, |before| {
            before + rest[before..].chars().next().map_or(1, char::len_utf8)
        });
        let address = &rest[start..];
        let end = address
            .find(|c: char| c.is_whitespace() || c.is_control() || "\"<>`".contains(c))
            .unwrap_or(address.len());
        shown.push_str(&rest[..start]);
        shown.push_str(MASK);
        rest = &address[end..];
    }
    shown + rest
}

/// Whether a value under that name is a password, a token, a credential, an API key or the value of a secret.
pub fn names_credential(key: &str) -> bool {
    const ANYWHERE: [&str; 17] = [
        "accesskey",
        "apikey",
        "authkey",
        "authorization",
        "bearer",
        "cookie",
        "credential",
        "encryptionkey",
        "passcode",
        "passphrase",
        "passwd",
        "password",
        "privatekey",
        "routingkey",
        "secret",
        "signingkey",
        "token",
    ];
    const WORDS: [&str; 4] = ["cred", "creds", "pass", "pw"];
    // What is told about a credential.
    const ABOUT: [&str; 9] = [
        "count", "expiry", "file", "length", "name", "path", "policy", "ttl", "type",
    ];
    let words = words(key);
    let joined = words.concat();
    let a_limit = words.first().is_some_and(|word| word == "max") && counts_tokens(key);
    let tells_about = words.last().is_some_and(|word| ABOUT.contains(&word.as_str()));
    // Alone it is the directory that a process works in.
    let is_pwd = joined.contains("pwd") && !["pwd", "oldpwd"].contains(&joined.as_str());
    !names_object(key)
        && !a_limit
        && !tells_about
        && (is_pwd
            || ANYWHERE.iter().any(|name| joined.contains(name))
            || words.iter().any(|word| WORDS.contains(&word.as_str())))
}

/// Whether a number under that name is one of tokens that a model reads.
fn counts_tokens(key: &str) -> bool {
    key.to_ascii_lowercase().ends_with("tokens")
}

/// Whether the value is the name of an object that holds the secret, not the secret.
fn names_object(key: &str) -> bool {
    const NAMES: [&str; 3] = ["secret", "sourcesecret", "imagepullsecret"];
    const ENDINGS: [&str; 2] = ["secretname", "secretref"];
    let joined = words(key).concat();
    NAMES.contains(&joined.as_str()) || ENDINGS.iter().any(|ending| joined.ends_with(ending))
}

/// `dbPassword`, `DB_PASSWORD` and `db-password` are the same two words.
fn words(key: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for c in key.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && after_small) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        after_small = c.is_lowercase() || c.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
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

fn hide_values(value: Option<&mut Value>) {
    match value {
        Some(Value::Object(members)) => members.values_mut().for_each(|member| *member = MASK.into()),
        Some(value) if !value.is_null() => *value = MASK.into(),
        _ => {}
    }
}

fn elements(list: Option<&mut Value>) -> impl Iterator<Item = &mut Value> {
    list.and_then(Value::as_array_mut).into_iter().flatten()
}
