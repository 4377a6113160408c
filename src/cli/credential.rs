//! The key or token of a command, and where it came from.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context as _, Result};
use reqwest::Url;
use secrecy::SecretString;

use super::failure::Usage;
use crate::config::{OperatorAccess, TenantAccess};

/// The files in the data folder of a service with an embedded database.
const KEY_FILE: &str = "api-key";
const TOKEN_FILE: &str = "operator-token";

/// Use of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A tenant's sessions.
    Tenant,
    /// The operator's API.
    Operator,
}

impl Purpose {
    /// The secret's name in messages.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Tenant => "API key",
            Self::Operator => "operator token",
        }
    }

    /// How to name another secret.
    pub(super) fn remedy(self) -> &'static str {
        match self {
            Self::Tenant => "set ANCHORD_API_KEY, or name a file with --key-file",
            Self::Operator => "set ANCHORD_OPERATOR_TOKEN, or name a file with --operator-token-file",
        }
    }
}

/// A secret with its purpose and its source.
#[derive(Debug)]
pub(super) struct Credential {
    pub(super) secret: SecretString,
    pub(super) purpose: Purpose,
    /// Where it came from, for messages: a flag, a variable or a file.
    pub(super) source: String,
}

impl Credential {
    /// The API key that the command's options name, or that of a service on this machine.
    pub(super) fn of_tenant(access: &TenantAccess, url: &Url) -> Result<Self> {
        let default = access.endpoint.data_dir.join(KEY_FILE);
        find(Purpose::Tenant, url, (access.key_file.as_deref(), access.key(), &default))
    }

    /// The operator token that the command's options name, or that of a service on this machine.
    pub(super) fn of_operator(access: &OperatorAccess, url: &Url) -> Result<Self> {
        let default = access.endpoint.data_dir.join(TOKEN_FILE);
        find(Purpose::Operator, url, (access.operator_token_file.as_deref(), access.token(), &default))
    }
}

/// Whether an address is this machine's own.
pub(super) fn is_local(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    address.map_or_else(|_| host.eq_ignore_ascii_case("localhost"), |address| address.is_loopback())
}

/// The secret of the named file, else the given one, else that of the file in the data folder.
fn find(
    purpose: Purpose,
    url: &Url,
    (file, given, default): (Option<&Path>, Option<(&SecretString, &str)>, &Path),
) -> Result<Credential> {
    let made = |secret, source: String| Credential { secret, purpose, source };
    if let Some(file) = file {
        let secret = read(file).map_err(|error| Usage(super::failure::format_error(&error)))?;
        let secret = secret.ok_or_else(|| Usage(format!("the file {} does not exist", file.display())))?;
        return Ok(made(secret, format!("in {}", file.display())));
    }
    if let Some((secret, origin)) = given {
        return Ok(made(secret.clone(), format!("from {origin}")));
    }
    let (noun, remedy, shown) = (purpose.noun(), purpose.remedy(), default.display());
    // The secret of a service on this machine belongs to no other machine.
    if !is_local(url) {
        let why =
            format!("no {noun} for {url}: {remedy} ({shown} is sent to services on this machine alone)");
        return Err(Usage(why).into());
    }
    if let Some(secret) = read(default)? {
        return Ok(made(secret, format!("in {shown}")));
    }
    let why = format!(
        "no {noun}: {remedy}, or run the command where `anchord serve` keeps its data (there is no {shown})"
    );
    Err(Usage(why).into())
}

/// Reads a secret; `None` when there is no such file.
fn read(file: &Path) -> Result<Option<SecretString>> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
    };
    let secret = text.trim();
    if secret.is_empty() {
        return Err(Usage(format!("the file {} is empty", file.display())).into());
    }
    Ok(Some(SecretString::from(secret)))
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    fn url(text: &str) -> Url {
        text.parse().expect("an address")
    }

    #[test]
    fn this_machine_is_told_from_others() {
        for (address, expected) in [
            ("http://127.0.0.1:8080", true),
            ("http://127.1.2.3", true),
            ("http://[::1]:8080", true),
            ("http://localhost:8080", true),
            ("http://LOCALHOST", true),
            ("http://10.0.0.1", false),
            ("http://127.0.0.1.example.com", false),
            ("http://localhost.example.com", false),
            ("http://[::2]", false),
        ] {
            assert_eq!(is_local(&url(address)), expected, "{address}");
        }
    }

    #[test]
    fn a_named_file_comes_first_then_the_variable_then_the_data_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let (named, default) = (folder.path().join("named"), folder.path().join(KEY_FILE));
        std::fs::write(&named, "from-a-file\n").expect("a file");
        std::fs::write(&default, "of-the-folder\n").expect("a file");
        let variable = SecretString::from("from-the-variable");
        let local = url("http://127.0.0.1:8080");
        let found = |file: Option<&Path>, given: Option<&SecretString>| {
            let given = given.map(|secret| (secret, "ANCHORD_API_KEY"));
            let found = find(Purpose::Tenant, &local, (file, given, &default)).expect("a key");
            found.secret.expose_secret().to_owned()
        };
        assert_eq!(found(Some(&named), Some(&variable)), "from-a-file");
        assert_eq!(found(None, Some(&variable)), "from-the-variable");
        assert_eq!(found(None, None), "of-the-folder");
    }

    #[test]
    fn the_key_of_this_machine_is_sent_to_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let default = folder.path().join(KEY_FILE);
        std::fs::write(&default, "of-the-folder\n").expect("a file");
        let refused = find(Purpose::Tenant, &url("https://anchord.example.com"), (None, None, &default));
        let why = refused.expect_err("no key").to_string();
        assert!(why.contains("ANCHORD_API_KEY") && !why.contains("of-the-folder"), "{why}");
    }

    #[test]
    fn without_a_secret_the_command_says_where_it_looked() {
        let folder = tempfile::tempdir().expect("a folder");
        let (local, nowhere) = (url("http://localhost"), folder.path().join("none/operator-token"));
        let why = find(Purpose::Operator, &local, (None, None, &nowhere)).expect_err("no token").to_string();
        assert!(why.contains("ANCHORD_OPERATOR_TOKEN") && why.contains("none/operator-token"), "{why}");
        std::fs::write(folder.path().join("empty"), "\n").expect("a file");
        let empty = find(Purpose::Operator, &local, (Some(&folder.path().join("empty")), None, &nowhere));
        assert!(empty.expect_err("no token").to_string().contains("is empty"));
    }
}
