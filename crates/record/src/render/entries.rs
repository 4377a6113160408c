//! The lines of a section, printed and counted once for all attempts at a text.
//!
//! A text is built in several sizes until one is within its bound. A line is the same in all sizes, so
//! attempts share it. A summary grows with its session and a text does not, so a line is printed only when
//! there may be room for it.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use super::super::section::Section;
use super::super::summary::Summary;
use super::rendering::Count;

/// A printed line of a section, for one entry or several.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Its order among the section's lines.
    pub order: usize,
    /// Its text, without the line break at the end.
    pub text: String,
    /// Whether it may be shortened when there is no room for all of it.
    pub clip: bool,
    /// How many entries of the summary it shows.
    pub entries: usize,
    /// How many of those it shows in part.
    pub shortens: usize,
    /// The order of the line that must precede this one: the head of its table.
    pub behind: Option<usize>,
    tokens: OnceCell<u32>,
}

impl Line {
    /// A line that shows one entry.
    pub(super) fn entry(order: usize, text: String) -> Self {
        Self { order, text, clip: false, entries: 1, shortens: 0, behind: None, tokens: OnceCell::new() }
    }

    /// The same line, which may be shortened.
    pub(super) fn clippable(self) -> Self {
        Self { clip: true, ..self }
    }

    /// The same line, which shows this many entries in part.
    pub(super) fn shortening(self, shortens: usize) -> Self {
        Self { shortens, ..self }
    }

    /// The same line, which needs another one before it.
    pub(super) fn behind(self, opens: usize) -> Self {
        Self { behind: Some(opens), ..self }
    }

    /// The same line, which shows this many entries.
    pub(super) fn telling(self, entries: usize) -> Self {
        Self { entries, ..self }
    }

    /// Its tokens, counted once with the first `count`; all attempts use the same one.
    pub(super) fn tokens(&self, count: Count<'_>) -> u32 {
        *self.tokens.get_or_init(|| count(&self.text))
    }
}

/// The lines of a section, each printed when it is first read.
pub(super) struct Entries<'a> {
    /// The number of lines.
    pub lines: usize,
    /// The number of summary entries in this section.
    pub all: usize,
    shared: RefCell<Shared<'a>>,
}

struct Shared<'a> {
    printed: Vec<Rc<Line>>,
    /// The lines that are not printed yet, the most important first.
    rest: Box<dyn Iterator<Item = Line> + 'a>,
}

impl<'a> Entries<'a> {
    /// From lines that are printed already.
    pub(super) fn printed(lines: Vec<Line>) -> Self {
        let lines: Vec<Line> = lines.into_iter().filter(|line| !line.text.is_empty()).collect();
        let all = lines.iter().map(|line| line.entries).sum();
        Self::of(lines.len(), all, lines.into_iter())
    }

    /// From an iterator that prints `lines` lines, the most important first, which show `all` entries
    /// together.
    pub(super) fn of(lines: usize, all: usize, print: impl Iterator<Item = Line> + 'a) -> Self {
        let shared = Shared { printed: Vec::new(), rest: Box::new(print) };
        Self { lines, all, shared: RefCell::new(shared) }
    }

    /// The same lines; entries that a limit removed from the summary count as missing.
    pub(super) fn leaving_out(self, summary: &Summary, section: Section) -> Self {
        Self { all: self.all + summary.left_out_of(section), ..self }
    }

    /// The line at an index; the most important one is at 0.
    pub(super) fn line(&self, at: usize) -> Option<Rc<Line>> {
        let mut shared = self.shared.borrow_mut();
        while shared.printed.len() <= at {
            let line = shared.rest.next()?;
            shared.printed.push(Rc::new(line));
        }
        shared.printed.get(at).cloned()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_line_is_printed_and_counted_once_and_only_when_it_is_asked_for() {
        let (printed, counted) = (Cell::new(0), Cell::new(0));
        let print = (0..9).map(|order| {
            printed.set(printed.get() + 1);
            Line::entry(order, format!("line {order}"))
        });
        let entries = Entries::of(9, 9, print);
        let count = |text: &str| {
            counted.set(counted.get() + 1);
            u32::try_from(text.len()).unwrap_or(u32::MAX)
        };
        for _ in 0..3 {
            for at in 0..4 {
                let line = entries.line(at).unwrap();
                assert_eq!((line.order, line.tokens(&count)), (at, 6));
            }
        }
        assert_eq!((printed.get(), counted.get()), (4, 4));
        assert!(entries.line(9).is_none());
    }
}
