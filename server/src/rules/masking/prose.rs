//! Credentials inside free text: what follows a name that says so. The words around stay. What its own shape gives away is found in `shapes`,
//! what several lines of YAML hold in `outline`.

mod outline;
mod shapes;
#[cfg(test)]
mod tests;

use super::{MASK, counts_tokens, names_credential};
use std::{borrow::Cow, ops::Range};

/// Words that say how a credential is given, and are none.
const SCHEMES: [&str; 7] = ["apikey", "basic", "bearer", "digest", "negotiate", "ntlm", "token"];

/// Words that follow a name where prose speaks about it: `invalid token: expired`.
const PROSE: &[&str] = &[
    "a",
    "an",
    "and",
    "are",
    "as",
    "authentication",
    "authorization",
    "be",
    "can",
    "cannot",
    "denied",
    "empty",
    "error",
    "expired",
    "failed",
    "false",
    "flag",
    "for",
    "forbidden",
    "from",
    "has",
    "in",
    "invalid",
    "is",
    "it",
    "may",
    "missing",
    "must",
    "no",
    "none",
    "not",
    "null",
    "of",
    "on",
    "option",
    "or",
    "refused",
    "rejected",
    "required",
    "revoked",
    "that",
    "the",
    "timeout",
    "to",
    "token",
    "tokens",
    "true",
    "unauthorized",
    "unexpected",
    "unknown",
    "unset",
    "was",
    "were",
    "with",
    "wrong",
];

/// How a vote names the key that stands for it, by whose it is: `Mira (api-key: sre-mira)`.
const SIGNATURE: &str = "api-key: ";

