//! The ways of managing a context that are compared, each played over a session.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use anchord_messages::message::Role;
use anchord_messages::tokens::TokenCounter;
use anchord_session::settings::{Settings, Thresholds};

use crate::history::{History, SUMMARY_TOKENS, capped};
use crate::look::Look;
use crate::model::{Model, Shapes};
use crate::piece::Piece;
use crate::replay::{self, Replay, Writer};
use crate::served::serve;
use crate::sessions::Session;
use crate::tally::{Sent, Tally};

/// Bytes of a text that a tool returns, where outputs are cut on arrival.
const CAP: usize = 10_000;
/// Messages that stay beside a summary where that is counted in messages.
const KEPT: usize = 20;

/// A way of managing the context.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    /// The service, with its defaults where no other settings are named.
    Service {
        /// The setting `fill`.
        fill: Option<f64>,
        /// The threshold `compress`.
        compress: Option<f64>,
        /// Whether a model writes its records.
        is_model: bool,
    },
    /// One summary in place of everything but the last group, as coding agents do.
    Compact,
    /// The same, with outputs cut when they arrive.
    Capped,
    /// One summary in place of everything but the last twenty messages.
    Keep20,
    /// The oldest half goes when the window is full.
    Truncate,
}

impl Way {
    /// The ways beside the service; the others are compared with the first.
    pub const OTHERS: [Self; 4] = [Self::Compact, Self::Capped, Self::Keep20, Self::Truncate];

    /// Its name in tables.
    pub fn name(self) -> String {
        match self {
            Self::Service { fill, compress, is_model } => {
                let by = if is_model { ", model" } else { "" };
                let said = |name: &str, value: Option<f64>| {
                    value.map_or_else(String::new, |value| format!(", {name} {value:.2}"))
                };
                format!("service{by}{}{}", said("fill", fill), said("compress", compress))
            }
            Self::Compact => "compact".to_owned(),
            Self::Capped => "capped".to_owned(),
            Self::Keep20 => "keep20".to_owned(),
            Self::Truncate => "truncate".to_owned(),
        }
    }

    /// The part of the past that it forgets.
    pub fn forgets(self) -> &'static str {
        match self {
            Self::Service { .. } => {
                "old messages, but for a record, a digest of their words and the references of their outputs; the middle of large outputs that are not new"
            }
            Self::Compact => "everything before the last group, but for what a summary of 1,500 tokens says",
            Self::Capped => {
                "the same, and the middle of every output above 10 KB, which the agent never sees"
            }
            Self::Keep20 => {
                "everything before the last twenty messages, but for what a summary of 1,500 tokens says"
            }
            Self::Truncate => "everything before the newest half, without a word about it",
        }
    }

    /// Plays a session in a window of so many tokens. `effective` is the part of it that prompts may fill.
    /// `shapes` are those of a model's answers.
    pub fn play(self, session: &Session, window: u32, effective: f64, shapes: &Rc<Shapes>) -> Tally {
        let mut play = Play::new(session, effective);
        match self {
            Self::Service { fill, compress, is_model } => {
                let thresholds = Thresholds { compress, ..Thresholds::default() };
                let settings = Settings {
                    context_window: Some(window),
                    fill,
                    thresholds: Some(thresholds),
                    ..Settings::default()
                };
                let model = RefCell::new(Model::new(Rc::clone(shapes), TokenCounter::default()));
                play.service(settings, is_model.then_some(&model));
                play.sent.tally.model = model.into_inner().spent;
            }
            Self::Compact | Self::Capped | Self::Keep20 => play.summaries(self),
            Self::Truncate => play.truncation(),
        }
        Tally { known: play.look.known, ..play.sent.tally }
    }
}

/// One session, played in one way.
pub struct Play<'a> {
    session: &'a Session,
    /// The prompts.
    pub sent: Sent,
    /// The parts of the past that were found in them.
    pub look: Look<'a>,
}

impl<'a> Play<'a> {
    /// Nothing was sent yet. `effective` is the part of the window that prompts may fill.
    pub fn new(session: &'a Session, effective: f64) -> Self {
        let sent = Sent::new(session.bytes_of_token, effective);
        Self { session, sent, look: Look::new(session, effective) }
    }

