//! Markers: HTML comments that open and close findings.
//!
//! Parsing is linear even with many broken markers: outside of quotes `<` ends a marker, and of three consecutive
//! opening markers one is always outside of the quotes of another.

use std::ops::Range;

use memchr::memmem;

/// The markers of a text, in order.
#[derive(Debug, Default)]
pub(super) struct Scan<'a> {
    pub marks: Vec<Mark<'a>>,
    /// Whether there are markers with another prefix.
    pub foreign: bool,
}

/// A marker and its range.
#[derive(Debug)]
pub(super) struct Mark<'a> {
    pub range: Range<usize>,
    pub kind: Kind<'a>,
}

#[derive(Debug)]
pub(super) enum Kind<'a> {
    /// Opens a finding.
    Open(Attributes<'a>),
    /// Would open a finding, but cannot be parsed.
    Unreadable,
    /// Closes the finding with this id; without an id, the finding before it.
    Close(Option<&'a str>),
}

/// The attributes of an opening marker; attributes that no rule uses are ignored.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Attributes<'a> {
    pub nonce: Option<&'a str>,
    pub id: Option<&'a str>,
    pub file: Option<&'a str>,
    pub line: Option<&'a str>,
    pub severity: Option<&'a str>,
    pub interaction: Option<&'a str>,
}

/// Finds the markers with a prefix.
pub(super) fn scan<'a>(text: &'a str, prefix: &str) -> Scan<'a> {
    let finder = memmem::Finder::new("<!--");
    let mut scan = Scan::default();
    let mut at = 0;
    while let Some(found) = text.as_bytes().get(at..).and_then(|rest| finder.find(rest)) {
        let start = at + found;
        let mut cursor = Cursor { text, at: start + "<!--".len() };
        at = cursor.at;
        cursor.spaces();
        let closes = cursor.eat("/");
        let word = cursor.word();
        if word.is_empty() || !cursor.eat(":") || cursor.word() != "FINDING" {
            continue;
        }
        if word != prefix {
            scan.foreign = true;
            continue;
        }
        // The rest of a marker that cannot be parsed may contain the next one.
        let named = cursor.at;
        let kind = match (cursor.attributes(), closes) {
            (Some(attributes), true) => Kind::Close(attributes.id),
            (Some(attributes), false) => Kind::Open(attributes),
            (None, true) => continue,
            (None, false) => {
                cursor.at = named;
                Kind::Unreadable
            }
        };
        at = cursor.at;
        scan.marks.push(Mark { range: start..at, kind });
    }
    scan
}

pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    /// Skips white space; returns whether there was any.
    fn spaces(&mut self) -> bool {
        let spaces = self.rest().bytes().take_while(u8::is_ascii_whitespace).count();
        self.at += spaces;
        spaces > 0
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let word = rest.get(..rest.bytes().take_while(|b| is_word_byte(*b)).count()).unwrap_or_default();
        self.at += word.len();
        word
    }

    fn quoted(&mut self) -> Option<&'a str> {
        if !self.eat("\"") {
            return None;
        }
        let rest = self.rest();
        let value = rest.get(..memchr::memchr(b'"', rest.as_bytes())?)?;
        self.at += value.len() + 1;
        Some(value)
    }

    /// Parses the attributes up to the marker's end; `None` for any other text, or a repeated attribute.
    fn attributes(&mut self) -> Option<Attributes<'a>> {
        let mut attributes = Attributes::default();
        loop {
            let apart = self.spaces();
            if self.eat("-->") {
                return Some(attributes);
            }
            let name = self.word();
            if !apart || name.is_empty() || !self.eat("=") {
                return None;
            }
            let value = self.quoted()?;
            let place = match name {
                "nonce" => &mut attributes.nonce,
                "id" => &mut attributes.id,
                "file" => &mut attributes.file,
                "line" => &mut attributes.line,
                "severity" => &mut attributes.severity,
                "interaction" => &mut attributes.interaction,
                _ => continue,
            };
            if place.replace(value).is_some() {
                return None;
            }
        }
    }
}
