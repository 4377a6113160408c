//! Opaque items: summaries that an agent keeps without reading them, and sends back. Sealed, and bound to the tenant.

use axum::body::Bytes;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
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

/// Puts the text of an item of ours into the place of each, as a message. Returns whether there was one.
pub(crate) fn open_all(keys: &SecretKeys, tenant: TenantId, asked: &mut Asked) -> bool {
    let mut has_any = false;
    for item in &mut asked.list {
        if let Some(text) = open(keys, tenant, item) {
            let content = json!([{"type": "input_text", "text": format!("{INTRODUCTION}{text}")}]);
            *item = Bytes::from(json!({"type": "message", "role": "user", "content": content}).to_string());
            has_any = true;
        }
    }
    has_any
}

fn open(keys: &SecretKeys, tenant: TenantId, item: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Item {
        r#type: String,
        encrypted_content: String,
    }
    let item: Item = serde_json::from_slice(item).ok()?;
    if !item.r#type.starts_with("compaction") {
        return None;
    }
    open_item(keys, &item.encrypted_content).filter(|(of, _)| *of == tenant).map(|(_, text)| text)
}
