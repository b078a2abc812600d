//! Watch, Edit, Review, Tree, the laboratory.

use super::*;

/// The number of moves that Watch shows.
const MOVES: &str = "return Number(document.querySelector('#view-watch .watch-scores').textContent.match(/Moves\\s*([\\d,]+)/)[1].replace(/,/g, ''))";

/// The tiles of the board in Edit.
const EDITED: &str = "return [...document.querySelectorAll('#view-edit [role=gridcell]')].map((cell) => Number(cell.textContent))";

/// The key that empties a cell in Edit.
const DELETE: char = '\u{E017}';

#[test]
#[ignore = "needs a browser"]
fn a_player_is_watched_taken_over_and_handed_back() {
    let mut page = Page::open("watch?player=greedy&seed=4");
    page.click("Step");
    page.wait(&format!("{MOVES} === 1"));
    page.click(".view:not([hidden]) .button.primary");
    page.wait(&format!("{MOVES} > 3"));
    page.click("Pause");
    page.click("Take over");
    let before = page.script(MOVES).as_u64().expect("a number");
    page.keys(&[UP, LEFT, DOWN, RIGHT]);
    let by_hand = page.script(MOVES).as_u64().expect("a number");
    assert!(by_hand > before, "the person plays");
    page.click("Hand back");
    page.wait(&format!("{MOVES} > {by_hand}"));
    page.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn the_network_of_the_page_plays_and_tells_its_values() {
    let mut page = Page::open("watch?player=auto&seed=4");
    page.click("Step");
    page.wait(&format!("{MOVES} === 1"));
    page.click("Step");
    page.wait(&format!("{MOVES} === 2"));
    let details = page.text("#view-watch .watch-details");
    assert!(details.contains("ntuple:depth=3"), "{details}");
    page.click("Turbo");
    page.wait(&format!("{MOVES} > 300"));
    page.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn a_mistake_in_a_spec_is_told_in_the_words_of_the_engine() {
    let mut page = Page::open("watch?player=gredy");
    page.wait("return document.body.textContent.includes(\"did you mean 'greedy'?\")");
}

#[test]
#[ignore = "needs a browser"]
fn a_long_thought_stops_when_the_view_is_left() {
    let mut page = Page::open("watch?player=expectimax:depth=9&seed=4");
    page.click(".view:not([hidden]) .button.primary");
    page.go("play?seed=2");
    page.keys(&['i']);
    page.wait("return document.querySelectorAll('#view-play .bars-chosen').length > 0");
    page.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn four_boards_play_at_once() {
    let mut page = Page::open("four");
    page.click(".view:not([hidden]) .button.primary");
    let boards = "return document.querySelectorAll('#view-four .lab-tile-container').length";
    page.wait(&format!("{boards} === 4"));
    page.wait("return [...document.querySelectorAll('#view-four .lab-tile-16')].length >= 2");
    page.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn a_board_is_pasted_edited_and_played_on() {
    let mut page = Page::open("edit?board=2 4 8 16/0 0 0 0/0 0 0 0/0 0 0 2");
    assert_eq!(page.script(EDITED), json!([2, 4, 8, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]));
    page.script(
        "const data = new DataTransfer();
         data.setData('text/plain', '[[2,2],[4,0]]');
         document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));",
    );
    page.wait("return document.querySelectorAll('#view-edit [role=gridcell]').length === 4");
    assert_eq!(page.script(EDITED), json!([2, 2, 4, 0]));
    let problem = "[aria-labelledby='edit-read-title'] p[role=alert]";
    page.click("Read");
    let refused = page.text(problem);
    assert_eq!(refused, "Type or paste a board, a replay or a link first.");
    page.script("document.querySelector('#view-edit textarea').value = '0x1234012300120001';");
    page.click("Read");
    page.wait(&format!("{EDITED}[3] === 16"));
    assert_eq!(page.text(problem), "");
    page.script("document.querySelector('#view-edit textarea').value = '2 2/4 0';");
    page.click("Read");
    page.wait(&format!("{EDITED}.length === 4"));
    page.click("#view-edit [role=gridcell][data-cell='3']");
    page.keys(&['8']);
    page.wait(&format!("{EDITED}[3] === 8"));
    page.keys(&[DELETE]);
    page.wait(&format!("{EDITED}[3] === 0"));
    page.click("Play from here");
    page.shown("play");
    assert_eq!(page.stored(), Some((vec![vec![2, 2], vec![4, 0]], 0)));
    page.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn the_game_just_played_is_reviewed() {
    let mut page = Page::open("play?seed=21");
    for _ in 0..8 {
        page.keys(&[LEFT, DOWN, RIGHT, UP]);
    }
    let score = page.stored().expect("a running game").1;
    page.click("Review");
    page.shown("review");
    page.wait("return / judged \\d+ moves?\\.$/.test(document.querySelector('#view-review [role=status]').textContent)");
    let graded = page.script(
        "const rows = [...document.querySelectorAll('#view-review table tbody tr')];
         return rows.map((row) => Number(row.cells[1].textContent)).reduce((sum, count) => sum + count, 0);",
    );
    assert!(graded.as_u64() > Some(10), "{graded} graded moves");
    let title = page.text("#view-review .review-title").replace(',', "");
    assert!(title.contains(&score.to_string()), "{title}");
    page.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn the_tree_of_the_document_is_drawn() {
    let mut page =
        Page::open("tree?board=2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2&seed=7&player=clairvoyant&depth=3");
    page.wait("return document.querySelectorAll('#view-tree [role=treeitem]').length > 3");
    page.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn records_of_a_served_folder_are_shown() {
    let folder = project().join("benchmarks/2026-11-16-searching");
    let mut page = Page::open_with("laboratory", (1280, 900), Some(folder));
    page.wait("return document.querySelector('#view-laboratory .lab-offered')?.textContent.includes('expectimax-rows.jsonl')");
    page.script(
        "const names = [...document.querySelectorAll('.lab-offered button')];
         names.find((button) => button.textContent.startsWith('expectimax-rows.jsonl')).click();",
    );
    page.wait("return document.querySelectorAll('#view-laboratory table tbody tr').length > 0");
    let text = page.text("#view-laboratory");
    assert!(text.contains("1,000"), "the number of games: {text}");
    page.wait("return document.querySelectorAll('#view-laboratory canvas').length > 0");
    page.assert_no_errors();
}
