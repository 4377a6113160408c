//! Names of models, and how they are compared.
//!
//! One model has many names: with a provider in front (`openai/gpt-4o`), with a date, a size or a tag behind it, with dots
//! or dashes. Two names are compared in one form: lower case, without what is in front, and with `-` for every `.`, `_`, `:`
//! and `@`.

/// The most characters of a name.
const MAX_CHARS: usize = 200;

/// Vendors that Bedrock puts in front of a name, with a dot after them and sometimes a region before.
const VENDORS: [&str; 9] = [
    "anthropic.", "openai.", "meta.", "amazon.", "mistral.", "deepseek.", "qwen.", "minimax.", "moonshotai.",
];

/// Whether a text can be the name of a model.
pub fn is_name(text: &str) -> bool {
    (1..=MAX_CHARS).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

/// A name without what stands in front of the model's own: providers, a vendor, a region, `ft:`. The rest behind the base of
/// a fine-tuned model goes, too.
pub(super) fn bare(name: &str) -> String {
    let name = name.trim().to_lowercase();
    let last = name.rsplit('/').next().unwrap_or_default();
    let vendored = VENDORS.iter().find_map(|vendor| {
        let (before, rest) = last.split_once(vendor)?;
        (before.is_empty() || before.ends_with('.')).then_some(rest)
    });
    let last = vendored.unwrap_or(last);
    let base = last.strip_prefix("ft:").map(|tuned| tuned.split(':').next().unwrap_or(tuned));
    base.unwrap_or(last).to_owned()
}

/// The form in which names are compared.
pub(super) fn folded(name: &str) -> String {
    bare(name).replace(['.', '_', ':', '@'], "-")
}

/// The names of models that a folded name may be a variant of, the longest first: itself, and its beginnings before a `-`.
/// The rest must not be a number of one or two digits, which makes it another version.
pub(super) fn stems(name: &str) -> impl Iterator<Item = &str> {
    let is_version = |rest: &str| {
        let next = rest.split('-').next().unwrap_or_default();
        (1..=2).contains(&next.len()) && next.bytes().all(|byte| byte.is_ascii_digit())
    };
    let shorter = name.rmatch_indices('-').filter_map(move |(at, _)| {
        let (stem, rest) = name.split_at_checked(at)?;
        (!is_version(rest.get(1..)?)).then_some(stem)
    });
    std::iter::once(name).chain(shorter)
}

/// Whether two names mean the same model, provider and `:latest` aside.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let plain = |name: &str| {
        let folded = folded(name);
        folded.strip_suffix("-latest").map_or_else(|| folded.clone(), str::to_owned)
    };
    plain(one) == plain(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_front_of_a_name_does_not_count() {
        for (name, expected) in [
            ("openai/GPT-4o", "gpt-4o"),
            ("openrouter/anthropic/claude-3.5-sonnet:beta", "claude-3-5-sonnet-beta"),
            ("us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-sonnet-4-20250514-v1-0"),
            ("ft:gpt-4o-mini:acme::8x", "gpt-4o-mini"),
            ("claude-sonnet-4@20250514", "claude-sonnet-4-20250514"),
            ("gpt-4.1", "gpt-4-1"),
        ] {
            assert_eq!(folded(name), expected, "{name}");
        }
    }

    #[test]
    fn a_variant_has_no_other_version() {
        let of = |name: &'static str| stems(name).collect::<Vec<_>>();
        assert_eq!(of("qwen3"), ["qwen3"]);
        assert_eq!(of("qwen3-8b"), ["qwen3-8b", "qwen3"]);
        assert_eq!(of("qwen3-"), ["qwen3-", "qwen3"]);
        assert_eq!(of("qwen3-20250514-v1-0"), ["qwen3-20250514-v1-0", "qwen3-20250514", "qwen3"]);
        assert_eq!(of("qwen3-5-35b"), ["qwen3-5-35b", "qwen3-5"], "3.5 is no 3");
        assert_eq!(of(""), [""]);
    }

    #[test]
    fn names_have_a_length_and_no_control_characters() {
        assert!(is_name("openai/gpt-4o") && is_name(&"n".repeat(200)));
        assert!(!is_name("") && !is_name(&"n".repeat(201)) && !is_name("a\0b") && !is_name("a\nb"));
    }
}
