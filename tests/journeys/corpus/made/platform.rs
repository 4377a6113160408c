//! The platform as it stands before the first message: people, modules, records.

use super::dice::Dice;
use super::frames::{PART_TESTS, TEST_NAMES};
use super::settings::SETTINGS;
use super::spelling::{camel, code};
use super::themes::THEMES;
use super::words::{
    BILLING, FIRM_HEADS, FIRM_TAILS, FIRST_NAMES, LABELS, LAST_NAMES, PART_KINDS, REGIONS, ROLES, SIZES,
    STEMS,
};
use super::{CHARS_PER_TOKEN, Customer, Module, Part, Person, Server, Setting, Shell, USUAL_ITEMS, World};
use serde_json::json;
use std::collections::BTreeMap;

impl World {
    /// A platform as it stands before the first message.
    pub(super) fn new(seed: u64, least: usize) -> Self {
        let mut dice = Dice(seed ^ 0x5eed_0f5e_5510_0000);
        let theme = &THEMES[dice.below(THEMES.len())];
        let user = dice.pick(&["dev", "agent", "build", "work"]);
        let mut world = Self {
            dice,
            decks: BTreeMap::new(),
            theme,
            root: format!("/home/{user}/{}", theme.slug),
            people: Vec::new(),
            others: Vec::new(),
            messages: Vec::new(),
            chars: 0,
            calls: 0,
            budget: (least / USUAL_ITEMS).clamp(7_000, 24_500),
            texts: BTreeMap::new(),
            tracks: Vec::new(),
            shell: Shell::default(),
            tests: Vec::new(),
            errors: Vec::new(),
            renamed: Vec::new(),
            modules: Vec::new(),
            parts: Vec::new(),
            servers: Vec::new(),
            customers: Vec::new(),
            spend_limit: 0,
            rules: Vec::new(),
            choices: Vec::new(),
            jobs: Vec::new(),
            changed: Vec::new(),
            notes: Vec::new(),
            ticket: 0,
            item: 0,
            focus: 0,
            minute: 0,
            plan: String::new(),
            records: 0,
            migrations: 0,
            ticket_first: false,
            brief: false,
        };
        world.ticket = world.dice.range(180, 900);
        world.migrations = world.dice.range(31, 90);
        world.records = world.dice.range(12, 40);
        world.meet_people();
        world.build_modules(least);
        world.build_records();
        world.begin();
        world
    }

    /// Invents the people.
    fn meet_people(&mut self) {
        for at in 0..10 {
            let name = format!("{} {}", self.draw(FIRST_NAMES), self.draw(LAST_NAMES));
            let voice = if at == 0 { self.dice.range(0, 2) } else { self.dice.below(4) };
            let role = self.draw(ROLES);
            let person = Person { name, role, voice };
            if at < 4 {
                self.people.push(person);
            } else {
                self.others.push(person);
            }
        }
    }

    /// Invents the modules and the components.
    fn build_modules(&mut self, least: usize) {
        let per_package = (least / 34_000 / CHARS_PER_TOKEN + 1).clamp(6, STEMS.len() - 6);
        for package in 0..self.theme.packages.len() {
            let mut stems: Vec<&'static str> = STEMS.to_vec();
            for _ in 0..per_package {
                let stem = stems.swap_remove(self.dice.below(stems.len())).to_owned();
                let settings = self.make_settings(package);
                let tests = self.make_test_names(package, &stem);
                self.modules.push(Module { package, stem, settings, tests, fresh: true, gone: false });
            }
            for _ in 0..3 {
                let noun = self.dice.pick(&self.theme.packages[package].nouns);
                let name = format!("{}{}", camel(noun), self.draw(PART_KINDS));
                if self.parts.iter().any(|p| p.name == name) {
                    continue;
                }
                let tests = (0..self.dice.range(4, 8))
                    .map(|_| self.tell(PART_TESTS, &[("noun", &noun.replace('_', " "))]).to_lowercase())
                    .collect();
                let what = self.dice.pick(&[
                    "rows per page",
                    "seconds until it refreshes",
                    "characters in the note",
                    "days shown",
                    "entries in the list",
                ]);
                let label = self.draw(LABELS).to_owned();
                let value = self.dice.range(2, 12) * 5;
                self.parts.push(Part { name, package, label, value, what, tests });
            }
        }
    }

