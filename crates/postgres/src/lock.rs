//! The lock of a data folder: at most one service uses it.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;

use super::error::StartError;

/// A locked data folder; released when this is dropped, or when the process ends for any reason.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Lock {
    /// Locks a data folder.
    pub(super) fn take(data_dir: &Path) -> Result<Self, StartError> {
        let path = data_dir.join("anchord.lock");
        let failed = |e| StartError::folder("lock", &path, e);
        let mut options = File::options();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                file.read_to_string(&mut holder).map_err(failed)?;
                let folder = data_dir.display().to_string();
                return Err(StartError::InUse { folder, holder: holder.trim().to_owned() });
            }
            Err(TryLockError::Error(e)) => return Err(failed(e)),
        }
        let mut lock = Self(file);
        lock.sign().map_err(failed)?;
        Ok(lock)
    }

    /// Writes the process id into the lock file.
    fn sign(&mut self) -> std::io::Result<()> {
        self.0.set_len(0)?;
        self.0.rewind()?;
        writeln!(self.0, "{}", std::process::id())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file is not enough: a child process that another thread is starting has it open too, until its
        // program runs. If this fails, closing has to do.
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_service() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let held = Lock::take(root.path()).expect("the first lock");
        let Err(refused) = Lock::take(root.path()) else { panic!("the second lock was given") };
        assert!(refused.to_string().contains(&format!("(process {})", std::process::id())), "{refused}");
        // As in a process that another thread is starting.
        let shared = held.0.try_clone().expect("a second descriptor of the same open file");
        drop(held);
        let again = Lock::take(root.path()).expect("the first is gone");
        drop((again, shared));
    }
}
