//! A batch is stored as a whole or not at all: in the file, to whoever is told, and beside others that share its transaction.

use crate::notebook::{Notebook, address, issue};
use futures_util::future::join_all;
use opsdeck::{
    resources::{Kind, Object},
    source::{
        Batch, Change, Committed, Source, Verb, WriteError,
        embedded::{Embedded, Judge},
    },
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, sync::Arc};

fn change(name: &str, verb: Verb) -> Change {
    Change {
        address: address(Kind::Issue, name),
        precondition: None,
        verb,
    }
}

fn risk(score: i32) -> Verb {
    Verb::Patch(json!({"spec": {"riskScore": score}}))
}

/// Whether a write was refused for this reason.
type Told = fn(&WriteError) -> bool;

/// Not one of its kind.
fn nothing() -> Verb {
    Verb::Create(json!({"spec": {}}))
}

#[tokio::test]
async fn the_rest_is_told_from_what_was_stored_and_answered_with_it() {
    let notebook = Arc::new(Notebook::default());
    let source = Embedded::in_memory(notebook.clone()).unwrap();
    let batch = Batch {
        first: change("one", Verb::Create(issue())),
        then: Box::new(|stored: &Value| {
            let by = json!({"metadata": {"annotations": {"made-as": stored["metadata"]["uid"]}}});
            vec![change("one", Verb::Patch(by)), change("two", Verb::Create(issue()))]
        }),
    };
    let Committed { stored, left } = source.commit(batch).await.unwrap();
    assert_eq!(left.len(), 0);
    assert!(stored["metadata"]["uid"].is_string());
    assert_eq!(stored["metadata"]["annotations"]["made-as"], stored["metadata"]["uid"]);
    let told = notebook.versions();
    assert_eq!(
        (told.len(), Some(&*told[&address(Kind::Issue, "one")])),
        (2, stored["metadata"]["resourceVersion"].as_str())
    );
}

#[tokio::test]
async fn a_batch_of_which_a_part_is_refused_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("opsdeck.db");
    let notebook = Arc::new(Notebook::default());
    let source = Embedded::open(&path, notebook.clone()).unwrap();
    for name in ["one", "two"] {
        source.write(change(name, Verb::Create(issue()))).await.unwrap();
    }
    let before = notebook.versions();
    let late = Change {
        precondition: Some("1".into()),
        ..change("one", risk(9))
    };
    let refusals: [(Change, Told); 5] = [
        (change("one", Verb::Create(issue())), |error| {
            matches!(error, WriteError::Exists(_))
        }),
        (change("absent", risk(1)), |error| {
            matches!(error, WriteError::NotFound(_))
        }),
        (late, |error| matches!(error, WriteError::Conflict(..))),
        (change("four", nothing()), |error| {
            matches!(error, WriteError::Rejected(_))
        }),
        (change("one", Verb::Patch(json!(7))), |error| {
            matches!(error, WriteError::Invalid { .. })
        }),
    ];
    for (refused, told) in refusals {
        let rest = vec![
            change("three", Verb::Create(issue())),
            change("two", Verb::Delete),
            refused,
            change("five", Verb::Create(issue())),
        ];
        let outcome = source.commit(Batch::new(change("one", risk(5)), rest)).await;
        assert!(outcome.as_ref().is_err_and(told), "{outcome:?}");
        assert_eq!(notebook.versions(), before, "nobody is told of it");
    }
    drop(source);
    let again = Arc::new(Notebook::default());
    let source = Embedded::open(&path, again.clone()).unwrap();
    assert_eq!(again.versions(), before, "nor is it in the file");
    let next = source.write(change("one", risk(6))).await.unwrap();
    let versions: BTreeSet<u64> = before.values().map(|version| version.parse().unwrap()).collect();
    let next: u64 = next["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap();
    assert_eq!(Some(&(next - 1)), versions.last(), "no version was spent on it");
}

