//! Whether a text says that the agent does not know its task any more: it asks what it is, or cannot recall it.
//!
//! The question for a first task ("what can I do for you?") does not count, nor does one about a detail.

use super::texts;
use anchord_facts::phrases::Phrase;

/// Bytes that are read at each end of a message.
const END_BYTES: usize = 2 * 1024;

/// Whether the agent asks what its task is, or says that it cannot recall it.
pub(super) fn is_said(text: &str) -> bool {
    let (head, tail) = texts::ends(text, END_BYTES);
    [head, tail].iter().any(|piece| is_said_in(piece))
}

fn is_said_in(text: &str) -> bool {
    // Few texts contain the phrase, and a match ends with its line at the latest.
    Phrase::TaskLost.is_in(text) && Phrase::TaskLost.is_in(&own_lines(text))
}

/// The agent's own lines: no quotes, no code.
fn own_lines(text: &str) -> String {
    let mut own = String::with_capacity(text.len());
    let mut in_code = false;
    for line in text.lines() {
        let start = line.trim_start();
        if start.starts_with("```") || start.starts_with("~~~") {
            in_code = !in_code;
        } else if !in_code && !start.starts_with('>') && !start.starts_with('|') {
            own.push_str(line);
            own.push('\n');
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("I've lost track of what I was supposed to do here.")]
    #[case("Hmm, I no longer remember what the original task was.")]
    #[case("I don’t recall what we were trying to achieve with this change.")]
    #[case("Sorry, what was the task again?")]
    #[case("What was I working on?")]
    #[case("Could you please remind me what the goal of this session is?")]
    #[case("I cannot recall the original task, so I will look at the repository first.")]
    #[case("我忘记了最初的任务是什么，请再说一遍。")]
    #[case("抱歉，任务是什么来着？")]
    #[case("你能提醒我这次的任务是什么吗？")]
    fn an_agent_that_lost_its_task_says_so(#[case] text: &str) {
        assert!(is_said(text), "{text}");
    }

    #[rstest]
    #[case("How can I help you today?")]
    #[case("What would you like me to work on next?")]
    #[case("I remember the task: rename the module. I will do that now.")]
    #[case("Do not forget the goal: the tests must stay green.")]
    #[case("The task was created. What is the name of the request handler?")]
    #[case("I forgot to close the file, let me fix that before the next task.")]
    #[case("I forgot the import. The request fails because of it.")]
    #[case("I don't know the password of the database; could you give it to me?")]
    #[case("I can't remember passwords between sessions.")]
    #[case("> I have lost track of the task\nThat is what the log says.")]
    #[case("```\nI forgot what the task was\n```\nis the text of the dialog.")]
    #[case("我记得任务：把模块改名。现在开始。")]
    #[case("这个任务已经完成，下一步要做什么？")]
    #[case("别忘了更新任务列表。")]
    fn an_agent_that_knows_its_task_is_left_alone(#[case] text: &str) {
        assert!(!is_said(text), "{text}");
    }

    #[test]
    fn a_huge_message_is_looked_at_by_its_ends() {
        let text = format!("{}\nSorry, what was the task again?", "x ".repeat(2_000_000));
        assert!(is_said(&text));
    }
}
