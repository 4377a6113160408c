//! The gate: decides whether a candidate is refused, and why (`refusal`), repairs what can be repaired (`repair`), and
//! keeps what happened to it (`history`).
//!
//! The user's own words are never refused for their wording, or a session whose first message is "fix bug"
//! could never be compressed. A text that an earlier version published is not judged again either.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use super::file_history::{PathSet, identity, path_key};
use super::section::Section;
use super::strategy::Strategy;
use super::summary::{Decision, Summary};
use anchord_facts::ledger::Facts;
use anchord_facts::{pattern, wording};
use anchord_messages::message::{Numbered, Role};

mod history;
mod reason;
mod refusal;
mod repair;

pub use history::{GateOutcome, GateRecord, RetryMeasure};
use reason::stated_reason;
pub use refusal::Refusal;
pub use repair::repair;

/// A candidate and what it was made from.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The merged document.
    pub summary: &'a Summary,
    /// The document that it was merged into, or the part of it that [`published`] returns.
    pub base: Option<&'a Summary>,
    /// The span's facts.
    pub facts: &'a Facts,
    /// The span's messages, in which reasons and wordings are looked up.
    pub span: &'a [Numbered],
    /// The strategy, which decides which checks apply.
    pub strategy: Strategy,
    /// Whether code wrote it: it quotes people, agents and callers, whose words are not judged, whatever they are.
    pub is_codes: bool,
}

/// The part of the summary before the merge that the gate needs: the texts that an engine wrote.
pub fn published(record: &Summary) -> Summary {
    Summary {
        session_intent: record.session_intent.clone(),
        decisions_made: record.decisions_made.clone(),
        current_state: record.current_state.clone(),
        blockers: record.blockers.clone(),
        next_steps: record.next_steps.clone(),
        ..Summary::default()
    }
}

/// The reasons why a candidate must not be published; its probes are asked elsewhere. The arguments are the tokens of what it
/// replaces and of its rendering.
pub fn check(candidate: &Candidate<'_>, tokens_before: u32, tokens_after: u32) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    let summary = candidate.summary;
    // The version that a rollback restores was published before.
    if candidate.strategy == Strategy::Rollback {
        return refusals;
    }
    if is_empty(summary) {
        refusals.push(Refusal::Empty);
    } else {
        if candidate.strategy.has_narrative() {
            check_intent(candidate, &mut refusals);
            check_rationales(candidate, &mut refusals);
        }
        if candidate.strategy.is_verifiable() {
            check_files(candidate, &mut refusals);
            if !candidate.is_codes {
                check_wording(candidate, &mut refusals);
            }
        }
    }
    if tokens_after >= tokens_before {
        refusals.push(Refusal::NotSmaller { tokens_before, tokens_after });
    }
    refusals
}

fn is_empty(summary: &Summary) -> bool {
    let blank = |text: &str| text.trim().is_empty() || is_none_word(text);
    blank(&summary.session_intent)
        && summary.files_modified.is_empty()
        && summary.files_read.is_empty()
        && summary.decisions_made.iter().all(|d| blank(&d.decision))
        && blank(&summary.current_state.text)
        && summary.current_state.task.as_deref().is_none_or(blank)
        && summary.errors.is_empty()
        && summary.test_results.is_empty()
        && summary.next_steps.iter().all(|s| blank(s))
        && summary.things.is_empty()
        && summary.findings.is_empty()
        && summary.notes.is_empty()
        && summary.constraints.is_empty()
}

fn is_none_word(text: &str) -> bool {
    matches!(wording::normalized(text).as_str(), "none" | "null" | "n/a" | "nil" | "undefined")
}

/// Intents that would fit any session.
static VAGUE: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"^(?:the )?(?:user |assistant |session |agent )?(?:is |was |wants to |wanted to |asked to |needs to )?(?:work(?:ing|ed)? on|do(?:ing)?|help(?:ing|ed)?(?: with)?|fix(?:ing|ed)?|writ(?:e|ing)|continu(?:e|ing)(?: with)?|discuss(?:ing)?|handl(?:e|ing)|complet(?:e|ing))? ?(?:the |a |some |various |several |this |an? existing )?(?:user|code|coding|project|task|tasks|work|things|stuff|bug|bugs|issue|issues|changes|conversation|session|software|development|programming|codebase|request|problem|improvements)(?: (?:task|tasks|work|session|things|changes|issues|development|project|codebase))?$",
    )
});

