use super::rules::Secret;
use super::*;
use crate::pattern::Rule as _;

#[path = "../../../../tests/support/corpus.rs"]
mod corpus;
use rstest::rstest;

// Assembled at run time, so that no scanner takes a test for a leak.
fn fake(prefix: &str, length: usize) -> String {
    let body: String = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z".chars().cycle().take(length).collect();
    format!("{prefix}{body}")
}

impl Secret {
    fn problems(&self) -> Vec<String> {
        let mark = format!("[REDACTED:{}]", self.kind);
        let redacted = |text: &str| apply(self, text).unwrap_or_else(|| text.to_owned());
        let missed = self.samples.iter().filter_map(|sample| {
            let case = corpus::secret(&self.kind, sample);
            let is_read = RULES.candidates_in(&case.text).any(|rule| std::ptr::eq(rule, self));
            let read = redacted(&case.text);
            (!is_read || read != case.without.replace('¤', &mark))
                .then(|| format!("makes {read} of {sample}"))
        });
        let taken =
            self.not.iter().filter(|text| redacted(text) != **text).map(|text| format!("takes {text}"));
        let bare = self.samples.is_empty().then(|| "it has no sample".to_owned());
        missed.chain(taken).chain(bare).map(|problem| format!("{}: {problem}", self.name())).collect()
    }
}

/// The faults of the rules.
pub(crate) fn rule_problems() -> Vec<String> {
    RULES.problems().into_iter().chain(RULES.iter().flat_map(Secret::problems)).collect()
}

#[rstest]
#[case("commit 45ffe0a3bb7e2f0d0b3f64c2a8bd6d3cbb1a2f0e")]
#[case("uuid 3f2504e0-4f89-11d3-9a0c-0305e82c3301")]
#[case("/home/ana/token/secret/key.pem and src/auth/token.rs")]
#[case("the tokenizer is o200k_base")]
fn what_is_no_secret_stays(#[case] text: &str) {
    assert_eq!(redact(text), text);
}

/// Pieces of secrets and what stands around them.
fn piece() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let fakes = [
        "ghp_", "github_pat_", "sk-proj-", "sk-ant-", "pk_test_", "xoxb-", "xapp-1-", "AIza", "ya29.",
        "glpat-",
    ]
    .into_iter()
    .chain([
        "npm_", "pypi-", "hf_", "SG.", "dop_v1_", "shpat_", "sq0atp-", "dckr_pat_", "gsk_", "eyJ", "whsec_",
        "",
    ])
    .map(|prefix| fake(prefix, 60));
    let words = [
        " ", "=", ":", ": ", "\"", "'", "@", "/", "://", "https", "user", ".", "-", "_", "\n", "é", "密码",
        "key", "api_key", "Token", "token", "sk-", "abc123XYZ", "SECRET", "password", "PWD", "db", "dbpass",
        "Bearer ", "Authorization", "basic ", "AKIAIOSFODNN7EXAMPLE", "-----BEGIN PRIVATE KEY-----",
        "credentials", "passphrase", "x",
    ];
    prop::sample::select(fakes.chain(words.into_iter().map(str::to_owned)).collect::<Vec<_>>())
}

proptest::proptest! {
    #[test]
    fn what_was_redacted_stays_as_it_is(pieces in proptest::collection::vec(piece(), 0..20)) {
        let once = redact(&pieces.concat()).into_owned();
        proptest::prop_assert_eq!(redact(&once), once.as_str());
    }
}

#[test]
fn a_secret_beside_letters_of_another_script_or_of_any_length_is_redacted() {
    assert_eq!(redact("密钥AKIAIOSFODNN7EXAMPLE"), "密钥[REDACTED:aws-key]");
    assert_eq!(redact(&fake("sk-ant-", 9_000)), "[REDACTED:anthropic-key]");
    assert_eq!(redact(&fake("pk_test_", 24)), "[REDACTED:stripe-key]");
}

