//! The menu. The letters m, a, c and d and the word "speed" come from the first description of the
//! game.

use crossterm::event::KeyCode;
use lab2048::board::Size;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::Playing;
use super::board::{self, Label, Scale};
use super::browser::BrowserForm;
use super::choose::Choose;
use super::custom::Custom;
use super::events::{Event, plain};
use super::keymap;
use super::list::{self, Drawn};
use super::open_file::OpenFile;
use super::pages::Page;
use super::parts;
use super::play::Play;
use super::positions::Positions;
use super::practice::ChoiceScreen;
use super::screen::{Next, Screen, Shared};
use crate::practice::PositionOptions;
use crate::report::whole;
use crate::store::Wanted;

/// The menu items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    Play,
    New,
    Watch,
    Games,
    Browser,
    Custom,
    Positions,
    Practice,
    Replay,
    Speed,
    Size,
    Statistics,
    Help,
    Quit,
}

const ITEMS: [(char, Item); 14] = [
    ('m', Item::Play),
    ('n', Item::New),
    ('a', Item::Watch),
    ('g', Item::Games),
    ('w', Item::Browser),
    ('c', Item::Custom),
    ('d', Item::Positions),
    ('p', Item::Practice),
    ('r', Item::Replay),
    ('s', Item::Speed),
    ('b', Item::Size),
    ('t', Item::Statistics),
    ('h', Item::Help),
    ('q', Item::Quit),
];

/// This word may be typed in full instead of its first letter.
const SPEED: &str = "speed";

/// The columns of the list, of the gap between it and the tiles, and of the margins.
const LIST: u16 = 62;
const GAP: u16 = 3;
const EDGE: u16 = 2;

/// The menu.
pub(super) struct Menu {
    chosen: usize,
    /// A short description of the unfinished game of the chosen size.
    unfinished: Option<String>,
    /// The sizes of all unfinished games.
    sizes: Vec<Size>,
    notice: Option<String>,
    /// Where the items were drawn.
    drawn: Drawn,
    /// How many letters of the word have been typed.
    typed: usize,
    /// Whether the question about abandoning the unfinished game is shown.
    asked: bool,
}

impl Menu {
    pub(super) fn new(shared: &mut Shared) -> Menu {
        let mut menu = Menu {
            chosen: 0,
            unfinished: None,
            sizes: Vec::new(),
            notice: None,
            drawn: Drawn::default(),
            typed: 0,
            asked: false,
        };
        menu.refresh(shared);
        menu
    }

    /// Reads the stored state again.
    fn refresh(&mut self, shared: &mut Shared) {
        let chosen = self.items().nth(self.chosen);
        self.unfinished = shared.store.unfinished(shared.size).map(|unfinished| {
            let game = unfinished.history.game();
            format!("{}, {} points", game.rules().size, whole(game.score()))
        });
        self.sizes = shared.store.unfinished_sizes();
        // The list may be longer or shorter now. The same item stays chosen.
        let place = self.items().position(|item| Some(item) == chosen);
        self.chosen = place.unwrap_or(0);
        if let Some(notice) = shared.store.take_notice() {
            self.notice = Some(notice);
        }
    }

    fn items(&self) -> impl Iterator<Item = (char, Item)> {
        let unfinished = self.unfinished.is_some();
        ITEMS.into_iter().filter(move |(_, item)| unfinished || *item != Item::New)
    }

