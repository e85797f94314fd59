//! Which names say that a credential stands under them, and which only that one is spoken of.

/// Whether a value under that name is a password, a token, a credential, an API key or the value of a secret.
pub fn names_credential(key: &str) -> bool {
    const ANYWHERE: [&str; 17] = [
        "accesskey",
        "apikey",
        "authkey",
        "authorization",
        "bearer",
        "cookie",
        "credential",
        "encryptionkey",
        "passcode",
        "passphrase",
        "passwd",
        "password",
        "privatekey",
        "routingkey",
        "secret",
        "signingkey",
        "token",
    ];
    const WORDS: [&str; 4] = ["cred", "creds", "pass", "pw"];
    // What is told about a credential.
    const ABOUT: [&str; 9] = [
        "count", "expiry", "file", "length", "name", "path", "policy", "ttl", "type",
    ];
    let words = words(key);
    let joined = words.concat();
    let a_limit = words.first().is_some_and(|word| word == "max") && counts_tokens(key);
    let tells_about = words.last().is_some_and(|word| ABOUT.contains(&word.as_str()));
    // Alone it is the directory that a process works in.
    let is_pwd = joined.contains("pwd") && !["pwd", "oldpwd"].contains(&joined.as_str());
    !names_object(key)
        && !a_limit
        && !tells_about
        && (is_pwd
            || ANYWHERE.iter().any(|name| joined.contains(name))
            || words.iter().any(|word| WORDS.contains(&word.as_str())))
}

/// Whether a number under that name is one of tokens that a model reads.
pub(super) fn counts_tokens(key: &str) -> bool {
    key.to_ascii_lowercase().ends_with("tokens")
}

/// Whether the value is the name of an object that holds the secret, not the secret.
pub(super) fn names_object(key: &str) -> bool {
    const NAMES: [&str; 5] = [
        "secret",
        "imagepullsecret",
        "imagepullsecrets",
        "sourcesecret",
        "tlssecret",
    ];
    const ENDINGS: [&str; 7] = [
        "existingsecret",
        "existingsecretkey",
        "existingsecretpasswordkey",
        "secretkeyref",
        "secretname",
        "secretnamespace",
        "secretref",
    ];
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
