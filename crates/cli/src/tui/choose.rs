//! The screen for choosing a player and its parameters. Errors are the registry's own messages.

use std::collections::BTreeMap;

use crossterm::event::KeyCode;
use lab2048::board::{Board, Size};
use lab2048::players::{Param, Spec};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Paragraph, Wrap};

use super::events::Event;
use super::field::Field;
use super::keymap;
use super::list::{self, Drawn};
use super::parts;
use super::screen::{Answer, Next, Screen, Shared};
use crate::game_options::GameRequest;
use crate::numbers;

const MOST_GAMES: u64 = 1_000_000;

/// The list of players and the fields of the chosen one.
pub(super) struct Choose {
    title: &'static str,
    players: Vec<(&'static str, &'static str)>,
    chosen: usize,
    /// Where the players were drawn.
    drawn: Drawn,
    /// The field that is being edited. `None` while the list of players has the focus.
    focus: Option<usize>,
    /// The fields about the games. `None` if only a player is wanted.
    games: Option<Games>,
    /// The values that were typed, by player and parameter.
    given: BTreeMap<(&'static str, &'static str), Field>,
    /// The player that the fields describe, or the error in them. Updated after every key.
    spec: Result<Spec, String>,
}

/// The fields about the games.
struct Games {
    count: Field,
    size: Field,
    seed: Field,
    board: Option<Board>,
}

/// A row of the list of fields.
struct Row<'a> {
    name: &'static str,
    field: Option<&'a Field>,
    default: &'static str,
    help: String,
}

impl Choose {
    /// Chooses a player for hints.
    pub(super) fn coach(now: &Spec, shared: &Shared) -> Choose {
        Choose::new("who gives hints?", now, None, shared)
    }

    /// Chooses a player that reviews a game.
    pub(super) fn judge(now: &Spec, shared: &Shared) -> Choose {
        Choose::new("who judges? its values must be in points", now, None, shared)
    }

    /// Chooses a player to watch, and its games.
    pub(super) fn watch(games: u64, board: Option<Board>, shared: &Shared) -> Choose {
        let last = shared.registry.parse(&shared.store.kept().watch);
        let last = last.unwrap_or_else(|_| Spec::named("auto"));
        let size = board.as_ref().map_or(shared.size, Board::size);
        let games = Games {
            count: Field::new(games.to_string()),
            size: Field::new(size.to_string()),
            seed: Field::default(),
            board,
        };
        Choose::new("who plays?", &last, Some(games), shared)
    }

    /// Starts with the cursor in the field for the number of games.
    pub(super) fn asking_for_games(self) -> Choose {
        Choose { focus: Some(0), ..self }
    }

    fn new(title: &'static str, now: &Spec, games: Option<Games>, shared: &Shared) -> Choose {
        // A person cannot be chosen: the user already has the keyboard.
        let entries = shared.registry.entries().iter().filter(|entry| !entry.is_person);
        let players: Vec<_> = entries.map(|entry| (entry.name, entry.summary)).collect();
        let chosen = players.iter().position(|(name, _)| *name == now.name()).unwrap_or(0);
        let spec = Ok(now.clone());
        let (drawn, given) = (Drawn::default(), BTreeMap::new());
        let mut choose = Choose { title, players, chosen, drawn, focus: None, games, given, spec };
        for param in shared.registry.params(now).unwrap_or_default() {
            if let Some(value) = now.value(param.name) {
                choose.given.insert((choose.player(), param.name), Field::new(value.to_owned()));
            }
        }
        choose.check(shared);
        choose
    }

