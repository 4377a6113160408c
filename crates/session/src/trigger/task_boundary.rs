//! The signal that a task has ended: the caller says so, or everything on the todo list is done.

use super::input::TriggerInput;
use crate::settings::Policy;
use crate::signal::{Action, Signal, SignalKind};
use anchord_messages::id::Seq;

/// Acts when the caller reports the end of a task, or when this append did the last open item of the todo
/// list.
pub(super) fn signal(_: &Policy, input: &TriggerInput<'_>) -> Signal {
    let (action, detail) = if input.boundary.is_some() {
        (Action::Compress, "a task ended")
    } else if list_done(input).is_some() {
        (Action::Compress, "everything on the todo list is done")
    } else {
        (Action::None, "no task ended")
    };
    Signal::new(SignalKind::TaskBoundary, action, detail)
}

/// The last message that the finished task's span may cover: the caller's boundary, or the end of the group
/// that did the last open item. What follows belongs to the next task.
///
/// The newest messages are preserved all the same: the next task asks about the end of this one. A boundary
/// that comes while a compression runs, or when nothing may be covered, is not kept for later.
pub(super) fn end(input: &TriggerInput<'_>) -> Option<Seq> {
    let done = || Some(input.counts.group_end(list_done(input)?, input.head));
    input.boundary.or_else(done)
}

/// The message of this append in which the last open item was done.
fn list_done(input: &TriggerInput<'_>) -> Option<Seq> {
    input.recent.todos.done_at().filter(|done| *done >= input.first)
}
