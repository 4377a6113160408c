//! The HTTP client for webhooks: sends signed requests to addresses that tenants choose.
//!
//! Invariant: connections go to checked addresses only. Names are resolved here, every resolved address is checked, and
//! the connection uses one of them. No proxy is used, no redirect is followed, and only the status of a response is kept.
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

/// How long an attempt may take, from the resolution of the name to the head of the response.
pub const TIMEOUT: Duration = Duration::from_secs(10);
/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long an idle connection is kept.
const IDLE: Duration = Duration::from_secs(30);
/// The most idle connections to one server.
const IDLE_PER_HOST: usize = 2;

/// The outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendResult {
    /// The status of the response.
    pub status: Option<u16>,
    /// Why the attempt failed.
    pub failure: Option<Failure>,
    /// How long the receiver asks to wait.
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
        // Fails when a TLS crypto provider is installed already; that is the same one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            // A proxy would resolve the name itself.
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
        // IP addresses are never resolved, so they are checked here. The operator may also have changed what is allowed.
        let Ok(url) = target::parse(&attempt.url, self.reach) else {
            return SendResult::failed(Failure::Address);
        };
        let id = attempt.id.to_string();
        let secrets = match attempt.secrets.expose() {
            Ok(secrets) => secrets,
            Err(error) => {
                tracing::error!(%error, "webhook.secret_unreadable");
                return SendResult::failed(Failure::Secret);
            }
        };
        let signatures = signature::sign(secrets, &id, timestamp, &attempt.body);
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
                // The body is not read.
                let retry_after = failure.and_then(|_| retry_after(response.headers()));
                SendResult { status: Some(status.as_u16()), failure, retry_after }
            }
        }
    }
}

/// The wait in seconds. Dates are ignored, because they depend on the clock of the receiver.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// The kind of a failure. Its text may contain the address and is dropped.
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

/// A name without an address that webhooks may call. The error is the same for unknown names, so that tenants cannot
/// explore the operator's network.
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

/// The addresses, when all of them are allowed. A name with both public and private addresses is rejected as an attack.
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

    /// Tests the client alone, without the check of the URL.
    #[tokio::test]
    async fn a_connection_to_a_private_address_is_refused_as_such() {
        let client = WebhookClient::new(Reach::Public).expect("a client");
        let refused = client.http.post("http://localhost:9/").send().await.expect_err("no address");
        assert_eq!(classify(&refused), Failure::Address);
    }
}
