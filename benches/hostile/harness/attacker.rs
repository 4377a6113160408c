//! The hostile tenant: it makes something of everything that can be in a path, and calls operations as often as its
//! lanes allow.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, bail};
use axum::body::Bytes;
use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::requests::{Operation, Variant};
use super::table::{BRANCHES, Fresh};
use super::{Caller, requests, text};

/// Keys that the tenant's requests take turns with.
const KEYS: usize = 3;
const SCOPES: [&str; 3] = ["read", "write", "admin"];
/// How long an operation may take to be answered when it is called alone.
const PATIENCE: Duration = Duration::from_secs(30);
/// The most bytes of a body that is written anew for each request.
const MOST_NUMBERED: usize = 64 * 1024;
/// How long preparing waits for a compression.
const LONGEST_COMPRESSION: Duration = Duration::from_mins(3);

/// The tenant, with what it has.
#[derive(Debug)]
pub struct Attacker {
    operator: Caller,
    callers: Vec<Caller>,
    /// Its own id.
    tenant: String,
    /// What stands for each parameter of a path, by the parameter's name or by the table's.
    things: HashMap<&'static str, String>,
    constraints: Mutex<Vec<String>>,
    next: AtomicUsize,
}

/// How operations are called.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// Requests at once.
    pub lanes: usize,
    pub time: Duration,
    /// How long a request may go on after that; then the tenant hangs up.
    pub grace: Duration,
}

/// How the requests of one operation ended.
#[derive(Clone, Debug, Default)]
pub struct Driven {
    pub statuses: BTreeMap<u16, u64>,
    /// Requests that had no reply when the tenant hung up.
    pub unanswered: u64,
    /// Requests whose connection broke.
    pub broken: u64,
    variants: BTreeMap<&'static str, Ended>,
}

/// How the requests of one variant ended.
#[derive(Clone, Debug, Default)]
struct Ended {
    /// Whether one was taken, or may have been: a request without a reply may have used up what the others need.
    is_taken: bool,
    /// What the last refusal said.
    told: String,
}

impl Driven {
    /// Whether the operation did what it is for, or could only refuse.
    pub fn is_driven(&self, only: Option<u16>) -> bool {
        // A conflict comes after everything else has been looked at.
        let is_reached = |status: &u16| matches!(status, 200..400 | 409) || only == Some(*status);
        self.statuses.keys().any(is_reached)
    }

    /// The variants that were refused for what they ask, each time, with what was said: they drive nothing.
    pub fn refused(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let refused = self.variants.iter().filter(|(_, ended)| !ended.is_taken);
        refused.map(|(name, ended)| (*name, ended.told.as_str()))
    }

    /// The statuses with how often each came.
    pub fn brief(&self) -> String {
        let mut parts: Vec<String> =
            self.statuses.iter().map(|(status, count)| format!("{status}×{count}")).collect();
        if self.unanswered > 0 {
            parts.push(format!("hung up×{}", self.unanswered));
        }
        if self.broken > 0 {
            parts.push(format!("broken×{}", self.broken));
        }
        parts.join(" ")
    }
}

impl Attacker {
    /// Makes the tenant and what it needs; `operations` has the largest batches.
    pub async fn prepare(name: &str, operator: &Caller, operations: &[Operation]) -> anyhow::Result<Self> {
        let (tenant, key) = make_tenant(operator, name).await?;
        let mut callers = vec![operator.with_key(&key)];
        for _ in 1..KEYS {
            let made = operator
                .post(&format!("/v1/admin/tenants/{tenant}/keys"), &json!({"scopes": SCOPES}))
                .await?;
            callers.push(operator.with_key(text(&made, "/key")?));
        }
        let (scratch, _) = make_tenant(operator, &format!("{name}-scratch")).await?;
        let mut attacker = Self {
            operator: operator.clone(),
            callers,
            tenant,
            things: HashMap::from([
                ("tenant_id", scratch),
                ("session_id", "main".to_owned()),
                ("task_id", "task".to_owned()),
                ("version", "1".to_owned()),
                ("name", "gpt-4o".to_owned()),
                ("tool", "search_past".to_owned()),
                ("note_id", "n7".to_owned()),
                ("pin_id", format!("pin_{:016x}", 7)),
                ("compression_id", format!("cmp_{:032x}", 7)),
                ("probe_id", format!("prb_{:032x}", 7)),
                ("seq", "7".to_owned()),
            ]),
            constraints: Mutex::default(),
            next: AtomicUsize::new(0),
        };
        attacker.fill_sessions(operations).await?;
        attacker.fill_tenant().await?;
        Ok(attacker)
    }

