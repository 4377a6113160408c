//! The engine that writes the narrative of a span: a model, or code when there is none or the model fails.
//!
//! The caller has read the facts already, and merges, checks and publishes the proposal. An engine knows the span, but
//! no strategies, versions or queue.

use std::sync::Arc;

use super::call_log::CallLog;
use super::job::{Env, JobError, in_turn};
use super::model_client::ModelClient;
use super::narrate::{self, MissingFacts, Narrative, NarrativeFailure};
use super::span_facts::SpanFacts;
use anchord_record::candidate::{self, Proposed};
use anchord_record::changes::Account;
use anchord_record::phase::Phase;
use anchord_record::strategy::{self, EngineChoice, Strategy};
use anchord_session::settings::Settings;
use anchord_store::compressions::Job;

/// The proposal for a narrative that a model wrote, together with what code found.
fn with_narrative(span_facts: &SpanFacts, narrative: Narrative, model: String) -> Proposed {
    let mut proposal = candidate::propose_beside(&span_facts.material, &span_facts.facts);
    let Account { told: all, unverified, dropped, losses, .. } = &narrative.account;
    if unverified + dropped > 0 {
        let why = losses.first().map(|first| format!(" (the first: {})", first.reason)).unwrap_or_default();
        proposal.warnings.push(format!(
            "llm: of {all} entries of the model's {dropped} were left out{why}, and {unverified} are published as unverified, because a name or a figure in them stands nowhere"
        ));
    }
    let proposed = losses.iter().filter(|loss| loss.is_proposal());
    proposal.warnings.extend(proposed.map(|loss| format!("llm: {}; {}", loss.reason, loss.text)));
    let Narrative { changes, account } = narrative;
    Proposed { proposal, changes, account, engine: strategy::Engine::Llm, model: Some(model) }
}

/// Writes the narratives of one compression: by a model until it fails, and by code from then on, so that a compression
/// pays for the retries of a failing model once.
#[derive(Debug)]
pub(super) struct Engine {
    model: Option<(anchord_llm::Client, String)>,
    /// The phase of the work, which says what a model describes in detail.
    phase: Option<Phase>,
    asked: bool,
    fallen_back: bool,
    notes: Vec<String>,
}

impl Engine {
    /// The engine that caller, session and operator ask for, as far as it is available.
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
        let named = job.request.model.as_ref().or(settings.summary_model.as_ref());
        // The model was allowed when it was set, but the operator may have changed the list since.
        let allowed = named.filter(|name| client.allows(name));
        if named.is_some() && allowed.is_none() {
            let note = "llm: the model that was asked for is not allowed; the default one was asked";
            engine.notes.push(note.to_owned());
        }
        let model = allowed.unwrap_or(&client.options().model).clone();
        engine.model = Some((client.clone(), model));
        Ok(engine)
    }

    /// An engine with a model, or without one, by code.
    pub(super) fn new(model: Option<(anchord_llm::Client, String)>) -> Self {
        Self { model, phase: None, asked: false, fallen_back: false, notes: Vec::new() }
    }

    /// Proposes what a span adds to the record.
    pub(super) async fn propose(
        &mut self,
        call_log: CallLog<'_>,
        span_facts: &Arc<SpanFacts>,
    ) -> Result<Proposed, JobError> {
        let mut narrative = None;
        if let Some((client, model)) = self.model.clone() {
            self.asked = true;
            let model_client = ModelClient { call_log, client: &client, model: &model };
            match narrate::narrate(model_client, span_facts, self.phase).await? {
                Ok(words) => narrative = Some((words, model)),
                Err(NarrativeFailure(reason)) => self.fall_back(reason),
            }
        }
        let span_facts = Arc::clone(span_facts);
        in_turn(move || match narrative {
            Some((narrative, model)) => with_narrative(&span_facts, narrative, model),
            None => candidate::propose(&span_facts.material, &span_facts.facts),
        })
        .await
    }

    /// Asks the model again for the facts that a candidate misses; `None` when that failed.
    pub(super) async fn narrate_again(
        &mut self,
        call_log: CallLog<'_>,
        span_facts: &Arc<SpanFacts>,
        (proposed, missing): (&Proposed, &MissingFacts),
    ) -> Result<Option<Proposed>, JobError> {
        let Some((client, model)) = self.model.clone() else { return Ok(None) };
        let model_client = ModelClient { call_log, client: &client, model: &model };
        let before = Narrative { changes: proposed.changes.clone(), account: proposed.account.clone() };
        let narrative =
            match narrate::narrate_again(model_client, span_facts, self.phase, (before, missing)).await? {
                Ok(narrative) => narrative,
                Err(NarrativeFailure(_)) => return Ok(None),
            };
        let span_facts = Arc::clone(span_facts);
        Ok(Some(in_turn(move || with_narrative(&span_facts, narrative, model)).await?))
    }

    /// Continues the compression by code.
    pub(super) fn fall_back(&mut self, reason: &str) {
        self.model = None;
        self.fallen_back = true;
        self.notes.push(format!("llm: {reason}; code made this version"));
    }

    /// Whether code has replaced the model.
    pub(super) fn has_fallen_back(&self) -> bool {
        self.fallen_back
    }

    /// The warnings for the reader of the version.
    pub(super) fn notes(self) -> Vec<String> {
        self.notes
    }

    /// Records success or failure for the session's circuit breaker; returns the warnings for the reader of the version.
    pub(super) async fn close(self, env: &Env, job: &Job) -> Result<Vec<String>, JobError> {
        if self.asked {
            env.store.note_llm(job.tenant, job.session, !self.fallen_back).await?;
        }
        Ok(self.notes)
    }
}
