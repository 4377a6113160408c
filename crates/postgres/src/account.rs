//! The user that the server runs as, when the service was started as root (which Postgres refuses).

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
    /// Chooses whom to run the server as; `None` when this process is not root and runs it itself.
    ///
    /// The owner of files that exist comes first, so that a later start never meets files that it
    /// may not open; then `postgres`, which the system's package makes; then `nobody`.
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

    /// Tells whether the user can enter a folder, by trying: mode bits alone do not know ACLs.
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

/// Where the server's programs look for others; they need none but those of the system.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Begins a command that runs as the server's user, away from our terminal, folder and environment, which holds
/// secrets that are none of the server's business.
pub(super) fn command(program: &Path, account: Option<Account>) -> Command {
    let mut command = Command::new(program);
    // `/`, because the server's user may not be able to enter the folder that we were started in.
    command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null());
    command.env_clear().env("PATH", PATH).env("LC_ALL", "C");
    // A group of its own, so that Ctrl-C in the terminal reaches the service alone, which then
    // drains and stops the server last.
    command.process_group(0);
    if let Some(account) = account {
        command.uid(account.uid).gid(account.gid);
    }
    command
}
