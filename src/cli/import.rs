//! `anchord import FILE --session NAME`: appends a transcript to a session of a running service, or restores an export.
//!
//! Each batch states the position that it expects, so that an import that was interrupted continues where it stopped
//! when it is run again.

use std::ops::Range;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use indicatif::{ProgressBar, ProgressStyle};
use sha2::{Digest as _, Sha256};

use super::prelude::*;
use super::remote::Sent;
use super::restore::Export;
use super::transcript::{self, FileFormat};
use anchord_messages::transcript::Transcript;

/// The counts of a reply to an import of an export.
const COUNTS: [&str; 6] = ["messages", "branches", "versions", "probes", "evaluations", "compressions"];

/// Arguments of `import`.
#[derive(Args, Debug)]
#[command(after_help = "\
An import that was interrupted continues where it stopped when it is run again, and so does that of a log that has grown.

Examples:
  anchord import session.json --session planner
  anchord import ~/.claude/projects/app/1234.jsonl --session app
  agent --log - | anchord import - --session nightly --json
  curl -s $ANCHORD_URL/v1/sessions/app/export -H x-api-key:$KEY | anchord import - --session copy")]
pub(super) struct Import {
    /// File with messages (an array, an object with `messages`, or one message per line), an agent's log, or an export of
    /// the API (`GET /v1/sessions/{id}/export`); - for standard input
    file: PathBuf,
    /// Session ID. A new session is created; one that has the file's first messages is continued
    #[arg(long, value_name = "SESSION", value_parser = SessionName::parse)]
    session: SessionName,
    /// Format of the file; detected from its contents if not given
    #[arg(long, value_name = "FORMAT")]
    format: Option<FileFormat>,
    /// Maximum number of messages, or lines of an export, in one call
    #[arg(long, value_name = "COUNT", default_value_t = 500, value_parser = whole::<u32>(1..=1_000))]
    batch: u32,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    access: TenantAccess,
}

impl Import {
    pub(super) async fn run(self) -> Result<()> {
        let remote = Remote::of_tenant(&self.access)?;
        let text = transcript::text(&self.file)?;
        if self.format.is_none()
            && let Some(export) = Export::read(&text).with_context(|| self.file.display().to_string())?
        {
            return self.restore(remote, &export).await;
        }
        let read = transcript::parse(&self.file, &text, self.format)?;
        let stored = self.stored(&remote, &read).await?;
        let remote = remote.patient();
        let total = read.messages.len();
        // Only drawn on a terminal.
        let progress = ProgressBar::new(u64::try_from(total).unwrap_or(u64::MAX));
        progress.set_style(ProgressStyle::with_template("{bar:40} {pos} of {len} messages, {eta} left")?);
        let appended = self.append(&remote, &read, stored, &progress).await;
        progress.finish_and_clear();
        appended?;
        self.print_result(stored, &read)
    }

    /// How many messages the session has already; the last of them must be the one that the transcript has at its place.
    async fn stored(&self, remote: &Remote, transcript: &Transcript) -> Result<usize> {
        let ours = |at: usize| transcript.messages.get(at).map(|message| message.raw.as_str());
        let session = ["v1", "sessions", self.session.as_str()];
        let reply = remote.get(&session, &[], None).await?;
        match reply.status.as_u16() {
            200 => {}
            404 => return Ok(0),
            _ => return Err(remote.refusal(&reply)),
        }
        let head = reply
            .json()
            .get("head_seq")
            .and_then(Value::as_i64)
            .context("the session's reply has no head_seq")?;
        let count = usize::try_from(head).unwrap_or_default();
        if count == 0 {
            return Ok(0);
        }
        let Some(ours) = count.checked_sub(1).and_then(ours) else {
            bail!("the session `{}` has {count} messages, more than the file", self.session);
        };
        let at = [("from_seq", head.to_string()), ("to_seq", head.to_string())];
        let messages = ["v1", "sessions", self.session.as_str(), "messages"];
        let reply = remote.get(&messages, &at, None).await?;
        let ours: Value = serde_json::from_str(ours)?;
        if reply.json().pointer("/items/0/message") != Some(&ours) {
            bail!("the session `{}` has other messages: its message {head} is not the file's", self.session);
        }
        Ok(count)
    }

    async fn append(
        &self,
        remote: &Remote,
        transcript: &Transcript,
        stored: usize,
        progress: &ProgressBar,
    ) -> Result<()> {
        let messages = &transcript.messages;
        let mut most = usize::try_from(self.batch).unwrap_or(usize::MAX);
        let mut at = stored;
        progress.set_position(u64::try_from(at).unwrap_or_default());
        while at < messages.len() {
            let range = transcript::batch(messages, at, most);
            let body = body(transcript, range.clone());
            let key = idempotency_key(&body);
            let path = ["v1", "sessions", self.session.as_str(), "messages"];
            let reply = remote.post(&path, Sent { body: &body, idempotency_key: Some(&key) }).await?;
            match reply.status.as_u16() {
                201 => {
                    at = range.end;
                    progress.set_position(u64::try_from(at).unwrap_or_default());
                }
                // The service accepts less at once.
                413 if range.len() > 1 => most = range.len() / 2,
                _ => {
                    let line = messages.get(range.start).map_or(0, |message| message.line);
                    let file = self.file.display();
                    bail!(
                        "{file}, line {line}: messages {} to {} were refused: {}; those before are stored",
                        range.start + 1,
                        range.end,
                        remote.refusal(&reply)
                    );
                }
            }
        }
        Ok(())
    }

