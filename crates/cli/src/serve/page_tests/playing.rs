//! The game itself: keys, touch, undo, reload, use without a server.

use super::*;

/// Plays by keys until the game is over or this many moves were tried.
fn play(page: &mut Page, moves: usize) {
    for turn in 0..moves {
        let key = [LEFT, DOWN, RIGHT, DOWN, LEFT, UP][turn % 6];
        page.keys(&[key]);
    }
}

#[test]
#[ignore = "needs a browser"]
fn a_game_by_keys_is_drawn_and_stored_when_the_key_returns() {
    let mut page = Page::open("play?size=4x4&seed=7");
    let (start, score) = page.stored().expect("a new game");
    assert_eq!((start.iter().flatten().filter(|&&tile| tile > 0).count(), score), (2, 0));
    // The listeners of the page have run before dispatchEvent returns, as for a bot.
    let told = page.script(
        "const press = (which) => document.body.dispatchEvent(Object.assign(
           new Event('keydown', { bubbles: true, cancelable: true }), { which, keyCode: which }));
         const before = localStorage.getItem('gameState');
         press(38);
         return before !== localStorage.getItem('gameState');",
    );
    assert_eq!(told, json!(true));
    for _ in 0..25 {
        play(&mut page, 6);
        let Some((board, score)) = page.stored() else { break };
        assert_eq!(page.drawn(".container", (4, 4)), board);
        let shown = page.script("return document.querySelector('.score-container').firstChild.textContent");
        assert_eq!(shown, json!(score.to_string()));
    }
    page.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn letters_move_too_and_modifiers_block_them() {
    let mut page = Page::open("play?seed=7");
    let before = page.stored();
    // A shortcut of the browser is not a move.
    let control = '\u{E009}';
    let hold = |kind: &str, key: char| json!({ "type": kind, "value": key });
    let steps =
        json!([hold("keyDown", control), hold("keyDown", UP), hold("keyUp", UP), hold("keyUp", control)]);
    page.act(json!({ "type": "key", "id": "keyboard", "actions": steps }));
    assert_eq!(page.stored(), before);
    for keys in [['w', 'd', 's', 'a'], ['k', 'l', 'j', 'h']] {
        let before = page.stored();
        page.keys(&keys);
        assert_ne!(page.stored(), before);
    }
}

