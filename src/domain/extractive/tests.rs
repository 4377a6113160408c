use super::super::ledger::{TestRunFact, TodoItem, TodoList, TodoStatus};
use super::super::message::{Part, ToolCall, ToolResult};
use super::super::summary::TestOutcome;
use super::*;
use rstest::rstest;

fn say(seq: i64, role: Role, text: &str) -> Numbered {
    Numbered { seq, message: Message { role, name: None, parts: vec![Part::Text(text.to_owned())] } }
}

fn call(seq: i64, name: &str, arguments: &str, output: &str) -> [Numbered; 2] {
    let call = ToolCall { id: format!("c{seq}"), name: name.to_owned(), arguments: arguments.to_owned() };
    let result =
        ToolResult { call_id: format!("c{seq}"), parts: vec![Part::Text(output.to_owned())], is_error: None };
    [
        Numbered {
            seq,
            message: Message { role: Role::Assistant, name: None, parts: vec![Part::ToolCall(call)] },
        },
        Numbered {
            seq: seq + 1,
            message: Message { role: Role::Tool, name: None, parts: vec![Part::ToolResult(result)] },
        },
    ]
}

fn of(span: &[Numbered]) -> Proposal {
    propose(span, &Facts::default(), None)
}

fn known() -> Summary {
    Summary { session_intent: "Build the parser".to_owned(), ..Summary::default() }
}

#[test]
fn the_first_task_is_the_intent_and_greetings_are_not() {
    let p = of(&[
        say(1, Role::System, "You help."),
        say(2, Role::User, "<system-reminder>Be nice.</system-reminder>"),
        say(3, Role::User, "Hi there!"),
        say(4, Role::Assistant, "Hello! How can I help?"),
        say(5, Role::User, "Please add a login form to the start page."),
    ]);
    let intent = p.intent.unwrap();
    assert_eq!(intent.text, "Please add a login form to the start page.");
    assert_eq!(intent.seqs, [5]);
    assert!(!intent.changes_scope);
}

#[test]
fn a_task_of_few_words_is_not_passed_over_for_the_next_message() {
    let p = of(&[
        say(1, Role::User, "Hello!"),
        say(2, Role::User, "Build the service."),
        say(3, Role::Assistant, "On it."),
        say(4, Role::User, "Use port 9443 and not 8443."),
    ]);
    let intent = p.intent.unwrap();
    assert_eq!(intent.text, "Build the service.\nUse port 9443 and not 8443.");
    assert_eq!(intent.seqs, [2, 4]);
}

#[test]
fn an_issue_in_the_first_message_stays_in_the_intent() {
    let p =
        of(&[say(1, Role::User, "<pr_description>\nDates are wrong on SQLite.\n</pr_description>\nFix it.")]);
    assert!(p.intent.unwrap().text.contains("Dates are wrong on SQLite."));
}

#[test]
fn a_long_task_keeps_its_head_and_its_tail() {
    let text = format!("Start here. {} End here.", "word ".repeat(2_000));
    let intent = of(&[say(1, Role::User, &text)]).intent.unwrap().text;
    assert!(intent.starts_with("Start here.") && intent.ends_with("End here."));
    assert!(intent.chars().count() <= 1_510);
}

#[test]
fn without_a_person_the_models_words_state_the_intent() {
    let p = of(&[say(1, Role::Assistant, "I am migrating the database to version 15. First the schema.")]);
    assert!(p.intent.unwrap().text.starts_with("I am migrating the database"));
}

