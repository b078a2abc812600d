//! The search trees of players, for drawing.

use super::{AnyEvaluator, BuildError, Registry, Settings, Spec};
use crate::game::{Action, Future, Game, GameStart, Player, Situation};
use crate::search::{Expectimax, ExpectimaxOptions, Tree, TreeView};

/// How the tree of a player is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Drawing {
    /// The default number of moves to draw, as many as a picture can show.
    pub depth: u32,
    /// Whether the values in the picture come from the player's own search, which may look further
    /// ahead than the picture. Otherwise the search depth is that of the picture.
    pub own_search: bool,
    /// Builds the tree before the next move of a game.
    pub tree: fn(&Settings, &Game, TreeView) -> Result<Tree, BuildError>,
}

impl Registry {
    /// The player whose search tree stands for that of a spec: the one that really plays the board,
    /// or `expectimax` if that one needs no search.
    pub fn resolve_drawn(&self, spec: &Spec, game: &Game) -> Spec {
        let real = self.resolve(spec, game.board(), game.rules().four);
        let is_drawn = self.entry(real.name()).is_some_and(|entry| entry.drawing.is_some());
        if is_drawn || real == *spec { real } else { Spec::named("expectimax") }
    }

    /// The search tree of the player of a spec before the next move of a game. If the spawns are
    /// known it is the whole tree, otherwise the `top` most important branches of each node. A
    /// given `depth` overrides that of the spec. If neither has a depth, it is the depth that the
    /// limits of the spec allow, or else what a picture can show. The tree of `auto` is that of the
    /// player that it uses.
    pub fn tree(&self, spec: &Spec, game: &Game, depth: Option<u32>, top: usize) -> Result<Tree, BuildError> {
        let is_given = |param: &str| spec.value(param).is_some();
        let (depth_given, limit_given) =
            (is_given("depth"), ["nodes", "time", "adapt"].into_iter().any(is_given));
        let mut spec = self.resolve_drawn(spec, game);
        let entry = self.find(spec.name())?;
        let Some(drawing) = entry.drawing else {
            let with_trees =
                self.entries().iter().filter(|entry| entry.drawing.is_some() || entry.stands_for.is_some());
            let mut others: Vec<&str> = with_trees.map(|entry| entry.name).collect();
            others.sort_unstable();
            let (name, others) = (spec.name(), others.join(", "));
            return Err(BuildError::impossible(format!(
                "{name} has no search tree; these players do: {others}"
            )));
        };
        let (depth, drawn) = match depth {
            Some(depth) => (Some(depth), None),
            None if depth_given => (None, None),
            None if limit_given => (Some(self.depth_reached(&spec, game)?), None),
            None if drawing.own_search => (Some(self.depth_reached(&spec, game)?), Some(drawing.depth)),
            None => (Some(drawing.depth), None),
        };
        if let Some(depth) = depth {
            spec = spec.with("depth", depth);
        }
        let settings = self.settings(&spec)?;
        let in_spec = || settings.whole_or_none("depth").map(|depth| depth as u32);
        let depth = depth.or_else(in_spec).unwrap_or(drawing.depth);
        (drawing.tree)(&settings, game, TreeView { depth, drawn: drawn.unwrap_or(depth), top, chosen: None })
    }

    /// The depth that the player of a spec reaches before the next move of a game.
    fn depth_reached(&self, spec: &Spec, game: &Game) -> Result<u32, BuildError> {
        let mut player = self.build(spec)?;
        ready(&mut player, game)?;
        let decision = player.choose(&Situation::of(game, &player, Future::Told))?;
        // A player without a search has looked at the next move.
        Ok(decision.depth.max(1))
    }
}

