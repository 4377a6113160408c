//! The summary while a model changes it: its entries are numbered, and changes are applied piece by piece.
//!
//! Invariant: a number means the same entry for its whole life. An entry that is closed and that its list does not keep
//! takes no further change and is removed after the last piece. A person's demand ends by the person's own words alone.

use std::collections::{BTreeMap, BTreeSet};

use strum::VariantArray;

use super::super::file_history::identity;
use super::super::ids;
use super::super::merge::{is_blocked_by, is_of_failing_tests, merge_blockers};
use super::super::summary::{
    Blocker, Decision, ErrorStatus, ModifiedFile, ReadFile, Remark, RequestEntry, RequestState, Summary,
    TestResult,
};
use super::list::{List, Number};
use super::reply::{Addition, Became, Changes, Closing, Ended, Revision};
use anchord_facts::key::{self, Key};
use anchord_facts::ledger::constraints::{Constraint, withdraw};
use anchord_facts::ledger::{FileAction, FileFact};
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
    /// What is removed when it is over cannot be opened again.
    #[error("entries of this list are not opened again; add it anew")]
    Ending,
    /// Things and files need a name.
    #[error("\"name\" is empty")]
    NoName,
}

/// The summary while a model changes it.
#[derive(Clone, Debug, Default)]
pub struct Board {
    summary: Summary,
    /// The ids of each list's entries, in their order.
    ids: BTreeMap<List, Vec<u32>>,
    /// Entries that the model closed, of lists that remove closed entries.
    gone: BTreeSet<Number>,
    /// Demands that their person took back.
    withdrawn: Vec<Constraint>,
}

impl Board {
    /// Numbers the entries of a summary into which code merged the span.
    pub fn new(mut summary: Summary) -> Self {
        let mut ids = BTreeMap::new();
        for &list in List::VARIANTS {
            let keys = ids::keys(&summary, list);
            let numbers = summary.ids.number(list, &keys);
            summary.ids.hold(list, &numbers, &keys);
            ids.insert(list, numbers);
        }
        Self { summary, ids, ..Self::default() }
    }

