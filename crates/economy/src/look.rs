//! Looks for the past in a prompt, word for word.

use std::collections::HashSet;

use memchr::memmem;
use serde_json::Value;

use crate::known::Known;
use crate::piece::{Piece, count};
use crate::sessions::Session;

/// A name is old when none of so many newest messages has it.
const NEW_MESSAGES: usize = 10;
/// Outputs of fewer bytes are not looked for.
const LEAST_OUTPUT: usize = 40;
/// The newest outputs are looked for when they take at most this share of the effective window.
const NEWEST_SHARE: f64 = 0.5;
/// Of a text that is replaced, so many of the first lines are looked for; shorter lines are left out.
const EDIT_LINES: usize = 3;
const LEAST_LINE: usize = 12;
/// The parameters by which tools of several harnesses name the text that an edit replaces.
const REPLACED: [&str; 4] = ["old_string", "oldText", "old_str", "old_text"];

/// Looks into the prompts of one session, in their order.
pub struct Look<'a> {
    session: &'a Session,
    most_newest: f64,
    /// The outputs so far, with the places of their messages.
    outputs: Vec<(usize, String)>,
    /// Names of the messages that are not new any more.
    old: HashSet<&'a str>,
    /// How far the outputs were read, and the old names.
    read: (usize, usize),
    /// The findings so far.
    pub known: Known,
}

impl<'a> Look<'a> {
    /// Nothing was looked at yet.
    pub fn new(session: &'a Session, effective: f64) -> Self {
        let most_newest = NEWEST_SHARE * effective * session.bytes_of_token;
        Self {
            session,
            most_newest,
            outputs: Vec::new(),
            old: HashSet::new(),
            read: (0, 0),
            known: Known::default(),
        }
    }

    /// Looks into the prompt that follows the message at place `at`.
    pub fn at(&mut self, at: usize, prompt: &[Piece]) {
        self.read_on(at);
        let mut body = String::new();
        for piece in prompt {
            body.push_str(&piece.text);
            body.push('\n');
        }
        let has = |text: &str| memmem::find(body.as_bytes(), text.as_bytes()).is_some();
        self.look_for_outputs(at, &has);
        self.look_for_needs(at, &has);
        self.look_for_edits(at, &has);
        for (said, wish) in &self.session.told.wishes {
            if *said <= at {
                self.known.wishes.count(has(wish.trim_end_matches('.')));
            }
        }
        for conclusion in self.session.told.conclusions.iter().filter(|conclusion| conclusion.at <= at) {
            let tells = |line: &str| line.contains(&conclusion.part) && line.contains(&conclusion.value);
            self.known.conclusions.count(has(&conclusion.text) || body.lines().any(tells));
        }
    }

    fn read_on(&mut self, at: usize) {
        let messages = &self.session.transcript.numbered;
        for place in self.read.0..=at {
            let results = messages.get(place).into_iter().flat_map(|numbered| numbered.message.results());
            self.outputs.extend(results.map(|result| (place, result.text().trim().to_owned())));
        }
        let new_from = (at + 1).saturating_sub(NEW_MESSAGES);
        for names in self.session.names.get(self.read.1..new_from).unwrap_or_default() {
            self.old.extend(names.iter().map(String::as_str));
        }
        self.read = (at + 1, self.read.1.max(new_from));
    }

    fn look_for_outputs(&mut self, at: usize, has: &impl Fn(&str) -> bool) {
        let pieces = self.session.pieces.get(..=at).unwrap_or_default();
        let newest_from = pieces.iter().rposition(|piece| !piece.has_results).map_or(0, |last| last + 1);
        let newest = || self.outputs.iter().rev().take_while(|(place, _)| *place >= newest_from);
        let bytes = newest().map(|(_, output)| output.len()).sum();
        if count(bytes) <= self.most_newest {
            newest().for_each(|(_, output)| self.known.newest.count(has(output)));
        }
        let last = self.outputs.iter().rev().filter(|(_, output)| output.len() > LEAST_OUTPUT);
        for (number, (_, output)) in last.take(10).enumerate() {
            let is_whole = has(output);
            self.known.last_ten.count(is_whole);
            if number < 3 {
                self.known.last_three.count(is_whole);
            }
        }
    }

    fn look_for_needs(&mut self, at: usize, has: &impl Fn(&str) -> bool) {
        let names = &self.session.names;
        let new = names.get((at + 1).saturating_sub(NEW_MESSAGES)..=at).unwrap_or_default();
        for name in names.get(at + 1).into_iter().flatten() {
            if self.old.contains(name.as_str()) && !new.iter().any(|names| names.contains(name)) {
                self.known.needs.count(has(name));
            }
        }
    }

    fn look_for_edits(&mut self, at: usize, has: &impl Fn(&str) -> bool) {
        let Some(next) = self.session.transcript.numbered.get(at + 1) else { return };
        for call in next.message.calls() {
            let Ok(arguments) = serde_json::from_str(&call.arguments) else { continue };
            for replaced in replaced(&arguments) {
                let lines = replaced.lines().map(str::trim).filter(|line| line.len() > LEAST_LINE);
                let lines: Vec<&str> = lines.take(EDIT_LINES).collect();
                let shows = |output: &str| lines.iter().all(|line| output.contains(line));
                if !lines.is_empty() && self.outputs.iter().any(|(_, output)| shows(output)) {
                    self.known.edits.count(lines.iter().all(|line| has(line)));
                }
            }
        }
    }
}

/// The texts that a call replaces.
fn replaced(arguments: &Value) -> Vec<&str> {
    let fields = arguments.as_object().into_iter().flatten();
    let is_replaced = |key: &str| REPLACED.contains(&key);
    let own = fields.clone().filter(|(key, _)| is_replaced(key)).filter_map(|(_, field)| field.as_str());
    let items = arguments.as_array().into_iter().flatten().chain(fields.map(|(_, field)| field));
    own.chain(items.flat_map(replaced)).collect()
}
