//! A look that tells most entries of a record from the few things that a span brings.
//!
//! A record grows with its session and a span does not, so what is asked of every entry has to be cheap:
//! a sum of a few bytes says of most of them that they are none of what is asked for.
//! Invariant: what was noted is never passed over; whether something else is, is left to chance.

/// Sums that were noted: a bit for each, of which several may share one.
#[derive(Clone, Debug, Default)]
pub struct Glance([u64; 16]);

impl Glance {
    /// Notes a sum.
    pub fn note(&mut self, sum: u64) {
        let (word, bit) = place(sum);
        if let Some(word) = self.0.get_mut(word) {
            *word |= bit;
        }
    }

    /// Whether a sum may have been noted.
    #[must_use]
    pub fn may_hold(&self, sum: u64) -> bool {
        let (word, bit) = place(sum);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }
}

impl FromIterator<u64> for Glance {
    fn from_iter<I: IntoIterator<Item = u64>>(sums: I) -> Self {
        let mut glance = Self::default();
        for sum in sums {
            glance.note(sum);
        }
        glance
    }
}

/// Where a sum has its bit.
fn place(sum: u64) -> (usize, u64) {
    let mixed = sum.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54;
    (usize::try_from(mixed >> 6).unwrap_or_default(), 1 << (mixed & 63))
}

/// A sum of the end of a path's last name, whatever its case: no spelling of a path has another one, spaces
/// around it included.
#[must_use]
pub fn name_sum(path: &str) -> u64 {
    let end = path.as_bytes().last_chunk().map(|end| u128::from_le_bytes(*end));
    let name = end.and_then(plain_name).unwrap_or_else(|| name_of(path));
    let mixed = name ^ name >> 35;
    u64::try_from(mixed & u128::from(u64::MAX)).unwrap_or_default()
        ^ u64::try_from(mixed >> 64).unwrap_or_default()
}

/// The last bytes of a path's last name, the very last one the highest.
fn name_of(path: &str) -> u128 {
    let told = path.bytes().rev().filter(u8::is_ascii_graphic);
    let name = told.take_while(|byte| !matches!(byte, b'/' | b'\\')).take(16);
    name.zip((0..16).rev()).fold(0, |sum, (byte, place)| sum | u128::from(byte | 0x20) << (8 * place))
}

/// The same of the last sixteen bytes of a path, all at once; `None` when there are other signs than plain ones.
fn plain_name(end: u128) -> Option<u128> {
    const HIGH: u128 = each(0x80);
    // With seven bits in each byte, no sum goes beyond its own.
    if end & HIGH != 0 {
        return None;
    }
    let is_above_space = (end + each(0x80 - 0x21)) & HIGH == HIGH;
    let is_below_delete = (end + each(0x80 - 0x7f)) & HIGH == 0;
    let is_not = |byte| (end ^ each(byte)) + each(0x7f);
    let cuts = !(is_not(b'/') & is_not(b'\\')) & HIGH;
    // What is above the last cut is the name.
    let kept = u128::MAX.checked_shl(128 - cuts.leading_zeros()).unwrap_or_default();
    (is_above_space && is_below_delete).then_some((end | each(0x20)) & kept)
}

/// Sixteen times the same byte.
const fn each(byte: u8) -> u128 {
    u128::from_ne_bytes([byte; 16])
}

/// A sum of the signs of a text: white space between them changes nothing.
#[must_use]
pub fn sign_sum(text: &str) -> u64 {
    let signs = text.bytes().map(|byte| if byte.is_ascii_graphic() { u32::from(byte) } else { 0 });
    u64::from(signs.fold(0, u32::wrapping_add))
}

/// A sum of a text's length and end, by which the same texts are found.
#[must_use]
pub fn end_sum(text: &str) -> u64 {
    let length = u64::try_from(text.len()).unwrap_or_default();
    let all = || text.bytes().fold(0, |sum, byte| sum << 8 | u64::from(byte));
    let end = text.as_bytes().last_chunk().map_or_else(all, |end| u64::from_le_bytes(*end));
    end ^ length.rotate_right(8)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn what_was_noted_is_held_and_most_else_is_not() {
        let glance: Glance = (0..40).collect();
        assert!((0..40).all(|sum| glance.may_hold(sum)));
        assert!((1_000..2_000).filter(|sum| glance.may_hold(*sum)).count() < 100);
    }

    #[test]
    fn white_space_changes_no_sum_of_signs() {
        assert_eq!(sign_sum(" cargo  test\n\u{3000}-q"), sign_sum("cargo test -q"));
        assert_ne!(sign_sum("cargo test"), sign_sum("cargo tests"));
    }

    #[test]
    fn texts_of_other_ends_or_lengths_have_other_sums() {
        let texts = ["", "a", "b", "port", "host", "an error", "the error", "an error of 7", "an error of 8"];
        for text in texts {
            let alike = texts.iter().filter(|other| end_sum(other) == end_sum(text)).count();
            assert_eq!(alike, 1, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_plain_name_is_the_same_all_at_once(path in "[ -~é]{16,24}", slash in 0_usize..24) {
            let mut path = path;
            if path.is_char_boundary(slash.min(path.len())) {
                path.insert(slash.min(path.len()), '/');
            }
            let end = path.as_bytes().last_chunk().map(|end| u128::from_le_bytes(*end));
            if let Some(name) = end.and_then(plain_name) {
                proptest::prop_assert_eq!(name, name_of(&path));
            }
        }
    }

    #[rstest]
    #[case("src/a.rs", "/work/src/a.rs", true)]
    #[case("src/a_long_name_of_a_file.rs", "A_Long_Name_Of_A_File.rs\u{3000}", true)]
    #[case("src/a_long_name_of_a_\u{7f}file.rs", "a_long_name_of_a_file.rs", true)]
    #[case("src/a.rs", "C:\\work\\A.RS ", true)]
    #[case(" a.rs\u{3000}", "./a.rs", true)]
    #[case("src/", "src\\", true)]
    #[case("src/a_long_name_of_a_file.rs", "lib/a_long_name_of_a_file.rs", true)]
    #[case("src/a.rs", "src/b.rs", false)]
    #[case("src/a.rs", "src/xa.rs", false)]
    fn a_name_has_one_sum(#[case] path: &str, #[case] other: &str, #[case] is_same: bool) {
        assert_eq!(name_sum(path) == name_sum(other), is_same, "{path} and {other}");
    }
}
