//! The one event stream of a tab. It says which answers on the page are old, puts changed rows into lists that are on screen, and tells when
//! nothing can be known. What is shown, and how it is asked for, it does not know.
//!
//! The stream is released while the tab is hidden. Each stream goes on after the last event of the one before, the first after the state of
//! which the server made the page, so nothing that happens in between is missed.

use leptos::prelude::*;
use opsdeck_api::kinds::LISTED;
use std::sync::atomic::{AtomicU16, Ordering};
#[cfg(any(not(feature = "ssr"), test))]
use {
    crate::client::{member, tree},
    opsdeck_api::kinds::Listed,
    serde_json::Value,
};

/// What the page knows of changes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "ssr", expect(dead_code, reason = "the server hears nothing"))]
pub(crate) enum Link {
    /// Nothing is heard, and nobody has tried to yet.
    Closed,
    /// Whatever changes is heard.
    Open,
    /// Since this moment (Unix seconds) nothing can be known.
    Lost(i64),
}

#[derive(Clone, Copy)]
pub(crate) struct Live {
    link: RwSignal<Link>,
    /// How often the answers about each subject have become old.
    rounds: RwSignal<[u32; LISTED.len()]>,
    #[cfg(not(feature = "ssr"))]
    patches: StoredValue<Vec<Option<Patch>>>,
    /// When the server last heard of its cluster, where it does not hear of it now.
    data_as_of: RwSignal<Option<String>>,
    /// The server is of another version than the page.
    replaced: RwSignal<bool>,
}

#[cfg(not(feature = "ssr"))]
type Patch = Box<dyn Fn(&Change) + Send + Sync>;

/// What the answers to some questions were made from: a bit for each of the kinds that have a list.
#[derive(Debug)]
pub(crate) struct Subjects(AtomicU16);

const _: () = assert!(LISTED.len() <= u16::BITS as usize);

/// One changed row.
#[derive(Debug)]
#[cfg(any(not(feature = "ssr"), test))]
pub(crate) struct Change {
    kind: String,
    namespace: String,
    name: String,
    /// Null where it is gone.
    item: Value,
}

// === impl Subjects ===

impl Default for Subjects {
    /// An answer that came with the page may have been made from anything.
    fn default() -> Self {
        Self(AtomicU16::new(u16::MAX))
    }
}

impl Subjects {
    /// Before the questions are asked again.
    #[cfg(any(not(feature = "ssr"), test))]
    pub(crate) fn forget(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Adds what the answer at a path of the API is made from.
    #[cfg(any(not(feature = "ssr"), test))]
    pub(crate) fn add(&self, path: &str) {
        let bits = LISTED.iter().enumerate();
        let mask = bits.fold(0, |mask, (bit, listed)| mask | u16::from(listed.feeds(path)) << bit);
        self.0.fetch_or(mask, Ordering::Relaxed);
    }

    fn holds(&self, subject: usize) -> bool {
        self.0.load(Ordering::Relaxed) >> subject & 1 == 1
    }
}

// === impl Change ===

#[cfg(any(not(feature = "ssr"), test))]
impl Change {
    pub(crate) fn parse(data: &str) -> Option<Self> {
        let mut data = tree(data).ok()?;
        Some(Self {
            kind: member(&mut data, "kind"),
            namespace: member(&mut data, "namespace"),
            name: member(&mut data, "name"),
            item: data.get_mut("item").map(Value::take).unwrap_or_default(),
        })
    }

    /// The list with the row as it is now; nothing if it has no such row. Order and total stay, until the list is asked for again.
    pub(crate) fn patched(&self, list: &str) -> Option<String> {
        let envelope = Listed::of(&self.kind)?.envelope;
        if self.item.is_null() || !list.contains(&format!("\"kind\":\"{envelope}List\"")) {
            return None;
        }
        let mut list = tree(list).ok()?;
        let is = |row: &Value, member: &str, text: &str| row.get(member).and_then(Value::as_str) == Some(text);
        let row = (list.get_mut("items")?.as_array_mut()?.iter_mut())
            .find(|row| is(row, "name", &self.name) && is(row, "namespace", &self.namespace))?;
        row.clone_from(&self.item);
        Some(list.to_string())
    }
}

// === impl Live ===

impl Live {
    /// `data_as_of`: as the server knew it when it made the page.
    pub(crate) fn provide(data_as_of: Option<String>) {
        provide_context(Self {
            link: RwSignal::new(Link::Closed),
            rounds: RwSignal::default(),
            #[cfg(not(feature = "ssr"))]
            patches: StoredValue::default(),
            data_as_of: RwSignal::new(data_as_of),
            replaced: RwSignal::new(false),
        });
    }

