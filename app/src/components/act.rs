//! What a person may do to an object, as forms that are described by data. Without script a form posts to the console, which asks the API in the
//! person's name; with script the page asks the API itself and stays. What may be done when, and in which words, stands in `decisions`.

#[cfg(not(feature = "ssr"))]
mod browser;
mod draft;
mod field;
mod outcome;
#[cfg(not(feature = "ssr"))]
mod stored;

use crate::{
    Acted, Session,
    components::link::{href, object_href, segment},
    shell::PageContext,
    view,
};
use draft::Drafts;
#[cfg(not(feature = "ssr"))]
pub(crate) use draft::are_kept;
pub(crate) use draft::{unsent, written};
pub(crate) use field::Field;
use leptos::{ev, html, prelude::*};
use leptos_router::hooks::use_location;
use opsdeck_api::{Query, Role};

/// What was done last on this page, what was typed and not sent, and what is being sent. Outlives what is shown of the object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acting {
    acted: RwSignal<Option<Acted>>,
    /// As the page arrived: the form that was refused before any script ran.
    arrived: StoredValue<Option<Acted>>,
    drafts: Drafts,
    /// Paths of the forms that have no answer yet.
    under_way: RwSignal<Vec<String>>,
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

// === impl Acting ===

impl Acting {
    pub(crate) fn provide() {
        let arrived = expect_context::<PageContext>().acted;
        let acting = Self {
            acted: RwSignal::new(arrived.clone()),
            drafts: Drafts::of(arrived.as_ref()),
            arrived: StoredValue::new(arrived),
            under_way: RwSignal::default(),
        };
        provide_context(acting);
        #[cfg(not(feature = "ssr"))]
        {
            browser::clear_on_leaving(acting);
            acting.drafts.recall();
        }
    }

    /// Drafts that no form asks for any more. One that is being sent may itself be what made its form go.
    fn unsent(self, subject: &Subject, offered: &[&str]) -> Vec<(String, draft::Texts)> {
        let mut unsent = self.drafts.unsent(subject, offered);
        unsent.retain(|(verb, _)| !self.is_sending(&subject.path(verb)));
        unsent
    }

    fn is_sending(self, path: &str) -> bool {
        self.under_way.with(|paths| paths.iter().any(|sent| sent == path))
    }

    /// Which is to be read still, whatever else is done meanwhile.
    #[cfg(not(feature = "ssr"))]
    fn tells_of_another_refusal(self, path: &str) -> bool {
        let is_told = |last: &Option<Acted>| {
            last.as_ref()
                .is_some_and(|last| last.error.is_some() && last.path != path)
        };
        self.acted.with_untracked(is_told)
    }

    /// Whether anything is being done to this one.
    fn is_acting_on(self, subject: &Subject) -> bool {
        self.under_way
            .with(|paths| paths.iter().any(|path| subject.verb_of(path).is_some()))
    }

    /// Whoever signs out leaves no words behind.
    pub(crate) fn forget(self) {
        self.drafts.forget();
    }
}

// === impl Subject ===

