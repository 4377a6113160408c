//! What happens on the way: commands that fail, and decisions in passing.

use super::super::prose::{BEFORE_COMMAND, CHOSE, OVERRULES, STUMBLED, YIELDS};
use super::super::spelling::{capital, code, facts};
use super::super::{Item, World};

/// A decision in passing: two ways, a reason for each, and the words that make the reason known again.
struct SmallChoice {
    about: &'static str,
    a: &'static str,
    why_a: &'static str,
    key_a: &'static str,
    b: &'static str,
    why_b: &'static str,
    key_b: &'static str,
}

/// A command that fails on the way, its cause and the way round it.
struct Stumble {
    command: &'static str,
    before: &'static str,
    raw: &'static str,
    why: &'static str,
    remedy: &'static str,
    result: &'static str,
    facts: &'static [&'static str],
}

impl World {
    /// A slip of the agent on the way: a command that fails, its cause and the way round.
    pub(super) fn stumble(&mut self, it: &Item, package: usize) {
        if !self.dice.chance(62) {
            return;
        }
        let s = &STUMBLES[self.draw_at("stumbles", STUMBLES.len())];
        let (noun, field, name) = self.words(package);
        let (n, host, hex) = (self.num(11, 97), self.host(), self.dice.hex(7));
        let with = [
            ("pkg", name),
            ("noun", noun),
            ("f", field),
            ("n", &n),
            ("host", &host),
            ("hex", &hex),
            ("slug", self.theme.slug),
            ("root", &self.root.clone()),
        ];
        let raw = code(s.raw, &with);
        let text = self.thought(BEFORE_COMMAND, &[]);
        let output =
            if s.before.is_empty() { raw.clone() } else { format!("{}\n{raw}", code(s.before, &with)) };
        let step = self.bash(&text, &code(s.command, &with), &output);
        let (kind, message) = raw.split_once(": ").unwrap_or((&raw, ""));
        self.error(kind, message, &raw, step);
        let why = code(s.why, &with);
        let text = self.tell(STUMBLED, &[("why", &why)]);
        let done = self.bash(&text, &code(s.remedy, &with), &code(s.result, &with));
        let start: String = raw.chars().take(90).collect();
        let question = format!(
            "In {} a command failed with \"{start}\". What was the cause, and what was done?",
            it.ticket
        );
        let answer = format!("{} It was mended with: {}", capital(&why), code(s.remedy, &with));
        let known = s.facts.iter().map(|f| code(f, &with).split('|').map(str::to_owned).collect()).collect();
        let key = format!("stumble{}", self.item);
        self.note("recall", &key, (question, answer), known, &[step.got, done.ask], "the same failure again");
    }

    /// A decision of the agent in passing, written to the runbook, now and then overruled.
    pub(super) fn local_choice(&mut self, it: &Item, package: usize) {
        if !self.dice.chance(62) {
            return;
        }
        let s = &SMALL[self.draw_at("small", SMALL.len())];
        let path = format!("docs/runbooks/{}.md", self.theme.packages[package].name);
        let line = format!("- {}: {} is {} ({}).", it.ticket, s.about, s.a, s.why_a);
        let text = self.tell(CHOSE, &[("about", s.about), ("a", s.a), ("b", s.b), ("why", s.why_a)]);
        self.text_of(&path);
        let step = self.extend(&text, &path, &line);
        let mut evidence = vec![step.ask];
        let (mut held, mut why, mut key) = (s.a, s.why_a, s.key_a);
        if self.dice.chance(26) {
            let text = self.tell(OVERRULES, &[("about", s.about), ("b", s.b), ("why", s.why_b)]);
            let said = self.user(&text);
            let new = format!("- {}: {} is {} ({}).", it.ticket, s.about, s.b, s.why_b);
            let text = self.tell(YIELDS, &[]);
            let step = self.edit(&text, &path, &line, &new);
            evidence = vec![said, step.ask];
            (held, why, key) = (s.b, s.why_b, s.key_b);
        }
        let question = format!("In {} ({}), what was settled on {}, and why?", it.ticket, it.title, s.about);
        let asked = (question, format!("{}; {why}.", capital(held)));
        let known = facts(&[&[held], &[key]]);
        self.note(
            "decision",
            &format!("small:{}", it.ticket),
            asked,
            known,
            &evidence,
            "the choice would be made again",
        );
    }
}

