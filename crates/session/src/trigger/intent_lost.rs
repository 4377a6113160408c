//! The agent does not know its task any more: it asks what it is, or says that it cannot recall it.
//!
//! A question for a first task ("what can I do for you?") is none of these, nor is one about a detail.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use regex::Regex;

use super::{Situation, packed};
use crate::settings::Policy;
use crate::signal::{Action, Signal, SignalKind};
use anchord_facts::ledger::pattern;
use anchord_messages::id::Seq;

/// Bytes that are looked at, at each end of a message.
const END_BYTES: usize = 2 * 1024;
/// The agent's words count for this many messages: as many as hysteresis may hold a compression back.
const HOLDS: Seq = 10;

/// What is lost, as each language calls it, for a first look that most texts do not pass.
const SUBJECTS: &[&str] = &[
    "task",
    "goal",
    "objective",
    "request",
    "instruction",
    "assignment",
    "track of",
    "the thread",
    "supposed to",
    "asked me",
    "working on",
    "trying to",
    "任务",
    "目标",
    "要求",
    "让我做",
    "tâche",
    "objectif",
    "demande",
    "consigne",
    "le fil",
    "aufgabe",
    "ziel",
    "auftrag",
    "anweisung",
    "faden",
    "tarea",
    "objetivo",
    "petición",
    "instrucciones",
    "el hilo",
    "pediste",
    "задач",
    "задани",
    "цел",
    "просил",
    "нить",
    "タスク",
    "課題",
    "目的",
    "指示",
    "依頼",
    "作業",
];

