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
pub use anchord_messages::tokens::Tokenizer as TokenizerName;
pub use document::Settings;
pub use error::SettingsError;
pub use limits::{
    DEFAULT_CONTEXT_WINDOW, DEFAULT_EFFECTIVE_SHARE, HYSTERESIS_SHARE, MAX_CONTEXT_WINDOW,
    MAX_METADATA_BYTES, MAX_METADATA_NAME_CHARS, MAX_METADATA_VALUE_CHARS, MAX_PRESERVE_RECENT,
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
        let second = patch(&first, &json!({"thresholds": {"target": 0.4}})).unwrap();
        assert_eq!(second.context_window, Some(32000));
        let policy = second.policy();
        assert!((policy.warn - 0.5).abs() < 1e-9 && (policy.fill - 0.4).abs() < 1e-9);
        let third = patch(&second, &json!({"context_window": null, "thresholds": null})).unwrap();
        assert_eq!(third, Settings::default());
    }

    #[test]
    fn a_value_of_another_shape_is_refused_at_its_place() {
        for (change, pointer) in [
            (json!({"thresholds": [0.5]}), "/thresholds"),
            (json!({"phase": {}}), "/phase"),
            (json!({"metadata": {"a": [{"b": "x\u{0}"}]}}), "/metadata"),
            (json!({"metadata": {"\u{0}": 1}}), "/metadata"),
            (json!({"metadata": {"": 1}}), "/metadata"),
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
            &json!({"context_window": 32000, "mask": "off", "thresholds": {"warn": 0.5, "target": 0.3}}),
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
            (json!({"thresholds": {"target": 0.9}}), "/thresholds/target"),
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
        let most = format!("must be from 1000 to {MAX_CONTEXT_WINDOW} tokens");
        for (change, detail) in [
            (json!({"context_window": -5}), most.as_str()),
            (json!({"context_window": 999}), most.as_str()),
            (json!({"context_window": 1e20}), most.as_str()),
            (json!({"preserve_recent": -1}), "must be from 0 to 200"),
            (json!({"preserve_recent": 201}), "must be from 0 to 200"),
            (json!({"max_summary_tokens": -1}), "must be from 200 to 100000 tokens"),
            (json!({"system_tokens": -1}), "must be a whole number from 0 to 4294967295"),
            (json!({"context_window": "big"}), "must be a whole number from 0 to 4294967295"),
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
    fn the_effective_window_is_what_reservations_leave_or_four_fifths() {
        assert_eq!(Settings::default().policy().effective_window, 160_000);
        let parts = patch(
            &Settings::default(),
            &json!({"context_window": 32000, "system_tokens": 1000, "safety_buffer": 500}),
        )
        .unwrap();
        assert_eq!(parts.policy().effective_window, 30_500);
        assert_eq!(
            patch(&Settings::default(), &json!({"context_window": 8000}))
                .unwrap()
                .policy()
                .max_summary_tokens,
            800
        );
    }
}
