//! Finds a model: first among those of the tenant, then among those that are known everywhere.

use serde::Serialize;
use utoipa::ToSchema;

use super::limits::ModelLimits;
use super::own::OwnModel;
use super::table;

/// Who says what a model takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = ModelOrigin)]
pub enum Origin {
    /// The service.
    BuiltIn,
    /// The tenant.
    Tenant,
}

/// A model that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownModel {
    /// Its names. The names of built-in models stand for their variants, too.
    pub names: Vec<String>,
    /// Who made it; `None` for a tenant's.
    pub provider: Option<String>,
    /// Its limits.
    pub limits: ModelLimits,
    /// Where the figures come from; `None` for a tenant's.
    pub source: Option<String>,
    /// The day on which they were read there.
    pub as_of: Option<String>,
    /// Who says so.
    pub origin: Origin,
}

/// The limits of the model of this name; `None` when it is not known.
pub fn limits_of(name: &str, own: &[OwnModel]) -> Option<ModelLimits> {
    own.iter()
        .find(|model| model.is_named(name))
        .map(OwnModel::limits)
        .or_else(|| table::find(name).map(|entry| entry.limits))
        .or_else(|| table::of_tiktoken(name))
}

/// The model of this name, with all that is known of it.
pub fn find(name: &str, own: &[OwnModel]) -> Option<KnownModel> {
    let of_tenant = own.iter().find(|model| model.is_named(name)).map(KnownModel::from);
    of_tenant.or_else(|| table::find(name).map(KnownModel::from)).or_else(|| {
        let limits = table::of_tiktoken(name)?;
        Some(KnownModel {
            names: vec![name.to_owned()],
            provider: Some("openai".to_owned()),
            limits,
            source: Some("https://docs.rs/tiktoken-rs".to_owned()),
            as_of: None,
            origin: Origin::BuiltIn,
        })
    })
}

/// Every model that can be listed: the tenant's, then those that are known everywhere.
pub fn known(own: &[OwnModel]) -> impl Iterator<Item = KnownModel> {
    own.iter().map(KnownModel::from).chain(table::entries().iter().map(KnownModel::from))
}

impl From<&OwnModel> for KnownModel {
    fn from(model: &OwnModel) -> Self {
        Self {
            names: vec![model.name.clone()],
            provider: None,
            limits: model.limits(),
            source: None,
            as_of: None,
            origin: Origin::Tenant,
        }
    }
}

impl From<&table::Entry> for KnownModel {
    fn from(entry: &table::Entry) -> Self {
        Self {
            names: entry.names.clone(),
            provider: Some(entry.provider.clone()),
            limits: entry.limits,
            source: Some(entry.source.clone()),
            as_of: Some(entry.as_of.clone()),
            origin: Origin::BuiltIn,
        }
    }
}

#[cfg(test)]
mod tests {
    use anchord_messages::tokens::Tokenizer;

    use super::*;

    #[test]
    fn a_tenant_s_model_stands_above_the_table_and_for_itself_alone() {
        let own = OwnModel {
            name: "gpt-4o".to_owned(),
            context_window: 64_000,
            max_output_tokens: None,
            tokenizer: Tokenizer::Estimate,
        };
        let window = |name: &str| limits_of(name, std::slice::from_ref(&own)).map(|l| l.context_window);
        assert_eq!(window("GPT-4o"), Some(64_000));
        assert_eq!(window("openai/gpt-4o:latest"), Some(64_000));
        assert_eq!(window("gpt-4o-mini"), Some(128_000));
        assert_eq!(find("gpt-4o", std::slice::from_ref(&own)).unwrap().origin, Origin::Tenant);
        assert_eq!(find("gpt-4o-mini", &[]).unwrap().origin, Origin::BuiltIn);
        assert_eq!(known(&[own]).next().unwrap().origin, Origin::Tenant);
        assert_eq!(limits_of("nobody-knows", &[]), None);
    }
}
