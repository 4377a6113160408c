//! Property tests of condensing: what must hold for every report.

use proptest::prelude::*;

use crate::*;

/// A finding, its text and whether it must come out byte for byte.
#[derive(Clone, Debug)]
struct Written {
    text: String,
    severe: bool,
    valid: bool,
}

fn prose() -> impl Strategy<Value = String> {
    let words = [
        "word", "é", "\n", "```\n", "~~~~", "\r\n", "> ", "\"", "<!--", "-->", "汉", " ", "# H\n",
        "**Trace:**\n",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..12).prop_map(|words| words.concat())
}

fn finding() -> impl Strategy<Value = Written> {
    let id = prop::sample::select(vec!["SEC-001", "SEC-002-Q", "QUAL-010", "sec-1", "SEC"]);
    let severity = prop::sample::select(vec!["P1", "P2", "P3"]);
    let interaction = prop::sample::select(vec![
        "", " interaction=\"question\"", " interaction=\"nit\"", " interaction=\"?\"",
    ]);
    let title = prop::sample::select(vec![
        "**[SEC-001] A title**", "- [ ] [QUAL-010] **T**\t- x*", "", "### x", "plain",
    ]);
    let newline = prop::sample::select(vec!["\n", "\r\n"]);
    let code = prop::collection::vec("[ -~é]{0,30}", 0..8);
    (id, severity, interaction, title, prose(), code, newline).prop_map(
        |(id, severity, interaction, title, prose, code, newline)| {
            let code = code.join(newline).replace('`', "'");
            let text = [
                &format!("<!-- RUNE:FINDING nonce=\"n\" id=\"{id}\" file=\"a > b.py\" line=\"3\" severity=\"{severity}\"{interaction} -->"),
                title,
                "  - **Rune Trace:**",
                "    ```py",
                &code,
                "    ```",
                &prose,
                &format!("<!-- /RUNE:FINDING id=\"{id}\" -->"),
                "",
            ]
            .join(newline);
            let valid = !matches!(id, "sec-1" | "SEC");
            Written { text, severe: severity != "P3", valid }
        },
    )
}

#[derive(Clone, Debug)]
enum Piece {
    Finding(Written),
    Prose(String),
    Heading(&'static str),
}

fn report() -> impl Strategy<Value = Vec<Piece>> {
    let heading =
        prop::sample::select(vec!["## Summary", "## Reviewer Assumptions", "## Method", "### Low", "##"]);
    let piece = prop_oneof![
        3 => finding().prop_map(Piece::Finding),
        2 => prose().prop_map(Piece::Prose),
        1 => heading.prop_map(Piece::Heading),
    ];
    prop::collection::vec(piece, 0..12)
}

fn text_of(pieces: &[Piece]) -> String {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Finding(written) => text.push_str(&written.text),
            Piece::Prose(prose) => text.push_str(prose),
            Piece::Heading(heading) => {
                text.push('\n');
                text.push_str(heading);
            }
        }
        text.push('\n');
    }
    text
}

fn condense(content: &str) -> CondensedFile {
    let options = Options { threshold_bytes: 0, ..Options::default() };
    preaggregate(&[AgentOutput { name: "a", content }], options).files.remove(0)
}

proptest! {
    #[test]
    fn severe_findings_and_rejected_ones_come_out_as_they_went_in(pieces in report()) {
        let text = text_of(&pieces);
        let file = condense(&text);
        let findings = || pieces.iter().filter_map(|piece| match piece {
            Piece::Finding(written) => Some(written),
            Piece::Prose(_) | Piece::Heading(_) => None,
        });
        for written in findings().filter(|written| written.severe || !written.valid) {
            prop_assert!(file.content.contains(written.text.trim_end()), "{}", written.text);
        }
        prop_assert_eq!(file.kept, findings().filter(|written| written.valid).count());
        prop_assert_eq!(file.rejected.len(), findings().filter(|written| !written.valid).count());
        prop_assert!(file.content.len() <= text.len());
        prop_assert_eq!(file.condensed_bytes, file.content.len());
    }

    #[test]
    fn condensing_again_changes_nothing(pieces in report()) {
        // With a kept section at the end, the result's header ends at that section and not by its length.
        let text = text_of(&pieces) + "\n## Summary\n\nall told\n";
        let once = condense(&text).content;
        prop_assert_eq!(&condense(&once).content, &once);
    }

    #[test]
    fn any_text_is_taken_and_never_grows(text in "(<!-- |/?RUNE:FINDING |id=\"|nonce=\"|A-001|\" |-->|\n|```|## Summary|## |é|> ){0,60}") {
        let file = condense(&text);
        prop_assert!(file.content.len() <= text.len());
        let below = preaggregate(&[AgentOutput { name: "a", content: &text }], Options::default());
        prop_assert!(!below.condensed);
        prop_assert_eq!(&below.files[0].content, &text);
    }
}