/// The tree of expectimax with an evaluator.
pub(super) fn expectimax_tree(
    evaluator: AnyEvaluator,
    options: ExpectimaxOptions,
    game: &Game,
    view: TreeView,
) -> Result<Tree, BuildError> {
    view.check(game.board(), game.rules().four)?;
    let mut view = view;
    if let AnyEvaluator::Fast(_) = &evaluator {
        let mut player = evaluator.clone().expectimax(options)?;
        ready(&mut player, game)?;
        let decision = player.choose(&Situation::of(game, &player, Future::Told))?;
        if let (Action::Move(direction), true) = (decision.action, decision.depth == view.depth) {
            view.chosen = Some(direction);
        }
    }
    let mut player = Expectimax::new(evaluator.into_evaluator(), options);
    ready(&mut player, game)?;
    Ok(player.tree(&Situation::of(game, &player, Future::Told), view)?)
}

/// Starts a game with a player, which may refuse it.
pub(super) fn ready(player: &mut dyn Player, game: &Game) -> Result<(), BuildError> {
    let start = GameStart::of(game, Future::Told);
    Ok(player.start(&start)?)
}

#[cfg(test)]
mod tests {
    use super::super::networks::testing::shipped;
    use super::*;
    use crate::game::{MoveValue, Rules};
    use crate::search::Step;

    #[cfg(feature = "files")]
    #[test]
    fn every_player_with_a_tree_draws_it() {
        let registry = Registry::built_in().with_networks(shipped());
        let game = Game::new(Rules::default(), 1);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "(evaluator (value (lines empty)))").unwrap();
        let names: Vec<&str> = registry
            .entries()
            .iter()
            .filter(|entry| entry.drawing.is_some() || entry.stands_for.is_some())
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
    fn a_tree_shows_the_values_of_the_players_own_search() {
        let registry = Registry::built_in().with_networks(shipped());
        for (text, board, depth, drawn) in [
            ("auto", "2 4 8 16/16 2 0 8/4 0 2 4/2 8 4 2", 3, 2),
            // The moves of a symmetric board are equal, except for rounding.
            ("auto", "2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2", 3, 2),
            ("auto", "2 4 8/16 2 0/4 0 2", 3, 2),
            ("expectimax", "2 4 8/16 2 0/4 0 2", 3, 2),
            ("ntuple", "2 4 8 16/16 2 0 8/4 0 2 4/2 8 4 2", 1, 1),
        ] {
            let spec = registry.parse(text).unwrap();
            let game = Game::from_board(Rules::default(), 1, board.parse().unwrap());
            let tree = registry.tree(&spec, &game, None, 4).unwrap();
            assert_eq!((tree.depth, tree.drawn), (depth, drawn), "{text}");
            let mut player = registry.build(&spec).unwrap();
            let decision = player.choose(&Situation::of(&game, &player, Future::Told)).unwrap();
            let mut moves = 0;
            for node in tree.nodes.iter().filter(|node| node.parent == Some(0)) {
                let Step::Move { direction, .. } = node.step else { panic!("a move comes first") };
                let own = decision.values[direction.index()].worth().unwrap();
                let value = node.value.worth().unwrap();
                assert!((value - own).abs() <= 1e-5 * own.abs(), "{text}: {value}, not {own}");
                assert_eq!(node.best, decision.action == Action::Move(direction), "{text}");
                moves += 1;
            }
            assert_eq!(
                moves,
                decision.values.into_iter().filter(|value| value.is_judged()).count(),
                "{text}"
            );
        }
    }

    #[test]
    fn what_cannot_be_drawn_says_why() {
        let registry = Registry::built_in();
        let game = Game::new(Rules::default(), 1);
        let error = |text: &str, depth| {
            registry.tree(&registry.parse(text).unwrap(), &game, depth, 2).unwrap_err().to_string()
        };
        assert!(error("greedy", None).contains("these players do: auto, clairvoyant"));
        assert!(error("sum", Some(99)).contains("depth=99 is not possible"));
        assert!(error("auto", Some(101)).contains("depth=101 is not possible"));
        assert!(error("auto", Some(8)).contains("too many boards"));
        assert!(error("sum:eval=position,matrix=1 2/3 4", None).contains("2x2"));
        assert!(error("clairvoyant", Some(8)).contains("too many boards"));
        assert!(registry.tree(&registry.parse("sum:depth=4").unwrap(), &game, None, 40).is_err());
    }
}
