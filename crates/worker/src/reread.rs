//! Reads the whole history of a session again, page by page, for a version that does not build on the last record.

use super::call_log::CallLog;
use super::engine::Engine;
use super::input::read_messages;
use super::job::{Env, JobError, in_turn};
use super::span_facts::{SpanFacts, group_ends};
use anchord_messages::group;
use anchord_messages::id::Seq;
use anchord_record::candidate::{Base, Material};
use anchord_record::regenerate;
use anchord_session::outline::Outline;
use anchord_store::compressions::Job;

/// The most bytes of message bodies in one page; a page has at least one group.
const PAGE_BYTES: u64 = 2 * 1024 * 1024;
/// The most messages of one page.
const PAGE_MESSAGES: usize = 2_000;

/// Builds a fresh record from the messages between two positions. What only the old record has is carried over. `None`
/// when there is nothing to read again.
pub(super) async fn refresh(
    env: &Env,
    job: &Job,
    engine: &mut Engine,
    material: &Material,
    (after, through): (Seq, Seq),
) -> Result<Option<(Base, Seq)>, JobError> {
    let Some(old) = material.base.as_ref() else { return Ok(None) };
    let mut fresh: Option<Base> = None;
    let mut at = after;
    while at < through {
        let limit = i64::try_from(PAGE_MESSAGES).unwrap_or(i64::MAX);
        let outlines = env.store.load_outlines(job.session.of(job.tenant), (at, through), limit).await?;
        let Some(end) = page_end(&outlines) else { break };
        let originals = env.store.load_span(job.session.of(job.tenant), at + 1, end).await?;
        let span = in_turn(move || read_messages(originals)).await?.map_err(JobError::Broken)?;
        let page = Material {
            strategy: material.strategy,
            session_id: material.session_id.clone(),
            task_id: material.task_id.clone(),
            span,
            tail: Vec::new(),
            from_seq: at + 1,
            through_seq: end,
            span_tokens: 0,
            base: fresh.take(),
            version: material.version,
            compression_count: material.compression_count,
            phase: material.phase,
            // The todo list is compared with the new messages only.
            todos: Vec::new(),
            pins: material.pins.clone(),
            dropped_entries: material.dropped_entries.clone(),
            constraint_mode: material.constraint_mode,
            probes: Vec::new(),
            bound: material.bound,
            model_bound: material.model_bound,
            aim: material.aim,
            room: material.room,
            goes_on: material.goes_on,
            now: material.now,
            counter: material.counter,
        };
        let span_facts = SpanFacts::read(page, group_ends(&outlines, end)).await?;
        let proposed = engine.propose(CallLog::Database(&env.store, job), &span_facts).await?;
        let grow = move || {
            let (page, facts) = span_facts.into_parts();
            regenerate::grow(page, facts, proposed)
        };
        fresh = Some(in_turn(grow).await?);
        at = end;
    }
    Ok(fresh.map(|mut fresh| {
        regenerate::adopt(&old.summary, &mut fresh.summary);
        fresh.version = old.version;
        fresh.served_tokens = old.served_tokens;
        (fresh, after + 1)
    }))
}

/// The end of the last group that is complete and within [`PAGE_BYTES`]; a page has at least one group.
fn page_end(outlines: &[Outline]) -> Option<Seq> {
    let mut groups = group::groups(outlines);
    // The last group may continue beyond the loaded messages.
    if outlines.len() == PAGE_MESSAGES && groups.len() > 1 {
        groups.pop();
    }
    let (mut bytes, mut end) = (0, None);
    for group in groups {
        let members = outlines.get(group.range).unwrap_or_default();
        bytes += members.iter().map(|member| member.bytes).sum::<u64>();
        if end.is_some() && bytes > PAGE_BYTES {
            break;
        }
        end = members.last().map(|member| member.seq).or(end);
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchord_messages::message::Role;

    fn outline(seq: Seq, bytes: u64) -> Outline {
        let role = if seq % 2 == 0 { Role::Assistant } else { Role::User };
        Outline {
            seq,
            role,
            is_item: false,
            tokens: 1,
            shape: None,
            is_left_out: false,
            retrieved: false,
            bytes,
        }
    }

    #[test]
    fn a_page_ends_before_it_is_too_large_and_always_takes_a_group() {
        assert_eq!(page_end(&[]), None);
        let small: Vec<Outline> = (1..=10).map(|seq| outline(seq, 100)).collect();
        assert_eq!(page_end(&small), Some(10));
        let large: Vec<Outline> = (1..=10).map(|seq| outline(seq, PAGE_BYTES)).collect();
        assert_eq!(page_end(&large), Some(1));
        let halves: Vec<Outline> = (5..=10).map(|seq| outline(seq, PAGE_BYTES / 2)).collect();
        assert_eq!(page_end(&halves), Some(6));
    }

    #[test]
    fn a_group_that_may_go_on_is_left_to_the_next_page() {
        let all: Vec<Outline> = (1..).take(PAGE_MESSAGES).map(|seq| outline(seq, 1)).collect();
        assert_eq!(page_end(&all), all.iter().rev().nth(1).map(|outline| outline.seq));
    }
}
