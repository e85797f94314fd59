//! Who is asking: turns the credentials of a request into a caller, or into the reason why there is none.

use super::{
    client_host::{self, TrustedProxies},
    cors::Cors,
    keys::{Key, KeySet},
    limits::{Exhausted, Limits, Spender},
    origin,
    session::{CookiePolicy, SessionId},
};
use arc_swap::ArcSwap;
use cookie::Cookie;
use http::{HeaderMap, Method, Uri, header};
use jiff::Timestamp;
use opsdeck_api::Role;
use std::{net::IpAddr, sync::Arc};

/// The credential of scripts and of the sign-in form.
pub const API_KEY: &str = "x-api-key";

/// Whose page it is that a browser writes from, as the id of their key: another tab may have signed in somebody else since it was opened.
pub const PAGE_OF: &str = "x-opsdeck-caller";

/// Everything that decides who may come in.
#[derive(Debug)]
pub struct Door {
    /// Swapped as a whole when the keys change; a request keeps the set it began with.
    pub keys: Arc<ArcSwap<KeySet>>,
    pub cookies: CookiePolicy,
    /// `CHATCLI_OPERATOR_DEV_MODE`: everybody is admin as long as there are no keys.
    pub dev_mode: bool,
    /// Origin of `--public-url`.
    pub public_origin: Option<String>,
    pub tls: bool,
    pub limits: Limits,
    pub proxies: TrustedProxies,
    pub cors: Cors,
}

/// Put into every request at the door: who asks, or why nobody does.
#[derive(Clone, Debug)]
pub struct Admitted(pub Result<Arc<Caller>, Refusal>);

/// Who asks, for the length of one request.
#[derive(Clone, Debug)]
pub struct Caller {
    pub identity: String,
    /// The text of a role that does not exist, for a key that may do nothing.
    pub role: Result<Role, String>,
    pub key_id: String,
    pub via: Via,
    pub expires_at: Option<Timestamp>,
    /// The browser session that the caller came with.
    pub session: Option<SessionId>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Via {
    Key,
    Session,
    Dev,
}

/// Why nobody came in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Refusal {
    NoKeysConfigured,
    Missing,
    Invalid,
    /// A write by session that does not come from our own page.
    CrossSite,
    /// A write by session from a page that was opened for somebody else.
    OthersPage,
}

// === impl Admitted ===

impl Admitted {
    pub fn caller(&self) -> Result<&Caller, Refusal> {
        self.0.as_deref().map_err(|refusal| *refusal)
    }
}

impl Default for Admitted {
    /// Fail closed: a request that passed no door has no caller.
    fn default() -> Self {
        Self(Err(Refusal::Missing))
    }
}

impl From<Result<Caller, Refusal>> for Admitted {
    fn from(caller: Result<Caller, Refusal>) -> Self {
        Self(caller.map(Arc::new))
    }
}

// === impl Door ===

impl Door {
    /// As it stands where nothing is configured but keys.
    pub fn over(keys: KeySet) -> Self {
        Self {
            keys: Arc::new(ArcSwap::from_pointee(keys)),
            cookies: CookiePolicy::new("", false),
            dev_mode: false,
            public_origin: None,
            tls: false,
            limits: Limits::default(),
            proxies: TrustedProxies::default(),
            cors: Cors::default(),
        }
    }

    pub fn caller(&self, method: &Method, uri: &Uri, headers: &HeaderMap, now: Timestamp) -> Result<Caller, Refusal> {
        let keys = self.keys.load();
        if keys.is_empty() {
            let by_browser = headers.contains_key("sec-fetch-site") || headers.contains_key(header::ORIGIN);
            return match self.dev_mode {
                false => Err(Refusal::NoKeysConfigured),
                // Without a key there is nothing else that another site's script would lack.
                true if by_browser && !method.is_safe() && !self.is_same_origin(uri, headers) => {
                    Err(Refusal::CrossSite)
                }
                true => Ok(Caller::dev()),
            };
        }
        match headers.get(API_KEY).map(|value| value.as_bytes()) {
            Some(text) if !text.is_empty() => caller_by_key(&keys, text, now),
            _ => {
                let caller = self.caller_by_session(&keys, headers, now)?;
                if method.is_safe() {
                    Ok(caller)
                } else if !self.is_same_origin(uri, headers) {
                    Err(Refusal::CrossSite)
                } else if headers
                    .get(PAGE_OF)
                    .is_some_and(|key_id| key_id != caller.key_id.as_str())
                {
                    Err(Refusal::OthersPage)
                } else {
                    Ok(caller)
                }
            }
        }
    }

    /// Whether who came in earlier would still come in, and as the same: for what stays open longer than a request.
    pub fn still_admits(&self, caller: &Caller, now: Timestamp) -> bool {
        let keys = self.keys.load();
        let is_over = caller.expires_at.is_some_and(|end| end <= now);
        !is_over
            && match caller.via {
                Via::Dev => self.dev_mode && keys.is_empty(),
                Via::Key | Via::Session => (keys.by_id(&caller.key_id, now)).is_some_and(|key| key.role == caller.role),
            }
    }

