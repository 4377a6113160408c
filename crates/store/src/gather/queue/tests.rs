use std::collections::BTreeMap;
use std::time::Duration;

use anchord_messages::id::SessionName;
use proptest::prelude::*;
use uuid::Uuid;

use super::*;

#[derive(Clone, Debug)]
struct Item {
    key: Key,
    bytes: usize,
    number: usize,
    since: Instant,
}

impl Waits for Item {
    fn key(&self) -> Key {
        self.key.clone()
    }
    fn bytes(&self) -> usize {
        self.bytes
    }
    fn since(&self) -> Instant {
        self.since
    }
}

fn tenant(number: u128) -> TenantId {
    TenantId(Uuid::from_u128(number))
}

fn item(of: u128, session: usize, bytes: usize, number: usize) -> Item {
    let key = (tenant(of), SessionName::parse(&format!("s{session}")).unwrap().into());
    Item { key, bytes, number, since: Instant::now() }
}

fn numbers(batch: &Batch<Item>) -> Vec<usize> {
    batch.sessions.iter().flat_map(|(_, items)| items.iter().map(|item| item.number)).collect()
}

fn large_of(batch: &Batch<Item>) -> Option<TenantId> {
    batch.sessions.first().filter(|_| batch.is_large).map(|(key, _)| key.0)
}

#[test]
fn a_tenant_with_much_leaves_the_others_their_part_of_the_next_transaction() {
    let mut queue = Queue::new();
    for number in 0..1_000 {
        assert!(queue.push(item(1, number % 100, 10, number)).is_empty());
    }
    for number in 0..8 {
        assert!(queue.push(item(2, number, 10, 10_000 + number)).is_empty());
    }
    let batch = queue.next().unwrap();
    let of_the_second = batch.sessions.iter().filter(|(key, _)| key.0 == tenant(2)).count();
    assert!(
        of_the_second >= 4,
        "{of_the_second} sessions of the quiet tenant among {}",
        batch.sessions.len()
    );
}

#[test]
fn what_is_large_goes_alone_and_leaves_a_way_for_what_is_small() {
    let mut queue = Queue::new();
    for number in 0..6 {
        assert!(queue.push(item(1 + (number % 3) as u128, number, LARGE_BYTES, number)).is_empty());
    }
    assert!(queue.push(item(1, 9, 10, 9)).is_empty());
    assert!(queue.push(item(2, 0, 10, 20)).is_empty());
    let mut batches = Vec::new();
    while let Some(batch) = queue.next() {
        queue.commits();
        assert_eq!(batch.is_large, numbers(&batch).iter().any(|number| *number < 6));
        assert!(!batch.is_large || numbers(&batch).len() == 1);
        batches.push(batch);
    }
    assert_eq!(batches.iter().filter(|batch| batch.is_large).count(), LARGE_AT_ONCE);
    let small: Vec<_> = batches.iter().filter(|batch| !batch.is_large).flat_map(numbers).collect();
    assert!(small.contains(&9) && small.contains(&20), "{small:?}");
    // With one of them at its end the next one goes.
    queue.end(Some(tenant(1)));
    assert!(queue.next().is_some_and(|batch| batch.is_large));
}

#[test]
fn of_one_tenant_one_large_transaction_runs_and_of_huge_ones_one_of_all() {
    let mut queue = Queue::new();
    for (tenant, number, bytes) in
        [(1, 0, HUGE_BYTES), (1, 1, LARGE_BYTES), (2, 2, HUGE_BYTES), (3, 3, LARGE_BYTES)]
    {
        assert!(queue.push(item(tenant, number, bytes, number)).is_empty());
    }
    let go = |queue: &mut Queue<Item>| queue.next().map(|batch| numbers(&batch));
    assert_eq!(go(&mut queue), Some(vec![0]));
    assert_eq!(go(&mut queue), Some(vec![3]), "a tenth of a second beside half a second");
    assert_eq!(go(&mut queue), None);
    queue.end(Some(tenant(3)));
    assert_eq!(go(&mut queue), None, "a second one of the first tenant, or a second huge one");
    queue.end(Some(tenant(1)));
    let mut both = [go(&mut queue), go(&mut queue)];
    both.sort();
    assert_eq!(both, [Some(vec![1]), Some(vec![2])]);
}

#[test]
fn two_tenants_that_fill_the_queue_keep_no_third_out() {
    let mut queue = Queue::new();
    for number in 0..WAITING_APPENDS {
        let of = 1 + (number % 2) as u128;
        assert!(queue.push(item(of, number, 10, number)).is_empty());
    }
    let displaced = queue.push(item(3, 0, 10, 99_999));
    assert_eq!(displaced.len(), 1);
    assert!(displaced[0].number >= WAITING_APPENDS - 2, "the newest goes: {}", displaced[0].number);
    let own = queue.push(item(displaced[0].key.0.0.as_u128(), 1, 10, 77_777));
    assert_eq!(own.len(), 1, "a tenant with as much as the others displaces none");
    assert_eq!(queue.waiting.appends, WAITING_APPENDS);
    let mut sessions = queue.sessions.keys().map(|key| key.0).collect::<Vec<_>>();
    sessions.retain(|of| *of == tenant(3));
    assert_eq!(sessions.len(), 1);
}

