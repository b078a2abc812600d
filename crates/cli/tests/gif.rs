//! `lab2048 gif` with the real binary. The files are decoded and checked pixel by pixel.

mod support;

use std::process::Command;

use serde_json::Value;
use support::{Place, forged};

/// A decoded GIF.
struct Played {
    width: usize,
    height: usize,
    repeats: bool,
    /// The colours of each frame, and how long it is shown, in hundredths of a second.
    pictures: Vec<(Vec<[u8; 3]>, u16)>,
}

fn played(bytes: &[u8]) -> Played {
    let mut decoder = gif::DecodeOptions::new().read_info(bytes).expect("a GIF");
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let palette = decoder.global_palette().expect("one palette for all").to_vec();
    let mut seen = vec![[0; 3]; width * height];
    let mut pictures = Vec::new();
    while let Some(frame) = decoder.read_next_frame().expect("a picture") {
        assert!(frame.palette.is_none());
        for (place, &pixel) in frame.buffer.iter().enumerate() {
            let (row, column) = (place / usize::from(frame.width), place % usize::from(frame.width));
            if Some(pixel) != frame.transparent {
                let colour = &palette[3 * usize::from(pixel)..][..3];
                seen[(usize::from(frame.top) + row) * width + usize::from(frame.left) + column]
                    .copy_from_slice(colour);
            }
        }
        pictures.push((seen.clone(), frame.delay));
    }
    Played { width, height, repeats: decoder.repeat() == gif::Repeat::Infinite, pictures }
}

fn read(place: &Place, name: &str) -> Played {
    played(&std::fs::read(place.path(name)).expect("the file exists"))
}

/// The colours of the original game.
fn colour_of(tile: u64) -> [u8; 3] {
    match tile {
        0 => [0xcd, 0xc1, 0xb4],
        2 => [0xee, 0xe4, 0xda],
        4 => [0xed, 0xe0, 0xc8],
        8 => [0xf2, 0xb1, 0x79],
        16 => [0xf5, 0x95, 0x63],
        32 => [0xf6, 0x7c, 0x5f],
        64 => [0xf6, 0x5e, 0x3b],
        _ => [0x3c, 0x3a, 0x32],
    }
}

/// Checks one pixel of every tile, above its number. At scale 1 a tile is 64 pixels wide, with gaps
/// of 8 pixels.
fn check_tiles(film: &Played, picture: usize, rows: &Value) {
    let top = film.height - 16 - (rows.as_array().expect("rows").len() * 72 + 8);
    for (row, tiles) in rows.as_array().expect("rows").iter().enumerate() {
        for (col, tile) in tiles.as_array().expect("tiles").iter().enumerate() {
            let (x, y) = (16 + 8 + 72 * col + 32, top + 8 + 72 * row + 6);
            let seen = film.pictures[picture].0[y * film.width + x];
            assert_eq!(seen, colour_of(tile.as_u64().expect("a tile")), "picture {picture}, {row} {col}");
        }
    }
}

fn board(place: &Place, number: usize) -> Value {
    let text = place.ok(&format!("replay game.2048 --at {number} --json"), "");
    serde_json::from_str::<Value>(&text).expect("JSON")["board"].take()
}

#[test]
fn every_picture_shows_its_board() {
    let place = Place::new();
    place.ok("watch random --seed 3 --max-moves 12 --every 0 --save game.2048", "");
    let said = place.ok("gif game.2048 -o game.gif --smooth 0 --delay 150ms --hold 2s", "");
    assert!(said.starts_with("game.gif: 13 pictures of 12 moves, 328 x 388 pixels, "), "{said}");
    assert!(said.contains(" KB; random, seed 3, score "), "{said}");
    let film = read(&place, "game.gif");
    assert_eq!((film.width, film.height, film.pictures.len(), film.repeats), (328, 388, 13, true));
    for number in 0..=12 {
        check_tiles(&film, number, &board(&place, number));
        assert_eq!(film.pictures[number].1, if number == 12 { 200 } else { 15 });
    }
}

#[test]
fn tiles_slide_in_the_pictures_between() {
    let place = Place::new();
    place.ok("watch random --seed 3 --max-moves 6 --every 0 --save game.2048", "");
    place.ok("gif game.2048 -o game.gif --smooth 3 --delay 160ms --once", "");
    let film = read(&place, "game.gif");
    assert_eq!((film.pictures.len(), film.repeats), (1 + 6 * 4, false));
    assert!(film.pictures[1..].chunks(4).all(|turn| turn[..3].iter().all(|(_, time)| *time == 4)));
    for number in 0..=6 {
        check_tiles(&film, 4 * number, &board(&place, number));
    }
    // The shortest delay leaves no time for frames of sliding tiles.
    place.ok("gif game.2048 -o quick.gif --smooth 3 --delay 20ms", "");
    assert_eq!(read(&place, "quick.gif").pictures.len(), 7);
}

