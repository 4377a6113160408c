//! What was aimed at, what came of it, and whether that is enough: computed, never written by hand.

use crate::figures::{Apart, Beside, Digest, Duel, Growing, Length, Load, Queue, Spread};

/// The side of a bound that is wanted.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

/// One goal and its figure; `None` where the part was not run.
#[derive(Debug)]
pub struct Goal {
    pub what: String,
    pub bound: Bound,
    pub unit: &'static str,
    pub figure: Option<Spread>,
}

impl Goal {
    fn new(what: impl Into<String>, bound: Bound, unit: &'static str, figure: Option<Spread>) -> Self {
        Self { what: what.into(), bound, unit, figure }
    }

    /// Whether it is met, by the middle of the rounds, and whether the rounds agree.
    pub fn verdict(&self) -> &'static str {
        let Some(figure) = self.figure.filter(|figure| figure.median.is_finite()) else {
            return "not measured";
        };
        let holds = |value: f64| match self.bound {
            Bound::AtLeast(least) => value >= least,
            Bound::AtMost(most) => value <= most,
        };
        match (
            holds(figure.median),
            holds(figure.min) && holds(figure.max),
            holds(figure.min) || holds(figure.max),
        ) {
            (true, true, _) => "met",
            (true, false, _) => "met, not in every round",
            (false, _, true) => "missed, met in some rounds",
            (false, _, false) => "**missed**",
        }
    }
}

/// Every goal, in the order of the document.
pub fn all(load: &Load, digest: &Digest) -> Vec<Goal> {
    let mut goals = of_appends(load.append.as_deref());
    goals.extend(of_apart(load.apart.as_deref()));
    for (what, rows) in [
        ("context of an unchanged session, of the read ceiling", &load.read_unchanged),
        ("append of a message, then context, of the ceiling of both", &load.read_after_append),
    ] {
        let row = rows.as_deref().and_then(|rows| at(rows, 64));
        goals.push(Goal::new(
            format!("{what}, 64 connections"),
            Bound::AtLeast(0.8),
            "×",
            row.map(|row| row.ratio),
        ));
    }
    goals.extend(of_digest(digest));
    goals.push(of_growing(load.growing.as_ref()));
    goals.extend(of_beside("while 200 sessions compress", load.compressing.as_ref()));
    goals.extend(of_beside("beside one message of 4 MiB a second", load.large_paced.as_ref()));
    goals.extend(of_beside("beside messages of 4 MiB back to back", load.large.as_ref()));
    goals.extend(of_length(load.length.as_ref()));
    goals.extend(of_queue(load));
    goals.extend(of_footprint(load));
    goals
}

fn at(rows: &[Duel], connections: usize) -> Option<&Duel> {
    rows.iter().find(|row| row.connections == connections)
}

fn of_appends(rows: Option<&[Duel]>) -> Vec<Goal> {
    let at = |connections| rows.and_then(|rows| at(rows, connections));
    let gathered = |connections| at(connections)?.gathered.as_ref();
    let ratio = |connections| at(connections).map(|row| row.ratio);
    let waited = at(1).zip(gathered(1)).map(|(row, gathered)| {
        let share = gathered.wait_ms.median / row.p50_ms.median;
        Spread {
            median: share,
            min: gathered.wait_ms.min / row.p50_ms.max,
            max: gathered.wait_ms.max / row.p50_ms.min,
        }
    });
    vec![
        Goal::new(
            "append, of the one-statement ceiling, 64 connections",
            Bound::AtLeast(1.0),
            "×",
            ratio(64),
        ),
        Goal::new(
            "append, of the one-statement ceiling, 16 connections",
            Bound::AtLeast(0.8),
            "×",
            ratio(16),
        ),
        Goal::new(
            "append p99, of bare statements one by one, 64 connections",
            Bound::AtMost(1.0),
            "×",
            gathered(64).map(|row| row.p99_ratio),
        ),
        Goal::new(
            "append, 1 connection: what gathering adds, as a share of the p50",
            Bound::AtMost(0.05),
            "",
            waited,
        ),
    ]
}

fn of_apart(rows: Option<&[Apart]>) -> [Goal; 2] {
    let at = |connections| rows?.iter().find(|row: &&Apart| row.connections == connections);
    [
        Goal::new(
            "append p99, of the same service one by one, 16 connections",
            Bound::AtMost(1.0),
            "×",
            at(16).map(|row| row.p99_ratio),
        ),
        // What is the same differs a little from one measurement to the next.
        Goal::new(
            "append p50, of the same service one by one, 1 connection",
            Bound::AtMost(1.05),
            "×",
            at(1).map(|row| row.p50_ratio),
        ),
    ]
}

