//! The lines of JSON that the benches print.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// The middle of some rounds, the least and the most of them; not a number where nothing was counted.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(from = "Told")]
pub struct Spread {
    pub median: f64,
    pub min: f64,
    pub max: f64,
}

/// JSON has no word for what is not a number.
#[derive(Deserialize)]
struct Told {
    median: Option<f64>,
    min: Option<f64>,
    max: Option<f64>,
}

impl From<Told> for Spread {
    fn from(told: Told) -> Self {
        let [median, min, max] = [told.median, told.min, told.max].map(|value| value.unwrap_or(f64::NAN));
        Self { median, min, max }
    }
}

impl Spread {
    /// One figure that was taken once.
    pub fn one(value: f64) -> Self {
        Self { median: value, min: value, max: value }
    }
}

/// The load bench's line; a part that was not run is absent.
#[derive(Debug, Deserialize)]
pub struct Load {
    pub is_complete: bool,
    pub is_quick: bool,
    pub rounds: usize,
    pub seconds: u64,
    pub machine: Machine,
    pub append: Option<Vec<Duel>>,
    pub apart: Option<Vec<Apart>>,
    pub read_shape: Option<ReadShape>,
    pub read_unchanged: Option<Vec<Duel>>,
    pub read_after_append: Option<Vec<Duel>>,
    pub rates_append: Option<Rates>,
    pub rates_context: Option<Rates>,
    pub length: Option<Length>,
    pub growing: Option<Growing>,
    pub compressing: Option<Beside>,
    pub compressing_work: Option<Work>,
    pub large: Option<Beside>,
    pub large_work: Option<Work>,
    pub large_paced: Option<Beside>,
    pub large_paced_work: Option<Work>,
    pub footprint: Option<Footprint>,
    pub sizes: Option<Sizes>,
    pub hangups: Option<Hangups>,
    pub queue_alone: Option<Queue>,
    pub queue_beside_idle: Option<Queue>,
    /// Memory by part, and whatever else there is.
    #[serde(flatten)]
    pub rest: BTreeMap<String, Value>,
}

impl Load {
    /// The share of the processors that others used, measurement by measurement.
    pub fn others(&self) -> Vec<f64> {
        let duels = [&self.append, &self.read_unchanged, &self.read_after_append];
        let duels = duels.into_iter().flatten().flatten().map(|row| row.others);
        let rates = [&self.rates_append, &self.rates_context].into_iter().flatten();
        let rates = rates.flat_map(|rates| &rates.steps).map(|step| step.others);
        let lengths = self.length.iter().flat_map(|length| &length.rows).map(|row| row.others);
        let beside = [&self.compressing, &self.large_paced, &self.large].into_iter().flatten();
        let beside = beside.map(|beside| beside.append.others);
        let growing = self.growing.iter().map(|growing| growing.others);
        let apart = self.apart.iter().flatten().map(|row| row.others);
        duels
            .chain(apart)
            .chain(rates)
            .chain(lengths)
            .chain(growing)
            .chain(beside)
            .map(|spread| spread.median)
            .collect()
    }

    /// The service's resident memory at most, in MB, by part.
    pub fn memory(&self) -> Vec<(&str, f64)> {
        self.rest
            .iter()
            .filter_map(|(name, value)| {
                Some((name.strip_prefix("memory_")?, value.get("most_mb")?.as_f64()?))
            })
            .collect()
    }
}

#[derive(Debug, Deserialize)]
pub struct Machine {
    pub processors: usize,
    pub kind: String,
    pub postgres: String,
    pub rustc: String,
}

/// Service and ceiling at one number of connections.
#[derive(Debug, Deserialize)]
pub struct Duel {
    pub connections: usize,
    pub ceiling_per_s: Spread,
    pub service_per_s: Spread,
    pub ratio: Spread,
    pub ratio_by_processor_time: Spread,
    pub p50_ms: Spread,
    pub p99_ms: Spread,
    pub others: Spread,
    /// Of appends alone.
    #[serde(flatten)]
    pub gathered: Option<Gathered>,
}

/// How appends shared commits, beside statements that each have their own.
#[derive(Debug, Deserialize)]
pub struct Gathered {
    pub ceiling_p50_ms: Spread,
    pub ceiling_p99_ms: Spread,
    pub p50_ratio: Spread,
    pub p99_ratio: Spread,
    pub appends_per_commit: Spread,
    pub wait_ms: Spread,
    pub commit_ms: Spread,
}

/// Appends to one process, and to as many processes as there are connections.
#[derive(Debug, Deserialize)]
pub struct Apart {
    pub connections: usize,
    pub appends_per_commit: Spread,
    pub together_per_s: Spread,
    pub together_p50_ms: Spread,
    pub together_p99_ms: Spread,
    pub alone_per_s: Spread,
    pub alone_p50_ms: Spread,
    pub alone_p99_ms: Spread,
    pub rate_ratio: Spread,
    pub p50_ratio: Spread,
    pub p99_ratio: Spread,
    pub others: Spread,
}

#[derive(Debug, Deserialize)]
pub struct ReadShape {
    pub summary_bytes: f64,
    pub tail: f64,
}

