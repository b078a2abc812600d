//! Numbers on the command line: a wrong one is answered with what would be right.

/// Reads a whole number in a range.
pub(crate) fn whole(
    least: u64,
    most: u64,
) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse::<u64>().ok().filter(|number| (least..=most).contains(number));
        let end = if most == u64::MAX { "2^64-1".to_owned() } else { most.to_string() };
        number.ok_or_else(|| format!("it must be a whole number from {least} to {end}"))
    }
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
        assert!(whole(0, u64::MAX)("x").unwrap_err().ends_with("to 2^64-1"));
    }
}
