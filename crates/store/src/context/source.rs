//! Parts of a context.

use super::texts::{SummarySource, TextSelection, Texts};
use anchord_context::context::{Counted, Entry};
use anchord_context::mask::{Keep, Marks};
use anchord_context::note::Note;
use anchord_context::pin;
use anchord_messages::id::Seq;
use anchord_messages::tokens::TokenCounter;
use anchord_session::session::Session;
use anchord_session::settings::Settings;

/// The parts of a context, all as of the moment at which the session's row was read.
#[derive(Clone, Debug)]
pub struct ContextSource {
    /// The session, with the version that the context shows.
    pub session: Session,
    /// The settings, completed by the tenant's defaults.
    pub settings: Settings,
    /// The version.
    pub summary: Option<SummarySource>,
    /// The text of the message that serves the pins, and that message's tokens.
    pub pins: Option<(String, u32)>,
    /// The agent's notes, ascending.
    pub notes: Vec<Note>,
    /// The leading system and developer messages.
    pub system: Vec<Entry>,
    /// Messages that the summary covers and that the caller marked to be kept, ascending.
    pub kept: Vec<Entry>,
    /// The user message that the summary covers and that is still served.
    pub carried: Option<Entry>,
    /// The messages after the anchor, ascending, as many of the newest as the budget can hold, and the requests before them.
    pub tail: Vec<Entry>,
    /// Messages between the anchor and the first of the tail that were not read.
    pub tail_omitted: Option<(Seq, Seq)>,
    /// The caller's marks of the messages.
    pub marks: Marks,
}

impl ContextSource {
    /// The context of a session, from the texts that were read for it.
    pub(super) fn new(session: Session, wanted: &TextSelection, texts: Texts) -> Self {
        let settings = session.effective_settings();
        let counter = TokenCounter::new(settings.tokenizer.unwrap_or_default());
        let pins = pin::served(&pin::together(settings.wide_pins(), texts.pins));
        let floor = session.floor();
        let from = wanted.requests.first().copied().unwrap_or(wanted.tail.0);
        let kept: Vec<_> = session.accounting.kept.iter().map(|kept| (kept.seq, Keep::Always)).collect();
        Self {
            // Counted here, because the tenant's pins may have changed since the session counted them.
            pins: pins.map(|text| {
                let tokens = Counted::new(&text, &counter).tokens;
                (text, tokens)
            }),
            notes: texts.notes,
            summary: texts.summary,
            system: texts.system,
            kept: texts.kept,
            carried: texts.carried,
            tail: texts.tail,
            tail_omitted: (from > floor + 1).then_some((floor + 1, from - 1)),
            marks: texts.marks.into_iter().chain(kept).collect(),
            settings,
            session,
        }
    }
}
