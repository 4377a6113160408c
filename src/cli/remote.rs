//! The client of a running service for commands: requests with a key or a token, retries, pages, and failures in words
//! that name the next step.

use std::time::Duration;

use anyhow::Context as _;
use reqwest::header::HeaderMap;
use reqwest::{Method, RequestBuilder, StatusCode, Url};
use secrecy::ExposeSecret as _;

use super::credential::{Credential, Purpose, is_local};
use super::failure::Usage;
use super::prelude::*;
use crate::config::OperatorAccess;

/// How long a request may take.
const TIMEOUT: Duration = Duration::from_mins(2);
/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest silence of a stream; the service sends a comment every 15 seconds.
const MAX_SILENCE: Duration = Duration::from_mins(1);
/// The items of one page.
const PAGE: usize = 200;

/// How long a command keeps trying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// A person waits: a busy service is asked again for some seconds, one that does not answer is an error at once.
    Short,
    /// Long work: it goes on when the service was away or busy for a while.
    Long,
}

impl Patience {
    const fn tries(self) -> u32 {
        match self {
            Self::Short => 3,
            Self::Long => 6,
        }
    }

    /// The longest wait before the next try. When the service asks for a longer one, its reply is final.
    const fn longest_wait(self) -> Duration {
        match self {
            Self::Short => Duration::from_secs(3),
            Self::Long => Duration::from_secs(30),
        }
    }
}

/// The client.
#[derive(Debug)]
pub(super) struct Remote {
    http: reqwest::Client,
    /// Without a limit of its whole time.
    streams: reqwest::Client,
    url: Url,
    credential: Credential,
    patience: Patience,
}

/// The reply to a request.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) text: String,
}

impl Reply {
    /// The body as JSON; null when it is none.
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }

    /// How long the service asks to wait.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        retry_after(&self.headers)
    }

    /// The service's own words about a refusal, with the places in the request that it names.
    pub(super) fn message(&self) -> String {
        let status = self.status;
        anchord_mcp::api::told(&self.json(), status.as_u16())
            .unwrap_or_else(|| format!("it answers {status} without saying why; is it an anchord service?"))
    }
}

/// A request's body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent<'a> {
    pub(super) body: &'a str,
    /// Lets the service recognise a repeated request, so that it has no effect twice.
    pub(super) idempotency_key: Option<&'a str>,
}

impl Remote {
    /// A client with a tenant's key.
    pub(super) fn of_tenant(access: &TenantAccess) -> Result<Self> {
        let url = parse(&access.endpoint.url)?;
        let credential = Credential::of_tenant(access, &url)?;
        Self::new(url, credential)
    }

    /// A client with the operator's token.
    pub(super) fn of_operator(access: &OperatorAccess) -> Result<Self> {
        let url = parse(access.url())?;
        let credential = Credential::of_operator(access, &url)?;
        Self::new(url, credential)
    }

    fn new(url: Url, credential: Credential) -> Result<Self> {
        let is_sendable = credential.secret.expose_secret().bytes().all(|byte| byte.is_ascii_graphic());
        if !is_sendable {
            let Credential { purpose, source, .. } = &credential;
            let why = format!("the {} {source} must be printable ASCII without spaces", purpose.noun());
            return Err(Usage(why).into());
        }
        // Fails when a TLS crypto provider is installed already; that is the same one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let local = is_local(&url);
        let client = || {
            // A redirect could send the key elsewhere.
            let client = reqwest::Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .connect_timeout(CONNECT_TIMEOUT)
                .user_agent(concat!("anchord/", env!("CARGO_PKG_VERSION")));
            // A proxy does not reach this machine's own address.
            if local { client.no_proxy() } else { client }
        };
        let http = client().timeout(TIMEOUT).build().context("the HTTP client")?;
        let streams = client().read_timeout(MAX_SILENCE).build().context("the HTTP client")?;
        Ok(Self { http, streams, url, credential, patience: Patience::Short })
    }

    /// The same for long work.
    pub(super) fn patient(self) -> Self {
        Self { patience: Patience::Long, ..self }
    }

