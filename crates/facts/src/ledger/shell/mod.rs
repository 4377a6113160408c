//! Parser and interpreter of shell scripts, for POSIX shells, PowerShell and `cmd`, and of file operations in scripts of
//! other languages (`code`).
//!
//! What lives here: [`parse`] parses a script, [`effects`] returns what its commands do to files, [`ends_in`] the
//! directory in which it leaves its shell, [`pipelines`] the programs that it runs.
//! Invariant: parsing is linear in the script's length, without recursion, and accepts every text; no command is run;
//! of expansions, only brace lists, literal loops and `$HOME` are resolved.
//! Must not know: which agent ran the command.

mod cmdlets;
mod code;
mod command;
mod copies;
mod effect;
mod effects;
mod formatters;
mod git;
mod lexer;
mod parse;
mod steps;
mod windows;

#[cfg(test)]
mod tests;

pub(super) use code::{FileUse, edits_in, file_uses_in};
pub(super) use command::{Command, Pipeline, Script, Word, basename, quote};
pub(super) use effect::{Effect, Op};
pub(super) use effects::effects;
pub(super) use parse::parse;
pub(super) use steps::{ends_in, pipelines};
