//! What is hidden, what is not, and that nothing slips through.

use super::{MASK, details, document, is_masked, names_credential, params, text, without_urls};
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
        "dbPwd",
        "MYSQL_PWD",
        "Set-Cookie",
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
        "tokenTTL",
        "tokenType",
        "token_count",
        "passwordPolicy",
        "passwordLength",
        "password-expiry",
        "API_KEY_FILE",
        "credentialsPath",
        "cookieName",
        "PWD",
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

#[test]
fn a_policy_with_more_values_than_can_be_looked_for_tells_no_error() {
    let error = |values: Vec<String>| {
        let mut policy = json!({
            "spec": {"channels": [{"config": {"to": values}}]},
            "status": {"recentDeliveries": [{"error": "dial secret-1 refused"}], "conditions": [{"message": "secret-1"}]},
        });
        super::policy(&mut policy);
        assert_eq!(policy["status"]["conditions"][0]["message"], MASK);
        policy["status"]["recentDeliveries"][0]["error"].clone()
    };
    let distinct = |count: usize| (1..=count).map(|number| format!("secret-{number}")).collect::<Vec<_>>();
    assert_eq!(error(distinct(256)), "dial *** refused");
    assert_eq!(error(distinct(257)), MASK);
    assert_eq!(error(vec!["secret-1".into(); 10_000]), "dial *** refused");
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
        // A key such as `clientSecret-name` does name an object, and `token-ttl` tells about one.
        prop_assume!(!["name", "ref", "count", "expiry", "file", "length", "path", "policy", "ttl", "type"].contains(&after.get(1..).unwrap_or_default()));
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

    #[test]
    fn to_hide_once_is_to_hide_for_good(pieces in prop::collection::vec(piece(), 0..8)) {
        let held = pieces.concat();
        let shown = text(&held).into_owned();
        prop_assert_eq!(&*text(&shown), &*shown, "of {:?}", held);
    }

    #[test]
    fn a_text_that_speaks_of_nothing_secret_is_as_it_was(words in "[ -9;-~é\n]{0,60}") {
        prop_assume!(!["pass", "pw", "token", "secret", "cred", "key", "auth", "bearer", "cookie", "curl", "digest", "eyj", "-----"].iter().any(|root| words.to_lowercase().contains(root)));
        prop_assert_eq!(text(&words), words.as_str());
    }

    #[test]
    fn a_credential_in_a_text_never_shows(
        before in "([a-z]{1,8} ){0,3}",
        form in prop::sample::select(vec![
            "password=@", "password: @", "DB_PASSWORD='@'", "--token @", "--api-key=@", "Authorization: Bearer @", "Authorization: Basic @",
            "Bearer @", "\"apiKey\": \"@\"", "{\"spec\":{\"token\":\"@\"}}", "https://user:@@db/x", "X-API-Key: @", "[\"--password\",\"@\"]",
            "-H 'Authorization: Bearer @'", "\\\"password\\\":\\\"@\\\"",
        ]),
        secret in "S3CR3T[a-zA-Z0-9_/+=.-]{0,20}",
        after in "( [a-z]{1,8}){0,3}",
    ) {
        prop_assume!(!form.contains("https") || !secret.contains('/'));
        let planted = form.replacen('@', &secret, 1);
        let held = format!("{before}{planted}{after}");
        let shown = text(&held).into_owned();
        prop_assert!(!shown.contains("S3CR3T"), "{shown} of {held}");
        prop_assert!(shown.starts_with(&before) && shown.ends_with(&after), "{shown} of {held}");
    }
}

