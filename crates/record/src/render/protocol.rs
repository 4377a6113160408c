//! The protocol style: tables under the task's name.

use super::super::section::Section;
use super::content::ListShape;
use super::escape;
use super::files::FilesShape;
use super::markdown::{Layout, Shape};
use super::rendering::Subject;

/// Level-3 sections under `## Session Summary — {task_id}`.
pub(super) fn layout(subject: &Subject<'_>) -> Layout {
    let task = escape::name(subject.task_id.unwrap_or(subject.session_id));
    Layout {
        title: format!("## Session Summary — {task}"),
        sections: vec![
            Shape::new(Section::SessionIntent, "### Session Intent").or("None recorded."),
            Shape::new(Section::FilesModified, "### Files Modified")
                .or("None.")
                .table("| File | Action | What Changed |\n|---|---|---|"),
            Shape::new(Section::FilesRead, "### Files Read (Not Modified)").or("None."),
            Shape::new(Section::DecisionsMade, "### Decisions Made").or("None recorded."),
            Shape::new(Section::CurrentState, "### Current State").or("None recorded."),
            Shape::new(Section::NextSteps, "### Next Steps").or("None recorded."),
            Shape::new(Section::Errors, "### Error Context").or("None."),
            Shape::new(Section::Blockers, "### Blockers"),
            Shape::new(Section::TestResults, "### Test Results"),
            Shape::new(Section::OpenQuestions, "### Open Questions"),
            Shape::new(Section::Findings, "### Findings"),
            Shape::new(Section::Things, "### Things"),
            Shape::new(Section::Constraints, "### Constraints"),
            Shape::new(Section::Requests, "### Earlier Requests"),
            Shape::new(Section::Notes, "### Notes"),
        ],
        first: &[],
        files: FilesShape::ActionTable,
        decisions: ListShape::Numbers,
        state_labels: ["Phase: ", "Task: ", ""],
        fenced_error: false,
        tells_empty: false,
    }
}
