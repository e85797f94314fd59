//! One search over every kind that has a page.

use crate::console::{ODD, TestConsole, VIEWER};
use opsdeck_api::{List, search::SearchResult};
use serde_json::json;

async fn found(console: &TestConsole, query: &str) -> List<SearchResult> {
    let answered = console
        .get(&format!("/api/v1/search?{query}"))
        .key(VIEWER)
        .await_ok()
        .await;
    serde_json::from_str(&answered.text).expect("a list of results")
}

#[tokio::test]
async fn the_name_comes_before_its_beginning_and_that_before_words() {
    let issue = |name: &str, description: &str| {
        json!({
            "apiVersion": "platform.chatcli.io/v1alpha1", "kind": "Issue",
            "metadata": {"name": name, "namespace": "shop", "creationTimestamp": "2026-09-23T12:00:00Z"},
            "spec": {"severity": "high", "source": "watcher", "description": description,
                     "resource": {"kind": "Deployment", "name": "web", "namespace": "shop"}},
            "status": {"state": "Analyzing"},
        })
    };
    let runbook = json!({
        "apiVersion": "platform.chatcli.io/v1alpha1", "kind": "Runbook",
        "metadata": {"name": "cart", "namespace": "default", "creationTimestamp": "2026-09-23T12:00:00Z"},
        "spec": {"trigger": {"signalType": "latency", "severity": "low", "resourceKind": "Deployment"}, "steps": [{"name": "a", "action": "Sleep"}]},
    });
    let console = TestConsole::over(vec![
        issue("slow", "The cart is slow"),
        issue("cart-latency", "Slow"),
        issue("other", "Nothing of the kind"),
        runbook,
    ])
    .await;
    let list = found(&console, "q=Cart").await;
    let told: Vec<_> = list
        .items
        .iter()
        .map(|item| (&*item.kind, &*item.name, &*item.href))
        .collect();
    assert_eq!(
        told,
        [
            ("Runbook", "cart", "/runbooks/default/cart"),
            ("Issue", "cart-latency", "/incidents/shop/cart-latency"),
            ("Issue", "slow", "/incidents/shop/slow"),
        ]
    );
    assert_eq!((list.kind.as_str(), list.metadata.total_count), ("SearchResultList", 3));
    let slow = &list.items[2];
    assert_eq!((&*slow.title, &*slow.snippet), ("The cart is slow", "Deployment/web"));
    assert_eq!(
        (slow.state.as_deref(), slow.severity.as_deref()),
        (Some("Analyzing"), Some("high"))
    );
    assert_eq!(
        (list.items[0].state.as_deref(), list.items[0].severity.as_deref()),
        (None, Some("low"))
    );
    let first = found(&console, "q=cart&limit=1").await;
    assert_eq!(
        (first.items.len(), first.metadata.total_count, first.metadata.page_size),
        (1, 3, 1)
    );
    assert_eq!(first.items[0], list.items[0]);
}

#[tokio::test]
async fn all_words_must_occur_and_blanks_find_nothing() {
    let console = TestConsole::over_the_sample().await;
    for query in ["q=checkout%20nowhere-at-all", "q=%20", "q=", ""] {
        let list = found(&console, query).await;
        assert_eq!((list.items.len(), list.metadata.total_count), (0, 0), "{query}");
    }
    assert_eq!(found(&console, "q=s&limit=1000").await.items.len(), 50);
    assert_eq!(found(&console, "q=s&limit=many").await.items.len(), 20);
}

/// Whatever stands in a list is found by its name, and its address is that of its page.
#[tokio::test]
async fn every_object_that_has_a_page_is_found_by_its_name() {
    let console = TestConsole::over_the_sample().await;
    for (list, page, suffix) in [
        ("/incidents", "/incidents", ""),
        ("/approvals", "/approvals", ""),
        ("/instances", "/instances", ""),
        ("/aiinsights", "/insights", ""),
        ("/remediations", "/remediations", ""),
        ("/runbooks", "/runbooks", ""),
        ("/postmortems", "/postmortems", ""),
        ("/slos", "/slos", ""),
        ("/policies/approval", "/policies", "?kind=approval"),
        ("/policies/notification", "/policies", "?kind=notification"),
        ("/policies/escalation", "/policies", "?kind=escalation"),
        ("/policies/sla", "/policies", "?kind=sla"),
        ("/clusters", "/clusters", ""),
        ("/audit", "/audit", ""),
    ] {
        let rows = console
            .get(&format!("/api/v1{list}?pageSize=3"))
            .key(VIEWER)
            .await_ok()
            .await
            .json();
        let rows = rows["items"].as_array().unwrap();
        assert!(!rows.is_empty(), "the sample has something in {list}");
        for row in rows {
            let (namespace, name) = (row["namespace"].as_str().unwrap(), row["name"].as_str().unwrap());
            let hits = found(&console, &format!("q={name}&limit=50")).await;
            let href = format!("{page}/{namespace}/{name}{suffix}");
            let hit = hits
                .items
                .iter()
                .find(|hit| hit.href == href)
                .unwrap_or_else(|| panic!("{href}"));
            assert_eq!((hit.namespace.as_str(), hit.name.as_str()), (namespace, name));
            assert!(!hit.title.is_empty());
        }
    }
}

#[tokio::test]
async fn who_may_list_nothing_may_not_search() {
    let console = TestConsole::over_the_sample().await;
    console
        .get("/api/v1/search?q=checkout")
        .key(ODD)
        .answer()
        .await
        .assert_error(403, "forbidden");
    console
        .get("/api/v1/search?q=checkout")
        .key(VIEWER)
        .assert_not_modified()
        .await;
}
