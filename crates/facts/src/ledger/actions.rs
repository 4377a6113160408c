//! Actions: calls and commands that succeeded and changed something that is no file: a booking, a message, a commit.

use serde::Serialize;
use serde_json::{Map, Value};

use super::invocation::Invocation;
use super::shell::{Command, Word};
use super::things::{is_secret, is_tried};
use super::tools;
use super::words::WORDS;
use crate::wording::{clip_chars, clip_words, one_line, words_of};
use anchord_messages::id::Seq;

/// The longest argument and the longest action, in characters.
const LONGEST_ARGUMENT: usize = 80;
const LONGEST: usize = 160;
/// The most actions of a span: the newest.
const MOST: usize = 64;

/// An action that succeeded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ActionFact {
    /// The tool's name, or the command's first words (`git commit`).
    pub name: String,
    /// Its arguments in words.
    pub arguments: String,
    /// The call and its result.
    pub seqs: Vec<Seq>,
}

/// The actions of a span, in order.
pub(super) fn read(uses: &[Invocation<'_>]) -> Vec<ActionFact> {
    let mut actions: Vec<ActionFact> = uses.iter().flat_map(of_use).collect();
    let surplus = actions.len().saturating_sub(MOST);
    actions.drain(..surplus);
    actions
}

fn of_use(one: &Invocation<'_>) -> Vec<ActionFact> {
    let failed = one.failed == Some(true) || one.exit_code.is_some_and(|code| code != 0);
    let Some(output) = one.output.as_deref().filter(|_| !failed) else { return Vec::new() };
    if let Some(pipelines) = one.pipelines() {
        let commands = pipelines.iter().flat_map(|pipeline| &pipeline.commands);
        return commands.filter_map(|command| of_command(command, (one, output))).collect();
    }
    let is_refused = output.trim_start().get(..5).is_some_and(|start| start.eq_ignore_ascii_case("error"));
    if is_refused || !changes(&one.tool) || is_tried(one) {
        return Vec::new();
    }
    let fields: Map<String, Value> = one.fields().unwrap_or_default();
    let mut fields: Vec<_> = fields.iter().filter(|(name, _)| !is_secret(name)).collect();
    // What is long goes first where the line is cut.
    fields.sort_by_key(|(_, value)| value.is_array() || value.is_object());
    let told = fields.into_iter().filter_map(|(name, value)| {
        let value = in_words(value);
        (!value.is_empty()).then(|| format!("{name}={}", clipped(&value, LONGEST_ARGUMENT)))
    });
    let arguments = clipped(&told.collect::<Vec<_>>().join(", "), LONGEST);
    let name = clip_chars(&one.tool, LONGEST_ARGUMENT).to_owned();
    vec![ActionFact { name, arguments, seqs: one.seqs() }]
}

/// Whether a tool of this name changes something that is no file: of its words that say what it does, the first decides.
fn changes(name: &str) -> bool {
    if tools::tool(name).known || tools::is_about_files(name) || WORDS.harness_tools.contains(name) {
        return false;
    }
    let words = words_of(name.rsplit("__").next().unwrap_or(name));
    let first = words.iter().find(|word| {
        WORDS.changing_verbs.contains(*word)
            || WORDS.looking_verbs.contains(*word)
            || WORDS.looking.contains(*word)
    });
    first.is_some_and(|word| WORDS.changing_verbs.contains(word))
}

/// The action of a command that makes something lasting (`git commit`), which may stand behind a wrapper.
fn of_command(command: &Command, (one, output): (&Invocation<'_>, &str)) -> Option<ActionFact> {
    let words: Vec<&str> = plain_words(&command.words);
    let lasting = WORDS.lasting_commands.iter().find_map(|known| {
        let known: Vec<&str> = known.split(' ').collect();
        let at = (0..2).find(|at| words.get(*at..*at + known.len()) == Some(known.as_slice()))?;
        Some((known.join(" "), words.get(at + known.len()..)?))
    });
    let (name, arguments) = lasting?;
    let is_only_shown = |word: &&str| {
        ["--dry-run", "--help", "-h", "-l", "--list", "--show-current"].contains(word)
            || word.starts_with("--dry-run=")
    };
    let shows = arguments.first().is_some_and(|word| ["list", "show", "status", "history"].contains(word));
    if shows || arguments.iter().any(is_only_shown) || name == "git tag" && arguments.is_empty() {
        return None;
    }
    let arguments = arguments.iter().map(|word| clipped(heredoc(word), LONGEST_ARGUMENT));
    let mut arguments = clipped(&arguments.collect::<Vec<_>>().join(" "), LONGEST);
    let made = match name.as_str() {
        "git commit" => output.lines().find_map(commit),
        name if name.ends_with(" create") => output.lines().map(str::trim).find(|line| is_address(line)),
        _ => None,
    };
    if let Some(made) = made {
        arguments = format!("{arguments} → {made}");
    }
    Some(ActionFact { name, arguments, seqs: one.seqs() })
}

/// The hash that `git` prints of a new commit: `[main 1a2b3c4] its title`.
fn commit(line: &str) -> Option<&str> {
    let (place, _) = line.strip_prefix('[')?.split_once(']')?;
    let hash = place.rsplit(' ').next()?;
    ((7..=40).contains(&hash.len()) && hash.bytes().all(|b| b.is_ascii_hexdigit())).then_some(hash)
}

fn is_address(line: &str) -> bool {
    line.starts_with("https://") && line.len() <= LONGEST && !line.contains(char::is_whitespace)
}

/// The words of a command, without the folder that `git` is told to work in.
fn plain_words(words: &[Word]) -> Vec<&str> {
    let mut plain = Vec::with_capacity(words.len());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if plain == ["git"] && &**word == "-C" {
            words.next();
        } else {
            plain.push(&**word);
        }
    }
    plain
}

/// The text of a word that is a here-document in a substitution, with which agents write messages of several lines.
fn heredoc(word: &str) -> &str {
    match word.strip_prefix("$(cat <<").and_then(|rest| rest.split_once('\n')) {
        Some((_, text)) => text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default(),
        None => word,
    }
}

/// A value on one line, without the signs of JSON.
fn in_words(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => one_line(text),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(items) => items.iter().map(in_words).collect::<Vec<_>>().join(" + "),
        Value::Object(fields) => fields.values().map(in_words).collect::<Vec<_>>().join(" "),
    }
}

