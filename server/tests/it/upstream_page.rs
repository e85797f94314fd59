//! The operator's own dashboard page, pointed at our port: what it asks, what it reads of the answers, what it sends. Facts found by reading
//! <https://github.com/diillson/chatcli/blob/1dab65080cc8b29fe5c7356185cff436f01b667c/operator/web/static/index.html>; the page itself is not here.

mod objects;
mod reading;
mod table;

use crate::console::{Answered, Asking, KEYS, ODD, OPERATOR, TestConsole, VIEWER, door};
use http::{Method, StatusCode};
use jiff::{Timestamp, ToSpan as _};
use objects::{Says, of_every_kind};
use opsdeck::{
    access::{caller::Door, limits::Limits},
    source::sample,
};
use reading::{Findings, members};
use serde_json::{Value, json};
use table::{BUTTONS, Button, IN_VAIN, QUESTIONS};

impl TestConsole {
    /// As a script of a page that came from this very host.
    fn page_asks(&self, method: Method, path: &str) -> Asking<'_> {
        self.ask(method, &format!("/api/v1{path}"))
            .header("accept", "*/*")
            .header("content-type", "application/json")
            .header("sec-fetch-site", "same-origin")
            .header("sec-fetch-mode", "cors")
    }

    async fn page_reads(&self, path: &str) -> Answered {
        let answered = self.page_asks(Method::GET, path).key(VIEWER).await_ok().await;
        // Kept by nobody, it is never asked for with a tag, and 304 would be an error to the page.
        assert_eq!(answered.header("cache-control"), Some("no-store"), "{path}");
        // Nothing that it sends is passed over as malformed.
        assert_eq!(answered.header("warning"), None, "{path}");
        answered
    }

    async fn rows(&self, list: &str) -> Vec<Value> {
        let list = self.page_reads(&format!("{list}?pageSize=100")).await.json();
        list["items"].as_array().expect("a list").clone()
    }

    /// Every view, with every time range, the rows of the incidents opened.
    async fn findings(&self) -> Findings {
        let incidents = self.rows("/incidents").await;
        let incidents: Vec<_> = incidents
            .iter()
            .filter_map(|incident| incident["name"].as_str())
            .collect();
        let mut findings = Findings::default();
        for question in QUESTIONS {
            for path in question.paths {
                for path in filled(path, &incidents) {
                    findings.read(question, &path, &self.page_reads(&path).await.json());
                }
            }
        }
        findings
    }

    async fn press(&self, button: &Button, row: &Value, key: &str) -> Answered {
        let text = |member: &str| row[member].as_str().expect("a text").to_owned();
        let path = button
            .path
            .replace("{name}", &text("name"))
            .replace("{namespace}", &text("namespace"));
        self.page_asks(Method::POST, &path)
            .key(key)
            .body(button.body)
            .answer()
            .await
    }
}

// === impl Answered ===

impl Answered {
    /// The one member of an error that the page shows.
    fn told(&self) -> String {
        let told = self.json()["message"].as_str().unwrap_or_default().to_owned();
        assert!(!told.is_empty(), "{}: {}", self.status, self.text);
        told
    }
}

/// The path as it is sent: for all times and for the last thirty days, and for each of these incidents.
fn filled(path: &str, incidents: &[&str]) -> Vec<String> {
    if path.contains("{incident}") {
        let names = incidents.iter().chain(&["of-no-such-name"]);
        return names.map(|name| path.replace("{incident}", name)).collect();
    }
    // To the millisecond, with its colons escaped.
    let escaped = |at: Timestamp| at.strftime("%Y-%m-%dT%H%%3A%M%%3A%S.%3fZ").to_string();
    let now = Timestamp::now();
    let range = format!("&from={}&to={}", escaped(now - 720.hours()), escaped(now));
    let mut paths = vec![path.replace("{range}", ""), path.replace("{range}", &range)];
    paths.dedup();
    paths
}

async fn assert_shown(objects: Vec<Value>) {
    let findings = TestConsole::over(objects).await.findings().await;
    assert!(findings.faults.is_empty(), "{:#?}", findings.faults);
}

#[tokio::test]
async fn every_view_can_show_the_sample() {
    assert_shown(sample::objects(Timestamp::now())).await;
}

#[tokio::test]
async fn every_view_can_show_nothing() {
    assert_shown(Vec::new()).await;
}

#[tokio::test]
async fn every_view_can_show_objects_that_say_the_least() {
    assert_shown(of_every_kind(Says::Least)).await;
}

#[tokio::test]
async fn every_view_can_show_objects_whose_parts_are_hollow() {
    assert_shown(of_every_kind(Says::Hollow)).await;
}

