//! Random sessions of file work over several spans: no version fails a probe for what a rule removed from the record.

use proptest::prelude::*;
use serde_json::json;

use std::collections::BTreeSet;

use super::super::chain::Chain;
use super::*;
use crate::file_history::path_key;
use crate::probe::Probe;
use crate::section::Section;

const FILES: [&str; 7] =
    ["a.py", "src/a.py", "src/b.py", "lib/b.py", "/work/src/b.py", "~/notes/a.md", "/tmp/c.py"];
const FOLDERS: [&str; 4] = ["src", "lib", "/work/src", "~/notes"];

/// One thing that an agent does to files.
fn work(kind: usize, one: usize, other: usize) -> [Message; 2] {
    let (a, b) = (FILES[one % FILES.len()], FILES[other % FILES.len()]);
    let (from, to) = (FOLDERS[one % FOLDERS.len()], FOLDERS[other % FOLDERS.len()]);
    let id = format!("c{kind}-{one}-{other}");
    let shell = |command: String| called(&id, "Bash", &json!({"command": command}), String::new());
    match kind {
        0 => {
            let arguments = json!({"file_path": a, "content": "def f():\n    pass\n"});
            called(&id, "Write", &arguments, format!("File created successfully at: {a}"))
        }
        1 => {
            let arguments = json!({"file_path": a, "old_string": "pass", "new_string": "return 1"});
            called(&id, "Edit", &arguments, "The file has been updated.".to_owned())
        }
        2 => called(&id, "Read", &json!({"file_path": a}), "def f(): pass".to_owned()),
        3 => shell(format!("cp {a} {b}")),
        4 => shell(format!("mv {a} {b}")),
        5 => shell(format!("rm {a}")),
        6 => shell(format!("git checkout -- {a}")),
        7 => shell(format!("rm -rf {from}")),
        8 => shell(format!("mv {from} {to}")),
        9 => shell(format!("cat > {a} <<'EOF'\nx = 1\nEOF")),
        10 => shell(format!("touch {a}")),
        11 => shell(format!("git mv {a} {b}")),
        12 => shell(format!("cp {a} {b} && rm {b}")),
        13 => shell(format!("mv {a} /tmp/kept.py && cp {b} {a} && mv /tmp/kept.py {b}")),
        14 => shell(format!("cp {a} {to}/")),
        15 => shell(format!("cd /work && sed -i s/x/y/ {a}")),
        _ => {
            let patch =
                format!("*** Begin Patch\n*** Update File: {a}\n*** Move to: {b}\n@@\n-x\n+y\n*** End Patch");
            called(&id, "apply_patch", &json!({"input": patch}), "Done!".to_owned())
        }
    }
}

/// The paths that live critical probes ask for and the record does not tell.
fn asked_in_vain(chain: &Chain) -> Vec<&str> {
    let told: BTreeSet<String> = chain.record().files_modified.iter().map(|f| path_key(&f.path)).collect();
    let about_files = |p: &&Probe| p.critical && p.section == Some(Section::FilesModified);
    let asked = chain.probes().iter().filter(about_files).flat_map(|p| &p.expected);
    asked.filter(|path| !told.contains(&path_key(path))).map(String::as_str).collect()
}

/// Compresses each span on top of the last; the actions of every file at the end.
fn live(spans: &[Vec<(usize, usize, usize)>]) -> Result<Chain, TestCaseError> {
    let mut chain = Chain::within(BOUND).of_large_spans();
    for (number, span) in spans.iter().enumerate() {
        let mut messages = vec![said(Role::User, "Sort the modules of the parser into folders.".to_owned())];
        messages.extend(span.iter().flat_map(|(kind, one, other)| work(*kind, *one, *other)));
        let material = chain.material(messages);
        let facts = read(&material);
        let checked = check(&material, &facts, draft(&material, &facts));
        prop_assert!(checked.is_accepted(), "span {}: {:?} {:?}", number, checked.refusals, failed(&checked));
        chain.publish(&material, facts, checked);
        prop_assert_eq!(asked_in_vain(&chain), Vec::<&str>::new(), "after span {}", number);
    }
    Ok(chain)
}

fn files(chain: &Chain) -> Vec<(&str, &str)> {
    let files = chain.record().files_modified.iter();
    files.map(|file| (file.path.as_str(), file.action.as_str())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_to_files_every_version_is_accepted_and_asks_for_what_is_there(
        spans in proptest::collection::vec(
            proptest::collection::vec((0..17usize, 0..7usize, 0..7usize), 1..6), 2..6,
        ),
    ) {
        live(&spans)?;
    }
}

const CREATE: usize = 0;
const EDIT: usize = 1;
const COPY: usize = 3;
const MOVE: usize = 4;
const REMOVE: usize = 5;
const REMOVE_TREE: usize = 7;

#[test]
fn a_copy_that_a_later_span_removes_leaves_the_record_and_its_probe() {
    let chain =
        live(&[vec![(CREATE, 1, 0), (COPY, 1, 3)], vec![(EDIT, 1, 0)], vec![(REMOVE, 3, 0)]]).unwrap();
    assert_eq!(files(&chain), [("src/a.py", "created")]);
}

#[test]
fn a_copy_that_goes_with_its_folder_leaves_the_record_too() {
    let chain = live(&[vec![(CREATE, 1, 0), (COPY, 1, 3)], vec![(REMOVE_TREE, 1, 0)]]).unwrap();
    assert_eq!(files(&chain), [("src/a.py", "created")]);
}

#[test]
fn a_copy_that_was_worked_on_is_told_when_it_is_removed() {
    let chain =
        live(&[vec![(CREATE, 1, 0), (COPY, 1, 3)], vec![(EDIT, 3, 0)], vec![(REMOVE, 3, 0)]]).unwrap();
    assert_eq!(files(&chain), [("src/a.py", "created"), ("lib/b.py", "deleted")]);
}

#[test]
fn a_copy_that_is_made_again_after_its_removal_is_told() {
    let chain = live(&[vec![(CREATE, 1, 0), (COPY, 1, 3)], vec![(REMOVE, 3, 0), (CREATE, 3, 0)]]).unwrap();
    assert_eq!(files(&chain), [("src/a.py", "created"), ("lib/b.py", "created")]);
}

#[test]
fn a_file_that_is_renamed_twice_in_two_spans_is_asked_for_by_its_last_name() {
    let chain = live(&[vec![(EDIT, 1, 0)], vec![(MOVE, 1, 2)], vec![(MOVE, 2, 3)]]).unwrap();
    assert_eq!(files(&chain), [("lib/b.py", "renamed")]);
}
