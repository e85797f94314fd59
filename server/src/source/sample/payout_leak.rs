//! Scenario 9: a retry loop eats memory and pays people twice; only stopping the worker helps. A person owes the rest.

use super::{
    clock::{Clock, Moment},
    gate::Gate,
    incident::{Incident, Insight},
    plan::{action, step},
    post_mortem::Narrative,
    signal::{Signal, Target},
};
use serde_json::{Value, json};

fn gate(reach: &'static str, history: (f64, i32)) -> Gate<'static> {
    Gate {
        policy: "payments-strict",
        rule: "all-quorum",
        mode: "quorum",
        required: 2,
        minutes: 20,
        pods: 4,
        services: 1,
        reach,
        history,
    }
}

fn before() -> Value {
    json!({
        "replicas": 4,
        "containerImages": {"worker": "registry.pay.example/payout-worker:5.8.0"},
        "containerResources": {"worker": {"cpuRequest": "500m", "cpuLimit": "1", "memoryRequest": "512Mi",
                "memoryLimit": "1Gi"}},
    })
}

pub(super) fn tell(clock: Clock) -> Incident {
    let begun = Moment::today("6:00");
    let mut incident = Incident::watched(
        clock,
        begun,
        Target::new("Deployment", "payments", "payout-worker"),
        &[
            Signal("MemoryHigh", "each of 4 pods grows until it is killed", "90Mi a minute"),
            Signal(
                "HighRestartCount",
                "pods are killed and started again",
                "11 restarts in 30 minutes",
            ),
            Signal("HighLatency", "payouts take long, some are sent twice", "p95 41s"),
        ],
    );
    incident.at("0:02").analysing();
    restart(&mut incident);
    more_memory(&mut incident);
    stop(&mut incident);
    incident.post_mortem(Narrative {
        summary: "The payout worker keeps every payout that failed in memory and sends it again at start. Each restart \
                  repeated payouts that had already gone out. A restart and more memory did not help; the worker was \
                  stopped after 45 minutes and stays stopped until a build with a bounded retry queue is deployed.",
        root_cause: "Release 5.8.0 replaced the persisted retry queue by a list in memory without a bound. When the \
                     bank's gateway began to answer slowly, failed payouts piled up at 90Mi a minute, the kernel \
                     killed the pods, and every start sent the list of the snapshot again without looking whether a \
                     payout had been confirmed.",
        impact: "137 payouts were sent twice (EUR 41 280), of which the bank has returned 96 so far. No payout has run \
                 since the worker was stopped; about 2 900 wait in the ledger and are not lost.",
        lessons: &[
            "Restarting a worker that replays its queue at start does harm: the first plan sent 31 payouts again.",
            "The second request expired because both approvers were busy calling the bank. A request nobody can look \
             at is not a safeguard.",
            "Silencing is not fixing: this post-mortem stays open until somebody acts.",
        ],
        prevention: &[
            "Bound the retry queue and persist it.",
            "Make payouts idempotent at the bank's gateway: one key a payout, whatever is sent.",
            "Add a replay guard to the worker's start-up, tested with a killed pod.",
        ],
        duration: "45m30s",
        metrics: &[
            ("memory a pod", "380Mi", "before", "-40:00"),
            ("memory a pod", "1 018Mi", "during", "0:00"),
            ("memory a pod", "0", "after", "45:30"),
            ("payouts sent twice", "0", "before", "-40:00"),
            ("payouts sent twice", "137", "during", "44:00"),
            ("payouts waiting", "2 900", "after", "6:00:00"),
        ],
        neighbours: &[
            ("Deployment", "payout-api", "shows payouts as pending", "medium"),
            ("StatefulSet", "ledger-db", "holds the payouts that wait", "low"),
        ],
        commit: Some(json!({
            "commitSHA": "b7720ce", "commitMessage": "worker: keep retries in memory, drop the retry \
                                                      table", "author": "Paul Brandt",
            "timestamp": clock.text(begun.plus("-68:15:00")), "confidence": 0.77,
            "filesChanged": ["worker/retry.go", "worker/start.go", "migrations/0113_drop_retry.sql"],
        })),
        sli_impact: "360 min and counting: payout-availability 99.167 % over 30 days (objective 99.9 %).",
        budget_burned: Some(833.3),
        trending: Some((1, "First memory incident of this worker since 5.8.0")),
        logs: "`retry: 4 118 payouts queued` just before each kill; `start: resending 31 payouts` right after.",
        cascade: &[
            "bank gateway slow",
            "failed payouts kept in memory",
            "pods killed at 1Gi",
            "queue sent again at start",
            "payouts sent twice",
        ],
        ..Narrative::default()
    });
    incident.at("3:20:00").put_back(
        "ines",
        "Closed by mistake; put back to Open by the controller because the human action is still owed.",
    );
    incident
}

/// The first attempt: a restart, which made it worse.
fn restart(incident: &mut Incident) {
    incident.at("0:48").analysed(Insight {
        confidence: 0.82,
        analysis: "All four pods of payout-worker grow by about 90Mi a minute and are killed at 1Gi, on average every \
                   seven minutes. The bank's gateway has answered slowly for half an hour, and the growth started with \
                   it: the worker seems to hold connections or payouts that it cannot get rid of.\n\n\
                   A restart frees the memory. If the gateway has recovered by then, as its last answers suggest, the \
                   worker stays small.",
        recommendations: &[
            "Watch the gateway's answer times after the \
                            restart.",
            "Bound what the worker keeps while the gateway is slow.",
        ],
        suggestions: vec![step(
            "Restart the worker",
            "RestartDeployment",
            [],
            "Frees what piled up while the gateway \
                                                                               was slow",
        )],
        logs: "`gateway: POST /payouts: timeout after 30s` 640 times; `retry: 4 118 payouts queued` just before each \
               kill.",
        metrics: "Working set +90Mi a minute in every pod; gateway p95 38 s, last five minutes 11 s.",
        cascade: "bank gateway → payout-worker → payout-api (payouts stay pending).",
        blast_radius: "4 pods, 1 service (payouts).",
        ..Insight::default()
    });
    incident
        .at("0:55")
        .planned(super::runbooks::STOP_WORKER, 3, vec![action("RestartDeployment", [])]);
    incident.parked(gate(
        "RestartDeployment on Deployment payments/payout-worker restarts 4 pods behind 1 service (payouts)",
        (0.75, 8),
    ));
    incident
        .at("6:10")
        .approves("ines", "gateway is answering again, try a restart");
    incident.at("9:30").approves("tomasz", "agreed").approved();
    incident.at("9:45").executing(before());
    incident
        .at("10:05")
        .acted("Deployment payments/payout-worker restarted, 4 of 4 pods")
        .verifying();
    incident.at("11:35").rolled_back(
        "Not healthy within 90s: memory grew from 210Mi to 345Mi a pod and did not level off",
        "Pod template put back as it was before the restart; 4 of 4 pods ready",
    );
    incident.reanalysing(
        "Plan 1 (RestartDeployment) did not help: memory grows again from the first minute, and 31 payouts were sent a \
         second time at start.",
    );
}

/// The second attempt: more memory, which nobody decided on.
fn more_memory(incident: &mut Incident) {
    incident.at("12:35").analysed(Insight {
        confidence: 0.71,
        analysis: "The restart did not help: memory grows from the first minute although the gateway answers within \
                   two seconds now. So the growth is not what is in flight but what is kept. The worker holds 4 100 \
                   failed payouts, loads them again at start and adds the new ones.\n\n\
                   More memory buys time to drain the queue: at 2Gi a pod lasts about 20 minutes, and with the \
                   gateway's present speed the queue should be empty after 15. This is a guess about the drain rate, \
                   hence the lower confidence. It does not stop payouts from being sent twice when a pod is killed \
                   before that.",
        recommendations: &[
            "Ask the bank to hold back duplicates while this \
                            lasts.",
            "Have the payments team look at the retry queue now.",
        ],
        suggestions: vec![step(
            "Raise the memory limit",
            "AdjustResources",
            [("container", "worker"), ("memory_limit", "2Gi")],
            "Time for the queue to drain",
        )],
        logs: "`start: resending 31 payouts` after the restart; `retry: 4 149 payouts queued`.",
        metrics: "Working set +85Mi a minute. Gateway p95 1.8 s. Queue length not falling.",
        blast_radius: "4 pods restart one by one, 1 service (payouts).",
        ..Insight::default()
    });
    incident.at("12:45").planned(
        super::runbooks::STOP_WORKER,
        3,
        vec![action(
            "AdjustResources",
            [("container", "worker"), ("memory_limit", "2Gi")],
        )],
    );
    incident.parked(gate(
        "AdjustResources on Deployment payments/payout-worker restarts 4 pods behind 1 service (payouts)",
        (0.78, 9),
    ));
    incident
        .at("32:45")
        .expired()
        .failed("Approval expired: nobody decided within 20 minutes")
        .reanalysing(
            "Plan 2 (AdjustResources) was not decided within 20 minutes. Meanwhile 88 more payouts were sent twice.",
        );
}

/// The third attempt: stop it.
fn stop(incident: &mut Incident) {
    incident.at("33:40").analysed(Insight {
        confidence: 0.88,
        analysis: "The retry loop keeps every failed payout in memory and sends the whole list again at each start, \
                   without asking whether a payout was confirmed in between. The list has no bound and is written to a \
                   snapshot on exit, so neither a restart nor more memory can end it. No setting avoids it either: the \
                   queue's size, the replay and the snapshot are fixed in release 5.8.0. Only a code fix does.\n\n\
                   Every kill sends payouts twice: 119 so far. Stop the worker before more duplicates go out. Scaled \
                   to zero it does no harm, the ledger keeps what is due, and payouts resume once a fixed build is \
                   deployed and the replicas are put back.",
        recommendations: &[
            "Stop the worker now; payouts that wait are better than payouts that are sent twice.",
            "Deploy a build with a bounded, persisted retry queue, then set replicas back to 4.",
            "Reconcile the duplicates with the bank before the worker runs again.",
        ],
        suggestions: vec![step(
            "Stop the worker",
            "ScaleDeployment",
            [("replicas", "0"), ("containment", "true")],
            "Containment: silences the service, does not fix it",
        )],
        logs: "`start: resending` in every start: 119 payouts in nine starts. `snapshot: 4 205 entries written` on \
               each exit.",
        metrics: "Working set +90Mi a minute; 119 duplicates of 2 240 payouts since the first kill.",
        source_code: "b7720ce (release 5.8.0) drops the retry table and keeps the list in `worker/retry.go`; \
                      `worker/start.go` replays it unconditionally.",
        cascade: "payout-worker stopped → payouts wait in the ledger → payout-api shows them as pending. Nothing else \
                  depends on it.",
        blast_radius: "4 pods, 1 service (payouts) goes silent on purpose.",
        ..Insight::default()
    });
    incident.at("33:50").planned(
        super::runbooks::STOP_WORKER,
        3,
        vec![action("ScaleDeployment", [("replicas", "0"), ("containment", "true")])],
    );
    incident.parked(gate(
        "ScaleDeployment to 0 on Deployment payments/payout-worker stops 4 pods behind 1 service (payouts)",
        (0.70, 10),
    ));
    incident
        .at("41:00")
        .approves("ines", "stop it, the bank has confirmed the duplicates");
    incident
        .at("44:00")
        .approves("noor", "agreed, paying late beats paying twice")
        .approved();
    incident.at("44:15").executing(before());
    incident
        .at("44:40")
        .acted("Deployment payments/payout-worker: replicas 4 → 0 (containment)")
        .verifying();
    incident.at("45:30").completed("0 of 0 pods, no payout sent since");
    incident.contained(
        "payout-worker is scaled to zero; payouts wait in the ledger and nothing is sent twice any more",
        "Deploy a build with a bounded retry queue, then set replicas back to 4",
    );
}
