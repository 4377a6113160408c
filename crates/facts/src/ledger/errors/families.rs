//! The shapes that errors have, one family per language or program.

use std::sync::LazyLock;

use super::super::line::any_of;
use super::super::pattern::Grouped;
use aho_corasick::AhoCorasick;

/// An error that one line states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Its kind, when the line names one.
    pub kind: Option<String>,
    /// The line without the kind.
    pub message: String,
    /// A file and line.
    pub location: Option<String>,
    /// How much the line tells: higher is kept first when there are too many.
    pub rank: u8,
}

/// Ranks, from a compiler's line with its place down to a log line.
pub(super) const PRECISE: u8 = 3;
/// A program's own complaint.
pub(super) const PLAIN: u8 = 2;
/// A line that is an error only by its first word.
pub(super) const VAGUE: u8 = 1;

/// What the lines before said, for families that spread over several.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    place: Option<String>,
    file_heading: Option<String>,
    in_traceback: bool,
    panicked: bool,
    npm_lines: u8,
}

impl Context {
    /// Notes the line that stands over an indented block, when it is a file's name.
    pub(super) fn heading(&mut self, line: Option<&str>) {
        self.file_heading = line.map(str::trim_end).filter(|l| FILE_HEADING.is_match(l)).map(str::to_owned);
    }
}

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Grouped> = LazyLock::new(|| Grouped::ascii($text));
    };
}

/// Words without one of which no family matches.
static WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    any_of([
        "error",
        "exception",
        "panic",
        "fatal",
        "not found",
        "no such",
        "denied",
        "cannot ",
        "failed",
        "err!",
        "interrupt",
        ".go:",
        "conflict (",
        "failure",
        "segmentation",
        "unbound",
        "killed",
        "traceback (",
        "file \"",
        "--> ",
        "undefined ",
        "rejected]",
        "unable to",
        "not permitted",
        "no space left",
        "http",
        ".py:",
        ".lua:",
        "doesnotexist",
        "systemexit",
        "is a directory",
        "unexpected token",
        "e: file:",
        "unresolved",
        "** (",
        "not recognized",
        "erreur",
        "fehler",
        "错误",
        "ошибка",
    ])
});

/// Where the next line begins that a family may match, with its end; `from` is a line's start.
pub(super) fn next_candidate(text: &str, from: usize) -> Option<(usize, usize)> {
    let hit = WORDS.find(text.get(from..)?)?;
    let at = from + hit.start();
    let start = text.get(from..at).and_then(|s| s.rfind('\n')).map_or(from, |n| from + n + 1);
    let end = memchr::memchr(b'\n', text.as_bytes().get(at..)?).map_or(text.len(), |n| at + n);
    Some((start, end))
}

