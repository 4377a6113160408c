//! A compression, step by step: base and span → ledger → proposal → merge → probes → publication.

use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::engine::{self, Digest, Engine};
use super::{Env, JobError, blocking, reread, shadow};
use crate::domain::candidate::{self, Material, Proof};
use crate::domain::compression::{Failure, GateOutcome, Report, Status, Timings};
use crate::domain::context;
use crate::domain::format::{self, Format};
use crate::domain::group;
use crate::domain::id::{ProbeId, Seq};
use crate::domain::ledger::Facts;
use crate::domain::message::Numbered;
use crate::domain::probe::Probe;
use crate::domain::strategy::{self, Strategy};
use crate::domain::summary::{Constraint, ConstraintSource};
use crate::domain::tokens::TokenCounter;
use crate::store::base::{Base, Original};
use crate::store::compressions::{Job, Span};
use crate::store::outlines::{Outline, marks};
use crate::store::settle::{NewEvaluation, NewVersion, Settlement};

/// Bytes of message bodies that one compression reads; what lies beyond is the follow-up's. Bounds the
/// memory of a worker, whatever the length of the session.
const SPAN_BYTES: u64 = 8 * 1024 * 1024;
/// Messages that stay verbatim when code words what a model was to word.
const KEPT_BY_CODE: usize = 10;

/// Runs a claimed compression to its settlement.
pub(super) async fn run(env: &Env, job: &Job) -> Result<(), JobError> {
    let started = Instant::now();
    let Some((mut base, mut outlines)) = env.store.load_base(job.tenant, job.session).await? else {
        return Ok(());
    };
    let strategy = job.request.strategy.unwrap_or_else(|| base.settings.strategy_in_force());
    if base.settings.refuses(strategy) {
        return refuse(env, job, strategy).await;
    }
    let mut chosen = choose_span(&base, &outlines, (job, strategy), None);
    let stands = |span: &Span| span.parent_version == base.current.as_ref().map(|current| current.version);
    let mut replaced = None;
    if job.request.shadow
        && !chosen.as_ref().is_ok_and(stands)
        && let Some(earlier) = shadow::step_back(env, job, &mut base).await?
    {
        outlines = earlier.outlines;
        replaced = Some(earlier.replaced);
        chosen = choose_span(&base, &outlines, (job, strategy), Some(earlier.replaced.through_seq));
    }
    let span = match chosen {
        Ok(span) => span,
        Err(reason) => return skip(env, job, started, reason).await,
    };
    if span.parent_version != base.current.as_ref().map(|current| current.version) {
        // An earlier attempt fixed the span, and more than one version was published since.
        env.store.settle(job, Some(span), ended(Status::Superseded, Report::default())).await?;
        return Ok(());
    }
    if job.span.is_none() && !env.store.fix_span(job, span).await? {
        return Ok(());
    }
    // A version that was read from the whole history still digests the messages after the anchor last.
    let from_seq = outlines.first().map_or(span.from_seq, |first| first.seq);
    let originals = env.store.load_span(job.tenant, job.session, from_seq, span.through_seq).await?;
    let now = u32::try_from(base.counts.context_tokens()).unwrap_or(u32::MAX);
    let before = replaced.map_or(now, |replaced| replaced.context_tokens);
    let span_tokens = replaced.map(|replaced| replaced.until(&outlines, span.through_seq));
    let history = (base.counts.system_through, from_seq - 1);
    let now = env.clock.now();
    let mut engine = Engine::choose(env, job, &base.settings, strategy).await?;
    let work = Work { base, outlines, originals, span, span_tokens, job: job.clone(), strategy, now };
    let desk = blocking(move || work.desk()).await?.map_err(JobError::Broken)?;
    let mut made = make(env, job, &mut engine, desk, history).await?;
    // What code makes in a model's place covers less.
    let covered = Span { through_seq: made.proof.meta.through_seq, ..span };
    if covered != span && !env.store.fix_span(job, covered).await? {
        return Err(JobError::Lost);
    }
    made.proof.meta.warnings.extend(engine.close(env, job).await?);
    let mut settlement = made.settle(job, started, before)?;
    if env.llm.is_some() {
        settlement.report.cost = env.store.llm_cost(job).await?;
    }
    env.store.settle(job, Some(covered), settlement).await?;
    if env.llm.is_some() {
        env.store.forget_chunks(job).await?;
    }
    Ok(())
}

