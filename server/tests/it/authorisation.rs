//! Every route of the API × every kind of caller. A route that has no row here fails the test: say who may call it.

use crate::console::{ADMIN, ODD, OPERATOR, TestConsole, VIEWER};
use http::Method;
use opsdeck::rest;
use opsdeck_api::Role;

/// Who may call an operation.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum May {
    Anybody,
    AnyKey,
    From(Role),
}

use May::{AnyKey, Anybody, From};
use Role::{Admin, Operator, Viewer};

const TABLE: &[(&str, &str, May)] = &[
    ("GET", "/incidents", From(Viewer)),
    ("GET", "/incidents/{name}", From(Viewer)),
    ("GET", "/incidents/{name}/timeline", From(Viewer)),
    ("GET", "/incidents/{name}/remediation", From(Viewer)),
    ("POST", "/incidents/{name}/acknowledge", From(Operator)),
    ("POST", "/incidents/{name}/snooze", From(Operator)),
    ("POST", "/incidents/{name}/resolve", From(Operator)),
    ("POST", "/incidents/{name}/unacknowledge", From(Operator)),
    ("POST", "/incidents/{name}/unsnooze", From(Operator)),
    ("POST", "/incidents/bulk", From(Operator)),
    ("GET", "/slos", From(Viewer)),
    ("GET", "/slos/{name}", From(Viewer)),
    ("GET", "/slos/{name}/budget", From(Viewer)),
    ("GET", "/runbooks", From(Viewer)),
    ("GET", "/runbooks/{name}", From(Viewer)),
    ("DELETE", "/runbooks/{name}", From(Admin)),
    ("POST", "/runbooks", From(Operator)),
    ("PUT", "/runbooks/{name}", From(Operator)),
    ("GET", "/approvals", From(Viewer)),
    ("GET", "/approvals/{name}", From(Viewer)),
    ("POST", "/approvals/{name}/approve", From(Operator)),
    ("POST", "/approvals/{name}/reject", From(Operator)),
    ("GET", "/instances", From(Viewer)),
    ("GET", "/instances/{name}", From(Viewer)),
    ("POST", "/instances/{name}/reprobe", From(Operator)),
    ("GET", "/aiinsights", From(Viewer)),
    ("GET", "/aiinsights/{name}", From(Viewer)),
    ("GET", "/remediations", From(Viewer)),
    ("GET", "/remediations/{name}", From(Viewer)),
    ("GET", "/postmortems", From(Viewer)),
    ("GET", "/postmortems/{name}", From(Viewer)),
    ("POST", "/postmortems/{name}/review", From(Operator)),
    ("POST", "/postmortems/{name}/close", From(Operator)),
    ("POST", "/postmortems/{name}/feedback", From(Operator)),
    ("POST", "/postmortems/{name}/ack-human-action", From(Operator)),
    ("GET", "/analytics/summary", From(Viewer)),
    ("GET", "/analytics/mttd", From(Viewer)),
    ("GET", "/analytics/mttr", From(Viewer)),
    ("GET", "/analytics/trends", From(Viewer)),
    ("GET", "/analytics/top-resources", From(Viewer)),
    ("GET", "/analytics/remediation-stats", From(Viewer)),
    ("GET", "/analytics/compliance", From(Viewer)),
    ("GET", "/analytics/capacity", From(Viewer)),
    ("GET", "/analytics/cost", From(Viewer)),
    ("GET", "/clusters", From(Viewer)),
    ("GET", "/clusters/global-status", From(Viewer)),
    ("GET", "/clusters/{name}", From(Viewer)),
    ("GET", "/federation", From(Viewer)),
    ("GET", "/federation/status", From(Viewer)),
    ("GET", "/federation/clusters", From(Viewer)),
    ("GET", "/federation/correlations", From(Viewer)),
    ("GET", "/policies/{kind}", From(Viewer)),
    ("GET", "/policies/{kind}/{name}", From(Viewer)),
    ("GET", "/audit", From(Viewer)),
    ("GET", "/audit/export", From(Viewer)),
    ("GET", "/search", From(Viewer)),
    ("GET", "/events", From(Viewer)),
    ("GET", "/whoami", AnyKey),
    ("POST", "/session", AnyKey),
    ("DELETE", "/session", Anybody),
    ("GET", "/openapi.json", Anybody),
];

