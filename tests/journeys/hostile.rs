//! One tenant calls every operation of the API as heavily as its bounds allow, and another notices nothing. The figures
//! are the bench's (`just bench-hostile`); here are the promises.

#[path = "../../benches/hostile/harness/mod.rs"]
#[expect(dead_code, reason = "the bench alone has a provider behind the gateway")]
mod harness;

use std::collections::BTreeMap;
use std::time::Duration;

use self::harness::Caller;
use self::harness::attacker::{Attacker, Turn, make_tenant};
use self::harness::neighbour::{Neighbour, Sample};
use self::harness::requests::{Bounds, Operation, operations};
use self::harness::watch::{Process, busy_connections};
use crate::support::service::Service;
use crate::support::{database, until};

const OPERATOR: &str = "operator-token-of-the-hostile-journey";
/// Smaller than by default, because the tests run an unoptimised program.
const BOUNDS: Bounds = Bounds { body: 256 * 1024, message: 64 * 1024, batch: 1_000 };
/// For each group of operations.
const TURN: Turn = Turn { lanes: 20, time: Duration::from_millis(200), grace: Duration::from_secs(1) };
/// A bound that names a standstill of the neighbour; the bench has the figures.
const STANDSTILL: Duration = Duration::from_secs(20);
/// In megabytes, which names memory that grows without bound.
const MOST_MEMORY: u64 = 500;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tenant_that_calls_every_operation_at_its_bounds_takes_nothing_from_another() {
    let database = database().await;
    let [body, message] = [BOUNDS.body, BOUNDS.message].map(|bytes| bytes.to_string());
    let bounds = ["--max-body-bytes", &body, "--max-message-bytes", &message, "--admin-token", OPERATOR];
    // Keys of providers are kept encrypted alone.
    let sealing = ["--secrets-key", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="];
    let bounds = [&bounds[..], &sealing].concat();
    let service = Service::on(&database.url, &bounds);
    let operator = Caller::new(service.client().address(), OPERATOR).expect("a client");
    let document = operator.get("/openapi.json").await.expect("the document");
    let operations = operations(&document, BOUNDS).expect("operations");
    let attacker = Attacker::prepare("hostile", &operator, &operations).await.expect("a hostile tenant");
    let (_, key) = make_tenant(&operator, "neighbour").await.expect("a tenant");
    let mut neighbour = Neighbour::start(operator.with_key(&key), false).await.expect("a neighbour");
    let process = Process::of(service.id());
    let mut groups: BTreeMap<&str, Vec<&Operation>> = BTreeMap::new();
    for operation in &operations {
        groups.entry(&operation.tag).or_default().push(operation);
    }
    let mut missed = Vec::new();
    for (tag, group) in groups {
        let driven = attacker.drive(&group, TURN).await;
        let samples = neighbour.samples();
        let failed: Vec<&Sample> =
            samples.iter().filter(|sample| !sample.is_fine() || sample.took > STANDSTILL).collect();
        if !failed.is_empty() {
            missed.push(format!("{tag}: the neighbour's calls failed: {failed:?}"));
        }
        let most = process.most();
        if most > MOST_MEMORY {
            missed.push(format!("{tag}: {most} MB"));
        }
        for (operation, driven) in group.iter().zip(driven) {
            for (variant, told) in driven.refused().filter(|_| operation.entry.only.is_none()) {
                missed
                    .push(format!("{}: its {variant} requests are refused each time: {told}", operation.id));
            }
            if !driven.is_driven(operation.entry.only) {
                let alone = attacker.reach(operation).await;
                if !alone.is_driven(operation.entry.only) {
                    missed.push(format!("{} was not driven: {}", operation.id, alone.brief()));
                }
            }
        }
    }
    neighbour.stop().await.expect("an end");
    assert_eq!(missed, [""; 0]);
    let kept = neighbour.verify().await.expect("every acknowledged message");
    assert!(kept > 50, "the neighbour stored {kept} messages");
    // What was begun for somebody who has hung up has the tenant's share until it is over.
    process.rest(STANDSTILL).await;
    attacker.verify(STANDSTILL).await.expect("the hostile tenant can work again");
    until("connections that rest", async || {
        (busy_connections(&database.url).await.expect("a count") == 0).then_some(())
    })
    .await;
}
