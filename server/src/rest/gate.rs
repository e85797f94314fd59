//! What a request from outside passes before it reaches a route, outermost first: the access log, the envelope of errors,
//! other origins, the limits. Pages ask the same routes in process and spend where the page is asked for.

use super::{Error, answer};
use crate::{
    access::caller::Admitted,
    console::{Console, SharedConsole},
    listen::Peer,
};
use axum::{
    Router,
    extract::{Request, State},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
};
use http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use std::{
    any::Any,
    net::{IpAddr, Ipv4Addr},
    time::{Duration, Instant},
};
use tower_http::catch_panic::CatchPanicLayer;

/// Longer addresses than any filter of ours.
const LONGEST_ADDRESS: usize = 8 * 1024;

/// The routes as pages ask them: errors have their body, panics are caught.
pub fn in_process(routes: Router, console: &SharedConsole) -> Router {
    caught(routes, console).layer(middleware::from_fn(answer::finish))
}

fn caught(routes: Router, console: &SharedConsole) -> Router {
    let panics = console.metrics.requests.panics.clone();
    let catch = CatchPanicLayer::custom(move |message: Box<dyn Any + Send>| {
        panics.inc();
        Error::panicked(message.as_ref()).into_response()
    });
    routes.layer(catch)
}

/// The routes as the network reaches them.
pub fn facing_the_network(routes: Router, console: SharedConsole) -> Router {
    let limited = routes.layer(middleware::from_fn_with_state(console.clone(), limit));
    caught(limited, &console)
        .layer(middleware::from_fn_with_state(console.clone(), share))
        .layer(middleware::from_fn(answer::finish))
        .layer(middleware::from_fn_with_state(console, record))
}

/// Who asks, from where. The address is that of the client, which is not always the peer.
pub fn identify(console: &Console, request: &Request) -> (Admitted, IpAddr) {
    let peer = request.extensions().get::<Peer>();
    let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |Peer(peer)| peer.ip());
    let door = &console.door;
    let host = door.proxies.client(peer, request.headers());
    let caller = door.caller(request.method(), request.uri(), request.headers(), Timestamp::now());
    (Admitted(caller), host)
}

/// Answers to other origins, where some are configured.
pub async fn share(State(console): State<SharedConsole>, request: Request, next: Next) -> Response {
    let cors = &console.door.cors;
    let headers = cors.headers(request.headers());
    let mut response = if cors.is_preflight(request.method(), request.headers()) {
        StatusCode::NO_CONTENT.into_response()
    } else {
        next.run(request).await
    };
    for (name, value) in headers {
        response.headers_mut().append(name, value);
    }
    response
}

async fn limit(State(console): State<SharedConsole>, request: Request, next: Next) -> Result<Response, Error> {
    let (Admitted(caller), Host(host)) = admission(&request);
    console.door.spend(&caller, host)?;
    let address = request.uri().path_and_query().map_or("", |address| address.as_str());
    if address.len() > LONGEST_ADDRESS {
        return Err(Error::address_too_long(LONGEST_ADDRESS));
    }
    Ok(next.run(request).await)
}

/// One line a request: who, what, how it ended. Never a key, never a query.
async fn record(State(console): State<SharedConsole>, mut request: Request, next: Next) -> Response {
    let began = Instant::now();
    let (admitted, host) = identify(&console, &request);
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let (role, identity, key_id) = match &admitted.0 {
        Ok(caller) => (
            caller.role_text().to_owned(),
            caller.identity.clone(),
            caller.key_id.clone(),
        ),
        Err(_) => ("-".to_owned(), "-".to_owned(), "-".to_owned()),
    };
    request.extensions_mut().insert(admitted);
    request.extensions_mut().insert(Host(host));
    let response = next.run(request).await;
    let took = began.elapsed();
    console
        .metrics
        .requests
        .answered(method.as_str(), response.status().as_u16(), took);
    tracing::info!(
        method = method.as_str(),
        path,
        status = response.status().as_u16(),
        duration = ?Duration::from_micros(u64::try_from(took.as_micros()).unwrap_or(u64::MAX)),
        role = role,
        identity = identity,
        key.id = key_id,
        client = %host,
        request.id = request_id(response.headers()),
        "request"
    );
    response
}

#[derive(Clone, Copy, Debug)]
struct Host(IpAddr);

fn admission(request: &Request) -> (Admitted, Host) {
    let extensions = request.extensions();
    (
        extensions.get().cloned().unwrap_or_default(),
        extensions
            .get()
            .copied()
            .unwrap_or(Host(IpAddr::V4(Ipv4Addr::UNSPECIFIED))),
    )
}

fn request_id(headers: &HeaderMap) -> &str {
    headers
        .get(answer::REQUEST_ID)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}
