//! The address of the database: one server, or several of which one accepts writes; and the role that the service works
//! as in it.
//!
//! The driver knows one host only. Several are written as libpq has it: `postgres://user@a:5432,b:5433/database`, or
//! with lists in the parameters `host` and `port`. With several hosts, or with `target_session_attrs=read-write` (or
//! `primary`), the service uses the one that accepts writes.

use std::fmt;
use std::str::FromStr as _;

use sqlx::postgres::PgConnectOptions;

/// The most hosts of an address: each is tried whenever the primary is looked for.
const MOST_HOSTS: usize = 16;

/// The servers of the database.
#[derive(Clone)]
pub struct Address {
    hosts: Vec<PgConnectOptions>,
    must_write: bool,
}

/// A database, and the role that the service works as in it.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// The address, as the owner.
    pub url: &'a str,
    /// The role that is restricted by row-level security.
    pub role: &'a str,
    /// The schema with the tables, where it is not the one that the address leads to.
    pub schema: Option<&'a str>,
}

impl Target<'_> {
    /// The servers, in the schema.
    pub(super) fn address(&self) -> Result<Address, AddressError> {
        let address = Address::parse(self.url)?;
        let Some(schema) = self.schema else { return Ok(address) };
        check_schema(schema)?;
        Ok(address.map(|options| options.options([("search_path", schema)])))
    }
}

/// Checks the name of a schema, which needs no quotes in SQL.
pub fn check_schema(name: &str) -> Result<(), AddressError> {
    if is_plain(name) { Ok(()) } else { Err(AddressError::Schema) }
}

/// Whether a name has lower-case ASCII letters, digits and underscores alone, at most 63 and no digit first, and is not the
/// server's own.
fn is_plain(name: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    begins && name.len() <= 63 && name.chars().all(is_sign) && !name.starts_with("pg_")
}

/// The role that the service works as unless another one is configured.
pub const DEFAULT_ROLE: &str = "anchord_app";

impl fmt::Debug for Target<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Target");
        shown.field("role", &self.role).field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl<'a> From<&'a str> for Target<'a> {
    fn from(url: &'a str) -> Self {
        Self { url, role: DEFAULT_ROLE, schema: None }
    }
}

impl<'a> From<&'a String> for Target<'a> {
    fn from(url: &'a String) -> Self {
        Self::from(url.as_str())
    }
}

/// The name of a role that needs no quotes in SQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role(String);

impl Role {
    /// Takes a name of lower-case ASCII letters, digits and underscores, at most 63 and no digit first.
    pub fn parse(name: &str) -> Result<Self, AddressError> {
        if is_plain(name) { Ok(Self(name.to_owned())) } else { Err(AddressError::Role) }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Why an address cannot be used. Never quotes it, because it may contain a password.
#[derive(Debug, thiserror::Error)]
pub enum AddressError {
    /// The driver does not understand the address of one of the hosts.
    #[error("it does not parse")]
    NotParsed,
    /// A value of `target_session_attrs` that the service cannot work with.
    #[error("target_session_attrs must be any, read-write or primary: the service writes")]
    Attributes,
    /// The lists of hosts and ports do not match.
    #[error("give one port for all hosts, or one for each")]
    Ports,
    /// The name of the working role would need quotes, or is the server's own.
    #[error("the role must be lower-case letters, digits and underscores, and not begin with pg_ or a digit")]
    Role,
    /// The name of the schema would need quotes, or is the server's own.
    #[error(
        "the schema must be lower-case letters, digits and underscores, and not begin with pg_ or a digit"
    )]
    Schema,
    /// Too many hosts.
    #[error("at most 16 hosts are allowed")]
    TooMany,
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Address").field("hosts", &self.hosts.len()).finish_non_exhaustive()
    }
}

