//! What the session is for: the first real task, and later changes of scope by the person.

use std::sync::LazyLock;

use regex::Regex;

use super::super::ledger::line::{clip_middle, squash};
use super::super::ledger::{pattern, prose};
use super::super::proposal::ProposedIntent;
use super::super::summary::Summary;
use super::phrases::Phrases;
use super::{Turn, Turns, clip, is_placeholder, talk};

/// The longest intent, in characters: head and tail of a longer task.
pub(super) const MAX_INTENT: usize = 1_500;
/// How many messages of a person are looked at for the first that states a task.
const OPENING: usize = 20;
/// The longest message that is read for a change of scope, in characters: a longer one is a new brief by itself.
const MAX_CHANGE: usize = 1_500;

/// Finds the intent that a span states.
pub(super) fn find(turns: &Turns, base: Option<&Summary>, phrases: &Phrases) -> Option<ProposedIntent> {
    let known = base.is_some_and(|b| !b.session_intent.trim().is_empty());
    if known {
        let (turn, text) = if turns.conversation { None } else { last_change(turns, 0) }?;
        return Some(ProposedIntent { text, changes_scope: true, seqs: vec![turn.seq] });
    }
    if turns.conversation {
        return Some(talk::intent(turns, phrases));
    }
    let Some(first) = first_task(turns) else { return without_person(turns) };
    let mut text = clip_middle(first.text.trim(), MAX_INTENT);
    let mut seqs = vec![first.seq];
    // "Fix the build." is a task too, though the next message says more about it.
    if let Some(short) = short_task(turns, first.seq) {
        text = format!("{}\n{text}", short.text.trim());
        seqs.insert(0, short.seq);
    }
    // A first span may hold a change already: both belong to what the session is for.
    if let Some((turn, change)) = last_change(turns, first.seq) {
        text = format!("{text}\n{} {}", phrases.later, clip(&change, MAX_INTENT / 3));
        seqs.push(turn.seq);
    }
    Some(ProposedIntent { text, changes_scope: false, seqs })
}

/// The first message that says more than a greeting; the longest of the opening when none does.
fn first_task(turns: &Turns) -> Option<&Turn> {
    let stated = |t: &&Turn| !is_placeholder(&t.text) && !is_slash_command(&t.text);
    turns
        .persons()
        .filter(stated)
        .take(OPENING)
        .find(|t| substance(&t.text) >= 4 && !is_greeting(&t.text))
        .or_else(|| {
            turns
                .persons()
                .filter(stated)
                .take(OPENING)
                .max_by_key(|t| (substance(&t.text), std::cmp::Reverse(t.seq)))
        })
}

/// A task of two or three words that stands before the first that says more.
fn short_task(turns: &Turns, before: i64) -> Option<&Turn> {
    turns
        .persons()
        .take_while(|t| t.seq < before)
        .take(OPENING)
        .find(|t| substance(&t.text) >= 2 && !is_placeholder(&t.text) && !is_greeting(&t.text))
}

/// Words, where two ideographs make about one.
pub(super) fn substance(text: &str) -> usize {
    let ideographs = text.chars().filter(|c| ('\u{3040}'..='\u{9fff}').contains(c)).count();
    text.split_whitespace().take(50).count() + ideographs / 2
}

fn is_slash_command(text: &str) -> bool {
    text.starts_with('/') && !text.contains(char::is_whitespace) && text.len() < 40
}

fn is_greeting(text: &str) -> bool {
    static GREETING: LazyLock<Regex> = LazyLock::new(|| {
        pattern::unicode(
            r"(?i)^\s*(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks?|ok(?:ay)?|yes|no|bonjour|salut|hallo|guten \w+|hola|buenos \w+|привет|здравствуйте|добрый \w+|你好|您好|嗨|こんにちは|はじめまして)[\s,.!，。！、a-zA-Z']{0,24}$",
        )
    });
    GREETING.is_match(text)
}

fn without_person(turns: &Turns) -> Option<ProposedIntent> {
    if let Some((seq, text)) = &turns.fallback {
        return Some(ProposedIntent {
            text: clip_middle(text.trim(), MAX_INTENT),
            changes_scope: false,
            seqs: vec![*seq],
        });
    }
    let Some(first) = turns.assistants().find(|t| !is_placeholder(&t.text)) else {
        // A span of nothing but calls: the first of them is what the session was doing.
        let (seq, text) = turns.first_call.as_ref()?;
        return Some(ProposedIntent { text: text.clone(), changes_scope: false, seqs: vec![*seq] });
    };
    let sentences = prose::sentences(&first.text);
    let text = sentences.iter().take(3).map(|s| s.text.as_str()).collect::<Vec<_>>().join(" ");
    let text = if text.is_empty() { squash(&first.text) } else { text };
    Some(ProposedIntent { text: clip(&text, MAX_INTENT / 3), changes_scope: false, seqs: vec![first.seq] })
}

