//! The event loop: a stack of screens, events for the topmost screen, and a new frame when
//! something has changed.

use std::io;
use std::time::{Duration, Instant};

use ratatui::Frame;

use super::events::{Event, Queue, is_ctrl};
use super::menu::Menu;
use super::screen::{Next, Screen, Shared};
use super::terminal::Terminal;
use crate::failure::Failure;

/// The minimum time between two frames caused by background threads. User input is shown at once.
const BETWEEN_PICTURES: Duration = Duration::from_millis(16);

/// The open screens, the topmost last.
pub(super) struct App {
    screens: Vec<Box<dyn Screen>>,
    shared: Shared,
    farewell: Vec<String>,
}

/// Why the screens were left.
pub(super) enum Left {
    /// The user left.
    Willingly,
    /// Ctrl-C or a signal.
    Interrupted,
    /// The user chose to run a command instead.
    For(Vec<String>),
}

/// What the loop has to do besides drawing.
#[derive(PartialEq, Eq)]
enum Then {
    GoOn,
    Suspend,
    Resume,
    End,
    Interrupt,
    Become(Vec<String>),
}

impl App {
    pub(super) fn new(shared: Shared, first: Box<dyn Screen>) -> App {
        App { screens: vec![first], shared, farewell: Vec::new() }
    }

    /// Shows screens until they are left. Screens save their state even if the terminal fails.
    pub(super) fn run(&mut self, terminal: &mut Terminal, queue: &Queue) -> io::Result<Left> {
        let left = self.show(terminal, queue);
        self.end();
        left
    }

    fn show(&mut self, terminal: &mut Terminal, queue: &Queue) -> io::Result<Left> {
        let mut drawn = Instant::now();
        // When to draw the next frame. `None` if nothing has changed.
        let mut due = Some(drawn);
        loop {
            terminal.take_clicks(self.screens.last().is_some_and(|screen| screen.takes_clicks()))?;
            if due.is_some_and(|due| due <= Instant::now()) {
                terminal.draw(|frame| self.draw(frame))?;
                drawn = Instant::now();
                due = None;
            }
            let tick = self.screens.last().and_then(|screen| screen.tick());
            let mut event = queue.next(tick.into_iter().chain(due).min());
            loop {
                let patient = event == Event::Wake;
                if event == Event::Tick && tick.is_none_or(|tick| tick > Instant::now()) {
                    // Only a frame was due.
                } else {
                    match self.handle(event) {
                        Then::GoOn => {}
                        Then::Suspend => terminal.suspend()?,
                        Then::Resume => terminal.resume()?,
                        Then::End => return Ok(Left::Willingly),
                        Then::Interrupt => return Ok(Left::Interrupted),
                        Then::Become(words) => return Ok(Left::For(words)),
                    }
                    let when = if patient { drawn + BETWEEN_PICTURES } else { Instant::now() };
                    due = Some(due.map_or(when, |due| due.min(when)));
                }
                // Events that have arrived meanwhile become part of the same frame.
                match queue.waiting() {
                    Some(next) => event = next,
                    None => break,
                }
            }
        }
    }

    /// Draws the topmost screen.
    pub(super) fn draw(&self, frame: &mut Frame<'_>) {
        if let Some(screen) = self.screens.last() {
            screen.draw(frame, &self.shared);
        }
    }

    fn handle(&mut self, event: Event) -> Then {
        match &event {
            Event::Signal | Event::Gone(_) => return Then::Interrupt,
            Event::Key(key) if is_ctrl(key, 'c') => return Then::Interrupt,
            Event::Suspend => return self.tell(&Event::Suspend, Then::Suspend),
            Event::Key(key) if is_ctrl(key, 'z') => return self.tell(&Event::Suspend, Then::Suspend),
            Event::Continue => return self.tell(&Event::Continue, Then::Resume),
            _ => {}
        }
        let Some(screen) = self.screens.last_mut() else { return Then::End };
        let mut next = screen.handle(&event, &mut self.shared);
        loop {
            match next {
                Next::Stay => return Then::GoOn,
                Next::Push(screen) => {
                    self.screens.push(screen);
                    return Then::GoOn;
                }
                Next::Swap(screen) => {
                    self.pop();
                    self.screens.push(screen);
                    return Then::GoOn;
                }
                Next::Menu => {
                    self.leave_all();
                    self.screens.push(Box::new(Menu::new(&mut self.shared)));
                    return Then::GoOn;
                }
                Next::Become(words) => return Then::Become(words),
                Next::Back if self.screens.len() <= 1 => return Then::End,
                Next::Back => {
                    self.pop();
                    // Events that concern the screen below were missed meanwhile, so it is woken
                    // now.
                    let below = self.screens.last_mut();
                    next = below.map_or(Next::Stay, |screen| screen.handle(&Event::Wake, &mut self.shared));
                }
                Next::Answer(answer) => {
                    self.pop();
                    let below = self.screens.last_mut();
                    next = below.map_or(Next::Back, |screen| screen.answered(answer, &mut self.shared));
                }
            }
        }
    }

    /// Passes an event to the topmost screen and ignores its answer.
    fn tell(&mut self, event: &Event, then: Then) -> Then {
        if let Some(screen) = self.screens.last_mut() {
            screen.handle(event, &mut self.shared);
        }
        then
    }

    fn pop(&mut self) {
        if let Some(mut screen) = self.screens.pop() {
            self.farewell.extend(screen.leave(&mut self.shared));
        }
    }

    fn leave_all(&mut self) {
        while !self.screens.is_empty() {
            self.pop();
        }
    }

    /// Lets every screen save its state.
    fn end(&mut self) {
        self.leave_all();
        self.farewell.extend(self.shared.store.take_notice());
    }

    /// Why watched games failed.
    pub(super) fn take_failures(&mut self) -> Vec<Failure> {
        std::mem::take(&mut self.shared.failures)
    }

    /// The lines to print in the shell: what each screen returned when it was left.
    pub(super) fn farewell(&self) -> &[String] {
        &self.farewell
    }
}
