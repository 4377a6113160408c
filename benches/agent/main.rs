//! The agent bench: whether an agent that depends on its memory gets its task done, and what that costs, one way of managing
//! the context beside another.
//!
//! What lives here: tasks of seventy-three steps whose later ones need what earlier outputs, the person, and the agent itself
//! have said; an agent that is a program and acts on its prompt alone; a Postgres and the service's binary, which it works with
//! as a client does. Costs are counted as the economy bench counts them, by the same code, and the agent's answers with five
//! for each token.
//! Invariant: the agent keeps nothing between two prompts, and every way answers the same task with the same agent.
//! Must not know: how the service compresses.

mod agent;
#[path = "../load/client.rs"]
mod client;
mod facts;
mod memory;
#[path = "../load/random.rs"]
#[expect(dead_code, reason = "the load bench uses the rest")]
mod random;
#[path = "../load/servers.rs"]
#[expect(dead_code, reason = "the load bench uses the rest")]
mod servers;
#[path = "../load/service.rs"]
mod service;
mod task;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anchord_economy::piece::{Piece, count};
use anchord_economy::tally::{ANSWER_PRICE, Sent, Tally};
use anchord_messages::format::Format;
use anchord_messages::shape::Measured;
use anchord_messages::tokens::TokenCounter;
use anchord_session::settings::Settings;
use clap::Parser;
use serde_json::{Value, json};

use crate::agent::{Act, READ, SEARCH};
use crate::client::Connection;
use crate::memory::{Memory, Way};
use crate::servers::Servers;
use crate::task::{SYSTEM, Sizes, Task};

/// A task takes 71 calls when nothing is lost; with three times as many it is not done.
const MOST_CALLS: usize = 213;

/// Lets an agent that depends on its memory do tasks, and prints how often it does, and what that costs, by way
#[derive(Debug, Parser)]
struct Flags {
    /// Context windows, in tokens
    #[arg(long, visible_alias = "window", value_delimiter = ',', default_values_t = [16_000, 32_000])]
    windows: Vec<u32>,
    /// How much the tools return
    #[arg(long, value_delimiter = ',', default_values = ["small", "mixed"])]
    sizes: Vec<Sizes>,
    /// Tasks of each kind
    #[arg(long, default_value_t = 8)]
    tasks: u64,
    /// One task of each kind
    #[arg(long)]
    quick: bool,
    /// Tell each task apart
    #[arg(long)]
    each: bool,
    /// A folder to write every prompt to, with the answer to it
    #[arg(long)]
    prompts: Option<PathBuf>,
    /// The service's binary
    #[arg(long, default_value = env!("CARGO_BIN_EXE_anchord"))]
    binary: PathBuf,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

/// How a task ended.
#[derive(Debug, Default)]
struct Outcome {
    tally: Tally,
    /// The cost of the agent's answers.
    answers: f64,
    /// Calls that brought back what was told before.
    again: usize,
    /// What is wrong with its report; `None` when there is none.
    mistakes: Option<Vec<&'static str>>,
    /// Everything that was said.
    messages: Vec<Value>,
}

impl Outcome {
    fn cost(&self) -> f64 {
        self.tally.cost() + self.answers
    }

    /// What kept the task from being done.
    fn mistakes(&self) -> Vec<&'static str> {
        let nothing = if self.tally.refused > 0 { "no prompt fits" } else { "too many calls" };
        self.mistakes.clone().unwrap_or_else(|| vec![nothing])
    }
}

/// One way in one window, over the tasks of a size.
#[derive(Default)]
struct Row {
    done: usize,
    tasks: usize,
    again: usize,
    cost: f64,
    tally: Tally,
    /// How many tasks each mistake spoilt.
    wrong: BTreeMap<&'static str, usize>,
}

impl Row {
    fn add(&mut self, outcome: &Outcome) {
        self.tasks += 1;
        self.done += usize::from(outcome.mistakes().is_empty());
        self.again += outcome.again;
        self.cost += outcome.cost();
        self.tally.add(&outcome.tally);
        for mistake in outcome.mistakes() {
            *self.wrong.entry(mistake).or_default() += 1;
        }
    }
}

fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(measure(&flags))
}

async fn measure(flags: &Flags) -> anyhow::Result<()> {
    let servers = Servers::start(&flags.binary, "")?;
    let tasks = if flags.quick { 1 } else { flags.tasks };
    for window in &flags.windows {
        for sizes in &flags.sizes {
            let mut rows: Vec<Row> = Way::ALL.iter().map(|_| Row::default()).collect();
            for seed in 1..=tasks {
                let ratio = bytes_of_token(*sizes, seed).await?;
                for (way, row) in Way::ALL.into_iter().zip(&mut rows) {
                    let run = Run { flags, sizes: *sizes, seed, window: *window, way };
                    let outcome = run.play(&servers, ratio).await?;
                    if flags.each {
                        let (calls, cost) = (outcome.tally.calls, outcome.cost());
                        let wrong = outcome.mistakes().join(", ");
                        say(&format!("{}: {calls} calls, cost {cost:.0}; wrong: {wrong}", run.name()));
                    }
                    row.add(&outcome);
                }
            }
            print((*window, *sizes), &rows);
        }
    }
    servers.stop()
}

/// Bytes of JSON that are one token, over all messages of a task that forgets nothing.
async fn bytes_of_token(sizes: Sizes, seed: u64) -> anyhow::Result<f64> {
    let mut sent = Sent::new(1.0, f64::INFINITY);
    let mut memory = Memory::here(Way::Uncompressed, 0);
    let outcome = work(&mut Task::new(sizes, seed), &mut memory, &mut sent, |_, _| Ok(())).await?;
    let (counter, mut tokens, mut bytes) = (TokenCounter::default(), 0.0, 0.0);
    for message in &outcome.messages {
        let raw = message.to_string();
        tokens += f64::from(Measured::read(Format::OpenaiChat, &raw, &counter)?.tokens);
        bytes += count(raw.len());
    }
    Ok(bytes / tokens)
}

/// One task under one way.
struct Run<'a> {
    flags: &'a Flags,
    sizes: Sizes,
    seed: u64,
    window: u32,
    way: Way,
}

impl Run<'_> {
    fn name(&self) -> String {
        let way = self.way.name().replace(", ", "-");
        format!(
            "{}-{}-{way}-{}",
            self.window,
            if self.sizes == Sizes::Small { "small" } else { "mixed" },
            self.seed
        )
    }

    async fn play(&self, servers: &Servers, ratio: f64) -> anyhow::Result<Outcome> {
        let settings = Settings { context_window: Some(self.window), ..Settings::default() };
        let effective = settings.policy().effective_window;
        let mut connection = Connection::open(servers.address).await?;
        let mut memory = match self.way {
            Way::Service | Way::Tools => {
                Memory::there(&mut connection, &self.name(), self.window, self.way == Way::Tools).await?
            }
            // Half of the window at the most, as tokens of the outputs have two bytes and more.
            way @ (Way::Uncompressed | Way::Truncate | Way::Compact) => {
                Memory::here(way, usize::try_from(effective)?)
            }
        };
        let held = if self.way == Way::Uncompressed { f64::INFINITY } else { f64::from(effective) };
        let mut sent = Sent::new(ratio, held);
        let folder = self.flags.prompts.as_ref().map(|folder| folder.join(self.name()));
        if let Some(folder) = &folder {
            fs::create_dir_all(folder)?;
        }
        let mut calls = 0;
        let show = |prompt: &[Piece], answer: &Value| -> anyhow::Result<()> {
            calls += 1;
            let Some(folder) = &folder else { return Ok(()) };
            let texts = prompt.iter().map(|piece| format!("=== {}\n{}\n", piece.role.as_ref(), piece.text));
            let shown = texts.collect::<String>() + "=== answer\n" + &serde_json::to_string_pretty(answer)?;
            Ok(fs::write(folder.join(format!("{calls:03}.txt")), shown)?)
        };
        let mut outcome = work(&mut Task::new(self.sizes, self.seed), &mut memory, &mut sent, show).await?;
        if matches!(self.way, Way::Service | Way::Tools) {
            sent.tally.compressions = memory.compressions().await?;
        }
        outcome.tally = sent.tally;
        Ok(outcome)
    }
}

