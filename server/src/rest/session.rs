//! `POST /session` exchanges a key for a browser session; `DELETE /session` ends it.

use super::{Error, ask::Ask};
use crate::{
    access::caller::{API_KEY, Via},
    console::SharedConsole,
};
use axum::{
    body::{Body, Bytes},
    extract::State,
    response::Response,
};
use cookie::Cookie;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Deserialize;

#[derive(Default, Deserialize)]
struct NewSession {
    #[serde(default)]
    remember: Option<bool>,
}

/// The key must be in `X-API-Key`: a session does not beget another one.
pub(super) async fn create_session(ask: Ask, headers: HeaderMap, body: Bytes) -> Result<Response, Error> {
    if ask.caller.via == Via::Session {
        return Err(Error::unauthorized("missing API key in X-API-Key header"));
    }
    let wanted = if body.is_empty() {
        NewSession::default()
    } else {
        parse(&body)?
    };
    let door = &ask.console.door;
    let keys = door.keys.load();
    let text = headers
        .get(API_KEY)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let Some(key) = keys.find(text, ask.now) else {
        // Dev mode: everybody is in already.
        return Ok(no_content(None));
    };
    Ok(no_content(Some(&door.cookies.issue(
        key,
        wanted.remember.unwrap_or_default(),
        ask.now,
    ))))
}

pub(super) async fn delete_session(State(console): State<SharedConsole>) -> Response {
    no_content(Some(&console.door.cookies.clear()))
}

fn parse(body: &[u8]) -> Result<NewSession, Error> {
    serde_json::from_slice::<Option<NewSession>>(body)
        .map(Option::unwrap_or_default)
        .map_err(|error| Error::invalid("remember", format!("invalid request body: {error}")))
}

fn no_content(cookie: Option<&Cookie<'_>>) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    if let Some(value) = cookie.and_then(|cookie| HeaderValue::try_from(cookie.to_string()).ok()) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    response
}
