use chrono::DateTime;
use proptest::prelude::*;
use serde_json::json;
use uuid::Uuid;

use super::*;
use crate::accounting::{Accounting, CountedUnder, KEPT_LINE_TOKENS, MessageCounts};
use crate::compression::{Report, Request, Span, Status};
use crate::outline::Outline;
use crate::settings::{Settings, TokenizerName};
use crate::signal::HistoryScope;
use anchord_context::mask::MaskMode;
use anchord_context::pin::PINS_SHARE;
use anchord_messages::format::Format;
use anchord_messages::format::detect::BatchFormat;
use anchord_messages::id::{BranchName, Seq, SessionId, SessionName};
use anchord_messages::message::Role;
use anchord_messages::shape::{CallShape, ResultShape, Shape};
use anchord_record::fill::share_of;

mod forks;

/// A session with every message that it ever got, and the versions that it may go back to.
struct World {
    session: Session,
    messages: Vec<Outline>,
    versions: Vec<(Seq, u32, u32)>,
}

/// An event.
#[derive(Clone, Debug)]
enum Happens {
    /// Messages come: what they are, and their tokens.
    Appended(Vec<(u8, u32)>),
    /// A batch that is refused.
    Refused(u8),
    /// A compression ends, of so large a share of what it may cover.
    Ended {
        share: usize,
        status: Status,
        tokens: u32,
    },
    /// A compression of an older state of the session ends.
    Outrun,
    RolledBack(usize),
    Set(usize),
    Pinned(u32),
    /// A mark ends, if there is one.
    Released(usize),
    Shown(u32),
}

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        6 => prop::collection::vec((0u8..7, 1u32..900), 1..6).prop_map(Happens::Appended),
        1 => (0u8..3).prop_map(Happens::Refused),
        3 => (0usize..4, 0usize..4, 1u32..600).prop_map(|(share, status, tokens)| {
            let status = [Status::Succeeded, Status::Succeeded, Status::Failed, Status::Skipped][status];
            Happens::Ended { share, status, tokens }
        }),
        1 => Just(Happens::Outrun),
        1 => (0usize..8).prop_map(Happens::RolledBack),
        1 => (0usize..4).prop_map(Happens::Set),
        1 => (0u32..200).prop_map(Happens::Pinned),
        1 => (0usize..8).prop_map(Happens::Released),
        1 => (1u32..600).prop_map(Happens::Shown),
    ]
}

fn outline(seq: Seq, (kind, tokens): (u8, u32)) -> Outline {
    let call =
        |id: Seq| CallShape { id: format!("c{id}"), what: format!("run {}", id % 5), ..CallShape::default() };
    let result = |id: Seq| ResultShape {
        call_id: format!("c{id}"),
        tokens: tokens * 3 / 4,
        key: (tokens % 5 == 0).then(|| "error: it failed".to_owned()),
        ..ResultShape::default()
    };
    let (role, shape) = match kind {
        0 => (Role::System, None),
        1 | 2 => (Role::User, None),
        3 => (Role::Assistant, None),
        4 => (Role::Assistant, Some(Shape { calls: vec![call(seq)], ..Shape::default() })),
        _ => (Role::Tool, Some(Shape { results: vec![result(seq - 1)], ..Shape::default() })),
    };
    Outline {
        seq,
        role,
        is_item: false,
        tokens,
        shape,
        is_left_out: tokens % 19 == 0,
        retrieved: kind == 2 && tokens % 3 == 0,
        bytes: 10,
    }
}

/// The options of a batch whose caller sets none.
fn options() -> BatchOptions<'static> {
    BatchOptions {
        format: BatchFormat::Stated(Format::OpenaiChat),
        model: None,
        opening: None,
        tokenizer: TokenizerName::default(),
        expected_next_seq: None,
        task_boundary: false,
        every_signal: false,
        history: HistoryScope::Nothing,
        now: 0,
    }
}

impl World {
    fn new() -> Self {
        let name = SessionName::parse("s").unwrap();
        let mut session =
            Session::new(SessionId(Uuid::nil()), name, Settings::default(), DateTime::UNIX_EPOCH);
        let small = json!({"context_window": 12_000});
        session.settings =
            session.settings.patched(small.as_object().cloned().unwrap(), &Settings::default()).unwrap();
        Self { session, messages: Vec::new(), versions: vec![(0, 0, 0)] }
    }

