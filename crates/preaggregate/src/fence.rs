//! The lines that open and close blocks of code.

/// The line that opens or closes a block of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    pub(super) letter: u8,
    pub(super) length: usize,
    /// Whether nothing follows, so that it may close.
    pub(super) bare: bool,
}

impl Fence {
    /// Reads a line; indented as far as one likes, since lists indent what they hold.
    pub(super) fn of(line: &str) -> Option<Self> {
        let line = line.trim_start();
        let letter = *line.as_bytes().first().filter(|b| matches!(b, b'`' | b'~'))?;
        let length = line.bytes().take_while(|b| *b == letter).count();
        let rest = line.get(length..).unwrap_or_default().trim_end();
        // Code in a line of text may begin with as many backticks, and ends with them.
        let is_fence = length >= 3 && (letter == b'~' || !rest.contains('`'));
        is_fence.then_some(Self { letter, length, bare: rest.is_empty() })
    }

    pub(super) fn closes(self, open: Self) -> bool {
        self.bare && self.letter == open.letter && self.length >= open.length
    }
}
