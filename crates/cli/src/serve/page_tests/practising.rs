//! Practice: on boards that the page solves, and with tables of the server.

use lab2048::board::BoardForm;
use lab2048::solve::{Drawn, Job, Place, SubGame, Table, solve_to_file};

use super::*;

/// The number of moves.
const MOVES: &str =
    "return document.querySelector('#view-practice .watch-scores').textContent.match(/Moves(\\d+)/)[1]";

/// What the last move kept, or what is to be done.
const LINE: &str = "return document.querySelector('#view-practice .practice-line').textContent";

/// The collected mistakes.
const MISTAKES: &str = "return JSON.parse(localStorage.getItem('lab2048.mistakes')) ?? []";

/// The share of the chance that all moves kept.
const KEPT: &str = "return document.querySelector('#view-practice .watch-scores').textContent.match(/Kept so far(.*)Moves/)[1]";

/// The key of a direction by its name.
fn key(direction: &Value) -> char {
    match direction.as_str() {
        Some("Up") => UP,
        Some("Right") => RIGHT,
        Some("Down") => DOWN,
        _ => LEFT,
    }
}

impl Page {
    /// Waits for a position that waits for a move.
    fn position(&mut self) {
        self.wait(
            "const buttons = [...document.querySelectorAll('#view-practice button')];
             const line = document.querySelector('#view-practice .practice-line').textContent;
             return /^(Make|Find)/.test(line)
               && buttons.find((button) => button.textContent === 'Hint').disabled === false",
        );
    }

    /// The best move, by the hint.
    fn best(&mut self) -> char {
        self.keys(&['i']);
        let name =
            self.wait("return document.querySelector('#view-practice .bars-chosen .bars-name')?.textContent");
        key(&name)
    }

    /// A move that keeps at most 98% of the chance; `None` if there is none.
    fn bad(&mut self) -> Option<char> {
        self.best();
        let name = self.script(
            "const rows = [...document.querySelectorAll('#view-practice .bars-row')];
             const worth = (row) => parseFloat(row.querySelector('.bars-number').textContent);
             const best = worth(rows.find((row) => row.classList.contains('bars-chosen')));
             return rows.find((row) => worth(row) < 0.98 * best)?.querySelector('.bars-name').textContent ?? null",
        );
        name.is_string().then(|| key(&name))
    }

    /// Plays a move, and waits for the answer.
    fn practise(&mut self, key: char) {
        let before = self.script(MOVES);
        self.keys(&[key]);
        self.wait(&format!("{} !== {before}", MOVES));
        // Either the next move is awaited, or it is over, or the drill is.
        self.wait(
            "const state = document.querySelector('#view-practice');
             const hint = [...state.querySelectorAll('button')].find((button) => button.textContent === 'Hint');
             const line = state.querySelector('.practice-line').textContent;
             const isDrill = state.querySelector('[aria-pressed=true]') !== null;
             return isDrill || !hint.disabled || /made|out of reach|over/.test(line)",
        );
    }
}

#[test]
#[ignore = "needs a browser"]
fn small_boards_are_practised_offline_and_mistakes_are_drilled() {
    let mut page = Page::open("play?seed=9");
    page.wait("return navigator.serviceWorker.ready.then(() => true)");
    page.site.stop();
    page.browser.send("refresh", &json!({})).expect("the page comes from its cache");
    page.shown("play");
    page.go("practice?table=2x3-32&seed=3&from=0.3&to=0.99");
    page.position();
    // Best moves keep everything.
    while page.script(LINE).as_str().is_some_and(|line| !line.contains("You kept")) {
        let best = page.best();
        page.practise(best);
        assert_eq!(page.script(KEPT), json!("100.0%"));
    }
    assert_eq!(page.script(MISTAKES), json!([]));
    // A bad move is answered and collected.
    let bad = loop {
        page.keys(&['n']);
        page.position();
        if let Some(bad) = page.bad() {
            break bad;
        }
    };
    page.practise(bad);
    let line = page.script(LINE);
    assert!(line.as_str().is_some_and(|line| line.contains(" kept ") && line.contains("Best: ")), "{line}");
    assert_ne!(page.script(KEPT), json!("100.0%"));
    let mistakes = page.script(MISTAKES);
    assert_eq!((mistakes.as_array().map(Vec::len), &mistakes[0]["table"]), (Some(1), &json!("2x3-32")));
    // The drill: a wrong answer counts nothing, three right ones in a row are enough.
    page.keys(&['m']);
    page.position();
    page.practise(bad);
    for solved in ["1 of 3", "2 of 3", "leaves the list"] {
        page.keys(&['n']);
        page.position();
        let best = page.best();
        page.practise(best);
        let line = page.script(LINE);
        assert!(line.as_str().is_some_and(|line| line.contains(solved)), "{line}");
    }
    assert_eq!(page.script(MISTAKES), json!([]));
    page.keys(&['n']);
    page.wait(&format!("{LINE}.includes('No mistakes are left')"));
}

