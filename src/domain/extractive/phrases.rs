//! The few words of our own that stand around a session's words, in the session's language.

use super::super::ledger::prose::{self, Language};
use super::{Turns, Voice};

/// Our words in one language.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Phrases {
    /// In front of a request that is not done yet.
    pub go_on: &'static str,
    /// In front of a question that waits for the person.
    pub await_answer: &'static str,
    /// In front of a question that nobody answered.
    pub open_question: &'static str,
    /// In front of the names of those who talk.
    pub talk_of: &'static str,
    /// In front of what a person asked for later.
    pub later: &'static str,
    /// In front of an approved plan's title.
    pub plan_approved: &'static str,
    /// In front of a rejected plan's title.
    pub plan_rejected: &'static str,
}

const ENGLISH: Phrases = Phrases {
    go_on: "Continue:",
    await_answer: "Await the user's answer:",
    open_question: "Open question:",
    talk_of: "Conversation between",
    later: "Later:",
    plan_approved: "Plan approved by the user:",
    plan_rejected: "Plan rejected by the user:",
};
const CHINESE: Phrases = Phrases {
    go_on: "继续：",
    await_answer: "等待用户回答：",
    open_question: "未决问题：",
    talk_of: "对话参与者：",
    later: "后来：",
    plan_approved: "用户已批准计划：",
    plan_rejected: "用户否决了计划：",
};
const JAPANESE: Phrases = Phrases {
    go_on: "続行：",
    await_answer: "ユーザーの回答待ち：",
    open_question: "未解決の質問：",
    talk_of: "会話の参加者：",
    later: "その後：",
    plan_approved: "ユーザーが承認した計画：",
    plan_rejected: "ユーザーが却下した計画：",
};
const FRENCH: Phrases = Phrases {
    go_on: "Continuer :",
    await_answer: "Réponse attendue :",
    open_question: "Question ouverte :",
    talk_of: "Conversation entre",
    later: "Ensuite :",
    plan_approved: "Plan approuvé par l'utilisateur :",
    plan_rejected: "Plan refusé par l'utilisateur :",
};
const GERMAN: Phrases = Phrases {
    go_on: "Weiter mit:",
    await_answer: "Antwort abwarten:",
    open_question: "Offene Frage:",
    talk_of: "Gespräch zwischen",
    later: "Später:",
    plan_approved: "Vom Nutzer genehmigter Plan:",
    plan_rejected: "Vom Nutzer abgelehnter Plan:",
};
const SPANISH: Phrases = Phrases {
    go_on: "Continuar:",
    await_answer: "Esperar la respuesta:",
    open_question: "Pregunta abierta:",
    talk_of: "Conversación entre",
    later: "Después:",
    plan_approved: "Plan aprobado por el usuario:",
    plan_rejected: "Plan rechazado por el usuario:",
};
const RUSSIAN: Phrases = Phrases {
    go_on: "Продолжить:",
    await_answer: "Ждать ответа:",
    open_question: "Открытый вопрос:",
    talk_of: "Разговор между",
    later: "Позже:",
    plan_approved: "План одобрен пользователем:",
    plan_rejected: "План отклонён пользователем:",
};
const PORTUGUESE: Phrases = Phrases {
    go_on: "Continuar:",
    await_answer: "Aguardar a resposta:",
    open_question: "Pergunta em aberto:",
    talk_of: "Conversa entre",
    later: "Depois:",
    plan_approved: "Plano aprovado pelo usuário:",
    plan_rejected: "Plano rejeitado pelo usuário:",
};
const ITALIAN: Phrases = Phrases {
    go_on: "Continuare:",
    await_answer: "Attendere la risposta:",
    open_question: "Domanda aperta:",
    talk_of: "Conversazione tra",
    later: "Poi:",
    plan_approved: "Piano approvato dall'utente:",
    plan_rejected: "Piano respinto dall'utente:",
};
const KOREAN: Phrases = Phrases {
    go_on: "계속:",
    await_answer: "사용자의 답변 대기:",
    open_question: "남은 질문:",
    talk_of: "대화 참여자:",
    later: "이후:",
    plan_approved: "사용자가 승인한 계획:",
    plan_rejected: "사용자가 거절한 계획:",
};

/// How much of the span tells its language, in messages.
const SAMPLE_TURNS: usize = 12;
/// How much of each of them, in characters.
const SAMPLE_CHARS: usize = 300;

/// Our words in the language that the people of a span speak; the model's, when nobody speaks.
pub(super) fn of(turns: &Turns) -> &'static Phrases {
    let sample = |voice: Voice| -> String {
        let said = turns.all.iter().filter(|t| t.voice == voice).take(SAMPLE_TURNS);
        said.flat_map(|t| t.text.chars().take(SAMPLE_CHARS).chain([' '])).collect()
    };
    let by_people = sample(Voice::Person);
    let text = if by_people.trim().is_empty() { sample(Voice::Assistant) } else { by_people };
    match prose::language_of(&text) {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
        Language::Japanese => &JAPANESE,
        Language::French => &FRENCH,
        Language::German => &GERMAN,
        Language::Spanish => &SPANISH,
        Language::Russian => &RUSSIAN,
        Language::Portuguese => &PORTUGUESE,
        Language::Italian => &ITALIAN,
        Language::Korean => &KOREAN,
    }
}
