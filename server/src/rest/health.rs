//! Is the process alive, can it answer, and how does it do? Outside `/api`, for anybody who reaches the listener.

use super::answer::json;
use crate::{catalog::project::wire_time, console::SharedConsole, telemetry::metrics::Metrics};
use axum::{
    Router,
    extract::State,
    response::{IntoResponse as _, Response},
    routing::{any, get},
};
use http::{StatusCode, header};
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

/// What the metrics listener shows, beside the health of the process.
pub fn metrics_routes(console: SharedConsole) -> Router {
    let metrics = console.metrics.clone();
    let figures = || async move { ([(header::CONTENT_TYPE, Metrics::CONTENT_TYPE)], metrics.text()).into_response() };
    health_routes(console).route("/metrics", get(figures))
}

/// Never depends on the store.
async fn live() -> Response {
    report(StatusCode::OK, "ok")
}

/// Once the catalog has been filled it can be read from, however long the source is away later, until the server is to stop.
async fn ready(State(console): State<SharedConsole>) -> Response {
    let unready = |text| report(StatusCode::SERVICE_UNAVAILABLE, text);
    if console.drain.announced.is_cancelled() {
        unready("not ready: the server is stopping")
    } else if !console.source.is_filled() {
        unready("not ready: the cluster has not been read yet")
    } else {
        report(StatusCode::OK, "ready")
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