const STUMBLES: &[Stumble] = &[
    Stumble {
        command: "rg -n @f@ src/@slug@/@pkg@",
        before: "",
        raw: "bash: rg: command not \
            found",
        why: "ripgrep is not in this image.",
        remedy: "grep -rn @f@ src/@slug@/@pkg@ | wc \
            -l",
        result: "@n@",
        facts: &["ripgrep|rg", "grep -rn|grep"],
    },
    Stumble {
        command: "git checkout @pkg@/@hex@",
        before: "",
        raw: "error: pathspec '@pkg@/@hex@' \
            did not match any file(s) known to git",
        why: "the branch was only ever on the other \
            remote.",
        remedy: "git fetch -q mirror && git switch -c tmp mirror/@pkg@/@hex@ && git switch -q \
            main",
        result: "Switched to a new branch 'tmp'",
        facts: &["remote|mirror"],
    },
    Stumble {
        command: "psql -h @host@ -d @slug@ -c 'select 1'",
        before: "",
        raw: "psql: error: \
            connection to server at \"@host@\" failed: FATAL:  no pg_hba.conf entry for user \
            \"agent\"",
        why: "the agent's role may only reach the replica.",
        remedy: "psql -h \
            replica.@slug@.example -d @slug@ -c 'select 1'",
        result: " ?column?\n----------\n        1\n\
            (1 row)",
        facts: &["replica"],
    },
    Stumble {
        command: "git pull --rebase",
        before: "",
        raw: "error: cannot pull with rebase: You \
            have unstaged changes in @pkg@ (@n@ lines).",
        why: "my own test was not committed \
            yet.",
        remedy: "git stash -q && git pull -q --rebase && git stash pop -q && git status --short | \
            wc -l",
        result: "2",
        facts: &["stash"],
    },
    Stumble {
        command: "docker compose up -d @pkg@",
        before: "",
        raw: "Error response from daemon: \
            driver failed programming external connectivity: Bind for 0.0.0.0:80@n@ failed: port is already \
            allocated",
        why: "a container of yesterday still held port 80@n@.",
        remedy: "docker rm -f \
            @pkg@_old_@hex@ && docker compose up -d @pkg@",
        result: "@pkg@_old_@hex@\n\
            Container @pkg@  Started",
        facts: &["80@n@", "docker rm|container"],
    },
    Stumble {
        command: "python -m @slug@.tools.check @pkg@",
        before: "Traceback (most recent call \
            last):\n  File \"<frozen runpy>\", line 198, in _run_module_as_main",
        raw: "ModuleNotFoundError: \
            No module named 'psutil_@hex@'",
        why: "the shell was outside the virtual \
            environment.",
        remedy: ". .venv/bin/activate && python -m @slug@.tools.check \
            @pkg@",
        result: "@pkg@: ok, @n@ checks",
        facts: &["virtual environment|venv|activate"],
    },
    Stumble {
        command: "npx tsc --noEmit -p web",
        before: "",
        raw: "error TS2345: Argument of type \
            'string | undefined' is not assignable to parameter of type '@f@'.",
        why: "the generated types \
            were a week old.",
        remedy: "npm run -s types && npx tsc --noEmit -p web",
        result: "types \
            written: @n@",
        facts: &["types"],
    },
    Stumble {
        command: "cp /srv/backup/@pkg@_@hex@.tar.zst /tmp/",
        before: "",
        raw: "cp: error \
            writing '/tmp/@pkg@_@hex@.tar.zst': No space left on device",
        why: "/tmp was full of old core \
            files.",
        remedy: "find /tmp -name 'core.*' -delete && df -h /tmp | tail -1",
        result: "tmpfs   \
            8.0G  0.@n@G  7.3G   8% /tmp",
        facts: &["core"],
    },
    Stumble {
        command: "ssh @host@ uptime",
        before: "",
        raw: "ssh: connect to host @host@ port 22: \
            Connection timed out",
        why: "machines of that kind are only reached over the jump \
            host.",
        remedy: "ssh -J jump.@slug@.example @host@ uptime",
        result: " 09:@n@:01 up 41 days,  2 \
            users,  load average: 0.42, 0.51, 0.47",
        facts: &["jump"],
    },
    Stumble {
        command: "make -C web build",
        before: "",
        raw: "FATAL ERROR: Ineffective mark-compacts \
            near heap limit Allocation failed - JavaScript heap out of memory (@hex@)",
        why: "the build has \
            512 MB in this container.",
        remedy: "NODE_OPTIONS=--max-old-space-size=20@n@ make -C web \
            build",
        result: "built in @n@.2 s",
        facts: &["512|max-old-space-size|memory"],
    },
    Stumble {
        command: "alembic upgrade head",
        before: "",
        raw: "alembic.util.exc.CommandError: \
            Multiple head revisions are present: @hex@, 4f@n@c1",
        why: "two branches had each added a \
            migration.",
        remedy: "alembic merge -m 'join heads' @hex@ 4f@n@c1 && alembic upgrade \
            head",
        result: "Running upgrade @hex@, 4f@n@c1 -> a9@n@7e, join \
            heads",
        facts: &["@hex@", "merge|two branches"],
    },
    Stumble {
        command: "pip install -q @slug@-proto==0.@n@",
        before: "",
        raw: "ERROR: Could not find \
            a version that satisfies the requirement @slug@-proto==0.@n@ (from versions: none)",
        why: "that \
            version is only in the company's own index.",
        remedy: "pip install -q -i \
            https://registry.example/simple @slug@-proto==0.@n@ && pip check",
        result: "No broken \
            requirements found.",
        facts: &["index|registry"],
    },
    Stumble {
        command: "git push origin main",
        before: "",
        raw: "remote: error: GH006: Protected \
            branch update failed for refs/heads/main (@hex@)",
        why: "main takes only merged \
            requests.",
        remedy: "git push -q origin HEAD:refs/heads/agent/@pkg@-@hex@ && ci wait \
            agent/@pkg@-@hex@",
        result: "success (4m@n@s)",
        facts: &["agent/@pkg@-@hex@|merged|protected"],
    },
    Stumble {
        command: "redis-cli -h @host@ get @noun@:@hex@",
        before: "",
        raw: "(error) WRONGTYPE: \
            Operation against a key holding the wrong kind of value @hex@",
        why: "the @noun@ is kept as a \
            hash since last year.",
        remedy: "redis-cli -h @host@ hgetall @noun@:@hex@",
        result: "1) \"@f@\"\n\
            2) \"@n@\"",
        facts: &["hash|hgetall"],
    },
    Stumble {
        command: "curl -s localhost:8080/api/@pkg@/@noun@?at=@hex@ | jq \
            '.data[].@f@'",
        before: "",
        raw: "jq: error (at <stdin>:@n@): Cannot iterate over null \
            (null)",
        why: "without full=1 the answer has a head and no data.",
        remedy: "curl -sf \
            'localhost:8080/api/@pkg@/@noun@?at=@hex@&full=1' | jq '.data | \
            length'",
        result: "@n@",
        facts: &["full=1"],
    },
    Stumble {
        command: "terraform plan -target=module.@pkg@",
        before: "",
        raw: "Error: Error \
            acquiring the state lock (lock @hex@, held for @n@ minutes)",
        why: "a run of the pipeline had \
            been cancelled while it held the lock.",
        remedy: "terraform force-unlock -force @hex@ && \
            terraform plan -target=module.@pkg@ | tail -1",
        result: "No changes. Your infrastructure matches \
            the configuration.",
        facts: &["@hex@", "unlock|cancelled"],
    },
    Stumble {
        command: "openssl s_client -connect @host@:443 -brief \
            </dev/null",
        before: "",
        raw: "verify error: certificate has expired (@hex@)",
        why: "the test \
            certificate of @host@ ran out @n@ days ago.",
        remedy: "make certs \
            HOST=@host@",
        result: "written: certs/@host@.pem (valid 90 \
            days)",
        facts: &["@host@", "certificate|cert"],
    },
    Stumble {
        command: "git cherry-pick @hex@",
        before: "",
        raw: "error: could not apply @hex@... \
            sort the imports of @pkg@",
        why: "that commit was made before the package was sorted \
            anew.",
        remedy: "git cherry-pick --abort; git cherry-pick -X theirs @hex@ && git show --stat | \
            tail -1",
        result: " 1 file changed, @n@ insertions(+)",
        facts: &["theirs|sorted anew"],
    },
];

