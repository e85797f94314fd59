//! What people do by the forms of the pages, without a script: who may, what is said afterwards, what is kept of a form that is refused.

use crate::{
    console::{Answered, KEYS, OPERATOR, TestConsole, VIEWER},
    objects::issue,
};
use http::Method;
use opsdeck::resources::{ApprovalRequest, Issue};
use serde_json::{Value, json};

const PAGE: &str = "/incidents/shop/checkout-oom";

fn request() -> Value {
    json!({
        "apiVersion": "platform.chatcli.io/v1alpha1", "kind": "ApprovalRequest",
        "metadata": {"name": "ask", "namespace": "shop", "creationTimestamp": jiff::Timestamp::now().to_string()},
        "spec": {
            "issueRef": {"name": "checkout-oom"}, "remediationPlanRef": "", "policyRef": "p", "ruleName": "r",
            "requestedActions": [{"type": "DeletePod", "params": {"pod": "checkout-1"}}],
            "requester": "chatcli-operator", "timeoutMinutes": 30, "requiredApprovers": 2,
        },
    })
}

async fn console() -> TestConsole {
    TestConsole::judging(vec![issue("checkout-oom", "shop"), request()], KEYS).await
}

async fn session(console: &TestConsole, key: &str) -> String {
    let asked = console.ask(Method::POST, "/api/v1/session").key(key).answer().await;
    let cookie = asked.header("set-cookie").expect("a session");
    cookie.split(';').next().unwrap_or_default().to_owned()
}

async fn submit(console: &TestConsole, cookie: &str, site: &str, body: &str) -> Answered {
    let asking = console
        .ask(Method::POST, "/act")
        .header("content-type", "application/x-www-form-urlencoded")
        .header("sec-fetch-site", site)
        .header("cookie", cookie);
    asking.body(body.to_owned()).answer().await
}

fn form(act: &str, next: &str, rest: &str) -> String {
    let escaped = act.replace('/', "%2F").replace('?', "%3F").replace('=', "%3D");
    format!("act={escaped}&next={}{rest}", next.replace('/', "%2F"))
}

#[tokio::test]
async fn a_form_of_a_page_that_was_opened_for_another_does_nothing() {
    let console = console().await;
    let (hers, of_another) = (session(&console, OPERATOR).await, session(&console, VIEWER).await);
    let whoami = async |cookie: &str| {
        let whoami = console.get("/api/v1/whoami").header("cookie", cookie).await_ok().await;
        whoami.json()["spec"]["keyId"].as_str().unwrap_or_default().to_owned()
    };
    let acknowledge = async |caller: &str| {
        let rest = format!("&caller={caller}");
        let form = form("/incidents/checkout-oom/acknowledge?namespace=shop", PAGE, &rest);
        submit(&console, &hers, "same-origin", &form).await
    };
    let refused = acknowledge(&whoami(&of_another).await).await;
    assert_eq!(refused.status, 403);
    assert!(
        refused
            .text
            .contains("Somebody else has signed in since this page was opened")
    );
    assert_eq!(console.trail().len(), 0);
    let own = whoami(&hers).await;
    assert!(
        refused.text.contains(&format!("name=\"caller\" value=\"{own}\"")),
        "the page is of who asks now"
    );
    assert_eq!(acknowledge(&own).await.status, 303);
}

