//! How often anybody may ask: the test vectors of the contract, and what is added to them.

use crate::console::{KEYS, OPERATOR, TestConsole, VIEWER, door};
use http::{Method, StatusCode};
use opsdeck::access::{caller::Door, client_host::TrustedProxies, limits::Limits};

/// The limits of the contract.
fn limited() -> Door {
    Door {
        limits: Limits::default(),
        ..door(KEYS, "")
    }
}

async fn limited_console() -> TestConsole {
    TestConsole::guarded(limited()).await
}

impl TestConsole {
    /// Spends the anonymous budget of a host, each time from another port.
    async fn spend_budget_of(&self, host: &str) {
        for port in 1..=30 {
            let answered = self
                .get("/api/v1/incidents")
                .peer(&format!("{host}:{port}"))
                .answer()
                .await;
            assert_eq!(answered.status, StatusCode::UNAUTHORIZED, "request {port}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_thirty_first_anonymous_request_of_a_host_is_refused() {
    let console = limited_console().await;
    console.spend_budget_of("192.0.2.1").await;
    let refused = console
        .get("/api/v1/incidents")
        .peer("192.0.2.1:4242")
        .header("x-forwarded-for", "198.51.100.7")
        .answer()
        .await;
    let message = refused.assert_error(429, "rate_limited");
    assert_eq!(message, "rate limit exceeded: 30 requests per minute");
    assert_eq!(refused.header("retry-after"), Some("2"));
    console
        .get("/api/v1/incidents")
        .peer("192.0.2.2:1")
        .answer()
        .await
        .assert_error(401, "unauthorized");
}

#[tokio::test(start_paused = true)]
async fn what_does_not_exist_costs_as_much_and_a_wrong_key_is_no_key() {
    let console = limited_console().await;
    for _ in 0..15 {
        console
            .get("/api/v1/nothing")
            .answer()
            .await
            .assert_error(401, "unauthorized");
        console
            .get("/api/v1/incidents")
            .key("wrong")
            .answer()
            .await
            .assert_error(401, "unauthorized");
    }
    console.get("/api/v2").answer().await.assert_error(429, "rate_limited");
}

#[tokio::test(start_paused = true)]
async fn a_valid_key_never_touches_the_bucket_of_its_host() {
    let console = limited_console().await;
    console.spend_budget_of("192.0.2.1").await;
    for _ in 0..198 {
        console
            .get("/api/v1/incidents")
            .key(VIEWER)
            .peer("192.0.2.1:1")
            .await_ok()
            .await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_has_six_hundred_wherever_it_is_used_from() {
    let console = limited_console().await;
    for request in 0..600 {
        let peer = format!("192.0.2.{}:1", request % 250);
        console.get("/api/v1/whoami").key(VIEWER).peer(&peer).await_ok().await;
    }
    let refused = console.get("/api/v1/whoami").key(VIEWER).answer().await;
    assert!(refused.assert_error(429, "rate_limited").contains("600"));
    assert_eq!(refused.header("retry-after"), Some("1"));
    console.get("/api/v1/whoami").key(OPERATOR).await_ok().await;
}

#[tokio::test(start_paused = true)]
async fn an_ipv6_host_is_its_network() {
    let console = limited_console().await;
    for host in 1..=30 {
        let peer = format!("[2001:db8::{host}]:4242");
        console
            .get("/api/v1/incidents")
            .peer(&peer)
            .answer()
            .await
            .assert_error(401, "unauthorized");
    }
    let ask = |peer| console.get("/api/v1/incidents").peer(peer).answer();
    ask("[2001:db8::ffff]:1").await.assert_error(429, "rate_limited");
    ask("[2001:db8:0:1::1]:1").await.assert_error(401, "unauthorized");
}

#[tokio::test(start_paused = true)]
async fn behind_a_trusted_proxy_its_last_hop_is_the_host() {
    let door = Door {
        proxies: TrustedProxies(vec!["10.0.0.0/8".parse().unwrap()]),
        ..limited()
    };
    let console = TestConsole::guarded(door).await;
    let ask = |forwarded: String| {
        console
            .get("/api/v1/incidents")
            .peer("10.0.0.1:1")
            .header("x-forwarded-for", &forwarded)
            .answer()
    };
    for number in 0..30 {
        ask(format!("203.0.113.{number}, 198.51.100.7"))
            .await
            .assert_error(401, "unauthorized");
    }
    ask("203.0.113.99, 198.51.100.7".into())
        .await
        .assert_error(429, "rate_limited");
    ask("198.51.100.7, 198.51.100.8".into())
        .await
        .assert_error(401, "unauthorized");
}

#[tokio::test(start_paused = true)]
async fn health_assets_and_pages_without_a_credential_cost_nothing() {
    let console = limited_console().await;
    for _ in 0..40 {
        console.get("/healthz").await_ok().await;
        console.get("/favicon.svg").await_ok().await;
    }
    let page = console.get("/incidents").answer().await;
    assert_eq!(page.status, StatusCode::UNAUTHORIZED);
    console.spend_budget_of("192.0.2.1").await;
}

#[tokio::test(start_paused = true)]
async fn a_page_spends_one_token_and_what_it_asks_in_process_none() {
    let console = limited_console().await;
    for _ in 0..599 {
        console.get("/api/v1/whoami").key(VIEWER).await_ok().await;
    }
    let page = || console.get("/").key(VIEWER).header("accept", "text/html").answer();
    assert_eq!(page().await.status, StatusCode::OK);
    let refused = page().await;
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (StatusCode::TOO_MANY_REQUESTS, Some("1"))
    );
}

#[tokio::test(start_paused = true)]
async fn guesses_in_the_form_spend_the_budget_of_the_host() {
    let console = limited_console().await;
    let guess = || {
        console
            .ask(Method::POST, "/session")
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "application/x-www-form-urlencoded")
            .peer("192.0.2.1:1")
            .body("key=guess&next=/incidents")
            .answer()
    };
    for _ in 0..30 {
        assert_eq!(guess().await.status, StatusCode::UNAUTHORIZED);
    }
    let refused = guess().await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(refused.text.contains("the key was not judged"));
}

#[tokio::test(start_paused = true)]
async fn in_dev_mode_a_host_has_the_budget_of_a_key() {
    let door = Door {
        dev_mode: true,
        limits: Limits::default(),
        ..door("[]", "")
    };
    let console = TestConsole::guarded(door).await;
    for _ in 0..600 {
        console.get("/api/v1/whoami").await_ok().await;
    }
    console
        .get("/api/v1/whoami")
        .answer()
        .await
        .assert_error(429, "rate_limited");
    console.get("/api/v1/whoami").peer("192.0.2.9:1").await_ok().await;
}