const SMALL: &[SmallChoice] = &[
    SmallChoice {
        about: "the moment at which the figure is read",
        a: "the start of the process",
        why_a: "reading it for each request cost 3 ms",
        key_a: "3 ms",
        b: "each request",
        why_b: "operations must be able to change it without a restart",
        key_b: "restart",
    },
    SmallChoice {
        about: "the place of the check",
        a: "the database",
        why_a: "two importers go round the service",
        key_a: "importers",
        b: "the service",
        why_b: "the message of the database cannot be translated",
        key_b: "translated",
    },
    SmallChoice {
        about: "the treatment of old rows",
        a: "left as they are",
        why_a: "accounting has closed those months",
        key_a: "accounting",
        b: "brought up to date",
        why_b: "support sees both kinds side by side and gets calls",
        key_b: "support",
    },
    SmallChoice {
        about: "the answer for an unknown id",
        a: "404",
        why_a: "the partner repeats everything on a 200",
        key_a: "repeats",
        b: "an empty list",
        why_b: "the app of the field crew crashes on a 404",
        key_b: "field crew",
    },
    SmallChoice {
        about: "the way the list is sorted",
        a: "by date, newest first",
        why_a: "nine of ten look for today's entry",
        key_a: "nine of ten",
        b: "by name",
        why_b: "the paper list on the wall is by name",
        key_b: "paper list",
    },
    SmallChoice {
        about: "the form of the export's numbers",
        a: "a decimal point",
        why_a: "the importer of the bank knows nothing else",
        key_a: "bank",
        b: "a decimal comma",
        why_b: "people open the file in a spreadsheet first",
        key_b: "spreadsheet",
    },
    SmallChoice {
        about: "the run of the job",
        a: "at 03:20",
        why_a: "the backup is done by 03:10",
        key_a: "backup",
        b: "at 05:40",
        why_b: "the tariffs of the day arrive at 05:30",
        key_b: "05:30",
    },
    SmallChoice {
        about: "the behaviour when the cache is down",
        a: "to go on without it",
        why_a: "it is slower but right",
        key_a: "slower",
        b: "to stop",
        why_b: "last time the database fell over within four minutes",
        key_b: "four minutes",
    },
    SmallChoice {
        about: "the length of the key",
        a: "12 characters",
        why_a: "it has to fit on the small sticker",
        key_a: "sticker",
        b: "20 characters",
        why_b: "the auditor wants no doubles in ten years",
        key_b: "auditor",
    },
    SmallChoice {
        about: "the language of the error text",
        a: "English",
        why_a: "the logs are read by the night shift abroad",
        key_a: "night shift",
        b: "the language of the customer",
        why_b: "customers send us screenshots of it",
        key_b: "screenshots",
    },
    SmallChoice {
        about: "the number of workers",
        a: "one",
        why_a: "order matters and two overtook each other",
        key_a: "overtook",
        b: "three",
        why_b: "on Mondays one does not get through until noon",
        key_b: "Mondays",
    },
    SmallChoice {
        about: "the check of the address",
        a: "only when it is entered",
        why_a: "each look-up costs 2 cents",
        key_a: "2 cents",
        b: "each night",
        why_b: "streets were renamed and letters came back",
        key_b: "letters came back",
    },
    SmallChoice {
        about: "the rounding",
        a: "per line",
        why_a: "the printed lines have to add up",
        key_a: "add up",
        b: "on the sum",
        why_b: "the tax office reckons on the sum",
        key_b: "tax office",
    },
    SmallChoice {
        about: "the fate of a doubled entry",
        a: "to keep the first",
        why_a: "the second is nearly always a double click",
        key_a: "double click",
        b: "to keep the last",
        why_b: "people correct themselves by sending it again",
        key_b: "correct themselves",
    },
    SmallChoice {
        about: "the place of the switch",
        a: "the settings page",
        why_a: "the admins of customers want to do it themselves",
        key_a: "admins",
        b: "the back office",
        why_b: "three customers switched it off by accident",
        key_b: "by accident",
    },
    SmallChoice {
        about: "the sender of the mail",
        a: "no-reply",
        why_a: "the answers went to nobody for a year",
        key_a: "nobody",
        b: "the service desk",
        why_b: "a no-reply address lands among the junk",
        key_b: "junk",
    },
    SmallChoice {
        about: "the source of the date",
        a: "the server's clock",
        why_a: "phones in the field are up to an hour off",
        key_a: "hour off",
        b: "the device's clock",
        why_b: "without a network the server's time is the time of the upload",
        key_b: "upload",
    },
    SmallChoice {
        about: "the handling of a missing price",
        a: "to refuse the row",
        why_a: "a 0 on an invoice costs more than a delay",
        key_a: "delay",
        b: "to take the last known price",
        why_b: "the shop must not stand still at night",
        key_b: "stand still",
    },
    SmallChoice {
        about: "the depth of the log",
        a: "one line for each batch",
        why_a: "a line for each row made 9 GB a day",
        key_a: "9 GB",
        b: "one line for each row",
        why_b: "quality has to follow single rows for 30 days",
        key_b: "30 days",
    },
    SmallChoice {
        about: "the lifetime of the link",
        a: "24 hours",
        why_a: "links were passed on in forums",
        key_a: "forums",
        b: "14 days",
        why_b: "half of the people open it after the weekend",
        key_b: "weekend",
    },
    SmallChoice {
        about: "the width of the column",
        a: "to wrap the text",
        why_a: "cut names led to mix-ups",
        key_a: "mix-ups",
        b: "to cut the text",
        why_b: "the print has to stay on one sheet",
        key_b: "one sheet",
    },
    SmallChoice {
        about: "the reaction to a full queue",
        a: "to refuse new entries",
        why_a: "the sender keeps them safely on its side",
        key_a: "its side",
        b: "to write them to disk",
        why_b: "the old scanners forget what is refused",
        key_b: "scanners",
    },
    SmallChoice {
        about: "the test data",
        a: "made up in the test",
        why_a: "the shared sample changed under three suites",
        key_a: "three suites",
        b: "the shared sample",
        why_b: "only there are the odd cases of the past years",
        key_b: "odd cases",
    },
    SmallChoice {
        about: "the name in the interface",
        a: "the old one",
        why_a: "two partners have it in their contracts",
        key_a: "contracts",
        b: "the new one",
        why_b: "the hotline no longer knows the old one",
        key_b: "hotline",
    },
];