/// Makes a candidate, and when the gate refuses it for good, the one that code makes in a model's place
/// and the one that its strategy falls back to.
async fn make(
    env: &Env,
    job: &Job,
    engine: &mut Engine,
    desk: Desk,
    history: (Seq, Seq),
) -> Result<Made, JobError> {
    let Desk { mut material, probe_ids, mut ends, mut shorter } = desk;
    let mut timings = Timings::default();
    let (stored, from_seq) = (material.base.clone(), material.from_seq);
    if material.strategy == Strategy::Regenerative {
        let begun = Instant::now();
        reread::refresh(env, job, engine, &mut material, history).await?;
        timings.engine_ms += elapsed(begun);
    }
    let mut gate = Vec::new();
    loop {
        if engine.has_fallen()
            && let Some(shorter) = shorter.take()
        {
            ends = ends.iter().copied().filter(|end| *end <= shorter.through_seq).collect();
            shorter.apply(&mut material);
        }
        let begun = Instant::now();
        let digest = Digest::read(material, Arc::clone(&ends)).await?;
        timings.ledger_ms += elapsed(begun);
        let begun = Instant::now();
        let proposed = engine.propose(env, job, &digest).await?;
        timings.engine_ms += elapsed(begun);
        if engine.has_fallen() && shorter.is_some() {
            (material, _) = digest.into_parts();
            continue;
        }
        let begun = Instant::now();
        let prove = move || {
            let (material, facts) = digest.into_parts();
            let draft = candidate::merge_proposal(&material, &facts, proposed);
            let proof = candidate::prove(&material, &facts, draft);
            (material, facts, proof)
        };
        let (proved, facts, mut proof) = blocking(prove).await?;
        timings.probe_ms += elapsed(begun);
        gate.append(&mut proof.gate);
        let told = proof.meta.engine == strategy::Engine::Llm;
        // What code words may still be smaller than what a model worded.
        let refused = !proof.is_accepted() && (told || !proof.is_not_smaller());
        let next = if told { Some(proved.strategy) } else { proved.strategy.fallback() };
        let Some(next) = next.filter(|_| refused) else {
            proof.gate = gate;
            return Ok(Made { proof, facts, probe_ids, timings, counter: proved.counter });
        };
        if let Some(last) = gate.last_mut() {
            last.outcome = GateOutcome::FallBack;
        }
        if told {
            engine.fall(if proof.is_not_smaller() { "not_smaller" } else { "gate_refused" });
            material = proved;
        } else {
            material = Material { strategy: next, base: stored.clone(), from_seq, ..proved };
        }
    }
}

/// Ends a compression whose strategy the session refuses.
async fn refuse(env: &Env, job: &Job, strategy: Strategy) -> Result<(), JobError> {
    let error = Some(Failure {
        kind: "critical-session".to_owned(),
        detail: format!("{} cannot be verified and is refused for critical sessions", strategy.as_str()),
    });
    let report = Report { strategy_used: Some(strategy), error, ..Report::default() };
    env.store.settle(job, job.span, ended(Status::Rejected, report)).await?;
    Ok(())
}

/// Ends a compression that cannot be done, with its reason.
pub(super) async fn fail(env: &Env, job: &Job, kind: &str, detail: &str) -> Result<(), JobError> {
    let error = Some(Failure { kind: kind.to_owned(), detail: detail.to_owned() });
    let cost = env.store.llm_cost(job).await?;
    let report = Report { error, cost, ..Report::default() };
    env.store.settle(job, job.span, ended(Status::Failed, report)).await?;
    Ok(())
}

async fn skip(env: &Env, job: &Job, started: Instant, reason: group::NoSpan) -> Result<(), JobError> {
    let error = Some(Failure { kind: reason.as_str().to_owned(), detail: reason.to_string() });
    let timings =
        Timings { queued_ms: millis(job.queued_ms), total_ms: elapsed(started), ..Timings::default() };
    let report = Report { error, timings, ..Report::default() };
    env.store.settle(job, None, ended(Status::Skipped, report)).await?;
    Ok(())
}

