//! A fork is counted as if the session had ended where it parts, and goes on as any session.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::accounting::{Moment, RetainedMessage};
use crate::session::{ForkPoint, InheritedVersion};

/// A history of a session.
struct History {
    world: World,
    /// The first messages of the appends.
    starts: Vec<Seq>,
    versions: Vec<InheritedVersion>,
    /// The session after each event, those before a fork included that it shares.
    moments: Vec<Session>,
}

impl History {
    fn of(all: &[Happens]) -> Self {
        let (world, starts, versions, moments) = (World::new(), Vec::new(), Vec::new(), Vec::new());
        let mut history = Self { world, starts, versions, moments };
        for what in all {
            history.happen(what);
        }
        history
    }

    fn happen(&mut self, what: &Happens) {
        let before = self.world.session.clone();
        self.world.happen(what);
        let after = &self.world.session;
        let counts = &after.accounting;
        if after.head_seq > before.head_seq {
            self.starts.push(before.head_seq + 1);
        }
        if after.last_version > before.last_version {
            self.versions.push(InheritedVersion {
                version: after.last_version,
                anchor: after.anchor_seq,
                head: after.head_seq,
                clipping: counts.clipping(),
                carried: counts.carried,
                summary_tokens: 0,
                digest_tokens: 0,
            });
        }
        if let Some(version) = self.versions.last_mut() {
            (version.summary_tokens, version.digest_tokens) = (counts.summary_tokens, counts.digest_tokens);
        }
    }

    /// Messages come, and compressions publish.
    fn go_on(&mut self, all: &[Happens]) {
        for what in all {
            // It may mask, which is recorded nowhere.
            if !self.is_in_vain(what) {
                self.happen(what);
                self.moments.push(self.world.session.clone());
            }
        }
    }

    /// The history of a branch that is forked at a message, so many hundredths of the way.
    fn part(mut self, hundredths: Seq) -> Self {
        let seq = self.world.session.head_seq * hundredths / 100;
        let session = self.fork(seq);
        let counts = &session.accounting;
        let served = (session.anchor_seq, counts.summary_tokens, counts.digest_tokens);
        self.starts.retain(|start| *start <= seq);
        self.moments.retain(|moment| moment.head_seq <= seq);
        self.versions.retain(|version| Some(version.version) <= session.version);
        self.world.messages.truncate(usize::try_from(seq).unwrap());
        self.world = World { session, messages: self.world.messages, versions: vec![served] };
        self.world.holds(&self.world.session);
        self
    }

    fn is_counted_at_its_newest_message(&self) {
        let session = &self.world.session;
        assert_eq!(counts(&self.fork(session.head_seq)), counts(session));
    }

    fn is_counted_at_earlier_messages(&self) {
        for moment in &self.moments {
            // A version that was published later is the fork's, and was not the session's yet.
            if self.version_at(moment.head_seq).map(|version| version.version) == moment.version {
                assert_eq!(counts_of_messages(&self.fork(moment.head_seq)), counts_of_messages(moment));
            }
        }
    }

