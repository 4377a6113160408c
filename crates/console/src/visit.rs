//! Who is signed in: the cookie, where a change may come from, and calls of the API in that key's name.
//!
//! The cookie has a random id alone. Neither it nor the key is in the page's storage, in a log or in the database, which has
//! digests of both.

use std::collections::HashMap;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, OptionalFromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::TimeDelta;
use http_body_util::{BodyExt as _, Limited};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::PATH;
use crate::api::{Call, Local};
use crate::done;
use crate::fault::Fault;
use crate::full::Known;
use crate::view::Look as _;
use anchord_http::AppState;
use anchord_http::extract::auth::{SignedIn, X_API_KEY};
use anchord_messages::id::TenantId;
use anchord_store::signins::Credential;

/// The name of the cookie.
const COOKIE: &str = "anchord_console";
/// How long a sign-in lasts.
const LASTS: TimeDelta = TimeDelta::hours(12);
/// The bytes of the id.
const ID_BYTES: usize = 32;
/// The most bytes of a form.
pub(crate) const MOST_FORM_BYTES: usize = 256 * 1024;

/// Somebody who is signed in.
#[derive(Clone, Debug)]
pub(crate) struct Visit {
    pub(crate) who: Who,
    pub(crate) signed_in: SignedIn,
    api: Local,
    pub(crate) known: Known,
    path: String,
    is_part: bool,
    digest: [u8; 32],
    credential: Credential,
    state: AppState,
}

/// What is shown of who is signed in.
#[derive(Clone, Debug)]
pub(crate) struct Who {
    /// The key's id; empty for the operator.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) scopes: Vec<String>,
    pub(crate) is_operator: bool,
}

impl Who {
    pub(crate) fn can(&self, scope: &str) -> bool {
        self.scopes.iter().any(|held| held == scope)
    }
}

impl Visit {
    /// Makes a call, and returns the body of its reply.
    pub(crate) async fn call(&self, call: Call) -> Result<Bytes, Fault> {
        let (status, body) = self.api.call(self.signed_in, call).await;
        match status {
            status if status.is_success() => Ok(body),
            StatusCode::UNAUTHORIZED => Err(self.ended().await),
            status => Err(Fault::of(status, &body)),
        }
    }

    /// Reads a document; null for a reply without one.
    pub(crate) async fn get(&self, path: impl Into<String>) -> Result<Value, Fault> {
        let body = self.call(Call::get(path)).await?;
        serde_json::from_slice(&body).map_err(|error| Fault::internal(&error))
    }

    /// The same; null in the place of something that is not there, or that the key may not read.
    pub(crate) async fn look(&self, path: impl Into<String>) -> Result<Value, Fault> {
        match self.get(path).await {
            Err(Fault::Refused { status, .. }) if status.is_client_error() => Ok(Value::Null),
            other => other,
        }
    }

    /// Reads a text.
    pub(crate) async fn text(&self, path: impl Into<String>, accept: &'static str) -> Result<String, Fault> {
        let body = self.call(Call { accept, ..Call::get(path) }).await?;
        Ok(String::from_utf8_lossy(&body).into_owned())
    }

