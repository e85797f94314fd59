//! `GET /events`: what changes, while it changes, as server-sent events. How a publication of the catalog becomes events,
//! once for all readers, stands in `relay`.

mod relay;

pub use relay::Events;

use super::{Error, ask::Ask, freshness::data_as_of};
use crate::{
    access::caller::Caller,
    catalog::Since,
    console::{Console, SharedConsole},
    resources::{Kind, moment},
};
use axum::{body::Body, response::Response};
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use jiff::Timestamp;
use relay::{Batch, Frames, Seat, Signal};
use serde_json::json;
use std::{
    collections::{BTreeSet, VecDeque},
    convert::Infallible,
    sync::Arc,
    time::Duration,
};
use tokio::{
    sync::broadcast::{Receiver, error::RecvError},
    time::{Instant, sleep_until},
};

/// A stream on which nothing happens says so, for whoever stands between.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Those who are sent away together come back one after the other.
const RETURN: (u64, u64) = (500, 3000);

const LAST_EVENT_ID: &str = "last-event-id";
/// Reverse proxies that gather an answer before they send it are told not to (<https://nginx.org/en/docs/http/ngx_http_proxy_module.html>).
const UNBUFFERED: (HeaderName, HeaderValue) = (
    HeaderName::from_static("x-accel-buffering"),
    HeaderValue::from_static("no"),
);

/// What one reader wants to hear.
#[derive(Debug)]
struct Interest {
    kinds: BTreeSet<Kind>,
    /// Empty: all.
    namespaces: Vec<String>,
}

/// One open stream.
struct Reader {
    console: SharedConsole,
    caller: Arc<Caller>,
    interest: Interest,
    signals: Receiver<Signal>,
    frames: Frames,
    /// Everything up to this revision was sent, or was not wanted.
    told: u64,
    pending: VecDeque<Bytes>,
    over: bool,
    _seat: Seat,
}

