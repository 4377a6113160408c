//! Merges requests: each once, in order; a later message marks earlier ones as done, dropped or superseded.

use std::collections::{BTreeSet, HashMap};

use super::super::changes::List;
use super::super::ids::Ids;
use super::super::summary::{RequestEntry, RequestState, Summary};
use anchord_facts::key;
use anchord_facts::ledger::prose;
use anchord_facts::ledger::requests::{Earlier, RequestFact, is_about, is_aside, shared_words, substance};
use anchord_facts::wording::{clip_words, join_seqs, one_line};

/// A request of more words is a brief: a change of mind adds to it and does not supersede it.
const WORDS_OF_BRIEF: usize = 30;
/// A short request counts as done after this many later requests.
const LATER: usize = 3;
/// So many of the latest requests may be revised by a later message.
const REVISED: usize = 20;
/// The most characters of `superseded_by`.
const LONGEST_SUCCESSOR: usize = 160;
/// The most requests of a summary; closed ones are removed first, the oldest of them first.
const MOST: usize = 200;

/// The requests of a summary, if there is one, with those of the span merged into them, and without those that the caller closed.
pub fn after(record: Option<&Summary>, new: &[RequestFact], dropped: &BTreeSet<String>) -> Vec<RequestEntry> {
    let mut requests = record.map(|record| record.requests.clone()).unwrap_or_default();
    fold(&mut requests, new, (record.map_or(&Ids::default(), |record| &record.ids), dropped));
    requests
}

/// Closes the requests that the caller dropped, also where work that went on has ended them since. They stay in the record, as
/// people's words do.
pub fn close(requests: &mut [RequestEntry], dropped: &BTreeSet<String>) {
    if dropped.is_empty() {
        return;
    }
    let stands = |request: &&mut RequestEntry| request.state != RequestState::Superseded;
    for request in requests.iter_mut().filter(stands).filter(|request| dropped.contains(&request.id())) {
        request.state = RequestState::Dropped;
    }
}

/// Merges the span's requests into the record's, message by message. `ids` knows which a model holds open, and `dropped` has those
/// that the caller closed, about which a message says nothing any more.
pub(super) fn fold(
    record: &mut Vec<RequestEntry>,
    new: &[RequestFact],
    (ids, dropped): (&Ids, &BTreeSet<String>),
) {
    close(record, dropped);
    if new.is_empty() {
        return;
    }
    let mut fold = Fold { held_open: ids.settled(List::Requests), ..Fold::of(std::mem::take(record)) };
    for fact in new {
        fold.earlier(fact);
        if !fact.text.is_empty() {
            fold.ask(fact);
        }
    }
    record.extend(fold.entries.into_iter().flatten());
    close(record, dropped);
}

/// The requests of a summary while those of a span are merged. It has indexes, so that the cost is linear in
/// both.
struct Fold {
    /// In order; `None` where a request was repeated later and moved to the end.
    entries: Vec<Option<RequestEntry>>,
    /// The places of the requests, by the key of their wording.
    at: HashMap<u64, usize>,
    /// The places of requests that are open, each with the number of requests after it.
    open: Vec<(usize, usize)>,
    /// The open ones among them that only want an answer.
    asides: Vec<usize>,
    /// The place of the session's first request.
    first: Option<usize>,
    /// The keys of those that a model opened again: that the work goes on does not close them.
    held_open: BTreeSet<u64>,
}

impl Fold {
    fn of(record: Vec<RequestEntry>) -> Self {
        let counts =
            |at: usize| record.get(at).is_some_and(|request| !request.answers && !is_aside(&request.text));
        let is_aside = |at: usize| record.get(at).is_some_and(|request| is_aside(&request.text));
        let (mut open, mut later) = (Vec::new(), 0);
        for (at, request) in record.iter().enumerate().rev() {
            if request.state == RequestState::Open {
                open.push((at, later));
            }
            later += usize::from(later < LATER && counts(at));
        }
        open.reverse();
        let asides = open.iter().map(|(at, _)| *at).filter(|at| is_aside(*at)).collect();
        Self {
            at: record.iter().enumerate().map(|(at, request)| (request.key(), at)).collect(),
            open,
            asides,
            first: (!record.is_empty()).then_some(0),
            entries: record.into_iter().map(Some).collect(),
            held_open: BTreeSet::new(),
        }
    }

    fn entry(&mut self, at: usize) -> Option<&mut RequestEntry> {
        self.entries.get_mut(at)?.as_mut()
    }

    fn close(&mut self, at: usize, state: RequestState) {
        let key = self.entry(at).map(|request| request.key());
        if state == RequestState::Done && key.is_some_and(|key| self.held_open.contains(&key)) {
            return;
        }
        self.open.retain(|(open, _)| *open != at);
        if let Some(request) = self.entry(at) {
            request.state = state;
        }
    }

