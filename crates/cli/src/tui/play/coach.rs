//! The coach: a player that gives hints and can take over the game.

use std::time::{Duration, Instant};

use lab2048::game::{Action, Decision};
use lab2048::players::{Registry, Spec};

use super::super::screen::Shared;
use super::super::thinker::{Thinker, getting_ready, next_pace};
use super::Play;
use crate::show;

/// The default time between two moves of the coach.
pub(super) const AUTO_PACE: Duration = Duration::from_millis(200);

/// A player that has made moves in the user's game.
pub(super) struct Helper {
    pub(super) spec: String,
    /// The hash of its network.
    pub(super) network: Option<String>,
}

/// The player that gives hints and can take over the game.
pub(super) struct Coach {
    pub(super) spec: Spec,
    pub(super) thinker: Option<Thinker>,
    /// Its decision for the position on the board.
    pub(super) hint: Option<Decision>,
    pub(super) auto: Option<Auto>,
}

impl Coach {
    /// Whether it has a question but is still loading.
    pub(super) fn gets_ready(&self) -> bool {
        self.thinker.as_ref().is_some_and(|thinker| thinker.is_thinking() && !thinker.is_ready())
    }

    /// What it is doing at the moment, if anything.
    pub(super) fn doing(&self, registry: &Registry) -> Option<&'static str> {
        let thinks = self.thinker.as_ref().is_some_and(Thinker::is_thinking);
        thinks.then(|| if self.gets_ready() { getting_ready(registry, &self.spec) } else { "thinks…" })
    }
}

/// The state while the coach plays.
#[derive(Clone, Copy)]
pub(super) struct Auto {
    pub(super) pace: Duration,
    /// The earliest time of the next move.
    pub(super) due: Instant,
    /// The next move, if it is already known.
    pub(super) ready: Option<Decision>,
}

impl Play {
    pub(super) fn ask(&mut self, shared: &mut Shared) {
        let Coach { spec, thinker, .. } = &mut self.coach;
        let make = || Thinker::new(&shared.registry, spec.clone(), shared.mail.clone());
        thinker.get_or_insert_with(make).ask(self.own.history.game());
    }

    /// Checks whether the coach has answered.
    pub(super) fn look(&mut self, shared: &mut Shared) {
        let Some(answer) = self.coach.thinker.as_mut().and_then(Thinker::answer) else { return };
        match (answer, &mut self.coach.auto) {
            (Ok(decision), Some(auto)) => {
                self.coach.hint = Some(decision);
                auto.ready = Some(decision);
                self.auto_move(shared);
            }
            (Ok(decision), None) => {
                self.coach.hint = Some(decision);
                if !decision.has_values() {
                    self.say(format!("{} suggests: {}", self.coach.spec, show::action_name(decision.action)));
                }
            }
            (Err(reason), _) => {
                self.coach.auto = None;
                self.refuse(format!("no hint: {reason}"));
            }
        }
    }

    /// Makes the coach's next move, if it is known and due.
    pub(super) fn auto_move(&mut self, shared: &mut Shared) {
        let Some(auto) = &mut self.coach.auto else { return };
        let Some(decision) = auto.ready.filter(|_| auto.due <= Instant::now()) else { return };
        auto.ready = None;
        auto.due = Instant::now() + auto.pace;
        if decision.action == Action::Quit {
            self.coach.auto = None;
            return self.say(format!("{} would quit here", self.coach.spec));
        }
        self.pass_time();
        let network = self.coach.thinker.as_ref().and_then(|thinker| thinker.network().map(str::to_owned));
        self.helper = Some(Helper { spec: self.coach.spec.to_string(), network });
        let turns = self.game().turns();
        self.own.helped_from = Some(self.own.helped_from.map_or(turns, |from| from.min(turns)));
        self.act(decision.action, shared);
        if self.game().turns() == turns {
            self.coach.auto = None;
        }
    }

    pub(super) fn toggle_auto(&mut self, shared: &mut Shared) {
        if self.coach.auto.take().is_some() {
            if let Some(thinker) = &mut self.coach.thinker {
                thinker.forget();
            }
            return self.say("your turn again");
        }
        let pace = if shared.turbo { Duration::ZERO } else { AUTO_PACE };
        self.coach.auto = Some(Auto { pace, due: Instant::now(), ready: None });
        self.message = None;
        self.ask(shared);
    }

    /// Lets the coach play as fast as it can, or at its usual speed, now and in later games.
    pub(super) fn toggle_turbo(&mut self, shared: &mut Shared) {
        shared.turbo = !shared.turbo;
        let pace = if shared.turbo { Duration::ZERO } else { AUTO_PACE };
        match &mut self.coach.auto {
            Some(auto) => auto.pace = pace,
            None if shared.turbo => self.say("turbo: the coach plays as fast as it can"),
            None => self.say("the coach plays at its usual speed"),
        }
    }

    pub(super) fn change_pace(&mut self, faster: bool) {
        if let Some(auto) = &mut self.coach.auto {
            auto.pace = next_pace(auto.pace, faster);
        }
    }
}
