//! A console over the sample objects, and words to ask it with.

use crate::described::{assert_as_described, assert_body_as_described};
use axum::{
    Router,
    body::{Body, HttpBody as _},
    response::Response,
};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, header};
use http_body_util::BodyExt as _;
use jiff::Timestamp;
use opsdeck::{
    access::{
        caller::Door,
        keys::KeySet,
        limits::{Limits, PerMinute},
        session::CookiePolicy,
    },
    catalog::{Catalog, Held},
    console::{About, Console, SharedConsole},
    listen::Peer,
    resources::{AuditEvent, AuditEventSpec},
    rest, run,
    source::{Source, embedded::Embedded, sample, settler::Bench},
    telemetry::metrics::Metrics,
};
use serde_json::{Value, json};
use std::{net::SocketAddr, num::NonZeroU32, sync::Arc};
use tower::ServiceExt as _;

pub(crate) const VIEWER: &str = "key-of-a-viewer";
pub(crate) const OPERATOR: &str = "key-of-an-operator";
pub(crate) const ADMIN: &str = "key-of-an-admin";
/// A key whose role does not exist.
pub(crate) const ODD: &str = "key-of-nobody";

pub(crate) const KEYS: &str = "
- {key: key-of-a-viewer, role: viewer, name: wallboard}
- {key: key-of-an-operator, role: operator, name: sre-mira}
- {key: key-of-an-admin, role: admin, name: sre-tomasz}
- {key: key-of-nobody, role: auditor, name: odd}
";

pub(crate) struct TestConsole {
    pub(crate) console: SharedConsole,
    pub(crate) router: Router,
}

/// A request in the making.
pub(crate) struct Asking<'a> {
    console: &'a TestConsole,
    method: Method,
    target: String,
    headers: HeaderMap,
    peer: Option<Peer>,
    body: Body,
    /// The body is one that the contract takes, though the document does not offer it.
    loose: bool,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

// === impl TestConsole ===

impl TestConsole {
    /// The sample as of now, with nothing moving.
    pub(crate) async fn over_the_sample() -> Self {
        Self::over(sample::objects(Timestamp::now())).await
    }

    pub(crate) async fn over(objects: Vec<Value>) -> Self {
        Self::with_keys(objects, KEYS).await
    }

    pub(crate) async fn with_keys(objects: Vec<Value>, keys: &str) -> Self {
        Self::mounted(objects, keys, "").await
    }

    /// Under a base path.
    pub(crate) async fn mounted(objects: Vec<Value>, keys: &str, base_path: &str) -> Self {
        Self::behind(door(keys, base_path), objects, base_path, |store| store).await
    }

    /// Without objects, behind a door of its own.
    pub(crate) async fn guarded(door: Door) -> Self {
        Self::behind(door, Vec::new(), "", |store| store).await
    }

    /// The same under a base path.
    pub(crate) async fn behind_door(door: Door, base_path: &str) -> Self {
        Self::behind(door, Vec::new(), base_path, |store| store).await
    }

    /// Over a source that stands between the console and the store.
    pub(crate) async fn around<S: Source + 'static>(
        objects: Vec<Value>,
        source: impl FnOnce(Arc<Embedded>) -> Arc<S>,
    ) -> Self {
        Self::behind(door(KEYS, ""), objects, "", source).await
    }

    /// Where approvals are judged inside the write that brings a vote.
    pub(crate) async fn judging(objects: Vec<Value>, keys: &str) -> Self {
        let (catalog, store) = filled(objects).await;
        store.judge_with(Bench::new(catalog.clone(), Timestamp::now));
        Self::put_together(catalog, door(keys, ""), "", Arc::new(store))
    }

    async fn behind<S: Source + 'static>(
        door: Door,
        objects: Vec<Value>,
        base_path: &str,
        source: impl FnOnce(Arc<Embedded>) -> Arc<S>,
    ) -> Self {
        let (catalog, store) = filled(objects).await;
        Self::put_together(catalog, door, base_path, source(Arc::new(store)))
    }

    fn put_together(catalog: Arc<Catalog>, door: Door, base_path: &str, source: Arc<dyn Source>) -> Self {
        let about = About {
            source: "embedded",
            context: None,
        };
        let console = Arc::new(Console {
            base_path: base_path.to_owned(),
            ..Console::new(catalog, source, door, Metrics::default(), about)
        });
        let router = run::router(console.clone());
        Self { console, router }
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        &self.console.catalog
    }

    /// The object as the catalog has it.
    pub(crate) fn object<K: Held>(&self, namespace: &str, name: &str) -> Option<Arc<K>> {
        let snapshot = self.console.catalog.snapshot();
        snapshot.table::<K>().get(namespace, name).map(|row| row.object.clone())
    }

    /// What was done, in the order in which it was.
    pub(crate) fn trail(&self) -> Vec<Arc<AuditEvent>> {
        let snapshot = self.console.catalog.snapshot();
        let mut trail: Vec<_> = snapshot
            .table::<AuditEvent>()
            .iter()
            .map(|row| row.object.clone())
            .collect();
        trail.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
        trail
    }

    /// What the trail tells of each deed, in the order in which they were done.
    pub(crate) fn told<T>(&self, what: impl Fn(&AuditEventSpec) -> T) -> Vec<T> {
        self.trail().iter().map(|event| what(&event.spec)).collect()
    }

    /// The annotations of an object; null where it has none.
    pub(crate) fn annotations<K: Held>(&self, namespace: &str, name: &str) -> Value {
        let object = self.object::<K>(namespace, name).expect("an object of that name");
        json!(object.meta().annotations)
    }

    /// Has something done: `target` is below `/api/v1`.
    pub(crate) async fn post(&self, target: &str, key: &str, body: &str) -> Answered {
        let asking = self.ask(Method::POST, &format!("/api/v1{target}")).key(key);
        asking.body(body.to_owned()).answer().await
    }

    pub(crate) fn get(&self, target: &str) -> Asking<'_> {
        self.ask(Method::GET, target)
    }

    pub(crate) fn ask(&self, method: Method, target: &str) -> Asking<'_> {
        Asking {
            console: self,
            method,
            target: target.to_owned(),
            headers: HeaderMap::new(),
            peer: None,
            body: Body::empty(),
            loose: false,
        }
    }

    /// The list's total, as a viewer.
    pub(crate) async fn total(&self, target: &str) -> u64 {
        self.get(target).key(VIEWER).await_ok().await.json()["metadata"]["totalCount"]
            .as_u64()
            .expect("a list")
    }
}

