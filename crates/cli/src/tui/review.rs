//! The review screen. For each move it shows the move played, the best move and the cost.

mod judging;

use std::cell::{Ref, RefCell};
use std::rc::Rc;

use crossterm::event::KeyCode;
use lab2048::game::replay::Position;
use lab2048::game::{Action, Decision, Replay, Unit};
use lab2048::review::{Grade, JudgedMove, Verdict};
use ratatui::Frame;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::choose::Choose;
use super::ending::Message;
use super::events::{self, Event};
use super::keymap;
use super::pages::Page;
use super::parts::{self, Parts};
use super::screen::{Answer, Next, Screen, Shared};
use super::theme::Theme;
use crate::commands::review::DEFAULT_JUDGE;
use crate::report::{percent, whole};
use crate::show;
use judging::{Judging, Work};

/// A review in progress, shared between screens. It continues while its screen is closed.
#[derive(Clone)]
pub(super) struct Judgement(Rc<RefCell<Judging>>);

impl Judgement {
    /// Starts the review of a game.
    pub(super) fn begin(replay: &Replay, shared: &Shared) -> Judgement {
        Judgement(Rc::new(RefCell::new(Judging::begin(DEFAULT_JUDGE, replay, shared))))
    }
}

/// A game under review, and the current move.
pub(super) struct ReviewScreen {
    replay: Replay,
    positions: Vec<Position>,
    judgement: Judgement,
    /// The current move, counted from 0.
    at: usize,
    /// The answer to the last key, if it found no move.
    said: Option<Message>,
}

impl ReviewScreen {
    /// Opens a review at the move that led to `position`, or at the first move.
    pub(super) fn new(replay: Replay, judgement: Judgement, position: usize) -> ReviewScreen {
        let positions = replay.positions().map_while(Result::ok).collect();
        let mut screen = ReviewScreen { replay, positions, judgement, at: 0, said: None };
        screen.at = position.saturating_sub(1).min(screen.last());
        screen
    }

    fn judging(&self) -> Ref<'_, Judging> {
        self.judgement.0.borrow()
    }

    fn last(&self) -> usize {
        self.positions.len().saturating_sub(2)
    }

    /// Goes to the next or the previous move that is an inaccuracy or worse.
    fn find_mistake(&mut self, forward: bool) {
        let is_bad = |judged: &&JudgedMove| judged.grade().is_some_and(|grade| grade >= Grade::Inaccuracy);
        let judging = self.judging();
        let found = match forward {
            true => judging.moves.iter().skip(self.at + 1).find(is_bad),
            false => judging.moves.iter().take(self.at).rev().find(is_bad),
        };
        let number = found.map(|judged| judged.number);
        let none = match forward {
            _ if !judging.moves.iter().any(|judged| is_bad(&judged)) => "no mistakes",
            true => "no mistakes after this move",
            false => "no mistakes before this move",
        };
        drop(judging);
        self.go_to(number, none);
    }

    /// Goes to the move at a place in the list of the worst, counted from 0.
    fn find_worst(&mut self, place: usize) {
        let judging = self.judging();
        let number = judging.worst.get(place).map(|judged| judged.number);
        let none = match judging.worst.len() {
            0 => "no mistakes: no move lost points".to_owned(),
            1 => "only one move lost points".to_owned(),
            listed => format!("only {listed} moves lost points"),
        };
        drop(judging);
        self.go_to(number, &none);
    }

    /// Goes to a move, or says that there is none.
    fn go_to(&mut self, number: Option<usize>, none: &str) {
        match number {
            Some(number) => self.at = number - 1,
            None => {
                let so_far = if self.judging().is_over() { "" } else { " so far" };
                self.said = Some((format!("{none}{so_far}"), false));
            }
        }
    }

    fn progress(&self) -> String {
        let judging = self.judging();
        match &judging.work {
            Work::Judging { .. } => {
                let total = self.positions.len().saturating_sub(1) as u64;
                format!("{} of {} moves judged", whole(judging.moves.len() as u64), whole(total))
            }
            Work::Over(Ok(())) => format!("all {} judged", show::count(judging.moves.len(), "move")),
            // The reason is shown at the bottom, where there is room for it.
            Work::Over(Err(_)) => "not judged: press c for another judge".to_owned(),
        }
    }

    fn verdict_lines(&self, theme: Theme, width: u16) -> Vec<Line<'static>> {
        let judging = self.judging();
        let Some(judged) = judging.moves.get(self.at) else {
            return vec![Line::styled("not judged yet", theme.dim())];
        };
        let verdict = judged.verdict();
        let mut lines =
            vec![
                parts::figure(theme, "played", show::action_name(judged.played)),
                parts::figure(theme, "best", show::action_name(judged.best)),
                Line::from(vec![
                    Span::styled(format!("{:<8}", "grade"), theme.dim()),
                    Span::styled(verdict.name(), style_of(theme, verdict)),
                    Span::raw(judged.loss().filter(|loss| *loss > 0.0).map_or_else(String::new, |loss| {
                        format!("  -{} points", whole(loss.round() as u64))
                    })),
                ]),
            ];
        lines.extend(parts::bars(theme, &decision(judged), width));
        lines
    }

    fn panel(&self, theme: Theme, width: u16) -> Vec<Line<'static>> {
        let judging = self.judging();
        let score = self.positions.get(self.at).map_or(0, |position| position.score);
        let mut lines = vec![
            Line::from(vec![
                Span::styled("review", theme.title()),
                Span::styled(format!(" by {}", judging.judge), theme.dim()),
            ]),
            Line::styled(self.progress(), theme.dim()),
            parts::figure(
                theme,
                "accuracy",
                format!(" {}", judging.summary.accuracy().map_or("-".to_owned(), percent)),
            ),
            parts::figure(theme, "move", format!("{}   score {}", whole(self.at as u64 + 1), whole(score))),
        ];
        lines.extend(self.verdict_lines(theme, width));
        if !judging.worst.is_empty() {
            let heads = format!("{:<10}{:<7}{:<6}{:>7}", "the worst", "played", "best", "cost");
            lines.push(Line::styled(heads, theme.dim()));
        }
        for (place, judged) in judging.worst.iter().enumerate() {
            let here = judged.number == self.at + 1;
            // The first number is the key that jumps to the move.
            let text = format!(
                "{} {:>7} {:<7}{:<6}{:>7}",
                place + 1,
                judged.number,
                show::action_name(judged.played),
                show::action_name(judged.best),
                format!("-{}", whole(judged.loss().unwrap_or(0.0).round() as u64)),
            );
            let style = if here { theme.strong() } else { style_of(theme, judged.verdict()) };
            lines.push(Line::styled(text, style));
        }
        lines
    }
}

