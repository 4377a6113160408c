//! Chooses the lines of a digest: those with the most names that no chosen line has yet, relative to the room
//! they take.
//!
//! A line is worth its names (ids, paths, figures, people), each counted once and more if later turns use it
//! again, plus something for its words. What a person said counts most, then what the agent said, then tool
//! output; older lines count a little less. Lines are taken one by one, the best value for its room first,
//! until the room is used up.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;

use super::names::{Name, names};
use super::turn::{Line, LineKind, Turn};
use anchord_facts::matter::Matter;
use anchord_facts::phrases::Phrase;
use anchord_messages::message::Role;

/// The worth of a full line's words, besides its names.
const WORTH_OF_WORDS: f64 = 2.5;
/// Characters of a full line.
const FULL_LINE: f64 = 80.0;
/// The worth of a name of one or two characters; longer ones are worth one.
const WORTH_OF_SHORT: f64 = 0.3;
/// The worth of each later turn that has the name, for at most three.
const WORTH_OF_RETURN: f64 = 0.2;
/// The worth of a word that says what is talked about, of one that comes back, and of a spoken line besides its words.
const WORTH_OF_TOPIC: f64 = 0.3;
const WORTH_OF_RETURNING: f64 = 0.6;
const WORTH_OF_SPOKEN: f64 = 0.5;
/// A spoken line with fewer names and such words says too little, unless it answers a question.
const LEAST_SPOKEN: usize = 3;
/// Tokens that are added to the cost of each line, so that few whole lines are preferred to many scraps.
const FIXED_COST: f64 = 15.0;
/// The share of its worth that the oldest line loses.
const LOSS_OF_AGE: f64 = 0.3;
/// A message of a person with more lines is taken line by line.
const MOST_LINES_OF_MESSAGE: usize = 12;
/// A list of at most so many items and bytes is taken whole, with the line that introduces it; of a longer one, some items.
pub(super) const MOST_ITEMS_OF_LIST: usize = 8;
const LONGEST_LIST: usize = 800;
/// Tokens of a turn's number and speaker.
const HEAD_COST: u32 = 6;
/// The most bytes that are kept of a message: with words of a person or the agent, and without.
const MOST_OF_PERSON: usize = 4_096;
const MOST_OF_OTHERS: usize = 1_536;

/// The lines of one message that are kept, in order.
pub(super) fn within_message(role: Role, lines: Vec<Line>) -> Vec<Line> {
    let says = lines.iter().any(|line| line.kind == LineKind::Said);
    let most = if role == Role::User || says { MOST_OF_PERSON } else { MOST_OF_OTHERS };
    if lines.iter().map(|line| line.text.len()).sum::<usize>() <= most {
        return lines;
    }
    let turns = [Turn { seq: 0, role, name: None, lines }];
    let cost = |_: &Turn, line: &Line| u32::try_from(line.text.len() / 4 + 1).unwrap_or(u32::MAX);
    let chosen = choose(&turns, u32::try_from(most / 4).unwrap_or(u32::MAX), &cost);
    let [Turn { lines, .. }] = turns;
    let mut places = (0..).map(|line| chosen.contains(&(0, line)));
    lines.into_iter().filter(|_| places.next().unwrap_or_default()).collect()
}

/// Drops the least valuable lines until at most this many bytes and turns are left. Lines that are served stay.
pub(super) fn keep(turns: &mut Vec<Turn>, most_bytes: usize, most_turns: usize) {
    let served = turns.iter().flat_map(|turn| &turn.lines).filter(|line| line.served);
    let left = most_bytes.saturating_sub(served.map(|line| line.text.len()).sum());
    let bytes = |line: &Line| u32::try_from(line.text.len()).unwrap_or(u32::MAX);
    let cost = |_: &Turn, line: &Line| if line.served { u32::MAX } else { bytes(line) };
    let chosen = choose(turns, u32::try_from(left).unwrap_or(u32::MAX), &cost);
    for (at, turn) in turns.iter_mut().enumerate() {
        let mut places = (0..).map(|line| chosen.contains(&(at, line)));
        turn.lines.retain(|line| places.next().unwrap_or_default() || line.served);
    }
    turns.retain(|turn| !turn.lines.is_empty());
    let surplus = turns.len().saturating_sub(most_turns);
    turns.drain(..surplus);
}

