//! The engine that writes a span's narrative: the one place where a compression asks for it.
//!
//! Whoever asks has read the facts already and merges, proves and publishes what comes back; an engine
//! sees a span, and nothing of strategies, versions or the queue.

use std::sync::Arc;

use super::exchange::Exchange;
use super::narrate::{self, Fallen, Lost, Told};
use super::notebook::Notebook;
use super::{Env, JobError, blocking};
use anchord_facts::ledger::Facts;
use anchord_messages::group;
use anchord_messages::id::Seq;
use anchord_messages::shape::AsShape;
use anchord_record::candidate::{self, Draft, Material, Proposed};
use anchord_record::changes::Account;
use anchord_record::phase::Phase;
use anchord_record::strategy::{self, EngineChoice, Strategy};
use anchord_session::settings::Settings;
use anchord_store::compressions::Job;

/// A span with the facts that were read out of it.
#[derive(Debug)]
pub(super) struct Digest {
    /// The span and what its candidate is made from.
    pub(super) material: Material,
    /// Its facts.
    pub(super) facts: Facts,
    /// The last messages of its groups, ascending.
    pub(super) ends: Arc<[Seq]>,
}

impl Digest {
    /// Reads the facts.
    pub(super) async fn read(material: Material, ends: Arc<[Seq]>) -> Result<Arc<Self>, JobError> {
        let read = move || {
            let facts = candidate::read(&material);
            Arc::new(Self { material, facts, ends })
        };
        blocking(read).await
    }

    /// Merges what an engine proposed: into the record itself when nothing else can follow, into a copy when a
    /// model's words or a strategy with a fallback may still be refused.
    pub(super) fn merge(self: Arc<Self>, proposed: Proposed) -> (Arc<Self>, Draft) {
        let is_last = proposed.engine != strategy::Engine::Llm && self.material.strategy.fallback().is_none();
        let mut digest = self;
        let draft = match Arc::get_mut(&mut digest).filter(|_| is_last) {
            Some(own) => candidate::merge_last(&mut own.material, &own.facts, proposed),
            None => candidate::merge_proposal(&digest.material, &digest.facts, proposed),
        };
        (digest, draft)
    }

    /// Gives back what was read; nobody else holds it any more once an engine has answered.
    pub(super) fn into_parts(self: Arc<Self>) -> (Material, Facts) {
        match Arc::try_unwrap(self) {
            Ok(Self { material, facts, .. }) => (material, facts),
            Err(shared) => (shared.material.clone(), shared.facts.clone()),
        }
    }
}

/// The last messages of the groups of a span that ends with `through`.
pub(super) fn group_ends<T: AsShape>(messages: &[T], through: Seq) -> Arc<[Seq]> {
    let covered = messages.get(..messages.partition_point(|m| m.seq() <= through)).unwrap_or_default();
    let last = |group: &group::Group| covered.get(group.range.clone())?.last().map(AsShape::seq);
    group::groups(covered).iter().filter_map(last).collect()
}

/// What a model told of a span, upon what code found.
fn worded(digest: &Digest, told: Told, model: String) -> Proposed {
    let mut proposal = candidate::propose_beside(&digest.material, &digest.facts);
    let Account { told: all, trimmed, dropped, .. } = &told.account;
    if trimmed + dropped > 0 {
        proposal.warnings.push(format!(
            "llm: of {all} entries of the model's {dropped} were left out and {trimmed} trimmed, for the data does not support them"
        ));
    }
    let Told { changes, account } = told;
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
    fallen: bool,
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
        let mut engine = Self { phase: settings.phase, ..Self::of(None) };
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
            engine.fall("session_resting");
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
    pub(super) fn of(model: Option<(anchord_llm::Client, String)>) -> Self {
        Self { model, phase: None, asked: false, fallen: false, notes: Vec::new() }
    }

    /// Asks for the narrative of a span.
    pub(super) async fn propose(
        &mut self,
        notebook: Notebook<'_>,
        digest: &Arc<Digest>,
    ) -> Result<Proposed, JobError> {
        let mut told = None;
        if let Some((client, model)) = self.model.clone() {
            self.asked = true;
            let exchange = Exchange { notebook, client: &client, model: &model };
            match narrate::tell(exchange, digest, self.phase).await? {
                Ok(words) => told = Some((words, model)),
                Err(Fallen(reason)) => self.fall(reason),
            }
        }
        let digest = Arc::clone(digest);
        blocking(move || match told {
            Some((told, model)) => worded(&digest, told, model),
            None => candidate::propose(&digest.material, &digest.facts),
        })
        .await
    }

    /// Asks the model once more for what a candidate lost; `None` when that came to nothing.
    pub(super) async fn retell(
        &mut self,
        notebook: Notebook<'_>,
        digest: &Arc<Digest>,
        (proposed, lost): (&Proposed, &Lost),
    ) -> Result<Option<Proposed>, JobError> {
        let Some((client, model)) = self.model.clone() else { return Ok(None) };
        let exchange = Exchange { notebook, client: &client, model: &model };
        let before = Told { changes: proposed.changes.clone(), account: proposed.account.clone() };
        let told = match narrate::retell(exchange, digest, self.phase, (before, lost)).await? {
            Ok(told) => told,
            Err(Fallen(_)) => return Ok(None),
        };
        let digest = Arc::clone(digest);
        Ok(Some(blocking(move || worded(&digest, told, model)).await?))
    }

    /// Leaves the rest of the compression to code.
    pub(super) fn fall(&mut self, reason: &str) {
        self.model = None;
        self.fallen = true;
        self.notes.push(format!("llm: {reason}; code made this version"));
    }

    /// Whether a model was to word this and code does.
    pub(super) fn has_fallen(&self) -> bool {
        self.fallen
    }

    /// Hands out what a reader should know.
    pub(super) fn notes(self) -> Vec<String> {
        self.notes
    }

    /// Counts how it went for the session's breaker, and hands out what a reader should know.
    pub(super) async fn close(self, env: &Env, job: &Job) -> Result<Vec<String>, JobError> {
        if self.asked {
            env.store.note_llm(job.tenant, job.session, !self.fallen).await?;
        }
        Ok(self.notes)
    }
}
