//! What fills the time between the steps that matter: logs, listings, tables, other files.

use super::frames::GREP_LINES;
use super::pages::{LOG_LINES, SUBJECTS};
use super::prose::{HEARD, IN_PASSING, LOOKING};
use super::spelling::{code, facts, plural, pretty, small};
use super::words::{LAST_NAMES, REGIONS, VERBS};
use super::{Item, World};
use serde_json::{Value, json};
use std::fmt::Write as _;

impl World {
    /// Looks around until the item has used `share` percent of its room.
    pub(super) fn wander(&mut self, it: &Item, share: usize) {
        let room = self.budget * share / 100;
        let mut guard = 0;
        while self.chars - it.start < room && guard < 40 {
            guard += 1;
            if self.dice.chance(2) {
                self.in_passing();
            }
            let text = self.thought(LOOKING, &[]);
            if self.dice.chance(45) {
                self.look_at_files(&text);
            } else {
                self.look_at_output(&text);
            }
        }
    }

    /// The person says something in passing while the agent works.
    fn in_passing(&mut self) {
        let (who, instead) = (self.other().name, self.other().name);
        if who == instead {
            return;
        }
        let ahead = self.dice.range(6, 40);
        let date = self.date(ahead);
        let text = self.tell(IN_PASSING, &[("who", &who), ("date", &date), ("instead", &instead)]);
        let said = self.user(&text);
        let text = self.tell(HEARD, &[("who", &who), ("date", &date)]);
        self.agent(&text);
        let question = format!("Until when is {who} away, and who stands in?");
        let answer = format!("Until {date}; {instead} stands in.");
        let known = facts(&[&[&date], &[&instead]]);
        self.note(
            "recall",
            &format!("away:{who}"),
            (question, answer),
            known,
            &[said],
            "nobody would answer",
        );
    }

    /// Reads one or two files that have to do with the work from afar.
    fn look_at_files(&mut self, text: &str) {
        let mut m = self.dice.below(self.modules.len());
        let near: Vec<usize> =
            (0..self.modules.len()).filter(|&m| self.modules[m].package == self.focus).collect();
        if self.dice.chance(45) {
            m = self.dice.pick(&near);
        }
        let p = self.dice.below(self.parts.len());
        let package = self.theme.packages[self.modules[m].package].name;
        let mut paths = match self.dice.below(8) {
            0..=3 => vec![self.path(m)],
            4 => vec![self.test_path(m)],
            5 => vec![self.path(m), self.test_path(m)],
            6 => vec![self.part_path(p, false)],
            _ => vec![format!("docs/runbooks/{package}.md")],
        };
        if self.modules[m].gone {
            paths = vec![format!("docs/runbooks/{package}.md")];
        }
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        self.read_all(text, &paths);
    }

    /// Runs one command whose output nobody needs later.
    fn look_at_output(&mut self, text: &str) {
        let package =
            if self.dice.chance(55) { self.focus } else { self.dice.below(self.theme.packages.len()) };
        let lines = self.dice.range(12, 42);
        let (command, output) = match self.dice.below(14) {
            0 => self.git_log(lines),
            1 => self.listing(package),
            2 | 3 => return self.log_tail(text, package, lines),
            4 => self.grep(package),
            5 => self.table(package, lines / 2),
            6 => self.pipeline(lines / 3),
            7 => self.coverage(package),
            8 => self.processes(),
            9 => return self.rows_of_csv(text, package, lines),
            10 => self.answer(package, lines / 5),
            11 => self.metrics(lines),
            12 => self.diff_stat(lines / 2),
            _ => self.plan_of_query(package),
        };
        self.bash(text, &command, &output);
    }

    /// A noun, a field and the name of a package.
    pub(super) fn words(&mut self, package: usize) -> (&'static str, &'static str, &'static str) {
        let pack = &self.theme.packages[package];
        (self.dice.pick(&pack.nouns), self.dice.pick(&pack.fields), pack.name)
    }

    /// The last commits.
    fn git_log(&mut self, lines: usize) -> (String, String) {
        let mut out = String::new();
        for _ in 0..lines {
            let package = self.dice.below(self.theme.packages.len());
            let (noun, field, name) = self.words(package);
            let (n, hash) = (self.num(2, 60), self.dice.hex(8));
            let subject = self.tell(
                SUBJECTS,
                &[
                    ("noun", &noun.replace('_', " ")),
                    ("nouns", &plural(noun)),
                    ("field", field),
                    ("pkg", name),
                    ("n", &n),
                ],
            );
            let _ = writeln!(out, "{hash} {}", small(&subject));
        }
        (format!("git log --oneline -{lines}"), out.trim_end().to_owned())
    }

