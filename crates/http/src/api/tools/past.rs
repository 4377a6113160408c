//! The reading tools. They read as the endpoints do; here their results become text for a model, within its bound.

use super::result::{HEAD_TOKENS, Outcome};
use crate::api::messages::{count_read, find_messages};
use crate::api::prelude::*;
use crate::api::recall::{search, search_over};
use crate::api::summaries::{self, find_current, rendered};
use crate::api::tool_outputs::{StoredOutput, lines};
use anchord_context::tools::{Page, Place, SearchScope, Tool, message_text, page};
use anchord_messages::format::{self, Format};
use anchord_messages::message::Role;
use anchord_messages::shape::one_line;
use anchord_messages::tokens::TokenCounter;
use anchord_record::render::Style;
use anchord_record::section::Section;
use anchord_session::session::Session;
use anchord_store::messages::{SeqRange, StoredMessage};
use anchord_store::sessions::SessionFilter;

/// The most messages that are read for one result.
const MOST_MESSAGES: i64 = 50;
/// With fewer tokens left, a result does not begin another message.
const LEAST_ROOM: u32 = 32;
/// The most characters of a hit; as many as a snippet has.
const HIT_CHARS: usize = 300;

/// A call of a reading tool.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub state: &'a AppState,
    pub caller: &'a Caller,
    pub session: &'a Session,
    pub counter: TokenCounter,
    pub max_tokens: u32,
}

/// Where a result goes on, as arguments.
fn place_arguments(place: Place) -> impl Iterator<Item = (&'static str, Value)> {
    let line = (place != Place::START).then(|| ("from_line", Value::from(place.line)));
    let character = (place.character > 1).then(|| ("from_char", Value::from(place.character)));
    line.into_iter().chain(character)
}

