//! Numbers, times and threads on the command line. The error for a wrong value says which values
//! are allowed.

use std::time::Duration;

use clap::Args;
use lab2048::parallel;
use lab2048::players::parse_time;
use lab2048::text::{grouped, whole_numbers};

/// Reads a whole number in a range: `1000`, `1_000`, `1,000` or `1e3`.
pub(crate) fn whole(
    least: u64,
    most: u64,
) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    whole_as(least, most)
}

/// The same for a smaller integer type.
pub(crate) fn whole_as<T: TryFrom<u64>>(
    least: u64,
    most: u64,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = parse_whole(text).filter(|number| (least..=most).contains(number));
        let number = number.and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| match parse_number(text) {
            Some(large) if most == u64::MAX && large >= most as f64 && large.is_finite() => {
                format!("it is too large; the largest number is {}", grouped(most))
            }
            _ => format!("it must be {}", whole_numbers(least, most)),
        })
    }
}

/// Reads a number in a range: `1.5`, `1_000`, `1,000` or `1e3`.
pub(crate) fn number(
    least: f64,
    most: f64,
) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = parse_number(text).filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("it must be a number from {} to {}", shown(least), shown(most)))
    }
}

/// The end of a range.
fn shown(end: f64) -> String {
    match end {
        large if large >= 1e15 => format!("{large:e}"),
        whole if whole >= 0.0 && whole.fract() == 0.0 => grouped(whole as u64),
        _ => end.to_string(),
    }
}

/// Reads a number above 0.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    let number = parse_number(text).filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "it must be a number above 0".to_owned())
}

/// Reads a time in a range: `200ms`, `1.5s` or `40min`.
pub(crate) fn time(
    least: Duration,
    most: Duration,
) -> impl Fn(&str) -> Result<Duration, String> + Clone + Send + Sync + 'static {
    move |text| {
        let time = parse_time(text).filter(|time| (least..=most).contains(time));
        let written = |time: Duration| match time.as_secs() {
            seconds if seconds > 60 => format!("{}min", seconds / 60),
            _ if !time.is_zero() && time < Duration::from_millis(1) => format!("{}us", time.as_micros()),
            _ if time < Duration::from_secs(1) => format!("{}ms", time.as_millis()),
            seconds => format!("{seconds}s"),
        };
        let (least, most) = (written(least), written(most));
        time.ok_or_else(|| format!("it must be a time like 200ms, 1.5s or 40min, from {least} to {most}"))
    }
}

/// The option `--threads`.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Threads {
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = whole_as::<usize>(1, 1024), allow_hyphen_values = true)]
    threads: Option<usize>,
}

impl Threads {
    /// The given number, or all cores.
    pub(crate) fn count(self) -> usize {
        self.count_or(parallel::cores)
    }

    /// The given number, or the default.
    pub(crate) fn count_or(self, default: impl FnOnce() -> usize) -> usize {
        self.threads.unwrap_or_else(default)
    }
}

/// Parses a whole number exactly.
fn parse_whole(text: &str) -> Option<u64> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<u32>().ok()?),
        None => (text, 0),
    };
    let (digits, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    if !is_digits(fraction) {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let zeros = exponent.checked_sub(u32::try_from(fraction.len()).ok()?)?;
    let number: u64 = format!("{}{fraction}", ungrouped(digits)?).parse().ok()?;
    number.checked_mul(10u64.checked_pow(zeros)?)
}

/// Parses any number, rounded to the nearest floating-point number.
fn parse_number(text: &str) -> Option<f64> {
    let end = text.find(['.', 'e', 'E']).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    // Numbers like `.5` and `-1` are parsed by the standard library.
    let digits = ungrouped(digits).unwrap_or_else(|| digits.to_owned());
    format!("{digits}{rest}").parse().ok()
}

/// Removes the commas or underscores between groups of three digits. A comma elsewhere is an error:
/// it may be meant as a decimal point.
fn ungrouped(text: &str) -> Option<String> {
    let separator = if text.contains(',') { ',' } else { '_' };
    let groups: Vec<&str> = text.split(separator).collect();
    let (first, others) = groups.split_first()?;
    let is_grouped = others.is_empty() || first.len() <= 3 && others.iter().all(|group| group.len() == 3);
    (is_grouped && groups.iter().all(|group| is_digits(group))).then(|| groups.concat())
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_their_range() {
        assert_eq!(whole(1, 10)("7"), Ok(7));
        for wrong in ["", "0", "11", "-1", "seven", "1.5", "99999999999999999999"] {
            assert_eq!(whole(1, 10)(wrong), Err("it must be a whole number from 1 to 10".to_owned()));
        }
        assert_eq!(whole(1, u64::MAX)("0"), Err("it must be a whole number of at least 1".to_owned()));
        for large in ["18446744073709551616", "18,446,744,073,709,551,616", "1e20"] {
            let sentence = "it is too large; the largest number is 18,446,744,073,709,551,615";
            assert_eq!(whole(1, u64::MAX)(large), Err(sentence.to_owned()));
        }
        assert_eq!(
            whole_as::<u8>(0, 1000)("300"),
            Err("it must be a whole number from 0 to 1,000".to_owned())
        );
    }

    #[test]
    fn large_numbers_can_be_written_in_several_ways() {
        let read = whole(0, u64::MAX);
        for million in ["1000000", "1e6", "1E6", "1_000_000", "1,000,000", "1.0e6", "0.1e7", "1_000e3"] {
            assert_eq!((read(million), parse_number(million)), (Ok(1_000_000), Some(1e6)), "{million}");
        }
        // Exact even where a floating-point number would not be.
        assert_eq!(read("18_446_744_073_709_551_615"), Ok(u64::MAX));
        assert_eq!((read("1.5e1"), read("2.0"), read("1.20e1")), (Ok(15), Ok(2), Ok(12)));
        for wrong in [
            "1,5",
            "1,00",
            "1000,000",
            "1,,000",
            ",000",
            "1_000,000",
            "_1",
            "1_",
            "1e",
            "e6",
            "1e-3",
            "1.5e0",
            "1.",
            ".",
            "1e20",
            "1e99999999999",
            "0x10",
            " 1",
            "1 000",
            "٣",
            "nan",
            "inf",
            "1e6e6",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_with_fractions() {
        let read = number(0.125, 8.0);
        assert_eq!((read("0.5"), read(".5"), read("80e-1")), (Ok(0.5), Ok(0.5), Ok(8.0)));
        for wrong in ["9", "nan", "-1", "0,5", ""] {
            assert_eq!(read(wrong), Err("it must be a number from 0.125 to 8".to_owned()), "{wrong}");
        }
        assert!(number(0.0, 1e30)("x").unwrap_err().ends_with("from 0 to 1e30"));
        assert!(number(0.5, 1e6)("x").unwrap_err().ends_with("from 0.5 to 1,000,000"));
        assert!(positive("1,000.5") == Ok(1000.5) && positive("0").is_err() && positive("inf").is_err());
    }

    #[test]
    fn times_in_their_range() {
        let read = time(Duration::from_millis(20), Duration::from_secs(60));
        assert_eq!(read("1.5s"), Ok(Duration::from_millis(1500)));
        for wrong in ["", "5", "61s", "10ms", "-1s"] {
            let sentence = "it must be a time like 200ms, 1.5s or 40min, from 20ms to 60s";
            assert_eq!(read(wrong), Err(sentence.to_owned()), "{wrong}");
        }
        let day = time(Duration::ZERO, Duration::from_secs(86_400));
        assert!(day("x").unwrap_err().ends_with("from 0ms to 1440min"));
    }
}