#[tokio::test]
async fn a_batch_that_is_refused_takes_no_other_with_it() {
    let directory = tempfile::tempdir().unwrap();
    let notebook = Arc::new(Notebook::default());
    let source = Embedded::open(&directory.path().join("opsdeck.db"), notebook.clone()).unwrap();
    let name = |n: usize, part: &str| format!("{part}-{n}");
    // More than share a transaction, and sent before the first of them is stored.
    let outcomes = join_all((0..200).map(|n| {
        let last = match n % 3 {
            0 => nothing(),
            _ => Verb::Create(issue()),
        };
        let first = change(&name(n, "first"), Verb::Create(issue()));
        source.commit(Batch::new(first, vec![change(&name(n, "last"), last)]))
    }))
    .await;
    let told = notebook.versions();
    for (n, outcome) in outcomes.into_iter().enumerate() {
        let there = ["first", "last"].map(|part| told.contains_key(&address(Kind::Issue, &name(n, part))));
        assert_eq!((outcome.is_ok(), there), (n % 3 != 0, [n % 3 != 0; 2]), "{n}");
    }
}

#[tokio::test]
async fn an_object_that_is_stored_as_no_json_takes_no_innocent_with_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("opsdeck.db");
    let notebook = Arc::new(Notebook::default());
    let source = Embedded::open(&path, notebook.clone()).unwrap();
    source.write(change("damaged", Verb::Create(issue()))).await.unwrap();
    let others = rusqlite::Connection::open(&path).unwrap();
    let damage = "UPDATE objects SET object = '{' WHERE name = 'damaged'";
    assert_eq!(others.execute(damage, []).unwrap(), 1);
    // More than share a transaction, and sent before the first of them is stored.
    let outcomes = join_all((0..200).map(|n| {
        let made = change(&format!("made-{n}"), Verb::Create(issue()));
        let rest = (n % 3 == 0).then(|| change("damaged", risk(n)));
        source.commit(Batch::new(made, rest.into_iter().collect()))
    }))
    .await;
    let told = notebook.versions();
    for (n, outcome) in outcomes.into_iter().enumerate() {
        let there = told.contains_key(&address(Kind::Issue, &format!("made-{n}")));
        assert_eq!((outcome.is_ok(), there), (n % 3 != 0, n % 3 != 0), "{n}: {outcome:?}");
        assert!(
            matches!(outcome, Ok(_) | Err(WriteError::Damaged(..))),
            "{n}: {outcome:?}"
        );
    }
}

/// Has this written after every write of an incident by others.
struct Follows(Vec<Change>);

impl Judge for Follows {
    fn judge(&mut self, _: &Object) -> Option<Value> {
        None
    }

    fn consequences(&mut self, _: Option<&Value>, _: &Object) -> Vec<Change> {
        self.0.clone()
    }
}

#[tokio::test]
async fn what_follows_by_judgement_goes_the_same_way() {
    let notebook = Arc::new(Notebook::default());
    let source = Embedded::in_memory(notebook.clone()).unwrap();
    source.write(change("one", Verb::Create(issue()))).await.unwrap();
    let follows = |names: &[&str]| {
        let created = names.iter().map(|name| change(name, Verb::Create(issue())));
        Follows(created.collect())
    };
    // There is one already, and of the other there is nothing to be written to.
    let Follows(mut changes) = follows(&["one", "two"]);
    changes.insert(0, change("absent", risk(1)));
    source.judge_with(Follows(changes));
    source.write(change("one", risk(1))).await.unwrap();
    assert_eq!(notebook.versions().len(), 2);

    let before = notebook.versions();
    let Follows(mut changes) = follows(&["three"]);
    changes.push(change("four", nothing()));
    source.judge_with(Follows(changes));
    let refused = source.write(change("one", risk(2))).await;
    assert!(matches!(refused, Err(WriteError::Rejected(_))), "{refused:?}");
    assert_eq!(notebook.versions(), before);
}
