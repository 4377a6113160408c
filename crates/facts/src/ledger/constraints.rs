//! What must hold: demands of the person and of later system messages, word for word.
//!
//! Invariant: nothing that a tool printed, a file holds or an issue quotes becomes a constraint.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use super::line::clip;
use super::pattern::{self, Rare};
use super::prose::{self, Language};
use anchord_messages::id::Seq;
use anchord_messages::message::{Numbered, Role};

/// The longest constraint of a person, in characters.
const MAX_TEXT: usize = 400;
/// The longest later system message kept word for word, in characters.
const MAX_SYSTEM_TEXT: usize = 4_000;
/// The most constraints taken from one message: what demands more is a document.
const MAX_PER_MESSAGE: usize = 20;
/// The most constraints taken from one span.
const MAX_PER_SPAN: usize = 80;
/// The most messages that one constraint names.
const MAX_SEQS: usize = 20;

/// Who set a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConstraintSource {
    /// The caller, through the pins.
    Pin,
    /// The person in the conversation.
    User,
    /// The operator, in a system message.
    System,
}

/// Something that must hold, word for word.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct Constraint {
    /// Its id, derived from its source and text.
    pub id: String,
    /// Its text, verbatim.
    pub text: String,
    /// Who set it.
    pub source: ConstraintSource,
    /// The messages that it came from; empty for pins.
    pub seqs: Vec<Seq>,
    /// The session that it came from, when merged from another one; `seqs` are that session's then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
}

/// Reads the constraints of a span, in the order of first appearance; `said` is what persons say in each
/// of its messages.
pub(super) fn read(span: &[Numbered], said: &[Option<String>]) -> Vec<Constraint> {
    let mut all: Vec<Constraint> = Vec::new();
    let mut ids = BTreeSet::new();
    // The leading system messages are the system prompt and are served as they are.
    let minutes = prose::is_minutes(span);
    let mut leading = span.first().is_some_and(|n| n.seq <= 1);
    for (Numbered { seq, message }, said) in span.iter().zip(said) {
        leading &= message.role.is_system();
        let found: Vec<(String, ConstraintSource)> = match message.role {
            Role::System | Role::Developer if !leading => {
                let text = message.text();
                let text = text.trim();
                says_something(text)
                    .then(|| (clip(text, MAX_SYSTEM_TEXT), ConstraintSource::System))
                    .into_iter()
                    .collect()
            }
            Role::User => said
                .iter()
                .flat_map(|text| demands(text, minutes))
                .map(|text| (text, ConstraintSource::User))
                .collect(),
            Role::System | Role::Developer | Role::Assistant | Role::Tool => Vec::new(),
        };
        for (text, source) in found {
            let id = id(source, &text);
            if !ids.contains(&id) {
                if all.len() >= MAX_PER_SPAN && source == ConstraintSource::User {
                    continue;
                }
                ids.insert(id.clone());
                all.push(Constraint { id, text, source, seqs: vec![*seq], session_id: None });
            } else if let Some(known) = all.iter_mut().find(|c| c.id == id)
                && known.seqs.len() < MAX_SEQS
                && known.seqs.last() != Some(seq)
            {
                known.seqs.push(*seq);
            }
        }
    }
    all
}

/// The demands among a person's words that the caller dropped.
#[must_use]
pub fn dropped_among(words: &str, dropped: &BTreeSet<String>) -> Vec<String> {
    let mut found = demands(words, false);
    found.retain(|text| dropped.contains(&id(ConstraintSource::User, text)));
    found
}

/// Whether a later system message says anything to hold to: a date or a label alone does not.
fn says_something(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|w| w.chars().nth(1).is_some());
    words.take(3).count() >= 3 || text.chars().filter(|c| *c > '\u{3000}' && c.is_alphabetic()).count() >= 6
}

/// The id of a constraint: the same demand from the same source is the same constraint.
#[must_use]
pub fn id(source: ConstraintSource, text: &str) -> String {
    let name = match source {
        ConstraintSource::Pin => "pin",
        ConstraintSource::User => "user",
        ConstraintSource::System => "system",
    };
    let digest = Sha256::new().chain_update(name).chain_update(text).finalize();
    let head = digest.iter().take(8).fold(0_u64, |n, byte| n << 8 | u64::from(*byte));
    format!("con_{head:016x}")
}

