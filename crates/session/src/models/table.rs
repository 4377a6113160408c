//! The models that are known everywhere: the rows of `rules/models.toml`, and what tiktoken-rs knows by name.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use anchord_messages::tokens::Tokenizer;

use super::limits::{KnownModel, ModelLimits, Origin};
use super::name::{bare, folded, stems};

/// Where the windows and tokenizers of OpenAI's models come from, when the table has none.
const TIKTOKEN: &str = "https://docs.rs/tiktoken-rs";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    provider: BTreeMap<String, Provider>,
    model: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Provider {
    source: String,
    as_of: String,
    tokenizer: Option<Tokenizer>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    provider: String,
    names: Vec<String>,
    context_window: Option<u32>,
    max_input_tokens: Option<u32>,
    max_output_tokens: Option<u32>,
    tokenizer: Option<Tokenizer>,
    source: Option<String>,
    as_of: Option<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests' own"))]
    #[serde(default)]
    samples: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests' own"))]
    #[serde(default)]
    not: Vec<String>,
}

pub(super) struct Table {
    entries: Vec<KnownModel>,
    /// Every folded name with the place of its entry.
    names: HashMap<String, usize, foldhash::fast::FixedState>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::of(read()));

fn read() -> File {
    #[expect(clippy::expect_used, reason = "the file is a part of the program, and tests read it")]
    toml::from_str(include_str!("../../../../rules/models.toml")).expect("the table is valid")
}

/// The models of the table, in its order.
pub(super) fn entries() -> &'static [KnownModel] {
    &TABLE.entries
}

/// The row that a name stands for.
pub(super) fn find(name: &str) -> Option<&'static KnownModel> {
    let name = folded(name);
    let at = stems(&name).find_map(|stem| TABLE.names.get(stem))?;
    TABLE.entries.get(*at)
}

/// The limits that tiktoken-rs knows of a name that the table does not have.
pub(super) fn of_tiktoken(name: &str) -> Option<ModelLimits> {
    let name = bare(name);
    // Its windows are found by the beginning of a name alone, `ada` among them; its tokenizers are not.
    let tokenizer = tokenizer_of(&name)?;
    let context_window = window_of(&name)?;
    Some(ModelLimits { context_window, max_input_tokens: None, max_output_tokens: None, tokenizer })
}

fn window_of(name: &str) -> Option<u32> {
    tiktoken_rs::model::get_context_size(name).and_then(|tokens| u32::try_from(tokens).ok())
}

fn tokenizer_of(name: &str) -> Option<Tokenizer> {
    use tiktoken_rs::tokenizer::{Tokenizer as Theirs, get_tokenizer};

    Some(match get_tokenizer(name)? {
        // The same vocabulary, with other special tokens.
        Theirs::O200kBase | Theirs::O200kHarmony => Tokenizer::O200kBase,
        // Models that are gone counted with smaller vocabularies; this is the closest.
        Theirs::Cl100kBase | Theirs::P50kBase | Theirs::R50kBase | Theirs::P50kEdit | Theirs::Gpt2 => {
            Tokenizer::Cl100kBase
        }
    })
}

