//! Pins: constraints that every summary and every context carry word for word.
//!
//! What lives here: a pin and its id, how a tenant's and a session's pins are combined, and how many tokens
//! they take.
//! Invariant: the same text has the same id, and is served once.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use super::context::{Counted, pins_text};
use anchord_messages::tokens::TokenCounter;

/// The most pins of a session, and the most of a tenant.
pub const MAX_PINS: usize = 200;
/// Share of the effective window that pins may take.
pub const PINS_SHARE: f64 = 0.10;

/// One pin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Pin {
    /// Its id, derived from its text.
    #[schema(examples("pin_9f2c4b7a1d3e5f60"))]
    pub id: String,
    /// Its text, verbatim.
    pub text: String,
}

impl Pin {
    /// A pin of this text, with its id.
    pub fn new(text: String) -> Self {
        let digest: [u8; 32] = Sha256::digest(text.as_bytes()).into();
        let head = digest.first_chunk::<8>().copied().unwrap_or_default();
        Self { id: format!("pin_{:016x}", u64::from_be_bytes(head)), text }
    }
}

/// The tenant's pins, then the session's own; a text that both have appears once.
pub fn together(wide: &[Pin], own: Vec<Pin>) -> Vec<Pin> {
    let mut pins = wide.to_vec();
    pins.extend(own.into_iter().filter(|pin| wide.iter().all(|known| known.id != pin.id)));
    pins
}

/// The message that serves the pins, with its tokens; `None` when there are none.
pub fn served(pins: &[Pin]) -> Option<String> {
    let texts: Vec<&str> = pins.iter().map(|pin| pin.text.as_str()).collect();
    (!texts.is_empty()).then(|| pins_text(&texts))
}

/// The tokens of the pins in a context.
pub fn tokens(pins: &[Pin], counter: TokenCounter) -> u32 {
    served(pins).map_or(0, |text| Counted::new(&text, &counter).tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pin(text: &str) -> Pin {
        Pin::new(text.to_owned())
    }

    #[test]
    fn a_text_that_tenant_and_session_both_pin_comes_once_and_the_tenants_come_first() {
        let wide = [pin("no deploys on friday"), pin("use tabs")];
        let all = together(&wide, vec![pin("use tabs"), pin("keep the log")]);
        let texts: Vec<&str> = all.iter().map(|pin| pin.text.as_str()).collect();
        assert_eq!(texts, ["no deploys on friday", "use tabs", "keep the log"]);
    }

    #[test]
    fn an_id_tells_the_text() {
        assert_eq!(pin("a").id, pin("a").id);
        assert_ne!(pin("a").id, pin("b").id);
        assert!(pin("a").id.starts_with("pin_") && pin("a").id.len() == 20);
    }

    #[test]
    fn no_pins_take_nothing() {
        assert_eq!(tokens(&[], TokenCounter::default()), 0);
        assert!(tokens(&[pin("use tabs")], TokenCounter::default()) > 3);
    }
}
