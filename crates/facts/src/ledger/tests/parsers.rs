//! Property tests of each parser on texts made of its own words, whole and cut off: its result is part of the text.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::Talk;
use crate::ledger::{EarlierNames, LedgerState, diff, paths, read, shell, swe_agent};
use anchord_messages::message::{Message, Numbered, Part, Role, ToolCall, ToolResult};

/// A text of these words, its end cut off.
fn of(tokens: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    (prop::collection::vec(select(tokens), 0..most), 0..12_usize).prop_map(|(tokens, cut)| {
        let text = tokens.concat();
        text[..text.floor_char_boundary(text.len().saturating_sub(cut))].to_owned()
    })
}

fn name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap()
}

const PATCH: &[&str] = &[
    "*** Begin Patch\n", "*** End Patch\n", "*** Add File: ", "*** Update File: ", "*** Delete File: ",
    "*** Move to: ", "a/b.rs\n", "c d.py\n", "é.md\n", "@@ fn a()\n", "+x = 1\n", "-y\n", " z\n", "\n",
    "diff --git a/x.c b/x.c\n", "--- a/x.c\n", "+++ b/x.c\n", "--- /dev/null\n", "+++ /dev/null\n",
    "@@ -1,2 +1,2 @@\n", "new file mode 100644\n", "rename from q.c\n",
];

const POWERSHELL: &[&str] = &[
    "Get-Content ", "Set-Content ", "Add-Content ", "Out-File ", "New-Item ", "Remove-Item ", "Move-Item ",
    "Copy-Item ", "Rename-Item ", "Set-Location ", "-Path ", "-Destination ", "-Value ", "-Recurse ",
    "-Force ", "-FilePath ", "src\\a.cs ", ".\\b.txt ", "C:\\w\\c d.txt ", "'e f.txt' ", "\"g.txt\" ",
    "> h.txt ", ">> i.txt ", "| ", "; ", "\n", "@'\n", "\n'@", "@\"\n", "\n\"@", "(", ")", "{", "}", "`",
    "$x ", "é", "汉 ", "cmd /c del j.txt ", "# ",
];

const ARGUMENTS: &[&str] = &[
    "{", "}", "[", "]", "\"path\":", "\"file_path\":", "\"paths\":", "\"command\":", "\"content\":",
    "\"edits\":", "\"old_string\":", "\"new_string\":", "\"input\":", "\"source\":", "\"destination\":",
    "\"src/a.rs\"", "\"b.py\"", "\"view\"", "\"create\"", "\"rm c.txt\"", "\"é 汉\"", ",", ":", "null",
    "true", "1", "\"", "\\",
];

const TOOLS: &[&str] = &[
    "Read", "Write", "Edit", "MultiEdit", "Bash", "apply_patch", "shell", "str_replace_editor",
    "read_many_files", "move_file", "read_file", "write_to_file", "mcp__x__delete_thing", "unknown_tool",
    "open", "edit", "execute_ipython_cell",
];

