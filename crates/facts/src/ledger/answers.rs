//! What outputs of tools and commands say about files: missing, created, changed, listed.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::event::Act;
use super::line::{any_of, head, lines_with, tail};
use super::shell::Effect;
use super::vocabulary::VOCABULARY;

/// Whether an output says that a file does not exist.
pub(super) fn says_missing(answer: &str) -> bool {
    static WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| any_of(&VOCABULARY.missing));
    WORDS.is_match(head(answer, 400))
}

/// What a writing tool did to its file, by its output; `otherwise` when the output does not say it.
pub(super) fn answered_act(output: &str, otherwise: Act) -> Act {
    static CHANGED: LazyLock<AhoCorasick> = LazyLock::new(|| any_of(&VOCABULARY.changed));
    static CREATED: LazyLock<AhoCorasick> = LazyLock::new(|| any_of(&VOCABULARY.created));
    let start = head(output.trim_start(), 300);
    if CHANGED.is_match(start) {
        Act::Modify
    } else if CREATED.is_match(start) {
        Act::Create
    } else {
        otherwise
    }
}

/// Whether an output is the listing of a folder.
pub(super) fn shows_folder(output: &str) -> bool {
    let start = head(output.trim_start(), 200);
    start.contains("files and directories")
        || start.contains("Contents of directory")
        || start.starts_with("<directory")
}

/// The lines at both ends of an output in which commands report a problem with a file.
pub(super) fn complaints(output: &str) -> Vec<&str> {
    const EDGE: usize = 8 * 1024;
    #[expect(clippy::expect_used, reason = "the words are constants, and tests compile them")]
    static COMPLAINING: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let leftmost =
            AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(&VOCABULARY.complaints);
        leftmost.expect("the words are valid")
    });
    let edges = if output.len() > 2 * EDGE { [head(output, EDGE), tail(output, EDGE)] } else { [output, ""] };
    let lines = edges.into_iter().flat_map(|edge| lines_with(&COMPLAINING, edge));
    lines.filter(|line| line.len() < 1_000).take(50).collect()
}

/// Whether such a line contains the file of an effect as a whole word.
pub(super) fn names(line: &str, effect: &Effect) -> bool {
    let path = effect.from.as_ref().map_or(effect.path.as_str(), |(from, _)| from.as_str());
    if path.is_empty() {
        return false;
    }
    line.match_indices(path).take(5).any(|(at, _)| {
        let inside =
            |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '/' | '_' | '-' | '.'));
        let before = line.get(..at).and_then(|b| b.chars().next_back());
        let after = line.get(at + path.len()..).and_then(|a| a.chars().next());
        !inside(before) && !inside(after)
    })
}

/// The output of a formatter.
pub(super) struct Formatter<'o> {
    /// Lines that say of a file that it is as before.
    unchanged: Vec<&'o str>,
    /// Whether it may have changed the others.
    changes: bool,
}

impl<'o> Formatter<'o> {
    pub(super) fn of(output: &'o str) -> Self {
        const MOST_LINES: usize = 50;
        let text = head(output, 16 * 1024);
        let changes = !VOCABULARY.unchanged.iter().any(|word| text.contains(word.as_str()))
            || text.contains("reformatted")
            || text.contains(" fixed, ");
        let unchanged = text.lines().filter(|line| line.contains("unchanged")).take(MOST_LINES).collect();
        Self { unchanged, changes }
    }

    /// Whether it changed the file: yes, unless its output says that it did not.
    pub(super) fn changed(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.changes && !self.unchanged.iter().any(|line| line.contains(name))
    }
}
