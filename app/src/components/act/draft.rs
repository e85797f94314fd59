//! What was typed into forms of decisions and not sent. It survives the form that it was typed into: when somebody else decides meanwhile, the
//! words stay readable; when the session ends, they are there again after the next sign-in. The browser keeps them for this tab alone.

#[cfg(not(feature = "ssr"))]
use super::stored;
use super::{Acting, Subject, field::inside_textarea};
use crate::{Acted, components::copy::copies, view};
use leptos::prelude::*;

#[derive(Clone, Copy, Debug)]
pub(super) struct Drafts {
    /// By the path of the API that they are meant for.
    kept: RwSignal<Vec<(String, Texts)>>,
    /// How the tab's entries begin, one for each draft: with the console and the person, so that who signs in next finds nothing of who was there
    /// before.
    #[cfg(not(feature = "ssr"))]
    entries: StoredValue<String>,
}

/// Names and texts of the members.
pub(crate) type Texts = Vec<(String, String)>;

// === impl Drafts ===

impl Drafts {
    /// A form that was refused before any script ran is the first of them.
    pub(super) fn of(refused: Option<&Acted>) -> Self {
        let refused = refused.filter(|acted| acted.error.is_some());
        let kept = refused.map(|acted| (acted.path.clone(), acted.typed.clone().into_iter().collect()));
        Self {
            kept: RwSignal::new(kept.into_iter().collect()),
            #[cfg(not(feature = "ssr"))]
            entries: StoredValue::new(format!("{ENTRIES}{} {} ", super::href(""), super::actor().0)),
        }
    }

    /// Those for a subject that no form asks for any more, each with its verb.
    pub(super) fn unsent(self, subject: &Subject, offered: &[&str]) -> Vec<(String, Texts)> {
        self.kept.with(|kept| {
            let unsent = kept.iter().filter_map(|(path, texts)| {
                let verb = subject.verb_of(path).filter(|verb| !offered.contains(verb))?;
                let is_written = texts.iter().any(|(name, _)| label(name).is_some());
                is_written.then(|| (verb.to_owned(), texts.clone()))
            });
            unsent.collect()
        })
    }

    #[cfg(not(feature = "ssr"))]
    pub(super) fn meant_for(self, path: &str) -> Texts {
        self.kept.with(|kept| {
            let draft = kept.iter().find(|(meant_for, _)| meant_for == path);
            draft.map(|(_, texts)| texts.clone()).unwrap_or_default()
        })
    }

    /// Takes the place of the draft before; nothing typed is no draft. Whoever types is told nothing new by it.
    #[cfg(not(feature = "ssr"))]
    pub(super) fn note(self, path: &str, typed: Texts) {
        self.store(path, &typed);
        let mut kept = self.kept.write_untracked();
        kept.retain(|(meant_for, _)| meant_for != path);
        if !typed.is_empty() {
            kept.push((path.to_owned(), typed));
        }
    }

    pub(super) fn drop(self, path: &str) {
        let is_kept = |kept: &Vec<(String, Texts)>| kept.iter().any(|(meant_for, _)| meant_for == path);
        if self.kept.with_untracked(is_kept) {
            #[cfg(not(feature = "ssr"))]
            self.store(path, &Texts::new());
            self.kept.update(|kept| kept.retain(|(meant_for, _)| meant_for != path));
        }
    }

    /// What this tab has kept; after the page is hydrated, as the server knows nothing of it.
    #[cfg(not(feature = "ssr"))]
    pub(super) fn recall(self) {
        Effect::new(move || {
            let mut recalled = stored::drafts(&self.entries.get_value());
            if !recalled.is_empty() {
                self.kept.update(|kept| {
                    recalled.retain(|(path, _)| kept.iter().all(|(meant_for, _)| meant_for != path));
                    kept.append(&mut recalled);
                });
            }
        });
    }

    /// A browser that keeps nothing leaves the drafts to the page.
    #[cfg(not(feature = "ssr"))]
    fn store(self, path: &str, texts: &Texts) {
        self.entries
            .with_value(|entries| stored::put(&format!("{entries}{path}"), texts));
    }

    /// Ends what was typed here by whoever signs out.
    pub(super) fn forget(self) {
        #[cfg(not(feature = "ssr"))]
        self.entries.with_value(|entries| stored::forget(entries));
    }
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
    let acting = expect_context::<Acting>();
    let page = subject.page();
    let unsent = move || {
        let unsent = acting.unsent(&subject, &offered).into_iter();
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
                            acting.drafts.drop(&path);
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
    stored::are_any(ENTRIES)
}

#[cfg(not(feature = "ssr"))]
pub(super) const ENTRIES: &str = "opsdeck_drafts ";
