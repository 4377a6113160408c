//! What a tenant's key administers: keys, webhooks with their deliveries, settings and where each comes from, quotas.

use askama::Template;
use axum::extract::{Path, Query};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use serde_json::{Value, json};

use super::html;
use crate::PATH;
use crate::fault::Fault;
use crate::view::{Look as _, Page, Paged, count, duration, next, segment, shown, time, with_query, word};
use crate::visit::{Form, OfTenant};

#[derive(Template)]
#[template(path = "operate.html")]
struct Operate {
    page: Page,
    is_admin: bool,
    keys: Vec<Key>,
    webhooks: Vec<Webhook>,
    settings: Vec<Setting>,
    quotas: Vec<Quota>,
    audit: Vec<(String, String, String, String)>,
}

struct Key {
    id: String,
    name: String,
    prefix: String,
    scopes: String,
    used: String,
    ends: String,
    is_over: bool,
    is_own: bool,
}

struct Webhook {
    href: String,
    id: String,
    url: String,
    events: String,
    state: String,
}

/// A setting with where its value comes from.
pub(super) struct Setting {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) from: &'static str,
}

struct Quota {
    name: String,
    used: String,
    limit: String,
    filled: i64,
}

pub(super) async fn show(OfTenant { visit, .. }: OfTenant) -> Result<Response, Fault> {
    let (keys, webhooks, settings, quotas, audit) = futures::try_join!(
        visit.look("/v1/keys?limit=200"),
        visit.look("/v1/webhooks?limit=200"),
        visit.look("/v1/settings"),
        visit.look("/v1/quotas"),
        visit.look("/v1/audit?limit=30"),
    )?;
    html(&Operate {
        page: Page::of(&visit, "operate", "Operate"),
        is_admin: visit.who.can("admin"),
        keys: keys.list("items").iter().rev().map(|one| key(one, &visit.who.id)).collect(),
        webhooks: webhooks.list("items").iter().map(webhook).collect(),
        settings: sourced(settings.under("policy"), &[(settings.under("settings"), "the tenant")]),
        quotas: quotas.list("quotas").iter().map(quota).collect(),
        audit: audit
            .list("items")
            .iter()
            .map(|one| {
                (
                    time(&one.text("created_at")),
                    one.text("action"),
                    one.text("actor"),
                    shown(&one.text("subject"), 60),
                )
            })
            .collect(),
    })
}

fn key(one: &Value, own: &str) -> Key {
    let revoked = one.text("revoked_at");
    let end = if revoked.is_empty() { one.text("expires_at") } else { revoked.clone() };
    Key {
        id: one.text("id"),
        name: shown(&one.text("name"), 60),
        prefix: shown(&one.text("prefix"), 20),
        scopes: one.list("scopes").iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
        used: if one.text("last_used_at").is_empty() {
            "never".to_owned()
        } else {
            time(&one.text("last_used_at"))
        },
        ends: match (revoked.is_empty(), end.is_empty()) {
            (false, _) => format!("revoked {}", time(&end)),
            (true, false) => time(&end),
            (true, true) => "never".to_owned(),
        },
        is_over: !revoked.is_empty(),
        is_own: one.text("id") == own,
    }
}

fn webhook(one: &Value) -> Webhook {
    let events: Vec<&str> = one.list("events").iter().filter_map(Value::as_str).collect();
    let reason = one.text("disabled_reason");
    Webhook {
        href: format!("{PATH}/operate/webhooks/{}", segment(&one.text("id"))),
        id: one.text("id"),
        url: shown(&one.text("url"), 120),
        events: if events.is_empty() { "all".to_owned() } else { events.join(", ") },
        state: match (one.is("enabled"), one.text("failing_since").is_empty()) {
            (false, _) => format!("off: {}", word(&reason)),
            (true, false) => format!("failing since {}", time(&one.text("failing_since"))),
            (true, true) => "on".to_owned(),
        },
    }
}

