//! Models: what is known of the models that sessions talk to, and what a tenant adds.

use crate::api::prelude::*;
use anchord_messages::tokens::Tokenizer;
use anchord_session::models::{self, KnownModel, MAX_OWN_MODELS, Origin, OwnModel};
use anchord_session::settings::{MAX_CONTEXT_WINDOW, usual_reserve};
use anchord_store::tenants::WideModels;

/// A model that sessions can name.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Model)]
pub struct ModelView {
    /// Its names. The names of a built-in model stand for their variants, too: with a provider prefix, or a date, size or tag
    /// suffix (`openai/gpt-4o`, `gpt-4o-2024-08-06`, `qwen3:8b`). Upper and lower case are the same, and so are `.`, `_`, `:` and
    /// `-`. A tenant's model has one name, which stands for itself, provider and `:latest` aside.
    pub names: Vec<String>,
    /// Who made it; absent for a tenant's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The context window, in tokens of the model: prompt and answer.
    pub context_window: u32,
    /// The most tokens of a prompt, where its provider takes fewer than the window has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_input_tokens: Option<u32>,
    /// The most tokens of an answer, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// The reserve for the answer of sessions that set none: the longest answer, at most a fifth of the window, and at
    /// least what a prompt may not take.
    pub reserved_output_tokens: u32,
    /// The tokenizer that is closest to the model's own.
    pub tokenizer: Tokenizer,
    /// Where the figures come from; absent for a tenant's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The day on which they were read there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(examples("2026-07-02"))]
    pub as_of: Option<String>,
    /// Who says so.
    pub origin: Origin,
}

impl From<KnownModel> for ModelView {
    fn from(model: KnownModel) -> Self {
        let limits = model.limits;
        Self {
            names: model.names,
            provider: model.provider,
            context_window: limits.context_window,
            max_input_tokens: limits.max_input_tokens,
            max_output_tokens: limits.max_output_tokens,
            reserved_output_tokens: limits
                .reserve(limits.context_window, usual_reserve(limits.context_window)),
            tokenizer: limits.tokenizer,
            source: model.source,
            as_of: model.as_of,
            origin: model.origin,
        }
    }
}

/// The path of one model.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct ModelPath {
    /// Its name, with `/` as `%2F`.
    #[param(min_length = 1, max_length = 200, example = "gpt-4o")]
    pub name: String,
}

/// A model of the tenant's.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ModelRequest, examples(json!({"context_window": 32_768, "max_output_tokens": 4_096, "tokenizer": "cl100k_base"})))]
pub struct NewModel {
    /// The context window, in tokens of the model: prompt and answer.
    #[schema(minimum = 1_000, maximum = 10_000_000)]
    pub context_window: u32,
    /// The most tokens of an answer.
    #[schema(minimum = 1, maximum = 10_000_000)]
    pub max_output_tokens: Option<u32>,
    /// The tokenizer that is closest to the model's own. Default `o200k_base`.
    #[serde(default)]
    pub tokenizer: Tokenizer,
}

/// Lists the models that are known: the tenant's, then those of the service.
#[utoipa::path(
    get, path = "/v1/models", tag = "models", operation_id = "models.list", params(PageQuery),
    responses((status = 200, body = Page<ModelView>, description = "A page of models."))
)]
pub async fn list_models(
    Reader { caller, state }: Reader,
    Query(query): Query<PageQuery>,
) -> Result<Reply<Page<ModelView>>> {
    let paging = Paging::<usize>::read(&caller, "models", query.limit, query.cursor.as_deref())?;
    let own = own(&state, caller.tenant).await?;
    let from = paging.after.map_or(0, |at| at.saturating_add(1));
    let wanted = usize::try_from(paging.rows()).unwrap_or(usize::MAX);
    let rows = models::known(&own).enumerate().skip(from).take(wanted).collect();
    Ok(Reply(paging.page(rows, |(at, _)| *at).map(|(_, model)| model.into())))
}

