//! How often sessions are compressed: made-up ones, replayed as the bench replays real ones.

use anchord_economy::replay::{Replay, Transcript, is_thrash, least};
use anchord_messages::tokens::{TokenCounter, Tokenizer};
use serde_json::json;

const COUNTER: TokenCounter = TokenCounter::new(Tokenizer::Estimate);

/// An agent's rounds below a system prompt of so many words, with outputs of so many lines.
fn session(system: usize, rounds: usize, lines: usize) -> Vec<String> {
    let mut raw = vec![
        json!({"role": "system", "content": format!("You help. {}", "Keep to the rules. ".repeat(system / 4))}),
        json!({"role": "user", "content": "Fix the parser in src/parse.rs, and never touch table_1."}),
    ];
    for round in 0..rounds {
        let id = format!("call_{round}");
        let arguments = json!({"command": format!("cargo test stage_{round}")}).to_string();
        let call =
            json!({"id": id, "type": "function", "function": {"name": "bash", "arguments": arguments}});
        raw.push(
            json!({"role": "assistant", "content": format!("Now stage {round}."), "tool_calls": [call]}),
        );
        let output = format!(
            "{}test result: ok. {round} passed; 0 failed",
            format!("stage {round} says it is fine\n").repeat(lines)
        );
        raw.push(json!({"role": "tool", "tool_call_id": id, "content": output}));
        if round % 6 == 5 {
            raw.push(json!({"role": "user", "content": format!("Good. Go on with stage {}.", round + 1)}));
        }
    }
    raw.iter().map(ToString::to_string).collect()
}

#[test]
fn no_session_is_compressed_more_than_half_as_often_again_as_its_thresholds_imply() {
    for (system, rounds, lines) in
        [(20, 60, 40), (20, 120, 3), (1_500, 60, 4), (2_600, 60, 2), (20, 12, 1_500), (5_000, 30, 5)]
    {
        let raw = session(system, rounds, lines);
        let transcript = Transcript::read(&raw, COUNTER).expect("messages");
        for window in [8_000, 32_000, 200_000] {
            let mut replay = Replay::new(&transcript, window, COUNTER);
            while replay.step() {}
            let (made, least) = (replay.outcomes, least(&replay));
            assert!(
                !is_thrash(made.published, least),
                "{made:?} where {least} would do: {system} {rounds} {lines} at {window}"
            );
            // Where the newest messages are all there is, clipping and waiting are right.
            let acted = made.published + made.clipped + made.too_little;
            assert!(least == 0 || acted > 0, "{made:?}: {system} {rounds} {lines} at {window}");
        }
    }
}
