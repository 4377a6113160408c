//! Which component takes most of a context, and what reduces it.

use serde::Serialize;
use utoipa::ToSchema;

use super::components::Components;

/// No advice is given below this many tokens.
const LEAST_TOKENS: u64 = 1_000;
/// Shares from which on a component is dominant.
const DOMINANT_OUTPUTS: f64 = 0.40;
const DOMINANT_DOCUMENTS: f64 = 0.30;
const DOMINANT_HISTORY: f64 = 0.50;

/// The components as shares of all that the caller sends, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, ToSchema)]
#[schema(as = ComponentShares)]
pub struct Shares {
    /// The system prompt and the pins.
    #[serde(serialize_with = "anchord_messages::rounded::ratio")]
    pub system: f64,
    /// Tokens that the caller sends beside the context.
    #[serde(serialize_with = "anchord_messages::rounded::ratio")]
    pub tool_definitions: f64,
    /// Messages, tool outputs and retrieved documents aside.
    #[serde(serialize_with = "anchord_messages::rounded::ratio")]
    pub history: f64,
    /// Tool outputs, as they are served.
    #[serde(serialize_with = "anchord_messages::rounded::ratio")]
    pub tool_outputs: f64,
    /// Messages that the caller marked as retrieved documents.
    #[serde(serialize_with = "anchord_messages::rounded::ratio")]
    pub retrieved_documents: f64,
    /// The summary.
    #[serde(serialize_with = "anchord_messages::rounded::ratio")]
    pub summary: f64,
    /// The digest of the messages that it covers.
    #[serde(serialize_with = "anchord_messages::rounded::ratio")]
    pub digest: f64,
    /// The agent's notes.
    #[serde(serialize_with = "anchord_messages::rounded::ratio")]
    pub notes: f64,
}

/// A component that there is something to do about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ContextComponent)]
pub enum Component {
    /// Tool outputs, as they are served.
    ToolOutputs,
    /// Messages that the caller marked as retrieved documents.
    RetrievedDocuments,
    /// The other messages.
    History,
}

/// The remedy against a dominant component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ComponentRemedy)]
pub enum Remedy {
    /// Serve placeholders in place of old outputs.
    Mask,
    /// Keep documents out of the conversation, and read them when they are asked for.
    LoadOnDemand,
    /// Put a summary in place of old messages.
    Compress,
}

/// Advice about a dominant component. Nothing acts on it: only declared signals start work.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = ComponentAdvice)]
pub struct Advice {
    /// The component.
    pub component: Component,
    /// Its share, from 0 to 1.
    #[serde(serialize_with = "anchord_messages::rounded::ratio")]
    pub share: f64,
    /// The remedy.
    pub action: Remedy,
    /// The advice as a sentence.
    pub detail: &'static str,
}

impl Components {
    /// All tokens that the caller sends.
    pub fn total(&self) -> u64 {
        [
            self.system, self.tool_definitions, self.history, self.tool_outputs, self.retrieved_documents,
            self.summary, self.digest, self.notes,
        ]
        .into_iter()
        .fold(0, u64::saturating_add)
    }

    /// The components as shares, to four places; all zero when there is nothing.
    pub fn shares(&self) -> Shares {
        let total = self.total();
        let share = |tokens| part(tokens, total);
        Shares {
            system: share(self.system),
            tool_definitions: share(self.tool_definitions),
            history: share(self.history),
            tool_outputs: share(self.tool_outputs),
            retrieved_documents: share(self.retrieved_documents),
            summary: share(self.summary),
            digest: share(self.digest),
            notes: share(self.notes),
        }
    }

    /// Advice about components that are dominant, the largest first.
    pub fn advice(&self) -> Vec<Advice> {
        let total = self.total();
        if total < LEAST_TOKENS {
            return Vec::new();
        }
        let rules = [
            (
                self.tool_outputs,
                DOMINANT_OUTPUTS,
                Component::ToolOutputs,
                Remedy::Mask,
                "tool outputs dominate: mask old ones; each stays readable by its reference",
            ),
            (
                self.retrieved_documents,
                DOMINANT_DOCUMENTS,
                Component::RetrievedDocuments,
                Remedy::LoadOnDemand,
                "retrieved documents dominate: load them when they are needed instead of keeping them",
            ),
            (
                self.history,
                DOMINANT_HISTORY,
                Component::History,
                Remedy::Compress,
                "the conversation dominates: compress what is old",
            ),
        ];
        let mut advice: Vec<Advice> = rules
            .into_iter()
            .map(|(tokens, least, component, action, detail)| {
                (least, Advice { component, share: part(tokens, total), action, detail })
            })
            .filter(|(least, advice)| advice.share >= *least)
            .map(|(_, advice)| advice)
            .collect();
        advice.sort_by(|a, b| b.share.total_cmp(&a.share));
        advice
    }
}

/// A share rounded to four places, because people read it.
#[expect(clippy::cast_precision_loss, reason = "token counts stay far below 2^52")]
fn part(tokens: u64, total: u64) -> f64 {
    if total == 0 { 0.0 } else { (tokens as f64 / total as f64 * 10_000.0).round() / 10_000.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actions(components: Components) -> Vec<Remedy> {
        components.advice().iter().map(|advice| advice.action).collect()
    }

    #[test]
    fn each_dominant_component_has_its_remedy() {
        let outputs = Components { tool_outputs: 8_000, history: 2_000, ..Components::default() };
        assert_eq!(actions(outputs), [Remedy::Mask]);
        let documents = Components { retrieved_documents: 3_500, history: 3_500, system: 3_000, ..outputs };
        let documents = Components { tool_outputs: 0, ..documents };
        assert_eq!(actions(documents), [Remedy::LoadOnDemand]);
        let history = Components { history: 9_000, summary: 1_000, ..Components::default() };
        assert_eq!(actions(history), [Remedy::Compress]);
    }

    #[test]
    fn the_larger_of_two_dominant_components_comes_first() {
        let both = Components { tool_outputs: 4_500, history: 5_500, ..Components::default() };
        assert_eq!(actions(both), [Remedy::Compress, Remedy::Mask]);
    }

    #[test]
    fn a_system_prompt_a_summary_and_a_small_context_ask_for_nothing() {
        let fixed =
            Components { system: 6_000, summary: 3_000, tool_definitions: 4_000, ..Components::default() };
        assert_eq!(actions(fixed), []);
        assert_eq!(actions(Components { tool_outputs: 900, ..Components::default() }), []);
    }

    #[test]
    fn shares_add_up_to_one_and_are_zero_without_tokens() {
        let components = Components {
            system: 1,
            tool_definitions: 2,
            history: 3,
            tool_outputs: 4,
            retrieved_documents: 5,
            summary: 3,
            digest: 1,
            notes: 1,
        };
        let shares = components.shares();
        let sum = shares.system
            + shares.tool_definitions
            + shares.history
            + shares.tool_outputs
            + shares.retrieved_documents
            + shares.summary
            + shares.digest
            + shares.notes;
        assert!((sum - 1.0).abs() < 1e-3, "{sum}");
        assert_eq!(Components::default().shares(), Shares::default());
    }
}