/// The judge's values as a decision, for the bars.
fn decision(judged: &JudgedMove) -> Decision {
    Decision { values: judged.values, unit: Unit::Points, ..Decision::of(judged.best) }
}

fn style_of(theme: Theme, verdict: Verdict) -> Style {
    match verdict {
        Verdict::Graded(Grade::Excellent | Grade::Good) => theme.best_bar(),
        Verdict::Graded(Grade::Inaccuracy) => theme.bar(),
        Verdict::Graded(Grade::Mistake | Grade::Blunder | Grade::Disaster) => theme.bad(),
        Verdict::Forced | Verdict::Unjudged | Verdict::Quit => theme.dim(),
    }
}

impl Screen for ReviewScreen {
    fn handle(&mut self, event: &Event, shared: &mut Shared) -> Next {
        self.judgement.0.borrow_mut().look();
        let Event::Key(key) = event else { return Next::Stay };
        let Some(code) = events::plain(key).and_then(|code| keymap::REVIEW.find(code)) else {
            return Next::Stay;
        };
        let last = self.last();
        self.said = None;
        match code {
            KeyCode::Right | KeyCode::Char('.' | 'l') => self.at = (self.at + 1).min(last),
            KeyCode::Left | KeyCode::Char(',' | 'h') => self.at = self.at.saturating_sub(1),
            KeyCode::PageDown => self.at = (self.at + 50).min(last),
            KeyCode::PageUp => self.at = self.at.saturating_sub(50),
            KeyCode::Home => self.at = 0,
            KeyCode::End => self.at = last,
            KeyCode::Char('n' | ']') | KeyCode::Down => self.find_mistake(true),
            KeyCode::Char('p' | '[') | KeyCode::Up => self.find_mistake(false),
            KeyCode::Char(digit @ '1'..='5') => self.find_worst(digit as usize - '1' as usize),
            KeyCode::Char('c') => {
                let judge = shared.registry.parse(&self.judging().judge);
                if let Ok(spec) = judge {
                    return Next::Push(Box::new(Choose::judge(&spec, shared)));
                }
            }
            KeyCode::Char('i') => return Next::Push(Box::new(Page::help(&keymap::REVIEW))),
            KeyCode::Char('m') => return Next::Menu,
            KeyCode::Char('q') => return Next::Back,
            _ => {}
        }
        Next::Stay
    }

