//! Envelope, paging, filters, order, tags and tables, over the sample of `spec/sample-scenarios.md`.

use crate::console::{ADMIN, TestConsole, VIEWER};
use http::Method;
use serde_json::{Value, json};

fn names(list: &Value) -> Vec<&str> {
    list["items"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|item| item["name"].as_str().expect("a name"))
        .collect()
}

#[tokio::test]
async fn the_sample_counts_what_it_says() {
    let console = TestConsole::over_the_sample().await;
    for (list, total) in [
        ("/incidents", 18),
        ("/incidents?severity=critical", 3),
        ("/incidents?state=Resolved", 8),
        ("/incidents?severity=critical&severity=high", 8),
        ("/incidents?chaos=true", 1),
        ("/approvals", 13),
        ("/approvals?state=Pending", 2),
        ("/instances", 5),
        ("/instances?ready=true", 2),
        ("/aiinsights", 16),
        ("/remediations", 18),
        ("/remediations?state=completed", 7),
        ("/postmortems", 7),
        ("/slos", 7),
        ("/runbooks", 14),
        ("/clusters", 5),
        ("/federation/correlations", 1),
        ("/policies/approval", 4),
        ("/policies/notification", 2),
        ("/policies/escalation", 1),
        ("/policies/sla", 4),
        ("/audit?severity=critical", 1),
    ] {
        assert_eq!(console.total(&format!("/api/v1{list}")).await, total, "{list}");
    }
}