/// Finds the model that a name stands for.
#[utoipa::path(
    get, path = "/v1/models/{name}", tag = "models", operation_id = "models.get", params(ModelPath),
    responses((status = 200, body = ModelView, description = "The model."))
)]
pub async fn find_model(
    Reader { caller, state }: Reader,
    Path(path): Path<ModelPath>,
) -> Result<Reply<ModelView>> {
    let own = own(&state, caller.tenant).await?;
    let found = models::find(&path.name, &own).or_missing(Kind::ModelNotFound)?;
    Ok(Reply(found.into()))
}

/// Adds a model of the tenant's, or replaces it.
///
/// It overrides a built-in model of the same name, from the next request on in every session that names it.
/// A tenant has at most 50.
#[utoipa::path(
    put, path = "/v1/models/{name}", tag = "models", operation_id = "models.put", params(ModelPath), request_body = NewModel,
    responses(
        (status = 200, body = ModelView, description = "It was there and is replaced."),
        (status = 201, body = ModelView, description = "It is added.")
    )
)]
pub async fn put_model(
    Admin { caller, state }: Admin,
    Path(path): Path<ModelPath>,
    body: Json<NewModel>,
) -> Result<(StatusCode, Reply<ModelView>)> {
    let NewModel { context_window, max_output_tokens, tokenizer } = body.value;
    if !models::is_name(&path.name) {
        return Err(ApiError::parameter("name", "must have 1 to 200 characters and no control characters"));
    }
    if !(1_000..=MAX_CONTEXT_WINDOW).contains(&context_window) {
        let detail = format!("must be from 1000 to {MAX_CONTEXT_WINDOW} tokens");
        return Err(ApiError::invalid("/context_window", detail));
    }
    if max_output_tokens.is_some_and(|most| !(1..=context_window).contains(&most)) {
        let detail = format!("must be from 1 to context_window, {context_window} tokens");
        return Err(ApiError::invalid("/max_output_tokens", detail));
    }
    let model = OwnModel { name: path.name, context_window, max_output_tokens, tokenizer };
    let view = KnownModel::from(&model).into();
    let put = state.store.put_wide_model(caller.tenant, model, caller.actor()).await?;
    match put.or_missing(Kind::TenantNotFound)? {
        WideModels::Added => Ok((StatusCode::CREATED, Reply(view))),
        WideModels::Replaced => Ok((StatusCode::OK, Reply(view))),
        WideModels::Full => {
            let detail = format!(
                "the tenant has {MAX_OWN_MODELS} models, the most that it may have; delete one first"
            );
            Err(ApiError::parameter("name", detail))
        }
    }
}

/// Removes a model of the tenant's.
///
/// Sessions that name it go on with a built-in one of the name, or with the default window when there is none.
#[utoipa::path(
    delete, path = "/v1/models/{name}", tag = "models", operation_id = "models.delete", params(ModelPath),
    responses((status = 204, description = "It is gone."))
)]
pub async fn delete_model(Admin { caller, state }: Admin, Path(path): Path<ModelPath>) -> Result<StatusCode> {
    let removed = state.store.delete_wide_model(caller.tenant, &path.name, caller.actor()).await?;
    if removed {
        return Ok(StatusCode::NO_CONTENT);
    }
    if models::find(&path.name, &[]).is_some() {
        let detail = "the model is built in, and only models that the tenant added can be deleted; add one of the same \
                      name to override it";
        return Err(ApiError::Elsewhere(Kind::ModelNotFound, detail));
    }
    Err(ApiError::NotFound(Kind::ModelNotFound))
}

async fn own(state: &AppState, tenant: TenantId) -> Result<Vec<OwnModel>> {
    let tenant = state.store.find_tenant(tenant).await?.or_missing(Kind::TenantNotFound)?;
    Ok(tenant.settings.wide_models().to_vec())
}
