//! The open loop: requests come when they come, whether or not earlier ones are answered, as the requests of
//! many agents do.
//!
//! A reply's time runs from the moment that its request was due. One that had to wait for a free connection,
//! or that the load itself sent late, counts in full, so a service that stalls cannot hide it.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::ensure;
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;

use crate::client::Connection;
use crate::closed::Turn;
use crate::measured::Measured;
use crate::random::Random;

/// Connections that a load may use: more than are ever busy, below what the service is overloaded with.
const CONNECTIONS: usize = 64;

/// What an open loop came to.
#[derive(Clone, Debug, Default)]
pub struct Opened {
    /// Replies and their times since they were due.
    pub measured: Measured,
    /// The same since they were sent: less than a caller waits, without what the load itself did late.
    pub since_sent: Measured,
    /// How late requests were sent: the load's own part of the times.
    pub late: Measured,
}

impl Opened {
    /// Takes in what another load came to.
    pub fn join(&mut self, other: Self) {
        self.measured.join(other.measured);
        self.since_sent.join(other.since_sent);
        self.late.join(other.late);
    }
}

/// Sends `rate` requests a second, at times that look random, for a while.
pub async fn open_loop(
    address: SocketAddr,
    rate: f64,
    time: Duration,
    make: impl Fn(&mut Random, &mut Turn) + 'static,
) -> anyhow::Result<Opened> {
    ensure!(rate > 0.0, "a rate of nothing");
    let make = Rc::new(make);
    let mut opened = Vec::with_capacity(CONNECTIONS);
    for _ in 0..CONNECTIONS {
        opened.push(Connection::open(address).await?);
    }
    let (sender, due) = mpsc::unbounded_channel();
    let due = Rc::new(Mutex::new(due));
    let latencies = Rc::new(RefCell::new(Vec::with_capacity(1 << 16)));
    let since_sent = Rc::new(RefCell::new(Vec::with_capacity(1 << 16)));
    let late = Rc::new(RefCell::new(Vec::with_capacity(1 << 16)));
    let busy = Rc::new(Cell::new(0_usize));
    let started = Instant::now();
    let clock = std::thread::spawn(move || keep_time(rate, time, &sender));
    let mut clients = JoinSet::new();
    for (place, mut connection) in opened.into_iter().enumerate() {
        let (make, due, busy) = (Rc::clone(&make), Rc::clone(&due), Rc::clone(&busy));
        let (latencies, since_sent, late) = (Rc::clone(&latencies), Rc::clone(&since_sent), Rc::clone(&late));
        clients.spawn_local(async move {
            let mut random = Random::new(place as u64 + 101);
            let mut turn = Turn::default();
            loop {
                let Some(due) = due.lock().await.recv().await else { return anyhow::Ok(()) };
                // While another connection is free, only the load's own clock and thread can be late.
                if busy.get() + 1 < CONNECTIONS {
                    late.borrow_mut().push(Instant::now().saturating_duration_since(due));
                }
                busy.set(busy.get() + 1);
                turn.clear();
                make(&mut random, &mut turn);
                let sent = Instant::now();
                turn.take(&mut connection).await?;
                busy.set(busy.get() - 1);
                since_sent.borrow_mut().push(sent.elapsed());
                latencies.borrow_mut().push(Instant::now().saturating_duration_since(due));
            }
        });
    }
    while let Some(ended) = clients.join_next().await {
        ended??;
    }
    ensure!(clock.join().is_ok(), "the clock of the load broke");
    let took = started.elapsed().max(time);
    Ok(Opened {
        measured: Measured::of(latencies.take(), took),
        since_sent: Measured::of(since_sent.take(), took),
        late: Measured::of(late.take(), took),
    })
}

/// Says when each request is due; a thread of its own, because timers of the runtime tick in milliseconds.
fn keep_time(rate: f64, time: Duration, sender: &mpsc::UnboundedSender<Instant>) {
    let mut random = Random::new(29);
    let end = Instant::now() + time;
    let mut next = Instant::now();
    loop {
        // Exponential gaps: arrivals of many callers who know nothing of each other.
        next += Duration::from_secs_f64(-share(&mut random).ln() / rate);
        if next >= end {
            return;
        }
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
        if sender.send(next).is_err() {
            return;
        }
    }
}

/// A share above 0 and at most 1.
#[expect(clippy::cast_precision_loss, reason = "a number below 2^20")]
fn share(random: &mut Random) -> f64 {
    (random.below(1 << 20) + 1) as f64 / f64::from(1 << 20)
}
