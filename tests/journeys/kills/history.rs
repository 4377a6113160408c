//! What clients were promised, held against what is stored.

use std::collections::BTreeMap;

/// How a client makes sure that a batch which it repeats is stored once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guard {
    /// It does not.
    Nothing,
    IdempotencyKey,
    ExpectedNextSeq,
}

/// A batch of two messages, as its client saw it.
#[derive(Clone, Debug)]
pub struct Batch {
    pub client: String,
    pub session: String,
    /// The messages; no other batch has them.
    pub texts: [String; 2],
    pub guard: Guard,
    /// Where it was said to be stored.
    pub first_seq: Option<i64>,
    /// Attempts that ended without an answer, or with one that leaves open what became of them.
    pub unknown: usize,
}

/// What is stored: position and text of the messages of each session.
pub type Stored = BTreeMap<String, Vec<(i64, String)>>;

/// What a check came to.
#[derive(Debug, Default)]
pub struct Verdict {
    /// Everything that broke a promise.
    pub problems: Vec<String>,
    /// Batches that are stored more than once because their client repeated them without a guard.
    pub repeated: usize,
    /// Batches that are stored and were never acknowledged.
    pub unacknowledged: usize,
}

/// Compares the batches, each client's in the order of sending, with what is stored.
pub fn check(batches: &[Batch], stored: &Stored) -> Verdict {
    let mut verdict = Verdict::default();
    let mut places: BTreeMap<(&str, &str), Vec<i64>> = BTreeMap::new();
    for (session, messages) in stored {
        for (place, (seq, text)) in (1..).zip(messages) {
            if *seq != place {
                verdict.problems.push(format!("{session} has {seq} in the place of {place}"));
            }
            places.entry((session, text)).or_default().push(*seq);
        }
    }
    let mut last: BTreeMap<(&str, &str), i64> = BTreeMap::new();
    for batch in batches {
        let session = batch.session.as_str();
        let name = format!("{session}: \"{}\"", batch.texts[0].get(..40).unwrap_or(&batch.texts[0]));
        let [first, second] =
            batch.texts.each_ref().map(|text| places.remove(&(session, text.as_str())).unwrap_or_default());
        if !first.iter().map(|seq| seq + 1).eq(second.iter().copied()) {
            verdict.problems.push(format!("{name} is stored in parts: at {first:?} and {second:?}"));
        }
        if let Some(seq) = batch.first_seq {
            if !first.contains(&seq) {
                verdict
                    .problems
                    .push(format!("{name} was acknowledged at {seq} and is lost: it is at {first:?}"));
            }
            let before = last.insert((&batch.client, session), seq);
            if before.is_some_and(|before| before >= seq) {
                verdict.problems.push(format!("{name} is at {seq}, before what its client sent before"));
            }
        }
        let acknowledged = usize::from(batch.first_seq.is_some());
        let most = match batch.guard {
            Guard::Nothing => acknowledged + batch.unknown,
            Guard::IdempotencyKey | Guard::ExpectedNextSeq => acknowledged.max(batch.unknown.min(1)),
        };
        if first.len() > most {
            let (copies, guard) = (first.len(), batch.guard);
            verdict
                .problems
                .push(format!("{name} ({guard:?}) is stored {copies} times and may be {most} times"));
        }
        verdict.repeated += usize::from(first.len() > 1);
        verdict.unacknowledged += usize::from(acknowledged == 0 && !first.is_empty());
    }
    verdict
        .problems
        .extend(places.keys().map(|(session, text)| format!("{session} has \"{text}\" from nobody")));
    verdict
}

/// The history without one acknowledged batch, and the positions after it closed up as if it had never been.
pub fn without(stored: &Stored, batch: &Batch) -> Stored {
    rewritten(stored, batch, |_| Vec::new())
}

/// The history with a batch twice.
pub fn doubled(stored: &Stored, batch: &Batch) -> Stored {
    rewritten(stored, batch, |pair| [pair.clone(), pair].concat())
}

fn rewritten(stored: &Stored, batch: &Batch, write: impl Fn(Vec<String>) -> Vec<String>) -> Stored {
    let mut stored = stored.clone();
    let messages = stored.get_mut(&batch.session).expect("a session");
    let texts: Vec<String> = messages.iter().map(|(_, text)| text.clone()).collect();
    let at = texts.iter().position(|text| *text == batch.texts[0]).expect("a batch that is stored");
    let (before, rest) = texts.split_at(at);
    let (pair, after) = rest.split_at(2);
    *messages = (1..).zip([before, &write(pair.to_vec()), after].concat()).collect();
    stored
}
