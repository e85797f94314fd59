//! Which other origins may read from a browser: none, until some are configured.
//! Header by header as upstream does it, which is why no general layer stands here.

use http::{HeaderMap, HeaderName, HeaderValue, Method, header};

const ALLOWED_HEADERS: HeaderValue = HeaderValue::from_static("Content-Type, X-API-Key, Authorization");
const MAX_AGE: HeaderValue = HeaderValue::from_static("3600");
/// What a script of another origin needs to understand an answer beyond its body.
const EXPOSED: HeaderValue = HeaderValue::from_static("Content-Disposition, ETag, Retry-After, Warning, X-Request-Id");

/// The origins and what they may do.
#[derive(Clone, Debug, Default)]
pub struct Cors {
    origins: Vec<String>,
    methods: Option<HeaderValue>,
    credentials: bool,
}

/// A value that no header can carry.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} cannot stand in a header")]
pub struct Unspeakable(String);

// === impl Cors ===

impl Cors {
    /// `methods`: empty for upstream's usual ones.
    pub fn new(origins: Vec<String>, methods: &[String], credentials: bool) -> Result<Self, Unspeakable> {
        let speakable = |text: String| HeaderValue::try_from(&text).map_err(|_| Unspeakable(text));
        for origin in &origins {
            speakable(origin.clone())?;
        }
        let methods = if methods.is_empty() {
            "GET, POST, PUT, DELETE, OPTIONS".to_owned()
        } else {
            methods.join(", ")
        };
        Ok(Self {
            origins,
            methods: Some(speakable(methods)?),
            credentials,
        })
    }

    /// What an answer to a request with these headers must carry.
    pub fn headers(&self, request: &HeaderMap) -> Vec<(HeaderName, HeaderValue)> {
        if self.origins.is_empty() {
            return Vec::new();
        }
        let mut headers = vec![(header::VARY, HeaderValue::from_static("Origin"))];
        if let Some(origin) = request.get(header::ORIGIN).and_then(|origin| self.allow(origin)) {
            let credentials = if self.credentials { "true" } else { "false" };
            headers.extend([
                (header::ACCESS_CONTROL_ALLOW_ORIGIN, origin),
                (header::ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_HEADERS),
                (
                    header::ACCESS_CONTROL_ALLOW_CREDENTIALS,
                    HeaderValue::from_static(credentials),
                ),
                (header::ACCESS_CONTROL_MAX_AGE, MAX_AGE),
                (header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED),
            ]);
            headers.extend(
                self.methods
                    .clone()
                    .map(|methods| (header::ACCESS_CONTROL_ALLOW_METHODS, methods)),
            );
        }
        headers
    }

    /// A preflight that is answered here: no key travels with it.
    pub fn is_preflight(&self, method: &Method, request: &HeaderMap) -> bool {
        let allowed = request
            .get(header::ORIGIN)
            .and_then(|origin| self.allow(origin))
            .is_some();
        *method == Method::OPTIONS && allowed
    }

    fn allow(&self, origin: &HeaderValue) -> Option<HeaderValue> {
        let listed = |entry: &str| self.origins.iter().any(|known| known == entry);
        let exactly = origin.to_str().is_ok_and(listed);
        if exactly || (listed("*") && self.credentials) {
            Some(origin.clone())
        } else if listed("*") {
            Some(HeaderValue::from_static("*"))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cors(origins: &[&str], credentials: bool) -> Cors {
        Cors::new(
            origins.iter().map(|&origin| origin.to_owned()).collect(),
            &[],
            credentials,
        )
        .unwrap()
    }

    fn from(origin: &str) -> HeaderMap {
        [(header::ORIGIN, origin.parse().unwrap())].into_iter().collect()
    }

    fn answered(cors: &Cors, origin: &str, name: &str) -> Option<String> {
        let headers: HeaderMap = cors.headers(&from(origin)).into_iter().collect();
        headers.get(name).map(|value| value.to_str().unwrap().to_owned())
    }

    const ORIGIN: &str = "access-control-allow-origin";

    #[test]
    fn nothing_is_said_until_an_origin_is_configured() {
        assert!(cors(&[], true).headers(&from("https://a")).is_empty());
        assert!(!cors(&[], true).is_preflight(&Method::OPTIONS, &from("https://a")));
    }

    #[test]
    fn an_origin_is_echoed_when_it_is_listed_to_the_letter() {
        let cors = cors(&["https://a"], false);
        assert_eq!(answered(&cors, "https://a", ORIGIN).as_deref(), Some("https://a"));
        assert_eq!(
            answered(&cors, "https://a", "access-control-allow-methods").as_deref(),
            Some("GET, POST, PUT, DELETE, OPTIONS")
        );
        assert_eq!(
            answered(&cors, "https://a", "access-control-allow-credentials").as_deref(),
            Some("false")
        );
        for other in ["https://A", "https://a:443", "http://a", "null"] {
            assert_eq!(answered(&cors, other, ORIGIN), None, "{other}");
            assert_eq!(answered(&cors, other, "vary").as_deref(), Some("Origin"));
            assert!(!cors.is_preflight(&Method::OPTIONS, &from(other)));
        }
        assert!(cors.is_preflight(&Method::OPTIONS, &from("https://a")));
        assert!(!cors.is_preflight(&Method::GET, &from("https://a")));
        let unasked: HeaderMap = cors.headers(&HeaderMap::new()).into_iter().collect();
        assert!(unasked.contains_key("vary") && !unasked.contains_key(ORIGIN));
    }

    #[test]
    fn a_star_stands_for_all_and_is_spelled_out_where_credentials_go_along() {
        assert_eq!(
            answered(&cors(&["*"], false), "https://a", ORIGIN).as_deref(),
            Some("*")
        );
        assert_eq!(
            answered(&cors(&["*"], true), "https://a", ORIGIN).as_deref(),
            Some("https://a")
        );
    }
}
