//! Opaque items: summaries that an agent keeps without reading them, and sends back. Sealed, and bound to the tenant.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use axum::body::{Body, Bytes};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures::StreamExt as _;
use regex::bytes::Regex;
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use crate::request::Asked;
use anchord_messages::id::TenantId;
use anchord_store::secrets::SecretKeys;

/// How ours begin.
const OURS: &str = "anchord:";
/// Words of an introduction, for the model that reads the summary as a message.
const INTRODUCTION: &str = "The conversation before this point was summarised. It holds; go on from it:\n\n";

/// Seals a text; `None` without a key to seal with. The item names its tenant, so that the operator can open it.
pub(crate) fn seal(keys: &SecretKeys, tenant: TenantId, text: &str) -> Option<String> {
    let sealed = keys.seal(tenant, text.as_bytes())?;
    Some(format!("{OURS}{}.{}", tenant.0.simple(), URL_SAFE_NO_PAD.encode(sealed)))
}

/// The text of a sealed item, with its tenant; `None` for anything that these keys have not sealed.
pub fn open_item(keys: &SecretKeys, item: &str) -> Option<(TenantId, String)> {
    let (tenant, sealed) = item.strip_prefix(OURS)?.split_once('.')?;
    let tenant = TenantId(Uuid::try_parse(tenant).ok()?);
    let text = keys.unseal(tenant, &URL_SAFE_NO_PAD.decode(sealed).ok()?)?;
    Some((tenant, String::from_utf8(text).ok()?))
}

/// Whether a body has an item of ours.
pub(crate) fn has_any(body: &[u8]) -> bool {
    memchr::memmem::find(body, OURS.as_bytes()).is_some()
}

/// An item of ours that cannot be opened for this tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Closed;

/// Puts the text of an item of ours into the place of each, as a message. Returns whether there was one.
pub(crate) fn open_all(keys: &SecretKeys, tenant: TenantId, asked: &mut Asked) -> Result<bool, Closed> {
    let mut has_any = false;
    for item in &mut asked.list {
        let Some(sealed) = sealed(item) else { continue };
        let (_, text) = open_item(keys, &sealed).filter(|(of, _)| *of == tenant).ok_or(Closed)?;
        let content = json!([{"type": "input_text", "text": format!("{INTRODUCTION}{text}")}]);
        *item = Bytes::from(json!({"type": "message", "role": "user", "content": content}).to_string());
        has_any = true;
    }
    Ok(has_any)
}

/// The sealed text of an item of ours.
fn sealed(item: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Item {
        r#type: String,
        encrypted_content: String,
    }
    if !has_any(item) {
        return None;
    }
    let item: Item = serde_json::from_slice(item).ok()?;
    (item.r#type.starts_with("compaction") && item.encrypted_content.starts_with(OURS))
        .then_some(item.encrypted_content)
}

/// A body that is not read, as it passes: it ends in an error before an item of ours, of which `found` then tells.
pub(crate) fn without_any(body: Body, found: Arc<AtomicBool>) -> Body {
    let mut seen = vec![b' '];
    let chunks = body.into_data_stream().map(move |chunk| {
        let chunk = chunk?;
        seen.extend_from_slice(&chunk);
        if begins_in(&seen) {
            found.store(true, Ordering::Relaxed);
            return Err(axum::Error::new(io::Error::other("an item of ours")));
        }
        seen.drain(..seen.len().saturating_sub(BEGIN_BYTES - 1));
        Ok(chunk)
    });
    Body::from_stream(chunks)
}

/// The bytes by which an item of ours is known: a sign, a quotation mark, `anchord:`, its tenant and a point.
const BEGIN_BYTES: usize = 43;

/// Whether an item of ours begins somewhere in a body that is not read; a text that quotes one has a backslash there.
pub(crate) fn begins_in(body: &[u8]) -> bool {
    static BEGIN: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"(?-u)[^\\]"anchord:[0-9a-f]{32}\."#).ok());
    BEGIN.as_ref().is_some_and(|begin| begin.is_match(body))
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::item(&format!("{{\"encrypted_content\": \"anchord:{}.abc\"}}", "0".repeat(32)), true)]
    #[case::words("{\"text\": \"anchord: a service\"}", false)]
    #[case::quotation(&format!("{{\"text\": \"it has \\\"anchord:{}.abc\\\"\"}}", "0".repeat(32)), false)]
    #[tokio::test]
    async fn a_body_ends_before_an_item_wherever_its_chunks_are_cut(
        #[case] body: &str,
        #[case] is_item: bool,
    ) {
        for cut in 0..body.len() {
            let (begin, end) = body.split_at(cut);
            let chunks = [begin, end].map(|part| Ok::<_, io::Error>(Bytes::copy_from_slice(part.as_bytes())));
            let found = Arc::new(AtomicBool::new(false));
            let passing = without_any(Body::from_stream(futures::stream::iter(chunks)), Arc::clone(&found));
            let passed = passing.collect().await.map(http_body_util::Collected::to_bytes);
            assert_eq!(found.load(Ordering::Relaxed), is_item, "cut at {cut}");
            assert_eq!(passed.ok(), (!is_item).then(|| Bytes::copy_from_slice(body.as_bytes())));
        }
    }
}
