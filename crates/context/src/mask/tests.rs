use super::*;
use anchord_messages::message::Role;
use anchord_messages::shape::{CallShape, Feature, Shape};

/// A message that is its place and its shape.
pub(super) struct Item(pub(super) Seq, pub(super) Shape);

impl AsShape for Item {
    fn seq(&self) -> Seq {
        self.0
    }
    fn role(&self) -> Role {
        if self.1.results.is_empty() { Role::Assistant } else { Role::Tool }
    }
    fn is_item(&self) -> bool {
        false
    }
    fn shape(&self) -> Option<&Shape> {
        Some(&self.1)
    }
}

fn output(seq: Seq, reference: &str, tokens: u32, lines: u32) -> Item {
    let result = ResultShape { reference: reference.into(), tokens, lines, ..ResultShape::default() };
    Item(seq, Shape { results: vec![result], features: vec![Feature::OnlyResults], ..Shape::default() })
}

fn call(seq: Seq) -> Item {
    Item(seq, Shape { calls: vec![CallShape::default()], ..Shape::default() })
}

/// Calls at odd seqs, outputs of these tokens at even ones, each different.
fn session(tokens: &[u32]) -> Vec<Item> {
    let mut items = Vec::new();
    for (i, tokens) in tokens.iter().enumerate() {
        let seq = Seq::try_from(2 * i + 1).unwrap();
        items.push(call(seq));
        items.push(output(seq + 1, &format!("r{i}"), *tokens, 1));
    }
    items
}

fn seqs(items: &[Item], found: &[OutputAt]) -> Vec<Seq> {
    found.iter().map(|at| items[at.item].0).collect()
}

/// The messages whose outputs are removed, and those whose outputs are clipped.
fn taken(items: &[Item], upto: Seq, marks: &Marks) -> (Vec<Seq>, Vec<Seq>) {
    let (removed, clipped) = masked(items, Clipping::of(upto, 600), marks);
    (seqs(items, &removed), seqs(items, &clipped))
}

#[test]
fn large_outputs_up_to_the_position_are_clipped() {
    let items = session(&[600, 599, 600, 600]);
    assert_eq!(taken(&items, 6, &Marks::new()), (vec![], vec![2, 6]));
    assert_eq!(taken(&items, 0, &Marks::new()), (vec![], vec![]));
    assert_eq!(masked(&items, Clipping::default(), &Marks::new()), (vec![], vec![]));
}

#[test]
fn marks_come_before_everything_else() {
    let items = session(&[600, 600, 600]);
    let marks = Marks::from([(2, Keep::Always), (6, Keep::Never)]);
    assert_eq!(taken(&items, 4, &marks), (vec![6], vec![4]));
}

#[test]
fn small_outputs_are_never_removed() {
    let items = vec![output(1, "a", 99, 9)];
    assert_eq!(taken(&items, 9, &Marks::from([(1, Keep::Never)])), (vec![], vec![]));
}

#[test]
fn clipping_saves_all_but_what_is_left() {
    let items = session(&[600, 4_000]);
    let clipping = Clipping::of(4, 600);
    let saved: u64 = items.iter().map(|item| clipping.saves(item, &Marks::new())).sum();
    assert_eq!((clipping.left(), saved), (200, 400 + 3_800));
    assert_eq!(Clipping::large_in(3_000), 600, "none so small is clipped by its place alone");
    let sizes: Vec<u32> = Clipping::sizes(10_000).collect();
    assert_eq!(sizes, [1_000, 750], "the largest go first");
}

/// A run of a command and what its output says.
fn run(seq: Seq, what: &str, key: &str) -> [Item; 2] {
    let asked = CallShape { id: format!("c{seq}"), name: "sh".into(), what: what.into() };
    let mut answer = output(seq + 1, &format!("r{seq}"), 900, 80);
    if let Some(result) = answer.1.results.first_mut() {
        (result.call_id, result.key) = (format!("c{seq}"), Some(key.into()));
    }
    [Item(seq, Shape { calls: vec![asked], ..Shape::default() }), answer]
}

#[test]
fn of_many_open_errors_the_newest_stay() {
    let runs = (0..8).map(|i| run(2 * i + 1, &format!("make part{i}"), "error: it broke"));
    let items: Vec<Item> = runs.flatten().collect();
    assert_eq!(open_errors(&items, 16).into_iter().collect::<Vec<_>>(), [12, 14, 16]);
}

#[test]
fn a_placeholder_names_tool_size_key_line_and_reference() {
    let result = ResultShape {
        reference: "1a2b3c4d5e6f7081".into(),
        lines: 412,
        key: Some("3 failed".into()),
        ..ResultShape::default()
    };
    assert_eq!(
        placeholder(&result, Some("cargo test"), ToolMode::None),
        "[tool output 1a2b3c4d5e6f7081: 412 lines from \"cargo test\" · key: 3 failed]"
    );
}

proptest::proptest! {
    #[test]
    fn a_placeholder_is_one_short_line_that_names_its_output(
        text in r"([ -~]|\PC|[\n\t\r]|error: x\n|\x1b\[31m){0,400}", what in "\\PC{0,200}",
    ) {
        let raw = serde_json::json!({"role": "tool", "tool_call_id": "c", "content": text}).to_string();
        let message = anchord_messages::format::parse(anchord_messages::format::Format::OpenaiChat, &raw).unwrap();
        let shape = Shape::of(&message, &anchord_messages::tokens::TokenCounter::default()).unwrap();
        proptest::prop_assert_eq!(shape.results.len(), 1);
        for result in &shape.results {
            let placeholder = placeholder(result, Some(&what), ToolMode::None);
            proptest::prop_assert!(placeholder.chars().count() <= 420, "{placeholder}");
            proptest::prop_assert!(!placeholder.contains('\n') && placeholder.contains(&result.reference));
        }
    }
}
