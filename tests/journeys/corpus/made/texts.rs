//! The texts of the files, made when they are first asked for.

use super::frames::{FUNCTIONS, MODULE_HEAD, PART_BODIES, TEST_BODIES};
use super::pages::{MODULE_ABOUT, PAGE_HEADS, PAGE_LINES, REMARKS};
use super::spelling::{camel, capital, code, euros, plural};
use super::words::{SIZES, VERBS};
use super::{Customer, Server, Setting, World};
use std::fmt::Write as _;

impl World {
    /// The path of a module.
    pub(super) fn path(&self, m: usize) -> String {
        let module = &self.modules[m];
        format!("src/{}/{}/{}.py", self.theme.slug, self.theme.packages[module.package].name, module.stem)
    }

    /// The path of a module's tests.
    pub(super) fn test_path(&self, m: usize) -> String {
        let module = &self.modules[m];
        format!("tests/{}/test_{}.py", self.theme.packages[module.package].name, module.stem)
    }

    /// The path of a component, or of its tests.
    pub(super) fn part_path(&self, p: usize, tests: bool) -> String {
        let part = &self.parts[p];
        let end = if tests { ".test" } else { "" };
        format!("web/src/{}/{}{end}.tsx", self.theme.packages[part.package].name, part.name)
    }

    /// The text of a file, made when it is first asked for.
    pub(super) fn text_of(&mut self, path: &str) -> String {
        if let Some(text) = self.texts.get(path) {
            return text.clone();
        }
        let text = self.make_text(path);
        self.texts.insert(path.to_owned(), text.clone());
        text
    }

    /// Makes the text of a file that no message has shown yet.
    fn make_text(&mut self, path: &str) -> String {
        for m in 0..self.modules.len() {
            if self.path(m) == path {
                self.modules[m].fresh = false;
                return self.module_text(m);
            }
            if self.test_path(m) == path {
                return self.module_tests(m);
            }
        }
        for p in 0..self.parts.len() {
            if self.part_path(p, false) == path {
                return self.part_text(p);
            }
            if self.part_path(p, true) == path {
                return self.part_tests(p);
            }
        }
        match path {
            "infra/servers.toml" => self.servers_text(),
            "infra/budget.toml" => format!(
                "# What the machines may cost a month, in EUR. Asked for \
                 by finance.\n[budget]\nlimit = {}\nwarn_at = 0.92\n\
                 currency = \"EUR\"\n",
                self.spend_limit
            ),
            "config/customers.toml" => self.customers_text(),
            _ => self.page_text(path),
        }
    }

    /// The inventory of servers as a file.
    fn servers_text(&self) -> String {
        let mut out = "# Inventory. Changed together with infra_change_server, never alone.\n".to_owned();
        for s in self.servers.iter().filter(|s| !s.gone) {
            let _ = write!(
                out,
                "\n[servers.{}]\nid = \"{}\"\nrole = \"{}\"\n{}",
                s.name,
                s.id,
                s.role,
                server_lines(s)
            );
        }
        out
    }

    /// The overrides of customers as a file.
    fn customers_text(&self) -> String {
        let mut out = "# Terms that differ from the price list. One block a customer.\n".to_owned();
        for c in &self.customers {
            let _ = write!(out, "\n[{}]\nname = \"{}\"\n{}", c.id, c.name, self.customer_lines(c));
        }
        out
    }

    /// What the file of overrides says of a customer.
    pub(super) fn customer_lines(&self, c: &Customer) -> String {
        format!(
            "plan = \"{}\"\nseats = {}\nmonthly = \"{}\"\nbilling = \"{}\" # {}\n",
            self.theme.plans[c.plan],
            c.seats,
            euros(c.price),
            c.billing,
            c.id
        )
    }

    /// A page of text: a runbook, a list of settings or the change log.
    fn page_text(&mut self, path: &str) -> String {
        let title =
            path.rsplit('/').next().unwrap_or(path).split('.').next().unwrap_or("page").replace('_', " ");
        let mut out = format!("# {}\n", capital(&title));
        for _ in 0..self.dice.range(5, 11) {
            let named = self.theme.packages.iter().position(|p| path.contains(&format!("/{}", p.name)));
            let package = named.unwrap_or_else(|| self.dice.below(self.theme.packages.len()));
            let pack = &self.theme.packages[package];
            let (noun, field, name) = (self.dice.pick(&pack.nouns), self.dice.pick(&pack.fields), pack.name);
            let (n, host) = (self.num(2, 90), self.host());
            let head = self.tell(PAGE_HEADS, &[("nouns", &plural(noun)), ("pkg", name)]);
            let _ = write!(out, "\n## {head}\n\n");
            for _ in 0..self.dice.range(2, 4) {
                let who = self.other().name;
                let line = self.tell(
                    PAGE_LINES,
                    &[
                        ("noun", &noun.replace('_', " ")),
                        ("nouns", &plural(noun)),
                        ("field", field),
                        ("pkg", name),
                        ("n", &n),
                        ("host", &host),
                        ("who", &who),
                    ],
                );
                let _ = writeln!(out, "{line}");
            }
        }
        out
    }

    /// The name of some machine.
    pub(super) fn host(&mut self) -> String {
        let running: Vec<usize> = (0..self.servers.len()).filter(|&s| !self.servers[s].gone).collect();
        let at = self.dice.pick(&running);
        self.servers[at].name.clone()
    }

