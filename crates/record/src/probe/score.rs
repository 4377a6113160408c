//! Scores a rendering by its probes, without a model.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet};

use memchr::memmem;

use super::super::file_history::{PathSet, identity};
use super::super::render::{Rendering, shown_path};
use super::super::section::Section;
use super::super::summary::Summary;
use super::question::{Match, NOT_FOUND, Probe, ProbeResult, Verdict};
use super::report::ProbeReport;
use anchord_facts::wording;
use anchord_messages::id::Seq;

/// Scores every probe on a rendering. A fact that only the summary has, because the bound cut its section,
/// counts as cut and not as failed.
pub fn score(probes: &[Probe], rendering: &Rendering, record: &Summary) -> ProbeReport {
    let (shown, kept) = (BTreeMap::new(), BTreeMap::new());
    let mut texts = Texts { probes, rendering, record, shown, kept, paths: None };
    ProbeReport::of(probes.iter().map(|probe| ask(probe, &mut texts)).collect())
}

/// Checks an answer that a model gave from the context alone.
pub fn check_answer(probe: &Probe, answer: &str) -> ProbeResult {
    let text = Text::of(answer);
    // An answer that says it does not know contains no fact.
    let is_unknown = probe.is_exam() && wording::normalized(answer) == NOT_FOUND;
    let is_held = |fact: &str| !is_unknown && text.holds(fact, probe.exact, probe);
    let missing: Vec<String> =
        probe.expected.iter().filter(|fact| !probe.spellings(fact).any(is_held)).cloned().collect();
    let found = probe.expected.len() - missing.len();
    let verdict = if enough(probe.mode, found, probe.expected.len()) { Verdict::Pass } else { Verdict::Fail };
    let answer = wording::clip_chars(answer, 2000).to_owned();
    ProbeResult::by_code(probe.clone(), answer, verdict, missing)
}

/// Whether a probe's question holds an expected fact, so that it could be answered by repeating it.
pub(super) fn gives_away(probe: &Probe, fact: &str) -> bool {
    Text::of(probe.question.as_str()).holds(fact, probe.exact, probe)
}

fn enough(mode: Match, found: usize, all: usize) -> bool {
    match mode {
        Match::All => found == all,
        Match::Any => found > 0 || all == 0,
        #[expect(clippy::cast_precision_loss, reason = "a probe expects a few hundred facts at most")]
        Match::Ratio(share) => found as f64 + 1e-9 >= share * all as f64,
    }
}

fn ask(probe: &Probe, texts: &mut Texts<'_>) -> ProbeResult {
    let mut found: Vec<&str> = Vec::new();
    let mut missing = Vec::new();
    let mut only_kept = 0;
    for fact in &probe.expected {
        if texts.shown(probe.section).holds(fact, probe.exact, probe) {
            found.push(fact);
        } else {
            only_kept += usize::from(texts.is_cut(probe.section) && texts.keeps(probe, fact));
            missing.push(fact.clone());
        }
    }
    let all = probe.expected.len();
    let verdict = if enough(probe.mode, found.len(), all) {
        Verdict::Pass
    } else if enough(probe.mode, found.len() + only_kept, all) {
        Verdict::Cut
    } else {
        Verdict::Fail
    };
    let answer = if found.is_empty() { NOT_FOUND.to_owned() } else { found.join("; ") };
    let answer = wording::clip_chars(&answer, 2000).to_owned();
    ProbeResult::by_code(probe.clone(), answer, verdict, missing)
}

/// The texts that probes are searched in, each normalised once.
struct Texts<'a> {
    probes: &'a [Probe],
    rendering: &'a Rendering,
    record: &'a Summary,
    shown: BTreeMap<Option<Section>, Text<'a>>,
    kept: BTreeMap<Option<Section>, Text<'static>>,
    /// The paths of the summary that probes ask for.
    paths: Option<HashSet<Cow<'a, str>>>,
}

