//! The user that the server runs as when the service was started as root, as which Postgres refuses to run.

use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::unistd::{Uid, User};

use super::error::StartError;

/// An unprivileged user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) uid: u32,
    pub(super) gid: u32,
}

impl Account {
    /// Chooses the user that runs the server; `None` when this process is not root and runs it itself.
    ///
    /// The owner of existing files comes first, so that a later start can always open them; then `postgres`, which
    /// the system's package makes; then `nobody`.
    pub(super) fn choose(home: &Path) -> Result<Option<Self>, StartError> {
        if !Uid::effective().is_root() {
            return Ok(None);
        }
        if let Ok(found) = home.join("cluster").metadata()
            && found.uid() != 0
        {
            return Ok(Some(Self { uid: found.uid(), gid: found.gid() }));
        }
        ["postgres", "nobody"]
            .into_iter()
            .find_map(|name| User::from_name(name).ok().flatten())
            .map(|user| Some(Self { uid: user.uid.as_raw(), gid: user.gid.as_raw() }))
            .ok_or(StartError::NoAccount)
    }

    /// Whether the user can enter a folder. This is tried, because mode bits alone do not show ACLs.
    pub(super) fn reaches(self, folder: &Path) -> Result<bool, StartError> {
        let tried = command(Path::new("/bin/sh"), Some(self))
            .args(["-c", "cd \"$1\"", "sh"])
            .arg(folder)
            .stderr(Stdio::null())
            .status();
        match tried {
            Ok(status) => Ok(status.success()),
            Err(source) => Err(StartError::Run { program: "/bin/sh".to_owned(), source }),
        }
    }
}

/// The `PATH` of the server's programs, which need only those of the system.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Begins a command that runs as the server's user, without this process's terminal, folder and environment. The
/// environment holds secrets that the server does not need.
pub(super) fn command(program: &Path, account: Option<Account>) -> Command {
    let mut command = Command::new(program);
    // `/`, because the server's user may be unable to enter the folder that this process was started in.
    command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null());
    command.env_clear().env("PATH", PATH).env("LC_ALL", "C");
    // A process group of its own, so that Ctrl-C in the terminal reaches only the service, which stops the server
    // last.
    command.process_group(0);
    if let Some(account) = account {
        command.uid(account.uid).gid(account.gid);
    }
    command
}
