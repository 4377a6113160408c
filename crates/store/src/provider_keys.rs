//! Keys of model providers that the operator gives to a tenant: the gateway sends them upstream, so that agents have anchord
//! keys alone. They are encrypted, and nobody reads them back.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::{Value, json};

use super::error::expect_rows;
use crate::prelude::*;

/// A change of a tenant's keys of model providers; an absent field keeps its value, and null takes the key away.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(examples(json!({"anthropic": "sk-ant-0123456789", "openai": null})))]
pub struct ProviderKeys {
    /// The key that goes to Anthropic.
    #[serde(default, deserialize_with = "anchord_messages::patch::present")]
    #[schema(value_type = Option<String>, write_only, min_length = 1, max_length = 4096, pattern = "^[!-~]+$")]
    pub anthropic: Option<Option<SecretString>>,
    /// The key that goes to OpenAI.
    #[serde(default, deserialize_with = "anchord_messages::patch::present")]
    #[schema(value_type = Option<String>, write_only, min_length = 1, max_length = 4096, pattern = "^[!-~]+$")]
    pub openai: Option<Option<SecretString>>,
}

impl ProviderKeys {
    /// Each that is to change, with its provider.
    pub fn changes(&self) -> impl Iterator<Item = (&'static str, Option<&SecretString>)> {
        let fields = [("anthropic", &self.anthropic), ("openai", &self.openai)];
        fields.into_iter().filter_map(|(name, key)| Some((name, key.as_ref()?.as_ref())))
    }
}

impl Store {
    /// Whether keys of providers can be stored, which needs a key that encrypts them.
    pub fn keeps_provider_keys(&self) -> bool {
        self.secret_keys.encrypts()
    }

    /// A tenant's key of a provider; `None` when it has none, or none that can be decrypted.
    pub async fn provider_key(&self, tenant: TenantId, provider: &str) -> Result<Option<SecretString>> {
        let mut tx = self.snapshot(tenant).await?;
        let stored = stored_key(&mut tx, tenant, provider).await?;
        Ok(stored.and_then(|stored| self.unsealed(tenant, &stored)))
    }

    fn unsealed(&self, tenant: TenantId, stored: &str) -> Option<SecretString> {
        let key = self.secret_keys.unseal(tenant, &STANDARD.decode(stored).ok()?)?;
        String::from_utf8(key).ok().map(SecretString::from)
    }

    /// Encrypts a tenant's keys of providers again, with the first key. Returns whether all of them could be decrypted.
    pub(super) async fn encrypt_provider_keys_again(&self, tenant: TenantId) -> Result<bool> {
        // It fails when the operator changes them meanwhile, and is done with the next round.
        let mut tx = self.writable_snapshot(tenant).await?;
        let mut keys = ProviderKeys::default();
        let mut are_readable = true;
        for (provider, key) in [("anthropic", &mut keys.anthropic), ("openai", &mut keys.openai)] {
            let Some(stored) = stored_key(&mut tx, tenant, provider).await? else { continue };
            *key = self.unsealed(tenant, &stored).map(Some);
            if key.is_none() {
                are_readable = false;
                tracing::error!(tenant.id = %tenant, provider, "tenants.provider_key_unreadable");
            }
        }
        self.store_provider_keys(&mut tx, tenant, &keys).await?;
        tx.commit().await?;
        Ok(are_readable)
    }

    pub(super) async fn store_provider_keys(
        &self,
        tx: &mut PgConnection,
        tenant: TenantId,
        keys: &ProviderKeys,
    ) -> Result<()> {
        let sealed = |key: &SecretString| {
            self.secret_keys
                .seal(tenant, key.expose_secret().as_bytes())
                .map(|sealed| STANDARD.encode(sealed))
        };
        let change = keys.changes().map(|(name, key)| (name.to_owned(), json!(key.and_then(sealed))));
        let change = Value::Object(change.collect()).to_string();
        let done = sqlx::query!(
            "update tenants set provider_keys = jsonb_strip_nulls(provider_keys::jsonb || $2::text::jsonb)::json
             where id = $1",
            tenant.0,
            change
        );
        expect_rows("the update of a tenant", 1, done.execute(tx).await?.rows_affected())
    }
}

/// A tenant's key of a provider as it is stored.
async fn stored_key(tx: &mut PgConnection, tenant: TenantId, provider: &str) -> Result<Option<String>> {
    let stored =
        sqlx::query_scalar!(r#"select provider_keys ->> $2 from tenants where id = $1"#, tenant.0, provider);
    Ok(stored.fetch_optional(tx).await?.flatten())
}
