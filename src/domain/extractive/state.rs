//! Where the work stands at the span's end, what comes next, and what stands in the way.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ledger::line::{clip, clip_middle, squash};
use super::super::ledger::{Facts, TestRunFact, TodoStatus, pattern, prose};
use super::super::summary::{Blocker, CurrentState, Summary, TestOutcome};
use super::{Turn, Turns, Voice, is_placeholder};

/// The longest state, in characters.
const MAX_STATE: usize = 600;
/// The longest task, in characters.
const MAX_TASK: usize = 300;
/// The most next steps.
const MAX_STEPS: usize = 12;
/// The longest next step or blocker, in characters.
const MAX_STEP: usize = 260;
/// The most blockers.
const MAX_BLOCKERS: usize = 10;
/// How many of the model's last messages are read for what comes next and what stands in the way.
const RECENT: usize = 4;

// ---- state

/// The state at the span's end.
pub(super) fn current(turns: &Turns, facts: &Facts) -> CurrentState {
    let (text, mut seqs) = if turns.conversation { last_words(turns) } else { last_report(turns) };
    // "yes" and "go on" answer something; the request is the last message that states one.
    let request = turns
        .persons()
        .rev()
        .find(|t| {
            t.text.split_whitespace().count() >= 3 || t.text.chars().filter(|c| *c > '\u{3000}').count() >= 6
        })
        .filter(|_| !turns.conversation);
    let in_progress =
        facts.todos.as_ref().and_then(|t| t.items.iter().find(|i| i.status == TodoStatus::InProgress));
    let task = match (in_progress, request) {
        (Some(item), _) => Some(clip(&squash(&item.content), MAX_TASK)),
        (None, Some(turn)) if !is_placeholder(&turn.text) => {
            seqs.push(turn.seq);
            Some(clip(&squash(&without_tags(&without_fences(&turn.text))), MAX_TASK))
                .filter(|t| !t.is_empty())
        }
        (None, _) => None,
    };
    seqs.sort_unstable();
    seqs.dedup();
    CurrentState { phase: phase(facts), task, text, seqs }
}

/// What the session was last doing, by what its tools touched last.
fn phase(facts: &Facts) -> Option<String> {
    let last = |seqs: &[i64]| seqs.last().copied().unwrap_or(0);
    let changed = facts.files.iter().filter(|f| f.action.is_some()).map(|f| last(&f.seqs)).max();
    let tested = facts.test_runs.iter().map(|t| last(&t.seqs)).max();
    let worked = !facts.commands.is_empty() || !facts.files.is_empty();
    let phase = match (changed, tested) {
        (Some(change), Some(test)) if test >= change => "testing",
        (None, Some(_)) => "testing",
        (Some(_), _) => "implementation",
        (None, None) if worked => "exploration",
        (None, None) => return None,
    };
    Some(phase.to_owned())
}

/// The model's latest report: its last words, with the ones before when they only lead over to a tool.
fn last_report(turns: &Turns) -> (String, Vec<i64>) {
    let mut parts: Vec<(i64, String)> = Vec::new();
    let mut length = 0;
    for turn in turns.assistants().rev().take(6) {
        let words = report_text(&turn.text);
        if is_placeholder(&words) {
            continue;
        }
        length += words.chars().count();
        parts.push((turn.seq, words));
        if length >= 160 {
            break;
        }
    }
    if parts.is_empty() {
        let (seq, text) = match turns.persons().next_back() {
            Some(turn) => (turn.seq, squash(&without_fences(&turn.text))),
            None => return (String::new(), Vec::new()),
        };
        return (clip(&text, MAX_STATE), vec![seq]);
    }
    parts.reverse();
    let text = parts.iter().map(|(_, t)| t.as_str()).collect::<Vec<_>>().join(" ");
    (clip_middle(&text, MAX_STATE), parts.iter().map(|(s, _)| *s).collect())
}

fn report_text(text: &str) -> String {
    let sentences = prose::sentences(text);
    if sentences.is_empty() {
        return squash(&without_fences(text));
    }
    sentences.iter().map(|s| s.text.as_str()).filter(|s| !is_placeholder(s)).collect::<Vec<_>>().join(" ")
}

fn without_fences(text: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            out.push_str(line);
            out.push('\n');
        }
    }
    if out.trim().is_empty() { text.to_owned() } else { out }
}

