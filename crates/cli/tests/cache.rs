//! Decoded networks in the cache folder: they change how fast a command starts and nothing else.
#![cfg(unix)]

mod support;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use support::{Place, Ran, ended};

const BOARD: &str = "2%204%208%2016/0%202%204%208/0%200%202%204/0%200%200%202";

/// The line that asks for a move with the network `small`, which is decoded quickly.
fn best(depth: u32) -> String {
    format!("best {BOARD} --player ntuple:net=small,depth={depth}")
}

/// What a command answers with these variables, without its time.
fn answer(place: &Place, line: &str, variables: &[(&str, &str)]) -> String {
    let mut command = place.command(line);
    command.env_remove("LAB2048_CACHE").envs(variables.iter().copied());
    answer_of(ended(command.spawn().expect("it starts")))
}

fn answer_of(ran: Ran) -> String {
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    let timed = |line: &&str| line.ends_with(" ms");
    assert_eq!(ran.out.lines().filter(timed).count(), 1, "{}", ran.out);
    let untimed = |line: &str| line.rsplit_once(", ").map_or(line, |(before, _)| before).to_owned();
    ran.out
        .lines()
        .map(|line| if timed(&line) { untimed(line) } else { line.to_owned() })
        .collect::<Vec<_>>()
        .join("\n")
}

/// The decoded networks of a folder.
fn decoded(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| !path.ends_with("lock")).collect()
}

#[test]
fn the_second_start_uses_what_the_first_one_decoded() {
    let place = Place::new();
    let without = answer(&place, &best(2), &[("LAB2048_CACHE", "none")]);
    assert!(without.contains("2 moves ahead"), "{without}");
    assert!(!place.path("cache").exists(), "none means none");
    assert_eq!(answer(&place, &best(2), &[]), without, "the first start");
    let [file] = &decoded(&place.path("cache/networks"))[..] else { panic!("one file") };
    let written = fs::metadata(file).expect("it exists").ino();
    let again = |what: &str, is_used: bool| {
        assert_eq!(answer(&place, &best(2), &[]), without, "{what}");
        assert_eq!(fs::metadata(file).expect("it exists").ino() == written, is_used, "{what}");
    };
    again("the second start", true);
    // Other commands share it. These copy the weights instead of mapping the file.
    let arena = "arena ntuple:net=small --games 3 --seed 5 --output FILE";
    for (name, cache) in [("with", "cache"), ("without", "none")] {
        let mut command = place.command(&arena.replace("FILE", name));
        let ran = ended(command.env("LAB2048_CACHE", cache).spawn().expect("it starts"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    let records = |name: &str| -> Vec<String> {
        let untimed = |line: &str| line.split(",\"time\"").next().map(str::to_owned);
        place.read(name).lines().skip(1).filter_map(untimed).collect()
    };
    assert_eq!(records("with"), records("without"));
    assert_eq!(decoded(&place.path("cache/networks")).len(), 1);
    again("after another command", true);
    // A damaged file is replaced without a word.
    let mut bytes = fs::read(file).expect("it can be read");
    let place_of_a_weight = bytes.iter().position(|&byte| byte != 0).expect("there are weights");
    bytes[place_of_a_weight] ^= 0x40;
    fs::write(file, &bytes).expect("it can be written");
    again("damaged", false);
}

#[test]
fn two_first_starts_at_once_give_the_same_answer() {
    let place = Place::new();
    let start = || place.command(&best(1)).env("LAB2048_CACHE", "both/new").spawn().expect("it starts");
    let (one, two) = (start(), start());
    assert_eq!(answer_of(ended(one)), answer_of(ended(two)));
    assert_eq!(decoded(&place.path("both/new/networks")).len(), 1);
}

#[test]
fn a_cache_that_cannot_be_written_changes_nothing() {
    let place = Place::new();
    let expected = answer(&place, &best(1), &[("LAB2048_CACHE", "none")]);
    place.write("file", "");
    for folder in ["file", "file/inside", "/proc/cache", "/dev/null"] {
        assert_eq!(answer(&place, &best(1), &[("LAB2048_CACHE", folder)]), expected, "{folder}");
    }
    // A full disk, from the first byte on and in the middle.
    for blocks in [0, 3000] {
        assert_eq!(answer_of(place.run_limited_with(blocks, "full", &best(1))), expected, "{blocks} blocks");
        assert_eq!(decoded(&place.path("full/networks")), [] as [PathBuf; 0], "{blocks} blocks");
    }
    // A folder without permissions. The superuser may write there all the same.
    fs::create_dir(place.path("closed")).expect("a writable folder");
    let set = |mode| {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        fs::set_permissions(place.path("closed"), permissions).expect("our own folder");
    };
    set(0o000);
    assert_eq!(answer(&place, &best(1), &[("LAB2048_CACHE", "closed")]), expected);
    set(0o755);
}
