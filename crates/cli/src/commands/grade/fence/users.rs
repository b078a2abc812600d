//! Which numbers of users can be had: inside a container, which may be a user namespace, only some of all exist. Graders that
//! run at the same time have different ones.

use std::cmp::Reverse;
use std::ops::RangeInclusive;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::sync::OnceLock;
use std::{fs, io, process};

/// Users have numbers up to 2^32 - 2; those from here on are given to nobody by any system we know.
const FIRST_FREE: u32 = 3_000_000_000;
/// The lowest number that a system may give to a person (login.defs(5), `UID_MIN`); those below belong to its services.
const FIRST_PERSON: u32 = 1000;
/// The one who stands for everybody without a number.
const NOBODY: u32 = 65_534;
/// So many numbers are tried where other graders may have taken some.
const MOST_TRIED: usize = 64;

/// The sign that a number is taken: a name that the system gives to one process at a time and takes back when that ends, without a
/// file that could stay (unix(7), "Abstract sockets"). Submissions have no such sockets.
static CLAIM: OnceLock<UnixListener> = OnceLock::new();

/// Numbers that exist here, as a user namespace tells it: `INSIDE OUTSIDE COUNT` (user_namespaces(7)).
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

/// What root can do about a submission's user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Free {
    /// Give it this one.
    User(u32),
    /// There is only root here, but outside it is somebody whose processes the system limits.
    OnlyOurs,
    /// There is only root, here and outside.
    OnlyRoot,
}

/// A number that is free for a user and a group. It stays ours until this process ends.
pub(super) fn free_user() -> io::Result<Free> {
    let read = |name: &str| Ok::<_, io::Error>(ranges(&fs::read_to_string(format!("/proc/self/{name}"))?));
    let users = read("uid_map")?;
    let numbers = candidates(&users, &read("gid_map")?, FIRST_FREE + process::id());
    if numbers.is_empty() {
        return Ok(only_root(&users));
    }
    let ours = numbers.into_iter().find(|&number| claim(number));
    ours.map(Free::User).ok_or_else(|| io::Error::other("other graders have taken the users that there are"))
}

/// Takes a number, unless another grader has it.
fn claim(number: u32) -> bool {
    let address = SocketAddr::from_abstract_name(format!("lab2048-grade-user-{number}"));
    match address.and_then(|address| UnixListener::bind_addr(&address)) {
        // There is one number for a process, so it is the first one.
        Ok(claim) => CLAIM.set(claim).is_ok(),
        // Where there are no such names nobody can be asked.
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

/// The wanted number, or the highest that exist for users and for groups, the highest first.
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

/// What root can do where nobody else is.
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
        // A rootless container with a range of its own, and one whose range ends with nobody.
        let rootless = "0 1000 1\n1 100000 65536\n";
        assert_eq!(chosen(rootless, rootless), Free::User(65_536));
        assert_eq!(chosen("0 100000 65535\n", "0 100000 65535\n"), Free::User(65_533));
        // Groups may be fewer than users.
        assert_eq!(chosen(rootless, "0 1000 1\n1 100000 2000\n"), Free::User(2000));
        // `unshare --map-root-user`, by a person and by root.
        assert_eq!(chosen("0 1000 1\n", "0 1000 1\n"), Free::OnlyOurs);
        assert_eq!(chosen("0 0 1\n", "0 0 1\n"), Free::OnlyRoot);
        assert_eq!(chosen("", ""), Free::OnlyRoot);
    }

    /// Graders at the same time try one number after another.
    #[test]
    fn further_numbers_where_the_first_is_taken() {
        let numbers = |users: &str, groups: &str| candidates(&ranges(users), &ranges(groups), 3_000_000_042);
        let rootless = "0 1000 1\n1 100000 65536\n";
        let many = numbers(rootless, rootless);
        assert_eq!((many.len(), &many[..4]), (MOST_TRIED, &[65_536, 65_535, 65_533, 65_532][..]));
        assert_eq!(numbers("0 0 1002\n5000 5000 2\n", "0 0 9999\n"), [5001, 5000, 1001, 1000]);
        assert!(numbers("0 0 1000\n", "0 0 1000\n").is_empty(), "those of services");
    }

    #[test]
    fn a_number_has_one_grader_at_a_time() {
        // One that no grader has.
        let number = 999_000_000 + process::id() % 1_000_000;
        let address = SocketAddr::from_abstract_name(format!("lab2048-grade-user-{number}")).unwrap();
        let other = UnixListener::bind_addr(&address).unwrap();
        assert!(!claim(number));
        drop(other);
        assert!(claim(number));
    }
}