    /// Changes something.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: impl Into<String>,
        body: Option<Value>,
    ) -> Result<Value, Fault> {
        let body = self.call(Call::of(method, path, body.map(|body| body.to_string()))).await?;
        Ok(serde_json::from_slice(&body).unwrap_or_default())
    }

    /// Ends a sign-in whose key is good no longer.
    async fn ended(&self) -> Fault {
        if let Err(error) = self.sign_out().await {
            tracing::warn!(%error, "console.not_signed_out");
        }
        Fault::SignedOut { next: self.path.clone(), is_part: self.is_part, had_cookie: true }
    }

    pub(crate) async fn sign_out(&self) -> Result<(), anchord_store::StoreError> {
        // In all cells, because a move of the tenant copies its sign-ins.
        for cell in self.state.cells() {
            match cell.state.store.sign_out(self.digest, self.credential).await {
                Err(error) if !error.is_moved() => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Refuses a change to those who only read, before they are asked whether they are sure.
    pub(crate) fn writers_only(&self) -> Result<(), Fault> {
        if self.who.can("write") {
            return Ok(());
        }
        let detail = "The key reads only. Sign in with one that has the scope write.";
        Err(Fault::refused(StatusCode::FORBIDDEN, "Not for this key", detail))
    }

    /// The sign-in's digest, which tells it from all others.
    pub(crate) fn id(&self) -> [u8; 32] {
        self.digest
    }

    /// The address of the page, with its query.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Whether only a part of a page is asked for.
    pub(crate) fn is_part(&self) -> bool {
        self.is_part
    }
}

impl FromRequestParts<AppState> for Visit {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Fault> {
        let is_part = parts.headers.contains_key("hx-request");
        let path = parts.uri.path_and_query().map_or(PATH, |path| path.as_str()).to_owned();
        let next = if parts.method == Method::GET && !is_part { path.clone() } else { PATH.to_owned() };
        let cookie = cookie(&parts.headers, COOKIE);
        let out = Fault::SignedOut { next: next.clone(), is_part, had_cookie: cookie.is_some() };
        let Some(id) = cookie else { return Err(out) };
        let digest = digest(&id);
        let look = move |cell: AppState| async move { cell.store.find_signin(digest).await };
        let found = state.find_by(digest, look, |_| false).await.map_err(|error| Fault::internal(&error))?;
        let Some((_, credential)) = found else { return Err(out) };
        let api = parts.extensions.get::<Local>().cloned().ok_or_else(|| Fault::internal(&"no API"))?;
        let known = parts.extensions.get::<Known>().cloned().unwrap_or_default();
        let (signed_in, asked) = match credential {
            Credential::Key(_, key) => (SignedIn::Key(key), "/v1/keys/current"),
            Credential::Operator(token) => (SignedIn::Operator(token), "/v1/admin/tenants?limit=1"),
        };
        let who =
            Who { id: String::new(), name: "operator".to_owned(), scopes: Vec::new(), is_operator: true };
        let visit = Self {
            who,
            signed_in,
            api,
            known,
            path: next,
            is_part,
            digest,
            credential,
            state: state.clone(),
        };
        // The key itself is asked at every request, so that a revoked one signs out.
        let known = visit.get(asked).await?;
        if let Credential::Operator(_) = credential {
            return Ok(visit);
        }
        let name = known.text("name");
        let name = if name.is_empty() { format!("{}…", known.text("prefix")) } else { name };
        let scopes = known.list("scopes").iter().filter_map(Value::as_str).map(str::to_owned).collect();
        Ok(Self { who: Who { id: known.text("id"), name, scopes, is_operator: false }, ..visit })
    }
}

impl OptionalFromRequestParts<AppState> for Visit {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Option<Self>, Fault> {
        Ok(<Self as FromRequestParts<AppState>>::from_request_parts(parts, state).await.ok())
    }
}

/// Somebody who is signed in with a key of a tenant.
#[derive(Clone, Debug)]
pub(crate) struct OfTenant {
    pub(crate) visit: Visit,
    pub(crate) tenant: TenantId,
}

impl FromRequestParts<AppState> for OfTenant {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Fault> {
        let visit = <Visit as FromRequestParts<AppState>>::from_request_parts(parts, state).await?;
        match visit.credential {
            Credential::Key(tenant, _) => Ok(Self { visit, tenant }),
            Credential::Operator(_) => {
                let detail = "The operator's token opens no session. Sign in with an API key of the tenant.";
                Err(Fault::refused(StatusCode::FORBIDDEN, "Only for a tenant's key", detail))
            }
        }
    }
}

/// A form that was sent from a page of ours.
#[derive(Clone, Debug, Default)]
pub(crate) struct Form(HashMap<String, String>);

impl Form {
    /// A field's text; empty when there is none.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.0.get(name).map(String::as_str).unwrap_or_default()
    }

    /// A path of ours to return to.
    pub(crate) fn back(&self) -> String {
        ours(self.text("back"))
    }

    /// The page that the form was on, to which one goes back who does not want it.
    pub(crate) fn left(&self) -> String {
        if self.text("here").is_empty() { self.back() } else { ours(self.text("here")) }
    }

    /// Where to go when it is done, with what is told there.
    pub(crate) fn done(&self, number: i64) -> String {
        done::told(&self.back(), self.text("do"), number)
    }
}

/// The path, if it is one of ours and nothing else.
pub(crate) fn ours(path: &str) -> String {
    let is_ours = path.strip_prefix(PATH).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']));
    let is_plain = path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    // A browser walks out of a folder by these, however they are written.
    let is_within = path.split(['?', '#']).next().unwrap_or_default().split('/').all(|segment| {
        let plain = segment.to_ascii_lowercase().replace("%2e", ".");
        plain != "." && plain != ".."
    });
    if is_ours && is_plain && is_within { path.to_owned() } else { PATH.to_owned() }
}

impl FromRequest<AppState> for Form {
    type Rejection = Fault;

    async fn from_request(request: Request, _: &AppState) -> Result<Self, Fault> {
        require_own_page(request.headers())?;
        let body = Limited::new(request.into_body(), MOST_FORM_BYTES).collect().await;
        let body = body.map_err(|_| {
            Fault::refused(StatusCode::PAYLOAD_TOO_LARGE, "Too large", "The form has more than 256 KB.")
        })?;
        let body = body.to_bytes();
        let fields = form_urlencoded::parse(&body).into_owned();
        // A form sends another break of lines than the text had that it was made of.
        Ok(Self(fields.map(|(name, value)| (name, value.replace("\r\n", "\n"))).collect()))
    }
}

/// Refuses a change that another site's page sent. The cookie is not sent with such a request either; this is the second line,
/// and for browsers that do not know `SameSite`.
pub(crate) fn require_own_page(headers: &HeaderMap) -> Result<(), Fault> {
    let word = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let is_own = match (word("sec-fetch-site"), word("origin")) {
        (Some(site), _) => site == "same-origin",
        (None, Some(origin)) => {
            let host = origin.split_once("://").map(|(_, host)| host);
            host.is_some() && host == word("host")
        }
        (None, None) => false,
    };
    if is_own {
        return Ok(());
    }
    let detail = "The form was not sent from a page of this console. Open the page again.";
    Err(Fault::refused(StatusCode::FORBIDDEN, "Sent from elsewhere", detail))
}

/// Signs in with what was typed; returns the cookie.
pub(crate) async fn sign_in(
    state: &AppState,
    parts: &Parts,
    (typed, as_operator): (&str, bool),
) -> Result<HeaderValue, Fault> {
    let unreadable = || Fault::refused(StatusCode::UNAUTHORIZED, "Not signed in", "This is no key.");
    let mut asked = Request::new(());
    let mut key = HeaderValue::from_str(typed.trim()).map_err(|_| unreadable())?;
    key.set_sensitive(true);
    asked.headers_mut().insert(X_API_KEY, key);
    // By which failures are counted.
    for value in parts.headers.get_all("x-forwarded-for") {
        asked.headers_mut().append("x-forwarded-for", value.clone());
    }
    if let Some(peer) = parts.extensions.get::<anchord_http::admission::guesses::Peer>() {
        asked.extensions_mut().insert(*peer);
    }
    let credential = anchord_http::extract::auth::sign_in(state, &asked.into_parts().0, as_operator).await;
    let (credential, cell) = credential
        .map_err(|refused| Fault::refused(refused.status(), "Not signed in", refused.to_string()))?;
    let id = URL_SAFE_NO_PAD.encode(rand::random::<[u8; ID_BYTES]>());
    let until = state.clock.now() + LASTS;
    cell.store.sign_in(digest(&id), credential, until).await.map_err(|error| Fault::internal(&error))?;
    let secure = if is_behind_tls(&parts.headers) { "; Secure" } else { "" };
    let cookie = format!(
        "{COOKIE}={id}; Path={PATH}; HttpOnly; SameSite=Strict; Max-Age={}{secure}",
        LASTS.num_seconds()
    );
    let mut cookie = HeaderValue::from_str(&cookie).map_err(|error| Fault::internal(&error))?;
    cookie.set_sensitive(true);
    Ok(cookie)
}

/// The cookie that ends a sign-in in the browser.
pub(crate) fn no_cookie() -> HeaderValue {
    HeaderValue::from_static("anchord_console=; Path=/console; HttpOnly; SameSite=Strict; Max-Age=0")
}

/// Whether the browser speaks TLS, to a proxy in front. Who claims it falsely only makes the own cookie stricter.
fn is_behind_tls(headers: &HeaderMap) -> bool {
    headers.get("x-forwarded-proto").is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"https"))
}

