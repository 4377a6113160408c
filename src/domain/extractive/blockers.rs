//! What stands in the way at the span's end.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ledger::line::squash;
use super::super::ledger::pattern::Rare;
use super::super::ledger::{Facts, TestRunFact, pattern};
use super::super::summary::{Blocker, Summary, TestOutcome};
use super::phrases::Phrases;
use super::{Turns, Voice, clip, is_placeholder, open_questions};

/// The most blockers.
const MAX_BLOCKERS: usize = 10;
/// The longest blocker, in characters.
const MAX_BLOCKER: usize = 260;
/// How many of the model's last messages are read for what stands in the way.
const RECENT: usize = 4;

static BLOCKED: LazyLock<Rare> = LazyLock::new(|| {
    Rare::new(
        r"(?i)\b(?:(?:am|is|are|i['’]m|we['’]re|still|currently|remains?) blocked|blocked (?:by|on|until)|blocker|(?:i|we) (?:cannot|can['’]t|could not|couldn['’]t|am unable to|are unable to|was unable to) (?:proceed|continue|access|reach|run|test|verify|complete|finish|push|connect|install|find out|reproduce)|waiting (?:for|on) (?:you|your|the user|approval|review|access|confirmation|a reply|credentials|ci\b)|need (?:access|credentials|permission|approval|your (?:input|decision|confirmation))|requires? (?:access|credentials|permission|approval)|open question|unresolved|don['’]t have (?:access|permission)|not authorized|bloqué|en attente de|blockiert|warte auf|bloqueado|esperando|заблокирован|жду|ожида(?:ю|ем))\b|无法继续|被阻塞|等待(?:您|你|用户|确认|批准)|没有权限|待确认|ブロックされ|待ち|権限がありません",
    )
});

/// What stands in the way at the span's end, and whether what stood there before is gone.
pub(super) fn find(
    turns: &Turns,
    facts: &Facts,
    base: Option<&Summary>,
    phrases: &Phrases,
) -> (Vec<Blocker>, bool) {
    let mut found: Vec<Blocker> = failing_tests(facts);
    for turn in turns.assistants().rev().take(RECENT) {
        for sentence in turn.sentences() {
            if BLOCKED.is_match(&sentence.text)
                && sentence.text.chars().count() <= 500
                && !is_placeholder(&sentence.text)
            {
                push(&mut found, &sentence.text, turn.seq);
            }
        }
    }
    // A question that ends a turn is open until the person answers.
    if turns.turn_is_over
        && let Some(last) = turns.all.last().filter(|t| t.voice == Voice::Assistant)
    {
        for sentence in last
            .sentences()
            .iter()
            .rev()
            .take(6)
            .rev()
            .filter(|s| s.text.ends_with(['?', '？']) && s.text.chars().count() >= 8)
        {
            if !is_courtesy(&sentence.text) {
                push(&mut found, &format!("{} {}", phrases.open_question, sentence.text), last.seq);
            }
        }
    }
    let before = base.map(|b| b.blockers.as_slice()).unwrap_or_default();
    let heard = open_questions::hear(turns, before);
    for (question, seqs) in &heard.open {
        push_all(&mut found, &format!("{} {question}", phrases.open_question), seqs.clone());
    }
    let answered = turns.persons().next().is_some();
    let latest = LazyCell::new(|| latest(facts));
    let solved = LazyCell::new(|| says_solved(turns));
    let gone = |b: &Blocker| match test_command(&b.text) {
        Some(command) => latest.get(command).is_some_and(|run| run.outcome == TestOutcome::Pass),
        None => (answered || *solved) && !heard.leaves(&b.text),
    };
    let resolved = before.iter().all(gone) && !before.is_empty();
    if !found.is_empty() {
        // A new list replaces the old one, so what still stands comes along.
        let kept: Vec<Blocker> =
            before.iter().filter(|b| !gone(b) && !found.iter().any(|f| f.text == b.text)).cloned().collect();
        found.splice(0..0, kept);
    }
    found.truncate(MAX_BLOCKERS);
    (found, resolved)
}

fn push(found: &mut Vec<Blocker>, text: &str, seq: i64) {
    push_all(found, text, vec![seq]);
}

fn push_all(found: &mut Vec<Blocker>, text: &str, seqs: Vec<i64>) {
    let text = clip(&squash(text), MAX_BLOCKER);
    if found.len() < MAX_BLOCKERS && !found.iter().any(|b| b.text == text) {
        found.push(Blocker { text, seqs, session_id: None });
    }
}

/// "Is there anything else?" asks for nothing that is missing.
pub(super) fn is_courtesy(question: &str) -> bool {
    static COURTESY: LazyLock<Regex> = LazyLock::new(|| {
        pattern::unicode(
            r"(?i)anything else|any other|further assist|help you with (?:today|anything)|how (?:can|may) i (?:help|assist)|else i can|autre chose|noch etwas|sonst noch|algo más|что-нибудь ещё|ещё (?:вопросы|чем)|还有(?:什么|其他)|其他(?:问题|需要)|他に",
        )
    });
    COURTESY.is_match(question)
}

fn latest(facts: &Facts) -> BTreeMap<&str, &TestRunFact> {
    facts.test_runs.iter().map(|run| (run.command.as_str(), run)).collect()
}

/// The runs that are the latest of their command and did not pass.
fn failing_tests(facts: &Facts) -> Vec<Blocker> {
    let latest = latest(facts);
    // Everything before a later run that passed may have been put right under another command line.
    let last_pass =
        facts.test_runs.iter().rposition(|r| r.outcome == TestOutcome::Pass).map_or(0, |at| at + 1);
    facts
        .test_runs
        .iter()
        .skip(last_pass)
        .filter(|run| {
            matches!(run.outcome, TestOutcome::Fail | TestOutcome::Error)
                && latest.get(run.command.as_str()).is_some_and(|l| l.seqs == run.seqs)
        })
        .map(|run| {
            let names = run.failing.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
            let count = run.failed.filter(|n| *n > 0).map_or(String::new(), |n| format!(" ({n} failed)"));
            let names = if names.is_empty() { String::new() } else { format!(": {names}") };
            Blocker {
                text: format!("Failing tests: `{}`{count}{}", clip(&run.command, 140), clip(&names, 200)),
                seqs: run.seqs.clone(),
                session_id: None,
            }
        })
        .take(4)
        .collect()
}

/// The command that a blocker about failing tests names.
fn test_command(text: &str) -> Option<&str> {
    text.strip_prefix("Failing tests: `")?.split('`').next()
}

fn says_solved(turns: &Turns) -> bool {
    static SOLVED: LazyLock<Rare> = LazyLock::new(|| {
        Rare::new(
            r"(?i)\b(?:fixed|resolved|unblocked|solved|works now|working now|now (?:works|passes|pass)|all tests pass|succeeded|corrigé|résolu|gelöst|behoben|resuelto|arreglado|исправлен\w*|решен\w*)\b|已(?:解决|修复)|修复了|解決し|修正しました",
        )
    });
    turns.assistants().rev().take(RECENT).any(|t| SOLVED.is_match(&t.text))
}
