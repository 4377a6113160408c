//! The embedder: claims sessions whose messages have no vectors yet, has the vectors of a batch made by the embeddings
//! server, and stores them.
//!
//! Invariant: no transaction is open during a request; secrets are taken out of every text before it is sent; a batch is
//! stored under the fence of its attempt, so that a worker that lost its lease changes nothing. A text that the server
//! refuses costs its message a vector, and holds up no other.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, debug, info_span, warn};

use super::batches::{self, Claimer};
use anchord_facts::redact::redact;
use anchord_llm::{Embedder, LlmError};
use anchord_messages::id::TenantId;
use anchord_recall::passages;
use anchord_runtime::{background, fair};
use anchord_store::embeddings::{EmbeddingJob, NewVectors, Stored, Unembedded};
use anchord_store::{Store, StoreError};

/// The most concurrent batches of a process; the client bounds its requests besides.
const MAX_CONCURRENT: usize = 8;
/// The most concurrent batches of one tenant, over all processes.
const PER_TENANT: i32 = 4;
/// The lease of a batch: some requests with their timeouts, and time to store.
const LEASE: Duration = Duration::from_mins(10);
/// The most texts of one request.
const MAX_TEXTS: usize = 64;

/// Makes the vectors of messages.
#[derive(Clone, Debug)]
pub struct VectorMaker {
    store: Store,
    embedder: Embedder,
}

/// Why a batch came to nothing.
enum Failure {
    Store(StoreError),
    Server(LlmError),
    Broken,
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl VectorMaker {
    /// Creates a maker; nothing is sent until [`VectorMaker::run`].
    pub fn new(store: Store, embedder: Embedder) -> Self {
        Self { store, embedder }
    }

    /// Makes vectors until `stop`, then waits for the running batches.
    pub async fn run(self, stop: CancellationToken) {
        batches::run(self, Arc::default(), stop).await;
    }

    /// Makes vectors until nothing is due, on the caller's task; for tests. Returns the number of batches.
    pub async fn drain(&self) -> Result<usize, StoreError> {
        batches::drain(self).await
    }

    async fn make(&self, job: &EmbeddingJob) {
        let span = info_span!(
            "embedding",
            tenant.id = %job.tenant,
            session.id = %job.session.0,
            embedding.attempt = job.attempt
        );
        let outcome = match Box::pin(self.batch(job)).instrument(span).await {
            Ok(stored) => {
                debug!(?stored, "embeddings.stored");
                "stored"
            }
            Err(failure) => self.put_off(job, failure).await,
        };
        metrics::counter!("anchord_embedding_batches_total", "outcome" => outcome).increment(1);
    }

    async fn put_off(&self, job: &EmbeddingJob, failure: Failure) -> &'static str {
        let (outcome, wait) = match failure {
            // When the lease ends, the batch is made again.
            Failure::Store(error) => {
                warn!(%error, session = %job.session.0, "embeddings.not_stored");
                return "not_stored";
            }
            Failure::Server(error) => {
                warn!(%error, session = %job.session.0, failures = job.failures, "embeddings.failed");
                (<&str>::from(&error), self.embedder.wait_after(&error, job.failures))
            }
            Failure::Broken => ("broken", self.embedder.wait_after(&LlmError::Malformed, job.failures)),
        };
        if let Err(error) = self.store.put_off_embedding(job, wait).await {
            warn!(%error, session = %job.session.0, "embeddings.not_put_off");
        }
        outcome
    }

    async fn batch(&self, job: &EmbeddingJob) -> Result<Stored, Failure> {
        let model = self.embedder.model();
        let Some(next) = self.store.find_unembedded(job, model, false).await? else {
            return Ok(Stored::Lost);
        };
        let before = next.dimensions;
        let made = self.vectors(job.tenant, next).await?;
        let made = match made {
            // The model has other dimensions than when the session's vectors were made.
            Made { dimensions: Some(now), .. } if before != 0 && now != before => {
                let next = self.store.find_unembedded(job, model, true).await?;
                let Some(next) = next else { return Ok(Stored::Lost) };
                self.vectors(job.tenant, next).await?
            }
            made => made,
        };
        let new = NewVectors {
            model,
            // Messages that say nothing go on with what there is.
            dimensions: made.dimensions.unwrap_or(before),
            after: made.after,
            messages: made.messages,
        };
        Ok(self.store.store_vectors(job, new).await?)
    }

