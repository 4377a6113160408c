//! Tests of the shell parser; the effects of commands on files are tested in the ledger's tests.

use proptest::prelude::*;
use rstest::rstest;

use super::command::{Command, RedirectKind};
use super::{ends_in, parse, pipelines};

/// A pipeline on a line: words in brackets, then redirections and the here-document.
fn shown(script: &str) -> Vec<String> {
    let command = |command: &Command| {
        let mut shown = String::new();
        for word in &command.words {
            shown.extend(["[", word, "]"]);
        }
        for redirect in &command.redirects {
            let kind = match redirect.kind {
                RedirectKind::Read => "<",
                RedirectKind::Write => ">",
                RedirectKind::Append => ">>",
            };
            shown.push_str(if redirect.of_errors { "2" } else { "" });
            shown.push_str(kind);
            shown.push_str(&redirect.target);
        }
        if let Some(text) = &command.here_doc {
            shown.extend(["<<", &format!("{text:?}")]);
        }
        shown
    };
    pipelines(&parse(script, None))
        .iter()
        .map(|one| one.commands.iter().map(command).collect::<Vec<_>>().join(" | "))
        .collect()
}

#[rstest]
// Words and quotes.
#[case("a 'b c' \"d e\" f\\ g", &["[a][b c][d e][f g]"])]
#[case("a 'it'\\''s' \"say \\\"x\\\" \\$y \\n\"", &["[a][it's][say \"x\" $y \\n]"])]
#[case("a \"b 'c' d\" 'e \"f\" g' h'i'\"j\"", &["[a][b 'c' d][e \"f\" g][hij]"])]
#[case("a '' \"\"", &["[a][][]"])]
#[case("a $'b\\'c\\nd' e", &["[a][b'c\nd][e]"])]
#[case("a 'never closed; rm b", &["[a][never closed; rm b]"])]
#[case("a \"never closed; rm b", &["[a][never closed; rm b]"])]
#[case("ls; a \\", &["[ls]", "[a][]"])]
#[case("écho 汉字 '😀 é' # ünd", &["[écho][汉字][😀 é]"])]
// Expansions are words, as they are written.
#[case("a $(b c | d) e", &["[a][$(b c | d)][e]"])]
#[case("a \"$(b \"c d\" ')')\" e", &["[a][$(b \"c d\" ')')][e]"])]
#[case("a `b c` \"x `d \"e\"` y\"", &["[a][`b c`][x `d \"e\"` y]"])]
#[case("a ${b:-c d} \"${e:-it's}\" f", &["[a][${b:-c d}][${e:-it's}][f]"])]
#[case("a $((1 << 2)) $(b $((3))) c", &["[a][$((1 << 2))][$(b $((3)))][c]"])]
#[case("a $(b; rm c", &["[a][$(b; rm c]"])]
#[case("git commit -m \"$(cat <<'EOF'\nsay \"x\" it's ) y\nEOF\n)\" && ls", &["[git][commit][-m][$(cat <<'EOF'\nsay \"x\" it's ) y\nEOF\n)]", "[ls]"])]
#[case("diff <(a b) <(c) d", &["[diff][(a b)][(c)][d]"])]
#[case("a=(b c) d; e[0]=f g", &["[d]", "[g]"])]
#[case("a src/{b,c}.rs '{d,e}'", &["[a][src/b.rs][src/c.rs][{d,e}]"])]
// Comments and lines.
#[case("a # b; c\nd a#b", &["[a]", "[d][a#b]"])]
#[case("a \\\n  b\\\nc", &["[a][bc]"])]
#[case("a b\r\nc \\\r\nd\r\n", &["[a][b]", "[c][d]"])]
// Assignments in front, and what only looks like one.
#[case("A=1 B+=2 c D=3", &["[c][D=3]"])]
#[case("A=1; 1A=2", &["[1A=2]"])]
#[case("'A=1' b", &["[A=1][b]"])]
// Lists and pipes.
#[case("a && b || c; d & e | f |& g", &["[a]", "[b]", "[c]", "[d]", "[e] | [f] | [g]"])]
#[case("a |\n b &&\n c", &["[a] | [b]", "[c]"])]
#[case("; ;; a ;; | b", &["[a]", "[b]"])]
// Redirections.
#[case("a > b 2> c < d >> e", &["[a]>b2>c<d>>e"])]
#[case("a >b 2>&1 &> c >| d &>> e", &["[a]>b>c>d>>e"])]
#[case("a >&2 2>&- >& f 1>g", &["[a]>f>g"])]
#[case("> a b", &["[b]>a"])]
#[case("a 99999999999999999999>&1 > 'b c'", &["[a]>b c"])]
#[case("a >", &["[a]"])]
// Here-documents.
#[case("a <<EOF b\nx $y\nEOF\nc", &["[a][b]<<\"x $y\\n\"", "[c]"])]
#[case("a <<'E F'\nEF\nE F\nc", &["[a]<<\"EF\\n\"", "[c]"])]
#[case("a <<\\EOF\nx\nEOF\n", &["[a]<<\"x\\n\""])]
#[case("a <<-A\n\tx\n\t A\n\tA\nc", &["[a]<<\"x\\n A\\n\"", "[c]"])]
#[case("a << A\r\nx\r\nA\r\nc", &["[a]<<\"x\\r\\n\"", "[c]"])]
#[case("a <<A | b > c\nx\nA\nd", &["[a]<<\"x\\n\" | [b]>c", "[d]"])]
#[case("a <<A; b <<B\nx\nA\ny\nB\nc", &["[a]<<\"x\\n\"", "[b]<<\"y\\n\"", "[c]"])]
#[case("a <<A |\nx\nA\nb", &["[a]<<\"x\\n\" | [b]"])]
#[case("a <<A \"p\nq\"\nx\nA\nb", &["[a][p\nq]<<\"x\\n\"", "[b]"])]
#[case("a <<A\nx", &["[a]<<\"x\""])]
#[case("a <<< \"b c\"; d", &["[a]<<\"b c\"", "[d]"])]
// Groups, read flat.
#[case("(a; b) > c | d", &["[a]", "[b]", ">c | [d]"])]
#[case("{ a; } && b", &["[a]", "[b]"])]
#[case("echo { }", &["[echo][{][}]"])]
#[case("if a; then b; elif c; then d; else e; fi", &["[a]", "[b]", "[c]", "[d]", "[e]"])]
#[case("while ! a; do b; done < c", &["[a]", "[b]", "<c"])]
#[case("a | while read b; do c; done | d", &["[a] | [while]", "[read][b]", "[c]", " | [d]"])]
#[case("for x in a b; do c $x; done", &["[for][x][in][a][b]", "[c][$x]"])]
#[case("for ((i=0; i<9; i++)); do a; done", &["[for][((i=0; i<9; i++))]", "[a]"])]
#[case("case $x in a|b) c;; (d) e ;& *) f; esac; g", &["[case][$x][in]", "[c]", "[e]", "[f]", "[g]"])]
#[case("[[ a < b && c > d ]] && e; ((f > 1)); g", &["[[[][a][b][c][d][]]]", "[e]", "[((f > 1))]", "[g]"])]
#[case("f() { a; }; function g { b; }\nh ()\n(c)", &["[a]", "[b]", "[c]"])]
#[case("'if' a; echo if then", &["[if][a]", "[echo][if][then]"])]
// What opens or closes nothing.
#[case(") a; fi; done } esac; b", &["[a]", "[b]"])]
#[case("( { if a; ) b", &["[a]", "[b]"])]
#[case("a\nif ((( then", &["[a]"])]
// Scripts in scripts.
#[case("bash -lc 'cd x && a \"b c\"' 2>&1 | tail", &["[cd][x] | [tail]", "[a][b c] | [tail]"])]
#[case("sudo timeout 9 sh -c 'a; b'; c", &["[a]", "[b]", "[c]"])]
#[case("bash <<'E'\na\nb\nE\nbash x.sh", &["[a]", "[b]", "[bash][x.sh]"])]
// PowerShell and cmd.
#[case("Get-Content .\\a.txt | Where-Object { $_ -match 'x' } | Out-File -Append b.txt; c", &["[Get-Content][.\\a.txt] | [Where-Object] | [Out-File][-Append][b.txt]", "[c]"])]
#[case("cd C:\\a && type b.txt 2>$null", &["[cd][C:\\a]", "[type][b.txt]2>$null"])]
fn a_script_comes_apart(#[case] script: &str, #[case] expected: &[&str]) {
    assert_eq!(shown(script), expected, "{script}");
}

