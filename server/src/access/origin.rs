//! Does a request that carries a cookie come from our own page? Guards every write by session against other sites.

use http::{HeaderMap, Uri, header};

/// True when the browser says so itself (`Sec-Fetch-Site`), or, where it says nothing, when `Origin` is ours:
/// the public URL's, or else scheme and host of the request, which HTTP/2 has in its address and not in `Host`.
pub fn is_same_origin(uri: &Uri, headers: &HeaderMap, public_origin: Option<&str>, tls: bool) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text("sec-fetch-site") {
        return site == "same-origin";
    }
    let Some(origin) = text(header::ORIGIN.as_str()) else {
        return false;
    };
    let authority = uri.authority().map(|authority| authority.as_str());
    match (public_origin, authority.or_else(|| text(header::HOST.as_str()))) {
        (Some(ours), _) => origin == ours,
        (None, Some(host)) => origin.strip_prefix(if tls { "https://" } else { "http://" }) == Some(host),
        (None, None) => false,
    }
}

/// Scheme and authority of a web address, as a browser writes them in `Origin`.
pub fn of_address(text: &str) -> Option<String> {
    let uri: Uri = text.parse().ok()?;
    match (uri.scheme_str(), uri.authority()) {
        (Some(scheme @ ("http" | "https")), Some(authority)) if !authority.as_str().contains('@') => {
            let usual = if scheme == "https" { ":443" } else { ":80" };
            let authority = authority.as_str().to_ascii_lowercase();
            Some(format!(
                "{scheme}://{}",
                authority.strip_suffix(usual).unwrap_or(&authority)
            ))
        }
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
            &Uri::from_static("/session"),
            &headers(&[("sec-fetch-site", "same-origin")]),
            None,
            false
        ));
        for site in ["same-site", "cross-site", "none"] {
            assert!(!is_same_origin(
                &Uri::from_static("/session"),
                &headers(&[("sec-fetch-site", site), ("origin", "http://a"), ("host", "a")]),
                None,
                false
            ));
        }
    }

    #[test]
    fn over_http_2_the_host_stands_in_the_address() {
        let address = Uri::from_static("https://ops.example/session");
        let from = |origin| is_same_origin(&address, &headers(&[("origin", origin)]), None, true);
        assert!(from("https://ops.example"));
        assert!(!from("https://evil.example"));
    }

    #[test]
    fn an_origin_is_spelled_as_browsers_spell_it() {
        for (address, origin) in [
            ("https://Ops.Example:443/x", "https://ops.example"),
            ("http://ops.example:80", "http://ops.example"),
            ("https://ops.example:8443", "https://ops.example:8443"),
        ] {
            assert_eq!(of_address(address).as_deref(), Some(origin));
        }
        assert_eq!(of_address("https://user:secret@ops.example"), None);
    }

    #[test]
    fn without_it_the_origin_must_be_ours() {
        let same = headers(&[("origin", "http://a:8090"), ("host", "a:8090")]);
        assert!(is_same_origin(&Uri::from_static("/session"), &same, None, false));
        assert!(!is_same_origin(&Uri::from_static("/session"), &same, None, true));
        assert!(!is_same_origin(
            &Uri::from_static("/session"),
            &same,
            Some("https://ops.example"),
            false
        ));
        assert!(is_same_origin(
            &Uri::from_static("/session"),
            &headers(&[("origin", "https://ops.example"), ("host", "x")]),
            Some("https://ops.example"),
            false
        ));
        assert!(!is_same_origin(
            &Uri::from_static("/session"),
            &headers(&[("host", "a")]),
            None,
            false
        ));
    }
}
