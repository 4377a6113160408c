//! Work items that resize, move and retire servers.

use super::super::frames::INFRA_TESTS;
use super::super::prose::{BEFORE_RECORD, LOOKING};
use super::super::spelling::{capital, euros, facts, pretty};
use super::super::texts::server_lines;
use super::super::words::{REGIONS, SIZES};
use super::super::{Item, Server, World};
use super::prose::{
    ASK_MOVE, ASK_RESIZE, ASK_RETIRE, DONE_RETIRE, DONE_SERVER, ELSEWHERE, OVER_LIMIT, RAISED, SOLD_OUT,
};
use serde_json::{Value, json};

impl World {
    /// A server as the platform's tools show it.
    fn server_json(&self, at: usize) -> Value {
        let s = &self.servers[at];
        json!({"id": s.id, "name": s.name, "role": s.role, "region": s.region,
            "size": SIZES[s.size].0, "monthly_eur": euros(s.price), "state": if s.gone { "retired" } else { "running" }})
    }

    /// One of some records, now and then one that an earlier item changed.
    pub(super) fn again_or_any(&mut self, prefix: &str, among: &[usize]) -> usize {
        let id = |at: usize| if prefix == "server:" { &self.servers[at].id } else { &self.customers[at].id };
        let known =
            |at: &usize| self.notes.iter().any(|n| n.key.strip_prefix(prefix) == Some(id(*at).as_str()));
        let again: Vec<usize> = among.iter().copied().filter(known).collect();
        if !again.is_empty() && self.dice.chance(35) { self.dice.pick(&again) } else { self.dice.pick(among) }
    }

    /// Resizes, moves or retires a server.
    pub(super) fn server_item(&mut self, mut it: Item) {
        let open: Vec<usize> =
            (0..self.servers.len()).filter(|&s| !self.servers[s].gone && !self.servers[s].pinned).collect();
        let at = self.again_or_any("server:", &open);
        let retire = open.len() > 9 && self.dice.chance(16);
        let before = self.servers[at].clone();
        let mut size = before.size;
        while size == before.size {
            size = self.dice.range(before.size.saturating_sub(2), (before.size + 2).min(SIZES.len() - 1));
        }
        let mut region = if self.dice.chance(40) { self.dice.pick(REGIONS) } else { before.region };
        let price = SIZES[size].1 + self.dice.below(12) * 100;
        it.title = if retire {
            format!("retire {}", before.name)
        } else {
            format!("{} to {}", before.name, SIZES[size].0)
        };
        let (disk, who, top) = (self.num(81, 97), self.other().name, euros(price + 2500 - price % 500));
        let with = [
            ("server", before.name.as_str()),
            ("size", SIZES[size].0),
            ("region", region),
            ("disk", &disk),
            ("top", &top),
            ("who", &who),
        ];
        let frames = if retire {
            ASK_RETIRE
        } else if region == before.region {
            ASK_RESIZE
        } else {
            ASK_MOVE
        };
        let body = self.tell(frames, &with);
        let mut evidence = vec![self.ask(&it, &body)];
        self.list_servers();
        self.wander(&it, 50);
        if !retire && self.dice.chance(36) {
            region = self.refused(at, size, region, &mut evidence);
        }
        let s = &mut self.servers[at];
        if retire {
            s.gone = true;
        } else {
            (s.size, s.region, s.price) = (size, region, price);
        }
        let arguments = if retire {
            json!({"id": before.id, "state": "retired"})
        } else {
            json!({"id": before.id, "size": SIZES[size].0, "region": region})
        };
        let total = euros(self.spend());
        let answer = json!({"ok": true, "server": self.server_json(at), "monthly_total_eur": total});
        let text = self.thought(BEFORE_RECORD, &[]);
        let step = self.call(&text, "infra_change_server", arguments, pretty(&answer));
        evidence.extend([step.ask, step.got]);
        self.settle_server(&it, at, &before, evidence);
    }

    /// The agent looks at the register and at the files beside it.
    fn list_servers(&mut self) {
        let running = (0..self.servers.len()).filter(|&s| !self.servers[s].gone);
        let list: Vec<Value> = running.map(|s| self.server_json(s)).collect();
        let answer = json!({"servers": list, "monthly_total_eur": euros(self.spend())}).to_string();
        self.text_of("infra/servers.toml");
        let text = self.thought(LOOKING, &[]);
        self.call(&text, "infra_list_servers", json!({}), answer);
        self.read_all("", &["infra/servers.toml", "infra/budget.toml"]);
    }