/// The last message behind `after` with which the person changes what is to be done.
fn last_change(turns: &Turns, after: i64) -> Option<(&Turn, String)> {
    turns.persons().rev().filter(|t| t.seq > after).find_map(|turn| {
        let text = prose::own_words(&turn.text);
        let text = text.trim();
        (changes_scope(text) && substance(text) >= 5).then(|| (turn, clip_middle(text, MAX_INTENT)))
    })
}

fn changes_scope(text: &str) -> bool {
    // A new task is named at the head of a message; deep inside, the same words tell of other things.
    static HARD: LazyLock<Regex> = LazyLock::new(|| {
        pattern::unicode(
            r"(?ix)^\W*(?:(?:ok(?:ay)?|great|perfect|nice|thanks?|cool|alright|good|now|so|well|hmm+|no|yes|好的?|好吧|d'accord|gut|vale|хорошо|ладно|はい)[\s,.!，。]+){0,3}
            (?:now\ (?:that|with)\ .{3,80}?\b(?:i\ want|i(?:['’]d|\ would)\ like|let['’]?s|can\ you|we\ (?:need|should)|please)\b|new\ task\b|next\ task\b|different\ task\b|another\ task\b|change\ of\ plans?\b|new\ plan\b|now\ let['’]?s\b|let['’]?s\ (?:now\ )?(?:move\ on|switch|pivot|start\ over|instead|change\ direction|forget)\b
            |forget\ (?:about\ |all\ )?(?:that|this|it|the|everything|what)\b|scrap\ (?:that|this|it|the)\b|drop\ (?:that|the\ previous)\b|never\ ?mind[,.\s]+\w+|moving\ on\b|switch(?:ing)?\ to\b|start\ over\b|ignore\ (?:the\ previous|my\ last|that)\b|stop\ (?:that|this|working\ on)\b
            |i\ changed\ my\ mind\b|instead,\ \w+|actually[,\s]+(?:let['’]?s|i\ (?:want|need|would|changed|think\ we)|can\ you|could\ you|we\ (?:should|need)|please|instead|forget|don['’]?t|do|make|fix|build|implement|use)\b
            |新任务|新的任务|换个任务|换一个|算了|接下来我们|现在我们(?:来|开始)|先不(?:做|管)|不做这个|改做|忘掉|忘了(?:刚才|之前)|另一个任务|我改主意
            |新しいタスク|次のタスク|やっぱり|その代わり|前の(?:話|指示)は忘れ|方針を変え
            |nouvelle\ tâche\b|à\ la\ place\b|maintenant\ passons\b|passons\ à\b|oublie[zs]?\b|changement\ de\ plan\b|finalement[,\s]|en\ fait[,\s]+(?:je|on|il|nous|peux|fais)
            |neue\ aufgabe\b|stattdessen\b|vergiss\b|vergessen\ sie\b|planänderung\b|jetzt\ (?:machen|lass)\b|doch\ lieber\b|eigentlich[,\s]+(?:will|möchte|sollten|brauche)
            |nueva\ tarea\b|en\ (?:lugar|vez)\ de\ eso\b|olvida\b|olvídalo\b|cambio\ de\ planes?\b|ahora\ vamos\b|pasemos\ a\b|mejor\ (?:haz|hagamos)\b|en\ realidad[,\s]+(?:quiero|necesito|vamos)
            |nova\ tarefa\b|em\ vez\ disso\b|esquece?\b|esqueça\b|mudança\ de\ planos?\b|mudei\ de\ ideia\b|agora\ vamos\b|na\ verdade[,\s]+(?:quero|preciso|vamos)
            |nuovo\ compito\b|dimentica\b|lascia\ perdere\b|cambio\ di\ programma\b|ho\ cambiato\ idea\b|adesso\ passiamo\b|in\ realtà[,\s]+(?:voglio|vorrei|ho\ bisogno)
            |새(?:로운)?\ 작업|다음\ 작업|그건\ 그만|계획을?\ 바꿔|마음이\ 바뀌
            |новая\ задача|следующая\ задача|вместо\ этого|забудь|теперь\ давай|давай\ теперь|передумал|на\ самом\ деле[,\s]+(?:давай|нужно|надо|хочу)|смена\ планов)",
        )
    });
    let head: String = text.chars().take(300).collect();
    if text.chars().count() <= MAX_CHANGE && HARD.is_match(&head) {
        return true;
    }
    // A message may finish one thing first and turn to the next in a line of its own.
    text.chars().count() <= MAX_CHANGE
        && text.lines().skip(1).take(20).any(|l| l.len() < 400 && HARD.is_match(l))
}
