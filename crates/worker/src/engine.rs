//! The engine that writes a span's narrative: the one place where a compression asks for it.
//!
//! Whoever asks has read the facts already and merges, proves and publishes what comes back; an engine
//! sees a span, and nothing of strategies, versions or the queue.

use std::sync::Arc;

use super::call_log::CallLog;
use super::job::{Env, JobError, blocking};
use super::model_client::ModelClient;
use super::narrate::{self, MissingFacts, Narrative, NarrativeFailure};
use super::span_facts::SpanFacts;
use anchord_record::candidate::{self, Proposed};
use anchord_record::changes::Account;
use anchord_record::phase::Phase;
use anchord_record::strategy::{self, EngineChoice, Strategy};
use anchord_session::settings::Settings;
use anchord_store::compressions::Job;

/// What a model told of a span, upon what code found.
fn worded(span_facts: &SpanFacts, told: Narrative, model: String) -> Proposed {
    let mut proposal = candidate::propose_beside(&span_facts.material, &span_facts.facts);
    let Account { told: all, trimmed, dropped, .. } = &told.account;
    if trimmed + dropped > 0 {
        proposal.warnings.push(format!(
            "llm: of {all} entries of the model's {dropped} were left out and {trimmed} trimmed, for the data does not support them"
        ));
    }
    let Narrative { changes, account } = told;
    Proposed { proposal, changes, account, engine: strategy::Engine::Llm, model: Some(model) }
}

/// Who words the narratives of one compression: a model until it comes to nothing, and code from then on,
/// so that a failing model costs a compression its tries once.
#[derive(Debug)]
pub(super) struct Engine {
    model: Option<(anchord_llm::Client, String)>,
    /// The phase of the work, which decides what is told in full.
    phase: Option<Phase>,
    asked: bool,
    fallen_back: bool,
    notes: Vec<String>,
}

impl Engine {
    /// Chooses what the caller, the session and the operator ask for, as far as it can be had.
    pub(super) async fn choose(
        env: &Env,
        job: &Job,
        settings: &Settings,
        strategy: Strategy,
    ) -> Result<Self, JobError> {
        let mut engine = Self { phase: settings.phase, ..Self::new(None) };
        let choice = job.request.engine.or(settings.engine).unwrap_or_default();
        if choice == EngineChoice::Extractive || !strategy.asks_an_engine() {
            return Ok(engine);
        }
        let Some(client) = &env.llm else {
            if choice == EngineChoice::Llm {
                engine.notes.push("llm: no model is configured; code made this version".to_owned());
            }
            return Ok(engine);
        };
        if env.store.llm_is_resting(job.tenant, job.session).await? {
            engine.fall_back("session_resting");
            return Ok(engine);
        }
        if !env.store.llm_tokens_are_left(job.tenant, env.clock.now().date_naive()).await? {
            engine.notes.push("llm: quota_used_up; code made this version".to_owned());
            return Ok(engine);
        }
        let named = job.request.model.as_ref().or(settings.model.as_ref());
        // It was allowed when it was set; the operator's list may have changed since.
        let allowed = named.filter(|name| client.allows(name));
        if named.is_some() && allowed.is_none() {
            let note = "llm: the model that was asked for is not allowed; the default one was asked";
            engine.notes.push(note.to_owned());
        }
        let model = allowed.unwrap_or(&client.options().model).clone();
        engine.model = Some((client.clone(), model));
        Ok(engine)
    }

    /// A model, or code.
    pub(super) fn new(model: Option<(anchord_llm::Client, String)>) -> Self {
        Self { model, phase: None, asked: false, fallen_back: false, notes: Vec::new() }
    }

    /// Asks for the narrative of a span.
    pub(super) async fn propose(
        &mut self,
        call_log: CallLog<'_>,
        span_facts: &Arc<SpanFacts>,
    ) -> Result<Proposed, JobError> {
        let mut told = None;
        if let Some((client, model)) = self.model.clone() {
            self.asked = true;
            let model_client = ModelClient { call_log, client: &client, model: &model };
            match narrate::tell(model_client, span_facts, self.phase).await? {
                Ok(words) => told = Some((words, model)),
                Err(NarrativeFailure(reason)) => self.fall_back(reason),
            }
        }
        let span_facts = Arc::clone(span_facts);
        blocking(move || match told {
            Some((told, model)) => worded(&span_facts, told, model),
            None => candidate::propose(&span_facts.material, &span_facts.facts),
        })
        .await
    }

    /// Asks the model once more for what a candidate missing; `None` when that came to nothing.
    pub(super) async fn narrate_again(
        &mut self,
        call_log: CallLog<'_>,
        span_facts: &Arc<SpanFacts>,
        (proposed, missing): (&Proposed, &MissingFacts),
    ) -> Result<Option<Proposed>, JobError> {
        let Some((client, model)) = self.model.clone() else { return Ok(None) };
        let model_client = ModelClient { call_log, client: &client, model: &model };
        let before = Narrative { changes: proposed.changes.clone(), account: proposed.account.clone() };
        let told =
            match narrate::narrate_again(model_client, span_facts, self.phase, (before, missing)).await? {
                Ok(told) => told,
                Err(NarrativeFailure(_)) => return Ok(None),
            };
        let span_facts = Arc::clone(span_facts);
        Ok(Some(blocking(move || worded(&span_facts, told, model)).await?))
    }

    /// Leaves the rest of the compression to code.
    pub(super) fn fall_back(&mut self, reason: &str) {
        self.model = None;
        self.fallen_back = true;
        self.notes.push(format!("llm: {reason}; code made this version"));
    }

    /// Whether a model was to word this and code does.
    pub(super) fn has_fallen_back(&self) -> bool {
        self.fallen_back
    }

    /// Hands out what a reader should know.
    pub(super) fn notes(self) -> Vec<String> {
        self.notes
    }

    /// Counts how it went for the session's breaker, and hands out what a reader should know.
    pub(super) async fn close(self, env: &Env, job: &Job) -> Result<Vec<String>, JobError> {
        if self.asked {
            env.store.note_llm(job.tenant, job.session, !self.fallen_back).await?;
        }
        Ok(self.notes)
    }
}
