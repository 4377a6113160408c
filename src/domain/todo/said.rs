//! What a span says of things done, clause by clause, and how sure that is.

use std::sync::LazyLock;

use regex::Regex;

use super::subject::{Subject, words};
use super::{Certainty, Claim};
use crate::domain::id::Seq;
use crate::domain::ledger::{pattern, prose};
use crate::domain::message::{Numbered, Role};
use crate::domain::wording::one_line;

/// Sentences that speak of something done, the latest, that are held against the items.
const MAX_SENTENCES: usize = 1_000;

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
pub(super) struct Said(Vec<(Seq, Sentence)>);

struct Sentence {
    text: String,
    words: Vec<String>,
    clauses: Vec<(String, Vec<String>)>,
}

impl Said {
    pub(super) fn of(span: &[Numbered]) -> Self {
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
    pub(super) fn of_item(&self, subject: &Subject) -> Option<Claim> {
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
