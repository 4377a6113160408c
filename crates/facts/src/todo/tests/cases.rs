//! Test cases in both languages: sentences that complete an item, that only propose it, and that do neither.

use serde_json::json;

use super::*;

/// What a case must come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    /// Marked as completed.
    Done,
    /// Proposed as completed.
    Proposed,
    /// Neither.
    Left,
    /// Never marked; proposed or left.
    Open,
}
use Want::{Done, Left, Open, Proposed};

const CASES: &[(&str, &str, Want)] = &[
    // Said plainly.
    ("Add login form", "I added the login form.", Done),
    ("Add login form", "The login form is now complete.", Done),
    ("Implement token rotation", "Token rotation is implemented in `src/auth.rs`, next come the docs.", Done),
    ("Fix bug 12 in the parser", "I have fixed bug 12 in the parser.", Done),
    ("Write the migration", "The migration has been written.", Done),
    ("Deploy the service", "I deployed the service.", Done),
    ("Rename the module", "Renamed the module.", Done),
    ("修复登录错误", "我已经修复了登录错误。", Done),
    ("添加登录表单", "登录表单已添加。", Done),
    ("Fix the failing tests", "I fixed the failing tests.", Done),
    ("Add login form", "The login form is done.", Done),
    ("Implement token rotation", "I implemented the token rotation, but the docs are missing.", Done),
    ("Fix bug 12 in the parser", "Fixed bug 12 in the parser.", Done),
    ("Write the migration", "Migration written and deployed.", Done),
    ("Translate the labels", "All labels are translated.", Done),
    ("Add login form", "Progress:\n- [x] Add login form\n- [ ] Add tests", Done),
    ("修复登录错误", "登录错误已修复。", Done),
    // Said less clearly.
    ("Add login form", "I think the login form is done.", Proposed),
    ("Add login form", "The login form is done with no styling.", Proposed),
    ("Add login form", "The login form, after a long night: done.", Open),
    // Negations.
    ("Add login form", "The login form is not done yet.", Left),
    ("Translate the labels", "The labels are not translated yet.", Open),
    ("修复登录错误", "登录错误还没有修复，测试完成。", Open),
    ("Add login form", "The login form isn't done.", Open),
    ("Add login form", "Neither the login form nor the docs are done.", Open),
    ("Add login form", "I have not added the login form yet.", Open),
    ("Add login form", "The login form is far from done.", Open),
    ("Add login form", "Nothing of the login form is done.", Open),
    ("修复登录错误", "登录错误还没修复。", Open),
    ("修复登录错误", "登录错误尚未解决。", Open),
    // Not yet there.
    ("Add login form", "Once the login form is done, I will write the docs.", Left),
    ("Add login form", "The login form will be done tomorrow.", Open),
    ("Add login form", "The login form is almost done.", Open),
    ("Add login form", "The login form is 80 % done.", Open),
    ("Add login form", "Now I have to get the login form done.", Open),
    ("Add login form", "Next: login form completed, then the docs.", Open),
    ("Add login form", "Complete the login form.", Open),
    ("Add login form", "Let's see that the login form gets done.", Open),
    ("Add login form", "When the login form is done I will deploy.", Open),
    ("Add login form", "I started on the login form and finished reading.", Open),
    ("修复登录错误", "登录错误修复了之后再部署。", Open),
    ("修复登录错误", "需要确保登录错误已修复。", Open),
    // Questions.
    ("Add login form", "Is the login form done?", Open),
    ("修复登录错误", "登录错误修复了吗", Open),
    // Something else is done.
    ("Add login form", "The signup page is done.", Open),
    ("Write tests", "I finished running everything.", Open),
    ("Fix bug 12 in the parser", "Fixed bug 13 in the parser.", Open),
    ("Add login form", "I added tests for the login form.", Open),
    ("Add login form", "Fixed a typo in the login form.", Open),
    ("Add login form", "A draft of the login form is done.", Open),
    ("Add login form validation", "The login form is done.", Open),
    ("Test the login form", "The login form is implemented.", Open),
    ("Document the login form", "The login form is done.", Open),
    ("Deploy the login form", "The login form is finished.", Open),
    ("Fix login form", "I added a login form.", Open),
    ("Fix bug 12 in the parser", "Bug 13 in the parser is fixed.", Open),
    ("Remove the login form", "The login form is added.", Open),
    ("修复登录错误", "登录错误的测试已修复。", Open),
    // Done, and it does not hold.
    ("Add login form", "The login form is done, but its tests fail.", Open),
    ("Add login form", "The login form is done, then I reverted it.", Open),
    ("Add login form", "The tests for the login form fail.", Open),
    // Somebody else's words, and less than a word.
    ("Add login form", "The user wrote: \"the login form is done\".", Open),
    (
        "Add login form",
        "```\n- [x] Add login form\n```\nThat is the template with everything completed.",
        Open,
    ),
    ("Add login form", "> The login form is done.\nThat was the plan.", Open),
    ("Add login form", "Please make sure that the login form is done.", Open),
];

#[test]
fn nothing_is_marked_as_completed_that_is_not_and_little_is_missed() {
    let unmet = CASES.iter().filter_map(|(item, text, want)| {
        let told = match after(item, &[text]) {
            (TodoStatus::Completed, _) => Done,
            (_, Some(_)) => Proposed,
            (_, None) => Left,
        };
        let is_met = told == *want || (*want == Open && told != Done);
        (!is_met).then_some((item, text, want, told))
    });
    assert_eq!(unmet.collect::<Vec<_>>(), []);
}

#[test]
fn what_a_person_or_a_tool_says_marks_nothing() {
    for (role, text) in [
        ("user", "The login form is done."),
        ("user", "I want the login form done by tonight."),
        ("tool", "The login form is done."),
    ] {
        let message = json!({"role": role, "content": text, "tool_call_id": "c"});
        let message = format::parse(Format::OpenaiChat, &message.to_string()).unwrap();
        let followed = follow(
            &doing("Add login form"),
            &[Reading::new(&Numbered { seq: 1, message })],
            ToolEvidence::default(),
        );
        assert_eq!(followed.items[0].status, TodoStatus::InProgress, "{role}: {text}");
    }
}

#[test]
fn tests_that_fail_after_the_words_make_them_a_proposal() {
    let said = span(&["The login form is done."]);
    let failed = ToolEvidence { failed_at: Some(2), ..ToolEvidence::default() };
    let followed = follow(&doing("Add login form"), &Reading::each(&said), failed);
    let item = &followed.items[0];
    assert_eq!((item.status, item.proposed_status), (TodoStatus::InProgress, Some(TodoStatus::Completed)));
    let before = ToolEvidence { failed_at: Some(1), ..ToolEvidence::default() };
    assert_eq!(
        follow(&doing("Add login form"), &Reading::each(&said), before).items[0].status,
        TodoStatus::Completed
    );
}
