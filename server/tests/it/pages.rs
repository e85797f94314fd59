//! The pages as the first answer brings them, before any script.

use crate::console::{KEYS, TestConsole, VIEWER};
use http::{Method, StatusCode};
use jiff::Timestamp;
use opsdeck::source::sample;

const PAGES: [(&str, &str); 3] = [
    ("/incidents", "storefront-web-deploy-failing"),
    ("/approvals", "storefront-web"),
    ("/instances", "chatcli-batch"),
];

#[tokio::test]
async fn a_page_arrives_with_its_rows() {
    let console = TestConsole::over_the_sample().await;
    for (path, row) in &PAGES {
        let page = console.get(path).key(VIEWER).await_ok().await;
        assert!(page.text.contains(row), "{path} shows {row}");
        assert_eq!(page.header("cache-control"), Some("no-store"));
        let policy = page.header("content-security-policy").expect("a policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'nonce-") && !policy.contains("unsafe-inline"),
            "{policy}"
        );
    }
}

#[tokio::test]
async fn without_a_credential_every_address_shows_the_sign_in_form() {
    let console = TestConsole::over_the_sample().await;
    for (path, status) in [
        ("/", 200),
        ("/incidents", 401),
        ("/approvals/shop/x", 401),
        ("/no/such/page/at/all", 401),
    ] {
        let page = console.get(path).answer().await;
        assert_eq!(page.status.as_u16(), status, "{path}");
        assert!(page.text.contains("name=\"key\""), "{path} shows the form");
        assert!(!page.text.contains("checkout-api"), "{path} shows no data");
    }
}

#[tokio::test]
async fn a_bookmark_of_upstreams_page_leads_to_the_front_page() {
    for (base, target, home) in [
        ("", "/index.html", "/"),
        ("/ops", "/ops/index.html?theme=dark", "/ops/?theme=dark"),
    ] {
        let console = TestConsole::mounted(Vec::new(), KEYS, base).await;
        let answered = console.get(target).answer().await;
        assert_eq!(
            (answered.status, answered.header("location")),
            (StatusCode::MOVED_PERMANENTLY, Some(home))
        );
    }
}

#[tokio::test]
async fn what_is_no_page_is_not_found() {
    let console = TestConsole::over_the_sample().await;
    let page = console.get("/no/such/page/at/all").key(VIEWER).answer().await;
    assert_eq!(page.status.as_u16(), 404);
    assert!(page.text.contains("<html"));
    assert_eq!(console.get("/nothing.png").answer().await.status.as_u16(), 404);
    assert_eq!(
        console
            .get("/incidents/shop/nothing-of-that-name")
            .key(VIEWER)
            .answer()
            .await
            .status
            .as_u16(),
        404
    );
}

#[tokio::test]
async fn the_form_signs_in_without_a_script() {
    let console = TestConsole::over_the_sample().await;
    let post = |body: String| {
        let asking = console
            .ask(Method::POST, "/session")
            .header("content-type", "application/x-www-form-urlencoded");
        asking.header("sec-fetch-site", "same-origin").body(body)
    };
    let welcome = post(format!("key={VIEWER}&next=%2Fincidents%3Fseverity%3Dhigh"))
        .answer()
        .await;
    assert_eq!(
        (welcome.status.as_u16(), welcome.header("location")),
        (303, Some("/incidents?severity=high"))
    );
    let cookie = welcome
        .header("set-cookie")
        .unwrap()
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    assert!(
        console
            .get("/incidents")
            .header("cookie", &cookie)
            .await_ok()
            .await
            .text
            .contains("checkout-api")
    );
    let refused = post("key=wrong&next=%2Fincidents".into()).answer().await;
    assert_eq!(refused.status.as_u16(), 401);
    assert!(refused.text.contains("not known") && refused.header("set-cookie").is_none());
    for elsewhere in ["https%3A%2F%2Fevil.example", "%2F%2Fevil.example", "%2F%5Cevil.example"] {
        let welcome = post(format!("key={VIEWER}&next={elsewhere}")).answer().await;
        assert_eq!(welcome.header("location"), Some("/"), "{elsewhere}");
    }
}

#[tokio::test]
async fn another_site_cannot_sign_anybody_in() {
    let console = TestConsole::over_the_sample().await;
    let asking = console
        .ask(Method::POST, "/session")
        .header("content-type", "application/x-www-form-urlencoded");
    let refused = asking
        .header("sec-fetch-site", "cross-site")
        .body(format!("key={VIEWER}"))
        .answer()
        .await;
    assert_eq!((refused.status.as_u16(), refused.header("set-cookie")), (403, None));
}

