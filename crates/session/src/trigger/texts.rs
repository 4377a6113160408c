//! Short hashes of texts, and the ends of long ones.

/// A short hash of `bits` bits, never 0. It must never change, because it is stored.
pub(super) fn hash(parts: &[&[u8]], bits: u32) -> u32 {
    let full = hash64(parts);
    let short = u32::try_from((full ^ full >> 32) & ((1 << bits) - 1)).unwrap_or_default();
    short.max(1)
}

/// The same hash with all its bits. Boundaries between parts count; of a long part, its ends and its length
/// count.
pub(super) fn hash64(parts: &[&[u8]]) -> u64 {
    use std::hash::Hasher as _;
    const END: usize = 2 * 1024;
    let mut hasher = fnv::FnvHasher::default();
    for part in parts {
        if let (true, Some((head, rest))) = (part.len() > 2 * END, part.split_at_checked(END)) {
            hasher.write(head);
            hasher.write(rest.split_at_checked(rest.len() - END).map_or(rest, |(_, tail)| tail));
        } else {
            hasher.write(part);
        }
        hasher.write(&(part.len() as u64).to_le_bytes());
    }
    hasher.finish()
}

/// The ends of a text, each at most `bytes` bytes and cut between characters. The second is empty when the
/// first is the whole text.
pub(super) fn ends(text: &str, bytes: usize) -> (&str, &str) {
    if text.len() <= 2 * bytes {
        return (text, "");
    }
    let head = text.floor_char_boundary(bytes);
    let tail = text.ceil_char_boundary(text.len() - bytes);
    (text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_apart_and_long_ones_count_by_their_ends() {
        assert_ne!(hash64(&[b"ab", b"c"]), hash64(&[b"a", b"bc"]));
        let long = "x".repeat(10_000);
        let other = format!("{}y", "x".repeat(9_999));
        assert_ne!(hash64(&[long.as_bytes()]), hash64(&[other.as_bytes()]));
        assert_ne!(hash(&[b""], 16), 0);
    }

    #[test]
    fn a_clipped_text_ends_at_whole_characters() {
        let text = "日本語".repeat(10_000);
        let (head, tail) = ends(&text, 100);
        assert!(head.len() <= 100 && tail.len() <= 100 && text.starts_with(head) && text.ends_with(tail));
    }
}
