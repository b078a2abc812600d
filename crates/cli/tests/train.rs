//! `lab2048 train` with the real binary: runs that end, are resumed, killed or refused.

mod support;

use std::time::{Duration, Instant};

use support::Place;

/// Trains within a second: one table for all boards of 2x2.
const TINY: &str = "train run --size 2x2 --threads 1 --seed 3";

#[test]
fn a_run_ends_at_its_goal_and_can_be_resumed() {
    let place = Place::new();
    let out = place.ok(&format!("{TINY} --games 2000"), "");
    assert!(out.starts_with("2000 games, "), "{out}");
    let curve = place.read("run/curve.csv");
    assert!(curve.starts_with("games,moves,seconds,mean_score,games_in_mean,2048,"), "{curve}");
    assert_eq!(curve.lines().count(), 2, "{curve}");
    assert!(place.read("run/curve.svg").contains("<polyline"));
    assert!(place.path("run/network.net").exists() && place.path("run/training.checkpoint").exists());
    // Options are stored in the checkpoint.
    let out = place.ok("train run --threads 1 --games 5000 --json", "");
    let told: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(told["progress"]["games"], 5000);
    assert_eq!(told["recipe"]["seed"], 3);
    assert_eq!(place.read("run/curve.csv").lines().count(), 3);
}

#[test]
fn on_one_thread_the_network_does_not_depend_on_pauses() {
    let place = Place::new();
    place.ok(&format!("{TINY} --games 4000"), "");
    let whole = std::fs::read(place.path("run/network.net")).expect("the network exists");
    let parts = TINY.replace("run", "parts");
    for games in [1, 700, 4000] {
        place.ok(&format!("{parts} --games {games}"), "");
    }
    assert!(std::fs::read(place.path("parts/network.net")).expect("the file exists") == whole);
}

#[test]
fn a_killed_run_resumes_from_its_checkpoint() {
    let place = Place::new();
    let mut child = place.start(&format!("{TINY} --checkpoint-every 0.001"));
    let checkpoint = place.path("run/training.previous");
    let begin = Instant::now();
    while !checkpoint.exists() && begin.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let refused = place.fails("train run --threads 1 --moves 1", "", 1);
    assert!(refused.contains("is being trained by another process"), "{refused}");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert!(checkpoint.exists(), "a second checkpoint keeps the first");
    let out = place.ok("train run --threads 1 --moves 1 --json", "");
    let told: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert!(told["progress"]["games"].as_u64().is_some_and(|games| games > 0), "{out}");
}

#[test]
fn a_run_can_start_from_a_network() {
    let place = Place::new();
    place.ok(&format!("{TINY} --games 10"), "");
    place.ok("train next --from run/network.net --games 5", "");
    let told = place.ok("train next --from run/network.net --games 8 --json", "");
    let told: serde_json::Value = serde_json::from_str(&told).expect("it is JSON");
    assert_eq!(told["recipe"]["from"].as_str().map(str::len), Some(64), "{told}");
    place.ok("train next --games 9", "");
    let told = place.fails("train run --from next/network.net --games 20", "", 2);
    assert!(told.starts_with("the run in run has --from none"), "{told}");
    assert_eq!(
        place.fails("train other --from run/network.net --patterns 01 --games 1", "", 2),
        "the network to start from has --patterns \"0123\"; leave the option out"
    );
    let told = place.fails("train other --from run/training.checkpoint --games 1", "", 2);
    assert_eq!(told, "cannot start from the network run/training.checkpoint: it is not a network of lab2048");
    assert_eq!(
        place.fails("train other --from run/network.net --stages /8 --games 1", "", 2),
        "the network has --stages one; you can add later stages, but not change or remove one"
    );
    let told = place.fails("train other/deep --from nothing --games 1", "", 2);
    assert!(told.starts_with("cannot read nothing: "), "{told}");
    assert!(!place.path("other").exists(), "a refused command creates nothing");
    let before = place.read("run/curve.csv");
    for file in ["training.checkpoint", "training.previous"] {
        let _ = std::fs::remove_file(place.path(&format!("run/{file}")));
    }
    let told = place.fails("train run --from run/network.net --games 1", "", 2);
    assert_eq!(
        told,
        "run/network.net already exists, but the folder has no run that it could belong to; choose another folder"
    );
    assert_eq!(place.read("run/curve.csv"), before);
}