#[tokio::test]
async fn everything_works_under_a_base_path() {
    let console = TestConsole::mounted(sample::objects(Timestamp::now()), KEYS, "/ops").await;
    for (path, row) in &PAGES {
        let page = console.get(&format!("/ops{path}")).key(VIEWER).await_ok().await;
        assert!(page.text.contains(row), "{path} shows {row}");
        assert!(
            page.text.contains("href=\"/ops/incidents") && !page.text.contains("href=\"/incidents"),
            "{path} links within"
        );
    }
    assert_eq!(console.total("/ops/api/v1/incidents").await, 18);
    console.get("/ops/healthz").await_ok().await;
}

#[tokio::test]
async fn a_theme_chosen_by_a_link_lasts() {
    let console = TestConsole::over_the_sample().await;
    let page = console.get("/instances?theme=dark").key(VIEWER).await_ok().await;
    assert!(page.text.contains("data-theme=\"dark\""));
    let cookie = page.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let again = console
        .get("/instances")
        .key(VIEWER)
        .header("cookie", &cookie)
        .await_ok()
        .await;
    assert!(again.text.contains("data-theme=\"dark\""));
}

#[tokio::test]
async fn under_a_base_path_every_page_is_below_it() {
    let console = TestConsole::mounted(Vec::new(), KEYS, "/ops").await;
    for path in [
        "/ops/",
        "/ops/?theme=dark",
        "/ops/incidents",
        "https://ops.example/ops/incidents",
    ] {
        console.get(path).key(VIEWER).await_ok().await;
    }
    let home = console.get("/ops?theme=dark").answer().await;
    assert_eq!(
        (home.status.as_u16(), home.header("location")),
        (308, Some("/ops/?theme=dark"))
    );
    for path in ["/", "/incidents", "/opsx", "/api/v1/incidents"] {
        let answered = console.get(path).key(VIEWER).answer().await;
        assert_eq!(answered.status.as_u16(), 404, "{path}");
        assert_eq!(answered.header("x-content-type-options"), Some("nosniff"), "{path}");
    }
}

#[tokio::test]
async fn odd_requests_are_answered_and_no_page_panics() {
    let console = TestConsole::over_the_sample().await;
    let connect = console.ask(Method::CONNECT, "evil.example:443").answer().await;
    assert!(connect.status.is_client_error(), "{}", connect.status);
    let form = console
        .ask(Method::POST, "/session")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("key=x&next=x")
        .answer()
        .await;
    assert_eq!(form.status.as_u16(), 401);
    assert_eq!(console.console.metrics.requests.panics.get(), 0);
}

#[tokio::test]
async fn the_forms_are_for_our_own_pages() {
    let console = TestConsole::over_the_sample().await;
    for path in ["/session", "/session/end"] {
        let form = |site| {
            console
                .ask(Method::POST, path)
                .header("sec-fetch-site", site)
                .header("content-type", "application/x-www-form-urlencoded")
                .body(format!("key={VIEWER}&next=/incidents"))
                .answer()
        };
        let foreign = form("cross-site").await;
        assert_eq!(
            (foreign.status.as_u16(), foreign.header("set-cookie")),
            (403, None),
            "{path}"
        );
        let ours = form("same-origin").await;
        assert_eq!(
            (ours.status.as_u16(), ours.header("location")),
            (303, Some("/incidents")),
            "{path}"
        );
        let loaded_again = console.get(path).answer().await;
        assert_eq!(
            (loaded_again.status.as_u16(), loaded_again.header("location")),
            (303, Some("/")),
            "{path}"
        );
        let huge = console
            .ask(Method::POST, path)
            .header("sec-fetch-site", "same-origin")
            .body("k".repeat(9000))
            .answer()
            .await;
        assert_eq!(huge.status.as_u16(), 413, "{path}");
    }
}

#[tokio::test]
async fn programs_are_told_in_text_that_a_page_is_not_there() {
    let console = TestConsole::over_the_sample().await;
    let ask = |accept| {
        console
            .get("/no-such-page")
            .key(VIEWER)
            .header("accept", accept)
            .answer()
    };
    let text = ask("application/json").await;
    assert_eq!(
        (text.status.as_u16(), text.text.as_str()),
        (404, "404 page not found\n")
    );
    let page = ask("text/html,*/*;q=0.8").await;
    assert_eq!(page.status.as_u16(), 404);
    assert!(page.text.starts_with("<!DOCTYPE html>"), "{}", page.text);
}
