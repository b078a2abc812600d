//! The screen on which the moves of a game are judged: what was played, what would have been best, what it cost.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::thread;

use crossterm::event::KeyCode;
use lab2048::arena::MakePlayer;
use lab2048::game::replay::Position;
use lab2048::game::{Action, Cannot, Decision, Replay, Unit};
use lab2048::players::{Registry, Spec};
use lab2048::review::{Grade, JudgedMove, Review, Summary, Verdict, review};
use ratatui::Frame;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::board;
use super::choose::Choose;
use super::events::{self, Event, Mail};
use super::parts::{self, Parts};
use super::screen::{Answer, Next, Screen, Shared};
use super::theme::Theme;
use super::thinker::{AtWork, WakeAtTheEnd};
use crate::commands::review::DEFAULT_JUDGE;
use crate::report::whole;
use crate::show;

/// So many of the worst mistakes are listed.
const WORST: usize = 5;

/// A game before its judge, at one of its moves.
pub(super) struct ReviewScreen {
    replay: Replay,
    positions: Vec<Position>,
    judge: String,
    /// The moves judged so far, from the first on.
    moves: Vec<JudgedMove>,
    summary: Summary,
    worst: Vec<JudgedMove>,
    /// The move that is looked at, counted from 0.
    at: usize,
    work: Work,
}

/// Where the judging stands.
enum Work {
    /// It goes on.
    Judging { news: Receiver<News>, cancel: Arc<AtomicBool> },
    /// It is done, or a sentence says why it is not.
    Over(Result<(), String>),
}

/// What the judge has to tell.
enum News {
    Moves(Vec<JudgedMove>),
    End(Result<(), String>),
}

impl ReviewScreen {
    /// Begins to judge a game.
    pub(super) fn new(replay: Replay, shared: &Shared) -> ReviewScreen {
        let positions = replay.positions().map_while(Result::ok).collect();
        let mut screen = ReviewScreen {
            replay,
            positions,
            judge: String::new(),
            moves: Vec::new(),
            summary: Summary::default(),
            worst: Vec::new(),
            at: 0,
            work: Work::Over(Ok(())),
        };
        screen.begin(DEFAULT_JUDGE, shared);
        screen
    }

    /// Begins to judge, with nothing judged so far.
    fn begin(&mut self, judge: &str, shared: &Shared) {
        self.cancel();
        self.judge = judge.to_owned();
        self.moves.clear();
        self.summary = Summary::default();
        self.worst.clear();
        self.work = match shared.registry.parse(judge) {
            Ok(spec) => start(&shared.registry, spec, self.replay.clone(), shared.mail.clone()),
            Err(error) => Work::Over(Err(error.to_string())),
        };
    }

    fn cancel(&self) {
        if let Work::Judging { cancel, .. } = &self.work {
            cancel.store(true, Ordering::Relaxed);
        }
    }

    /// Takes what the judge has to tell.
    fn look(&mut self) {
        while let Work::Judging { news, .. } = &self.work {
            match news.try_recv() {
                Ok(News::Moves(moves)) => self.add(moves),
                Ok(News::End(end)) => self.work = Work::Over(end),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {
                    self.work = Work::Over(Err(format!("the judge {} broke down", self.judge)));
                }
            }
        }
    }

    fn add(&mut self, moves: Vec<JudgedMove>) {
        moves.iter().for_each(|judged| self.summary.add(judged));
        let mut worst = std::mem::take(&mut self.worst);
        worst.extend(moves.iter().cloned());
        let review = Review { moves: worst, complete: false };
        self.worst = review.worst(WORST).into_iter().cloned().collect();
        self.moves.extend(moves);
    }

    fn last(&self) -> usize {
        self.positions.len().saturating_sub(2)
    }

    /// Goes to the next or the last move that was worse than good.
    fn find_mistake(&mut self, forward: bool) {
        let is_bad = |judged: &&JudgedMove| judged.grade().is_some_and(|grade| grade >= Grade::Inaccuracy);
        let found = match forward {
            true => self.moves.iter().skip(self.at + 1).find(is_bad),
            false => self.moves.iter().take(self.at).rev().find(is_bad),
        };
        if let Some(judged) = found {
            self.at = judged.number - 1;
        }
    }

    fn progress(&self) -> String {
        match &self.work {
            Work::Judging { .. } => {
                let total = self.positions.len().saturating_sub(1) as u64;
                format!("{} of {} moves judged", whole(self.moves.len() as u64), whole(total))
            }
            Work::Over(Ok(())) => format!("all {} judged", show::count(self.moves.len(), "move")),
            // The reason is said where there is room for it.
            Work::Over(Err(_)) => "it is not judged: c for another judge".to_owned(),
        }
    }