#[tokio::test]
async fn a_form_does_what_it_says_and_the_next_page_says_so_once() {
    let console = console().await;
    let cookie = session(&console, OPERATOR).await;
    let acknowledge = form("/incidents/checkout-oom/acknowledge?namespace=shop", PAGE, "");
    let done = submit(&console, &cookie, "same-origin", &acknowledge).await;
    assert_eq!((done.status.as_u16(), done.header("location")), (303, Some(PAGE)));
    let told = done.header("set-cookie").expect("a note for the next page");
    assert!(told.contains("HttpOnly") && told.contains("SameSite=Lax"), "{told}");
    let note = told.split(';').next().unwrap_or_default();
    let page = console
        .get(PAGE)
        .header("cookie", &format!("{cookie}; {note}"))
        .await_ok()
        .await;
    assert!(page.text.contains("Acknowledged.") && page.text.contains("Undo acknowledge"));
    let cleared = page.header("set-cookie").expect("the note is taken away");
    assert!(
        cleared.starts_with("opsdeck_done=;") && cleared.contains("Max-Age=0"),
        "{cleared}"
    );
    let again = console.get(PAGE).header("cookie", &cookie).await_ok().await;
    assert!(!again.text.contains("Acknowledged."));
    let [event] = &*console.trail() else {
        panic!("one event")
    };
    assert_eq!(
        (&*event.spec.event_type, &*event.spec.actor.name),
        ("issue_acknowledged", "sre-mira")
    );
}

#[tokio::test]
async fn another_site_and_a_viewer_do_nothing() {
    let console = console().await;
    let resolve = form("/incidents/checkout-oom/resolve?namespace=shop", PAGE, "&resolution=x");
    let cookie = session(&console, OPERATOR).await;
    for site in ["cross-site", "same-site", "none"] {
        assert_eq!(
            submit(&console, &cookie, site, &resolve).await.status.as_u16(),
            403,
            "{site}"
        );
    }
    let viewer = session(&console, VIEWER).await;
    let refused = submit(&console, &viewer, "same-origin", &resolve).await;
    assert_eq!(refused.status.as_u16(), 403);
    assert!(refused.text.contains("Not done. "), "the page says so");
    let nobody = submit(&console, "", "same-origin", &resolve).await;
    assert_eq!(nobody.status.as_u16(), 401);
    assert!(nobody.text.contains("name=\"key\""), "the page asks for a key");
    let issue = console.object::<Issue>("shop", "checkout-oom").expect("the incident");
    assert!(issue.status.is_none() && console.trail().is_empty());
}

#[tokio::test]
async fn a_form_that_is_refused_comes_again_as_it_was_typed() {
    let console = console().await;
    let cookie = session(&console, OPERATOR).await;
    // The choice that was offered and the text that was typed beside it have one name.
    let snooze = |length: &str| {
        let rest = format!("&duration=1h&duration={length}");
        form("/incidents/checkout-oom/snooze?namespace=shop", PAGE, &rest)
    };
    let refused = submit(&console, &cookie, "same-origin", &snooze("tomorrow")).await;
    assert_eq!(refused.status.as_u16(), 400);
    for shown in [
        "Invalid duration: say it with units",
        "value=\"tomorrow\"",
        "id=\"snooze-checkout-oom\" open",
    ] {
        assert!(refused.text.contains(shown), "{shown}");
    }
    let done = submit(&console, &cookie, "same-origin", &snooze("90m")).await;
    assert_eq!(done.status.as_u16(), 303);
    let offered = form(
        "/incidents/checkout-oom/snooze?namespace=shop",
        PAGE,
        "&duration=4h&duration=",
    );
    assert_eq!(
        submit(&console, &cookie, "same-origin", &offered).await.status.as_u16(),
        303
    );
    assert_eq!(console.trail().len(), 2);
}