    fn player(&self) -> &'static str {
        self.players.get(self.chosen).map_or("auto", |(name, _)| name)
    }

    /// The spec as typed, not yet checked.
    fn typed(&self) -> Spec {
        let player = self.player();
        let given =
            self.given.iter().filter(|((name, _), field)| *name == player && !field.text().is_empty());
        given.fold(Spec::named(player), |spec, ((_, param), field)| spec.with(param, field.text()))
    }

    /// The parameters of the player. If the evaluator is unknown, its parameters are missing.
    fn params(&self, shared: &Shared) -> Vec<&'static Param> {
        let all = shared.registry.params(&self.typed());
        all.unwrap_or_else(|_| {
            let entry = shared.registry.entry(self.player());
            entry.map(|entry| entry.params.iter().collect()).unwrap_or_default()
        })
    }

    fn check(&mut self, shared: &Shared) {
        // Values for an evaluator that is no longer chosen are dropped.
        let (player, names) = (self.player(), self.params(shared));
        self.given
            .retain(|(name, param), _| *name != player || names.iter().any(|known| known.name == *param));
        let spec = shared.registry.parse(&self.typed().to_string()).map_err(|error| error.to_string());
        self.spec = spec.and_then(|spec| match &self.games {
            Some(games) => games.setup().map(|_| spec),
            None => Ok(spec),
        });
    }

    fn rows(&self, shared: &Shared) -> Vec<Row<'_>> {
        let mut rows = Vec::new();
        if let Some(games) = &self.games {
            let row = |name, field, default, help: &str| Row {
                name,
                field: Some(field),
                default,
                help: help.to_owned(),
            };
            rows.push(row("games", &games.count, "1", "number of games; each one uses the next seed"));
            if games.board.is_none() {
                rows.push(row("size", &games.size, "4x4", "rows x columns, 2x2 to 8x8"));
            }
            rows.push(row("seed", &games.seed, "random", "the same seed gives the same game"));
        }
        let player = self.player();
        for param in self.params(shared) {
            let unit = param.unit_in_brackets();
            rows.push(Row {
                name: param.name,
                field: self.given.get(&(player, param.name)),
                default: param.default.unwrap_or("required"),
                help: format!("{}: {}{unit}", param.help, param.kind.describe()),
            });
        }
        rows
    }

    /// The field in a row. It is created if it does not exist yet.
    fn field(&mut self, number: usize, shared: &Shared) -> Option<&mut Field> {
        let name = self.rows(shared).get(number)?.name;
        let own = match &self.games {
            None => 0,
            Some(games) => {
                if games.board.is_none() {
                    3
                } else {
                    2
                }
            }
        };
        if number >= own {
            return Some(self.given.entry((self.player(), name)).or_default());
        }
        let games = self.games.as_mut()?;
        Some(match name {
            "games" => &mut games.count,
            "size" => &mut games.size,
            _ => &mut games.seed,
        })
    }

    fn move_up_or_down(&mut self, down: bool, shared: &Shared) {
        let length = match self.focus {
            None => self.players.len(),
            Some(_) => self.rows(shared).len(),
        };
        let place = self.focus.as_mut().unwrap_or(&mut self.chosen);
        *place = list::step(*place, length, down);
    }

    fn accept(&mut self, shared: &mut Shared) -> Next {
        let Ok(spec) = self.spec.clone() else { return Next::Stay };
        match self.games.as_ref().map(Games::setup) {
            None => Next::Answer(Answer::Player { spec, games: 1, setup: GameRequest::of_size(shared.size) }),
            Some(Ok((games, setup))) => {
                shared.store.update(|kept| kept.watch = spec.to_string());
                Next::Answer(Answer::Player { spec, games, setup })
            }
            Some(Err(_)) => Next::Stay,
        }
    }

    fn draw_players(&self, frame: &mut Frame<'_>, shared: &Shared, area: Rect) {
        let theme = shared.theme;
        let line = |(place, (name, _)): (usize, &(&str, &str))| {
            let style = match (place == self.chosen, self.focus) {
                (true, None) => theme.chosen(),
                (true, Some(_)) => theme.title(),
                (false, _) => theme.strong(),
            };
            Line::styled(format!(" {name:<12} "), style)
        };
        let lines: Vec<Line<'_>> = self.players.iter().enumerate().map(line).collect();
        let top = scroll(self.chosen, lines.len(), area.height.saturating_sub(2));
        let block = framed("players", shared);
        self.drawn.set(block.inner(area), top.into());
        frame.render_widget(Paragraph::new(lines).scroll((top, 0)).block(block), area);
    }

    fn draw_fields(&self, frame: &mut Frame<'_>, shared: &Shared, area: Rect) {
        let theme = shared.theme;
        let rows = self.rows(shared);
        let column = rows.iter().map(|row| row.name.len()).max().unwrap_or(0).max(10);
        let lines: Vec<Line<'_>> = rows
            .iter()
            .enumerate()
            .map(|(number, row)| {
                let here = self.focus == Some(number);
                let text = row.field.map_or("", Field::text);
                let value = match (here, text.is_empty()) {
                    (true, _) => Span::styled(format!(" {text}▏"), theme.chosen()),
                    (false, true) => Span::styled(format!(" {}", row.default), theme.dim()),
                    (false, false) => Span::styled(format!(" {text}"), theme.strong()),
                };
                let default =
                    if here && text.is_empty() { format!(" {}", row.default) } else { String::new() };
                Line::from(vec![
                    Span::raw(format!(" {:<column$}", row.name)),
                    value,
                    Span::styled(default, theme.dim()),
                ])
            })
            .collect();
        let empty = lines.is_empty();
        let top = scroll(self.focus.unwrap_or(0), lines.len(), area.height.saturating_sub(2));
        let text = if empty { Paragraph::new(" no parameters") } else { Paragraph::new(lines) };
        frame.render_widget(text.scroll((top, 0)).block(framed("parameters", shared)), area);
    }
}

