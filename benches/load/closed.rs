//! The closed loop: clients that each send their next request when the last is answered, as fast as they can.
//!
//! It finds the most that is done.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::client::{Connection, write_request};
use crate::measured::Measured;
use crate::random::Random;

/// What is measured as one: a request, or some in a row.
#[derive(Debug, Default)]
pub struct Turn {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Turn {
    /// Adds a request; a body makes it one with JSON.
    pub fn add(&mut self, method: &str, path: std::fmt::Arguments<'_>, body: &str) {
        write_request(&mut self.bytes, method, path, body);
        self.ends.push(self.bytes.len());
    }

    /// Sends the requests one after the other; each must succeed.
    pub async fn take(&self, connection: &mut Connection) -> anyhow::Result<()> {
        let mut start = 0;
        for &end in &self.ends {
            connection.done(self.bytes.get(start..end).unwrap_or_default()).await?;
            start = end;
        }
        Ok(())
    }

    /// Makes room for the next.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}

/// Has each of `connections` take one turn after the other for a while.
pub async fn closed_loop(
    address: SocketAddr,
    connections: usize,
    time: Duration,
    make: impl Fn(&mut Random, &mut Turn) + 'static,
) -> anyhow::Result<Measured> {
    let make = Rc::new(make);
    let latencies = Rc::new(RefCell::new(Vec::with_capacity(1 << 17)));
    let mut opened = Vec::with_capacity(connections);
    for _ in 0..connections {
        opened.push(Connection::open(address).await?);
    }
    let started = Instant::now();
    let mut clients = JoinSet::new();
    for (place, mut connection) in opened.into_iter().enumerate() {
        let (make, latencies) = (Rc::clone(&make), Rc::clone(&latencies));
        clients.spawn_local(async move {
            let mut random = Random::new(place as u64 + 1);
            let mut turn = Turn::default();
            while started.elapsed() < time {
                turn.clear();
                make(&mut random, &mut turn);
                let sent = Instant::now();
                turn.take(&mut connection).await?;
                latencies.borrow_mut().push(sent.elapsed());
            }
            anyhow::Ok(())
        });
    }
    while let Some(ended) = clients.join_next().await {
        ended??;
    }
    Ok(Measured::of(latencies.take(), started.elapsed()))
}