    /// Reads a resource: its JSON, or the refusal as an error.
    pub(super) async fn read(&self, path: &[&str], query: &[(&str, String)]) -> Result<Value> {
        let reply = self.get(path, query, None).await?;
        if reply.status.is_success() {
            return Ok(reply.json());
        }
        let refused = self.refusal(&reply);
        // A refusal does not repeat the name that nothing was found under, which may be a mistyped one.
        Err(match path {
            ["v1", "sessions", session, "summaries", version] if reply.status == StatusCode::NOT_FOUND => {
                refused.context(format!("session {session}, version {version}"))
            }
            ["v1", "sessions", session, ..] if reply.status == StatusCode::NOT_FOUND => {
                refused.context(format!("session {session}"))
            }
            _ => refused,
        })
    }

    /// Reads a resource in the media type that is accepted; `None` stands for JSON.
    pub(super) async fn get(
        &self,
        path: &[&str],
        query: &[(&str, String)],
        accept: Option<&str>,
    ) -> Result<Reply> {
        let mut url = self.address(path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let request = || {
            let accept = accept.unwrap_or("application/json");
            self.http.get(url.clone()).header("accept", accept)
        };
        self.send(request, true).await
    }

    /// Posts a body; a refusal is a reply.
    pub(super) async fn post(&self, path: &[&str], sent: Sent<'_>) -> Result<Reply> {
        self.change(Method::POST, path, Some(sent)).await
    }

    /// Makes a call of a path with its query, as another part of the program writes it; a refusal is a reply.
    pub(super) async fn pass(&self, path: &str, accept: &str, body: Option<&str>) -> Result<Reply> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        let mut url = self.address(&segments);
        url.set_query(Some(query).filter(|query| !query.is_empty()));
        let request = || {
            let request = match body {
                Some(body) => self.http.post(url.clone()).body(body.to_owned()),
                None => self.http.get(url.clone()),
            };
            request.header("accept", accept).header("content-type", "application/json")
        };
        self.send(request, body.is_none()).await
    }

    /// Posts JSON lines; a refusal is a reply.
    pub(super) async fn post_lines(
        &self,
        path: &[&str],
        query: (&str, bool),
        sent: Sent<'_>,
    ) -> Result<Reply> {
        let mut url = self.address(path);
        url.query_pairs_mut().append_pair(query.0, &query.1.to_string());
        self.deliver((Method::POST, url), "application/x-ndjson", Some(sent)).await
    }

    /// Changes a resource: the reply's JSON, or the refusal as an error.
    pub(super) async fn write(&self, method: Method, path: &[&str], body: Option<&Value>) -> Result<Value> {
        let body = body.map(Value::to_string);
        let sent = body.as_deref().map(|body| Sent { body, idempotency_key: None });
        let reply = self.change(method, path, sent).await?;
        if reply.status.is_success() { Ok(reply.json()) } else { Err(self.refusal(&reply)) }
    }

    async fn change(&self, method: Method, path: &[&str], sent: Option<Sent<'_>>) -> Result<Reply> {
        self.deliver((method, self.address(path)), "application/json", sent).await
    }

    async fn deliver(
        &self,
        (method, url): (Method, Url),
        content_type: &str,
        sent: Option<Sent<'_>>,
    ) -> Result<Reply> {
        let request = || {
            let mut request = self.http.request(method.clone(), url.clone());
            if let Some(sent) = sent {
                request = request.header("content-type", content_type).body(sent.body.to_owned());
                if let Some(key) = sent.idempotency_key {
                    request = request.header("idempotency-key", key);
                }
            }
            request
        };
        let repeatable = sent.is_some_and(|sent| sent.idempotency_key.is_some());
        self.send(request, repeatable).await
    }

