//! Typed ids: what the service makes (`TenantId`, `SessionId`, prefixed resource ids) and what the
//! caller chooses (`SessionName`, `BranchName`).

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The position of a message in its session: 1, 2, 3 … without gaps.
pub type Seq = i64;

/// A session's internal id; never used again, so that a late worker cannot publish into a new
/// session of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
#[serde(transparent)]
pub struct SessionId(pub Uuid);

impl SessionId {
    /// The key of the session's rows: its id under its tenant.
    pub fn of(self, tenant: TenantId) -> SessionKey {
        SessionKey { tenant, id: self }
    }
}

/// A branch of a session, as every statement names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionKey {
    /// The tenant that has the session.
    pub tenant: TenantId,
    /// The branch's id; main's is the session's.
    pub id: SessionId,
}

impl From<(TenantId, SessionId)> for SessionKey {
    fn from((tenant, id): (TenantId, SessionId)) -> Self {
        Self { tenant, id }
    }
}

/// Parses while the text is visited, so that the error of a path parameter or a field knows its name.
struct Visited<T> {
    expected: &'static str,
    parse: fn(&str) -> Result<T, NameError>,
}

impl<T> serde::de::Visitor<'_> for Visited<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<R: serde::de::Error>(self, text: &str) -> Result<T, R> {
        (self.parse)(text).map_err(R::custom)
    }
}

/// Why a caller's name of a session or of a branch was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NameError(String);

/// A caller's name, when it has at most `max` letters, digits and `signs`; `noun` is what errors call it.
fn checked(text: &str, noun: &str, max: usize, signs: &str) -> Result<String, NameError> {
    if text.is_empty() || text.len() > max {
        return Err(NameError(format!("{noun} has 1 to {max} characters")));
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || signs.contains(c);
    if text == "." || text == ".." || !text.chars().all(allowed) {
        let signs: Vec<String> = signs.chars().map(String::from).collect();
        let signs = signs.join(" ");
        return Err(NameError(format!("{noun} has only letters, digits and {signs}, and is not . or ..")));
    }
    Ok(text.to_owned())
}

macro_rules! checked_name {
    ($name:ident, $noun:literal, $max:literal, $signs:literal) => {
        impl $name {
            /// The most characters that it may have.
            pub const MAX_CHARS: usize = $max;

            /// Parses a caller's name.
            ///
            /// # Errors
            /// When it is empty, too long, `.` or `..`, or has a character that is not allowed.
            pub fn parse(text: &str) -> Result<Self, NameError> {
                checked(text, $noun, Self::MAX_CHARS, $signs).map(Self)
            }

            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                from.deserialize_str(Visited { expected: $noun, parse: Self::parse })
            }
        }
    };
}

/// The caller's name for a session (`session_id` in the API), unique per tenant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, utoipa::ToSchema)]
#[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
#[schema(
    as = SessionId,
    min_length = 1,
    max_length = 200,
    // Everything of the alphabet but `.` and `..`, without a look-ahead, which generators of clients may not know.
    pattern = r"^(\.{0,2}[A-Za-z0-9_:@+=-][A-Za-z0-9._:@+=-]*|\.{3}[A-Za-z0-9._:@+=-]*)$",
    examples("build-42")
)]
pub struct SessionName(String);

checked_name!(SessionName, "a session id", 200, "._:@+=-");

/// The name of a branch, unique in its session.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, utoipa::ToSchema)]
#[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
#[schema(
    min_length = 1,
    max_length = 100,
    // Everything of the alphabet but `.` and `..`, which no path can name.
    pattern = r"^(\.{0,2}[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3}[A-Za-z0-9._-]*)$",
    examples("main", "retry-2")
)]
pub struct BranchName(String);

checked_name!(BranchName, "a branch's name", 100, "._-");

impl BranchName {
    /// The name of the branch that every session begins with.
    pub const MAIN: &'static str = "main";

    /// The branch that every session begins with.
    pub fn main() -> Self {
        Self(Self::MAIN.to_owned())
    }

    /// Whether it is the branch that every session begins with.
    pub fn is_main(&self) -> bool {
        self.0 == Self::MAIN
    }
}

/// How a caller names what an operation acts on: a session, and one of its branches.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionRef {
    /// The session.
    pub name: SessionName,
    /// The branch; `None` for the current one.
    pub branch: Option<BranchName>,
}

impl SessionRef {
    /// The branch `main` of a session, whichever is current.
    pub fn main(name: SessionName) -> Self {
        Self { name, branch: Some(BranchName::main()) }
    }

    /// The branch's name as text; `None` for the current one.
    pub fn branch_str(&self) -> Option<&str> {
        self.branch.as_ref().map(BranchName::as_str)
    }