/// Sentences by language. `~` stands for what may lie between two words of one sentence.
const SENTENCES: &[&str] = &[
    // English
    r"\bi(?:'ve| have)? (?:lost track of|forgotten|forgot) (?:what|which|the|my|our)\b~\b(?:task|goal|objective|request|instructions?|assignment|supposed to|asked me|trying to|working on)\b",
    r"\bi(?:'ve| have) lost (?:the thread|sight of (?:the|my|our) (?:task|goal|objective))\b",
    r"\bi(?:'ve| have)? lost track of (?:the|my|our) (?:original |current )?(?:task|goal|objective|request)\b",
    r"\bi (?:no longer|don't|do not|can't|cannot|can no longer) (?:quite |really |clearly )?(?:remember|recall|know)(?: exactly)?,? (?:what )?(?:the|my|our) (?:original |initial |current |overall )?(?:task|goal|objective|assignment)\b",
    r"\bi (?:no longer|don't|do not|can't|cannot|can no longer) (?:quite |really |clearly )?(?:remember|recall)(?: exactly)? what (?:i|we) (?:was|were|am|are) (?:asked|supposed|trying|working|doing)\b",
    r"\bwhat (?:was|were) (?:i|we) (?:supposed to (?:do|be doing|work on)|working on|trying to (?:do|achieve)|asked to do)\b~\?",
    r"\bwhat (?:was|is) (?:the|my|our) (?:original |initial |actual |overall )?(?:task|goal|objective|assignment|request)(?: again)?\?",
    r"\b(?:could|can|would|please)\b~\b(?:remind me (?:what|of)|restate|repeat)\b~\b(?:task|goal|objective|assignment|original request|instructions|supposed to)\b",
    // Chinese
    r"(?:我|已经)(?:忘记?了?|不记得|记不清|记不起|想不起)[^。！？\n]*(?:任务|目标|要求|让我做)",
    r"(?:任务|目标)(?:到底|究竟|原本|最初)?(?:是什么来着|是什么呢?[?？])",
    r"(?:提醒|告诉)我[^。！？\n]*(?:任务|目标)(?:是什么|内容)",
    r"我们?(?:刚才|之前|原本)(?:在|要|是要)做什么(?:来着)?[?？]",
    // French
    r"\bj'ai (?:oublié|perdu de vue|perdu) ~(?:\btâche|\bobjectif|\bdemande|\bconsigne|\ble fil\b)",
    r"\bje ne (?:me (?:souviens|rappelle) (?:plus|pas)|sais plus)\b~(?:\btâche|\bobjectif|\bdemande|\bconsigne|\bje devais\b)",
    r"\bquell?e? (?:était|est)(?: déjà)? (?:la tâche|l'objectif|ma tâche|mon objectif|la demande)(?: initiale?)?(?: déjà)? ?\?",
    r"(?:\brappeler?\b|\brappelez\b|\brappelle)[ -]moi\b~(?:\btâche|\bobjectif|\bdemande|\bconsigne)",
    // German
    r"\bich (?:habe|hab')\b~\b(?:aufgabe|ziel|auftrag|anweisung|faden|tun sollte|machen sollte)\b~\b(?:vergessen|verloren|aus den augen)",
    r"\bich (?:erinnere mich nicht(?: mehr)?|weiß nicht mehr|weiss nicht mehr)\b~\b(?:aufgabe|ziel|auftrag|tun soll|machen soll)",
    r"\bwas war (?:noch ?mal|nochmals|doch gleich|denn|eigentlich)?\s*(?:die|meine|unsere|das|mein|unser|der) (?:ursprüngliche[rs]? |eigentliche[rs]? )?(?:aufgabe|ziel|auftrag)\b~\?",
    r"\bwas sollte ich (?:noch ?mal|eigentlich|doch gleich)~(?:tun|machen)",
    // Spanish
    r"\b(?:he olvidado|olvidé|se me olvidó|perdí|he perdido) ~(?:\btarea|\bobjetivo|\bpetición|\binstrucciones|\bel hilo\b|\bpediste)",
    r"\b(?:no|ya no) (?:recuerdo|me acuerdo|sé) ~(?:\bcuál (?:era|es) (?:la|mi|el) (?:tarea|objetivo)|\btarea original|\bqué (?:tenía|debía) (?:que )?hacer|\bpediste)",
    r"¿\s*cuál (?:era|es) (?:la|mi|el) (?:tarea|objetivo)(?: original| inicial)?\s*\?",
    r"\brecu[eé]rd(?:ame|eme|arme)\b~(?:\btarea|\bobjetivo|\bpetición)",
    // Russian
    r"я (?:уже )?(?:забыла?|не помню|не могу вспомнить|потеряла?)[^.!?\n]*(?:задач|задани|цель|цели|просил|нить)",
    r"как(?:ая|ова|ое) (?:была|была? изначальн\p{L}*|изначальная|исходная) (?:задача|цель|задание)[^.!?\n]*\?",
    r"напомни(?:те)?[^.!?\n]*(?:задач|задани|цель)",
    r"что (?:я|мы) (?:должен|должна|должны) (?:был|была|были) (?:с)?делать\?",
    // Japanese
    r"(?:タスク|課題|目的|指示|依頼|作業)(?:の内容)?(?:を|が)?(?:何だったか)?(?:忘れて(?:しま|い)|忘れました|思い出せ|覚えていま?せん|見失)",
    r"(?:元の|最初の|本来の)?(?:タスク|課題|目的|依頼)は何(?:でした|だった)",
    r"(?:タスク|課題|目的|指示|依頼)(?:の内容)?を(?:もう一度|改めて)(?:教えて|確認させて)",
];

static LOST: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let between = r"[^.!?。！？\n]*";
    // Word boundaries beside a letter outside of ASCII do not hold in ASCII's sense; no pattern has one.
    SENTENCES.iter().map(|sentence| pattern::ascii(&sentence.replace('~', between))).collect()
});

/// For texts in lower case: an automaton that minds no case, or wants every match, looks at each byte by itself.
static SUBJECT: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(SUBJECTS).ok());

/// Whether the agent asks what its task is, or says that it cannot recall it.
pub(super) fn is_said(text: &str) -> bool {
    let (head, tail) = packed::ends(text, END_BYTES);
    [head, tail].iter().any(|piece| is_said_in(piece))
}

fn is_said_in(text: &str) -> bool {
    let has_subject = |text: &str| SUBJECT.as_ref().is_some_and(|subject| subject.is_match(text));
    // Most texts are ASCII and name no subject.
    if text.is_empty() || (text.is_ascii() && !has_subject(&text.to_ascii_lowercase())) {
        return false;
    }
    let text = plain(text);
    has_subject(&text) && LOST.iter().any(|sentence| sentence.is_match(&text))
}

/// The agent's own words in lower case: no quotes, no code, one kind of apostrophe.
fn plain(text: &str) -> Cow<'_, str> {
    let mut own = String::with_capacity(text.len());
    let mut in_code = false;
    for line in text.lines() {
        let start = line.trim_start();
        if start.starts_with("```") || start.starts_with("~~~") {
            in_code = !in_code;
        } else if !in_code && !start.starts_with('>') && !start.starts_with('|') {
            own.push_str(line);
            own.push('\n');
        }
    }
    Cow::Owned(own.to_lowercase().replace(['\u{2019}', '\u{02bc}'], "'"))
}

