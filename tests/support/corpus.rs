//! The corpora of the tests: secrets and what looks like one, and texts that try to be obeyed.

const SECRETS: &str = include_str!("../fixtures/secrets.txt");
const BENIGN: &str = include_str!("../fixtures/benign.txt");

/// A text with secrets.
#[derive(Clone, Debug)]
pub struct SecretCase {
    /// What it is.
    pub name: String,
    /// The text.
    pub text: String,
    /// Its secrets, line by line where one has several.
    pub secrets: Vec<String>,
    /// The text with a sign in the place of each secret.
    pub without: String,
}

/// Every text with secrets.
pub fn secrets() -> Vec<SecretCase> {
    let case = |line: &str| {
        let (name, template) = line.split_once(" | ").expect("a name and a text");
        // Two backslashes stand for one that is part of the text.
        let lines = template.replace("\\\\n", "\u{1}").replace("\\n", "\n").replace('\u{1}', "\\n");
        let marked = filled(&lines);
        let mut secrets = Vec::new();
        let mut without = String::new();
        let mut rest = marked.as_str();
        while let Some((before, after)) = rest.split_once('‹') {
            let (secret, behind) = after.split_once('›').expect("an end");
            let body = secret.split('\n').flat_map(|line| line.split("\\n"));
            secrets.extend(body.filter(|l| l.len() > 6 && !l.starts_with("-----")).map(str::to_owned));
            without.push_str(before);
            without.push('¤');
            rest = behind;
        }
        without.push_str(rest);
        SecretCase { name: name.to_owned(), text: marked.replace(['‹', '›'], ""), secrets, without }
    };
    lines(SECRETS).map(case).collect()
}

/// Texts that hold no secret.
pub fn benign() -> Vec<&'static str> {
    lines(BENIGN).collect()
}

/// The lines of a fixture that are cases.
pub fn lines(fixture: &str) -> impl Iterator<Item = &str> {
    fixture.lines().filter(|line| !line.is_empty() && !line.starts_with("# "))
}

/// Fills in the bodies of secrets.
fn filled(template: &str) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let body = after.split_once('}').and_then(|(inside, behind)| {
            let (kind, count) = inside.split_once(':')?;
            let signs = match kind {
                "an" => "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z",
                "AN" => "A3DE5GH7JK9MN2PQ4RS6TU8VW",
                "hex" => "0a1b2c3d4e5f60718293a4b5c6d7e8f9",
                "b64" => "aB3d/E5gH7jK+9mN1pQ2rS4tU6vW8xY0z",
                "dig" => "1029384756",
                _ => return None,
            };
            let body: String = signs.chars().cycle().take(count.parse().ok()?).collect();
            Some((body, behind))
        });
        match body {
            Some((body, behind)) => {
                out.push_str(&body);
                rest = behind;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out + rest
}
