//! Objects in SQLite: one connection, its transactions, and what they changed in the order in which they changed it.
//! Threads and the answering of requests belong to `embedded`; the rules of a write to `semantics`.

use super::{
    Judge,
    schema::{self, OpenError},
    semantics::{self, Birth},
};
use crate::{
    resources::{Kind, Object, refusals},
    source::{Address, Batch, Change, Verb, WriteError},
};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};
use serde_json::Value;
use std::{fmt, path::Path, time::Duration};

/// Deletions kept for other processes to see; one that is further behind reads everything again.
const REMEMBERED: i64 = 10_000;

/// The objects, for one owner at a time. A server wraps it in [`Embedded`](super::Embedded); `import` and `export` use it as it is.
pub struct Store {
    connection: Connection,
    /// The version up to which everything has been told, where somebody wants to be told.
    told: Option<i64>,
}

/// Something that a reader has to be told.
pub(crate) enum News {
    Applied(Object),
    Deleted(Address),
    /// All there is of a kind.
    Everything(Kind, Vec<Object>),
}

/// What became of an object given to [`Session::upsert`].
#[derive(Debug)]
pub(crate) enum Upserted {
    Created(Value),
    Updated(Value),
    Unchanged,
}

impl From<StoreError> for WriteError {
    fn from(cause: StoreError) -> WriteError {
        match cause {
            StoreError::Damaged { at, cause } => WriteError::Damaged(at, cause.into()),
            StoreError::Database(_) => WriteError::Unavailable(cause.into()),
        }
    }
}

/// The file let us down: nothing of the transaction happened.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the store cannot be read or written: {0}")]
    Database(#[from] rusqlite::Error),
    #[error("{at} is stored as something other than JSON: {cause}")]
    Damaged { at: String, cause: serde_json::Error },
}

impl Store {
    /// Opens the file, made if absent.
    pub fn open(path: &Path) -> Result<Store, OpenError> {
        schema::open(path, schema::STEPS).map(Store::over)
    }

    /// Opens the file, which must be there.
    pub fn open_existing(path: &Path) -> Result<Store, OpenError> {
        schema::open_existing(path, schema::STEPS).map(Store::over)
    }

    pub fn in_memory() -> Result<Store, OpenError> {
        schema::in_memory(schema::STEPS).map(Store::over)
    }

    /// How long a write waits for another process that holds the file.
    pub(super) fn wait_for_others(&self, patience: Duration) -> rusqlite::Result<()> {
        self.connection.busy_timeout(patience)
    }

    fn over(connection: Connection) -> Store {
        Store { connection, told: None }
    }

    /// Calls `each` with every object as it is stored, by kind, namespace and name.
    pub fn each<E: From<StoreError>>(&self, mut each: impl FnMut(Value) -> Result<(), E>) -> Result<(), E> {
        let sql = "SELECT kind, namespace, name, object FROM objects ORDER BY kind, namespace, name";
        let mut statement = self.connection.prepare(sql).map_err(StoreError::from)?;
        let mut rows = statement.query([]).map_err(StoreError::from)?;
        while let Some(row) = rows.next().map_err(StoreError::from)? {
            each(Stored::read(row).map_err(StoreError::from)?.value()?)?;
        }
        Ok(())
    }

    /// Runs `work` as one transaction: at the end all of it is on the disk, or after an error none of it.
    /// `news` gets what other processes changed since the last time, then what `work` adds.
    pub(crate) fn transact<T, E: From<StoreError>>(
        &mut self,
        news: &mut Vec<News>,
        work: impl FnOnce(&mut Session<'_>, &mut Vec<News>) -> Result<T, E>,
    ) -> Result<T, E> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(StoreError::from)?;
        let version = clock(&transaction)?;
        if let Some(told) = self.told {
            catch_up(&transaction, told, version, news)?;
        }
        let mut session = Session { transaction, version };
        let result = work(&mut session, news)?;
        let version = session.commit()?;
        self.told = self.told.map(|_| version);
        Ok(result)
    }

