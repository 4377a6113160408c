//! Choices that were made: by marker phrases in speech, by answers to the model's questions, by
//! plans approved or rejected, by actions that tools carried out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::super::ledger::line::{clip, squash};
use super::super::ledger::prose::{self, Language};
use super::super::message::{Numbered, Role, ToolCall};
use super::super::summary::Decision;
use super::{Turn, Turns, Voice, is_placeholder};

/// The most decisions of one span.
const MAX_DECISIONS: usize = 40;
/// The longest decision, rationale or alternative, in characters.
const MAX_TEXT: usize = 320;
/// The most sentences of one message that can be decisions: a message with more is an essay.
const MAX_PER_MESSAGE: usize = 4;

/// Finds the decisions of a span, oldest first.
pub(super) fn find(span: &[Numbered], turns: &Turns) -> Vec<Decision> {
    let mut all: Vec<Decision> = by_tools(span);
    for (at, turn) in turns.all.iter().enumerate() {
        if turn.voice == Voice::Person
            && let Some(answer) =
                at.checked_sub(1).and_then(|b| turns.all.get(b)).and_then(|before| short_answer(before, turn))
        {
            all.push(answer);
            continue;
        }
        all.extend(in_speech(turn, turns.conversation));
    }
    all.sort_by_key(|d| d.seqs.last().copied().unwrap_or_default());
    let mut seen = BTreeSet::new();
    all.retain(|d| !is_placeholder(&d.decision) && seen.insert(normal(&d.decision)));
    if all.len() > MAX_DECISIONS {
        // With a reason before without, and among equals the later ones: those still hold.
        let mut order: Vec<usize> = (0..all.len()).collect();
        order
            .sort_by_key(|at| (all.get(*at).is_some_and(|d| d.rationale.is_empty()), std::cmp::Reverse(*at)));
        let keep: BTreeSet<usize> = order.into_iter().take(MAX_DECISIONS).collect();
        let mut at = 0;
        all.retain(|_| {
            at += 1;
            keep.contains(&(at - 1))
        });
    }
    all
}

