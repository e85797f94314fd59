//! What was typed into forms of decisions and not sent. It survives the form that it was typed into: when somebody else decides meanwhile, the
//! words stay readable; when the session ends, they are there again after the next sign-in. The browser keeps them for this tab alone.

use super::{Desk, Subject, field::inside_textarea};
use crate::{Acted, client::tree, components::copy::copies, view};
use leptos::prelude::*;
use serde_json::{Map, Value, json};

#[derive(Clone, Copy, Debug)]
pub(super) struct Drafts {
    /// By the path of the API that they are meant for, each as the members of its body, in the JSON in which the browser keeps them.
    kept: RwSignal<Option<String>>,
    /// One entry for each person and console, so that who signs in next finds nothing of who was there before.
    #[cfg(not(feature = "ssr"))]
    entry: StoredValue<String>,
}

/// Names and texts of the members.
pub(crate) type Texts = Vec<(String, String)>;

// === impl Drafts ===

impl Drafts {
    /// A form that was refused before any script ran is the first of them.
    pub(super) fn of(refused: Option<&Acted>) -> Self {
        let refused = refused.filter(|acted| acted.error.is_some());
        let kept = refused.map(|acted| {
            let drafts: Map<_, _> = [(acted.path.clone(), json!(acted.typed))].into_iter().collect();
            Value::Object(drafts).to_string()
        });
        Self {
            kept: RwSignal::new(kept),
            #[cfg(not(feature = "ssr"))]
            entry: StoredValue::new(format!("{ENTRIES}{} {}", super::href(""), super::actor().0)),
        }
    }

    /// Those for a subject that no form asks for any more, each with its verb.
    pub(super) fn unsent(self, subject: &Subject, offered: &[&str]) -> Vec<(String, Texts)> {
        let drafts = self.kept.with(|kept| read(kept.as_deref())).into_iter();
        drafts
            .filter_map(|(path, members)| {
                let verb = subject.verb_of(&path).filter(|verb| !offered.contains(verb))?;
                let texts = texts(&members);
                let is_written = texts.iter().any(|(name, _)| label(name).is_some());
                is_written.then(|| (verb.to_owned(), texts))
            })
            .collect()
    }

    #[cfg(not(feature = "ssr"))]
    pub(super) fn meant_for(self, path: &str) -> Texts {
        let drafts = self.kept.with(|kept| read(kept.as_deref()));
        drafts.get(path).map(texts).unwrap_or_default()
    }

    /// Takes the place of the draft before; nothing typed is no draft. Whoever types is told nothing new by it.
    #[cfg(not(feature = "ssr"))]
    pub(super) fn note<'a>(self, path: &str, typed: impl Iterator<Item = (&'a str, &'a str)>) {
        let typed: Map<_, _> = typed.map(|(name, text)| (name.to_owned(), text.into())).collect();
        let mut drafts = self.kept.with_untracked(|kept| read(kept.as_deref()));
        if typed.is_empty() {
            drafts.remove(path);
        } else {
            drafts.insert(path.to_owned(), Value::Object(typed));
        }
        let kept = written_down(drafts);
        self.store(kept.as_deref());
        *self.kept.write_untracked() = kept;
    }

    pub(super) fn drop(self, path: &str) {
        let mut drafts = self.kept.with_untracked(|kept| read(kept.as_deref()));
        if drafts.remove(path).is_some() {
            let kept = written_down(drafts);
            #[cfg(not(feature = "ssr"))]
            self.store(kept.as_deref());
            self.kept.set(kept);
        }
    }

    /// What this tab has kept; after the page is hydrated, as the server knows nothing of it.
    #[cfg(not(feature = "ssr"))]
    pub(super) fn recall(self) {
        Effect::new(move || {
            let entry = self.entry.get_value();
            let Some(before) = storage().and_then(|storage| storage.get_item(&entry).ok().flatten()) else {
                return;
            };
            let mut drafts = read(Some(&before));
            drafts.extend(self.kept.with_untracked(|kept| read(kept.as_deref())));
            self.kept.set(written_down(drafts));
        });
    }

    /// A browser that keeps nothing leaves the drafts to the page.
    #[cfg(not(feature = "ssr"))]
    fn store(self, kept: Option<&str>) {
        let (entry, Some(storage)) = (self.entry.get_value(), storage()) else {
            return;
        };
        let _ = match kept {
            Some(kept) => storage.set_item(&entry, kept),
            None => storage.remove_item(&entry),
        };
    }

    /// Ends what was typed here by whoever signs out.
    pub(super) fn forget(self) {
        #[cfg(not(feature = "ssr"))]
        self.store(None);
    }
}