/// Whether a text may hold anything that `masked` hides: quick, and wrong to the safe side.
pub(super) fn is_suspicious(text: &[u8]) -> bool {
    let begins = |at: usize, word: &str| {
        text.get(at..at + word.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
    };
    text.iter()
        .enumerate()
        .any(|(at, byte)| match byte.to_ascii_lowercase() {
            b'-' => begins(at, "-----begin "),
            b':' => begins(at, "://"),
            b'a' => begins(at, "auth"),
            b'b' => begins(at, "bearer"),
            b'c' => begins(at, "cookie") || begins(at, "cred") || begins(at, "curl "),
            b'd' => begins(at, "digest "),
            b'e' => begins(at, "eyj"),
            b'k' => begins(at, "key"),
            b'p' => begins(at, "pass") || begins(at, "pw"),
            b's' => begins(at, "secret"),
            b't' => begins(at, "token"),
            _ => false,
        })
}

/// The text without credentials.
pub(super) fn masked(text: &str) -> Cow<'_, str> {
    if !is_suspicious(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let text = shapes::hidden(text);
    if text.trim_end().contains('\n') {
        Cow::Owned(outline::masked(&text))
    } else {
        Cow::Owned(in_line(&text))
    }
}

// === inside a line ===

fn in_line(line: &str) -> String {
    in_command(line, curl(line))
}

/// The same where what is behind a place is given to curl.
fn in_command(line: &str, curl: Option<usize>) -> String {
    let mut shown = String::with_capacity(line.len());
    let curl = curl.unwrap_or(line.len());
    let (mut told, mut at) = (0, 0);
    while let Some(word) = next_word(line, at) {
        at = word.end;
        let user = || user_after(line, &word).filter(|_| curl <= word.start);
        let found = user().or_else(|| value_after(line, word.clone()));
        if let Some(value) = found {
            shown.push_str(&line[told..value.start]);
            shown.push_str(MASK);
            (told, at) = (value.end, value.end);
        }
    }
    shown + &line[told..]
}

/// Where curl is called.
fn curl(line: &str) -> Option<usize> {
    line.as_bytes()
        .windows(5)
        .position(|part| part.eq_ignore_ascii_case(b"curl "))
}

fn next_word(line: &str, from: usize) -> Option<Range<usize>> {
    let start = from + line[from..].find(is_of_name)?;
    let length = line[start..].find(|c| !is_of_name(c)).unwrap_or(line.len() - start);
    Some(start..start + length)
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-.".contains(c)
}

/// Who signs in by `curl -u name:password`. A name alone stays, as a number of a user does for other commands.
fn user_after(line: &str, word: &Range<usize>) -> Option<Range<usize>> {
    const FLAGS: [&str; 4] = ["-u", "-U", "--user", "--proxy-user"];
    // So that a text of nothing but flags is not read again for each of them.
    const LONGEST: usize = 128;
    // `-sSfu`
    const LONGEST_CLUSTER: usize = 8;
    let flag = &line[word.clone()];
    let is_last_of_several = flag.len() <= LONGEST_CLUSTER
        && flag
            .strip_prefix('-')
            .and_then(|flags| flags.strip_suffix('u'))
            .is_some_and(|flags| flags.chars().all(char::is_alphabetic));
    let start = if FLAGS.contains(&flag) || is_last_of_several {
        word.end + usize::from(line[word.end..].starts_with('='))
    } else if ["-u", "-U"].iter().any(|short| flag.starts_with(short)) {
        word.start + 2
    } else {
        return None;
    };
    let start = skip_blanks(line, start);
    let mut name = line[start..].chars().take(LONGEST).take_while(|c| !c.is_whitespace());
    if line[start..].starts_with(['{', '[']) || !name.any(|c| c == ':') {
        return None;
    }
    let value = value_at(line, start)?;
    line[value.clone()].contains(':').then_some(value)
}

/// Where the credential stands that a word announces.
fn value_after(line: &str, word: Range<usize>) -> Option<Range<usize>> {
    let is_flag = line[word.clone()].starts_with('-');
    let name = line[word.clone()].trim_matches(['-', '.']);
    let after = &line[word.end..];
    if name.eq_ignore_ascii_case("bearer") && after.starts_with([' ', '\t']) {
        let value = bare(line, skip_blanks(line, word.end))?;
        let text = &line[value.clone()];
        let certain =
            name == "Bearer" || text == MASK || (text.len() >= 8 && text.contains(|c: char| c.is_ascii_digit()));
        return (certain && !is_prose(text)).then_some(value);
    }
    if name.eq_ignore_ascii_case("digest") && after.starts_with([' ', '\t']) {
        let pairs = pairs(line, skip_blanks(line, word.end))?;
        return line[pairs.clone()].contains("response").then_some(pairs);
    }
    if !names_credential(name) || (line[..word.start].ends_with('(') && line[word.start..].starts_with(SIGNATURE)) {
        return None;
    }
    let (start, sureness) = announcement(after, is_flag)?;
    if matches!(sureness, Sureness::Told) && names_other_thing(line, name, &word) {
        return None;
    }
    let mut value = value_at(line, skip_blanks(line, word.end + start))?;
    if name.to_ascii_lowercase().ends_with("cookie") {
        value.end = cookies(line, value.end);
    }
    if let Some(behind) = behind_scheme(line, &word, &value, sureness) {
        return Some(behind);
    }
    let text = &line[value.clone()];
    let told = match sureness {
        Sureness::Sure => ["true", "false"].contains(&text),
        Sureness::Likely => is_prose(text),
        Sureness::Told => is_prose(text) || !is_told_credential(line, name, &value),
    };
    (!told && !is_number_of_tokens(name, text)).then_some(value)
}

/// What follows a scheme that is not among the known ones, and the scheme with it where it may be the credential itself:
/// `Authorization: Hawk 3f9…`.
fn behind_scheme(line: &str, name: &Range<usize>, scheme: &Range<usize>, sureness: Sureness) -> Option<Range<usize>> {
    let (before, text) = (&line[..scheme.start], &line[scheme.clone()]);
    let is_known = before.split_ascii_whitespace().next_back().is_some_and(is_scheme);
    let is_coded = text.contains('-') && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_authorization = line[name.clone()].to_ascii_lowercase().ends_with("authorization");
    let start = skip_blanks(line, scheme.end);
    if !is_authorization || is_known || is_prose(text) || !(is_word(text) || is_coded) || start == scheme.end {
        return None;
    }
    let is_capital = text.starts_with(|c: char| c.is_ascii_uppercase());
    let pairs = pairs(line, start);
    let is_scheme_shown = is_word(text) && !matches!(sureness, Sureness::Sure) && (is_capital || pairs.is_none());
    let behind = header_end(line, name.start)
        .filter(|end| *end > start)
        .or(pairs.map(|pairs| pairs.end))
        .or_else(|| random_words(line, start))
        .or_else(|| last_word(line, start).filter(|_| is_capital))?;
    Some(if is_scheme_shown { start } else { scheme.start }..behind)
}

/// Where the quotes of a header end that a command is given: `-H 'Authorization: …'`.
fn header_end(line: &str, start: usize) -> Option<usize> {
    let quote = QUOTES.into_iter().find(|quote| line[..start].ends_with(quote))?;
    let flag = line[..start - quote.len()].trim_end_matches([' ', '=']);
    let is_header = ["-H", "--header"].iter().any(|header| flag.ends_with(header));
    is_header.then(|| closing(&line[start..], quote).map_or(line.len(), |length| start + length))
}

/// Where the words end that are none of a language.
fn random_words(line: &str, start: usize) -> Option<usize> {
    let (mut at, mut end) = (start, None);
    while let Some(word) = bare(line, at).filter(|word| is_random(&line[word.clone()])) {
        end = Some(word.end);
        at = skip_blanks(line, word.end);
        if at == word.end {
            break;
        }
    }
    end
}

/// Where the word ends behind which the line, or what is quoted of it, says no more.
fn last_word(line: &str, start: usize) -> Option<usize> {
    let word = bare(line, start).filter(|word| !is_prose(&line[word.clone()]))?;
    let after = line[word.end..].trim_end();
    (after.is_empty() || after.starts_with(['"', '\'', '`', '\\'])).then_some(word.end)
}

/// How sure it is that what follows a name is its value.
#[derive(Clone, Copy)]
enum Sureness {
    /// Unless it is a switch.
    Sure,
    /// Unless it is a word of prose.
    Likely,
    /// After a colon, as sentences have it, too.
    Told,
}

/// Behind which sign after a name its value begins.
fn announcement(after: &str, is_flag: bool) -> Option<(usize, Sureness)> {
    let quote = opening(after);
    let sign = skip_blanks(after, quote.len());
    let rest = &after[sign..];
    if let Some(value) = rest.strip_prefix('=') {
        let value = value.trim_start_matches(['=', '>']);
        let apart = value.starts_with([' ', '\t']);
        let sureness = if apart { Sureness::Likely } else { Sureness::Sure };
        return Some((after.len() - value.len(), sureness));
    }
    if let Some(value) = rest.strip_prefix(":=") {
        return Some((after.len() - value.len(), Sureness::Likely));
    }
    if rest.starts_with(':') && !rest.starts_with("://") && !rest.starts_with("::") {
        let value = rest[1..].trim_start_matches([' ', '\t']);
        let is_json = !quote.is_empty() && value.starts_with(|c: char| "\\\"'{[-".contains(c) || c.is_ascii_digit());
        let sureness = if is_flag || is_json {
            Sureness::Likely
        } else {
            Sureness::Told
        };
        return Some((sign + 1, sureness));
    }
    let in_list = !quote.is_empty() && rest.starts_with(',');
    let apart = quote.is_empty() && sign > 0 && !rest.starts_with('-');
    match is_flag {
        true if in_list => Some((sign + 1, Sureness::Sure)),
        true if apart => Some((sign, Sureness::Likely)),
        _ => None,
    }
}

// === after a colon ===

const LONGEST_WORD: usize = 24;

/// Whether a sentence may tell of a thing that has such a name: a workload, or the end of a path.
fn names_other_thing(line: &str, name: &str, word: &Range<usize>) -> bool {
    line[..word.start].ends_with('/') || (may_be_workload(name) && !ends_in_credential(name))
}

/// Whether a sentence gives a credential there, rather than to say what became of it. What is not hidden is short: it is looked at again.
fn is_told_credential(line: &str, name: &str, value: &Range<usize>) -> bool {
    let before = &line[..value.start];
    let text = &line[value.clone()];
    if before.ends_with(['"', '\'']) || text.starts_with(['{', '[']) {
        return true;
    }
    if may_be_workload(name) {
        return is_mixed(text);
    }
    let signs_in = name.to_ascii_lowercase().ends_with("authorization")
        && before.split_ascii_whitespace().next_back().is_some_and(is_scheme);
    let speaks = !before.ends_with(':') && is_word(text) && goes_on(&line[value.end..]);
    let is_status = text.len() <= 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    signs_in || !(speaks || is_status)
}

/// `token-service` is one, `X-Auth-Token` and `api-key` are headers.
fn may_be_workload(name: &str) -> bool {
    const HEADERS: [&str; 10] = [
        "access-key",
        "access-token",
        "api-key",
        "auth-token",
        "client-secret",
        "private-key",
        "private-token",
        "proxy-authorization",
        "refresh-token",
        "secret-key",
    ];
    name.contains('-')
        && !name.contains(|c: char| c.is_ascii_uppercase())
        && !name.starts_with("x-")
        && !HEADERS.contains(&name)
}

/// `db-password` rather than `password-reset`.
fn ends_in_credential(name: &str) -> bool {
    const ENDS: [&str; 9] = [
        "apikey",
        "key",
        "pass",
        "passphrase",
        "passwd",
        "password",
        "pw",
        "secret",
        "token",
    ];
    name.rsplit('-').next().is_some_and(|end| ENDS.contains(&end))
}

/// Letters and digits, or more than anybody says without a blank.
fn is_mixed(text: &str) -> bool {
    let has = |kind: fn(&char) -> bool| text.chars().any(|c| kind(&c));
    text.len() > LONGEST_WORD || (has(char::is_ascii_digit) && has(char::is_ascii_alphabetic) && !text.contains('/'))
}

/// What chance has made of letters and digits, or what stands for it.
fn is_random(text: &str) -> bool {
    let is_base64 = text.chars().all(|c| c.is_ascii_alphanumeric() || "+=".contains(c));
    let has_letters = text.contains(|c: char| c.is_ascii_alphabetic());
    text == MASK || is_mixed(text) || (is_base64 && has_letters && !is_word(text))
}

/// `pod`, `Unable` and `CrashLoopBackOff`, not what chance has made of letters.
fn is_word(text: &str) -> bool {
    let capitals = text.chars().filter(char::is_ascii_uppercase).count();
    text.len() <= LONGEST_WORD
        && text.chars().all(char::is_alphabetic)
        && (text.len() <= 5 || capitals * 3 <= text.len())
}

/// Whether another word follows, and not the next name of `name: value`.
fn goes_on(after: &str) -> bool {
    let next = after.trim_start_matches([' ', '\t']);
    let end = next.find(|c| !is_of_name(c)).unwrap_or(next.len());
    let is_name = next[end..].starts_with([':', '=']) && !next[end..].starts_with("://");
    next.len() < after.len() && next.starts_with(|c: char| c.is_ascii_alphabetic()) && !is_name
}

// === values ===

/// As they stand inside JSON that is inside a text, too.
const QUOTES: [&str; 3] = ["\\\"", "\"", "'"];

/// The quote that stands there, or nothing.
fn opening(text: &str) -> &'static str {
    QUOTES
        .into_iter()
        .find(|quote| text.starts_with(quote))
        .unwrap_or_default()
}