impl<'a> Texts<'a> {
    fn shown(&mut self, section: Option<Section>) -> &Text<'a> {
        let rendering = self.rendering;
        self.shown.entry(section).or_insert_with(|| match section {
            Some(section) => Text::of(rendering.section(section)),
            None => Text::of(rendering.text.as_str()),
        })
    }

    fn is_cut(&self, section: Option<Section>) -> bool {
        section.map_or(!self.rendering.cut.is_empty(), |s| self.rendering.is_cut(s))
    }

    fn keeps(&mut self, probe: &Probe, fact: &str) -> bool {
        let (probes, record) = (self.probes, self.record);
        if asks_for_paths(probe) {
            let paths = self.paths.get_or_insert_with(|| {
                let asked = probes.iter().filter(|probe| asks_for_paths(probe)).flat_map(|p| &p.expected);
                let asked = PathSet::of(asked.map(String::as_str));
                let modified =
                    record.files_modified.iter().flat_map(|f| [Some(&f.path), f.renamed_from.as_ref()]);
                let read = record.files_read.iter().map(|f| Some(&f.path));
                let paths = modified.chain(read).flatten().filter(|path| asked.contains(path));
                paths.map(|path| identity(path)).collect()
            });
            if paths.contains(identity(fact).as_ref()) {
                return true;
            }
        }
        // The fact is mostly in an entry that refers to the probe's messages, and such entries are mostly
        // among the latest. The whole section is searched only after those.
        let near = probe.section.filter(|_| !probe.seqs.is_empty());
        if near.is_some_and(|section| {
            [64, 512, usize::MAX].into_iter().any(|latest| {
                let text = record_text(record, section, Some((&probe.seqs, latest)));
                Text::of(text).holds(fact, probe.exact, probe)
            })
        }) {
            return true;
        }
        let kept = self.kept.entry(probe.section).or_insert_with(|| {
            let of = |section: &Section| record_text(record, *section, None);
            match &probe.section {
                Some(section) => Text::of(of(section)),
                None => Text::of(Section::ALL.iter().map(of).collect::<Vec<_>>().concat()),
            }
        });
        kept.holds(fact, probe.exact, probe)
    }
}

fn asks_for_paths(probe: &Probe) -> bool {
    probe.exact && matches!(probe.section, None | Some(Section::FilesModified | Section::FilesRead))
}

/// A text with its normalised form.
pub(super) struct Text<'a> {
    raw: Cow<'a, str>,
    folded: OnceCell<String>,
}

impl<'a> Text<'a> {
    pub(super) fn of(text: impl Into<Cow<'a, str>>) -> Self {
        Self { raw: text.into(), folded: OnceCell::new() }
    }

    pub(super) fn raw(&self) -> &str {
        &self.raw
    }

    /// Its normalised words, with single spaces between them.
    pub(super) fn words(&self) -> &str {
        self.folded.get_or_init(|| wording::normalized(&self.raw))
    }

    /// Whether the text has a fact: paths and identifiers exactly, others by their words.
    pub(super) fn holds(&self, fact: &str, exact: bool, probe: &Probe) -> bool {
        if !exact {
            let said = fact.trim();
            // 25 is not in 2525, and examiners ask for figures.
            let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
            if probe.is_exam() && (digit(said.chars().next()) || digit(said.chars().next_back())) {
                return find_exact(&self.raw, said);
            }
            // Most facts are in the text as they are, and then nothing is normalised.
            return !said.is_empty()
                && (contains(&self.raw, said) || find_words(self.words(), &wording::normalized(fact)));
        }
        if find_exact(&self.raw, fact) {
            return true;
        }
        let of_files = matches!(probe.section, None | Some(Section::FilesModified | Section::FilesRead));
        of_files && self.tells_path(fact)
    }

    /// Whether the text has a path, as it is rendered, or as folder and name on one line.
    fn tells_path(&self, path: &str) -> bool {
        let shown = shown_path(path);
        if shown != path && find_exact(&self.raw, &shown) {
            return true;
        }
        let (folder, name) = match path.rfind(['/', '\\']) {
            Some(at) => path.split_at(at + 1),
            None => ("./", path),
        };
        let folder = shown_path(folder);
        !name.is_empty() && lines_with(&self.raw, &folder).any(|line| find_exact(line, name))
    }
}

/// The lines of a text that contain `wanted`, which has no line break.
fn lines_with<'a>(text: &'a str, wanted: &str) -> impl Iterator<Item = &'a str> {
    let finder = memmem::Finder::new(wanted).into_owned();
    let mut rest = text;
    std::iter::from_fn(move || {
        let at = finder.find(rest.as_bytes()).filter(|_| !rest.is_empty())?;
        let start = rest.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
        let line = rest.get(start..)?;
        let (line, after) = line.split_once('\n').unwrap_or((line, ""));
        rest = after;
        Some(line)
    })
}

fn contains(text: &str, wanted: &str) -> bool {
    memmem::find(text.as_bytes(), wanted.as_bytes()).is_some()
}

/// Finds words in normalised text; short ones only as whole words, so that `art` is not found in `start`.
fn find_words(text: &str, wanted: &str) -> bool {
    if wanted.len() >= 12 || !wanted.is_ascii() {
        return contains(text, wanted);
    }
    find_bounded(text, wanted, |c| c.is_alphanumeric() || c == '_')
}

/// Finds a path or an identifier that is not part of a longer one.
fn find_exact(text: &str, wanted: &str) -> bool {
    find_bounded(text, wanted, |c| c.is_alphanumeric() || c == '_')
}

