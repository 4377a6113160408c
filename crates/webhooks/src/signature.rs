//! Signs a message by the symmetric scheme of Standard Webhooks.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// The length of a secret, in bytes.
pub const SECRET_BYTES: usize = 32;

/// A secret in the form that its receiver stores.
pub fn told(secret: &[u8]) -> String {
    format!("whsec_{}", STANDARD.encode(secret))
}

/// The value of the header `webhook-signature`: one signature for each secret, separated by spaces.
pub fn sign<'a>(secrets: impl IntoIterator<Item = &'a [u8]>, id: &str, timestamp: i64, body: &str) -> String {
    let signatures = secrets.into_iter().filter_map(|secret| {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret).ok()?;
        for part in [id, ".", &timestamp.to_string(), ".", body] {
            mac.update(part.as_bytes());
        }
        Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
    });
    signatures.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected value comes from another HMAC implementation.
    #[test]
    fn signatures_are_those_of_the_standard() {
        let secret = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").expect("base64");
        let signed = sign(
            [secret.as_slice()],
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        let ours: Vec<u8> = (0..32).collect();
        let id = "dlv_01929f5be2c47c3fb1c4a6d24b4e1a10";
        let signed = sign([ours.as_slice()], id, 1_700_000_000, r#"{"type":"webhook.test"}"#);
        assert_eq!(signed, "v1,DfGS5D0y+Cv8yNIP6trK87HAEOcHEa63SWfOZ5WL0Ws=");
    }

    #[test]
    fn two_secrets_make_two_signatures() {
        let both = sign([[1_u8; 32].as_slice(), &[2; 32]], "dlv_1", 7, "{}");
        let each = [[1_u8; 32], [2; 32]].map(|secret| sign([secret.as_slice()], "dlv_1", 7, "{}"));
        assert_eq!(both, each.join(" "));
        assert_ne!(each[0], each[1]);
    }

    #[test]
    fn a_secret_is_told_as_base64_behind_its_prefix() {
        let told = told(&[7; SECRET_BYTES]);
        let secret = told.strip_prefix("whsec_").and_then(|text| STANDARD.decode(text).ok());
        assert_eq!(secret.as_deref(), Some([7; SECRET_BYTES].as_slice()));
    }
}