    fn service(&mut self, settings: Settings, model: Option<&RefCell<Model>>) {
        let writer = model.map(|model| -> Writer<'_> {
            Box::new(|material, facts, ends| model.borrow_mut().write(material, facts, ends))
        });
        let replay = self.serve((settings, writer), None, Self::ask);
        let count = |of: u32| usize::try_from(of).unwrap_or_default();
        self.sent.tally.by_code = count(replay.outcomes.by_code);
        self.sent.tally.compressions = count(replay.outcomes.published);
        self.sent.tally.idle = count(replay.outcomes.idle);
        self.sent.tally.least = usize::try_from(replay::least(&replay)).unwrap_or_default();
    }

    /// Has the service make the prompts of a session, within a budget where one is named, and `ask` ask them.
    pub fn serve<'w>(
        &mut self,
        (settings, writer): (Settings, Option<Writer<'w>>),
        budget: Option<u32>,
        mut ask: impl FnMut(&mut Self, usize, &[Piece]),
    ) -> Replay<'w>
    where
        'a: 'w,
    {
        let (counter, format) = (TokenCounter::default(), self.session.transcript.format);
        let mut replay = Replay::under(&self.session.transcript, settings, counter);
        replay.writer = writer;
        let mut known: HashMap<String, Piece> = HashMap::new();
        let mut piece = |raw: &str| -> Option<Piece> {
            if !known.contains_key(raw) {
                // What is served reads back; the checks of validity see to that.
                known.insert(raw.to_owned(), Piece::read(format, raw).ok()?);
            }
            known.get(raw).cloned()
        };
        let mut appended = 0;
        for at in self.session.calls() {
            if !replay.append(at + 1 - appended) {
                break;
            }
            appended = at + 1;
            let served = serve(&replay, budget, counter, |context| {
                let messages = context.messages.iter().map(|raw| raw.clone().into_owned());
                (context.system.clone(), messages.collect::<Vec<String>>())
            });
            if let Some((system, messages)) = served {
                let system = system.as_deref().map(Piece::system);
                let messages = messages.iter().filter_map(|raw| piece(raw));
                ask(self, at, &system.into_iter().chain(messages).collect::<Vec<_>>());
            } else {
                self.sent.tally.refused += 1;
            }
            // A model takes longer to answer than a compression takes.
            replay.work();
        }
        replay
    }

    /// Sends the prompt that follows the message at place `at`, and looks into it.
    pub fn ask(&mut self, at: usize, prompt: &[Piece]) {
        self.sent.send(prompt);
        self.look.at(at, prompt);
    }

    fn truncation(&mut self) {
        let (mut history, mut appended) = self.begin();
        for at in self.session.calls() {
            history.messages.extend_from_slice(self.pieces(appended, at + 1));
            appended = appended.max(at + 1);
            history.truncate(&self.sent);
            self.ask(at, &history.prompt());
        }
    }

    fn summaries(&mut self, way: Way) {
        let (mut history, mut appended) = self.begin();
        let format = self.session.transcript.format;
        let kept = (way == Way::Keep20).then_some(KEPT);
        for at in self.session.calls() {
            let new = self.pieces(appended, at + 1).iter().map(|piece| {
                let is_cut = way == Way::Capped && piece.has_results;
                if is_cut { capped(piece, format, CAP) } else { piece.clone() }
            });
            history.messages.extend(new);
            appended = appended.max(at + 1);
            let summary = self.summary();
            history.compact(&mut self.sent, kept, |_| summary);
            self.ask(at, &history.prompt());
        }
    }

    /// The system prompt, and how many messages it has.
    fn begin(&self) -> (History, usize) {
        let pieces = &self.session.pieces;
        let system: Vec<Piece> = pieces.iter().take_while(|piece| piece.role.is_system()).cloned().collect();
        let messages = system.len();
        (History { system, messages: Vec::new() }, messages)
    }

    fn pieces(&self, from: usize, to: usize) -> &[Piece] {
        self.session.pieces.get(from..to).unwrap_or_default()
    }

    /// A summary of the usual size, other than the ones before it. It has no words that are looked for: how good the summaries
    /// of others are is not measured.
    fn summary(&self) -> Piece {
        let number = format!("{:>8} ", self.sent.tally.compressions);
        let bytes = self.sent.bytes(SUMMARY_TOKENS);
        let json: String = number
            .chars()
            .cycle()
            .zip(0u32..)
            .take_while(|(_, at)| f64::from(*at) < bytes)
            .map(|(c, _)| c)
            .collect();
        Piece { role: Role::User, has_results: false, json: json.into(), text: "".into() }
    }
}
