//! What a span says of things done, clause by clause, and how sure that is.

use std::sync::LazyLock;

use regex::Regex;

use super::subject::{Deed, Subject, words};
use super::{Certainty, Claim};
use crate::ledger::{pattern, prose};
use crate::wording::one_line;
use anchord_messages::id::Seq;
use anchord_messages::message::{Numbered, Role};

/// Sentences that speak of something done, the latest, that are held against the items.
const MAX_SENTENCES: usize = 1_000;

/// Done, whatever there was to do.
static DONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?i)\b(?:done|completed|(?:is|are|now)\s+complete|finished
|erledigt|fertig(?:gestellt)?|abgeschlossen|terminée?s?|finie?s?|fait(?:e|es|s)?|achevée?s?
|hech[oa]s?|terminad[oa]s?|completad[oa]s?|list[oa]s?|feit[oa]s?|concluíd[oa]s?
|готов[оаы]?|сделан[оаы]?|заверш[её]н[оаы]?|выполнен[оаы]?|закончен[оаы]?)\b
|已经?完成|完成了|完毕|搞定|做好了|完了(?:しました|した|済み)|終わりました|終わった|できました|완료(?:했|됐|되었|됨)|[✅✔☑]|\[[xX]\]"
            .replace('\n', "")
            .as_str(),
    )
});
/// Made: what was to be added, written, built is there.
static MADE: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?i)\b(?:implemented|added|created|written|wrote|built
|implementiert|hinzugefügt|umgesetzt|geschrieben|erstellt|gebaut|eingebaut|angelegt
|implémentée?s?|ajoutée?s?|créée?s?|écrite?s?|implementad[oa]s?|añadid[oa]s?|cread[oa]s?|escrit[oa]s?|adicionad[oa]s?
|добавлен[оаы]?|реализован[оаы]?|создан[оаы]?|написан[оаы]?)\b
|已经?(?:实现|添加|创建|编写)|(?:实现|添加|创建|写好)了|(?:実装|追加|作成)(?:しました|した|済み)|(?:추가|구현|작성)(?:했|됐|되었)"
            .replace('\n', "")
            .as_str(),
    )
});
/// Mended: what was wrong is right.
static MENDED: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?i)\b(?:fixed|resolved|corrected|solved|repaired|behoben|gelöst|korrigiert|corrigée?s?|résolue?s?|réparée?s?
|corregid[oa]s?|resuelt[oa]s?|arreglad[oa]s?|corrigid[oa]s?|resolvid[oa]s?|исправлен[оаы]?|устран[её]н[оаы]?)\b
|已经?(?:修复|解决|修正)|(?:修复|修好|解决)了|(?:修正|解決)(?:しました|した|済み)|直しました|직접?수정(?:했|됐|되었)|수정(?:했|됐|되었)"
            .replace('\n', "")
            .as_str(),
    )
});
/// What went wrong with something that was done: then it is a matter for the caller.
static REGRETTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?i)\b(?:fail\w*|broke\w*|breaks?|crash\w*|revert\w*|rolled\s+back|undone|undid|undo|wrong\w*|reopen\w*|scheiter\w*|fehlgeschlagen|fehlschl\w*|fehlt|kaputt|zurückgenommen|échou\w*|cassée?s?|annulée?s?|fall[aó]\w*|rot[oa]s?|revertid[oa]s?)\b|失败|失敗|报错|回退|エラー|실패",
    )
});
/// A past form may be the item's own verb's.
static PAST: LazyLock<Regex> = LazyLock::new(|| pattern::unicode(r"(?i)\b[a-z]{2,}ed\b"));
static NEGATED: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?i)\b(?:not|never|no|none|nothing|neither|hardly|barely|far\s+from|without|weder|kaum|ni|apenas|rien|nada|nor|cannot|isn|aren|wasn|hasn|haven|doesn|didn|won|isn['’]t|hasn['’]t|yet\s+to|still|almost|nearly|partly|partially|half|nicht|kein\w*|noch|fast|teilweise|ne|pas|jamais|presque|partiellement|nunca|aún|todavía|casi|parcialmente|não|ainda|non|не|ещё|еще|почти|частично)\b|n['’]t\b|未|没|不|尚|还没|部分|ない|ません|않|못",
    )
});
static NOT_DONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?i)(?:\b(?:neither|weder|ni)\s.{0,60}\b(?:nor|noch|ni)\s.{0,60}(?:done|finished|fertig|erledigt|termin|hech|fini)|\b(?:far\s+from|hardly|barely|kaum|not|never|yet\s+to|still|almost|nearly|partly|partially|half|nicht|noch|fast|teilweise|ne|pas|jamais|presque|partiellement|no|nunca|aún|todavía|casi|não|ainda|non|не|ещё|еще|почти|частично)|n['’]t)\s+(?:[\p{L}]+\s+){0,3}?(?:done|complete|finish|implement|fix|resolv|add|creat|writ|merg|ship|remov|delet|renam|mov|updat|refactor|migrat|deploy|document|work|pass|erledigt|fertig|abgeschlossen|implementiert|behoben|hinzugefügt|umgesetzt|termin|fini|fait|achev|implément|corrig|ajout|hech|complet|añadid|feit|conclu|готов|сделан|заверш|исправлен|добавлен|реализован|выполнен|законч)|(?:fertig|erledigt|abgeschlossen|behoben|umgesetzt)\s+(?:\p{L}+\s+){0,3}nicht\b|(?:未|没有?|尚未|还没有?|不)(?:能|会)?(?:完成|修复|实现|添加|做好|搞定)|完成不了|(?:完了|終わり|実装|修正|追加)(?:して|し)?(?:い)?(?:ない|ません)|완료(?:되지|하지)\s*(?:않|못)",
    )
});
static UNREAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?i)\b(?:make\s+sure|ensure|please|get|gets|getting|tr(?:y|ied|ying|ies)|attempt\w*|start\w*|begin\w*|began|working\s+on|assum\w*|suppos\w*|expect\w*|hop(?:e|ing)|wish\w*|ask\w*|request\w*|requir\w*|wants|wanted|said|says|claim\w*|according|whether|soon|percent|tomorrow|bitte|sicherstellen|stelle?\s+sicher|hoff\w*|möchte\w*|wollen|will|bald|morgen|ob|veuillez|espère|espérons|voudr\w*|bientôt|demain|asegúr\w*|espero|ojalá|quier\w*|pronto|mañana|скоро|хочу|чтобы|if|once|when|whenever|after|before|until|unless|will|shall|must|need|needs|to\s+be|going\s+to|let\s+me|let['’]?s|next|todo|plan|plans|want|would|could|can|remains|wenn|sobald|werde|werden|wird|soll|sollte|muss|bis|si|quand|dès|va|vais|doit|faut|cuando|voy|debe|hay\s+que|quando|vou|deve|если|когда|будет|буду|нужно|надо)\b|['’]ll\b|如果|等到|将|需要|要|会|たら|れば|予定|べき|つもり|ください|ほしい|もうすぐ|ですか|ましたか|请|希望|确保|应该|打算|计划|准备|正在|即将|快要|后|之前|吗|呢|면|[?？%]",
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
    is_agent: bool,
}