/// The value that begins there: between quotes, between brackets, or up to a blank. None where there is none.
fn value_at(line: &str, start: usize) -> Option<Range<usize>> {
    let rest = &line[start..];
    if let Some(quote) = QUOTES.into_iter().find(|quote| rest.starts_with(quote)) {
        let start = start + quote.len();
        let end = closing(&line[start..], quote).map_or(line.len(), |length| start + length);
        return Some(scheme_aside(line, start..end)).filter(|value| !value.is_empty());
    }
    if rest.starts_with(['{', '[']) {
        let end = start + bracketed(rest);
        return Some(start..bare(line, end).map_or(end, |rest| rest.end));
    }
    let value = bare(line, start)?;
    let first = &line[value.clone()];
    let second = || bare(line, skip_blanks(line, value.end)).filter(|second| second.start > value.end);
    if is_scheme(first) {
        return pairs(line, skip_blanks(line, value.end))
            .or_else(second)
            .or(Some(value));
    }
    let pairs = pairs(line, skip_blanks(line, value.end)).filter(|pairs| line[pairs.clone()].contains("Signature="));
    Some(value.start..pairs.map_or(value.end, |pairs| pairs.end))
}

/// `username="…", response="…"`: what a scheme is told, up to the last of them.
fn pairs(line: &str, start: usize) -> Option<Range<usize>> {
    let (mut at, mut end) = (start, None);
    while let Some(past) = pair(line, at) {
        end = Some(past);
        if !line[past..].starts_with(',') {
            break;
        }
        at = skip_blanks(line, past + 1);
    }
    end.map(|end| start..end)
}

