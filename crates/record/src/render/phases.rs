//! The layout for each phase of the work: the order and names of the sections, and about how many words there
//! are. The summary is the same in every phase, so that a change of phase loses nothing.

use super::super::section::Section;
use super::anchored;
use super::markdown::{Layout, Shape};
use crate::phase::Phase;

/// The most tokens of a version in a phase: about 1,000 words of research, 2,000 of a plan.
pub fn phase_bound(phase: Option<Phase>) -> u32 {
    match phase {
        Some(Phase::Research) => 1_300,
        Some(Phase::Planning) => 2_600,
        Some(Phase::Implementation) | None => u32::MAX,
    }
}

/// The layout that contexts are served.
pub(super) fn served_layout(phase: Option<Phase>) -> Layout {
    match phase {
        Some(Phase::Research | Phase::Planning) => layout(phase),
        Some(Phase::Implementation) | None => anchored::served_layout(),
    }
}

/// The layout of a rendering that somebody asks for.
pub(super) fn layout(phase: Option<Phase>) -> Layout {
    match phase {
        Some(Phase::Research) => shaped(
            &[
                (Section::SessionIntent, "Problem"),
                (Section::Findings, "Findings"),
                (Section::Things, "Things"),
                (Section::DecisionsMade, "Conclusions"),
                (Section::FilesRead, "Paths Looked At"),
                (Section::FilesModified, "Files Modified"),
                (Section::Constraints, "Constraints"),
                (Section::OpenQuestions, "Open Questions"),
                (Section::Blockers, "Blockers"),
                (Section::Errors, "Errors"),
                (Section::CurrentState, "Current State"),
                (Section::NextSteps, "Next Steps"),
                (Section::TestResults, "Test Results"),
                (Section::Requests, "Earlier Requests"),
                (Section::Notes, "Notes"),
            ],
            &[
                (Section::Findings, 6),
                (Section::Things, 4),
                (Section::FilesRead, 8),
                (Section::DecisionsMade, 8),
                (Section::OpenQuestions, 12),
            ],
        ),
        Some(Phase::Planning) => shaped(
            &[
                (Section::SessionIntent, "Session Intent"),
                (Section::Things, "Signatures, Types, Contracts and Data Models"),
                (Section::Findings, "Findings"),
                (Section::DecisionsMade, "Decisions Made"),
                (Section::Constraints, "Constraints"),
                (Section::FilesModified, "Files Modified"),
                (Section::FilesRead, "Files Read"),
                (Section::CurrentState, "Current State"),
                (Section::OpenQuestions, "Open Questions"),
                (Section::Blockers, "Blockers"),
                (Section::NextSteps, "Next Steps"),
                (Section::Errors, "Errors"),
                (Section::TestResults, "Test Results"),
                (Section::Requests, "Earlier Requests"),
                (Section::Notes, "Notes"),
            ],
            &[(Section::Things, 3), (Section::DecisionsMade, 6)],
        ),
        Some(Phase::Implementation) | None => anchored::layout(),
    }
}

/// Sections that are shown when they are empty too.
const SHOWN_EMPTY: [Section; 7] = [
    Section::SessionIntent,
    Section::DecisionsMade,
    Section::Things,
    Section::Findings,
    Section::FilesModified,
    Section::CurrentState,
    Section::NextSteps,
];

fn shaped(sections: &[(Section, &str)], first: &'static [(Section, u32)]) -> Layout {
    let shape = |(section, title): &(Section, &str)| {
        let shape = Shape::new(*section, format!("## {title}"));
        if SHOWN_EMPTY.contains(section) { shape.or("None recorded.") } else { shape }
    };
    Layout { sections: sections.iter().map(shape).collect(), first, ..anchored::layout() }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::super::{Style, Subject, render};
    use super::*;
    use crate::summary::{Decision, ReadFile, Remark, Summary};
    use crate::testing;
    use crate::version::VersionMeta;
    use anchord_messages::tokens::TokenCounter;

    fn large() -> Summary {
        let mut summary =
            Summary { session_intent: "Find out why uploads stall".into(), ..Summary::default() };
        summary.next_steps = vec!["Compare both clients".into()];
        for i in 0..300 {
            summary.findings.push(Remark {
                text: format!("finding {i}: the client number {i} waits for the second answer of the proxy"),
                seqs: vec![i],
                session_id: None,
            });
            summary.decisions_made.push(Decision {
                decision: format!("Rule out cause number {i}"),
                rationale: "the trace shows that it never happens".into(),
                seqs: vec![i],
                ..Decision::default()
            });
            let path = format!("src/net/part_{i}.rs");
            summary.files_read.push(ReadFile { path, reason: None, seqs: vec![i], session_id: None });
        }
        summary
    }

    fn shown(phase: Option<Phase>, summary: &Summary) -> String {
        let at = DateTime::UNIX_EPOCH;
        let meta = VersionMeta {
            through_seq: 300,
            tokens_before: 9000,
            tokens_after: 900,
            phase,
            ..testing::meta(1)
        };
        let subject =
            Subject { summary, meta: &meta, session_id: "s", task_id: None, started: at, last_activity: at };
        let counter = TokenCounter::default();
        let bound = phase_bound(phase).min(4_000);
        render(Style::Anchored, &subject, bound, |text| counter.count_text(text)).text
    }

    fn places(text: &str, headings: &[&str]) -> Vec<usize> {
        headings
            .iter()
            .map(|heading| {
                text.find(&format!("## {heading}\n")).unwrap_or_else(|| panic!("{heading}: {text}"))
            })
            .collect()
    }

    #[test]
    fn research_tells_problem_findings_and_paths_in_at_most_a_thousand_words() {
        let text = shown(Some(Phase::Research), &large());
        let places = places(&text, &["Problem", "Findings", "Conclusions", "Paths Looked At"]);
        assert!(places.is_sorted());
        let words = text.split_whitespace().count();
        assert!((500..=1_000).contains(&words), "{words} words");
    }

    #[test]
    fn a_plan_tells_contracts_first_in_one_to_two_thousand_words() {
        let text = shown(Some(Phase::Planning), &large());
        let places = places(
            &text,
            &["Session Intent", "Signatures, Types, Contracts and Data Models", "Decisions Made"],
        );
        assert!(places.is_sorted());
        let words = text.split_whitespace().count();
        assert!((1_000..=2_000).contains(&words), "{words} words");
    }

    #[test]
    fn implementation_is_the_default() {
        let summary = large();
        assert_eq!(shown(Some(Phase::Implementation), &summary), shown(None, &summary));
        assert!(shown(None, &summary).starts_with("## Session Intent"));
    }

    #[test]
    fn every_phase_has_every_section() {
        for phase in [None, Some(Phase::Research), Some(Phase::Planning)] {
            let mut sections: Vec<Section> =
                layout(phase).sections.iter().map(|shape| shape.section).collect();
            sections.sort_unstable();
            let mut all = Section::ALL.to_vec();
            all.sort_unstable();
            assert_eq!(sections, all);
        }
    }
}
