//! Tests of the store, in usable and unusable folders.

use lab2048::game::Action;

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
    let notes = GameNotes { time: Duration::from_secs(5), helped_from: Some(4), counted: false };
    store.keep_game(&history, notes).unwrap();
    let mut again = Store::at(&home);
    assert_eq!(again.take_notice(), None);
    assert_eq!(again.best("4x4"), history.game().score());
    assert!(!again.kept().animation);
    let unfinished = again.unfinished().unwrap();
    assert_eq!(unfinished.history.game(), history.game());
    assert_eq!((unfinished.time, unfinished.helped_from), (Duration::from_secs(5), Some(4)));
    again.forget_game();
    assert!(Store::at(&home).unfinished().is_none());
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
    assert_eq!([one.claim_game(), one.claim_game()], [Ok(()), Ok(())]);
    assert!(two.claim_game().unwrap_err().contains("another window"));
    one.release_game();
    assert_eq!(two.claim_game(), Ok(()));
    drop(two);
    assert_eq!(one.claim_game(), Ok(()));
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
    put("unfinished.2048", "lab2048 replay 99\n");
    let mut store = Store::at(folder.path());
    assert!(store.unfinished().is_none());
    assert!(store.take_notice().unwrap().contains("is now unfinished.2048.bad"));
    assert!(folder.path().join("unfinished.2048.bad").exists());
}

#[test]
fn a_newer_file_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.json");
    fs::write(&path, "{\"version\": 2, \"more\": true}").unwrap();
    let mut store = Store::at(folder.path());
    assert!(store.take_notice().unwrap().contains("newer"));
    store.update(|kept| kept.animation = false);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"version\": 2, \"more\": true}");
}

/// Checks that nothing is stored, that the reason is reported once, and that nothing else fails.
fn keeps_nothing(store: &mut Store, reason: &str) {
    let said = store.take_notice().unwrap();
    assert!(said.starts_with("games and best scores cannot be saved: ") && said.contains(reason), "{said}");
    assert!(store.claim_game().unwrap_err().contains(reason));
    store.update(|kept| kept.animation = false);
    assert!(store.keep_game(&played(3), GameNotes::default()).unwrap_err().contains(reason));
    assert!(store.unfinished().is_none());
    assert_eq!(store.take_notice(), None, "the notice is shown once");
}

#[test]
fn an_unusable_folder_prevents_only_saving() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    keeps_nothing(&mut Store::at(&folder.path().join("file/under")), "cannot create ");
    keeps_nothing(&mut Store::without_a_home(), "there is no home folder");
    fs::write(folder.path().join("state.json"), "{\"version\": 2}").unwrap();
    keeps_nothing(&mut Store::at(folder.path()), "was written by a newer lab2048");
}

/// A folder in which nobody can write, not even root.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_is_found_out_at_the_start() {
    keeps_nothing(&mut Store::at(Path::new("/proc/self")), "cannot write in /proc/self");
}

#[test]
fn kinds_of_games() {
    assert_eq!(kind_of(&Rules::ORIGINAL), "4x4");
    assert_eq!(kind_of(&Rules::COURSE), "4x4 course");
    assert_eq!(kind_of(&Rules { four: "0.5".parse().unwrap(), ..Rules::ORIGINAL }), "4x4 four=0.5");
}