/// Where the pair ends that begins there.
fn pair(line: &str, start: usize) -> Option<usize> {
    let name = line[start..].find(|c| !is_of_name(c)).filter(|&length| length > 0)?;
    let value = start + name + 1;
    let rest = line[start + name..]
        .strip_prefix('=')
        .filter(|rest| !rest.starts_with('='))?;
    let quote = opening(rest);
    if quote.is_empty() {
        let first = rest.split(|c: char| c == ',' || c.is_whitespace()).next()?;
        return bare(&line[..value + first.len()], value).map(|value| value.end);
    }
    let within = value + quote.len();
    let length = closing(&line[within..], quote).filter(|_| quote != "'")?;
    Some(within + length + quote.len())
}

/// Where the last of several cookies ends: `a=1; b=2`.
fn cookies(line: &str, first: usize) -> usize {
    let mut end = first;
    while line[end..].starts_with(';') {
        match bare(line, skip_blanks(line, end + 1)) {
            Some(next) => end = next.end,
            None => break,
        }
    }
    end
}

/// `Bearer x` between quotes: the scheme stays.
fn scheme_aside(line: &str, value: Range<usize>) -> Range<usize> {
    let text = &line[value.clone()];
    match text.split_once(' ') {
        Some((scheme, rest)) if is_scheme(scheme) && !rest.is_empty() => value.end - rest.len()..value.end,
        _ => value,
    }
}

