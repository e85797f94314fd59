//! The one error of the API: what the client is told, and, apart from it, what the log is told.

use crate::{
    access::{caller::Refusal, limits::Exhausted},
    catalog::Unsortable,
    payload::Unreadable,
    resources::{Invalid, moment},
    rules::{
        ballot,
        decision::Hand,
        postmortem, runbook,
        triage::{self, AlreadyResolved, BadSnooze},
    },
    source::{self, WriteError},
};
use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue, StatusCode, header};
use opsdeck_api::{API_VERSION, ErrorBody, FieldError, Reason};
use std::{any::Any, sync::Arc};

type Cause = Arc<dyn std::error::Error + Send + Sync>;

/// Leaves a handler by `?`; `answer::finish` writes the body, because only there the request's id is known.
#[derive(Clone, Debug)]
pub struct Error(Box<Problem>);

#[derive(Clone, Debug)]
struct Problem {
    status: StatusCode,
    reason: Reason,
    message: String,
    by: Option<String>,
    at: Option<String>,
    plan_hash: Option<String>,
    fields: Vec<FieldError>,
    header: Option<(HeaderName, HeaderValue)>,
    cause: Option<Cause>,
}

// === impl Error ===

impl Error {
    /// In seconds, after which a kind that is missing is looked for again, and a source that is away.
    const ABSENT: u16 = 10;
    const AWAY: u16 = 5;

    fn new(status: StatusCode, reason: Reason, message: impl Into<String>) -> Self {
        Self(Box::new(Problem {
            status,
            reason,
            message: message.into(),
            by: None,
            at: None,
            plan_hash: None,
            fields: Vec::new(),
            header: None,
            cause: None,
        }))
    }

    pub fn invalid(field: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let mut error = Self::new(StatusCode::BAD_REQUEST, Reason::Invalid, message.clone());
        error.0.fields.push(FieldError {
            field: field.to_owned(),
            message,
        });
        error
    }