#[derive(Debug, Deserialize)]
pub struct Rates {
    pub most_per_s: f64,
    pub steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
pub struct Step {
    pub share: f64,
    pub per_s: Spread,
    pub p50_ms: Spread,
    pub p99_ms: Spread,
    pub late_p99_ms: Spread,
    pub others: Spread,
}

#[derive(Debug, Deserialize)]
pub struct Length {
    pub rows: Vec<LengthRow>,
}

#[derive(Debug, Deserialize)]
pub struct LengthRow {
    pub what: String,
    pub is_summarised: bool,
    pub by_length: Vec<AtLength>,
    pub others: Spread,
}

#[derive(Debug, Deserialize)]
pub struct AtLength {
    pub messages: usize,
    pub p50_ms: Spread,
    pub p99_ms: Spread,
    pub ratio: Spread,
}

/// Compressions that are waited for, by their number in their session.
#[derive(Debug, Deserialize)]
pub struct Growing {
    /// Messages of a span.
    pub messages: usize,
    pub rows: Vec<GrowingRow>,
    pub others: Spread,
}

#[derive(Debug, Deserialize)]
pub struct GrowingRow {
    pub compression: usize,
    pub p50_ms: Spread,
    /// To the 4th.
    pub ratio: Spread,
}

/// Appends and contexts alone, beside what only computes, and beside other work.
#[derive(Debug, Deserialize)]
pub struct Beside {
    pub append: Compared,
    pub context: Compared,
}

#[derive(Debug, Deserialize)]
pub struct Compared {
    pub idle: InState,
    /// Beside threads that only compute.
    pub computing: InState,
    /// Beside the work that is measured.
    pub busy: InState,
    pub others: Spread,
}

/// Times of requests while one thing went on, and their ratios to those of idle.
#[derive(Debug, Deserialize)]
pub struct InState {
    pub p50_ms: Spread,
    pub p99_ms: Spread,
    pub p50_ratio: Spread,
    pub p99_ratio: Spread,
    /// Since requests were sent, not since they were due.
    pub sent_p99_ratio: Spread,
    pub late_ms: Spread,
}

/// What went on beside.
#[derive(Debug, Deserialize)]
pub struct Work {
    pub rates: KeptRates,
    pub compressions_per_s: Option<Spread>,
    pub mb_per_s: Option<Spread>,
    pub fewest_live: Option<Spread>,
    pub messages_per_s: Option<Spread>,
}

#[derive(Debug, Deserialize)]
pub struct KeptRates {
    pub append: f64,
    pub context: f64,
    pub share: f64,
}

#[derive(Debug, Deserialize)]
pub struct Footprint {
    pub binary_mb: f64,
    pub first_start_ms: f64,
    pub cold_start_ms: Spread,
    pub idle_mb: Spread,
    pub idle_with_both_mb: Spread,
}

#[derive(Debug, Deserialize)]
pub struct Sizes {
    pub messages: f64,
    pub body_bytes: f64,
    pub all_bytes: f64,
    pub rest_bytes: f64,
    pub rows: Vec<SizeRow>,
}

#[derive(Debug, Deserialize)]
pub struct SizeRow {
    pub table: String,
    pub name: String,
    pub kind: String,
    pub bytes: f64,
}

/// The queue, without or with idle sessions beside.
#[derive(Debug, Deserialize)]
pub struct Queue {
    pub pickup_request: Pickup,
    pub pickup_append: Pickup,
    pub no_ops: NoOps,
    pub takeover: Takeover,
}

/// From what asks for a job to its claim; since its transaction began, and since its reply came.
#[derive(Debug, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names that the line of JSON has")]
pub struct Pickup {
    pub after_begin_p50_ms: f64,
    pub after_begin_p99_ms: f64,
    pub after_reply_p50_ms: f64,
    pub after_reply_p99_ms: f64,
}

#[derive(Debug, Deserialize)]
pub struct NoOps {
    pub compress: JobRate,
    pub index: JobRate,
}

#[derive(Debug, Deserialize)]
pub struct JobRate {
    pub median_per_s: f64,
    pub min_per_s: f64,
}

#[derive(Debug, Deserialize)]
pub struct Takeover {
    pub median_ms: f64,
    pub max_ms: f64,
}

#[derive(Debug, Deserialize)]
pub struct Hangups {
    pub clients: usize,
    pub stayed: usize,
    pub free_after_ms: f64,
}

/// The digest bench's line.
#[derive(Debug, Deserialize)]
pub struct Digest {
    pub sessions: Option<DigestSpeed>,
    pub length: Option<DigestLength>,
}

/// MB of message JSON in a second of one thread.
#[derive(Debug, Deserialize)]
pub struct DigestSpeed {
    pub mb: f64,
    pub ledger: Spread,
    pub engine: Spread,
    pub proof: Spread,
    pub all: Spread,
}

/// Compressions of one long session.
#[derive(Debug, Deserialize)]
pub struct DigestLength {
    pub compressions: usize,
    pub rows: Vec<DigestRow>,
    /// What the 40th costs for a MB of its span, beside the 4th.
    pub late_to_early: Spread,
}

/// Milliseconds for a MB of the span.
#[derive(Debug, Deserialize)]
pub struct DigestRow {
    pub compression: usize,
    pub ledger: Spread,
    pub engine: Spread,
    pub proof: Spread,
    pub all: Spread,
}