    /// The path of something of it: `rest` is what stands behind the session's name.
    pub fn path_of(&self, rest: &str) -> String {
        let Self { name, branch } = self;
        let Some(branch) = branch else { return format!("/v1/sessions/{name}{rest}") };
        let sign = if rest.contains('?') { '&' } else { '?' };
        format!("/v1/sessions/{name}{rest}{sign}branch={branch}")
    }

    /// Whether a branch is named that a session does not begin with.
    pub fn is_of_other_branch(&self) -> bool {
        self.branch.as_ref().is_some_and(|branch| !branch.is_main())
    }
}

impl From<SessionName> for SessionRef {
    fn from(name: SessionName) -> Self {
        Self { name, branch: None }
    }
}

/// As it stands behind `/v1/sessions/`: the name, and the branch as a query.
impl fmt::Display for SessionRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name.as_str())?;
        self.branch.as_ref().map_or(Ok(()), |branch| write!(f, "?branch={branch}"))
    }
}

macro_rules! prefixed_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
        pub struct $name(pub Uuid);

        impl $name {
            /// Parses the id as it is written in the API; `None` when it is not one.
            pub fn parse(text: &str) -> Option<Self> {
                Uuid::try_parse(text.strip_prefix($prefix)?).ok().map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0.simple())
            }
        }

        impl utoipa::ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::Type::String)
                    .pattern(Some(concat!("^", $prefix, "[0-9a-f]{32}$")))
                    .description(Some(concat!("An id that starts with `", $prefix, "`.")))
                    .examples([concat!($prefix, "01929f5be2c47c3fb1c4a6d24b4e1a10")])
                    .into()
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = String::deserialize(from)?;
                Self::parse(&text)
                    .ok_or_else(|| serde::de::Error::custom(concat!("not an id that starts with ", $prefix)))
            }
        }
    };
}

prefixed_id!(
    /// A tenant's id; every primary key begins with it.
    TenantId,
    "ten_"
);
prefixed_id!(
    /// The id of one entry of the audit log.
    AuditId,
    "aud_"
);
prefixed_id!(
    /// The id of one compression.
    CompressionId,
    "cmp_"
);
prefixed_id!(
    /// The id of one evaluation of a summary version.
    EvaluationId,
    "evl_"
);
prefixed_id!(
    /// The id of one probe.
    ProbeId,
    "prb_"
);
prefixed_id!(
    /// The id of one API key.
    KeyId,
    "key_"
);
prefixed_id!(
    /// The id of one webhook.
    WebhookId,
    "whk_"
);
prefixed_id!(
    /// The id of one message to webhooks: the same for every webhook that gets it, at every attempt.
    DeliveryId,
    "dlv_"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_name_keeps_to_its_alphabet() {
        for good in ["a", "run:1700000000:dev-x", "user@example.com", "a+b=c", "..."] {
            assert_eq!(SessionName::parse(good).map(|n| n.to_string()), Ok(good.to_owned()));
        }
        for bad in ["", ".", "..", "a/b", "a b", "é", &"x".repeat(201)] {
            assert!(SessionName::parse(bad).is_err(), "{bad:?} was taken");
        }
    }

    #[test]
    fn a_branch_name_keeps_to_its_alphabet() {
        for good in ["main", "retry-2", "v1.2_x", "..."] {
            assert_eq!(BranchName::parse(good).map(|n| n.to_string()), Ok(good.to_owned()));
        }
        for bad in ["", ".", "..", "a/b", "a b", "a:b", "\u{2}a", "é", &"x".repeat(101)] {
            assert!(BranchName::parse(bad).is_err(), "{bad:?} was taken");
        }
    }

    #[test]
    fn a_session_ref_is_written_as_paths_have_it() {
        let name = SessionName::parse("s").unwrap();
        assert_eq!(SessionRef::from(name.clone()).to_string(), "s");
        let of_main = SessionRef::main(name);
        assert_eq!(of_main.to_string(), "s?branch=main");
        assert!(!of_main.is_of_other_branch());
        assert_eq!(of_main.path_of("/messages"), "/v1/sessions/s/messages?branch=main");
        assert_eq!(of_main.path_of("/messages?to_seq=2"), "/v1/sessions/s/messages?to_seq=2&branch=main");
    }

    #[test]
    fn a_prefixed_id_reads_back_what_it_writes_and_nothing_else() {
        let id = CompressionId(Uuid::from_u128(7));
        assert_eq!(CompressionId::parse(&id.to_string()), Some(id));
        assert_eq!(CompressionId::parse("evl_00000000000000000000000000000007"), None);
        assert_eq!(CompressionId::parse("cmp_zz"), None);
    }
}
