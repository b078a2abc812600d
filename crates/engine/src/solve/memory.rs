//! The memory of this machine: whether there is room for a solution.

use std::fs;

/// The free memory in bytes, where the system tells.
pub fn free_memory() -> Option<u64> {
    bytes_of(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// The whole memory of the machine in bytes, where the system tells.
pub fn total_memory() -> Option<u64> {
    bytes_of(&fs::read_to_string("/proc/meminfo").ok()?, "MemTotal:")
}

/// A line of `/proc/meminfo`, which counts in units of 1,024 bytes.
fn bytes_of(meminfo: &str, name: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_by_name() {
        let meminfo = "MemTotal:       8048488 kB\nMemFree:         1 kB\nMemAvailable:    2000 kB\n";
        assert_eq!(bytes_of(meminfo, "MemTotal:"), Some(8_048_488 << 10));
        assert_eq!(bytes_of(meminfo, "MemAvailable:"), Some(2_000 << 10));
        assert_eq!((bytes_of("", "MemTotal:"), bytes_of("MemTotal: many kB\n", "MemTotal:")), (None, None));
    }
}
