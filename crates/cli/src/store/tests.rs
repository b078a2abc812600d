//! Tests of the store, in usable and unusable folders.

use lab2048::game::{Action, History, Replay};

use super::*;

fn played(moves: usize) -> History {
    let mut history = History::new(Game::new(Rules::default(), 7));
    for _ in 0..moves {
        let direction = history.game().board().legal_moves().nth(0).unwrap();
        history.play(Action::Move(direction)).unwrap();
    }
    history
}

#[test]
fn scores_settings_and_the_game_are_there_again() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("deep/down");
    let history = played(10);
    let mut store = Store::at(&home);
    store.update(|kept| {
        kept.played.entry("4x4".to_owned()).or_default().add(history.game(), Duration::from_secs(3))
    });
    store.update(|kept| kept.animation = false);
    let notes = GameNotes { seconds: 5.0, helped_from: Some(4), counted: false };
    store.keep_game(&history, notes).unwrap();
    let mut again = Store::at(&home);
    assert_eq!(again.take_notice(), None);
    assert_eq!(again.best("4x4"), history.game().score());
    assert!(!again.kept().animation);
    let unfinished = again.unfinished(Size::FOUR).unwrap();
    assert_eq!(unfinished.history.game(), history.game());
    assert_eq!(unfinished.notes, notes);
    again.forget_game(Size::FOUR);
    assert!(Store::at(&home).unfinished(Size::FOUR).is_none());
}

#[test]
fn two_windows_do_not_lose_each_others_scores() {
    let folder = tempfile::tempdir().unwrap();
    let (mut one, mut two) = (Store::at(folder.path()), Store::at(folder.path()));
    let add = |store: &mut Store, kind: &str| {
        store.update(|kept| kept.played.entry(kind.to_owned()).or_default().games += 1);
    };
    add(&mut one, "4x4");
    add(&mut two, "5x5");
    add(&mut one, "4x4");
    let games = |kind: &str| Store::at(folder.path()).kept().played[kind].games;
    assert_eq!((games("4x4"), games("5x5")), (2, 1));
}

#[test]
fn windows_that_write_at_the_same_time_wait_for_each_other() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut store = Store::at(folder.path());
                for _ in 0..25 {
                    store.update(|kept| kept.played.entry("4x4".to_owned()).or_default().games += 1);
                }
            });
        }
    });
    assert_eq!(Store::at(folder.path()).kept().played["4x4"].games, 100);
}

#[test]
fn one_window_has_the_game() {
    let folder = tempfile::tempdir().unwrap();
    let (mut one, mut two) = (Store::at(folder.path()), Store::at(folder.path()));
    let three = Size::new(3, 3).unwrap();
    assert_eq!([one.claim_game(Size::FOUR), one.claim_game(Size::FOUR)], [Ok(()), Ok(())]);
    assert!(two.claim_game(Size::FOUR).unwrap_err().contains("4x4 game is open in another window"));
    assert_eq!(two.claim_game(three), Ok(()), "a game of another size");
    one.release_game();
    assert_eq!(two.claim_game(Size::FOUR), Ok(()));
    assert_eq!(one.claim_game(three), Ok(()), "a window has one game at a time");
    drop(two);
    assert_eq!(one.claim_game(Size::FOUR), Ok(()));
}

#[test]
fn damaged_files_are_put_aside_with_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    for bad in ["", "{", "[1,2]", "{\"animation\": 7}", "\u{0}"] {
        put("state.json", bad);
        let mut store = Store::at(folder.path());
        let notice = store.take_notice().unwrap();
        assert!(notice.starts_with("state.json could not be used and is now state.json.bad"), "{notice}");
        assert_eq!(store.kept(), &Kept::default());
        store.update(|kept| kept.animation = false);
        assert!(!Store::at(folder.path()).kept().animation, "the store still works");
    }
    assert!(folder.path().join("state.json.bad5").exists());
    put("unfinished-4x4.2048", "lab2048 replay 99\n");
    let mut store = Store::at(folder.path());
    assert!(store.unfinished(Size::FOUR).is_none());
    assert!(store.take_notice().unwrap().contains("is now unfinished-4x4.2048.bad"));
    assert!(folder.path().join("unfinished-4x4.2048.bad").exists());
    // A file under the name of another size, and one of version 1.
    put("unfinished-5x5.2048", &Replay::of_history(&played(3)).unwrap().by("human").to_text());
    assert!(store.unfinished(Size::new(5, 5).unwrap()).is_none());
    assert!(store.take_notice().unwrap().contains("it is a game of 4x4"));
    put("unfinished.2048", "");
    assert!(Store::at(folder.path()).take_notice().unwrap().contains("is now unfinished.2048.bad"));
}

