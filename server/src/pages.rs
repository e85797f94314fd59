//! Hosts the dashboard: renders its pages, answers its forms, serves its files. The pages get their data from the REST router,
//! in process and with the rights of the request that asked for the page; there is no other way to it.

mod assets;
mod forms;
mod reference;

use crate::{
    access::{
        caller::{Admitted, cookies},
        limits::Exhausted,
    },
    console::SharedConsole,
    headers::{CachePolicy, PagePolicy},
    rest,
};
use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    response::{IntoResponse, Response},
    routing::{any, get, post},
};
use cookie::{Cookie, SameSite, time::Duration};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use http_body_util::BodyExt as _;
use jiff::Timestamp;
use leptos::{context::provide_context, nonce::use_nonce};
use leptos_axum::render_app_async_with_context;
use opsdeck_api::Query;
use opsdeck_app::{Acted, Assets, PageContext, PageStatus, ServerApi, Theme, session, shell};
use prometheus_client::metrics::counter::Counter;
use std::sync::{Arc, Mutex, OnceLock};
use tower::ServiceExt as _;

/// What the page handlers need besides the console.
#[derive(Clone, Debug)]
pub struct Pages {
    console: SharedConsole,
    /// The REST routes as they are asked in process.
    api: Router,
    bundle: assets::Bundle,
    /// What the page about the API says, once it was asked for.
    reference: Arc<OnceLock<String>>,
}

/// The form that led to a page, and how it ended.
#[derive(Debug, Default)]
struct LedHere {
    /// Why a sign-in failed.
    refused: Option<(StatusCode, String)>,
    acted: Option<Acted>,
}

/// Everything outside `/api`: pages, their forms and their files.
pub fn router(console: SharedConsole, api: Router) -> Router {
    // Leptos does this only while it lists routes, which we do not ask of it. A second router finds it done.
    let _ = any_spawner::Executor::init_tokio();
    let pages = Pages {
        console,
        api,
        bundle: assets::Bundle::embedded(),
        reference: Arc::default(),
    };
    Router::new()
        .route("/index.html", any(to_front_page))
        .route("/session", post(forms::sign_in).get(forms::no_page))
        .route("/docs/api", get(reference::reference))
        .route("/session/end", post(forms::sign_out).get(forms::no_page))
        .route("/act", post(forms::act).get(forms::no_page))
        .route(
            &format!("/{}/{{*file}}", pages.bundle.directory()),
            get(assets::bundled_file),
        )
        .fallback(page_or_file)
        .with_state(pages)
}

async fn page_or_file(State(pages): State<Pages>, request: Request) -> Response {
    let path = request.uri().path();
    if let Some(file) = assets::public_file(path, request.headers()) {
        return file;
    }
    let is_file = path
        .rsplit('/')
        .next()
        .is_some_and(|last| last.contains('.') && !is_object(path));
    if is_file {
        return not_found();
    }
    let accepts_html = accepts_html(request.headers());
    let (admitted, host) = rest::identify(&pages.console, &request);
    if pages.console.door.is_presented(request.headers())
        && let Err(exhausted) = pages.console.door.spend(admitted.caller(), host)
    {
        return too_many(exhausted);
    }
    let done = cookies(request.headers()).find_map(forms::done);
    let was_told = done.is_some();
    let led_here = LedHere {
        acted: done.map(Acted::done),
        ..LedHere::default()
    };
    let mut page = pages.render(request, admitted, led_here).await;
    if was_told && let Some(cookie) = pages.telling("") {
        page.headers_mut().append(header::SET_COOKIE, cookie);
    }
    if page.status() == StatusCode::NOT_FOUND && !accepts_html {
        return not_found();
    }
    page
}

/// Upstream's page is a file of that name, and was bookmarked so; it redirects too. The query stays, as there.
async fn to_front_page(State(pages): State<Pages>, request: Request) -> Response {
    let base_path = &pages.console.base_path;
    let query = request
        .uri()
        .query()
        .map_or_else(String::new, |query| format!("?{query}"));
    match HeaderValue::try_from(format!("{base_path}/{query}")) {
        Ok(location) => (StatusCode::MOVED_PERMANENTLY, [(header::LOCATION, location)]).into_response(),
        Err(_) => not_found(),
    }
}

