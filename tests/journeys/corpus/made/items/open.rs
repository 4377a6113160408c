//! Work that stays open, is taken up again, and the last items of a session.

use super::super::frames::MIGRATION_TESTS;
use super::super::prose::BEFORE_WRITE;
use super::super::spelling::{facts, plural};
use super::super::words::WAITS;
use super::super::{Item, Job, Step, World};
use super::prose::{
    ASK_OPEN, ASK_RESUME, ASK_SPELLING, BACKUP_FIRST, DONE_OPEN, DONE_RESUME, DONE_SPELLING, NULLS, PAUSED,
    PLAN_TAKEN, PLANS, WAIT_FOR,
};
use serde_json::json;
use std::fmt::Write as _;

impl World {
    /// Begins work that cannot be finished yet.
    pub(super) fn open_item(&mut self, mut it: Item) {
        let package = self.free_package();
        self.focus = package;
        let (noun, field, pkg) = self.words(package);
        let nouns = plural(noun);
        it.title = format!("fill {field} for all {nouns}");
        let body = self.tell(ASK_OPEN, &[("field", field), ("nouns", &nouns), ("pkg", pkg)]);
        self.ask(&it, &body);
        self.wander(&it, 40);
        let table = format!("{pkg}_{}", nouns.replace(' ', "_"));
        let path = self.migration(&it, &table, field, &nouns);
        self.wander(&it, 70);
        let (chunk, chunks) = (self.dice.range(3, 30), self.dice.range(34, 80).to_string());
        let ran = self.fill_chunks(&table, field, chunk, &chunks);
        let (next, chunk) = ((chunk + 1).to_string(), chunk.to_string());
        let text = self.tell(PAUSED, &[("chunk", &chunk), ("chunks", &chunks), ("next", &next)]);
        self.agent(&text);
        let (who, ahead, reason) = (self.other().name, self.dice.range(2, 15), self.draw(WAITS));
        let date = self.date(ahead);
        let text = self.tell(WAIT_FOR, &[("who", &who), ("date", &date), ("reason", reason)]);
        let said = self.user(&text);
        self.commit(&it, &format!("Begin to {}", it.title));
        let with =
            [("who", who.as_str()), ("date", &date), ("chunk", &chunk), ("chunks", &chunks), ("path", &path)];
        let done = self.tell(DONE_OPEN, &with);
        let told = self.report_open(&it, &done);
        let (ticket, what, item) = (it.ticket, it.title, self.item);
        let question = format!("What is {ticket} ({what}) waiting for, and until when?");
        let asked = (question, format!("For {who} ({reason}), until {date}."));
        let known = facts(&[&[&who], &[&date]]);
        self.note(
            "continuation",
            &format!("wait:{ticket}"),
            asked,
            known,
            &[said, told],
            "it would go on too early",
        );
        let question =
            format!("How far has the filling of {field} in {ticket} come, and where does it go on?");
        let answer =
            format!("Chunk {chunk} of {chunks} is done; it goes on with {next}. Not null comes last.");
        let ways = [
            format!("{chunk} of {chunks}"),
            format!("{chunk}/{chunks}"),
            format!("chunk {chunk}"),
            format!("chunk {next}"),
            format!("with {next}"),
        ];
        let known = facts(&[&ways.each_ref().map(String::as_str), &[&chunks]]);
        let key = format!("chunk:{ticket}");
        self.note(
            "continuation",
            &key,
            (question, answer),
            known,
            &[ran.got, told],
            "rows would be filled twice",
        );
        self.jobs.push(Job { ticket, what, waits: who, package, closed: false, item });
    }

    /// Writes a migration that wants too much at first; gives its path.
    fn migration(&mut self, it: &Item, table: &str, field: &str, nouns: &str) -> String {
        let path = format!("migrations/{:04}_{table}_{field}.sql", self.migrations);
        self.migrations += 1;
        let required = format!("alter table {table} alter column {field} set not null;\n");
        let sql = format!(
            "-- {}: {}\nbegin;\nalter table {table} add column {field}_filled boolean;\n{required}commit;\n",
            it.ticket, it.title
        );
        let text = self.thought(BEFORE_WRITE, &[("path", &path)]);
        self.write(&text, &path, &sql);
        let message = format!("column \"{field}\" of relation \"{table}\" contains null values");
        let raw = format!("psql:{path}:4: ERROR:  {message}");
        if self.rules.iter().any(|r| !r.lifted && r.short.starts_with("backups")) {
            let text = self.tell(BACKUP_FIRST, &[]);
            let command = format!("python -m {}.tools.backup {table} --for {}", self.theme.slug, it.ticket);
            let output =
                format!("{table}: {} MB written, checksum {}", self.dice.range(40, 900), self.dice.hex(12));
            self.bash(&text, &command, &output);
        }
        let command = format!("psql -d {}_staging -v ON_ERROR_STOP=1 -f {path}", self.theme.slug);
        let run = self.bash("", &command, &format!("BEGIN\nALTER TABLE\n{raw}"));
        self.error("ERROR", &message, &raw, run);
        let text = self.tell(NULLS, &[("field", field), ("nouns", nouns)]);
        self.edit(&text, &path, &required, "");
        let run = self.bash("", &command, "BEGIN\nALTER TABLE\nCOMMIT");
        self.track(&path, run.ask, false);
        self.small_pytest("migrations", "test_order.py", MIGRATION_TESTS, None);
        path
    }