fn normal(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn decision(text: &str, rationale: &str, alternatives: Vec<String>, seqs: Vec<i64>) -> Decision {
    Decision {
        decision: clip(&squash(text), MAX_TEXT),
        rationale: clip(&squash(rationale), MAX_TEXT),
        alternatives: alternatives
            .into_iter()
            .map(|a| clip(&squash(&a), 120))
            .filter(|a| !is_placeholder(a))
            .collect(),
        superseded_by: None,
        seqs,
        session_id: None,
    }
}

// ---- in speech

struct Markers {
    /// A choice, by these words alone.
    strong: Regex,
    /// A choice only with a reason beside it.
    weak: Regex,
    /// Where the reason begins.
    reason: Regex,
    /// Where what was not chosen begins.
    instead: Regex,
    /// Thinking aloud, conditions, denials: no choice.
    not: Regex,
}

fn markers(strong: &str, weak: &str, reason: &str, instead: &str, not: &str) -> Markers {
    #[expect(clippy::expect_used, reason = "the patterns are constants, and a test compiles them")]
    let compile = |p: &str| Regex::new(&format!("(?i){p}")).expect("the pattern is valid");
    Markers {
        strong: compile(strong),
        weak: compile(weak),
        reason: compile(reason),
        instead: compile(instead),
        not: compile(not),
    }
}

static ENGLISH: LazyLock<Markers> = LazyLock::new(|| {
    markers(
        r"\b(?:(?:i|we|i['’]ve|we['’]ve|i have|we have|the team) (?:have )?(?:decided|chosen|chose|picked|opted|settled|agreed)\b|decision(?: is|:| was)|(?:going|go|went) with\b|opt(?:ed|ing)? for\b|settl(?:ed|ing) on\b|(?:i['’]ll|we['’]ll|i will|we will|let['’]s) (?:go with|stick (?:with|to))\b|we(?:['’]ll| will) use\b|let['’]s use\b|(?:^|[.,;] ?|\b(?:i|we|now|to|and) |i['’]ll |we['’]ll |let['’]s )(?:use|using|uses|used|switch(?:ed|ing)?|replaced?|keep|kept|chang(?:e|ed|ing)|mov(?:e|ed|ing)|stor(?:e|ed|ing)|made?|make|put|add(?:ed)?|extend(?:ed)?|renam(?:e|ed))\b[^.]{1,120}\b(?:instead of|rather than)\b)",
        r"\b(?:i['’]ll use|i will use|will use|(?:i|we)(?:['’]ll| will) (?:add|put|create|make|implement|change|keep|skip|drop|avoid|not)|should use|chose|choose|prefer(?:red)?|best (?:approach|option|choice|solution)|(?:cleanest|simplest|safest|right) (?:approach|fix|solution|way|option)|decided|the fix is)\b",
        r"(?:,? \bbecause\b|,? \bsince\b|,? \bso that\b|,? \bdue to\b|,? \bin order to\b|,? \bto avoid\b|,? \bas (?:it|this|that|they|the|we)\b|,? \bwhich (?:means|avoids|allows|keeps|lets)\b| [—–] |; )",
        r"\b(?:instead of|rather than|over)\s+(.{2,100}?)(?:\s?\(|[.,;:)](?:\s|$)|\s(?:because|since|so that|to avoid|as it|due to)\b|$)",
        r"\b(?:maybe|perhaps|might|could (?:also )?(?:use|go)|should (?:i|we)\b|shall we|if (?:we|you|i)\b.{0,40}\b(?:decide|go with|use|choose)|not (?:yet )?decided|undecided|haven['’]t decided|have to decide|need to decide|to be decided|would you|do you want|whether|let me (?:check|see|look|read|find|verify|try|run|search)|let['’]s (?:see|check|look|run|try|verify))\b",
    )
});
static CHINESE: LazyLock<Markers> = LazyLock::new(|| {
    markers(
        r"决定|选择了|选用|改用|采用|我们(?:将|就|会)?(?:使用|用)|就用|最终(?:选|用)|同意|商定|约定|说好|敲定|定为",
        r"打算|计划|会使用|应该用|将会|准备|建议",
        r"因为|由于|这样(?:可以|就)|以便|以免|为了|所以",
        r"(?:而不是|代替|不用|而非)(.{1,60}?)(?:[，。；,;]|$)",
        r"还没决定|尚未决定|是否|要不要|可能|也许|如果.{0,12}决定|怎么决定|[吗呢？?]$",
    )
});
static JAPANESE: LazyLock<Markers> = LazyLock::new(|| {
    markers(
        r"ことにし(?:た|ます|ました)|採用し|に決め(?:た|ました)|決定し|を選(?:び|ん)|に変更し(?:た|ます|ました)|合意し",
        r"を使(?:い|う)|にします|予定です|つもり",
        r"ため(?:に)?[、,]|ので[、,]?|なぜなら|からです|理由は",
        r"(.{1,40}?)(?:の代わりに|ではなく)",
        r"かもしれ|でしょうか|ですか|まだ決め|もし",
    )
});
static FRENCH: LazyLock<Markers> = LazyLock::new(|| {
    markers(
        r"\b(?:(?:on|nous|j['’]|je|avons|ai|a) ?(?:avons |ai |a )?(?:décidé|choisi|opté|retenu|convenu)|(?:on|nous|je) (?:va|allons|vais) (?:utiliser|garder|partir sur|prendre)|partons sur|on part sur|d['’]accord pour)",
        r"\b(?:au lieu d[e']|plutôt qu[e']|utiliserai|utiliserons|il faut|je vais|nous allons|préfère|préférons|la meilleure (?:approche|solution))\b",
        r",? ?\b(?:parce qu[e']|car|puisqu[e']|afin d[e']|pour éviter|vu que|étant donné)",
        r"\b(?:au lieu d[e']|plutôt qu[e'])\s*(.{2,80}?)(?:[.,;:)]|$)",
        r"\b(?:peut-être|pourrait|devrions-nous|faut-il|pas encore décidé|si (?:on|nous|vous))\b",
    )
});
static GERMAN: LazyLock<Markers> = LazyLock::new(|| {
    markers(
        r"\b(?:entschieden|beschlossen|ausgewählt|gewählt|einigen uns|geeinigt|vereinbart|wir (?:nehmen|verwenden|benutzen|nutzen|bleiben bei)|ich (?:nehme|verwende|nutze))\b",
        r"\b(?:statt|anstatt|anstelle|werde|werden|sollten|besser|die beste (?:lösung|option)|bevorzuge)\b",
        r",? ?\b(?:weil|da (?:es|die|der|das|wir|sie)|damit|um .{2,60} zu vermeiden|denn|aufgrund|wegen)\b",
        r"\b(?:statt|anstatt|anstelle(?: von)?)\s+(.{2,80}?)(?:[.,;:)]|$)",
        r"\b(?:vielleicht|könnte|sollen wir|noch nicht entschieden|ob wir|falls)\b",
    )
});
static SPANISH: LazyLock<Markers> = LazyLock::new(|| {
    markers(
        r"\b(?:decidí|decidimos|decidido|elegí|elegimos|elegido|optamos|optado|acordamos|acordado|vamos a (?:usar|utilizar|mantener)|voy a (?:usar|utilizar|mantener)|usaremos|usaré)\b",
        r"\b(?:en lugar de|en vez de|prefiero|preferimos|deberíamos|la mejor (?:opción|solución)|conviene)\b",
        r",? ?\b(?:porque|ya que|puesto que|para (?:que|evitar)|debido a|dado que)\b",
        r"\b(?:en lugar de|en vez de)\s+(.{2,80}?)(?:[.,;:)]|$)",
        r"\b(?:quizás?|tal vez|podríamos|deberíamos\?|aún no|si (?:usamos|decides|quieres))\b",
    )
});
static RUSSIAN: LazyLock<Markers> = LazyLock::new(|| {
    markers(
        r"(?:решил[иа]?\b|решено|выбрал[иа]?\b|выбираем|остановил(?:ись|ся) на|договорились|будем использовать|буду использовать|используем|возьмём)",
        r"(?:вместо|нужно|стоит|лучше|предпочита|сделаю|сделаем|добавлю)",
        r",? ?(?:потому что|так как|поскольку|чтобы|из-за|ведь)",
        r"вместо\s+(.{2,80}?)(?:[.,;:)]|$)",
        r"(?:может быть|возможно|если (?:мы|вы|решим)|ещё не решил|стоит ли|\bли\b)",
    )
});

fn in_speech(turn: &Turn, conversation: bool) -> Vec<Decision> {
    let words = if turn.voice == Voice::Person { prose::own_words(&turn.text) } else { turn.text.clone() };
    let language = prose::language_of(&words);
    let markers = match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
        Language::Japanese => &JAPANESE,
        Language::French => &FRENCH,
        Language::German => &GERMAN,
        Language::Spanish => &SPANISH,
        Language::Russian => &RUSSIAN,
    };
    let sentences = prose::sentences(&words);
    let mut found = Vec::new();
    for (at, sentence) in sentences.iter().enumerate() {
        if found.len() >= MAX_PER_MESSAGE {
            break;
        }
        let text = sentence.text.as_str();
        let length = text.chars().count();
        let fits = if language_is_dense(language) { 6..=300 } else { 12..=600 };
        if !fits.contains(&length) || text.ends_with(['?', '？', ':']) || markers.not.is_match(text) {
            continue;
        }
        let strong = markers.strong.is_match(text);
        // Minutes are full of plans in passing; there only a choice in so many words counts.
        if !strong && (conversation || turn.calls || !markers.weak.is_match(text)) {
            continue;
        }
        let reason = reason_in(text, &markers.reason).or_else(|| {
            // A strong choice may give its reason in the sentence behind it.
            let next = sentences.get(at + 1).filter(|_| strong)?;
            let lower = next.text.to_lowercase();
            [
                "this ",
                "that way",
                "because",
                "the reason",
                "this way",
                "reason:",
                "since ",
                "它",
                "这样",
                "因为",
                "cela ",
                "dies ",
                "das ",
                "esto ",
                "это ",
            ]
            .iter()
            .any(|p| lower.starts_with(p))
            .then(|| next.text.clone())
        });
        if !strong && reason.is_none() {
            continue;
        }
        let alternatives = markers
            .instead
            .captures(text)
            .and_then(|c| c.get(1))
            .map(|m| vec![m.as_str().trim().to_owned()])
            .filter(|_| strong)
            .unwrap_or_default();
        found.push(decision(text, reason.as_deref().unwrap_or(""), alternatives, vec![turn.seq]));
    }
    found
}