const PROMPTS: &[&str] = &[
    "(Open file: ", "/w/a.py", "n/a", ")\n", "[File: ", " (90 lines total)]\n", "(Current directory: /w)\n",
    "bash-$", "open ", "create ", "edit 1:2\n", "end_of_edit\n", "\n", "é", "\"b.py\" ", "x",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_patch_names_files_that_stand_in_it_and_repeats_no_more_than_its_lines(text in of(PATCH, 60)) {
        let files = diff::read(&text);
        prop_assert!(files.len() <= text.lines().count());
        let mut size = 0;
        for file in &files {
            prop_assert!(text.contains(&file.path), "{}", file.path);
            prop_assert!(file.from.as_ref().is_none_or(|from| text.contains(from)));
            size += file.old.len() + file.new.len();
        }
        // A line of context stands on both sides.
        prop_assert!(size <= 2 * (text.len() + 1));
        let twice = format!("{text}\n{text}");
        prop_assert!(diff::read(&twice).len() <= twice.lines().count());
    }

    #[test]
    fn a_patch_that_is_whole_is_read_whole(
        path in "[a-z]{1,6}/[a-zé汉]{1,6}\\.(rs|py)",
        added in prop::collection::vec("[a-z =]{0,10}", 1..5),
        removed in prop::collection::vec("[a-z =]{0,10}", 1..5),
    ) {
        let lines = |sign: &str, lines: &[String]| lines.iter().flat_map(|l| [sign, l, "\n"]).collect::<String>();
        let (minus, plus) = (lines("-", &removed), lines("+", &added));
        let envelope = format!("*** Begin Patch\n*** Update File: {path}\n@@\n{minus}{plus}*** End Patch\n");
        let unified = format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1,{} +1,{} @@\n{minus}{plus}", removed.len(), added.len());
        for text in [envelope, unified] {
            let files = diff::read(&text);
            prop_assert_eq!(files.len(), 1);
            prop_assert_eq!(&files[0].path, &path);
            prop_assert_eq!(&files[0].old, &format!("\n{}", lines("", &removed)));
            prop_assert_eq!(&files[0].new, &format!("\n{}", lines("", &added)));
        }
    }

    #[test]
    fn a_powershell_script_touches_files_that_stand_in_it(text in of(POWERSHELL, 50)) {
        let found = shell::effects(&shell::parse(&text, Some("C:/w")), Some("C:/w"));
        prop_assert!(found.list.len() <= text.len());
        // Quotes within a word are gone, and a line break within one is a blank.
        let bare = text.replace(['\'', '"', '`'], "");
        for effect in &found.list {
            prop_assert!(bare.contains(name(&effect.path).trim()), "{:?}", effect);
        }
        let words = 2 * text.split_whitespace().count() + 2;
        let twice = shell::effects(&shell::parse(&format!("{text}\n{text}"), Some("C:/w")), Some("C:/w"));
        prop_assert!(twice.list.len() <= 3 * words, "{} of {words}", twice.list.len());
    }

    #[test]
    fn a_file_that_powershell_writes_is_told(
        folder in "[a-z]{1,6}", file in "[a-z]{1,8}\\.(cs|txt)", verb in select(vec!["Set-Content -Path", "Remove-Item", "Add-Content -Path"]),
    ) {
        let script = format!("{verb} .\\{folder}\\{file}");
        let script = if verb.starts_with("Remove") { script } else { format!("{script} -Value 'x'") };
        let found = shell::effects(&shell::parse(&script, Some("C:/w")), Some("C:/w"));
        let told: Vec<&str> = found.list.iter().map(|e| name(&e.path)).collect();
        prop_assert_eq!(told, [file.as_str()]);
    }

    #[test]
    fn the_arguments_of_a_call_name_no_file_that_is_not_in_them(
        tool in select(TOOLS), arguments in of(ARGUMENTS, 40), object in any::<bool>(), output in of(PROMPTS, 12),
    ) {
        let arguments = if object { format!("{{{arguments}}}") } else { arguments };
        let call = ToolCall { id: "c".to_owned(), name: tool.to_owned(), arguments: arguments.clone() };
        let result = ToolResult { call_id: "c".to_owned(), parts: vec![Part::Text(output.clone())], is_error: None };
        let span = [
            Numbered { seq: 1, message: Message { role: Role::Assistant, name: None, parts: vec![Part::ToolCall(call)] } },
            Numbered { seq: 2, message: Message { role: Role::Tool, name: None, parts: vec![Part::ToolResult(result)] } },
        ];
        let facts = read(&span, &LedgerState::default(), &EarlierNames::default());
        for file in &facts.files {
            prop_assert!(arguments.contains(name(&file.path)) || output.contains(name(&file.path)), "{}", file.path);
        }
        prop_assert!(facts.files.len() <= arguments.len() + output.len());
    }

    #[test]
    fn one_well_formed_argument_is_one_file(path in "[a-z]{1,6}/[a-zé汉_-]{1,8}\\.[a-z]{2,3}") {
        let talk = Talk::new().tool("Read", json!({"file_path": path}), "x");
        prop_assert_eq!(talk.files(), [format!("read {path}")]);
    }

    #[test]
    fn prompt_lines_open_a_file_that_they_show(text in of(PROMPTS, 30)) {
        if let Some(path) = swe_agent::open_file(&text).path() {
            prop_assert!(text.contains(&path));
        }
        if let Some(typed) = swe_agent::typed(&text) {
            prop_assert!(typed.path.is_none_or(|path| text.contains(&path)));
            prop_assert!(typed.text.is_none_or(|put| text.contains(put)));
        }
    }

    #[test]
    fn a_path_is_never_longer_than_it_was_written(text in of(&["..", "/", "\\", "C:", "~", "a", "é.rs", " ", ".", "汉"], 30)) {
        let clean = paths::clean(&text);
        prop_assert!(clean.len() <= text.len(), "{clean:?}");
        prop_assert_eq!(paths::clean(&clean), clean);
        prop_assert!(paths::join(Some("/w"), &text).len() <= text.len() + 3);
    }
}
