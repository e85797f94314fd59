//! Is the process alive, can it answer, and how does it do? Outside `/api`, for anybody who reaches the listener.

use super::answer::json;
use crate::{
    console::{Console, SharedConsole},
    resources::{Kind, moment},
    source::Standing,
    telemetry::metrics::Metrics,
};
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
    let asked = console.clone();
    let figures = || async move { figures(&asked) };
    health_routes(console).route("/metrics", get(figures))
}

fn figures(console: &Console) -> Response {
    let now = Timestamp::now();
    for kind in Kind::ALL {
        let age = age(console.source.standing(kind), now);
        console.metrics.data_aged(kind.as_str(), age);
    }
    let text = console.metrics.text();
    ([(header::CONTENT_TYPE, Metrics::CONTENT_TYPE)], text).into_response()
}

/// In seconds; nothing while there is nothing to show.
fn age(standing: Standing, now: Timestamp) -> Option<i64> {
    match standing {
        Standing::Current => Some(0),
        Standing::AsOf(since) => Some((now.as_second() - since.as_second()).max(0)),
        Standing::Syncing | Standing::Unavailable(_) => None,
    }
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
    let timestamp = moment::written(Timestamp::now());
    let mut response = json(&Health {
        status: text,
        timestamp,
    })
    .unwrap_or_default();
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{fixtures::at, source::Absence};

    #[test]
    fn what_is_shown_ages_while_the_source_is_away() {
        let now = at("2026-09-23T12:01:05Z");
        assert_eq!(age(Standing::Current, now), Some(0));
        assert_eq!(age(Standing::AsOf(at("2026-09-23T12:00:00Z")), now), Some(65));
        assert_eq!(age(Standing::AsOf(at("2026-09-23T12:02:00Z")), now), Some(0));
        assert_eq!(age(Standing::Syncing, now), None);
        assert_eq!(age(Standing::Unavailable(Absence::Forbidden), now), None);
    }
}
