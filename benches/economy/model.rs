//! A model that writes the service's records, as far as that costs something: the engine's prompts are made and answered, and
//! an answer has the size and the parts of one that a model gave.
//!
//! Its words are lines of the span, so that they pass the engine's checks and say nothing about what a model's record knows.
//! Invariant: the same prompt is answered in the same words.
//! Must not know: ways, prompts of the agent.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use anchord_economy::piece::count;
use anchord_economy::tally::{Spent, cached_of};
use anchord_facts::ledger::Facts;
use anchord_messages::id::Seq;
use anchord_messages::tokens::TokenCounter;
use anchord_record::candidate::{self, Material, Proposed};
use anchord_record::changes::{
    self, Account, Addition, Board, Changes, Closing, Ended, Frame, List, Number, Prompt, PromptRoom,
    Revision,
};
use anchord_record::strategy::Engine;
use anyhow::Context as _;
use serde_json::Value;

/// Tokens of data that a prompt may have: what `ANCHORD_LLM_CONTEXT_TOKENS` leaves beside instructions and reply by default.
const INPUT_TOKENS: u32 = 128_000 - 4_096 - 2_400;
/// The bytes of an answer to a span of `n` bytes are `ANSWER_BYTES * n ^ ANSWER_GROWTH`: fitted to the whole answers of
/// `tests/corpus/answers`, whose spans have 2 to 16 KB. Of 28 others, to spans of 15 to 108 KB, the mean is 5 % above it.
const ANSWER_BYTES: f64 = 518.0;
const ANSWER_GROWTH: f64 = 0.2226;
/// The part of the room for its words that a model fills: in 28 prompts the last ones of four sessions told of 0.64 to 0.85.
const FILLED: f64 = 0.75;
/// The share of the record, from its beginning, that an answer leaves as it is: in 24 pairs of such prompts a fifth of the later
/// record stood in both before the first difference.
const UNTOUCHED: f64 = 0.2;
/// Shorter texts of a message are passed over.
const LEAST_BYTES: usize = 40;

/// Answers that a model gave: their parts and sizes.
pub struct Shapes {
    /// To the first part of a session.
    first: Vec<Changes>,
    /// To a later one.
    later: Vec<Changes>,
}

impl Shapes {
    /// Reads a folder of recorded answers. Those to single questions about a part (their marks have more than its place) are no
    /// measure of an answer to a whole one.
    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        let mut files: Vec<_> = fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.sort();
        let mut shapes = Self { first: Vec::new(), later: Vec::new() };
        for file in files {
            let document: Value = serde_json::from_str(&fs::read_to_string(&file)?)?;
            for recorded in document.get("narrative").and_then(Value::as_array).into_iter().flatten() {
                let marks: Vec<&str> = recorded
                    .get("marks")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .collect();
                let [place] = marks.as_slice() else { continue };
                let answer = recorded.get("answer").and_then(Value::as_str).unwrap_or_default();
                let read = changes::read(answer).with_context(|| file.display().to_string())?;
                let is_first = place.starts_with("from the messages 2 ");
                if is_first { &mut shapes.first } else { &mut shapes.later }.push(read.changes);
            }
        }
        anyhow::ensure!(
            !shapes.first.is_empty() && !shapes.later.is_empty(),
            "there are no recorded answers"
        );
        Ok(shapes)
    }
}

/// A model on its way through a session.
pub struct Model {
    shapes: Rc<Shapes>,
    counter: TokenCounter,
    answers: usize,
    last: String,
    /// What it took.
    pub spent: Spent,
}

impl Model {
    /// A model that was asked nothing yet.
    pub fn new(shapes: Rc<Shapes>, counter: TokenCounter) -> Self {
        Self { shapes, counter, answers: 0, last: String::new(), spent: Spent::default() }
    }

    /// Writes what a span adds to the record, piece by piece as the service asks.
    pub fn write(&mut self, material: &Material, facts: &Facts, ends: &[Seq]) -> Proposed {
        let record = candidate::record_beside(material, facts);
        let room = PromptRoom::of(INPUT_TOKENS);
        let frame = Frame {
            session: material.session_id.clone(),
            max_chars: room.record_chars,
            bound: material.aim,
            phase: material.phase,
            counter: material.counter,
        };
        let (mut told, mut account) = (Vec::new(), Account::default());
        let mut after = material.span.first().map_or(0, |first| first.seq - 1);
        while let Some(chunk) =
            changes::next_chunk(&material.span, ends, after, room.chunk_tokens, material.counter)
        {
            after = chunk.through_seq;
            let is_last = after == material.through_seq;
            let chunk = if is_last { chunk.followed_by(&material.tail, material.counter) } else { chunk };
            let mut board = Board::new(record.clone());
            for changes in &told {
                board.apply(changes);
            }
            let prompt = frame.prompt(&chunk, &board);
            let answer = self.answer(&prompt, &board);
            if let Ok(read) = changes::read(&answer) {
                let (changes, of_answer) = changes::check(read, &chunk, &board);
                self.spent.unpublished += of_answer.dropped + of_answer.unverified;
                told.push(changes);
                account.add(of_answer);
            }
        }
        Proposed {
            proposal: candidate::propose_beside(material, facts),
            changes: told,
            account,
            engine: Engine::Llm,
            model: Some("fake".to_owned()),
        }
    }

