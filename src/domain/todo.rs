//! The todo list that a caller keeps, and what a span says of it.
//!
//! An item is marked as completed only where a clause names it and says that it is done, without a
//! negation or a condition; what is said less clearly is proposed and left to the caller.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::id::Seq;
use super::ledger::{TodoItem, TodoList, TodoStatus, pattern, prose};
use super::message::{Numbered, Role};
use super::proposal::Proposal;
use super::redact::redact;
use super::summary::Decision;
use super::wording::{self, clip_words, one_line};

/// The most items of a list.
pub const MAX_TODOS: usize = 200;
/// The most characters of one item.
pub const MAX_TODO_CHARS: usize = 1_000;

/// Items in progress that are looked for in one span.
const MAX_FOLLOWED: usize = 50;
/// Sentences that speak of something done, the latest, that are held against the items.
const MAX_SENTENCES: usize = 1_000;
/// Words of an item or a clause that are compared.
const MAX_WORDS: usize = 40;
/// The most characters of a clause that is quoted.
const MAX_EVIDENCE: usize = 200;

/// One item of a caller's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Todo {
    /// What is to be done.
    pub content: String,
    /// How far it is.
    pub status: TodoStatus,
    /// What a compression believes of it, when the session does not say so clearly; only the caller sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed_status: Option<TodoStatus>,
    /// The messages that speak of its completion.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seqs: Vec<Seq>,
}

impl Todo {
    /// An item as its caller gives it.
    #[must_use]
    pub fn new(content: String, status: TodoStatus) -> Self {
        Self { content, status, proposed_status: None, seqs: Vec::new() }
    }
}

/// How one item differs from what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TodoChange {
    /// The item.
    pub content: String,
    /// What it was; null for a new one.
    #[schema(required = true)]
    pub from: Option<TodoStatus>,
    /// What it is; null for one that is gone.
    #[schema(required = true)]
    pub to: Option<TodoStatus>,
    /// Only proposed: the item stays what it was until the caller says otherwise.
    pub proposed: bool,
    /// The clause that says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The messages that it came from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seqs: Vec<Seq>,
}

/// A list after a span, and what the span changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Followed {
    /// The items, in the caller's order.
    pub items: Vec<Todo>,
    /// What is different, and what is proposed.
    pub changes: Vec<TodoChange>,
}

impl Followed {
    /// The list in the ledger's shape, in whose place it stands: the caller's list wins.
    #[must_use]
    pub fn list(&self) -> TodoList {
        let item = |todo: &Todo| TodoItem { content: one_line(&todo.content), status: todo.status };
        let mut seqs = Vec::new();
        for change in &self.changes {
            wording::join_seqs(&mut seqs, &change.seqs);
        }
        TodoList { items: self.items.iter().map(item).collect(), seqs }
    }

    /// Puts the list into an engine's proposal: what is done becomes decisions made, what is in progress
    /// the task in hand, what is open the next steps.
    pub fn propose(&self, proposal: &mut Proposal) {
        const MAX_STEPS: usize = 12;
        let of = |status| self.items.iter().filter(move |todo| todo.status == status);
        for todo in of(TodoStatus::Completed) {
            let change = self.changes.iter().find(|c| !c.proposed && c.content == todo.content);
            let rationale = match change.and_then(|change| change.evidence.as_ref()) {
                Some(said) => format!("the session says: {said}"),
                None => "marked as completed in the todo list".to_owned(),
            };
            proposal.decisions.push(Decision {
                decision: format!("Done: {}", one_line(&todo.content)),
                rationale,
                alternatives: Vec::new(),
                superseded_by: None,
                seqs: todo.seqs.clone(),
                session_id: None,
            });
        }
        if let Some(doing) = of(TodoStatus::InProgress).next() {
            proposal.current_state.task = Some(one_line(&doing.content));
        }
        let open = of(TodoStatus::InProgress).chain(of(TodoStatus::Pending));
        let steps: Vec<String> = open.map(|todo| one_line(&todo.content)).take(MAX_STEPS).collect();
        if !steps.is_empty() {
            proposal.next_steps = steps;
            proposal.next_steps_seqs = self.list().seqs;
        }
    }
}

