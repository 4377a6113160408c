//! What a fork begins with, and that it goes on as any session.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::session::{ForkPoint, InheritedVersion};

/// A history of a session.
struct History {
    world: World,
    /// The first messages of the appends.
    starts: Vec<Seq>,
    versions: Vec<InheritedVersion>,
}

impl History {
    fn of(all: &[Happens]) -> Self {
        let (world, starts, versions) = (World::new(), Vec::new(), Vec::new());
        let mut history = Self { world, starts, versions };
        for what in all {
            let before = history.world.session.clone();
            history.world.happen(what);
            let after = &history.world.session;
            if after.head_seq > before.head_seq {
                history.starts.push(before.head_seq + 1);
            }
            if after.last_version > before.last_version {
                history.versions.push(InheritedVersion {
                    version: after.last_version,
                    anchor: after.anchor_seq,
                    head: Some(after.head_seq),
                    mask_upto: Some(after.accounting.mask_upto),
                    carried: after.accounting.carried,
                    summary_tokens: after.accounting.summary_tokens,
                    digest_tokens: after.accounting.digest_tokens,
                });
            }
        }
        history
    }

    /// The newest version that covers nothing beyond a message.
    fn version_at(&self, seq: Seq) -> Option<InheritedVersion> {
        self.versions.iter().rev().find(|version| version.anchor <= seq).copied()
    }

    /// Forks the session as it is now, with what its store would read.
    fn fork(&self, seq: Seq) -> Session {
        let session = &self.world.session;
        let version = self.version_at(seq);
        let floor = session.floor_of_fork(seq, version.map_or(0, |version| version.anchor));
        let published = version.and_then(|version| version.head).unwrap_or_default();
        let shared: Vec<Outline> =
            self.world.messages.iter().filter(|outline| outline.seq <= seq).cloned().collect();
        let sum = |through: Seq| -> u32 {
            shared.iter().filter(|outline| outline.seq <= through).map(|outline| outline.tokens).sum()
        };
        let (before, tail): (Vec<Outline>, Vec<Outline>) =
            shared.iter().cloned().partition(|outline| outline.seq <= floor);
        let within = |start: &&Seq| **start > published && **start <= seq;
        let starts: Vec<Seq> = self.starts.iter().filter(within).copied().collect();
        let at = ForkPoint {
            seq,
            tokens: u64::from(sum(seq)),
            system_tokens: sum(session.accounting.system_through.min(seq)),
            version,
            tail: &tail,
            starts: &starts,
            notes_tokens: 0,
            user_before: before.iter().rev().find_map(Outline::of_person),
        };
        let id = SessionId(Uuid::from_u128(7));
        session.fork((id, BranchName::parse("b").unwrap()), at, DateTime::UNIX_EPOCH)
    }
}

/// Messages come, and compressions end: all that a session does by itself.
fn alone() -> impl Strategy<Value = Vec<Happens>> {
    let happens = prop_oneof![
        4 => prop::collection::vec((0u8..7, 1u32..900), 1..6).prop_map(Happens::Appended),
        1 => (1usize..4, 1u32..600).prop_map(|(share, tokens)| Happens::Ended {
            share, status: Status::Succeeded, tokens,
        }),
    ];
    prop::collection::vec(happens, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn a_fork_goes_on_as_any_session(all in prop::collection::vec(happens(), 1..30), part in 0u64..=100, more in alone()) {
        let mut history = History::of(&all);
        let seq = history.world.session.head_seq * Seq::try_from(part).unwrap() / 100;
        let forked = history.fork(seq);
        prop_assert!(forked.anchor_seq <= seq);
        let version = (forked.anchor_seq, forked.accounting.summary_tokens, forked.accounting.digest_tokens);
        history.world.messages.truncate(usize::try_from(seq).unwrap());
        let mut world = World { session: forked, messages: history.world.messages, versions: vec![version] };
        world.holds(&world.session.clone());
        for what in &more {
            world.happen(what);
        }
    }
}

#[test]
fn a_fork_at_nothing_is_a_session_without_a_message_that_keeps_its_settings() {
    let called = Happens::Appended(vec![(0, 30), (1, 10), (4, 10), (5, 400), (3, 20)]);
    let history = History::of(&[called.clone(), called]);
    let forked = history.fork(0);
    let counts = &forked.accounting;
    assert_eq!((forked.head_seq, counts.context_tokens(), counts.appended_tokens), (0, 0, 0));
    assert_eq!((counts.tokenizer, counts.format, counts.last_user), (None, None, None));
    assert_eq!(forked.settings, history.world.session.settings);
    assert_eq!((forked.name.as_str(), forked.branch.as_str()), ("s", "b"));
}

#[test]
fn what_a_compression_left_behind_counts_where_the_version_is_the_same() {
    let said = Happens::Appended(vec![
        (1, 500),
        (3, 500),
        (1, 500),
        (3, 500),
        (1, 500),
        (3, 500),
        (1, 500),
        (3, 500),
    ]);
    let compressed = Happens::Ended { share: 3, status: Status::Succeeded, tokens: 50 };
    let mut history = History::of(&[said.clone(), compressed, said]);
    let (anchor, head) = (history.world.session.anchor_seq, history.world.session.head_seq);
    assert!(anchor > 0);
    history.world.session.accounting.suspended = true;
    history.world.session.accounting.attempted_through = head;
    let whole = history.fork(head).accounting;
    assert!(whole.suspended && whole.attempted_through == head);
    let before_the_attempt = history.fork(head - 1).accounting;
    assert!(before_the_attempt.suspended && before_the_attempt.attempted_through < head);
    assert!(!history.fork(anchor - 1).accounting.suspended, "it begins with no version");
}