    fn tail(&self, floor: Seq) -> Vec<Outline> {
        self.messages.iter().filter(|message| message.seq > floor).cloned().collect()
    }

    /// So large a share, in thirds, of what a compression may cover.
    fn span(&self, share: usize) -> Option<Span> {
        let session = &self.session;
        let end = session.accounting.span_end(session.head_seq, session.policy().preserve_recent);
        let floor = session.floor();
        let through = floor + (end - floor) * Seq::try_from(share).unwrap() / 3;
        let span = Span { parent_version: session.version, from_seq: floor + 1, through_seq: through };
        Some(span).filter(|_| through > floor)
    }

    fn append(&mut self, kinds: &[(u8, u32)], said: BatchOptions<'_>) -> Result<Appended, AppendRefusal> {
        let session = &mut self.session;
        let first = session.head_seq + 1;
        let outlines: Vec<Outline> = (first..).zip(kinds).map(|(seq, kind)| outline(seq, *kind)).collect();
        let counted: Vec<MessageCounts> = outlines.iter().map(Outline::counted).collect();
        if let Some(newest) = session.clip_boundary(counted.iter()) {
            let tail: Vec<_> =
                self.messages.iter().filter(|message| message.seq > session.floor()).cloned().collect();
            let marks = session.accounting.marks(&tail);
            session.clip_before(newest, &tail, &marks);
        }
        let mut kept: u32 = session.accounting.kept.iter().map(|kept| kept.tokens).sum();
        let room = share_of(session.policy().effective_window, PINS_SHARE);
        let mut is_kept = |tokens: u32| {
            let fits = tokens.is_multiple_of(5) && kept + tokens <= room;
            kept += if fits { tokens } else { 0 };
            fits
        };
        let incoming: Vec<Incoming<'_>> = counted
            .iter()
            .map(|counted| Incoming { counted, signals: None, is_kept: is_kept(counted.tokens) })
            .collect();
        let appended = session.append(&incoming, said)?;
        self.messages.extend(outlines);
        Ok(appended)
    }

    fn end(&mut self, span: Option<Span>, status: Status, (summary, digest): (u32, u32)) -> (Status, bool) {
        let request = Request::default();
        let version = VersionSizes {
            version: self.session.last_version + 1,
            summary_tokens: summary,
            digest_tokens: digest,
        };
        let ending = Ending {
            trigger: "utilization",
            request: &request,
            span,
            status,
            version: span.map(|_| version).filter(|_| status == Status::Succeeded),
        };
        let mut report = Report::default();
        let status = self.session.final_status(ending, &mut report);
        let tail = self.tail(self.session.floor_after(status, ending));
        let before = self.session.last_version;
        self.session.end(status, ending, &tail, &mut report);
        assert_eq!(
            report.context_tokens_after.map(u64::from),
            Some(u64::from(self.session.context_tokens()))
        );
        let publishes = self.session.last_version > before;
        if publishes {
            self.versions.push((self.session.anchor_seq, summary, digest));
        }
        (status, publishes)
    }

