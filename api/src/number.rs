//! Numbers as upstream prints them: whole ones without `.0`, never NaN or infinite.

use serde::{Deserialize, Serialize, Serializer};

/// A finite decimal number on the wire.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, PartialOrd)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(transparent)]
pub struct Number(pub f64);

// === impl Number ===

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// Above this, neighbouring floats are more than one apart and an integer would claim digits that are not known.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        match self.0 {
            n if n.is_nan() => serializer.serialize_i64(0),
            // A sum beyond the largest is the largest: nothing is further from the truth than 0.
            n if n.is_infinite() => serializer.serialize_f64(f64::MAX.copysign(n)),
            n if n.fract() == 0.0 && n.abs() <= EXACT => serializer.serialize_i64(n as i64),
            n => serializer.serialize_f64(n),
        }
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self(value)
    }
}

#[cfg(test)]
mod tests {
    use super::Number;

    #[test]
    fn whole_numbers_have_no_fraction() {
        let text = |n: f64| serde_json::to_string(&Number(n)).unwrap();
        assert_eq!(text(80.0), "80");
        assert_eq!(text(-0.0), "0");
        assert_eq!(text(0.97), "0.97");
        assert_eq!(text(f64::NAN), "0");
    }

    #[test]
    fn what_is_beyond_the_largest_is_the_largest() {
        let read = |n: f64| serde_json::from_str::<Number>(&serde_json::to_string(&Number(n)).unwrap()).unwrap();
        assert_eq!(read(f64::INFINITY), Number(f64::MAX));
        assert_eq!(read(f64::NEG_INFINITY), Number(f64::MIN));
    }
}
