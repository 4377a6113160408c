//! What an agent reads follows the phase of its work: which sections come first, under which names, and
//! about how many words there are. The record is the same in every phase, so that a change of phase
//! loses nothing.

use super::super::section::Section;
use super::super::settings::Phase;
use super::anchored;
use super::markdown::{Look, Shape};

/// The most tokens that a version of a phase is rendered in: about 1,000 words of research, 2,000 of a plan.
#[must_use]
pub fn phase_bound(phase: Option<Phase>) -> u32 {
    match phase {
        Some(Phase::Research) => 1_300,
        Some(Phase::Planning) => 2_600,
        Some(Phase::Implementation) | None => u32::MAX,
    }
}

/// The look of what contexts serve.
pub(super) fn look(phase: Option<Phase>) -> Look {
    match phase {
        Some(Phase::Research) => shaped(
            &[
                (Section::SessionIntent, "Problem"),
                (Section::TechnicalContext, "Findings"),
                (Section::DecisionsMade, "Conclusions"),
                (Section::FilesRead, "Paths Looked At"),
                (Section::FilesModified, "Files Modified"),
                (Section::Constraints, "Constraints"),
                (Section::Blockers, "Open Questions"),
                (Section::Errors, "Errors"),
                (Section::CurrentState, "Current State"),
                (Section::NextSteps, "Next Steps"),
                (Section::TestResults, "Test Results"),
                (Section::IntentHistory, "Earlier Problems"),
            ],
            &[
                (Section::TechnicalContext, 4),
                (Section::FilesRead, 8),
                (Section::DecisionsMade, 8),
                (Section::Blockers, 12),
            ],
        ),
        Some(Phase::Planning) => shaped(
            &[
                (Section::SessionIntent, "Session Intent"),
                (Section::TechnicalContext, "Signatures, Types, Contracts and Data Models"),
                (Section::DecisionsMade, "Decisions Made"),
                (Section::Constraints, "Constraints"),
                (Section::FilesModified, "Files Modified"),
                (Section::FilesRead, "Files Read"),
                (Section::CurrentState, "Current State"),
                (Section::Blockers, "Open Questions"),
                (Section::NextSteps, "Next Steps"),
                (Section::Errors, "Errors"),
                (Section::TestResults, "Test Results"),
                (Section::IntentHistory, "Earlier Intents"),
            ],
            &[(Section::TechnicalContext, 3), (Section::DecisionsMade, 6)],
        ),
        Some(Phase::Implementation) | None => anchored::look(),
    }
}

fn shaped(sections: &[(Section, &str)], first: &'static [(Section, u32)]) -> Look {
    let shape = |(section, title): &(Section, &str)| {
        let shape = Shape::new(*section, format!("## {title}"));
        match section {
            Section::SessionIntent
            | Section::DecisionsMade
            | Section::TechnicalContext
            | Section::FilesModified
            | Section::CurrentState
            | Section::NextSteps => shape.or("None yet."),
            Section::FilesRead
            | Section::Constraints
            | Section::Blockers
            | Section::Errors
            | Section::TestResults
            | Section::IntentHistory => shape,
        }
    };
    Look { sections: sections.iter().map(shape).collect(), first, ..anchored::look() }
}