    fn happen(&mut self, what: &Happens) {
        let before = self.session.clone();
        let said = options();
        match what {
            Happens::Appended(kinds) => {
                let appended = self.append(kinds, said).unwrap();
                assert_eq!(
                    (appended.first_seq, appended.last_seq),
                    (before.head_seq + 1, self.session.head_seq)
                );
                assert_eq!(appended.tokens_added, kinds.iter().map(|kind| u64::from(kind.1)).sum::<u64>());
            }
            Happens::Refused(why) => {
                let said = match why {
                    0 => BatchOptions { expected_next_seq: Some(before.head_seq), ..said },
                    1 => BatchOptions { expected_next_seq: Some(before.head_seq + 2), ..said },
                    _ => BatchOptions { tokenizer: TokenizerName::Estimate, ..said },
                };
                let mut masked = before.clone();
                let coming = [outline(before.head_seq + 1, (1, 10)).counted()];
                if let Some(newest) = masked.clip_boundary(coming.iter()) {
                    let tail = self.tail(masked.floor());
                    let marks = masked.accounting.marks(&tail);
                    masked.clip_before(newest, &tail, &marks);
                }
                assert!(self.append(&[(1, 10)], said).is_err());
                assert_eq!(self.session, masked, "a refusal has changed something");
            }
            Happens::Ended { share, status, tokens } => {
                let span = self.span(*share);
                let (_, publishes) = self.end(span, *status, (*tokens, tokens / 2));
                assert_eq!(publishes, span.is_some() && *status == Status::Succeeded);
                let versions = self.session.last_version - before.last_version;
                assert_eq!(versions, i64::from(publishes));
                assert!(publishes || self.session.anchor_seq == before.anchor_seq);
            }
            Happens::Outrun => {
                let span = Span {
                    parent_version: Some(before.last_version + 9),
                    from_seq: 1,
                    through_seq: before.head_seq,
                };
                let ended = self.end(Some(span), Status::Succeeded, (10, 0));
                assert_eq!(ended, (Status::Superseded, false));
                assert_eq!(self.session.version, before.version);
            }
            Happens::RolledBack(to) => {
                let (anchor, summary, digest) = self.versions[to % self.versions.len()];
                let tail = self.tail(self.session.floor_at(anchor));
                self.session.roll_back(anchor, (summary, digest), &tail);
                assert_eq!(self.session.anchor_seq, anchor);
                assert!(self.session.accounting.suspended);
                let starts = self.session.next_start();
                assert!(starts.is_none_or(|start| start.action >= crate::signal::Action::Immediate));
            }
            Happens::Set(place) => {
                let change = [
                    json!({"context_window": 6_000}),
                    json!({"context_window": 40_000}),
                    json!({"mask": "off"}),
                    json!({"mask": "auto"}),
                ][*place]
                    .clone();
                let change = change.as_object().cloned().unwrap();
                let settings = before.settings.patched(change, &before.defaults).unwrap();
                let tail = self.tail(self.session.floor());
                let is_new = self.session.set(settings, &tail).unwrap();
                assert!(!is_new || !self.session.accounting.suspended);
            }
            Happens::Pinned(tokens) => self.session.pin(*tokens),
            Happens::Released(place) => {
                let Some(seq) = self.session.accounting.kept.get(*place).map(|kept| kept.seq) else { return };
                let tail = self.tail(self.session.floor());
                assert!(self.session.release(seq, &tail) && !self.session.release(seq, &tail));
                assert!(self.session.served_revision() > before.served_revision());
            }
            Happens::Shown(tokens) => self.session.show(*tokens, 0),
        }
        self.holds(&before);
    }

    /// The session is read as a branch other than main, after main's settings may have changed.
    fn is_read(&mut self) {
        let session = &mut self.session;
        session.forget_masks_that_are_off();
        if session.has_stale_counts() {
            let floor = session.floor();
            let tail = self.messages.iter().filter(|message| message.seq > floor).cloned();
            let tail: Vec<_> = tail.filter(|_| session.has_uncounted_masks()).collect();
            session.refresh_counts(&tail);
        }
    }

