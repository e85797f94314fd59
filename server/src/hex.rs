//! Bytes as lower-case hexadecimal digits: digests, and ids made by chance.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        for half in [byte >> 4, byte & 0xf] {
            digits.push(DIGITS[usize::from(half)].into());
        }
    }
    digits
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
