//! The ways of managing a context that are compared, each played over a session.

use std::collections::HashMap;

use anchord_messages::id::Seq;
use anchord_messages::message::Role;
use anchord_messages::tokens::TokenCounter;
use anchord_session::settings::Settings;

use crate::history::{History, SUMMARY_TOKENS, capped};
use crate::look::Look;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The service.
    Service,
    /// One summary in place of everything but the last group, as coding agents do.
    Compact,
    /// The same, with outputs cut when they arrive.
    Capped,
    /// One summary in place of everything but the last twenty messages.
    Keep20,
    /// The oldest half goes when the window is full.
    Truncate,
    /// All of it, as if the window had no end.
    Everything,
}

impl Way {
    /// Each of them.
    pub const ALL: [Self; 6] =
        [Self::Service, Self::Compact, Self::Capped, Self::Keep20, Self::Truncate, Self::Everything];
    /// The ways beside the service that keep to the window; they are compared with the first.
    pub const OTHERS: [Self; 4] = [Self::Compact, Self::Capped, Self::Keep20, Self::Truncate];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Compact => "compact",
            Self::Capped => "capped",
            Self::Keep20 => "keep20",
            Self::Truncate => "truncate",
            Self::Everything => "everything",
        }
    }

    /// Its rule, for people.
    pub fn does(self) -> &'static str {
        match self {
            Self::Service => "A record, a digest and the newest messages, as anchord serves them",
            Self::Compact => {
                "A summary of 1,500 tokens, but for the last group, at 0.70 of the effective window"
            }
            Self::Capped => "The same, with outputs cut to 10 KB when they arrive",
            Self::Keep20 => "The same summary, beside the last twenty messages",
            Self::Truncate => "The newest half, when the window is full",
            Self::Everything => "Everything, as if the window had no end",
        }
    }

    /// The part of the past that it forgets.
    pub fn forgets(self) -> &'static str {
        match self {
            Self::Service => {
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
            Self::Everything => "nothing, and needs a model whose window holds all of it",
        }
    }

    /// Plays a session under settings, which name the window. `writer` writes the service's records in place of code.
    pub fn play<'a>(self, session: &'a Session, settings: &Settings, writer: Option<Writer<'a>>) -> Played {
        let mut play = Play::new(session, f64::from(settings.policy().effective_window));
        match self {
            Self::Service => play.service(settings.clone(), writer),
            Self::Compact | Self::Capped | Self::Keep20 => play.summaries(self),
            Self::Truncate => play.plainly(History::truncate),
            Self::Everything => play.plainly(|_, _| {}),
        }
        Played {
            tally: Tally { known: play.look.known, ..play.sent.tally },
            last: play.sent.last().to_vec(),
            record: play.record,
        }
    }
}

/// What came of a session that was played in one way.
pub struct Played {
    /// Sums over its prompts.
    pub tally: Tally,
    /// The prompt that was sent last.
    pub last: Vec<Piece>,
    /// The record in it; the service's alone.
    pub record: Option<Record>,
}

/// A record, as prompts show it.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its version.
    pub version: i64,
    /// The last message that it covers.
    pub through: Seq,
    /// Its text.
    pub text: String,
    /// The digest beside it.
    pub digest: String,
}

/// One session, played in one way.
pub struct Play<'a> {
    session: &'a Session,
    /// The prompts.
    pub sent: Sent,
    /// The parts of the past that were found in them.
    pub look: Look<'a>,
    record: Option<Record>,
}

impl<'a> Play<'a> {
    /// Nothing was sent yet. `effective` is the part of the window that prompts may fill.
    pub fn new(session: &'a Session, effective: f64) -> Self {
        let sent = Sent::new(session.bytes_of_token, effective);
        Self { session, sent, look: Look::new(session, effective), record: None }
    }

    fn service(&mut self, settings: Settings, writer: Option<Writer<'a>>) {
        let replay = self.serve((settings, writer), None, Self::ask);
        let count = |of: u32| usize::try_from(of).unwrap_or_default();
        self.sent.tally.by_code = count(replay.outcomes.by_code);
        self.sent.tally.compressions = count(replay.outcomes.published);
        self.sent.tally.idle = count(replay.outcomes.idle);
        self.sent.tally.least = usize::try_from(replay::least(&replay)).unwrap_or_default();
    }

    /// Builds the service's prompt before each call of the model, within `budget` if given, and hands each to `ask`.
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
                self.keep_record(&replay);
            } else {
                self.sent.tally.refused += 1;
            }
            // A model takes longer to answer than a compression takes.
            replay.work();
        }
        replay
    }

    /// Keeps the record of the prompt that was sent last.
    fn keep_record(&mut self, replay: &Replay<'_>) {
        let kept = self.record.as_ref().map(|record| record.version);
        if let Some(served) = replay.served.as_ref().filter(|served| Some(served.version) != kept) {
            self.record = Some(Record {
                version: served.version,
                through: replay.session.anchor_seq,
                text: served.full.0.clone(),
                digest: served.digest.text.clone(),
            });
        }
    }

    /// Sends the prompt that follows the message at place `at`, and looks into it.
    pub fn ask(&mut self, at: usize, prompt: &[Piece]) {
        self.sent.send(prompt);
        self.look.at(at, prompt);
    }

    /// Sends all messages, after room was made.
    fn plainly(&mut self, make_room: impl Fn(&mut History, &Sent)) {
        let (mut history, mut appended) = self.begin();
        for at in self.session.calls() {
            history.messages.extend_from_slice(self.pieces(appended, at + 1));
            appended = appended.max(at + 1);
            make_room(&mut history, &self.sent);
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

    fn pieces(&self, from: usize, to: usize) -> &'a [Piece] {
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
