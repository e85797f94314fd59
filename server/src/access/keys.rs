//! API keys: the YAML that lists them, and the set held in memory, which knows digests only.

use crate::{hex, resources::moment};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use hkdf::Hkdf;
use jiff::Timestamp;
use opsdeck_api::Role;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use std::{fmt, sync::LazyLock};
use subtle::ConstantTimeEq as _;

/// As long as a block of SHA-256, so that HMAC takes it as it is.
pub type SessionSecret = [u8; 64];

/// SHA-256 of a key.
#[derive(Clone, Copy, Eq, PartialEq)]
pub struct Digest([u8; 32]);

/// One key, without its text.
#[derive(Clone)]
pub struct Key {
    digest: Digest,
    /// A role of the table, or the text that is none: such a key is known and may do nothing.
    pub role: Result<Role, String>,
    /// Who acts: recorded on every decision.
    pub identity: String,
    pub expires_at: Option<Timestamp>,
    session_secret: SessionSecret,
}

/// All keys that are valid now.
#[derive(Clone, Debug, Default)]
pub struct KeySet(Vec<Key>);

/// The YAML is not a list of keys.
#[derive(Debug, thiserror::Error)]
#[error("not a list of API keys: {0}")]
pub struct Malformed(String);

/// A member that is there and blank is as good as none.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Entry {
    key: Option<String>,
    key_hash: Option<String>,
    role: Option<String>,
    name: Option<String>,
    description: Option<String>,
    expires_at: Option<String>,
}

/// A new key, shown once, and the entry that lets it in.
#[derive(Debug)]
pub struct Generated {
    pub key: String,
    /// YAML, to be added to the list.
    pub entry: String,
}

// === impl Malformed ===

impl Malformed {
    /// Says where, and not what stands there: the parser's own words quote it, and it may be a key.
    fn at(error: &serde_saphyr::Error) -> Self {
        let place = error
            .location()
            .map(|at| format!("line {}, column {}", at.line(), at.column()));
        Self(format!(
            "{}: each entry has the form `- {{key: …, role: …, name: …}}`, with texts for values",
            place.as_deref().unwrap_or("it cannot be read")
        ))
    }
}

// === impl Generated ===

impl Generated {
    /// 256 random bits behind a prefix by which scanners for leaked secrets know it.
    ///
    /// `plain`: the entry holds the key itself, for upstream's server, which knows no hashes.
    pub fn new(role: Role, name: &str, plain: bool) -> Self {
        let key = format!("opsdeck_{}", BASE64_URL_SAFE_NO_PAD.encode(random_secret()));
        let credential = if plain {
            format!("key: {key}")
        } else {
            format!("keyHash: {}", Digest::of(&key).to_hex())
        };
        // A JSON string is a YAML string, whatever the name holds.
        let entry = format!(
            "- {credential}\n  role: {role}\n  name: {}\n",
            serde_json::Value::from(name)
        );
        Self { key, entry }
    }
}

// === impl Digest ===

impl Digest {
    pub fn of(key: &str) -> Self {
        Self(Sha256::digest(key.as_bytes()).into())
    }

    /// First 12 hex digits: names a key in logs and answers without giving it away.
    pub fn id(&self) -> String {
        hex::encode(&self.0[..6])
    }

    /// As the `keyHash` of an entry has it.
    fn to_hex(self) -> String {
        let digits = hex::encode(&self.0);
        format!("sha256:{digits}")
    }

    fn from_hex(text: &str) -> Option<Self> {
        let text = text.strip_prefix("sha256:")?;
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}…", self.id())
    }
}

// === impl Key ===

impl Key {
    pub fn id(&self) -> String {
        self.digest.id()
    }

    /// Signs this key's browser sessions, so that they end when the key does.
    pub fn session_secret(&self) -> &SessionSecret {
        &self.session_secret
    }

    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key")
            .field("digest", &self.digest)
            .field("role", &self.role)
            .finish_non_exhaustive()
    }
}

// === impl KeySet ===

