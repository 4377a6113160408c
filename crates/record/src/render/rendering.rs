//! The input of a rendering, and a rendering with a report of what its bound cut.

use std::ops::Range;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::super::section::Section;
use super::super::summary::Summary;
use super::super::version::VersionMeta;

/// Counts the tokens of a text.
pub(super) type Count<'a> = &'a dyn Fn(&str) -> u32;

/// The input of a rendering: a version and its session.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The document.
    pub summary: &'a Summary,
    /// The version's metadata.
    pub meta: &'a VersionMeta,
    /// The session's name, as the caller chose it.
    pub session_id: &'a str,
    /// The task's name, as the caller chose it.
    pub task_id: Option<&'a str>,
    /// When the session was created.
    pub started: DateTime<Utc>,
    /// When its last message arrived.
    pub last_activity: DateTime<Utc>,
}

/// Entries that the bound cut from one section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Cut {
    /// The section.
    pub section: Section,
    /// Entries that are missing.
    pub omitted: usize,
    /// Entries that are there, but not all of them.
    pub shortened: usize,
}

/// A rendered summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendering {
    /// The text.
    pub text: String,
    /// Its tokens.
    pub tokens: u32,
    /// Entries that the bound cut, in the order of the text.
    pub cut: Vec<Cut>,
    pub(super) sections: Vec<(Section, Range<usize>)>,
}

impl Rendering {
    /// The text of one section; the whole text when the style has no separate sections.
    pub fn section(&self, section: Section) -> &str {
        if self.sections.is_empty() {
            return &self.text;
        }
        let range = self.sections.iter().find(|(s, _)| *s == section).map(|(_, range)| range.clone());
        range.and_then(|r| self.text.get(r)).unwrap_or_default()
    }

    /// Whether the bound cut anything from a section.
    pub fn is_cut(&self, section: Section) -> bool {
        self.cut.iter().any(|c| c.section == section)
    }
}
