//! `anchord exam FILE…`: replays transcripts in memory, in each way of managing their contexts, and writes what that costs
//! and what is kept as a page, without server and database.

mod page;
mod played;
mod report;

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use serde_json::Map;

use self::played::{Asked, Group, Outcome, Subject};
use super::failure::Usage;
use super::prelude::*;
use super::transcript::{self, FileFormat};
use crate::app;
use crate::config::{self, Check as _};
use anchord_economy::replay::Transcript;
use anchord_economy::sessions::{Session, Told};
use anchord_economy::tally::Tally;
use anchord_economy::ways::Way;
use anchord_messages::format::Format;
use anchord_messages::tokens::TokenCounter;
use anchord_record::candidate::Material;
use anchord_runtime::clock::Clock;
use anchord_session::settings::Settings;

/// The largest file: each call of a session sends what the ways keep of it, so that more would take hours.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// The files of the page, without their endings.
const NAME: &str = "exam";
/// So many bytes at the start of a file show whether an exam wrote it.
const SEARCHED_BYTES: u64 = 64;
/// Covered messages are asked about in so many pieces, so that questions come from all of them.
const EXAM_PIECES: usize = 3;

/// Arguments of `exam`.
#[derive(Args, Debug)]
#[command(after_help = "\
Nothing is sent anywhere, unless a model is configured (ANCHORD_LLM_PROVIDER): then it asks questions about what contexts
leave out, and answers them from the contexts.

Examples:
  anchord exam ~/.claude/projects/app/1234.jsonl
  anchord exam logs/a.json logs/b.json --window 32000,128000 --out report
  anchord exam session.json --settings '{\"thresholds\":{\"warn\":0.4,\"compress\":0.5},\"fill\":0.15}'
  anchord exam examples/session.json --window 8000 --json")]
pub(super) struct Exam {
    /// Files with messages (an array, an object with `messages`, or one message per line) or agents' logs; - for standard
    /// input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Context windows to play the sessions in, in tokens
    #[arg(long, value_name = "TOKENS", value_delimiter = ',', default_values_t = [32_000, 128_000])]
    #[arg(value_parser = whole::<u32>(1_000..=10_000_000))]
    window: Vec<u32>,
    /// Settings of the session as JSON, as `PUT /v1/sessions/{id}` takes them, without the window
    #[arg(long, value_name = "JSON", default_value = "{}", value_parser = settings)]
    settings: Map<String, Value>,
    /// Format of the files; detected from their contents if not given
    #[arg(long, value_name = "FORMAT")]
    format: Option<FileFormat>,
    /// Folder for the page, as exam.html and exam.md; it is created when it does not exist
    #[arg(long, value_name = "FOLDER", default_value = "anchord-exam")]
    out: PathBuf,
    /// Replace files that no exam has written
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    llm: config::Llm,
    #[command(flatten)]
    output: Output,
}

fn settings(text: &str) -> Result<Map<String, Value>, String> {
    let read: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| format!("must be an object of JSON: {error}"))?;
    if read.contains_key("context_window") {
        return Err("must not name context_window, for which there is --window".to_owned());
    }
    Ok(read)
}

