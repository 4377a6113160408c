use crate::ledger::statements::Stated;
use crate::ledger::tests::Talk;
use rstest::rstest;

fn told(talk: &Talk) -> Vec<(Stated, String, Option<String>, Vec<i64>)> {
    talk.facts().statements.into_iter().map(|one| (one.section, one.text, one.by, one.seqs)).collect()
}

#[test]
fn a_statement_is_of_who_made_it() {
    let talk = Talk::new()
        .user("Decision: the API stays as it is.")
        .assistant("I decided to use a queue because the lock was slow.")
        .assistant("The user decided to wait. You decided to stop.");
    assert_eq!(
        told(&talk),
        [
            (Stated::Decision, "the API stays as it is".to_owned(), Some("The user".to_owned()), vec![1]),
            (Stated::Decision, "Decided to use a queue".to_owned(), None, vec![2]),
        ]
    );
}

#[test]
fn several_labels_may_stand_in_one_line() {
    let talk = Talk::new()
        .assistant("Done. Decision: use Redis. Blocked: the key. Next steps: 1. Ask Ana 2. Deploy");
    let told: Vec<_> = told(&talk).into_iter().map(|(section, text, ..)| (section, text)).collect();
    let expected = [
        (Stated::Decision, "use Redis"),
        (Stated::Blocker, "the key"),
        (Stated::NextStep, "Ask Ana"),
        (Stated::NextStep, "Deploy"),
    ];
    assert_eq!(told, expected.map(|(section, text)| (section, text.to_owned())));
}

#[test]
fn what_is_stated_again_is_one_statement() {
    let talk = Talk::new().assistant("Next steps:\n1. Deploy").assistant("Next step: deploy.");
    let [(section, _, _, seqs)] = &told(&talk)[..] else { panic!("{:?}", told(&talk)) };
    assert_eq!((*section, seqs.as_slice()), (Stated::NextStep, [1, 2].as_slice()));
}

#[rstest]
#[case::printed(Talk::new().user("x").tool("Bash", serde_json::json!({"command": "cat plan.md"}), "Decision: use Redis\nNext steps:\n1. deploy"))]
#[case::of_a_harness(Talk::new().user("<system-reminder>Next steps: 1. deploy it now</system-reminder>"))]
#[case::quoted(Talk::new().assistant("> Decision: use Redis\n\n```\nBlocked: by it\n```"))]
#[case::of_operators(Talk::new().system("Decision: always use Redis.").user("Hello there, how are you?"))]
#[case::announced_and_done(Talk::new().assistant("Next, I will run the tests.").assistant("They pass."))]
fn what_others_wrote_is_no_statement(#[case] talk: Talk) {
    assert_eq!(told(&talk), []);
}

#[test]
fn a_question_is_open_until_a_person_takes_it_up() {
    let asked = Talk::new()
        .assistant("Open question: should the signing key expire?")
        .user("Go on, please, with the rest of it.");
    assert_eq!(asked.facts().carry.open_questions, ["should the signing key expire?"]);
    let answered = asked.user("The signing key should expire after a day.");
    assert_eq!(answered.facts().carry.open_questions, Vec::<String>::new());
}

#[test]
fn speakers_of_minutes_state_by_name() {
    let talk = Talk::new()
        .user("Ana: Let us look at the budget first.")
        .user("Bo: We decided to keep the office because it is cheap.")
        .user("Ana: Yes.")
        .user("Bo: Fine.");
    assert_eq!(
        told(&talk),
        [(Stated::Decision, "Decided to keep the office".to_owned(), Some("Bo".to_owned()), vec![2])]
    );
}

proptest::proptest! {
    #[test]
    fn any_text_is_read(text in "(Decision|Next steps|Blocked by|I decided to |:|\n|- |1\\. |because |##|\\*\\*|```|é|x y){0,30}") {
        let _ = Talk::new().user(&text).assistant(&text).facts();
    }
}
