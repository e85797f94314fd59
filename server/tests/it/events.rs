//! The event stream: what an open page is told, when it is told to ask again, and how a stream ends. The clock stands still but where a
//! test waits.

use crate::console::{ADMIN, KEYS, OPERATOR, TestConsole, VIEWER};
use crate::objects::{issue, write_of_another};
use axum::body::{Body, BodyDataStream};
use futures_util::StreamExt as _;
use http::{Method, StatusCode};
use jiff::{SignedDuration, Timestamp};
use opsdeck::{
    access::keys::KeySet,
    resources::{Kind, Object},
    source::Verb,
};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, timeout};

const PATIENCE: Duration = Duration::from_secs(60);
/// In heartbeats. With the clock standing still they come at once, and the store works in real time.
const LONGEST_SILENCE: usize = 100_000;

/// An open stream, read event by event.
struct Stream {
    chunks: BodyDataStream,
    text: String,
}

#[derive(Debug)]
struct Event {
    name: String,
    id: Option<String>,
    data: Value,
    is_comment: bool,
}

// === impl Stream ===

impl Stream {
    async fn open(console: &TestConsole, query: &str) -> Self {
        Self::resumed(console, query, None).await
    }

    async fn resumed(console: &TestConsole, query: &str, last: Option<&str>) -> Self {
        let asking = console.get(&format!("/api/v1/events{query}")).key(VIEWER);
        let asking = match last {
            Some(id) => asking.header("last-event-id", id),
            None => asking,
        };
        let response = asking.response().await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers()["cache-control"], "no-store");
        Self::of(response.into_body())
    }

    fn of(body: Body) -> Self {
        Self {
            chunks: body.into_data_stream(),
            text: String::new(),
        }
    }

    /// The next event or comment; nothing at the stream's end.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let event = Event::parse(block);
                self.text = rest.to_owned();
                return Some(event);
            }
            let chunk = timeout(PATIENCE, self.chunks.next()).await.expect("an event in time");
            let chunk = chunk?.expect("a whole stream");
            self.text += std::str::from_utf8(&chunk).expect("text");
        }
    }

    async fn expect(&mut self, name: &str) -> Event {
        for _ in 0..LONGEST_SILENCE {
            let event = self.next().await.unwrap_or_else(|| panic!("ended before {name}"));
            if event.name != "heartbeat" {
                assert_eq!(event.name, name, "{event:?}");
                return event;
            }
        }
        panic!("no {name} came");
    }

    async fn expect_change_of(&mut self, name: &str) -> Event {
        let event = self.expect("change").await;
        assert_eq!(event.data["name"], name, "{event:?}");
        event
    }

    async fn expect_bye(&mut self) {
        let bye = self.expect("bye").await;
        assert!(
            bye.data["retryAfterMs"].as_u64().is_some_and(|wait| wait >= 500),
            "{bye:?}"
        );
        assert!(self.next().await.is_none(), "nothing after bye");
    }
}

// === impl Event ===

impl Event {
    fn parse(block: &str) -> Self {
        let field = |name: &str| {
            let lines = block
                .lines()
                .filter_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            lines.map(str::to_owned).next_back()
        };
        Self {
            name: field("event").unwrap_or_default(),
            id: field("id"),
            data: field("data").map_or(Value::Null, |data| serde_json::from_str(&data).expect("JSON")),
            is_comment: block.starts_with(':'),
        }
    }

    fn id(&self) -> &str {
        self.id.as_deref().expect("an id")
    }
}

impl TestConsole {
    /// Incidents as of a risk, at once and past the store, whose time is the real one. The risk is their version.
    fn publish(&self, assessed: &[(&str, usize)]) {
        let objects = assessed.iter().map(|(name, risk)| {
            let mut issue = issue(name, "shop");
            issue["metadata"]["resourceVersion"] = (1000 + risk).to_string().into();
            issue["spec"]["riskScore"] = (*risk).into();
            Object::parse(Kind::Issue, issue).expect("an incident")
        });
        self.catalog().apply(objects.collect(), Timestamp::now());
    }
}

fn incidents(names: &[&str]) -> Vec<Value> {
    names.iter().map(|name| issue(name, "shop")).collect()
}

async fn console() -> TestConsole {
    TestConsole::over(incidents(&["checkout-oom", "cart-latency"])).await
}

async fn acknowledge(console: &TestConsole, name: &str) {
    let target = format!("/api/v1/incidents/{name}/acknowledge");
    console.ask(Method::POST, &target).key(OPERATOR).await_ok().await;
}

/// Changes an object as somebody else would, past the API.
async fn write(console: &TestConsole, name: &str, verb: Verb) {
    let change = write_of_another(Kind::Issue, "shop", name, verb);
    console.console.source.write(change).await.expect("a write");
}

async fn assess(console: &TestConsole, name: &str, risk: usize) {
    write(console, name, Verb::Patch(json!({"spec": {"riskScore": risk}}))).await;
}

