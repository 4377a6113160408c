//! The questions of the exam, taken from the notes that the items left.

use super::{Note, World};
use serde_json::{Value, json};

/// How many messages at the end no question may rely on.
const TAIL: usize = 12;
/// How many questions the exam has, when the session gives as many.
const QUESTIONS: usize = 20;

impl World {
    /// The questions: about as many of each kind, most of them on the last third and on what still holds.
    pub(super) fn exam(&mut self, id: &str) -> Value {
        let end = self.messages.len().saturating_sub(TAIL);
        let items = self.item.max(1);
        let notes = std::mem::take(&mut self.notes);
        let mut ranked: Vec<(usize, Note)> = Vec::new();
        for mut note in notes {
            note.evidence.sort_unstable();
            note.evidence.dedup();
            if note.evidence.is_empty() || note.evidence.iter().any(|&e| e >= end) {
                continue;
            }
            let standing = if matches!(sort_of(&note.key), "rule" | "choice" | "spend" | "limit" | "plan") {
                45
            } else {
                0
            };
            let age = if sort_of(&note.key) == "rule" { 75 } else { note.item * 100 / items };
            let weight = age + standing + self.dice.below(30);
            ranked.push((weight, note));
        }
        ranked.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.key.cmp(&b.1.key)));
        let mut chosen = choose(&mut ranked);
        chosen.sort_by_key(|n| *n.evidence.last().unwrap_or(&0));
        let mut questions = Vec::new();
        for (at, n) in chosen.iter().enumerate() {
            let evidence: Vec<usize> = n.evidence.iter().map(|e| e + 1).collect();
            questions.push(json!({
                "id": format!("q{:02}", at + 1), "kind": n.kind, "question": n.question, "answer": n.answer, "facts": n.facts,
                "evidence": evidence, "needed_for": n.need,
            }));
        }
        json!({"session": id, "messages": self.messages.len(), "questions": questions})
    }
}

/// Takes the best notes: five of each kind and few of one sort first, then whatever ranks best.
fn choose(ranked: &mut Vec<(usize, Note)>) -> Vec<Note> {
    let mut chosen: Vec<Note> = Vec::new();
    for strict in [true, false] {
        let mut at = 0;
        while at < ranked.len() && chosen.len() < QUESTIONS {
            let note = &ranked[at].1;
            let sort = sort_of(&note.key);
            let same = chosen.iter().filter(|n| sort_of(&n.key) == sort).count();
            let kind = chosen.iter().filter(|n| n.kind == note.kind).count();
            let most = match sort {
                "fix" | "stumble" | "rename" | "drop" | "plan" | "away" => 1,
                "choice" | "wait" | "rule" => 4,
                "setting" => 3,
                _ => 2,
            };
            if !strict || (same < most && kind < QUESTIONS / 4) {
                chosen.push(ranked.remove(at).1);
            } else {
                at += 1;
            }
        }
    }
    chosen
}

/// The sort of a note: its key up to the colon or the number.
fn sort_of(key: &str) -> &str {
    key.split(|c: char| c == ':' || c.is_ascii_digit()).next().unwrap_or(key)
}
