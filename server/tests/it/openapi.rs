//! The OpenAPI document: that it is served, and that what it says of every route is what the route does.

use crate::{
    console::{TestConsole, VIEWER},
    described::{DOCUMENT, check, operation, referred},
};
use http::{Method, StatusCode};
use opsdeck::{catalog::Project as _, resources::Issue, rest};
use opsdeck_api::kinds::{LISTED, Listed};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

#[tokio::test]
async fn it_is_there_without_a_key_and_not_sent_twice() {
    let console = TestConsole::over_the_sample().await;
    let answered = console.get("/api/v1/openapi.json").await_ok().await;
    assert_eq!(answered.header("content-type"), Some("application/json; charset=utf-8"));
    assert_eq!(answered.json(), *DOCUMENT);
    console.get("/api/v1/openapi.json").assert_not_modified().await;
}

#[tokio::test]
async fn under_a_base_path_it_says_where_the_api_is() {
    let console = TestConsole::mounted(Vec::new(), "[]", "/ops").await;
    let document = console.get("/ops/api/v1/openapi.json").await_ok().await.json();
    assert_eq!(document["servers"], json!([{ "url": "/ops/api/v1" }]));
}

#[tokio::test]
async fn it_can_be_read_as_a_page_without_a_key_and_without_a_script() {
    let console = TestConsole::mounted(Vec::new(), "[]", "/ops").await;
    let page = console.get("/ops/docs/api?theme=dark").await_ok().await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(
        page.header("content-security-policy")
            .is_some_and(|policy| policy.contains("default-src 'none'"))
    );
    assert!(page.text.contains("data-theme=\"dark\""));
    assert!(page.text.contains("href=\"/ops/api/v1/openapi.json\""));
    for refused in ["<script", "<style", " style="] {
        assert!(!page.text.contains(refused), "{refused} stands in the page");
    }
}

/// The answers are held against the document where they come in, in `console`.
#[tokio::test]
async fn every_route_answers_what_the_document_says() {
    let console = TestConsole::over_the_sample().await;
    for route in rest::routes().iter().filter(|route| route.method == Method::GET) {
        let mut answered = 0;
        for target in addresses(&console, route.path).await {
            // The stream has no end, and is no JSON.
            if route.path == "/events" {
                continue;
            }
            let answer = console.get(&target).key(VIEWER).answer().await;
            answered += usize::from(answer.status == StatusCode::OK);
        }
        assert!(
            answered > 0 || route.path == "/events",
            "{} was never answered",
            route.path
        );
    }
}

/// All addresses that a route has over the sample.
pub(crate) async fn addresses(console: &TestConsole, path: &str) -> Vec<String> {
    if let Some((before, after)) = path.split_once("/{kind}") {
        let kinds = ["approval", "notification", "escalation", "sla"];
        let mut all = Vec::new();
        for kind in kinds {
            all.extend(Box::pin(addresses(console, &format!("{before}/{kind}{after}"))).await);
        }
        return all;
    }
    let Some((list, below)) = path.split_once("/{name}") else {
        return vec![format!("/api/v1{path}?pageSize=100")];
    };
    let listed = console
        .get(&format!("/api/v1{list}?pageSize=100"))
        .key(VIEWER)
        .await_ok()
        .await
        .json();
    let items = listed["items"].as_array().expect("a list");
    items
        .iter()
        .map(|item| {
            let text = |member: &str| item[member].as_str().expect("a text");
            format!("/api/v1{list}/{}{below}?namespace={}", text("name"), text("namespace"))
        })
        .collect()
}

#[test]
fn the_check_finds_what_is_not_as_described() {
    let schema = &DOCUMENT["components"]["schemas"]["ErrorBody"];
    let good = json!({
        "apiVersion": "v1", "kind": "Error", "error": "Conflict", "code": 409, "message": "too late",
        "reason": "expired", "at": "2026-09-23T12:00:00Z",
    });
    let faults = |change: fn(&mut Value)| {
        let mut value = good.clone();
        change(&mut value);
        let mut faults = Vec::new();
        check(schema, &value, "", &mut faults);
        faults.len()
    };
    assert_eq!(faults(|_| {}), 0);
    assert_eq!(faults(|value| value["code"] = "409".into()), 2, "type and format");
    assert_eq!(faults(|value| value["reason"] = "tired".into()), 1);
    assert_eq!(faults(|value| value["at"] = "noon".into()), 1);
    assert_eq!(faults(|value| value["fields"] = json!([{ "field": "name" }])), 1);
    assert_eq!(
        faults(|value| drop(value.as_object_mut().unwrap().remove("message"))),
        1
    );
}

