//! The commands that talk to a running service, as a person and a script run them.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::pty::{Winsize, openpty};
use nix::sys::signal::Signal;
use rstest::rstest;
use serde_json::{Value, json};

use crate::support;
use crate::support::provider::{Act, Asks, FakeProvider, answers};
use crate::support::service::{KEY, Service, anchord, data_folder};
use crate::support::talks::turns;

const TOKEN: &str = "operator-token-of-services-in-processes";
/// An address that nobody answers.
const NOBODY: &str = "http://127.0.0.1:9";

/// What a command did.
#[derive(Debug)]
struct Done {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Done {
    #[track_caller]
    fn good(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (Some(0), ""), "{}", self.out);
        self.out
    }

    #[track_caller]
    fn json(self) -> Value {
        serde_json::from_str(&self.good()).expect("one JSON document")
    }

    #[track_caller]
    fn lines(self) -> Vec<Value> {
        self.good().lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
    }

    /// What it said when it failed: one line, and nothing as its result.
    #[track_caller]
    fn failed(self, code: i32) -> String {
        assert_eq!((self.code, self.out.as_str()), (Some(code), ""), "{}", self.err);
        assert_eq!(self.err.trim_end().lines().count(), 1, "{}", self.err);
        self.err
    }
}

impl Done {
    /// That clap refused an argument, with its name.
    #[track_caller]
    fn failed_at(self, argument: &str) {
        assert_eq!((self.code, self.out.as_str()), (Some(2), ""), "{}", self.err);
        assert!(self.err.contains(argument), "{}", self.err);
    }
}

fn done(command: &mut Command) -> Done {
    let output = command.output().expect("the program");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Done { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

fn address(service: &Service) -> String {
    format!("http://{}", service.client().address())
}

/// A folder with nothing in it, a service, and what it takes to use it.
struct Desk {
    folder: tempfile::TempDir,
    url: String,
    /// Dropped with it.
    _database: Option<support::TestDatabase>,
}

impl Desk {
    fn at(url: &str) -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), url: url.to_owned(), _database: None }
    }

    fn command(&self, line: &str) -> Command {
        let mut command = anchord(&line.split(' ').collect::<Vec<_>>());
        command.current_dir(self.folder.path()).env("ANCHORD_URL", &self.url);
        command.env("ANCHORD_API_KEY", KEY).env("ANCHORD_OPERATOR_TOKEN", TOKEN);
        command
    }

    fn run(&self, line: &str) -> Done {
        done(&mut self.command(line))
    }

    fn is_empty(&self) -> bool {
        fs::read_dir(self.folder.path()).expect("a folder").next().is_none()
    }
}

async fn service() -> (Service, Desk) {
    let database = support::database().await;
    let service = Service::on(&database.url, &["--admin-token", TOKEN]);
    let desk = Desk { _database: Some(database), ..Desk::at(&address(&service)) };
    (service, desk)
}

