//! What comes next.

use std::sync::LazyLock;

use regex::Regex;

use super::super::ledger::line::squash;
use super::super::ledger::pattern::Rare;
use super::super::ledger::prose::Sentence;
use super::super::ledger::{Facts, TodoStatus, pattern};
use super::phrases::Phrases;
use super::state::{without_fences, without_tags};
use super::{Turn, Turns, clip, is_placeholder, is_pleasantry, talk};

/// The most next steps.
const MAX_STEPS: usize = 12;
/// The longest next step, in characters.
const MAX_STEP: usize = 260;
/// How many of the model's last messages are read for what comes next.
const RECENT: usize = 4;

/// The next steps and the messages that they came from.
pub(super) fn find(turns: &Turns, facts: &Facts, phrases: &Phrases) -> (Vec<String>, Vec<i64>) {
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
        return talk::agreed(turns);
    }
    let announced = announced(turns, phrases);
    if !announced.0.is_empty() {
        return announced;
    }
    if turns.turn_is_over {
        return (Vec::new(), Vec::new());
    }
    // Nothing lies ahead in so many words: an unfinished turn goes on with what was asked. Where the
    // task is all that was asked, the move in hand says more than the task again.
    let moves = under_way(turns);
    match last_request(turns) {
        Some((turn, request)) => {
            let mut seqs = vec![turn.seq];
            seqs.extend(moves.iter().map(|(seq, _)| *seq));
            let mut steps = vec![format!("{} {request}", phrases.go_on)];
            steps.extend(moves.into_iter().map(|(_, text)| text));
            (steps, seqs)
        }
        None => moves.into_iter().map(|(seq, text)| (text, seq)).unzip(),
    }
}

/// The last request of a person behind the session's first, in a line.
fn last_request(turns: &Turns) -> Option<(&Turn, String)> {
    let turn = turns.persons().next_back().filter(|t| !is_placeholder(&t.text))?;
    let first = turns.persons().find(|t| !is_placeholder(&t.text))?;
    let request = clip(&squash(&without_tags(&without_fences(&turn.text))), MAX_STEP);
    let is_the_task = turn.seq == first.seq && turn.text.chars().count() > MAX_STEP;
    (!is_the_task && !is_placeholder(&request) && !is_pleasantry(&request)).then_some((turn, request))
}

/// What the model was doing when the span ends, by its last words before a tool.
fn under_way(turns: &Turns) -> Option<(i64, String)> {
    let turn = turns.assistants().next_back().filter(|t| t.under_way)?;
    let last = turn_announcements(turn).pop()?;
    Some((turn.seq, last))
}

static ANNOUNCES: LazyLock<Rare> = LazyLock::new(|| {
    Rare::new(
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
static STEP_HEADING: LazyLock<Rare> = LazyLock::new(|| {
    Rare::new(
        r"(?i)(?:next steps?|remaining(?: work| tasks| steps)?|to ?do|what['’]s (?:next|left)|follow[- ]ups?|action items?|still to do|prochaines étapes|nächste schritte|próximos pasos|следующие шаги|下一步|待办|次のステップ|残作業)\b?[^.]{0,40}[:：]?\W*$",
    )
});

/// What the model says it will do, from its last messages; lists under a heading come first.
fn announced(turns: &Turns, phrases: &Phrases) -> (Vec<String>, Vec<i64>) {
    for (back, turn) in turns.assistants().rev().take(RECENT).enumerate() {
        let mut steps = under_heading(turn.sentences());
        let listed = !steps.is_empty();
        // A message that ends its turn reports; only an open turn, or the very last words, announce.
        // What was announced further back, or before a tool that has answered, has been done since.
        if !listed && back <= 1 && !turn.under_way {
            steps = turn_announcements(turn);
        }
        if steps.is_empty() {
            // An offer at the end of a finished turn is what may come next.
            if back == 0 && turns.turn_is_over {
                steps = offers(turn.sentences(), phrases);
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

/// The announcements of one message, the last three of them.
fn turn_announcements(turn: &Turn) -> Vec<String> {
    let mut steps: Vec<String> = turn
        .sentences()
        .iter()
        .filter(|s| {
            ANNOUNCES.is_match(&s.text) && !s.text.ends_with(['?', '？']) && s.text.chars().count() <= 400
        })
        .map(|s| clip(s.text.trim_end_matches([':', '：']), MAX_STEP))
        .filter(|s| !is_placeholder(s) && !is_closing(s))
        .collect();
    // The last of several announcements is the one that still lies ahead.
    let surplus = steps.len().saturating_sub(3);
    steps.drain(..surplus);
    steps
}

/// "Let me know if …" and "feel free" close a turn politely.
fn is_closing(sentence: &str) -> bool {
    static CLOSING: LazyLock<Regex> = LazyLock::new(|| {
        pattern::unicode(
            r"(?i)^(?:\W|please |just )*(?:let me know|feel free|i(?:['’]d| would) be (?:happy|glad)|i hope|n['’]hésite|lass(?:en sie)? (?:es )?mich wissen|avísame|hágamelo saber|дай(?:те)? знать|如有|如果(?:你|您)(?:还)?有)",
        )
    });
    CLOSING.is_match(sentence)
}

fn offers(sentences: &[Sentence], phrases: &Phrases) -> Vec<String> {
    static OFFER: LazyLock<Regex> = LazyLock::new(|| {
        pattern::unicode(
            r"(?i)^(?:would you like|do you want|should i|shall i|want me to|let me know|if you(?:['’]d)? (?:like|want)|could you|can you|please (?:provide|confirm|let|tell)|souhaitez|voulez|veux-tu|dois-je|möchten sie|möchtest|soll ich|quieres|desea|¿|хотите|хочешь)|(?:需要我|要不要|您(?:想|是否|需要)|你(?:想|是否|需要)|请(?:问|提供|确认)|よろしいですか|しますか|ましょうか)",
        )
    });
    sentences
        .iter()
        .rev()
        .take(4)
        .filter(|s| OFFER.is_match(&s.text) && !super::blockers::is_courtesy(&s.text))
        .take(2)
        .map(|s| clip(&format!("{} {}", phrases.await_answer, s.text), MAX_STEP))
        .collect()
}

/// The list items under the last heading that names next steps.
fn under_heading(sentences: &[Sentence]) -> Vec<String> {
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
