//! Marks around data in a prompt, chosen so that the data cannot contain and close them.

use std::hash::Hasher as _;

/// A mark that appears in none of the texts, so that none of them can close it. It is computed from the
/// texts, because the same input must give the same prompt.
pub fn free_mark<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let texts: Vec<&str> = texts.collect();
    free_from(texts.iter().copied(), &texts)
}

/// A mark like [`free_mark`], which is the same for every prompt of `name` as long as it appears in none of their texts, so
/// that prompts can begin alike.
pub fn lasting_mark<'a>(name: &str, texts: impl Iterator<Item = &'a str>) -> String {
    free_from(std::iter::once(name), &texts.collect::<Vec<_>>())
}

fn free_from<'a>(seed: impl Iterator<Item = &'a str>, texts: &[&str]) -> String {
    let mut hasher = fnv::FnvHasher::default();
    for text in seed {
        hasher.write(text.as_bytes());
    }
    let mut number = hasher.finish();
    loop {
        let mark = format!("data-{number:016x}");
        if !texts.iter().any(|text| text.contains(&mark)) {
            return mark;
        }
        number = number.wrapping_add(1);
    }
}
