//! Credentials in several lines, which may be YAML: a value goes on to the end of the line or over the lines below, and may stand beside the
//! name that says what it is.

use super::{MASK, curl, in_command, is_number_of_tokens, is_of_name, is_prose, is_random};
use super::{ends_in_credential, may_be_workload};
use crate::rules::masking::names_credential;
use std::ops::Range;

pub(super) fn masked(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut outline = Outline::of(text);
    for (line, is_outlined) in text.split_inclusive('\n').zip(outlined(text)) {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        outline.step(line, is_outlined, &mut shown);
        shown.push_str(end);
    }
    shown
}

/// Of each line whether it is part of an outline: indented, or beside another entry or one that is indented.
fn outlined(text: &str) -> Vec<bool> {
    let lines: Vec<_> = text.lines().collect();
    let is_shaped = |line: &str| is_indented(line) || Entry::of(line).is_some();
    let told: Vec<_> = (0..lines.len()).filter(|&at| !lines[at].trim().is_empty()).collect();
    let shaped: Vec<_> = told.iter().map(|&at| is_shaped(lines[at])).collect();
    let mut outlined = vec![false; lines.len()];
    for (place, &at) in told.iter().enumerate() {
        let above = place.checked_sub(1).is_some_and(|above| shaped[above]);
        let below = shaped.get(place + 1).is_some_and(|below| *below);
        outlined[at] = is_indented(lines[at]) || above || below;
    }
    outlined
}

fn is_indented(line: &str) -> bool {
    line.starts_with([' ', '\t'])
}

/// Words with which a line says what became of a credential: `Token: expired at 10:05`.
const PREDICATES: [&str; 20] = [
    "are",
    "cannot",
    "denied",
    "empty",
    "expired",
    "failed",
    "forbidden",
    "has",
    "invalid",
    "is",
    "missing",
    "must",
    "no",
    "not",
    "refused",
    "rejected",
    "required",
    "revoked",
    "was",
    "were",
];

/// Whether a value begins as such a line does, and has no word that may be the credential.
fn is_sentence(value: &str) -> bool {
    let mut words = value
        .split_ascii_whitespace()
        .map(|word| word.trim_matches([',', '.', ';', ':', '(', ')']));
    let begins = words
        .next()
        .is_some_and(|word| PREDICATES.contains(&&*word.to_ascii_lowercase()));
    begins && !words.any(|word| word != MASK && is_random(word))
}

/// Where in an outline the line after this one stands.
struct Outline {
    is_secret: bool,
    /// What is indented further than this is the value of a block, and hidden.
    block: Option<usize>,
    /// What is indented further than this are the entries of a Secret.
    entries: Option<usize>,
    /// Where the names begin beside which a `value` is a credential: `name: DB_PASSWORD` is one of them.
    named: Option<usize>,
    /// Whether the line above gives curl what stands on this one, too.
    in_curl: bool,
}

// === impl Outline ===

impl Outline {
    fn of(text: &str) -> Self {
        let is_secret = text.lines().any(|line| {
            let kind = line.trim_start().strip_prefix("kind:");
            kind.is_some_and(|kind| unquoted(kind.trim()) == "Secret")
        });
        Self {
            is_secret,
            block: None,
            entries: None,
            named: None,
            in_curl: false,
        }
    }

    fn step(&mut self, line: &str, is_outlined: bool, shown: &mut String) {
        if line.trim().is_empty() {
            shown.push_str(line);
            return;
        }
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        let called = if self.in_curl { Some(0) } else { curl(line) };
        self.in_curl = called.is_some() && line.trim_end().ends_with('\\');
        self.block = self.block.filter(|outer| indent > *outer);
        self.entries = self.entries.filter(|outer| indent > *outer);
        if self.block.is_some() {
            shown.push_str(&line[..indent]);
            shown.push_str(MASK);
            return;
        }
        let entry = Entry::of(line);
        let is_named = self.is_named(line, entry.as_ref());
        let is_secret =
            |entry: &Entry<'_>| self.entries.is_some() || is_named || (is_outlined && entry.names_credential());
        if let Some(entry) = entry.filter(is_secret) {
            if entry.begins_block() {
                self.block = Some(indent);
            }
            let may_be_sentence = self.entries.is_none() && !is_named;
            if entry.is_told(may_be_sentence) {
                shown.push_str(&in_command(line, called));
            } else {
                shown.push_str(&line[..entry.value.start]);
                shown.push_str(if entry.begins_block() { entry.value() } else { MASK });
            }
        } else {
            if self.is_secret && ["data:", "stringData:"].contains(&line.trim()) {
                self.entries = Some(indent);
            }
            shown.push_str(&in_command(line, called));
        }
    }

    /// Whether this is the value beside a name that says that it is a credential.
    fn is_named(&mut self, line: &str, entry: Option<&Entry<'_>>) -> bool {
        let column = line.len() - line.trim_start_matches([' ', '\t', '-']).len();
        let is_item = line.trim_start().starts_with('-');
        self.named = self
            .named
            .filter(|names| column >= *names && !(is_item && column == *names));
        let Some(entry) = entry else { return false };
        if entry.name == "name" {
            let name = unquoted(entry.value());
            if self.named.is_none_or(|names| names == column) {
                let is_name = name.chars().all(is_of_name) && names_credential(name);
                self.named = is_name.then_some(column);
            }
        }
        entry.name == "value" && self.named == Some(column)
    }
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\''])
}

/// `name: value`, alone on its line.
struct Entry<'a> {
    line: &'a str,
    name: &'a str,
    value: Range<usize>,
}

// === impl Entry ===

impl<'a> Entry<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let start = line.len() - line.trim_start_matches([' ', '\t', '-', '"', '\'']).len();
        let name = &line[start..start + line[start..].find(|c| !is_of_name(c))?];
        let after = line[start + name.len()..].trim_start_matches(['"', '\'']);
        let value = after
            .strip_prefix(':')
            .filter(|value| value.is_empty() || value.starts_with([' ', '\t', '\r']))?;
        let value = value.trim_start_matches([' ', '\t']);
        let start = line.len() - value.len();
        (!name.is_empty()).then(|| Self {
            line,
            name,
            value: start..start + value.trim_end().len(),
        })
    }

    fn value(&self) -> &'a str {
        &self.line[self.value.clone()]
    }

    fn names_credential(&self) -> bool {
        names_credential(self.name) && (!may_be_workload(self.name) || ends_in_credential(self.name))
    }

    fn begins_block(&self) -> bool {
        self.value().starts_with(['|', '>']) && self.value().len() <= 3
    }

    /// There is nothing to hide.
    fn is_told(&self, may_be_sentence: bool) -> bool {
        let value = self.value();
        let is_word = value.is_empty() || is_prose(value) || is_number_of_tokens(self.name, value);
        is_word || (may_be_sentence && is_sentence(value))
    }
}
