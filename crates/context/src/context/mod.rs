//! The assembled context: what an agent sends to its provider instead of the whole session.
//!
//! What lives here: the order and placement of system prompt, pins, digest, summary, messages and recap, the
//! rules that make the result valid for a provider, and what gives way when the budget binds.
//! Invariant: whatever was stored, the result is valid in its format, at most as large as its budget,
//! and accounts for every message: covered by the summary, served, or named in `omitted`. What did not
//! change since it was stored is passed on as the text that was stored.
//! Must not know: the store, HTTP, how a summary is made.
//!
//! The steps: `plan` groups the tail and applies the mask; `group` makes each group valid, with `calls` for
//! calls and results, `message` for one message and `convert` for its parts; `budget` removes content until
//! it fits, and `steps` does where there is no summary; `emit` writes the format; `json` shapes the reply.
//!
//! Placement, per format. Pins are constraints of the operator, so they follow the system prompt with
//! its authority: a system message of their own for `openai-chat` and `openai-responses`, the end of
//! `system` for `anthropic`. Digest, summary, kept messages and the agent's notes are data, so they are user messages everywhere.
//! Later system messages keep their place for the `openai` formats and become marked user text for
//! `anthropic`, which knows no such role.

mod budget;
mod calls;
mod clip;
mod convert;
mod emit;
mod group;
mod ids;
mod input;
mod json;
mod message;
mod output;
mod plan;
mod slot;
mod steps;
mod texts;
mod turns;

pub use anchord_record::render::summary_message_text;
pub use input::{ContextInput, Counted, Entry, MaskInput, SummaryInput, summary_message};
pub use json::ContextReply;
pub use output::{
    BudgetTooSmall, Context, Masked, Omitted, Reason, Source, StablePrefix, SummaryForm, Tokens,
};
pub use steps::OPENING_WITHIN;
pub use texts::pins_text;

/// Assembles the context.
///
/// # Errors
/// When system prompt, pins and the newest message do not fit the budget, however much else is removed.
pub fn assemble<'a>(input: &ContextInput<'a>) -> Result<Context<'a>, BudgetTooSmall> {
    let mut refused = match within(input) {
        Ok(context) => return Ok(context),
        Err(refused) => refused,
    };
    // A larger budget changes what is tried, so a budget is tested before the error reports it as enough.
    for _ in 0..MAX_TRIES {
        match within(&ContextInput { budget: refused.min_tokens, ..*input }) {
            Err(more) if more.min_tokens > refused.min_tokens => refused = more,
            Ok(_) | Err(_) => break,
        }
    }
    Err(refused)
}

/// How many budgets are tested before one is reported as enough.
const MAX_TRIES: usize = 8;

fn within<'a>(input: &ContextInput<'a>) -> Result<Context<'a>, BudgetTooSmall> {
    let mut plan = plan::Plan::new(input);
    budget::fit(&mut plan)?;
    Ok(emit::emit(plan))
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod roundtrip;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod validity;
