//! Reads an export of the API, and cuts it into pieces that an import takes.

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use super::transcript::BATCH_BYTES;

/// An export, whose end line is there.
#[derive(Debug)]
pub(super) struct Export<'t> {
    lines: Vec<Listed<'t>>,
    end: &'t str,
}

/// A line before the end.
#[derive(Debug)]
struct Listed<'t> {
    line: &'t str,
    is_message: bool,
}

#[derive(Deserialize)]
struct Line<'t> {
    kind: &'t str,
}

impl<'t> Export<'t> {
    /// Reads an export; `None` for another text.
    pub(super) fn read(text: &'t str) -> Result<Option<Self>> {
        let (mut listed, mut end) = (Vec::new(), None);
        let lines = text.trim_start_matches('\u{feff}').lines();
        for (number, line) in (1..).zip(lines).filter(|(_, line)| !line.trim().is_empty()) {
            let read = serde_json::from_str::<Line<'_>>(line);
            if listed.is_empty() && !read.as_ref().is_ok_and(|line| line.kind == "session") {
                return Ok(None);
            }
            let kind = read.with_context(|| format!("line {number}: not a line of an export"))?.kind;
            if end.is_some() {
                bail!("line {number}: nothing may follow the end");
            }
            match kind {
                "end" => end = Some(line),
                kind => listed.push(Listed { line, is_message: kind == "message" }),
            }
        }
        if listed.is_empty() {
            return Ok(None);
        }
        let end = end.context("the last line, of kind `end`, is missing: the export was cut off")?;
        Ok(Some(Self { lines: listed, end }))
    }

    /// Its pieces, each with whether it is the last one: at most `most` messages each, and about [`BATCH_BYTES`]. They are the
    /// same each time, so that those that are stored are recognised by their idempotency keys.
    pub(super) fn pieces(&self, most: usize) -> Vec<(String, bool)> {
        let mut pieces = Vec::new();
        let mut piece = String::new();
        let mut messages = 0;
        for Listed { line, is_message } in &self.lines {
            let is_full = *is_message && messages == most;
            if !piece.is_empty() && (is_full || piece.len() + line.len() > BATCH_BYTES) {
                pieces.push((std::mem::take(&mut piece), false));
                messages = 0;
            }
            piece.push_str(line);
            piece.push('\n');
            messages += usize::from(*is_message);
        }
        piece.push_str(self.end);
        pieces.push((piece, true));
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPORT: &str = concat!(
        r#"{"kind":"session","session_id":"s","settings":{}}"#,
        "\n",
        r#"{"kind":"message","seq":1,"message":{"role":"user","content":"a"}}"#,
        "\n",
        r#"{"kind":"message","seq":2,"message":{"role":"user","content":"b"}}"#,
        "\n",
        r#"{"kind":"version","version":1}"#,
        "\n",
        r#"{"kind":"end","messages":2}"#,
        "\n",
    );

    #[test]
    fn an_export_is_cut_between_lines() {
        let export = Export::read(EXPORT).unwrap().unwrap();
        let lines: Vec<&str> = EXPORT.lines().collect();
        let piece = |places: &[usize]| places.iter().map(|at| lines[*at]).collect::<Vec<_>>().join("\n");
        assert_eq!(export.pieces(1), [(format!("{}\n", piece(&[0, 1])), false), (piece(&[2, 3, 4]), true)]);
        assert_eq!(export.pieces(500), [(piece(&[0, 1, 2, 3, 4]), true)]);
    }

    #[test]
    fn an_export_that_was_cut_off_is_refused_and_another_text_is_none() {
        let cut: String = EXPORT.split_inclusive('\n').take(3).collect();
        assert!(Export::read(&cut).unwrap_err().to_string().contains("cut off"));
        for other in ["", "[]", r#"{"role":"user","content":"a"}"#, r#"{"type":"session"}"#] {
            assert!(Export::read(other).unwrap().is_none(), "{other}");
        }
    }
}
