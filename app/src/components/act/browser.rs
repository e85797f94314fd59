//! What the forms of decisions do where scripts run: the page asks the API itself, and what is typed survives whatever happens to the page.

use super::{Acted, Acting, Subject, Target, draft::Texts};
use crate::{client::Api, components::ask::Refresh};
use leptos::{ev, html, prelude::*, task::spawn_local};
use leptos_router::hooks::use_location;
use opsdeck_api::StringMap;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Element, FormData, HtmlElement, HtmlFormElement, HtmlInputElement, NodeList};

/// Another page begins without the outcome, the open forms, and what was told to be not sent on the one before, whose elements it may take over.
/// Drafts of forms that still stand come back with their page.
pub(super) fn clear_on_leaving(acting: Acting) {
    let pathname = use_location().pathname;
    Effect::new(move |before: Option<String>| {
        let path = pathname.get();
        if before.is_some_and(|before| before != path) {
            acting.acted.set(None);
            acting.arrived.set_value(None);
            for told in elements(document().query_selector_all("[data-unsent]")) {
                acting
                    .drafts
                    .drop(&told.get_attribute("data-unsent").unwrap_or_default());
            }
            for form in elements(document().query_selector_all(".acts form")) {
                if let Ok(form) = form.dyn_into::<HtmlFormElement>() {
                    form.reset();
                    fold_around(&form);
                }
            }
        }
        path
    });
}

fn elements(list: Result<NodeList, JsValue>) -> Vec<Element> {
    let Ok(list) = list else { return Vec::new() };
    (0..list.length())
        .filter_map(|index| list.get(index)?.dyn_into().ok())
        .collect()
}

impl Target {
    /// What the form says: of several fields of one name the last that says anything.
    fn filled(&self, form: &HtmlFormElement) -> StringMap {
        let Ok(data) = FormData::new_with_form(form) else {
            return StringMap::new();
        };
        let members = self.members.iter().filter_map(|(name, _)| {
            let given = data.get_all(name).into_iter().filter_map(|value| value.as_string());
            let last = given.filter(|text| !text.is_empty()).last()?;
            Some(((*name).to_owned(), last))
        });
        members.collect()
    }

    fn note_draft(&self, filled: &StringMap) {
        let typed: Texts = (self.members.iter())
            .filter_map(|(name, offered)| {
                let text = filled.get(*name)?;
                (offered.as_ref() != Some(text)).then(|| ((*name).to_owned(), text.clone()))
            })
            .collect();
        // What was read belongs to what was typed, and is no draft by itself.
        let is_read = |of: &str| (self.members.iter()).any(|(name, offered)| *name == of && offered.is_none());
        let is_draft = typed.iter().any(|(name, _)| !is_read(name));
        self.acting
            .drafts
            .note(&self.path, if is_draft { typed } else { Texts::new() });
    }
}

/// The form in which something happened.
fn form_of(event: &ev::Event) -> Option<HtmlFormElement> {
    let within = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    within?.closest("form").ok()??.dyn_into().ok()
}

/// The form for this path as it stands now: the element that it once had may be another one's by then.
fn form_for(path: &str) -> Option<HtmlFormElement> {
    let forms = elements(document().query_selector_all(".acts form"));
    let mut own = forms
        .into_iter()
        .filter(|form| form.get_attribute(OWNER).as_deref() == Some(path));
    own.next()?.dyn_into().ok()
}

pub(super) fn keep(target: &Target, event: &ev::Event) {
    if let Some(form) = form_of(event) {
        target.note_draft(&target.filled(&form));
    }
}