impl Address {
    /// Parses an address.
    ///
    /// # Errors
    /// When a part of it is not valid.
    pub fn parse(url: &str) -> Result<Self, AddressError> {
        let (scheme, rest) = url.split_once("://").ok_or(AddressError::NotParsed)?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (user, places) =
            authority.rsplit_once('@').map_or(("", authority), |(user, places)| (user, places));
        let (mut hosts, mut ports, mut others, mut attributes) = (Vec::new(), Vec::new(), Vec::new(), None);
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=') {
                Some(("host", list)) => hosts = split(list),
                Some(("port", list)) => ports = split(list),
                Some(("target_session_attrs", wanted)) => attributes = Some(wanted),
                _ => others.push(parameter),
            }
        }
        let places = split(places);
        let count = places.len().max(hosts.len());
        let fits = |list: &[String]| list.len() <= 1 || list.len() == count;
        if !(fits(&ports) && fits(&places) && fits(&hosts)) {
            return Err(AddressError::Ports);
        }
        if count > MOST_HOSTS {
            return Err(AddressError::TooMany);
        }
        let must_write = match attributes {
            None => count > 1,
            Some("read-write" | "primary") => true,
            Some("any") => false,
            Some(_) => return Err(AddressError::Attributes),
        };
        let of = |list: &[String], index: usize| list.get(index).or_else(|| list.first()).cloned();
        let at = if user.is_empty() { "" } else { "@" };
        let parsed = (0..count).map(|index| {
            let named = of(&hosts, index);
            // The driver parses no user without a host; the parameter replaces this one.
            let stand_in = if named.is_some() { "localhost" } else { "" };
            let place = of(&places, index).filter(|place| !place.is_empty());
            let place = place.as_deref().unwrap_or(stand_in);
            let mut parameters: Vec<String> = others.iter().map(|&other| other.to_owned()).collect();
            parameters.extend(named.map(|host| format!("host={host}")));
            parameters.extend(of(&ports, index).map(|port| format!("port={port}")));
            let url = format!("{scheme}://{user}{at}{place}{path}?{}", parameters.join("&"));
            PgConnectOptions::from_str(&url).map_err(|_| AddressError::NotParsed)
        });
        Ok(Self { hosts: parsed.collect::<Result<_, _>>()?, must_write })
    }

    /// The hosts, in the order of the address.
    pub(super) fn hosts(&self) -> &[PgConnectOptions] {
        &self.hosts
    }

    /// Whether only a server that accepts writes may be used.
    pub(super) fn must_write(&self) -> bool {
        self.must_write
    }

    /// The same servers, with further settings of the connection.
    pub(super) fn map(&self, change: impl Fn(PgConnectOptions) -> PgConnectOptions) -> Self {
        Self { hosts: self.hosts.iter().cloned().map(change).collect(), must_write: self.must_write }
    }
}

/// Splits a list, whose commas may be encoded.
fn split(list: &str) -> Vec<String> {
    list.replace("%2C", ",").replace("%2c", ",").split(',').map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(url: &str) -> (Vec<String>, bool) {
        let address = Address::parse(url).expect("an address");
        let place = |options: &PgConnectOptions| {
            let host = options
                .get_socket()
                .map_or_else(|| options.get_host().to_owned(), |socket| socket.display().to_string());
            format!(
                "{}@{host}:{}/{}",
                options.get_username(),
                options.get_port(),
                options.get_database().unwrap_or_default()
            )
        };
        (address.hosts().iter().map(place).collect(), address.must_write())
    }

    #[test]
    fn one_host_is_as_the_driver_has_it() {
        let one = |place: &str| (vec![place.to_owned()], false);
        assert_eq!(places("postgres://me:p%40ss@a:5433/db"), one("me@a:5433/db"));
        assert_eq!(places("postgresql://me@[::1]:5433/db?sslmode=disable"), one("me@[::1]:5433/db"));
        assert_eq!(places("postgres://me@localhost:5432/db?host=/run/pg"), one("me@/run/pg:5432/db"));
        assert_eq!(places("postgres://me@a:1/db?target_session_attrs=any"), one("me@a:1/db"));
        assert!(places("postgres://me@a:1/db?target_session_attrs=read-write").1);
    }

    #[test]
    fn several_hosts_are_written_as_libpq_has_it() {
        let two = |places: [&str; 2], must_write| (places.map(str::to_owned).to_vec(), must_write);
        let named = two(["me@a:1/db", "me@b:2/db"], true);
        assert_eq!(places("postgres://me:pw@a:1,b:2/db?sslmode=disable"), named);
        assert_eq!(places("postgres://me:pw@a:1,b:2/db?target_session_attrs=primary"), named);
        assert_eq!(places("postgres://me@/db?host=a,b&port=1,2"), named);
        assert!(!places("postgres://me@a:1,b:2/db?target_session_attrs=any").1);
        let sockets = two(["me@/x:5/db", "me@/y:5/db"], true);
        assert_eq!(places("postgres://me@/db?host=/x,/y&port=5"), sockets);
        assert_eq!(places("postgres://me@/db?host=/x%2C/y&port=5"), sockets);
    }

    #[test]
    fn the_name_of_a_role_needs_no_quotes() {
        for good in ["anchord_app", "_a1", "a"] {
            assert!(Role::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "1a", "Anchord", "a-b", "a'b", "pg_read_all_data", &"a".repeat(64)] {
            assert!(Role::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_refused_without_quoting_it() {
        for (url, reason) in [
            ("me:hunter2@a", "parse"),
            ("postgres://me:hunter2@a:x/db", "parse"),
            ("postgres://me:hunter2@a,b/db?target_session_attrs=standby", "read-write"),
            ("postgres://me:hunter2@/db?host=a,b,c&port=1,2", "one for each"),
            (&format!("postgres://me:hunter2@{}/db", ["a"; 17].join(",")), "16"),
        ] {
            let refusal = Address::parse(url).expect_err(url).to_string();
            assert!(refusal.contains(reason) && !refusal.contains("hunter2"), "{refusal}");
        }
    }
}