    /// Whom a key that was typed into a form makes.
    pub fn caller_by_key(&self, text: &str, now: Timestamp) -> Result<Caller, Refusal> {
        match self.keys.load() {
            keys if keys.is_empty() => Err(Refusal::NoKeysConfigured),
            keys => caller_by_key(&keys, text.as_bytes(), now),
        }
    }

    /// Exchanges a key for a browser session.
    pub fn open_session(&self, key: &[u8], remember: bool, now: Timestamp) -> Result<Cookie<'static>, Refusal> {
        let keys = self.keys.load();
        let key = key_of(&keys, key, now)?;
        Ok(self.cookies.issue(key, remember, now))
    }

    /// Does the request carry anything that wants to be a credential?
    pub fn is_presented(&self, headers: &HeaderMap) -> bool {
        let key = headers.get(API_KEY).is_some_and(|text| !text.is_empty());
        key || cookies(headers).any(|text| self.cookies.is_in(text))
    }

    /// Takes a token from the bucket of whoever asks: of the key where there is a valid one, else of the host.
    pub fn spend(&self, caller: Result<&Caller, Refusal>, host: IpAddr) -> Result<(), Exhausted> {
        let host = client_host::bucket(host);
        self.limits.spend(match caller {
            Ok(caller) if caller.via == Via::Dev => Spender::Dev(host),
            Ok(caller) => Spender::Key(caller.key_id.clone()),
            Err(_) => Spender::Host(host),
        })
    }

    pub fn is_same_origin(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        origin::is_same_origin(uri, headers, self.public_origin.as_deref(), self.tls)
    }

    fn caller_by_session(&self, keys: &KeySet, headers: &HeaderMap, now: Timestamp) -> Result<Caller, Refusal> {
        let session = cookies(headers).find_map(|text| self.cookies.read(text, keys, now));
        let session = session.ok_or(Refusal::Missing)?;
        Ok(Caller {
            expires_at: Some(session.expires_at),
            session: Some(session.id),
            ..Caller::new(session.key, Via::Session)
        })
    }
}

/// Each cookie by itself, `name=value`: HTTP/2 may send them in headers of their own, and what another application of this host has
/// set may be no text at all.
pub fn cookies(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(header::COOKIE).into_iter();
    lines
        .flat_map(|line| line.as_bytes().split(|byte| *byte == b';'))
        .filter_map(|cookie| std::str::from_utf8(cookie.trim_ascii()).ok())
}

fn key_of<'a>(keys: &'a KeySet, text: &[u8], now: Timestamp) -> Result<&'a Key, Refusal> {
    let text = std::str::from_utf8(text).map_err(|_| Refusal::Invalid)?;
    keys.find(text, now).ok_or(Refusal::Invalid)
}

fn caller_by_key(keys: &KeySet, text: &[u8], now: Timestamp) -> Result<Caller, Refusal> {
    let key = key_of(keys, text, now)?;
    Ok(Caller::new(key, Via::Key))
}

// === impl Caller ===

impl Caller {
    fn new(key: &Key, via: Via) -> Self {
        Self {
            identity: key.identity.clone(),
            role: key.role.clone(),
            key_id: key.id(),
            via,
            expires_at: key.expires_at,
            session: None,
        }
    }

    fn dev() -> Self {
        Self {
            identity: "dev-mode".into(),
            role: Ok(Role::Admin),
            key_id: String::new(),
            via: Via::Dev,
            expires_at: None,
            session: None,
        }
    }

    pub fn role_text(&self) -> &str {
        match &self.role {
            Ok(role) => role.as_str(),
            Err(text) => text,
        }
    }

    pub fn may(&self, needed: Role) -> bool {
        self.role.as_ref().is_ok_and(|role| *role >= needed)
    }
}

// === impl Via ===

impl Via {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Session => "session",
            Self::Dev => "dev",
        }
    }
}

// === impl Refusal ===