    pub fn unauthorized(message: &str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, Reason::Unauthorized, message)
    }

    pub fn forbidden(message: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, Reason::Forbidden, message)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, Reason::NotFound, message)
    }

    /// `allow`: the methods that the path does know.
    pub fn method_not_allowed(message: impl Into<String>, allow: HeaderValue) -> Self {
        let mut error = Self::new(StatusCode::METHOD_NOT_ALLOWED, Reason::MethodNotAllowed, message);
        error.0.header = Some((header::ALLOW, allow));
        error
    }

    /// The name alone does not say which object is meant.
    pub fn ambiguous<'a>(noun: &str, name: &str, namespaces: impl Iterator<Item = &'a str>) -> Self {
        let namespaces = namespaces.collect::<Vec<_>>().join(", ");
        let message = format!("{noun} {name} is in several namespaces: {namespaces}. Say which with ?namespace=");
        Self::new(StatusCode::CONFLICT, Reason::Ambiguous, message)
    }

    pub fn address_too_long(limit: usize) -> Self {
        let message = format!("path and query together may be {limit} bytes long");
        Self::new(StatusCode::URI_TOO_LONG, Reason::TooLarge, message)
    }

    /// A bug of ours. What a panic says may hold anything, so it is for the log alone.
    pub fn panicked(message: &(dyn Any + Send)) -> Self {
        let text = message.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| message.downcast_ref::<&str>().copied());
        Self::internal(std::io::Error::other(format!(
            "panic: {}",
            text.unwrap_or("without a message")
        )))
    }

    /// Somebody else was quicker; who, where it can be told.
    pub fn conflict(hand: Option<Hand>) -> Self {
        let who = hand.as_ref().map_or("somebody else", |hand| &hand.by);
        let message = format!("{who} changed it meanwhile; read it again and repeat");
        Self::new(StatusCode::CONFLICT, Reason::Conflict, message).of(hand)
    }

    /// What has the name now is another object than the one that was decided about.
    pub fn replaced() -> Self {
        let message = "it was deleted and made anew meanwhile; read it again";
        Self::new(StatusCode::CONFLICT, Reason::Conflict, message)
    }

    /// Puts what was to be done before the message: `failed to resolve: …`.
    #[must_use]
    pub fn failing_to(mut self, infinitive: &str) -> Self {
        self.0.message = format!("failed to {infinitive}: {}", self.0.message);
        self
    }

    fn of(mut self, hand: Option<Hand>) -> Self {
        if let Some(Hand { by, at }) = hand {
            self.0.by = Some(by);
            self.0.at = at.map(moment::written);
        }
        self
    }

    /// Nothing can be said about objects of this kind: they cannot be had.
    pub fn kind_unavailable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, Reason::KindUnavailable, message).retry_after(Self::ABSENT)
    }

    /// What is asked for may be had in a moment.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, Reason::Unavailable, message).retry_after(Self::AWAY)
    }

    /// What the object's own schema does not take.
    fn unprocessable(causes: Vec<Invalid>) -> Self {
        let texts: Vec<String> = causes.iter().map(ToString::to_string).collect();
        let mut error = Self::new(StatusCode::UNPROCESSABLE_ENTITY, Reason::Invalid, texts.join("; "));
        error.0.fields = causes
            .into_iter()
            .map(|Invalid { field, message }| FieldError { field, message })
            .collect();
        error
    }

    fn because(mut self, cause: source::Cause) -> Self {
        self.0.cause = Some(Arc::from(cause));
        self
    }

    fn retry_after(mut self, seconds: u16) -> Self {
        self.0.header = Some((header::RETRY_AFTER, seconds.into()));
        self
    }

    /// Something of ours went wrong: the client learns the request id, the log learns the rest.
    pub fn internal(cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        let mut error = Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            Reason::Internal,
            "something went wrong here; the log tells more under this request id",
        );
        error.0.cause = Some(Arc::new(cause));
        error
    }

    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    pub fn reason(&self) -> Reason {
        self.0.reason
    }

    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Who won, for a lost race.
    pub fn by(&self) -> Option<&str> {
        self.0.by.as_deref()
    }

    /// Writes the log's side, for what is ours to mend.
    pub fn log(&self, request_id: &str) {
        if let Some(cause) = &self.0.cause {
            tracing::error!(request.id = request_id, status = self.0.status.as_u16(), error = %cause, "request failed");
        }
    }

    pub fn body(&self, request_id: &str) -> ErrorBody {
        ErrorBody {
            api_version: API_VERSION.into(),
            kind: "Error".into(),
            error: self.0.status.canonical_reason().unwrap_or_default().into(),
            code: self.0.status.as_u16(),
            message: self.0.message.clone(),
            reason: Some(self.0.reason),
            by: self.0.by.clone(),
            at: self.0.at.clone(),
            plan_hash: self.0.plan_hash.clone(),
            fields: self.0.fields.clone(),
            request_id: Some(request_id.to_owned()),
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::CrossSite | Refusal::OthersPage => Self::forbidden(refusal.message()),
            Refusal::NoKeysConfigured | Refusal::Missing | Refusal::Invalid => Self::unauthorized(refusal.message()),
        }
    }
}

impl From<Exhausted> for Error {
    fn from(Exhausted { limit }: Exhausted) -> Self {
        let message = format!("rate limit exceeded: {} requests per minute", limit.0);
        let mut error = Self::new(StatusCode::TOO_MANY_REQUESTS, Reason::RateLimited, message);
        error.0.header = Some((header::RETRY_AFTER, limit.retry_after().into()));
        error
    }
}

impl From<Unreadable> for Error {
    fn from(unreadable: Unreadable) -> Self {
        let reason = match unreadable {
            Unreadable::TooLarge(_) => Reason::TooLarge,
            Unreadable::TooSlow => Reason::Timeout,
            Unreadable::BrokenOff => Reason::Invalid,
        };
        Self::new(unreadable.status(), reason, unreadable.to_string())
    }
}

