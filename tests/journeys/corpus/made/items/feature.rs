//! Work items that build something new.

use super::super::frames::{FUNCTIONS, MODULE_HEAD};
use super::super::prose::BEFORE_WRITE;
use super::super::spelling::{capital, facts, plural, tail};
use super::super::{Fail, Item, Module, Setting, World};
use super::prose::{ASK_FEATURE, DONE_FEATURE, OFF_BY_ONE};

/// A new thing to build.
struct Feature {
    stem: &'static str,
    phrase: &'static str,
    constant: &'static str,
    what: &'static str,
    unit: &'static str,
    low: usize,
    high: usize,
    step: usize,
}

impl World {
    /// Makes a new module, with its tests.
    pub(super) fn feature_item(&mut self, mut it: Item) {
        let f = &FEATURES[self.draw_at("features", FEATURES.len())];
        let package = self.free_package();
        self.focus = package;
        let (noun, field, pkg) = self.words(package);
        let stem = format!("{noun}_{}", f.stem);
        if self.modules.iter().any(|m| m.package == package && m.stem == stem) {
            return self.figure_item(it);
        }
        let n = self.dice.range(f.low, f.high) * f.step;
        it.title = f.phrase.replace("{nouns}", &plural(noun));
        let (count, who) = (format!("{n} {}", f.unit), self.other().name);
        let asked =
            [("phrase", it.title.as_str()), ("count", &count), ("what", f.what), ("who", &who), ("pkg", pkg)];
        let body = self.tell(ASK_FEATURE, &asked);
        let said = self.ask(&it, &body);
        self.wander(&it, 45);
        let test = format!("test_{noun}_keeps_to_its_limit");
        let more = self.make_test_names(package, &stem);
        let tests: Vec<String> = std::iter::once(test.clone()).chain(more).collect();
        let at = self.modules.len();
        self.modules.push(Module { package, stem, settings: Vec::new(), tests, fresh: false, gone: false });
        let (path, test_path) = (self.path(at), self.test_path(at));
        let bad = format!("    return rows[: {} - 1]", f.constant);
        let content = self.feature_text(f, n, &it.title, (noun, field), &bad);
        let before = self.thought(BEFORE_WRITE, &[("path", &path)]);
        let wrote = self.write(&before, &path, &content);
        let head = format!("def {test}():\n");
        let rows = format!("subject.limited([build(\"{noun}\", {field}=i) for i in range({n} + 5)])");
        let first = format!("{head}    assert len({rows}) == {n}\n    # the rest as everywhere\n");
        let body = self.module_tests(at).replacen(&head, &first, 1);
        self.write("", &test_path, &body);
        let (line, shown) =
            (format!("assert {} == {n}", n - 1), format!(">       assert len(subject.limited(rows)) == {n}"));
        self.pytest("", package, &[Fail { at, name: test, line, code: shown }]);
        let slip = self.tell(OFF_BY_ONE, &[]);
        self.edit(&slip, &path, &bad, &format!("    return rows[:{}]", f.constant));
        self.stumble(&it, package);
        self.pytest("", package, &[]);
        self.wander(&it, 72);
        let line = format!("- {}: {} ({}).", self.date(0), it.title, it.ticket);
        self.extend("", "CHANGELOG.md", &line);
        self.local_choice(&it, package);
        self.commit(&it, &format!("Add {}", it.title));
        let with = [
            ("path", path.as_str()),
            ("test", &test_path),
            ("count", &count),
            ("what", f.what),
            ("constant", f.constant),
        ];
        let done = self.tell(DONE_FEATURE, &with);
        let told = self.report(&it, &done);
        let question = format!("Where was \"{}\" ({}) built, and what is {}?", it.title, it.ticket, f.what);
        let asked = (question, format!("In {path}, tests in {test_path}; {} is {n}.", f.constant));
        let known = facts(&[&[tail(&path)], &[&n.to_string()]]);
        let key = format!("feature:{path}");
        self.note(
            "artifact",
            &key,
            asked,
            known,
            &[said, wrote.ask, told],
            "it would be built a second time",
        );
    }