    pub(crate) fn link(self) -> Link {
        self.link.get()
    }

    pub(crate) fn data_as_of(self) -> Option<String> {
        self.data_as_of.get()
    }

    pub(crate) fn is_replaced(self) -> bool {
        self.replaced.get()
    }

    /// Changes whenever answers about these subjects have become old.
    pub(crate) fn round(self, subjects: &Subjects) -> (u16, u32) {
        let sum = self.rounds.with(|rounds| {
            let meant = rounds
                .iter()
                .enumerate()
                .filter(|(subject, _)| subjects.holds(*subject));
            meant.fold(0, |sum: u32, (_, round)| sum.wrapping_add(*round))
        });
        (subjects.0.load(Ordering::Relaxed), sum)
    }

    /// Has everything that was made from these asked again.
    #[cfg(not(feature = "ssr"))]
    pub(crate) fn again(self, subjects: &Subjects) {
        self.rounds.try_update(|rounds| {
            let meant = rounds
                .iter_mut()
                .enumerate()
                .filter(|(subject, _)| subjects.holds(*subject));
            meant.for_each(|(_, round)| *round = round.wrapping_add(1));
        });
    }

    /// Hands every changed row over, as long as whoever asks for it is there.
    #[cfg(not(feature = "ssr"))]
    pub(crate) fn on_change(self, patch: impl Fn(&Change) + Send + Sync + 'static) {
        let place = self.patches.try_update_value(|patches| {
            let place = patches.iter().position(Option::is_none).unwrap_or(patches.len());
            patches.resize_with(patches.len().max(place + 1), || None);
            if let Some(free) = patches.get_mut(place) {
                *free = Some(Box::new(patch));
            }
            place
        });
        on_cleanup(move || {
            self.patches.try_update_value(|patches| {
                if let Some(taken) = place.and_then(|place| patches.get_mut(place)) {
                    *taken = None;
                }
            });
        });
    }
}

#[cfg(not(feature = "ssr"))]
pub(crate) use browser::follow;

#[cfg(not(feature = "ssr"))]
mod browser {
    use super::{Change, Link, Live};
    use crate::{
        client::{Api, ROOT, member, tree},
        components::{ask::Refresh, time::Clock},
    };
    use leptos::{__reexports::send_wrapper::SendWrapper, ev, prelude::*, task::spawn_local};
    use opsdeck_api::{Query, kinds::LISTED, whoami::WhoAmI};
    use std::{cell::RefCell, rc::Rc, time::Duration};
    use wasm_bindgen::{JsCast as _, closure::Closure};
    use web_sys::{EventSource, MessageEvent};

    /// The server is heard of every 15 s at least; after this the connection is dead and nobody has said so.
    const SILENCE: f64 = 40_000.0;
    const LOOK: Duration = Duration::from_secs(5);
    /// Between two rounds of questions.
    const PAUSE: f64 = 2_000.0;
    /// After an answer that did not come. No `Retry-After` of ours is longer.
    const HOLD: f64 = 10_000.0;
    /// Pages that hear of the same change do not ask at the same moment.
    const JITTER: f64 = 300.0;
    const LONGEST_WAIT: f64 = 30_000.0;

    /// What the stream of this tab is doing. Times are milliseconds of the browser's clock.
    struct Tab {
        live: Live,
        api: Api,
        refresh: Refresh,
        base: String,
        version: String,
        /// Whose page this is.
        key_id: String,
        clock: Clock,
        source: Option<Source>,
        /// Where the next stream begins.
        last_id: String,
        heard: f64,
        /// Streams that were tried for in vain.
        failures: u32,
        is_waiting: bool,
        /// Subjects that changed since the last round.
        old: [bool; LISTED.len()],
        is_due: bool,
        last_round: f64,
    }

    struct Source {
        stream: EventSource,
        _listeners: Vec<Closure<dyn FnMut(MessageEvent)>>,
    }

    type Shared = Rc<RefCell<Tab>>;

    impl Drop for Source {
        fn drop(&mut self) {
            self.stream.close();
        }
    }