/// What lies outside the base path: its own address without the slash, which leads inside, or nothing at all.
pub fn elsewhere(base_path: &str, uri: &Uri) -> Router {
    let home = !base_path.is_empty() && uri.path() == base_path;
    let target = uri
        .query()
        .map_or_else(|| format!("{base_path}/"), |query| format!("{base_path}/?{query}"));
    Router::new().fallback(move || async move {
        match HeaderValue::try_from(target) {
            Ok(location) if home => (StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, location)]).into_response(),
            _ => not_found(),
        }
    })
}

/// The last resort of everything that is not the API's, which has its own words for it.
pub fn broken(panics: &Counter) -> Response {
    panics.inc();
    (
        StatusCode::INTERNAL_SERVER_ERROR,
        "something went wrong here; the log tells more\n",
    )
        .into_response()
}

fn not_found() -> Response {
    (StatusCode::NOT_FOUND, "404 page not found\n").into_response()
}

/// Programs get text.
fn accepts_html(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accept.is_none_or(|types| types.contains("text/html") || types.contains("*/*"))
}

/// Not a page: rendering one is what the limit is there to spare.
fn too_many(Exhausted { limit }: Exhausted) -> Response {
    let wait = limit.retry_after();
    (
        StatusCode::TOO_MANY_REQUESTS,
        [(header::RETRY_AFTER, wait.to_string())],
        format!(
            "Too many requests: {} a minute are allowed. Wait {wait} s, then load the page again.\n",
            limit.0
        ),
    )
        .into_response()
}

/// `/<list>/<namespace>/<name>`: names of objects may contain dots.
fn is_object(path: &str) -> bool {
    path.trim_matches('/').split('/').count() == 3
}

// === impl Pages ===