#[test]
fn a_run_that_starts_from_a_network_can_have_more_stages() {
    let place = Place::new();
    let checkpoint = |run: &str| {
        let bytes = std::fs::read(place.path(run).join("training.checkpoint")).expect("the file exists");
        let text = String::from_utf8_lossy(&bytes[..4000.min(bytes.len())]).into_owned();
        assert!(text.contains("\"stages\":\"8 16\""), "{text}");
        std::fs::read(place.path(run).join("network.net")).expect("the file exists")
    };
    place.ok(&format!("{TINY} --games 2000"), "");
    place.ok("train late --from run/network.net --rate 0 --games 1 --threads 1", "");
    place.ok("train late --stages 8%2016 --rate 1 --games 50 --threads 1", "");
    place.ok("train once --from run/network.net --stages 8%2016 --rate 0 --games 1 --threads 1", "");
    place.ok("train once --rate 1 --games 50 --threads 1", "");
    // Equal weights and equal counts of their use: both learn the same.
    assert!(checkpoint("late") == checkpoint("once"));
}

#[test]
fn a_refused_run_leaves_a_folder_as_it_was() {
    let place = Place::new();
    for folder in ["mine", "drawn"] {
        std::fs::create_dir(place.path(folder)).expect("a writable folder");
    }
    place.write("mine/curve.csv", "my own figures\n");
    assert_eq!(
        place.fails("train mine --games 1", "", 2),
        "mine/curve.csv already exists and is not a learning curve; choose another folder"
    );
    assert_eq!(place.read("mine/curve.csv"), "my own figures\n");
    place.write("drawn/curve.svg", "my own picture\n");
    assert_eq!(
        place.fails("train drawn --games 1", "", 2),
        "drawn/curve.svg already exists, but the folder has no run that it could belong to; choose another folder"
    );
    for folder in ["mine", "drawn"] {
        let files = std::fs::read_dir(place.path(folder)).expect("the file exists");
        assert_eq!(files.count(), 1, "{folder}");
    }
}

#[test]
fn a_goal_that_is_never_reached_is_refused() {
    let place = Place::new();
    for share in ["--formations 1", "--openings 1"] {
        let told = place.fails(&format!("{TINY} --games 10 {share}"), "", 2);
        assert!(told.starts_with("--games counts whole games, but this run has only"), "{told}");
        assert!(!place.path("run").exists(), "a refused command creates nothing");
    }
    place.ok(&format!("{TINY} --games 10 --moves 100 --openings 1"), "");
}

#[test]
fn a_network_can_be_mixed_in_once() {
    let place = Place::new();
    place.ok(&format!("{TINY} --games 10"), "");
    place.ok("train next --from run/network.net --games 5 --seed 9", "");
    let mix = "train next --mix run/network.net:0.4 --games";
    let told = place.ok(&format!("{mix} 8"), "");
    assert!(told.contains("mixed       0.4 of the way to the network "), "{told}");
    // The same command resumes the run and does not mix again.
    let told = place.ok(&format!("{mix} 20 --average --json"), "");
    let told: serde_json::Value = serde_json::from_str(&told).expect("it is JSON");
    assert_eq!(told["recipe"]["mixed"].as_array().map(Vec::len), Some(1), "{told}");
    let network = std::fs::read(place.path("next/network.net")).expect("the file exists");
    let notes = String::from_utf8_lossy(&network[..2000.min(network.len())]).into_owned();
    assert!(notes.contains("\"mean_of\":\"1\""), "a short session samples only its end: {notes}");
    // A session without work keeps the mean, which could not be computed again.
    place.ok("train next --games 20", "");
    assert!(std::fs::read(place.path("next/network.net")).expect("the file exists") == network);
    let before = std::fs::read(place.path("next/training.checkpoint")).expect("the file exists");
    assert_eq!(
        place.fails("train next --mix run/network.net:0.5 --games 30", "", 2),
        "this network is already mixed in, with a share of 0.4; omit the option to resume"
    );
    for (option, says) in [
        ("run/network.net", "a network and a share above 0, at most 1, like old.net:0.4"),
        ("run/network.net:0", "a network and a share above 0, at most 1, like old.net:0.4"),
        ("run/network.net:2", "a network and a share above 0, at most 1, like old.net:0.4"),
        ("nothing:0.4", "cannot read nothing: "),
        ("run/curve.csv:0.4", "cannot mix in the network run/curve.csv: it is not a network of lab2048"),
        ("default:0.4", "the network to mix in has a different board size"),
    ] {
        let told = place.fails(&format!("train next --mix {option} --games 30"), "", 2);
        assert!(told.contains(says), "{told}");
    }
    assert_eq!(std::fs::read(place.path("next/training.checkpoint")).expect("the file exists"), before);
    place.fails("train other --size 2x3 --patterns 0123 --mix nothing:0.4 --games 9", "", 2);
    assert!(!place.path("other").exists(), "a refused command creates nothing");
}