    fn choose(&mut self, item: Item, asked: bool, shared: &mut Shared) -> Next {
        match item {
            Item::Play => {
                // The stored game is read again: another window may have saved one since the menu
                // was drawn.
                let setup = shared.setup();
                let playing = Playing { setup, wanted: Wanted::ThisSize, hint: None, save: None };
                Next::Push(Box::new(Play::open(playing, shared)))
            }
            Item::New if !asked => {
                self.asked = true;
                // Show the game that would be abandoned. It may come from another window.
                self.refresh(shared);
                let game = self.unfinished.as_deref().unwrap_or_default();
                self.notice = Some(format!("press the same key again to abandon your game: {game}"));
                Next::Stay
            }
            Item::New => Next::Push(Box::new(Play::fresh_kept(shared.setup(), shared))),
            Item::Watch => Next::Push(Box::new(Choose::watch(1, None, shared))),
            Item::Games => Next::Push(Box::new(Choose::watch(10, None, shared).asking_for_games())),
            Item::Browser => Next::Push(Box::new(BrowserForm::new(shared))),
            Item::Custom => Next::Push(Box::new(Custom::new(shared.size))),
            Item::Positions => Next::Push(Box::new(Positions::new())),
            Item::Practice => Next::Push(Box::new(ChoiceScreen::new(PositionOptions::default(), shared))),
            Item::Replay => Next::Push(Box::new(OpenFile::new())),
            Item::Speed => {
                shared.turbo = !shared.turbo;
                Next::Stay
            }
            Item::Size => {
                self.resize(shared, true);
                Next::Stay
            }
            Item::Statistics => Next::Push(Box::new(Page::statistics(shared.store.kept()))),
            Item::Help => Next::Push(Box::new(Page::help(&keymap::PLAY))),
            Item::Quit => Next::Back,
        }
    }

    /// Selects the next larger or smaller size and wraps around: squares, and the sizes of
    /// unfinished games.
    fn resize(&mut self, shared: &mut Shared, larger: bool) {
        let squares = (Size::MIN_SIDE..=Size::MAX_SIDE).filter_map(|side| Size::new(side, side).ok());
        let mut sizes: Vec<Size> = squares.chain(self.sizes.iter().copied()).collect();
        sizes.sort_by_key(|size| (size.cells(), size.rows()));
        sizes.dedup();
        let here = sizes.iter().position(|size| *size == shared.size);
        let next = match (here, larger) {
            (None, _) => sizes.iter().position(|size| size.cells() >= shared.size.cells()).unwrap_or(0),
            (Some(place), true) => (place + 1) % sizes.len(),
            (Some(place), false) => place.checked_sub(1).unwrap_or(sizes.len() - 1),
        };
        shared.size = sizes.get(next).copied().unwrap_or_default();
        self.refresh(shared);
    }

    /// The size of the board, and of the other unfinished games.
    fn size_words(&self, shared: &Shared) -> String {
        let others = self.sizes.iter().filter(|size| **size != shared.size);
        let others: Vec<String> = others.map(Size::to_string).collect();
        match others.as_slice() {
            [] => format!("{}, ← →", shared.size),
            [one] => format!("{}, ← →; also unfinished: {one}", shared.size),
            [one, two] => format!("{}, ← →; unfinished: {one}, {two}", shared.size),
            [one, two, ..] => format!("{}, ← →; unfinished: {one}, {two}, …", shared.size),
        }
    }

    fn words(&self, item: Item, shared: &Shared) -> (&'static str, String) {
        match item {
            Item::Play => match &self.unfinished {
                Some(game) => ("Continue your game", game.clone()),
                None => ("Play", "play 2048 yourself".to_owned()),
            },
            Item::New => ("New game", format!("{}; abandons the unfinished one", shared.size)),
            Item::Watch => ("Watch a player", shared.store.kept().watch.clone()),
            Item::Games => ("Games in a row", "running statistics".to_owned()),
            Item::Browser => ("Play in a browser", "a player plays a web page".to_owned()),
            Item::Custom => ("Custom board", "cell by cell, or paste rows".to_owned()),
            Item::Positions => ("Positions", "start in the middle of a game".to_owned()),
            Item::Practice => ("Practice", "endgames with exact answers".to_owned()),
            Item::Replay => ("Open a replay", "watch or review a saved game".to_owned()),
            Item::Speed if shared.turbo => ("Speed", "turbo: as fast as possible".to_owned()),
            Item::Speed => ("Speed", "normal: easy to follow".to_owned()),
            Item::Size => ("Board size", self.size_words(shared)),
            Item::Statistics => ("Statistics", "games played and watched".to_owned()),
            Item::Help => ("Help", "keys and rules".to_owned()),
            Item::Quit => ("Quit", String::new()),
        }
    }