    fn verdict_lines(&self, theme: Theme, width: u16) -> Vec<Line<'static>> {
        let Some(judged) = self.moves.get(self.at) else {
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
        let percent = |share: Option<f64>| {
            share.map_or_else(|| "-".to_owned(), |share| format!("{:.2}%", 100.0 * share))
        };
        let score = self.positions.get(self.at).map_or(0, |position| position.score);
        let mut lines = vec![
            Line::from(vec![
                Span::styled("review", theme.title()),
                Span::styled(format!(" by {}", self.judge), theme.dim()),
            ]),
            Line::styled(self.progress(), theme.dim()),
            parts::figure(theme, "accuracy", format!(" {}", percent(self.summary.accuracy()))),
            parts::figure(theme, "move", format!("{}   score {}", whole(self.at as u64 + 1), whole(score))),
        ];
        lines.extend(self.verdict_lines(theme, width));
        if !self.worst.is_empty() {
            lines.push(Line::styled("the worst", theme.dim()));
        }
        for judged in &self.worst {
            let here = judged.number == self.at + 1;
            let text = format!(
                "{:>6}  {:<5} not {:<5} -{}",
                judged.number,
                show::action_name(judged.best),
                show::action_name(judged.played),
                whole(judged.loss().unwrap_or(0.0).round() as u64),
            );
            lines.push(Line::styled(
                text,
                if here { theme.strong() } else { style_of(theme, judged.verdict()) },
            ));
        }
        lines
    }
}

/// The values of the judge as those of any player.
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

/// Judges in threads of their own; each has a judge of its own.
fn start(registry: &Registry, spec: Spec, replay: Replay, mail: Mail) -> Work {
    let (sender, news) = mpsc::channel();
    let cancel = Arc::new(AtomicBool::new(false));
    let registry = registry.clone();
    let (flag, wake) = (Arc::clone(&cancel), WakeAtTheEnd(mail, AtWork::new()));
    // Without a thread nothing is told, which is told as a judge that broke down.
    let _ = thread::Builder::new().name("judge".to_owned()).spawn(move || {
        let wake = wake;
        // Dropped before that: whoever is woken finds out that there is no more to come.
        let sender = sender;
        judge(&registry, &spec, &replay, &flag, &sender, &wake.0);
    });
    Work::Judging { news, cancel }
}

fn judge(
    registry: &Registry,
    spec: &Spec,
    replay: &Replay,
    cancel: &AtomicBool,
    news: &Sender<News>,
    mail: &Mail,
) {
    let judges: MakePlayer<'_> = Box::new(|| registry.build(spec).map_err(|error| Cannot(error.to_string())));
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let end = review(replay, &judges, cores, cancel, &mut |moves| {
        // Without anybody to hear it, the flag is raised too.
        let _ = news.send(News::Moves(moves.to_vec()));
        mail.wake();
    });
    let end = end.map(drop).map_err(|error| format!("{spec} cannot be the judge: {error}"));
    let _ = news.send(News::End(end));
}

impl Drop for ReviewScreen {
    fn drop(&mut self) {
        self.cancel();
    }
}

impl Screen for ReviewScreen {
    fn handle(&mut self, event: &Event, shared: &mut Shared) -> Next {
        self.look();
        let Event::Key(key) = event else { return Next::Stay };
        let Some(code) = events::plain(key) else { return Next::Stay };
        let last = self.last();
        match code {
            KeyCode::Right | KeyCode::Char('.' | 'l') => self.at = (self.at + 1).min(last),
            KeyCode::Left | KeyCode::Char(',' | 'h') => self.at = self.at.saturating_sub(1),
            KeyCode::PageDown => self.at = (self.at + 50).min(last),
            KeyCode::PageUp => self.at = self.at.saturating_sub(50),
            KeyCode::Home => self.at = 0,
            KeyCode::End => self.at = last,
            KeyCode::Char('n' | ']') | KeyCode::Down => self.find_mistake(true),
            KeyCode::Char('p' | '[') | KeyCode::Up => self.find_mistake(false),
            KeyCode::Char(digit @ '1'..='5') => {
                let place = digit as usize - '1' as usize;
                self.at = self.worst.get(place).map_or(self.at, |judged| judged.number - 1);
            }
            KeyCode::Char('c' | 'C') => {
                if let Ok(spec) = shared.registry.parse(&self.judge) {
                    return Next::Push(Box::new(Choose::judge(&spec, shared)));
                }
            }
            KeyCode::Char('m' | 'M') => return Next::Menu,
            KeyCode::Char('q' | 'Q') | KeyCode::Esc => return Next::Back,
            _ => {}
        }
        Next::Stay
    }