fn check_intent(candidate: &Candidate<'_>, refusals: &mut Vec<Refusal>) {
    let intent = candidate.summary.session_intent.trim();
    if intent.is_empty() || !candidate.is_codes && is_none_word(intent) {
        refusals.push(Refusal::IntentEmpty);
        return;
    }
    if candidate.is_codes
        || candidate.base.is_some_and(|b| b.session_intent == candidate.summary.session_intent)
    {
        return;
    }
    let folded = wording::normalized(intent);
    let vague = VAGUE.is_match(&folded);
    let said = || people(candidate.span).any(|text| wording::normalized(&text).contains(&folded));
    if vague && !said() {
        refusals.push(Refusal::IntentVague { text: intent.to_owned() });
    }
}

/// The texts of people in the span.
fn people(span: &[Numbered]) -> impl Iterator<Item = String> {
    span.iter().filter(|n| n.message.role == Role::User).map(|n| n.message.text())
}

fn check_files(candidate: &Candidate<'_>, refusals: &mut Vec<Refusal>) {
    let changed = candidate.facts.files.iter().filter(|f| f.action.is_some());
    let wanted = PathSet::of(changed.map(|f| f.path.as_str()));
    if wanted.is_empty() {
        return;
    }
    let known: HashSet<Cow<'_, str>> = candidate
        .summary
        .files_modified
        .iter()
        .flat_map(|f| [Some(&f.path), f.renamed_from.as_ref()])
        .flatten()
        .filter(|path| wanted.contains(path))
        .map(|path| identity(path))
        .collect();
    let renamed: HashSet<String> =
        candidate.facts.files.iter().filter_map(|f| f.renamed_from.as_deref().map(path_key)).collect();
    for file in candidate.facts.files.iter().filter(|f| f.action.is_some()) {
        let key = path_key(&file.path);
        if !known.contains(key.as_str()) && !renamed.contains(&key) {
            refusals.push(Refusal::FileMissing { path: file.path.clone() });
        }
    }
}

fn check_rationales(candidate: &Candidate<'_>, refusals: &mut Vec<Refusal>) {
    // Built only when needed: most decisions have a reason.
    let published: LazyCell<HashSet<&str>, _> = LazyCell::new(|| {
        candidate.base.iter().flat_map(|b| &b.decisions_made).map(|d| d.decision.as_str()).collect()
    });
    for decision in new_decisions(candidate) {
        let bare = decision.rationale.trim().is_empty() || is_none_word(&decision.rationale);
        if bare
            && !published.contains(decision.decision.as_str())
            && stated_reason(decision, candidate.span).is_some_and(|reason| !is_none_word(&reason))
        {
            refusals.push(Refusal::RationaleMissing { decision: decision.decision.clone() });
        }
    }
}

/// The decisions after those that are unchanged from the earlier summary, because the merge appends and a
/// summary grows with its session.
fn new_decisions<'a>(candidate: &Candidate<'a>) -> &'a [Decision] {
    let all = &candidate.summary.decisions_made;
    let known = candidate.base.map_or(&[][..], |base| base.decisions_made.as_slice());
    let same = all.iter().zip(known).take_while(|(new, old)| new.decision == old.decision).count();
    all.get(same..).unwrap_or_default()
}

