//! Slows the guessing of keys and of the operator token: after some failures of one address, further attempts from there
//! are refused without a look-up for a while.
//!
//! Behind a proxy or in an office many callers have one address, and one of them must not shut the others out. So what
//! was good at this address within the last hour is never refused for others' failures, and what has the form of a
//! generated key, which nobody guesses, is looked up all the same, in a line of its own ([`Line`]). Slowed are guesses of
//! what people chose.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::request::Parts;
use governor::clock::Clock as _;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use ipnet::IpNet;

use crate::problem::{ApiError, Result};
use anchord_runtime::cache::{Cache, Expiry};
use anchord_store::keys::{KeyDigest, Line, digest_key, is_generated};

/// The failures of an address that are nobody's attack.
const BURST: NonZeroU32 = NonZeroU32::new(20).expect("not zero");
/// How long until another one is allowed.
const REFILL: Duration = Duration::from_secs(2);
/// The most addresses whose failures are counted. An attacker with more of them is slowed by none.
const MAX_ADDRESSES: u64 = 20_000;
/// How long the failures of an address are kept: until its burst is full again, and some more.
const FORGET_AFTER: Duration = Duration::from_mins(2);
/// The most keys that are remembered as good at an address, and for how long.
const MAX_GOOD: u64 = 50_000;
const GOOD_FOR: Duration = Duration::from_hours(1);
/// The most entries of `X-Forwarded-For` that are read.
const MAX_HOPS: usize = 20;

/// The other end of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// The failures of all addresses.
#[derive(Clone, Debug)]
pub struct Guesses {
    failures: Cache<IpAddr, Arc<Failures>>,
    good: Cache<(IpAddr, KeyDigest), ()>,
    proxies: Arc<[IpNet]>,
}

#[derive(Debug)]
struct Failures {
    limiter: DefaultDirectRateLimiter,
    refused_until: Moment,
}

/// An attempt to authenticate.
#[derive(Debug)]
pub(crate) struct Attempt<'a> {
    guesses: &'a Guesses,
    /// `None` for a request without a connection.
    from: Option<IpAddr>,
    digest: KeyDigest,
}

impl Guesses {
    /// Counts by the address of the connection or, when that is one of these proxies, by the one that it forwards.
    pub fn new(proxies: &[IpNet]) -> Self {
        Self {
            failures: Cache::new(MAX_ADDRESSES, Expiry::Idle(FORGET_AFTER)),
            good: Cache::new(MAX_GOOD, Expiry::After(GOOD_FOR)),
            proxies: proxies.into(),
        }
    }

    /// Begins an attempt with a token, or refuses it because of earlier failures.
    pub(crate) fn begin(&self, parts: &Parts, token: &str) -> Result<Attempt<'_>> {
        let digest = digest_key(token);
        let from = self.address(parts).map(network);
        if let Some(from) = from
            && let Some(retry_after) = self.refused_for(from)
            && !is_generated(token)
            && !self.good.contains_key(&(from, digest))
        {
            return Err(ApiError::TooManyFailures { retry_after });
        }
        Ok(Attempt { guesses: self, from, digest })
    }

    /// How long further attempts from an address are refused.
    fn refused_for(&self, from: IpAddr) -> Option<Duration> {
        self.failures.get(&from)?.refused_until.left()
    }

    /// The address that the request comes from.
    fn address(&self, parts: &Parts) -> Option<IpAddr> {
        let Peer(peer) = parts.extensions.get::<Peer>()?;
        let mut address = peer.ip().to_canonical();
        let forwarded = parts.headers.get_all("x-forwarded-for").iter().rev();
        let hops = forwarded.filter_map(|value| value.to_str().ok()).flat_map(|value| value.rsplit(','));
        // From the right: what a client writes itself stands to the left of what the proxies add.
        for hop in hops.take(MAX_HOPS) {
            if !self.proxies.iter().any(|net| net.contains(&address)) {
                break;
            }
            let Some(next) = read_address(hop.trim()) else { break };
            address = next;
        }
        Some(address)
    }
}

impl Attempt<'_> {
    /// The digest of the token.
    pub(crate) fn digest(&self) -> KeyDigest {
        self.digest
    }

    /// The line in which the token's look-up waits.
    pub(crate) fn line(&self) -> Line {
        let Some(from) = self.from else { return Line::New };
        if self.guesses.good.contains_key(&(from, self.digest)) {
            Line::InUse
        } else if self.guesses.failures.contains_key(&from) {
            Line::Suspect
        } else {
            Line::New
        }
    }

    /// Counts a failure; returns its problem.
    pub(crate) fn failed(self, detail: &'static str) -> ApiError {
        let Some(from) = self.from else { return ApiError::Unauthorized(detail) };
        self.guesses.good.invalidate(&(from, self.digest));
        let quota = Quota::with_period(REFILL).unwrap_or_else(|| Quota::per_minute(BURST)).allow_burst(BURST);
        let new =
            || Arc::new(Failures { limiter: RateLimiter::direct(quota), refused_until: Moment::default() });
        let failures = self.guesses.failures.get_with(from, new);
        match failures.limiter.check() {
            Ok(()) => ApiError::Unauthorized(detail),
            Err(refused) => {
                let retry_after = refused.wait_time_from(failures.limiter.clock().now());
                failures.refused_until.set(retry_after);
                ApiError::TooManyFailures { retry_after }
            }
        }
    }

    /// Remembers that the token is good at this address.
    pub(crate) fn succeeded(self) {
        let Some(from) = self.from else { return };
        if !self.guesses.good.contains_key(&(from, self.digest)) {
            self.guesses.good.insert((from, self.digest), ());
        }
    }
}