/// Follows a list through a span; `written` is the list that a tool wrote in it.
#[must_use]
pub fn follow(list: &[Todo], span: &[Numbered], written: Option<&TodoList>) -> Followed {
    let mut followed = Followed { items: list.to_vec(), changes: Vec::new() };
    let doing = || list.iter().filter(|todo| todo.status == TodoStatus::InProgress);
    if doing().next().is_none() {
        return followed;
    }
    let said = Said::of(span);
    let mut looked = 0;
    for todo in &mut followed.items {
        if todo.status != TodoStatus::InProgress || looked == MAX_FOLLOWED {
            continue;
        }
        looked += 1;
        let Some(claim) = by_tool(todo, written).or_else(|| said.of_item(&Subject::of(&todo.content))) else {
            continue;
        };
        let proposed = claim.certainty == Certainty::Maybe;
        if proposed {
            todo.proposed_status = Some(TodoStatus::Completed);
        } else {
            (todo.status, todo.proposed_status) = (TodoStatus::Completed, None);
        }
        todo.seqs.clone_from(&claim.seqs);
        followed.changes.push(TodoChange {
            content: todo.content.clone(),
            from: Some(TodoStatus::InProgress),
            to: Some(TodoStatus::Completed),
            proposed,
            evidence: claim.clause.map(|clause| redact(clip_words(&clause, MAX_EVIDENCE)).into_owned()),
            seqs: claim.seqs,
        });
    }
    followed
}

