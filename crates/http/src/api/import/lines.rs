//! Makes the parts of an import of its lines.

use super::documents::{
    check_time, read_compression, read_evaluation, read_facts, read_own, read_probes, read_version, under,
};
use crate::admission::quotas::BatchSize;
use crate::api::batch::{MarkedComponent, marked, read_message};
use crate::api::export::{ExportLine, FORMAT_VERSION, LineKind};
use crate::api::messages::batch_size;
use crate::api::prelude::*;
use crate::extract::json::parse;
use crate::limits::Limits;
use anchord_messages::format::Format;
use anchord_messages::format::detect::{BatchFormat, Detector};
use anchord_messages::tokens::{TokenCounter, Tokenizer};
use anchord_store::gather::{Append, NewMessage};
use anchord_store::import::{Begun, Brings, Part};

/// A parsed and checked import.
pub(super) struct Import {
    pub(super) parts: Vec<Part>,
    /// Size of the messages of each append.
    pub(super) sizes: Vec<BatchSize>,
    pub(super) is_ended: bool,
    pub(super) lines: usize,
}

impl Import {
    /// The settings of the session, if the import brings it.
    pub(super) fn settings(&self) -> Option<&Map<String, Value>> {
        let first = self.parts.first()?;
        if let Brings::Session(_, settings, _) = &first.brings { Some(settings) } else { None }
    }
}

/// What lines are read with.
pub(super) struct Reading<'a> {
    pub(super) tenant: TenantId,
    pub(super) session: SessionName,
    pub(super) tokenizer: Tokenizer,
    pub(super) so_far: Option<Format>,
    pub(super) now: DateTime<Utc>,
    pub(super) limits: &'a Limits,
}

impl Reading<'_> {
    pub(super) fn read(&self, bytes: &[u8]) -> Result<Import> {
        let mut lines: Vec<ExportLine> = Vec::new();
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
            let at = lines.len();
            let line: ExportLine = parse(line).map_err(|refused| within(at, refused))?;
            if lines.last().is_some_and(|before| before.kind == LineKind::End) {
                return Err(ApiError::invalid(format!("/{at}/kind"), "nothing may follow the end"));
            }
            // A branch or a version costs as much as some messages.
            if at == self.limits.batch_messages {
                let limit = self.limits.batch_messages;
                let what = "the import (cut it between lines)".to_owned();
                return Err(ApiError::TooLarge { what, limit, unit: "lines" });
            }
            lines.push(line);
        }
        let is_ended = match lines.last() {
            None => return Err(ApiError::invalid("", "must hold at least one line")),
            Some(last) => last.kind == LineKind::End,
        };
        let unstated = detect_lines(&lines)?.resolve(self.so_far);
        let mut import = Import { parts: Vec::new(), sizes: Vec::new(), is_ended, lines: lines.len() };
        for (at, line) in lines.into_iter().enumerate() {
            let branch = line.branch.clone().unwrap_or_else(BranchName::main);
            if line.kind == LineKind::Message {
                self.read_message((at, branch), line, unstated, &mut import.parts)?;
                continue;
            }
            let brings = read_line(at, line).map_err(|refused| within(at, refused))?;
            import.parts.push(Part { line: at, branch, brings });
        }
        for part in &import.parts {
            if let Brings::Messages(append, _) = &part.brings {
                import.sizes.push(batch_size(&append.messages));
            }
        }
        Ok(import)
    }

    /// Reads a message into the append of those before it, or a new one.
    fn read_message(
        &self,
        (at, branch): (usize, BranchName),
        line: ExportLine,
        unstated: Format,
        parts: &mut Vec<Part>,
    ) -> Result<()> {
        let missing = |field: &str| ApiError::invalid(format!("/{at}/{field}"), "is missing");
        let seq = line.seq.ok_or_else(|| missing("seq"))?;
        let before = match parts.last_mut() {
            Some(Part { branch: of, brings: Brings::Messages(append, times), .. }) if *of == branch => {
                Some((append, times))
            }
            _ => None,
        };
        let follows = before.as_ref().is_none_or(|(append, times)| {
            let count = Seq::try_from(times.len()).unwrap_or(Seq::MAX);
            append.expected_next_seq.is_some_and(|first| first.checked_add(count) == Some(seq))
        });
        if seq < 1 || !follows {
            return Err(ApiError::invalid(format!("/{at}/seq"), "must follow the message before it"));
        }
        let format = line.format.unwrap_or(unstated);
        let body = line.message.ok_or_else(|| missing("message"))?;
        if body.get().len() > self.limits.message_bytes {
            let limit = self.limits.message_bytes;
            return Err(ApiError::TooLarge {
                what: format!("the message of line {at}"),
                limit,
                unit: "bytes",
            });
        }
        let counter = TokenCounter::new(self.tokenizer);
        let mut message = read_message(&format!("/{at}/message"), body, format, counter)?;
        let component = match line.component.as_deref() {
            None => None,
            Some("retrieved_documents") => Some(MarkedComponent::RetrievedDocuments),
            Some(_) => return Err(ApiError::invalid(format!("/{at}/component"), "unknown component")),
        };
        marked(&mut message, line.keep, component);
        if let Some(stored) = line.created_at {
            check_time("/created_at", stored).map_err(|refused| within(at, refused))?;
        }
        if let Some((append, times)) = before {
            append.messages.push(message);
            append.format = BatchFormat::Stated(format);
            times.push(line.created_at);
            return Ok(());
        }
        let append = self.append(seq, format, message, &branch);
        parts.push(Part {
            line: at,
            branch,
            brings: Brings::Messages(Box::new(append), vec![line.created_at]),
        });
        Ok(())
    }

    fn append(&self, first: Seq, format: Format, message: NewMessage, branch: &BranchName) -> Append {
        Append {
            model: None,
            opening: None,
            tenant: self.tenant,
            session: SessionRef { name: self.session.clone(), branch: Some(branch.clone()) },
            messages: vec![message],
            format: BatchFormat::Stated(format),
            tokenizer: self.tokenizer,
            expected_next_seq: Some(first),
            task_boundary: false,
            now: self.now.timestamp(),
            reply_key: None,
            included: anchord_store::gather::Included::default(),
            is_imported: true,
        }
    }
}

