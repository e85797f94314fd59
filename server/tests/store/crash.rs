//! Killed in the middle of writing, the store opens again and holds every write that was answered.

use crate::notebook::{Notebook, address, issue};
use opsdeck::{
    resources::Kind,
    source::{Change, Source, Verb, embedded::Embedded},
};
use serde_json::json;
use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
};

const STORE: &str = "OPSDECK_TEST_STORE";
const ROUND: &str = "OPSDECK_TEST_ROUND";
const WRITERS: usize = 4;

/// The other process: writes without end, and says what was answered.
#[test]
#[ignore = "is run, and killed, by the test below"]
fn child() {
    let path = std::env::var(STORE).unwrap();
    let round = std::env::var(ROUND).unwrap();
    let source = Arc::new(Embedded::open(Path::new(&path), Arc::new(Notebook::default())).unwrap());
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (source, round) = (source.clone(), round.clone());
            std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                for turn in 0.. {
                    let address = address(Kind::Issue, &format!("{round}-{writer}-{}", turn / 3));
                    let verb = match turn % 3 {
                        0 => Verb::Create(issue()),
                        risk => Verb::Patch(json!({"spec": {"riskScore": risk}})),
                    };
                    let change = Change {
                        address: address.clone(),
                        precondition: None,
                        verb,
                    };
                    let object = runtime.block_on(source.write(change)).unwrap();
                    let version = object["metadata"]["resourceVersion"].as_str().unwrap();
                    println!("answered {} {version}", address.name);
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
}

#[test]
fn a_kill_takes_no_answered_write_back() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("opsdeck.db");
    let mut answered: BTreeMap<String, u64> = BTreeMap::new();
    for (round, answers) in [1, 2, 17, 40, 101, 250].into_iter().enumerate() {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["crash::child", "--exact", "--ignored", "--nocapture"])
            .env(STORE, &path)
            .env(ROUND, round.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut heard = 0;
        // What was written to the pipe before the kill counts as well, so that it is read to its end.
        for line in BufReader::new(child.stdout.take().unwrap())
            .lines()
            .map_while(Result::ok)
        {
            let mut words = line.split(' ').skip_while(|word| *word != "answered").skip(1);
            let (Some(name), Some(version)) = (words.next(), words.next()) else {
                continue;
            };
            answered.insert(name.into(), version.parse().unwrap());
            heard += 1;
            if heard == answers {
                child.kill().unwrap();
            }
        }
        child.wait().unwrap();
        assert!(heard >= answers, "the child ended by itself after {heard} answers");

        let database = rusqlite::Connection::open(&path).unwrap();
        let integrity: String = database
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(integrity, "ok");
        drop(database);
        let notebook = Arc::new(Notebook::default());
        drop(Embedded::open(&path, notebook.clone()).unwrap());
        let stored = notebook.versions();
        for (name, version) in &answered {
            let found = stored
                .get(&address(Kind::Issue, name))
                .map(|version| version.parse::<u64>().unwrap());
            assert!(
                found >= Some(*version),
                "{name} was answered as version {version} and is stored as {found:?}"
            );
        }
    }
}
