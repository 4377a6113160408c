//! Pages that explain problems: `/problems` lists them, and `/problems/{kind}` is what the `type` of a problem opens.

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};

use super::error::{ApiError, Result};
use super::kind::Kind;
use crate::extract::accept::preferred;

const HTML: &str = "text/html";
const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";

/// The most letters of a kind that is looked for among the known ones; longer ones have no near word.
const MAX_KIND_CHARS: usize = 64;

/// The pages, which are open as the rest of the documentation is.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new().route("/problems", get(list)).route("/problems/{kind}", get(find))
}

async fn list(headers: HeaderMap) -> Response {
    let kinds = Kind::ALL;
    render(
        &headers,
        || json!({"items": kinds.iter().copied().map(as_json).collect::<Vec<_>>()}),
        || {
            let rows = kinds.iter().map(|kind| {
                let about = kind.about();
                let (slug, status) = (kind.slug(), about.status);
                format!("| {status} | [`/problems/{slug}`](/problems/{slug}) | {} |\n", about.title)
            });
            let head = "# Problems\n\n| status | `type` | title |\n|---|---|---|\n";
            head.to_owned() + &rows.collect::<String>()
        },
        || {
            let rows = kinds.iter().map(|kind| {
                let about = kind.about();
                let (slug, status) = (kind.slug(), about.status);
                let link = format!("<a href=\"/problems/{slug}\"><code>/problems/{slug}</code></a>");
                format!("<tr><td>{status}</td><td>{link}</td><td>{}</td></tr>\n", html(&about.title))
            });
            let rows: String = rows.collect();
            page(
                "Problems",
                &format!("<table>\n<tr><th>status</th><th>type</th><th>title</th></tr>\n{rows}</table>\n"),
            )
        },
    )
}

async fn find(Path(slug): Path<String>, headers: HeaderMap) -> Result<Response> {
    let Ok(kind) = slug.parse::<Kind>() else {
        let near =
            || Kind::ALL.iter().map(|kind| (strsim::levenshtein(kind.slug(), &slug), kind.slug())).min();
        let near = if slug.len() <= MAX_KIND_CHARS { near() } else { None };
        let meant = near.filter(|(distance, _)| *distance <= 3).map(|(_, slug)| format!("/problems/{slug}"));
        return Err(ApiError::UnknownRoute { path: format!("/problems/{slug}"), meant });
    };
    Ok(render(&headers, || as_json(kind), || as_markdown(kind), || as_html(kind)))
}

/// The reply in the form that the caller prefers.
fn render(
    headers: &HeaderMap,
    as_json: impl FnOnce() -> Value,
    as_markdown: impl FnOnce() -> String,
    as_html: impl FnOnce() -> String,
) -> Response {
    let (kind, body) = match preferred(headers, &[JSON, HTML, MARKDOWN]) {
        HTML => ("text/html; charset=utf-8", as_html()),
        MARKDOWN => ("text/markdown; charset=utf-8", as_markdown()),
        _ => (JSON, as_json().to_string()),
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::VARY, HeaderValue::from_static("Accept")),
    ];
    (headers, body).into_response()
}

fn as_json(kind: Kind) -> Value {
    let about = kind.about();
    let extras = about.members.iter().map(|(name, meaning)| json!({"name": name, "meaning": plain(meaning)}));
    json!({
        "type": format!("/problems/{}", kind.slug()),
        "title": about.title,
        "status": about.status,
        "meaning": plain(&about.meaning),
        "remedy": plain(&about.remedy),
        "members": extras.collect::<Vec<_>>(),
    })
}

fn as_markdown(kind: Kind) -> String {
    let about = kind.about();
    let mut text = format!(
        "# {}\n\n`/problems/{}`, status {}\n\n{}\n\n## What to do\n\n{}\n",
        about.title,
        kind.slug(),
        about.status,
        about.meaning,
        about.remedy
    );
    if !about.members.is_empty() {
        text.push_str("\n## The reply also has\n\n");
        for (name, meaning) in &about.members {
            text.extend(["- `", name, "`: ", meaning, "\n"]);
        }
    }
    text
}

fn as_html(kind: Kind) -> String {
    let about = kind.about();
    let extras = about.members.iter();
    let extras: Vec<String> = extras
        .map(|(name, meaning)| format!("<dt><code>{}</code></dt><dd>{}</dd>\n", html(name), html(meaning)))
        .collect();
    let extras = extras.concat();
    let extras = if extras.is_empty() {
        String::new()
    } else {
        format!("<h2>The reply also has</h2>\n<dl>\n{extras}</dl>\n")
    };
    let body = format!(
        "<p><code>/problems/{}</code>, status {}</p>\n<p>{}</p>\n<h2>What to do</h2>\n<p>{}</p>\n{extras}\
         <p><a href=\"/problems\">All problems</a> · <a href=\"/docs/\">The API</a></p>\n",
        kind.slug(),
        about.status,
        html(&about.meaning),
        html(&about.remedy),
    );
    page(&about.title, &body)
}

fn page(title: &str, body: &str) -> String {
    let title = html(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title} · anchord</title>\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <style>body{{font:16px/1.5 sans-serif;max-width:45em;margin:2em auto;padding:0 1em}}\
         td,th{{text-align:left;padding:.2em 1em .2em 0}}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
    )
}

/// A text of the table without the marks of Markdown.
fn plain(text: &str) -> String {
    text.replace('`', "")
}

/// A text of the table as HTML: what stands between backticks is code.
fn html(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut parts = escaped.split('`');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for (at, part) in parts.enumerate() {
        out.push_str(if at % 2 == 0 { "<code>" } else { "</code>" });
        out.push_str(part);
    }
    out
}
