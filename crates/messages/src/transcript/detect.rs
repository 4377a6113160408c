//! Detects the kind of a log when the caller does not state it.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::{Log, lines};

/// The number of entries that are examined, because logs begin with entries about themselves.
const LOOKED_AT: usize = 50;

/// The fields of an entry that distinguish kinds of logs.
#[derive(Deserialize)]
struct Look {
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default, rename = "kind")]
    event: Option<String>,
    payload: Option<IgnoredAny>,
    record_type: Option<IgnoredAny>,
    instructions: Option<IgnoredAny>,
    id: Option<IgnoredAny>,
    timestamp: Option<IgnoredAny>,
    role: Option<IgnoredAny>,
    source: Option<IgnoredAny>,
    action: Option<IgnoredAny>,
    observation: Option<IgnoredAny>,
}

impl Look {
    fn log(&self) -> Option<Log> {
        let kind = self.kind.as_deref().unwrap_or_default();
        let is_event = self.event.as_deref().is_some_and(|event| event.ends_with("Event"));
        if is_event || self.observation.is_some() || (self.action.is_some() && self.source.is_some()) {
            Some(Log::Openhands)
        } else if self.record_type.is_some() || (self.payload.is_some() && self.kind.is_some()) {
            Some(Log::Codex)
        } else if matches!(kind, "summary" | "file-history-snapshot" | "queue-operation")
            || (matches!(kind, "user" | "assistant" | "system" | "progress") && self.role.is_none())
        {
            Some(Log::ClaudeCode)
        } else if self.role.is_some() {
            Some(Log::Messages)
        } else {
            // The first line of an early Codex rollout, in which the instructions may be null.
            let is_head = self.kind.is_none() && self.id.is_some() && self.timestamp.is_some();
            (self.instructions.is_some() || is_head).then_some(Log::Codex)
        }
    }
}

/// The fields of a whole document that distinguish kinds of logs.
#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow, default)]
    history: Option<&'a RawValue>,
    #[serde(borrow, default)]
    events: Option<&'a RawValue>,
    trajectory: Option<IgnoredAny>,
    messages: Option<IgnoredAny>,
    input: Option<IgnoredAny>,
}

pub(super) fn detect(text: &str) -> Log {
    if text.trim_start().starts_with('[') {
        return of_elements(text).unwrap_or(Log::Messages);
    }
    if let Ok(document) = serde_json::from_str::<Document<'_>>(text) {
        if document.messages.is_some() || document.input.is_some() {
            return Log::Messages;
        }
        if let Some(events) = document.events.or(document.history) {
            let log = of_elements(events.get());
            return if log == Some(Log::Openhands) { Log::Openhands } else { Log::SweAgent };
        }
        if document.trajectory.is_some() {
            return Log::SweAgent;
        }
    }
    of_entries(lines(text)).unwrap_or(Log::Messages)
}

fn of_elements(text: &str) -> Option<Log> {
    let elements: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    of_entries(elements.into_iter().map(RawValue::get)).filter(|log| *log == Log::Openhands)
}

fn of_entries<'a>(entries: impl Iterator<Item = &'a str>) -> Option<Log> {
    entries.take(LOOKED_AT).find_map(|entry| serde_json::from_str::<Look>(entry).ok()?.log())
}
