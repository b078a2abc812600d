//! `lab2048 browser`: a player plays the game on a web page, in a real browser.

mod hint;
mod summary;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use lab2048::arena::{GameLimits, StopReason};
use lab2048::game::Player;
use lab2048::players::{Registry, Spec};

use crate::browser::{
    BrowserKind, Fault, Input, Model, Page, PageFault, PageGame, PageLog, PageRecord, Source, Start, Stop,
    Style, Times, WebDriver, has_display,
};
use crate::failure::{Failure, Outcome, warn};
use crate::game_options::fresh_seed;
use crate::interruptible::{self, Interruptible};
use crate::numbers::whole;
use crate::progress::Progress;
use crate::replay_file::{self, SaveFile, SaveOption};
use crate::report;
use crate::{interrupt, out, place, players, show};
use summary::Summary;

/// The page that is opened if none is named.
pub(crate) const DEFAULT_URL: &str = "https://play2048.co/";

/// Reads a number of games.
pub(crate) fn games() -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    whole(1, 1_000_000)
}

/// Checks the spec of a player that plays on a page.
pub(crate) fn check_player(player: &str, registry: &Registry) -> Result<(), String> {
    let spec = registry.parse(player).map_err(|error| error.to_string())?;
    match registry.entry(spec.name()).is_some_and(|entry| entry.needs_future) {
        true => Err(needs_future(&spec)),
        false => Ok(()),
    }
}

/// The command line of `browser` for these answers.
pub(crate) fn words(url: &str, player: &str, games: &str) -> Vec<String> {
    ["browser", url, "--player", player, "--games", games].map(str::to_owned).to_vec()
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  lab2048 browser\n  lab2048 browser http://localhost:8000/ --player minimax:time=300ms --games 3\n  lab2048 browser --player human\n  lab2048 browser --hint\n\n\
    You need a browser and its driver: Chrome or Chromium with chromedriver, or Firefox with geckodriver. The driver is \
    found and started for you. Every move is checked: if the page shows a board that the rules do not allow, twice, the game \
    ends as failed and both boards are shown."
)]
pub(crate) struct Arguments {
    /// Address of the page
    #[arg(value_name = "URL", default_value = DEFAULT_URL)]
    url: String,
    /// Player: NAME or NAME:key=value,... (see `lab2048 players`); human asks you
    #[arg(long, value_name = "PLAYER", default_value = "auto")]
    player: String,
    /// Number of games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = games())]
    games: u64,
    /// Only advise: show the best move while you play in the browser
    #[arg(long, conflicts_with_all = ["games", "output", "save", "fast", "until", "max_moves"])]
    hint: bool,
    /// Make each move by one script call instead of key presses
    #[arg(long)]
    fast: bool,
    /// Play on from the board that is on the page
    #[arg(long)]
    resume: bool,
    /// How the page keeps its game
    #[arg(long, value_enum, default_value_t = PageChoice::Auto, value_name = "MODEL")]
    page: PageChoice,
    /// Browser to start
    #[arg(long, value_enum, default_value_t = BrowserKind::Chrome)]
    browser: BrowserKind,
    /// Without a window [default: only if there is no display]
    #[arg(long)]
    headless: bool,
    /// Address of a running driver, like http://localhost:9515; it is not ended
    #[arg(long, value_name = "URL")]
    driver: Option<String>,
    /// End a game when this tile or a larger one is on the board
    #[arg(long, value_name = "TILE", value_parser = whole(1, u64::MAX))]
    until: Option<u64>,
    /// End a game after N moves
    #[arg(long, value_name = "N", value_parser = whole(0, u64::MAX))]
    max_moves: Option<u64>,
    #[command(flatten)]
    save: SaveOption,
    /// Append one JSON line per game to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long, conflicts_with = "hint")]
    json: bool,
}

/// The option `--page`.
#[derive(Clone, Copy, Debug)]
enum PageChoice {
    /// Try all models.
    Auto,
    /// Only this one.
    Only(Model),
}

impl ValueEnum for PageChoice {
    fn value_variants<'a>() -> &'a [PageChoice] {
        const ALL: [PageChoice; 6] = {
            let [object, storage, board, store, tiles] = Model::ALL;
            [
                PageChoice::Auto,
                PageChoice::Only(object),
                PageChoice::Only(storage),
                PageChoice::Only(board),
                PageChoice::Only(store),
                PageChoice::Only(tiles),
            ]
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            PageChoice::Auto => PossibleValue::new("auto").help("Try all of them and say what fits"),
            PageChoice::Only(model) => PossibleValue::new(model.name()).help(model.about()),
        })
    }
}

impl PageChoice {
    fn models(self) -> Vec<Model> {
        match self {
            PageChoice::Auto => Model::ALL.to_vec(),
            PageChoice::Only(model) => vec![model],
        }
    }
}

impl Arguments {
    fn start(&self) -> Start {
        let headless = self.headless || self.driver.is_none() && !has_display();
        Start { browser: self.browser, headless, driver: self.driver.clone() }
    }

