//! The one error of the API: what the client is told, and, apart from it, what the log is told.

use crate::{access::caller::Refusal, catalog::Unsortable};
use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue, StatusCode, header};
use opsdeck_api::{API_VERSION, ErrorBody, FieldError, Reason};
use std::sync::Arc;

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

    /// Nothing can be said about objects of this kind: they cannot be had.
    pub fn kind_unavailable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, Reason::KindUnavailable, message).retry_after(Self::ABSENT)
    }

    /// What is asked for may be had in a moment.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, Reason::Unavailable, message).retry_after(Self::AWAY)
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
            fields: self.0.fields.clone(),
            request_id: Some(request_id.to_owned()),
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::CrossSite => Self::forbidden(refusal.message()),
            Refusal::NoKeysConfigured | Refusal::Missing | Refusal::Invalid => Self::unauthorized(refusal.message()),
        }
    }
}

impl From<Unsortable> for Error {
    fn from(error: Unsortable) -> Self {
        Self::invalid("sort", error.to_string())
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