/// The place of a line: its turn's index and its own.
pub(super) type Place = (usize, usize);

/// A line with its names and cost.
pub(super) struct Seen<'t> {
    pub(super) place: Place,
    line: &'t Line,
    names: Vec<(Name, f64)>,
    /// The worth of its words, and the factor for its speaker and age.
    words: f64,
    weight: f64,
    pub(super) cost: u32,
    /// Whether a person said it.
    is_persons: bool,
    /// Whether one of several people who talk to each other said it.
    is_spoken: bool,
}

impl Seen<'_> {
    /// Whether it says too little to be served alone.
    fn says_little(&self) -> bool {
        self.is_spoken && self.names.len() < LEAST_SPOKEN
    }
}

/// A line with its worth when it was last computed.
struct Offer {
    worth: f64,
    at: usize,
}

impl PartialEq for Offer {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Offer {}
impl PartialOrd for Offer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Offer {
    fn cmp(&self, other: &Self) -> Ordering {
        // Of two of the same worth, the newer one.
        self.worth.total_cmp(&other.worth).then(self.at.cmp(&other.at))
    }
}

/// The best lines that fit into `room`, in units of `cost`.
pub(super) fn choose(turns: &[Turn], room: u32, cost: &dyn Fn(&Turn, &Line) -> u32) -> HashSet<Place> {
    pick(&look_at(turns, cost), room, HashSet::new())
}

/// The newest messages of people that fit into `room` as a whole: their words matter most, and a reader misses the rest
/// of one that is told in part. A paste is none of them.
pub(super) fn whole_messages(lines: &[Seen<'_>], room: u32) -> HashSet<Place> {
    let (mut chosen, mut left) = (HashSet::new(), room);
    for message in lines.chunk_by(|one, next| one.place.0 == next.place.0).rev() {
        let is_whole =
            message.iter().all(|seen| seen.is_persons && !seen.line.served && seen.cost < u32::MAX);
        let cost = message.iter().fold(HEAD_COST, |sum, seen| sum.saturating_add(seen.cost));
        let says_little = message.iter().all(|seen| seen.says_little());
        if is_whole && !says_little && message.len() <= MOST_LINES_OF_MESSAGE && cost <= left {
            left -= cost;
            chosen.extend(message.iter().map(|seen| seen.place));
        }
    }
    chosen
}

/// The best of these lines that fit into `room` besides the `chosen` ones. Separate from [`look_at`], so that several
/// rooms can be tried.
pub(super) fn pick(lines: &[Seen<'_>], room: u32, mut chosen: HashSet<Place>) -> HashSet<Place> {
    let served = lines.iter().filter(|seen| seen.line.served || chosen.contains(&seen.place));
    let (mut told, mut begun): (HashSet<Name>, HashSet<usize>) = (HashSet::new(), HashSet::new());
    for seen in served {
        told.extend(seen.names.iter().map(|(name, _)| *name));
        begun.insert(seen.place.0);
    }
    let worth = |lines: &[Seen<'_>], told: &HashSet<Name>| {
        let of_line = |line: &Seen<'_>| {
            let names: f64 =
                line.names.iter().filter(|(name, _)| !told.contains(name)).map(|(_, worth)| worth).sum();
            line.weight * (names + line.words)
        };
        lines.iter().map(of_line).sum::<f64>() / (f64::from(cost(lines)) + FIXED_COST)
    };
    let units = units(lines, |seen| chosen.contains(&seen.place));
    let mut offers: BinaryHeap<Offer> =
        units.iter().enumerate().map(|(at, unit)| Offer { worth: worth(unit, &told), at }).collect();
    let mut left = room;
    while let Some(Offer { worth: before, at }) = offers.pop() {
        let Some(unit) = units.get(at).copied() else { continue };
        let now = worth(unit, &told);
        // Its names may have been chosen since, so that another line is worth more now.
        if now < before && offers.peek().is_some_and(|next| now < next.worth) {
            offers.push(Offer { worth: now, at });
            continue;
        }
        let begins: HashSet<usize> =
            unit.iter().map(|line| line.place.0).filter(|turn| !begun.contains(turn)).collect();
        let heads = begins.iter().fold(0, |sum, _| sum + HEAD_COST);
        let Some(rest) = left.checked_sub(cost(unit).saturating_add(heads)) else { continue };
        left = rest;
        begun.extend(begins);
        told.extend(unit.iter().flat_map(|line| &line.names).map(|(name, _)| *name));
        chosen.extend(unit.iter().map(|line| line.place));
    }
    chosen.extend(heads(lines, &chosen));
    chosen
}

/// The heads of the tables that have chosen rows.
fn heads(lines: &[Seen<'_>], chosen: &HashSet<Place>) -> Vec<Place> {
    let (mut heads, mut head): (Vec<Place>, Option<Place>) = (Vec::new(), None);
    for Seen { place, line, .. } in lines {
        if line.kind == LineKind::Head {
            head = Some(*place);
        } else if !line.text.starts_with('|') || head.is_some_and(|(turn, _)| turn != place.0) {
            head = None;
        } else if chosen.contains(place) {
            heads.extend(head.take());
        }
    }
    heads
}

fn cost(lines: &[Seen<'_>]) -> u32 {
    lines.iter().map(|line| line.cost).fold(0, u32::saturating_add)
}

/// The lines that are left, in runs that are taken whole: a short list with the line in front of it, or a line alone.
fn units<'s, 't>(lines: &'s [Seen<'t>], is_taken: impl Fn(&Seen<'t>) -> bool) -> Vec<&'s [Seen<'t>]> {
    let mut units = Vec::with_capacity(lines.len());
    let is_free =
        |seen: &Seen<'t>| seen.line.kind == LineKind::Said && seen.cost < u32::MAX && !is_taken(seen);
    let (mut rest, mut is_within) = (lines, None);
    while let Some(first) = rest.first() {
        // A question that was put to somebody, with the beginning of the answer.
        if let [question, answer, ..] = rest
            && question.is_spoken
            && answer.is_spoken
            && question.place.0 + 1 == answer.place.0
            && question.line.text.ends_with(['?', '？'])
            && is_free(question)
            && is_free(answer)
            && question.names.len() + answer.names.len() >= LEAST_SPOKEN
        {
            // An answer often begins with a courtesy.
            let goes_on = rest.get(2).is_some_and(|next| {
                next.is_spoken
                    && next.place.0 == answer.place.0
                    && is_free(next)
                    && !next.line.text.ends_with('?')
            });
            let (unit, later) = rest.split_at(if goes_on { 3 } else { 2 });
            units.push(unit);
            (rest, is_within) = (later, None);
            continue;
        }
        let of_turn = |seen: &&Seen<'t>| seen.place.0 == first.place.0 && is_free(seen);
        let is_head = first.line.kind == LineKind::Head;
        let opens = usize::from(
            is_head && !is_taken(first) && first.cost < u32::MAX
                || introduces(&first.line.text) && is_free(first),
        );
        let items = rest.iter().skip(opens).take(MOST_ITEMS_OF_LIST + 1);
        let items = items.take_while(|seen| is_item(&seen.line.text) && of_turn(seen));
        let (count, bytes) =
            items.fold((0, 0), |(count, bytes), seen| (count + 1, bytes + seen.line.text.len()));
        let is_list = (2..=MOST_ITEMS_OF_LIST).contains(&count) && bytes <= LONGEST_LIST;
        let is_whole = is_list && is_within != Some(first.place.0);
        let (unit, later) = rest.split_at(if is_whole { opens + count } else { 1 });
        // A head comes with its rows, and what introduces others says nothing without them; a person's words stand.
        let is_only_front = is_head || introduces(&first.line.text) && !first.is_persons;
        if is_whole || !is_taken(first) && !is_only_front && !first.says_little() {
            units.push(unit);
        }
        // The end of a long list is no list.
        is_within = Some(first.place.0).filter(|_| !is_whole && !is_head && is_item(&first.line.text));
        rest = later;
    }
    units
}

/// Whether a line is an item of a list or a row of a table.
fn is_item(line: &str) -> bool {
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with(['|', '•'])
        || line.starts_with("- ")
        || line.starts_with("* ")
        || after_number.len() < line.len() && after_number.starts_with(['.', ')'])
}

/// Computes names and cost of every line.
pub(super) fn look_at<'t>(turns: &'t [Turn], cost: &dyn Fn(&Turn, &Line) -> u32) -> Vec<Seen<'t>> {
    // In how many of the later turns each name appears.
    let mut met: HashMap<Name, (u32, usize)> = HashMap::new();
    let mut all = Vec::new();
    for (at, turn) in turns.iter().enumerate().rev() {
        for (place, line) in turn.lines.iter().enumerate().rev() {
            let mut own: Vec<(Name, f64)> = Vec::new();
            // How many later turns have it; `None` when this line has it already.
            let mut returns = |name: Name, own: &[(Name, f64)]| {
                if own.iter().any(|(known, _)| *known == name) {
                    return None;
                }
                let (count, newest) = met.entry(name).or_insert((0, at));
                if *newest != at {
                    (*count, *newest) = (*count + 1, at);
                }
                Some((*count).min(3))
            };
            for (name, is_long) in names(&line.text) {
                let Some(count) = returns(name, &own) else { continue };
                let worth = if is_long { 1.0 } else { WORTH_OF_SHORT };
                own.push((name, worth * (1.0 + WORTH_OF_RETURN * f64::from(count))));
            }
            // People who talk name little: the words that say what they talk about stand for names.
            let is_spoken = turn.name.is_some() && line.kind == LineKind::Said;
            let matter = if is_spoken { Matter::of(&line.text) } else { Matter::default() };
            for word in matter.words().iter().filter(|word| word.chars().count() > 3) {
                let Some(count) = returns(topic(word), &own) else { continue };
                let worth = if count == 0 { WORTH_OF_TOPIC } else { WORTH_OF_RETURNING };
                own.push((topic(word), worth * (1.0 + WORTH_OF_RETURN * f64::from(count))));
            }
            let length = line.text.chars().count().min(1_000);
            all.push(Seen {
                place: (at, place),
                line,
                names: own,
                words: if is_spoken { WORTH_OF_SPOKEN } else { WORTH_OF_WORDS }
                    * (share(length, 1) / FULL_LINE).min(1.0),
                weight: weight(turn, line) * (1.0 - LOSS_OF_AGE * share(turns.len() - 1 - at, turns.len())),
                cost: cost(turn, line),
                is_persons: turn.role == Role::User && matches!(line.kind, LineKind::Said | LineKind::Head),
                is_spoken,
            });
        }
    }
    all.reverse();
    debug_assert!(all.iter().all(|seen| !seen.line.text.contains('\n')), "a line is one");
    all
}

/// A word of a line's matter among the names.
fn topic(word: &str) -> Name {
    FixedState::default().hash_one((word, "topic"))
}

fn weight(turn: &Turn, line: &Line) -> f64 {
    match (line.kind, turn.role) {
        (LineKind::Said, Role::User) => 8.0,
        // What it is about to do, the call behind it shows; a doubt or a guess is over with what came of it; and a line that
        // introduces others says nothing alone.
        (LineKind::Said, Role::Assistant) if is_passing(&line.text) => 1.0,
        // Where it calls nothing more, the agent says what came of its work.
        (LineKind::Said, Role::Assistant) if !turn.lines.iter().any(|line| line.kind == LineKind::Call) => {
            8.0
        }
        (LineKind::Said, Role::Assistant | Role::System | Role::Developer | Role::Tool) => 4.0,
        (LineKind::Call, _) => 0.7,
        (LineKind::Code | LineKind::Head, _) => 0.5,
        (LineKind::Output, _) => 1.0,
    }
}

/// Whether a line of the agent's says nothing that lasts.
fn is_passing(text: &str) -> bool {
    introduces(text) || [Phrase::Announced, Phrase::Musing].iter().any(|phrase| phrase.is_in(text))
}

/// Whether a line only introduces what follows it, such as `**The results:**`.
fn introduces(text: &str) -> bool {
    text.trim_end_matches(['*', '_', '`']).ends_with([':', '：'])
}

#[expect(clippy::cast_precision_loss, reason = "counts of lines and characters are far below 2^52")]
fn share(of: usize, all: usize) -> f64 {
    of as f64 / all.max(1) as f64
}
