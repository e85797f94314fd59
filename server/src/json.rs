//! JSON as it goes over the wire, for whoever renders it.

use crate::rules::masking;
use serde::Serialize;

/// One line without HTML escaping; U+2028 and U+2029, which JSON allows and scripts once did not, as escapes.
pub fn to_bytes<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let bytes = serde_json::to_vec(value).expect("our items have text keys and no failing members");
    if bytes.windows(3).any(is_separator) {
        escaped(&bytes)
    } else {
        bytes
    }
}

/// The same as anybody may see it: without the credentials that its texts quote.
pub fn shown<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    masked(to_bytes(value))
}

/// An answer as JSON: every text in it without the credentials that it quotes. Members whose names say that they hold one are for
/// `masking::document` and `masking::entries`, where the names are not ours.
pub fn masked(json: Vec<u8>) -> Vec<u8> {
    if !masking::is_suspicious(&json) {
        return json;
    }
    let mut shown = Vec::with_capacity(json.len());
    let mut rest = json.as_slice();
    while let Some(start) = rest.iter().position(|byte| *byte == b'"') {
        let end = start + literal(&rest[start..]);
        let is_name = rest.get(end) == Some(&b':');
        shown.extend(&rest[..start]);
        match masked_literal(&rest[start..end]).filter(|_| !is_name) {
            Some(masked) => shown.extend(masked),
            None => shown.extend(&rest[start..end]),
        }
        rest = &rest[end..];
    }
    shown.extend(rest);
    shown
}

/// How long the text is at which this begins, quotes included.
fn literal(json: &[u8]) -> usize {
    let mut escaped = false;
    let end = json.iter().skip(1).position(|byte| {
        let closes = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        closes
    });
    end.map_or(json.len(), |end| end + 2)
}

fn masked_literal(literal: &[u8]) -> Option<Vec<u8>> {
    let held: String = masking::is_suspicious(literal).then(|| serde_json::from_slice(literal).ok())??;
    let shown = masking::text(&held);
    (shown != held).then(|| to_bytes(&*shown))
}

fn is_separator(bytes: &[u8]) -> bool {
    matches!(bytes, [0xe2, 0x80, 0xa8 | 0xa9])
}

fn escaped(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 16);
    let mut rest = bytes;
    while let Some(at) = rest.windows(3).position(is_separator) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(if rest[at + 2] == 0xa8 { b"\\u2028" } else { b"\\u2029" });
        rest = &rest[at + 3..];
    }
    out.extend_from_slice(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::{masked, to_bytes};

    #[test]
    fn line_separators_are_escaped_and_html_is_not() {
        assert_eq!(
            to_bytes("<a>&\u{2028}b\u{2029}é"),
            "\"<a>&\\u2028b\\u2029é\"".as_bytes()
        );
    }

    #[test]
    fn an_answer_keeps_its_members_and_their_order() {
        let answer = br#"{"z":"a \"quoted\" token: x\n","token":"password=\\","a":[1,"Bearer abc","\u2028"],"k:":"v"}"#;
        let shown =
            br#"{"z":"a \"quoted\" token: ***\n","token":"password=\\","a":[1,"Bearer ***","\u2028"],"k:":"v"}"#;
        assert_eq!(
            String::from_utf8(masked(answer.to_vec())).unwrap(),
            String::from_utf8(shown.to_vec()).unwrap()
        );
    }
}
