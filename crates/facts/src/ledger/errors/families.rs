//! The rules of `rules/errors.toml`: the forms of error lines, one family per language or program.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde::Deserialize;

use crate::pattern::{self, Grouped, Line, Rule, Table};
use crate::rules;

#[cfg(test)]
pub(crate) use samples::problems;

static SHAPES: LazyLock<Table<Shape>> = LazyLock::new(|| rules::read::<Shapes>(rules::ERRORS).shapes);

#[derive(Deserialize)]
#[cfg_attr(test, serde(deny_unknown_fields))]
struct Shapes {
    #[serde(rename = "error")]
    shapes: Table<Shape>,
}

/// A rule for lines of one form; `rules/errors.toml` explains each field.
#[derive(Deserialize)]
#[cfg_attr(test, serde(deny_unknown_fields))]
struct Shape {
    #[cfg(test)]
    name: String,
    pattern: Grouped,
    unless: Option<Grouped>,
    indented: Option<bool>,
    kind: Option<String>,
    #[serde(default)]
    rank: Rank,
    #[serde(default)]
    place_in_message: bool,
    #[serde(default)]
    message_follows: bool,
    #[serde(default)]
    under_heading: bool,
    #[serde(default)]
    does: Does,
    #[cfg(test)]
    samples: Vec<samples::Sample>,
    #[cfg(test)]
    #[serde(default)]
    not: Vec<String>,
}

/// The meaning of a matching line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Does {
    /// It is an error.
    #[default]
    Report,
    Ignore,
    Place,
    Traceback,
    Exception,
    Npm,
}

/// How specific a line is, from a log line to a compiler's line with its location; when there are too many errors,
/// higher ranks are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Rank {
    /// Only its first word shows that it is an error.
    #[default]
    Vague,
    /// A program's own error message.
    Plain,
    /// A compiler's line, an exception.
    Precise,
}

/// An error parsed from a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Its kind, when the line names one.
    pub kind: Option<String>,
    /// The line without the kind.
    pub message: String,
    /// A file and line.
    pub location: Option<String>,
    pub rank: Rank,
}

/// State from earlier lines, for families whose errors have several lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    place: Option<String>,
    file_heading: Option<String>,
    in_traceback: bool,
    message_follows: bool,
    npm_lines: u8,
}

impl Context {
    /// Keeps the line above an indented block, when it is a file's name.
    pub(super) fn heading(&mut self, line: Option<&str>) {
        static FILE: LazyLock<Regex> =
            LazyLock::new(|| pattern::ascii(r"^(?:/|\.{0,2}/|[A-Z]:\\|\w)[\w@.+~\-/\\ ]*\.\w{1,6}$"));
        self.file_heading = line.map(str::trim_end).filter(|l| FILE.is_match(l)).map(str::to_owned);
    }
}

/// The lines that a family may match, in order.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line> {
    SHAPES.lines(text)
}

/// Parses a line that may match a family; lines must be passed in order.
pub(super) fn find(found: &Line, raw: &str, ctx: &mut Context) -> Option<Found> {
    let line = raw.trim_end();
    let bare = line.trim_start();
    let is_indented = bare.len() < line.len();
    let first = SHAPES.candidates(found).find_map(|shape| {
        let fits = shape.indented.is_none_or(|indented| indented == is_indented);
        let caps = fits.then(|| shape.pattern.captures(bare)).flatten()?;
        shape.unless.as_ref().is_none_or(|unless| !unless.is_match(bare)).then_some((shape, caps))
    });
    let Some((shape, caps)) = first else {
        ctx.npm_lines = 0;
        return None;
    };
    match shape.does {
        Does::Ignore => return None,
        Does::Place => {
            ctx.place = place_of(&caps);
            return None;
        }
        Does::Traceback => {
            (ctx.in_traceback, ctx.place) = (true, None);
            return None;
        }
        Does::Exception => return exception(&caps, ctx),
        // A failed npm run prints many lines about itself; three are enough.
        Does::Npm if ctx.npm_lines >= 3 => return None,
        Does::Npm => ctx.npm_lines += 1,
        Does::Report => ctx.npm_lines = 0,
    }
    ctx.message_follows = shape.message_follows;
    let heading = ctx.file_heading.as_ref().filter(|_| shape.under_heading);
    let under = heading.zip(caps.name("line")).map(|(file, line)| format!("{file}:{}", line.as_str()));
    let location = under.or_else(|| place_of(&caps));
    let message = caps.name("message").map_or(bare, |m| m.as_str()).trim();
    let message = match &location {
        Some(place) if shape.place_in_message => format!("{place}: {message}"),
        _ => message.to_owned(),
    };
    let kind = caps.name("kind").map(|m| m.as_str().to_owned()).or_else(|| {
        let mut kind = String::new();
        caps.expand(shape.kind.as_deref()?, &mut kind);
        Some(kind)
    });
    Some(Found { kind, message, location, rank: shape.rank })
}