fn read(kept: Option<&str>) -> Map<String, Value> {
    match kept.map(tree) {
        Some(Ok(Value::Object(drafts))) => drafts,
        _ => Map::new(),
    }
}

fn written_down(drafts: Map<String, Value>) -> Option<String> {
    (!drafts.is_empty()).then(|| Value::Object(drafts).to_string())
}

fn texts(members: &Value) -> Texts {
    let members = members.as_object().into_iter().flatten();
    members
        .filter_map(|(name, text)| Some((name.clone(), text.as_str()?.to_owned())))
        .collect()
}

/// Of what people write; a name or a choice is soon made again.
fn label(name: &str) -> Option<&'static str> {
    Some(match name {
        "reason" => "Reason",
        "resolution" => "Resolution",
        "notes" => "Notes",
        "note" => "Note",
        _ => return None,
    })
}

/// What was about to be done to an object and cannot be any more, where the form stood.
pub(crate) fn unsent(subject: Subject, offered: Vec<&'static str>) -> AnyView {
    let desk = expect_context::<Desk>();
    let page = subject.page();
    let unsent = move || {
        let unsent = desk.unsent(&subject, &offered).into_iter();
        let unsent = unsent.map(|(verb, texts)| {
            let path = subject.path(&verb);
            let meant_for = path.clone();
            view! {
                <section class="unsent" data-unsent=meant_for>
                    <h3>"Not sent: " {intent(&verb)}</h3>
                    {written(texts)}
                    // Without script the page forgets it by itself.
                    <a
                        class="btn"
                        href=page.clone()
                        rel="external"
                        on:click=move |event| {
                            event.prevent_default();
                            desk.drafts.drop(&path);
                        }
                    >
                        "Dismiss"
                    </a>
                </section>
            }
        });
        unsent.collect_view()
    };
    unsent.into_any()
}

/// Texts that were written, to be read and copied.
pub(crate) fn written(texts: Texts) -> AnyView {
    let texts = texts.into_iter().filter_map(|(name, text)| {
        let label = label(&name)?;
        let copy = copies(text.clone());
        Some(view! {
            <label>{label} <textarea readonly rows="3">{inside_textarea(text)}</textarea></label>
            {copy}
        })
    });
    texts.collect_view().into_any()
}

fn intent(verb: &str) -> &'static str {
    match verb {
        "approve" => "your approval",
        "reject" => "your rejection",
        "resolve" => "your resolution",
        "review" => "your review",
        "close" => "your closing notes",
        "ack-human-action" => "your acknowledgement",
        _ => "what you had written",
    }
}

/// Whether this tab keeps drafts of anybody.
#[cfg(not(feature = "ssr"))]
pub(crate) fn are_kept() -> bool {
    let Some(storage) = storage() else { return false };
    let mut entries = (0..storage.length().unwrap_or_default()).filter_map(|index| storage.key(index).ok().flatten());
    entries.any(|entry| entry.starts_with(ENTRIES))
}

#[cfg(not(feature = "ssr"))]
const ENTRIES: &str = "opsdeck_drafts ";

#[cfg(not(feature = "ssr"))]
fn storage() -> Option<web_sys::Storage> {
    window().session_storage().ok().flatten()
}
