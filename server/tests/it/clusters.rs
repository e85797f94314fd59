//! Clusters one by one and together, and what the federation has in common.

use crate::console::{ODD, TestConsole, VIEWER};
use http::Method;
use serde_json::{Value, json};

fn cluster(name: &str, namespace: &str, tier: &str, status: Value) -> Value {
    json!({
        "apiVersion": "platform.chatcli.io/v1alpha1", "kind": "ClusterRegistration",
        "metadata": {"name": name, "namespace": namespace, "creationTimestamp": "2026-09-23T12:00:00Z"},
        "spec": {"displayName": name.to_uppercase(), "kubeconfigSecretRef": {"name": "k"}, "environment": "prod", "tier": tier},
        "status": status,
    })
}

fn degraded(status: &str) -> Value {
    json!([{"type": "Degraded", "status": status, "reason": "Because", "message": "", "lastTransitionTime": "2026-09-23T12:00:00Z"}])
}

fn issue(name: &str, state: &str, annotations: Value) -> Value {
    json!({
        "apiVersion": "platform.chatcli.io/v1alpha1", "kind": "Issue",
        "metadata": {"name": name, "namespace": "shop", "creationTimestamp": "2026-09-23T12:00:00Z", "annotations": annotations},
        "spec": {"severity": "critical", "source": "watcher", "description": "d", "signalType": "latency",
                 "resource": {"kind": "Node", "name": "a", "namespace": ""}},
        "status": {"state": state},
    })
}

async fn console() -> TestConsole {
    TestConsole::over(vec![
        cluster("east", "shop", "critical", json!({"connected": true, "nodeCount": 3, "lastHealthCheck": "2026-09-23T14:00:00.5+02:00", "conditions": degraded("False")})),
        cluster("west", "shop", "standard", json!({"connected": true, "conditions": degraded("True")})),
        cluster("lab", "edge", "non-critical", json!({"connected": false, "conditions": degraded("True")})),
        issue("first", "Analyzing", json!({"platform.chatcli.io/cross-cluster-correlation": "x-1", "platform.chatcli.io/affected-clusters": "3", "platform.chatcli.io/elevated-severity": "true"})),
        issue("second", "", json!({"platform.chatcli.io/correlation-id": "x-1"})),
        issue("over", "Resolved", json!({})),
        issue("lost", "Failed", json!({})),
    ])
    .await
}

#[tokio::test]
async fn healthy_degraded_and_offline_are_all_there_are() {
    let console = console().await;
    for target in [
        "/api/v1/clusters/global-status",
        "/api/v1/clusters/global-status?namespace=edge",
    ] {
        let status = console.get(target).key(VIEWER).await_ok().await.json();
        assert_eq!(
            (&status["kind"], status.get("status")),
            (&json!("GlobalClusterStatus"), None)
        );
        let spec = &status["spec"];
        assert_eq!(
            (
                &spec["totalClusters"],
                &spec["healthyClusters"],
                &spec["degradedClusters"],
                &spec["offlineClusters"]
            ),
            (&json!(3), &json!(1), &json!(1), &json!(1))
        );
        let listed = console.get("/api/v1/clusters").key(VIEWER).await_ok().await.json();
        assert_eq!(spec["clusters"], listed["items"]);
    }
    let none = TestConsole::over(Vec::new()).await;
    let status = none
        .get("/api/v1/clusters/global-status")
        .key(VIEWER)
        .await_ok()
        .await
        .json();
    assert_eq!(status["spec"]["clusters"], json!([]));
}

#[tokio::test]
async fn a_cluster_tells_how_it_was_found() {
    let console = console().await;
    let east = console.get("/api/v1/clusters/east").key(VIEWER).await_ok().await.json();
    let item = json!({
        "name": "east", "namespace": "shop", "displayName": "EAST", "environment": "prod", "tier": "critical", "connected": true, "degraded": false,
        "nodeCount": 3, "lastHealthCheck": "2026-09-23T14:00:00.5+02:00", "creationTimestamp": "2026-09-23T12:00:00Z",
    });
    assert_eq!(
        (&east["kind"], &east["spec"], &east["status"]),
        (&json!("ClusterRegistration"), &item, &item)
    );
    assert_eq!(console.total("/api/v1/clusters?namespace=edge").await, 1);
    assert_eq!(
        console.total("/api/v1/clusters?tier=critical").await,
        3,
        "only the federation is filtered by tier"
    );
    let table = console.get("/api/v1/clusters?format=csv").key(VIEWER).await_ok().await;
    assert!(
        table.text.contains(",2026-09-23T12:00:00Z,"),
        "the last look is in UTC: {}",
        table.text
    );
    let told = console
        .get("/api/v1/clusters/x")
        .key(VIEWER)
        .answer()
        .await
        .assert_error(404, "not_found");
    assert!(told.starts_with("cluster not found: "), "{told}");
}