    /// Tells everything, kind by kind, the first time; later what other processes changed since.
    pub(super) fn tell(&mut self, news: &mut Vec<News>) -> Result<(), StoreError> {
        let transaction = self.connection.transaction()?;
        let version = clock(&transaction)?;
        match self.told {
            Some(told) => catch_up(&transaction, told, version, news)?,
            None => load(&transaction, news)?,
        }
        transaction.commit()?;
        self.told = Some(version);
        Ok(())
    }

    /// Changes when another connection has committed.
    pub(super) fn data_version(&self) -> Result<i64, StoreError> {
        Ok(self.connection.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Store")
            .field("path", &self.connection.path())
            .field("told", &self.told)
            .finish()
    }
}

/// An open transaction.
pub(crate) struct Session<'a> {
    transaction: Transaction<'a>,
    version: i64,
}

impl Session<'_> {
    /// Writes the whole batch and answers its first object. After a refusal nothing is changed, unless it
    /// ends the transaction.
    pub(super) fn write(
        &mut self,
        batch: Batch,
        judge: Option<&mut (dyn Judge + 'static)>,
        news: &mut Vec<News>,
    ) -> Result<Value, WriteError> {
        let (version, told) = (self.version, news.len());
        self.execute("SAVEPOINT batch")?;
        let outcome = self.write_all(batch, judge, news);
        match &outcome {
            Ok(_) => {}
            Err(WriteError::Unavailable(_)) => return outcome,
            Err(_) => {
                self.execute("ROLLBACK TO batch")?;
                self.version = version;
                news.truncate(told);
            }
        }
        self.execute("RELEASE batch")?;
        outcome
    }

    fn execute(&self, sql: &str) -> Result<(), StoreError> {
        self.transaction.prepare_cached(sql)?.execute([])?;
        Ok(())
    }

    fn write_all(
        &mut self,
        Batch { first, then }: Batch,
        mut judge: Option<&mut (dyn Judge + 'static)>,
        news: &mut Vec<News>,
    ) -> Result<Value, WriteError> {
        let address = first.address.clone();
        let mut stored = self.write_one(first, judge.as_deref_mut(), news)?;
        for change in then(&stored) {
            let again = change.address == address;
            let object = self.write_one(change, judge.as_deref_mut(), news)?;
            if again {
                stored = object;
            }
        }
        Ok(stored)
    }

    /// One write as Kubernetes has it. A refusal may leave half of what follows from it.
    fn write_one(
        &mut self,
        change: Change,
        judge: Option<&mut (dyn Judge + 'static)>,
        news: &mut Vec<News>,
    ) -> Result<Value, WriteError> {
        let Change {
            address,
            precondition,
            verb,
        } = change;
        let stored = self.get(&address)?;
        let Some(stored) = stored else {
            let Verb::Create(object) = verb else {
                return Err(WriteError::NotFound(address));
            };
            let object = semantics::created(&address, object, Birth::now()?)?;
            return self.settle(&address, None, object, judge, news);
        };
        if let Verb::Create(_) = verb {
            return Err(WriteError::Exists(address));
        }
        semantics::expect_version(&address, &stored, precondition.map(Value::from).as_ref())?;
        let object = match verb {
            Verb::Patch(patch) => semantics::patched(&address, &stored, patch)?,
            Verb::PatchStatus(patch) => semantics::status_patched(&address, &stored, patch)?,
            Verb::Create(_) | Verb::Delete => {
                self.delete(&address)?;
                news.push(News::Deleted(address));
                return Ok(stored);
            }
        };
        if semantics::same(&stored, &object) {
            return Ok(stored);
        }
        self.settle(&address, Some(&stored), object, judge, news)
    }

    /// Lets the judge add to the write, checks that the outcome is one of its kind, and stores it with what follows.
    fn settle(
        &mut self,
        address: &Address,
        stored: Option<&Value>,
        mut object: Value,
        mut judge: Option<&mut (dyn Judge + 'static)>,
        news: &mut Vec<News>,
    ) -> Result<Value, WriteError> {
        if let Some(judge) = judge.as_deref_mut() {
            let verdict = judge.judge(&Object::parse(address.kind, object.clone())?);
            if let Some(patch) = verdict {
                object = semantics::status_patched(address, &object, patch)?;
            }
        }
        let text = self.stamp(&mut object);
        acceptable(address.kind, stored, &object)?;
        let typed = Object::parse(address.kind, object.clone())?;
        self.put(address, stored.is_some(), &text)?;
        let following = judge
            .map(|judge| judge.consequences(stored, &typed))
            .unwrap_or_default();
        news.push(News::Applied(typed));
        for change in following {
            let again = change.address == *address;
            match self.write_one(change, None, news) {
                Ok(stored) if again => object = stored,
                Ok(_) | Err(WriteError::Exists(_) | WriteError::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(object)
    }

    /// Stores an object of a dump, which the caller has found to be one of its kind. One that is stored damaged is replaced.
    pub(crate) fn upsert(&mut self, address: &Address, object: Value) -> Result<Upserted, WriteError> {
        let (stored, exists) = match self.get(address) {
            Ok(None) => (None, false),
            Ok(stored) => (stored, true),
            Err(StoreError::Damaged { .. }) => (None, true),
            Err(error) => return Err(error.into()),
        };
        let mut object = semantics::imported(address, object, stored.as_ref(), Birth::now)?;
        if stored.as_ref().is_some_and(|stored| semantics::same(stored, &object)) {
            return Ok(Upserted::Unchanged);
        }
        let text = self.stamp(&mut object);
        self.put(address, exists, &text)?;
        Ok(if exists {
            Upserted::Updated(object)
        } else {
            Upserted::Created(object)
        })
    }

    fn get(&self, address: &Address) -> Result<Option<Value>, StoreError> {
        let sql = "SELECT object FROM objects WHERE kind = ?1 AND namespace = ?2 AND name = ?3";
        let text: Option<String> = self
            .transaction
            .prepare_cached(sql)?
            .query_row(params![address.kind.as_str(), address.namespace, address.name], |row| {
                row.get(0)
            })
            .optional()?;
        text.map(|text| serde_json::from_str(&text))
            .transpose()
            .map_err(|cause| StoreError::Damaged {
                at: in_words(address.kind.as_str(), &address.namespace, &address.name),
                cause,
            })
    }

    /// Gives the object the next version.
    fn stamp(&mut self, object: &mut Value) -> String {
        self.version += 1;
        object["metadata"]["resourceVersion"] = self.version.to_string().into();
        object.to_string()
    }

    fn put(&self, address: &Address, exists: bool, text: &str) -> Result<(), StoreError> {
        let sql = if exists {
            "UPDATE objects SET version = ?4, object = ?5 WHERE kind = ?1 AND namespace = ?2 AND name = ?3"
        } else {
            "INSERT INTO objects (kind, namespace, name, version, object) VALUES (?1, ?2, ?3, ?4, ?5)"
        };
        let Address { kind, namespace, name } = address;
        self.transaction
            .prepare_cached(sql)?
            .execute(params![kind.as_str(), namespace, name, self.version, text])?;
        Ok(())
    }

    fn delete(&mut self, address: &Address) -> Result<(), StoreError> {
        self.version += 1;
        let Address { kind, namespace, name } = address;
        self.transaction.execute(
            "DELETE FROM objects WHERE kind = ?1 AND namespace = ?2 AND name = ?3",
            params![kind.as_str(), namespace, name],
        )?;
        self.transaction.execute(
            "INSERT INTO deleted (version, kind, namespace, name) VALUES (?1, ?2, ?3, ?4)",
            params![self.version, kind.as_str(), namespace, name],
        )?;
        let forgotten: Option<i64> = self
            .transaction
            .query_row(
                "SELECT version FROM deleted ORDER BY version DESC LIMIT 1 OFFSET ?1",
                [REMEMBERED],
                |row| row.get(0),
            )
            .optional()?;
        if let Some(forgotten) = forgotten {
            self.transaction
                .execute("DELETE FROM deleted WHERE version <= ?1", [forgotten])?;
            self.transaction
                .execute("UPDATE clock SET forgotten = ?1", [forgotten])?;
        }
        Ok(())
    }

    fn commit(self) -> Result<i64, StoreError> {
        self.transaction
            .execute("UPDATE clock SET version = ?1 WHERE version < ?1", [self.version])?;
        self.transaction.commit()?;
        Ok(self.version)
    }
}

/// Fails where the object breaks its schema in a way in which the stored one does not: what was imported as it was may be written on.
fn acceptable(kind: Kind, stored: Option<&Value>, object: &Value) -> Result<(), WriteError> {
    let mut refused = refusals(kind, object);
    if !refused.is_empty() {
        let known = stored.map(|stored| refusals(kind, stored)).unwrap_or_default();
        refused.retain(|reason| !known.contains(reason));
    }
    if refused.is_empty() {
        Ok(())
    } else {
        Err(WriteError::Rejected(refused))
    }
}

/// One row of `objects`.
struct Stored {
    kind: String,
    namespace: String,
    name: String,
    text: String,
}

fn in_words(kind: &str, namespace: &str, name: &str) -> String {
    format!("{kind} {name} in namespace {namespace}")
}

impl Stored {
    fn read(row: &Row<'_>) -> rusqlite::Result<Stored> {
        Ok(Stored {
            kind: row.get("kind")?,
            namespace: row.get("namespace")?,
            name: row.get("name")?,
            text: row.get("object")?,
        })
    }

    fn value(&self) -> Result<Value, StoreError> {
        serde_json::from_str(&self.text).map_err(|cause| StoreError::Damaged {
            at: in_words(&self.kind, &self.namespace, &self.name),
            cause,
        })
    }

    /// The object as its kind. What cannot be read stays in the store for whoever can, and out of sight.
    fn typed(&self) -> Option<Object> {
        let kind = kind_named(&self.kind)?;
        let object = self.value().map_err(|error| error.to_string());
        match object.and_then(|object| Object::parse(kind, object).map_err(|error| error.to_string())) {
            Ok(object) => Some(object),
            Err(error) => {
                tracing::warn!(
                    kind = self.kind,
                    namespace = self.namespace,
                    name = self.name,
                    error,
                    "stored object left out"
                );
                None
            }
        }
    }
}

fn kind_named(name: &str) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| kind.as_str() == name)
}

fn clock(transaction: &Transaction<'_>) -> Result<i64, StoreError> {
    Ok(transaction.query_row("SELECT version FROM clock", [], |row| row.get(0))?)
}

/// Tells what changed after `told`, up to `version`.
fn catch_up(transaction: &Transaction<'_>, told: i64, version: i64, news: &mut Vec<News>) -> Result<(), StoreError> {
    if version <= told {
        return Ok(());
    }
    let forgotten: i64 = transaction.query_row("SELECT forgotten FROM clock", [], |row| row.get(0))?;
    if told < forgotten {
        return load(transaction, news);
    }
    let mut changes = Vec::new();
    let mut statement = transaction.prepare_cached("SELECT * FROM objects WHERE version > ?1")?;
    let mut rows = statement.query([told])?;
    while let Some(row) = rows.next()? {
        if let Some(object) = Stored::read(row)?.typed() {
            changes.push((row.get::<_, i64>("version")?, News::Applied(object)));
        }
    }
    let mut statement =
        transaction.prepare_cached("SELECT version, kind, namespace, name FROM deleted WHERE version > ?1")?;
    let mut rows = statement.query([told])?;
    while let Some(row) = rows.next()? {
        if let Some(kind) = kind_named(&row.get::<_, String>(1)?) {
            let address = Address {
                kind,
                namespace: row.get(2)?,
                name: row.get(3)?,
            };
            changes.push((row.get(0)?, News::Deleted(address)));
        }
    }
    changes.sort_by_key(|(version, _)| *version);
    news.extend(changes.into_iter().map(|(_, change)| change));
    Ok(())
}

fn load(transaction: &Transaction<'_>, news: &mut Vec<News>) -> Result<(), StoreError> {
    let mut statement = transaction.prepare_cached("SELECT * FROM objects WHERE kind = ?1")?;
    for kind in Kind::ALL {
        let mut objects = Vec::new();
        let mut rows = statement.query([kind.as_str()])?;
        while let Some(row) = rows.next()? {
            objects.extend(Stored::read(row)?.typed());
        }
        news.push(News::Everything(kind, objects));
    }
    Ok(())
}