fn ended(status: Status, report: Report) -> Settlement {
    Settlement { status, report, version: None, evaluation: None, retry_tokens: 0 }
}

/// The span: fixed at the first claim, else from the anchor to the last group that may be covered.
fn choose_span(
    base: &Base,
    outlines: &[Outline],
    (job, strategy): (&Job, Strategy),
    through: Option<Seq>,
) -> Result<Span, group::NoSpan> {
    if let Some(span) = job.span {
        return Ok(span);
    }
    let preserve = job.request.preserve_recent.unwrap_or_else(|| base.settings.preserved_by(strategy));
    let preserve = usize::try_from(preserve).unwrap_or(usize::MAX);
    let asked = [job.request.through_seq, through].into_iter().flatten().min();
    let end = group::span_end(outlines, preserve, asked)?;
    let through_seq = bounded(outlines, end);
    let from_seq = if strategy == Strategy::Regenerative && base.current.is_some() {
        base.counts.system_through + 1
    } else {
        outlines.first().map_or(end, |first| first.seq)
    };
    Ok(Span { parent_version: base.current.as_ref().map(|current| current.version), from_seq, through_seq })
}

/// The last group's end within [`SPAN_BYTES`]; one group always goes.
fn bounded(outlines: &[Outline], end: Seq) -> Seq {
    let groups = group::groups(outlines);
    let (mut bytes, mut through) = (0, 0);
    for group in groups {
        let members = outlines.get(group.range).unwrap_or_default();
        bytes += members.iter().map(|member| member.bytes).sum::<u64>();
        let Some(last) = members.last().map(|member| member.seq).filter(|last| *last <= end) else { break };
        if through > 0 && bytes > SPAN_BYTES {
            break;
        }
        through = last;
    }
    if through == 0 { end } else { through }
}

/// Everything that the blocking part works on.
struct Work {
    base: Base,
    outlines: Vec<Outline>,
    originals: Vec<Original>,
    span: Span,
    /// Tokens of the span as it was served, when it is read once more.
    span_tokens: Option<u32>,
    job: Job,
    strategy: Strategy,
    now: chrono::DateTime<chrono::Utc>,
}

/// What a candidate is made from, and what it is made from when code makes it in a model's place.
struct Desk {
    material: Material,
    probe_ids: Vec<ProbeId>,
    /// The last messages of the span's groups.
    ends: Arc<[Seq]>,
    shorter: Option<Shorter>,
}

/// The same span, ending earlier: what code words loses more than what a model words, so that more
/// messages stay as they are.
struct Shorter {
    through_seq: Seq,
    span_tokens: u32,
    bound: u32,
}

impl Shorter {
    fn apply(self, material: &mut Material) {
        let keep = material.span.partition_point(|message| message.seq <= self.through_seq);
        material.span.truncate(keep);
        (material.through_seq, material.span_tokens, material.bound) =
            (self.through_seq, self.span_tokens, self.bound);
    }
}

/// What the blocking part made.
struct Made {
    proof: Proof,
    facts: Facts,
    probe_ids: Vec<ProbeId>,
    timings: Timings,
    counter: TokenCounter,
}

impl Work {
    fn desk(self) -> Result<Desk, String> {
        let shorter = self.shorter();
        let ends = engine::group_ends(&self.outlines, self.span.through_seq);
        let (material, probe_ids) = self.material()?;
        Ok(Desk { material, probe_ids, ends, shorter })
    }

    /// The span without the last [`KEPT_BY_CODE`] messages; nothing when the caller said where it ends, or
    /// when too little would be left of it.
    fn shorter(&self) -> Option<Shorter> {
        let request = &self.job.request;
        let is_asked = request.preserve_recent.is_some() || request.through_seq.is_some() || request.shadow;
        let through_seq = group::span_end(&self.outlines, KEPT_BY_CODE, None).ok()?;
        let is_shorter = !is_asked && self.span_tokens.is_none() && through_seq < self.span.through_seq;
        is_shorter.then(|| Shorter {
            through_seq,
            span_tokens: self.tokens_until(through_seq),
            bound: self.bound(through_seq),
        })
    }

