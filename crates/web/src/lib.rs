//! The engine for the web page: one function that takes a request as JSON and returns the answer.
//!
//! ```
//! let mut host = lab2048_web::Host::new();
//! let answer = host.call(br#"{"do": "new", "size": "3x3", "seed": "7"}"#, None);
//! assert!(answer.starts_with(r#"{"board":"#), "{answer}");
//! let answer = host.call(br#"{"do": "play", "game": 1, "move": "sideways"}"#, None);
//! assert!(answer.starts_with(r#"{"error":"#));
//! ```
//!
//! The requests are the variants of [`Request`]. `docs/reference/page-interface.md` describes them.
//! A failed request answers `{"error": "a sentence"}` and changes no game. Files that are not text
//! (networks in, animations out) travel beside the JSON.
//!
//! | part | owns |
//! |---|---|
//! | this file | the host: everything that requests refer to by number, and dispatch |
//! | `request` | the form of requests |
//! | `view` | the form of answers |
//! | `games` | games with undo, replays, boards |
//! | `players` | players and their thoughts |
//! | `reviews` | judging the moves of a replay |
//! | `practice` | exact values of small boards |
//! | `pictures` | trees, pictures and animations |
//! | `laboratory` | records and evolved programs |
//! | `link` | a whole game as a short text |
//! | `wasm` | the exports of the WebAssembly module |

mod games;
mod laboratory;
mod link;
mod pictures;
mod players;
mod practice;
mod request;
mod reviews;
mod view;
#[cfg(target_arch = "wasm32")]
mod wasm;

use std::collections::BTreeMap;
use std::time::Duration;

use lab2048::game::History;
use lab2048::players::{ShippedFile, ShippedNetwork};
use lab2048::{Clock, Registry};
use serde_json::{Value, json};
use thiserror::Error;

pub use request::Request;

use players::Seat;
use reviews::Reviewing;

/// The networks that the page can hand over. The first one is the default.
const NETWORKS: &[ShippedNetwork] = &[
    ShippedNetwork { name: "small", file: ShippedFile::HandedOver },
    ShippedNetwork { name: "default", file: ShippedFile::HandedOver },
    ShippedNetwork { name: "full", file: ShippedFile::HandedOver },
];

/// Why a request failed, in one sentence.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct Failure(String);

impl Failure {
    /// Shows the words of an error.
    pub(crate) fn because(error: impl std::fmt::Display) -> Failure {
        Failure(error.to_string())
    }
}

/// The result of a request.
type Answer = Result<Value, Failure>;

/// Everything that a page holds: its games, players and reviews, by number.
pub struct Host {
    registry: Registry,
    clock: Clock,
    games: Shelf<History>,
    players: Shelf<Seat>,
    reviews: Shelf<Reviewing>,
    /// The binary result of the last request.
    data: Vec<u8>,
}

impl Host {
    /// A host with the system's clock, which WebAssembly does not have.
    pub fn new() -> Host {
        Host::with_clock(Clock::system())
    }

    /// A host with this clock.
    pub fn with_clock(clock: Clock) -> Host {
        Host {
            registry: Registry::built_in().with_networks(NETWORKS).with_clock(clock),
            clock,
            games: Shelf::new("game"),
            players: Shelf::new("player"),
            reviews: Shelf::new("review"),
            data: Vec::new(),
        }
    }

    /// Carries out a request, given as JSON with the bytes that belong to it. Returns JSON.
    pub fn call(&mut self, request: &[u8], bytes: Option<&[u8]>) -> String {
        self.data.clear();
        let answer = serde_json::from_slice(request)
            .map_err(|error| Failure(format!("this request is not understood: {error}")))
            .and_then(|request| self.answer(request, bytes));
        let answer = answer.unwrap_or_else(|failure| {
            self.data.clear();
            json!({ "error": failure.to_string() })
        });
        answer.to_string()
    }

    /// The binary result of the last request; empty if it had none.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    fn answer(&mut self, request: Request, bytes: Option<&[u8]>) -> Answer {
        match request {
            Request::Version => Ok(json!({
                "version": env!("CARGO_PKG_VERSION"),
                "commit": option_env!("LAB2048_COMMIT"),
            })),
            Request::New(start) => self.new_game(start),
            Request::Drop { game } => self.games.remove(game).map(|_| json!({})),
            Request::State { game } => self.state(game),
            Request::Position { game } => {
                let history = self.games.get(game)?;
                Ok(view::position(history.game(), history.is_seeded()))
            }
            Request::Play { game, action, spawn } => self.play(game, action, spawn),
            Request::Slide { game, direction } => self.slide(game, direction),
            Request::Undo { game } => self.undo(game),
            Request::Redo { game } => self.redo(game),
            Request::At { game, turn } => self.at(game, turn),
            Request::Cut { game, turn } => self.cut(game, turn),
            Request::Save { game, player, note, network } => self.save(game, player, note, network),
            Request::Load { text } => self.load(&text),
            Request::Link { game } => self.link(game),
            Request::Board { text, size } => games::board(&text, size),
            Request::Players => Ok(self.list_players()),
            Request::Check { spec, board } => self.check(&spec, board.as_ref()),
            Request::Network { name } => self.take_network(&name, bytes),
            Request::Player { spec, position } => self.seat(&spec, position),
            Request::Leave { player } => self.players.remove(player).map(|_| json!({})),
            Request::Think { player, position, nodes } => self.think(player, position, nodes),
            Request::Run { player, position, ms, most, until } => {
                self.run(player, position, Duration::from_millis(ms), most, until)
            }
            Request::Review { text, spec } => self.review(&text, &spec),
            Request::Judge { review, ms } => self.judge(review, Duration::from_millis(ms)),
            Request::Summary { review } => self.summary(review),
            Request::PracticeDraw(wanted) => self.practice_draw(&wanted),
            Request::PracticeJudge { wanted, board } => self.practice_judge(&wanted, &board),
            Request::Tree(wanted) => self.tree(wanted),
            Request::TreePicture { wanted, title } => self.tree_picture(wanted, title.as_deref()),
            Request::Picture { board } => Ok(pictures::picture(board)),
            Request::Gif(wanted) => self.gif(wanted),
            Request::Records { text } => laboratory::records(&text).map_err(Failure),
            Request::Program { text, board } => laboratory::program(&text, &board).map_err(Failure),
        }
    }
}

impl Default for Host {
    fn default() -> Host {
        Host::new()
    }
}

/// Things of one kind by number, counted from 1.
struct Shelf<T> {
    kind: &'static str,
    last: u32,
    things: BTreeMap<u32, T>,
}

impl<T> Shelf<T> {
    fn new(kind: &'static str) -> Shelf<T> {
        Shelf { kind, last: 0, things: BTreeMap::new() }
    }

    /// Adds a thing and returns its number.
    fn add(&mut self, thing: T) -> u32 {
        self.last += 1;
        self.things.insert(self.last, thing);
        self.last
    }

    fn get(&self, number: u32) -> Result<&T, Failure> {
        self.things.get(&number).ok_or_else(|| self.missing(number))
    }

    fn get_mut(&mut self, number: u32) -> Result<&mut T, Failure> {
        let missing = self.missing(number);
        self.things.get_mut(&number).ok_or(missing)
    }

    fn remove(&mut self, number: u32) -> Result<T, Failure> {
        self.things.remove(&number).ok_or_else(|| self.missing(number))
    }

    fn missing(&self, number: u32) -> Failure {
        Failure(format!("there is no {} {number}", self.kind))
    }
}
