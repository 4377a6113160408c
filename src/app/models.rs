//! Builds the client of the model server from the configuration.

use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::config::{self, KeyHeader, LlmProvider};
use anchord_llm::{Client, Embedder, EmbeddingOptions, Options, Provider};
use anchord_session::summary_models::SummaryModels;

/// The list entry that allows any model.
const ANY: &str = "*";

/// The client, when a provider is configured.
///
/// # Errors
/// When the configuration names no model, or the client cannot be built.
pub(super) fn client(config: &config::Llm) -> Result<Option<Client>> {
    let provider = match config.llm_provider {
        LlmProvider::None => return Ok(None),
        LlmProvider::Openai => Provider::Openai,
        LlmProvider::Anthropic => Provider::Anthropic,
    };
    let model = config.llm_model.as_deref().context("ANCHORD_LLM_MODEL: the name of a model")?;
    let options = Options {
        base_url: config.llm_base_url.clone(),
        api_key: config.llm_api_key.clone(),
        sends_api_key: config.llm_key_header == KeyHeader::ApiKey,
        models: allowed(config).context("ANCHORD_LLM_MODEL: the name of a model")?,
        probe_model: config.probe_model.clone(),
        exam_model: config.exam_model.clone(),
        judge_model: config.judge_model.clone(),
        prices: config.llm_prices.iter().cloned().collect(),
        context_tokens: config.llm_context_tokens,
        input_tokens: config.llm_input_tokens,
        concurrency: config.llm_concurrency.into(),
        tenant_concurrency: config.llm_tenant_concurrency.into(),
        timeout: Duration::from_secs(config.llm_timeout.into()),
        ..Options::new(provider, model.to_owned())
    };
    Ok(Some(Client::new(options).context("the client of the model server")?))
}

/// The client of the embeddings server, when one is configured.
///
/// # Errors
/// When the client cannot be built.
pub(super) fn embedder(config: &config::Embeddings) -> Result<Option<Embedder>> {
    let Some((url, model)) = config.embeddings_url.as_deref().zip(config.embeddings_model.as_deref()) else {
        return Ok(None);
    };
    let options = EmbeddingOptions {
        api_key: config.embeddings_api_key.clone(),
        sends_api_key: config.embeddings_key_header == KeyHeader::ApiKey,
        ..EmbeddingOptions::new(url.to_owned(), model.to_owned())
    };
    Ok(Some(Embedder::new(options).context("the client of the embeddings server")?))
}

/// The models that sessions may name: the configured one and those that are listed, or any; `None` without a provider.
pub(super) fn allowed(config: &config::Llm) -> Option<SummaryModels> {
    let own = config.llm_model.as_deref().filter(|_| config.llm_provider != LlmProvider::None)?;
    let listed = config.models();
    if listed.iter().any(|name| name == ANY) {
        return Some(SummaryModels::Any);
    }
    Some(SummaryModels::Listed(std::iter::once(own.to_owned()).chain(listed).collect()))
}
