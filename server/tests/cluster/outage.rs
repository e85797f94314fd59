//! What happens while the API server is away, and when it is back.

use crate::{
    bed::{ADMIN, Bed, until, until_within},
    load::{objects, put},
    proxy::{Mood, Proxy},
    reading::access,
    served::{Answer, INES, Served},
    shown::{Shown, address, issue},
};
use futures_util::StreamExt as _;
use kube::{
    Client,
    api::{DeleteParams, Patch, PatchParams, WatchEvent, WatchParams},
};
use opsdeck::{
    resources::Kind,
    source::{Change, Source as _, Standing, Verb, WriteError, kubernetes::Kubernetes},
};
use serde_json::{Value, json};
use std::{pin::pin, time::Duration};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

const INCIDENTS: &str = "/api/v1/incidents";
/// An API server that answers again is noticed so soon.
const BACK: Duration = Duration::from_secs(10);

async fn annotate(client: &Client, name: &str, note: &str) {
    let patch = Patch::Merge(json!({"metadata": {"annotations": {"example.com/note": note}}}));
    let api = objects(client, Kind::Issue, Some("shop"));
    api.patch(name, &PatchParams::default(), &patch).await.unwrap();
}

fn note(answer: &Answer) -> &Value {
    &answer.body["items"][0]["annotations"]["example.com/note"]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_go_on_while_the_api_server_is_away_and_say_since_when() {
    let Some(mut bed) = Bed::start().await else { return };
    bed.define(|_| true).await;
    bed.namespace("shop").await;
    put(&bed.client(ADMIN).await, &address(Kind::Issue, "one"), issue()).await;
    bed.kill_api();
    let served = Served::start(&bed.kubeconfig(ADMIN)).await;
    let early = served.get("/readyz");
    assert_eq!(early.status, 503, "nothing has been read yet");
    assert_eq!(
        (served.get(INCIDENTS).status, served.get(INCIDENTS).reason()),
        (503, "unavailable")
    );
    let acknowledge = || served.post(INES, "/api/v1/incidents/one/acknowledge?namespace=shop", "");
    let refused = acknowledge();
    assert_eq!(
        (refused.status, refused.reason()),
        (503, "unavailable"),
        "not read is not missing: {refused:?}"
    );

    bed.start_api().await;
    served
        .until("it is ready", "/readyz", |answer| answer.status == 200)
        .await;
    served
        .until("it is current", INCIDENTS, |answer| {
            answer.header("x-data-as-of").is_none()
        })
        .await;
    assert_eq!(served.get(INCIDENTS).body["metadata"]["totalCount"], 1);

    // Refused while it is away, which is known by then or found out by the write; never left hanging, never done in part.
    // Where the connection broke under the write, nobody knows whether it was done.
    bed.kill_api();
    let refused = acknowledge();
    let told = (refused.status, refused.reason());
    assert!(matches!(told, (503, "unavailable") | (504, "timeout")), "{refused:?}");
    served
        .until("answers say that they are of before", INCIDENTS, |answer| {
            answer.header("x-data-as-of").is_some()
        })
        .await;
    let stale = served.get(INCIDENTS);
    assert_eq!((stale.status, &stale.body["metadata"]["totalCount"]), (200, &json!(1)));
    let refused = acknowledge();
    assert_eq!((refused.status, refused.reason()), (503, "unavailable"), "{refused:?}");
    assert!(refused.header("retry-after").is_some(), "{refused:?}");
    let is_ready = || assert_eq!(served.get("/readyz").status, 200, "readiness does not flap");
    is_ready();

    bed.start_api().await;
    until_within(BACK, "writes work again", async || {
        is_ready();
        acknowledge().status == 200
    })
    .await;
    annotate(&bed.client(ADMIN).await, "one", "back").await;
    until_within(BACK, "the change after the outage is shown, as of now", async || {
        is_ready();
        let answer = served.get(INCIDENTS);
        note(&answer) == "back" && answer.header("x-data-as-of").is_none()
    })
    .await;
    let shown = served.get(INCIDENTS);
    assert_eq!(shown.body["items"][0]["acknowledged"]["by"], INES);
    assert_eq!(
        bed.versions(Kind::AuditEvent).await.len(),
        1,
        "what was refused was not done"
    );
}

/// What was watched from is forgotten by the time the network is back: everything is listed again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_history_that_was_compacted_away_is_made_good_by_a_list() {
    let Some(mut bed) = Bed::start().await else { return };
    bed.define(|kind| kind == Kind::Issue).await;
    bed.namespace("shop").await;
    let client = bed.client(ADMIN).await;
    for name in ["kept", "changed", "deleted"] {
        put(&client, &address(Kind::Issue, name), issue()).await;
    }
    let proxy = Proxy::before(bed.ports.api, 1).await;
    let shown = Shown::nothing();
    let access = access(bed.kubeconfig_by(ADMIN, proxy.port));
    let source = Kubernetes::connect(&access, Vec::new(), shown.0.clone()).await.unwrap();
    until("it is read", async || source.is_filled() && shown.versions().len() == 3).await;
    let held = shown.versions();
    let old = held
        .values()
        .max_by_key(|version| version.parse::<u64>().unwrap())
        .unwrap();

    proxy.turn(Mood::Closed);
    annotate(&client, "changed", "meanwhile").await;
    let api = objects(&client, Kind::Issue, Some("shop"));
    api.delete("deleted", &DeleteParams::default()).await.unwrap();
    put(&client, &address(Kind::Issue, "new"), issue()).await;
    let newest = bed
        .versions(Kind::Issue)
        .await
        .into_values()
        .max_by_key(|version| version.parse::<u64>().unwrap());
    compact(bed.ports.etcd, &newest.unwrap()).await;
    bed.kill_api();
    bed.start_api().await;
    let mut events = pin!(api.watch(&WatchParams::default(), old).await.unwrap());
    let first = events.next().await.unwrap();
    assert!(
        matches!(&first, Ok(WatchEvent::Error(status)) if status.code == 410),
        "{first:?}"
    );

    proxy.turn(Mood::Calm);
    let fresh = bed.versions(Kind::Issue).await;
    until("the list has made it good", async || shown.versions() == fresh).await;
    until("it is current", async || {
        source.standing(Kind::Issue) == Standing::Current
    })
    .await;
}