    fn style(&self) -> Style {
        let limits = GameLimits { until: self.until, max_moves: self.max_moves };
        Style { input: if self.fast { Input::Script } else { Input::Keys }, limits }
    }
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    let registry = players::registry();
    let spec = registry.parse(&arguments.player).map_err(Failure::bad_input)?;
    let save = arguments.save.file()?;
    check_url(&arguments.url)?;
    if let Some(path) = &arguments.output {
        let (content, endings) = (place::Content::Begins(&[PageLog::BEGINNING]), &["jsonl", "json"]);
        place::check_resumed(path, &place::Kind { name: "a file of browser records", content, endings })?;
    }
    if let Some(url) = arguments.driver.as_ref().filter(|url| !url.starts_with("http://")) {
        return Err(Failure::BadInput(format!(
            "'{url}' is not the address of a driver, like http://localhost:9515"
        )));
    }
    let player = build(&registry, &spec)?;
    if arguments.hint {
        hint::check(&spec, arguments.driver.is_some() || arguments.headless || has_display())?;
    }
    interrupt::heed_quit();
    interrupt::explain_delay();
    let page = open(&arguments)?;
    if arguments.hint {
        return hint::run(page, player);
    }
    let mut contest = Contest {
        arguments: &arguments,
        spec: spec.to_string(),
        style: arguments.style(),
        save,
        log: None,
        summary: Summary::new(&spec.to_string(), &arguments.url),
    };
    let finished = contest.play_all(page, Interruptible::new(player));
    if finished.is_ok() || contest.summary.games() > 0 {
        contest.summary.print(arguments.json)?;
    }
    finished?;
    contest.summary.outcome(arguments.games)
}

/// Makes a player that can play on a page.
fn build(registry: &Registry, spec: &Spec) -> Outcome<Box<dyn Player>> {
    let player = players::build(registry, spec)?.map_err(Failure::bad_input)?;
    if player.facts().needs_future {
        return Err(Failure::BadInput(needs_future(spec)));
    }
    Ok(player)
}

/// Why a player cannot play on pages.
pub(crate) fn needs_future(spec: &Spec) -> String {
    format!("{spec} needs to know the coming tiles, which a page does not tell")
}

/// Refuses an address that no browser or driver takes.
pub(crate) fn check_url(url: &str) -> Outcome<()> {
    let lower = url.to_ascii_lowercase();
    let mut rests = ["http://", "https://", "file://"].iter().filter_map(|scheme| lower.strip_prefix(scheme));
    if rests.next().is_some_and(|rest| !rest.is_empty() && !rest.contains(char::is_whitespace)) {
        return Ok(());
    }
    Err(Failure::BadInput(format!(
        "'{url}' is not an address; it must begin with http://, https:// or file://"
    )))
}

/// Starts a browser and opens the page. Ctrl-C ends the wait for both.
fn open(arguments: &Arguments) -> Outcome<Page<WebDriver>> {
    let (start, url, models) = (arguments.start(), arguments.url.clone(), arguments.page.models());
    let headless = start.headless;
    let opened = interruptible::work("the browser", move || {
        let browser = WebDriver::start(&start)?;
        Page::open(browser, &url, &models)
    });
    if let Err(Failure::Interrupted(_)) = opened {
        interrupt::clean_up();
    }
    let mut page = opened?.map_err(page_failure)?;
    if !arguments.json {
        let mode = if headless { ", without a window" } else { "" };
        let does = if arguments.hint { "watching" } else { "playing through" };
        let name = page.transport().browser().to_owned();
        out::print(&format!("{name}{mode}: {does} {}\n", page.how()))?;
    }
    Ok(page)
}

fn page_failure(fault: PageFault) -> Failure {
    match fault {
        PageFault::Interrupted | PageFault::Transport(Fault::Interrupted) => {
            Failure::interrupted("interrupted")
        }
        PageFault::Unknown { .. } | PageFault::Transport(Fault::NotOpened { .. }) => {
            Failure::BadInput(fault.to_string())
        }
        fault => Failure::Failed(fault.to_string()),
    }
}

/// All games of one command.
struct Contest<'a> {
    arguments: &'a Arguments,
    spec: String,
    style: Style,
    save: Option<SaveFile>,
    log: Option<PageLog>,
    summary: Summary,
}

