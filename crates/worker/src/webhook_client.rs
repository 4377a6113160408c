//! Calls to addresses that a tenant has chosen.
//!
//! Invariant: a connection goes to an address that was checked, and to no other: names are resolved here,
//! every address of the answer is looked at, and what was looked at is what is connected to. No proxy stands
//! between, no redirect is followed, and nothing of an answer is kept but its status.
//!
//! This client is not the one for models: that one goes where the operator says, may use a proxy and reads megabytes.
//! A flag on a shared client would be forgotten once.

use std::error::Error;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};

use anchord_store::deliveries::queue::Attempt;
use anchord_webhooks::address::{is_public_v4, is_public_v6};
use anchord_webhooks::target::{self, Reach};
use anchord_webhooks::{Failure, signature};

/// How long an attempt may take, from the look for its address to the head of the answer.
pub const TIMEOUT: Duration = Duration::from_secs(10);
/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a connection is kept for the next message to the same server.
const IDLE: Duration = Duration::from_secs(30);
/// Connections that are kept for one server.
const IDLE_PER_HOST: usize = 2;

/// What an attempt came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendResult {
    /// What the receiver answered.
    pub status: Option<u16>,
    /// Why it failed.
    pub failure: Option<Failure>,
    /// How long it asks to be left alone.
    pub retry_after: Option<Duration>,
}

impl SendResult {
    fn failed(failure: Failure) -> Self {
        Self { status: None, failure: Some(failure), retry_after: None }
    }
}

/// A client for webhooks; cheap to clone.
#[derive(Clone)]
pub struct WebhookClient {
    http: reqwest::Client,
    reach: Reach,
}

impl fmt::Debug for WebhookClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookClient").field("reach", &self.reach).finish_non_exhaustive()
    }
}

impl WebhookClient {
    /// Builds the client.
    ///
    /// # Errors
    /// When the system's certificates cannot be read.
    pub fn new(reach: Reach) -> Result<Self, reqwest::Error> {
        // Of several in a process the first stays, and all are the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            // A proxy would resolve the name anew.
            .no_proxy()
            .dns_resolver(CheckedResolver { reach })
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(IDLE_PER_HOST)
            .user_agent(concat!("anchord/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self { http, reach })
    }

    /// Sends a message once; `timestamp` is when, in seconds since 1970.
    pub async fn send(&self, attempt: &Attempt, timestamp: i64) -> SendResult {
        // Numbers are never resolved, so they are looked at here; and what the operator allows may have changed.
        let Ok(url) = target::parse(&attempt.url, self.reach) else {
            return SendResult::failed(Failure::Address);
        };
        let id = attempt.id.to_string();
        let signatures = signature::sign(attempt.secrets.expose(), &id, timestamp, &attempt.body);
        let request = self
            .http
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", signatures)
            .body(attempt.body.clone());
        match tokio::time::timeout(TIMEOUT, request.send()).await {
            Err(_) => SendResult::failed(Failure::Timeout),
            Ok(Err(error)) => SendResult::failed(classify(&error)),
            Ok(Ok(response)) => {
                let status = response.status();
                let failure = (!status.is_success()).then_some(Failure::Status);
                // The body is dropped unread.
                let retry_after = failure.and_then(|_| retry_after(response.headers()));
                SendResult { status: Some(status.as_u16()), failure, retry_after }
            }
        }
    }
}

/// Seconds; a date would need the receiver's clock.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// The kind of a failure; its words may hold the address and go no further.
fn classify(error: &reqwest::Error) -> Failure {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.is::<ForbiddenAddress>() {
            return Failure::Address;
        }
        let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        if error.is::<rustls::Error>() || inner.is_some_and(<dyn Error + Send + Sync>::is::<rustls::Error>) {
            return Failure::Tls;
        }
        if inner.is_some_and(<dyn Error + Send + Sync>::is::<ForbiddenAddress>) {
            return Failure::Address;
        }
        cause = error.source();
    }
    if error.is_timeout() { Failure::Timeout } else { Failure::Connection }
}

/// A name that leads nowhere where a webhook may be. It does not tell whether the name is known: names of
/// the operator's own network are nobody else's business.
#[derive(Debug, thiserror::Error)]
#[error("the name leads to no address that may be called")]
struct ForbiddenAddress;

/// Resolves names to addresses that may be called.
struct CheckedResolver {
    reach: Reach,
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.reach;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await.map_err(|_| ForbiddenAddress)?;
            let addresses = checked(found.collect(), reach).ok_or(ForbiddenAddress)?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// The addresses, when every one of them may be called: a name that leads both out and in is a trap.
fn checked(addresses: Vec<SocketAddr>, reach: Reach) -> Option<Vec<SocketAddr>> {
    let may_be_called = |address: &SocketAddr| match address.ip() {
        IpAddr::V4(ip) => is_public_v4(ip.octets()),
        IpAddr::V6(ip) => is_public_v6(ip.octets()),
    };
    let good = reach == Reach::Any || addresses.iter().all(may_be_called);
    (good && !addresses.is_empty()).then_some(addresses)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(list: &[&str]) -> Vec<SocketAddr> {
        list.iter().map(|text| SocketAddr::new(text.parse().expect("an address"), 0)).collect()
    }

    #[test]
    fn a_name_with_one_private_address_leads_nowhere() {
        let both = addresses(&["93.184.216.34", "10.0.0.1"]);
        assert_eq!(checked(both.clone(), Reach::Public), None);
        assert_eq!(checked(both.clone(), Reach::Any), Some(both));
        let public = addresses(&["93.184.216.34", "2606:4700::1"]);
        assert_eq!(checked(public.clone(), Reach::Public), Some(public));
        assert_eq!(checked(Vec::new(), Reach::Any), None);
        assert_eq!(checked(addresses(&["::ffff:127.0.0.1"]), Reach::Public), None);
    }

    #[tokio::test]
    async fn a_name_is_checked_where_it_is_resolved() {
        let resolver = |reach| CheckedResolver { reach };
        let name = || "localhost".parse::<Name>().expect("a name");
        assert!(resolver(Reach::Public).resolve(name()).await.is_err());
        assert!(resolver(Reach::Any).resolve(name()).await.is_ok_and(|mut found| found.next().is_some()));
    }

    /// The client itself, without the look at the URL before it.
    #[tokio::test]
    async fn a_connection_to_a_private_address_is_refused_as_such() {
        let client = WebhookClient::new(Reach::Public).expect("a client");
        let refused = client.http.post("http://localhost:9/").send().await.expect_err("no address");
        assert_eq!(classify(&refused), Failure::Address);
    }
}
