//! The strict style: as anchored, and an empty section says that it is empty.

use super::super::section::Section;
use super::anchored;
use super::markdown::{Layout, Shape};

/// Every forced section, with its sentence for when there is nothing to show.
pub(super) fn layout() -> Layout {
    let mut layout = anchored::layout();
    let sections = layout.sections.into_iter().map(|shape| match empty(shape.section) {
        Some(sentence) => shape.or(sentence),
        None => shape,
    });
    layout.sections = sections.collect::<Vec<Shape>>();
    layout.tells_empty = false;
    layout
}

fn empty(section: Section) -> Option<&'static str> {
    match section {
        Section::SessionIntent => Some("No session intent stated yet."),
        Section::FilesModified => Some("No files modified."),
        Section::DecisionsMade => Some("No decisions made yet."),
        Section::CurrentState => Some("No current state recorded."),
        Section::Blockers => Some("No current blockers."),
        Section::NextSteps => Some("No next steps recorded."),
        Section::Errors => Some("No significant errors encountered."),
        Section::TestResults => Some("No test runs recorded."),
        Section::OpenQuestions => Some("No open questions."),
        Section::Findings => Some("No findings recorded."),
        Section::Things => Some("No things recorded."),
        Section::Constraints => Some("No constraints set."),
        Section::FilesRead => Some("No files read without being modified."),
        // Not forced.
        Section::Requests | Section::Notes => None,
    }
}
