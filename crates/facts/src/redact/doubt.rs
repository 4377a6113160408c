//! Checks that distinguish a secret from a value that only looks like one.

use std::ops::Range;

use regex::Captures;

use crate::ledger::words::WORDS;

/// Whether a token of letters and digits is random, and neither words and numbers side by side nor a part of a file's path.
pub(super) fn token(text: &str, range: &Range<usize>) -> bool {
    let value = text.get(range.clone()).unwrap_or_default();
    let is_mixed = |part: &str| {
        part.bytes().any(|b| b.is_ascii_digit()) && part.bytes().any(|b| b.is_ascii_alphabetic())
    };
    mixed(value)
        && (value.split(['-', '_', '.', '/', ':']).any(is_mixed)
            || !value.contains(['-', '_', '.', '/', ':']))
        && !in_path(text, range)
}

/// Whether letters and digits are mixed like in a random token, and unlike in words and names.
fn mixed(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let upper = value.bytes().filter(u8::is_ascii_uppercase).count();
    let lower = value.bytes().filter(u8::is_ascii_lowercase).count();
    digits >= 2 && (upper + lower) >= 4 || upper >= 4 && lower >= 4 && !value.contains(['-', '_', '/'])
}

/// Whether a value is a placeholder for a secret or a reference to one (`your-key`, `${TOKEN}`, `os.environ…`).
pub(super) fn placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    value.is_empty()
        || value.starts_with(['$', '%', '<', '{', '*', '['])
        || value.contains("[REDACTED")
        || value.contains("${")
        || value.bytes().all(|b| matches!(b, b'*' | b'x' | b'X' | b'.' | b'-' | b'_'))
        || WORDS.placeholders.iter().any(|p| lower.starts_with(p))
        || lower.contains("example.com")
}

/// Whether a value in the position of a secret's name is one.
pub(super) fn named_secret(caps: &Captures<'_>, text: &str) -> bool {
    let group = |name| caps.name(name).map_or("", |m| m.as_str());
    let (name, value) = (group("name").to_ascii_lowercase(), group("secret"));
    let is_number = value.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b',');
    if placeholder(value) || is_path(value) || is_number || is_version(value) || is_digest(value) {
        return false;
    }
    // git prints a renamed file as `{token => other}`; in code, the value behind an arrow is quoted.
    if caps.name("arrow").is_some() && group("quote").is_empty() {
        return false;
    }
    if WORDS.harmless_names.iter().any(|harmless| name.ends_with(harmless)) {
        return false;
    }
    if is_migration(value) || caps.name("secret").is_some_and(|secret| in_path(text, &secret.range())) {
        return false;
    }
    mixed(value) || entropy(value) >= 3.5 && value.len() >= 16 && !value.contains(['.', '/', ':'])
}

/// Whether a value in the position of a password's name is one, and not a word of a sentence, a type or a variable.
pub(super) fn named_password(caps: &Captures<'_>, text: &str) -> bool {
    let group = |name| caps.name(name).map_or("", |m| m.as_str());
    let (name, value) = (group("name"), group("secret"));
    let is_short_number = value.len() < 4 && value.bytes().all(|b| b.is_ascii_digit());
    if placeholder(value) || is_path(value) || is_short_number {
        return false;
    }
    let is_constant = name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    let is_marked = value.contains(['!', '@', '#', '%', '&', '*', '+']);
    if !group("quote").is_empty() || mixed(value) || name.contains('_') || is_constant || is_marked {
        return true;
    }
    let behind = caps.name("secret").and_then(|secret| text.get(secret.end()..)).unwrap_or_default();
    let is_called = behind.starts_with(['(', '[', '{']);
    let is_variable = value.contains('.') || names_a_password(value) || is_called;
    let has_digit = value.bytes().any(|b| b.is_ascii_digit());
    let has_letter = value.bytes().any(|b| b.is_ascii_alphabetic());
    if is_variable || is_algorithm(value) || !has_letter {
        return false;
    }
    has_digit || is_assigned(caps, text, behind)
}

/// Whether a password stands where a file of properties, a connection string or the query of an address has it: `name=value`
/// as a whole line, or behind another such pair.
fn is_assigned(caps: &Captures<'_>, text: &str, behind: &str) -> bool {
    let Some((whole, secret)) = caps.get(0).zip(caps.name("secret")) else { return false };
    let before = text.get(..whole.start()).unwrap_or_default();
    let is_tight = text.get(..secret.start()).is_some_and(|head| head.ends_with('='));
    let line = before.rsplit('\n').next().unwrap_or_default();
    let is_line = line.is_empty() && (behind.is_empty() || behind.starts_with(['\n', '\r']));
    let is_pair = line.ends_with(['?', '&', ';'])
        || line.ends_with(' ') && line.trim_end().rsplit(' ').next().is_some_and(|word| word.contains('='));
    is_tight && (is_line || is_pair && !behind.starts_with([',', ')']) && !line.contains('('))
}

/// Whether a word behind "the password is" is one: letters and digits or signs, and not what is said of a password.
pub(super) fn told_password(caps: &Captures<'_>) -> bool {
    let value = caps.name("secret").map_or("", |m| m.as_str());
    let has_digit = value.bytes().any(|b| b.is_ascii_digit());
    let has_letter = value.bytes().any(|b| b.is_ascii_alphabetic());
    let is_marked = value.contains(['!', '@', '#', '$', '%', '&', '*', '+']);
    let is_told = caps.name("quote").is_some() || has_letter && (has_digit || is_marked) && value.len() >= 6;
    is_told && !placeholder(value) && !is_path(value) && !is_algorithm(value) && !names_a_password(value)
}