async fn filled(objects: Vec<Value>) -> (Arc<Catalog>, Embedded) {
    let catalog = Arc::new(Catalog::new(1));
    let store = Embedded::in_memory(catalog.clone()).expect("a store in memory");
    store.load(objects).await.expect("objects that are valid");
    (catalog, store)
}

/// A door with these keys and limits that no test reaches by accident.
pub(crate) fn door(keys: &str, base_path: &str) -> Door {
    let plenty = PerMinute(NonZeroU32::MAX);
    let keys = KeySet::parse(keys, None).expect("a list of keys");
    Door {
        cookies: CookiePolicy::new(base_path, false),
        limits: Limits::new(plenty, plenty),
        ..Door::over(keys)
    }
}

// === impl Asking ===

impl Asking<'_> {
    pub(crate) fn key(self, key: &str) -> Self {
        self.header("x-api-key", key)
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        let value = HeaderValue::from_bytes(value.as_bytes()).expect("a header value");
        self.headers.insert(name, value);
        self
    }

    /// The address from which the connection comes.
    pub(crate) fn peer(mut self, address: &str) -> Self {
        let address: SocketAddr = address.parse().expect("an address with a port");
        self.peer = Some(Peer(address));
        self
    }

    pub(crate) fn body(mut self, body: impl Into<Body>) -> Self {
        self.body = body.into();
        self
    }

    /// For a body that the contract takes although it is none that the document offers.
    pub(crate) fn loosely(mut self) -> Self {
        self.loose = true;
        self
    }

    /// Before its body, which may have no end.
    pub(crate) async fn response(self) -> Response {
        let mut request = Request::new(self.body);
        *request.method_mut() = self.method;
        *request.uri_mut() = self.target.parse().expect("an address");
        *request.headers_mut() = self.headers;
        if let Some(peer) = self.peer {
            request.extensions_mut().insert(peer);
        }
        let answering = self.console.router.clone().oneshot(request);
        answering.await.expect("a router never fails")
    }

    /// Held against what the document says of it.
    pub(crate) async fn answer(mut self) -> Answered {
        let loose = self.loose;
        let sent = match self.body.size_hint().exact() {
            Some(_) => self.body.collect().await.expect("a body of ours").to_bytes(),
            // One that comes in pieces is for the tests of how it comes.
            None => return self.heard().await,
        };
        self.body = sent.clone().into();
        let within = self
            .target
            .strip_prefix(&self.console.console.base_path)
            .unwrap_or_default();
        let (method, target) = (self.method.clone(), within.to_owned());
        let answered = self.heard().await;
        let taken = answered.status.is_success()
            && !answered
                .header("warning")
                .is_some_and(|warning| warning.contains("the body was ignored"));
        if taken && rest::is_api(&target) && !method.is_safe() && !loose {
            assert_body_as_described(&method, &target, &sent);
        }
        answered
    }

    async fn heard(self) -> Answered {
        let within = self.target.strip_prefix(&self.console.console.base_path);
        let (method, target) = (self.method.clone(), within.unwrap_or_default().to_owned());
        let (parts, body) = self.response().await.into_parts();
        let bytes = body.collect().await.expect("a whole body").to_bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        // 405 is about a method that is none of the path's.
        if parts.status != StatusCode::METHOD_NOT_ALLOWED {
            assert_as_described(&method, &target, parts.status, &parts.headers, &text);
        }
        Answered {
            status: parts.status,
            headers: parts.headers,
            text,
        }
    }

    pub(crate) async fn await_ok(self) -> Answered {
        let target = self.target.clone();
        let answered = self.answer().await;
        assert_eq!(answered.status, StatusCode::OK, "{target}: {}", answered.text);
        answered
    }

    /// Asks twice: the second time with the tag of the first answer.
    pub(crate) async fn assert_not_modified(self) {
        let again = Asking {
            console: self.console,
            method: self.method.clone(),
            target: self.target.clone(),
            headers: self.headers.clone(),
            peer: self.peer,
            body: Body::empty(),
            loose: self.loose,
        };
        let first = self.await_ok().await;
        let tag = first.header(header::ETAG.as_str()).expect("an entity tag").to_owned();
        assert!(tag.starts_with("W/\""), "{tag} is weak");
        let second = again.header("if-none-match", &tag).answer().await;
        assert_eq!((second.status, second.text.as_str()), (StatusCode::NOT_MODIFIED, ""));
        assert_eq!(second.header("etag"), Some(tag.as_str()));
    }
}

// === impl Answered ===

impl Answered {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error} in {}", self.text))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    pub(crate) fn assert_error(&self, status: u16, reason: &str) -> String {
        let body = self.json();
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        assert_eq!(
            (&body["kind"], &body["code"], &body["reason"]),
            (&"Error".into(), &status.into(), &reason.into())
        );
        assert_eq!(body["requestId"].as_str(), self.header("x-request-id"));
        body["message"].as_str().expect("a message").to_owned()
    }
}