    /// The summary with the changes so far.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The numbers of a list's entries, closed ones included, in their order.
    pub(super) fn numbers(&self, list: List) -> impl DoubleEndedIterator<Item = Number> + Clone + '_ {
        self.ids.get(&list).into_iter().flatten().map(move |id| Number { list, id: *id })
    }

    /// The oldest message that an entry refers to: about when it was made.
    pub(super) fn oldest(&self, number: Number) -> Seq {
        let (record, at) = (&self.summary, self.at(number).unwrap_or_default());
        let seqs = match number.list {
            List::Requests => record.requests.get(at).map(|request| &request.seqs),
            List::Decisions => record.decisions_made.get(at).map(|decision| &decision.seqs),
            List::Things => record.things.get(at).map(|thing| &thing.seqs),
            List::Files => record.files_modified.get(at).map(|file| &file.seqs),
            List::Findings => record.findings.get(at).map(|finding| &finding.seqs),
            // In the order of their ids.
            List::Questions
            | List::Blockers
            | List::Next
            | List::Errors
            | List::Tests
            | List::Constraints => None,
        };
        seqs.and_then(|seqs| seqs.iter().copied().min()).unwrap_or_default()
    }

    /// The index of an entry in its list.
    pub(super) fn at(&self, number: Number) -> Option<usize> {
        self.ids.get(&number.list)?.iter().position(|id| *id == number.id)
    }

    /// A demand by its number.
    pub(super) fn constraint(&self, number: Number) -> Option<&Constraint> {
        self.summary.constraints.get(self.at(number)?)
    }

    /// The demands that ended, whose probes are retired.
    pub fn take_withdrawn(&mut self) -> Vec<Constraint> {
        std::mem::take(&mut self.withdrawn)
    }

    /// The part of an entry's text that a model may write.
    pub fn text(&self, number: Number) -> Option<String> {
        let (record, at) = (&self.summary, self.at(number)?);
        match number.list {
            List::Requests => record.requests.get(at).map(|request| request.text.clone()),
            List::Decisions => record.decisions_made.get(at).map(decided),
            List::Things => record.things.get(at).map(|thing| thing.note().unwrap_or_default().to_owned()),
            List::Files => record.files_modified.get(at).map(|file| file.purpose.clone().unwrap_or_default()),
            List::Findings => record.findings.get(at).map(|finding| finding.text.clone()),
            List::Questions => record.open_questions.get(at).map(|question| question.text.clone()),
            List::Blockers => record.blockers.get(at).map(|blocker| blocker.text.clone()),
            List::Next => record.next_steps.get(at).cloned(),
            List::Errors => record.errors.get(at).map(|error| error.resolution.clone().unwrap_or_default()),
            List::Tests | List::Constraints => Some(String::new()),
        }
    }

    /// Whether an entry is closed.
    pub fn is_closed(&self, number: Number) -> bool {
        let (record, Some(at)) = (&self.summary, self.at(number)) else { return true };
        self.gone.contains(&number)
            || match number.list {
                List::Requests => record.requests.get(at).is_some_and(|r| r.state != RequestState::Open),
                List::Decisions => record.decisions_made.get(at).is_some_and(|d| d.superseded_by.is_some()),
                List::Errors => record.errors.get(at).is_some_and(|e| e.status == ErrorStatus::Resolved),
                List::Tests => record.test_results.get(at).is_some_and(|run| run.superseded_by.is_some()),
                List::Things
                | List::Files
                | List::Findings
                | List::Questions
                | List::Blockers
                | List::Next
                | List::Constraints => false,
            }
    }

    /// Finds the entry with a number, unless it is removed.
    fn find(&self, id: &str) -> Result<Number, RefusedChange> {
        let number = Number::read(id).filter(|number| self.at(*number).is_some());
        let number = number.ok_or(RefusedChange::Unknown)?;
        if self.gone.contains(&number) { Err(RefusedChange::Closed) } else { Ok(number) }
    }

    /// Checks that an entry's text can be changed.
    pub fn may_revise(&self, id: &str) -> Result<Number, RefusedChange> {
        let number = self.find(id)?;
        // What a run printed and what a person demanded stand word for word.
        let is_verbatim = matches!(number.list, List::Tests | List::Constraints);
        if is_verbatim { Err(RefusedChange::Support) } else { Ok(number) }
    }

    /// Checks that an entry can end in this way, or be opened again. One that is closed and kept takes another end or note.
    pub fn may_close(&self, closing: &Closing) -> Result<Number, RefusedChange> {
        let number = self.find(&closing.id)?;
        let is_kept = matches!(number.list, List::Requests | List::Decisions | List::Errors | List::Tests);
        if closing.ended == Ended::Reopened && !is_kept {
            return Err(RefusedChange::Ending);
        }
        Ok(number)
    }

    /// Checks that an entry can be added.
    pub fn may_add(&self, added: &Addition) -> Result<(), RefusedChange> {
        if added.section.is_codes() {
            return Err(RefusedChange::Support);
        }
        let needs_name = matches!(added.section, List::Things | List::Files);
        if needs_name && added.name.is_empty() { Err(RefusedChange::NoName) } else { Ok(()) }
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
            record.current_state.text.clone_from(&changes.state);
            record.current_state.seqs.clone_from(&changes.seqs);
            record.current_state.since.clear();
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
        let Ok(number) = self.may_revise(&revised.id) else { return };
        let Some(at) = self.at(number) else { return };
        let before = self.text(number).filter(|_| behind).unwrap_or_default();
        let text = joined(&before, &revised.text);
        if number.list == List::Blockers {
            self.take_over_run(at);
        }
        let record = &mut self.summary;
        let seqs = match number.list {
            List::Requests => record.requests.get_mut(at).map(|request| {
                request.text = text;
                request.key = Key::default();
                record.ids.mark_settled(number.list, number.id, request.state == RequestState::Open);
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
                explain(file, text);
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
                // In a model's words it is no longer code's to write.
                let is_codes = is_of_failing_tests(&text);
                blocker.text = if is_codes { text.replacen("Failing", "Still failing", 1) } else { text };
                &mut blocker.seqs
            }),
            List::Next => record.next_steps.get_mut(at).map(|step| {
                *step = text;
                &mut record.next_steps_seqs
            }),
            List::Errors => record.errors.get_mut(at).map(|error| {
                error.resolution = Some(text);
                if error.status == ErrorStatus::Open {
                    error.status = ErrorStatus::Investigating;
                }
                &mut error.seqs
            }),
            List::Tests | List::Constraints => None,
        };
        if let Some(seqs) = seqs {
            see(seqs, &revised.seqs);
        }
    }

    fn close(&mut self, closing: &Closing) {
        let Ok(number) = self.may_close(closing) else { return };
        let Some(at) = self.at(number) else { return };
        let reopens = closing.ended == Ended::Reopened;
        let note = Some(closing.note.clone()).filter(|note| !note.is_empty());
        // What ended it, for entries that always say by what.
        let by = || note.clone().unwrap_or_else(|| closing.ended.as_ref().to_owned());
        let record = &mut self.summary;
        match number.list {
            List::Requests => {
                let Some(request) = record.requests.get_mut(at) else { return };
                request.state = closing.ended.of_request();
                if reopens {
                    request.superseded_by = None;
                }
                if reopens || note.is_some() {
                    request.outcome = note;
                }
                see(&mut request.seqs, &closing.seqs);
                record.ids.mark_settled(number.list, number.id, reopens);
            }
            List::Decisions => {
                let Some(decision) = record.decisions_made.get_mut(at) else { return };
                decision.superseded_by = (!reopens).then(by);
                see(&mut decision.seqs, &closing.seqs);
            }
            List::Errors => {
                let Some(error) = record.errors.get_mut(at) else { return };
                error.status = if reopens { ErrorStatus::Open } else { ErrorStatus::Resolved };
                error.resolution = if reopens { note } else { Some(by()) };
                error.resolved_in_version = None;
                see(&mut error.seqs, &closing.seqs);
            }
            List::Tests => {
                let Some(run) = record.test_results.get_mut(at) else { return };
                let name = closing.id.trim().split_once(char::is_whitespace).map(|(_, name)| name.trim());
                if let Some(name) = name.filter(|_| !reopens) {
                    let before = run.failing.len();
                    run.failing.retain(|failing| failing != name);
                    let gone = u32::try_from(before - run.failing.len()).unwrap_or_default();
                    run.failed = run.failed.map(|failed| failed.saturating_sub(gone));
                }
                // A run of which nothing fails any more is over.
                if name.is_none() || run.failing.is_empty() && run.failed.unwrap_or_default() == 0 {
                    run.superseded_by = (!reopens).then(by);
                }
                see(&mut run.seqs, &closing.seqs);
            }
            List::Constraints => {
                let [seq] = closing.seqs.as_slice() else { return };
                let before = record.constraints.len();
                self.withdrawn.extend(withdraw(&mut record.constraints, at, (*seq, &closing.note)));
                // Where the person's words came into its place, they have its number.
                if record.constraints.len() < before {
                    self.ids.entry(number.list).or_default().retain(|id| *id != number.id);
                }
            }
            List::Blockers => {
                // With the run that it tells of, which a later one makes a blocker again.
                for run in self.runs_of(at) {
                    run.superseded_by = Some(by());
                }
                self.gone.insert(number);
            }
            List::Next => {
                record.ids.mark_settled(number.list, number.id, true);
                self.gone.insert(number);
            }
            List::Things | List::Findings | List::Questions => {
                self.gone.insert(number);
            }
            // The facts that code found about a file stay.
            List::Files => {
                if let Some(file) = record.files_modified.get_mut(at) {
                    file.purpose = None;
                }
            }
        }
    }

    /// The runs of tests that a blocker of code's tells of.
    fn runs_of(&mut self, blocker: usize) -> impl Iterator<Item = &mut TestResult> {
        let Summary { blockers, test_results, .. } = &mut self.summary;
        let text = blockers.get(blocker).map(|blocker| blocker.text.as_str()).unwrap_or_default();
        test_results.iter_mut().filter(move |run| is_blocked_by(text, run))
    }

    /// A model writes about a failing run from now on: code makes no blocker of it until it runs again.
    fn take_over_run(&mut self, blocker: usize) {
        let commands = self.runs_of(blocker).map(|run| ids::of_run(&run.command)).collect();
        self.summary.ids.settle_all(List::Tests, &commands, true);
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
                    let (state, superseded_by) =
                        (added.became.map_or(RequestState::Open, Became::of_request), None);
                    let outcome = Some(added.note.clone()).filter(|note| !note.is_empty());
                    record.requests.push(RequestEntry {
                        text,
                        state,
                        superseded_by,
                        outcome,
                        answers: false,
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
            List::Files => match (file, added.became.and_then(Became::of_file)) {
                (Some((true, at)), _) => {
                    if let Some(file) = record.files_modified.get_mut(at) {
                        let text = joined(file.purpose.as_deref().unwrap_or_default(), &text);
                        explain(file, text);
                    }
                }
                // A subagent or a program changed it, of which the ledger sees no call.
                (Some((false, at)), Some(action)) => {
                    let ReadFile { path, .. } = record.files_read.remove(at);
                    record.files_modified.push(changed(path, action, text, seqs));
                }
                (None, Some(action)) => {
                    record.files_modified.push(changed(added.name.clone(), action, text, seqs));
                }
                (Some((false, at)), None) => {
                    if let Some(file) = record.files_read.get_mut(at) {
                        file.reason = Some(text);
                    }
                }
                // The ledger saw it neither read nor changed, but a listing may have shown it.
                (None, None) => note_thing(&mut record.things, ("file", &added.name), text, seqs),
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
            List::Errors | List::Tests | List::Constraints => {}
        }
        self.number_new(added.section);
    }

    /// Numbers what was added at the end of a list, or of the things that a file is put among.
    fn number_new(&mut self, list: List) {
        for list in [list, List::Things] {
            let keys = ids::keys(&self.summary, list);
            let known = self.ids.entry(list).or_default();
            for key in keys.get(known.len()..).unwrap_or_default() {
                known.push(self.summary.ids.give(list, *key));
            }
        }
    }

    /// The summary without the closed entries of lists that remove them.
    pub fn finish(self) -> Summary {
        let Self { mut summary, mut ids, gone, .. } = self;
        let keep = |list: List, ids: &[u32]| {
            let kept: Vec<bool> = ids.iter().map(|id| !gone.contains(&Number { list, id: *id })).collect();
            let mut kept = kept.into_iter();
            move || kept.next().unwrap_or(true)
        };
        for (list, ids) in &mut ids {
            match list {
                List::Things => retain(&mut summary.things, keep(*list, ids)),
                List::Findings => retain(&mut summary.findings, keep(*list, ids)),
                List::Questions => retain(&mut summary.open_questions, keep(*list, ids)),
                List::Blockers => retain(&mut summary.blockers, keep(*list, ids)),
                List::Next => retain(&mut summary.next_steps, keep(*list, ids)),
                List::Requests
                | List::Decisions
                | List::Files
                | List::Errors
                | List::Tests
                | List::Constraints => {}
            }
            ids.retain(|id| !gone.contains(&Number { list: *list, id: *id }));
            let keys = ids::keys(&summary, *list);
            summary.ids.hold(*list, ids, &keys);
        }
        if summary.next_steps.is_empty() {
            summary.next_steps_seqs.clear();
        }
        merge_blockers(&mut summary.blockers, &summary.test_results, &summary.ids);
        summary
    }
}

/// A file that changed although the ledger saw no call that did it.
fn changed(path: String, action: FileAction, text: String, seqs: Vec<Seq>) -> ModifiedFile {
    let purpose = Some(text).filter(|text| !text.is_empty());
    ModifiedFile { purpose, ..ModifiedFile::of(FileFact { path, seqs, ..FileFact::default() }, action) }
}

/// What a model says of a file takes the place of the edits that code lists; later ones come behind it.
fn explain(file: &mut ModifiedFile, purpose: String) {
    file.purpose = Some(purpose);
    file.changes.clear();
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

/// Adds a text about a thing, which is found by its name or is new.
fn note_thing(things: &mut Vec<Thing>, (kind, name): (&str, &str), text: String, seqs: Vec<Seq>) {
    let wanted = wording::normalized(name);
    let is_it = |thing: &&mut Thing| {
        wording::normalized(&thing.id) == wanted
            || wording::normalized(&format!("{} {}", thing.kind, thing.id)) == wanted
    };
    if let Some(thing) = things.iter_mut().find(is_it) {
        let before = thing.note().unwrap_or_default().to_owned();
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

/// Adds the messages of a change: the first one, which says where an entry came from, and the newest stay.
fn see(seqs: &mut Vec<Seq>, more: &[Seq]) {
    join_seqs(seqs, more);
    let surplus = seqs.len().saturating_sub(MOST_SEQS);
    if surplus > 0 {
        seqs.drain(1..=surplus);
    }
}