    fn answered(&mut self, answer: Answer, shared: &mut Shared) -> Next {
        let Answer::Player { spec, .. } = answer;
        self.said = None;
        *self.judgement.0.borrow_mut() = Judging::begin(&spec.to_string(), &self.replay, shared);
        Next::Stay
    }

    fn draw(&self, frame: &mut Frame<'_>, shared: &Shared) {
        let Some(position) = self.positions.get(self.at) else { return };
        let theme = shared.theme;
        let Some(parts) = Parts::with_board(frame, theme, &position.board, None) else { return };
        let lines = if parts.beside {
            self.panel(theme, parts.panel.width)
        } else {
            let judging = self.judging();
            let judged = judging.moves.get(self.at);
            let words = judged.map_or_else(
                || self.progress(),
                |judged| {
                    let (played, best) = (show::action_name(judged.played), show::action_name(judged.best));
                    format!("move {}: {played}, {}; best {best}", judged.number, judged.verdict().name())
                },
            );
            let values = judged.map(|judged| parts::values_line(theme, &decision(judged)));
            vec![Line::raw(words).centered(), values.unwrap_or_default().centered()]
        };
        frame.render_widget(Paragraph::new(lines), parts.panel);
        let said = match &self.judging().work {
            Work::Over(Err(reason)) => Some((reason.clone(), true)),
            _ => self.said.clone(),
        };
        parts::foot(frame, theme, said.as_ref(), &keymap::REVIEW.footer());
    }
}

/// Whether a game has moves that can be judged.
pub(super) fn has_moves(replay: &Replay) -> bool {
    replay.steps().iter().any(|step| step.action() != Action::Quit)
}

#[cfg(test)]
mod tests {
    use lab2048::board::Direction;
    use lab2048::game::{Game, History, MoveValue, Rules};

    use super::super::events::Mail;
    use super::super::testing::{golden, press, pressed, shared, text};
    use super::*;
    use crate::game_options::GameRequest;

    /// A game with a finished review. Every third move lost something.
    fn judged() -> ReviewScreen {
        with_losses(|number| if number % 3 == 0 { 1000.0 * number as f64 } else { 0.0 })
    }

    /// A game of nine moves with a finished review in which the moves lost this.
    fn with_losses(loss: impl Fn(usize) -> f64) -> ReviewScreen {
        let mut history = History::new(Game::new(Rules::default(), 7));
        let mut moves = Vec::new();
        for number in 1..=9 {
            let legal = history.game().board().legal_moves();
            let direction = legal.nth(0).expect("the game is not over");
            let loss = loss(number);
            let best = if loss > 0.0 { legal.nth(1).unwrap_or(direction) } else { direction };
            let values = Direction::ALL.map(|other| {
                let value = if other == best { 20_000.0 } else { 20_000.0 - loss.max(500.0) };
                MoveValue::if_legal(legal.contains(other).then_some(value))
            });
            moves.push(JudgedMove {
                number,
                score: history.game().score(),
                played: Action::Move(direction),
                best: Action::Move(best),
                values,
                played_value: values[direction.index()].worth(),
                best_value: 20_000.0,
                choices: legal.len(),
            });
            history.play(Action::Move(direction)).expect("the move is legal");
        }
        let replay = Replay::of_history(&history).expect("the game fits into a replay");
        assert!(has_moves(&replay));
        let mut judging = Judging::with("ntuple:depth=3", Work::Over(Ok(())));
        let later = moves.split_off(4);
        judging.add(moves);
        judging.add(later);
        ReviewScreen::new(replay, Judgement(Rc::new(RefCell::new(judging))), 0)
    }

    #[test]
    fn mistakes_are_found_and_shown_with_what_they_cost() {
        let shared = &mut shared();
        let mut screen = judged();
        press(&mut screen, shared, &[KeyCode::Char('n')]);
        assert_eq!(screen.at, 2);
        press(&mut screen, shared, &[KeyCode::Char('n'), KeyCode::Char('n'), KeyCode::Char('n')]);
        assert_eq!(screen.at, 8);
        press(&mut screen, shared, &[KeyCode::Char('p')]);
        assert_eq!(screen.at, 5);
        press(&mut screen, shared, &[KeyCode::Char('1')]);
        assert_eq!(screen.at, 8, "the last one lost most");
        golden("review", &text(&screen, shared, 80, 24));
        press(&mut screen, shared, &[KeyCode::Home, KeyCode::Left, KeyCode::End, KeyCode::Right]);
        assert_eq!(screen.at, 8, "after the last move there is nothing to judge");
        text(&screen, shared, 40, 16);
        text(&screen, shared, 2, 2);
    }

