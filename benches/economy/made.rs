//! Sessions that are made by a seed: an agent whose tools return much, a person with wishes, and conclusions.

use std::fmt::Write as _;

use anchord_economy::sessions::{Conclusion, Told};
use serde_json::{Value, json};

use crate::random::Random;

/// Rounds of a session.
const ROUNDS: usize = 155;
/// Rounds of a task; the last one is its conclusion.
const TASK_ROUNDS: usize = 13;
/// Bytes of the outputs that are larger than a small window.
const HUGE_BYTES: usize = 150_000;

const TASKS: [&str; 12] = [
    "Parcels of the north depot arrive twice in the overview. Find out why.",
    "The nightly sorting takes three hours; make it faster.",
    "Labels for returns show the wrong depot. Mend that.",
    "Which of last week's deliveries were counted late, and were they?",
    "Drivers see old routes after noon. Look into it.",
    "Write down what went wrong with the scanner on Monday.",
    "The invoice run skips small customers. Why?",
    "Retire the switches that nobody has changed for a year.",
    "See whether yesterday's copy of the parcel table can be read back.",
    "Give the weighing service figures that we can watch.",
    "Go through what is marked as unfinished and sort it.",
    "Prepare the notes for the next release.",
];
const WISHES: [&str; 4] = [
    "Leave everything below third_party/ as it is.",
    "Weights are whole grams, never fractions.",
    "Use the word consignment for what customers see.",
    "No restarts of the belt before 21:30.",
];
const CAUSES: [&str; 4] =
    ["a row read twice", "a clock that was ahead", "a full queue", "an index that was missing"];

/// How much the tools return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// One output in fourteen has 20 to 60 KB.
    Some,
    /// One in three has, and two are larger than a small window.
    Heavy,
}

impl Kind {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Some => "made, some large outputs",
            Self::Heavy => "made, many large outputs",
        }
    }

    /// Of a hundred outputs those that have 20 to 60 KB, and how many are larger than a small window.
    fn large(self) -> (usize, usize) {
        match self {
            Self::Some => (7, 0),
            Self::Heavy => (32, 2),
        }
    }
}

/// The messages of a session, the same for the same seed.
pub fn made(kind: Kind, seed: u64) -> (Vec<String>, Told) {
    let mut random = Random::new(seed * 2 + u64::from(kind == Kind::Heavy));
    let (large, huge) = kind.large();
    let huge_at: Vec<usize> = (0..huge).map(|at| 20 + at * 60 + random.below(50)).collect();
    let first = random.below(TASKS.len());
    let mut told = Told::default();
    let instructions =
        "You keep a parcel service running. Read logs and code, change little, run the tests. ";
    let mut messages = vec![json!({"role": "system", "content": instructions.repeat(9)})];
    let mut tickets: Vec<String> = Vec::new();
    for round in 0..ROUNDS {
        let task = round / TASK_ROUNDS;
        if round % TASK_ROUNDS == 0 {
            let mut text =
                TASKS.get((first + task * 5) % TASKS.len()).map(ToString::to_string).unwrap_or_default();
            // Every second one of the first tasks comes with a wish.
            if let Some(wish) = WISHES.get(task / 2).filter(|_| task.is_multiple_of(2)) {
                told.wishes.push((messages.len(), wish));
                let _infallible = write!(text, " {wish}");
            }
            messages.push(json!({"role": "user", "content": text}));
        }
        if round % TASK_ROUNDS == TASK_ROUNDS - 1 {
            let conclusion = conclude(messages.len(), task + 1, &mut random);
            messages.push(json!({"role": "assistant", "content": conclusion.text}));
            told.conclusions.push(conclusion);
            continue;
        }
        let kind = random.below(100);
        let bytes = match kind {
            _ if huge_at.contains(&round) => HUGE_BYTES,
            0..35 => 0,
            _ if kind >= 100 - large => 20_000 + random.below(40_000),
            _ => 1_000 + random.below(7_000),
        };
        let back = [1, 1, 3, 8, 20, 40].get(random.below(6)).copied().unwrap_or(1);
        let about = tickets.get(tickets.len().saturating_sub(back));
        let about = about.map_or_else(String::new, |ticket| format!(" It may belong to {ticket}."));
        messages.extend(step(tickets.len(), bytes, &about, &mut random, &mut tickets));
    }
    (messages.iter().map(Value::to_string).collect(), told)
}

/// A call and its result, which has the next ticket when it is a log.
fn step(
    number: usize,
    bytes: usize,
    about: &str,
    random: &mut Random,
    tickets: &mut Vec<String>,
) -> [Value; 2] {
    let ticket = format!("TKT-{:04x}{:04x}", random.below(0x1_0000), random.below(0x1_0000));
    let output = if bytes == 0 {
        format!(
            "commit {:07x}: 2 files changed, {} lines added\n{} tests passed in {}.{:02} s",
            random.below(0x1000_0000),
            1 + random.below(90),
            3 + random.below(60),
            random.below(20),
            random.below(100)
        )
    } else {
        log(bytes, &ticket, random)
    };
    tickets.push(ticket);
    let tool = if bytes == 0 { "edit_file" } else { "read_log" };
    let arguments = json!({"path": format!("parcels/unit_{number}.py")}).to_string();
    let id = format!("call_{number}");
    let call = json!({"id": id, "type": "function", "function": {"name": tool, "arguments": arguments}});
    [
        json!({"role": "assistant", "content": format!("On to unit {number}.{about}"), "tool_calls": [call]}),
        json!({"role": "tool", "tool_call_id": id, "content": output}),
    ]
}

/// Lines of a log; one of them, anywhere, has the ticket.
fn log(bytes: usize, ticket: &str, random: &mut Random) -> String {
    let (mut lines, mut had) = (Vec::new(), 0);
    while had < bytes {
        let line = format!(
            "2031-04-09 {:02}:{:02}:{:02}.{:03} {} {} parcel={:05x}{:05x} at=/depot/{} took {} ms",
            8 + random.below(4),
            random.below(60),
            random.below(60),
            random.below(1_000),
            ["info", "info", "warn"].get(random.below(3)).unwrap_or(&"info"),
            ["belt", "router", "scales", "labels"].get(random.below(4)).unwrap_or(&"belt"),
            random.below(0x10_0000),
            random.below(0x10_0000),
            1 + random.below(99_999),
            1 + random.below(900),
        );
        had += line.len() + 1;
        lines.push(line);
    }
    lines.insert(
        random.below(lines.len()),
        format!("error ticket={ticket}: the router did not answer, given up"),
    );
    lines.join("\n")
}

fn conclude(at: usize, task: usize, random: &mut Random) -> Conclusion {
    let part = format!("belt-{task}{:03}", random.below(1_000));
    let value = format!("{} s", 12 + random.below(80));
    let cause = CAUSES.get(random.below(CAUSES.len())).copied().unwrap_or_default();
    let text = match random.below(4) {
        0 => format!(
            "Task {task} is done: it was {cause} in {part}. Decision: the timeout of {part} is {value}."
        ),
        1 => format!(
            "That was item {task}. The cause was {cause} ({part}); I settled on a timeout of {value} there."
        ),
        2 => {
            format!("I close number {task}. {part} had {cause}, so its timeout stays at {value} from now on.")
        }
        _ => format!(
            "Result of {task}: {cause} in {part}; I went with a timeout of {value}, because less cuts off slow scans."
        ),
    };
    Conclusion { at, text, part, value }
}