#[test]
fn every_route_has_a_row_and_every_row_a_route() {
    let mut routes: Vec<_> = rest::routes()
        .iter()
        .map(|route| (route.method.to_string(), route.path.to_owned()))
        .collect();
    let mut rows: Vec<_> = TABLE
        .iter()
        .map(|(method, path, _)| ((*method).to_owned(), (*path).to_owned()))
        .collect();
    routes.sort();
    rows.sort();
    assert_eq!(routes, rows, "say in TABLE who may call it");
}

#[tokio::test]
async fn a_role_reaches_what_its_row_says_and_nothing_else() {
    let console = TestConsole::over_the_sample().await;
    let callers = [
        None,
        Some("no-such-key"),
        Some(ODD),
        Some(VIEWER),
        Some(OPERATOR),
        Some(ADMIN),
    ];
    let role = |key| match key {
        Some(VIEWER) => Some(Viewer),
        Some(OPERATOR) => Some(Operator),
        Some(ADMIN) => Some(Admin),
        _ => None,
    };
    for (method, path, may) in TABLE {
        for key in callers {
            let known = matches!(key, Some(ODD | VIEWER | OPERATOR | ADMIN));
            let expected = match may {
                Anybody => None,
                AnyKey => (!known).then_some(401),
                From(_) if !known => Some(401),
                From(least) => role(key).is_none_or(|role| role < *least).then_some(403),
            };
            let target = format!(
                "/api/v1{}",
                path.replace("{kind}", "approval")
                    .replace("{name}", "nothing-of-that-name")
            );
            let asking = console.ask(method.parse().unwrap(), &target);
            let status = match key {
                Some(key) => asking.key(key),
                None => asking,
            }
            .response()
            .await
            .status()
            .as_u16();
            match expected {
                Some(refused) => assert_eq!(status, refused, "{method} {path} as {key:?}"),
                None => assert!(
                    ![401, 403, 405].contains(&status) && status < 500,
                    "{method} {path} as {key:?}: {status}"
                ),
            }
        }
    }
}

#[tokio::test]
async fn other_methods_are_refused_after_the_role_and_say_which_are_known() {
    let console = TestConsole::over_the_sample().await;
    for path in ["/api/v1/incidents", "/api/v1/approvals/x", "/api/v1/analytics/summary"] {
        let refused = console.ask(Method::PATCH, path).key(VIEWER).answer().await;
        refused.assert_error(405, "method_not_allowed");
        assert_eq!(refused.header("allow"), Some("GET, HEAD"));
        console
            .ask(Method::PATCH, path)
            .key(ODD)
            .answer()
            .await
            .assert_error(403, "forbidden");
        console
            .ask(Method::PATCH, path)
            .answer()
            .await
            .assert_error(401, "unauthorized");
    }
}

#[tokio::test]
async fn what_only_writes_cannot_be_read() {
    let console = TestConsole::over_the_sample().await;
    let refused = console.get("/api/v1/incidents/x/resolve").key(OPERATOR).answer().await;
    refused.assert_error(405, "method_not_allowed");
    assert_eq!(refused.header("allow"), Some("POST"));
    let stranger = console.get("/api/v1/incidents/x/resolve").key(VIEWER).answer().await;
    stranger.assert_error(403, "forbidden");
}

#[tokio::test]
async fn what_does_not_exist_costs_a_key_first() {
    let console = TestConsole::over_the_sample().await;
    for path in [
        "/api/",
        "/api/v1",
        "/api/v1/nothing",
        "/api/v1/incidents/a/b/c",
        "/api/v2/incidents",
    ] {
        console.get(path).answer().await.assert_error(401, "unauthorized");
        console
            .get(path)
            .key(VIEWER)
            .answer()
            .await
            .assert_error(404, "not_found");
    }
}

#[tokio::test]
async fn without_keys_nobody_comes_in() {
    let console = TestConsole::with_keys(Vec::new(), "[]").await;
    for key in ["", VIEWER] {
        let message = console
            .get("/api/v1/incidents")
            .key(key)
            .answer()
            .await
            .assert_error(401, "unauthorized");
        assert!(message.contains("CHATCLI_OPERATOR_DEV_MODE=true"), "{message}");
    }
}