#[tokio::test]
async fn a_vote_on_what_has_changed_is_not_cast_and_its_words_are_kept() {
    let console = console().await;
    let page = "/approvals/shop/ask";
    let cookie = session(&console, OPERATOR).await;
    let approve = |hash: &str| {
        let rest = format!("&approver=Mira&reason=seen+%3Cit%3E%3C%2Ftextarea%3E&planHash={hash}");
        form("/approvals/ask/approve?namespace=shop", page, &rest)
    };
    let refused = submit(&console, &cookie, "same-origin", &approve("0000000000000000")).await;
    assert_eq!(refused.status.as_u16(), 409);
    assert!(
        refused
            .text
            .contains("What would be done has changed since you read it")
    );
    assert!(
        refused.text.contains("seen &lt;it>&lt;/textarea></textarea>"),
        "what was typed is kept"
    );
    assert!(
        !refused.text.contains("id=\"approve-ask\" open"),
        "it has to be read again"
    );
    let read = console.get("/api/v1/approvals/ask").key(VIEWER).await_ok().await.json();
    let hash = read["spec"]["planHash"].as_str().expect("a hash");
    assert!(refused.text.contains(&format!("name=\"planHash\" value=\"{hash}\"")));
    assert_eq!(
        submit(&console, &cookie, "same-origin", &approve(hash))
            .await
            .status
            .as_u16(),
        303
    );
    let again = submit(&console, &cookie, "same-origin", &approve(hash)).await;
    assert_eq!(again.status.as_u16(), 409);
    assert!(
        again.text.contains("This key has voted already by Mira, at "),
        "who, and when"
    );
    assert!(again.text.contains("Not sent: "), "what was typed stays");
    assert!(
        again
            .text
            .contains("readonly rows=\"3\">seen &lt;it>&lt;/textarea></textarea>")
    );
    let stored = console.object::<ApprovalRequest>("shop", "ask").expect("the request");
    assert_eq!(stored.status.as_ref().expect("a vote").decisions.len(), 1);
    assert_eq!(console.trail().len(), 1);
}

#[tokio::test]
async fn a_session_that_has_ended_gives_back_what_was_typed_to_be_copied() {
    let console = console().await;
    let page = "/approvals/shop/ask";
    let reject = form(
        "/approvals/ask/reject?namespace=shop",
        page,
        "&approver=Mira&reason=%3C%2Ftextarea%3E%3Cb%3Enot+now&planHash=0000000000000000",
    );
    let refused = submit(&console, "", "same-origin", &reject).await;
    assert_eq!(refused.status.as_u16(), 401);
    assert!(refused.text.contains("Not sent: the session has ended"));
    assert!(
        refused.text.contains(">&lt;/textarea>&lt;b>not now</textarea>"),
        "as text"
    );
    assert!(refused.text.contains("API key"), "the way back in");
    assert!(console.trail().is_empty());
}

#[tokio::test]
async fn a_form_reaches_the_api_and_nothing_else() {
    let console = TestConsole::mounted(vec![issue("checkout-oom", "shop")], KEYS, "/ops").await;
    let cookie = session_at(&console, "/ops").await;
    let send = |act: &'static str, next: &'static str| {
        let asking = console
            .ask(Method::POST, "/ops/act")
            .header("content-type", "application/x-www-form-urlencoded")
            .header("sec-fetch-site", "same-origin")
            .header("cookie", &cookie);
        asking.body(form(act, next, "")).answer()
    };
    for act in ["", "x", "/../../healthz", "//evil.example/", "/incidents", "/no/such"] {
        let refused = send(act, "/ops/incidents").await;
        assert!(refused.status.is_client_error(), "{act}: {}", refused.status);
        assert_eq!(refused.header("set-cookie"), None, "{act}");
    }
    let done = send("/incidents/checkout-oom/acknowledge?namespace=shop", "//evil.example").await;
    assert_eq!((done.status.as_u16(), done.header("location")), (303, Some("/ops/")));
    assert!(
        done.header("set-cookie")
            .is_some_and(|note| note.contains("Path=/ops/"))
    );
    assert_eq!(console.console.metrics.requests.panics.get(), 0);
}

async fn session_at(console: &TestConsole, base: &str) -> String {
    let target = format!("{base}/api/v1/session");
    let asked = console.ask(Method::POST, &target).key(OPERATOR).answer().await;
    let cookie = asked.header("set-cookie").expect("a session");
    cookie.split(';').next().unwrap_or_default().to_owned()
}
