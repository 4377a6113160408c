//! A client that costs next to nothing: requests are bytes made beforehand, and of a reply it reads
//! the status and as many bytes as were announced.

use std::io::Write as _;
use std::net::SocketAddr;

use anyhow::{Context as _, bail, ensure};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The key of the service that the bench starts.
pub const KEY: &str = "key-of-the-load-bench-0123456789abcdef";

/// A connection that is kept open.
#[derive(Debug)]
pub struct Connection {
    pub stream: TcpStream,
    buffer: Vec<u8>,
}

/// A reply; its body borrows the connection's buffer.
#[derive(Clone, Copy, Debug)]
pub struct Reply<'a> {
    pub status: u16,
    pub body: &'a [u8],
}

impl Connection {
    pub async fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await.context("the service takes no connection")?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(64 * 1024) })
    }

    /// Sends a request and reads its reply.
    pub async fn call(&mut self, request: &[u8]) -> anyhow::Result<Reply<'_>> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let (status, start, length) = loop {
            ensure!(self.stream.read_buf(&mut self.buffer).await? > 0, "the service hung up");
            if let Some(head) = head(&self.buffer)? {
                break head;
            }
        };
        while self.buffer.len() < start + length {
            ensure!(self.stream.read_buf(&mut self.buffer).await? > 0, "the service hung up");
        }
        ensure!(self.buffer.len() == start + length, "more than one reply");
        Ok(Reply { status, body: self.buffer.get(start..).unwrap_or_default() })
    }

    /// Sends a request that must succeed.
    pub async fn done(&mut self, request: &[u8]) -> anyhow::Result<Reply<'_>> {
        let reply = self.call(request).await?;
        ensure!(matches!(reply.status, 200..300), "{}", reply.refusal());
        Ok(reply)
    }

    /// Sends a request that must succeed, and returns its body as JSON.
    pub async fn json(&mut self, request: &[u8]) -> anyhow::Result<serde_json::Value> {
        Ok(serde_json::from_slice(self.done(request).await?.body)?)
    }
}

impl Reply<'_> {
    fn refusal(&self) -> String {
        format!("the service answered {}: {}", self.status, String::from_utf8_lossy(self.body))
    }
}

/// The status, where the body begins, and its length; `None` while the head is not complete.
fn head(bytes: &[u8]) -> anyhow::Result<Option<(u16, usize, usize)>> {
    let Some(end) = memchr::memmem::find(bytes, b"\r\n\r\n") else { return Ok(None) };
    let text = std::str::from_utf8(bytes.get(..end).unwrap_or_default())?;
    let status = text.get(9..12).and_then(|digits| digits.parse().ok()).context("no HTTP reply")?;
    let length = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    match length {
        Some(length) => Ok(Some((status, end + 4, length))),
        None => bail!("a reply without Content-Length: {text}"),
    }
}

/// Writes a request; a body makes it one with JSON.
pub fn write_request(into: &mut Vec<u8>, method: &str, path: std::fmt::Arguments<'_>, body: &str) {
    // Writing to a Vec cannot fail.
    let _ = write!(into, "{method} {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {KEY}\r\n");
    if method != "GET" {
        let _ = write!(into, "Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    }
    let _ = write!(into, "\r\n{body}");
}

/// A request as bytes.
pub fn request(method: &str, path: std::fmt::Arguments<'_>, body: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(body.len() + 256);
    write_request(&mut bytes, method, path, body);
    bytes
}