    /// The files of a package.
    fn listing(&mut self, package: usize) -> (String, String) {
        let name = self.theme.packages[package].name;
        let day = self.dice.range(1, 28);
        let mut out = format!("total {}\n", self.dice.range(40, 300));
        let stems: Vec<String> =
            self.modules.iter().filter(|m| m.package == package && !m.gone).map(|m| m.stem.clone()).collect();
        for stem in stems {
            let (size, hour, minute) =
                (self.dice.range(1800, 9000), self.dice.range(7, 19), self.dice.below(60));
            let _ =
                writeln!(out, "-rw-r--r-- 1 dev dev {size:>6} Jan {day:>2} {hour:02}:{minute:02} {stem}.py");
        }
        (format!("ls -la src/{}/{name}/", self.theme.slug), out.trim_end().to_owned())
    }

    /// The end of a log file, read by its name.
    fn log_tail(&mut self, text: &str, package: usize, lines: usize) {
        let (_, _, name) = self.words(package);
        let path = format!("logs/{name}-{}.log", self.date(0));
        let out = self.log_lines(package, lines);
        let command = if self.dice.chance(50) {
            format!("tail -n {lines} {path}")
        } else {
            format!("grep -v DEBUG {path} | tail -{lines}")
        };
        self.shell_read(text, &command, &path, &out);
    }

    /// Lines of a log without anything of weight.
    pub(super) fn log_lines(&mut self, package: usize, lines: usize) -> String {
        let mut out = String::new();
        let date = self.date(0);
        let mut second = self.dice.range(3600, 60_000);
        for _ in 0..lines {
            second += self.dice.range(1, 190);
            let (noun, field, name) = self.words(package);
            let host = self.host();
            let (n, ms, id) = (self.num(1, 400), self.num(3, 2900), self.dice.hex(6));
            let line = self.tell(
                LOG_LINES,
                &[
                    ("noun", noun),
                    ("field", field),
                    ("pkg", name),
                    ("n", &n),
                    ("ms", &ms),
                    ("id", &id),
                    ("host", &host),
                ],
            );
            let level = self.dice.pick(&["INFO ", "INFO ", "INFO ", "DEBUG", "WARN "]);
            let _ = writeln!(
                out,
                "{date} {:02}:{:02}:{:02},{:03} {level} {}",
                second / 3600 % 24,
                second / 60 % 60,
                second % 60,
                self.dice.below(1000),
                small(&line)
            );
        }
        out.trim_end().to_owned()
    }

    /// Places where a word stands.
    pub(super) fn grep(&mut self, package: usize) -> (String, String) {
        let (noun, field, name) = self.words(package);
        let mut out = String::new();
        for _ in 0..self.dice.range(8, 26) {
            let m = self.dice.below(self.modules.len());
            let (path, line) = (self.path(m), self.dice.range(9, 190));
            let n = self.num(1, 30);
            let shown = code(self.dice.pick(GREP_LINES), &[("f", field), ("noun", noun), ("n", &n)]);
            let _ = writeln!(out, "{path}:{line}:{shown}");
        }
        let command = if self.dice.chance(50) {
            format!("grep -rn \"{field}\" src | head -40")
        } else {
            format!("grep -rn {field} src/{}/ --include=*.py | grep -v {name}_old", self.theme.slug)
        };
        (command, out.trim_end().to_owned())
    }

    /// A table from the database.
    pub(super) fn table(&mut self, package: usize, lines: usize) -> (String, String) {
        let (noun, field, name) = self.words(package);
        let nouns = plural(noun).replace(' ', "_");
        let mut out = format!(
            " {field:<18} | {nouns:>10} | oldest     | share\n--------------------+------------+------------+-------\n"
        );
        for _ in 0..lines {
            let (id, n, ahead, share) =
                (self.dice.hex(5), self.dice.range(1, 90_000), self.dice.below(80), self.dice.below(100));
            let key = format!("{}-{id}", self.dice.pick(REGIONS));
            let _ = writeln!(out, " {key:<18} | {n:>10} | {} | {share:>3} %", self.date(ahead));
        }
        let _ = write!(out, "({lines} rows)");
        (
            format!(
                "psql -d {} -c \"select {field}, count(*) as {nouns}, min(created_at) as oldest, \
                 share from {name}_{nouns} group by 1 order by 2 desc limit {lines}\"",
                self.theme.slug
            ),
            out,
        )
    }

