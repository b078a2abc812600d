//! The search trees of players, to be drawn.

use super::auto::Auto;
use super::{BuildError, Registry, Settings, Spec, expectimax, networks, program, searching};
use crate::game::{Game, GameStart, Player, Situation};
use crate::search::{Expectimax, Options, Tree};

/// The players that build a tree.
const WITH_TREES: [&str; 7] = ["auto", "clairvoyant", "expectimax", "minimax", "ntuple", "program", "sum"];

/// How deep a tree is drawn when nothing is said about it: 3 moves are 64 boards at most where the spawns are known, as in
/// the source document's picture.
const fn usual_depth(knows_future: bool) -> u32 {
    if knows_future { 3 } else { 2 }
}

impl Registry {
    /// The search tree that the player of a spec builds before the next move of a game: the whole of it where the spawns
    /// are known, otherwise the `top` branches of each node that matter most. A given `depth` takes the place of the one in
    /// the spec; where there is none in either, the tree is as deep as the limits in the spec let the player look, or
    /// else as deep as a picture can show.
    pub fn tree(&self, spec: &Spec, game: &Game, depth: Option<u32>, top: usize) -> Result<Tree, BuildError> {
        let entry = self.find(&spec.name).map_err(|error| BuildError(error.to_string()))?;
        if !WITH_TREES.contains(&spec.name.as_str()) {
            let (name, others) = (&spec.name, WITH_TREES.join(", "));
            return Err(BuildError(format!("{name} builds no tree that could be drawn; these do: {others}")));
        }
        let is_given = |wanted: &str| spec.given.iter().any(|(name, _)| name == wanted);
        let depth = match depth {
            None if !is_given("depth") && ["nodes", "time", "adapt"].into_iter().any(is_given) => {
                Some(self.depth_reached(spec, game)?)
            }
            // A program that nobody gave a limit looks at the next move alone.
            None if !is_given("depth") && spec.name == "program" => Some(1),
            None if !is_given("depth") => Some(usual_depth(entry.knows_future)),
            depth => depth,
        };
        let mut spec = spec.clone();
        if let Some(depth) = depth.filter(|_| spec.name != "auto") {
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
            "sum" => {
                let mut player = searching::sum(&settings)?;
                ready(&mut player, game)?;
                player.tree(&situation, top)
            }
            "auto" => {
                let depth = depth.unwrap_or(usual_depth(false));
                let evaluator = Auto::new(settings.networks.first()).evaluator_for(game.board())?;
                let mut player = Expectimax::new(evaluator.into_evaluator(), Options::with_depth(depth));
                ready(&mut player, game)?;
                player.tree(&situation, depth, top)
            }
            _ => {
                let evaluator = match spec.name.as_str() {
                    "ntuple" => networks::evaluator(&settings)?,
                    "program" => program::read_evaluator(&settings)?,
                    _ => settings.evaluator()?,
                };
                let mut player = Expectimax::new(evaluator.into_evaluator(), expectimax::options(&settings)?);
                ready(&mut player, game)?;
                player.tree(&situation, depth_of(&settings), top)
            }
        };
        tree.map_err(|error| BuildError(error.to_string()))
    }

    /// How many moves ahead the player of a spec looks before the next move of a game.
    fn depth_reached(&self, spec: &Spec, game: &Game) -> Result<u32, BuildError> {
        let mut player = self.build(spec)?;
        ready(&mut player, game)?;
        let decision = player.choose(&Situation::of(game)).map_err(|error| BuildError(error.to_string()))?;
        Ok(decision.depth)
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

#[cfg(test)]
mod tests {
    use super::super::networks::testing::shipped;
    use super::*;
    use crate::game::Rules;
    use crate::search::Step;

    #[test]
    fn every_player_with_a_tree_draws_it() {
        let registry = Registry::built_in().with_networks(shipped());
        let game = Game::new(Rules::default(), 1);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "(evaluator (value (lines empty)))").unwrap();
        for name in WITH_TREES {
            let file =
                if name == "program" { format!(":file={}", file.path().display()) } else { String::new() };
            let spec = registry.parse(&format!("{name}{file}")).unwrap();
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
    fn a_tree_is_that_of_the_limits_in_the_spec() {
        let registry = Registry::built_in();
        let game = Game::from_board(Rules::default(), 1, "2 4 8/16 2 0/4 0 0".parse().unwrap());
        let tree = |text: &str| registry.tree(&registry.parse(text).unwrap(), &game, None, 2).unwrap();
        for text in ["expectimax:depth=3,fours=2", "expectimax:depth=3,cut=0.03", "expectimax:nodes=2000"] {
            let drawn = tree(text);
            let decision =
                registry.build(&registry.parse(text).unwrap()).unwrap().choose(&Situation::of(&game));
            let decision = decision.unwrap();
            assert_eq!(drawn.depth, decision.depth, "{text}");
            let most = decision.values.into_iter().flatten().reduce(f64::max).unwrap();
            let root = drawn.nodes[0].value.unwrap();
            assert!((root - most).abs() <= 1e-5 * most.abs(), "{text}: {root}, not {most}");
        }
        assert!(tree("expectimax:depth=3,cut=0.5").nodes.len() < tree("expectimax:depth=3").nodes.len());
    }

    #[test]
    fn what_cannot_be_drawn_says_why() {
        let registry = Registry::built_in();
        let game = Game::new(Rules::default(), 1);
        let error = |text: &str, depth| {
            registry.tree(&registry.parse(text).unwrap(), &game, depth, 2).unwrap_err().to_string()
        };
        assert!(error("greedy", None).contains("these do: auto, clairvoyant"));
        assert!(error("sum", Some(99)).contains("depth=99 is not possible"));
        assert!(error("sum:eval=position,matrix=1 2/3 4", None).contains("2x2"));
        assert!(error("clairvoyant", Some(8)).contains("too many boards"));
        assert!(registry.tree(&registry.parse("sum:depth=4").unwrap(), &game, None, 40).is_err());
    }
}
