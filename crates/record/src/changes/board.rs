//! The summary while a model changes it: its entries are numbered, and changes are applied piece by piece.
//!
//! Invariant: a number means the same entry from the first piece of a span to its last. A closed entry keeps
//! its number and takes no further change; if its list removes closed entries, it is removed after the last
//! piece.

use std::collections::BTreeSet;

use super::super::file_history::identity;
use super::super::summary::{Blocker, CurrentState, Decision, Remark, RequestEntry, RequestState, Summary};
use super::list::{List, Number};
use super::reply::{Addition, Changes, Closing, Ended, Revision};
use anchord_facts::key::{self, Key};
use anchord_facts::thing::{NOTE, Property, Thing};
use anchord_facts::wording::{self, join_seqs};
use anchord_messages::id::Seq;

/// The most messages that one entry refers to.
const MOST_SEQS: usize = 20;

/// Why a change cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefusedChange {
    /// No entry has the number.
    #[error("no entry has this number")]
    Unknown,
    /// The entry is closed.
    #[error("this entry is closed")]
    Closed,
    /// Code writes the entry.
    #[error("code keeps this entry")]
    Support,
    /// Only requests can be opened again.
    #[error("only a request is opened again")]
    Ending,
    /// Things and files need a name.
    #[error("\"name\" is empty")]
    NoName,
}

/// The summary while a model changes it.
#[derive(Clone, Debug, Default)]
pub struct Board {
    summary: Summary,
    /// Entries that the model closed, of lists that remove closed entries.
    gone: BTreeSet<Number>,
}

impl Board {
    /// Numbers the entries of a summary into which code merged the span.
    pub fn new(summary: Summary) -> Self {
        Self { summary, gone: BTreeSet::new() }
    }

    /// The summary with the changes so far.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// How many entries a list has, closed ones included.
    pub fn len_of(&self, list: List) -> usize {
        let record = &self.summary;
        match list {
            List::Requests => record.requests.len(),
            List::Decisions => record.decisions_made.len(),
            List::Things => record.things.len(),
            List::Files => record.files_modified.len(),
            List::Findings => record.findings.len(),
            List::Questions => record.open_questions.len(),
            List::Blockers => record.blockers.len(),
            List::Next => record.next_steps.len(),
        }
    }

    /// The newest message that an entry refers to: about when it was changed last.
    pub(super) fn newest(&self, number: Number) -> Seq {
        let (record, at) = (&self.summary, number.at);
        let seqs = match number.list {
            List::Requests => record.requests.get(at).map(|request| &request.seqs),
            List::Decisions => record.decisions_made.get(at).map(|decision| &decision.seqs),
            List::Things => record.things.get(at).map(|thing| &thing.seqs),
            List::Files => record.files_modified.get(at).map(|file| &file.seqs),
            List::Findings => record.findings.get(at).map(|finding| &finding.seqs),
            List::Questions => record.open_questions.get(at).map(|question| &question.seqs),
            List::Blockers => record.blockers.get(at).map(|blocker| &blocker.seqs),
            List::Next => Some(&record.next_steps_seqs),
        };
        seqs.into_iter().flatten().copied().max().unwrap_or_default()
    }

    /// The part of an entry's text that a model may write.
    pub fn text(&self, number: Number) -> Option<String> {
        let (record, at) = (&self.summary, number.at);
        match number.list {
            List::Requests => record.requests.get(at).map(|request| request.text.clone()),
            List::Decisions => record.decisions_made.get(at).map(decided),
            List::Things => record.things.get(at).map(|thing| note(thing).unwrap_or_default().to_owned()),
            List::Files => record.files_modified.get(at).map(|file| file.purpose.clone().unwrap_or_default()),
            List::Findings => record.findings.get(at).map(|finding| finding.text.clone()),
            List::Questions => record.open_questions.get(at).map(|question| question.text.clone()),
            List::Blockers => record.blockers.get(at).map(|blocker| blocker.text.clone()),
            List::Next => record.next_steps.get(at).cloned(),
        }
    }