    /// The vectors of messages.
    async fn vectors(&self, tenant: TenantId, next: Unembedded) -> Result<Made, Failure> {
        let Unembedded { after, messages, .. } = next;
        let reading = fair::jobs().run(tenant.0.as_u128(), move || {
            messages.iter().map(|message| passages(message, redact)).collect::<Vec<_>>()
        });
        let texts = background::throttled(reading).await.map_err(|_| Failure::Broken)?;
        let lengths: Vec<usize> = texts.iter().map(Vec::len).collect();
        let texts: Vec<String> = texts.into_iter().flatten().collect();
        let (mut vectors, mut dimensions) = (Vec::with_capacity(texts.len()), None);
        for some in texts.chunks(MAX_TEXTS) {
            let made = self.ask(tenant, some).await.map_err(Failure::Server)?;
            for vector in made {
                if let Some(vector) = &vector
                    && *dimensions.get_or_insert(vector.len()) != vector.len()
                {
                    return Err(Failure::Server(LlmError::Malformed));
                }
                vectors.push(vector);
            }
        }
        let mut vectors = vectors.into_iter();
        let messages =
            lengths.into_iter().map(|count| vectors.by_ref().take(count).flatten().collect()).collect();
        Ok(Made { after, dimensions, messages })
    }

    /// Asks for the vectors of some texts; when the server refuses them together, one by one. A text that is refused
    /// alone has none.
    async fn ask(&self, tenant: TenantId, texts: &[String]) -> Result<Vec<Option<Vec<f32>>>, LlmError> {
        match self.embedder.embed(tenant, texts).await {
            Ok(made) => {
                count(texts.len(), made.tokens);
                return Ok(made.vectors.into_iter().map(Some).collect());
            }
            Err(error) if !is_about_the_texts(&error) => return Err(error),
            Err(_) if texts.len() == 1 => return Ok(vec![None]),
            Err(_) => {}
        }
        let mut vectors = Vec::with_capacity(texts.len());
        for text in texts {
            vectors.push(match self.embedder.embed(tenant, std::slice::from_ref(text)).await {
                Ok(made) => {
                    count(1, made.tokens);
                    made.vectors.into_iter().next()
                }
                Err(error) if is_about_the_texts(&error) => None,
                Err(error) => return Err(error),
            });
        }
        Ok(vectors)
    }
}

impl Claimer for VectorMaker {
    type Piece = EmbeddingJob;
    const MOST: usize = MAX_CONCURRENT;
    const NOT_CLAIMED: &'static str = "embeddings.not_claimed";

    async fn claim(&self, most: i32) -> Result<Vec<EmbeddingJob>, StoreError> {
        self.store.claim_embeddings(LEASE, most, PER_TENANT).await
    }

    async fn work(&self, job: &EmbeddingJob) {
        self.make(job).await;
    }
}

/// The vectors of consecutive messages.
struct Made {
    after: i64,
    /// `None` when no message says anything.
    dimensions: Option<usize>,
    messages: Vec<Vec<Vec<f32>>>,
}

/// Whether the server refuses what it was sent, rather than being in trouble.
fn is_about_the_texts(error: &LlmError) -> bool {
    matches!(error, LlmError::TooLong | LlmError::Refused | LlmError::Status { status: 400 | 422, .. })
}

fn count(texts: usize, tokens: u64) {
    metrics::counter!("anchord_embedded_texts_total").increment(u64::try_from(texts).unwrap_or(u64::MAX));
    metrics::counter!("anchord_embedding_tokens_total").increment(tokens);
}
