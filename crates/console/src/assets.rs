//! What pages load: one style sheet and one library, in the binary, under names that change with their contents.

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use sha2::{Digest as _, Sha256};
use std::sync::LazyLock;

/// The files, each with its name, its type and its contents.
const FILES: [(&str, &str, &[u8]); 3] = [
    ("console.css", "text/css; charset=utf-8", include_bytes!("../assets/console.css")),
    ("htmx.min.js", "text/javascript; charset=utf-8", include_bytes!("../assets/htmx.min.js")),
    ("icon.svg", "image/svg+xml", include_bytes!("../assets/icon.svg")),
];

/// A mark of what the files have, so that a browser keeps them until they are others.
pub(crate) static STAMP: LazyLock<String> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    for (_, _, contents) in FILES {
        hash.update(contents);
    }
    anchord_messages::shape::hex(&hash.finalize(), 6)
});

/// Serves a file.
pub(crate) async fn file(Path((_, name)): Path<(String, String)>) -> Response {
    let Some((_, kind, contents)) = FILES.into_iter().find(|(known, ..)| *known == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    (
        [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "private, max-age=31536000, immutable")],
        contents,
    )
        .into_response()
}
