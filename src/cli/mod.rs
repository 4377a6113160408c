//! The commands of the command line, one file each: their arguments and their output.
//!
//! Invariant: standard output carries a command's result alone; logs and errors go to standard error.
//! Must not know: how the service is put together (app does).

#![expect(
    clippy::doc_markdown,
    reason = "the docs of commands and arguments are their help, which is plain text"
)]

mod allocator;
mod cells;
mod completions;
mod compress;
mod context;
mod credential;
mod demo;
mod exam;
mod failure;
mod health;
mod import;
mod item;
mod key;
mod ledger;
mod mcp;
mod migrate;
mod openapi;
mod output;
mod own_service;
mod prelude;
mod recall;
mod remote;
mod restore;
mod serve;
mod sessions;
mod summary;
mod tail;
mod tenant;
mod transcript;
mod worker;
mod wrap;

use std::process::ExitCode;

use anyhow::Result;
use clap::error::ContextKind;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};

use crate::{config, telemetry};

/// A value as the command line and the API name it.
fn word(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Keep AI agents going past their context window
#[derive(Debug, Parser)]
#[command(
    version,
    propagate_version = true,
    after_help = "\
Commands for a running service find it at http://127.0.0.1:8080, or at --url (ANCHORD_URL). They send the API key of
ANCHORD_API_KEY; `tenant` and `key` send the operator token of ANCHORD_OPERATOR_TOKEN. When neither is set, they look for
the files api-key and operator-token that a service with an embedded database keeps in ./data (ANCHORD_DATA_DIR).

On a terminal, lists are tables. In a pipe or a file, they are lines of fields separated by tabs, complete and without a
header. With --json, a list is one JSON document per line, and anything else one JSON document. NO_COLOR turns off colours.

Exit codes: 0 success; 1 the command failed; 2 the command line or a setting is wrong, and nothing was tried.

Examples:
  anchord serve
  anchord import examples/session.json --session first
  anchord sessions list
  anchord context first
  anchord tail first"
)]
struct Cli {
    #[command(flatten)]
    telemetry: config::Telemetry,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one per process")]
enum Command {
    /// Run the service: API, workers and, unless DATABASE_URL is set, an embedded database
    Serve(serve::Serve),
    /// Run workers without the API, beside a service that uses the same database
    Worker(worker::Worker),
    /// Create the schema of an empty database
    Migrate(migrate::Migrate),
    /// List and add cells, and move tenants between them
    Cells(cells::CellsCommand),
    /// Check whether a running service is ready, for health checks
    Health(health::HealthCommand),
    /// List, show and delete sessions
    Sessions(sessions::SessionsCommand),
    /// Print the context of a session: what to send to the model next
    Context(context::ContextCommand),
    /// Print the summary of a session
    Summary(summary::SummaryCommand),
    /// Follow the events of a session
    Tail(tail::TailCommand),
    /// Play a recorded session through the service, and show how its context grows, is compressed and what it costs
    Demo(demo::Demo),
    /// Search the messages of a session
    Recall(recall::RecallCommand),
    /// List the facts of a session: files, commands, test runs, errors, identifiers, constraints
    Ledger(ledger::LedgerCommand),
    /// Offer the tools, records and contexts of sessions to an agent, as an MCP server over standard input and output
    Mcp(mcp::McpCommand),
    /// Append a transcript to a session
    Import(import::Import),
    /// Create, list, suspend and delete tenants
    Tenant(tenant::TenantCommand),
    /// Create, list, rotate and revoke API keys
    Key(key::KeyCommand),
    /// Summarise a transcript without a service
    Compress(compress::Compress),
    /// Replay transcripts in memory, and write what contexts would cost and keep beside other ways as a page
    Exam(exam::Exam),
    /// Run an agent with the gateway as the base URL of its model
    Wrap(wrap::Wrap),
    /// Print the summary in an opaque item that the gateway gave to an agent
    Item(item::ItemCommand),
    /// Print the OpenAPI document of the API
    Openapi(openapi::Openapi),
    /// Print a completion script for a shell
    Completions(completions::Completions),
}

/// Parses the command line and the environment, runs the command, and returns the exit code.
pub fn main() -> ExitCode {
    let matches = config::without_empty_variables(Cli::command()).try_get_matches();
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(mut usage) => {
            // It would list arguments that the environment has set as if the command line lacked them.
            usage.remove(ContextKind::Usage);
            // Help and version are "errors" to clap, which go to standard output with code 0.
            let _ = usage.print();
            return ExitCode::from(u8::try_from(usage.exit_code()).unwrap_or(2));
        }
    };
    if matches!(cli.command, Command::Serve(_) | Command::Worker(_)) {
        allocator::settle();
    }
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if !failure::is_silent(&error) {
                output::note(&format!("anchord: {}", failure::format_error(&error)));
            }
            failure::exit_code(&error)
        }
    }
}

fn run(cli: Cli) -> Result<()> {
    // Before the runtime and dropped after it: see telemetry.
    let _telemetry = telemetry::start(&cli.telemetry)?;
    match cli.command {
        Command::Serve(serve) => block_on(serve.run()),
        Command::Worker(worker) => block_on(worker.run()),
        Command::Migrate(migrate) => block_on(migrate.run()),
        Command::Cells(cells) => block_on(cells.run()),
        Command::Health(health) => block_on(health.run()),
        Command::Sessions(sessions) => block_on(sessions.run()),
        Command::Context(context) => block_on(context.run()),
        Command::Summary(summary) => block_on(summary.run()),
        Command::Tail(tail) => block_on(tail.run()),
        Command::Recall(recall) => block_on(recall.run()),
        Command::Ledger(ledger) => block_on(ledger.run()),
        Command::Mcp(mcp) => block_on(mcp.run()),
        Command::Import(import) => block_on(import.run()),
        Command::Tenant(tenant) => block_on(tenant.run()),
        Command::Key(key) => block_on(key.run()),
        Command::Compress(compress) => block_on(compress.run()),
        Command::Exam(exam) => block_on(Box::pin(exam.run())),
        Command::Wrap(wrap) => block_on(wrap.run()),
        Command::Demo(demo) => block_on(demo.run()),
        Command::Item(item) => item.run(),
        Command::Openapi(openapi) => openapi.run(),
        Command::Completions(completions) => completions.run(Cli::command()),
    }
}

