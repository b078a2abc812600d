use proptest::prelude::*;

use super::*;
use crate::board::{Direction, parse_board};
use crate::game::{IdleMove, IllegalTurn, Probability, StartTiles, Stream};

/// A recorded game of random legal moves.
fn played(rules: Rules, seed: u64, most: u64) -> (Replay, Game) {
    let mut game = Game::new(rules, seed);
    let mut recorder = Recorder::new(&game).unwrap();
    while game.ending().is_none() && game.turns() < most {
        let legal = game.board().legal_moves();
        let direction = legal.nth(Stream::player(seed).below(game.turns(), legal.len())).unwrap();
        recorder.push(&game.play(Action::Move(direction)).unwrap()).unwrap();
    }
    (recorder.finish(&game).by("random"), game)
}

/// A game of random directions, so that the course's rules get passes, with a quit after `most`
/// turns.
fn played_blindly(rules: Rules, seed: u64, most: u64) -> Replay {
    let mut game = Game::new(rules, seed);
    let mut recorder = Recorder::new(&game).unwrap();
    let luck = Stream::player(seed);
    for place in 0.. {
        if game.ending().is_some() {
            break;
        }
        let direction = Direction::ALL[luck.below(place, 4)];
        let action = if game.turns() == most { Action::Quit } else { Action::Move(direction) };
        match game.play(action) {
            Ok(turn) => recorder.push(&turn).unwrap(),
            Err(error) => assert!(matches!(error, IllegalTurn::Idle(_))),
        }
    }
    recorder.finish(&game)
}

fn reread(replay: &Replay) -> Replay {
    Replay::from_text(replay.to_text().as_bytes()).unwrap()
}

/// A file with these lines and the right checksum.
fn file(lines: &[&str]) -> Vec<u8> {
    let body = lines.join("\n") + "\n";
    format!("{body}crc32 {:08x}\n", crc32fast::hash(body.as_bytes())).into_bytes()
}

fn refused(bytes: &[u8]) -> String {
    Replay::from_text(bytes).unwrap_err().to_string()
}

const HEADER: &str = r#"{"rules":{"size":"2x2","four":0.1,"start":"two-spawns","idle":"refused","goal":2048},"seed":null,"player":null,"network":null,"note":null,"start":[[2,0],[0,2]],"score":0,"ending":null}"#;

