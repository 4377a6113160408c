//! Path and query parameters: parsed into types, or rejected with a problem that names the parameter.

use std::borrow::Cow;
use std::num::ParseIntError;
use std::str::FromStr;

use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use chrono::{DateTime, Datelike as _, NaiveDate, Utc};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use strum::VariantNames;
use utoipa::IntoParams;

use crate::problem::{ApiError, Result};
use anchord_messages::id::{BranchName, SessionName, SessionRef};
use anchord_messages::misread::{must_be, quoted};
use anchord_store::sessions::Session;

/// Whether RFC 3339 can write a time: its years have four digits. The database knows fewer years than the parser.
pub(crate) fn is_writable(time: DateTime<Utc>) -> bool {
    (0..=9999).contains(&time.year())
}

/// Path parameters as a struct of their names.
#[derive(Clone, Debug)]
pub struct Path<T>(pub T);

/// The query of an operation that has no parameters of its own, so that what it names is refused.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoParameters {}

/// Query parameters as a struct of their names, with `deny_unknown_fields`.
#[derive(Clone, Debug)]
pub struct Query<T>(pub T);

/// Declares the path of what belongs to a session: the session, and the fields that are named.
macro_rules! session_path {
    ($(#[$($of_path:tt)*])* $name:ident { $($(#[$($of_field:tt)*])* $field:ident: $type:ident,)* }) => {
        $(#[$($of_path)*])*
        #[derive(Clone, Debug, Deserialize, IntoParams)]
        #[into_params(parameter_in = Path)]
        pub struct $name {
            /// The session's id, chosen by the caller.
            #[param(inline, value_type = SessionName)]
            #[serde(deserialize_with = "crate::extract::params::session")]
            pub session_id: SessionRef,
            $($(#[$($of_field)*])* pub $field: $type,)*
        }
    };
}
pub(crate) use session_path;

session_path! {
    /// The path of everything that belongs to a session.
    SessionPath {}
}

/// The path of something of a session. It names the branch as the caller did, and otherwise so that it leads to the same
/// thing when another branch is current.
pub(crate) fn path_of(session: &Session, asked: &SessionRef, rest: &str) -> String {
    let of = if asked.branch.is_some() { asked.clone() } else { session.reference() };
    of.path_of(rest)
}

/// The parameter of the query that names a branch, on every route of a session.
pub const BRANCH: &str = "branch";
/// The part of a route that names a session.
const SESSION: &str = "session_id";
/// Separator between a session and its branch when both are read as one parameter; no value has it.
const BETWEEN: char = '\0';

/// Reads a session with the branch that the query names, which [`Path`] writes behind it.
///
/// # Errors
/// When either is not a name.
pub fn session<'de, D: Deserializer<'de>>(from: D) -> Result<SessionRef, D::Error> {
    let text = Cow::<'de, str>::deserialize(from)?;
    let (name, branch) = match text.split_once(BETWEEN) {
        Some((name, branch)) => (name, Some(BranchName::parse(branch).map_err(D::Error::custom)?)),
        None => (text.as_ref(), None),
    };
    Ok(SessionRef { name: SessionName::parse(name).map_err(D::Error::custom)?, branch })
}

/// The branch that a query names.
pub(crate) fn branch_of(query: &str) -> Result<Option<BranchName>> {
    let mut named = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == BRANCH);
    let Some((_, branch)) = named.next() else { return Ok(None) };
    if named.next().is_some() {
        return Err(ApiError::parameter(BRANCH, "must come once"));
    }
    BranchName::parse(&branch).map(Some).map_err(|refused| ApiError::parameter(BRANCH, refused.to_string()))
}

/// Whether a query may name a branch beside its own parameters: on routes of a session that do not name it themselves.
fn takes_branch<'p>(path: impl Iterator<Item = (&'p str, &'p str)>) -> bool {
    let (mut is_of_session, mut names_branch) = (false, false);
    for (name, _) in path {
        is_of_session |= name == SESSION;
        names_branch |= name == BRANCH;
    }
    is_of_session && !names_branch
}

/// A list of words, separated by commas, such as `include=usage,signals`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words<T>(pub Vec<T>);

impl<T: PartialEq> Words<T> {
    /// Whether a word is in a list, which may be absent.
    pub(crate) fn have(list: Option<&Self>, word: &T) -> bool {
        list.is_some_and(|Self(words)| words.contains(word))
    }
}

impl<'de, T: FromStr + VariantNames> Deserialize<'de> for Words<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(from)?;
        let words = text.split(',').map(|word| word.trim().parse()).collect::<Result<_, _>>();
        words.map(Self).map_err(|_| {
            let known: Vec<String> = T::VARIANTS.iter().map(|word| format!("`{word}`")).collect();
            D::Error::custom(format!("must be one or more of {}, separated by commas", known.join(", ")))
        })
    }
}

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let raw = RawPathParams::from_request_parts(parts, state).await.map_err(|rejection| {
            if let RawPathParamsRejection::InvalidUtf8InPathParam(invalid) = rejection {
                return ApiError::parameter("path", format!("must be UTF-8, percent-encoded: {invalid}"));
            }
            ApiError::internal(anyhow::anyhow!("{rejection}"))
        })?;
        let branch =
            if takes_branch(raw.iter()) { branch_of(parts.uri.query().unwrap_or_default())? } else { None };
        // Written as a query, so that both are parsed in the same way: the framework's own parser does not report the
        // name of the parameter that one of our types rejects.
        let mut query = form_urlencoded::Serializer::new(String::new());
        let query = query.extend_pairs(raw.iter()).finish();
        let pairs = checked(&query)?;
        let Some(branch) = branch else { return read_pairs(&pairs).map(Self) };
        let with_branch = form_urlencoded::parse(pairs.as_bytes()).map(|(name, value)| {
            let value = if name == SESSION { format!("{value}{BETWEEN}{branch}").into() } else { value };
            (name, value)
        });
        read_pairs(&form_urlencoded::Serializer::new(String::new()).extend_pairs(with_branch).finish())
            .map(Self)
    }
}

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let query = parts.uri.query().unwrap_or_default();
        if query.contains(BRANCH) {
            let raw = RawPathParams::from_request_parts(parts, state).await;
            if raw.is_ok_and(|raw| takes_branch(raw.iter())) {
                let query = parts.uri.query().unwrap_or_default();
                let others = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name != BRANCH);
                let others = form_urlencoded::Serializer::new(String::new()).extend_pairs(others).finish();
                return read_query(&others).map(Self);
            }
        }
        read_query(parts.uri.query().unwrap_or_default()).map(Self)
    }
}

