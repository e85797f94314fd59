//! The two forms of the dashboard that work without a script: sign in and sign out.

use super::{Pages, see_other};
use crate::access::caller::Refusal;
use axum::{
    Form,
    extract::{Request, State},
    response::Response,
};
use http::{HeaderMap, HeaderValue, header};
use jiff::Timestamp;
use serde::Deserialize;

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

pub(super) async fn sign_in(State(pages): State<Pages>, headers: HeaderMap, Form(form): Form<SignIn>) -> Response {
    match pages.exchange(&headers, &form) {
        Ok(cookie) => {
            let mut response = see_other(&pages.console.base_path, &form.next);
            response.headers_mut().insert(header::SET_COOKIE, cookie);
            response
        }
        Err(refusal) => {
            let mut request = Request::default();
            let within = form
                .next
                .strip_prefix(pages.console.base_path.as_str())
                .unwrap_or_default();
            *request.uri_mut() = within.parse().unwrap_or_default();
            *request.headers_mut() = headers;
            request.headers_mut().remove(header::CONTENT_LENGTH);
            pages.render(request, Some(Pages::refuse(refusal))).await
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
    /// The cookie for the key that was pasted.
    fn exchange(&self, headers: &HeaderMap, form: &SignIn) -> Result<HeaderValue, Refusal> {
        let door = &self.console.door;
        if !door.is_same_origin(headers) {
            return Err(Refusal::CrossSite);
        }
        let (keys, now) = (door.keys.load(), Timestamp::now());
        let key = keys.find(form.key.trim(), now).ok_or(if keys.is_empty() {
            Refusal::NoKeysConfigured
        } else {
            Refusal::Invalid
        })?;
        let cookie = door.cookies.issue(key, form.remember.is_some(), now);
        HeaderValue::try_from(cookie.to_string()).map_err(|_| Refusal::Invalid)
    }
}
