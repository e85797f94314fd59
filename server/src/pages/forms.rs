//! The forms of the dashboard, which work without a script: sign in, sign out, and what people do to objects, which becomes a request to the API.

use super::{LedHere, Pages, ask, landing, see_other, too_many};
use crate::{
    access::{
        caller::{Admitted, Caller, Refusal},
        limits::Exhausted,
    },
    payload, rest,
};
use axum::{
    Form,
    body::Body,
    extract::{FromRequest as _, Request, State},
    response::{IntoResponse as _, Response},
};
use cookie::{Cookie, SameSite, time::Duration};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use jiff::Timestamp;
use opsdeck_api::StringMap;
use opsdeck_app::Acted;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::json;
use std::net::IpAddr;

/// A key and an address.
const SMALL: usize = 8 * 1024;
/// As much as the API takes, in letters that a form writes as three: what it finds too long is said on the page.
const LARGE: usize = 3 * payload::LARGEST;

/// Tells the next page what was done, once.
const DONE: &str = "opsdeck_done";

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
    let (uri, headers) = (request.uri().clone(), request.headers().clone());
    let base_path = &pages.console.base_path;
    if !pages.console.door.is_same_origin(&uri, &headers) {
        // Not a page, which would cost more to make than it is worth to whoever sent this.
        let (status, message) = refused(Refusal::CrossSite);
        return (status, format!("{message}\n")).into_response();
    }
    let form: SignIn = match read(request, SMALL).await {
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
            let led_here = LedHere {
                refused: Some(refused),
                ..LedHere::default()
            };
            let page = pages.page_of(&form.next, headers);
            // Whatever else came along: the form was what counted.
            pages.render(page, Admitted(Err(Refusal::Invalid)), led_here).await
        }
    }
}

pub(super) async fn sign_out(State(pages): State<Pages>, request: Request) -> Response {
    let console = &pages.console;
    if !console.door.is_same_origin(request.uri(), request.headers()) {
        return (StatusCode::FORBIDDEN, "signing out is for our own pages\n").into_response();
    }
    let (Admitted(caller), _) = rest::identify(console, &request);
    let form: SignOut = match read(request, SMALL).await {
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

/// Asks the API in the name of whoever sends the form. `act` is the path, `next` the page to come back to, and `caller` whose page it is;
/// everything else is the body.
pub(super) async fn act(State(pages): State<Pages>, request: Request) -> Response {
    let console = &pages.console;
    if !console.door.is_same_origin(request.uri(), request.headers()) {
        return (StatusCode::FORBIDDEN, "acting is for our own pages\n").into_response();
    }
    let (admitted, client) = rest::identify(console, &request);
    if let Err(exhausted) = console.door.spend(admitted.caller(), client) {
        return too_many(exhausted);
    }
    let headers = request.headers().clone();
    let fields: Vec<(String, String)> = match read(request, LARGE).await {
        Ok(fields) => fields,
        Err(response) => return response,
    };
    let (mut path, mut next, mut page_of, mut typed) = (String::new(), String::new(), String::new(), StringMap::new());
    for (name, value) in fields {
        match name.as_str() {
            "act" => path = value,
            "next" => next = value,
            "caller" => page_of = value,
            // Of several fields of one name the last that says anything counts: what was typed beside what was offered.
            _ if value.is_empty() => {}
            _ => drop(typed.insert(name, value)),
        }
    }
    let is_others = |caller: &Caller| !page_of.is_empty() && page_of != caller.key_id;
    let (status, body) = if admitted.caller().is_ok_and(is_others) {
        let told = json!({ "message": Refusal::OthersPage.message() });
        (StatusCode::FORBIDDEN.as_u16(), told.to_string().into_bytes())
    } else {
        let mut asked = Request::new(Body::from(json!(typed).to_string()));
        *asked.method_mut() = Method::POST;
        ask(pages.api.clone(), admitted.clone(), asked, format!("/api/v1{path}")).await
    };
    if (200..300).contains(&status) {
        let mut response = see_other(&console.base_path, &next);
        if let Some(cookie) = pages.telling(&path) {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
        return response;
    }
    let acted = Acted::refused(path, status, &String::from_utf8_lossy(&body), typed);
    let led_here = LedHere {
        acted: Some(acted),
        ..LedHere::default()
    };
    pages.render(pages.page_of(&next, headers), admitted, led_here).await
}

/// What the cookie says was done.
pub(super) fn done(cookie: &str) -> Option<String> {
    let cookie = Cookie::parse_encoded(cookie).ok()?;
    (cookie.name() == DONE && !cookie.value().is_empty()).then(|| cookie.value().to_owned())
}

/// The status of what was not done.
pub(super) fn undone(acted: &Acted) -> Option<StatusCode> {
    let error = acted.error.as_ref()?;
    Some(StatusCode::from_u16(error.status).unwrap_or(StatusCode::BAD_GATEWAY))
}

/// The address of a form is no page: somebody has typed it, or loads it again.
pub(super) async fn no_page(State(pages): State<Pages>) -> Response {
    see_other(&pages.console.base_path, "")
}

async fn read<T: DeserializeOwned>(request: Request, largest: usize) -> Result<T, Response> {
    let request = payload::collect(request, largest).await.map_err(|unreadable| {
        let told = format!("Nothing was done: {unreadable}. Go back: the browser still has what was typed.\n");
        (unreadable.status(), told).into_response()
    })?;
    let form = Form::from_request(request, &()).await;
    form.map(|Form(form)| form)
        .map_err(|_| (StatusCode::BAD_REQUEST, "not a form of this page\n").into_response())
}

impl Pages {
    /// The request for the page on which a form stood.
    fn page_of(&self, next: &str, mut headers: HeaderMap) -> Request {
        let base_path = &self.console.base_path;
        let within = landing(base_path, next);
        let within = within.strip_prefix(base_path.as_str()).unwrap_or("/");
        headers.remove(header::CONTENT_LENGTH);
        let mut page = Request::default();
        *page.uri_mut() = within.parse().unwrap_or_default();
        *page.headers_mut() = headers;
        page
    }

    /// Has the next page tell that this was done; nothing ends that. It holds no words: what is said of it is the page's.
    pub(super) fn telling(&self, path: &str) -> Option<HeaderValue> {
        /// To load a page.
        const LONG_ENOUGH: Duration = Duration::seconds(60);
        let lasts = if path.is_empty() { Duration::ZERO } else { LONG_ENOUGH };
        let cookie = Cookie::build((DONE, path.to_owned()))
            .path(format!("{}/", self.console.base_path))
            .http_only(true)
            .same_site(SameSite::Lax)
            .max_age(lasts);
        HeaderValue::try_from(cookie.build().encoded().to_string()).ok()
    }

    /// The cookie for the key that was typed; else the status and the sentence with which the form comes again.
    fn exchange(&self, client: IpAddr, form: &SignIn) -> Result<HeaderValue, (StatusCode, String)> {
        let (door, now) = (&self.console.door, Timestamp::now());
        let key = form.key.trim();
        let caller = door.caller_by_key(key, now);
        door.spend(caller.as_ref().map_err(|refusal| *refusal), client)
            .map_err(|Exhausted { limit }| {
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
        Refusal::CrossSite | Refusal::OthersPage => (StatusCode::FORBIDDEN, refusal.message().to_owned()),
    }
}
