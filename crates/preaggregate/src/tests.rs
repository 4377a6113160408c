//! Tests of condensing by example.

mod properties;

use super::*;

/// A finding in the usual form, with a trace of five lines.
fn finding(id: &str, attributes: &str) -> String {
    format!(
        "<!-- RUNE:FINDING nonce=\"n1\" id=\"{id}\" file=\"api/users.py\" line=\"42\" {attributes} -->\n\
         - [ ] **[{id}] Query built from input** in `api/users.py:42`\n\
         \x20 - **Rune Trace:**\n\
         \x20   ```python\n\
         \x20   first = 1\n\
         \x20   second = 2\n\
         \x20   third = 3\n\
         \x20   fourth = lookup(first, second, third)\n\
         \x20   fifth = lookup(fourth)\n\
         \x20   ```\n\
         \x20 - **Issue:** input reaches the query.\n\
         \x20 - **Fix:** bind it.\n\
         <!-- /RUNE:FINDING id=\"{id}\" -->\n"
    )
}

fn run(content: &str) -> CondensedFile {
    run_with(content, DEFAULT_PREFIX)
}

fn run_with(content: &str, prefix: &str) -> CondensedFile {
    let options = Options { threshold_bytes: 0, prefix, ..Options::default() };
    preaggregate(&[AgentOutput { name: "a.md", content }], options).files.remove(0)
}

fn reasons(file: &CondensedFile) -> Vec<(Option<&str>, RejectReason)> {
    file.rejected.iter().map(|rejected| (rejected.id.as_deref(), rejected.reason)).collect()
}

#[test]
fn a_report_keeps_header_findings_and_the_two_sections() {
    let (p1, p2) = (finding("SEC-001", "severity=\"P1\""), finding("SEC-002", "severity=\"P2\""));
    let text = format!(
        "# Security review\n\nby one agent\n\n## Methodology\n\nI looked hard.\n\n## Findings\n\n{p1}\nsome prose\n\n{p2}\n\
         ## Unverified Observations\n\nperhaps\n\n## Reviewer Assumptions\n\n- it runs\n\n## Self-Review Log\n\nlog\n\n\
         ## Summary\n\ntwo findings\n"
    );
    let file = run(&text);
    let expected = format!(
        "# Security review\n\nby one agent\n\n\n{p1}\n{p2}\n## Reviewer Assumptions\n\n- it runs\n\n\n## Summary\n\ntwo findings\n"
    );
    assert_eq!(file.content, expected);
    assert_eq!((file.kept, file.rejected.len()), (2, 0));
    assert_eq!((file.original_bytes, file.condensed_bytes), (text.len(), expected.len()));
}

#[test]
fn without_a_section_the_header_is_500_characters_on_a_boundary() {
    let text = "é".repeat(800);
    assert_eq!(run(&text).content, "é".repeat(500));
    let with_finding = format!("{}\n{}", "é".repeat(800), finding("SEC-001", "severity=\"P1\""));
    let expected = format!("{}\n\n{}", "é".repeat(500), finding("SEC-001", "severity=\"P1\""));
    assert_eq!(run(&with_finding).content, expected);
}

#[test]
fn a_header_that_reaches_into_a_finding_repeats_nothing_of_it() {
    let text = format!("{}\n{}{}", "x".repeat(400), finding("SEC-001", "severity=\"P1\""), "y".repeat(400));
    let file = run(&text);
    assert_eq!(file.content.matches("Rune Trace").count(), 1);
    assert!(file.content.ends_with("id=\"SEC-001\" -->\n"), "{}", file.content);
}

#[test]
fn p1_and_p2_stay_as_they_are_whatever_their_interaction() {
    for attributes in [
        "severity=\"P1\" interaction=\"question\"",
        "severity=\"P2\" interaction=\"nit\"",
        "severity=\"P1\"",
        "severity=\"P2\"",
        // What nobody knows may be worse than P1.
        "severity=\"P0\"",
        "severity=\"critical\" interaction=\"nit\"",
    ] {
        let text = finding("SEC-001", attributes);
        assert_eq!(run(&text).content, text, "{attributes}");
    }
}

