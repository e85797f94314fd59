//! Scenario 2: a release that cannot start waits for a second person to roll it back. Still open.

use super::{
    clock::{Clock, Moment},
    gate::Gate,
    incident::{Incident, Insight},
    plan::{action, step},
    signal::{Signal, Target},
};

pub(super) fn tell(clock: Clock) -> Incident {
    let mut incident = Incident::watched(
        clock,
        Moment::today("11:46"),
        Target::new("Deployment", "shop", "storefront-web"),
        &[
            Signal(
                "DeploymentFailing",
                "revision 48 makes no progress",
                "3 of 9 pods updated",
            ),
            Signal(
                "HighErrorRate",
                "new pods answer HTTP 500 on /healthz/ready",
                "100 % of readiness probes",
            ),
            Signal(
                "PodNotReady",
                "pods of the new revision do not become ready",
                "3 of 9 pods",
            ),
        ],
    );
    incident.at("0:02").analysing();
    incident.at("0:58").analysed(Insight {
        confidence: 0.94,
        analysis: "Revision 48 (release 4.12.0) asks a feature-flag endpoint for its settings while it starts. \
                   `FLAGS_URL` is not set in this environment, the client falls back to `http://flags.internal`, and \
                   that name does not resolve. The readiness check counts the missing flags as a failure and answers \
                   500, so the roll-out stands still at 3 of 9 pods.\n\n\
                   The six pods of revision 47 serve normally and carry all traffic at 71 % CPU. That is enough now \
                   and will be tight in the evening peak. Nothing was migrated: 4.12.0 touches no schema, so going \
                   back is safe. The quickest way to a healthy state is to roll back to revision 47 and to repeat the \
                   release once `FLAGS_URL` is part of the chart's values for this environment.",
        recommendations: &[
            "Roll back to the last healthy revision now; the old pods are the only ones that serve.",
            "Add FLAGS_URL to the values of this environment, then release 4.12.0 again.",
            "Make the flag client start with its defaults when the service cannot be reached, and report that as \
             degraded, not as unready.",
        ],
        suggestions: vec![
            step(
                "Roll back the release",
                "RollbackDeployment",
                [("toRevision", "healthy")],
                "Returns to revision 47, the last one whose pods all became ready",
            ),
            step(
                "Add the missing setting",
                "PatchConfig",
                [
                    ("configmap", "storefront-web-env"),
                    ("FLAGS_URL", "http://flags.shop.svc:8080"),
                ],
                "For the next release; changes nothing for the running pods",
            ),
        ],
        logs: "214 identical start-up errors in the new pods, none in the old ones: `flags: GET \
               http://flags.internal/v1/bundle: lookup flags.internal: no such host (attempt 3 of 3)`, followed by \
               `ready=false reason=flags_unavailable`.",
        metrics: "Ready pods 6 of 9 (revision 47: 6, revision 48: 0). Requests per second 1 840, all served by \
                  revision 47. Error rate at the edge 0.9 % while the new pods were briefly in rotation, 0.2 % since.",
        source_code: "41d0aa6 introduces `flags/client.ts` and makes `ready()` wait for the first bundle. Forty \
                      minutes old, by the release job.",
        gitops: "Application shop/storefront-web synced to 41d0aa6 and is Progressing. Values for this environment \
                 were last changed nine days ago: `FLAGS_URL` is only in the values of staging.",
        cascade: "storefront-web → edge-proxy (retries) → checkout-api (fewer carts reach it). No other service is \
                  unhealthy.",
        blast_radius: "9 pods, 3 services (storefront, storefront-assets, storefront-preview). The roll-back replaces \
                       the 3 new pods; the 6 old ones keep serving and are not restarted.",
        ..Insight::default()
    });
    incident.at("1:05").planned(
        super::runbooks::ROLL_BACK,
        3,
        vec![action("RollbackDeployment", [("toRevision", "healthy")])],
    );
    incident.parked(Gate {
        policy: "shop-changes",
        rule: "rollback-quorum",
        mode: "quorum",
        required: 2,
        minutes: 30,
        pods: 9,
        services: 3,
        reach: "RollbackDeployment on Deployment shop/storefront-web: 9 pods behind 3 services (storefront, \
                storefront-assets, storefront-preview); 3 pods are replaced, 6 keep serving",
        history: (0.90, 10),
    });
    incident.at("7:20").approves("mira", "old pods are fine, roll back");
    incident
}