/// What is different between two lists; items of one wording are the same item.
#[must_use]
pub fn changes(before: &[Todo], after: &[Todo]) -> Vec<TodoChange> {
    let mut known: BTreeMap<String, Vec<&Todo>> = BTreeMap::new();
    for todo in before.iter().rev() {
        known.entry(wording::key(&todo.content)).or_default().push(todo);
    }
    let change = |todo: &Todo, from, to| TodoChange {
        content: todo.content.clone(),
        from,
        to,
        proposed: false,
        evidence: None,
        seqs: Vec::new(),
    };
    let mut changes = Vec::new();
    for todo in after {
        let earlier = known.get_mut(&wording::key(&todo.content)).and_then(Vec::pop);
        let from = earlier.map(|earlier| earlier.status);
        if from != Some(todo.status) {
            changes.push(change(todo, from, Some(todo.status)));
        }
    }
    let is_left = |todo: &&Todo| {
        known
            .get(&wording::key(&todo.content))
            .is_some_and(|left| left.iter().any(|one| std::ptr::eq(*one, *todo)))
    };
    changes.extend(before.iter().filter(is_left).map(|todo| change(todo, Some(todo.status), None)));
    changes
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Certainty {
    Done,
    Maybe,
    /// Said to be not done, which takes back what was said before.
    Not,
}

#[derive(Clone, Debug)]
struct Claim {
    certainty: Certainty,
    clause: Option<String>,
    seqs: Vec<Seq>,
}

/// The tool's own list says that an item of the same wording is done.
fn by_tool(todo: &Todo, written: Option<&TodoList>) -> Option<Claim> {
    let list = written?;
    let key = wording::key(&todo.content);
    let item = list.items.iter().find(|item| wording::key(&item.content) == key)?;
    (item.status == TodoStatus::Completed).then(|| Claim {
        certainty: Certainty::Done,
        clause: None,
        seqs: list.seqs.clone(),
    })
}

/// What an item is about, as words.
struct Subject {
    words: Vec<String>,
    /// Words that an item cannot be meant without: numbers and identifiers.
    fixed: Vec<String>,
    needed: usize,
    /// What is to be done with it, whose past form says that it was.
    verb: Option<String>,
    /// The whole wording, for scripts that write without spaces.
    folded: Option<String>,
}

impl Subject {
    fn of(content: &str) -> Self {
        let line = one_line(content);
        let folded = line.chars().any(is_spaceless).then(|| fold(&line));
        let all = words(&line);
        let fixed: Vec<String> =
            all.iter().filter(|w| w.chars().any(|c| c.is_ascii_digit() || c == '_')).cloned().collect();
        let verb = all.first().filter(|word| word.len() > 2 && word.is_ascii()).cloned();
        // Another verb may tell of the same thing; alone, a noun tells too little.
        let rest = match all.split_first() {
            Some((first, rest)) if rest.len() >= 2 && is_verb(first) => rest.to_vec(),
            _ => all,
        };
        let needed = if rest.len() <= 2 { rest.len() } else { (rest.len() * 3).div_ceil(5) };
        Self { words: rest, fixed, needed, verb, folded }
    }

    fn is_named_in(&self, text: &str, said: &[String]) -> bool {
        if let Some(folded) = &self.folded {
            return folded.chars().count() >= 2 && shares(folded, &fold(text));
        }
        let has = |word: &&String| said.iter().any(|other| is_same_word(word, other));
        !self.words.is_empty()
            && self.fixed.iter().all(|word| said.contains(word))
            && self.words.iter().filter(has).count() >= self.needed
    }
}

impl Subject {
    /// Whether the item's own verb stands in its past form (`Translate …`, `… translated`).
    fn is_past_in(&self, said: &[String]) -> bool {
        let past = |word: &&String| word.ends_with("ed") && !word.ends_with("eed");
        self.verb.as_ref().is_some_and(|verb| {
            said.iter()
                .filter(past)
                .any(|word| word != verb && word.len() > verb.len() && is_same_word(verb, word))
        })
    }
}

/// Whether most pairs of neighbouring characters of an item stand in a clause.
fn shares(item: &str, clause: &str) -> bool {
    let chars: Vec<char> = item.chars().take(60).collect();
    let pairs: Vec<String> = chars.windows(2).map(|pair| pair.iter().collect()).collect();
    let found = pairs.iter().filter(|pair| clause.contains(pair.as_str())).count();
    found * 5 >= pairs.len() * 3 && found > 0
}

fn fold(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn is_spaceless(c: char) -> bool {
    matches!(u32::from(c), 0x2E80..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF)
}

fn words(text: &str) -> Vec<String> {
    const SMALL: [&str; 44] = [
        "the", "a", "an", "to", "of", "for", "in", "on", "and", "with", "it", "is", "are", "be", "at", "by",
        "or", "der", "die", "das", "den", "und", "für", "im", "mit", "le", "la", "les", "de", "des", "du",
        "et", "pour", "el", "los", "las", "y", "para", "и", "в", "на", "для", "с", "по",
    ];
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| !SMALL.contains(&word.as_str()))
        .take(MAX_WORDS)
        .collect()
}

/// Whether two words differ by an ending at most (`implement`, `implemented`).
fn is_same_word(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    if a.chars().chain(b.chars()).any(|c| c.is_ascii_digit() || c == '_') {
        return false;
    }
    let shared = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    let longest = a.chars().count().max(b.chars().count());
    shared >= 3 && longest - shared <= 3
}

fn is_verb(word: &str) -> bool {
    const VERBS: [&str; 40] = [
        "add",
        "implement",
        "fix",
        "write",
        "create",
        "update",
        "build",
        "make",
        "refactor",
        "remove",
        "delete",
        "move",
        "rename",
        "change",
        "check",
        "test",
        "review",
        "document",
        "deploy",
        "set",
        "finish",
        "complete",
        "investigate",
        "migrate",
        "clean",
        "run",
        "verify",
        "implementiere",
        "füge",
        "behebe",
        "schreibe",
        "ajouter",
        "corriger",
        "écrire",
        "implémenter",
        "añadir",
        "corregir",
        "escribir",
        "добавить",
        "исправить",
    ];
    VERBS.contains(&word)
}

static DONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?i)\b(?:done|completed?|finished|implemented|fixed|resolved|added|created|written|merged|shipped|removed|deleted|renamed|moved|updated|refactored|migrated|deployed|documented|works\s+now|now\s+works|is\s+working|all\s+pass|passes\s+now
|erledigt|fertig(?:gestellt)?|abgeschlossen|implementiert|behoben|hinzugefügt|umgesetzt|geschrieben|entfernt
|terminée?s?|finie?s?|fait(?:e|es|s)?|achevée?s?|implémentée?s?|corrigée?s?|ajoutée?s?|écrite?s?
|hech[oa]s?|terminad[oa]s?|completad[oa]s?|implementad[oa]s?|corregid[oa]s?|añadid[oa]s?|escrit[oa]s?|feit[oa]s?|concluíd[oa]s?|adicionad[oa]s?
|готов[оаы]?|сделан[оаы]?|заверш[её]н[оаы]?|исправлен[оаы]?|добавлен[оаы]?|реализован[оаы]?|выполнен[оаы]?|закончен[оаы]?)\b
|完成|已修复|已实现|已添加|做好了|搞定|修好了|完了|終わりました|実装しました|修正しました|追加しました|완료|[✅✔☑]|\[[xX]\]"
            .replace('\n', "")
            .as_str(),
    )
});
/// A past form may be the item's own verb's.
static PAST: LazyLock<Regex> = LazyLock::new(|| pattern::unicode(r"(?i)\b[a-z]{2,}ed\b"));
static NEGATED: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?i)\b(?:not|never|no|none|without|nor|cannot|isn|aren|wasn|hasn|haven|doesn|didn|won|isn['’]t|hasn['’]t|yet\s+to|still|almost|nearly|partly|partially|half|nicht|kein\w*|noch|fast|teilweise|ne|pas|jamais|presque|partiellement|nunca|aún|todavía|casi|parcialmente|não|ainda|non|не|ещё|еще|почти|частично)\b|n['’]t\b|未|没|不|尚|还没|部分|ない|ません|않|못",
    )
});
static NOT_DONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?i)(?:\b(?:not|never|yet\s+to|still|almost|nearly|partly|partially|half|nicht|noch|fast|teilweise|ne|pas|jamais|presque|partiellement|no|nunca|aún|todavía|casi|não|ainda|non|не|ещё|еще|почти|частично)|n['’]t)\s+(?:[\p{L}]+\s+){0,3}?(?:done|complete|finish|implement|fix|resolv|add|creat|writ|merg|ship|remov|delet|renam|mov|updat|refactor|migrat|deploy|document|work|pass|erledigt|fertig|abgeschlossen|implementiert|behoben|hinzugefügt|umgesetzt|termin|fini|fait|achev|implément|corrig|ajout|hech|complet|añadid|feit|conclu|готов|сделан|заверш|исправлен|добавлен|реализован|выполнен|законч)|(?:fertig|erledigt|abgeschlossen|behoben|umgesetzt)\s+(?:\p{L}+\s+){0,3}nicht\b|(?:未|没有?|尚未|还没有?|不)(?:能|会)?(?:完成|修复|实现|添加|做好|搞定)|完成不了|(?:完了|終わり|実装|修正|追加)(?:して|し)?(?:い)?(?:ない|ません)|완료(?:되지|하지)\s*(?:않|못)",
    )
});
static UNREAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?i)\b(?:if|once|when|whenever|after|before|until|unless|will|shall|must|need|needs|to\s+be|going\s+to|let\s+me|let['’]?s|next|todo|plan|plans|want|would|could|can|remains|wenn|sobald|werde|werden|wird|soll|sollte|muss|bis|si|quand|dès|va|vais|doit|faut|cuando|voy|debe|hay\s+que|quando|vou|deve|если|когда|будет|буду|нужно|надо)\b|['’]ll\b|如果|等到|将|需要|要|会|たら|れば|予定|べき|면|[?？]",
    )
});
static HEDGED: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?i)\b(?:should|probably|maybe|perhaps|i\s+think|i\s+believe|seems?|appears?|looks?\s+like|might|may|basically|mostly|wohl|vielleicht|wahrscheinlich|scheint|peut-être|probablement|semble|quizás|probablemente|parece|talvez|возможно|наверное|кажется)\b|可能|好像|应该|たぶん|おそらく|아마",
    )
});
static CLAUSE_END: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?i)[,;:，；：、()]|\s[–—-]\s|\s(?:but|and|while|whereas|however|though|although|because|aber|und|während|obwohl|mais|et|tandis|pero|y|mientras|mas|e|но|и|а|хотя)\s",
    )
});

