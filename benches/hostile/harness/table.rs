//! What a request needs and no schema says: fields that exclude each other, values that have to name something, and
//! things that a request uses up. An operation that is not listed is driven from its schema alone.

use serde_json::Value;

/// What a request needs that a request before it has used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fresh {
    /// A name that no session has.
    SessionName,
    Session,
    Compression,
    Key,
    TenantKey,
    Tenant,
    Webhook,
    Constraint,
    /// A branch that stands on erased ones, which go with it.
    LastOfTree,
    /// A current branch with its whole length.
    WholeBranch,
}

/// What stands in a body for a number that is another one in each request, and below what it is. Bodies that are large stay as
/// they are: writing each anew would be the bench's own work.
pub type Numbered = (&'static str, usize);

/// What is special about an operation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entry {
    /// Fields and parameters that are left out.
    pub without: &'static [&'static str],
    /// Fields and parameters that come along where everything that is not required is left out.
    pub with: &'static [&'static str],
    /// Fields and parameters with their values as JSON.
    values: &'static [(&'static str, &'static str)],
    /// What stands in the path instead of the usual: the parameter, and what the attacker calls it.
    pub path: &'static [(&'static str, &'static str)],
    pub fresh: Option<Fresh>,
    pub numbered: Option<Numbered>,
    /// The refusal that is all there is to get, because what would be needed cannot be there.
    pub only: Option<u16>,
}

impl Entry {
    /// Whether a field or a parameter is left out. A branch is, unless it has a value: every operation of a session takes one,
    /// and there is none by an invented name.
    pub fn leaves_out(&self, name: &str) -> bool {
        name == "branch" || self.without.contains(&name)
    }

    /// The value of a field or a parameter.
    pub fn given(&self, name: &str) -> Option<Value> {
        let mut values = self.values.iter().chain(EVERYWHERE);
        let (_, value) = values.find(|(given, _)| *given == name)?;
        serde_json::from_str(value).ok()
    }
}

/// Values for every operation that has them.
const EVERYWHERE: &[(&str, &str)] = &[("Prefer", "\"wait=60\""), ("q", "\"error worker lease port review\"")];

/// The long session that is forked, the branches that it has from the beginning, and a place in it.
const FORKED: &[(&str, &str)] = &[("session_id", "forked")];
pub const BRANCHES: usize = 20;
const ANYWHERE: Option<Numbered> = Some(("7654321", 1_000));

const SEARCH: &str = r#"{"query": "error worker lease port review"}"#;

/// Parameters that narrow what is read, or stand beside others that they exclude.
const NARROWING: &[&str] = &[
    "max_input_tokens", "cache_control", "cursor", "task_id", "parent_session_id", "updated_since",
    "from_seq", "to_seq", "from_line", "to_line", "version", "through_seq", "from", "to", "kind", "status",
    "after", "Last-Event-ID", "If-None-Match", "recap", "style", "words",
];

/// Settings that need a model, or that have to suit each other.
const SETTINGS: &[&str] = &[
    "reserved_output_tokens", "system_tokens", "safety_buffer", "policy", "thresholds", "mask", "tools",
    "fill", "preserve_recent", "preserve_recent_tokens", "min_messages", "auto", "strategy", "engine",
    "model", "summary_model", "exam", "tokenizer", "parent_session_id", "max_summary_tokens",
];

/// Settings that a tenant does not have, besides.
const TENANT_SETTINGS: &[&str] = &[
    "reserved_output_tokens", "system_tokens", "safety_buffer", "policy", "thresholds", "mask", "tools",
    "fill", "preserve_recent", "preserve_recent_tokens", "min_messages", "auto", "strategy", "engine",
    "model", "summary_model", "exam", "tokenizer", "parent_session_id", "max_summary_tokens", "phase",
    "task_id", "critical", "metadata", "user",
];

