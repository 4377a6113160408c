//! Finds the programs `initdb` and `postgres`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::config::Config;
use super::error::StartError;

/// The oldest major version that the migrations run on.
const OLDEST_MAJOR: u32 = 14;

/// The server's programs, of one version.
#[derive(Debug)]
pub(super) struct Programs {
    pub(super) initdb: PathBuf,
    pub(super) postgres: PathBuf,
}

impl Programs {
    /// Finds the programs: in the operator's folder, when it is configured; otherwise in the first place that has the
    /// version of the cluster (`wanted`), or any version that is new enough.
    pub(super) fn find(config: &Config, wanted: Option<u32>, cluster: &Path) -> Result<Self, StartError> {
        let places = match &config.programs {
            Some(folder) => vec![folder.clone()],
            None => usual_places(config.path.as_deref()),
        };
        let mut seen = Vec::new();
        for place in &places {
            let (initdb, postgres) = (place.join("initdb"), place.join("postgres"));
            if !initdb.is_file() || !postgres.is_file() {
                continue;
            }
            let Some(major) = major_of(&postgres) else {
                seen.push(format!("{} does not run", postgres.display()));
                continue;
            };
            if wanted.map_or(major >= OLDEST_MAJOR, |wanted| wanted == major) {
                return Ok(Self { initdb, postgres });
            }
            seen.push(format!("{} is version {major}", postgres.display()));
        }
        let looked = match (&config.programs, seen.is_empty()) {
            (Some(folder), true) => format!("no `initdb` and `postgres` in {}", folder.display()),
            (None, true) => {
                "no `initdb` and `postgres` in PATH, /usr/lib/postgresql, Homebrew or Postgres.app".to_owned()
            }
            (_, false) => seen.join(", "),
        };
        Err(match wanted {
            Some(major) => StartError::OtherVersion { cluster: cluster.display().to_string(), major, looked },
            None => StartError::NotInstalled { looked, install: install_line() },
        })
    }
}

/// The places to search, in order: `PATH`, then where packages install what they keep out of `PATH`, newest version
/// first.
fn usual_places(path: Option<&OsStr>) -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> = path.map(|p| std::env::split_paths(p).collect()).unwrap_or_default();
    // Debian and Ubuntu; the packages of the Postgres project on Red Hat's systems.
    places.extend(versions_below("/usr/lib/postgresql", "", "bin"));
    places.extend(versions_below("/usr", "pgsql-", "bin"));
    for brew in ["/opt/homebrew/opt", "/usr/local/opt", "/home/linuxbrew/.linuxbrew/opt"] {
        places.extend(versions_below(brew, "postgresql@", "bin"));
        places.push(Path::new(brew).join("postgresql/bin"));
    }
    places.extend(versions_below("/Applications/Postgres.app/Contents/Versions", "", "bin"));
    places
}

/// The folders `parent/<prefix><version>/<tail>`, newest version first.
fn versions_below(parent: &str, prefix: &str, tail: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(parent) else { return Vec::new() };
    let mut found: Vec<(u32, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some((name.strip_prefix(prefix)?.parse().ok()?, entry.path().join(tail)))
        })
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found.into_iter().map(|(_, path)| path).collect()
}

/// The major version that a `postgres` program reports.
fn major_of(postgres: &Path) -> Option<u32> {
    let said = Command::new(postgres).arg("--version").env_clear().output().ok()?;
    parse_major(&String::from_utf8_lossy(&said.stdout))
}

fn parse_major(said: &str) -> Option<u32> {
    let version = said.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The command that installs Postgres on this system.
fn install_line() -> &'static str {
    if cfg!(target_os = "macos") {
        return "brew install postgresql@17";
    }
    let systems = [
        ("/etc/debian_version", "sudo apt-get install -y postgresql"),
        ("/etc/fedora-release", "sudo dnf install -y postgresql-server"),
        ("/etc/redhat-release", "sudo dnf install -y postgresql-server"),
        ("/etc/alpine-release", "apk add postgresql"),
        ("/etc/arch-release", "sudo pacman -S postgresql"),
    ];
    systems
        .into_iter()
        .find(|(mark, _)| Path::new(mark).exists())
        .map_or("the system's package manager (package postgresql)", |(_, line)| line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Durability;

    fn config(programs: PathBuf) -> Config {
        Config {
            data_dir: PathBuf::from("unused"),
            programs: Some(programs),
            path: None,
            max_connections: 10,
            durability: Durability::Full,
        }
    }

    #[test]
    fn a_version_is_read_from_what_the_program_says() {
        assert_eq!(parse_major("postgres (PostgreSQL) 15.13 (Debian 15.13-0+deb12u1)\n"), Some(15));
        assert_eq!(parse_major("postgres (PostgreSQL) 18beta1\n"), Some(18));
        assert_eq!(parse_major("not found"), None);
    }

    #[test]
    fn missing_programs_are_one_sentence_with_the_install_line() {
        let empty = tempfile::tempdir().expect("a temporary folder");
        let found = Programs::find(&config(empty.path().to_owned()), None, Path::new("c"));
        let text = found.expect_err("nothing is there").to_string();
        assert!(text.contains("is not installed"), "{text}");
        assert!(text.contains(install_line()), "{text}");
        assert!(text.contains("DATABASE_URL"), "{text}");
        assert!(!text.contains('\n'), "{text}");
    }

    #[test]
    fn a_cluster_of_another_version_is_named_with_what_was_found() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["initdb", "postgres"] {
            let file = folder.path().join(name);
            std::fs::write(&file, "#!/bin/sh\necho 'postgres (PostgreSQL) 16.1'\n").expect("a script");
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("a mode");
        }
        let config = config(folder.path().to_owned());
        assert!(Programs::find(&config, None, Path::new("c")).is_ok());
        assert!(Programs::find(&config, Some(16), Path::new("c")).is_ok());
        let text = Programs::find(&config, Some(15), Path::new("/d/cluster")).expect_err("16 is not 15");
        let text = text.to_string();
        assert!(text.contains("made by Postgres 15") && text.contains("is version 16"), "{text}");
    }

    #[test]
    fn newer_versions_come_first() {
        let root = tempfile::tempdir().expect("a temporary folder");
        for version in ["9", "17", "15", "x"] {
            std::fs::create_dir(root.path().join(version)).expect("a folder");
        }
        let parent = root.path().to_str().expect("a plain name");
        let found = versions_below(parent, "", "bin");
        let order: Vec<_> = found.iter().filter_map(|p| p.parent()?.file_name()?.to_str()).collect();
        assert_eq!(order, ["17", "15", "9"]);
    }
}
