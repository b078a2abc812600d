//! All events for the screens, from all sources, in one queue. The reader sleeps until an event
//! arrives.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Instant;

use crossterm::event::{self, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};
use lab2048::board::Direction;
use lab2048::text::in_words;

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event {
    /// A key was pressed.
    Key(KeyEvent),
    /// The left button of the mouse was pressed here.
    Click { column: u16, row: u16 },
    /// The wheel of the mouse was turned.
    Wheel { down: bool },
    /// A text was pasted.
    Paste(String),
    /// The window was resized.
    Resize,
    /// The time that the screen asked for has come.
    Tick,
    /// A background thread has a result. The screen that started it picks it up.
    Wake,
    /// A signal asks the program to end.
    Signal,
    /// The program must suspend itself until the shell resumes it.
    Suspend,
    /// The program was stopped from outside and runs again. The content of the terminal is unknown.
    Continue,
    /// The terminal can no longer be read.
    Gone(String),
}

/// The sending end of the queue, for threads.
#[derive(Clone)]
pub(super) struct Mail(Sender<Event>);

impl Mail {
    /// Tells the screens that there is a result.
    pub(super) fn wake(&self) {
        self.send(Event::Wake);
    }

    pub(super) fn send(&self, event: Event) {
        // If nobody reads the queue, the program is about to end.
        let _ = self.0.send(event);
    }

    /// Creates both ends of a queue.
    pub(super) fn new() -> (Mail, Queue) {
        let (sender, receiver) = mpsc::channel();
        (Mail(sender), Queue(receiver))
    }
}

/// The receiving end of the queue.
pub(super) struct Queue(Receiver<Event>);

impl Queue {
    /// Sleeps until the next event. Returns a tick if none arrives before `tick`.
    pub(super) fn next(&self, tick: Option<Instant>) -> Event {
        let Some(tick) = tick else {
            return self.0.recv().unwrap_or_else(|_| Event::Gone("all senders are gone".to_owned()));
        };
        match self.0.recv_timeout(tick.saturating_duration_since(Instant::now())) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout) => Event::Tick,
            Err(RecvTimeoutError::Disconnected) => Event::Gone("all senders are gone".to_owned()),
        }
    }

    /// The next event, if there is one already.
    pub(super) fn waiting(&self) -> Option<Event> {
        self.0.try_recv().ok()
    }
}

/// Starts a thread that reads the keyboard as long as the program runs.
pub(super) fn read_keyboard(mail: Mail) {
    let reading = thread::Builder::new().name("keyboard".to_owned()).spawn({
        let mail = mail.clone();
        move || {
            loop {
                match event::read() {
                    Ok(event::Event::Key(key)) if key.kind != KeyEventKind::Release => {
                        mail.send(Event::Key(key));
                    }
                    Ok(event::Event::Paste(text)) => mail.send(Event::Paste(text)),
                    Ok(event::Event::Resize(..)) => mail.send(Event::Resize),
                    Ok(event::Event::Mouse(mouse)) => match mouse.kind {
                        MouseEventKind::Down(MouseButton::Left) => {
                            mail.send(Event::Click { column: mouse.column, row: mouse.row });
                        }
                        MouseEventKind::ScrollDown => mail.send(Event::Wheel { down: true }),
                        MouseEventKind::ScrollUp => mail.send(Event::Wheel { down: false }),
                        _ => {}
                    },
                    Ok(_) => {}
                    Err(error) => return mail.send(Event::Gone(in_words(&error))),
                }
            }
        }
    });
    if let Err(error) = reading {
        mail.send(Event::Gone(in_words(&error)));
    }
}

/// The key, unless Ctrl or Alt is held.
pub(super) fn plain(key: &KeyEvent) -> Option<KeyCode> {
    let with = key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    (!with).then_some(key.code)
}

/// Whether a key is Ctrl with this letter.
pub(super) fn is_ctrl(key: &KeyEvent, letter: char) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char(letter)
}

/// The direction of a key: arrows, w/a/s/d, or h/j/k/l as in vi.
pub(super) fn direction(code: KeyCode) -> Option<Direction> {
    Some(match code {
        KeyCode::Up | KeyCode::Char('w' | 'W' | 'k' | 'K') => Direction::Up,
        KeyCode::Right | KeyCode::Char('d' | 'D' | 'l' | 'L') => Direction::Right,
        KeyCode::Down | KeyCode::Char('s' | 'S' | 'j' | 'J') => Direction::Down,
        KeyCode::Left | KeyCode::Char('a' | 'A' | 'h' | 'H') => Direction::Left,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn three_ways_to_name_a_direction() {
        let all = |keys: [KeyCode; 4]| keys.map(|key| direction(key).map(Direction::index));
        let order = [Some(0), Some(1), Some(2), Some(3)];
        assert_eq!(all([KeyCode::Up, KeyCode::Right, KeyCode::Down, KeyCode::Left]), order);
        assert_eq!(all(['w', 'd', 's', 'a'].map(KeyCode::Char)), order);
        assert_eq!(all(['K', 'L', 'J', 'H'].map(KeyCode::Char)), order);
        assert_eq!(direction(KeyCode::Char('x')), None);
    }

    #[test]
    fn events_come_in_their_order_and_a_tick_where_none_comes() {
        let (mail, queue) = Mail::new();
        mail.wake();
        mail.send(Event::Resize);
        assert_eq!(queue.next(None), Event::Wake);
        assert_eq!(queue.next(Some(Instant::now())), Event::Resize, "waiting events come before the tick");
        assert_eq!(queue.next(Some(Instant::now() + Duration::from_millis(1))), Event::Tick);
        assert_eq!(queue.waiting(), None);
        drop(mail);
        assert!(matches!(queue.next(None), Event::Gone(_)));
    }
}
