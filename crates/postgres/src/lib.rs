//! Runs the embedded Postgres server.
//!
//! What lives here: finding the server's programs, making the cluster once, running the server as an unprivileged
//! user, starting it again when it has ended, stopping it.
//! Invariant: a data folder has at most one service and one server; a server does not outlive its service; an
//! acknowledged write is durable (only tests may configure otherwise).
//! Must not know: tables, tenants, messages. In the cluster it makes only the service's roles and database.
//!
//! The server listens on a Unix socket in a folder of mode 0700, and on no port. A process that can open this socket
//! can read the data files too, so a password would protect nothing; and no port can collide or be found open. Other
//! tools connect with `psql -h FOLDER`, as the owner of the files or as root.

mod account;
mod cluster;
mod config;
mod error;
mod folder;
mod lock;
mod programs;
mod server;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use account::Account;
use cluster::Cluster;
use config::PORT;
pub use config::{Config, DATABASE, Durability, OWNER, SUPERUSER, WORKING_ROLE};
pub use error::StartError;
use folder::{give, set_mode};
use lock::Lock;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use programs::Programs;
use server::{Launch, Server};

/// How long a server that could not be started again is left alone.
const BETWEEN_STARTS: Duration = Duration::from_secs(2);
/// What stands for itself in a folder's name within an address.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// A running embedded server; dropping it stops the server.
#[derive(Debug)]
pub struct Embedded {
    // Fields drop in this order: the folder must stay locked until the server is gone.
    server: Mutex<Server>,
    launch: Arc<Launch>,
    sockets: Sockets,
    lock: Arc<Lock>,
}

/// The folder of the server's socket.
#[derive(Debug)]
struct Sockets {
    folder: PathBuf,
    temporary: bool,
}

