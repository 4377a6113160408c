//! One compression without a session: a transcript in memory, no queue and no store. The steps are the
//! same; what would be written to the database is handed back.

use super::desk::Desk;
use super::engine::{Engine, group_ends};
use super::exam::Exam;
use super::examine::Examiner;
use super::make::make;
use super::notebook::{Notebook, Page};
use super::{JobError, blocking};
use anchord_llm::Client;
use anchord_messages::id::Seq;
use anchord_messages::message::{Numbered, Role};
use anchord_messages::shape::{AsShape, Shape};
use anchord_record::candidate::{Material, Proof};
use anchord_record::exam;
use anchord_record::rubric::Rubric;
use anchord_session::compression::Cost;

pub use super::notebook::CallRecord;

/// What came of it.
#[derive(Debug)]
pub struct Alone {
    /// The last candidate.
    pub proof: Proof,
    /// What a judge says of it.
    pub rubric: Option<Rubric>,
    /// Every call to a model.
    pub calls: Vec<CallRecord>,
    /// What they used.
    pub cost: Cost,
}

/// Compresses a transcript, worded by the client's model when there is one and the strategy has a narrative.
/// `is_items` says that the messages are items of the responses API.
///
/// # Errors
/// When the work itself breaks.
pub async fn compress(
    client: Option<&Client>,
    material: Material,
    is_items: bool,
) -> Result<Alone, JobError> {
    let asks = material.strategy.asks_an_engine();
    let model = client.filter(|_| asks).map(|client| (client.clone(), client.options().model.clone()));
    let read = move || {
        let entries: Vec<Entry> = material.span.iter().map(|n| Entry::of(n, is_items, &material)).collect();
        let ends = group_ends(&entries, material.through_seq);
        Desk { material, probe_ids: Vec::new(), ends, shorter: None }
    };
    let desk = blocking(read).await?;
    let page = Page::default();
    let mut engine = Engine::of(model);
    let examiner = Examiner::new(client, client.and_then(|client| Exam::of(client, exam::LOW)));
    let made = Box::pin(make(Notebook::Loose(&page), examiner, &mut engine, desk, None)).await?;
    let mut proof = made.proof;
    proof.meta.warnings.extend(engine.notes());
    Ok(Alone { proof, rubric: made.rubric, calls: page.calls(), cost: page.cost() })
}

/// A message as groups are told by.
struct Entry {
    seq: Seq,
    role: Role,
    of_responses: bool,
    shape: Option<Shape>,
}

impl Entry {
    fn of(numbered: &Numbered, of_responses: bool, material: &Material) -> Self {
        let message = &numbered.message;
        let shape = Shape::of(message, &material.counter);
        Self { seq: numbered.seq, role: message.role, of_responses, shape }
    }
}

impl AsShape for Entry {
    fn seq(&self) -> Seq {
        self.seq
    }

    fn role(&self) -> Role {
        self.role
    }

    fn is_item(&self) -> bool {
        self.of_responses
    }

    fn shape(&self) -> Option<&Shape> {
        self.shape.as_ref()
    }
}
