//! The search trees of players, to be drawn.

use std::sync::Arc;

use super::{BuildError, Registry, Settings, Spec, expectimax, searching};
use crate::board::Board;
use crate::eval::{Evaluator, Judges, View};
use crate::game::{Game, GameStart, Player, PlayerError, Probability, Situation, Stream, Unit};
use crate::search::{ChanceSearch, ChanceStyle, Options, Tree, chance_tree};

/// The players that build a tree.
const WITH_TREES: [&str; 4] = ["clairvoyant", "expectimax", "minimax", "sum"];

/// How deep a tree is drawn when nothing is said about it: 3 moves are 64 boards at most where the spawns are known, as in
/// the source document's picture.
const fn usual_depth(knows_future: bool) -> u32 {
    if knows_future { 3 } else { 2 }
}

impl Registry {
    /// The search tree that the player of a spec builds before the next move of a game: the whole of it where the spawns
    /// are known, otherwise the `top` branches of each node that matter most. A given `depth` takes the place of the one in
    /// the spec; if there is none in either, the tree is as deep as a picture can show.
    pub fn tree(&self, spec: &Spec, game: &Game, depth: Option<u32>, top: usize) -> Result<Tree, BuildError> {
        let mut spec = spec.clone();
        let entry = self.find(&spec.name).map_err(|error| BuildError(error.to_string()))?;
        if !WITH_TREES.contains(&spec.name.as_str()) {
            let (name, others) = (&spec.name, WITH_TREES.join(", "));
            return Err(BuildError(format!("{name} builds no tree that could be drawn; these do: {others}")));
        }
        let given = spec.given.iter().any(|(name, _)| name == "depth");
        if let Some(depth) = depth.or_else(|| (!given).then(|| usual_depth(entry.knows_future))) {
            spec.given.retain(|(name, _)| name != "depth");
            spec.given.push(("depth".to_owned(), depth.to_string()));
        }
        let settings = self.settings(&spec).map_err(|error| BuildError(error.to_string()))?;
        let situation = Situation::of(game);
        let tree = match spec.name.as_str() {
            "clairvoyant" => {
                let mut player = searching::clairvoyant(&settings)?;
                ready(&mut player, game)?;
                player.tree(&situation)
            }
            "minimax" => {
                let mut player = searching::minimax(&settings)?;
                ready(&mut player, game)?;
                player.tree(&situation, depth_of(&settings), top)
            }
            "expectimax" => {
                let mut player = settings.evaluator()?.expectimax(expectimax::options(&settings))?;
                ready(&mut player, game)?;
                let mut search = Averaging::new(&settings, situation.four)?;
                let Situation { board, score, four, .. } = situation;
                chance_tree(&mut search, board, score, four, depth_of(&settings), top)
            }
            _ => {
                let mut player = searching::sum(&settings)?;
                ready(&mut player, game)?;
                player.tree(&situation, top)
            }
        };
        tree.map_err(|error| BuildError(error.to_string()))
    }
}

fn depth_of(settings: &Settings) -> u32 {
    settings.whole_or_none("depth").map_or(usual_depth(false), |depth| depth as u32)
}

/// Tells a player about the game, which it may refuse.
fn ready(player: &mut dyn Player, game: &Game) -> Result<(), BuildError> {
    let start = GameStart { rules: game.rules(), board: game.board(), knows_future: true };
    player.start(&start).map_err(|refusal| BuildError(refusal.to_string()))
}

/// The search behind a drawn tree of expectimax: one player for each depth, with everything looked at.
struct Averaging<'a> {
    settings: &'a Settings,
    evaluator: Arc<dyn Evaluator>,
    four: Probability,
    /// The player that looks `n + 1` moves ahead is at place `n`.
    players: Vec<Box<dyn Player>>,
}

impl<'a> Averaging<'a> {
    fn new(settings: &'a Settings, four: Probability) -> Result<Averaging<'a>, BuildError> {
        let evaluator = settings.evaluator()?.into_evaluator();
        Ok(Averaging { settings, evaluator, four, players: Vec::new() })
    }
}

impl ChanceSearch for Averaging<'_> {
    fn style(&self) -> ChanceStyle {
        ChanceStyle::Average
    }

    fn unit(&self) -> Unit {
        self.evaluator.unit()
    }