#[test]
fn a_question_loses_its_trace_and_nothing_else() {
    for attributes in ["severity=\"P3\" interaction=\"question\"", "interaction=\"question\""] {
        let text = finding("SEC-001-Q", attributes);
        let content = run(&text).content;
        let expected = format!(
            "<!-- RUNE:FINDING nonce=\"n1\" id=\"SEC-001-Q\" file=\"api/users.py\" line=\"42\" {attributes} -->\n\
             - [ ] **[SEC-001-Q] Query built from input** in `api/users.py:42`\n\
             \x20 - **Issue:** input reaches the query.\n\
             \x20 - **Fix:** bind it.\n\
             <!-- /RUNE:FINDING id=\"SEC-001-Q\" -->\n"
        );
        assert_eq!(content, expected);
    }
}

#[test]
fn a_nit_becomes_one_line_between_its_markers() {
    let text = finding("QUAL-001", "severity=\"P3\" interaction=\"nit\"");
    let expected = "<!-- RUNE:FINDING nonce=\"n1\" id=\"QUAL-001\" file=\"api/users.py\" line=\"42\" severity=\"P3\" interaction=\"nit\" -->\n\
        - [ ] **[QUAL-001] Query built from input** in `api/users.py:42` _(compressed)_\n\
        <!-- /RUNE:FINDING id=\"QUAL-001\" -->\n";
    assert_eq!(run(&text).content, expected);
}

#[test]
fn the_title_of_a_nit_is_found_in_the_forms_that_agents_use() {
    for (first, title) in [
        ("- [ ] **[QUAL-001] Long name** in `a.py:7`", "Long name"),
        ("**[QUAL-001] Long name**", "Long name"),
        ("### [QUAL-001] Long name", "Long name"),
        ("### QUAL-001: Long name", "Long name"),
        ("- [QUAL-001] Long **name** in `a.py:7`", "Long name"),
        ("Long name", "Long name"),
    ] {
        let body = format!("{first}\n{}", "More about it.\n".repeat(20));
        let text = format!(
            "<!-- RUNE:FINDING nonce=\"n\" id=\"QUAL-001\" file=\"a.py\" line=\"7\" interaction=\"nit\" -->\n{body}<!-- /RUNE:FINDING id=\"QUAL-001\" -->"
        );
        let content = run(&text).content;
        let line = format!("- [ ] **[QUAL-001] {title}** in `a.py:7` _(compressed)_");
        assert_eq!(content.lines().nth(1), Some(line.as_str()), "{first}");
        assert_eq!(run(&content).content, content);
    }
}

#[test]
fn p3_has_its_traces_code_cut_to_three_lines() {
    let text = finding("SEC-001", "severity=\"P3\"");
    let cut = "    fourth = lookup(first, second, third)\n    fifth = lookup(fourth)\n";
    let expected = text.replace(cut, "    # ... truncated ...\n");
    assert_eq!(run(&text).content, expected);
    assert_eq!(run(&expected).content, expected);
    // What is no known interaction is no reason to keep more.
    let other = finding("SEC-001", "severity=\"P3\" interaction=\"remark\"");
    assert_eq!(run(&other).content, other.replace(cut, "    # ... truncated ...\n"));
}