    /// The last runs of the pipeline.
    fn pipeline(&mut self, lines: usize) -> (String, String) {
        let mut out = "RUN     STATE      BRANCH                         STARTED           TOOK\n".to_owned();
        for _ in 0..lines + 4 {
            let package = self.dice.below(self.theme.packages.len());
            let (noun, _, name) = self.words(package);
            let (run, state, took) = (
                self.dice.range(10_000, 99_999),
                self.dice.pick(&["success", "success", "success", "cancelled", "skipped"]),
                self.dice.range(61, 900),
            );
            let branch = format!("{name}/{}-{}", self.draw(VERBS), noun.replace('_', "-"));
            let _ = writeln!(
                out,
                "{run:<7} {state:<10} {branch:<30} {} {} {:>2}m{:02}s",
                self.date(0),
                self.clock(),
                took / 60,
                took % 60
            );
        }
        (format!("ci runs --limit {}", lines + 4), out.trim_end().to_owned())
    }

    /// How much of a package the tests reach.
    fn coverage(&mut self, package: usize) -> (String, String) {
        let name = self.theme.packages[package].name;
        let mut out = "Name                                          Stmts   Miss  Cover   Missing\n\
            ---------------------------------------------------------------------------\n"
            .to_owned();
        for m in 0..self.modules.len() {
            if self.modules[m].package == package && !self.modules[m].gone {
                let (stmts, miss, from) =
                    (self.dice.range(40, 190), self.dice.below(30), self.dice.range(20, 90));
                let path = self.path(m);
                let _ = writeln!(
                    out,
                    "{path:<45} {stmts:>5} {miss:>6} {:>5}%   {from}-{}, {}",
                    100 - miss * 100 / stmts,
                    from + 4,
                    from + 31
                );
            }
        }
        (
            format!("coverage report --include='src/{}/{name}/*' --show-missing", self.theme.slug),
            out.trim_end().to_owned(),
        )
    }

    /// What runs where.
    fn processes(&mut self) -> (String, String) {
        let mut out = "HOST             SERVICE            PID     CPU%   RSS(MB)   UP\n".to_owned();
        for _ in 0..self.dice.range(9, 24) {
            let package = self.dice.below(self.theme.packages.len());
            let (host, name) = (self.host(), self.theme.packages[package].name);
            let (pid, cpu, rss, up) = (
                self.dice.range(300, 60_000),
                self.dice.below(97),
                self.dice.range(60, 3000),
                self.dice.range(1, 40),
            );
            let kind = self.dice.pick(&["api", "worker", "cron", "feed"]);
            let _ = writeln!(
                out,
                "{host:<16} {:<18} {pid:<7} {cpu:>3}.{}  {rss:>7}   {up}d",
                format!("{name}-{kind}"),
                cpu % 9
            );
        }
        ("fleet ps --all".to_owned(), out.trim_end().to_owned())
    }

    /// The first rows of an export.
    fn rows_of_csv(&mut self, text: &str, package: usize, lines: usize) {
        let pack = &self.theme.packages[package];
        let (noun, _, name) = self.words(package);
        let mut out = pack.fields.join(";");
        for _ in 0..lines / 2 + 6 {
            out.push('\n');
            for at in 0..pack.fields.len() {
                let cell = match self.dice.below(4) {
                    0 => self.date(at),
                    1 => self.num(1, 99_999),
                    2 => self.draw(LAST_NAMES).to_owned(),
                    _ => self.dice.hex(8),
                };
                let _ = write!(out, "{}{cell}", if at > 0 { ";" } else { "" });
            }
        }
        let path = format!("/srv/exports/{name}_{}_{}.csv", plural(noun).replace(' ', "_"), self.date(0));
        self.shell_read(text, &format!("head -{} {path}", lines / 2 + 7), &path, &out);
    }