    /// Answers a prompt, and counts what both cost.
    fn answer(&mut self, prompt: &Prompt, board: &Board) -> String {
        let data = Data::of(&prompt.user);
        let whole = format!("{}{}", prompt.system, prompt.user);
        let answer = self.changes(&data, board);
        let answer = serde_json::to_string(&answer).unwrap_or_default();
        let tokens = |text: &str| f64::from(self.counter.count_text(text));
        let input = tokens(&prompt.system) + tokens(&prompt.user);
        let same = self.last.bytes().zip(whole.bytes()).take_while(|(before, now)| before == now).count();
        let cached = cached_of(input * count(same) / count(whole.len()));
        self.spent.add(&Spent {
            calls: 1,
            input,
            cached,
            instructions: tokens(&prompt.system),
            record: tokens(data.record),
            later: data.later.iter().map(|text| tokens(text)).sum(),
            output: tokens(&answer),
            unpublished: 0,
        });
        self.answers += 1;
        self.last = whole;
        answer
    }

    fn changes(&self, data: &Data<'_>, board: &Board) -> Changes {
        let Shapes { first, later } = &*self.shapes;
        let of_kind = if self.answers == 0 { first } else { later };
        let Some(shape) = of_kind.get(self.answers % of_kind.len()) else { return Changes::default() };
        let span: usize = data.messages.iter().map(|message| message.text.len()).sum();
        let wanted = ANSWER_BYTES * count(span).powf(ANSWER_GROWTH);
        let scale = wanted / count(serde_json::to_string(shape).unwrap_or_default().len().max(1));
        let mut words = Words::of(data);
        let own: Vec<(&str, Number)> = data
            .record
            .lines()
            .filter_map(|line| line.split_whitespace().next())
            .filter_map(|id| Some((id, Number::read(id)?)))
            .filter(|(_, number)| !board.is_closed(*number))
            .collect();
        let own = own.get(times(own.len(), UNTOUCHED)..).unwrap_or_default();
        let writable: Vec<&str> = own
            .iter()
            .filter(|(_, number)| {
                matches!(number.list, List::Things | List::Findings | List::Files | List::Questions)
            })
            .map(|(id, _)| *id)
            .collect();
        let mut made = Changes::default();
        if !shape.intent.is_empty()
            && let Some(asked) = data.messages.iter().find(|message| message.role == "user")
        {
            cut(asked.text, shape.intent.len()).clone_into(&mut made.intent);
            made.seqs.push(asked.seq);
        }
        let (state, seq) = words.next(shape.state.len().max(200));
        made.state = state;
        made.seqs.push(seq);
        let (updates, appends) = (times(shape.update.len(), scale), times(shape.append.len(), scale));
        let revisions = (updates + appends).min(writable.len());
        let sizes = |texts: Vec<usize>, of: usize| texts.into_iter().cycle().take(of).collect::<Vec<_>>();
        let revised = shape.append.iter().chain(&shape.update).map(|revised| revised.text.len()).collect();
        for (at, size) in sizes(revised, revisions).into_iter().enumerate() {
            let (text, seq) = words.next(size);
            let id = writable.get(at * writable.len() / revisions).copied().unwrap_or_default().to_owned();
            let revision = Revision { id, text, seqs: vec![seq] };
            if at < appends { &mut made.append } else { &mut made.update }.push(revision);
        }
        let mut ended = times(shape.close.len(), scale);
        for (id, number) in own.iter().filter(|(_, number)| {
            matches!(number.list, List::Requests | List::Errors | List::Blockers | List::Next)
        }) {
            let Some(left) = ended.checked_sub(1) else { break };
            ended = left;
            let note =
                shape.close.get(left % shape.close.len().max(1)).map_or(0, |closing| closing.note.len());
            let (note, seq) = words.next(note);
            let how = if number.list == List::Blockers { Ended::Resolved } else { Ended::Done };
            made.close.push(Closing { id: (*id).to_owned(), ended: how, note, seqs: vec![seq] });
        }
        // What the record has no entries for is told as new.
        while count(serde_json::to_string(&made).unwrap_or_default().len()) < wanted {
            let Some(model) = shape.add.get(made.add.len() % shape.add.len().max(1)) else { break };
            let (text, seq) = words.next(model.text.len());
            if text.is_empty() {
                break;
            }
            let section = match model.section {
                List::Things | List::Next | List::Questions => model.section,
                List::Requests
                | List::Decisions
                | List::Files
                | List::Findings
                | List::Blockers
                | List::Errors
                | List::Tests
                | List::Constraints => List::Findings,
            };
            let name = if section == List::Things { cut(&text, 30).to_owned() } else { String::new() };
            made.add.push(Addition {
                section,
                name,
                text,
                became: None,
                note: String::new(),
                seqs: vec![seq],
            });
        }
        self.make_room(&mut made, data, board, own);
        made
    }

