//! What must not be shown: credentials inside objects. Lists, single objects, CSV, audit details, search and events all go through here.
//! Names of Secret objects stay readable, because an approver has to know which one is meant.

use serde_json::Value;
use std::collections::BTreeMap;

/// Stands where a secret was.
pub const MASK: &str = "***";

/// The parameters of an action of that type.
pub fn params(action: &str, params: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    masked_where(params, |key| hides(action, key))
}

/// Whether the value under that key is hidden in an action of that type.
pub fn hides(action: &str, key: &str) -> bool {
    // Whatever else this action is given becomes the content of a Secret.
    if action == "RotateSecret" {
        !names_object(key)
    } else {
        names_credential(key)
    }
}

/// What an audit event tells: a failed delivery quotes the address of its channel.
pub fn details(details: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    masked_where(details, names_credential)
        .into_iter()
        .map(|(key, value)| (key, without_urls(&value)))
        .collect()
}

/// The stored form of a policy. Of these a NotificationPolicy has secrets: what its channels are configured with, and the addresses that failed
/// deliveries quote.
pub fn policy(policy: &mut Value) {
    let mut secrets = Vec::new();
    for channel in elements(policy.pointer_mut("/spec/channels")) {
        if let Some(config) = channel.get("config") {
            note_texts(config, &mut secrets);
        }
        hide_values(channel.get_mut("config"));
    }
    // One that holds another goes first.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    let cleared = |text: &str| (secrets.iter()).fold(without_urls(text), |text, secret| text.replace(secret, MASK));
    for delivery in elements(policy.pointer_mut("/status/recentDeliveries")) {
        if let Some(Value::String(error)) = delivery.get_mut("error") {
            *error = cleared(error);
        }
    }
    for condition in elements(policy.pointer_mut("/status/conditions")) {
        if let Some(Value::String(message)) = condition.get_mut("message") {
            *message = cleared(message);
        }
    }
}

/// Every text in a channel's configuration that is long enough to be a secret, addresses without their scheme, too.
fn note_texts(config: &Value, texts: &mut Vec<String>) {
    const SHORTEST: usize = 6;
    match config {
        Value::String(text) if text.len() >= SHORTEST => {
            let bare = text.split_once("://").map_or(text.as_str(), |(_, rest)| rest);
            if bare.len() >= SHORTEST {
                texts.push(bare.to_owned());
            }
        }
        Value::Array(values) => values.iter().for_each(|value| note_texts(value, texts)),
        Value::Object(members) => members.values().for_each(|value| note_texts(value, texts)),
        _ => {}
    }
}

