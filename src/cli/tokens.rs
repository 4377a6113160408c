//! `anchord tokens`: counts the tokens of a text or of messages.

use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};

use super::output::{count_at, counted};
use super::prelude::*;
use super::remote::Sent;
use super::transcript::{self, FileFormat};

/// Arguments of `tokens`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  anchord tokens README.md
  git diff | anchord tokens
  anchord tokens --messages session.json --json")]
pub(super) struct TokensCommand {
    /// File to count; - for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
    /// Count the file's messages, including each message's overhead; otherwise the file is one text
    #[arg(long)]
    messages: bool,
    /// Format of the messages; detected from the file if not given
    #[arg(long, value_name = "FORMAT", requires = "messages")]
    format: Option<FileFormat>,
    /// Tokenizer [default: that of the service]
    #[arg(long, value_name = "TOKENIZER")]
    tokenizer: Option<NamedTokenizer>,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    access: TenantAccess,
}

/// The tokenizers, by their names on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum NamedTokenizer {
    /// OpenAI's newer models
    #[value(name = "o200k_base")]
    O200kBase,
    /// OpenAI's older models
    #[value(name = "cl100k_base")]
    Cl100kBase,
    /// An estimate by kinds of characters, for models whose tokenizer is not public
    #[value(name = "estimate")]
    Estimate,
}

impl TokensCommand {
    pub(super) async fn run(self) -> Result<()> {
        let remote = Remote::of_tenant(&self.access)?;
        let counts = if self.messages {
            self.count_messages(&remote).await?
        } else {
            self.count_text(&remote).await?
        };
        if self.output.json {
            return output::print_json(&counts);
        }
        let tokens = count_at(&counts, "/tokens").unwrap_or_default();
        if !output::is_terminal() {
            return output::print(&format!("{tokens}\n"));
        }
        let messages = counts.get("per_message").and_then(Value::as_array);
        let messages = messages.and_then(|counts| u64::try_from(counts.len()).ok());
        let of = messages.map(|count| format!(" in {}", counted(count, "message"))).unwrap_or_default();
        output::print(&format!("{}{of}\n", counted(tokens, "token")))
    }

    async fn count_text(&self, remote: &Remote) -> Result<Value> {
        let text = transcript::text(&self.file)?;
        let mut body = json!({"text": text});
        self.name_tokenizer(&mut body);
        count(remote, &body.to_string()).await
    }

    /// Counts in batches that the service accepts, and adds them up.
    async fn count_messages(&self, remote: &Remote) -> Result<Value> {
        let read = transcript::read(&self.file, self.format)?;
        let total = u64::try_from(read.messages.len()).unwrap_or(u64::MAX);
        // Only drawn on a terminal.
        let progress = ProgressBar::new(total);
        progress.set_style(ProgressStyle::with_template("{bar:40} {pos} of {len} messages")?);
        let (mut tokens, mut per_message) = (0, Vec::new());
        let mut at = 0;
        while at < read.messages.len() {
            let range = transcript::batch(&read.messages, at, transcript::MOST_MESSAGES);
            at = range.end;
            let batch = read.messages.get(range).unwrap_or_default();
            let messages: Vec<&str> = batch.iter().map(|message| message.raw.as_str()).collect();
            let mut rest = json!({"format": read.format.as_ref()});
            self.name_tokenizer(&mut rest);
            let rest = rest.to_string();
            // The messages are sent as they are in the file.
            let body = format!("{},\"messages\":[{}]}}", rest.trim_end_matches('}'), messages.join(","));
            let counts = count(remote, &body).await?;
            tokens += count_at(&counts, "/tokens").unwrap_or_default();
            per_message
                .extend(counts.get("per_message").and_then(Value::as_array).into_iter().flatten().cloned());
            progress.set_position(u64::try_from(at).unwrap_or(u64::MAX));
        }
        progress.finish_and_clear();
        Ok(json!({"tokens": tokens, "per_message": per_message}))
    }

    fn name_tokenizer(&self, body: &mut Value) {
        if let (Some(tokenizer), Some(body)) = (self.tokenizer, body.as_object_mut()) {
            body.insert("tokenizer".to_owned(), word(&tokenizer).into());
        }
    }
}

async fn count(remote: &Remote, body: &str) -> Result<Value> {
    let reply = remote.post(&["v1", "tokens"], Sent { body, idempotency_key: None }).await?;
    if reply.status.is_success() { Ok(reply.json()) } else { Err(remote.refusal(&reply)) }
}
