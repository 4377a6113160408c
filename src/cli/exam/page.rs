//! A page in parts, written as HTML and as Markdown, so that both say the same.
//!
//! Invariant: whatever a session holds is text: it is escaped, and nothing of it becomes markup.

use std::fmt::Write as _;

use super::super::output::visible;

/// The beginnings of both forms, by which a page of an earlier exam is recognised.
pub(super) const MARKS: [&str; 2] = ["<!doctype html>\n<!-- anchord exam -->", "<!-- anchord exam -->"];

const STYLE: &str = include_str!("page.css");

/// A part of a page.
pub(super) enum Block {
    /// A heading: its level below the title's, and its words.
    Heading(u8, String),
    Text(String),
    List(Vec<String>),
    Table(Table),
    /// A text as it is, such as a message.
    Verbatim(String),
    /// Parts that are shown when somebody wants to see them.
    Folded(String, Vec<Block>),
}

/// A table: the first column names its rows, the others are figures.
pub(super) struct Table {
    pub(super) caption: String,
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Row>,
    /// Whether its cells are words.
    pub(super) is_words: bool,
}

pub(super) struct Row {
    pub(super) cells: Vec<String>,
    /// Shares of the largest, for bars, by the places of their cells.
    pub(super) bar: Option<(usize, f64)>,
    /// Whether it is the row that the page is about.
    pub(super) is_ours: bool,
}

/// A whole page.
pub(super) struct Page {
    pub(super) title: String,
    pub(super) blocks: Vec<Block>,
}

impl Page {
    pub(super) fn html(&self) -> String {
        let [mark, _] = MARKS;
        let title = escaped(&self.title);
        let mut out = format!(
            "{mark}\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        );
        for block in &self.blocks {
            block.html(&mut out);
        }
        out.push_str("</main>\n</body>\n</html>\n");
        out
    }

    pub(super) fn markdown(&self) -> String {
        let [_, mark] = MARKS;
        let mut out = format!("{mark}\n# {}\n", inline(&self.title));
        for block in &self.blocks {
            block.markdown(&mut out);
        }
        out
    }
}

impl Block {
    // Infallible: a String is written to.
    fn html(&self, out: &mut String) {
        match self {
            Self::Heading(level, words) => {
                let level = level + 1;
                let _ = writeln!(out, "<h{level}>{}</h{level}>", escaped(words));
            }
            Self::Text(words) => {
                let _ = writeln!(out, "<p>{}</p>", escaped(words));
            }
            Self::List(items) => {
                let items: Vec<String> =
                    items.iter().map(|item| format!("<li>{}</li>\n", escaped(item))).collect();
                let _ = writeln!(out, "<ul>\n{}</ul>", items.concat());
            }
            Self::Table(table) => table.html(out),
            Self::Verbatim(text) => {
                let _ = writeln!(out, "<pre>{}</pre>", escaped(text));
            }
            Self::Folded(title, blocks) => {
                let _ = writeln!(out, "<details>\n<summary>{}</summary>", escaped(title));
                for block in blocks {
                    block.html(out);
                }
                out.push_str("</details>\n");
            }
        }
    }