fn language_is_dense(language: Language) -> bool {
    matches!(language, Language::Chinese | Language::Japanese)
}

/// The clause that gives the reason, with the word that opens it removed when it is only a joint.
fn reason_in(text: &str, reason: &Regex) -> Option<String> {
    let hit = reason.find(text)?;
    let clause = text.get(hit.start()..)?.trim_start_matches([',', ';', ' ', '—', '–', '，']).trim();
    (clause.chars().count() >= 6).then(|| clause.to_owned())
}

/// How a reply begins that takes one of the choices.
static CHOOSES: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the pattern is a constant, and a test compiles it")]
    Regex::new(r"(?i)^\W*(?:yes|yep|yeah|sure|ok(?:ay)?|no\b|nope|go ahead|please do|do it|option|the (?:first|second|third|latter|former)|let['’]s|both|neither|all of|\d\b|[a-d]\)?$|agreed|confirm|correct|sounds good|proceed|是|好|对|可以|不|同意|行|选|oui|non|d['’]accord|ja\b|nein|sí|si\b|vale|да|нет|давай|согласен|はい|いいえ|お願い)").expect("the pattern is valid")
});

/// A short reply to the model's question decides what was asked.
fn short_answer(before: &Turn, turn: &Turn) -> Option<Decision> {
    if before.voice != Voice::Assistant
        || before.calls
        || turn.text.chars().count() > 120
        || turn.text.contains(['?', '？'])
    {
        return None;
    }
    let tail: Vec<prose::Sentence> = prose::sentences(&before.text);
    let at = tail.iter().rposition(|s| s.text.ends_with(['?', '？'])).filter(|at| at + 3 >= tail.len())?;
    // "Which one?" needs the sentence before it.
    let from = if tail.get(at)?.text.chars().count() < 40 { at.saturating_sub(1) } else { at };
    let question = tail.get(from..=at)?.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join(" ");
    CHOOSES.is_match(&turn.text).then(|| {
        decision(
            &format!("{} — answered: {}", clip(&question, 220), turn.text.trim()),
            "",
            Vec::new(),
            vec![before.seq, turn.seq],
        )
    })
}