impl From<Unsortable> for Error {
    fn from(error: Unsortable) -> Self {
        Self::invalid("sort", error.to_string())
    }
}

impl From<BadSnooze> for Error {
    fn from(error: BadSnooze) -> Self {
        Self::invalid("duration", format!("invalid duration: {error}"))
    }
}

impl From<AlreadyResolved> for Error {
    fn from(resolved: AlreadyResolved) -> Self {
        let mut error = Self::new(StatusCode::CONFLICT, Reason::AlreadyResolved, resolved.to_string());
        error.0.by = resolved.by;
        error.0.at = resolved.at.map(moment::written);
        error
    }
}

impl From<triage::Refusal> for Error {
    fn from(refusal: triage::Refusal) -> Self {
        match refusal {
            triage::Refusal::AlreadyResolved(resolved) => resolved.into(),
            triage::Refusal::NothingToUndo(_) => {
                Self::new(StatusCode::CONFLICT, Reason::NothingToUndo, refusal.to_string())
            }
        }
    }
}

impl From<postmortem::Misfit> for Error {
    fn from(postmortem::Misfit { field, message }: postmortem::Misfit) -> Self {
        Self::invalid(field, message)
    }
}

impl From<runbook::Hidden> for Error {
    fn from(hidden: runbook::Hidden) -> Self {
        let message = hidden.to_string();
        Self::invalid(&hidden.field, message)
    }
}

impl From<postmortem::Refusal> for Error {
    fn from(refusal: postmortem::Refusal) -> Self {
        let (status, reason) = match refusal {
            postmortem::Refusal::HumanActionRequired => (StatusCode::CONFLICT, Reason::HumanActionRequired),
            postmortem::Refusal::NothingRequired => (StatusCode::BAD_REQUEST, Reason::Invalid),
        };
        Self::new(status, reason, refusal.to_string())
    }
}