#[tokio::test]
async fn every_view_can_show_objects_that_say_everything() {
    assert_shown(of_every_kind(Says::Most)).await;
}

/// A member that no answer ever has would pass every other test here.
#[tokio::test]
async fn what_the_page_reads_is_there_to_be_read() {
    let mut seen = TestConsole::over_the_sample().await.findings().await.seen;
    seen.extend(TestConsole::over(of_every_kind(Says::Most)).await.findings().await.seen);
    let missed: Vec<_> = QUESTIONS
        .iter()
        .flat_map(members)
        .filter(|member| !seen.contains(member))
        .collect();
    assert_eq!(missed, IN_VAIN);
}

/// A cluster would refuse these; an import keeps them.
#[tokio::test]
async fn what_was_imported_in_breach_of_its_schema_can_be_shown() {
    let mut objects = of_every_kind(Says::Most);
    for object in &mut objects {
        match object["kind"].as_str() {
            Some("PostMortem") => object["status"]["feedback"]["remediationAccuracy"] = json!(9),
            Some("ClusterRegistration") => object["status"]["lastHealthCheck"] = json!("yesterday"),
            _ => {}
        }
    }
    assert_shown(objects).await;
}

#[tokio::test]
async fn the_dot_in_the_corner_is_green() {
    let console = TestConsole::over_the_sample().await;
    assert_eq!(console.get("/healthz").await_ok().await.json()["status"], "ok");
}

/// The page reads every answer to a write as JSON: one without a body would be a failure to it.
#[tokio::test]
async fn every_button_does_what_it_says_on_every_row_that_shows_it() {
    for (objects, all_shown) in [
        (sample::objects(Timestamp::now()), true),
        (of_every_kind(Says::Least), false),
        (of_every_kind(Says::Hollow), false),
        (of_every_kind(Says::Most), false),
    ] {
        for button in BUTTONS {
            let console = TestConsole::over(objects.clone()).await;
            let mut done = 0;
            for row in console.rows(button.list).await.iter().filter(|row| (button.shown)(row)) {
                let answered = console.press(button, row, OPERATOR).await;
                let body = answered.json();
                match answered.status {
                    StatusCode::OK => done += 1,
                    // Shown on a request that has expired too, and to those who have voted.
                    StatusCode::CONFLICT => assert!(
                        body["reason"] == "expired" || body["reason"] == "already_decided",
                        "{}: {} on {row}",
                        button.label,
                        answered.text
                    ),
                    _ => panic!("{}: {} on {row}", button.label, answered.text),
                }
            }
            assert!(done > 0 || !all_shown, "nothing to {}", button.label);
        }
    }
}

#[tokio::test]
async fn a_viewer_is_told_why_a_button_does_nothing() {
    let console = TestConsole::over_the_sample().await;
    for button in BUTTONS {
        let rows = console.rows(button.list).await;
        let row = rows
            .iter()
            .find(|row| (button.shown)(row))
            .expect("a row with the button");
        let refused = console.press(button, row, VIEWER).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{}", button.label);
        assert!(
            refused.told().starts_with("insufficient permissions"),
            "{}",
            button.label
        );
    }
}

/// What people type, and what has happened to a row since it was drawn.
#[tokio::test]
async fn what_goes_wrong_is_told() {
    let console = TestConsole::over_the_sample().await;
    let row = |rows: Vec<Value>, button: &Button| {
        rows.into_iter()
            .find(|row| (button.shown)(row))
            .expect("a row with the button")
    };
    let [snooze, resolve, approve] = ["snooze", "resolve", "approve"].map(|label| {
        let button = BUTTONS.iter().find(|button| button.label == label);
        button.expect("a button")
    });
    let incident = row(console.rows(snooze.list).await, snooze);
    let tomorrow = Button {
        body: r#"{"duration":"1 day"}"#,
        ..*snooze
    };
    let request = row(console.rows(approve.list).await, approve);
    let escalated = row(console.rows(resolve.list).await, resolve);
    let gone = json!({"name": "gone", "namespace": "shop"});
    for (status, button, row) in [
        (400, &tomorrow, &incident),
        (404, snooze, &gone),
        (200, resolve, &escalated),
        (409, resolve, &escalated),
        (200, approve, &request),
        (409, approve, &request),
    ] {
        let answered = console.press(button, row, OPERATOR).await;
        assert_eq!(answered.status.as_u16(), status, "{}: {}", button.label, answered.text);
        if status != 200 {
            answered.told();
        }
    }
}