    /// Tokens of the messages through `through`, as they are served.
    fn tokens_until(&self, through: Seq) -> u32 {
        let covered = self.outlines.iter().filter(|outline| outline.seq <= through);
        let whole = covered.fold(0u32, |sum, outline| sum.saturating_add(outline.tokens));
        let marks = marks(&self.outlines);
        whole.saturating_sub(self.base.counts.masked_within(&self.outlines, &marks, through))
    }

    /// Room for the summary when the context is to be at the target afterwards.
    fn bound(&self, through: Seq) -> u32 {
        let policy = self.base.settings.policy();
        let tail = self.outlines.iter().filter(|outline| outline.seq > through);
        let tail_tokens: u64 = tail.map(|outline| u64::from(outline.tokens)).sum();
        let target = self.job.request.target.unwrap_or(policy.target);
        let goal = u64::from(crate::domain::settings::share_of(policy.effective_window, target));
        let fixed = u64::from(self.base.counts.system_tokens) + u64::from(self.base.counts.pins_tokens);
        let room = u32::try_from(goal.saturating_sub(fixed + tail_tokens)).unwrap_or(u32::MAX);
        policy.max_summary_tokens.min(room.max(crate::domain::render::LEAST_BOUND_TOKENS))
    }

    fn material(self) -> Result<(Material, Vec<ProbeId>), String> {
        let counter = TokenCounter::new(self.base.settings.tokenizer.unwrap_or_default());
        let span_tokens = self.span_tokens.unwrap_or_else(|| self.tokens_until(self.span.through_seq));
        let bound = self.bound(self.span.through_seq);
        let span = read_messages(self.originals)?;
        let base = self.base.current.map(read_base).transpose()?;
        let mut probes: Vec<Probe> = Vec::new();
        let mut probe_ids = Vec::new();
        for (id, probe) in self.base.probes {
            probes.push(serde_json::from_value(probe).map_err(|error| format!("probe {id}: {error}"))?);
            probe_ids.push(id);
        }
        let pin = |(id, text): (String, String)| Constraint {
            id,
            text,
            source: ConstraintSource::Pin,
            seqs: Vec::new(),
        };
        let material = Material {
            strategy: self.strategy,
            session_id: self.base.name.to_string(),
            task_id: self.base.settings.task_id,
            from_seq: span.first().map_or(self.span.from_seq, |first| first.seq),
            span,
            through_seq: self.span.through_seq,
            span_tokens,
            base,
            version: self.base.next_version,
            compression_count: i64::from(self.base.compression_count),
            pins: self.base.pins.into_iter().map(pin).collect(),
            removed_constraints: self.base.removed_constraints,
            probes,
            bound,
            now: self.now,
            counter,
        };
        Ok((material, probe_ids))
    }
}

/// Reads originals back into messages.
pub(super) fn read_messages(originals: Vec<Original>) -> Result<Vec<Numbered>, String> {
    let mut messages = Vec::with_capacity(originals.len());
    for original in originals {
        let format = Format::from_name(&original.format).ok_or("a message has an unknown format")?;
        let message = format::parse(format, &original.body)
            .map_err(|error| format!("message {} does not read back: {error}", original.seq))?;
        messages.push(Numbered { seq: original.seq, message });
    }
    Ok(messages)
}

fn read_base(current: crate::store::base::Current) -> Result<candidate::Base, String> {
    Ok(candidate::Base {
        version: current.version,
        summary: serde_json::from_value(current.document).map_err(|e| format!("the current version: {e}"))?,
        carry: serde_json::from_value(current.carry)
            .map_err(|e| format!("the current version's carry: {e}"))?,
        rendering_tokens: current.rendering_tokens,
    })
}