#[test]
fn a_span_of_nothing_but_calls_has_an_intent() {
    let span = call(4, "get_reservation", r#"{"reservation_id": "FDZ0T5"}"#, r#"{"status":"open"}"#);
    assert_eq!(of(&span).intent.unwrap().text, r#"get_reservation {"reservation_id": "FDZ0T5"}"#);
    assert!(of(&span[1..]).intent.unwrap().text.contains("status"));
}

#[rstest]
#[case("Forget the parser, let's write the documentation for the API.", true)]
#[case("New task: migrate the tests to vitest and drop jest.", true)]
#[case("Actually, let's build a command line tool first, the parser can wait.", true)]
#[case("ok great. now let's add the export to CSV for reports", true)]
#[case("新任务：给登录页面加上验证码功能。", true)]
#[case("Oublie ça, écris plutôt la documentation de l'API s'il te plaît.", true)]
#[case("Stattdessen sollst du die Dokumentation für die API schreiben.", true)]
#[case("Забудь про парсер, давай напишем документацию.", true)]
#[case("Mudei de ideia, vamos escrever a documentação primeiro.", true)]
#[case("Lascia perdere il parser, scrivi la documentazione della API.", true)]
#[case("새 작업: 로그인 페이지에 캡차를 추가해 주세요.", true)]
#[case("The parser fails on empty input, can you look?", false)]
#[case("Use tabs instead of spaces please, as in the rest.", false)]
fn only_clear_words_change_the_scope(#[case] text: &str, #[case] changes: bool) {
    let p = propose(&[say(9, Role::User, text)], &Facts::default(), Some(&known()));
    assert_eq!(p.intent.is_some_and(|i| i.changes_scope), changes);
}

#[rstest]
#[case(
    "We decided to use Postgres instead of SQLite because it has row locks.",
    "because it has row locks.",
    "SQLite"
)]
#[case(
    "I'll go with a trait object, since the set of engines is open.",
    "since the set of engines is open.",
    ""
)]
#[case(
    "I decided to use the csv crate because quoted fields are hard to read by hand.",
    "because quoted fields are hard to read by hand.",
    ""
)]
#[case("我们决定采用 Redis 而不是 Memcached，因为需要持久化。", "因为需要持久化。", "Memcached")]
#[case(
    "Nous avons choisi JWT au lieu de sessions, car le service est sans état.",
    "car le service est sans état.",
    "sessions"
)]
#[case("Wir haben uns für Rust entschieden, weil es schneller ist.", "weil es schneller ist.", "")]
#[case(
    "Decidimos usar Redis en lugar de Memcached porque necesitamos persistencia.",
    "porque necesitamos persistencia.",
    "Memcached"
)]
#[case(
    "Мы решили использовать Redis вместо Memcached, потому что нужна надёжность.",
    "потому что нужна надёжность.",
    "Memcached"
)]
#[case(
    "Decidimos usar o Kafka em vez do RabbitMQ porque precisamos de replay.",
    "porque precisamos de replay.",
    "RabbitMQ"
)]
#[case(
    "Abbiamo deciso di usare Vite invece di Webpack perché la build è più veloce.",
    "perché la build è più veloce.",
    "Webpack"
)]
fn a_decision_has_its_reason_and_what_was_not_chosen(
    #[case] text: &str,
    #[case] reason: &str,
    #[case] alternative: &str,
) {
    let found = of(&[say(2, Role::Assistant, text)]).decisions;
    assert_eq!(found.len(), 1, "{found:?}");
    let choice = text.strip_suffix(reason).unwrap().trim_end_matches([' ', ',', '，']);
    assert_eq!(found[0].decision, choice, "the reason is told once");
    assert_eq!(found[0].rationale, reason);
    assert_eq!(found[0].alternatives.first().map_or("", String::as_str), alternative);
}

#[rstest]
#[case("Redis 대신 Kafka를 사용하기로 결정했습니다.")]
#[case("La decisione è di restare su Postgres.")]
#[case("Optamos por manter o SQLite.")]
fn a_decision_without_a_reason_is_one(#[case] text: &str) {
    let found = of(&[say(2, Role::Assistant, text)]).decisions;
    assert_eq!(found.iter().map(|d| d.decision.as_str()).collect::<Vec<_>>(), [text]);
}

#[test]
fn a_reason_that_comes_first_is_no_part_of_the_choice() {
    let text = "Because the vendor drops the old API in May, we decided to move the billing job first.";
    let found = of(&[say(2, Role::Assistant, text)]).decisions;
    assert_eq!(found[0].decision, "we decided to move the billing job first.");
    assert_eq!(found[0].rationale, "Because the vendor drops the old API in May");
}

#[rstest]
#[case("Talvez possamos usar o Redis, ainda não decidimos.")]
#[case("Forse potremmo usare Redis.")]
#[case("아직 결정하지 않았습니다.")]
#[case("Should we go with Redis?")]
#[case("Maybe we could use Redis instead of files.")]
#[case("I haven't decided yet.")]
#[case("The function returns None instead of a list.")]
#[case("Let me check the file.")]
#[case("Let's use ripgrep to find the callers.")]
#[case("I will use the log to see why it fails, because the error is short.")]
#[case("```\n# decided to use x because y\n```")]
#[case("> We decided to use Redis because of locks.")]
fn thinking_aloud_is_no_decision(#[case] text: &str) {
    assert_eq!(of(&[say(2, Role::Assistant, text)]).decisions, []);
}

