//! The path of a request: `/gateway [/key/KEY] [/session/NAME] [/assemble] /PROVIDER /REST`.

use percent_encoding::percent_decode_str;

/// Where the gateway's paths begin.
pub(crate) const ROOT: &str = "/gateway";

/// A provider that agents talk to.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, strum::EnumString, strum::IntoStaticStr, serde::Deserialize,
)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// Anthropic's messages.
    Anthropic,
    /// OpenAI's chat completions and responses.
    Openai,
}

/// What the gateway does with requests beside passing them on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Answers requests for a compaction.
    Compact,
    /// Sends the session's context in the place of a list that has grown beyond the trigger.
    Assemble,
}

/// A path that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) key: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) mode: Mode,
    pub(crate) provider: Provider,
    /// The path at the provider, as it came, with a slash before it.
    pub(crate) rest: String,
}

impl Route {
    /// Reads a path; `None` when it is none of the gateway's.
    pub(crate) fn read(path: &str) -> Option<Self> {
        let mut left = path.strip_prefix(ROOT)?.strip_prefix('/')?;
        let mut key = None;
        let mut session = None;
        let mut mode = Mode::Compact;
        if let Some((value, after)) = named(left, "key") {
            (key, left) = (Some(value), after);
        }
        if let Some((value, after)) = named(left, "session") {
            (session, left) = (Some(value), after);
        }
        if let Some(after) = left.strip_prefix("assemble/") {
            (mode, left) = (Mode::Assemble, after);
        }
        let (provider, rest) = left.split_once('/').unwrap_or((left, ""));
        let provider = provider.parse().ok()?;
        // Nothing leads out of the base URL that the operator chose.
        let leads_out = |segment: &str| {
            let segment = percent_decode_str(segment).decode_utf8_lossy();
            segment == "." || segment == ".." || segment.contains(['/', '\\'])
        };
        if rest.split('/').any(leads_out) {
            return None;
        }
        Some(Self { key, session, mode, provider, rest: format!("/{rest}") })
    }
}

/// The value of a named part at the beginning of a path, and what stands behind it.
fn named<'p>(path: &'p str, name: &str) -> Option<(String, &'p str)> {
    let (value, after) = path.strip_prefix(name)?.strip_prefix('/')?.split_once('/')?;
    Some((percent_decode_str(value).decode_utf8().ok()?.into_owned(), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_the_path_are_read_and_the_rest_passes_as_it_came() {
        let route =
            Route::read("/gateway/key/anchord_a%2Bb/session/s.1/assemble/openai/v1/models/a%20b").unwrap();
        let expected = Route {
            key: Some("anchord_a+b".to_owned()),
            session: Some("s.1".to_owned()),
            mode: Mode::Assemble,
            provider: Provider::Openai,
            rest: "/v1/models/a%20b".to_owned(),
        };
        assert_eq!(route, expected);
        let route = Route::read("/gateway/anthropic/v1/messages").unwrap();
        assert_eq!((route.key, route.mode, route.rest.as_str()), (None, Mode::Compact, "/v1/messages"));
    }

    #[test]
    fn what_leads_elsewhere_is_no_route() {
        for path in [
            "/gateway", "/gateway/", "/gateway/gemini/v1", "/gateway/openai/../admin",
            "/gateway/openai/%2e%2e/admin", "/gateway/openai/v1%2f..%2fadmin", "/gatewayopenai/v1",
            "/v1/sessions",
        ] {
            assert_eq!(Route::read(path), None, "{path}");
        }
    }
}
