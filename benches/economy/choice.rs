//! A way with the settings of the service that are compared.

use std::cell::RefCell;
use std::rc::Rc;

use anchord_economy::replay::Writer;
use anchord_economy::sessions::Session;
use anchord_economy::tally::Tally;
use anchord_economy::ways::Way;
use anchord_messages::tokens::TokenCounter;
use anchord_session::settings::{Settings, Thresholds};

use crate::model::{Model, Shapes};

/// A way, and for the service the settings that are not its defaults.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The way.
    pub way: Way,
    /// The setting `fill`.
    pub fill: Option<f64>,
    /// The threshold `compress`.
    pub compress: Option<f64>,
    /// Whether a model writes the service's records.
    pub is_model: bool,
}

impl Choice {
    /// A way without settings.
    pub fn plain(way: Way) -> Self {
        Self { way, fill: None, compress: None, is_model: false }
    }

    /// Its name in tables.
    pub fn name(self) -> String {
        let by = if self.is_model { ", model" } else { "" };
        let said = |name: &str, value: Option<f64>| {
            value.map_or_else(String::new, |value| format!(", {name} {value:.2}"))
        };
        let (fill, compress) = (said("fill", self.fill), said("compress", self.compress));
        format!("{}{by}{fill}{compress}", self.way.name())
    }

    /// Plays a session in a window of so many tokens. `shapes` are those of a model's answers.
    pub fn play(self, session: &Session, window: u32, shapes: &Rc<Shapes>) -> Tally {
        let thresholds = Thresholds { compress: self.compress, ..Thresholds::default() };
        let settings = Settings {
            context_window: Some(window),
            fill: self.fill,
            thresholds: Some(thresholds),
            ..Settings::default()
        };
        let model = RefCell::new(Model::new(Rc::clone(shapes), TokenCounter::default()));
        let writer = self.is_model.then(|| -> Writer<'_> {
            Box::new(|material, facts, ends| model.borrow_mut().write(material, facts, ends))
        });
        let tally = self.way.play(session, &settings, writer).tally;
        Tally { model: model.into_inner().spent, ..tally }
    }
}