#[test]
#[ignore = "needs a browser"]
fn chances_come_from_the_tables_of_the_server() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let walls = "0,1,2,3,4,5,6,7,8,9".parse().expect("walls");
    let game = SubGame::endgame(walls, 32, Place::Beside).expect("it can be won");
    let name = game.name();
    let file = folder.path().join(format!("{name}.table"));
    let job = Job { threads: 1, keep: 0.0, asked: &[], cancel: &false.into(), progress: &|_| {} };
    solve_to_file(&game, &file, &job).expect("it is solved");
    let table = Table::open(&file).expect("a table");
    let drawn = Drawn::from(&table, 5, 0.3..=0.99).expect("there are such positions");
    let chance = drawn.standing.exact.expect("it can be won").best();

    let site = Site::with_tables(None, Tables::in_folder(folder.path().to_owned()));
    let mut page = Page::of(site, &format!("practice?table={name}&seed=5&from=0.3&to=0.99"), (1280, 900));
    page.position();
    let line = page.script(LINE);
    assert_eq!(line, json!(format!("Make 32. The chance is {:.1}%.", 100.0 * chance)));
    let rows = page.script("return document.querySelector('#view-practice [role=img]').ariaLabel");
    let rows = rows.as_str().expect("a label").replace("empty", "0").replace("Practice board: row 1: ", "");
    let rows = (2..=4).fold(rows, |rows, row| rows.replace(&format!("; row {row}: "), "/"));
    assert_eq!(rows, drawn.board.to_text(BoardForm::Rows).expect("a text"));
    let best = page.best();
    page.practise(best);
    assert_eq!(page.script(KEPT), json!("100.0%"));
    // A hint of the server tells the chance, too.
    page.script(
        "localStorage.setItem('lab2048.settings', JSON.stringify({ engine: 'server', hint: 'greedy' }))",
    );
    page.browser.send("refresh", &json!({})).expect("the page reloads");
    page.go(&format!("play?board={rows}&seed=1"));
    page.keys(&['i']);
    let makes = format!("makes 32: {:.1}%, greedy", 100.0 * chance);
    page.wait(&format!("return document.querySelector('.play-about').textContent.startsWith('{makes}')"));
    page.assert_no_errors();
    page.go(&format!("practice?table={name}"));
    page.position();
    page.site.stop();
    page.keys(&['n']);
    page.wait("return document.querySelector('.toast.error')?.textContent === 'The server did not answer.'");
}

#[test]
#[ignore = "needs a browser"]
fn a_phone_practises_by_touch() {
    let mut page = Page::open_with("practice?table=2x3-64&board=8 8 4/2 16 2", (320, 640), None);
    page.tools("Emulation.setTouchEmulationEnabled", json!({ "enabled": true }));
    page.position();
    let centre = page.script(
        "const box = document.querySelector('#view-practice .board').getBoundingClientRect();
         return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];",
    );
    page.swipe(serde_json::from_value(centre).expect("a point"), (-120, 0));
    page.wait(&format!("{LINE}.startsWith('Left kept 48.2% of 68.6%. Best: Right, 68.6%.')"));
    assert_eq!(page.script(MISTAKES)[0]["board"], json!([[8, 8, 4], [2, 16, 2]]));
    page.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn a_table_that_is_not_there_says_how_to_get_one() {
    let mut page = Page::open("practice?table=block-512");
    page.wait("return document.querySelector('.toast.error')?.textContent.includes('lab2048 solve')");
    page.position();
    let note = page.text("#view-practice");
    assert!(note.contains("compute a table with lab2048 solve block --tile 512"), "{note}");
    page.assert_no_errors();
}
