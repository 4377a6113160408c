//! Finds the sentences of a span that report something as done, and how certain each one is.

use std::sync::LazyLock;

use regex::Regex;

use super::claim::{Certainty, Claim};
use super::subject::{ActionKind, Subject, words};
use crate::ledger::reading::Reading;
use crate::pattern;
use crate::phrases::Phrase;
use crate::wording::one_line;
use anchord_messages::id::Seq;
use anchord_messages::message::Role;

/// The most sentences about something done that are compared with the items, the latest ones.
const MAX_SENTENCES: usize = 1_000;
/// The longest sentence that is compared, in bytes: each of its clauses is, with each item.
const LONGEST_SENTENCE: usize = 4_000;

/// The most bytes of the sentences that are compared, the latest ones.
const MOST_COMPARED: usize = 96 * 1024;

/// The sentences of a span about something done, in order.
pub(super) struct DoneSentences(Vec<(Seq, Sentence)>);

struct Sentence {
    text: String,
    words: Vec<String>,
    clauses: Vec<(String, Vec<String>)>,
    is_agent: bool,
}

impl DoneSentences {
    pub(super) fn read(span: &[Reading<'_>]) -> Self {
        let mut all = Vec::new();
        for reading in span {
            // A person's words may be a wish, so they only propose.
            let is_agent = reading.message.role == Role::Assistant;
            let Some(text) = reading.words().filter(|text| speaks(text)) else { continue };
            let sentences = reading.sentences().iter().map(|sentence| sentence.text.as_str());
            let sentences = sentences.chain(ticked(text)).filter(|text| text.len() <= LONGEST_SENTENCE);
            for text in sentences.map(unquoted).filter(|text| speaks(text)) {
                let clause = |part: &str| (part.trim().to_owned(), words(part));
                let parts = Phrase::ClauseEnd.split(&text).into_iter();
                let clauses = parts.filter(|part| !part.trim().is_empty()).map(clause).collect();
                if all.len() >= 2 * MAX_SENTENCES {
                    all.drain(..MAX_SENTENCES);
                }
                all.push((reading.seq, Sentence { words: words(&text), clauses, text, is_agent }));
            }
        }
        let mut room = MOST_COMPARED;
        let fits = |(_, sentence): &&(Seq, Sentence)| {
            room = room.saturating_sub(sentence.text.len());
            room > 0
        };
        let kept = all.iter().rev().take(MAX_SENTENCES).take_while(fits).count();
        all.drain(..all.len() - kept);
        Self(all)
    }

    /// The latest claim about an item; `None` when there is none or it says "not done".
    pub(super) fn claim_about(&self, subject: &Subject) -> Option<Claim> {
        let mut last = None;
        for (seq, sentence) in &self.0 {
            if let Some((certainty, clause)) = sentence.claims(subject) {
                last = Some(Claim { certainty, clause: Some(one_line(clause)), seqs: vec![*seq] });
            }
        }
        last.filter(|claim| claim.certainty != Certainty::Not)
    }
}

fn is_done(text: &str) -> bool {
    [Phrase::Done, Phrase::Made, Phrase::Mended].into_iter().any(|phrase| phrase.is_in(text))
}

fn speaks(text: &str) -> bool {
    is_done(text) || Phrase::Past.is_in(text)
}

/// The ticked lines of checklists, outside of code blocks and quotations.
fn ticked(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().map(str::trim).filter(move |line| {
        is_code ^= line.starts_with("```") || line.starts_with("~~~");
        let item = line.trim_start_matches(['-', '*', '+', ' ']);
        let is_ticked = ["[x]", "[X]", "✅", "✔", "☑"].iter().any(|mark| item.starts_with(mark));
        is_ticked && !is_code
    })
}

/// A text without quotations that report something as done, which are somebody else's words or a wish.
fn unquoted(text: &str) -> String {
    static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
        pattern::unicode(
            r#""[^"]{1,300}"|“[^”]{1,300}”|„[^“”]{1,300}[“”]|«[^»]{1,300}»|「[^」]{1,300}」|『[^』]{1,300}』"#,
        )
    });
    let without = |found: &regex::Captures<'_>| {
        let quoted = found.get(0).map_or("", |all| all.as_str());
        if speaks(quoted) { " … ".to_owned() } else { quoted.to_owned() }
    };
    QUOTED.replace_all(text, without).into_owned()
}

impl Sentence {
    fn claims(&self, subject: &Subject) -> Option<(Certainty, &str)> {
        let named: Vec<&(String, Vec<String>)> =
            self.clauses.iter().filter(|(text, said)| subject.is_named_in(text, said)).collect();
        let mut claim = None;
        // A word for failure does not count when the item itself contains it.
        let is_regretted = Phrase::Regretted.find_in(&self.text).any(|word| !subject.mentions(word));
        for (text, said) in &named {
            let unreal = Phrase::Unreal.is_in(text) || self.text.ends_with(['?', '？']);
            let (done, past) = (is_done(text), subject.is_past_in(said));
            if Phrase::NotDone.is_in(text) || (past && !done && Phrase::Negated.is_in(text)) {
                claim = Some((Certainty::Not, text.as_str()));
            } else if (done || past) && !unreal {
                let fits = match subject.action_kind() {
                    ActionKind::Make => Phrase::Done.is_in(text) || Phrase::Made.is_in(text) || past,
                    ActionKind::Mend => Phrase::Done.is_in(text) || Phrase::Mended.is_in(text),
                    ActionKind::Other => past || Phrase::Done.is_in(text),
                };
                let sure = fits
                    && self.is_agent
                    && subject.is_all_of(text, said)
                    && !Phrase::Negated.is_in(text)
                    && !is_regretted
                    && !Phrase::Hedged.is_in(&self.text)
                    && !self.is_conditional();
                claim = Some((if sure { Certainty::Done } else { Certainty::Maybe }, text.as_str()));
            }
        }
        if claim.is_some() || !subject.is_named_in(&self.text, &self.words) {
            return claim;
        }
        // The sentence names the item and says "done", but in different clauses.
        let clear = is_done(&self.text)
            && !Phrase::NotDone.is_in(&self.text)
            && !Phrase::Negated.is_in(&self.text)
            && !Phrase::Unreal.is_in(&self.text);
        clear.then_some((Certainty::Maybe, self.text.as_str()))
    }

    /// Whether it begins with a condition, which applies to all of its clauses.
    fn is_conditional(&self) -> bool {
        self.clauses.first().is_some_and(|(first, _)| {
            let start: String = first.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
            Phrase::Unreal.is_in(&start)
        })
    }
}