#[test]
fn only_code_under_a_label_of_a_trace_is_a_trace() {
    let body = |label: &str| {
        format!(
            "<!-- RUNE:FINDING nonce=\"n\" id=\"SEC-001\" file=\"a.py\" line=\"7\" severity=\"P3\" -->\n{label}\n\n```\none\ntwo\nthree\n{}\n```\n<!-- /RUNE:FINDING id=\"SEC-001\" -->",
            "four\n".repeat(30)
        )
    };
    for label in [
        "**Trace:**", "### Trace", "- **Rune Trace:**", "__Stack Trace__", "Trace:",
        "#### Stacktrace (short)",
    ] {
        assert!(run(&body(label)).content.contains("three\n# ... truncated ...\n```\n"), "{label}");
    }
    for label in ["**Fix:**", "### Evidence", "The trace is below", "**Trace:**\nand then:", ""] {
        assert_eq!(run(&body(label)).content, body(label), "{label}");
    }
}

#[test]
fn a_fence_that_does_not_end_keeps_its_finding_whole() {
    for interaction in ["", "interaction=\"question\""] {
        let text =
            finding("SEC-001", &format!("severity=\"P3\" {interaction}")).replace("    ```\n", "    ``\n");
        assert_eq!(run(&text).content, text);
    }
}