#[rstest]
#[case("a.rs", true)]
#[case("'$a'", true)]
#[case("\\*", true)]
#[case("{}", true)]
#[case("$a", false)]
#[case("\"$a\"", false)]
#[case("*.rs", false)]
#[case("a[0]", false)]
#[case("{a,b}c{d,e}", false)]
#[case("`a`", false)]
#[case("!(a)", false)]
fn a_word_is_literal_when_a_shell_leaves_it_alone(#[case] word: &str, #[case] literal: bool) {
    let found = pipelines(&parse(&format!("x {word}"), None));
    assert_eq!(found[0].commands[0].words[1].literal, literal, "{word}");
}

#[rstest]
#[case("cd a", Some("/w/a"))]
#[case("cd a && cd ../b; ls", Some("/w/b"))]
#[case("(cd a); { cd b; }", Some("/w/b"))]
#[case("cd a | cat; if x; then cd b; fi", Some("/w/b"))]
#[case("ls | { cd a; }; (cd b) | cat; f() { cd c; }", None)]
#[case("{ cd a; } | cat", None)]
#[case("bash -c 'cd a'", None)]
#[case("cd \"$A\"", None)]
fn a_shell_stays_where_it_went(#[case] script: &str, #[case] dir: Option<&str>) {
    assert_eq!(ends_in(&parse(script, None), Some("/w")).as_deref(), dir, "{script}");
}

