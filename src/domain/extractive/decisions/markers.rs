//! Marker phrases of choices, language by language.

use std::sync::LazyLock;

use super::super::super::ledger::pattern::Rare;
use super::super::super::ledger::prose::Language;

/// The marker phrases of one language.
pub(super) struct Markers {
    /// Any of the next three: what none of them matches tells of no choice.
    pub any: Rare,
    /// A choice, by these words alone.
    pub strong: Rare,
    /// A choice when a person says it: an order, a wish.
    pub ordered: Rare,
    /// A choice only with a reason beside it.
    pub weak: Rare,
    /// Where the reason begins.
    pub reason: Rare,
    /// Where what was not chosen begins.
    pub instead: Rare,
    /// Thinking aloud, conditions, denials: no choice.
    pub not: Rare,
}

/// The marker phrases of a language.
pub(super) fn of(language: Language) -> &'static Markers {
    match language {
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

/// strong, ordered, weak, reason, instead, not.
fn markers([strong, ordered, weak, reason, instead, not]: [&str; 6]) -> Markers {
    let compile = |p: &str| Rare::new(&format!("(?i){p}"));
    Markers {
        any: compile(&format!("(?:{strong})|(?:{ordered})|(?:{weak})")),
        strong: compile(strong),
        ordered: compile(ordered),
        weak: compile(weak),
        reason: compile(reason),
        instead: compile(instead),
        not: compile(not),
    }
}

static ENGLISH: LazyLock<Markers> = LazyLock::new(|| {
    markers([
        r"(?x)\b(?:i|we|you|they|the\ team|everyone)(?:['’]ve|['’]re|\ have|\ are|\ all)?\ (?:\w+\ )?(?:decided|chosen|chose|picked|opted|settled|agreed)\b
        | \b(?:it|this|that)\ (?:was|is|has\ been)\ (?:decided|agreed|settled)\b | \bdecision(?:\ is\b|\ was\b|:)
        | (?:^|[.,;]\ ?|\b(?:i['’]m|we['’]re|i|we|let['’]s|am|are|to|so|and)\ )(?:going|go|went)\ with\b
        | \bopt(?:ed|ing)?\ for\b | \bsettl(?:ed|ing)\ (?:on|for)\b
        | \b(?:i['’]ll|we['’]ll|i\ will|we\ will|let['’]s|we['’]re\ (?:going\ to|gonna)|i['’]m\ (?:going\ to|gonna))\ (?:just\ )?(?:go\ (?:with|for)|stick\ (?:with|to)|leave\ out|drop|skip)\b
        | \blet['’]s\ use\b | \bmake\ that\ the\ (?:rule|default)\b
        | \b(?:i|we|i['’]ll|we['’]ll|i\ will|we\ will|i['’]ve|we['’]ve|let['’]s|(?:i|we)\ should|i['’]m\ going\ to|we['’]re\ going\ to)\ (?:(?:now|also|just|only)\ )?(?:used?|using|keep|kept|go|went|pick(?:ed)?|switch(?:ed)?|stored?|put|return(?:ed)?|replaced?|call(?:ed)?|build|built|skip(?:ped)?|collect|write|send)\b[^.]{1,120}\b(?:instead\ of|rather\ than)\b",
        r"(?x)(?:^|[.,;:]\ ?|\b(?:now|to|and|please|should|just|will)\ )(?:use|using|switch|replace|keep|change|move|store|make|put|add|extend|rename|do|take|write|return|send|call|name|show|go)\b[^.]{1,120}\b(?:instead\ of|rather\ than)\b
        | \b(?:we|you|i)(?:['’]ll|\ will|\ should)\ use\b | \bi\ (?:prefer|want\ to\ (?:use|keep|stay\ with))\b",
        r"\b(?:will use|(?:i|we)(?:['’]ll| will| should|['’]ve|['’]m going to)? ?(?:use|used|using|add|added|put|create|make|made|implement|change|changed|keep|kept|skip|drop|avoid|avoided|leave|left|move|moved|store|switch|switched|replace|replaced)|(?:i|we) prefer(?:red)?|best (?:approach|option|choice|solution)|(?:cleanest|simplest|safest|right|better) (?:approach|fix|solution|way|option)|the fix is)\b",
        r"(?:,? \bbecause\b|,? \bsince\b|,? \bso that\b|,? \bdue to\b|,? \bin order to\b|,? \bto avoid\b|,? \bas (?:it|this|that|they|the|we)\b|,? \bwhich (?:means|avoids|allows|keeps|lets)\b| [—–] |; )",
        r"\b(?:instead of|rather than|over)\s+(.{2,100}?)(?:\s?\(|[.,;:)](?:\s|$)|\s(?:because|since|so that|to avoid|as it|due to)\b|$)",
        r"(?x)^(?:(?:and|but|so|or)\ )?if\b | \b(?:maybe|perhaps|might|could\ (?:also\ )?(?:use|go)|should\ (?:i|we)\b|shall\ we|if\ (?:we|you|i)\b.{0,40}\b(?:decide|go\ with|use|choose)|not\ (?:yet\ )?decided|undecided|haven['’]t\ (?:\w+\ )?decided|have\ to\ decide|need\ to\ decide|to\ be\ decided|would\ you|do\ you\ want|whether|once\ (?:we|you)|until\ (?:we|you)|didn['’]t|wasn['’]t|weren['’]t|isn['’]t\ decided
            |let\ me\ (?:check|see|look|read|find|verify|try|run|search|use)|let['’]s\ (?:see|check|look|run|try|verify))\b",
    ])
});
static CHINESE: LazyLock<Markers> = LazyLock::new(|| {
    markers([
        r"决定(?:了)?(?:采用|使用|用|选|不|把|将|先|在|改|要|下|：|:)|[我咱]们?(?:已经|都|最后|还是)?(?:决定|选择了|选定|选用|约定|商定|同意|说好)|选择了|选用|改用|采用|我们(?:将|就|会)?(?:使用|用)|就用|最终(?:选|用|确定)|一致同意|商定|约定|说好|敲定|定为|定在|确定(?:为|用|采用)",
        r"(?:请|就|还是|改成|换成|直接)(?:使?用|改用|换成|改成|保留).{1,40}|.{1,30}而不是",
        r"打算|计划|会使用|应该用|将会|准备|建议|使用|改成|换成|保留",
        r"因为|由于|这样(?:可以|就)|以便|以免|为了|所以",
        r"(?:而不是|代替|不用|而非)(.{1,60}?)(?:[，。；,;]|因为|由于|$)",
        r"还没决定|尚未决定|没有决定|未决定|是否|要不要|可能|也许|如果.{0,12}决定|怎么决定|决定(?:因素|性)|再决定|无法决定|不能决定|[吗呢？?]$",
    ])
});
static JAPANESE: LazyLock<Markers> = LazyLock::new(|| {
    markers([
        r"ことにし(?:た|ます|ました|よう)|採用し(?:た|ます|ました)|に決め(?:た|ます|ました)|に決まり|決定し(?:た|ます|ました)|を選(?:び|ん)(?:ます|ました|だ)|に変更し(?:た|ます|ました)|合意し|で(?:いきます|行きます|進めます)",
        r"(?:の代わりに|ではなく|じゃなくて).{1,60}(?:使|し|に)",
        r"を使(?:い|う)|にします|予定です|つもり|方針",
        r"ため(?:に)?[、,]|ので[、,]?|なぜなら|からです|から[、,]|理由は",
        r"(.{1,40}?)(?:の代わりに|ではなく|じゃなくて)",
        r"かもしれ|でしょうか|ですか|まだ決め|決まっていません|未定|もし|べきか|検討中",
    ])
});
static FRENCH: LazyLock<Markers> = LazyLock::new(|| {
    markers([
        r"\b(?:(?:on|nous|j['’]|je|avons|ai|a|ont) ?(?:avons |ai |a |ont |finalement )?(?:décidé|choisi|opté|retenu|convenu)|(?:il (?:a été|est)|c['’]est) (?:décidé|convenu)|(?:on|nous|je) (?:va|allons|vais) (?:garder|partir sur|prendre|rester)|partons sur|on part sur|on reste sur|d['’]accord pour|la décision (?:est|:))",
        r"\b(?:utilise[zr]?|mets|mettez|garde[zr]?|remplace[zr]?|prends|prenez|passe[zr]?|change[zr]?|fais|faites)\b.{1,100}\b(?:au lieu d[e'’]|plutôt qu[e'’])|\b(?:on|nous|je) (?:va|allons|vais) utiliser\b|\b(?:on|nous) utiliser(?:a|ons)\b|\bje préfère\b",
        r"\b(?:au lieu d[e'’]|plutôt qu[e'’]|utiliserai|utiliserons|utiliser|il faut|je vais|nous allons|préfère|préférons|la meilleure (?:approche|solution|option))\b?",
        r",? ?\b(?:parce qu[e'’]|car|puisqu[e'’]|afin d[e'’]|pour éviter|vu que|étant donné|de sorte que)",
        r"\b(?:au lieu d[e'’]|plutôt qu[e'’])\s*(.{2,80}?)(?:\s?[.,;:)]|\s(?:parce|car|puisqu|afin|pour)\b|$)",
        r"\b(?:peut-être|pourrait|pourrions|devrions-nous|faut-il|pas (?:encore )?décidé|si (?:on|nous|vous|tu)|doit-on|à décider)\b",
    ])
});
static GERMAN: LazyLock<Markers> = LazyLock::new(|| {
    markers([
        r"\b(?:entschieden|entscheiden uns (?:für|gegen)|beschlossen|ausgewählt|gewählt|einigen uns|geeinigt|vereinbart|abgemacht|festgelegt|wir (?:nehmen|bleiben bei)|ich (?:nehme|entscheide mich)|die entscheidung (?:ist|fiel|lautet))\b",
        r"\b(?:verwende[nt]?|benutze[nt]?|nimm|nehmen sie|nutze[nt]?|ersetze[nt]?|behalte[nt]?|mach[et]?|lass uns)\b.{1,100}\b(?:statt|anstatt|anstelle)\b|\bwir (?:verwenden|benutzen|nutzen)\b|\bich (?:möchte|will) lieber\b",
        r"\b(?:statt|anstatt|anstelle|werde|werden|verwende[n]?|nutze[n]?|sollten|besser|die beste (?:lösung|option)|bevorzuge)\b",
        r",? ?\b(?:weil|da (?:es|die|der|das|wir|sie)|damit|um .{2,60} zu vermeiden|denn|aufgrund|wegen)\b",
        r"\b(?:statt|anstatt|anstelle(?: von)?)\s+(.{2,80}?)(?:\s?[.,;:)]|\s(?:weil|da|damit|denn|wegen|zu)\b|$)",
        r"\b(?:vielleicht|könnten?|sollen wir|(?:noch )?nicht (?:entschieden|beschlossen|festgelegt)|ob wir|falls|wenn (?:wir|du|sie) uns|muss noch entschieden)\b",
    ])
});
static SPANISH: LazyLock<Markers> = LazyLock::new(|| {
    markers([
        r"\b(?:decid(?:í|imos|ido|ió|ieron)|eleg(?:í|imos|ido)|escogi(?:mos|do)|optamos|optado|acord(?:amos|ado)|quedamos en|vamos a (?:mantener|quedarnos|optar)|voy a (?:mantener|optar)|nos quedamos con|la decisión (?:es|fue))\b",
        r"\b(?:usa|use|utiliza|utilice|cambia|cambie|pon|ponga|mantén|reemplaza|haz)\b.{1,100}\ben (?:lugar|vez) de\b|\b(?:vamos|voy) a (?:usar|utilizar)\b|\busaremos\b|\bprefiero\b",
        r"\b(?:en lugar de|en vez de|prefiero|preferimos|usaré|usaremos|voy a (?:usar|utilizar)|vamos a (?:usar|utilizar)|deberíamos|la mejor (?:opción|solución)|conviene)\b",
        r",? ?\b(?:porque|ya que|puesto que|para (?:que|evitar)|debido a|dado que|así que)\b",
        r"\b(?:en lugar de|en vez de)\s+(.{2,80}?)(?:\s?[.,;:)]|\s(?:porque|ya que|puesto que|para|debido|dado)\b|$)",
        r"\b(?:quizás?|tal vez|podríamos|podría|aún no|todavía no|no (?:hemos|se ha) decidido|si (?:usamos|decides|quieres|decidimos)|por decidir)\b",
    ])
});
static RUSSIAN: LazyLock<Markers> = LazyLock::new(|| {
    markers([
        r"(?:\b(?:мы|я|команда|все)\s(?:\w+\s)?решил[иа]?\b|\bрешили\b|\bрешено\b|\bвыбрал[иа]?\b|\bвыбираем\b|остановил(?:ись|ся|ась) на|\bдоговорились\b|\bбудем использовать\b|\bвозьмём\b|\bрешение:)",
        r"(?:\bиспользуй(?:те)?\b|\bзамени(?:те)?\b|\bоставь(?:те)?\b|\bсделай(?:те)?\b|\bвозьми(?:те)?\b).{1,100}\bвместо\b|\bиспользуем\b",
        r"(?:вместо|буду использовать|используем|нужно|стоит|лучше|предпочита|сделаю|сделаем|добавлю)",
        r",? ?(?:потому что|так как|поскольку|чтобы|из-за|ведь)",
        r"вместо\s+(.{2,80}?)(?:\s?[.,;:)]|\s(?:потому|так как|чтобы)|$)",
        r"(?:может быть|возможно|если (?:мы|вы|решим)|не решил|не решено|не выбрал|стоит ли|нужно ли|\bли\b)",
    ])
});
static PORTUGUESE: LazyLock<Markers> = LazyLock::new(|| {
    markers([
        r"\b(?:decid(?:i|imos|ido|iu|iram)|escolh(?:i|emos|ido|eu)|opt(?:ei|amos|ado)|combin(?:amos|ado)|ficou (?:decidido|acordado)|vamos (?:manter|ficar com|optar)|vou (?:manter|optar)|ficamos com|a decisão (?:é|foi))\b",
        r"\b(?:use|utilize|mude|troque|coloque|mantenha|substitua|faça)\b.{1,100}\b(?:em vez d[eo]s?|em vez das?|ao invés d[eo]s?|no lugar d[eo]s?)\b|\b(?:vamos|vou) (?:usar|utilizar)\b|\busaremos\b|\bprefiro\b",
        r"\b(?:em vez d[eo]|ao invés d[eo]|no lugar d[eo]|prefiro|preferimos|usarei|usaremos|vou (?:usar|utilizar)|vamos (?:usar|utilizar)|deveríamos|a melhor (?:opção|solução)|convém)\b",
        r",? ?\b(?:porque|pois|já que|uma vez que|para (?:que|evitar)|devido a|dado que)\b",
        r"\b(?:em vez d[aeo]s?|ao invés d[aeo]s?|no lugar d[aeo]s?)\s+(.{2,80}?)(?:\s?[.,;:)]|\s(?:porque|pois|já que|para|devido|dado)\b|$)",
        r"\b(?:talvez|poderíamos|poderia|ainda não|não (?:decidimos|foi decidido)|se (?:usarmos|você|quiser|decidirmos)|a decidir|será que)\b",
    ])
});
static ITALIAN: LazyLock<Markers> = LazyLock::new(|| {
    markers([
        r"\b(?:(?:ho|abbiamo|hanno|è stato) (?:\w+ )?(?:deciso|scelto|optato|concordato|stabilito)|decidiamo di|optiamo per|restiamo (?:su|con)|teniamo|la decisione (?:è|è stata))\b",
        r"\b(?:usa|usate|utilizza|cambia|metti|mantieni|sostituisci|fai)\b.{1,100}\b(?:invece (?:di|del)|al posto (?:di|del)|anziché)|\buseremo\b|\bpreferisco\b",
        r"\b(?:invece (?:di|del)|al posto (?:di|del)|anziché|preferisco|preferiamo|userò|useremo|dovremmo|la (?:migliore|miglior) (?:opzione|soluzione)|conviene)\b",
        r",? ?\b(?:perché|poiché|dato che|visto che|siccome|per evitare|in modo (?:che|da)|affinché)\b",
        r"\b(?:invece (?:di|del(?:l[ao])?)|al posto (?:di|del(?:l[ao])?)|anziché)\s+(.{2,80}?)(?:\s?[.,;:)]|\s(?:perché|poiché|dato|visto|per)\b|$)",
        r"\b(?:forse|potremmo|potrebbe|non ancora|non (?:abbiamo|è stato) (?:ancora )?deciso|se (?:usiamo|vuoi|decidiamo)|da decidere)\b",
    ])
});
static KOREAN: LazyLock<Markers> = LazyLock::new(|| {
    markers([
        r"기로\s?(?:했|결정|합의|정했)|결정(?:했|하였|됐|되었)|선택(?:했|하였)|채택(?:했|하였)|(?:으로|로)\s?(?:정했|확정)|합의(?:했|하였)",
        r"(?:대신(?:에)?|말고).{1,60}(?:사용|쓰|써|바꿔|하세요|해줘|해주세요)",
        r"사용하겠습니다|쓰겠습니다|사용할\s?(?:것|예정|계획)|바꾸겠습니다|변경하겠습니다|선호",
        r"때문(?:에|입니다)|므로|니까|기\s?위해|이유는|위해서",
        r"([^\s,.]{1,40}(?:\s[^\s,.]{1,40})?)\s?(?:대신(?:에)?|말고)",
        r"아직.{0,12}(?:결정|정하)지|미정|할까요|어떨까요|만약|일지도|수도\s?있|고민",
    ])
});

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LANGUAGES: [Language; 10] = [
        Language::English,
        Language::Chinese,
        Language::Japanese,
        Language::French,
        Language::German,
        Language::Spanish,
        Language::Russian,
        Language::Portuguese,
        Language::Italian,
        Language::Korean,
    ];

    fn patterns(markers: &Markers) -> [&Rare; 7] {
        let Markers { any, strong, ordered, weak, reason, instead, not } = markers;
        [any, strong, ordered, weak, reason, instead, not]
    }

    proptest! {
        #[test]
        fn a_look_for_words_passes_over_no_marker(
            (language, at, text) in (prop::sample::select(LANGUAGES.to_vec()), 0..7_usize)
                .prop_flat_map(|(language, at)| (Just(language), Just(at), patterns(of(language))[at].texts())),
        ) {
            let pattern = patterns(of(language))[at];
            prop_assert_eq!(pattern.is_match(&text), pattern.is_match_without_look(&text), "{}", text);
        }

        #[test]
        fn a_choice_in_a_sentence_has_its_words_in_the_text_around_it(
            (language, text) in prop::sample::select(LANGUAGES.to_vec())
                .prop_flat_map(|language| (Just(language), of(language).any.texts())),
            line_end in prop::sample::select(vec!["\n", "\n  ", "\r\n"]),
        ) {
            let any = &of(language).any;
            let broken = text.replace(' ', line_end);
            prop_assert!(any.may_match(&broken) || !any.is_match(&text), "{}", text);
        }
    }
}