#[test]
fn the_next_transaction_is_read_when_the_one_before_commits() {
    let mut queue = Queue::new();
    for number in 0..3 {
        assert!(queue.push(item(1, number, 10, number)).is_empty());
        let is_first = number == 0;
        assert_eq!(queue.next().is_some(), is_first, "{number}");
    }
    queue.commits();
    assert_eq!(numbers(&queue.next().unwrap()), [1, 2]);
    assert!(queue.push(item(1, 9, 10, 9)).is_empty());
    queue.commits();
    assert!(queue.next().is_none(), "a third one at once");
    queue.end(None);
    assert_eq!(numbers(&queue.next().unwrap()), [9]);
}

#[test]
fn nobody_fills_the_queue_for_the_others() {
    let mut queue = Queue::new();
    let taken = (0..2 * WAITING_APPENDS)
        .take_while(|number| queue.push(item(1, *number, 10, *number)).is_empty())
        .count();
    assert_eq!(taken, TENANT_APPENDS);
    assert!(queue.push(item(2, 0, 10, 0)).is_empty());
    // And what goes makes room again.
    let gone = numbers(&queue.next().unwrap()).len();
    let again = (0..2 * WAITING_APPENDS)
        .take_while(|number| queue.push(item(1, *number, 10, *number)).is_empty())
        .count();
    assert!(again > 0 && again <= gone, "{again} of {gone}");
}

#[test]
fn a_session_that_rests_keeps_its_order_and_goes_on_when_it_has_rested() {
    let mut queue = Queue::new();
    let now = Instant::now();
    for number in 0..3 {
        assert!(queue.push(item(1, 0, 10, number)).is_empty());
    }
    let batch = queue.next().unwrap();
    queue.commits();
    assert!(queue.push(item(1, 0, 10, 3)).is_empty());
    assert!(queue.next().is_none(), "two transactions of one session at once");
    queue.end(None);
    let until = now + Duration::from_secs(1);
    for (key, items) in batch.sessions {
        queue.release(key, items, until);
    }
    assert!(queue.push(item(1, 0, 10, 4)).is_empty());
    queue.wake(now);
    assert!(queue.next().is_none(), "it went before it had rested");
    assert_eq!(queue.wakes(), Some(until));
    queue.wake(until);
    assert_eq!(numbers(&queue.next().unwrap()), [0, 1, 2, 3, 4]);
}

#[test]
fn what_waits_too_long_is_given_back_and_nothing_else() {
    let mut queue = Queue::new();
    let old = Instant::now();
    for number in 0..4 {
        assert!(queue.push(Item { since: old, ..item(1, number % 2, 10, number) }).is_empty());
    }
    let deadline = old + Duration::from_millis(1);
    assert!(queue.push(Item { since: deadline, ..item(1, 0, 10, 9) }).is_empty());
    let mut expired: Vec<_> = queue.expire(deadline).into_iter().map(|item| item.number).collect();
    expired.sort_unstable();
    assert_eq!(expired, [0, 1, 2, 3]);
    assert_eq!(numbers(&queue.next().unwrap()), [9]);
    assert!(queue.next().is_none());
}

proptest! {
    /// Appends that come, leave, are locked out and come back: everything leaves once, each session's in order, and no
    /// session twice at once.
    #[test]
    fn everything_goes_once_and_in_its_sessions_order(
        steps in prop::collection::vec((0u8..4, 0u128..3, 0usize..4, 0usize..3), 1..200),
    ) {
        let mut queue = Queue::new();
        let mut flying: Vec<Batch<Item>> = Vec::new();
        let mut gone: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
        let now = Instant::now();
        let mut pushed = 0;
        let sizes = [10, LARGE_BYTES / 2, LARGE_BYTES];
        let end = |queue: &mut Queue<Item>, batch: Batch<Item>, comes_back: bool, gone: &mut BTreeMap<Key, Vec<usize>>| {
            queue.commits();
            queue.end(large_of(&batch));
            for (place, (key, items)) in batch.sessions.into_iter().enumerate() {
                if comes_back && place % 2 == 0 {
                    queue.release(key, items, now);
                } else {
                    gone.entry(key.clone()).or_default().extend(items.iter().map(|item| item.number));
                    queue.release(key, Vec::new(), now);
                }
            }
        };
        for (kind, of, session, size) in steps {
            match kind {
                0 | 1 => {
                    prop_assert!(queue.push(item(of, session, sizes[size], pushed)).is_empty());
                    pushed += 1;
                }
                2 => {
                    flying.extend(queue.next());
                    if size == 0 {
                        queue.commits();
                    }
                }
                _ => {
                    if !flying.is_empty() {
                        let batch = flying.remove(session % flying.len());
                        end(&mut queue, batch, size == 0, &mut gone);
                    }
                    queue.wake(now);
                }
            }
            let keys: Vec<_> = flying.iter().flat_map(|batch| batch.sessions.iter().map(|(key, _)| key)).collect();
            prop_assert_eq!(keys.len(), keys.iter().collect::<HashSet<_>>().len());
            prop_assert!(flying.len() <= MOST_AT_ONCE);
        }
        while !queue.is_empty() {
            queue.wake(now);
            flying.extend(queue.next());
            prop_assert!(!flying.is_empty(), "something waits for ever");
            let batch = flying.remove(0);
            end(&mut queue, batch, false, &mut gone);
        }
        prop_assert_eq!((queue.waiting.appends, queue.waiting.bytes, queue.large_waiting), (0, 0, 0));
        prop_assert_eq!(gone.values().map(Vec::len).sum::<usize>(), pushed);
        for numbers in gone.values() {
            prop_assert!(numbers.is_sorted(), "{:?}", numbers);
        }
    }
}