static STAND_IN: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?i)\[(?:tbd|todo|insert [^\]]{0,60}|placeholder|fill in[^\]]{0,60}|your [^\]]{0,60} here|\.\.\.|…)\]|<(?:placeholder|insert [^>]{0,60})>|\blorem ipsum\b",
    )
});
static ERROR_TEXT: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r#"(?i)^\W{0,3}(?:error: )?(?:(?:api|internal server|provider|request|http|rate.?limit) ?error\b|error code: \d{3}|rate limit (?:exceeded|reached)|(?:429|50[0234])\b.{0,40}(?:error|unavailable|too many)|\{\s*"(?:type": ?"error|error)"|i(?:'m| am) sorry,? (?:but )?i (?:can(?:'t|not)|am unable)|i can(?:'t|not) (?:help|assist|summari[sz]e)|as an ai (?:language )?model|(?:failed|unable) to (?:generate|create|produce) (?:a |the )?summary|traceback \(most recent call last\))"#,
    )
});

/// Whether a text has no content at all.
fn is_bare_stand_in(text: &str) -> bool {
    let text = text.trim().trim_start_matches(['-', '*', ' ']).trim();
    let folded = text.to_lowercase();
    matches!(
        folded.as_str(),
        "..." | "…" | "etc." | "etc" | "tbd" | "todo" | "tba" | "n/a" | "none" | "null" | "xxx" | "and so on"
    )
}

/// Whether the span contains the beginning of a text, apart from white space. Then the session said it, and
/// the summary's writer made no error.
fn is_in_the_source(text: &str, span: &[Numbered]) -> bool {
    const COMPARED_CHARS: usize = 80;
    let text = wording::one_line(text);
    let head = wording::clip_chars(&text, COMPARED_CHARS);
    span.iter().any(|numbered| wording::one_line(&numbered.message.text()).contains(head))
}

fn check_wording(candidate: &Candidate<'_>, refusals: &mut Vec<Refusal>) {
    // Built only when needed: few texts are suspicious.
    let published: LazyCell<HashSet<&str>, _> = LazyCell::new(|| {
        candidate.base.map(|b| narrative(b, &b.decisions_made).map(|(_, t)| t).collect()).unwrap_or_default()
    });
    for (section, text) in narrative(candidate.summary, new_decisions(candidate)) {
        if text.trim().is_empty() {
            continue;
        }
        let stand_in = STAND_IN.find(text).map(|m| m.as_str());
        // A placeholder that the source contains was quoted, not left in.
        let quoted = |what: &str| candidate.span.iter().any(|n| n.message.text().contains(what));
        if (is_bare_stand_in(text) || stand_in.is_some()) && published.contains(text) {
            continue;
        }
        if is_bare_stand_in(text) || stand_in.is_some_and(|s| !quoted(s)) {
            refusals.push(Refusal::Placeholder { section, text: text.to_owned() });
        } else if ERROR_TEXT.is_match(text)
            && section != Section::Blockers
            && !published.contains(text)
            && !is_in_the_source(text, candidate.span)
        {
            refusals.push(Refusal::ErrorText { section, text: text.to_owned() });
        }
    }
}