    /// An answer of the programming interface.
    fn answer(&mut self, package: usize, rows: usize) -> (String, String) {
        let pack = &self.theme.packages[package];
        let noun = self.dice.pick(&pack.nouns);
        let mut list = Vec::new();
        for _ in 0..rows + 2 {
            let mut row = serde_json::Map::new();
            row.insert("id".into(), json!(format!("{}_{}", &noun[..2], self.dice.hex(8))));
            for field in pack.fields {
                let value = if self.dice.chance(50) {
                    json!(self.dice.range(1, 5000))
                } else {
                    json!(self.draw(LAST_NAMES).to_lowercase())
                };
                row.insert(field.into(), value);
            }
            list.push(Value::Object(row));
        }
        let more = self.dice.chance(60);
        let nouns = plural(noun).replace(' ', "_");
        let body = json!({"data": list, "more": more, "took_ms": self.dice.range(4, 300)});
        (format!("curl -s localhost:8080/api/{}/{nouns}?limit={} | jq .", pack.name, rows + 2), pretty(&body))
    }

    /// Figures that a machine gives of itself.
    fn metrics(&mut self, lines: usize) -> (String, String) {
        let mut out = String::new();
        for _ in 0..lines {
            let package = self.dice.below(self.theme.packages.len());
            let (noun, _, name) = self.words(package);
            let (host, n, part) = (self.host(), self.dice.range(1, 400_000), self.dice.below(1000));
            let what = self.dice.pick(&[
                "seconds_sum",
                "seconds_count",
                "retries_total",
                "open",
                "queued",
                "bytes_total",
                "misses_total",
            ]);
            let _ = writeln!(out, "{name}_{noun}_{what}{{host=\"{host}\"}} {n}.{part:03}");
        }
        (
            format!("curl -s {}:9100/metrics | grep -v '^#' | head -{lines}", self.host()),
            out.trim_end().to_owned(),
        )
    }

    /// Which files differ from another branch.
    fn diff_stat(&mut self, lines: usize) -> (String, String) {
        let mut out = String::new();
        let mut sum = 0;
        for _ in 0..lines {
            let m = self.dice.below(self.modules.len());
            let (n, path) = (self.dice.range(1, 44), self.path(m));
            sum += n;
            let _ = writeln!(out, " {path:<48} | {n:>3} {}{}", "+".repeat(n / 2 + 1), "-".repeat(n / 3));
        }
        let _ = write!(out, " {lines} files changed, {sum} insertions(+), {} deletions(-)", sum / 3);
        let weeks = self.num(1, 6);
        (format!("git diff --stat main@{{{weeks}.weeks.ago}} main"), out)
    }

    /// How the database would answer a query.
    fn plan_of_query(&mut self, package: usize) -> (String, String) {
        let (noun, field, name) = self.words(package);
        let nouns = plural(noun).replace(' ', "_");
        let (rows, cost, ms) =
            (self.dice.range(40, 90_000), self.dice.range(10, 9000), self.dice.range(1, 900));
        let mut out = format!(
            "                                   QUERY PLAN\n\
             --------------------------------------------------------------------------------\n \
             Limit  (cost=0.43..{cost}.17 rows={rows} width=148) (actual time=0.031..{ms}.404 rows={} \
             loops=1)\n",
            rows / 2
        );
        for depth in 1..self.dice.range(3, 7) {
            let node = self.dice.pick(&[
                "Nested Loop",
                "Hash Join",
                "Index Scan using idx",
                "Bitmap Heap Scan",
                "Sort",
                "Seq Scan",
                "Gather Merge",
            ]);
            let (a, b) = (self.dice.range(1, cost), self.dice.range(1, rows));
            let _ = writeln!(
                out,
                "{}->  {node} on {name}_{nouns}  (cost=0.43..{a}.02 rows={b} \
                 width=96)\n{}      Filter: ({field} IS NOT NULL)\n\
                 {}      Buffers: shared hit={b} \
                 read={a}",
                "   ".repeat(depth),
                "   ".repeat(depth),
                "   ".repeat(depth)
            );
        }
        let _ =
            write!(out, " Planning Time: 0.{} ms\n Execution Time: {ms}.871 ms", self.dice.range(100, 999));
        (
            format!(
                "psql -d {} -c \"explain (analyze, buffers) select * from {name}_{nouns} where {field} is not null limit {rows}\"",
                self.theme.slug
            ),
            out,
        )
    }
}