    /// Reads a list page by page, at most `most` items of it, and says whether there are more.
    pub(super) async fn list(
        &self,
        path: &[&str],
        query: &[(&str, String)],
        most: usize,
        mut each: impl FnMut(Value) -> Result<()>,
    ) -> Result<bool> {
        let mut left = most;
        let mut cursor: Option<String> = None;
        loop {
            let mut query = query.to_vec();
            query.push(("limit", left.clamp(1, PAGE).to_string()));
            query.extend(cursor.take().map(|cursor| ("cursor", cursor)));
            let mut page = self.read(path, &query).await?;
            let items = page.get_mut("items").and_then(Value::as_array_mut).map(std::mem::take);
            for item in items.unwrap_or_default() {
                each(item)?;
                left = left.saturating_sub(1);
            }
            cursor = page.get("next_cursor").and_then(Value::as_str).map(str::to_owned);
            if cursor.is_none() || left == 0 {
                return Ok(cursor.is_some());
            }
        }
    }

    /// Prints a list, at most `most` items of it: as lines of JSON, or as a table, or a text that there is nothing.
    pub(super) async fn print_list(
        &self,
        (path, query, most): (&[&str], &[(&str, String)], usize),
        json: bool,
        (mut table, empty): (Table, &str),
        row: impl Fn(&Value) -> Vec<Cell>,
    ) -> Result<()> {
        let each = |item: Value| {
            if json {
                return output::print_json_line(&item);
            }
            table.push(row(&item));
            Ok(())
        };
        let more = self.list(path, query, most, each).await?;
        if !json {
            table.print(empty)?;
        }
        if more && output::is_terminal() {
            output::note(&format!("there are more than {most}; --limit shows more"));
        }
        Ok(())
    }

    /// Opens a stream of server-sent events; a refusal is a reply.
    pub(super) async fn follow(
        &self,
        path: &[&str],
        last_event_id: Option<&str>,
    ) -> Result<Result<reqwest::Response, Reply>> {
        let mut request = self.streams.get(self.address(path)).header("accept", "text/event-stream");
        if let Some(id) = last_event_id {
            request = request.header("last-event-id", id);
        }
        let response = self.authorised(request).send().await.map_err(|error| self.away(&error))?;
        if response.status().is_success() {
            return Ok(Ok(response));
        }
        Ok(Err(self.whole(response).await?))
    }