#[test]
fn answers_to_questions_are_decisions_with_the_options_not_chosen() {
    let arguments =
        r#"{"questions":[{"question":"Which store?","options":[{"label":"Redis"},{"label":"Files"}]}]}"#;
    let span = call(
        4,
        "AskUserQuestion",
        arguments,
        r#"User has answered your questions: "Which store?"="Redis". You can now continue."#,
    );
    let found = of(&span).decisions;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].decision, "Which store? → Redis");
    assert_eq!(found[0].alternatives, ["Files"]);
    assert_eq!(found[0].seqs, [4, 5]);
}

#[test]
fn plans_are_approved_or_rejected_with_the_persons_words() {
    let rejected = call(
        1,
        "ExitPlanMode",
        r##"{"plan":"# Export to CSV\n\nx"}"##,
        "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nkeep it smaller",
    );
    let found = of(&rejected).decisions;
    assert_eq!(found[0].decision, "Plan rejected by the user: Export to CSV");
    assert_eq!(found[0].rationale, "keep it smaller");
    let approved = call(
        1,
        "ExitPlanMode",
        r##"{"plan":"# Export to CSV"}"##,
        "User has approved your plan. You can now start coding.",
    );
    assert_eq!(of(&approved).decisions[0].decision, "Plan approved by the user: Export to CSV");
}

