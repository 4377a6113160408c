//! Finds a model: first among those of the tenant, then among those that are known everywhere.

use super::limits::{KnownModel, ModelLimits, Origin};
use super::own::OwnModel;
use super::table;

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
    of_tenant.or_else(|| table::find(name).cloned()).or_else(|| {
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
    own.iter().map(KnownModel::from).chain(table::entries().iter().cloned())
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
