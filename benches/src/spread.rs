use serde::Serialize;

/// A middle with what lies around it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Half of the values are below.
    pub median: f64,
    /// Where it starts.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
}

impl Spread {
    /// The median with the quartiles: where half of the values lie. `None` without values.
    pub fn quartiles(values: &[f64]) -> Option<Self> {
        Self::leaving_out(values, values.len() / 4)
    }

    /// The median with its 95 % confidence interval, read off the order of the values: it holds whatever their
    /// distribution is. `None` without values.
    pub fn confidence(values: &[f64]) -> Option<Self> {
        // How many of n values lie below the true median is binomial: n / 2, give or take two deviations of sqrt(n) / 2.
        let reach = values.len().isqrt();
        Self::leaving_out(values, (values.len() / 2).saturating_sub(reach))
    }

    /// From the lowest to the highest value but so many at either end.
    fn leaving_out(values: &[f64], outside: usize) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        Some(Self {
            median: f64::midpoint(sorted[last / 2], sorted[last.div_ceil(2)]),
            low: sorted[outside],
            high: sorted[last - outside],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;

    fn hundred() -> Vec<f64> {
        (0..100).rev().map(f64::from).collect()
    }

    #[test]
    fn quartiles_hold_half_of_the_values() {
        let spread = Spread::quartiles(&hundred()).unwrap();
        assert_eq!((spread.low, spread.median, spread.high), (25.0, 49.5, 74.0));
    }

    #[test]
    fn more_values_make_the_median_surer() {
        let spread = Spread::confidence(&hundred()).unwrap();
        assert_eq!((spread.low, spread.median, spread.high), (40.0, 49.5, 59.0));
        let few = Spread::confidence(&[1.0, 2.0, 3.0]).unwrap();
        assert_eq!((few.low, few.median, few.high), (1.0, 2.0, 3.0));
    }

    #[test]
    fn nothing_has_no_middle() {
        assert_eq!(Spread::quartiles(&[]), None);
        assert_eq!(Spread::confidence(&[]), None);
    }
}