fn closing(text: &str, quote: &str) -> Option<usize> {
    let mut ends = text.match_indices(quote).map(|(at, _)| at);
    ends.find(|&at| quote != "\"" || !text[..at].ends_with('\\'))
}

/// The length of what a bracket begins; all of it where the other one is missing.
fn bracketed(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

/// A value without quotes, less the punctuation of the sentence around it.
fn bare(line: &str, start: usize) -> Option<Range<usize>> {
    let rest = &line[start..];
    let end = rest
        .find(|c: char| c.is_whitespace() || c.is_control() || "\"'`&<>\\".contains(c))
        .unwrap_or(rest.len());
    let length = rest[..end].trim_end_matches([',', ';', '.', ':', ')', ']', '}']).len();
    (length > 0).then(|| start..start + length)
}

fn skip_blanks(line: &str, at: usize) -> usize {
    line.len() - line[at..].trim_start_matches([' ', '\t']).len()
}

fn is_scheme(word: &str) -> bool {
    SCHEMES.contains(&&*word.to_ascii_lowercase())
}

fn is_prose(text: &str) -> bool {
    PROSE.contains(&&*text.to_ascii_lowercase())
}

/// What a model has read and written is counted in tokens.
fn is_number_of_tokens(name: &str, value: &str) -> bool {
    counts_tokens(name) && value.trim_end_matches('%').parse::<f64>().is_ok()
}