fn of_digest(digest: &Digest) -> Vec<Goal> {
    let speed = digest.sessions.as_ref();
    let length = digest.length.as_ref();
    vec![
        Goal::new(
            "ledger, engine, merge and probes on one core",
            Bound::AtLeast(30.0),
            " MB/s",
            speed.map(|speed| speed.all),
        ),
        Goal::new(
            "ledger, engine, merge and probes of the 40th compression for a MB, of the 4th",
            Bound::AtMost(1.1),
            "×",
            length.map(|length| length.late_to_early),
        ),
    ]
}

fn of_growing(growing: Option<&Growing>) -> Goal {
    let late = growing.and_then(|growing| growing.rows.iter().find(|row| row.compression == 40));
    let what = "the 40th compression of a session, asked for and waited for, of the 4th";
    Goal::new(what, Bound::AtMost(1.1), "×", late.map(|row| row.ratio))
}

fn of_beside(what: &str, beside: Option<&Beside>) -> [Goal; 2] {
    let goal = |name: &str, figure| {
        Goal::new(format!("{name} p99 {what}, of idle"), Bound::AtMost(1.2), "×", figure)
    };
    [
        goal("append", beside.map(|beside| beside.append.busy.p99_ratio)),
        goal("context", beside.map(|beside| beside.context.busy.p99_ratio)),
    ]
}

fn of_length(length: Option<&Length>) -> Vec<Goal> {
    let rows = length.map(|length| length.rows.as_slice()).unwrap_or_default();
    let wanted = rows.iter().filter(|row| ["append", "context"].contains(&row.what.as_str()));
    let goals = wanted.filter_map(|row| {
        let (first, last) = (row.by_length.first()?, row.by_length.last()?);
        let state = if row.is_summarised { "summarised" } else { "not summarised" };
        let what = format!("{} at {} messages, of {}, {state}", row.what, last.messages, first.messages);
        Some(Goal::new(what, Bound::AtMost(1.1), "×", Some(last.ratio)))
    });
    goals.collect()
}

fn of_queue(load: &Load) -> [Goal; 4] {
    let alone = load.queue_alone.as_ref();
    let both = alone.zip(load.queue_beside_idle.as_ref());
    let figure = |pick: fn(&Queue) -> f64| alone.map(|queue| Spread::one(pick(queue)));
    let ratio = |pick: fn(&Queue) -> f64| both.map(|(alone, beside)| Spread::one(pick(beside) / pick(alone)));
    // The longer of the two times that are told: since the asking transaction began.
    let pickup: fn(&Queue) -> f64 = |queue| queue.pickup_append.after_begin_p50_ms;
    let jobs: fn(&Queue) -> f64 = |queue| queue.no_ops.compress.median_per_s;
    let takeover: fn(&Queue) -> f64 = |queue| queue.takeover.max_ms;
    let beside = "beside 100,000 idle sessions, of without";
    [
        Goal::new("queue: pickup p50", Bound::AtMost(3.0), " ms", figure(pickup)),
        Goal::new("queue: takeover after a kill, at most", Bound::AtMost(1_000.0), " ms", figure(takeover)),
        Goal::new(format!("queue: pickup p50 {beside}"), Bound::AtMost(1.1), "×", ratio(pickup)),
        Goal::new(format!("queue: jobs a second {beside}"), Bound::AtLeast(0.9), "×", ratio(jobs)),
    ]
}

fn of_footprint(load: &Load) -> Vec<Goal> {
    let footprint = load.footprint.as_ref();
    let most = load.memory().into_iter().map(|(_, most)| most).reduce(f64::max);
    vec![
        Goal::new("resident memory, idle", Bound::AtMost(80.0), " MB", footprint.map(|f| f.idle_mb)),
        Goal::new(
            "resident memory, idle, with both vocabularies",
            Bound::AtMost(80.0),
            " MB",
            footprint.map(|f| f.idle_with_both_mb),
        ),
        Goal::new("resident memory, most of any part", Bound::AtMost(300.0), " MB", most.map(Spread::one)),
        Goal::new("binary", Bound::AtMost(40.0), " MB", footprint.map(|f| Spread::one(f.binary_mb))),
        Goal::new(
            "start to first reply on an existing data folder",
            Bound::AtMost(1_000.0),
            " ms",
            footprint.map(|f| f.cold_start_ms),
        ),
    ]
}
