//! Several owners of one file: what another process writes arrives, in order, and nothing is lost between them.

use crate::notebook::{Notebook, address, issue};
use opsdeck::{
    resources::Kind,
    source::{
        Change, Source, Verb,
        embedded::{Embedded, OpenError, Store},
        import::{Options, import},
    },
};
use serde_json::{Value, json};
use std::sync::Arc;

fn change(name: &str, verb: Verb) -> Change {
    Change {
        address: address(Kind::Issue, name),
        precondition: None,
        verb,
    }
}

fn dump(names: impl IntoIterator<Item = String>) -> String {
    let items: Vec<Value> = names
        .into_iter()
        .map(|name| {
            let mut object = issue();
            object["apiVersion"] = "platform.chatcli.io/v1alpha1".into();
            object["kind"] = "Issue".into();
            object["metadata"] = json!({"name": name, "namespace": "shop"});
            object
        })
        .collect();
    json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_another_process_changes_arrives() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("deep/opsdeck.db");
    let here = Arc::new(Notebook::default());
    let there = Arc::new(Notebook::default());
    let server = Embedded::open(&path, here.clone()).unwrap();
    let other = Embedded::open(&path, there.clone()).unwrap();

    other.write(change("one", Verb::Create(issue()))).await.unwrap();
    here.wait(|versions| versions.len() == 1);
    // A write finds what the other one did even before the next look, and tells of it first.
    other.write(change("two", Verb::Create(issue()))).await.unwrap();
    server.write(change("three", Verb::Create(issue()))).await.unwrap();
    assert_eq!(here.versions().len(), 3);
    there.wait(|versions| versions.len() == 3);

    server.write(change("one", Verb::Delete)).await.unwrap();
    server.write(change("two", Verb::Delete)).await.unwrap();
    server.write(change("two", Verb::Create(issue()))).await.unwrap();
    there.wait(|versions| *versions == here.versions());
    assert!(!here.versions().contains_key(&address(Kind::Issue, "one")));

    let mut store = Store::open_existing(&path).unwrap();
    let report = import(
        &mut store,
        dump((0..500).map(|n| format!("n{n}"))).as_bytes(),
        Options::default(),
    )
    .unwrap();
    assert_eq!((report.created, report.updated), (500, 0));
    here.wait(|versions| versions.len() == 502);
    there.wait(|versions| *versions == here.versions());

    drop((server, other));
    let again = Arc::new(Notebook::default());
    drop(Embedded::open(&path, again.clone()).unwrap());
    assert_eq!(again.versions(), here.versions());
}

/// Deletions are remembered up to a number; who slept through more of them reads everything again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_slept_through_many_deletions_catches_up() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("opsdeck.db");
    let mut store = Store::open(&path).unwrap();
    import(
        &mut store,
        dump((0..3).map(|n| format!("n{n}"))).as_bytes(),
        Options::default(),
    )
    .unwrap();
    let here = Arc::new(Notebook::default());
    let server = Embedded::open(&path, here.clone()).unwrap();
    assert_eq!(here.versions().len(), 3);
    // What ten thousand deletions by another process leave behind.
    let database = rusqlite::Connection::open(&path).unwrap();
    database
        .execute_batch(
            "BEGIN; DELETE FROM objects WHERE name = 'n1'; UPDATE clock SET version = 20000, forgotten = 9000; COMMIT;",
        )
        .unwrap();
    here.wait(|versions| versions.len() == 2);
    server.write(change("n4", Verb::Create(issue()))).await.unwrap();
    assert_eq!(here.versions()[&address(Kind::Issue, "n4")], "20001");
}

/// Two processes that vote with preconditions lose no vote either.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn counters_add_up_across_processes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("opsdeck.db");
    let open = || Embedded::open(&path, Arc::new(Notebook::default())).unwrap();
    let sources = [Arc::new(open()), Arc::new(open())];
    sources[0].write(change("one", Verb::Create(issue()))).await.unwrap();
    let counters: Vec<_> = sources
        .into_iter()
        .map(|source| {
            tokio::spawn(async move {
                for _ in 0..50 {
                    loop {
                        let object = source.write(change("one", Verb::Patch(json!({})))).await.unwrap();
                        let next = object["spec"]["riskScore"].as_i64().unwrap_or(0) + 1;
                        let mut patch = change("one", Verb::Patch(json!({"spec": {"riskScore": next}})));
                        patch.precondition = object["metadata"]["resourceVersion"].as_str().map(str::to_owned);
                        if source.write(patch).await.is_ok() {
                            break;
                        }
                    }
                }
                source
            })
        })
        .collect();
    let mut last = 0;
    for counter in counters {
        let source = counter.await.unwrap();
        let object = source.write(change("one", Verb::Patch(json!({})))).await.unwrap();
        last = object["spec"]["riskScore"].as_i64().unwrap();
    }
    assert_eq!(last, 100);
}

#[test]
fn a_file_that_is_not_a_store_is_refused_and_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let absent = directory.path().join("absent.db");
    assert!(matches!(Store::open_existing(&absent), Err(OpenError::Missing(_))));
    assert!(!absent.exists());

    let text = directory.path().join("notes.txt");
    std::fs::write(&text, "not a database, but long enough to be looked at ".repeat(40)).unwrap();
    assert!(matches!(Store::open(&text), Err(OpenError::Unreadable { .. })));
    assert!(std::fs::read_to_string(&text).unwrap().starts_with("not a database"));

    let foreign = directory.path().join("foreign.db");
    rusqlite::Connection::open(&foreign)
        .unwrap()
        .execute_batch("CREATE TABLE theirs (a)")
        .unwrap();
    let before = std::fs::read(&foreign).unwrap();
    assert!(matches!(Store::open(&foreign), Err(OpenError::Foreign(_))));
    assert_eq!(std::fs::read(&foreign).unwrap(), before);
}

#[cfg(unix)]
#[test]
fn the_file_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("opsdeck.db");
    let store = Store::open(&path).unwrap();
    for entry in std::fs::read_dir(directory.path()).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(
            entry.metadata().unwrap().permissions().mode() & 0o077,
            0,
            "{:?}",
            entry.path()
        );
    }
    drop(store);
}