#[test]
fn actions_carried_out_are_decisions_and_failed_ones_are_not() {
    let done = call(1, "cancel_reservation", r#"{"reservation_id":"FDZ0T5"}"#, r#"{"status":"cancelled"}"#);
    assert_eq!(of(&done).decisions[0].decision, "cancel_reservation: reservation_id FDZ0T5");
    let failed = call(1, "cancel_reservation", r#"{"reservation_id":"FDZ0T5"}"#, "Error: not found");
    assert_eq!(of(&failed).decisions, []);
}

#[test]
fn a_short_answer_decides_what_was_asked() {
    let found = of(&[
        say(1, Role::User, "cancel my trip"),
        say(2, Role::Assistant, "The fee is $20. Shall I cancel it?"),
        say(3, Role::User, "Yes, please"),
    ])
    .decisions;
    assert_eq!(found[0].decision, "The fee is $20. Shall I cancel it? → Yes, please");
    assert_eq!(found[0].seqs, [2, 3]);
}

#[test]
fn todos_are_the_next_steps_and_the_task() {
    let item = |content: &str, status| TodoItem { content: content.to_owned(), status };
    let facts = Facts {
        todos: Some(TodoList {
            items: vec![
                item("write", TodoStatus::Completed),
                item("test it", TodoStatus::Pending),
                item("fix it", TodoStatus::InProgress),
            ],
            seqs: vec![7],
        }),
        ..Facts::default()
    };
    let p = propose(&[say(1, Role::User, "do the things now")], &facts, None);
    assert_eq!(p.next_steps, ["fix it", "test it"]);
    assert_eq!(p.next_steps_seqs, [7]);
    assert_eq!(p.current_state.task.as_deref(), Some("fix it"));
}

#[test]
fn a_list_under_a_heading_is_the_next_steps() {
    let p = of(&[
        say(1, Role::User, "go on please now"),
        say(2, Role::Assistant, "Done so far.\n\n## Next steps\n- run the tests\n- deploy to staging\n"),
    ]);
    assert_eq!(p.next_steps, ["run the tests", "deploy to staging"]);
}

#[test]
fn announced_steps_are_found() {
    let mut span = vec![
        say(1, Role::User, "fix the crash at start-up"),
        say(2, Role::Assistant, "The crash comes from the config. Next I will add a default."),
    ];
    span.extend(call(3, "Bash", r#"{"command":"ls"}"#, "a"));
    assert_eq!(of(&span).next_steps, ["Next I will add a default."]);
}

#[test]
fn failing_tests_and_open_questions_stand_in_the_way_until_they_do_not() {
    let run = |outcome, seq| TestRunFact {
        command: "pytest -q".to_owned(),
        outcome,
        passed: None,
        failed: Some(1),
        failing: vec!["a::b".to_owned()],
        seqs: vec![seq],
    };
    let span = [
        say(1, Role::User, "fix the tests"),
        say(2, Role::Assistant, "One is left. Which database do you use in CI?"),
    ];
    let p = propose(&span, &Facts { test_runs: vec![run(TestOutcome::Fail, 1)], ..Facts::default() }, None);
    let texts: Vec<&str> = p.blockers.iter().map(|b| b.text.as_str()).collect();
    assert_eq!(
        texts,
        ["Failing tests: `pytest -q` (1 failed): a::b", "Open question: Which database do you use in CI?"]
    );
    let base = Summary { blockers: p.blockers, session_intent: "x".to_owned(), ..Summary::default() };
    let later = [say(3, Role::User, "Postgres 15"), say(4, Role::Assistant, "Thanks, all good now.")];
    let p = propose(
        &later,
        &Facts { test_runs: vec![run(TestOutcome::Pass, 4)], ..Facts::default() },
        Some(&base),
    );
    assert_eq!(p.blockers, []);
    assert!(p.blockers_resolved);
}

#[test]
fn minutes_keep_who_talks_the_last_words_and_what_was_agreed() {
    let span: Vec<Numbered> = [
        "Project Manager: Okay .",
        "Project Manager: Today we are going to discuss the new remote control and its price .",
        "Designer: I think we should use rubber for the case of the remote .",
        "Project Manager: We decided to use rubber because it is cheap .",
        "Designer: I will send the drawings of the case to everyone by Friday .",
        "Project Manager: Good .",
    ]
    .iter()
    .enumerate()
    .map(|(at, text)| say(i64::try_from(at).unwrap() + 1, Role::User, text))
    .collect();
    let p = of(&span);
    assert!(p.intent.unwrap().text.contains("discuss the new remote control"));
    assert_eq!(p.next_steps, ["Designer: I will send the drawings of the case to everyone by Friday."]);
    assert_eq!(p.decisions.len(), 1);
    assert!(p.current_state.text.contains("drawings"));
}

fn minutes(lines: &[&str]) -> Vec<Numbered> {
    (1_i64..).zip(lines).map(|(seq, text)| say(seq, Role::User, text)).collect()
}

#[rstest]
#[case::english(&["Ana: We have to talk about the venue today.", "Ben: Which hotel do we take for the guests?", "Ana: That is still open.", "Ben: Then the menu.", "Ana: The menu is fish, and the price is twelve euros for each of the forty guests."], "Ben: Which hotel do we take for the guests?", "Ana: That is still open.")]
#[case::english_later(&["Ana: We have to talk about the venue today.", "Ben: Who pays for the music?", "Ana: Hm.", "Ana: Not decided yet.", "Ben: The rest of the evening is planned and everybody knows what they have to bring along."], "Ben: Who pays for the music?", "Ana: Not decided yet.")]
#[case::german(&["Ute: Heute sprechen wir über den Umzug.", "Jan: Welche Firma nehmen wir für den Transport?", "Ute: Das ist noch offen.", "Jan: Die Kisten sind da und stehen seit gestern im Keller neben den alten Regalen."], "Jan: Welche Firma nehmen wir für den Transport?", "Ute: Das ist noch offen.")]
#[case::french(&["Luc: On parle du budget aujourd'hui.", "Eve: Quel fournisseur choisit-on pour les bancs ?", "Luc: C'est encore ouvert.", "Eve: Bien, les plans sont prêts et la mairie les a reçus la semaine dernière par courrier."], "Eve: Quel fournisseur choisit-on pour les bancs?", "Luc: C'est encore ouvert.")]
#[case::spanish(&["Sol: Hoy hablamos de la feria.", "Leo: ¿Qué grupo toca el sábado por la noche?", "Sol: Todavía no se ha decidido.", "Leo: Bueno, las carpas están pagadas y llegan el jueves por la mañana desde Murcia."], "Leo: ¿Qué grupo toca el sábado por la noche?", "Sol: Todavía no se ha decidido.")]
#[case::russian(&["Оля: Сегодня обсуждаем ремонт школы.", "Пётр: Кто будет красить стены в коридоре?", "Оля: Пока не решили.", "Пётр: Краска уже куплена и стоит в подвале вместе с новыми кистями для всех классов."], "Пётр: Кто будет красить стены в коридоре?", "Оля: Пока не решили.")]
#[case::chinese(&["王芳：今天我们讨论搬家的事。", "李雷：搬家公司用哪一家比较好？", "王芳：这个还没定。", "李雷：箱子都已经到了，放在地下室旧书架旁边，每个人自己去拿就可以了。"], "李雷: 搬家公司用哪一家比较好？", "王芳: 这个还没定。")]
#[case::japanese(&["田中：今日は引っ越しについて話します。", "鈴木：運送会社はどこにしますか？", "田中：まだ決まっていません。", "鈴木：箱はもう届いていて、地下の古い本棚の横に置いてありますので取りに行ってください。"], "鈴木: 運送会社はどこにしますか？", "田中: まだ決まっていません。")]
fn a_question_that_is_put_off_is_told_as_open(
    #[case] lines: &[&str],
    #[case] question: &str,
    #[case] reply: &str,
) {
    let p = of(&minutes(lines));
    let open: Vec<&str> = p.blockers.iter().map(|b| b.text.as_str()).collect();
    assert!(open.iter().any(|b| b.contains(question) && b.ends_with(reply)), "{open:?}");
    assert_eq!(p.blockers.iter().find(|b| b.text.ends_with(reply)).unwrap().seqs.len(), 2);
}

#[test]
fn a_question_that_was_put_off_stays_open_until_it_is_decided() {
    let first = of(&minutes(&[
        "Ana: We have to talk about the venue today.",
        "Ben: Which hotel do we take for the guests?",
        "Ana: That is still open.",
        "Ben: The rest of the evening is planned and everybody knows what they have to bring along.",
    ]));
    assert_eq!(first.blockers.len(), 1, "{:?}", first.blockers);
    let base = Summary { blockers: first.blockers, session_intent: "x".to_owned(), ..Summary::default() };
    let later = |lines: &[&str]| propose(&minutes(lines), &Facts::default(), Some(&base));
    let other = later(&["Ana: Now the menu.", "Ben: Fish.", "Ana: We decided on fish.", "Ben: Good."]);
    assert!(!other.blockers_resolved, "{:?}", other.blockers);
    let told = later(&[
        "Ana: Now the venue.",
        "Ben: Yes.",
        "Ana: We decided on the hotel at the lake.",
        "Ben: Good.",
    ]);
    assert!(told.blockers_resolved, "{:?}", told.blockers);
    let at_once = of(&minutes(&[
        "Ana: We have to talk about the venue today.",
        "Ben: Which hotel do we take for the guests?",
        "Ana: Not decided yet.",
        "Ben: Then let's take the hotel at the lake, which has rooms for all forty guests.",
    ]));
    assert_eq!(at_once.blockers, []);
}

#[rstest]
#[case::chinese(&["王芳：今天我们讨论新品发布会。", "李雷：我负责场地，周五前把三家酒店的报价发给大家。", "王芳：好的。", "张伟：预算由我整理，3月15日之前提交给财务。", "王芳：赵敏负责邀请媒体，下周一给名单。", "李雷：没有别的了。"], &["李雷: 我负责场地，周五前把三家酒店的报价发给大家。", "张伟: 预算由我整理，3月15日之前提交给财务。", "王芳: 赵敏负责邀请媒体，下周一给名单。"])]
#[case::japanese(&["田中：今日は新製品の発表会について話します。", "鈴木：会場は私が担当します。金曜日までに見積もりを三社分送ります。", "田中：わかりました。", "佐藤：予算案は3月15日までに経理へ提出します。", "田中：招待状は来週、高橋さんが作成します。", "鈴木：以上です。"], &["鈴木: 会場は私が担当します。金曜日までに見積もりを三社分送ります。", "佐藤: 予算案は3月15日までに経理へ提出します。", "田中: 招待状は来週、高橋さんが作成します。"])]
fn agreed_actions_keep_their_names_and_dates(#[case] lines: &[&str], #[case] steps: &[&str]) {
    let p = of(&minutes(lines));
    assert_eq!(p.next_steps, steps);
}

#[test]
fn nothing_is_a_placeholder() {
    let p = of(&[
        say(1, Role::User, "..."),
        say(2, Role::Assistant, "TBD"),
        say(3, Role::User, "write the parser for dates"),
    ]);
    assert_eq!(p.intent.unwrap().text, "write the parser for dates");
    assert_ne!(p.current_state.text, "TBD");
    assert!(p.next_steps.iter().all(|s| !is_placeholder(s)));
}

proptest::proptest! {
    #[test]
    fn no_span_panics(texts in proptest::collection::vec("\\PC{0,80}", 0..8)) {
        let span: Vec<Numbered> = texts
            .iter()
            .zip(1_i64..)
            .map(|(t, seq)| say(seq, if seq % 2 == 1 { Role::User } else { Role::Assistant }, t))
            .collect();
        let p = of(&span);
        if span.iter().any(|n| n.message.role == Role::User && n.message.text().chars().any(char::is_alphanumeric)) {
            let _ = p.intent;
        }
    }
}

#[rstest]
#[case("I'll modify `cmd_web` to use pypager instead of SystemPager.")]
#[case("- Uses `Text` instead of rendering raw strings")]
#[case("Let's use find_file to see where it is.")]
#[case("If we decided on Redis, the tests would be slow.")]
#[case("我们还没决定用哪个数据库。")]
#[case("Nous n'avons pas encore décidé.")]
#[case("Wir haben noch nicht entschieden, ob wir Redis nehmen.")]
#[case("Todavía no hemos decidido la base de datos.")]
#[case("Мы ещё не решили, какую базу взять.")]
#[case("まだ決めていませんが、Redis かもしれません。")]
fn what_nobody_chose_is_no_decision(#[case] text: &str) {
    assert_eq!(of(&[say(2, Role::Assistant, text)]).decisions, []);
}

#[rstest]
#[case("Use tabs instead of spaces in the new files.")]
#[case("we settled on the second layout")]
#[case("就用第二种方案吧。")]
#[case("On va utiliser PostgreSQL pour ce service.")]
#[case("Wir verwenden PostgreSQL für diesen Dienst.")]
#[case("Vamos a usar PostgreSQL en este servicio.")]
#[case("Используем PostgreSQL для этого сервиса.")]
#[case("PostgreSQL を使うことにしました。")]
fn a_persons_choice_is_a_decision(#[case] text: &str) {
    let span = [say(1, Role::User, "Build the service, please, with tests."), say(3, Role::User, text)];
    let found = of(&span).decisions;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].seqs, [3]);
}

#[test]
fn an_asked_for_fact_is_no_decision() {
    let found = of(&[
        say(1, Role::User, "I want to change my flight"),
        say(2, Role::Assistant, "Could you please provide your user id?"),
        say(3, Role::User, "Sure, it is ada_lind_42."),
    ])
    .decisions;
    assert_eq!(found, []);
}

#[test]
fn answers_in_other_shapes_are_read() {
    let asked =
        r#"{"questions":[{"id":"db","question":"Which database?","options":[{"label":"A"},{"label":"B"}]}]}"#;
    let codex = call(1, "request_user_input", asked, r#"{"answers":{"db":{"answers":["A"]}}}"#);
    assert_eq!(of(&codex).decisions[0].decision, "Which database? → A");
    assert_eq!(of(&codex).decisions[0].alternatives, ["B"]);
    let cline = call(
        1,
        "ask_followup_question",
        r#"{"question":"Deploy now?"}"#,
        "<answer>\nyes, to staging\n</answer>",
    );
    assert_eq!(of(&cline).decisions[0].decision, "Deploy now? → yes, to staging");
}

#[test]
fn what_was_announced_before_a_tool_that_answered_is_not_still_to_do() {
    let mut span = vec![
        say(1, Role::User, "Fix the crash at start-up."),
        say(2, Role::Assistant, "Done with that."),
        say(3, Role::User, "Now rename the module to core."),
    ];
    let mut run = call(4, "Bash", r#"{"command":"git mv a core"}"#, "");
    run[0].message.parts.insert(0, Part::Text("I will rename the folder first.".to_owned()));
    span.extend(run);
    assert_eq!(
        of(&span).next_steps,
        ["Continue: Now rename the module to core.", "I will rename the folder first."]
    );
}

#[rstest]
#[case("###STOP###")]
#[case("Thank you so much, everything is set now!")]
#[case("谢谢你，再见。")]
fn thanks_and_marks_for_programs_ask_for_nothing(#[case] last: &str) {
    let p = of(&[
        say(1, Role::User, "Please cancel the booking FDZ0T5 for me."),
        say(2, Role::Assistant, "It is cancelled."),
        say(3, Role::User, last),
    ]);
    assert_eq!(p.next_steps, Vec::<String>::new());
    assert_eq!(p.current_state.task.as_deref(), Some("Please cancel the booking FDZ0T5 for me."));
}

#[rstest]
#[case(
    "Ajoute un bouton de connexion à la page.",
    "Veux-tu que je continue avec les tests ?",
    "Question ouverte :"
)]
#[case("Bitte füge der Seite einen Knopf hinzu.", "Soll ich mit den Tests weitermachen?", "Offene Frage:")]
#[case("Por favor, añade un botón a la página.", "¿Quieres que siga con las pruebas?", "Pregunta abierta:")]
#[case("Добавь кнопку входа на страницу, пожалуйста.", "Мне продолжить с тестами?", "Открытый вопрос:")]
#[case("请给页面加一个登录按钮。", "需要我继续写测试吗？", "未决问题：")]
#[case("ページにログインボタンを追加してください。", "テストも続けて書きますか？", "未解決の質問：")]
fn our_own_words_are_in_the_sessions_language(
    #[case] task: &str,
    #[case] question: &str,
    #[case] glue: &str,
) {
    let p = of(&[say(1, Role::User, task), say(2, Role::Assistant, question)]);
    assert_eq!(p.blockers.len(), 1, "{:?}", p.blockers);
    assert_eq!(p.blockers[0].text, format!("{glue} {question}"));
}

#[rstest]
#[case("次のステップ:\n- テストを実行する\n- デプロイする")]
#[case("下一步：\n- 运行测试\n- 部署到预发布环境")]
#[case("Prochaines étapes :\n- lancer les tests\n- déployer")]
#[case("Nächste Schritte:\n- Tests ausführen\n- ausliefern")]
#[case("Próximos pasos:\n- ejecutar las pruebas\n- desplegar")]
#[case("Следующие шаги:\n- запустить тесты\n- выложить")]
fn listed_steps_are_read_in_any_language(#[case] report: &str) {
    let p = of(&[say(1, Role::User, "go on please now"), say(2, Role::Assistant, report)]);
    assert_eq!(p.next_steps.len(), 2, "{:?}", p.next_steps);
}

#[test]
fn a_chat_keeps_what_the_person_told_of_themselves() {
    let mut span = vec![
        say(1, Role::User, "你好，我叫林安，在医院做护士。"),
        say(2, Role::Assistant, "很高兴认识你，林安。"),
    ];
    for i in 0..20 {
        span.push(say(3 + 2 * i, Role::User, "今天的天气还不错，我出去走了走，心情挺好的。"));
        span.push(say(4 + 2 * i, Role::Assistant, "那真不错，多走走对身体有好处。"));
    }
    span.push(say(50, Role::User, "我最近在看《三体》，非常喜欢里面的故事。"));
    let notes = of(&span).notes;
    let told = |text: &str| notes.iter().any(|n| n.value.contains(text));
    assert!(told("林安") && told("《三体》"), "{notes:?}");
    assert!(notes.iter().all(|n| n.key == "user" || n.key == "assistant"));
}

#[test]
fn work_with_tools_needs_no_notes_of_what_was_said() {
    let mut span: Vec<Numbered> =
        (1..12).map(|i| say(i, Role::User, "please go on with the next part of it")).collect();
    span.extend(call(20, "Bash", r#"{"command":"ls"}"#, "a"));
    assert_eq!(of(&span).notes, []);
}

#[test]
fn transcribers_marks_are_not_told() {
    assert_eq!(
        talk::tidy("Ada: Um , we 'll {disfmarker} {vocalsound} use rubber , I think ."),
        "Ada: we'll use rubber, I think."
    );
    assert_eq!(talk::tidy("Bob: Wir treffen uns um 8 Uhr ."), "Bob: Wir treffen uns um 8 Uhr.");
}
