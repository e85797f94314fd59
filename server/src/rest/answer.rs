//! How an answer is written: envelopes around rows that are bytes already, entity tags, and the last touch on every response.

use super::{Error, ask::Ask, freshness::Freshness};
use crate::{catalog::Snapshot, hex, json, resources::Kind};
use axum::{body::Body, response::Response};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use jiff::Timestamp;
use serde::Serialize;
use std::{
    hash::{BuildHasher as _, DefaultHasher, Hash as _, Hasher as _, RandomState},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, Ordering},
    },
};

const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

// === impl Ask ===

impl Ask {
    /// Answers 304 when the client holds what would be sent, else what `write` writes from the same snapshot.
    ///
    /// The tag is made of what the answer is made of: the revisions of these kinds, the question and the asker's role.
    pub(super) fn conditional(
        &self,
        kinds: &[Kind],
        write: impl FnOnce(&Snapshot) -> Result<Response, Error>,
    ) -> Result<Response, Error> {
        self.conditional_until(kinds, |_| None, write)
    }

    /// The same where the passing of time alone changes the answer: `until` says when it does so next, from what is true now. That moment
    /// is part of the tag, which so stands for one answer, however often the clock is looked at before.
    pub(super) fn conditional_until(
        &self,
        kinds: &[Kind],
        until: impl FnOnce(&Snapshot) -> Option<Timestamp>,
        write: impl FnOnce(&Snapshot) -> Result<Response, Error>,
    ) -> Result<Response, Error> {
        let freshness = Freshness::of(kinds, &*self.console.source)?;
        let snapshot = self.console.catalog.snapshot();
        let tag = self.tag(kinds, &snapshot, until(&snapshot));
        let mut response = if holds(self.if_none_match.as_ref(), &tag) {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            write(&snapshot)?
        };
        response.headers_mut().insert(header::ETAG, tag);
        self.warn(&mut response);
        freshness.tell(&mut response);
        Ok(response)
    }

    fn tag(&self, kinds: &[Kind], snapshot: &Arc<Snapshot>, until: Option<Timestamp>) -> HeaderValue {
        let mut hasher = DefaultHasher::new();
        for kind in kinds {
            snapshot.revision_of(*kind).hash(&mut hasher);
        }
        (until, &self.target, self.caller.role_text(), self.wants_csv).hash(&mut hasher);
        let tag = format!("W/\"{:08x}-{:016x}\"", snapshot.epoch(), hasher.finish());
        HeaderValue::try_from(tag).unwrap_or(HeaderValue::from_static("W/\"\""))
    }

    /// A 200 that ignored a parameter says so.
    pub(super) fn warn(&self, response: &mut Response) {
        for warning in self.params.warnings() {
            add_warning(response.headers_mut(), &warning);
        }
    }
}

/// Adds what a client should know of an answer that is good all the same, as `Warning: 299`.
pub(super) fn add_warning(headers: &mut HeaderMap, text: &str) {
    let plain = |c: char| match c {
        '"' | '\\' => '\'',
        c if c.is_ascii_graphic() || c == ' ' => c,
        _ => '?',
    };
    let text: String = text.chars().map(plain).collect();
    if let Ok(value) = HeaderValue::try_from(format!("299 - \"{text}\"")) {
        headers.append(header::WARNING, value);
    }
}

/// Whether a client that said so in `If-None-Match` has this already.
pub(super) fn holds(if_none_match: Option<&HeaderValue>, tag: &HeaderValue) -> bool {
    let Some(held) = if_none_match.and_then(|value| value.to_str().ok()) else {
        return false;
    };
    held.trim() == "*" || held.split(',').any(|one| one.trim().as_bytes() == tag.as_bytes())
}

/// Any serialisable answer, in one line.
pub(super) fn json<T: Serialize>(value: &T) -> Result<Response, Error> {
    let mut body = json::shown(value);
    body.push(b'\n');
    Ok(json_bytes(body))
}

/// A body that is JSON already, with its closing newline.
pub(super) fn json_bytes(body: impl Into<Bytes>) -> Response {
    let mut response = Response::new(Body::from(body.into()));
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    response
}

/// Names a request in its answer and in the log.
#[derive(Clone, Debug, Default)]
pub(super) struct RequestId(pub String);

// === impl RequestId ===

impl RequestId {
    /// Numbers under a hash that chance has keyed for this process: as good as chance for a name, and nothing is asked of the system.
    pub(super) fn next() -> Self {
        static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = KEY.hash_one(COUNT.fetch_add(1, Ordering::Relaxed));
        Self(hex::encode(&number.to_be_bytes()))
    }
}

/// The last touch on every answer of the API: request id, error body, headers that hold everywhere.
pub(super) fn finished(mut response: Response, RequestId(id): &RequestId) -> Response {
    if let Some(error) = response.extensions_mut().remove::<Error>() {
        error.log(id);
        let (parts, _) = response.into_parts();
        let body = json(&error.body(id)).unwrap_or_default();
        response = Response::from_parts(parts, body.into_body());
        response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    }
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::try_from(id) {
        headers.insert(REQUEST_ID, id);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