    /// Invents the constants of a module.
    fn make_settings(&mut self, package: usize) -> Vec<Setting> {
        let mut list: Vec<Setting> = Vec::new();
        for _ in 0..self.dice.range(2, 4) {
            let kind = self.draw_at("settings", SETTINGS.len());
            let noun = self.dice.pick(&self.theme.packages[package].nouns);
            let s = &SETTINGS[kind];
            let name = format!("{}_{}", noun.to_uppercase(), s.suffix);
            if self.modules.iter().flat_map(|m| &m.settings).chain(&list).any(|o| o.name == name) {
                continue;
            }
            let value = self.dice.range(s.low, s.high) * s.step;
            let phrase = s.phrase.replace("{noun}", &noun.replace('_', " "));
            list.push(Setting { name, phrase, unit: s.unit, value, kind });
        }
        list
    }

    /// Invents the names of a module's tests.
    pub(super) fn make_test_names(&mut self, package: usize, stem: &str) -> Vec<String> {
        let mut list: Vec<String> = Vec::new();
        for _ in 0..self.dice.range(3, 7) {
            let pack = &self.theme.packages[package];
            let (noun, field) = (self.dice.pick(&pack.nouns), self.dice.pick(&pack.fields));
            let frame = self.draw(TEST_NAMES);
            let name = code(frame, &[("noun", noun), ("f", field), ("stem", stem)]);
            if !list.contains(&name) {
                list.push(name);
            }
        }
        list
    }

    /// Invents servers and customers.
    fn build_records(&mut self) {
        for _ in 0..13 {
            let role = self.dice.pick(&["db", "worker", "web", "cache", "search", "queue", "batch", "proxy"]);
            let n = self.servers.iter().filter(|s| s.role == role).count() + 1;
            let name = format!("{}-{role}-{n:02}", self.theme.tag.to_lowercase());
            let id = format!("srv-{}", self.dice.hex(6));
            let size = self.dice.below(SIZES.len() - 2);
            let region = self.dice.pick(REGIONS);
            let price = SIZES[size].1 + self.dice.below(9) * 100;
            self.servers.push(Server { id, name, role, region, size, price, pinned: false, gone: false });
        }
        self.spend_limit = (self.spend() / 10_000 + 1) * 100;
        for _ in 0..24 {
            let name = format!("{} {}", self.draw(FIRM_HEADS), self.draw(FIRM_TAILS));
            let id = format!("cus_{}", self.num(10_000, 99_999));
            let plan = self.dice.below(3);
            let seats = self.dice.range(3, 60);
            let contact = format!("{} {}", self.draw(FIRST_NAMES), self.draw(LAST_NAMES));
            let billing = self.dice.pick(BILLING);
            let price = seats * (900 + plan * 700);
            self.customers.push(Customer { id, name, plan, seats, price, billing, contact });
        }
    }

    /// What all servers cost a month, in cents.
    pub(super) fn spend(&self) -> usize {
        self.servers.iter().filter(|s| !s.gone).map(|s| s.price).sum()
    }

    /// The system message.
    fn begin(&mut self) {
        let text = format!(
            "You are a coding agent on {platform}, the platform of {trade}. The repository is \
             {root}: Python in src/{slug}, tests in tests/, the web front end in web/src, records of \
             machines in infra/. Tools: Read, Write, Edit, Bash, and the platform's own \
             infra_list_servers, infra_change_server, crm_find_customer, crm_update_customer and \
             tracker_update, which answer JSON. Work on one ticket at a time, show a failing test \
             before you mend something, commit when the tests pass, and tell in a few sentences what \
             you did.",
            platform = self.theme.platform,
            trade = self.theme.trade,
            root = self.root,
            slug = self.theme.slug
        );
        let size = text.chars().count();
        self.add(json!({"role": "system", "content": text}), size);
    }
}