    /// Listens from now on, for whoever is signed in.
    pub(crate) fn follow(who: &WhoAmI, base: String) {
        let tab = Rc::new(RefCell::new(Tab {
            live: expect_context(),
            api: Api::current(),
            refresh: expect_context(),
            base,
            version: who.server.version.clone(),
            key_id: who.key_id.clone(),
            clock: Clock::current(),
            source: None,
            last_id: who.server.revision.clone(),
            heard: 0.0,
            failures: 0,
            is_waiting: false,
            old: Default::default(),
            is_due: false,
            last_round: 0.0,
        }));
        let tab = SendWrapper::new(tab);
        Effect::new(move || {
            open(&tab);
            let visibility = {
                let tab = tab.clone();
                window_event_listener_untyped("visibilitychange", move |_| {
                    if document().hidden() {
                        close(&tab, Link::Closed);
                    } else {
                        open(&tab);
                    }
                })
            };
            let online = {
                let tab = tab.clone();
                window_event_listener(ev::online, move |_| open(&tab))
            };
            let look = {
                let tab = tab.clone();
                set_interval_with_handle(move || look_for_silence(&tab), LOOK)
            };
            let tab = tab.clone();
            on_cleanup(move || {
                visibility.remove();
                online.remove();
                if let Ok(look) = look {
                    look.clear();
                }
                tab.borrow_mut().source = None;
            });
        });
    }