    fn lines(&self, shared: &Shared, wide: bool) -> Vec<Line<'static>> {
        let theme = shared.theme;
        let line = |(place, (letter, item)): (usize, (char, Item))| {
            let (name, about) = self.words(item, shared);
            let style = if place == self.chosen { theme.chosen() } else { theme.strong() };
            let mut spans = vec![
                Span::styled(format!(" {letter} "), theme.title()),
                Span::styled(format!(" {name:<21}"), style),
            ];
            if wide {
                spans.push(Span::styled(format!(" {about}"), theme.dim()));
            }
            Line::from(spans)
        };
        self.items().enumerate().map(line).collect()
    }
}

impl Screen for Menu {
    fn handle(&mut self, event: &Event, shared: &mut Shared) -> Next {
        let items: Vec<(char, Item)> = self.items().collect();
        self.chosen = self.chosen.min(items.len() - 1);
        let key = match event {
            Event::Key(key) => key,
            Event::Click { column, row } => {
                let Some(place) = self.drawn.entry(*column, *row, items.len()) else { return Next::Stay };
                (self.chosen, self.notice) = (place, None);
                let asked = std::mem::take(&mut self.asked);
                return self.choose(items[place].1, asked, shared);
            }
            Event::Wheel { down } => {
                self.chosen = list::step(self.chosen, items.len(), *down);
                return Next::Stay;
            }
            // Another screen was left and may have changed the stored state.
            Event::Wake => {
                self.refresh(shared);
                return Next::Stay;
            }
            _ => return Next::Stay,
        };
        let Some(code) = plain(key) else { return Next::Stay };
        self.notice = None;
        let asked = std::mem::take(&mut self.asked);
        // Typing "speed" in full does the same as its first letter.
        let letter = match code {
            KeyCode::Char(letter) => Some(letter.to_ascii_lowercase()),
            _ => None,
        };
        if self.typed > 0 && letter.is_some() && SPEED.chars().nth(self.typed) == letter {
            self.typed = (self.typed + 1) % SPEED.len();
            return Next::Stay;
        }
        self.typed = usize::from(letter == Some('s'));
        match keymap::MENU.find(code) {
            Some(KeyCode::Down | KeyCode::Tab | KeyCode::Char('j')) => {
                self.chosen = list::step(self.chosen, items.len(), true);
            }
            Some(KeyCode::Up | KeyCode::BackTab | KeyCode::Char('k')) => {
                self.chosen = list::step(self.chosen, items.len(), false);
            }
            Some(KeyCode::Right) => self.resize(shared, true),
            Some(KeyCode::Left) => self.resize(shared, false),
            Some(KeyCode::Enter) => return self.choose(items[self.chosen].1, asked, shared),
            Some(KeyCode::Char(letter)) => {
                let Some(place) = items.iter().position(|(own, _)| *own == letter) else { return Next::Stay };
                self.chosen = place;
                return self.choose(items[place].1, asked, shared);
            }
            _ => {}
        }
        Next::Stay
    }

    fn takes_clicks(&self) -> bool {
        true
    }

