//! Content negotiation (RFC 9110, 12.5): which of the offered media types a caller prefers, and whether it takes gzip.
//!
//! The layers that compress read `Accept-Encoding` themselves and offer nothing to read it with; crates that read `Accept`
//! (`headers-accept`, `mediatype`) would bring a type for each of its parts, for the two questions that are asked here.

use axum::http::{HeaderMap, HeaderName, header};

/// A media range or a coding of the caller's, in lower case, and its quality.
struct Range {
    name: String,
    quality: f32,
}

fn ranges(headers: &HeaderMap, name: HeaderName) -> Vec<Range> {
    let entries = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    let entries = entries.flat_map(|value| value.split(',')).map(str::trim).filter(|entry| !entry.is_empty());
    let read = |entry: &str| {
        let mut parts = entry.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let quality =
            parts.filter_map(|part| part.split_once('=')).find(|(key, _)| key.eq_ignore_ascii_case("q"));
        // A quality that does not parse counts as absent.
        let quality = quality.and_then(|(_, value)| value.parse::<f32>().ok()).unwrap_or(1.0);
        Range { name, quality: quality.clamp(0.0, 1.0) }
    };
    entries.map(read).collect()
}

/// The offered media type that the caller prefers: by quality, then in the caller's order, then in the given one. The
/// first when the caller does not say, or takes none of them.
pub(crate) fn preferred<'a>(headers: &HeaderMap, offered: &[&'a str]) -> &'a str {
    let ranges = ranges(headers, header::ACCEPT);
    let mut best: Option<(&'a str, f32, usize)> = None;
    for media_type in offered {
        let Some((place, quality)) = quality_of(&ranges, media_type) else { continue };
        let is_better = best.is_none_or(|(_, known, at)| quality > known || (quality >= known && place < at));
        if quality > 0.0 && is_better {
            best = Some((media_type, quality, place));
        }
    }
    best.map(|(media_type, ..)| media_type).or(offered.first().copied()).unwrap_or_default()
}

/// The quality of a media type, by the most specific range that it is in, with the place of that range.
fn quality_of(ranges: &[Range], media_type: &str) -> Option<(usize, f32)> {
    let kind = media_type.split('/').next().unwrap_or_default();
    let specific = |range: &Range| match range.name.as_str() {
        name if name == media_type => 3,
        "*/*" => 1,
        name if name.strip_suffix("/*") == Some(kind) => 2,
        _ => 0,
    };
    let matching = ranges.iter().enumerate().filter(|(_, range)| specific(range) > 0);
    let best = matching.max_by_key(|(place, range)| (specific(range), usize::MAX - place));
    best.map(|(place, range)| (place, range.quality))
}

/// Whether the caller takes gzip. One that sends no `Accept-Encoding` may not know it.
pub(crate) fn takes_gzip(headers: &HeaderMap) -> bool {
    let ranges = ranges(headers, header::ACCEPT_ENCODING);
    let named = ranges.iter().find(|range| ["gzip", "x-gzip"].contains(&range.name.as_str()));
    named.or_else(|| ranges.iter().find(|range| range.name == "*")).is_some_and(|range| range.quality > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: HeaderName, value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        headers
    }

    #[test]
    fn the_media_type_that_the_caller_prefers_is_chosen() {
        let offered = ["application/json", "text/markdown", "text/html"];
        for (accept, chosen) in [
            ("text/markdown", "text/markdown"),
            ("application/json, text/markdown", "application/json"),
            ("text/markdown, application/json", "text/markdown"),
            ("application/json;q=0.5, text/markdown;q=0.9", "text/markdown"),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"),
            ("*/*", "application/json"),
            ("text/*", "text/markdown"),
            ("text/*, text/markdown;q=0", "text/html"),
            ("TEXT/HTML", "text/html"),
            ("image/png", "application/json"),
            ("", "application/json"),
        ] {
            assert_eq!(preferred(&headers(header::ACCEPT, accept), &offered), chosen, "{accept}");
        }
        assert_eq!(preferred(&HeaderMap::new(), &offered), "application/json");
    }

    #[test]
    fn gzip_is_taken_when_it_is_named_or_anything_is() {
        for (accept, takes) in [
            ("gzip", true),
            ("br, gzip;q=0.5", true),
            ("*", true),
            ("identity", false),
            ("gzip;q=0", false),
            ("*, gzip;q=0", false),
            ("*;q=0", false),
            ("gzip;q=0.001, *;q=0", true),
            ("br", false),
            ("", false),
        ] {
            assert_eq!(takes_gzip(&headers(header::ACCEPT_ENCODING, accept)), takes, "{accept}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }
}
