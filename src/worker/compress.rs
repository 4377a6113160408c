//! A compression, step by step: base and span → ledger → proposal → merge → probes → publication.

use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::narrate::{self, Desk, Fallen, Told};
use super::{Env, JobError};
use crate::domain::candidate::{self, Material, Proof};
use crate::domain::compression::{Failure, Report, Status, Timings};
use crate::domain::context;
use crate::domain::format::{self, Format};
use crate::domain::group;
use crate::domain::id::{ProbeId, Seq};
use crate::domain::ledger::Facts;
use crate::domain::message::Numbered;
use crate::domain::narrative::{self, Narrative};
use crate::domain::probe::Probe;
use crate::domain::settings::Settings;
use crate::domain::strategy::{Engine, EngineChoice};
use crate::domain::summary::{Constraint, ConstraintSource};
use crate::domain::tokens::TokenCounter;
use crate::llm;
use crate::store::base::{Base, Original};
use crate::store::compressions::{Job, Span};
use crate::store::outlines::{Outline, marks};
use crate::store::settle::{NewEvaluation, NewVersion, Settlement};

/// Bytes of message bodies that one compression reads; what lies beyond is the follow-up's. Bounds the
/// memory of a worker, whatever the length of the session.
const SPAN_BYTES: u64 = 8 * 1024 * 1024;

/// Runs a claimed compression to its settlement.
pub(super) async fn run(env: &Env, job: &Job) -> Result<(), JobError> {
    let started = Instant::now();
    let Some((base, outlines)) = env.store.load_base(job.tenant, job.session).await? else {
        return Ok(());
    };
    let span = match choose_span(&base, &outlines, job) {
        Ok(span) => span,
        Err(reason) => return skip(env, job, started, reason).await,
    };
    if job.span.is_none() && !env.store.fix_span(job, span).await? {
        return Ok(());
    }
    let originals = env.store.load_span(job.tenant, job.session, span.from_seq, span.through_seq).await?;
    let before = u32::try_from(base.counts.context_tokens()).unwrap_or(u32::MAX);
    let work = Work { base, outlines, originals, span, job: job.clone(), now: env.clock.now() };
    let wish = Wish::of(env, job, &work.base.settings);
    let read = tokio::task::spawn_blocking(move || work.read()).await;
    let mut read = read.map_err(|error| JobError::Broken(error.to_string()))?.map_err(JobError::Broken)?;
    let mut notes = wish.notes;
    let mut told = None;
    if let Some((client, model)) = wish.model {
        let begun = Instant::now();
        match narrate::tell(env, &client, job, &read.desk, &model).await? {
            Told::Narrative(narrative) => told = Some((*narrative, model)),
            Told::Fallen(Fallen(reason)) => notes.push(format!("llm: {reason}; code made this version")),
            Told::Lost => return Ok(()),
        }
        read.timings.engine_ms = elapsed(begun);
    }
    let was_told = told.is_some();
    let made = tokio::task::spawn_blocking(move || read.make(told, notes)).await;
    let made = made.map_err(|error| JobError::Broken(error.to_string()))?;
    if let Some(client) = env.llm.as_ref().filter(|_| was_told) {
        client.note_session(job.session, made.proof.meta.engine == Engine::Llm);
    }
    let mut settlement = made.settle(job, started, before)?;
    if env.llm.is_some() {
        settlement.report.cost = env.store.llm_cost(job).await?;
    }
    env.store.settle(job, Some(span), settlement).await?;
    if env.llm.is_some() {
        env.store.forget_chunks(job).await?;
    }
    Ok(())
}

/// Which engine a compression is to have, and what cannot be had.
struct Wish {
    model: Option<(llm::Client, String)>,
    notes: Vec<String>,
}

impl Wish {
    fn of(env: &Env, job: &Job, settings: &Settings) -> Self {
        let engine = job.request.engine.or(settings.engine).unwrap_or_default();
        let strategy = job.request.strategy.or(settings.strategy).unwrap_or_default();
        let mut notes = Vec::new();
        let model = match &env.llm {
            Some(client) if engine != EngineChoice::Extractive && strategy.has_narrative() => {
                let named = job.request.model.as_ref().or(settings.model.as_ref());
                // It was allowed when it was set; the operator's list may have changed since.
                let allowed = named.filter(|name| client.allows(name));
                if named.is_some() && allowed.is_none() {
                    notes.push(
                        "llm: the model that was asked for is not allowed; the default one was asked"
                            .to_owned(),
                    );
                }
                let model = allowed.unwrap_or(&client.options().model).clone();
                Some((client.clone(), model))
            }
            None if engine == EngineChoice::Llm => {
                notes.push("llm: no model is configured; code made this version".to_owned());
                None
            }
            _ => None,
        };
        Self { model, notes }
    }
}