#[test]
fn a_network_of_one_stage_is_mixed_into_a_run_that_has_more() {
    let place = Place::new();
    let network = |run: &str| std::fs::read(place.path(run).join("network.net")).expect("the file exists");
    place.ok(&format!("{TINY} --games 10"), "");
    place.ok("train next --from run/network.net --games 5 --seed 9", "");
    // Added stages change the network even if no game is played.
    let before = network("next");
    place.ok("train next --stages 16 --games 5", "");
    let staged = network("next");
    assert!(staged != before);
    let told = place.ok("train next --mix run/network.net:0.4 --games 5", "");
    assert!(told.contains("mixed       0.4 of the way to the network "), "{told}");
    // The other way round is refused: the run has no such stage.
    let told = place.fails("train run --mix next/network.net:0.4 --games 20", "", 2);
    assert!(told.contains("has different stages"), "{told}");
}

#[test]
fn a_damaged_checkpoint_is_replaced_even_if_nothing_is_left_to_do() {
    let place = Place::new();
    place.ok(&format!("{TINY} --games 10"), "");
    place.ok(&format!("{TINY} --games 20"), "");
    place.write("run/training.checkpoint", "torn");
    let ran = place.run(&format!("{TINY} --games 1"), "");
    assert!(ran.code == Some(0) && ran.err.contains("continues from the previous checkpoint"), "{}", ran.err);
    assert!(place.path("run/training.checkpoint").exists() && place.path("run/training.damaged").exists());
    let out = place.ok(&format!("{TINY} --games 20"), "");
    assert!(out.starts_with("20 games, "), "{out}");
}

#[test]
fn a_bad_previous_checkpoint_is_named_if_it_is_the_only_one() {
    let place = Place::new();
    place.ok(&format!("{TINY} --games 10"), "");
    std::fs::remove_file(place.path("run/training.checkpoint")).expect("a checkpoint");
    place.write("run/training.previous", "torn");
    let said = place.fails(&format!("{TINY} --games 20"), "", 2);
    assert_eq!(said, "run/training.previous is not a training checkpoint of lab2048");
}

