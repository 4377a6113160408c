use super::*;
use crate::settings::PolicyName;
use crate::settings::Settings;
use anchord_messages::group::groups;
use anchord_messages::shape::AsShape;

fn policy(settings: Settings) -> Policy {
    Settings { context_window: Some(20_000), ..settings }.policy()
}

struct Message(MessageCounts);

impl AsShape for Message {
    fn seq(&self) -> Seq {
        self.0.seq
    }
    fn role(&self) -> Role {
        self.0.role
    }
    fn is_item(&self) -> bool {
        false
    }
    fn shape(&self) -> Option<&anchord_messages::shape::Shape> {
        None
    }
}

/// The last message of a span of plain messages of so many tokens each.
fn end(policy: &Policy, named: Option<f64>, tokens: &[u32]) -> Option<Seq> {
    let role = |at: usize| if at.is_multiple_of(2) { Role::User } else { Role::Assistant };
    let tail: Vec<MessageCounts> = (1..)
        .zip(tokens.iter().enumerate())
        .map(|(seq, (at, tokens))| MessageCounts::of(seq, role(at), *tokens, None, false))
        .collect();
    let messages: Vec<Message> = tail.iter().map(|message| Message(message.clone())).collect();
    Room::of(policy, named, &Accounting::default()).tail_end(policy, &tail, &groups(&messages))
}

#[test]
fn the_fill_is_a_share_bounded_in_tokens_and_below_the_trigger() {
    let counts = Accounting { system_tokens: 1_000, pins_tokens: 200, ..Accounting::default() };
    let room = |settings: Settings, named| Room::of(&settings.policy(), named, &counts);
    let small = Settings { context_window: Some(20_000), ..Settings::default() };
    assert_eq!(room(small.clone(), None).fill, share_of(16_000, anchord_record::fill::default_fill(16_000)));
    assert_eq!(room(Settings::default(), None).fill, 24_000, "of a large window");
    assert_eq!(room(Settings::default(), Some(0.5)).fill, 80_000, "what is named is taken");
    let lowered = room(small.clone(), Some(0.9));
    assert_eq!((lowered.fill, lowered.is_lowered), (9_600 - 1_200, true));
    assert!(!room(small.clone(), Some(0.4)).is_lowered);
    assert_eq!(room(Settings { fill: Some(0.2), ..small }, None).fill, 3_200);
}

#[test]
fn a_goal_is_met_with_a_little_more() {
    let room = Room::of(&policy(Settings::default()), Some(0.3), &Accounting::default());
    assert_eq!(room.goal(), 4_800);
    assert!(room.is_met(5_600) && !room.is_met(5_601));
}

#[test]
fn the_newest_messages_take_their_part_and_no_more() {
    let policy = policy(Settings { fill: Some(0.5), ..Settings::default() });
    // Of 8,000 tokens, 3,200 are the tail's.
    assert_eq!(end(&policy, None, &[1_000; 10]), Some(7));
    assert_eq!(end(&policy, None, &[1_000; 3]), None);
    assert_eq!(end(&policy, Some(0.25), &[1_000; 10]), Some(9));
    assert_eq!(end(&policy, None, &[100, 9_000]), Some(2), "the newest alone is too large");
}

#[test]
fn tokens_may_be_preserved_beyond_that_as_far_as_there_is_room() {
    let preserving = |tokens| {
        policy(Settings { fill: Some(0.5), preserve_recent_tokens: Some(tokens), ..Settings::default() })
    };
    assert_eq!(end(&preserving(5_000), None, &[1_000; 10]), Some(5));
    // The record takes 1,600, at most.
    assert_eq!(end(&preserving(16_000), None, &[1_000; 10]), Some(4));
}

#[test]
fn what_counts_messages_is_not_asked_for_again_at_once() {
    let counting = |name| policy(Settings { policy: Some(name), fill: Some(0.5), ..Settings::default() });
    assert_eq!(end(&counting(PolicyName::MessageCount), None, &[10; 60]), Some(35));
    assert_eq!(end(&counting(PolicyName::Utilization), None, &[10; 60]), None);
}

#[test]
fn where_everything_has_room_the_preserved_alone_stay() {
    let policy = policy(Settings { fill: Some(0.5), ..Settings::default() });
    let tail: Vec<MessageCounts> = (1..=12)
        .map(|seq| {
            MessageCounts::of(seq, if seq % 2 == 1 { Role::User } else { Role::Assistant }, 100, None, false)
        })
        .collect();
    let messages: Vec<Message> = tail.iter().map(|message| Message(message.clone())).collect();
    let counts = |tokens| Accounting { tail_tokens: tokens, ..Accounting::default() };
    let end = |tokens| Room::of(&policy, None, &counts(tokens)).span_end(&policy, (&messages, &tail), 5);
    assert_eq!(end(1_200), Ok(7));
    assert_eq!(end(9_000), Ok(7), "all of them have room in the tail, too");
}
