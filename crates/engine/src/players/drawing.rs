//! The search trees of players, to be drawn.

use super::{AnyEvaluator, BuildError, Registry, Settings, Spec};
use crate::game::{Game, GameStart, Player, PlayerError, Situation};
use crate::search::{Expectimax, Options, Tree};

/// The deepest tree of a player whose spec does not say how deep it may look.
const MOST_MOVES: u32 = 100;

/// How the tree of a player is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Drawing {
    /// How many moves deep when nothing is said about it: as deep as a picture can show.
    pub depth: u32,
    /// Builds the tree before the next move of a game.
    pub tree: fn(&Settings, &Game, View) -> Result<Tree, BuildError>,
}

/// What is wanted of a tree.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// How many moves deep.
    pub depth: u32,
    /// How many branches of each node, where there is chance: those that matter most.
    pub top: usize,
}

impl Registry {
    /// The search tree that the player of a spec builds before the next move of a game: the whole of it where the spawns
    /// are known, otherwise the `top` branches of each node that matter most. A given `depth` takes the place of the one in
    /// the spec; where there is none in either, the tree is as deep as the limits in the spec let the player look, or
    /// else as deep as a picture can show.
    pub fn tree(&self, spec: &Spec, game: &Game, depth: Option<u32>, top: usize) -> Result<Tree, BuildError> {
        let entry = self.find(&spec.name).map_err(|error| BuildError(error.to_string()))?;
        let Some(drawing) = entry.drawing else {
            let with_trees = self.entries().iter().filter(|entry| entry.drawing.is_some());
            let mut others: Vec<&str> = with_trees.map(|entry| entry.name).collect();
            others.sort_unstable();
            let (name, others) = (&spec.name, others.join(", "));
            return Err(BuildError(format!("{name} builds no tree that could be drawn; these do: {others}")));
        };
        let is_given = |wanted: &str| spec.given.iter().any(|(name, _)| name == wanted);
        let depth = match depth {
            None if is_given("depth") => None,
            None if ["nodes", "time", "adapt"].into_iter().any(is_given) => {
                Some(self.depth_reached(spec, game)?)
            }
            None => Some(drawing.depth),
            depth => depth,
        };
        let mut spec = spec.clone();
        if entry.params.iter().any(|param| param.name == "depth") {
            if let Some(depth) = depth {
                spec.given.retain(|(name, _)| name != "depth");
                spec.given.push(("depth".to_owned(), depth.to_string()));
            }
        } else if let Some(depth) = depth.filter(|depth| *depth > MOST_MOVES) {
            let (name, most) = (&spec.name, MOST_MOVES);
            return Err(BuildError(format!(
                "{name}: a depth of {depth} is not possible; {most} is the most"
            )));
        }
        let settings = self.settings(&spec).map_err(|error| BuildError(error.to_string()))?;
        let in_spec = || settings.whole_or_none("depth").map(|depth| depth as u32);
        let depth = depth.or_else(in_spec).unwrap_or(drawing.depth);
        (drawing.tree)(&settings, game, View { depth, top })
    }

    /// How many moves ahead the player of a spec looks before the next move of a game.
    fn depth_reached(&self, spec: &Spec, game: &Game) -> Result<u32, BuildError> {
        let mut player = self.build(spec)?;
        ready(&mut player, game)?;
        let decision =
            player.choose(&Situation::of(game, &player)).map_err(|error| BuildError(error.to_string()))?;
        Ok(decision.depth)
    }
}

/// The tree of expectimax by an evaluator.
pub(super) fn expectimax_tree(
    evaluator: AnyEvaluator,
    options: Options,
    game: &Game,
    view: View,
) -> Result<Tree, BuildError> {
    let mut player = Expectimax::new(evaluator.into_evaluator(), options);
    ready(&mut player, game)?;
    drawn(player.tree(&Situation::of(game, &player), view.depth, view.top))
}

/// Tells a player about the game, which it may refuse.
pub(super) fn ready(player: &mut dyn Player, game: &Game) -> Result<(), BuildError> {
    let start = GameStart { rules: game.rules(), board: game.board(), knows_future: true };
    player.start(&start).map_err(|refusal| BuildError(refusal.to_string()))
}

/// A tree, or why there is none.
pub(super) fn drawn(tree: Result<Tree, PlayerError>) -> Result<Tree, BuildError> {
    tree.map_err(|error| BuildError(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::super::networks::testing::shipped;
    use super::*;
    use crate::game::{MoveValue, Rules};
    use crate::search::Step;

    #[test]
    fn every_player_with_a_tree_draws_it() {
        let registry = Registry::built_in().with_networks(shipped());
        let game = Game::new(Rules::default(), 1);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "(evaluator (value (lines empty)))").unwrap();
        let names: Vec<&str> = registry
            .entries()
            .iter()
            .filter(|entry| entry.drawing.is_some())
            .map(|entry| entry.name)
            .collect();
        assert_eq!(names.len(), 7, "{names:?}");
        for name in names {
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
                        Step::Spawn { probability, .. } => probability * child.value.worth().unwrap(),
                        _ => 0.0,
                    })
                    .sum();
                let best = below().filter_map(|child| child.value.worth()).reduce(f64::max);
                match node.step {
                    Step::Move { .. } if below().next().is_some() => {
                        let value = node.value.worth().unwrap();
                        assert!(
                            (value - average).abs() <= 1e-4 * value.abs(),
                            "{text}: {value} and {average}"
                        );
                        chances += 1;
                    }
                    Step::Spawn { .. } if below().next().is_some() => {
                        assert_eq!(node.value.worth(), best);
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
            let decision = registry
                .build(&registry.parse(text).unwrap())
                .unwrap()
                .choose(&Situation::with_future(&game));
            let decision = decision.unwrap();
            assert_eq!(drawn.depth, decision.depth, "{text}");
            let most = decision.values.into_iter().filter_map(MoveValue::worth).reduce(f64::max).unwrap();
            let root = drawn.nodes[0].value.worth().unwrap();
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
        assert!(error("auto", Some(101)).contains("auto: a depth of 101 is not possible; 100 is the most"));
        assert!(error("sum:eval=position,matrix=1 2/3 4", None).contains("2x2"));
        assert!(error("clairvoyant", Some(8)).contains("too many boards"));
        assert!(registry.tree(&registry.parse("sum:depth=4").unwrap(), &game, None, 40).is_err());
    }
}