impl KeySet {
    /// Reads the YAML list. Entries without key or role are skipped; of two with the same key the last one counts.
    ///
    /// `shared_secret` signs the sessions of all keys on all replicas; without it each key's own text does, and a key
    /// given only as a hash gets a secret that lives as long as this process.
    pub fn parse(yaml: &str, shared_secret: Option<&[u8]>) -> Result<Self, Malformed> {
        let entries: Option<Vec<Option<Entry>>> =
            serde_saphyr::from_str(yaml).map_err(|error| Malformed::at(&error))?;
        let mut keys: Vec<Key> = Vec::new();
        for (index, entry) in entries.unwrap_or_default().into_iter().enumerate() {
            let Some(key) = entry.unwrap_or_default().into_key(index, shared_secret)? else {
                continue;
            };
            keys.retain(|earlier| earlier.digest != key.digest);
            keys.push(key);
        }
        Ok(Self(keys))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The key with this text. Compares with every key, so that the time taken tells nothing.
    pub fn find(&self, text: &str, now: Timestamp) -> Option<&Key> {
        let digest = Digest::of(text);
        let found = self.0.iter().fold(None, |found, key| {
            if bool::from(key.digest.0.ct_eq(&digest.0)) {
                Some(key)
            } else {
                found
            }
        });
        found.filter(|key| !key.is_expired(now))
    }

    /// The key that a session names. The id is no secret; the session's signature is what counts.
    pub fn by_id(&self, id: &str, now: Timestamp) -> Option<&Key> {
        self.0.iter().find(|key| key.id() == id && !key.is_expired(now))
    }
}

impl Entry {
    fn into_key(self, index: usize, shared_secret: Option<&[u8]>) -> Result<Option<Key>, Malformed> {
        let given = |member: Option<String>| member.filter(|text| !text.is_empty());
        let (key, hash) = (given(self.key), given(self.key_hash));
        let Some(role) = given(self.role) else { return Ok(None) };
        let digest = match (&key, hash) {
            (Some(key), _) => Digest::of(key),
            (None, Some(hash)) => Digest::from_hex(&hash).ok_or_else(|| {
                Malformed(format!(
                    "entry {}: keyHash is not `sha256:` and 64 hex digits",
                    index + 1
                ))
            })?,
            (None, None) => return Ok(None),
        };
        let expires_at = given(self.expires_at)
            .map(|text| {
                moment::read(&text)
                    .ok_or_else(|| Malformed(format!("entry {}: expiresAt is not an RFC 3339 time", index + 1)))
            })
            .transpose()?;
        let role = role.parse::<Role>().map_err(|_| {
            tracing::warn!(
                key.id = digest.id(),
                role = ?role,
                "key has a role that does not exist: it may do nothing"
            );
            role
        });
        let identity = [self.name, self.description]
            .into_iter()
            .flatten()
            .map(|text| text.trim().to_owned())
            .find(|text| !text.is_empty())
            .unwrap_or_else(|| format!("key-{}", digest.id()));
        let session_secret = match (shared_secret, key) {
            (Some(secret), _) => derive(secret, &digest),
            (None, Some(key)) => derive(key.as_bytes(), &digest),
            (None, None) => {
                tracing::warn!(
                    key.id = digest.id(),
                    "key is given only as a hash and there is no session secret: its browser sessions end with this process"
                );
                derive(&*SECRET_OF_THIS_PROCESS, &digest)
            }
        };
        Ok(Some(Key {
            digest,
            role,
            identity,
            expires_at,
            session_secret,
        }))
    }
}

fn derive(secret: &[u8], digest: &Digest) -> SessionSecret {
    let mut output = [0; 64];
    let expanded = Hkdf::<Sha256>::new(None, secret).expand(&digest.0, &mut output);
    debug_assert!(expanded.is_ok(), "64 bytes are within what HKDF-SHA256 can give");
    output
}

/// Lasts over changes of the list, so that these end no sessions.
static SECRET_OF_THIS_PROCESS: LazyLock<[u8; 32]> = LazyLock::new(random_secret);

fn random_secret() -> [u8; 32] {
    let mut bytes = [0; 32];
    if let Err(error) = getrandom::fill(&mut bytes) {
        // Without randomness there is no safe secret to fall back to.
        panic!("the system gives no random bytes: {error}");
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(yaml: &str) -> KeySet {
        KeySet::parse(yaml, None).unwrap()
    }

    fn now() -> Timestamp {
        "2026-09-23T12:00:00Z".parse().unwrap()
    }

    #[test]
    fn identity_is_name_then_description_then_fingerprint() {
        let set = keys(
            "- {key: a, role: viewer, name: ' sre-mira ', description: d}\n- {key: b, role: viewer, name: ' ', description: wallboard}\n- {key: c, role: viewer}\n",
        );
        assert_eq!(set.find("a", now()).unwrap().identity, "sre-mira");
        assert_eq!(set.find("b", now()).unwrap().identity, "wallboard");
        assert_eq!(set.find("c", now()).unwrap().identity, "key-2e7d2c03a950");
    }

    #[test]
    fn entries_without_key_or_role_are_skipped_and_the_last_of_equals_wins() {
        let set = keys("- {key: a, role: viewer}\n- {role: admin}\n- {key: b}\n- {key: a, role: admin, extra: 1}\n");
        assert_eq!(set.len(), 1);
        assert_eq!(set.find("a", now()).unwrap().role, Ok(Role::Admin));
    }

    #[test]
    fn an_unknown_role_is_known_and_has_no_rights() {
        assert_eq!(
            keys("- {key: a, role: Admin}").find("a", now()).unwrap().role,
            Err("Admin".into())
        );
    }

    #[test]
    fn a_hash_stands_for_its_key() {
        let set = keys(
            "- {keyHash: 'sha256:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb', role: viewer}",
        );
        assert!(set.find("a", now()).is_some());
        assert!(KeySet::parse("- {keyHash: 'sha256:abc', role: viewer}", None).is_err());
    }

    #[test]
    fn an_expired_key_is_unknown() {
        let never = keys("- {key: a, role: viewer, expiresAt: '9999-12-31T23:59:59Z'}");
        assert!(never.find("a", now()).is_some());
        let set = keys("- {key: a, role: viewer, expiresAt: '2026-09-23T12:00:00Z'}");
        assert!(set.find("a", now()).is_none());
        assert!(set.find("a", "2026-09-23T11:59:59Z".parse().unwrap()).is_some());
    }

    #[test]
    fn nothing_printed_holds_a_key() {
        let set = keys("- {key: opsdeck_planted_secret, role: viewer}");
        assert!(!format!("{set:?}").contains("planted"));
        for malformed in [
            "- {key: planted, role: admin, name: [}",
            "planted",
            "- planted",
            "key: planted",
            "- {key: [planted], role: admin}",
            "- {key: a, role: admin, expiresAt: planted}",
            "- {keyHash: planted, role: admin}",
            "- key: \"planted\n",
        ] {
            let said = KeySet::parse(malformed, None).unwrap_err().to_string();
            assert!(!said.contains("planted"), "{malformed}: {said}");
            assert!(!said.contains('\n'), "one line: {said}");
        }
    }

    #[test]
    fn a_blank_member_is_none() {
        for blank in ["", "~", "''", "null"] {
            let list =
                format!("- key: a\n  role: viewer\n  name: {blank}\n  description: wallboard\n  expiresAt: {blank}\n");
            assert_eq!(keys(&list).find("a", now()).unwrap().identity, "wallboard", "{blank}");
            assert!(keys(&format!("- key: {blank}\n  role: viewer\n")).is_empty(), "{blank}");
            assert!(keys(&format!("- key: a\n  role: {blank}\n")).is_empty(), "{blank}");
        }
        assert_eq!(keys("-\n- {key: a, role: viewer}\n").len(), 1);
    }

    #[test]
    fn a_generated_key_is_let_in_by_its_entry() {
        for plain in [false, true] {
            let generated = Generated::new(Role::Operator, "mira: \"on call\" #1", plain);
            let set = keys(&generated.entry);
            let key = set.find(&generated.key, now()).unwrap();
            assert_eq!(
                (&key.role, key.identity.as_str()),
                (&Ok(Role::Operator), "mira: \"on call\" #1")
            );
            assert_eq!(generated.key.len(), "opsdeck_".len() + 43);
            assert_eq!(generated.entry.contains(&generated.key), plain);
        }
    }

    #[test]
    fn sessions_of_a_key_given_as_a_hash_outlast_a_change_of_the_list() {
        let generated = Generated::new(Role::Viewer, "a", false);
        let (before, after) = (
            keys(&generated.entry),
            keys(&format!("{}- {{key: b, role: viewer}}\n", generated.entry)),
        );
        let secret = |set: &KeySet| *set.find(&generated.key, now()).unwrap().session_secret();
        assert_eq!(secret(&before), secret(&after));
    }

    #[test]
    fn an_empty_document_has_no_keys() {
        assert!(keys("").is_empty());
        assert!(keys("[]").is_empty());
        assert!(KeySet::parse("key: a", None).is_err());
    }
}
