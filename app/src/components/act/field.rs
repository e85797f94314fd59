//! The fields of a form: lines, texts, choices, and what was read when the form was opened.

use crate::{Acted, view};
use leptos::prelude::*;

/// One member of the body that is sent.
pub(crate) enum Field {
    Line {
        name: &'static str,
        label: &'static str,
        value: String,
        required: bool,
    },
    Text {
        name: &'static str,
        label: &'static str,
        hint: &'static str,
    },
    /// Some values to choose from, the second of them chosen, or another one that is typed.
    Choice {
        name: &'static str,
        label: &'static str,
        options: &'static [(&'static str, &'static str)],
        other: &'static str,
    },
    /// What the page showed when the form was opened.
    Read { name: &'static str, value: String },
}

// === impl Field ===

impl Field {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Line { name, .. } | Self::Text { name, .. } | Self::Choice { name, .. } | Self::Read { name, .. } => {
                name
            }
        }
    }

    /// What it holds before anybody types; nothing where nobody can.
    pub(super) fn offered(&self) -> Option<String> {
        match self {
            Self::Line { value, .. } => Some(value.clone()),
            Self::Text { .. } => Some(String::new()),
            Self::Choice { options, .. } => Some(options.get(1).map_or("", |(value, _)| *value).to_owned()),
            Self::Read { .. } => None,
        }
    }

    pub(super) fn view(self, form: &str, refused: Option<&Acted>) -> AnyView {
        let typed = refused.map_or("", |acted| acted.typed(self.name())).to_owned();
        match self {
            Self::Line {
                name,
                label,
                value,
                required,
            } => {
                let value = if refused.is_some() { typed } else { value };
                line(name, label, value, required)
            }
            Self::Text { name, label, hint } => {
                let area = if typed.is_empty() {
                    view! { <textarea name=name rows="3" placeholder=hint></textarea> }
                } else {
                    view! { <textarea name=name rows="3" placeholder=hint>{inside_textarea(typed)}</textarea> }
                };
                view! { <label>{label} {area}</label> }
            }
            Self::Choice {
                name,
                label,
                options,
                other,
            } => {
                let is_listed = options.iter().any(|(value, _)| *value == typed);
                let offered = options.get(1).map_or("", |(value, _)| *value);
                let chosen = if typed.is_empty() { offered } else { &typed };
                let chosen = stays_chosen(form, chosen);
                let options: Vec<_> = options
                    .iter()
                    .map(|(value, label)| {
                        view! {
                            <label class="check">
                                <input type="radio" name=name value=*value checked={*value == chosen} />
                                {*label}
                            </label>
                        }
                    })
                    .collect();
                let typed = if is_listed { String::new() } else { typed.clone() };
                view! {
                    <fieldset>
                        <legend>{label}</legend>
                        {options}
                    </fieldset>
                    {line(name, other, typed, false)}
                }
            }
            Self::Read { name, value } => {
                let read = as_read(form, name, &value);
                view! {
                    <input type="hidden" name=name value=read data-now=value />
                    // Where scripts run, it shows when the two differ.
                    <p class="warn" hidden>
                        "What would be done has changed since you opened this. Close it and read it again."
                    </p>
                }
            }
        }
    }
}

/// Leptos writes what stands in a textarea as it is.
pub(super) fn inside_textarea(text: String) -> String {
    if cfg!(feature = "ssr") {
        text.replace('&', "&amp;").replace('<', "&lt;")
    } else {
        text
    }
}

fn line(name: &'static str, label: &'static str, value: String, required: bool) -> AnyView {
    view! {
        <label>
            {label} <input type="text" name=name value=value required=required autocomplete="off" maxlength="253" />
        </label>
    }
}

/// What was chosen in a form that is on screen stays so.
fn stays_chosen(form: &str, at_first: &str) -> String {
    #[cfg(not(feature = "ssr"))]
    if let Some(chosen) = super::browser::chosen(form) {
        return chosen;
    }
    let _ = form;
    at_first.to_owned()
}

/// While a form is open, it keeps what the page showed when it was opened, whatever the page shows by now.
fn as_read(form: &str, name: &str, now: &str) -> String {
    #[cfg(not(feature = "ssr"))]
    if let Some(read) = super::browser::kept(form, name) {
        return read;
    }
    let _ = (form, name);
    now.to_owned()
}