// The type name in front of a message, as Python, JavaScript, Java, C# and Ruby print it.
pattern!(
    EXCEPTION,
    r#"^(?:E\s{2,})?(?:Uncaught(?: \(in promise\))? |Unhandled (?:[Ee]xception[.:] |Rejection[: ]+)?|(?:PHP )?Fatal error:\s+Uncaught |Caused by: |Exception in thread "[^"]*" |Unexpected error: |Wrapped by: |\[cause\]: |\(node:\d+\) )?((?:[A-Za-z_$][\w$]*(?:\.|::|\\))*(?:[A-Z][\w$]*)?(?:Error|Exception|KeyboardInterrupt|SystemExit|StopIteration|DoesNotExist|Failure|Fault|Timeout|TimeoutExpired|NotFound|Warning|Abort|Interrupted))(?: \[[\w$]+\]| \(\d+\))?(?::\s+(.*\S)|:?\s*)$"#
);
pattern!(
    PLACED,
    r"^(?:\[(?:ERROR|error)\]\s+)?(?:ERROR in )?(?:\./)?([\w@.+~\-/\\:]*?[\w@+~\-/\\]+\.\w{1,10}):?[\[(]?(\d+)(?:[:,](\d+))?[\])]?:?\s+(?:-\s+)?(?:fatal |Fatal |internal )?(?:compiler )?[Ee]rror:?\s*(?:\[?([A-Z]{1,6}\d{2,6})\]?)?:?\s+(.*\S)\s*$"
);
pattern!(GO, r"^(?:vet: )?((?:\./|\.\./|/)?[\w@.+~\-/]+\.go):(\d+):(\d+): (.*\S)\s*$");
// The message stands on the line behind.
pattern!(GHC, r"^(\S+\.l?hs:\d+):\d+(?:-\d+)?: error:(?: \[(GHC-\d+)\].*)?\s*$");
pattern!(LINT, r"^(?:\./)?([\w@.+~\-/\\]+\.\w{1,6}):(\d+):(?:(\d+):)? ([A-Z]{1,5}\d{2,5}) (.*\S)\s*$");
pattern!(ESLINT, r"^\s+(\d+):(\d+)\s+error\s+(.*\S)\s*$");
pattern!(RUST, r"^error(?:\[(E\d+)\])?: (.*\S)\s*$");
pattern!(BARE_TS, r"^error (TS\d+): (.*\S)\s*$");
pattern!(RUST_PANIC, r"^thread '([^']*)'(?: \(\d+\))? panicked at (?:'(.*)', )?(.+?):?$");
// The heading of a failed test, told by the run.
pattern!(UNITTEST, r"^(?:ERROR|FAIL): \w+ \([\w.]+\)|^ERROR (?:collecting )?\S+\.py(?:::\S+)?(?: - .*)?$");
pattern!(GO_PANIC, r"^(panic|fatal error): (.*\S)\s*$");
pattern!(RUBY, r"^(\S+\.rb:\d+):in [`'][^']*': (.*\S) \(((?:\w+::)*\w+)\)$");
pattern!(PHP, r"^(?:PHP )?(Parse error|Fatal error|Catchable fatal error):\s+(.*\S)\s*$");
pattern!(
    SHELL,
    r"^(?:[\w./+@\-\[\]()]+: )*(?:line \d+: |\d+: )?.*?(?:command not found|No such file or directory|Permission denied|Is a directory|Not a directory|Operation not permitted|No space left on device|unbound variable|syntax error near unexpected token|bad substitution|Segmentation fault|: not found|cannot stat|cannot access|cannot remove|Connection refused|Connection timed out|Could not resolve host)"
);
pattern!(
    SHELL_START,
    r"^(?:[\w./+@\-]{1,120}|\([\w]+\)|\[\w*\]): ?|^(?:Segmentation fault|Killed\b|Permission denied|Connection refused)"
);
pattern!(GIT, r"^(fatal|error|Error|ERROR|FATAL|critical|CRITICAL): (.*\S)\s*$");
pattern!(
    LABEL,
    r"^(?:\[?(?:ERROR|FATAL|Error|error|CRITICAL|Fehler|Erreur|错误|Ошибка)\]?)(?::|：|\s+-|\s{2,}|!)\s*(.*\S)\s*$"
);
pattern!(CONFLICT, r"^CONFLICT \(([\w/ ]+)\): (.*\S)\s*$");
pattern!(REJECTED, r"^\s*! \[(?:remote )?rejected\]\s+(.*\S)\s*$");
pattern!(NPM, r"^(?:npm|pnpm|yarn) (?:ERR!|error) (.*\S)\s*$");
pattern!(PNPM, r"^\s*(ERR_[A-Z_]+)\s+(.*\S)\s*$");
pattern!(MAKE, r"^(?:g?make(?:\[\d+\])?|ninja): (?:\*\*\* .*|error: .*|build stopped: .*)$");
pattern!(
    LINKER,
    r"^(?:.*: undefined reference to .*|(?:/usr/bin/)?ld(?:\.\w+)?: .*|collect2: error: .*|Undefined symbols for architecture .*|clang: error: .*)$"
);
pattern!(
    HTTP,
    r#"(?:\bHTTP/\d(?:\.\d)? ([45]\d\d)\b|\bHTTP ([45]\d\d)\b|\bHTTP ?Error:? ([45]\d\d)\b|\bstatus code:? ([45]\d\d)\b|\breturned error: ([45]\d\d)\b|\b([45]\d\d) (?:Client|Server) Error\b|^\s*"?status(?:_?[cC]ode)?"?: ([45]\d\d)\b)"#
);
pattern!(KOTLIN, r"^e: (?:file://)?(\S+?\.kts?):(?:\((\d+), ?\d+\)|(\d+):\d+):? (.*\S)$");
pattern!(
    LOG,
    r"^(?:\[?\d{4}-\d\d-\d\d[T ][\d:.,+Z\-]*\]?|\[?\d\d:\d\d:\d\d[\d.,]*\]?)\s+(?:\[[^\]]*\]\s+|\S+ - )*\[?(?:ERROR|FATAL|CRITICAL|SEVERE|error|fatal)\]?[:\s|\-]+(.*\S)\s*$"
);
pattern!(VITE, r"^\[(vite|plugin:[\w:@/.\-]+)\]:? (.*(?:[Ff]ailed|[Ee]rror|[Nn]ot ).*\S)$");
pattern!(WEBPACK, r"^(Module not found|Module build failed|Module parse failed): (.*\S)$");
pattern!(SCALA, r"^\[error\] (\S+\.\w{1,6}:\d+)(:(?:\d+:)? .*\S)$");
pattern!(MAVEN, r"^\[ERROR\] (Failed to execute goal .*\S)$");
pattern!(GRADLE, r"^(?:Execution failed for task '.*\S|> Could not resolve .*\S)$");
pattern!(ELIXIR, r"^\*\* \(((?:\w+\.)*\w+)\) (.*\S)$");
pattern!(
    DOCKER,
    r"^(?:docker: )?(?:Error response from daemon: (.*\S)|(Cannot connect to the Docker daemon.*\S))$"
);
pattern!(KUBECTL, r"^Error from server(?: \(\w+\))?: (.*\S)$");
pattern!(MYSQL, r"^ERROR \d+ \(\w+\)(?: at line \d+)?: .*\S$");
pattern!(
    WINDOWS,
    r"^(?:[\w\-.\\:/]+ ?: )?(?:Cannot find path '|The term '|Access to the path '|'[^']+' is not recognized as |The system cannot find the (?:file|path) specified|A parameter cannot be found ).*\S$"
);
pattern!(LUA, r"^(?:lua[\w.\-]*|luajit|nvim|love): (\S+\.lua:\d+): (.*\S)\s*$");
pattern!(NEXT, r"^Type error: (.*\S)\s*$");
pattern!(CMAKE, r"^CMake Error(?: at (\S+):(\d+) \(.*\))?:.*$");
pattern!(ESLINT_UNIX, r"^(\S+\.\w{1,6}):(\d+):\d+: .*\[Error(?:/[\w\-/@]+)?\]$");
pattern!(DOTNET_PLACE, r"^\s*at .* in (.+):line (\d+)$");
pattern!(SQL, r"^(?:psql:.*: )?(ERROR|FATAL|PANIC): {1,2}(.*\S)$");
pattern!(FILE_LINE, r#"^\s*File "([^"]+)", line (\d+)"#);
pattern!(ARROW, r"^\s*--> (\S+:\d+(?::\d+)?)\s*$");
pattern!(FILE_HEADING, r"^(?:/|\.{0,2}/|[A-Z]:\\|\w)[\w@.+~\-/\\ ]*\.\w{1,6}$");
pattern!(AT_PLACE, r"^(?:.*\()?((?:file://)?/?[\w@.+~\-/\\]+\.\w{1,6}:\d+(?::\d+)?)\)?$");

/// Whether the text speaks of errors that are not there.
fn denies(text: &str) -> bool {
    static DENIALS: LazyLock<AhoCorasick> = LazyLock::new(|| {
        any_of([
            "no error",
            "0 error",
            "without error",
            "no fatal error",
            "errors: 0",
            "error: none",
            "error: null",
            "error: 0",
            "error rate",
        ])
    });
    DENIALS.is_match(text)
}

fn found(kind: Option<&str>, message: &str, location: Option<String>, rank: u8) -> Found {
    Found { kind: kind.map(str::to_owned), message: message.trim().to_owned(), location, rank }
}

/// Reads one candidate line of a program's output; lines are to be given in order.
#[expect(
    clippy::too_many_lines,
    reason = "one family after the other; each is a few lines and order decides"
)]
pub(super) fn find(raw: &str, ctx: &mut Context) -> Option<Found> {
    let line = raw.trim_end();
    let bare = line.trim_start();
    if bare.is_empty() {
        return None;
    }
    // A look for what a pattern cannot do without is cheaper than the pattern, and most lines are
    // read by the last of them.
    if let Some(c) = line.contains("File \"").then(|| FILE_LINE.captures(line)).flatten() {
        ctx.place = Some(format!("{}:{}", c.get(1)?.as_str(), c.get(2)?.as_str()));
        return None;
    }
    if let Some(c) = line.contains("--> ").then(|| ARROW.captures(line)).flatten() {
        ctx.place = Some(c.get(1)?.as_str().to_owned());
        return None;
    }
    if bare.starts_with("Traceback (") || bare.contains("Traceback (most recent") {
        ctx.in_traceback = true;
        ctx.place = None;
        return None;
    }
    if denies(bare) || bare.starts_with(['E', 'F']) && UNITTEST.is_match(bare) {
        return None;
    }
    let text =
        |c: &regex::Captures<'_>, at: usize| c.get(at).map_or(String::new(), |m| m.as_str().to_owned());
    if let Some(c) = bare.contains("hs:").then(|| GHC.captures(bare)).flatten() {
        ctx.panicked = true;
        let kind = c.get(2).map_or("error", |m| m.as_str());
        return Some(found(Some(kind), bare, Some(text(&c, 1)), PRECISE));
    }
    if let Some(c) = bare.contains("rror").then(|| PLACED.captures(bare)).flatten() {
        let place = format!("{}:{}", text(&c, 1), text(&c, 2));
        let code = c.get(4).map(|m| m.as_str());
        // The place stays in the message: the same words at two places are two errors.
        return Some(found(
            code.or(Some("error")),
            &format!("{place}: {}", text(&c, 5)),
            Some(place.clone()),
            PRECISE,
        ));
    }
    if let Some(c) = bare.starts_with("error TS").then(|| BARE_TS.captures(bare)).flatten() {
        return Some(found(c.get(1).map(|m| m.as_str()), &text(&c, 2), None, PRECISE));
    }
    if let Some(c) = line.contains(".go:").then(|| GO.captures(line)).flatten() {
        return Some(found(Some("go"), bare, Some(format!("{}:{}", text(&c, 1), text(&c, 2))), PRECISE));
    }
    if let Some(c) = LINT.captures(line) {
        return Some(found(
            Some(&text(&c, 4)),
            bare,
            Some(format!("{}:{}", text(&c, 1), text(&c, 2))),
            PRECISE,
        ));
    }
    if let Some(c) = bare.starts_with("e: ").then(|| KOTLIN.captures(bare)).flatten() {
        let line_number = if c.get(2).is_some() { text(&c, 2) } else { text(&c, 3) };
        return Some(found(Some("kotlin"), bare, Some(format!("{}:{line_number}", text(&c, 1))), PRECISE));
    }
    if let Some(c) = line.starts_with(char::is_whitespace).then(|| ESLINT.captures(line)).flatten() {
        let place = ctx.file_heading.as_ref().map(|f| format!("{f}:{}", text(&c, 1)));
        let message = place.as_ref().map_or_else(|| text(&c, 3), |p| format!("{p}: {}", text(&c, 3)));
        return Some(found(Some("eslint"), &crate::ledger::line::squash(&message), place, PRECISE));
    }
    if let Some(one) = tool(bare, ctx) {
        return Some(one);
    }
    if let Some(c) = bare.contains(".rb:").then(|| RUBY.captures(bare)).flatten() {
        return Some(found(Some(&text(&c, 3)), &text(&c, 2), Some(text(&c, 1)), PRECISE));
    }
    if let Some(c) = EXCEPTION.captures(bare) {
        return exception(&text(&c, 1), c.get(2).map(|m| m.as_str()), ctx);
    }
    if let Some(c) = bare.contains("rror:").then(|| PHP.captures(bare)).flatten() {
        return Some(found(Some(&text(&c, 1)), &text(&c, 2), None, PRECISE));
    }
    if let Some(c) = bare.starts_with("thread '").then(|| RUST_PANIC.captures(bare)).flatten() {
        ctx.panicked = c.get(2).is_none();
        let place = text(&c, 3);
        let message = c.get(2).map_or_else(|| bare.to_owned(), |m| m.as_str().to_owned());
        return Some(found(Some("panic"), &message, Some(place), PRECISE));
    }
    if let Some(c) = bare.starts_with(['n', 'p', 'y']).then(|| NPM.captures(bare)).flatten() {
        return npm(&text(&c, 1), ctx);
    }
    ctx.npm_lines = 0;
    if let Some(c) = bare.starts_with(['p', 'f']).then(|| GO_PANIC.captures(bare)).flatten() {
        return Some(found(Some("panic"), &text(&c, 2), None, PRECISE));
    }
    if let Some(c) = line.starts_with("error").then(|| RUST.captures(line)).flatten() {
        let message = text(&c, 2);
        if message.starts_with("aborting due to") {
            return None;
        }
        let rank = if c.get(1).is_some() { PRECISE } else { PLAIN };
        return Some(found(Some(c.get(1).map_or("error", |m| m.as_str())), &message, None, rank));
    }
    if let Some(c) = bare.starts_with("CONFLICT").then(|| CONFLICT.captures(bare)).flatten() {
        return Some(found(Some("git"), bare, None, PRECISE)).filter(|_| c.get(1).is_some());
    }
    if line.contains("rejected]") && REJECTED.is_match(line) {
        return Some(found(Some("git"), bare, None, PLAIN));
    }
    if let Some(c) = bare.contains(":  ").then(|| SQL.captures(bare)).flatten()
        && c.get(0).is_some_and(|m| m.as_str().contains(":  "))
    {
        return Some(found(Some("sql"), &text(&c, 2), None, PRECISE));
    }
    if let Some(c) = GIT.captures(line) {
        let label = text(&c, 1);
        let kind = if label == "fatal" { "git" } else { "error" };
        return Some(found(Some(kind), &text(&c, 2), None, PLAIN));
    }
    if SHELL_START.is_match(line) && SHELL.is_match(line) && !line.ends_with(['{', ';']) {
        return Some(found(Some("shell"), bare, None, PLAIN));
    }
    if let Some(c) = line.contains("ERR_").then(|| PNPM.captures(line)).flatten() {
        return Some(found(Some(&text(&c, 1)), &text(&c, 2), None, PLAIN));
    }
    if bare.starts_with(['g', 'm', 'n']) && MAKE.is_match(bare) || LINKER.is_match(bare) {
        return Some(found(
            Some(if bare.starts_with("make") || bare.starts_with("gmake") { "make" } else { "linker" }),
            bare,
            None,
            PLAIN,
        ));
    }
    if let Some(c) = LABEL.captures(bare.trim_start_matches(['✖', '✗', '✘', '×', '│', '⨯', '❌', '■', ' ']))
    {
        return Some(found(Some("error"), &text(&c, 1), None, PLAIN));
    }
    if let Some(message) = bare.strip_prefix("✘ [ERROR] ") {
        return Some(found(Some("error"), message, None, PRECISE));
    }
    if let Some(c) = HTTP.captures(bare) {
        let status = (1..=7).find_map(|at| c.get(at)).map_or(String::new(), |m| m.as_str().to_owned());
        return Some(found(Some(&format!("HTTP {status}")), bare, None, PLAIN));
    }
    let is_dated = bare.starts_with(|c: char| c == '[' || c.is_ascii_digit());
    if let Some(c) = is_dated.then(|| LOG.captures(bare)).flatten() {
        return Some(found(Some("log"), &text(&c, 1), None, VAGUE));
    }
    if bare.starts_with(['⨯', '✖', '❌']) && bare.to_ascii_lowercase().contains("fail") {
        return Some(found(None, bare.trim_start_matches(['⨯', '✖', '❌', ' ']), None, VAGUE));
    }
    None
}