#[test]
fn every_size_has_its_own_game() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::at(folder.path());
    let of = |size: &str| {
        let rules = Rules { size: size.parse().unwrap(), ..Rules::default() };
        let mut history = History::new(Game::new(rules, 7));
        let direction = history.game().board().legal_moves().nth(0).unwrap();
        history.play(Action::Move(direction)).unwrap();
        history
    };
    let sizes = ["4x4", "2x3", "3x2"].map(|size| size.parse::<Size>().unwrap());
    for (seconds, size) in (1u32..).zip(sizes) {
        let notes = GameNotes { seconds: f64::from(seconds), ..GameNotes::default() };
        store.keep_game(&of(&size.to_string()), notes).unwrap();
        let file = File::options().write(true).open(folder.path().join(format!("unfinished-{size}.2048")));
        let time = std::time::UNIX_EPOCH + Duration::from_secs(seconds.into());
        file.unwrap().set_modified(time).unwrap();
    }
    for other in ["unfinished-04x4.2048", "unfinished-9x9.2048", "unfinished-4x4.2048.bad"] {
        fs::write(folder.path().join(other), "").unwrap();
    }
    let mut store = Store::at(folder.path());
    assert_eq!(store.unfinished_sizes(), [sizes[2], sizes[1], sizes[0]], "the last one first");
    for (seconds, size) in (1..).zip(sizes) {
        let unfinished = store.unfinished(size).unwrap();
        assert_eq!(unfinished.history.game().rules().size, size);
        assert_eq!(unfinished.notes.time(), Duration::from_secs(seconds));
    }
    store.forget_game(sizes[1]);
    assert_eq!(store.unfinished_sizes(), [sizes[2], sizes[0]]);
    assert_eq!(store.take_notice(), None);
}

/// The files of version 1, as it wrote them.
#[test]
fn the_one_game_of_version_1_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let old = played(10);
    for (player, helped_from) in [("human", None), ("human with help", Some(4))] {
        let state = format!(
            "{{\"version\": 1, \"played\": {{\"4x4\": {{\"games\": 2, \"best\": 900, \"largest\": {{\"64\": 2}}}}}},
              \"coach\": \"greedy\", \"unfinished_seconds\": 7.5, \"unfinished_counted\": true,
              \"unfinished_helped_from\": {}}}",
            helped_from.unwrap_or(0)
        );
        fs::write(path("state.json"), state).unwrap();
        fs::write(path("unfinished.2048"), Replay::of_history(&old).unwrap().by(player).to_text()).unwrap();
        // While an older lab2048 plays it, it stays.
        let playing = File::create(path("game.lock")).unwrap();
        playing.lock().unwrap();
        let mut store = Store::at(folder.path());
        store.update(|kept| kept.animation = false);
        assert!(store.unfinished_sizes().is_empty() && path("unfinished.2048").exists());
        drop(playing);
        let mut store = Store::at(folder.path());
        assert_eq!(store.take_notice(), None);
        assert_eq!((store.best("4x4"), store.kept().coach.as_str()), (900, "greedy"));
        assert_eq!(store.kept().played["4x4"].largest[&64], 2);
        let unfinished = store.unfinished(Size::FOUR).unwrap();
        assert_eq!(unfinished.history.game(), old.game());
        assert_eq!(unfinished.notes, GameNotes { seconds: 7.5, helped_from, counted: true });
        assert!(!path("unfinished.2048").exists());
        let state = fs::read_to_string(path("state.json")).unwrap();
        assert!(state.contains("\"version\": 2") && !state.contains("unfinished_seconds"), "{state}");
        store.forget_game(Size::FOUR);
    }
}

#[test]
fn a_newer_file_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.json");
    fs::write(&path, "{\"version\": 3, \"more\": true}").unwrap();
    let mut store = Store::at(folder.path());
    assert!(store.take_notice().unwrap().contains("newer"));
    store.update(|kept| kept.animation = false);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"version\": 3, \"more\": true}");
}

/// Checks that nothing is stored, that the reason is reported once, and that nothing else fails.
fn keeps_nothing(store: &mut Store, reason: &str) {
    let said = store.take_notice().unwrap();
    assert!(said.starts_with("games and best scores cannot be saved: ") && said.contains(reason), "{said}");
    assert!(store.claim_game(Size::FOUR).unwrap_err().contains(reason));
    store.update(|kept| kept.animation = false);
    assert!(store.keep_game(&played(3), GameNotes::default()).unwrap_err().contains(reason));
    assert!(store.unfinished(Size::FOUR).is_none());
    assert_eq!(store.take_notice(), None, "the notice is shown once");
}

#[test]
fn an_unusable_folder_prevents_only_saving() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    keeps_nothing(&mut Store::at(&folder.path().join("file/under")), "cannot create ");
    keeps_nothing(&mut Store::without_a_home(), "there is no home folder");
    assert!(Store::without_a_home().why_unread().is_some());
    fs::write(folder.path().join("state.json"), "{\"version\": 3}").unwrap();
    keeps_nothing(&mut Store::at(folder.path()), "was written by a newer lab2048");
}

/// A folder in which nobody can write, not even root.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_is_found_out_at_the_start() {
    keeps_nothing(&mut Store::at(Path::new("/proc/self")), "cannot write in /proc/self");
    assert_eq!(Store::at(Path::new("/proc/self")).why_unread(), None, "nothing is stored there");
}

#[test]
fn kinds_of_games() {
    assert_eq!(kind_of(&Rules::ORIGINAL), "4x4");
    assert_eq!(kind_of(&Rules::COURSE), "4x4 course");
    assert_eq!(kind_of(&Rules { four: "0.5".parse().unwrap(), ..Rules::ORIGINAL }), "4x4 four=0.5");
}
