//! The commands of the command line, one file each: their arguments and their output.
//!
//! Invariant: standard output carries a command's result alone; logs and errors go to standard error.
//! Must not know: how the service is put together (app does).

mod compress;
mod export;
mod failure;
mod health;
mod import;
mod key;
mod migrate;
mod openapi;
mod remote;
mod serve;
mod tenant;
mod transcript;
mod worker;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::{config, telemetry};

/// Keeps AI agents going past their context window
#[derive(Debug, Parser)]
#[command(version, propagate_version = true)]
struct Cli {
    #[command(flatten)]
    telemetry: config::Telemetry,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the service: API, workers and, unless yours is named, a database of its own
    Serve(serve::Serve),
    /// Run workers alone, beside a service that shares the database
    Worker(worker::Worker),
    /// Ask a running service whether it is ready; for health checks
    Health(health::HealthCommand),
    /// Bring the database's schema up to date and end
    Migrate(migrate::Migrate),
    /// Make, list, suspend and erase tenants
    Tenant(tenant::TenantCommand),
    /// Make, list, rotate and revoke API keys
    Key(key::KeyCommand),
    /// Summarise a transcript in a file, without server and database
    Compress(compress::Compress),
    /// Write summaries of a running service's sessions to files
    Export(export::Export),
    /// Append a transcript in a file to a session of a running service
    Import(import::Import),
    /// Print the OpenAPI document
    Openapi(openapi::Openapi),
}

/// Parses the command line and the environment, runs the command, and returns the exit code.
#[must_use]
#[expect(clippy::print_stderr, reason = "a command prints its failure for the caller")]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(usage) => {
            // Help and version are "errors" to clap, which go to standard output with code 0.
            let _ = usage.print();
            return ExitCode::from(u8::try_from(usage.exit_code()).unwrap_or(2));
        }
    };
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("anchord: {}", failure::format_error(&error));
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<()> {
    // Before the runtime and dropped after it: see telemetry.
    let _telemetry = telemetry::start(&cli.telemetry)?;
    match cli.command {
        Command::Serve(serve) => block_on(serve.run()),
        Command::Worker(worker) => block_on(worker.run()),
        Command::Health(health) => block_on(health.run()),
        Command::Migrate(migrate) => block_on(migrate.run()),
        Command::Tenant(tenant) => block_on(tenant.run()),
        Command::Key(key) => block_on(key.run()),
        Command::Compress(compress) => block_on(compress.run()),
        Command::Export(export) => block_on(export.run()),
        Command::Import(import) => block_on(import.run()),
        Command::Openapi(openapi) => openapi.run(),
    }
}

fn block_on(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
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
        // Flags of `serve` stand for the variables: the environment belongs to the whole test process.
        command.build();
        let serve = command.find_subcommand("serve").expect("a command");
        let flags: Vec<String> = example()
            .into_iter()
            .map(|(name, value)| {
                let arg = serve.get_arguments().find(|arg| arg.get_env().is_some_and(|env| env == name));
                let arg = arg.unwrap_or_else(|| panic!("{name} is no variable of serve"));
                let default = arg.get_default_values().first().map_or("", |v| v.to_str().unwrap_or_default());
                assert_eq!(value, default, "{name}");
                format!("--{}={value}", arg.get_long().unwrap_or_default())
            })
            .collect();
        let words = ["anchord", "serve"].into_iter().map(str::to_owned).chain(flags);
        let cli = Cli::try_parse_from(words).expect("the example is taken");
        let Command::Serve(serve) = cli.command else { panic!("another command") };
        serve.check().expect("the example is good");
    }
}
