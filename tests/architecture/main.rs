//! The rules of the house that a compiler does not check, checked on the sources.
//!
//! Each rule takes the sources as data, so that its own test can hand it a source that breaks it.

#![expect(clippy::expect_used, reason = "helpers of tests fail with what they expected, as tests do")]

mod rules;
mod source;

use std::path::Path;

use rules::{Violation, check, shared_schema_names};
use source::Source;

fn sources_below(root: &Path, folder: &Path, found: &mut Vec<Source>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources_below(root, &path, found);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source file");
            let name = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
            found.push(Source::new(&name, &text));
        }
    }
}

#[test]
fn the_sources_keep_the_rules_of_the_house() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    sources_below(root, &root.join("src"), &mut sources);
    for member in std::fs::read_dir(root.join("crates")).expect("the crates").flatten() {
        sources_below(root, &member.path().join("src"), &mut sources);
    }
    for path in ["src/lib.rs", "crates/messages/src/lib.rs"] {
        assert!(sources.iter().any(|s| s.path == path), "{path} was not found");
    }
    let broken: Vec<String> = sources.iter().flat_map(check).map(|v| v.to_string()).collect();
    assert!(broken.is_empty(), "\n{}\n", broken.join("\n"));
    assert_eq!(shared_schema_names(&sources), [""; 0], "give one of them another with #[schema(as = ..)]");
}

/// The rules that one source breaks.
fn broken_by(path: &str, text: &str) -> Vec<&'static str> {
    check(&Source::new(path, text)).map(|Violation { rule, .. }| rule).collect()
}

#[test]
fn an_import_against_the_dependency_rule_is_seen_in_every_spelling() {
    for against in [
        "use crate::worker::Pool;",
        "use crate::{domain::id::Seq, worker::Pool};",
        "use crate::{\n    domain::{id::Seq, message::Role},\n    worker,\n};",
        "fn f() { crate::worker::run(); }",
        "use super::super::worker::Pool;",
        "use anchord::llm;",
    ] {
        assert_eq!(broken_by("src/http/sessions.rs", against), ["dependency"], "{against}");
    }
    for allowed in [
        "use crate::domain::id::Seq;",
        "use crate::{store::Store, domain};",
        "use super::router;",
        "// use crate::worker;",
        "const TEXT: &str = \"crate::worker\";",
        "use crate::http::auth;",
    ] {
        assert!(broken_by("src/http/sessions.rs", allowed).is_empty(), "{allowed}");
    }
    assert_eq!(broken_by("src/domain/merge.rs", "use crate::store::Store;"), ["dependency"]);
    assert_eq!(broken_by("src/store/mod.rs", "use crate::http::Problem;"), ["dependency"]);
    assert_eq!(broken_by("src/worker/mod.rs", "use super::http::Problem;"), ["dependency"]);
}

#[test]
fn a_module_that_the_rule_does_not_know_is_asked_about() {
    assert_eq!(broken_by("src/billing/mod.rs", ""), ["dependency"]);
}

#[test]
fn sql_outside_the_store_is_seen() {
    for sql in [
        "fn f() { sqlx::query!(\"select 1\"); }",
        "fn f() { query_as!(Row, \"select 1\"); }",
        "fn f() { sqlx::query_scalar(\"select 1\"); }",
        "fn f() { sqlx::raw_sql(\"select 1\"); }",
        "use sqlx::QueryBuilder;",
    ] {
        assert_eq!(broken_by("src/worker/run.rs", sql), ["sql"], "{sql}");
        assert!(broken_by("src/store/run.rs", sql).is_empty(), "{sql}");
    }
    assert!(broken_by("src/http/query.rs", "fn query(q: Query) { my_query!(q) }").is_empty());
}

