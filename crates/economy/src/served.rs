//! The context of a session on its way, as the service would serve it.

use anchord_context::context::{Context, ContextInput, Counted, MaskInput, SummaryInput, assemble};
use anchord_context::mask::Marks;
use anchord_context::tools::ToolMode;
use anchord_messages::id::Seq;
use anchord_messages::tokens::TokenCounter;

use crate::replay::Replay;

/// Assembles what is served now, in the format of its messages; `None` where the service refuses because the window is too
/// small for it. Without a budget it is the effective window. `take` reads it.
pub fn serve<T>(
    replay: &Replay<'_>,
    budget: Option<u32>,
    counter: TokenCounter,
    take: impl Fn(Context<'_>) -> T,
) -> Option<T> {
    let (entries, session) = (&replay.transcript.entries, &replay.session);
    let (counts, policy) = (&session.accounting, replay.policy());
    let place = |seq: Seq| usize::try_from(seq).unwrap_or_default();
    let carried = counts.carried.and_then(|carried| entries.get(place(carried.seq).checked_sub(1)?));
    let marks = Marks::new();
    let stored = replay.served.iter().flat_map(|served| &served.smaller);
    let smaller: Vec<Counted<'_>> = stored.map(|(text, tokens)| Counted { text, tokens: *tokens }).collect();
    let summary = replay.served.as_ref().map(|served| SummaryInput {
        version: served.version,
        anchor_seq: session.anchor_seq,
        message: Counted { text: &served.full.0, tokens: served.full.1 },
        smaller: &smaller,
        digest: Some(&served.digest)
            .filter(|digest| !digest.text.is_empty())
            .map(|digest| Counted { text: &digest.text, tokens: digest.tokens }),
    });
    let made = assemble(&ContextInput {
        session: session.name.as_str(),
        branch: None,
        format: replay.transcript.format,
        budget: budget.unwrap_or(policy.effective_window),
        head_seq: session.head_seq,
        context_revision: 1,
        system: entries.get(..place(counts.system_through)).unwrap_or_default(),
        pins: None,
        summary,
        kept: &[],
        carried,
        tail: replay.tail(),
        tail_omitted: None,
        mask: MaskInput { mode: policy.mask, clipping: session.clipping(), marks: &marks },
        recap: None,
        cache: None,
        notes: &[],
        tools: ToolMode::None,
        counter: &counter,
    });
    made.ok().map(take)
}
