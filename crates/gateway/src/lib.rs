//! The gateway: passes agents' requests on to their provider, keeps what was said, and answers compactions.
//!
//! An agent that nobody can rewrite has one knob, the base URL of its model. What it sends goes upstream as it came, and
//! the answer comes back as it arrives; beside that, list and answer are kept in a session.
//!
//! | file | what it has |
//! |---|---|
//! | `forward` | one request from its first byte to the last of its answer |
//! | `caller`, `body` | its key and its body |
//! | `route`, `identity`, `request`, `rules` | what a request is: its path, its session, its conversation, its meaning |
//! | `upstream` | the provider |
//! | `answer`, `keep`, `mark` | what was answered and said, into the session |
//! | `compact` | a request for a compaction |
//! | `held`, `openings`, `pasted`, `render`, `reply`, `item`, `append` | its answer |
//! | `assemble` | the context in the place of a list |
//! | `api` | the API of this process, called as any caller would |
//!
//! Invariant: nothing that was sent before is changed, and nothing waits for the database but an answer of our own.
//! Must not know: SQL, how a summary is made, the environment.

mod answer;
mod api;
mod append;
mod assemble;
mod body;
mod caller;
mod compact;
mod forward;
mod held;
mod identity;
mod item;
mod keep;
mod mark;
mod openings;
mod pasted;
mod render;
mod reply;
mod request;
mod route;
mod rules;
mod upstream;

pub use item::open_item;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use secrecy::SecretString;
use url::Url;

use anchord_http::AppState;
use anchord_http::admission::bodies::Bodies;
use anchord_store::secrets::SecretKeys;
use forward::Gateway;
use keep::Keeper;
use openings::Openings;
use upstream::Upstream;

/// How many of the largest bodies the memory for agents' requests takes.
const LARGEST_BODIES: usize = 5;

/// The configuration of a gateway.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Base URL of Anthropic's API; without it its routes say that it is missing.
    pub anthropic: Option<Url>,
    /// Base URL of OpenAI's API.
    pub openai: Option<Url>,
    /// Whether compactions are answered also where code alone writes the summaries.
    pub answers_by_code: bool,
    /// Whether a request that cannot be kept is refused, so that nothing goes upstream that is not stored.
    pub refuses_unkept: bool,
    /// The key of callers on this machine that send none; `None` when every caller needs one.
    pub keyless: Option<SecretString>,
    /// The keys that seal opaque items.
    pub secrets: SecretKeys,
}

/// The routes of the gateway; `api` is what it keeps sessions in.
///
/// # Errors
/// When the client of the providers cannot be made.
pub fn router(api: Router, state: AppState, config: Config) -> Result<Router, reqwest::Error> {
    let upstream = Upstream::new()?;
    let marks =
        if config.secrets.encrypts() { config.secrets.clone() } else { SecretKeys::of_this_process() };
    let largest = state.limits.body_bytes;
    // Apart from those of the API, so that agents' requests take no room of other calls.
    let bodies = Bodies::new(largest.saturating_mul(LARGEST_BODIES), largest);
    let (keeper, openings) = (Keeper::default(), Openings::default());
    let (known, lent) = (caller::known_callers(), caller::lent());
    let gateway =
        Arc::new(Gateway { api, state, config, upstream, keeper, openings, marks, bodies, known, lent });
    let handle = move |request: Request| Arc::clone(&gateway).handle(request);
    Ok(Router::new().route("/gateway/{*rest}", axum::routing::any(handle)))
}