    async fn fill_sessions(&mut self, operations: &[Operation]) -> anyhow::Result<()> {
        let caller = self.callers.first().context("a key")?.clone();
        let appends = operations.iter().find(|operation| operation.id == "messages.append");
        let batches = &appends.context("messages.append")?.variants;
        let batch = |name: &str| {
            let variant = batches.iter().find(|variant| variant.name == name);
            variant.with_context(|| format!("no batch {name}"))
        };
        for session in ["main", "settled", "appended", "parent", "child", "forked"] {
            // The largest window, so that a context has as much as there is.
            let settings = json!({"context_window": 10_000_000, "auto": false, "task_id": "task"});
            caller.put(&format!("/v1/sessions/{session}"), &settings).await?;
            let batches = match session {
                "main" => ["many", "large"].as_slice(),
                "forked" => &["many"],
                _ => &["modest"],
            };
            for name in batches {
                let request = caller.request(Method::POST, &format!("/v1/sessions/{session}/messages"));
                let request =
                    request.header("content-type", "application/json").body(batch(name)?.body.clone());
                let reply = request.send().await?;
                if !reply.status().is_success() {
                    bail!("an append of {name} to {session}: {} {}", reply.status(), reply.text().await?);
                }
            }
        }
        for number in 0..BRANCHES {
            caller.post("/v1/sessions/forked/branches", &json!({"name": format!("b{number}")})).await?;
        }
        // What the batches do not have: an output with a placeholder, and demands.
        let demands: Vec<String> =
            (0..50).map(|number| format!("You must always keep port {} open.", 8_000 + number)).collect();
        let call = json!({"id": "call_marked", "type": "function",
                          "function": {"name": "bash", "arguments": "{\"command\":\"ls\"}"}});
        let marked = json!({"messages": [
            {"role": "user", "content": demands.join(" ")},
            {"role": "assistant", "content": "I run it.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_marked", "content": requests::text(4_000, 7)},
            {"role": "user", "content": "Go on."}, {"role": "assistant", "content": "I do."}],
            "marks": [{"index": 2, "keep": "never"}]});
        for session in ["main", "child"] {
            caller.post(&format!("/v1/sessions/{session}/messages"), &marked).await?;
        }
        let context = caller.get("/v1/sessions/main/context").await?;
        self.things.insert("ref", text(&context, "/masked/0/ref")?.to_owned());
        for session in ["child", "parent", "main"] {
            let wanted = json!({"target": 0.01, "preserve_recent": 2});
            let done = compressed(&caller, session, &wanted).await?;
            if text(&done, "/status")? != "succeeded" {
                bail!("the compression of {session}: {done}");
            }
            self.things.insert("compression_id", text(&done, "/id")?.to_owned());
        }
        let evaluation = caller.post("/v1/sessions/main/evaluations", &json!({})).await?;
        self.things.insert("evaluation_id", text(&evaluation, "/id")?.to_owned());
        self.constraints = Mutex::new(constraints(&caller).await?);
        Ok(())
    }

    async fn fill_tenant(&mut self) -> anyhow::Result<()> {
        let caller = self.callers.first().context("a key")?;
        // A tenth of the window is as large as the pins of all sessions may be.
        caller.put("/v1/settings", &json!({"context_window": 1_200_000})).await?;
        let webhook = caller.post("/v1/webhooks", &json!({"url": "https://example.com/"})).await?;
        let webhook = text(&webhook, "/webhook/id")?.to_owned();
        let delivery = caller.call(Method::POST, &format!("/v1/webhooks/{webhook}/test"), None).await?;
        self.things.insert("delivery_id", text(&delivery, "/id")?.to_owned());
        self.things.insert("webhook_id", webhook);
        let key = caller.post("/v1/keys", &json!({"scopes": ["read"]})).await?;
        self.things.insert("key_id", text(&key, "/id")?.to_owned());
        Ok(())
    }