impl From<ballot::Refusal> for Error {
    fn from(refusal: ballot::Refusal) -> Self {
        use ballot::Refusal::{Decided, Expired, PlanChanged, Voted};
        let reason = match refusal {
            Decided { .. } | Voted(_) => Reason::AlreadyDecided,
            Expired { .. } => Reason::Expired,
            PlanChanged { .. } => Reason::PlanChanged,
        };
        let mut error = Self::new(StatusCode::CONFLICT, reason, refusal.to_string());
        match refusal {
            Decided { by, at, .. } => {
                error.0.by = by;
                error.0.at = at.map(moment::written);
            }
            Voted(hand) => return error.of(Some(hand)),
            Expired { at } => error.0.at = at.map(moment::written),
            PlanChanged { hash } => error.0.plan_hash = Some(hash),
        }
        error
    }
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::NotFound(at) => Self::not_found(format!(
                "{} not found: there is no {} in namespace {}",
                at.kind, at.name, at.namespace
            )),
            WriteError::Exists(at) => Self::new(
                StatusCode::CONFLICT,
                Reason::Exists,
                format!("{} {} exists already in namespace {}", at.kind, at.name, at.namespace),
            ),
            WriteError::Conflict(..) => Self::conflict(None),
            WriteError::Invalid { field, message } => Self::unprocessable(vec![Invalid { field, message }]),
            WriteError::Rejected(causes) => Self::unprocessable(causes),
            WriteError::NoNamespace(namespace) => Self::not_found(format!("there is no namespace {namespace}")),
            WriteError::ForbiddenByCluster(cause) => Self::new(
                StatusCode::FORBIDDEN,
                Reason::ForbiddenByCluster,
                "the cluster does not let this server do it, whatever your key may do here: its role lacks the right",
            )
            .because(cause),
            WriteError::KindUnavailable(kind) => {
                Self::kind_unavailable(format!("the cluster does not know the kind {kind}"))
            }
            WriteError::Timeout(at) => Self::new(
                StatusCode::GATEWAY_TIMEOUT,
                Reason::Timeout,
                format!(
                    "no answer in time about {}: look before you repeat it, it may be done",
                    at.name
                ),
            ),
            WriteError::Damaged(at, cause) => Self::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                Reason::Internal,
                format!(
                    "{at} is stored damaged and cannot be changed: an admin can replace it by `opsdeck import`, from a dump"
                ),
            )
            .because(cause),
            WriteError::Unavailable(cause) => {
                Self::unavailable("nothing can be written at the moment; try again shortly").because(cause)
            }
        }
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let mut response = self.0.status.into_response();
        if let Some((name, value)) = self.0.header.clone() {
            response.headers_mut().insert(name, value);
        }
        response.extensions_mut().insert(self);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{resources::Kind, source::Address};

    fn told(error: WriteError) -> (u16, Reason, String) {
        let error = Error::from(error).failing_to("resolve");
        (error.status().as_u16(), error.reason(), error.message().to_owned())
    }

    #[test]
    fn every_failed_write_has_its_answer() {
        let issue = || Address {
            kind: Kind::Issue,
            namespace: "shop".into(),
            name: "checkout-oom".into(),
        };
        assert_eq!(
            told(WriteError::NotFound(issue())),
            (
                404,
                Reason::NotFound,
                "failed to resolve: Issue not found: there is no checkout-oom in namespace shop".into()
            )
        );
        assert_eq!(
            told(WriteError::Exists(issue())),
            (
                409,
                Reason::Exists,
                "failed to resolve: Issue checkout-oom exists already in namespace shop".into()
            )
        );
        assert_eq!(
            told(WriteError::Conflict(issue(), Box::default())),
            (
                409,
                Reason::Conflict,
                "failed to resolve: somebody else changed it meanwhile; read it again and repeat".into()
            )
        );
        let forbidden = WriteError::ForbiddenByCluster("serviceaccount ops:opsdeck cannot patch".into());
        let (status, reason, message) = told(forbidden);
        assert_eq!((status, reason), (403, Reason::ForbiddenByCluster));
        assert!(!message.contains("serviceaccount"), "{message}");
        assert_eq!(told(WriteError::Timeout(issue())).0, 504);
        assert_eq!(
            told(WriteError::NoNamespace("shop".into())),
            (
                404,
                Reason::NotFound,
                "failed to resolve: there is no namespace shop".into()
            )
        );
        assert_eq!(told(WriteError::KindUnavailable(Kind::Issue)).0, 503);
        let rejected = Error::from(WriteError::Rejected(vec![
            Invalid {
                field: "spec.steps".into(),
                message: "Required value".into(),
            },
            Invalid {
                field: "spec.trigger.severity".into(),
                message: "Unsupported value".into(),
            },
        ]));
        assert_eq!((rejected.status().as_u16(), rejected.body("").fields.len()), (422, 2));
        let invalid = WriteError::Invalid {
            field: "spec.steps".into(),
            message: "is required".into(),
        };
        let answered = Error::from(invalid);
        assert_eq!((answered.status().as_u16(), answered.reason()), (422, Reason::Invalid));
        assert_eq!(answered.body("").fields[0].field, "spec.steps");
    }

    #[test]
    fn what_is_stored_damaged_is_not_worth_another_try() {
        let error = Error::from(WriteError::Damaged(
            "Issue a in namespace b".into(),
            "EOF at line 1".into(),
        ));
        assert!(error.message().contains("opsdeck import") && !error.message().contains("EOF"));
        let response = error.into_response();
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(!response.headers().contains_key(header::RETRY_AFTER));
    }

    #[test]
    fn a_store_that_is_away_is_worth_another_try_and_its_words_stay_inside() {
        let error = Error::from(WriteError::Unavailable("disk full on /var/lib".into()));
        assert!(!error.message().contains("disk"), "{}", error.message());
        let response = error.into_response();
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(response.headers()[header::RETRY_AFTER], "5");
    }
}
