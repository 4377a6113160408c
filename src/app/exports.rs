//! Exports renderings of a running service's sessions to files.
//!
//! A file is written in a temporary place and moved last, so that nobody reads half of it. Its name is derived from
//! the session's and cannot leave the folder. Only a file of an earlier export is replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use anchord_messages::id::SessionName;
use anchord_record::render::Style;

/// How long the service may take to answer.
const TIMEOUT: Duration = Duration::from_mins(1);
/// The beginning of an exported text, by which a file of an earlier export is recognised.
const MARK: &str = "<!-- anchord export:";
/// The schema name in an exported state file, by which it is recognised.
const SCHEMA: &str = "context://session/v1";
/// How many bytes at the start of a file are searched for that.
const SEARCHED_BYTES: u64 = 4_096;
/// The longest file name without its extension, in bytes; most file systems allow 255.
const MAX_NAME_BYTES: usize = 150;

/// Fetches renderings and writes them.
#[derive(Debug)]
pub struct Exporter {
    http: reqwest::Client,
    url: reqwest::Url,
    key: SecretString,
    style: Style,
    out: PathBuf,
    force: bool,
}

impl Exporter {
    /// Creates the folder and the HTTP client.
    ///
    /// # Errors
    /// When the address is invalid, or the folder cannot be created.
    pub fn new(url: &str, key: SecretString, style: Style, out: PathBuf) -> anyhow::Result<Self> {
        // Fails when a TLS crypto provider is installed already; that is the same one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let url = reqwest::Url::parse(url).with_context(|| format!("{url} is no address"))?;
        if url.cannot_be_a_base() || !matches!(url.scheme(), "http" | "https") {
            bail!("{url}: must begin with http:// or https://");
        }
        // A redirect could send the key elsewhere.
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(TIMEOUT)
            .build()
            .context("the HTTP client")?;
        fs::create_dir_all(&out).with_context(|| format!("the folder {} cannot be made", out.display()))?;
        Ok(Self { http, url, key, style, out, force: false })
    }

    /// Whether to replace files that no export has written.
    #[must_use]
    pub fn forced(self, force: bool) -> Self {
        Self { force, ..self }
    }

    /// Writes the file of one session; returns its path.
    ///
    /// # Errors
    /// When the service rejects the request, or the file cannot be written.
    pub async fn export(&self, session: &str) -> anyhow::Result<PathBuf> {
        let name = SessionName::parse(session).with_context(|| format!("{session}: no name of a session"))?;
        let text = self.fetch(name.as_str()).await.with_context(|| format!("session {name}"))?;
        let text = match self.style {
            Style::State => text,
            Style::Anchored | Style::Strict | Style::Protocol | Style::Scratch | Style::Opaque => {
                format!("{MARK} session {name} -->\n{text}")
            }
        };
        let path = self.out.join(file_name(name.as_str(), self.style));
        self.write(&path, name.as_str(), &text)?;
        Ok(path)
    }

    async fn fetch(&self, session: &str) -> anyhow::Result<String> {
        let mut url = self.url.clone();
        let Ok(mut segments) = url.path_segments_mut() else { bail!("{} is no base address", self.url) };
        segments.pop_if_empty().extend(["v1", "sessions", session, "summary"]);
        drop(segments);
        url.set_query(Some(&format!("style={}", style_word(self.style))));
        let reply = self.http.get(url).bearer_auth(self.key.expose_secret()).send().await?;
        let status = reply.status();
        let text = reply.text().await?;
        if status.is_success() {
            return Ok(text);
        }
        let problem: Value = serde_json::from_str(&text).unwrap_or_default();
        let why = problem.get("detail").and_then(Value::as_str).unwrap_or("the reply is no problem document");
        bail!("the service answers {status}: {why}");
    }

    fn write(&self, path: &Path, session: &str, text: &str) -> anyhow::Result<()> {
        if !self.force && path.symlink_metadata().is_ok() && !is_ours(path, session) {
            bail!("{} is not of an export of this session; --force replaces it", path.display());
        }
        let temporary = path.with_extension(format!("{}.part", std::process::id()));
        let written = write_whole(&temporary, text).and_then(|()| fs::rename(&temporary, path));
        if written.is_err() {
            // Any file in the temporary place is an incomplete one of ours.
            let _ = fs::remove_file(&temporary);
        }
        written.with_context(|| format!("{} cannot be written", path.display()))
    }
}

fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Whether an earlier export of the same session wrote the file.
fn is_ours(path: &Path, session: &str) -> bool {
    let mut head = Vec::new();
    let is_file = path.symlink_metadata().is_ok_and(|meta| meta.is_file());
    let read = File::open(path).and_then(|file| file.take(SEARCHED_BYTES).read_to_end(&mut head));
    if !is_file || read.is_err() {
        return false;
    }
    let head = String::from_utf8_lossy(&head);
    head.starts_with(&format!("{MARK} session {session} -->\n"))
        || (head.trim_start().starts_with('{') && head.contains(SCHEMA) && head.contains("\"compress\""))
}

/// The name of a style in a query.
fn style_word(style: Style) -> &'static str {
    match style {
        Style::Anchored => "anchored",
        Style::Strict => "strict",
        Style::Protocol => "protocol",
        Style::Scratch => "scratch",
        Style::State => "state",
        Style::Opaque => "opaque",
    }
}

/// The session's name, with the style and an extension. A name that had to be changed gets a digest at its end, so
/// that no two sessions share a file.
fn file_name(session: &str, style: Style) -> String {
    let mut safe = String::new();
    for c in session.chars() {
        let c = if c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '@' | '+' | '=') { c } else { '-' };
        if safe.len() + c.len_utf8() > MAX_NAME_BYTES {
            break;
        }
        // A name must neither be hidden nor lead up the tree.
        if !(c == '.' && (safe.is_empty() || safe.ends_with('.'))) {
            safe.push(c);
        }
    }
    if safe != session {
        let digest = Sha256::digest(session.as_bytes());
        safe.push('-');
        safe.extend(digest.iter().take(4).map(|byte| format!("{byte:02x}")));
    }
    let ending = match style {
        Style::Anchored | Style::Strict | Style::Protocol | Style::Scratch => "md",
        Style::State => "json",
        Style::Opaque => "txt",
    };
    format!("{safe}.{}.{ending}", style_word(style))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exporter(out: &Path) -> Exporter {
        Exporter::new("http://127.0.0.1:1", "k".to_owned().into(), Style::Protocol, out.to_owned()).unwrap()
    }

    #[test]
    fn a_name_never_leaves_the_folder_and_never_meets_another() {
        for hostile in ["..", "../../etc/passwd", "/etc/passwd", ".hidden", "a\0b", "a/b", "...x"] {
            let name = file_name(hostile, Style::Protocol);
            assert!(
                !name.contains(['/', '\\', '\0']) && !name.starts_with('.') && !name.contains(".."),
                "{name}"
            );
        }
        assert_eq!(file_name("auth-1", Style::Protocol), "auth-1.protocol.md");
        assert_eq!(file_name("auth-1", Style::State), "auth-1.state.json");
        assert_ne!(file_name("a:b", Style::Scratch), file_name("a-b", Style::Scratch));
        assert!(file_name(&"é".repeat(200), Style::Opaque).len() < 200);
    }

    #[test]
    fn only_a_file_of_the_same_export_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let exporter = exporter(folder.path());
        let path = folder.path().join("s.protocol.md");
        exporter.write(&path, "s", &format!("{MARK} session s -->\none")).unwrap();
        exporter.write(&path, "s", &format!("{MARK} session s -->\ntwo")).unwrap();
        assert!(fs::read_to_string(&path).unwrap().ends_with("two"));
        assert!(exporter.write(&path, "t", "other").is_err(), "another session's");
        fs::write(&path, "my own notes").unwrap();
        assert!(exporter.write(&path, "s", "new").is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "my own notes");
        exporter.forced(true).write(&path, "s", "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, target) = (folder.path().join("s.protocol.md"), folder.path().join("target"));
        fs::write(&target, "precious").unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        assert!(exporter(folder.path()).write(&path, "s", "x").is_err());
        exporter(folder.path()).forced(true).write(&path, "s", "x").unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
    }
}