    fn address(&self, path: &[&str]) -> Url {
        let mut url = self.url.clone();
        // `parse` has refused addresses without a path.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }

    fn authorised(&self, request: RequestBuilder) -> RequestBuilder {
        request.bearer_auth(self.credential.secret.expose_secret())
    }

    async fn whole(&self, response: reqwest::Response) -> Result<Reply> {
        let (status, headers) = (response.status(), response.headers().clone());
        let text = response.text().await.map_err(|error| self.away(&error))?;
        Ok(Reply { status, headers, text })
    }

    /// Sends a request until a reply is final or no try is left. What is not `repeatable` is sent again only when the
    /// service says that it did nothing.
    async fn send(&self, request: impl Fn() -> RequestBuilder, repeatable: bool) -> Result<Reply> {
        let mut wait = Duration::from_millis(500);
        let mut tries = 1;
        loop {
            let is_last = tries >= self.patience.tries();
            let sent = match self.authorised(request()).send().await {
                Ok(response) => self.whole(response).await,
                Err(error) => Err(self.away(&error)),
            };
            match sent {
                Ok(reply) if is_last || !is_retryable(reply.status, repeatable) => return Ok(reply),
                Ok(reply) => match reply.retry_after() {
                    Some(asked) if asked > self.patience.longest_wait() => return Ok(reply),
                    asked => wait = asked.unwrap_or(wait),
                },
                Err(error) if is_last || !repeatable || self.patience == Patience::Short => {
                    return Err(error);
                }
                Err(error) => tracing::debug!(%error, "remote.no_answer"),
            }
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(self.patience.longest_wait());
            tries += 1;
        }
    }

    /// Says why no reply came.
    fn away(&self, error: &reqwest::Error) -> anyhow::Error {
        let cause = root_cause(error);
        if error.is_connect() {
            let (flag, variable) = match self.credential.purpose {
                Purpose::Tenant => ("--url", "ANCHORD_URL"),
                Purpose::Operator => ("--url or --admin-url", "ANCHORD_URL or ANCHORD_ADMIN_URL"),
            };
            return anyhow::anyhow!(
                "no service answers at {} ({cause}); start one with `anchord serve`, or name its address with {flag} ({variable})",
                self.url
            );
        }
        if error.is_timeout() {
            return anyhow::anyhow!("the service at {} did not answer in time; try again later", self.url);
        }
        anyhow::anyhow!("the connection to {} broke ({cause}); try again", self.url)
    }

    /// Explains a refusal: the service's words, and the next step.
    pub(super) fn refusal(&self, reply: &Reply) -> anyhow::Error {
        let Credential { purpose, source, .. } = &self.credential;
        let (noun, remedy, told) = (purpose.noun(), purpose.remedy(), reply.message());
        let problem = reply.json();
        let kind = problem.get("type").and_then(Value::as_str).unwrap_or_default();
        match reply.status.as_u16() {
            401 => anyhow::anyhow!("{} refuses the {noun} {source}: {told}; {remedy}", self.url),
            404 if kind.ends_with("/route-not-found") && *purpose == Purpose::Operator => anyhow::anyhow!(
                "{} has no operator's API: {told}; when the service runs with ANCHORD_ADMIN_LISTEN, name that address \
                 with --admin-url (ANCHORD_ADMIN_URL)",
                self.url
            ),
            404 if kind.ends_with("/session-not-found") => {
                anyhow::anyhow!("{told}; `anchord sessions list` shows the sessions of this key")
            }
            404 if kind.ends_with("/no-summary") => {
                anyhow::anyhow!("{told}; a session gets its first summary when its context fills up")
            }
            _ if kind.is_empty() => anyhow::anyhow!("{}: {told}", self.url),
            _ => anyhow::anyhow!(told),
        }
    }
}

/// Parses a base URL.
fn parse(text: &str) -> Result<Url> {
    let mut url: Url =
        text.parse().map_err(|error| Usage(format!("{text} is not the address of a service: {error}")))?;
    if url.cannot_be_a_base() || !matches!(url.scheme(), "http" | "https") {
        return Err(Usage(format!("{text}: must begin with http:// or https://")).into());
    }
    // The paths of the API begin with /v1; an address that is copied from a call has it already.
    let bare = url.path().trim_end_matches('/');
    if let Some(base) = bare.strip_suffix("/v1").map(str::to_owned) {
        url.set_path(&base);
    }
    Ok(url)
}

/// The innermost cause, which says most.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get("retry-after")?.to_str().ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// Whether another try may get another reply. With 502 and 504 the request may have had its effect.
fn is_retryable(status: StatusCode, repeatable: bool) -> bool {
    matches!(status.as_u16(), 429 | 503) || (repeatable && matches!(status.as_u16(), 502 | 504))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, body: &str) -> Reply {
        let status = StatusCode::from_u16(status).expect("a status");
        Reply { status, headers: HeaderMap::new(), text: body.to_owned() }
    }

    #[test]
    fn an_address_may_end_as_a_copied_one_does() {
        for (text, base) in [
            ("http://127.0.0.1:7801", "http://127.0.0.1:7801/"),
            ("http://127.0.0.1:7801/v1", "http://127.0.0.1:7801/"),
            ("http://127.0.0.1:7801/v1/", "http://127.0.0.1:7801/"),
            ("https://example.com/anchord/v1", "https://example.com/anchord"),
            ("https://example.com/ev1", "https://example.com/ev1"),
        ] {
            assert_eq!(parse(text).expect("an address").as_str(), base, "{text}");
        }
    }

    #[test]
    fn a_page_that_is_no_refusal_of_the_service_is_told_as_such() {
        let page = reply(502, "<html>Bad gateway</html>").message();
        assert!(page.contains("502") && page.contains("is it an anchord service?"), "{page}");
    }

    #[test]
    fn what_may_have_had_an_effect_is_not_sent_again_without_a_key() {
        let status = |code| StatusCode::from_u16(code).expect("a status");
        assert!(is_retryable(status(503), false) && is_retryable(status(429), false));
        assert!(!is_retryable(status(504), false) && is_retryable(status(504), true));
        assert!(!is_retryable(status(500), true) && !is_retryable(status(404), true));
    }
}
