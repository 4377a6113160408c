//! Finds the intent of a session: the open requests; of minutes, the speakers and their first statements; else the first words,
//! the first call or the first result.

use super::super::proposal::ProposedIntent;
use super::super::summary::{RequestEntry, RequestState, Summary};
use super::text::{clip, is_placeholder};
use anchord_facts::ledger::constraints::is_standing;
use anchord_facts::ledger::line::{clip_middle, squash};
use anchord_facts::ledger::reading::Reading;
use anchord_facts::ledger::requests::{LONGEST_REQUEST, only_asks, refers_back, substance};
use anchord_facts::ledger::{Facts, prose};
use anchord_facts::phrases::Phrase;
use anchord_facts::wording::clip_chars;
use anchord_messages::message::{Numbered, Role, ToolResult};

/// The longest intent, in characters.
const LONGEST: usize = LONGEST_REQUEST;
/// The most requests that it lists: the first and the latest.
const MOST_REQUESTS: usize = 5;
/// The longest request after the first, in characters.
const LONGEST_LATER: usize = 300;
/// An intent of fewer words that refers back, or only answers, gets an earlier request before it.
const FEWEST_WORDS: usize = 16;
/// The longest tool call or result that serves as an intent, in characters.
const LONGEST_CALL: usize = 200;
/// The most speakers that the intent of minutes names.
const MOST_SPEAKERS: usize = 12;
/// The most statements that it quotes.
const MOST_STATEMENTS: usize = 1;
/// The longest of them, in characters.
const LONGEST_STATEMENT: usize = 240;
/// The fewest words of a statement that it quotes.
const FEWEST_STATED: usize = 8;

/// The intent at a span's end; `None` when it did not change.
pub(super) fn find(
    span: &[Numbered],
    facts: &Facts,
    (base, requests): (Option<&Summary>, &[RequestEntry]),
) -> Option<ProposedIntent> {
    let is_known = base.is_some_and(|base| !base.session_intent.trim().is_empty());
    // The caller may have closed a request since the last version. Without new ones, the requests are the base's, in its order.
    let is_closed =
        |base: &Summary| base.requests.iter().zip(requests).any(|(was, is)| was.state != is.state);
    if !facts.requests.is_empty() || base.is_some_and(is_closed) {
        return of_requests(requests, is_known);
    }
    if is_known {
        return None;
    }
    if prose::is_minutes(span.iter().map(|n| &n.message)) {
        Some(of_minutes(span))
    } else {
        without_request(span)
    }
}

/// The open requests, the first one longest. Asides, questions, commands and standing rules count only when there is nothing
/// else.
fn of_requests(requests: &[RequestEntry], is_known: bool) -> Option<ProposedIntent> {
    // A word alone is the name of a command, if it is no order.
    let names_a_command = |text: &str| {
        text.is_ascii() && !text.trim().contains(char::is_whitespace) && !Phrase::OneWordOrder.is_in(text)
    };
    let is_work = |request: &&RequestEntry| {
        !names_a_command(&request.text) && !is_standing(&request.text) && !only_asks(&request.text)
    };
    let is_open = |request: &&RequestEntry| request.state == RequestState::Open;
    let mut told: Vec<&RequestEntry> = requests.iter().filter(is_open).filter(is_work).collect();
    // A numbered list answers the agent's questions, and counts only when nothing else is open.
    let is_reply = |request: &RequestEntry| request.text.starts_with("1.") || request.text.starts_with("1)");
    if told.iter().any(|request| !is_reply(request)) {
        told.retain(|request| !is_reply(request));
    }
    // Without an open one: the latest work that is done, then the latest open request of any kind, then the latest that is
    // done, then the last.
    if told.is_empty() {
        let latest = requests.iter().rev();
        let is_done = |request: &&RequestEntry| request.state == RequestState::Done;
        let work = latest.clone().filter(is_done).find(is_work);
        told.extend(work.or_else(|| latest.clone().find(is_open)).or_else(|| latest.clone().find(is_done)));
        if told.is_empty() {
            told.extend(requests.last());
        }
    }
    if told.len() > MOST_REQUESTS {
        told.drain(1..=told.len() - MOST_REQUESTS);
    }
    // "Go on with step 3" is understood only together with the request before.
    let needs_another =
        |text: &str| refers_back(text) || Phrase::Answer.is_in(text) || Phrase::OneWordOrder.is_in(text);
    let words: usize = told.iter().map(|request| substance(&request.text)).sum();
    if let Some(first) = told.first().filter(|first| words < FEWEST_WORDS && needs_another(&first.text)) {
        let before = requests.iter().position(|request| std::ptr::eq(request, *first)).unwrap_or_default();
        let mut earlier = requests.get(..before).unwrap_or_default().iter().rev();
        let stands = |request: &&RequestEntry| {
            matches!(request.state, RequestState::Open | RequestState::Done)
                && is_work(request)
                && (substance(&request.text) >= FEWEST_WORDS || !refers_back(&request.text))
        };
        if let Some(request) = earlier.find(stands) {
            told.insert(0, request);
        }
    }
    let (first, later) = told.split_first()?;
    let room = LONGEST.saturating_sub(later.len() * LONGEST_LATER).max(LONGEST / 2);
    let mut lines = vec![clip_middle(&first.text, room)];
    lines.extend(later.iter().map(|request| clip(&squash(&request.text), LONGEST_LATER)));
    let mut seqs: Vec<_> = told.iter().flat_map(|request| request.seqs.iter().copied()).collect();
    seqs.sort_unstable();
    seqs.dedup();
    Some(ProposedIntent { text: lines.join("\n"), changes_scope: is_known, seqs })
}

