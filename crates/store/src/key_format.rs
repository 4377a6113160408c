//! How generated keys look: `anchord_`, 43 random characters and a checksum of six, all letters and digits.
//!
//! Scanners for leaked secrets find them (`anchord_[A-Za-z0-9]{49}`), and a mistyped one is rejected without a look-up.
//! Keys that operators chose have no checksum.

use rand::Rng as _;
use rand::distr::Alphanumeric;
use secrecy::SecretString;

/// Prefix of generated keys.
const PREFIX: &str = "anchord_";
/// Random characters: 62 to the power of 43 is more than 2 to the power of 256.
const RANDOM: usize = 43;
const CHECKSUM: usize = 6;
/// The fewest characters of any key; `ANCHORD_API_KEY` has this bound too.
const FEWEST: usize = 32;
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Generates a key.
pub fn generate() -> SecretString {
    let random: String = rand::rng().sample_iter(Alphanumeric).take(RANDOM).map(char::from).collect();
    let checksum = checksum(&random);
    SecretString::from(format!("{PREFIX}{random}{checksum}"))
}

/// Whether a text may be a key: it is long enough and, if it looks like a generated one, its checksum is right.
pub fn may_be_key(text: &str) -> bool {
    if text.len() < FEWEST || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return false;
    }
    let generated = text
        .strip_prefix(PREFIX)
        .filter(|rest| {
            rest.len() == RANDOM + CHECKSUM && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
        .and_then(|rest| rest.split_at_checked(RANDOM));
    generated.is_none_or(|(random, shown)| checksum(random) == shown)
}

/// Whether a text has the form of a generated key: 256 random bits, which nobody guesses. Keys that operators choose may be
/// weaker.
pub fn is_generated(text: &str) -> bool {
    text.starts_with(PREFIX) && text.len() == PREFIX.len() + RANDOM + CHECKSUM && may_be_key(text)
}

/// CRC-32 in base 62.
fn checksum(random: &str) -> String {
    let mut rest = crc32fast::hash(random.as_bytes());
    let base = u32::try_from(DIGITS.len()).unwrap_or(u32::MAX);
    let mut digits = [b'0'; CHECKSUM];
    for digit in digits.iter_mut().rev() {
        let value = usize::try_from(rest % base).unwrap_or_default();
        *digit = DIGITS.get(value).copied().unwrap_or_default();
        rest /= base;
    }
    digits.iter().copied().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    #[test]
    fn a_generated_key_has_a_form_and_a_checksum() {
        let key = generate();
        let key = key.expose_secret();
        assert_eq!((key.len(), key.starts_with(PREFIX)), (PREFIX.len() + RANDOM + CHECKSUM, true));
        assert!(may_be_key(key) && is_generated(key));
        assert_ne!(key, generate().expose_secret());
        for place in PREFIX.len()..key.len() {
            let other = if key.as_bytes()[place] == b'x' { "y" } else { "x" };
            let mut wrong = key.to_owned();
            wrong.replace_range(place..=place, other);
            assert!(!may_be_key(&wrong) && !is_generated(&wrong), "{wrong}");
        }
    }

    #[test]
    fn a_checksum_never_changes() {
        assert_eq!(checksum("123456789"), "3jZRME", "CRC-32 of the usual sample is cbf43926");
    }

    #[test]
    fn keys_that_were_chosen_are_looked_up_and_do_not_count_as_generated() {
        for key in [
            "anc_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA-",
            "anchord_is-what-an-operator-chose-as-key",
            "a-key-that-an-operator-once-chose",
        ] {
            assert!(may_be_key(key) && !is_generated(key), "{key}");
        }
        for text in ["", "short", "has a space within but is long enough", "ümlaut-ümlaut-ümlaut-ümlaut"]
        {
            assert!(!may_be_key(text), "{text}");
        }
    }
}