/// What is said in two members, once as upstream's clients expect it, has one column.
#[tokio::test]
async fn a_table_has_a_column_for_every_member_of_an_item() {
    let console = TestConsole::over_the_sample().await;
    let meant = |schema: &Value| referred(schema["$ref"].as_str().expect("a reference"));
    for Listed { kind, list, .. } in &LISTED {
        let described = operation(&Method::GET, &format!("/api/v1{list}")).expect("a list that is described");
        let envelope = meant(&described["responses"]["200"]["content"]["application/json"]["schema"]);
        let item = meant(&envelope["properties"]["items"]["items"]);
        let mut members: Vec<&str> = (item["properties"].as_object().expect("members").keys())
            .map(String::as_str)
            .collect();
        if *kind == "ApprovalRequest" {
            let twice = ["action", "decisions", "reason", "requiredApprovers", "resource"];
            members.retain(|member| !twice.contains(member));
        }
        members.sort_unstable();
        let asking = console.get(&format!("/api/v1{list}?format=csv")).key(VIEWER);
        let table = asking.await_ok().await.text;
        let mut reader = csv::Reader::from_reader(table.as_bytes());
        let mut columns: Vec<&str> = reader.headers().expect("a header").iter().collect();
        columns.sort_unstable();
        assert_eq!(columns, members, "{list}");
    }
}

/// What the handlers of a resource read of a body, by what they call each member.
fn members_read(source: &str) -> BTreeSet<&str> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let readers =
        ["text", "given", "integer", "flag", "object", "objects", "texts"].map(|reader| format!(".{reader}(\""));
    let calls = readers.iter().flat_map(|reader| code.split(reader.as_str()).skip(1));
    calls.filter_map(|call| call.split('"').next()).collect()
}

/// All members that a schema names, its own and those of what it refers to.
fn members_described<'a>(schema: &'a Value, members: &mut BTreeSet<&'a str>) {
    match schema {
        Value::Object(keywords) => {
            if let Some(name) = keywords.get("$ref").and_then(Value::as_str) {
                members_described(
                    &DOCUMENT["components"]["schemas"][name.rsplit('/').next().unwrap_or_default()],
                    members,
                );
            }
            if let Some(Value::Object(properties)) = keywords.get("properties") {
                members.extend(properties.keys().map(String::as_str));
            }
            keywords.values().for_each(|value| members_described(value, members));
        }
        Value::Array(schemas) => schemas.iter().for_each(|schema| members_described(schema, members)),
        _ => {}
    }
}

#[test]
fn every_member_that_is_read_is_described_and_no_other() {
    let mut filter = BTreeSet::new();
    members_described(&DOCUMENT["components"]["schemas"]["BulkFilter"], &mut filter);
    let known: BTreeSet<_> = ["namespace", "from", "to", "q"]
        .into_iter()
        .chain(Issue::FACETS.iter().copied())
        .collect();
    assert_eq!(filter, known, "the filter of a bulk");

    let sources = [
        ("approvals", include_str!("../../src/rest/approvals.rs")),
        ("bulk", include_str!("../../src/rest/bulk.rs")),
        ("incidents", include_str!("../../src/rest/incidents.rs")),
        ("postmortems", include_str!("../../src/rest/postmortems.rs")),
        ("runbooks", include_str!("../../src/rest/runbooks.rs")),
        ("session", include_str!("../../src/rest/session.rs")),
    ];
    let mut described: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (path, operations) in DOCUMENT["paths"].as_object().expect("paths") {
        let resource = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        let resource = if path == "/incidents/bulk" { "bulk" } else { resource };
        for operation in operations.as_object().expect("operations").values() {
            if operation["requestBody"].is_object() {
                let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
                members_described(schema, described.entry(resource).or_default());
            }
        }
    }
    // The members of its filter are those of the list's query.
    for member in filter.iter().filter(|member| **member != "namespace") {
        described.entry("bulk").or_default().remove(member);
    }
    let read: BTreeMap<_, _> = sources
        .map(|(resource, source)| (resource, members_read(source)))
        .into();
    assert_eq!(read, described, "say in api/src/request.rs what the handlers read");
}