    /// Whether a compression would end that publishes nothing.
    fn is_in_vain(&self, what: &Happens) -> bool {
        matches!(what, Happens::Ended { share, .. } if self.world.span(*share).is_none())
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
        let published = version.map_or(0, |version| session.published_of_fork(seq, &version));
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

/// The counts, without what a fork does not inherit: when the newest compression ended, and where the branch itself began.
fn counts(session: &Session) -> (Option<i64>, Seq, Accounting) {
    let under = CountedUnder::default();
    let mut counts = Accounting { settled_head: 0, settled_tokens: 0, under, ..session.accounting.clone() };
    (counts.begun_with, counts.growth, counts.is_model_speaking) = (Vec::new(), Vec::new(), false);
    (session.version, session.anchor_seq, counts)
}

/// The same without what other compressions, before or after, left behind.
fn counts_of_messages(session: &Session) -> (Option<i64>, Seq, Accounting) {
    let (version, anchor, counts) = counts(session);
    (version, anchor, Accounting { attempted_through: 0, ..counts })
}

/// Messages come, and compressions publish: all that a session does by itself.
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
    fn a_fork_at_the_newest_message_is_counted_as_the_session_is(all in prop::collection::vec(happens(), 1..40)) {
        let mut history = History::of(&[Happens::Appended(vec![(1, 10)])]);
        for what in &all {
            // Without a version there is no record whose size could change.
            if !matches!(what, Happens::Shown(_)) || !history.versions.is_empty() {
                history.happen(what);
                history.is_counted_at_its_newest_message();
            }
        }
    }

    #[test]
    fn a_fork_at_an_earlier_message_is_counted_as_the_session_was(
        parts in prop::collection::vec((0i64..=100, alone()), 1..5),
    ) {
        let mut branch = History::of(&[]);
        for (hundredths, all) in parts {
            branch = branch.part(hundredths);
            branch.go_on(&all);
            branch.is_counted_at_earlier_messages();
            branch.is_counted_at_its_newest_message();
        }
    }

    #[test]
    fn a_fork_goes_on_as_any_session(
        all in prop::collection::vec(happens(), 1..30), hundredths in 0i64..=100, more in alone(),
    ) {
        let mut branch = History::of(&all).part(hundredths);
        for what in &more {
            branch.happen(what);
        }
    }
}

#[test]
fn a_fork_at_nothing_is_a_session_without_a_message_that_keeps_its_settings() {
    let called = Happens::Appended(vec![(0, 30), (1, 10), (4, 10), (5, 400), (3, 20)]);
    let history = History::of(&[called.clone(), called]);
    let forked = history.fork(0);
    let counts = &forked.accounting;
    assert_eq!((forked.head_seq, counts.unbounded_tokens(), counts.appended_tokens), (0, 0, 0));
    assert_eq!((counts.format, counts.last_user), (None, None));
    assert_eq!(counts.tokenizer, history.world.session.accounting.tokenizer);
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

#[test]
fn the_message_that_a_version_carries_is_the_newest_of_a_person_that_the_fork_shares() {
    let mut history = History::of(&[Happens::Appended(vec![(1, 10), (3, 10), (3, 10), (3, 10), (3, 10)])]);
    let carried = Some(RetainedMessage { seq: 1, tokens: 10 });
    history.happen(&Happens::Appended(vec![(1, 20), (3, 10), (3, 10), (3, 10)]));
    history.happen(&Happens::Ended { share: 1, status: Status::Succeeded, tokens: 5 });
    let session = &history.world.session;
    assert!((1..5).contains(&session.anchor_seq), "{}", session.anchor_seq);
    assert_eq!(session.accounting.carried, None, "the newest is after what it covers");
    assert_eq!(history.fork(session.head_seq).accounting.carried, None);
    assert_eq!(history.fork(5).accounting.carried, carried, "the newest is not shared");
}

#[test]
fn a_compression_that_publishes_nothing_leaves_the_carried_message() {
    let mut history = History::of(&[
        Happens::Appended(vec![(1, 10), (3, 10), (3, 10), (3, 10), (3, 10), (3, 10)]),
        Happens::Ended { share: 3, status: Status::Succeeded, tokens: 5 },
        Happens::Appended(vec![(1, 10)]),
    ]);
    let carried = history.world.session.accounting.carried;
    assert_eq!(carried.map(|user| user.seq), Some(1));
    history.happen(&Happens::Ended { share: 3, status: Status::Failed, tokens: 5 });
    assert_eq!(history.world.session.accounting.carried, carried);
}

#[test]
fn a_long_tail_is_counted_whole_though_the_mask_moves_in_fewer_steps() {
    let policy = World::new().session.policy();
    let kind = |seq: Seq| if seq % 2 == 1 { (4, 11) } else { (5, 1_301) };
    let tail: Vec<Outline> = (1..=2_000).map(|seq| outline(seq, kind(seq))).collect();
    let counted = |each: usize| {
        let starts: Vec<Seq> = (1..=2_000).step_by(each).collect();
        let moment = Moment { anchor: 0, published: 0 };
        Accounting::default().counted_again(moment, (&tail, &starts), &policy)
    };
    let long = counted(1);
    assert_eq!((long.tail_messages, long.tail_tokens), (2_000, 1_000 * (11 + 1_301)));
    assert!((1_900..2_000).contains(&long.mask_upto), "{}", long.mask_upto);
    // A million looks at messages are as many as at every fourth append.
    assert_eq!(long, counted(4));
}