/// Detects the format of the messages that state none; the others are checked against theirs.
fn detect_lines(lines: &[ExportLine]) -> Result<BatchFormat> {
    let mut unstated = Detector::new(None);
    for (at, line) in lines.iter().enumerate() {
        let Some(message) = &line.message else { continue };
        if !message.get().starts_with('{') {
            return Err(ApiError::invalid(format!("/{at}/message"), "must be an object"));
        }
        let looked = match line.format {
            None => unstated.look(at, message.get()),
            stated => Detector::new(stated).look(at, message.get()),
        };
        looked
            .map_err(|refused| ApiError::invalid(format!("{}/message", refused.pointer), refused.detail))?;
    }
    Ok(unstated.finish())
}

/// Reads a line that is no message; its errors lack its position.
fn read_line(at: usize, mut line: ExportLine) -> Result<Brings> {
    let missing = |field: &str| ApiError::invalid(format!("/{field}"), "is missing");
    match line.kind {
        LineKind::Session if at > 0 || line.branch.is_some() => {
            Err(ApiError::invalid("/kind", "the session is the first line, and one"))
        }
        LineKind::Session if line.format_version != Some(FORMAT_VERSION) => {
            let detail = format!(
                "must be {FORMAT_VERSION}: this is no export of a version of anchord that this one reads"
            );
            Err(ApiError::invalid("/format_version", detail))
        }
        LineKind::Session => {
            let settings = line.settings.take().unwrap_or_default();
            let created_at = line.created_at;
            created_at.map_or(Ok(()), |at| check_time("/created_at", at))?;
            Ok(Brings::Session(Box::new(read_own(line)?), settings, created_at))
        }
        LineKind::Branch => {
            let from = line.from.take().ok_or_else(|| missing("from"))?;
            let created_at = line.created_at.ok_or_else(|| missing("created_at"))?;
            check_time("/created_at", created_at)?;
            let begun = Begun { from, with: line.begun_with.take(), created_at };
            Ok(Brings::Branch(Box::new(read_own(line)?), Box::new(begun)))
        }
        LineKind::Version => {
            let version = line.version.ok_or_else(|| missing("version"))?;
            let (meta, version) = read_version(version).map_err(|refused| under("/version", refused))?;
            Ok(Brings::Version(Box::new(meta), Box::new(version)))
        }
        LineKind::Facts => read_facts(line.facts.ok_or_else(|| missing("facts"))?),
        LineKind::Probes => read_probes(line.probes.ok_or_else(|| missing("probes"))?),
        LineKind::Evaluation => {
            let evaluation = line.evaluation.ok_or_else(|| missing("evaluation"))?;
            read_evaluation(evaluation).map_err(|refused| under("/evaluation", refused))
        }
        LineKind::Compression => {
            let compression = line.compression.ok_or_else(|| missing("compression"))?;
            read_compression(compression).map_err(|refused| under("/compression", refused))
        }
        LineKind::Counts => Ok(Brings::Counts(Box::new(line.counts.ok_or_else(|| missing("counts"))?))),
        LineKind::End => Ok(Brings::End {
            messages: line.messages.unwrap_or_default(),
            current: line.current.unwrap_or_else(BranchName::main),
            erased: line.erased.unwrap_or_default(),
        }),
        LineKind::Message => Err(missing("message")),
    }
}

/// Adds the position of the line to the pointer of its error.
fn within(at: usize, refused: ApiError) -> ApiError {
    under(&format!("/{at}"), refused)
}
