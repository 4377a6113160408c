//! Sends requests to the provider as they came, and brings its answers back as they arrive.

use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use url::Url;

use crate::route::Route;

/// How long a connection to a provider may take.
const CONNECT: Duration = Duration::from_secs(10);

/// Headers of one connection, and those that say how long a body is: both belong to each side alone.
const OF_A_CONNECTION: [HeaderName; 8] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::EXPECT,
];
/// What belongs to pages of ours: browsers keep it by our address, on which the console is.
const OF_PAGES: [HeaderName; 4] = [
    header::COOKIE,
    header::SET_COOKIE,
    HeaderName::from_static("service-worker-allowed"),
    HeaderName::from_static("clear-site-data"),
];
/// What our own headers begin with.
const OURS: &str = "x-anchord-";

/// A client of providers.
#[derive(Clone, Debug)]
pub(crate) struct Upstream(reqwest::Client);

/// A request without its body, and where it goes.
pub(crate) struct Head {
    pub(crate) base: Url,
    pub(crate) route: Route,
    pub(crate) parts: Parts,
}

/// The body of a request.
pub(crate) enum Sent {
    /// It was read.
    Whole(Bytes),
    /// It passes as it comes, and has so many bytes, when that is known.
    Passing(Body),
}

/// An answer whose body is still to come.
pub(crate) struct Answered {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Body,
}

/// Why there is no answer of the provider.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoAnswer(pub(crate) &'static str);

impl Upstream {
    /// # Errors
    /// When the system's certificates cannot be read.
    pub(crate) fn new() -> Result<Self, reqwest::Error> {
        // Fails when one is installed already; that is the same one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT)
            .build()
            .map(Self)
    }

    /// Sends a request.
    pub(crate) async fn send(&self, head: &Head, body: Sent) -> Result<Answered, NoAnswer> {
        let Head { base, route, parts } = head;
        let method = parts.method.clone();
        let mut url = base.clone();
        url.set_path(&format!("{}{}", base.path().trim_end_matches('/'), route.rest));
        url.set_query(parts.uri.query());
        let mut passed = passing(&parts.headers);
        passed.remove(header::HOST);
        // Bodies of requests pass without theirs.
        passed.remove(header::TRAILER);
        // The one value that is about the message: the agent reads trailers.
        let mut encodings = parts.headers.get_all(header::TE).iter().filter_map(|value| value.to_str().ok());
        if encodings.any(|value| value.split(',').any(|way| way.trim().eq_ignore_ascii_case("trailers"))) {
            passed.insert(header::TE, HeaderValue::from_static("trailers"));
        }
        let request = match body {
            Sent::Whole(bytes) => {
                passed.remove(header::CONTENT_LENGTH);
                self.0.request(method, url).headers(passed).body(bytes)
            }
            // A length that was announced is announced again.
            Sent::Passing(body) if !body.is_end_stream() => self
                .0
                .request(method, url)
                .headers(passed)
                .body(reqwest::Body::wrap_stream(body.into_data_stream())),
            Sent::Passing(_) => self.0.request(method, url).headers(passed),
        };
        let response = request.send().await.map_err(|_| NoAnswer("the provider cannot be reached"))?;
        let (status, headers) = (response.status(), passing(response.headers()));
        if status == StatusCode::SWITCHING_PROTOCOLS {
            return Err(NoAnswer("the provider changes to another protocol, which is not passed on"));
        }
        let body = axum::http::Response::from(response).into_body();
        Ok(Answered { status, headers, body: Body::new(body) })
    }
}

/// Headers that pass: those of the message itself, and none of ours.
pub(crate) fn passing(headers: &HeaderMap) -> HeaderMap {
    let named = headers.get_all(header::CONNECTION).iter().filter_map(|value| value.to_str().ok());
    let named: Vec<String> =
        named.flat_map(|value| value.split(',')).map(|name| name.trim().to_ascii_lowercase()).collect();
    let belongs = |name: &HeaderName| {
        !OF_A_CONNECTION.contains(name)
            && !OF_PAGES.contains(name)
            && !name.as_str().starts_with(OURS)
            && !named.iter().any(|named| named == name.as_str())
    };
    let mut passed = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers.iter().filter(|(name, _)| belongs(name)) {
        // One that is there twice passes twice.
        passed.append(name, value.clone());
    }
    passed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_to_a_connection_or_to_us_stays_here() {
        let headers = [
            ("connection", "close, X-Hop"),
            ("x-hop", "1"),
            ("x-anchord-key", "secret"),
            ("x-api-key", "providers"),
            ("anthropic-beta", "a"),
            ("anthropic-beta", "b"),
            ("content-encoding", "zstd"),
        ];
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            all.append(name, value.parse().unwrap());
        }
        let passed = passing(&all);
        assert_eq!(passed.get_all("anthropic-beta").iter().count(), 2);
        let mut names: Vec<&str> = passed.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["anthropic-beta", "content-encoding", "x-api-key"]);
    }
}
