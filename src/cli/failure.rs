//! The failures of commands: how they are shown to a person, and which exit code they have.

use std::process::ExitCode;

use crate::config::BadValue;

/// The command line or its settings are wrong, so that nothing was tried: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Usage(pub(super) String);

/// The reader of the output has closed it, as `head` does. This ends a command and is no failure.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the output was closed")]
pub(super) struct OutputClosed;

/// The agent that a command ran has ended with this code, and has said why itself.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the agent ended with {0}")]
pub(super) struct AgentEnded(pub(super) u8);

/// Whether an error says nothing that is not there already.
pub(super) fn is_silent(error: &anyhow::Error) -> bool {
    error.is::<OutputClosed>() || error.is::<AgentEnded>()
}

/// The exit code of an error: 2 for a wrong command line or a wrong setting, 1 for anything else; 0 when the reader of the
/// output has enough.
pub(super) fn exit_code(error: &anyhow::Error) -> ExitCode {
    if error.is::<OutputClosed>() {
        ExitCode::SUCCESS
    } else if let Some(AgentEnded(code)) = error.downcast_ref() {
        ExitCode::from(*code)
    } else if error.is::<Usage>() || error.is::<BadValue>() {
        ExitCode::from(2)
    } else {
        ExitCode::FAILURE
    }
}

/// Joins an error and its causes; a cause is omitted when the text of the error before it ends with it.
pub(super) fn format_error(error: &anyhow::Error) -> String {
    let mut text = String::new();
    let mut before = String::new();
    for cause in error.chain() {
        let words = cause.to_string();
        // Some libraries include the text of the cause in the text of the error.
        if before.ends_with(&words) {
            continue;
        }
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&words);
        before = words;
    }
    text
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::*;

    #[test]
    fn a_cause_is_not_repeated() {
        let refused = std::io::Error::new(std::io::ErrorKind::ConnectionRefused, "connection refused");
        let error =
            Err::<(), _>(sqlx::Error::Io(refused)).context("the database cannot be migrated").unwrap_err();
        assert_eq!(error.chain().count(), 3, "the case is one where a library says it twice");
        let told = format_error(&error);
        assert_eq!(told.matches("connection refused").count(), 1, "{told}");
        assert!(told.starts_with("the database cannot be migrated: "), "{told}");
    }

    #[test]
    fn different_causes_are_all_shown() {
        let error = anyhow::anyhow!("no such file")
            .context("the folder cannot be read")
            .context("nothing was started");
        assert_eq!(format_error(&error), "nothing was started: the folder cannot be read: no such file");
    }
}