// ---- by tools

fn by_tools(span: &[Numbered]) -> Vec<Decision> {
    let mut waiting: BTreeMap<&str, (i64, &ToolCall)> = BTreeMap::new();
    let mut found = Vec::new();
    for Numbered { seq, message } in span {
        if message.role == Role::Assistant {
            waiting.extend(message.calls().map(|call| (call.id.as_str(), (*seq, call))));
        }
        for result in message.results() {
            let Some((call_seq, call)) = waiting.remove(result.call_id.as_str()) else { continue };
            let seqs = vec![call_seq, *seq];
            let text = result.text();
            match call.name.as_str() {
                "AskUserQuestion"
                | "ask_user_question"
                | "ask_followup_question"
                | "request_user_input"
                | "ask_user" => {
                    found.extend(answers(call, &text, &seqs));
                }
                "ExitPlanMode" | "exit_plan_mode" => found.extend(plan(call, &text, &seqs)),
                _ => found.extend(action(call, &text, result.is_error, seqs)),
            }
        }
    }
    found
}

/// `User has answered your questions: "Q"="A", "Q2"="A2". …`, with the options that were not chosen.
fn answers(call: &ToolCall, text: &str, seqs: &[i64]) -> Vec<Decision> {
    static PAIR: LazyLock<Regex> = LazyLock::new(|| {
        #[expect(clippy::expect_used, reason = "the pattern is a constant, and a test compiles it")]
        Regex::new(r#"(?s)"([^"]{1,1000}?)"\s?=\s?"(.{1,2000}?)"(?:[,.]|\s|$)"#)
            .expect("the pattern is valid")
    });
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    let pairs: Vec<(String, String)> = PAIR
        .captures_iter(text)
        .take(20)
        .filter_map(|c| Some((c.get(1)?.as_str().to_owned(), c.get(2)?.as_str().to_owned())))
        .collect();
    if pairs.is_empty() {
        // Other agents hand the bare answer back.
        let question = ["question", "prompt", "message"].iter().find_map(|k| arguments.get(*k)?.as_str());
        let declined = text.trim_start().starts_with("The user doesn't want to");
        return question
            .filter(|_| !text.trim().is_empty() && !declined && text.len() < 2_000)
            .map(|q| {
                decision(
                    &format!("{}: {}", clip(q, 200), squash(text)),
                    "the user's answer",
                    Vec::new(),
                    seqs.to_vec(),
                )
            })
            .into_iter()
            .collect();
    }
    pairs
        .into_iter()
        .map(|(question, answer)| {
            let options = arguments
                .get("questions")
                .and_then(Value::as_array)
                .and_then(|all| {
                    all.iter().find(|q| q.get("question").and_then(Value::as_str) == Some(question.as_str()))
                })
                .and_then(|q| q.get("options")?.as_array())
                .map(|options| {
                    options
                        .iter()
                        .filter_map(|o| o.get("label").or(Some(o))?.as_str().map(str::to_owned))
                        .filter(|label| !answer.contains(label.as_str()))
                        .take(6)
                        .collect()
                })
                .unwrap_or_default();
            decision(
                &format!("{} → {answer}", clip(&question, 200)),
                "the user's answer",
                options,
                seqs.to_vec(),
            )
        })
        .collect()
}

fn plan(call: &ToolCall, text: &str, seqs: &[i64]) -> Option<Decision> {
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    let plan = arguments.get("plan").and_then(Value::as_str).unwrap_or("");
    let title =
        plan.lines().map(|l| l.trim_start_matches('#').trim()).find(|l| !l.is_empty()).unwrap_or("the plan");
    let lower = text.to_lowercase();
    if lower.contains("doesn't want to proceed") || lower.contains("rejected") {
        let said = text.split_once("the user said:").map_or("", |(_, said)| said.trim());
        return Some(decision(
            &format!("Plan rejected by the user: {}", clip(title, 200)),
            said,
            Vec::new(),
            seqs.to_vec(),
        ));
    }
    (lower.contains("approved") || lower.contains("can now start")).then(|| {
        decision(
            &format!("Plan approved by the user: {}", clip(title, 200)),
            "the user approved it",
            Vec::new(),
            seqs.to_vec(),
        )
    })
}

const ACTIONS: &[&str] = &[
    "cancel",
    "book",
    "refund",
    "exchange",
    "return",
    "transfer",
    "pay",
    "order",
    "purchase",
    "reserve",
    "schedule",
    "reschedule",
    "send",
    "submit",
    "assign",
    "approve",
    "reject",
    "close",
    "resolve",
    "escalate",
    "modify",
    "update",
    "upgrade",
    "subscribe",
    "unsubscribe",
    "activate",
    "deactivate",
    "enable",
    "disable",
    "grant",
    "revoke",
    "merge",
    "publish",
    "deploy",
    "invite",
    "register",
    "charge",
    "issue",
    "resume",
    "suspend",
];

/// An action on the world that a tool carried out (`cancel_reservation`): done is decided.
fn action(call: &ToolCall, text: &str, is_error: Option<bool>, seqs: Vec<i64>) -> Option<Decision> {
    let name = call.name.rsplit("__").next().unwrap_or(&call.name);
    let lower = name.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(['_', '-', '.']).collect();
    let acts = words.first().is_some_and(|w| ACTIONS.contains(w)) && words.len() >= 2;
    // Todo lists, files, notebooks and the agent's own plans are told elsewhere.
    let own = words.iter().any(|w| {
        matches!(
            *w,
            "todo"
                | "todos"
                | "plan"
                | "task"
                | "tasks"
                | "file"
                | "files"
                | "notebook"
                | "memory"
                | "topic"
                | "keys"
                | "input"
                | "stdin"
        )
    });
    let head = text.trim_start().get(..40.min(text.trim_start().len())).unwrap_or("").to_ascii_lowercase();
    let failed = is_error == Some(true)
        || head.starts_with("error")
        || head.starts_with("{\"error")
        || head.starts_with("failed");
    if !acts || own || failed {
        return None;
    }
    let arguments: Value = serde_json::from_str(&call.arguments).ok()?;
    let said = arguments
        .as_object()?
        .iter()
        .filter_map(|(k, v)| match v {
            Value::String(s) => Some(format!("{k} {}", clip(s, 120))),
            Value::Number(n) => Some(format!("{k} {n}")),
            Value::Bool(b) => Some(format!("{k} {b}")),
            Value::Array(_) | Value::Object(_) => Some(format!("{k} {}", clip(&v.to_string(), 160))),
            Value::Null => None,
        })
        .collect::<Vec<_>>()
        .join(", ");
    Some(decision(&format!("{name}: {said}"), "", Vec::new(), seqs))
}