/// The sentences of a person's text that demand something. In `minutes`, people talk to each other:
/// only what is said as an order is one.
fn demands(text: &str, minutes: bool) -> Vec<String> {
    let own = prose::own_words(text);
    let own = prose::around_paste(&own);
    let language = prose::language_of(&own);
    let mut found = Vec::new();
    for sentence in prose::sentences(&own) {
        if found.len() >= MAX_PER_MESSAGE {
            break;
        }
        let words = sentence.text.trim();
        if sentence.heading || words.chars().count() > 4 * MAX_TEXT || !speaks(words) {
            continue;
        }
        if (!minutes || orders(words)) && demands_in(words, language) {
            found.push(clip(words, MAX_TEXT));
        }
    }
    found
}

/// Whether a sentence is language at all, and not data with a marker in it.
fn speaks(words: &str) -> bool {
    let letters = words.chars().filter(|c| c.is_alphabetic() || c.is_whitespace()).count();
    letters * 10 >= words.chars().count() * 6
        && !words.ends_with(':')
        && !reports(words)
        && !is_title(words)
        && !prose::is_listed(words)
}

/// Whether a sentence is a program's message or a robot's comment: a place in a file, a code, an
/// exception's name in front.
fn reports(words: &str) -> bool {
    static REPORT: LazyLock<Regex> = LazyLock::new(|| {
        pattern::ascii(
            r"^(?:\S+:\d+:(?:\d+:)?\s|(?:\w*(?:Error|Exception|Warning))\b|(?i:error|warning|note|hint)(?:\[\w+\])?:|\S+\[bot\]\s)",
        )
    });
    REPORT.is_match(words)
}

/// Whether every word of some length is capitalised, as in a heading of a pasted page.
fn is_title(words: &str) -> bool {
    let mut long = words.split_whitespace().filter(|w| w.chars().nth(3).is_some());
    let titled = |w: &str| {
        w.chars().next().is_some_and(char::is_uppercase) && w.chars().skip(1).any(char::is_lowercase)
    };
    !words.ends_with(['.', '!'])
        && words.split_whitespace().nth(2).is_some()
        && long.clone().next().is_some()
        && long.all(titled)
}

struct Table {
    demand: Rare,
    /// What takes the demand out of a sentence that has its words.
    not: Rare,
}

fn table(demand: &str, not: &str) -> Table {
    let compile = |p: &str| Rare::new(&format!("(?i){p}"));
    Table { demand: compile(demand), not: compile(not) }
}

/// A table of a language that is written in ASCII.
fn ascii_table(demand: &str, not: &str) -> Table {
    let compile = |p: &str| Rare::ascii(&format!("(?i){p}"));
    Table { demand: compile(demand), not: compile(not) }
}

