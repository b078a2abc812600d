//! Finds a free user id for a submission. In a container, which may be a user namespace, only some
//! ids exist. Graders that run at the same time use different ids.

use std::cmp::Reverse;
use std::ops::RangeInclusive;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::sync::OnceLock;
use std::{fs, io, process};

/// User ids go up to 2^32 - 2. No system we know assigns ids from here on.
const FIRST_FREE: u32 = 3_000_000_000;
/// The lowest id that a system assigns to a person (login.defs(5), `UID_MIN`). Lower ids belong to
/// system services.
const FIRST_PERSON: u32 = 1000;
/// The user that stands for all ids without a mapping.
const NOBODY: u32 = 65_534;
/// The maximum number of ids that are tried if other graders may have taken some.
const MOST_TRIED: usize = 64;

/// Marks an id as taken. Only one process at a time can bind an abstract socket name, and the
/// kernel releases it when that process ends, so no file can stay behind (unix(7), "Abstract
/// sockets"). Submissions cannot create such sockets.
static CLAIM: OnceLock<UnixListener> = OnceLock::new();

/// A range of ids that exist here, from a user namespace map: `INSIDE OUTSIDE COUNT`
/// (user_namespaces(7)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    first: u32,
    outside: u32,
    count: u32,
}

impl Range {
    fn contains(&self, number: u32) -> bool {
        number.checked_sub(self.first).is_some_and(|place| place < self.count)
    }

    fn last(&self) -> Option<u32> {
        self.first.checked_add(self.count.checked_sub(1)?)
    }
}

/// The choice of a submission's user for a grader that runs as root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Free {
    /// This id is free.
    User(u32),
    /// Only root exists here, but outside the namespace it is a user whose processes the kernel
    /// limits.
    OnlyOurs,
    /// Only root exists, inside and outside.
    OnlyRoot,
}

/// An id that is free as both user and group. It is reserved until this process ends.
pub(super) fn free_user() -> io::Result<Free> {
    let read = |name: &str| Ok::<_, io::Error>(ranges(&fs::read_to_string(format!("/proc/self/{name}"))?));
    let users = read("uid_map")?;
    let numbers = candidates(&users, &read("gid_map")?, FIRST_FREE + process::id());
    if numbers.is_empty() {
        return Ok(only_root(&users));
    }
    let ours = numbers.into_iter().find(|&number| claim(number));
    ours.map(Free::User).ok_or_else(|| io::Error::other("other graders have taken all free user ids"))
}

/// Reserves an id, unless another grader has it.
fn claim(number: u32) -> bool {
    let address = SocketAddr::from_abstract_name(format!("lab2048-grade-user-{number}"));
    match address.and_then(|address| UnixListener::bind_addr(&address)) {
        // A process reserves only one id, so this is the first call of `set`.
        Ok(claim) => CLAIM.set(claim).is_ok(),
        // Without abstract sockets there is no way to ask. Assume the id is free.
        Err(error) => error.kind() != io::ErrorKind::AddrInUse,
    }
}

fn ranges(map: &str) -> Vec<Range> {
    let lines = map.lines().filter_map(|line| {
        let numbers: Vec<u32> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [first, outside, count] => Some(Range { first, outside, count }),
            _ => None,
        }
    });
    lines.collect()
}

/// The wanted id if it exists, otherwise the highest ids that exist as both user and group, in
/// descending order.
fn candidates(users: &[Range], groups: &[Range], wanted: u32) -> Vec<u32> {
    let pairs = users.iter().flat_map(|user| groups.iter().map(move |group| (user, group)));
    let both = pairs.filter_map(|(user, group)| {
        Some(user.first.max(group.first).max(FIRST_PERSON)..=user.last()?.min(group.last()?))
    });
    let both: Vec<_> = both.collect();
    if both.iter().any(|numbers| numbers.contains(&wanted)) {
        return vec![wanted];
    }
    let highest =
        |numbers: RangeInclusive<u32>| numbers.rev().filter(|&number| number != NOBODY).take(MOST_TRIED);
    let mut numbers: Vec<u32> = both.into_iter().flat_map(highest).collect();
    numbers.sort_unstable_by_key(|&number| Reverse(number));
    numbers.dedup();
    numbers.truncate(MOST_TRIED);
    numbers
}

/// The choice if no other user exists.
fn only_root(users: &[Range]) -> Free {
    match users.iter().any(|range| range.contains(0) && range.outside != 0) {
        true => Free::OnlyOurs,
        false => Free::OnlyRoot,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_exists_inside_a_container() {
        let wanted = 3_000_000_042;
        let chosen = |users: &str, groups: &str| {
            let (users, groups) = (ranges(users), ranges(groups));
            let numbers = candidates(&users, &groups, wanted);
            numbers.first().map_or_else(|| only_root(&users), |&number| Free::User(number))
        };
        let all = "         0          0 4294967295\n";
        assert_eq!(chosen(all, all), Free::User(wanted));
        // A rootless container with its own range, and one whose range ends at `NOBODY`.
        let rootless = "0 1000 1\n1 100000 65536\n";
        assert_eq!(chosen(rootless, rootless), Free::User(65_536));
        assert_eq!(chosen("0 100000 65535\n", "0 100000 65535\n"), Free::User(65_533));
        // There may be fewer groups than users.
        assert_eq!(chosen(rootless, "0 1000 1\n1 100000 2000\n"), Free::User(2000));
        // `unshare --map-root-user`, by a normal user and by root.
        assert_eq!(chosen("0 1000 1\n", "0 1000 1\n"), Free::OnlyOurs);
        assert_eq!(chosen("0 0 1\n", "0 0 1\n"), Free::OnlyRoot);
        assert_eq!(chosen("", ""), Free::OnlyRoot);
    }

    /// Graders that run at the same time try one id after another.
    #[test]
    fn further_numbers_where_the_first_is_taken() {
        let numbers = |users: &str, groups: &str| candidates(&ranges(users), &ranges(groups), 3_000_000_042);
        let rootless = "0 1000 1\n1 100000 65536\n";
        let many = numbers(rootless, rootless);
        assert_eq!((many.len(), &many[..4]), (MOST_TRIED, &[65_536, 65_535, 65_533, 65_532][..]));
        assert_eq!(numbers("0 0 1002\n5000 5000 2\n", "0 0 9999\n"), [5001, 5000, 1001, 1000]);
        assert!(numbers("0 0 1000\n", "0 0 1000\n").is_empty(), "these ids belong to services");
    }

    #[test]
    fn a_number_has_one_grader_at_a_time() {
        // An id that no grader uses.
        let number = 999_000_000 + process::id() % 1_000_000;
        let address = SocketAddr::from_abstract_name(format!("lab2048-grade-user-{number}")).unwrap();
        let other = UnixListener::bind_addr(&address).unwrap();
        assert!(!claim(number));
        drop(other);
        assert!(claim(number));
    }
}
