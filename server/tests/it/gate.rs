//! What stands between the network and the routes: other origins, bodies, panics, the access log, headers.

use crate::{
    console::{ADMIN, KEYS, OPERATOR, TestConsole, VIEWER, door},
    interference::Log,
};
use axum::{Router, body::Body, extract::Request, routing::get};
use http::{Method, StatusCode};
use opsdeck::{
    access::{caller::Door, cors::Cors},
    payload, rest,
};
use tower::ServiceExt as _;

const PAGE: &str = "https://dash.example";

fn sharing(credentials: bool) -> Door {
    Door {
        cors: Cors::new(vec![PAGE.into()], &[], credentials).expect("an origin"),
        ..door(KEYS, "")
    }
}

#[tokio::test]
async fn a_preflight_is_answered_before_limit_and_key() {
    let console = TestConsole::guarded(sharing(false)).await;
    let preflight = console
        .ask(Method::OPTIONS, "/api/v1/incidents")
        .header("origin", PAGE)
        .answer()
        .await;
    assert_eq!(
        (preflight.status, preflight.text.as_str()),
        (StatusCode::NO_CONTENT, "")
    );
    assert!(preflight.header("x-request-id").is_some());
    for (name, value) in [
        ("access-control-allow-origin", PAGE),
        ("access-control-allow-methods", "GET, POST, PUT, DELETE, OPTIONS"),
        ("access-control-allow-headers", "Content-Type, X-API-Key, Authorization"),
        ("access-control-allow-credentials", "false"),
        ("access-control-max-age", "3600"),
        ("vary", "Origin"),
    ] {
        assert_eq!(preflight.header(name), Some(value), "{name}");
    }
    console
        .ask(Method::OPTIONS, "/api/v1/incidents")
        .header("origin", "https://other.example")
        .answer()
        .await
        .assert_error(401, "unauthorized");
}

#[tokio::test]
async fn errors_reach_a_page_of_an_allowed_origin() {
    let console = TestConsole::guarded(sharing(true)).await;
    let refused = console.get("/api/v1/incidents").header("origin", PAGE).answer().await;
    refused.assert_error(401, "unauthorized");
    assert_eq!(refused.header("access-control-allow-origin"), Some(PAGE));
    assert_eq!(refused.header("access-control-allow-credentials"), Some("true"));
}

#[tokio::test]
async fn without_configured_origins_nothing_is_said_about_them() {
    let console = TestConsole::guarded(door(KEYS, "")).await;
    let answered = console
        .get("/api/v1/incidents")
        .key(VIEWER)
        .header("origin", PAGE)
        .await_ok()
        .await;
    assert_eq!(answered.header("access-control-allow-origin"), None);
    assert_eq!(answered.header("vary"), None);
    console
        .ask(Method::OPTIONS, "/api/v1/incidents")
        .key(VIEWER)
        .header("origin", PAGE)
        .answer()
        .await
        .assert_error(405, "method_not_allowed");
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_after_the_key() {
    let console = TestConsole::guarded(door(KEYS, "")).await;
    let large = || {
        console
            .ask(Method::POST, "/api/v1/session")
            .body(vec![b' '; payload::LARGEST + 1])
    };
    large().answer().await.assert_error(401, "unauthorized");
    large().key(VIEWER).answer().await.assert_error(413, "too_large");
    let announced = console
        .ask(Method::POST, "/api/v1/session")
        .key(VIEWER)
        .header("content-length", "99999999")
        .answer()
        .await;
    announced.assert_error(413, "too_large");
}

#[tokio::test]
async fn an_address_beyond_reason_is_refused() {
    let console = TestConsole::guarded(door(KEYS, "")).await;
    let long = format!("/api/v1/incidents?q={}", "a".repeat(8192));
    console
        .get(&long)
        .key(VIEWER)
        .answer()
        .await
        .assert_error(414, "too_large");
}

#[tokio::test]
async fn a_panic_is_an_answer_that_tells_nothing_and_is_counted() {
    async fn bug() -> &'static str {
        panic!("the password is hunter2")
    }
    let console = TestConsole::guarded(door(KEYS, "")).await;
    let routes = rest::in_process(Router::new().route("/bug", get(bug)), &console.console);
    let request = Request::builder().uri("/bug").body(Body::empty()).unwrap();
    let response = routes.oneshot(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
    let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((&body["kind"], &body["reason"]), (&"Error".into(), &"internal".into()));
    assert!(!body.to_string().contains("hunter2"));
    assert_eq!(console.console.metrics.requests.panics.get(), 1);
}

#[tokio::test]
async fn the_access_log_names_the_identity_and_never_the_key() {
    let console = TestConsole::guarded(door(KEYS, "")).await;
    let asking = console
        .get("/api/v1/incidents?q=secret-of-the-query")
        .key(ADMIN)
        .header("cookie", "opsdeck_session=planted-cookie")
        .peer("192.0.2.1:4242");
    let log = Log::listen();
    let answered = asking.answer().await;
    let lines = log.lines("");
    let id = answered.header("x-request-id").unwrap();
    for part in [
        "request method=\"GET\" path=\"/api/v1/incidents\" status=200 duration=",
        "role=\"admin\" identity=\"sre-tomasz\" key.id=",
        "client=192.0.2.1",
        id,
    ] {
        assert!(lines[0].contains(part), "{part} in {lines:?}");
    }
    for secret in [ADMIN, "secret-of-the-query", "planted-cookie"] {
        assert!(!lines[0].contains(secret), "{secret} in {lines:?}");
    }
    assert_eq!(lines.len(), 1);
}

#[tokio::test]
async fn the_access_log_has_refusals_and_escapes_what_would_forge_a_line() {
    let console = TestConsole::guarded(door(KEYS, "")).await;
    let asking = console
        .get("/api/v1/incidents/a%0AINFO%20forged")
        .key("planted-wrong-key");
    let log = Log::listen();
    asking.answer().await;
    let lines = log.lines("");
    assert!(
        lines[0].contains("status=401") && lines[0].contains("role=\"-\""),
        "{lines:?}"
    );
    assert!(!lines[0].contains("planted-wrong-key"), "{lines:?}");
    assert_eq!(lines.len(), 1, "{lines:?}");
}

#[tokio::test]
async fn every_answer_is_hardened() {
    let console = TestConsole::guarded(door(KEYS, "")).await;
    for path in ["/", "/favicon.svg", "/healthz", "/api/v1/incidents", "/nothing.txt"] {
        let answered = console.get(path).answer().await;
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            (
                "permissions-policy",
                "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
            ),
        ] {
            assert_eq!(answered.header(name), Some(value), "{name} of {path}");
        }
    }
}

