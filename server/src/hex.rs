//! Bytes as lower-case hexadecimal digits: digests, and ids made by chance.

use std::fmt::Write as _;

pub(crate) fn encode(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(2 * bytes.len()), |mut digits, byte| {
            // Writing to a text cannot fail.
            let _ = write!(digits, "{byte:02x}");
            digits
        })
}

/// So many bytes of chance. Without a source of it they are zeros: a poor id, but no reason to fail what is to be named.
pub(crate) fn random<const BYTES: usize>() -> String {
    let mut bytes = [0; BYTES];
    let _ = getrandom::fill(&mut bytes);
    encode(&bytes)
}

#[cfg(test)]
mod tests {
    use super::{encode, random};

    #[test]
    fn every_byte_has_two_digits() {
        assert_eq!(encode(&[0, 0x0a, 0xff]), "000aff");
        let (one, other) = (random::<16>(), random::<16>());
        assert!(one.len() == 32 && one != other);
    }
}
