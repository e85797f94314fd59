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

/// Everybody asks both replicas for each of these, all at the same time.
fn all_at_once(replicas: &[Served], asks: &'static [(&'static str, &'static str)]) -> Vec<Asked> {
    let people = [MIRA, TOMASZ, INES];
    tokio::task::block_in_place(|| {
        thread::scope(|scope| {
            let threads: Vec<_> = (replicas.iter())
                .flat_map(|served| people.map(|person| (served, person)))
                .flat_map(|(served, person)| asks.iter().map(move |(verb, body)| (served, person, *verb, *body)))
                .map(|(served, person, verb, body)| {
                    let target = format!("{INCIDENT}/{verb}?namespace=shop");
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
    let asked = all_at_once(&replicas, &[("acknowledge", ""), ("snooze", r#"{"duration": "1h"}"#)]);
    kubectl.await.unwrap();
    assert_eq!(asked.len(), 12);
    for (verb, person, answer) in &asked {
        assert_eq!(answer.status, 200, "{verb} by {person}: {answer:?}");
        let mark = if *verb == "snooze" { "snoozed" } else { "acknowledged" };
        assert_eq!(answer.body["spec"][mark]["by"], *person, "{answer:?}");
    }

    let patching = client.clone();
    let kubectl = tokio::spawn(async move { annotate(&patching, 30..60).await });
    let asked = all_at_once(&replicas, &[("resolve", r#"{"resolution": "rolled back"}"#)]);
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
