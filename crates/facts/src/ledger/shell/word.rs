//! Shell words: quotes taken away, and whether what is left is literal.

/// A word without its quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// Its text; variables and globs as written.
    pub text: String,
    /// Whether the shell would leave it as it is: no variable, substitution or glob.
    pub literal: bool,
}

impl Word {
    /// Reads a word as written.
    pub(super) fn read(raw: &str) -> Self {
        let mut text = String::with_capacity(raw.len());
        let mut literal = true;
        let mut chars = raw.chars().peekable();
        let mut first = true;
        while let Some(c) = chars.next() {
            match c {
                '\'' => {
                    for inner in chars.by_ref().take_while(|c| *c != '\'') {
                        text.push(inner);
                    }
                }
                '"' => {
                    while let Some(inner) = chars.next() {
                        match inner {
                            '"' => break,
                            '\\' => match chars.next() {
                                Some(escaped @ ('"' | '\\' | '$' | '`')) => text.push(escaped),
                                Some('\n') | None => {}
                                Some(other) => {
                                    text.push('\\');
                                    text.push(other);
                                }
                            },
                            '$' | '`' => {
                                literal = false;
                                text.push(inner);
                            }
                            other => text.push(other),
                        }
                    }
                }
                '\\' => match chars.next() {
                    Some('\n') | None => {}
                    Some(escaped) => text.push(escaped),
                },
                '$' if chars.peek() == Some(&'\'') => {}
                '$' | '`' | '*' | '?' | '[' => {
                    literal = false;
                    text.push(c);
                }
                '{' if !first || chars.peek().is_some_and(|n| *n != '}') => {
                    literal = false;
                    text.push(c);
                }
                _ => text.push(c),
            }
            first = false;
        }
        Self { text, literal }
    }

    /// Reads a word with one list in braces (`src/{a,b}.rs`) as the words that the shell makes of it.
    pub(super) fn expand(raw: &str) -> Vec<Self> {
        const MOST: usize = 20;
        let plain = |text: &str| !text.contains(['$', '`', '\'', '"', '\\', '{', '}']);
        if let Some((before, rest)) = raw.split_once('{')
            && let Some((list, after)) = rest.split_once('}')
            && list.contains(',')
            && list.split(',').count() <= MOST
            && [before, list, after].into_iter().all(plain)
        {
            return list.split(',').map(|one| Self::read(&format!("{before}{one}{after}"))).collect();
        }
        vec![Self::read(raw)]
    }

    /// Fills in a variable whose value is known.
    pub(super) fn fill(&mut self, variable: &str, value: &str) {
        if self.literal || variable.is_empty() {
            return;
        }
        let braced = format!("${{{variable}}}");
        let mut text = self.text.replace(&braced, value);
        let bare = format!("${variable}");
        let mut filled = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(at) = rest.find(&bare) {
            let after = rest.get(at + bare.len()..).unwrap_or("");
            filled.push_str(rest.get(..at).unwrap_or(""));
            if after.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
                filled.push_str(&bare);
            } else {
                filled.push_str(value);
            }
            rest = after;
        }
        filled.push_str(rest);
        text = filled;
        self.literal = !text.contains(['$', '`', '*', '?', '[', '{']);
        self.text = text;
    }
}

/// Writes an argument list as one command line.
pub(in super::super) fn quote<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let mut line = String::new();
    for word in words {
        if !line.is_empty() {
            line.push(' ');
        }
        let plain = !word.is_empty()
            && word.chars().all(|c| {
                c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '=' | ',' | '@' | '+' | '%')
            });
        if plain {
            line.push_str(word);
        } else {
            line.push('\'');
            line.push_str(&word.replace('\'', "'\\''"));
            line.push('\'');
        }
    }
    line
}