impl Games {
    /// The number of games and their setup, or the error in the fields.
    fn setup(&self) -> Result<(u64, GameRequest), String> {
        let text = |field: &Field, default: &str| {
            if field.text().is_empty() { default.to_owned() } else { field.text().trim().to_owned() }
        };
        let games = numbers::whole(1, MOST_GAMES)(&text(&self.count, "1"))
            .map_err(|error| format!("games: {error}"))?;
        let seed = match self.seed.text() {
            "" => None,
            typed => Some(
                numbers::whole(0, u64::MAX - MOST_GAMES)(typed.trim())
                    .map_err(|error| format!("seed: {error}"))?,
            ),
        };
        let setup = match &self.board {
            Some(board) => GameRequest::of_board(board.clone()),
            None => {
                let size = text(&self.size, "4x4").parse::<Size>().map_err(|error| error.to_string())?;
                GameRequest::of_size(size)
            }
        };
        Ok((games, GameRequest { seed, ..setup }))
    }
}

/// How far a list is scrolled to keep a line visible.
fn scroll(line: usize, length: usize, height: u16) -> u16 {
    let height = usize::from(height);
    let most = length.saturating_sub(height);
    line.saturating_sub(height.saturating_sub(2)).min(most) as u16
}

fn framed<'a>(title: &'a str, shared: &Shared) -> Block<'a> {
    let title = Line::styled(format!(" {title} "), shared.theme.dim());
    Block::bordered().border_type(BorderType::Rounded).border_style(shared.theme.dim()).title(title)
}

impl Screen for Choose {
    fn handle(&mut self, event: &Event, shared: &mut Shared) -> Next {
        let key = match event {
            Event::Key(key) => key,
            Event::Paste(text) => {
                if let Some(field) = self.focus.and_then(|number| self.field(number, shared)) {
                    field.paste(text);
                    self.check(shared);
                }
                return Next::Stay;
            }
            Event::Click { column, row } => {
                let Some(place) = self.drawn.entry(*column, *row, self.players.len()) else {
                    return Next::Stay;
                };
                if self.focus.is_none() && place == self.chosen {
                    return self.accept(shared);
                }
                (self.chosen, self.focus) = (place, None);
                self.check(shared);
                return Next::Stay;
            }
            Event::Wheel { down } => {
                self.move_up_or_down(*down, shared);
                self.check(shared);
                return Next::Stay;
            }
            _ => return Next::Stay,
        };
        match (key.code, self.focus) {
            (KeyCode::Esc | KeyCode::Char('q' | 'Q'), None) => return Next::Back,
            (KeyCode::Enter, _) => return self.accept(shared),
            (KeyCode::Up, _) => self.move_up_or_down(false, shared),
            (KeyCode::Down, _) => self.move_up_or_down(true, shared),
            (KeyCode::Tab | KeyCode::Right, None) => {
                self.focus = (!self.rows(shared).is_empty()).then_some(0)
            }
            (KeyCode::Tab | KeyCode::BackTab | KeyCode::Left | KeyCode::Esc, Some(_)) => self.focus = None,
            (KeyCode::Char('k'), None) => self.move_up_or_down(false, shared),
            (KeyCode::Char('j'), None) => self.move_up_or_down(true, shared),
            (_, Some(number)) => {
                if let Some(field) = self.field(number, shared) {
                    field.press(key);
                }
            }
            _ => {}
        }
        self.check(shared);
        Next::Stay
    }