impl Table {
    fn of(file: File) -> Self {
        let mut entries = Vec::with_capacity(file.model.len());
        let mut names = HashMap::default();
        for row in file.model {
            let first = row.names.first().map(String::as_str).unwrap_or_default();
            let provider = file.provider.get(&row.provider);
            let told = row.context_window.or_else(|| window_of(first));
            let tokenizer = row
                .tokenizer
                .or_else(|| provider.and_then(|provider| provider.tokenizer))
                .or_else(|| tokenizer_of(first))
                .unwrap_or_default();
            let (Some(context_window), Some(provider)) = (told, provider) else { continue };
            names.extend(row.names.iter().map(|name| (folded(name), entries.len())));
            let source = match (row.source, row.context_window) {
                (Some(own), _) => own,
                (None, None) => TIKTOKEN.to_owned(),
                (None, Some(_)) => provider.source.clone(),
            };
            let limits = ModelLimits {
                context_window,
                max_input_tokens: row.max_input_tokens,
                max_output_tokens: row.max_output_tokens,
                tokenizer,
            };
            let as_of = row.as_of.unwrap_or_else(|| provider.as_of.clone());
            entries.push(KnownModel {
                names: row.names,
                provider: Some(row.provider),
                limits,
                source: Some(source),
                as_of: Some(as_of),
                origin: Origin::BuiltIn,
            });
        }
        Self { entries, names }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_by_its_samples_and_by_nothing_that_it_is_not() {
        let file = read();
        assert_eq!(file.model.len(), entries().len(), "a row has no window or an unknown provider");
        let mut problems = Vec::new();
        for (row, entry) in file.model.iter().zip(entries()) {
            let is_found = |name: &String| find(name).is_some_and(|found| std::ptr::eq(found, entry));
            if row.samples.is_empty() {
                problems.push(format!("{}: no samples", row.names.join(", ")));
            }
            for sample in row.samples.iter().chain(&row.names).filter(|sample| !is_found(sample)) {
                problems.push(format!("{}: does not find {sample}", row.names.join(", ")));
            }
            for other in row.not.iter().filter(|other| is_found(other)) {
                problems.push(format!("{}: finds {other}", row.names.join(", ")));
            }
        }
        assert!(problems.is_empty(), "\n{}", problems.join("\n"));
    }

    #[test]
    fn every_figure_is_possible_and_says_where_it_comes_from() {
        let file = read();
        for (name, provider) in &file.provider {
            assert!(provider.source.starts_with("https://"), "{name}");
            assert!(provider.as_of.parse::<chrono::NaiveDate>().is_ok(), "{name}");
            assert!(file.model.iter().any(|row| row.provider == *name), "{name} has no model");
        }
        for entry in entries() {
            let ModelLimits { context_window, max_input_tokens, max_output_tokens, .. } = entry.limits;
            assert!((1_000..=10_000_000).contains(&context_window), "{entry:?}");
            assert!(max_input_tokens.is_none_or(|most| most < context_window), "{entry:?}");
            assert!(max_output_tokens.is_none_or(|most| most <= context_window), "{entry:?}");
        }
        let names: usize = entries().iter().map(|entry| entry.names.len()).sum();
        assert_eq!(names, TABLE.names.len(), "a name stands twice");
    }

    #[test]
    fn windows_and_tokenizers_of_openai_come_from_the_library() {
        for (name, window, tokenizer) in [
            ("gpt-4o", 128_000, Tokenizer::O200kBase),
            ("gpt-4.1-mini", 1_047_576, Tokenizer::O200kBase),
            ("gpt-4", 8_192, Tokenizer::Cl100kBase),
            ("gpt-4-32k", 32_768, Tokenizer::Cl100kBase),
            ("o3-mini", 200_000, Tokenizer::O200kBase),
            ("gpt-5-mini", 400_000, Tokenizer::O200kBase),
            ("gpt-oss:20b", 131_072, Tokenizer::O200kBase),
        ] {
            let entry = find(name).unwrap();
            assert_eq!((entry.limits.context_window, entry.limits.tokenizer), (window, tokenizer), "{name}");
            assert_eq!(entry.source.as_deref(), Some(TIKTOKEN), "{name}");
        }
        let preview = of_tiktoken("openai/gpt-4.5-preview").unwrap();
        assert_eq!((preview.context_window, preview.tokenizer), (128_000, Tokenizer::O200kBase));
    }

    #[test]
    fn a_name_that_nobody_knows_is_none() {
        for name in
            ["", "my-model", "adapter-7", "o9", "gpt-6", "davinci-of-mine", "claude", "-", "/", "llama"]
        {
            assert!(find(name).is_none() && of_tiktoken(name).is_none(), "{name}");
        }
    }
}
