//! Choices in what people and the model say.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::super::super::ledger::pattern::{self, Rare};
use super::super::super::ledger::prose::{self, Language};
use super::super::super::summary::Decision;
use super::super::{Turn, Voice};
use super::markers::{self, Markers};
use super::{clip, decision};

/// The most sentences of one message that can be decisions: a message with more is an essay.
const MAX_PER_MESSAGE: usize = 4;

/// The choices in one message; `conversation` when people talk with each other.
pub(super) fn find(turn: &Turn, conversation: bool) -> Vec<Decision> {
    let words = match (turn.voice, conversation) {
        (_, true) => Cow::Borrowed(turn.tidy()),
        (Voice::Person, false) => prose::own_words(&turn.text),
        (Voice::Assistant, false) => Cow::Borrowed(turn.text.as_str()),
    };
    let language = prose::language_of(&words);
    let markers = markers::of(language);
    if !markers.any.may_match(&words) {
        return Vec::new();
    }
    let own;
    let sentences = if conversation || matches!(words, Cow::Owned(_)) {
        own = prose::sentences(&words);
        own.as_slice()
    } else {
        turn.sentences()
    };
    let mut found = Vec::new();
    for (at, sentence) in sentences.iter().enumerate() {
        if found.len() >= MAX_PER_MESSAGE {
            break;
        }
        let text = sentence.text.as_str();
        let length = text.chars().count();
        let fits = if is_dense(language) { 6..=300 } else { 12..=600 };
        if !fits.contains(&length)
            || text.ends_with(['?', '？', ':', '：'])
            || !markers.any.is_match(text)
            || markers.not.is_match(text)
            || is_looking(text)
        {
            continue;
        }
        let next = sentences.get(at + 1).map(|s| s.text.as_str());
        let Some(reason) = chosen(text, next, turn, markers, conversation) else { continue };
        let alternatives = markers
            .instead
            .captures(text)
            .and_then(|c| c.get(1))
            .map(|m| vec![m.as_str().trim().to_owned()])
            .unwrap_or_default();
        let (text, reason) = parted(text, &reason, markers, is_dense(language));
        // In minutes it matters who said it; only the first sentence has the name.
        let name = if conversation { prose::speaker(&turn.text).map(|(name, _)| name) } else { None };
        let text = match name.filter(|name| !text.starts_with(name)) {
            Some(name) => format!("{name}: {text}"),
            None => text.to_owned(),
        };
        found.push(decision(&clip(&text, 600), reason, alternatives, vec![turn.seq]));
    }
    found
}

/// The reason of a sentence that tells of a choice, empty when it gives none; `None` when it tells
/// of none.
fn chosen(
    text: &str,
    next: Option<&str>,
    turn: &Turn,
    markers: &Markers,
    conversation: bool,
) -> Option<String> {
    // People who talk with each other order nothing, and weigh one thing against another all the time.
    if conversation && markers.instead.is_match(text) {
        return None;
    }
    let by_person = turn.voice == Voice::Person && !conversation;
    let strong = markers.strong.is_match(text) || by_person && markers.ordered.is_match(text);
    let reason = reason_in(text, &markers.reason);
    if strong {
        // A strong choice may give its reason in the sentence behind it.
        return Some(
            reason.or_else(|| next.filter(|n| opens_with_reason(n)).map(str::to_owned)).unwrap_or_default(),
        );
    }
    // Minutes are full of plans in passing; there only a choice in so many words counts. Words that
    // lead over to a tool tell of the next move: only a stated cause makes a choice of it.
    let weak = !conversation
        && markers.weak.is_match(text)
        && (!turn.calls || cause().is_match(text) && !is_probing(text));
    reason.filter(|_| weak)
}

fn is_dense(language: Language) -> bool {
    matches!(language, Language::Chinese | Language::Japanese)
}

/// The choice and its reason apart, where one sentence gives both: told twice, the reason would take the
/// room of another choice.
fn parted<'t>(text: &'t str, reason: &'t str, markers: &Markers, dense: bool) -> (&'t str, &'t str) {
    let least = if dense { 4 } else { 15 };
    let is_whole =
        |part: &str| part.chars().count() >= least && (dense || part.split_whitespace().count() >= 3);
    let edge =
        |c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '—' | '–' | '-' | '(' | '，' | '、');
    // A reason that comes first ends where the choice begins.
    if cause().find(text).is_some_and(|hit| hit.start() == 0)
        && let Some((cause, choice)) = text.split_once([',', '，', '、'])
    {
        let choice = choice.trim_matches(edge);
        let leads = is_whole(choice) && is_whole(cause) && markers.any.is_match(choice);
        return if leads { (choice, cause.trim()) } else { (text, reason) };
    }
    match text.split_once(reason).filter(|_| !reason.is_empty()) {
        Some((before, after)) if after.trim_matches(edge).is_empty() => {
            let before = before.trim_matches(edge);
            (if is_whole(before) { before } else { text }, reason)
        }
        _ => (text, reason),
    }
}

/// The clause that gives the reason, with the word that opens it removed when it is only a joint.
fn reason_in(text: &str, reason: &Rare) -> Option<String> {
    let hit = reason.find(text)?;
    let clause = text.get(hit.start()..)?.trim_start_matches([',', ';', ' ', '—', '–', '，']).trim();
    (clause.chars().count() >= 6).then(|| clause.to_owned())
}

fn opens_with_reason(sentence: &str) -> bool {
    static OPENS: LazyLock<Regex> = LazyLock::new(|| {
        pattern::unicode(
            r"(?i)^(?:this (?:is|way|will|keeps|avoids|lets|means|allows|enables|makes|gives|ensures|prevents)|that way|because|the reason|reason:|since |它|这样|因为|原因|理由|なぜなら|cela |parce |c['’]est |dies |weil |das (?:ist|hält|macht) |esto |porque |это |потому )",
        )
    });
    OPENS.is_match(sentence)
}

/// Words that name a cause, and not only a joint that may stand for one.
fn cause() -> &'static Rare {
    static CAUSE: LazyLock<Rare> = LazyLock::new(|| {
        Rare::new(
            r"(?i)\b(?:because|since|so that|to avoid|due to|parce qu|puisqu|afin|weil|damit|porque|ya que|потому что|так как|чтобы)|因为|由于|以免|ため|ので",
        )
    });
    &CAUSE
}

/// Whether a sentence tells what something is used for to look at another thing, and not in so many words
/// that it was chosen.
fn is_looking(text: &str) -> bool {
    static LOOKING: LazyLock<Rare> = LazyLock::new(|| {
        Rare::new(
            r"(?i)\b(?:use|using)\b.{0,80}\bto (?:see|find|search|look|check|view|open|locate|list|explore|understand|inspect|verify|read)\b",
        )
    });
    static CHOSEN: LazyLock<Rare> =
        LazyLock::new(|| Rare::new(r"(?i)\b(?:decided|chosen|chose|picked|opted|settled|agreed)\b"));
    LOOKING.is_match(text) && !CHOSEN.is_match(text)
}

/// Whether a sentence tells of looking into something, which decides nothing.
fn is_probing(text: &str) -> bool {
    static PROBING: LazyLock<Rare> = LazyLock::new(|| {
        Rare::new(
            r"(?i)\b(?:print|debug\w*|logging|reproduc\w+|temporary|temporarily|scratch|check|verify|confirm|see (?:if|what|how|why|whether)|look(?:ing)? (?:at|for|into)|understand|find out|investigat\w+|explor\w+|try again|retry)\b",
        )
    });
    PROBING.is_match(text)
}
