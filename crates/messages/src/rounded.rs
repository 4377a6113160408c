//! Writes ratios and scores with four decimals: `0.8894`, not `0.8893996300241045`. Only what is written is rounded, so that
//! nothing is decided on a rounded number.
//!
//! Both functions are for `#[serde(serialize_with = …)]`.

use serde::Serializer;

/// Factor of four decimals.
const SCALE: f64 = 10_000.0;

/// The nearest number with four decimals.
pub fn four(number: f64) -> f64 {
    let rounded = (number * SCALE).round() / SCALE;
    // A number that is too large to be scaled has no decimals to lose; `-0` would be written with its sign.
    if rounded.is_finite() { rounded + 0.0 } else { number }
}

/// Writes a number with four decimals.
pub fn ratio<S: Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(four(*number))
}

/// Writes a number with four decimals, or null.
pub fn ratio_or_null<S: Serializer>(number: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
    match number {
        Some(number) => to.serialize_some(&four(*number)),
        None => to.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::four;

    #[test]
    fn numbers_have_four_decimals() {
        let cases = [
            (0.889_399_630_024_104_5, "0.8894"),
            (1.0, "1.0"),
            (0.999_96, "1.0"),
            (-0.000_01, "0.0"),
            (12.345_678, "12.3457"),
            (1e300, "1e+300"),
        ];
        for (number, text) in cases {
            assert_eq!(serde_json::to_string(&four(number)).unwrap(), text);
        }
    }
}
