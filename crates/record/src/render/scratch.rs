//! The scratch style: short Markdown for a scratch pad, headed by the version's time.

use super::super::section::Section;
use super::content::ListShape;
use super::files::FilesShape;
use super::markdown::{Layout, Shape};
use super::rendering::Subject;

/// State, files, key decisions, the current error, next steps; constraints when there are any.
pub(super) fn layout(subject: &Subject<'_>) -> Layout {
    let at = anchord_messages::time::text(subject.meta.last_compressed_at);
    Layout {
        title: format!("## Session Summary ({at})"),
        sections: vec![
            Shape::new(Section::CurrentState, "### State").or("None recorded."),
            Shape::new(Section::FilesModified, "### Files Modified")
                .or("| File | Change | Status |\n|---|---|---|\n| none | | |")
                .table("| File | Change | Status |\n|---|---|---|"),
            Shape::new(Section::DecisionsMade, "### Key Decisions").or("None recorded."),
            Shape::new(Section::Errors, "### Current Error").or("None."),
            Shape::new(Section::NextSteps, "### Next Steps").or("None recorded."),
            Shape::new(Section::Constraints, "### Constraints"),
        ],
        first: &[],
        files: FilesShape::StatusTable,
        decisions: ListShape::Bullets,
        state_labels: ["- Phase: ", "- Current task: ", "- "],
        fenced_error: true,
        tells_empty: false,
    }
}
