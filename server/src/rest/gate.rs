//! What a request from outside passes before it reaches a route, outermost first: the access log, the envelope of errors,
//! other origins, the limits. Pages ask the same routes in process and spend where the page is asked for.

use super::{
    Error,
    answer::{self, RequestId},
};
use crate::{
    access::{caller::Admitted, cors::Cors},
    console::{Console, SharedConsole},
    listen::Peer,
};
use axum::{
    Router,
    extract::{Request, State},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
};
use futures_util::FutureExt as _;
use http::{Method, StatusCode, Uri};
use jiff::Timestamp;
use std::{
    net::{IpAddr, Ipv4Addr},
    panic::AssertUnwindSafe,
    time::{Duration, Instant},
};

/// Longer addresses than any filter of ours.
const LONGEST_ADDRESS: usize = 8 * 1024;

/// The routes as pages ask them: errors have their body, panics are caught.
pub fn in_process(routes: Router, console: &SharedConsole) -> Router {
    routes.layer(middleware::from_fn_with_state(console.clone(), attend_page))
}

/// The routes as the network reaches them. One layer and not one a concern: each makes a future on the heap and clones all behind it.
pub fn facing_the_network(routes: Router, console: SharedConsole) -> Router {
    routes.layer(middleware::from_fn_with_state(console, attend))
}

async fn attend_page(State(console): State<SharedConsole>, mut request: Request, next: Next) -> Response {
    let id = RequestId::next();
    request.extensions_mut().insert(id.clone());
    let response = caught(&console, next.run(request)).await;
    answer::finished(response, &id)
}

async fn attend(State(console): State<SharedConsole>, mut request: Request, next: Next) -> Response {
    let began = Instant::now();
    let (admitted, host) = identify(&console, &request);
    let record = Record {
        began,
        method: request.method().clone(),
        uri: request.uri().clone(),
        admitted: admitted.clone(),
        host,
    };
    let id = RequestId::next();
    let extensions = request.extensions_mut();
    extensions.insert(admitted.clone());
    extensions.insert(id.clone());
    let answer = async |request| caught(&console, limited(&console, &admitted, host, request, next)).await;
    let response = shared(&console.door.cors, request, answer).await;
    let response = answer::finished(response, &id);
    record.ended(&console, &response, &id);
    response
}

async fn caught(console: &Console, answer: impl Future<Output = Response>) -> Response {
    let answered = AssertUnwindSafe(answer).catch_unwind().await;
    answered.unwrap_or_else(|message| {
        console.metrics.requests.panics.inc();
        Error::panicked(message.as_ref()).into_response()
    })
}

async fn limited(console: &Console, admitted: &Admitted, host: IpAddr, request: Request, next: Next) -> Response {
    match may_ask(console, admitted, host, request.uri()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

fn may_ask(console: &Console, admitted: &Admitted, host: IpAddr, uri: &Uri) -> Result<(), Error> {
    console.door.spend(admitted.caller(), host)?;
    let address = uri.path_and_query().map_or("", |address| address.as_str());
    if address.len() > LONGEST_ADDRESS {
        return Err(Error::address_too_long(LONGEST_ADDRESS));
    }
    Ok(())
}

/// Who asks, from where. The address is that of the client, which is not always the peer.
pub fn identify(console: &Console, request: &Request) -> (Admitted, IpAddr) {
    let peer = request.extensions().get::<Peer>();
    let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |Peer(peer)| peer.ip());
    let door = &console.door;
    let host = door.proxies.client(peer, request.headers());
    let caller = door.caller(request.method(), request.uri(), request.headers(), Timestamp::now());
    (caller.into(), host)
}

/// Answers to other origins, where some are configured.
pub async fn share(State(console): State<SharedConsole>, request: Request, next: Next) -> Response {
    shared(&console.door.cors, request, async |request| next.run(request).await).await
}

async fn shared(cors: &Cors, request: Request, answer: impl AsyncFnOnce(Request) -> Response) -> Response {
    let headers = cors.headers(request.headers());
    let mut response = if cors.is_preflight(request.method(), request.headers()) {
        StatusCode::NO_CONTENT.into_response()
    } else {
        answer(request).await
    };
    for (name, value) in headers {
        response.headers_mut().append(name, value);
    }
    response
}

/// One line a request: who, what, how it ended. Never a key, never a query.
struct Record {
    began: Instant,
    method: Method,
    uri: Uri,
    admitted: Admitted,
    host: IpAddr,
}

// === impl Record ===

impl Record {
    fn ended(self, console: &Console, response: &Response, RequestId(id): &RequestId) {
        let (method, status, took) = (self.method.as_str(), response.status().as_u16(), self.began.elapsed());
        console.metrics.requests.answered(method, status, took);
        let (role, identity, key_id) = match &self.admitted.0 {
            Ok(caller) => (caller.role_text(), &*caller.identity, &*caller.key_id),
            Err(_) => ("-", "-", "-"),
        };
        tracing::info!(
            method,
            path = self.uri.path(),
            status,
            duration = ?Duration::from_micros(u64::try_from(took.as_micros()).unwrap_or(u64::MAX)),
            role,
            identity,
            key.id = key_id,
            client = %self.host,
            request.id = id,
            "request"
        );
    }
}
