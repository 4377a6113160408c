//! The source of an output: a program that ran, a program that showed text, or a tool's own answer; and the work (the
//! command or tool use) that an error belongs to.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::super::invocation::Invocation;
use super::super::line::{any_of, clip, squash};
use super::super::shell::{self, Pipeline};

/// Which lines of an output may be errors, by its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A program ran: every family counts.
    Ran,
    /// A program showed text (a file, a search, a diff): only its own error messages count.
    Shown,
    /// A tool of the agent answered: only its own failure counts.
    Answered,
}

const SHOWING_TOOLS: &[&str] = &[
    "read", "view", "open", "search", "grep", "glob", "find", "list", "fetch", "web", "task", "agent",
    "todo", "edit", "write", "create", "replace", "patch", "insert", "scroll", "goto", "ls", "cat",
    "notebook", "diff",
];

/// The source of a tool use's output, by its command.
pub(super) fn source_of(command: Option<&[Pipeline]>) -> Source {
    match command {
        Some(pipelines) if pipelines.iter().all(shows) && !pipelines.is_empty() => Source::Shown,
        Some(_) => Source::Ran,
        None => Source::Answered,
    }
}

/// Whether a tool without a command shows or changes text, so that its output may quote that text.
pub(super) fn tool_shows(tool: &str) -> bool {
    static WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| any_of(SHOWING_TOOLS));
    WORDS.is_match(tool)
}

/// Whether a command only asks a server for what it shows.
pub(super) fn asks_a_server(command: &[Pipeline]) -> bool {
    let mut clients = command.iter().filter_map(|pipeline| pipeline.commands.first());
    clients.next_back().is_some_and(|client| matches!(client.program(), "curl" | "wget" | "gh"))
}

fn shows(pipeline: &Pipeline) -> bool {
    let Some(first) = pipeline.commands.first() else { return true };
    let sub = first.args().iter().find(|a| !a.starts_with('-')).map_or("", |word| word);
    match first.program() {
        "" | "cat" | "head" | "tail" | "awk" | "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "find"
        | "fd" | "ls" | "tree" | "wc" | "less" | "more" | "bat" | "nl" | "jq" | "yq" | "diff" | "cmp"
        | "strings" | "xxd" | "od" | "file" | "stat" | "echo" | "printf" | "sort" | "uniq" | "cut"
        | "which" | "whereis" | "type" | "env" | "printenv" | "ps" | "pwd" | "cd" | "export" | "date"
        | "whoami" | "hostname" | "uname" | "curl" | "wget" | "column" | "basename" | "dirname"
        | "realpath" | "readlink" | "du" | "df" | "history" | "sleep" | "true" | "set" | "mkdir"
        | "touch" | "cp" | "mv" | "rm" | "chmod" | "ln" | "for" | "do" | "done" | "if" | "then" | "fi"
        | "Get-Content" | "gc" | "Select-String" | "sls" | "Get-ChildItem" | "findstr" | "dir" | "tee"
        | "source" | "pushd" | "popd" | "man" | "zcat" | "unzip" | "tar" | "sed" => true,
        "git" => {
            matches!(
                sub,
                "diff"
                    | "log"
                    | "show"
                    | "blame"
                    | "grep"
                    | "status"
                    | "ls-files"
                    | "branch"
                    | "remote"
                    | "rev-parse"
                    | "config"
                    | "cat-file"
                    | "shortlog"
                    | "describe"
                    | "reflog"
            ) || first.word(1) == "-C" && matches!(first.word(3), "diff" | "log" | "show" | "status")
        }
        "gh" => !first.args().iter().any(|a| matches!(&**a, "--log" | "--log-failed")),
        _ => false,
    }
}

/// The key of a command, and its parts: the programs that it ran, without preparations (`cd`, `export`) and filters.
/// Equal keys mean the same work.
pub(super) fn keys(command: &str) -> (String, Vec<String>) {
    let parts: Vec<String> = shell::pipelines(&shell::parse(command, None))
        .iter()
        .filter_map(|p| p.commands.first())
        .filter(|s| {
            !matches!(
                s.program(),
                "" | "cd" | "export" | "set" | "echo" | "source" | "." | "pushd" | "popd" | "sleep"
            )
        })
        .map(|s| s.words.iter().map(|word| &**word).collect::<Vec<_>>().join(" "))
        .collect();
    (clip(&squash(&parts.join(" && ")), 300), parts)
}