/// The intent of minutes, which have no task: the speakers, and the first statements that are long enough.
fn of_minutes(span: &[Numbered]) -> ProposedIntent {
    let mut names: Vec<String> = Vec::new();
    let mut statements: Vec<String> = Vec::new();
    let mut seqs = Vec::new();
    for Numbered { seq, message } in span.iter().filter(|n| n.message.role == Role::User) {
        let text = message.text();
        let Some((name, statement)) = prose::speaker(&text) else { continue };
        let name = name.split(" (").next().unwrap_or(name);
        if !names.iter().any(|known| known == name) && names.len() < MOST_SPEAKERS {
            names.push(name.to_owned());
        }
        if statements.len() < MOST_STATEMENTS && substance(statement) >= FEWEST_STATED {
            statements.push(clip(&squash(&text), LONGEST_STATEMENT));
            seqs.push(*seq);
        }
    }
    if seqs.is_empty() {
        seqs.extend(span.first().map(|n| n.seq));
    }
    let text = format!("Conversation between {}. {}", names.join(", "), statements.join(" "));
    ProposedIntent { text: clip(text.trim(), LONGEST), changes_scope: false, seqs }
}

/// The intent of a session without a request: its first words, or else its first call or result.
fn without_request(span: &[Numbered]) -> Option<ProposedIntent> {
    let intent = |seq, text| Some(ProposedIntent { text, changes_scope: false, seqs: vec![seq] });
    let first_text = |role: Role, words: &dyn Fn(&Reading<'_>) -> String| {
        let messages = span.iter().filter(|n| n.message.role == role);
        messages.map(|n| (n.seq, words(&Reading::new(n)))).find(|(_, text)| !is_placeholder(text))
    };
    if let Some((seq, text)) = first_text(Role::User, &|m| m.person().unwrap_or_default().to_owned()) {
        return intent(seq, clip_middle(text.trim(), LONGEST));
    }
    if let Some((seq, text)) = first_text(Role::Assistant, &|m| m.text().to_owned()) {
        let sentences = prose::sentences(&text);
        let first = sentences.iter().take(3).map(|s| s.text.as_str()).collect::<Vec<_>>().join(" ");
        let first = if first.is_empty() { squash(&text) } else { first };
        return intent(seq, clip(&first, LONGEST / 3));
    }
    let line = |text: &str| clip(&squash(clip_chars(text, 4 * LONGEST_CALL)), LONGEST_CALL);
    let first_call = span.iter().find_map(|n| {
        let call = n.message.calls().find(|c| !c.name.trim().is_empty())?;
        Some((n.seq, line(&format!("{} {}", call.name, clip_chars(&call.arguments, 4 * LONGEST_CALL)))))
    });
    let first_result = || {
        span.iter().find_map(|n| {
            let text = n.message.results().map(ToolResult::text).find(|text| !is_placeholder(text))?;
            Some((n.seq, line(&text)))
        })
    };
    first_call.or_else(first_result).and_then(|(seq, text)| intent(seq, text))
}