fn block_on(work: impl Future<Output = Result<()>>) -> Result<()> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(work)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    /// The variables of the example with their values.
    fn example() -> Vec<(&'static str, &'static str)> {
        include_str!("../../.env.example")
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once('='))
            .collect()
    }

    #[test]
    fn the_example_of_an_environment_has_every_variable_and_no_other() {
        fn variables(command: &clap::Command, found: &mut BTreeSet<String>) {
            let set = command.get_arguments().filter_map(clap::Arg::get_env);
            found.extend(set.map(|name| name.to_string_lossy().into_owned()));
            command.get_subcommands().for_each(|sub| variables(sub, found));
        }
        let mut wanted = BTreeSet::new();
        variables(&Cli::command(), &mut wanted);
        let shown: BTreeSet<String> = example().into_iter().map(|(name, _)| name.to_owned()).collect();
        assert_eq!(shown, wanted);
    }

    /// Every command with its name.
    fn commands() -> Vec<(String, clap::Command)> {
        fn collect(name: &str, command: &clap::Command, found: &mut Vec<(String, clap::Command)>) {
            found.push((name.to_owned(), command.clone()));
            for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
                collect(&format!("{name} {}", sub.get_name()), sub, found);
            }
        }
        let mut command = Cli::command();
        command.build();
        let mut found = Vec::new();
        collect("anchord", &command, &mut found);
        found
    }

    #[test]
    fn every_command_and_argument_is_explained_in_a_sentence() {
        for (name, command) in commands() {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            assert!(about.starts_with(char::is_uppercase) && !about.ends_with('.'), "{name}: {about}");
            for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
                assert!(
                    help.starts_with(char::is_uppercase) && !help.ends_with('.'),
                    "{name} {}: {help}",
                    arg.get_id()
                );
            }
        }
    }

    #[test]
    fn every_example_of_the_help_can_be_parsed() {
        let mut examples = 0;
        for (name, command) in commands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            // What stands between pipes and files; no quoted word of ours has either.
            let parts =
                help.lines().filter(|line| line.starts_with("  ")).flat_map(|line| line.split(['|', '>']));
            for part in parts.map(str::trim).filter(|part| part.starts_with("anchord ")) {
                let words = part.split(' ').map(|word| word.trim_matches('\''));
                // Without the environment: what the machine has set must not decide a test.
                let command = Cli::command().mut_args(|arg| arg.env(clap::builder::Resettable::Reset));
                if let Err(refused) = command.try_get_matches_from(words) {
                    panic!("{name}: {part}: {refused}");
                }
                examples += 1;
            }
        }
        assert!(examples > 40, "{examples}");
    }

    #[test]
    fn the_container_files_set_variables_that_there_are() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let name = regex::Regex::new("ANCHORD_[A-Z_]+|DATABASE_URL|OTEL_[A-Z_]+").expect("a pattern");
        for file in ["Dockerfile", "docker-compose.yml"] {
            let text = std::fs::read_to_string(root.join(file)).expect("a file");
            for found in name.find_iter(&text) {
                let is_known = example().iter().any(|(known, _)| *known == found.as_str());
                assert!(is_known, "{file}: {}", found.as_str());
            }
        }
    }

    #[test]
    fn the_example_of_an_environment_is_taken_and_shows_the_defaults() {
        let mut command = Cli::command();
        // Flags stand for the variables: the environment belongs to the whole test process.
        command.build();
        let flags_of = |name: &str| -> Vec<(String, String)> {
            let within = |command: &clap::Command, name: &str| {
                command.find_subcommand(name).cloned().expect("a command")
            };
            let command = name.split(' ').fold(command.clone(), |command, name| within(&command, name));
            let flag = |(variable, value): (&str, &str)| {
                let arg =
                    command.get_arguments().find(|arg| arg.get_env().is_some_and(|env| env == variable))?;
                let default = arg.get_default_values().first().map_or("", |v| v.to_str().unwrap_or_default());
                assert_eq!(value, default, "{variable}");
                Some((variable.to_owned(), format!("--{}={value}", arg.get_long().unwrap_or_default())))
            };
            example().into_iter().filter_map(flag).collect()
        };
        let serve = flags_of("serve");
        // What is no variable of the service is one of a command that talks to it.
        let others: Vec<_> = ["tenant", "sessions", "cells add"].into_iter().flat_map(flags_of).collect();
        for (name, _) in example() {
            let is_known = serve.iter().chain(&others).any(|(known, _)| known == name);
            assert!(is_known, "{name} is no variable of serve, tenant, sessions or cells add");
        }
        // A variable that is set to nothing is not set.
        let flags = serve.into_iter().map(|(_, flag)| flag).filter(|flag| !flag.ends_with('='));
        let words = ["anchord", "serve"].into_iter().map(str::to_owned).chain(flags);
        let cli = Cli::try_parse_from(words).expect("the example is taken");
        let Command::Serve(serve) = cli.command else { panic!("another command") };
        serve.check().expect("the example is good");
    }
}