#[test]
#[ignore = "needs a browser"]
fn undo_and_redo_and_a_reload_keep_the_game() {
    let mut page = Page::open("play?seed=11");
    let mut boards = vec![page.stored()];
    for key in [UP, LEFT, UP, RIGHT, DOWN, LEFT] {
        page.keys(&[key]);
        boards.push(page.stored());
    }
    boards.dedup();
    let last = boards.len() - 1;
    page.keys(&['u']);
    assert_eq!(page.stored(), boards[last - 1]);
    page.click("Undo");
    assert_eq!(page.stored(), boards[last - 2]);
    page.keys(&['y']);
    page.click("Redo");
    assert_eq!(page.stored(), boards[last]);
    page.keys(&['u', 'u']);
    page.go("play");
    page.browser.send("refresh", &json!({})).expect("the page reloads");
    page.shown("play");
    assert_eq!(page.stored(), boards[last - 2], "the game stands where it was");
    page.keys(&['u']);
    assert_eq!(page.stored(), boards[last - 3], "and its history is there, too");
    page.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn a_phone_plays_by_touch() {
    let mut page = Page::open_with("play?seed=5", (320, 640), None);
    page.tools("Emulation.setTouchEmulationEnabled", json!({ "enabled": true }));
    let overflow = "return document.documentElement.scrollWidth > document.documentElement.clientWidth";
    assert_eq!(page.script(overflow), json!(false), "nothing is wider than the phone");
    for (dx, dy) in [(0, -120), (-120, 0), (0, 120), (120, 0), (0, -120), (-120, 0)] {
        let centre = page.script(
            "const box = document.querySelector('.game-container').getBoundingClientRect();
             return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];",
        );
        let centre: (i64, i64) = serde_json::from_value(centre).expect("a point");
        page.swipe(centre, (dx, dy));
    }
    let (board, _) = page.stored().expect("a running game");
    assert!(board.iter().flatten().filter(|&&tile| tile > 0).count() > 2, "{board:?}");
    assert_eq!(page.drawn(".container", (4, 4)), board);
    page.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn every_size_wins_continues_and_ends() {
    // Two moves make the goal, and then the board can be filled.
    let mut page = Page::open("play?board=1024 1024 0/0 0 0&seed=1");
    page.keys(&[LEFT]);
    assert!(page.text(".game-message").contains("You win!"));
    assert_eq!(
        page.script("return document.querySelector('.game-message').className"),
        json!("game-message game-won")
    );
    let won = page.stored();
    page.keys(&[RIGHT]);
    assert_eq!(page.stored(), won, "the message waits for an answer");
    page.click(".keep-playing-button");
    for _ in 0..40 {
        play(&mut page, 12);
        if page.stored().is_none() {
            break;
        }
    }
    assert_eq!(page.stored(), None, "a finished game is not kept, as on the original page");
    assert!(page.text(".game-message").contains("Game over!"));
    page.click(".retry-button");
    assert!(page.stored().is_some());
    for (size, rows, cols) in [("2x2", 2, 2), ("3x5", 3, 5), ("8x8", 8, 8)] {
        page.go("watch");
        page.go(&format!("play?size={size}&seed=3"));
        page.wait(&format!("return JSON.parse(localStorage.gameState).grid.cells.length === {cols}"));
        play(&mut page, 4);
        let Some((board, _)) = page.stored() else { continue };
        assert_eq!((board.len(), board[0].len()), (rows, cols));
        assert_eq!(page.drawn(".container", (rows, cols)), board);
    }
    page.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn a_game_that_began_in_the_middle_can_be_left_and_saved() {
    let mut page = Page::open("play?board=2 4 8 16/2 4 8 16/0 0 0 0/0 0 0 0&seed=1&score=500&turns=9");
    page.keys(&[DOWN, LEFT, UP]);
    let (before, score) = page.stored().expect("a running game");
    assert!(score >= 500, "{score}");
    page.browser.send("refresh", &json!({})).expect("the page reloads");
    page.shown("play");
    assert_eq!(page.stored(), Some((before, score)));
    page.keys(&['r']);
    let (board, score) = page.stored().expect("a new game");
    assert_eq!((board.iter().flatten().filter(|&&tile| tile > 0).count(), score), (2, 0));
    page.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn a_hint_says_which_move_is_best() {
    let mut page = Page::open("play?board=2 4 8 16/2 4 8 16/0 0 0 0/0 0 0 0&seed=1");
    page.keys(&['i']);
    page.wait("return document.querySelectorAll('#view-play .bars-chosen').length === 1");
    page.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn the_page_works_without_its_server() {
    let mut page = Page::open("play?seed=9");
    page.keys(&[UP, LEFT]);
    page.wait("return navigator.serviceWorker.controller !== null || navigator.serviceWorker.ready.then(() => true)");
    // Watching loads the network, which is kept.
    page.go("watch");
    page.click("Step");
    page.wait("return document.querySelector('#view-watch .watch-scores').textContent.includes('1')");
    page.wait(
        "return caches.open('lab2048-networks').then((cache) => cache.keys()).then((kept) => kept.length)",
    );
    page.site.stop();
    page.go("play");
    page.browser.send("refresh", &json!({})).expect("the page comes from its cache");
    page.shown("play");
    let before = page.stored();
    page.keys(&[UP, RIGHT, DOWN, LEFT]);
    assert_ne!(page.stored(), before);
    for view in ["practice", "edit", "review", "tree", "laboratory", "four", "watch"] {
        page.go(view);
    }
    page.click("Step");
    page.wait("return Number(document.querySelector('#view-watch .watch-scores').textContent.match(/Moves\\s*(\\d+)/)?.[1]) > 0");
}
