//! The terminal screens: menu, play, watch, custom board, replay.
//!
//! | part | owns |
//! |---|---|
//! | `terminal`, `signals` | setting up the terminal, and restoring it whatever happens |
//! | `events`, `app` | the event queue and the event loop |
//! | `screen` | the trait of all screens and their shared state |
//! | `menu`, `play`, `watch`, `custom`, `positions`, `practice` | screens |
//! | `choose`, `open_file`, `browser`, `replay`, `review`, `pages` | more screens |
//! | `keymap`, `list` | the keys of all screens; what lists share |
//! | `board`, `motion`, `parts`, `field`, `theme` | drawing |
//! | `thinker`, `runner` | players that run in background threads |
//!
//! Screens are values that handle events and draw themselves. Tests run them without a terminal.

mod app;
mod board;
mod browser;
mod choose;
mod custom;
mod digits;
mod ending;
mod events;
mod field;
mod keymap;
mod list;
mod menu;
mod motion;
mod open_file;
mod pages;
mod parts;
mod play;
mod positions;
mod practice;
mod replay;
mod review;
mod runner;
mod screen;
#[cfg(unix)]
mod signals;
mod terminal;
#[cfg(test)]
mod testing;
mod theme;
mod thinker;
mod watch;

use std::env;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lab2048::board::Size;
use lab2048::game::Replay;
use lab2048::players::Spec;
use lab2048::text::in_words;

use crate::failure::{Failure, Outcome, warn};
use crate::game_options::GameRequest;
use crate::practice::{PositionOptions, Session};
use crate::replay_file::SaveFile;
use crate::store::{Store, Wanted};
use crate::{interrupt, out, players};
use app::{App, Left};
use events::{Event, Mail};
use parts::many;
use screen::{Screen, Shared};
use terminal::Terminal;
use theme::Theme;
use thinker::AtWork;

/// How long players may take to stop when the program ends.
const GRACE: Duration = Duration::from_millis(500);

/// The first screen.
pub(crate) enum Opening {
    /// The menu.
    Menu,
    /// A game that the user plays.
    Play(Playing),
    /// A player to watch.
    Watch(Watching),
    /// A replay to show.
    Replay(Replay),
    /// Positions to practise.
    Practice(Box<Session>),
    /// The list of what can be practised, and what is wanted of the positions.
    ChoosePractice(PositionOptions),
}

/// A game that the user plays.
pub(crate) struct Playing {
    /// The game.
    pub(crate) setup: GameRequest,
    /// Which unfinished game may be resumed.
    pub(crate) wanted: Wanted,
    /// The player that gives hints. `None` for the one that was used last.
    pub(crate) hint: Option<Spec>,
    /// Where games are saved.
    pub(crate) save: Option<SaveFile>,
}

/// A player to watch.
pub(crate) struct Watching {
    /// The player.
    pub(crate) spec: Spec,
    /// Its games.
    pub(crate) setup: GameRequest,
    /// The number of games.
    pub(crate) games: u64,
    /// The time between moves. `None` for the speed chosen in the menu.
    pub(crate) pace: Option<Duration>,
    /// Where games are saved.
    pub(crate) save: Option<SaveFile>,
}

/// Whether lines are preferred to screens.
static LINES: AtomicBool = AtomicBool::new(false);

/// Turns screens off.
pub(crate) fn prefer_lines() {
    LINES.store(true, Ordering::Relaxed);
}

/// Whether screens can and should be used: there is a suitable terminal, and lines are not
/// preferred.
pub(crate) fn is_wanted() -> bool {
    let term = env::var("TERM").unwrap_or_default();
    let able = term != "dumb" && (!term.is_empty() || cfg!(windows));
    able && !LINES.load(Ordering::Relaxed) && is_terminal()
}

/// Whether input and output are a terminal.
pub(crate) fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

pub(crate) use open_file::replays;
pub(crate) use pages::RULES;
pub(crate) use positions::positions;