    #[test]
    fn keys_that_find_nothing_say_so() {
        let shared = &mut shared();
        let mut screen = with_losses(|_| 0.0);
        for (key, says) in [
            (KeyCode::Char('n'), "no mistakes"),
            (KeyCode::Char('p'), "no mistakes"),
            (KeyCode::Char('1'), "no mistakes: no move lost points"),
        ] {
            press(&mut screen, shared, &[KeyCode::Right, key]);
            let shown = text(&screen, shared, 80, 24);
            let message = shown.lines().rev().nth(1).expect("a message above the keys").trim();
            assert_eq!(message, says, "{shown}");
        }
        assert_eq!(screen.at, 3, "the keys stay where they are");
        press(&mut screen, shared, &[KeyCode::Left]);
        assert!(!text(&screen, shared, 80, 24).contains("no mistakes"), "until the next key");
        // Moves 3, 6 and 9 lost points.
        let mut screen = judged();
        for (keys, says) in [
            ([KeyCode::Home, KeyCode::Char('p')], "no mistakes before this move"),
            ([KeyCode::End, KeyCode::Char('n')], "no mistakes after this move"),
            ([KeyCode::Home, KeyCode::Char('4')], "only 3 moves lost points"),
        ] {
            press(&mut screen, shared, &keys);
            assert!(text(&screen, shared, 80, 24).contains(says), "{says}");
            // While the judge is at work, there may be more.
            let (_sender, news) = std::sync::mpsc::channel();
            let work = Work::Judging { news, cancel: std::sync::Arc::default() };
            let finished = std::mem::replace(&mut screen.judgement.0.borrow_mut().work, work);
            press(&mut screen, shared, &keys);
            assert!(text(&screen, shared, 80, 24).contains(&format!("{says} so far")), "{says}");
            screen.judgement.0.borrow_mut().work = finished;
        }
    }

    #[test]
    fn a_judge_that_does_not_count_points_says_so() {
        let shared = &mut shared();
        let (mail, queue) = Mail::new();
        shared.mail = mail;
        let mut screen = judged();
        assert!(matches!(pressed(&mut screen, shared, KeyCode::Char('c')), Next::Push(_)), "who judges?");
        let spec = shared.registry.parse("greedy").unwrap();
        let setup = GameRequest::of_size(shared.size);
        screen.answered(Answer::Player { spec, games: 1, setup }, shared);
        assert!(
            screen.judging().moves.is_empty() && screen.judging().worst.is_empty(),
            "the review starts again"
        );
        while matches!(screen.judging().work, Work::Judging { .. }) {
            let event = queue.next(None);
            screen.handle(&event, shared);
        }
        // The whole sentence is shown, even if it needs several lines.
        let Work::Over(Err(reason)) = &screen.judging().work else { panic!("greedy does not count points") };
        assert!(reason.starts_with("greedy cannot be the judge: its values on this board are preferences"));
        for width in [50, 80] {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
            let shown = text(&screen, shared, width, 24);
            let last: Vec<&str> = shown.lines().rev().take(4).collect();
            let last = words(&last.into_iter().rev().collect::<Vec<_>>().join(" "));
            assert!(last.contains(&words(reason)), "{reason}\n{shown}");
        }
        assert!(text(&screen, shared, 80, 24).contains("not judged: press c for another"));
    }

    #[test]
    fn it_opens_at_the_move_that_is_looked_at() {
        let screen = judged();
        let again = |position| {
            let review = ReviewScreen::new(screen.replay.clone(), screen.judgement.clone(), position);
            (review.at, review.judging().moves.len())
        };
        assert_eq!([again(0), again(1), again(5), again(9)], [(0, 9), (0, 9), (4, 9), (8, 9)]);
    }

    #[test]
    fn the_worst_are_numbered_as_their_keys_and_say_what_was_played() {
        let shared = &mut shared();
        let mut screen = judged();
        let shown = text(&screen, shared, 80, 24);
        assert!(shown.contains("the worst played best"), "{shown}");
        for place in 1..=3 {
            press(&mut screen, shared, &[KeyCode::Char(char::from_digit(place, 10).unwrap())]);
            let played = screen.judging().moves[screen.at].clone();
            let names = [played.played, played.best].map(show::action_name);
            let line = format!("{place} {:>7} {:<7}{:<6}", screen.at + 1, names[0], names[1]);
            assert!(shown.contains(&line), "{line}:\n{shown}");
        }
    }
}
