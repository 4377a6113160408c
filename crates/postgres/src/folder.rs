//! Sets the mode and the owner of files and folders.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::account::Account;
use super::error::StartError;

/// Sets the mode of a file or folder.
pub(super) fn set_mode(path: &Path, mode: u32) -> Result<(), StartError> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
        .map_err(|e| StartError::folder("set the mode of", path, e))
}

/// Gives a file or folder to the server's user, when this is another one than ours.
pub(super) fn give(path: &Path, account: Option<Account>) -> Result<(), StartError> {
    let Some(account) = account else { return Ok(()) };
    std::os::unix::fs::chown(path, Some(account.uid), Some(account.gid))
        .map_err(|e| StartError::folder("change the owner of", path, e))
}