    fn draw(&self, frame: &mut Frame<'_>, shared: &Shared) {
        let (theme, area) = (shared.theme, frame.area());
        if area.width < 26 || area.height < 15 {
            return parts::too_small(frame, "the menu", (26, 15), "q leaves");
        }
        let logo = Size::new(2, 2).unwrap_or_default();
        let wide = area.width >= 60;
        // The tiles need margins and a gap to the list.
        let scale = Scale::fitting(
            logo,
            area.width.saturating_sub(LIST + GAP + 2 * EDGE),
            area.height.saturating_sub(4),
        );
        let scale = scale.filter(|scale| scale.tile_width() >= 7);
        let lines = self.lines(shared, wide);
        let list_width = if wide { LIST.min(area.width) } else { 26 };
        let logo_size = scale.map_or((0, 0), |scale| scale.board(logo));
        let gap = if scale.is_some() { GAP } else { 0 };
        let left = area.x + (area.width - list_width - logo_size.0 - gap) / 2;
        let middle = |height: u16| area.y + area.height.saturating_sub(height + 1) / 2;
        if let Some(scale) = scale {
            let tiles = [(2, "2"), (8, "0"), (64, "4"), (2048, "8")];
            let labels =
                tiles.map(|(tile, text)| Label { tile, text: text.to_owned(), style: theme.strong() });
            let place = Rect { x: left, y: middle(logo_size.1), width: logo_size.0, height: logo_size.1 };
            board::paint_labels(frame.buffer_mut(), place, scale, theme, logo, labels.to_vec());
        }
        let height = lines.len() as u16;
        let list = Rect { x: left + logo_size.0 + gap, y: middle(height), width: list_width, height };
        let list = list.intersection(area);
        self.drawn.set(list, 0);
        frame.render_widget(Paragraph::new(lines), list);
        let notice = self.notice.as_ref().map(|notice| (notice.clone(), true));
        parts::foot(frame, theme, notice.as_ref(), &keymap::MENU.footer());
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{golden, press, pressed, shared, text, type_in};
    use super::*;
    use crate::store::Store;

    #[test]
    fn the_menu_in_a_usual_window_and_in_a_small_one() {
        let shared = &mut shared();
        let menu = Menu::new(shared);
        golden("menu", &text(&menu, shared, 96, 24));
        let narrow = text(&menu, shared, 30, 15);
        assert!(narrow.contains("Custom board") && !narrow.contains("paste"), "{narrow}");
        assert!(text(&menu, shared, 20, 5).contains("26 columns"));
        text(&menu, shared, 1, 1);
    }

    #[test]
    fn the_letters_of_the_document_work() {
        let shared = &mut shared();
        let shown = |letter: char, shared: &mut Shared| {
            let mut menu = Menu::new(shared);
            let Next::Push(screen) = pressed(&mut menu, shared, KeyCode::Char(letter)) else {
                panic!("'{letter}' opens something")
            };
            text(screen.as_ref(), shared, 80, 24)
        };
        assert!(shown('m', shared).contains("score"));
        assert!(shown('a', shared).contains("who plays?"));
        assert!(shown('c', shared).contains("custom board"));
        assert!(shown('d', shared).contains("debug"));
        assert!(shown('p', shared).contains("what to practise"));
        assert!(shown('g', shared).contains("10"));
        assert!(shown('w', shared).contains("play in a browser"));
        assert!(shown('r', shared).contains("open a replay"));
        assert!(shown('h', shared).contains("undo a move"));
        assert!(shown('t', shared).contains("none yet"));
        assert!(matches!(pressed(&mut Menu::new(shared), shared, KeyCode::Char('q')), Next::Back));
    }

    #[test]
    fn a_kept_game_is_given_up_only_after_a_question() {
        let folder = tempfile::tempdir().unwrap();
        let shared = &mut shared();
        shared.store = Store::at(folder.path());
        let mut play = Play::fresh_kept(shared.setup(), shared);
        type_in(&mut play, shared, "wasdwasd");
        play.leave(shared);
        let mut menu = Menu::new(shared);
        type_in(&mut menu, shared, "n");
        assert!(text(&menu, shared, 96, 24).contains("press the same key again to abandon your game: 4x4"));
        press(&mut menu, shared, &[KeyCode::Down]);
        type_in(&mut menu, shared, "n");
        assert!(matches!(pressed(&mut menu, shared, KeyCode::Char('n')), Next::Push(_)));
        // The menu with an unfinished game keeps its margins too.
        for width in [90, 96, 100, 120] {
            let shown = text(&menu, shared, width, 24);
            for line in shown.lines().filter(|line| !line.is_empty()) {
                let end = line.chars().count();
                assert!(line.starts_with("  ") && end + 2 <= usize::from(width), "{width}:\n{shown}");
            }
        }
    }

    #[test]
    fn speed_is_a_letter_or_a_whole_word() {
        let shared = &mut shared();
        let mut menu = Menu::new(shared);
        type_in(&mut menu, shared, "speed");
        assert!(shared.turbo, "the d of the word does not open the positions");
        assert!(text(&menu, shared, 96, 24).contains("turbo"));
        type_in(&mut menu, shared, "s");
        assert!(!shared.turbo);
        assert!(
            matches!(pressed(&mut menu, shared, KeyCode::Char('d')), Next::Push(_)),
            "a d without the word"
        );
    }

    #[test]
    fn every_letter_is_a_declared_key() {
        for (letter, item) in ITEMS {
            assert_eq!(keymap::MENU.find(KeyCode::Char(letter)), Some(KeyCode::Char(letter)), "{item:?}");
        }
        let help = [KeyCode::F(1), KeyCode::Char('?'), KeyCode::Char('i')];
        assert_eq!(help.map(|code| keymap::MENU.find(code)), [Some(KeyCode::Char('h')); 3]);
        assert_eq!(keymap::MENU.find(KeyCode::Esc), Some(KeyCode::Char('q')));
    }

    #[test]
    fn the_mouse_opens_entries() {
        let shared = &mut shared();
        let mut menu = Menu::new(shared);
        let shown = text(&menu, shared, 96, 24);
        let at = |words: &str| {
            let row = shown.lines().position(|line| line.contains(words)).unwrap();
            let line = shown.lines().nth(row).unwrap();
            let column = line[..line.find(words).unwrap()].chars().count();
            Event::Click { column: column as u16, row: row as u16 }
        };
        assert!(menu.takes_clicks());
        let Next::Push(opened) = menu.handle(&at("Custom board"), shared) else { panic!("it opens") };
        assert!(text(opened.as_ref(), shared, 80, 24).contains("custom board"));
        assert!(matches!(menu.handle(&at("Quit"), shared), Next::Back));
        assert!(matches!(menu.handle(&at("│    2     │"), shared), Next::Stay), "the tiles are no entries");
        assert!(matches!(menu.handle(&Event::Click { column: 95, row: 23 }, shared), Next::Stay));
        assert_eq!(menu.chosen, 12, "the entry that was clicked last");
        menu.handle(&Event::Wheel { down: true }, shared);
        assert_eq!(menu.chosen, 0, "after the last one comes the first");
        menu.handle(&Event::Wheel { down: false }, shared);
        assert_eq!(menu.chosen, 12);
        assert!(!Play::fresh_kept(shared.setup(), shared).takes_clicks(), "text can be selected on boards");
    }

    #[test]
    fn every_size_shows_its_own_unfinished_game() {
        let folder = tempfile::tempdir().unwrap();
        let shared = &mut shared();
        shared.store = Store::at(folder.path());
        for size in ["4x4", "3x5"] {
            shared.size = size.parse().unwrap();
            let mut play = Play::fresh_kept(shared.setup(), shared);
            type_in(&mut play, shared, "wasdwasd");
            play.leave(shared);
        }
        let mut menu = Menu::new(shared);
        let shown = text(&menu, shared, 96, 24);
        assert!(shown.contains("Continue your game    3x5, "), "{shown}");
        assert!(shown.contains("3x5, ← →; also unfinished: 4x4"), "{shown}");
        press(&mut menu, shared, &[KeyCode::Right]);
        let shown = text(&menu, shared, 96, 24);
        assert!(shown.contains("Continue your game    4x4, "), "{shown}");
        type_in(&mut menu, shared, "b");
        assert_eq!(menu.items().nth(menu.chosen), Some(('b', Item::Size)), "the list is shorter now");
        let shown = text(&menu, shared, 96, 24);
        assert!(shared.size.to_string() == "5x5" && shown.contains("play 2048 yourself"), "{shown}");
        assert!(shown.contains("5x5, ← →; unfinished: "), "{shown}");
        press(&mut menu, shared, &[KeyCode::Left, KeyCode::Left]);
        let Next::Push(play) = pressed(&mut menu, shared, KeyCode::Char('m')) else { panic!("it continues") };
        assert!(text(play.as_ref(), shared, 80, 24).contains("continuing your game"));
    }

    #[test]
    fn sizes_go_round() {
        let shared = &mut shared();
        let mut menu = Menu::new(shared);
        press(&mut menu, shared, &[KeyCode::Right; 4]);
        assert_eq!(shared.size.to_string(), "8x8");
        type_in(&mut menu, shared, "b");
        assert_eq!(shared.size.to_string(), "2x2");
        press(&mut menu, shared, &[KeyCode::Left]);
        assert_eq!(shared.size.to_string(), "8x8");
    }
}
