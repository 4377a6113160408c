//! Whether the next call is compressed at once, as far as the size of the context decides it.

use std::fmt::Write as _;

use serde_json::Value;

use crate::view::{Look as _, count, percent};

/// A session, as far as this is decided by it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fill<'a> {
    /// Its settings in force.
    pub(crate) policy: &'a Value,
    /// How full the window is.
    pub(crate) share: f64,
    /// How full it is before anything is cut to fit, and with placeholders about: an append decides by this.
    pub(crate) counted: f64,
    /// Messages that no version covers.
    pub(crate) uncovered: i64,
    /// Whether a rollback made the current version.
    pub(crate) is_rolled_back: bool,
}

/// Says whether the next message that is appended starts a compression.
pub(crate) fn told(of: Fill<'_>) -> String {
    let level = |name: &str, default: f64| of.policy.share(name).unwrap_or(default);
    let (compress, force, critical) = (level("compress", 0.7), level("force", 0.85), level("critical", 0.9));
    let mut full = format!("The window is {} full", percent(of.share));
    let side = |share: f64| [compress, force, critical].map(|level| share >= level);
    if side(of.share) != side(of.counted) {
        let _ = write!(full, " (before it is cut to fit {}, which decides)", percent(of.counted));
    }
    let least = of.policy.whole("min_messages");
    if !of.policy.is("auto") {
        format!("{full}. Nothing is compressed by itself: the setting auto is off.")
    } else if of.is_rolled_back && of.counted < critical {
        format!(
            "{full}. The next call is not compressed at once: a rollback pauses that below {}, until somebody compresses or changes a \
             setting.",
            percent(critical)
        )
    } else if of.counted < compress {
        format!(
            "{full}. The next call is not compressed at once: its size asks for that from {} on.",
            percent(compress)
        )
    } else if of.uncovered < least && of.counted < force {
        format!(
            "{full}. The next call is not compressed at once: fewer than {} messages have come since the summary.",
            count(least)
        )
    } else {
        format!(
            "{full}, and from {} on a compression is due: the next message that is appended starts one at once, unless one has just \
             ended.",
            percent(if of.is_rolled_back { critical } else { compress })
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    #[rstest]
    #[case(0.5, 20, false, true, "asks for that from 70 %")]
    #[case(0.75, 20, false, true, "starts one at once")]
    #[case(0.75, 3, false, true, "fewer than 10")]
    #[case(0.88, 3, false, true, "starts one at once")]
    #[case(0.88, 20, true, true, "a rollback pauses that below 90 %")]
    #[case(0.95, 20, true, true, "from 90 % on a compression is due")]
    #[case(0.95, 20, false, false, "auto is off")]
    fn the_size_decides_unless_something_holds_it_back(
        #[case] share: f64,
        #[case] uncovered: i64,
        #[case] is_rolled_back: bool,
        #[case] auto: bool,
        #[case] said: &str,
    ) {
        let policy =
            json!({"compress": 0.7, "force": 0.85, "critical": 0.9, "min_messages": 10, "auto": auto});
        let told = told(Fill { policy: &policy, share, counted: share, uncovered, is_rolled_back });
        assert!(told.contains(said) && !told.contains("which decides"), "{told}");
    }

    #[test]
    fn the_count_that_decides_is_told_where_it_is_on_another_side() {
        let policy =
            json!({"compress": 0.7, "force": 0.85, "critical": 0.9, "min_messages": 10, "auto": true});
        let of = |share, counted| {
            told(Fill { policy: &policy, share, counted, uncovered: 20, is_rolled_back: false })
        };
        let said = of(0.68, 0.72);
        assert!(
            said.contains("68 % full (before it is cut to fit 72 %, which decides), and from 70 % on"),
            "{said}"
        );
        assert!(of(0.95, 1.0).starts_with("The window is 95 % full, and from"), "{}", of(0.95, 1.0));
    }
}
