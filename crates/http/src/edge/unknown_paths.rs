//! Paths that no operation has: a slash at the end is removed, and the problem of a mistyped path names the nearest route.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::Uri;
use axum::http::uri::PathAndQuery;
use tower::ServiceExt as _;

use crate::problem::ApiError;

/// The most bytes of a path for which a near route is looked for.
const MAX_PATH_BYTES: usize = 256;
/// The most letters that a mistyped word may be away from the right one, and all words of a path together.
const MAX_WORD_EDITS: usize = 2;
const MAX_EDITS: usize = 3;
/// The pages of the documentation refer to their files from a path that ends with a slash.
const PAGES: &str = "/docs";

/// The routes that a listener serves, as templates (`/v1/sessions/{session_id}`).
#[derive(Clone, Debug)]
pub(crate) struct Routes(Arc<[String]>);

impl Routes {
    pub(crate) fn new(templates: impl Iterator<Item = String>) -> Self {
        Self(templates.collect())
    }

    /// The problem of a path that no operation has.
    pub(crate) fn unknown(&self, path: &str) -> ApiError {
        ApiError::UnknownRoute { path: path.to_owned(), meant: self.nearest(path) }
    }

    /// The nearest route, with the parts of the path in the places of its parameters.
    fn nearest(&self, path: &str) -> Option<String> {
        if path.len() > MAX_PATH_BYTES || !path.starts_with('/') {
            return None;
        }
        let mut words: Vec<&str> = path.split('/').filter(|word| !word.is_empty()).collect();
        // A base URL that ends with the version, before a path that begins with it.
        if let ["v1", "v1", ..] = words.as_slice() {
            words.remove(0);
        }
        // Names of models have slashes, which a path has in another form.
        if let ["v1", "models", name @ ..] = words.as_slice()
            && name.len() > 1
        {
            return Some(format!("/v1/models/{}", name.join("%2F")));
        }
        let found = self.0.iter().filter_map(|template| {
            // A path without the version is measured as if it had it.
            let with_version = [&["v1"], words.as_slice()].concat();
            let whole = edits(template, &words).map(|edits| (edits, words.clone()));
            let versioned = edits(template, &with_version).map(|edits| (edits, with_version));
            whole.into_iter().chain(versioned).min().map(|(edits, words)| (edits, filled(template, &words)))
        });
        found.min().map(|(_, path)| path)
    }
}

/// How many letters the words of a path are away from a template; `None` when they are too many.
fn edits(template: &str, words: &[&str]) -> Option<usize> {
    let mut rest = words.iter();
    let mut all = 0;
    for part in template.split('/').filter(|part| !part.is_empty()) {
        let word = rest.next()?;
        if part.starts_with('{') {
            continue;
        }
        // The distance is at least the difference of the lengths, which costs nothing to know.
        if part.len().abs_diff(word.len()) > MAX_WORD_EDITS {
            return None;
        }
        let edits = strsim::osa_distance(part, &word.to_ascii_lowercase());
        if edits > MAX_WORD_EDITS {
            return None;
        }
        all += edits;
    }
    (rest.next().is_none() && all <= MAX_EDITS).then_some(all)
}

fn filled(template: &str, words: &[&str]) -> String {
    let parts = template.split('/').filter(|part| !part.is_empty()).zip(words);
    parts.flat_map(|(part, word)| ["/", if part.starts_with('{') { word } else { part }]).collect()
}

/// Serves a path with a slash at its end like the one without. A redirect would leave it to the client to send the body
/// and the key again, and many do not. The normaliser of `tower-http` has no exception for the pages.
pub(crate) fn without_trailing_slash(router: Router) -> Router {
    Router::new().fallback_service(router.map_request(|mut request: Request| {
        if let Some(uri) = trimmed(request.uri()) {
            *request.uri_mut() = uri;
        }
        request
    }))
}

/// The address without the slashes at the end of its path; `None` when there is nothing to take off.
fn trimmed(uri: &Uri) -> Option<Uri> {
    let path = uri.path();
    let short = path.trim_end_matches('/');
    if short.len() == path.len() || short.is_empty() || short == PAGES || short.starts_with("/docs/") {
        return None;
    }
    let text = uri.query().map_or_else(|| short.to_owned(), |query| format!("{short}?{query}"));
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(text).ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routes() -> Routes {
        let templates =
            ["/v1/sessions", "/v1/sessions/{session_id}", "/v1/sessions/{session_id}/messages", "/v1/tokens"];
        Routes::new(templates.into_iter().map(str::to_owned))
    }

    #[test]
    fn a_mistyped_path_is_told_the_route_that_was_meant() {
        for (path, meant) in [
            ("/v1/sesions", Some("/v1/sessions")),
            ("/v1/session", Some("/v1/sessions")),
            ("/sessions", Some("/v1/sessions")),
            ("/sessions/mine/messages", Some("/v1/sessions/mine/messages")),
            ("/v1/sessions/mine/mesages", Some("/v1/sessions/mine/messages")),
            ("/v1/Sessions/mine/Message", Some("/v1/sessions/mine/messages")),
            ("/v2/sessions/mine", Some("/v1/sessions/mine")),
            ("/v1/v1/sessions/mine/messages", Some("/v1/sessions/mine/messages")),
            ("/v1/v1/sesions", Some("/v1/sessions")),
            ("/v1/models/openai/gpt-4o", Some("/v1/models/openai%2Fgpt-4o")),
            ("/v1/v1/models/hf.co/some/model", Some("/v1/models/hf.co%2Fsome%2Fmodel")),
            ("/v1/chat/completions", None),
            ("/v1/sessions/mine/messages/1", None),
            ("/", None),
            ("//", None),
        ] {
            assert_eq!(routes().nearest(path).as_deref(), meant, "{path}");
        }
        assert_eq!(routes().nearest(&format!("/v1/sessions{}", "x".repeat(10_000))), None);
    }

    #[test]
    fn slashes_at_the_end_are_taken_off_but_not_of_the_pages() {
        for (path, short) in [
            ("/v1/sessions/", Some("/v1/sessions")),
            ("/v1/sessions//?limit=1", Some("/v1/sessions?limit=1")),
            ("/v1/sessions", None),
            ("/", None),
            ("/docs/", None),
        ] {
            let uri: Uri = path.parse().unwrap();
            assert_eq!(trimmed(&uri).map(|uri| uri.to_string()).as_deref(), short, "{path}");
        }
    }
}
