//! Checks a reply against the messages and the summary: who said what it records as somebody's wish, and whether its
//! names stand anywhere.
//!
//! Code cannot tell whether a paraphrase is true. It can tell that a wish is only what a tool printed: such an entry is
//! left out. And it can tell that an id, a path or a figure stands nowhere: such an entry is published with a mark.
//! Nothing is cut out of an entry, and no model is asked again because of its words.

use super::account::{Account, PROPOSAL};
use super::board::Board;
use super::chunk::Chunk;
use super::corpus::{Corpus, Speaker, count_names, marked, unmarked};
use super::list::{List, Number};
use super::reply::{Changes, Closing, Read};
use anchord_facts::wording::join_seqs;
use anchord_messages::id::Seq;

/// The changes of a reply that can be made, and how much of the reply they are.
pub fn check(read: Read, chunk: &Chunk, board: &Board) -> (Changes, Account) {
    let Read { changes, objections } = read;
    let mut check = Check { corpus: Corpus::new(chunk, board), account: Account::of(&changes) };
    let mut kept = Changes { seqs: check.corpus.own(&changes.seqs), ..Changes::default() };
    let asked: Vec<&str> = board.summary().requests.iter().map(|request| request.text.as_str()).collect();
    // The intent may be corrected after the person's message is gone: then its words are those of the requests.
    for (place, text, speaker, before) in [
        ("intent", changes.intent, Speaker::Person, asked.join("\n")),
        ("state", changes.state, Speaker::Nobody, String::new()),
    ] {
        if text.is_empty() {
            continue;
        }
        let mut seqs = check.corpus.of_speaker(speaker, &kept.seqs);
        let Some(text) = check.take(place, (speaker, &text, &before), "", &mut seqs) else { continue };
        *(if place == "intent" { &mut kept.intent } else { &mut kept.state }) = text;
        join_seqs(&mut kept.seqs, &seqs);
    }
    let or_end = |seqs: Vec<Seq>| if seqs.is_empty() { vec![chunk.through_seq] } else { seqs };
    kept.seqs = or_end(kept.seqs);
    for mut added in changes.add {
        let place = format!("add ({})", added.section.as_ref());
        if let Err(refused) = board.may_add(&added) {
            check.account.lose(&place, &added.text, &refused.to_string());
            continue;
        }
        let mut seqs = check.corpus.own(&added.seqs);
        let said = (speaker(added.section), added.text.as_str(), "");
        if let Some(text) = check.take(&place, said, &added.name, &mut seqs) {
            added.note = check.marked(&added.note, "", &mut seqs);
            (added.text, added.seqs) = (text, or_end(seqs));
            kept.add.push(added);
        }
    }
    for (verb, revised, into) in
        [("append", changes.append, &mut kept.append), ("update", changes.update, &mut kept.update)]
    {
        for mut revised in revised {
            let place = format!("{verb} {}", revised.id);
            let number = match board.may_revise(&revised.id) {
                Ok(number) => number,
                Err(refused) => {
                    check.account.lose(&place, &revised.text, &refused.to_string());
                    continue;
                }
            };
            let before = board.text(number).unwrap_or_default();
            let mut seqs = check.corpus.own(&revised.seqs);
            let said = (speaker(number.list), revised.text.as_str(), before.as_str());
            if let Some(text) = check.take(&place, said, "", &mut seqs) {
                (revised.text, revised.seqs) = (text, or_end(seqs));
                into.push(revised);
            }
        }
    }
    for mut closing in changes.close {
        let place = format!("close {}", closing.id);
        let number = match board.may_close(&closing) {
            Ok(number) => number,
            Err(refused) => {
                check.account.lose(&place, &closing.note, &refused.to_string());
                continue;
            }
        };
        let mut seqs = check.corpus.own(&closing.seqs);
        if number.list == List::Constraints {
            kept.close.extend(check.withdrawal(&place, closing, (board, number), &seqs));
            continue;
        }
        if let Some(note) = check.take(&place, (Speaker::Nobody, &closing.note, ""), "", &mut seqs) {
            (closing.note, closing.seqs) = (note, or_end(seqs));
            kept.close.push(closing);
        }
    }
    for objection in objections {
        check.account.told = check.account.told.saturating_add(1);
        check.account.lose("reply", "", &objection);
    }
    (kept, check.account)
}

struct Check<'a> {
    corpus: Corpus<'a>,
    account: Account,
}

impl Check<'_> {
    /// The end of a constraint in the words of the person who ended it. Where none of the cited messages is that person's, later and
    /// about the matter, it is a proposal, which changes nothing: both sides are told for people to judge.
    fn withdrawal(
        &mut self,
        place: &str,
        closing: Closing,
        (board, number): (&Board, Number),
        seqs: &[Seq],
    ) -> Option<Closing> {
        let constraint = board.constraint(number)?;
        if let Some((seq, words)) = self.corpus.ending(constraint, seqs) {
            return Some(Closing { note: words, seqs: vec![seq], ..closing });
        }
        let cited = seqs.iter().filter_map(|seq| self.corpus.quoted(*seq)).collect::<Vec<_>>();
        let cited = if cited.is_empty() { "no message of this part".to_owned() } else { cited.join(", ") };
        let both = format!(
            "\"{}\" stands; the model takes it for {} by {cited}",
            constraint.text,
            closing.ended.as_ref()
        );
        self.account.lose(place, &both, PROPOSAL);
        None
    }

    /// The text of an entry, with a mark when a name in it, or the entry's own `name`, stands nowhere; `None` when those did
    /// not say it who must have.
    fn take(
        &mut self,
        place: &str,
        (speaker, text, before): (Speaker, &str, &str),
        name: &str,
        seqs: &mut Vec<Seq>,
    ) -> Option<String> {
        let text = unmarked(text);
        if let Err(why) = self.corpus.require_said(speaker, (&text, before), seqs) {
            self.account.lose(place, &text, why);
            return None;
        }
        Some(self.marked(&text, name, seqs))
    }

    fn marked(&mut self, text: &str, name: &str, seqs: &mut Vec<Seq>) -> String {
        let mut unknown = self.corpus.unknown_names(name, seqs);
        unknown.extend(self.corpus.unknown_names(text, seqs));
        self.account.unverified += u32::from(!unknown.is_empty());
        let count = count_names(name).saturating_add(count_names(text));
        self.account.names = self.account.names.saturating_add(count);
        self.account.unknown += u32::try_from(unknown.len()).unwrap_or(u32::MAX);
        marked(text, &unknown)
    }
}

/// Who must have said an entry of a list.
fn speaker(list: List) -> Speaker {
    match list {
        List::Requests => Speaker::Person,
        List::Decisions => Speaker::Anyone,
        List::Next => Speaker::AnyoneUncited,
        List::Things
        | List::Files
        | List::Findings
        | List::Questions
        | List::Blockers
        | List::Errors
        | List::Tests
        | List::Constraints => Speaker::Nobody,
    }
}
