//! Situations in which the signals about history speak, and healthy ones in which they do not.

use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::accounting::{Accounting, MessageCounts};
use crate::settings::PolicyName;
use crate::settings::Settings;
use crate::signal::{Action, HistoryScope, SignalKind};
use anchord_messages::format::{self, Format};
use anchord_messages::id::Seq;
use anchord_messages::shape::Shape;
use anchord_messages::tokens::TokenCounter;

/// A session, as appends count it.
struct Session {
    counts: Accounting,
    recent: Recent,
    head: Seq,
    now: i64,
    versions: i64,
    past: Vec<PastMessage>,
}

impl Session {
    fn new() -> Self {
        Self {
            counts: Accounting::default(),
            recent: Recent::default().scoped(HistoryScope::All),
            head: 0,
            now: 1_000_000,
            versions: 0,
            past: Vec::new(),
        }
    }

    fn of(messages: &[Value]) -> Self {
        let mut session = Self::new();
        session.extend(messages);
        session
    }

    fn extend(&mut self, messages: &[Value]) {
        for message in messages {
            self.push(message);
        }
    }

    fn push(&mut self, message: &Value) {
        let message = format::parse(Format::OpenaiChat, &message.to_string()).unwrap();
        let (tokens, shape) = Shape::measure(&message, &TokenCounter::default());
        self.head += 1;
        let counted = MessageCounts::of(self.head, message.role, tokens, shape.as_ref(), false);
        self.counts.push(&counted, 5);
        let signals = MessageSignals::of(&message, shape.as_ref(), HistoryScope::All);
        self.recent.push(self.head, tokens, &signals, self.now);
        let of_todos = MessageSignals { todos: signals.todos.clone(), ..MessageSignals::default() };
        assert_eq!(MessageSignals::of(&message, shape.as_ref(), HistoryScope::Todos), of_todos);
        self.past.push(PastMessage { seq: self.head, tokens, now: self.now, signals });
        // The text of a row reads back as it was, and stays small.
        let text = serde_json::to_string(&self.recent).unwrap();
        assert!(text.len() < 2_400, "{} bytes", text.len());
        assert_eq!(serde_json::from_str::<Recent>(&text).unwrap(), self.recent);
    }

    fn decide(&self, policy: PolicyName) -> (Decision, Option<Start>) {
        let lost = self.recent.clone().scoped(HistoryScope::Nothing);
        assert_eq!(lost.replayed(HistoryScope::All, self.past.iter().cloned()), self.recent);
        let settings = Settings { policy: Some(policy), ..Settings::default() };
        let input = TriggerInput {
            counts: &self.counts,
            recent: &self.recent,
            head: self.head,
            anchor: 0,
            first: self.head,
            boundary: None,
            versions: self.versions,
            now: self.now,
        };
        decide(&settings.policy(), &input, true)
    }

    fn action(&self, kind: SignalKind) -> Action {
        let (decision, _) = self.decide(PolicyName::Utilization);
        assert_eq!(decision.signals.len(), 10, "every signal is returned, whatever the policy");
        decision.signals.iter().find(|signal| signal.kind == kind).unwrap().action
    }
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn says(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

/// A call with its answer.
fn uses(name: &str, arguments: &Value, answer: &str) -> Vec<Value> {
    let id = format!("{name}-{arguments}");
    vec![
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": id, "type": "function", "function": {"name": name, "arguments": arguments.to_string()}}
        ]}),
        json!({"role": "tool", "tool_call_id": id, "content": answer}),
    ]
}

fn reads(path: &str) -> Vec<Value> {
    uses("read_file", &json!({"path": path}), &format!("the content of {path}"))
}

fn edits(path: &str, new: &str) -> Vec<Value> {
    uses("edit_file", &json!({"path": path, "old_str": "a", "new_str": new}), "edited")
}

fn runs(command: &str, answer: &str) -> Vec<Value> {
    uses("bash", &json!({"command": command}), answer)
}

// ---- circular reasoning

#[test]
fn equal_calls_with_equal_results_are_circular() {
    let session = Session::of(&[runs("make", "error 2"), runs("make", "error 2")].concat());
    assert_eq!(session.action(SignalKind::CircularReasoning), Action::None);
    let session = Session::of(&vec![runs("make", "error 2"); 3].concat());
    assert_eq!(session.action(SignalKind::CircularReasoning), Action::Force);
}

#[test]
fn a_test_that_runs_after_every_edit_is_not_circular() {
    let mut session = Session::new();
    for i in 0..6 {
        session.extend(&edits("src/a.rs", &format!("version {i}")));
        session.extend(&runs("cargo test", "1 failed"));
    }
    assert_eq!(session.action(SignalKind::CircularReasoning), Action::None);
}