/// What a span says of things done: sentence by sentence, the latest last.
struct Said(Vec<(Seq, Sentence)>);

struct Sentence {
    text: String,
    words: Vec<String>,
    clauses: Vec<(String, Vec<String>)>,
}

impl Said {
    fn of(span: &[Numbered]) -> Self {
        let mut all = Vec::new();
        for Numbered { seq, message } in span {
            let text = match message.role {
                Role::Assistant => message.text(),
                Role::User => match prose::person_text(message) {
                    Some(text) => text,
                    None => continue,
                },
                Role::System | Role::Developer | Role::Tool => continue,
            };
            let speaks = |text: &str| DONE.is_match(text) || PAST.is_match(text);
            if !speaks(&text) {
                continue;
            }
            let ticked = text.lines().map(str::trim).filter(|line| is_ticked(line)).map(str::to_owned);
            let told = prose::sentences(&text).into_iter().map(|sentence| sentence.text);
            for text in told.chain(ticked).filter(|text| speaks(text)) {
                let clause = |part: &str| (part.trim().to_owned(), words(part));
                let clauses =
                    CLAUSE_END.split(&text).filter(|part| !part.trim().is_empty()).map(clause).collect();
                all.push((*seq, Sentence { words: words(&text), clauses, text }));
            }
        }
        let surplus = all.len().saturating_sub(MAX_SENTENCES);
        all.drain(..surplus);
        Self(all)
    }