/// Gives a form its draft back when it stands anew, and opens it.
pub(super) fn refill(target: &Target, node: NodeRef<html::Form>) {
    if target.members.is_empty() {
        return;
    }
    let target = target.clone();
    Effect::new(move || {
        let Some(form) = node.get() else { return };
        // A form may take over the element of another one, whose words are none of its own.
        let before = form.get_attribute(OWNER);
        if before.is_some_and(|before| before != target.path) {
            form.reset();
            fold_around(&form);
            read_now(&form);
        }
        // The name is a valid one, so this cannot fail.
        let _ = form.set_attribute(OWNER, &target.path);
        let draft = target.acting.drafts.meant_for(&target.path);
        let stands = target.filled(&form);
        let (mut is_filled, mut is_newer) = (false, false);
        for (name, _) in target.members.iter().filter(|(_, offered)| offered.is_some()) {
            let text = draft.iter().find(|(of, _)| of == name).map(|(_, text)| text);
            let fields = elements(form.query_selector_all("textarea, input:not([type=hidden])")).into_iter();
            let fields: Vec<_> = fields
                .filter(|field| field.get_attribute("name").as_deref() == Some(name))
                .collect();
            // What was typed before this script had come is newer than what it finds.
            if fields.iter().any(is_touched) {
                is_newer |= stands.get(*name) != text;
            } else if let Some(text) = text {
                is_filled |= fill(&fields, text);
            }
        }
        if is_newer {
            target.note_draft(&target.filled(&form));
        } else {
            for field in elements(form.query_selector_all(READ)) {
                let read = draft
                    .iter()
                    .find(|(of, _)| Some(of) == field.get_attribute("name").as_ref());
                if let Some((_, read)) = read {
                    let _ = field.set_attribute(VALUE, read);
                }
            }
        }
        warn(&form);
        if is_filled && let Ok(Some(details)) = form.closest("details") {
            let _ = details.set_attribute("open", "");
        }
    });
}

/// Whether it holds something else than the page came with.
fn is_touched(field: &Element) -> bool {
    match radio(field) {
        Some(radio) => radio.checked() != radio.default_checked(),
        None => property(field, VALUE) != property(field, "defaultValue"),
    }
}

/// Whether any of them held something else.
fn fill(fields: &[Element], text: &str) -> bool {
    let (mut is_filled, mut is_chosen) = (false, false);
    for field in fields {
        if let Some(radio) = radio(field) {
            let is_meant = radio.value() == text;
            is_chosen |= is_meant;
            is_filled |= is_meant && !radio.checked();
            radio.set_checked(is_meant);
        } else if !is_chosen && property(field, VALUE).as_deref() != Some(text) {
            is_filled |= js_sys::Reflect::set(field, &VALUE.into(), &text.into()).is_ok();
        }
    }
    is_filled
}

fn radio(field: &Element) -> Option<&HtmlInputElement> {
    (field.dyn_ref::<HtmlInputElement>()).filter(|input| input.type_() == "radio")
}

/// Whoever opens a form reads what the page shows now, whatever was read for the draft in it.
pub(super) fn read_anew(target: &Target, event: &ev::MouseEvent) {
    let within = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some(details) = within.and_then(|within| within.closest("details").ok().flatten()) else {
        return;
    };
    let form = details.query_selector("form").ok().flatten();
    if let Some(form) = form.and_then(|form| form.dyn_into::<HtmlFormElement>().ok())
        && !details.has_attribute("open")
    {
        read_now(&form);
        target.note_draft(&target.filled(&form));
    }
}

fn read_now(form: &HtmlFormElement) {
    for field in elements(form.query_selector_all(READ)) {
        let _ = field.set_attribute(VALUE, &field.get_attribute(NOW).unwrap_or_default());
    }
    warn(form);
}

/// Says next to what was read whether the page shows something else by now.
fn warn(form: &HtmlFormElement) {
    for field in elements(form.query_selector_all(READ)) {
        if let Some(words) = field.next_element_sibling() {
            let is_same = field.get_attribute(VALUE) == field.get_attribute(NOW);
            // The name is a valid one, so this cannot fail.
            let _ = words.toggle_attribute_with_force("hidden", is_same);
        }
    }
}

const OWNER: &str = "data-owner";
const VALUE: &str = "value";
const READ: &str = "input[data-now]";
const NOW: &str = "data-now";

fn property(field: &Element, name: &str) -> Option<String> {
    js_sys::Reflect::get(field, &name.into()).ok()?.as_string()
}