impl Exam {
    pub(super) async fn run(self) -> Result<()> {
        self.llm.check()?;
        let settings = self.windows()?;
        let paths = self.paths()?;
        let subjects = self.read()?;
        // Only drawn on a terminal.
        let steps = settings.len() * subjects.len() * Way::ALL.len();
        let progress = ProgressBar::new(u64::try_from(steps).unwrap_or(u64::MAX));
        progress.set_style(ProgressStyle::with_template("{bar:40} {pos} of {len}, {eta} left: {msg}")?);
        let mut groups: Vec<Group<'_>> =
            settings.iter().map(|settings| play(settings, &subjects, &progress)).collect();
        if !self.llm.is_none() {
            for group in &mut groups {
                self.examine(group, &progress).await?;
            }
        }
        progress.finish_and_clear();
        let told = report::Told {
            settings: &self.settings,
            model: self.llm.exam_model.as_deref().or(self.llm.llm_model.as_deref()),
            day: Clock::system().now().date_naive(),
        };
        let page = report::page(&subjects, &groups, &told);
        std::fs::create_dir_all(&self.out)
            .with_context(|| format!("cannot create the folder {}", self.out.display()))?;
        for (path, text) in paths.iter().zip([page.html(), page.markdown()]) {
            place(path, &text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        self.print(&subjects, &groups, &paths)
    }

    /// The settings in each window.
    fn windows(&self) -> Result<Vec<Settings>> {
        let of_window = |window: &u32| {
            let mut change = self.settings.clone();
            change.insert("context_window".to_owned(), json!(window));
            let none = Settings::default();
            none.patched(change, &none)
                .map_err(|error| Usage(format!("--settings, window {window}: {error}")).into())
        };
        self.window.iter().map(of_window).collect()
    }

    /// The files of the page, which nobody else may have written.
    fn paths(&self) -> Result<[PathBuf; 2]> {
        let paths = ["html", "md"].map(|ending| self.out.join(format!("{NAME}.{ending}")));
        for path in &paths {
            if !self.force && !is_ours(path) {
                return Err(Usage(format!(
                    "{} was not written by an exam; --force replaces it",
                    path.display()
                ))
                .into());
            }
        }
        Ok(paths)
    }

    /// Reads every file before any is played.
    fn read(&self) -> Result<Vec<Subject>> {
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        let mut subjects = Vec::new();
        for file in &self.files {
            let mut subject = self.read_file(file)?;
            let same = names.entry(subject.session.name.clone()).or_default();
            *same += 1;
            if *same > 1 {
                subject.session.name = format!("{} ({same})", subject.session.name);
            }
            subjects.push(subject);
        }
        Ok(subjects)
    }

    fn read_file(&self, file: &Path) -> Result<Subject> {
        let shown = file.display();
        if let Some(bytes) =
            std::fs::metadata(file).ok().map(|meta| meta.len()).filter(|len| *len > MOST_BYTES)
        {
            let (has, most) = (HumanCount(bytes), HumanCount(MOST_BYTES));
            return Err(Usage(format!("{shown} is too large: {has} bytes, and {most} are allowed")).into());
        }
        let text = transcript::text(file)?;
        anyhow::ensure!(!text.trim().is_empty(), "{shown}: it is empty");
        let read = transcript::parse(file, &text, self.format)?;
        let name = if file == Path::new("-") {
            "standard input".to_owned()
        } else {
            file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let left_out = read.told_left_out();
        let raw: Vec<String> = read.messages.into_iter().map(|logged| logged.raw).collect();
        let transcript =
            Transcript::of(read.format, &raw, TokenCounter::default()).with_context(|| shown.to_string())?;
        let session = Session::of(output::one_line(&name), transcript, Told::default());
        anyhow::ensure!(
            session.calls().next().is_some(),
            "{shown}: there is nothing to replay, because no message of the agent follows another message"
        );
        Ok(Subject::of(session, read.log, left_out))
    }

    /// Has the model ask about what the contexts of the service leave out.
    async fn examine(&self, group: &mut Group<'_>, progress: &ProgressBar) -> Result<()> {
        for played in &mut group.sessions {
            let Some(record) = &played.service().record else { continue };
            progress.set_message(format!("exam of {}", played.subject.session.name));
            let transcript = &played.subject.session.transcript;
            let covered: Vec<_> = transcript
                .numbered
                .iter()
                .filter(|numbered| numbered.seq <= record.through)
                .cloned()
                .collect();
            let context = played::text(&played.service().last);
            let mut asked = Asked::default();
            for piece in covered.chunks(covered.len().div_ceil(EXAM_PIECES).max(1)) {
                let counter = TokenCounter::default();
                let material = Material::first(piece.to_vec(), 0, counter, Clock::system().now());
                let is_items = transcript.format == Format::OpenaiResponses;
                let examined = Box::pin(app::examine(&self.llm, material, is_items, context.clone())).await?;
                asked.add(examined.with_context(|| "no model is configured")?);
            }
            played.asked = Some(asked);
        }
        Ok(())
    }

    fn print(&self, subjects: &[Subject], groups: &[Group<'_>], paths: &[PathBuf; 2]) -> Result<()> {
        let [html, markdown] = paths;
        if self.output.json {
            return output::print_json(&json!({
                "sessions": subjects.iter().map(Subject::json).collect::<Vec<_>>(),
                "windows": groups.iter().map(Group::json).collect::<Vec<_>>(),
                "html": html,
                "markdown": markdown,
            }));
        }
        let mut table =
            Table::new(&["WINDOW", "WAY", "COST", "OF COMPACT", "NEEDS", "EDITS", "COMPRESSIONS"]);
        for group in groups {
            let compact = group.sum(Way::Compact).tally.cost();
            for way in Way::ALL {
                let Outcome { tally, .. } = group.sum(way);
                table.push(row(group.window, way, &tally, compact));
            }
        }
        table.print("no sessions")?;
        output::print(&format!("{}\n{}\n", html.display(), markdown.display()))
    }
}

fn row(window: u32, way: Way, tally: &Tally, compact: f64) -> Vec<Cell> {
    let count = |count: usize| Cell::count(u64::try_from(count).ok());
    vec![
        Cell::count(Some(window.into())),
        Cell::text(Some(way.name())),
        count(played::rounded(tally.cost())),
        Cell::figure(Some(tally.cost() / compact)),
        Cell::share(tally.known.needs.share()),
        Cell::share(tally.known.edits.share()),
        count(tally.compressions),
    ]
}

/// Plays the sessions under settings in each way.
fn play<'a>(settings: &Settings, subjects: &'a [Subject], progress: &ProgressBar) -> Group<'a> {
    let window = settings.policy().context_window;
    let mut group = Group { window, effective: settings.policy().effective_window, sessions: Vec::new() };
    for subject in subjects {
        let mut outcomes = Vec::new();
        for way in Way::ALL {
            progress.set_message(format!("{} at {window}, {}", subject.session.name, way.name()));
            outcomes.push(way.play(&subject.session, settings, None));
            progress.inc(1);
        }
        group.sessions.push(played::Session::of(subject, outcomes));
    }
    group
}

/// Whether an earlier exam wrote a file, or nobody did.
fn is_ours(path: &Path) -> bool {
    path.symlink_metadata().is_err()
        || head(path).is_some_and(|head| page::MARKS.iter().any(|mark| head.starts_with(mark.as_bytes())))
}

/// The beginning of a file; `None` of a link, and of what cannot be read.
fn head(path: &Path) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    let is_file = path.symlink_metadata().is_ok_and(|meta| meta.is_file());
    let read = File::open(path).and_then(|file| file.take(SEARCHED_BYTES).read_to_end(&mut head));
    (is_file && read.is_ok()).then_some(head)
}

/// Writes a whole file in a temporary place beside it, and moves it last, so that nobody reads half of it.
fn place(path: &Path, text: &str) -> std::io::Result<()> {
    let temporary = path.with_extension(format!("{}.part", std::process::id()));
    let written = write_whole(&temporary, text).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // Any file in the temporary place is an incomplete one of ours.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