#[test]
fn looking_at_what_changes_by_itself_is_not_circular() {
    let mut session = Session::new();
    for i in 0..6 {
        session.extend(&runs("git status", &format!("{i} files changed")));
    }
    for _ in 0..6 {
        session.extend(&runs("sleep 60 && cat build.log", "still building"));
    }
    assert_eq!(session.action(SignalKind::CircularReasoning), Action::None);
}

#[test]
fn an_edit_that_is_made_again_and_again_is_circular() {
    let session = Session::of(&vec![edits("src/a.rs", "b"); 3].concat());
    assert_eq!(session.action(SignalKind::CircularReasoning), Action::Force);
}

#[rstest]
#[case(
    "I think that the cache is stale, so I will clear the cache, start the server again and look at whether the page is new."
)]
#[case("我认为缓存已经过期，所以我会清除缓存，重新启动服务器，然后看看页面是不是新的。")]
fn the_same_reasoning_three_times_is_circular(#[case] thought: &str) {
    let mut session = Session::new();
    for word in ["", " Hm.", "!"] {
        session.extend(&[says(&format!("{thought}{word}")), user("go on")]);
    }
    assert_eq!(session.action(SignalKind::CircularReasoning), Action::Force, "{:?}", session.recent);
    assert_eq!(session.decide(PolicyName::Combined).0.action, Action::Force);
    assert_eq!(session.decide(PolicyName::Utilization).0.action, Action::None);
}

#[test]
fn the_same_answer_to_new_demands_is_not_circular() {
    let mut session = Session::new();
    for topic in ["the colour of the door", "the height of the wall", "the shape of the roof"] {
        session.push(&user(&format!("Please tell me now what you have noted about {topic}.")));
        session.push(&says(
            "I have no notes on that, because nobody has told me anything about it so far; tell me what you know, and I will note it down.",
        ));
    }
    assert_eq!(session.action(SignalKind::CircularReasoning), Action::None);
}

#[test]
fn work_that_goes_on_in_the_same_style_is_not_circular() {
    let mut session = Session::new();
    for module in ["parser", "lexer", "printer", "checker", "linker", "loader"] {
        session.push(&says(&format!(
            "The {module} is next. I will read what the {module} exports, move its tests beside it, and run them."
        )));
        session.extend(&reads(&format!("src/{module}.rs")));
    }
    assert_eq!(session.action(SignalKind::CircularReasoning), Action::None);
}

// ---- re-reading

#[test]
fn a_file_read_three_times_unchanged_is_re_read() {
    let mut session = Session::of(&[reads("a.rs"), reads("b.rs"), reads("a.rs"), reads("c.rs")].concat());
    assert_eq!(session.action(SignalKind::Rereading), Action::None);
    session.extend(&reads("a.rs"));
    assert_eq!(session.action(SignalKind::Rereading), Action::Immediate);
}

#[test]
fn a_file_read_after_its_change_is_read_for_the_first_time() {
    let mut session = Session::new();
    for i in 0..5 {
        session.extend(&reads("src/a.rs"));
        session.extend(&edits("/work/src/a.rs", &i.to_string()));
    }
    assert_eq!(session.action(SignalKind::Rereading), Action::None);
}

#[test]
fn a_large_file_read_page_by_page_is_not_re_read() {
    let mut session = Session::new();
    for page in 0..10 {
        let arguments = json!({"path": "a.rs", "offset": page * 200, "limit": 200});
        session.extend(&uses("read_file", &arguments, &format!("page {page}")));
    }
    assert_eq!(session.action(SignalKind::Rereading), Action::None);
}

#[test]
fn a_fifth_of_many_readings_is_re_reading() {
    let mut session = Session::new();
    for i in 0..8 {
        session.extend(&reads(&format!("{i}.rs")));
    }
    session.extend(&reads("1.rs"));
    assert_eq!(session.action(SignalKind::Rereading), Action::None, "one of nine");
    session.extend(&reads("2.rs"));
    assert_eq!(session.action(SignalKind::Rereading), Action::None, "two of ten are not above a fifth");
    session.extend(&reads("3.rs"));
    assert_eq!(session.action(SignalKind::Rereading), Action::Immediate);
}

#[test]
fn commands_that_show_a_file_count_in_agents_that_speak_their_commands() {
    let mut session = Session::new();
    for _ in 0..3 {
        session.push(&says("I look at it.\n\n```bash\ncat src/a.rs\n```"));
        session.push(&user("<returncode>0</returncode>\n<output>\nfn main() {}\n</output>"));
    }
    assert_eq!(session.action(SignalKind::Rereading), Action::Immediate);
}

