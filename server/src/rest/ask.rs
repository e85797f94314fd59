//! What a handler is asked: by whom, for what, with which parameters, and what the asker holds already.

use super::{Error, params::Params};
use crate::{
    access::caller::{Admitted, Caller},
    console::SharedConsole,
};
use axum::extract::FromRequestParts;
use http::{HeaderValue, header, request::Parts};
use jiff::Timestamp;
use std::sync::Arc;

/// One request to a handler.
#[derive(Debug)]
pub(super) struct Ask {
    pub console: SharedConsole,
    pub caller: Arc<Caller>,
    pub params: Params,
    pub now: Timestamp,
    /// Path and query: part of what an entity tag stands for.
    pub target: String,
    pub if_none_match: Option<HeaderValue>,
    /// The client asks for a table rather than for JSON.
    pub wants_csv: bool,
}

// === impl Ask ===

impl FromRequestParts<SharedConsole> for Ask {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, console: &SharedConsole) -> Result<Self, Error> {
        let Admitted(caller) = parts.extensions.get().cloned().unwrap_or_default();
        let params = Params::parse(parts.uri.query().unwrap_or_default());
        let accepts_csv = parts
            .headers
            .get(header::ACCEPT)
            .and_then(|value| value.to_str().ok())
            .is_some_and(prefers_csv);
        Ok(Self {
            caller: caller?,
            now: Timestamp::now(),
            target: parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default(),
            if_none_match: parts.headers.get(header::IF_NONE_MATCH).cloned(),
            wants_csv: (params.either("format", ["json", "csv"])).map_or(accepts_csv, |format| format == "csv"),
            params,
            console: console.clone(),
        })
    }
}

/// `text/csv` stands first among the types asked for.
fn prefers_csv(accept: &str) -> bool {
    accept.split(',').next().is_some_and(|first| {
        first
            .split(';')
            .next()
            .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/csv"))
    })
}