/// An address as proxies write it, some with a port.
fn read_address(text: &str) -> Option<IpAddr> {
    let address = text.parse().or_else(|_| text.parse().map(|socket: SocketAddr| socket.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}

/// An address of IPv4, or the network of /64 that one subscriber of IPv6 has.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
    }
}

/// A moment that threads share.
#[derive(Debug, Default)]
struct Moment(Mutex<Option<Instant>>);

impl Moment {
    fn set(&self, after: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now().checked_add(after);
    }

    /// How long it is until then; `None` when it has passed.
    fn left(&self) -> Option<Duration> {
        let moment = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        moment?.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use anchord_store::keys::generate;
    use axum::http::Request;
    use secrecy::ExposeSecret as _;

    use super::*;

    fn parts(peer: &str, forwarded: &[&str]) -> Parts {
        let mut request = Request::builder();
        for value in forwarded {
            request = request.header("x-forwarded-for", *value);
        }
        let (mut parts, ()) = request.body(()).unwrap().into_parts();
        parts.extensions.insert(Peer(SocketAddr::new(peer.parse().unwrap(), 5)));
        parts
    }

    #[test]
    fn the_address_is_the_last_that_no_trusted_proxy_has() {
        let guesses = Guesses::new(&["10.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()]);
        let address =
            |peer, forwarded: &[&str]| guesses.address(&parts(peer, forwarded)).unwrap().to_string();
        assert_eq!(address("192.0.2.1", &["198.51.100.7"]), "192.0.2.1", "not a proxy of ours");
        assert_eq!(address("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(address("::ffff:10.0.0.1", &["1.1.1.1, 198.51.100.7, 10.2.3.4"]), "198.51.100.7");
        assert_eq!(address("::1", &["1.1.1.1", "198.51.100.7:443"]), "198.51.100.7");
        assert_eq!(address("10.0.0.1", &["1.1.1.1, [2001:db8::1]:443"]), "2001:db8::1");
        assert_eq!(
            address("10.0.0.1", &["1.1.1.1, unknown"]),
            "10.0.0.1",
            "what a proxy hides stays its own"
        );
    }

    #[test]
    fn failures_are_refused_by_address_and_what_is_good_there_never_is() {
        let guesses = Guesses::new(&[]);
        let [here, near, there] =
            ["2001:db8:1:2::1", "2001:db8:1:2::f", "2001:db8:1:3::1"].map(|peer| parts(peer, &[]));
        guesses.begin(&here, "good").unwrap().succeeded();
        for _ in 0..BURST.get() {
            assert!(matches!(guesses.begin(&here, "wrong").unwrap().failed(""), ApiError::Unauthorized(_)));
        }
        let refused = guesses.begin(&here, "wrong").unwrap().failed("");
        assert!(matches!(refused, ApiError::TooManyFailures { retry_after } if retry_after <= REFILL));
        assert!(matches!(guesses.begin(&near, "new"), Err(ApiError::TooManyFailures { .. })));
        assert!(guesses.begin(&there, "new").is_ok(), "another network");
        let key = generate();
        assert!(guesses.begin(&here, key.expose_secret()).is_ok(), "nobody guesses a generated key");
        guesses.begin(&here, "good").unwrap().failed("");
        assert!(guesses.begin(&here, "good").is_err(), "it is good no longer");
    }

    #[test]
    fn after_a_failure_new_keys_of_the_address_are_looked_up_apart_from_those_in_use() {
        let guesses = Guesses::new(&[]);
        let [here, there] = ["192.0.2.1", "192.0.2.2"].map(|peer| parts(peer, &[]));
        let [used, invented] = [generate(), generate()];
        let line = |parts: &Parts, key: &str| guesses.begin(parts, key).unwrap().line();
        assert_eq!(line(&here, used.expose_secret()), Line::New);
        guesses.begin(&here, used.expose_secret()).unwrap().succeeded();
        guesses.begin(&here, invented.expose_secret()).unwrap().failed("");
        assert_eq!(line(&here, invented.expose_secret()), Line::Suspect);
        assert_eq!(line(&here, used.expose_secret()), Line::InUse);
        assert_eq!(line(&there, invented.expose_secret()), Line::New);
    }
}
