//! The source repositories that analyses look into.

use super::{
    clock::{Clock, Moment, NOW},
    draft::Draft,
};
use serde_json::{Value, json};

/// Commit, message, author, when, files.
type Commit<'a> = (&'a str, &'a str, &'a str, Moment, &'a [&'a str]);

fn commit(clock: Clock, (sha, message, author, at, files): Commit<'_>) -> Value {
    json!({"sha": sha, "message": message, "author": author, "timestamp": clock.text(at), "filesChanged": files})
}

fn repository(clock: Clock, namespace: &str, name: &str, workload: &str, language: &str) -> Draft {
    Draft::new(
        "SourceRepository",
        namespace,
        name,
        clock.text(Moment::days_ago(88, "12:00")),
    )
    .spec(json!({
        "url": format!("ssh://git@code.example/{namespace}/{workload}.git"), "branch": "main", "authType": "ssh",
        "secretRef": format!("{workload}-deploy-key"), "sshHostKeyPolicy": "strict",
        "resource": {"kind": "Deployment", "name": workload, "namespace": namespace}, "language": language,
        "syncIntervalMinutes": 30,
    }))
}

fn read(clock: Clock, workload: &str, language: &str, entry: &str, commits: &[Commit<'_>]) -> Value {
    let commits: Vec<_> = commits.iter().map(|of| commit(clock, *of)).collect();
    json!({
        "ready": true, "lastSyncedAt": clock.text(NOW.plus("-11:00")), "headCommit": commits.first(),
        "recentCommits": commits,
        "localPath": format!("/var/lib/chatcli/src/{workload}"), "detectedLanguages": [language],
        "entrypointFiles": [entry],
        "configFiles": ["deploy/values.yaml"],
    })
}

pub(super) fn all(clock: Clock) -> Vec<Draft> {
    let incident = Moment::today("8:50");
    let release = Moment::today("11:46").plus("-40:00");
    let checkout: [Commit<'_>; 4] = [
        (
            "e80b31f",
            "api: log the size of the pricing cache",
            "Lena Hoffmann",
            incident.plus("-19:05:00"),
            &["pricing/cache.go"],
        ),
        (
            "5f2d9a8",
            "cart: round prices once, at the end",
            "Milan Novak",
            incident.plus("-31:40:00"),
            &["cart/price.go", "cart/price_test.go"],
        ),
        (
            "9c41e7a",
            "pricing: double the cache for the autumn campaign",
            "Lena Hoffmann",
            incident.plus("-47:20:00"),
            &["pricing/cache.go", "deploy/values.yaml"],
        ),
        (
            "c3b0e66",
            "deps: update the payment client",
            "renovate",
            incident.plus("-72:00:00"),
            &["go.mod", "go.sum"],
        ),
    ];
    let storefront: [Commit<'_>; 3] = [
        (
            "41d0aa6",
            "release 4.12.0: feature flags",
            "release-bot",
            release,
            &["flags/client.ts", "server/ready.ts", "package.json"],
        ),
        (
            "0be7f15",
            "flags: read the bundle at start",
            "Aylin Demir",
            release.plus("-3:10:00"),
            &["flags/client.ts"],
        ),
        (
            "77aa2d0",
            "header: one line on phones",
            "Jonas Weber",
            release.plus("-26:30:00"),
            &["components/header.tsx"],
        ),
    ];
    vec![
        repository(clock, "shop", "checkout-src", "checkout-api", "go").status(read(
            clock,
            "checkout-api",
            "go",
            "cmd/api/main.go",
            &checkout,
        )),
        repository(clock, "shop", "storefront-src", "storefront-web", "typescript").status(read(
            clock,
            "storefront-web",
            "typescript",
            "server/index.ts",
            &storefront,
        )),
        repository(clock, "media", "thumbnailer-src", "thumbnailer", "rust").status(json!({
            "ready": false, "lastSyncedAt": clock.text(NOW.plus("-48:00:00")),
            "error": "clone failed: credentials refused by code.example",
        })),
    ]
}