impl Made {
    fn settle(self, job: &Job, started: Instant, context_before: u32) -> Result<Settlement, JobError> {
        let proof = &self.proof;
        let status = if proof.is_not_smaller() {
            Status::Skipped
        } else if proof.is_accepted() {
            Status::Succeeded
        } else {
            Status::Rejected
        };
        let error = (status != Status::Succeeded).then(|| Failure {
            kind: if status == Status::Skipped { "not-smaller" } else { "gate-refused" }.to_owned(),
            detail: refusal_text(proof),
        });
        let mut timings = self.timings;
        timings.queued_ms = millis(job.queued_ms);
        timings.total_ms = elapsed(started);
        let tokens = |count: i64| u32::try_from(count).ok();
        let report = Report {
            strategy_used: Some(proof.meta.strategy),
            engine: Some(proof.meta.engine),
            model: proof.meta.model.clone(),
            gate: proof.gate.clone(),
            tokens_before: tokens(proof.meta.tokens_before),
            tokens_after: tokens(proof.meta.tokens_after),
            compression_ratio: proof.meta.compression_ratio,
            context_tokens_before: Some(context_before),
            // What the context would be; settling a version that is published counts it afresh.
            context_tokens_after: job.request.shadow.then(|| {
                let replaced = tokens(proof.meta.tokens_before).unwrap_or(u32::MAX);
                context_before.saturating_sub(replaced).saturating_add(proof.rendering.tokens)
            }),
            probe_score: proof.report.score,
            probes_asked: proof.report.asked,
            probes_failed: proof.report.failed,
            probes_cut: proof.report.cut,
            critical_failed: proof.report.critical_failed,
            warnings: proof.meta.warnings.clone(),
            error,
            timings,
            ..Report::default()
        };
        let evaluation = Some(NewEvaluation {
            scores: json(&proof.report.scores())?,
            results: json(&proof.report.results)?,
            new_probes: proof.new_probes.iter().map(json).collect::<Result<_, _>>()?,
            retired: proof.retired.iter().filter_map(|at| self.probe_ids.get(*at).copied()).collect(),
        });
        let doubled = u64::from(report.tokens_before.unwrap_or_default()) * 2;
        let retry_tokens = if status == Status::Skipped { doubled } else { 0 };
        // A shadow run keeps what it made, also what the gate refused: that is what it is for.
        let is_kept = status == Status::Succeeded || job.request.shadow;
        let version = if is_kept { Some(self.version()?) } else { None };
        Ok(Settlement { status, report, version, evaluation, retry_tokens })
    }

    fn version(self) -> Result<NewVersion, JobError> {
        let mut ledger = Vec::new();
        for command in &self.facts.commands {
            push_entry(&mut ledger, "command", &command.seqs, json(command)?);
        }
        for run in &self.facts.test_runs {
            push_entry(&mut ledger, "test_run", &run.seqs, json(run)?);
        }
        let proof = self.proof;
        Ok(NewVersion {
            version: proof.meta.version,
            meta: json(&proof.meta)?,
            document: json(&proof.summary)?,
            carry: json(&self.facts.carry)?,
            rendering: served(&proof.rendering.text, self.counter),
            least: served(&proof.least.text, self.counter),
            recap: proof.recap,
            ledger,
        })
    }
}

fn refusal_text(proof: &Proof) -> String {
    if proof.refusals.is_empty() {
        return format!(
            "{} of {} probes failed, {} of them critical",
            proof.report.failed, proof.report.asked, proof.report.critical_failed
        );
    }
    let reasons: Vec<String> = proof.refusals.iter().take(5).map(ToString::to_string).collect();
    reasons.join("; ")
}

/// A rendering as the message that contexts serve, with that message's tokens.
fn served(rendering: &str, counter: TokenCounter) -> (String, u32) {
    let text = context::summary_message_text(rendering);
    let tokens = context::Counted::new(&text, &counter).tokens;
    (text, tokens)
}

/// Numbers the entries of one message among themselves, so that a span that is read again after a
/// rollback, with other bounds, gives the same keys.
fn push_entry(
    ledger: &mut Vec<(&'static str, Seq, i32, serde_json::Value)>,
    kind: &'static str,
    seqs: &[Seq],
    value: serde_json::Value,
) {
    let seq = seqs.first().copied().unwrap_or_default();
    let same = |entry: &&(&'static str, Seq, i32, serde_json::Value)| entry.0 == kind && entry.1 == seq;
    let ordinal = ledger.last().filter(same).map_or(0, |entry| entry.2 + 1);
    ledger.push((kind, seq, ordinal, value));
}

fn json(value: &impl Serialize) -> Result<serde_json::Value, JobError> {
    serde_json::to_value(value).map_err(|error| JobError::Broken(error.to_string()))
}

fn elapsed(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

fn millis(ms: i64) -> u64 {
    u64::try_from(ms).unwrap_or_default()
}