/// What texts with and without credentials are made of.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "password",
            "token",
            "--password",
            "Bearer",
            "bearer",
            "Authorization",
            "apiKey",
            "secret",
            "kind: Secret",
            "data:",
            "stringData:",
            "=",
            ": ",
            ":",
            " ",
            "\"",
            "'",
            "\\",
            "{",
            "}",
            "[",
            "]",
            "\n",
            "\n  ",
            "|",
            "- ",
            "://",
            "@",
            ",",
            ";",
            "***",
            "Basic",
            "is",
            "x",
            "tokens",
            "5",
            "db-token",
            "\n  name: ",
            "\n  value: ",
            "\n- name: ",
            "DB_PASSWORD",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "eyJa",
            ".b.c",
            "Set-Cookie: ",
            "a=b",
            "; ",
            ", ",
            "curl ",
            " -u",
            "Digest ",
            "response=",
            "/",
            "word",
            "Pod",
            "Authorization: Custom ",
            "Authorization=",
            "-H '",
            "expired, ",
            " -sSu user:pw",
        ])
        .prop_map(str::to_owned),
        "[ -~]{0,5}",
    ]
}

#[test]
fn what_follows_the_name_of_a_credential_is_hidden_and_the_words_around_stay() {
    for (held, shown) in [
        (
            "curl -H 'Authorization: Bearer abc.def' https://api",
            "curl -H 'Authorization: Bearer ***' https://api",
        ),
        ("sent Bearer x and went on", "sent Bearer *** and went on"),
        ("psql password=x host=db", "psql password=*** host=db"),
        ("the token: x, was refused", "the token: ***, was refused"),
        ("Cookie: session=abc; id=1", "Cookie: ***"),
        ("-H 'Set-Cookie: session=abc; Path=/' sent", "-H 'Set-Cookie: ***' sent"),
        ("curl -u admin:pw https://api", "curl -u *** https://api"),
        ("curl --user 'admin:p w' -uapp:pw x", "curl --user '***' -u*** x"),
        (
            "Authorization: Digest username=\"app\", response=\"abc\" refused",
            "Authorization: Digest *** refused",
        ),
        ("sent Digest username=app, response=abc", "sent Digest ***"),
        (
            "Authorization: AWS4-HMAC-SHA256 Credential=a/b, Signature=c",
            "Authorization: ***",
        ),
        ("it said eyJhbGci.eyJzdWIi.c-2_x. Then", "it said ***. Then"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nend",
            "-----BEGIN RSA PRIVATE KEY-----\n***\n-----END RSA PRIVATE KEY-----\nend",
        ),
        (
            "cut: -----BEGIN PRIVATE KEY-----\nMII",
            "cut: -----BEGIN PRIVATE KEY-----\n***",
        ),
        (
            "env:\n- name: DB_PASSWORD\n  value: hunter\n- name: LEVEL\n  value: debug\n",
            "env:\n- name: DB_PASSWORD\n  value: ***\n- name: LEVEL\n  value: debug\n",
        ),
        (
            "  - name: \"API_TOKEN\"\n    value: |\n      a\n  - name: KEY\n",
            "  - name: \"API_TOKEN\"\n    value: |\n      ***\n  - name: KEY\n",
        ),
        ("set password={a}b now", "set password=*** now"),
        ("password: hunter user: app", "password: *** user: app"),
        ("db-password: hunter2 was set", "db-password: *** was set"),
        ("X-Vault-Token: abc, as sent", "X-Vault-Token: ***, as sent"),
        ("'api-key': 'two words'", "'api-key': '***'"),
        (
            "Authorization: Basic abcdef was sent",
            "Authorization: Basic *** was sent",
        ),
        ("token: aBcDeFgHiJkL was refused", "token: *** was refused"),
        (
            "Use this:\npassword: x1\nThanks\n",
            "Use this:\npassword: ***\nThanks\n",
        ),
        ("login --password x --user y", "login --password *** --user y"),
        ("login --password=x --user y", "login --password=*** --user y"),
        ("[\"--password\", \"x y\", \"-v\"]", "[\"--password\",\"***\",\"-v\"]"),
        (
            "postgres://app:p%40ss@db:5432/shop?a=b",
            "postgres://***@db:5432/shop?a=b",
        ),
        ("clone https://ghp_123@github.com/x", "clone https://***@github.com/x"),
        ("PGPASSWORD=x pg_dump", "PGPASSWORD=*** pg_dump"),
        ("db.password = \"two words\" # kept", "db.password = \"***\" # kept"),
        ("?user=a&token=x&page=2", "?user=a&token=***&page=2"),
        (
            "patch -p '{\"password\":{\"a\":\"x\"}}' now",
            "patch -p '{\"password\":***}' now",
        ),
    ] {
        assert_eq!(text(held), shown);
    }
}