/// Errors of build tools, containers, databases and Windows shells, each in its own words.
fn tool(bare: &str, ctx: &mut Context) -> Option<Found> {
    let part = |c: &regex::Captures<'_>, at: usize| c.get(at).map(|m| m.as_str().to_owned());
    if bare == "error during build:" {
        // The line behind it tells which.
        ctx.panicked = true;
        return Some(found(Some("build"), bare, None, PRECISE));
    }
    if let Some(c) = bare.starts_with('[').then(|| VITE.captures(bare)).flatten() {
        return Some(found(part(&c, 1).as_deref(), &part(&c, 2)?, None, PRECISE));
    }
    if let Some(c) = bare
        .starts_with(['M', '*'])
        .then(|| WEBPACK.captures(bare).or_else(|| ELIXIR.captures(bare)))
        .flatten()
    {
        return Some(found(part(&c, 1).as_deref(), &part(&c, 2)?, None, PRECISE));
    }
    if let Some(c) = bare.starts_with("[error]").then(|| SCALA.captures(bare)).flatten() {
        return Some(found(Some("error"), bare.strip_prefix("[error] ")?, part(&c, 1), PRECISE));
    }
    if let Some(c) = bare.ends_with(']').then(|| ESLINT_UNIX.captures(bare)).flatten() {
        let place = format!("{}:{}", part(&c, 1)?, part(&c, 2)?);
        return Some(found(Some("eslint"), bare, Some(place), PRECISE));
    }
    if let Some(c) = bare.starts_with("CMake").then(|| CMAKE.captures(bare)).flatten() {
        let place = part(&c, 1).zip(part(&c, 2)).map(|(file, line)| format!("{file}:{line}"));
        return Some(found(Some("cmake"), bare, place, PRECISE));
    }
    if let Some(c) = bare.starts_with("[ERROR]").then(|| MAVEN.captures(bare)).flatten() {
        return Some(found(Some("maven"), &part(&c, 1)?, None, PLAIN));
    }
    if bare.starts_with(['E', '>']) && GRADLE.is_match(bare) {
        return Some(found(Some("gradle"), bare, None, PLAIN));
    }
    if let Some(c) = bare.starts_with(['d', 'E', 'C']).then(|| DOCKER.captures(bare)).flatten() {
        return Some(found(Some("docker"), &part(&c, 1).or_else(|| part(&c, 2))?, None, PRECISE));
    }
    if let Some(c) = bare.starts_with("Error from").then(|| KUBECTL.captures(bare)).flatten() {
        return Some(found(Some("kubectl"), &part(&c, 1)?, None, PRECISE));
    }
    if let Some(c) = bare.contains(".lua:").then(|| LUA.captures(bare)).flatten() {
        return Some(found(Some("lua"), &part(&c, 2)?, part(&c, 1), PRECISE));
    }
    if let Some(c) = bare.starts_with("Type error").then(|| NEXT.captures(bare)).flatten() {
        return Some(found(Some("type"), &part(&c, 1)?, None, PRECISE));
    }
    if bare.starts_with("ERROR ") && MYSQL.is_match(bare) {
        return Some(found(Some("sql"), bare, None, PRECISE));
    }
    WINDOWS.is_match(bare).then(|| found(Some("shell"), bare, None, PLAIN))
}

