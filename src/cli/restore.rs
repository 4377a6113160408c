//! Reads an export of the API, and cuts it into pieces that an import takes.

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use super::transcript::BATCH_BYTES;

/// An export, whose end line is there.
#[derive(Debug)]
pub(super) struct Export<'t> {
    /// Its lines, the end among them.
    lines: Vec<&'t str>,
}

#[derive(Deserialize)]
struct Line<'t> {
    kind: &'t str,
}

impl<'t> Export<'t> {
    /// Reads an export; `None` for another text.
    pub(super) fn read(text: &'t str) -> Result<Option<Self>> {
        let (mut listed, mut is_ended) = (Vec::new(), false);
        let lines = text.trim_start_matches('\u{feff}').lines();
        for (number, line) in (1..).zip(lines).filter(|(_, line)| !line.trim().is_empty()) {
            let read = serde_json::from_str::<Line<'_>>(line);
            if listed.is_empty() && !read.as_ref().is_ok_and(|line| line.kind == "session") {
                return Ok(None);
            }
            let kind = read.with_context(|| format!("line {number}: not a line of an export"))?.kind;
            if is_ended {
                bail!("line {number}: nothing may follow the end");
            }
            is_ended = kind == "end";
            listed.push(line);
        }
        if listed.is_empty() {
            return Ok(None);
        }
        if !is_ended {
            bail!("the last line, of kind `end`, is missing: the export was cut off");
        }
        Ok(Some(Self { lines: listed }))
    }

    /// Its pieces, each with whether it is the last one: at most `most` lines each, and about [`BATCH_BYTES`]. They are the
    /// same each time, so that those that are stored are recognised by their idempotency keys.
    pub(super) fn pieces(&self, most: usize) -> Vec<(String, bool)> {
        let mut pieces = Vec::new();
        let mut piece = String::new();
        let mut lines = 0;
        for line in &self.lines {
            if lines > 0 && (lines == most || piece.len() + line.len() > BATCH_BYTES) {
                pieces.push((std::mem::take(&mut piece), false));
                lines = 0;
            }
            piece.push_str(line);
            piece.push('\n');
            lines += 1;
        }
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
        let piece = |from: usize, to: usize| format!("{}\n", lines[from..to].join("\n"));
        assert_eq!(export.pieces(2), [(piece(0, 2), false), (piece(2, 4), false), (piece(4, 5), true)]);
        assert_eq!(export.pieces(500), [(piece(0, 5), true)]);
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
