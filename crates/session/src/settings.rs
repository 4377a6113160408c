//! A session's settings: what the caller set, and the policy that follows from it.
//!
//! An absent field of a change keeps its value and null resets it, so a stored document holds only what was
//! set; defaults are resolved when they are used. `document` has the fields, `change` applies a caller's
//! change, `validate` checks limits, `policy` is the settings with every default resolved.

mod change;
mod document;
mod error;
mod limits;
mod policy;
mod policy_name;
mod tenant_wide;
mod thresholds;
mod validate;

pub use anchord_context::mask::MaskMode;
pub use anchord_context::tools::ToolMode;
pub use anchord_messages::tokens::Tokenizer as TokenizerName;
pub use document::{Settings, WindowSource};
pub use error::SettingsError;
pub use limits::{
    DEFAULT_CONTEXT_WINDOW, HYSTERESIS_SHARE, MAX_CONTEXT_WINDOW, MAX_METADATA_BYTES,
    MAX_METADATA_NAME_CHARS, MAX_METADATA_VALUE_CHARS, MAX_PRESERVE_RECENT, usual_reserve,
};
pub use policy::Policy;
pub use policy_name::PolicyName;
pub use tenant_wide::TenantWide;
pub use thresholds::{HistoryRules, MessageThresholds, Thresholds};

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn patch(settings: &Settings, change: &Value) -> Result<Settings, SettingsError> {
        settings.patched(change.as_object().cloned().unwrap_or_default(), &Settings::default())
    }

    #[test]
    fn an_absent_field_keeps_its_value_and_null_resets_it() {
        let first =
            patch(&Settings::default(), &json!({"context_window": 32000, "thresholds": {"warn": 0.5}}))
                .unwrap();
        let second = patch(&first, &json!({"fill": 0.4})).unwrap();
        assert_eq!(second.context_window, Some(32000));
        let policy = second.policy();
        assert!((policy.warn - 0.5).abs() < 1e-9 && (policy.fill - 0.4).abs() < 1e-9);
        let third =
            patch(&second, &json!({"context_window": null, "fill": null, "thresholds": null})).unwrap();
        assert_eq!(third, Settings::default());
    }

    #[test]
    fn a_value_of_another_shape_is_refused_at_its_place() {
        for (change, pointer) in [
            (json!({"thresholds": [0.5]}), "/thresholds"),
            (json!({"phase": {}}), "/phase"),
            (json!({"metadata": {"a": [{"b": "x\u{0}"}]}}), "/metadata/a"),
            (json!({"metadata": {"\u{0}": 1}}), "/metadata"),
            (json!({"metadata": {"": 1}}), "/metadata"),
            (serde_json::from_str(r#"{"metadata": {"a": [18446744073709551616]}}"#).unwrap(), "/metadata/a"),
            (json!({"metadata": {("x".repeat(101)): 1}}), "/metadata"),
            (
                json!({"metadata": (0..65).map(|i| (i.to_string(), json!(i))).collect::<serde_json::Map<_, _>>()}),
                "/metadata",
            ),
            (json!({"metadata": {"a": 1, "b": [[[[[[[[1]]]]]]]]}}), "/metadata/b"),
            (json!({"user": ""}), "/user"),
            (json!({"user": "x".repeat(201)}), "/user"),
            (json!({"user": 7}), "/user"),
            (json!({"thresholds": {"messages": [30, 50, 70]}}), "/thresholds/messages"),
        ] {
            assert_eq!(patch(&Settings::default(), &change).unwrap_err().pointer, pointer);
        }
    }

    #[test]
    fn a_session_s_own_settings_lie_over_the_tenant_s() {
        let tenant = patch(
            &Settings::default(),
            &json!({"context_window": 32000, "mask": "off", "fill": 0.3, "thresholds": {"warn": 0.5}}),
        )
        .unwrap();
        let own =
            patch(&Settings::default(), &json!({"context_window": 64000, "thresholds": {"warn": 0.55}}))
                .unwrap();
        let policy = own.over(&tenant).policy();
        assert_eq!((policy.context_window, policy.mask), (64_000, MaskMode::Off));
        assert!((policy.warn - 0.55).abs() < 1e-9 && (policy.fill - 0.3).abs() < 1e-9);
    }

    #[test]
    fn the_thresholds_of_the_signals_about_history_have_defaults_of_the_tenant_and_of_the_session() {
        let tenant =
            patch(&Settings::default(), &json!({"thresholds": {"repeats": 4, "growth": 0.3}})).unwrap();
        let own = patch(&Settings::default(), &json!({"thresholds": {"repeats": 5, "cycles": 3}})).unwrap();
        let history = own.over(&tenant).policy().history;
        assert_eq!((history.repeats, history.rereads, history.cycles), (5, 3, 3));
        assert!((history.growth - 0.3).abs() < 1e-9 && (history.savings - 0.2).abs() < 1e-9);
        assert!(patch(&tenant, &json!({"thresholds": {"growth": 0}})).is_err());
    }

    #[test]
    fn a_wrong_setting_is_refused_with_its_name() {
        for (change, pointer) in [
            (json!({"context_windw": 1}), "/context_windw"),
            (json!({"context_windw": null}), "/context_windw"),
            (json!({"context_window": "big"}), "/context_window"),
            (json!({"context_window": 10}), "/context_window"),
            (json!({"fill": 0.9}), "/fill"),
            (json!({"fill": 0.0}), "/fill"),
            (json!({"fill": 0.45, "thresholds": {"warn": 0.4, "compress": 0.5}}), "/fill"),
            (json!({"context_window": 10_000, "preserve_recent_tokens": 8_001}), "/preserve_recent_tokens"),
            (json!({"thresholds": {"force": 0.5}}), "/thresholds/force"),
            (json!({"thresholds": {"wurn": 0.5}}), "/thresholds/wurn"),
            (json!({"thresholds": {"warn": "low"}}), "/thresholds/warn"),
            (json!({"thresholds": {"messages": {"force": -1}}}), "/thresholds/messages/force"),
            (json!({"reserved_output_tokens": 199_999}), "/reserved_output_tokens"),
            (json!({"strategy": "rollback"}), "/strategy"),
            (json!({"strategy": "opaque", "critical": true}), "/strategy"),
            (json!({"task_id": ""}), "/task_id"),
        ] {
            let refused = patch(&Settings::default(), &change).unwrap_err();
            assert_eq!(refused.pointer, pointer, "{change}");
        }
    }

    #[test]
    fn a_number_that_no_type_holds_is_refused_with_its_limits() {
        let most = format!("must be a whole number from 1000 to {MAX_CONTEXT_WINDOW} tokens");
        for (change, detail) in [
            (json!({"context_window": -5}), most.as_str()),
            (json!({"context_window": 999}), most.as_str()),
            (json!({"context_window": 1e20}), most.as_str()),
            (json!({"context_window": 32_000.5}), most.as_str()),
            (json!({"context_window": "32k"}), most.as_str()),
            (json!({"reserved_output_tokens": "4k"}), "must be a whole number from 0 to 4294967295"),
            (json!({"preserve_recent": -1}), "must be a whole number from 0 to 200"),
            (json!({"preserve_recent": 201}), "must be a whole number from 0 to 200"),
            (json!({"max_summary_tokens": -1}), "must be a whole number from 200 to 100000 tokens"),
            (json!({"system_tokens": -1}), "must be a whole number from 0 to 4294967295"),
            (json!({"context_window": "big"}), most.as_str()),
            (json!({"auto": "yes"}), "must be true or false"),
            (
                json!({"strategy": "rollback"}),
                "must be one of `anchored`, `opaque`, `regenerative`, `sliding_window`",
            ),
        ] {
            let refused = patch(&Settings::default(), &change).unwrap_err();
            assert_eq!(refused.detail, detail, "{change}");
        }
    }

    #[test]
    fn the_effective_window_is_what_the_answer_and_the_other_parts_leave() {
        let window = |change: Value| patch(&Settings::default(), &change).unwrap().policy().effective_window;
        assert_eq!(window(json!({})), 160_000);
        assert_eq!(window(json!({"system_tokens": 31})), 159_969, "telling one part keeps another's default");
        assert_eq!(window(json!({"safety_buffer": 500})), 159_500);
        assert_eq!(window(json!({"reserved_output_tokens": 4_000})), 196_000);
        assert_eq!(
            window(json!({"context_window": 32_000, "system_tokens": 1_000, "safety_buffer": 500})),
            24_100
        );
        let small = patch(&Settings::default(), &json!({"context_window": 8000})).unwrap().policy();
        assert_eq!((small.effective_window, small.max_summary_tokens), (6_400, 800));
    }

    #[test]
    fn window_reserve_and_tokenizer_follow_from_the_model() {
        let policy =
            |change: Value| patch(&Settings::default(), &change).unwrap().over(&Settings::default()).policy();
        let known = policy(json!({"model": "openai/gpt-4o"}));
        assert_eq!((known.context_window, known.reserved_output_tokens), (128_000, 16_384));
        assert_eq!((known.effective_window, known.tokenizer), (111_616, TokenizerName::O200kBase));
        let old = policy(json!({"model": "gpt-4"}));
        assert_eq!((old.context_window, old.tokenizer), (8_192, TokenizerName::Cl100kBase));
        assert_eq!(old.reserved_output_tokens, 8_192 - 6_553, "a fifth of the window");
        let split = policy(json!({"model": "gpt-5"}));
        assert_eq!(split.effective_window, 272_000, "a prompt may not take all of the window");
        let unknown = policy(json!({"model": "of-nobody"}));
        assert_eq!((unknown.context_window, unknown.effective_window), (200_000, 160_000));
        let own = policy(json!({"model": "gpt-4o", "context_window": 20_000, "tokenizer": "estimate"}));
        assert_eq!((own.context_window, own.reserved_output_tokens), (20_000, 4_000));
        assert_eq!(own.tokenizer, TokenizerName::Estimate);
        let reserve =
            policy(json!({"model": "gpt-4o", "reserved_output_tokens": 1_000, "system_tokens": 500}));
        assert_eq!(reserve.effective_window, 126_500);
    }

    #[test]
    fn a_session_s_model_stands_above_the_tenant_s_settings_and_below_its_own() {
        let set = |change: Value| patch(&Settings::default(), &change).unwrap();
        let tenant =
            set(json!({"context_window": 64_000, "model": "gpt-4", "reserved_output_tokens": 3_000}));
        let window = |own: Value, tenant: &Settings| {
            let own = set(own);
            let policy = own.over(tenant).policy();
            (policy.context_window, policy.reserved_output_tokens)
        };
        assert_eq!(window(json!({}), &tenant), (64_000, 3_000));
        assert_eq!(window(json!({"model": "gpt-4o"}), &tenant), (128_000, 16_384));
        assert_eq!(window(json!({"model": "gpt-4o", "context_window": 9_000}), &tenant), (9_000, 1_800));
        assert_eq!(window(json!({"model": "of-nobody"}), &tenant), (64_000, 3_000));
        let named = set(json!({"model": "gpt-4"}));
        assert_eq!(window(json!({}), &named).0, 8_192);
        assert_eq!(window(json!({"model": "of-nobody"}), &named).0, 200_000, "not that of another model");
        for (own, tenant, expected) in [
            (json!({}), &Settings::default(), WindowSource::Assumed),
            (json!({}), &tenant, WindowSource::Tenant),
            (json!({}), &named, WindowSource::TenantModel("gpt-4")),
            (json!({"model": "gpt-4o"}), &tenant, WindowSource::Model("gpt-4o")),
            (json!({"model": "of-nobody"}), &tenant, WindowSource::Tenant),
            (json!({"model": "of-nobody"}), &named, WindowSource::UnknownModel("of-nobody")),
            (json!({"context_window": 9_000}), &tenant, WindowSource::Session),
        ] {
            assert_eq!(set(own.clone()).window_source(tenant), expected, "{own}");
        }
    }

    #[test]
    fn a_refusal_names_the_field_that_was_sent_and_where_the_other_value_comes_from() {
        let set = |change: Value| patch(&Settings::default(), &change).unwrap();
        let opaque = set(json!({"strategy": "opaque"}));
        let half_filled = set(json!({"fill": 0.5}));
        let full = set(json!({"system_tokens": 150_000}));
        let kept = set(json!({"preserve_recent_tokens": 100_000}));
        for (settings, change, pointer, detail) in [
            (
                &Settings::default(),
                json!({"system_tokens": 159_500}),
                "/system_tokens",
                "reserved_output_tokens 40000 (the default)",
            ),
            (
                &full,
                json!({"reserved_output_tokens": 60_000}),
                "/reserved_output_tokens",
                "system_tokens 150000 (as set)",
            ),
            (&full, json!({"context_window": 150_000}), "/context_window", "leaves -30000 tokens"),
            (&full, json!({"model": "gpt-4o"}), "/model", "context_window 128000 (that of gpt-4o)"),
            (
                &full,
                json!({"safety_buffer": 10_000}),
                "/safety_buffer",
                "context_window 200000 (the default)",
            ),
            (
                &kept,
                json!({"context_window": 100_000}),
                "/context_window",
                "preserve_recent_tokens is 100000 (as set)",
            ),
            (
                &Settings::default(),
                json!({"thresholds": {"compress": 0.5}}),
                "/thresholds/compress",
                "warn, which is 0.6 (the default)",
            ),
            (
                &Settings::default(),
                json!({"thresholds": {"critical": 0.8}}),
                "/thresholds/critical",
                "force, which is 0.85 (the default)",
            ),
            (
                &half_filled,
                json!({"thresholds": {"warn": 0.4, "compress": 0.5}}),
                "/thresholds/compress",
                "fill, which is 0.5 (as set)",
            ),
            (&opaque, json!({"critical": true}), "/critical", "strategy opaque (as set)"),
        ] {
            let refused = patch(settings, &change).unwrap_err();
            assert_eq!(refused.pointer, pointer, "{change}: {}", refused.detail);
            assert!(refused.detail.contains(detail), "{change}: {}", refused.detail);
        }
        let tenant = set(json!({"context_window": 20_000}));
        let refused = Settings::default()
            .patched(json!({"system_tokens": 18_000}).as_object().cloned().unwrap(), &tenant)
            .unwrap_err();
        assert!(refused.detail.contains("context_window 20000 (the tenant's)"), "{}", refused.detail);
    }

    #[test]
    fn what_was_not_sent_is_not_refused() {
        let own = patch(&Settings::default(), &json!({"thresholds": {"compress": 0.65}})).unwrap();
        let later = Settings {
            thresholds: Some(Thresholds {
                warn: Some(0.8),
                compress: Some(0.9),
                force: Some(0.95),
                critical: Some(0.97),
                ..Thresholds::default()
            }),
            ..Settings::default()
        };
        let changed = own.patched(json!({"mask": "off"}).as_object().cloned().unwrap(), &later).unwrap();
        assert_eq!(changed.mask, Some(MaskMode::Off));
        let reset = own.patched(json!({"thresholds": null}).as_object().cloned().unwrap(), &later).unwrap();
        assert_eq!(reset.thresholds, None);
    }
}