    /// Checks the invariants.
    fn holds(&self, before: &Session) {
        let session = &self.session;
        let counts = &session.accounting;
        assert_eq!(session.head_seq, Seq::try_from(self.messages.len()).unwrap());
        assert!(session.anchor_seq <= session.head_seq);
        assert!(session.version.unwrap_or_default() <= session.last_version);
        assert!(
            session.last_version - before.last_version <= 1 && session.last_version >= before.last_version
        );
        assert!(session.served_revision() >= before.served_revision());
        let all: u64 = self.messages.iter().map(|message| u64::from(message.tokens)).sum();
        assert_eq!(counts.appended_tokens, all);

        // The running counts are those of a count of everything.
        let tail = self.tail(session.floor());
        let counted: Vec<MessageCounts> = tail.iter().map(Outline::counted).collect();
        let policy = session.policy();
        let mut afresh = counts.rebuilt(session.anchor_seq, &counted, policy.preserve_recent);
        afresh.clip(counts.clipping(), policy.mask, &tail, &counts.marks(&tail));
        let sums = |counts: &Accounting| {
            let tail = (
                counts.tail_messages, counts.tail_tokens, counts.tool_output_tokens, counts.retrieved_tokens,
            );
            (tail, counts.turns, counts.unmasked_results, counts.open_calls)
        };
        assert_eq!(sums(counts), sums(&afresh));
        assert_eq!(counts.masked_tokens, afresh.masked_tokens);
        let told = u64::from(counts.summary_tokens) + u64::from(counts.digest_tokens);
        let fixed = u64::from(counts.fixed_tokens());
        let pinned = counts.system_tokens + counts.pins_tokens + counts.notes_tokens;
        let carried = counts.carried.map_or(0, |carried| carried.tokens);
        let covered = counts.kept.iter().filter(|kept| kept.seq <= session.anchor_seq);
        let kept = covered.filter(|kept| counts.carried.is_none_or(|carried| carried.seq != kept.seq));
        let kept: u32 = kept.map(|kept| kept.tokens + KEPT_LINE_TOKENS).sum();
        assert_eq!(counts.fixed_tokens(), pinned + carried + kept);
        assert_eq!(counts.unbounded_tokens(), fixed + told + counts.tail_tokens - counts.masked_tokens);
        let end = counts.span_end(session.head_seq, policy.preserve_recent);
        if end > session.floor() {
            assert!(tail.iter().any(|message| message.seq == end));
        }
        if policy.mask == MaskMode::Off && before.policy().mask == MaskMode::Off {
            assert!(counts.mask_upto <= before.accounting.mask_upto.max(session.anchor_seq));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_in_whatever_order_the_session_holds(all in prop::collection::vec(happens(), 1..40)) {
        let mut world = World::new();
        for what in &all {
            world.happen(what);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// Only main is there when its settings change; another branch finds that when it is read, and must be as if it had been.
    #[test]
    fn a_branch_that_catches_up_is_as_one_that_was_there(all in prop::collection::vec(happens(), 1..40)) {
        let (mut main, mut branch) = (World::new(), World::new());
        branch.session.root = SessionId(Uuid::max());
        for what in &all {
            main.happen(what);
            if matches!(what, Happens::Set(_)) {
                branch.session.settings = main.session.settings.clone();
                branch.session.settings_revision = main.session.settings_revision;
                continue;
            }
            branch.is_read();
            branch.happen(what);
        }
        branch.is_read();
        let (counts, of_main) = (branch.session.accounting, main.session.accounting);
        // Which of several changes were of more than the model is not known later.
        assert!(counts.suspended || !of_main.suspended);
        let counts = Accounting { under: CountedUnder::default(), suspended: of_main.suspended, ..counts };
        assert_eq!(counts, of_main);
    }
}

#[test]
fn a_change_of_settings_ends_what_a_rollback_suspended_and_another_model_does_not() {
    let (mut main, mut branch) = (World::new().session, World::new().session);
    branch.root = SessionId(Uuid::max());
    for session in [&mut main, &mut branch] {
        session.accounting.suspended = true;
    }
    for (change, is_suspended) in [(json!({"model": "gpt-4o"}), true), (json!({"fill": 0.3}), false)] {
        main.set(patched(&main, &change), &[]).unwrap();
        branch.settings = main.settings.clone();
        branch.settings_revision = main.settings_revision;
        branch.refresh_counts(&[]);
        let suspended = (main.accounting.suspended, branch.accounting.suspended);
        assert_eq!(suspended, (is_suspended, is_suspended), "{change}");
    }
}

fn patched(session: &Session, change: &serde_json::Value) -> Settings {
    session.settings.patched(change.as_object().cloned().unwrap(), &session.defaults).unwrap()
}

#[test]
fn reports_of_the_provider_stay_with_the_model_that_they_are_about_on_every_branch() {
    let mut main = World::new();
    main.happen(&Happens::Appended(vec![(1, 10)]));
    main.session.set(patched(&main.session, &json!({"model": "gpt-4o"})), &[]).unwrap();
    let at = ForkPoint {
        seq: 1,
        tokens: 10,
        system_tokens: 0,
        version: None,
        tail: &main.tail(0),
        starts: &[1],
        notes_tokens: 0,
        user_before: None,
    };
    let name = BranchName::parse("b").unwrap();
    let mut branch = main.session.fork((SessionId(Uuid::max()), name), at, DateTime::UNIX_EPOCH);
    assert!(!branch.has_stale_counts(), "it was counted under the settings that it shares");
    branch.accounting.calibration.take(5_000, 6_000);
    let mut then = |change: serde_json::Value, branch: &mut Session| {
        main.session.set(patched(&main.session, &change), &[]).unwrap();
        branch.settings = main.session.settings.clone();
        branch.settings_revision = main.session.settings_revision;
        let before = branch.served_revision();
        assert!(branch.has_stale_counts());
        branch.refresh_counts(&[]);
        assert!(!branch.has_stale_counts() && branch.served_revision() == before);
    };
    then(json!({"fill": 0.3}), &mut branch);
    assert!(!branch.accounting.calibration.is_none(), "it goes on with the model");
    then(json!({"model": "claude-sonnet-4-5"}), &mut branch);
    assert!(branch.accounting.calibration.is_none(), "the reports are about another model");
}

#[test]
fn a_change_of_settings_changes_what_every_branch_serves() {
    let (mut main, mut branch) = (World::new().session, World::new().session);
    branch.root = SessionId(Uuid::max());
    let before = (main.served_revision(), branch.served_revision());
    main.set(patched(&main, &json!({"fill": 0.3})), &[]).unwrap();
    branch.settings_revision = main.settings_revision;
    assert_eq!((main.served_revision(), branch.served_revision()), (before.0 + 1, before.1 + 1));
}

#[test]
fn the_first_fork_fixes_the_tokenizer_and_takes_the_named_model_to_the_settings() {
    let mut main = World::new().session;
    assert!(!main.has_fixed_tokenizer());
    assert!(main.share_settings());
    let other = patched(&main, &json!({"tokenizer": "estimate"}));
    assert_eq!(main.set(other, &[]).unwrap_err().pointer, "/tokenizer");
    assert!(!main.share_settings(), "once is enough");
    main.accounting.model = Some("gpt-4o".to_owned());
    main.take_named_model();
    let before = main.settings_revision;
    assert!(main.share_settings());
    assert_eq!((main.accounting.model, main.settings.model.as_deref()), (None, Some("gpt-4o")));
    assert_eq!(main.settings_revision, before + 1);
}

#[test]
fn a_tokenizer_does_not_change_once_messages_are_stored() {
    let mut world = World::new();
    let change = json!({"tokenizer": "estimate"}).as_object().cloned().unwrap();
    let settings = world.session.settings.patched(change, &Settings::default()).unwrap();
    let before = world.session.clone();
    world.happen(&Happens::Appended(vec![(1, 10)]));
    assert_eq!(world.session.set(settings.clone(), &[]).unwrap_err().pointer, "/tokenizer");
    world.session = before;
    assert_eq!(world.session.set(settings, &[]), Ok(true));
}

#[test]
fn what_was_refused_is_not_tried_again_before_more_messages_arrive() {
    let mut world = World::new();
    world.happen(&Happens::Appended(vec![(3, 1_500); 12]));
    assert!(world.session.next_start().is_some());
    for (refused, status) in (1..).zip([Status::Rejected, Status::Failed, Status::Skipped]) {
        // The messages after the span do not fit, so that a version would be followed by another at once.
        world.end(world.span(1), status, (0, 0));
        let session = &world.session;
        assert_eq!((session.next_start(), session.accounting.refused), (None, refused), "{status:?}");
    }
    for arrived in 1..=4 {
        assert_eq!(world.session.next_start(), None);
        world.happen(&Happens::Appended(vec![(3, 1_500)]));
        assert_eq!(world.session.next_start().is_some(), arrived == 4, "{arrived}");
    }
    let (_, publishes) = world.end(world.span(3), Status::Succeeded, (100, 0));
    assert_eq!((publishes, world.session.accounting.refused), (true, 0));
}

#[test]
fn messages_to_keep_take_a_tenth_of_the_window_at_most_and_a_refusal_tells_how_much() {
    let said = options();
    let mut session = World::new().session;
    let max_tokens = share_of(session.policy().effective_window, PINS_SHARE);
    let mut append = |tokens: u32, is_kept: bool| {
        let counted = outline(1, (1, tokens)).counted();
        let incoming = Incoming { counted: &counted, signals: None, is_kept };
        session.append(&[incoming], said).map(|_| session.accounting.kept.len())
    };
    assert_eq!(append(max_tokens, true), Ok(1));
    let tokens = max_tokens + 1;
    assert_eq!(append(1, true), Err(AppendRefusal::KeptTooMuch(KeptTooMuch::Tokens { tokens, max_tokens })));
    assert_eq!(append(1, false), Ok(1), "what is not marked is not bounded");
    assert!(session.release(1, &[]));
    let mut append = |is_kept: bool| {
        let counted = outline(1, (1, 1)).counted();
        let incoming = vec![Incoming { counted: &counted, signals: None, is_kept }; MAX_KEPT];
        session.append(&incoming, said).map(|_| session.accounting.kept.len())
    };
    assert_eq!(append(true), Ok(MAX_KEPT));
    let messages = 2 * MAX_KEPT;
    assert_eq!(append(true), Err(AppendRefusal::KeptTooMuch(KeptTooMuch::Messages { messages })));
}