impl Contest<'_> {
    /// Plays the games. A browser that is lost is started again once.
    fn play_all(&mut self, page: Page<WebDriver>, mut player: Interruptible<Box<dyn Player>>) -> Outcome<()> {
        let mut page = Some(page);
        let mut restarted = false;
        for number in 1..=self.arguments.games {
            let current = match &mut page {
                Some(current) => current,
                // The address was fine before, so this is never the fault of the input.
                None => page.insert(open(self.arguments).map_err(Failure::failed)?),
            };
            let lost = self.one_game(current, &mut player, number)?;
            if interrupt::raised() {
                let done = self.summary.games();
                return Err(Failure::interrupted(format!(
                    "interrupted after {done} of {} games",
                    self.arguments.games
                )));
            }
            if lost && number < self.arguments.games {
                if restarted {
                    let left = show::count(self.arguments.games - number, "game");
                    return Err(Failure::Failed(format!(
                        "the browser was lost a second time; not played: {left}"
                    )));
                }
                restarted = true;
                // The old browser ends before a new one starts.
                page = None;
                warn("the browser was lost; starting it again for the other games");
            }
        }
        Ok(())
    }

    /// Plays one game; true if the browser was lost.
    fn one_game(
        &mut self,
        page: &mut Page<WebDriver>,
        player: &mut Interruptible<Box<dyn Player>>,
        number: u64,
    ) -> Outcome<bool> {
        let browser = page.transport().browser().to_owned();
        let began = PageGame::begin(page, self.arguments.resume && number == 1, fresh_seed());
        let mut game = match began {
            Ok(game) => game,
            Err(stop) => {
                let lost = is_lost(&stop);
                if !matches!(stop, Stop::Interrupted) {
                    warn(&format!("game {number}: {stop}"));
                    self.summary.add_unplayed(&stop.to_string());
                }
                return Ok(lost);
            }
        };
        if let Err(refusal) = game.introduce(player) {
            return Err(Failure::bad_input(refusal));
        }
        let network = player.facts().fingerprint.on(game.game.board());
        self.open_log(page.model(), network.clone(), &game)?;
        let mut progress = Progress::open_ended("moves");
        let started = Instant::now();
        let played = game.play(page, player, &self.style, |game, _, _| {
            progress
                .set(game.game.moves(), &running_line(game, number, self.arguments.games, started.elapsed()));
        });
        drop(progress);
        player.end(&game.game);
        let lost = played.as_ref().err().is_some_and(is_lost);
        if let Err(Stop::Impossible(impossible)) = &played {
            self.summary.show_impossible(number, impossible, self.arguments.json)?;
        }
        let end = match played {
            Ok(end) => Some(end),
            Err(Stop::Interrupted) => None,
            Err(stop) => Some(StopReason::Failed(stop.to_string())),
        };
        if let Some(error) = end.as_ref().and_then(StopReason::error) {
            warn(&format!("game {number}: {error}"));
        }
        self.keep(number, game, end, browser, network)?;
        Ok(lost)
    }

    /// Opens the file of records when the page's size is known.
    fn open_log(&mut self, model: Model, network: Option<String>, game: &PageGame) -> Outcome<()> {
        if let (Some(path), None) = (&self.arguments.output, &self.log) {
            let (url, size) = (&self.arguments.url, game.game.board().size().to_string());
            let source = Source::new(url, model.name(), &self.spec, network, size, self.style.limits);
            self.log = Some(PageLog::open(path, &source)?);
        }
        Ok(())
    }

    /// Saves a game and adds it to the records; a game that was interrupted is only saved.
    fn keep(
        &mut self,
        number: u64,
        game: PageGame,
        end: Option<StopReason>,
        browser: String,
        network: Option<String>,
    ) -> Outcome<()> {
        let PageGame { game, recorder, times, .. } = game;
        if let Some((save, recorder)) = self.save.as_ref().zip(recorder) {
            let error = end.as_ref().and_then(StopReason::error);
            let replay = replay_file::finished(recorder, &game, &self.spec, network, error);
            let path = save.write(&replay)?;
            if !self.arguments.json {
                out::print(&format!("saved as {}\n", path.display()))?;
            }
        }
        let Some(end) = end else { return Ok(()) };
        let resumed = self.arguments.resume && number == 1;
        let record = PageRecord { number, result: game.result(), end, times, browser, resumed };
        if let Some(log) = &mut self.log {
            log.append(&record)?;
        }
        self.summary.add(record);
        Ok(())
    }
}

fn is_lost(stop: &Stop) -> bool {
    matches!(stop, Stop::Fault(fault) if fault.ends_session())
}

/// How a game stands, on one line.
fn running_line(game: &PageGame, number: u64, games: u64, elapsed: Duration) -> String {
    let Times { thinking, browser, .. } = game.times;
    let seconds = elapsed.as_secs_f64().max(1e-9);
    let share = |part: Duration| 100.0 * part.as_secs_f64() / seconds;
    format!(
        "game {number} of {games}, score {}, browser {:.0}%, thinking {:.0}%",
        report::whole(game.game.score()),
        share(browser),
        share(thinking),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        assert!(check_url("http://localhost:8000/x").is_ok());
        assert!(check_url("https://play2048.co/").is_ok());
        for bad in ["play2048.co", "", "http://", "https://", "http://a b", "javascript:alert(1)"] {
            assert!(matches!(check_url(bad), Err(Failure::BadInput(_))), "{bad}");
        }
    }
}
