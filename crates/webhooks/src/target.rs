//! Which URLs a webhook may have, as far as this can be checked without resolving the name.
//!
//! The name is not resolved when a webhook is created: an API process may have no resolver, and the result
//! would say nothing about later calls. The worker's resolver checks the addresses of every connection. A
//! test message shows at once whether a URL works.

use url::{Host, Url};

use super::address::{is_public_v4, is_public_v6};

/// The most characters of a webhook's URL.
pub const MAX_URL_CHARS: usize = 2_048;

/// Name suffixes that no public server has.
const LOCAL_ENDINGS: [&str; 8] =
    ["localhost", "local", "internal", "intranet", "lan", "home.arpa", "corp", "localdomain"];

/// Which addresses the operator allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Public addresses, over https.
    #[default]
    Public,
    /// Any address, also over http.
    Any,
}

/// Why a URL is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// It cannot be parsed.
    #[error("must be an absolute URL without blanks, of at most {MAX_URL_CHARS} characters")]
    Malformed,
    /// It is neither `https` nor an allowed `http`.
    #[error("must begin with https://")]
    Scheme,
    /// It contains a user name or a password.
    #[error("must not hold a user name or a password: the signature tells who calls")]
    Credentials,
    /// It has a fragment, which is never sent.
    #[error("must not have a fragment")]
    Fragment,
    /// Its port is 0.
    #[error("must not have port 0")]
    Port,
    /// Its host is in a private network.
    #[error("must not lead to an address that is private, local or reserved")]
    Private,
}

/// Parses the URL of a webhook.
///
/// # Errors
/// When a webhook may not have this URL.
pub fn parse(text: &str, reach: Reach) -> Result<Url, TargetError> {
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control();
    if text.chars().count() > MAX_URL_CHARS || !text.chars().all(is_plain) {
        return Err(TargetError::Malformed);
    }
    let url = Url::parse(text).map_err(|_| TargetError::Malformed)?;
    match (url.scheme(), reach) {
        ("https", _) | ("http", Reach::Any) => {}
        _ => return Err(TargetError::Scheme),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(TargetError::Credentials);
    }
    if url.fragment().is_some() {
        return Err(TargetError::Fragment);
    }
    let is_open = match url.host().ok_or(TargetError::Malformed)? {
        _ if reach == Reach::Any => true,
        Host::Ipv4(address) => is_public_v4(address.octets()),
        Host::Ipv6(address) => is_public_v6(address.octets()),
        Host::Domain(name) => is_public_name(name),
    };
    if url.port() == Some(0) {
        return Err(TargetError::Port);
    }
    if is_open { Ok(url) } else { Err(TargetError::Private) }
}

/// Whether a name can be public. Its addresses are checked at every call.
fn is_public_name(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_below = |end: &str| name.strip_suffix(end).is_some_and(|n| n.is_empty() || n.ends_with('.'));
    // A name without a dot is resolved in the machine's own search domains.
    name.contains('.') && !LOCAL_ENDINGS.into_iter().any(is_below)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain("https://example.com/hook")]
    #[case::port_and_query("https://hooks.example.com:8443/a/b?token=1")]
    #[case::final_dot("https://example.com./")]
    #[case::number("https://8.8.8.8/")]
    #[case::version_six("https://[2606:4700::1]/")]
    #[case::international("https://bücher.example/")]
    #[case::looks_local("https://notlocalhost.com/ ")]
    fn a_public_https_url_is_taken(#[case] url: &str) {
        assert!(parse(url.trim(), Reach::Public).is_ok(), "{url}");
    }

    #[rstest]
    #[case::loopback("https://127.0.0.1/")]
    #[case::decimal("https://2130706433/")]
    #[case::hexadecimal("https://0x7f.0.0.1/")]
    #[case::octal("https://0177.0.0.1/")]
    #[case::short("https://127.1/")]
    #[case::full_width("https://１２７.0.0.1/")]
    #[case::metadata("https://169.254.169.254/latest/meta-data/")]
    #[case::mapped("https://[::ffff:10.0.0.1]/")]
    #[case::loopback_six("https://[::1]:8443/")]
    #[case::localhost("https://localhost/")]
    #[case::localhost_dot("https://LOCALHOST./")]
    #[case::below_localhost("https://a.localhost/")]
    #[case::single_label("https://postgres/")]
    #[case::cluster("https://api.default.svc.cluster.local/")]
    #[case::cloud("https://metadata.google.internal/")]
    fn a_private_one_is_refused_in_every_spelling(#[case] url: &str) {
        assert_eq!(parse(url, Reach::Public), Err(TargetError::Private), "{url}");
    }

    #[rstest]
    #[case("http://example.com/", TargetError::Scheme)]
    #[case("ftp://example.com/", TargetError::Scheme)]
    #[case("file:///etc/passwd", TargetError::Scheme)]
    #[case("https://example.com:0/", TargetError::Port)]
    #[case("https://user@example.com/", TargetError::Credentials)]
    #[case("https://:secret@example.com/", TargetError::Credentials)]
    #[case("https://example.com/#top", TargetError::Fragment)]
    #[case("example.com/hook", TargetError::Malformed)]
    #[case("https://", TargetError::Malformed)]
    #[case("https://exa mple.com/", TargetError::Malformed)]
    #[case("https://example.com/\n", TargetError::Malformed)]
    #[case("", TargetError::Malformed)]
    fn what_is_no_url_for_a_webhook_is_refused(#[case] url: &str, #[case] why: TargetError) {
        assert_eq!(parse(url, Reach::Public), Err(why), "{url}");
    }

    #[test]
    fn a_url_has_a_bound() {
        let url = format!("https://example.com/{}", "a".repeat(MAX_URL_CHARS));
        assert_eq!(parse(&url, Reach::Any), Err(TargetError::Malformed));
    }

    #[test]
    fn an_operator_may_allow_addresses_of_their_own_network() {
        for url in ["http://127.0.0.1:9000/hook", "http://hooks.svc.cluster.local/", "https://localhost/"] {
            assert!(parse(url, Reach::Any).is_ok(), "{url}");
        }
        assert_eq!(parse("ftp://10.0.0.1/", Reach::Any), Err(TargetError::Scheme));
    }
}
