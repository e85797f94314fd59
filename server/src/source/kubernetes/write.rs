//! Writes: a merge patch of just the members, on the resourceVersion that the decision was based on. What comes back is in the
//! catalog before it is answered. What the API server says against it is put in words of ours; its own go to the log.

use super::{Kubernetes, api, intake::Ticket, raw::Raw};
use crate::{
    resources::{Invalid, Kind, Object},
    source::{Address, Change, Source, Standing, Verb, WriteError, Written},
};
use kube::{
    Api, Resource as _, ResourceExt as _,
    api::{DeleteParams, Patch, PatchParams, PostParams, Preconditions},
    core::Status,
};
use serde_json::{Map, Value, json};
use std::time::Duration;
use tokio::time::timeout;

/// By which name the cluster knows what we wrote.
const MANAGER: &str = "opsdeck";
/// How long a caller is kept waiting, and how long while the API server is known to be away.
const DEADLINE: Duration = Duration::from_secs(10);
const DEADLINE_AWAY: Duration = Duration::from_secs(2);

/// The API server's last word on a write.
enum Outcome {
    Stored(Raw),
    /// As it last was.
    Deleted(Raw),
}

// === impl Kubernetes ===

impl Source for Kubernetes {
    fn write(&self, change: Change) -> Written<'_> {
        Box::pin(async move {
            let Some(scope) = self.scope(&change.address.namespace) else {
                return Err(out_of_sight(change));
            };
            let deadline = if self.board.away().is_some() {
                DEADLINE_AWAY
            } else {
                DEADLINE
            };
            let address = change.address.clone();
            let api = api(&self.client, address.kind, Some(&address.namespace));
            let ticket = self.intakes[&address.kind].begin(scope, &address);
            let outcome = match timeout(deadline, send(&api, change)).await {
                Ok(Ok(outcome)) => outcome,
                Ok(Err(Refused::Said(error))) => return Err(error),
                Ok(Err(Refused::Stale)) => return Err(conflict(&api, address, &ticket).await),
                Err(_) if self.board.away().is_some() => {
                    return Err(WriteError::Unavailable("the API server does not answer".into()));
                }
                Err(_) => return Err(WriteError::Timeout(address)),
            };
            Ok(match outcome {
                Outcome::Stored(raw) => stored(raw, address.kind, &ticket),
                Outcome::Deleted(last) => {
                    let version = last.resource_version().and_then(|version| version.parse().ok());
                    ticket.deleted(last.uid(), version);
                    last.into_value(address.kind)
                }
            })
        })
    }

    fn standing(&self, kind: Kind) -> Standing {
        self.board.standing(kind)
    }

    fn is_filled(&self) -> bool {
        self.board.is_filled()
    }
}

/// Puts what is stored now where the caller's next read will find it.
fn stored(raw: Raw, kind: Kind, ticket: &Ticket<'_>) -> Value {
    let value = raw.into_value(kind);
    match Object::parse(kind, value.clone()) {
        Ok(object) => ticket.written(object),
        // Written it is; the watch decides how an object is shown that we cannot read.
        Err(invalid) => tracing::warn!(%kind, %invalid, "what was written cannot be read"),
    }
    value
}

/// Somebody else was quicker. What they left is looked at, because the watch may not have shown it yet.
async fn conflict(api: &Api<Raw>, address: Address, ticket: &Ticket<'_>) -> WriteError {
    match timeout(DEADLINE, api.get(&address.name)).await {
        Ok(Ok(raw)) => {
            let value = stored(raw, address.kind, ticket);
            WriteError::Conflict(address, Box::new(value))
        }
        Ok(Err(kube::Error::Api(status))) if status.code == 404 => WriteError::NotFound(address),
        Ok(Err(error)) => WriteError::Unavailable(error.into()),
        Err(_) => WriteError::Unavailable("the API server does not answer".into()),
    }
}

/// What became of a write that was not made.
enum Refused {
    Said(WriteError),
    /// The object is not the one that the decision was based on.
    Stale,
}

async fn send(api: &Api<Raw>, change: Change) -> Result<Outcome, Refused> {
    let Change {
        address,
        precondition,
        verb,
    } = change;
    let creates = matches!(verb, Verb::Create(_));
    let params = PatchParams {
        field_manager: Some(MANAGER.into()),
        ..PatchParams::default()
    };
    let name = address.name.clone();
    let answer = match verb {
        Verb::Create(value) => {
            let params = PostParams {
                field_manager: Some(MANAGER.into()),
                ..PostParams::default()
            };
            let raw = Raw::new(born(&address, value)?);
            api.create(&params, &raw).await.map(Outcome::Stored)
        }
        Verb::Patch(mut patch) => {
            if address.kind.has_status()
                && let Value::Object(members) = &mut patch
            {
                members.remove("status");
            }
            let patch = Patch::Merge(conditional(patch, precondition)?);
            api.patch(&name, &params, &patch).await.map(Outcome::Stored)
        }
        Verb::PatchStatus(_) if !address.kind.has_status() => {
            let message = format!("{} has no status sub-resource", address.kind);
            return Err(invalid("status", &message));
        }
        Verb::PatchStatus(mut patch) => {
            let status = patch.get_mut("status").map_or(Value::Null, Value::take);
            let patch = Patch::Merge(conditional(json!({ "status": status }), precondition)?);
            api.patch_status(&name, &params, &patch).await.map(Outcome::Stored)
        }
        Verb::Delete => delete(api, &name, precondition).await,
    };
    answer.map_err(|error| refusal(address, creates, error))
}

