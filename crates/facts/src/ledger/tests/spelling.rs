//! Tests that each file has one spelling.

use rstest::rstest;
use serde_json::json;

use super::{EarlierNames, Talk, lines};
use crate::ledger::{LedgerState, paths, read};

#[rstest]
#[case("./a/b.rs", "a/b.rs")]
#[case("a//b/../c.rs", "a/c.rs")]
#[case("../a.rs", "../a.rs")]
#[case("/../a.rs", "/a.rs")]
#[case("C:\\work\\src\\a.rs", "C:/work/src/a.rs")]
#[case("src\\a.rs", "src/a.rs")]
#[case("my\\ file.rs", "my\\ file.rs")]
#[case("~/x/../y", "~/y")]
#[case("C:\\..\\a", "C:/../a")]
fn paths_are_cleaned(#[case] given: &str, #[case] expected: &str) {
    assert_eq!(paths::clean(given), expected);
    assert_eq!(paths::clean(expected), expected);
}

fn reads(spellings: &[&str]) -> Talk {
    spellings.iter().fold(Talk::new(), |talk, path| talk.tool("read", json!({"path": path}), "x"))
}

#[test]
fn an_absolute_spelling_wins_once_the_directory_is_known() {
    let talk = Talk::new()
        .system("You are in <cwd>/home/me/p</cwd>")
        .tool("read", json!({"path": "src/a.rs"}), "x")
        .tool("edit", json!({"path": "/home/me/p/src/a.rs", "oldText": "a", "newText": "b"}), "done")
        .tool("read", json!({"path": "./src/b.rs"}), "x");
    assert_eq!(talk.files(), ["modified /home/me/p/src/a.rs", "read src/b.rs"]);
}

#[test]
fn the_directory_is_inferred_from_paths_used_both_ways() {
    assert_eq!(
        reads(&["/home/me/p/src/a.rs", "src/a.rs", "b.rs", "/home/me/p/b.rs"]).files(),
        ["read /home/me/p/src/a.rs", "read /home/me/p/b.rs"]
    );
}

#[test]
fn files_that_share_a_name_stay_apart() {
    assert_eq!(
        reads(&["/p/a/mod.rs", "/p/b/mod.rs", "mod.rs"]).files(),
        ["read /p/a/mod.rs", "read /p/b/mod.rs", "read mod.rs"]
    );
    assert_eq!(reads(&["x/mod.rs", "mod.rs"]).files().len(), 2);
}

#[test]
fn windows_paths_are_one_file_whatever_their_case_and_slashes() {
    assert_eq!(reads(&["C:\\p\\src\\a.rs", "c:/p/src/A.rs"]).files(), ["read C:/p/src/a.rs"]);
    let talk = Talk::new()
        .user("# Current Working Directory (c:/p) Files")
        .tool("read_file", json!({"path": "src\\a.rs"}), "x")
        .tool("read_file", json!({"path": "src/a.rs"}), "x");
    assert_eq!(talk.files(), ["read src/a.rs"]);
}

#[test]
fn every_way_to_write_a_windows_path_is_one_file_once_the_directory_is_known() {
    let folder = |talk: Talk| {
        talk.tool(
            "edit",
            json!({"path": "C:\\Users\\Eva\\shop\\src\\Cart.cs", "oldText": "a", "newText": "b"}),
            "done",
        )
        .tool("read", json!({"path": "src\\Cart.cs"}), "x")
        .tool("read", json!({"path": "src/cart.cs"}), "x")
        .tool("read", json!({"path": ".\\src\\Cart.cs"}), "x")
        .tool("read", json!({"path": "c:/users/eva/shop/src/Cart.cs"}), "x")
        .tool("read", json!({"path": "/c/Users/Eva/shop/src/Cart.cs"}), "x")
        .tool("read", json!({"path": "/mnt/c/Users/Eva/shop/src/Cart.cs"}), "x")
        .tool("powershell", json!({"command": "Get-Content .\\src\\Cart.cs"}), "x")
        .tool("powershell", json!({"command": "cd src; Get-Content ..\\src\\Cart.cs"}), "x")
    };
    for said in [
        "Working directory: C:\\Users\\Eva\\shop",
        "<cwd>C:\\Users\\Eva\\shop</cwd>",
        "cwd: c:/Users/Eva/shop",
        "# Current Working Directory (C:/Users/Eva/shop) Files",
        "Primary working directory: C:\\Users\\Eva\\shop\\",
    ] {
        let told = folder(Talk::new().user(said)).files();
        assert_eq!(told.len(), 1, "{said}: {told:?}");
        assert!(told[0].to_lowercase().ends_with("src/cart.cs"), "{said}: {told:?}");
    }
}