/// The content of a file.
fn bytes(place: &Place, name: &str) -> Vec<u8> {
    std::fs::read(place.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Puts a non-empty folder where a file should be, so that not even root can write the file.
fn block(place: &Place, name: &str) {
    let _ = std::fs::remove_file(place.path(name));
    std::fs::create_dir(place.path(name)).expect("a writable folder");
    place.write(&format!("{name}/something"), "");
}

fn unblock(place: &Place, name: &str) {
    std::fs::remove_dir_all(place.path(name)).expect("the folder exists");
}

#[test]
fn a_network_that_could_not_be_written_is_written_by_the_same_command() {
    let place = Place::new();
    place.ok(&format!("{} --games 20", TINY.replace("run", "straight")), "");
    let expected = bytes(&place, "straight/network.net");
    place.ok(&format!("{TINY} --games 10"), "");
    let old = bytes(&place, "run/network.net");
    block(&place, "run/network.net");
    for _ in 0..2 {
        let told = place.fails(&format!("{TINY} --games 20"), "", 1);
        assert!(told.starts_with("cannot write run/network.net: "), "{told}");
    }
    unblock(&place, "run/network.net");
    for before in [Some(&old[..]), None] {
        match before {
            Some(before) => std::fs::write(place.path("run/network.net"), before),
            None => std::fs::remove_file(place.path("run/network.net")),
        }
        .expect("a writable folder");
        let out = place.ok(&format!("{TINY} --games 20"), "");
        assert!(out.starts_with("20 games, ") && out.contains("no game finished in this session"), "{out}");
        assert_eq!(out.contains("(written again; "), before.is_some(), "{out}");
        assert!(bytes(&place, "run/network.net") == expected);
    }
    let out = place.ok(&format!("{TINY} --games 20"), "");
    assert!(!out.contains("written again"), "{out}");
}

#[test]
fn a_network_that_is_not_of_the_run_is_renamed_and_not_replaced() {
    let place = Place::new();
    place.ok("train other --size 2x2 --threads 1 --seed 4 --games 30", "");
    let other = bytes(&place, "other/network.net");
    place.ok(&format!("{TINY} --games 10"), "");
    let own = bytes(&place, "run/network.net");
    // A network of another run, a truncated one, and not a network. In the last case there are
    // games left to play.
    let foreign = [(&other[..], 10), (&own[..own.len() - 1], 10), (b"mine", 10), (&other[..], 20)];
    for ((content, games), number) in foreign.into_iter().zip(2..) {
        std::fs::write(place.path("run/network.net"), content).expect("a writable folder");
        let ran = place.run(&format!("{TINY} --games {games} --json"), "");
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let aside = format!("run/network-{number}.net");
        let says = format!(
            "lab2048: run/network.net is not an earlier network of this run; it was renamed to {aside}\n"
        );
        assert_eq!(ran.err, says);
        let told: serde_json::Value = serde_json::from_str(&ran.out).expect("it is JSON");
        assert_eq!(told["set_aside"], aside);
        assert!(bytes(&place, &aside) == content);
        assert_eq!(bytes(&place, "run/network.net") == own, games == 10);
    }
    let told = place.ok(&format!("{TINY} --games 30 --json"), "");
    assert!(told.contains("\"set_aside\":null") || told.contains("\"set_aside\": null"), "{told}");
}

#[test]
fn a_lost_mean_is_a_failure() {
    let place = Place::new();
    place.ok(&format!("{TINY} --games 10 --average"), "");
    block(&place, "run/network.net");
    place.fails(&format!("{TINY} --games 20 --average"), "", 1);
    unblock(&place, "run/network.net");
    let ran = place.run(&format!("{TINY} --games 20 --average"), "");
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    assert_eq!(
        ran.err,
        "lab2048: the mean was lost because the last session could not write run/network.net; \
         it now holds the last weights\n"
    );
    place.ok(&format!("{} --games 20", TINY.replace("run", "straight")), "");
    assert!(bytes(&place, "run/network.net") == bytes(&place, "straight/network.net"));
    place.ok(&format!("{TINY} --games 20 --average"), "");
}

#[cfg(unix)]
#[test]
fn a_checkpoint_that_cannot_be_written_is_tried_again() {
    use std::io::{BufRead, BufReader};
    let place = Place::new();
    place.ok(&format!("{TINY} --games 10"), "");
    block(&place, "run/training.new");
    let mut child = place.start("train run --threads 1 --checkpoint-every 0.0001");
    let mut said = BufReader::new(child.stderr.take().expect("stderr is piped"));
    let mut line = String::new();
    said.read_line(&mut line).expect("readable output");
    assert!(line.starts_with("lab2048: cannot write run/training.new: "), "{line}");
    assert!(line.ends_with("; the training continues and will try again\n"), "{line}");
    unblock(&place, "run/training.new");
    support::interrupt(&child);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let told = place.ok("train run --threads 1 --moves 1 --json", "");
    let told: serde_json::Value = serde_json::from_str(&told).expect("it is JSON");
    assert!(told["progress"]["games"].as_u64() > Some(10), "{told}");
}

#[test]
fn a_mean_stays_while_it_belongs_to_the_checkpoint() {
    let place = Place::new();
    let has_mean = || String::from_utf8_lossy(&bytes(&place, "run/network.net")).contains("\"mean_of\"");
    place.ok(&format!("{TINY} --games 10 --average"), "");
    let old = bytes(&place, "run/network.net");
    place.ok(&format!("{TINY} --games 20 --average"), "");
    let mean = bytes(&place, "run/network.net");
    for option in ["", " --average", " --rate 0.5"] {
        place.ok(&format!("{TINY} --games 20{option}"), "");
        assert!(bytes(&place, "run/network.net") == mean && has_mean());
    }
    // A mean of earlier weights does not belong to the checkpoint. It is replaced by the last
    // weights, which are not a mean.
    std::fs::write(place.path("run/network.net"), old).expect("a writable folder");
    place.fails(&format!("{TINY} --games 20 --average"), "", 1);
    assert!(!has_mean());
    place.ok(&format!("{} --games 20", TINY.replace("run", "straight")), "");
    assert!(bytes(&place, "run/network.net") == bytes(&place, "straight/network.net"));
}

#[test]
fn a_network_from_later_than_the_checkpoint_that_is_left_stays() {
    let place = Place::new();
    place.ok(&format!("{TINY} --games 10"), "");
    place.ok(&format!("{TINY} --games 20"), "");
    let network = bytes(&place, "run/network.net");
    place.write("run/training.checkpoint", "torn");
    for _ in 0..2 {
        let ran = place.run(&format!("{TINY} --games 1"), "");
        assert!(ran.code == Some(0) && ran.out.contains("(kept: it is from later in the run"), "{}", ran.out);
        assert!(bytes(&place, "run/network.net") == network);
    }
}

#[test]
fn a_curve_or_a_picture_that_cannot_be_written_does_not_stop_the_training() {
    let place = Place::new();
    place.ok(&format!("{} --games 20", TINY.replace("run", "straight")), "");
    let expected = bytes(&place, "straight/network.net");
    for file in ["curve.csv", "curve.svg"] {
        place.ok(&format!("{TINY} --games 10"), "");
        let path = format!("run/{file}");
        block(&place, &path);
        let told = place.fails(&format!("{TINY} --games 20"), "", 1);
        assert!(told.starts_with("cannot ") && told.contains(&path), "{told}");
        assert!(told.ends_with("; the training itself is not affected"), "{told}");
        assert!(bytes(&place, "run/network.net") == expected);
        unblock(&place, &path);
        let out = place.ok(&format!("{TINY} --games 20"), "");
        assert!(out.starts_with("20 games, ") && out.contains("no game finished in this session"), "{out}");
        assert!(place.path(&path).is_file());
        std::fs::remove_dir_all(place.path("run")).expect("the run exists");
    }
    // The same in the first session of a run.
    std::fs::create_dir(place.path("run")).expect("a writable folder");
    block(&place, "run/curve.csv");
    place.fails(&format!("{TINY} --games 20"), "", 1);
    assert!(bytes(&place, "run/network.net") == expected);
}

#[cfg(unix)]
#[test]
fn a_curve_that_may_not_be_changed_stays_as_it_is() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.ok(&format!("{TINY} --games 10"), "");
    let before = place.read("run/curve.csv");
    let set = |mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(place.path("run/curve.csv"), permissions).expect("permissions can be set");
    };
    set(0o444);
    let told = place.fails(&format!("{TINY} --games 20"), "", 1);
    assert!(told.starts_with("cannot write run/curve.csv: "), "{told}");
    assert_eq!(place.read("run/curve.csv"), before);
    set(0o644);
    let out = place.ok(&format!("{TINY} --games 20"), "");
    assert!(out.contains("no game finished in this session"), "the checkpoint was written: {out}");
}