/// Several values of one parameter, in the order of the query.
///
/// The parser refuses a parameter that comes twice, so those that may are joined before: by NUL, which no value has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repeated(pub Vec<String>);

impl Repeated {
    /// The parameters that may come several times.
    const NAMES: [&str; 1] = ["metadata"];
}

impl<'de> Deserialize<'de> for Repeated {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let joined = String::deserialize(deserializer)?;
        Ok(Self(joined.split('\0').map(str::to_owned).collect()))
    }
}

/// The query with the values of each parameter that may be repeated in one.
fn joined(text: &str) -> Cow<'_, str> {
    let is_repeated = |name: &str| Repeated::NAMES.contains(&name);
    if form_urlencoded::parse(text.as_bytes()).filter(|(name, _)| is_repeated(name)).count() < 2 {
        return Cow::Borrowed(text);
    }
    let mut pairs: Vec<(Cow<'_, str>, Cow<'_, str>)> = Vec::new();
    for (name, value) in form_urlencoded::parse(text.as_bytes()) {
        match pairs.iter_mut().find(|(known, _)| is_repeated(&name) && *known == name) {
            Some((_, values)) => {
                let values = values.to_mut();
                values.push('\0');
                values.push_str(&value);
            }
            None => pairs.push((name, value)),
        }
    }
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish().into()
}

fn read_query<T: DeserializeOwned>(text: &str) -> Result<T> {
    read_pairs(&checked(text)?)
}

/// The query with the values of each parameter that may be repeated in one, when no name and no value has a NUL.
fn checked(text: &str) -> Result<Cow<'_, str>> {
    for (name, value) in form_urlencoded::parse(text.as_bytes()) {
        if name.contains('\0') || value.contains('\0') {
            return Err(ApiError::parameter(&name.replace('\0', ""), "must not contain NUL"));
        }
    }
    Ok(joined(text))
}

fn read_pairs<T: DeserializeOwned>(text: &str) -> Result<T> {
    let pairs = serde_urlencoded::Deserializer::new(form_urlencoded::parse(text.as_bytes()));
    serde_path_to_error::deserialize(pairs).map_err(|error| {
        let path = error.path().to_string();
        let detail = error.into_inner().to_string();
        let name =
            if path == "." || path == "?" { quoted(&detail).unwrap_or_default().to_owned() } else { path };
        let found = form_urlencoded::parse(text.as_bytes()).find(|(key, _)| *key == name);
        // serde calls the parts of every structure fields.
        let detail =
            found.and_then(|(_, value)| not_whole(&value, &detail)).unwrap_or_else(|| must_be(&detail));
        let detail = match detail.split_once(" field ") {
            Some((kind @ ("unknown" | "missing" | "duplicate"), rest)) => format!("{kind} parameter {rest}"),
            _ => detail,
        };
        ApiError::parameter(&name, detail)
    })
}

/// A time of a query: RFC 3339, or a date, which stands for its beginning in UTC.
pub(crate) fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<DateTime<Utc>>, D::Error> {
    let text = Cow::<'de, str>::deserialize(from)?;
    let date = || text.parse::<NaiveDate>().ok()?.and_hms_opt(0, 0, 0).map(|at| at.and_utc());
    let at = text.parse().ok().or_else(date);
    at.map(Some).ok_or_else(|| {
        D::Error::custom("must be a time such as 2026-01-31T12:00:00Z, or a date such as 2026-01-31")
    })
}

