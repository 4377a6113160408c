//! Tests with hostile input: no panic, bounded output, the same result twice.

use proptest::prelude::*;
use serde_json::json;

use super::Talk;
use crate::ledger::{diff, line, outcome, paths, shell};

/// Pieces that parsers trip over.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "(", ")", "$(", "${", "`", "{", "}", "if ", "then ", "fi ", "case x in ", "a) ", ";; ", "esac ",
            "<<E\n", "E\n", "> f.py ", ">> ", "<<<", "'", "\"", "\\", "\n", "; ", "&& ", "| ", "cd ../",
            "rm a.py ", "mv a.py b.py ", "sed -i s/a/b/ ", "cat ", "bash -c '", "for f in a b; do ", "done ",
            "[[ ", "]] ", "@(", "((", "))", "é", "😀", "```", "```bash\n", "<system-reminder>", "</task>",
            "<write_to_file>", "<path>", "</path>", "</write_to_file>", "<function=x>", "<parameter=p>",
            "diff --git a/x b/x\n", "--- a/x\n", "+++ b/x\n", "@@ -1 +1 @@\n", "-a\n", "+b\n",
            "*** Begin Patch\n", "*** Update File: x.py\n", "<<<<<<< SEARCH\n", "=======\n",
            ">>>>>>> REPLACE\n", "../", "./", "C:\\", "C:\\a ", "Set-Content -Path ", "Copy-Item ", "@'\n",
            "\n'@", "-Value ", "src/{a,b}.rs ", "prettier --write ", "shutil.move('a.py', 'b.py')\n",
            "p = Path('a') / 'b'\n", "//", "open('a.py', 'w')", "[File: ", "(Open file: ", ")\n",
            "exit code ", "9999999999999", "{\"output\":", "}",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,6}",
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..40).prop_map(|p| p.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_a_reader_panic(text in text(), other in text()) {
        let script = shell::parse(&text, Some("/w"));
        let _ = shell::effects(&script, Some("/w"));
        let _ = shell::ends_in(&script, Some("/w"));
        let _ = shell::edits_in(&text);
        let _ = diff::read(&text);
        if let Some(words) = diff::wording("a.py", &text, &other) {
            prop_assert!(words.len() <= 130, "{words}");
        }
        prop_assert!(line::clip_bytes(&text, 20).len() <= 20);
        let _ = outcome::read(text.as_str().into(), None, true);
        let clean = paths::clean(&text);
        prop_assert_eq!(paths::clean(&clean), clean.clone());
    }

    #[test]
    fn no_conversation_makes_the_ledger_panic_and_it_answers_alike(a in text(), b in text(), c in text()) {
        let talk = Talk::new()
            .user(&a)
            .assistant(&b)
            .user(&c)
            .aider(&format!("> Applied edit to x.py\n{a}"))
            .tool("Bash", json!({"command": a}), &b)
            .tool("str_replace_editor", json!({"command": "create", "path": b, "file_text": a}), &c)
            .tool("apply_patch", json!({"input": c}), &a)
            .tool(&a, json!({"path": b, "content": c}), &a)
            .tool("TodoWrite", json!({"todos": a}), &b)
            .assistant(&c);
        let facts = talk.facts();
        prop_assert_eq!(&facts, &talk.facts());
        for file in &facts.files {
            prop_assert!(file.changes.len() <= 20);
            prop_assert!(file.seqs.is_sorted());
            prop_assert!(!file.path.is_empty());
        }
    }
}

/// Large inputs that a quadratic or doubling reader would not finish; each takes milliseconds.
#[test]
fn large_inputs_of_every_kind_are_read_to_the_end() {
    const UNITS: &[&str] = &[
        "a", "(", "$(", "../", "'\"", "`", "{", "[[ ", "if ", "case x in a) ", "((", "a;", "a\n", "<<E\n",
        "> f ", "\\", "open('f','w')\n", "```bash\nx\n```\n", "<write_to_file><path>a",
        "<read_file><path>x</path></read_file>", "diff --git a/x b/x\n", "<function=a><parameter=b>",
        "{\"a\":", "<<<<<<< SEARCH\n", "😀", "QUJD", "C:\\a b.txt;", "Copy-Item a b;", "@'",
        "p = Path('a') / 'b'\n", "x_y --zz ",
    ];
    for unit in UNITS {
        let text = unit.repeat(30_000 / unit.len());
        let talk = Talk::new()
            .tool("Bash", json!({"command": text}), &text)
            .tool(
                "Edit",
                json!({"file_path": "/a.py", "old_string": text, "new_string": format!("{text}x")}),
                "ok",
            )
            .tool("Write", json!({"file_path": text, "content": text}), "ok")
            .tool("apply_patch", json!({"input": text}), "ok")
            .assistant(&text)
            .user(&format!("<output>{text}"))
            .assistant(&text)
            .aider(&format!("> Applied edit to a.py\n{text}"));
        let facts = talk.facts();
        assert!(facts.commands.iter().all(|c| c.command.len() <= 300), "{unit:?}");
        assert!(facts.files.iter().flat_map(|f| &f.changes).all(|c| c.len() <= 130), "{unit:?}");
    }
}

#[test]
fn scripts_that_open_much_and_close_nothing_are_read() {
    for unit in ["( ", "(( ", "case x in a) ", "$(( ", "f() ( ", "[[ ( ", "! ( ", "if ( "] {
        let script = format!("rm a.txt; {}", unit.repeat(40));
        let found = shell::effects(&shell::parse(&script, None), None);
        assert_eq!(found.list.first().map(|e| e.path.as_str()), Some("a.txt"), "{unit:?}");
    }
}