#[test]
fn a_checkpoint_with_extra_bytes_is_refused() {
    let place = Place::new();
    place.ok(&format!("{TINY} --games 10"), "");
    let mut checkpoint = bytes(&place, "run/training.checkpoint");
    let len = checkpoint.len();
    checkpoint.push(0);
    std::fs::write(place.path("run/training.checkpoint"), checkpoint).expect("a writable folder");
    let told = place.fails(&format!("{TINY} --games 20"), "", 2);
    assert!(told.ends_with(&format!("is damaged: extra data after its end, from byte {len}")), "{told}");
}

#[test]
fn weights_that_grow_beyond_all_numbers_are_not_written() {
    let place = Place::new();
    let run = "train run --patterns 0123%204567 --rule td --order forward --threads 1";
    place.ok(&format!("{run} --moves 5e4"), "");
    let files = || {
        ["network.net", "training.checkpoint"]
            .map(|name| std::fs::read(place.path(&format!("run/{name}"))).ok())
    };
    let before = files();
    assert_eq!(
        place.fails("train run --threads 1 --rate 5 --moves 1e5", "", 1),
        "the weights diverged, so nothing was written; use a lower --rate"
    );
    assert!(before.iter().all(Option::is_some) && files() == before);
    place.ok("train run --threads 1 --rate 0.1 --moves 1e5", "");
}