#[test]
fn a_rejected_block_is_told_with_its_reason_and_stays_word_for_word() {
    let valid = finding("SEC-900", "severity=\"P1\"");
    for (marker, closer, id, reason) in [
        (r#"nonce="n" id="sec-1" file="a" line="1""#, "sec-1", Some("sec-1"), RejectReason::BadId),
        (r#"nonce="n" id="SEC-1" file="a" line="1""#, "SEC-1", Some("SEC-1"), RejectReason::BadId),
        (
            r#"nonce="n" id="SEC-001-X" file="a" line="1""#,
            "SEC-001-X",
            Some("SEC-001-X"),
            RejectReason::BadId,
        ),
        (r#"nonce="n" file="a" line="1""#, "SEC-001", None, RejectReason::BadId),
        (r#"nonce="n" id="SEC-001" file="../a" line="1""#, "SEC-001", Some("SEC-001"), RejectReason::BadPath),
        (
            r#"nonce="n" id="SEC-001" file="a/../b" line="1""#,
            "SEC-001",
            Some("SEC-001"),
            RejectReason::BadPath,
        ),
        (
            r#"nonce="n" id="SEC-001" file="/etc/a" line="1""#,
            "SEC-001",
            Some("SEC-001"),
            RejectReason::BadPath,
        ),
        (r#"id="SEC-001" file="a" line="1""#, "SEC-001", Some("SEC-001"), RejectReason::NoNonce),
        (r#"nonce="" id="SEC-001" file="a" line="1""#, "SEC-001", Some("SEC-001"), RejectReason::NoNonce),
        (r#"nonce="n" id="SEC-001" file="a" line="1-4""#, "SEC-001", Some("SEC-001"), RejectReason::BadLine),
        (r#"nonce="n" id="SEC-001" file="a" line="""#, "SEC-001", Some("SEC-001"), RejectReason::BadLine),
        (r#"nonce="n" id="SEC-001" file="a" line="1""#, "SEC-002", Some("SEC-001"), RejectReason::NoCloser),
        (r#"nonce="n" id=SEC-001 file="a" line="1""#, "SEC-001", None, RejectReason::MalformedMarker),
        (r#"nonce="n" id="SEC-001" id="SEC-001" line="1""#, "SEC-001", None, RejectReason::MalformedMarker),
    ] {
        let block = format!(
            "<!-- RUNE:FINDING {marker} severity=\"P3\" interaction=\"nit\" -->\n{}<!-- /RUNE:FINDING id=\"{closer}\" -->\n",
            "  - **Rune Trace:**\n".repeat(9)
        );
        let text = format!("head\n\n## Prose\n\nprose prose prose\n\n{block}\nprose\n\n{valid}");
        let file = run(&text);
        assert_eq!(reasons(&file), [(id, reason)], "{marker}");
        assert!(file.content.contains(&block), "{marker}");
        assert!(file.content.contains(&valid), "{marker}");
        assert!(!file.content.contains("prose prose"), "{marker}");
        assert_eq!(file.kept, 1);
    }
}

#[test]
fn an_unclosed_finding_keeps_what_follows_up_to_the_next() {
    let open = "<!-- RUNE:FINDING nonce=\"n\" id=\"SEC-001\" file=\"a\" line=\"1\" severity=\"P3\" -->\nlost?\n\n## Prose\n\nnot lost\n";
    let next = finding("SEC-002", "severity=\"P1\"");
    let file = run(&format!("# H\n\n## Prose\n\nlong prose\n\n{open}{next}\n## Prose\n\nmore\n"));
    assert_eq!(file.content, format!("# H\n\n\n{open}{next}"));
    assert_eq!(reasons(&file), [(Some("SEC-001"), RejectReason::NoCloser)]);
}

#[test]
fn the_same_id_opened_twice_closes_once() {
    let text = format!(
        "<!-- RUNE:FINDING nonce=\"n\" id=\"SEC-001\" file=\"a\" line=\"1\" severity=\"P1\" -->\nfirst\n{}",
        finding("SEC-001", "severity=\"P1\"")
    );
    let file = run(&text);
    assert_eq!((file.content.as_str(), file.kept), (text.as_str(), 1));
    assert_eq!(reasons(&file), [(Some("SEC-001"), RejectReason::NoCloser)]);
    // Nothing is deduplicated.
    let twice = finding("SEC-001", "severity=\"P2\"").repeat(2);
    assert_eq!((run(&twice).content, run(&twice).kept), (twice.clone(), 2));
}

#[test]
fn findings_within_findings_stay_word_for_word() {
    let inner = finding("SEC-002", "severity=\"P1\"");
    let outer = finding("SEC-001", "severity=\"P3\" interaction=\"nit\"")
        .replace("  - **Fix:** bind it.\n", &format!("  - **Fix:** bind it.\n{inner}"));
    let file = run(&outer);
    assert_eq!((file.content.as_str(), file.kept), (outer.as_str(), 2));
    let crossed = "<!-- RUNE:FINDING nonce=\"n\" id=\"A-001\" severity=\"P3\" -->a<!-- RUNE:FINDING nonce=\"n\" id=\"B-001\" -->b\
        <!-- /RUNE:FINDING id=\"A-001\" -->c<!-- /RUNE:FINDING id=\"B-001\" -->";
    assert_eq!((run(crossed).content.as_str(), run(crossed).kept), (crossed, 2));
}

#[test]
fn a_value_may_hold_what_would_end_a_marker() {
    let text = finding("SEC-001", "severity=\"P3\" title=\"a > b --> <!-- RUNE:FINDING id='x' -->\"");
    let file = run(&text);
    assert_eq!((file.kept, file.rejected.len()), (1, 0));
    assert!(file.content.contains("title=\"a > b --> <!-- RUNE:FINDING id='x' -->\""));
    assert!(file.content.contains(TRUNCATED_LINE));
}

const TRUNCATED_LINE: &str = "\n    # ... truncated ...\n";

#[test]
fn markers_without_a_valid_finding_give_the_original() {
    let text = finding("sec", "severity=\"P1\"") + "\n## Prose\n\nprose\n";
    assert_eq!(run(&text).content, text);
    // So do markers that begin with another word: the caller may have named the wrong one.
    let text = format!("# H\n\n## Prose\n\nprose\n\n{}", finding("SEC-001", "severity=\"P1\""));
    assert_eq!(run_with(&text, "OTHER").content, text);
    assert_eq!(run_with(&text.replace("RUNE", "OTHER"), "OTHER").kept, 1);
    let none = run("# H\n\n## Prose\n\nprose\n\n## Summary\n\nnothing found\n");
    assert_eq!(none.content, "# H\n\n\n## Summary\n\nnothing found\n");
}

#[test]
fn windows_line_ends_stay_and_are_used() {
    let text = format!(
        "# H\r\n\r\n## Prose\r\n\r\nprose, prose, prose\r\n\r\n{}",
        (finding("SEC-001", "severity=\"P3\"") + &finding("SEC-002", "severity=\"P3\" interaction=\"nit\""))
            .replace('\n', "\r\n")
    );
    let content = run(&text).content;
    assert_eq!(content.matches('\n').count(), content.matches("\r\n").count(), "{content:?}");
    assert!(content.contains("\r\n    # ... truncated ...\r\n    ```\r\n"), "{content}");
    assert!(content.contains("_(compressed)_\r\n<!-- /"), "{content}");
    assert!(content.starts_with("# H\r\n\r\n\r\n<!--"), "{content:?}");
}

#[test]
fn a_kept_section_ends_at_the_next_heading_outside_of_code() {
    let text = "# H\n\n## Summary\n\n```sh\n## not a heading\n```\nstill\n\n## Prose\n\nprose\n\n## summary of all\n\nlast\n";
    let expected =
        "# H\n\n## Summary\n\n```sh\n## not a heading\n```\nstill\n\n\n## summary of all\n\nlast\n";
    assert_eq!(run(text).content, expected);
    // Code that does not end hides no heading.
    let open = "# H\n\n## Summary\n\n```sh\nstill\n\n## Prose\n\nprose\n\n## Summary2\n\nlast\n";
    assert_eq!(run(open).content, "# H\n\n## Summary\n\n```sh\nstill\n\n");
    // Nor does code that began before it.
    let before = "# H\n\n## Prose\n\n```\n\n## Summary\n\nhere\n\n```\n## Prose\n";
    assert_eq!(run(before).content, "# H\n\n\n## Summary\n\nhere\n\n```\n");
}

#[test]
fn below_the_threshold_files_stay_as_they_are() {
    let content = finding("SEC-001", "severity=\"P3\"") + "\nprose\n";
    let output = AgentOutput { name: "a.md", content: &content };
    let at =
        |threshold_bytes| preaggregate(&[output, output], Options { threshold_bytes, ..Options::default() });
    let below = at(content.len() * 2 + 1);
    assert!(!below.condensed);
    assert_eq!((below.files[0].content.as_str(), below.files[0].kept), (content.as_str(), 1));
    assert_eq!(below.report.original_bytes, below.report.condensed_bytes);
    let reached = at(content.len() * 2);
    assert!(reached.condensed && reached.files[1].content.contains(TRUNCATED_LINE));
    assert!(reached.report.reduction > 0.0);
}

#[test]
fn absent_files_and_many_rejections_are_told() {
    let good = finding("SEC-001", "severity=\"P1\"");
    let bad = finding("bad", "severity=\"P1\"");
    let run = |kept: usize, rejected: usize| {
        let content = good.repeat(kept) + &bad.repeat(rejected);
        let expected = ["a.md".to_owned(), "b.md".to_owned()];
        let options = Options { threshold_bytes: 0, expected: &expected, ..Options::default() };
        preaggregate(&[AgentOutput { name: "a.md", content: &content }], options).report
    };
    let ten_percent = run(9, 1);
    assert_eq!((ten_percent.kept, ten_percent.rejected), (9, 1));
    assert_eq!(ten_percent.missing, ["b.md"]);
    assert!(ten_percent.coverage_incomplete);
    assert_eq!(ten_percent.warnings.len(), 1, "{:?}", ten_percent.warnings);
    assert!(ten_percent.warnings[0].starts_with("coverage_incomplete"));
    let more = run(8, 1);
    assert!(more.warnings[0].starts_with("all files together: 1 of 9"), "{:?}", more.warnings);
}

#[test]
fn prefixes_are_words() {
    for prefix in ["RUNE", "rune", "A-1_b"] {
        assert!(is_prefix(prefix), "{prefix}");
    }
    for prefix in ["", "1A", "A B", "A:", "É", "-A", &"A".repeat(33)] {
        assert!(!is_prefix(prefix), "{prefix}");
    }
}
