//! The two forms of the dashboard that work without a script: sign in and sign out.

use super::{Pages, landing, see_other};
use crate::{
    access::{
        caller::{Admitted, Refusal},
        limits::Exhausted,
    },
    payload, rest,
};
use axum::{
    Form,
    extract::{FromRequest as _, Request, State},
    response::{IntoResponse as _, Response},
};
use http::{HeaderValue, StatusCode, header};
use jiff::Timestamp;
use serde::{Deserialize, de::DeserializeOwned};
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
    let (_, client) = rest::identify(&pages.console, &request);
    let (uri, mut headers) = (request.uri().clone(), request.headers().clone());
    let base_path = &pages.console.base_path;
    if !pages.console.door.is_same_origin(&uri, &headers) {
        // Not a page, which would cost more to make than it is worth to whoever sent this.
        let (status, message) = refused(Refusal::CrossSite);
        return (status, format!("{message}\n")).into_response();
    }
    let form: SignIn = match read(request).await {
        Ok(form) => form,
        Err(response) => return response,
    };
    match pages.exchange(client, &form) {
        Ok(cookie) => {
            let mut response = see_other(base_path, &form.next);
            response.headers_mut().insert(header::SET_COOKIE, cookie);
            response
        }
        Err(refused) => {
            let within = landing(base_path, &form.next);
            let within = within.strip_prefix(base_path.as_str()).unwrap_or("/");
            headers.remove(header::CONTENT_LENGTH);
            let mut page = Request::default();
            *page.uri_mut() = within.parse().unwrap_or_default();
            *page.headers_mut() = headers;
            // Whatever else came along: the form was what counted.
            pages.render(page, Admitted(Err(Refusal::Invalid)), Some(refused)).await
        }
    }
}

pub(super) async fn sign_out(State(pages): State<Pages>, request: Request) -> Response {
    let console = &pages.console;
    if !console.door.is_same_origin(request.uri(), request.headers()) {
        return (StatusCode::FORBIDDEN, "signing out is for our own pages\n").into_response();
    }
    let (Admitted(caller), _) = rest::identify(console, &request);
    let form: SignOut = match read(request).await {
        Ok(form) => form,
        Err(response) => return response,
    };
    if let Ok(caller) = &caller {
        console.end_session(caller);
    }
    let mut response = see_other(&console.base_path, &form.next);
    if let Ok(cookie) = HeaderValue::try_from(console.door.cookies.clear().to_string()) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// The address of a form is no page: somebody has typed it, or loads it again.
pub(super) async fn no_page(State(pages): State<Pages>) -> Response {
    see_other(&pages.console.base_path, "")
}

async fn read<T: DeserializeOwned>(request: Request) -> Result<T, Response> {
    /// A key and an address.
    const LARGEST: usize = 8 * 1024;
    let request = payload::collect(request, LARGEST)
        .await
        .map_err(|unreadable| (unreadable.status(), format!("{unreadable}\n")).into_response())?;
    let form = Form::from_request(request, &()).await;
    form.map(|Form(form)| form)
        .map_err(|_| (StatusCode::BAD_REQUEST, "not a form of this page\n").into_response())
}

impl Pages {
    /// The cookie for the key that was typed; else the status and the sentence with which the form comes again.
    fn exchange(&self, client: IpAddr, form: &SignIn) -> Result<HeaderValue, (StatusCode, String)> {
        let (door, now) = (&self.console.door, Timestamp::now());
        let key = form.key.trim();
        let caller = door.caller_by_key(key, now);
        door.spend(&caller, client).map_err(|Exhausted { limit }| {
            let wait = limit.retry_after();
            let message =
                format!("Too many attempts from here: the key was not judged. Wait {wait} s, then try again.");
            (StatusCode::TOO_MANY_REQUESTS, message)
        })?;
        let cookie = door
            .open_session(key.as_bytes(), form.remember.is_some(), now)
            .and_then(|cookie| HeaderValue::try_from(cookie.to_string()).map_err(|_| Refusal::Invalid));
        match &caller {
            Ok(caller) => tracing::info!(identity = ?caller.identity, key.id = caller.key_id, %client, "signed in"),
            Err(_) => tracing::info!(%client, "sign-in refused"),
        }
        caller.and(cookie).map_err(refused)
    }
}

fn refused(refusal: Refusal) -> (StatusCode, String) {
    match refusal {
        Refusal::Invalid | Refusal::Missing => (StatusCode::UNAUTHORIZED, "This key is not known here.".to_owned()),
        Refusal::NoKeysConfigured => (StatusCode::UNAUTHORIZED, refusal.message().to_owned()),
        Refusal::CrossSite => (StatusCode::FORBIDDEN, refusal.message().to_owned()),
    }
}
