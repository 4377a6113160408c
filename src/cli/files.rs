//! The files that `anchord export` and `anchord exam` write.
//!
//! A file is written in a temporary place and moved last, so that nobody reads half of it. Its name is derived from
//! the session's and cannot leave the folder. Only a file of an earlier run is replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use sha2::{Digest as _, Sha256};

use super::prelude::*;
use super::summary::Style;

/// The beginning of an exported text, by which a file of an earlier export is recognised.
const MARK: &str = "<!-- anchord export:";
/// The schema name in an exported state file, by which it is recognised.
const SCHEMA: &str = "context://session/v1";
/// How many bytes at the start of a file are searched for that.
const SEARCHED_BYTES: u64 = 4_096;
/// The longest file name without its extension, in bytes; most file systems allow 255.
const MAX_NAME_BYTES: usize = 150;

/// The folder of the files, and what may be replaced in it.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) folder: PathBuf,
    pub(super) style: Style,
    /// Whether to replace files that no export has written.
    pub(super) force: bool,
}

impl Files {
    /// Writes the file of one session; returns its path. The folder is created when it does not exist.
    pub(super) fn write(&self, session: &SessionName, text: &str) -> Result<PathBuf> {
        let text = match self.style {
            Style::State => text.to_owned(),
            Style::Anchored | Style::Strict | Style::Protocol | Style::Scratch | Style::Opaque => {
                format!("{MARK} session {session} -->\n{text}")
            }
        };
        let folder = self.folder.display();
        fs::create_dir_all(&self.folder).with_context(|| format!("cannot create the folder {folder}"))?;
        let path = self.folder.join(file_name(session.as_str(), self.style));
        self.place(&path, session.as_str(), &text)?;
        Ok(path)
    }

    fn place(&self, path: &Path, session: &str, text: &str) -> Result<()> {
        if !self.force && path.symlink_metadata().is_ok() && !is_ours(path, session) {
            bail!("{} was not written by an export of this session; --force replaces it", path.display());
        }
        place(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

/// Writes a whole file in a temporary place beside it, and moves it last.
pub(super) fn place(path: &Path, text: &str) -> std::io::Result<()> {
    let temporary = path.with_extension(format!("{}.part", std::process::id()));
    let written = write_whole(&temporary, text).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // Any file in the temporary place is an incomplete one of ours.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// The beginning of a file; `None` of a link, and of what cannot be read.
pub(super) fn head(path: &Path) -> Option<String> {
    let mut head = Vec::new();
    let is_file = path.symlink_metadata().is_ok_and(|meta| meta.is_file());
    let read = File::open(path).and_then(|file| file.take(SEARCHED_BYTES).read_to_end(&mut head));
    (is_file && read.is_ok()).then(|| String::from_utf8_lossy(&head).into_owned())
}

/// Whether an earlier export of the same session wrote the file.
fn is_ours(path: &Path, session: &str) -> bool {
    let Some(head) = head(path) else { return false };
    head.starts_with(&format!("{MARK} session {session} -->\n"))
        || (head.trim_start().starts_with('{') && head.contains(SCHEMA) && head.contains("\"compress\""))
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
    format!("{safe}.{}.{ending}", word(&style))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(folder: &Path, force: bool) -> Files {
        Files { folder: folder.to_owned(), style: Style::Protocol, force }
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
        let (forced, files) = (files(folder.path(), true), files(folder.path(), false));
        let path = folder.path().join("s.protocol.md");
        files.place(&path, "s", &format!("{MARK} session s -->\none")).unwrap();
        files.place(&path, "s", &format!("{MARK} session s -->\ntwo")).unwrap();
        assert!(fs::read_to_string(&path).unwrap().ends_with("two"));
        assert!(files.place(&path, "t", "other").is_err(), "another session's");
        fs::write(&path, "my own notes").unwrap();
        assert!(files.place(&path, "s", "new").is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "my own notes");
        forced.place(&path, "s", "new").unwrap();
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
        assert!(files(folder.path(), false).place(&path, "s", "x").is_err());
        files(folder.path(), true).place(&path, "s", "x").unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
    }
}