/// A session with a summary and an error in it.
fn talk(service: &Service, session: &str) {
    let client = service.client();
    let post = |path: &str, headers: &[(&str, &str)], body: &str| {
        let reply = client.call("POST", path, headers, body).expect("a reply");
        assert!(reply.status < 300, "{}", reply.text);
    };
    let mut messages = vec![
        json!({"role": "user", "content": "Make the importer in src/import.rs read CSV files. Never touch vendor/."}),
    ];
    for turn in 0..12 {
        let call = format!("call_{turn}");
        let arguments = json!({"command": format!("cargo test part_{turn}")}).to_string();
        messages
            .push(json!({"role": "assistant", "content": format!("Looking at part {turn}."), "tool_calls":
            [{"id": call, "type": "function", "function": {"name": "bash", "arguments": arguments}}]}));
        messages.push(json!({"role": "tool", "tool_call_id": call, "content": format!(
            "running part {turn}\nerror[E0308]: mismatched types in part {turn}\n{}", "a line of output\n".repeat(40))}));
    }
    let body = json!({"messages": messages}).to_string();
    post(&format!("/v1/sessions/{session}/messages"), &[], &body);
    post(&format!("/v1/sessions/{session}/compressions"), &[("prefer", "wait=20")], r#"{"target": 0.01}"#);
}

#[test]
fn a_quick_start_service_is_managed_from_its_folder() {
    let folder = data_folder();
    let data = folder.path().join("data");
    let service = Service::own(&data);
    let url = address(&service);
    let file = data.join("operator-token");
    assert!(
        service.greeting.contains(&format!("Operator token: in {}\n", file.display())),
        "{}",
        service.greeting
    );
    assert_eq!(fs::metadata(&file).expect("a token file").mode() & 0o777, 0o600);
    let token = fs::read_to_string(&file).expect("a token");
    assert!(!service.greeting.contains(token.trim()), "{}", service.greeting);
    let run = |words: &[&str]| done(anchord(words).current_dir(folder.path()).env("ANCHORD_URL", &url));

    let listed = run(&["tenant", "list"]).good();
    let fields: Vec<&str> = listed.trim_end().split('\t').collect();
    assert!(matches!(fields[..], [id, "active", _, "default"] if id.starts_with("ten_")), "{listed}");
    assert!(run(&["sessions", "list"]).good().is_empty());

    let made = run(&["tenant", "create", "acme and sons"]).good();
    assert!(made.contains("name\tacme and sons\nstatus\tactive\n"), "{made}");
    let refused = run(&["tenant", "create", "acme and sons"]).failed(1);
    assert!(refused.contains("another tenant has this name"), "{refused}");
    let key = run(&["key", "create", "acme and sons", "--name", "robot", "--days", "2"]).good();
    let (id, key) = key.trim_end().split_once('\t').expect("an id and a key");
    let mine = |words: &[&str]| {
        done(anchord(words).current_dir(folder.path()).env("ANCHORD_URL", &url).env("ANCHORD_API_KEY", key))
    };
    assert!(mine(&["sessions", "list"]).good().is_empty());
    let keys = run(&["key", "list", "acme and sons"]).good();
    let fields: Vec<&str> = keys.trim_end().split('\t').collect();
    assert!(matches!(fields[..], [found, _, "read,write", "active", _, _, "robot"] if found == id), "{keys}");
    let new = run(&["key", "rotate", "acme and sons", id, "--overlap-hours", "0", "--json"]).json();
    assert!(new["key"].as_str().is_some_and(|key| key.starts_with("anchord_")), "{new}");
    let why = mine(&["sessions", "list"]).failed(1);
    assert!(why.contains("refuses the API key from ANCHORD_API_KEY") && !why.contains(key), "{why}");
    let new_id = new["id"].as_str().expect("an id");
    assert_eq!(run(&["key", "revoke", "acme and sons", new_id]).good(), format!("revoked key {new_id}\n"));
    let states: Vec<Value> = run(&["key", "list", "acme and sons", "--json"]).lines();
    assert_eq!(states.len(), 2);
    assert!(states.iter().all(|key| key.get("key").is_none()), "{states:?}");

    let suspended = run(&["tenant", "suspend", "acme and sons", "--json"]).json();
    assert_eq!((&suspended["status"], &suspended["name"]), (&json!("suspended"), &json!("acme and sons")));
    assert!(run(&["tenant", "resume", "acme and sons"]).good().contains("status\tactive"));
    let meant = run(&["tenant", "delete", "acme and sons"]);
    assert_eq!(meant.code, Some(2));
    assert!(meant.err.contains("--yes"), "{}", meant.err);
    // By its id as well as by its name.
    let id = suspended["id"].as_str().expect("an id");
    assert_eq!(run(&["tenant", "delete", id, "--yes"]).good(), format!("deleted tenant {id}\n"));
    let gone = run(&["key", "list", "acme and sons"]).failed(1);
    assert!(gone.contains("there is no tenant acme and sons; `anchord tenant list` shows all"), "{gone}");
    assert_eq!(run(&["tenant", "list", "--json"]).lines().len(), 1);

    let names: Vec<_> = fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(names, ["data"], "a command left something behind");
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
    let again = Service::own(&data);
    assert_eq!(fs::read_to_string(&file).expect("a token"), token, "a restart made another token");
    assert_eq!(again.end(Signal::SIGTERM), Some(0));
}

#[test]
fn an_operators_api_with_an_address_of_its_own_is_found_there() {
    let folder = data_folder();
    let data = folder.path().join("data");
    let words = ["serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--data-dir"];
    let service = Service::start(&[&words[..], &[data.to_str().expect("a plain path")]].concat());
    let (url, admin) = (address(&service), format!("http://{}", service.admin().address()));
    let list = |envs: &[(&str, &str)]| {
        done(anchord(&["tenant", "list"]).current_dir(folder.path()).envs(envs.iter().copied()))
    };
    let why = list(&[("ANCHORD_URL", &url)]).failed(1);
    assert!(why.contains("--admin-url"), "{why}");
    assert!(list(&[("ANCHORD_URL", &url), ("ANCHORD_ADMIN_URL", &admin)]).good().contains("default"));
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

/// Every command that reads.
const READING: [&str; 10] = [
    "tenant list", "key list default", "sessions list", "sessions show s", "context s", "summary s",
    "tail s --after 0 --count 1", "recall s importer", "ledger s", "health",
];

#[rstest]
fn without_a_service_a_command_says_so_at_once_and_creates_nothing(#[values("", " --json")] json: &str) {
    let desk = Desk::at(NOBODY);
    for line in READING {
        let began = Instant::now();
        let why = desk.run(&format!("{line}{json}")).failed(1);
        assert!(why.contains("127.0.0.1:9"), "{line}: {why}");
        assert!(line == "health" || why.contains("start one with `anchord serve`"), "{line}: {why}");
        assert!(began.elapsed() < Duration::from_secs(5), "{line} took {:?}", began.elapsed());
        assert!(desk.is_empty(), "{line} left something behind");
    }
}

#[test]
fn without_a_key_a_command_says_where_it_looked_and_creates_nothing() {
    let desk = Desk::at(NOBODY);
    for line in READING.into_iter().filter(|line| *line != "health") {
        let mut command = desk.command(line);
        let why = done(command.env_remove("ANCHORD_API_KEY").env_remove("ANCHORD_OPERATOR_TOKEN")).failed(2);
        let (variable, file) = match line.split(' ').next() {
            Some("tenant" | "key") => ("ANCHORD_OPERATOR_TOKEN", "./data/operator-token"),
            _ => ("ANCHORD_API_KEY", "./data/api-key"),
        };
        assert!(why.contains(variable) && why.contains(file), "{line}: {why}");
        assert!(desk.is_empty(), "{line} left something behind");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_reading_command_prints_lines_or_json_and_creates_nothing() {
    let (service, desk) = service().await;
    talk(&service, "s");
    for line in READING {
        assert!(!desk.run(line).good().is_empty(), "{line}");
        let json = desk.run(&format!("{line} --json")).good();
        let is_document = serde_json::from_str::<Value>(&json).is_ok();
        let is_lines = json.lines().all(|line| serde_json::from_str::<Value>(line).is_ok());
        assert!(!json.is_empty() && (is_document || is_lines), "{line}: {json}");
        assert!(desk.is_empty(), "{line} left something behind");
    }
    for command in ["openapi", "completions bash", "--help", "--version"] {
        assert!(!desk.run(command).good().is_empty(), "{command}");
        assert!(desk.is_empty(), "{command} left something behind");
    }
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_are_listed_shown_read_and_deleted() {
    let (service, desk) = service().await;
    talk(&service, "s");
    let client = service.client();
    client
        .call("PUT", "/v1/sessions/t", &[], r#"{"task_id": "release 42", "parent_session_id": "s"}"#)
        .expect("a reply");

    let listed = desk.run("sessions list").good();
    let rows: Vec<Vec<&str>> = listed.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), ["t", "s"], "{listed}");
    assert_eq!((rows[1][1], rows[1][4]), ("25", "1"), "{listed}");
    let used: f64 = rows[1][3].parse().expect("a share");
    assert!(used > 0.0 && used < 1.0 && rows[1][3].len() <= 5, "three decimals: {listed}");
    let only = |flags: &str| desk.run(&format!("sessions list {flags}")).good();
    assert!(only("--parent s").starts_with("t\t") && only("--task none").is_empty());
    assert_eq!(only("--limit 1").lines().count(), 1);
    assert!(only("--updated-since 2100-01-01T00:00:00Z").is_empty());
    let task = done(desk.command("sessions list --json --task").arg("release 42")).lines();
    assert_eq!((task.len(), &task[0]["session_id"]), (1, &json!("t")));

    let shown = desk.run("sessions show s").good();
    assert!(shown.starts_with("session\ts\nmessages\t25\n") && shown.contains("\nsummary\t1\n"), "{shown}");
    assert!(desk.run("sessions show t").good().contains("\ntask\trelease 42\nparent\ts\n"));
    assert_eq!(desk.run("sessions show s --json").json()["head_seq"], 25);

    let context = desk.run("context s").good();
    assert!(
        context.contains("summary version 1 covers the first ") && !context.contains('\u{1b}'),
        "{context}"
    );
    let context = desk.run("context s --format anthropic --max-input-tokens 20000 --json").json();
    assert_eq!((&context["format"], &context["max_input_tokens"]), (&json!("anthropic"), &json!(20_000)));
    let small = desk.run("context s --max-input-tokens 1").failed(1);
    assert!(small.contains("422 Budget too small"), "{small}");
    assert!(desk.run("context s --through 1").good().contains("\nuser\nMake the importer"));

    assert!(desk.run("summary s").good().contains("## Session Intent"));
    assert!(desk.run("summary s --of-version 1 --style protocol").good().starts_with("## Session Summary"));
    assert_eq!(desk.run("summary s --json").json()["version"], 1);
    let none = desk.run("summary t").failed(1);
    assert!(none.contains("first summary"), "{none}");

    let hits = desk.run("recall s read CSV files --limit 2").good();
    let first: Vec<&str> = hits.lines().next().expect("a hit").split('\t').collect();
    assert!(matches!(first[..], ["1", "user", _, text] if text.contains("src/import.rs")), "{hits}");
    assert!(first[2].split_once('.').is_none_or(|(_, decimals)| decimals.len() <= 3), "{hits}");
    assert!(desk.run("recall s read --json").json()["items"].is_array());

    let facts = desk.run("ledger s").good();
    assert!(facts.contains("error\tE0308: mismatched types"), "{facts}");
    let commands = desk.run("ledger s --kind command --json").lines();
    assert!(commands.len() == 12 && commands.iter().all(|fact| fact["kind"] == "command"), "{commands:?}");

    assert_eq!(desk.run("sessions delete s").code, Some(2), "--yes is missing");
    assert_eq!(desk.run("sessions delete s --yes").good(), "deleted session s\n");
    let gone = desk.run("sessions show s").failed(1);
    assert!(gone.contains("404") && gone.contains("`anchord sessions list`"), "{gone}");
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_key_is_named_with_its_source_and_never_shown() {
    let (service, desk) = service().await;
    let wrong = "wrong-wrong-wrong-wrong-wrong-wrong-wrong";
    for (line, variable) in [("sessions list", "ANCHORD_API_KEY"), ("tenant list", "ANCHORD_OPERATOR_TOKEN")]
    {
        let why = done(desk.command(line).env(variable, wrong)).failed(1);
        assert!(why.contains(&format!("from {variable}")) && why.contains("401"), "{why}");
        assert!(!why.contains(wrong), "{why}");
    }
    for (line, flag, variable) in [
        ("sessions list", "--key", "ANCHORD_API_KEY"),
        ("tenant list", "--operator-token", "ANCHORD_OPERATOR_TOKEN"),
    ] {
        let why = done(desk.command(line).args([flag, wrong]).env_remove(variable)).failed(1);
        assert!(why.contains(&format!("from {flag}:")) && !why.contains(wrong), "{why}");
    }
    // The service's own variable opens the operator's API where there is no other.
    let mut own = desk.command("tenant list");
    assert!(
        done(own.env_remove("ANCHORD_OPERATOR_TOKEN").env("ANCHORD_ADMIN_TOKEN", TOKEN))
            .good()
            .contains("default")
    );
    let file = desk.folder.path().join("key");
    fs::write(&file, KEY).expect("a file");
    let named =
        |path: &Path| done(desk.command("sessions list --key-file").arg(path).env("ANCHORD_API_KEY", wrong));
    assert!(named(&file).good().is_empty());
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("a mode");
    let missing = named(&desk.folder.path().join("none")).failed(2);
    assert!(missing.contains("none does not exist"), "{missing}");
    named(desk.folder.path()).failed(2);
    desk.run("context s --max-input-tokens 0").failed_at("--max-input-tokens");
    desk.run("context s --max-input-tokens 0").failed_at("--max-input-tokens");
    let lacking = desk.run("context");
    assert!(lacking.code == Some(2) && lacking.err.contains("<SESSION>"), "{}", lacking.err);
    assert!(!lacking.err.contains("--url"), "the environment names the service: {}", lacking.err);
    let no_url = done(desk.command("sessions list").env("ANCHORD_URL", "ftp://x"));
    assert_eq!(no_url.code, Some(2), "{}", no_url.err);
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_is_served_over_standard_input_and_output() {
    let (service, desk) = service().await;
    talk(&service, "planner");
    let client = json!({"name": "c", "version": "1"});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let call = json!({"name": "search_past", "arguments": {"query": "importer"}});
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}),
    ];
    let input: String =
        lines.iter().fold(String::new(), |input, line| input + line.to_string().as_str() + "\n");
    let served = |line: &str, input: &str| {
        let mut command = desk.command(line);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut piped = command.spawn().expect("the program");
        piped.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("a reader");
        piped.wait_with_output().expect("an end")
    };
    let output = served("mcp --session planner", &input);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let replies = String::from_utf8(output.stdout).expect("UTF-8");
    let replies: Vec<Value> =
        replies.lines().map(|line| serde_json::from_str(line).expect("JSON alone")).collect();
    assert_eq!(replies[0]["result"]["serverInfo"]["name"], "anchord");
    assert_eq!((&replies[1]["id"], &replies[1]["result"]["isError"]), (&json!(2), &json!(false)));
    assert!(replies[1].to_string().contains("src/import.rs"), "{}", replies[1]);
    assert!(served("mcp", "").status.success(), "a client that leaves at once is no failure");
    // Told at the start, where the agent's owner sees it.
    let refused = desk.run("mcp --key anchord_unknown-key-00000000000000000000");
    assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""));
    assert!(refused.err.contains("401"), "{}", refused.err);
    assert!(desk.is_empty());
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn imports_are_told_as_json() {
    let (service, desk) = service().await;
    fs::write(desk.folder.path().join("log"), r#"[{"role": "user", "content": "hello"}]"#).expect("a log");
    let imported = desk.run("import log --session new --json").json();
    let expected =
        json!({"session_id": "new", "format": "messages", "messages": 1, "appended": 1, "left_out": {}});
    assert_eq!(imported, expected);
    assert_eq!(desk.run("import log --session new --json").json()["appended"], 0);
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

#[rstest]
fn workers_and_migrations_begin_no_database(#[values("worker", "migrate")] command: &str) {
    let desk = Desk::at(NOBODY);
    let why = done(desk.command(command).env_remove("DATABASE_URL")).failed(2);
    assert!(why.contains("DATABASE_URL") && why.contains("ANCHORD_DATA_DIR"), "{why}");
    assert!(desk.is_empty(), "nothing is made");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_context_is_in_the_sessions_own_format_and_a_compression_is_printed_as_the_service_replies() {
    let (service, desk) = service().await;
    let call = json!({"type": "tool_use", "id": "c", "name": "f", "input": {}});
    let body =
        json!({"messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": [call]}]});
    service.client().call("POST", "/v1/sessions/f1/messages", &[], &body.to_string()).expect("a reply");
    let own = desk.run("context f1 --json").json();
    assert_eq!(own["format"], "anthropic");
    assert_eq!(desk.run("context f1 --format openai-chat --json").json()["format"], "openai-chat");

    let messages = turns(30, |at| format!("{at}: {}", "a few words of it ".repeat(60)));
    fs::write(desk.folder.path().join("long"), json!(messages).to_string()).expect("a log");
    for file in ["long", "tiny"] {
        let messages = if file == "tiny" { messages.get(..1) } else { messages.get(..) };
        fs::write(desk.folder.path().join(file), json!(messages).to_string()).expect("a log");
        let body = json!({"messages": messages}).to_string();
        let theirs = service.client().call("POST", "/v1/compress", &[], &body).expect("a reply");
        let theirs: Value = serde_json::from_str(&theirs.text).expect("JSON");
        let ours = desk.run(&format!("compress {file} --json")).json();
        for field in
            ["format", "tokens_before", "tokens_after", "reduction", "probe_score", "strategy", "messages"]
        {
            assert_eq!(ours[field], theirs[field], "{file}: {field}");
        }
        assert!(ours["reduction"].as_f64().is_some_and(|share| share >= 0.0), "{ours}");
    }
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

#[test]
fn a_summary_that_is_larger_than_its_messages_is_told_in_words() {
    let desk = Desk::at(NOBODY);
    fs::write(desk.folder.path().join("tiny"), r#"[{"role": "user", "content": "hello"}]"#).expect("a log");
    let told = desk.run("compress tiny").good();
    let tokens = told.lines().find(|line| line.starts_with("tokens: ")).expect("the tokens");
    assert!(tokens.contains("the summary is larger than what it replaces"), "{told}");
    assert!(!tokens.contains(['%', '-']), "a share of what was not saved: {told}");
}

/// A file of this repository.
fn file(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path).display().to_string()
}

/// A way's figures in a window of an exam.
fn way<'a>(exam: &'a Value, window: usize, name: &str) -> &'a Value {
    let ways = exam["windows"][window]["ways"].as_array().expect("ways");
    ways.iter().find(|way| way["way"] == name).expect("a way")
}

#[test]
fn transcripts_are_examined_without_a_service_and_a_page_is_written_in_two_forms() {
    let desk = Desk::at(NOBODY);
    let (small, corpus) =
        (file("examples/session.json"), file("tests/corpus/sessions/coding-ledger-api.json"));
    let exam = desk.run(&format!("exam {small} {corpus} --window 8000,128000 --json")).json();
    let told = |name: &str| {
        exam["sessions"].as_array().expect("sessions").iter().map(|one| one[name].clone()).collect()
    };
    let calls: Vec<Value> = told("calls");
    assert_eq!((calls, exam["windows"][0]["window"].as_u64()), (vec![json!(9), json!(44)], Some(8_000)));
    // In the small window the session of the corpus is compressed; in the large one all ways send the same.
    let figures = |window, name, figure: &str| way(&exam, window, name)[figure].as_u64().expect("a figure");
    assert!(figures(0, "service", "compressions") >= 3, "{exam}");
    assert!(figures(0, "compact", "compressions") >= 2, "{exam}");
    assert!(figures(0, "service", "cost") < figures(0, "everything", "cost"), "{exam}");
    assert!(
        figures(0, "service", "largest") < 8_000 && figures(0, "everything", "largest") > 8_000,
        "{exam}"
    );
    for name in ["service", "compact", "capped", "keep20", "truncate", "everything"] {
        assert_eq!(figures(0, name, "calls"), 53, "{name}");
        assert_eq!(figures(1, name, "compressions"), 0, "{name}");
        // Outputs that are cut on arrival are cut in any window.
        let of_compact = way(&exam, 1, name)["of_compact"].as_f64().expect("a multiple");
        assert!(if name == "capped" { of_compact < 1.0 } else { (of_compact - 1.0).abs() < 1e-9 }, "{name}");
        for known in ["needs", "edits", "files", "errors", "test_runs"] {
            let (all, one) = (&way(&exam, 0, "everything")[known], &way(&exam, 0, name)[known]);
            assert_eq!((&all["found"], &one["of"]), (&all["of"], &all["of"]), "{name} {known}");
        }
    }
    let kept = |name: &str, known: &str| way(&exam, 0, name)[known]["found"].as_u64().expect("a count");
    assert!(kept("service", "files") > kept("truncate", "files"), "{exam}");
    let read = |form: &str| fs::read_to_string(desk.folder.path().join(exam[form].as_str().expect("a path")));
    let (html, markdown) = (read("html").expect("a page"), read("markdown").expect("a page"));
    assert!(html.starts_with("<!doctype html>") && !html.contains("<script"), "{}", html.len());
    assert!(!html.contains("http://") || !html.contains("src="), "nothing is loaded");
    for words in [
        "Window 8,000", "Window 128,000", "coding-ledger-api.json", "Session Intent",
        "No model: configure one",
    ] {
        assert!(html.contains(words) && markdown.contains(words), "{words}");
    }
    assert!(markdown.contains("no session fills it"), "the large window is told apart");
    // A second exam replaces the page, and nothing else.
    assert!(desk.run(&format!("exam {small} --window 8000")).good().ends_with("anchord-exam/exam.md\n"));
    fs::write(desk.folder.path().join("anchord-exam/exam.md"), "my own notes").expect("notes");
    let why = desk.run(&format!("exam {small}")).failed(2);
    assert!(why.contains("anchord-exam/exam.md was not written by an exam"), "{why}");
}

#[test]
fn a_file_that_cannot_be_examined_is_named_and_nothing_is_written() {
    let desk = Desk::at(NOBODY);
    let write = |name: &str, text: &str| fs::write(desk.folder.path().join(name), text).expect("a file");
    write("empty", " \n");
    write("notes", "these are no messages\n");
    write("alone", r#"[{"role": "user", "content": "hello"}]"#);
    fs::File::create(desk.folder.path().join("huge"))
        .and_then(|file| file.set_len(65 << 20))
        .expect("a file");
    let good = file("examples/session.json");
    for (name, code, reason) in [
        ("empty", 1, "it is empty"),
        ("notes", 1, "line 1: "),
        ("alone", 1, "there is nothing to replay"),
        ("huge", 2, "is too large"),
        ("none", 2, "cannot read none"),
    ] {
        let why = desk.run(&format!("exam {good} {name}")).failed(code);
        assert!(why.contains(name) && why.contains(reason), "{why}");
    }
    let why = desk.run(&format!("exam {good} --settings {{\"fill\":2}}")).failed(2);
    assert!(why.contains("/fill"), "{why}");
    desk.run(&format!("exam {good} --settings {{\"context_window\":9000}}")).failed_at("--window");
    assert!(!desk.folder.path().join("anchord-exam").exists(), "a page was written");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_configured_model_examines_what_contexts_leave_out() {
    let desk = Desk::at(NOBODY);
    let provider = FakeProvider::start([Act::Good]).await;
    // The third question's fact is the only one that the answer has.
    provider.play_for(Asks::Answers, [answers(&["a broom", "all of them", "in src/import.rs"])]);
    let mut messages = vec![
        json!({"role": "user", "content": "Make the importer in src/import.rs read CSV files. Never touch vendor/."}),
        json!({"role": "assistant", "content": "I decided to use the csv crate for the importer because quoted fields are hard to read by hand."}),
        json!({"role": "user", "content": "Good, go on."}),
    ];
    for step in 0..30 {
        let filler =
            "the importer reads another file of the CSV samples and checks quoted fields. ".repeat(20);
        messages.push(json!({"role": "assistant", "content": format!("Step {step}: {filler}")}));
        messages.push(json!({"role": "user", "content": format!("Go on with step {}.", step + 1)}));
    }
    messages.push(json!({"role": "assistant", "content": "Done."}));
    fs::write(desk.folder.path().join("talk"), json!(messages).to_string()).expect("a transcript");
    let mut command = desk.command("exam talk --window 8000 --json --llm-provider openai --llm-model small");
    command.args(["--llm-base-url", &format!("{}/v1", provider.url)]);
    let exam = done(&mut command).json();
    let asked = &exam["windows"][0]["sessions"][0]["exam"];
    // The broker stands in no message, and later thirds do not have what the examiner asks about.
    assert_eq!((&asked["questions"], &asked["answered"]), (&json!(3), &json!(1)), "{asked}");
    let notes = asked["notes"].to_string();
    assert!(notes.contains("of 4 questions of the examiner's 1 were not asked"), "{notes}");
    assert_eq!(provider.seen_for(Asks::Exam).len(), 3, "one for each third");
    let page = fs::read_to_string(desk.folder.path().join("anchord-exam/exam.md")).expect("a page");
    assert!(
        page.contains("Which folder must stay as it is?") && page.contains("1 of 3 questions answered"),
        "{page}"
    );
    assert!(!page.contains("No model"), "{page}");
}

/// What a person sees of a command.
fn seen(command: &mut Command) -> String {
    // Wide enough for every column.
    let size = Winsize { ws_row: 40, ws_col: 140, ws_xpixel: 0, ws_ypixel: 0 };
    let terminal = openpty(Some(&size), None).expect("a terminal");
    let mut process =
        command.stdout(Stdio::from(terminal.slave)).env("TERM", "xterm").spawn().expect("the program");
    // The command has its own copy of the terminal's end; this one must go, or reading never ends.
    command.stdout(Stdio::null());
    let mut text = Vec::new();
    // A terminal whose other end is closed is an error on Linux.
    let _ = fs::File::from(terminal.master).read_to_end(&mut text);
    assert!(process.wait().expect("an end").success());
    String::from_utf8_lossy(&text).replace("\r\n", "\n")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_terminal_shows_tables_and_colours_unless_they_are_turned_off() {
    let (service, desk) = service().await;
    talk(&service, "planner");
    let seen_of = |line: &str, envs: &[(&str, &str)]| seen(desk.command(line).envs(envs.iter().copied()));
    let table = seen_of("sessions list", &[]);
    let mut lines = table.lines();
    assert_eq!(
        lines.next().expect("a header"),
        "\u{1b}[1mSESSION  MESSAGES  TOKENS   USED  SUMMARY    COMPRESSION  UPDATED\u{1b}[0m"
    );
    let row = lines.next().expect("a row");
    assert!(row.starts_with("planner        25  ") && row.contains(" %  version 1  –"), "{row}");
    let plain = seen_of("sessions list", &[("NO_COLOR", "1")]);
    assert!(plain.starts_with("SESSION  MESSAGES") && !plain.contains('\u{1b}'), "{plain:?}");
    let shown = seen_of("sessions show planner", &[]);
    assert!(shown.contains("\u{1b}[1mmessages   \u{1b}[0m  25\n"), "{shown:?}");
    let events = seen_of("tail planner --after 0 --count 3", &[]);
    assert!(
        events.contains("compression.succeeded") && events.contains(" → ") && events.contains("probe score "),
        "{events:?}"
    );
    // What others wrote cannot move the cursor.
    let body = json!({"messages": [{"role": "user", "content": "boo \u{1b}[2J"}]}).to_string();
    service.client().call("POST", "/v1/sessions/evil/messages", &[], &body).expect("a reply");
    let context = seen_of("context evil", &[("NO_COLOR", "1")]);
    assert!(context.contains("boo \u{fffd}[2J") && !context.contains('\u{1b}'), "{context:?}");
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recorded_session_is_played_to_its_end_and_stays_stored() {
    let (_service, desk) = service().await;
    let shown = desk.run("demo").good();
    let compressed: Vec<&str> = shown.lines().filter(|line| line.starts_with("compressed  ")).collect();
    assert!(
        compressed.len() >= 3 && compressed.iter().all(|line| line.contains(" 0 not answered")),
        "{shown}"
    );
    assert!(shown.contains("47 contexts were sent, every one of them valid."), "{shown}");
    assert!(!shown.contains('\u{1b}'), "colours in a pipe");
    let session = shown.split_whitespace().nth(1).expect("its name").trim_end_matches(':').to_owned();
    let stored = desk.run(&format!("sessions show {session} --json")).json();
    assert_eq!(stored["head_seq"], 105, "{stored}");
    let costs: Vec<&str> = shown.lines().filter(|line| line.contains(" times)")).collect();
    assert!(
        costs.len() == 4 && costs[0].contains("anchord") && costs[0].contains("(1.00 times)"),
        "{costs:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_has_enough_ends_a_command_quietly() {
    let (service, desk) = service().await;
    talk(&service, "s");
    let mut process = desk.command("context s").spawn().expect("the program");
    drop(process.stdout.take());
    let output = process.wait_with_output().expect("an end");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{output:?}");
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

/// Reads a request's head and gives its `Last-Event-ID`.
fn last_event_id(stream: &TcpStream) -> Option<String> {
    let head: Vec<String> =
        BufReader::new(stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    head.iter().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("last-event-id").then(|| value.to_owned())
    })
}

#[test]
fn a_tail_resumes_after_the_last_id_also_before_its_first_event() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let desk = Desk::at(&format!("http://{}", listener.local_addr().expect("an address")));
    let mut tail = desk.command("tail s --count 2 --json").spawn().expect("the program");
    let stream = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let busy = "HTTP/1.1 503 Service Unavailable\r\nretry-after: 0\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
    let event = |id: u32| {
        format!("{stream}retry: 10\n\nid: {id}\nevent: summary.published\ndata: {{\"data\":{{}}}}\n\n")
    };
    let mut asked = Vec::new();
    for reply in [format!("{stream}: following\nretry: 10\nid: 7\n\n"), event(8), busy.to_owned(), event(9)] {
        let (mut connection, _) = listener.accept().expect("a connection");
        asked.push(last_event_id(&connection));
        connection.write_all(reply.as_bytes()).expect("a reader");
    }
    let ids: Vec<Option<&str>> = asked.iter().map(Option::as_deref).collect();
    assert_eq!(ids, [None, Some("7"), Some("8"), Some("8")]);
    let mut out = String::new();
    tail.stdout.take().expect("a pipe").read_to_string(&mut out).expect("text");
    assert_eq!(out.lines().count(), 2, "{out}");
    assert_eq!(tail.wait().expect("an end").code(), Some(0));
}

#[test]
fn a_tail_whose_key_was_revoked_ends_with_the_reason() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let desk = Desk::at(&format!("http://{}", listener.local_addr().expect("an address")));
    let tail = desk.command("tail s").spawn().expect("the program");
    let body = r#"{"type":"/problems/unauthorized","title":"Unauthorized","status":401,"detail":"this API key is unknown"}"#;
    for reply in [
        "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nretry: 10\n\n".to_owned(),
        format!(
            "HTTP/1.1 401 Unauthorized\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        ),
    ] {
        let (mut connection, _) = listener.accept().expect("a connection");
        last_event_id(&connection);
        connection.write_all(reply.as_bytes()).expect("a reader");
    }
    let output = tail.wait_with_output().expect("an end");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("the events end here") && said.contains("this API key is unknown"), "{said}");
}