    /// The last word on an item.
    fn of_item(&self, subject: &Subject) -> Option<Claim> {
        let mut last = None;
        for (seq, sentence) in &self.0 {
            if let Some((certainty, clause)) = sentence.claims(subject) {
                last = Some(Claim { certainty, clause: Some(one_line(clause)), seqs: vec![*seq] });
            }
        }
        last.filter(|claim| claim.certainty != Certainty::Not)
    }
}

/// A line that a checklist has ticked off.
fn is_ticked(line: &str) -> bool {
    let line = line.trim_start_matches(['-', '*', '+', ' ']);
    ["[x]", "[X]", "✅", "✔", "☑"].iter().any(|mark| line.starts_with(mark))
}

impl Sentence {
    fn claims(&self, subject: &Subject) -> Option<(Certainty, &str)> {
        let named: Vec<&(String, Vec<String>)> =
            self.clauses.iter().filter(|(text, said)| subject.is_named_in(text, said)).collect();
        let mut claim = None;
        for (text, said) in &named {
            let unreal = UNREAL.is_match(text) || self.text.ends_with(['?', '？']);
            let (done, past) = (DONE.is_match(text), subject.is_past_in(said));
            if NOT_DONE.is_match(text) || (past && !done && NEGATED.is_match(text)) {
                claim = Some((Certainty::Not, text.as_str()));
            } else if (done || past) && !unreal {
                let sure = !NEGATED.is_match(text) && !HEDGED.is_match(&self.text) && !self.is_conditional();
                claim = Some((if sure { Certainty::Done } else { Certainty::Maybe }, text.as_str()));
            }
        }
        if claim.is_some() || !subject.is_named_in(&self.text, &self.words) {
            return claim;
        }
        // Named and done in one sentence, and not in one clause.
        let clear = DONE.is_match(&self.text)
            && !NOT_DONE.is_match(&self.text)
            && !NEGATED.is_match(&self.text)
            && !UNREAL.is_match(&self.text);
        clear.then_some((Certainty::Maybe, self.text.as_str()))
    }