/// A text in which every address is blanked. An address ends at a space, a double quote, or what no address may hold.
pub fn without_urls(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(colon) = rest.find("://") {
        let scheme = rest[..colon].rfind(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
        let start = scheme.map_or(0, |before| {
            before + rest[before..].chars().next().map_or(1, char::len_utf8)
        });
        let address = &rest[start..];
        let end = address
            .find(|c: char| c.is_whitespace() || c.is_control() || "\"<>`".contains(c))
            .unwrap_or(address.len());
        shown.push_str(&rest[..start]);
        shown.push_str(MASK);
        rest = &address[end..];
    }
    shown + rest
}

/// Whether a value under that name is a password, a token, a credential, an API key or the value of a secret.
pub fn names_credential(key: &str) -> bool {
    const ANYWHERE: [&str; 17] = [
        "accesskey",
        "apikey",
        "authkey",
        "authorization",
        "bearer",
        "credential",
        "encryptionkey",
        "passcode",
        "passphrase",
        "passwd",
        "password",
        "privatekey",
        "pwd",
        "routingkey",
        "secret",
        "signingkey",
        "token",
    ];
    const WORDS: [&str; 4] = ["cred", "creds", "pass", "pw"];
    let words = words(key);
    let joined = words.concat();
    let a_limit = words.first().is_some_and(|word| word == "max") && joined.ends_with("tokens");
    !names_object(key)
        && !a_limit
        && (ANYWHERE.iter().any(|name| joined.contains(name))
            || words.iter().any(|word| WORDS.contains(&word.as_str())))
}

/// Whether the value is the name of an object that holds the secret, not the secret.
fn names_object(key: &str) -> bool {
    const NAMES: [&str; 3] = ["secret", "sourcesecret", "imagepullsecret"];
    const ENDINGS: [&str; 2] = ["secretname", "secretref"];
    let joined = words(key).concat();
    NAMES.contains(&joined.as_str()) || ENDINGS.iter().any(|ending| joined.ends_with(ending))
}

/// `dbPassword`, `DB_PASSWORD` and `db-password` are the same two words.
fn words(key: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for c in key.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && after_small) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        after_small = c.is_lowercase() || c.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

fn masked_where(values: &BTreeMap<String, String>, hidden: impl Fn(&str) -> bool) -> BTreeMap<String, String> {
    let shown = |key: &str, value: &String| if hidden(key) { MASK.to_owned() } else { value.clone() };
    values
        .iter()
        .map(|(key, value)| (key.clone(), shown(key, value)))
        .collect()
}

fn hide_values(value: Option<&mut Value>) {
    match value {
        Some(Value::Object(members)) => members.values_mut().for_each(|member| *member = MASK.into()),
        Some(value) if !value.is_null() => *value = MASK.into(),
        _ => {}
    }
}

fn elements(list: Option<&mut Value>) -> impl Iterator<Item = &mut Value> {
    list.and_then(Value::as_array_mut).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::{MASK, details, names_credential, params, without_urls};
    use proptest::prelude::*;
    use serde_json::json;
    use std::collections::BTreeMap;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(key, value)| ((*key).into(), (*value).into()))
            .collect()
    }

    #[test]
    fn a_key_that_names_a_credential_hides_its_value() {
        for key in [
            "password",
            "dbPassword",
            "DB_PASSWORD",
            "db-passwd",
            "redis.pass",
            "token",
            "authToken",
            "GITHUB_TOKEN",
            "credential",
            "awsCredentials",
            "apiKey",
            "api_key",
            "API-KEY",
            "APIKEY",
            "openaiApiKey",
            "clientSecret",
            "CLIENT_SECRET",
            "secretValue",
            "secret_key",
            "private-key",
            "AWS_ACCESS_KEY",
        ] {
            assert!(names_credential(key), "{key}");
        }
    }

    #[test]
    fn names_of_secret_objects_and_plain_settings_stay_readable() {
        for key in [
            "secret",
            "sourceSecret",
            "source_secret",
            "secretName",
            "tlsSecretName",
            "credentialsSecretRef",
            "replicas",
            "container",
            "key",
            "command",
            "pod",
            "configmap",
            "toRevision",
            "maxTokens",
            "passive",
            "compass",
            "memory_limit",
            "hpa",
            "patch",
        ] {
            assert!(!names_credential(key), "{key}");
        }
    }

    #[test]
    fn what_is_written_to_a_secret_is_hidden_under_any_name() {
        let rotation = map(&[
            ("secret", "edge-tls"),
            ("sourceSecret", "edge-tls-new"),
            ("password", "p"),
            ("dsn", "postgres://u:p@db/x"),
        ]);
        let shown = params("RotateSecret", &rotation);
        assert_eq!(
            shown,
            map(&[
                ("secret", "edge-tls"),
                ("sourceSecret", "edge-tls-new"),
                ("password", MASK),
                ("dsn", MASK)
            ])
        );
        let shown = params(
            "PatchConfig",
            &map(&[("configmap", "app"), ("LOG_LEVEL", "debug"), ("API_TOKEN", "t")]),
        );
        assert_eq!(
            shown,
            map(&[("configmap", "app"), ("LOG_LEVEL", "debug"), ("API_TOKEN", MASK)])
        );
    }

    #[test]
    fn addresses_inside_an_error_are_blanked() {
        assert_eq!(
            without_urls(r#"Post "https://hooks.slack.example/services/T0/B0/key": dial tcp: timeout"#),
            r#"Post "***": dial tcp: timeout"#
        );
        assert_eq!(
            without_urls("é:http://a?k=v then x+y://b/'c' end"),
            "é:*** then *** end"
        );
        assert_eq!(without_urls("connection refused"), "connection refused");
        assert_eq!(without_urls("://"), MASK);
        let told = details(&map(&[
            ("channel", "sre"),
            ("error", "Post https://h.example/key: refused"),
            ("api_key", "k"),
        ]));
        assert_eq!(
            told,
            map(&[("channel", "sre"), ("error", "Post *** refused"), ("api_key", MASK)])
        );
    }

    #[test]
    fn a_notification_policy_keeps_its_keys() {
        let mut policy = json!({
            "spec": {"channels": [{"name": "sre", "type": "slack", "config": {"webhook_url": "https://h.example/key"}}, {"name": "odd", "config": "text"}]},
            "status": {"recentDeliveries": [{"channel": "sre", "success": false, "error": "Post \"https://h.example/key\": EOF"}, {"channel": "sre"}], "totalSent": 2,
                       "conditions": [{"type": "Ready", "message": "channel sre: Post \"https://h.example/key\": EOF"}]},
        });
        super::policy(&mut policy);
        assert_eq!(
            policy,
            json!({
                "spec": {"channels": [{"name": "sre", "type": "slack", "config": {"webhook_url": MASK}}, {"name": "odd", "config": MASK}]},
                "status": {"recentDeliveries": [{"channel": "sre", "success": false, "error": "Post \"***\": EOF"}, {"channel": "sre"}], "totalSent": 2,
                           "conditions": [{"type": "Ready", "message": "channel sre: Post \"***\": EOF"}]},
            })
        );
    }

    #[test]
    fn what_a_channel_is_configured_with_is_blanked_wherever_its_deliveries_quote_it() {
        let mut policy = json!({
            "spec": {"channels": [{"config": {"routing_key": "r0uting-key", "webhook_url": "https://h.example/s3cret", "to": ["a@b.example"]}}]},
            "status": {
                "recentDeliveries": [{"error": "bad routing key r0uting-key"}, {"error": "dial h.example/s3cret refused for a@b.example"}],
                "conditions": [{"message": "r0uting-key is unknown"}],
            },
        });
        super::policy(&mut policy);
        assert_eq!(
            policy["status"],
            json!({
                "recentDeliveries": [{"error": "bad routing key ***"}, {"error": "dial *** refused for ***"}],
                "conditions": [{"message": "*** is unknown"}],
            })
        );
    }

    proptest! {
        #[test]
        fn a_planted_secret_never_shows(
            word in prop::sample::select(vec!["password", "token", "credential", "apiKey", "api_key", "secretValue", "clientSecret"]),
            before in "([a-z]{1,6}[_.-])?",
            after in "([_.-][a-z0-9]{1,6})?",
            action in prop::sample::select(vec!["PatchConfig", "RotateSecret", "Custom", "WaitAndSee"]),
            planted in "S3CR3T[!-~]{0,20}",
        ) {
            let key = format!("{before}{word}{after}");
            // A key such as `clientSecret-name` does name an object.
            prop_assume!(!["-name", "_name", ".name", "-ref", "_ref", ".ref"].contains(&after.as_str()));
            let values = map(&[(&key, &planted), ("replicas", "3")]);
            for shown in [params(action, &values), details(&values)] {
                prop_assert!(shown.values().all(|value| !value.contains("S3CR3T")));
                prop_assert!(shown.contains_key(&key));
            }
        }

        #[test]
        fn no_address_survives(before in "[ a-zé(\"]{0,8}", scheme in "[a-zA-Z]{1,6}", path in "[!#-;=?-_a-z{-~]{0,20}", after in "([ \"]\\PC{0,12})?") {
            let text = format!("{before}{scheme}://S3CR3T{path}{after}");
            prop_assert!(!without_urls(&text).contains("S3CR3T"));
        }
    }
}