    fn open(tab: &Shared) {
        let mut this = tab.borrow_mut();
        if this.source.is_some() || document().hidden() {
            return;
        }
        let query = Query::default().with("lastEventId", &this.last_id);
        let url = format!("{}{ROOT}{}", this.base, query.on("/events"));
        let Ok(stream) = EventSource::new(&url) else { return };
        let mut listeners = Vec::new();
        for (name, hear) in [
            ("hello", hello as fn(&Shared, &str)),
            ("change", change),
            ("reset", reset),
            ("heartbeat", heartbeat),
            ("bye", bye),
            ("error", lost),
        ] {
            let tab = tab.clone();
            let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                if name != "error" {
                    note(&tab, &event.last_event_id());
                }
                // An error of the connection is no message, and so has no data.
                let data = event.data().as_string().unwrap_or_default();
                hear(&tab, &data);
            });
            // A listener that cannot be added leaves a stream that is never heard, which is found out as silence.
            let _ = stream.add_event_listener_with_callback(name, listener.as_ref().unchecked_ref());
            listeners.push(listener);
        }
        this.heard = js_sys::Date::now();
        this.source = Some(Source {
            stream,
            _listeners: listeners,
        });
    }

    fn note(tab: &Shared, id: &str) {
        let mut this = tab.borrow_mut();
        this.heard = js_sys::Date::now();
        if !id.is_empty() {
            id.clone_into(&mut this.last_id);
        }
    }

    fn close(tab: &Shared, link: Link) {
        let (source, live) = {
            let mut this = tab.borrow_mut();
            (this.source.take(), this.live)
        };
        if let Some(source) = source {
            // Its listener may be what called us, so it must live a moment longer.
            source.stream.close();
            set_timeout(move || drop(source), Duration::ZERO);
        }
        live.link.set(link);
    }

    fn hello(tab: &Shared, data: &str) {
        let live = {
            let mut this = tab.borrow_mut();
            this.failures = 0;
            let mut hello = tree(data).unwrap_or_default();
            let version: String = member(&mut hello, "version");
            this.live.replaced.set(version != this.version);
            let key_id: String = member(&mut hello, "keyId");
            if !key_id.is_empty() && key_id != this.key_id {
                // Another tab has signed in somebody else, and this page would act in their name. Drafts are kept by person.
                let _ = window().location().reload();
            }
            this.live
        };
        live.link.set(Link::Open);
        heartbeat(tab, data);
    }

    fn heartbeat(tab: &Shared, data: &str) {
        let live = tab.borrow().live;
        let mut beat = tree(data).unwrap_or_default();
        let as_of: Option<String> = member(&mut beat, "dataAsOf");
        if live.data_as_of.with_untracked(|before| *before != as_of) {
            live.data_as_of.set(as_of);
        }
    }

    fn change(tab: &Shared, data: &str) {
        let Some(change) = Change::parse(data) else { return };
        let live = tab.borrow().live;
        live.patches.with_value(|patches| {
            for patch in patches.iter().flatten() {
                patch(&change);
            }
        });
        make_old(tab, |kind| kind == change.kind);
    }

    fn reset(tab: &Shared, _: &str) {
        make_old(tab, |_| true);
    }

    fn bye(tab: &Shared, data: &str) {
        let link = tab.borrow().live.link.get_untracked();
        close(tab, link);
        let mut bye = tree(data).unwrap_or_default();
        let wait: i64 = member(&mut bye, "retryAfterMs");
        again(tab, wait as f64);
    }

    /// Nothing is heard any more: says so, and tries again with growing pauses.
    fn lost(tab: &Shared, _: &str) {
        let (wait, link) = {
            let mut this = tab.borrow_mut();
            this.failures += 1;
            let wait = 1_000.0 * f64::from(1_u32 << this.failures.min(6)) * (0.5 + js_sys::Math::random() / 2.0);
            let link = match this.live.link.get_untracked() {
                lost @ Link::Lost(_) => lost,
                Link::Open | Link::Closed => Link::Lost(this.clock.at_once()),
            };
            (wait.min(LONGEST_WAIT), link)
        };
        close(tab, link);
        again(tab, wait);
    }

    /// Asks first who we are: a session that has ended shows the sign-in, and a server that is away opens no stream.
    fn again(tab: &Shared, wait: f64) {
        if std::mem::replace(&mut tab.borrow_mut().is_waiting, true) {
            return;
        }
        let tab = tab.clone();
        set_timeout(
            move || {
                spawn_local(async move {
                    let api = tab.borrow().api.clone();
                    let answer = api.text("/whoami").await;
                    tab.borrow_mut().is_waiting = false;
                    match answer {
                        Ok(_) => open(&tab),
                        Err(error) if error.status == 401 => {}
                        Err(_) => lost(&tab, ""),
                    }
                });
            },
            Duration::from_millis(wait as u64),
        );
    }

    fn look_for_silence(tab: &Shared) {
        let is_silent = {
            let this = tab.borrow();
            this.source.is_some() && js_sys::Date::now() - this.heard > SILENCE
        };
        if is_silent {
            lost(tab, "");
        }
    }

    /// Answers about these kinds are old: asks again, soon, but not more often than every two seconds.
    fn make_old(tab: &Shared, is_old: impl Fn(&str) -> bool) {
        let wait = {
            let mut this = tab.borrow_mut();
            for (old, listed) in this.old.iter_mut().zip(&LISTED) {
                *old |= is_old(listed.kind);
            }
            if std::mem::replace(&mut this.is_due, true) {
                return;
            }
            let pause = if this.refresh.is_failing() { HOLD } else { PAUSE };
            (this.last_round + pause - js_sys::Date::now()).max(0.0) + js_sys::Math::random() * JITTER
        };
        let tab = tab.clone();
        set_timeout(move || ask_again(&tab), Duration::from_millis(wait as u64));
    }

    fn ask_again(tab: &Shared) {
        let (live, old) = {
            let mut this = tab.borrow_mut();
            this.is_due = false;
            this.last_round = js_sys::Date::now();
            (this.live, std::mem::take(&mut this.old))
        };
        live.rounds.update(|rounds| {
            for (round, _) in rounds.iter_mut().zip(old).filter(|(_, old)| *old) {
                *round = round.wrapping_add(1);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, LISTED, Subjects};

    #[test]
    fn what_is_asked_for_adds_up() {
        let subjects = Subjects::default();
        let kinds = || -> Vec<_> {
            let held = LISTED.iter().enumerate().filter(|(bit, _)| subjects.holds(*bit));
            held.map(|(_, listed)| listed.kind).collect()
        };
        assert_eq!(kinds().len(), LISTED.len(), "an answer that came with the page");
        subjects.forget();
        assert!(kinds().is_empty());
        subjects.add("/approvals/a?namespace=b");
        subjects.add("/incidents/a/remediation");
        assert_eq!(kinds(), ["ApprovalRequest", "RemediationPlan"]);
        subjects.add("/search?q=a");
        assert_eq!(kinds().len(), LISTED.len());
    }

    #[test]
    fn a_row_that_is_there_is_replaced_and_nothing_else() {
        let change = Change::parse(
            r#"{"kind":"Issue","namespace":"shop","name":"b","deleted":false,"item":{"name":"b","namespace":"shop","riskScore":9}}"#,
        )
        .unwrap();
        let list = |namespace: &str| {
            format!(
                r#"{{"apiVersion":"v1","items":[{{"name":"a","namespace":"shop"}},{{"name":"b","namespace":"{namespace}"}}],"kind":"IncidentList"}}"#
            )
        };
        assert_eq!(
            change.patched(&list("shop")).unwrap(),
            r#"{"apiVersion":"v1","items":[{"name":"a","namespace":"shop"},{"name":"b","namespace":"shop","riskScore":9}],"kind":"IncidentList"}"#
        );
        assert_eq!(change.patched(&list("bank")), None);
        assert_eq!(
            change.patched(&list("shop").replace("IncidentList", "InstanceList")),
            None
        );
        let gone =
            Change::parse(r#"{"kind":"Issue","namespace":"shop","name":"b","deleted":true,"item":null}"#).unwrap();
        assert_eq!(gone.patched(&list("shop")), None);
    }
}