impl Asked<'_> {
    /// The tokens of text that a result may have.
    fn room(self) -> u32 {
        self.max_tokens.saturating_sub(HEAD_TOKENS)
    }

    /// The branch that the call is about, also when another one is current meanwhile.
    fn own(self) -> SessionRef {
        SessionRef { name: self.session.name.clone(), branch: Some(self.session.branch.clone()) }
    }

    pub(super) async fn search(self, query: &str, scope: SearchScope, limit: u32) -> Result<Outcome> {
        let settings = self.session.effective_settings();
        let filter = match scope {
            SearchScope::Session => None,
            SearchScope::Task if settings.task_id.is_some() => {
                Some(SessionFilter { task_id: settings.task_id, ..SessionFilter::default() })
            }
            SearchScope::User if settings.user.is_some() => {
                Some(SessionFilter { user: settings.user, ..SessionFilter::default() })
            }
            SearchScope::Task => {
                return Ok(Outcome::error("this conversation has no task; use scope session."));
            }
            SearchScope::User => {
                return Ok(Outcome::error("this conversation has no user; use scope session."));
            }
        };
        let own = &self.own();
        let asked = (query, Some(limit), None);
        let (hits, is_partial) = match &filter {
            None => match search(self.state, self.caller, own, asked).await {
                Ok(found) => {
                    let hits = found.items.into_iter().map(|hit| (None, hit.seq, hit.role, hit.snippet));
                    (hits.collect::<Vec<_>>(), false)
                }
                Err(refused) => return as_message(refused),
            },
            Some(filter) => match search_over(self.state, self.caller, filter, asked).await {
                Ok(found) => {
                    let is_partial = found.is_partial;
                    let hits = found.items.into_iter().map(|hit| {
                        let other = (hit.session_id != own.name).then_some(hit.session_id);
                        (other, hit.seq, hit.role, hit.snippet)
                    });
                    (hits.collect(), is_partial)
                }
                Err(refused) => return as_message(refused),
            },
        };
        if hits.is_empty() {
            return Ok(Outcome::done("Nothing is found. Try other words, or fewer."));
        }
        let (mut text, mut shown, mut room) = (String::new(), 0, self.room());
        for (other, seq, role, snippet) in &hits {
            let session = other.as_ref().map(|name| format!("session {name} ")).unwrap_or_default();
            let line = format!("{session}#{seq} {}: {}\n", role.as_ref(), one_line(snippet, HIT_CHARS));
            let tokens = self.counter.count_text(&line);
            // The first is shown in any case, as far as there is room.
            if tokens > room {
                if shown == 0 {
                    text.push_str(page(&line, Place::START, room, self.counter).map_or("", |page| page.text));
                    shown = 1;
                }
                break;
            }
            room = room.saturating_sub(tokens);
            text.push_str(&line);
            shown += 1;
        }
        let mut what = match hits.len() {
            1 => "1 hit.".to_owned(),
            all if all == shown => format!("{all} hits, best first."),
            all => format!("The best {shown} of {all} hits."),
        };
        if is_partial {
            what.push_str(" There are more sessions or messages than were searched.");
        }
        if hits.iter().any(|(other, ..)| other.is_none()) {
            what.push_str(" read_messages gives a message of this conversation in full by its number.");
        }
        Ok(Outcome::past(&what, &text, None))
    }

    pub(super) async fn messages(self, (from, to): (Seq, Option<Seq>), place: Place) -> Result<Outcome> {
        let head = self.session.head_seq;
        if from > head {
            return Ok(Outcome::error(match head {
                0 => "this conversation has no messages yet.".to_owned(),
                _ => format!("from_seq must be at most {head}: this conversation has {head} messages."),
            }));
        }
        let range = SeqRange { from, to: to.unwrap_or(Seq::MAX) };
        let found = find_messages(self.state, self.caller, &self.own(), range, MOST_MESSAGES).await?;
        let last = range.to.min(found.head_seq);
        let (room, counter) = (self.room(), self.counter);
        let reading = self.caller.compute(move |_| Ok((pages(&found.items, place, room, counter)?, found)));
        let (read, found) = reading.await?;
        let Some(read) = read else {
            let detail =
                format!("message {from} has no line {} with a character {}.", place.line, place.character);
            return Ok(Outcome::error(detail));
        };
        count_read(self.state, self.caller, &found, read.through);
        let goes_on = match read.within {
            Some(place) => Some((read.through, place)),
            None => (read.through < last).then_some((read.through + 1, Place::START)),
        };
        let next = goes_on.map(|(seq, place)| {
            let bounds = [Some(("from_seq", Value::from(seq))), to.map(|to| ("to_seq", Value::from(to)))];
            bounds.into_iter().flatten().chain(place_arguments(place)).collect::<Vec<_>>()
        });
        let what = match read.through {
            through if through == from => format!("Message {from} of {}.", found.head_seq),
            through => format!("Messages {from} to {through} of {}.", found.head_seq),
        };
        Ok(Outcome::past(&what, &read.text, next.as_deref().map(|next| (Tool::ReadMessages, next))))
    }

    pub(super) async fn output(
        self,
        reference: String,
        place: Place,
        to_line: Option<u32>,
    ) -> Result<Outcome> {
        let found = match StoredOutput::find(self.state, self.caller, &self.own(), &reference).await {
            Ok(found) => found,
            Err(ApiError::NotFound(Kind::ToolOutputNotFound)) => {
                let message =
                    "there is no output with this ref; refs stand in placeholders, such as 1a2b3c4d5e6f7081.";
                return Ok(Outcome::error(message));
            }
            Err(error) => return Err(error),
        };
        let (room, counter) = (self.room(), self.counter);
        let read = self.caller.compute(move |_| {
            let wanted = lines(&found.text, 1, to_line.map(|to| to as usize));
            let read = page(wanted.content, place, room, counter).map(Read::of);
            Ok((read, wanted.lines, found))
        });
        let (read, all, found) = read.await?;
        let Some(read) = read else {
            return Ok(Outcome::error(format!(
                "the output has {all} lines, and none {} with a character {}.",
                place.line, place.character
            )));
        };
        found.count(self.state, self.caller, &read.text);
        let next = read.next.map(|next| {
            let bounds =
                [Some(("ref", Value::from(reference.as_str()))), to_line.map(|to| ("to_line", to.into()))];
            bounds.into_iter().flatten().chain(place_arguments(next)).collect::<Vec<_>>()
        });
        let what = format!("Tool output {reference}, lines {} to {} of {all}.", place.line, read.last_line);
        Ok(Outcome::past(&what, &read.text, next.as_deref().map(|next| (Tool::ReadToolOutput, next))))
    }

    pub(super) async fn record(self, section: Option<Section>, place: Place) -> Result<Outcome> {
        let _memory = self.state.admission.assemblies.take_for_record(self.caller.tenant).await?;
        let (session, version) = match find_current(self.state, self.caller, &self.own()).await {
            Ok(found) => found,
            Err(ApiError::NoSummary) => {
                return Ok(Outcome::done("There is no record yet: all messages are shown as they are."));
            }
            Err(error) => return Err(error),
        };
        let (room, counter) = (self.room(), self.counter);
        let read = self.caller.compute(move |_| {
            let stored = version.read()?;
            let (mark, rendering) = rendered(&session, &stored, Style::Anchored, summaries::MOST_TOKENS);
            let text = match section {
                Some(section) => rendering.section(section).to_owned(),
                None => mark + &rendering.text,
            };
            let anchor = session.anchor_seq;
            Ok((page(&text, place, room, counter).map(Read::of), text.trim().is_empty(), anchor))
        });
        let (read, is_empty, anchor) = read.await?;
        let name = section.map_or("The record", <&str>::from);
        if is_empty {
            return Ok(Outcome::done(&format!("{name}: the record has nothing there.")));
        }
        let Some(read) = read else {
            return Ok(Outcome::error(format!(
                "{name} has no line {} with a character {}.",
                place.line, place.character
            )));
        };
        let next = read.next.map(|next| {
            let section = section.map(|section| ("section", Value::from(section.as_str())));
            section.into_iter().chain(place_arguments(next)).collect::<Vec<_>>()
        });
        let what = format!("{name}, of messages 1 to {anchor}.");
        Ok(Outcome::past(&what, &read.text, next.as_deref().map(|next| (Tool::ReadRecord, next))))
    }
}

