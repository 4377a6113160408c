//! Shell commands, read once and for everybody: [`parse`] takes a script apart, [`effects`] tells what its commands do
//! to files, [`ends_in`] where it leaves its shell, [`pipelines`] which programs ran and what stood behind them.
//!
//! Invariant: reading is linear in the script's length, descends nowhere and refuses nothing; nothing is expanded or run.
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

pub(super) use code::{Written, edits_in, writes_in};
pub(super) use command::{Command, Pipeline, Script, Word, basename, quote};
pub(super) use effect::{Effect, Op};
pub(super) use effects::effects;
pub(super) use parse::parse;
pub(super) use steps::{ends_in, pipelines};