#[test]
fn prose_about_credentials_is_no_credential() {
    for held in [
        "the token bucket is empty",
        "Mira (api-key: sre-mira), Bo (api-key: bo)",
        "the password is wrong",
        "invalid token: expired",
        "password: must not be empty",
        "use --password to sign in, or a key",
        "the bearer of bad news",
        "Bearer authentication failed",
        "Secret edge-tls, key tls.crt",
        "secret: edge-tls",
        "secretName=edge-tls",
        "credentialsSecretRef: git",
        "totalInputTokens: 1200",
        "tokens=1200; cost=0.02",
        "ssh://git@github.com/x",
        "mail ana@shop.example about the auth service",
        "automountServiceAccountToken=false",
        "no API keys are configured",
        "env:\n- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db\n      key: password\n- name: LEVEL\n  value: debug\n",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----\n",
        "curl -u admin https://api",
        "docker run -u 1000:1000 web",
        "image digest sha256:0123",
        "no cookie was sent",
        "vault login --token-file /run/token --token-ttl 5m",
        "pwd=/home/app",
        "Deployment/token-service: CrashLoopBackOff",
        "external-secrets: image pull failed",
        "pull ghcr.io/external-secrets/external-secrets:v0.9.1",
        "MountVolume.SetUp failed for volume \"api-access-token\": failed to fetch token: pod not found",
        "secret \"db-credentials\": permission refused",
        "checks pass: 12 of 14",
        "GET /oauth/token: 503",
        "could not get a token: 401 from vault",
        "Timeline:\n- token-service: restarted by Ana at 10:05\n- web: scaled to 3\n",
        "The rollout failed.\ntoken: request to vault took too long\nNobody was paged.\n",
    ] {
        assert_eq!(text(held), held);
    }
}

#[test]
fn a_text_that_is_json_is_looked_at_member_by_member() {
    let spec = json!({"containers": [{
        "image": "app:1", "args": ["--token", "plain"],
        "env": [{"name": "DB_PASSWORD", "value": "x"}, {"name": "LEVEL", "value": "debug"},
                {"name": "API_KEY", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}],
    }], "auth": {"clientSecret": {"a": ["x", 7]}}, "note": "{\"password\":\"x\"}", "maxTokens": 5, "tokens": 9});
    let mut shown = spec.clone();
    document(&mut shown);
    assert_eq!(
        shown,
        json!({"containers": [{
            "image": "app:1", "args": ["--token", MASK],
            "env": [{"name": "DB_PASSWORD", "value": MASK}, {"name": "LEVEL", "value": "debug"},
                    {"name": "API_KEY", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}],
        }], "auth": {"clientSecret": {"a": [MASK, MASK]}}, "note": "{\"password\":\"***\"}", "maxTokens": 5, "tokens": 9})
    );
    assert_eq!(text(&spec.to_string()), shown.to_string());
    let innocent = " {\"b\": 1.0, \"a\": \"key\"}";
    assert_eq!(text(innocent), innocent);
}