fn find_bounded(text: &str, wanted: &str, is_inner: impl Fn(char) -> bool) -> bool {
    if wanted.is_empty() {
        return false;
    }
    let starts_inner = wanted.chars().next().is_some_and(&is_inner);
    let ends_inner = wanted.chars().next_back().is_some_and(&is_inner);
    memmem::find_iter(text.as_bytes(), wanted.as_bytes()).any(|at| {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let mut after = text.get(at + wanted.len()..).unwrap_or_default().chars();
        let (next, then) = (after.next(), after.next());
        let joined_before = starts_inner && before.is_some_and(&is_inner);
        let joined_after = ends_inner
            && match next {
                // `a.ts` is not `a.ts.bak`, but it may end a sentence.
                Some('.' | '-') => then.is_some_and(&is_inner),
                Some(c) => is_inner(c),
                None => false,
            };
        !joined_before && !joined_after
    })
}

/// The text of a summary's section: all of it, or those of its latest entries that refer to one of some
/// messages.
fn record_text(summary: &Summary, section: Section, near: Option<(&[Seq], usize)>) -> String {
    let (near, latest) = near.map_or((None, usize::MAX), |(near, latest)| (Some(near), latest));
    let near: Option<Vec<Seq>> = near.map(|near| {
        let mut near = near.to_vec();
        near.sort_unstable();
        near
    });
    let span = near.as_ref().and_then(|near| Some(*near.first()?..=*near.last()?));
    let is_near = |seqs: &[Seq]| match (&near, &span) {
        (Some(near), Some(span)) => {
            seqs.iter().any(|seq| span.contains(seq) && near.binary_search(seq).is_ok())
        }
        (Some(_), None) => false,
        (None, _) => true,
    };
    let mut out = String::new();
    let mut say = |text: &str| {
        // On one line each, as facts are searched for.
        wording::one_line_into(&mut out, text);
        out.push('\n');
    };
    match section {
        Section::SessionIntent => say(&summary.session_intent),
        Section::Requests => {
            last(&summary.requests, latest).filter(|p| is_near(&p.seqs)).for_each(|p| say(&p.text));
        }
        Section::FilesModified => {
            last(&summary.files_modified, latest).filter(|f| is_near(&f.seqs)).for_each(|f| {
                say(&f.path);
                f.changes.iter().for_each(|c| say(c));
            });
        }
        Section::FilesRead => {
            last(&summary.files_read, latest).filter(|f| is_near(&f.seqs)).for_each(|f| say(&f.path));
        }
        Section::DecisionsMade => {
            last(&summary.decisions_made, latest).filter(|d| is_near(&d.seqs)).for_each(|d| {
                say(&d.decision);
                say(&d.rationale);
                d.alternatives.iter().for_each(|a| say(a));
            });
        }
        Section::CurrentState => {
            let state = &summary.current_state;
            state.phase.iter().for_each(|p| say(p));
            state.task.iter().for_each(|t| say(t));
            say(&state.text);
        }
        Section::Errors => last(&summary.errors, latest).filter(|e| is_near(&e.seqs)).for_each(|e| {
            e.kind.iter().for_each(|k| say(k));
            say(&e.message);
            e.resolution.iter().for_each(|r| say(r));
        }),
        Section::TestResults => {
            last(&summary.test_results, latest).filter(|t| is_near(&t.seqs)).for_each(|t| {
                say(&t.command);
                say(t.outcome.as_str());
                let counts = [(t.passed, "passed"), (t.failed, "failed")];
                for (count, what) in counts.into_iter().filter_map(|(count, what)| Some((count?, what))) {
                    say(&format!("{count} {what}"));
                }
                t.failing.iter().for_each(|f| say(f));
            });
        }
        Section::Blockers => summary.blockers.iter().for_each(|b| say(&b.text)),
        Section::NextSteps => summary.next_steps.iter().for_each(|s| say(s)),
        Section::OpenQuestions => summary.open_questions.iter().for_each(|q| say(&q.text)),
        Section::Findings => summary.findings.iter().for_each(|f| say(&f.text)),
        Section::Notes => summary.notes.iter().for_each(|n| say(&n.text)),
        Section::Things => {
            last(&summary.things, latest).filter(|t| is_near(&t.seqs)).for_each(|t| {
                say(&t.kind);
                say(&t.id);
                t.properties.iter().for_each(|p| {
                    say(&p.name);
                    say(&p.value);
                });
            });
        }
        Section::Constraints => {
            last(&summary.constraints, latest).filter(|c| is_near(&c.seqs)).for_each(|c| say(&c.text));
        }
    }
    out
}

/// The last `latest` entries, in order.
fn last<T>(entries: &[T], latest: usize) -> std::slice::Iter<'_, T> {
    entries.get(entries.len().saturating_sub(latest)..).unwrap_or_default().iter()
}