#[test]
fn every_secret_of_the_corpus_is_redacted_and_nothing_around_it() {
    let mark = regex::Regex::new(r"\[REDACTED:[a-z-]+\]").unwrap();
    let mut missed = Vec::new();
    for case in corpus::secrets() {
        let redacted = redact(&case.text).into_owned();
        if mark.replace_all(&redacted, "¤") != case.without {
            missed.push(format!("{}: {redacted}", case.name));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    assert!(corpus::secrets().len() >= 60);
}

#[test]
fn a_secret_of_the_corpus_within_a_call_s_arguments_is_redacted() {
    for case in corpus::secrets() {
        let arguments = serde_json::json!({"command": case.text}).to_string();
        let redacted = redact(&arguments);
        for secret in &case.secrets {
            assert!(!redacted.contains(secret.as_str()), "{}: {redacted}", case.name);
        }
    }
}

#[test]
fn nothing_of_the_corpus_that_is_no_secret_is_redacted() {
    let taken: Vec<String> = corpus::benign()
        .into_iter()
        .filter(|line| redact(line) != *line)
        .map(|line| redact(line).into_owned())
        .collect();
    assert!(taken.is_empty(), "{}", taken.join("\n"));
    assert!(corpus::benign().len() >= 60);
}

#[rstest]
#[case::a_webhook_folder("packages/api/webhooks/migrations/1740200000000-AddUniqueConstraint.ts")]
#[case::a_route("src/app/api/webhooks/github-app2024/route.ts")]
#[case::a_prefix_of_keys("/path/sk-1740200000000-AddUniqueConstraint.ts")]
#[case::without_an_extension("sk-1740200000000-AddUniqueConstraint")]
#[case::of_windows(r"C:\src\sk-1740200000000-AddUniqueConstraint.ts")]
#[case::with_a_line("src/sk-1740200000000-AddUniqueConstraint.ts:12:3: error")]
#[case::behind_a_name("token: src/migrations/1740200000000-AddUniqueConstraint.ts")]
#[case::behind_credentials("credentials: ./src/a1/b2c3d4e5.ts")]
#[case::in_json(
    r#"{"secretToken": "src/a1b2/c3d4.ts", "file_path":"/r/api/webhooks/stripe/1740200000000-AddUnique.ts"}"#
)]
#[case::a_migration("secret => 1740200000000-AddToken.ts")]
#[case::a_migration_of_rails("token: 20240101120000_add_api_key_to_users.rb")]
#[case::a_migration_of_flyway("token: V2024__add_secret_key.sql")]
#[case::a_migration_of_laravel("token: 2014_10_12_000000_create_password_resets.php")]
#[case::a_migration_s_class("Migration token: AddUserToken1740200000000")]
#[case::a_rename_of_git("rename src/{token => token1234ab}/a.ts (100%)")]
#[case::a_stat_of_git(" src/token=1740200000000-AddUnique.ts | 12 +++---")]
#[case::a_log_of_git("45ffe0a3bb7e2f0d0b3f64c2a8bd6d3cbb1a2f0e (HEAD -> token) the token 45ffe0a of auth")]
#[case::a_branch_of_git("* token   45ffe0a3bb7e2f0d0b3f64c2a8bd6d3cbb1a2f0e Add the token")]
#[case::refs_of_git("45ffe0a3bb7e2f0d0b3f64c2a8bd6d3cbb1a2f0e\trefs/heads/secret-token")]
#[case::a_trailer("Change-Id: I45ffe0a3bb7e2f0d0b3f64c2a8bd6d3cbb1a2f0e\nEntire-Checkpoint: a1b2c3d4e5f6")]
#[case::a_lockfile(r#"resolved "https://registry.yarnpkg.com/jsonwebtoken/-/jsonwebtoken-9.0.0.tgz#d0faf9ba1cc3a56255fe49c0961a67e520c1926d""#)]
#[case::a_version_in_a_lockfile(r#""jsonwebtoken": "9.0.2-beta.12", "csrf-token": "^10.20.30-rc.1""#)]
#[case::a_digest_behind_a_name(r#""secret": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg""#)]
#[case::a_variable("connect(host=host, password=hashed)")]
#[case::a_field("password=user.password1")]
#[case::what_is_said_of_a_password("the password is hashed with sha256, then base64-encoded")]
#[case::a_column_of_counts("| model | tokens | max_token |\n|---|---|---|\n| a1b2c3 | 12000 | 4096 |")]
#[case::a_table_about_passwords(
    "| field | password |\n|---|---|\n| length | must have at least 8 characters |\n| reset | yes |"
)]
#[case::lines_of_a_file("7\tpassword\n8\tcomponent\n9\t_1password-gui\n10\tbaobab")]
#[case::names_in_code("email,password,\nname1,role2,")]
#[case::usage("usage: x <user> | password\nx1 ana | secret12")]
#[case::markup(r#"<label for="password">Password</label><Token>a</Token>"#)]
#[case::a_cookie_of_taste("Cookie: theme=dark; lang=en")]
fn paths_migrations_and_what_git_prints_stay(#[case] text: &str) {
    assert_eq!(redact(text), text);
}