/// What takes a reader aback: everything that opens, closes or parts.
const PIECES: &[&str] = &[
    "(", ")", "((", "))", "$(", "$((", "${", "{", "}", "{ ", "[[ ", "]] ", "`", "'", "\"", "\\", "$'", "<",
    ">", "<<", "<<-A", "<<<", "<(", ">&", "&>", "2>", "|", "||", "&", "&&", ";", ";;", "\n", "\r\n", "\\\n",
    " ", "#", " # ", "a", "A\n", "b=", "=(", "@(", "if ", "then ", "fi ", "for x in a b; do ", "done ",
    "while ", "case x in ", "esac ", "f() ", "function ", "bash -c ", "eval ", "cd /x ", "é", "😀", "\0",
    "C:\\a ", "@'", "Set-Content ",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn no_script_panics_and_what_is_read_stands_in_it(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..30)) {
        let text = pieces.concat();
        let script = parse(&text, None);
        let read: usize = pipelines(&script).iter().flat_map(|one| &one.commands).flat_map(|one| &one.words).map(|word| word.len()).sum();
        // Scripts in scripts repeat what stands behind them for each of their commands.
        prop_assert!(read <= (text.len() + 1) * (text.len() + 1));
        let _ = super::effects(&script, Some("/w"));
        let _ = ends_in(&script, Some("/w"));
    }
}

#[test]
fn a_long_name_before_many_parentheses_is_read_once() {
    let text = format!("{}{}", "a".repeat(100_000), "=()".repeat(100_000));
    assert!(!parse(&text, None).parts.is_empty());
}

/// Each piece alone, long and in quotes: a reader that descends would overflow, one that looks back not end.
#[test]
fn what_is_long_and_nested_is_bounded() {
    for piece in PIECES {
        let text = piece.repeat(100_000 / piece.len());
        for text in
            [text.clone(), format!("bash -c '{text}'"), format!("echo \"{text}"), format!("x $({text}")]
        {
            let script = parse(&text, None);
            assert!(script.parts.len() <= 2 * super::command::MAX_PARTS + 2, "{piece:?}");
            let _ = super::effects(&script, None);
            let _ = pipelines(&script);
        }
    }
}