    /// Whether it begins with a condition, which holds for all of its clauses.
    fn is_conditional(&self) -> bool {
        self.clauses.first().is_some_and(|(first, _)| {
            let start: String = first.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
            UNREAL.is_match(&start)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::format::{self, Format};

    fn doing(content: &str) -> Vec<Todo> {
        vec![Todo::new(content.to_owned(), TodoStatus::InProgress)]
    }

    fn span(texts: &[&str]) -> Vec<Numbered> {
        (1..)
            .zip(texts)
            .map(|(seq, text)| {
                let body = serde_json::json!({"role": "assistant", "content": text}).to_string();
                Numbered { seq, message: format::parse(Format::OpenaiChat, &body).unwrap() }
            })
            .collect()
    }

    fn after(content: &str, texts: &[&str]) -> (TodoStatus, Option<TodoStatus>) {
        let followed = follow(&doing(content), &span(texts), None);
        (followed.items[0].status, followed.items[0].proposed_status)
    }

    const DONE_NOW: (TodoStatus, Option<TodoStatus>) = (TodoStatus::Completed, None);
    const PROPOSED: (TodoStatus, Option<TodoStatus>) = (TodoStatus::InProgress, Some(TodoStatus::Completed));
    const OPEN: (TodoStatus, Option<TodoStatus>) = (TodoStatus::InProgress, None);

    #[test]
    fn a_clause_that_says_so_completes_an_item() {
        for (item, text) in [
            ("Add login form", "The login form is done."),
            ("Implement token rotation", "I implemented the token rotation, but the docs are missing."),
            ("Fix bug 12 in the parser", "Fixed bug 12 in the parser."),
            ("Write the migration", "Migration written and deployed."),
            ("Translate the labels", "All labels are translated."),
            ("Add login form", "Progress:\n- [x] Add login form\n- [ ] Add tests"),
            ("Anmeldeformular bauen", "Das Anmeldeformular bauen ist erledigt."),
            ("Corriger le formulaire de connexion", "Le formulaire de connexion est corrigé."),
            ("Añadir el formulario de acceso", "El formulario de acceso está terminado."),
            ("Добавить форму входа", "Форма входа добавлена."),
            ("修复登录错误", "登录错误已修复。"),
            ("ログイン画面を実装する", "ログイン画面を実装しました。"),
        ] {
            assert_eq!(after(item, &[text]), DONE_NOW, "{item}: {text}");
        }
    }

    #[test]
    fn a_negation_a_condition_and_another_number_complete_nothing() {
        for (item, text) in [
            ("Add login form", "The login form is not done yet."),
            ("Add login form", "Once the login form is done, I will write the docs."),
            ("Add login form", "Is the login form done?"),
            ("Add login form", "The login form isn't finished."),
            ("Fix bug 12 in the parser", "Fixed bug 13 in the parser."),
            ("Add login form", "The signup page is done."),
            ("Anmeldeformular bauen", "Das Anmeldeformular bauen ist noch nicht fertig."),
            ("Corriger le formulaire de connexion", "Le formulaire de connexion n'est pas encore corrigé."),
            ("修复登录错误", "登录错误还没有修复，测试完成。"),
            ("Write tests", "I finished running everything."),
            ("Translate the labels", "The labels are not translated yet."),
        ] {
            assert_eq!(after(item, &[text]).0, TodoStatus::InProgress, "{item}: {text}");
        }
        assert_eq!(after("Add login form", &["The login form is not done yet."]), OPEN);
        assert_eq!(after("Add login form", &["Once the login form is done, I will write the docs."]), OPEN);
    }

    #[test]
    fn what_is_said_less_clearly_is_proposed() {
        for text in [
            "I think the login form is done.",
            "The login form, after a long night: done.",
            "The login form is done with no styling.",
        ] {
            assert_ne!(after("Add login form", &[text]), DONE_NOW, "{text}");
        }
        assert_eq!(after("Add login form", &["I think the login form is done."]), PROPOSED);
        assert_eq!(after("Add login form", &["The login form is done with no styling."]), PROPOSED);
    }

    #[test]
    fn a_later_word_takes_an_earlier_one_back() {
        let texts = ["The login form is done.", "I was wrong: the login form is not done."];
        assert_eq!(after("Add login form", &texts), OPEN);
    }

    #[test]
    fn a_list_that_a_tool_wrote_counts_and_pending_items_stay() {
        let items = vec![TodoItem { content: "add login form".into(), status: TodoStatus::Completed }];
        let written = TodoList { items, seqs: vec![3] };
        let mut list = doing("Add login form");
        list.push(Todo::new("Docs are done".into(), TodoStatus::Pending));
        let followed = follow(&list, &span(&["Docs are done."]), Some(&written));
        assert_eq!(followed.items[0].status, TodoStatus::Completed);
        assert_eq!(followed.items[1].status, TodoStatus::Pending);
        assert_eq!(followed.changes.len(), 1);
        assert_eq!(followed.changes[0].seqs, [3]);
    }

    #[test]
    fn the_list_becomes_decisions_the_task_and_next_steps() {
        let mut list = doing("Write tests");
        list.push(Todo::new("Add login form".into(), TodoStatus::Completed));
        list.push(Todo::new("Deploy".into(), TodoStatus::Pending));
        let mut proposal = Proposal { next_steps: vec!["something else".into()], ..Proposal::default() };
        follow(&list, &[], None).propose(&mut proposal);
        assert_eq!(proposal.decisions[0].decision, "Done: Add login form");
        assert_eq!(proposal.current_state.task.as_deref(), Some("Write tests"));
        assert_eq!(proposal.next_steps, ["Write tests", "Deploy"]);
    }

    #[test]
    fn a_new_list_tells_what_came_went_and_moved_on() {
        let before = [doing("a"), doing("b"), doing("b")].concat();
        let mut after = [doing("a"), doing("b")].concat();
        after[0].status = TodoStatus::Completed;
        after.push(Todo::new("c".into(), TodoStatus::Pending));
        let told: Vec<(String, bool, bool)> = changes(&before, &after)
            .into_iter()
            .map(|change| (change.content, change.from.is_some(), change.to.is_some()))
            .collect();
        let named = |name: &str, from, to| (name.to_owned(), from, to);
        assert_eq!(told, [named("a", true, true), named("c", false, true), named("b", true, false)]);
    }

    #[test]
    fn a_megabyte_of_claims_is_read_in_linear_time() {
        let text = "The login form is done and the signup is not done, if it was. ".repeat(17_000);
        let list: Vec<Todo> = (0..200)
            .map(|i| {
                Todo::new(format!("login form signup {i} {}", "word ".repeat(100)), TodoStatus::InProgress)
            })
            .collect();
        assert_eq!(follow(&list, &span(&[&text]), None).items.len(), 200);
    }
}
