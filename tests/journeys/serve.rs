//! The program as a person runs it: `anchord serve` in a process of its own.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use nix::pty::openpty;
use nix::sys::signal::{Signal, kill};
use serde_json::json;

use crate::support;
use crate::support::service::{Service, anchord, data_folder, pid};

fn failed(output: &Output) -> String {
    assert!(!output.status.success(), "it succeeded");
    assert!(output.stdout.is_empty(), "a failure prints nothing on standard output");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_service_with_a_database_of_its_own_tells_address_key_and_first_call() {
    let folder = data_folder();
    let service = Service::own(folder.path());
    assert_eq!(service.client().get("/readyz").status, 200);
    let file = folder.path().join("api-key");
    assert_eq!(fs::metadata(&file).expect("a key file").mode() & 0o777, 0o600);
    let key = fs::read_to_string(&file).expect("a key file").trim().to_owned();
    assert!(!service.greeting.contains(&key), "what is no terminal may be a log: {}", service.greeting);
    let told = format!("x-api-key: $(cat {})", file.display());
    assert!(service.greeting.contains(&told), "{}", service.greeting);

    let data = folder.path().to_str().expect("a plain path");
    let second = anchord(&["serve", "--listen", "127.0.0.1:0", "--data-dir", data]).output();
    let why = failed(&second.expect("the program"));
    assert!(why.contains(&format!("process {}", service.id())), "{why}");

    assert_eq!(service.end(Signal::SIGTERM), Some(0));
    assert!(!folder.path().join("postgres/cluster/postmaster.pid").exists(), "the database was left running");

    let again = Service::own(folder.path());
    assert_eq!(again.key(), key, "a restart made another key");
    assert_eq!(again.end(Signal::SIGINT), Some(0));
}

#[test]
fn a_database_of_its_own_that_dies_is_started_again_and_has_what_was_acknowledged() {
    let folder = data_folder();
    let service = Service::own(folder.path());
    let client = service.client();
    let append = |seq: i64| {
        let body =
            json!({"messages": [{"role": "user", "content": format!("{seq}")}], "expected_next_seq": seq});
        let reply = client.call("POST", "/v1/sessions/s/messages", &[], &body.to_string());
        reply.map_or(0, |reply| reply.status)
    };
    let server = || {
        let file = fs::read_to_string(folder.path().join("postgres/cluster/postmaster.pid")).ok()?;
        file.lines().next()?.parse().ok()
    };
    for seq in 1..=3 {
        assert_eq!(append(2 * seq - 1), 201);
        let killed_server = server().expect("a running server");
        kill(pid(killed_server), Signal::SIGKILL).expect("a process of ours");
        let killed = Instant::now();
        let wait = || {
            assert!(killed.elapsed() < Duration::from_secs(20), "it does not come back");
            std::thread::sleep(Duration::from_millis(50));
        };
        // 409: it was stored, and its answer was lost.
        while ![201, 409].contains(&append(2 * seq)) {
            wait();
        }
        // A process of the killed server may have taken the append, with which it still ends.
        while server().is_none_or(|server| server == killed_server) || client.get("/readyz").status != 200 {
            wait();
        }
    }
    let stored = client.get("/v1/sessions/s/messages").json();
    let texts: Vec<&str> = stored["items"]
        .as_array()
        .expect("messages")
        .iter()
        .filter_map(|item| item["message"]["content"].as_str())
        .collect();
    assert_eq!(texts, ["1", "2", "3", "4", "5", "6"]);
    assert_eq!(client.get("/readyz").status, 200);
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
    assert!(!folder.path().join("postgres/cluster/postmaster.pid").exists(), "the database was left running");
}

/// What a person sees who starts a service in a terminal, up to the first call to try.
fn seen_in_a_terminal(data: &Path) -> String {
    let terminal = openpty(None, None).expect("a terminal");
    let words = ["serve", "--listen", "127.0.0.1:0", "--data-dir", data.to_str().expect("a plain path")];
    let mut process = anchord(&words).stdout(Stdio::from(terminal.slave)).spawn().expect("the program");
    let mut lines = BufReader::new(fs::File::from(terminal.master));
    let mut seen = String::new();
    while !seen.contains("Try:") {
        lines.read_line(&mut seen).expect("text");
    }
    kill(pid(process.id()), Signal::SIGTERM).expect("a process of ours");
    assert!(process.wait().expect("an end").success());
    seen
}

#[test]
fn a_key_that_was_made_is_shown_once_on_a_terminal() {
    let folder = data_folder();
    let first = seen_in_a_terminal(folder.path());
    let key = fs::read_to_string(folder.path().join("api-key")).expect("a key file").trim().to_owned();
    assert!(first.contains(&format!("API key:  {key} (shown this once")), "{first}");
    let second = seen_in_a_terminal(folder.path());
    assert!(!second.contains(&key) && second.contains("API key:  in "), "{second}");
}

#[test]
fn the_database_of_a_service_inherits_none_of_its_environment() {
    let folder = data_folder();
    let data = folder.path().to_str().expect("a plain path");
    let secret = "a-secret-of-the-environment-0000000";
    let mut process = anchord(&["serve", "--listen", "127.0.0.1:0", "--data-dir", data])
        .envs([("ANCHORD_ADMIN_TOKEN", secret), ("SOMEBODYS_PASSWORD", secret)])
        .spawn()
        .expect("the program");
    let mut said = BufReader::new(process.stdout.take().expect("a pipe"));
    let mut greeting = String::new();
    while !greeting.contains("Try:") {
        assert_ne!(said.read_line(&mut greeting).expect("text"), 0, "it ended: {greeting}");
    }
    let file = folder.path().join("postgres/cluster/postmaster.pid");
    let server = fs::read_to_string(file).expect("a running server").lines().next().map(str::to_owned);
    let environment = format!("/proc/{}/environ", server.expect("a process id"));
    // Where there is no /proc nobody can look.
    if let Ok(environment) = fs::read(environment) {
        let environment = String::from_utf8_lossy(&environment);
        assert!(!environment.contains(secret), "the server has the service's secrets");
        assert!(environment.contains("PATH="), "{environment}");
    }
    kill(pid(process.id()), Signal::SIGTERM).expect("a process of ours");
    assert!(process.wait().expect("an end").success());
}

#[tokio::test]
async fn a_key_that_the_operator_chose_is_never_printed() {
    let database = support::database().await;
    let key = "chosen-chosen-chosen-chosen-chosen";
    let words = ["serve", "--listen", "127.0.0.1:0", "--database-url", &database.url, "--api-key", key];
    let service = Service::start(&words);
    assert!(!service.greeting.contains(key), "{}", service.greeting);
    assert!(service.greeting.contains("ANCHORD_API_KEY"), "{}", service.greeting);
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

#[tokio::test]
async fn a_service_on_the_operators_database_has_no_key_unless_it_is_given_one() {
    let database = support::database().await;
    let words = ["serve", "--listen", "127.0.0.1:0", "--database-url", &database.url];
    let service = Service::start(&words);
    assert!(service.greeting.contains("none from the start"), "{}", service.greeting);
    assert_eq!(service.client().get("/readyz").status, 200);
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

#[test]
fn a_taken_address_is_told_before_a_database_is_made() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address").to_string();
    let folder = data_folder();
    let data = folder.path().join("data");
    let words = ["serve", "--listen", &address, "--data-dir", data.to_str().expect("a plain path")];
    let why = failed(&anchord(&words).output().expect("the program"));
    assert!(why.contains("ANCHORD_LISTEN") && why.contains(&address), "{why}");
    assert!(!data.exists());
}

#[test]
fn a_bad_variable_is_refused_by_its_name() {
    let why = failed(&anchord(&["serve"]).env("ANCHORD_WORKERS", "many").output().expect("the program"));
    assert!(why.contains("ANCHORD_WORKERS"), "{why}");
    let why = failed(&anchord(&["serve"]).env("ANCHORD_API_KEY", "short").output().expect("the program"));
    assert!(why.contains("ANCHORD_API_KEY: at least 32") && !why.contains("short"), "{why}");
}

#[test]
fn a_machine_without_postgres_is_told_what_to_install() {
    let folder = data_folder();
    let (data, nothing) = (folder.path().join("data"), folder.path().join("nothing"));
    let words = ["serve", "--listen", "127.0.0.1:0", "--data-dir", data.to_str().expect("a plain path")];
    let output = anchord(&words).env("ANCHORD_PG_BIN", nothing).output().expect("the program");
    let why = failed(&output);
    assert!(why.contains("Postgres is not installed") && why.contains("install"), "{why}");
    assert_eq!(why.trim().lines().count(), 1, "{why}");
}

#[tokio::test]
async fn the_fewest_connections_are_enough_for_everything() {
    let database = support::database().await;
    let service = Service::on(&database.url, &["--pool-size", "2"]);
    let client = service.client();
    let post = |path: &str, headers: &[(&str, &str)], body: &str| {
        client.call("POST", path, headers, body).expect("a reply").status
    };
    for round in 0..2 {
        // Whatever keeps a connection has one now: the large append has a lane of its own, and the read a reader.
        let large = json!({"messages": [{"role": "user", "content": "large ".repeat(100_000)}]}).to_string();
        assert_eq!(post("/v1/sessions/s/messages", &[], &large), 201, "round {round}");
        assert_eq!(client.get("/v1/sessions/s/context").status, 200);
        assert_eq!(
            post("/v1/sessions/s/compressions", &[("Prefer", "wait=20")], r#"{"target": 0.5}"#),
            200,
            "round {round}"
        );
        for path in ["/readyz", "/v1/sessions", "/v1/sessions/s/messages", "/v1/sessions/s/recall?q=large"] {
            assert_eq!(client.get(path).status, 200, "round {round}: {path}");
        }
    }
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_service_gives_freed_memory_back_soon_unless_it_is_told_when() {
    let database = support::database().await;
    let delay_of = |process: u32| {
        let environment = fs::read(format!("/proc/{process}/environ")).expect("an environment");
        let environment = String::from_utf8(environment).expect("text");
        let delay = environment.split('\0').find_map(|entry| entry.strip_prefix("MIMALLOC_PURGE_DELAY="));
        delay.map(str::to_owned)
    };
    // The allocator reads it as the process begins, so it has to be there by then.
    let service = Service::on(&database.url, &[]);
    assert_eq!(delay_of(service.id()).as_deref(), Some("10"));
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
    let words = ["serve", "--listen", "127.0.0.1:0", "--database-url", &database.url];
    let mut process = anchord(&words).env("MIMALLOC_PURGE_DELAY", "500").spawn().expect("the program");
    let mut said = BufReader::new(process.stdout.take().expect("a pipe"));
    assert_ne!(said.read_line(&mut String::new()).expect("text"), 0, "it ended");
    assert_eq!(delay_of(process.id()).as_deref(), Some("500"));
    process.kill().expect("an end");
    process.wait().expect("an end");
}

#[tokio::test]
async fn a_health_check_tells_whether_a_process_can_be_used() {
    let database = support::database().await;
    let check = |flag: &str, value: &str| {
        let done = anchord(&["health", flag, value]).output().expect("the program");
        (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    };
    let api = Service::on(&database.url, &["--roles", "api"]);
    let address = api.client().address().to_owned();
    assert_eq!(check("--listen", &address), (Some(0), String::new()));
    let words = ["worker", "--database-url", &database.url, "--metrics-listen", "127.0.0.1:0"];
    let worker = Service::start(&words);
    let url = format!("http://{}/readyz", worker.metrics().address());
    assert_eq!(check("--url", &url), (Some(0), String::new()));
    for process in [api, worker] {
        assert_eq!(process.end(Signal::SIGTERM), Some(0));
    }
    for (flag, value) in [("--listen", &address), ("--url", &url)] {
        let (code, why) = check(flag, value);
        assert_eq!(code, Some(1));
        assert!(why.contains("does not answer"), "{why}");
    }
}
