//! The default player `auto`.

use super::{AnyEvaluator, BuildError, Entry, Registry, Resources, ShippedNetwork, Spec, exact};
use crate::board::{Board, Size, rank_of};
use crate::eval::{Rows, RowsWeights};
use crate::game::{
    Decision, DependsOn, Fingerprint, FingerprintByBoard, Game, GameStart, Player, PlayerError, PlayerFacts,
    Probability, Refusal, Situation,
};
use crate::search::ExpectimaxOptions;
use crate::solve::Goal;

pub(super) fn entries() -> Vec<Entry> {
    vec![Entry {
        stands_for: Some(|resources, board, four| Means::of(resources, board, four).spec()),
        ..Entry::new(
            "auto",
            "the default player: ntuple:depth=3 on 4x4, optimal on boards that are solved, expectimax on others",
            &[],
            |settings| Ok(Box::new(Auto::new(settings.registry.clone()))),
        )
    }]
}

/// The search depth with the network, in own moves.
const DEPTH: u32 = 3;

/// Plays every board with the best available player. It is chosen when a game starts, so that a
/// game on another size does not load the network.
struct Auto {
    registry: Registry,
    chosen: Option<Chosen>,
}

/// The player of the last board.
struct Chosen {
    means: Means,
    four: Probability,
    player: Box<dyn Player>,
}

/// The player for a board.
#[derive(Clone, Copy, Debug)]
enum Means {
    Exact,
    Network(&'static ShippedNetwork),
    Expectimax { depth: u32 },
}

impl Means {
    /// The best player for a board.
    fn of(resources: &Resources, board: &Board, four: Probability) -> Means {
        if exact::knows(&resources.tables, board, four) {
            return Means::Exact;
        }
        let fits = board.size() == Size::FOUR && board.tiles().all(|tile| rank_of(tile).is_some());
        let depth = ExpectimaxOptions::default_depth(board.size());
        let network = resources.networks.built_in().filter(|_| fits);
        network.map_or(Means::Expectimax { depth }, Means::Network)
    }

    /// The spec of the player that chooses the same moves.
    fn spec(self) -> Spec {
        let (name, depth) = match self {
            Means::Exact => return Spec::named("optimal"),
            Means::Network(_) => ("ntuple", DEPTH),
            Means::Expectimax { depth } => ("expectimax", depth),
        };
        Spec::named(name).with("depth", depth)
    }

    fn player(self, registry: &Registry) -> Result<Box<dyn Player>, BuildError> {
        let (evaluator, depth) = match self {
            Means::Exact => return registry.build(&self.spec()),
            Means::Network(network) => {
                (AnyEvaluator::Fast(registry.resources.networks.load(network)?), DEPTH)
            }
            Means::Expectimax { depth } => (AnyEvaluator::fast(Rows::new(RowsWeights::default())), depth),
        };
        Ok(evaluator.expectimax(ExpectimaxOptions::with_depth(depth))?)
    }
}

impl Auto {
    /// A player that can use what this registry has.
    fn new(registry: Registry) -> Auto {
        Auto { registry, chosen: None }
    }

    fn player_for(&mut self, board: &Board, four: Probability) -> Result<&mut dyn Player, BuildError> {
        let means = Means::of(&self.registry.resources, board, four);
        let player = match self.chosen.take() {
            Some(chosen) if chosen.means.spec() == means.spec() => chosen.player,
            _ => means.player(&self.registry)?,
        };
        Ok(&mut *self.chosen.insert(Chosen { means, four, player }).player)
    }
}

impl Player for Auto {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Refusal> {
        self.player_for(game.board, game.rules.four).map_err(Refusal::because)?.start(game)
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let player = self.player_for(situation.board, situation.four);
        player.map_err(PlayerError::because)?.choose(situation)
    }

    fn end(&mut self, game: &Game) {
        if let Some(chosen) = &mut self.chosen {
            chosen.player.end(game);
        }
    }

    fn facts(&self) -> PlayerFacts<'_> {
        let fingerprint = Fingerprint::ByBoard(self);
        PlayerFacts { depends_on: DependsOn::Board, fingerprint, ..PlayerFacts::default() }
    }
}

