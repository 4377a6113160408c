//! The lines that open and close blocks of code.

/// A line that opens or closes a code block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    pub(super) letter: u8,
    pub(super) length: usize,
    /// Whether nothing follows it, so that it may close a block.
    pub(super) bare: bool,
}

impl Fence {
    /// Parses a line with any indentation, because code in lists is indented; `None` when it is no fence.
    pub(super) fn of(line: &str) -> Option<Self> {
        let line = line.trim_start();
        let letter = *line.as_bytes().first().filter(|b| matches!(b, b'`' | b'~'))?;
        let length = line.bytes().take_while(|b| *b == letter).count();
        let rest = line.get(length..).unwrap_or_default().trim_end();
        // Inline code may begin with as many backticks; it has more of them later in the line.
        let is_fence = length >= 3 && (letter == b'~' || !rest.contains('`'));
        is_fence.then_some(Self { letter, length, bare: rest.is_empty() })
    }

    pub(super) fn closes(self, open: Self) -> bool {
        self.bare && self.letter == open.letter && self.length >= open.length
    }
}