    /// The text of a new module, with a slip in it.
    #[expect(clippy::too_many_arguments, reason = "each is a part of one text")]
    fn feature_text(&mut self, f: &Feature, n: usize, title: &str, words: (&str, &str), bad: &str) -> String {
        let setting = Setting {
            name: f.constant.to_owned(),
            phrase: f.what.to_owned(),
            unit: f.unit,
            value: n,
            kind: 0,
        };
        let frame = self.draw(FUNCTIONS);
        let helper = self.code_frame(frame, self.focus, &[setting]);
        let (about, field) = (capital(title), words.1);
        format!(
            "\"\"\"{about}.\"\"\"\n\n{MODULE_HEAD}\nfrom {}.base.clock import as_utc, now\n\n\
             log = logging.getLogger(__name__)\n\n{} = {n}  # {}; {}\n\n\n\
             def limited(rows: list[dict]) -> list[dict]:\n    \
             \"\"\"The {} that fit, by {field}.\"\"\"\n    \
             rows = sorted(rows, key=lambda row: row[\"{field}\"])\n{bad}\n\n\n{helper}",
            self.theme.slug,
            f.constant,
            f.unit,
            f.what,
            plural(words.0)
        )
    }
}

const FEATURES: &[Feature] = &[
    Feature {
        stem: "csv",
        phrase: "a CSV download of {nouns}",
        constant: "MOST_ROWS",
        what: "the row limit of one file",
        unit: "rows",
        low: 4,
        high: 60,
        step: 250,
    },
    Feature {
        stem: "digest",
        phrase: "a weekly digest of {nouns}",
        constant: "MOST_LINES",
        what: "the line limit of one mail",
        unit: "lines",
        low: 10,
        high: 80,
        step: 1,
    },
    Feature {
        stem: "duplicates",
        phrase: "a finder of doubled {nouns}",
        constant: "MOST_PAIRS",
        what: "the limit of reported pairs",
        unit: "pairs",
        low: 10,
        high: 90,
        step: 5,
    },
    Feature {
        stem: "undo",
        phrase: "an undo for {nouns}",
        constant: "MOST_STEPS",
        what: "the depth of the undo",
        unit: "steps",
        low: 5,
        high: 60,
        step: 1,
    },
    Feature {
        stem: "bulk",
        phrase: "a bulk change of {nouns}",
        constant: "MOST_AT_ONCE",
        what: "the limit of one bulk change",
        unit: "entries",
        low: 4,
        high: 80,
        step: 25,
    },
    Feature {
        stem: "history",
        phrase: "a history of {nouns}",
        constant: "MOST_ENTRIES",
        what: "the length of the history",
        unit: "entries",
        low: 5,
        high: 90,
        step: 2,
    },
    Feature {
        stem: "alerts",
        phrase: "alerts for odd {nouns}",
        constant: "MOST_ALERTS",
        what: "the daily limit of alerts",
        unit: "alerts",
        low: 3,
        high: 45,
        step: 1,
    },
    Feature {
        stem: "search",
        phrase: "a search over {nouns}",
        constant: "MOST_HITS",
        what: "the limit of hits",
        unit: "hits",
        low: 4,
        high: 60,
        step: 5,
    },
    Feature {
        stem: "sharing",
        phrase: "shared links to {nouns}",
        constant: "MOST_LINKS",
        what: "the limit of open links",
        unit: "links",
        low: 2,
        high: 30,
        step: 1,
    },
    Feature {
        stem: "quotas",
        phrase: "quotas for {nouns}",
        constant: "MOST_PER_DAY",
        what: "the daily quota of a customer",
        unit: "entries",
        low: 5,
        high: 95,
        step: 1,
    },
    Feature {
        stem: "preview",
        phrase: "a preview of {nouns}",
        constant: "MOST_PAGES",
        what: "the page limit",
        unit: "pages",
        low: 2,
        high: 28,
        step: 1,
    },
    Feature {
        stem: "snapshots",
        phrase: "nightly snapshots of {nouns}",
        constant: "MOST_KEPT",
        what: "the number of nights kept",
        unit: "nights",
        low: 7,
        high: 90,
        step: 1,
    },
    Feature {
        stem: "webhook",
        phrase: "a webhook for changed {nouns}",
        constant: "MOST_RETRIES",
        what: "the number of second tries",
        unit: "times",
        low: 3,
        high: 20,
        step: 1,
    },
    Feature {
        stem: "tags",
        phrase: "tags on {nouns}",
        constant: "MOST_TAGS",
        what: "the limit of tags on one entry",
        unit: "tags",
        low: 3,
        high: 24,
        step: 1,
    },
];
