//! What a person may do to an object, as forms that are described by data. Without script a form posts to the console, which asks the API in the
//! person's name; with script the page asks the API itself and stays. What may be done when, and in which words, stands in `decisions`.

use crate::{
    Acted, Session,
    client::ApiError,
    components::{
        ask::Refresh,
        link::{href, segment},
        time::{parse, stamp},
        words::{capitalised, listed, person},
    },
    shell::PageContext,
    view,
};
use leptos::{ev, prelude::*};
use leptos_router::hooks::use_location;
use opsdeck_api::{Query, Role};

/// What was done last on this page, and whether something is under way. Outlives what is shown of the object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Desk {
    acted: RwSignal<Option<Acted>>,
    /// As the page arrived: the form that was refused before any script ran.
    arrived: StoredValue<Option<Acted>>,
    busy: RwSignal<bool>,
}

/// The object that something is done to.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    /// `/incidents`, as the API and the pages have it.
    pub(crate) list: &'static str,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// One thing that can be done.
pub(crate) struct Act {
    /// Last part of the API's path.
    pub(crate) verb: &'static str,
    /// On the button that does it, or opens the form.
    pub(crate) label: String,
    /// `go` for the one that is most likely wanted, `no` for its opposite.
    pub(crate) weight: &'static str,
    pub(crate) form: Option<Form>,
}

/// Opened before it is done.
pub(crate) struct Form {
    /// What will happen, to what.
    pub(crate) consequence: AnyView,
    pub(crate) fields: Vec<Field>,
    /// On the button that does it.
    pub(crate) button: String,
}

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

// === impl Desk ===

impl Desk {
    pub(crate) fn provide() {
        let arrived = expect_context::<PageContext>().acted;
        let desk = Self {
            acted: RwSignal::new(arrived.clone()),
            arrived: StoredValue::new(arrived),
            busy: RwSignal::new(false),
        };
        provide_context(desk);
        #[cfg(not(feature = "ssr"))]
        browser::clear_on_leaving(desk);
    }
}

// === impl Subject ===

impl Subject {
    fn path(&self, verb: &str) -> String {
        let path = format!("{}/{}/{verb}", self.list, segment(&self.name));
        Query::default().with("namespace", &self.namespace).on(&path)
    }

    fn page(&self) -> String {
        href(&format!(
            "{}/{}/{}",
            self.list,
            segment(&self.namespace),
            segment(&self.name)
        ))
    }

    /// What was done, if it was done to this one.
    fn verb_of<'a>(&self, path: &'a str) -> Option<&'a str> {
        let verb = path.split(['/', '?']).nth(3)?;
        (path == self.path(verb)).then_some(verb)
    }
}

// === impl Act ===

impl Act {
    /// Done at once.
    pub(crate) fn at_once(verb: &'static str, label: &str) -> Option<Self> {
        Some(Self {
            verb,
            label: label.to_owned(),
            weight: "",
            form: None,
        })
    }

    /// Done after its form.
    pub(crate) fn with_form(
        verb: &'static str,
        label: impl Into<String>,
        weight: &'static str,
        form: Form,
    ) -> Option<Self> {
        Some(Self {
            verb,
            label: label.into(),
            weight,
            form: Some(form),
        })
    }
}

/// Identity of who is signed in, and whether the role may change anything.
pub(crate) fn actor() -> (String, bool) {
    let session = expect_context::<RwSignal<Session>>().get_untracked();
    session.map_or_else(
        |_| (String::new(), false),
        |who| {
            let may = who.role.parse().is_ok_and(|role: Role| role >= Role::Operator);
            (who.identity, may)
        },
    )
}

/// The forms in their order, those that do not apply left out, and below them how the last one ended. The place of each stays the same, so that
/// one that comes or goes takes no draft with it. `rights` tells those who may not what others may.
pub(crate) fn acts(subject: Subject, rights: &'static str, acts: Vec<Option<Act>>) -> AnyView {
    let (identity, may) = actor();
    let told = (!may && !rights.is_empty())
        .then(|| view! { <p class="dim">{format!("You are {identity}: this role reads. Operators and admins may {rights}.")}</p> });
    let forms: Vec<_> = acts
        .into_iter()
        .map(|act| act.filter(|_| may).map(|act| form(&subject, act)))
        .collect();
    view! { <div class="acts">{told} {forms} {outcome(subject)}</div> }
}