#[test]
fn the_text_of_a_known_game() {
    //  2 .  down   . .   4 in the    4 .   right   . 4   2 in the
    //  . 2   ->    2 2   top left    2 2    ->     . 4   top left
    let start = parse_board("2 0/0 2", None).unwrap();
    let mut game = Game::from_board(Rules::default(), 0, start);
    let mut recorder = Recorder::foreign(&game).unwrap();
    let mut play = |action, spawn| {
        recorder.push(&game.play_with(action, |_| spawn).unwrap()).unwrap();
    };
    play(Action::Move(Direction::Down), Some(Spawn { cell: 0, tile: 4 }));
    play(Action::Move(Direction::Right), Some(Spawn { cell: 0, tile: 2 }));
    play(Action::Quit, None);
    let replay = recorder.finish(&game).by("human").noting("a \"short\" game");
    let text = replay.to_text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "lab2048 replay 1");
    let header = HEADER
        .replace(r#""player":null"#, r#""player":"human""#)
        .replace(r#""note":null"#, r#""note":"a \"short\" game""#)
        .replace(r#""score":0,"ending":null"#, r#""score":4,"ending":"quit""#);
    assert_eq!(lines[1], header);
    assert_eq!(lines[2], "D02 R01 Q--");
    assert_eq!(lines[3], "crc32 3cb8f573");
    assert_eq!(reread(&replay), replay);
    replay.verify().unwrap();
}

#[test]
fn games_of_all_sizes_come_back_from_their_text_and_hold() {
    for (size, seed) in [("2x2", 1), ("4x4", 2), ("3x5", 3), ("8x8", 4), ("8x2", 5)] {
        let rules = Rules { size: size.parse().unwrap(), ..Rules::default() };
        let (replay, game) = played(rules, seed, 3000);
        let again = reread(&replay);
        assert_eq!(again, replay);
        assert_eq!(again.to_text(), replay.to_text());
        let checked = again.verify().unwrap();
        assert_eq!(checked, Checked { turns: replay.steps().len(), seeded: true, seeded_start: true });
        let last = again.positions().last().unwrap().unwrap();
        assert_eq!((&last.board, last.score, last.ending), (game.board(), game.score(), game.ending()));
    }
}

#[test]
fn passes_and_the_full_board_of_the_course() {
    let rules = Rules { size: "2x2".parse().unwrap(), ..Rules::COURSE };
    let replays: Vec<Replay> = (0..200).map(|seed| played_blindly(rules.clone(), seed, 9)).collect();
    for replay in &replays {
        assert_eq!(reread(replay), *replay);
        replay.verify().unwrap();
    }
    let any =
        |test: &dyn Fn(&ReplayStep) -> bool| replays.iter().any(|replay| replay.steps().iter().any(test));
    assert!(any(&|step| step.action() == Action::Pass && step.spawn().is_some()));
    assert!(
        any(&|step| step.action() == Action::Pass && step.spawn().is_none()),
        "no game ended without room"
    );
    assert!(any(&|step| step.action() == Action::Quit));
}

#[test]
fn every_position_can_be_reached_directly() {
    let (replay, _) = played(Rules::default(), 11, 200);
    let all: Vec<Position> = replay.positions().map(Result::unwrap).collect();
    assert_eq!(all.len(), replay.steps().len() + 1);
    assert_eq!(all[0].board, replay.header().start);
    assert_eq!((all[0].score, all[0].turn), (0, None));
    for (number, position) in all.iter().enumerate() {
        assert_eq!(replay.position(number).unwrap().unwrap(), *position);
        let Some(turn) = position.turn else { continue };
        assert_eq!(position.score, all[number - 1].score + turn.reward);
        assert_eq!((turn.action, turn.spawn), {
            let step = replay.steps()[number - 1];
            (step.action(), step.spawn())
        });
    }
    assert!(replay.position(all.len()).is_none());
}

#[test]
fn a_history_is_recorded_without_what_was_taken_back() {
    let mut history = History::new(Game::new(Rules::default(), 5));
    let play = |history: &mut History| {
        let direction = history.game().board().legal_moves().iter().last().unwrap();
        history.play(Action::Move(direction)).unwrap();
    };
    assert_eq!(Replay::of_history(&history).unwrap().steps().len(), 0);
    (0..5).for_each(|_| play(&mut history));
    history.undo().unwrap();
    history.undo().unwrap();
    (0..3).for_each(|_| play(&mut history));
    let replay = Replay::of_history(&history).unwrap();
    assert_eq!(replay.steps().len(), 6);
    assert_eq!(replay.header().score, history.game().score());
    replay.verify().unwrap();
}

#[test]
fn what_a_replay_cannot_hold_is_refused_when_recorded() {
    let mut game = Game::new(Rules::default(), 5);
    let mut recorder = Recorder::new(&game).unwrap();
    let turn = |tile, cell| Turn { action: Action::Pass, reward: 0, spawn: Some(Spawn { cell, tile }) };
    assert_eq!(recorder.push(&turn(3, 0)), Err(CannotRecord::Tile(3)));
    assert_eq!(recorder.push(&turn(0, 0)), Err(CannotRecord::Tile(0)));
    assert_eq!(recorder.push(&turn(2, 16)), Err(CannotRecord::Cell(16)));
    assert_eq!(recorder.push(&turn(1 << 63, 15)), Ok(()));
    let direction = game.board().legal_moves().iter().next().unwrap();
    game.play(Action::Move(direction)).unwrap();
    assert_eq!(Recorder::new(&game).unwrap_err(), CannotRecord::Underway(1));
}

#[test]
fn long_names_do_not_make_a_file_that_cannot_be_read() {
    let (replay, _) = played(Rules::default(), 5, 3);
    let replay = replay.by("\u{1}".repeat(1_000_000)).noting("é".repeat(1_000_000));
    assert_eq!(reread(&replay), replay);
}

#[test]
fn every_chance_of_a_four_is_read_as_it_was_written() {
    let luck = Stream::player(3);
    for place in 0..2000 {
        let four = Probability::new(luck.unit(place)).unwrap();
        let (replay, _) = played(Rules { four, ..Rules::default() }, place, 1);
        assert_eq!(reread(&replay).header().rules.four.get().to_bits(), four.get().to_bits());
    }
}

#[test]
fn foreign_torn_and_changed_files_are_refused_with_the_line_and_the_reason() {
    let (replay, _) = played(Rules::default(), 11, 50);
    let text = replay.to_text();
    let foreign = "line 1: this is not a replay of lab2048: it does not start with 'lab2048 replay 1'";
    for bytes in [
        &b""[..],
        b"\n",
        b"lab2048 repla",
        b"lab2048 replay ",
        b"lab2048 replay one\n",
        b"\xff\xfe",
        b"GIF89a",
    ] {
        assert_eq!(refused(bytes), foreign);
    }
    let later = text.replacen("replay 1", "replay 12", 1);
    assert_eq!(
        refused(later.as_bytes()),
        "line 1: this replay has version 12, but only version 1 can be read"
    );
    let cut = |line: usize| format!("line {line}: the file ends without its checksum: it was cut off");
    assert_eq!(refused(b"lab2048 replay 1"), cut(1));
    assert_eq!(refused(b"lab2048 replay 1\ncrc32 0000000\n"), cut(2));
    // A file that is cut off anywhere is rejected.
    for length in 17..text.len() {
        let said = refused(&text.as_bytes()[..length]);
        assert!(said.contains("it was cut off"), "{length}: {said}");
    }
    assert_eq!(refused(&text.as_bytes()[..text.len() - 1]), cut(6));
    // The checksum detects a change of any byte.
    for place in 17..text.len() - 16 {
        let mut bytes = text.clone().into_bytes();
        bytes[place] ^= 1;
        let said = refused(&bytes);
        assert!(said.starts_with("line ") && said.ends_with("the file was changed"), "{place}: {said}");
    }
    for added in ["more", "\n\nmore\n", " \n\t|\n"] {
        assert_eq!(
            refused(format!("{text}{added}").as_bytes()),
            "line 7: there is more text after the checksum, which is the last line of a replay",
            "{added:?}"
        );
    }
}

/// Changes by mail, editors and version control do not matter.
#[test]
fn line_ends_of_windows_and_blank_lines_at_the_end_are_no_change() {
    let (replay, _) = played(Rules::default(), 11, 50);
    let text = replay.to_text();
    let windows = text.replace('\n', "\r\n");
    for same in [&windows, &format!("{text}\n"), &format!("{text} \n\t\n"), &format!("{windows}\r\n")] {
        assert_eq!(Replay::from_text(same.as_bytes()).as_ref(), Ok(&replay), "{same:?}");
    }
    for length in 18..windows.len() {
        let said = refused(&windows.as_bytes()[..length]);
        assert!(said.contains("it was cut off"), "{length}: {said}");
    }
    // Carriage returns in only some lines are a change.
    let lines: Vec<&str> = text.lines().collect();
    let mixed = format!("{}\r\n{}\n", lines[..3].join("\n"), lines[3..].join("\n"));
    assert!(refused(mixed.as_bytes()).ends_with("the file was changed"));
}

#[test]
fn a_wrong_header_is_refused_with_the_reason() {
    let cases = [
        ("", "line 2: the header is invalid: EOF while parsing a value (column 0)"),
        ("{}", "line 2: the header is invalid: missing field `rules` (column 2)"),
        ("[1]", "line 2: the header is invalid: invalid type"),
        ("{\"rules\":\"original\"}", "line 2: the header is invalid: invalid type: string \"original\""),
    ];
    for (header, says) in cases {
        let said = refused(&file(&["lab2048 replay 1", header, "U01"]));
        assert!(said.starts_with(says), "{said}");
    }
    let changed = [
        ("\"2x2\"", "\"2x3\"", "line 2: the start board is 2x2, but the rules say 2x3"),
        ("\"2x2\"", "\"9x9\"", "both sides must be from 2 to 8"),
        ("0.1", "1.1", "not a probability"),
        ("[2,0]", "[2]", "row 2 has 2 cells, but row 1 has 1"),
        ("[2,0]", "[-2,0]", "row 1, column 1: -2 is negative"),
        ("\"seed\":null", "\"seed\":-1", "invalid value"),
        ("\"score\":0", "\"score\":0.5", "invalid type"),
        ("\"ending\":null", "\"ending\":\"boredom\"", "unknown variant `boredom`"),
        ("\"note\":null", "\"nota\":null", "unknown field `nota`"),
        ("\"note\":null", "\"seed\":3", "duplicate field `seed`"),
        ("\"note\":null", "\"note\":\"\u{0}\"", "control character"),
    ];
    for (old, new, says) in changed {
        let said = refused(&file(&["lab2048 replay 1", &HEADER.replacen(old, new, 1), "U01"]));
        assert!(said.starts_with("line 2: ") && said.contains(says), "{said}");
    }
    let huge = format!("{HEADER}{}", " ".repeat(2 << 20));
    assert!(refused(&file(&["lab2048 replay 1", &huge])).contains("longer than"));
    assert!(refused(&file(&["lab2048 replay 1"])).starts_with("line 2: "));
}

#[test]
fn a_wrong_step_is_refused_with_its_place() {
    let twenty = ["U01"; 20].join(" ");
    let good: [&[&str]; 4] = [&[], &["U01"], &[&twenty], &[&twenty, "Q--"]];
    for lines in good {
        Replay::from_text(&file(&[&["lab2048 replay 1", HEADER], lines].concat())).unwrap();
    }
    let shape = "a step has three letters, followed by one blank or the end of the line";
    let count = "every line of steps except the last must have exactly 20 steps";
    let (long, short) = (format!("{twenty} U01"), twenty[4..].to_owned());
    let cases: [(&[&str], &str, &str); 17] = [
        (&[""], "line 3, column 1", shape),
        (&["U01", ""], "line 3, column 5", count),
        (&[&twenty, ""], "line 4, column 1", shape),
        (&["U0"], "line 3, column 1", shape),
        (&["U011"], "line 3, column 1", shape),
        (&["U01 "], "line 3, column 5", shape),
        (&[" U01"], "line 3, column 1", shape),
        (&["U01  U01"], "line 3, column 5", shape),
        (&["U01\tU01"], "line 3, column 1", shape),
        (&["U01 D0"], "line 3, column 5", shape),
        (&["u01"], "line 3, column 1", "a step starts with U, R, D, L, P (pass) or Q (quit)"),
        (
            &["U01 U41"],
            "line 3, column 5",
            "the second letter of a step must be a cell of the 2x2 board (write -- if no tile appears)",
        ),
        (
            &["U-1"],
            "line 3, column 1",
            "the second letter of a step must be a cell of the 2x2 board (write -- if no tile appears)",
        ),
        (
            &["U00"],
            "line 3, column 1",
            "the third letter of a step must be the rank of the new tile, at least 1",
        ),
        (
            &["U0-"],
            "line 3, column 1",
            "the third letter of a step must be the rank of the new tile, at least 1",
        ),
        (&[&long], "line 3, column 81", count),
        (&[&short, "U01"], "line 3, column 77", count),
    ];
    for (lines, place, problem) in cases {
        let said = refused(&file(&[&["lab2048 replay 1", HEADER], lines].concat()));
        assert_eq!(said, format!("{place}: {problem}"));
    }
}

/// A text in the header and its replacement.
type Change = (&'static str, &'static str);

/// The replay of `HEADER` with other steps and changes in the header.
fn altered(steps: &str, changes: &[Change]) -> Replay {
    let header = changes.iter().fold(HEADER.to_owned(), |header, (old, new)| {
        assert!(header.contains(old));
        header.replacen(old, new, 1)
    });
    Replay::from_text(&file(&["lab2048 replay 1", &header, steps])).unwrap()
}

#[test]
fn what_cannot_have_happened_is_found() {
    let course = ("\"refused\"", "\"spawns\"");
    let score = |points: &'static str| ("\"score\":0", points);
    let cases: &[(&str, &[Change], &str)] = &[
        ("D01", &[], ""),
        ("D02 R01", &[score("\"score\":4")], ""),
        ("D02 U01", &[], "step 2: a tile 2 in row 1, column 1 appears, but the cell is occupied"),
        (
            "D02 L21",
            &[score("\"score\":4")],
            "step 2: a tile 2 in row 2, column 1 appears, but the cell is occupied",
        ),
        ("D02 D01", &[], "step 2: down does not change the board"),
        ("P01", &[], "step 1: these rules do not allow a pass"),
        (
            "P11 P21",
            &[course, ("null}", "\"no-moves\"}")],
            "the replay states the ending 'no moves left', but its steps lead to 'unfinished'",
        ),
        ("P11 P22", &[course], ""),
        ("P12 P22 P--", &[course, ("null}", "\"no-moves\"}")], "step 3: the game is over: no moves left"),
        ("D02 D11", &[course], "step 2: down does not change the board, so it must be recorded as a pass"),
        ("D-- R01", &[], "step 1: no tile appears, but there is room for one"),
        ("Q-- U01", &[], "step 2: the game is over: quit"),
        ("Q01", &[], "step 1: a tile 2 in row 1, column 1 appears, but the step ends the game"),
        ("Q--", &[], "the replay states the ending 'unfinished', but its steps lead to 'quit'"),
        ("D03", &[], "step 1: a tile 8 in row 1, column 1 appears, which is impossible under these rules"),
        (
            "D02",
            &[("0.1", "0.0")],
            "step 1: a tile 4 in row 1, column 1 appears, which is impossible under these rules",
        ),
        (
            "D01",
            &[("0.1", "1.0")],
            "step 1: a tile 2 in row 1, column 1 appears, which is impossible under these rules",
        ),
        ("D01", &[score("\"score\":4")], "the replay states a score of 4, but its steps make 0"),
    ];
    for (steps, changes, says) in cases {
        let outcome = altered(steps, changes).verify().err();
        assert_eq!(outcome.map(|fault| fault.to_string()).unwrap_or_default(), *says, "{steps}");
    }
}

#[test]
fn with_a_seed_every_spawn_is_compared() {
    let (replay, _) = played(Rules::default(), 11, 60);
    for place in 0..replay.steps.len() {
        let mut wrong = replay.clone();
        wrong.steps[place].rank = 3 - wrong.steps[place].rank;
        let said = wrong.verify().unwrap_err();
        assert!(matches!(said, ReplayFault::NotOfSeed { step, .. } if step == place + 1), "{said}");
        // Without the seed, a wrong spawn is only detected if a later step becomes impossible.
        wrong.header.seed = None;
        let said = wrong.verify().err();
        assert!(!matches!(said, Some(ReplayFault::NotOfSeed { .. })));
    }
    let said = Replay { header: ReplayHeader { seed: Some(12), ..replay.header.clone() }, ..replay }.verify();
    let said = said.unwrap_err().to_string();
    assert!(said.starts_with("step 1: a ") && said.contains("but the seed gives a "), "{said}");
}

#[test]
fn a_chosen_start_is_told_from_the_seeds_own() {
    let board = parse_board("2 0/0 2", None).unwrap();
    let game = Game::from_board(Rules::default(), 7, board);
    let checked = Recorder::new(&game).unwrap().finish(&game).verify().unwrap();
    assert_eq!((checked.seeded, checked.seeded_start), (true, false));
    let checked = Recorder::foreign(&game).unwrap().finish(&game).verify().unwrap();
    assert_eq!((checked.seeded, checked.seeded_start), (false, false));
}

#[test]
fn an_impossible_step_ends_the_positions_with_its_reason() {
    let replay = altered("D02 D01 R01", &[]);
    let positions: Vec<_> = replay.positions().collect();
    assert_eq!(positions.len(), 3);
    assert!(positions[..2].iter().all(Result::is_ok));
    assert_eq!(positions[2].as_ref().unwrap_err().to_string(), "step 2: down does not change the board");
    assert!(replay.position(1).unwrap().is_ok());
    assert!(replay.position(2).unwrap().is_err());
    assert!(replay.position(3).unwrap().is_err());
    assert!(replay.position(4).is_none());
}

/// The text of 2048verse for these steps: direction (up, down, left, right), rank, column, row,
/// time.
fn verse(header: &str, steps: &[(u32, u32, u32, u32, u32)]) -> String {
    let letters: Vec<char> =
        ('0'..='9').chain('a'..='z').chain('A'..='Z').chain('\u{c0}'..='\u{ff}').chain(['¤', '¾']).collect();
    let mut text = header.to_owned();
    for (direction, rank, col, row, time) in steps {
        let bits = direction | (rank - 1) << 2 | col << 4 | row << 7 | time << 10;
        text.extend([14, 7, 0].map(|shift| letters[(bits >> shift & 127) as usize]));
    }
    text
}

#[test]
fn a_game_of_2048verse_by_hand() {
    // The start tiles are a 2 at the top left and a 2 to the right of it: 0 and 1 << 4 = 16, the
    // letter g. Then down (1) with a 4 (1 << 2) in column 0 (0 << 4), row 0: 5. Then right (3),
    // merging, with a 2 in column 1 (1 << 4), row 2 (2 << 7), and the time 2047 (2047 << 10): 3 +
    // 16 + 256 + 2096128, which is 127, 114 and 19 in groups of 7 bits: the letters ¾, 62 + 52 ->
    // U+00F4 and j.
    let replay = Replay::from_verse("4x4-1_00000g005¾ôj".as_bytes()).unwrap();
    assert_eq!(replay.header().start, parse_board("2 2 0 0/0 0 0 0/0 0 0 0/0 0 0 0", None).unwrap());
    let last = replay.position(2).unwrap().unwrap();
    assert_eq!(last.board, parse_board("0 0 0 4/0 0 0 0/0 2 0 0/0 0 0 4", None).unwrap());
    assert_eq!((replay.header().score, replay.header().ending, replay.header().seed), (4, None, None));
    assert_eq!(replay.header().note.as_deref(), Some("imported from 2048verse (4x4-1)"));
    assert_eq!(reread(&replay), replay);
    // Files can also be in Latin-1, or have a byte order mark or a line end.
    let latin: Vec<u8> = "4x4-1_00000g005¾ôj\r\n".chars().map(|letter| letter as u8).collect();
    assert_eq!(Replay::from_verse(&latin).unwrap(), replay);
    assert_eq!(Replay::from_verse("\u{feff}4x4-1_00000g005¾ôj\n".as_bytes()).unwrap(), replay);
}

#[test]
fn our_games_written_as_2048verse_text_come_back() {
    for size in ["4x4", "3x3", "3x4", "2x8"] {
        let rules = Rules { size: size.parse().unwrap(), ..Rules::default() };
        let (replay, _) = played(rules.clone(), 21, 5000);
        let cell = |cell: usize| {
            let (row, col) = rules.size.position(cell);
            (col as u32, row as u32)
        };
        let start = replay.header().start.to_grid();
        let mut steps: Vec<_> = start
            .cells()
            .iter()
            .enumerate()
            .filter(|(_, tile)| **tile != 0)
            .map(|(place, &tile)| {
                let (col, row) = cell(place);
                (3, tile.trailing_zeros(), col, row, 0)
            })
            .collect();
        for (place, step) in replay.steps().iter().enumerate() {
            let Action::Move(direction) = step.action() else { unreachable!("the game has only moves") };
            let code = [0, 3, 1, 2][direction.index()];
            let (col, row) = cell(usize::from(step.cell));
            steps.push((code, step.rank.into(), col, row, place as u32 % 2048));
        }
        let text = verse(&format!("{size}-standard_"), &steps);
        let read = Replay::from_verse(text.as_bytes()).unwrap();
        assert_eq!(read.steps(), replay.steps());
        assert_eq!(read.header().start, replay.header().start);
        assert_eq!(
            (read.header().score, read.header().ending),
            (replay.header().score, replay.header().ending)
        );
    }
}

#[test]
fn bad_2048verse_text_is_refused_with_the_reason() {
    let header = "this is not a replay of 2048verse: it does not start like '4x4-1_'";
    let start = "the two start tiles are missing, or both are in the same cell";
    let impossible = "the game is impossible (start tiles not counted): ";
    let two = [(0, 1, 0, 0, 0), (0, 1, 1, 0, 0)];
    let with = |step| verse("4x4-1_", &[&two[..], &[step]].concat());
    let cases = [
        (String::new(), header.to_owned()),
        ("4x4".to_owned(), header.to_owned()),
        ("4x4_000".to_owned(), header.to_owned()),
        ("4-1_000".to_owned(), header.to_owned()),
        ("axb-1_000".to_owned(), header.to_owned()),
        ("4x4-é_000".to_owned(), header.to_owned()),
        ("9x9-1_000".to_owned(), "a board of 9x9 is not possible: both sides must be from 2 to 8".to_owned()),
        ("4x4-1_".to_owned(), start.to_owned()),
        ("4x4-1_000".to_owned(), start.to_owned()),
        ("4x4-1_000000".to_owned(), start.to_owned()),
        (
            "4x4-1_00000800".to_owned(),
            "the text ends in the middle of step 3: every step has three characters".to_owned(),
        ),
        (
            "4x4-1_00000g!00".to_owned(),
            "step 3: '!' is not one of the 128 characters that 2048verse uses".to_owned(),
        ),
        (
            "4x4-1_00000\n000".to_owned(),
            "step 2: '\\n' is not one of the 128 characters that 2048verse uses".to_owned(),
        ),
        (verse("3x3-1_", &[(0, 1, 3, 0, 0)]), "step 1: row 1, column 4 is not on a 3x3 board".to_owned()),
        (verse("4x4-1_", &[(0, 3, 0, 0, 0), (0, 1, 1, 0, 0)]), start.to_owned()),
        (with((0, 1, 2, 2, 0)), format!("{impossible}step 1: up does not change the board")),
        (
            with((1, 1, 0, 3, 0)),
            format!("{impossible}step 1: a tile 2 in row 4, column 1 appears, but the cell is occupied"),
        ),
        (
            with((1, 3, 0, 0, 0)),
            format!(
                "{impossible}step 1: a tile 8 in row 1, column 1 appears, which is impossible under these rules"
            ),
        ),
    ];
    for (text, says) in cases {
        assert_eq!(Replay::from_verse(text.as_bytes()).unwrap_err().to_string(), says, "{text:?}");
    }
}

fn any_rules() -> impl Strategy<Value = Rules> {
    let start = prop_oneof![Just(StartTiles::TwoSpawns), Just(StartTiles::TwoTwos)];
    let idle = prop_oneof![Just(IdleMove::Refused), Just(IdleMove::Spawns)];
    (2..=5usize, 2..=5usize, 0.0..=1.0f64, start, idle).prop_map(|(rows, cols, four, start, idle)| Rules {
        size: Size::new(rows, cols).unwrap(),
        four: Probability::new(four).unwrap(),
        start,
        idle,
        goal: 2048,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_game_comes_back_from_its_text_and_holds(rules in any_rules(), seed: u64, most in 0u64..60) {
        let replay = played_blindly(rules, seed, most);
        let again = reread(&replay);
        prop_assert_eq!(&again, &replay);
        prop_assert!(again.verify().is_ok());
    }

    #[test]
    fn no_bytes_make_the_readers_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Replay::from_text(&bytes);
        let _ = Replay::from_text(&[b"lab2048 replay 1\n", bytes.as_slice()].concat());
        let _ = Replay::from_verse(&bytes);
        let _ = Replay::from_verse(&[b"4x4-1_", bytes.as_slice()].concat());
    }

    /// With a correct checksum, the noise reaches the later parts of the reader. Accepted steps are
    /// written back.
    #[test]
    fn no_lines_make_the_reader_panic(lines in "[URDLPQ0-3\\-][0-9a-f\\- ]{0,5}( [URDLPQ][0-3][1-3]){0,30}\n?") {
        if let Ok(replay) = Replay::from_text(&file(&["lab2048 replay 1", HEADER, &lines])) {
            prop_assert_eq!(reread(&replay), replay.clone());
            let _ = replay.verify();
            let _ = replay.positions().count();
        }
    }
}

/// The first code block of the format's description is the output of the writer and can be read.
#[test]
fn the_example_in_the_documentation_is_a_replay() {
    let page = include_str!("../../../../../docs/reference/replay-format.md");
    let (_, rest) = page.split_once("```text\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let (replay, _) = played(Rules::default(), 7, 45);
    assert_eq!(example, replay.to_text());
    Replay::from_text(example.as_bytes()).unwrap().verify().unwrap();
}