// ---- intent lost

#[test]
fn an_agent_that_lost_its_task_is_heard_until_it_is_long_ago() {
    let mut session = Session::of(&[user("Rename it."), says("Sorry, what was the task again?")]);
    assert_eq!(session.action(SignalKind::IntentLost), Action::Compress);
    for _ in 0..10 {
        session.push(&user("go on"));
    }
    assert_eq!(session.action(SignalKind::IntentLost), Action::None);
    let asked = Session::of(&[user("Sorry, what was the task again?")]);
    assert_eq!(asked.action(SignalKind::IntentLost), Action::None, "a user may ask");
}

// ---- verbosity

/// Twenty short messages.
fn terse() -> Session {
    let mut session = Session::new();
    for i in 0..20 {
        session.extend(&[user("go on"), says(&format!("Step {i} is done, the next one follows now."))]);
    }
    session
}

#[test]
fn long_messages_that_tell_nothing_new_are_verbose() {
    let mut session = terse();
    let ramble =
        "In other words, everything is as it should be, and that is how it ought to stay. ".repeat(10);
    for _ in 0..5 {
        session.extend(&[user("go on"), says(&ramble)]);
    }
    assert_eq!(session.action(SignalKind::Verbosity), Action::Compress);
}

#[test]
fn long_messages_that_name_something_new_are_not_verbose() {
    let mut session = terse();
    for i in 0..5 {
        let report = format!(
            "The file src/part_{i}.rs holds what was asked for. {}",
            "It is as it should be. ".repeat(30)
        );
        session.extend(&[user("go on"), says(&report)]);
    }
    assert_eq!(session.action(SignalKind::Verbosity), Action::None);
}

#[test]
fn long_answers_to_what_a_user_wants_to_know_are_not_verbose() {
    let mut session = terse();
    for _ in 0..5 {
        let answer = "That is so because it was decided like this a long time ago. ".repeat(12);
        session.extend(&[
            user("Please explain in detail why that was decided in this way back then."),
            says(&answer),
        ]);
    }
    assert_eq!(session.action(SignalKind::Verbosity), Action::None);
}

// ---- growth, cycles

#[test]
fn a_session_that_fills_a_fifth_of_its_window_in_five_minutes_grows_fast() {
    let mut session = Session::of(&[user(&"word ".repeat(33_000))]);
    assert_eq!(session.action(SignalKind::Growth), Action::Warn);
    assert_eq!(session.decide(PolicyName::Combined).1, None, "a warning starts nothing");
    session.now += 300;
    session.push(&user("more"));
    assert_eq!(session.action(SignalKind::Growth), Action::None);
}

#[test]
fn ten_versions_advise_a_new_session_and_start_nothing() {
    let mut session = terse();
    session.versions = 9;
    assert_eq!(session.action(SignalKind::Cycles), Action::None);
    session.versions = 10;
    assert_eq!(session.action(SignalKind::Cycles), Action::Advise);
    let (decision, start) = session.decide(PolicyName::Combined);
    assert!(decision.action < Action::Compress && decision.action != Action::Advise);
    assert_eq!(start, None);
}

// ---- task boundaries

fn todos(states: &[&str]) -> Vec<Value> {
    let items: Vec<Value> = states.iter().map(|state| json!({"content": "do it", "status": state})).collect();
    uses("TodoWrite", &json!({"todos": items}), "ok")
}

#[test]
fn a_todo_list_that_becomes_all_done_ends_a_task_once() {
    let mut session = Session::of(&todos(&["completed", "in_progress"]));
    assert_eq!(session.action(SignalKind::TaskBoundary), Action::None);
    session.push(&todos(&["completed", "completed"])[0]);
    assert_eq!(session.action(SignalKind::TaskBoundary), Action::Compress);
    session.push(&says("All done."));
    assert_eq!(session.action(SignalKind::TaskBoundary), Action::None);
    session.push(&todos(&["completed", "completed"])[0]);
    assert_eq!(session.action(SignalKind::TaskBoundary), Action::None, "it was done already");
}

#[test]
fn a_todo_list_that_is_emptied_or_grows_ends_no_task() {
    let mut session = Session::of(&todos(&["completed", "in_progress"]));
    session.push(&todos(&[])[0]);
    assert_eq!(session.action(SignalKind::TaskBoundary), Action::None);
    session.extend(&todos(&["completed", "pending"]));
    session.push(&todos(&["completed", "completed", "pending"])[0]);
    assert_eq!(session.action(SignalKind::TaskBoundary), Action::None);
}