/// Whoever types into a form that is about to go is led to where it says why.
pub(super) fn keep_focus(subject: &Subject, offered: &[&str]) {
    let Some(focused) = document().active_element() else {
        return;
    };
    let outcome = subject.outcome_id();
    let form = focused.closest("details.act").ok().flatten().map(|form| form.id());
    let verb = form
        .as_deref()
        .and_then(|form| form.strip_suffix(&*subject.name)?.strip_suffix('-'));
    if verb.is_some_and(|verb| !offered.contains(&verb)) {
        request_animation_frame(move || focus_words(document().get_element_by_id(&outcome)));
    }
}

/// Words take the focus by a `tabindex` that is none of the view's own: those are taken off and put on again whenever it is shown anew, and the
/// focus would go with them.
fn focus_words(words: Option<Element>) {
    if let Some(words) = &words {
        // The name is a valid one, so this cannot fail.
        let _ = words.set_attribute("tabindex", "-1");
    }
    focus(words);
}

pub(super) fn send(target: &Target, api: &Api, refresh: Refresh, event: &ev::SubmitEvent) {
    let Some(form) = form_of(event) else { return };
    event.prevent_default();
    let acting = target.acting;
    let path = target.path.clone();
    // Never twice, however often the button is pressed: that it is being sent is said already.
    if untrack(|| acting.is_sending(&path)) {
        return;
    }
    acting.under_way.update(|paths| paths.push(path.clone()));
    if !acting.tells_of_another_refusal(&path) {
        acting.acted.set(None);
    }
    let typed = target.filled(&form);
    target.note_draft(&typed);
    let sent = acting.drafts.meant_for(&path);
    let api = api.clone();
    spawn_local(async move {
        let answer = api.post(&path, serde_json::json!(typed).to_string()).await;
        let acted = Acted {
            path,
            error: answer.err(),
            typed,
        };
        // What was typed since then was not sent, and stays.
        let is_over = acted.error.is_none() && untrack(|| acting.drafts.meant_for(&acted.path)) == sent;
        if is_over {
            acting.drafts.drop(&acted.path);
        }
        acting
            .under_way
            .update(|paths| paths.retain(|path| *path != acted.path));
        if let Some(form) = form_for(&acted.path) {
            if is_over {
                form.reset();
            }
            // What a form asks for that is over or outdated is to be read anew; one that was refused stays open as it is.
            if (is_over || acted.is_outdated()) && fold_around(&form) {
                let outcome = form.closest(".acts").ok().flatten();
                focus_words(outcome.and_then(|acts| acts.query_selector(".outcome").ok().flatten()));
            }
        }
        let is_known = acted.error.as_ref().is_none_or(|error| error.status == 409);
        if acted.error.is_some() || !acting.tells_of_another_refusal(&acted.path) {
            acting.acted.set(Some(acted));
        }
        if is_known {
            refresh.now();
        }
    });
}

pub(super) fn fold(event: &ev::KeyboardEvent) {
    let within = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let details = within.and_then(|within| within.closest("details").ok().flatten());
    if let Some(details) = details.filter(|details| details.has_attribute("open")) {
        // The name is a valid one, so this cannot fail.
        let _ = details.remove_attribute("open");
        focus(details.query_selector("summary").ok().flatten());
    }
}

pub(super) fn kept(form: &str, name: &str) -> Option<String> {
    let details = document().get_element_by_id(form)?;
    let field = details.query_selector(&format!("input[name={name}]")).ok()??;
    field.get_attribute("value").filter(|_| details.has_attribute("open"))
}

pub(super) fn chosen(form: &str) -> Option<String> {
    let details = document().get_element_by_id(form)?;
    details.query_selector(":checked").ok()??.get_attribute("value")
}

/// Whether there was something to fold.
fn fold_around(form: &HtmlFormElement) -> bool {
    let details = form.closest("details").ok().flatten();
    // The name is a valid one, so this cannot fail.
    details.is_some_and(|details| details.has_attribute("open") && details.remove_attribute("open").is_ok())
}

fn focus(element: Option<Element>) {
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        // An element that was just found can be focused.
        let _ = element.focus();
    }
}