/// The agent lost its task in the last messages.
pub(super) fn signal(_: &Policy, situation: &Situation<'_>) -> Signal {
    let lost = situation.recent.lost;
    let kind = SignalKind::IntentLost;
    if lost > 0 && situation.head - lost < HOLDS {
        Signal::new(kind, Action::Compress, format!("message {lost} does not know the task"))
    } else {
        Signal::new(kind, Action::None, "the agent knows its task")
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("I've lost track of what I was supposed to do here.")]
    #[case("Hmm, I no longer remember what the original task was.")]
    #[case("I don’t recall what we were trying to achieve with this change.")]
    #[case("Sorry, what was the task again?")]
    #[case("What was I working on?")]
    #[case("Could you please remind me what the goal of this session is?")]
    #[case("I cannot recall the original task, so I will look at the repository first.")]
    #[case("我忘记了最初的任务是什么，请再说一遍。")]
    #[case("抱歉，任务是什么来着？")]
    #[case("你能提醒我这次的任务是什么吗？")]
    #[case("J'ai oublié quelle était la tâche initiale.")]
    #[case("Je ne me souviens plus de l'objectif. Pouvez-vous m'aider ?")]
    #[case("Quelle était la tâche déjà ?")]
    #[case("Ich habe leider die eigentliche Aufgabe vergessen.")]
    #[case("Ich weiß nicht mehr, was meine Aufgabe war.")]
    #[case("Was war nochmal die Aufgabe?")]
    #[case("He olvidado cuál era la tarea.")]
    #[case("No recuerdo cuál era el objetivo, ¿me lo repites?")]
    #[case("¿Cuál era la tarea original?")]
    #[case("Я забыл, какая была задача.")]
    #[case("Напомните, пожалуйста, какую задачу мы решаем.")]
    #[case("Я не помню, что меня просили сделать с этим файлом.")]
    #[case("すみません、タスクの内容を忘れてしまいました。")]
    #[case("元の依頼は何でしたか？")]
    #[case("最初の目的が思い出せません。")]
    fn an_agent_that_lost_its_task_says_so_in_its_language(#[case] text: &str) {
        assert!(is_said(text), "{text}");
    }

    #[rstest]
    #[case("How can I help you today?")]
    #[case("What would you like me to work on next?")]
    #[case("I remember the task: rename the module. I will do that now.")]
    #[case("Do not forget the goal: the tests must stay green.")]
    #[case("The task was created. What is the name of the request handler?")]
    #[case("I forgot to close the file, let me fix that before the next task.")]
    #[case("I forgot the import. The request fails because of it.")]
    #[case("I don't know the password of the database; could you give it to me?")]
    #[case("I can't remember passwords between sessions.")]
    #[case("> I have lost track of the task\nThat is what the log says.")]
    #[case("```\nI forgot what the task was\n```\nis the text of the dialog.")]
    #[case("我记得任务：把模块改名。现在开始。")]
    #[case("这个任务已经完成，下一步要做什么？")]
    #[case("别忘了更新任务列表。")]
    #[case("La tâche est terminée. Que voulez-vous faire ensuite ?")]
    #[case("J'ai oublié un import, je corrige.")]
    #[case("Die Aufgabe ist erledigt. Was soll ich als Nächstes tun?")]
    #[case("Ich habe vergessen, die Datei zu schließen.")]
    #[case("La tarea está terminada. ¿Qué más necesitas?")]
    #[case("Olvidé cerrar el archivo.")]
    #[case("Задача выполнена. Что делать дальше?")]
    #[case("Я забыл закрыть файл.")]
    #[case("タスクは完了しました。次は何をしますか？")]
    #[case("ファイルを閉じるのを忘れました。")]
    fn an_agent_that_knows_its_task_is_left_alone(#[case] text: &str) {
        assert!(!is_said(text), "{text}");
    }

    #[test]
    fn a_huge_message_is_looked_at_by_its_ends() {
        let text = format!("{}\nSorry, what was the task again?", "x ".repeat(2_000_000));
        assert!(is_said(&text));
    }
}
