//! The five registered clusters.

use super::{
    clock::{Clock, Moment, NOW},
    draft::{Draft, condition},
};
use serde_json::json;

struct Cluster<'a> {
    name: &'a str,
    shown: &'a str,
    /// Environment, tier, region.
    place: [&'a str; 3],
    version: &'a str,
    /// Nodes, namespaces, open incidents, running remediations.
    size: [i32; 4],
    /// Nodes that are not ready.
    degraded: Option<&'a str>,
}

pub(super) fn all(clock: Clock) -> Vec<Draft> {
    let write = |name, shown, place, version, size, degraded| {
        Cluster {
            name,
            shown,
            place,
            version,
            size,
            degraded,
        }
        .draft(clock)
    };
    let mut lab = write(
        "lab-edge",
        "Lab",
        ["dev", "non-critical", ""],
        "v1.33.6",
        [3, 8, 0, 0],
        None,
    );
    let lost = clock.text(Moment::today("9:14"));
    lab.report(json!({
        "connected": false,
        "lastHealthCheck": clock.text(NOW.plus("-0:19")),
        "conditions": [
            condition("Connected", "False", "NodeListFailed",
                "Get \"https://lab-edge.example:6443/api/v1/nodes\": context deadline exceeded", &lost),
            condition("Degraded", "Unknown", "Disconnected", "Unknown while the cluster cannot be reached", &lost),
        ],
    }));
    vec![
        write(
            "prod-eu-central",
            "Prod EU (here)",
            ["prod", "critical", "eu-central-1"],
            "v1.34.2",
            [14, 38, 7, 3],
            Some("worker-eu-07"),
        ),
        write(
            "prod-us-east",
            "Prod US",
            ["prod", "critical", "us-east-1"],
            "v1.34.2",
            [12, 34, 1, 0],
            None,
        ),
        write(
            "prod-ap-south",
            "Prod Asia",
            ["prod", "standard", "ap-south-1"],
            "v1.34.1",
            [9, 27, 0, 0],
            None,
        ),
        write(
            "staging-eu",
            "Staging EU",
            ["staging", "standard", "eu-central-1"],
            "v1.34.2",
            [5, 19, 2, 1],
            None,
        ),
        lab,
    ]
}

// === impl Cluster ===

impl Cluster<'_> {
    fn draft(self, clock: Clock) -> Draft {
        let [environment, tier, region] = self.place;
        let [nodes, namespaces, issues, remediations] = self.size;
        let joined = Moment::days_ago(110, "7:30");
        let health = match self.degraded {
            Some(node) => {
                let message = format!("1 of {nodes} nodes is not ready: {node}");
                condition(
                    "Degraded",
                    "True",
                    "NodesNotReady",
                    &message,
                    &clock.text(Moment::today("11:10")),
                )
            }
            None => condition(
                "Degraded",
                "False",
                "AllNodesReady",
                &format!("All {nodes} nodes are ready"),
                &clock.text(joined.plus("0:31")),
            ),
        };
        Draft::new("ClusterRegistration", "chatcli-system", self.name, clock.text(joined))
            .label("environment", environment)
            .spec(json!({
                "displayName": self.shown, "kubeconfigSecretRef": {"name": format!("kubeconfig-{}", self.name)},
                "region": region,
                "environment": environment, "tier": tier, "healthCheckInterval": "30s", "maxConcurrentRemediations": 3,
                "capabilities": ["remediation", "chaos"],
            }))
            .status(json!({
                "connected": true, "lastHealthCheck": clock.text(NOW.plus("-0:12")), "kubernetesVersion": self.version,
                "nodeCount": nodes,
                "namespaceCount": namespaces, "activeIssues": issues, "activeRemediations": remediations,
                "conditions": [
                    condition("Connected", "True", "HealthCheckPassed", "Nodes and namespaces were listed",
                        &clock.text(joined.plus("0:31"))),
                    health,
                ],
            }))
    }
}