impl Pages {
    /// The page at the request's address.
    async fn render(&self, request: Request, admitted: Admitted, led_here: LedHere) -> Response {
        let LedHere { refused, acted } = led_here;
        let undone = acted.as_ref().and_then(forms::undone);
        let api = self.api_for(admitted);
        let context = PageContext {
            base: self.console.base_path.clone(),
            now: Timestamp::now().as_second(),
            theme: theme(&request),
            session: session(&api).await,
            sign_in_error: refused.as_ref().map(|(_, message)| message.clone()),
            sign_in_hint: (self.console.about.source == "preview")
                .then(|| "The preview's keys: preview (admin), preview-operator, preview-viewer".into()),
            acted,
        };
        let signed_out = context
            .session
            .as_ref()
            .is_err_and(|error| error.status == StatusCode::UNAUTHORIZED.as_u16());
        let kept_theme = given_theme(&request).and_then(|theme| self.keep(theme));
        let at_root = request.uri().path() == "/";
        let status = PageStatus::default();
        let nonce: Arc<Mutex<Option<String>>> = Arc::default();
        let assets = Assets(self.bundle.directory().into());
        let provide = {
            let (status, nonce) = (status.clone(), nonce.clone());
            move || {
                provide_context(api.clone());
                provide_context(context.clone());
                provide_context(assets.clone());
                provide_context(status.clone());
                if let Ok(mut slot) = nonce.lock() {
                    *slot = use_nonce().map(|nonce| nonce.to_string());
                }
            }
        };
        let mut response =
            render_app_async_with_context(provide, shell)(as_page_request(request, &self.console.base_path)).await;
        *response.status_mut() = match (refused, signed_out) {
            (Some((status, _)), _) => status,
            (None, true) if at_root => StatusCode::OK,
            (None, true) => StatusCode::UNAUTHORIZED,
            (None, false) if undone.is_some() => undone.unwrap_or_default(),
            (None, false) => StatusCode::from_u16(status.get()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        };
        if let Some(cookie) = kept_theme {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
        CachePolicy::NoStore.apply(response.headers_mut());
        let nonce = nonce.lock().ok().and_then(|slot| slot.clone());
        PagePolicy {
            nonce: nonce.as_deref(),
        }
        .apply(response.headers_mut());
        response
    }

    /// The REST routes as the dashboard's client asks them: with the rights of whoever asked for the page, and nothing else of it.
    fn api_for(&self, admitted: Admitted) -> ServerApi {
        let router = self.api.clone();
        ServerApi(Arc::new(move |target| {
            let (router, admitted) = (router.clone(), admitted.clone());
            Box::pin(ask(router, admitted, Request::new(Body::empty()), target))
        }))
    }

    /// A theme chosen by a link lasts without a script.
    fn keep(&self, theme: Theme) -> Option<HeaderValue> {
        let cookie = Cookie::build((Theme::COOKIE, theme.as_str()))
            .path(format!("{}/", self.console.base_path))
            .same_site(SameSite::Lax)
            .max_age(Duration::days(365));
        HeaderValue::try_from(cookie.to_string()).ok()
    }
}

/// Asks the API with the rights of whoever asks us: status and body of its answer.
async fn ask(router: Router, admitted: Admitted, mut request: Request, target: String) -> (u16, Vec<u8>) {
    request.extensions_mut().insert(admitted);
    match target.parse() {
        Ok(uri) => *request.uri_mut() = uri,
        Err(_) => return (StatusCode::NOT_FOUND.as_u16(), Vec::new()),
    }
    let Ok(response) = router.oneshot(request).await;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await;
    (status, body.map(|body| body.to_bytes().to_vec()).unwrap_or_default())
}

/// Pages are rendered for GET; a form that was refused shows the page it stood on. The dashboard knows its addresses as the
/// browser does, with the base path in front.
fn as_page_request(mut request: Request, base_path: &str) -> Request {
    // HTTP/2 and proxies send scheme and host along, which are none of a page's business.
    let within = request.uri().path_and_query().map_or("/", |address| address.as_str());
    *request.uri_mut() = format!("{base_path}{within}")
        .parse()
        .unwrap_or_else(|_| Uri::from_static("/"));
    *request.method_mut() = Method::GET;
    *request.body_mut() = Body::empty();
    request
}

fn given_theme(request: &Request) -> Option<Theme> {
    Query::parse(request.uri().query().unwrap_or_default())
        .first("theme")
        .and_then(Theme::parse)
}

/// The address wins over the cookie, so that a link can show a theme.
fn theme(request: &Request) -> Theme {
    let chosen = cookies(request.headers())
        .filter_map(|text| Cookie::parse(text).ok())
        .find(|cookie| cookie.name() == Theme::COOKIE);
    given_theme(request)
        .or_else(|| chosen.and_then(|cookie| Theme::parse(cookie.value())))
        .unwrap_or_default()
}

/// 303 to an address of this console; anything else leads to its front page.
fn see_other(base_path: &str, next: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    if let Ok(location) = HeaderValue::try_from(landing(base_path, next)) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    CachePolicy::NoStore.apply(response.headers_mut());
    response
}

/// Where somebody wanted to go, if that is a page of this console. Browsers read over tabs and take a backslash for a slash, so
/// neither may stand in it.
fn landing(base_path: &str, next: &str) -> String {
    let plain = |c: char| c.is_ascii_graphic() && c != '\\';
    let within = next.strip_prefix(base_path).unwrap_or_default();
    if within.starts_with('/') && !within.starts_with("//") && within.chars().all(plain) {
        next.to_owned()
    } else {
        format!("{base_path}/")
    }
}

#[cfg(test)]
mod tests {
    use super::landing;

    #[test]
    fn a_sign_in_leads_to_a_page_of_this_console_and_nowhere_else() {
        for (base, next) in [("", "/incidents?q=a%20b"), ("/ops", "/ops/incidents"), ("", "/")] {
            assert_eq!(landing(base, next), next);
        }
        for next in [
            "//evil.example",
            "/\t/evil.example",
            "/\\evil.example",
            "https://evil.example",
            "evil.example",
            "/a\r\nSet-Cookie: x",
            "",
            "x",
        ] {
            assert_eq!(landing("", next), "/", "{next:?}");
        }
        for next in ["/incidents", "/opsevil", "/ops", "/ops//evil.example"] {
            assert_eq!(landing("/ops", next), "/ops/", "{next}");
        }
    }
}
