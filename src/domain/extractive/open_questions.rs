//! Questions that talk leaves open: nobody answers, or somebody says that it is not decided.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::super::ledger::pattern::Rare;
use super::super::ledger::prose;
use super::super::summary::Blocker;
use super::intent::substance;
use super::talk::words;
use super::{Turn, Turns, clip};

/// How many turns behind a question may put it off.
const ANSWERED_WITHIN: usize = 4;
/// How many of the last turns are looked at.
const LOOKED_AT: usize = 2_000;
/// The most questions of one span, the latest.
const MAX_OPEN: usize = 6;
/// The longest question and the longest answer to it, in characters.
const MAX_QUESTION: usize = 180;
const MAX_REPLY: usize = 70;
/// What stands between a question and the answer that leaves it open.
const BETWEEN: &str = " → ";

static DEFERRED: LazyLock<Rare> = LazyLock::new(|| {
    Rare::new(
        r"(?ix)\b(?:(?:is|are|it['’]s|that['’]s|that\ is|remains?|left|leave\ it|leave\ that)?\ ?(?:still\ (?:open|undecided|unclear|unresolved|to\ be\ (?:decided|determined|clarified))|undecided)|(?:not|n['’]t)\ (?:been\ )?(?:yet\ )?(?:decided|settled|agreed\ on|sure)\ yet|(?:not|n['’]t)\ yet\ (?:decided|settled|agreed)|no\ decision\ (?:yet|so\ far)|yet\ to\ (?:be\ )?decided?|to\ be\ (?:decided|determined|confirmed)|tbd|(?:remains|left|leave\ (?:it|that))\ open|up\ in\ the\ air
        | (?:noch|weiterhin|immer\ noch)\ (?:offen|ungeklärt|unklar|unentschieden)|bleibt\ offen|noch\ nicht\ (?:entschieden|geklärt|beschlossen|festgelegt|fest)
        | (?:encore|toujours)\ (?:ouverte?s?|en\ suspens|à\ (?:décider|trancher)|indécise?s?)|reste\ (?:ouverte?|en\ suspens|à\ (?:décider|trancher))|pas\ encore\ (?:été\ )?(?:décidée?|tranchée?|choisie?|fixée?)
        | (?:sigue|queda|todavía|aún)\ (?:está\ )?(?:abiert[oa]s?|pendientes?|por\ decidir)|(?:todavía|aún)\ no\ (?:se\ ha|lo\ hemos|hemos|está)\ decidido|sin\ decidir
        | (?:ещё|еще|пока)\ (?:не\ (?:решено|решили|решён|решен|определ\w+|ясно)|открыт\w*)|оста(?:ётся|лся|ется)\ открыт\w+)\b
        | (?:还|還|仍)(?:没|沒|未)(?:有)?(?:决)?(?:定|确定|想好|敲定|商量好|谈妥|结论|決定|確定)|尚未(?:决定|确定|決定|確定)|待定|未定|悬而未决
        | まだ(?:決ま|決め)って(?:い)?(?:ない|ません)|まだ決めて(?:い)?(?:ない|ません)|まだ(?:分か|わか)(?:ら|りません)|検討中|未決定|保留",
    )
});

static SETTLED: LazyLock<Rare> = LazyLock::new(|| {
    Rare::new(
        r"(?i)\b(?:decided|agreed|settled|go(?:ing)? with|we(?:['’]ll| will) (?:take|use|go)|let['’]s (?:take|use|go)|entschieden|beschlossen|nehmen wir|wir nehmen|décidé|on prend|choisi|decidido|elegimos|acordado|решили|выбрали|договорились)\b|决定|定了|定下|选定|就用|決め(?:ました|た)|決まり(?:ました)?|決まった|にしましょう",
    )
});

/// What talk leaves open, and what it decides.
pub(super) struct Heard {
    /// The questions that are open at the span's end, in the order of the talk, with their messages.
    pub open: Vec<(String, Vec<i64>)>,
    /// The words of the sentences that decide something, by their hash.
    decided: HashSet<u64>,
}

impl Heard {
    /// Whether a blocker of an earlier version is a question that was put off and that nothing here
    /// decides.
    pub(super) fn leaves(&self, blocker: &str) -> bool {
        blocker.split_once(BETWEEN).is_some_and(|(question, _)| !is_settled(question, &self.decided))
    }
}