/// The allowed range, when a value was rejected as a whole number: the parser's own message names no limit.
fn not_whole(value: &str, refusal: &str) -> Option<String> {
    let refused = |error: ParseIntError| error.to_string() == refusal;
    if value.parse::<u64>().is_err_and(refused) {
        Some("must be a whole number, 0 or more, that fits in 64 bits".into())
    } else if value.parse::<u32>().is_err_and(refused) {
        Some(format!("must be a whole number from 0 to {}", u32::MAX))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use strum::EnumString;

    use super::*;
    use crate::problem::FieldError;
    use anchord_messages::format::Format;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Filters {
        limit: Option<u32>,
        kind: Option<String>,
        format: Option<Format>,
        include: Option<Words<Part>>,
    }

    #[derive(Debug, PartialEq, Eq, EnumString, strum::VariantNames)]
    #[strum(serialize_all = "snake_case")]
    enum Part {
        Usage,
        Signals,
    }

    fn refused(query: &str) -> FieldError {
        match read_query::<Filters>(query) {
            Err(ApiError::InvalidParameter(error)) => error,
            other => panic!("{query} gave {other:?}"),
        }
    }

    fn pointer(query: &str) -> String {
        refused(query).pointer
    }

    #[test]
    fn a_query_is_read_into_its_struct() {
        let filters: Filters = read_query("limit=5&kind=a%20b").unwrap();
        assert_eq!((filters.limit, filters.kind.as_deref()), (Some(5), Some("a b")));
    }

    #[test]
    fn what_may_come_several_times_is_read_in_its_order_and_all_else_once() {
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Fields {
            metadata: Option<Repeated>,
            limit: Option<u32>,
        }
        let read = |query: &str| read_query::<Fields>(query).unwrap();
        let Fields { metadata, limit } = read("metadata=a%3A1&limit=3&metadata=b%3A%262");
        assert_eq!((metadata, limit), (Some(Repeated(vec!["a:1".into(), "b:&2".into()])), Some(3)));
        assert_eq!(read("metadata=a:1").metadata, Some(Repeated(vec!["a:1".into()])));
        assert_eq!(read("").metadata, None);
        assert!(read_query::<Fields>("metadata=a:1&limit=3&limit=3").is_err());
        assert!(read_query::<Fields>("metadata=a%00b&metadata=c").is_err());
    }

    #[test]
    fn a_wrong_query_is_refused_with_the_parameters_name() {
        assert_eq!(pointer("limt=5"), "/limt");
        assert_eq!(pointer("limit=many"), "/limit");
        assert_eq!(pointer("limit=1&limit=2"), "/limit");
        assert_eq!(pointer("kind=%00"), "/kind");
    }

    #[test]
    fn a_time_may_be_a_date_and_a_wrong_one_is_told_what_it_must_be() {
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Since {
            #[serde(default, deserialize_with = "time")]
            since: Option<DateTime<Utc>>,
        }
        let read = |query: &str| read_query::<Since>(query);
        let whole = "2026-01-31T00:00:00Z".parse().ok();
        assert_eq!(read("since=2026-01-31").unwrap().since, whole);
        assert_eq!(read("since=2026-01-31T02:00:00%2B02:00").unwrap().since, whole);
        assert_eq!(read("").unwrap().since, None);
        let Err(ApiError::InvalidParameter(error)) = read("since=yesterday") else { panic!("taken") };
        assert_eq!(error.pointer, "/since");
        assert!(error.detail.contains("2026-01-31T12:00:00Z"), "{}", error.detail);
        let Err(ApiError::InvalidParameter(error)) = read("sinse=1") else { panic!("taken") };
        assert!(error.detail.starts_with("unknown parameter `sinse`"), "{}", error.detail);
    }

    #[test]
    fn what_is_no_whole_number_is_refused_with_the_limits() {
        for query in ["limit=many", "limit=", "limit=-1", "limit=1.5", "limit=99999999999999999999999"] {
            assert_eq!(
                refused(query).detail,
                "must be a whole number, 0 or more, that fits in 64 bits",
                "{query}"
            );
        }
        assert_eq!(refused("limit=4294967296").detail, "must be a whole number from 0 to 4294967295");
        assert!(refused("limit=1&limit=2").detail.contains("duplicate parameter"));
    }

    #[test]
    fn words_are_read_from_a_list_and_unknown_ones_refused_with_those_that_are_known() {
        let filters: Filters = read_query("include=signals,%20usage,usage").unwrap();
        let words = filters.include.unwrap();
        assert_eq!(words.0, [Part::Signals, Part::Usage, Part::Usage]);
        assert!(Words::have(Some(&words), &Part::Usage) && !Words::have(None, &Part::Usage));
        for query in ["include=", "include=usage,", "include=use"] {
            let refused = refused(query);
            assert_eq!(refused.pointer, "/include", "{query}");
            assert_eq!(
                refused.detail, "must be one or more of `usage`, `signals`, separated by commas",
                "{query}"
            );
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_those_that_are_known() {
        assert_eq!(read_query::<Filters>("format=anthropic").unwrap().format, Some(Format::Anthropic));
        let formats = "must be one of `openai-chat`, `anthropic`, `openai-responses`";
        assert_eq!(refused("format=gemini").detail, formats);
    }
}