/// 401 is the sign to drop the key that it keeps and to ask for one: nothing else may come instead, and it may come for no other reason.
#[tokio::test]
async fn without_a_key_that_counts_everything_is_401() {
    let console = TestConsole::over_the_sample().await;
    let row = json!({"name": "any", "namespace": "shop"});
    for question in QUESTIONS {
        for path in question.paths {
            for path in filled(path, &[]) {
                let nobody = console.page_asks(Method::GET, &path).answer().await;
                let stranger = console.page_asks(Method::GET, &path).key("revoked").answer().await;
                for refused in [nobody, stranger] {
                    assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{path}");
                    refused.told();
                }
            }
        }
    }
    for button in BUTTONS {
        let refused = console.press(button, &row, "revoked").await;
        assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{}", button.label);
        assert_ne!(
            console.press(button, &row, ODD).await.status,
            StatusCode::UNAUTHORIZED,
            "{}",
            button.label
        );
    }
}

/// Any other status than 401 means to it that the key is good, one of 429 included.
#[tokio::test(start_paused = true)]
async fn signing_in_after_the_page_was_opened_without_a_key_judges_the_key() {
    let console = TestConsole::guarded(limited()).await;
    let opening = QUESTIONS
        .iter()
        .filter(|question| question.view.starts_with("overview") || question.view.starts_with("badge"));
    for path in opening.flat_map(|question| question.paths) {
        let refused = console
            .page_asks(Method::GET, &path.replace("{range}", ""))
            .answer()
            .await;
        assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{path}");
    }
    let sign_in = |key| console.get("/api/v1/incidents?pageSize=1").key(key).answer();
    assert_eq!(sign_in("mistyped").await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(sign_in(VIEWER).await.status, StatusCode::OK);
}

/// Every ten seconds is as often as it can be told to.
#[tokio::test(start_paused = true)]
async fn a_minute_of_the_whole_page_at_its_fastest_is_within_the_limit_of_a_key() {
    let console = TestConsole::guarded(limited()).await;
    for _ in 0..6 {
        for path in QUESTIONS.iter().flat_map(|question| question.paths) {
            console
                .page_asks(Method::GET, &path.replace("{range}", ""))
                .key(VIEWER)
                .await_ok()
                .await;
        }
    }
}

fn limited() -> Door {
    Door {
        limits: Limits::default(),
        ..door(KEYS, "")
    }
}

/// Fetched by script, with the key and nothing else, and saved as it came: neither name nor type of the file is read.
#[tokio::test]
async fn the_trail_is_fetched_as_a_file() {
    let console = TestConsole::over_the_sample().await;
    for (query, all) in [
        ("?", true),
        ("?type=remediation_failed&", false),
        ("?type=approval_requested&severity=info&", false),
    ] {
        let path = format!("/api/v1/audit/export{query}");
        let file = console.get(&path).key(VIEWER).header("accept", "*/*").await_ok().await;
        assert_eq!(file.header("content-type"), Some("application/json"));
        let items = file.json()["items"].as_array().expect("events").len();
        assert!(items > 0, "{query}");
        assert_eq!(items as u64 == console.total("/api/v1/audit").await, all, "{query}");
    }
}

/// Its paths are absolute, so its host is ours or a proxy's before us: no other origin has to be allowed.
#[tokio::test]
async fn behind_a_proxy_of_another_name_the_page_reads_and_writes() {
    let console = TestConsole::over_the_sample().await;
    let origin = "https://aiops.example";
    let reading = console.page_asks(Method::GET, "/incidents?pageSize=20").key(VIEWER);
    reading
        .header("origin", origin)
        .header("host", "opsdeck.internal:8090")
        .await_ok()
        .await;
    let row = console.rows("/incidents").await.remove(0);
    let path = format!(
        "/incidents/{}/acknowledge?namespace={}",
        row["name"].as_str().unwrap(),
        row["namespace"].as_str().unwrap()
    );
    let writing = console.page_asks(Method::POST, &path).key(OPERATOR).body("{}");
    writing
        .header("origin", origin)
        .header("host", "opsdeck.internal:8090")
        .await_ok()
        .await;
}

/// A browser sends the cookie of our own page along.
#[tokio::test]
async fn a_session_beside_the_key_changes_nothing_and_instead_of_it_reads() {
    let console = TestConsole::over_the_sample().await;
    let signed_in = console.ask(Method::POST, "/api/v1/session").key(VIEWER).answer().await;
    let session = signed_in
        .header("set-cookie")
        .and_then(|cookie| cookie.split(';').next())
        .expect("a session");
    let asks = |cookie: &str| console.page_asks(Method::GET, "/whoami").header("cookie", cookie);
    for cookie in [session, "opsdeck_session=stale"] {
        let whoami = asks(cookie).key(OPERATOR).await_ok().await.json();
        assert_eq!(whoami["spec"]["identity"], "sre-mira");
    }
    assert_eq!(asks(session).await_ok().await.json()["spec"]["identity"], "wallboard");
}
