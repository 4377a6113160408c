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

#[test]
fn large_outputs_up_to_the_position_are_masked() {
    let items = session(&[600, 50, 600, 600]);
    assert_eq!(seqs(&items, &masked(&items, 6, &Marks::new(), 8)), [2, 6]);
    assert_eq!(masked(&items, 0, &Marks::new(), 8), []);
}

#[test]
fn marks_come_before_everything_else() {
    let items = session(&[600, 600, 600]);
    let marks = Marks::from([(2, Keep::Always), (6, Keep::Never)]);
    assert_eq!(seqs(&items, &masked(&items, 4, &marks, 6)), [4, 6]);
}

#[test]
fn small_outputs_are_never_masked() {
    let items = vec![output(1, "a", 99, 9)];
    assert_eq!(masked(&items, 9, &Marks::from([(1, Keep::Never)]), 9), []);
}

#[test]
fn of_exact_repeats_the_newest_stays_and_the_rest_goes_in_strides() {
    let items = vec![output(2, "a", 200, 3), output(6, "a", 200, 3), output(12, "a", 200, 3)];
    assert_eq!(masked(&items, 0, &Marks::new(), 19), []);
    assert_eq!(seqs(&items, &masked(&items, 0, &Marks::new(), 20)), [2, 6]);
    assert_eq!(seqs(&items, &masked(&items, 0, &Marks::new(), 39)), [2, 6]);
}

fn press(items: &[Item], level: Level) -> Press {
    Press { level, protected_from: first_protected(items.last().unwrap().0) }
}

#[test]
fn the_position_moves_in_steps_and_only_from_warn_on() {
    let items = session(&[600; 14]);
    assert_eq!(step(0, &items, &Marks::new(), press(&items, Level::Calm)), 0);
    // Four are older than the last ten: not yet a step.
    assert_eq!(step(0, &items, &Marks::new(), press(&items, Level::Warn)), 0);
    let items = session(&[600; 15]);
    let moved = step(0, &items, &Marks::new(), press(&items, Level::Warn));
    assert_eq!(moved, 10);
    assert_eq!(step(moved, &items, &Marks::new(), press(&items, Level::Warn)), 10);
    assert_eq!(step(moved, &items, &Marks::new(), press(&items, Level::Force)), 24);
    assert_eq!(step(26, &items, &Marks::new(), press(&items, Level::Force)), 26);
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
fn an_error_stays_until_what_was_run_is_run_again() {
    let items: Vec<Item> = [
        run(1, "cargo test", "1 failed"),
        run(3, "cargo build", "error: no such file"),
        run(5, "ls", "src"),
        run(7, "cargo test", "3 passed"),
    ]
    .into_iter()
    .flatten()
    .collect();
    assert_eq!(seqs(&items, &masked(&items, 6, &Marks::new(), 8)), [6], "both errors are open");
    assert_eq!(seqs(&items, &masked(&items, 8, &Marks::new(), 8)), [2, 6, 8], "the tests pass now");
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