    /// Whether an entry is closed.
    pub fn is_closed(&self, number: Number) -> bool {
        let record = &self.summary;
        self.gone.contains(&number)
            || match number.list {
                List::Requests => {
                    record.requests.get(number.at).is_some_and(|r| r.state != RequestState::Open)
                }
                List::Decisions => {
                    record.decisions_made.get(number.at).is_some_and(|d| d.superseded_by.is_some())
                }
                List::Things
                | List::Files
                | List::Findings
                | List::Questions
                | List::Blockers
                | List::Next => false,
            }
    }

    /// Checks that an entry can be changed.
    ///
    /// # Errors
    /// When it cannot, with the reason.
    pub fn find(&self, id: &str) -> Result<Number, RefusedChange> {
        let number = Number::read(id).filter(|number| number.at < self.len_of(number.list));
        let number = number.ok_or(RefusedChange::Unknown)?;
        // A request that code marked as done may get an outcome, or may still be open.
        if self.is_closed(number) && number.list != List::Requests {
            return Err(RefusedChange::Closed);
        }
        let blocker = self.summary.blockers.get(number.at).filter(|_| number.list == List::Blockers);
        if blocker.is_some_and(super::super::merge::is_of_failing_tests) {
            return Err(RefusedChange::Support);
        }
        Ok(number)
    }

    /// Checks that an entry can end in this way.
    ///
    /// # Errors
    /// When it cannot, with the reason.
    pub fn may_close(&self, closing: &Closing) -> Result<Number, RefusedChange> {
        let number = self.find(&closing.id)?;
        let is_told =
            |at: usize| self.summary.requests.get(at).is_some_and(|request| request.outcome.is_some());
        let reopens = closing.ended == Ended::Reopened;
        if number.list == List::Requests && self.is_closed(number) && is_told(number.at) && !reopens {
            return Err(RefusedChange::Closed);
        }
        if closing.ended == Ended::Reopened && number.list != List::Requests {
            return Err(RefusedChange::Ending);
        }
        Ok(number)
    }

    /// Checks that an entry can be added.
    ///
    /// # Errors
    /// When it cannot, with the reason.
    pub fn may_add(&self, added: &Addition) -> Result<(), RefusedChange> {
        match added.section {
            List::Things | List::Files if added.name.is_empty() => Err(RefusedChange::NoName),
            List::Requests
            | List::Decisions
            | List::Things
            | List::Files
            | List::Findings
            | List::Questions
            | List::Blockers
            | List::Next => Ok(()),
        }
    }

    /// The file with this path, changed or read.
    fn file(&self, path: &str) -> Option<(bool, usize)> {
        let wanted = identity(path);
        let is_it = |known: &str| {
            let known = identity(known);
            known == wanted || known.ends_with(&format!("/{wanted}"))
        };
        let changed = self.summary.files_modified.iter().position(|file| is_it(&file.path));
        let read = || self.summary.files_read.iter().position(|file| is_it(&file.path));
        changed.map(|at| (true, at)).or_else(|| read().map(|at| (false, at)))
    }

    /// Applies changes that were checked; skips those that are not possible any more.
    pub fn apply(&mut self, changes: &Changes) {
        let record = &mut self.summary;
        if !changes.intent.is_empty() {
            record.session_intent.clone_from(&changes.intent);
            record.session_intent_seqs.clone_from(&changes.seqs);
        }
        if !changes.state.is_empty() {
            let (phase, task) = (record.current_state.phase.take(), record.current_state.task.take());
            record.current_state = CurrentState {
                phase,
                task,
                text: changes.state.clone(),
                seqs: changes.seqs.clone(),
                since: Vec::new(),
            };
        }
        for revised in &changes.append {
            self.revise(revised, true);
        }
        for revised in &changes.update {
            self.revise(revised, false);
        }
        for closing in &changes.close {
            self.close(closing);
        }
        for added in &changes.add {
            self.add(added);
        }
    }