/// A page that no longer borrows its text.
struct Read {
    text: String,
    last_line: u32,
    next: Option<Place>,
}

impl Read {
    fn of(page: Page<'_>) -> Self {
        Self { text: page.text.to_owned(), last_line: page.last_line, next: page.next }
    }
}

/// Messages as text, as far as there was room.
struct ReadMessages {
    text: String,
    /// The last message that is shown, at least in part.
    through: Seq,
    /// Where its rest begins; `None` when all of it is shown.
    within: Option<Place>,
}

/// The messages as text; only the first begins or ends within. `None` when it has no such place.
fn pages(
    items: &[StoredMessage],
    place: Place,
    room: u32,
    counter: TokenCounter,
) -> Result<Option<ReadMessages>> {
    let mut read: Option<ReadMessages> = None;
    let mut left = room;
    for stored in items {
        let text = text_of(stored)?;
        let from = if read.is_some() { Place::START } else { place };
        if read.is_some() && left < LEAST_ROOM {
            break;
        }
        let Some(found) = page(&text, from, left, counter) else { break };
        // A message that does not fit begins the next result.
        if found.next.is_some() && read.is_some() {
            break;
        }
        left = left.saturating_sub(counter.count_text(found.text));
        let read = read.get_or_insert_with(|| ReadMessages { text: String::new(), through: 0, within: None });
        read.text.push_str(found.text);
        (read.through, read.within) = (stored.seq, found.next);
        if read.within.is_some() {
            break;
        }
    }
    Ok(read)
}

fn text_of(stored: &StoredMessage) -> Result<String, StoreError> {
    let corrupt = |column, reason| StoreError::corrupt("messages", column, stored.seq, reason);
    let format = stored.format.parse::<Format>().map_err(|_| corrupt("format", "unknown format"))?;
    let mut message =
        format::parse(format, &stored.body).map_err(|_| corrupt("body", "does not read back"))?;
    message.role = stored.role.parse::<Role>().ok().unwrap_or(message.role);
    Ok(message_text(stored.seq, &message))
}

/// Turns a refusal of the search into an answer to the model; anything else stays a problem.
fn as_message(refused: ApiError) -> Result<Outcome> {
    let ApiError::InvalidParameter(FieldError { pointer, detail }) = refused else { return Err(refused) };
    let name = pointer.trim_start_matches('/');
    Ok(Outcome::error(format!("{} {detail}.", if name == "q" { "query" } else { name })))
}
