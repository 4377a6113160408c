//! The default style: what the agent reads.

use super::super::section::Section;
use super::content::{ListShape, title};
use super::files::FilesShape;
use super::markdown::{Layout, Shape};

/// The sections in the order of the text.
pub(super) const ORDER: [Section; 15] = [
    Section::SessionIntent,
    Section::FilesModified,
    Section::DecisionsMade,
    Section::CurrentState,
    Section::Blockers,
    Section::OpenQuestions,
    Section::NextSteps,
    Section::Errors,
    Section::TestResults,
    Section::Findings,
    Section::Things,
    Section::Constraints,
    Section::FilesRead,
    Section::Requests,
    Section::Notes,
];

/// The sections in the order of the text that contexts are served: those first that a compression changes least, so that a
/// provider's cache keeps them, and the constraints last, next to the messages that follow.
const SERVED_ORDER: [Section; 15] = [
    Section::SessionIntent,
    Section::DecisionsMade,
    Section::Requests,
    Section::Findings,
    Section::Things,
    Section::FilesModified,
    Section::FilesRead,
    Section::TestResults,
    Section::CurrentState,
    Section::Errors,
    Section::Blockers,
    Section::OpenQuestions,
    Section::NextSteps,
    Section::Notes,
    Section::Constraints,
];

/// The intent always, the other sections when they are not empty; a line at the end names those that are.
pub(super) fn layout() -> Layout {
    of(ORDER)
}

/// The same in the order that contexts are served, where the constraints say that they bind: a list of what was demanded is
/// read as a report.
pub(super) fn served_layout() -> Layout {
    let mut layout = of(SERVED_ORDER);
    let constraints = layout.sections.iter_mut().filter(|shape| shape.section == Section::Constraints);
    constraints.for_each(|shape| shape.heading.push_str(" (binding)"));
    layout
}

fn of(order: [Section; 15]) -> Layout {
    let sections = order.into_iter().map(|section| {
        let shape = Shape::new(section, format!("## {}", title(section)));
        if section == Section::SessionIntent { shape.or("None recorded.") } else { shape }
    });
    Layout {
        title: String::new(),
        sections: sections.collect(),
        first: &[],
        files: FilesShape::List,
        decisions: ListShape::Bullets,
        state_labels: ["Phase: ", "Task: ", ""],
        fenced_error: false,
        tells_empty: true,
    }
}
