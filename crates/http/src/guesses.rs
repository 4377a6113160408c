//! Slows the guessing of keys and of the operator token: after some failures of one address, further attempts from there
//! are refused without a look-up for a while.
//!
//! A key that was good within the last hour is never refused for others' failures: behind a proxy or in an office many
//! callers have one address, and one of them must not shut the others out.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::request::Parts;
use governor::clock::Clock as _;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use ipnet::IpNet;
use moka::sync::Cache;

use super::problem::ApiError;
use anchord_store::keys::KeyDigest;

/// The failures of an address that are nobody's attack.
const BURST: NonZeroU32 = NonZeroU32::new(20).expect("not zero");
/// How long until another one is allowed.
const REFILL: Duration = Duration::from_secs(2);
/// The most addresses whose failures are counted. An attacker with more of them is slowed by none.
const MAX_ADDRESSES: u64 = 20_000;
/// How long the failures of an address are kept: until its burst is full again, and some more.
const FORGET_AFTER: Duration = Duration::from_mins(2);
/// The most keys that are remembered as good, and for how long.
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
    good: Cache<KeyDigest, ()>,
    proxies: Arc<[IpNet]>,
}

#[derive(Debug)]
struct Failures {
    limiter: DefaultDirectRateLimiter,
    refused_until: Moment,
}

/// An attempt to authenticate.
#[derive(Debug)]
pub(super) struct Attempt<'a> {
    guesses: &'a Guesses,
    /// `None` for a request without a connection.
    from: Option<IpAddr>,
    digest: KeyDigest,
}

impl Guesses {
    /// Counts by the address of the connection or, when that is one of these proxies, by the one that it forwards.
    #[must_use]
    pub fn new(proxies: &[IpNet]) -> Self {
        Self {
            failures: Cache::builder().max_capacity(MAX_ADDRESSES).time_to_idle(FORGET_AFTER).build(),
            good: Cache::builder().max_capacity(MAX_GOOD).time_to_live(GOOD_FOR).build(),
            proxies: proxies.into(),
        }
    }

    /// Begins an attempt, or refuses it because of earlier failures.
    pub(super) fn begin(&self, parts: &Parts, digest: KeyDigest) -> Result<Attempt<'_>, ApiError> {
        let from = self.address(parts).map(network);
        let failures = from.and_then(|from| self.failures.get(&from));
        if let Some(left) = failures.and_then(|failures| failures.refused_until.left())
            && !self.good.contains_key(&digest)
        {
            return Err(ApiError::TooManyFailures { retry_after: left });
        }
        Ok(Attempt { guesses: self, from, digest })
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
    /// Counts a failure.
    pub(super) fn failed(self) {
        self.guesses.good.invalidate(&self.digest);
        let Some(from) = self.from else { return };
        let quota = Quota::with_period(REFILL).unwrap_or_else(|| Quota::per_minute(BURST)).allow_burst(BURST);
        let new =
            || Arc::new(Failures { limiter: RateLimiter::direct(quota), refused_until: Moment::default() });
        let failures = self.guesses.failures.get_with(from, new);
        if let Err(refused) = failures.limiter.check() {
            failures.refused_until.set(refused.wait_time_from(failures.limiter.clock().now()));
        }
    }

    /// Remembers that the key is good.
    pub(super) fn succeeded(self) {
        if !self.guesses.good.contains_key(&self.digest) {
            self.guesses.good.insert(self.digest, ());
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
    use axum::http::Request;

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
    fn failures_are_refused_by_address_and_a_good_key_never_is() {
        let guesses = Guesses::new(&[]);
        let here = parts("2001:db8:1:2::1", &[]);
        guesses.begin(&here, [1; 32]).unwrap().succeeded();
        for _ in 0..=BURST.get() {
            guesses.begin(&here, [2; 32]).unwrap().failed();
        }
        let refused = guesses.begin(&parts("2001:db8:1:2::f", &[]), [3; 32]).unwrap_err();
        assert!(matches!(refused, ApiError::TooManyFailures { retry_after } if retry_after <= REFILL));
        assert!(guesses.begin(&parts("2001:db8:1:3::1", &[]), [3; 32]).is_ok(), "another network");
        guesses.begin(&here, [1; 32]).unwrap().failed();
        assert!(guesses.begin(&here, [1; 32]).is_err(), "it is good no longer");
    }
}
