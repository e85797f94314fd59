//! Browser sessions: a signed cookie that stands for a key. The server keeps nothing.

use super::keys::{Key, KeySet};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use cookie::{Cookie, SameSite, time::Duration};
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::{SignedDuration, Timestamp};
use sha2::Sha256;

const ORDINARY: SignedDuration = SignedDuration::from_hours(12);
const REMEMBERED: SignedDuration = SignedDuration::from_hours(30 * 24);

/// How this server's cookie is called and where it is sent.
#[derive(Clone, Debug)]
pub struct CookiePolicy {
    /// Ends without a slash; empty at the root.
    base_path: String,
    secure: bool,
}

/// What a valid cookie says.
#[derive(Debug)]
pub struct Session<'a> {
    pub key: &'a Key,
    pub expires_at: Timestamp,
    pub id: SessionId,
}

/// Tells one session from another. Part of its signature, and too little of it to forge one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SessionId([u8; 8]);

// === impl CookiePolicy ===

impl CookiePolicy {
    /// `secure`: people reach this server by https, directly or through a proxy.
    pub fn new(base_path: &str, secure: bool) -> Self {
        Self {
            base_path: base_path.to_owned(),
            secure,
        }
    }

    /// The `__Host-` prefix makes browsers refuse a cookie that another host or path has planted; it demands `Path=/`.
    pub fn name(&self) -> &'static str {
        if self.secure && self.base_path.is_empty() {
            "__Host-opsdeck_session"
        } else {
            "opsdeck_session"
        }
    }

    /// A new session for the key.
    pub fn issue(&self, key: &Key, remember: bool, now: Timestamp) -> Cookie<'static> {
        let lifetime = if remember { REMEMBERED } else { ORDINARY };
        let end = [Some(now + lifetime), key.expires_at]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(now);
        let claims = format!("{}.{}.{}", key.id(), now.as_second(), end.as_second());
        let mac = BASE64_URL_SAFE_NO_PAD.encode(sign(key, &claims).finalize().into_bytes());
        let mut cookie = self.cookie(format!("{claims}.{mac}"));
        if remember {
            cookie.set_max_age(Duration::seconds(end.as_second() - now.as_second()));
        }
        cookie
    }

    /// Makes the browser forget its session.
    pub fn clear(&self) -> Cookie<'static> {
        let mut cookie = self.cookie(String::new());
        cookie.set_max_age(Duration::ZERO);
        cookie
    }

    /// Reads a `Cookie` header. Nothing is told about why a session does not count.
    pub fn read<'a>(&self, header: &str, keys: &'a KeySet, now: Timestamp) -> Option<Session<'a>> {
        let cookie = self.find(header)?;
        let (claims, mac) = cookie.value().rsplit_once('.')?;
        let mut parts = claims.split('.');
        let (id, _issued, end) = (parts.next()?, parts.next()?, parts.next()?);
        let expires_at = Timestamp::from_second(end.parse().ok()?).ok()?;
        let key = keys.by_id(id, now)?;
        let mac = BASE64_URL_SAFE_NO_PAD.decode(mac).ok()?;
        sign(key, claims).verify_slice(&mac).ok()?;
        let id = SessionId(*mac.first_chunk()?);
        (now < expires_at).then_some(Session { key, expires_at, id })
    }

    /// Whether a `Cookie` header has one of ours, valid or not.
    pub fn is_in(&self, header: &str) -> bool {
        self.find(header).is_some()
    }

    fn find<'a>(&self, header: &'a str) -> Option<Cookie<'a>> {
        Cookie::split_parse(header)
            .flatten()
            .find(|cookie| cookie.name() == self.name())
    }

    fn cookie(&self, value: String) -> Cookie<'static> {
        // Lax, so that a link from a chat opens signed in; writes are guarded by `origin`.
        Cookie::build((self.name(), value))
            .path(format!("{}/", self.base_path))
            .http_only(true)
            .same_site(SameSite::Lax)
            .secure(self.secure)
            .build()
    }
}

fn sign(key: &Key, claims: &str) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new(key.session_secret().into());
    mac.update(claims.as_bytes());
    mac
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: &str = "- {key: a, role: viewer}\n- {key: b, role: admin}\n";

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn keys(yaml: &str) -> KeySet {
        KeySet::parse(yaml, None).unwrap()
    }

    fn signed_in(policy: &CookiePolicy, remember: bool) -> String {
        let cookie = policy.issue(keys(KEYS).find("a", at(0)).unwrap(), remember, at(0));
        format!("theme=dark; {}={}", cookie.name(), cookie.value())
    }

    #[test]
    fn a_session_stands_for_its_key_until_it_ends() {
        let policy = CookiePolicy::new("", false);
        let (header, keys) = (signed_in(&policy, false), keys(KEYS));
        assert_eq!(
            policy.read(&header, &keys, at(1)).unwrap().key.id(),
            keys.find("a", at(0)).unwrap().id()
        );
        assert!(policy.read(&header, &keys, at(12 * 3600 - 1)).is_some());
        assert!(policy.read(&header, &keys, at(12 * 3600)).is_none());
        assert!(
            policy
                .read(&signed_in(&policy, true), &keys, at(29 * 24 * 3600))
                .is_some()
        );
    }

    #[test]
    fn removing_the_key_ends_its_sessions() {
        let policy = CookiePolicy::new("", false);
        assert!(
            policy
                .read(&signed_in(&policy, false), &keys("- {key: b, role: admin}"), at(1))
                .is_none()
        );
    }

    #[test]
    fn a_changed_claim_breaks_the_signature() {
        let policy = CookiePolicy::new("", false);
        let header = signed_in(&policy, false);
        let (other, keys) = (keys(KEYS), keys(KEYS));
        let forged = header.replace(
            &keys.find("a", at(0)).unwrap().id(),
            &other.find("b", at(0)).unwrap().id(),
        );
        assert!(policy.read(&forged, &keys, at(1)).is_none());
        assert!(
            policy
                .read(&header.replace(".43200.", ".99999."), &keys, at(1))
                .is_none()
        );
    }

    #[test]
    fn the_cookie_is_as_strict_as_its_surroundings_allow() {
        let keys = keys(KEYS);
        let key = keys.find("a", at(0)).unwrap();
        let text = |policy: CookiePolicy, remember| policy.issue(key, remember, at(0)).to_string();
        let plain = text(CookiePolicy::new("/ops", false), false);
        assert!(
            plain.starts_with("opsdeck_session=")
                && plain.contains("Path=/ops/")
                && plain.contains("HttpOnly; SameSite=Lax")
        );
        assert!(!plain.contains("Max-Age") && !plain.contains("Secure"));
        let strict = text(CookiePolicy::new("", true), true);
        assert!(
            strict.starts_with("__Host-opsdeck_session=")
                && strict.contains("Secure")
                && strict.contains("Max-Age=2592000")
        );
    }
}