    fn values(&mut self, board: &Board, score: u64, depth: u32) -> Result<[Option<f64>; 4], PlayerError> {
        while self.players.len() < depth as usize {
            let options = Options::with_depth(self.players.len() as u32 + 1);
            let evaluator = self.settings.evaluator().map_err(|error| PlayerError(error.to_string()))?;
            let player = evaluator.expectimax(options).map_err(|error| PlayerError(error.to_string()))?;
            self.players.push(player);
        }
        let luck = Stream::player(0);
        let situation = Situation { board, score, turns: 0, four: self.four, luck, future: None };
        Ok(self.players[depth as usize - 1].choose(&situation)?.values)
    }

    fn worth(
        &mut self,
        board: &Board,
        score: u64,
        _: Option<u64>,
        values: [Option<f64>; 4],
        depth: u32,
    ) -> Option<f64> {
        match (depth, self.evaluator.judges()) {
            (0, Judges::Afterstates) => None,
            (0, Judges::Boards) if board.has_moves() => {
                Some(self.evaluator.evaluate(&View::of_board(board, score)))
            }
            _ => Some(
                values.into_iter().flatten().reduce(f64::max).unwrap_or_else(|| self.evaluator.game_over()),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Rules;
    use crate::search::Step;

    #[test]
    fn every_player_with_a_tree_draws_it() {
        let registry = Registry::built_in();
        let game = Game::new(Rules::default(), 1);
        for name in WITH_TREES {
            let spec = registry.parse(name).unwrap();
            let tree = registry.tree(&spec, &game, Some(1), 2).unwrap();
            assert!(tree.nodes.len() > 2 && tree.nodes[0].step == Step::Root, "{name}");
        }
    }

    #[test]
    fn a_chance_node_of_expectimax_is_worth_the_average_of_its_boards() {
        let registry = Registry::built_in();
        let board = "2 0 4/0 0 8".parse().unwrap();
        let game = Game::from_board(Rules::default(), 1, board);
        for (text, layers) in [("expectimax:eval=rows", 4), ("expectimax:eval=corner", 5)] {
            let spec = registry.parse(text).unwrap();
            let tree = registry.tree(&spec, &game, Some(2), 100).unwrap();
            let depth_of = |mut place: usize| {
                let mut depth = 1;
                while let Some(parent) = tree.nodes[place].parent {
                    (place, depth) = (parent, depth + 1);
                }
                depth
            };
            assert_eq!((0..tree.nodes.len()).map(depth_of).max(), Some(layers), "{text}");
            let (mut chances, mut inner) = (0, 0);
            for (place, node) in tree.nodes.iter().enumerate() {
                let below = || tree.nodes.iter().filter(|child| child.parent == Some(place));
                let average: f64 = below()
                    .map(|child| match child.step {
                        Step::Spawn { probability, .. } => probability * child.value.unwrap(),
                        _ => 0.0,
                    })
                    .sum();
                let best = below().filter_map(|child| child.value).reduce(f64::max);
                match node.step {
                    Step::Move { .. } if below().next().is_some() => {
                        let value = node.value.unwrap();
                        assert!(
                            (value - average).abs() <= 1e-4 * value.abs(),
                            "{text}: {value} and {average}"
                        );
                        chances += 1;
                    }
                    Step::Spawn { .. } if below().next().is_some() => {
                        assert_eq!(node.value, best);
                        inner += 1;
                    }
                    _ => {}
                }
            }
            assert!(chances > 0 && inner > 0);
        }
    }

    #[test]
    fn what_cannot_be_drawn_says_why() {
        let registry = Registry::built_in();
        let game = Game::new(Rules::default(), 1);
        let error = |text: &str, depth| {
            registry.tree(&registry.parse(text).unwrap(), &game, depth, 2).unwrap_err().to_string()
        };
        assert!(error("greedy", None).contains("these do: clairvoyant"));
        assert!(error("sum", Some(99)).contains("depth=99 is not possible"));
        assert!(error("sum:eval=position,matrix=1 2/3 4", None).contains("2x2"));
        assert!(error("clairvoyant", Some(8)).contains("too many boards"));
        assert!(registry.tree(&registry.parse("sum:depth=4").unwrap(), &game, None, 40).is_err());
    }
}