/// Ends a compression that cannot be done, with its reason.
pub(super) async fn fail(env: &Env, job: &Job, kind: &str, detail: &str) -> Result<(), JobError> {
    let error = Some(Failure { kind: kind.to_owned(), detail: detail.to_owned() });
    let report = Report { error, ..Report::default() };
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
fn choose_span(base: &Base, outlines: &[Outline], job: &Job) -> Result<Span, group::NoSpan> {
    if let Some(span) = job.span {
        return Ok(span);
    }
    let preserve = job.request.preserve_recent.unwrap_or_else(|| base.settings.policy().preserve_recent);
    let preserve = usize::try_from(preserve).unwrap_or(usize::MAX);
    let end = group::span_end(outlines, preserve, job.request.through_seq)?;
    let through_seq = bounded(outlines, end);
    let from_seq = outlines.first().map_or(end, |first| first.seq);
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
    job: Job,
    now: chrono::DateTime<chrono::Utc>,
}

/// What the blocking part made.
struct Made {
    proof: Proof,
    facts: Arc<Facts>,
    probe_ids: Vec<ProbeId>,
    timings: Timings,
    counter: TokenCounter,
}

/// The span, read.
struct Read {
    desk: Desk,
    probe_ids: Vec<ProbeId>,
    timings: Timings,
}

impl Read {
    /// Makes the candidate: from what the model told, and from code alone when there is nothing of it or
    /// the gate refuses it.
    fn make(self, told: Option<(Narrative, String)>, mut notes: Vec<String>) -> Made {
        let Self { desk, probe_ids, mut timings } = self;
        let (material, facts) = (&*desk.material, &*desk.facts);
        let begun = Instant::now();
        let proposal = candidate::propose(material, facts);
        timings.engine_ms = timings.engine_ms.saturating_add(elapsed(begun));
        let begun = Instant::now();
        let by_model = told.and_then(|(narrative, model)| {
            let proposal = narrative::proposal(narrative, proposal.clone());
            let draft = candidate::draft_of(material, facts, proposal, Some(model));
            let proof = candidate::prove(material, facts, draft);
            let good = proof.is_accepted() || proof.is_not_smaller();
            if !good {
                notes.push("llm: the gate refused the model's version; code made this one".to_owned());
            }
            good.then_some(proof)
        });
        let mut proof = by_model.unwrap_or_else(|| {
            candidate::prove(material, facts, candidate::draft_of(material, facts, proposal, None))
        });
        timings.probe_ms = elapsed(begun);
        proof.meta.warnings.extend(notes);
        Made { proof, facts: Arc::clone(&desk.facts), probe_ids, timings, counter: material.counter }
    }
}

impl Work {
    fn read(self) -> Result<Read, String> {
        let covered = self.outlines.iter().filter(|outline| outline.seq <= self.span.through_seq);
        let covered: Vec<Outline> = covered.cloned().collect();
        let last = |group: &group::Group| covered.get(group.range.clone())?.last().map(|last| last.seq);
        let ends: Vec<Seq> = group::groups(&covered).iter().filter_map(last).collect();
        let (material, probe_ids) = self.material()?;
        let begun = Instant::now();
        let facts = candidate::read(&material);
        let timings = Timings { ledger_ms: elapsed(begun), ..Timings::default() };
        let desk = Desk { material: Arc::new(material), facts: Arc::new(facts), ends: ends.into() };
        Ok(Read { desk, probe_ids, timings })
    }

    fn material(self) -> Result<(Material, Vec<ProbeId>), String> {
        let policy = self.base.settings.policy();
        let counter = TokenCounter::new(self.base.settings.tokenizer.unwrap_or_default());
        let mut span = Vec::with_capacity(self.originals.len());
        for original in self.originals {
            let format = Format::from_name(&original.format).ok_or("a message has an unknown format")?;
            let message = format::parse(format, &original.body)
                .map_err(|error| format!("message {} does not read back: {error}", original.seq))?;
            span.push(Numbered { seq: original.seq, message });
        }
        let covered = |outline: &&Outline| outline.seq <= self.span.through_seq;
        let span_tokens =
            self.outlines.iter().filter(covered).fold(0u32, |sum, o| sum.saturating_add(o.tokens));
        let span_tokens = span_tokens.saturating_sub(self.base.counts.masked_within(
            &self.outlines,
            &marks(&self.outlines),
            self.span.through_seq,
        ));
        let tail_tokens: u64 =
            self.outlines.iter().filter(|o| !covered(o)).map(|o| u64::from(o.tokens)).sum();
        // Room for the summary when the context is to be at the target afterwards.
        let target = self.job.request.target.unwrap_or(policy.target);
        let goal = u64::from(crate::domain::settings::share_of(policy.effective_window, target));
        let fixed = u64::from(self.base.counts.system_tokens) + u64::from(self.base.counts.pins_tokens);
        let room = u32::try_from(goal.saturating_sub(fixed + tail_tokens)).unwrap_or(u32::MAX);
        let bound = policy.max_summary_tokens.min(room.max(crate::domain::render::LEAST_BOUND_TOKENS));
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
            session_id: self.base.name.to_string(),
            task_id: self.base.settings.task_id,
            span,
            from_seq: self.span.from_seq,
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
            engine: Some(proof.meta.engine),
            model: proof.meta.model.clone(),
            tokens_before: tokens(proof.meta.tokens_before),
            tokens_after: tokens(proof.meta.tokens_after),
            compression_ratio: proof.meta.compression_ratio,
            context_tokens_before: Some(context_before),
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
        let version = if status == Status::Succeeded { Some(self.version()?) } else { None };
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