/// Reads the talk of a span; `before` are the blockers of the version before.
pub(super) fn hear(turns: &Turns, before: &[Blocker]) -> Heard {
    let mut heard = put_off(turns, before.iter().any(|b| b.text.contains(BETWEEN)));
    if turns.conversation {
        for (question, seq) in unanswered(turns) {
            if !heard.open.iter().any(|(_, seqs)| seqs.contains(&seq)) {
                heard.open.push((question, vec![seq]));
            }
        }
    }
    heard
}

/// Questions near the end that nobody says anything of weight behind.
fn unanswered(turns: &Turns) -> Vec<(String, i64)> {
    let mut quiet: Vec<&Turn> = Vec::new();
    let mut open = Vec::new();
    for turn in turns.all.iter().rev().take(12) {
        let said = turn.said();
        if said.trim_end().ends_with(['?', '？'])
            && substance(said) >= 5
            && quiet.iter().all(|t| substance(&t.text) < 12)
        {
            open.push((turn.tidy().to_owned(), turn.seq));
        }
        quiet.push(turn);
    }
    open
}

/// Questions whose answer is that there is none yet. Read from the end, so that every turn is read once.
/// What is decided is asked for only where something was put off, here or (`earlier`) before.
fn put_off(turns: &Turns, earlier: bool) -> Heard {
    let from = turns.all.len().saturating_sub(LOOKED_AT);
    let turns = turns.all.get(from..).unwrap_or_default();
    let mut heard = Heard { open: Vec::new(), decided: HashSet::new() };
    let replies: Vec<Option<String>> = turns.iter().map(putting_off).collect();
    if !earlier && replies.iter().all(Option::is_none) {
        return heard;
    }
    for ((at, turn), reply) in turns.iter().enumerate().zip(replies).rev() {
        if let Some(reply) = &reply
            && heard.open.len() < MAX_OPEN
        {
            // The question stands before it: in the same turn, or in one of the last few.
            let before = turns.get(at.saturating_sub(ANSWERED_WITHIN)..=at).unwrap_or_default();
            let asked = before.iter().rev().find_map(|t| question(t).map(|q| (q, t.seq)));
            if let Some((question, seq)) = asked
                && !is_settled(&question, &heard.decided)
                && !heard.open.iter().any(|(_, seqs)| seqs.contains(&seq))
            {
                let mut seqs = vec![seq, turn.seq];
                seqs.dedup();
                let who = speaker(turn).map(|name| format!("{name}: ")).unwrap_or_default();
                heard.open.push((format!("{question}{BETWEEN}{who}{}", clip(reply, MAX_REPLY)), seqs));
            }
        }
        if reply.is_none() && SETTLED.is_match(&turn.text) {
            let sentences = prose::sentences(turn.said());
            let deciding = sentences.iter().filter(|s| !is_question(&s.text) && SETTLED.is_match(&s.text));
            heard.decided.extend(deciding.flat_map(|s| words(&s.text)));
        }
    }
    heard.open.reverse();
    heard
}

/// The sentence that says that there is no decision.
fn putting_off(turn: &Turn) -> Option<String> {
    if !DEFERRED.is_match(&turn.text) {
        return None;
    }
    let told = turn.tidy_sentences().iter().map(|s| &s.text);
    told.filter(|text| !is_question(text)).find(|text| DEFERRED.is_match(text)).cloned()
}

/// The last question of a turn, with who asked.
fn question(turn: &Turn) -> Option<String> {
    if !turn.text.contains(['?', '？']) {
        return None;
    }
    let asked = turn.tidy_sentences().iter().rfind(|s| is_question(&s.text))?;
    let asked = clip(&asked.text, MAX_QUESTION);
    Some(speaker(turn).map_or_else(|| asked.clone(), |name| format!("{name}: {asked}")))
}

/// Whether what was decided has a word of the question.
fn is_settled(question: &str, decided: &HashSet<u64>) -> bool {
    let asked = prose::speaker(question).map_or(question, |(_, asked)| asked);
    words(asked).iter().any(|word| decided.contains(word))
}

fn is_question(text: &str) -> bool {
    text.ends_with(['?', '？'])
}

fn speaker(turn: &Turn) -> Option<&str> {
    prose::speaker(&turn.text).map(|(name, _)| name.split(" (").next().unwrap_or(name))
}