#[test]
fn the_temporary_file_of_a_killed_command_is_removed_by_the_next() {
    let place = Place::new();
    let names = || {
        let entries = std::fs::read_dir(place.path("")).expect("the folder exists");
        let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text"));
        names.collect::<std::collections::BTreeSet<String>>()
    };
    place.ok("watch greedy --seed 9 --every 0 --save game.2048", "");
    let mut child = place.start("gif game.2048 -o game.gif --smooth 9 --delay 1s");
    let is_temporary = |name: &String| name.ends_with(".tmp");
    while !names().iter().any(is_temporary) {
        assert!(child.try_wait().expect("try_wait works").is_none(), "it ended before it was killed");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert!(names().iter().any(is_temporary) && !place.path("game.gif").exists());
    place.ok("gif game.2048 -o game.gif --every 50", "");
    assert_eq!(names(), ["game.2048", "game.gif"].map(str::to_owned).into());
}

#[test]
fn every_kth_move_and_the_last() {
    let place = Place::new();
    place.ok("watch random --seed 3 --max-moves 11 --every 0 --save game.2048", "");
    place.ok("gif game.2048 -o game.gif --every 4", "");
    let film = read(&place, "game.gif");
    assert_eq!(film.pictures.len(), 4, "after 0, 4, 8 and 11 moves");
    for (picture, number) in [0, 4, 8, 11].into_iter().enumerate() {
        check_tiles(&film, picture, &board(&place, number));
    }
    place.ok("gif game.2048 -o short.gif --every 4 --max-moves 5", "");
    let film = read(&place, "short.gif");
    assert_eq!(film.pictures.len(), 3, "after 0, 4 and 5 moves");
    check_tiles(&film, 2, &board(&place, 5));
}

/// A game of more than 300 moves, which nobody wants as a file of many megabytes.
#[test]
fn a_long_game_is_thinned_to_about_300_moves() {
    let place = Place::new();
    place.ok("watch ntuple:net=small --seed 1 --max-moves 650 --every 0 --save game.2048", "");
    let ran = place.run("gif game.2048 -o game.gif --scale 0.25", "");
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (Some(0), "lab2048: the GIF shows one in 3 of 650 moves; --every 1 shows every move\n")
    );
    assert!(ran.out.starts_with("game.gif: 218 pictures of 650 moves, "), "{}", ran.out);
    assert_eq!(read(&place, "game.gif").pictures.len(), 218, "the start, 216 moves and the last one");
    // What is asked for is made, and without a remark.
    for (options, pictures) in [
        ("--every 1 --smooth 0", 651),
        ("--every 100", 8),
        ("--max-moves 300 --smooth 0", 301),
        ("--until 16 --smooth 0", 0),
    ] {
        place.ok(&format!("gif game.2048 -o asked.gif --scale 0.125 {options}"), "");
        let film = read(&place, "asked.gif");
        assert!(pictures == film.pictures.len() || pictures == 0 && film.pictures.len() < 60, "{options}");
    }
    let ran = place.run("gif game.2048 -o asked.gif --scale 0.125 --max-moves 301", "");
    assert!(ran.err.contains("one in 2 of 301 moves"), "{}", ran.err);
}

#[test]
fn without_a_name_the_gif_is_named_after_the_replay() {
    let place = Place::new();
    std::fs::create_dir(place.path("games")).expect("a folder");
    place.ok("watch random --seed 3 --max-moves 4 --every 0 --save games/best.one.2048", "");
    place.write("best.one-2.gif", "precious");
    for name in ["best.one.gif", "best.one-3.gif", "best.one-4.gif"] {
        let said = place.ok("gif games/best.one.2048 --smooth 0", "");
        assert!(said.starts_with(&format!("{name}: 5 pictures of 4 moves, ")), "{said}");
        assert_eq!(read(&place, name).pictures.len(), 5);
    }
    assert_eq!(place.read("best.one-2.gif"), "precious");
    // With -o, an older GIF is replaced.
    let said = place.ok("gif games/best.one.2048 --smooth 0 --every 4 -o best.one.gif", "");
    assert!(said.starts_with("best.one.gif: 2 pictures of 4 moves, "), "{said}");
    assert_eq!(read(&place, "best.one.gif").pictures.len(), 2);
    let games = std::fs::read_dir(place.path("games")).expect("it exists").count();
    assert_eq!(games, 1, "nothing is written beside the replay");
    let said = place.ok("gif --player expectimax:depth=1 --seed 3 --max-moves 2", "");
    assert!(said.starts_with("expectimax.gif: "), "{said}");
    // A game is not played in vain.
    let said = place.fails("gif --player nobody:x=/y", "", 2);
    assert!(said.contains("there is no player 'nobody'"), "{said}");
}