fn form(subject: &Subject, act: Act) -> AnyView {
    let desk = expect_context::<Desk>();
    let path = subject.path(act.verb);
    let refused = (desk.arrived.get_value()).filter(|acted| acted.error.is_some() && acted.path == path);
    let id = format!("{}-{}", act.verb, subject.name);
    let opens = act.form.is_some();
    let (consequence, fields, button, weight) = match act.form {
        Some(form) => (Some(form.consequence), form.fields, form.button, "btn go"),
        None => (None, Vec::new(), act.label.clone(), "btn"),
    };
    let names: Vec<_> = fields.iter().map(Field::name).collect();
    let fields: Vec<_> = fields
        .into_iter()
        .map(|field| field.view(&id, refused.as_ref()))
        .collect();
    let location = use_location();
    let next = location.pathname.get_untracked();
    let send = sends(desk, path.clone(), names);
    let body = view! {
        <form method="post" action=href("/act") on:submit=send>
            <input type="hidden" name="act" value=path />
            <input type="hidden" name="next" value=next />
            {consequence}
            {fields}
            <button class=weight type="submit" aria-disabled=move || desk.busy.get().then_some("true")>
                {button}
            </button>
        </form>
    };
    if !opens {
        return body;
    }
    let is_open = stays_open(&id, refused.is_some_and(|acted| !acted.is_outdated()));
    view! {
        <details class="act" name="act" id=id open=is_open on:keydown=folds>
            <summary class=format!("btn {}", act.weight)>{act.label}</summary>
            <div class="form">{body}</div>
        </details>
    }
}

// === impl Field ===

impl Field {
    fn name(&self) -> &'static str {
        match self {
            Self::Line { name, .. } | Self::Text { name, .. } | Self::Choice { name, .. } | Self::Read { name, .. } => {
                name
            }
        }
    }

    fn view(self, form: &str, refused: Option<&Acted>) -> AnyView {
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
                let changed = read != value;
                view! {
                    <input type="hidden" name=name value=read />
                    {changed.then(|| view! { <p class="warn">"What would be done has changed since you opened this. Close it and read it again."</p> })}
                }
            }
        }
    }
}

/// Leptos writes what stands in a textarea as it is.
fn inside_textarea(text: String) -> String {
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

/// A form that is on screen stays as the person has left it: an attribute is written anew with every answer.
fn stays_open(form: &str, at_first: bool) -> bool {
    #[cfg(not(feature = "ssr"))]
    if let Some(details) = document().get_element_by_id(form) {
        return details.has_attribute("open");
    }
    let _ = form;
    at_first
}

/// So does what was chosen in it.
fn stays_chosen(form: &str, at_first: &str) -> String {
    #[cfg(not(feature = "ssr"))]
    if let Some(chosen) = browser::chosen(form) {
        return chosen;
    }
    let _ = form;
    at_first.to_owned()
}

/// While a form is open, it keeps what the page showed when it was opened, whatever the page shows by now.
fn as_read(form: &str, name: &str, now: &str) -> String {
    #[cfg(not(feature = "ssr"))]
    if let Some(read) = browser::kept(form, name) {
        return read;
    }
    let _ = (form, name);
    now.to_owned()
}

/// How the last act on this object ended.
fn outcome(subject: Subject) -> AnyView {
    let desk = expect_context::<Desk>();
    let refresh = expect_context::<Refresh>();
    let page = subject.page();
    let is_bad = move || {
        desk.acted
            .with(|acted| acted.as_ref().is_some_and(|acted| acted.error.is_some()))
    };
    let words = move || {
        let acted = desk.acted.get()?;
        let verb = subject.verb_of(&acted.path)?;
        let Some(error) = &acted.error else {
            return Some(done(verb).into_any());
        };
        // These take the form away with the chance to decide, and what was written with it.
        let written = acted.typed(if verb == "resolve" { "resolution" } else { "reason" });
        let is_over = matches!(acted.reason(), "already_decided" | "expired" | "already_resolved");
        let written = (is_over && !written.is_empty()).then(|| format!(" You had written: “{written}”"));
        Some(view! {
            <b>"Not done. "</b>
            {explain(error)}
            " "
            <a
                class="go"
                href=page.clone()
                rel="external"
                on:click=move |event| {
                    event.prevent_default();
                    refresh.now();
                }
            >
                "Read it again"
            </a>
            {written}
        })
    };
    view! {
        <p class="outcome" class:bad=is_bad role="status" aria-live="polite" tabindex="-1">
            {words}
        </p>
    }
}

fn done(verb: &str) -> &'static str {
    match verb {
        "acknowledge" => "Acknowledged.",
        "unacknowledge" => "No longer acknowledged.",
        "snooze" => "Snoozed.",
        "unsnooze" => "No longer snoozed.",
        "resolve" => "Resolved.",
        "approve" => "Your approval is recorded.",
        "reject" => "Your rejection is recorded.",
        "reprobe" => "Asked for. What the probe finds will show here.",
        "review" => "In review.",
        "close" => "Closed.",
        "ack-human-action" => "Acknowledged: nothing is owed any more.",
        _ => "Done.",
    }
}