    fn revise(&mut self, revised: &Revision, behind: bool) {
        let Ok(number) = self.find(&revised.id) else { return };
        let before = self.text(number).filter(|_| behind).unwrap_or_default();
        let text = joined(&before, &revised.text);
        let (record, at) = (&mut self.summary, number.at);
        let seqs = match number.list {
            List::Requests => record.requests.get_mut(at).map(|request| {
                request.text = text;
                request.key = Key::default();
                &mut request.seqs
            }),
            List::Decisions => record.decisions_made.get_mut(at).map(|decision| {
                decision.decision = text;
                decision.key = Key::default();
                decision.rationale.clear();
                decision.alternatives.clear();
                &mut decision.seqs
            }),
            List::Things => record.things.get_mut(at).map(|thing| {
                write_note(thing, text);
                &mut thing.seqs
            }),
            List::Files => record.files_modified.get_mut(at).map(|file| {
                file.purpose = Some(text);
                &mut file.seqs
            }),
            List::Findings => record.findings.get_mut(at).map(|finding| {
                finding.text = text;
                &mut finding.seqs
            }),
            List::Questions => record.open_questions.get_mut(at).map(|question| {
                question.text = text;
                &mut question.seqs
            }),
            List::Blockers => record.blockers.get_mut(at).map(|blocker| {
                blocker.text = text;
                &mut blocker.seqs
            }),
            List::Next => record.next_steps.get_mut(at).map(|step| {
                *step = text;
                &mut record.next_steps_seqs
            }),
        };
        if let Some(seqs) = seqs {
            see(seqs, &revised.seqs);
        }
    }

    fn close(&mut self, closing: &Closing) {
        let Ok(number) = self.may_close(closing) else { return };
        match number.list {
            List::Requests => {
                let Some(request) = self.summary.requests.get_mut(number.at) else { return };
                if closing.ended == Ended::Reopened || request.state == RequestState::Open {
                    request.state = match closing.ended {
                        Ended::Reopened => RequestState::Open,
                        Ended::Dropped => RequestState::Dropped,
                        Ended::Superseded => RequestState::Superseded,
                        Ended::Done | Ended::Overturned | Ended::Resolved | Ended::Answered => {
                            RequestState::Done
                        }
                    };
                }
                request.outcome = Some(closing.note.clone()).filter(|note| !note.is_empty());
                see(&mut request.seqs, &closing.seqs);
            }
            List::Decisions => {
                let Some(decision) = self.summary.decisions_made.get_mut(number.at) else { return };
                let by = if closing.note.is_empty() { closing.ended.as_ref() } else { &closing.note };
                decision.superseded_by = Some(by.to_owned());
                see(&mut decision.seqs, &closing.seqs);
            }
            List::Things => {
                // The properties that code found stay.
                if let Some(thing) = self.summary.things.get_mut(number.at) {
                    thing.properties.retain(|property| property.name != NOTE);
                    if thing.properties.is_empty() {
                        self.gone.insert(number);
                    }
                }
            }
            List::Findings | List::Questions | List::Blockers | List::Next => {
                self.gone.insert(number);
            }
            // The facts that code found about a file stay, as with a thing.
            List::Files => {
                if let Some(file) = self.summary.files_modified.get_mut(number.at) {
                    file.purpose = None;
                }
            }
        }
    }

    fn add(&mut self, added: &Addition) {
        if self.may_add(added).is_err() {
            return;
        }
        let file = self.file(&added.name).filter(|_| added.section == List::Files);
        let record = &mut self.summary;
        let (text, seqs) = (added.text.clone(), added.seqs.clone());
        let remark = |text| Remark { text, seqs: seqs.clone(), session_id: None };
        match added.section {
            List::Requests => {
                let key = key::of_text(&text);
                if !record.requests.iter().any(|request| request.key() == key) {
                    let (state, superseded_by, outcome) = (RequestState::Open, None, None);
                    record.requests.push(RequestEntry {
                        text,
                        state,
                        superseded_by,
                        outcome,
                        seqs,
                        session_id: None,
                        key: key.into(),
                    });
                }
            }
            List::Decisions => {
                let key = key::of_text(&text);
                if !record.decisions_made.iter().any(|decision| decision.key() == key) {
                    record.decisions_made.push(Decision {
                        decision: text,
                        seqs,
                        key: key.into(),
                        ..Decision::default()
                    });
                }
            }
            List::Things => note_thing(&mut record.things, ("", &added.name), text, seqs),
            List::Files => match file {
                Some((true, at)) => {
                    if let Some(file) = record.files_modified.get_mut(at) {
                        file.purpose = Some(joined(file.purpose.as_deref().unwrap_or_default(), &text));
                    }
                }
                Some((false, at)) => {
                    if let Some(file) = record.files_read.get_mut(at) {
                        file.reason = Some(text);
                    }
                }
                // The ledger saw it neither read nor changed, but a listing may have shown it.
                None => note_thing(&mut record.things, ("file", &added.name), text, seqs),
            },
            List::Findings => push(&mut record.findings, remark(text)),
            List::Questions => push(&mut record.open_questions, remark(text)),
            List::Blockers => {
                let known = wording::normalized(&text);
                if !record.blockers.iter().any(|blocker| wording::normalized(&blocker.text) == known) {
                    record.blockers.push(Blocker { text, seqs, session_id: None });
                }
            }
            List::Next => {
                let known = wording::normalized(&text);
                if !record.next_steps.iter().any(|step| wording::normalized(step) == known) {
                    record.next_steps.push(text);
                    see(&mut record.next_steps_seqs, &seqs);
                }
            }
        }
    }