/// Settings that are in force, each with the first of the layers that has it.
pub(super) fn sourced(policy: &Value, layers: &[(&Value, &'static str)]) -> Vec<Setting> {
    let text = |value: &Value| shown(&value.as_str().map_or_else(|| value.to_string(), str::to_owned), 300);
    let from = |name: &str| {
        let has = |of: &Value| of.get(name).is_some_and(|value| !value.is_null());
        // The policy's name is the setting `policy`.
        let has = |of: &Value| {
            has(of) || has(of.under("thresholds")) || (name == "name" && !of.under("policy").is_null())
        };
        layers.iter().find(|(of, _)| has(of)).map_or("the service", |(_, layer)| layer)
    };
    let mut all: Vec<Setting> = Vec::new();
    let named = policy.as_object();
    for (name, value) in named.into_iter().flatten() {
        let shown_as = if name == "name" { "policy".to_owned() } else { word(name) };
        all.push(Setting { name: shown_as, value: text(value), from: from(name) });
    }
    for (of, layer) in layers {
        for (name, value) in of.as_object().into_iter().flatten() {
            let is_known = value.is_null() || ["thresholds", "policy"].contains(&name.as_str());
            if !is_known && !all.iter().any(|known| known.name == word(name)) {
                all.push(Setting { name: word(name), value: text(value), from: layer });
            }
        }
    }
    all
}

fn quota(one: &Value) -> Quota {
    let number = |key: &str| one.get(key).and_then(Value::as_i64);
    let (used, limit) = (number("used"), number("limit"));
    let text = |n: Option<i64>, without: &str| n.map_or_else(|| without.to_owned(), count);
    Quota {
        name: word(&one.text("quota")),
        used: text(used, "–"),
        limit: text(limit, "none"),
        filled: used
            .zip(limit)
            .map_or(0, |(used, limit)| (used.max(0).saturating_mul(100) / limit.max(1)).min(100)),
    }
}

/// Changes something that a tenant administers, as a form says.
pub(super) async fn change(OfTenant { visit, .. }: OfTenant, form: Form) -> Result<Response, Fault> {
    let one = segment(form.text("id"));
    let webhook = format!("/v1/webhooks/{one}");
    let (method, path, body) = match form.text("do") {
        "revoke-key" => (Method::DELETE, format!("/v1/keys/{one}"), None),
        "test-webhook" => (Method::POST, webhook + "/test", Some(json!({}))),
        "enable-webhook" => (Method::PATCH, webhook, Some(json!({ "enabled": true }))),
        "disable-webhook" => (Method::PATCH, webhook, Some(json!({ "enabled": false }))),
        "redeliver" => {
            let delivery = segment(form.text("delivery"));
            (Method::POST, format!("{webhook}/deliveries/{delivery}/redeliver"), Some(json!({})))
        }
        _ => return Err(Fault::refused(StatusCode::BAD_REQUEST, "No such change", "The form names none.")),
    };
    visit.send(method, path, body).await?;
    Ok(Redirect::to(&form.done(0)).into_response())
}

#[derive(Template)]
#[template(path = "deliveries.html")]
struct Deliveries {
    page: Page,
    webhook: Webhook,
    all: Vec<Delivery>,
    next: String,
}

struct Delivery {
    id: String,
    event: String,
    session: String,
    status: String,
    attempts: i64,
    answer: String,
    took: String,
    at: String,
    can_again: bool,
}

pub(super) async fn deliveries(
    OfTenant { visit, .. }: OfTenant,
    Path(id): Path<String>,
    Query(paged): Query<Paged>,
) -> Result<Response, Fault> {
    let path = format!("/v1/webhooks/{}", segment(&id));
    let listed = with_query(&format!("{path}/deliveries"), &[("limit", "50"), ("cursor", &paged.cursor)]);
    let (found, listed) = futures::try_join!(visit.get(path), visit.get(listed))?;
    let webhook = webhook(&found);
    html(&Deliveries {
        page: Page::of(&visit, "operate", "Deliveries"),
        next: next(&listed, &webhook.href),
        webhook,
        all: listed.list("items").iter().map(delivery).collect(),
    })
}

fn delivery(one: &Value) -> Delivery {
    let code = one.whole("last_status_code");
    let status = one.text("status");
    Delivery {
        id: one.text("id"),
        event: one.text("event"),
        session: shown(&one.text("session_id"), 60),
        attempts: one.whole("attempts"),
        answer: match (code, one.text("last_error")) {
            (0, error) if error.is_empty() => "–".to_owned(),
            (0, error) => word(&error),
            (code, _) => code.to_string(),
        },
        took: duration(one.whole("last_duration_ms")),
        at: time(&one.text("created_at")),
        can_again: status != "pending",
        status,
    }
}