/// A request without the tags that it was wrapped in.
fn without_tags(text: &str) -> Cow<'_, str> {
    static TAG: LazyLock<Regex> = LazyLock::new(|| pattern::unicode(r"</?[a-z][a-z_\-]{1,40}>"));
    TAG.replace_all(text, " ")
}

/// The last things said in minutes that say something.
fn last_words(turns: &Turns) -> (String, Vec<i64>) {
    let mut kept: Vec<&Turn> = turns
        .all
        .iter()
        .rev()
        .filter(|t| {
            t.text.split_whitespace().count() >= 8 || t.text.chars().filter(|c| *c > '\u{3000}').count() >= 12
        })
        .take(4)
        .collect();
    kept.reverse();
    let text = kept.iter().map(|t| clip(&squash(&t.text), MAX_STATE / 3)).collect::<Vec<_>>().join(" ");
    (clip_middle(&text, MAX_STATE), kept.iter().map(|t| t.seq).collect())
}

// ---- next steps

/// The next steps and the messages that they came from.
pub(super) fn next_steps(turns: &Turns, facts: &Facts) -> (Vec<String>, Vec<i64>) {
    if let Some(todos) = &facts.todos {
        let open: Vec<String> = [TodoStatus::InProgress, TodoStatus::Pending]
            .iter()
            .flat_map(|status| todos.items.iter().filter(move |i| i.status == *status))
            .map(|i| clip(&squash(&i.content), MAX_STEP))
            .filter(|t| !is_placeholder(t))
            .take(MAX_STEPS)
            .collect();
        if !open.is_empty() {
            return (open, todos.seqs.clone());
        }
    }
    if turns.conversation {
        return agreed(turns);
    }
    let (steps, seqs) = announced(turns);
    if !steps.is_empty() {
        return (steps, seqs);
    }
    // Nothing is announced: an unfinished turn goes on with what was asked.
    match turns.persons().next_back() {
        Some(turn) if !turns.turn_is_over => {
            let request = clip(&squash(&without_tags(&without_fences(&turn.text))), MAX_STEP);
            if is_placeholder(&request) {
                (Vec::new(), Vec::new())
            } else {
                (vec![format!("Continue: {request}")], vec![turn.seq])
            }
        }
        _ => (Vec::new(), Vec::new()),
    }
}

static ANNOUNCES: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?ix)(?:^|[.,;:!]\s|\b(?:and|so|then|now|first|next|but)\s)(?:
            next[,:]?\s+(?:i|we|step|up|is|let)\b | next\s+steps?\b | (?:i|we)(?:['’]ll|\s+will|\s+need\s+to|\s+should|\s+still\s+need|\s+have\s+to|['’]m\s+going\s+to|\s+am\s+going\s+to|['’]re\s+going\s+to|\s+can\s+now|\s+must)\b
            | let\s+me\b | let['’]?s\b | todo:?\s | remaining\b | (?:still|left)\s+to\s+(?:do|fix|add|test|implement|run|update|write)\b | what['’]s\s+left\b | you\s+(?:can|should|need\s+to|may\s+want\s+to|must)\s+(?:now|then|next|run|restart|push|test|deploy|verify)\b
            | (?:je\s+vais|nous\s+allons|il\s+reste|prochaine\s+étape|ensuite|il\s+faut(?:\s+encore)?)\b
            | (?:ich\s+werde|wir\s+werden|als\s+nächstes|nächster\s+schritt|es\s+bleibt|wir\s+müssen\s+noch)\b
            | (?:voy\s+a|vamos\s+a|próximo\s+paso|siguiente\s+paso|queda(?:n)?\s+por|falta(?:n)?)\b
            | (?:я\s+(?:сделаю|буду|проверю|добавлю|исправлю)|следующ\w+\s+шаг|далее|осталось|теперь\s+(?:нужно|надо|я))
        ) | 接下来|下一步|然后我(?:会|将)|我(?:会|将|来|先)|还需要|待办|剩下 | 次に|次の(?:ステップ|手順)|これから|残り(?:の|は)|する予定 ",
    )
});
static STEP_HEADING: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?i)(?:next steps?|remaining(?: work| tasks| steps)?|to ?do|what['’]s (?:next|left)|follow[- ]ups?|action items?|still to do|prochaines étapes|nächste schritte|próximos pasos|следующие шаги|下一步|待办|次のステップ|残作業)\b?[^.]{0,40}[:：]?\W*$",
    )
});