    /// Calls operations in turns, and each of their requests at least once.
    pub async fn drive(&self, operations: &[&Operation], Turn { lanes, time, grace }: Turn) -> Vec<Driven> {
        let requests: Vec<(usize, &Operation, &Variant)> = (0..)
            .zip(operations)
            .flat_map(|(place, operation)| {
                operation.variants.iter().map(move |variant| (place, *operation, variant))
            })
            .collect();
        let driven = Mutex::new(vec![Driven::default(); operations.len()]);
        let (taken, end) = (AtomicUsize::new(0), Instant::now() + time);
        let lane = async || {
            loop {
                let turn = taken.fetch_add(1, Ordering::Relaxed);
                let Some((place, operation, variant)) = requests.get(turn % requests.len().max(1)) else {
                    return;
                };
                if turn >= requests.len() && Instant::now() >= end {
                    return;
                }
                // A request that begins late has its time as well.
                let latest = end.max(Instant::now()) + grace;
                let ended = timeout_at(latest, self.send(operation, variant, latest - grace)).await;
                let mut driven = driven.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(driven) = driven.get_mut(*place) else { return };
                let of_variant = driven.variants.entry(variant.name).or_default();
                of_variant.is_taken |= !matches!(&ended, Ok(Ok((status, _))) if is_refusal(*status));
                match ended {
                    Ok(Ok((status, told))) => {
                        of_variant.told = told;
                        *driven.statuses.entry(status).or_default() += 1;
                    }
                    Ok(Err(_)) => driven.broken += 1,
                    Err(_) => driven.unanswered += 1,
                }
            }
        };
        join_all((0..lanes).map(|_| lane())).await;
        driven.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls an operation by itself until it does what it is for: after everything at once, an attack may have been
    /// answered with refusals alone. Gives the last refusal.
    pub async fn reach(&self, operation: &Operation) -> Driven {
        let (latest, mut last) = (Instant::now() + PATIENCE, Driven::default());
        // The smallest requests come last.
        for variant in operation.variants.iter().rev().cycle() {
            if last.is_driven(operation.entry.only) || Instant::now() > latest {
                break;
            }
            let soon = Instant::now() + Duration::from_millis(100);
            if let Ok(Ok((status, _))) = timeout_at(latest, self.send(operation, variant, soon)).await {
                last.statuses = BTreeMap::from([(status, 1)]);
            }
        }
        last
    }

    /// Sends a request and reads its reply to the end, a stream's until a moment; gives the status, and the text of a refusal.
    async fn send(
        &self,
        operation: &Operation,
        variant: &Variant,
        until: Instant,
    ) -> anyhow::Result<(u16, String)> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let own = self.callers.get(number % self.callers.len()).context("a key")?;
        let caller = if operation.is_operators { &self.operator } else { own };
        let path = self.path(operation, number, own).await;
        let mut request = caller.request(operation.method.clone(), &format!("{path}{}", variant.query));
        for (name, value) in &variant.headers {
            request = request.header(name, value);
        }
        if operation.method == Method::POST {
            request = request.header("idempotency-key", format!("{number:0>255}"));
        }
        if let Some(media_type) = &variant.media_type {
            request = request.header("content-type", media_type).body(numbered(operation, variant, number));
        }
        let mut reply = request.send().await?;
        let (status, is_stream) = (reply.status().as_u16(), is_stream(&reply));
        let mut told = Vec::new();
        let rest = async {
            while let Some(chunk) = reply.chunk().await? {
                if is_refusal(status) {
                    told.extend_from_slice(&chunk);
                }
            }
            anyhow::Ok(())
        };
        if is_stream {
            let _ = timeout_at(until, rest).await;
        } else {
            rest.await?;
        }
        Ok((status, String::from_utf8_lossy(&told).into_owned()))
    }

