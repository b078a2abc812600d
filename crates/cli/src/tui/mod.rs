//! The screens of the terminal: menu, play, watch, custom board, replay.
//!
//! | part | owns |
//! |---|---|
//! | `terminal`, `signals` | taking the terminal, and giving it back whatever happens |
//! | `events`, `app` | the one queue of events, the one loop |
//! | `screen` | what a screen is, what screens have in common |
//! | `menu`, `play`, `watch`, `custom`, `positions`, `choose`, `open_file`, `replay`, `review`, `pages` | the screens |
//! | `board`, `motion`, `parts`, `field`, `theme` | what they are drawn with |
//! | `thinker`, `runner` | players that think in threads of their own |
//! | `store` | what is kept between starts |
//!
//! Screens are values that take events and draw themselves; tests drive them without a terminal.

mod app;
mod board;
mod choose;
mod custom;
mod ending;
mod events;
mod field;
mod menu;
mod motion;
mod open_file;
mod pages;
mod parts;
mod play;
mod positions;
mod replay;
mod review;
mod runner;
mod screen;
#[cfg(unix)]
mod signals;
mod store;
mod terminal;
#[cfg(test)]
mod testing;
mod theme;
mod thinker;
mod watch;

use std::env;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lab2048::board::Size;
use lab2048::game::Replay;
use lab2048::players::Spec;

use crate::failure::{Failure, Outcome};
use crate::game_options::SeededSetup;
use crate::replay_file::SaveFile;
use crate::{interrupt, out, players};
use app::{App, Left};
use events::{Event, Mail};
use screen::{Screen, Shared};
use store::Store;
use terminal::Terminal;
use theme::Theme;
use thinker::AtWork;

/// How long players may take to end with the program.
const GRACE: Duration = Duration::from_millis(500);

/// What the screens open with.
pub(crate) enum Opening {
    /// The menu.
    Menu,
    /// A game for a person.
    Play(Playing),
    /// A player to be watched.
    Watch(Watching),
    /// A game to be seen again.
    Replay(Replay),
}

/// A game for a person.
pub(crate) struct Playing {
    /// The game.
    pub(crate) setup: SeededSetup,
    /// Whether it is the usual game, so that it is kept and an unfinished one may be gone on with.
    pub(crate) usual: bool,
    /// Whether the unfinished game may be of any size.
    pub(crate) any_size: bool,
    /// The player that is asked for hints; the one that was used last if none is named.
    pub(crate) hint: Option<Spec>,
    /// Where games are saved.
    pub(crate) save: Option<SaveFile>,
}

/// A player to be watched.
pub(crate) struct Watching {
    /// The player.
    pub(crate) spec: Spec,
    /// Its games.
    pub(crate) setup: SeededSetup,
    /// How many.
    pub(crate) games: u64,
    /// The time between moves; as chosen in the menu if none is named.
    pub(crate) pace: Option<Duration>,
    /// Where games are saved.
    pub(crate) save: Option<SaveFile>,
}

/// Whether lines are preferred to screens.
static LINES: AtomicBool = AtomicBool::new(false);

/// From now on no screens are wanted.
pub(crate) fn prefer_lines() {
    LINES.store(true, Ordering::Relaxed);
}

/// Whether there is a terminal for screens, and nobody who prefers lines.
pub(crate) fn is_wanted() -> bool {
    let term = env::var("TERM").unwrap_or_default();
    let able = term != "dumb" && (!term.is_empty() || cfg!(windows));
    able && !LINES.load(Ordering::Relaxed) && io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// What was played and watched, as lines, or in JSON.
pub(crate) fn statistics(json: bool) -> Outcome<()> {
    let mut store = Store::open();
    if let Some(notice) = store.take_notice() {
        return Err(Failure::Failed(notice));
    }
    let kept = store.kept();
    match json {
        true => out::print_json(&serde_json::json!({ "played": kept.played, "watched": kept.watched })),
        false => out::print(&pages::Page::statistics(kept).lines()),
    }
}

/// Shows screens until they are left.
pub(crate) fn open(opening: Opening) -> Outcome<()> {
    let (mail, queue) = Mail::new();
    let mut shared = Shared {
        registry: players::registry(),
        theme: Theme::of_terminal(),
        store: Store::open(),
        mail: mail.clone(),
        turbo: false,
        size: Size::FOUR,
    };
    let first: Box<dyn Screen> = match opening {
        Opening::Menu => Box::new(menu::Menu::new(&mut shared)),
        Opening::Play(playing) => Box::new(play::Play::open(playing, &mut shared)),
        Opening::Replay(replay) => Box::new(replay::ReplayScreen::new(replay)),
        Opening::Watch(watching) => Box::new(watch::Watch::open(watching, &mut shared)),
    };
    let mut app = App::new(shared, first);
    let _restored = interrupt::before_leaving(terminal::restore);
    interrupt::tell({
        let mail = mail.clone();
        move || mail.send(Event::Signal)
    });
    #[cfg(unix)]
    signals::listen(mail.clone());
    if interrupt::raised() {
        // It came before anybody was told.
        mail.send(Event::Signal);
    }
    let cannot = |error: io::Error| Failure::Failed(format!("the terminal cannot be used: {error}"));
    let mut terminal = Terminal::take().map_err(cannot)?;
    events::read_keyboard(mail);
    let left = app.run(&mut terminal, &queue);
    drop(terminal);
    let said = app.farewell().iter().try_for_each(|sentence| out::print(&format!("{sentence}\n")));
    drop(app);
    // Bots heed the flag that signals raise; their processes are not to outlive us.
    interrupt::flag().store(true, Ordering::Relaxed);
    AtWork::wait_for_all(GRACE);
    said?;
    match left.map_err(cannot)? {
        Left::Willingly => Ok(()),
        Left::Interrupted => Err(Failure::Interrupted(String::new())),
    }
}