/// Prints the statistics of games played and watched, as text or JSON. Statistics that cannot be
/// read are not shown as empty ones. A damaged file that was renamed is only a warning.
pub(crate) fn statistics(json: bool) -> Outcome<()> {
    let mut store = Store::open();
    if let Some(reason) = store.why_unread() {
        return Err(Failure::Failed(format!("the statistics cannot be read: {reason}")));
    }
    if let Some(notice) = store.take_notice() {
        warn(&notice);
    }
    let kept = store.kept();
    match json {
        true => out::print_json(&serde_json::json!({ "played": kept.played, "watched": kept.watched })),
        false => out::print(&pages::Page::statistics(kept).lines()),
    }
}

/// Shows screens until the user leaves them.
pub(crate) fn open(opening: Opening) -> Outcome<()> {
    // A bot's lines would be drawn over the screens.
    lab2048_exec::hold_errors();
    let (mail, queue) = Mail::new();
    let mut shared = Shared {
        registry: players::registry(),
        theme: Theme::of_terminal(),
        store: Store::open(),
        mail: mail.clone(),
        turbo: false,
        size: Size::FOUR,
        failures: Vec::new(),
    };
    shared.size = shared.store.unfinished_sizes().first().copied().unwrap_or(Size::FOUR);
    let watches = matches!(opening, Opening::Watch(_));
    let first: Box<dyn Screen> = match opening {
        Opening::Menu => Box::new(menu::Menu::new(&mut shared)),
        Opening::Play(playing) => Box::new(play::Play::open(playing, &mut shared)),
        Opening::Replay(replay) => Box::new(replay::ReplayScreen::new(replay)),
        Opening::Practice(session) => Box::new(practice::PracticeScreen::new(*session)),
        Opening::ChoosePractice(options) => Box::new(practice::ChoiceScreen::new(options, &shared)),
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
        // The signal came before the handler was set.
        mail.send(Event::Signal);
    }
    let cannot =
        |error: io::Error| Failure::Failed(format!("the terminal cannot be used: {}", in_words(&error)));
    let mut terminal = Terminal::take().map_err(cannot)?;
    events::read_keyboard(mail);
    let left = app.run(&mut terminal, &queue);
    drop(terminal);
    let said = app.farewell().iter().try_for_each(|sentence| out::print(&format!("{sentence}\n")));
    let mut failures = app.take_failures();
    drop(app);
    // Bots stop when this flag is raised. Their processes must not outlive us.
    interrupt::flag().store(true, Ordering::Relaxed);
    AtWork::wait_for_all(GRACE);
    print_held_errors();
    // The exit code is that of the games if only they were wanted.
    let result = failures.pop_if(|_| watches && matches!(left, Ok(Left::Willingly)));
    failures.iter().for_each(|failure| warn(&failure.to_string()));
    said?;
    match left.map_err(cannot)? {
        Left::Willingly => result.map_or(Ok(()), Err),
        Left::Interrupted => Err(Failure::Interrupted(None)),
        Left::For(words) => become_command(&words),
    }
}

/// Prints what bots wrote to their standard error while screens were shown.
fn print_held_errors() {
    let held = lab2048_exec::take_held_errors();
    if held.dropped > 0 {
        warn(&format!("{} of the bot left out", many(held.dropped, "earlier line")));
    }
    let mut errors = io::stderr().lock();
    for line in held.lines {
        // If the standard error is closed, nobody can read them.
        let _ = writeln!(errors, "{line}");
    }
}

/// A command of this program, as it is typed into a shell.
pub(crate) fn command_line(words: &[String]) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=,".contains(letter);
    let quoted = |word: &String| match !word.is_empty() && word.chars().all(is_plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    format!("lab2048 {}", words.iter().map(quoted).collect::<Vec<_>>().join(" "))
}

/// Runs a command of this program in place of the screens. It is a new process, because a thread of
/// ours still reads the keyboard.
fn become_command(words: &[String]) -> Outcome<()> {
    out::print(&format!("{}\n", command_line(words)))?;
    let program = env::current_exe().map_err(|error| Failure::failed(in_words(&error)))?;
    let mut command = std::process::Command::new(program);
    command.args(words);
    #[cfg(unix)]
    let failed = std::os::unix::process::CommandExt::exec(&mut command);
    #[cfg(not(unix))]
    let failed = match command.status() {
        Ok(status) if status.success() => return Ok(()),
        // The command has said why.
        Ok(_) => return Err(Failure::AlreadySaid),
        Err(error) => error,
    };
    Err(Failure::Failed(format!("cannot start the command: {failed}")))
}
