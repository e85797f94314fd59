//! Two replicas over one API server, with several people on both and somebody at kubectl besides: nothing is lost, and nothing
//! is done or told twice.

use crate::{
    bed::{ADMIN, Bed, until},
    load::{objects, put},
    served::{Answer, INES, MIRA, Served, TOMASZ},
    shown::{address, issue},
};
use kube::{
    Client,
    api::{ListParams, Patch, PatchParams},
};
use opsdeck::resources::Kind;
use serde_json::json;
use std::{collections::BTreeMap, thread};

const INCIDENT: &str = "/api/v1/incidents/one";
const NOTE: &str = "example.com/note";

/// What was asked, by whom, and what came back.
type Asked = (&'static str, &'static str, Answer);

/// Everybody asks both replicas for each of these on the object, all at the same time.
fn all_at_once(replicas: &[Served], object: &str, asks: &'static [(&'static str, &'static str)]) -> Vec<Asked> {
    let people = [MIRA, TOMASZ, INES];
    tokio::task::block_in_place(|| {
        thread::scope(|scope| {
            let threads: Vec<_> = (replicas.iter())
                .flat_map(|served| people.map(|person| (served, person)))
                .flat_map(|(served, person)| asks.iter().map(move |(verb, body)| (served, person, *verb, *body)))
                .map(|(served, person, verb, body)| {
                    let target = format!("{object}/{verb}?namespace=shop");
                    scope.spawn(move || (verb, person, served.post(person, &target, body)))
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    })
}

/// Changes the object under everybody's hands.
async fn annotate(client: &Client, times: std::ops::Range<u32>) {
    let api = objects(client, Kind::Issue, Some("shop"));
    for time in times {
        let patch = Patch::Merge(json!({"metadata": {"annotations": {NOTE: time.to_string()}}}));
        api.patch("one", &PatchParams::default(), &patch).await.unwrap();
    }
}

/// How often the trail tells of what by whom.
async fn trail(client: &Client) -> BTreeMap<(String, String), usize> {
    let events = objects(client, Kind::AuditEvent, Some("shop"))
        .list(&ListParams::default())
        .await
        .unwrap();
    let mut trail = BTreeMap::new();
    for event in events {
        let spec = &event.data["spec"];
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let told = (text(&spec["eventType"]), text(&spec["actor"]["name"]));
        *trail.entry(told).or_default() += 1;
    }
    trail
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_asked_of_two_replicas_at_once_is_done_once_and_told_once() {
    let Some(bed) = Bed::start().await else { return };
    bed.define(|_| true).await;
    bed.namespace("shop").await;
    let client = bed.client(ADMIN).await;
    let mut open = issue();
    open["status"] = json!({"state": "Analyzing", "remediationAttempts": 1, "maxRemediationAttempts": 3});
    put(&client, &address(Kind::Issue, "one"), open).await;
    let kubeconfig = bed.kubeconfig(ADMIN);
    let replicas = [Served::start(&kubeconfig).await, Served::start(&kubeconfig).await];
    for served in &replicas {
        served
            .until("the incident is read", INCIDENT, |answer| answer.status == 200)
            .await;
    }

    let patching = client.clone();
    let kubectl = tokio::spawn(async move { annotate(&patching, 0..30).await });
    let asked = all_at_once(
        &replicas,
        INCIDENT,
        &[("acknowledge", ""), ("snooze", r#"{"duration": "1h"}"#)],
    );
    kubectl.await.unwrap();
    assert_eq!(asked.len(), 12);
    for (verb, person, answer) in &asked {
        assert_eq!(answer.status, 200, "{verb} by {person}: {answer:?}");
        let mark = if *verb == "snooze" { "snoozed" } else { "acknowledged" };
        assert_eq!(answer.body["spec"][mark]["by"], *person, "{answer:?}");
    }

    let patching = client.clone();
    let kubectl = tokio::spawn(async move { annotate(&patching, 30..60).await });
    let asked = all_at_once(&replicas, INCIDENT, &[("resolve", r#"{"resolution": "rolled back"}"#)]);
    kubectl.await.unwrap();
    let (won, lost): (Vec<_>, Vec<_>) = asked.into_iter().partition(|(_, _, answer)| answer.status == 200);
    let [(_, winner, _)] = &*won else {
        panic!("resolved by one alone: {won:?}")
    };
    assert_eq!(lost.len(), 5);
    for (_, person, answer) in lost {
        assert_eq!(
            (answer.status, answer.reason()),
            (409, "already_resolved"),
            "{answer:?}"
        );
        assert_eq!(
            answer.body["by"], *winner,
            "{person} is told who was quicker: {answer:?}"
        );
    }

    let told = |event: &str, person: &str, times| ((event.to_owned(), person.to_owned()), times);
    let mut expected: BTreeMap<_, _> = [MIRA, TOMASZ, INES]
        .into_iter()
        .flat_map(|person| [told("issue_acknowledged", person, 2), told("issue_snoozed", person, 2)])
        .collect();
    expected.extend([told("issue_resolved", winner, 1)]);
    assert_eq!(
        trail(&client).await,
        expected,
        "one event for each deed, in the doer's name"
    );

    until("both replicas show the same", async || {
        let [one, other] = [&replicas[0], &replicas[1]].map(|served| served.get(INCIDENT).body);
        one == other && one["spec"]["state"] == "Resolved" && one["spec"]["annotations"][NOTE] == "59"
    })
    .await;
    let stored = objects(&client, Kind::Issue, Some("shop")).get("one").await.unwrap();
    let marks = stored.metadata.annotations.unwrap_or_default();
    let mark = |name: &str| marks.get(&format!("aiops.chatcli.io/{name}")).map(String::as_str);
    assert_eq!(mark("resolved-by"), Some(*winner));
    assert!(
        mark("acknowledged-by").is_some() && mark("snoozed-until").is_some(),
        "{marks:?}"
    );
    assert_eq!(stored.data["status"]["resolution"], "rolled back");
    assert_eq!(
        stored.data["status"]["remediationAttempts"], 1,
        "what nobody touched is as it was"
    );
}

/// Nobody settles here, so the state stays: what counts are the votes. Ten times over, or as often as `OPSDECK_ROUNDS` says.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_the_votes_on_two_replicas_each_key_has_one() {
    let Some(bed) = Bed::start().await else { return };
    bed.define(|_| true).await;
    bed.namespace("shop").await;
    let client = bed.client(ADMIN).await;
    let kubeconfig = bed.kubeconfig(ADMIN);
    let replicas = [Served::start(&kubeconfig).await, Served::start(&kubeconfig).await];
    let rounds = std::env::var("OPSDECK_ROUNDS").map_or(10, |rounds| rounds.parse().expect("a number of rounds"));
    for round in 1..=rounds {
        let name = format!("request-{round}");
        let request = json!({"spec": {
            "issueRef": {"name": "one"}, "remediationPlanRef": "plan", "policyRef": "policy", "ruleName": "rule",
            "requestedActions": [{"type": "RestartDeployment"}], "requester": "chatcli-operator",
            "timeoutMinutes": 30, "requiredApprovers": 2,
        }});
        put(&client, &address(Kind::ApprovalRequest, &name), request).await;
        let target = format!("/api/v1/approvals/{name}");
        for served in &replicas {
            served
                .until("the request is read", &target, |answer| answer.status == 200)
                .await;
        }
        let body = r#"{"approver": "somebody"}"#;
        let asked = all_at_once(
            &replicas,
            &target,
            &[
                ("approve", r#"{"approver": "somebody"}"#),
                ("reject", r#"{"approver": "somebody else"}"#),
            ],
        );
        let (counted, refused): (Vec<_>, Vec<_>) = asked.into_iter().partition(|(_, _, answer)| answer.status == 200);
        let voters: Vec<_> = counted.iter().map(|(_, person, _)| *person).collect();
        for person in [MIRA, TOMASZ, INES] {
            assert_eq!(
                voters.iter().filter(|voter| **voter == person).count(),
                1,
                "{person} in round {round}: {counted:?}"
            );
        }
        assert_eq!(refused.len(), 9);
        for (_, _, answer) in &refused {
            assert_eq!((answer.status, answer.reason()), (409, "already_decided"), "{answer:?}");
        }
        let stored = objects(&client, Kind::ApprovalRequest, Some("shop"))
            .get(&name)
            .await
            .unwrap();
        let votes = stored.data["status"]["decisions"].as_array().unwrap();
        assert_eq!(votes.len(), 3, "round {round}: {votes:?}");
        assert_eq!(stored.data["status"]["state"], "Pending");
        for (verb, person, _) in &counted {
            let verdict = if *verb == "approve" { "approved" } else { "rejected" };
            let is_theirs = |vote: &&serde_json::Value| {
                vote["approver"]
                    .as_str()
                    .is_some_and(|approver| approver.contains(&format!("(api-key: {person})")))
            };
            assert_eq!(
                votes.iter().find(is_theirs).unwrap()["decision"],
                verdict,
                "{person}: {votes:?}"
            );
        }
        until("whoever is asked says the same of it", async || {
            let [one, other] = [&replicas[0], &replicas[1]].map(|served| served.get(&target).body);
            one == other && one["spec"]["votes"].as_array().is_some_and(|votes| votes.len() == 3)
        })
        .await;
        let late = replicas
            .each_ref()
            .map(|served| served.post(MIRA, &format!("{target}/approve?namespace=shop"), body));
        let [one, other] = late.map(|answer| (answer.status, answer.body["by"].clone(), answer.body["at"].clone()));
        assert_eq!(one, other);
        assert_eq!(one.0, 409);
    }
    let told = trail(&client).await.values().sum::<usize>();
    assert_eq!(told, 3 * rounds, "one event for each vote");
}
