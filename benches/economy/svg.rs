//! Shapes and words as SVG, on a white card, so that they are read on a dark page as well.

use std::fmt::Write as _;

/// Which side of its place a text lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// To the right of it.
    Right,
    /// In the middle of it.
    Middle,
    /// To the left of it.
    Left,
}

/// A picture in the making; writing to it cannot fail.
#[derive(Debug)]
pub struct Canvas(String);

impl Canvas {
    /// An empty card.
    pub fn new(width: f64, height: f64) -> Self {
        let mut svg = String::new();
        let _ = writeln!(
            svg,
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13" fill="#1f2328">"##
        );
        let _ = writeln!(svg, r##"<rect width="{width}" height="{height}" rx="6" fill="#ffffff"/>"##);
        Self(svg)
    }

    /// A text.
    pub fn text(&mut self, (x, y): (f64, f64), side: Side, text: &str) {
        let anchor = match side {
            Side::Right => "start",
            Side::Middle => "middle",
            Side::Left => "end",
        };
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(self.0, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#);
    }

    /// A line through places.
    pub fn line(&mut self, places: &[(f64, f64)], stroke: &str, width: f64) {
        let mut points = String::new();
        for (x, y) in places {
            let _ = write!(points, "{x:.1},{y:.1} ");
        }
        let points = points.trim_end();
        let _ = writeln!(
            self.0,
            r#"<polyline points="{points}" fill="none" stroke="{stroke}" stroke-width="{width}"/>"#
        );
    }

    /// A dot.
    pub fn dot(&mut self, (x, y): (f64, f64), fill: &str) {
        let _ = writeln!(self.0, r#"<circle cx="{x:.1}" cy="{y:.1}" r="3.5" fill="{fill}"/>"#);
    }

    /// The picture.
    pub fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }
}