/// What is true now, in one or two sentences.
fn explain(error: &ApiError) -> String {
    let hand = error.hand.as_deref();
    let who = hand
        .and_then(|hand| hand.by.as_deref())
        .map(|by| by.split(", ").map(person).collect::<Vec<_>>());
    let who = who.map(|people| listed(&people));
    let at = hand.and_then(|hand| hand.at.as_deref()).and_then(parse).map(stamp);
    let hand = [
        who.clone().map(|who| format!(" by {who}")),
        at.clone().map(|at| format!(", at {at}")),
    ];
    let hand: String = hand.into_iter().flatten().collect();
    match (error.status, error.reason.as_deref().unwrap_or_default()) {
        (0, _) => "The server did not answer, so it may have been done after all. Look before you press again.".into(),
        (401, _) => "The session has ended. Sign in again; what you typed stays here until you leave.".into(),
        (_, "plan_changed") => "What would be done has changed since you read it, and nothing was recorded.".into(),
        (_, "already_decided") if error.message.contains("one key is one vote") => {
            format!("This key has voted already{hand}: one key is one vote.")
        }
        (_, "already_decided") => format!("It is decided already{hand}."),
        (_, "already_resolved") => format!("It is resolved already{hand}."),
        (_, "expired") => format!(
            "Its time to be decided ran out{}.",
            at.map_or_else(String::new, |at| format!(" at {at}"))
        ),
        (_, "conflict") => format!(
            "{} changed it at the same moment{}.",
            who.unwrap_or_else(|| "Somebody else".into()),
            at.map_or_else(String::new, |at| format!(", at {at}"))
        ),
        (_, "nothing_to_undo") => "There is nothing to undo: somebody else has done so.".into(),
        (429, _) => "Too many requests with this key in the last minute. Wait a moment, then press again.".into(),
        _ => format!("{}.", capitalised(error.message.trim_end_matches('.'))),
    }
}

fn sends(desk: Desk, path: String, names: Vec<&'static str>) -> impl FnMut(ev::SubmitEvent) {
    #[cfg(not(feature = "ssr"))]
    let (api, refresh) = (crate::client::Api::current(), expect_context::<Refresh>());
    move |event| {
        #[cfg(not(feature = "ssr"))]
        browser::send(desk, &api, refresh, &path, &names, &event);
        #[cfg(feature = "ssr")]
        let _ = (desk, &path, &names, &event);
    }
}

/// Escape folds the form and gives the focus back to what opened it.
fn folds(event: ev::KeyboardEvent) {
    #[cfg(not(feature = "ssr"))]
    if event.key() == "Escape" {
        browser::fold(&event);
    }
    #[cfg(feature = "ssr")]
    let _ = event;
}

/// With script.
#[cfg(not(feature = "ssr"))]
mod browser {
    use super::{Acted, Desk, Refresh};
    use crate::client::Api;
    use leptos::{ev, prelude::*, task::spawn_local};
    use leptos_router::hooks::use_location;
    use opsdeck_api::StringMap;
    use wasm_bindgen::JsCast as _;
    use web_sys::{Element, FormData, HtmlElement, HtmlFormElement};

    /// Another page begins without the outcome, the drafts and the open forms of the one before, whose elements it may take over.
    pub(super) fn clear_on_leaving(desk: Desk) {
        let pathname = use_location().pathname;
        Effect::new(move |before: Option<String>| {
            let path = pathname.get();
            if before.is_some_and(|before| before != path) {
                desk.acted.set(None);
                desk.arrived.set_value(None);
                let forms = document().query_selector_all(".acts form").ok();
                for form in forms
                    .iter()
                    .flat_map(|forms| (0..forms.length()).filter_map(|index| forms.get(index)))
                {
                    if let Ok(form) = form.dyn_into::<HtmlFormElement>() {
                        form.reset();
                        fold_around(&form);
                    }
                }
            }
            path
        });
    }

    pub(super) fn send(
        desk: Desk,
        api: &Api,
        refresh: Refresh,
        path: &str,
        names: &[&'static str],
        event: &ev::SubmitEvent,
    ) {
        let form = event
            .target()
            .and_then(|target| target.dyn_into::<HtmlFormElement>().ok());
        let Some((form, data)) = form.and_then(|form| FormData::new_with_form(&form).ok().map(|data| (form, data)))
        else {
            return;
        };
        event.prevent_default();
        // Never twice, however often the button is pressed.
        if desk.busy.get_untracked() {
            return;
        }
        desk.busy.set(true);
        desk.acted.set(None);
        let members = names.iter().filter_map(|name| {
            let given = data.get_all(name).into_iter().filter_map(|value| value.as_string());
            let last = given.filter(|text| !text.is_empty()).last()?;
            Some(((*name).to_owned(), last))
        });
        let typed: StringMap = members.collect();
        let (api, path) = (api.clone(), path.to_owned());
        spawn_local(async move {
            let answer = api.post(&path, serde_json::json!(typed).to_string()).await;
            desk.busy.set(false);
            let acted = Acted {
                path,
                error: answer.err(),
                typed,
            };
            if acted.error.is_none() {
                form.reset();
            }
            // What a form asks for that is over or outdated is to be read anew; one that was refused stays open as it is.
            if (acted.error.is_none() || acted.is_outdated()) && fold_around(&form) {
                let outcome = form.closest(".acts").ok().flatten();
                focus(outcome.and_then(|acts| acts.query_selector(".outcome").ok().flatten()));
            }
            let is_known = acted.error.as_ref().is_none_or(|error| error.status == 409);
            desk.acted.set(Some(acted));
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
        details.is_some_and(|details| details.remove_attribute("open").is_ok())
    }

    fn focus(element: Option<Element>) {
        if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
            // An element that was just found can be focused.
            let _ = element.focus();
        }
    }
}

#[cfg(test)]
mod tests;
