//! A database server that is killed, and a standby that takes its place.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::json;

use crate::faults::{append_until, texts};
use crate::support::pair::Pair;
use crate::support::service::Service;

/// How long the service may be without its database after the standby was promoted.
const RECOVERY: Duration = Duration::from_secs(10);

#[tokio::test(flavor = "multi_thread")]
async fn after_a_failover_the_service_goes_on_without_a_restart_and_nothing_is_lost_or_doubled() {
    let mut pair = Pair::start().await;
    let service = Service::on(&pair.url(), &["--pool-size", "6"]);
    let client = service.client();
    let stop = AtomicBool::new(false);
    let acknowledged = std::thread::scope(|scope| {
        let (client, stop) = (&client, &stop);
        let appending: Vec<_> = (0..4)
            .map(|number| scope.spawn(move || append_until(client, &format!("s{number}"), stop)))
            .collect();
        let waited = tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async {
                // Some appends before, on connections that are in use.
                tokio::time::timeout(RECOVERY, async {
                    while client.get("/v1/sessions/s3").status != 200 {
                        tokio::time::sleep(Duration::from_millis(10)).await;
                    }
                })
                .await
                .expect("appends before the failover");
                pair.fail_over().await;
                let promoted = Instant::now();
                // A write of its own, on a session that nobody has.
                let body = json!({"messages": [{"role": "user", "content": "after"}]}).to_string();
                while promoted.elapsed() < 3 * RECOVERY {
                    let reply = client.call(
                        "POST",
                        "/v1/sessions/after/messages",
                        &[("idempotency-key", "a")],
                        &body,
                    );
                    if reply.is_ok_and(|reply| reply.status == 201)
                        && client.get("/v1/sessions/s0/context").status == 200
                    {
                        break;
                    }
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                promoted.elapsed()
            })
        });
        stop.store(true, Ordering::Relaxed);
        assert!(waited < RECOVERY, "the service was without its database for {waited:?} after the promotion");
        appending.into_iter().map(|appending| appending.join().expect("a client")).collect::<Vec<_>>()
    });
    for (number, acknowledged) in acknowledged.into_iter().enumerate() {
        assert_eq!(
            texts(&client, &format!("s{number}")),
            acknowledged,
            "s{number} has lost or doubled messages"
        );
    }
    assert_eq!(client.get("/readyz").status, 200);
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}