impl FingerprintByBoard for Auto {
    fn fingerprint_on(&self, board: &Board) -> Option<String> {
        // Before the first game, the chance of a 4 is not known.
        let four = self.chosen.as_ref().map_or(Probability::TENTH, |chosen| chosen.four);
        let resources = &self.registry.resources;
        let means = Means::of(resources, board, four);
        if let Some(chosen) = self.chosen.as_ref().filter(|chosen| chosen.means.spec() == means.spec()) {
            return chosen.player.facts().fingerprint.on(board);
        }
        match means {
            Means::Exact => exact::hash_of(&resources.tables, board.size(), Goal::Score, four),
            Means::Network(network) => {
                resources.networks.load(network).ok()?.fingerprint().map(str::to_owned)
            }
            Means::Expectimax { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Registry;
    use super::super::networks::testing::shipped;
    use super::*;
    use crate::board::parse_board;
    use crate::game::{Future, Rules, Unit};

    /// The unit of the values shows which player was used: the network counts points, `rows` does
    /// not.
    fn unit_on(auto: &mut Auto, board: &str) -> Unit {
        let game = Game::from_board(Rules::default(), 1, parse_board(board, None).unwrap());
        auto.choose(&Situation::of(&game, auto, Future::Told)).unwrap().unit
    }

    #[test]
    fn the_network_plays_4x4_and_expectimax_everything_else() {
        let auto = &mut Auto::new(Registry::built_in().with_networks(shipped()));
        assert_eq!(unit_on(auto, "2 4 8 16/0 0 0 0/0 0 0 2/0 0 0 0"), Unit::Points);
        assert_eq!(unit_on(auto, "2 4 8/0 0 0/0 0 2"), Unit::Preference);
        // A 65536 is downgraded; a 3 is not a power of two.
        assert_eq!(unit_on(auto, "65536 4 8 16/0 0 0 0/0 0 0 2/0 0 0 0"), Unit::Points);
        assert_eq!(unit_on(auto, "3 4 8 16/0 0 0 0/0 0 0 2/0 0 0 0"), Unit::Preference);
    }

    #[test]
    fn the_player_that_it_stands_for_chooses_the_same() {
        let registry = Registry::built_in().with_networks(shipped());
        let spec = registry.parse("auto").unwrap();
        let auto = &mut registry.build(&spec).unwrap();
        let large =
            ["2 0 0 0 0 0 4", "0 0 0 0 0 0 0", "0 8 0 0 0 0 0"].join("/") + &"/0 0 0 0 0 0 0".repeat(4);
        for (board, name) in [
            ("2 4 8 16/0 0 0 0/0 0 0 2/0 0 0 0", "ntuple:depth=3"),
            ("17 4 8 16/0 0 0 0/0 0 0 2/0 0 0 0", "expectimax:depth=3"),
            (&large, "expectimax:depth=2"),
            ("2 4 8/0 0 0/0 0 2", "expectimax:depth=3"),
            ("2 4 8/0 0 2", "optimal"),
        ] {
            let game = Game::from_board(Rules::default(), 1, parse_board(board, None).unwrap());
            let real = registry.resolve(&spec, game.board(), Probability::TENTH);
            assert_eq!(real.to_string(), name);
            let here = Situation::of(&game, &*auto, Future::Told);
            let (one, other) = (auto.choose(&here), registry.build(&real).unwrap().choose(&here));
            let (one, other) = (one.unwrap(), other.unwrap());
            assert_eq!(
                (one.action, one.values, one.depth),
                (other.action, other.values, other.depth),
                "{name}"
            );
        }
        let greedy = registry.parse("greedy").unwrap();
        assert_eq!(
            registry.resolve(&greedy, &parse_board("2 0/0 2", None).unwrap(), Probability::TENTH),
            greedy
        );
    }

    #[test]
    fn records_learn_of_the_network_where_it_plays() {
        let auto = Auto::new(Registry::built_in().with_networks(shipped()));
        let hash = |board: &str| auto.facts().fingerprint.on(&parse_board(board, None).unwrap());
        assert_eq!(hash("2 4 8 16/0 0 0 0/0 0 0 2/0 0 0 0").unwrap().len(), 64);
        assert_eq!(hash("2 4 8/0 0 0/0 0 2"), None);
    }

    #[test]
    fn without_a_network_expectimax_plays() {
        assert_eq!(
            unit_on(&mut Auto::new(Registry::built_in()), "2 4 8 16/0 0 0 0/0 0 0 2/0 0 0 0"),
            Unit::Preference
        );
    }
}
