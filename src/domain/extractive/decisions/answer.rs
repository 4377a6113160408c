//! Short replies that decide what the model asked.

use std::sync::LazyLock;

use regex::Regex;

use super::super::super::ledger::pattern::{self, Rare};
use super::super::super::summary::Decision;
use super::super::{Turn, Voice, clip};
use super::decision;

/// The longest reply that is an answer and not a new request, in characters.
const MAX_ANSWER: usize = 120;
/// The longest question that is told, in characters.
const MAX_QUESTION: usize = 220;

/// How a reply begins that takes one of the choices.
static CHOOSES: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?i)^\W*(?:yes|yep|yeah|sure|ok(?:ay)?|no\b|nope|go ahead|please do|do it|option|the (?:first|second|third|latter|former)|let['’]s|both|neither|all of|\d\b|[a-d]\)?$|agreed|confirm|correct|sounds good|proceed|是|好|对|可以|不|同意|行|选|oui|non|d['’]accord|ja\b|nein|sí|si\b|vale|да|нет|давай|согласен|はい|いいえ|お願い)",
    )
});

/// What a question offers or leaves to the person, in so many words.
static OFFERS: LazyLock<Rare> = LazyLock::new(|| {
    Rare::new(
        r"(?ix)\b(?:shall|should|would\ you\ (?:like|prefer)|do\ you\ (?:want|prefer|agree|approve)|want\ me|may\ i|can\ i|could\ i|proceed|continue|confirm|go\ ahead|is\ (?:that|this|it)\ (?:ok|okay|fine|correct|right|acceptable)|ok(?:ay)?\ (?:with|to|if)|sounds?\ good|which|or|either|prefer|agree|approve|what\ do\ you\ think|anything\ else
        |souhaite[zs]?|voule[zr]|veux|dois-je|préfère[zs]?|préférez|confirme[zr]?|d['’]accord|lequel|laquelle|ou|procède
        |soll(?:en|te)?|möchte[nst]*|willst|wollen|bevorzug\w*|bestätig\w*|einverstanden|welche\w*|oder|fortfahren
        |quieres?|desea[ns]?|debo|prefieres?|confirma[sr]?|de\ acuerdo|cuál|procedo|continúo|sigo|o
        |хотите|хочешь|нужно\ ли|стоит\ ли|подтверд\w*|согласн\w*|какой|какую|какие|или|продолж\w*)\b
        |要不要|需要我|是否(?:要|需要|同意|确认|继续|可以|使用|采用)|确认|可以吗|好吗|行吗|还是|哪(?:个|种|一)|选择|继续吗|同意|ましょうか|よろしい|しますか|どちら|どれ|それとも|確認",
    )
});

/// Questions for what the person knows; the answer is a fact and no choice.
static ASKS_FOR_FACTS: LazyLock<Rare> = LazyLock::new(|| {
    Rare::new(
        r"(?ix)\b(?:provide|share|may\ i\ have|could\ i\ have|can\ i\ have|tell\ me\ (?:your|the)|what(?:['’]s|\ is|\ are)\ your|fournir|indiquer|quel\ est\ (?:votre|ton)|mitteilen|wie\ lautet|proporcion\w+|facilit\w+|cuál\ es\ (?:su|tu)|сообщите|укажите|назовите)\b
        |请(?:提供|告诉|告知)|教えて",
    )
});

/// A short reply to the model's question decides what was asked.
pub(super) fn find(before: &Turn, turn: &Turn) -> Option<Decision> {
    if before.voice != Voice::Assistant
        || before.calls
        || turn.text.chars().count() > MAX_ANSWER
        || turn.text.contains(['?', '？'])
        || !CHOOSES.is_match(&turn.text)
    {
        return None;
    }
    let tail = before.sentences();
    let at = tail.iter().rposition(|s| s.text.ends_with(['?', '？'])).filter(|at| at + 3 >= tail.len())?;
    let asked = tail.get(at)?.text.as_str();
    if !OFFERS.is_match(asked) || ASKS_FOR_FACTS.is_match(asked) {
        return None;
    }
    // "Which one?" needs the sentence before it.
    let from = if asked.chars().count() < 40 { at.saturating_sub(1) } else { at };
    let question = tail.get(from..=at)?.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join(" ");
    let question = question.trim_matches(['*', '#', ' ']).to_owned();
    let text = format!("{} → {}", clip(&question, MAX_QUESTION), turn.text.trim());
    Some(decision(&text, "", Vec::new(), vec![before.seq, turn.seq]))
}
