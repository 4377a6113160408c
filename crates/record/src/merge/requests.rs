//! Requests: each once, in order; a later message closes, drops or replaces earlier ones.

use std::collections::HashMap;

use super::super::summary::{RequestEntry, RequestState, Summary};
use anchord_facts::key;
use anchord_facts::ledger::requests::{Earlier, RequestFact, substance};
use anchord_facts::wording::{clip_words, join_seqs, one_line};

/// A request of more words is a brief, which a change of mind adds to and does not replace.
const WORDS_OF_BRIEF: usize = 30;
/// A short request is over when so many have come behind it.
const LATER: usize = 3;
/// What took a request's place is written in at most this many characters.
const LONGEST_SUCCESSOR: usize = 160;
/// The most requests of a summary; the oldest that are closed go first.
const MOST: usize = 200;

/// The requests of a summary, if there is one, with those of the span behind it.
#[must_use]
pub fn after(record: Option<&Summary>, told: &[RequestFact]) -> Vec<RequestEntry> {
    let mut requests = record.map(|record| record.requests.clone()).unwrap_or_default();
    fold(&mut requests, told);
    requests
}

/// Takes in what people say, message by message.
pub(super) fn fold(record: &mut Vec<RequestEntry>, told: &[RequestFact]) {
    if told.is_empty() {
        return;
    }
    let mut fold = Fold::of(std::mem::take(record));
    for fact in told {
        fold.earlier(fact);
        if !fact.text.is_empty() {
            fold.ask(fact);
        }
    }
    record.extend(fold.entries.into_iter().flatten());
}

/// A summary's requests while a span is read into them: the cost follows the span, and not the summary times the span.
struct Fold {
    /// In order; what was asked again has left its place.
    entries: Vec<Option<RequestEntry>>,
    /// Own requests by their wording.
    at: HashMap<u64, usize>,
    /// Own requests that are open, each with how many came behind it.
    open: Vec<(usize, usize)>,
    /// The session's first own request.
    first: Option<usize>,
}

impl Fold {
    fn of(record: Vec<RequestEntry>) -> Self {
        let own: Vec<usize> =
            record.iter().enumerate().filter(|(_, r)| r.session_id.is_none()).map(|(at, _)| at).collect();
        let is_open = |at: &usize| record.get(*at).is_some_and(|r| r.state == RequestState::Open);
        let behind = own.iter().rev().zip(0..).filter(|(at, _)| is_open(at)).map(|(at, later)| (*at, later));
        let mut open: Vec<(usize, usize)> = behind.collect();
        open.reverse();
        let key = |at: &usize| Some((record.get(*at)?.key(), *at));
        Self {
            at: own.iter().filter_map(key).collect(),
            open,
            first: own.first().copied(),
            entries: record.into_iter().map(Some).collect(),
        }
    }

    fn entry(&mut self, at: usize) -> Option<&mut RequestEntry> {
        self.entries.get_mut(at)?.as_mut()
    }

    fn close(&mut self, at: usize, state: RequestState) {
        if let Some(request) = self.entry(at) {
            request.state = state;
        }
    }

    fn earlier(&mut self, fact: &RequestFact) {
        match fact.earlier {
            Earlier::Stand => {}
            Earlier::Done => {
                for (at, _) in std::mem::take(&mut self.open) {
                    self.close(at, RequestState::Done);
                }
            }
            Earlier::Dropped => {
                if let Some((at, _)) = self.open.pop() {
                    self.close(at, RequestState::Dropped);
                }
            }
            Earlier::Superseded => {
                let latest = self.open.last().map(|(at, _)| *at);
                let Some(request) = latest.and_then(|at| self.entry(at)) else { return };
                if substance(&request.text) <= WORDS_OF_BRIEF {
                    request.state = RequestState::Superseded;
                    request.superseded_by =
                        Some(clip_words(&one_line(&fact.text), LONGEST_SUCCESSOR).to_owned());
                    self.open.pop();
                }
            }
        }
    }

    fn ask(&mut self, fact: &RequestFact) {
        let place = self.entries.len();
        let key = key::of_text(&fact.text);
        let known = self.at.insert(key, place);
        // Asked again, it is open again, and the latest.
        let again = known.and_then(|at| self.entries.get_mut(at)?.take());
        self.open.retain(|(at, _)| Some(*at) != known);
        let mut seqs = again.map(|request| request.seqs).unwrap_or_default();
        join_seqs(&mut seqs, &fact.seqs);
        let (text, state) = (fact.text.clone(), RequestState::Open);
        self.entries.push(Some(RequestEntry {
            text,
            state,
            superseded_by: None,
            outcome: None,
            seqs,
            session_id: None,
            key: key.into(),
        }));
        let first = *self.first.get_or_insert(place);
        if Some(first) == known {
            self.first = self.entries.iter().position(|r| r.as_ref().is_some_and(|r| r.session_id.is_none()));
        }
        // Behind those that stood before it when it was asked first, there are as many as were.
        let moved = self.open.iter_mut().filter(|(at, _)| known.is_none_or(|known| *at > known));
        moved.for_each(|(_, later)| *later += 1);
        self.open.push((place, 0));
        let over: Vec<usize> =
            self.open.iter().filter(|(_, later)| *later >= LATER).map(|(at, _)| *at).collect();
        for at in over {
            // The brief that a session opens with stays until the agent reports.
            let words = self.entry(at).map_or(0, |request| substance(&request.text));
            if Some(at) != self.first || words <= WORDS_OF_BRIEF {
                self.close(at, RequestState::Done);
                self.open.retain(|(open, _)| *open != at);
            }
        }
    }
}

/// Keeps the summary within its bound; gives how many requests went.
pub(super) fn bound(record: &mut Vec<RequestEntry>) -> u32 {
    let mut surplus = record.len().saturating_sub(MOST);
    let gone = surplus;
    for closed in [true, false] {
        record.retain(|request| {
            let goes = surplus > 0 && (request.state != RequestState::Open) == closed;
            surplus -= usize::from(goes);
            !goes
        });
    }
    u32::try_from(gone).unwrap_or(u32::MAX)
}
