//! Scenario 8: an image tag is gone from the registry; rolled back without anybody being asked.

use super::{
    clock::{Clock, Moment},
    incident::{Incident, Insight},
    plan::{Decision, action, step},
    post_mortem::Narrative,
    signal::{Signal, Target},
};
use serde_json::json;

pub(super) fn tell(clock: Clock) -> Incident {
    let mut incident = Incident::watched(
        clock,
        Moment::days_ago(1, "15:00"),
        Target::new("Deployment", "media", "thumbnailer"),
        &[
            Signal(
                "ImagePullBackOff",
                "tag 2.7.1-rc not found in the registry",
                "1 of 3 pods",
            ),
            Signal(
                "DeploymentFailing",
                "the roll-out makes no progress",
                "2 of 3 pods updated",
            ),
        ],
    );
    incident.at("0:02").analysing();
    incident.at("0:31").analysed(Insight {
        confidence: 0.97,
        runbook: "image-pull-rollback",
        analysis: "One pod was moved to a node that does not have image `thumbnailer:2.7.1-rc`, and the registry does \
                   not have it any more either: its clean-up job removes tags that end in `-rc` after seven days, and \
                   it ran an hour ago. The other two pods run from the copy on their nodes and would fail in the same \
                   way when they move.\n\n\
                   The image of the earlier revision, 2.7.0, is in the registry and still on all nodes. Rolling back \
                   takes seconds. The release candidate differs from it by one log line.",
        recommendations: &[
            "Build 2.7.1 properly and deploy that.",
            "Refuse tags that match the clean-up rule at admission.",
        ],
        suggestions: vec![step(
            "Roll back",
            "RollbackDeployment",
            [("toRevision", "healthy")],
            "Revision 31, image 2.7.0, present on all nodes",
        )],
        logs: "kubelet: `manifest for registry.media.example/thumbnailer:2.7.1-rc not found: manifest unknown`.",
        metrics: "Ready pods 2 of 3. Thumbnail queue 40, usual 5.",
        gitops: "Deployed by hand eight days ago; the application is OutOfSync since.",
        blast_radius: "3 pods, 1 service. Thumbnails are made asynchronously: nobody waits.",
        ..Insight::default()
    });
    incident
        .at("0:37")
        .planned(
            "image-pull-rollback",
            3,
            vec![action("RollbackDeployment", [("toRevision", "healthy")])],
        )
        .weighed(Decision {
            mode: "auto-notify",
            confidence: 1.00,
            risk: "medium",
            reason: "0.97 from the analysis, +0.10 history (9 of 10), clamped to 1.00: runs, and people are told",
        });
    incident.executing(json!({
        "replicas": 3,
        "containerImages": {"thumbnailer": "registry.media.example/thumbnailer:2.7.1-rc"},
        "containerResources": {"thumbnailer": {"cpuRequest": "500m", "cpuLimit": "1", "memoryRequest": "256Mi",
                "memoryLimit": "512Mi"}},
    }));
    incident
        .at("0:55")
        .acted("rolled back to revision 31, image thumbnailer:2.7.0")
        .verifying();
    incident
        .at("1:50")
        .completed("3 of 3 pods ready on thumbnailer:2.7.0, queue empty");
    incident
        .at("1:52")
        .resolved("Rolled back to image 2.7.0; all 3 pods are ready, without a person");
    incident.post_mortem(Narrative {
        summary: "A thumbnailer pod could not start on its new node because the registry had cleaned up the tag it \
                  runs. The machine rolled back to the last healthy revision in under two minutes and told the team \
                  afterwards.",
        root_cause: "A release candidate was deployed by hand to production. Its tag matches the registry's clean-up \
                     rule (`-rc`, seven days), so the image vanished while it was in use.",
        impact: "One of three pods down for 1 min 52 s; 40 thumbnails were made late. No visible effect.",
        lessons: &[
            "Never deploy a tag that the clean-up rule \
                    matches.",
            "Images on the nodes hid the problem until a pod moved.",
        ],
        prevention: &[
            "Refuse `-rc` tags at admission in production \
                       namespaces.",
            "Let the clean-up job spare images that are in use.",
        ],
        duration: "1m52s",
        metrics: &[
            ("ready pods", "2/3", "during", "0:00"),
            ("ready pods", "3/3", "after", "1:50"),
            ("thumbnail queue", "40", "during", "0:00"),
            ("thumbnail queue", "0", "after", "1:50"),
        ],
        trending: Some((3, "Images that the clean-up removed while they were in use")),
        gitops: "OutOfSync for eight days: the tag was set by hand.",
        ..Narrative::default()
    });
    incident
}
