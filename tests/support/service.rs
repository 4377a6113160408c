//! The program in processes of its own, and a plain client for it.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

/// The key of services that share a test's database.
pub const KEY: &str = "test-key-of-services-in-processes";
/// Longer than any request may take, so that a service that hangs fails the test.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running process of the program; killed when it is dropped.
#[derive(Debug)]
pub struct Service {
    process: Child,
    /// What it printed up to the end of its greeting.
    pub greeting: String,
    // Read to the end, so that a full pipe never holds up the service.
    stderr: Option<JoinHandle<String>>,
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The program with nothing set but what the test sets.
pub fn anchord(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_anchord"));
    command.args(words).env_clear().envs(super::path().map(|path| ("PATH", path)));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A folder that the embedded server's user can reach below, when the tests run as root.
pub fn data_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o711)).expect("a mode");
    folder
}

impl Service {
    /// Starts the program and waits for the last line of its greeting.
    pub fn start(words: &[&str]) -> Self {
        let mut process = anchord(words).spawn().expect("the program");
        let mut stderr = process.stderr.take().expect("a pipe");
        let stderr = std::thread::spawn(move || {
            let mut said = Vec::new();
            let _ = stderr.read_to_end(&mut said);
            String::from_utf8_lossy(&said).into_owned()
        });
        let mut greeting = String::new();
        let mut lines = BufReader::new(process.stdout.take().expect("a pipe"));
        while !greeting.contains("Try:") && !greeting.contains("has no API") {
            if lines.read_line(&mut greeting).expect("text") == 0 {
                let why = stderr.join().unwrap_or_default();
                panic!("the service ended before it was ready: {greeting}{why}");
            }
        }
        Self { process, greeting, stderr: Some(stderr) }
    }

    /// Starts a service with a database of its own.
    pub fn own(data_dir: &Path) -> Self {
        let folder = data_dir.to_str().expect("a plain path");
        Self::start(&["serve", "--listen", "127.0.0.1:0", "--data-dir", folder])
    }

    /// Starts a service with workers on a test's database; several may share it.
    pub fn on(database_url: &str, more: &[&str]) -> Self {
        let mut words = vec!["serve", "--listen", "127.0.0.1:0", "--api-key", KEY];
        words.extend(["--database-url", database_url]);
        words.extend(more);
        Self::start(&words)
    }

    /// The key that the service made and keeps in a file.
    pub fn key(&self) -> String {
        let (_, file) = self.greeting.split_once("API key:  in ").expect("a file");
        let file = file.lines().next().expect("a line");
        std::fs::read_to_string(file).expect("a key file").trim().to_owned()
    }

    /// A client for the address that metrics have for themselves.
    pub fn metrics(&self) -> Client {
        self.client_of("Metrics:  ")
    }

    /// A client for the address that the operator's API has for itself.
    pub fn admin(&self) -> Client {
        self.client_of("Operator: ")
    }

    /// A client for the address that the gateway has for itself.
    pub fn gateway(&self) -> Client {
        self.client_of("Gateway:  ")
    }

    fn client_of(&self, label: &str) -> Client {
        let (_, rest) = self.greeting.split_once(&format!("{label}http://")).expect("an address");
        let address = rest.split('/').next().expect("an address").to_owned();
        Client { address, key: String::new() }
    }

    /// A client with the service's key.
    pub fn client(&self) -> Client {
        let (_, rest) = self.greeting.split_once("http://").expect("an address");
        let address = rest.split([' ', '/']).next().expect("an address").to_owned();
        let key = if self.greeting.contains("ANCHORD_API_KEY") {
            KEY.to_owned()
        } else if self.greeting.contains("none from the start") {
            String::new()
        } else {
            self.key()
        };
        Client { address, key }
    }

    /// The process's id.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Sends a signal and returns the exit code, which a killed process does not have.
    pub fn end(mut self, signal: Signal) -> Option<i32> {
        kill(pid(self.id()), signal).expect("a process of ours");
        self.process.wait().expect("a process of ours").code()
    }

    /// Ends it in order and returns all that it logged.
    pub fn end_with_log(mut self) -> String {
        let stderr = self.stderr.take().expect("it is taken here alone");
        assert_eq!(self.end(Signal::SIGTERM), Some(0));
        stderr.join().expect("a reader")
    }
}

/// A process id as signals take it.
pub fn pid(id: u32) -> Pid {
    Pid::from_raw(i32::try_from(id).expect("a process id"))
}

/// One connection per request: what matters here is what is sent, and when it is cut.
#[derive(Clone, Debug)]
pub struct Client {
    address: String,
    key: String,
}

/// A reply that came whole.
#[derive(Debug)]
pub struct Reply {
    /// Its status.
    pub status: u16,
    /// Its body.
    pub text: String,
    head: String,
}

impl Reply {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    /// Its body as JSON; null when it has none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }
}

impl Client {
    /// The same with another key or token.
    pub fn with_key(&self, key: &str) -> Self {
        Self { key: key.to_owned(), ..self.clone() }
    }

    /// What it authenticates with.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Where it goes to.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// A connection on which nothing is sent yet.
    pub fn connect(&self) -> io::Result<TcpStream> {
        let stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(stream)
    }

    /// A request's bytes.
    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
        let (address, key, length) = (&self.address, &self.key, body.len());
        let more: String = headers.iter().flat_map(|(name, value)| [*name, ": ", *value, "\r\n"]).collect();
        format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {key}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n{more}\r\n{body}"
        )
    }

    /// Sends a request; an error means that the reply did not come whole.
    pub fn call(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> io::Result<Reply> {
        let mut stream = self.connect()?;
        stream.write_all(self.request(method, path, headers, body).as_bytes())?;
        let mut reply = String::new();
        stream.read_to_string(&mut reply)?;
        whole(&reply).ok_or_else(|| io::Error::new(io::ErrorKind::UnexpectedEof, "the reply was cut"))
    }

    /// A GET that must be answered.
    pub fn get(&self, path: &str) -> Reply {
        self.call("GET", path, &[], "").expect("a reply")
    }
}

/// Reads a reply, unless it is cut: its head tells how long it is.
fn whole(reply: &str) -> Option<Reply> {
    let (head, body) = reply.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let reply = Reply { status, text: body.to_owned(), head: head.to_owned() };
    let length = reply.header("content-length").and_then(|length| length.parse().ok());
    (body.len() == length.unwrap_or(0)).then_some(reply)
}
