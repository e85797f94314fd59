//! `POST /session` exchanges a key for a browser session; `DELETE /session` ends it.

use super::{Error, ask::Ask, body::Members};
use crate::{
    access::caller::{API_KEY, Admitted, Via},
    console::SharedConsole,
};
use axum::{
    Extension,
    body::{Body, Bytes},
    extract::State,
    response::Response,
};
use cookie::Cookie;
use http::{HeaderMap, HeaderValue, StatusCode, header};

/// The key must be in `X-API-Key`: a session does not beget another one.
pub(super) async fn create_session(ask: Ask, headers: HeaderMap, body: Bytes) -> Result<Response, Error> {
    if ask.caller.via == Via::Session {
        return Err(Error::unauthorized("missing API key in X-API-Key header"));
    }
    let remember = Members::parse(&body)?.flag("remember")?;
    if ask.caller.via == Via::Dev {
        // Everybody is in already.
        return Ok(no_content(None));
    }
    let key = headers.get(API_KEY).map(HeaderValue::as_bytes).unwrap_or_default();
    let cookie = ask.console.door.open_session(key, remember, ask.now)?;
    Ok(no_content(Some(&cookie)))
}

/// Whoever asks; a session that is one ends with its streams.
pub(super) async fn delete_session(
    State(console): State<SharedConsole>,
    asker: Option<Extension<Admitted>>,
) -> Response {
    if let Some(Extension(Admitted(Ok(caller)))) = asker {
        console.end_session(&caller);
    }
    no_content(Some(&console.door.cookies.clear()))
}

fn no_content(cookie: Option<&Cookie<'_>>) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    if let Some(value) = cookie.and_then(|cookie| HeaderValue::try_from(cookie.to_string()).ok()) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    response
}