impl Refusal {
    /// Upstream's words, which scripts look for.
    pub fn message(self) -> &'static str {
        match self {
            Self::NoKeysConfigured => {
                "no API keys are configured: give them in --api-keys-file, or set CHATCLI_OPERATOR_DEV_MODE=true for development"
            }
            Self::Missing => "missing API key in X-API-Key header",
            Self::Invalid => "invalid API key",
            Self::CrossSite => "a write by browser session must come from this site's own page",
            Self::OthersPage => "somebody else has signed in since this page was opened: load it again",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn door(keys: &str, dev_mode: bool) -> Door {
        Door {
            dev_mode,
            ..Door::over(KeySet::parse(keys, None).unwrap())
        }
    }

    fn ask(door: &Door, method: Method, pairs: &[(&'static str, &str)]) -> Result<Caller, Refusal> {
        let headers = pairs
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect();
        door.caller(&method, &Uri::from_static("/"), &headers, Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn without_keys_everything_is_closed_and_dev_mode_opens_it() {
        assert_eq!(
            ask(&door("", false), Method::GET, &[(API_KEY, "a")]).unwrap_err(),
            Refusal::NoKeysConfigured
        );
        let caller = ask(&door("", true), Method::GET, &[]).unwrap();
        assert_eq!(
            (caller.identity.as_str(), caller.role, caller.via),
            ("dev-mode", Ok(Role::Admin), Via::Dev)
        );
    }

    #[test]
    fn in_dev_mode_another_site_writes_nothing_and_curl_does() {
        let write = |pairs: &[(&'static str, &str)]| ask(&door("", true), Method::POST, pairs);
        assert_eq!(
            write(&[("sec-fetch-site", "cross-site")]).unwrap_err(),
            Refusal::CrossSite
        );
        assert_eq!(
            write(&[("origin", "https://evil.example"), ("host", "ops.example")]).unwrap_err(),
            Refusal::CrossSite
        );
        assert!(write(&[("sec-fetch-site", "same-origin")]).is_ok());
        assert!(write(&[]).is_ok());
    }

    #[test]
    fn what_others_have_set_on_this_host_does_not_hide_a_session() {
        let door = door("- {key: a, role: operator}", false);
        let issued = door.open_session(b"a", false, Timestamp::UNIX_EPOCH).unwrap();
        let good = format!("{}={}", issued.name(), issued.value());
        for line in [
            format!("theme=ü; {good}"),
            format!("opsdeck_session=x; {good}"),
            format!("my_{good}; {good}"),
        ] {
            let headers = [(header::COOKIE, http::HeaderValue::from_bytes(line.as_bytes()).unwrap())];
            let headers: HeaderMap = headers.into_iter().collect();
            let caller = door.caller(&Method::GET, &Uri::from_static("/"), &headers, Timestamp::UNIX_EPOCH);
            assert!(caller.is_ok(), "{line}");
            assert!(door.is_presented(&headers));
        }
        let other: HeaderMap = [(header::COOKIE, format!("my_{good}").parse().unwrap())]
            .into_iter()
            .collect();
        assert!(!door.is_presented(&other));
    }

    #[test]
    fn with_keys_dev_mode_means_nothing() {
        let door = door("- {key: a, role: operator, name: mira}", true);
        assert_eq!(ask(&door, Method::GET, &[]).unwrap_err(), Refusal::Missing);
        assert_eq!(ask(&door, Method::GET, &[(API_KEY, "")]).unwrap_err(), Refusal::Missing);
        assert_eq!(
            ask(&door, Method::GET, &[(API_KEY, "A")]).unwrap_err(),
            Refusal::Invalid
        );
        let caller = ask(&door, Method::GET, &[(API_KEY, "a")]).unwrap();
        assert!(caller.may(Role::Viewer) && caller.may(Role::Operator) && !caller.may(Role::Admin));
    }

    #[test]
    fn a_session_writes_from_its_own_pages_only() {
        let door = door("- {key: a, role: operator}\n- {key: b, role: operator}", false);
        let keys = door.keys.load();
        let [a, b] = ["a", "b"].map(|key| keys.find(key, Timestamp::UNIX_EPOCH).unwrap());
        let issued = door.cookies.issue(b, false, Timestamp::UNIX_EPOCH);
        let cookie = format!("{}={}", issued.name(), issued.value());
        let write_from = |page: &str| {
            let headers = [("cookie", &*cookie), ("sec-fetch-site", "same-origin"), (PAGE_OF, page)];
            ask(&door, Method::POST, &headers).map(|caller| caller.key_id)
        };
        let [of_a, of_b] = [a, b].map(|key| Caller::new(key, Via::Session).key_id);
        assert_eq!(write_from(&of_b), Ok(of_b));
        assert_eq!(write_from(&of_a), Err(Refusal::OthersPage));
    }

    #[test]
    fn a_session_reads_freely_and_writes_from_our_own_page_only() {
        let door = door("- {key: a, role: operator}", false);
        let issued = door.cookies.issue(
            door.keys.load().find("a", Timestamp::UNIX_EPOCH).unwrap(),
            false,
            Timestamp::UNIX_EPOCH,
        );
        let cookie = format!("{}={}", issued.name(), issued.value());
        assert_eq!(
            ask(&door, Method::GET, &[("cookie", &cookie)]).unwrap().via,
            Via::Session
        );
        assert_eq!(
            ask(&door, Method::POST, &[("cookie", &cookie)]).unwrap_err(),
            Refusal::CrossSite
        );
        assert_eq!(
            ask(
                &door,
                Method::POST,
                &[("cookie", &cookie), ("sec-fetch-site", "cross-site")]
            )
            .unwrap_err(),
            Refusal::CrossSite
        );
        assert!(
            ask(
                &door,
                Method::POST,
                &[("cookie", &cookie), ("sec-fetch-site", "same-origin")]
            )
            .is_ok()
        );
        assert_eq!(
            ask(&door, Method::GET, &[("cookie", &cookie), (API_KEY, "b")]).unwrap_err(),
            Refusal::Invalid
        );
    }
}