#[test]
fn options_that_do_not_fit_are_refused_in_one_sentence() {
    let place = Place::new();
    place.ok(&format!("{TINY} --games 10"), "");
    assert_eq!(
        place.fails("train run --rule td --games 20", "", 2),
        "the run in run has --rule tc; leave the option out to resume, or choose another folder"
    );
    assert!(place.fails("train run --patterns 01 --games 20", "", 2).contains("--patterns \"0123\""));
    assert!(place.fails("train new --size 5x5 --games 1", "", 2).contains("sides of 2 to 4"));
    assert!(place.fails("train new --patterns 0129z --games 1", "", 2).contains("'z'"));
    assert!(place.fails("train new --rate fast --games 1", "", 2).contains("'fast' is not a learning rate"));
    assert!(place.fails("train new --stages 17 --games 1", "", 2).contains("'17' is not a list of stages"));
    for run in ["run", "new --size 2x2", "new --from run/network.net"] {
        for (stages, says) in [
            ("16*4", "an afterstate cannot have that many of these tiles"),
            ("32768", "the largest tile of the network is 16384"),
            ("32%2016", "the later stage 16 contains all of them"),
        ] {
            let told = place.fails(&format!("train {run} --games 20 --stages {stages}"), "", 2);
            let stage = stages.trim_end_matches("%2016");
            assert_eq!(told, format!("the stage {stage} would have no boards: {says}"));
        }
    }
    assert_eq!(
        place.fails("train run --stages /16 --games 20", "", 2),
        "the network has --stages one; you can add later stages, but not change or remove one"
    );
    place.write("file", "");
    assert_eq!(place.fails("train file --games 1", "", 2), "file is not a folder");
    assert!(place.fails("train new --stage-starts 2 --games 1", "", 2).contains("from 0 to 1"));
    assert!(place.fails("train new --formations 2 --games 1", "", 2).contains("from 0 to 1"));
    assert!(place.fails("train run --openings 2 --games 20", "", 2).contains("from 0 to 1"));
    assert!(place.fails("train run --formations nan --games 20", "", 2).contains("from 0 to 1"));
    place.write("run/training.checkpoint", "not a checkpoint at all");
    let said = place.fails("train run --games 20", "", 2);
    assert!(said.ends_with("is not a training checkpoint of lab2048"), "{said}");
}

/// The file of the network is a pipe without a writer.
#[cfg(target_os = "linux")]
#[test]
fn one_signal_ends_the_wait_for_a_network() {
    let place = Place::new();
    place.pipe_without_writer("never.net");
    for option in ["--from never.net", "--mix never.net:0.5"] {
        let child = place.start(&format!("train run {option}"));
        support::wait_until_it_listens(&child);
        support::interrupt(&child);
        assert_eq!(support::ended(child).code, Some(130));
        assert!(!place.path("run").exists(), "no folder is left");
    }
}
