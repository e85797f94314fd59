//! Header policies as types: what a browser may do with an answer, and how long anybody may keep it.

use http::{HeaderMap, HeaderName, HeaderValue, header};

/// How long an answer may be kept.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CachePolicy {
    /// Tied to a key, or to the moment: never kept.
    NoStore,
    /// The address changes with the content: kept for ever.
    Immutable,
    /// A fixed address whose content changes with a release.
    ForAnHour,
}

/// The content security policy of a page: nothing at all, then what the dashboard needs.
#[derive(Clone, Debug)]
pub struct PagePolicy<'a> {
    /// Of this answer alone; on every inline script. Without one no script runs.
    pub nonce: Option<&'a str>,
}

// === impl CachePolicy ===

impl CachePolicy {
    pub fn apply(self, headers: &mut HeaderMap) {
        let value = match self {
            Self::NoStore => "no-store",
            Self::Immutable => "public, max-age=31536000, immutable",
            Self::ForAnHour => "public, max-age=3600",
        };
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(value));
    }
}

// === impl PagePolicy ===

impl PagePolicy<'_> {
    /// `strict-dynamic` lets the nonced script load the bundle; `wasm-unsafe-eval` compiles WebAssembly and nothing else.
    pub fn value(&self) -> String {
        let scripts = self.nonce.map_or_else(String::new, |nonce| {
            format!(" script-src 'nonce-{nonce}' 'strict-dynamic' 'wasm-unsafe-eval';")
        });
        format!(
            "default-src 'none';{scripts} style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; \
             manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        )
    }

    pub fn apply(&self, headers: &mut HeaderMap) {
        if let Ok(value) = HeaderValue::try_from(self.value()) {
            headers.insert(header::CONTENT_SECURITY_POLICY, value);
        }
    }
}

/// On every answer, whatever it is. `tls`: browsers are told to come back by TLS alone; over plain HTTP it would be a promise nobody keeps.
pub fn harden(headers: &mut HeaderMap, tls: bool) {
    const EVERYWHERE: [(HeaderName, HeaderValue); 5] = [
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            HeaderValue::from_static("same-origin"),
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            HeaderValue::from_static("same-origin"),
        ),
        (
            HeaderName::from_static("permissions-policy"),
            HeaderValue::from_static("camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
        ),
    ];
    headers.reserve(EVERYWHERE.len() + 1);
    for (name, value) in EVERYWHERE {
        headers.insert(name, value);
    }
    if tls {
        headers.insert(
            header::STRICT_TRANSPORT_SECURITY,
            HeaderValue::from_static("max-age=31536000; includeSubDomains"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_may_do_what_it_needs_and_no_more() {
        assert_eq!(
            PagePolicy { nonce: Some("abc") }.value(),
            "default-src 'none'; script-src 'nonce-abc' 'strict-dynamic' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
             font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        );
        assert!(!PagePolicy { nonce: None }.value().contains("script-src"));
    }
}