    fn takes_clicks(&self) -> bool {
        true
    }

    fn draw(&self, frame: &mut Frame<'_>, shared: &Shared) {
        let theme = shared.theme;
        let area = frame.area();
        if area.width < 44 || area.height < 12 {
            return parts::too_small(frame, "the list of players", (44, 12), "Esc leaves");
        }
        let width = area.width.min(100);
        let area = Rect { x: area.x + (area.width - width) / 2, width, ..area };
        let [title, lists, words, keys] = Layout::vertical([
            Constraint::Length(2),
            Constraint::Min(6),
            Constraint::Length(4),
            Constraint::Length(1),
        ])
        .areas(area);
        frame.render_widget(Line::styled(self.title, theme.title()).centered(), title);
        let [players, fields] =
            Layout::horizontal([Constraint::Length(17), Constraint::Min(20)]).areas(lists);
        self.draw_players(frame, shared, players);
        self.draw_fields(frame, shared, fields);
        let about = match self.focus {
            None => self.players.get(self.chosen).map_or("", |(_, summary)| summary).to_owned(),
            Some(number) => {
                self.rows(shared).into_iter().nth(number).map_or_else(String::new, |row| row.help)
            }
        };
        let verdict = match &self.spec {
            Ok(spec) => Line::from(vec![
                Span::styled("→ ", theme.title()),
                Span::styled(spec.to_string(), theme.strong()),
            ]),
            Err(sentence) => Line::styled(sentence.clone(), theme.bad()),
        };
        frame.render_widget(Paragraph::new(vec![verdict, Line::raw(about)]).wrap(Wrap { trim: true }), words);
        frame.render_widget(parts::keys_line(theme, &keymap::PLAYERS.footer(), keys.width), keys);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{press, pressed, shared, text, type_in};
    use super::*;

    fn at(player: &str, shared: &Shared) -> Choose {
        let mut choose = Choose::watch(1, None, shared);
        choose.chosen = choose.players.iter().position(|(name, _)| *name == player).unwrap();
        choose.check(shared);
        choose
    }

    #[test]
    fn parameters_are_checked_by_the_registry_as_they_are_typed() {
        let shared = &mut shared();
        let mut choose = at("expectimax", shared);
        let number = choose.rows(shared).iter().position(|row| row.name == "depth").unwrap();
        press(&mut choose, shared, &[KeyCode::Tab]);
        press(&mut choose, shared, &vec![KeyCode::Down; number]);
        type_in(&mut choose, shared, "x");
        let said = choose.spec.clone().unwrap_err();
        assert!(said.starts_with("expectimax: depth=x is not possible"), "{said}");
        assert!(text(&choose, shared, 80, 24).contains("expectimax: depth=x is not possible"));
        assert!(matches!(pressed(&mut choose, shared, KeyCode::Enter), Next::Stay));
        press(&mut choose, shared, &[KeyCode::Backspace]);
        type_in(&mut choose, shared, "2");
        assert_eq!(choose.spec.clone().unwrap().to_string(), "expectimax:depth=2");
        assert!(matches!(
            pressed(&mut choose, shared, KeyCode::Enter),
            Next::Answer(Answer::Player { games: 1, .. })
        ));
        assert_eq!(shared.store.kept().watch, "expectimax:depth=2");
        assert_eq!(Choose::watch(1, None, shared).spec.unwrap().to_string(), "expectimax:depth=2");
    }

    #[test]
    fn esc_goes_from_the_parameters_to_the_list_and_from_there_back() {
        let shared = &mut shared();
        let mut choose = at("expectimax", shared);
        press(&mut choose, shared, &[KeyCode::Tab, KeyCode::Down]);
        type_in(&mut choose, shared, "3x3");
        press(&mut choose, shared, &[KeyCode::Esc]);
        assert_eq!(choose.focus, None);
        assert!(text(&choose, shared, 80, 24).contains("3x3"), "what was typed stays");
        assert!(matches!(pressed(&mut choose, shared, KeyCode::Esc), Next::Back));
    }

    #[test]
    fn a_click_chooses_a_player_and_another_one_accepts_it() {
        let shared = &mut shared();
        let mut choose = at("random", shared);
        let shown = text(&choose, shared, 80, 24);
        let row = shown.lines().position(|line| line.contains("│ greedy")).unwrap() as u16;
        let click = Event::Click { column: 5, row };
        press(&mut choose, shared, &[KeyCode::Tab]);
        assert!(matches!(choose.handle(&click, shared), Next::Stay));
        assert_eq!((choose.player(), choose.focus), ("greedy", None));
        assert!(matches!(choose.handle(&click, shared), Next::Answer(Answer::Player { games: 1, .. })));
        choose.handle(&Event::Click { column: 60, row }, shared);
        assert_eq!(choose.player(), "greedy", "the parameters are not in the list");
    }

    #[test]
    fn the_fields_of_the_games_are_checked_too() {
        let shared = &mut shared();
        let mut choose = at("random", shared).asking_for_games();
        press(&mut choose, shared, &[KeyCode::Delete]);
        type_in(&mut choose, shared, "0");
        assert_eq!(choose.spec.clone().unwrap_err(), "games: it must be a whole number from 1 to 1,000,000");
        press(&mut choose, shared, &[KeyCode::Delete]);
        type_in(&mut choose, shared, "25");
        press(&mut choose, shared, &[KeyCode::Down, KeyCode::Delete]);
        type_in(&mut choose, shared, "9x9");
        assert!(choose.spec.clone().unwrap_err().contains("both sides must be from 2 to 8"));
        press(&mut choose, shared, &[KeyCode::Delete]);
        type_in(&mut choose, shared, "3x5");
        let Next::Answer(Answer::Player { spec, games, setup }) =
            pressed(&mut choose, shared, KeyCode::Enter)
        else {
            panic!("the fields are valid now")
        };
        assert_eq!(
            (spec.to_string().as_str(), games, setup.game.rules.size.to_string().as_str()),
            ("random", 25, "3x5")
        );
    }

    #[test]
    fn values_stand_in_one_column_whatever_the_names() {
        let shared = &mut shared();
        let mut choose = at("expectimax", shared);
        let number = choose.rows(shared).iter().position(|row| row.name == "eval").unwrap();
        press(&mut choose, shared, &[KeyCode::Tab]);
        press(&mut choose, shared, &vec![KeyCode::Down; number]);
        press(&mut choose, shared, &[KeyCode::Delete]);
        type_in(&mut choose, shared, "rows");
        press(&mut choose, shared, &[KeyCode::Tab]);
        // Cut off the list of players.
        let shown = text(&choose, shared, 100, 60);
        let shown: Vec<String> = shown.lines().map(|line| line.chars().skip(17).collect()).collect();
        let shown = shown.join("\n");
        let rows = choose.rows(shared);
        assert!(rows.iter().any(|row| row.name.len() > 10), "a long name, like merge_power");
        let places: Vec<usize> = rows
            .iter()
            .map(|row| {
                let line = shown.lines().find(|line| line.contains(&format!(" {} ", row.name)));
                let line = line.unwrap_or_else(|| panic!("{}:\n{shown}", row.name));
                let (before, after) = line.split_once(&format!(" {} ", row.name)).unwrap();
                let blanks = after.len() - after.trim_start().len();
                before.chars().count() + row.name.len() + blanks
            })
            .collect();
        assert!(places.windows(2).all(|pair| pair[0] == pair[1]), "{places:?}\n{shown}");
    }

    #[test]
    fn people_are_not_in_the_list_and_everybody_else_is() {
        let shared = &mut shared();
        let choose = Choose::coach(&Spec::named("greedy"), shared);
        assert_eq!(choose.player(), "greedy");
        assert_eq!(choose.players.len(), shared.registry.entries().len() - 1);
    }

    #[test]
    fn a_list_is_scrolled_to_what_is_chosen() {
        assert_eq!(scroll(0, 30, 10), 0);
        assert_eq!(scroll(29, 30, 10), 20);
        assert_eq!(scroll(3, 5, 10), 0);
    }
}
