//! What must not be shown of a policy: how its channels reach people, and the addresses that errors quote.

use super::{MASK, conceal, document, names_credential};
use serde_json::Value;

/// The stored form of a policy. Of these a NotificationPolicy has secrets: what its channels are configured with, addresses and credentials that
/// stand beside that, and both where failed deliveries quote them.
pub fn policy(policy: &mut Value) {
    // Each is looked for in every text; with more of them no text is worth its time.
    const MOST_SECRETS: usize = 256;
    let mut secrets = Vec::new();
    for channel in elements(policy.pointer_mut("/spec/channels")) {
        let Value::Object(members) = channel else { continue };
        for (name, member) in members.iter_mut().filter(|(name, _)| *name != "config") {
            let held = member.clone();
            if names_credential(name) {
                conceal(name, member);
            }
            document(member);
            without_addresses(member);
            if *member != held {
                note_texts(&held, &mut secrets);
            }
        }
        if let Some(config) = members.get("config") {
            note_texts(config, &mut secrets);
        }
        hide_values(members.get_mut("config"));
    }
    document(policy);
    // One that holds another goes first.
    secrets.sort_unstable_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
    secrets.dedup();
    let cleared = |text: &str| match secrets.len() {
        0..=MOST_SECRETS => (secrets.iter()).fold(without_urls(text), |text, secret| text.replace(secret, MASK)),
        _ => MASK.to_owned(),
    };
    if let Some(status) = policy.pointer_mut("/status") {
        each_text("", status, &cleared);
    }
    for targets in ["/spec/rules", "/spec/levels"] {
        if let Some(targets) = policy.pointer_mut(targets) {
            without_addresses(targets);
        }
    }
}

fn without_addresses(value: &mut Value) {
    each_text("", value, &without_urls);
}

/// Every text below. The name of a channel may be what it is configured with, and stays unless it is an address.
fn each_text(name: &str, value: &mut Value, shown: &impl Fn(&str) -> String) {
    match value {
        Value::Object(members) => (members.iter_mut()).for_each(|(name, member)| each_text(name, member, shown)),
        Value::Array(values) => values.iter_mut().for_each(|value| each_text(name, value, shown)),
        Value::String(text) if name == "channel" => *text = without_urls(text),
        Value::String(text) => *text = shown(text),
        _ => {}
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
    use serde_json::json;

    #[test]
    fn whatever_a_policy_says_of_its_deliveries_quotes_no_address() {
        let mut policy = json!({
            "spec": {
                "channels": [{"name": "slack-ops", "type": "slack", "config": {"url": "https://hooks.example/T1/s3cret", "channel": "slack-ops"}}],
                "rules": [{"name": "all", "channels": ["slack-ops", "https://hooks.example/T1/s3cret"]}],
                "levels": [{"targets": [{"type": "channel", "name": "https://hooks.example/T1/s3cret"}, {"type": "user", "name": "ana@example.org"}]}],
            },
            "status": {
                "lastError": "POST https://hooks.example/T1/s3cret: 500",
                "recentDeliveries": [{"channel": "slack-ops", "target": "hooks.example/T1/s3cret", "response": "no hooks.example/T1/s3cret at https://x/y", "success": false}, {"channel": "https://hooks.example/T1/s3cret"}],
            },
        });
        super::policy(&mut policy);
        let shown = policy.to_string();
        assert!(!shown.contains("s3cret"), "{shown}");
        assert_eq!(policy["status"]["lastError"], "POST *** 500");
        assert_eq!(policy["status"]["recentDeliveries"][0]["channel"], "slack-ops");
        assert_eq!(policy["spec"]["rules"][0]["channels"], json!(["slack-ops", "***"]));
        assert_eq!(policy["spec"]["levels"][0]["targets"][1]["name"], "ana@example.org");
    }
}
