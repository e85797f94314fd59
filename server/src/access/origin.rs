//! Does a request that carries a cookie come from our own page? Guards every write by session against other sites.

use http::{HeaderMap, Uri, header};

/// True when the browser says so itself (`Sec-Fetch-Site`), or, where it says nothing, when `Origin` is ours:
/// the public URL's, or else scheme and `Host` of the request.
pub fn is_same_origin(headers: &HeaderMap, public_origin: Option<&str>, tls: bool) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text("sec-fetch-site") {
        return site == "same-origin";
    }
    let Some(origin) = text(header::ORIGIN.as_str()) else {
        return false;
    };
    match (public_origin, text(header::HOST.as_str())) {
        (Some(ours), _) => origin == ours,
        (None, Some(host)) => origin.strip_prefix(if tls { "https://" } else { "http://" }) == Some(host),
        (None, None) => false,
    }
}

/// Scheme and authority of a web address, as a browser writes them in `Origin`.
pub fn of_address(text: &str) -> Option<String> {
    let uri: Uri = text.parse().ok()?;
    match (uri.scheme_str(), uri.authority()) {
        (Some(scheme @ ("http" | "https")), Some(authority)) => Some(format!("{scheme}://{authority}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect()
    }

    #[test]
    fn the_browsers_own_word_decides() {
        assert!(is_same_origin(
            &headers(&[("sec-fetch-site", "same-origin")]),
            None,
            false
        ));
        for site in ["same-site", "cross-site", "none"] {
            assert!(!is_same_origin(
                &headers(&[("sec-fetch-site", site), ("origin", "http://a"), ("host", "a")]),
                None,
                false
            ));
        }
    }

    #[test]
    fn without_it_the_origin_must_be_ours() {
        let same = headers(&[("origin", "http://a:8090"), ("host", "a:8090")]);
        assert!(is_same_origin(&same, None, false));
        assert!(!is_same_origin(&same, None, true));
        assert!(!is_same_origin(&same, Some("https://ops.example"), false));
        assert!(is_same_origin(
            &headers(&[("origin", "https://ops.example"), ("host", "x")]),
            Some("https://ops.example"),
            false
        ));
        assert!(!is_same_origin(&headers(&[("host", "a")]), None, false));
    }
}
