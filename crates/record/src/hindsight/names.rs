//! The names in a text: paths, identifiers, figures, and short quotations.

/// The fewest characters of a name; shorter ones appear everywhere.
const SHORTEST: usize = 3;
/// The most bytes of a name.
const LONGEST: usize = 120;
/// The most words of a quotation that counts as a name.
const QUOTED_WORDS: usize = 4;
/// The most bytes of one text that are read.
const MOST_BYTES: usize = 256 * 1024;

/// A name and its place, in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// The name.
    pub text: String,
    /// The place of its first byte in the text.
    pub start: usize,
}

/// The names of a text, words first.
pub(super) fn names(text: &str) -> impl Iterator<Item = Name> {
    let end = text.floor_char_boundary(MOST_BYTES);
    let text = text.get(..end).unwrap_or_default();
    single(text).chain(quoted(text))
}

/// Words whose form makes them names.
fn single(text: &str) -> impl Iterator<Item = Name> {
    let mut start = 0;
    text.split(divides).filter_map(move |piece| {
        let at = start;
        // A separator may have several bytes; the place of a name needs to be only about right.
        start += piece.len() + 1;
        let word = piece.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        (is_name(word) && !word.starts_with("REDACTED:"))
            .then(|| Name { text: word.to_lowercase(), start: at })
    })
}

/// Short quotations, which count as names.
fn quoted(text: &str) -> impl Iterator<Item = Name> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        loop {
            let open = rest + text.get(rest..)?.find(['`', '"', '“', '«'])?;
            let mark = text.get(open..)?.chars().next()?;
            let from = open + mark.len_utf8();
            let close = match mark {
                '“' => '”',
                '«' => '»',
                same => same,
            };
            let inner = text.get(from..)?;
            let Some(length) = inner.char_indices().take(LONGEST).find(|(_, c)| *c == close || *c == '\n')
            else {
                rest = from;
                continue;
            };
            let said = inner.get(..length.0)?.trim();
            rest = from + length.0 + length.1.len_utf8();
            let words = said.split_whitespace().count();
            let is_one_line = length.1 == close;
            let has_letters = said.chars().filter(|c| c.is_alphabetic()).count() >= SHORTEST;
            if is_one_line && has_letters && (1..=QUOTED_WORDS).contains(&words) && said.len() <= LONGEST {
                return Some(Name { text: said.to_lowercase(), start: open });
            }
        }
    })
}

fn divides(c: char) -> bool {
    c.is_whitespace() || "\"'`(){}[]<>,;=|“”«»，。、\\".contains(c)
}

fn is_name(word: &str) -> bool {
    if word.len() > LONGEST || word.chars().take(SHORTEST).count() < SHORTEST {
        return false;
    }
    let mut before: Option<char> = None;
    let mut chars = word.chars().peekable();
    while let Some(c) = chars.next() {
        let is_joint = "/._-:@#".contains(c)
            && before.is_some_and(char::is_alphanumeric)
            && chars.peek().is_some_and(|next| next.is_alphanumeric() || "_/".contains(*next));
        let is_hump = c.is_uppercase() && before.is_some_and(char::is_lowercase);
        if c.is_numeric() || is_joint || is_hump {
            return true;
        }
        before = Some(c);
    }
    false
}

/// The places of a name in a lower-case text, except those within a longer word.
pub(super) fn places<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let continues = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).map(|(at, _)| at).filter(move |at| {
        let before = text.get(..*at).and_then(|text| text.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(continues) && !after.is_some_and(continues)
    })
}
