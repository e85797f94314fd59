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
    masking::rendered(to_bytes(value))
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
    use super::to_bytes;

    #[test]
    fn line_separators_are_escaped_and_html_is_not() {
        assert_eq!(
            to_bytes("<a>&\u{2028}b\u{2029}é"),
            "\"<a>&\\u2028b\\u2029é\"".as_bytes()
        );
    }
}
