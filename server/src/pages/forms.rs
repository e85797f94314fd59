//! The two forms of the dashboard that work without a script: sign in and sign out.

use super::{Pages, see_other};
use crate::{
    access::{caller::Refusal, limits::Exhausted},
    rest,
};
use axum::{
    Form,
    extract::{FromRequest as _, Request, State},
    response::{IntoResponse as _, Response},
};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use jiff::Timestamp;
use serde::Deserialize;
use std::net::IpAddr;

#[derive(Deserialize)]
pub(super) struct SignIn {
    #[serde(default)]
    key: String,
    /// A checkbox: present means yes.
    remember: Option<String>,
    #[serde(default)]
    next: String,
}

#[derive(Deserialize)]
pub(super) struct SignOut {
    #[serde(default)]
    next: String,
}

pub(super) async fn sign_in(State(pages): State<Pages>, request: Request) -> Response {
    let (admitted, host) = rest::identify(&pages.console, &request);
    let headers = request.headers().clone();
    let Ok(Form(form)) = Form::<SignIn>::from_request(request, &()).await else {
        return (StatusCode::BAD_REQUEST, "not a sign-in form\n").into_response();
    };
    match pages.exchange(&headers, host, &form) {
        Ok(cookie) => {
            let mut response = see_other(&pages.console.base_path, &form.next);
            response.headers_mut().insert(header::SET_COOKIE, cookie);
            response
        }
        Err(refused) => {
            let mut page = Request::default();
            let within = form
                .next
                .strip_prefix(pages.console.base_path.as_str())
                .unwrap_or_default();
            *page.uri_mut() = within.parse().unwrap_or_default();
            *page.headers_mut() = headers;
            page.headers_mut().remove(header::CONTENT_LENGTH);
            pages.render(page, admitted, Some(refused)).await
        }
    }
}

pub(super) async fn sign_out(State(pages): State<Pages>, Form(form): Form<SignOut>) -> Response {
    let mut response = see_other(&pages.console.base_path, &form.next);
    if let Ok(cookie) = HeaderValue::try_from(pages.console.door.cookies.clear().to_string()) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

impl Pages {
    /// The cookie for the key that was typed; else the status and the sentence with which the form comes again.
    fn exchange(&self, headers: &HeaderMap, host: IpAddr, form: &SignIn) -> Result<HeaderValue, (StatusCode, String)> {
        let (door, now) = (&self.console.door, Timestamp::now());
        if !door.is_same_origin(headers) {
            return Err(refused(Refusal::CrossSite));
        }
        let text = form.key.trim();
        let caller = door.caller_by_key(text, now);
        door.spend(&caller, host).map_err(|Exhausted { limit }| {
            let wait = limit.retry_after();
            let message =
                format!("Too many attempts from here: the key was not judged. Wait {wait} s, then try again.");
            (StatusCode::TOO_MANY_REQUESTS, message)
        })?;
        caller.map_err(refused)?;
        let keys = door.keys.load();
        let cookie = keys
            .find(text, now)
            .map(|key| door.cookies.issue(key, form.remember.is_some(), now))
            .and_then(|cookie| HeaderValue::try_from(cookie.to_string()).ok());
        cookie.ok_or_else(|| refused(Refusal::Invalid))
    }
}

fn refused(refusal: Refusal) -> (StatusCode, String) {
    match refusal {
        Refusal::Invalid | Refusal::Missing => (StatusCode::UNAUTHORIZED, "This key is not known here.".to_owned()),
        Refusal::NoKeysConfigured => (StatusCode::UNAUTHORIZED, refusal.message().to_owned()),
        Refusal::CrossSite => (StatusCode::FORBIDDEN, refusal.message().to_owned()),
    }
}