impl Subject {
    pub(crate) fn new(list: &'static str, namespace: &str, name: &str) -> Self {
        Self {
            list,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }

    fn path(&self, verb: &str) -> String {
        let path = format!("{}/{}/{verb}", self.list, segment(&self.name));
        Query::default().with("namespace", &self.namespace).on(&path)
    }

    fn page(&self) -> String {
        object_href(self.list, &self.namespace, &self.name)
    }

    /// What was done, if it was done to this one.
    fn verb_of<'a>(&self, path: &'a str) -> Option<&'a str> {
        let verb = path.split(['/', '?']).nth(3)?;
        (path == self.path(verb)).then_some(verb)
    }

    /// Of the words that say how things stand with it.
    fn outcome_id(&self) -> String {
        format!("outcome{}-{}", self.list.replace('/', "-"), self.name)
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

/// Whose page it is: in another tab somebody else may sign in before a form of this one is sent.
fn key_id() -> String {
    let session = expect_context::<RwSignal<Session>>().get_untracked();
    session.map(|who| who.key_id).unwrap_or_default()
}

/// The forms in their order, those that do not apply left out, and below them how the last one ended. The place of each stays the same, so that
/// one that comes or goes takes no draft with it. `rights` tells those who may not what others may. `truth` says how things stand, to whoever was
/// about to do what does not apply any more.
pub(crate) fn acts(subject: Subject, rights: &'static str, truth: String, acts: Vec<Option<Act>>) -> AnyView {
    let (identity, may) = actor();
    let told = (!may && !rights.is_empty())
        .then(|| view! { <p class="dim">{format!("You are {identity}: this role reads. Operators and admins may {rights}.")}</p> });
    let acts: Vec<_> = acts.into_iter().map(|act| act.filter(|_| may)).collect();
    let offered: Vec<_> = acts.iter().flatten().map(|act| act.verb).collect();
    #[cfg(not(feature = "ssr"))]
    browser::keep_focus(&subject, &offered);
    let forms: Vec<_> = acts.into_iter().map(|act| act.map(|act| form(&subject, act))).collect();
    let outcome = outcome::outcome(subject.clone(), truth, offered.clone());
    view! { <div class="acts">{told} {forms} {outcome} {unsent(subject, offered)}</div> }
}

fn form(subject: &Subject, act: Act) -> AnyView {
    let acting = expect_context::<Acting>();
    let path = subject.path(act.verb);
    let refused = (acting.arrived.get_value()).filter(|acted| acted.error.is_some() && acted.path == path);
    let id = format!("{}-{}", act.verb, subject.name);
    let opens = act.form.is_some();
    let (consequence, fields, button, weight) = match act.form {
        Some(form) if act.weight == "no" => (Some(form.consequence), form.fields, form.button, "btn no"),
        Some(form) => (Some(form.consequence), form.fields, form.button, "btn go"),
        None => (None, Vec::new(), act.label.clone(), "btn"),
    };
    let target = Target {
        acting,
        path: path.clone(),
        members: fields.iter().map(|field| (field.name(), field.offered())).collect(),
    };
    let fields: Vec<_> = fields
        .into_iter()
        .map(|field| field.view(&id, refused.as_ref()))
        .collect();
    let location = use_location();
    let next = location.pathname.get_untracked();
    let node = NodeRef::<html::Form>::new();
    #[cfg(not(feature = "ssr"))]
    browser::refill(&target, node);
    let sent = path.clone();
    // The page that answers without a script is shown where it says how it went.
    let action = format!("{}#{}", href("/act"), subject.outcome_id());
    let body = view! {
        <form method="post" action=action node_ref=node on:input=keeps(target.clone()) on:submit=sends(target.clone())>
            <input type="hidden" name="act" value=path />
            <input type="hidden" name="next" value=next />
            <input type="hidden" name="caller" value=key_id() />
            {consequence}
            {fields}
            <button class=weight type="submit" aria-disabled=move || acting.is_sending(&sent).then_some("true")>
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
            <summary on:click=reads_anew(target) class=format!("btn {}", act.weight)>{act.label}</summary>
            <div class="form">{body}</div>
        </details>
    }
}

/// Where a form is sent, and what of it.
#[derive(Clone)]
#[cfg_attr(
    feature = "ssr",
    expect(dead_code, reason = "the server reads forms from their requests")
)]
struct Target {
    acting: Acting,
    path: String,
    /// What it holds before anybody types; nothing where nobody can.
    members: Vec<(&'static str, Option<String>)>,
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

fn sends(target: Target) -> impl FnMut(ev::SubmitEvent) {
    #[cfg(not(feature = "ssr"))]
    let (api, refresh) = (crate::client::Api::current(), expect_context());
    move |event| {
        #[cfg(not(feature = "ssr"))]
        browser::send(&target, &api, refresh, &event);
        #[cfg(feature = "ssr")]
        let _ = (&target, &event);
    }
}

/// What is typed is a draft until it is sent.
fn keeps(target: Target) -> impl FnMut(ev::Event) {
    move |event| {
        #[cfg(not(feature = "ssr"))]
        browser::keep(&target, &event);
        #[cfg(feature = "ssr")]
        let _ = (&target, &event);
    }
}

/// Whoever opens it reads it as the page shows it now.
fn reads_anew(target: Target) -> impl FnMut(ev::MouseEvent) {
    move |event| {
        #[cfg(not(feature = "ssr"))]
        browser::read_anew(&target, &event);
        #[cfg(feature = "ssr")]
        let _ = (&target, &event);
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

#[cfg(test)]
mod tests;