    /// The text of a Python module.
    fn module_text(&mut self, m: usize) -> String {
        let module = self.modules[m].clone();
        let pack = &self.theme.packages[module.package];
        let stem = module.stem.replace('_', " ");
        let noun = self.dice.pick(&pack.nouns).replace('_', " ");
        let about = self.tell(
            MODULE_ABOUT,
            &[("stem", &stem), ("noun", &noun), ("nouns", &plural(&noun)), ("pkg", pack.name)],
        );
        let mut out = format!("\"\"\"{about}\"\"\"\n\n{MODULE_HEAD}");
        let other = self.dice.below(self.modules.len());
        let (o, near) = (&self.modules[other], self.theme.slug);
        let _ = write!(
            out,
            "\nfrom {near}.{}.{} import normalise\n\
             from {near}.base.clock import as_utc, now\n\n\
             log = logging.getLogger(__name__)\n\n",
            self.theme.packages[o.package].name, o.stem
        );
        for s in &module.settings {
            let _ = writeln!(
                out,
                "{} = {}  # {}{}",
                s.name,
                s.value,
                s.unit,
                if s.unit.is_empty() { s.phrase.clone() } else { format!("; {}", s.phrase) }
            );
        }
        for _ in 0..self.dice.range(6, 9) {
            let frame = self.draw(FUNCTIONS);
            let text = self.code_frame(frame, module.package, &module.settings);
            let name = text.split('(').next().unwrap_or("").to_owned();
            if !out.contains(&name) {
                let _ = write!(out, "\n\n{text}");
            }
        }
        out
    }

    /// Fills a code frame with the words of a package.
    pub(super) fn code_frame(&mut self, frame: &str, package: usize, settings: &[Setting]) -> String {
        let pack = &self.theme.packages[package];
        let noun = self.dice.pick(&pack.nouns);
        let at = self.dice.below(6);
        let fields = [at, (at + 2) % 6, (at + 5) % 6].map(|i| pack.fields[i]);
        let constant = if settings.is_empty() {
            "LIMIT".to_owned()
        } else {
            settings[self.dice.below(settings.len())].name.clone()
        };
        let verb = self.draw(VERBS);
        let remark = self
            .tell(REMARKS, &[("noun", &noun.replace('_', " ")), ("nouns", &plural(noun)), ("f", fields[0])]);
        let (n, k) = (self.num(2, 40), self.num(100, 990));
        let nouns = plural(noun).replace(' ', "_");
        code(
            frame,
            &[
                ("noun", noun),
                ("nouns", &nouns),
                ("Noun", &camel(noun)),
                ("f", fields[0]),
                ("g", fields[1]),
                ("h", fields[2]),
                ("C", &constant),
                ("v", verb),
                ("n", &n),
                ("k", &k),
                ("remark", &remark),
            ],
        )
    }

    /// The text of a module's tests.
    pub(super) fn module_tests(&mut self, m: usize) -> String {
        let module = self.modules[m].clone();
        let pack = &self.theme.packages[module.package];
        let mut out = format!(
            "from datetime import datetime\nfrom decimal import Decimal\n\n\
             import pytest\n\nfrom {}.{} import {} as subject\n\
             from tests.factories import DeadHolder, Empty, \
             build\n",
            self.theme.slug, pack.name, module.stem
        );
        for name in &module.tests {
            let frame = self.draw(TEST_BODIES);
            let body = self.code_frame(frame, module.package, &module.settings);
            let _ = write!(out, "\n\ndef {name}():\n{body}\n");
        }
        out
    }

    /// The text of a component.
    fn part_text(&mut self, p: usize) -> String {
        let part = self.parts[p].clone();
        let mut out = format!(
            "import {{ useMemo, useState }} from 'react';\n\
             import {{ t }} from '../base/text';\n\n/** {}: {}. */\nexport const LIMIT = {}; // {}\n\
             export const TITLE = '{}';\n",
            part.name, part.label, part.value, part.what, part.label
        );
        for _ in 0..self.dice.range(4, 7) {
            let frame = self.draw(PART_BODIES);
            let text = self.code_frame(frame, part.package, &[]);
            let name = text.lines().next().unwrap_or("").split('(').next().unwrap_or("").to_owned();
            if !out.contains(&name) {
                let _ = write!(out, "\n{text}");
            }
        }
        let _ = write!(
            out,
            "\nexport function {}({{ rows }}: {{ rows: Row[] }}) {{\n  \
             const [open, setOpen] = useState(false);\n  \
             const shown = useMemo(() => rows.slice(0, LIMIT), [rows]);\n  return (\n    \
             <section aria-label={{t(TITLE)}}>\n      \
             <button onClick={{() => setOpen(!open)}}>{{t(TITLE)}}</button>\n      \
             {{open && shown.map((row) => <Line key={{row.id}} row={{row}} />)}}\n    </section>\n  );\n\
             }}\n",
            part.name
        );
        out
    }

    /// The text of a component's tests.
    fn part_tests(&mut self, p: usize) -> String {
        let part = self.parts[p].clone();
        let mut out = format!(
            "import {{ render, screen }} from '@testing-library/react';\n\
             import {{ {}, LIMIT, TITLE }} from './{}';\nimport {{ rows }} from '../base/samples';\n\n\
             describe('{}', () => {{\n",
            part.name, part.name, part.name
        );
        for (i, test) in part.tests.iter().enumerate() {
            let n = self.num(1, 90);
            let _ = write!(
                out,
                "  it('{test}', () => {{\n    \
                 render(<{} rows={{rows({n})}} />);\n    \
                 expect(screen.queryAllByRole('listitem').length).toBeLessThanOrEqual(LIMIT + {i});\n  \
                 }});\n\n",
                part.name
            );
        }
        out.push_str("});\n");
        out
    }
}

/// What the inventory says of a server beside its name.
pub(super) fn server_lines(s: &Server) -> String {
    format!(
        "region = \"{}\"\nsize = \"{}\"\nmonthly = \"{}\" # {}\n",
        s.region,
        SIZES[s.size].0,
        euros(s.price),
        s.id
    )
}