pub(super) async fn watch_events(ask: Ask, headers: HeaderMap) -> Result<Response, Error> {
    let interest = Interest {
        kinds: kinds(ask.params.one("kinds"))?,
        namespaces: ask.params.any_of("namespace"),
    };
    let seat = ask.console.events.sit_down(&ask.caller.key_id);
    let seat = seat.ok_or_else(|| Error::unavailable("there are too many event streams already"))?;
    // What begins a stream by hand cannot set the header that browsers send when they take up a stream again.
    let last = headers
        .get(LAST_EVENT_ID)
        .map(|id| id.to_str().unwrap_or_default().to_owned());
    let last = last.or_else(|| ask.params.one("lastEventId").map(str::to_owned));
    let reader = Reader::open(ask, interest, seat, last.as_deref());
    let mut response = Response::new(Body::from_stream(stream::unfold(reader, Reader::next)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.extend([UNBUFFERED]);
    Ok(response)
}

/// With which a stream begins that is to miss nothing of what is read from now on.
pub(super) fn last_event_id(console: &Console) -> String {
    let snapshot = console.catalog.snapshot();
    Frames::new(snapshot.epoch()).id(snapshot.revision())
}

/// The kinds that are told of: those that have a list.
pub(super) fn told() -> impl Iterator<Item = Kind> {
    Kind::ALL.into_iter().filter(|kind| kind.listed().is_some())
}

/// A name that is none would be a stream that never says anything.
fn kinds(wanted: Option<&str>) -> Result<BTreeSet<Kind>, Error> {
    let Some(wanted) = wanted else {
        return Ok(told().collect());
    };
    let kinds = wanted.split(',').map(str::trim);
    kinds
        .map(|name| {
            told().find(|kind| kind.as_str() == name).ok_or_else(|| {
                let names: Vec<_> = told().map(Kind::as_str).collect();
                let names = names.join(", ");
                Error::invalid("kinds", format!("kinds: {name:?} is not one of {names}"))
            })
        })
        .collect()
}

// === impl Interest ===

impl Interest {
    fn covers(&self, kind: Kind, namespace: &str) -> bool {
        self.kinds.contains(&kind) && (self.namespaces.is_empty() || self.namespaces.iter().any(|one| one == namespace))
    }
}

// === impl Reader ===

impl Reader {
    /// `last`: the id of the last event that the reader has, from an earlier stream.
    fn open(ask: Ask, interest: Interest, seat: Seat, last: Option<&str>) -> Self {
        let console = ask.console;
        // Subscribed before the snapshot is taken: what is published in between comes by the one or is in the other.
        let signals = console.events.subscribe(&console);
        let snapshot = console.catalog.snapshot();
        let frames = Frames::new(snapshot.epoch());
        let key_id = ask.caller.key_id.clone();
        let mut reader = Self {
            console,
            caller: ask.caller,
            interest,
            signals,
            frames,
            told: snapshot.revision(),
            pending: VecDeque::new(),
            over: false,
            _seat: seat,
        };
        let hello = json!({
            "epoch": frames.epoch_text(),
            "revision": reader.told,
            "version": env!("CARGO_PKG_VERSION"),
            "serverTime": moment::written(ask.now),
            "keyId": key_id,
            "dataAsOf": data_as_of(&*reader.console.source).map(moment::written),
        });
        // A reader that resumes has not got what is before this revision yet, so it must not take the id for its own.
        let id = last.is_none().then_some(reader.told);
        reader.pending.push_back(frames.event("hello", id, &hello));
        if let Some(last) = last {
            reader.resume(last);
        }
        reader
    }

    fn resume(&mut self, last: &str) {
        let since = self.frames.revision_of(last).map(|revision| {
            let since = self.console.catalog.changes_since(revision);
            (revision, since)
        });
        match since {
            Some((from, Since::Changes(changes))) => {
                // Not the snapshot's revision: what that one has already may not have come to the feed yet.
                let upto = changes.last().map_or(from, |change| change.revision);
                match Batch::of(changes, from, upto, self.frames) {
                    Some(batch) => {
                        self.told = from;
                        self.take(&batch);
                    }
                    None => self.reset(upto),
                }
            }
            None | Some((_, Since::Gap)) => self.reset(self.told),
        }
    }

    /// The next piece of the stream, and the rest of it.
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        loop {
            if let Some(frame) = self.pending.pop_front() {
                return Some((Ok(frame), self));
            }
            if self.over {
                return None;
            }
            let drain = self.console.drain.begun.clone();
            let wake = (Instant::now() + HEARTBEAT).min(self.end_of_credential());
            tokio::select! {
                signal = self.signals.recv() => self.hear(signal),
                () = drain.cancelled() => self.bye(),
                () = sleep_until(wake) => {
                    if self.is_admitted() {
                        self.beat();
                    } else {
                        self.bye();
                    }
                }
            }
        }
    }

    fn hear(&mut self, signal: Result<Signal, RecvError>) {
        match signal {
            Ok(Signal::Changes(batch)) if self.console.events.is_too_far_behind(&batch) => self.cut(),
            Ok(Signal::Changes(batch)) => self.take(&batch),
            Ok(Signal::Reset(revision)) => self.reset(revision),
            Ok(Signal::Standing) => self.beat(),
            Ok(Signal::KeysChanged) if self.is_admitted() => {}
            Ok(Signal::SignedOut(session)) if self.caller.session != Some(session) => {}
            Ok(Signal::KeysChanged | Signal::SignedOut(_)) | Err(RecvError::Closed) => self.bye(),
            Err(RecvError::Lagged(_)) => self.cut(),
        }
    }

    /// Without a word: it would come after what was not read. The reader resumes from its last id, if it is quicker then.
    fn cut(&mut self) {
        self.console.metrics.events.cut.inc();
        self.over = true;
    }

    fn take(&mut self, batch: &Batch) {
        let news = batch.events.iter().filter(|event| event.revision > self.told);
        let wanted = news.filter(|event| self.interest.covers(event.kind, &event.namespace));
        self.pending.extend(wanted.map(|event| event.frame.clone()));
        self.told = self.told.max(batch.upto);
    }

    fn reset(&mut self, revision: u64) {
        if revision >= self.told {
            self.told = revision;
            let revision = json!({ "epoch": self.frames.epoch_text(), "revision": revision });
            self.pending
                .push_back(self.frames.event("reset", Some(self.told), &revision));
        }
    }

    /// A comment, and the same as an event: a browser's script is not told of comments.
    fn beat(&mut self) {
        let as_of = json!({ "dataAsOf": data_as_of(&*self.console.source).map(moment::written) });
        self.pending.push_back(Bytes::from_static(b":\n"));
        self.pending
            .push_back(self.frames.event("heartbeat", Some(self.told), &as_of));
    }

    fn bye(&mut self) {
        let bye = json!({ "retryAfterMs": relay::between(RETURN) });
        self.pending.push_back(self.frames.event("bye", None, &bye));
        self.over = true;
    }

    fn is_admitted(&self) -> bool {
        self.console.door.still_admits(&self.caller, Timestamp::now())
    }

    fn end_of_credential(&self) -> Instant {
        const FAR: Duration = Duration::from_secs(24 * 3600);
        let left = self.caller.expires_at.map(|end| end.duration_since(Timestamp::now()));
        Instant::now()
            + left
                .map_or(FAR, |left| Duration::try_from(left).unwrap_or_default())
                .min(FAR)
    }
}
