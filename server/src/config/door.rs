//! What the flags about access mean: who comes in, over what, how often.

use super::Misconfigured;
use crate::{
    access::{
        caller::Door,
        client_host::TrustedProxies,
        cors::Cors,
        keys::KeySet,
        limits::{Limits, PerMinute},
        origin,
        session::CookiePolicy,
    },
    cli,
    listen::tls::{Certificate, Files},
};
use std::sync::Arc;

pub(super) fn door(
    keys: KeySet,
    base_path: &str,
    mount: &cli::Mount,
    flags: &cli::Door,
) -> Result<Door, Misconfigured> {
    let public_origin = mount.public_url.as_deref().map(public_origin).transpose()?;
    let tls = flags.tls_cert.is_some();
    let secure = tls
        || public_origin
            .as_deref()
            .is_some_and(|origin| origin.starts_with("https://"));
    Ok(Door {
        cookies: CookiePolicy::new(base_path, secure),
        dev_mode: dev_mode(std::env::var("CHATCLI_OPERATOR_DEV_MODE").ok().as_deref()),
        public_origin,
        tls,
        limits: Limits::new(PerMinute(flags.rate_limit_host), PerMinute(flags.rate_limit_key)),
        proxies: trusted_proxies(&flags.trusted_proxies)?,
        cors: cors(flags)?,
        ..Door::over(keys)
    })
}

/// TLS is all or nothing: half of it would silently be plain text.
pub(super) fn certificate(flags: &cli::Door) -> Result<Option<Arc<Certificate>>, Misconfigured> {
    let half = |flag: &str, other: &str| Misconfigured(format!("{flag} is given without {other}: TLS needs both"));
    match (flags.tls_cert.clone(), flags.tls_key.clone()) {
        (None, None) => Ok(None),
        (Some(_), None) => Err(half("--tls-cert", "--tls-key")),
        (None, Some(_)) => Err(half("--tls-key", "--tls-cert")),
        (Some(cert), Some(key)) => Certificate::load(Files { cert, key })
            .map(Some)
            .map_err(|error| Misconfigured(format!("--tls-cert, --tls-key: {error}"))),
    }
}

fn trusted_proxies(texts: &[String]) -> Result<TrustedProxies, Misconfigured> {
    let networks = texts
        .iter()
        .map(|text| text.trim())
        .filter(|text| !text.is_empty())
        .map(|text| {
            // A lone address is the network that holds it alone.
            let alone = || text.parse().map(std::net::IpAddr::into).ok();
            text.parse().ok().or_else(alone).ok_or_else(|| {
                Misconfigured(format!(
                    "--trusted-proxies must be networks such as 10.0.0.0/8, not {text}"
                ))
            })
        });
    networks.collect::<Result<_, _>>().map(TrustedProxies)
}

fn cors(flags: &cli::Door) -> Result<Cors, Misconfigured> {
    let list = |texts: &[String]| -> Vec<String> {
        let trimmed = texts.iter().map(|text| text.trim().to_owned());
        trimmed.filter(|text| !text.is_empty()).collect()
    };
    let mut origins = list(&flags.cors_allowed_origins);
    origins.extend(list(flags.cors_origin.as_slice()));
    let credentials = flags.cors_allow_credentials.trim().eq_ignore_ascii_case("true");
    Cors::new(origins, &list(&flags.cors_allowed_methods), credentials)
        .map_err(|error| Misconfigured(format!("--cors-allowed-origins, --cors-allowed-methods: {error}")))
}

/// The exact words that upstream takes for yes.
fn dev_mode(value: Option<&str>) -> bool {
    value.is_some_and(|text| matches!(text.trim().to_lowercase().as_str(), "1" | "t" | "true"))
}

fn public_origin(text: &str) -> Result<String, Misconfigured> {
    origin::of_address(text).ok_or_else(|| {
        Misconfigured(format!(
            "--public-url must be an address such as https://ops.example.com, not {text}"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[test]
    fn dev_mode_takes_upstreams_words_only() {
        for yes in ["true", "TRUE", "1", "t", " true "] {
            assert!(dev_mode(Some(yes)), "{yes}");
        }
        for no in ["", "yes", "on", "enabled", "0", "f", "false"] {
            assert!(!dev_mode(Some(no)), "{no}");
        }
        assert!(!dev_mode(None));
    }

    #[test]
    fn a_public_url_is_reduced_to_its_origin() {
        assert_eq!(public_origin("https://ops.example/x").unwrap(), "https://ops.example");
        assert!(public_origin("ops.example").is_err());
    }

    #[test]
    fn half_a_tls_configuration_is_refused_and_says_which_half_is_missing() {
        for (given, missing) in [("--tls-cert", "--tls-key"), ("--tls-key", "--tls-cert")] {
            let refused = certificate(&flags(&[given, "some.pem"])).unwrap_err().to_string();
            assert_eq!(refused, format!("{given} is given without {missing}: TLS needs both"));
        }
        let absent = flags(&["--tls-cert", "/nowhere/tls.crt", "--tls-key", "/nowhere/tls.key"]);
        let refused = certificate(&absent).unwrap_err().to_string();
        assert!(refused.contains("/nowhere/tls.crt cannot be read"), "{refused}");
        assert!(certificate(&flags(&[])).unwrap().is_none());
    }

    fn flags(given: &[&str]) -> cli::Door {
        let line = ["opsdeck", "preview"].iter().chain(given);
        match cli::Cli::try_parse_from(line).unwrap().command {
            cli::Command::Preview(preview) => preview.door,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn trusted_proxies_are_networks_or_addresses() {
        let read = |text: &str| trusted_proxies(&[text.to_owned()]);
        for good in ["10.0.0.0/8", " fd00::/8 ", "192.0.2.1", ""] {
            assert!(read(good).is_ok(), "{good}");
        }
        for bad in ["10.0.0.0/33", "proxy.example", "*"] {
            assert!(read(bad).unwrap_err().to_string().contains(bad), "{bad}");
        }
    }
}