/// The texts that an engine wrote, with these of the decisions.
fn narrative<'a>(
    summary: &'a Summary,
    decisions: &'a [Decision],
) -> impl Iterator<Item = (Section, &'a str)> {
    let state = &summary.current_state;
    std::iter::once((Section::SessionIntent, summary.session_intent.as_str()))
        .chain(decisions.iter().map(|d| (Section::DecisionsMade, d.decision.as_str())))
        .chain(std::iter::once((Section::CurrentState, state.text.as_str())))
        .chain(state.task.as_deref().map(|t| (Section::CurrentState, t)))
        .chain(summary.blockers.iter().map(|b| (Section::Blockers, b.text.as_str())))
        .chain(summary.next_steps.iter().map(|s| (Section::NextSteps, s.as_str())))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};
    use rstest::rstest;

    use super::super::summary::CurrentState;
    use super::*;
    use crate::testing::file_fact;
    use anchord_facts::ledger::FileAction;
    use anchord_facts::ledger::FileFact;
    use anchord_messages::message::{Message, Part};

    fn said(role: Role, text: &str) -> Numbered {
        Numbered { seq: 1, message: Message { role, name: None, parts: vec![Part::Text(text.into())] } }
    }

    fn good() -> Summary {
        Summary {
            session_intent: "Add OAuth login".into(),
            current_state: CurrentState { text: "It works".into(), ..CurrentState::default() },
            next_steps: vec!["Deploy".into()],
            ..Summary::default()
        }
    }

    fn verdict(summary: &Summary, span: &[Numbered], strategy: Strategy) -> Vec<Refusal> {
        let facts = Facts::default();
        check(&Candidate { summary, base: None, facts: &facts, span, strategy, is_codes: false }, 1000, 100)
    }

    fn changed(path: &str) -> FileFact {
        file_fact(path, Some(FileAction::Modified), 3)
    }

    #[test]
    fn a_sound_candidate_is_taken() {
        assert_eq!(verdict(&good(), &[], Strategy::Anchored), []);
    }

    #[rstest]
    #[case("working on code")]
    #[case("Working on the project.")]
    #[case("The user is coding")]
    #[case("Fix bugs")]
    #[case("Helping the user")]
    #[case("various tasks")]
    fn a_vague_intent_is_refused_unless_it_is_the_users_own(#[case] intent: &str) {
        let summary = Summary { session_intent: intent.into(), ..good() };
        assert_eq!(
            verdict(&summary, &[], Strategy::Anchored),
            [Refusal::IntentVague { text: intent.into() }]
        );
        assert_eq!(verdict(&summary, &[said(Role::User, intent)], Strategy::Anchored), []);
        assert_eq!(verdict(&summary, &[], Strategy::SlidingWindow), []);
    }

    #[rstest]
    #[case("xxx")]
    #[case("none")]
    #[case("Replace <placeholder> in the template")]
    #[case("TBD")]
    fn words_that_code_quotes_are_never_refused_and_those_of_a_model_are(#[case] text: &str) {
        let facts = Facts::default();
        let summary = Summary { session_intent: text.into(), next_steps: vec![text.into()], ..good() };
        let refusals = |is_codes| {
            let strategy = Strategy::Anchored;
            check(
                &Candidate { summary: &summary, base: None, facts: &facts, span: &[], strategy, is_codes },
                1000,
                100,
            )
        };
        assert_eq!(refusals(true), []);
        assert!(!refusals(false).is_empty());
    }

    #[rstest]
    #[case("Fix the bug in the date parser")]
    #[case("Rename the project to anchord")]
    #[case("修复登录")]
    fn a_specific_intent_is_taken(#[case] intent: &str) {
        let summary = Summary { session_intent: intent.into(), ..good() };
        assert_eq!(verdict(&summary, &[], Strategy::Anchored), []);
    }

    #[test]
    fn an_empty_intent_is_refused_and_repaired_from_the_first_demand() {
        let mut summary = Summary { session_intent: " ".into(), ..good() };
        let span = [said(Role::User, "Port the parser")];
        let refusals = verdict(&summary, &span, Strategy::Anchored);
        assert_eq!(refusals, [Refusal::IntentEmpty]);
        assert!(repair(&refusals, &Facts::default(), &span, &mut summary));
        assert_eq!(verdict(&summary, &span, Strategy::Anchored), []);
    }

    #[rstest]
    #[case(Strategy::Anchored)]
    #[case(Strategy::SlidingWindow)]
    fn a_missing_file_is_refused_and_restored(#[case] strategy: Strategy) {
        let facts = Facts { files: vec![changed("src/a.rs")], ..Facts::default() };
        let mut summary = good();
        let candidate =
            Candidate { summary: &summary, base: None, facts: &facts, span: &[], strategy, is_codes: false };
        let refusals = check(&candidate, 1000, 100);
        assert_eq!(refusals, [Refusal::FileMissing { path: "src/a.rs".into() }]);
        assert!(repair(&refusals, &facts, &[], &mut summary));
        let candidate =
            Candidate { summary: &summary, base: None, facts: &facts, span: &[], strategy, is_codes: false };
        assert_eq!(check(&candidate, 1000, 100), []);
    }

    #[test]
    fn a_rationale_that_the_source_states_is_demanded_and_found() {
        let mut summary = good();
        summary.decisions_made.push(Decision {
            decision: "use JWT".into(),
            seqs: vec![1],
            ..Decision::default()
        });
        let span = [said(Role::Assistant, "We will use JWT because it is stateless. Next.")];
        let refusals = verdict(&summary, &span, Strategy::Anchored);
        assert_eq!(refusals, [Refusal::RationaleMissing { decision: "use JWT".into() }]);
        assert!(repair(&refusals, &Facts::default(), &span, &mut summary));
        assert_eq!(summary.decisions_made[0].rationale, "it is stateless");
        summary.decisions_made[0].rationale.clear();
        let silent = [said(Role::Assistant, "We will use JWT.")];
        assert_eq!(verdict(&summary, &silent, Strategy::Anchored), []);
    }

    #[rstest]
    #[case("[TBD]")]
    #[case("etc.")]
    #[case("...")]
    #[case("Deploy to [insert host here]")]
    #[case("NONE")]
    fn a_placeholder_is_refused_and_removed(#[case] step: &str) {
        let mut summary = Summary { next_steps: vec!["Deploy".into(), step.into()], ..good() };
        let refusals = verdict(&summary, &[], Strategy::Anchored);
        assert!(
            matches!(refusals[..], [Refusal::Placeholder { section: Section::NextSteps, .. }]),
            "{refusals:?}"
        );
        assert!(repair(&refusals, &Facts::default(), &[], &mut summary));
        assert_eq!(summary.next_steps, ["Deploy"]);
    }

    #[test]
    fn a_placeholder_that_the_source_has_is_no_placeholder() {
        let summary = Summary { next_steps: vec!["Replace [TODO] in the template".into()], ..good() };
        let span = [said(Role::User, "the template has [TODO] in it")];
        assert_eq!(verdict(&summary, &span, Strategy::Anchored), []);
    }

    #[rstest]
    #[case("API Error: 529 overloaded")]
    #[case("I'm sorry, but I can't help with that")]
    #[case("{\"error\": {\"message\": \"quota\"}}")]
    fn an_error_text_never_becomes_the_summary(#[case] text: &str) {
        let mut summary = good();
        summary.current_state.text = text.into();
        let refusals = verdict(&summary, &[], Strategy::Anchored);
        assert!(matches!(refusals[..], [Refusal::ErrorText { .. }]), "{refusals:?}");
    }

    #[test]
    fn nothing_and_none_are_empty() {
        assert_eq!(verdict(&Summary::default(), &[], Strategy::Opaque), [Refusal::Empty]);
        let none = Summary { session_intent: "NONE".into(), ..Summary::default() };
        assert_eq!(verdict(&none, &[], Strategy::Anchored), [Refusal::Empty]);
    }

    #[test]
    fn a_candidate_that_is_not_smaller_is_skipped() {
        let (summary, facts) = (good(), Facts::default());
        for strategy in
            [Strategy::Anchored, Strategy::Opaque, Strategy::SlidingWindow, Strategy::Regenerative]
        {
            let candidate = Candidate {
                summary: &summary,
                base: None,
                facts: &facts,
                span: &[],
                strategy,
                is_codes: false,
            };
            assert_eq!(check(&candidate, 101, 100), []);
            let refusals = check(&candidate, 100, 100);
            assert!(refusals.len() == 1 && refusals[0].is_skip());
        }
    }

    #[test]
    fn every_pattern_compiles() {
        for pattern in [&VAGUE, &reason::REASON, &STAND_IN, &ERROR_TEXT] {
            assert!(!pattern.as_str().is_empty());
        }
    }

    proptest! {
        #[test]
        fn it_takes_any_text(text in any::<String>()) {
            let summary = Summary { session_intent: text.clone(), next_steps: vec![text.clone()], ..good() };
            let span = [said(Role::User, &text)];
            let refusals = verdict(&summary, &span, Strategy::Anchored);
            let mut repaired = summary.clone();
            let _ = repair(&refusals, &Facts::default(), &span, &mut repaired);
        }
    }
}