    /// The summary without the closed entries of lists that remove them.
    pub fn finish(self) -> Summary {
        let Self { mut summary, gone } = self;
        let keep = |list: List| {
            let mut at = 0..;
            let gone = &gone;
            move || at.next().is_none_or(|at| !gone.contains(&Number { list, at }))
        };
        retain(&mut summary.things, keep(List::Things));
        retain(&mut summary.findings, keep(List::Findings));
        retain(&mut summary.open_questions, keep(List::Questions));
        retain(&mut summary.blockers, keep(List::Blockers));
        retain(&mut summary.next_steps, keep(List::Next));
        if summary.next_steps.is_empty() {
            summary.next_steps_seqs.clear();
        }
        summary
    }
}

fn retain<T>(entries: &mut Vec<T>, mut keep: impl FnMut() -> bool) {
    entries.retain(|_| keep());
}

fn push(remarks: &mut Vec<Remark>, new: Remark) {
    let key = wording::normalized(&new.text);
    if !remarks.iter().any(|known| wording::normalized(&known.text) == key) {
        remarks.push(new);
    }
}

/// A decision as one text, with its reason and alternatives.
pub(super) fn decided(decision: &Decision) -> String {
    let mut text = decision.decision.clone();
    if !decision.rationale.trim().is_empty() {
        text.push_str(" Why: ");
        text.push_str(&decision.rationale);
    }
    if !decision.alternatives.is_empty() {
        text.push_str(" Instead of: ");
        text.push_str(&decision.alternatives.join(", "));
    }
    text
}

/// The text that a model wrote about a thing.
pub(super) fn note(thing: &Thing) -> Option<&str> {
    thing.properties.iter().find(|property| property.name == NOTE).map(|property| property.value.as_str())
}

/// Adds a text about a thing, which is found by its name or is new.
fn note_thing(things: &mut Vec<Thing>, (kind, name): (&str, &str), text: String, seqs: Vec<Seq>) {
    let wanted = wording::normalized(name);
    let is_it = |thing: &&mut Thing| {
        wording::normalized(&thing.id) == wanted
            || wording::normalized(&format!("{} {}", thing.kind, thing.id)) == wanted
    };
    if let Some(thing) = things.iter_mut().find(is_it) {
        let before = note(thing).unwrap_or_default().to_owned();
        write_note(thing, joined(&before, &text));
        see(&mut thing.seqs, &seqs);
    } else {
        let properties = vec![Property::new(NOTE, text)];
        things.push(Thing {
            kind: kind.to_owned(),
            id: name.to_owned(),
            properties,
            seqs,
            ..Thing::default()
        });
    }
}

fn write_note(thing: &mut Thing, text: String) {
    match thing.properties.iter_mut().find(|property| property.name == NOTE) {
        Some(known) => *known = Property::new(NOTE, text),
        None => thing.properties.push(Property::new(NOTE, text)),
    }
}

/// Two texts as one; the second is left out when the first contains it.
fn joined(before: &str, text: &str) -> String {
    let before = before.trim_end();
    if before.is_empty() || before.contains(text) {
        return if before.is_empty() { text.to_owned() } else { before.to_owned() };
    }
    let ends = before.ends_with(['.', '!', '?', ';', '。', '！', '？']);
    format!("{before}{} {text}", if ends { "" } else { "." })
}

fn see(seqs: &mut Vec<Seq>, more: &[Seq]) {
    join_seqs(seqs, more);
    let surplus = seqs.len().saturating_sub(MOST_SEQS);
    seqs.drain(..surplus);
}
