//! Which numbers of users can be had: inside a container, which may be a user namespace, only some of all exist.

use std::{fs, io, process};

/// Users have numbers up to 2^32 - 2; those from here on are given to nobody by any system we know.
const FIRST_FREE: u32 = 3_000_000_000;
/// The lowest number that a system may give to a person (login.defs(5), `UID_MIN`); those below belong to its services.
const FIRST_PERSON: u32 = 1000;
/// The one who stands for everybody without a number.
const NOBODY: u32 = 65_534;

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

/// A number that is free for a user and a group.
pub(super) fn free_user() -> io::Result<Free> {
    let read = |name: &str| Ok::<_, io::Error>(ranges(&fs::read_to_string(format!("/proc/self/{name}"))?));
    Ok(choose(&read("uid_map")?, &read("gid_map")?, FIRST_FREE + process::id()))
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

/// The wanted number, or the highest that exists for users and for groups.
fn choose(users: &[Range], groups: &[Range], wanted: u32) -> Free {
    let exists =
        |number: u32| [users, groups].iter().all(|map| map.iter().any(|range| range.contains(number)));
    if exists(wanted) {
        return Free::User(wanted);
    }
    let ends = users.iter().chain(groups).filter_map(Range::last);
    let numbers = ends.flat_map(|last| [last, last.saturating_sub(1)]);
    let highest =
        numbers.filter(|&number| number >= FIRST_PERSON && number != NOBODY && exists(number)).max();
    match highest {
        Some(number) => Free::User(number),
        None if users.iter().any(|range| range.contains(0) && range.outside != 0) => Free::OnlyOurs,
        None => Free::OnlyRoot,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_exists_inside_a_container() {
        let wanted = 3_000_000_042;
        let chosen = |users: &str, groups: &str| choose(&ranges(users), &ranges(groups), wanted);
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
}
