//! JSON values that borrow their text and keep numbers as they are written.
//!
//! The values of `serde_json` lose the text of numbers or refuse large ones, as those of `jiter` and `simd-json` do, and raw
//! values within raw values are scanned once for every level.

use std::borrow::Cow;

use memchr::memchr2;

use super::super::format::check::MAX_DEPTH;

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tree<'a> {
    Null,
    /// A number, `true` or `false`, as it is written.
    Literal(&'a str),
    Text(Cow<'a, str>),
    List(Vec<Tree<'a>>),
    Object(Vec<(Cow<'a, str>, Tree<'a>)>),
}

impl<'a> Tree<'a> {
    /// Reads a text that is known to be JSON; `None` for what is not, or is nested too deep.
    pub(super) fn read(raw: &'a str) -> Option<Self> {
        let mut reader = Reader { text: raw, at: 0 };
        let tree = reader.value(0)?;
        reader.skip_space();
        (reader.at == raw.len()).then_some(tree)
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Option<Tree<'a>> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.skip_space();
        match self.peek()? {
            b'"' => self.string().map(Tree::Text),
            b'{' => {
                let mut fields = Vec::new();
                self.members(b'}', |reader| {
                    reader.skip_space();
                    let key = reader.string()?;
                    reader.take(b':')?;
                    fields.push((key, reader.value(depth + 1)?));
                    Some(())
                })?;
                Some(Tree::Object(fields))
            }
            b'[' => {
                let mut items = Vec::new();
                self.members(b']', |reader| {
                    items.push(reader.value(depth + 1)?);
                    Some(())
                })?;
                Some(Tree::List(items))
            }
            _ => {
                let rest = self.text.get(self.at..)?;
                let ends = |c: char| matches!(c, ',' | ']' | '}') || c.is_ascii_whitespace();
                let word = rest.split(ends).next().filter(|word| !word.is_empty())?;
                self.at += word.len();
                Some(if word == "null" { Tree::Null } else { Tree::Literal(word) })
            }
        }
    }

    /// Reads what stands between an opening bracket and the closing one, separated by commas.
    fn members(&mut self, closing: u8, mut read: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        self.skip_space();
        if self.peek()? == closing {
            self.at += 1;
            return Some(());
        }
        loop {
            read(self)?;
            self.skip_space();
            let next = self.peek()?;
            self.at += 1;
            match next {
                b',' => {}
                next if next == closing => return Some(()),
                _ => return None,
            }
        }
    }

    fn string(&mut self) -> Option<Cow<'a, str>> {
        let begin = self.at;
        let bytes = self.text.as_bytes();
        let (mut at, mut has_escapes) = (begin + 1, false);
        loop {
            at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
            if bytes.get(at) == Some(&b'"') {
                break;
            }
            has_escapes = true;
            at += 2;
        }
        self.at = at + 1;
        let quoted = self.text.get(begin..=at)?;
        if has_escapes {
            return serde_json::from_str(quoted).ok().map(Cow::Owned);
        }
        quoted.get(1..quoted.len() - 1).map(Cow::Borrowed)
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        self.skip_space();
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }
}
