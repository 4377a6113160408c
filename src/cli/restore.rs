//! Reads an export of the API, and cuts it into pieces that an import takes.

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::transcript::BATCH_BYTES;

/// An export, whose end line is there.
#[derive(Debug)]
pub(super) struct Export<'t> {
    head: &'t str,
    messages: Vec<Listed<'t>>,
    versions: usize,
    end: &'t str,
}

/// A line of a message, and the message in it.
#[derive(Debug)]
struct Listed<'t> {
    line: &'t str,
    message: &'t str,
}

#[derive(Deserialize)]
struct Line<'t> {
    kind: &'t str,
    #[serde(borrow)]
    message: Option<&'t RawValue>,
}

impl<'t> Export<'t> {
    /// Reads an export; `None` for another text.
    pub(super) fn read(text: &'t str) -> Result<Option<Self>> {
        let mut lines = (1..)
            .zip(text.trim_start_matches('\u{feff}').lines())
            .filter(|(_, line)| !line.trim().is_empty());
        let Some((_, head)) = lines.next() else { return Ok(None) };
        if !serde_json::from_str::<Line<'_>>(head).is_ok_and(|line| line.kind == "session") {
            return Ok(None);
        }
        let (mut messages, mut versions, mut end) = (Vec::new(), 0, None);
        for (number, line) in lines {
            let read: Line<'_> = serde_json::from_str(line)
                .with_context(|| format!("line {number}: not a line of an export"))?;
            match (read.kind, read.message) {
                _ if end.is_some() => bail!("line {number}: nothing may follow the end"),
                ("message", Some(message)) => messages.push(Listed { line, message: message.get() }),
                ("version", _) => versions += 1,
                ("end", _) => end = Some(line),
                (kind, _) => bail!("line {number}: not a line of an export: {kind}"),
            }
        }
        let end = end.context("the last line, of kind `end`, is missing: the export was cut off")?;
        Ok(Some(Self { head, messages, versions, end }))
    }

    /// The number of its messages.
    pub(super) fn messages(&self) -> usize {
        self.messages.len()
    }

    /// A message, by its place from 0.
    pub(super) fn message(&self, at: usize) -> Option<&'t str> {
        self.messages.get(at).map(|listed| listed.message)
    }

    /// The number of its versions, which an import does not take.
    pub(super) fn versions(&self) -> usize {
        self.versions
    }

    /// The pieces after messages that are stored, each with whether it is the last one: at most `most` messages each, and
    /// about [`BATCH_BYTES`].
    pub(super) fn pieces(&self, stored: usize, most: usize) -> Vec<(String, bool)> {
        let mut pieces = Vec::new();
        let mut piece = if stored == 0 { format!("{}\n", self.head) } else { String::new() };
        let mut count = 0;
        for Listed { line, .. } in self.messages.iter().skip(stored) {
            if count > 0 && (count == most || piece.len() + line.len() > BATCH_BYTES) {
                pieces.push((std::mem::take(&mut piece), false));
                count = 0;
            }
            piece.push_str(line);
            piece.push('\n');
            count += 1;
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
    fn an_export_is_cut_between_messages_and_goes_on_after_what_is_stored() {
        let export = Export::read(EXPORT).unwrap().unwrap();
        assert_eq!((export.messages(), export.versions()), (2, 1));
        assert_eq!(export.message(1), Some(r#"{"role":"user","content":"b"}"#));
        let lines: Vec<&str> = EXPORT.lines().collect();
        let piece = |places: &[usize]| places.iter().map(|at| lines[*at]).collect::<Vec<_>>().join("\n");
        assert_eq!(export.pieces(0, 1), [(format!("{}\n", piece(&[0, 1])), false), (piece(&[2, 4]), true)]);
        assert_eq!(export.pieces(1, 500), [(piece(&[2, 4]), true)]);
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
