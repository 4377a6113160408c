//! Who calls: the key of a request, and the few callers that need none.

use std::net::IpAddr;
use std::time::Duration;

use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version, header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use percent_encoding::percent_decode_str;
use secrecy::{ExposeSecret as _, SecretString};

use crate::forward::Gateway;
use crate::route::{Provider, Route};
use crate::upstream::{self, Head};
use anchord_http::AppState;
use anchord_http::admission::guesses::Peer;
use anchord_http::extract::auth::{self, Caller, X_API_KEY};
use anchord_messages::id::TenantId;
use anchord_runtime::cache::{Cache, Expiry};
use anchord_store::keys::{KeyDigest, digest_key};

/// How a key of ours begins, and the fewest letters and digits behind that of one that may have been cut or mistyped.
const OURS: &str = "anchord_";
const KEY_SIGNS: usize = 40;
/// The detail about a key of ours in the address.
const IN_ADDRESS: &str = "an anchord key stands in the address, from where it would go to the provider";
/// The header of an anchord key.
const KEY: HeaderName = HeaderName::from_static("x-anchord-key");
/// Headers of proxies and of browsers: a request with one of them does not come from a program on this machine, whatever
/// its address.
const OF_OTHERS: [&str; 6] =
    ["origin", "forwarded", "via", "x-real-ip", "true-client-ip", "cf-connecting-ip"];
const OF_OTHERS_BEGIN: [&str; 2] = ["x-forwarded-", "sec-fetch-"];
/// How long a look at a key may take when it was good before.
const KEY_PATIENCE: Duration = Duration::from_millis(500);

/// How long a tenant's key of a provider is remembered, and of how many.
const LENT_FOR: Duration = Duration::from_secs(30);
const MAX_LENT: u64 = 10_000;
/// Headers that have a provider's key.
const PROVIDER_HEADERS: [HeaderName; 2] = [header::AUTHORIZATION, X_API_KEY];

/// Keys of providers that tenants have, or that they have none.
pub(crate) type Lent = moka::future::Cache<(TenantId, Provider), Option<SecretString>>;

pub(crate) fn lent() -> Lent {
    Lent::builder().max_capacity(MAX_LENT).time_to_live(LENT_FOR).build()
}

/// Callers whose keys were good, for when the database does not answer.
pub(crate) fn known_callers() -> Cache<KeyDigest, (Caller, AppState)> {
    Cache::new(10_000, Expiry::After(Duration::from_mins(30)))
}

