//! Compresses a transcript in memory, or examines a context, without session, queue and database. The steps are those of a
//! job; what a job writes to the database is returned.

use std::sync::Arc;

use super::build::build;
use super::call_log::{CallLog, MemoryLog};
use super::engine::Engine;
use super::exam::{Exam, ServedText};
use super::grader::Grader;
use super::input::CompressionInput;
use super::job::{JobError, in_turn};
use super::span_facts::{SpanFacts, group_ends};
use anchord_facts::ledger::Facts;
use anchord_llm::Client;
use anchord_messages::id::Seq;
use anchord_messages::message::Numbered;
use anchord_messages::shape::Shape;
use anchord_record::candidate::{CheckedDraft, Material};
use anchord_record::exam;
use anchord_record::probe::ProbeResult;
use anchord_record::rubric::Rubric;
use anchord_session::compression::Cost;
use anchord_session::outline::Outline;

pub use super::call_log::CallRecord;

/// The result of an offline compression.
#[derive(Debug)]
pub struct OfflineResult {
    /// The last candidate.
    pub checked: CheckedDraft,
    /// The rubric of the judge, when there is one.
    pub rubric: Option<Rubric>,
    /// All calls to models.
    pub calls: Vec<CallRecord>,
    /// The tokens, time and money of the calls.
    pub cost: Cost,
}

/// Compresses a transcript. The client's model writes the narrative when there is a client and the strategy has a
/// narrative. `is_items` says that the messages are items of the responses API.
pub async fn compress(
    client: Option<&Client>,
    material: Material,
    is_items: bool,
) -> Result<OfflineResult, JobError> {
    let asks = material.strategy.asks_an_engine();
    let model = client.filter(|_| asks).map(|client| (client.clone(), client.options().model.clone()));
    let read = move || {
        let ends = ends(&material, is_items);
        CompressionInput { material, probe_ids: Vec::new(), ends, shorter: None }
    };
    let input = in_turn(read).await?;
    let memory_log = MemoryLog::default();
    let mut engine = Engine::new(model);
    let grader = Grader::new(client, client.and_then(|client| Exam::new(client, exam::LOW)));
    let made = Box::pin(build(CallLog::Memory(&memory_log), grader, &mut engine, input, None)).await?;
    let mut checked = made.checked;
    checked.meta.warnings.extend(engine.notes());
    Ok(OfflineResult { checked, rubric: made.rubric, calls: memory_log.calls(), cost: memory_log.cost() })
}

/// What came of an exam of a context.
#[derive(Debug, Default)]
pub struct Examined {
    /// The reader's answers, each with its question.
    pub results: Vec<ProbeResult>,
    /// Why there is no exam, and which questions were not asked.
    pub notes: Vec<String>,
    /// The tokens, time and money of the calls.
    pub cost: Cost,
}

/// Has the examiner write questions about messages that a context covers or leaves out, and the reader answer them from that
/// context alone. The client's model is the examiner where the operator named none.
pub async fn examine(
    client: &Client,
    material: Material,
    is_items: bool,
    context: String,
) -> Result<Examined, JobError> {
    let read = move || {
        let ends = ends(&material, is_items);
        let tokens = material.counter.count_text(&context);
        let span = (material.from_seq, material.through_seq);
        let served = ServedText { text: context, tokens, span };
        (SpanFacts { material, facts: Facts::default(), ends }, served)
    };
    let (span_facts, served) = in_turn(read).await?;
    let memory_log = MemoryLog::default();
    let mut exam = Exam::of(client);
    let asked = Box::pin(exam.ask(CallLog::Memory(&memory_log), &Arc::new(span_facts), &served)).await?;
    let (_, notes) = exam.close();
    Ok(Examined { results: asked.unwrap_or_default(), notes, cost: memory_log.cost() })
}

/// The last message of each group of the span. Grouping reads no counts.
fn ends(material: &Material, is_item: bool) -> Arc<[Seq]> {
    let outline = |&Numbered { seq, ref message }: &Numbered| Outline {
        seq,
        role: message.role,
        is_item,
        tokens: 0,
        shape: Shape::of(message, &material.counter),
        is_left_out: false,
        retrieved: false,
        bytes: 0,
    };
    group_ends(&material.span.iter().map(outline).collect::<Vec<_>>(), material.through_seq)
}
