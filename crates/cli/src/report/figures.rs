//! Numbers formatted for people.

use lab2048::arena::Interval;
pub(crate) use lab2048::text::grouped as whole;

/// A number with one decimal. Numbers from 100,000 on have none, and those from 1e15 on have an
/// exponent.
pub(crate) fn decimal(number: f64) -> String {
    let size = number.abs();
    if size >= 1e15 {
        return format!("{number:.3e}");
    }
    let sign = if number < 0.0 { "-" } else { "" };
    if size >= 100_000.0 {
        return format!("{sign}{}", whole(size.round() as u64));
    }
    let tenths = (size * 10.0).round() as u64;
    // A small negative number that is rounded to 0 must not keep its sign.
    let sign = if tenths == 0 { "" } else { sign };
    format!("{sign}{}.{}", whole(tenths / 10), tenths % 10)
}

/// A chance: `81.2%`. One near 0% or 100% gets more decimals, so that it does not look certain.
pub(crate) fn percent(chance: f64) -> String {
    match chance {
        small if small > 0.0 && small < 0.000_01 => return "<0.001%".to_owned(),
        large if large > 0.999_99 && large < 1.0 => return ">99.999%".to_owned(),
        _ => {}
    }
    let edge = chance.min(1.0 - chance);
    let digits = if edge <= 0.0 || edge >= 0.001 { 1 } else { 3 };
    format!("{:.digits$}%", 100.0 * chance)
}

/// A mean and half its interval: `1,094.2 ± 4.1`.
pub(crate) fn mean(mean: f64, interval: Option<Interval>) -> String {
    match interval {
        Some(interval) => format!("{} ± {}", decimal(mean), decimal(interval.half())),
        None => decimal(mean),
    }
}

/// A rate and its interval: `52.3% (51.9 to 52.7)`. A narrow interval gets more decimals, so that a
/// rate near 0% or 100% does not look certain.
pub(crate) fn rate(rate: f64, interval: Interval) -> String {
    let digits = digits_of(interval);
    let percent = |rate: f64| format!("{:.digits$}", 100.0 * rate);
    format!("{}% ({} to {})", percent(rate), percent(interval.low), percent(interval.high))
}

/// A mean of shares and half its interval: `3.2% ± 0.4%`. It may exceed 100%.
pub(crate) fn share(share: f64, interval: Interval) -> String {
    let digits = digits_of(interval);
    format!("{:.digits$}% ± {:.digits$}%", 100.0 * share, 100.0 * interval.half())
}

/// The decimals of percentages with this interval.
fn digits_of(interval: Interval) -> usize {
    if interval.high - interval.low < 0.002 { 3 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_near_the_ends_have_more_digits() {
        let cases = [
            (0.0, "0.0%"),
            (1.0, "100.0%"),
            (0.8125, "81.2%"),
            (0.9996, "99.960%"),
            (2e-4, "0.020%"),
            (1e-9, "<0.001%"),
            (0.999_999, ">99.999%"),
        ];
        for (chance, text) in cases {
            assert_eq!(percent(chance), text);
        }
    }

    #[test]
    fn decimals_have_as_many_digits_as_say_something() {
        let cases = [
            (0.0, "0.0"),
            (-0.04, "0.0"),
            (-0.05, "-0.1"),
            (9.96, "10.0"),
            (1094.25, "1,094.3"),
            (-1999.94, "-1,999.9"),
            (99_999.94, "99,999.9"),
            (99_999.96, "100,000.0"),
            (563_316.4, "563,316"),
            (1.5e19, "1.500e19"),
        ];
        for (number, text) in cases {
            assert_eq!(decimal(number), text);
        }
    }

    #[test]
    fn what_is_known_stands_beside_the_figure() {
        let interval = Interval { low: 90.0, high: 110.5 };
        assert_eq!(mean(100.25, Some(interval)), "100.3 ± 10.3");
        assert_eq!(mean(7.0, None), "7.0");
        assert_eq!(rate(0.5234, Interval { low: 0.519, high: 0.5271 }), "52.3% (51.9 to 52.7)");
        assert_eq!(rate(0.0, Interval { low: 0.0, high: 0.01 }), "0.0% (0.0 to 1.0)");
        assert_eq!(rate(0.00023, Interval { low: 0.0001, high: 0.0004 }), "0.023% (0.010 to 0.040)");
        assert_eq!(rate(0.9998, Interval { low: 0.999, high: 0.99996 }), "99.980% (99.900 to 99.996)");
    }
}