/// Why a caller is refused: status, kind and detail.
pub(crate) type Refusal = (StatusCode, &'static str, String);

impl Gateway {
    /// Sets the tenant's key of the provider, when the caller has none of its own.
    ///
    /// # Errors
    /// When an anchord key stands where the provider's would, and the tenant has none.
    pub(crate) async fn lend_key(
        &self,
        (tenant, cell): (TenantId, &AppState),
        head: &mut Head,
    ) -> Result<(), Refusal> {
        let headers = &mut head.parts.headers;
        let has_ours = provider_credentials(headers).any(is_ours);
        if !has_ours && provider_credentials(headers).next().is_some() {
            return Ok(());
        }
        let provider = head.route.provider;
        let looking = cell.store.provider_key(tenant, provider.into());
        let lent = match self.lent.try_get_with((tenant, provider), looking).await {
            Ok(lent) => lent,
            // The provider says what is missing.
            Err(_) if !has_ours => return Ok(()),
            Err(error) => {
                tracing::warn!(%error, "gateway.provider_key_not_read");
                let detail = "the provider's key cannot be read at the moment".to_owned();
                return Err((StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail));
            }
        };
        if lent.is_some() && !is_lent_for(provider, &head.parts.method, &head.route.rest) {
            let detail = "the tenant's key of the provider is for conversations, counts of tokens and lists of models alone";
            return Err((StatusCode::FORBIDDEN, "not-lent", detail.to_owned()));
        }
        let Some(lent) = lent else {
            let detail = "an anchord key stands in the place of the provider's, and the tenant has none that could take \
                          its place";
            return if has_ours { Err(misplaced(detail)) } else { Ok(()) };
        };
        for name in PROVIDER_HEADERS {
            headers.remove(name);
        }
        let (name, value) = match provider {
            Provider::Anthropic => (X_API_KEY, lent.expose_secret().to_owned()),
            Provider::Openai => (header::AUTHORIZATION, format!("Bearer {}", lent.expose_secret())),
        };
        if let Ok(mut value) = HeaderValue::from_str(&value) {
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(())
    }

    /// The caller, with the state of its cell, and the key that it is known by.
    pub(crate) async fn authenticate(
        &self,
        route: &Route,
        parts: &Parts,
    ) -> Result<((Caller, AppState), SecretString), Refusal> {
        let peer = parts.extensions.get::<Peer>().copied();
        let unauthorized = |detail: &str| (StatusCode::UNAUTHORIZED, "unauthorized", detail.to_owned());
        let given = match (parts.headers.get(KEY), &route.key) {
            (Some(header), _) => Some(header.to_str().map_err(|_| unauthorized("X-Anchord-Key is no text"))?),
            (None, Some(key)) => Some(key.as_str()),
            // In the place of the provider's, which the tenant's operator has given.
            (None, None) => provider_credentials(&parts.headers).find(|key| is_ours(key)),
        };
        let address = [route.rest.as_str(), parts.uri.query().unwrap_or_default()];
        if address.into_iter().any(|text| holds_key(text, None)) {
            return Err(misplaced(IN_ADDRESS));
        }
        let key = match (given, &self.config.keyless) {
            (Some(key), _) if !key.trim().is_empty() => SecretString::from(key.trim()),
            (None, Some(own)) if is_local(peer, parts) => own.clone(),
            _ => {
                return Err(unauthorized(
                    "send an anchord key, as `X-Anchord-Key: KEY`, as /gateway/key/KEY/… in the base URL, or in the \
                     place of the provider's where your operator has given one",
                ));
            }
        };
        let digest = digest_key(key.expose_secret());
        let scope = anchord_http::Scope::default();
        let known = self.known.get(&digest);
        // A key that was good waits in no line of its address, which the caller itself could make long.
        let from = peer.filter(|_| known.is_none());
        let looking = auth::authenticate_for_gateway(&self.state, (key.expose_secret(), from), &scope);
        let found = match known {
            None => looking.await,
            // What only concerns keeping must not fail a request: a key that was good is good while nobody can look.
            Some(known) => match tokio::time::timeout(KEY_PATIENCE, looking).await {
                Ok(Err(refused)) if refused.status().is_server_error() => return Ok((known, key)),
                Ok(found) => found,
                Err(_) => return Ok((known, key)),
            },
        };
        match found {
            Ok(caller) => {
                tracing::Span::current().record("tenant.id", tracing::field::display(caller.0.tenant.0));
                self.known.insert(digest, caller.clone());
                Ok((caller, key))
            }
            Err(refused) => {
                self.known.invalidate(&digest);
                let status = refused.status();
                let kind = match status {
                    StatusCode::UNAUTHORIZED => "unauthorized",
                    StatusCode::FORBIDDEN => "forbidden",
                    StatusCode::TOO_MANY_REQUESTS => "rate-limited",
                    _ => "unavailable",
                };
                Err((status, kind, refused.to_string()))
            }
        }
    }
}

fn misplaced(detail: &str) -> Refusal {
    let detail = format!("{detail}; send it as `X-Anchord-Key` or as /gateway/key/KEY/… before the provider");
    (StatusCode::BAD_REQUEST, "misplaced-key", detail)
}

/// Whether a key is one of ours, or was before it was mistyped.
fn is_ours(key: &str) -> bool {
    key.starts_with(OURS)
}

/// What stands where a provider's key does.
fn provider_credentials(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = PROVIDER_HEADERS.into_iter().flat_map(|name| headers.get_all(name));
    let values = values.filter_map(|value| value.to_str().ok());
    values
        .map(|value| value.split_once(' ').map_or(value, |(_, key)| key).trim())
        .filter(|key| !key.is_empty())
}

/// Refuses a request that has a key of ours where it would go upstream, however it is written there.
///
/// # Errors
/// When it has one: the caller's own, or any of that form.
pub(crate) fn check_nothing_leaks(head: &Head, key: &SecretString) -> Result<(), Refusal> {
    let has = |text: &str| holds_key(text, Some(key.expose_secret()));
    if has(&head.route.rest) || head.parts.uri.query().is_some_and(has) {
        return Err(misplaced(IN_ADDRESS));
    }
    let passing = upstream::passing(&head.parts.headers);
    // A cookie stays here, but whoever puts a key there meant another place.
    let cookies = head.parts.headers.get_all(header::COOKIE).iter().map(|value| (&header::COOKIE, value));
    match passing.iter().chain(cookies).find(|(_, value)| has(&String::from_utf8_lossy(value.as_bytes()))) {
        None => Ok(()),
        Some((name, _)) => Err(misplaced(&format!(
            "an anchord key stands in the header {name}, from where it would go to the provider"
        ))),
    }
}

/// Whether a text has a key of ours in it, as it is, percent-encoded or as a word in base64.
fn holds_key(text: &str, own: Option<&str>) -> bool {
    let has = |text: &str| {
        own.is_some_and(|own| text.contains(own))
            || text.match_indices(OURS).any(|(at, _)| {
                let rest = text.get(at + OURS.len()..).unwrap_or_default();
                rest.bytes().take_while(u8::is_ascii_alphanumeric).count() >= KEY_SIGNS
            })
    };
    let plain = percent_decode_str(text).decode_utf8_lossy();
    let twice = percent_decode_str(&plain).decode_utf8_lossy();
    let in_base64 = |word: &str| {
        let word = word.trim_matches(|sign: char| !sign.is_ascii_alphanumeric());
        STANDARD_NO_PAD.decode(word).is_ok_and(|bytes| has(&String::from_utf8_lossy(&bytes)))
    };
    has(text) || has(&plain) || has(&twice) || text.split_whitespace().any(in_base64)
}

/// Whether a key that is lent goes to an operation: those of a conversation, and the harmless ones that agents call.
fn is_lent_for(provider: Provider, method: &Method, path: &str) -> bool {
    let is_read = method == Method::GET || method == Method::HEAD;
    let conversations: &[&str] = match provider {
        Provider::Anthropic => &["/v1/messages", "/v1/messages/count_tokens"],
        Provider::Openai => {
            &["/v1/chat/completions", "/v1/responses", "/v1/responses/compact", "/v1/responses/input_tokens"]
        }
    };
    method == Method::POST && conversations.contains(&path)
        || is_read && (matches!(path, "/v1/models" | "/api/hello") || path.starts_with("/v1/models/"))
}

/// Whether a request comes from a program on this machine: over the loopback interface, to its name, through no proxy,
/// and from no page in a browser.
fn is_local(peer: Option<Peer>, parts: &Parts) -> bool {
    let headers = &parts.headers;
    let is_loopback = peer.is_some_and(|Peer(peer)| peer.ip().to_canonical().is_loopback());
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next().and_then(|value| value.to_str().ok()), hosts.next()) else {
        return false;
    };
    let name = host.rsplit_once(':').map_or(host, |(name, port)| {
        if port.bytes().all(|byte| byte.is_ascii_digit()) { name } else { host }
    });
    let name = name.trim_start_matches('[').trim_end_matches(']');
    let is_named = name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    // Proxies speak HTTP/1.0 to what stands behind them, unless they are told otherwise.
    let is_direct = parts.version == Version::HTTP_11
        && parts.uri.authority().is_none()
        && !headers.keys().any(|name| {
            let name = name.as_str();
            OF_OTHERS.contains(&name) || OF_OTHERS_BEGIN.iter().any(|begin| name.starts_with(begin))
        });
    is_loopback && is_named && is_direct
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::extract::Request;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain("anchord_KEY", true)]
    #[case::quoted("\"anchord_KEY\"", true)]
    #[case::cookie("a=b; key=anchord_KEY; c=d", true)]
    #[case::encoded("%61nchord%5FKEY", true)]
    #[case::encoded_twice("%2561nchord_KEY", true)]
    #[case::chosen("Basic chosen-by-the-operator-of-an-installation", true)]
    #[case::basic("Basic BASE64", true)]
    #[case::of_a_provider("Bearer sk-ant-KEY", false)]
    #[case::name("anchord_client/1.0", false)]
    fn a_key_of_ours_is_found_however_it_is_written(#[case] text: &str, #[case] expected: bool) {
        let key = "0".repeat(49);
        let encoded = base64::engine::general_purpose::STANDARD.encode(format!("user:anchord_{key}"));
        let text = text.replace("KEY", &key).replace("BASE64", &encoded);
        assert_eq!(holds_key(&text, Some("chosen-by-the-operator-of-an-installation")), expected, "{text}");
    }

    #[rstest]
    #[case("POST", "/v1/responses", true)]
    #[case("GET", "/v1/models/gpt-5", true)]
    #[case("DELETE", "/v1/models/gpt-5", false)]
    #[case("GET", "/v1/responses/resp_1", false)]
    #[case("POST", "/v1/files", false)]
    #[case("GET", "/v1/organization/admin_api_keys", false)]
    fn a_lent_key_goes_to_few_operations(#[case] method: &str, #[case] path: &str, #[case] expected: bool) {
        assert_eq!(is_lent_for(Provider::Openai, &method.parse().unwrap(), path), expected);
    }

    #[test]
    fn only_a_program_on_this_machine_needs_no_key() {
        let local = |peer: &str, headers: &[(&'static str, &str)]| {
            let mut request = Request::get("/gateway/openai/v1/models");
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let (parts, _) = request.body(Body::empty()).unwrap().into_parts();
            is_local(Some(Peer(peer.parse().unwrap())), &parts)
        };
        assert!(local("127.0.0.1:5", &[("host", "localhost:8080")]));
        assert!(local("[::1]:5", &[("host", "[::1]:8080")]));
        assert!(local("127.0.0.1:5", &[("host", "127.0.0.1")]));
        assert!(!local("10.0.0.1:5", &[("host", "localhost")]));
        assert!(
            !local("127.0.0.1:5", &[("host", "evil.example:8080")]),
            "a name that was bound to this address"
        );
        assert!(!local("127.0.0.1:5", &[("host", "localhost"), ("origin", "https://evil.example")]));
        assert!(!local("127.0.0.1:5", &[("host", "localhost"), ("x-forwarded-for", "10.0.0.1")]));
        assert!(!local("127.0.0.1:5", &[("host", "localhost"), ("sec-fetch-site", "cross-site")]));
        assert!(!local("127.0.0.1:5", &[("host", "localhost"), ("x-real-ip", "10.0.0.1")]));
        assert!(!local("127.0.0.1:5", &[("host", "localhost"), ("host", "evil.example")]));
        assert!(!local("127.0.0.1:5", &[]));
    }
}
