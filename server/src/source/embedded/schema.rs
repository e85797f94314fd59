//! The store's file: how it is created, recognised, migrated and refused. What is in it belongs to `store`.

use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

/// Marks the file as ours ("OPSD"), so that another program's database is never written to.
const APPLICATION: i32 = 0x4f50_5344;

/// Step `n` takes schema `n` to `n + 1`. A released step is never edited.
pub(super) const STEPS: &[&str] = &["
    -- Keyed by the last change, so that what changed since some moment is one range of the table.
    CREATE TABLE objects (
        version   INTEGER PRIMARY KEY,
        kind      TEXT NOT NULL,
        namespace TEXT NOT NULL,
        name      TEXT NOT NULL,
        object    TEXT NOT NULL,
        UNIQUE (kind, namespace, name)
    ) STRICT;
    CREATE TABLE deleted (
        version   INTEGER PRIMARY KEY,
        kind      TEXT NOT NULL,
        namespace TEXT NOT NULL,
        name      TEXT NOT NULL
    ) STRICT;
    -- One row. Deletions up to and including `forgotten` are no longer in `deleted`.
    CREATE TABLE clock (version INTEGER NOT NULL, forgotten INTEGER NOT NULL) STRICT;
    INSERT INTO clock VALUES (0, 0);
"];

/// Longer than a large import holds the lock.
const BUSY: Duration = Duration::from_secs(60);

/// Why a store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{} is not an Opsdeck store", .0.display())]
    Foreign(PathBuf),
    #[error("{} was written by a newer Opsdeck: its schema is {found}, this version knows up to {known}", .path.display())]
    Newer { path: PathBuf, found: usize, known: usize },
    #[error("{} does not exist", .0.display())]
    Missing(PathBuf),
    #[error("{} cannot be opened: {cause}", .path.display())]
    Unreadable {
        path: PathBuf,
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Opens the store in `path`, created when absent, brought to the newest of `steps`.
pub(super) fn open(path: &Path, steps: &[&str]) -> Result<Connection, OpenError> {
    create_private(path).map_err(|cause| unreadable(path, cause))?;
    open_existing(path, steps)
}

/// Opens the store in `path`, or says that there is none.
pub(super) fn open_existing(path: &Path, steps: &[&str]) -> Result<Connection, OpenError> {
    if !path.exists() {
        return Err(OpenError::Missing(path.to_owned()));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(|cause| unreadable(path, cause))?;
    prepare(&mut connection, path, steps)?;
    Ok(connection)
}

pub(super) fn in_memory(steps: &[&str]) -> Result<Connection, OpenError> {
    let path = Path::new(":memory:");
    let mut connection = Connection::open_in_memory().map_err(|cause| unreadable(path, cause))?;
    migrate(&mut connection, steps).map_err(|cause| unreadable(path, cause))?;
    Ok(connection)
}

/// The store holds what notification policies hold, webhooks' secrets included, so that it is its owner's alone.
fn create_private(path: &Path) -> io::Result<()> {
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        std::fs::create_dir_all(directory)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

fn prepare(connection: &mut Connection, path: &Path, steps: &[&str]) -> Result<(), OpenError> {
    let wrap = |cause| unreadable(path, cause);
    connection.busy_timeout(BUSY).map_err(wrap)?;
    let version = recognise(connection, path, steps)?;
    // FULL: an answered write is on the disk, so that neither a kill nor a power cut takes it back.
    connection
        .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864;")
        .map_err(wrap)?;
    if version < steps.len() {
        if version > 0 {
            copy(connection, path, version)?;
        }
        migrate(connection, steps).map_err(wrap)?;
    }
    Ok(())
}

/// The schema of the file; 0 for one that is still empty.
fn recognise(connection: &Connection, path: &Path, steps: &[&str]) -> Result<usize, OpenError> {
    let number = |sql: &str| {
        connection
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .map_err(|cause| unreadable(path, cause))
    };
    let application = number("PRAGMA application_id")?;
    let empty = number("SELECT count(*) FROM sqlite_schema")? == 0;
    if application != i64::from(APPLICATION) && !(application == 0 && empty) {
        return Err(OpenError::Foreign(path.to_owned()));
    }
    let found = usize::try_from(number("PRAGMA user_version")?).unwrap_or(usize::MAX);
    if found > steps.len() {
        return Err(OpenError::Newer {
            path: path.to_owned(),
            found,
            known: steps.len(),
        });
    }
    Ok(found)
}

/// Leaves `<file>.v<version>` beside the store, the way back for whoever needs the older program again.
fn copy(connection: &Connection, path: &Path, version: usize) -> Result<(), OpenError> {
    let beside = |suffix: String| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let (target, partial) = (beside(format!(".v{version}")), beside(format!(".v{version}.partial")));
    match std::fs::remove_file(&partial) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(unreadable(&partial, cause)),
        _ => {}
    }
    create_private(&partial).map_err(|cause| unreadable(&partial, cause))?;
    connection
        .execute("VACUUM INTO ?1", [partial.to_string_lossy()])
        .map_err(|cause| unreadable(&partial, cause))?;
    std::fs::rename(&partial, &target).map_err(|cause| unreadable(&target, cause))
}

fn migrate(connection: &mut Connection, steps: &[&str]) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been here between the look and the lock.
    let version: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let version = usize::try_from(version).unwrap_or(usize::MAX);
    let Some(missing) = steps.get(version..).filter(|missing| !missing.is_empty()) else {
        return Ok(());
    };
    for step in missing {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", i64::try_from(steps.len()).unwrap_or(i64::MAX))?;
    transaction.commit()
}

pub(super) fn unreadable(path: &Path, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> OpenError {
    OpenError::Unreadable {
        path: path.to_owned(),
        cause: cause.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEXT: &str = "ALTER TABLE objects ADD COLUMN later TEXT NOT NULL DEFAULT 'x'";

    fn number(connection: &Connection, sql: &str) -> i64 {
        connection.query_row(sql, [], |row| row.get(0)).expect("a number")
    }

    fn fill(path: &Path) {
        let connection = open(path, STEPS).expect("a new store");
        connection
            .execute("INSERT INTO objects VALUES (1, 'Issue', 'shop', 'one', '{}')", [])
            .expect("a row");
    }

    #[test]
    fn an_older_file_is_copied_and_then_migrated() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("opsdeck.db");
        fill(&path);
        let steps = [STEPS, &[NEXT]].concat();
        let connection = open(&path, &steps).expect("a migrated store");
        assert_eq!(number(&connection, "PRAGMA user_version"), 2);
        assert_eq!(number(&connection, "SELECT count(*) FROM objects WHERE later = 'x'"), 1);
        let copy = open(&directory.path().join("opsdeck.db.v1"), STEPS).expect("the older store");
        assert_eq!(number(&copy, "SELECT count(*) FROM objects"), 1);
        assert!(!directory.path().join("opsdeck.db.v1.partial").exists());
    }

    #[test]
    fn a_failed_migration_leaves_the_file_as_it_was() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("opsdeck.db");
        fill(&path);
        let steps = [STEPS, &[NEXT, "SELECT no_such_function()"]].concat();
        assert!(matches!(open(&path, &steps), Err(OpenError::Unreadable { .. })));
        let connection = open(&path, STEPS).expect("the store as it was");
        assert_eq!(
            number(
                &connection,
                "SELECT count(*) FROM pragma_table_info('objects') WHERE name = 'later'"
            ),
            0
        );
    }

    #[test]
    fn a_newer_file_is_refused() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("opsdeck.db");
        drop(open(&path, &[STEPS, &[NEXT]].concat()).expect("a newer store"));
        let refusal = open(&path, STEPS).expect_err("a refusal");
        assert!(
            refusal
                .to_string()
                .ends_with("was written by a newer Opsdeck: its schema is 2, this version knows up to 1")
        );
    }
}