#[test]
fn a_secret_that_is_written_out_keeps_its_names() {
    let manifest = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\nstringData:\n  dsn: a b\n  pem: |\n    line\n\n    line\ntype: Opaque\n";
    let shown = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\nstringData:\n  dsn: ***\n  pem: |\n    ***\n\n    ***\ntype: Opaque\n";
    assert_eq!(text(manifest), shown);
    let values =
        "auth:\n  username: app\n  password: correct horse\n  token: >-\n    a\n    b\n  key: x\nreplicas: 2\n";
    let shown = "auth:\n  username: app\n  password: ***\n  token: >-\n    ***\n    ***\n  key: x\nreplicas: 2\n";
    assert_eq!(text(values), shown);
    let mut object = json!({"kind": "Secret", "metadata": {"name": "db"}, "data": {"dsn": "YQ==", "empty": ""}});
    document(&mut object);
    assert_eq!(
        object,
        json!({"kind": "Secret", "metadata": {"name": "db"}, "data": {"dsn": MASK, "empty": ""}})
    );
}

#[test]
fn what_came_back_masked_is_known() {
    for shown in [
        "password=***",
        "login --token *** now",
        "{\"password\":\"***\"}",
        "https://***@db/x",
        "curl -u *** x",
        "sent Digest ***",
    ] {
        assert!(is_masked(shown), "{shown}");
    }
    for plain in ["", "***", "password=x", "a *** b", "0 *** 5", "****"] {
        assert!(!is_masked(plain), "{plain}");
    }
}

#[test]
fn what_a_channel_holds_beside_its_configuration_is_hidden_too() {
    let mut policy = json!({
        "spec": {"channels": [{
            "name": "sre", "type": "slack", "secretRef": {"name": "slack"}, "webhookUrl": "https://h.example/T0/abcdef", "token": "t0ken-of-sre",
            "note": "see https://wiki/x", "headers": {"X-Api-Key": "abcdefgh", "Accept": "text/plain"},
        }]},
        "status": {"recentDeliveries": [{"error": "h.example/T0/abcdef refused t0ken-of-sre"}]},
    });
    super::policy(&mut policy);
    assert_eq!(
        policy,
        json!({
            "spec": {"channels": [{
                "name": "sre", "type": "slack", "secretRef": {"name": "slack"}, "webhookUrl": MASK, "token": MASK,
                "note": "see ***", "headers": {"X-Api-Key": MASK, "Accept": "text/plain"},
            }]},
            "status": {"recentDeliveries": [{"error": "*** refused ***"}]},
        })
    );
}

#[test]
fn what_stands_in_json_inside_a_text_is_hidden() {
    for (held, shown) in [
        (
            r#"request {"password":"x"} failed"#,
            r#"request {"password":"***"} failed"#,
        ),
        (
            r#"sent {"user":"a","auth":{"token": "t0k"}}: 401"#,
            r#"sent {"user":"a","auth":{"token": "***"}}: 401"#,
        ),
        (
            r#"{"a":1} then {"api_key":12345678}"#,
            r#"{"a":1} then {"api_key":"***"}"#,
        ),
        (
            r#"env [{"name":"DB_PASSWORD","value":"hunter2"}] refused"#,
            r#"env [{"name":"DB_PASSWORD","value":"***"}] refused"#,
        ),
    ] {
        assert_eq!(text(held), shown);
    }
}

#[test]
fn names_of_secrets_stay_and_their_content_goes() {
    let given = |key: &str| BTreeMap::from([(key.to_owned(), "db-main".to_owned())]);
    for key in [
        "existingSecret",
        "secretNamespace",
        "secretName",
        "tls-secret",
        "imagePullSecret",
    ] {
        assert_eq!(params("PatchConfig", &given(key)), given(key), "{key}");
        assert_eq!(
            params("RotateSecret", &given(key))[key],
            MASK,
            "{key} is an entry of the Secret there"
        );
    }
    for key in ["secret", "sourceSecret"] {
        assert_eq!(params("RotateSecret", &given(key)), given(key), "{key}");
    }
    assert_eq!(params("PatchConfig", &given("secretKey"))["secretKey"], MASK);
}

#[test]
fn values_of_a_chart_name_secrets_and_their_entries() {
    for key in [
        "auth.existingSecret",
        "existingSecretPasswordKey",
        "auth.secretNamespace",
        "secretKeyRef",
        "imagePullSecrets",
    ] {
        assert!(!names_credential(key), "{key}");
    }
}