/// What is special about an operation.
pub fn entry(operation: &str) -> Entry {
    let plain = Entry { without: NARROWING, ..Entry::default() };
    match operation {
        "messages.append" => Entry {
            without: &["expected_next_seq", "max_input_tokens", "cache_control"],
            values: &[("marks", r#"[{"index": 0, "keep": "never"}]"#)],
            path: &[("session_id", "appended")],
            ..plain
        },
        "sessions.put" | "sessions.update" => {
            Entry { without: SETTINGS, path: &[("session_id", "settled")], ..plain }
        }
        "settings.put" | "settings.update" | "tenants.put_settings" | "tenants.update_settings" => {
            Entry { without: TENANT_SETTINGS, ..plain }
        }
        "sessions.delete" => Entry { fresh: Some(Fresh::Session), ..plain },
        "sessions.import" => Entry { fresh: Some(Fresh::SessionName), ..plain },
        "stateless.count_tokens" => Entry { without: &["text"], with: &["messages"], ..plain },
        "recall.search_sessions" => Entry { with: &["user"], ..plain },
        "sessions.list" => Entry { values: &[("metadata", r#""team:support""#)], ..plain },
        "stateless.compress" => Entry {
            without: &["summary_model", "engine"],
            values: &[("target_tokens", "8000"), ("keep", "[]")],
            ..plain
        },
        // Nothing waits there without a model, and replaced pins have other ids each time.
        "stateless.get_compressed"
        | "stateless.delete_compressed"
        | "pins.remove"
        | "pins.remove_shared"
        | "notes.remove"
        | "probes.delete"
        | "requests.close" => Entry { only: Some(404), ..plain },
        "branches.list" => Entry { path: FORKED, ..plain },
        "branches.get" => Entry { path: &[("session_id", "forked"), ("branch", "b7")], ..plain },
        "branches.delete" => Entry { path: FORKED, fresh: Some(Fresh::LastOfTree), ..plain },
        "compressions.create" => Entry {
            without: &["through_seq", "summary_model", "engine", "strategy", "preserve_recent_tokens"],
            values: &[("target", "0.01"), ("preserve_recent", "5")],
            ..plain
        },
        "compressions.cancel" => Entry { fresh: Some(Fresh::Compression), ..plain },
        "constraints.delete" => {
            Entry { fresh: Some(Fresh::Constraint), path: &[("session_id", "child")], ..plain }
        }
        "stateless.preaggregate" => {
            Entry { without: &["expected"], values: &[("threshold_bytes", "0")], ..plain }
        }
        "summaries.rollback" => Entry { path: &[("session_id", "child")], ..plain },
        "keys.revoke" | "keys.rotate" => Entry { fresh: Some(Fresh::Key), ..plain },
        "tenants.revoke_key" | "tenants.rotate_key" => Entry { fresh: Some(Fresh::TenantKey), ..plain },
        "tenants.create" => Entry { values: &[("name", "\"made\"")], without: &["cell"], ..plain },
        "tenants.delete" => Entry { fresh: Some(Fresh::Tenant), ..plain },
        "tenants.update" => Entry {
            without: &["name", "quotas", "retention_days"],
            values: &[("name", "\"scratch\"")],
            ..plain
        },
        // There are as many as there may be, once they are replaced.
        "pins.add" | "pins.add_shared" => Entry { only: Some(422), ..plain },
        // With the arguments of the search, which is the dearest of them.
        "tools.run" => Entry { values: &[("arguments", SEARCH), ("max_tokens", "20000")], ..plain },
        "probes.create" => Entry { values: &[("match", r#"{"kind": "ratio", "ratio": 1}"#)], ..plain },
        // There is no probe of the caller's by an invented id.
        "probes.update" => {
            Entry { values: &[("match", r#"{"kind": "ratio", "ratio": 1}"#)], only: Some(404), ..plain }
        }
        // Every list parts from what is there: a large one from those of other sizes, a small one after its first message.
        "transcript.sync" => {
            Entry { path: &[("session_id", "synced")], numbered: Some((":1000:", usize::MAX)), ..plain }
        }
        // Anywhere in a long session: on the branch that nothing shortens, whichever is the current one. Each name that is
        // given would be taken the second time.
        "branches.create" => Entry {
            without: &["name"],
            values: &[("seq", "7654321"), ("switch", "false"), ("from", "\"main\"")],
            path: FORKED,
            numbered: ANYWHERE,
            ..plain
        },
        "branches.switch" => Entry {
            values: &[("name", "\"b7654321\"")],
            path: FORKED,
            numbered: Some(("7654321", BRANCHES)),
            ..plain
        },
        // Always to the same place: a current branch that another request has shortened ends there, and no earlier.
        "branches.truncate" => {
            Entry { values: &[("seq", "500")], path: FORKED, fresh: Some(Fresh::WholeBranch), ..plain }
        }
        // Each small list is a conversation of its own.
        "gateway.turn" => Entry { numbered: Some(("7654321", usize::MAX)), ..plain },
        "webhooks.delete" => Entry { fresh: Some(Fresh::Webhook), ..plain },
        _ => plain,
    }
}