    /// Restores an export, in as many pieces as it takes. A piece that an interrupted import has stored is answered as then.
    async fn restore(&self, remote: Remote, export: &Export<'_>) -> Result<()> {
        let remote = remote.patient();
        let path = ["v1", "sessions", self.session.as_str(), "import"];
        let most = usize::try_from(self.batch).unwrap_or(usize::MAX);
        let (mut all, mut before) = ([0; COUNTS.len()], 0);
        for (piece, is_last) in export.pieces(most) {
            let key = idempotency_key(&piece);
            let sent = Sent { body: &piece, idempotency_key: Some(&key) };
            let reply = remote.post_lines(&path, ("partial", !is_last), sent).await?;
            if !reply.status.is_success() {
                let file = self.file.display();
                bail!("{file} was refused: {}; pieces before are stored", remote.refusal(&reply));
            }
            let counts: Value = serde_json::from_str(&reply.text).context("the import's reply")?;
            let count = |name: &str| usize::try_from(counts.get(name)?.as_u64()?).ok();
            if reply.headers.contains_key("idempotent-replayed") {
                before += count("messages").unwrap_or_default();
            }
            for (sum, name) in all.iter_mut().zip(COUNTS) {
                *sum += count(name).with_context(|| format!("the import's reply: no {name}"))?;
            }
        }
        let [messages, branches, versions, probes, evaluations, compressions] = all;
        if self.output.json {
            return output::print_json(&json!({
                "session_id": self.session,
                "format": "export",
                "messages": messages,
                "appended": messages - before,
                "branches": branches,
                "versions": versions,
                "probes": probes,
                "evaluations": evaluations,
                "compressions": compressions,
            }));
        }
        let told = self::before(before, messages);
        output::print(&format!("session {}: {messages} messages (export){told}\n", self.session))?;
        let parts = [
            ("branches beside main", branches),
            ("versions", versions),
            ("probes", probes),
            ("evaluations", evaluations),
            ("compressions", compressions),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| format!("{name} ({count})"))
            .collect();
        if parts.is_empty() { Ok(()) } else { output::print(&format!("with {}\n", parts.join(", "))) }
    }

    fn print_result(&self, stored: usize, read: &Transcript) -> Result<()> {
        let (session, total) = (&self.session, read.messages.len());
        if self.output.json {
            return output::print_json(&json!({
                "session_id": session,
                "format": read.log.as_ref(),
                "messages": total,
                "appended": total.saturating_sub(stored),
                "left_out": read.left_out,
            }));
        }
        let before = before(stored, total);
        output::print(&format!("session {session}: {total} messages ({}){before}\n", read.log.as_ref()))?;
        match read.told_left_out() {
            Some(told) => output::print(&format!("left out (not messages): {told}\n")),
            None => Ok(()),
        }
    }
}

fn before(stored: usize, total: usize) -> String {
    match stored {
        0 => String::new(),
        all if all == total => ", all already stored".to_owned(),
        some => format!(", {some} of them already stored"),
    }
}

fn body(transcript: &Transcript, range: Range<usize>) -> String {
    let next = range.start + 1;
    let batch = transcript.messages.get(range).unwrap_or_default();
    let messages: Vec<&str> = batch.iter().map(|message| message.raw.as_str()).collect();
    let format = transcript.format.as_ref();
    let messages = messages.join(",");
    format!("{{\"format\":\"{format}\",\"expected_next_seq\":{next},\"messages\":[{messages}]}}")
}

/// The same batch has the same key, so that it is not appended twice when its reply was lost.
fn idempotency_key(body: &str) -> String {
    let digest: [u8; 32] = Sha256::digest(body).into();
    let number = u128::from_be_bytes(digest.first_chunk().copied().unwrap_or_default());
    format!("import-{number:032x}")
}

#[cfg(test)]
mod tests {
    use super::super::transcript::{BATCH_BYTES, batch};
    use super::*;
    use anchord_messages::transcript::read;

    #[test]
    fn batches_cover_every_message_and_keep_their_bounds() {
        let long = "x".repeat(BATCH_BYTES / 2);
        let texts = ["a", &long, &long, &long, "b", "c"]
            .map(|text| format!(r#"{{"role":"user","content":"{text}"}}"#));
        let transcript = read(&format!("[{}]", texts.join(",")), None, None).expect("a transcript");
        let mut at = 0;
        let mut ends = Vec::new();
        while at < transcript.messages.len() {
            let range = batch(&transcript.messages, at, 2);
            assert!(body(&transcript, range.clone()).len() <= BATCH_BYTES * 2);
            at = range.end;
            ends.push(at);
        }
        assert_eq!(ends, [2, 3, 5, 6]);
        let body = body(&transcript, 4..6);
        let sent: Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!(
            (&sent["expected_next_seq"], sent["messages"].as_array().map(Vec::len)),
            (&5.into(), Some(2))
        );
        assert_eq!(idempotency_key(&body).len(), 39);
    }
}