    fn answered(&mut self, answer: Answer, shared: &mut Shared) -> Next {
        let Answer::Player { spec, .. } = answer;
        self.begin(&spec.to_string(), shared);
        Next::Stay
    }

    fn draw(&self, frame: &mut Frame<'_>, shared: &Shared) {
        let Some(position) = self.positions.get(self.at) else { return };
        let (theme, size) = (shared.theme, position.board.size());
        let parts = match Parts::of(frame.area(), size) {
            Ok(parts) => parts,
            Err(needs) => return parts::too_small(frame, &format!("a board of {size}"), needs, "q leaves"),
        };
        board::paint(frame.buffer_mut(), parts.board, parts.scale, theme, &position.board, None);
        let lines = if parts.beside {
            self.panel(theme, parts.panel.width)
        } else {
            let judged = self.moves.get(self.at);
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
        let keys = [
            ("← →", "step"),
            ("n p", "next, last mistake"),
            ("1-5", "the worst"),
            ("c", "judge"),
            ("q", "back"),
            ("PgUp PgDn", "50 moves"),
        ];
        let refusal = match &self.work {
            Work::Over(Err(reason)) => Some((reason.clone(), true)),
            _ => None,
        };
        parts::foot(frame, theme, refusal.as_ref(), &keys);
    }
}

/// Whether a game has moves that can be judged.
pub(super) fn has_moves(replay: &Replay) -> bool {
    replay.steps().iter().any(|step| step.action() != Action::Quit)
}

#[cfg(test)]
mod tests {
    use lab2048::board::Direction;
    use lab2048::game::{Game, History, Rules};

    use super::super::testing::{golden, press, pressed, shared, text};
    use super::*;
    use crate::game_options::GameSetup;

    /// A game whose moves were judged: every third one lost something.
    fn judged() -> ReviewScreen {
        let mut history = History::new(Game::new(Rules::default(), 7));
        let mut moves = Vec::new();
        for number in 1..=9 {
            let legal = history.game().board().legal_moves();
            let direction = legal.nth(0).expect("the game goes on");
            let loss = if number % 3 == 0 { 1000.0 * number as f64 } else { 0.0 };
            let best = if loss > 0.0 { legal.nth(1).unwrap_or(direction) } else { direction };
            let values = Direction::ALL.map(|other| {
                legal.contains(other).then_some(if other == best { 20_000.0 } else { 20_000.0 - loss })
            });
            moves.push(JudgedMove {
                number,
                score: history.game().score(),
                played: Action::Move(direction),
                best: Action::Move(best),
                values,
                played_value: values[direction.index()],
                best_value: 20_000.0,
                choices: legal.len(),
            });
            history.play(Action::Move(direction)).expect("it is legal");
        }
        let replay = Replay::of_history(&history).expect("it is short");
        assert!(has_moves(&replay));
        let mut screen = ReviewScreen {
            positions: replay.positions().map_while(Result::ok).collect(),
            replay,
            judge: DEFAULT_JUDGE.to_owned(),
            moves: Vec::new(),
            summary: Summary::default(),
            worst: Vec::new(),
            at: 0,
            work: Work::Over(Ok(())),
        };
        let later = moves.split_off(4);
        screen.add(moves);
        screen.add(later);
        screen
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
    fn a_judge_that_does_not_count_points_says_so() {
        let shared = &mut shared();
        let (mail, queue) = Mail::new();
        shared.mail = mail;
        let mut screen = judged();
        assert!(matches!(pressed(&mut screen, shared, KeyCode::Char('c')), Next::Push(_)), "who judges?");
        let spec = shared.registry.parse("greedy").unwrap();
        let setup = GameSetup::of_size(shared.size);
        screen.answered(Answer::Player { spec, games: 1, setup }, shared);
        assert!(screen.moves.is_empty() && screen.worst.is_empty(), "all is judged anew");
        while matches!(screen.work, Work::Judging { .. }) {
            let event = queue.next(None);
            screen.handle(&event, shared);
        }
        // The whole sentence is there, also where it needs more than a line.
        let Work::Over(Err(reason)) = &screen.work else { panic!("greedy does not count points") };
        assert!(reason.starts_with("greedy cannot be the judge: its values on this board are preferences"));
        for width in [50, 80] {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
            let shown = text(&screen, shared, width, 24);
            let last: Vec<&str> = shown.lines().rev().take(4).collect();
            let last = words(&last.into_iter().rev().collect::<Vec<_>>().join(" "));
            assert!(last.contains(&words(reason)), "{reason}\n{shown}");
        }
        assert!(text(&screen, shared, 80, 24).contains("it is not judged: c for another"));
    }
}