#[test]
fn a_bare_name_and_an_absolute_path_are_one_file_once_the_directory_is_known() {
    let used = |talk: Talk, root: &str| {
        talk.tool(
            "write",
            json!({"path": "main.py", "content": "x"}),
            "Successfully wrote 1 bytes to main.py",
        )
        .tool("edit", json!({"path": format!("{root}/main.py"), "oldText": "x", "newText": "y"}), "done")
        .tool("read", json!({"path": "./main.py"}), "y")
        .tool(
            "bash",
            json!({"command": format!("cat main.py; cd {root} && sed -i s/x/y/ main.py")}),
            "",
        )
    };
    for (root, said) in [
        ("/home/me/p", "Working directory: /home/me/p"),
        ("/home/me/p", "<env>\nWorking directory: /home/me/p\nIs directory a git repo: Yes\n</env>"),
        ("/home/me/p", "<cwd>/home/me/p</cwd>"),
        ("/home/me/p", "<environment_context>\n  <cwd>/home/me/p</cwd>\n</environment_context>"),
        ("/home/me/p", "I'm currently working in the directory: /home/me/p"),
        ("C:/w/p", "Working directory: C:\\w\\p"),
    ] {
        let told = used(Talk::new().user(said), root).files();
        assert_eq!(told.len(), 1, "{said}: {told:?}");
        assert!(told[0].contains("main.py"), "{said}: {told:?}");
    }
    let shown = used(
        Talk::new().tool(
            "bash",
            json!({"command": "ls"}),
            "\n(Open file: n/a)\n(Current directory: /home/me/p)\nbash-$",
        ),
        "/home/me/p",
    );
    assert_eq!(shown.files().len(), 1, "{:?}", shown.files());
    let asked = used(Talk::new().tool("bash", json!({"command": "pwd"}), "/home/me/p"), "/home/me/p");
    assert_eq!(asked.files().len(), 1, "{:?}", asked.files());
}

#[test]
fn the_spelling_of_earlier_versions_stays() {
    let known = EarlierNames { paths: vec!["src/a.rs", "/q/b.rs"], ..EarlierNames::default() };
    let carry = LedgerState { cwd: Some("/p".to_owned()), ..LedgerState::default() };
    let talk = reads(&["/p/src/a.rs", "../q/b.rs"]);
    assert_eq!(lines(&read(talk.span(), &carry, &known)), ["read src/a.rs", "read /q/b.rs"]);
}

#[test]
fn a_known_file_is_found_among_many_however_it_is_spelled() {
    let others: Vec<String> = (0..300).map(|n| format!("lib/other_{n}.cs")).collect();
    let mut paths: Vec<&str> = others.iter().map(String::as_str).collect();
    paths.extend(["src/Cart.cs", "./old//b.cs", "dir/c.cs"]);
    let known = EarlierNames { paths, ..EarlierNames::default() };
    let carry = LedgerState { cwd: Some("C:/p".to_owned()), ..LedgerState::default() };
    let told = |talk: &Talk| lines(&read(talk.span(), &carry, &known));
    let talk = reads(&["c:\\P\\SRC\\cart.cs", "old/b.cs"]);
    assert_eq!(told(&talk), ["read src/Cart.cs", "read ./old//b.cs"]);
    let talk = talk.tool("bash", json!({"command": "rm -r dir"}), "");
    assert_eq!(told(&talk), ["read src/Cart.cs", "read ./old//b.cs", "deleted dir/c.cs"]);
}

#[test]
fn the_directory_is_inferred_from_earlier_spellings_too() {
    let known = EarlierNames { paths: vec!["src/deep/a.rs"], ..EarlierNames::default() };
    let talk = reads(&["/p/src/deep/a.rs"]);
    let facts = read(talk.span(), &LedgerState::default(), &known);
    assert_eq!(lines(&facts), ["read src/deep/a.rs"]);
    assert_eq!(facts.carry.cwd.as_deref(), Some("/p"));
}

#[rstest]
#[case("src/a.rs", true)]
#[case("README.md", true)]
#[case("/etc/hosts.d/x", true)]
#[case("C:\\a\\b.txt", true)]
#[case("https://a.b/c.html", false)]
#[case("me@example.com", false)]
#[case("12.50", false)]
#[case("v1.2.3", false)]
#[case("hello world.txt", false)]
#[case("and/or", false)]
#[case("", false)]
#[case("..", false)]
fn a_text_of_unknown_meaning_is_a_file_only_when_it_looks_like_one(#[case] text: &str, #[case] is: bool) {
    assert_eq!(paths::looks_like_file(text), is, "{text}");
}

#[test]
fn devices_and_folders_are_no_files() {
    for path in ["/dev/null", "/dev/stdout", "src/", "/", ".", "a*b.rs", "a\nb"] {
        assert!(!paths::is_file_name(path), "{path:?}");
    }
}