#[rstest]
#[case("password=hunter2secret", "password=¤")]
#[case("password: hunter2secret", "password: ¤")]
#[case("run --x\npassword=hunter2secret\ny", "run --x\npassword=¤\ny")]
#[case("<password>hunter2secret</password>", "<password>¤</password>")]
#[case(r"<password>hunter2secret<\/password>", r"<password>¤<\/password>")]
#[case("<server><password>correcthorse</password></server>", "<server><password>¤</password></server>")]
#[case(r#"<add key="password" value="hunter2secret"/>"#, r#"<add key="password" value="¤"/>"#)]
#[case("Cookie: session=abc123def456ghi789; theme=dark", "Cookie: ¤")]
#[case("> cookie: connect.sid=abcd1234efgh\n> accept: */*", "> cookie: ¤\n> accept: */*")]
#[case("Set-Cookie: sid=abc123def456; Path=/; HttpOnly", "Set-Cookie: ¤; Path=/; HttpOnly")]
#[case(
    "| name | password |\n|---|---|\n| Ada | correct horse |\n\nafter",
    "| name | password |\n|---|---|\n| Ada | ¤ |\n\nafter"
)]
#[case(
    " id | password | role \n----+----------+------\n  1 | hunter   | dev\n(1 row)",
    " id | password | role \n----+----------+------\n  1 | ¤   | dev\n(1 row)"
)]
#[case("user,password\nada,hunter2secret\nbo,\n", "user,password\nada,¤\nbo,\n")]
#[case("user\tpassword\nada\tsecret\n", "user\tpassword\nada\t¤\n")]
#[case("NAME   PASSWORD   AGE\nada    correct    3d\n", "NAME   PASSWORD   AGE\nada    ¤    3d\n")]
#[case(r#"{"content":"user,password\nada,hunter"}"#, r#"{"content":"user,password\nada,¤"}"#)]
#[case(
    r##"{"content":"# Users\nuser,password\nada,hunter\n"}"##,
    r##"{"content":"# Users\nuser,password\nada,¤\n"}"##
)]
#[case("The password is hunter2secret.", "The password is ¤.")]
#[case("use the password Tr0ub4dor&3 to log in", "use the password ¤ to log in")]
#[case("the token is 45ffe0a3bb7e2f0d0b3f64c2a8bd6d3cbb1a2f0e", "the token is ¤")]
#[case("token=45ffe0a3bb7e2f0d0b3f64c2a8bd6d3cbb1a2f0e", "token=¤")]
#[case(
    "GET https://api.example.org/v1/keys/sk-aB3dE5gH7jK9mN1pQ2rS4tU6/use.json",
    "GET https://api.example.org/v1/keys/¤/use.json"
)]
#[case("git push https://ana:hunter2secret@example.org/r.git", "git push https://ana:¤@example.org/r.git")]
fn passwords_cookies_and_tokens_go_and_nothing_around_them(#[case] text: &str, #[case] expected: &str) {
    let mark = regex::Regex::new(r"\[REDACTED:[a-z-]+\]").unwrap();
    assert_eq!(mark.replace_all(&redact(text), "¤"), expected);
}