fn clipped(text: &str, most: usize) -> String {
    let text = one_line(text);
    match clip_words(&text, most) {
        whole if whole.len() == text.len() => text,
        "" => String::from("…"),
        head => format!("{head} …"),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::super::tests::Talk;

    fn told(talk: &Talk) -> Vec<String> {
        talk.facts().actions.into_iter().map(|one| format!("{} {}", one.name, one.arguments)).collect()
    }

    #[rstest]
    #[case("update_reservation_flights", json!({"reservation_id": "JG7FMM", "cabin": "economy", "flights": [{"number": "HAT1", "date": "2024-05-20"}]}), "{\"reservation_id\": \"JG7FMM\"}", &["update_reservation_flights reservation_id=JG7FMM, cabin=economy, flights=HAT1 2024-05-20"])]
    #[case("mcp__tracker__create_issue", json!({"title": "It fails", "labels": ["bug", "ui"]}), "{\"number\": 7}", &["mcp__tracker__create_issue title=It fails, labels=bug + ui"])]
    #[case("slack_post_message", json!({"channel": "#ops", "text": "done\nall of it", "token": "x"}), "ok", &["slack_post_message channel=#ops, text=done all of it"])]
    #[case("cancelOrder", json!({"id": 7, "refund": true, "note": null}), "ok", &["cancelOrder id=7, refund=true"])]
    #[case("cancel_order", json!({"id": 7}), "Error: order is shipped", &[])]
    #[case("cancel_order", json!({"id": 7, "dry_run": true}), "ok", &[])]
    #[case("get_order_updates", json!({"id": 7}), "{}", &[])]
    #[case("search_and_book_options", json!({"id": 7}), "{}", &[])]
    #[case("think", json!({"thought": "I should cancel the order"}), "", &[])]
    #[case("create_file", json!({"path": "a.md", "content": "x"}), "ok", &[])]
    #[case("asana_create_task", json!({"name": "ship"}), "{\"gid\": \"7\"}", &["asana_create_task name=ship"])]
    #[case("Task", json!({"description": "look around", "prompt": "x"}), "done", &[])]
    #[case("TaskStop", json!({"task_id": "b1"}), "stopped", &[])]
    #[case("ScheduleWakeup", json!({"delaySeconds": 60}), "ok", &[])]
    #[case("TaskCreate", json!({"subject": "ship"}), "Task #1 created", &[])]
    #[case("update_plan", json!({"plan": []}), "ok", &[])]
    #[case("bash", json!({"command": "git add -A && git -C app commit -m 'fix: a thing' && git push"}), "[main 1a2b3c4] fix: a thing\n 1 file changed", &["git commit -m fix: a thing → 1a2b3c4", "git push "])]
    #[case("bash", json!({"command": "git commit -m \"$(cat <<'EOF'\nfeat: more\n\nlong\nEOF\n)\""}), "ok", &["git commit -m feat: more"])]
    #[case("bash", json!({"command": "rtk git push --dry-run; git tag -l; git tag; git stash list; git merge-base a b; grep 'git commit' a.md"}), "", &[])]
    #[case("bash", json!({"command": "rtk gh pr create --title x"}), "https://example.org/pull/1", &["gh pr create --title x → https://example.org/pull/1"])]
    fn calls_that_change_something_are_actions(
        #[case] tool: &str,
        #[case] arguments: Value,
        #[case] output: &str,
        #[case] expected: &[&str],
    ) {
        assert_eq!(told(&Talk::new().tool(tool, arguments, output)), expected);
    }

    #[test]
    fn an_action_is_bounded_whatever_its_call_is() {
        let arguments = json!({"k".repeat(2_000): "v".repeat(5_000), "text": "word ".repeat(500)});
        let talk = Talk::new().tool(&format!("update_{}", "a".repeat(3_000)), arguments, "ok");
        let [action] = talk.facts().actions.try_into().unwrap();
        assert!(action.name.len() + action.arguments.len() < 400, "{action:?}");
    }

    #[test]
    fn an_action_that_failed_or_was_not_answered_is_none() {
        let failed = Talk::new().calls(&[("c", "bash", json!({"command": "git push"}))]).result(
            "c",
            "rejected",
            Some(true),
        );
        assert!(told(&failed).is_empty());
        let refused =
            Talk::new().calls(&[("c", "send_email", json!({"to": "a"}))]).result("c", "no", Some(true));
        assert!(told(&refused).is_empty());
        let pending = Talk::new().calls(&[("c", "send_email", json!({"to": "a"}))]);
        assert!(told(&pending).is_empty());
    }
}