#[test]
fn a_fresh_game_is_the_game_of_its_seed() {
    let place = Place::new();
    place.ok("watch greedy --size 3x3 --seed 9 --every 0 --save game.2048", "");
    let of_replay = place.ok("gif game.2048 -o replay.gif --smooth 1", "");
    let of_game = place.ok("gif --player greedy --size 3x3 --seed 9 -o fresh.gif --smooth 1", "");
    assert_eq!(of_game, of_replay.replace("replay.gif", "fresh.gif"));
    let bytes = |name| std::fs::read(place.path(name)).expect("the file exists");
    assert_eq!(bytes("replay.gif"), bytes("fresh.gif"));
    // The standard output gets exactly the same bytes.
    let ran = Command::new(env!("CARGO_BIN_EXE_lab2048"))
        .args(["gif", "--player", "greedy", "--size", "3x3", "--seed", "9", "-o", "-", "--smooth", "1"])
        .output();
    assert_eq!(ran.expect("the binary runs").stdout, bytes("fresh.gif"));
}

#[test]
fn all_sizes_and_all_tiles() {
    let place = Place::new();
    for (line, width, height) in [
        ("--size 2x2 --player random --max-moves 3", 184, 244),
        ("--size 8x8 --player random --max-moves 3", 616, 676),
        ("--board 131072%20131072%203/18446744073709551615%207%200 --player random --max-moves 2", 256, 244),
    ] {
        place.ok(&format!("gif {line} --seed 1 -o a.gif"), "");
        let film = read(&place, "a.gif");
        assert_eq!((film.width, film.height), (width, height), "{line}");
    }
    place.ok("gif --size 8x2 --player random --max-moves 3 --scale 0.125 -o a.gif", "");
    assert!(read(&place, "a.gif").width < 40);
}

#[test]
fn a_quit_and_passes_are_shown_too() {
    let place = Place::new();
    place.ok("play --seed 3 --save game.2048", "a\ns\nd\nq\n");
    let said = place.ok("gif game.2048 -o game.gif --smooth 0", "");
    let moves = said.split(" of ").nth(1).and_then(|rest| rest.split(' ').next()).map(str::to_owned);
    let film = read(&place, "game.gif");
    assert_eq!(moves, Some((film.pictures.len() - 1).to_string()), "the quit adds no frame: {said}");
    assert_eq!(film.pictures.last().expect("a picture").1, 300 + 20, "the last board and the quit together");
}

#[test]
fn errors_are_reported_before_anything_is_played() {
    let place = Place::new();
    place.ok("watch random --seed 3 --max-moves 4 --every 0 --save game.2048", "");
    let text = place.read("game.2048");
    let step = text.lines().nth(2).expect("steps")[..3].to_owned();
    // The same step repeated until its tile has no room.
    place.write("forged.2048", &forged(&text.replacen(&step, &format!("{step} {step} {step} {step}"), 1)));
    place.write("notes", "mine");
    for (line, code, says) in [
        ("gif game.2048 -o game.2048", 2, "use the ending .gif"),
        ("gif game.2048 -o notes", 2, "notes already exists and is not a GIF; choose another name"),
        ("gif game.2048 -o no/such/folder.gif", 2, "the folder does not exist"),
        ("gif game.2048 --seed 3 -o a.gif", 2, "cannot be used with"),
        ("gif game.2048 --player greedy -o a.gif", 2, "cannot be used with"),
        ("gif missing.2048 -o a.gif", 2, "cannot read missing.2048"),
        ("gif forged.2048 -o a.gif", 2, "forged.2048: the replay is not valid: step "),
        ("gif --player nobody -o a.gif", 2, "there is no player 'nobody'"),
        ("gif game.2048 -o a.gif --scale 9", 2, "it must be a number from 0.125 to 8"),
        ("gif game.2048 -o a.gif --delay 10ms", 2, "from 20ms to 60s"),
        ("gif game.2048 -o a.gif --every 0", 2, "it must be a whole number of at least 1"),
    ] {
        let said = place.fails(line, "", code);
        assert!(said.contains(says), "{line}: {said}");
    }
    assert!(!place.path("a.gif").exists());
    assert_eq!((place.read("game.2048"), place.read("notes")), (text, "mine".to_owned()));
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_leaves_a_gif_of_the_moves_so_far() {
    let place = Place::new();
    // On a busy machine the first moves may take a while.
    for wait in [1, 2, 4, 8, 16] {
        let gif = place.start("gif --player minimax:time=30ms --seed 1 --smooth 0 -o a.gif");
        support::wait_until_it_listens(&gif);
        std::thread::sleep(std::time::Duration::from_secs(wait));
        support::interrupt(&gif);
        let ran = support::ended(gif);
        assert_eq!(ran.code, Some(130), "{}", ran.err);
        assert_eq!(ran.err, "lab2048: interrupted; the GIF shows only the moves before that\n");
        let pictures = read(&place, "a.gif").pictures.len();
        let moves = pictures - 1;
        assert!(ran.out.starts_with(&format!("a.gif: {pictures} picture")), "{}", ran.out);
        assert!(ran.out.contains(&format!(" of {moves} move")), "the start and every move: {}", ran.out);
        if moves > 2 {
            return;
        }
    }
    panic!("the film ends after its first moves");
}