/// Whether the pairs of a cookie hold one that logs somebody in.
pub(super) fn session_cookie(pairs: &str) -> bool {
    pairs.split(';').filter_map(|pair| pair.trim().split_once('=')).any(|(name, value)| {
        let name = name.to_ascii_lowercase();
        let logs_in = ["sess", "sid", "auth", "token", "jwt", "login", "remember", "csrf", "xsrf"];
        !placeholder(value)
            && value.len() >= 4
            && (logs_in.iter().any(|word| name.contains(word)) || value.len() >= 12 && mixed(value))
    })
}

/// Whether a value is random: its letters and digits change their class more often than in words and numbers.
pub(super) fn random(value: &str) -> bool {
    const FEWEST_CHANGES: usize = 6;
    let class = |b: u8| (b.is_ascii_digit(), b.is_ascii_uppercase(), b.is_ascii_lowercase());
    let changes = value.as_bytes().windows(2).filter(|two| matches!(two, [a, b] if class(*a) != class(*b)));
    mixed(value) && !is_migration(value) && changes.count() >= FEWEST_CHANGES
}

/// Whether a range of a text is in a file's path: a word with a slash that ends in a file's extension, and no address.
pub(super) fn in_path(text: &str, range: &Range<usize>) -> bool {
    const LONGEST: usize = 400;
    let ends = |c: char| c.is_whitespace() || "\"'`<>|=:,;()[]{}?&#*$".contains(c);
    let before = text.get(..range.start).unwrap_or_default();
    let behind = text.get(range.end..).unwrap_or_default();
    let left = before.char_indices().rev().take(LONGEST).find(|(_, c)| ends(*c));
    let left = left.map_or(0, |(at, c)| at + c.len_utf8());
    let right =
        behind.char_indices().take(LONGEST).find(|(_, c)| ends(*c)).map_or(behind.len(), |(at, _)| at);
    let word = text.get(left..range.end + right).unwrap_or_default().trim_end_matches('.');
    is_file_path(word) && !word.starts_with("//")
}

/// Whether a word has folders and a file's extension.
fn is_file_path(word: &str) -> bool {
    let Some((_, name)) = word.rsplit_once(['/', '\\']) else { return false };
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    !stem.is_empty()
        && (1..=10).contains(&extension.len())
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Whether a value is the name of a migration: a moment or a number, and words (`1740200000000-AddUniqueConstraint`,
/// `V2__add_token`, `AddToken1740200000000`), with or without an extension.
fn is_migration(value: &str) -> bool {
    let stem = value.split('.').next().unwrap_or(value);
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let is_letters = |part: &str| part.bytes().all(|b| b.is_ascii_alphabetic());
    let mut parts = stem.split(['-', '_']);
    let first = parts.next().unwrap_or_default();
    let is_moment = is_digits(first.strip_prefix('V').unwrap_or(first)) && first.len() <= 17;
    let begins = is_moment
        && parts.clone().all(|part| is_digits(part) || is_letters(part))
        && parts.any(|part| part.len() >= 2 && is_letters(part));
    let name = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    begins || matches!(stem.len() - name.len(), 13 | 14) && name.len() >= 3 && is_letters(name)
}

/// Whether a value is a version (`^1.2.3`, `9.0.2-beta.12`).
fn is_version(value: &str) -> bool {
    let bare = value.trim_start_matches(['^', '~', '>', '<', '=', 'v']);
    let mut parts = bare.splitn(3, '.');
    let is_number = |part: Option<&str>| {
        part.is_some_and(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    };
    is_number(parts.next()) && is_number(parts.next())
}

/// Whether a value is the digest of a content, by the name of its algorithm in front (`sha512-…`, `sha256:…`).
fn is_digest(value: &str) -> bool {
    [
        "sha1-", "sha256-", "sha384-", "sha512-", "sha1:", "sha256:", "sha384:", "sha512:", "md5-", "md5:",
        "h1:",
    ]
    .iter()
    .any(|start| value.starts_with(start))
}

/// Whether a word is an algorithm or an encoding, which a password may be said to have.
fn is_algorithm(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    ["sha", "md5", "base", "argon", "bcrypt", "scrypt", "pbkdf", "utf", "aes", "hmac", "rfc", "oauth"]
        .iter()
        .any(|name| lower.strip_prefix(name).is_some_and(|rest| !rest.starts_with(char::is_alphabetic)))
}

/// Whether a value is itself the name of a password: a variable, not its content.
fn names_a_password(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    ["pass", "pwd"].iter().any(|word| lower.contains(word))
}

/// Whether a value in the position of a password is one, and not a word of a sentence.
pub(super) fn follows_a_flag(value: &str) -> bool {
    let is_number = value.bytes().all(|b| b.is_ascii_digit());
    let is_word = value.bytes().all(|b| b.is_ascii_lowercase() || b == b'.');
    !is_number && !is_word && !placeholder(value) && !is_path(value)
}

/// Whether a value is a path or an address rather than a token: several readable segments.
fn is_path(value: &str) -> bool {
    is_file_path(value)
        || value.starts_with(['/', '~'])
        || value.starts_with("./")
        || value.starts_with("../")
        || value.contains("://")
}

/// Shannon entropy in bits per byte.
fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        if let Some(n) = counts.get_mut(usize::from(byte)) {
            *n += 1;
        }
    }
    let total = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX).max(1));
    counts
        .iter()
        .filter(|n| **n > 0)
        .map(|n| {
            let p = f64::from(*n) / total;
            -p * p.log2()
        })
        .sum()
}