/// The value of a cookie.
pub(crate) fn cookie(headers: &HeaderMap, named: &str) -> Option<String> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == named).map(|(_, value)| value.to_owned())
}

fn digest(id: &str) -> [u8; 32] {
    Sha256::digest(id.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("/console/cost?from=1", "/console/cost?from=1")]
    #[case("/console", "/console")]
    #[case("/consoles", "/console")]
    #[case("//evil.example/console", "/console")]
    #[case("https://evil.example", "/console")]
    #[case("/console/\\evil", "/console")]
    #[case("", "/console")]
    #[case("/console/../x", "/console")]
    #[case("/console/./%2E%2e/x", "/console")]
    #[case("/console/.%2E?a=b", "/console")]
    #[case("/console/sessions/..a/%2E.b?q=/../", "/console/sessions/..a/%2E.b?q=/../")]
    fn a_page_leads_back_to_pages_of_ours_alone(#[case] asked: &str, #[case] to: &str) {
        assert_eq!(ours(asked), to);
    }

    #[rstest]
    #[case(&[("sec-fetch-site", "same-origin")], true)]
    #[case(&[("sec-fetch-site", "same-site"), ("origin", "http://h"), ("host", "h")], false)]
    #[case(&[("sec-fetch-site", "cross-site")], false)]
    #[case(&[("origin", "https://h:1"), ("host", "h:1")], true)]
    #[case(&[("origin", "https://evil"), ("host", "h")], false)]
    #[case(&[("origin", "null"), ("host", "null")], false)]
    #[case(&[("host", "h")], false)]
    fn a_change_comes_from_a_page_of_ours(#[case] headers: &[(&'static str, &str)], #[case] good: bool) {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| {
                (header::HeaderName::from_static(name), HeaderValue::from_str(value).expect("a value"))
            })
            .collect();
        assert_eq!(require_own_page(&headers).is_ok(), good);
    }
}