#[tokio::test]
async fn the_federation_counts_degraded_clusters_as_connected() {
    let console = console().await;
    for target in [
        "/api/v1/federation",
        "/api/v1/federation/status",
        "/api/v1/federation/status/x/y",
    ] {
        let status = console.get(target).key(VIEWER).await_ok().await.json();
        assert_eq!(
            status,
            json!({"apiVersion": "v1", "kind": "FederationStatus", "spec": {
                "totalClusters": 3, "connectedClusters": 2, "degradedClusters": 1, "disconnectedClusters": 1, "totalActiveIssues": 2,
            }})
        );
    }
}

#[tokio::test]
async fn the_federations_clusters_are_on_one_page() {
    let console = console().await;
    for (query, names) in [
        ("?pageSize=1&namespace=edge", &["lab", "east", "west"][..]),
        ("?tier=critical", &["east"]),
        ("?tier=odd", &[]),
        ("/surplus?tier=standard", &["west"]),
    ] {
        let list = console
            .get(&format!("/api/v1/federation/clusters{query}"))
            .key(VIEWER)
            .await_ok()
            .await
            .json();
        let found: Vec<_> = list["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["name"].as_str().unwrap())
            .collect();
        assert_eq!(found, names, "{query}");
        assert_eq!(list["kind"], "ClusterRegistrationList");
        assert_eq!(
            list["metadata"],
            json!({"totalCount": names.len(), "page": 1, "pageSize": names.len()})
        );
    }
}

#[tokio::test]
async fn one_trouble_of_several_clusters_is_one_line() {
    let console = console().await;
    let list = console
        .get("/api/v1/federation/correlations")
        .key(VIEWER)
        .await_ok()
        .await
        .json();
    assert_eq!(
        list,
        json!({
            "apiVersion": "v1", "kind": "FederationCorrelations", "metadata": {"totalCount": 1, "page": 1, "pageSize": 1},
            "items": [{
                "correlationId": "x-1", "issue": "first", "namespace": "shop", "severity": "critical", "signalType": "latency",
                "correlatedClusters": "3", "elevated": true, "cascade": false,
            }],
        })
    );
}

/// Resources that are only read: the role first, then the method, then what is below them.
#[tokio::test]
async fn what_is_only_read_says_so_before_it_says_what_is_unknown() {
    let console = console().await;
    for (path, told) in [
        ("/api/v1/clusters/a/b", "unknown clusters endpoint"),
        ("/api/v1/federation/bogus/x", "unknown federation endpoint: bogus"),
        ("/api/v1/audit/x", "unknown audit endpoint"),
        ("/api/v1/audit/export/x", "unknown audit endpoint"),
        ("/api/v1/policies/sla/a/b", "unknown policies endpoint"),
    ] {
        console.get(path).answer().await.assert_error(401, "unauthorized");
        console.get(path).key(ODD).answer().await.assert_error(403, "forbidden");
        assert_eq!(
            console
                .get(path)
                .key(VIEWER)
                .answer()
                .await
                .assert_error(404, "not_found"),
            told
        );
        let refused = console.ask(Method::POST, path).key(VIEWER).answer().await;
        let resource = path.split('/').nth(3).unwrap();
        assert_eq!(
            refused.assert_error(405, "method_not_allowed"),
            format!("{resource} endpoints only support GET")
        );
        assert_eq!(refused.header("allow"), Some("GET, HEAD"));
        console
            .ask(Method::POST, path)
            .key(ODD)
            .answer()
            .await
            .assert_error(403, "forbidden");
    }
}
