//! The console: pages that show what an agent sees, rendered here from the API of the same process.
//!
//! | file | what it has |
//! |---|---|
//! | `visit` | who is signed in: the cookie, where a change may come from, calls of the API in that key's name |
//! | `api` | the API of this process |
//! | `fault` | what a page says when a call is refused |
//! | `view` | how texts, figures and times are shown |
//! | `entry`, `message` | what of a record and of a message is shown |
//! | `done` | what a form did, told on the page that it leads to |
//! | `due` | whether the next call is compressed at once |
//! | `full` | how full a session is, in one figure for all pages |
//! | `served` | how a context has each message |
//! | `chart` | charts, as SVG |
//! | `compare`, `lost`, `whereabouts` | what two contexts have in common, what a context lacks, where a text is and with which version it went |
//! | `pages` | the pages, one file for each |
//!
//! Invariant: everything that a page shows or changes is a call of the API under the signed-in key, so that nobody sees or does more
//! here than by the API. Whatever a session holds is text: it is escaped, and nothing of it becomes markup, a link or a style.
//! Must not know: SQL, how a summary is made, the environment.

mod api;
mod assets;
mod chart;
mod compare;
mod done;
mod due;
mod entry;
mod fault;
mod full;
mod lost;
mod message;
mod pages;
mod served;
mod view;
mod visit;
mod whereabouts;

use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::{Extension, Router};

use anchord_http::AppState;
use anchord_http::admission::bodies::Bodies;

/// How many of the largest transcripts the memory for those that are tried takes; one tenant has one at a time.
const LARGEST_BODIES: usize = 2;
/// The path of every page.
pub(crate) const PATH: &str = "/console";
/// Only what we serve, and no script, style or form of a page itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The console before other routes; `api` is what it calls.
pub fn before(rest: Router, api: Router, state: AppState) -> Router {
    let largest = state.limits.body_bytes;
    // Apart from those of the API, which a transcript that is tried is sent to.
    let bodies = Bodies::new(largest.saturating_mul(LARGEST_BODIES), largest);
    let routes = pages::routes().layer(Extension(bodies)).layer(Extension(api::Local(api)));
    let routes = routes.layer(Extension(full::Known::default()));
    let routes = routes.layer(middleware::from_fn(guard));
    anchord_http::with_boundary(routes, &state).with_state(state).merge(rest)
}

/// Marks every reply with what a browser must not do with it.
async fn guard(request: Request, next: Next) -> Response {
    let mut reply = next.run(request).await;
    let headers = reply.headers_mut();
    let marks = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    for (name, value) in marks {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    reply
}