    /// Closes the oldest entries until the record keeps the size that a model's keeps.
    fn make_room(&self, made: &mut Changes, data: &Data<'_>, board: &Board, own: &[(&str, Number)]) {
        let tokens = |text: &str| self.counter.count_text(text);
        let before = |id: &str| Number::read(id).and_then(|number| board.text(number)).unwrap_or_default();
        let grown: u32 = made.texts().map(tokens).sum();
        let replaced: u32 = made.update.iter().map(|update| tokens(&before(&update.id))).sum();
        let most = (f64::from(data.bound) * FILLED).max(0.0);
        let mut size = f64::from(data.size) + f64::from(grown) - f64::from(replaced);
        for (id, number) in own {
            let goes = matches!(number.list, List::Things | List::Findings | List::Questions);
            let is_revised = made.append.iter().chain(&made.update).any(|revised| revised.id == **id);
            if size <= most {
                break;
            }
            if goes && !is_revised {
                size -= f64::from(tokens(&before(id)));
                made.close.push(Closing {
                    id: (*id).to_owned(),
                    ended: Ended::Done,
                    note: String::new(),
                    seqs: Vec::new(),
                });
            }
        }
    }
}

/// So many of a shape's parts where an answer is so many times as long.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive count")]
fn times(parts: usize, scale: f64) -> usize {
    (count(parts) * scale).round() as usize
}

/// The data of a prompt.
struct Data<'a> {
    record: &'a str,
    messages: Vec<Said<'a>>,
    later: Vec<&'a str>,
    /// Tokens of the record's words, and how many they may be.
    size: u32,
    bound: u32,
}

/// A message of the span.
struct Said<'a> {
    seq: Seq,
    role: &'a str,
    text: &'a str,
}

impl<'a> Data<'a> {
    fn of(user: &'a str) -> Self {
        let mut data = Self { record: "", messages: Vec::new(), later: Vec::new(), size: 0, bound: 0 };
        let Some((tag, _)) = user.trim_start_matches('<').split_once(' ') else { return data };
        let (open, close) = (format!("<{tag} "), format!("</{tag}>"));
        for part in user.split(open.as_str()) {
            let Some((head, text)) = part.split_once(">\n") else { continue };
            let text = text.split(close.as_str()).next().unwrap_or_default().trim_end();
            let field = |name: &str| {
                head.split_once(&format!("{name}=\""))
                    .and_then(|(_, rest)| rest.split('"').next())
                    .unwrap_or_default()
            };
            match field("kind") {
                "record" => data.record = text,
                "message" => data.messages.push(Said {
                    seq: field("seq").parse().unwrap_or_default(),
                    role: field("role"),
                    text,
                }),
                "later" => data.later.push(text),
                _ => {}
            }
        }
        let told = user.rsplit("takes about ").next().unwrap_or_default();
        let mut figures = told.split_whitespace().filter_map(|word| word.parse().ok());
        (data.size, data.bound) = (figures.next().unwrap_or_default(), figures.next().unwrap_or_default());
        data
    }
}

/// The words of a span, taken from all of its messages in turn.
struct Words<'a> {
    lines: Vec<(Seq, &'a str)>,
    taken: usize,
}

impl<'a> Words<'a> {
    fn of(data: &Data<'a>) -> Self {
        let mut lines = Vec::new();
        let mut step = 0;
        // The first part of every message, then the second of every one.
        loop {
            let before = lines.len();
            for message in &data.messages {
                let text = message.text.get(message.text.floor_char_boundary(step)..).unwrap_or_default();
                if text.len() >= LEAST_BYTES {
                    lines.push((message.seq, text));
                }
            }
            if lines.len() == before || lines.len() > 200 {
                break;
            }
            step += 400;
        }
        Self { lines, taken: 0 }
    }

    /// The next words, of about so many bytes, and their message.
    fn next(&mut self, bytes: usize) -> (String, Seq) {
        let Some((seq, text)) = self.lines.get(self.taken % self.lines.len().max(1)) else {
            return (String::new(), 0);
        };
        self.taken += 1;
        (cut(text, bytes).split_whitespace().collect::<Vec<_>>().join(" "), *seq)
    }
}

/// The beginning of a text, without a name that is cut.
fn cut(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let text = text.get(..text.floor_char_boundary(bytes)).unwrap_or_default();
    text.rsplit_once(char::is_whitespace).map_or(text, |(whole, _)| whole)
}