#[tokio::test]
async fn a_list_is_one_line_with_its_members_in_order() {
    let console = TestConsole::over_the_sample().await;
    let answered = console.get("/api/v1/incidents?pageSize=1").key(VIEWER).await_ok().await;
    assert!(answered.text.starts_with(
        r#"{"apiVersion":"v1","kind":"IncidentList","metadata":{"totalCount":18,"page":1,"pageSize":1},"items":[{"name":""#
    ));
    assert!(answered.text.ends_with("]}\n") && answered.text.matches('\n').count() == 1);
    assert_eq!(answered.header("content-type"), Some("application/json; charset=utf-8"));
    assert_eq!(answered.header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn pages_put_together_are_the_list() {
    let console = TestConsole::over_the_sample().await;
    for query in [
        "",
        "sort=need&",
        "sort=-riskScore,name&",
        "q=shop&",
        "state=Resolved&sort=severity&",
    ] {
        let whole = console
            .get(&format!("/api/v1/incidents?{query}pageSize=100"))
            .key(VIEWER)
            .await_ok()
            .await
            .json();
        let mut pieces: Vec<String> = Vec::new();
        for page in 1..=7 {
            let piece = console
                .get(&format!("/api/v1/incidents?{query}pageSize=3&page={page}"))
                .key(VIEWER)
                .await_ok()
                .await
                .json();
            pieces.extend(names(&piece).into_iter().map(str::to_owned));
        }
        assert_eq!(pieces, names(&whole), "{query}");
    }
}

#[tokio::test]
async fn a_page_past_the_end_is_empty_and_echoed() {
    let console = TestConsole::over_the_sample().await;
    for page in ["99", "9223372036854775807"] {
        let list = console
            .get(&format!("/api/v1/incidents?page={page}&pageSize=101"))
            .key(VIEWER)
            .await_ok()
            .await
            .json();
        assert_eq!(
            (list["items"].clone(), list["metadata"]["page"].to_string()),
            (json!([]), page.to_owned())
        );
        assert_eq!(list["metadata"]["pageSize"], 100);
    }
}

/// Kinds whose lists hear `from` and `to`; the audit trail, which goes by another time, has its own test.
#[tokio::test]
async fn both_ends_of_the_time_are_in_the_list() {
    let born = "2026-09-23T12:00:00Z";
    let object = |kind: &str, spec: Value| {
        json!({
            "apiVersion": "platform.chatcli.io/v1alpha1", "kind": kind,
            "metadata": {"name": "one", "namespace": "default", "creationTimestamp": born}, "spec": spec,
        })
    };
    let resource = json!({"kind": "Deployment", "name": "web", "namespace": "default"});
    let console = TestConsole::over(vec![
        object(
            "Issue",
            json!({"severity": "low", "source": "watcher", "resource": resource, "description": ""}),
        ),
        object(
            "PostMortem",
            json!({"issueRef": {"name": "one"}, "severity": "low", "resource": resource}),
        ),
    ])
    .await;
    for list in ["incidents", "postmortems"] {
        for (query, total) in [
            (format!("from={born}&to={born}"), 1),
            ("from=2026-09-23T12:00:00.000000001Z".to_owned(), 0),
            ("to=2026-09-23T11:59:59.999999999Z".to_owned(), 0),
            ("from=2026-09-23T14:00:00%2B02:00".to_owned(), 1),
            ("from=2026-09-24T12:00:00Z&to=2026-09-22T12:00:00Z".to_owned(), 0),
            ("from=0000-01-01T00:00:00%2B02:00&to=9999-12-31T23:59:59Z".to_owned(), 1),
            ("from=9999-12-31T23:59:59Z".to_owned(), 0),
            // Each of these is no time and counts as not given.
            ("from=2026-09-24&to=1790164800".to_owned(), 1),
            ("from=2026-09-24T12:00:00+02:00".to_owned(), 1),
        ] {
            assert_eq!(
                console.total(&format!("/api/v1/{list}?{query}")).await,
                total,
                "{list} {query}"
            );
        }
    }
}

#[tokio::test]
async fn an_incident_that_lasts_to_the_end_of_time_is_shown() {
    let console = TestConsole::over(vec![json!({
        "apiVersion": "platform.chatcli.io/v1alpha1", "kind": "Issue",
        "metadata": {
            "name": "one", "namespace": "default", "creationTimestamp": "0000-01-01T00:00:00+02:00",
            "annotations": {"aiops.chatcli.io/snoozed-until": "9999-12-31T23:59:59Z", "aiops.chatcli.io/snoozed-by": "mira"},
        },
        "spec": {"severity": "low", "source": "watcher", "description": "", "resource": {"kind": "Node", "name": "a", "namespace": ""}},
        "status": {"state": "Resolved", "resolvedAt": "9999-12-31T23:59:59Z", "remediationAttempts": 0},
    })])
    .await;
    let item = console.get("/api/v1/incidents/one").key(VIEWER).await_ok().await.json()["spec"].clone();
    assert_eq!(item["creationTimestamp"], "0000-01-01T00:00:00Z");
    assert_eq!(item["resolvedAt"], "9999-12-30T22:00:00Z");
    assert_eq!(item["snoozed"]["by"], "mira");
    assert_eq!(console.total("/api/v1/incidents?snoozed=true").await, 1);
}

#[tokio::test]
async fn need_puts_the_unresolved_and_the_severe_first() {
    let console = TestConsole::over_the_sample().await;
    let list = console
        .get("/api/v1/incidents?sort=need&pageSize=100")
        .key(VIEWER)
        .await_ok()
        .await
        .json();
    let rank = |item: &Value| {
        let severity = ["critical", "high", "medium", "low"]
            .iter()
            .position(|word| item["severity"] == *word);
        (
            item["state"] == "Resolved",
            severity,
            std::cmp::Reverse(item["creationTimestamp"].to_string()),
        )
    };
    assert!(list["items"].as_array().unwrap().is_sorted_by_key(rank));
}

#[tokio::test]
async fn an_unknown_member_to_sort_by_names_the_known_ones() {
    let console = TestConsole::over_the_sample().await;
    let message = console
        .get("/api/v1/incidents?sort=-risk")
        .key(VIEWER)
        .answer()
        .await
        .assert_error(400, "invalid");
    assert!(message.contains("risk") && message.contains("riskScore"), "{message}");
}

#[tokio::test]
async fn what_is_ignored_is_warned_of() {
    let console = TestConsole::over_the_sample().await;
    let answered = console
        .get("/api/v1/incidents?page=x&from=yesterday&acknowledged=perhaps")
        .key(VIEWER)
        .await_ok()
        .await;
    let warnings: Vec<_> = answered
        .headers
        .get_all("warning")
        .into_iter()
        .map(|value| value.to_str().unwrap())
        .collect();
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    assert!(warnings.iter().all(|warning| warning.starts_with("299 - \"")));
    assert_eq!(answered.json()["metadata"]["totalCount"], 18);
}

#[tokio::test]
async fn what_the_client_holds_is_not_sent_again() {
    let console = TestConsole::over_the_sample().await;
    for target in [
        "/api/v1/incidents",
        "/api/v1/incidents?sort=need&q=shop",
        "/api/v1/approvals?state=Pending",
        "/api/v1/instances",
        "/api/v1/instances/chatcli",
        "/api/v1/remediations",
        "/api/v1/aiinsights",
        "/api/v1/postmortems",
        "/api/v1/analytics/summary",
        "/api/v1/slos?sort=need",
        "/api/v1/runbooks",
        "/api/v1/clusters",
        "/api/v1/clusters/global-status",
        "/api/v1/federation/status",
        "/api/v1/federation/clusters",
        "/api/v1/federation/correlations",
        "/api/v1/policies/sla",
        "/api/v1/audit",
        "/api/v1/audit/export",
    ] {
        console.get(target).key(VIEWER).assert_not_modified().await;
    }
}

#[tokio::test]
async fn a_tag_is_of_one_question_and_one_role() {
    let console = TestConsole::over_the_sample().await;
    let tag = |target: &'static str, key| {
        let console = &console;
        async move {
            console
                .get(target)
                .key(key)
                .await_ok()
                .await
                .header("etag")
                .unwrap()
                .to_owned()
        }
    };
    let tags = [
        tag("/api/v1/incidents", VIEWER).await,
        tag("/api/v1/incidents", ADMIN).await,
        tag("/api/v1/incidents?page=2", VIEWER).await,
        tag("/api/v1/incidents?format=csv", VIEWER).await,
        tag("/api/v1/approvals", VIEWER).await,
    ];
    let distinct: std::collections::BTreeSet<_> = tags.iter().collect();
    assert_eq!(distinct.len(), tags.len());
}

#[tokio::test]
async fn a_slash_at_the_end_is_no_matter() {
    let console = TestConsole::over_the_sample().await;
    assert_eq!(console.total("/api/v1/incidents/?pageSize=1").await, 18);
}

#[tokio::test]
async fn head_is_get_without_its_body() {
    let console = TestConsole::over_the_sample().await;
    let answered = console
        .ask(Method::HEAD, "/api/v1/incidents")
        .key(VIEWER)
        .await_ok()
        .await;
    assert_eq!(answered.text, "");
    assert!(answered.header("etag").is_some());
}

#[tokio::test]
async fn an_object_says_the_same_as_its_row() {
    let console = TestConsole::over_the_sample().await;
    for (list, kind) in [("incidents", "Incident"), ("approvals", "ApprovalRequest")] {
        let rows = console
            .get(&format!("/api/v1/{list}?pageSize=100"))
            .key(VIEWER)
            .await_ok()
            .await
            .json();
        for row in rows["items"].as_array().unwrap() {
            let target = format!(
                "/api/v1/{list}/{}?namespace={}",
                row["name"].as_str().unwrap(),
                row["namespace"].as_str().unwrap()
            );
            let object = console.get(&target).key(VIEWER).await_ok().await.json();
            assert_eq!(
                (&object["kind"], &object["spec"], &object["status"]),
                (&kind.into(), row, row)
            );
            assert_eq!(object["resourceMeta"]["name"], row["name"]);
        }
    }
}

#[tokio::test]
async fn an_unknown_object_is_not_found_in_upstreams_words() {
    let console = TestConsole::over_the_sample().await;
    for (target, prefix) in [
        ("/api/v1/incidents/x", "issue not found"),
        ("/api/v1/incidents/x/timeline", "no timeline found for issue"),
        ("/api/v1/approvals/x", "approval not found"),
        ("/api/v1/instances/x", "instance not found"),
        ("/api/v1/aiinsights/x", "AI insight not found"),
        ("/api/v1/remediations/x", "remediation plan not found"),
        ("/api/v1/postmortems/x", "postmortem not found"),
        ("/api/v1/slos/x", "SLO not found"),
        ("/api/v1/slos/x/budget", "SLO not found"),
        ("/api/v1/runbooks/x", "runbook not found"),
        ("/api/v1/clusters/x", "cluster not found"),
        ("/api/v1/policies/approval/x", "ApprovalPolicy not found"),
    ] {
        let message = console
            .get(target)
            .key(VIEWER)
            .answer()
            .await
            .assert_error(404, "not_found");
        assert_eq!(message.split(": ").next(), Some(prefix));
    }
    assert_eq!(console.total("/api/v1/incidents/x/remediation").await, 0);
}

#[tokio::test]
async fn a_name_in_two_namespaces_must_say_which() {
    let issue = |namespace: &str| {
        json!({
            "apiVersion": "platform.chatcli.io/v1alpha1", "kind": "Issue",
            "metadata": {"name": "twin", "namespace": namespace, "creationTimestamp": "2026-09-23T12:00:00Z"},
            "spec": {"severity": "high", "source": "watcher", "description": "twin",
                     "resource": {"kind": "Deployment", "name": "twin", "namespace": namespace}},
        })
    };
    let console = TestConsole::over(vec![issue("east"), issue("west")]).await;
    let message = console
        .get("/api/v1/incidents/twin")
        .key(VIEWER)
        .answer()
        .await
        .assert_error(409, "ambiguous");
    assert!(message.contains("east, west"), "{message}");
    let object = console
        .get("/api/v1/incidents/twin?namespace=west")
        .key(VIEWER)
        .await_ok()
        .await
        .json();
    assert_eq!(object["spec"]["namespace"], "west");
}

#[tokio::test]
async fn a_table_holds_the_whole_filtered_list() {
    let console = TestConsole::over_the_sample().await;
    let answered = console
        .get("/api/v1/incidents?severity=low&pageSize=1&format=csv")
        .key(VIEWER)
        .await_ok()
        .await;
    assert_eq!(answered.header("content-type"), Some("text/csv; charset=utf-8"));
    assert!(
        answered
            .header("content-disposition")
            .unwrap()
            .starts_with("attachment; filename=incidents-")
    );
    let mut reader = csv::Reader::from_reader(answered.text.as_bytes());
    assert_eq!(reader.headers().unwrap().get(0), Some("name"));
    assert_eq!(reader.records().map(Result::unwrap).count(), 5);
    let asked_by_type = console
        .get("/api/v1/approvals")
        .key(VIEWER)
        .header("accept", "text/csv")
        .await_ok()
        .await;
    assert_eq!(
        csv::Reader::from_reader(asked_by_type.text.as_bytes())
            .records()
            .count(),
        13
    );
}

#[tokio::test]
async fn a_key_is_exchanged_for_a_session_that_reads() {
    let console = TestConsole::over_the_sample().await;
    let answered = console.ask(Method::POST, "/api/v1/session").key(VIEWER).answer().await;
    assert_eq!((answered.status.as_u16(), answered.text.as_str()), (204, ""));
    let cookie = answered
        .header("set-cookie")
        .unwrap()
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    let whoami = console
        .get("/api/v1/whoami")
        .header("cookie", &cookie)
        .await_ok()
        .await
        .json();
    assert_eq!(
        (&whoami["spec"]["identity"], &whoami["spec"]["via"]),
        (&json!("wallboard"), &json!("session"))
    );
    let again = console
        .ask(Method::POST, "/api/v1/session")
        .header("cookie", &cookie)
        .header("sec-fetch-site", "same-origin");
    again.answer().await.assert_error(401, "unauthorized");
    let ended = console.ask(Method::DELETE, "/api/v1/session").answer().await;
    assert!(ended.status.as_u16() == 204 && ended.header("set-cookie").unwrap().contains("Max-Age=0"));
}

#[tokio::test]
async fn an_unknown_role_is_told_who_it_is_and_no_more() {
    let console = TestConsole::over_the_sample().await;
    let whoami = console
        .get("/api/v1/whoami")
        .key(crate::console::ODD)
        .await_ok()
        .await
        .json();
    assert_eq!(
        (&whoami["spec"]["role"], &whoami["spec"]["identity"]),
        (&json!("auditor"), &json!("odd"))
    );
}

#[tokio::test]
async fn health_is_for_anybody() {
    let console = TestConsole::over_the_sample().await;
    for (path, status) in [("/healthz", "ok"), ("/livez", "ok"), ("/readyz", "ready")] {
        assert_eq!(console.get(path).await_ok().await.json()["status"], status);
    }
}
