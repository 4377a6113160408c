//! The text for a sub-agent's prompt: level-3 headings, to be put under a heading of the caller's.

use super::anchored;
use super::content::title;
use super::markdown::{Layout, Shape};

/// The sections that have something to show, below a line that says where they come from.
pub(super) fn layout(origin: &str) -> Layout {
    let sections =
        anchored::ORDER.into_iter().map(|section| Shape::new(section, format!("### {}", title(section))));
    Layout {
        title: origin.to_owned(),
        sections: sections.collect(),
        tells_empty: false,
        ..anchored::layout()
    }
}
