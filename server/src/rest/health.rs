//! Is the process alive, and can it answer? Outside `/api`, for anybody.

use super::answer::json;
use crate::{catalog::project::wire_time, console::SharedConsole};
use axum::{Router, extract::State, response::Response, routing::any};
use http::StatusCode;
use jiff::Timestamp;
use serde::Serialize;

#[derive(Serialize)]
struct Health<'a> {
    status: &'a str,
    timestamp: String,
}

pub fn health_routes(console: SharedConsole) -> Router {
    Router::new()
        .route("/healthz", any(live))
        .route("/livez", any(live))
        .route("/readyz", any(ready))
        .with_state(console)
}

/// Never depends on the store.
async fn live() -> Response {
    report(StatusCode::OK, "ok")
}

/// Once the catalog has been filled it can be read from, however long the source is away later.
async fn ready(State(console): State<SharedConsole>) -> Response {
    if console.source.is_filled() {
        report(StatusCode::OK, "ready")
    } else {
        report(
            StatusCode::SERVICE_UNAVAILABLE,
            "not ready: the cluster has not been read yet",
        )
    }
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
