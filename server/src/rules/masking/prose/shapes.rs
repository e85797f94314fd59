//! Credentials that their own shape gives away, whatever stands before them: who signs in at an address, JSON Web Tokens, private keys in PEM.

use super::{MASK, is_of_name};

/// The text without them.
pub(super) fn hidden(text: &str) -> String {
    without_users(&without_tokens(&without_private_keys(text)))
}

/// The lines between the marks go, to the end of the text where the second is missing.
fn without_private_keys(text: &str) -> String {
    const BEGIN: &str = "-----BEGIN ";
    const END: &str = "-----END ";
    const MARK: &str = "-----";
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(BEGIN) {
        let label = at + BEGIN.len();
        let Some(length) = rest[label..].find(MARK) else { break };
        let is_private = rest[label..label + length].contains("PRIVATE KEY");
        let start = label + length + if is_private { MARK.len() } else { 0 };
        shown.push_str(&rest[..start]);
        rest = &rest[start..];
        if is_private {
            let (key, after) = rest.split_at(rest.find(END).unwrap_or(rest.len()));
            let within = key.trim();
            if within.is_empty() {
                shown.push_str(key);
            } else {
                let from = key.len() - key.trim_start().len();
                shown.push_str(&key[..from]);
                shown.push_str(MASK);
                shown.push_str(&key[from + within.len()..]);
            }
            rest = after;
        }
    }
    shown + rest
}

/// `eyJ…` with two dots behind it, which is how a JSON object in Base64 begins.
fn without_tokens(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_of_name) {
        let length = rest[start..].find(|c| !is_of_name(c)).unwrap_or(rest.len() - start);
        let (before, after) = rest.split_at(start + length);
        let token = before[start..]
            .find("eyJ")
            .map(|at| before[start + at..].trim_end_matches('.'));
        let token = token.filter(|token| token.bytes().filter(|byte| *byte == b'.').count() >= 2);
        match token.and_then(|token| before.rfind(token).map(|at| (at, at + token.len()))) {
            Some((from, to)) => {
                shown.push_str(&before[..from]);
                shown.push_str(MASK);
                shown.push_str(&before[to..]);
            }
            None => shown.push_str(before),
        }
        rest = after;
    }
    shown + rest
}

/// Who signs in at an address, and how, is nobody's business. A name alone stays: `ssh://git@host`.
fn without_users(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, address) = rest.split_at(at + 3);
        shown.push_str(before);
        let end = address.find(|c: char| c.is_whitespace() || "/?#\"'`<>\\".contains(c));
        let authority = &address[..end.unwrap_or(address.len())];
        let user = authority.rfind('@').map(|at| &authority[..at]);
        let user = user.filter(|user| {
            !user.is_empty() && (user.contains(':') || before.ends_with("https://") || before.ends_with("http://"))
        });
        if let Some(user) = user {
            shown.push_str(MASK);
            rest = &address[user.len()..];
        } else {
            rest = address;
        }
    }
    shown + rest
}