/// Nobody says that a connection is dead; the pulse finds out, and the watches on it are opened anew.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_died_in_silence_are_noticed() {
    let Some(bed) = Bed::start().await else { return };
    bed.define(|kind| kind == Kind::Issue).await;
    bed.namespace("shop").await;
    let client = bed.client(ADMIN).await;
    put(&client, &address(Kind::Issue, "one"), issue()).await;
    let proxy = Proxy::before(bed.ports.api, 1).await;
    let shown = Shown::nothing();
    let access = access(bed.kubeconfig_by(ADMIN, proxy.port));
    let source = Kubernetes::connect(&access, Vec::new(), shown.0.clone()).await.unwrap();
    until("it is read", async || source.standing(Kind::Issue) == Standing::Current).await;

    proxy.turn(Mood::Dark);
    until("the outage is noticed", async || {
        matches!(source.standing(Kind::Issue), Standing::AsOf(_))
    })
    .await;
    let change = Change {
        address: address(Kind::Issue, "one"),
        precondition: None,
        verb: Verb::Patch(json!({"spec": {"riskScore": 1}})),
    };
    let refused = source.write(change).await;
    assert!(matches!(refused, Err(WriteError::Timeout(_))), "{refused:?}");
    annotate(&client, "one", "in the dark").await;

    proxy.turn(Mood::Calm);
    // The write that was given up may still arrive now, so the truth is asked for each time.
    until("what happened in the dark is shown", async || {
        source.standing(Kind::Issue) == Standing::Current && shown.versions() == bed.versions(Kind::Issue).await
    })
    .await;
}

/// Nobody says that a single connection is dead, and the API server answers on all others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watch_that_died_in_silence_is_opened_anew_before_long() {
    /// The pulse beats more often, so a connection on which nothing has moved for so long is not its.
    const QUIET: Duration = Duration::from_secs(8);
    /// A watch is opened for 25 s and missed five after.
    const MISSED: Duration = Duration::from_secs(35);
    let Some(bed) = Bed::start().await else { return };
    bed.define(|_| true).await;
    bed.namespace("shop").await;
    let client = bed.client(ADMIN).await;
    put(&client, &address(Kind::Issue, "one"), issue()).await;
    let proxy = Proxy::before(bed.ports.api, 1).await;
    let shown = Shown::nothing();
    let access = access(bed.kubeconfig_by(ADMIN, proxy.port));
    let source = Kubernetes::connect(&access, Vec::new(), shown.0.clone()).await.unwrap();
    until("it is read", async || source.standing(Kind::Issue) == Standing::Current).await;

    until("the watches are quiet", async || proxy.quiet(QUIET) >= Kind::ALL.len()).await;
    proxy.silence(QUIET);
    annotate(&client, "one", "in the dark").await;
    let fresh = bed.versions(Kind::Issue).await;
    until_within(MISSED, "what happened in the dark is shown", async || {
        shown.versions() == fresh
    })
    .await;
}

/// Makes etcd forget everything before this revision.
async fn compact(port: u16, revision: &str) {
    let body = format!(r#"{{"revision": "{revision}", "physical": true}}"#);
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let request = format!(
        "POST /v3/kv/compaction HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}
