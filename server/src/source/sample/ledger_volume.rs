//! Scenario 4: a full volume at night; the approval is given at once and takes effect when the change window opens.

use super::{
    clock::{Clock, Moment},
    gate::Gate,
    incident::{Incident, Insight},
    plan::{action, step},
    post_mortem::Narrative,
    signal::{Signal, Target},
};
use serde_json::json;

pub(super) fn tell(clock: Clock) -> Incident {
    let mut incident = Incident::watched(
        clock,
        Moment::today("3:30"),
        Target::new("StatefulSet", "payments", "ledger-db"),
        &[
            Signal(
                "CrashLoopBackOff",
                "ledger-db-0 cannot write its journal",
                "volume data-ledger-db-0 100 % of 40Gi",
            ),
            Signal("HighErrorRate", "writes to the ledger fail", "100 % of commits"),
            Signal("PodNotReady", "the primary is not ready", "1 of 3 pods"),
        ],
    );
    incident.at("0:02").analysing();
    incident.at("0:50").analysed(Insight {
        confidence: 0.92,
        runbook: "pvc-grow",
        analysis: "The primary `ledger-db-0` stops while it opens its journal: there is no space left on \
                   `data-ledger-db-0`, 40Gi, all used. Archiving of old journal segments was paused thirteen days ago \
                   for the audit export and not resumed; since then the volume has grown by 3.1Gi a day instead of \
                   staying level.\n\n\
                   The storage class `ssd-retain` allows a volume to grow while it is mounted. Doubling it to 80Gi \
                   gives back room at once and, with archiving still paused, lasts thirteen days. The pod must be \
                   started again afterwards: the database does not retry its journal by itself. Replicas 1 and 2 are \
                   healthy and serve reads.",
        recommendations: &[
            "Resume journal archiving as soon as the primary is back; the volume alone is only time.",
            "Alert when a data volume is 80 % full.",
            "Give paused archiving an end date.",
        ],
        suggestions: vec![
            step(
                "Grow the volume",
                "ResizePVC",
                [("pvc", "data-ledger-db-0"), ("size", "80Gi")],
                "Online; the storage \
                                                                                                   class allows it",
            ),
            step(
                "Start the primary again",
                "DeleteStatefulSetPod",
                [("pod", "ledger-db-0")],
                "The StatefulSet brings it back on the same volume",
            ),
        ],
        logs: "ledger-db-0, 7 starts: `PANIC: could not write to file \"journal/xlogtemp.41\": No space left on \
               device`. Growth of the volume: 3.1Gi a day since archiving was paused, 0.1Gi a day before.",
        metrics: "kubelet_volume_stats_available_bytes: 0. Failed commits 41 a second. Replication lag of replicas 1 \
                  and 2: 0 s.",
        cascade: "ledger-db-0 → ledger-api (writes queue) → payout-worker (idle). Reads are not affected.",
        blast_radius: "3 pods of one StatefulSet; only the primary restarts. No service is routed around it.",
        ..Insight::default()
    });
    incident.at("0:58").planned(
        "pvc-grow",
        3,
        vec![
            action("ResizePVC", [("pvc", "data-ledger-db-0"), ("size", "80Gi")]),
            action("DeleteStatefulSetPod", [("pod", "ledger-db-0")]),
        ],
    );
    incident.parked(Gate {
        policy: "payments-strict",
        rule: "storage-window",
        mode: "manual",
        required: 1,
        minutes: 60,
        pods: 3,
        services: 0,
        reach: "ResizePVC data-ledger-db-0 and restart of ledger-db-0: StatefulSet payments/ledger-db, 3 pods, of \
                which the primary restarts",
        history: (0.86, 7),
    });
    incident
        .at("22:00")
        .approves(
            "noor",
            "storage class checked, growing is online; go as soon as the window opens",
        )
        .in_window(
            false,
            "Approved by 1 of 1 required approvers; waits for the change window",
        );
    incident
        .at("30:35")
        .in_window(true, "Approved inside the change window")
        .approved();
    incident.at("30:45").executing(json!({
        "replicas": 3,
        "containerImages": {"postgres": "registry.pay.example/postgres:16.4-7"},
        "containerResources": {"postgres": {"cpuRequest": "2", "cpuLimit": "4", "memoryRequest": "8Gi",
                "memoryLimit": "8Gi"}},
        "updateStrategyType": "RollingUpdate",
        "partition": 0,
    }));
    incident
        .at("31:05")
        .acted("PVC data-ledger-db-0: 40Gi → 80Gi, file system grown online");
    incident
        .at("31:20")
        .acted("pod ledger-db-0 deleted; started again on the same volume")
        .verifying();
    incident
        .at("32:40")
        .completed("3 of 3 pods ready, primary accepts writes, volume 51 % used");
    incident
        .at("32:45")
        .resolved("Volume data-ledger-db-0 grown to 80Gi; the primary is back and the queued writes are applied");
    incident.post_mortem(Narrative {
        summary: "The ledger's primary stopped when its volume was full. The fix was ready within a minute and \
                  approved after 22, but storage changes of this namespace may only run in working hours, so it waited \
                  eight minutes more for the window.",
        root_cause: "Archiving of journal segments was paused by hand for the audit export and never resumed. The \
                     volume filled at 3.1Gi a day for thirteen days, and no alert watches its level.",
        impact: "No ledger writes for 32 min 45 s. 4 812 payouts were queued and booked afterwards; none was lost or \
                 doubled. Reads were served by the replicas throughout.",
        lessons: &[
            "A change window protects working hours; at night it makes an outage longer. Emergencies need a rule of \
             their own.",
            "Whatever is paused by hand needs an end date.",
        ],
        prevention: &[
            "Alert when a data volume is 80 % full: here that would have been eight days of warning.",
            "Resume archiving, and let the audit export read from a replica.",
            "Add an emergency rule to payments-strict: growing a volume by quorum at any hour.",
        ],
        duration: "32m45s",
        metrics: &[
            ("volume used", "97 %", "before", "-8:00:00"),
            ("volume used", "100 %", "during", "0:00"),
            ("volume used", "51 %", "after", "32:40"),
            ("failed commits a second", "0", "before", "-1:00:00"),
            ("failed commits a second", "41", "during", "0:00"),
            ("failed commits a second", "0", "after", "32:45"),
        ],
        neighbours: &[
            ("Deployment", "ledger-api", "queued 4 812 writes", "medium"),
            (
                "Deployment",
                "payout-worker",
                "idle while the ledger was read-only",
                "low",
            ),
        ],
        sli_impact: "32.75 min without writes: ledger-availability 99.924 % over 30 days (objective 99.9 %).",
        budget_burned: Some(75.8),
        trending: Some((1, "First full volume of this StatefulSet")),
        logs: "7 starts, each ending in `No space left on device` while the journal was opened.",
        cascade: &[
            "archiving paused",
            "journal grows 3.1Gi a day",
            "data-ledger-db-0 full",
            "primary stops",
            "ledger writes fail",
        ],
        ..Narrative::default()
    });
    incident
}
