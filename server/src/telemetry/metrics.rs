//! What is counted, in the names under which Prometheus finds it. Who counts stands where the thing happens.

use prometheus_client::{
    encoding::{EncodeLabelSet, text},
    metrics::{
        counter::Counter,
        family::Family,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
        info::Info,
    },
    registry::{Registry, Unit},
};
use std::time::Duration;

/// All figures of this process. Clones count into the same ones.
#[derive(Clone, Debug)]
pub struct Metrics {
    pub requests: Requests,
    pub keys: Keys,
    pub connections: Connections,
    pub events: EventStreams,
    /// When the TLS certificate in force ends, in Unix seconds; 0 without TLS.
    pub certificate_end: Gauge,
    pub certificate_failures: Counter,
    data_age: Family<OfKind, Gauge>,
    registry: std::sync::Arc<Registry>,
}

#[derive(Clone, Debug)]
pub struct Requests {
    total: Family<Answer, Counter>,
    seconds: Histogram,
    pub panics: Counter,
}

#[derive(Clone, Debug, Default)]
pub struct Keys {
    /// Keys in force.
    pub loaded: Gauge,
    /// Changes of the list that could not be taken over.
    pub failures: Counter,
}

#[derive(Clone, Debug, Default)]
pub struct Connections {
    pub open: Gauge,
    /// Closed at once, because there was no room.
    pub refused: Counter,
}

#[derive(Clone, Debug, Default)]
pub struct EventStreams {
    pub open: Gauge,
    /// Ended because the reader fell too far behind.
    pub cut: Counter,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct OfKind {
    kind: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct Answer {
    method: &'static str,
    code: u16,
}

// === impl Metrics ===

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("opsdeck");
        let requests = Requests {
            total: Family::default(),
            seconds: Histogram::new(exponential_buckets(0.000_25, 4.0, 8)),
            panics: Counter::default(),
        };
        let (keys, connections) = (Keys::default(), Connections::default());
        let events = EventStreams::default();
        let (certificate_end, certificate_failures) = (Gauge::default(), Counter::default());
        let data_age = Family::default();
        registry.register(
            "build",
            "Which server this is",
            Info::new([("version", env!("CARGO_PKG_VERSION"))]),
        );
        registry.register("http_requests", "Answers of the API", requests.total.clone());
        registry.register_with_unit(
            "http_request_duration",
            "From the request's headers to the answer's",
            Unit::Seconds,
            requests.seconds.clone(),
        );
        registry.register("http_panics", "Requests that ended in a panic", requests.panics.clone());
        registry.register("api_keys", "API keys in force", keys.loaded.clone());
        registry.register(
            "api_key_reload_failures",
            "Changes of the key list that could not be taken over",
            keys.failures.clone(),
        );
        registry.register("connections", "Open connections", connections.open.clone());
        registry.register(
            "connections_refused",
            "Connections closed at once, because there was no room",
            connections.refused.clone(),
        );
        registry.register("event_streams", "Open event streams", events.open.clone());
        registry.register(
            "event_streams_cut",
            "Event streams ended because their reader fell too far behind",
            events.cut.clone(),
        );
        registry.register_with_unit(
            "tls_certificate_end_timestamp",
            "When the certificate in force ends, in Unix time; 0 without TLS",
            Unit::Seconds,
            certificate_end.clone(),
        );
        registry.register(
            "tls_reload_failures",
            "Changes of certificate or key that could not be taken over",
            certificate_failures.clone(),
        );
        registry.register_with_unit(
            "data_age",
            "How long ago what is shown of a kind was last known to be true; 0 while it is, absent while there is nothing",
            Unit::Seconds,
            data_age.clone(),
        );
        Self {
            requests,
            keys,
            connections,
            events,
            certificate_end,
            certificate_failures,
            data_age,
            registry: registry.into(),
        }
    }
}

impl Metrics {
    pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    pub fn data_aged(&self, kind: &'static str, seconds: Option<i64>) {
        match seconds {
            Some(seconds) => {
                self.data_age.get_or_create(&OfKind { kind }).set(seconds);
            }
            None => {
                self.data_age.remove(&OfKind { kind });
            }
        }
    }

    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = text::encode(&mut text, &self.registry);
        text
    }
}

// === impl Keys ===

impl Keys {
    pub fn loaded(&self, count: usize) {
        self.loaded.set(i64::try_from(count).unwrap_or(i64::MAX));
    }
}

// === impl Requests ===

impl Requests {
    pub fn answered(&self, method: &str, code: u16, took: Duration) {
        const KNOWN: [&str; 6] = ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"];
        // What clients invent must not become a label.
        let method = KNOWN.into_iter().find(|known| *known == method).unwrap_or("other");
        self.total.get_or_create(&Answer { method, code }).inc();
        self.seconds.observe(took.as_secs_f64());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_come_out_as_they_went_in() {
        let metrics = Metrics::default();
        metrics.requests.answered("GET", 200, Duration::from_millis(1));
        metrics.requests.answered("BREW", 405, Duration::from_millis(1));
        metrics.keys.loaded.set(3);
        metrics.certificate_end.set(1_790_164_800);
        metrics.data_aged("Issue", Some(61));
        metrics.data_aged("Runbook", Some(0));
        metrics.data_aged("Runbook", None);
        let text = metrics.text();
        for line in [
            r#"opsdeck_http_requests_total{method="GET",code="200"} 1"#,
            r#"opsdeck_http_requests_total{method="other",code="405"} 1"#,
            "opsdeck_http_request_duration_seconds_count 2",
            "opsdeck_api_keys 3",
            "opsdeck_tls_certificate_end_timestamp_seconds 1790164800",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
        let aged: Vec<_> = text
            .lines()
            .filter(|line| line.starts_with("opsdeck_data_age"))
            .collect();
        assert_eq!(aged, [r#"opsdeck_data_age_seconds{kind="Issue"} 61"#]);
    }
}
