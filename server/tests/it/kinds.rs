//! The table of the kinds that have a list, held against what the routes do: it is by this table that an open page knows what is old.

use crate::console::{TestConsole, VIEWER};
use http::Method;
use jiff::Timestamp;
use opsdeck::{
    resources::Kind,
    rest,
    source::{Batch, Committing, Source, Standing, embedded::Embedded, sample},
};
use opsdeck_api::kinds::{LISTED, READS};
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

/// Kinds without a list from which answers are made nevertheless. Nobody is told of them.
const UNTOLD: [Kind; 2] = [Kind::ConfigMap, Kind::Deployment];

/// They say how the server stands, not what it has.
const ABOUT_THE_SERVER: [&str; 3] = ["/events", "/openapi.json", "/whoami"];

/// The store, and a note of every kind of which an answer says how fresh it is: those that it is made from.
struct Noting {
    store: Arc<Embedded>,
    noted: Arc<Mutex<BTreeSet<Kind>>>,
}

impl Source for Noting {
    fn commit(&self, batch: Batch) -> Committing<'_> {
        self.store.commit(batch)
    }

    fn standing(&self, kind: Kind) -> Standing {
        self.noted.lock().expect("notes").insert(kind);
        self.store.standing(kind)
    }
}

/// What can be read, with a path that each route leads to. Policies once for each of their kinds.
fn reads() -> Vec<String> {
    let routes = rest::routes();
    let reads = routes
        .iter()
        .filter(|route| route.method == Method::GET)
        .map(|route| route.path);
    let reads = reads.filter(|path| !ABOUT_THE_SERVER.contains(path));
    let paths = reads.flat_map(|path| match path.strip_prefix("/policies/{kind}") {
        Some(rest) => {
            let policies = Kind::POLICIES.into_iter().filter_map(Kind::listed);
            policies.map(|listed| format!("{}{rest}", listed.list)).collect()
        }
        None => vec![path.to_owned()],
    });
    paths
        .map(|path| path.replace("{name}", "nothing-of-that-name"))
        .collect()
}

#[tokio::test]
async fn a_page_knows_what_every_answer_is_made_from() {
    let noted = Arc::new(Mutex::new(BTreeSet::new()));
    let console = TestConsole::around(sample::objects(Timestamp::now()), |store| {
        let noted = noted.clone();
        Arc::new(Noting { store, noted })
    })
    .await;
    for path in reads() {
        noted.lock().expect("notes").clear();
        console.get(&format!("/api/v1{path}")).key(VIEWER).response().await;
        let made_from = std::mem::take(&mut *noted.lock().expect("notes"));
        assert!(!made_from.is_empty(), "{path} says nothing of how fresh it is");
        let (told, untold): (BTreeSet<_>, BTreeSet<_>) =
            made_from.into_iter().partition(|kind| kind.listed().is_some());
        assert!(
            untold.iter().all(|kind| UNTOLD.contains(kind)),
            "{path}: list {untold:?} in api/src/kinds.rs"
        );
        let feeding: BTreeSet<_> = (Kind::ALL.into_iter())
            .filter(|kind| kind.listed().is_some_and(|listed| listed.feeds(&path)))
            .collect();
        if untold.is_empty() {
            assert_eq!(
                feeding, told,
                "{path}: say in READS of api/src/kinds.rs what it is made from"
            );
        } else {
            assert_eq!(
                feeding.len(),
                LISTED.len(),
                "{path}: {untold:?} may have changed whenever anything has"
            );
        }
    }
}

#[test]
fn every_read_that_is_in_the_table_is_a_route() {
    let routes = rest::routes();
    for (path, _) in &READS {
        assert!(
            routes
                .iter()
                .any(|route| route.method == Method::GET && route.path == *path),
            "{path}"
        );
    }
}

#[tokio::test]
async fn every_list_is_where_the_table_says_and_is_called_so() {
    let console = TestConsole::over_the_sample().await;
    for listed in &LISTED {
        let list = console
            .get(&format!("/api/v1{}", listed.list))
            .key(VIEWER)
            .await_ok()
            .await
            .json();
        assert_eq!(list["kind"], format!("{}List", listed.envelope));
    }
}
