//! The state style: JSON for a session state file.

use serde_json::{Map, Value, json};

use super::super::section::Section;
use super::super::summary::ModifiedFile;
use super::escape::{self, short};
use super::rendering::{Count, Cut, Rendering, Subject};
use anchord_facts::ledger::FileAction;
use anchord_messages::rounded::four;

/// How many entries and characters are included.
#[derive(Clone, Copy)]
struct Limits {
    files: usize,
    changes: usize,
    decisions: usize,
    steps: usize,
    chars: usize,
}

/// The bound of a document when none is named, in tokens: the format's own.
pub const STATE_TOKENS: u32 = 500;

/// Renders within the bound, which the document names as its budget, with fewer entries each time until it fits.
pub(super) fn render(subject: &Subject<'_>, bound: u32, count: Count<'_>) -> Rendering {
    let room = bound as usize;
    let ranked = ranked_files(&subject.summary.files_modified);
    let mut limits =
        Limits { files: room / 6 + 1, changes: 4, decisions: room / 40 + 1, steps: 20, chars: room.max(80) };
    loop {
        let (doc, cut) = document(subject, &ranked, (limits, bound));
        // Indentation is a third of it, and a loader of such files does not need it.
        let texts = [serde_json::to_string_pretty(&doc), serde_json::to_string(&doc)];
        for text in texts.into_iter().flatten() {
            // Counted only when it may fit: a token rarely has more than 16 bytes.
            let tokens = if text.len() / 16 > room { u32::MAX } else { count(&text) };
            if tokens <= bound {
                return Rendering { text, tokens, cut, sections: Vec::new() };
            }
        }
        if limits.files == 0 && limits.chars <= 8 {
            // Not even the empty document fits, and half a document would be worse than none.
            return Rendering { text: String::new(), tokens: count(""), cut, sections: Vec::new() };
        }
        limits = Limits {
            files: if limits.changes > 0 { limits.files * 9 / 10 } else { limits.files * 3 / 4 },
            changes: limits.changes.saturating_sub(1),
            decisions: limits.decisions * 3 / 4,
            steps: limits.steps * 3 / 4,
            chars: limits.chars * 3 / 4,
        };
    }
}

fn document(
    subject: &Subject<'_>,
    ranked: &[(usize, &ModifiedFile)],
    (limits, bound): (Limits, u32),
) -> (Value, Vec<Cut>) {
    let summary = subject.summary;
    let time = anchord_messages::time::text;
    let text = |t: &str| short(t, limits.chars);
    let mut cut = Vec::new();
    let mut note = |section, all: usize, shown: usize| {
        if all > shown {
            cut.push(Cut { section, omitted: all - shown, shortened: 0 });
        }
    };

    let mut files: Vec<_> = ranked.iter().take(limits.files).copied().collect();
    files.sort_by_key(|(order, _)| *order);
    note(Section::FilesModified, summary.files_modified.len(), files.len());
    let mut by_path = Map::new();
    for (_, file) in files {
        let from = file.changes.len().saturating_sub(limits.changes);
        let mut changes: Vec<String> =
            file.changes.iter().skip(from).map(|c| short(c, limits.chars.min(200))).collect();
        // The document has no field for the action, so it is written as the change when no change is known.
        match (file.action, &file.renamed_from) {
            (FileAction::Renamed, Some(old)) => {
                changes.insert(0, format!("renamed from {}", escape::line(old)));
            }
            (FileAction::Deleted, _) => changes.push(file.action.as_str().to_owned()),
            _ if changes.is_empty() => changes.push(file.action.as_str().to_owned()),
            _ => {}
        }
        by_path.insert(file.path.clone(), json!(changes));
    }

    let from = summary.decisions_made.len().saturating_sub(limits.decisions);
    let decisions: Vec<Value> = summary
        .decisions_made
        .iter()
        .skip(from)
        .map(|d| json!({"decision": text(&d.decision), "rationale": text(&d.rationale)}))
        .collect();
    note(Section::DecisionsMade, summary.decisions_made.len(), decisions.len());
    let steps: Vec<String> = summary.next_steps.iter().take(limits.steps).map(|s| text(s)).collect();
    note(Section::NextSteps, summary.next_steps.len(), steps.len());
    let blockers: Vec<String> = summary.blockers.iter().take(limits.steps).map(|b| text(&b.text)).collect();
    note(Section::Blockers, summary.blockers.len(), blockers.len());

    let state = &summary.current_state;
    let task = state.task.as_deref().filter(|t| !t.trim().is_empty()).unwrap_or(&summary.session_intent);
    let status = if summary.blockers.is_empty() { "in_progress" } else { "blocked" };
    let words = if state.text.trim().is_empty() { task } else { &state.text };
    let mut compression_state = json!({
        "summary": {
            "session_intent": text(&summary.session_intent),
            "files_modified": by_path,
            "decisions_made": decisions,
            "current_state": text(words),
            "blockers": blockers,
            "next_steps": steps,
        },
        "compression_count": subject.meta.compression_count,
        "last_compressed_at": time(subject.meta.last_compressed_at),
        "probe_score": subject.meta.probe_score.map(four),
    });
    let omitted: Map<String, Value> =
        cut.iter().map(|c| (c.section.as_str().to_owned(), json!(c.omitted))).collect();
    if !omitted.is_empty()
        && let Some(object) = compression_state.as_object_mut()
    {
        object.insert("omitted".to_owned(), Value::Object(omitted));
    }
    let doc = json!({
        "$schema": "context://session/v1",
        "_meta": {"position": "END", "token_budget": bound, "auto_load": "always", "compress": "on_threshold"},
        "session_id": escape::name(subject.session_id),
        "started": time(subject.started),
        "last_activity": time(subject.last_activity),
        "current_task": {"description": text(task), "status": status},
        "next_steps": steps,
        "blockers": blockers,
        "compression_state": compression_state,
    });
    (doc, cut)
}

/// The files with their indexes in the summary, the latest first.
fn ranked_files(files: &[ModifiedFile]) -> Vec<(usize, &ModifiedFile)> {
    let mut ranked: Vec<(usize, &ModifiedFile)> = files.iter().enumerate().collect();
    ranked.sort_by_key(|(order, f)| {
        (f.transient, std::cmp::Reverse((f.seqs.last().copied().unwrap_or(0), *order)))
    });
    ranked
}
