//! Blocks in tags, as harnesses and prompts put them around pages, files and outputs: `<page url="…">` … `</page>`.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// An opening tag as it stands in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening<'n> {
    /// The name as it is written: `<INSTRUCTIONS>` may be a harness's and `<instructions>` a person's.
    pub(super) name: &'n str,
    /// Whether nothing is before it on its line.
    pub(super) begins_line: bool,
}

/// What a tag opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opens {
    /// Nothing that is to go.
    Nothing,
    /// A block, if another tag closes it: people write tags of their own, and signs that look like one.
    Closed,
    /// A block that reaches to the end of the text when nothing closes it and the tag has a line of its own, because what
    /// is pasted may be cut off.
    Any,
}

/// A tag of either kind, with the bytes that it takes.
struct Tag<'t> {
    name: &'t str,
    /// The name in lowercase, by which tags open and close.
    folded: String,
    closes: bool,
    begins_line: bool,
    ends_line: bool,
    from: usize,
    to: usize,
}

/// The tags of a text in order. An attribute is not read: a tag ends at its first `>`.
fn tags(text: &str) -> Vec<Tag<'_>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    // Whether a line has been blank so far, and how far.
    let (mut is_blank, mut read) = (true, 0);
    for from in memchr::memchr_iter(b'<', bytes) {
        let between = text.get(read..from).unwrap_or_default();
        let line = between.rsplit_once('\n').map(|(_, line)| line);
        is_blank = (is_blank || line.is_some()) && line.unwrap_or(between).trim_start().is_empty();
        read = from;
        let closes = bytes.get(from + 1) == Some(&b'/');
        let start = from + 1 + usize::from(closes);
        let is_name = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':' | b'.' | 128..);
        let end = start + bytes.iter().skip(start).take_while(is_name).count();
        // `<3` and `<-` are no tags.
        let is_letter = bytes.get(start).is_some_and(|b| b.is_ascii_alphabetic() || *b >= 128);
        if !is_letter || !matches!(bytes.get(end), Some(b'>' | b' ' | b'\t' | b'\n')) {
            continue;
        }
        let rest = bytes.get(end..).unwrap_or_default();
        let close = memchr::memchr2(b'>', b'<', rest).filter(|at| rest.get(*at) == Some(&b'>'));
        // A tag that is cut off still opens its block.
        let to = close.map_or(end, |at| end + at + 1);
        let mut behind = bytes.get(to..).unwrap_or_default().iter();
        let ends_line = behind.find(|b| !matches!(b, b' ' | b'\t' | b'\r')).is_none_or(|b| *b == b'\n');
        let name = text.get(start..end).unwrap_or_default();
        let folded = name.to_ascii_lowercase();
        found.push(Tag { name, folded, closes, begins_line: is_blank, ends_line, from, to });
    }
    found
}

/// A text without the blocks that its tags open. A block ends with the tag that closes it; when more tags close than open,
/// with the last of these, because what is pasted may contain the closing tag itself.
pub(super) fn without(text: &str, opens: impl Fn(Opening<'_>) -> Opens) -> Cow<'_, str> {
    let tags = tags(text);
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, tag) in tags.iter().enumerate() {
        by_name.entry(&tag.folded).or_default().push(at);
    }
    let slice = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let mut out = String::new();
    // The text from `kept` on is kept but not copied yet.
    let mut kept = 0;
    // A name that nothing closes behind one place is not closed behind a later one.
    let mut unclosed: HashSet<&str> = HashSet::new();
    for (at, tag) in tags.iter().enumerate() {
        if tag.closes || tag.from < kept {
            continue;
        }
        let opened = opens(Opening { name: tag.name, begins_line: tag.begins_line });
        if opened == Opens::Nothing {
            continue;
        }
        let named = by_name.get(tag.folded.as_str()).map(Vec::as_slice).unwrap_or_default();
        let rest = named.get(named.partition_point(|other| *other < at)..).unwrap_or_default();
        let rest = rest.iter().filter_map(|other| tags.get(*other));
        let end = if unclosed.contains(tag.folded.as_str()) { None } else { end_of(rest) };
        let reaches_end = opened == Opens::Any && tag.begins_line && tag.ends_line;
        if let Some(end) = end.or_else(|| reaches_end.then_some(text.len())) {
            out.push_str(slice(kept, tag.from));
            kept = end;
        } else {
            unclosed.insert(&tag.folded);
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(slice(kept, text.len()));
    Cow::Owned(out)
}

/// Where the block ends that the first of these tags, all of one name, opens; `None` when none of them closes.
fn end_of<'t>(tags: impl Iterator<Item = &'t Tag<'t>>) -> Option<usize> {
    let mut end = None;
    let mut depth = 0_usize;
    for tag in tags {
        if tag.closes {
            depth = depth.saturating_sub(1);
            end = Some(tag.to);
        } else if depth == 0 && end.is_some() {
            break;
        } else {
            depth += 1;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::one("a <page>b</page> c", "a  c")]
    #[case::attributes("a <page url=\"x\">b</page> c", "a  c")]
    #[case::capitals("a <PAGE>b</Page> c", "a  c")]
    #[case::nested("a <page><page>b</page>c</page> d", "a  d")]
    #[case::closed_early("a <page>b</page> c </page> d", "a  d")]
    #[case::two("a <page>b</page> c <page>d</page> e", "a  c  e")]
    #[case::cut_off("a <page b</page> c", "a  c")]
    #[case::never_closed_on_a_line("a\n<page>\nb", "a\n")]
    #[case::never_closed_behind_one("a <page>b</page>\n <page x=\"y\"> \nb", "a \n ")]
    #[case::never_closed_in_a_line("<page>b\nc", "<page>b\nc")]
    #[case::others("a <file>b</file>", "a <file>b</file>")]
    #[case::sums("a <page < 3 and > 2", "a <page < 3 and > 2")]
    fn a_block_goes_with_all_that_may_be_in_it(#[case] text: &str, #[case] rest: &str) {
        let is_page = |tag: Opening<'_>| tag.name.eq_ignore_ascii_case("page");
        assert_eq!(without(text, |tag| if is_page(tag) { Opens::Any } else { Opens::Nothing }), rest);
    }

    #[rstest]
    #[case::spaces_of_names("<x:doc>\nb\n</x:doc>", "")]
    #[case::other_letters("<документ>\nb\n</документ>", "")]
    #[case::a_heart("<3 thanks\n</3>", "<3 thanks\n</3>")]
    #[case::an_arrow("<- this\n</->", "<- this\n</->")]
    #[case::a_picture("<img src=\"a\">\nb", "<img src=\"a\">\nb")]
    #[case::a_parameter("<T> is free.\nb", "<T> is free.\nb")]
    #[case::an_address("<a@b.c>\nb", "<a@b.c>\nb")]
    #[case::within_a_line("a <page>b</page>\n  <page>c</page>", "a <page>b</page>\n  ")]
    fn a_tag_that_nothing_closes_may_be_none(#[case] text: &str, #[case] rest: &str) {
        let opens = |tag: Opening<'_>| if tag.begins_line { Opens::Closed } else { Opens::Nothing };
        assert_eq!(without(text, opens), rest);
    }

    #[test]
    fn many_tags_that_nothing_closes_are_read_in_a_moment() {
        let text = format!("a {}", "<page>".repeat(40_000));
        assert_eq!(without(&text, |_| Opens::Any), text);
    }
}