/// The API server does not say how the object was that it deletes, so it is looked at first.
async fn delete(api: &Api<Raw>, name: &str, precondition: Option<String>) -> kube::Result<Outcome> {
    let last = api.get(name).await?;
    let params = DeleteParams {
        preconditions: Some(Preconditions {
            resource_version: precondition,
            uid: last.uid(),
        }),
        ..DeleteParams::default()
    };
    Ok(match api.delete(name, &params).await?.left() {
        // Something still has to be done before it may go; the watch tells when it has.
        Some(raw) if raw.meta().deletion_timestamp.is_some() => Outcome::Stored(raw),
        _ => Outcome::Deleted(last),
    })
}

/// The object with the name that it is to have.
fn born(address: &Address, mut value: Value) -> Result<Value, Refused> {
    let Value::Object(object) = &mut value else {
        return Err(invalid("", "an object is expected"));
    };
    object.insert("apiVersion".into(), address.kind.api_version().into());
    object.insert("kind".into(), address.kind.as_str().into());
    let metadata = metadata_of(object)?;
    metadata.insert("name".into(), address.name.as_str().into());
    metadata.insert("namespace".into(), address.namespace.as_str().into());
    Ok(value)
}

/// The patch, to be made on this version alone.
fn conditional(mut patch: Value, precondition: Option<String>) -> Result<Value, Refused> {
    let Value::Object(members) = &mut patch else {
        return Err(invalid("", "an object is expected"));
    };
    if let Some(version) = precondition {
        metadata_of(members)?.insert("resourceVersion".into(), version.into());
    }
    Ok(patch)
}

fn metadata_of(members: &mut Map<String, Value>) -> Result<&mut Map<String, Value>, Refused> {
    (members.entry("metadata").or_insert_with(|| Value::Object(Map::new())))
        .as_object_mut()
        .ok_or_else(|| invalid("metadata", "an object is expected"))
}

fn refusal(address: Address, creates: bool, error: kube::Error) -> Refused {
    let kube::Error::Api(status) = error else {
        return Refused::Said(WriteError::Unavailable(error.into()));
    };
    Refused::Said(match (status.code, status.reason.as_str()) {
        (409, "AlreadyExists") => WriteError::Exists(address),
        // A namespace that is on its way out takes nothing new.
        (409, _) | (403, _) if creates && ends(&status) => WriteError::NoNamespace(address.namespace),
        (409, _) if !creates => return Refused::Stale,
        (404, _) => match &status.details {
            Some(details) if details.kind == "namespaces" => WriteError::NoNamespace(address.namespace),
            Some(details) if details.name == address.name => WriteError::NotFound(address),
            _ => WriteError::KindUnavailable(address.kind),
        },
        (403, _) => WriteError::ForbiddenByCluster(status.into()),
        (400 | 413 | 422, _) => WriteError::Rejected(causes(*status)),
        (504, _) | (_, "Timeout") => WriteError::Timeout(address),
        _ => WriteError::Unavailable(status.into()),
    })
}

fn ends(status: &Status) -> bool {
    let causes = status.details.iter().flat_map(|details| &details.causes);
    causes.into_iter().any(|cause| cause.reason == "NamespaceTerminating")
}

/// The members at fault with what is wrong about each. What else an API server may say names objects and addresses.
fn causes(status: Status) -> Vec<Invalid> {
    let mut fields: Vec<_> = (status.details.into_iter())
        .flat_map(|details| details.causes)
        .filter(|cause| !cause.field.is_empty())
        .map(|cause| Invalid {
            field: cause.field,
            message: cause.message,
        })
        .collect();
    if fields.is_empty() {
        tracing::warn!(
            code = status.code,
            message = status.message,
            "the API server refuses a write without naming a member"
        );
        fields.push(Invalid {
            field: ".".into(),
            message: "the cluster does not take the object as it would be".into(),
        });
    }
    fields
}

/// Nobody could see what was written there.
fn out_of_sight(change: Change) -> WriteError {
    match change.verb {
        Verb::Create(_) => WriteError::Invalid {
            field: "metadata.namespace".into(),
            message: format!(
                "{} is not among the namespaces that are watched",
                change.address.namespace
            ),
        },
        _ => WriteError::NotFound(change.address),
    }
}

fn invalid(field: &str, message: &str) -> Refused {
    Refused::Said(WriteError::Invalid {
        field: field.into(),
        message: message.into(),
    })
}