#[tokio::test]
async fn pages_and_files_are_shared_and_health_is_not() {
    let console = TestConsole::guarded(sharing(false)).await;
    let origin = |path| {
        let asking = console.get(path).header("origin", PAGE);
        async {
            asking
                .answer()
                .await
                .header("access-control-allow-origin")
                .map(str::to_owned)
        }
    };
    assert_eq!(origin("/").await.as_deref(), Some(PAGE));
    assert_eq!(origin("/favicon.svg").await.as_deref(), Some(PAGE));
    assert_eq!(origin("/healthz").await, None);
}

#[tokio::test]
async fn a_name_that_is_no_text_is_an_error_like_any_other() {
    let console = TestConsole::guarded(door(KEYS, "")).await;
    let name = console.get("/api/v1/incidents/%ff");
    name.key(VIEWER).answer().await.assert_error(400, "invalid");
    console
        .get("/api/v1/incidents/%ff")
        .answer()
        .await
        .assert_error(401, "unauthorized");
}

#[tokio::test]
async fn an_escape_that_is_none_is_named() {
    let console = TestConsole::guarded(door(KEYS, "")).await;
    for (path, named) in [
        ("/api/v1/incidents/%zz", "\"%zz\""),
        ("/api/v1/incidents/%2", "\"%2\""),
        ("/api/v1/incidents/a%/timeline/", "\"%/t\""),
        ("/api/v1/nothing/%20%0g", "\"%0g\""),
    ] {
        let answered = console.get(path).key(VIEWER).answer().await;
        let message = answered.assert_error(400, "invalid");
        assert!(message.contains(named), "{path}: {message}");
        assert_eq!(answered.json()["fields"][0]["field"], "path");
        console.get(path).answer().await.assert_error(401, "unauthorized");
    }
    let write = console.ask(Method::POST, "/api/v1/incidents/%zz/acknowledge");
    write.key(OPERATOR).answer().await.assert_error(400, "invalid");
}

#[tokio::test]
async fn a_session_is_made_by_any_key_and_by_a_body_that_says_what_it_means() {
    let console = TestConsole::guarded(door("- {key: ключ, role: viewer}", "")).await;
    let open = |body: &'static str| {
        console
            .ask(Method::POST, "/api/v1/session")
            .key("ключ")
            .body(body)
            .answer()
    };
    for body in ["", " ", "{}", "null", r#"{"remember":true}"#] {
        let opened = open(body).await;
        assert_eq!(opened.status, StatusCode::NO_CONTENT, "{body:?}");
        assert!(opened.header("set-cookie").is_some(), "{body:?}");
    }
    for body in ["[]", "1", r#"{"remember":"planted"}"#] {
        let message = open(body).await.assert_error(400, "invalid");
        assert!(!message.contains("planted"), "{message}");
    }
}

#[tokio::test]
async fn hsts_is_promised_over_tls_alone() {
    let hsts = |tls| async move {
        let console = TestConsole::guarded(Door { tls, ..door(KEYS, "") }).await;
        let answered = console.get("/api/v1/incidents").answer().await;
        answered.header("strict-transport-security").map(str::to_owned)
    };
    assert_eq!(hsts(false).await, None);
    assert_eq!(hsts(true).await.as_deref(), Some("max-age=31536000; includeSubDomains"));
}