impl Said {
    pub(super) fn of(span: &[Numbered]) -> Self {
        let mut all = Vec::new();
        for Numbered { seq, message } in span {
            let is_agent = message.role == Role::Assistant;
            let text = match message.role {
                Role::Assistant => message.text(),
                // What a person says may be a wish, so that it is proposed at most.
                Role::User => match prose::person_text(message) {
                    Some(text) => text,
                    None => continue,
                },
                Role::System | Role::Developer | Role::Tool => continue,
            };
            if !speaks(&text) {
                continue;
            }
            let told = prose::sentences(&text).into_iter().map(|sentence| sentence.text);
            for text in told.chain(ticked(&text)).map(|text| unquoted(&text)).filter(|text| speaks(text)) {
                let clause = |part: &str| (part.trim().to_owned(), words(part));
                let clauses =
                    CLAUSE_END.split(&text).filter(|part| !part.trim().is_empty()).map(clause).collect();
                all.push((*seq, Sentence { words: words(&text), clauses, text, is_agent }));
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

fn is_done(text: &str) -> bool {
    DONE.is_match(text) || MADE.is_match(text) || MENDED.is_match(text)
}

fn speaks(text: &str) -> bool {
    is_done(text) || PAST.is_match(text)
}

/// The lines that a checklist has ticked off, those of code blocks and quotations aside.
fn ticked(text: &str) -> impl Iterator<Item = String> {
    let mut is_code = false;
    text.lines().map(str::trim).filter_map(move |line| {
        is_code ^= line.starts_with("```") || line.starts_with("~~~");
        let item = line.trim_start_matches(['-', '*', '+', ' ']);
        let is_ticked = ["[x]", "[X]", "✅", "✔", "☑"].iter().any(|mark| item.starts_with(mark));
        (is_ticked && !is_code).then(|| line.to_owned())
    })
}

/// A text without what it quotes as done: somebody else's words, or a wish.
fn unquoted(text: &str) -> String {
    static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
        pattern::unicode(
            r#""[^"]{1,300}"|“[^”]{1,300}”|„[^“”]{1,300}[“”]|«[^»]{1,300}»|「[^」]{1,300}」|『[^』]{1,300}』"#,
        )
    });
    let without = |found: &regex::Captures<'_>| {
        let quoted = found.get(0).map_or("", |all| all.as_str());
        if speaks(quoted) { " … ".to_owned() } else { quoted.to_owned() }
    };
    QUOTED.replace_all(text, without).into_owned()
}

impl Sentence {
    fn claims(&self, subject: &Subject) -> Option<(Certainty, &str)> {
        let named: Vec<&(String, Vec<String>)> =
            self.clauses.iter().filter(|(text, said)| subject.is_named_in(text, said)).collect();
        let mut claim = None;
        // An item may be about what fails.
        let is_regretted = REGRETTED.find_iter(&self.text).any(|word| !subject.mentions(word.as_str()));
        for (text, said) in &named {
            let unreal = UNREAL.is_match(text) || self.text.ends_with(['?', '？']);
            let (done, past) = (is_done(text), subject.is_past_in(said));
            if NOT_DONE.is_match(text) || (past && !done && NEGATED.is_match(text)) {
                claim = Some((Certainty::Not, text.as_str()));
            } else if (done || past) && !unreal {
                let fits = match subject.deed() {
                    Deed::Make => DONE.is_match(text) || MADE.is_match(text) || past,
                    Deed::Mend => DONE.is_match(text) || MENDED.is_match(text),
                    Deed::Other => past || DONE.is_match(text),
                };
                let sure = fits
                    && self.is_agent
                    && subject.is_all_of(text, said)
                    && !NEGATED.is_match(text)
                    && !is_regretted
                    && !HEDGED.is_match(&self.text)
                    && !self.is_conditional();
                claim = Some((if sure { Certainty::Done } else { Certainty::Maybe }, text.as_str()));
            }
        }
        if claim.is_some() || !subject.is_named_in(&self.text, &self.words) {
            return claim;
        }
        // Named and done in one sentence, and not in one clause.
        let clear = is_done(&self.text)
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