#[tokio::test(start_paused = true)]
async fn a_change_arrives_with_the_item_that_the_list_shows() {
    let console = console().await;
    let mut stream = Stream::open(&console, "?kinds=Issue").await;
    let hello = stream.expect("hello").await;
    assert_eq!(hello.data["epoch"], "00000001");
    assert_eq!(hello.data["version"], env!("CARGO_PKG_VERSION"));
    assert!(hello.data["revision"].is_u64() && hello.data["serverTime"].is_string() && hello.data["keyId"].is_string());
    acknowledge(&console, "checkout-oom").await;
    let change = stream.expect_change_of("checkout-oom").await;
    assert_eq!(
        (&change.data["kind"], &change.data["namespace"], &change.data["deleted"]),
        (&json!("Issue"), &json!("shop"), &json!(false))
    );
    let list = console
        .get("/api/v1/incidents?q=checkout-oom")
        .key(VIEWER)
        .await_ok()
        .await;
    assert_eq!(change.data["item"], list.json()["items"][0]);
    assert_eq!(change.data["item"]["acknowledged"]["by"], "sre-mira");

    write(&console, "cart-latency", Verb::Delete).await;
    let change = stream.expect_change_of("cart-latency").await;
    assert_eq!(
        (&change.data["deleted"], &change.data["item"]),
        (&json!(true), &Value::Null)
    );
}

#[tokio::test(start_paused = true)]
async fn changes_of_one_object_within_a_moment_are_one_event() {
    let console = console().await;
    let mut stream = Stream::open(&console, "?kinds=Issue").await;
    stream.expect("hello").await;
    console.publish(&[("checkout-oom", 1)]);
    console.publish(&[("cart-latency", 2)]);
    console.publish(&[("checkout-oom", 3)]);
    assert_eq!(
        stream.expect_change_of("cart-latency").await.data["item"]["riskScore"],
        2
    );
    assert_eq!(
        stream.expect_change_of("checkout-oom").await.data["item"]["riskScore"],
        3
    );
    console.publish(&[("cart-latency", 4)]);
    assert_eq!(
        stream.expect_change_of("cart-latency").await.data["item"]["riskScore"],
        4
    );
}

