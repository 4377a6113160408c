use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::domain::accounting::{Accounting, Counted};
use crate::domain::mask::tests::Item;
use crate::domain::mask::{Keep, step};
use crate::domain::shape::CallShape;

impl Item {
    fn counted(&self) -> Counted {
        Counted::of(self.0, self.role(), 700, Some(&self.1), false)
    }
}

/// A message as it is drawn: calls with what they ask, results with the call that they name, their tokens and
/// whether they show an error, and the caller's mark.
#[derive(Clone, Debug)]
struct Drawn {
    calls: Vec<(u8, u8)>,
    results: Vec<(u8, u32, bool)>,
    mark: Option<Keep>,
    level: Level,
    /// The process that kept it is gone: it begins anew with what is stored.
    is_read: bool,
}

fn drawn(calls: u8) -> impl Strategy<Value = Drawn> {
    let tokens = prop_oneof![2 => Just(20u32), 4 => 501u32..900, 1 => 2_000u32..4_000];
    let level = prop_oneof![1 => Just(Level::Calm), 3 => Just(Level::Warn), 3 => Just(Level::Force)];
    let mark = prop_oneof![9 => Just(None), 1 => Just(Some(Keep::Always)), 1 => Just(Some(Keep::Never))];
    (
        prop_oneof![1 => Just(Vec::new()), 2 => vec((0..calls, 0u8..6), 1..3)],
        prop_oneof![1 => Just(Vec::new()), 2 => vec((0..calls, tokens, prop::bool::weighted(0.3)), 1..3)],
        mark,
        level,
        prop::bool::weighted(0.05),
    )
        .prop_map(|(calls, results, mark, level, is_read)| Drawn {
            calls,
            results,
            mark,
            level,
            is_read,
        })
}

impl Drawn {
    fn item(&self, seq: Seq) -> Item {
        let calls = self.calls.iter().map(|(id, what)| CallShape {
            id: id.to_string(),
            what: format!("run {what}"),
            ..CallShape::default()
        });
        let results = self.results.iter().map(|(id, tokens, failed)| ResultShape {
            call_id: id.to_string(),
            tokens: *tokens,
            lines: 1,
            key: failed.then(|| "error: it failed".to_owned()),
            ..ResultShape::default()
        });
        Item(seq, Shape { calls: calls.collect(), results: results.collect(), ..Shape::default() })
    }
}

/// Has both ways decide before every message, and gives how many steps were taken and how often nothing could
/// be told.
fn compare(floor: Seq, session: &[Drawn]) -> (usize, usize) {
    let (mut items, mut marks) = (Vec::<Item>::new(), Marks::new());
    let mut counts = Accounting { mask_upto: floor, ..Accounting::default() };
    let mut steps = Steps::of(floor, &items, &marks);
    let (mut taken, mut lost) = (0, 0);
    for (seq, drawn) in (floor + 1..).zip(session) {
        let before = counts.clone();
        let upto = step(counts.mask_upto, &items, &marks, drawn.level);
        if upto > counts.mask_upto {
            counts.mask_through(upto, &items, &marks);
            taken += 1;
        }
        if let Ok(moved) = steps.take(before.mask_upto, drawn.level) {
            let mut unread = before;
            if let Some(moved) = moved {
                unread.mask_on(moved);
            }
            assert_eq!(unread, counts, "before message {seq}");
        } else {
            lost += 1;
        }
        if drawn.is_read || steps.upto != counts.mask_upto {
            steps = Steps::of(counts.mask_upto, &items, &marks);
        }
        let item = drawn.item(seq);
        if let Some(mark) = drawn.mark {
            marks.insert(seq, mark);
        }
        counts.push(&item.counted(), 5);
        steps.push(seq, item.shape(), drawn.mark.is_some());
        assert_eq!(steps.messages(), counts.tail_messages as usize);
        items.push(item);
    }
    (taken, lost)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn steps_are_decided_and_counted_as_with_all_messages(
        floor in 0i64..3, session in vec(drawn(12), 1..120)
    ) {
        let (_, lost) = compare(floor, &session);
        prop_assert_eq!(lost, 0);
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn whoever_forgets_calls_says_so_or_is_right(session in vec(drawn(255), 300..500)) {
        compare(0, &session);
    }
}

fn plain(failed: bool, tokens: u32) -> impl Fn(u8) -> Drawn {
    move |n| Drawn {
        calls: vec![(n, n)],
        results: vec![(n, tokens, failed)],
        mark: None,
        level: Level::Force,
        is_read: false,
    }
}

#[test]
fn a_session_that_is_masked_all_the_time_is_never_read() {
    let session: Vec<Drawn> =
        (0..600).map(|n| plain(n % 3 == 0, 600)(u8::try_from(n % 250).unwrap())).collect();
    let (taken, lost) = compare(0, &session);
    assert!(taken > 150, "{taken}");
    assert_eq!(lost, 0);
}

#[test]
fn what_is_kept_does_not_grow_with_the_session() {
    let mut steps = Steps::of(0, &[] as &[Item], &Marks::new());
    let mut most = 0;
    for seq in 1..20_000 {
        let mut drawn = plain(seq % 2 == 0, 600)(0);
        let item = {
            drawn.calls.clear();
            let mut item = drawn.item(seq);
            item.1.calls.push(CallShape {
                id: seq.to_string(),
                what: seq.to_string(),
                ..CallShape::default()
            });
            item.1.results[0].call_id = seq.to_string();
            item
        };
        assert!(steps.take(steps.upto, Level::Force).is_ok());
        steps.push(seq, item.shape(), false);
        most = most.max(steps.bytes());
    }
    assert!(most < 48 * 1024, "{most}");
}

#[test]
fn more_that_waits_than_is_kept_has_the_messages_read() {
    let mut steps = Steps::of(0, &[] as &[Item], &Marks::new());
    let large = plain(false, 600)(1);
    for seq in 1..=Seq::try_from(MOST_WAITING).unwrap() {
        steps.push(seq, large.item(seq).shape(), false);
    }
    assert_eq!(steps.take(0, Level::Calm), Ok(None));
    steps.push(9_999, large.item(9_999).shape(), false);
    assert_eq!(steps.take(0, Level::Force), Err(Lost));
}

#[test]
fn another_position_than_was_kept_has_the_messages_read() {
    let mut steps = Steps::of(4, &[] as &[Item], &Marks::new());
    assert_eq!(steps.take(5, Level::Force), Err(Lost));
    assert_eq!(steps.take(4, Level::Force), Ok(None));
}