    /// Brings files and budget in line after a server was changed, and notes its last state.
    fn settle_server(&mut self, it: &Item, at: usize, before: &Server, mut evidence: Vec<usize>) {
        let changed = *evidence.last().unwrap_or(&0);
        self.inventory(at, before, it);
        self.wander(it, 78);
        self.local_choice(it, self.focus);
        self.commit(it, &capital(&it.title));
        let now = self.servers[at].clone();
        let (total, price) = (euros(self.spend()), euros(now.price));
        let with = [
            ("server", now.name.as_str()),
            ("id", &now.id),
            ("size", SIZES[now.size].0),
            ("region", now.region),
            ("price", &price),
            ("total", &total),
        ];
        let done = self.tell(if now.gone { DONE_RETIRE } else { DONE_SERVER }, &with);
        let told = self.report(it, &done);
        evidence.push(told);
        self.note_server(&now, &evidence);
        let question = "What do all servers together cost a month after the last change to them?".to_owned();
        let asked = (question, format!("{total} EUR a month, the limit is {} EUR.", self.spend_limit));
        self.note(
            "recall",
            "spend",
            asked,
            facts(&[&[&total]]),
            &[changed, told],
            "the limit would be passed unseen",
        );
    }

    /// The platform refuses a size in a region; the person names another region.
    fn refused(
        &mut self,
        at: usize,
        size: usize,
        region: &'static str,
        evidence: &mut Vec<usize>,
    ) -> &'static str {
        let id = self.servers[at].id.clone();
        let message = format!("{} is sold out in {region}", SIZES[size].0);
        let raw = json!({"ok": false, "error": "size_unavailable", "message": message}).to_string();
        let step = self.call(
            "",
            "infra_change_server",
            json!({"id": id, "size": SIZES[size].0, "region": region}),
            raw.clone(),
        );
        self.error("size_unavailable", &message, &raw, step);
        let mut next = region;
        while next == region {
            next = self.dice.pick(REGIONS);
        }
        let text = self.tell(SOLD_OUT, &[("size", SIZES[size].0), ("region", region), ("next", next)]);
        self.agent(&text);
        let text = self.tell(ELSEWHERE, &[("next", next), ("size", SIZES[size].0)]);
        evidence.push(self.user(&text));
        next
    }

    /// Brings the inventory file in line with the register: the tests fail first.
    fn inventory(&mut self, at: usize, before: &Server, it: &Item) {
        let now = self.servers[at].clone();
        let (have, want) = (format!("'{}'", SIZES[before.size].0), format!("'{}'", SIZES[now.size].0));
        let line = if now.gone || have == want {
            format!("assert {} == {}", self.servers.len(), self.servers.len() - 1)
        } else {
            format!("assert {have} == {want}")
        };
        self.small_pytest("infra", "test_inventory.py", INFRA_TESTS, Some((INFRA_TESTS[1], &line)));
        let (old, new) = (server_lines(before), server_lines(&now));
        if now.gone {
            let block =
                format!("\n[servers.{}]\nid = \"{}\"\nrole = \"{}\"\n{old}", now.name, now.id, now.role);
            self.edit("", "infra/servers.toml", &block, "");
        } else {
            self.edit("", "infra/servers.toml", &old, &new);
        }
        if self.spend() > self.spend_limit * 100 {
            self.raise_limit();
        }
        self.stumble(it, self.focus);
        self.small_pytest("infra", "test_inventory.py", INFRA_TESTS, None);
    }

    /// The servers cost more than the budget allows: someone agrees to a higher limit.
    fn raise_limit(&mut self) {
        let (sum, limit) = (self.spend(), self.spend_limit);
        let line = format!("assert {} <= {limit}", euros(sum));
        self.small_pytest("infra", "test_inventory.py", INFRA_TESTS, Some((INFRA_TESTS[3], &line)));
        let text = self.tell(OVER_LIMIT, &[("sum", &euros(sum)), ("limit", &limit.to_string())]);
        self.agent(&text);
        let raised = (sum / 10_000 * 100 + 100 + self.dice.below(3) * 50).to_string();
        let who = self.other().name;
        let text = self.tell(RAISED, &[("limit", &raised), ("who", &who)]);
        let said = self.user(&text);
        self.spend_limit = raised.parse().unwrap_or(limit);
        let step =
            self.edit("", "infra/budget.toml", &format!("limit = {limit}"), &format!("limit = {raised}"));
        let question = "What may the servers cost a month at most now, and who agreed to that?".to_owned();
        let asked = (question, format!("{raised} EUR a month; {who} agreed."));
        let known = facts(&[&[&raised], &[&who]]);
        self.note(
            "decision",
            "limit",
            asked,
            known,
            &[said, step.ask],
            "the next server would break the budget",
        );
    }

    /// Notes the last state of a server.
    fn note_server(&mut self, s: &Server, evidence: &[usize]) {
        let key = format!("server:{}", s.id);
        let need = "a wrong machine or price would be reported";
        if s.gone {
            let asked =
                (format!("What became of server {} ({})?", s.name, s.id), "It was retired.".to_owned());
            return self.note("recall", &key, asked, facts(&[&["retired"]]), evidence, need);
        }
        let (size, price) = (SIZES[s.size].0, euros(s.price));
        let question = format!(
            "Which size does server {} ({}) have now, in which region does it stand and what does it cost a month?",
            s.name, s.id
        );
        let asked = (question, format!("{size} in {}, {price} EUR a month.", s.region));
        self.note("recall", &key, asked, facts(&[&[size], &[s.region], &[&price]]), evidence, need);
    }
}
