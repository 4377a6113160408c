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
    lines(SECRETS)
        .map(|line| {
            let (name, template) = line.split_once(" | ").expect("a name and a text");
            // Two backslashes stand for one that is part of the text.
            let lines = template.replace("\\\\n", "\u{1}").replace("\\n", "\n").replace('\u{1}', "\\n");
            secret(name, &lines)
        })
        .collect()
}

/// A text with its secrets between ‹ and ›, their bodies not filled in yet.
pub fn secret(name: &str, template: &str) -> SecretCase {
    let marked = filled(template);
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
}

/// Texts that hold no secret.
pub fn benign() -> Vec<&'static str> {
    lines(BENIGN).collect()
}

/// The lines of a fixture that are cases.
pub fn lines(fixture: &str) -> impl Iterator<Item = &str> {
    fixture.lines().filter(|line| !line.is_empty() && !line.starts_with("# "))
}

/// Fills in the bodies of secrets; no two cases share a piece of one.
fn filled(template: &str) -> String {
    let mut chance =
        template.bytes().fold(17_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let body = after.split_once('}').and_then(|(inside, behind)| {
            let (kind, count) = inside.split_once(':')?;
            let signs = match kind {
                "an" => "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789",
                "AN" => "ABCDEFGHJKLMNPQRSTUVWXYZ23456789",
                "hex" => "0123456789abcdef",
                "b64" => "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789+/",
                "dig" => "0123456789",
                _ => return None,
            };
            let mut body = String::new();
            for at in 0..count.parse::<usize>().ok()? {
                chance =
                    chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // A digit now and then, as by chance there mostly is.
                let signs = if at % 4 == 2 { "23456789" } else { signs };
                let place = usize::try_from(chance >> 33).ok()? % signs.len();
                body.push(signs.chars().nth(place)?);
            }
            Some((body, behind))
        });
        if let Some((body, behind)) = body {
            out.push_str(&body);
            rest = behind;
        } else {
            out.push('{');
            rest = after;
        }
    }
    out + rest
}