#[test]
fn a_wire_format_outside_llm_is_seen() {
    for wire in ["const P: &str = \"/chat/completions\";", "h.insert(\"anthropic-version\", v);"] {
        assert_eq!(broken_by("src/worker/run.rs", wire), ["wire format"], "{wire}");
        assert!(broken_by("src/llm/openai.rs", wire).is_empty(), "{wire}");
    }
    assert!(broken_by("src/worker/run.rs", "// POST /chat/completions").is_empty());
}

#[test]
fn a_domain_that_does_things_is_seen() {
    for doing in [
        "use tokio::sync::Mutex;",
        "async fn f() {}",
        "fn f() { g.await }",
        "fn f() { Utc::now(); }",
        "use std::time::Instant;",
        "use std::time::{Duration, SystemTime};",
        "fn f() { std::env::temp_dir(); }",
        "use std::fs;",
        "fn f() { rand::random::<u8>(); }",
        "fn f() { Uuid::now_v7(); }",
        "use std::{collections::BTreeMap, fs};",
    ] {
        assert_eq!(broken_by("src/domain/merge.rs", doing), ["purity"], "{doing}");
        assert_eq!(broken_by("crates/messages/src/group.rs", doing), ["purity"], "{doing}");
        assert!(!broken_by("src/worker/run.rs", doing).contains(&"purity"), "{doing}");
    }
    for pure in [
        "// it must not .await",
        "const TEXT: &str = \"tokio\";",
        "fn f(environment: &str, operand: u8) {}",
        "#[cfg(test)]\nmod tests {\n    use std::fs;\n}",
    ] {
        assert!(broken_by("src/domain/merge.rs", pure).is_empty(), "{pure}");
    }
}

#[test]
fn two_types_of_one_name_in_the_document_are_seen() {
    let found = |second: &str| {
        let first = "#[derive(Debug, ToSchema)]\n#[serde(untagged)]\npub enum Verdict { A }";
        let sources = [("src/domain/a.rs", first), ("src/domain/b.rs", second)];
        shared_schema_names(&sources.map(|(path, text)| Source::new(path, text))).len()
    };
    assert_eq!(found("#[derive(ToSchema)]\npub struct Verdict<T>;"), 1);
    assert_eq!(found("#[derive(ToSchema)]\n#[schema(as = Other)]\npub struct Verdict;"), 0);
    assert_eq!(found("#[derive(Debug)]\npub struct Verdict;"), 0);
}

#[test]
fn a_name_that_says_nothing_is_seen() {
    for name in ["utils", "util", "helpers", "helper", "common", "misc", "manager", "service"] {
        assert_eq!(broken_by(&format!("src/store/{name}.rs"), ""), ["name"], "{name}");
        assert_eq!(broken_by(&format!("src/store/{name}/mod.rs"), ""), ["name"], "{name}");
    }
    assert!(broken_by("src/store/usage.rs", "").is_empty());
}

#[test]
fn a_long_file_is_seen_and_its_tests_do_not_count() {
    let lines = |n: usize| "fn f() {}\n".repeat(n);
    assert_eq!(broken_by("src/store/long.rs", &lines(601)), ["length"]);
    assert!(broken_by("src/store/long.rs", &lines(600)).is_empty());
    let tested = format!("{}#[cfg(test)]\nmod tests {{\n{}}}\n", lines(500), lines(500));
    assert!(broken_by("src/store/long.rs", &tested).is_empty());
}

#[test]
fn comments_and_strings_are_told_from_code() {
    let text = r##"let a = "q\"uote // no"; /* x /* nested */ y */ let b = r#"raw " "#; let c = '"'; let d: &'a str; // end"##;
    let source = Source::new("src/store/x.rs", text);
    assert_eq!(
        source.code.split_whitespace().collect::<Vec<_>>().join(" "),
        "let a = \"\"; let b = r#\"\"#; let c = ''; let d: &'a str;"
    );
    assert!(source.without_comments.contains("q\\\"uote // no"), "{}", source.without_comments);
    assert!(!source.without_comments.contains("nested"), "{}", source.without_comments);
}