    /// Fills a column as far as one chunk.
    fn fill_chunks(&mut self, table: &str, field: &str, chunk: usize, chunks: &str) -> Step {
        let mut out = String::new();
        for at in 1..=chunk {
            let (rows, ms) = (self.dice.range(700, 9900), self.dice.range(200, 9000));
            let _ = writeln!(out, "chunk {at}/{chunks}: {rows} rows, {ms} ms");
        }
        let _ = write!(out, "stopped: asked to pause after chunk {chunk}");
        let command =
            format!("python -m {}.tools.fill {table} {field} --until {}", self.theme.slug, self.clock());
        self.bash("", &command, &out)
    }

    /// Tells the tracker and the person that work stays open.
    fn report_open(&mut self, it: &Item, text: &str) -> usize {
        let at = format!("{}T{}:00Z", self.date(0), self.clock());
        let answer = json!({"ticket": it.ticket, "state": "waiting", "changed_at": at});
        let arguments = json!({"ticket": it.ticket, "state": "waiting", "note": it.title});
        self.call("", "tracker_update", arguments, answer.to_string());
        self.agent(text)
    }

    /// Finishes work that was left open.
    pub(super) fn resume_item(&mut self, mut it: Item) {
        let Some(at) = (0..self.jobs.len()).find(|&j| !self.jobs[j].closed) else {
            return self.figure_item(it);
        };
        let job = &self.jobs[at];
        let (ticket, what, waits, package) =
            (job.ticket.clone(), job.what.clone(), job.waits.clone(), job.package);
        self.ticket -= 1;
        self.focus = package;
        it.ticket.clone_from(&ticket);
        it.title.clone_from(&what);
        let body = self.tell(ASK_RESUME, &[("what", &what), ("who", &waits)]);
        let said = self.ask(&it, &body);
        self.wander(&it, 60);
        let rows = self.num(90_000, 900_000);
        let output = format!(
            "resuming {ticket}\n... 4 chunks shown of the rest\ndone: {rows} rows in all, 0 left empty"
        );
        let ran =
            self.bash("", &format!("python -m {}.tools.fill --resume {ticket}", self.theme.slug), &output);
        self.stumble(&it, package);
        self.small_pytest("migrations", "test_order.py", MIGRATION_TESTS, None);
        self.wander(&it, 80);
        self.local_choice(&it, package);
        self.commit(&it, &format!("Finish: {what}"));
        let done = self.tell(DONE_RESUME, &[("rows", &rows), ("what", &what)]);
        let told = self.report(&it, &done);
        self.jobs[at].closed = true;
        self.notes.retain(|n| n.key != format!("chunk:{ticket}"));
        let asked = (
            format!("Is {ticket} ({what}) still open?"),
            format!("No: {waits} gave the word and it was finished, {rows} rows in all, none left empty."),
        );
        let known = facts(&[&["done", "finished", "closed", "complete"], &[&rows]]);
        let key = format!("wait:{ticket}");
        self.note(
            "continuation",
            &key,
            asked,
            known,
            &[said, ran.got, told],
            "it would be run a second time",
        );
    }

    /// The last work of weight: left open, with what comes after it.
    pub(in super::super) fn last_open_item(&mut self) {
        let mut it = self.new_item();
        it.who = 0;
        let ticket = it.ticket.clone();
        self.open_item(it);
        let server = self.host();
        let customer = self.dice.below(self.customers.len());
        let (cust, who) = (self.customers[customer].name.clone(), self.other().name);
        let text =
            self.tell(PLANS, &[("ticket", &ticket), ("server", &server), ("cust", &cust), ("who", &who)]);
        let said = self.user(&text);
        let text = self.tell(PLAN_TAKEN, &[("server", &server), ("cust", &cust)]);
        let told = self.agent(&text);
        let asked = (
            format!("What did the person say comes next while {ticket} waits, and in which order?"),
            format!("First the backup of {server}, then the terms of {cust} with {who}."),
        );
        let known = facts(&[&[&server], &[&cust]]);
        self.note("continuation", "plan", asked, known, &[said, told], "the next step would be guessed");
    }

    /// A small thing at the end that changes nothing the questions ask for.
    pub(in super::super) fn closing_item(&mut self) {
        let mut it = self.new_item();
        it.who = 0;
        "spelling in the runbooks".clone_into(&mut it.title);
        let package = self.dice.below(self.theme.packages.len());
        let pkg = self.theme.packages[package].name;
        let page = format!("docs/guides/{pkg}_{}.md", it.ticket.to_lowercase());
        let other = format!("docs/guides/{pkg}_words_{}.md", self.dice.hex(3));
        let text = self.tell(ASK_SPELLING, &[("page", &page), ("other", &other)]);
        self.user(&text);
        for path in [&page, &other] {
            let clean = self.text_of(path);
            let words = clean.lines().filter(|l| !l.starts_with('#')).flat_map(str::split_whitespace);
            let word =
                words.filter(|w| w.chars().all(char::is_alphabetic)).max_by_key(|w| w.len()).unwrap_or("");
            let mut letters: Vec<char> = word.chars().collect();
            let at = (1..letters.len()).rev().find(|&i| letters[i] != letters[i - 1]).unwrap_or(0);
            letters.swap(at, at.saturating_sub(1));
            let typo: String = letters.iter().collect();
            let line = clean.lines().find(|l| l.contains(word)).unwrap_or("").to_owned();
            let wrong = line.replacen(word, &typo, 1);
            self.texts.insert(path.clone(), clean.replacen(&line, &wrong, 1));
            self.read("", path);
            self.edit("", path, &wrong, &line);
        }
        self.bash("", "codespell docs/guides", "");
        let shown =
            format!(" {page} | 2 +-\n {other} | 2 +-\n 2 files changed, 2 insertions(+), 2 deletions(-)");
        self.bash("", "git diff --stat", &shown);
        self.commit(&it, "Spelling in two guides");
        let text = self.tell(DONE_SPELLING, &[("page", &page), ("other", &other)]);
        self.agent(&text);
    }
}
