//! An estimate of tokens without a vocabulary: what a byte-pair tokenizer of a large vocabulary does
//! with each class of characters, in hundredths of a token. Fitted on prose, code and Chinese.

/// A common word is one token with the space before it; longer ones break now and then.
const WORD_LETTERS: [usize; 15] = [0, 95, 98, 100, 102, 104, 108, 113, 118, 125, 135, 145, 160, 175, 190];
const LONG_WORD_LETTER: usize = 20;

/// The estimated tokens of a text.
pub(super) fn tokens(text: &str) -> usize {
    let mut hundredths = 0;
    let mut chars = text.chars().peekable();
    let mut before = Class::Space;
    while let Some(c) = chars.next() {
        let class = class(c);
        let mut run = 1;
        let mut last = c;
        while let Some(&next) = chars.peek() {
            let word_breaks =
                class == Class::Letter && last.is_ascii_lowercase() && next.is_ascii_uppercase();
            if self::class(next) != class || word_breaks {
                break;
            }
            run += 1;
            last = next;
            chars.next();
        }
        hundredths += match class {
            Class::Letter => {
                WORD_LETTERS.get(run).copied().unwrap_or_else(|| 190 + (run - 14) * LONG_WORD_LETTER)
            }
            Class::Digit => run.div_ceil(3) * 100,
            // One space goes with the word after it, unless that is a number; more make one token.
            Class::Space if run == 1 => match chars.peek().map(|c| self::class(*c)) {
                Some(Class::Digit | Class::Han | Class::Kana) => 90,
                _ => 0,
            },
            Class::Space => 95 + run / 80 * 100,
            // A newline goes with the punctuation before it.
            Class::Newline => {
                if before == Class::Punctuation {
                    25
                } else {
                    90
                }
            }
            // One sign goes with the letters after it: `_name`, `.append`, `(self`.
            Class::Punctuation if run == 1 && chars.peek().is_some_and(char::is_ascii_alphabetic) => 68,
            Class::Punctuation => 92 + (run - 1).min(3) * 25 + run.saturating_sub(4) * 12,
            Class::Han => run * 72,
            Class::Kana => run * 68,
            Class::Hangul => run * 62,
            Class::Alphabet => 40 + run * 25,
            Class::Other => run * 110,
        };
        before = class;
    }
    hundredths.div_ceil(100)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Space,
    Newline,
    Punctuation,
    Han,
    Kana,
    Hangul,
    /// Letters of other alphabets.
    Alphabet,
    /// Symbols, emoji, control characters.
    Other,
}

fn class(c: char) -> Class {
    match c {
        'a'..='z' | 'A'..='Z' => Class::Letter,
        '0'..='9' => Class::Digit,
        ' ' | '\t' => Class::Space,
        '\n' | '\r' => Class::Newline,
        '!'..='~' | '\u{3000}'..='\u{303F}' | '\u{FF00}'..='\u{FF65}' | '\u{2010}'..='\u{2027}' => {
            Class::Punctuation
        }
        '\u{3040}'..='\u{30FF}' => Class::Kana,
        '\u{AC00}'..='\u{D7AF}' => Class::Hangul,
        '\u{3400}'..='\u{9FFF}' | '\u{20000}'..='\u{2FFFF}' => Class::Han,
        _ if c.is_alphabetic() => Class::Alphabet,
        _ => Class::Other,
    }
}