// "Don't", "never", "only" demand something at the head of a clause; behind "I", "we", "it" they tell.
static ENGLISH: LazyLock<Table> = LazyLock::new(|| {
    ascii_table(
        r"(?x)
        (?:^|[,;:.(]\s*|\b(?:and|but|so|please|then|also|or|just|should|must|can|could|will|you)\s+) (?:please\s+|also\s+|just\s+|definitely\s+|absolutely\s+)?
            (?:do\s+not|don['’]?t|never|always|make\s+sure|be\s+sure|ensure|avoid)\s+\w
        | \bto\s+(?:not|never|always)\s+\w | \b(?:want|need|like)\s+(?:you\s+)?to\s+make\s+sure\b
        | \b(?:must|must\s+not|mustn['’]?t|may\s+not|shall|shall\s+not|cannot\s+be|should\s+(?:not|never|only|always)|shouldn['’]?t)\b
        | (?:^|[,;:]\s*|\b(?:please|and|but|should|must|can|to)\s+) only\s+\w
        | \b(?:use|change|modify|edit|touch|run|add|allow|accept|keep|return|support|update|write|send|answer|respond)\b[^.]{0,60}\bonly\b
        | \bwithout\s+(?:any\s+\w|(?:chang|modify|break|touch|add|us|alter|ask|edit|remov|affect|introduc|delet|los|install|requir|creat|rewrit|renam|wait|lett|mak|mov|mention|shar)\w{0,4}ing\b|my\s+\w|permission|approval|confirmation)
        | \b(?:is|are|it's)\s+(?:required|mandatory|forbidden|prohibited|not\s+allowed|off[- ]limits)\b | ^required:\s
        | \b(?:keep|leave|preserve|maintain)\b[^.,;:]{1,60}\b(?:compatible|compatibility|unchanged|untouched|intact|alone|as[-\s]is|as\s+(?:it\s+is|they\s+are))\b
        | \b(?:i|we|he|she|they|my\s+\w+|our\s+\w+)\s+(?:would\s+|really\s+|definitely\s+)?(?:prefers?|refuses?)\b | \b(?:i|we|he|she|they)['’]d\s+(?:much\s+)?(?:rather|prefer)\b | \brather\s+not\b
        | \b(?:won['’]?t|will\s+not|can['’]?t|cannot|does\s*n['’]?t|do\s*n['’]?t|never)\s+(?:eat|eats|drink|fly|drive|swim)\b | \b(?:allergic|allergy|allergies|intolerant|vegetarian|vegan|gluten[- ]free|kosher|halal)\b
        | \bfrom\s+(?:now|here)\s+on\b | \bunder\s+no\s+circumstances\b | \bno\s+matter\s+what\b | \bat\s+all\s+times\b | \bstick\s+(?:to|with)\b | \bhands\s+off\b
        ",
        r"(?x)
        \b(?:you|we|i|they|it|he|she|does|one)\s+(?:don['’]?t|do\s+not|doesn['’]?t|does\s+not)\s+(?:\w+\s+)?(?:have|need|know|think|want\s+to\s+know|care|mind|see|understand|remember|believe|like|get|seem|really)\b
        | \b(?:don['’]?t|do\s+not)\s+(?:need|have)\s+to\b | \bnot\s+(?:required|necessary|mandatory)\b | \bno\s+need\b | \b(?:don['’]?t|do\s+not)\s+(?:worry|bother|mind)\b
        | \bmust\s+(?:have|be\s+(?:a\s+(?:bug|mistake|problem)|because|something|why|due))\b | \bi\s+must\s+(?:say|admit|have)\b | \bnever\s*mind\b
        | \b(?:i|we|they|it|he|she|which|that)\s+(?:should|must|never|always|only|can\s+only|could\s+only|just\s+don['’]?t|really\s+don['’]?t)\b (?:\s+(?:have|see|saw|seen|heard|been|was|were|had|get|got|happens?|works?|fails?|shows?))
        | \b(?:you|one|we)\s+(?:can|could)\s+(?:always|only|just)\b | \bif\s+you\s+don['’]?t\s+mind\b | \bseems?\s+to\s+(?:always|never|only)\b | \bnot\s+only\b | \bso\s+do\s+not\s+\w+\s+understand\b | \bwhy\s+(?:don['’]?t|not|must|should)\b
        ",
    )
});
static CHINESE: LazyLock<Table> = LazyLock::new(|| {
    table(
        r"必须|必需|不要|不能|不得|不准|不许|不可以|不应该|禁止|严禁|切勿|请勿|千万别|千万不|别(?:改|动|删|用|加|忘|碰|修改|删除|使用)|只能|只(?:用|改|允许|需要|修改|使用|可以)|仅(?:用|限|允许|使用|修改|能)|务必|一定要|始终|永远不|总是要|每次都要|确保|保证(?:不|所有)|无论如何|过敏|不吃|吃素|素食|更喜欢|宁愿|宁可",
        r"不必|不一定|不是必须|没必要|要不要|是不是必须|能不能|不能不说|不要紧|为什么(?:必须|不要|不能)|我(?:也|就|都|还|一直|总是|实在)?(?:不能|不得|只能|不要)|他(?:们)?(?:不能|只能|不得)|她(?:们)?(?:不能|只能|不得)|不得不|忍不住|[吗么][？?]?$",
    )
});
static JAPANESE: LazyLock<Table> = LazyLock::new(|| {
    table(
        r"必ず|絶対に|ないでください|しないで|禁止|てはいけない|てはなりません|てはならない|なければならない|なければなりません|ないように|のみ(?:を|で|に|使)|だけ(?:を|で|に)?(?:使|変|修|して)|避けて(?:ください)?|常に|決して|必須|注意してください|してはだめ|ダメです",
        r"必ずしも|しなくても(?:いい|よい|大丈夫)|必要(?:は|が)(?:ない|ありません)|でしょうか|ですか[。？?]?$|心配しないで",
    )
});
static RUSSIAN: LazyLock<Table> = LazyLock::new(|| {
    table(
        r"\b(?:долж(?:ен|на|но|ны)|никогда|всегда|обязательно|нельзя|запрещено|запрещается|необходимо|требуется|убедись|убедитесь|ни в коем случае|следи(?:те)?\b.{0,20}чтобы|только (?:в|на|с|через|используй|измен|меняй|те|этот|эту|этих|один|одну)|не (?:меняй|изменяй|трогай|удаляй|используй|добавляй|делай|пиши|забудь|ломай|запускай|коммить|пуш|надо|следует|должн)\w*|без (?:изменени|внешн|использовани|нов|лишн|разрешени|подтверждени|сторонн|дополнительн)\w*)",
        r"\bне (?:обязательно|нужно|требуется|необходимо)\b|\b(?:я|он|она|они|мы) (?:никогда|всегда|должен был|должна была)\b|\bдолжно быть, ",
    )
});
static FRENCH: LazyLock<Table> = LazyLock::new(|| {
    table(
        r"\b(?:doit|doivent|dois|devez|ne dois|il faut|il ne faut|jamais|toujours|uniquement|seulement|exclusivement|obligatoire(?:ment)?|interdit|interdite|impératif|impérativement|surtout pas|en aucun cas|assure-toi|assurez-vous|veille à|veillez à|sans (?:aucun|aucune|toucher|modifier|changer|casser|passer|utiliser|ajouter|supprimer|demander|prévenir|rompre|perdre)|évite|évitez|n['’]oublie pas|pas de)\b|\b(?:ne|n['’])\s?\w+(?:-\w+)? (?:pas|jamais|rien|que)\b",
        r"\b(?:je|on|nous|il|elle|ils|elles|ça|c['’]) (?:ne |n['’])\w+ (?:pas|jamais|plus|rien)\b|\bne (?:sais|comprends|vois|marche|fonctionne|suis|pense|crois) pas\b|\bpas (?:besoin|obligatoire|nécessaire)\b|\bil n['’]y a pas\b|\bn['’](?:est|es|ai|as|a|ont|était|avait|avons|avez) (?:pas|jamais|toujours|plus|rien)\b|\bcomme toujours\b|\bpas de (?:problème|souci)s?\b|\bdoit être (?:un|le) (?:bug|problème)\b|\bpourquoi\b",
    )
});
static GERMAN: LazyLock<Table> = LazyLock::new(|| {
    table(
        r"\b(?:muss|musst|müssen|müsst|darf (?:nicht|kein\w*|nur)|dürfen (?:nicht|kein\w*|nur)|darfst|niemals|nie|immer|nur|ausschließlich|unbedingt|zwingend|erforderlich|verboten|auf keinen fall|keinesfalls|stell(?:e|en sie)? sicher|achte(?:n sie)? darauf|vermeide|vermeiden|ohne (?:\w+ )?(?:zu|rückfrage|änderung|externe|neue|meine|ausnahme)|bitte (?:\w+ ){0,5}(?:nicht|keine?n?)|(?:ändere?|verwende?|benutze?|lösche?|schreibe?|mache?|füge?|nutze?|entferne?|nimm|committe?|pushe?)\b(?: \S+){0,6} (?:nicht|keine?n?)|keine? (?:neuen|externen|weiteren|änderungen))\b",
        r"\b(?:muss|müssen) (?:\S+ ){0,4}nicht (?:unbedingt|zwingend|sein)\b|\bnicht (?:unbedingt|zwingend|erforderlich|nötig)\b|\b(?:ich|wir|er|sie|es) (?:\w+ )?(?:nie|immer|nur)\b|\bimmer (?:noch|wieder|mehr)\b|\bnoch nie\b|\b(?:ist|sind|war|hat|habe|haben|hatte|wurde) (?:\S+ ){0,3}nie\b|\bwie immer\b|\bnicht nur\b|\bmuss (?:ein|an|am) (?:fehler|bug|problem)\b|\bkein problem\b|\bkeine ahnung\b|\bwarum\b",
    )
});
static SPANISH: LazyLock<Table> = LazyLock::new(|| {
    table(
        r"\b(?:debe|deben|debes|debería|nunca|siempre|jamás|solo|sólo|solamente|únicamente|obligatorio|obligatoria|prohibido|prohibida|hay que|no hay que|asegúrate|asegúrese|en ningún caso|bajo ninguna|evita|evite|sin (?:cambiar|modificar|romper|tocar|usar|preguntar|agregar|añadir|borrar|eliminar|perder|avisar|ningún|ninguna|permiso|confirmación)|no (?:uses|use|usen|cambies|cambie|modifiques|modifique|toques|toque|borres|borre|elimines|elimine|agregues|agregue|añadas|añada|hagas|haga|olvides|olvide|ejecutes|ejecute|escribas|escriba|rompas|rompa|instales|instale|crees|subas|envíes|envíe|incluyas|incluya|se (?:debe|puede|permite)|debe|deben|debes|puede[ns]?))\b",
        r"\bno (?:es )?(?:necesario|obligatorio|hace falta|tiene que|tienes que)\b|\b(?:yo|él|ella|ellos) (?:nunca|siempre|sólo|solo)\b|\bno solo\b|\bcomo siempre\b|\bdebe (?:ser|haber) (?:un )?(?:error|problema|fallo)\b|\bpor qué\b|\bnunca (?:he|ha|había|lo he)\b|\bno (?:hay|tengo|sé|entiendo|veo) ",
    )
});
static PORTUGUESE: LazyLock<Table> = LazyLock::new(|| {
    table(
        r"\b(?:deve|devem|deverá|nunca|sempre|jamais|apenas|somente|unicamente|só (?:use|altere|pode|podem|com|em|no|na|o|a)|obrigatório|obrigatória|obrigatoriamente|proibido|proibida|é preciso|precisa ser|certifique-se|garanta|em hipótese alguma|de jeito nenhum|evite|sem (?:alterar|modificar|mudar|quebrar|tocar|usar|perguntar|adicionar|remover|apagar|perder|avisar|nenhum|nenhuma|permissão|confirmação)|não (?:use|usar|altere|alterar|mude|mudar|modifique|modificar|mexa|mexer|toque|apague|remova|remover|adicione|adicionar|faça|fazer|esqueça|execute|escreva|quebre|instale|crie|envie|inclua|deve|devem|pode|podem|se deve))\b",
        r"\bnão (?:é )?(?:necessário|obrigatório|precisa|preciso)\b|\b(?:eu|ele|ela|eles|elas) (?:nunca|sempre|só|apenas)\b|\bnão (?:só|apenas)\b|\bcomo sempre\b|\bdeve (?:ser|haver|ter) (?:um )?(?:erro|problema|bug)\b|\bpor que\b|\bnunca (?:tinha|vi|fiz|usei)\b|\bnão (?:há|tenho|sei|entendo|vejo) ",
    )
});
static ITALIAN: LazyLock<Table> = LazyLock::new(|| {
    table(
        r"\b(?:deve|devono|devi|dovete|mai|sempre|soltanto|solamente|esclusivamente|solo (?:con|il|la|i|le|in|per|se|usa)|obbligatorio|obbligatoria|obbligatoriamente|vietato|vietata|bisogna|assicurati|assicuratevi|in nessun caso|per nessun motivo|evita|evitate|senza (?:modificare|cambiare|toccare|rompere|usare|chiedere|aggiungere|rimuovere|cancellare|perdere|avvisare|alcun|alcuna|permesso|conferma)|non (?:usare|usate|modificare|modificate|cambiare|cambiate|toccare|toccate|cancellare|rimuovere|aggiungere|fare|dimenticare|eseguire|scrivere|rompere|installare|creare|inviare|includere|deve|devono|devi|si deve|può|possono))\b",
        r"\bnon (?:è )?(?:necessario|obbligatorio|serve|occorre)\b|\b(?:io|lui|lei|loro) (?:mai|sempre|solo)\b|\bnon solo\b|\bcome sempre\b|\bdeve esser(?:e|ci) (?:un )?(?:errore|problema|bug)\b|\bperché (?:non|mai|deve)\b|\bnon (?:ho|hai|ha|abbiamo|era|è|sono) mai\b|\bnon (?:ho|so|capisco|vedo) ",
    )
});
static KOREAN: LazyLock<Table> = LazyLock::new(|| {
    table(
        r"반드시|절대(?:로)?|하지\s?마(?:세요|십시오|라|요)?|지\s?마(?:세요|십시오|라)|지\s?말(?:아|고|것|아야)|금지|안\s?됩니다|안\s?돼(?:요)?|해야\s?(?:합니다|해요|한다|만)|항상|꼭\s|만\s?(?:사용|수정|변경|허용)|필수",
        r"하지\s?않아도|안\s?해도|필요(?:는|가)?\s?없|까요[?？]?$|왜\s|걱정하지",
    )
});

/// Whether a sentence demands something, by its own language's markers.
fn demands_in(words: &str, of_message: Language) -> bool {
    // A message in two languages is read sentence by sentence; a short sentence follows the message.
    let own = prose::language_of(words);
    let language = if own == Language::English
        && of_message != Language::English
        && words.split_whitespace().count() < 4
    {
        of_message
    } else {
        own
    };
    let table = match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
        Language::Japanese => &JAPANESE,
        Language::Russian => &RUSSIAN,
        Language::French => &FRENCH,
        Language::German => &GERMAN,
        Language::Spanish => &SPANISH,
        Language::Portuguese => &PORTUGUESE,
        Language::Italian => &ITALIAN,
        Language::Korean => &KOREAN,
    };
    if !table.demand.is_match(words) || only_after_removing(words, table) {
        return false;
    }
    !words.ends_with(['?', '？']) || asks_for_work(words)
}

/// Whether a sentence opens as an order to those who listen, with or without the speaker's name
/// before it. In talk, "you must …" and "only …" mostly tell of things.
fn orders(words: &str) -> bool {
    static ORDER: LazyLock<Regex> = LazyLock::new(|| {
        pattern::unicode(
            r"(?i)^(?:[^:]{1,80}: )?(?:(?:in addition|so|and|also|again|okay|ok)[, ]+)?(?:please\b|(?:never|always|do not|don['’]t) \w+(?: \S+){2,}|make sure\b|(?:everyone|everybody|all members|all of you|nobody|no one) (?:must|may|should|has to|needs to|can)\b|merci de|veuillez|bitte\b|por favor|пожалуйста|请|必须|不要|不得|禁止|必ず)",
        )
    });
    static TELLS: LazyLock<Regex> = LazyLock::new(|| {
        pattern::unicode(
            r"(?i)^(?:[^:]{1,80}: )?(?:do not|don['’]t) (?:know|think|remember|remind|see|understand|have|need|worry|care|mind|believe|get)\b|\bnever mind\b",
        )
    });
    ORDER.is_match(words) && !TELLS.is_match(words) && speaks_at_length(words)
}

/// Whether there is more than a word or two behind the speaker's name.
fn speaks_at_length(words: &str) -> bool {
    let said = prose::speaker(words).map_or(words, |(_, said)| said);
    said.split_whitespace().filter(|w| w.chars().any(char::is_alphabetic)).count() >= 4
        || said.chars().filter(|c| *c > '\u{3000}').count() >= 6
}

/// Whether every demand in a sentence is one of those that its negations take away.
fn only_after_removing(words: &str, table: &Table) -> bool {
    table.not.is_match(words) && !table.demand.is_match(&table.not.replace_all(words, " … "))
}

/// Whether a question is a request ("can you … without …?") rather than a wish to know.
fn asks_for_work(words: &str) -> bool {
    static REQUEST: LazyLock<Regex> = LazyLock::new(|| {
        pattern::unicode(
            r"(?i)^(?:\w+[,:]? )?(?:can|could|would|will) you\b.*\b(?:without|only|never|not|make sure|don['’]t)\b",
        )
    });
    REQUEST.is_match(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchord_messages::message::{Message, Part};
    use proptest::prelude::*;
    use rstest::rstest;

    fn message(seq: i64, role: Role, text: &str) -> Numbered {
        Numbered { seq, message: Message { role, name: None, parts: vec![Part::Text(text.to_owned())] } }
    }

    fn read(span: &[Numbered]) -> Vec<Constraint> {
        let said: Vec<_> = span.iter().map(|n| prose::person_text(&n.message)).collect();
        super::read(span, &said)
    }

    fn of_user(text: &str) -> Vec<String> {
        read(&[message(3, Role::User, text)]).into_iter().map(|c| c.text).collect()
    }

    proptest::proptest! {
        #[test]
        fn a_look_for_words_passes_over_no_demand(
            (at, text) in (0..10_usize).prop_flat_map(|at| (Just(at), tables()[at].demand.texts())),
        ) {
            let demand = &tables()[at].demand;
            proptest::prop_assert_eq!(demand.is_match(&text), demand.is_match_without_look(&text), "{}", text);
        }
    }

    fn tables() -> [&'static Table; 10] {
        [&ENGLISH, &CHINESE, &JAPANESE, &RUSSIAN, &FRENCH, &GERMAN, &SPANISH, &PORTUGUESE, &ITALIAN, &KOREAN]
    }

    #[rstest]
    #[case("Never touch the schema.")]
    #[case("Don't modify the tests.")]
    #[case("Fix it, but do not change the public API.")]
    #[case("You must keep Python 3.8 support.")]
    #[case("Only edit files under src/.")]
    #[case("Always run the linter before you commit.")]
    #[case("Make sure the build passes.")]
    #[case("Can you refactor this without changing its behaviour?")]
    #[case("Use only the standard library.")]
    #[case("Use four spaces from now on.")]
    #[case("Keep the API backwards compatible.")]
    #[case("Leave the public interface as it is.")]
    #[case("Confirmation is required before any booking.")]
    #[case("不要修改数据库结构。")]
    #[case("所有接口必须返回 JSON。")]
    #[case("请务必在提交前运行测试。")]
    #[case("テストは必ず実行してください。")]
    #[case("設定ファイルは変更しないでください。")]
    #[case("Никогда не меняй публичный API.")]
    #[case("Не трогай файл конфигурации.")]
    #[case("Ne modifie pas les tests.")]
    #[case("Il faut toujours passer par le service d'auth.")]
    #[case("Utilise uniquement la bibliothèque standard.")]
    #[case("Ändere die Tests nicht.")]
    #[case("Die API darf nicht geändert werden.")]
    #[case("Verwende nur die Standardbibliothek.")]
    #[case("No modifiques los tests.")]
    #[case("Nunca subas cambios a la rama main sin permiso.")]
    #[case("Nunca altere o arquivo schema.sql.")]
    #[case("Por favor, não use a biblioteca antiga.")]
    #[case("Corrija o erro sem alterar os testes.")]
    #[case("Non modificare mai il file deploy.sh.")]
    #[case("Usa solo la libreria standard, senza aggiungere dipendenze.")]
    #[case("moment 라이브러리는 절대 사용하지 마세요.")]
    #[case("커밋하기 전에 반드시 테스트를 실행해야 합니다.")]
    fn a_demand_is_kept_word_for_word(#[case] text: &str) {
        assert_eq!(of_user(text), [text]);
    }

    #[rstest]
    #[case("I don't know what it does.")]
    #[case("You don't have to run the tests.")]
    #[case("It is not required.")]
    #[case("Never mind.")]
    #[case("Don't worry about it.")]
    #[case("It must be a bug in the parser.")]
    #[case("Why must it be this way?")]
    #[case("What does the mustache template do?")]
    #[case("不必担心。")]
    #[case("必ずしも必要ではありません。")]
    #[case("Это не обязательно.")]
    #[case("Je ne sais pas.")]
    #[case("Das ist nicht unbedingt nötig.")]
    #[case("No es necesario.")]
    #[case("Não é necessário.")]
    #[case("Eu nunca vi isso.")]
    #[case("Non è obbligatorio.")]
    #[case("Non ho mai visto questo errore.")]
    #[case("그렇게 하지 않아도 됩니다.")]
    #[case("왜 항상 실패하나요?")]
    #[case("```\nnever();\n```")]
    #[case("> you must not")]
    #[case("<returncode>1</returncode>\n<output>\nYou must never do this.\n</output>")]
    #[case("<system-reminder>Never mention this.</system-reminder>")]
    #[case("<pr_description>The parser must never fail.</pr_description>")]
    #[case("Ma commande n'est jamais arrivée.")]
    #[case("Das Paket ist bei uns nie angekommen.")]
    #[case("Keep going, this is compatible with what I had in mind.")]
    #[case("Leave a note, it works.")]
    fn other_words_are_no_demand(#[case] text: &str) {
        assert_eq!(of_user(text), Vec::<String>::new(), "{text}");
    }

    #[test]
    fn later_system_messages_are_kept_and_leading_ones_are_not() {
        let found = read(&[
            message(1, Role::System, "You are an agent."),
            message(2, Role::User, "hi"),
            message(3, Role::System, "Answer in French."),
        ]);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].text.as_str(), found[0].source),
            ("Answer in French.", ConstraintSource::System)
        );
        assert!(found[0].id.starts_with("con_") && found[0].id.len() == 20);
    }

    #[test]
    fn a_repeated_demand_is_one_with_both_places() {
        let found = read(&[message(1, Role::User, "Never push."), message(4, Role::User, "Never push.")]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].seqs, [1, 4]);
    }

    #[test]
    fn a_tools_text_demands_nothing() {
        assert!(
            read(&[
                message(1, Role::Tool, "You must never stop."),
                message(2, Role::Assistant, "You must not.")
            ])
            .is_empty()
        );
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,300}") {
            let _ = of_user(&text);
        }
    }

    #[rstest]
    #[case("src/a.py:12:9: F841 local variable 'x' is assigned to but never used")]
    #[case("Exception can only concatenate str to str")]
    #[case("Try Without Installing")]
    #[case("reviewbot[bot] on a.nix: this must be renamed")]
    #[case("It seems to always return colours.")]
    fn what_programs_and_pasted_pages_say_is_no_demand(#[case] text: &str) {
        assert_eq!(of_user(text), Vec::<String>::new());
    }

    #[rstest]
    #[case("2023-04-28", false)]
    #[case("Tuesday", false)]
    #[case("Answer in one sentence from now on.", true)]
    #[case("从现在起只用中文回答。", true)]
    fn a_later_system_message_holds_when_it_says_something(#[case] text: &str, #[case] holds: bool) {
        let span = [message(2, Role::User, "hello there"), message(3, Role::System, text)];
        assert_eq!(read(&span).iter().any(|c| c.source == ConstraintSource::System), holds);
    }

    #[test]
    fn people_who_talk_with_each_other_order_little() {
        let talk = [
            "Ada: You must slide it .",
            "Bob: Don't know .",
            "Ada: Only a few of us were there .",
            "Bob: Fine then .",
        ];
        let mut span: Vec<Numbered> = (1..).zip(talk).map(|(seq, t)| message(seq, Role::User, t)).collect();
        assert_eq!(read(&span), []);
        span.push(message(9, Role::User, "Chair: Please always direct your remarks through the chair."));
        assert_eq!(read(&span).len(), 1);
    }
}