    /// The operation's path with ids in it.
    async fn path(&self, operation: &Operation, number: usize, caller: &Caller) -> String {
        let mut path = operation.path.clone();
        if let Some(fresh) = operation.entry.fresh {
            // Where nothing new can be made any more, the usual thing takes its place.
            if let Ok(ids) = self.make(fresh, number, caller).await {
                for (name, id) in ids {
                    path = path.replace(&format!("{{{name}}}"), &id);
                }
            }
        }
        for (name, called) in operation.entry.path {
            let thing = self.things.get(called).map_or(*called, String::as_str);
            path = path.replace(&format!("{{{name}}}"), thing);
        }
        for (name, thing) in &self.things {
            path = path.replace(&format!("{{{name}}}"), thing);
        }
        path
    }

    /// Makes what a request uses up; gives parameters of the path.
    async fn make(
        &self,
        fresh: Fresh,
        number: usize,
        caller: &Caller,
    ) -> anyhow::Result<Vec<(&'static str, String)>> {
        let name = format!("fresh-{number}");
        Ok(match fresh {
            Fresh::SessionName => vec![("session_id", name)],
            Fresh::Session => {
                let messages = json!({"messages": [{"role": "user", "content": requests::text(8_000, 0)}]});
                caller.post(&format!("/v1/sessions/{name}/messages"), &messages).await?;
                vec![("session_id", name)]
            }
            Fresh::Compression => {
                let messages: Vec<Value> = (0..40)
                    .map(|place| json!({"role": "user", "content": requests::text(2_000, place * 100)}))
                    .collect();
                caller.post(&format!("/v1/sessions/{name}/messages"), &json!({"messages": messages})).await?;
                let path = format!("/v1/sessions/{name}/compressions");
                let request = caller.request(Method::POST, &path).header("content-type", "application/json");
                let reply = request.body(r#"{"target": 0.01}"#).send().await?.bytes().await?;
                let reply: Value = serde_json::from_slice(&reply)?;
                vec![("session_id", name), ("compression_id", text(&reply, "/id")?.to_owned())]
            }
            Fresh::Key => {
                let made = caller.post("/v1/keys", &json!({"scopes": ["read"]})).await?;
                vec![("key_id", text(&made, "/id")?.to_owned())]
            }
            Fresh::TenantKey => {
                let tenant = self.things.get("tenant_id").context("a tenant")?;
                let path = format!("/v1/admin/tenants/{tenant}/keys");
                let made = self.operator.post(&path, &json!({"scopes": ["read"]})).await?;
                vec![("key_id", text(&made, "/id")?.to_owned())]
            }
            Fresh::Tenant => vec![("tenant_id", make_tenant(&self.operator, &name).await?.0)],
            Fresh::Webhook => vec![("webhook_id", self.webhook(caller).await?)],
            Fresh::LastOfTree => {
                let mut from = "main".to_owned();
                for depth in 0..3 {
                    let branch = format!("{name}-{depth}");
                    let fork = if depth == 0 {
                        json!({"name": branch, "from": from, "seq": number % 1_000})
                    } else {
                        json!({"name": branch, "from": from})
                    };
                    caller.post("/v1/sessions/forked/branches", &fork).await?;
                    let messages =
                        json!({"messages": [{"role": "user", "content": requests::text(2_000, depth)}]});
                    caller.post(&format!("/v1/sessions/forked/messages?branch={branch}"), &messages).await?;
                    from = branch;
                }
                for depth in 0..2 {
                    let path = format!("/v1/sessions/forked/branches/{name}-{depth}");
                    caller.call(Method::DELETE, &path, None).await?;
                }
                vec![("branch", from)]
            }
            Fresh::WholeBranch => {
                let branch = json!({"name": format!("b{}", number % BRANCHES)});
                caller.put("/v1/sessions/forked/current-branch", &branch).await?;
                Vec::new()
            }
            Fresh::Constraint => vec![("constraint_id", self.constraint(caller).await?)],
        })
    }

    /// A constraint that no request has taken yet, or one that outlived the request that did.
    async fn constraint(&self, caller: &Caller) -> anyhow::Result<String> {
        let next = || self.constraints.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(id) = next() {
            return Ok(id);
        }
        let left = constraints(caller).await?;
        self.constraints.lock().unwrap_or_else(PoisonError::into_inner).extend(left);
        next().context("no constraint is left")
    }

    /// A new webhook, or one of those that take up all the room there is.
    async fn webhook(&self, caller: &Caller) -> anyhow::Result<String> {
        let made = caller.post("/v1/webhooks", &json!({"url": "https://example.com/"})).await;
        if let Ok(made) = made {
            return Ok(text(&made, "/webhook/id")?.to_owned());
        }
        let listed = caller.get("/v1/webhooks?limit=1000").await?;
        let items = listed.get("items").and_then(Value::as_array).context("items")?;
        let mut ids = items.iter().filter_map(|item| item.get("id")?.as_str());
        let kept = self.things.get("webhook_id").map(String::as_str);
        Ok(ids.find(|id| Some(*id) != kept).context("no webhook is left")?.to_owned())
    }

    /// Whether the tenant can work again within a time: until then what it had begun and hung up on may have its share.
    pub async fn verify(&self, within: Duration) -> anyhow::Result<()> {
        let latest = Instant::now() + within;
        loop {
            match self.work().await {
                Err(_) if Instant::now() < latest => tokio::time::sleep(Duration::from_millis(200)).await,
                worked => return worked,
            }
        }
    }

    async fn work(&self) -> anyhow::Result<()> {
        let caller = self.callers.first().context("a key")?;
        let messages = json!({"messages": [{"role": "user", "content": "Is anybody there?"}]});
        caller.post("/v1/sessions/afterwards/messages", &messages).await?;
        caller.get("/v1/sessions/afterwards/context").await?;
        compressed(caller, "afterwards", &json!({"target": 0.01})).await?;
        self.operator.get(&format!("/v1/admin/tenants/{}", self.tenant)).await?;
        Ok(())
    }
}

/// A request's body, in which a number is its own.
fn numbered(operation: &Operation, variant: &Variant, number: usize) -> Bytes {
    let Some((mark, below)) = operation.entry.numbered.filter(|_| variant.body.len() <= MOST_NUMBERED) else {
        return variant.body.clone();
    };
    // Far apart from one request to the next.
    let number = number.wrapping_mul(7_919) % below;
    String::from_utf8_lossy(&variant.body).replacen(mark, &number.to_string(), 1).into()
}

/// Whether a status says that the request itself cannot be taken.
fn is_refusal(status: u16) -> bool {
    matches!(status, 400 | 422)
}

fn is_stream(reply: &reqwest::Response) -> bool {
    let kind = reply.headers().get("content-type").and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}

/// Makes a tenant with a key; gives its id and the key.
pub async fn make_tenant(operator: &Caller, name: &str) -> anyhow::Result<(String, String)> {
    let tenant = operator.post("/v1/admin/tenants", &json!({"name": name})).await?;
    let tenant = text(&tenant, "/id")?.to_owned();
    // So that its agents need no other key.
    let lent = json!({"provider_keys": {"openai": "sk-of-the-provider"}});
    operator.call(Method::PATCH, &format!("/v1/admin/tenants/{tenant}"), Some(&lent)).await?;
    let key = operator.post(&format!("/v1/admin/tenants/{tenant}/keys"), &json!({"scopes": SCOPES})).await?;
    Ok((tenant, text(&key, "/key")?.to_owned()))
}

/// The ids of the constraints that there are.
async fn constraints(caller: &Caller) -> anyhow::Result<Vec<String>> {
    let summary = caller.get("/v1/sessions/child/summary").await?;
    let facts = summary.get("constraints").and_then(Value::as_array).context("constraints")?;
    Ok(facts.iter().filter_map(|fact| fact.get("id")?.as_str()).map(str::to_owned).collect())
}

/// Compresses a session and waits for the end.
async fn compressed(caller: &Caller, session: &str, wanted: &Value) -> anyhow::Result<Value> {
    let path = format!("/v1/sessions/{session}/compressions");
    let mut done = caller.post(&path, wanted).await?;
    let latest = Instant::now() + LONGEST_COMPRESSION;
    while done.get("finished_at").is_none_or(Value::is_null) && text(&done, "/status")? != "skipped" {
        if Instant::now() > latest {
            bail!("a compression of {session} does not end: {done}");
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
        done = caller.get(&format!("{path}/{}", text(&done, "/id")?)).await?;
    }
    Ok(done)
}