/// Whether a command that passed shows that another one passes now: the same program and subcommand without a selection, so
/// that it did at least as much.
pub(super) fn covers(passed: &str, failed: &str) -> bool {
    const SELECT_NOTHING: [&str; 9] =
        ["./...", "--all", "--workspace", "--all-targets", "-v", "-q", "--quiet", "-count=1", "--continue"];
    const SUBCOMMANDS: [&str; 9] =
        ["test", "run", "nextest", "-m", "pytest", "unittest", "rebase", "merge", "cherry-pick"];
    let (mut passed, mut failed) = (passed.split_whitespace(), failed.split_whitespace());
    let is_same = passed.next().zip(failed.next()).is_some_and(|(one, other)| one == other);
    let failed: Vec<&str> = failed.collect();
    let is_wide =
        |word: &str| SELECT_NOTHING.contains(&word) || SUBCOMMANDS.contains(&word) && failed.contains(&word);
    is_same && passed.all(is_wide)
}

/// Whether the first command is the second behind a program that runs it (`poetry run pytest -q`).
pub(super) fn runs(whole: &str, command: &str) -> bool {
    command.contains(' ')
        && whole.strip_suffix(command).is_some_and(|front| front.ends_with(' ') && !front.contains("&&"))
}

/// Whether a command only prepares what the commands behind it check.
pub(super) fn prepares(command: &str) -> bool {
    const PREPARING: [&str; 11] = [
        "git mv ", "git add ", "git rm ", "git checkout ", "git stash", "mkdir ", "cp ", "mv ", "rm ",
        "touch ", "sed ",
    ];
    PREPARING.iter().any(|words| command.starts_with(words))
}

/// The work of a tool use, for recognising a repetition: the command, or the tool and its target.
pub(super) fn work(invocation: &Invocation<'_>) -> String {
    if let Some(command) = &invocation.command {
        return clip(&squash(&in_one_line(command)), 400);
    }
    let target = invocation.fields().and_then(|object| {
        ["file_path", "path", "notebook_path", "filename", "file", "target_file", "url", "query", "pattern"]
            .iter()
            .find_map(|k| object.get(*k)?.as_str().map(str::to_owned))
    });
    let target = target.unwrap_or_else(|| clip(&squash(&invocation.arguments), 120));
    clip(format!("{} {target}", invocation.tool).trim(), 400)
}

/// A command on one line that parses into the same parts, without here-documents.
fn in_one_line(command: &str) -> Cow<'_, str> {
    let command = command.trim();
    if command.contains("<<") {
        return Cow::Owned(keys(command).0);
    }
    if !command.contains('\n') {
        return Cow::Borrowed(command);
    }
    let joined = command.replace("\\\n", " ");
    Cow::Owned(joined.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("; "))
}

/// Whether everything that a command printed is in its output: no redirection, no filter but `tail`, `tee` and `cat`.
pub(super) fn unfiltered(command: &[Pipeline]) -> bool {
    command.iter().all(|p| {
        !p.redirected && p.commands.iter().skip(1).all(|s| matches!(s.program(), "tail" | "tee" | "cat"))
    })
}

/// Whether a command has no pipes, so that no program's exit code is hidden behind a filter's.
pub(super) fn is_single(command: &[Pipeline]) -> bool {
    command.iter().all(|p| p.commands.len() == 1)
}

/// Whether the command runs one program, besides those that only show or prepare something.
pub(super) fn runs_one(command: &[Pipeline]) -> bool {
    command.iter().filter(|pipeline| !shows(pipeline)).count() == 1
}

/// Whether the command ends with a program whose exit code 1 is an answer and not a failure (`grep`).
pub(super) fn answers_by_exit(command: &[Pipeline]) -> bool {
    command.last().and_then(|p| p.commands.last()).is_some_and(|s| {
        [
            "grep", "egrep", "rg", "diff", "cmp", "test", "[", "[[", "which", "false", "pgrep", "kill",
            "pkill", "command", "type", "git",
        ]
        .contains(&s.program())
    })
}
