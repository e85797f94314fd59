//! Writes: a merge patch of just the members, on the resourceVersion that the decision was based on. What comes back is in the
//! catalog before it is answered. What the API server says against it is put in words of ours; its own go to the log.

use super::{Kubernetes, api, intake::Ticket, raw::Raw};
use crate::{
    resources::{Invalid, Kind, Object},
    source::{Address, Batch, Change, Committed, Committing, Source, Standing, Verb, WriteError},
};
use kube::{
    Api, Resource as _, ResourceExt as _,
    api::{DeleteParams, Patch, PatchParams, PostParams, Preconditions},
    core::Status,
};
use serde_json::{Map, Value, json};
use std::{error::Error as _, io, iter, time::Duration};
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

impl Kubernetes {
    async fn write_one(&self, change: Change) -> Result<Value, WriteError> {
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
    }
}

impl Source for Kubernetes {
    fn commit(&self, Batch { first, then }: Batch) -> Committing<'_> {
        Box::pin(async move {
            let stored = self.write_one(first).await?;
            let left = then(&stored);
            Ok(Committed { stored, left })
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
        Verb::Delete => {
            // The API server does not say how the object was that it deletes, so it is looked at first.
            let last = match api.get(&name).await {
                Ok(last) => last,
                Err(error) if may_have_arrived(&error) => {
                    return Err(Refused::Said(WriteError::Unavailable(error.into())));
                }
                Err(error) => return Err(refusal(address, creates, error)),
            };
            delete(api, &name, last, precondition).await
        }
    };
    answer.map_err(|error| refusal(address, creates, error))
}

/// Whether the API server may have got the request, and done it, although it failed so.
fn may_have_arrived(error: &kube::Error) -> bool {
    use std::io::ErrorKind::{ConnectionRefused, HostUnreachable, NetworkUnreachable};
    match error {
        kube::Error::Service(_) | kube::Error::HyperError(_) => {
            let causes = iter::successors(error.source(), |&cause| cause.source());
            let nowhere =
                |cause: &io::Error| matches!(cause.kind(), ConnectionRefused | HostUnreachable | NetworkUnreachable);
            !causes.filter_map(|cause| cause.downcast_ref()).any(nowhere)
        }
        // An answer that cannot be read is one all the same.
        kube::Error::SerdeError(_) | kube::Error::FromUtf8(_) => true,
        // It passes on that others, such as etcd, have failed it half-way.
        kube::Error::Api(status) => matches!(status.code, 500 | 502 | 504) || status.reason == "Timeout",
        _ => false,
    }
}

async fn delete(api: &Api<Raw>, name: &str, last: Raw, precondition: Option<String>) -> kube::Result<Outcome> {
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
    if may_have_arrived(&error) {
        tracing::warn!(%error, ?address, "what became of a write is not known");
        return Refused::Said(WriteError::Timeout(address));
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;

    fn told(error: kube::Error) -> WriteError {
        let address = Address {
            kind: Kind::Issue,
            namespace: "shop".into(),
            name: "checkout-oom".into(),
        };
        match refusal(address, false, error) {
            Refused::Said(error) => error,
            Refused::Stale => panic!("it is no conflict"),
        }
    }

    fn answered(code: u16, reason: &str) -> kube::Error {
        kube::Error::Api(Box::new(Status::failure("of the cluster", reason).with_code(code)))
    }

    #[test]
    fn whatever_may_have_been_done_is_not_called_undone() {
        let broke = |kind: ErrorKind| kube::Error::Service(io::Error::from(kind).into());
        let unread = serde_json::from_str::<Value>("{").unwrap_err();
        for error in [
            broke(ErrorKind::ConnectionReset),
            broke(ErrorKind::UnexpectedEof),
            kube::Error::Service("the connection was closed before the answer was whole".into()),
            kube::Error::SerdeError(unread),
            answered(500, "InternalError"),
            answered(502, ""),
            answered(504, "Timeout"),
        ] {
            let text = error.to_string();
            assert!(matches!(told(error), WriteError::Timeout(_)), "{text}");
        }
    }

    #[test]
    fn what_was_never_heard_was_not_done() {
        let refused = io::Error::from(ErrorKind::ConnectionRefused);
        for error in [
            kube::Error::Service(refused.into()),
            answered(503, "ServiceUnavailable"),
            answered(429, "TooManyRequests"),
        ] {
            let text = error.to_string();
            assert!(matches!(told(error), WriteError::Unavailable(_)), "{text}");
        }
    }
}