/// The loop of a harness: prompt, answer, result, until the report.
async fn work(
    task: &mut Task,
    memory: &mut Memory<'_>,
    sent: &mut Sent,
    mut show: impl FnMut(&[Piece], &Value) -> anyhow::Result<()>,
) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::default();
    let mut new = vec![
        json!({"role": "system", "content": SYSTEM}),
        json!({"role": "user", "content": Task::opening()}),
    ];
    let mut highest = 0;
    while sent.tally.calls < MOST_CALLS {
        outcome.messages.extend_from_slice(&new);
        let Some(prompt) = memory.prompt(&new, sent).await? else {
            sent.tally.refused += 1;
            break;
        };
        sent.send(&prompt);
        let act = agent::act(&prompt, matches!(memory, Memory::There(session) if session.has_tools()));
        let id = format!("call_{}", sent.tally.calls);
        let answer = match &act {
            Act::Report(report) => json!({"role": "assistant", "content": report.text()}),
            Act::Call(call) => {
                let function = json!({"name": call.tool, "arguments": call.arguments.to_string()});
                json!({"role": "assistant", "content": call.words, "tool_calls": [{"id": id, "type": "function", "function": function}]})
            }
        };
        let written = Piece::read(Format::OpenaiChat, &answer.to_string())?;
        outcome.answers += sent.tokens(&[written]) * ANSWER_PRICE;
        show(&prompt, &answer)?;
        let call = match act {
            Act::Report(report) => {
                outcome.mistakes = Some(task.mistakes(&report));
                break;
            }
            Act::Call(call) => call,
        };
        outcome.again += usize::from(call.step <= highest || [SEARCH, READ].contains(&call.tool.as_str()));
        highest = highest.max(call.step);
        let result = match call.tool.as_str() {
            tool @ (SEARCH | READ) => memory.call(tool, &call.arguments).await?,
            tool => task.answer(tool, &call.arguments),
        };
        new = vec![answer, json!({"role": "tool", "tool_call_id": id, "content": result})];
        if let Some(wish) = task.say(call.step) {
            new.push(json!({"role": "user", "content": wish}));
        }
    }
    Ok(outcome)
}

fn print((window, sizes): (u32, Sizes), rows: &[Row]) {
    let compact = Way::ALL
        .iter()
        .zip(rows)
        .find(|(way, _)| **way == Way::Compact)
        .map_or(f64::NAN, |(_, row)| row.cost);
    let tasks = rows.first().map_or(0, |row| row.tasks);
    say(&format!("\nWindow {window}, outputs of {}: {tasks} tasks.\n", sizes.name()));
    say(
        "| way | done | calls of a task | of them again | cost, million | of compact | compressions | largest prompt | above | not done because |",
    );
    say("|---|---|---|---|---|---|---|---|---|---|");
    for (way, row) in Way::ALL.into_iter().zip(rows) {
        let of_a_task = |number: usize| count(number) / count(row.tasks.max(1));
        let wrong: Vec<String> =
            row.wrong.iter().map(|(mistake, tasks)| format!("{mistake} {tasks}")).collect();
        say(&format!(
            "| {} | {} of {} | {:.0} | {:.0} | {:.3} | {:.2} | {} | {:.0} | {} | {} |",
            way.name(),
            row.done,
            row.tasks,
            of_a_task(row.tally.calls),
            of_a_task(row.again),
            row.cost / 1e6,
            row.cost / compact,
            row.tally.compressions,
            row.tally.largest,
            row.tally.over,
            if wrong.is_empty() { "–".to_owned() } else { wrong.join(", ") },
        ));
    }
}

#[expect(clippy::print_stdout, reason = "printing is what a bench is for")]
fn say(line: &str) {
    println!("{line}");
}
