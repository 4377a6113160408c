//! Checks, clause by clause, that messages or summary support what a reply says.
//!
//! Code cannot tell whether a paraphrase is true, and common words are not checked. It can tell that a name,
//! a path or a figure appears nowhere; that a figure, an id or a person's name appears only together with
//! other things; and that something which a person is said to want or have decided was printed by a tool and
//! said by nobody. The last rule loses some true sentences, which code's own engine supplies.

use super::board::Board;
use super::chunk::Chunk;
use super::claim::{Claim, Entry, Fault, Support};
use super::corpus::Corpus;
use super::list::List;
use super::reply::Changes;
use anchord_messages::id::Seq;

/// A reply after the check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckedReply {
    /// Entries that the data supports as a whole.
    pub whole: Changes,
    /// Entries without the clauses that the data does not support.
    pub trimmed: Changes,
    /// Entries without any supported clause.
    pub dropped: u32,
    /// Unsupported clauses, and changes that are not possible.
    pub faults: Vec<Fault>,
}

/// Checks a reply against the piece that it is about and the summary that it changes.
#[must_use]
pub fn check(changes: Changes, chunk: &Chunk, board: &Board) -> CheckedReply {
    let corpus = Corpus::new(chunk, board);
    let mut checked = CheckedReply::default();
    let (intent, state) = (changes.intent, changes.state);
    let seqs = corpus.own(&changes.seqs);
    for (place, text, claim) in [("intent", intent, Claim::Aim), ("state", state, Claim::Standing)] {
        let entry = Entry { place: place.to_owned(), claim, named: "", before: "" };
        let kept = corpus.keep(&entry, &text, &mut seqs.clone(), &mut checked.faults);
        let into = checked.place_for(&kept, &text);
        if let (Some(into), Support::Whole(text) | Support::Part(text)) = (into, kept) {
            let slot = if claim == Claim::Aim { &mut into.intent } else { &mut into.state };
            *slot = text;
        }
    }
    let or_end = |seqs: Vec<Seq>| if seqs.is_empty() { vec![chunk.through_seq] } else { seqs };
    checked.whole.seqs = or_end(seqs);
    checked.trimmed.seqs.clone_from(&checked.whole.seqs);
    for (at, mut added) in changes.add.into_iter().enumerate() {
        let place = format!("add {} ({})", at + 1, added.section.as_str());
        if let Err(refused) = board.may_add(&added) {
            checked.refuse(place, added.text, &refused);
            continue;
        }
        let mut seqs = corpus.own(&added.seqs);
        if added.section == List::Requests && !corpus.is_by_a_person(&seqs) {
            checked.refuse(place, added.text, &"no message of a person is cited");
            continue;
        }
        let text = std::mem::take(&mut added.text);
        let name = added.name.clone();
        // The name of a thing or a file is checked with its text.
        let named = if !added.name.is_empty() && !text.contains(&added.name) {
            format!("{}: {text}", added.name)
        } else {
            text.clone()
        };
        let entry = Entry { place, claim: claim_on(added.section), named: &name, before: "" };
        let kept = corpus.keep(&entry, &named, &mut seqs, &mut checked.faults);
        let into = checked.place_for(&kept, &text);
        if let (Some(into), Support::Whole(kept) | Support::Part(kept)) = (into, kept) {
            let prefix = format!("{}: ", added.name);
            let kept =
                if named == text { kept } else { kept.strip_prefix(&prefix).unwrap_or_default().to_owned() };
            if !kept.is_empty() {
                (added.text, added.seqs) = (kept, or_end(seqs));
                into.add.push(added);
            }
        }
    }
    for (is_append, revised) in
        changes.append.into_iter().map(|r| (true, r)).chain(changes.update.into_iter().map(|r| (false, r)))
    {
        let mut revised = revised;
        let place = format!("{} {}", if is_append { "append" } else { "update" }, revised.id);
        let number = match board.find(&revised.id) {
            Ok(number) => number,
            Err(refused) => {
                checked.refuse(place, revised.text, &refused);
                continue;
            }
        };
        let before = corpus.before(number);
        let mut seqs = corpus.own(&revised.seqs);
        let entry = Entry { place, claim: claim_on(number.list), named: "", before: &before };
        let kept = corpus.keep(&entry, &revised.text, &mut seqs, &mut checked.faults);
        let into = checked.place_for(&kept, &revised.text);
        if let (Some(into), Support::Whole(kept) | Support::Part(kept)) = (into, kept) {
            (revised.text, revised.seqs) = (kept, or_end(seqs));
            if is_append { into.append.push(revised) } else { into.update.push(revised) }
        }
    }
    for mut closing in changes.close {
        let place = format!("close {}", closing.id);
        let number = match board.may_close(&closing) {
            Ok(number) => number,
            Err(refused) => {
                checked.refuse(place, closing.note, &refused);
                continue;
            }
        };
        let before = corpus.before(number);
        let mut seqs = corpus.own(&closing.seqs);
        // The model may say that it is over; the outcome is checked against the data.
        let entry = Entry { place, claim: Claim::Fact, named: "", before: &before };
        let kept = corpus.keep(&entry, &closing.note, &mut seqs, &mut checked.faults);
        closing.seqs = or_end(seqs);
        match kept {
            Support::Whole(_) | Support::Nothing if closing.note.is_empty() => {
                checked.whole.close.push(closing);
            }
            Support::Whole(_) => checked.whole.close.push(closing),
            Support::Part(note) => {
                closing.note = note;
                checked.trimmed.close.push(closing);
            }
            Support::Nothing => {
                closing.note.clear();
                checked.trimmed.close.push(closing);
            }
        }
    }
    checked
}

impl CheckedReply {
    /// The list for an entry, by how much of it is supported; none when it is empty.
    fn place_for(&mut self, kept: &Support, told: &str) -> Option<&mut Changes> {
        match kept {
            Support::Whole(_) => Some(&mut self.whole),
            Support::Part(_) => Some(&mut self.trimmed),
            Support::Nothing => {
                self.dropped += u32::from(!told.is_empty());
                None
            }
        }
    }

    fn refuse(&mut self, place: String, clause: String, why: &impl ToString) {
        self.dropped += 1;
        self.faults.push(Fault { place, clause, why: why.to_string() });
    }
}

fn claim_on(list: List) -> Claim {
    match list {
        List::Things | List::Files | List::Findings => Claim::Fact,
        List::Blockers => Claim::Standing,
        List::Decisions | List::Questions | List::Next => Claim::Will,
        List::Requests => Claim::Aim,
    }
}
