//! Scenario 3: a certificate runs out; the first renewal is turned down by a person who looks closely.

use super::{
    audit::Actor,
    clock::{Clock, Moment},
    gate::Gate,
    incident::{Incident, Insight, Report},
    plan::{action, step},
    post_mortem::Narrative,
    signal::Target,
};
use serde_json::{Value, json};

const GATE: Gate<'_> = Gate {
    policy: "edge-secrets",
    rule: "secrets-manual",
    mode: "manual",
    required: 1,
    minutes: 240,
    pods: 4,
    services: 2,
    reach: "RotateSecret edge-wildcard-tls and restart of Deployment edge/edge-proxy: 4 pods behind 2 services (edge, \
            edge-internal), one at a time",
    history: (0.83, 6),
};

fn rotation() -> Vec<Value> {
    vec![
        action(
            "RotateSecret",
            [
                ("secret", "edge-wildcard-tls"),
                ("sourceSecret", "edge-wildcard-tls-renewed"),
            ],
        ),
        action("RestartDeployment", []),
    ]
}

pub(super) fn tell(clock: Clock) -> Incident {
    let mut incident = Incident::reported(
        clock,
        Moment::days_ago(1, "9:00"),
        Target::new("Deployment", "edge", "edge-proxy"),
        Report {
            source: "webhook",
            signal: "certificate_expiring",
            severity: "high",
            risk: 60,
            headline: "Wildcard certificate *.shop.example ends in 19 hours; renewal waits on a DNS check",
        },
    );
    incident.issue = incident.issue.label("inc-id", "");
    incident.at("0:00").analysing();
    incident.at("0:35").analysed(Insight {
        confidence: 0.90,
        runbook: "tls-secret-rotate",
        analysis: "The certificate that edge-proxy serves for *.shop.example ends in 19 hours. Its renewal has in fact \
                   succeeded: Secret `edge-wildcard-tls-renewed` holds a certificate that is valid for 90 days. The \
                   monitor still reports the DNS check because the order object was never closed.\n\n\
                   What is missing is the hand-over. The proxy mounts `edge-wildcard-tls`, which nobody writes any \
                   more since the certificate controller was given a new Secret name. Copying the renewed pair over \
                   and restarting the proxy pod by pod is enough.",
        recommendations: &[
            "Point the certificate controller at the Secret that the proxy mounts, so that the next renewal needs no \
             copy.",
            "Let the monitor look at what is served, not at what was ordered.",
        ],
        suggestions: vec![
            step(
                "Copy the renewed certificate",
                "RotateSecret",
                [
                    ("secret", "edge-wildcard-tls"),
                    ("sourceSecret", "edge-wildcard-tls-renewed"),
                ],
                "Replaces certificate and key of the mounted Secret",
            ),
            step(
                "Restart the proxy",
                "RestartDeployment",
                [],
                "The proxy reads its certificates at start only",
            ),
        ],
        logs: "edge-proxy: `tls: certificate for *.shop.example: 19h04m left`, once an hour for three days.",
        gitops: "Secret names changed in the certificate controller's chart six weeks ago; edge-proxy's chart was not \
                 changed with it.",
        blast_radius: "4 pods restart one by one; open connections are drained for 30 seconds each.",
        ..Insight::default()
    });
    incident
        .at("0:40")
        .planned("tls-secret-rotate", 3, rotation())
        .parked(GATE);
    incident
        .at("18:00")
        .rejects(
            "tariq",
            "renewed certificate misses the API host name: api.eu.shop.example is not among its names",
        )
        .rejected()
        .failed("Approval rejected by tariq (api-key: edge-tariq): renewed certificate misses the API host name");
    incident.at("18:10").reanalysing(
        "Plan 1 was rejected by a person: the renewed certificate does not cover api.eu.shop.example. Rotating it \
         would break every API client.",
    );
    incident.at("18:50").analysed(Insight {
        confidence: 0.90,
        runbook: "tls-secret-rotate",
        analysis: "The rejection is right: the renewed certificate lists *.shop.example and shop.example, and the API \
                   is served as api.eu.shop.example, which a wildcard of one level does not cover. The old certificate \
                   names it explicitly.\n\n\
                   The order has been placed again with all three names and is waiting for its DNS check; about 18 \
                   hours are left, and issuing takes one to two. The same two actions are right once \
                   `edge-wildcard-tls-renewed` holds the new certificate: compare its names with those that are served \
                   today before approving.",
        recommendations: &[
            "Approve only after the names in edge-wildcard-tls-renewed equal those of the certificate in use.",
            "Check host names automatically before a Secret is written.",
        ],
        suggestions: vec![
            step(
                "Copy the certificate that was issued again",
                "RotateSecret",
                [
                    ("secret", "edge-wildcard-tls"),
                    ("sourceSecret", "edge-wildcard-tls-renewed"),
                ],
                "Three names: *.shop.example, shop.example, api.eu.shop.example",
            ),
            step(
                "Restart the proxy",
                "RestartDeployment",
                [],
                "The proxy reads its certificates at start only",
            ),
        ],
        logs: "Certificate order: `dns-01 challenge for api.eu.shop.example: waiting for propagation (2 of 4 \
               resolvers)`.",
        blast_radius: "4 pods restart one by one; open connections are drained for 30 seconds each.",
        ..Insight::default()
    });
    incident
        .at("19:00")
        .planned("tls-secret-rotate", 3, rotation())
        .parked(GATE);
    incident
        .at("2:38:00")
        .approves("tariq", "compared the names: all three are there, valid for 90 days")
        .approved()
        .executing(json!({"replicas": 4, "containerImages": {"proxy": "registry.shop.example/edge-proxy:1.29.4"}}));
    incident
        .at("2:38:20")
        .acted("Secret edge-wildcard-tls replaced from edge-wildcard-tls-renewed");
    incident
        .at("2:39:10")
        .acted("Deployment edge/edge-proxy restarted, 4 of 4 pods")
        .verifying();
    incident
        .at("2:40:00")
        .completed("All 4 pods serve the new certificate: 89 days left, three names");
    incident.issue.annotate("sla-violated", "resolution");
    incident.issue.annotate("sla-violations-closed", "true");
    incident.resolved(
        "The certificate that was issued again is served by all 4 pods; it names the API host and is valid for 89 days",
    );
    incident.record(
        "sla_breach",
        Actor::Sla,
        json!({"type": "resolution", "elapsed": "2h40m", "threshold": "2h"}),
    );
    incident.post_mortem(Narrative {
        summary: "The shop's wildcard certificate came within 19 hours of its end because a renewed one sat in a \
                  Secret that nothing mounted. The first attempt to rotate it would have dropped the API host name; \
                  the person asked for approval saw that and refused. The second attempt put the right certificate in \
                  place.",
        root_cause: "The certificate controller writes to `edge-wildcard-tls-renewed` since its chart was updated; \
                     edge-proxy still mounts `edge-wildcard-tls`. Nobody noticed for six weeks because the old \
                     certificate was valid.",
        impact: "No customer impact. 2 h 40 min of an engineer's attention, 40 minutes more than the objective allows.",
        lessons: &[
            "An approval is a review: the rejection saved the API, the analysis had not compared the names.",
            "A monitor that watches the order instead of the served certificate gave a wrong reason for 18 minutes.",
        ],
        prevention: &[
            "Check host names before the Secret is written: the rotation runbook compares old and new names and stops \
             on a difference.",
            "Let the certificate controller write the Secret that is mounted.",
            "Alert on the served certificate at 14 days.",
        ],
        duration: "2h40m0s",
        metrics: &[
            ("days left, served certificate", "0.8", "before", "0:00"),
            ("days left, served certificate", "0.7", "during", "2:30:00"),
            ("days left, served certificate", "89.9", "after", "2:40:00"),
            ("failed TLS handshakes a minute", "3", "before", "0:00"),
            ("failed TLS handshakes a minute", "3", "after", "2:40:00"),
        ],
        sli_impact: "None: the old certificate stayed valid throughout.",
        gitops: "cert-controller chart 0.9 → 0.10 renamed the target Secret; values of edge-proxy were not changed \
                 with it.",
        ..Narrative::default()
    });
    incident.at("4:05:00").reviewed(
        "tariq",
        "Keep the host-name check as an action of its own; I will write the runbook step.",
    );
    incident
}