    /// Applies what a message says about earlier requests.
    fn earlier(&mut self, fact: &RequestFact) {
        let asides = std::mem::take(&mut self.asides);
        if fact.earlier != Earlier::Dropped {
            // The person goes on, so what was only to be answered is over.
            for at in asides {
                self.close(at, RequestState::Done);
            }
        }
        match fact.earlier {
            Earlier::Stand => {}
            Earlier::Done => {
                for at in self.open.iter().map(|(at, _)| *at).collect::<Vec<_>>() {
                    self.close(at, RequestState::Done);
                }
            }
            Earlier::Dropped => {
                if let Some((at, _)) = self.open.last() {
                    self.close(*at, RequestState::Dropped);
                }
            }
            Earlier::Superseded => {
                // A change of mind may be about a request before the latest: one that shares more words with it.
                let latest = self.open.last().map(|(at, _)| *at);
                let shared =
                    self.standing().map(|(at, request)| (shared_words(&request.text, &fact.text), at));
                let closest =
                    shared.filter(|(shared, at)| *shared >= 2 || *shared > 0 && Some(*at) == latest);
                let meant = closest.max_by_key(|(shared, at)| (*shared, *at)).map(|(_, at)| at).or(latest);
                if let Some(at) =
                    meant.filter(|at| self.words(*at) <= WORDS_OF_BRIEF && !self.asks_more(*at, fact))
                {
                    self.supersede(at, fact);
                }
            }
            Earlier::Revised => {
                let revised = self.standing().find(|(_, request)| is_about(&request.text, &fact.text));
                if let Some((at, _)) = revised.filter(|(at, _)| !self.asks_more(*at, fact)) {
                    self.supersede(at, fact);
                }
            }
        }
    }

    /// Whether a request asks for something besides what the later message is about, in a sentence of its own.
    fn asks_more(&self, at: usize, fact: &RequestFact) -> bool {
        let text = self.entries.get(at).and_then(Option::as_ref).map_or("", |request| &request.text);
        let sentences = prose::sentences(text);
        let about = sentences.iter().filter(|sentence| is_about(&sentence.text, &fact.text)).count();
        (1..sentences.len()).contains(&about)
    }

    /// The newest requests that a later message may change, the newest first.
    fn standing(&self) -> impl Iterator<Item = (usize, &RequestEntry)> {
        let newest = self.entries.iter().enumerate().rev().take(REVISED);
        newest.filter_map(|(at, request)| Some((at, request.as_ref()?))).filter(|(_, request)| {
            matches!(request.state, RequestState::Open | RequestState::Done) && !is_aside(&request.text)
        })
    }

    fn words(&self, at: usize) -> usize {
        self.entries.get(at).and_then(Option::as_ref).map_or(0, |request| substance(&request.text))
    }

    fn supersede(&mut self, at: usize, fact: &RequestFact) {
        if let Some(request) = self.entry(at) {
            request.superseded_by = Some(clip_words(&one_line(&fact.text), LONGEST_SUCCESSOR).to_owned());
        }
        self.close(at, RequestState::Superseded);
    }

    /// Adds a request as open and the latest.
    fn ask(&mut self, fact: &RequestFact) {
        let place = self.entries.len();
        let key = key::of_text(&fact.text);
        let previous = self.at.insert(key, place);
        // A repeated request is open again and moves to the end.
        let again = previous.and_then(|at| self.entries.get_mut(at)?.take());
        self.open.retain(|(at, _)| Some(*at) != previous);
        let mut seqs = again.map(|request| request.seqs).unwrap_or_default();
        join_seqs(&mut seqs, &fact.seqs);
        let (text, state) = (fact.text.clone(), RequestState::Open);
        self.entries.push(Some(RequestEntry {
            text,
            state,
            answers: fact.answers,
            seqs,
            key: key.into(),
            ..RequestEntry::default()
        }));
        let first = *self.first.get_or_insert(place);
        if Some(first) == previous {
            // It is never before the one that was repeated.
            let mut later = self.entries.iter().enumerate().skip(first);
            self.first = later.find(|(_, request)| request.is_some()).map(|(at, _)| at);
        }
        // A request before the repeated one's old place has counted it already.
        if is_aside(&fact.text) {
            self.asides.push(place);
        } else if !fact.answers {
            let moved = self.open.iter_mut().filter(|(at, _)| previous.is_none_or(|previous| *at > previous));
            moved.for_each(|(_, later)| *later += 1);
        }
        self.open.push((place, 0));
        let over: Vec<usize> =
            self.open.iter().filter(|(_, later)| *later >= LATER).map(|(at, _)| *at).collect();
        for at in over {
            // The brief that a session begins with stays open until the agent reports.
            if Some(at) != self.first || self.words(at) <= WORDS_OF_BRIEF {
                self.close(at, RequestState::Done);
            }
        }
    }
}

/// Removes requests above the limit; returns how many.
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
