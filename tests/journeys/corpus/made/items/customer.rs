//! Work items that change the terms of customers.

use super::super::frames::TERM_TESTS;
use super::super::prose::{BEFORE_RECORD, LOOKING, MAILS};
use super::super::spelling::{euros, facts, pretty};
use super::super::words::{BILLING, PLACES};
use super::super::{Customer, Item, World};
use super::prose::{ASK_CUSTOMER, DONE_CUSTOMER, SEATS_AFTER_ALL};
use serde_json::{Value, json};

impl World {
    /// A customer as the platform's tools show it.
    fn customer_json(&self, at: usize) -> Value {
        let c = &self.customers[at];
        json!({"id": c.id, "name": c.name, "plan": self.theme.plans[c.plan],
            "seats": c.seats, "monthly_eur": euros(c.price), "billing": c.billing, "contact": c.contact})
    }

    /// Changes a customer's plan, seats and terms.
    pub(super) fn customer_item(&mut self, mut it: Item) {
        let all: Vec<usize> = (0..self.customers.len()).collect();
        let at = self.again_or_any("customer:", &all);
        let before = self.customers[at].clone();
        self.text_of("config/customers.toml");
        let plan = (before.plan + self.dice.range(1, 3)) % 4;
        let mut seats = self.dice.range(4, 90);
        let billing = self.dice.pick(BILLING);
        let off = self.dice.range(2, 6) * 5;
        it.title = format!("terms of {}", before.name);
        let with = [
            ("cust", before.name.as_str()),
            ("plan", self.theme.plans[plan]),
            ("seats", &seats.to_string()),
            ("billing", billing),
            ("off", &off.to_string()),
            ("who", &before.contact),
        ];
        let body = self.tell(ASK_CUSTOMER, &with);
        if self.dice.chance(45) {
            let (n, place) = (self.num(2, 30), self.draw(PLACES));
            let mail =
                [("cust", before.name.as_str()), ("who", &before.contact), ("n", &n), ("place", place)];
            it.paste = self.tell(MAILS, &mail);
        }
        let mut evidence = vec![self.ask(&it, &body)];
        let found = json!({"matches": [self.customer_json(at)]}).to_string();
        let text = self.thought(LOOKING, &[]);
        self.call(&text, "crm_find_customer", json!({"name": before.name}), found);
        self.wander(&it, 40);
        self.read("", "config/customers.toml");
        if self.dice.chance(30) {
            seats = self.dice.range(4, 90);
            let with = [
                ("seats", seats.to_string()),
                ("cust", before.name.clone()),
                ("who", before.contact.clone()),
            ];
            let text = self.tell(SEATS_AFTER_ALL, &with.each_ref().map(|(k, v)| (*k, v.as_str())));
            evidence.push(self.user(&text));
        }
        let c = &mut self.customers[at];
        (c.plan, c.seats, c.billing) = (plan, seats, billing);
        c.price = seats * (900 + plan * 700) * (100 - off) / 100;
        let arguments = json!({
            "id": before.id, "plan": self.theme.plans[plan], "seats": seats, "billing": billing, "discount_percent": off,
        });
        let answer = pretty(&json!({"ok": true, "customer": self.customer_json(at)}));
        let text = self.thought(BEFORE_RECORD, &[]);
        let step = self.call(&text, "crm_update_customer", arguments, answer);
        evidence.extend([step.ask, step.got]);
        self.settle_customer(&it, at, &before, evidence);
    }

    /// Brings the file of overrides in line after a customer was changed, and notes the last state.
    fn settle_customer(&mut self, it: &Item, at: usize, before: &Customer, mut evidence: Vec<usize>) {
        let now = self.customers[at].clone();
        let plan = self.theme.plans[now.plan];
        let line = format!("assert '{}' == '{plan}'", self.theme.plans[before.plan]);
        self.small_pytest("terms", "test_overrides.py", TERM_TESTS, Some((TERM_TESTS[2], &line)));
        let (old, new) = (self.customer_lines(before), self.customer_lines(&now));
        self.edit("", "config/customers.toml", &old, &new);
        let package = self.free_package();
        self.stumble(it, package);
        self.small_pytest("terms", "test_overrides.py", TERM_TESTS, None);
        self.wander(it, 76);
        self.local_choice(it, package);
        self.commit(it, &format!("New {}", it.title));
        let (seats, price) = (now.seats.to_string(), euros(now.price));
        let with = [
            ("cust", now.name.as_str()),
            ("plan", plan),
            ("seats", &seats),
            ("price", &price),
            ("billing", now.billing),
            ("id", &now.id),
        ];
        let done = self.tell(DONE_CUSTOMER, &with);
        evidence.push(self.report(it, &done));
        let (name, id) = (&now.name, &now.id);
        let question =
            format!("Which plan is {name} ({id}) on now, with how many seats and at which monthly price?");
        let asked =
            (question, format!("{plan}, {seats} seats, {price} EUR a month, billed {}.", now.billing));
        let known = facts(&[&[plan], &[&seats], &[&price]]);
        self.note("recall", &format!("customer:{id}"), asked, known, &evidence, "a wrong invoice");
    }
}