/// What the model says it will do, from its last messages; lists under a heading come first.
fn announced(turns: &Turns) -> (Vec<String>, Vec<i64>) {
    for (back, turn) in turns.assistants().rev().take(RECENT).enumerate() {
        let mut steps = under_heading(&turn.text);
        let listed = !steps.is_empty();
        // A message that ends its turn reports; only an open turn, or the very last words, announce.
        // What was announced further back has been done since, or given up.
        if !listed && back <= 1 {
            steps = prose::sentences(&turn.text)
                .into_iter()
                .filter(|s| {
                    ANNOUNCES.is_match(&s.text)
                        && !s.text.ends_with(['?', '？'])
                        && s.text.chars().count() <= 400
                })
                .map(|s| clip(s.text.trim_end_matches([':', '：']), MAX_STEP))
                .filter(|s| !is_placeholder(s))
                .collect();
            // The last of several announcements is the one that still lies ahead.
            let surplus = steps.len().saturating_sub(3);
            steps.drain(..surplus);
        }
        if steps.is_empty() {
            // An offer at the end of a finished turn is what may come next.
            if back == 0 && turns.turn_is_over {
                steps = offers(&turn.text);
            }
        }
        if !steps.is_empty() {
            steps.truncate(MAX_STEPS);
            return (steps, vec![turn.seq]);
        }
        if turns.turn_is_over && back == 0 {
            break;
        }
    }
    (Vec::new(), Vec::new())
}

fn offers(text: &str) -> Vec<String> {
    static OFFER: LazyLock<Regex> = LazyLock::new(|| {
        pattern::unicode(
            r"(?i)^(?:would you like|do you want|should i|shall i|want me to|let me know|if you(?:['’]d)? (?:like|want)|could you|can you|please (?:provide|confirm|let|tell)|souhaitez|voulez|veux-tu|dois-je|möchten sie|möchtest|soll ich|quieres|desea|¿|хотите|хочешь)|(?:需要我|要不要|您(?:想|是否|需要)|你(?:想|是否|需要)|请(?:问|提供|确认)|よろしいですか|しますか|ましょうか)",
        )
    });
    prose::sentences(text)
        .into_iter()
        .rev()
        .take(4)
        .filter(|s| OFFER.is_match(&s.text))
        .take(2)
        .map(|s| clip(&format!("Await the user's answer: {}", s.text), MAX_STEP))
        .collect()
}

/// The list items under the last heading that names next steps.
fn under_heading(text: &str) -> Vec<String> {
    let sentences = prose::sentences(text);
    let Some(at) = sentences.iter().rposition(|s| {
        !s.listed
            && s.text.chars().count() < 80
            && STEP_HEADING.is_match(s.text.trim_matches(['*', '#', ' ']))
    }) else {
        return Vec::new();
    };
    sentences
        .iter()
        .skip(at + 1)
        .take_while(|s| s.listed)
        .map(|s| clip(&s.text, MAX_STEP))
        .filter(|s| !is_placeholder(s))
        .take(MAX_STEPS)
        .collect()
}

/// What people in a conversation say they will do.
fn agreed(turns: &Turns) -> (Vec<String>, Vec<i64>) {
    static COMMITS: LazyLock<Regex> = LazyLock::new(|| {
        pattern::unicode(
            r"(?i)\b(?:i['’]ll|i will|we['’]ll|we will|you['’]ll|will (?:send|prepare|write|do|check|ask|email|present|finish|bring|look into|follow up)|action item|next (?:meeting|week|step)|have to (?:do|prepare|finish|send|write|check)|need to (?:do|prepare|finish|send|write|check|decide)|by (?:monday|tuesday|wednesday|thursday|friday|tomorrow|next week)|je vais|on va|ich werde|wir werden|voy a|vamos a|я (?:сделаю|пришлю|отправлю|подготовлю)|нужно будет)\b|我(?:会|来|将)|下次|下周|明天|やります|来週|次回",
        )
    });
    let mut steps = Vec::new();
    let mut seqs = Vec::new();
    for turn in turns.all.iter().rev().take(200) {
        if steps.len() >= 6 {
            break;
        }
        let (name, said) = prose::speaker(&turn.text).map_or(("", turn.text.as_str()), |(n, s)| (n, s));
        let committed = prose::sentences(said).into_iter().find(|s| {
            let words = s.text.split_whitespace().count();
            COMMITS.is_match(&s.text)
                && (words >= 6 || s.text.chars().filter(|c| *c > '\u{3000}').count() >= 8)
                && !s.text.ends_with('?')
        });
        if let Some(sentence) = committed {
            let text = if name.is_empty() { sentence.text } else { format!("{name}: {}", sentence.text) };
            steps.push(clip(&text, MAX_STEP));
            seqs.push(turn.seq);
        }
    }
    steps.reverse();
    seqs.reverse();
    (steps, seqs)
}