#[tokio::test(start_paused = true)]
async fn a_reader_hears_of_its_kinds_and_namespaces_alone() {
    let console = TestConsole::over(vec![issue("a", "shop"), issue("a", "bank"), issue("a", "post")]).await;
    let mut trail = Stream::open(&console, "?kinds=AuditEvent,ApprovalRequest").await;
    let mut bank = Stream::open(&console, "?kinds=Issue&namespace=bank&namespace=post").await;
    for stream in [&mut trail, &mut bank] {
        stream.expect("hello").await;
    }
    for namespace in ["shop", "post"] {
        let target = format!("/api/v1/incidents/a/acknowledge?namespace={namespace}");
        console.ask(Method::POST, &target).key(OPERATOR).await_ok().await;
    }
    assert_eq!(trail.expect("change").await.data["kind"], "AuditEvent");
    assert_eq!(bank.expect("change").await.data["namespace"], "post");
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_is_none_is_refused_by_name() {
    let console = console().await;
    let silent = console.get("/api/v1/events?kinds=,").key(VIEWER).answer().await;
    silent.assert_error(400, "invalid");
    let refused = console
        .get("/api/v1/events?kinds=Issue,issues")
        .key(VIEWER)
        .answer()
        .await;
    let message = refused.assert_error(400, "invalid");
    assert!(
        message.contains("\"issues\"") && message.contains("ApprovalRequest"),
        "{message}"
    );
    assert_eq!(refused.json()["fields"][0]["field"], "kinds");
}

#[tokio::test(start_paused = true)]
async fn a_stream_resumes_after_the_last_event_that_arrived() {
    let console = console().await;
    let mut first = Stream::open(&console, "?kinds=Issue").await;
    first.expect("hello").await;
    acknowledge(&console, "checkout-oom").await;
    let seen = first.expect_change_of("checkout-oom").await;
    drop(first);
    assess(&console, "cart-latency", 7).await;
    let mut second = Stream::resumed(&console, "?kinds=Issue", Some(seen.id())).await;
    let hello = second.expect("hello").await;
    assert_eq!(hello.id, None, "it does not stand for what was missed");
    assert_eq!(
        second.expect_change_of("cart-latency").await.data["item"]["riskScore"],
        7
    );
    assess(&console, "checkout-oom", 8).await;
    second.expect_change_of("checkout-oom").await;
}

#[tokio::test(start_paused = true)]
async fn who_missed_too_much_is_told_to_ask_again() {
    let console = console().await;
    for last in ["00000002-1", "00000001-999999", "1", "", "00000001-x"] {
        let mut stream = Stream::resumed(&console, "", Some(last)).await;
        stream.expect("hello").await;
        let reset = stream.expect("reset").await;
        assert!(reset.data["revision"].is_u64());
        assess(&console, "checkout-oom", last.len()).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_flood_is_one_reset() {
    let console = console().await;
    let mut stream = Stream::open(&console, "").await;
    stream.expect("hello").await;
    let names: Vec<_> = (0..300).map(|number| format!("flood-{number}")).collect();
    let flood: Vec<_> = names.iter().map(|name| (name.as_str(), 1)).collect();
    console.publish(&flood);
    let reset = stream.expect("reset").await;
    let mut again = Stream::resumed(&console, "", Some(reset.id())).await;
    console.publish(&[("checkout-oom", 5)]);
    again.expect("hello").await;
    for stream in [&mut stream, &mut again] {
        stream.expect_change_of("checkout-oom").await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_stream_says_that_it_lives_and_how_far_it_is() {
    let console = console().await;
    let mut stream = Stream::open(&console, "?kinds=AuditEvent").await;
    let hello = stream.expect("hello").await;
    assess(&console, "checkout-oom", 5).await;
    let begun = Instant::now();
    let heartbeat = stream.next().await.expect("a heartbeat");
    assert!(heartbeat.is_comment && heartbeat.name == "heartbeat");
    assert!((14..=16).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
    assert_ne!(heartbeat.id(), hello.id(), "what was not wanted needs no telling again");
}

#[tokio::test(start_paused = true)]
async fn who_does_not_read_is_cut_and_costs_the_others_nothing() {
    let console = console().await;
    let mut slow = Stream::open(&console, "?kinds=Issue").await;
    let mut quick = Stream::open(&console, "?kinds=Issue").await;
    slow.expect("hello").await;
    quick.expect("hello").await;
    for risk in 1..300 {
        console.publish(&[("checkout-oom", risk)]);
        let change = quick.expect_change_of("checkout-oom").await;
        assert_eq!(change.data["item"]["riskScore"], risk);
    }
    assert!(slow.next().await.is_none(), "it is cut");
    assert!(
        console
            .console
            .metrics
            .text()
            .contains("opsdeck_event_streams_cut_total 1")
    );
    drop((slow, quick));
    assert!(console.console.metrics.text().contains("opsdeck_event_streams 0"));
}

#[tokio::test(start_paused = true)]
async fn a_key_that_goes_or_changes_ends_its_streams() {
    for keys in [
        KEYS.replace(VIEWER, "another-key"),
        KEYS.replace("role: viewer", "role: nobody"),
    ] {
        let console = console().await;
        let mut stream = Stream::open(&console, "").await;
        stream.expect("hello").await;
        let door = &console.console.door;
        door.keys.store(Arc::new(KeySet::parse(KEYS, None).expect("keys")));
        acknowledge(&console, "checkout-oom").await;
        stream.expect("change").await;
        stream.expect("change").await;
        door.keys.store(Arc::new(KeySet::parse(&keys, None).expect("keys")));
        stream.expect_bye().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_that_expires_ends_its_streams() {
    let end = Timestamp::now() + SignedDuration::from_secs(2);
    let keys = format!("- {{key: {VIEWER}, role: viewer, expiresAt: '{end}'}}");
    let console = TestConsole::with_keys(Vec::new(), &keys).await;
    let mut stream = Stream::open(&console, "").await;
    stream.expect("hello").await;
    // The runtime's clock runs ahead of the one that keys are judged by, so it is the heartbeats that find it out.
    stream.expect_bye().await;
}

#[tokio::test(start_paused = true)]
async fn signing_out_ends_the_streams_of_that_session() {
    let console = console().await;
    let sign_in = async |key| {
        let answer = console.ask(Method::POST, "/api/v1/session").key(key).answer().await;
        let cookie = answer.header("set-cookie").expect("a cookie");
        cookie.split(';').next().expect("a name and a value").to_owned()
    };
    let (ours, theirs) = (sign_in(VIEWER).await, sign_in(ADMIN).await);
    let open = async |cookie: &str| {
        let asking = console.get("/api/v1/events").header("cookie", cookie);
        let mut stream = Stream::of(asking.response().await.into_body());
        stream.expect("hello").await;
        stream
    };
    let (mut mine, mut other) = (open(&ours).await, open(&theirs).await);
    let leave = console.ask(Method::DELETE, "/api/v1/session").header("cookie", &ours);
    let left = leave.header("sec-fetch-site", "same-origin").answer().await;
    assert_eq!(left.status, StatusCode::NO_CONTENT);
    mine.expect_bye().await;
    acknowledge(&console, "checkout-oom").await;
    other.expect("change").await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stops_says_when_to_come_back() {
    let console = console().await;
    let mut stream = Stream::open(&console, "").await;
    stream.expect("hello").await;
    console.console.drain.begun.cancel();
    stream.expect_bye().await;
}

#[tokio::test(start_paused = true)]
async fn there_is_an_end_to_the_streams_of_a_key() {
    let console = console().await;
    let mut streams = Vec::new();
    for _ in 0..256 {
        streams.push(Stream::open(&console, "").await);
    }
    let refused = console.get("/api/v1/events").key(VIEWER).answer().await;
    refused.assert_error(503, "unavailable");
    assert!(refused.header("retry-after").is_some());
    let another = console.get("/api/v1/events").key(ADMIN).response().await;
    assert_eq!(another.status(), StatusCode::OK, "others have their own");
    streams.pop();
    Stream::open(&console, "").await.expect("hello").await;
}