/// The location in the groups of a match.
fn place_of(caps: &Captures<'_>) -> Option<String> {
    let text = |group: &str| caps.name(group).map(|m| m.as_str());
    let place = || Some(format!("{}:{}", text("file")?, text("line")?));
    text("place").map(str::to_owned).or_else(place)
}

fn exception(caps: &Captures<'_>, ctx: &mut Context) -> Option<Found> {
    let kind = caps.name("kind")?.as_str();
    let short = kind.rsplit(['.', ':', '\\']).next().unwrap_or(kind);
    let in_traceback = std::mem::take(&mut ctx.in_traceback);
    // `DeprecationWarning: …` is no error. Neither is a bare name outside of a traceback, which may be a symbol in a
    // listing.
    if short.ends_with("Warning")
        || matches!(short, "Timeout" | "Failure" | "Fault" | "NotFound" | "Abort" | "Interrupted")
            && !in_traceback
    {
        return None;
    }
    let message = match caps.name("message") {
        Some(message) => message.as_str(),
        None if in_traceback || matches!(short, "KeyboardInterrupt" | "AssertionError") => kind,
        None => return None,
    };
    let (kind, message) = (Some(kind.to_owned()), message.trim().to_owned());
    Some(Found { kind, message, location: ctx.place.take(), rank: Rank::Precise })
}

/// The message of an error whose first line has only its location.
pub(super) fn message_behind(line: &str, ctx: &mut Context) -> Option<String> {
    std::mem::take(&mut ctx.message_follows)
        .then(|| line.trim().to_owned())
        .filter(|l| !l.is_empty() && !l.starts_with("note:"))
}

/// The location in a line after the error (`--> src/a.rs:1:2`, `at /a/b.js:1:2`).
pub(super) fn place(line: &str) -> Option<String> {
    static PLACES: LazyLock<[Grouped; 3]> = LazyLock::new(|| {
        [
            r"^at .* in (?P<file>.+):line (?P<line>\d+)$",
            r"^--> (?P<place>\S+:\d+(?::\d+)?)$",
            r"^at (?:.*\()?(?P<place>(?:file://)?/?[\w@.+~\-/\\]+\.\w{1,6}:\d+(?::\d+)?)\)?$",
        ]
        .map(Grouped::ascii)
    });
    let line = line.trim();
    PLACES.iter().find_map(|place| place_of(&place.captures(line)?))
}

impl Rule for Shape {
    fn pattern(&self) -> &Grouped {
        &self.pattern
    }

    #[cfg(test)]
    fn name(&self) -> String {
        format!("errors.toml, {}, {}", self.name, self.pattern.text())
    }
}

#[cfg(test)]
mod samples {
    use super::*;
    use crate::ledger::errors::scan;

    /// An output, and the error that is read in it.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Sample {
        text: String,
        kind: Option<String>,
        message: Option<String>,
        location: Option<String>,
    }

    impl Shape {
        fn problems(&self) -> Vec<String> {
            let reads = |text: &str| {
                text.lines().any(|line| {
                    let bare = line.trim();
                    self.indented.is_none_or(|indented| indented == line.starts_with([' ', '\t']))
                        && self.pattern.is_match(bare)
                        && self.unless.as_ref().is_none_or(|unless| !unless.is_match(bare))
                })
            };
            let mut problems = Vec::new();
            for sample in &self.samples {
                let mut found = Vec::new();
                scan(&sample.text, &mut found);
                let read: Vec<_> = found
                    .into_iter()
                    .map(|one| (one.kind, crate::ledger::line::squash(&one.message), one.location))
                    .collect();
                let expected: Vec<_> = sample
                    .message
                    .iter()
                    .map(|message| (sample.kind.clone(), message.clone(), sample.location.clone()))
                    .collect();
                if read != expected {
                    problems.push(format!("reads {read:?} in {}", sample.text));
                }
                if !reads(&sample.text) {
                    problems.push(format!("does not match its sample {}", sample.text));
                }
            }
            problems.extend(self.not.iter().filter(|text| reads(text)).map(|text| format!("matches {text}")));
            problems.extend(self.samples.is_empty().then(|| "it has no sample".to_owned()));
            problems.into_iter().map(|problem| format!("{}: {problem}", self.name())).collect()
        }
    }

    /// The faults of the rules.
    pub fn problems() -> Vec<String> {
        SHAPES.problems().into_iter().chain(SHAPES.iter().flat_map(Shape::problems)).collect()
    }
}