#[test]
fn todo_items_that_are_done_one_by_one_end_a_task_with_the_last() {
    let mut session = Session::new();
    for id in 1..=2 {
        let answer = format!("Task #{id} created successfully: part {id}");
        session.extend(&uses("TaskCreate", &json!({"subject": format!("part {id}")}), &answer));
    }
    session.push(&uses("TaskUpdate", &json!({"taskId": "1", "status": "completed"}), "ok")[0]);
    assert_eq!(session.action(SignalKind::TaskBoundary), Action::None);
    session.push(&uses("TaskUpdate", &json!({"taskId": "2", "status": "completed"}), "ok")[0]);
    assert_eq!(session.action(SignalKind::TaskBoundary), Action::Compress);
}

#[test]
fn a_task_that_ends_within_ten_messages_is_told_and_starts_nothing() {
    let mut session = Session::of(&[todos(&["pending"]), todos(&["completed"])].concat());
    session.head -= 1;
    let (decision, start) = session.decide(PolicyName::Protocol);
    assert_eq!((decision.action, decision.reasons), (Action::Compress, Some(vec![SignalKind::TaskBoundary])));
    assert_eq!(start, None);
}

// ---- what a publication leaves

#[test]
fn a_publication_clears_the_history_and_keeps_what_is_still_to_be_done() {
    let mut session = terse();
    session.extend(&vec![reads("a.rs"); 3].concat());
    session.extend(&[says("Sorry, what was the task again?")]);
    session.extend(&todos(&["pending"]));
    session.recent = session.recent.after_publication(session.head);
    for kind in
        [SignalKind::CircularReasoning, SignalKind::Rereading, SignalKind::IntentLost, SignalKind::Growth]
    {
        assert_eq!(session.action(kind), Action::None, "{kind:?}");
    }
    session.push(&todos(&["completed"])[0]);
    assert_eq!(session.action(SignalKind::TaskBoundary), Action::Compress);
}

#[rstest]
#[case(PolicyName::Utilization, 1, HistoryScope::Nothing)]
#[case(PolicyName::MessageCount, 1, HistoryScope::Nothing)]
#[case(PolicyName::Protocol, 3, HistoryScope::Todos)]
#[case(PolicyName::Combined, 10, HistoryScope::All)]
fn a_policy_lets_its_signals_count_and_needs_their_history_alone(
    #[case] policy: PolicyName,
    #[case] counting: usize,
    #[case] history: HistoryScope,
) {
    let (decision, _) = terse().decide(policy);
    assert_eq!(decision.signals.iter().filter(|signal| signal.counts).count(), counting);
    assert_eq!(policy.history(), history);
}

#[test]
fn only_signals_that_ask_for_something_are_named_unless_every_one_is_asked_for() {
    let (counts, recent) = (&Accounting::default(), &Recent::default());
    let (head, first, anchor, boundary, versions, now) = (1, 1, 0, None, 10, 0);
    let input = TriggerInput { counts, recent, head, first, anchor, boundary, versions, now };
    let kinds = |every| {
        let (decision, _) = decide(&Settings::default().policy(), &input, every);
        decision.signals.iter().map(|signal| signal.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds(false), [SignalKind::Cycles]);
    assert_eq!(kinds(true).len(), 10);
}

#[test]
fn a_history_of_less_loses_the_rest_and_has_its_todo_items_made_again() {
    let mut session = Session::of(&[reads("a.rs"), todos(&["pending"]), reads("a.rs")].concat());
    let of_todos = session.recent.clone().scoped(HistoryScope::Todos);
    assert_eq!((of_todos.scope(), &of_todos.todos), (HistoryScope::Todos, &session.recent.todos));
    assert_eq!(
        of_todos.clone(),
        Recent { todos: of_todos.todos.clone(), scope: of_todos.scope, ..Recent::default() }
    );
    assert_eq!(session.recent.clone().scoped(HistoryScope::Nothing).write().unwrap(), None);
    // The list was made before the messages that are read again.
    let newest = session.past.split_off(4);
    assert_eq!(of_todos.replayed(HistoryScope::All, newest).todos, session.recent.todos);
}

#[test]
fn what_is_kept_stays_small_in_a_busy_session() {
    let mut session = Session::new();
    for i in 0..200 {
        let text = format!("I look at src/part_{i}.rs because the error in line {i} names it. ").repeat(5);
        session.push(&says(&text));
        session.extend(&reads(&format!("src/part_{i}.rs")));
        session.extend(&todos(&["completed", "in_progress", "pending", "pending", "pending"]));
    }
    let text = serde_json::to_string(&session.recent).unwrap();
    assert!(text.len() <= 2_000, "{} bytes: {text}", text.len());
}