fn exception(kind: &str, message: Option<&str>, ctx: &mut Context) -> Option<Found> {
    let short = kind.rsplit(['.', ':', '\\']).next().unwrap_or(kind);
    let in_traceback = std::mem::take(&mut ctx.in_traceback);
    // `DeprecationWarning: …` is no error; nor is a lone name outside of a traceback, which may be
    // a symbol in a listing.
    if short.ends_with("Warning")
        || matches!(short, "Timeout" | "Failure" | "Fault" | "NotFound" | "Abort" | "Interrupted")
            && !in_traceback
    {
        return None;
    }
    let message = match message {
        Some(message) => message,
        None if in_traceback || matches!(short, "KeyboardInterrupt" | "AssertionError") => kind,
        None => return None,
    };
    if kind == "error" || denies(message) {
        return None;
    }
    Some(found(Some(kind), message, ctx.place.take(), PRECISE))
}

fn npm(message: &str, ctx: &mut Context) -> Option<Found> {
    // A failed npm run prints a screen of lines about itself; the code and the first sentence tell.
    let first_word = message.split_whitespace().next().unwrap_or("");
    let boilerplate = matches!(
        first_word,
        "path"
            | "workspace"
            | "location"
            | "command"
            | "A"
            | "errno"
            | "syscall"
            | "dest"
            | "in"
            | "This"
            | "or"
            | "Or"
            | "node"
            | "at"
    ) || message.contains("debug-0.log")
        || message.contains("complete log");
    if boilerplate || ctx.npm_lines >= 3 {
        return None;
    }
    ctx.npm_lines += 1;
    Some(found(Some("npm"), message, None, PLAIN))
}

/// The message of a panic whose place stood on the line before.
pub(super) fn panic_message(line: &str, ctx: &mut Context) -> Option<String> {
    std::mem::take(&mut ctx.panicked)
        .then(|| line.trim().to_owned())
        .filter(|l| !l.is_empty() && !l.starts_with("note:"))
}

/// The place that a line after the error names (`--> src/a.rs:1:2`, `at /a/b.js:1:2`).
pub(super) fn place(line: &str) -> Option<String> {
    let bare = line.trim();
    if let Some(c) = line.contains(":line ").then(|| DOTNET_PLACE.captures(line)).flatten() {
        return Some(format!("{}:{}", c.get(1)?.as_str(), c.get(2)?.as_str()));
    }
    let arrow = line.contains("--> ").then(|| ARROW.captures(line)).flatten();
    let caps = arrow.or_else(|| AT_PLACE.captures(bare.strip_prefix("at ")?))?;
    caps.get(1).map(|m| m.as_str().to_owned())
}
