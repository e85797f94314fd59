//! Is the process alive, and can it answer? Outside `/api`, for anybody.

use super::answer::json;
use crate::catalog::project::wire_time;
use axum::{Router, response::Response, routing::any};
use http::StatusCode;
use jiff::Timestamp;
use serde::Serialize;

#[derive(Serialize)]
struct Health<'a> {
    status: &'a str,
    timestamp: String,
}

pub fn health_routes() -> Router {
    Router::new()
        .route("/healthz", any(live))
        .route("/livez", any(live))
        .route("/readyz", any(ready))
}

/// Never depends on the store.
async fn live() -> Response {
    report(StatusCode::OK, "ok")
}

/// The listener opens once the catalog is filled, and the embedded store fills it whole.
async fn ready() -> Response {
    report(StatusCode::OK, "ready")
}

fn report(status: StatusCode, text: &str) -> Response {
    let timestamp = wire_time(Timestamp::now());
    let mut response = json(&Health {
        status: text,
        timestamp,
    })
    .unwrap_or_default();
    *response.status_mut() = status;
    response
}