    fn markdown(&self, out: &mut String) {
        match self {
            Self::Heading(level, words) => {
                let _ = writeln!(out, "\n{} {}", "#".repeat(usize::from(*level) + 1), inline(words));
            }
            Self::Text(words) => {
                let _ = writeln!(out, "\n{}", inline(words));
            }
            Self::List(items) => {
                out.push('\n');
                for item in items {
                    let _ = writeln!(out, "- {}", inline(item));
                }
            }
            Self::Table(table) => table.markdown(out),
            Self::Verbatim(text) => {
                let fence = fence(text);
                let _ = writeln!(out, "\n{fence}text\n{}\n{fence}", visible(text.trim_end()));
            }
            Self::Folded(title, blocks) => {
                let _ = writeln!(out, "\n<details>\n<summary>{}</summary>", escaped(title));
                for block in blocks {
                    block.markdown(out);
                }
                out.push_str("\n</details>\n");
            }
        }
    }
}

impl Table {
    fn html(&self, out: &mut String) {
        let head: Vec<String> =
            self.head.iter().map(|name| format!("<th scope=\"col\">{}</th>", escaped(name))).collect();
        let _ = writeln!(
            out,
            "<p class=\"caption\">{caption}</p>\n<div class=\"scroll\" role=\"region\" aria-label=\"{caption}\" tabindex=\"0\">\n<table{words}>\n<thead><tr>{}</tr></thead>\n<tbody>",
            head.concat(),
            caption = escaped(&self.caption),
            words = if self.is_words { " class=\"words\"" } else { "" }
        );
        for row in &self.rows {
            let ours = if row.is_ours { " class=\"ours\"" } else { "" };
            let _ = write!(out, "<tr{ours}>");
            for (at, cell) in row.cells.iter().enumerate() {
                let cell = escaped(cell);
                let _ = match row.bar.filter(|(place, _)| *place == at) {
                    _ if at == 0 => write!(out, "<th scope=\"row\">{cell}</th>"),
                    Some((_, share)) => write!(
                        out,
                        "<td><span class=\"bar\" style=\"width:{:.1}%\"></span>{cell}</td>",
                        share.clamp(0.0, 1.0) * 100.0
                    ),
                    None => write!(out, "<td>{cell}</td>"),
                };
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody>\n</table>\n</div>\n");
    }

    fn markdown(&self, out: &mut String) {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| inline(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let _ = write!(out, "\n{}:\n\n{}", inline(&self.caption), line(&self.head));
        let side = if self.is_words { "---|" } else { "---:|" };
        let _ = writeln!(out, "|---|{}", side.repeat(self.head.len().saturating_sub(1)));
        for row in &self.rows {
            out.push_str(&line(&row.cells));
        }
    }
}

/// A text within HTML, or within an attribute's quotes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
    out
}

/// A text within a line of Markdown. What could become HTML is named, because not every reader of Markdown knows escapes of it.
fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '\n' | '\t' => out.push(' '),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' => out.extend(['\\', c]),
            other => out.push(other),
        }
    }
    out
}

/// A fence that a text cannot end.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Page {
        let row = Row { cells: vec![text.to_owned(), "1".to_owned()], bar: Some((1, 0.5)), is_ours: true };
        let table = Table {
            caption: text.to_owned(),
            head: vec!["way".to_owned(), text.to_owned()],
            rows: vec![row],
            is_words: false,
        };
        let inner = vec![Block::Verbatim(text.to_owned()), Block::List(vec![text.to_owned()])];
        let blocks = vec![Block::Table(table), Block::Folded(text.to_owned(), inner)];
        Page { title: text.to_owned(), blocks }
    }

    #[test]
    fn nothing_of_a_session_becomes_markup() {
        let hostile = "</pre><script>alert(\"x\")</script> | ```` \u{1b}[2J & <details>";
        let page = page(hostile);
        let html = page.html();
        assert!(
            html.starts_with(MARKS[0]) && !html.contains("<script") && !html.contains('\u{1b}'),
            "{html}"
        );
        assert_eq!((html.matches("</pre>").count(), html.matches("<details>").count()), (1, 1), "{html}");
        let markdown = page.markdown();
        assert!(markdown.starts_with(MARKS[1]), "{markdown}");
        let outside: String = markdown.split("`````").step_by(2).collect();
        assert!(!outside.contains("<script") && outside.matches("<details>").count() == 1, "{outside}");
        let rows: Vec<&str> = outside.lines().filter(|line| line.starts_with("| ")).collect();
        assert!(rows.iter().all(|row| row.replace("\\|", "").matches('|').count() == 3), "{rows:?}");
    }

    #[test]
    fn both_forms_have_the_same_words() {
        let page = page("plain words");
        assert!(page.html().matches("plain words").count() >= page.markdown().matches("plain words").count());
        assert_eq!(page.markdown().matches("plain words").count(), 7);
    }
}
