//! Drafts as the browser keeps them for a tab: an entry for each, of which it holds the time and the members. Whose they are stands in `draft`.

use super::draft::Texts;
use crate::client::tree;
use leptos::prelude::*;
use serde_json::{Map, Value};
use web_sys::Storage;

/// More than anybody has under way; without an end, a tab that is never closed would keep every word that was ever left.
const MOST: usize = 50;

/// Replaces an entry, or ends it where nothing was typed. A new one may take the place of the oldest, whoever's that is.
pub(super) fn put(entry: &str, texts: &Texts) {
    let Some(storage) = storage() else { return };
    if texts.is_empty() {
        let _ = storage.remove_item(entry);
        return;
    }
    let is_new = matches!(storage.get_item(entry), Ok(None));
    let members: Map<_, _> = (texts.iter())
        .map(|(name, text)| (name.clone(), text.as_str().into()))
        .collect();
    let now = js_sys::Date::new_0().to_iso_string();
    let _ = storage.set_item(entry, &format!("{} {}", String::from(now), Value::Object(members)));
    if is_new {
        let entries = entries(&storage, super::draft::ENTRIES);
        if entries.len() > MOST {
            // They begin with their time, in which text and time have one order.
            let by_age = entries.into_iter().map(|entry| (storage.get_item(&entry).ok(), entry));
            if let Some((_, oldest)) = by_age.min() {
                let _ = storage.remove_item(&oldest);
            }
        }
    }
}

/// By what follows `prefix` in their entries.
pub(super) fn drafts(prefix: &str) -> Vec<(String, Texts)> {
    let Some(storage) = storage() else { return Vec::new() };
    let drafts = own(&storage, prefix).into_iter().filter_map(|entry| {
        let kept = storage.get_item(&entry).ok()??;
        let members = tree(kept.split_once(' ')?.1).ok()?;
        let texts = members.as_object()?.iter();
        let texts = texts.filter_map(|(name, text)| Some((name.clone(), text.as_str()?.to_owned())));
        Some((entry.strip_prefix(prefix)?.to_owned(), texts.collect()))
    });
    drafts.collect()
}

pub(super) fn forget(prefix: &str) {
    let Some(storage) = storage() else { return };
    for entry in own(&storage, prefix) {
        let _ = storage.remove_item(&entry);
    }
}

pub(super) fn are_any(prefix: &str) -> bool {
    storage().is_some_and(|storage| !entries(&storage, prefix).is_empty())
}

/// Somebody's name may begin with another one's: what follows it is a path.
fn own(storage: &Storage, prefix: &str) -> Vec<String> {
    entries(storage, &format!("{prefix}/"))
}

fn entries(storage: &Storage, prefix: &str) -> Vec<String> {
    let all = (0..storage.length().unwrap_or_default()).filter_map(|index| storage.key(index).ok().flatten());
    all.filter(|entry| entry.starts_with(prefix)).collect()
}

fn storage() -> Option<Storage> {
    window().session_storage().ok().flatten()
}