// ---- blockers

static BLOCKED: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?i)\b(?:(?:am|is|are|i['’]m|we['’]re|still|currently|remains?) blocked|blocked (?:by|on|until)|blocker|(?:i|we) (?:cannot|can['’]t|could not|couldn['’]t|am unable to|are unable to|was unable to) (?:proceed|continue|access|reach|run|test|verify|complete|finish|push|connect|install|find out|reproduce)|waiting (?:for|on) (?:you|your|the user|approval|review|access|confirmation|a reply|credentials|ci\b)|need (?:access|credentials|permission|approval|your (?:input|decision|confirmation))|requires? (?:access|credentials|permission|approval)|open question|unresolved|don['’]t have (?:access|permission)|not authorized|bloqué|en attente de|blockiert|warte auf|bloqueado|esperando|заблокирован|жду|ожида(?:ю|ем))\b|无法继续|被阻塞|等待(?:您|你|用户|确认|批准)|没有权限|待确认|ブロックされ|待ち|権限がありません",
    )
});

/// What stands in the way at the span's end, and whether what stood there before is gone.
pub(super) fn blockers(turns: &Turns, facts: &Facts, base: Option<&Summary>) -> (Vec<Blocker>, bool) {
    let mut found: Vec<Blocker> = failing_tests(facts);
    for turn in turns.assistants().rev().take(RECENT) {
        for sentence in prose::sentences(&turn.text) {
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
        let sentences = prose::sentences(&last.text);
        for sentence in sentences
            .iter()
            .rev()
            .take(6)
            .rev()
            .filter(|s| s.text.ends_with(['?', '？']) && s.text.chars().count() >= 8)
        {
            if !is_courtesy(&sentence.text) {
                push(&mut found, &format!("Open question: {}", sentence.text), last.seq);
            }
        }
    }
    if turns.conversation {
        open_questions(turns, &mut found);
    }
    let before = base.map(|b| b.blockers.as_slice()).unwrap_or_default();
    let answered = turns.persons().next().is_some();
    let gone = |b: &Blocker| match test_command(&b.text) {
        Some(command) => latest(facts).get(command).is_some_and(|run| run.outcome == TestOutcome::Pass),
        None => answered || says_solved(turns),
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
    let text = clip(&squash(text), MAX_STEP);
    if found.len() < MAX_BLOCKERS && !found.iter().any(|b| b.text == text) {
        found.push(Blocker { text, seqs: vec![seq] });
    }
}

/// "Is there anything else?" asks for nothing that is missing.
fn is_courtesy(question: &str) -> bool {
    static COURTESY: LazyLock<Regex> = LazyLock::new(|| {
        pattern::unicode(
            r"(?i)anything else|any other|further assist|help you with (?:today|anything)|how (?:can|may) i (?:help|assist)|else i can|autre chose|noch etwas|sonst noch|algo más|что-нибудь ещё|ещё (?:вопросы|чем)|还有(?:什么|其他)|其他(?:问题|需要)|他に",
        )
    });
    COURTESY.is_match(question)
}

fn open_questions(turns: &Turns, found: &mut Vec<Blocker>) {
    // In minutes a question is open when nobody says anything of weight behind it.
    let mut quiet: Vec<&Turn> = Vec::new();
    for turn in turns.all.iter().rev().take(12) {
        let said = prose::speaker(&turn.text).map_or(turn.text.as_str(), |(_, s)| s);
        if said.trim_end().ends_with(['?', '？'])
            && said.split_whitespace().count() >= 5
            && quiet.iter().all(|t| t.text.split_whitespace().count() < 12)
        {
            push(found, &format!("Open question: {}", turn.text), turn.seq);
        }
        quiet.push(turn);
    }
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
    static SOLVED: LazyLock<Regex> = LazyLock::new(|| {
        pattern::unicode(
            r"(?i)\b(?:fixed|resolved|unblocked|solved|works now|working now|now (?:works|passes|pass)|all tests pass|succeeded|corrigé|résolu|gelöst|behoben|resuelto|arreglado|исправлен\w*|решен\w*)\b|已(?:解决|修复)|修复了|解決し|修正しました",
        )
    });
    turns.assistants().rev().take(RECENT).any(|t| SOLVED.is_match(&t.text))
}
