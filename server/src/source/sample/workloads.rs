//! The Deployments that the stories are about, as they are once the stories are told.

use super::{
    clock::{Clock, Moment},
    draft::Draft,
};
use serde_json::json;

struct Workload<'a> {
    namespace: &'a str,
    name: &'a str,
    container: &'a str,
    image: &'a str,
    revision: i32,
    /// Wanted, ready.
    replicas: [i32; 2],
    /// CPU request and limit, memory request and limit.
    resources: [&'a str; 4],
}

pub(super) fn all(clock: Clock) -> Vec<Draft> {
    let write = |namespace, name, container, image, revision, replicas, resources| {
        Workload {
            namespace,
            name,
            container,
            image,
            revision,
            replicas,
            resources,
        }
        .draft(clock)
    };
    vec![
        // The limit that scenario 1 raised.
        write(
            "shop",
            "checkout-api",
            "api",
            "registry.shop.example/checkout-api:3.41.2",
            74,
            [6, 6],
            ["250m", "1", "512Mi", "768Mi"],
        ),
        // Stuck at the revision that waits to be rolled back.
        write(
            "shop",
            "storefront-web",
            "web",
            "registry.shop.example/storefront-web:4.12.0",
            48,
            [9, 6],
            ["400m", "1", "512Mi", "1Gi"],
        ),
        // On its way to the new ceiling.
        write(
            "shop",
            "search-api",
            "search",
            "registry.shop.example/search-api:7.3.5",
            112,
            [24, 22],
            ["1", "2", "1Gi", "2Gi"],
        ),
        write(
            "shop",
            "recommend-api",
            "recommend",
            "registry.shop.example/recommend-api:1.30.0",
            40,
            [3, 3],
            ["1", "2", "4Gi", "5Gi"],
        ),
        write(
            "edge",
            "edge-proxy",
            "proxy",
            "registry.shop.example/edge-proxy:1.29.4",
            63,
            [4, 4],
            ["500m", "2", "256Mi", "512Mi"],
        ),
        // Contained.
        write(
            "payments",
            "payout-worker",
            "worker",
            "registry.pay.example/payout-worker:5.8.0",
            29,
            [0, 0],
            ["500m", "1", "512Mi", "1Gi"],
        ),
        // Rolled back.
        write(
            "media",
            "thumbnailer",
            "thumbnailer",
            "registry.media.example/thumbnailer:2.7.0",
            33,
            [3, 3],
            ["500m", "1", "256Mi", "512Mi"],
        ),
        write(
            "media",
            "subtitle-sync",
            "sync",
            "registry.media.example/subtitle-sync:1.12.3",
            18,
            [2, 2],
            ["100m", "500m", "128Mi", "256Mi"],
        ),
        write(
            "staging",
            "cart-service",
            "cart",
            "registry.shop.example/cart-service:2.19.0-staging.4",
            51,
            [5, 5],
            ["100m", "500m", "128Mi", "256Mi"],
        ),
        write(
            "staging",
            "search-api",
            "search",
            "registry.shop.example/search-api:7.4.0-staging.1",
            87,
            [4, 4],
            ["250m", "1", "512Mi", "1Gi"],
        ),
        write(
            "staging",
            "edge-proxy",
            "proxy",
            "registry.shop.example/edge-proxy:1.30.0-staging.2",
            38,
            [2, 2],
            ["250m", "1", "128Mi", "256Mi"],
        ),
        write(
            "staging",
            "legacy-bridge",
            "bridge",
            "registry.shop.example/legacy-bridge:0.4.1",
            9,
            [1, 1],
            ["50m", "200m", "64Mi", "128Mi"],
        ),
    ]
}

// === impl Workload ===

impl Workload<'_> {
    fn draft(self, clock: Clock) -> Draft {
        let labels = json!({"app.kubernetes.io/name": self.name});
        let [wanted, ready] = self.replicas;
        let [cpu_request, cpu_limit, memory_request, memory_limit] = self.resources;
        Draft::new(
            "Deployment",
            self.namespace,
            self.name,
            clock.text(Moment::days_ago(200, "9:00")),
        )
        .label("app.kubernetes.io/name", self.name)
        .annotation("deployment.kubernetes.io/revision", &self.revision.to_string())
        .spec(json!({
            "replicas": wanted,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{
                    "name": self.container,
                    "image": self.image,
                    "resources": {
                        "requests": {"cpu": cpu_request, "memory": memory_request},
                        "limits": {"cpu": cpu_limit, "memory": memory_limit},
                    },
                }]},
            },
        }))
        .status(json!({
            "observedGeneration": 1, "replicas": wanted, "updatedReplicas": wanted, "readyReplicas": ready,
            "availableReplicas": ready,
        }))
    }
}