impl Drop for Sockets {
    fn drop(&mut self) {
        if self.temporary {
            // This fails when a server that was handed over still uses the folder, which then stays.
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

impl Embedded {
    /// Starts the server of a data folder, making the cluster on the first start.
    ///
    /// # Errors
    /// When the programs are missing, the folder is in use or not writable, or the server fails.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        match tokio::task::spawn_blocking(move || Self::start_blocking(&config)).await {
            Ok(started) => started,
            Err(panicked) => Err(StartError::Run {
                program: "the launcher".to_owned(),
                source: std::io::Error::other(panicked),
            }),
        }
    }

    /// Starts the server like [`Embedded::start`], for callers without a runtime.
    ///
    /// # Errors
    /// As [`Embedded::start`].
    pub fn start_blocking(config: &Config) -> Result<Self, StartError> {
        let data_dir = make_data_dir(&config.data_dir)?;
        let lock = Lock::take(&data_dir)?;
        let home = data_dir.join("postgres");
        let account = Account::choose(&home)?;
        let home = settle_home(&home, account)?;
        let cluster = Cluster::at(home.join("cluster"));
        let programs = Programs::find(config, cluster.major()?, cluster.folder())?;
        cluster.stop_left_behind()?;
        if !cluster.exists() {
            cluster.make(&programs, account, config.durability)?;
        }
        let sockets = Sockets::make(&home, account)?;
        let launch = Launch {
            program: programs.postgres,
            account,
            cluster,
            sockets: sockets.folder.clone(),
            log: home.join("server.log"),
            max_connections: config.max_connections,
            durability: config.durability,
        };
        launch.put_log_aside()?;
        let server = Mutex::new(Server::start(&launch)?);
        Ok(Self { server, launch: Arc::new(launch), sockets, lock: Arc::new(lock) })
    }

    /// The address of the service's database, as its owner.
    pub fn url(&self) -> String {
        self.url_of(OWNER, DATABASE)
    }

    /// The address of any database, as any role: the private socket trusts every process that can open it.
    pub fn url_of(&self, role: &str, database: &str) -> String {
        // State the port and the TLS mode, because the client would take them from PGPORT and PGSSLMODE.
        let sockets = percent_encode(self.sockets.folder.as_os_str().as_encoded_bytes(), PLAIN);
        format!("postgres://{role}@localhost:{PORT}/{database}?host={sockets}&sslmode=disable")
    }

    /// The server's process id.
    pub fn pid(&self) -> u32 {
        self.of_server(server::Server::pid)
    }

    /// Waits until the server has ended.
    pub async fn ended(&self) {
        self.of_server(server::Server::ended).await;
    }

    /// Starts the server again whenever it has ended, for as long as this is awaited: one that met a full disk works
    /// again once there is room. Its log says why it ended, and that of the service why it does not start.
    pub async fn keep_running(&self) {
        loop {
            self.ended().await;
            tracing::error!("database.ended: the embedded Postgres has ended; its log is server.log.old");
            if let Err(error) = self.launch.put_log_aside() {
                tracing::error!(%error, "database.log_not_kept");
            }
            loop {
                let (launch, lock) = (self.launch.clone(), self.lock.clone());
                let starting = tokio::task::spawn_blocking(move || {
                    // The folder stays locked also when nobody waits for the start any more.
                    let started = Server::start(&launch);
                    drop(lock);
                    started
                });
                match starting.await {
                    Ok(Ok(server)) => {
                        *self.server.lock().unwrap_or_else(PoisonError::into_inner) = server;
                        tracing::info!("database.started_again");
                        break;
                    }
                    Ok(Err(error)) => tracing::error!(%error, "database.not_started_again"),
                    Err(error) => tracing::error!(%error, "database.not_started_again"),
                }
                tokio::time::sleep(BETWEEN_STARTS).await;
            }
        }
    }

    fn of_server<T>(&self, read: impl FnOnce(&Server) -> T) -> T {
        read(&self.server.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Stops the server: disconnects clients, writes everything, and waits until the process is gone.
    pub async fn stop(self) {
        // A failed join means that the runtime is going down; the drop has run either way.
        let _ = tokio::task::spawn_blocking(move || drop(self)).await;
    }

    /// Leaves the server running without this process; returns its process id, so that the caller can end it.
    pub fn leave_running(mut self) -> u32 {
        let server = self.server.get_mut().unwrap_or_else(PoisonError::into_inner);
        server.hand_over();
        server.pid()
    }
}

/// Makes the data folder and returns its absolute path.
fn make_data_dir(folder: &Path) -> Result<PathBuf, StartError> {
    if !folder.exists() {
        fs::create_dir_all(folder).map_err(|e| StartError::folder("make the folder", folder, e))?;
        // Others may pass through (which the server's user must, when started as root), but list nothing.
        set_mode(folder, 0o711)?;
    }
    folder.canonicalize().map_err(|e| StartError::folder("open the folder", folder, e))
}

/// Makes the folder of the server's files, where the server's user can reach it.
///
/// When the service is started as root below a folder that is closed to others (`/root`), the server's user could not
/// open its own files. They then lie in `/var/lib/anchord`, with a link in the data folder. Granting that user a
/// capability, or opening the closed folder, would weaken the machine.
fn settle_home(home: &Path, account: Option<Account>) -> Result<PathBuf, StartError> {
    // A link whose target is gone has metadata of its own only.
    if home.symlink_metadata().is_err() {
        fs::create_dir(home).map_err(|e| StartError::folder("make the folder", home, e))?;
        set_mode(home, 0o711)?;
        if let Some(account) = account
            && !account.reaches(home)?
        {
            fs::remove_dir(home).map_err(|e| StartError::folder("remove the folder", home, e))?;
            relocate(home)?;
        }
    }
    home.canonicalize().map_err(|e| StartError::folder("open the folder", home, e))
}

fn relocate(home: &Path) -> Result<(), StartError> {
    let parent = Path::new("/var/lib/anchord");
    fs::create_dir_all(parent).map_err(|e| StartError::folder("make the folder", parent, e))?;
    set_mode(parent, 0o711)?;
    let target = make_new(parent, "")?;
    set_mode(&target, 0o711)?;
    std::os::unix::fs::symlink(&target, home).map_err(|e| StartError::folder("link", home, e))
}

/// Makes a folder by the first name that is free: nobody can have prepared it, and it takes over no files of an earlier one.
fn make_new(parent: &Path, prefix: &str) -> Result<PathBuf, StartError> {
    let id = std::process::id();
    for n in 0..u32::MAX {
        let folder = parent.join(format!("{prefix}{id}-{n}"));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(StartError::folder("make the folder", &folder, e)),
        }
    }
    Err(StartError::folder("make a folder in", parent, std::io::ErrorKind::AlreadyExists.into()))
}

impl Sockets {
    /// Makes the folder inside the server's folder or, where that path is too long for a socket address, a fresh
    /// temporary one.
    fn make(home: &Path, account: Option<Account>) -> Result<Self, StartError> {
        let near = home.join("sockets");
        // The shortest limit of our systems (macOS) is 104 bytes with the closing zero.
        let temporary = near.as_os_str().len() + "/.s.PGSQL.5432".len() >= 104;
        let folder = if temporary {
            make_new(Path::new("/tmp"), "anchord-")?
        } else {
            fs::create_dir_all(&near).map_err(|e| StartError::folder("make the folder", &near, e))?;
            near
        };
        let sockets = Self { folder, temporary };
        set_mode(&sockets.folder, 0o700)?;
        give(&sockets.folder, account)?;
        Ok(sockets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_data_folder_gets_a_short_socket_folder() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let deep = root.path().join("d".repeat(120));
        fs::create_dir(&deep).expect("a deep folder");
        let sockets = Sockets::make(&deep, None).expect("a socket folder");
        let folder = sockets.folder.clone();
        assert!(folder.as_os_str().len() < 60, "{}", folder.display());
        drop(sockets);
        assert!(!folder.exists(), "the temporary folder stayed");
    }

    #[test]
    fn an_address_has_any_folders_name_as_one_value() {
        let escaped = percent_encode("/var/a-b_c.d~/x y&c#%é".as_bytes(), PLAIN).to_string();
        assert_eq!(escaped, "/var/a-b_c.d~/x%20y%26c%23%25%C3%A9");
    }
}
