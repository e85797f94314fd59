//! Schedules of faults by seed: while the network cuts, delays and truncates and the cluster changes, anything may be shown;
//! once it is calm, what is shown is what a fresh list says. A seed that fails is in the message.

use crate::{
    bed::{ADMIN, Bed, LIMIT},
    load::{objects, put},
    proxy::{Dice, Mood, Proxy},
    reading::access,
    shown::{Shown, issue},
};
use futures_util::{StreamExt as _, stream};
use kube::{
    Client,
    api::{DeleteParams, Patch, PatchParams},
};
use opsdeck::{
    resources::Kind,
    source::{Address, Change, Source as _, Standing, Verb, kubernetes::Kubernetes},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, time::Instant};

/// Of one schedule at least, in which the network has to do this much harm.
const STEPS: u64 = 120;
const HARM: usize = 20;
/// That run side by side.
const TOGETHER: usize = 5;
const KINDS: [Kind; 2] = [Kind::Issue, Kind::ConfigMap];

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whatever_the_network_does_the_catalog_ends_up_as_a_fresh_list() {
    let Some(bed) = Bed::start().await else { return };
    bed.define(|kind| kind == Kind::Issue).await;
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (first, count) = (
        number("OPSDECK_SEED").unwrap_or(1),
        number("OPSDECK_SCHEDULES").unwrap_or(20),
    );
    stream::iter(first..first + count)
        .for_each_concurrent(TOGETHER, async |seed| play(&bed, seed).await)
        .await;
}

async fn play(bed: &Bed, seed: u64) {
    let namespace = format!("seed-{seed}");
    bed.namespace(&namespace).await;
    let mut dice = Dice::new(seed);
    let proxy = Proxy::before(bed.ports.api, seed).await;
    // The first lists suffer already, in some.
    proxy.turn(if dice.roll(2) == 0 { Mood::Spiteful } else { Mood::Calm });
    let shown = Shown::nothing();
    let access = access(bed.kubeconfig_by(ADMIN, proxy.port));
    let source = Kubernetes::connect(&access, vec![namespace.clone()], shown.0.clone())
        .await
        .unwrap();

    let client = bed.client(ADMIN).await;
    for step in 0..10 * STEPS {
        match dice.roll(30) {
            0 => proxy.turn(Mood::Closed),
            1..4 => proxy.turn(Mood::Spiteful),
            4 => proxy.turn(Mood::Calm),
            _ => {}
        }
        change(&client, &source, &namespace, step, &mut dice).await;
        if step >= STEPS && proxy.harm() >= HARM {
            break;
        }
    }
    assert!(proxy.harm() >= HARM, "seed {seed}: the network did little harm");
    proxy.turn(Mood::Calm);

    let fresh = async || {
        let mut versions = BTreeMap::new();
        for kind in KINDS {
            versions.extend(bed.versions(kind).await);
        }
        versions.retain(|address, _| address.namespace == namespace);
        versions
    };
    assert!(!fresh().await.is_empty(), "seed {seed}: something is left to compare");
    // Listed at every look: a write that the network has held back may still arrive.
    let began = Instant::now();
    loop {
        let (shown, fresh) = (shown.versions(), fresh().await);
        let standing: Vec<_> = KINDS.iter().map(|kind| source.standing(*kind)).collect();
        if shown == fresh && standing.iter().all(|standing| *standing == Standing::Current) {
            break;
        }
        assert!(
            began.elapsed() < LIMIT,
            "seed {seed}: {standing:?}, shown {shown:?}, and a fresh list has {fresh:?}"
        );
        tokio::task::yield_now().await;
    }
}

/// One change of the cluster, made by somebody else or by way of the source, where it may fail.
async fn change(client: &Client, source: &Kubernetes, namespace: &str, step: u64, dice: &mut Dice) {
    let ledger = dice.roll(8) == 0;
    let (kind, name) = match ledger {
        true => (Kind::ConfigMap, "chatcli-cost-ledger".to_owned()),
        false => (Kind::Issue, format!("issue-{}", dice.roll(12))),
    };
    let address = Address {
        kind,
        namespace: namespace.to_owned(),
        name,
    };
    let touch = json!({"metadata": {"annotations": {"example.com/step": step.to_string()}}});
    let api = objects(client, kind, Some(namespace));
    let exists = api.get_opt(&address.name).await.unwrap().is_some();
    if dice.roll(5) == 0 {
        let verb = match (exists, dice.roll(4)) {
            (false, _) => Verb::Create(body(kind)),
            (true, 0) => Verb::Delete,
            (true, _) => Verb::Patch(touch),
        };
        // The network may be in the way, before the API server has heard of it or after.
        let _ = source
            .write(Change {
                address,
                precondition: None,
                verb,
            })
            .await;
    } else if !exists {
        put(client, &address, body(kind)).await;
    } else if dice.roll(4) == 0 {
        api.delete(&address.name, &DeleteParams::default()).await.unwrap();
    } else {
        api.patch(&address.name, &PatchParams::default(), &Patch::Merge(touch))
            .await
            .unwrap();
    }
}

fn body(kind: Kind) -> Value {
    match kind {
        Kind::ConfigMap => json!({"data": {"entries": "[]"}}),
        _ => issue(),
    }
}
